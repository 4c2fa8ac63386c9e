/* The panes `usage` and `hotter`: LIDs sent by each port, and links that carry more than before. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/session/command.h"
#include "views/base/filter.h"
#include "views/base/view.h"

/* The pane `hotter`: links that carry more routes since the last event or a snapshot, then those that carry
 * fewer. */

static const struct column hotter_columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 10, .flex = 1,
	    .fold = FOLD_CHIP),
	COL("to", "what the link leads to", 10, .flex = 1),
	NUM("before", "routes over the link before, or in the snapshot", 0, .fold = FOLD_SUM),
	NUM("now", "routes over it now", 6, .fold = FOLD_SUM),
	NUM("gain", "routes now minus routes before", 6),
};

struct hotter_pane {
	const struct load_diff *d; /* borrowed; NULL = missing */
};

/* --- computed by another thread ----------------------------------------------------------------- */

FREED_BY(free_diff, arena_free)

static void *run_diff(const struct job *j)
{
	const struct between_question *q = j->base;

	return load_diff_new(q->ra, q->rb, j->progress);
}

static const struct task task_diff = {.run = run_diff, .free = free_diff};

/* --- the pane ------------------------------------------------------------------------------------ */

static void hotter_load(struct view *v)
{
	struct hotter_pane *p = v->priv;
	const char *why; /* why there is no question */
	struct between_question *q = between_question_new(v, v->n_words ? v->word[0] : NULL, &why);
	const struct result *r = view_ask_about(v, &task_diff, q, &task_between_question, NULL);

	p->d = r ? r->value : NULL;
	text_add(&v->title, "Links since %s", v->n_words ? v->word[0] : "the event before");
	if (why)
		text_add(&v->footer, "%s", why);
	if (!p->d)
		return;
	v->n_rows = p->d->n;
	text_add(&v->title, " ── %u hotter, %u cooler ── most %u → %u", p->d->hotter, p->d->cooler,
		 p->d->max_before, p->d->max_after);
	if (v->n_rows)
		text_add(&v->footer, "all hosts to all; together %+" PRId64 " routes", p->d->gain);
	else
		text_add(&v->footer, "every link carries the same routes as before");
}

static void hotter_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct load_diff *d = ((const struct hotter_pane *)v->priv)->d;
	const struct load_change *c = &d->change[row];
	uint32_t port;
	const struct fabric *f = load_change_fabric(d, c, &port);
	char buf[700], *to;

	load_change_label(d, c, buf, sizeof(buf));
	to = strstr(buf, " -> ");
	if (to)
		*to = 0;
	ROW_VALUES(v, r, row_text(r, "%s", buf), row_text(r, "%s", to ? to + 4 : ""), c->before, c->after,
		   load_gain(c));
	r->says[4] = row_text(r, "%+" PRId64, load_gain(c));
	r->marks = c->port == NO_ID || d->b->topo->peer[c->port] == NO_ID ? MARK_DOWN : MARK_CHANGED;
	r->about.key = f->node_guid[f->port_node[port]] * 256 + f->port_num[port];
	if (c->port != NO_ID)
		subject_port(v, c->port, &r->about);
}

const struct view_ops view_hotter = {
	.name = "hotter",
	.brief = "lists links with more routes than before the last event (or in a snapshot), then links "
		 "with fewer",
	.syntax = "[SNAPSHOT]",
	.hints = "follow=flows :fail=fail back=back",
	COLUMNS(hotter_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct hotter_pane),
	.open = between_question_open,
	.load = hotter_load,
	.row = hotter_row,
	.enter = "pane flows %port",
	.fold_row = "link",
};

/* The pane `usage`: the usage of switch ports: LIDs sent by each one, compared with equivalent ports, which
 * lead between the same elements. */

static const struct column usage_columns[] = {
	COL("switch", "the switch that the port belongs to", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("port", "number of the port", 0),
	COL("label", "label of the port on the front panel", 0),
	COL("peer", "the port that its cable leads to", 10, .flex = 1),
	COL("link", "out: to another element; inside: to a chip of the same one; host; down", 6, .drop = 1),
	NUM("lids", "LIDs that leave by the port", 5, .fold = FOLD_SUM, .meter = 12),
	NUM("hosts", "of these, LIDs of hosts", 0, .drop = 2, .fold = FOLD_SUM),
	NUM("switches", "of these, LIDs of switches", 0, .drop = 3, .fold = FOLD_SUM),
	NUM("to mean",
	    "LIDs above or below the mean of the element's ports with the same use: they lead to the same "
	    "element, or to elements that only pass on to the same neighbours",
	    0),
};

/* A group of equivalent ports. */
struct usage_pane_group {
	uint32_t n;
	uint64_t lids;
};

struct usage_pane {
	uint64_t guid;		    /* a chip of the requested element, 0 = all */
	const struct elements *el;  /* reference; NULL without grouping: `why` tells the reason */
	const struct port_use *use; /* [n_ports], NULL: missing */
	uint32_t *port;		    /* [n_rows] */
	uint32_t *group_of;	    /* [n_rows] NO_ID = none */
	struct usage_pane_group *group;
	uint32_t n_groups;
	uint32_t most; /* most LIDs that one of the ports sends */
	uint32_t element;
	uint32_t *was;	  /* [n_ports] LIDs sent before the last event, once the switch is counted */
	uint8_t *counted; /* [n_switches] */
	struct err why;
};

/* --- the pane ------------------------------------------------------------------------------- */

static void usage_pane_unload(struct view *v)
{
	elements_unref(((struct usage_pane *)v->priv)->el);
}

/* Loads the rows of one element: the cabled ports of its chips. */
static void load_element(struct view *v, uint32_t e)
{
	struct usage_pane *p = v->priv;
	const struct elements *el = p->el;
	const struct fabric *f = el->topo->fabric;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		uint32_t s = el->chip[c];

		FOR_PORTS(f, s, port) {
			if (f->port_peer[port] != NO_ID)
				p->port[v->n_rows++] = port;
		}
	}
	assert(v->n_rows <= f->n_ports);
}

