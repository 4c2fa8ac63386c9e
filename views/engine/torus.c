/*
 * The pane `torus`: the torus as torus-2QoS found it, drawn as a map. Columns are x, lines y, planes z (for a
 * 2D torus in y and z: columns y, lines z). Links show the load of the busiest channel relative to the mean,
 * whether they are down, and the dateline. A path is drawn over them, with its VL on each link.
 */
#include <assert.h>
#include <string.h>
#include "core/base/memory.h"
#include "engines/torus/torus.h"
#include "views/base/view.h"

enum { C_Z, C_Y, C_GRID };

static const struct column columns[] = {
	NUM("z", "plane of the torus", 2),
	NUM("y", "row of the plane", 2),
	COL("grid", "switches along x, with the links between them", 20, .flex = 1),
};
static_assert(ARRAY_LEN(columns) == C_GRID + 1, "a column for each C_");

#define LINK_WIDTH 5 /* characters of a link along x */
#define NAME_MIN 4
#define NAME_MAX 20

/* A line of the map: switches, or the links that go up from them along axis 1 or 2. */
struct torus_pane_line {
	uint8_t axis;	      /* 0: switches, with the links between them */
	uint32_t down, plane; /* coordinates along axes 1 and 2 */
};

struct torus_pane {
	bool shown;	  /* the selection was moved to the path once */
	uint32_t x, left; /* chosen column, first column shown */
	const struct torus *t;
	uint8_t axis[TORUS_DIMS];     /* dimensions along a line, down, between planes; flat ones last */
	const struct loads *loads;    /* NULL: missing */
	struct torus_pane_line *line; /* [n_rows] */
	uint32_t *sw; /* [n_places] switch; for an empty place the switch that failed there, or NO_ID */
	unsigned name_width; /* of the longest name */
	struct path path;
	bool traced;	    /* the path is known */
	uint32_t *hop;	    /* [n_places] hop of the path, or NO_ID */
	struct text header; /* header of the grid, with coordinates */
};

static void torus_pane_unload(struct view *v)
{
	struct torus_pane *p = v->priv;

	if (p->traced)
		path_free(&p->path);
	text_free(&p->header);
}

/* --- places --------------------------------------------------------------------------------- */

static uint32_t torus_pane_place_of(const struct torus *t, uint32_t x, uint32_t y, uint32_t z)
{
	assert(x < t->conf.radix[0] && y < t->conf.radix[1] && z < t->conf.radix[2]);
	return x + t->conf.radix[0] * (y + t->conf.radix[1] * z);
}

static void coordinates(const struct torus *t, uint32_t place, uint32_t c[TORUS_DIMS])
{
	c[0] = place % t->conf.radix[0];
	c[1] = place / t->conf.radix[0] % t->conf.radix[1];
	c[2] = place / t->conf.radix[0] / t->conf.radix[1];
}

/* The place at a line of the map and a column. */
static uint32_t place_on(const struct torus_pane *p, const struct torus_pane_line *l, uint32_t column)
{
	uint32_t c[TORUS_DIMS];

	c[p->axis[0]] = column;
	c[p->axis[1]] = l->down;
	c[p->axis[2]] = l->plane;
	return torus_pane_place_of(p->t, c[0], c[1], c[2]);
}

static uint32_t n_columns(const struct torus_pane *p)
{
	return p->t->conf.radix[p->axis[0]];
}

/* The place above in dimension d, or NO_ID at an open end. */
static uint32_t place_above(const struct torus *t, uint32_t place, unsigned d)
{
	uint32_t c[TORUS_DIMS];

	coordinates(t, place, c);
	if (t->conf.radix[d] < 2 || (c[d] + 1 == t->conf.radix[d] && t->conf.open[d]))
		return NO_ID;
	c[d] = (c[d] + 1) % t->conf.radix[d];
	return torus_pane_place_of(t, c[0], c[1], c[2]);
}

/* --- switches that have failed ------------------------------------------------------------------ */

