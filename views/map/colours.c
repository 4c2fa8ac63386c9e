/* What all scales of the map share: cables, the selection, colours of switches. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/trace/walk.h"
#include "views/map/map.h"

/* The cables of a fabric as its map shows them. */

/* The switch's index in the order of its part. */
static uint32_t place_in_part(const struct layout *l, const struct layout_part *p, uint32_t sw)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (l->order[p->first + i] == sw)
			return i;
	return 0;
}

static enum map_side side_of(const struct layout *l, uint32_t a, uint32_t b, char way[4])
{
	const struct layout_part *p;

	if (a == b || l->part_of[a] == NO_ID)
		return MAP_RIGHT;
	p = &l->part[l->part_of[a]];
	switch (p->kind) {
		struct grid_way w;
		uint32_t i;
		uint32_t k;

	case LAYOUT_GRID:
		w = grid_way(l, a, b);
		if (!w.differ)
			return MAP_RIGHT;
		way[0] = w.dim < 3 ? "xyz"[w.dim] : (char)('0' + w.dim);
		way[1] = w.by > 0 ? '+' : '-';
		if (w.dim == 0)
			return w.by > 0 ? MAP_RIGHT : MAP_LEFT;
		return w.by > 0 ? MAP_ABOVE : MAP_BELOW;
	case LAYOUT_RING:
	case LAYOUT_CHAIN:
	case LAYOUT_ROW:
		i = place_in_part(l, p, a);
		k = place_in_part(l, p, b);
		if (k == i + 1)
			return MAP_RIGHT;
		if (i == k + 1)
			return MAP_LEFT;
		if (p->kind == LAYOUT_RING && p->n > 2 && (i + 1) % p->n == k)
			return MAP_RIGHT;
		if (p->kind == LAYOUT_RING && p->n > 2 && (k + 1) % p->n == i)
			return MAP_LEFT;
		return MAP_BELOW;
	case LAYOUT_GROUPS:
		if (l->block[a] != l->block[b] || l->level[b] < l->level[a])
			return MAP_ABOVE;
		return MAP_BELOW;
	case LAYOUT_TREE:
		if (l->level[b] != l->level[a])
			return l->level[b] < l->level[a] ? MAP_ABOVE : MAP_BELOW;
		return MAP_RIGHT;
	case LAYOUT_FULL:
	case LAYOUT_OTHER:
		break;
	}
	return MAP_ABOVE;
}

COMPARATOR(by_side, struct map_entry, UP(side) UP(port))

struct map_entries *map_entries_new(const struct fabric *f, const struct layout *l, uint32_t middle)
{
	assert(middle < f->n_switches);

	struct map_entries *m = NEW(struct map_entries);
	unsigned n_ports = f->switch_nports[middle];
	uint32_t base = f->switch_port[middle];
	AUTO_FREE uint32_t *next = NEW_ARRAY(n_ports + 1u, uint32_t),
			   *last = NEW_ARRAY(n_ports + 1u, uint32_t);

	m->middle = middle;
	m->entry = NEW_ARRAY(n_ports + 1u, struct map_entry);
	m->port = NEW_ARRAY(n_ports + 1u, uint32_t);
	/* entries by their first port; their cables are lists of port numbers */
	for (unsigned p = 1; p <= n_ports; p++) {
		uint32_t peer = f->port_peer[base + p], node, sw, i;

		if (peer == NO_ID)
			continue;
		node = f->port_node[peer];
		sw = f->node_switch[node];
		if (sw == middle && peer < base + p)
			continue;
		for (i = 0; i < m->n; i++)
			if (sw != NO_ID && m->entry[i].sw == sw)
				break;
		if (i == m->n) {
			struct map_entry *e = &m->entry[m->n++];

			*e = (struct map_entry){.node = node, .sw = sw, .port = base + p, .first = p};
			e->side = (uint8_t)(sw == NO_ID ? MAP_HOSTS : side_of(l, middle, sw, e->way));
		} else {
			next[last[i]] = p;
		}
		last[i] = p;
		m->entry[i].n++;
	}
	if (m->n)
		qsort(m->entry, m->n, sizeof(*m->entry), by_side);
	for (uint32_t i = 0; i < m->n; i++) {
		unsigned p = m->entry[i].first;

		m->entry[i].first = m->n_cables;
		m->first[m->entry[i].side + 1]++;
		for (uint32_t k = 0; k < m->entry[i].n; k++, p = next[p])
			m->port[m->n_cables++] = base + p;
	}
	for (unsigned s = 0; s < MAP_SIDES; s++)
		m->first[s + 1] += m->first[s];
	assert(m->first[MAP_SIDES] == m->n && m->n_cables <= n_ports);
	return m;
}

