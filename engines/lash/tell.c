/* LASH explained: steps and layers of pairs in words, and the tables that panes show. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/lash/lash.h"
#include "engines/say.h"

/* LASH in words: steps, cells and values of a recording, the layer of a pair and how it was found. */

static const char *const axis_rules[] = {
	[MESH_SEED] = "seed axis",	 [MESH_FACING] = "facing in the seed",
	[MESH_STRAIGHT] = "straight on", [MESH_ACROSS] = "other end",
	[MESH_SQUARE] = "square",
};
static const char *const turn_rules[] = {"moved", "stayed"};

/* --- cells and values use LASH's own ids of switches, links and channels --------------------- */

/* Finds the three switches of a dependency (a cell of T_DEP), and returns its layer. */
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

/* Dimensions of the seed; 0 when not known. */
static unsigned mesh_dimensions(const struct recording *r)
{
	return (unsigned)(recording_cells(r, T_COORD) / recording_sweep(r)->fabric->n_switches);
}

/* The size of dimension d of a shape: "4", or " x 6+" after others. */
static void mesh_name_size(unsigned d, unsigned size, const char *times, struct text *t)
{
	if (d)
		text_add(t, "%s", times);
	text_add(t, "%u%s", size, size == 6 ? "+" : "");
}

void mesh_name_shape(const struct mesh_shape *s, const char *times, struct text *t)
{
	for (unsigned d = 0; d < s->dimensions; d++)
		mesh_name_size(d, s->size[d], times, t);
}

void mesh_shape_remark(const struct mesh_shape *s, struct text *t)
{
	unsigned twos = 0;

	for (unsigned d = 0; d < s->dimensions; d++)
		twos += s->size[d] == 2;
	if (twos < 2)
		return;
	if (twos == s->dimensions && twos % 2 == 0 && twos > 2) {
		text_add(t, "torus 4");
		for (unsigned d = 2; d < twos; d += 2)
			text_add(t, " x 4");
		text_add(t, " is the %u-cube: ", twos);
	}
	text_add(t, "a ring of 4 is 2 x 2");
}

static void mesh_name_dimension(unsigned dimensions, unsigned d, struct text *t)
{
	if (dimensions <= 4)
		text_putc(t, "xyzw"[d]);
	else
		text_add(t, "d%u", d);
}

void mesh_name_axis(unsigned dimensions, unsigned code, struct text *t)
{
	assert(code && code <= 2 * dimensions);
	text_putc(t, code & 1 ? '+' : '-');
	mesh_name_dimension(dimensions, (code - 1) / 2, t);
}

void mesh_name_coordinate(unsigned d, int32_t x, struct text *t)
{
	if (x == MESH_FAR)
		text_add(t, "%s-", d ? "," : "");
	else
		text_add(t, "%s%d", d ? "," : "", x);
}

static bool lash_sentences_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	const struct lash_graph *g = p ? p->graph : NULL;
	uint32_t sw[3];

	if (t == T_COORD) {
		text_add(out, "%s along ", switch_name(f, at / mesh_dimensions(r)));
		mesh_name_dimension(mesh_dimensions(r), at % mesh_dimensions(r), out);
		return true;
	}
	if (!g || (t != T_OUT && t != T_FIRST && t != T_LAYER && t != T_DEP))
		return false;
	if (t == T_DEP) {
		uint32_t layer = name_dependency(r, at, sw);

		text_add(out, "layer %u: %s, %s, %s", layer, switch_name(f, sw[0]), switch_name(f, sw[1]),
			 switch_name(f, sw[2]));
	} else if (t == T_OUT) {
		text_add(out, "%s to %s", switch_name(f, g->sw[at % g->n]), switch_name(f, g->sw[at / g->n]));
	} else {
		text_add(out, "%s, %s", switch_name(f, g->sw[at / g->n]), switch_name(f, g->sw[at % g->n]));
	}
	return true;
}

static bool lash_sentences_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t v,
				 struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct lash_graph *g = p ? p->graph : NULL;

	if (t == T_COORD ? v == MESH_FAR : t == T_AXIS && !v)
		text_add(out, "none");
	else if (t == T_COORD)
		text_add(out, "%d", (int)v);
	else if (t == T_AXIS)
		mesh_name_axis(mesh_dimensions(r), v, out);
	else if (g && t == T_OUT)
		text_add(out, "port %u", g->port[g->port_at[g->base[at % g->n] + v]]);
	else
		return false;
	return true;
}

/* --- steps of the mesh analysis -------------------------------------------------------------- */

static void say_measure(const struct saying *y)
{
	uint32_t n = y->n_extra > 1 ? y->ev->port * (y->ev->port - 1u) / 2 : 0, min = MESH_FAR, max = 0,
		 lost = 0;
	unsigned size;

	text_add(y->t, "%s: %s, ", say_name(y, y->ev->a), PLURAL(y->ev->port, "neighbour"));
	if (y->ev->port > MESH_LINKS) {
		text_add(y->t, "too many to be measured");
		return;
	}
	text_add(y->t, "neighbourhood ");
	if (y->ev->rule <= 1)
		text_add(y->t, "%s", y->ev->rule ? "unknown" : "at an edge");
	for (unsigned d = 0; y->n_extra && d < MESH_DIMENSIONS && (size = y->extra[0] >> 4 * d & 15); d++)
		mesh_name_size(d, size, " x ", y->t);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t apart = y->extra[1 + i]; /* two neighbours */

		lost += apart == MESH_FAR;
		min = MIN(apart, min);
		max = apart > max && apart != MESH_FAR ? apart : max;
	}
	if (!n)
		return;
	if (lost == n)
		text_add(y->t, "; without it they do not meet");
	else if (min == max)
		text_add(y->t, "; without it they are %s apart", PLURAL(min, "hop"));
	else
		text_add(y->t, "; without it they are %u to %u hops apart", min, max);
	if (lost && lost < n)
		text_add(y->t, ", some do not meet");
}

