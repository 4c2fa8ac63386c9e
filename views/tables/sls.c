/*
 * The pane `sls`: the SL of the path from an endport to every other one, and for torus-2QoS the meaning of
 * its bits.
 */
#include "core/base/memory.h"
#include "engines/torus/torus.h"
#include "views/base/view.h"

enum { C_LID, C_DST, C_SL, C_AT, C_WHY };

static const struct column columns[] = {
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

static void sls_pane_footer(const struct view *v, struct text *t)
{
	const struct sls_pane *p = v->priv;

	if (p->t && v->n_rows)
		text_add(t, "SL bits: x 1, y 2, z 4, set where the dateline is crossed; 8: QoS level");
}

static void sls_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct sls_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t ep = p->dst[row], m;
	char at[40], sl[SL_WORD];

	switch (col) {
	case C_LID:
		text_add(t, "%u", r->lids->base[ep]);
		break;
	case C_DST:
		label_endport(v->scene->fabric, ep, t);
		break;
	case C_SL:
		/* "-": not known yet, at a step of a run */
		text_add(t, "%s", sl_word(routing_sl(r, p->slid, r->lids->base[ep]), sl));
		break;
	case C_AT:
		m = sls_pane_member(p, ep);
		text_add(t, "%s", m == NO_ID ? "-" : torus_place_text(p->t->member[m].at, at, sizeof(at)));
		break;
	case C_WHY:
		bits_cell(p, ep, t);
		break;
	}
}

static bool sls_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t port = f->endport_port[((const struct sls_pane *)v->priv)->dst[row]];

	subject_port(v, port, s);
	s->key = f->port_guid[port];
	return true;
}

static void word_endport(const struct fabric *f, uint32_t ep, struct text *t)
{
	if (endport_is_switch(f, ep))
		word_node(f, endport_node(f, ep), t);
	else
		word_port(f, f->endport_port[ep], t);
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
	COLUMNS(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct sls_pane),
	.load = sls_pane_load,
	.title = sls_pane_title,
	.footer = sls_pane_footer,
	.cell = sls_pane_cell,
	.about = sls_pane_about,
	.follow = sls_pane_follow,
};
