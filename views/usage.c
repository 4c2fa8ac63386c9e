/* Pane: how much the ports of switches are used: LIDs sent by each, beside ports that lead from and to the
 * same. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/ucast_cache.h"
#include "engines/mincontention/mincontention.h"
#include "views/chips.h"
#include "views/views.h"

enum { C_SWITCH, C_PORT, C_PEER, C_KIND, C_LIDS, C_HOSTS, C_SWITCHES, C_MEAN };

static const struct column columns[] = {
	{.name = "switch", .width = 8, .flex = 1, .fold = FOLD_CHIP},
	{.name = "port", .right = true, .numeric = true},
	{.name = "peer", .width = 10, .flex = 1},
	{.name = "link", .width = 6, .drop = 1},
	{.name = "lids", .width = 5, .right = true, .numeric = true, .fold = FOLD_SUM},
	{.name = "hosts", .right = true, .numeric = true, .drop = 2, .fold = FOLD_SUM},
	{.name = "switches", .right = true, .numeric = true, .drop = 3, .fold = FOLD_SUM},
	{.name = "to mean", .right = true, .numeric = true},
};

/* LIDs that leave a switch by a port. */
struct use {
	uint32_t lids, hosts, switches; /* all; of them those of CA and router ports, of switches */
};

/* Equivalent ports. */
struct group {
	uint32_t n;
	uint64_t lids;
};

struct priv {
	uint64_t guid;		   /* a chip of the element asked for, 0 = all */
	const struct elements *el; /* reference; NULL when there is no grouping: why says so */
	const struct use *use;	   /* [n_ports], NULL: not there yet */
	uint32_t *port;		   /* [n_rows] */
	uint32_t *group_of;	   /* [n_rows] NO_ID = none */
	struct group *group;
	uint32_t n_groups;
	uint32_t element;
	uint32_t *was;	  /* [n_ports] LIDs sent in the event before, once its switch is counted */
	uint8_t *counted; /* [n_switches] */
	struct err why;
};

/* --- computed beside the loop ------------------------------------------------------------- */

static void count_switch(const struct routing *r, uint32_t s, const uint8_t *kind, struct use *use)
{
	const struct fabric *f = r->topo->fabric;
	const struct lft_row *row = r->row[s];
	uint32_t count[4][256] = {{0}};

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		count[kind[lid]][row->port[lid]]++;
	for (unsigned n = 1; n <= f->switch_nports[s]; n++) {
		struct use *u = &use[switch_port_id(f, s, n)];

		u->hosts = count[1][n];
		u->switches = count[2][n];
		u->lids = count[0][n] + u->hosts + u->switches;
	}
}

/* By the tables, and where mincontention made them, by its own counts. */
static void *run_usage(const struct routing *r, const void *base, const uint32_t *arg, struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	const struct mincontention *m = routing_origin(r) == r ? mincontention_of(r) : NULL;
	struct use *use = NEW_ARRAY(f->n_ports + 1, struct use);
	uint8_t *kind = NEW_ARRAY(MAX_LID + 1, uint8_t);
	bool done = true;

	(void)base;
	(void)arg;
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid);

		kind[lid] = ep == NO_ID ? 0 : endport_is_switch(f, ep) ? 2 : 1;
	}
	progress_start(p, "usage of ports", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches && done; s++) {
		count_switch(r, s, kind, use);
		done = progress_step(p, s);
	}
	for (uint32_t port = 0; m && port < f->n_ports; port++)
		use[port].lids = m->usage[port];
	free(kind);
	if (done)
		return use;
	free(use);
	return NULL;
}

static const struct task task_usage = {run_usage, free};

/* --- the pane ------------------------------------------------------------------------------- */

static int open_view(struct view *v, int argc, char **argv, struct err *e)
{
	struct priv *p = v->priv;

	if (argc > 1)
		return err_set(e, "pane usage: found %d arguments, expected [ELEMENT|all]", argc);
	if (!argc || !strcmp(argv[0], "all"))
		return 0;
	if (!v->scene->fabric)
		return err_set(e, "pane usage: no fabric is loaded");
	return view_element_argument(v, argv[0], &p->guid, e);
}

