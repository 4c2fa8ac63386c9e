#include "core/base/err.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/internal.h"

static int elements_group_by_rest(const void *x, const void *y)
{
	const struct guid_line *const *a = x, *const *b = y;

	return strcmp((*a)->rest, (*b)->rest);
}

/* Removes from a name the comment, the blanks at its end, and characters that a terminal cannot show. */
static void trim(char *s)
{
	size_t len = 0;

	for (; s[len] && !(s[len] == '#' && (!len || s[len - 1] == ' ')); len++)
		if ((unsigned char)s[len] < ' ' || s[len] == 0x7f)
			s[len] = ' ';
	s[len] = 0;
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = 0;
}

static int elements_group_take_line(struct grouping *g, const struct fabric *f, const char *path,
				    const struct guid_line *l, uint64_t value, struct text *notes,
				    struct err *e)
{
	uint32_t node = fabric_node_by_guid(f, l->guid), sw = node == NO_ID ? NO_ID : f->node_switch[node];

	if (!*l->rest)
		return err_set(e, "%s:%u: found a GUID alone, expected `GUID NAME`", path, l->line);
	if (sw == NO_ID) {
		if (notes)
			text_add(notes, "%s:%u: 0x%016" PRIx64 " is no switch of the fabric: ignored\n", path,
				 l->line, l->guid);
		return 0;
	}
	if (g->line[sw] && g->group[sw].name != value)
		return err_set(e,
			       "%s:%u: 0x%016" PRIx64
			       " is in \"%s\", and in \"%s\" by line %u; expected one chassis",
			       path, l->line, l->guid, l->rest, g->name[g->group[sw].name], g->line[sw]);
	g->group[sw].named = true;
	g->group[sw].name = value;
	g->line[sw] = l->line;
	return 0;
}

static int group_by_file(struct grouping *g, const struct fabric *f, const char *path, struct progress *p,
			 struct text *notes, struct err *e)
{
	uint64_t *value;
	int rc = 0;
	const struct guid_line **sorted;
	uint64_t n = 0;

	guid_file_read(&g->file, path, false, p);
	if (g->file.stopped)
		return err_set(e, "%s", g->file.why.msg);
	for (size_t i = 0; i < g->file.n; i++)
		trim(g->file.l[i].rest);
	value = NEW_ARRAY(g->file.n + 1, uint64_t);
	g->name = NEW_ARRAY(g->file.n + 1, const char *);
	sorted = NEW_ARRAY(g->file.n + 1, const struct guid_line *);
	for (size_t i = 0; i < g->file.n; i++)
		sorted[i] = &g->file.l[i];
	qsort(sorted, g->file.n, sizeof(*sorted), elements_group_by_rest);
	for (size_t i = 0; i < g->file.n; i++) {
		if (!i || strcmp(sorted[i]->rest, sorted[i - 1]->rest))
			g->name[n++] = sorted[i]->rest;
		value[sorted[i] - g->file.l] = n - 1;
	}
	free(sorted);
	for (size_t i = 0; !rc && i < g->file.n; i++)
		rc = elements_group_take_line(g, f, path, &g->file.l[i], value[i], notes, e);
	free(value);
	return rc;
}

int grouping_read(struct grouping *g, const struct fabric *f, const char *path, struct progress *p,
		  struct text *notes, struct err *e)
{
	*g = (struct grouping){.group = NEW_ARRAY(f->n_switches + 1, struct group),
			       .line = NEW_ARRAY(f->n_switches + 1, uint32_t)};
	for (uint32_t s = 0; s < f->n_switches; s++) {
		g->group[s].sys = f->node_sysguid[f->switch_node[s]];
		g->group[s].chassis = f->node_chassis[f->switch_node[s]];
	}
	return path ? group_by_file(g, f, path, p, notes, e) : 0;
}

void grouping_free(struct grouping *g)
{
	free(g->group);
	free(g->line);
	free(g->name);
	guid_file_free(&g->file);
}