#define CANDIDATES 64

struct votes {
	uint32_t sw[CANDIDATES];
	unsigned n, votes[CANDIDATES];
};

/* Each switch that is down and cabled to a member gets one vote. */
static void vote(const struct torus *t, uint32_t member, struct votes *w)
{
	const struct topo *tp = t->topo;
	const struct fabric *f = tp->fabric;
	uint32_t sw = t->member[member].sw, seen[MAX_PORTS];
	unsigned n_seen = 0;

	for (unsigned n = 1; n <= f->switch_nports[sw]; n++) {
		uint32_t peer = f->port_peer[switch_port_id(f, sw, n)], other;
		unsigned i = 0;

		other = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
		if (other == NO_ID || switch_up(tp, other))
			continue;
		while (i < n_seen && seen[i] != other)
			i++;
		if (i < n_seen)
			continue;
		seen[n_seen++] = other;
		for (i = 0; i < w->n && w->sw[i] != other;)
			i++;
		if (i == CANDIDATES)
			continue;
		if (i == w->n)
			w->sw[w->n++] = other;
		w->votes[i]++;
	}
}

/* The switch missing from a place: the one to which most of the adjacent places are cabled. */
static uint32_t missing_switch(const struct torus *t, uint32_t place)
{
	struct votes w = {.n = 0};
	uint32_t c[TORUS_DIMS], m;
	unsigned best = 0;

	coordinates(t, place, c);
	for (unsigned g = 0; g < TORUS_DIRECTIONS; g++) {
		if (t->conf.radix[g / 2] < 2)
			continue;
		m = torus_beside(t, c, g);
		if (m != NO_ID)
			vote(t, m, &w);
	}
	for (unsigned i = 1; i < w.n; i++)
		best = w.votes[i] > w.votes[best] ? i : best;
	return w.n ? w.sw[best] : NO_ID;
}

/* --- loading ------------------------------------------------------------------------------------ */

static void load_places(struct view *v)
{
	struct torus_pane *p = v->priv;
	const struct torus *t = p->t;

	p->sw = VIEW_ARRAY(v, t->n_places + 1, uint32_t);
	p->hop = VIEW_ARRAY(v, t->n_places + 1, uint32_t);
	p->name_width = NAME_MIN;
	for (uint32_t i = 0; i < t->n_places; i++) {
		size_t len;

		p->sw[i] = t->at[i] == NO_ID ? missing_switch(t, i) : t->member[t->at[i]].sw;
		p->hop[i] = NO_ID;
		len = p->sw[i] == NO_ID ? 0 : strlen(switch_name(t->topo->fabric, p->sw[i]));
		if (len > p->name_width)
			p->name_width = len < NAME_MAX ? (unsigned)len : NAME_MAX;
	}
}

static void torus_pane_add_lines(struct view *v, uint32_t down, uint32_t plane)
{
	struct torus_pane *p = v->priv;

	for (unsigned axis = 0; axis < TORUS_DIMS; axis++) {
		struct torus_pane_line l = {(uint8_t)axis, down, plane};

		if (!axis || place_above(p->t, place_on(p, &l, 0), p->axis[axis]) != NO_ID)
			p->line[v->n_rows++] = l;
	}
}

static void load_path(struct view *v)
{
	struct torus_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	const struct torus *t = p->t;
	uint32_t ep[2];

	for (unsigned i = 0; i < 2; i++) {
		ep[i] = fabric_endport_by_guid(v->scene->fabric, v->args.arg[i].guid);
		if (!v->args.arg[i].guid || ep[i] == NO_ID)
			return;
	}
	path_trace(r, ep[0], r->lids->base[ep[0]], r->lids->base[ep[1]], &p->path);
	p->traced = true;
	for (unsigned h = 0; h < p->path.n; h++) {
		uint32_t m = t->of[p->path.hop[h].sw];

		if (m != NO_ID)
			p->hop[torus_pane_place_of(t, t->member[m].at[0], t->member[m].at[1],
						   t->member[m].at[2])] = h;
	}
}

