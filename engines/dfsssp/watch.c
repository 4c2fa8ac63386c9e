/* What a listener hears of a run: each entry with the ways there were, weights as they grow. */
#include <inttypes.h>
#include <stdlib.h>

#include "engines/dfsssp/events.h"
#include "engines/dfsssp/run.h"

static const char rule_only[] = "only way", rule_near[] = "least distance", rule_first[] = "first of equals",
		  rule_port[] = "lowest far port", rule_own[] = "own port", rule_attached[] = "attached here",
		  rule_none[] = "too far";

void ds_tell_graph(const struct ds_run *x)
{
	const struct ds_graph *g = x->d->graph;

	observe_text(x->in, STEP_PHASE, NO_ID, "graph");
	observe_text(x->in, STEP_NOTE, NO_ID,
		     "%" PRIu32 " switches, %" PRIu32 " channels, %" PRIu32
		     " LIDs: every channel starts with weight %" PRIu64,
		     g->n, g->n_edges, g->lids, g->start);
	if (x->rec)
		ds_record_graph(x->rec);
	if (g->throttled)
		observe_text(x->in, STEP_NOTE, NO_ID, "%" PRIu32 " throttled cables left out", g->throttled);
}

/* Place of each switch in the order of extraction, and its hops to the switch of the destination. */
void ds_rank_tree(struct ds_run *x)
{
	const struct ds_search *s = x->s;

	for (uint32_t v = 0; v < s->g->n; v++)
		x->rank[v] = NO_ID;
	for (uint32_t i = 0; i < s->tree->n_order; i++) {
		uint32_t v = s->tree->order[i], c = s->tree->out[v];

		x->rank[v] = i + 1;
		x->hops[v] = c != NO_ID ? x->hops[s->g->to[c]] + 1 : 0;
	}
}

/* The ways out of v: through each channel, how far it would be. */
static unsigned list_ways(struct ds_run *x, uint32_t v)
{
	const struct ds_graph *g = x->d->graph;
	uint32_t p0 = x->in->topo->fabric->switch_port[g->sw[v]];
	unsigned n = 0;

	for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++) {
		uint32_t u = g->to[c];
		uint64_t weight = ds_weight(x->s->link[c]);
		bool reached = x->rank[u] != NO_ID;

		x->candidate[n++] = (struct step_candidate){
			.port = g->port[c],
			.peer = x->in->topo->peer[p0 + g->port[c]],
			.q = {reached ? (int64_t)(x->s->tree->dist[u] + weight) : INT64_MIN, (int64_t)weight,
			      reached ? x->hops[u] + 1 : INT64_MIN, reached ? x->rank[u] : INT64_MIN},
		};
	}
	return n;
}

/* Which rule took the edge that reached v. */
static const char *rule_of(const struct ds_run *x, uint32_t v, unsigned n)
{
	const struct ds_graph *g = x->d->graph;
	uint32_t chosen = x->s->tree->out[v];
	unsigned equal = 0, beside = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t c = g->first[v] + i;

		if (c == chosen || x->candidate[i].q[0] != (int64_t)x->s->tree->dist[v])
			continue;
		if (g->to[c] == g->to[chosen])
			beside++;
		else
			equal++;
	}
	return n == 1 ? rule_only : equal ? rule_first : beside ? rule_port : rule_near;
}

static const char *text_of(const char *rule)
{
	if (rule == rule_first)
		return "of equal distances the one through the switch that the search took first";
	if (rule == rule_port)
		return "parallel cables of equal weight: the one with the lowest port number at the other "
		       "end";
	if (rule == rule_near)
		return "the least distance, the weights of the channels on the way added up";
	if (rule == rule_none)
		return "no distance below 2^31: OpenSM takes this for unreachable";
	return "";
}

/* --- the rule that decided ------------------------------------------------------------------ */

static const struct step_candidate *candidate_of(const struct step *st, unsigned port)
{
	for (unsigned i = 0; i < st->n_candidates; i++)
		if (st->candidate[i].port == port)
			return &st->candidate[i];
	return NULL;
}

/* Least of a quantity among the others (of a port: that one); NULL = none has it. */
static const struct step_candidate *least_of(const struct step *st, unsigned q, unsigned port)
{
	const struct step_candidate *best = NULL;

	for (unsigned i = 0; i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];

		if (c->port == st->port || (port && c->port != port) || c->q[q] == INT64_MIN)
			continue;
		if (!best || c->q[q] < best->q[q])
			best = c;
	}
	return best;
}

/* "2 hops, 2 x 4096 + 12": what a distance is made of. */
static void add_distance(const struct ds_run *x, const struct step_candidate *c, struct text *t)
{
	uint64_t links = (uint64_t)c->q[2] * x->d->graph->start;

	if ((uint64_t)c->q[0] >= links)
		text_add(t, "%" PRId64 " = %" PRId64 " x %" PRIu64 " + %" PRIu64, c->q[0], c->q[2],
			 x->d->graph->start, (uint64_t)c->q[0] - links);
	else
		text_add(t, "%" PRId64, c->q[0]);
}

/* Of two ways as far. */
static void decide_tie(const struct ds_run *x, const struct step_candidate *w, const struct step_candidate *q,
		       struct decided *d)
{
	const struct fabric *f = x->in->topo->fabric;

