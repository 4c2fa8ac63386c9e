/* SSSP and DFSSSP explained: choices, steps and pairs in words, and the tables that panes show. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/dfsssp/dfsssp.h"
#include "engines/say.h"

/* SSSP and DFSSSP in words: choices, steps, layers and pairs. */

#define MOST_NAMED 12 /* channels of a cycle that are named */

/* --- how an entry came about ------------------------------------------------------------------ */

/* Returns the short name of the rule. *text: its explanation. */
static const char *name_rule(const struct ds_cause *c, const char **text)
{
	*text = "";
	if (c->rule == WHY_ATTACHED || c->rule == WHY_OWN_LID)
		return c->rule == WHY_ATTACHED ? "attached here" : "own port";
	if (c->rule == WHY_TOO_FAR) {
		*text = "no distance below 2^31: OpenSM takes this for unreachable";
		return "too far";
	}
	if (c->n_offers == 1)
		return "only way";
	if (c->tie) {
		*text = "several ways have this distance: the search came by this one first";
		return "first of equals";
	}
	if (c->beside) {
		*text = "parallel cables of equal weight: the one with the lowest port number at the other "
			"end";
		return "lowest far port";
	}
	*text = "the least distance: the sum of the weights of the channels on the way";
	return "least distance";
}

/* Tells what makes up a distance: "8204 = 2 x 4096 + 12". */
static void add_distance(uint64_t dist, uint64_t hops, uint64_t start, struct text *t)
{
	text_add(t, "%" PRIu64, dist);
	if (hops && dist >= hops * start)
		text_add(t, " = %" PRIu64 " x %" PRIu64 " + %" PRIu64, hops, start, dist - hops * start);
}

/* Explains the own way against others: near has least distance, few has fewest hops; NULL: none. */
static void decide_way(const struct ds_run *x, const struct rec_offer *own, const struct rec_offer *near,
		       const struct rec_offer *few, struct decided *d)
{
	const struct fabric *f = x->in->topo->fabric;
	enum why_rule rule = ds_rule_of(own, near, few);
	AUTO_TEXT struct text t = {0};

	add_distance((uint64_t)own->q[DS_DISTANCE], (uint64_t)own->q[DS_HOPS], x->d->graph->start, &t);
	if (!near)
		decide(d, rule, "Distance %s; no other port offers a way.", text_str(&t));
	else if (rule == WHY_TIE && f->port_node[own->peer] == f->port_node[near->peer])
		decide(d, rule,
		       "Ports %u and %u lead to the same switch at distance %" PRId64
		       "; the lower port number at its end is taken.",
		       own->port, near->port, own->q[DS_DISTANCE]);
	else if (rule == WHY_TIE)
		decide(d, rule, "Ports %u and %u have distance %" PRId64 "; %s left the heap first.",
		       own->port, near->port, own->q[DS_DISTANCE], f->node_name[f->port_node[own->peer]]);
	else if (rule == WHY_LIGHTER)
		decide(d, rule,
		       "Distance %s; port %u has %" PRId64 " fewer channels on the way, but distance %" PRId64
		       ".",
		       text_str(&t), few->port, own->q[DS_HOPS] - few->q[DS_HOPS], few->q[DS_DISTANCE]);
	else
		decide(d, rule, "Distance %s; port %u has %" PRId64 ".", text_str(&t), near->port,
		       near->q[DS_DISTANCE]);
}

void ds_tell_choice(const struct ds_run *x, const struct ds_cause *cause)
{
	static const char *const quantity[] = {"distance", "weight", "hops", "heap order"};
	const uint32_t *sw = x->d->graph->sw;
	const struct fabric *f = x->in->topo->fabric;
	struct rec_choice *c = rec_choice(x->in, sw[cause->v], cause->lid);
	const char *text;

	if (!c)
		return;
	c->target = sw[cause->from.v];
	c->port = cause->port;
	c->quantity = quantity;
	c->n_quantities = ARRAY_LEN(quantity);
	c->rule = name_rule(cause, &text);
	text_add(&c->text, "%s", text);
	for (unsigned i = 0; i < cause->n_offers; i++) {
		const struct rec_offer *o = &cause->offer[i];

		*rec_offer(c, o->port, o->peer) = *o;
		if (o->port != c->via || !cause->own || o == cause->own)
			continue;
		if (o->q[DS_DISTANCE] != INT64_MIN)
			decide_way(x, cause->own, o, o, &c->against);
		else
			decide(&c->against, WHY_SHORTEST,
			       "The way of %s leads over %s itself, so port %u offers none.",
			       f->node_name[f->port_node[o->peer]], switch_name(f, c->sw), o->port);
	}
	if (decide_common(x->in->topo, x->in->lids, c->sw, cause->lid, c->port, &c->decided))
		; /* as in all engines */
	else if (c->port == NO_PATH)
		decide(&c->decided, WHY_TOO_FAR,
		       "No way is nearer than 2^31, which OpenSM takes for unreachable.");
	else if (cause->own)
		decide_way(x, cause->own, cause->near, cause->few, &c->decided);
	rec_chosen(x->in, c);
}