/* --- title -------------------------------------------------------------------------------------- */

static const char *refusal(const struct view *v)
{
	const struct sweep *w = v->scene->sweep;

	for (size_t i = 0; w && i < w->n_refusals; i++)
		if (!strcmp(w->refusal[i].engine, "torus-2QoS"))
			return w->refusal[i].why;
	return NULL;
}

static void path_title(const struct view *v, struct text *t)
{
	const struct torus_pane *p = v->priv;

	text_add(t, " ── ");
	label_endport(v->scene->fabric, p->path.src, t);
	text_add(t, " → ");
	label_endport(v->scene->fabric, fabric_endport_by_guid(v->scene->fabric, v->args.arg[1].guid), t);
	if (p->path.end == PATH_OK)
		text_add(t, ": SL %u, %u links", p->path.sl.lo, p->path.hops);
	else
		text_add(t, ": %s", path_end_text(p->path.end));
}

static void torus_pane_title(const struct view *v, struct text *t)
{
	const struct torus_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);

	text_add(t, "Torus");
	if (!p->t)
		text_add(t, " ── ");
	if (!p->t && refusal(v)) {
		text_add(t, "torus-2QoS refused: %s", refusal(v));
	} else if (!p->t) {
		if (r)
			text_add(t, "%s is in force; ", r->engine);
		text_add(t, "set qos TRUE; torus-conf FILE; set torus_config FILE; route torus-2QoS");
	}
	for (unsigned d = 0; p->t && d < TORUS_DIMS; d++)
		if (d < 2 || p->t->conf.radix[d] > 1)
			text_add(t, "%s%u%s", d ? "x" : " ", p->t->conf.radix[d],
				 p->t->conf.open[d] && p->t->conf.radix[d] > 1 ? "m" : "");
	if (p->traced)
		path_title(v, t);
	else if (p->t)
		text_add(t, ", %u of %u places taken", p->t->n, p->t->n_places);
}

/* --- links -------------------------------------------------------------------------------------- */

/* The links between a place and the one above it in a dimension. */
struct join {
	unsigned live, down;
	uint32_t port; /* one port of the lower place, live ones first; NO_ID = none */
	uint32_t load; /* of the busiest channel */
	char way;      /* direction of the path: '+' up, '-' down, 0: it does not pass */
	uint8_t vl;
	bool dateline;
};

static void add_live(const struct torus_pane *p, uint32_t place, unsigned group, struct join *j)
{
	const struct torus_member *m = &p->t->member[p->t->at[place]];

	j->live = m->count[group];
	for (unsigned i = 0; i < m->count[group]; i++) {
		uint32_t port = switch_port_id(p->t->topo->fabric, m->sw, m->port[group][i]),
			 peer = p->t->topo->peer[port];

		if (!i)
			j->port = port;
		if (p->loads && p->loads->port[port] > j->load)
			j->load = p->loads->port[port];
		if (p->loads && peer != NO_ID && p->loads->port[peer] > j->load)
			j->load = p->loads->port[peer];
	}
}

/* Counts the cables between two places that are down. */
static void add_down(const struct torus_pane *p, uint32_t place, uint32_t above, struct join *j)
{
	const struct topo *tp = p->t->topo;
	const struct fabric *f = tp->fabric;
	uint32_t sw = p->sw[place], other = p->sw[above];

	for (unsigned n = 1; sw != NO_ID && other != NO_ID && n <= f->switch_nports[sw]; n++) {
		uint32_t port = switch_port_id(f, sw, n), peer = f->port_peer[port];

		if (peer == NO_ID || f->node_switch[f->port_node[peer]] != other || tp->peer[port] != NO_ID)
			continue;
		j->port = j->port == NO_ID ? port : j->port;
		j->down++;
	}
}

