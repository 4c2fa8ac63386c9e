/* Layouts: a fabric's parts by their shapes, groups and points among them, put together. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/layout.h"
#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/paths.h"

/* Two coordinates for switches in no known shape: pivot multidimensional scaling (U. Brandes, C. Pich:
 * Eigensolver methods for progressive multidimensional scaling of large data, 2006). */

#define PIVOTS 50
#define ROUNDS 100 /* of the power iteration */

struct spread {
	struct lpart *p;
	unsigned pivots;
	double *c; /* [n * PIVOTS] doubly centred squared distances to the pivots */
	double m[PIVOTS][PIVOTS];
	double vector[2][PIVOTS];
};

/* Each pivot is as far as possible from those before it. The first has the lowest name. */
static bool take_pivots(struct spread *s)
{
	struct lpart *p = s->p;
	AUTO_FREE uint32_t *hops = NEW_ARRAY(p->n, uint32_t), *queue = NEW_ARRAY(p->n, uint32_t);
	uint32_t at = 0;
	AUTO_FREE uint32_t *nearest = NEW_ARRAY(p->n, uint32_t);
	bool go_on = true;

	memset(nearest, 0xff, p->n * sizeof(*nearest));
	s->pivots = MIN(p->n, PIVOTS);
	for (unsigned k = 0; k < s->pivots && (go_on = progress_step(p->progress, k)); k++) {
		uint32_t far = 0;

		memset(hops, 0xff, p->n * sizeof(*hops));
		hops[at] = 0;
		queue[0] = at;
		spread_arcs(p->first, p->to, hops, queue, 1);
		for (uint32_t u = 0; u < p->n; u++) {
			s->c[(size_t)u * PIVOTS + k] = (double)hops[u] * hops[u];
			nearest[u] = MIN(hops[u], nearest[u]);
			if (nearest[u] > nearest[far])
				far = u;
		}
		at = far;
	}
	return go_on;
}

static void centre(struct spread *s)
{
	double column[PIVOTS] = {0}, all = 0;
	uint32_t n = s->p->n;

	for (uint32_t u = 0; u < n; u++)
		for (unsigned k = 0; k < s->pivots; k++)
			column[k] += s->c[(size_t)u * PIVOTS + k] / n;
	for (unsigned k = 0; k < s->pivots; k++)
		all += column[k] / s->pivots;
	for (uint32_t u = 0; u < n; u++) {
		double *row = s->c + (size_t)u * PIVOTS, mean = 0;

		for (unsigned k = 0; k < s->pivots; k++)
			mean += row[k] / s->pivots;
		for (unsigned k = 0; k < s->pivots; k++)
			row[k] = -(row[k] - column[k] - mean + all) / 2;
	}
}

static double dot(const struct spread *s, const double *a, const double *b)
{
	double sum = 0;

	for (unsigned k = 0; k < s->pivots; k++)
		sum += a[k] * b[k];
	return sum;
}

/* The eigenvector of the largest eigenvalue, orthogonal to those before it. */
static void find_vector(struct spread *s, unsigned which)
{
	double *v = s->vector[which], next[PIVOTS];

	for (unsigned k = 0; k < s->pivots; k++)
		v[k] = 1.0 + (double)((k * 7 + which * 3) % 11);
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (unsigned i = 0; i < s->pivots; i++)
			next[i] = dot(s, s->m[i], v);
		double along = which ? dot(s, next, s->vector[0]) : 0;
		for (unsigned i = 0; i < s->pivots; i++)
			next[i] -= which ? along * s->vector[0][i] : 0;
		double length = sqrt(dot(s, next, next));
		for (unsigned i = 0; i < s->pivots; i++)
			v[i] = length > 0 ? next[i] / length : 0;
	}
}

