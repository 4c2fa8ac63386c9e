/* The map around one switch: places, and everything that it is cabled to. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/map/map.h"

/* The places of everything around one switch. */

#define BOX_H 4	    /* frame, name, counts */
#define EDGE 5	    /* columns for "+12" where a zone scrolls */
#define FEW_HOSTS 2 /* rows of hosts that deserve a zone of their own */
#define LIST_LINK 4 /* columns between a list and the box */

/* Sets entries per row and the number of rows: as many entries as fit, then spread evenly over these rows. */
static void fill_rows(struct around_zone *z, int w)
{
	int fit = z->cell > 0 ? w / z->cell : 1;

	z->per_row = z->rows = 0;
	if (!z->n)
		return;
	fit = MAX(fit, 1);
	z->rows = (z->n + fit - 1) / fit;
	z->per_row = (z->n + z->rows - 1) / z->rows;
	z->rows = (z->n + z->per_row - 1) / z->per_row;
}

/* Sets the rows that a zone shows, if it gets `room` rows. */
static void show_rows(struct around_zone *z, int room, int w)
{
	z->shown = MAX(0, MIN(z->rows, room));
	if (z->shown < z->rows && z->n) { /* the numbers at the edge need columns */
		fill_rows(z, w - EDGE);
		z->shown = MAX(0, MIN(z->rows, room));
	}
	z->x = MAX(0, (w - z->per_row * z->cell + 1) / 2);
}

/* Shares rows between above and below: half for each, and unused rows go to the other. */
static void around_plan_share_rows(struct around_zone *a, struct around_zone *b, int room, int w)
{
	int half = room / 2, above = MIN(a->rows, MAX(half, room - b->rows));

	show_rows(a, above, w);
	show_rows(b, room - above, w);
}

static void scroll_to(struct around_zone *z, int row, int top)
{
	if (row >= 0 && row < top)
		top = row;
	if (row >= 0 && row >= top + z->shown)
		top = row - z->shown + 1;
	z->top = MAX(0, MIN(top, z->rows - z->shown));
}

/* Rows of the middle: for the box, and for the lists beside it as far as the other zones leave room. */
static int middle_rows(const struct around_want *want, const struct around_places *p, int box_h)
{
	int lists = MAX(want->n[MAP_LEFT], want->n[MAP_RIGHT]), room = want->h;

	room -= want->n[MAP_ABOVE] ? 1 + MIN(2, p->zone[MAP_ABOVE].rows) : 0;
	room -= want->n[MAP_BELOW] ? 1 + MIN(2, p->zone[MAP_BELOW].rows) : 0;
	room -= want->n[MAP_HOSTS] ? 1 : 0;
	return MAX(box_h, MIN(lists, room));
}

/* Places the lists on the left and right, beside the rows of the middle, which begin at y. */
static void place_lists(const struct around_want *want, struct around_places *p, int y, int rows)
{
	for (int s = MAP_LEFT; s <= MAP_RIGHT; s++) {
		struct around_zone *z = &p->zone[s];
		int side = (want->w - p->box_w) / 2 - (s == MAP_LEFT ? 1 : LIST_LINK);

		z->rows = z->n;
		z->per_row = z->n ? 1 : 0;
		z->shown = side > 3 ? MIN(z->n, rows) : 0;
		z->cell = MAX(0, MIN(z->cell, side));
		z->y = y + (rows - z->shown) / 2;
		/* the space behind an entry may be under the link */
		z->x = s == MAP_LEFT ? p->box_x - 1 - z->cell : p->box_x + p->box_w + LIST_LINK;
		z->head = -1;
	}
}

static void place_hosts(struct around_zone *hosts, int left, int w)
{
	hosts->line = hosts->n && left < MIN(hosts->rows, FEW_HOSTS);
	if (hosts->line)
		hosts->shown = 0;
	else
		show_rows(hosts, left, w);
}

/* Sets the rows of all zones, from top to bottom. */
static void stack(const struct around_want *want, struct around_places *p, int middle)
{
	struct around_zone *above = &p->zone[MAP_ABOVE], *below = &p->zone[MAP_BELOW];
	struct around_zone *hosts = &p->zone[MAP_HOSTS];
	int y = 0;

	above->y = 0;
	y += above->shown;
	above->head = above->n && y + middle < want->h ? y++ : -1;
	p->box_y = y + (middle - p->box_h) / 2;
	place_lists(want, p, y, middle);
	y += middle;
	below->head = below->n || hosts->n ? y++ : -1;
	below->y = y;
	y += below->shown;
	hosts->head = -1;
	if (hosts->n)
		hosts->head = below->n ? y++ : below->head;
	hosts->y = y;
}

