/* The pane `path`: the path between two endports and the one before, and why it is not in a layer. */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "core/analysis/credit/turns.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "views/base/filter.h"
#include "views/base/view.h"
#include "views/paths/witness.h"

/* Why a path is not in a layer: the task for another thread, and the text. */

static void *run_witness(const struct job *j)
{
	assert(routing_origin(j->sweep->routing)->ops->witness);
	return routing_origin(j->sweep->routing)
		->ops->witness(j->sweep->routing, j->arg[0], j->arg[1], j->arg[2], j->progress);
}

FREED_BY(free_witness, witness_free)

const struct task task_witness = {.run = run_witness, .free = free_witness};

void witness_text(const struct fabric *f, const struct witness *w, struct text *t)
{
	for (uint32_t i = 0; i < w->n; i++)
		text_add(t, "%s → ", f->node_name[f->port_node[w->edge[i].port]]);
	if (w->n)
		text_add(t, "%s", f->node_name[f->port_node[w->edge[0].port]]);
}

/* The pane `path`: the path between two endports, there and back side by side, and the path before. */

enum { C_IN, C_IN_LABEL, C_DIR, C_HOP, C_OUT, C_OUT_LABEL, C_VL, C_ROUTES, C_LINE, C_BACK };

#define SIDE(NAME)                                                                                           \
	{.name = "in",                                                                                       \
	 .help = "port by which the packet comes in",                                                        \
	 .width = 2,                                                                                         \
	 .right = true,                                                                                      \
	 .numeric = true},                                                                                   \
		{.name = "label", .help = "label of that port on the front panel", .drop = DROP_SPARE},      \
		{.name = "dir", .help = "up or down by the ranks of the engine in force", .drop = 5},        \
		{.name = (NAME), .help = "the switches on the path, and both ends", .width = 12, .flex = 1}, \
		{.name = "out",                                                                              \
		 .help = "port by which the packet leaves",                                                  \
		 .width = 3,                                                                                 \
		 .right = true,                                                                              \
		 .numeric = true},                                                                           \
		{.name = "label", .help = "label of that port on the front panel", .drop = DROP_SPARE},      \
		{.name = "VL",                                                                               \
		 .help = "virtual lane of the packets on that cable",                                        \
		 .width = 2,                                                                                 \
		 .right = true,                                                                              \
		 .numeric = true,                                                                            \
		 .drop = 4},                                                                                 \
	{                                                                                                    \
		.name = "routes",                                                                            \
		.help = "pairs of hosts whose path leaves by that port, when all send to all",               \
		.right = true, .numeric = true, .drop = 3                                                    \
	}

static const struct column columns[] = {SIDE("there"), COL("│", "a line between the two ways", 1),
					SIDE("back")};
static_assert(C_BACK == C_LINE + 1 && ARRAY_LEN(columns) == C_LINE + C_BACK,
	      "the same columns on both sides");

struct direction {
	struct path path;
	int shortest;	 /* links, -1 = not known */
	bool changed;	 /* switches or ports differ from those before the last event */
	unsigned turn;	 /* hop where it goes up after going down; path.n = none */
	struct text was; /* the path before, if it was another one */
	bool layered;	 /* the engine put it in a layer: */
	struct pair_layer layer;
	const struct witness *why[CDG_VLS]; /* [layer.first] why not in a lower layer; NULL: not known yet */
};

struct path_pane {
	uint64_t guid[2];   /* port GUIDs of the two endports */
	unsigned offset[2]; /* LID minus base LID */
	struct direction dir[2];
	bool known;
	uint32_t *line[2]; /* [lines] row of each direction, from 0; NO_ID = blank, beside a longer element */
	uint32_t lines;
	const struct loads *loads; /* routes on each port, all to all; NULL: missing */
	bool together;		   /* both directions have one layer together */
	unsigned lower;		   /* layers below the higher of the two; each has a row */
};

