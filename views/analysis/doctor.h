/*
 * The findings of doctor, computed by another thread. The pane and a line of the first screen ask for the
 * same result.
 */
#ifndef IBSCOPE_ANALYSIS_DOCTOR_H
#define IBSCOPE_ANALYSIS_DOCTOR_H

#include "core/analysis/compare/causes.h"
#include "core/analysis/doctor/doctor.h"
#include "views/base/view.h"

extern const struct task task_doctor; /* struct diagnosis */

/*
 * The question about the scene, which is the base of the ask; borrowed from the scene. It stays the same
 * while it would ask the same. NULL: no fabric is loaded.
 */
const struct result *doctor_question(struct scene *sc);

/*
 * What the switches hold against the engines, computed by another thread; the panes drift and entries and a
 * proposal ask for it.
 */

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