/* The rows of the box: all of them if there is room or there are many rows; otherwise fewer. */
static int box_rows(const struct around_want *want, const struct around_places *p)
{
	int rows = BOX_H;

	for (int s = 0; s < MAP_SIDES; s++)
		if (s != MAP_LEFT && s != MAP_RIGHT && want->n[s])
			rows += 1 + p->zone[s].rows;
	if (want->h >= 12 || rows <= want->h)
		return BOX_H;
	return want->h >= 9 ? BOX_H - 1 : want->h > 0;
}

void around_plan(const struct around_want *want, struct around_spot cursor, int top[MAP_SIDES],
		 struct around_places *to)
{
	assert(cursor.side >= 0 && cursor.side <= MAP_SIDES);

	int heads, middle, room;

	*to = (struct around_places){0};
	for (int s = 0; s < MAP_SIDES; s++) {
		to->zone[s].n = want->n[s];
		to->zone[s].cell = want->cell[s];
		fill_rows(&to->zone[s], want->w);
	}
	to->box_h = box_rows(want, to);
	to->box_w = MAX(0, MIN(want->box_w, want->w));
	to->box_x = (want->w - to->box_w) / 2;
	middle = middle_rows(want, to, to->box_h);
	heads = (want->n[MAP_ABOVE] > 0) + (want->n[MAP_BELOW] > 0) + (want->n[MAP_HOSTS] > 0);
	room = MAX(0, want->h - middle - heads);
	around_plan_share_rows(&to->zone[MAP_ABOVE], &to->zone[MAP_BELOW], room, want->w);
	place_hosts(&to->zone[MAP_HOSTS], room - to->zone[MAP_ABOVE].shown - to->zone[MAP_BELOW].shown,
		    want->w);
	stack(want, to, middle);
	for (int s = 0; s < MAP_SIDES; s++) {
		struct around_zone *z = &to->zone[s];

		scroll_to(z, cursor.side == s && z->per_row ? cursor.i / z->per_row : -1, top[s]);
		top[s] = z->top;
	}
}

bool around_at(const struct around_places *p, struct around_spot s, int *x, int *y)
{
	assert(s.side >= 0 && s.side <= MAP_SIDES);

	const struct around_zone *z;
	int row;

	if (s.side == MAP_SIDES) {
		*x = p->box_x;
		*y = p->box_y;
		return p->box_h > 0;
	}
	z = &p->zone[s.side];
	if (s.i >= z->n || !z->per_row)
		return false;
	row = s.i / z->per_row - z->top;
	*x = z->x + s.i % z->per_row * z->cell;
	*y = z->y + row;
	return row >= 0 && row < z->shown;
}

/* --- keys ---------------------------------------------------------------------------------- */

/* The middle column of an entry. */
static int column_of(const struct around_places *p, struct around_spot s)
{
	assert(s.side == MAP_SIDES || p->zone[s.side].per_row);

	const struct around_zone *z;

	if (s.side == MAP_SIDES)
		return p->box_x + p->box_w / 2;
	z = &p->zone[s.side];
	return z->x + s.i % z->per_row * z->cell + z->cell / 2;
}

/* The entry of a row that is nearest to a column; of two, the left one. */
static struct around_spot around_plan_nearest(const struct around_places *p, int side, int row, int column)
{
	const struct around_zone *z = &p->zone[side];
	struct around_spot best = {side, row * z->per_row};
	int least_away = -1;

	for (int i = row * z->per_row; i < z->n && i < (row + 1) * z->per_row; i++) {
		int away = column_of(p, (struct around_spot){side, i}) - column;

		away = away < 0 ? -away : away;
		if (least_away >= 0 && away >= least_away)
			continue;
		least_away = away;
		best.i = i;
	}
	return best;
}

/* Goes to the first row of the next zone below. Stays if there is none. */
static struct around_spot enter_below(const struct around_places *p, struct around_spot from, int after)
{
	static const int order[] = {MAP_BELOW, MAP_HOSTS};

	for (unsigned i = 0; i < ARRAY_LEN(order); i++)
		if (order[i] > after && p->zone[order[i]].n)
			return around_plan_nearest(p, order[i], 0, column_of(p, from));
	return from;
}

static struct around_spot enter_above(const struct around_places *p, struct around_spot from)
{
	const struct around_zone *z = &p->zone[MAP_ABOVE];

	return z->n ? around_plan_nearest(p, MAP_ABOVE, z->rows - 1, column_of(p, from)) : from;
}

static struct around_spot step_rows(const struct around_places *p, struct around_spot from, int dy)
{
	static const struct around_spot middle = {MAP_SIDES, 0};
	const struct around_zone *z, *below = &p->zone[MAP_BELOW];
	int row;

