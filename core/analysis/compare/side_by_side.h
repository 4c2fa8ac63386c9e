/*
 * Engines side by side.  Each routes the same fabric, as a subnet manager that has just started with this
 * engine alone.  The result is measured (figures.h).  The session is not touched.  Arguments are kept by
 * reference or copied, so another thread may do the work while the session changes.
 */
#ifndef IBSCOPE_SIDE_BY_SIDE_H
#define IBSCOPE_SIDE_BY_SIDE_H

#include "core/analysis/compare/figures.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/sm/sweep.h"

#define SIDES_MOST 16 /* in one request */

/* The engines and options to compare; immutable and shared. */
struct side_request {
	atomic_uint refs;
	const struct setup *setup;	  /* reference held; its chain is not looked at */
	const struct engine *const *list; /* of all engines (static) */
	const struct sweep *lids_of;	  /* reference held; ports carry its LIDs.  NULL = the source's */
	const struct engine *engine[SIDES_MOST];
	unsigned n;
};

/* Where the engines run; everything is borrowed. */
struct side_base {
	const struct setup *setup; /* its options count where no word sets one */
	const struct engine *const *list;
	const struct sweep *sweep; /* in force: ports carry its LIDs; NULL = none */
};

/*
 * Words are names of engines and OPTION=VALUE, in any order.  LIDs are those of a restart of the subnet
 * manager. NULL and *e: an unknown name, a bad value, or too many engines.
 */
struct side_request *side_request_new(const struct side_base *at, int argc, char **argv, struct err *e);
struct side_request *side_request_ref(const struct side_request *rq);
void side_request_unref(const struct side_request *rq);

/* Would both give the same? */
bool side_request_equal(const struct side_request *a, const struct side_request *b);

/* What is told of one engine. */
struct engine_figures {
	const struct side_request *request; /* reference held */
	const struct engine *engine;
	char *refused;		       /* the reason why it did not route; NULL: it did */
	char *notes;		       /* lines for the person, "" when none */
	const struct routing *routing; /* reference held; of the request's first engine only, else NULL */
	struct figures f;	       /* when it routed */
};

/* Route with engine i of the request.  A sweep without routing: it refuses.  NULL and *e as below. */
struct sweep *side_sweep(const struct side_request *rq, unsigned i, struct progress *p, struct err *e);

/*
 * Route with engine i of the request and measure. first: the result of engine 0; FIG_DIFFER compares with its
 * tables (NULL or refused: not measured; 0 for i = 0).  NULL and *e: cancelled, or the fabric or an option is
 * unusable.
 */
struct engine_figures *side_measure(const struct side_request *rq, unsigned i,
				    const struct engine_figures *first, struct progress *p, struct err *e);

/* An engine that could not be tried, shown like one that refused. */
struct engine_figures *engine_figures_refused(const struct side_request *rq, unsigned i, const char *why);
void engine_figures_free(struct engine_figures *f);

#endif
