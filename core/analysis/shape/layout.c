/* From a fabric to connected parts, and from laid out parts to a layout. */
#include "core/analysis/shape/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/internal.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/order.h"
#include "core/base/counted.h"

#define DEVICE_AGGREGATION 0xcf09 /* of Quantum switches */
#define FULL_PART 0.8		  /* of all pairs are linked */

const char *const layout_kind_names[] = {"row", "ring", "chain", "full", "grid", "groups", "tree", "other"};

uint32_t *layout_hosts(const struct fabric *f)
{
	uint32_t *hosts = NEW_ARRAY(f->n_switches + 1, uint32_t);

	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t n = f->port_node[p], peer = f->port_peer[p], s;

		if (peer == NO_ID || node_is_switch(f, n) || !node_is_switch(f, f->port_node[peer]))
			continue;
		s = f->port_node[peer];
		if (f->node_device[n] == DEVICE_AGGREGATION ||
		    (f->node_sysguid[n] && f->node_sysguid[n] == f->node_sysguid[s]))
			continue;
		hosts[f->node_switch[s]]++;
	}
	return hosts;
}

/* --- kinds --- */

static bool layout_is_row(struct lpart *p)
{
	if (p->n > 2 && p->n_links)
		return false;
	p->is.kind = LAYOUT_ROW;
	p->is.words = str_printf("%s", PLURAL(p->n, "switch"));
	return true;
}

static bool is_full(struct lpart *p)
{
	if (p->n < 4 || p->n_links < FULL_PART * p->n * (p->n - 1) / 2)
		return false;
	p->is.kind = LAYOUT_FULL;
	p->is.words = p->n_links == p->n * (p->n - 1) / 2
			      ? str_printf("%u switches, all pairs linked", p->n)
			      : str_printf("%u switches, nearly all pairs linked", p->n);
	return true;
}

static void part_lay_out(struct lpart *p)
{
	p->is.n_links = p->n_links;
	p->is.n = p->n;
	if (layout_is_row(p) || layout_is_line(p) || is_full(p))
		return;
	if ((p->n != 4 || p->n_links != 4 || p->max_degree != 2) && layout_is_grid(p))
		return;
	if (layout_is_groups(p) || layout_is_tree(p) || layout_is_plus(p))
		return;
	p->is.kind = LAYOUT_OTHER;
	p->is.words = str_printf("%u switches", p->n);
	layout_spread(p);
}

/* --- the layout --- */

/* Length of the common beginning of names, without the start of a number and the separator before it. */
static size_t layout_common_beginning(const struct lpart *p, uint32_t block)
{
	const char *one = NULL;
	size_t len = 0;
	bool goes_on = false; /* a number follows */

	for (uint32_t u = 0; u < p->n; u++) {
		size_t k = 0;

		if (p->block[u] != block)
			continue;
		if (!one) {
			one = p->name[u];
			len = strlen(one);
		}
		while (k < len && p->name[u][k] == one[k])
			k++;
		if (k < len)
			len = k;
	}
	if (!one || !one[len])
		return len;
	for (uint32_t u = 0; u < p->n && !goes_on; u++)
		goes_on = p->block[u] == block && isdigit((unsigned char)p->name[u][len]);
	while (len && goes_on && isdigit((unsigned char)one[len - 1]))
		len--;
	/* in "g02s" of g02s1 and g02s2, the last letters belong to the next number */
	for (size_t k = len; k && isalpha((unsigned char)one[k - 1]); k--)
		if (k > 1 && isdigit((unsigned char)one[k - 2]))
			len = k - 1;
	while (len && !isalnum((unsigned char)one[len - 1]))
		len--;
	return len;
}

static void take_part(struct layout *l, struct lpart *p, uint32_t number, uint32_t first)
{
	struct layout_part *is = &l->part[number];
	const char *what = p->is.kind != LAYOUT_TREE ? "group" : p->is.pods ? "pod" : "chassis";

	p->is.first = first;
	p->is.first_block = l->n_blocks;
	*is = p->is;
	l->n_blocks += is->n_blocks;
	l->block_name = mem_resize(l->block_name, l->n_blocks + 1, sizeof(*l->block_name));
	for (uint32_t b = 0; b < p->is.n_blocks; b++) {
		uint32_t one = 0;
		size_t len;
		char *name;

		while (one < p->n && p->block[one] != b)
			one++;
		len = p->is.pods ? 0 : layout_common_beginning(p, b);
		name = str_printf("%.*s", (int)len, p->name[one]);
		for (uint32_t c = p->is.first_block; len && c < p->is.first_block + b; c++)
			if (!strcmp(l->block_name[c], name))
				len = 0;
		if (!len) {
			free(name);
			name = str_printf("%s %u", what, b + 1);
		}
		l->block_name[p->is.first_block + b] = name;
	}
	for (uint32_t u = 0; u < p->n; u++) {
		uint32_t s = p->sw[u];

		l->order[first + u] = p->sw[p->order[u]];
		l->part_of[s] = number;
		l->level[s] = p->level[u];
		l->block[s] = p->block[u] == NO_ID ? NO_ID : p->block[u] + is->first_block;
		memcpy(l->coord + (size_t)s * LAYOUT_DIMS, p->coord + (size_t)u * LAYOUT_DIMS,
		       LAYOUT_DIMS * sizeof(*p->coord));
		l->x[s] = p->x[u];
		l->y[s] = p->y[u];
	}
}

static struct layout *layout_arrays(const struct fabric *f)
{
	struct layout *l = NEW(struct layout);
	uint32_t n = f->n_switches;