	if (from.side == MAP_SIDES)
		return dy < 0 ? enter_above(p, from) : enter_below(p, from, MAP_RIGHT);
	z = &p->zone[from.side];
	row = from.i / z->per_row + dy;
	if (row >= 0 && row < z->rows)
		return around_plan_nearest(p, from.side, row, column_of(p, from));
	if (from.side == MAP_LEFT || from.side == MAP_RIGHT)
		return dy < 0 ? enter_above(p, from) : enter_below(p, from, MAP_RIGHT);
	if (from.side == MAP_ABOVE)
		return dy < 0 ? from : middle;
	if (dy > 0)
		return enter_below(p, from, from.side);
	if (from.side == MAP_HOSTS && below->n)
		return around_plan_nearest(p, MAP_BELOW, below->rows - 1, column_of(p, from));
	return middle;
}

static struct around_spot step_across(const struct around_places *p, struct around_spot from, int dx)
{
	const struct around_zone *z;
	int side = dx < 0 ? MAP_LEFT : MAP_RIGHT, first, last;

	if (from.side == MAP_SIDES) { /* go to the entry of the list that is nearest to the box's row */
		z = &p->zone[side];
		if (!z->n)
			return from;
		return (struct around_spot){side, z->shown ? z->top + (z->shown - 1) / 2 : 0};
	}
	if (from.side == MAP_LEFT || from.side == MAP_RIGHT)
		return from.side == side ? from : (struct around_spot){MAP_SIDES, 0};
	z = &p->zone[from.side];
	first = from.i / z->per_row * z->per_row;
	last = MIN(first + z->per_row, z->n) - 1;
	if (dx < -1)
		from.i = first;
	else if (dx > 1)
		from.i = last;
	else
		from.i = MAX(0, MIN(from.i + dx, z->n - 1));
	return from;
}

struct around_spot around_step(const struct around_places *p, struct around_spot from, int dx, int dy)
{
	assert(from.side <= MAP_SIDES && (!dx || !dy));

	int step = dy < 0 ? -1 : 1;

	if (from.side != MAP_SIDES && (from.side < 0 || from.i < 0 || from.i >= p->zone[from.side].n))
		from = (struct around_spot){MAP_SIDES, 0};
	if (dx)
		return step_across(p, from, dx);
	for (int left = dy * step; left > 0; left--) {
		struct around_spot to = step_rows(p, from, step);

		if (to.side == from.side && to.i == from.i)
			break;
		from = to;
	}
	return from;
}

/* The map around one switch: the switch is in the middle, with everything that it is cabled to. */

#define NAME_MOST 22
#define FEW 4	     /* so few entries of a side keep their whole names */
#define SPACE 2	     /* columns between entries */
#define SIGNS 2	     /* '!' or 'x', and the cursor, after a name */
#define FULL_BAR 2.5 /* times the mean */
#define BOX_LEAST 24 /* columns: "36 switches, 18 hosts" */

enum { UP = 0x2191, DOWN = 0x2193, ACROSS = 0x2500, UPRIGHT = 0x2502, CURSOR = 0x25c2, NOTHING = 0x00b7 };

/* The texts of the entries of one side. */
struct zone_text {
	struct affix affix;
	size_t pre, suf;
	int port_w, name_w;
	bool ways; /* "y+ " stands before each name */
};

/* An earlier middle, and the port by which it was left for the next one. */
struct past {
	uint32_t sw, port;
};

struct around_own {
	uint32_t middle; /* the switch of `entries` */
	const struct layout *layout;
	struct map_entries *entries;
	struct zone_text text[MAP_SIDES];
	struct around_places places; /* as last drawn */
	struct around_spot spot;
	int top[MAP_SIDES];
	struct past *past;
	uint32_t n_past, cap_past;
	bool changed[MAX_PORTS + 2]; /* by port number: entries that use it have changed */
	uint64_t changed_serial;     /* of the scene; 0: not computed */
};

static void forget_entries(struct around_own *o)
{
	map_entries_free(o->entries);
	o->entries = NULL;
	for (int s = 0; s < MAP_SIDES; s++)
		affix_free(&o->text[s].affix);
	o->changed_serial = 0;
}

static void close_around(void *own)
{
	struct around_own *o = own;

	forget_entries(o);
	free(o->past);
}

static void around_renewed(void *own, bool same)
{
	struct around_own *o = own;

	forget_entries(o);
	if (same)
		return;
	o->n_past = 0;
	o->spot = (struct around_spot){MAP_SIDES, 0};
	memset(o->top, 0, sizeof(o->top));
}

/* --- entries -------------------------------------------------------------------------------- */

static const struct map_entry *around_entry_at(const struct around_own *o, struct around_spot s)
{
	if (!o->entries || s.side == MAP_SIDES ||
	    (uint32_t)s.i >= o->entries->first[s.side + 1] - o->entries->first[s.side])
		return NULL;
	return &o->entries->entry[o->entries->first[s.side] + (uint32_t)s.i];
}

