/* From a fabric to connected parts, and from laid out parts to a layout. */
#include "core/analysis/shape/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/internal.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/order.h"

#define DEVICE_AGGREGATION 0xcf09 /* of Quantum switches */
#define MANY_HOSTS(with, n) (2 * (with) > (n) || !(with))
#define FULL_PART 0.8 /* of all pairs */

const char *const layout_kind_names[] = {"row", "ring", "chain", "full", "grid", "groups", "tree", "other"};

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
	return *a ? 1 : *b ? -1 : 0;
}

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

/* --- the graph of all switches, by rank of their names --- */

struct named {
	const char *name;
	uint64_t guid;
	uint32_t sw;
};

COMPARATOR(named_order, struct named, FIELD_BY(layout_name_order, name) TEXT(name) UP(guid))

struct arc {
	uint32_t from, to;
	uint8_t port, peer_port; /* lowest of the cables */
	uint32_t cables;
};

COMPARATOR(arc_order, struct arc, UP(from) UP(to))

struct whole {
	const struct fabric *f;
	const uint32_t *chassis;
	struct named *by; /* [n] in order of names */
	uint32_t *first;  /* [n + 1] arcs of each, by rank */
	struct arc *arc;
	uint32_t n_arcs;
	uint32_t *part;	 /* [n] lowest rank in the same part */
	uint32_t *size;	 /* [n] of the part of that lowest rank */
	uint32_t *local; /* [n] number within its part */
};

static void take_arcs(struct whole *w, const uint32_t *rank)
{
	const struct fabric *f = w->f;

	w->arc = NEW_ARRAY((size_t)2 * f->n_links + 1, struct arc);
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->link_port[2 * l], b = f->link_port[2 * l + 1];
		uint32_t u = f->node_switch[f->port_node[a]], v = f->node_switch[f->port_node[b]];

		if (u == NO_ID || v == NO_ID || u == v)
			continue;
		w->arc[w->n_arcs++] = (struct arc){rank[u], rank[v], f->port_num[a], f->port_num[b], 1};
		w->arc[w->n_arcs++] = (struct arc){rank[v], rank[u], f->port_num[b], f->port_num[a], 1};
	}
	qsort(w->arc, w->n_arcs, sizeof(*w->arc), arc_order);
}

/* Parallel cables become one arc. */
static void fold_arcs(struct whole *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n_arcs; i++) {
		struct arc *a = &w->arc[i], *last = n ? &w->arc[n - 1] : NULL;

		if (!last || arc_order(a, last)) {
			w->arc[n++] = *a;
			continue;
		}
		last->cables++;
		last->port = a->port < last->port ? a->port : last->port;
		last->peer_port = a->peer_port < last->peer_port ? a->peer_port : last->peer_port;
	}
	w->n_arcs = n;
	for (uint32_t i = 0; i < n; i++)
		w->first[w->arc[i].from + 1]++;
	for (uint32_t u = 0; u < w->f->n_switches; u++)
		w->first[u + 1] += w->first[u];
}

static void whole_free(struct whole *w)
{
	free(w->by);
	free(w->first);
	free(w->arc);
	free(w->part);
	free(w->size);
	free(w->local);
}

static void whole_make(struct whole *w, const struct fabric *f, const uint32_t *chassis)
{
	uint32_t n = f->n_switches, *rank = NEW_ARRAY(n + 1, uint32_t);

	*w = (struct whole){.f = f, .chassis = chassis};
	w->by = NEW_ARRAY(n + 1, struct named);
	w->first = NEW_ARRAY(n + 1, uint32_t);
	w->part = NEW_ARRAY(n + 1, uint32_t);
	w->size = NEW_ARRAY(n + 1, uint32_t);
	w->local = NEW_ARRAY(n + 1, uint32_t);
	for (uint32_t s = 0; s < n; s++)
		w->by[s] = (struct named){switch_name(f, s), f->node_guid[f->switch_node[s]], s};
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
		w->part[r] = lpart_find(w->part, r);
		w->local[r] = w->size[w->part[r]]++;
	}
	free(rank);
}

/* --- one part --- */

