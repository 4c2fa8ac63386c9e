/* A recording of Nue at a step: its tables, and sentences. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/nue/internal.h"
#include "engines/nue/recall.h"

#define LONGEST_CYCLE 12 /* switches that a sentence names */

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* What the whole run knows of a layer beforehand. */
static void begin_layer(struct nue_layer *l, const struct nue_layer *whole, uint32_t n)
{
	*l = (struct nue_layer){.n_lids = whole->n_lids,
				.lid = whole->lid,
				.root = NO_ID,
				.betweenness = whole->betweenness,
				.edges = whole->edges};
	l->hull = NEW_ARRAY(n + 1u, uint8_t);
	l->escape = NEW_ARRAY(n + 1u, uint32_t);
	memset(l->escape, 0xff, n * sizeof(*l->escape));
}

static void count_lid(struct nue *n, struct nue_layer *l, unsigned lid, unsigned layer, unsigned events)
{
	n->event[lid] = events;
	n->sl_of[lid] = layer;
	if (events & NUE_OUTSIDE)
		return;
	l->backtracked += (events & NUE_BACKTRACKED) != 0;
	l->shortcuts += (events & NUE_SHORTCUT) != 0;
	l->fallbacks += (events & NUE_FALLBACK) != 0;
}

/* One event; *layer: that at hand. */
static void replay(struct nue *n, const struct recording *r, size_t step, unsigned *layer)
{
	const struct rec_event *ev = recording_event(r, step);
	const struct nue_layer *whole;
	struct nue_layer *l;
	uint32_t u = NO_ID;
	const uint32_t *extra;

	if (rec_kinds[ev->kind].b == FIELD_LAYER)
		*layer = ev->b;
	if (rec_kinds[ev->kind].a == FIELD_SWITCH)
		u = n->graph->node[ev->a];
	whole = &n->whole->layer[*layer];
	l = &n->layer[*layer];
	switch (ev->kind) {
	case REC_HULL:
		l->n_hull++;
		l->hull[u] = whole->hull[u];
		break;
	case REC_CENTRE:
		l->root = u;
		break;
	case REC_ESCAPE:
		if (ev->port)
			l->escape[u] = whole->escape[u];
		else
			l->escape_channels = whole->escape_channels;
		break;
	case REC_MERGE:
		l->merges++;
		break;
	case REC_ROUTED:
		recording_extra(r, step, &extra);
		count_lid(n, l, ev->b, extra[0] & NUE_OUTSIDE ? 0 : *layer, extra[0]);
		break;
	case REC_LAYER:
		l->searches = whole->searches;
		l->unrecorded = whole->unrecorded;
		l->loop = whole->loop;
		break;
	default:
		break;
	}
}

/* Dependencies in use and restrictions, as in keep_results(): vertices are channels, then switches. */
static void count_uses(struct nue *n, struct nue_layer *l, const uint8_t *use)
{
	const struct nue_graph *g = n->graph;
	uint32_t e = 0, blocked = 0;

	for (uint32_t i = 0; i < n->n_edges; i++) {
		l->escape_edges += use[i] == USE_ESCAPE;
		l->used += use[i] != USE_NONE && use[i] != USE_BLOCKED;
		blocked += use[i] == USE_BLOCKED;
	}
	l->blocked = NEW_ARRAY(blocked + 1, struct nue_turn);
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t v = g->to[c];

		for (uint32_t y = g->first[v]; y < g->first[v + 1]; y++, e++)
			if (use[e] == USE_BLOCKED)
				l->blocked[l->n_blocked++] =
					(struct nue_turn){g->sw[v], g->lport[y], g->rport[c]};
	}
}

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct nue *whole = recording_kept(r);
	const uint32_t *grown = walk_words(w, T_WEIGHT);
	const struct fabric *f = recording_sweep(r)->fabric;
	struct nue *n;
	unsigned layer = 0;

	(void)end;
	if (!whole) /* refused before there was anything */
		return NULL;
	n = mem_dup(whole, sizeof(*n));
	n->refs = 1;
	n->whole = nue_ref(whole);
	n->sl_of = mem_array(n->max_lid + 1u, 1);
	memset(n->sl_of, NUE_NO_LAYER, n->max_lid + 1u);
	n->event = mem_array(n->max_lid + 1u, 1);
	n->weight = NEW_ARRAY(n->graph->n_channels + 1u, uint64_t);
	for (uint32_t c = 0; c < n->graph->n_channels; c++)
		n->weight[c] = n->first_weight +
			       grown[switch_port_id(f, n->graph->sw[n->graph->to[c]], n->graph->rport[c])];
	for (unsigned v = 0; v < n->vls.layers; v++)
		begin_layer(&n->layer[v], &whole->layer[v], n->graph->n);
	for (size_t i = 1; i <= walk_step(w); i++)
		replay(n, r, i, &layer);
	for (unsigned v = 0; v < n->vls.layers; v++)
		count_uses(n, &n->layer[v], walk_bytes(w, T_COLOUR) + (size_t)v * n->n_edges);
	return n;
}

