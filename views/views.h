/*
 * The list of panes. Each pane is defined in the file of its name. Panes do not include this header: they
 * depend on views/base/view.h, and a pane that tells about others finds them in its scene.
 */
#ifndef IBSCOPE_VIEWS_H
#define IBSCOPE_VIEWS_H

#include "core/session/command.h"
#include "views/base/view.h"

#define PANE(name, group, engines) extern const struct view_ops view_##name;
#include "views/panes.def"
#undef PANE

/* All panes, ended by NULL, in the order of the number keys. */
extern const struct view_ops *const all_views[];
extern const struct pane_place all_places[];	    /* of each of them */
const struct view_ops *view_find(const char *name); /* also by a unique prefix; NULL when there is none */
const struct view_ops *view_need(const char *name, struct err *e); /* the same; NULL and *e */

/* Is an engine in force that panes of this kind are about? Yes if they are about any. */
bool view_fits(const struct view_ops *ops, const struct scene *sc);

/* Commands about panes that need no screen. */
extern const struct command view_commands[];
/* Panes with their arguments, for completion (struct command). */
bool view_subcommand(size_t i, struct subcommand *s);

#endif
