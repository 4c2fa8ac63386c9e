/* Pane: the pairs of switches in a layer of LASH. */
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/lash/lash.h"
#include "views/views.h"

enum { C_FROM, C_TO, C_HOPS, C_LAYERS };

static const struct column columns[] = {
	{.name = "switch", .width = 8, .flex = 1, .fold = FOLD_CHIP},
	{.name = "and switch", .width = 8, .flex = 1},
	{.name = "hops", .right = true, .numeric = true, .fold = FOLD_RANGE},
	{.name = "first", .right = true, .numeric = true, .fold = FOLD_RANGE},
};

struct priv {
	unsigned layer;
	const struct lash *lash;
	uint32_t (*pair)[2]; /* [n_rows] switches */
	uint32_t n, cap;
	uint32_t *ports; /* [n_switches] room for a route */
};

static int open_view(struct view *v, const struct view_args *a, struct err *e)
{
	const struct lash *l = lash_of(scene_routing(v->scene));
	unsigned layer = (unsigned)a->arg[0].n;

	if (!l)
		return err_set(e, "pane layer-pairs: only lash puts pairs in layers; try `route lash`");
	if (layer >= lash_layers(l))
		return err_set(e, "pane layer-pairs: found \"%s\", expected a layer 0 .. %u", a->argv[0],
			       lash_layers(l) - 1);
	((struct priv *)v->priv)->layer = layer;
	return 0;
}

static void close_view(struct view *v)
{
	struct priv *p = v->priv;

	free(p->pair);
	free(p->ports);
	*p = (struct priv){.layer = p->layer};
}

static void load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct priv *p = v->priv;
	uint64_t cursor = 0;
	uint32_t a, b;

	close_view(v);
	p->lash = lash_of(scene_routing(sc));
	if (!p->lash)
		return;
	p->ports = NEW_ARRAY(sc->fabric->n_switches + 1, uint32_t);
	while (lash_next_pair(p->lash, p->layer, &cursor, &a, &b)) {
		GROW(p->pair, p->n, p->cap);
		p->pair[p->n][0] = a;
		p->pair[p->n++][1] = b;
	}
	v->n_rows = p->n;
}

static void title(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;

	text_add(t, "Layer %u", p->layer);
	if (p->lash)
		text_add(t, " ── %s, both ways", PLURAL(v->n_rows, "pair"));
}

static int64_t number(const struct view *v, uint32_t row, unsigned col)
{
	const struct priv *p = v->priv;
	const uint32_t *q = p->pair[row];

	if (col == C_HOPS)
		return lash_route_ports(scene_routing(v->scene), q[0], q[1], p->ports);
	return lash_first_layer_of(p->lash, q[0], q[1]);
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct priv *p = v->priv;

	if (col == C_FROM || col == C_TO)
		text_add(t, "%s", switch_name(v->scene->fabric, p->pair[row][col == C_TO]));
	else
		text_add(t, "%d", (int)number(v, row, col));
}

static void footer(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;
	unsigned first;
	uint32_t row;

	if (!view_selected(v, &row))
		return;
	first = (unsigned)number(v, row, C_LAYERS);
	if (first != p->layer)
		text_add(t, "layer %u took it; balancing moved it here", first);
	else if (first == 1)
		text_add(t, "layer 0 refused it, for a cycle");
	else if (first)
		text_add(t, "layers 0 .. %u refused it, for cycles", first - 1);
	else
		text_add(t, "the lowest layer took it");
}

static uint64_t key(const struct view *v, uint32_t row)
{
	const struct priv *p = v->priv;

	return (uint64_t)p->pair[row][0] << 32 | p->pair[row][1];
}

/* An endport on a switch: its first live host, else its port 0. */
static void word_on_switch(const struct view *v, uint32_t sw, struct text *t)
{
	const struct topo *tp = v->scene->topo;
	const struct fabric *f = tp->fabric;

	for (unsigned n = 1; n <= f->switch_nports[sw]; n++) {
		uint32_t peer = tp->peer[switch_port_id(f, sw, n)];

		if (peer == NO_ID || node_is_switch(f, f->port_node[peer]) || f->port_endport[peer] == NO_ID)
			continue;
		word_port(f, peer, t);
		return;
	}
	word_node(f, f->switch_node[sw], t);
}

static uint32_t chip(const struct view *v, uint32_t row)
{
	return ((const struct priv *)v->priv)->pair[row][0];
}

static void follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct priv *p = v->priv;

	text_add(t, "pane path ");
	word_on_switch(v, p->pair[row][0], t);
	text_putc(t, ' ');
	word_on_switch(v, p->pair[row][1], t);
}

static bool placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct priv *p = v->priv;
	const struct fabric *f = v->scene->fabric;

	if (!strcmp(what, "src") || !strcmp(what, "dst")) {
		word_node(f, f->switch_node[p->pair[row][*what == 'd']], t);
		return true;
	}
	if (!strcmp(what, "layer")) {
		text_add(t, "%u", p->layer + p->lash->vls.start);
		return true;
	}
	return place_node(f, f->switch_node[p->pair[row][0]], what, t);
}

const struct view_ops view_layer_pairs = {
	.name = "layer-pairs",
	.brief = "pairs of switches in a layer of lash, and the layer they were put in first",
	.syntax = "[LAYER]",
	.hints = "follow=path :pane_cycle=why :pane_cdg=cdg back=back",
	.column = columns,
	.n_columns = ARRAY_LEN(columns),
	.flags = VIEW_DETAIL,
	.priv_size = sizeof(struct priv),
	.open = open_view,
	.load = load,
	.close = close_view,
	.title = title,
	.footer = footer,
	.cell = cell,
	.number = number,
	.key = key,
	.follow = follow,
	.placeholder = placeholder,
	.chip = chip,
	.fold_row = "pair",
};