static int path_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	const struct fabric *f = v->scene->fabric;
	const struct lids *l = v->scene->sweep ? v->scene->sweep->lids : NULL;
	struct path_pane *p = v->priv;

	(void)a;
	(void)e;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t ep = fabric_endport_by_guid(f, v->args.arg[i].guid);
		unsigned lid = (unsigned)v->args.arg[i].n;

		p->guid[i] = v->args.arg[i].guid;
		if (l && lid > l->base[ep])
			p->offset[i] = lid - l->base[ep];
	}
	return 0;
}

static void path_pane_unload(struct view *v)
{
	struct path_pane *p = v->priv;

	for (unsigned i = 0; i < 2; i++) {
		path_free(&p->dir[i].path);
		text_free(&p->dir[i].was);
	}
}

static void trace_on(const struct sweep *s, const struct path_pane *p, const uint32_t ep[2], unsigned i,
		     struct path *path)
{
	unsigned slid = s->lids->base[ep[i]], dlid = s->lids->base[ep[!i]];

	if (slid)
		slid += p->offset[i];
	if (dlid)
		dlid += p->offset[!i];
	path_trace(s->routing, ep[i], slid, dlid, path);
}

static bool same_path(const struct path *a, const struct path *b)
{
	if (a->end != b->end || a->n != b->n)
		return false;
	for (unsigned h = 0; h < a->n; h++)
		if (a->hop[h].sw != b->hop[h].sw || a->hop[h].in != b->hop[h].in ||
		    a->hop[h].out != b->hop[h].out)
			return false;
	return true;
}

/* Words for the path before the last event: its switches and outgoing ports. */
static void describe(const struct fabric *f, const struct path *path, struct text *t)
{
	char number[PORT_NUMBER_MAX + 1];

	for (unsigned h = 0; h < path->n; h++) {
		const struct path_hop *hop = &path->hop[h];

		text_add(t, "%s%s", h ? " " : "", switch_name(f, hop->sw));
		if (hop->out && hop->out != NO_PATH)
			text_add(t, "[%s]", exit_number(f, hop->sw, hop->out, number, sizeof(number)));
	}
	if (path->end != PATH_OK)
		text_add(t, "%s%s", path->n ? ": " : "", path_end_text(path->end));
}

static void load_before(struct view *v, const uint32_t ep[2], unsigned i)
{
	const struct scene *sc = v->scene;
	struct path_pane *p = v->priv;
	struct path was;

	if (!scene_routing_before(sc))
		return;
	trace_on(sc->before, p, ep, i, &was);
	/* at a step, only a path that was complete before can have changed */
	p->dir[i].changed = !same_path(&p->dir[i].path, &was) && (!sc->moment || was.end == PATH_OK);
	if (p->dir[i].changed)
		describe(sc->fabric, &was, &p->dir[i].was);
	path_free(&was);
}

/* The rows of one direction: source, switches, destination. */
static uint32_t dir_rows(const struct path_pane *p, unsigned i)
{
	return p->known ? p->dir[i].path.n + 2 : 0;
}

/* Loads the layer in which the engine put a direction, and why it is in none below. */
static void load_layer(struct view *v, unsigned i)
{
	const struct routing_ops *ops = scene_ops(v->scene);
	struct path_pane *p = v->priv;
	struct direction *d = &p->dir[i];
	uint32_t slid = d->path.slid, dlid = d->path.dlid;

	d->layered = ops->pair_layer && d->path.end == PATH_OK &&
		     ops->pair_layer(scene_routing(v->scene), slid, dlid, &d->layer);
	if (!d->layered || !ops->witness)
		return;
	assert(d->layer.first <= ARRAY_LEN(d->why));
	for (unsigned k = 0; k < d->layer.first; k++)
		d->why[k] = view_ask_value(v, &task_witness, (const uint32_t[TASK_ARGS]){slid, dlid, k});
	p->lower = MAX(d->layer.first, p->lower);
}

