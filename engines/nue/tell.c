/* Nue explained: choices, steps and layers in words, and the tables that panes show. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/nue/nue.h"
#include "engines/say.h"

/* Nue in words: choices, steps, layers and pairs. */

#define LONGEST_CYCLE 12 /* switches named in a sentence */

/* --- how an entry came about ------------------------------------------------------------------ */

static const char *name(const struct nue_run *x, uint32_t node)
{
	return switch_name(x->in->topo->fabric, x->g->sw[node]);
}

/* The dependency of an offer as packets make it: v[port] -> u[port], and the switch behind that. */
static void add_dependency(const struct nue_run *x, uint32_t v, const struct rec_offer *o, struct text *t)
{
	const struct nue_graph *g = x->g;
	uint32_t k = g->first[v];

	while (g->lport[k] != o->port)
		k++;
	uint32_t into = nue_way_into(x, g->to[k]);
	text_add(t, "%s[%u] -> %s", name(x, v), o->port, name(x, g->to[k]));
	if (into < g->n_channels)
		text_add(t, "[%u] -> %s", g->rport[into], name(x, g->from[into]));
}

/* Returns the short name of the rule, and adds its explanation to t. */
static const char *tell_rule(const struct nue_run *x, const struct nue_cause *c, struct text *t)
{
	const struct rec_offer *o = c->lighter;
	const char *rule = "least weight";

	switch (c->rule) {
	case WHY_OWN_LID:
		text_add(t, "the switch itself");
		return "own port";
	case WHY_ATTACHED:
		text_add(t, "the destination hangs on this port");
		return "own port";
	case WHY_ESCAPE:
		text_add(t,
			 "the search met an impasse, so all switches follow the tree of escape paths around "
			 "%s",
			 name(x, x->nue->layer[x->layer].root));
		rule = "escape path";
		break;
	case WHY_BACKTRACK:
		text_add(t, x->how[c->v] == NUE_BY_BACKTRACKING
				    ? "reached by backtracking only: its neighbour there took another way so "
				      "that this switch can follow"
				    : "backtracking chose this way, so that the search reaches a neighbour");
		rule = "backtracking";
		break;
	case WHY_SHORTCUT:
		text_add(t, "a shortcut that backtracking opened");
		rule = "shortcut";
		break;
	default:
		if (o && o->q[NUE_IS_BLOCKED] == 1) {
			text_add(t,
				 "least weight without closing a cycle; port %u would be lighter by %" PRId64
				 ", but the dependency ",
				 o->port, x->far[c->v] - o->q[NUE_DISTANCE]);
			add_dependency(x, c->v, o, t);
			text_add(t, " is blocked in layer %u", x->layer);
			rule = "least weight without a cycle";
		} else if (o) {
			text_add(t, "least weight; port %u is as light, but was met later", o->port);
			rule = "first of equals";
		} else {
			text_add(t, "least weight");
		}
	}
	if (x->events & NUE_OUTSIDE)
		text_add(t, " (routes to switches keep to no layer)");
	return rule;
}

/* Adds the cycle that an offer's way would close, as packets pass its switches. */
static void nue_sentences_add_cycle(const struct nue_run *x, uint32_t v, const struct rec_offer *o,
				    struct text *t)
{
	const struct nue_graph *g = x->g;
	uint32_t *way = NEW_ARRAY(g->n_channels + 1u, uint32_t), k = g->first[v];

	while (g->lport[k] != o->port)
		k++;
	uint32_t n = nue_way_back(x->d, nue_way_into(x, g->to[k]), g->rev[k], way);
	for (uint32_t i = 0; i < n && i < LONGEST_CYCLE; i++)
		text_add(t, "%s%s", i ? " -> " : "", name(x, g->from[way[n - 1 - i]]));
	if (n > LONGEST_CYCLE)
		text_add(t, " -> ... (%u switches)", n);
	if (!n)
		text_add(t, "%s", name(x, g->to[k]));
	free(way);
}

/* Explains a choice by weight, compared with another offer (NULL: there is none). */
static void decide_weight(const struct nue_run *x, const struct nue_cause *c, const struct rec_offer *o,
			  struct decided *d)
{
	const struct rec_offer *w = c->own;
	enum why_rule rule = nue_rule_of(w, o);
	int64_t far = w->q[NUE_DISTANCE];
	const struct fabric *f = x->in->topo->fabric;
	AUTO_TEXT struct text t = {0}, turn = {0};

