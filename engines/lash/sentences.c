/* LASH in words: steps, cells and values of a recording, the layer of a pair and what it took to find it. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/lash/internal.h"

static const char *const axis_rules[] = {
	[MESH_SEED] = "seed axis",	 [MESH_FACING] = "facing in the seed",
	[MESH_STRAIGHT] = "straight on", [MESH_ACROSS] = "other end",
	[MESH_SQUARE] = "square",
};
static const char *const turn_rules[] = {"moved", "stayed"};

static const char *name_of(const struct walk *w, uint32_t sw)
{
	return switch_name(recording_sweep(walk_recording(w))->fabric, sw);
}

/* --- cells and values: they go by LASH's own ids of switches, links and channels --------------------------
 */

/* The three switches of a dependency, a cell of T_DEP; its layer. */
static uint32_t name_dependency(const struct recording *r, uint32_t at, uint32_t sw[3])
{
	const struct lash_plan *p = recording_kept(r);
	const struct lash_graph *g = p->graph;
	uint32_t *first = lash_number_dependencies(g), all = first[g->n_channels];
	struct dependency d = lash_dependency_at(g, first, at % all);

	free(first);
	sw[0] = g->sw[g->from[d.from]];
	sw[1] = g->sw[g->to[d.from]];
	sw[2] = g->sw[g->to[d.to]];
	return at / all;
}

/* Dimensions of the seed, 0: not known. */
static unsigned mesh_dimensions(const struct recording *r)
{
	return (unsigned)(recording_cells(r, T_COORD) / recording_sweep(r)->fabric->n_switches);
}

/* "x", as the pane of the mesh says it; of more than four dimensions "d4". */
static void name_dimension(const struct recording *r, unsigned d, struct text *out)
{
	if (mesh_dimensions(r) <= 4)
		text_putc(out, "xyzw"[d]);
	else
		text_add(out, "d%u", d);
}

/* "+x" of an axis code. */
static void name_axis(const struct recording *r, unsigned code, struct text *out)
{
	text_putc(out, code & 1 ? '+' : '-');
	name_dimension(r, (code - 1) / 2, out);
}

static bool cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	const struct lash_graph *g = p ? p->graph : NULL;
	uint32_t sw[3], layer;

	if (t == T_COORD) {
		text_add(out, "%s along ", switch_name(f, at / mesh_dimensions(r)));
		name_dimension(r, at % mesh_dimensions(r), out);
		return true;
	}
	if (!g || (t != T_OUT && t != T_FIRST && t != T_LAYER && t != T_DEP))
		return false;
	if (t == T_DEP) {
		layer = name_dependency(r, at, sw);
		text_add(out, "layer %u: %s, %s, %s", layer, switch_name(f, sw[0]), switch_name(f, sw[1]),
			 switch_name(f, sw[2]));
	} else if (t == T_OUT) {
		text_add(out, "%s to %s", switch_name(f, g->sw[at % g->n]), switch_name(f, g->sw[at / g->n]));
	} else {
		text_add(out, "%s, %s", switch_name(f, g->sw[at / g->n]), switch_name(f, g->sw[at % g->n]));
	}
	return true;
}

static bool value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t v, struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct lash_graph *g = p ? p->graph : NULL;

	if (t == T_COORD ? v == MESH_FAR : t == T_AXIS && !v)
		text_add(out, "none");
	else if (t == T_COORD)
		text_add(out, "%d", (int)v);
	else if (t == T_AXIS)
		name_axis(r, v, out);
	else if (g && t == T_OUT)
		text_add(out, "port %u", g->port[g->port_at[g->base[at % g->n] + v]]);
	else
		return false;
	return true;
}

/* --- steps of the mesh analysis ----------------------------------------------------------------------------
 */