/* Loads both directions. If they have one layer together, the text about the first holds for both. */
static void load_layers(struct view *v)
{
	const struct routing_ops *ops = scene_ops(v->scene);
	struct path_pane *p = v->priv;
	struct layer_info info = {.unit = LAYER_LID_PAIRS};

	load_layer(v, 0);
	if (p->dir[0].layered)
		ops->layer(scene_routing(v->scene), p->dir[0].layer.now, &info);
	p->together = info.unit == LAYER_SWITCH_PAIRS;
	load_layer(v, 1);
}

/* The switch at a row of a direction, NO_ID = an end. */
static uint32_t path_pane_switch_at(const struct path_pane *p, unsigned i, uint32_t at)
{
	return at && at <= p->dir[i].path.n ? p->dir[i].path.hop[at - 1].sw : NO_ID;
}

/* The number of rows from `at` on in the same element; 1 for others, and if nothing is folded (c is NULL). */
static uint32_t run_length(const struct path_pane *p, unsigned i, uint32_t at, const struct view_chassis *c)
{
	uint32_t sw = path_pane_switch_at(p, i, at), e = c && sw != NO_ID ? c->of[sw] : NO_ID, n = 1;

	if (at >= dir_rows(p, i))
		return 0;
	for (; e != NO_ID; n++) {
		sw = path_pane_switch_at(p, i, at + n);
		if (sw == NO_ID || c->of[sw] != e)
			break;
	}
	return n;
}

/*
 * Places the hops side by side, folded by element. Then come one line about the SL, and one per lower layer.
 */
static void place_lines(struct view *v, const struct view_chassis *c)
{
	struct path_pane *p = v->priv;
	uint32_t at[2] = {0, 0}, n[2], most = dir_rows(p, 0) + dir_rows(p, 1);

	for (unsigned i = 0; i < 2; i++)
		p->line[i] = VIEW_ARRAY(v, most + 1, uint32_t);
	while (at[0] < dir_rows(p, 0) || at[1] < dir_rows(p, 1)) {
		for (unsigned i = 0; i < 2; i++)
			n[i] = run_length(p, i, at[i], c);
		most = MAX(n[0], n[1]);
		for (uint32_t k = 0; k < most; k++, p->lines++)
			for (unsigned i = 0; i < 2; i++)
				p->line[i][p->lines] =
					k < n[i] || at[i] >= dir_rows(p, i) ? at[i] + k : NO_ID;
		for (unsigned i = 0; i < 2; i++)
			at[i] += at[i] >= dir_rows(p, i) ? most : n[i];
	}
	assert(p->lines <= dir_rows(p, 0) + dir_rows(p, 1));
}

/* Makes columns for labels of the switches on the way. */
static void load_labels(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct path_pane *p = v->priv;
	uint8_t most = 0;

	for (unsigned i = 0; i < 2; i++)
		for (unsigned h = 0; p->known && h < p->dir[i].path.n; h++) {
			uint8_t w = label_width(f, f->switch_node[p->dir[i].path.hop[h].sw], false);

			most = MAX(w, most);
		}
	for (unsigned c = 0; c <= C_BACK; c += C_BACK)
		v->width[c + C_IN_LABEL] = v->width[c + C_OUT_LABEL] = most;
}

static void path_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct path_pane *p = v->priv;
	uint32_t ep[2] = {NO_ID, NO_ID};

	load_labels(v);
	for (unsigned i = 0; i < 2 && sc->fabric; i++)
		ep[i] = fabric_endport_by_guid(sc->fabric, p->guid[i]);
	if (ep[0] == NO_ID || ep[1] == NO_ID || !scene_routing(sc))
		return;
	p->known = true;
	for (unsigned i = 0; i < 2; i++) {
		trace_on(sc->sweep, p, ep, i, &p->dir[i].path);
		load_before(v, ep, i);
		p->dir[i].shortest = endport_distance(sc->topo, ep[0], ep[1]);
		p->dir[i].turn = first_turn(scene_routing(sc), p->dir[i].path.hop, p->dir[i].path.n);
	}
	load_labels(v);
	if (!scene_routing(sc)->ops->direction)
		v->width[C_DIR] = v->width[C_BACK + C_DIR] = 0;
	load_layers(v);
	p->loads = view_ask_value(v, &task_loads, NULL);
	place_lines(v, sc->fold ? scene_chassis(v->scene, NULL) : NULL);
	v->n_rows = p->lines + 1 + p->lower;
}