	if (!o) {
		decide(d, rule, "Distance %" PRId64 " over %s; no other port offered an open way.", far,
		       PLURAL((uint64_t)w->q[NUE_LINKS], "channel"));
	} else if (o->q[NUE_DISTANCE] == INT64_MIN) {
		decide(d, WHY_SHORTEST, "The way of %s leads over %s itself, so port %u offers none.",
		       f->node_name[f->port_node[o->peer]], name(x, c->v), o->port);
	} else if (rule == WHY_BLOCKED) {
		nue_sentences_add_cycle(x, c->v, o, &t);
		add_dependency(x, c->v, o, &turn);
		decide(d, rule,
		       "Port %u would be %s (%" PRId64 " to %" PRId64
		       "), but the dependency %s would close a cycle in layer %u through %s.",
		       o->port, o->q[NUE_DISTANCE] < far ? "lighter" : "as light", o->q[NUE_DISTANCE], far,
		       text_str(&turn), x->layer, text_str(&t));
	} else if (rule == WHY_TIE && f->port_node[w->peer] == f->port_node[o->peer]) {
		decide(d, rule,
		       "Ports %u and %u lead to the same switch at distance %" PRId64
		       "; the search met port %u first.",
		       w->port, o->port, far, w->port);
	} else if (rule == WHY_TIE) {
		decide(d, rule, "Ports %u and %u have distance %" PRId64 "; %s left the heap first.", w->port,
		       o->port, far, f->node_name[f->port_node[w->peer]]);
	} else if (o->q[NUE_DISTANCE] > far) {
		decide(d, rule, "Distance %" PRId64 " over %s; port %u has %" PRId64 " over %" PRId64 ".",
		       far, PLURAL((uint64_t)w->q[NUE_LINKS], "channel"), o->port, o->q[NUE_DISTANCE],
		       o->q[NUE_LINKS]);
	} else { /* lighter at the end, after backtracking changed the ways behind it */
		decide(d, rule,
		       "Distance %" PRId64 " when the search came by; port %u became lighter (%" PRId64
		       ") by later changes behind it.",
		       far, o->port, o->q[NUE_DISTANCE]);
	}
}

/* Explains an entry. o: the offer to compare with, NULL = none. */
static void decide_entry(const struct nue_run *x, const struct nue_cause *c, const struct rec_offer *o,
			 struct decided *d)
{
	if (c->rule == WHY_ESCAPE)
		decide(d, WHY_ESCAPE,
		       "The search met an impasse, so all switches follow the escape tree around %s in layer "
		       "%u.",
		       name(x, x->nue->layer[x->layer].root), x->layer);
	else if (c->rule == WHY_SHORTCUT)
		decide(d, WHY_SHORTCUT, "Backtracking opened a shorter way to %s: by port %u.", name(x, c->v),
		       c->port);
	else if (c->rule == WHY_BACKTRACK && x->how[c->v] == NUE_BY_BACKTRACKING)
		decide(d, WHY_BACKTRACK,
		       "The search did not reach %s; backtracking gave its neighbour at port %u another way, "
		       "so that "
		       "%s can follow.",
		       name(x, c->v), c->port, name(x, c->v));
	else if (c->rule == WHY_BACKTRACK)
		decide(d, WHY_BACKTRACK,
		       "Backtracking chose port %u, so that the search reaches a neighbour of %s.", c->port,
		       name(x, c->v));
	else if (c->own->q[NUE_DISTANCE] != INT64_MIN)
		decide_weight(x, c, o, d);
}

void nue_tell_choice(const struct nue_run *x, const struct nue_cause *cause)
{
	static const char *const quantity[] = {"hops", "distance", "weight", "blocked"};
	struct rec_choice *c = rec_choice(x->in, x->g->sw[cause->v], cause->lid);

	if (!c)
		return;
	c->target = x->g->sw[cause->src];
	c->port = cause->port;
	c->quantity = quantity;
	c->n_quantities = ARRAY_LEN(quantity);
	c->rule = tell_rule(x, cause, &c->text);
	for (unsigned i = 0; i < cause->n_offers; i++) {
		const struct rec_offer *o = &cause->offer[i];

		*rec_offer(c, o->port, o->peer) = *o;
		if (o->port == c->via && o != cause->own)
			decide_entry(x, cause, o, &c->against);
	}
	if (!decide_common(x->in->topo, x->in->lids, c->sw, cause->lid, c->port, &c->decided) &&
	    cause->v != cause->src)
		decide_entry(x, cause, cause->lighter ? cause->lighter : cause->next, &c->decided);
	rec_chosen(x->in, c);
}

/* --- dependencies as cells --------------------------------------------------------------------- */

/* A dependency as packets make it: "turn t11 -> t01 -> t00 in layer 0". */
static bool nue_sentences_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct nue *n = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	uint32_t c = 0, v = 0;

	if (t != T_COLOUR || !n)
		return false;
	const struct nue_graph *g = n->graph;
	uint32_t e = at % n->n_edges;
	/* dependencies of channels come first, then those of fake channels */
	for (; c < g->n_channels + g->n; c++) {
		v = c < g->n_channels ? g->to[c] : c - g->n_channels;
		if (e < nue_degree(g, v))
			break;
		e -= nue_degree(g, v);
	}
	e += g->first[v];
	text_add(out, "%s[%u] -> %s", switch_name(f, g->sw[g->to[e]]), g->rport[e], switch_name(f, g->sw[v]));
	if (c < g->n_channels)
		text_add(out, "[%u] -> %s", g->rport[c], switch_name(f, g->sw[g->from[c]]));
	else
		text_add(out, " -> a host");
	text_add(out, " in layer %u", at / n->n_edges);
	return true;
}

