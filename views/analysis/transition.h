/* The transition as the pane of its name computes it, for the map too. */
#ifndef IBSCOPE_VIEWS_TRANSITION_H
#define IBSCOPE_VIEWS_TRANSITION_H

#include "core/analysis/compare/transition.h"
#include "views/base/view.h"

/* The base is a struct between_question, the value a struct transition. */
extern const struct task task_transition;

#endif