static void end_label(const struct fabric *f, uint64_t guid, struct text *t)
{
	uint32_t ep = fabric_endport_by_guid(f, guid);

	if (ep == NO_ID)
		text_add(t, "0x%016llx", (unsigned long long)guid);
	else
		label_endport(f, ep, t);
}

static bool is_detour(const struct direction *d)
{
	return d->path.end == PATH_OK && d->shortest >= 0 && (int)d->path.hops > d->shortest;
}

/* Does a direction end where the step has not decided yet? */
static bool ends_undecided(const struct view *v, unsigned i)
{
	const struct path *path = &((const struct path_pane *)v->priv)->dir[i].path;

	return path->end == PATH_NO_ENTRY && path->n &&
	       scene_undecided(v->scene, path->hop[path->n - 1].sw, path->dlid);
}

static const char *path_pane_end_text(const struct view *v, unsigned i)
{
	return ends_undecided(v, i) ? "not decided yet"
				    : path_end_text(((const struct path_pane *)v->priv)->dir[i].path.end);
}

static void path_pane_sl_text(struct sl_range sl, struct text *t)
{
	char sl_is[SL_WORD];

	text_add(t, "SL %s", sl_word(sl, sl_is));
}

static void path_pane_title(const struct view *v, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;

	if (!f) {
		text_add(t, "Path");
		return;
	}
	end_label(f, p->guid[0], t);
	text_add(t, " → ");
	end_label(f, p->guid[1], t);
	for (unsigned i = 0; i < 2 && p->known; i++) {
		const struct path *path = &p->dir[i].path, *there = &p->dir[0].path;

		if (i && path->end == PATH_OK && there->end == PATH_OK && path->hops == there->hops &&
		    !memcmp(&path->sl, &there->sl, sizeof(path->sl))) {
			text_add(t, " each way");
			continue;
		}
		text_add(t, " ── %s", i ? "back " : "");
		if (path->end != PATH_OK) {
			text_add(t, "%s", ends_undecided(v, i) ? "not decided yet" : "no path");
			continue;
		}
		path_pane_sl_text(path->sl, t);
		text_add(t, ", %s", PLURAL(path->hops, "link"));
	}
}

#define NO_LAYER UINT_MAX

/* The lower layer that a row is about, NO_LAYER = none. */
static unsigned lower_layer(const struct view *v, uint32_t row)
{
	const struct path_pane *p = v->priv;

	return p->known && row > p->lines ? row - p->lines - 1 : NO_LAYER;
}

/* The direction for Enter on such a row, and for the line below the pane. */
static unsigned lower_side(const struct view *v, uint32_t row)
{
	const struct direction *d = ((const struct path_pane *)v->priv)->dir;

	return !d[0].layered || lower_layer(v, row) >= d[0].layer.first;
}

static void why_text(const struct view *v, unsigned i, unsigned layer, struct text *t)
{
	const struct direction *d = &((const struct path_pane *)v->priv)->dir[i];

	if (!d->layered || layer >= d->layer.first)
		return;
	text_add(t, "not in layer %u: ", layer);
	if (!d->why[layer]) {
		text_add(t, "looking for the cycle ...");
		return;
	}
	text_add(t, d->why[layer]->cut == NO_ID ? "would close " : "moved by the cut of ");
	witness_text(v->scene->fabric, d->why[layer], t);
}