/* Does the path leave a place through a group? */
static bool leaves_by(const struct torus_pane *p, uint32_t place, unsigned group, uint8_t *vl)
{
	const struct path_hop *h = p->hop[place] == NO_ID ? NULL : &p->path.hop[p->hop[place]];

	if (!h || !h->out || h->out > p->t->topo->fabric->switch_nports[h->sw] ||
	    p->t->group[switch_port_id(p->t->topo->fabric, h->sw, h->out)] != group)
		return false;
	*vl = h->vl;
	return true;
}

static struct join join_above(const struct torus_pane *p, uint32_t place, unsigned d)
{
	struct join j = {.port = NO_ID};
	uint32_t above = place_above(p->t, place, d), c[TORUS_DIMS];

	coordinates(p->t, place, c);
	j.dateline = !p->t->conf.open[d] && c[d] + 1 == p->t->conf.radix[d];
	if (above == NO_ID)
		return j;
	if (p->t->at[place] != NO_ID)
		add_live(p, place, 2 * d + 1, &j);
	add_down(p, place, above, &j);
	if (leaves_by(p, place, 2 * d + 1, &j.vl))
		j.way = '+';
	else if (leaves_by(p, above, 2 * d, &j.vl))
		j.way = '-';
	return j;
}

/* Does the path turn from a later to an earlier dimension at a place? */
static bool torus_pane_turns_back(const struct torus_pane *p, uint32_t place)
{
	const struct fabric *f = p->t->topo->fabric;
	const struct path_hop *h = p->hop[place] == NO_ID ? NULL : &p->path.hop[p->hop[place]];
	unsigned in, out;

	if (!h || !h->in || !h->out || h->out > f->switch_nports[h->sw])
		return false;
	in = p->t->group[switch_port_id(f, h->sw, h->in)];
	out = p->t->group[switch_port_id(f, h->sw, h->out)];
	return in < TORUS_LOCAL && out < TORUS_LOCAL && in / 2 > out / 2;
}

/* --- drawing ------------------------------------------------------------------------------------ */

/* Characters of a switch's name, the whole name if there is room. One more character stands before it. */
static unsigned torus_pane_name_room(const struct view *v)
{
	const struct torus_pane *p = v->priv;
	unsigned room = v->room[C_GRID], each = room / n_columns(p);

	if (!room || each >= p->name_width + LINK_WIDTH + 1)
		return p->name_width;
	return each > NAME_MIN + LINK_WIDTH + 1 ? each - LINK_WIDTH - 1 : NAME_MIN;
}

static unsigned cell_width(const struct view *v)
{
	return torus_pane_name_room(v) + LINK_WIDTH + 1;
}

/* The value in the middle of a link, in three characters. */
static void torus_pane_value_text(const struct torus_pane *p, const struct join *j, char buf[8])
{
	double x = p->loads && p->loads->mean > 0 ? j->load / p->loads->mean : 0;

	if (j->way)
		snprintf(buf, 8, j->vl < 10 ? "VL%u" : "V%u", j->vl % 16u);
	else if (!p->loads)
		snprintf(buf, 8, " … ");
	else if (x > 99)
		snprintf(buf, 8, "99+");
	else
		snprintf(buf, 8, x < 9.95 ? "%3.1f" : "%3.0f", x);
}

/* The first sign of a link: the direction of the path along it, else its dimension. */
static const char *link_sign(const struct join *j, unsigned dim)
{
	static const char *const up[] = {"→", "↓", "+"}, *const down[] = {"←", "↑", "-"},
				 *const at_rest[] = {"─", "│", "z"};

	if (!j->way)
		return at_rest[dim];
	return (j->way == '+' ? up : down)[dim];
}

/*
 * A link in LINK_WIDTH characters: sign, value, and 'x' if some cables are down, or '║' if it crosses the
 * dateline.
 */