	if (f->port_node[w->peer] == f->port_node[q->peer])
		decide(d, WHY_TIE,
		       "Ports %u and %u lead to the same switch at distance %" PRId64
		       "; the lower port number at its end is taken.",
		       w->port, q->port, w->q[0]);
	else
		decide(d, WHY_TIE, "Ports %u and %u have distance %" PRId64 "; %s left the heap first.",
		       w->port, q->port, w->q[0], f->node_name[f->port_node[w->peer]]);
}

/* Against `via`, or (0) against the best of the others. */
static void decide_way(const struct ds_run *x, const struct step *st, unsigned via, struct decided *d)
{
	const struct step_candidate *w = candidate_of(st, st->port), *q = least_of(st, 0, via),
				    *fewer = least_of(st, 2, via);
	struct text t = {0};

	if (!w || w->q[0] == INT64_MIN)
		return;
	add_distance(x, w, &t);
	if (!q)
		decide(d, WHY_SHORTEST, "Distance %s; no other port leads there.", text_str(&t));
	else if (q->q[0] == w->q[0])
		decide_tie(x, w, q, d);
	else if (fewer->q[2] < w->q[2])
		decide(d, WHY_LIGHTER,
		       "Distance %s; port %u has %" PRId64 " fewer channels on the way, but distance %" PRId64
		       ".",
		       text_str(&t), fewer->port, w->q[2] - fewer->q[2], fewer->q[0]);
	else
		decide(d, WHY_SHORTEST, "Distance %s; port %u has %" PRId64 ".", text_str(&t), q->port,
		       q->q[0]);
	text_free(&t);
}

static void tell_entry(struct ds_run *x, uint32_t v, unsigned lid, struct ds_source from, unsigned port)
{
	static const char *const quantity[] = {"distance", "weight", "hops", "taken"};
	const struct observer *o = x->in->observer;
	const struct ds_graph *g = x->d->graph;
	struct decided d = {0}, against = {0};
	struct step st = {.kind = STEP_CHOICE,
			  .sw = g->sw[v],
			  .sw2 = g->sw[from.v],
			  .lid = lid,
			  .port = port,
			  .old_port = NO_PATH,
			  .quantity = quantity,
			  .n_quantities = ARRAY_LEN(quantity),
			  .candidate = x->candidate};

	if (o->sw != NO_ID && o->sw != st.sw)
		return;
	if (v == from.v) {
		st.rule = from.host ? rule_attached : rule_own;
	} else {
		st.n_candidates = list_ways(x, v);
		st.rule = port == NO_PATH ? rule_none : rule_of(x, v, st.n_candidates);
	}
	st.text = text_of(st.rule);
	if (!decide_common(x->in->topo, x->in->lids, st.sw, lid, port, &d)) {
		if (port == NO_PATH)
			decide(&d, WHY_TOO_FAR,
			       "No way is nearer than 2^31, which OpenSM takes for unreachable.");
		else
			decide_way(x, &st, 0, &d);
	}
	if (o->via && candidate_of(&st, o->via) && o->via != port && port != NO_PATH)
		decide_way(x, &st, o->via, &against);
	if (against.rule == WHY_SHORTEST && candidate_of(&st, o->via)->q[0] == INT64_MIN)
		decided_free(&against); /* nothing reached the switch there: no way to be compared */
	st.decided = d.rule ? &d : NULL;
	st.against = against.rule ? &against : NULL;
	observe(x->in, &st);
	decided_free(&d);
	decided_free(&against);
}

static void tell_destination(const struct ds_run *x, unsigned lid)
{
	static const char *const phase[] = {"compute node", "I/O node", "host", "switch"};
	const struct fabric *f = x->in->topo->fabric;
	uint32_t ep = lid_owner(x->in->lids, lid), i = 0;

	while (x->d->order.endport[i] != ep)
		i++;
	observe_text(x->in, STEP_NOTE, x->in->topo->endport_switch[ep],
		     "destination %" PRIu32 ": LID %u, %s %s", i + 1, lid, phase[x->d->order.phase[i]],
		     f->node_name[endport_node(f, ep)]);
}

void ds_tell_tree(struct ds_run *x, unsigned lid, struct ds_source from, const uint8_t *column)
{
	const struct observer *o = x->in->observer;

	if (o->lid && o->lid != lid)
		return;
	ds_rank_tree(x);
	tell_destination(x, lid);
	for (uint32_t i = 0; i < x->s->tree->n_order; i++)
		tell_entry(x, x->s->tree->order[i], lid, from, column[x->s->tree->order[i]]);
	for (uint32_t v = 0; v < x->d->graph->n; v++)
		if (x->rank[v] == NO_ID)
			tell_entry(x, v, lid, from, NO_PATH);
}

void ds_tell_weights(const struct ds_run *x)
{
	const struct ds_graph *g = x->d->graph;
	uint64_t least = UINT64_MAX, most = 0, sum = 0;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint64_t routes = ds_weight(x->s->link[e]) - g->start;

		least = routes < least ? routes : least;
		most = routes > most ? routes : most;
		sum += routes;
	}
	if (g->n_edges)
		observe_text(x->in, STEP_NOTE, NO_ID,
			     "routes per channel: least %" PRIu64 ", mean %.1f, most %" PRIu64, least,
			     (double)sum / g->n_edges, most);
}
