/* The pane `map`: the fabric drawn in three scales. Rows are the switches in the order of the layout. */
#include "core/base/defs.h"
#include "views/map/map.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/clean.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/fabric/elements.h"
#include "core/session/command.h"
#include "views/base/view.h"

enum { C_NAME, C_PLACE, C_HOSTS, C_SWITCHES, C_ROUTES, C_MEAN, C_CHANGED, C_LID };

static const struct column columns[] = {
	{.name = "name",
	 .help = "the switch, or the group of switches that one cell stands for",
	 .width = 8,
	 .flex = 2},
	{.name = "place",
	 .help = "its place in the drawing: level, group, plane or coordinates",
	 .width = 12,
	 .flex = 1},
	{.name = "hosts",
	 .help = "its ports that are up and lead to a host or router; to aggregation nodes only if they "
		 "count",
	 .right = true,
	 .numeric = true},
	{.name = "switches",
	 .help = "switches that it has cables to, up or down",
	 .right = true,
	 .numeric = true,
	 .drop = 3},
	{.name = "load",
	 .was = "routes",
	 .help = "routes on its busiest link to a switch, either direction",
	 .right = true,
	 .numeric = true,
	 .drop = 2},
	{.name = "x mean",
	 .help = "its load against the mean of the links that carry routes",
	 .right = true,
	 .numeric = true,
	 .drop = 1},
	{.name = "changed",
	 .help = "entries of its table that the last event changed",
	 .right = true,
	 .numeric = true,
	 .drop = 4},
	{.name = "lid", .help = "LID of the switch", .width = 4, .right = true, .numeric = true, .drop = 5},
};
static_assert(ARRAY_LEN(columns) == C_LID + 1, "a column for each C_");

/* In the order of `+`: from far to near. A new scale is one more entry. */
const struct map_scale *const map_scales[] = {&map_overview, &map_whole, &map_around, NULL};

/* --- the layout, computed by another thread --------------------------------------------------------- */

/* Chips of a chassis go by the cabling, whatever is up and whatever a file says, so that nothing moves. */
static void *run_layout(const struct job *j)
{
	const struct fabric *f = j->base;
	AUTO_STATE struct state *all_up = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, all_up);
	struct err e;
	struct elements *el = elements_new(t, NULL, j->progress, NULL, &e);
	struct layout *l = el ? layout_new(f, el->of, j->progress, &e) : NULL;

	elements_unref(el);
	return l;
}

FREED_BY(free_layout, layout_unref)

static const struct task task_layout = {.run = run_layout, .free = free_layout, .no_sweep = true};

/* --- load -------------------------------------------------------------------------------------- */

/* Loads again, after words, colour, overlay or scale have changed. */
static void map_renew(struct view *v)
{
	v->serial = 0;
	view_refresh(v);
}

/* Was another switch looked at in another pane since? */
static bool map_look_again(struct view *v, uint32_t *sw)
{
	const struct fabric *f = v->scene->fabric;
	uint64_t now = v->scene->looked.sw;
	uint32_t node = now && now != map_of(v)->looked ? fabric_node_by_guid(f, now) : NO_ID;

	map_of(v)->looked = now;
	*sw = node == NO_ID ? NO_ID : f->node_switch[node];
	return *sw != NO_ID;
}

static void take_layout(struct view *v, const struct layout *l)
{
	struct map *m = map_of(v);
	bool same = m->of == l;

	assert(!l || l->n == v->scene->fabric->n_switches);
	m->layout = l;
	m->of = l;
	if (!same) {
		free(m->row_of);
		m->row_of = l ? NEW_ARRAY(l->n + 1, uint32_t) : NULL;
		for (uint32_t i = 0; l && i < l->n; i++)
			m->row_of[l->order[i]] = i;
		map_overlays_free(m);
	}
	for (unsigned i = 0; map_scales[i]; i++)
		map_scales[i]->renewed(map_own(v, map_scales[i]), same);
}