void map_entries_free(struct map_entries *m)
{
	if (!m)
		return;
	free(m->entry);
	free(m->port);
	free(m);
}

/* The basis of all scales: the selection, a switch as a cell, the words for its place. */

uint32_t map_selected(const struct view *v)
{
	const struct map *m = map_of(v);
	uint32_t row;

	return m->layout && view_selected(v, &row) && row < m->layout->n ? m->layout->order[row] : NO_ID;
}

void map_select(struct view *v, uint32_t sw)
{
	assert(sw == NO_ID || sw < map_of(v)->layout->n);
	if (sw != NO_ID)
		view_select_row(v, map_of(v)->row_of[sw]);
}

void *map_own(const struct view *v, const struct map_scale *scale)
{
	assert(scale->own < ARRAY_LEN(map_of(v)->own));

	void **own = &map_of(v)->own[scale->own];

	if (!*own)
		*own = mem_alloc(scale->own_size);
	return *own;
}

#define LONG_NAME 16

/* "pod 3". A name that tells its kind stands alone; a long name is replaced by its number. */
static void block_text(const struct layout *l, const struct layout_part *is, uint32_t b, struct text *t)
{
	const char *kind = is->kind == LAYOUT_GROUPS ? "group"
			   : is->pods		     ? "pod"
						     : "chassis",
		   *name = l->block_name[b];

	if (strlen(name) > LONG_NAME)
		text_add(t, "%s %u", kind, b - is->first_block + 1);
	else if (strncmp(name, kind, strlen(kind)))
		text_add(t, "%s %s", kind, name);
	else
		text_add(t, "%s", name);
}

void map_place_text(const struct view *v, uint32_t sw, struct text *t)
{
	const struct layout *l = map_of(v)->layout;
	const struct layout_part *is = l->part_of[sw] == NO_ID ? NULL : &l->part[l->part_of[sw]];
	size_t from = t->len;

	assert(sw < l->n);
	if (!is) {
		text_add(t, "not connected");
		return;
	}
	if (is->kind == LAYOUT_GRID && *layout_coord(l, sw) == LAYOUT_BESIDE) {
		text_add(t, "beside the grid");
	} else if (is->kind == LAYOUT_GRID) {
		for (unsigned d = 0; d < is->n_dims; d++)
			text_add(t, "%s%u", d ? "," : "(", layout_coord(l, sw)[d]);
		text_add(t, ")");
	} else if (is->kind == LAYOUT_TREE) {
		text_add(t, "level %u", l->level[sw]);
	}
	if (is->kind == LAYOUT_RING || is->kind == LAYOUT_CHAIN)
		text_add(t, "place %u of %u", map_of(v)->row_of[sw] - is->first + 1, is->n);
	if (l->block[sw] != NO_ID) {
		text_add(t, "%s", t->len > from ? ", " : "");
		block_text(l, is, l->block[sw], t);
	}
	if (l->n_parts > 1)
		text_add(t, "%spart %u", t->len > from ? ", " : "", l->part_of[sw] + 1);
}

struct map_cell map_cell_of(const struct view *v, uint32_t sw)
{
	assert(sw < map_of(v)->layout->n);