/* How far neighbours are apart, n distances. */
static void say_distances(const uint32_t *apart, uint32_t n, struct text *t)
{
	uint32_t min = MESH_FAR, max = 0, lost = 0;

	for (uint32_t i = 0; i < n; i++) {
		lost += apart[i] == MESH_FAR;
		if (apart[i] == MESH_FAR)
			continue;
		min = apart[i] < min ? apart[i] : min;
		max = apart[i] > max ? apart[i] : max;
	}
	if (!n)
		return;
	if (lost == n)
		text_add(t, "; without it they do not meet");
	else if (min == max)
		text_add(t, "; without it they are %s apart", PLURAL(min, "hop"));
	else
		text_add(t, "; without it they are %u to %u hops apart", min, max);
	if (lost && lost < n)
		text_add(t, ", some do not meet");
}

static void say_measure(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra);

	text_add(t, "%s: %s, ", name_of(w, ev->a), PLURAL(ev->port, "neighbour"));
	if (ev->port > MESH_LINKS) {
		text_add(t, "too many to be measured");
		return;
	}
	text_add(t, "neighbourhood %s", ev->rule > 1 ? "" : ev->rule ? "unknown" : "at an edge");
	for (unsigned d = 0; n && d < MESH_DIMENSIONS && extra[0] >> 4 * d & 15; d++) {
		unsigned size = extra[0] >> 4 * d & 15;

		text_add(t, "%s%u%s", d ? " x " : "", size, size == 6 ? "+" : "");
	}
	if (n > 1)
		say_distances(extra + 1, ev->port * (ev->port - 1u) / 2, t);
}

static void say_link(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	static const char *const why[] = {
		[MESH_SEED] = "the first link of the seed without an axis",
		[MESH_FACING] = "not two hops from the one before: on the other side",
		[MESH_STRAIGHT] = "the only one not two hops from a link with an axis: straight on",
		[MESH_ACROSS] = "as its other end says",
		[MESH_SQUARE] = "as the opposite side of a square",
	};
	const struct topo *top = recording_sweep(walk_recording(w))->topo;

	text_add(t, "%s port %u to %s: ", name_of(w, ev->a), ev->port,
		 name_of(w, top->peer_switch[switch_port_id(top->fabric, ev->a, ev->port)]));
	name_axis(walk_recording(w), ev->b, t);
	text_add(t, ", %s", why[ev->rule]);
}

static void say_place(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	unsigned dims = mesh_dimensions(walk_recording(w));

	text_add(t, "%s: at ", name_of(w, ev->a));
	for (unsigned d = 0; d < dims; d++) {
		int32_t x = (int32_t)walk_value(w, T_COORD, ev->a * dims + d);

		if (x == MESH_FAR)
			text_add(t, "%s-", d ? "," : "");
		else
			text_add(t, "%s%d", d ? "," : "", x);
	}
	if (ev->b == NO_ID)
		text_add(t, ", the seed");
	else
		text_add(t, ", a step from %s", name_of(w, ev->b));
}

static void say_number(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct topo *top = recording_sweep(walk_recording(w))->topo;
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra);

	if (!n)
		return;
	text_add(t, "%s: number %u by its coordinates, was %u by GUID", name_of(w, ev->a), ev->b, extra[0]);
	for (uint32_t i = 1; i < n; i++)
		text_add(t, "%s%s",
			 i > 1 ? ", " : "; its links in turn: ", name_of(w, top->peer_switch[extra[i]]));
}

/* --- steps -------------------------------------------------------------------------------------------------
 */

static void say_pair(const struct walk *w, uint32_t pair, struct text *t)
{
	uint32_t n = recording_sweep(walk_recording(w))->fabric->n_switches;

	text_add(t, "%s - %s", name_of(w, pair / n), name_of(w, pair % n));
}

static void say_tree(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d))
		n++;
	text_add(t, "tree of %s: fills %s that nobody had", name_of(w, ev->a), PLURAL(n, "route"));
}

static void say_try(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;

	if (recording_extra(walk_recording(w), walk_step(w), &extra) < 2)
		return;
	say_pair(w, ev->a, t);
	text_add(t, " at layer %u: ", ev->b);
	if (extra[0])
		text_add(t, "brings %s, %u of them new", PLURAL(extra[0], "dependency"), extra[1]);
	else
		text_add(t, "one cable each way, so no dependency");
}