	atomic_init(&l->refs, 1);
	l->n = n;
	l->part_of = NEW_ARRAY(n + 1, uint32_t);
	l->order = NEW_ARRAY(n + 1, uint32_t);
	l->level = NEW_ARRAY(n + 1, uint8_t);
	l->block = NEW_ARRAY(n + 1, uint32_t);
	l->coord = NEW_ARRAY((size_t)n * LAYOUT_DIMS + 1, uint16_t);
	l->x = NEW_ARRAY(n + 1, float);
	l->y = NEW_ARRAY(n + 1, float);
	l->hosts = layout_hosts(f);
	l->first = NEW_ARRAY(n + 1, uint32_t);
	for (uint32_t s = 0; s < n; s++)
		l->part_of[s] = l->block[s] = NO_ID;
	return l;
}

uint32_t layout_arc(const struct layout *l, uint32_t a, uint32_t b)
{
	return arc_find(l->first, l->to, a, b);
}

/* Neighbours by id, and the cables to them. */
static void layout_take_links(struct layout *l, const struct fabric *f, const struct lgraph *w)
{
	uint32_t *rank = NEW_ARRAY(l->n + 1, uint32_t), *fill = NEW_ARRAY(w->n_arcs + l->n + 1, uint32_t);

	l->to = NEW_ARRAY(w->n_arcs + 1, uint32_t);
	l->cable = NEW_ARRAY(w->n_arcs + 1, uint32_t);
	l->port = NEW_ARRAY((size_t)2 * f->n_links + 1, uint32_t);
	for (uint32_t r = 0; r < l->n; r++)
		rank[w->by[r].sw] = r;
	for (uint32_t s = 0; s < l->n; s++)
		l->first[s + 1] = l->first[s] + w->first[rank[s] + 1] - w->first[rank[s]];
	memcpy(fill, l->first, l->n * sizeof(*fill));
	/* going by far ends puts neighbours in ascending order */
	for (uint32_t s = 0; s < l->n; s++)
		for (uint32_t i = w->first[rank[s]]; i < w->first[rank[s] + 1]; i++) {
			uint32_t at = fill[w->by[w->arc[i].to].sw]++;

			l->to[at] = s;
			l->cable[at + 1] = w->arc[i].cables;
		}
	for (uint32_t i = 0; i < w->n_arcs; i++)
		fill[i] = l->cable[i + 1] += l->cable[i];
	for (uint32_t p = f->n_ports; p-- > 0;) {
		uint32_t peer = f->port_peer[p], a = f->node_switch[f->port_node[p]];
		uint32_t b = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

		if (a != NO_ID && b != NO_ID && a != b)
			l->port[--fill[layout_arc(l, a, b)]] = p;
	}
	free(rank);
	free(fill);
}

struct sized {
	uint32_t low, size;
};

COMPARATOR(sized_order, struct sized, DOWN(size) UP(low))

static bool lay_out_all(struct layout *l, const struct lgraph *w, struct progress *p)
{
	struct sized *parts = NEW_ARRAY(l->n + 1, struct sized);
	uint32_t n = 0, first = 0;
	bool all, go_on = true;

	for (uint32_t r = 0; r < l->n; r++)
		if (w->size[r] > 1)
			parts[n++] = (struct sized){r, w->size[r]};
	qsort(parts, n, sizeof(*parts), sized_order);
	all = !n && l->n;
	l->n_parts = n + all;
	l->part = NEW_ARRAY(l->n_parts + 1, struct layout_part);
	for (uint32_t k = 0; k < l->n_parts && go_on; k++) {
		struct lpart part = {.progress = p};

		lpart_make(&part, w, l->hosts, parts[k].low, all);
		part_lay_out(&part);
		take_part(l, &part, k, first);
		first += part.n;
		lpart_free(&part);
		go_on = !progress_cancelled(p);
	}
	for (uint32_t r = 0; r < l->n && !all; r++)
		if (w->size[w->part[r]] == 1) {
			l->order[first++] = w->by[r].sw;
			l->n_alone++;
		}
	free(parts);
	return go_on;
}

struct layout *layout_new(const struct fabric *f, const uint32_t *chassis, struct progress *p, struct err *e)
{
	size_t room = f->n_links * (2 * sizeof(struct larc) + 60ul) + f->n_switches * 1200ul;
	struct layout *l;
	struct lgraph w;
	bool done;

	if (mem_room(e, room, "the layout of %s", PLURAL(f->n_switches, "switch")))
		return NULL;
	progress_start(p, "layout", 0);
	lgraph_make(&w, f, NULL, chassis);
	l = layout_arrays(f);
	layout_take_links(l, f, &w);
	done = lay_out_all(l, &w, p);
	lgraph_free(&w);
	if (done)
		return l;
	layout_unref(l);
	err_set(e, CANCELLED);
	return NULL;
}

static void layout_release(struct layout *m)
{
	for (uint32_t k = 0; k < m->n_parts; k++)
		free(m->part[k].words);
	for (uint32_t b = 0; b < m->n_blocks; b++)
		free(m->block_name[b]);
	free(m->part);
	free(m->part_of);
	free(m->order);
	free(m->level);
	free(m->block);
	free(m->block_name);
	free(m->coord);
	free(m->x);
	free(m->y);
	free(m->hosts);
	free(m->first);
	free(m->to);
	free(m->cable);
	free(m->port);
	free(m);
}

COUNTED(struct layout, struct layout, layout_ref, layout_unref, layout_release)