/* The entry of a port of the middle, or the middle if no entry has it. */
static struct around_spot around_spot_of(const struct around_own *o, uint32_t port)
{
	for (int s = 0; s < MAP_SIDES && o->entries; s++) {
		for (uint32_t i = o->entries->first[s]; i < o->entries->first[s + 1]; i++) {
			const struct map_entry *e = &o->entries->entry[i];

			for (uint32_t k = 0; k < e->n; k++)
				if (o->entries->port[e->first + k] == port)
					return (struct around_spot){s, (int)(i - o->entries->first[s])};
		}
	}
	return (struct around_spot){MAP_SIDES, 0};
}

/* The lowest port of an entry and its number of cables: "25x4". */
static void around_port_text(const struct fabric *f, const struct map_entry *e, struct text *t)
{
	text_clear(t);
	text_add(t, "%u", f->port_num[e->port]);
	if (e->n > 1)
		text_add(t, "x%u", e->n);
}

/* The name, without what all names of the side share. */
static void around_name_text(const struct fabric *f, const struct zone_text *z, const struct map_entry *e,
			     struct text *t)
{
	AUTO_TEXT struct text clean = {0};

	text_clear(t);
	affix_strip(&z->affix, z->pre, z->suf, clean_string(f->node_name[e->node], &clean), t);
}

/* Finds what the names of a side share, and the width of its columns. */
static void measure_side(const struct fabric *f, struct around_own *o, int side, bool ways)
{
	const struct map_entries *m = o->entries;
	struct zone_text *z = &o->text[side];
	uint32_t from = m->first[side], to = m->first[side + 1];
	AUTO_TEXT struct text t = {0}, clean = {0};

	*z = (struct zone_text){.ways = ways && (side == MAP_ABOVE || side == MAP_BELOW)};
	for (uint32_t i = from; i < to && to - from > FEW && side != MAP_HOSTS; i++) {
		const char *name = clean_string(f->node_name[m->entry[i].node], &clean);

		affix_note(&z->affix, name, canvas_columns(name));
	}
	affix_get(&z->affix, &z->pre, &z->suf);
	for (uint32_t i = from; i < to; i++) {
		int w;

		around_port_text(f, &m->entry[i], &t);
		z->port_w = (int)t.len > z->port_w ? (int)t.len : z->port_w;
		around_name_text(f, z, &m->entry[i], &t);
		w = canvas_columns(text_str(&t));
		w = MIN(w, NAME_MOST);
		z->name_w = MAX(w, z->name_w);
	}
}

/* Prepares the entries of the selected switch. NULL when none is selected. */
static struct around_own *around_prepare(const struct view *v)
{
	const struct map *m = map_of(v);
	const struct fabric *f = v->scene->fabric;
	struct around_own *o = map_own(v, &map_around);
	uint32_t sw = map_selected(v);
	const struct layout_part *p;

	if (sw == NO_ID || !m->layout || !f)
		return NULL;
	if (o->entries && o->middle == sw && o->layout == m->layout)
		return o;
	if (o->middle != sw || o->layout != m->layout) {
		o->spot = (struct around_spot){MAP_SIDES, 0};
		memset(o->top, 0, sizeof(o->top));
	}
	forget_entries(o);
	o->middle = sw;
	o->layout = m->layout;
	o->entries = map_entries_new(f, m->layout, sw);
	p = m->layout->part_of[sw] == NO_ID ? NULL : &m->layout->part[m->layout->part_of[sw]];
	for (int s = 0; s < MAP_SIDES; s++)
		measure_side(f, o, s, p && p->kind == LAYOUT_GRID && p->n_dims > 2);
	if (!around_entry_at(o, o->spot))
		o->spot = (struct around_spot){MAP_SIDES, 0};
	return o;
}

/* Finds the ports of the middle whose entries the last event changed. */
static void look_at_changes(const struct view *v, struct around_own *o)
{
	const struct scene *sc = v->scene;
	const struct comparison *c = sc->change;
	unsigned top = 0;

	if (o->changed_serial == sc->serial)
		return;
	o->changed_serial = sc->serial;
	memset(o->changed, 0, sizeof(o->changed));
	if (!c || !c->switch_entries || !c->switch_entries[o->middle])
		return;
	if (sc->sweep)
		top = sc->sweep->lids->max_lid;
	if (sc->before && sc->before->lids->max_lid > top)
		top = sc->before->lids->max_lid;
	for (unsigned lid = 1; lid <= top; lid++) {
		uint8_t was, now;

		if (entry_changed(c, o->middle, lid, &was, &now))
			o->changed[was] = o->changed[now] = true;
	}
	o->changed[NO_PATH] = false;
}

/* --- the look of an entry ----------------------------------------------------------------------------- */

struct entry_look {
	uint32_t out, in; /* routes on its busiest cable */
	bool down, changed;
	uint8_t there, here; /* MAP_ON_ bits out of the middle, and into it */
};