static void map_load(struct view *v)
{
	struct scene *sc = v->scene;
	struct map *m = map_of(v);
	uint32_t sw;
	const struct result *q = scene_fabric_question(sc),
			    *r = q ? view_ask(v, &task_layout, q, NULL) : NULL;

	if (!m->scale) {
		m->scale = &map_overview;
		m->overlay = MAP_LINKS;
	}
	take_layout(v, r ? r->value : NULL);
	if (!m->layout)
		return;
	if (!m->coloured && scene_routing(sc)) {
		m->coloured = true;
		m->colour = MAP_LOAD;
	}
	v->n_rows = m->layout->n;
	map_colours_load(v);
	map_overlays_load(v);
	if (!m->looked && map_look_again(v, &sw))
		v->select = m->row_of[sw];
}

static void map_close_view(struct view *v)
{
	struct map *m = map_of(v);

	for (unsigned i = 0; map_scales[i]; i++) {
		map_scales[i]->close(map_own(v, map_scales[i]));
		free(m->own[map_scales[i]->own]);
	}
	map_colours_free(m);
	map_overlays_free(m);
	free(m->row_of);
	free(m->shown);
}

/* --- words ------------------------------------------------------------------------------------- */

static int map_index_of(const char *const *names, const char *word)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

static const struct map_scale *scale_named(const char *word)
{
	for (unsigned i = 0; map_scales[i]; i++)
		if (!strcmp(map_scales[i]->name, word))
			return map_scales[i];
	return NULL;
}

static void set_overlay(struct map *m, enum map_overlay o)
{
	assert(o < MAP_OVERLAYS);
	m->overlay = o;
	m->choice = 0;
	m->at_stop = 0;
	m->marked = false;
}

/* Reads the words of `pane map`: a scale, a colour, an overlay. */
static int map_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct map *m = map_of(v);

	m->scale = &map_overview;
	set_overlay(m, MAP_LINKS);
	for (int i = 0; i < a->n; i++) {
		int colour = map_index_of(map_colour_names, a->arg[i].word),
		    overlay = map_index_of(map_overlay_names, a->arg[i].word);
		const struct map_scale *scale = scale_named(a->arg[i].word);

		if (scale) {
			m->scale = scale;
		} else if (colour >= 0) {
			m->colour = (enum map_colour)colour;
			m->coloured = true;
		} else {
			set_overlay(m, (enum map_overlay)overlay);
		}
	}
	(void)e;
	return 0;
}

static int to_scale(struct view *v, const struct map_scale *s, struct err *e)
{
	struct map *m = map_of(v);
	AUTO_TEXT struct text why = {0};
	bool offered = !m->layout || !s->offered || s->offered(v, m->w, m->h, &why);

	if (!offered)
		err_set(e, "map: %s is not offered%s%s", s->name, why.len ? ": " : "", text_str(&why));
	if (!offered)
		return -1;
	if (s != m->scale)
		m->before = m->scale;
	m->scale = s;
	return 0;
}

/* The next scale in a direction that is offered. *e tells what the skipped ones need, or that it is the
 * last. */
static int zoom(struct view *v, int dir, struct err *e)
{
	const struct map *m = map_of(v);
	int at = 0;
	struct err why = {0};

	while (map_scales[at] && map_scales[at] != m->scale)
		at++;
	for (at += dir; at >= 0 && map_scales[at]; at += dir)
		if (!to_scale(v, map_scales[at], &why)) {
			*e = why;
			return 0;
		}
	if (why.msg[0])
		*e = why;
	else
		err_set(e, "map: this is the %s scale", dir > 0 ? "nearest" : "farthest");
	return 0;
}

static int choose_colour(struct view *v, const char *word, struct err *e)
{
	struct map *m = map_of(v);
	int c = word ? map_index_of(map_colour_names, word) : (int)m->colour;

	if (c < 0)
		return err_word(
			e, "map colour: found \"%s\", expected state, load, rank, layers, chassis or change",
			word);
	if (word && !map_colour_offered(v, (enum map_colour)c))
		return err_set(e, "map colour: there is nothing to show of %s here", word);
	for (int k = 0; !word && k < MAP_COLOURS; k++) {
		c = (c + 1) % MAP_COLOURS;
		if (map_colour_offered(v, (enum map_colour)c))
			break;
	}
	m->colour = (enum map_colour)c;
	m->coloured = true;
	map_renew(v);
	return 0;
}

