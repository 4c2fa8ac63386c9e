/* The pane `hosts`: endports of CAs and routers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "views/base/view.h"

enum { C_NAME, C_LID, C_SWITCH, C_LINK, C_STATE, C_GUID };

static const struct column columns[] = {
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
	struct hosts_pane_place *pl;
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
	free(pl);
	v->n_rows = n;
	if (v->scene->data != v->scene->state)
		v->width[C_STATE] = sizeof("Initialize") - 1;
	v->width[C_LID] = (uint8_t)digits(v->scene->real ? v->scene->real->lids->max_lid : 0, 3);
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

	return col == C_LID ? scene_lid(v->scene, p->ep[row]) : 0;
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
	case C_NAME:
		label_endport(f, p->ep[row], t);
		break;
	case C_LID:
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
	case C_GUID:
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
	unsigned lid = (unsigned)hosts_pane_number(v, row, C_LID);

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
	COLUMNS(columns),
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
