/*
 * What a run of Nue records, and how its choices came about. Events of long runs may be left out, so the
 * recorded state of the search is kept here, and changes are recorded against it.
 */
#include <assert.h>
#include <string.h>

#include "core/base/memory.h"
#include "engines/nue/nue.h"

struct nue_record {
	unsigned lid, layer;
	bool outside;
	uint32_t *via, *dist; /* [n] as T_VIA, T_DIST */
	uint8_t *use;	      /* [n_edges] of the layer, as T_COLOUR */
	uint16_t *holder;     /* [n_edges] LID that brought it; 0: none, or an escape path */
	/* dependencies taken, refused or given back for the LID; those before `told` are recorded */
	uint32_t *touched;
	size_t n_touched, cap, told;
	uint32_t *way; /* [n_channels] scratch */
};

struct nue_record *nue_record_new(struct nue_run *x)
{
	struct nue_record *k = NEW(struct nue_record);
	const struct nue_graph *g = x->g;
	const struct fabric *f = x->in->topo->fabric;
	struct recorder *rec = x->in->record;

	k->via = NEW_ARRAY(g->n + 1u, uint32_t);
	k->dist = NEW_ARRAY(g->n + 1u, uint32_t);
	memset(k->via, 0xff, g->n * sizeof(*k->via));
	memset(k->dist, 0xff, g->n * sizeof(*k->dist));
	k->use = NEW_ARRAY(x->d->n_edges + 1u, uint8_t);
	k->holder = NEW_ARRAY(x->d->n_edges + 1u, uint16_t);
	k->way = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	rec_cells(rec, T_VIA, f->n_switches);
	rec_cells(rec, T_DIST, f->n_switches);
	rec_cells(rec, T_WEIGHT, f->n_ports);
	rec_cells(rec, T_COLOUR, (size_t)x->nue->vls.layers * x->d->n_edges);
	rec_keep(rec, nue_ref(x->nue), nue_let_go);
	return k;
}

void nue_record_free(struct nue_record *k)
{
	if (!k)
		return;
	FREE_EACH(k->via, k->dist, k->use, k->holder, k->touched, k->way, k);
}

/* --- changes that belong to the event ------------------------------------------------------------- */

/* Port by which packets leave the end of a channel; the search goes the other way. */
static uint32_t nue_events_port_of(const struct nue_run *x, uint32_t c)
{
	return switch_port_id(x->in->topo->fabric, x->g->sw[x->g->to[c]], x->g->rport[c]);
}

static void tell_use(struct nue_run *x, uint32_t e, uint8_t now)
{
	struct nue_record *k = x->record;

	rec_delta(x->in->record, T_COLOUR, x->layer * x->d->n_edges + e, k->use[e], now);
	k->use[e] = now;
}

static void tell_touched(struct nue_run *x)
{
	struct nue_record *k = x->record;

	for (; k->told < k->n_touched; k->told++) {
		uint32_t e = k->touched[k->told];

		if (k->use[e] == USE_ESCAPE)
			tell_use(x, e, USE_ESCAPE); /* it stays reserved */
		else if (nue_used(x->d, e))
			tell_use(x, e, x->d->edge_wet[e] ? USE_PRESENT : USE_KEPT);
		else
			tell_use(x, e, x->d->edge[e] == NUE_BLOCKED ? USE_BLOCKED : USE_NONE);
	}
}

static void nue_events_touch(struct nue_record *k, uint32_t e)
{
	GROW(k->touched, k->n_touched, k->cap);
	k->touched[k->n_touched++] = e;
}

/* Records by which port a node sends and how far it is, if that has changed. */
static void nue_events_tell_way(struct nue_run *x, uint32_t v)
{
	struct nue_record *k = x->record;
	uint32_t sw = x->g->sw[v], via = x->used[v] == NO_ID ? NO_ID : nue_events_port_of(x, x->used[v]);
	uint32_t dist = x->dist[v] == NUE_INF ? NO_ID : (uint32_t)MIN(x->dist[v], NO_ID - 1);

	rec_delta(x->in->record, T_VIA, sw, k->via[v], via);
	rec_delta(x->in->record, T_DIST, sw, k->dist[v], dist);
	k->via[v] = via;
	k->dist[v] = dist;
}

/*
 * Records the cycle that packets would close with the dependency c -> h of the search, and the holders of its
 * dependencies. It begins with the refused one.
 */
static void tell_cycle(struct nue_run *x, uint32_t c, uint32_t h)
{
	struct nue_record *k = x->record;
	uint32_t n = nue_way_back(x->d, c, h, k->way);

	/* the search found way[0] = h to way[n - 1] = c; packets pass h, then c, then the others backwards */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i ? k->way[n - i] : h, next = k->way[n - 1 - i];

		rec_extra(x->in->record, nue_events_port_of(x, at));
		rec_extra(x->in->record, i ? k->holder[nue_edge_of(x->d, next, at)] : k->lid);
	}
}