static void lash_say_link(const struct saying *y)
{
	static const char *const why[] = {
		[MESH_SEED] = "the first link of the seed without an axis",
		[MESH_FACING] = "its neighbour is not two hops from that of the link before: the other side",
		[MESH_STRAIGHT] =
			"only its neighbour is not two hops from that of a link with an axis: straight on",
		[MESH_ACROSS] = "as its other end says",
		[MESH_SQUARE] = "as the opposite side of a square",
	};

	static_assert(ARRAY_LEN(why) == MESH_SQUARE + 1, "each rule has words");
	text_add(y->t, "%s port %u to %s: ", say_name(y, y->ev->a), y->ev->port,
		 say_name(y, say_behind(y, y->ev->a, y->ev->port)));
	mesh_name_axis(mesh_dimensions(y->r), y->ev->b, y->t);
	text_add(y->t, ", %s", why[y->ev->rule]);
}

static void lash_say_place(const struct saying *y)
{
	unsigned dims = mesh_dimensions(y->r);

	text_add(y->t, "%s: at ", say_name(y, y->ev->a));
	for (unsigned d = 0; d < dims; d++)
		mesh_name_coordinate(d, (int32_t)walk_value(y->w, T_COORD, y->ev->a * dims + d), y->t);
	if (y->ev->b == NO_ID)
		text_add(y->t, ", the seed");
	else
		text_add(y->t, ", a step from %s", say_name(y, y->ev->b));
}

static void say_number(const struct saying *y)
{
	if (!y->n_extra)
		return;
	text_add(y->t, "%s: number %u by its coordinates, was %u by GUID", say_name(y, y->ev->a), y->ev->b,
		 y->extra[0]);
	for (uint32_t i = 1; i < y->n_extra; i++)
		text_add(y->t, "%s%s", i > 1 ? ", " : "; its links in turn: ",
			 say_name(y, y->topo->peer_switch[y->extra[i]]));
}

/* --- steps ----------------------------------------------------------------------------------- */

static void lash_say_pair(const struct saying *y, uint32_t pair)
{
	uint32_t n = y->f->n_switches;

	text_add(y->t, "%s - %s", say_name(y, pair / n), say_name(y, pair % n));
}

/* The number of changes that a step makes in a table. */
static uint32_t lash_sentences_changes(const struct saying *y, enum rec_table t)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d))
		n += d.table == t;
	return n;
}

static void lash_say_tree(const struct saying *y)
{
	text_add(y->t, "the tree of %s sets %s that no tree set before", say_name(y, y->ev->a),
		 PLURAL(lash_sentences_changes(y, T_OUT), "route"));
}

/* Tells what a pair brings to a layer: n dependencies, `fresh` of them new. */
static void say_brings(const struct saying *y, uint32_t n, uint32_t fresh)
{
	if (n)
		text_add(y->t, "brings %s, %u of them new", PLURAL(n, "dependency"), fresh);
	else
		text_add(y->t, "one cable each way, so no dependency");
}

static void say_try(const struct saying *y)
{
	if (y->n_extra < 2)
		return;
	lash_say_pair(y, y->ev->a);
	text_add(y->t, " at layer %u: ", y->ev->b);
	say_brings(y, y->extra[0], y->extra[1]);
}

static void say_accept(const struct saying *y)
{
	enum { FEW = 4 };
	uint32_t fresh = lash_sentences_changes(y, T_DEP), n = y->n_extra ? y->extra[0] : 0;

	lash_say_pair(y, y->ev->a);
	text_add(y->t, ": put in layer %u: ", y->ev->b);
	if (n && !fresh) {
		text_add(y->t, "brings %s, %s there already", PLURAL(n, "dependency"),
			 n == 1 ? "it is" : "all");
	} else if (n && fresh <= FEW) {
		uint32_t cursor = 0, i = 0, sw[3];
		struct rec_delta d;

		text_add(y->t, "adds ");
		while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d)) {
			if (d.table != T_DEP)
				continue;
			name_dependency(y->r, d.at, sw);
			text_add(y->t, "%s%s-%s-",
				 !i		 ? ""
				 : i + 1 < fresh ? ", "
						 : " and ",
				 say_name(y, sw[0]), say_name(y, sw[1]));
			text_add(y->t, "%s", say_name(y, sw[2]));
			i++;
		}
		if (n > fresh)
			text_add(y->t, "; %s there already",
				 n - fresh == 1 ? "one more is" : "the others are");
	} else {
		say_brings(y, n, fresh);
	}
}

