/* SSSP and DFSSSP in a recording: events, and the tables of a step; sentences are in sentences.c. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/routing/why_rule.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/dfsssp/events.h"

/* What a run is recorded by: values as the recording has them. */
struct ds_record {
	const struct engine_input *in;
	struct recorder *r;
	struct ds_kept *kept; /* of the recording */
	uint32_t *dist;	      /* [n] T_DIST */
	uint32_t *weight;     /* [n_edges] T_WEIGHT */
	uint32_t *nearest;    /* [n] distances as the search lowers them */
	uint8_t *taken;	      /* [n] it left the heap */
};

/* --- the search ------------------------------------------------------------------------------------- */

static void release(void *kept)
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
	rec_keep(k->r, k->kept, release);
	rec_cells(k->r, T_DIST, f->n_switches);
	rec_cells(k->r, T_WEIGHT, f->n_ports);
	return k;
}

void ds_record_free(struct ds_record *k)
{
	if (!k)
		return;
	free(k->dist);
	free(k->weight);
	free(k->nearest);
	free(k->taken);
	free(k);
}

void ds_record_plan(struct ds_record *k, const struct ds_order *o, struct ds_layers *l)
{
	ds_order_copy(&k->kept->order, o, k->kept->graph->n);
	k->kept->layers = l ? ds_layers_ref(l) : NULL;
}

/* The weight of a channel is now that; of the event before. */
static void set_weight(struct ds_record *k, uint32_t c, uint32_t now)
{
	const struct ds_graph *g = k->kept->graph;

	rec_delta(k->r, T_WEIGHT, switch_port_id(k->in->topo->fabric, g->sw[g->from[c]], g->port[c]),
		  k->weight[c], now);
	k->weight[c] = now;
}

void ds_record_graph(struct ds_record *k)
{
	for (uint32_t c = 0; c < k->kept->graph->n_edges; c++)
		set_weight(k, c, (uint32_t)k->kept->graph->start);
}

/* The distance of a switch is now that; of the event before. */
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

/*
 * Which rule took the channel by which v sends: as engines/dfsssp/watch.c tells `why`.  *tied: a port that is
 * as near; 0: none.
 */
static enum why_rule rule_of(const struct ds_run *x, uint32_t v, unsigned *tied)
{
	const struct ds_graph *g = x->d->graph;
	uint32_t chosen = x->s->tree->out[v], hops = x->hops[v];

	*tied = 0;
	for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++) {
		uint32_t u = g->to[c];
		uint64_t dist;

		if (c == chosen || x->rank[u] == NO_ID)
			continue;
		dist = x->s->tree->dist[u] + (uint64_t)ds_weight(x->s->link[c]);
		if (dist == x->s->tree->dist[v] && !*tied)
			*tied = g->port[c];
		hops = x->hops[u] + 1 < hops ? x->hops[u] + 1 : hops;
	}
	if (*tied)
		return WHY_TIE;
	return hops < x->hops[v] ? WHY_LIGHTER : WHY_SHORTEST;
}

/* What u, taken from the heap, makes nearer. */
static void relax(struct ds_record *k, const struct ds_run *x, uint32_t u, unsigned lid)
{
	const struct ds_graph *g = x->d->graph;

	for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++) {
		uint32_t v = g->to[c], back = g->mate[c];
		uint64_t dist = x->s->tree->dist[u] + (uint64_t)ds_weight(x->s->link[back]);

		if (k->taken[v] || dist >= k->nearest[v])
			continue;
		k->nearest[v] = (uint32_t)dist;
		if (!rec_wants(k->r, REC_RELAX, g->sw[v], lid))
			continue;
		rec_event(k->r, REC_RELAX, 0, g->port[back], g->sw[v], lid);
		set_distance(k, v, (uint32_t)dist);
	}
}

static void set_entry(struct ds_record *k, uint32_t v, unsigned lid, unsigned port)
{
	rec_delta(k->r, T_ENTRY, k->kept->graph->sw[v] * (k->in->lids->max_lid + 1u) + lid, NO_PATH, port);
}

static void choose(struct ds_record *k, uint32_t v, unsigned lid, enum why_rule rule, unsigned port)
{
	rec_event(k->r, REC_CHOICE, rule, port, k->kept->graph->sw[v], lid);
	set_entry(k, v, lid, port);
}

/* v leaves the heap. */
static void take(struct ds_record *k, const struct ds_run *x, uint32_t v, unsigned lid, unsigned port)
{
	unsigned tied;
	enum why_rule rule = rule_of(x, v, &tied);

	rec_event(k->r, REC_CHOICE, rule, port, k->kept->graph->sw[v], lid);
	if (x->hops[v] <= DS_MOST_HOPS)
		rec_flag(k->r, x->hops[v] * DS_ONE_HOP);
	set_entry(k, v, lid, port);
	set_distance(k, v, x->s->tree->dist[v]);
	if (tied)
		rec_extra(k->r, tied);
}