static int choose_overlay(struct view *v, const char *word, struct err *e)
{
	struct map *m = map_of(v);
	int o = word ? map_index_of(map_overlay_names, word) : (int)m->overlay;

	if (o < 0)
		return err_word(e,
				"map overlay: found \"%s\", expected none, links, path, cycle, turn, layer, "
				"dependencies, flows, drain, failed, changed or transition",
				word);
	if (word && !map_overlay_offered(v, (enum map_overlay)o)) {
		if (o == MAP_PATH)
			return err_set(
				e, "map overlay: you have looked at no path yet; `trace SRC DST` shows one");
		if (o == MAP_TURN)
			return err_set(e,
				       "map overlay: you have looked at no forbidden turn yet; `why SWITCH "
				       "DST via PORT` shows one (updn, dnup), with lash or dfsssp also "
				       "`trace SRC DST` of a pair above the lowest layer, and a step "
				       "that forbids or refuses");
		return err_set(e, "map overlay: there is nothing to show of %s here", word);
	}
	set_overlay(m, word ? (enum map_overlay)o : map_overlay_after(v));
	m->stepped = !word;
	map_renew(v);
	return 0;
}

/* [ and ]: goes to the switch before or after this one along the overlay. */
static int map_along(struct view *v, int dir, struct err *e)
{
	struct map *m = map_of(v);
	uint32_t sel = map_selected(v), n;

	map_overlay_mark(v);
	n = m->n_stops;
	if (!n)
		return err_set(e, "map: this overlay has no next switch; v chooses another overlay");
	if (m->at_stop >= n || m->stop[m->at_stop].sw != sel) {
		for (m->at_stop = 0; m->at_stop < n && m->stop[m->at_stop].sw != sel; m->at_stop++)
			;
		if (m->at_stop == n) /* not on the overlay: go to its begin or end */
			m->at_stop = dir > 0 ? n - 1 : 0;
	}
	m->at_stop = (m->at_stop + (dir > 0 ? 1 : n - 1)) % n;
	map_select(v, m->stop[m->at_stop].sw);
	return 0;
}

static int map_words(struct view *v, int argc, char **argv, struct err *e)
{
	struct map *m = map_of(v);
	const char *what = argv[0], *arg = argc > 1 ? argv[1] : NULL;
	int dir = arg && !strcmp(arg, "previous") ? -1 : 1;

	if (scale_named(what))
		return to_scale(v, scale_named(what), e);
	if (!m->layout)
		return err_set(e, "map: %s",
			       v->scene->fabric ? "computing the layout ..." : "no fabric is loaded");
	if (!strcmp(what, "in") || !strcmp(what, "out"))
		return zoom(v, *what == 'i' ? 1 : -1, e);
	if (!strcmp(what, "colour"))
		return choose_colour(v, arg, e);
	if (!strcmp(what, "overlay"))
		return choose_overlay(v, arg, e);
	if (!strcmp(what, "along"))
		return map_along(v, dir, e);
	if (!strcmp(what, "other")) {
		unsigned n;

		map_overlay_mark(v);
		n = m->n_choices;
		if (n < 2)
			return err_set(e, "map: there is only one of these");
		m->choice = (m->choice + (dir > 0 ? 1 : n - 1)) % n;
		m->at_stop = 0;
		map_renew(v);
		return 0;
	}
	if (!strcmp(what, "back")) {
		if (m->scale->back && m->scale->back(v))
			return 0;
		if (!m->before || m->before == m->scale)
			return err_set(e, "map: no scale to go back to");
		m->scale = m->before;
		m->before = NULL;
		return 0;
	}
	if (!strcmp(what, "plane")) {
		if (m->scale->plane)
			m->scale->plane(v, dir);
		return 0;
	}
	return err_word(
		e,
		"map: found \"%s\", expected a scale, in, out, back, colour, overlay, along, other or plane",
		what);
}

