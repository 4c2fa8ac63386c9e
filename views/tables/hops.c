/* The pane `hops`: the hop matrix of a switch: the cost to every other switch, and the ports of that cost. */
#include <assert.h>
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/trace/walk.h"
#include "views/base/view.h"

static const struct column hops_columns[] = {
	COL("target", "the destination switch", 10, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("least", "least cost over all ports", 0, .fold = FOLD_MIN),
	NUM("shortest", "fewest hops when no turn is forbidden", 0, .was = "links", .drop = 1,
	    .fold = FOLD_MIN),
	NUM("n", "ports of least cost", 2, .drop = 2),
	COL("ports of least cost", "the ports with this cost", 12, .flex = 2),
};

struct hops_pane {
	uint32_t sw;	       /* NO_ID when it is no longer in the fabric */
	uint32_t *target;      /* [n_rows] */
	uint16_t *distance;    /* [n_switches] hops if every turn is allowed */
	uint32_t longer, none; /* targets whose cost is above their distance; targets without a path */
	bool unfinished;       /* at a step: a target without path may still get one */
	uint32_t ahead;	       /* values that the step brought before the round of their distance */
};

static unsigned least_in(const struct routing *r, uint32_t sw, uint32_t to)
{
	assert(r->ops->hops && sw != NO_ID);
	return r->ops->hops(r, sw, to, 0);
}

/* Lists targets in the source's order. */
static void list_targets(struct view *v, const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	struct hops_pane *p = v->priv;
	AUTO_FREE uint64_t *order = NEW_ARRAY(f->n_switches + 1, uint64_t);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		unsigned least;

		if (s == p->sw || !switch_up(r->topo, s))
			continue;
		order[v->n_rows++] = (uint64_t)f->node_order[f->switch_node[s]] << 32 | s;
		least = least_in(r, p->sw, s);
		p->none += least == NO_PATH;
		p->longer += least != NO_PATH && least > p->distance[s];
	}
	qsort(order, v->n_rows, sizeof(*order), order_u64);
	p->target = VIEW_ARRAY(v, v->n_rows + 1, uint32_t);
	for (uint32_t i = 0; i < v->n_rows; i++)
		p->target[i] = (uint32_t)order[i];
}

/* --- at a step ----------------------------------------------------------------------------- */

/* Did the last move change the switch's cost to a target by a port (0: the least)? */
static bool learned(const struct view *v, uint32_t to, uint32_t sw, unsigned port)
{
	const struct fabric *f = v->scene->fabric;

	assert(port <= f->switch_nports[sw]);

	uint32_t at = to * f->n_ports + switch_port_id(f, sw, port);

	return moment_touched(v->scene->moment, T_HOPS, at) || moment_touched(v->scene->moment, T_PLAIN, at);
}

/* Is this switch's row read at the step by a neighbour that learns the target? */
static bool is_read(const struct view *v, uint32_t to)
{
	const struct hops_pane *p = v->priv;
	const struct topo *tp = v->scene->topo;
	const struct rec_event *ev = moment_event(v->scene->moment);

	return ev && ev->kind == REC_LEARN &&
	       tp->peer_switch[switch_port_id(tp->fabric, ev->a, ev->port)] == p->sw &&
	       learned(v, to, ev->a, ev->port);
}

static void hops_touch(const struct view *v, uint32_t to, struct table_row *r)
{
	const struct hops_pane *p = v->priv;

	if (learned(v, to, p->sw, 0) || is_read(v, to))
		r->touched |= 1 << 1;
	for (unsigned port = 1; port <= v->scene->fabric->switch_nports[p->sw]; port++)
		if (learned(v, to, p->sw, port))
			r->touched |= 1 << 4;
}

/*
 * In round k all values up to k + 1 are known. A greater value comes from what others learned in this round.
 */
static void count_ahead(struct view *v)
{
	struct hops_pane *p = v->priv;
	const struct rec_event *ev = moment_event(v->scene->moment);
	const struct routing *r = scene_routing(v->scene);

	for (uint32_t row = 0; ev && ev->kind == REC_LEARN && row < v->n_rows; row++) {
		unsigned least = least_in(r, p->sw, p->target[row]);

		p->ahead += least != NO_PATH && least > ev->b + 1 && learned(v, p->target[row], p->sw, 0);
	}
}

/* --- the pane ------------------------------------------------------------------------------ */

static void hops_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct hops_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t node = sc->fabric ? fabric_node_by_guid(sc->fabric, v->args.arg[0].guid) : NO_ID;

	p->sw = node == NO_ID ? NO_ID : sc->fabric->node_switch[node];
	if (p->sw == NO_ID || !r || !r->ops->hops || !switch_up(r->topo, p->sw))
		return;
	p->distance = VIEW_ARRAY(v, sc->fabric->n_switches + 1, uint16_t);
	switch_distances(r->topo, p->sw, p->distance);
	list_targets(v, r);
	p->unfinished = p->none && (scene_unfinished(sc, T_HOPS) || scene_unfinished(sc, T_PLAIN));
	count_ahead(v);
}

