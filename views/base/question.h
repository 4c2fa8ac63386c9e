/*
 * The questions of several panes.  Drift, doctor and advise ask about a setup, engines, and the present
 * routing; hotter, transition, outage and the map about what lies between two sweeps.
 */
#ifndef IBSCOPE_VIEWS_QUESTION_H
#define IBSCOPE_VIEWS_QUESTION_H

#include "core/analysis/blame/measured.h"
#include "core/session/args.h"
#include "views/base/view.h"

/* Immutable, and kept as the base of the result. */
struct sweep_question {
	const struct setup *setup; /* reference held */
	const struct engine *const *engines;
	const struct sweep *now;  /* reference held; NULL = nothing has been routed */
	char *chain;		  /* owned; NULL: no chain was named */
	char *configured;	  /* chain of the session; owned */
	struct measured *counted; /* what ports counted; owned; NULL: not asked about, or not known */
	uint64_t counts;	  /* of the session then */
};

/* Makes a question about the scene, which must have a fabric. */
struct sweep_question *sweep_question_new(const struct scene *sc);
void sweep_question_free(struct sweep_question *q); /* NULL is fine */

/* The kind of these questions, for result_keep() and view_ask_about(). */
extern const struct task task_sweep_question;

/* From one sweep to another: immutable as well. */
struct between_question {
	const struct sweep *a, *b;     /* references held */
	const struct routing *ra, *rb; /* references held; in them the presently counted hosts count */
	uint64_t lost;		       /* pairs that the event of b lost; OUTAGE_NO_AFTER */
	const struct setup *ahead;     /* reference held: b (NULL) is what would be of it; else NULL */
	const struct engine *const *engines;
};

/* From a snapshot, or (NULL) else from the event before, to now. NULL and *why (static). */
struct between_question *between_question_new(const struct view *v, const char *snapshot, const char **why);
/* From now to what a setup would make, which is taken over. */
struct between_question *between_question_ahead(const struct scene *sc, const struct setup *ahead);
extern const struct task task_between_question;
/* For open(): is the snapshot there that the pane is asked about, if it is? */
int between_question_open(struct view *v, const struct args *a, struct err *e);

#endif