static void sum_groups(struct view *v)
{
	struct usage_pane *p = v->priv;

	p->group = VIEW_ARRAY(v, p->n_groups + 1, struct usage_pane_group);
	for (uint32_t i = 0; p->use && i < v->n_rows; i++) {
		if (p->use[p->port[i]].lids > p->most)
			p->most = p->use[p->port[i]].lids;
		if (p->group_of[i] == NO_ID)
			continue;
		p->group[p->group_of[i]].n++;
		p->group[p->group_of[i]].lids += p->use[p->port[i]].lids;
	}
}

static void usage_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct elements *el;
	struct usage_pane *p = v->priv;

	p->guid = v->args.arg[0].guid;
	p->element = NO_ID;
	v->width[2] = 0;
	el = f ? scene_elements(v->scene, &p->why) : NULL;
	if (!el)
		return;
	p->el = elements_ref(el);
	p->element = p->guid ? element_of_guid(el, p->guid) : NO_ID;
	p->use = view_ask_value(v, &task_usage, NULL);
	p->port = VIEW_ARRAY(v, f->n_ports + 1, uint32_t);
	p->group_of = VIEW_ARRAY(v, f->n_ports + 1, uint32_t);
	p->was = VIEW_ARRAY(v, f->n_ports + 1, uint32_t);
	p->counted = VIEW_ARRAY(v, f->n_switches + 1, uint8_t);
	for (uint32_t e = 0; e < el->n; e++)
		if (!p->guid || e == p->element)
			load_element(v, e);
	for (uint32_t i = 0; i < v->n_rows; i++) {
		uint32_t node = f->port_node[p->port[i]];
		uint8_t w = i && node == f->port_node[p->port[i - 1]] ? 0 : label_width(f, node, false);

		v->width[2] = MAX(w, v->width[2]);
	}
	p->n_groups = equivalent_ports(el, p->port, v->n_rows, p->group_of);
	sum_groups(v);
}

static void usage_pane_title(const struct view *v, struct text *t)
{
	const struct usage_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t n = view_count(v);

	text_add(t, "Usage of ports");
	if (p->guid && p->element != NO_ID)
		text_add(t, " of %s", p->el->name[p->element]);
	else if (p->guid && p->el)
		text_add(t, " of an element that is down");
	text_add(t, " %u/%u", n ? v->sel + 1 : 0, n);
	if (r)
		text_add(t, " ── %s", r->engine);
	if (v->scene->fabric && !p->el)
		text_add(t, " ── %s", p->why.msg);
}

/* The LIDs that the port sends above the mean of its group, in tenths. */
static int64_t beyond_mean(const struct usage_pane *p, uint32_t row)
{
	assert(p->use && p->group_of[row] != NO_ID && p->group[p->group_of[row]].n);

	const struct usage_pane_group *g = &p->group[p->group_of[row]];
	int64_t n = g->n, tenths = 10 * ((int64_t)p->use[p->port[row]].lids * n - (int64_t)g->lids);

	return (2 * tenths + (tenths < 0 ? -n : n)) / (2 * n);
}

static bool has_mean(const struct usage_pane *p, uint32_t row)
{
	return p->use && p->group_of[row] != NO_ID && p->group[p->group_of[row]].n > 1;
}

/* The shade compares the port with the mean of its group. */
static bool usage_pane_meter(const struct view *v, uint32_t row, unsigned col, struct meter *m)
{
	const struct usage_pane *p = v->priv;
	uint32_t lids = p->use ? p->use[p->port[row]].lids : 0;
	const struct usage_pane_group *g;

	(void)col;
	if (!lids)
		return false;
	*m = (struct meter){(double)lids / p->most, 2};
	if (has_mean(p, row)) {
		g = &p->group[p->group_of[row]];
		m->shade = picture_load_class(lids, (double)g->lids / g->n);
	}
	return true;
}

