/* The least a pane can be: name, columns, load, cell.  Counts what the fabric has. */
#include "views/views.h"

static const struct column columns[] = {{.name = "what", .width = 10}, {.name = "how many"}};

static void load(struct view *v)
{
	v->n_rows = v->scene->fabric ? 3 : 0;
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	static const char *const what[] = {"switches", "endports", "links"};
	const struct fabric *f = v->scene->fabric;
	const uint32_t count[] = {f->n_switches, f->n_endports, f->n_links};

	if (col == 0)
		text_add(t, "%s", what[row]);
	else
		text_add(t, "%u", count[row]);
}

const struct view_ops view_inventory = {
	.name = "inventory",
	.column = columns,
	.n_columns = ARRAY_LEN(columns),
	.load = load,
	.cell = cell,
};
