/*
 * The findings of doctor, computed by another thread. The pane and a line of the first screen ask for the
 * same result.
 */
#ifndef IBSCOPE_VIEWS_DOCTOR_H
#define IBSCOPE_VIEWS_DOCTOR_H

#include "core/analysis/doctor/doctor.h"
#include "views/base/view.h"

extern const struct task task_doctor; /* struct diagnosis */

/*
 * The question about the scene, which is the base of the ask; borrowed from the scene. It stays the same
 * while it would ask the same. NULL: no fabric is loaded.
 */
const struct result *doctor_question(struct scene *sc);

#endif