/* What a pair adds, by name. */
static void say_new(const struct walk *w, uint32_t fresh, struct text *t)
{
	uint32_t cursor = 0, n = 0, sw[3];
	struct rec_delta d;

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d)) {
		if (d.table != T_DEP)
			continue;
		name_dependency(walk_recording(w), d.at, sw);
		text_add(t, "%s%s-%s-",
			 !n		 ? ""
			 : n + 1 < fresh ? ", "
					 : " and ",
			 name_of(w, sw[0]), name_of(w, sw[1]));
		text_add(t, "%s", name_of(w, sw[2]));
		n++;
	}
}

static void say_accept(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	enum { FEW = 4 };
	uint32_t cursor = 0, fresh = 0, n;
	const uint32_t *extra;
	struct rec_delta d;

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d))
		fresh += d.table == T_DEP;
	n = recording_extra(walk_recording(w), walk_step(w), &extra) ? extra[0] : 0;
	say_pair(w, ev->a, t);
	text_add(t, ": put in layer %u: ", ev->b);
	if (!n) {
		text_add(t, "one cable each way, so no dependency");
	} else if (!fresh) {
		text_add(t, "brings %s, %s there already", PLURAL(n, "dependency"), n == 1 ? "it is" : "all");
	} else if (fresh <= FEW) {
		text_add(t, "adds ");
		say_new(w, fresh, t);
		if (n > fresh)
			text_add(t, "; %s there already", n - fresh == 1 ? "one more is" : "the others are");
	} else {
		text_add(t, "brings %s, %u of them new", PLURAL(n, "dependency"), fresh);
	}
}

/* The cycle, then who holds each of its edges; pair: the event's own. */
static void say_cycle(const struct walk *w, uint32_t pair, struct text *t)
{
	enum { FEW = 12 };
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	const uint32_t *word;
	uint32_t n = recording_cycle(walk_recording(w), walk_step(w), &word);
	bool held = false;

	text_add(t, "it would close the cycle ");
	for (uint32_t i = 0; i < n; i++)
		text_add(t, "%s -> ", f->node_name[f->port_node[word[2 * i]]]);
	text_add(t, "%s", n ? f->node_name[f->port_node[word[0]]] : "that was told before");
	for (uint32_t i = 0; i < n && i < FEW; i++) {
		uint32_t holder = word[2 * i + 1];

		text_add(t, "%s", i ? ", " : "; ");
		for (uint32_t k = 0; k < 3; k++)
			text_add(t, "%s%s", k ? "-" : "",
				 f->node_name[f->port_node[word[2 * ((i + k) % n)]]]);
		if (holder == pair) {
			text_add(t, " is new");
		} else if (holder == NO_ID) {
			text_add(t, " left there by a pair that moved away");
		} else {
			text_add(t, held ? " by " : " held by ");
			say_pair(w, holder, t);
			held = true;
		}
	}
	if (n > FEW)
		text_add(t, " and %u more", n - FEW);
}

static void say_turn(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct lash_plan *p = recording_kept(walk_recording(w));
	const uint32_t *extra;

	if (recording_extra(walk_recording(w), walk_step(w), &extra) < REC_TURN_WORDS)
		return;
	text_add(t, "random %s, %s: first movable pair ", name_of(w, p->graph->sw[extra[0]]),
		 name_of(w, p->graph->sw[extra[1]]));
	say_pair(w, ev->a, t);
	if (!ev->rule) {
		text_add(t, ": moved from layer %u to layer %u: %u and %u pairs now ", ev->port, ev->b,
			 extra[2], extra[3]);
		text_add(t, "(ends when they differ by less than 6)");
		return;
	}
	text_add(t, ": stays in layer %u, as in layer %u ", ev->port, ev->b);
	say_cycle(w, ev->a, t);
	text_add(t, ": %u and %u pairs still (ends when they differ by less than 6, or after %s)", extra[2],
		 extra[3], PLURAL(extra[4], "more refusal"));
}

