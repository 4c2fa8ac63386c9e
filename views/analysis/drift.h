/*
 * What the switches hold against the engines, computed by another thread; the panes drift and entries and a
 * proposal ask for it.
 */
#ifndef IBSCOPE_VIEWS_DRIFT_H
#define IBSCOPE_VIEWS_DRIFT_H

#include "core/analysis/compare/causes.h"
#include "views/base/view.h"

struct drift_answer {
	struct drift *d;
	struct drift_ranking *ranking; /* NULL: one engine was asked for */
	struct causes *causes;
};

extern const struct task task_drift; /* struct drift_answer; its base is a struct sweep_question */

/* --- what both panes do ------------------------------------------------------------------------------ */

#define DRIFT_SYNTAX "[ENGINE[,ENGINE...]] [OPTION=VALUE]..."

/* The beginning of their priv. */
struct drift_view {
	uint32_t cause;		     /* asked for, from 1; 0: all; it stays */
	const struct result *answer; /* borrowed; NULL = missing */
	struct err why;		     /* why there is no question */
};

int drift_open(struct view *v, const struct args *a, struct err *e);
void drift_load(struct view *v);
const struct drift_answer *drift_shown(const struct view *v); /* NULL: none yet */
void drift_title(const struct view *v, struct text *t);	      /* entries by class */
void drift_footer(const struct view *v, struct text *t);

#endif
