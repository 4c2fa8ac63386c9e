/* The panes `sls` and `sl2vl`. */
#include <assert.h>
#include "core/base/memory.h"
#include "engines/torus/torus.h"
#include "views/base/view.h"

/* The pane `sls`: the SL of the path from an endport to every other one, and for torus-2QoS the meaning of
 * its bits. */

enum { C_SL = 2, C_AT, C_WHY };

static const struct column sls_columns[] = {
	NUM("lid", "LID of the destination", 4),
	COL("destination", "the host that has this LID", 11, .flex = 1),
	NUM("SL", "service level that packets to it carry", 2),
	COL("at", "place of its switch in the torus", 6, .drop = 1),
	COL("bits", "coordinates on the way in each dimension, and the bit that a dateline crossed sets", 20,
	    .flex = 3),
};

struct sls_pane {
	uint32_t ep;	       /* NO_ID when it is no longer in the fabric */
	unsigned slid;	       /* 0: there is none */
	const struct torus *t; /* NULL: another engine */
	uint32_t *dst;	       /* [n_rows] endports */
};

/* Has an endport a LID, and a switch? */
static bool is_routed(const struct routing *r, uint32_t ep)
{
	return r->topo->endport_up[ep] && r->lids->base[ep] && r->topo->endport_switch[ep] != NO_ID;
}

static void sls_pane_load(struct view *v)
{
	struct sls_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct routing *r = scene_routing(v->scene);

	p->ep = f ? fabric_endport_by_guid(f, v->args.arg[0].guid) : NO_ID;
	p->t = torus_of(r);
	if (!r || p->ep == NO_ID || !is_routed(r, p->ep))
		return;
	p->slid = r->lids->base[p->ep];
	p->dst = VIEW_ARRAY(v, f->n_endports + 1, uint32_t);
	for (uint32_t i = 0; i < f->n_endports; i++)
		if (i != p->ep && is_routed(r, i))
			p->dst[v->n_rows++] = i;
	if (p->t && v->n_rows)
		text_add(&v->footer,
			 "SL bits: x 1, y 2, z 4, set where the dateline is crossed; 8: QoS level");
	if (!p->t)
		v->width[C_AT] = v->width[C_WHY] = 0;
}

/* The torus member to which an endport is attached, or NO_ID. */
static uint32_t sls_pane_member(const struct sls_pane *p, uint32_t ep)
{
	uint32_t sw = p->t && ep != NO_ID ? p->t->topo->endport_switch[ep] : NO_ID;

	return sw == NO_ID ? NO_ID : torus_member_of(p->t, sw);
}

static void sls_pane_title(const struct view *v, struct text *t)
{
	const struct sls_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t m = r && p->slid ? sls_pane_member(p, p->ep) : NO_ID;
	char at[40];

	text_add(t, "SLs from ");
	if (p->ep == NO_ID)
		text_add(t, "an endport that is gone");
	else
		label_endport(v->scene->fabric, p->ep, t);
	if (m != NO_ID)
		text_add(t, " at %s", torus_place_text(p->t->member[m].at, at, sizeof(at)));
	if (!r)
		text_add(t, " ── nothing is routed");
	else if (!p->slid)
		text_add(t, " ── it is down or has no LID");
	else
		text_add(t, " ── %s%s", r->engine, routing_has_sls(r) ? "" : ": SL 0 everywhere");
}

/* What each dimension adds to the SL: "y3→0 crosses, z0→2". */
static void bits_cell(const struct sls_pane *p, uint32_t ep, struct text *t)
{
	uint32_t a = sls_pane_member(p, p->ep), b = sls_pane_member(p, ep);
	unsigned n = 0;

	if (a == NO_ID || b == NO_ID || a == b) {
		text_add(t, "%s",
			 a == b && a != NO_ID  ? "same switch"
			 : p->t && p->t->whole ? "not placed so far"
					       : "outside the torus");
		return;
	}
	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		uint32_t s = p->t->member[a].at[d], c = p->t->member[b].at[d];

		if (s == c)
			continue;
		text_add(t, "%s%c %u→%u", n++ ? ", " : "", (char)('x' + d), s, c);
		if (torus_crosses(s, c, p->t->conf.radix[d]))
			text_add(t, " crosses: %u", 1u << d);
	}
}