static void sl_cell(const struct view *v, unsigned i, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct path *path = &p->dir[i].path;
	unsigned lo = 255, hi = 0;

	if (path->end != PATH_OK)
		return;
	path_pane_sl_text(path->sl, t);
	for (unsigned h = 0; h < path->n; h++) {
		if (!path->hop[h].out || sl_is_open(path->sl))
			continue;
		lo = MIN(path->hop[h].vl, lo);
		hi = MAX(path->hop[h].vl, hi);
	}
	if (lo <= hi)
		text_add(t, lo == hi ? " VL %u" : " VL %u..%u", lo, hi);
	if (!p->dir[i].layered)
		return;
	text_add(t, " layer %u", p->dir[i].layer.now);
	if (p->dir[i].layer.first != p->dir[i].layer.now)
		text_add(t, " (from %u)", p->dir[i].layer.first);
}

/* Ports with labels of the selected switch, there or else back, as a narrow pane has no columns for them. */
static void labels_text(const struct view *v, uint32_t line, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	char number[PORT_NUMBER_MAX + 1];

	for (unsigned i = 0; i < 2 && !t->len && v->width[C_IN_LABEL] && line < p->lines; i++) {
		const struct path *path = &p->dir[i].path;
		uint32_t row = p->line[i][line];
		const struct path_hop *hop = row && row <= path->n ? &path->hop[row - 1] : NULL;

		if (!hop)
			continue;
		text_add(t, "%s", switch_name(f, hop->sw));
		if (hop->in)
			text_add(t, ", in %s", exit_number(f, hop->sw, hop->in, number, sizeof(number)));
		if (hop->out && hop->out != NO_PATH)
			text_add(t, ", out %s", exit_number(f, hop->sw, hop->out, number, sizeof(number)));
	}
}

static void path_pane_footer(const struct view *v, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct scene *sc = v->scene;
	uint32_t row;
	unsigned i;

	if (view_selected(v, &row) && lower_layer(v, row) != NO_LAYER) {
		why_text(v, lower_side(v, row), lower_layer(v, row), t);
		return;
	}

	for (i = 0; i < 2; i++)
		if (p->known && p->dir[i].path.end != PATH_OK) {
			text_add(t, "%s: %s", i ? "back" : "there", path_pane_end_text(v, i));
			return;
		}
	for (i = 0; i < 2; i++) {
		const struct direction *d = &p->dir[i];

		if (!p->known || d->turn == d->path.n)
			continue;
		text_add(t, "%s: forbidden turn at %s, down and then up", i ? "back" : "there",
			 switch_name(sc->fabric, d->path.hop[d->turn].sw));
		return;
	}
	for (i = 0; i < 2; i++) {
		if (!p->known || !p->dir[i].changed)
			continue;
		text_add(t, "%swas: %s", i ? "back " : "", text_str(&p->dir[i].was));
		if (!sc->moment)
			text_add(t, " until event %zu: %s", sc->at, sc->event ? sc->event->text : "");
		return;
	}
	for (i = 0; i < 2; i++) {
		const struct direction *d = &p->dir[i];

		if (!p->known || !is_detour(d))
			continue;
		text_add(t, "%s: a detour, the shortest way has %s", i ? "back" : "there",
			 PLURAL((uint64_t)d->shortest, "link"));
		return;
	}
	if (view_selected(v, &row))
		labels_text(v, row, t);
}

static const char *arrow(const struct view *v, const struct path *path, unsigned h)
{
	const struct routing *r = scene_routing(v->scene);

	if (!r->ops->direction)
		return "";
	if (!h)
		return "↑";
	return direction_sign(r->ops->direction(r, path->hop[h - 1].sw, path->hop[h - 1].out), "·");
}

/* In a folded element, the place says more than the name.  If any of several ports may be taken: all. */
static void hop_cell(const struct view *v, const struct path *path, unsigned h, struct text *t)
{
	const struct path_hop *hop = &path->hop[h];
	const struct routing *r = scene_routing(v->scene);
	const struct view_chassis *c = v->scene->fold ? scene_chassis(v->scene, NULL) : NULL;

	if (c && c->of[hop->sw] != NO_ID && c->chassis_place[hop->sw])
		label_member(c, hop->sw, t);
	else
		text_add(t, "%s", switch_name(v->scene->fabric, hop->sw));
	if (adaptive_find(r->adaptive, hop->sw, path->dlid)) {
		text_add(t, ", out by any of ");
		routing_ports_text(r, hop->sw, path->dlid, t);
	}
}