/* --- text -------------------------------------------------------------------------------------- */

static void map_title(const struct view *v, struct text *t)
{
	const struct routing *r = scene_routing(v->scene);
	const struct map *m = map_of(v);

	if (!m->layout) {
		text_add(t, "Map");
		return;
	}
	if (m->scale->title) {
		m->scale->title(v, t);
	} else {
		text_add(t, "Map ── %s", m->layout->n_parts ? m->layout->part[0].words : "no switch");
		if (m->layout->n_parts > 1)
			text_add(t, ", %s", PLURAL(m->layout->n_parts - 1, "other part"));
	}
	text_add(t, " ── %s", map_colour_names[m->colour]);
	if (r)
		text_add(t, ", %s", r->engine);
	if (m->said.len)
		text_add(t, " ── %s", m->said.s);
	else if (m->overlay > MAP_LINKS)
		text_add(t, " ── %s", map_overlay_names[m->overlay]);
}

static void map_footer(const struct view *v, struct text *t)
{
	text_add(t, "Enter around  +/- scale  o colour  v overlay  [ ] along  %s",
		 map_of(v)->overlay == MAP_DRAIN ? "( ) rounds  = play" : "Backspace back");
}

/* Tells about the selected switch. brief: there is little room. */
static void selection_text(const struct view *v, bool brief, struct text *t)
{
	const struct map *m = map_of(v);
	const struct layout *l = m->layout;
	uint32_t sw = map_selected(v);
	const char *more = NULL; /* what the overlay says about it */
	uint32_t stop = m->at_stop;
	size_t from;

	if (sw == NO_ID)
		return;
	if (stop >= m->n_stops || m->stop[stop].sw != sw)
		for (stop = 0; stop < m->n_stops && m->stop[stop].sw != sw; stop++)
			;
	if (stop < m->n_stops)
		more = m->stop[stop].text;
	text_add(t, "%s  ", switch_name(v->scene->fabric, sw));
	from = t->len;
	map_place_text(v, sw, t);
	if (!more && !brief)
		text_add(t, "%s%s, %s", t->len > from ? "  " : "", PLURAL(l->hosts[sw], "host"),
			 PLURAL(l->first[sw + 1] - l->first[sw], "switch"));
	if (m->down[sw])
		text_add(t, "%sdown", t->len > from ? "  " : "");
	if (more)
		text_add(t, "%s%s", t->len > from ? "  " : "", more);
	else if (m->colour == MAP_CHANGE || m->overlay == MAP_CHANGED)
		text_add(t, "  %s changed", PLURAL(m->changed[sw], "entry"));
	else if (m->busiest && m->mean > 0)
		text_add(t, "  %s, %.1f x the mean", PLURAL(m->busiest[sw], "route"),
			 m->busiest[sw] / m->mean);
}

/* --- drawing ----------------------------------------------------------------------------------- */

/* Finds the switches that pass the filter. */
static void note_shown(struct view *v)
{
	struct map *m = map_of(v);

	free(m->shown);
	m->shown = NULL;
	if (!v->filter[0] || !v->order)
		return;
	m->shown = NEW_ARRAY(m->layout->n + 1, uint8_t);
	for (uint32_t i = 0; i < v->n_order; i++)
		if (v->order[i] < m->layout->n)
			m->shown[m->layout->order[v->order[i]]] = 1;
}

static const struct map_scale *scale_now(const struct view *v)
{
	const struct map *m = map_of(v);
	AUTO_TEXT struct text why = {0};
	bool fits = !m->scale->offered || m->scale->offered(v, m->w, m->h, &why);

	return fits ? m->scale : &map_overview;
}

/* Draws the legend: each sign as the map draws it, and the words around them dim. */
static void draw_legend(const struct view *v, struct canvas *c, int y, const char *s)
{
	int shown = canvas_text_cut(c, 0, y, c->w, s, CANVAS_DIM), x = 0;

	for (uint32_t ch, before = ' '; *s && x < shown; before = ch, x++) {
		struct canvas_cell *cell = canvas_at(c, x, y);
		int n = utf8_decode(s, strlen(s), &ch);

		s += n > 0 ? n : 1;
		if (before == ' ' && (*s == ' ' || !*s) && ch != ' ' && cell &&
		    (ch != 'x' || !strncmp(s, " down", 5)))
			cell->role = (uint8_t)map_sign_role(v, ch);
	}
}

