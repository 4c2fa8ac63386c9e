/* The pane `lft`: the forwarding table of a switch, with the changes of the last event. */
#include <assert.h>
#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/routing/paths.h"
#include "core/trace/walk.h"
#include "views/base/view.h"

enum { C_LID, C_DEST, C_PORT, C_LABEL, C_VIA, C_HOPS, C_EQUAL };

static const struct column lft_columns[] = {
	NUM("lid", "the LID that the entry is for", 5),
	COL("destination", "the node that has this LID", 11, .flex = 2),
	NUM("was → now", "port before the last event and now; one number: unchanged", 10),
	COL("label", "label of the port on the front panel", 0),
	COL("via", "the node that the port leads to", 9, .flex = 1, .fold = FOLD_CHIP),
	NUM("hops", "cables between switches from here to the destination", 0, .drop = 2, .fold = FOLD_RANGE),
	COL("more ports",
	    "other ports that the engine could choose as well, or those of the adaptive-routing group", 10,
	    .flex = 1, .drop = 3),
};

struct lft_pane {
	unsigned want;			/* LID to select at the next load, 0 = none */
	uint32_t sw;			/* NO_ID when it is no longer in the fabric */
	uint16_t *lid;			/* [n_rows] */
	uint16_t *distance;		/* [n_switches] links to every switch */
	const struct entry_note **note; /* [max_lid + 1] notes of the engine; NULL = none */
	uint32_t changed;
	uint32_t n_notes;
	uint32_t undecided, unwritten; /* at a step: undecided entries, and routes that no table has yet */
	uint32_t near[2];	       /* its first endports with a LID, NO_ID = none */
};

static int lft_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	(void)a;
	(void)e;
	((struct lft_pane *)v->priv)->want = (unsigned)v->args.arg[1].n;
	return 0;
}

/* Is there a route that the tables of the step do not have yet? */
static bool is_unwritten(const struct view *v, const struct routing *r, unsigned lid)
{
	uint32_t sw = ((const struct lft_pane *)v->priv)->sw;

	return routing_port(r, sw, lid) != NO_PATH && !moment_decided(v->scene->moment, sw, lid);
}

static bool lft_pane_entry(const struct view *v, unsigned lid, uint8_t *was, uint8_t *now)
{
	const struct lft_pane *p = v->priv;
	const struct comparison *c = v->scene->change;

	return c && c->switch_entries && c->switch_entries[p->sw] && entry_changed(c, p->sw, lid, was, now);
}

static void load_near(struct lft_pane *p, const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	unsigned n = 0;

	p->near[0] = p->near[1] = NO_ID;
	for (unsigned port = 1; port <= f->switch_nports[p->sw] && n < ARRAY_LEN(p->near); port++) {
		uint32_t peer = r->topo->peer[switch_port_id(f, p->sw, port)];
		uint32_t ep = peer == NO_ID ? NO_ID : f->port_endport[peer];

		if (ep != NO_ID && !node_is_switch(f, f->port_node[peer]) && r->lids->base[ep])
			p->near[n++] = ep;
	}
}

static void lft_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct lft_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t node = sc->fabric ? fabric_node_by_guid(sc->fabric, v->args.arg[0].guid) : NO_ID;
	uint8_t was, now;

	p->sw = node == NO_ID ? NO_ID : sc->fabric->node_switch[node];
	v->width[C_LABEL] = label_width(sc->fabric, node, false);
	if (p->sw == NO_ID || !r || !r->row[p->sw])
		return;
	p->lid = VIEW_ARRAY(v, (size_t)r->lids->max_lid + 1, uint16_t);
	for (unsigned l = 1; l <= r->lids->max_lid; l++) {
		bool other = lft_pane_entry(v, l, &was, &now);

		if (lid_owner(r->lids, l) == NO_ID && routing_port(r, p->sw, l) == NO_PATH && !other)
			continue;
		p->changed += other;
		p->undecided += scene_undecided(sc, p->sw, l);
		p->unwritten += is_unwritten(v, r, l);
		if (l == p->want)
			v->select = v->n_rows;
		p->lid[v->n_rows++] = (uint16_t)l;
	}
	p->want = 0;
	p->distance = VIEW_ARRAY(v, sc->fabric->n_switches + 1, uint16_t);
	switch_distances(r->topo, p->sw, p->distance);
	if (r->ops->entry_notes) {
		p->note = VIEW_ARRAY(v, (size_t)r->lids->max_lid + 1, const struct entry_note *);
		p->n_notes = r->ops->entry_notes(r, p->sw, p->note);
	}
	load_near(p, r);
}