static const char *usage_pane_kind_of(const struct usage_pane *p, uint32_t port)
{
	const struct fabric *f = p->el->topo->fabric;

	if (p->el->port_link[port] != NO_ID)
		return "out";
	if (p->el->topo->peer[port] == NO_ID)
		return "down";
	return node_is_switch(f, f->port_node[f->port_peer[port]]) ? "inside" : "host";
}

/* --- since the event before ------------------------------------------------------------------ */

static void usage_pane_count_before(struct usage_pane *p, const struct routing *before, uint32_t s)
{
	const struct fabric *f = before->topo->fabric;
	const struct lft_row *row = before->row[s];

	p->counted[s] = 1;
	for (unsigned lid = 1; row && lid <= row->top; lid++)
		if (row->port[lid] <= f->switch_nports[s])
			p->was[switch_port_id(f, s, row->port[lid])]++;
}

/* Does the port send more or fewer LIDs than before the last event? *was: the earlier number. */
static bool usage_pane_has_changed(const struct view *v, uint32_t row, uint32_t *was)
{
	struct usage_pane *p = v->priv;
	const struct scene *sc = v->scene;
	const struct routing *now = scene_routing(sc), *before = scene_routing_before(sc);
	uint32_t port = p->port[row], s = sc->fabric->node_switch[sc->fabric->port_node[port]];

	if (!p->use || !before || before->row[s] == now->row[s])
		return false;
	if (!p->counted[s])
		usage_pane_count_before(p, before, s);
	*was = p->was[port];
	return *was != p->use[port].lids;
}

/* "4 ports dir1 → edge-05: 12.5 LIDs each; 11 before". was: NULL = no other number. */
static void usage_below(const struct usage_pane *p, uint32_t row, const uint32_t *was, struct text *t)
{
	const struct usage_pane_group *g = has_mean(p, row) ? &p->group[p->group_of[row]] : NULL;
	uint32_t link = p->el->port_link[p->port[row]];

	if (g) {
		text_add(t, "%s ", PLURAL(g->n, "port"));
		if (link == NO_ID)
			text_add(t, "inside");
		else
			text_add(t, "to %s", p->el->name[p->el->link_to[link]]);
		text_add(t, ": mean %.1f", (double)g->lids / g->n);
	}
	if (was)
		text_add(t, "%s%u before", g ? "; " : "", *was);
}

static void usage_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct usage_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t port = p->port[row], was;
	const struct port_use *use = p->use ? &p->use[port] : NULL;
	int64_t beyond = has_mean(p, row) ? beyond_mean(p, row) : 0;
	bool changed = usage_pane_has_changed(v, row, &was);
	size_t label = row_text(r, "%s", "");
	char buf[256];

	label_of_port(f, port, &r->text);
	ROW_VALUES(v, r, row_text(r, "%s", f->node_name[f->port_node[port]]), f->port_num[port],
		   (int64_t)label, row_text(r, "%s", port_plain(f, f->port_peer[port], buf, sizeof(buf))),
		   row_text(r, "%s", usage_pane_kind_of(p, port)), use ? (int64_t)use->lids : -1,
		   use ? (int64_t)use->hosts : -1, use ? (int64_t)use->switches : -1, beyond);
	if (beyond)
		r->says[8] = row_text(r, "%c%" PRId64 ".%" PRId64, beyond < 0 ? '-' : '+',
				      imaxabs(beyond) / 10, imaxabs(beyond) % 10);
	else
		r->says[8] = row_text(r, "%s", has_mean(p, row) ? "0" : "");
	if (!use && v->waiting)
		r->says[5] = r->says[6] = r->says[7] = row_text(r, "…");
	if (changed && v->scene->moment) {
		assert(use);
		r->says[5] = row_text(r, "%u→%u", was, use->lids);
		r->touched = 1 << 5;
	}
	r->marks = mark_if(p->el->topo->peer[port] == NO_ID, MARK_DOWN) |
		   mark_if(!v->scene->moment && changed, MARK_CHANGED);
	r->footer = row_text(r, "%s", "");
	if (use)
		usage_below(p, row, changed ? &was : NULL, &r->text);
	subject_port(v, port, &r->about);
	r->about.elements = p->el;
	r->about.element = p->el->of[r->about.chip];
	r->about.key = port;
}

const struct view_ops view_usage = {
	.name = "usage",
	.brief = "counts the LIDs that each port of a switch sends, and compares ports of an element that "
		 "have the same use",
	.syntax = "[ELEMENT|all]",
	.hints = "follow=flows :pane_lft=lft :fail=fail back=back",
	COLUMNS(usage_columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct usage_pane),
	.load = usage_pane_load,
	.row = usage_row,
	.unload = usage_pane_unload,
	.title = usage_pane_title,
	.meter = usage_pane_meter,
	.enter = "pane flows %port",
	.fold_row = "port",
};
