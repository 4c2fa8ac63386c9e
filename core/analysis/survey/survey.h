/*
 * Each single failure of a kind, or pairs of failures.  A row describes the state after the subnet manager's
 * next sweep: lost routes of hosts, the engine in force, the load of hot links, new credit loops.
 */
#ifndef IBSCOPE_SURVEY_H
#define IBSCOPE_SURVEY_H

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/routing/paths.h"
#include "core/sm/sweep.h"

/* The effect of one failure.  Pairs: (source host, LID of another host) that count. */
struct survey_row {
	uint32_t index;	  /* place in the list of all the survey's failures, from 0 */
	uint32_t part[2]; /* what fails; the second is NO_ID when nothing else fails */
	/* Pairs that had a path before and have none after the sweep: lost = cut_off + between_survivors. */
	uint64_t lost;
	uint64_t cut_off;	    /* an end is gone, or no longer in the subnet manager's part */
	uint64_t between_survivors; /* both ends are in its part: a fault of the routing */
	uint64_t outside; /* of cut_off: both ends are in one part that the subnet manager does not reach;
			     they keep their old tables */
	uint64_t outage;  /* pairs cut until the next sweep (outage.h) */
	uint64_t beyond;  /* of lost: pairs that neither of the two failures alone loses */
	uint64_t rerouted, longer; /* pairs with another path, and how many of these have a longer one */
	uint64_t entries;	   /* changed entries, as in struct comparison */
	uint32_t hosts_gone; /* hosts that count, are still up, and have left the subnet manager's part */
	uint32_t load_after; /* most routes out of a port between switches ("all", loads.h) */
	uint32_t load_port;  /* the first such port, NO_ID: no link is left */
	uint32_t longest;    /* for a plan: links of the longest path */
	uint32_t new_loops;  /* groups of credit loops that touch a VL which had none */
	const char *engine;  /* engine in force then; static; NULL: none routes it.  All figures are 0 then,
				except pairs that are cut off because nothing is up */
	bool fallback;	     /* another engine than before, or none */
};

struct survey {
	const struct sweep *before; /* reference held */
	const struct parts *parts;  /* owned: what fails */
	bool plan;		    /* the parts were given */
	bool pairs, sampled;	    /* two at once; only a sample of all pairs */
	uint32_t n_all;		    /* failures in the whole survey; one share may have fewer rows */
	uint32_t load_before;	    /* most routes out of a port between switches */
	struct survey_row *row;	    /* [n] the worst first */
	uint32_t n;
};

#define SURVEY_MOST_SHARES 100000
#define SURVEY_MOST_PAIRS 10000000
#define SURVEY_MOST_THREADS 256

struct survey_request {
	const struct sweep *before; /* has tables */
	const struct engine *const *engines;
	enum part_kind kind;
	/*
	 * What fails, taken over; rows stay in this order.  The first n_alone parts fail alone; the next
	 * n_alone - 1 are those that follow one another, each with a sweep; the last is all at once.  NULL:
	 * all of the kind.
	 */
	struct parts *plan;
	uint32_t n_alone;
	uint32_t pairs;	 /* the number of pairs to draw, without repetition; 0: every part alone */
	uint32_t sample; /* the most parts to draw, without repetition, where pairs is 0; 0: every part */
	uint64_t seed;	 /* of the draw */
	unsigned shard, shards; /* rows whose index modulo `shards` is shard - 1; 0: all */
	bool by_outage;		/* sort rows by outage, most first; not for shares */
	unsigned threads;	/* 0: all cores; the result does not depend on it */
	/* Takes over surveys of the rows that are done so far, worst first, each with more of them; any
	 * thread calls it.  NULL: nobody waits. */
	void (*ready)(void *so_far);
	bool whole; /* compute each row from scratch (for tests): same result, but slow */
};

/* Returns NULL and *e when cancelled, when an option is unusable, or when there is nothing of that kind. */
struct survey *survey_run(const struct survey_request *rq, struct progress *p, struct err *e);

/*
 * Is a row bad?  It is bad when nothing routes it, when hosts in the subnet manager's part lose their path to
 * each other, when there are new credit loops, or when two failures cost pairs that neither of them costs
 * alone.  Hosts cut off by what failed do not make it bad: hosts_gone counts them.
 */
bool survey_bad(const struct survey_row *r);

/* The order of rows, worst first. */
int survey_order(const struct survey_row *a, const struct survey_row *b);

/* "leaf-01[5] spine-01[1]", for two parts "A + B"; part[1] NO_ID: one part.  The caller frees it. */
char *survey_what(const struct parts *p, const uint32_t part[2]);

/* A command that makes the failure: "fail link ..."; the caller frees it. */
char *survey_command(const struct parts *p, const uint32_t part[2]);

/*
 * The 95 % confidence interval of a share of `hits` in a sample of n (E. B. Wilson, Probable inference, the
 * law of succession, and statistical inference, Journal of the American Statistical Association 22, 1927).
 */
void wilson_interval(uint64_t hits, uint64_t n, double *low, double *high);

/* --- what fails (survey.c) -------------------------------------------------------------------- */

/*
 * Draws a random sample of pairs of indices below n: at most `want` unordered pairs (i < j), in the order
 * drawn.  If there are no more than `want`: all of them, in order.  Returns their number; *out has two
 * indices a pair; the caller frees it.
 */
uint32_t survey_draw(uint32_t n, uint32_t want, uint64_t seed, uint32_t **out, bool *sampled);

/* Shared by survey.c and effect.c, which computes what a failure does to pairs, loads and loops. */

/* Facts about the tables before.  All workers share them; they never change. */
struct effect_base;
/* The data that each worker owns. */
struct effect_work;