/* --- sentences -------------------------------------------------------------------------------------------
 */

struct saying {
	struct walk *w;
	const struct recording *r;
	const struct sweep *s;
	const struct nue *n;
	const struct rec_event *ev;
	const uint32_t *extra;
	uint32_t n_extra;
	struct text *t;
};

static const char *name_of(const struct saying *y, uint32_t sw)
{
	return switch_name(y->s->fabric, sw);
}

/* The switch behind the port of the event; NULL: none. */
static const char *peer_of(const struct saying *y)
{
	uint32_t peer = y->s->topo->peer_switch[switch_port_id(y->s->fabric, y->ev->a, y->ev->port)];

	return peer == NO_ID ? "nobody" : name_of(y, peer);
}

/* The layer of the LID at hand. */
static unsigned layer_of(const struct saying *y)
{
	for (size_t i = walk_step(y->w); i; i--)
		if (recording_event(y->r, i)->kind == REC_TARGET)
			return recording_event(y->r, i)->port;
	return 0;
}

static void say_lid(const struct saying *y)
{
	char name[300];

	endport_label(y->s->fabric, lid_owner(y->s->lids, y->ev->b), name, sizeof(name));
	text_add(y->t, "LID %u (%s)", y->ev->b, name);
}

/* The cycle from a word on, and who holds it. */
static void say_cycle(const struct saying *y, uint32_t from)
{
	const struct fabric *f = y->s->fabric;
	uint32_t n = (y->n_extra - from) / 2, others = 0;

	if (!n)
		return;
	text_add(y->t, " the cycle ");
	for (uint32_t i = 0; i < n && i < LONGEST_CYCLE; i++)
		text_add(y->t, "%s -> ", f->node_name[f->port_node[y->extra[from + 2 * i]]]);
	if (n > LONGEST_CYCLE)
		text_add(y->t, "... (%u switches) -> ", n);
	text_add(y->t, "%s", f->node_name[f->port_node[y->extra[from]]]);
	for (uint32_t i = 1; i < n && i < LONGEST_CYCLE; i++) {
		uint32_t lid = y->extra[from + 2 * i + 1], k = 1;

		while (y->extra[from + 2 * k + 1] != lid)
			k++;
		if (k < i)
			continue;
		text_add(y->t, "%s", others++ ? ", " : "; held by ");
		if (lid)
			text_add(y->t, "LID %u", lid);
		else
			text_add(y->t, "the escape paths");
	}
}

static void say_hull(const struct saying *y)
{
	text_add(y->t, "%s is in the hull of layer %u: ", name_of(y, y->ev->a), y->ev->b);
	if (y->n_extra < 2)
		text_add(y->t, "it has destinations of the layer");
	else
		text_add(y->t, "it lies on a shortest path between %s and %s", name_of(y, y->extra[1]),
			 name_of(y, y->extra[0]));
}

static void say_centre(const struct saying *y)
{
	const struct nue_layer *l = &y->n->layer[y->ev->b];

	text_add(y->t, "%s is the central switch of layer %u: betweenness %.6g, the highest of %s",
		 name_of(y, y->ev->a), y->ev->b, l->betweenness[y->n->graph->node[y->ev->a]],
		 PLURAL(l->n_hull, "switch"));
}