/* The number of a cut among those of its layer, from 1. */
static uint32_t dfsssp_sentences_number_of(const struct ds_layers *l, uint32_t cut)
{
	uint32_t first = cut;

	assert(cut < l->n_cuts);
	while (first && l->cut[first - 1].layer == l->cut[cut].layer)
		first--;
	return cut - first + 1;
}

/* --- steps ------------------------------------------------------------------------------------- */

static const struct ds_kept *dfsssp_sentences_kept(const struct saying *y)
{
	return y->kept;
}

/* --- the search ------------------------------------------------------------------------------------- */

static void say_trial(const struct saying *y)
{
	uint32_t n = y->n_extra ? y->extra[0] : 0;

	text_add(y->t, "trial from the subnet manager, ");
	say_lid(y, y->ev->b);
	text_add(y->t, " on %s: %u of %s reached", say_name(y, y->ev->a), n,
		 PLURAL(dfsssp_sentences_kept(y)->graph->n, "switch"));
}

static void dfsssp_say_target(const struct saying *y)
{
	static const char *const phase[] = {"compute node", "I/O node", "host", "switch"};
	const struct ds_order *o = &dfsssp_sentences_kept(y)->order;
	uint32_t ep = lid_owner(y->s->lids, y->ev->b), i = 0;

	static_assert(ARRAY_LEN(phase) == DS_SWITCH + 1, "each phase has a word");
	while (i + 1 < o->n && o->endport[i] != ep)
		i++;
	say_lid(y, y->ev->b);
	text_add(y->t, " on %s: destination %u of %u, a%s %s", say_name(y, y->ev->a), i + 1, o->n,
		 o->phase[i] == DS_IO ? "n" : "", phase[o->phase[i]]);
}

static void say_relax(const struct saying *y)
{
	struct rec_delta d;

	if (!say_change(y, T_DIST, &d))
		return;
	text_add(y->t, "%s is %u away by port %u to %s", say_name(y, y->ev->a), d.now, y->ev->port,
		 say_name(y, say_behind(y, y->ev->a, y->ev->port)));
	if (d.was == NO_ID)
		text_add(y->t, ", and was not reached before");
	else
		text_add(y->t, ", less than the %u known before", d.was);
}

static void dfsssp_say_choice(const struct saying *y)
{
	const char *rule = why_rule_name(y->ev->rule);

	if (y->ev->port == NO_PATH || y->ev->rule == WHY_OWN_LID || y->ev->rule == WHY_ATTACHED) {
		say_entry(y, rule);
		text_add(y->t, "%s", y->ev->port == NO_PATH ? ": no distance below 2^31" : "");
		return;
	}
	text_add(y->t, "%s ", say_name(y, y->ev->a));
	say_lid(y, y->ev->b);
	uint32_t next = say_behind(y, y->ev->a, y->ev->port);
	text_add(y->t, " -> port %u, to %s: %s", y->ev->port, say_name(y, next), rule);
	if (y->ev->rule == WHY_TIE && y->n_extra && say_behind(y, y->ev->a, y->extra[0]) == next)
		text_add(y->t, ": port %u leads there as well, to a higher port", y->extra[0]);
	else if (y->ev->rule == WHY_TIE && y->n_extra)
		text_add(y->t, ": port %u is as far, but %s left the heap first", y->extra[0],
			 say_name(y, next));
	if (y->ev->rule == WHY_LIGHTER)
		text_add(y->t, ": the ways with fewer hops are heavier");
	text_add(y->t, "; it leaves the heap at distance ");
	add_distance(walk_value(y->w, T_DIST, y->ev->a), y->ev->flags / DS_ONE_HOP,
		     dfsssp_sentences_kept(y)->graph->start, y->t);
}

/* Tells the number of channels that gained weight, and the one that gained most. */
static void say_weights(const struct saying *y)
{
	const uint32_t *extra = y->extra;
	uint32_t n = y->n_extra;

	text_add(y->t, "the routes to ");
	say_lid(y, y->ev->b);
	text_add(y->t, " make %s heavier", PLURAL(n ? extra[0] : 0, "channel"));
	if (n < 4)
		return;
	text_add(y->t, ", ");
	say_port(y, extra[1]);
	text_add(y->t, " most: by %u to %u", extra[2], extra[3]);
}

/* --- layers ------------------------------------------------------------------------------------------ */

static uint64_t dfsssp_sentences_count_at(const uint32_t *extra)
{
	return extra[0] | (uint64_t)extra[1] << 32;
}

/* Tells the switches of a cycle, and the pairs left on its edges. */
static void dfsssp_say_cycle(const struct saying *y)
{
	const struct fabric *f = y->f;
	const uint32_t *extra = y->extra;
	uint32_t n = y->n_extra / 2, named = MIN(n, MOST_NAMED);

	for (uint32_t i = 0; i < named; i++)
		text_add(y->t, "%s -> ", f->node_name[f->port_node[extra[2 * i]]]);
	if (n)
		text_add(y->t, "%s%s: ", n > named ? "... -> " : "", f->node_name[f->port_node[extra[0]]]);
	text_add(y->t, "%s with ", PLURAL(n, "edge"));
	for (uint32_t i = 0; i < named; i++)
		text_add(y->t, "%s%u", i ? ", " : "", extra[2 * i + 1]);
	text_add(y->t, "%s pairs", n > named ? ", ..." : "");
}

