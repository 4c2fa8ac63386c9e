/*
 * A routing in figures: the length of its paths, how evenly they use the links, and over how many links the
 * LIDs of a host port spread.  It looks only at tables and knows no engine.
 *
 * Hosts are CA and router ports that are up.  A path leads from one to a LID of another.  Paths that do not
 * arrive count as unreachable and for nothing else.
 */
#ifndef IBSCOPE_FIGURES_H
#define IBSCOPE_FIGURES_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/routing/routing.h"
#include "core/sm/sweep.h"

enum figure {
	FIG_UNREACHABLE, /* paths between hosts that do not arrive */
	FIG_HOPS_MEAN,	 /* links of a path, those of both hosts included */
	FIG_HOPS_MOST,
	FIG_ELEMENTS_MEAN, /* switch elements (elements.h) on a path, first and last included */
	FIG_ELEMENTS_MOST,
	FIG_LOAD_LEAST, /* routes from all hosts to all LIDs of all others that leave by a port between
			   switches */
	FIG_LOAD_MEAN,
	FIG_LOAD_MOST,
	/* Routes from all hosts to the base LIDs of all others over a cable between switches, both ways
	   together. */
	FIG_EDGE_MOST,
	FIG_EDGE_MEAN,
	FIG_BOUND, /* lower bound: every routing has at least this FIG_EDGE_MOST (plan.h), unless it leaves
		    * pairs without a path
		    */
	FIG_USAGE_MOST, /* LIDs that leave by a port between switches */
	/* Ports by which an edge switch sends to the LIDs of a host port on another switch. */
	FIG_FIRST_MEAN,
	FIG_FIRST_LEAST,
	/* Ports between switches, each direction counted, on all the paths from there. */
	FIG_LINKS_MEAN,
	FIG_LINKS_LEAST,
	FIG_SLS,    /* number of service levels of the paths between LIDs of hosts that arrive */
	FIG_VLS,    /* layers that the engine needs, with or without qos; 1 for an engine without layers */
	FIG_LOOPS,  /* groups of credit loops on all VLs */
	FIG_DIFFER, /* LFT entries that differ from those of another routing */
	FIGURES
};

#define FIGURE_UNKNOWN (-1.0)

struct figures {
	double v[FIGURES]; /* FIGURE_UNKNOWN where it was not measured */
	uint32_t sls;	   /* bit l: service level l */
};

/* The description of each figure, whose `column` people read.  The last key is NULL. */
extern const struct field figure_fields[FIGURES + 1];

/* "3.500"; "-" when unknown, "0-1,3" for service levels. */
const char *figure_text(const struct figures *f, enum figure which, char *buf, size_t size);

/* The order of two routings by a figure as displayed: -1 when a is less, 0, or 1. */
int figure_order(const struct figures *a, const struct figures *b, enum figure which);

/*
 * Computes the figures that need only tables: paths, links and usage. el: the elements of the routing's
 * fabric under the same failures; NULL = paths are not measured in elements.  Cost: edge switches times LIDs
 * of hosts times links of a path.  0; -1 when cancelled.
 */
int figures_of_tables(const struct routing *r, const struct elements *el, struct figures *f,
		      struct progress *p);

/*
 * Engines side by side.  Each routes the same fabric, as a subnet manager that has just started with this
 * engine alone.  The result is measured (figures.h).  The session stays unchanged.  Arguments are kept by
 * reference or copied, so another thread may do the work while the session changes.
 */

#define SIDES_MOST 16 /* in one request */

/* The engines and options to compare; immutable and shared. */
struct side_request {
	atomic_uint refs;
	const struct setup *setup;	  /* reference held; its chain is ignored */
	const struct engine *const *list; /* of all engines (static) */
	const struct sweep *lids_of;	  /* reference held; ports carry its LIDs.  NULL = the source's */
	const struct engine *engine[SIDES_MOST];
	unsigned n;
};

/* The place where the engines run; everything is borrowed. */
struct side_base {
	const struct setup *setup; /* its options count where the words set none */
	const struct engine *const *list;
	const struct sweep *sweep; /* in force: ports carry its LIDs; NULL = none */
};

/*
 * Reads words: names of engines and OPTION=VALUE, in any order.  LIDs are those after a restart of the subnet
 * manager.  Returns NULL and *e for an unknown name, a bad value, or too many engines.
 */
struct side_request *side_request_new(const struct side_base *at, int argc, char **argv, struct err *e);
struct side_request *side_request_ref(const struct side_request *rq);
void side_request_unref(const struct side_request *rq);

/* Would both give the same result? */
bool side_request_equal(const struct side_request *a, const struct side_request *b);

/* The results for one engine. */
struct engine_figures {
	const struct side_request *request; /* reference held */
	const struct engine *engine;
	char *refused;		       /* the reason why it did not route, NULL when it did */
	char *notes;		       /* lines for the person, "" when none */
	const struct routing *routing; /* reference held; of the request's first engine only, else NULL */
	struct figures f;	       /* when it routed */
};

/* Routes with engine i of the request.  The sweep has no routing when the engine refuses.  NULL and *e as
 * below. */
struct sweep *side_sweep(const struct side_request *rq, unsigned i, struct progress *p, struct err *e);

/*
 * Routes with engine i of the request and measures the result. first: the result of engine 0; FIG_DIFFER
 * compares with its tables (NULL or refused: not measured; 0 for i = 0).  NULL and *e: cancelled, or the
 * fabric or an option is unusable.
 */
struct engine_figures *side_measure(const struct side_request *rq, unsigned i,
				    const struct engine_figures *first, struct progress *p, struct err *e);

/* Makes the result for an engine that could not be tried, displayed like one that refused. */
struct engine_figures *engine_figures_refused(const struct side_request *rq, unsigned i, const char *why);
void engine_figures_free(struct engine_figures *f);

#endif