/* Tells the cycle, then the holder of each of its edges. */
static void lash_say_cycle(const struct saying *y)
{
	enum { FEW = 12 };
	const struct fabric *f = y->f;
	const uint32_t *word;
	uint32_t n = recording_cycle(y->r, walk_step(y->w), &word);
	bool held = false;

	text_add(y->t, "it would close the cycle ");
	for (uint32_t i = 0; i < n; i++)
		text_add(y->t, "%s -> ", f->node_name[f->port_node[word[2 * i]]]);
	text_add(y->t, "%s", n ? f->node_name[f->port_node[word[0]]] : "that was told before");
	for (uint32_t i = 0; i < n && i < FEW; i++) {
		uint32_t holder = word[2 * i + 1];

		text_add(y->t, "%s", i ? ", " : "; ");
		for (uint32_t k = 0; k < 3; k++)
			text_add(y->t, "%s%s", k ? "-" : "",
				 f->node_name[f->port_node[word[2 * ((i + k) % n)]]]);
		if (holder == y->ev->a) {
			text_add(y->t, " is new");
		} else if (holder == NO_ID) {
			text_add(y->t, " left there by a pair that moved away");
		} else {
			text_add(y->t, held ? " by " : " held by ");
			lash_say_pair(y, holder);
			held = true;
		}
	}
	if (n > FEW)
		text_add(y->t, " and %u more", n - FEW);
}

static void say_turn(const struct saying *y)
{
	const struct lash_plan *p = y->kept;
	const uint32_t *extra = y->extra;

	if (y->n_extra < REC_TURN_WORDS)
		return;
	text_add(y->t, "random %s, %s: first movable pair ", say_name(y, p->graph->sw[extra[0]]),
		 say_name(y, p->graph->sw[extra[1]]));
	lash_say_pair(y, y->ev->a);
	if (!y->ev->rule) {
		text_add(y->t, ": moved from layer %u to layer %u: %u and %u pairs now ", y->ev->port,
			 y->ev->b, extra[2], extra[3]);
		text_add(y->t, "(ends when they differ by less than 6)");
		return;
	}
	text_add(y->t, ": stays in layer %u, as in layer %u ", y->ev->port, y->ev->b);
	lash_say_cycle(y);
	text_add(y->t, ": %u and %u pairs still (ends when they differ by less than 6, or after %s)",
		 extra[2], extra[3], PLURAL(extra[4], "more refusal"));
}

static void say_refuse(const struct saying *y)
{
	lash_say_pair(y, y->ev->a);
	text_add(y->t, ": not in layer %u: ", y->ev->b);
	lash_say_cycle(y);
}

static void lash_say_open(const struct saying *y)
{
	lash_say_pair(y, y->ev->a);
	text_add(y->t, ": opens layer %u", y->ev->b);
}

static void lash_say_choice(const struct saying *y)
{
	say_entry(y, y->ev->rule == WHY_TREE ? "breadth-first tree" : why_rule_name(y->ev->rule));
}

static void say_class(const struct saying *y)
{
	if (y->ev->a == y->ev->b)
		text_add(y->t, "%s: the first of its kind", say_name(y, y->ev->a));
	else
		text_add(y->t, "%s: like %s", say_name(y, y->ev->a), say_name(y, y->ev->b));
}

static const struct {
	void (*say)(const struct saying *y);
	const char *source;
} kinds[REC_KINDS] = {
	[REC_MEASURE] = {say_measure, "lash.md 6.1 to 6.3; OpenSM 3.3.23"},
	[REC_CLASS] = {say_class, "lash.md 6.3; OpenSM 3.3.23"},
	[REC_AXIS] = {lash_say_link, "lash.md 6.5; OpenSM 3.3.23"},
	[REC_COORD] = {lash_say_place, "lash.md 6.6; OpenSM 3.3.23"},
	[REC_NUMBER] = {say_number, "lash.md 6.7, 6.8; OpenSM 3.3.23"},
	[REC_TREE] = {lash_say_tree, "lash.md 7; Skeie, Lysne, Theiss, CAC 2002"},
	[REC_TRY] = {say_try, "lash.md 8; Skeie, Lysne, Theiss, CAC 2002"},
	[REC_ACCEPT] = {say_accept, "lash.md 8; Skeie, Lysne, Theiss, CAC 2002"},
	[REC_REFUSE] = {say_refuse, "lash.md 8; Skeie, Lysne, Theiss, CAC 2002"},
	[REC_OPEN] = {lash_say_open, "lash.md 8; Skeie, Lysne, Theiss, CAC 2002"},
	[REC_TURN] = {say_turn, "lash.md 9.1; OpenSM 3.3.23"},
	[REC_CHOICE] = {lash_say_choice, "lash.md 10; OpenSM 3.3.23"},
	[REC_TABLE] = {say_table_done, "lash.md 10; OpenSM 3.3.23"},
};

static void lash_sentences_sentence(struct walk *w, struct text *t)
{
	const struct saying y = saying_of(w, t);

	kinds[y.ev->kind].say(&y);
}

static const char *lash_sentences_rule(const struct rec_event *ev)
{
	if (ev->kind == REC_AXIS)
		return axis_rules[ev->rule];
	return ev->kind == REC_TURN ? turn_rules[ev->rule] : why_rule_name(ev->rule);
}

static const char *lash_sentences_source(const struct rec_event *ev)
{
	return ev->kind == REC_AXIS && ev->rule <= MESH_FACING ? "lash.md 6.4; OpenSM 3.3.23"
							       : kinds[ev->kind].source;
}