static void dfsssp_say_break(const struct saying *y)
{
	const struct ds_layers *l = dfsssp_sentences_kept(y)->layers;
	const struct ds_cut *cut = &l->cut[y->ev->a];

	text_add(y->t, "cycle %u of layer %u: ", dfsssp_sentences_number_of(l, y->ev->a), y->ev->b);
	dfsssp_say_cycle(y);
	text_add(y->t, "; dfsssp cuts the first with %u, ", l->cycle_left[cut->first + cut->at]);
	say_port(y, dfsssp_channel_port(dfsssp_sentences_kept(y)->graph, y->f, cut->from));
	text_add(y->t, " -> ");
	say_port(y, dfsssp_channel_port(dfsssp_sentences_kept(y)->graph, y->f, cut->to));
	text_add(y->t, ": %s go%s to layer %u", PLURAL(cut->moved, "pair"), cut->moved == 1 ? "es" : "",
		 y->ev->b + 1);
	if (cut->skipped)
		text_add(y->t, ", %" PRIu64 " went before", cut->skipped);
}

static void dfsssp_say_pair(const struct saying *y)
{
	uint32_t n = y->f->n_switches;

	text_add(y->t, "%s - %s: ", say_name(y, y->ev->a / n), say_name(y, y->ev->a % n));
}

static void dfsssp_say_open(const struct saying *y)
{
	dfsssp_say_pair(y);
	text_add(y->t, "opens layer %u", y->ev->b);
}

static void say_no_vl(const struct saying *y)
{
	text_add(y->t, "layer %u has a cycle, and there is no VL for one more: ", y->ev->b);
	dfsssp_say_cycle(y);
}

static void say_move(const struct saying *y)
{
	const struct ds_kept *k = dfsssp_sentences_kept(y);
	uint32_t row = y->s->lids->max_lid + 1u;
	size_t i = walk_step(y->w);
	struct rec_delta d;

	dfsssp_say_pair(y);
	if (!say_change(y, T_LAYER, &d))
		return;
	text_add(y->t, "%s of the hosts there to ",
		 PLURAL(k->layers->ca_lids[k->layers->source_of[k->graph->id[d.at / row]]], "LID"));
	say_lid(y, d.at % row);
	text_add(y->t, ": moved from layer %u to layer %u", y->ev->port, y->ev->b);
	while (i && recording_event(y->r, i)->kind != REC_BREAK)
		i--;
	if (i)
		text_add(y->t, " by the cut of cycle %u",
			 dfsssp_sentences_number_of(k->layers, recording_event(y->r, i)->a));
}

static void say_paths(const struct saying *y)
{
	const uint32_t *extra = y->extra;

	if (y->n_extra < 4)
		return;
	text_add(y->t, "all %s of LIDs begin in layer 0: %s, %s",
		 PLURAL(dfsssp_sentences_count_at(extra), "pair"), PLURAL(extra[2], "channel"),
		 PLURAL(extra[3], "dependency"));
}

static void say_lanes(const struct saying *y)
{
	static const char *const nth[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh"};
	const uint32_t *extra = y->extra;
	uint32_t n = y->n_extra;

	if (y->ev->kind == REC_SPLIT && n >= 2) {
		text_add(y->t, "layer %u has the most pairs a lane, %" PRIu64 " on %s: it gets a ", y->ev->b,
			 dfsssp_sentences_count_at(extra), PLURAL(y->ev->a - 1, "lane"));
		if (y->ev->a <= ARRAY_LEN(nth))
			text_add(y->t, "%s", nth[y->ev->a - 1]);
		else
			text_add(y->t, "%uth", y->ev->a);
		text_add(y->t, " lane");
	} else if (n >= 4 && extra[1] == 1) {
		text_add(y->t, "layer %u, %s, has SL %u", y->ev->b,
			 PLURAL(dfsssp_sentences_count_at(extra + 2), "pair"), extra[0]);
	} else if (n >= 4) {
		text_add(y->t, "layer %u, %s, has SL %u to %u: OpenSM draws one for each query", y->ev->b,
			 PLURAL(dfsssp_sentences_count_at(extra + 2), "pair"), extra[0],
			 extra[0] + extra[1] - 1);
	}
}

static void say_clean(const struct saying *y)
{
	if (y->n_extra < 2)
		return;
	text_add(y->t, "layer %u has no cycle", y->ev->b);
	if (y->ev->a)
		text_add(y->t, " left after %s", PLURAL(y->ev->a, "cut"));
	text_add(y->t, ": %s stay", PLURAL(dfsssp_sentences_count_at(y->extra), "pair"));
}

static void (*const say[REC_KINDS])(const struct saying *) = {
	[REC_TRIAL] = say_trial,      [REC_TARGET] = dfsssp_say_target,
	[REC_RELAX] = say_relax,      [REC_CHOICE] = dfsssp_say_choice,
	[REC_WEIGHTS] = say_weights,  [REC_PATHS] = say_paths,
	[REC_CYCLE] = say_no_vl,      [REC_BREAK] = dfsssp_say_break,
	[REC_OPEN] = dfsssp_say_open, [REC_MOVE] = say_move,
	[REC_SEARCH] = say_clean,     [REC_SPLIT] = say_lanes,
	[REC_SHIFT] = say_lanes,
};

static void ds_say(struct walk *w, struct text *t)
{
	const struct saying y = saying_of(w, t);

	if (say[y.ev->kind])
		say[y.ev->kind](&y);
}

static const char *ds_say_rule(const struct rec_event *ev)
{
	return why_rule_name(ev->rule);
}

#define SSSP "Hoefler, Schneider, Lumsdaine, HOTI 2009"
#define DFSSSP "Domke, Hoefler, Nagel, IPDPS 2011"

static const char *ds_say_source(const struct rec_event *ev)
{
	static const char *const where[REC_KINDS] = {
		[REC_TRIAL] = "dfsssp.md 3.5",
		[REC_TARGET] = "dfsssp.md 4; " SSSP,
		[REC_RELAX] = "dfsssp.md 5.3; " SSSP,
		[REC_CHOICE] = "dfsssp.md 5.2, 5.3, 5.4; " SSSP,
		[REC_WEIGHTS] = "dfsssp.md 5.5; " SSSP,
		[REC_PATHS] = "dfsssp.md 6.2; " DFSSSP,
		[REC_BREAK] = "dfsssp.md 6.5, 6.6; " DFSSSP,
		[REC_CYCLE] = "dfsssp.md 6.5, 6.6; " DFSSSP,
		[REC_OPEN] = "dfsssp.md 6.6; " DFSSSP,
		[REC_MOVE] = "dfsssp.md 6.6; " DFSSSP,
		[REC_SEARCH] = "dfsssp.md 6.7; " DFSSSP,
		[REC_SPLIT] = "dfsssp.md 6.8; " DFSSSP,
		[REC_SHIFT] = "dfsssp.md 6.8; " DFSSSP,
	};

	return where[ev->kind];
}

/* A cell of T_LAYER: source switch and LID. */
static bool ds_say_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct sweep *s = recording_sweep(r);
	uint32_t row = s->lids->max_lid + 1u;

	if (t != T_LAYER)
		return false;
	text_add(out, "hosts of %s to LID %u", switch_name(s->fabric, at / row), at % row);
	return true;
}

