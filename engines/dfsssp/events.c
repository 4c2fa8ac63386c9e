/* What a run of SSSP or DFSSSP records, and how its choices are explained. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"

/* The state of a recorder: values as recorded so far. */
struct ds_record {
	const struct engine_input *in;
	struct recorder *r;
	struct ds_kept *kept; /* kept by the recording */
	uint32_t *dist;	      /* [n] T_DIST */
	uint32_t *weight;     /* [n_edges] T_WEIGHT */
	uint32_t *nearest;    /* [n] distances while the search lowers them */
	uint8_t *taken;	      /* [n] the vertex has left the heap */
};

/* --- the search ------------------------------------------------------------------------------------- */

static void dfsssp_events_release(void *kept)
{
	struct ds_kept *k = kept;

	ds_graph_unref(k->graph);
	ds_order_free(&k->order);
	ds_layers_unref(k->layers);
	free(k);
}

struct ds_record *ds_record_new(const struct ds_run *x)
{
	struct ds_record *k = NEW(struct ds_record);
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	const struct ds_graph *g = x->d->graph;

	k->in = in;
	k->r = in->record;
	k->kept = NEW(struct ds_kept);
	k->kept->graph = ds_graph_ref(x->d->graph);
	k->dist = NEW_ARRAY(g->n, uint32_t);
	memset(k->dist, 0xff, g->n * sizeof(*k->dist)); /* NO_ID */
	k->weight = NEW_ARRAY(g->n_edges, uint32_t);
	k->nearest = NEW_ARRAY(g->n, uint32_t);
	k->taken = NEW_ARRAY(g->n, uint8_t);
	rec_keep(k->r, k->kept, dfsssp_events_release);
	rec_cells(k->r, T_DIST, f->n_switches);
	rec_cells(k->r, T_WEIGHT, f->n_ports);
	return k;
}

void ds_record_free(struct ds_record *k)
{
	if (!k)
		return;
	FREE_EACH(k->dist, k->weight, k->nearest, k->taken, k);
}

void ds_record_plan(struct ds_record *k, const struct ds_order *o, struct ds_layers *l)
{
	ds_order_copy(&k->kept->order, o, k->kept->graph->n);
	k->kept->layers = l ? ds_layers_ref(l) : NULL;
}

/* Records the new weight of a channel, as part of the last event. */
static void set_weight(struct ds_record *k, uint32_t c, uint32_t now)
{
	rec_delta(k->r, T_WEIGHT, dfsssp_channel_port(k->kept->graph, k->in->topo->fabric, c), k->weight[c],
		  now);
	k->weight[c] = now;
}

void ds_record_graph(struct ds_record *k)
{
	for (uint32_t c = 0; c < k->kept->graph->n_edges; c++)
		set_weight(k, c, (uint32_t)k->kept->graph->start);
}

/* Records the new distance of a switch, as part of the last event. */
static void set_distance(struct ds_record *k, uint32_t v, uint32_t now)
{
	rec_delta(k->r, T_DIST, k->kept->graph->sw[v], k->dist[v], now);
	k->dist[v] = now;
}

void ds_record_trial(struct ds_record *k, const struct ds_run *x, struct ds_source from)
{
	const struct ds_tree *t = x->s->tree;

	if (from.v == NO_ID)
		return;
	rec_event(k->r, REC_TRIAL, 0, 0, k->kept->graph->sw[from.v],
		  k->in->lids->base[k->in->topo->sm_endport]);
	for (uint32_t i = 0; i < t->n_order; i++)
		set_distance(k, t->order[i], t->dist[t->order[i]]);
	rec_extra(k->r, t->n_order);
}

/* Records the vertices to which u, taken from the heap, gives a shorter distance. */
static void dfsssp_events_relax(struct ds_record *k, const struct ds_run *x, uint32_t u, unsigned lid)
{
	const struct ds_graph *g = x->d->graph;

	for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++) {
		uint32_t v = g->to[c], back = g->mate[c];
		uint64_t dist = x->s->tree->dist[u] + (uint64_t)x->s->weight[back];

		if (k->taken[v] || dist >= k->nearest[v])
			continue;
		k->nearest[v] = (uint32_t)dist;
		if (!rec_wants(k->r, REC_RELAX, g->sw[v], lid))
			continue;
		rec_event(k->r, REC_RELAX, 0, g->port[back], g->sw[v], lid);
		set_distance(k, v, (uint32_t)dist);
	}
}

/* Does the way from u, which was reached, lead over v? */
static bool dfsssp_events_leads_over(const struct ds_run *x, uint32_t u, uint32_t v)
{
	const uint32_t *out = x->s->tree->out;

	while (u != v && out[u] != NO_ID)
		u = x->d->graph->to[out[u]];
	return u == v;
}