/* --- a layer ------------------------------------------------------------------------------------------ */

void nue_record_layer(struct nue_run *x)
{
	struct nue_record *k = x->record;

	k->layer = x->layer;
	memset(k->use, USE_NONE, x->d->n_edges);
	memset(k->holder, 0, x->d->n_edges * sizeof(*k->holder));
}

void nue_record_hull(struct nue_run *x, uint32_t u, uint32_t i, uint32_t j)
{
	rec_event(x->in->record, REC_HULL, i == NO_ID ? HULL_MEMBER : HULL_BETWEEN, 0, x->g->sw[u], x->layer);
	if (i == NO_ID)
		return;
	rec_extra(x->in->record, x->g->sw[i]);
	rec_extra(x->in->record, x->g->sw[j]);
}

void nue_record_centre(struct nue_run *x, uint32_t root)
{
	rec_event(x->in->record, REC_CENTRE, 0, 0, x->g->sw[root], x->layer);
}

void nue_record_escape(struct nue_run *x, const struct nue_layer *l, uint32_t u)
{
	unsigned port = u == l->root ? 0 : x->g->rport[l->escape[u]];

	rec_event(x->in->record, REC_ESCAPE, 0, port, x->g->sw[u], x->layer);
}

void nue_record_mark(struct nue_run *x, uint32_t e)
{
	tell_use(x, e, USE_ESCAPE);
}

void nue_record_layer_done(struct nue_run *x)
{
	rec_event(x->in->record, REC_LAYER, 0, 0, 0, x->layer);
}

/* --- a destination ---------------------------------------------------------------------------------- */

static void event(struct nue_run *x, enum rec_kind kind, unsigned rule, unsigned port, uint32_t node)
{
	rec_event(x->in->record, kind, rule, port, x->g->sw[node], x->record->lid);
}

void nue_record_begin(struct nue_run *x, unsigned lid, uint32_t src, bool outside)
{
	struct nue_record *k = x->record;

	assert(k);
	k->lid = lid;
	k->outside = outside;
	k->n_touched = k->told = 0;
	event(x, REC_TARGET, 0, outside ? NUE_OUTSIDE_LAYERS : x->layer, src);
	for (uint32_t v = 0; v < x->g->n; v++) {
		rec_delta(x->in->record, T_VIA, x->g->sw[v], k->via[v], NO_ID);
		rec_delta(x->in->record, T_DIST, x->g->sw[v], k->dist[v], v == src ? 0 : NO_ID);
		k->via[v] = NO_ID;
		k->dist[v] = v == src ? 0 : NO_ID;
	}
}

bool nue_record_try(struct nue_run *x, uint32_t h, uint32_t c)
{
	struct nue_record *k = x->record;
	struct nue_ccdg *d = x->d;
	uint32_t e = nue_edge_of(d, h, c), colour = nue_colour(d, c);
	bool fresh = !nue_used(d, e), refused = nue_try(d, h, c, x->colour);

	if (!fresh)
		return refused;
	nue_events_touch(k, e);
	if (refused) {
		event(x, REC_BLOCK, 0, x->g->rport[c], x->g->to[c]);
		tell_touched(x);
		tell_cycle(x, h, c);
	} else {
		k->holder[e] = k->lid;
	}
	if (!refused && colour != NUE_UNUSED && colour != x->colour) {
		event(x, REC_MERGE, 0, x->g->rport[c], x->g->to[c]);
		tell_touched(x);
		rec_extra(x->in->record, colour);
		rec_extra(x->in->record, x->colour);
	}
	return refused;
}

static void nue_events_look(struct nue_run *x, uint32_t c, uint64_t dist, unsigned rule)
{
	uint32_t v = x->g->to[c];

	if (!rec_wants(x->in->record, REC_LOOK, x->g->sw[v], x->record->lid))
		return;
	event(x, REC_LOOK, rule, x->g->rport[c], v);
	rec_extra(x->in->record, dist < NO_ID ? (uint32_t)dist : NO_ID);
}

/* Records the channels that an expanded node leads to, but that are not taken. */
void nue_record_expand(struct nue_run *x, uint32_t cur)
{
	const struct nue_graph *g = x->g;
	uint32_t v = nue_end(x->d, cur), back = cur < g->n_channels ? g->rev[cur] : NO_ID;

	for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++) {
		uint64_t dist = x->cd[cur] + x->weight[c];

		if (c == back)
			continue;
		if (dist >= x->dist[g->to[c]])
			nue_events_look(x, c, dist, LOOK_NOT_SHORTER);
		else if (x->d->edge[nue_edge_of(x->d, cur, c)] == NUE_BLOCKED)
			nue_events_look(x, c, dist, LOOK_BLOCKED);
	}
}