/* OTHER: x, y */
static void layout_spread(struct lpart *p)
{
	AUTO_ARENA struct spread *s = ARENA_NEW(NULL, struct spread);

	s->p = p;
	s->c = ARENA_ARRAY(s, (size_t)p->n * PIVOTS, double);
	if (!take_pivots(s))
		return;
	centre(s);
	for (uint32_t u = 0; u < p->n; u++) {
		const double *row = s->c + (size_t)u * PIVOTS;

		for (unsigned i = 0; i < s->pivots; i++)
			for (unsigned j = 0; j < s->pivots; j++)
				s->m[i][j] += row[i] * row[j];
	}
	for (unsigned k = 0; k < 2; k++) {
		double lo = INFINITY, hi = -INFINITY;
		float *to = k ? p->y : p->x;

		find_vector(s, k);
		/* along the vector, scaled to 0 .. 1; the lowest name is in the lower half */
		for (uint32_t u = 0; u < p->n; u++) {
			to[u] = (float)dot(s, s->c + (size_t)u * PIVOTS, s->vector[k]);
			lo = MIN(to[u], lo);
			hi = MAX(to[u], hi);
		}
		bool turn = to[0] > (lo + hi) / 2;
		for (uint32_t u = 0; u < p->n; u++)
			to[u] = hi > lo ? (float)((turn ? hi - to[u] : to[u] - lo) / (hi - lo)) : 0;
	}
}

/* Groups. In a dragonfly, links inside a group make triangles, and links between groups do not. In a
 * dragonfly+, levels show them: only the tops of groups are linked to one another. */

#define MAX_DEGREE 128 /* of a switch in a group */
#define LEAST_SIZE 3   /* switches of a group */
#define LEAST_GROUPS 3
#define LEAST_LINKED 0.6  /* of the pairs in a group are linked */
#define LEAST_COVERED 0.8 /* of all switches are in groups */
#define PLUS_LINKS 0.1	  /* of all links are between tops */

static void take_groups(struct lpart *p)
{
	AUTO_FREE uint32_t *at = NEW_ARRAY(p->is.n_blocks + 2, uint32_t),
			   *size = NEW_ARRAY(p->is.n_blocks + 1, uint32_t);
	uint32_t least = UINT32_MAX, most = 0;

	p->is.kind = LAYOUT_GROUPS;
	for (uint32_t u = 0; u < p->n; u++)
		at[(p->block[u] == NO_ID ? p->is.n_blocks : p->block[u]) + 1]++;
	for (uint32_t b = 0; b < p->is.n_blocks; b++)
		at[b + 1] += at[b];
	for (uint32_t u = 0; u < p->n; u++)
		p->order[at[p->block[u] == NO_ID ? p->is.n_blocks : p->block[u]]++] = u;
	for (uint32_t u = 0; u < p->n; u++)
		if (p->block[u] != NO_ID)
			size[p->block[u]]++;
	for (uint32_t b = 0; b < p->is.n_blocks; b++) {
		least = MIN(size[b], least);
		most = MAX(size[b], most);
	}
	if (least == most)
		p->is.words = str_printf("%u groups of %u", p->is.n_blocks, most);
	else
		p->is.words = str_printf("%u groups of %u to %u", p->is.n_blocks, least, most);
}

/* Are the sets groups? p->block numbers the groups by their lowest names; NO_ID: in no group. */
static bool are_groups(struct lpart *p, const uint32_t *of, uint32_t sets)
{
	AUTO_FREE uint32_t *size = NEW_ARRAY(sets + 1, uint32_t), *inside = NEW_ARRAY(sets + 1, uint32_t);
	uint32_t groups = 0, covered = 0;

	for (uint32_t u = 0; u < p->n; u++)
		size[of[u]]++;
	for (uint32_t l = 0; l < p->n_links; l++)
		if (of[p->end[2 * l]] == of[p->end[2 * l + 1]])
			inside[of[p->end[2 * l]]]++;
	for (uint32_t k = 0; k < sets; k++) {
		bool good = size[k] >= LEAST_SIZE && inside[k] >= LEAST_LINKED * size[k] * (size[k] - 1) / 2;

		covered += good ? size[k] : 0;
		inside[k] = good ? groups++ : NO_ID;
	}
	for (uint32_t u = 0; u < p->n; u++)
		p->block[u] = inside[of[u]];
	p->is.n_blocks = groups;
	return groups >= LEAST_GROUPS && covered >= LEAST_COVERED * p->n;
}