static void link_text(const struct torus_pane *p, const struct join *j, unsigned dim, struct text *t)
{
	char value[8];

	if (!j->live) {
		if (j->down)
			text_add(t, dim ? "x    " : "──x──");
		else
			text_add(t, "     ");
		return;
	}
	torus_pane_value_text(p, j, value);
	text_add(t, "%s%s", link_sign(j, dim), value);
	if (j->down)
		text_putc(t, 'x');
	else if (j->dateline)
		text_add(t, dim ? "═" : "║");
	else
		text_add(t, "%s", dim ? " " : link_sign(j, dim));
}

/* The marks of one switch. MARK_HERE: the path passes it. */
static unsigned place_marks(const struct view *v, uint32_t place)
{
	const struct torus_pane *p = v->priv;
	const struct comparison *c = v->scene->change;
	uint32_t sw = p->sw[place];

	return mark_if(p->t->at[place] == NO_ID && sw != NO_ID, MARK_DOWN) |
	       mark_if(!p->traced && sw != NO_ID && c && c->switch_entries && c->switch_entries[sw],
		       MARK_CHANGED) |
	       mark_if(torus_pane_turns_back(p, place), MARK_DETOUR) |
	       mark_if(p->hop[place] != NO_ID, MARK_HERE);
}

/* Shows the end of a long name, where names differ. */
static void name_cell(const struct view *v, uint32_t place, struct text *t)
{
	const struct torus_pane *p = v->priv;
	unsigned room = torus_pane_name_room(v);
	const char *name = p->sw[place] == NO_ID ? "-" : switch_name(v->scene->fabric, p->sw[place]);
	size_t len = strlen(name);

	text_putc(t, marks_sign(place_marks(v, place)));
	text_add(t, "%-*s", (int)room, name + (len > room ? len - room : 0));
}

static bool chosen(const struct view *v, uint32_t row, uint32_t x)
{
	uint32_t sel;

	return x == ((const struct torus_pane *)v->priv)->x && view_selected(v, &sel) && sel == row;
}

static void grid_cell(const struct view *v, uint32_t row, struct text *t)
{
	const struct torus_pane *p = v->priv;
	const struct torus_pane_line *l = &p->line[row];

	for (uint32_t x = p->left; x < n_columns(p); x++) {
		uint32_t place = place_on(p, l, x);
		struct join j = join_above(p, place, p->axis[l->axis]);
		size_t at = t->len;

		if (l->axis)
			text_putc(t, ' ');
		else
			name_cell(v, place, t);
		link_text(p, &j, l->axis, t);
		if (l->axis)
			text_add(t, "%*s", (int)torus_pane_name_room(v), "");
		if (chosen(v, row, x))
			t->s[at] = '>';
	}
}

static void torus_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct torus_pane *p = v->priv;
	const struct torus_pane_line *l = &p->line[row];

	if (col == C_Z)
		text_add(t, "%u", l->plane);
	else if (col == C_Y && !l->axis)
		text_add(t, "%u", l->down);
	else if (col == C_GRID)
		grid_cell(v, row, t);
}

static const char *torus_pane_column_name(const struct view *v, unsigned col)
{
	struct torus_pane *p = v->priv;

	if (!p->t || (col == C_GRID && !v->room[C_GRID]))
		return columns[col].name;
	if (col != C_GRID)
		return &"x\0y\0z"[2 * p->axis[col == C_Y ? 1 : 2]];
	text_clear(&p->header);
	for (uint32_t x = p->left; x < n_columns(p); x++)
		text_add(&p->header, "%s%-*u", x == p->left ? &"x\0y\0z"[2 * p->axis[0]] : " ",
			 (int)cell_width(v) - 1, x);
	return text_str(&p->header);
}

static unsigned torus_pane_marks(const struct view *v, uint32_t row)
{
	const struct torus_pane *p = v->priv;
	const struct torus_pane_line *l = &p->line[row];
	unsigned m = 0;

	for (uint32_t x = 0; x < n_columns(p); x++) {
		uint32_t place = place_on(p, l, x);
		struct join j = join_above(p, place, p->axis[l->axis]);

		m |= (l->axis ? 0 : place_marks(v, place)) | mark_if(j.down, MARK_DOWN) |
		     mark_if(j.way, MARK_HERE);
	}
	return m;
}