/* --- steps -------------------------------------------------------------------------------------- */

static const struct nue *nue(const struct saying *y)
{
	return y->kept;
}

/* The switch at the other end of the event's port. */
static const char *peer_of(const struct saying *y)
{
	uint32_t peer = say_behind(y, y->ev->a, y->ev->port);

	return peer == NO_ID ? "nobody" : say_name(y, peer);
}

/* The layer of the current LID. */
static unsigned layer_of(const struct saying *y)
{
	for (size_t i = walk_step(y->w); i; i--)
		if (recording_event(y->r, i)->kind == REC_TARGET)
			return recording_event(y->r, i)->port;
	return 0;
}

/* Tells the cycle that begins at word `from`, and its holders. */
static void nue_say_cycle(const struct saying *y, uint32_t from)
{
	const struct fabric *f = y->f;
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
	text_add(y->t, "%s is in the hull of layer %u: ", say_name(y, y->ev->a), y->ev->b);
	if (y->n_extra < 2)
		text_add(y->t, "it has destinations of the layer");
	else
		text_add(y->t, "it lies on a shortest path between %s and %s", say_name(y, y->extra[1]),
			 say_name(y, y->extra[0]));
}

static void say_centre(const struct saying *y)
{
	const struct nue_layer *l = &nue(y)->layer[y->ev->b];

	text_add(y->t, "%s is the central switch of layer %u: betweenness %.6g, the highest of %s",
		 say_name(y, y->ev->a), y->ev->b, l->betweenness[nue(y)->graph->node[y->ev->a]],
		 PLURAL(l->n_hull, "switch"));
}

static uint32_t nue_sentences_changes(const struct saying *y, enum rec_table table, uint32_t now)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d))
		n += d.table == table && d.now == now;
	return n;
}

static void say_escape(const struct saying *y)
{
	uint32_t kept = nue_sentences_changes(y, T_COLOUR, USE_ESCAPE);

	if (y->ev->port)
		text_add(y->t, "escape path of %s: port %u to %s", say_name(y, y->ev->a), y->ev->port,
			 peer_of(y));
	else
		text_add(y->t, "escape paths of layer %u meet at %s", y->ev->b, say_name(y, y->ev->a));
	if (kept)
		text_add(y->t, "; %s more kept for escape paths", PLURAL(kept, "dependency"));
}

static void nue_say_target(const struct saying *y)
{
	say_lid(y, y->ev->b);
	text_add(y->t, " on %s: ", say_name(y, y->ev->a));
	if (y->ev->port == NUE_OUTSIDE_LAYERS)
		text_add(y->t, "a switch, routed after the layers");
	else
		text_add(y->t, "a search from there, in layer %u", y->ev->port);
}

static void say_reach(const struct saying *y)
{
	struct rec_delta d = {.was = NO_ID};

	say_change(y, T_DIST, &d);
	text_add(y->t, "%s is reached over %s, so it sends by port %u: distance %u", say_name(y, y->ev->a),
		 peer_of(y), y->ev->port, walk_value(y->w, T_DIST, y->ev->a));
	if (d.was != NO_ID)
		text_add(y->t, ", shorter than %u before", d.was);
}

static void say_look(const struct saying *y)
{
	text_add(y->t, "%s over %s, port %u: ", say_name(y, y->ev->a), peer_of(y), y->ev->port);
	if (y->ev->rule == LOOK_BLOCKED)
		text_add(y->t,
			 "distance %u, but the dependency of %s[%u] -> %s on the channel by which %s goes on "
			 "was "
			 "blocked before in layer %u",
			 y->extra[0], say_name(y, y->ev->a), y->ev->port, peer_of(y), peer_of(y),
			 layer_of(y));
	else
		text_add(y->t, "distance %u, no shorter than %u", y->extra[0],
			 walk_value(y->w, T_DIST, y->ev->a));
}

static void say_block(const struct saying *y)
{
	struct rec_delta d = {0};

	say_change(y, T_COLOUR, &d);
	text_add(y->t, "%s over %s, port %u: the dependency ", say_name(y, y->ev->a), peer_of(y),
		 y->ev->port);
	nue_sentences_cell(walk_recording(y->w), T_COLOUR, d.at, y->t);
	text_add(y->t, " is blocked: packets would close");
	nue_say_cycle(y, 0);
}

static void say_merge(const struct saying *y)
{
	text_add(y->t,
		 "%s over %s, port %u, joins two subgraphs, of colours %u and %u, so it closes no cycle",
		 say_name(y, y->ev->a), peer_of(y), y->ev->port, y->extra[0], y->extra[1]);
}