static uint32_t changes(const struct saying *y, enum rec_table table, uint32_t now)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d))
		n += d.table == table && d.now == now;
	return n;
}

static void say_escape(const struct saying *y)
{
	uint32_t kept = changes(y, T_COLOUR, USE_ESCAPE);

	if (y->ev->port)
		text_add(y->t, "escape path of %s: port %u to %s", name_of(y, y->ev->a), y->ev->port,
			 peer_of(y));
	else
		text_add(y->t, "escape paths of layer %u meet at %s", y->ev->b, name_of(y, y->ev->a));
	if (kept)
		text_add(y->t, "; %s more kept for escape paths", PLURAL(kept, "dependency"));
}

static void say_target(const struct saying *y)
{
	say_lid(y);
	text_add(y->t, " on %s: ", name_of(y, y->ev->a));
	if (y->ev->port == NUE_OUTSIDE_LAYERS)
		text_add(y->t, "a switch, routed after the layers");
	else
		text_add(y->t, "a search from there, in layer %u", y->ev->port);
}

static void say_reach(const struct saying *y)
{
	uint32_t cursor = 0, was = NO_ID;
	struct rec_delta d;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d))
		if (d.table == T_DIST)
			was = d.was;
	text_add(y->t, "%s is reached over %s, so it sends by port %u: distance %u", name_of(y, y->ev->a),
		 peer_of(y), y->ev->port, walk_value(y->w, T_DIST, y->ev->a));
	if (was != NO_ID)
		text_add(y->t, ", shorter than %u before", was);
}

static void say_look(const struct saying *y)
{
	text_add(y->t, "%s over %s, port %u: ", name_of(y, y->ev->a), peer_of(y), y->ev->port);
	if (y->ev->rule == LOOK_BLOCKED)
		text_add(y->t, "distance %u, but this dependency was blocked before in layer %u", y->extra[0],
			 layer_of(y));
	else
		text_add(y->t, "distance %u, no shorter than %u", y->extra[0],
			 walk_value(y->w, T_DIST, y->ev->a));
}

static void say_block(const struct saying *y)
{
	text_add(y->t, "%s over %s, port %u, is blocked in layer %u: packets would close",
		 name_of(y, y->ev->a), peer_of(y), y->ev->port, layer_of(y));
	say_cycle(y, 0);
}

static void say_merge(const struct saying *y)
{
	text_add(y->t,
		 "%s over %s, port %u, joins two subgraphs, of colours %u and %u: no cycle is looked for",
		 name_of(y, y->ev->a), peer_of(y), y->ev->port, y->extra[0], y->extra[1]);
}

static void say_backtrack(const struct saying *y)
{
	const char *u = name_of(y, y->ev->a), *a = name_of(y, y->extra[0]), *q = name_of(y, y->extra[1]);

	if (y->ev->rule == NUE_TAKEN)
		text_add(y->t, "%s was not reached: it follows %s by port %u, which now goes by %s", u, a,
			 y->ev->port, q);
	else
		text_add(y->t, "%s was not reached; over %s, led by %s", u, a, q);
	text_add(y->t, " (candidate %u of %u)", y->extra[2], y->extra[3]);
	switch (y->ev->rule) {
	case NUE_KEPT_ASIDE:
		text_add(y->t, ": open too, kept aside");
		break;
	case NUE_STAYS_BLOCKED:
		text_add(y->t, ": no, the turn %s -> %s -> %s is blocked", u, a, q);
		break;
	case NUE_LEADER_BLOCKED:
		text_add(y->t, ": no, the turn at %s from %s is blocked", q, a);
		break;
	case NUE_CYCLE:
		text_add(y->t, ": no, it would close the cycle of the step before");
		break;
	case NUE_FROM_SOURCE:
		text_add(y->t, ": no, OpenSM lets no such way start at the destination's switch");
		break;
	case NUE_TURNS_BACK:
		text_add(y->t, ": no, %s is reached over %s itself", q, a);
		break;
	default:
		break;
	}
	if (y->n_extra > 4) {
		text_add(y->t, " by");
		say_cycle(y, 4);
	}
}