/* --- in words -------------------------------------------------------------------------------------- */

static const char *channel_label(const struct routing *r, const struct dfsssp *d, uint32_t c, char *buf,
				 size_t size)
{
	return port_label(r->topo->fabric, dfsssp_channel_port(d->graph, r->topo->fabric, c), buf, size);
}

static void tell_cut(const struct routing *r, uint32_t index, struct text *t)
{
	const struct dfsssp *d = dfsssp_of(r);
	const struct ds_layers *l = d->layers;
	const struct ds_cut *cut = &l->cut[index];
	char a[300], b[300];

	text_add(t, "Layer %u: cycle %" PRIu32 " of %" PRIu32 " channels:\n", cut->layer,
		 dfsssp_sentences_number_of(l, index), cut->length);
	for (uint32_t i = 0; i < cut->length; i++) {
		uint32_t next = cut->first + (i + 1) % cut->length;

		text_add(t, "%s %s -> %s  %" PRIu32 " pairs%s\n", i == cut->at ? ">" : " ",
			 channel_label(r, d, l->cycle_channel[cut->first + i], a, sizeof(a)),
			 channel_label(r, d, l->cycle_channel[next], b, sizeof(b)),
			 l->cycle_left[cut->first + i], i == cut->at ? ", the fewest: cut" : "");
	}
	text_add(t, "The cut moved %" PRIu64 " pairs to layer %u, these among them.\n", cut->moved,
		 cut->layer + 1u);
}

static void tell_lanes(const struct dfsssp *d, unsigned layer, struct text *t)
{
	struct sl_range sl = dfsssp_lanes(d, layer);

	if (sl.lo == sl.hi)
		text_add(t, "Layer %u has SL %u.\n", layer, sl.lo);
	else
		text_add(t, "Layer %u has SL %u to %u: OpenSM draws one of them at random for each query.\n",
			 layer, sl.lo, sl.hi);
}

void dfsssp_explain_pair(const struct routing *kept, unsigned slid, unsigned dlid, struct text *t,
			 struct progress *p)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), dst = lid_owner(r->lids, dlid);

	(void)p;
	if (s == NO_ID || dst == NO_ID) {
		text_add(t, "A LID that had no port when the layers were made: SL 0.\n");
		return;
	}
	if (f->node_type[endport_node(f, s)] == NODE_ROUTER ||
	    f->node_type[endport_node(f, dst)] == NODE_ROUTER) {
		text_add(t, "dfsssp puts no routes of routers in layers: SL 0.\n");
		return;
	}
	if (d->unlayered) {
		text_add(t, "No pair has a layer yet: dfsssp finds layers when all tables are done.\n");
		return;
	}
	uint32_t sw = r->topo->endport_switch[s];
	if (endport_is_switch(f, s)) {
		text_add(t, "Routes that start at a switch itself stay in layer 0.\n");
		tell_lanes(d, 0, t);
		return;
	}
	unsigned layer = dfsssp_layer_of(d, sw, dlid);
	text_add(t, "All routes from the CAs of %s to LID %u are in layer %u", switch_name(f, sw), dlid,
		 layer);
	text_add(t, layer ? ".\n" : ": no cut met them there.\n");
	for (unsigned v = 0; v < layer; v++)
		tell_cut(r, dfsssp_moved_by(r, sw, dlid, v), t);
	tell_lanes(d, layer, t);
}

