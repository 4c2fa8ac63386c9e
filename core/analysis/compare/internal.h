/* Shared by the files of the faults. */
#ifndef IBSCOPE_FAULTS_PARTS_H
#define IBSCOPE_FAULTS_PARTS_H

#include "core/analysis/compare/faults.h"
#include "core/base/err.h"
#include "core/fabric/names.h"

extern const char *const fault_names[FAULT_KINDS]; /* in JSON */

/* Adds a copy.  When memory is short it only sets s->failed. */
void fault_put(struct faults *s, const struct fault *f);

/* Is `from` a port? */
static inline bool fault_has_port(const struct fault *f)
{
	return f->kind == FAULT_CREDIT_LOOP || f->kind == FAULT_MISSING || f->kind == FAULT_NOT_HERE ||
	       f->kind == FAULT_CABLE_GONE || f->kind == FAULT_CABLE_SLOWER;
}

#endif