static void part_free(struct lpart *p)
{
	free(p->sw);
	free(p->name);
	free(p->hosts);
	free(p->chassis);
	free(p->first);
	free(p->to);
	free(p->link);
	free(p->end);
	free(p->port);
	free(p->order);
	free(p->level);
	free(p->block);
	free(p->coord);
	free(p->x);
	free(p->y);
}

static void part_arrays(struct lpart *p, uint32_t n, uint32_t arcs)
{
	p->n = n;
	p->n_links = arcs / 2;
	p->sw = NEW_ARRAY(n, uint32_t);
	p->name = NEW_ARRAY(n, const char *);
	p->hosts = NEW_ARRAY(n, uint32_t);
	p->chassis = NEW_ARRAY(n, uint32_t);
	p->first = NEW_ARRAY(n + 1, uint32_t);
	p->to = NEW_ARRAY(arcs + 1, uint32_t);
	p->link = NEW_ARRAY(arcs + 1, uint32_t);
	p->end = NEW_ARRAY(arcs + 1, uint32_t);
	p->port = NEW_ARRAY(arcs + 1, uint8_t);
	p->order = NEW_ARRAY(n, uint32_t);
	p->level = NEW_ARRAY(n, uint8_t);
	p->block = NEW_ARRAY(n, uint32_t);
	p->coord = NEW_ARRAY((size_t)n * LAYOUT_DIMS, uint16_t);
	p->x = NEW_ARRAY(n, float);
	p->y = NEW_ARRAY(n, float);
}

/* The arcs of rank r, the u'th switch of the part; its links to lower ones are numbered already. */
static void part_arcs(struct lpart *p, const struct whole *w, uint32_t r, uint32_t u, uint32_t *arcs,
		      uint32_t *links)
{
	for (uint32_t i = w->first[r]; i < w->first[r + 1]; i++, (*arcs)++) {
		const struct arc *a = &w->arc[i];
		uint32_t v = w->local[a->to];

		p->to[*arcs] = v;
		if (v < u) {
			p->link[*arcs] = p->link[lpart_arc(p, v, u)];
			continue;
		}
		p->link[*arcs] = *links;
		p->end[2 * *links] = u;
		p->end[2 * *links + 1] = v;
		p->port[2 * *links] = a->port;
		p->port[2 * (*links)++ + 1] = a->peer_port;
	}
	p->first[u + 1] = *arcs;
	if (lpart_degree(p, u) > p->max_degree)
		p->max_degree = lpart_degree(p, u);
}

/* The part whose lowest rank is `low`; all: whatever it is connected to. */
static void part_make(struct lpart *p, const struct whole *w, const uint32_t *hosts, uint32_t low, bool all)
{
	uint32_t n = 0, arcs = 0, links = 0, total = w->f->n_switches;

	for (uint32_t r = low; r < total; r++)
		if (all || w->part[r] == low)
			arcs += w->first[r + 1] - w->first[r];
	part_arrays(p, all ? total : w->size[low], arcs);
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
		part_arcs(p, w, r, n, &arcs, &links);
		n++;
	}
}

/* The other neighbour of u, seen from `from`; NO_ID = there is none. */
static uint32_t walk_on(const struct lpart *p, uint32_t u, uint32_t from)
{
	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (p->to[i] != from)
			return p->to[i];
	return NO_ID;
}

static bool is_line(struct lpart *p)
{
	uint32_t with = 0, at = 0, from = NO_ID;

	for (uint32_t u = 0; u < p->n; u++)
		with += p->hosts[u] > 0;
	if (p->max_degree > 2 || !MANY_HOSTS(with, p->n))
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

/* A square with hosts on two opposite switches is two leaves under two roots. */
static bool is_small_tree(const struct lpart *p)
{
	return p->n == 4 && p->n_links == 4 && p->max_degree == 2;
}

static bool is_row(struct lpart *p)
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
	if (is_row(p) || is_line(p) || is_full(p))
		return;
	if (!is_small_tree(p) && layout_is_grid(p))
		return;
	if (layout_is_groups(p) || layout_is_tree(p) || layout_is_plus(p))
		return;
	p->is.kind = LAYOUT_OTHER;
	p->is.words = str_printf("%u switches", p->n);
	layout_spread(p);
}