static struct entry_look around_look_of(const struct view *v, const struct around_own *o,
					const struct map_entry *e)
{
	const struct map *m = map_of(v);
	const struct fabric *f = v->scene->fabric;
	struct entry_look l = {.down = true};

	for (uint32_t i = 0; i < e->n; i++) {
		uint32_t port = o->entries->port[e->first + i], peer = f->port_peer[port];
		uint32_t link = f->port_link[port];

		if (link != NO_ID && (!v->scene->data || state_link_up(f, v->scene->data, link)))
			l.down = false;
		if (m->load && m->load[port] > l.out)
			l.out = m->load[port];
		if (m->load && m->load[peer] > l.in)
			l.in = m->load[peer];
		if (m->channel) {
			l.there |= m->channel[port];
			l.here |= m->channel[peer];
		}
		l.changed |= o->changed[f->port_num[port]];
	}
	return l;
}

#define SHOWN_BITS (MAP_ON_PATH | MAP_ON_BACK | MAP_ON_CYCLE | MAP_ON_LAYER)

/* Draws one bar: eighths of a column (in ASCII a digit of ninths), or · for nothing. */
static void around_put_bar(const struct view *v, struct canvas *c, int x, int y, uint32_t load, uint8_t bits)
{
	const struct map *m = map_of(v);
	int steps = c->ascii ? 9 : 8, step;
	enum canvas_role role =
		map_channel_role(bits, (enum canvas_role)(CANVAS_SHADE0 + map_shade(m, load)));
	struct canvas_cell *cell;
	uint32_t ch = NOTHING;

	if (!m->load)
		return;
	if (load) {
		double part = m->mean > 0 ? load / (FULL_BAR * m->mean) * steps : steps;

		step = part >= steps ? steps : (int)(MAX(part, 1) + 0.5);
		ch = c->ascii ? (uint32_t)('0' + step) : 0x2580u + (uint32_t)step;
	}
	cell = canvas_put(c, x, y, ch, role);
	if (cell && bits & SHOWN_BITS)
		cell->bold = true;
}

/*
 * Draws the sign between port and bars if an overlay runs over the entry: out of the middle, into it, or
 * both.
 */
static void put_direction(struct canvas *c, int x, int y, const struct entry_look *l)
{
	bool there = l->there & SHOWN_BITS, here = l->here & SHOWN_BITS;
	struct canvas_cell *cell;

	if (!there && !here)
		return;
	cell = canvas_put(c, x, y,
			  there && here ? '='
			  : there	? '>'
					: '<',
			  map_channel_role(there ? l->there : l->here, CANVAS_PLAIN));
	if (cell)
		cell->bold = true;
}

/* --- drawing ----------------------------------------------------------------------------------- */

/* Is there a column for marks of neighbours? ● on all of them would say nothing. */
static bool with_marks(const struct map *m)
{
	return m->overlay != MAP_NONE && m->overlay != MAP_LINKS;
}

/* The room left for an entry before column `end`. */
static int room_to(int x, int end)
{
	return end > x ? end - x : 0;
}

/* Draws an entry, if its zone shows it. */
static void put_entry(const struct view *v, struct canvas *c, const struct around_own *o,
		      struct around_spot s)
{
	assert(around_entry_at(o, s));

	const struct map *m = map_of(v);
	const struct map_entry *e = around_entry_at(o, s);
	const struct zone_text *z = &o->text[s.side];
	struct entry_look l = around_look_of(v, o, e);
	int x, y;

	if (!around_at(&o->places, s, &x, &y))
		return;
	int from = x, end = x + MIN(o->places.zone[s.side].cell, c->w) - SPACE;
	bool cursor = o->spot.side == s.side && o->spot.i == s.i;
	enum canvas_role role = l.changed ? CANVAS_CHANGED : CANVAS_PLAIN;
	AUTO_TEXT struct text t = {0};

	if (l.down)
		role = CANVAS_BAD;
	if (s.side != MAP_HOSTS && z->ways) {
		canvas_text(c, x, y, room_to(x, end), e->way, CANVAS_LABEL);
		x += 3;
	}
	around_port_text(v->scene->fabric, e, &t);
	x += z->port_w;
	canvas_text(c, x - (int)t.len, y, room_to(x - (int)t.len, end), text_str(&t), CANVAS_PLAIN);
	if (s.side != MAP_HOSTS && x + 3 <= end) {
		put_direction(c, x, y, &l);
		if (l.down)
			canvas_put(c, x + 1, y, 'x', CANVAS_BAD);
		else
			around_put_bar(v, c, x + 1, y, l.out, l.there);
		if (!l.down)
			around_put_bar(v, c, x + 2, y, l.in, l.here);
	}
	x += s.side != MAP_HOSTS ? 4 : 1;
	if (s.side != MAP_HOSTS && with_marks(m)) {
		if (x < end && map_cell_of(v, e->sw).bold)
			map_put(v, c, x, y, e->sw);
		x += 2;
	}
	around_name_text(v->scene->fabric, z, e, &t);
	x += canvas_text_cut(c, x, y, MIN(room_to(x, end - SIGNS), NAME_MOST), text_str(&t), role);
	if (s.side == MAP_HOSTS && l.down)
		canvas_put(c, x++, y, 'x', CANVAS_BAD);
	else if (l.changed)
		canvas_put(c, x++, y, '!', CANVAS_CHANGED);
	if (cursor)
		canvas_put(c, x, y, CURSOR, CANVAS_SELECTED);
	canvas_object(c, from, y, end - from, 1, map_object(m, o->middle, e->port));
}

