/*
 * How hop matrices are made and ports assigned: what the files of this folder share.
 *   hops.c         a matrix, its values and masks
 *   hops_search.c  the least costs of a topology, by search
 *   hops_rounds.c  the same round by round, as OpenSM 3.3.23 does it
 *   hops_build.c   the weights file, and which way is taken
 *   hops_update.c  after failures, from the matrix before
 *   assign.c         options and destinations; all switches
 *   assign_switch.c  one switch, LID by LID: how a port is chosen
 *   events.c         by which rule, and what is recorded
 *   sentences.c      how steps and choices are told
 *   show.c           tables of a step, schemes
 */
#ifndef IBSCOPE_COUNTED_INTERNAL_H
#define IBSCOPE_COUNTED_INTERNAL_H

#include "core/trace/recorder.h"
#include "engines/counted/assign.h"
#include "engines/counted/hops.h"
#include "engines/counted/order.h"
#include "engines/random.h"

/* Paths above this cost do not exist. */
#define MAX_COST 254

/* Weight of leaving through a port. */
static inline unsigned hops_weight(const struct hops *h, uint32_t port)
{
	return h->weight ? h->weight[port] : 1;
}

/* Neighbours of each switch, parallel cables once. */
struct neighbours {
	uint32_t *off; /* [n_switches + 1] */
	uint32_t *nbr; /* those of s: nbr[off[s]] .. nbr[off[s + 1] - 1] */
};

struct neighbours neighbours_new(const struct topo *t);
void neighbours_free(struct neighbours *g);

/*
 * Fill h->least, which holds no path yet: all weights 1, or h->weight.  false: cancelled.  progress may be
 * NULL.
 */
bool hops_search(const struct topo *t, struct hops *h, struct progress *progress);
bool hops_search_weighted(const struct topo *t, struct hops *h, struct progress *progress);

/*
 * The relaxation as OpenSM 3.3.23 does it, starting from what a refused engine left (in->left); fills
 * h->least, and h->by_port of a full matrix.  Records its rounds.  false: cancelled.
 */
bool hops_relax(const struct engine_input *in, struct hops *h);

#define ASSIGN_MAX_WORDS 4 /* of a mask: 255 ports */

/* A destination: an endport, ready for the loop over the LIDs. */
struct dest {
	uint32_t endport;
	uint32_t target; /* switch it hangs on, NO_ID = none */
	uint16_t lid, count;
	uint8_t swport; /* port at that switch */
	bool is_switch, scatter;
};

/* Remote node that some LIDs of a destination go through at the present switch. */
struct track {
	uint32_t node;
	uint32_t forwarded;
	uint8_t port; /* number of the remote port */
};

/* A candidate of one choice. */
struct cand {
	uint8_t port;
	bool sys_used, node_used;
	bool present; /* its track exists (DOR: always) */
	uint32_t count, forwarded;
};

struct assign {
	const struct engine_input *in;
	const struct topo *t;
	const struct fabric *f;
	const struct hops *h;
	struct routing *out;
	bool dor, shifting, profile_switches, plain;
	bool manual; /* several LIDs a port: by the words of OpenSM's manual */
	unsigned lmc;
	uint32_t n_other; /* choices of the program that the words of the manual do not allow */
	struct dest *dest;
	uint32_t n_dest;
	struct search_order search;
	uint8_t *ignored; /* [n_ports] or NULL */
	struct glibc_random random;
	struct track *track; /* [n_dest << lmc], lmc > 0 only */
	uint8_t *n_track;    /* [n_dest] */
	uint32_t *part; /* [n_switches] of a recorder: the same number where cables join, NULL = not known */
	uint64_t *mask; /* [n_switches * ASSIGN_MAX_WORDS] */

	/* the present switch */
	uint32_t sw, p0;
	uint8_t *row; /* [max_lid + 1] its new table, in `out` */
	unsigned num_ports, words;
	const struct lft_row *current;
	const uint8_t *order;  /* port search order, NULL = ascending */
	const uint8_t *ignore; /* [num_ports] or NULL */
	uint32_t count[256];
	struct cand cand[256];
	bool asked; /* somebody asks about entries of it */
};

/* What a choice was made of, beside the port. */
struct choice {
	uint8_t port;
	enum why_rule rule;   /* that which took it; WHY_UNTOLD: counts, WHY_NO_WAY: the matrix has none */
	unsigned n;	      /* candidates in a->cand, when looked at */
	uint32_t drawn, ties; /* random value, ports it was drawn for */
};

static inline bool mask_has(const uint64_t *mask, unsigned p)
{
	return mask[p / 64] >> (p & 63) & 1;
}

/* The entry of the switch's present table, NO_PATH when there is none to be looked at. */
static inline unsigned current_port(const struct lft_row *row, unsigned lid)
{
	return row && lid <= row->top ? row->port[lid] : NO_PATH;
}

/*
 * List the ports of a mask as a->cand, from port `start` on, in the order in which
 * they are looked at (engines/doc/minhop.md 6.1); returns how many.
 */
unsigned assign_list_candidates(struct assign *a, const uint64_t *mask, unsigned start);

/* The place of the candidate, of n, that port_shifting looks at first. */
unsigned assign_shift(const struct assign *a, unsigned n);

/* Make the table of a switch. */
void assign_switch(struct assign *a, uint32_t sw);

/* events.c */

/* Is a route by a port counted? */
static inline bool assign_counts(const struct assign *a, const struct dest *d, unsigned port)
{
	return port != NO_PATH && !(d->is_switch && !a->profile_switches) && !(a->ignore && a->ignore[port]);
}

/* Candidates of a plain choice are listed only where somebody listens. */
void assign_list(struct assign *a, const uint64_t *mask, struct choice *c);
/* A candidate by its port, NULL: it is none. */
const struct cand *assign_candidate(const struct assign *a, const struct choice *c, unsigned port);
/*
 * The rule that decided; via: against this port (0: all).  The candidates are listed; the route of the choice
 * is not counted yet.
 */
enum why_rule assign_rule(struct assign *a, const struct dest *d, const uint64_t *mask,
			  const struct choice *c, unsigned via);
/* The same by counts alone, whatever they began at. */
enum why_rule assign_by_count(const struct assign *a, const struct choice *c);
/* The candidate that would have had fewer LIDs than the port taken, or as few and come first, had counts
 * begun at 0; via: only this one is looked at (0: all).  NULL: none. */
const struct cand *assign_but_for_left(const struct assign *a, const struct choice *c, unsigned via);
/* For in->record, which must not be NULL: before the route of the choice is counted. */
void assign_record_start(const struct assign *a);
void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  struct choice *c);
void assign_record_switch(const struct assign *a);

/* sentences.c: tell of a choice, where somebody asks about it. */
void assign_tell_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			struct choice *c);

#endif