static void hops_pane_title(const struct view *v, struct text *t)
{
	const struct hops_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);

	if (p->sw == NO_ID) {
		text_add(t, "Hops of a switch that is gone");
		return;
	}
	text_add(t, "Hops of %s", switch_name(v->scene->fabric, p->sw));
	if (r && !r->ops->hops)
		text_add(t, ": %s has no matrix", r->engine);
	else if (r && !switch_up(r->topo, p->sw))
		text_add(t, " ── the switch is down");
	else if (r)
		text_add(t, " ── %s",
			 v->scene->moment && *v->scene->moment->phase ? v->scene->moment->phase : r->engine);
	if (p->ahead)
		text_add(t, ", %s ran ahead", PLURAL(p->ahead, "value"));
	if (p->longer)
		text_add(t, ", %u longer than the shortest", p->longer);
	if (p->none)
		text_add(t, p->unfinished ? ", %u not known yet" : ", %u without path", p->none);
}

/* Tells the ports to switches with one cost to a target. Returns their number. */
static unsigned ports_of_cost(const struct view *v, uint32_t to, unsigned cost, struct text *t)
{
	const struct hops_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	const struct fabric *f = r->topo->fabric;
	unsigned n = 0;

	for (unsigned port = 1; port <= f->switch_nports[p->sw]; port++) {
		if (r->topo->peer_switch[switch_port_id(f, p->sw, port)] == NO_ID ||
		    r->ops->hops(r, p->sw, to, port) != cost)
			continue;
		text_add(t, n++ ? " %u" : "%u", port);
	}
	return n;
}

/* The smallest cost above `cost` of any port, NO_PATH when there is none. */
static unsigned next_cost(const struct view *v, uint32_t to, int cost)
{
	const struct hops_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	const struct fabric *f = r->topo->fabric;
	unsigned best = NO_PATH;

	for (unsigned port = 1; port <= f->switch_nports[p->sw]; port++) {
		unsigned c = r->ops->hops(r, p->sw, to, port);

		if (r->topo->peer_switch[switch_port_id(f, p->sw, port)] != NO_ID && (int)c > cost &&
		    c < best)
			best = c;
	}
	return best;
}

/* The selected row, port by port, cheapest first: "3: 5 6; 5: 7; none: 8". */
static void hops_pane_footer(const struct view *v, struct text *t)
{
	const struct hops_pane *p = v->priv;
	AUTO_TEXT struct text ports = {0};
	const char *none = p->unfinished ? "not yet" : "none";
	uint32_t row, to;
	int cost = -1;

	if (!p->target || !view_selected(v, &row))
		return;
	to = p->target[row];
	text_add(t, "ports by cost");
	while (cost < NO_PATH) {
		cost = (int)next_cost(v, to, cost);
		text_clear(&ports);
		if (!ports_of_cost(v, to, (unsigned)cost, &ports))
			continue;
		if (cost == NO_PATH)
			text_add(t, ", %s: %s", none, text_str(&ports));
		else
			text_add(t, ", %d: %s", cost, text_str(&ports));
	}
}

/*
 * The least cost before the last event (or before the last move, if it was known). NO_PATH also when it is
 * not known.
 */
static bool hops_pane_before(const struct view *v, uint32_t to, unsigned *was)
{
	const struct hops_pane *p = v->priv;
	const struct routing *r = scene_routing_before(v->scene);

	if (!r || !r->ops->hops || !switch_up(r->topo, p->sw) || !switch_up(r->topo, to))
		return false;
	*was = least_in(r, p->sw, to);
	return !v->scene->moment || *was != NO_PATH;
}

static void least_text(const struct hops_pane *p, unsigned n, struct text *t)
{
	if (n == NO_PATH)
		text_putc(t, p->unfinished ? '.' : '-');
	else
		text_add(t, "%u", n);
}

static void hops_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct hops_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct routing *routing = scene_routing(v->scene);
	uint32_t to = p->target[row], ep = f->port_endport[f->switch_port[to]];
	unsigned least = least_in(routing, p->sw, to), was = NO_PATH, n = 0,
		 lid = ep == NO_ID ? 0 : routing->lids->base[ep];
	bool changed = hops_pane_before(v, to, &was) && was != least;
	size_t ports = row_text(r, "%s", "");

	if (least != NO_PATH)
		n = ports_of_cost(v, to, least, &r->text);
	ROW_VALUES(v, r, to, least, p->distance[to], n, (int64_t)ports);
	r->says[1] = row_text(r, "%s", "");
	if (changed) {
		least_text(p, was, &r->text);
		text_add(&r->text, "→");
	}
	least_text(p, least, &r->text);
	r->marks = mark_if(changed, MARK_CHANGED) | mark_if(least == NO_PATH && !p->unfinished, MARK_DOWN) |
		   mark_if(least != NO_PATH && least > p->distance[to], MARK_DETOUR);
	if (v->scene->moment)
		hops_touch(v, to, r);
	subject_switch(v, to, &r->about);
	r->about.sw = p->sw;
	if (lid)
		subject_to(lid, &r->about);
}

const struct view_ops view_hops = {
	.name = "hops",
	.brief = "shows the hop matrix of a switch: least cost to every other switch, and the ports by cost",
	.syntax = "SWITCH",
	.hints = "follow=lft :why=why back=back",
	COLUMNS(hops_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_TRACKS | VIEW_CHIPS,
	.priv_size = sizeof(struct hops_pane),
	.load = hops_pane_load,
	.row = hops_row,
	.title = hops_pane_title,
	.footer = hops_pane_footer,
	.enter = "pane lft %switch %dst",
};