static void sls_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct sls_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct routing *routing = scene_routing(v->scene);
	uint32_t ep = p->dst[row], m = sls_pane_member(p, ep), port = f->endport_port[ep];
	unsigned lid = routing->lids->base[ep];
	size_t name = row_text(r, "%s", ""), bits;
	struct sl_range range = routing_sl(routing, p->slid, lid);
	char at[40], sl[SL_WORD];

	label_endport(f, ep, &r->text);
	bits = row_text(r, "%s", "");
	bits_cell(p, ep, &r->text);
	ROW_VALUES(v, r, lid, (int64_t)name, sl_is_open(range) ? -1 : (int64_t)range.lo,
		   row_text(r, "%s", m == NO_ID ? "-" : torus_place_text(p->t->member[m].at, at, sizeof(at))),
		   (int64_t)bits);
	/* "-": not known yet, at a step of a run */
	r->says[C_SL] = row_text(r, "%s", sl_word(range, sl));
	subject_port(v, port, &r->about);
	r->about.key = f->port_guid[port];
}

/* Enter shows the path on the map, or as a list. */
static void sls_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct sls_pane *p = v->priv;

	text_add(t, "pane %s ", p->t ? "torus" : "path");
	word_endport(v->scene->fabric, p->ep, t);
	text_putc(t, ' ');
	word_endport(v->scene->fabric, p->dst[row], t);
}

const struct view_ops view_sls = {
	.name = "sls",
	.brief = "shows the SL of the path from an endport to every other one; under torus-2QoS it explains "
		 "the bits",
	.syntax = "HOST",
	.hints = "follow=path back=back",
	COLUMNS(sls_columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct sls_pane),
	.load = sls_pane_load,
	.row = sls_row,
	.title = sls_pane_title,
	.follow = sls_pane_follow,
};

/* The pane `sl2vl`: the SL-to-VL map of a port: the VL of each SL out of it, by the port at which a packet
 * comes in. */

#define SLS 16

#define SL(n) NUM(#n, "VL of SL " #n, 2)
#define SL4(a, b, c, d) SL(a), SL(b), SL(c), SL(d)
static const struct column sl2vl_columns[] = {
	NUM("in", "port that packets come in by", 3),
	COL("from", "the node at that port", 9, .flex = 1, .drop = 1),
	SL4(0, 1, 2, 3),
	SL4(4, 5, 6, 7),
	SL4(8, 9, 10, 11),
	SL4(12, 13, 14, 15),
};
static_assert(ARRAY_LEN(sl2vl_columns) == 2 + SLS, "a column for each SL");

struct sl2vl_pane {
	uint64_t guid; /* node */
	int num;
	uint32_t port; /* NO_ID when it is no longer in the fabric, or has no known map */
	uint32_t sw;   /* NO_ID: it is a CA or router port */
	uint8_t *in;   /* [n_rows] ports of the switch, 0: from itself; NULL: no switch, or it is down */
	bool mapped;   /* some VL differs from its SL */
};

static unsigned sl2vl_pane_vl_of(const struct view *v, uint32_t row, unsigned sl)
{
	assert(sl < SLS);

	const struct sl2vl_pane *p = v->priv;
	const struct routing *r = scene_real_routing(v->scene);
	uint32_t ep = r->topo->fabric->port_endport[p->port];

	if (p->in)
		return routing_vl(r, p->sw, p->in[row], (unsigned)p->num, sl);
	return sl2vl_of(routing_endport_map(r, ep), sl);
}

static bool identity(const struct view *v, uint32_t row)
{
	for (unsigned sl = 0; sl < SLS; sl++)
		if (sl2vl_pane_vl_of(v, row, sl) != sl)
			return false;
	return true;
}