/* --- layers ---------------------------------------------------------------------------------- */

/* Tells the holders of each edge of a cycle. */
static void tell_holders(const struct fabric *f, const struct witness *w, struct text *t)
{
	bool any = false;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct witness_edge *e = &w->edge[i];

		text_add(t, "%s", i ? "; " : "  ");
		for (uint32_t k = 0; k < 3; k++) /* "ring3-ring4-ring0": a channel, and the next */
			text_add(t, "%s%s", k ? "-" : "",
				 f->node_name[f->port_node[w->edge[(i + k) % w->n].port]]);
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

/* The switches to which two LIDs are attached. False when a LID is attached to none. */
static bool lash_ends(const struct routing *r, unsigned slid, unsigned dlid, uint32_t *sw, uint32_t *sw2)
{
	uint32_t s = lid_owner(r->lids, slid), d = lid_owner(r->lids, dlid);

	*sw = s == NO_ID ? NO_ID : r->topo->endport_switch[s];
	*sw2 = d == NO_ID ? NO_ID : r->topo->endport_switch[d];
	return *sw != NO_ID && *sw2 != NO_ID;
}

/* As in struct routing_ops: the layer of a pair of LIDs, its rule, figures of all layers. */
static void lash_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			      struct progress *p)
{
	const struct lash *l = lash_of(r);
	const struct fabric *f = r->topo->fabric;
	const struct lash_graph *g = l->plan->graph;
	uint64_t n = g->n;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b))
		return;
	unsigned first = lash_first_layer_of(l, a, b), now = lash_layer_of(l, a, b);
	uint64_t lo = MIN(g->id[a], g->id[b]), hi = MAX(g->id[a], g->id[b]);
	if (first == LASH_NO_LAYER) {
		text_add(t,
			 a == b ? "Both are on one switch: no layer is needed, the SL is that of layer 0.\n"
				: "The pair has no layer yet.\n");
		return;
	}
	text_add(t, "The pair %s, %s was put in layer %u", switch_name(f, a), switch_name(f, b), first);
	text_add(t, first ? ".\n" : ", the lowest.\n");
	if (first)
		text_add(t, "Its turn was number %" PRIu64 " of %" PRIu64 ".\n",
			 lo * (2 * n - lo - 1) / 2 + hi - lo, n * (n - 1) / 2);
	for (unsigned v = 0; v < first && !progress_cancelled(p); v++)
		tell_witness(r, slid, dlid, v, t, p);
	if (now != first)
		text_add(t, "Balancing moved it to layer %u.\n", now);
}

/* Did an earlier pair already use this layer? */
static bool was_open(const struct lash *l, uint32_t a, uint32_t b, unsigned layer)
{
	const struct lash_graph *g = l->plan->graph;
	uint32_t s = MIN(g->id[a], g->id[b]), d = MAX(g->id[a], g->id[b]);

	for (uint32_t i = 0; i <= s; i++)
		for (uint32_t j = i + 1; j < (i < s ? (uint32_t)g->n : d); j++)
			if (l->plan->first[(size_t)i * g->n + j] == layer)
				return true;
	return false;
}

static void lash_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct lash *l = lash_of(r);
	const struct fabric *f = r->topo->fabric;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b))
		return;
	unsigned first = lash_first_layer_of(l, a, b), now = lash_layer_of(l, a, b), sl = now + l->vls.start;
	if (first == LASH_NO_LAYER && a != b)
		return; /* a step of a recording before the pair's turn */
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

static void lash_explain_layers(const struct routing *r, struct text *t)
{
	const struct lash *l = lash_of(r);
	const struct lash_plan *p = l->plan;

	text_add(t, "Ordered pairs of switches per layer, as they were put there: ");
	lash_say_counts(p->count, p->need, t);
	if (p->need > 1) {
		text_add(t, ".\nAfter balancing: ");
		lash_say_counts(l->count, p->need, t);
	}
	if (p->whole) { /* a step: its recording has no searches */
		text_add(t, ".\n%" PRIu64 " dependencies in the layers at this step.\n", p->deps);
		return;
	}
	text_add(t, ".\n%" PRIu64 " dependencies; %" PRIu64 " searches for cycles%s.\n", p->deps, p->searches,
		 p->kept ? ", those of unchanged routes kept their order and cycles" : "");
}

/* --- choices, when somebody asks ------------------------------------------------------------- */

/* Hops by a channel of u. INT64_MIN when the switches behind it do not lead to d, or lead back to u. */
static int64_t hops_through(const struct lash_plan *p, uint32_t u, uint32_t channel, uint32_t d)
{
	const struct lash_graph *g = p->graph;
	const uint8_t *out = p->out + (size_t)d * g->n;
	uint32_t s = g->to[channel];
	int64_t n = 1;

	for (; s != d && s != u && out[s] != LASH_NO_LINK; n++)
		s = g->to[g->base[s] + out[s]];
	return s == d ? n : INT64_MIN;
}

struct lash_weighed lash_weigh(const struct lash_plan *p, uint32_t u, uint32_t d, uint32_t channel)
{
	const struct lash_graph *g = p->graph;
	struct lash_weighed w = {.equal = NO_ID, .other = NO_ID, .hops = hops_through(p, u, channel, d)};

