/* What doctor finds, computed beside: the pane and the line of the first screen ask for the same. */
#ifndef IBSCOPE_VIEWS_DOCTOR_H
#define IBSCOPE_VIEWS_DOCTOR_H

#include "core/analysis/doctor/doctor.h"
#include "views/base/view.h"

extern const struct task task_doctor; /* struct diagnosis */

/*
 * The question about what the scene shows, which is the base of the ask; borrowed from the scene.  The same
 * one as long as it would say the same.  NULL: no fabric is loaded.
 */
const struct result *doctor_question(struct scene *sc);

#endif
