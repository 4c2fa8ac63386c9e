/* The panes `switches`, `hosts` and `warnings`. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "views/base/view.h"

/* The pane `switches`: switches in the source's order; by rank if the engine has ranks. */

static const struct column switches_columns[] = {
	NUM("rank", "level by the engine in force; for Up/Down cables to the nearest root", 0, .drop = 3,
	    .fold = FOLD_RANGE),
	COL("name", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("lid", "its LID", 0),
	NUM("ports", "ports it has", 0, .drop = 5, .fold = FOLD_SUM),
	NUM("up", "ports that are up", 0, .fold = FOLD_SUM),
	NUM("lids", "LIDs for which its table has a port", 0, .was = "routes", .drop = 2, .fold = FOLD_SUM),
	NUM("changed", "entries that the last event changed", 0, .drop = 6, .fold = FOLD_SUM),
	NUM("hosts",
	    "its ports that are up and lead to a host or router; to aggregation nodes only if they count", 0,
	    .drop = 7, .fold = FOLD_SUM),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 8, .kind = CELL_GUID),
};

struct switches_pane {
	uint32_t *sw;	/* [n] switches in the order of rows */
	uint8_t *up;	/* [n_switches] live ports */
	uint8_t *hosts; /* [n_switches] of these, to hosts that count */
	uint32_t *lids; /* [n_switches] LIDs with a port; UINT32_MAX: not counted yet */
	bool ranks;
};

static uint32_t switches_pane_rank_of(const struct scene *sc, uint32_t sw)
{
	const struct routing *r = scene_real_routing(sc);

	return r && r->ops->rank ? r->ops->rank(r, sw) : NO_RANK;
}

struct switches_pane_place {
	uint32_t rank, order, sw;
};

COMPARATOR(by_place, struct switches_pane_place, DOWN(rank) UP(order)) /* leaves first, as hosts are there */

static void switches_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	struct switches_pane *p = v->priv;
	bool aggregation = scene_counts_aggregation(sc);
	AUTO_FREE struct switches_pane_place *pl = NULL;

	if (!f)
		return;
	v->n_rows = f->n_switches;
	p->sw = VIEW_ARRAY(v, f->n_switches + 1, uint32_t);
	p->up = VIEW_ARRAY(v, f->n_switches + 1, uint8_t);
	p->hosts = VIEW_ARRAY(v, f->n_switches + 1, uint8_t);
	p->lids = VIEW_ARRAY(v, f->n_switches + 1, uint32_t);
	memset(p->lids, 0xff, f->n_switches * sizeof(*p->lids));
	pl = NEW_ARRAY(f->n_switches + 1, struct switches_pane_place);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t rank = switches_pane_rank_of(sc, s);

		p->ranks |= rank != NO_RANK;
		pl[s] = (struct switches_pane_place){rank == NO_RANK ? 0 : rank,
						     f->node_order[f->switch_node[s]], s};
		FOR_PORTS(f, s, port) {
			p->up[s] += state_live_peer(f, sc->state, port) != NO_ID; /* reached or not */
			p->hosts[s] += port_of_host(f, sc->real_topo->peer[port], aggregation);
		}
	}
	qsort(pl, f->n_switches, sizeof(*pl), by_place);
	for (uint32_t i = 0; i < f->n_switches; i++)
		p->sw[i] = pl[i].sw;
	if (!p->ranks)
		v->width[0] = 0;
	v->width[2] = (uint8_t)digits(sc->real ? sc->real->lids->max_lid : 0, 3);
}

static void switches_pane_title(const struct view *v, struct text *t)
{
	title_place(v, "switches", t);
	if (v->sort < 0 && ((const struct switches_pane *)v->priv)->ranks)
		text_add(t, " by rank");
}

/* LIDs for which the table of a switch has a port; counted once. */
static uint32_t switches_lids(const struct view *v, uint32_t sw)
{
	const struct routing *r = scene_real_routing(v->scene);
	const struct lft_row *lft = r ? r->row[sw] : NULL;
	struct switches_pane *p = v->priv;

	if (p->lids[sw] == UINT32_MAX) {
		p->lids[sw] = 0;
		for (unsigned l = 0; lft && l <= lft->top; l++)
			p->lids[sw] += lft->port[l] != NO_PATH;
	}
	return p->lids[sw];
}