static void say_choice(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	char name[300];

	endport_label(s->fabric, lid_owner(s->lids, ev->b), name, sizeof(name));
	text_add(t, "%s LID %u (%s) -> ", name_of(w, ev->a), ev->b, name);
	if (ev->port == NO_PATH)
		text_add(t, "no port: %s", why_rule_name(ev->rule));
	else
		text_add(t, "port %u: %s%s", ev->port, ev->rule == WHY_TREE ? "breadth-first " : "",
			 why_rule_name(ev->rule));
}

static void sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);

	switch (ev->kind) {
	case REC_MEASURE:
		say_measure(w, ev, t);
		break;
	case REC_CLASS:
		if (ev->a == ev->b)
			text_add(t, "%s: the first of its kind", name_of(w, ev->a));
		else
			text_add(t, "%s: like %s", name_of(w, ev->a), name_of(w, ev->b));
		break;
	case REC_AXIS:
		say_link(w, ev, t);
		break;
	case REC_COORD:
		say_place(w, ev, t);
		break;
	case REC_NUMBER:
		say_number(w, ev, t);
		break;
	case REC_TREE:
		say_tree(w, ev, t);
		break;
	case REC_TRY:
		say_try(w, ev, t);
		break;
	case REC_ACCEPT:
		say_accept(w, ev, t);
		break;
	case REC_REFUSE:
		say_pair(w, ev->a, t);
		text_add(t, ": not in layer %u: ", ev->b);
		say_cycle(w, ev->a, t);
		break;
	case REC_OPEN:
		say_pair(w, ev->a, t);
		text_add(t, ": layer %u is opened for it", ev->b);
		break;
	case REC_TURN:
		say_turn(w, ev, t);
		break;
	case REC_CHOICE:
		say_choice(w, ev, t);
		break;
	default:
		text_add(t, "%s: table finished", name_of(w, ev->a));
	}
}

static const char *rule(const struct rec_event *ev)
{
	if (ev->kind == REC_AXIS)
		return axis_rules[ev->rule];
	return ev->kind == REC_TURN ? turn_rules[ev->rule] : why_rule_name(ev->rule);
}

static const char *source(const struct rec_event *ev)
{
	static const char *const of[REC_KINDS] = {
		[REC_MEASURE] = "lash.md 6.1 to 6.3; OpenSM 3.3.23",
		[REC_CLASS] = "lash.md 6.3; OpenSM 3.3.23",
		[REC_AXIS] = "lash.md 6.5; OpenSM 3.3.23",
		[REC_COORD] = "lash.md 6.6; OpenSM 3.3.23",
		[REC_NUMBER] = "lash.md 6.7, 6.8; OpenSM 3.3.23",
		[REC_TREE] = "lash.md 7; Skeie, Lysne, Theiss, CAC 2002",
		[REC_TRY] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_ACCEPT] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_REFUSE] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_OPEN] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_TURN] = "lash.md 9.1; OpenSM 3.3.23",
		[REC_CHOICE] = "lash.md 10; OpenSM 3.3.23",
		[REC_TABLE] = "lash.md 10; OpenSM 3.3.23",
	};

	return ev->kind == REC_AXIS && ev->rule <= MESH_FACING ? "lash.md 6.4; OpenSM 3.3.23" : of[ev->kind];
}

const struct rec_scheme lash_scheme = {
	.rule = rule,
	.source = source,
	.sentence = sentence,
	.ops = &lash_ops,
	.priv_at = lash_priv_at,
	.row_at = lash_row_at,
	.cell = cell,
	.value = value,
	.dependencies = lash_dependencies,
};

/* --- layers
 * ----------------------------------------------------------------------------------------------------- */

/* "ring3-ring4-ring0": the channel of an edge of a cycle, the next one. */
static void add_edge(const struct fabric *f, const struct witness *w, uint32_t i, struct text *t)
{
	for (uint32_t k = 0; k < 3; k++)
		text_add(t, "%s%s", k ? "-" : "", f->node_name[f->port_node[w->edge[(i + k) % w->n].port]]);
}