/* --- the chosen switch -------------------------------------------------------------------------- */

/* Chooses the switch where the path first turns back, else where it starts. */
static void choose_path(struct view *v)
{
	struct torus_pane *p = v->priv;
	uint32_t best = NO_ID;

	for (uint32_t i = 0; i < p->t->n_places; i++)
		if (p->hop[i] == 0 || (p->hop[i] != NO_ID && torus_pane_turns_back(p, i)))
			if (best == NO_ID || (torus_pane_turns_back(p, i) && !torus_pane_turns_back(p, best)))
				best = i;
	for (uint32_t row = 0; best != NO_ID && row < v->n_rows; row++)
		for (uint32_t x = 0; x < n_columns(p); x++)
			if (!p->line[row].axis && place_on(p, &p->line[row], x) == best) {
				v->select = row;
				p->x = x;
			}
}

static uint32_t chosen_place(const struct view *v, uint32_t row)
{
	const struct torus_pane *p = v->priv;

	return place_on(p, &p->line[row], p->x);
}

/* Left and Right choose the switch before or after. The map scrolls along. */
static void torus_pane_across(struct view *v, int dir)
{
	struct torus_pane *p = v->priv;
	unsigned fit;

	if (!p->t)
		return;
	if (dir < 0 ? p->x > 0 : p->x + 1 < n_columns(p))
		p->x += (unsigned)dir;
	fit = v->room[C_GRID] / cell_width(v);
	fit = fit ? fit : 1;
	if (p->x < p->left)
		p->left = p->x;
	if (p->x >= p->left + fit)
		p->left = p->x - fit + 1;
}

static void link_footer(const struct view *v, uint32_t place, unsigned d, struct text *t)
{
	const struct torus_pane *p = v->priv;
	struct join j = join_above(p, place, d);

	if (j.port == NO_ID)
		return;
	text_add(t, "; up %c: %u link%s", (char)('x' + d), j.live + j.down, j.live + j.down == 1 ? "" : "s");
	if (j.down)
		text_add(t, ", %u down", j.down);
	if (p->loads && j.live)
		text_add(t, ", %u routes", j.load);
	if (j.dateline)
		text_add(t, ", dateline");
}

static void torus_pane_footer(const struct view *v, struct text *t)
{
	const struct torus_pane *p = v->priv;
	const struct torus_pane_line *l;
	uint32_t row, place;
	uint32_t c[TORUS_DIMS];
	char at[40];

	if (!p->t || !view_selected(v, &row))
		return;
	l = &p->line[row];
	place = chosen_place(v, row);
	coordinates(p->t, place, c);
	text_add(t, "%s at %s",
		 p->sw[place] == NO_ID ? "nothing" : switch_name(v->scene->fabric, p->sw[place]),
		 torus_place_text(c, at, sizeof(at)));
	if (place_marks(v, place) & MARK_DOWN)
		text_add(t, " is down");
	if (torus_pane_turns_back(p, place)) {
		text_add(t, ": turns back to an earlier dimension, VL bit 1 is set");
		return;
	}
	link_footer(v, place, p->axis[l->axis], t);
}

static bool torus_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct torus_pane *p = v->priv;
	uint32_t place = chosen_place(v, row);
	struct join j = join_above(p, place, p->axis[p->line[row].axis]);

	if (p->line[row].axis && j.port != NO_ID)
		subject_port(v, j.port, s);
	else if (p->sw[place] != NO_ID)
		subject_node(v, v->scene->fabric->switch_node[p->sw[place]], s);
	return true;
}

static void torus_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct torus_pane *p = v->priv;
	uint32_t sw = p->sw[chosen_place(v, row)];

	if (sw == NO_ID)
		return;
	text_add(t, "pane ports ");
	word_node(v->scene->fabric, v->scene->fabric->switch_node[sw], t);
}

