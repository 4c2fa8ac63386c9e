/*
 * How hop matrices are made and ports assigned: what the files of this folder share.
 *   hops.c         a matrix, its values and masks
 *   hops_search.c  the least costs of a topology, by search
 *   hops_rounds.c  the same round by round, as OpenSM 3.3.23 does it
 *   hops_build.c   the weights file, and which way is taken
 *   hops_update.c  after failures, from the matrix before
 *   assign.c         options and destinations; all switches
 *   assign_switch.c  one switch, LID by LID: how a port is chosen
 *   assign_plain.c   the same where counts alone decide
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

/* Paths of higher cost do not exist. */
#define MAX_COST 254

/* The weight of leaving through a port. */
static inline unsigned hops_weight(const struct hops *h, uint32_t port)
{
	return h->weight ? h->weight[port] : 1;
}

/* The neighbours of each switch; parallel cables count once. */
struct neighbours {
	uint32_t *off; /* [n_switches + 1] */
	uint32_t *nbr; /* neighbours of s: nbr[off[s]] to nbr[off[s + 1] - 1] */
};

struct neighbours neighbours_new(const struct topo *t);
void neighbours_free(struct neighbours *g);

/*
 * Fills h->least, which must hold no path yet. All weights are 1, or h->weight. False when cancelled.
 * progress may be NULL.
 */
bool hops_search(const struct topo *t, struct hops *h, struct progress *progress);
bool hops_search_weighted(const struct topo *t, struct hops *h, struct progress *progress);

/*
 * The relaxation as OpenSM 3.3.23 does it, starting from what a refused engine left (in->left). Fills
 * h->least, and h->by_port of a full matrix. Records its rounds. False when cancelled.
 */
bool hops_relax(const struct engine_input *in, struct hops *h);

#define ASSIGN_MAX_WORDS 4 /* of a mask, for 255 ports */

/* A destination endport, prepared for the loop over LIDs. */
struct dest {
	uint32_t endport;
	uint32_t target; /* its switch, NO_ID = none */
	uint16_t lid, count;
	uint8_t swport; /* port of that switch */
	bool is_switch, scatter;
};

/* A remote node through which LIDs of a destination go at the current switch. */
struct track {
	uint32_t node;
	uint32_t forwarded;
	uint8_t port; /* number of the remote port */
};

/* One candidate of a choice. */
struct cand {
	uint8_t port;
	bool sys_used, node_used;
	bool present; /* its track exists (DOR: always) */
	uint32_t count, forwarded;
};

/* Destinations in a row of one switch. */
struct counted_run {
	uint32_t first, n; /* dest[first] to dest[first + n - 1] */
	uint32_t target;   /* NO_ID = none */
	bool counts;	   /* routes to them count */
};

/* Parts of the destinations, of about the same size: counts are kept before each. */
#define PARTS 8

/* What a row keeps: who changes a few entries need not count the routes from the first on. */
struct part_counts {
	uint64_t dealt;	  /* assign.dealt they belong to */
	unsigned ports;	  /* 0 to ports - 1 */
	uint16_t count[]; /* [PARTS - 1][ports] routes by port before part 1, 2 ... */
};

/* Candidates in the order in which they are considered, and those of the least count. */
struct queue {
	const uint64_t *mask; /* of the candidates; NULL = none yet */
	unsigned n_cand, n, at;
	uint32_t level; /* count of port[at] to port[n - 1]; those before have one more */
	uint32_t above; /* the least count of the other candidates */
	bool stale;	/* counts changed otherwise */
	uint8_t cand[256], port[256];
};

