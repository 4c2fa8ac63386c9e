/*
 * All that `check` finds of a sweep: lost pairs with their causes, credit loops, what cannot be told, and the
 * verdict over it.
 */
#ifndef IBSCOPE_SOUND_H
#define IBSCOPE_SOUND_H

#include "core/analysis/compare/causes.h"
#include "core/analysis/credit/cdg.h"

enum verdict {
	VERDICT_NO_HOSTS, /* of the scope none is there */
	VERDICT_FAULT,
	VERDICT_UNKNOWN,  /* no fault in the part that is known */
	VERDICT_CHANCE,	  /* no fault here; but OpenSM may leave hosts without a route */
	VERDICT_NO_PAIRS, /* of hosts */
	VERDICT_PART,	  /* no fault; but ports of the scope are not in the fabric */
	VERDICT_IN_SCOPE,
	VERDICT_APART, /* partitions keep hosts apart, in a scope or not */
	VERDICT_SOUND,
	VERDICTS
};
/* In a few words, for a title; as a sentence.  Static. */
extern const struct verdict_words {
	const char *brief, *sentence;
} verdict_words[VERDICTS];

struct soundness {
	struct check_result counts;
	struct causes *causes; /* owned */
	struct cdg *loops;     /* owned; on all VLs */
	uint64_t untold;       /* pairs of which it cannot be told whether they have a path */
	uint32_t cut_off;      /* endports */
	uint32_t gone;	       /* ports of the scope that are not in the fabric */
	bool strange;	       /* tables_strange() */
	bool by_chance;	       /* sound_next_by_chance() finds an endport */
	bool fault;	       /* of those ports, too */
	bool sound;	       /* no fault, and all could be judged */
	enum verdict verdict;
};

/*
 * Of a sweep with a routing. seen and to (causes.h) may be NULL.  0, then soundness_clear(); -1 and *e:
 * cancelled, or out of memory.
 */
int soundness_find(const struct sweep *w, struct soundness *x, const struct last_seen *seen,
		   const struct ways_listener *to, struct progress *p, struct err *e);
void soundness_clear(struct soundness *x);

/* The next endport that counts and that OpenSM may leave without a route; from *at = 0 on, NO_ID at the end.
 */
uint32_t sound_next_by_chance(const struct sweep *w, uint32_t *at);

#endif