static void path_pane_port_text(unsigned port, struct text *t)
{
	if (port == NO_PATH)
		text_putc(t, '-');
	else if (port)
		text_add(t, "%u", port);
}

/* The row of a direction on a line. NO_ID, or one after its end, means none. */
static uint32_t line_row(const struct path_pane *p, unsigned i, uint32_t line)
{
	return line < p->lines ? p->line[i][line] : NO_ID;
}

/* The port by which the packet leaves at a row of a direction, NO_ID = none. */
static uint32_t out_port(const struct view *v, unsigned i, uint32_t row)
{
	const struct path_pane *p = v->priv;
	const struct path *path = &p->dir[i].path;
	const struct fabric *f = v->scene->fabric;
	const struct path_hop *hop;

	if (!row)
		return path->src == NO_ID || endport_is_switch(f, path->src) ? NO_ID
									     : f->endport_port[path->src];
	if (row > path->n)
		return NO_ID;
	hop = &path->hop[row - 1];
	return hop->out && hop->out <= f->switch_nports[hop->sw] ? switch_port_id(f, hop->sw, hop->out)
								 : NO_ID;
}

/* The port by which a packet comes in or leaves, including that of a host at an end. */
static void path_pane_ports_cell(const struct view *v, unsigned i, uint32_t row, bool in, struct text *t)
{
	const struct path *path = &((const struct path_pane *)v->priv)->dir[i].path;
	const struct fabric *f = v->scene->fabric;
	uint32_t ep = row ? path->dst : path->src;

	if (row == path->n && row && !in && ends_undecided(v, i))
		text_putc(t, '.');
	else if (row && row <= path->n)
		path_pane_port_text(in ? path->hop[row - 1].in : path->hop[row - 1].out, t);
	else if ((row != 0) == in && (!row || path->end == PATH_OK) && ep != NO_ID &&
		 !endport_is_switch(f, ep))
		path_pane_port_text(f->port_num[f->endport_port[ep]], t);
}

/* The label of the port of a switch by which a packet comes in or leaves. */
static void hop_label(const struct view *v, const struct path *path, uint32_t row, bool in, struct text *t)
{
	const struct path_hop *hop = row && row <= path->n ? &path->hop[row - 1] : NULL;
	const struct fabric *f = v->scene->fabric;
	unsigned port;

	if (!hop)
		return;
	port = in ? hop->in : hop->out;
	if (port && port <= f->switch_nports[hop->sw])
		label_of_port(f, switch_port_id(f, hop->sw, port), t);
}

/* The switch that holds the packet, or an end. */
static void place_cell(const struct view *v, unsigned i, uint32_t row, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct path *path = &p->dir[i].path;

	if (row && row <= path->n)
		hop_cell(v, path, row - 1, t);
	else if (!row || path->end == PATH_OK)
		end_label(v->scene->fabric, p->guid[row ? !i : i], t);
	else
		text_add(t, "%s %s", ends_undecided(v, i) ? "." : "x", path_pane_end_text(v, i));
}

