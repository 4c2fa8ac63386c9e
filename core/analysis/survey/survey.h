/*
 * Each single failure of a kind, or pairs of failures.  A row tells the state after the subnet manager's next
 * sweep: lost routes of hosts, the engine in force, the load of hot links, new credit loops.
 */
#ifndef IBSCOPE_SURVEY_H
#define IBSCOPE_SURVEY_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/chassis.h"
#include "core/sm/sweep.h"

/* The effect of one failure.  Pairs: (source host, LID of another host) that count. */
struct survey_row {
	uint32_t index;	  /* place in the list of all failures of the survey, from 0 */
	uint32_t part[2]; /* what fails; the second NO_ID: nothing else */
	/* Pairs that had a path before and have none after the sweep: lost = cut_off + between_survivors. */
	uint64_t lost;
	uint64_t cut_off;	    /* an end is gone, or not in the subnet manager's part any more */
	uint64_t between_survivors; /* both ends are in its part: a fault of the routing */
	uint64_t outside; /* of cut_off: both ends in one part that the subnet manager does not reach; they
			     keep their old tables */
	uint64_t outage;  /* pairs cut until the next sweep (outage.h) */
	uint64_t beyond;  /* of lost: lost by neither of the two failures alone */
	uint64_t rerouted, longer; /* pairs with another path; of these, with a longer one */
	uint64_t entries;	   /* changed ones, as in struct comparison */
	uint32_t hosts_gone; /* hosts that count, are still up, and have left the subnet manager's part */
	uint32_t load_after; /* most routes out of a port between switches ("all", loads.h) */
	uint32_t load_port;  /* the first such port, NO_ID: no link is left */
	uint32_t longest;    /* of a plan: links of the longest path */
	uint32_t new_loops;  /* groups of credit loops that touch a VL which had none */
	const char *engine;  /* in force then; static; NULL: none routes it. All figures are 0 then, except
				pairs that are cut off because nothing is up */
	bool fallback;	     /* another than before, or none */
};

struct survey {
	const struct sweep *before; /* reference held */
	const struct parts *parts;  /* owned: what fails */
	bool plan;		    /* these were given */
	bool pairs, sampled;	    /* of two at once; a sample of all there are */
	uint32_t n_all;		    /* failures of the whole survey; rows of one share may be fewer */
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
	 * What fails, taken over; rows stay in this order.  Behind the first n_alone come as many less one
	 * that follow one on the other, each with a sweep, and then one at once.  NULL: all of the kind.
	 */
	struct parts *plan;
	uint32_t n_alone;
	uint32_t pairs;	 /* that many pairs, drawn without repetition; 0: every one alone */
	uint32_t sample; /* at most that many, drawn without repetition, where pairs is 0; 0: every one */
	uint64_t seed;	 /* of the draw */
	unsigned shard, shards; /* rows whose index modulo `shards` is shard - 1; 0: all */
	bool by_outage;		/* rows in order of that, the most first; not among shares */
	unsigned threads;	/* 0: all cores; the result does not depend on it */
	bool whole;		/* compute each row from nothing (for tests): the same, but slow */
};

/* NULL and *e: cancelled, an option is unusable, or there is nothing of that kind. */
struct survey *survey_run(const struct survey_request *rq, struct progress *p, struct err *e);
void survey_free(struct survey *s);

/*
 * Is a row bad? It is when nothing routes it, when hosts in the subnet manager's part lose their path to each
 * other, when there are new credit loops, or when two failures cost pairs that neither of them costs alone.
 * Hosts cut off by what failed do not make it bad: hosts_gone counts them.
 */
bool survey_bad(const struct survey_row *r);

/* Order of rows: the worst first. */
int survey_order(const struct survey_row *a, const struct survey_row *b);

/* "leaf-01[5] spine-01[1]", of two "A + B"; part[1] NO_ID: of one.  The caller frees. */
char *survey_what(const struct parts *p, const uint32_t part[2]);

/* A command that makes the failure: "fail link ..."; the caller frees it. */
char *survey_command(const struct parts *p, const uint32_t part[2]);

/*
 * The 95 % interval of a share of `hits` of n drawn (E. B. Wilson, Probable inference, the law of
 * succession, and statistical inference, Journal of the American Statistical Association 22, 1927).
 */
void wilson_interval(uint64_t hits, uint64_t n, double *low, double *high);

/* --- what fails (random.c) -------------------------------------------------------------------- */

/*
 * A random sample of indices of pairs below n: at most `want` unordered pairs (i < j), in the order drawn.
 * If there are no more than `want`: all of them, in order.  Returns their number; *out has two indices a
 * pair; the caller frees it.
 */
uint32_t survey_draw(uint32_t n, uint32_t want, uint64_t seed, uint32_t **out, bool *sampled);

#endif
