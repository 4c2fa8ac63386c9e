/* The list of panes, made from panes.def. */
#include <assert.h>
#include "views/views.h"

const struct view_ops *const all_views[] = {
#define PANE(name, group, engines) &view_##name,
#include "views/panes.def"
#undef PANE
	NULL,
};

const struct pane_place all_places[] = {
#define PANE(name, group, engines) {group, engines},
#include "views/panes.def"
#undef PANE
};

const struct view_ops *view_find(const char *name)
{
	return view_in(all_views, name, NULL);
}

const struct view_ops *view_need(const char *name, struct err *e)
{
	return view_in(all_views, name, e);
}

bool view_fits(const struct view_ops *ops, const struct scene *sc)
{
	for (size_t i = 0; all_views[i]; i++)
		if (all_views[i] == ops)
			return pane_fits(&all_places[i], sc);
	return true;
}

bool view_subcommand(size_t i, struct subcommand *s)
{
	assert(i < ARRAY_LEN(all_views));

	const struct view_ops *ops = all_views[i];

	if (ops)
		*s = (struct subcommand){ops->name, view_syntax(ops)};
	return ops != NULL;
}