	assert(channel >= g->base[u] && channel < g->base[u + 1]);
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
		int64_t hops = hops_through(p, u, c, d);

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

static void lash_sentences_add_cables(const struct lash_plan *p, uint32_t c, unsigned port, struct text *t)
{
	const struct lash_graph *g = p->graph;
	uint32_t cables = g->port_at[c + 1] - g->port_at[c], i = g->port_at[c];

	if (cables < 2)
		return;
	while (g->port[i] != port)
		i++;
	if (p->collapsed)
		text_add(t, " %u cables lead there; routes take them in turn, this route takes number %u.",
			 cables, i - g->port_at[c] + 1);
	else
		text_add(t, " %u cables lead there; lash always takes the first, port %u.", cables, port);
}

static uint32_t root_of(const struct lash_plan *p, uint32_t u, uint32_t d)
{
	return p->graph->sw[p->root[(size_t)d * p->graph->n + u]];
}

/* An entry that is told: of u towards d (LASH ids). */
struct lash_told {
	const struct lash_plan *p;
	const struct topo *t;
	uint32_t u, d;
	struct rec_choice *choice;
};

/* Explains the link that u uses. rival: another link with as few hops; NO_ID: the first such link. */
static void decide_link(const struct lash_told *y, uint32_t rival, struct decided *out)
{
	const struct lash_plan *p = y->p;
	const struct lash_graph *g = p->graph;
	const struct fabric *f = y->t->fabric;
	uint32_t u = y->u, d = y->d, c = lash_channel_of(g, u, y->choice->port);
	unsigned port = y->choice->port;
	struct lash_weighed w = lash_weigh(p, u, d, c);
	const char *here = switch_name(f, g->sw[u]), *next = switch_name(f, g->sw[g->to[c]]);
	uint32_t equal = rival == NO_ID ? w.equal : rival;

	if (w.rule == WHY_TREE)
		decide(out, w.rule,
		       "%u neighbours lead there in %s; the breadth-first tree of %s, the first in which %s "
		       "is above %s, passes %s (link %u of %s), not %s (link %u).",
		       w.n, PLURAL((uint64_t)w.hops, "hop"), switch_name(f, root_of(p, u, d)), here,
		       switch_name(f, g->sw[d]), next, c - g->base[u] + 1, here,
		       switch_name(f, g->sw[g->to[equal]]), equal - g->base[u] + 1);
	else if (w.rule == WHY_CABLE)
		decide(out, w.rule, "%s alone leads there in %s.", next, PLURAL((uint64_t)w.hops, "hop"));
	else if (w.other == NO_ID)
		decide(out, w.rule, "Port %u alone leads there in %s.", port,
		       PLURAL((uint64_t)w.hops, "hop"));
	else
		decide(out, w.rule, "Port %u alone leads there in %s; by port %u it would be %u.", port,
		       PLURAL((uint64_t)w.hops, "hop"), g->port[g->port_at[w.other]], (unsigned)w.second);
	lash_sentences_add_cables(p, c, port, &out->text);
}

static void lash_sentences_decide_against(const struct lash_told *y)
{
	struct rec_choice *choice = y->choice;
	uint32_t c = lash_channel_of(y->p->graph, y->u, choice->port),
		 v = lash_channel_of(y->p->graph, y->u, choice->via);

	if (v == NO_ID || choice->via == choice->port)
		return;
	if (v == c) {
		decide(&choice->against, WHY_CABLE, "Port %u is a cable to the same neighbour.", choice->via);
		lash_sentences_add_cables(y->p, c, choice->port, &choice->against.text);
	} else if (hops_through(y->p, y->u, v, y->d) == hops_through(y->p, y->u, c, y->d)) {
		decide_link(y, v, &choice->against);
	}
}

static void offer_links(const struct lash_told *y)
{
	static const char *const quantity[] = {"hops", "link", "cable"};
	const struct lash_graph *g = y->p->graph;
	struct rec_choice *choice = y->choice;
	uint32_t u = y->u, p0 = y->t->fabric->switch_port[g->sw[u]];

	choice->quantity = quantity;
	choice->n_quantities = ARRAY_LEN(quantity);
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
		int64_t hops = hops_through(y->p, u, c, y->d);

		for (uint32_t i = g->port_at[c]; i < g->port_at[c + 1]; i++) {
			struct rec_offer *o = rec_offer(choice, g->port[i], y->t->peer[p0 + g->port[i]]);

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
	struct rec_choice *c = rec_choice(in, g->sw[u], lid);
	struct lash_told y = {p, in->topo, u, d, c};

	if (!c)
		return;
	c->target = d == NO_ID ? NO_ID : g->sw[d];
	c->port = (uint8_t)port;
	c->rule = d == u ? "own port" : "breadth-first tree";
	if (port == NO_PATH)
		c->rule = "no route";
	if (!decide_common(in->topo, in->lids, g->sw[u], lid, port, &c->decided) && port != NO_PATH)
		decide_link(&y, NO_ID, &c->decided);
	if (port != NO_PATH && d != u) {
		offer_links(&y);
		text_add(&c->text, "the breadth-first tree of %s leads this way",
			 switch_name(in->topo->fabric, root_of(p, u, d)));
		if (c->via)
			lash_sentences_decide_against(&y);
	}
	rec_chosen(in, c);
}

/* What can be shown of LASH's routing, and of a step of a recording: layers of pairs, cycles, the mesh. */

const struct lash *lash_of(const struct routing *r)
{
	r = routing_origin(r);
	return r && r->ops == &lash_ops ? r->priv : NULL;
}

void lash_free(void *priv)
{
	struct lash *l = priv;

	if (!l)
		return;
	lash_plan_unref(l->plan);
	FREE_EACH(l->layer, l);
}

/* --- layers of pairs ------------------------------------------------------------------------- */

static unsigned lash_show_entry(const struct lash *l, const uint8_t *table, uint32_t sw, uint32_t sw2)
{
	const struct lash_graph *g = l->plan->graph;

	if (g->id[sw] == NO_ID || g->id[sw2] == NO_ID)
		return LASH_NO_LAYER;
	return table[(size_t)g->id[sw] * g->n + g->id[sw2]];
}

unsigned lash_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2)
{
	return lash_show_entry(l, l->layer, sw, sw2);
}

unsigned lash_first_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2)
{
	return lash_show_entry(l, l->plan->first, sw, sw2);
}

