/* The graph of switches and its connected parts, for all kinds of layout. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"

/* Places in abstract units. */

uint32_t grid_planes(const struct layout_part *is)
{
	uint32_t planes = 1;

	for (unsigned d = 2; d < is->n_dims; d++)
		planes *= is->dim[d].size;
	return planes;
}

uint32_t grid_plane(const struct layout_part *is, const uint16_t *coord)
{
	uint32_t plane = 0;

	assert(*coord != LAYOUT_BESIDE);
	for (unsigned d = is->n_dims; d-- > 2;)
		plane = plane * is->dim[d].size + coord[d];
	return plane;
}

char *grid_plane_name(const struct layout_part *is, uint32_t plane)
{
	AUTO_TEXT struct text t = {0};

	assert(plane < grid_planes(is));
	for (unsigned d = 2; d < is->n_dims; d++) {
		text_add(&t, "%s%u", d > 2 ? "," : "z=", plane % is->dim[d].size);
		plane /= is->dim[d].size;
	}
	return str_dup(text_str(&t));
}

struct grid_way grid_way(const struct layout *l, uint32_t a, uint32_t b)
{
	assert(a < l->n && b < l->n && l->part_of[a] == l->part_of[b]);
	const struct layout_part *is = &l->part[l->part_of[a]];
	const uint16_t *from = layout_coord(l, a), *to = layout_coord(l, b);
	struct grid_way w = {0};

	if (*from == LAYOUT_BESIDE || *to == LAYOUT_BESIDE)
		return w;
	for (unsigned d = is->n_dims; d-- > 0;)
		if (from[d] != to[d]) {
			w.dim = d;
			w.differ++;
		}
	w.by = to[w.dim] - from[w.dim];
	w.around = is->dim[w.dim].kind == LAYOUT_CYCLE && 2 * abs(w.by) > is->dim[w.dim].size;
	if (w.around)
		w.by += w.by < 0 ? is->dim[w.dim].size : -(int)is->dim[w.dim].size;
	return w;
}

struct shape_run *shape_runs(const struct layout *l, const uint32_t *sw, uint32_t n, bool single,
			     uint32_t *n_runs)
{
	struct shape_run *run = NEW_ARRAY(n + 1, struct shape_run);

	*n_runs = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!i || single || l->block[sw[i]] != l->block[sw[i - 1]])
			run[(*n_runs)++] = (struct shape_run){i, 0, l->block[sw[i]]};
		run[*n_runs - 1].n++;
	}
	return run;
}

uint32_t shape_most(const struct shape_run *run, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < n; k++)
		most = MAX(run[k].n, most);
	return most;
}

struct point {
	float x, y;
	uint32_t place, sw; /* place: by name */
};

COMPARATOR(by_x, struct point, UP(x) UP(place))
COMPARATOR(by_y, struct point, UP(y) UP(x) UP(place))

uint32_t *shape_columns(const struct layout *l, const uint32_t *sw, uint32_t n, uint32_t per)
{
	AUTO_FREE struct point *p = NEW_ARRAY(n + 1, struct point);
	uint32_t *order = NEW_ARRAY(n + 1, uint32_t);

	assert(per);
	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct point){l->x[sw[i]], l->y[sw[i]], i, sw[i]};
	qsort(p, n, sizeof(*p), by_x);
	for (uint32_t i = 0; i < n; i += per)
		qsort(p + i, n - i < per ? n - i : per, sizeof(*p), by_y);
	for (uint32_t i = 0; i < n; i++)
		order[i] = p[i].sw;
	return order;
}

uint32_t shape_tree_column(const struct shape_tree *t, uint32_t sw)
{
	uint32_t b = t->layout->block[sw];

	assert(b == NO_ID || b - t->is->first_block < t->is->n_blocks);
	return b == NO_ID ? t->columns - 1 : b - t->is->first_block;
}

