/* node-name-map files: `0x<node guid> "name" # comment`. */
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/guidfile.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/formats/formats.h"
#include "core/formats/readers.h"
#include "core/base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

COMPARATOR(line_compare, struct guid_line, UP(guid) UP(line))

void name_map_parse(const char *name, const char *data, size_t size, struct name_map *m, struct warnings *w)
{
	struct guid_file g;

	*m = (struct name_map){0};
	guid_file_parse(&g, name, data, size, true);
	if (g.skipped)
		warnings_add(w, "unknown line", g.first_skipped,
			     "%s: %u line%s without a GUID (0x...) and skipped, the first is line %u", name,
			     g.skipped, g.skipped > 1 ? "s" : "", g.first_skipped);
	if (g.n)
		qsort(g.l, g.n, sizeof(*g.l), line_compare);
	for (size_t i = 0; i < g.n; i++) {
		/*
		 * The name is the text between the first '"' or '#' and the next one, as OpenSM takes it;
		 * blanks around an unquoted name go.
		 */
		bool quoted = *g.l[i].rest == '"';
		const char *p = g.l[i].rest + quoted;
		struct cursor name_part = {p, p + strcspn(p, "\"#")};
		char *text;

		if (!quoted)
			name_part = cur_trimmed(name_part);
		text = cur_empty(&name_part) ? NULL : cur_clean(name_part, SIZE_MAX);
		if (!text) {
			warnings_add(w, "no name", g.l[i].line,
				     "%s:%u: found no name behind 0x%016" PRIx64 ", expected \"name\"", name,
				     g.l[i].line, g.l[i].guid);
		} else if (m->n && m->guid[m->n - 1] == g.l[i].guid) {
			warnings_add(w, "duplicate GUID", g.l[i].line,
				     "%s:%u: 0x%016" PRIx64 " has a name already; the first counts", name,
				     g.l[i].line, g.l[i].guid);
			free(text);
		} else {
			if (m->n == m->cap) {
				m->cap = m->cap ? 2 * m->cap : 64;
				m->guid = mem_resize(m->guid, m->cap, sizeof(*m->guid));
				m->name = mem_resize(m->name, m->cap, sizeof(*m->name));
			}
			m->guid[m->n] = g.l[i].guid;
			m->name[m->n++] = text;
		}
	}
	guid_file_free(&g);
}

int name_map_load(const char *path, struct name_map *m, struct warnings *w, struct progress *p, struct err *e)
{
	char *data;
	size_t size;

	*m = (struct name_map){0};
	if (read_small_file(path, p, &data, &size, e))
		return -1;
	name_map_parse(path, data, size, m, w);
	free(data);
	return 0;
}

void name_map_free(struct name_map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->name[i]);
	free(m->guid);
	free(m->name);
	*m = (struct name_map){0};
}
