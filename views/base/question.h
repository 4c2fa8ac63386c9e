/* What drift, doctor and advise are asked about: a setup, engines, what is routed now. */
#ifndef IBSCOPE_VIEWS_QUESTION_H
#define IBSCOPE_VIEWS_QUESTION_H

#include "views/base/view.h"

/* Immutable once asked, kept as the base of the result. */
struct sweep_question {
	const struct setup *setup; /* reference held */
	const struct engine *const *engines;
	const struct sweep *now; /* reference held; NULL = nothing is routed */
	char *chain;		 /* owned; NULL: none was named */
	char *configured;	 /* as in the session; owned */
};

/* About what the scene shows, which must have a fabric. */
struct sweep_question *sweep_question_new(const struct scene *sc);
void sweep_question_free(struct sweep_question *q); /* NULL is fine */

/* The kind of such questions, for result_keep() and view_ask_about(). */
extern const struct task task_sweep_question;

#endif