/* "↑ 18 core-*" at the left end of a connecting line. */
static void around_put_head(struct canvas *c, const struct around_own *o, int side, uint32_t arrow)
{
	const struct around_zone *z = &o->places.zone[side];
	const struct zone_text *t = &o->text[side];
	AUTO_TEXT struct text head = {0};

	if (z->head < 0 || !z->n)
		return;
	if (z->n > FEW || z->shown < z->rows) {
		text_add(&head, "%d", z->n);
		if (t->pre + t->suf)
			text_add(&head, " %.*s*%s", (int)t->pre, t->affix.like,
				 t->affix.like + t->affix.len - t->suf);
		canvas_put(c, 1, z->head, arrow, CANVAS_LABEL);
		canvas_text_cut(c, 3, z->head, c->w - 4, text_str(&head), CANVAS_LABEL);
	}
}

/* "+12" at the right edge of a zone's first or last row, if there are more entries. */
static void put_more(struct canvas *c, const struct around_zone *z)
{
	int before = z->top * z->per_row, after = z->n - (z->top + z->shown) * z->per_row;

	if (!z->shown)
		return;
	if (before > 0)
		canvas_textf(c, c->w - 4, z->y, CANVAS_LABEL, "+%d", before);
	if (after > 0)
		canvas_textf(c, c->w - 4, z->y + z->shown - 1, CANVAS_LABEL, "+%d", after);
}

static void put_zone(const struct view *v, struct canvas *c, const struct around_own *o, int side)
{
	const struct around_zone *z = &o->places.zone[side];

	for (int i = z->top * z->per_row; i < z->n && i < (z->top + z->shown) * z->per_row; i++)
		put_entry(v, c, o, (struct around_spot){side, i});
}

/* "17 hosts" above rows of hosts; or the heading alone, if there is only one line. */
static void put_hosts_head(const struct view *v, struct canvas *c, const struct around_own *o)
{
	const struct fabric *f = v->scene->fabric;
	const struct around_zone *z = &o->places.zone[MAP_HOSTS];
	const struct map_entries *m = o->entries;
	const struct map_entry *e = m->entry + m->first[MAP_HOSTS], *at = around_entry_at(o, o->spot);
	uint32_t hosts = map_of(v)->layout->hosts[o->middle], last = (uint32_t)z->n - 1;
	AUTO_TEXT struct text t = {0};

	if (z->head < 0 || !z->n)
		return;
	text_add(&t, "%s", PLURAL(hosts, "host"));
	if (hosts < (uint32_t)z->n)
		text_add(&t, " and %u more", (uint32_t)z->n - hosts);
	if (z->line && z->n > 1)
		text_add(&t, " on ports %u..%u: %s .. %s", f->port_num[e->port], f->port_num[e[last].port],
			 f->node_name[e->node], f->node_name[e[last].node]);
	else if (z->line)
		text_add(&t, " on port %u: %s", f->port_num[e->port], f->node_name[e->node]);
	canvas_put(c, 1, z->head, DOWN, CANVAS_LABEL);
	if (z->line && o->spot.side == MAP_HOSTS && at) {
		text_clear(&t);
		text_add(&t, "%s, on port %u: %s", PLURAL(hosts, "host"), f->port_num[at->port],
			 f->node_name[at->node]);
	}
	hosts = (uint32_t)canvas_text_cut(c, 3, z->head, c->w - 5, text_str(&t), CANVAS_LABEL);
	if (z->line && o->spot.side == MAP_HOSTS)
		canvas_put(c, 3 + (int)hosts, z->head, CURSOR, CANVAS_SELECTED);
	if (z->line)
		canvas_object(c, 1, z->head, 2 + (int)hosts, 1,
			      map_object(map_of(v), o->middle,
					 at && o->spot.side == MAP_HOSTS ? at->port : e->port));
}

/*
 * Lines from a list to the box: a bar along the entries, a line from each entry to it, and one on to the box.
 */