void nue_record_reach(struct nue_run *x, uint32_t v)
{
	event(x, REC_REACH, 0, x->g->rport[x->used[v]], v);
	nue_events_tell_way(x, v);
	tell_touched(x);
}

void nue_record_unpaint(struct nue_run *x, uint32_t e)
{
	if (!nue_used(x->d, e))
		x->record->holder[e] = 0;
	nue_events_touch(x->record, e);
}

/* --- backtracking and shortcuts ------------------------------------------------------------------------- */

void nue_record_backtrack(struct nue_run *x, const struct nue_way *w, enum nue_verdict verdict)
{
	struct recorder *rec = x->in->record;
	uint32_t a = x->g->to[w->c];

	event(x, REC_BACKTRACK, verdict, x->g->rport[w->h], w->u);
	if (verdict == NUE_TAKEN) {
		nue_events_tell_way(x, w->u);
		nue_events_tell_way(x, a);
	}
	tell_touched(x);
	rec_extra(rec, x->g->sw[a]);
	rec_extra(rec, x->g->sw[x->g->from[w->c]]);
	rec_extra(rec, w->number);
	rec_extra(rec, w->of);
	if (w->from != NO_ID && verdict != NUE_CYCLE) /* a cycle was recorded when it was refused */
		tell_cycle(x, w->from, w->to);
}

void nue_record_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, uint32_t forbids)
{
	event(x, REC_SHORTCUT, forbids == NO_ID ? SHORTCUT_TAKEN : SHORTCUT_REFUSED, x->g->rport[now], v);
	nue_events_tell_way(x, v);
	tell_touched(x);
	rec_extra(x->in->record, x->g->sw[x->g->from[old]]);
	rec_extra(x->in->record, forbids == NO_ID ? NO_ID : x->g->sw[forbids]);
}

void nue_record_fallback(struct nue_run *x)
{
	event(x, REC_FALLBACK, 0, 0, x->src);
	for (uint32_t v = 0; v < x->g->n; v++)
		nue_events_tell_way(x, v);
	rec_extra(x->in->record, x->g->n - x->count);
}

/* Dependencies of the routes stay in use; all others are given back. */
void nue_record_end_search(struct nue_run *x)
{
	struct nue_record *k = x->record;

	event(x, REC_RECOLOUR, 0, 0, x->src);
	k->told = 0;
	tell_touched(x);
	for (size_t i = 0; i < k->n_touched; i++)
		if (!nue_used(x->d, k->touched[i]))
			k->holder[k->touched[i]] = 0;
}

void nue_record_tree(struct nue_run *x)
{
	rec_event(x->in->record, REC_TREE, 0, 0, x->g->sw[x->src], 0);
	for (uint32_t v = 0; v < x->g->n; v++)
		nue_events_tell_way(x, v);
}

/* --- entries and weights ----------------------------------------------------------------------- */

/* Measures links and weights of all ways in their final state. */
static void nue_events_measure(struct nue_run *x, uint32_t src)
{
	memset(x->links, 0xff, x->g->n * sizeof(*x->links)); /* NO_ID */
	x->links[src] = 0;
	x->far[src] = 0;
	for (uint32_t v = 0; v < x->g->n; v++) {
		uint32_t n = 0, u = v;

		for (; x->links[u] == NO_ID; u = x->g->from[x->used[u]])
			x->queue[n++] = u;
		while (n--) {
			uint32_t next = x->queue[n];

			x->links[next] = x->links[u] + 1;
			x->far[next] = x->far[u] + (int64_t)x->weight[x->used[next]];
			u = next;
		}
	}
}

/* Does the way from a lead over v? */
static bool nue_events_leads_over(const struct nue_run *x, uint32_t a, uint32_t v)
{
	for (; a != x->src; a = x->g->from[x->used[a]])
		if (a == v)
			return true;
	return a == v;
}

static void nue_events_list_offers(const struct nue_run *x, uint32_t v, struct nue_cause *c)
{
	const struct nue_graph *g = x->g;

	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
		uint32_t a = g->to[k], in = g->rev[k];
		struct rec_offer *o = &c->offer[c->n_offers++];

		*o = (struct rec_offer){.port = g->lport[k],
					.peer = switch_port_id(x->in->topo->fabric, g->sw[a], g->rport[k]),
					.q = {INT64_MIN, INT64_MIN, (int64_t)x->weight[in], INT64_MIN}};
		if (o->port == c->port)
			c->own = o;
		if (nue_events_leads_over(x, a, v))
			continue;
		o->q[NUE_LINKS] = x->links[a] + 1;
		o->q[NUE_DISTANCE] = x->far[a] + (int64_t)x->weight[in];
		if (!(x->events & NUE_OUTSIDE))
			o->q[NUE_IS_BLOCKED] =
				x->d->edge[nue_edge_of(x->d, nue_way_into(x, a), in)] == NUE_BLOCKED;
	}
}