/* How long is the common beginning of two names? */
static size_t names_alike(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

struct layout_groups_choice {
	uint32_t block, links;
	size_t alike;
};

/* The incomplete group that a single switch belongs to. */
static uint32_t best_group(const struct lpart *p, const uint32_t *size, uint32_t whole, uint32_t u,
			   uint32_t *links)
{
	struct layout_groups_choice best = {.block = NO_ID};

	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (p->block[p->to[i]] != NO_ID)
			links[p->block[p->to[i]]]++;
	for (uint32_t v = 0; v < p->n; v++) {
		struct layout_groups_choice c = {.block = p->block[v]};

		if (c.block == NO_ID || size[c.block] >= whole)
			continue;
		c.links = links[c.block];
		c.alike = names_alike(p->name[u], p->name[v]);
		if (best.block == NO_ID || c.links > best.links ||
		    (c.links == best.links && c.alike > best.alike))
			best = c;
	}
	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (p->block[p->to[i]] != NO_ID)
			links[p->block[p->to[i]]] = 0;
	return best.block;
}

/* by triangles */
static bool layout_is_groups(struct lpart *p)
{
	AUTO_FREE uint32_t *parent = NEW_ARRAY(p->n, uint32_t), *of = NEW_ARRAY(p->n, uint32_t);
	uint32_t most = 0;
	AUTO_FREE uint32_t *triangles = NEW_ARRAY(p->n_links + 1, uint32_t);
	bool found = false, go_on = p->max_degree <= MAX_DEGREE;

	for (uint32_t l = 0; l < p->n_links && go_on; l++) {
		triangles[l] = lpart_shared(p, p->end[2 * l], p->end[2 * l + 1]);
		most = MAX(triangles[l], most);
		go_on = progress_step(p->progress, l);
	}
	for (uint32_t t = 1; t <= most && go_on && !found; t++) {
		for (uint32_t u = 0; u < p->n; u++)
			parent[u] = u;
		for (uint32_t l = 0; l < p->n_links; l++)
			if (triangles[l] >= t)
				lpart_join(parent, p->end[2 * l], p->end[2 * l + 1]);
		found = are_groups(p, of, lpart_number(parent, p->n, of));
		go_on = progress_step(p->progress, t);
	}
	if (found) {
		uint32_t n = p->is.n_blocks, whole = 0;
		AUTO_FREE uint32_t *size = NEW_ARRAY(n + 1, uint32_t), *links = NEW_ARRAY(n + 1, uint32_t);

		for (uint32_t u = 0; u < p->n; u++)
			if (p->block[u] != NO_ID)
				size[p->block[u]]++;
		for (uint32_t b = 0; b < n; b++)
			whole = MAX(size[b], whole);
		for (uint32_t u = 0; u < p->n && progress_step(p->progress, u); u++) {
			if (p->block[u] != NO_ID)
				continue;
			uint32_t b = best_group(p, size, whole, u, links);
			p->block[u] = b;
			if (b != NO_ID)
				size[b]++;
		}
		take_groups(p);
	} else {
		memset(p->block, 0xff, p->n * sizeof(*p->block));
		p->is.n_blocks = 0;
	}
	return found;
}

/* dragonfly+; after layout_is_tree() */
static bool layout_is_plus(struct lpart *p)
{
	AUTO_FREE uint32_t *parent = NEW_ARRAY(p->n, uint32_t);
	uint32_t level = 0, across = 0;
	bool plus = p->is.levels > 1;

	for (uint32_t u = 0; u < p->n; u++)
		parent[u] = u;
	for (uint32_t l = 0; l < p->n_links && plus; l++) {
		uint32_t u = p->end[2 * l], v = p->end[2 * l + 1];

		if (p->level[u] != p->level[v]) {
			lpart_join(parent, u, v);
			continue;
		}
		level = p->level[u];
		across++;
		plus = level == 0;
	}
	if (plus && across > PLUS_LINKS * p->n_links) {
		p->is.n_blocks = lpart_number(parent, p->n, p->block);
		plus = p->is.n_blocks >= LEAST_GROUPS;
	} else {
		plus = false;
	}
	if (plus) {
		take_groups(p);
	} else {
		memset(p->level, 0, p->n);
		memset(p->block, 0xff, p->n * sizeof(*p->block));
		p->is.n_blocks = p->is.levels = p->is.wrong = 0;
	}
	return plus;
}

/* From a fabric to connected parts, and from laid out parts to a layout. */

#define DEVICE_AGGREGATION 0xcf09 /* of Quantum switches */
#define FULL_PART 0.8		  /* of all pairs are linked */

const char *const layout_kind_names[] = {"row", "ring", "chain", "full", "grid", "groups", "tree", "other"};
static_assert(ARRAY_LEN(layout_kind_names) == LAYOUT_OTHER + 1, "a name for each");

/*
 * Number of cabled CA and router ports on each switch, without aggregation nodes.  Those are CAs of device
 * 0xcf09, or with the system image GUID of the switch to which they are cabled. [n_switches], of l.
 */
static uint32_t *layout_hosts(struct layout *l, const struct fabric *f)
{
	uint32_t *hosts = ARENA_ARRAY(l, f->n_switches + 1, uint32_t);

	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t n = f->port_node[p], peer = f->port_peer[p];

		if (peer == NO_ID || node_is_switch(f, n) || !node_is_switch(f, f->port_node[peer]))
			continue;
		uint32_t s = f->port_node[peer];
		if (f->node_device[n] == DEVICE_AGGREGATION ||
		    (f->node_sysguid[n] && f->node_sysguid[n] == f->node_sysguid[s]))
			continue;
		hosts[f->node_switch[s]]++;
	}
	return hosts;
}

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

