#include "core/fabric/names.h"
#include "core/base/err.h"
#include "core/base/glob.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_name_compare(const void *x, const void *y, void *ctx)
{
	const struct fabric *f = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int d = strcasecmp(f->node_name[a], f->node_name[b]);

	return d ? d : a < b ? -1 : a > b;
}

void fabric_index_names(struct fabric *f)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->by_name[n] = n;
	qsort_r(f->by_name, f->n_nodes, sizeof(*f->by_name), by_name_compare, f);
}

/* First place in by_name whose name does not sort before `name`. */
static uint32_t name_lower_bound(const struct fabric *f, const char *name)
{
	uint32_t lo = 0, hi = f->n_nodes;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(f->node_name[f->by_name[mid]], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct name_search {
	uint32_t found, n;
	struct text names;
};

static void name_hit(struct name_search *s, const struct fabric *f, uint32_t node)
{
	s->found = node;
	if (s->n++ < 4)
		text_add(&s->names, "%s\"%s\"", s->n > 1 ? ", " : "", f->node_name[node]);
}

static uint32_t name_result(struct name_search *s, const char *name, struct err *e)
{
	if (!s->n)
		err_set(e,
			"no node is named \"%s\" (expected a GUID, a LID, a name, a unique prefix or a glob)",
			name);
	else if (s->n > 1)
		err_set(e, "\"%s\" fits %s: %s%s; say more of the name, or use the GUID", name,
			PLURAL(s->n, "node"), text_str(&s->names), s->n > 4 ? ", ..." : "");
	text_free(&s->names);
	return s->n == 1 ? s->found : NO_ID;
}

uint32_t fabric_node_by_name(const struct fabric *f, const char *name, struct err *e)
{
	struct name_search s = {0};
	uint32_t from = name_lower_bound(f, name);
	size_t len = strlen(name);

	for (uint32_t i = from; i < f->n_nodes && !strcasecmp(f->node_name[f->by_name[i]], name); i++)
		name_hit(&s, f, f->by_name[i]);
	if (s.n || !len)
		return name_result(&s, name, e);
	for (uint32_t i = from; i < f->n_nodes && !strncasecmp(f->node_name[f->by_name[i]], name, len); i++)
		name_hit(&s, f, f->by_name[i]);
	if (s.n || !strpbrk(name, "*?["))
		return name_result(&s, name, e);
	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (glob_match(name, f->node_name[f->by_name[i]]))
			name_hit(&s, f, f->by_name[i]);
	return name_result(&s, name, e);
}

const char *port_label(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	if (port == NO_ID)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s[%u]", f->node_name[f->port_node[port]], f->port_num[port]);
	return buf;
}