/* The switch of slid, if it is a CA's LID whose routes to dlid have a layer; else NO_ID. */
static uint32_t dfsssp_source_switch(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), d = lid_owner(r->lids, dlid);

	if (s == NO_ID || d == NO_ID || f->node_type[endport_node(f, s)] != NODE_CA ||
	    f->node_type[endport_node(f, d)] == NODE_ROUTER ||
	    r->topo->endport_switch[s] == r->topo->endport_switch[d])
		return NO_ID;
	return r->topo->endport_switch[s];
}

static void dfsssp_decide_pair(const struct routing *kept, unsigned slid, unsigned dlid, struct decided *out)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	uint32_t sw = dfsssp_source_switch(r, slid, dlid);
	unsigned layer = sw == NO_ID ? 0 : dfsssp_layer_of(d, sw, dlid);

	if (d->unlayered)
		return;
	uint32_t index = layer ? dfsssp_moved_by(r, sw, dlid, layer - 1) : NO_ID;
	if (index == NO_ID) {
		decide(out, WHY_FIRST_LAYER, "Layer 0, where all routes begin; no cut moved this one: SL %u.",
		       dfsssp_lanes(d, layer).lo);
		return;
	}
	const struct ds_cut *cut = &d->layers->cut[index];
	decide(out, WHY_CUT,
	       "Cut %" PRIu32 " of layer %u took the edge with the fewest pairs out of a cycle of %" PRIu32
	       " channels; this pair went to layer %u with it: SL %u.",
	       dfsssp_sentences_number_of(d->layers, index), cut->layer, cut->length, layer,
	       dfsssp_lanes(d, layer).lo);
}

void dfsssp_explain_layers(const struct routing *kept, struct text *t)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	const struct ds_layers *l = d->layers;
	char at[300] = "no switch has a cable";

	if (d->unlayered) {
		text_add(t, "No pair has a layer yet.\n");
		return;
	}
	if (l->vls_port != NO_ID)
		port_label(r->topo->fabric, l->vls_port, at, sizeof(at));
	text_add(t,
		 "%u of %u VLs are needed (%s has the fewest); %" PRIu64 " channels, %" PRIu64
		 " dependencies in all.\n",
		 l->need, l->vls, at, l->channels, l->deps);
	for (unsigned v = 0; v < l->need; v++) {
		uint32_t first, cuts = dfsssp_cuts(d, v, &first);

		text_add(t, "Layer %u: %" PRIu64 " ordered pairs of LIDs, %" PRIu32 " cycle%s cut; ", v,
			 l->count[v], cuts, cuts == 1 ? "" : "s");
		if (l->width[v] == 1)
			text_add(t, "SL %u.\n", l->base[v]);
		else
			text_add(t, "SL %u to %u, drawn at random.\n", l->base[v],
				 l->base[v] + l->width[v] - 1u);
	}
	if (l->idle)
		text_add(t,
			 "%u VL%s nothing: OpenSM 3.3.23 loses lanes given to a layer that keeps its "
			 "number.\n",
			 l->idle, l->idle == 1 ? " carries" : "s carry");
}

/* The tables of SSSP and DFSSSP for panes: weights, layers, cuts, and all of them at a step. */

const struct dfsssp *dfsssp_of(const struct routing *r)
{
	return r && (r->ops == &sssp_ops || r->ops == &dfsssp_ops) ? r->priv : NULL;
}

/* --- weights ---------------------------------------------------------------------------------- */

uint64_t dfsssp_start_weight(const struct dfsssp *d)
{
	return d->graph->start;
}

uint16_t *dfsssp_destinations(const struct routing *r, uint32_t *n)
{
	const struct ds_order *o = &dfsssp_of(r)->order;
	const struct fabric *f = r->topo->fabric;
	uint16_t *lid = NEW_ARRAY(r->lids->max_lid + 1u, uint16_t);
	const struct dfsssp *d = dfsssp_of(r);

	*n = 0;
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i];

		for (unsigned k = 0; k < r->lids->count[ep]; k++)
			if (f->node_type[endport_node(f, ep)] != NODE_ROUTER)
				lid[(*n)++] = r->lids->base[ep] + k;
	}
	if (d->partial && d->n_lids < *n)
		*n = d->n_lids;
	return lid;
}

/* The channel by which a vertex sends to a LID, or NO_ID. */
static uint32_t dfsssp_show_channel_to(const struct routing *r, const struct ds_graph *g, uint32_t v,
				       unsigned lid)
{
	unsigned port = routing_port(r, g->sw[v], lid);

	return port == NO_PATH ? NO_ID : g->of_port[switch_port_id(r->topo->fabric, g->sw[v], port)];
}

bool dfsssp_add_routes(const struct routing *r, struct lids_part lids, uint32_t *routes, struct progress *p)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	AUTO_FREE uint32_t *own = NEW_ARRAY(r->topo->fabric->n_switches, uint32_t);

	for (uint32_t v = 0; v < g->n; v++)
		own[g->sw[v]] = g->hosts[v];
	return tree_routes_add(r, own, lids, routes, p);
}