static void say_backtrack(const struct saying *y)
{
	const char *u = say_name(y, y->ev->a), *a = say_name(y, y->extra[0]), *q = say_name(y, y->extra[1]);

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
		nue_say_cycle(y, 4);
	}
}

static void say_shortcut(const struct saying *y)
{
	if (y->ev->rule == SHORTCUT_TAKEN)
		text_add(y->t, "shortcut: %s is reached over %s by port %u, no longer over %s: distance %u",
			 say_name(y, y->ev->a), peer_of(y), y->ev->port, say_name(y, y->extra[0]),
			 walk_value(y->w, T_DIST, y->ev->a));
	else
		text_add(y->t,
			 "no shortcut: %s could be reached over %s instead of %s, but %s, which is reached "
			 "over it, could not follow: blocked",
			 say_name(y, y->ev->a), peer_of(y), say_name(y, y->extra[0]),
			 say_name(y, y->extra[1]));
}

static void say_fallback(const struct saying *y)
{
	const struct nue_layer *l = &nue(y)->layer[layer_of(y)];

	say_lid(y, y->ev->b);
	text_add(y->t, ": an impasse, %s cannot be reached; all follow the escape paths around %s",
		 PLURAL(y->extra[0], "switch"), say_name(y, nue(y)->graph->sw[l->root]));
}

static void say_recolour(const struct saying *y)
{
	say_lid(y, y->ev->b);
	text_add(y->t, ": the search is over; %s in use for it from now on, %u given back",
		 PLURAL(nue_sentences_changes(y, T_COLOUR, USE_KEPT), "dependency"),
		 nue_sentences_changes(y, T_COLOUR, USE_NONE));
}

/* Tells the channels that gained weight, and the one that gained most. */
static void say_routed(const struct saying *y)
{
	uint32_t cursor = 0, n = 0, port = NO_ID, most = 0;
	struct rec_delta d;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d)) {
		if (d.table != T_WEIGHT)
			continue;
		n++;
		if (d.now - d.was > most) {
			most = d.now - d.was;
			port = d.at;
		}
	}
	say_lid(y, y->ev->b);
	text_add(y->t, " is routed: the weight of %s grows", PLURAL(n, "channel"));
	if (port == NO_ID)
		return;
	text_add(y->t, ", ");
	say_port(y, port);
	text_add(y->t, " most: +%u", most);
}

static void say_layer(const struct saying *y)
{
	const struct nue_layer *l = &nue(y)->layer[y->ev->b];

	text_add(y->t,
		 "layer %u is done: %" PRIu64 " of %" PRIu64 " dependencies in use, %u would close a cycle",
		 y->ev->b, l->used, l->edges, l->n_blocked);
}

static void nue_say_choice(const struct saying *y)
{
	say_entry(y, why_rule_name(y->ev->rule));
}

static void nue_say_tree(const struct saying *y)
{
	text_add(y->t, "shortest paths by weight to %s, whatever dependencies they make: %s reached",
		 say_name(y, y->ev->a), PLURAL(nue(y)->graph->n - 1, "switch"));
}

static void (*const say[REC_KINDS])(const struct saying *) = {
	[REC_HULL] = say_hull,	       [REC_CENTRE] = say_centre,     [REC_ESCAPE] = say_escape,
	[REC_TARGET] = nue_say_target, [REC_REACH] = say_reach,	      [REC_LOOK] = say_look,
	[REC_BLOCK] = say_block,       [REC_MERGE] = say_merge,	      [REC_BACKTRACK] = say_backtrack,
	[REC_SHORTCUT] = say_shortcut, [REC_FALLBACK] = say_fallback, [REC_RECOLOUR] = say_recolour,
	[REC_ROUTED] = say_routed,     [REC_LAYER] = say_layer,	      [REC_CHOICE] = nue_say_choice,
	[REC_TREE] = nue_say_tree,
};

static void nue_sentences_sentence(struct walk *w, struct text *t)
{
	const struct saying y = saying_of(w, t);

	if (say[y.ev->kind])
		say[y.ev->kind](&y);
}

static const char *nue_sentences_rule(const struct rec_event *ev)
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

static const char *nue_sentences_source(const struct rec_event *ev)
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

/* --- cells ------------------------------------------------------------------------------------- */

static bool nue_sentences_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t use,
				struct text *out)
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

/* --- in words ---------------------------------------------------------------------------------------- */

