/* The cycle that keeps a pair of switches out of a layer of LASH, and who holds its channels. */
#ifndef IBSCOPE_WITNESS_H
#define IBSCOPE_WITNESS_H

#include "core/base/text.h"
#include "engines/lash/lash.h"
#include "views/view.h"

/* One channel of the cycle: routes that hold it while they want the next one. */
struct witness_edge {
	uint32_t port;	  /* sender of the channel */
	uint32_t routes;  /* between switches, of pairs put in the layer earlier */
	uint32_t sw, sw2; /* the first of them, from and to; NO_ID = none */
	bool own;	  /* a route of the pair itself does */
};

struct witness {
	uint32_t n; /* channels; 0: the layer did not refuse the pair */
	struct witness_edge *edge;
};

/* struct witness; arg: the two switches and the layer.  For routings of LASH only. */
extern const struct task task_witness;

/* "t00 → t10 → t00" */
void witness_text(const struct fabric *f, const struct witness *w, struct text *t);

#endif
