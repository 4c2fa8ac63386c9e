/* What `check` finds, computed by another thread; the panes check and lost ask for it. */
#ifndef IBSCOPE_VIEWS_CHECK_H
#define IBSCOPE_VIEWS_CHECK_H

#include "core/analysis/compare/sound.h"
#include "views/base/view.h"

/* A LID that hosts have no way to by one cause, or a host that is cut off, or has no LID. */
struct lost_lid {
	uint32_t cause;	   /* row of the causes */
	uint32_t endport;  /* that has the LID */
	uint32_t lid;	   /* 0: cut off, or no LID */
	uint32_t sw;	   /* one of the switches; NO_ID: lid is 0 */
	uint32_t switches; /* from which there is no way */
	uint64_t pairs;
	bool loops; /* packets of one of them go in a circle */
};

struct check_answer {
	struct soundness found;
	struct cause
		*cause; /* [n_causes] those of found, borrowed of it; then owned ones: credit loops, drops */
	uint32_t n_causes;
	struct lost_lid *lost; /* [n_lost] by LID */
	uint32_t n_lost;
	struct text judged; /* whose tables */
};

extern const struct task task_check; /* struct check_answer, of a sweep */

#endif