/* --- the layout --- */

/* Length of what names begin with alike, without the beginning of a number, and without what parts it. */
static size_t common_beginning(const struct lpart *p, uint32_t block)
{
	const char *one = NULL;
	size_t len = 0;
	bool goes_on = false; /* a number behind it */

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
	/* "g02s" of g02s1, g02s2: the letters belong to what counts on */
	for (size_t k = len; k && isalpha((unsigned char)one[k - 1]); k--)
		if (k > 1 && isdigit((unsigned char)one[k - 2]))
			len = k - 1;
	while (len && !isalnum((unsigned char)one[len - 1]))
		len--;
	return len;
}

static void name_blocks(struct layout *l, const struct lpart *p)
{
	const char *what = p->is.kind != LAYOUT_TREE ? "group" : p->is.pods ? "pod" : "chassis";

	for (uint32_t b = 0; b < p->is.n_blocks; b++) {
		uint32_t one = 0;
		size_t len;
		char *name;

		while (one < p->n && p->block[one] != b)
			one++;
		len = p->is.pods ? 0 : common_beginning(p, b);
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
}

static void take_part(struct layout *l, struct lpart *p, uint32_t number, uint32_t first)
{
	struct layout_part *is = &l->part[number];

	p->is.first = first;
	p->is.first_block = l->n_blocks;
	*is = p->is;
	l->n_blocks += is->n_blocks;
	l->block_name = mem_resize(l->block_name, l->n_blocks + 1, sizeof(*l->block_name));
	name_blocks(l, p);
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

/* Neighbours by id. */
static void take_links(struct layout *l, const struct whole *w)
{
	uint32_t *rank = NEW_ARRAY(l->n + 1, uint32_t), *fill = NEW_ARRAY(l->n + 1, uint32_t);

	l->to = NEW_ARRAY(w->n_arcs + 1, uint32_t);
	l->cables = NEW_ARRAY(w->n_arcs + 1, uint32_t);
	for (uint32_t r = 0; r < l->n; r++)
		rank[w->by[r].sw] = r;
	for (uint32_t s = 0; s < l->n; s++)
		l->first[s + 1] = l->first[s] + w->first[rank[s] + 1] - w->first[rank[s]];
	memcpy(fill, l->first, l->n * sizeof(*fill));
	/* switch after switch as the far end: so neighbours come in ascending order */
	for (uint32_t s = 0; s < l->n; s++)
		for (uint32_t i = w->first[rank[s]]; i < w->first[rank[s] + 1]; i++) {
			uint32_t at = fill[w->by[w->arc[i].to].sw]++;

			l->to[at] = s;
			l->cables[at] = w->arc[i].cables;
		}
	free(rank);
	free(fill);
}

struct sized {
	uint32_t low, size;
};

COMPARATOR(sized_order, struct sized, DOWN(size) UP(low))

static bool lay_out_all(struct layout *l, const struct whole *w, struct progress *p)
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

		part_make(&part, w, l->hosts, parts[k].low, all);
		part_lay_out(&part);
		take_part(l, &part, k, first);
		first += part.n;
		part_free(&part);
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
	size_t room = f->n_links * (2 * sizeof(struct arc) + 60ul) + f->n_switches * 1200ul;
	struct layout *l;
	struct whole w;
	bool done;

	if (mem_room(e, room, "the layout of %s", PLURAL(f->n_switches, "switch")))
		return NULL;
	progress_start(p, "layout", 0);
	whole_make(&w, f, chassis);
	l = layout_arrays(f);
	take_links(l, &w);
	done = lay_out_all(l, &w, p);
	whole_free(&w);
	if (done)
		return l;
	layout_unref(l);
	err_set(e, CANCELLED);
	return NULL;
}

struct layout *layout_ref(const struct layout *l)
{
	struct layout *m = (struct layout *)l;

	if (m)
		atomic_fetch_add(&m->refs, 1);
	return m;
}

void layout_unref(const struct layout *l)
{
	struct layout *m = (struct layout *)l;

	if (!m || atomic_fetch_sub(&m->refs, 1) != 1)
		return;
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
	free(m->cables);
	free(m);
}
