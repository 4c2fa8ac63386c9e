/* The panes `switches`, `hosts` and `warnings`. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "views/base/view.h"

/* The pane `switches`: switches in the source's order; by rank if the engine has ranks. */

enum { C_RANK, C_NAME, C_LID, C_PORTS, C_UP, C_LIDS, C_CHANGED, C_HOSTS, C_GUID };

static const struct column columns[] = {
	NUM("rank", "level by the engine in force; for Up/Down cables to the nearest root", 0, .drop = 3,
	    .fold = FOLD_RANGE),
	COL("name", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("lid", "its LID", 0),
	NUM("ports", "ports it has", 0, .drop = 5, .fold = FOLD_SUM),
	NUM("up", "ports that are up", 0, .fold = FOLD_SUM),
	NUM("lids", "LIDs for which its table has a port", 0, .was = "routes", .drop = 2, .fold = FOLD_SUM),
	NUM("changed", "entries that the last event changed", 0, .drop = 6, .fold = FOLD_SUM),
	NUM("hosts",
	    "its ports that are up and lead to a host or router; to aggregation nodes only if they count", 0,
	    .drop = 7, .fold = FOLD_SUM),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 8),
};
static_assert(ARRAY_LEN(columns) == C_GUID + 1, "a column for each C_");

struct switches_pane {
	uint32_t *sw;	/* [n] switches in the order of rows */
	uint8_t *up;	/* [n_switches] live ports */
	uint8_t *hosts; /* [n_switches] of these, to hosts that count */
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
		v->width[C_RANK] = 0;
	v->width[C_LID] = (uint8_t)digits(sc->real ? sc->real->lids->max_lid : 0, 3);
}

static void switches_pane_title(const struct view *v, struct text *t)
{
	title_place(v, "switches", t);
	if (v->sort < 0 && ((const struct switches_pane *)v->priv)->ranks)
		text_add(t, " by rank");
}

static int64_t switches_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct scene *sc = v->scene;
	const struct switches_pane *p = v->priv;
	const struct fabric *f = sc->fabric;
	uint32_t sw = p->sw[row], ep;
	const struct lft_row *lft;
	int64_t n = 0;

	switch (col) {
	case C_RANK:
		return switches_pane_rank_of(sc, sw) == NO_RANK ? -1 : (int64_t)switches_pane_rank_of(sc, sw);
	case C_LID:
		ep = f->port_endport[f->switch_port[sw]];
		return ep != NO_ID ? scene_lid(sc, ep) : 0;
	case C_PORTS:
		return f->switch_nports[sw];
	case C_UP:
		return p->up[sw];
	case C_LIDS:
		lft = scene_real_routing(sc) ? scene_real_routing(sc)->row[sw] : NULL;
		for (unsigned l = 0; lft && l <= lft->top; l++)
			n += lft->port[l] != NO_PATH;
		return n;
	case C_CHANGED:
		return sc->real_change && sc->real_change->switch_entries
			       ? sc->real_change->switch_entries[sw]
			       : 0;
	case C_HOSTS:
		return p->hosts[sw];
	}
	return 0;
}

static void switches_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct switches_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	int64_t n;

	if (col == C_NAME) {
		text_add(t, "%s", switch_name(f, p->sw[row]));
		return;
	}
	if (col == C_GUID) {
		text_add(t, "0x%016llx", (unsigned long long)f->node_guid[f->switch_node[p->sw[row]]]);
		return;
	}
	n = switches_pane_number(v, row, col);
	if (col != C_CHANGED || n)
		number_cell(col == C_LID && !n ? -1 : n, t);
}

static unsigned switches_pane_marks(const struct view *v, uint32_t row)
{
	uint32_t sw = ((const struct switches_pane *)v->priv)->sw[row];

	return mark_if(!switch_up(v->scene->real_topo, sw), MARK_DOWN) |
	       mark_if(switches_pane_number(v, row, C_CHANGED), MARK_CHANGED);
}

static bool switches_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_switch(v, ((const struct switches_pane *)v->priv)->sw[row], s);
	s->lid = (int)switches_pane_number(v, row, C_LID);
	return true;
}

const struct view_ops view_switches = {
	.name = "switches",
	.brief = "lists all switches: rank, LID, live ports, routes, entries that the last event changed",
	.hints = "follow=open :fail=fail :pane_lft=lft",
	COLUMNS(columns),
	.flags = VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct switches_pane),
	.load = switches_pane_load,
	.title = switches_pane_title,
	.cell = switches_pane_cell,
	.number = switches_pane_number,
	.marks = switches_pane_marks,
	.about = switches_pane_about,
	.enter = "pane ports %node",
};

/* The pane `hosts`: endports of CAs and routers. */

enum { hosts_C_NAME, hosts_C_LID, C_SWITCH, C_LINK, C_STATE, hosts_C_GUID };

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
static_assert(ARRAY_LEN(hosts_columns) == hosts_C_GUID + 1, "a column for each C_");

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
		v->width[C_STATE] = sizeof("Initialize") - 1;
	v->width[hosts_C_LID] = (uint8_t)digits(v->scene->real ? v->scene->real->lids->max_lid : 0, 3);
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