#define AROUND_LEGEND 14 /* rows of a pane in which there is room for the legend of `around` */

static void legend_text(const struct view *v, struct text *t)
{
	const struct map *m = map_of(v);
	const char *down = !map_anything_failed(v)	       ? ""
			   : v->scene->data == v->scene->state ? "   x down"
							       : "   x down or not active";
	bool marks = m->meaning.len > 0;

	if (m->overlay > MAP_LINKS && marks)
		text_add(t, "%s%s  ", m->meaning.s, *down ? down + 1 : "");
	map_colour_legend(v, t);
	if (m->overlay <= MAP_LINKS && marks)
		text_add(t, "   %s%s", m->meaning.s, down);
	else if (!marks)
		text_add(t, "%s", down);
}

static void draw_below(const struct view *v, struct canvas *c, unsigned lines)
{
	bool own;
	AUTO_TEXT struct text t = {0};
	int y = c->h - (int)lines;

	if (!lines)
		return;
	if (map_of(v)->scale->selection)
		map_of(v)->scale->selection(v, &t);
	own = t.len > 0;
	if (!own)
		selection_text(v, false, &t);
	if (!own && canvas_columns(text_str(&t)) > c->w - 2) {
		text_clear(&t);
		selection_text(v, true, &t);
	}
	canvas_put(c, 0, y, 0x25b8, CANVAS_PLAIN);
	canvas_text_cut(c, 2, y, c->w - 2, text_str(&t), CANVAS_PLAIN);
	text_clear(&t);
	if (lines > 1) {
		if (scale_now(v) == &map_around)
			text_add(&t, "routes out, in, x the mean: · 0 ░ <0.5 ▒ <1.5 ▓ <2.5 █%s",
				 map_of(v)->most_changed ? "   ! entries changed" : "");
		else
			legend_text(v, &t);
		draw_legend(v, c, y + 1, text_str(&t));
	}
}

static void map_draw(struct view *v, struct canvas *c)
{
	struct map *m = map_of(v);
	const struct map_scale *s;
	const struct looked *was = &m->asked, *now = &v->scene->looked;
	bool anew = false;
	unsigned below;
	uint32_t sw;

	if (!m->layout)
		return;
	/* another pane or a command may have looked at another switch */
	if (map_look_again(v, &sw))
		map_select(v, sw);
	if (m->overlay == MAP_PATH || m->overlay == MAP_TURN)
		anew = was->src != now->src || was->dst != now->dst || was->via_sw != now->via_sw ||
		       was->via_dst != now->via_dst || was->via_port != now->via_port;
	else if (m->overlay == MAP_FLOWS)
		anew = now->port && (was->node != now->node || was->port != now->port);
	if (anew) {
		map_renew(v);
		if (!m->layout)
			return;
	}
	note_shown(v);
	map_overlay_mark(v);
	m->w = c->w;
	m->h = c->h - (c->h > 5 ? 2 : 0);
	s = scale_now(v);
	below = c->h <= 5 ? MIN(s->below, 1) : s->below;
	if (c->h <= 3)
		below = 0;
	/* `around` shows loads, and has room to tell what its bars mean */
	if (s == &map_around && m->colour == MAP_LOAD && m->load && m->mean > 0 && m->overlay <= MAP_LINKS &&
	    !c->ascii && c->h >= AROUND_LEGEND)
		below = 2;
	m->h = c->h - (int)(MIN(below, s->below));
	c->h -= (int)below;
	s->draw(v, c);
	c->h += (int)below;
	draw_below(v, c, below);
}

static void map_move(struct view *v, int dx, int dy)
{
	if (map_of(v)->layout && v->n_rows)
		scale_now(v)->move(v, dx, dy);
}