static void side_cell(const struct view *v, unsigned i, uint32_t line, unsigned what, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct path *path = &p->dir[i].path;
	uint32_t port, row = line_row(p, i, line);

	/* the lines after the hops: about the SL and lower layers */
	if (line == p->lines && what == C_HOP)
		sl_cell(v, i, t);
	else if (line > p->lines && what == C_HOP && !(i && p->together))
		why_text(v, i, lower_layer(v, line), t);
	if (row >= dir_rows(p, i))
		return;
	port = out_port(v, i, row);
	if (what == C_IN_LABEL || what == C_OUT_LABEL)
		hop_label(v, path, row, what == C_IN_LABEL, t);
	else if (what == C_IN || what == C_OUT) {
		path_pane_ports_cell(v, i, row, what == C_IN, t);
	} else if (what == C_HOP) {
		place_cell(v, i, row, t);
	} else if (what == C_DIR && row && row <= path->n) {
		text_add(t, "%s", arrow(v, path, row - 1));
	} else if (what == C_VL && row && row <= path->n && port != NO_ID) {
		if (sl_is_open(path->sl))
			text_putc(t, '-');
		else
			text_add(t, "%u", path->hop[row - 1].vl);
	} else if (what == C_ROUTES && port != NO_ID) {
		if (p->loads)
			text_add(t, "%u", p->loads->port[port]);
		else
			text_add(t, "…");
	}
}

static void path_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (col == C_LINE && lower_layer(v, row) != NO_LAYER && ((const struct path_pane *)v->priv)->together)
		return;
	if (col == C_LINE)
		text_add(t, "│");
	else
		side_cell(v, col > C_LINE, row, col > C_LINE ? col - C_BACK : col, t);
}

/* The entries on the way. */
static bool path_pane_touched(const struct view *v, uint32_t line, unsigned col)
{
	const struct path_pane *p = v->priv;
	unsigned i = col > C_LINE, cells = scene_routing(v->scene)->lids->max_lid + 1u;
	uint32_t row = line_row(p, i, line), sw = row == NO_ID ? NO_ID : path_pane_switch_at(p, i, row);

	return (col == C_OUT || col == C_BACK + C_OUT) && sw != NO_ID &&
	       moment_touched(v->scene->moment, T_ENTRY, sw * cells + p->dir[i].path.dlid);
}

static unsigned path_pane_marks(const struct view *v, uint32_t line)
{
	const struct path_pane *p = v->priv;
	unsigned m = 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct direction *d = &p->dir[i];
		uint32_t row = line_row(p, i, line);

		if (row == NO_ID)
			continue;
		if (d->path.end != PATH_OK && row + 1 >= dir_rows(p, i) && !ends_undecided(v, i))
			m |= MARK_DOWN;
		if (row && row <= d->path.n && d->changed && !v->scene->moment)
			m |= MARK_CHANGED;
		if (row && row <= d->path.n && is_detour(d))
			m |= MARK_DETOUR;
	}
	return m;
}

/* Finds the first and last of the lines at which a direction is at a switch. False when there is none. */
static bool path_pane_find_ends(const struct path_pane *p, unsigned i, const uint32_t *line, uint32_t n,
				uint32_t end[2])
{
	end[0] = end[1] = NO_ID;
	for (uint32_t k = 0; k < n; k++) {
		if (path_pane_switch_at(p, i, line_row(p, i, line[k])) == NO_ID)
			continue;
		end[0] = end[0] == NO_ID ? line[k] : end[0];
		end[1] = line[k];
	}
	return end[0] != NO_ID;
}

/* An element as one hop: in by its first chip, out by its last one. */
static bool path_pane_head(const struct view *v, const char *element, const uint32_t *line, uint32_t n,
			   unsigned col, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct view_chassis *c = scene_chassis(v->scene, NULL);
	unsigned i = col > C_LINE, what = i ? col - C_BACK : col;
	const struct path_hop *in;
	uint32_t end[2];

	(void)element;
	if (col == C_LINE)
		return false;
	if (!path_pane_find_ends(p, i, line, n, end))
		return true;
	in = &p->dir[i].path.hop[line_row(p, i, end[0]) - 1];
	if (what == C_HOP && c && c->of[in->sw] != NO_ID)
		text_add(t, "%s (%u)", c->el->name[c->of[in->sw]],
			 line_row(p, i, end[1]) - line_row(p, i, end[0]) + 1);
	else
		side_cell(v, i, end[what > C_DIR], what, t);
	return true;
}

