/*
 * The panes there are; each is defined in the file of its name.  Panes do not include this: what they lean on
 * is views/base/view.h, and those that tell of others find them in their scene.
 */
#ifndef IBSCOPE_VIEWS_H
#define IBSCOPE_VIEWS_H

#include "core/session/command.h"
#include "views/base/view.h"

#define PANE(name) extern const struct view_ops view_##name;
#include "views/panes.def"
#undef PANE

/* All panes, ended by NULL; the number keys go in this order. */
extern const struct view_ops *const all_views[];
const struct view_ops *view_find(const char *name);		   /* unique prefixes too; NULL */
const struct view_ops *view_need(const char *name, struct err *e); /* the same; NULL and *e */

/* Commands about panes that need no screen. */
extern const struct command view_commands[];
/* Panes with their arguments, for completion (struct command). */
bool view_subcommand(size_t i, struct subcommand *s);

#endif