static uint32_t hosts_pane_port_of(const struct view *v, uint32_t row)
{
	const struct hosts_pane *p = v->priv;

	return v->scene->fabric->endport_port[p->ep[row]];
}

static int64_t hosts_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct hosts_pane *p = v->priv;

	return col == hosts_C_LID ? scene_lid(v->scene, p->ep[row]) : 0;
}

static void hosts_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	const struct hosts_pane *p = v->priv;
	uint32_t port = hosts_pane_port_of(v, row);
	char buf[256];
	unsigned lid = scene_lid(sc, p->ep[row]);

	switch (col) {
	case hosts_C_NAME:
		label_endport(f, p->ep[row], t);
		break;
	case hosts_C_LID:
		number_cell(lid ? (int64_t)lid : -1, t);
		break;
	case C_SWITCH:
		text_add(t, "%s",
			 f->port_peer[port] == NO_ID ? "-"
						     : port_label(f, f->port_peer[port], buf, sizeof(buf)));
		break;
	case C_LINK:
		if (f->port_width[port] && f->port_speed[port])
			text_add(t, "%s%s", link_width_name(f->port_width[port]),
				 link_speed_name(f->port_speed[port]));
		break;
	case C_STATE:
		text_add(t, "%s",
			 event_idle(sc->event, port)			     ? event_idle(sc->event, port)
			 : sc->real_topo->endport_up[p->ep[row]]	     ? "up"
			 : sc->state->node_down[endport_node(f, p->ep[row])] ? "down"
									     : "cut");
		break;
	case hosts_C_GUID:
		text_add(t, "0x%016" PRIx64, f->port_guid[port]);
		break;
	}
}

static unsigned hosts_pane_marks(const struct view *v, uint32_t row)
{
	const struct scene *sc = v->scene;
	uint32_t ep = ((const struct hosts_pane *)v->priv)->ep[row];
	bool other_lid = sc->real && sc->real_before && sc->real_before->fabric == sc->real->fabric &&
			 sc->real_before->lids->base[ep] != sc->real->lids->base[ep];

	return (sc->real_topo->endport_up[ep] && !event_idle(sc->event, sc->fabric->endport_port[ep])
			? 0
			: MARK_DOWN) |
	       (other_lid ? MARK_CHANGED : 0);
}

static bool hosts_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t port = hosts_pane_port_of(v, row), peer = f->port_peer[port];
	unsigned lid = (unsigned)hosts_pane_number(v, row, hosts_C_LID);

	subject_port(v, port, s);
	s->endport =
		f->node_nports[s->node] > 1 ? (struct end){END_PORT, port} : (struct end){END_NODE, s->node};
	if (lid)
		subject_to(lid, s);
	s->sw = s->chip = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
	s->key = f->port_guid[port];
	return true;
}

static bool hosts_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct fabric *f = v->scene->fabric;

	if (strcmp(what, "object"))
		return false;
	text_add(t, "host ");
	word_node(f, f->port_node[hosts_pane_port_of(v, row)], t);
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
	.title = hosts_pane_title,
	.cell = hosts_pane_cell,
	.number = hosts_pane_number,
	.marks = hosts_pane_marks,
	.about = hosts_pane_about,
	.placeholder = hosts_pane_placeholder,
	.enter = "pane ports %far",
	.fold_row = "host",
};

/* The pane `warnings`: oddities of the input that did not stop the program. Enter shows a text in full. */

enum { C_LINE, C_KIND, C_TEXT };

static const struct column warnings_columns[] = {
	NUM("line", "line of the file", 6),
	COL("kind", "the kind of oddity", 18, .drop = 2),
	COL("text", "what the source says there", 12, .flex = 1, .prose = true),
};
static_assert(ARRAY_LEN(warnings_columns) == C_TEXT + 1, "a column for each C_");

static const struct warning *warning_of(const struct view *v, uint32_t row)
{
	assert(row < v->scene->fabric->warnings.n);
	return &v->scene->fabric->warnings.w[row];
}

static void warnings_pane_load(struct view *v)
{
	v->n_rows = v->scene->fabric ? (uint32_t)v->scene->fabric->warnings.n : 0;
}

static void warnings_pane_title(const struct view *v, struct text *t)
{
	text_add(t, "Warnings");
	if (v->scene->fabric)
		text_add(t, " of %s ── %u", v->scene->fabric->source, v->n_rows);
}

static int64_t warnings_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	(void)col;
	return warning_of(v, row)->line;
}

static void warnings_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct warning *w = warning_of(v, row);

	if (col == C_KIND)
		text_add(t, "%s", w->kind);
	else if (col == C_TEXT)
		text_add(t, "%s", w->text);
	else if (w->line)
		text_add(t, "%u", w->line);
}

static void warnings_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct warning *w = warning_of(v, row);
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
	.load = warnings_pane_load,
	.title = warnings_pane_title,
	.cell = warnings_pane_cell,
	.number = warnings_pane_number,
	.follow = warnings_pane_follow,
};