/* NULL and *e: cancelled, or no memory. */
struct effect_base *effect_base_new(const struct sweep *before, bool whole, unsigned workers,
				    struct progress *p, struct err *e);

struct effect_work *effect_work_new(void *arena, const struct effect_base *b);

/*
 * Fills in everything in a row that follows from tables: pairs, entries, loads, loops.  `after` has tables.
 * -1 and *e: cancelled, or no memory.
 *
 * Unchanged parts are not examined again.  A pair's path can change only if an entry for its LID changed, if
 * a cable that such an entry names went down, or if one of its ends went away.  Loads and channel
 * dependencies are sums over LIDs.  All old dependencies follow an order of channels.  If each new one
 * follows it too, or if another such order is found, there is no cycle.
 */
int effect_of(struct effect_work *w, const struct sweep *after, struct survey_row *row, struct progress *p,
	      struct err *e);

/* Shared by effect.c and survey.c: the tables before a failure, and a worker's data. */

#define HOPS_MOST 256 /* as in loads.c: longer paths are not added up */

struct effect_base {
	const struct sweep *sweep;     /* reference held */
	const struct routing *routing; /* of it */
	bool by_difference;	       /* pairs and loads */
	bool plain_vls;		       /* all routes are on VL 0 */
	uint16_t looped;	       /* bit v: VL v has credit loops */
	uint32_t load_max;	       /* most routes out of a port between switches */
	uint32_t *hosts;	       /* [n_switches] hosts that count on each */
	uint32_t *channel;	       /* [n_channels] ports between switches, ascending */
	uint32_t n_channels;
	uint32_t *load; /* [n_ports] routes, as loads_new(&pattern_all); of ports between switches only */
	/*
	 * dep[dep_at[p] + q] counts the LIDs whose routes come by the channel of port id p, then leave that
	 * switch by port q.  dep_at NO_ID: not a channel.
	 */
	size_t *dep_at, n_deps;
	uint32_t *dep;
	uint8_t *table;	 /* [(max_lid + 1) * n_switches] entries by LID; NULL: too many, they are read row by
			    row */
	uint32_t *place; /* [n_ports] place in an order that all dependencies follow; NULL: there is none */
	/* For survey.c; all NULL when there is no table[]. */
	uint16_t *flow; /* [(max_lid + 1) * n_switches] hosts whose way to the LID leads through the switch */
	uint8_t *hops;	/* [(max_lid + 1) * n_switches] links from the switch to the LID */
	uint8_t *plain; /* [max_lid + 1] all switches with hosts have a way of less than HOPS_PLAIN links */
};

#define NO_SLOT SIZE_MAX
#define HOPS_PLAIN UINT8_MAX
#define TABLE_MOST ((size_t)256 << 20) /* bytes of effect_base.table */

/* A switch whose entry for a LID changed, or whose entry names a cable that went down. */
struct move {
	uint32_t sw, next; /* the next move of the same LID; NO_ID */
};

/* What changed, as lists by LID. */
struct moves {
	void *arena;
	struct move *move;
	size_t n, cap, most; /* moves beyond `most` are dropped */
	bool too_many;
	uint32_t *first;  /* [MAX_LID + 1] the first move of a LID; NO_ID */
	uint8_t *moved;	  /* [n_switches] 1: the switch is among the moves of the LID at hand */
	uint32_t *own;	  /* [n_switches] for these switches: hosts whose way is unchanged up to here */
	uint32_t *path;	  /* [n_switches] ports (ids) of a new way */
	bool order_holds; /* each new dependency follows the order of the old dependencies */
};

/* One destination LID at a time: scratch of walks along a column. */
struct effect_column {
	uint8_t *port;	 /* [n_switches] entries */
	uint16_t *hops;	 /* [n_switches] */
	uint32_t *order; /* [n_order] switches with a way, the nearest first */
	uint32_t n_order;
	bool too_long; /* some way has HOPS_MOST links or more */
};

struct effect_work {
	const struct effect_base *base;
	uint32_t *load, *dep; /* as in the base, plus what changed; restored after each failure */
	uint32_t *touched_load;
	size_t *touched_dep;
	size_t n_load, cap_load, n_dep, cap_dep;
	struct effect_column was, is;
	uint32_t *work, *flow;
	uint8_t *changed, *marked;
	uint32_t *row; /* [n_rows] switches whose rows differ from those before */
	uint32_t n_rows;
	uint32_t *stayed, *left;   /* [n_switches] hosts that count both before and after, only before */
	uint32_t *working;	   /* [n_switches] hosts that left although their nodes are not down */
	uint32_t *grave, n_graves; /* switches with hosts that left */
	uint32_t *part;		   /* [n_switches] part of a switch that the SM does not reach; NO_ID */
	struct moves moves;
};

/* Remembers each change of a sum, so that it can be undone after the failure. */
static inline void note_load(struct effect_work *w, uint32_t at)
{
	ARENA_GROW(w, w->touched_load, w->n_load, w->cap_load);
	w->touched_load[w->n_load++] = at;
}

/* --- survey.c ------------------------------------------------------------------------------------ */

void moves_init(void *arena, struct moves *m, const struct effect_base *b);
void moves_clear(struct moves *m);
/* Call it once for each switch and LID. */
void moves_add(struct moves *m, uint32_t sw, unsigned lid);

/*
 * Subtracts the old ways to a LID of dst that changed, and those of hosts that left, from the sums, and adds
 * the new ones: pairs in *row; loads, where they count (base_lid), in w->load.  Dependencies are only
 * compared with the order of the old ones (moves.order_holds).  Returns false, with nothing changed, when dst
 * left or the moves are not sufficient.
 */
bool moves_apply(struct effect_work *w, const struct routing *is, unsigned lid, uint32_t dst, bool base_lid,
		 struct survey_row *row);

#endif