/* Who holds each edge of a cycle. */
static void tell_holders(const struct fabric *f, const struct witness *w, struct text *t)
{
	bool any = false;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct witness_edge *e = &w->edge[i];

		text_add(t, "%s", i ? "; " : "  ");
		add_edge(f, w, i, t);
		if (!e->routes) {
			text_add(t, " is new");
			continue;
		}
		text_add(t, " %sby %s, ", any ? "" : "held ", switch_name(f, e->sw));
		any = true;
		text_add(t, "%s", switch_name(f, e->sw2));
		if (e->routes > 1)
			text_add(t, " and %" PRIu32 " more", e->routes - 1);
	}
	text_add(t, ".\n");
}

static void tell_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
			 struct text *t, struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	struct witness *w = lash_find_witness(r, slid, dlid, layer, p);

	if (!w)
		return;
	text_add(t, "Not in layer %u: that would have closed the cycle\n ", layer);
	for (uint32_t i = 0; i < w->n; i++)
		text_add(t, " %s[%u] ->", f->node_name[f->port_node[w->edge[i].port]],
			 f->port_num[w->edge[i].port]);
	if (w->n) {
		text_add(t, " %s\n", f->node_name[f->port_node[w->edge[0].port]]);
		tell_holders(f, w, t);
	}
	witness_free(w);
}

/* Where among all pairs its turn came. */
static void tell_turn(const struct lash *l, uint32_t sw, uint32_t sw2, struct text *t)
{
	const struct lash_graph *g = l->plan->graph;
	uint64_t n = g->n, a = g->id[sw], b = g->id[sw2], s = a < b ? a : b, d = a < b ? b : a;

	text_add(t, "Its turn was number %" PRIu64 " of %" PRIu64 ".\n", s * (2 * n - s - 1) / 2 + d - s,
		 n * (n - 1) / 2);
}

void lash_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
		       struct progress *p)
{
	const struct lash *l = lash_of(r);
	const struct fabric *f = r->topo->fabric;
	unsigned first, now;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b))
		return;
	first = lash_first_layer_of(l, a, b);
	now = lash_layer_of(l, a, b);
	if (first == LASH_NO_LAYER) {
		text_add(t,
			 a == b ? "Both are on one switch: no layer is needed, the SL is that of layer 0.\n"
				: "The pair has no layer yet.\n");
		return;
	}
	text_add(t, "The pair %s, %s was put in layer %u", switch_name(f, a), switch_name(f, b), first);
	text_add(t, first ? ".\n" : ", the lowest.\n");
	if (first)
		tell_turn(l, a, b, t);
	for (unsigned v = 0; v < first && !progress_cancelled(p); v++)
		tell_witness(r, slid, dlid, v, t, p);
	if (now != first)
		text_add(t, "Balancing moved it to layer %u.\n", now);
}

/* Did an earlier pair open its layer already? */
static bool was_open(const struct lash *l, uint32_t a, uint32_t b, unsigned layer)
{
	const struct lash_graph *g = l->plan->graph;
	uint32_t s = g->id[a] < g->id[b] ? g->id[a] : g->id[b], d = g->id[a] < g->id[b] ? g->id[b] : g->id[a];

	for (uint32_t i = 0; i <= s; i++)
		for (uint32_t j = i + 1; j < (i < s ? (uint32_t)g->n : d); j++)
			if (l->plan->first[(size_t)i * g->n + j] == layer)
				return true;
	return false;
}