static void nue_tell_layer(const struct routing *r, const struct nue *n, unsigned v, struct text *t)
{
	const struct nue_layer *l = &n->layer[v];

	assert(v < n->vls.layers);
	if (l->root == NO_ID) {
		text_add(t, "Layer %u: no destination%s.\n", v, n->whole && l->n_lids ? " yet" : "");
		return;
	}
	text_add(t, "Layer %u: ", v);
	if (n->whole) { /* a step: the destinations so far */
		unsigned routed = 0;

		for (uint32_t i = 0; i < l->n_lids; i++)
			routed += n->sl_of[l->lid[i]] != NUE_NO_LAYER;
		text_add(t, "%u of ", routed);
	}
	text_add(t,
		 "%u destinations%s; %u of %u switches in the hull, central switch %s; %u channels and %u "
		 "dependencies kept for escape paths; %s %" PRIu64 " of %" PRIu64
		 " dependencies in use, %u would close a cycle.\n",
		 l->n_lids, n->whole ? " routed" : "", l->n_hull, n->graph->n,
		 switch_name(r->topo->fabric, n->graph->sw[l->root]), l->escape_channels, l->escape_edges,
		 n->whole ? "so far" : "in the end", l->used, l->edges, l->n_blocked);
	if (l->backtracked || l->fallbacks)
		text_add(t,
			 "  %u LIDs needed backtracking, %u of them took shortcuts; %u follow the escape "
			 "paths altogether.\n",
			 l->backtracked, l->shortcuts, l->fallbacks);
	if (l->unrecorded)
		text_add(t, "  Routes make %u dependencies that OpenSM has no record of%s.\n", l->unrecorded,
			 l->loop ? ", and they have a CREDIT LOOP" : "; they have no credit loop");
}

static void nue_explain_layers(const struct routing *r, struct text *t)
{
	const struct nue *n = nue_of(r);
	char limit[300] = "no port counts";

	if (n->vls.port != NO_ID)
		port_label(r->topo->fabric, n->vls.port, limit, sizeof(limit));
	text_add(t, "%u layer%s: the ports support %u (%s), nue_max_num_vls is %u%s.\n", n->vls.layers,
		 n->vls.layers == 1 ? "" : "s", n->vls.supported, limit, n->vls.asked,
		 n->vls.qos || n->vls.supported == 1 || n->vls.asked == 1 ? "" : ", but qos is off");
	for (unsigned v = 0; v < n->vls.layers; v++)
		nue_tell_layer(r, n, v, t);
	if (!n->include_switches)
		text_add(t, "Routes to switches themselves keep to no layer (nue_include_switches FALSE): "
			    "they are shortest paths by weight, on SL 0.\n");
}

/* The place of a base LID among those of a layer. */
static unsigned number_in(const struct nue_layer *l, unsigned base)
{
	unsigned i = 0;

	while (i < l->n_lids && l->lid[i] != base)
		i++;
	return i;
}

/* At a step of a recording: will the run route this LID later? */
static bool nue_not_yet(const struct nue *n, unsigned lid)
{
	return n->whole && lid <= n->max_lid && n->whole->event[lid] && !n->event[lid];
}

static void nue_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			     struct progress *p)
{
	const struct nue *n = nue_of(r);
	uint32_t src = lid_owner(r->lids, slid), dst = lid_owner(r->lids, dlid);
	unsigned layer = nue_layer_of(n, dlid);

	(void)p;
	if (nue_not_yet(n, dlid)) {
		text_add(t, "LID %u is not routed yet at this step.\n", dlid);
		return;
	}
	if (layer == NUE_NO_LAYER || src == NO_ID || dst == NO_ID) {
		text_add(t, "Nue gives LID %u no route: it is no CA and no switch.\n", dlid);
		return;
	}
	unsigned base = r->lids->base[dst], number = number_in(&n->layer[layer], base);
	if (n->event[dlid] & NUE_OUTSIDE)
		text_add(t, "LID %u is a switch: routed after the layers, on SL 0.\n", dlid);
	else if (n->vls.layers == 1)
		text_add(t, "There is one layer, for all destinations; LID %u is its destination %u.\n", base,
			 number + 1);
	else
		text_add(t,
			 "Destinations are dealt to %u layers in turn, in order of port GUIDs; LID %u is "
			 "number %u of all, so layer %u.  The source plays no part.\n",
			 n->vls.layers, base, number * n->vls.layers + layer + 1, layer);
	if (n->event[dlid] & NUE_FALLBACK)
		text_add(t, "The search met an impasse: all switches follow the escape paths to it.\n");
	else if (n->event[dlid] & NUE_BACKTRACKED)
		text_add(t, "Some switches were only reached by backtracking%s.\n",
			 n->event[dlid] & NUE_SHORTCUT ? ", which opened shortcuts to others" : "");
	uint32_t from = r->topo->endport_switch[src];
	AUTO_FREE struct nue_detour *list = NEW_ARRAY(r->topo->fabric->n_switches, struct nue_detour);
	for (uint32_t i = 0, n_detours = from == NO_ID ? 0 : nue_detours(r, dlid, list); i < n_detours; i++)
		if (list[i].sw == from)
			text_add(t, "From %s it is a detour of %u hops: %u would do, %s.\n",
				 switch_name(r->topo->fabric, from), list[i].links, list[i].least,
				 list[i].open ? "by ways that nothing restricts, but weights led elsewhere"
					      : "but each such way makes a turn that the layer restricts");
}