static void lft_pane_title(const struct view *v, struct text *t)
{
	const struct lft_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct routing *r = scene_routing(v->scene);
	unsigned first = 1;

	if (p->sw == NO_ID) {
		text_add(t, "LFT of a switch that is gone");
		return;
	}
	text_add(t, "LFT of %s", switch_name(f, p->sw));
	if (r && !r->row[p->sw]) {
		text_add(t, " ── the switch is down");
		return;
	}
	if (r && f->port_endport[f->switch_port[p->sw]] != NO_ID)
		text_add(t, " (LID %u)", r->lids->base[f->port_endport[f->switch_port[p->sw]]]);
	text_add(t, " ── %s", PLURAL(v->n_rows, "LID"));
	if (p->changed)
		text_add(t, " ── %u changed", p->changed);
	if (p->undecided)
		text_add(t, " ── %u not decided yet", p->undecided);
	if (p->unwritten)
		text_add(t, " ── routes found (in brackets), tables not written yet");
	if (!r || !p->n_notes)
		return;
	while (first < r->lids->max_lid && !p->note[first])
		first++;
	assert(p->note[first]);
	text_add(t, " ── %u %s", p->n_notes, p->note[first]->title);
}

/* Results of hops_to() when the tables do not lead there, or are not decided yet. */
enum { NO_WAY = -1, NOT_YET = -2 };

/* Hops from the switch to a LID by the tables: cables up to the switch of its owner. */
static int hops_to(const struct view *v, unsigned lid)
{
	const struct lft_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	const struct fabric *f = r->topo->fabric;
	uint32_t sw = p->sw;

	for (uint32_t n = 0; n <= f->n_switches; n++) {
		unsigned out = routing_next_port(r, sw, lid);
		uint32_t peer;

		if (!out)
			return (int)n;
		if (scene_undecided(v->scene, sw, lid))
			return NOT_YET;
		if (out == NO_PATH || out > f->switch_nports[sw])
			return NO_WAY;
		peer = r->topo->peer[switch_port_id(f, sw, out)];
		if (peer == NO_ID)
			return NO_WAY;
		if (!node_is_switch(f, f->port_node[peer]))
			return (int)n;
		sw = f->node_switch[f->port_node[peer]];
	}
	return NO_WAY;
}

/* Hops of a shortest way to the owner of a LID, -1 = none. */
static int shortest_to(const struct view *v, unsigned lid)
{
	const struct lft_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t ep = lid_owner(r->lids, lid), sw = ep == NO_ID ? NO_ID : r->topo->endport_switch[ep];

	if (sw == NO_ID || p->distance[sw] == NO_HOPS)
		return -1;
	return p->distance[sw];
}

static void via_cell(const struct view *v, unsigned lid, unsigned out, struct text *t)
{
	const struct lft_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t peer;

	if (!out) {
		text_add(t, "(itself)");
		return;
	}
	if (scene_undecided(v->scene, p->sw, lid)) {
		text_putc(t, '.');
		return;
	}
	if (out == NO_PATH || out > f->switch_nports[p->sw]) {
		text_add(t, "no route");
		return;
	}
	peer = f->port_peer[switch_port_id(f, p->sw, out)];
	text_add(t, "%s", peer == NO_ID ? "-" : f->node_name[f->port_node[peer]]);
}

/* Other live ports that lead to the destination's switch at the same least cost. */
static void equal_cell(const struct view *v, unsigned lid, unsigned out, struct text *t)
{
	const struct lft_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	const struct topo *tp = r->topo;
	uint32_t ep = lid_owner(r->lids, lid), dst = ep == NO_ID ? NO_ID : tp->endport_switch[ep];
	unsigned least, n = 0;

	if (!r->ops->hops || dst == NO_ID || dst == p->sw || out == NO_PATH)
		return;
	least = r->ops->hops(r, p->sw, dst, 0);
	for (unsigned port = 1; port <= tp->fabric->switch_nports[p->sw] && least != NO_PATH; port++)
		if (port != out && tp->peer_switch[switch_port_id(tp->fabric, p->sw, port)] != NO_ID &&
		    r->ops->hops(r, p->sw, dst, port) == least)
			text_add(t, n++ ? " %u" : "%u", port);
}

static bool lft_entry_touched(const struct view *v, unsigned lid)
{
	const struct lft_pane *p = v->priv;

	return moment_touched(v->scene->moment, T_ENTRY,
			      p->sw * (scene_routing(v->scene)->lids->max_lid + 1u) + lid);
}