static void close_view(struct view *v)
{
	struct priv *p = v->priv;

	elements_unref(p->el);
	free(p->port);
	free(p->group_of);
	free(p->group);
	free(p->was);
	free(p->counted);
	*p = (struct priv){.guid = p->guid, .element = NO_ID};
}

/*
 * Equivalent ports: links of an element to the same one, or to such as only pass
 * traffic on, to the same neighbours; inside an element, of a chip to the same chip or
 * to such.  Those to different edges are not: the destination decides between them.
 */
struct far {
	uint64_t own; /* who sends: element or chip */
	uint64_t to;  /* who it leads to, or what all that pass on to the same neighbours have in common */
	uint32_t row;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static int by_number(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

/* One number for a set of neighbours, in any order, each once. */
static uint64_t neighbours(uint32_t *set, uint32_t n)
{
	uint64_t h = 1;

	qsort(set, n, sizeof(*set), by_number);
	for (uint32_t i = 0; i < n; i++)
		h = i && set[i] == set[i - 1] ? h : mix(h, set[i] + 1u);
	return h | (uint64_t)1 << 63;
}

/* What an element stands for as one that a link leads to; never 0. */
static uint64_t far_element(const struct elements *el, uint32_t e, uint32_t *set)
{
	uint32_t n = 0;

	if (el->hosts[e])
		return e + 1u;
	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++)
		set[n++] = el->link_to[l];
	return neighbours(set, n);
}

/* The same of a chip within its element; never 0. */
static uint64_t far_chip(const struct elements *el, uint32_t sw, uint32_t *set)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t n = 0;

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t peer = el->topo->peer[switch_port_id(f, sw, p)];

		if (peer == NO_ID)
			continue;
		if (!node_is_switch(f, f->port_node[peer]) ||
		    el->of[f->node_switch[f->port_node[peer]]] != el->of[sw])
			return sw + 1u;
		set[n++] = f->node_switch[f->port_node[peer]];
	}
	return neighbours(set, n);
}

/* What is known of them; 0: not yet. */
struct fars {
	uint64_t *element; /* [elements] */
	uint64_t *chip;	   /* [n_switches] */
	uint32_t *set;	   /* room for n_ports */
};

static bool far_end(const struct elements *el, uint32_t port, struct fars *k, struct far *x)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]], link = el->port_link[port],
		 peer = el->topo->peer_switch[port], to;

	if (link != NO_ID) {
		to = el->link_to[link];
		x->own = el->of[sw];
		x->to = k->element[to] = k->element[to] ? k->element[to] : far_element(el, to, k->set);
		return true;
	}
	if (peer == NO_ID || el->of[peer] != el->of[sw])
		return false;
	x->own = (uint64_t)1 << 32 | sw;
	x->to = k->chip[peer] = k->chip[peer] ? k->chip[peer] : far_chip(el, peer, k->set);
	return true;
}

static int by_far(const void *pa, const void *pb)
{
	const struct far *a = pa, *b = pb;

	if (a->own != b->own)
		return a->own < b->own ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* group_of[] of all rows. */
static void find_groups(struct view *v)
{
	struct priv *p = v->priv;
	const struct fabric *f = p->el->topo->fabric;
	struct far *x = NEW_ARRAY(v->n_rows + 1, struct far);
	struct fars k = {NEW_ARRAY(p->el->n + 1, uint64_t), NEW_ARRAY(f->n_switches + 1, uint64_t),
			 NEW_ARRAY(f->n_ports + 1, uint32_t)};
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->n_rows; i++) {
		x[n].row = i;
		p->group_of[i] = NO_ID;
		n += far_end(p->el, p->port[i], &k, &x[n]);
	}
	qsort(x, n, sizeof(*x), by_far);
	for (uint32_t i = 0; i < n; i++) {
		p->n_groups += !i || by_far(&x[i - 1], &x[i]);
		p->group_of[x[i].row] = p->n_groups - 1;
	}
	free(x);
	free(k.element);
	free(k.chip);
	free(k.set);
}

