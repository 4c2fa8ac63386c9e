/* How nodes are found by name; finding them is in fabric.h. */
#ifndef IBSCOPE_NAMES_H
#define IBSCOPE_NAMES_H

#include "core/fabric/fabric.h"

/* Sort f->by_name [n_nodes] after node_name changed. */
void fabric_index_names(struct fabric *f);

#endif