void shape_tree_make(struct shape_tree *t, const struct layout *l, const struct layout_part *is)
{
	assert(is->first + is->n <= l->n);
	*t = (struct shape_tree){.levels = is->levels ? is->levels : 1, .columns = is->n_blocks + 1};
	t->layout = l;
	t->is = is;
	t->arena = ARENA_EMPTY;
	t->first = ARENA_ARRAY(t->arena, t->levels + 1, uint32_t);
	t->count = ARENA_ARRAY(t->arena, (size_t)t->levels * t->columns, uint32_t);
	t->loose = ARENA_ARRAY(t->arena, t->levels, bool);
	t->most = ARENA_ARRAY(t->arena, t->levels, uint32_t);
	t->rows = ARENA_ARRAY(t->arena, t->levels, uint32_t);
	t->wide = ARENA_ARRAY(t->arena, t->columns, uint32_t);
	t->sum = ARENA_ARRAY(t->arena, t->levels, uint32_t);
	for (unsigned lev = 0; lev < t->levels; lev++) {
		t->loose[lev] = true;
		t->rows[lev] = 1;
	}
	for (uint32_t i = 0; i < is->n; i++) {
		uint32_t sw = l->order[is->first + i];
		unsigned lev = l->level[sw];
		uint32_t *count = &t->count[lev * t->columns + shape_tree_column(t, sw)];

		t->first[lev + 1] = i + 1;
		t->loose[lev] &= l->block[sw] == NO_ID;
		t->most[lev] = ++*count > t->most[lev] ? *count : t->most[lev];
	}
}

void shape_tree_free(struct shape_tree *t)
{
	arena_free(t->arena);
}

uint32_t shape_tree_across(const struct shape_tree *t, unsigned level, uint32_t column, uint32_t share)
{
	assert(share && level < t->levels && column < t->columns);
	uint32_t places = (t->count[level * t->columns + column] + share - 1) / share;

	return (places + t->rows[level] - 1) / t->rows[level];
}

void shape_tree_widths(struct shape_tree *t, uint32_t share)
{
	memset(t->wide, 0, t->columns * sizeof(*t->wide));
	for (unsigned lev = 0; lev < t->levels; lev++) {
		t->sum[lev] = 0;
		for (uint32_t c = 0; c < t->columns; c++) {
			uint32_t w = shape_tree_across(t, lev, c, share);

			t->sum[lev] += w;
			if (!t->loose[lev] && w > t->wide[c])
				t->wide[c] = w;
		}
	}
}

uint32_t arc_find(const uint32_t *first, const uint32_t *to, uint32_t u, uint32_t v)
{
	uint32_t lo = first[u], hi = first[u + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (to[mid] == v)
			return mid;
		if (to[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NO_ID;
}

uint32_t lpart_shared(const struct lpart *p, uint32_t u, uint32_t v)
{
	uint32_t i = p->first[u], j = p->first[v], n = 0;

	while (i < p->first[u + 1] && j < p->first[v + 1]) {
		uint32_t a = p->to[i], b = p->to[j];

		n += a == b;
		i += a <= b;
		j += b <= a;
	}
	return n;
}

void lpart_join(uint32_t *parent, uint32_t u, uint32_t v)
{
	u = disjoint_root(parent, u);
	v = disjoint_root(parent, v);
	if (u < v)
		parent[v] = u;
	else
		parent[u] = v;
}

uint32_t lpart_number(uint32_t *parent, uint32_t n, uint32_t *of)
{
	uint32_t sets = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint32_t root = disjoint_root(parent, u);

		of[u] = root == u ? sets++ : of[root];
	}
	return sets;
}

int layout_name_order(const char *a, const char *b)
{
	while (*a && *b) {
		size_t na = 0, nb = 0;

		if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b)) {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
			a++, b++;
			continue;
		}
		while (*a == '0')
			a++;
		while (*b == '0')
			b++;
		while (isdigit((unsigned char)a[na]))
			na++;
		while (isdigit((unsigned char)b[nb]))
			nb++;
		if (na != nb)
			return na < nb ? -1 : 1;
		if (memcmp(a, b, na))
			return memcmp(a, b, na) < 0 ? -1 : 1;
		a += na, b += nb;
	}
	return *a ? 1 : -(*b != 0);
}