unsigned dfsssp_hops(const struct routing *r, uint32_t sw, unsigned lid)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	uint32_t ep = lid_owner(r->lids, lid), v = g->id[sw], c;
	unsigned hops = 0;

	if (ep == NO_ID || v == NO_ID || routing_port(r, sw, lid) == NO_PATH)
		return HOPS_NONE;
	while ((c = dfsssp_show_channel_to(r, g, v, lid)) != NO_ID) {
		v = g->to[c];
		hops++;
	}
	if (routing_port(r, g->sw[v], lid) == NO_PATH) /* a step of which only a part is kept */
		return HOPS_NONE;
	return hops;
}

/* --- layers ------------------------------------------------------------------------------------ */

unsigned dfsssp_layers(const struct dfsssp *d)
{
	return d->layers ? d->layers->need : 0;
}

unsigned dfsssp_layer_of(const struct dfsssp *d, uint32_t sw, unsigned lid)
{
	const struct ds_layers *l = d->layers;
	uint32_t v = d->graph->id[sw];

	return !l || v == NO_ID || l->source_of[v] == NO_ID ? 0 : ds_layer_of(l, l->source_of[v], lid);
}

struct sl_range dfsssp_lanes(const struct dfsssp *d, unsigned layer)
{
	const struct ds_layers *l = d->layers;

	if (!l)
		return (struct sl_range){0, 0};
	assert(layer < l->need);
	return (struct sl_range){l->base[layer], l->base[layer] + l->width[layer] - 1};
}

/* All pairs start in layer 0. */
static void dfsssp_layer(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct ds_layers *l = dfsssp_of(routing_origin(r))->layers;

	assert(layer < l->need);
	*info = (struct layer_info){.vl = l->base[layer],
				    .lanes = l->width[layer],
				    .unit = LAYER_LID_PAIRS,
				    .pairs = l->count[layer]};
	for (unsigned i = 0; !layer && i < l->need; i++)
		info->pairs_first += l->count[i];
}

/* Skips classes whose two ends are on one switch, since they make no dependency. */
static bool dfsssp_next_route(const struct routing *kept, unsigned layer, uint64_t *cursor,
			      struct layer_route *lr)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	uint64_t n = d->layers->n_sources, end = d->unlayered ? 0 : n * (r->lids->max_lid + 1u);

	for (; *cursor < end; ++*cursor) {
		unsigned lid = (unsigned)(*cursor / n), i = (unsigned)(*cursor % n);
		uint32_t sw = d->graph->sw[d->layers->source[i]], ep = lid_owner(r->lids, lid);

		if (ep == NO_ID || r->topo->endport_switch[ep] == sw || routing_port(r, sw, lid) == NO_PATH ||
		    ds_layer_of(d->layers, i, lid) != layer)
			continue;
		*lr = (struct layer_route){sw, NO_ID, (uint16_t)lid};
		++*cursor;
		return true;
	}
	return false;
}

uint32_t dfsssp_cuts(const struct dfsssp *d, unsigned layer, uint32_t *first)
{
	const struct ds_layers *l = d->layers;
	uint32_t n = 0;

	*first = 0;
	for (uint32_t i = 0; l && i < l->n_cuts; i++) {
		*first += l->cut[i].layer < layer;
		n += l->cut[i].layer == layer;
	}
	return n;
}

/* Each cut moves all classes that make its dependency, so the first cut on the path moved the class. */
uint32_t dfsssp_moved_by(const struct routing *r, uint32_t sw, unsigned lid, unsigned layer)
{
	const struct dfsssp *d = dfsssp_of(r);
	uint32_t first, n = dfsssp_cuts(d, layer, &first), c, next;
	uint32_t found = NO_ID;

	if (layer >= dfsssp_layer_of(d, sw, lid))
		return NO_ID;
	uint32_t *after = NEW_ARRAY(d->graph->n_edges, uint32_t); /* the next channel on the path, plus 1 */
	for (c = dfsssp_show_channel_to(r, d->graph, d->graph->id[sw], lid); c != NO_ID; c = next) {
		next = dfsssp_show_channel_to(r, d->graph, d->graph->to[c], lid);
		after[c] = next == NO_ID ? 0 : next + 1;
	}
	for (uint32_t i = first; i < first + n && found == NO_ID; i++)
		if (after[d->layers->cut[i].from] == d->layers->cut[i].to + 1)
			found = i;
	free(after);
	return found;
}

static bool dfsssp_pair_layer(const struct routing *kept, unsigned slid, unsigned dlid, struct pair_layer *l)
{
	const struct routing *r = routing_origin(kept);
	uint32_t sw = dfsssp_source_switch(r, slid, dlid);

	if (sw == NO_ID || routing_port(r, sw, dlid) == NO_PATH || dfsssp_of(r)->unlayered)
		return false;
	l->first = l->now = dfsssp_layer_of(dfsssp_of(r), sw, dlid);
	return true;
}