static void map_hit(struct view *v, struct canvas_object o)
{
	const struct map_scale *s = scale_now(v);

	if (s->hit)
		s->hit(v, o);
	else if (o.row != NO_ID)
		view_select_row(v, o.row);
}

/* Ports of a switch that are up and lead to a host that counts. */
static uint32_t hosts_of(const struct view *v, uint32_t sw)
{
	bool aggregation = scene_counts_aggregation(v->scene);
	uint32_t n = 0;

	FOR_PORTS(v->scene->fabric, sw, port)
		n += port_of_host(v->scene->fabric, v->scene->topo->peer[port], aggregation);
	return n;
}

/* --- rows -------------------------------------------------------------------------------------- */

static int64_t map_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct map *m = map_of(v);
	const struct fabric *f = v->scene->fabric;
	uint32_t sw = m->layout->order[row];

	assert(row < m->layout->n);
	switch (col) {
	case C_HOSTS:
		return hosts_of(v, sw);
	case C_SWITCHES:
		return m->layout->first[sw + 1] - m->layout->first[sw];
	case C_ROUTES:
		return m->busiest ? (int64_t)m->busiest[sw] : -1;
	case C_MEAN:
		return m->busiest && m->mean > 0 ? (int64_t)(10 * m->busiest[sw] / m->mean + 0.5) : -1;
	case C_CHANGED:
		return m->changed[sw];
	case C_LID:
		return scene_lid(v->scene, f->port_endport[switch_port_id(f, sw, 0)]);
	default:
		return -1;
	}
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct map *m = map_of(v);
	uint32_t sw = m->layout->order[row];
	int64_t n;

	if (col == C_NAME) {
		text_add(t, "%s", switch_name(v->scene->fabric, sw));
		return;
	}
	if (col == C_PLACE) {
		map_place_text(v, sw, t);
		return;
	}
	n = map_number(v, row, col);
	if (n < 0)
		text_add(t, "-");
	else if (col == C_MEAN)
		text_add(t, "%" PRId64 ".%" PRId64, n / 10, n % 10);
	else
		text_add(t, "%" PRId64, n);
}

static unsigned map_marks(const struct view *v, uint32_t row)
{
	const struct map *m = map_of(v);
	uint32_t sw = m->layout->order[row];

	return mark_if(m->down[sw], MARK_DOWN) | mark_if(m->changed[sw], MARK_CHANGED);
}

static bool map_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_switch(v, map_of(v)->layout->order[row], s);
	s->lid = (int)map_number(v, row, C_LID);
	return true;
}

static bool map_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct map *m = map_of(v);

	(void)row;
	return m->scale->placeholder && m->scale->placeholder(v, what, t);
}

/* Enter zooms in. At the nearest scale, the scale decides, or the ports of the switch are shown. */
static void map_follow(const struct view *cv, uint32_t row, struct text *t)
{
	struct view *v = (struct view *)(uintptr_t)cv;
	struct map *m = map_of(v);

	if (m->scale->enter && m->scale->enter(v, t))
		return;
	if (scale_named("around") && m->scale != scale_named("around")) {
		to_scale(v, scale_named("around"), &(struct err){0});
		return;
	}
	view_fill(v, row, "pane ports %node", t);
}

const struct view_ops view_map = {
	.name = "map",
	.brief = "draws the fabric: switches as cells of trees, grids, rings and groups, coloured and marked",
	.syntax = "[overview|around|whole] [state|load|rank|layers|chassis|change|step] "
		  "[none|links|path|cycle|turn|layer|flows|drain|failed|changed|transition]",
	.hints = "follow=around :map_in=in :map_colour=colour :map_overlay=overlay :fail=fail",
	COLUMNS(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct map),
	.priv_kept = sizeof(struct map),
	.open = map_open_view,
	.load = map_load,
	.close = map_close_view,
	.title = map_title,
	.footer = map_footer,
	.cell = cell,
	.number = map_number,
	.marks = map_marks,
	.about = map_about,
	.placeholder = map_placeholder,
	.follow = map_follow,
	.draw = map_draw,
	.move = map_move,
	.hit = map_hit,
	.words = map_words,
};