/* The entry before the last event, or before the last move of a walk, if it was another one. */
static bool other_before(const struct view *v, unsigned lid, uint8_t *was, uint8_t *now)
{
	const struct lft_pane *p = v->priv;
	const struct routing *before = scene_routing_before(v->scene);

	if (!v->scene->moment)
		return lft_pane_entry(v, lid, was, now);
	if (!before || !lft_entry_touched(v, lid))
		return false;
	*was = (uint8_t)routing_port(before, p->sw, lid);
	*now = (uint8_t)routing_port(scene_routing(v->scene), p->sw, lid);
	return *was != NO_PATH && *now != NO_PATH && *was != *now;
}

static void port_cell(const struct view *v, unsigned lid, struct text *t)
{
	const struct lft_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint8_t was, now;

	if (scene_undecided(v->scene, p->sw, lid)) {
		text_putc(t, '.');
		return;
	}
	if (other_before(v, lid, &was, &now)) {
		text_add(t, "%s", lft_port_label(was, (char[4]){0}, 4));
		text_add(t, " → ");
	}
	text_add(t, is_unwritten(v, r, lid) ? "(%s)" : "%s",
		 lft_port_label(routing_port(r, p->sw, lid), (char[4]){0}, 4));
}

/*
 * The source from which the routes to a LID are shown: an endport at the switch that does not own the LID,
 * else the switch.
 */
static struct end lft_pane_source_of(const struct view *v, unsigned lid)
{
	const struct lft_pane *p = v->priv;
	const struct lids *l = scene_routing(v->scene)->lids;
	uint32_t ep = p->near[p->near[0] == lid_owner(l, lid)];

	return ep == NO_ID ? (struct end){END_NODE, v->scene->fabric->switch_node[p->sw]}
			   : (struct end){END_LID, l->base[ep]};
}

static void lft_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct lft_pane *p = v->priv;
	const struct routing *routing = scene_routing(v->scene);
	const struct fabric *f = v->scene->fabric;
	unsigned lid = p->lid[row], out = routing_port(routing, p->sw, lid);
	int hops = hops_to(v, lid), least = shortest_to(v, lid);
	size_t name = row_text(r, "%s", ""), label, via, more, from;
	bool note = p->note && p->note[lid];
	uint32_t peer;
	uint8_t was, now;

	lid_label(f, routing->lids, lid, &r->text);
	if (note)
		text_add(&r->text, " (%s)", p->note[lid]->brief);
	label = row_text(r, "%s", "");
	if (out <= f->switch_nports[p->sw] && !scene_undecided(v->scene, p->sw, lid))
		label_of_port(f, switch_port_id(f, p->sw, out), &r->text);
	via = row_text(r, "%s", "");
	via_cell(v, lid, out, &r->text);
	more = row_text(r, "%s", "");
	from = r->text.len;
	routing_ports_text(routing, p->sw, lid, &r->text);
	if (r->text.len == from)
		equal_cell(v, lid, out, &r->text);
	ROW_VALUES(v, r, lid, (int64_t)name, out, (int64_t)label, (int64_t)via, hops, (int64_t)more);
	r->says[C_PORT] = row_text(r, "%s", "");
	port_cell(v, lid, &r->text);
	if (hops == NOT_YET)
		r->says[C_HOPS] = row_text(r, ".");
	r->marks =
		mark_if(other_before(v, lid, &was, &now), MARK_CHANGED) | mark_if(hops == NO_WAY, MARK_DOWN) |
		mark_if(hops != NO_WAY && ((hops >= 0 && least >= 0 && hops > least) || note), MARK_DETOUR);
	r->touched = lft_entry_touched(v, lid) ? 1 << C_PORT : 0;
	subject_switch_port(v, p->sw, out == NO_PATH ? 0 : out, &r->about);
	subject_lid(lid, &r->about);
	r->about.src = lft_pane_source_of(v, lid);
	peer = r->about.port == NO_ID ? NO_ID : f->port_peer[r->about.port];
	r->about.chip = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
	r->about.key = lid;
}

const struct view_ops view_lft = {
	.name = "lft",
	.brief = "shows the forwarding table of a switch: port before and after the last event, next node, "
		 "hops, equal ports",
	.syntax = "SWITCH [DESTINATION]",
	.hints = "follow=path :why=why :fail=fail back=back",
	COLUMNS(lft_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_TRACKS | VIEW_CHIPS,
	.priv_size = sizeof(struct lft_pane),
	.priv_kept = offsetof(struct lft_pane, sw),
	.open = lft_pane_open_view,
	.load = lft_pane_load,
	.row = lft_row,
	.title = lft_pane_title,
	.enter = "pane path %src %lid",
	.fold_row = "LID",
};