/* Lists v's channels, each with the distance by that way. */
static void dfsssp_events_list_offers(const struct ds_run *x, struct ds_cause *c)
{
	const struct ds_graph *g = x->d->graph;
	const struct topo *t = x->in->topo;

	for (uint32_t e = g->first[c->v]; e < g->first[c->v + 1]; e++) {
		uint32_t u = g->to[e];
		int64_t weight = x->s->weight[e];
		struct rec_offer *o = &c->offer[c->n_offers++];

		*o = (struct rec_offer){.port = g->port[e],
					.peer = t->peer[dfsssp_channel_port(g, t->fabric, e)],
					.q = {INT64_MIN, weight, INT64_MIN, INT64_MIN}};
		if (o->port == c->port)
			c->own = o;
		if (x->rank[u] == NO_ID || dfsssp_events_leads_over(x, u, c->v))
			continue;
		o->q[DS_DISTANCE] = x->s->tree->dist[u] + weight;
		o->q[DS_HOPS] = x->hops[u] + 1;
		o->q[DS_TAKEN] = x->rank[u];
	}
}

static void dfsssp_events_compare_offers(const struct ds_run *x, struct ds_cause *c)
{
	const uint32_t *to = x->d->graph->to + x->d->graph->first[c->v];

	for (unsigned i = 0; i < c->n_offers; i++) {
		const struct rec_offer *o = &c->offer[i];

		if (o == c->own || o->q[DS_DISTANCE] == INT64_MIN)
			continue;
		if (!c->near || o->q[DS_DISTANCE] < c->near->q[DS_DISTANCE])
			c->near = o;
		if (!c->few || o->q[DS_HOPS] < c->few->q[DS_HOPS])
			c->few = o;
		if (!c->own || o->q[DS_DISTANCE] != c->own->q[DS_DISTANCE])
			continue;
		if (to[i] == to[c->own - c->offer])
			c->beside = o;
		else
			c->tie = o;
	}
}

enum why_rule ds_rule_of(const struct rec_offer *own, const struct rec_offer *near,
			 const struct rec_offer *few)
{
	if (near && near->q[DS_DISTANCE] == own->q[DS_DISTANCE])
		return WHY_TIE;
	return few && few->q[DS_HOPS] < own->q[DS_HOPS] ? WHY_LIGHTER : WHY_SHORTEST;
}

static void dfsssp_events_choose(struct ds_run *x, uint32_t v, unsigned lid, struct ds_source from,
				 unsigned port)
{
	struct ds_cause c = {.v = v, .lid = lid, .from = from, .port = (uint8_t)port, .offer = x->offer};
	struct ds_record *k = x->rec;
	uint32_t sw = x->d->graph->sw[v];

	if (!k && !rec_asks(x->in, sw, lid))
		return;
	if (v == from.v) {
		c.rule = from.host ? WHY_ATTACHED : WHY_OWN_LID;
	} else {
		dfsssp_events_list_offers(x, &c);
		dfsssp_events_compare_offers(x, &c);
		c.rule = port == NO_PATH ? WHY_TOO_FAR : ds_rule_of(c.own, c.near, c.few);
	}
	if (ASKED(x->in))
		ds_tell_choice(x, &c);
	if (!k)
		return;
	rec_event(k->r, REC_CHOICE, c.rule, c.port, sw, lid);
	if (v != from.v && port != NO_PATH && x->hops[v] <= DS_MOST_HOPS)
		rec_flag(k->r, x->hops[v] * DS_ONE_HOP);
	rec_delta(k->r, T_ENTRY, sw * (k->in->lids->max_lid + 1u) + lid, NO_PATH, c.port);
	if (port != NO_PATH)
		set_distance(k, v, x->s->tree->dist[v]);
	if (c.rule == WHY_TIE)
		rec_extra(k->r, c.near->port);
}

void ds_choices(struct ds_run *x, unsigned lid, struct ds_source from, const uint8_t *column)
{
	const struct ds_tree *t = x->s->tree;
	const struct ds_graph *g = x->d->graph;

	if (!x->rec && !rec_asks(x->in, x->in->ask->sw, lid))
		return;
	/* the place of each vertex in the order of extraction, and its hops to the destination's switch */
	memset(x->rank, 0xff, g->n * sizeof(*x->rank)); /* NO_ID */
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t v = t->order[i], c = t->out[v];

		x->rank[v] = i + 1;
		x->hops[v] = c != NO_ID ? x->hops[g->to[c]] + 1 : 0;
	}
	if (x->rec) {
		rec_event(x->rec->r, REC_TARGET, 0, 0, g->sw[from.v], lid);
		for (uint32_t v = 0; v < g->n; v++) {
			set_distance(x->rec, v, NO_ID);
			x->rec->nearest[v] = DS_INFINITE;
		}
		memset(x->rec->taken, 0, g->n);
	}
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t v = t->order[i];

		if (x->rec)
			x->rec->taken[v] = 1;
		dfsssp_events_choose(x, v, lid, from, column[v]);
		if (x->rec)
			dfsssp_events_relax(x->rec, x, v, lid);
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (x->rank[v] == NO_ID)
			dfsssp_events_choose(x, v, lid, from, NO_PATH);
}

