/* The list of panes, made from panes.def. */
#include "views/views.h"

const struct view_ops *const all_views[] = {
#define PANE(name) &view_##name,
#include "views/panes.def"
#undef PANE
	NULL,
};