static void nue_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct nue *n = nue_of(r);
	unsigned layer = nue_layer_of(n, dlid);
	uint32_t dst = lid_owner(r->lids, dlid);

	(void)slid;
	if (layer == NUE_NO_LAYER || dst == NO_ID)
		return;
	if (n->event[dlid] & NUE_OUTSIDE) {
		decide(d, WHY_LAYER, "LID %u is a switch: routed after the layers, on SL 0.", dlid);
		return;
	}
	decide(d, WHY_LAYER, "LID %u is destination %u of all; dealt to %s in turn it is in layer %u.", dlid,
	       number_in(&n->layer[layer], r->lids->base[dst]) * n->vls.layers + layer + 1,
	       PLURAL(n->vls.layers, "layer"), layer);
}

/* Nue's tables for panes: layers, weights, detours, and all of them at a step. */

const struct nue *nue_of(const struct routing *r)
{
	r = routing_origin(r);
	return r->ops == &nue_ops ? r->priv : NULL;
}

unsigned nue_layers(const struct nue *n)
{
	return n->vls.layers;
}

unsigned nue_layer_of(const struct nue *n, unsigned lid)
{
	return lid <= n->max_lid ? n->sl_of[lid] : NUE_NO_LAYER;
}

unsigned nue_events_of(const struct nue *n, unsigned lid)
{
	return lid <= n->max_lid ? n->event[lid] : 0;
}

static const struct nue_layer *filled(const struct nue *n, unsigned layer)
{
	return layer < n->vls.layers && n->layer[layer].root != NO_ID ? &n->layer[layer] : NULL;
}

uint32_t nue_central_switch(const struct nue *n, unsigned layer)
{
	const struct nue_layer *l = filled(n, layer);

	return l ? n->graph->sw[l->root] : NO_ID;
}

bool nue_in_hull(const struct nue *n, unsigned layer, uint32_t sw)
{
	uint32_t u = n->graph->node[sw];

	/* at a step of a recording, the hull comes before the central switch */
	return layer < n->vls.layers && n->layer[layer].hull && u != NO_ID && n->layer[layer].hull[u];
}

double nue_betweenness(const struct nue *n, unsigned layer, uint32_t sw)
{
	return filled(n, layer) && nue_in_hull(n, layer, sw) ? n->layer[layer].betweenness[n->graph->node[sw]]
							     : 0;
}

unsigned nue_escape_port(const struct nue *n, unsigned layer, uint32_t sw)
{
	const struct nue_layer *l = filled(n, layer);
	uint32_t u = n->graph->node[sw];

	if (!l || u == NO_ID)
		return NO_PATH;
	if (u == l->root)
		return 0;
	return l->escape[u] == NO_ID ? NO_PATH : n->graph->rport[l->escape[u]];
}

uint32_t nue_escape_depth(const struct nue *n, unsigned layer, uint32_t sw)
{
	const struct nue_layer *l = filled(n, layer);
	uint32_t u = n->graph->node[sw], depth = 0;

	if (!l || u == NO_ID)
		return NO_ID;
	for (; u != l->root; depth++) {
		if (l->escape[u] == NO_ID)
			return NO_ID;
		u = n->graph->from[l->escape[u]];
	}
	return depth;
}

uint32_t nue_restrictions(const struct nue *n, unsigned layer)
{
	const struct nue_layer *l = filled(n, layer);

	return l ? l->n_blocked : 0;
}

struct nue_turn nue_restriction(const struct nue *n, unsigned layer, uint32_t i)
{
	assert(layer < n->vls.layers && i < n->layer[layer].n_blocked);
	return n->layer[layer].blocked[i];
}

uint16_t *nue_destinations(const struct routing *r, uint32_t *n)
{
	const struct nue *nue = nue_of(r);
	const struct fabric *f = r->topo->fabric;
	uint16_t *lid = NEW_ARRAY(nue->max_lid + 1u, uint16_t);

	*n = 0;
	for (unsigned v = 0; v < nue->vls.layers; v++)
		for (uint32_t i = 0; i < nue->layer[v].n_lids; i++) {
			unsigned base = nue->layer[v].lid[i],
				 count = r->lids->count[lid_owner(r->lids, base)];

			for (unsigned k = 0; k < count; k++)
				if (nue->event[base + k]) /* 0 at a step of a recording before it is routed */
					lid[(*n)++] = base + k;
		}
	for (uint32_t u = 0; u < nue->graph->n; u++) {
		unsigned own = r->lids->base[f->port_endport[f->switch_port[nue->graph->sw[u]]]];

		if (own && nue->event[own] & NUE_OUTSIDE)
			lid[(*n)++] = own;
	}
	return lid;
}