void ds_record_weights(struct ds_record *k, const struct ds_run *x, unsigned lid)
{
	const struct ds_tree *t = x->s->tree;
	uint32_t n = 0, most = 0, at = 0;

	rec_event(k->r, REC_WEIGHTS, 0, 0, 0, lid);
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t c = t->out[t->order[i]], gain;

		if (c == NO_ID)
			continue;
		gain = x->s->weight[c] - k->weight[c];
		n += gain > 0;
		if (gain > most) {
			most = gain;
			at = c;
		}
		set_weight(k, c, x->s->weight[c]);
	}
	rec_extra(k->r, n);
	if (!n)
		return;
	rec_extra(k->r, dfsssp_channel_port(x->d->graph, k->in->topo->fabric, at));
	rec_extra(k->r, most);
	rec_extra(k->r, k->weight[at]);
}

/* --- layers ------------------------------------------------------------------------------------------ */

static void extra_count(struct recorder *r, uint64_t n)
{
	rec_extra(r, (uint32_t)n);
	rec_extra(r, (uint32_t)(n >> 32));
}

void ds_record_paths(const struct engine_input *in, const struct ds_graph *g, const struct ds_order *o,
		     const struct ds_layers *l)
{
	struct recorder *r = in->record;
	uint32_t row = in->lids->max_lid + 1u;

	rec_cells(r, T_LAYER, (size_t)in->topo->fabric->n_switches * row);
	rec_text(r, REC_PHASE, "pairs put in layers");
	rec_event(r, REC_PATHS, 0, 0, 0, 0);
	for (uint32_t i = 0; i < l->n_sources; i++)
		for (uint32_t j = 0; j < o->n; j++)
			for (unsigned n = 0;
			     ds_is_routed(in, o->endport[j]) && n < in->lids->count[o->endport[j]]; n++)
				rec_delta(r, T_LAYER,
					  g->sw[l->source[i]] * row + in->lids->base[o->endport[j]] + n,
					  rec_tables[T_LAYER].start, 0);
	extra_count(r, l->count[0]);
	rec_extra(r, (uint32_t)l->channels);
	rec_extra(r, (uint32_t)l->deps);
}

void ds_record_cycle(const struct engine_input *in, const struct ds_graph *g, const struct ds_cycle *c)
{
	rec_event(in->record, c->cut == NO_ID ? REC_CYCLE : REC_BREAK, 0, 0, c->cut, c->layer);
	for (uint32_t i = 0; i < c->length; i++) {
		rec_extra(in->record, dfsssp_channel_port(g, in->topo->fabric, c->channel[i]));
		rec_extra(in->record, c->left[i]);
	}
}

void ds_record_move(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned layer, bool opens)
{
	uint32_t pair = rec_pair(in, sw, in->topo->endport_switch[lid_owner(in->lids, lid)]);

	if (opens)
		rec_event(in->record, REC_OPEN, 0, 0, pair, layer + 1);
	rec_event(in->record, REC_MOVE, 0, layer, pair, layer + 1);
	rec_delta(in->record, T_LAYER, sw * (in->lids->max_lid + 1u) + lid, layer, layer + 1);
}

void ds_record_clean(const struct engine_input *in, const struct ds_layers *l, unsigned layer)
{
	uint32_t cuts = 0;

	for (uint32_t i = l->n_cuts; i && l->cut[i - 1].layer == layer; i--)
		cuts++;
	rec_event(in->record, REC_SEARCH, 0, 0, cuts, layer);
	extra_count(in->record, l->count[layer]);
}

void ds_record_split(const struct engine_input *in, const struct ds_layers *l, unsigned layer)
{
	rec_event(in->record, REC_SPLIT, 0, 0, l->width[layer], layer);
	extra_count(in->record, l->count[layer]);
}

void ds_record_shift(const struct engine_input *in, const struct ds_layers *l, unsigned layer)
{
	rec_event(in->record, REC_SHIFT, 0, 0, 0, layer);
	rec_extra(in->record, l->base[layer]);
	rec_extra(in->record, l->width[layer]);
	extra_count(in->record, l->count[layer]);
}