/* --- the graph of all switches, by rank of their names --- */

COMPARATOR(named_order, struct layout_named, FIELD_BY(layout_name_order, name) TEXT(name) UP(guid))
COMPARATOR(arc_order, struct larc, UP(from) UP(to))

static void take_arcs(struct lgraph *w, const uint32_t *rank)
{
	const struct fabric *f = w->f;

	w->arc = ARENA_ARRAY(w->arena, (size_t)2 * f->n_links + 1, struct larc);
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->link_port[2 * l], b = f->link_port[2 * l + 1];
		uint32_t u = f->node_switch[f->port_node[a]], v = f->node_switch[f->port_node[b]];

		if (u == NO_ID || v == NO_ID || u == v || (w->t && w->t->peer[a] == NO_ID))
			continue;
		w->arc[w->n_arcs++] = (struct larc){rank[u], rank[v], f->port_num[a], f->port_num[b], 1};
		w->arc[w->n_arcs++] = (struct larc){rank[v], rank[u], f->port_num[b], f->port_num[a], 1};
	}
	qsort(w->arc, w->n_arcs, sizeof(*w->arc), arc_order);
}

/* Parallel cables become one arc. */
static void fold_arcs(struct lgraph *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n_arcs; i++) {
		struct larc *a = &w->arc[i], *last = n ? &w->arc[n - 1] : NULL;

		if (!last || arc_order(a, last)) {
			w->arc[n++] = *a;
			continue;
		}
		last->cables++;
		last->port = MIN(a->port, last->port);
		last->peer_port = MIN(a->peer_port, last->peer_port);
	}
	w->n_arcs = n;
	for (uint32_t i = 0; i < n; i++)
		w->first[w->arc[i].from + 1]++;
	for (uint32_t u = 0; u < w->f->n_switches; u++)
		w->first[u + 1] += w->first[u];
}

void lgraph_make(void *arena, struct lgraph *w, const struct fabric *f, const struct topo *t,
		 const uint32_t *chassis)
{
	uint32_t n = f->n_switches;
	AUTO_FREE uint32_t *rank = NEW_ARRAY(n + 1, uint32_t);

	assert(!t || fabric_alike(t->fabric, f));
	*w = (struct lgraph){.arena = arena, .f = f, .t = t, .chassis = chassis};
	w->by = ARENA_ARRAY(arena, n + 1, struct layout_named);
	w->first = ARENA_ARRAY(arena, n + 1, uint32_t);
	w->part = ARENA_ARRAY(arena, n + 1, uint32_t);
	w->size = ARENA_ARRAY(arena, n + 1, uint32_t);
	w->local = ARENA_ARRAY(arena, n + 1, uint32_t);
	for (uint32_t s = 0; s < n; s++)
		w->by[s] = (struct layout_named){switch_name(f, s), f->node_guid[f->switch_node[s]], s};
	qsort(w->by, n, sizeof(*w->by), named_order);
	for (uint32_t r = 0; r < n; r++) {
		rank[w->by[r].sw] = r;
		w->part[r] = r;
	}
	take_arcs(w, rank);
	fold_arcs(w);
	for (uint32_t i = 0; i < w->n_arcs; i++)
		lpart_join(w->part, w->arc[i].from, w->arc[i].to);
	for (uint32_t r = 0; r < n; r++) {
		w->part[r] = disjoint_root(w->part, r);
		w->local[r] = w->size[w->part[r]]++;
	}
}

