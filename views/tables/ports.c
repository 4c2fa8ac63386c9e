/* The pane `ports`: ports of a switch (or of a CA), and what is connected to them. */
#include <assert.h>
#include <string.h>
#include "core/analysis/draw/picture.h"
#include "views/base/view.h"

enum { C_PORT, C_LABEL, C_STATE, C_LINK, C_PEER, C_PEER_LABEL, C_LOAD, C_LIDS, C_VLS, C_DIR, C_RULE };

static const struct column ports_columns[] = {
	NUM("port", "number of the port", 0),
	COL("label", "label of the port on the front panel", 0),
	COL("state",
	    "up, down, Initialize or Armed (up, but an end is not active: no data passes), cut (up, but the "
	    "subnet manager does not reach it), or - without a cable",
	    5, .drop = 5),
	COL("link", "width and speed", 6, .drop = 4),
	COL("peer", "the port that the cable leads to", 10, .flex = 1, .fold = FOLD_CHIP),
	COL("label", "label of the port at the other end", 0, .drop = DROP_SPARE),
	NUM("load", "pairs of hosts whose path leaves by the port, when all send to all", 5, .drop = 2,
	    .fold = FOLD_SUM, .meter = 12),
	NUM("lids", "LIDs that leave by the port", 0, .fold = FOLD_SUM),
	NUM("vls", "data VLs that the port operates with", 0, .drop = 8),
	COL("dir", "direction of the cable by the ranks of the engine in force", 0, .drop = 1),
	COL("equal ranks", "for a cable between switches of equal rank: which end counts as higher, and why",
	    18, .drop = 7),
};
static_assert(ARRAY_LEN(ports_columns) == C_RULE + 1, "a column for each C_");

struct ports_pane {
	uint64_t guid;		   /* node */
	unsigned want;		   /* port to select at the next load, 0 = none */
	uint32_t node;		   /* NO_ID when it is no longer in the fabric */
	uint32_t lids[256];	   /* LFT entries out of each port */
	uint32_t was[256];	   /* as lids[], before the last move of a walk */
	bool changed[256];	   /* the last event moved an entry to or from this port */
	bool undecided;		   /* at a step: no entry is decided yet */
	unsigned level;		   /* links to switches of the same rank */
	const struct loads *loads; /* routes on each port, all to all; NULL = missing */
};

/* Without a node, opens the first switch. */
static int ports_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	const struct fabric *f = v->scene->fabric;
	struct ports_pane *p = v->priv;

	(void)a;
	p->guid = v->args.arg[0].guid;
	p->want = (unsigned)v->args.arg[0].n;
	if (v->args.n)
		return 0;
	if (!f)
		return err_set(e, "pane ports: no fabric is loaded");
	if (!f->n_switches)
		return err_set(e, "pane ports: the fabric has no switch; name a node");
	p->guid = f->node_guid[f->switch_node[0]];
	return 0;
}

static void count_row(const struct lft_row *row, uint32_t *lids)
{
	for (unsigned l = 1; row && l <= row->top; l++)
		if (row->port[l] != NO_PATH)
			lids[row->port[l]]++;
}

/* Counts the entries so far, and those before the last move. */
static void count_step(struct view *v, uint32_t sw)
{
	const struct scene *sc = v->scene;
	struct ports_pane *p = v->priv;
	const struct routing *r = scene_routing(sc), *before = scene_routing_before(sc);

	if (before)
		count_row(before->row[sw], p->was);
	else
		memcpy(p->was, p->lids, sizeof(p->was));
	p->undecided = switch_up(r->topo, sw);
	for (unsigned l = 1; l <= r->lids->max_lid && p->undecided; l++)
		p->undecided = scene_undecided(sc, sw, l);
}

static void ports_pane_count_entries(struct view *v, uint32_t sw)
{
	const struct scene *sc = v->scene;
	struct ports_pane *p = v->priv;
	const struct routing *r = scene_routing(sc);
	const struct lft_row *row = r ? r->row[sw] : NULL;
	bool look = sc->change && sc->change->switch_entries && sc->change->switch_entries[sw];
	unsigned top = row ? row->top : 0;

	count_row(row, p->lids);
	if (sc->moment)
		count_step(v, sw);
	if (look && sc->before && sc->before->lids->max_lid > top)
		top = sc->before->lids->max_lid;
	for (unsigned l = 1; look && l <= top; l++) {
		uint8_t was, now;

		if (entry_changed(sc->change, sw, l, &was, &now))
			p->changed[was] = p->changed[now] = true;
	}
	p->changed[NO_PATH] = false;
}