static struct witness *dfsssp_witness(const struct routing *kept, unsigned slid, unsigned dlid,
				      unsigned layer, struct progress *p)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	struct witness *w = NEW(struct witness);
	uint32_t sw = dfsssp_source_switch(r, slid, dlid),
		 index = sw == NO_ID ? NO_ID : dfsssp_moved_by(r, sw, dlid, layer);

	(void)p;
	w->cut = NO_ID;
	if (index == NO_ID)
		return w;
	const struct ds_cut *cut = &d->layers->cut[index];
	w->n = cut->length;
	w->cut = cut->at;
	w->edge = NEW_ARRAY(w->n, struct witness_edge);
	const uint32_t *cycle = d->layers->cycle_channel + cut->first;
	for (uint32_t i = 0; i < w->n; i++)
		w->edge[i] = (struct witness_edge){
			.port = dfsssp_channel_port(d->graph, r->topo->fabric, cycle[i]),
			.routes = d->layers->cycle_left[cut->first + i],
			.sw = NO_ID,
			.sw2 = NO_ID,
		};
	/* marks where the path itself goes from a channel of the cycle to the next one */
	for (uint32_t c = dfsssp_show_channel_to(r, d->graph, d->graph->id[sw], dlid), next; c != NO_ID;
	     c = next) {
		next = dfsssp_show_channel_to(r, d->graph, d->graph->to[c], dlid);
		for (uint32_t i = 0; i < w->n; i++)
			w->edge[i].own |= cycle[i] == c && cycle[(i + 1) % w->n] == next;
	}
	return w;
}

/* --- operations ------------------------------------------------------------------------------ */

static void dfsssp_free(void *priv)
{
	struct dfsssp *d = priv;

	if (!d)
		return;
	ds_graph_unref(d->graph);
	ds_order_free(&d->order);
	ds_layers_unref(d->layers);
	FREE_EACH(d->weight, d);
}

/* --- accessors of the routing ----------------------------------------------------------------- */

/* OpenSM draws one of the layer's lanes at random for each query (engines/doc/dfsssp.md 7). */
static struct sl_range dfsssp_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct dfsssp *d = r->priv;
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), t = lid_owner(r->lids, dlid);

	if (s == NO_ID || t == NO_ID || f->node_type[endport_node(f, s)] == NODE_ROUTER ||
	    f->node_type[endport_node(f, t)] == NODE_ROUTER)
		return (struct sl_range){0, 0};
	if (d->unlayered)
		return (struct sl_range){1, 0};
	uint32_t sw = r->topo->endport_switch[s];
	if (sw == NO_ID || endport_is_switch(f, s))
		return dfsssp_lanes(d, 0);
	return dfsssp_lanes(d, dfsssp_layer_of(d, sw, dlid));
}

static unsigned dfsssp_n_layers(const struct routing *r)
{
	return dfsssp_layers(r->priv);
}

static unsigned dfsssp_show_layers_available(const struct routing *r)
{
	const struct dfsssp *d = r->priv;

	return d->layers ? d->layers->vls : 0;
}

/* OpenSM's LID matrix has the hops of the route at the port in use, and nothing elsewhere. */
static unsigned matrix_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	const struct fabric *f = r->topo->fabric;
	unsigned lid = r->lids->base[f->port_endport[f->switch_port[d]]];
	unsigned out = routing_port(r, s, lid);

	if (out == NO_PATH || (port && port != out))
		return NO_PATH;
	unsigned hops = dfsssp_hops(r, s, lid);
	return MIN(hops, NO_PATH);
}

const struct routing_ops sssp_ops = {
	.hops = matrix_hops,
	.free_priv = dfsssp_free,
};

const struct routing_ops dfsssp_ops = {
	.sl = dfsssp_sl,
	.sl_by_source = true,
	.hops = matrix_hops,
	.n_layers = dfsssp_n_layers,
	.layers_available = dfsssp_show_layers_available,
	.layer = dfsssp_layer,
	.next_route = dfsssp_next_route,
	.pair_layer = dfsssp_pair_layer,
	.witness = dfsssp_witness,
	.explain_pair = dfsssp_explain_pair,
	.decide_pair = dfsssp_decide_pair,
	.explain_layers = dfsssp_explain_layers,
	.free_priv = dfsssp_free,
};

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* How far a run has come at a step. */
struct reach {
	uint32_t begun, weighed; /* numbers of LIDs */
	bool within;		 /* the search for the last one is still running */
	bool layered;		 /* pairs have layers */
	uint32_t cuts;
	size_t shifts; /* step of the first shift, 0 = none */
};

static struct reach reach_of(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	struct reach x = {0};

	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		x.begun += ev->kind == REC_TARGET;
		x.weighed += ev->kind == REC_WEIGHTS;
		x.layered |= ev->kind == REC_PATHS;
		if (ev->kind == REC_BREAK)
			x.cuts = ev->a + 1;
		if (ev->kind == REC_SHIFT && !x.shifts)
			x.shifts = i;
		if (ev->kind == REC_TARGET)
			x.within = true;
		else if (ev->kind == REC_WEIGHTS || ev->kind == REC_NOTE || ev->kind == REC_PHASE)
			x.within = false;
	}
	return x;
}