struct assign {
	const struct engine_input *in;
	const struct topo *t;
	const struct fabric *f;
	const struct hops *h;
	struct routing *out;
	bool dor, shifting, profile_switches, plain;
	bool manual; /* several LIDs per port: follow the words of OpenSM's manual */
	unsigned lmc;
	uint32_t n_other; /* choices of the program that the manual does not allow */
	struct dest *dest;
	uint32_t n_dest;
	uint16_t *lid; /* [n_dest] base LIDs of dest */
	struct counted_run *run;
	uint32_t n_runs;
	struct search_order search;
	uint8_t *ignored; /* [n_ports] or NULL */
	struct glibc_random random;
	struct track *track; /* [n_dest << lmc], lmc > 0 only */
	uint8_t *n_track;    /* [n_dest] */
	uint32_t *part;	     /* [n_switches] for a recorder: number of the connected part; NULL = not known */
	uint64_t *mask;	     /* [n_switches * ASSIGN_MAX_WORDS] */
	const uint8_t *farther; /* all other LIDs keep the entries of `current`; NULL: any may change */
	uint32_t *far, n_far;	/* runs of these targets, with `farther` */
	uint16_t *gone;		/* LIDs that nobody holds any more, but `current` has entries for */
	uint32_t n_gone;
	uint32_t part_run[PARTS + 1]; /* the first run of each part */
	uint64_t dealt; /* tells other destinations, orders and ports that count apart; 0: counts are not kept
			 */

	/* the current switch */
	uint32_t sw, p0;
	uint8_t *row; /* [max_lid + 1] its new table, a row of `out` */
	unsigned num_ports, words;
	const struct lft_row *current;
	const uint8_t *order;  /* port search order, NULL = ascending */
	const uint8_t *ignore; /* [num_ports] or NULL */
	uint32_t count[256];
	struct cand cand[256];
	struct queue queue; /* assign_plain.c */
	bool asked;	    /* somebody asks about its entries */
};

/* A choice: the port, and how it was chosen. */
struct choice {
	uint8_t port;
	enum why_rule rule;   /* that took it; WHY_UNTOLD: counts, WHY_NO_WAY: no way in the matrix */
	unsigned n;	      /* candidates in a->cand, if examined */
	uint32_t drawn, ties; /* the random number, and how many ports it chose from */
};

static inline bool mask_has(const uint64_t *mask, unsigned p)
{
	return mask[p / 64] >> (p & 63) & 1;
}

/* The entry of the switch's present table, NO_PATH when there is none to consider. */
static inline unsigned current_port(const struct lft_row *row, unsigned lid)
{
	return row && lid <= row->top ? row->port[lid] : NO_PATH;
}

/*
 * Lists the ports of a mask in a->cand, from port `start` on, in the order in which they are considered
 * (engines/doc/minhop.md 6.1). Returns their number.
 */
unsigned assign_list_candidates(struct assign *a, const uint64_t *mask, unsigned start);

/* The index of the candidate (of n) that port_shifting considers first. */
unsigned assign_shift(const struct assign *a, unsigned n);

/* Makes the table of a switch. */
void assign_switch(struct assign *a, uint32_t sw);
/* The same for a->plain when nobody asks or records; masks are there, the row holds no path. */
void assign_plain(struct assign *a);
/* The same with a->farther, from the row of `current`. */
void assign_repair(struct assign *a);
/* The row of `current`, but for a->gone. */
void assign_keep_row(struct assign *a, uint32_t sw);

/* events.c */

/* Does a route by this port count? */
static inline bool assign_counts(const struct assign *a, const struct dest *d, unsigned port)
{
	return port != NO_PATH && !(d->is_switch && !a->profile_switches) && !(a->ignore && a->ignore[port]);
}

/* Lists the candidates of a plain choice, which are needed only if somebody asks or records. */
void assign_list(struct assign *a, const uint64_t *mask, struct choice *c);
/* The candidate with a port, or NULL. */
const struct cand *assign_candidate(const struct assign *a, const struct choice *c, unsigned port);
/*
 * The rule that decided; with `via`, against this port (0: all). The candidates must be listed, and the route
 * of the choice not counted yet.
 */
enum why_rule assign_rule(struct assign *a, const struct dest *d, const uint64_t *mask,
			  const struct choice *c, unsigned via);
/* The rule by counts alone, whatever they started from. */
enum why_rule assign_by_count(const struct assign *a, const struct choice *c);
/*
 * The candidate that would win if counts had started from 0 (fewer LIDs than the chosen port, or as many and
 * earlier), or NULL. via: consider only this port (0: all).
 */
const struct cand *assign_but_for_left(const struct assign *a, const struct choice *c, unsigned via);
/* Recording; in->record must not be NULL. A choice is recorded before its route is counted. */
void assign_record_start(const struct assign *a);
void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  struct choice *c);
void assign_record_switch(const struct assign *a);

/* sentences.c: tells a choice to those who ask about it. */
void assign_tell_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			struct choice *c);

#endif