/* Length of the common beginning of names, without the start of a number and the separator before it. */
static size_t layout_common_beginning(const struct lpart *p, uint32_t block)
{
	const char *one = NULL;
	size_t len = 0;
	bool goes_on = false; /* a number follows */

	for (uint32_t u = 0; u < p->n; u++) {
		if (p->block[u] != block)
			continue;
		if (!one) {
			one = p->name[u];
			len = strlen(one);
		}
		size_t k = names_alike(p->name[u], one);
		len = MIN(k, len);
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
	const char *what = p->is.pods ? "pod" : "chassis";

	if (p->is.kind != LAYOUT_TREE)
		what = "group";
	p->is.first = first;
	p->is.first_block = l->n_blocks;
	*is = p->is;
	is->words = p->is.words ? arena_str(l, p->is.words) : NULL; /* NULL: cancelled */
	free(p->is.words);
	l->n_blocks += is->n_blocks;
	l->block_name = arena_resize(l, l->block_name, l->n_blocks + 1, sizeof(*l->block_name));
	for (uint32_t b = 0; b < p->is.n_blocks; b++) {
		uint32_t one = 0;

		while (one < p->n && p->block[one] != b)
			one++;
		size_t len = p->is.pods ? 0 : layout_common_beginning(p, b);
		char *name = str_printf("%.*s", (int)len, p->name[one]);
		for (uint32_t c = p->is.first_block; len && c < p->is.first_block + b; c++)
			if (!strcmp(l->block_name[c], name))
				len = 0;
		if (!len) {
			free(name);
			name = str_printf("%s %u", what, b + 1);
		}
		l->block_name[p->is.first_block + b] = arena_str(l, name);
		free(name);
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
	struct layout *l = ARENA_NEW(NULL, struct layout);
	uint32_t n = f->n_switches;

	atomic_init(&l->refs, 1);
	l->n = n;
	l->part_of = ARENA_ARRAY(l, n + 1, uint32_t);
	l->order = ARENA_ARRAY(l, n + 1, uint32_t);
	l->level = ARENA_ARRAY(l, n + 1, uint8_t);
	l->block = ARENA_ARRAY(l, n + 1, uint32_t);
	l->coord = ARENA_ARRAY(l, (size_t)n * LAYOUT_DIMS + 1, uint16_t);
	l->x = ARENA_ARRAY(l, n + 1, float);
	l->y = ARENA_ARRAY(l, n + 1, float);
	l->hosts = layout_hosts(l, f);
	l->first = ARENA_ARRAY(l, n + 1, uint32_t);
	for (uint32_t s = 0; s < n; s++)
		l->part_of[s] = l->block[s] = NO_ID;
	return l;
}

uint32_t layout_arc(const struct layout *l, uint32_t a, uint32_t b)
{
	assert(a < l->n && b < l->n);
	return arc_find(l->first, l->to, a, b);
}

/* Neighbours by id, and the cables to them. */
static void layout_take_links(struct layout *l, const struct fabric *f, const struct lgraph *w)
{
	AUTO_FREE uint32_t *rank = NEW_ARRAY(l->n + 1, uint32_t),
			   *fill = NEW_ARRAY(w->n_arcs + l->n + 1, uint32_t);

	l->to = ARENA_ARRAY(l, w->n_arcs + 1, uint32_t);
	l->cable = ARENA_ARRAY(l, w->n_arcs + 1, uint32_t);
	l->port = ARENA_ARRAY(l, (size_t)2 * f->n_links + 1, uint32_t);
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
}

struct sized {
	uint32_t low, size;
};

COMPARATOR(sized_order, struct sized, DOWN(size) UP(low))

static bool lay_out_all(struct layout *l, const struct lgraph *w, struct progress *p)
{
	AUTO_FREE struct sized *parts = NEW_ARRAY(l->n + 1, struct sized);
	uint32_t n = 0, first = 0;
	bool go_on = true;

	for (uint32_t r = 0; r < l->n; r++)
		if (w->size[r] > 1)
			parts[n++] = (struct sized){r, w->size[r]};
	qsort(parts, n, sizeof(*parts), sized_order);
	bool all = !n && l->n;
	l->n_parts = n + all;
	l->part = ARENA_ARRAY(l, l->n_parts + 1, struct layout_part);
	for (uint32_t k = 0; k < l->n_parts && go_on; k++) {
		AUTO_ARENA void *arena = ARENA_EMPTY;
		struct lpart part = {.progress = p};

		lpart_make(arena, &part, w, l->hosts, parts[k].low, all);
		part_lay_out(&part);
		take_part(l, &part, k, first);
		first += part.n;
		go_on = !progress_cancelled(p);
	}
	for (uint32_t r = 0; r < l->n && !all; r++)
		if (w->size[w->part[r]] == 1) {
			l->order[first++] = w->by[r].sw;
			l->n_alone++;
		}
	assert(!go_on || first == l->n);
	return go_on;
}

struct layout *layout_new(const struct fabric *f, const uint32_t *chassis, struct progress *p, struct err *e)
{
	size_t room = f->n_links * (2 * sizeof(struct larc) + 60ul) + f->n_switches * 1200ul;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct lgraph w;

	if (mem_room(e, room, "the layout of %s", PLURAL(f->n_switches, "switch")))
		return NULL;
	progress_start(p, "layout", 0);
	lgraph_make(arena, &w, f, NULL, chassis);
	struct layout *l = layout_arrays(f);
	layout_take_links(l, f, &w);
	if (lay_out_all(l, &w, p))
		return l;
	layout_unref(l);
	err_set(e, CANCELLED);
	return NULL;
}

COUNTED(struct layout, struct layout, layout_ref, layout_unref, arena_free)