/* The port with most routes on the way there; links between switches are preferred. */
static uint32_t hottest_port(const struct view *v)
{
	const struct path_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t best = NO_ID;

	for (uint32_t row = 0; p->loads && row < dir_rows(p, 0); row++) {
		uint32_t port = out_port(v, 0, row);
		bool last = port != NO_ID && row == p->dir[0].path.n; /* it leads to the host */

		if (port == NO_ID || ((!row || last) && p->dir[0].path.n > 1))
			continue;
		if (best == NO_ID || p->loads->port[port] > p->loads->port[best])
			best = port;
	}
	return best != NO_ID && f->port_peer[best] != NO_ID ? best : NO_ID;
}

/* A blank belongs to the line above it. */
static uint32_t chip_of_line(const struct path_pane *p, uint32_t line)
{
	uint32_t row = line_row(p, 0, line);

	if (line >= p->lines)
		return NO_ID;
	if (row != NO_ID && row >= dir_rows(p, 0))
		return path_pane_switch_at(p, 1, line_row(p, 1, line));
	while (line && row == NO_ID)
		row = line_row(p, 0, --line);
	return path_pane_switch_at(p, 0, row);
}

static bool path_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct path_pane *p = v->priv;
	const struct path *path = &p->dir[0].path;
	uint32_t at = line_row(p, 0, row);
	bool hop = at && at <= path->n;

	if (hop)
		subject_switch_port(v, path->hop[at - 1].sw, 0, s);
	if (out_port(v, 0, at) != NO_ID)
		subject_port(v, out_port(v, 0, at), s);
	else if (!hop && path->dst != NO_ID)
		subject_port(v, v->scene->fabric->endport_port[path->dst], s);
	if (hop)
		s->sw = path->hop[at - 1].sw;
	if (path->dlid)
		subject_to(path->dlid, s);
	if (path->slid)
		s->src = (struct end){END_LID, path->slid};
	if (path->n)
		s->layer = path->hop[0].vl;
	s->chip = chip_of_line(p, row);
	return true;
}

static bool path_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	uint32_t port = strcmp(what, "hottest") ? NO_ID : hottest_port(v);

	(void)row;
	return port != NO_ID && place_port(v->scene->fabric, port, "port", t);
}

static void path_pane_follow(const struct view *v, uint32_t line, struct text *t)
{
	const struct path_pane *p = v->priv;
	const struct path *path = &p->dir[0].path;
	const struct fabric *f = v->scene->fabric;
	uint32_t row = line_row(p, 0, line);

	if (lower_layer(v, line) != NO_LAYER) {
		path = &p->dir[lower_side(v, line)].path;
		text_add(t, "pane cycle ");
		word_endport(f, path->src, t); /* by name, because a number would be a layer */
		text_add(t, " %u %u", path->dlid, lower_layer(v, line));
		return;
	}
	if (!row || row > path->n)
		return;
	text_add(t, "pane lft ");
	word_node(f, f->switch_node[path->hop[row - 1].sw], t);
	text_add(t, " %u", path->dlid);
}

const struct view_ops view_path = {
	.name = "path",
	.brief = "shows the path between two endports and back: ports, VL, routes over each link, and the "
		 "path before the last event",
	.syntax = "SRC DST",
	.hints = "follow=lft :pane_flows_%hottest=hottest :why=why :why_%src=layer :fail=fail :trace=trace "
		 "back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_SEQUENCE | VIEW_CHIPS,
	.priv_size = sizeof(struct path_pane),
	.priv_kept = offsetof(struct path_pane, dir),
	.open = path_pane_open_view,
	.load = path_pane_load,
	.unload = path_pane_unload,
	.title = path_pane_title,
	.footer = path_pane_footer,
	.cell = path_pane_cell,
	.marks = path_pane_marks,
	.touched = path_pane_touched,
	.about = path_pane_about,
	.placeholder = path_pane_placeholder,
	.follow = path_pane_follow,
	.head = path_pane_head,
};