static void put_weights(const struct walk *w, struct dfsssp *d, const struct reach *x,
			const struct routing *end)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;

	d->weight = NEW_ARRAY(d->graph->n_edges, uint32_t);
	for (uint32_t c = 0; c < d->graph->n_edges; c++)
		d->weight[c] = walk_value(w, T_WEIGHT, dfsssp_channel_port(d->graph, f, c));
	if (end && x->weighed < d->n_lids) { /* the recording has no weights: compute them */
		uint32_t *routes = NEW_ARRAY(f->n_ports, uint32_t), n;
		uint16_t *lid = dfsssp_destinations(end, &n);

		dfsssp_add_routes(end, (struct lids_part){lid, 0, MIN(d->n_lids, n)}, routes, NULL);
		for (uint32_t c = 0; c < d->graph->n_edges; c++)
			d->weight[c] =
				(uint32_t)d->graph->start + routes[dfsssp_channel_port(d->graph, f, c)];
		FREE_EACH(routes, lid);
	}
}

/* Finds the layers of the classes so far, and counts each layer's pairs. */
static void put_classes(const struct walk *w, struct ds_layers *l, const struct ds_layers *kept,
			const struct ds_graph *g)
{
	unsigned top = recording_sweep(walk_recording(w))->lids->max_lid;

	for (unsigned t = 0; t <= DS_MAX_LAYERS; t++)
		l->count[0] += kept->count[t];
	l->layer = NEW_ARRAY((top + 1u) * (size_t)l->n_sources, uint8_t);
	for (uint32_t i = 0; i < l->n_sources; i++)
		for (unsigned lid = 1; lid <= top; lid++) {
			unsigned t = walk_value(w, T_LAYER, g->sw[l->source[i]] * (top + 1u) + lid);

			if (!t || t > DS_MAX_LAYERS)
				continue;
			l->layer[(size_t)lid * l->n_sources + i] = t;
			l->count[0] -= l->ca_lids[i];
			l->count[t] += l->ca_lids[i];
		}
}

/* Lanes: one per layer, until the layers were shifted. */
static void put_lanes(const struct walk *w, struct ds_layers *l, size_t shifts)
{
	const struct recording *r = walk_recording(w);
	const uint32_t *word;

	for (unsigned t = 0; t <= DS_MAX_LAYERS; t++) {
		l->base[t] = t;
		l->width[t] = 1;
	}
	for (size_t i = shifts; i && i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (ev->kind == REC_SHIFT && recording_extra(r, i, &word) >= 2) {
			l->base[ev->b] = word[0];
			l->width[ev->b] = word[1];
		}
	}
}

static struct ds_layers *layers_at(const struct walk *w, const struct ds_kept *k, const struct reach *x)
{
	struct ds_layers *l = NEW(struct ds_layers);
	const struct ds_layers *kept = k->layers;
	uint32_t n = k->graph->n;

	l->refs = 1;
	l->need = 1;
	put_lanes(w, l, x->shifts);
	if (!kept) { /* refused before there were layers */
		l->source_of = NEW_ARRAY(n, uint32_t);
		memset(l->source_of, 0xff, n * sizeof(*l->source_of)); /* NO_ID */
		l->vls_port = NO_ID;
		return l;
	}
	l->vls = kept->vls;
	l->vls_port = kept->vls_port;
	l->n_sources = kept->n_sources;
	l->source = mem_dup(kept->source, n * sizeof(*l->source));
	l->source_of = mem_dup(kept->source_of, n * sizeof(*l->source_of));
	l->ca_lids = mem_dup(kept->ca_lids, n * sizeof(*l->ca_lids));
	if (!x->layered)
		return l;
	l->channels = kept->channels;
	l->deps = kept->deps;
	l->idle = x->shifts ? kept->idle : 0;
	if (x->cuts) { /* the cuts so far, with their cycles */
		const struct ds_cut *last = &kept->cut[x->cuts - 1];

		l->n_cuts = l->cap_cuts = x->cuts;
		l->cut = mem_dup(kept->cut, x->cuts * sizeof(*l->cut));
		l->n_cycle = l->cap_cycle = last->first + last->length;
		l->cycle_channel = mem_dup(kept->cycle_channel, l->n_cycle * sizeof(*l->cycle_channel));
		l->cycle_left = mem_dup(kept->cycle_left, l->n_cycle * sizeof(*l->cycle_left));
		l->need = last->layer + 2u;
	}
	put_classes(w, l, kept, k->graph);
	return l;
}

static void *dfsssp_show_priv_at(struct walk *w, const struct routing *end)
{
	const struct ds_kept *k = recording_kept(walk_recording(w));
	struct reach x = reach_of(w);

	if (!k)
		return NULL;
	struct dfsssp *d = NEW(struct dfsssp);
	d->partial = true;
	d->n_lids = x.begun - x.within;
	d->graph = ds_graph_ref(k->graph);
	ds_order_copy(&d->order, &k->order, k->graph->n);
	put_weights(w, d, &x, end);
	d->unlayered = !x.layered;
	if (recording_scheme_of(walk_recording(w))->scheme == &dfsssp_scheme)
		d->layers = layers_at(w, k, &x);
	return d;
}

const struct rec_scheme sssp_scheme = {
	.rule = ds_say_rule,
	.source = ds_say_source,
	.sentence = ds_say,
	.ops = &sssp_ops,
	.priv_at = dfsssp_show_priv_at,
};

const struct rec_scheme dfsssp_scheme = {
	.rule = ds_say_rule,
	.source = ds_say_source,
	.sentence = ds_say,
	.ops = &dfsssp_ops,
	.priv_at = dfsssp_show_priv_at,
	.cell = ds_say_cell,
};
