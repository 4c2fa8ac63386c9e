/* The panes there are; each is defined in the file of its name. */
#ifndef IBSCOPE_VIEWS_H
#define IBSCOPE_VIEWS_H

#include "core/session/command.h"
#include "views/base/view.h"

#define PANE(name) extern const struct view_ops view_##name;
#include "views/panes.def"
#undef PANE

/* Commands about panes that need no screen. */
extern const struct command view_commands[];
/* Panes with their arguments, for completion (struct command). */
bool view_subject(size_t i, struct subject *s);

#endif