	const struct map *m = map_of(v);
	bool selected = map_selected(v) == sw, digits = map_colour_digits(v);
	struct map_cell c = {.ch = m->look[sw].ch, .role = m->look[sw].role, .weight = m->look[sw].weight};

	if (m->shown && !m->shown[sw])
		return (struct map_cell){.ch = 0x00b7, .role = CANVAS_DIM};
	if (selected)
		c = (struct map_cell){
			.ch = digits ? c.ch : 'S', .role = CANVAS_SELECTED, .bold = true, .weight = 300};
	if (m->mark && m->mark[sw])
		c = (struct map_cell){.ch = digits && m->mark[sw] == MAP_DISC ? c.ch : m->mark[sw],
				      .role = m->mark_role[sw],
				      .bold = true,
				      .weight = 400};
	if (m->down[sw] && m->mark && m->mark[sw] != '<' && m->mark[sw] != '>')
		c = (struct map_cell){.ch = 'x', .role = CANVAS_BAD, .bold = true, .weight = 500};
	c.reverse = selected;
	return c;
}

void map_put(const struct view *v, struct canvas *c, int x, int y, uint32_t sw)
{
	struct map_cell is = map_cell_of(v, sw);
	struct canvas_cell *cell = canvas_put(c, x, y, is.ch, (enum canvas_role)is.role);

	if (!cell)
		return;
	cell->bold = is.bold;
	cell->reverse = is.reverse;
	cell->object = map_object(map_of(v), sw, NO_ID);
}

enum canvas_role map_channel_role(uint8_t bits, enum canvas_role plain)
{
	if (bits & MAP_ON_PATH)
		return CANVAS_PATH;
	return bits & MAP_ON_BACK    ? CANVAS_BACK
	       : bits & MAP_ON_CYCLE ? CANVAS_CYCLE
	       : bits & MAP_ON_LAYER ? CANVAS_PATH
				     : plain;
}

/* The map's colours: how each switch looks if it is not marked. */

static const uint32_t shade_char[] = {0x00b7, 0x2591, 0x2592, 0x2593, 0x2588}; /* · ░ ▒ ▓ █ */
static_assert(ARRAY_LEN(shade_char) == CANVAS_SHADE4 - CANVAS_SHADE0 + 1, "a sign for each shade");

unsigned map_shade(const struct map *m, uint32_t load)
{
	return picture_load_class(load, m->mean);
}

/* --- one function per colour ------------------------------------------------------------------------ */

static struct map_look colours_letter(unsigned n, const char *letters)
{
	size_t len = strlen(letters);

	return (struct map_look){(uint32_t)(unsigned char)letters[n < len ? n : len - 1], CANVAS_PLAIN,
				 (uint8_t)(n < 254 ? n + 1 : 255)};
}