static bool lash_show_pair_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *pl)
{
	const struct lash *l = lash_of(r);
	uint32_t sw, sw2;

	if (!lash_ends(r, slid, dlid, &sw, &sw2))
		return false;
	pl->first = lash_first_layer_of(l, sw, sw2);
	pl->now = lash_layer_of(l, sw, sw2);
	return pl->now != LASH_NO_LAYER;
}

static void layer(const struct routing *r, unsigned number, struct layer_info *info)
{
	const struct lash *l = lash_of(r);

	assert(number < LASH_MAX_LAYERS);
	*info = (struct layer_info){.vl = number + l->vls.start,
				    .lanes = 1,
				    .pairs = l->count[number],
				    .pairs_first = l->plan->count[number],
				    .balanced = l->moved != 0};
}

/* The pairs of a layer, each once, in LASH's order. */
static bool next_route(const struct routing *r, unsigned number, uint64_t *cursor, struct layer_route *lr)
{
	const struct lash *l = lash_of(r);
	const struct lash_graph *g = l->plan->graph;
	uint64_t n = g->n;

	assert(number < l->plan->need);
	*lr = (struct layer_route){0};
	for (; *cursor < n * n; ++*cursor) {
		uint64_t s = *cursor / n, d = *cursor % n;

		if (s >= d || l->layer[*cursor] != number)
			continue;
		lr->sw = g->sw[s];
		lr->sw2 = g->sw[d];
		++*cursor;
		return true;
	}
	return false;
}

static unsigned lash_show_n_layers(const struct routing *r)
{
	const struct lash *l = r->priv;

	return l->plan->need;
}

static unsigned lash_show_layers_available(const struct routing *r)
{
	return ((const struct lash *)r->priv)->vls.avail;
}

/* The service level (engines/doc/lash.md 11). At a step a pair may have no layer yet: then no SL is right. */
static struct sl_range sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct lash *l = r->priv;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b) || l->plan->graph->id[a] == NO_ID ||
	    l->plan->graph->id[b] == NO_ID)
		return (struct sl_range){0, 0};
	unsigned number = a == b ? 0 : lash_layer_of(l, a, b);
	if (number == LASH_NO_LAYER)
		return (struct sl_range){1, 0};
	return (struct sl_range){l->vls.start + number, l->vls.start + number};
}

/* Where each start of OpenSM draws other numbers: all layers between two switches. */
static struct sl_range sl_by_chance(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct lash *l = r->priv;
	struct sl_range drawn = sl(r, slid, dlid);
	uint32_t a, b;

	if (l->by_clock && lash_ends(r, slid, dlid, &a, &b) && a != b && !sl_is_open(drawn))
		return (struct sl_range){l->vls.start, l->vls.start + l->plan->need - 1};
	return drawn;
}

/* --- the cycle that keeps a pair out of a layer ---------------------------------------------- */

struct lash_show_search {
	const struct lash_plan *p;
	struct witness *w;
	uint32_t *edge_of; /* [n_channels] edge of the cycle, or NO_ID */
	uint32_t *route;   /* room for n channels */
};

/* Counts a route that uses a channel of the cycle and then the next one. */
static void note_route(struct lash_show_search *s, uint32_t from, uint32_t to, bool own)
{
	unsigned n = lash_route(s->p, from, to, s->route);

	for (unsigned i = 0; i + 1 < n; i++) {
		uint32_t k = s->edge_of[s->route[i]];

		if (k == NO_ID || s->edge_of[s->route[i + 1]] != (k + 1) % s->w->n)
			continue;
		struct witness_edge *e = &s->w->edge[k];
		if (own) {
			e->own = true;
		} else if (!e->routes++) {
			e->sw = s->p->graph->sw[from];
			e->sw2 = s->p->graph->sw[to];
		}
	}
}