void lash_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct lash *l = lash_of(r);
	const struct fabric *f = r->topo->fabric;
	unsigned first, now, sl;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b))
		return;
	first = lash_first_layer_of(l, a, b);
	now = lash_layer_of(l, a, b);
	sl = now + l->vls.start;
	if (first == LASH_NO_LAYER && a != b)
		return; /* a step of a recording before its turn */
	if (first == LASH_NO_LAYER)
		decide(d, WHY_SAME_SWITCH, "Both are on one switch, so no layer is needed: SL %u.",
		       l->vls.start);
	else if (now != first)
		decide(d, WHY_MOVED, "Layer %u took the pair %s, %s; balancing moved it to layer %u, SL %u.",
		       first, switch_name(f, a), switch_name(f, b), now, sl);
	else if (!first)
		decide(d, WHY_LOWEST, "Layer 0 took the pair %s, %s: SL %u.", switch_name(f, a),
		       switch_name(f, b), sl);
	else if (was_open(l, a, b, first))
		decide(d, WHY_REFUSED,
		       "Every layer below %u refused the pair %s, %s, as it would have closed a cycle there: "
		       "SL %u.",
		       first, switch_name(f, a), switch_name(f, b), sl);
	else
		decide(d, WHY_OPENED,
		       "No layer took the pair %s, %s, so layer %u was opened for it; balancing left it "
		       "there: SL %u.",
		       switch_name(f, a), switch_name(f, b), first, sl);
}

void lash_say_counts(const uint64_t *count, unsigned n, struct text *t)
{
	for (unsigned v = 0; v < n; v++)
		text_add(t, "%s%" PRIu64, v ? ", " : "", count[v]);
}

void lash_explain_layers(const struct routing *r, struct text *t)
{
	const struct lash *l = lash_of(r);
	const struct lash_plan *p = l->plan;

	text_add(t, "Ordered pairs of switches per layer, as they were put there: ");
	lash_say_counts(p->count, p->need, t);
	if (p->need > 1) {
		text_add(t, ".\nAfter balancing: ");
		lash_say_counts(l->count, p->need, t);
	}
	text_add(t, ".\n%" PRIu64 " dependencies; %" PRIu64 " searches for cycles%s.\n", p->deps, p->searches,
		 p->kept ? ", those of unchanged routes kept their order and cycles" : "");
}

/* --- choices, as they are asked for
 * ---------------------------------------------------------------------------- */

/* Hops by a channel, INT64_MIN = none. */
static int64_t hops_through(const struct lash_plan *p, uint32_t channel, uint32_t d)
{
	uint32_t s = p->graph->to[channel];
	unsigned n = lash_route(p, s, d, NULL);

	return n || s == d ? n + 1 : INT64_MIN;
}

struct lash_weighed lash_weigh(const struct lash_plan *p, uint32_t u, uint32_t d, uint32_t channel)
{
	const struct lash_graph *g = p->graph;
	struct lash_weighed w = {.equal = NO_ID, .other = NO_ID, .hops = hops_through(p, channel, d)};

	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
		int64_t hops = hops_through(p, c, d);

		if (hops == w.hops) {
			w.n++;
			if (c != channel && w.equal == NO_ID)
				w.equal = c;
		} else if (hops != INT64_MIN && (w.other == NO_ID || hops < w.second)) {
			w.other = c;
			w.second = hops;
		}
	}
	w.rule = w.n > 1					     ? WHY_TREE
		 : g->port_at[channel + 1] - g->port_at[channel] > 1 ? WHY_CABLE
								     : WHY_ONLY_WAY;
	return w;
}

static void add_cables(const struct lash_plan *p, uint32_t c, unsigned port, struct text *t)
{
	const struct lash_graph *g = p->graph;
	uint32_t cables = g->port_at[c + 1] - g->port_at[c], i = g->port_at[c];

	if (cables < 2)
		return;
	while (g->port[i] != port)
		i++;
	if (p->collapsed)
		text_add(t, " Of %u cables there the routes take each in turn, this one number %u.", cables,
			 i - g->port_at[c] + 1);
	else
		text_add(t, " Of %u cables there always the first, port %u.", cables, port);
}

static uint32_t root_of(const struct lash_plan *p, uint32_t u, uint32_t d)
{
	return p->graph->sw[p->root[(size_t)d * p->graph->n + u]];
}