static void say_shortcut(const struct saying *y)
{
	if (y->ev->rule == SHORTCUT_TAKEN)
		text_add(y->t, "shortcut: %s is reached over %s by port %u, no longer over %s: distance %u",
			 name_of(y, y->ev->a), peer_of(y), y->ev->port, name_of(y, y->extra[0]),
			 walk_value(y->w, T_DIST, y->ev->a));
	else
		text_add(y->t,
			 "no shortcut: %s could be reached over %s instead of %s, but %s, which is reached "
			 "over "
			 "it, could not follow: blocked",
			 name_of(y, y->ev->a), peer_of(y), name_of(y, y->extra[0]), name_of(y, y->extra[1]));
}

static void say_fallback(const struct saying *y)
{
	const struct nue_layer *l = &y->n->layer[layer_of(y)];

	say_lid(y);
	text_add(y->t, ": an impasse, %s cannot be reached; all follow the escape paths around %s",
		 PLURAL(y->extra[0], "switch"), name_of(y, y->n->graph->sw[l->root]));
}

static void say_recolour(const struct saying *y)
{
	say_lid(y);
	text_add(y->t, ": the search is over; %s in use for it from now on, %u given back",
		 PLURAL(changes(y, T_COLOUR, USE_KEPT), "dependency"), changes(y, T_COLOUR, USE_NONE));
}

/* Channels that gained, and the one that gained most. */
static void say_routed(const struct saying *y)
{
	uint32_t cursor = 0, n = 0, port = NO_ID, most = 0;
	struct rec_delta d;
	char name[300];

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d)) {
		if (d.table != T_WEIGHT)
			continue;
		n++;
		if (d.now - d.was > most) {
			most = d.now - d.was;
			port = d.at;
		}
	}
	say_lid(y);
	text_add(y->t, " is routed: the weight of %s grows", PLURAL(n, "channel"));
	if (port != NO_ID)
		text_add(y->t, ", %s most: +%u", port_label(y->s->fabric, port, name, sizeof(name)), most);
}

static void say_layer(const struct saying *y)
{
	const struct nue_layer *l = &y->n->layer[y->ev->b];

	text_add(y->t,
		 "layer %u is done: %" PRIu64 " of %" PRIu64 " dependencies in use, %u would close a cycle",
		 y->ev->b, l->used, l->edges, l->n_blocked);
}

static void say_choice(const struct saying *y)
{
	text_add(y->t, "%s ", name_of(y, y->ev->a));
	say_lid(y);
	text_add(y->t, " -> port %u: %s", y->ev->port, why_rule_name(y->ev->rule));
}

static void say_tree(const struct saying *y)
{
	text_add(y->t, "shortest paths by weight to %s, whatever dependencies they make: %s reached",
		 name_of(y, y->ev->a), PLURAL(y->n->graph->n - 1, "switch"));
}

static void (*const say[REC_KINDS])(const struct saying *) = {
	[REC_HULL] = say_hull,	       [REC_CENTRE] = say_centre,     [REC_ESCAPE] = say_escape,
	[REC_TARGET] = say_target,     [REC_REACH] = say_reach,	      [REC_LOOK] = say_look,
	[REC_BLOCK] = say_block,       [REC_MERGE] = say_merge,	      [REC_BACKTRACK] = say_backtrack,
	[REC_SHORTCUT] = say_shortcut, [REC_FALLBACK] = say_fallback, [REC_RECOLOUR] = say_recolour,
	[REC_ROUTED] = say_routed,     [REC_LAYER] = say_layer,	      [REC_CHOICE] = say_choice,
	[REC_TREE] = say_tree,
};

static void sentence(struct walk *w, struct text *t)
{
	const struct recording *r = walk_recording(w);
	struct saying y = {
		.w = w, .r = r, .s = recording_sweep(r), .n = recording_kept(r), .ev = walk_event(w), .t = t};

	y.n_extra = recording_extra(r, walk_step(w), &y.extra);
	if (say[y.ev->kind])
		say[y.ev->kind](&y);
}