bool nue_add_routes(const struct routing *r, struct lids_part lids, uint32_t *growth, struct progress *p)
{
	const struct nue_graph *g = nue_of(r)->graph;
	AUTO_FREE uint32_t *own = NEW_ARRAY(r->topo->fabric->n_switches, uint32_t);

	for (uint32_t u = 0; u < g->n; u++)
		own[g->sw[u]] = g->terminals[u];
	return tree_routes_add(r, own, lids, growth, p);
}

/* --- detours -------------------------------------------------------------------------------------- */

/* Links from every switch to `to`: in least[] the fewest, in links[] by a LID's tables. NO_ID: none. */
static void measure_ways(const struct routing *r, uint32_t to, unsigned lid, uint32_t *least, uint32_t *links,
			 uint32_t *queue)
{
	const struct nue_graph *g = nue_of(r)->graph;
	uint32_t n;

	nue_hops_from(g, to, least, queue);
	memset(links, 0xff, g->n * sizeof(*links));
	links[to] = 0;
	for (n = 0, queue[n++] = to; n;) {
		uint32_t u = queue[--n];

		for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++) {
			uint32_t v = g->to[c];

			if (links[v] != NO_ID || routing_port(r, g->sw[v], lid) != g->rport[c])
				continue;
			links[v] = links[u] + 1;
			queue[n++] = v;
		}
	}
}

/* Sets open[] (zeroed before) for nodes with a way of the fewest links to `to` without a restricted turn. */
static void find_open(const struct nue_graph *g, const struct nue_layer *l, uint32_t to,
		      const uint32_t *least, bool *open)
{
	/*
	 * first[c]: first restriction on turns by which packets leave into channel c (l->blocked is sorted by
	 * c)
	 */
	uint32_t *first = NEW_ARRAY(g->n_channels + 1u, uint32_t), k = 0, n = 0;
	uint32_t *stack = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	bool *seen = NEW_ARRAY(g->n_channels + 1u, bool);

	for (uint32_t c = 0; c < g->n_channels; c++) {
		first[c] = k;
		while (k < l->n_blocked && l->blocked[k].sw == g->sw[g->to[c]] &&
		       l->blocked[k].out == g->rport[c])
			k++;
	}
	first[g->n_channels] = k;
	for (uint32_t c = g->first[to]; c < g->first[to + 1]; c++)
		stack[n++] = c;
	while (n) {
		uint32_t c = stack[--n], v = g->to[c];

		open[v] = true;
		for (uint32_t y = g->first[v]; y < g->first[v + 1]; y++) {
			bool free_turn = !seen[y] && least[g->to[y]] == least[v] + 1;

			for (uint32_t i = first[c]; i < first[c + 1] && free_turn; i++)
				free_turn = l->blocked[i].in != g->lport[y];
			if (!free_turn)
				continue;
			seen[y] = true;
			stack[n++] = y;
		}
	}
	FREE_EACH(first, stack, seen);
}

uint32_t nue_detours(const struct routing *r, unsigned lid, struct nue_detour *list)
{
	const struct nue *nue = nue_of(r);
	const struct nue_graph *g = nue->graph;
	uint32_t to = nue_node_of(g, r->topo, lid_owner(r->lids, lid)), n = 0;
	bool outside = nue_events_of(nue, lid) & NUE_OUTSIDE;

	if (to == NO_ID)
		return 0;
	bool *open = NEW_ARRAY(g->n, bool);
	uint32_t *room = NEW_ARRAY(3 * (size_t)g->n, uint32_t), *least = room + g->n, *links = least + g->n;
	measure_ways(r, to, lid, least, links, room);
	if (!outside && nue_layer_of(nue, lid) != NUE_NO_LAYER)
		find_open(g, &nue->layer[nue_layer_of(nue, lid)], to, least, open);
	for (uint32_t u = 0; u < g->n; u++)
		if (links[u] != NO_ID && links[u] > least[u])
			list[n++] = (struct nue_detour){g->sw[u], links[u], least[u], outside || open[u]};
	FREE_EACH(room, open);
	return n;
}

/* --- layers, in the form common to all engines ------------------------------------------------- */

/* Was the LID routed within this layer? */
static bool is_in(const struct nue *n, unsigned lid, unsigned layer)
{
	return n->sl_of[lid] == layer && n->event[lid] && !(n->event[lid] & NUE_OUTSIDE);
}

static void nue_layer_info(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct nue *n = nue_of(r);

	assert(layer < n->vls.layers);
	*info = (struct layer_info){.vl = layer, .lanes = 1, .unit = LAYER_LIDS};
	for (unsigned lid = 1; lid <= n->max_lid; lid++)
		info->pairs += is_in(n, lid, layer);
	info->pairs_first = info->pairs;
}