/* Of the link c that u sends by; rival: one as short that is not taken, NO_ID = the first there is. */
static void decide_link(const struct lash_plan *p, const struct fabric *f, uint32_t u, uint32_t d, uint32_t c,
			unsigned port, uint32_t rival, struct decided *out)
{
	const struct lash_graph *g = p->graph;
	struct lash_weighed w = lash_weigh(p, u, d, c);
	const char *here = switch_name(f, g->sw[u]), *next = switch_name(f, g->sw[g->to[c]]);
	uint32_t equal = rival == NO_ID ? w.equal : rival;

	if (w.rule == WHY_TREE)
		decide(out, w.rule,
		       "%u neighbours lead there in %s; the breadth-first tree of %s, the first in which %s "
		       "is above "
		       "%s, passes %s (link %u of %s), not %s (link %u).",
		       w.n, PLURAL((uint64_t)w.hops, "hop"), switch_name(f, root_of(p, u, d)), here,
		       switch_name(f, g->sw[d]), next, c - g->base[u] + 1, here,
		       switch_name(f, g->sw[g->to[equal]]), equal - g->base[u] + 1);
	else if (w.rule == WHY_CABLE)
		decide(out, w.rule, "%s alone leads there in %s.", next, PLURAL((uint64_t)w.hops, "hop"));
	else if (w.other == NO_ID)
		decide(out, w.rule, "Port %u alone leads there, in %s.", port,
		       PLURAL((uint64_t)w.hops, "hop"));
	else
		decide(out, w.rule, "Port %u alone leads there in %s; by port %u it would be %u.", port,
		       PLURAL((uint64_t)w.hops, "hop"), g->port[g->port_at[w.other]], (unsigned)w.second);
	add_cables(p, c, port, &out->text);
}

static void decide_against(const struct lash_plan *p, const struct fabric *f, uint32_t u, uint32_t d,
			   struct rec_choice *choice)
{
	uint32_t c = lash_channel_of(p->graph, u, choice->port),
		 v = lash_channel_of(p->graph, u, choice->via);

	if (v == NO_ID || choice->via == choice->port)
		return;
	if (v == c) {
		decide(&choice->against, WHY_CABLE, "Port %u is a cable to the same neighbour.", choice->via);
		add_cables(p, c, choice->port, &choice->against.text);
	} else if (hops_through(p, v, d) == hops_through(p, c, d)) {
		decide_link(p, f, u, d, c, choice->port, v, &choice->against);
	}
}

static void offer_links(const struct lash_plan *p, const struct topo *t, uint32_t u, uint32_t d,
			struct rec_choice *choice)
{
	static const char *const quantity[] = {"hops", "link", "cable"};
	const struct lash_graph *g = p->graph;
	uint32_t p0 = t->fabric->switch_port[g->sw[u]];

	choice->quantity = quantity;
	choice->n_quantities = ARRAY_LEN(quantity);
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
		int64_t hops = hops_through(p, c, d);

		for (uint32_t i = g->port_at[c]; i < g->port_at[c + 1]; i++) {
			struct rec_offer *o = rec_offer(choice, g->port[i], t->peer[p0 + g->port[i]]);

			o->q[0] = hops;
			o->q[1] = c - g->base[u] + 1;
			o->q[2] = i - g->port_at[c] + 1;
		}
	}
}

void lash_tell_choice(const struct engine_input *in, const struct lash_plan *p, uint32_t u, uint32_t d,
		      unsigned lid, unsigned port)
{
	const struct lash_graph *g = p->graph;
	const struct fabric *f = in->topo->fabric;
	struct rec_choice *c = rec_choice(in, g->sw[u], lid);

	if (!c)
		return;
	c->target = d == NO_ID ? NO_ID : g->sw[d];
	c->port = (uint8_t)port;
	c->rule = port == NO_PATH ? "no route" : d == u ? "own port" : "breadth-first tree";
	if (!decide_common(in->topo, in->lids, g->sw[u], lid, port, &c->decided) && port != NO_PATH)
		decide_link(p, f, u, d, lash_channel_of(g, u, port), port, NO_ID, &c->decided);
	if (port != NO_PATH && d != u) {
		offer_links(p, in->topo, u, d, c);
		text_add(&c->text, "the breadth-first tree of %s leads this way",
			 switch_name(f, root_of(p, u, d)));
		if (c->via)
			decide_against(p, f, u, d, c);
	}
	rec_chosen(in, c);
}
