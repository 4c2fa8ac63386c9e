/* Shared by the files of the transition. */
#ifndef IBSCOPE_TRANSITION_INTERNAL_H
#define IBSCOPE_TRANSITION_INTERNAL_H

#include "core/analysis/compare/transition.h"

/* Used in place of the next switch. */
#define TO_HOST (NO_ID - 1) /* the packet arrives */
#define NOWHERE NO_ID

/* One LID: where it goes from each switch in the old and in the new tables. */
struct two_ways {
	uint32_t n; /* switches */
	unsigned lid;
	uint32_t owner;
	uint32_t *was, *now; /* [n] switch, TO_HOST, NOWHERE */
	uint8_t *from, *to;  /* [n] enum mix_end in the old and in the new tables */
	uint32_t *work;	     /* [n] scratch */
};

void two_ways_init(void *arena, struct two_ways *w, uint32_t n);
/* The endport of a LID, if it is a host that counts; otherwise NO_ID. */
uint32_t mix_owner(const struct routing *r, unsigned lid);
/* false: there is none. */
bool two_ways_load(struct two_ways *w, const struct transition *t, unsigned lid);

/* Where an entry leads on the present cables: a switch, TO_HOST (to the owner) or NOWHERE. */
uint32_t mix_next(const struct topo *t, uint32_t sw, unsigned port, uint32_t owner);

/* Finds where each switch's way ends: end[n]; work[n] is scratch. */
void mix_ends(uint32_t n, const uint32_t *next, uint8_t *end, uint32_t *work);

/* The number of sources of a LID on a switch. */
static inline uint32_t mix_sources(const struct transition *t, const struct two_ways *w, uint32_t sw)
{
	const struct topo *topo = t->b->topo;

	return t->hosts[sw] - (topo->endport_switch[w->owner] == sw);
}

static inline unsigned row_port(const struct lft_row *r, unsigned lid)
{
	return r && lid <= r->top ? r->port[lid] : NO_PATH;
}

/* Fill t->credit; t->lid[] must be there.  false: cancelled. */
bool transition_credit(struct transition *t, struct progress *p);

#endif
