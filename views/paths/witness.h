/* The cycle that keeps a path out of a layer, and the routes that hold its channels. */
#ifndef IBSCOPE_WITNESS_H
#define IBSCOPE_WITNESS_H

#include "core/base/text.h"
#include "views/base/view.h"

/* Result: struct witness. arg: the two LIDs and the layer. */
extern const struct task task_witness;

/* "t00 → t10 → t00" */
void witness_text(const struct fabric *f, const struct witness *w, struct text *t);

#endif