/* Does a port lead to a switch of the same rank? */
static bool is_level(const struct routing *r, uint32_t sw, uint32_t port)
{
	uint32_t peer = r->topo->peer_switch[port];

	return peer != NO_ID && r->ops->rank && r->ops->rank(r, sw) != NO_RANK &&
	       r->ops->rank(r, sw) == r->ops->rank(r, peer);
}

/* The rule that gives such a link its direction. */
static const char *level_rule(const struct routing *r, uint32_t sw, uint32_t port)
{
	unsigned n = r->topo->fabric->port_num[port];
	const char *rule = r->ops->link_rule ? r->ops->link_rule(r, sw, n) : NULL;

	return rule ? rule : "level";
}

/* Shows columns about directions, if the engine has directions. */
static void load_directions(struct view *v, uint32_t sw)
{
	struct ports_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);

	if (!r || !r->ops->direction || sw == NO_ID) {
		v->width[C_DIR] = v->width[C_RULE] = 0;
		return;
	}
	for (unsigned n = 1; switch_up(r->topo, sw) && n <= r->topo->fabric->switch_nports[sw]; n++)
		p->level += is_level(r, sw, switch_port_id(r->topo->fabric, sw, n));
	if (!p->level)
		v->width[C_RULE] = 0;
}

static void ports_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct ports_pane *p = v->priv;

	p->node = f ? fabric_node_by_guid(f, p->guid) : NO_ID;
	v->width[C_LABEL] = label_width(f, p->node, false);
	v->width[C_PEER_LABEL] = label_width(f, p->node, true);
	if (p->node == NO_ID)
		return;
	v->n_rows = f->node_nports[p->node];
	if (p->want)
		v->select = p->want - 1;
	p->want = 0;
	if (node_is_switch(f, p->node))
		ports_pane_count_entries(v, f->node_switch[p->node]);
	load_directions(v, f->node_switch[p->node]);
	p->loads = view_ask_value(v, &task_loads, NULL);
	if (v->scene->data != v->scene->state)
		v->width[C_STATE] = sizeof("Initialize") - 1;
	v->width[C_LIDS] = (uint8_t)digits(v->scene->sweep ? v->scene->sweep->lids->max_lid : 0, 4);
}

static uint32_t ports_pane_port_of(const struct view *v, uint32_t row)
{
	const struct ports_pane *p = v->priv;

	assert(row < v->scene->fabric->node_nports[p->node]);
	return v->scene->fabric->node_port[p->node] + row + 1;
}

static void ports_pane_title(const struct view *v, struct text *t)
{
	const struct ports_pane *p = v->priv;

	text_add(t, "Ports of %s",
		 p->node == NO_ID ? "a node that is gone" : v->scene->fabric->node_name[p->node]);
	if (p->undecided)
		text_add(t, " ── no entry is decided yet");
}

static bool is_live(const struct scene *sc, uint32_t port)
{
	return sc->topo && sc->topo->peer[port] != NO_ID;
}

static bool ports_pane_meter(const struct view *v, uint32_t row, unsigned col, struct meter *m)
{
	const struct loads *l = ((struct ports_pane *)v->priv)->loads;
	uint32_t load = l ? l->port[ports_pane_port_of(v, row)] : 0;

	(void)col;
	if (!l || !l->max)
		return false;
	*m = (struct meter){(double)load / l->max, picture_load_class(load, l->mean_used)};
	return true;
}

/* Tells the links to switches of equal rank, and the rule for the selected one. */
static void ports_pane_footer(const struct view *v, struct text *t)
{
	const struct ports_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t row, sw, port;

	if (p->node == NO_ID || !p->level || !r)
		return;
	sw = v->scene->fabric->node_switch[p->node];
	text_add(t, "%u of equal rank", p->level);
	if (!view_selected(v, &row))
		return;
	port = ports_pane_port_of(v, row);
	if (is_level(r, sw, port))
		text_add(t, "; %u: %s", row + 1, level_rule(r, sw, port));
}

static const char *ports_state(const struct scene *sc, uint32_t port)
{
	const char *idle = event_idle(sc->event, port);

	if (idle)
		return idle;
	if (is_live(sc, port))
		return "up";
	if (sc->fabric->port_peer[port] == NO_ID)
		return "-";
	/* cut: the cable is up, and the subnet manager does not reach it */
	return state_live_peer(sc->fabric, sc->state, port) != NO_ID ? "cut" : "down";
}