static void put_joints(struct canvas *c, const struct around_own *o, int side)
{
	const struct around_zone *z = &o->places.zone[side];
	const struct around_places *p = &o->places;
	int box = p->box_y + (p->box_h > 2 ? 1 : 0);
	int bar = side == MAP_LEFT ? p->box_x - 2 : p->box_x + p->box_w + 1;
	int edge = side == MAP_LEFT ? p->box_x - 1 : p->box_x + p->box_w, list = 2 * bar - edge;
	int from, to;

	if (!z->shown)
		return;
	from = MIN(z->y, box);
	to = z->y + z->shown - 1 > box ? z->y + z->shown - 1 : box;
	for (int y = from; y <= to; y++) {
		bool entry = y >= z->y && y < z->y + z->shown;
		uint32_t ch = side == MAP_LEFT ? 0x2524 : 0x251c; /* ┤ ├ */
		uint32_t to_box = side == MAP_LEFT ? 0x251c : 0x2524;

		if (from == to)
			ch = ACROSS;
		else if (y == box)
			ch = entry ? 0x253c : to_box;
		else if (!entry)
			ch = UPRIGHT;
		if (entry)
			canvas_put(c, list, y, ACROSS, CANVAS_DIM);
		if (y == box)
			canvas_put(c, edge, y, ACROSS, CANVAS_DIM);
		canvas_put(c, bar, y, ch, CANVAS_DIM);
	}
}

static void around_put_box(const struct view *v, struct canvas *c, const struct around_own *o)
{
	const struct map *m = map_of(v);
	const struct around_places *p = &o->places;
	const char *name = switch_name(v->scene->fabric, o->middle);
	uint32_t switches = o->entries->first[MAP_HOSTS];
	int in = p->box_w - 2, w = canvas_columns(name);
	enum canvas_role role = o->spot.side == MAP_SIDES ? CANVAS_SELECTED : CANVAS_PLAIN;
	AUTO_TEXT struct text counts = {0};

	if (!p->box_h)
		return;
	w = MIN(w, in);
	if (p->box_h == 1) {
		canvas_put(c, p->box_x, p->box_y, '[', CANVAS_DIM);
		canvas_text_cut(c, p->box_x + 1 + (in - w) / 2, p->box_y, in, name, role);
		canvas_put(c, p->box_x + p->box_w - 1, p->box_y, ']', CANVAS_DIM);
	} else {
		canvas_box(c, p->box_x, p->box_y, p->box_w, p->box_h, CANVAS_DIM);
		canvas_text_cut(c, p->box_x + 1 + (in - w) / 2, p->box_y + 1, in, name, role);
		if (map_cell_of(v, o->middle).ch != 'S')
			map_put(v, c, p->box_x + 1, p->box_y + 1, o->middle);
	}
	if (p->box_h > 3) {
		text_add(&counts, "%s, %s", PLURAL(switches, "switch"),
			 PLURAL(m->layout->hosts[o->middle], "host"));
		w = canvas_columns(text_str(&counts));
		if (w <= in)
			canvas_text(c, p->box_x + 1 + (in - w) / 2, p->box_y + 2, in, text_str(&counts),
				    CANVAS_PLAIN);
	}
	canvas_object(c, p->box_x, p->box_y, p->box_w, p->box_h, map_object(m, o->middle, NO_ID));
}

static void plan(const struct view *v, struct around_own *o, int w, int h)
{
	struct around_want want = {.w = w, .h = h};
	const char *name = switch_name(v->scene->fabric, o->middle);

	want.box_w = canvas_columns(name) + 6;
	if (want.box_w < BOX_LEAST)
		want.box_w = BOX_LEAST;
	if (w < 3 * BOX_LEAST && want.box_w > w / 3) { /* the neighbours' names matter more */
		want.box_w = canvas_columns(name) + 4;
		if (want.box_w > w / 3)
			want.box_w = w / 3;
	}
	for (int s = 0; s < MAP_SIDES; s++) {
		want.n[s] = (int)(o->entries->first[s + 1] - o->entries->first[s]);
		want.cell[s] = o->text[s].port_w + 1 + o->text[s].name_w + SIGNS + SPACE;
		if (s != MAP_HOSTS)
			want.cell[s] += 3 + 3 * o->text[s].ways + 2 * with_marks(map_of(v));
	}
	around_plan(&want, o->spot, o->top, &o->places);
}

/* The line between the box and a zone, crossing the zone's connecting line. */
static void put_stem(struct canvas *c, int y)
{
	if (y >= 0)
		canvas_down(c, c->w / 2, y, y, UPRIGHT, CANVAS_DIM);
}