/* Rows of one element: its chips' cabled ports. */
static void load_element(struct view *v, uint32_t e)
{
	struct priv *p = v->priv;
	const struct elements *el = p->el;
	const struct fabric *f = el->topo->fabric;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		uint32_t s = el->chip[c];

		for (unsigned n = 1; n <= f->switch_nports[s]; n++) {
			uint32_t port = switch_port_id(f, s, n);

			if (f->port_peer[port] != NO_ID)
				p->port[v->n_rows++] = port;
		}
	}
}

static void sum_groups(const struct view *v)
{
	struct priv *p = v->priv;

	p->group = NEW_ARRAY(p->n_groups + 1, struct group);
	for (uint32_t i = 0; p->use && i < v->n_rows; i++) {
		if (p->group_of[i] == NO_ID)
			continue;
		p->group[p->group_of[i]].n++;
		p->group[p->group_of[i]].lids += p->use[p->port[i]].lids;
	}
}

static void load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct elements *el;
	struct priv *p = v->priv;
	const struct result *res;

	close_view(v);
	el = f ? scene_elements(v->scene, &p->why) : NULL;
	if (!el)
		return;
	p->el = elements_ref(el);
	p->element = p->guid ? element_of_guid(el, p->guid) : NO_ID;
	res = view_ask(v, &task_usage, NULL, NULL);
	p->use = res ? res->value : NULL;
	p->port = NEW_ARRAY(f->n_ports + 1, uint32_t);
	p->group_of = NEW_ARRAY(f->n_ports + 1, uint32_t);
	p->was = NEW_ARRAY(f->n_ports + 1, uint32_t);
	p->counted = NEW_ARRAY(f->n_switches + 1, uint8_t);
	for (uint32_t e = 0; e < el->n; e++)
		if (!p->guid || e == p->element)
			load_element(v, e);
	find_groups(v);
	sum_groups(v);
}

static const struct routing *routing_of(const struct sweep *w)
{
	return w ? w->routing : NULL;
}