void ds_record_tree(struct ds_record *k, const struct ds_run *x, unsigned lid, struct ds_source from,
		    const uint8_t *column)
{
	const struct ds_graph *g = x->d->graph;
	const struct ds_tree *t = x->s->tree;

	rec_event(k->r, REC_TARGET, 0, 0, g->sw[from.v], lid);
	for (uint32_t v = 0; v < g->n; v++) {
		set_distance(k, v, NO_ID);
		k->nearest[v] = DS_INFINITE;
	}
	memset(k->taken, 0, g->n);
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t v = t->order[i];

		k->taken[v] = 1;
		if (v == from.v) {
			choose(k, v, lid, from.host ? WHY_ATTACHED : WHY_OWN_LID, column[v]);
			set_distance(k, v, t->dist[v]);
		} else {
			take(k, x, v, lid, column[v]);
		}
		relax(k, x, v, lid);
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (!k->taken[v])
			choose(k, v, lid, WHY_TOO_FAR, NO_PATH);
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
		gain = ds_weight(x->s->link[c]) - k->weight[c];
		n += gain > 0;
		if (gain > most) {
			most = gain;
			at = c;
		}
		set_weight(k, c, ds_weight(x->s->link[c]));
	}
	rec_extra(k->r, n);
	if (!n)
		return;
	rec_extra(k->r, dfsssp_channel_port(x->d, k->in->topo->fabric, at));
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
		uint32_t e = c->channel[i];

		rec_extra(in->record, switch_port_id(in->topo->fabric, g->sw[g->from[e]], g->port[e]));
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

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* How far a run has come. */
struct reach {
	uint32_t begun, weighed; /* LIDs */
	bool within;		 /* the search to the last of them goes on */
	bool layered;		 /* pairs have layers */
	uint32_t cuts;
	size_t shifts; /* step of the first, 0 = none */
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

/* Where a recording leaves the weights out they are counted anew. */
static void add_weights(struct dfsssp *d, const struct routing *end)
{
	const struct fabric *f = end->topo->fabric;
	uint32_t *routes = NEW_ARRAY(f->n_ports, uint32_t), n;
	uint16_t *lid = dfsssp_destinations(end, &n);

	dfsssp_add_routes(end, lid, 0, d->n_lids < n ? d->n_lids : n, routes, NULL);
	for (uint32_t c = 0; c < d->graph->n_edges; c++)
		d->weight[c] = (uint32_t)d->graph->start + routes[dfsssp_channel_port(d, f, c)];
	free(routes);
	free(lid);
}

static void put_weights(const struct walk *w, struct dfsssp *d, const struct reach *x,
			const struct routing *end)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;

	d->weight = NEW_ARRAY(d->graph->n_edges, uint32_t);
	for (uint32_t c = 0; c < d->graph->n_edges; c++)
		d->weight[c] = walk_value(w, T_WEIGHT, dfsssp_channel_port(d, f, c));
	if (end && x->weighed < d->n_lids)
		add_weights(d, end);
}

/* Cuts so far, with their cycles. */
static void put_cuts(struct ds_layers *l, const struct ds_layers *kept, uint32_t n)
{
	const struct ds_cut *last = n ? &kept->cut[n - 1] : NULL;

	if (!last)
		return;
	l->n_cuts = l->cap_cuts = n;
	l->cut = mem_dup(kept->cut, n * sizeof(*l->cut));
	l->n_cycle = l->cap_cycle = last->first + last->length;
	l->cycle_channel = mem_dup(kept->cycle_channel, l->n_cycle * sizeof(*l->cycle_channel));
	l->cycle_left = mem_dup(kept->cycle_left, l->n_cycle * sizeof(*l->cycle_left));
	l->need = last->layer + 2u;
}

/* Layers of the classes so far, and how many pairs each layer has of them. */
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

/* Lanes: one a layer, until the layers were shifted. */
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
	if (!kept) { /* refused before there were any */
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
	put_cuts(l, kept, x->cuts);
	put_classes(w, l, kept, k->graph);
	return l;
}

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct ds_kept *k = recording_kept(walk_recording(w));
	struct reach x = reach_of(w);
	struct dfsssp *d;

	if (!k)
		return NULL;
	d = NEW(struct dfsssp);
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

/* T_LAYER by source switch and LID. */
static bool name_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct sweep *s = recording_sweep(r);
	uint32_t row = s->lids->max_lid + 1u;

	if (t != T_LAYER)
		return false;
	text_add(out, "hosts of %s to LID %u", switch_name(s->fabric, at / row), at % row);
	return true;
}

const struct rec_scheme sssp_scheme = {
	.rule = ds_say_rule,
	.source = ds_say_source,
	.sentence = ds_say,
	.ops = &sssp_ops,
	.priv_at = priv_at,
};

const struct rec_scheme dfsssp_scheme = {
	.rule = ds_say_rule,
	.source = ds_say_source,
	.sentence = ds_say,
	.ops = &dfsssp_ops,
	.priv_at = priv_at,
	.cell = name_cell,
};
