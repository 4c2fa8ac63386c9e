/*
 * Engines side by side: each routes the same fabric as a subnet manager that has
 * just started with it alone, and what comes out is measured (figures.h).  A
 * session is not touched; what is given is kept by reference or copied, so that
 * the work may go on in another thread while the session changes.
 */
#ifndef IBSCOPE_SIDE_BY_SIDE_H
#define IBSCOPE_SIDE_BY_SIDE_H

#include "core/analysis/compare/figures.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/sm/sweep.h"

#define SIDES_MOST 16 /* in one request */

/* What is to be compared; immutable and shared. */
struct side_request {
	atomic_uint refs;
	const struct setup *setup;	  /* reference held; its chain is not looked at */
	const struct engine *const *list; /* of all engines (static) */
	const struct sweep *lids_of;	  /* reference held; its LIDs are kept.  NULL = assigned anew */
	const struct engine *engine[SIDES_MOST];
	unsigned n;
};

/* Where the engines run; everything is borrowed. */
struct side_base {
	const struct setup *setup; /* its options are those that no word sets */
	const struct engine *const *list;
	const struct sweep *sweep; /* in force: ports carry its LIDs; NULL = none */
};

/*
 * Words are engines' names and OPTION=VALUE, in any order.  LIDs are kept unless an
 * option about them changes.  NULL and *e: an unknown name, a bad value, too many engines.
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
	char *refused;		       /* why it did not route; NULL: it did */
	char *notes;		       /* lines for the person, "" when none */
	const struct routing *routing; /* reference held; of the request's first engine only, else NULL */
	struct figures f;	       /* when it routed */
};

/*
 * Route with engine i of the request and measure.  first: what came out for engine
 * 0, whose tables FIG_DIFFER is about (NULL, or refused: not measured; 0 for i = 0).
 * NULL and *e when cancelled or when the fabric or an option is unusable.
 */
struct engine_figures *side_measure(const struct side_request *rq, unsigned i,
				    const struct engine_figures *first, struct progress *p, struct err *e);

/* An engine that could not be tried, for those who show it like one that refused. */
struct engine_figures *engine_figures_refused(const struct side_request *rq, unsigned i, const char *why);
void engine_figures_free(struct engine_figures *f);

#endif