static bool nue_next_route(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr)
{
	const struct nue *n = nue_of(r);

	for (*cursor += !*cursor; *cursor <= n->max_lid; ++*cursor) {
		if (!is_in(n, (unsigned)*cursor, layer))
			continue;
		*lr = (struct layer_route){NO_ID, NO_ID, (uint16_t)*cursor};
		++*cursor;
		return true;
	}
	return false;
}

static bool nue_pair_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l)
{
	const struct nue *n = nue_of(r);

	(void)slid; /* a LID has one layer for all sources */
	if (nue_layer_of(n, dlid) == NUE_NO_LAYER || nue_events_of(n, dlid) & NUE_OUTSIDE)
		return false;
	l->first = l->now = nue_layer_of(n, dlid);
	return true;
}

/* --- service levels (engines/doc/nue.md 15) ---------------------------------------------------- */

static struct sl_range nue_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct nue *n = r->priv;
	unsigned sl = nue_layer_of(n, dlid);

	(void)slid;
	if (n->vls.layers > 1 && nue_not_yet(n, dlid)) /* at a step of a recording */
		return (struct sl_range){1, 0};
	if (n->vls.layers == 1 || sl == NUE_NO_LAYER)
		sl = 0;
	return (struct sl_range){sl, sl};
}

static unsigned nue_n_layers(const struct routing *r)
{
	return nue_layers(r->priv);
}

static unsigned nue_show_layers_available(const struct routing *r)
{
	return ((const struct nue *)r->priv)->vls.supported;
}

/* With one layer every path keeps the SL that it is asked with. */
static unsigned keeps_sl(const struct routing *r)
{
	return nue_n_layers(r) <= 1 ? 15 : 0;
}

const struct routing_ops nue_ops = {
	.sl = nue_sl,
	.sl_by_source = true,
	.sl_from_qos = keeps_sl,
	.n_layers = nue_n_layers,
	.layers_available = nue_show_layers_available,
	.layer = nue_layer_info,
	.next_route = nue_next_route,
	.pair_layer = nue_pair_layer,
	.explain_pair = nue_explain_pair,
	.decide_pair = nue_decide_pair,
	.explain_layers = nue_explain_layers,
	.free_priv = nue_let_go,
};

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* Applies one event. *layer: the current layer. */
static void nue_show_replay(struct nue *n, const struct recording *r, size_t step, unsigned *layer)
{
	const struct rec_event *ev = recording_event(r, step);
	uint32_t u = NO_ID;
	const uint32_t *extra;

	if (rec_kinds[ev->kind].b == FIELD_LAYER)
		*layer = ev->b;
	if (rec_kinds[ev->kind].a == FIELD_SWITCH)
		u = n->graph->node[ev->a];
	const struct nue_layer *whole = &n->whole->layer[*layer];
	struct nue_layer *l = &n->layer[*layer];
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
		n->event[ev->b] = extra[0];
		n->sl_of[ev->b] = extra[0] & NUE_OUTSIDE ? 0 : *layer;
		if (extra[0] & NUE_OUTSIDE)
			break;
		l->backtracked += (extra[0] & NUE_BACKTRACKED) != 0;
		l->shortcuts += (extra[0] & NUE_SHORTCUT) != 0;
		l->fallbacks += (extra[0] & NUE_FALLBACK) != 0;
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

/* Counts dependencies in use, and lists restrictions as keep_results() does. */
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

static void *nue_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct nue *whole = recording_kept(r);
	const uint32_t *grown = walk_words(w, T_WEIGHT);
	const struct fabric *f = recording_sweep(r)->fabric;
	struct nue *n;
	unsigned layer = 0;

	(void)end;
	if (!whole) /* refused before a run began */
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
	for (unsigned v = 0; v < n->vls.layers; v++) { /* what the whole run knows from the start */
		const struct nue_layer *l = &whole->layer[v];
		uint32_t *escape = NEW_ARRAY(n->graph->n + 1u, uint32_t);

		memset(escape, 0xff, n->graph->n * sizeof(*escape));
		n->layer[v] = (struct nue_layer){.n_lids = l->n_lids,
						 .lid = l->lid,
						 .root = NO_ID,
						 .betweenness = l->betweenness,
						 .edges = l->edges,
						 .hull = NEW_ARRAY(n->graph->n + 1u, uint8_t),
						 .escape = escape};
	}
	for (size_t i = 1; i <= walk_step(w); i++)
		nue_show_replay(n, r, i, &layer);
	for (unsigned v = 0; v < n->vls.layers; v++)
		count_uses(n, &n->layer[v], walk_bytes(w, T_COLOUR) + (size_t)v * n->n_edges);
	return n;
}

const struct rec_scheme nue_scheme = {
	.rule = nue_sentences_rule,
	.source = nue_sentences_source,
	.sentence = nue_sentences_sentence,
	.ops = &nue_ops,
	.priv_at = nue_priv_at,
	.cell = nue_sentences_cell,
	.value = nue_sentences_value,
};