static void switches_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct scene *sc = v->scene;
	const struct switches_pane *p = v->priv;
	const struct fabric *f = sc->fabric;
	const struct comparison *c = sc->real_change;
	uint32_t sw = p->sw[row], ep = f->port_endport[f->switch_port[sw]],
		 rank = switches_pane_rank_of(sc, sw);
	uint32_t changed = c && c->switch_entries ? c->switch_entries[sw] : 0;
	int64_t lid = ep != NO_ID ? scene_lid(sc, ep) : 0;

	ROW_VALUES(v, r, rank == NO_RANK ? -1 : (int64_t)rank, sw, lid, f->switch_nports[sw], p->up[sw],
		   switches_lids(v, sw), changed, p->hosts[sw], sw);
	if (!lid)
		r->says[2] = row_text(r, "-");
	if (!changed)
		r->says[6] = row_text(r, "%s", "");
	r->marks = mark_if(!switch_up(sc->real_topo, sw), MARK_DOWN) | mark_if(changed, MARK_CHANGED);
	subject_switch(v, sw, &r->about);
	r->about.lid = (int)lid;
}

const struct view_ops view_switches = {
	.name = "switches",
	.brief = "lists all switches: rank, LID, live ports, routes, entries that the last event changed",
	.hints = "follow=open :fail=fail :pane_lft=lft",
	COLUMNS(switches_columns),
	.flags = VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct switches_pane),
	.load = switches_pane_load,
	.row = switches_row,
	.title = switches_pane_title,
	.enter = "pane ports %node",
};

/* The pane `hosts`: endports of CAs and routers. */

static const struct column hosts_columns[] = {
	COL("name", "name of the host or router", 10, .flex = 2),
	NUM("lid", "its LID; the first one when it has several", 0),
	COL("switch", "switch and port that its cable leads to", 10, .flex = 1, .fold = FOLD_CHIP),
	COL("link", "width and speed", 6, .drop = 4),
	COL("state",
	    "up, down, Initialize or Armed (up, but an end is not active: no data passes), or cut (up, but "
	    "the "
	    "subnet manager does not reach it)",
	    5, .drop = 3),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 6),
};

struct hosts_pane {
	uint32_t *ep; /* [n_rows] endports in the source's order */
	uint32_t hosts,
		aggregation; /* nodes: hosts as the top bar counts them, aggregation nodes beside them */
};

struct hosts_pane_place {
	uint64_t order;
	uint32_t ep;
};

COMPARATOR(by_order, struct hosts_pane_place, UP(order))

static void hosts_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct hosts_pane *p = v->priv;
	bool counts = scene_counts_aggregation(v->scene);
	AUTO_FREE struct hosts_pane_place *pl = NULL;
	uint32_t n = 0;

	if (!f)
		return;
	pl = NEW_ARRAY(f->n_endports + 1, struct hosts_pane_place);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		if (endport_is_switch(f, ep))
			continue;
		pl[n++] = (struct hosts_pane_place){
			(uint64_t)f->node_order[f->port_node[port]] << 8 | f->port_num[port], ep};
	}
	qsort(pl, n, sizeof(*pl), by_order);
	p->ep = VIEW_ARRAY(v, n + 1, uint32_t);
	p->hosts = p->aggregation = 0;
	for (uint32_t node = 0; node < f->n_nodes; node++) {
		bool beside = !counts && node_is_aggregation(f, node);

		p->hosts += !node_is_switch(f, node) && !beside;
		p->aggregation += beside;
	}
	for (uint32_t i = 0; i < n; i++)
		p->ep[i] = pl[i].ep;
	v->n_rows = n;
	if (v->scene->data != v->scene->state)
		v->width[4] = sizeof("Initialize") - 1;
	v->width[1] = (uint8_t)digits(v->scene->real ? v->scene->real->lids->max_lid : 0, 3);
}

/* "Hosts 1/4341 ── ports of 3675 hosts and 666 aggregation nodes": where rows are not the hosts of the bar.
 */
static void hosts_pane_title(const struct view *v, struct text *t)
{
	const struct hosts_pane *p = v->priv;

	title_place(v, "hosts", t);
	if (p->aggregation)
		text_add(t, " ── ports of %s and %s", PLURAL(p->hosts, "host"),
			 PLURAL(p->aggregation, "aggregation node"));
	else if (p->hosts != v->n_rows)
		text_add(t, " ── ports of %s", PLURAL(p->hosts, "host"));
}

