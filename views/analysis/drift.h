/* What the switches hold against the engines, computed by another thread; the pane and a proposal ask for it.
 */
#ifndef IBSCOPE_VIEWS_DRIFT_H
#define IBSCOPE_VIEWS_DRIFT_H

#include "core/analysis/compare/drift.h"
#include "views/base/view.h"

struct drift_answer {
	struct drift *d;
	struct drift_ranking *ranking; /* NULL: one engine was asked for */
};

extern const struct task task_drift; /* struct drift_answer; its base is a struct sweep_question */

#endif