/* Notes the routes of all pairs in the layer before the pair a < b, and those of the pair itself. */
static bool note_pairs(struct lash_show_search *s, uint32_t a, uint32_t b, unsigned layer, struct progress *p)
{
	size_t n = s->p->graph->n;

	progress_start(p, "looking for who holds the cycle", a + 1);
	for (uint32_t i = 0; i <= a; i++) {
		for (uint32_t j = i + 1; j < (i == a ? b : n); j++) {
			if (s->p->first[i * n + j] != layer)
				continue;
			note_route(s, i, j, false);
			note_route(s, j, i, false);
		}
		if (!progress_step(p, i))
			return false;
	}
	note_route(s, a, b, true);
	note_route(s, b, a, true);
	return true;
}

struct witness *lash_find_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				  struct progress *progress)
{
	const struct lash_plan *p = lash_of(r)->plan;
	const struct lash_graph *g = p->graph;
	struct witness *w = NEW(struct witness);
	uint32_t *cycle = NEW_ARRAY(g->n_channels + 1u, uint32_t), sw, sw2, a = NO_ID, b = NO_ID;
	struct lash_show_search s = {p, w, NEW_ARRAY(g->n_channels + 1u, uint32_t),
				     NEW_ARRAY(g->n + 1u, uint32_t)};

	if (lash_ends(r, slid, dlid, &sw, &sw2)) {
		a = MIN(g->id[sw], g->id[sw2]);
		b = MAX(g->id[sw], g->id[sw2]);
	}
	if (b != NO_ID && a != b && layer < p->first[(size_t)a * g->n + b]) {
		AUTO_FREE struct dependency *deps = NEW_ARRAY(2 * (size_t)g->n, struct dependency);
		struct acyclic *x = lash_layer_before(p, layer, a, b, progress);

		w->n = x ? acyclic_cycle(x, deps, lash_pair_dependencies(p, a, b, deps), cycle) : 0;
		acyclic_free(x);
	}
	w->cut = NO_ID;
	w->edge = NEW_ARRAY(w->n + 1, struct witness_edge);
	memset(s.edge_of, 0xff, g->n_channels * sizeof(*s.edge_of));
	for (uint32_t i = 0; i < w->n; i++) {
		w->edge[i] = (struct witness_edge){
			.port = lash_channel_port(g, r->topo->fabric, cycle[i]), .sw = NO_ID, .sw2 = NO_ID};
		s.edge_of[cycle[i]] = i;
	}
	bool done = w->n ? note_pairs(&s, a, b, layer, progress) : !progress_cancelled(progress);
	FREE_EACH(cycle, s.edge_of, s.route);
	if (done)
		return w;
	witness_free(w);
	return NULL;
}

/* --- the mesh -------------------------------------------------------------------------------- */

int32_t lash_coordinate(const struct lash *l, uint32_t sw, unsigned dimension)
{
	const struct lash_mesh *m = l->plan->mesh;
	uint32_t u = l->plan->graph->id[sw];

	if (!m || dimension >= m->dimensions || u == NO_ID)
		return MESH_FAR;
	return m->coord[(size_t)u * m->dimensions + dimension];
}

unsigned lash_axis_of_port(const struct lash *l, uint32_t sw, unsigned port)
{
	const struct lash_mesh *m = l->plan->mesh;
	uint32_t u = l->plan->graph->id[sw];

	if (!m || !m->axis || u == NO_ID)
		return 0;
	uint32_t c = lash_channel_of(l->plan->graph, u, port);
	return c == NO_ID ? 0 : m->axis[c];
}

const struct routing_ops lash_ops = {
	.sl = sl,
	.sl_by_chance = sl_by_chance,
	.sl_by_switch = true,
	.n_layers = lash_show_n_layers,
	.layers_available = lash_show_layers_available,
	.layer = layer,
	.next_route = next_route,
	.pair_layer = lash_show_pair_layer,
	.witness = lash_find_witness,
	.explain_pair = lash_explain_pair,
	.decide_pair = lash_decide_pair,
	.explain_layers = lash_explain_layers,
	.free_priv = lash_free,
};

/* --- a step of a recording ------------------------------------------------------------------- */

/* The analysis at a step, with the final numbers. whole: the complete analysis. */
static struct lash_mesh *mesh_at(const struct walk *w, const struct lash_graph *g,
				 const struct lash_mesh *whole)
{
	struct lash_mesh *m = NEW(struct lash_mesh);
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	unsigned dims = whole->dimensions;
	bool seed = false;

	*m = *whole;
	m->class = NULL;
	m->n_classes = 0;
	m->coord = NULL;
	m->axis = NULL;
	m->type = NEW_ARRAY(g->n, int8_t);
	for (size_t i = 1; i <= walk_step(w); i++) { /* only what the steps so far have recorded */
		const struct rec_event *ev = recording_event(walk_recording(w), i);

		if (ev->kind == REC_MEASURE)
			m->type[g->id[ev->a]] = (int8_t)(ev->rule - 1);
		seed |= ev->kind == REC_AXIS;
	}
	if (!seed) {
		m->dimensions = 0;
		m->seed = NO_ID;
		m->shape = (struct mesh_shape){0};
		m->none = "the analysis is not that far yet";
		if (whole->none && *walk_phase(w) && strcmp(walk_phase(w), MESH_PHASE) != 0)
			m->none = whole->none;
		return m;
	}
	m->axis = NEW_ARRAY(g->n_channels, uint8_t);
	m->coord = NEW_ARRAY((size_t)g->n * dims, int32_t);
	for (uint32_t c = 0; c < g->n_channels; c++)
		m->axis[c] = (uint8_t)walk_value(w, T_AXIS, lash_channel_port(g, f, c));
	for (uint32_t u = 0; u < g->n; u++)
		for (unsigned d = 0; d < dims; d++)
			m->coord[(size_t)u * dims + d] = (int32_t)walk_value(w, T_COORD, g->sw[u] * dims + d);
	mesh_measure_sizes(m, g->n);
	return m;
}