static void sl2vl_pane_load(struct view *v)
{
	struct sl2vl_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct routing *r = scene_real_routing(v->scene);
	uint32_t node = f ? fabric_node_by_guid(f, v->args.arg[0].guid) : NO_ID;

	p->guid = v->args.arg[0].guid;
	p->num = v->args.arg[0].n;
	p->port = node == NO_ID || p->num > f->node_nports[node] ? NO_ID
								 : f->node_port[node] + (uint32_t)p->num;
	if (p->port == NO_ID || !r)
		return;
	p->sw = f->node_switch[node];
	if (p->sw != NO_ID && switch_up(r->topo, p->sw)) {
		p->in = VIEW_ARRAY(v, f->switch_nports[p->sw] + 1u, uint8_t);
		for (unsigned n = 0; n <= f->switch_nports[p->sw]; n++)
			if (!n || r->topo->peer[switch_port_id(f, p->sw, n)] != NO_ID)
				p->in[v->n_rows++] = (uint8_t)n;
	} else if (p->sw == NO_ID && f->port_endport[p->port] != NO_ID && routing_endport_known(r)) {
		v->n_rows = 1;
	}
	for (uint32_t i = 0; i < v->n_rows; i++)
		p->mapped |= !identity(v, i);
}

static void sl2vl_pane_title(const struct view *v, struct text *t)
{
	const struct sl2vl_pane *p = v->priv;
	const struct routing *r = scene_real_routing(v->scene);
	char buf[300];

	text_add(t, "SL to VL out of %s",
		 p->port == NO_ID ? "a port that is gone"
				  : port_label(v->scene->fabric, p->port, buf, sizeof(buf)));
	if (p->port == NO_ID)
		return;
	if (!r)
		text_add(t, " ── nothing is routed");
	else if (!v->n_rows)
		text_add(t, " ── %s", p->sw != NO_ID ? "the switch is down" : "not known of CA ports here");
	else
		text_add(t, " ── %s%s", r->engine, p->mapped ? "" : ": VL = SL");
}

static void sl2vl_pane_footer(const struct view *v, struct text *t)
{
	const struct routing *r = scene_real_routing(v->scene);
	const struct sl2vl_pane *p = v->priv;
	uint32_t row;

	if (!r || p->port == NO_ID || !v->n_rows)
		return;
	if (r->topo->peer[p->port] == NO_ID && p->num)
		text_add(t, "the port has no live link; ");
	if (r->sl_tables && (r->sl_tables->programmed || r->sl_tables->n_maps))
		text_add(t, "maps %s; ",
			 r->sl_tables->programmed ? "as the subnet manager programs them" : "from outside");
	if (view_selected(v, &row))
		for (unsigned sl = 0; sl < SLS; sl++)
			if (sl2vl_pane_vl_of(v, row, sl) == 15) {
				text_add(t, "VL 15: dropped");
				return;
			}
}

static void sl2vl_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct sl2vl_pane *p = v->priv;
	const struct topo *tp = scene_real_routing(v->scene)->topo;
	unsigned n = p->sw == NO_ID ? 0 : p->in[row];
	uint32_t in = n ? switch_port_id(tp->fabric, p->sw, n) : NO_ID;
	char buf[300];

	r->value[0] = p->sw == NO_ID ? -1 : (int64_t)n;
	if (in != NO_ID)
		r->value[1] =
			(int64_t)row_text(r, "%s", port_label(tp->fabric, tp->peer[in], buf, sizeof(buf)));
	else
		r->value[1] = (int64_t)row_text(r, p->sw == NO_ID ? "the port's node" : "itself");
	for (unsigned sl = 0; sl < SLS; sl++)
		r->value[2 + sl] = sl2vl_pane_vl_of(v, row, sl);
	if (in == NO_ID)
		r->follow = row_text(r, "%s", "");
	subject_port(v, in == NO_ID ? p->port : in, &r->about);
	r->about.key = n;
}

const struct view_ops view_sl2vl = {
	.name = "sl2vl",
	.brief = "shows the SL-to-VL map of a port: a row for each port that packets come in by, a column "
		 "for each SL",
	.syntax = "NODE[PORT]",
	.hints = "follow=from back=back",
	COLUMNS(sl2vl_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct sl2vl_pane),
	.load = sl2vl_pane_load,
	.row = sl2vl_row,
	.enter = "pane sl2vl %far",
	.title = sl2vl_pane_title,
	.footer = sl2vl_pane_footer,
};
