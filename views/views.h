/* The panes there are; each is defined in the file of its name. */
#ifndef IBSCOPE_VIEWS_H
#define IBSCOPE_VIEWS_H

#include "views/view.h"

#define PANE(name) extern const struct view_ops view_##name;
#include "views/panes.def"
#undef PANE

#endif