void lpart_make(void *arena, struct lpart *p, const struct lgraph *w, const uint32_t *hosts, uint32_t low,
		bool all)
{
	uint32_t n = 0, arcs = 0, links = 0, total = w->f->n_switches;

	assert(all || w->part[low] == low);
	for (uint32_t r = low; r < total; r++)
		if (all || w->part[r] == low)
			arcs += w->first[r + 1] - w->first[r];
	p->n = all ? total : w->size[low];
	p->n_links = arcs / 2;
	p->sw = ARENA_ARRAY(arena, p->n, uint32_t);
	p->name = ARENA_ARRAY(arena, p->n, const char *);
	p->hosts = ARENA_ARRAY(arena, p->n, uint32_t);
	p->chassis = ARENA_ARRAY(arena, p->n, uint32_t);
	p->first = ARENA_ARRAY(arena, p->n + 1, uint32_t);
	p->to = ARENA_ARRAY(arena, arcs + 1, uint32_t);
	p->link = ARENA_ARRAY(arena, arcs + 1, uint32_t);
	p->end = ARENA_ARRAY(arena, arcs + 1, uint32_t);
	p->port = ARENA_ARRAY(arena, arcs + 1, uint8_t);
	p->order = ARENA_ARRAY(arena, p->n, uint32_t);
	p->level = ARENA_ARRAY(arena, p->n, uint8_t);
	p->block = ARENA_ARRAY(arena, p->n, uint32_t);
	p->coord = ARENA_ARRAY(arena, (size_t)p->n * LAYOUT_DIMS, uint16_t);
	p->x = ARENA_ARRAY(arena, p->n, float);
	p->y = ARENA_ARRAY(arena, p->n, float);
	arcs = 0;
	for (uint32_t r = low; r < total && n < p->n; r++) {
		uint32_t s = w->by[r].sw;

		if (!all && w->part[r] != low)
			continue;
		p->sw[n] = s;
		p->name[n] = w->by[r].name;
		p->hosts[n] = hosts[s];
		p->chassis[n] = w->chassis ? w->chassis[s] : NO_ID;
		p->order[n] = n;
		p->block[n] = NO_ID;
		/* its links to lower switches are numbered already */
		for (uint32_t i = w->first[r]; i < w->first[r + 1]; i++, arcs++) {
			const struct larc *a = &w->arc[i];
			uint32_t v = w->local[a->to];

			p->to[arcs] = v;
			if (v < n) {
				p->link[arcs] = p->link[lpart_arc(p, v, n)];
				continue;
			}
			p->link[arcs] = links;
			p->end[2 * links] = n;
			p->end[2 * links + 1] = v;
			p->port[2 * links] = a->port;
			p->port[2 * links++ + 1] = a->peer_port;
		}
		p->first[n + 1] = arcs;
		p->max_degree = MAX(lpart_degree(p, n), p->max_degree);
		n++;
	}
}

/* The neighbour of u that is not `from`; NO_ID = none. */
static uint32_t walk_on(const struct lpart *p, uint32_t u, uint32_t from)
{
	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (p->to[i] != from)
			return p->to[i];
	return NO_ID;
}

bool layout_is_line(struct lpart *p)
{
	uint32_t with = 0, at = 0, from = NO_ID;

	for (uint32_t u = 0; u < p->n; u++)
		with += p->hosts[u] > 0;
	if (p->max_degree > 2 || (with && 2 * with <= p->n))
		return false;
	p->is.kind = p->n_links == p->n ? LAYOUT_RING : LAYOUT_CHAIN;
	while (p->is.kind == LAYOUT_CHAIN && lpart_degree(p, at) > 1)
		at++;
	for (uint32_t k = 0; k < p->n; k++) {
		uint32_t next = walk_on(p, at, from);

		p->order[k] = at;
		from = at;
		at = next;
	}
	p->is.words = str_printf("%s of %u", p->is.kind == LAYOUT_RING ? "ring" : "chain", p->n);
	return true;
}
