/* The pane `restricted`: turns that no route of a layer of nue may make, because they would close a cycle. */
#include <inttypes.h>
#include "engines/nue/nue.h"
#include "views/base/view.h"

enum { C_LAYER, C_FROM, C_IN, C_SWITCH, C_OUT, C_TO };

static const struct column columns[] = {
	NUM("layer", "the layer that forbids the turn", 0),
	COL("from", "the switch that packets come from", 8, .flex = 1),
	NUM("in", "the port they come in by", 3),
	COL("at switch", "the switch where they may not turn", 9, .flex = 1, .fold = FOLD_CHIP),
	NUM("out", "the port they may not leave by", 3),
	COL("not to", "the switch this port leads to", 8, .flex = 1),
};

struct restricted_pane {
	int layer; /* -1 = all */
	const struct routing *r;
	const struct nue *nue; /* NULL: another engine */
};

static void restricted_pane_load(struct view *v)
{
	struct restricted_pane *p = v->priv;

	p->layer = v->args.n ? v->args.arg[0].n : -1;
	p->r = scene_origin(v->scene);
	p->nue = p->r ? nue_of(p->r) : NULL;
	for (unsigned l = 0; p->nue && l < nue_layers(p->nue); l++)
		if (p->layer < 0 || (unsigned)p->layer == l)
			v->n_rows += nue_restrictions(p->nue, l);
	if (p->layer >= 0)
		v->width[C_LAYER] = 0;
}

static void restricted_pane_title(const struct view *v, struct text *t)
{
	const struct restricted_pane *p = v->priv;

	text_add(t, "Restrictions");
	if (!p->nue)
		text_add(t, " ── needs routes of nue: `route nue`");
	else if (p->layer >= (int)nue_layers(p->nue))
		text_add(t, " ── there is no layer %d, nue has %s", p->layer,
			 PLURAL(nue_layers(p->nue), "layer"));
	else if (p->layer >= 0)
		text_add(t, " of layer %d ── %s no route may make", p->layer, PLURAL(v->n_rows, "turn"));
	else
		text_add(t, " ── %s no route may make", PLURAL(v->n_rows, "turn"));
}

static struct nue_turn turn_of(const struct restricted_pane *p, uint32_t row, unsigned *layer)
{
	unsigned l = p->layer < 0 ? 0 : (unsigned)p->layer;

	for (; row >= nue_restrictions(p->nue, l); l++)
		row -= nue_restrictions(p->nue, l);
	*layer = l;
	return nue_restriction(p->nue, l, row);
}

static int64_t restricted_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	unsigned layer;
	struct nue_turn turn = turn_of(v->priv, row, &layer);

	return col == C_LAYER ? layer : col == C_IN ? turn.in : turn.out;
}

static const char *restricted_pane_neighbour(const struct restricted_pane *p, uint32_t sw, unsigned port)
{
	const struct topo *tp = p->r->topo;
	uint32_t peer = tp->peer[switch_port_id(tp->fabric, sw, port)];

	return peer == NO_ID ? "" : tp->fabric->node_name[tp->fabric->port_node[peer]];
}

static void restricted_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct restricted_pane *p = v->priv;
	unsigned layer;
	struct nue_turn turn = turn_of(p, row, &layer);

	if (col == C_SWITCH)
		text_add(t, "%s", switch_name(v->scene->fabric, turn.sw));
	else if (col == C_FROM || col == C_TO)
		text_add(t, "%s", restricted_pane_neighbour(p, turn.sw, col == C_FROM ? turn.in : turn.out));
	else
		text_add(t, "%" PRId64, restricted_pane_number(v, row, col));
}

static void restricted_pane_footer(const struct view *v, struct text *t)
{
	const struct restricted_pane *p = v->priv;

	if (p->nue && v->n_rows)
		text_add(t, "with the routes and escape paths of the layer they would close a cycle");
}

static bool restricted_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	unsigned layer;
	struct nue_turn turn = turn_of(v->priv, row, &layer);

	subject_switch_port(v, turn.sw, turn.out, s);
	s->layer = (int)layer;
	s->key = (uint64_t)layer << 48 | (uint64_t)turn.sw << 16 | (unsigned)turn.in << 8 | turn.out;
	return true;
}

const struct view_ops view_restricted = {
	.name = "restricted",
	.brief = "nue: lists the turns that a layer forbids, because they would close a cycle",
	.syntax = "[LAYER]",
	.hints = "follow=ports :pane_escape=escape back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct restricted_pane),
	.load = restricted_pane_load,
	.title = restricted_pane_title,
	.footer = restricted_pane_footer,
	.cell = restricted_pane_cell,
	.number = restricted_pane_number,
	.about = restricted_pane_about,
	.enter = "pane ports %node; select %number",
	.fold_row = "turn",
};