static const char counts[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* Shows ranks. The rank of most switches on a level is the usual one of the level. */
static void look_rank(struct view *v)
{
	const struct routing *r = scene_routing(v->scene);
	struct map *m = map_of(v);
	AUTO_FREE uint32_t *votes = NEW_ARRAY(256 * 64, uint32_t);
	uint32_t usual[256], unranked = scene_unfinished(v->scene, T_RANK) ? '.' : '-';

	for (uint32_t s = 0; s < m->layout->n; s++) {
		uint32_t rank = r->ops->rank(r, s);

		if (rank < 64)
			votes[m->layout->level[s] * 64 + rank]++;
	}
	for (unsigned l = 0; l < 256; l++) {
		usual[l] = 0;
		for (unsigned k = 1; k < 64; k++)
			if (votes[l * 64 + k] > votes[l * 64 + usual[l]])
				usual[l] = k;
	}
	for (uint32_t s = 0; s < m->layout->n; s++) {
		uint32_t rank = r->ops->rank(r, s), part = m->layout->part_of[s];
		bool tree = part != NO_ID && m->layout->part[part].kind == LAYOUT_TREE;

		m->look[s] = rank == NO_RANK ? (struct map_look){unranked, CANVAS_PLAIN, 0}
					     : colours_letter(rank, counts);
		if (moment_touched(v->scene->moment, T_RANK, s)) {
			m->look[s].role = CANVAS_PATH;
			m->look[s].weight = 255;
		} else if (rank == NO_RANK && v->scene->moment) {
			m->look[s].role = CANVAS_DIM;
		} else if (tree && rank != usual[m->layout->level[s]]) {
			m->look[s].role = CANVAS_CHANGED;
			m->look[s].weight = 255;
		}
	}
}

/* Chassis get letters in the order in which they appear in the drawing. */
static void look_chassis(struct view *v, const struct view_chassis *c)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	struct map *m = map_of(v);
	AUTO_FREE uint32_t *number = NEW_ARRAY(c->el->n + 1, uint32_t);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->layout->n; i++) {
		uint32_t s = m->layout->order[i], e = c->of[s];

		if (e == NO_ID) {
			m->look[s] = (struct map_look){'.', CANVAS_DIM, 0};
			continue;
		}
		if (!number[e])
			number[e] = ++n;
		m->look[s] = colours_letter((number[e] - 1) % (uint32_t)(sizeof(letters) - 1), letters);
		m->look[s].weight = 1;
	}
}

/* All other colours, where each switch is independent of the others. */
static void look_plain(struct view *v, const struct graph *g)
{
	static const uint8_t reached[] = {[REACH_NOT_YET] = 0, [REACH_BEFORE] = 2, [REACH_NOW] = 4};
	struct map *m = map_of(v);
	AUTO_FREE uint16_t *vls = g ? cdg_switch_vls(g->cdg) : NULL;

	for (uint32_t s = 0; s < m->layout->n; s++) {
		unsigned shade = 0;

		if (m->colour == MAP_LAYERS) { /* virtual lanes with routes on its links to switches */
			m->look[s] = colours_letter(vls ? (unsigned)__builtin_popcount(vls[s]) : 0, counts);
			continue;
		}
		if (m->colour == MAP_LOAD && m->busiest)
			shade = map_shade(m, m->busiest[s]);
		else if (m->colour == MAP_CHANGE && m->changed[s])
			shade = 1 + (unsigned)((uint64_t)m->changed[s] * 3 / m->most_changed);
		else if (m->colour == MAP_STEP) /* how far the walk through an engine's run has come */
			shade = reached[v->scene->moment->reach[s]];
		m->look[s] = (struct map_look){shade_char[shade], (uint8_t)(CANVAS_SHADE0 + shade),
					       (uint8_t)shade};
		if (m->colour == MAP_CHANGE && shade)
			m->look[s].role = CANVAS_CHANGED;
	}
}

/* --- the colour in force ------------------------------------------------------------------------------ */

bool map_colour_offered(const struct view *v, enum map_colour c)
{
	struct scene *sc = v->scene;
	const struct routing *r = scene_routing(sc);
	const struct view_chassis *ch;

	switch (c) {
	case MAP_STATE:
		return true;
	case MAP_LOAD:
	case MAP_LAYERS:
		return r != NULL;
	case MAP_RANK:
		return r && r->ops->rank;
	case MAP_CHASSIS:
		ch = scene_chassis(sc, NULL);
		return ch && ch->several;
	case MAP_CHANGE:
		return map_of(v)->most_changed != 0;
	case MAP_STEP:
		return sc->moment != NULL;
	default:
		return false;
	}
}

bool map_colour_digits(const struct view *v)
{
	enum map_colour c = map_of(v)->colour;

	return (c == MAP_RANK || c == MAP_LAYERS) && map_colour_offered(v, c);
}

