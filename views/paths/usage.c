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

enum { C_LINK, C_PEER, C_BEFORE, C_AFTER, C_GAIN };

static const struct column columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 10, .flex = 1,
	    .fold = FOLD_CHIP),
	COL("to", "what the link leads to", 10, .flex = 1),
	NUM("before", "routes over the link before, or in the snapshot", 0, .fold = FOLD_SUM),
	NUM("now", "routes over it now", 6, .fold = FOLD_SUM),
	NUM("gain", "routes now minus routes before", 6),
};
static_assert(ARRAY_LEN(columns) == C_GAIN + 1, "a column for each C_");

struct hotter_pane {
	const struct load_diff *d; /* borrowed; NULL = missing */
	const char *why;	   /* static; why there is no question; NULL: there is one */
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

static void hotter_pane_load(struct view *v)
{
	struct hotter_pane *p = v->priv;
	struct between_question *q = between_question_new(v, v->n_words ? v->word[0] : NULL, &p->why);
	const struct result *r = view_ask_about(v, &task_diff, q, &task_between_question, NULL);

	p->d = r ? r->value : NULL;
	v->n_rows = p->d ? p->d->n : 0;
}

static void hotter_pane_title(const struct view *v, struct text *t)
{
	const struct hotter_pane *p = v->priv;

	text_add(t, "Links since %s", v->n_words ? v->word[0] : "the event before");
	if (p->d)
		text_add(t, " ── %u hotter, %u cooler ── most %u → %u", p->d->hotter, p->d->cooler,
			 p->d->max_before, p->d->max_after);
}

static const struct load_change *change_at(const struct view *v, uint32_t row)
{
	return &((const struct hotter_pane *)v->priv)->d->change[row];
}

static void hotter_pane_footer(const struct view *v, struct text *t)
{
	const struct hotter_pane *p = v->priv;

	if (p->why)
		text_add(t, "%s", p->why);
	else if (p->d && !p->d->n)
		text_add(t, "every link carries the same routes as before");
	else if (p->d)
		text_add(t, "all hosts to all; together %+" PRId64 " routes", p->d->gain);
}

static int64_t hotter_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct load_change *c = change_at(v, row);

	if (col == C_BEFORE)
		return c->before;
	return col == C_AFTER ? c->after : load_gain(c);
}

static void hotter_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct load_change *c = change_at(v, row);
	const struct load_diff *d = ((const struct hotter_pane *)v->priv)->d;
	char buf[700], *to;

	switch (col) {
	case C_LINK:
	case C_PEER:
		load_change_label(d, c, buf, sizeof(buf));
		to = strstr(buf, " -> ");
		if (to)
			*to = 0;
		if (col == C_LINK)
			text_add(t, "%s", buf);
		else if (to)
			text_add(t, "%s", to + 4);
		break;
	case C_GAIN:
		text_add(t, "%+" PRId64, load_gain(c));
		break;
	default:
		text_add(t, "%" PRId64, hotter_pane_number(v, row, col));
	}
}

static unsigned hotter_pane_marks(const struct view *v, uint32_t row)
{
	const struct load_change *c = change_at(v, row);
	const struct load_diff *d = ((const struct hotter_pane *)v->priv)->d;

	return c->port == NO_ID || d->b->topo->peer[c->port] == NO_ID ? MARK_DOWN : MARK_CHANGED;
}

static bool hotter_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct load_change *c = change_at(v, row);
	const struct fabric *f;
	uint32_t port;

	f = load_change_fabric(((const struct hotter_pane *)v->priv)->d, c, &port);
	s->key = f->node_guid[f->port_node[port]] * 256 + f->port_num[port];
	if (c->port == NO_ID)
		return false;
	subject_port(v, c->port, s);
	return true;
}

const struct view_ops view_hotter = {
	.name = "hotter",
	.brief = "lists links with more routes than before the last event (or in a snapshot), then links "
		 "with fewer",
	.syntax = "[SNAPSHOT]",
	.hints = "follow=flows :fail=fail back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct hotter_pane),
	.open = between_question_open,
	.load = hotter_pane_load,
	.title = hotter_pane_title,
	.footer = hotter_pane_footer,
	.cell = hotter_pane_cell,
	.number = hotter_pane_number,
	.marks = hotter_pane_marks,
	.about = hotter_pane_about,
	.enter = "pane flows %port",
	.fold_row = "link",
};

