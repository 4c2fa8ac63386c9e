/* Layers (virtual lanes that an engine spreads pairs of switches over), as panes and commands ask for them.
 */
#ifndef IBSCOPE_LAYERS_H
#define IBSCOPE_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

/* One layer. */
struct layer_info {
	unsigned vl; /* its virtual lane */
	uint64_t pairs,
		pairs_first; /* ordered pairs of switches in it: now, and before layers were evened out */
	bool balanced;	     /* the engine moved pairs between its layers */
};

/* The layer of a pair of switches. */
struct pair_layer {
	unsigned first, now; /* that took it, and that it is in since layers were evened out */
};

/* One channel of a cycle: routes that hold it while they want the next one. */
struct witness_edge {
	uint32_t port;	  /* sender of the channel */
	uint32_t routes;  /* between switches, of pairs put in the layer earlier */
	uint32_t sw, sw2; /* the first of them, from and to; NO_ID = none */
	bool own;	  /* a route of the pair itself does */
};

/* The cycle that keeps a pair of switches out of a layer, and who holds its channels. */
struct witness {
	uint32_t n; /* channels; 0: the layer did not refuse the pair */
	struct witness_edge *edge;
};

void witness_free(struct witness *w); /* NULL is fine */

#endif
