/* The questions of drift, doctor and advise: a setup, engines, and the present routing. */
#ifndef IBSCOPE_VIEWS_QUESTION_H
#define IBSCOPE_VIEWS_QUESTION_H

#include "views/base/view.h"

/* Immutable, and kept as the base of the result. */
struct sweep_question {
	const struct setup *setup; /* reference held */
	const struct engine *const *engines;
	const struct sweep *now; /* reference held; NULL = nothing has been routed */
	char *chain;		 /* owned; NULL: no chain was named */
	char *configured;	 /* chain of the session; owned */
};

/* Makes a question about the scene, which must have a fabric. */
struct sweep_question *sweep_question_new(const struct scene *sc);
void sweep_question_free(struct sweep_question *q); /* NULL is fine */

/* The kind of these questions, for result_keep() and view_ask_about(). */
extern const struct task task_sweep_question;

#endif