static const char *rule(const struct rec_event *ev)
{
	static const char *const
		hull[] = {"has destinations", "between"},
		*const look[] = {"not shorter", "blocked"}, *const shortcut[] = {"shortcut", "refused"},
		*const back[NUE_VERDICTS] = {
			[NUE_TAKEN] = "backtrack",	 [NUE_KEPT_ASIDE] = "kept aside",
			[NUE_STAYS_BLOCKED] = "blocked", [NUE_LEADER_BLOCKED] = "blocked behind",
			[NUE_CYCLE] = "cycle",		 [NUE_FROM_SOURCE] = "from the destination",
			[NUE_TURNS_BACK] = "turns back"};

	switch (ev->kind) {
	case REC_HULL:
		return hull[ev->rule];
	case REC_LOOK:
		return look[ev->rule];
	case REC_SHORTCUT:
		return shortcut[ev->rule];
	case REC_BACKTRACK:
		return back[ev->rule];
	default:
		return why_rule_name(ev->rule);
	}
}

#define PAPER "; Domke, Hoefler, Matsuoka, HPDC 2016"

static const char *source(const struct rec_event *ev)
{
	static const char *const where[REC_KINDS] = {
		[REC_HULL] = "nue.md 11.1" PAPER,      [REC_CENTRE] = "nue.md 11.2; Brandes 2001",
		[REC_ESCAPE] = "nue.md 11.4" PAPER,    [REC_TARGET] = "nue.md 6, 12" PAPER,
		[REC_REACH] = "nue.md 12.1" PAPER,     [REC_LOOK] = "nue.md 12.1" PAPER,
		[REC_BLOCK] = "nue.md 10, 12.2" PAPER, [REC_MERGE] = "nue.md 10",
		[REC_BACKTRACK] = "nue.md 12.4" PAPER, [REC_SHORTCUT] = "nue.md 12.3" PAPER,
		[REC_FALLBACK] = "nue.md 12.5" PAPER,  [REC_RECOLOUR] = "nue.md 12.6",
		[REC_ROUTED] = "nue.md 13" PAPER,      [REC_LAYER] = "nue.md 5, 10" PAPER,
		[REC_CHOICE] = "nue.md 13" PAPER,      [REC_TREE] = "nue.md 11.3, 14",
	};

	return where[ev->kind];
}

/* --- cells -------------------------------------------------------------------------------------------------
 */

/* A dependency as packets make it: "turn t11 -> t01 -> t00 in layer 0". */
static bool cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct nue *n = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	const struct nue_graph *g;
	uint32_t e, c = 0, v = 0;

	if (t != T_COLOUR || !n)
		return false;
	g = n->graph;
	e = at % n->n_edges;
	/* those of channels come first, then those that a search begins with */
	for (; c < g->n_channels + g->n; c++) {
		v = c < g->n_channels ? g->to[c] : c - g->n_channels;
		if (e < nue_degree(g, v))
			break;
		e -= nue_degree(g, v);
	}
	text_add(out, "%s -> %s -> ", switch_name(f, g->sw[g->to[g->first[v] + e]]),
		 switch_name(f, g->sw[v]));
	text_add(out, "%s in layer %u", c < g->n_channels ? switch_name(f, g->sw[g->from[c]]) : "a host",
		 at / n->n_edges);
	return true;
}

static bool value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t use, struct text *out)
{
	static const char *const text[] = {[USE_NONE] = "not used",
					   [USE_ESCAPE] = "kept for escape paths",
					   [USE_KEPT] = "used by routes",
					   [USE_PRESENT] = "used by this search",
					   [USE_BLOCKED] = "blocked"};

	(void)r;
	(void)at;
	if (t != T_COLOUR || use >= ARRAY_LEN(text))
		return false;
	text_add(out, "%s", text[use]);
	return true;
}

const struct rec_scheme nue_scheme = {
	.rule = rule,
	.source = source,
	.sentence = sentence,
	.ops = &nue_step_ops,
	.priv_at = priv_at,
	.cell = cell,
	.value = value,
};