static void around_draw(struct view *v, struct canvas *c)
{
	struct around_own *o = around_prepare(v);

	if (!o) {
		canvas_text(c, 1, 0, c->w - 1, "no switch is selected", CANVAS_LABEL);
		return;
	}
	look_at_changes(v, o);
	plan(v, o, c->w, c->h);
	around_put_box(v, c, o);
	for (int s = 0; s < MAP_SIDES; s++) {
		put_zone(v, c, o, s);
		put_more(c, &o->places.zone[s]);
	}
	around_put_head(c, o, MAP_ABOVE, UP);
	around_put_head(c, o, MAP_BELOW, DOWN);
	put_hosts_head(v, c, o);
	for (int s = MAP_LEFT; s <= MAP_RIGHT; s++)
		put_joints(c, o, s);
	put_stem(c, o->places.zone[MAP_ABOVE].head);
	put_stem(c, o->places.zone[MAP_BELOW].head);
}

static void around_title(const struct view *v, struct text *t)
{
	uint32_t sw = map_selected(v);
	size_t was;

	text_add(t, "Around");
	if (sw == NO_ID)
		return;
	text_add(t, " %s", switch_name(v->scene->fabric, sw));
	was = t->len;
	text_add(t, " ── ");
	map_place_text(v, sw, t);
	if (t->len == was + strlen(" ── "))
		t->s[t->len = was] = 0;
}

/* --- keys -------------------------------------------------------------------------------------- */

static void around_move(struct view *v, int dx, int dy)
{
	struct around_own *o = around_prepare(v);

	if (!o)
		return;
	plan(v, o, map_of(v)->w, map_of(v)->h);
	o->spot = around_step(&o->places, o->spot, dx, dy);
}

static bool around_enter(struct view *v, struct text *t)
{
	struct around_own *o = around_prepare(v);
	const struct fabric *f = v->scene->fabric;
	const struct map_entry *e = o ? around_entry_at(o, o->spot) : NULL;

	if (!o)
		return true;
	if (!e) {
		text_add(t, "pane ports ");
		word_node(f, f->switch_node[o->middle], t);
		return true;
	}
	if (e->sw == NO_ID) {
		text_add(t, "pane hosts; search ");
		word_text(f->node_name[e->node], t);
		return true;
	}
	if (e->sw == o->middle)
		return true;
	GROW(o->past, o->n_past, o->cap_past);
	o->past[o->n_past++] = (struct past){o->middle, e->port};
	map_select(v, e->sw);
	return true;
}

static bool back(struct view *v)
{
	struct around_own *o = map_own(v, &map_around);
	struct past p;

	if (!o->n_past)
		return false;
	p = o->past[--o->n_past];
	map_select(v, p.sw);
	o = around_prepare(v);
	if (o)
		o->spot = around_spot_of(o, p.port);
	return true;
}

static void around_hit(struct view *v, struct canvas_object at)
{
	struct around_own *o = around_prepare(v);

	if (o && at.row != NO_ID)
		o->spot = around_spot_of(o, at.port);
}

static bool around_placeholder(const struct view *v, const char *what, struct text *t)
{
	const struct around_own *o = around_prepare(v);
	const struct map_entry *e = o ? around_entry_at(o, o->spot) : NULL;

	if (!e || (strcmp(what, "port") != 0 && strcmp(what, "peer") != 0 && strcmp(what, "object") != 0))
		return false;
	return place_port(v->scene->fabric, e->port, what, t);
}

/* "▸ port 5 to leaf-005[19], 2 cables: 12 routes out, 14 in, 1.0 x the mean" */
static void selection(const struct view *v, struct text *t)
{
	const struct around_own *o = around_prepare(v);
	const struct fabric *f = v->scene->fabric;
	const struct map_entry *e = o ? around_entry_at(o, o->spot) : NULL;
	const struct map *m = map_of(v);
	struct entry_look l;
	uint32_t most;
	char number[PORT_NUMBER_MAX + 1], peer[256];
	const char *idle;

	if (!e)
		return;
	l = around_look_of(v, o, e);
	idle = event_idle(v->scene->event, e->port);
	text_add(t, "port %s to %s", port_number(f, e->port, number, sizeof(number)),
		 port_label(f, f->port_peer[e->port], peer, sizeof(peer)));
	if (e->n > 1)
		text_add(t, ", %s", PLURAL(e->n, "cable"));
	if (l.down)
		text_add(t, "  %s", idle ? idle : "down");
	else if (m->load) {
		most = MAX(l.out, l.in);
		text_add(t, "  %s out, %u in", PLURAL(l.out, "route"), l.in);
		if (m->mean > 0 && e->sw != NO_ID)
			text_add(t, ", %.1f x the mean", most / m->mean);
	}
	if (l.changed)
		text_add(t, "  entries changed");
}

const struct map_scale map_around = {
	.name = "around",
	.own = 2,
	.own_size = sizeof(struct around_own),
	.title = around_title,
	.draw = around_draw,
	.below = 1,
	.move = around_move,
	.enter = around_enter,
	.back = back,
	.hit = around_hit,
	.placeholder = around_placeholder,
	.selection = selection,
	.renewed = around_renewed,
	.close = close_around,
};