static void title(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;
	const struct routing *r = routing_of(v->scene->sweep);
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

/* LIDs that the port sends beyond the mean of its group, in tenths. */
static int64_t beyond_mean(const struct priv *p, uint32_t row)
{
	const struct group *g = &p->group[p->group_of[row]];
	int64_t n = g->n, tenths = 10 * ((int64_t)p->use[p->port[row]].lids * n - (int64_t)g->lids);

	return (2 * tenths + (tenths < 0 ? -n : n)) / (2 * n);
}

static bool has_mean(const struct priv *p, uint32_t row)
{
	return p->use && p->group_of[row] != NO_ID && p->group[p->group_of[row]].n > 1;
}

static int64_t number(const struct view *v, uint32_t row, unsigned col)
{
	const struct priv *p = v->priv;

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

static const char *kind_of(const struct priv *p, uint32_t port)
{
	const struct fabric *f = p->el->topo->fabric;

	if (p->el->port_link[port] != NO_ID)
		return "out";
	if (p->el->topo->peer[port] == NO_ID)
		return "down";
	return node_is_switch(f, f->port_node[f->port_peer[port]]) ? "inside" : "host";
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct priv *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t port = p->port[row];
	char buf[256];
	int64_t n;

	switch (col) {
	case C_SWITCH:
		text_add(t, "%s", f->node_name[f->port_node[port]]);
		return;
	case C_PEER:
		text_add(t, "%s", port_label(f, f->port_peer[port], buf, sizeof(buf)));
		return;
	case C_KIND:
		text_add(t, "%s", kind_of(p, port));
		return;
	case C_MEAN:
		n = number(v, row, col);
		if (n)
			text_add(t, "%c%" PRId64 ".%" PRId64, n < 0 ? '-' : '+', (n < 0 ? -n : n) / 10,
				 (n < 0 ? -n : n) % 10);
		else if (has_mean(p, row))
			text_putc(t, '0');
		return;
	}
	n = number(v, row, col);
	if (n >= 0)
		text_add(t, "%" PRId64, n);
	else
		text_add(t, "%s", v->waiting ? "…" : "-");
}

/* --- since the event before ------------------------------------------------------------------ */

static void count_before(struct priv *p, const struct routing *before, uint32_t s)
{
	const struct fabric *f = before->topo->fabric;
	const struct lft_row *row = before->row[s];

	p->counted[s] = 1;
	for (unsigned lid = 1; row && lid <= row->top; lid++)
		if (row->port[lid] <= f->switch_nports[s])
			p->was[switch_port_id(f, s, row->port[lid])]++;
}

/* Does the port send more LIDs or fewer than before the last event?  *was: how many then. */
static bool has_changed(const struct view *v, uint32_t row, uint32_t *was)
{
	struct priv *p = v->priv;
	const struct scene *sc = v->scene;
	const struct routing *now = routing_of(sc->sweep), *before = routing_of(sc->before);
	uint32_t port = p->port[row], s = sc->fabric->node_switch[sc->fabric->port_node[port]];

	if (!p->use || !before || before->topo->fabric != sc->fabric || before->row[s] == now->row[s])
		return false;
	if (!p->counted[s])
		count_before(p, before, s);
	*was = p->was[port];
	return *was != p->use[port].lids;
}

static unsigned marks(const struct view *v, uint32_t row)
{
	const struct priv *p = v->priv;
	uint32_t was;

	return (p->el->topo->peer[p->port[row]] == NO_ID ? MARK_DOWN : 0) |
	       (has_changed(v, row, &was) ? MARK_CHANGED : 0);
}

/* "4 ports dir1 → edge-05: 12.5 LIDs each; 11 before" */
static void footer(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;
	uint32_t row, was, link;
	const struct group *g;

	if (!p->use || !view_selected(v, &row))
		return;
	if (has_mean(p, row)) {
		g = &p->group[p->group_of[row]];
		link = p->el->port_link[p->port[row]];
		text_add(t, "%u ports ", g->n);
		if (link == NO_ID)
			text_add(t, "inside");
		else
			text_add(t, "to %s", p->el->name[p->el->link_to[link]]);
		text_add(t, ": mean %.1f", (double)g->lids / g->n);
	}
	if (has_changed(v, row, &was))
		text_add(t, "%s%u before", has_mean(p, row) ? "; " : "", was);
}

static uint64_t key(const struct view *v, uint32_t row)
{
	const struct priv *p = v->priv;

	return p->port[row];
}

static bool placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct priv *p = v->priv;
	const struct fabric *f = v->scene->fabric;

	if (!strcmp(what, "element")) {
		word_element(p->el, p->el->of[f->node_switch[f->port_node[p->port[row]]]], t);
		return true;
	}
	return place_port(f, p->port[row], what, t);
}

static uint32_t chip(const struct view *v, uint32_t row)
{
	const struct fabric *f = v->scene->fabric;

	return f->node_switch[f->port_node[((const struct priv *)v->priv)->port[row]]];
}

static void follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t port = ((const struct priv *)v->priv)->port[row];

	text_add(t, "pane ports ");
	word_node(f, f->port_node[port], t);
	text_add(t, "; select %u", f->port_num[port]);
}

const struct view_ops view_usage = {
	.name = "usage",
	.brief =
		"LIDs sent by each port of switches, of hosts and of switches, beside the mean of ports that "
		"lead the same way",
	.syntax = "[ELEMENT|all]",
	.hints = "follow=ports :pane_lft=lft :fail=fail back=back",
	.column = columns,
	.n_columns = ARRAY_LEN(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct priv),
	.open = open_view,
	.load = load,
	.close = close_view,
	.title = title,
	.footer = footer,
	.cell = cell,
	.number = number,
	.marks = marks,
	.key = key,
	.follow = follow,
	.placeholder = placeholder,
	.chip = chip,
	.fold_row = "port",
};