/* --- colours ------------------------------------------------------------------------------------ */

/* Links above HEAVY times the mean load are heavy, links below LIGHT times the mean are light. */
#define HEAVY 1.5
#define LIGHT 0.75

static uint8_t link_tone(const struct torus_pane *p, const struct join *j)
{
	if (j->down)
		return TONE_DOWN;
	if (j->way)
		return TONE_HERE;
	if (!p->loads || !j->live)
		return TONE_PLAIN;
	return j->load >= HEAVY * p->loads->mean  ? TONE_HEAVY
	       : j->load < LIGHT * p->loads->mean ? TONE_LIGHT
						  : TONE_PLAIN;
}

static uint8_t name_tone(unsigned m)
{
	return m & MARK_DOWN	  ? TONE_DOWN
	       : m & MARK_DETOUR  ? TONE_DETOUR
	       : m & MARK_HERE	  ? TONE_HERE
	       : m & MARK_CHANGED ? TONE_CHANGED
				  : TONE_PLAIN;
}

/* Names and links take turns. */
static bool span(const struct view *v, uint32_t row, unsigned col, unsigned i, struct span *s)
{
	const struct torus_pane *p = v->priv;
	const struct torus_pane_line *l = &p->line[row];
	uint32_t x = p->left + i / 2, place;
	unsigned name = torus_pane_name_room(v) + 1;
	struct join j;

	if (col != C_GRID || x >= n_columns(p))
		return false;
	place = place_on(p, l, x);
	j = join_above(p, place, p->axis[l->axis]);
	s->from = i / 2 * (name + LINK_WIDTH);
	s->n = l->axis ? 1 : name;
	s->tone = l->axis ? TONE_PLAIN : name_tone(place_marks(v, place));
	if (i % 2) {
		s->from += s->n;
		s->n = LINK_WIDTH;
		s->tone = link_tone(p, &j);
	}
	return true;
}

/* --- the pane ------------------------------------------------------------------------------------- */

static void torus_pane_load(struct view *v)
{
	struct torus_pane *p = v->priv;
	unsigned n = 0;

	p->t = torus_of(scene_routing(v->scene));
	if (!p->t)
		return;
	load_places(v);
	p->line = VIEW_ARRAY(v, 3 * (size_t)p->t->n_places + 1, struct torus_pane_line);
	for (unsigned flat = 0; flat < 2; flat++) /* dimensions with several places come first */
		for (unsigned d = 0; d < TORUS_DIMS; d++)
			if ((p->t->conf.radix[d] < 2) == flat)
				p->axis[n++] = (uint8_t)d;
	for (uint32_t plane = 0; plane < p->t->conf.radix[p->axis[2]]; plane++)
		for (uint32_t down = 0; down < p->t->conf.radix[p->axis[1]]; down++)
			torus_pane_add_lines(v, down, plane);
	if (p->t->conf.radix[p->axis[2]] < 2)
		v->width[C_Z] = 0;
	if (p->x >= n_columns(p))
		p->x = p->left = 0;
	load_path(v);
	if (p->traced && !p->shown)
		choose_path(v);
	p->shown = p->traced;
	p->loads = view_ask_value(v, &task_loads, NULL);
}

const struct view_ops view_torus = {
	.name = "torus",
	.brief = "draws the torus of torus-2QoS: links with load (1.0: the mean of all links) and dateline, "
		 "or a path with its VLs",
	.syntax = "[SRC DST]",
	.hints = "follow=ports :fail=fail :restore=restore back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct torus_pane),
	.priv_kept = offsetof(struct torus_pane, t),
	.load = torus_pane_load,
	.unload = torus_pane_unload,
	.title = torus_pane_title,
	.footer = torus_pane_footer,
	.cell = torus_pane_cell,
	.column_name = torus_pane_column_name,
	.marks = torus_pane_marks,
	.about = torus_pane_about,
	.follow = torus_pane_follow,
	.across = torus_pane_across,
	.span = span,
};