/* The pane `usage`: the usage of switch ports: LIDs sent by each one, compared with equivalent ports, which
 * lead between the same elements. */

enum { C_SWITCH, C_PORT, C_LABEL, usage_C_PEER, C_KIND, C_LIDS, C_HOSTS, C_SWITCHES, C_MEAN };

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
static_assert(ARRAY_LEN(usage_columns) == C_MEAN + 1, "a column for each C_");

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
	v->width[C_LABEL] = 0;
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

		v->width[C_LABEL] = MAX(w, v->width[C_LABEL]);
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

static int64_t usage_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct usage_pane *p = v->priv;

	switch (col) {
	case C_PORT:
		return v->scene->fabric->port_num[p->port[row]];
	case C_LIDS:
		return p->use ? (int64_t)p->use[p->port[row]].lids : -1;
	case C_HOSTS:
		return p->use ? (int64_t)p->use[p->port[row]].hosts : -1;
	case C_SWITCHES:
		return p->use ? (int64_t)p->use[p->port[row]].switches : -1;
	}
	return has_mean(p, row) ? beyond_mean(p, row) : 0;
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

static bool usage_pane_has_changed(const struct view *v, uint32_t row, uint32_t *was);

static bool usage_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	uint32_t was;

	return col == C_LIDS && usage_pane_has_changed(v, row, &was);
}

static void usage_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct usage_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t port = p->port[row], was;
	char buf[256];
	int64_t n;

	switch (col) {
	case C_SWITCH:
		text_add(t, "%s", f->node_name[f->port_node[port]]);
		return;
	case C_LABEL:
		label_of_port(f, port, t);
		return;
	case usage_C_PEER:
		text_add(t, "%s", port_plain(f, f->port_peer[port], buf, sizeof(buf)));
		return;
	case C_KIND:
		text_add(t, "%s", usage_pane_kind_of(p, port));
		return;
	case C_MEAN:
		n = usage_pane_number(v, row, col);
		if (n)
			text_add(t, "%c%" PRId64 ".%" PRId64, n < 0 ? '-' : '+', imaxabs(n) / 10,
				 imaxabs(n) % 10);
		else if (has_mean(p, row))
			text_putc(t, '0');
		return;
	}
	n = usage_pane_number(v, row, col);
	if (view_touched(v, row, col) && usage_pane_has_changed(v, row, &was))
		text_add(t, "%u→", was);
	if (n >= 0)
		text_add(t, "%" PRId64, n);
	else
		text_add(t, "%s", v->waiting ? "…" : "-");
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

static unsigned usage_pane_marks(const struct view *v, uint32_t row)
{
	const struct usage_pane *p = v->priv;
	uint32_t was;

	return mark_if(p->el->topo->peer[p->port[row]] == NO_ID, MARK_DOWN) |
	       mark_if(!v->scene->moment && usage_pane_has_changed(v, row, &was), MARK_CHANGED);
}

/* "4 ports dir1 → edge-05: 12.5 LIDs each; 11 before" */
static void usage_pane_footer(const struct view *v, struct text *t)
{
	const struct usage_pane *p = v->priv;
	uint32_t row, was, link;
	const struct usage_pane_group *g;

	if (!p->use || !view_selected(v, &row))
		return;
	if (has_mean(p, row)) {
		g = &p->group[p->group_of[row]];
		link = p->el->port_link[p->port[row]];
		text_add(t, "%s ", PLURAL(g->n, "port"));
		if (link == NO_ID)
			text_add(t, "inside");
		else
			text_add(t, "to %s", p->el->name[p->el->link_to[link]]);
		text_add(t, ": mean %.1f", (double)g->lids / g->n);
	}
	if (usage_pane_has_changed(v, row, &was))
		text_add(t, "%s%u before", has_mean(p, row) ? "; " : "", was);
}

static bool usage_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct usage_pane *p = v->priv;

	subject_port(v, p->port[row], s);
	s->elements = p->el;
	s->element = p->el->of[s->chip];
	s->key = s->port;
	return true;
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
	.unload = usage_pane_unload,
	.title = usage_pane_title,
	.footer = usage_pane_footer,
	.cell = usage_pane_cell,
	.number = usage_pane_number,
	.marks = usage_pane_marks,
	.touched = usage_pane_touched,
	.about = usage_pane_about,
	.meter = usage_pane_meter,
	.enter = "pane flows %port",
	.fold_row = "port",
};