/* The cells of a port with a cable that are not texts alone. */
static void ports_cabled(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct ports_pane *p = v->priv;
	const struct scene *sc = v->scene;
	const struct routing *routing = scene_routing(sc);
	uint32_t port = ports_pane_port_of(v, row), sw = sc->fabric->node_switch[p->node];
	bool routed = routing && sw != NO_ID && is_live(sc, port);

	if (!p->loads)
		r->says[C_LOAD] = row_text(r, "%s", routing ? "…" : "-");
	if (r->value[C_VLS] < 0)
		r->says[C_VLS] = row_text(r, "%s", "");
	if (p->undecided)
		r->says[C_LIDS] = row_text(r, ".");
	else if (sc->moment && p->was[row + 1] != p->lids[row + 1])
		r->says[C_LIDS] = row_text(r, "%u→%u", p->was[row + 1], p->lids[row + 1]);
	if (sc->moment && p->was[row + 1] != p->lids[row + 1])
		r->touched = 1u << C_LIDS;
	if (routed && routing->ops->direction)
		r->says[C_DIR] =
			row_text(r, "%s", direction_sign(routing->ops->direction(routing, sw, row + 1), ""));
	if (routed && is_level(routing, sw, port))
		r->says[C_RULE] = row_text(r, "%s", level_rule(routing, sw, port));
}

static void ports_row(const struct view *v, uint32_t row, struct table_row *r)
{
	static const unsigned vls[] = {0, 1, 2, 4, 8, 15};
	const struct ports_pane *p = v->priv;
	const struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	uint32_t port = ports_pane_port_of(v, row), peer = f->port_peer[port];
	unsigned code = f->port_opervls[port];
	bool cabled = peer != NO_ID;
	size_t label = row_text(r, "%s", ""), link = 0, far;
	char buf[256];

	label_of_port(f, port, &r->text);
	far = row_text(r, "%s", "");
	if (cabled)
		label_of_port(f, peer, &r->text);
	if (cabled && f->port_width[port] && f->port_speed[port])
		link = row_text(r, "%s%s", link_width_name(f->port_width[port]),
				link_speed_name(f->port_speed[port]));
	ROW_VALUES(v, r, row + 1, (int64_t)label, row_text(r, "%s", ports_state(sc, port)), (int64_t)link,
		   row_text(r, "%s", cabled ? port_plain(f, peer, buf, sizeof(buf)) : "-"), (int64_t)far,
		   p->loads ? (int64_t)p->loads->port[port] : -1, p->lids[row + 1],
		   f->port_vls_told[port] ? (int64_t)vls[code < ARRAY_LEN(vls) ? code : 0] : -1, 0, 0);
	if (cabled) {
		ports_cabled(v, row, r);
	} else {
		r->says[C_LOAD] = row_text(r, "-");
		r->says[C_LIDS] = r->says[C_VLS] = row_text(r, "%s", "");
		r->touched = sc->moment && p->was[row + 1] != p->lids[row + 1] ? 1u << C_LIDS : 0;
	}
	r->marks = mark_if(p->changed[row + 1], MARK_CHANGED) |
		   mark_if(cabled && (!is_live(sc, port) || event_idle(sc->event, port)), MARK_DOWN);
	subject_port(v, port, &r->about);
	r->about.chip = cabled ? f->node_switch[f->port_node[peer]] : NO_ID;
}

const struct view_ops view_ports = {
	.name = "ports",
	.brief = "lists the ports of a node: peer, routes over the link (all to all), LFT entries, direction",
	.syntax = "[NODE|NODE[PORT]]",
	.hints = "follow=peer :pane_flows=flows :fail=fail :restore=restore",
	COLUMNS(ports_columns),
	.flags = VIEW_DETAIL | VIEW_TRACKS | VIEW_CHIPS,
	.priv_size = sizeof(struct ports_pane),
	.priv_kept = offsetof(struct ports_pane, node),
	.open = ports_pane_open_view,
	.load = ports_pane_load,
	.row = ports_row,
	.title = ports_pane_title,
	.footer = ports_pane_footer,
	.meter = ports_pane_meter,
	.enter = "pane ports %far",
	.fold_row = "link",
};