/* Routes and layers at a step; everything else is that of the run. */
static struct lash_plan *plan_at(const struct walk *w, const struct lash_plan *whole)
{
	struct lash_plan *p = NEW(struct lash_plan);
	size_t n = whole->graph->n;

	p->refs = 1;
	p->whole = lash_plan_ref(whole);
	p->collapsed = whole->collapsed;
	p->graph = whole->graph;
	p->before = whole->before;
	p->mesh = whole->mesh ? mesh_at(w, whole->graph, whole->mesh) : NULL;
	memcpy(p->memory, whole->memory, sizeof(p->memory));
	for (size_t i = 0; i < recording_cells(walk_recording(w), T_DEP); i++)
		p->deps += walk_value(w, T_DEP, i) != NO_ID;
	p->out = mem_dup(walk_bytes(w, T_OUT), n * n);
	p->first = mem_dup(walk_bytes(w, T_FIRST), n * n);
	p->need = 1;
	for (size_t i = 0; i < n * n; i++) {
		if (p->first[i] == LASH_NO_LAYER)
			continue;
		p->count[p->first[i]]++;
		p->need = p->first[i] >= p->need ? p->first[i] + 1u : p->need;
	}
	return p;
}

static void *lash_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct lash_plan *whole = recording_kept(r);

	if (!whole) /* refused before there were routes */
		return NULL;
	struct lash *l = NEW(struct lash);
	if (end)
		l->vls = lash_of(end)->vls;
	l->plan = plan_at(w, whole);
	size_t n = l->plan->graph->n;
	l->layer = mem_dup(walk_bytes(w, T_LAYER), n * n);
	for (size_t i = 0; i < n * n; i++)
		if (l->layer[i] != LASH_NO_LAYER)
			l->count[l->layer[i]]++;
	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		l->moved += ev->kind == REC_TURN && !ev->rule;
		l->refused += ev->kind == REC_TURN && ev->rule;
	}
	l->draws = 2 * (l->moved + l->refused);
	l->unwritten = strcmp(walk_phase(w), LASH_TABLES) != 0;
	return l;
}

/* row_at() of struct rec_scheme: until the tables are written, rows follow the trees, by the first of
 * parallel cables. */
static bool lash_row_at(struct walk *w, const void *priv, uint32_t sw, uint8_t *port)
{
	const struct lash *l = priv;
	const struct lash_graph *g = l->plan->graph;
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t u = g->id[sw];

	if (u == NO_ID || !l->unwritten)
		return false;
	for (unsigned lid = 1; lid <= s->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(s->lids, lid), d = ep == NO_ID ? NO_ID : s->topo->endport_switch[ep];

		if (d == NO_ID)
			continue;
		if (d == sw) {
			port[lid] = s->topo->endport_swport[ep];
			continue;
		}
		unsigned link = l->plan->out[(size_t)g->id[d] * g->n + u];
		if (link != LASH_NO_LINK)
			port[lid] = g->port[g->port_at[g->base[u] + link]];
	}
	return true;
}

static struct rec_dependency *lash_dependencies(const struct recording *r, size_t step, uint32_t *n)
{
	const struct lash_plan *p = recording_kept(r);
	const struct lash_graph *g = p ? p->graph : NULL;
	const struct fabric *f = recording_sweep(r)->fabric;
	struct rec_dependency *dep = NULL;
	uint32_t cap = 0, cells = (uint32_t)recording_cells(r, T_DEP);
	struct rec_delta change;

	*n = 0;
	if (!p || !cells)
		return NULL;
	uint32_t *first = lash_number_dependencies(g), all = first[g->n_channels];
	uint32_t *pair = NEW_ARRAY(cells, uint32_t); /* holder of each cell */
	memset(pair, 0xff, cells * sizeof(*pair));
	for (size_t i = 1; i <= step; i++)
		for (uint32_t cursor = 0; recording_next_delta(r, i, &cursor, &change);)
			if (change.table == T_DEP)
				pair[change.at] = change.now;
	for (uint32_t i = 0; i < cells; i++) {
		if (pair[i] == NO_ID)
			continue;
		struct dependency d = lash_dependency_at(g, first, i % all);
		GROW(dep, *n, cap);
		dep[(*n)++] = (struct rec_dependency){.at = i,
						      .pair = pair[i],
						      .from = lash_channel_port(g, f, d.from),
						      .to = lash_channel_port(g, f, d.to),
						      .layer = (uint8_t)(i / all)};
	}
	FREE_EACH(pair, first);
	return dep;
}

const struct rec_scheme lash_scheme = {
	.rule = lash_sentences_rule,
	.source = lash_sentences_source,
	.sentence = lash_sentences_sentence,
	.ops = &lash_ops,
	.priv_at = lash_priv_at,
	.row_at = lash_row_at,
	.cell = lash_sentences_cell,
	.value = lash_sentences_value,
	.dependencies = lash_dependencies,
};