void map_colours_load(struct view *v)
{
	struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	struct map *m = map_of(v);
	const struct loads *l;

	map_colours_free(m);
	m->look = NEW_ARRAY(m->layout->n + 1, struct map_look);
	m->down = NEW_ARRAY(f->n_switches + 1, uint8_t);
	m->changed = NEW_ARRAY(f->n_switches + 1, uint32_t);
	m->most_changed = 0;
	for (uint32_t s = 0; s < f->n_switches; s++) {
		m->down[s] = !sc->topo->node_up[f->switch_node[s]];
		m->changed[s] = sc->change ? sc->change->switch_entries[s] : 0;
		m->most_changed = MAX(m->changed[s], m->most_changed);
	}
	l = scene_routing(v->scene) ? view_ask_value(v, &task_loads, NULL) : NULL;
	if (l) {
		m->load = l->port;
		m->busiest = loads_busiest(l, f);
		m->mean = l->mean_used;
	}
	if (m->colour == MAP_STATE || !map_colour_offered(v, m->colour)) {
		/* nothing can be shown here, but perhaps after another event */
		for (uint32_t s = 0; s < m->layout->n; s++)
			m->look[s] = (struct map_look){'o', CANVAS_PLAIN, 0};
	} else if (m->colour == MAP_RANK) {
		look_rank(v);
	} else if (m->colour == MAP_CHASSIS) {
		look_chassis(v, scene_chassis(sc, NULL));
	} else {
		look_plain(v, m->colour == MAP_LAYERS ? view_ask_value(v, &task_graph, NULL) : NULL);
	}
}

void map_colours_free(struct map *m)
{
	free(m->look);
	free(m->busiest);
	free(m->down);
	free(m->changed);
	m->look = NULL;
	m->busiest = m->changed = NULL;
	m->down = NULL;
	m->load = NULL;
	m->mean = 0;
}

void map_colour_legend(const struct view *v, struct text *t)
{
	static const char *const text[MAP_COLOURS] = {
		[MAP_STATE] = "o switch",
		[MAP_LAYERS] = "0-9 a-z virtual lanes that its links use",
		[MAP_CHASSIS] = "A-Z a-z chassis  . alone",
		[MAP_STEP] = "· not reached yet  ▒ reached  █ this step"};
	const struct map *m = map_of(v);
	enum map_colour c = map_colour_offered(v, m->colour) ? m->colour : MAP_STATE;

	if (c == MAP_RANK)
		text_add(t, scene_unfinished(v->scene, T_RANK)
				    ? "0-9 a-z rank, . none yet; that of this step stands out"
				    : "0-9 a-z rank, - none; it stands out where others of the level have "
				      "another");
	else if (c == MAP_CHANGE)
		text_add(t, "entries changed: · none  ░ ▒ ▓ █ up to %u", m->most_changed);
	else if (c == MAP_LOAD && !m->busiest)
		text_add(t, "computing the loads");
	else if (c == MAP_LOAD && m->overlay > MAP_LINKS)
		text_add(t, "load, x the mean: · 0 ░ <0.5 ▒ <1.5 ▓ <2.5 █");
	else if (c == MAP_LOAD)
		text_add(t, "load, x the mean: · 0  ░ <0.5  ▒ <1.5  ▓ <2.5  █ more");
	else
		text_add(t, "%s", text[c]);
}

enum canvas_role map_sign_role(const struct view *v, uint32_t ch)
{
	const struct map *m = map_of(v);

	for (uint32_t s = 0; m->mark && s < v->scene->fabric->n_switches; s++)
		if (m->mark[s] == ch)
			return (enum canvas_role)m->mark_role[s];
	if (m->colour == MAP_LOAD || m->colour == MAP_STEP || m->colour == MAP_CHANGE)
		for (unsigned k = 0; k < ARRAY_LEN(shade_char); k++)
			if (shade_char[k] == ch)
				return m->colour == MAP_CHANGE && k ? CANVAS_CHANGED
								    : (enum canvas_role)(CANVAS_SHADE0 + k);
	if (ch == 'x')
		return CANVAS_BAD;
	return ch == '!' ? CANVAS_CHANGED : CANVAS_DIM;
}