static const char *hosts_state(const struct scene *sc, uint32_t ep)
{
	const char *idle = event_idle(sc->event, sc->fabric->endport_port[ep]);

	if (idle)
		return idle;
	if (sc->real_topo->endport_up[ep])
		return "up";
	return sc->state->node_down[endport_node(sc->fabric, ep)] ? "down" : "cut";
}

static void hosts_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	uint32_t ep = ((const struct hosts_pane *)v->priv)->ep[row], port = f->endport_port[ep],
		 peer = f->port_peer[port];
	unsigned lid = scene_lid(sc, ep);
	size_t name = row_text(r, "%s", ""), link = 0;
	struct subject *s = &r->about;
	char buf[256];
	bool up = sc->real_topo->endport_up[ep] && !event_idle(sc->event, port);
	bool other_lid = sc->real && sc->real_before && sc->real_before->fabric == sc->real->fabric &&
			 sc->real_before->lids->base[ep] != sc->real->lids->base[ep];

	label_endport(f, ep, &r->text);
	if (f->port_width[port] && f->port_speed[port])
		link = row_text(r, "%s%s", link_width_name(f->port_width[port]),
				link_speed_name(f->port_speed[port]));
	ROW_VALUES(v, r, (int64_t)name, lid,
		   row_text(r, "%s", peer == NO_ID ? "-" : port_label(f, peer, buf, sizeof(buf))),
		   (int64_t)link, row_text(r, "%s", hosts_state(sc, ep)),
		   row_text(r, "0x%016" PRIx64, f->port_guid[port]));
	if (!lid)
		r->says[1] = row_text(r, "-");
	r->marks = mark_if(!up, MARK_DOWN) | mark_if(other_lid, MARK_CHANGED);
	subject_port(v, port, s);
	s->endport =
		f->node_nports[s->node] > 1 ? (struct end){END_PORT, port} : (struct end){END_NODE, s->node};
	if (lid)
		subject_to(lid, s);
	s->sw = s->chip = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
	s->key = f->port_guid[port];
}

static bool hosts_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct fabric *f = v->scene->fabric;

	if (strcmp(what, "object"))
		return false;
	text_add(t, "host ");
	word_node(f, endport_node(f, ((const struct hosts_pane *)v->priv)->ep[row]), t);
	return true;
}

const struct view_ops view_hosts = {
	.name = "hosts",
	.brief = "lists the endports of CAs and routers (ports with a LID): LID, switch and port",
	.hints = "follow=switch prompt_pane_path=path :pane_lids=lids :fail=fail",
	COLUMNS(hosts_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct hosts_pane),
	.load = hosts_pane_load,
	.row = hosts_row,
	.title = hosts_pane_title,
	.placeholder = hosts_pane_placeholder,
	.enter = "pane ports %far",
	.fold_row = "host",
};

/* The pane `warnings`: oddities of the input that did not stop the program. Enter shows a text in full. */

static const struct column warnings_columns[] = {
	NUM("line", "line of the file", 6),
	COL("kind", "the kind of oddity", 18, .drop = 2),
	COL("text", "what the source says there", 12, .flex = 1, .prose = true),
};

static void warnings_load(struct view *v)
{
	v->n_rows = v->scene->fabric ? (uint32_t)v->scene->fabric->warnings.n : 0;
	text_add(&v->title, "Warnings");
	if (v->scene->fabric)
		text_add(&v->title, " of %s ── %u", v->scene->fabric->source, v->n_rows);
}

static void warnings_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct warning *w = &v->scene->fabric->warnings.w[row];

	ROW_VALUES(v, r, w->line, row_text(r, "%s", w->kind), row_text(r, "%s", w->text));
	if (!w->line)
		r->says[0] = row_text(r, "%s", "");
}

static void warnings_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct warning *w = &v->scene->fabric->warnings.w[row];
	AUTO_TEXT struct text line = {0};

	if (w->line)
		text_add(&line, "line %u: ", w->line);
	text_add(&line, "%s: %s", w->kind, w->text);
	text_add(t, "echo ");
	word_text(text_str(&line), t);
}

const struct view_ops view_warnings = {
	.name = "warnings",
	.brief = "lists oddities of the fabric's source; Enter prints the whole text",
	.hints = "follow=print",
	COLUMNS(warnings_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.load = warnings_load,
	.row = warnings_row,
	.follow = warnings_follow,
};