/* Finds offers that could beat the chosen one: the lightest blocked one, else one that is equally light. */
static void nue_events_compare_offers(struct nue_cause *c)
{
	const struct rec_offer *blocked = NULL, *equal = NULL;

	for (unsigned i = 0; i < c->n_offers; i++) {
		const struct rec_offer *o = &c->offer[i];
		int64_t far = o->q[NUE_DISTANCE];

		if (o == c->own || far == INT64_MIN)
			continue;
		if (o->q[NUE_IS_BLOCKED] != 1 && (!c->next || far < c->next->q[NUE_DISTANCE]))
			c->next = o;
		if (far > c->own->q[NUE_DISTANCE])
			continue;
		if (o->q[NUE_IS_BLOCKED] == 1 && far < c->own->q[NUE_DISTANCE])
			blocked = !blocked || far < blocked->q[NUE_DISTANCE] ? o : blocked;
		else if (o->q[NUE_IS_BLOCKED] != 1 && far == c->own->q[NUE_DISTANCE])
			equal = o;
	}
	c->lighter = blocked ? blocked : equal;
}

enum why_rule nue_rule_of(const struct rec_offer *own, const struct rec_offer *o)
{
	if (o && o->q[NUE_IS_BLOCKED] == 1 && o->q[NUE_DISTANCE] <= own->q[NUE_DISTANCE])
		return WHY_BLOCKED;
	if (o && o->q[NUE_DISTANCE] == own->q[NUE_DISTANCE])
		return WHY_TIE;
	return o && o->q[NUE_DISTANCE] > own->q[NUE_DISTANCE] && o->q[NUE_LINKS] < own->q[NUE_LINKS]
		       ? WHY_LIGHTER
		       : WHY_SHORTEST;
}

/* Finds the rule that led v to its port. */
static void find_cause(const struct nue_run *x, struct nue_cause *c, uint32_t src)
{
	static const enum why_rule rule[] = {[NUE_BY_BACKTRACKING] = WHY_BACKTRACK,
					     [NUE_BY_WAY_AROUND] = WHY_BACKTRACK,
					     [NUE_BY_SHORTCUT] = WHY_SHORTCUT};

	if (c->v == src) {
		c->rule = c->port ? WHY_ATTACHED : WHY_OWN_LID;
		return;
	}
	nue_events_list_offers(x, c->v, c);
	nue_events_compare_offers(c);
	if (x->events & NUE_FALLBACK)
		c->rule = WHY_ESCAPE;
	else if (!(x->events & NUE_OUTSIDE) && x->how[c->v] != NUE_BY_SEARCH)
		c->rule = rule[x->how[c->v]];
	else
		c->rule = nue_rule_of(c->own, c->lighter ? c->lighter : c->next);
}

void nue_choices(struct nue_run *x, unsigned lid, uint32_t src)
{
	uint32_t row = x->in->lids->max_lid + 1u;

	assert(x->how && (x->record || ASKED(x->in)));
	if (!x->record && !rec_asks(x->in, x->in->ask->sw, lid))
		return;
	nue_events_measure(x, src);
	for (uint32_t v = 0; v < x->g->n; v++) {
		uint32_t sw = x->g->sw[v];
		struct nue_cause c = {
			.v = v, .lid = lid, .src = src, .offer = x->offer, .port = x->r->row[sw]->port[lid]};

		if (!x->record && !rec_asks(x->in, sw, lid))
			continue;
		find_cause(x, &c, src);
		if (ASKED(x->in))
			nue_tell_choice(x, &c);
		if (!x->record)
			continue;
		event(x, REC_CHOICE, c.rule, c.port, v);
		rec_delta(x->in->record, T_ENTRY, sw * row + lid, NO_PATH, c.port);
	}
}

void nue_record_routed(struct nue_run *x)
{
	event(x, REC_ROUTED, 0, 0, x->src);
	for (uint32_t v = 0; v < x->g->n; v++) {
		uint32_t c = x->used[v];

		if (v == x->src)
			continue;
		uint64_t now = x->weight[c] - x->nue->first_weight;
		rec_delta(x->in->record, T_WEIGHT, nue_events_port_of(x, c), (uint32_t)(now - x->sum[v]),
			  (uint32_t)now);
	}
	rec_extra(x->in->record, x->events);
}
