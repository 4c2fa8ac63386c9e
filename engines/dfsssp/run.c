/* SSSP and DFSSSP: the run, its graph, its searches, and the order of destinations. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/sm/port_groups.h"
#include "engines/counted/counted.h"
#include "engines/dfsssp/dfsssp.h"
#include "engines/engines.h"
#include "engines/heap4.h"

/* Order of destinations (engines/doc/dfsssp.md 4). */

bool ds_is_routed(const struct engine_input *in, uint32_t ep)
{
	const struct fabric *f = in->topo->fabric;

	return f->node_type[endport_node(f, ep)] != NODE_ROUTER;
}

/* Marks the endports that a file names. 1 when it names any GUID, -1 when refused. */
static int read_set(const struct engine_input *in, struct engine_output *out, const char *option,
		    const char *label, uint8_t mark, uint8_t *marks)
{
	struct guid_file g = {0};

	if (!options_file(in->options, option))
		return 0;
	option_guids_read(in->options, option, in->topo->fabric, manual_rules(in->options), in->progress, &g);
	int rc = g.n > 0;
	if (g.stopped)
		rc = err_set(&out->refused, "%s cannot be used (%s): %.300s%s", option, label, g.why.msg,
			     g.stopped == UINT32_MAX
				     ? ""
				     : "; by its manual (`set rules manual`) it ignores only the line");
	if (g.skipped)
		note_add(&out->notes, NOTE_RULES,
			 "%s: %s ignored as the manual says; OpenSM itself refuses to route then\n", option,
			 PLURAL(g.skipped, "invalid line"));
	for (size_t i = 0; rc > 0 && i < g.n; i++) {
		uint32_t ep = fabric_endport_by_guid(in->topo->fabric, g.l[i].guid);

		if (ep != NO_ID)
			marks[ep] |= mark;
	}
	guid_file_free(&g);
	return rc;
}

struct listing {
	const struct engine_input *in;
	const struct ds_graph *g;
	struct ds_order *o;
	const uint8_t *marks; /* [n_endports] bits DS_COMPUTE + 1, DS_IO + 1 */
	uint8_t *listed;      /* [n_endports] */
};

static void dfsssp_order_append(struct listing *l, uint32_t ep, enum ds_phase phase)
{
	if (l->listed[ep])
		return;
	l->listed[ep] = 1;
	l->o->endport[l->o->n] = ep;
	l->o->phase[l->o->n++] = phase;
}

/* Adds the ports on the switches that have this mark, or (0) that have none. */
static void dfsssp_order_append_hosts(struct listing *l, uint8_t mark, enum ds_phase phase)
{
	const struct topo *t = l->in->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t i = 0; i < l->g->n; i++) {
		uint32_t sw = l->g->sw[l->o->by_hosts[i]];

		FOR_PORTS(f, sw, port) {
			uint32_t q = t->peer[port];

			if (q == NO_ID || node_is_switch(f, f->port_node[q]))
				continue;
			uint32_t ep = f->port_endport[q];
			if (ep != NO_ID && (mark ? (l->marks[ep] & mark) : !l->marks[ep]))
				dfsssp_order_append(l, ep, phase);
		}
	}
}

static void dfsssp_order_tell(const struct listing *l, struct engine_output *out)
{
	uint32_t count[4] = {0}, both = 0;

	for (uint32_t i = 0; i < l->o->n; i++) {
		count[l->o->phase[i]]++;
		both += l->marks[l->o->endport[i]] == (DS_COMPUTE + 1) + (DS_IO + 1);
	}
	if (both)
		note_add(&out->notes, 0,
			 "%" PRIu32
			 " port%s named by cn_guid_file and io_guid_file both: routed as compute nodes\n",
			 both, both == 1 ? " is" : "s are");
	rec_phase(l->in, "order of destinations");
	rec_note(l->in,
		 "%" PRIu32 " compute nodes, %" PRIu32 " I/O nodes, %" PRIu32 " other hosts, %" PRIu32
		 " switches",
		 count[DS_COMPUTE], count[DS_IO], count[DS_OTHER], count[DS_SWITCH]);
}

static int ds_order_build(const struct engine_input *in, struct engine_output *out, const struct ds_graph *g,
			  struct ds_order *o)
{
	const struct fabric *f = in->topo->fabric;
	AUTO_FREE uint8_t *marks = NEW_ARRAY(f->n_endports, uint8_t);
	struct listing l = {.in = in, .g = g, .o = o, .marks = marks};
	int cn = read_set(in, out, "cn_guid_file", "AD33", DS_COMPUTE + 1, marks);
	int io = cn < 0 ? -1 : read_set(in, out, "io_guid_file", "AD35", DS_IO + 1, marks);

	*o = (struct ds_order){0};
	if (cn >= 0 && io >= 0) {
		uint64_t *key = NEW_ARRAY(g->n, uint64_t);

		o->by_hosts = NEW_ARRAY(g->n, uint32_t);
		o->endport = NEW_ARRAY(f->n_endports, uint32_t);
		o->phase = NEW_ARRAY(f->n_endports, uint8_t);
		l.listed = NEW_ARRAY(f->n_endports, uint8_t);
		/* by descending number of LIDs; ties keep their order, as with OpenSM's C library */
		for (uint32_t v = 0; v < g->n; v++)
			key[v] = (uint64_t)(UINT32_MAX - g->hosts[v]) << 32 | v;
		qsort(key, g->n, sizeof(*key), order_u64);
		for (uint32_t v = 0; v < g->n; v++)
			o->by_hosts[v] = (uint32_t)key[v];
		if (cn)
			dfsssp_order_append_hosts(&l, DS_COMPUTE + 1, DS_COMPUTE);
		if (io)
			dfsssp_order_append_hosts(&l, DS_IO + 1, DS_IO);
		dfsssp_order_append_hosts(&l, 0, DS_OTHER);
		for (uint32_t i = 0; i < g->n; i++)
			dfsssp_order_append(&l, f->port_endport[f->switch_port[g->sw[o->by_hosts[i]]]],
					    DS_SWITCH);
		assert(o->n <= f->n_endports);
		dfsssp_order_tell(&l, out);
		FREE_EACH(l.listed, key);
	}
	return cn < 0 || io < 0 ? -1 : 0;
}

void ds_order_copy(struct ds_order *to, const struct ds_order *o, uint32_t vertices)
{
	to->n = o->n;
	to->by_hosts = o->n ? mem_dup(o->by_hosts, vertices * sizeof(*o->by_hosts)) : NULL;
	to->endport = o->n ? mem_dup(o->endport, o->n * sizeof(*o->endport)) : NULL;
	to->phase = o->n ? mem_dup(o->phase, o->n * sizeof(*o->phase)) : NULL;
}

void ds_order_free(struct ds_order *o)
{
	FREE_EACH(o->by_hosts, o->endport, o->phase);
	*o = (struct ds_order){0};
}

/* Layer 0: the dependencies of all pairs, collected from the trees of the destinations
 * (engines/doc/dfsssp.md 6.2, 6.3). */

static void dfsssp_build_list_sources(struct ds_builder *b, const struct ds_order *o)
{
	const struct topo *t = b->in->topo;
	struct ds_layers *l = b->l;

	l->source = NEW_ARRAY(b->g->n, uint32_t);
	l->source_of = NEW_ARRAY(b->g->n, uint32_t);
	l->ca_lids = NEW_ARRAY(b->g->n, uint32_t);
	memset(l->source_of, 0xff, b->g->n * sizeof(*l->source_of));
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i];
		uint64_t lids = b->in->lids->count[ep];

		if (!ds_is_routed(b->in, ep))
			continue;
		b->pairs += lids;
		b->own += lids * lids;
		if (o->phase[i] == DS_SWITCH)
			continue;
		uint32_t v = b->g->id[t->endport_switch[ep]];
		if (l->source_of[v] == NO_ID) {
			l->source_of[v] = l->n_sources;
			l->source[l->n_sources++] = v;
		}
		l->ca_lids[l->source_of[v]] += lids;
		b->source[v] = 1;
	}
	b->pairs = b->pairs * b->pairs - b->own;
}

static struct ds_builder *ds_builder_new(const struct engine_input *in, const struct ds_graph *g,
					 const struct ds_order *o)
{
	struct ds_builder *b = NEW(struct ds_builder);

	b->in = in;
	b->g = g;
	b->o = o;
	b->l = NEW(struct ds_layers);
	b->l->refs = 1;
	b->source = NEW_ARRAY(g->n, uint8_t);
	b->passed = NEW_ARRAY(g->n, uint8_t);
	b->missing = NO_ID;
	b->at = ds_cdg_places(g);
	b->cdg = ds_cdg_new(g, b->at);
	dfsssp_build_list_sources(b, o);
	unsigned code = least_vls_code(in, &b->l->vls_port);
	b->l->vls = code ? vls_of_code(code) : 1;
	assert(b->l->vls <= DS_MAX_LAYERS);
	return b;
}

/* NULL is fine */
static void ds_builder_free(struct ds_builder *b)
{
	if (!b)
		return;
	ds_layers_unref(b->l);
	ds_cdg_free(b->cdg);
	FREE_EACH(b->at, b->source, b->passed, b->next, b->seen, b);
}

/* Has the tree a channel or dependency that is not listed, on the way of a pair? */
static void look_for_new(struct ds_builder *b, const struct ds_search *s, const uint32_t *next)
{
	const struct ds_cdg *c = b->cdg;

	for (uint32_t i = s->tree->n_order; i-- > 0;) {
		uint32_t v = s->tree->order[i];
		bool some = b->passed[v] || b->source[v];

		b->passed[v] = 0;
		if (!some || next[v] == NO_ID)
			continue;
		uint32_t u = b->g->to[next[v]];
		b->passed[u] = 1;
		b->fresh |= !c->known[next[v]] ||
			    (next[u] != NO_ID && !c->listed[ds_dependency(c, next[v], next[u])]);
	}
}

/* Adds the tree of the next LID of a destination. Call it before its routes are counted. */
static void ds_builder_add_tree(struct ds_builder *b, const struct ds_search *s, unsigned lid)
{
	uint32_t ep = lid_owner(b->in->lids, lid);
	uint32_t target = b->g->id[b->in->topo->endport_switch[ep]];
	size_t n = b->g->n;

	assert(target != NO_ID);
	if (b->n_trees == b->cap_trees) {
		b->cap_trees = b->cap_trees ? 2 * b->cap_trees : 1;
		b->next = mem_resize(b->next, b->cap_trees * n, sizeof(*b->next));
		b->seen = mem_resize(b->seen, b->cap_trees * n, sizeof(*b->seen));
	}
	uint32_t *next = b->next + b->n_trees++ * n;
	for (uint32_t v = 0; v < b->g->n; v++)
		next[v] = s->tree->out[v];
	for (uint32_t i = 0; s->tree->n_order < n && b->missing == NO_ID && i < b->l->n_sources; i++) {
		uint32_t source = b->l->source[i];

		if (s->tree->out[source] != NO_ID || source == target)
			continue;
		b->missing = source;
		b->missing_lid = lid;
	}
	look_for_new(b, s, next);
}

/* Lists the new channels and dependencies of one class, up to a switch that another class has passed. */
static void learn_path(struct ds_builder *b, unsigned tree, uint32_t v)
{
	const uint32_t *next = b->next + (size_t)tree * b->g->n;
	uint8_t *seen = b->seen + (size_t)tree * b->g->n;

	while (next[v] != NO_ID && !seen[v]) {
		uint32_t u = b->g->to[next[v]];

		seen[v] = 1;
		ds_cdg_learn_channel(b->cdg, next[v]);
		if (next[u] != NO_ID)
			ds_cdg_learn(b->cdg, next[v], next[u]);
		v = u;
	}
}

/* All LIDs of a destination were added. -1 and *e: a switch with CAs has no route to one of them (AD14). */
static int ds_builder_add_destination(struct ds_builder *b, struct err *e)
{
	const struct fabric *f = b->in->topo->fabric;

	if (b->fresh) {
		memset(b->seen, 0, (size_t)b->n_trees * b->g->n);
		for (uint32_t i = 0; i < b->l->n_sources; i++)
			for (unsigned t = 0; t < b->n_trees; t++)
				learn_path(b, t, b->l->source[i]);
	}
	b->fresh = false;
	b->n_trees = 0;
	if (b->missing == NO_ID)
		return 0;
	return err_set_kind(e, REFUSED_LIMIT,
			    "switch %s has CAs, but no route to LID %u: distances with %u LIDs pass the "
			    "limit of 2^31 (AD14)",
			    switch_name(f, b->g->sw[b->missing]), b->missing_lid, b->g->lids);
}

/* Dijkstra's search with OpenSM's heap. */

struct ds_heap {
	const struct ds_graph *g;
	const uint32_t *weight; /* of the current search */
	struct ds_tree tree;	/* vertex n is the destination CA port */
	uint32_t *rank;		/* [n + 1] */
	bool in_order;
	uint32_t limit;	   /* distances beyond this may be wrong */
	uint32_t reached;  /* number of vertices with a distance */
	uint32_t farthest; /* largest distance, once all are reached */
	struct heap4 q;	   /* vertices by distance */
	/* items and places of the heap at the start of a search */
	uint64_t *heap0;
	uint32_t *pos0;
};

struct ds_heap *ds_heap_new(const struct ds_graph *g)
{
	struct ds_heap *h = NEW(struct ds_heap);

	h->g = g;
	h->tree.dist = NEW_ARRAY(g->n + 1u, uint32_t);
	h->tree.out = NEW_ARRAY(g->n + 1u, uint32_t);
	h->tree.order = NEW_ARRAY(g->n + 1u, uint32_t);
	h->q = heap4_new(g->n + 1u);
	h->heap0 = NEW_ARRAY(g->n + 1u, uint64_t);
	h->rank = NEW_ARRAY(g->n + 1u, uint32_t);
	h->pos0 = NEW_ARRAY(g->n + 1u, uint32_t);
	for (uint32_t v = 0; v <= g->n; v++) {
		h->heap0[v] = heap4_item(DS_INFINITE, v);
		h->pos0[v] = v;
	}
	return h;
}

void ds_heap_free(struct ds_heap *h)
{
	if (!h)
		return;
	FREE_EACH(h->tree.dist, h->tree.out, h->tree.order);
	heap4_free(&h->q);
	FREE_EACH(h->heap0, h->pos0, h->rank, h);
}

/* Not inlined, like dfsssp_heap_lower(): this keeps the hot loops fast. */
static __attribute__((noinline)) uint64_t take_least(struct ds_heap *h)
{
	return heap4_take(&h->q);
}

/* --- the search ------------------------------------------------------------------------ */

static __attribute__((noinline)) void dfsssp_heap_lower(struct ds_heap *h, uint32_t v, uint32_t dist,
							uint32_t out)
{
	h->reached += h->tree.dist[v] == DS_INFINITE;
	h->tree.dist[v] = dist;
	h->tree.out[v] = out;
	heap4_lower(&h->q, v, dist);
}

static __attribute__((noinline)) void dfsssp_heap_relax(struct ds_heap *h, uint32_t u)
{
	const struct ds_graph *g = h->g;
	const uint32_t *dist = h->tree.dist;
	uint64_t here = dist[u];

	for (uint32_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
		uint32_t v = g->to[c], back = g->mate[c];
		uint64_t d = here + h->weight[back];

		/* skips vertices taken before: they are nearer */
		if (d < dist[v])
			dfsssp_heap_lower(h, v, (uint32_t)d, back);
	}
}

/*
 * Once all vertices are reached, can no item from this distance on shorten a distance? Every edge weighs
 * g->start or more, and distances only fall.
 */
static bool dfsssp_heap_is_over(struct ds_heap *h, uint32_t dist)
{
	if (h->in_order || h->reached < h->g->n)
		return false;
	if (h->farthest == DS_INFINITE) {
		h->farthest = dist;
		for (uint32_t i = 0; i < h->q.n; i++)
			if (heap4_key(h->q.item[i]) > h->farthest)
				h->farthest = heap4_key(h->q.item[i]);
	}
	return dist + h->g->start >= h->farthest;
}

/* Runs the search. Distances beyond h->limit are undefined. */
static void dfsssp_heap_run(struct ds_heap *h, struct ds_source from)
{
	uint32_t n = h->g->n, source = from.host ? n : from.v;

	assert(from.v < n);
	/* all start unreached, in the order of insertion, with the destination's CA port last */
	h->q.n = n + from.host;
	memcpy(h->q.item, h->heap0, (n + 1u) * sizeof(*h->q.item));
	memcpy(h->q.at, h->pos0, (n + 1u) * sizeof(*h->q.at));
	memset(h->tree.out, 0xff, (n + 1u) * sizeof(*h->tree.out)); /* NO_ID */
	for (uint32_t v = 0; v <= n; v++)
		h->tree.dist[v] = DS_INFINITE;
	for (uint32_t i = 0; i < HEAP4_SENTINELS; i++)
		h->q.item[h->q.n + i] = UINT64_MAX;
	h->tree.n_order = 0;
	h->reached = !from.host;
	h->farthest = DS_INFINITE;
	h->tree.dist[source] = 0;
	heap4_lower(&h->q, source, 0);
	while (h->q.n) {
		uint64_t e = take_least(h);
		uint32_t u = (uint32_t)e;

		if (heap4_key(e) > h->limit || heap4_key(e) == DS_INFINITE)
			break;
		if (u == n) {
			dfsssp_heap_lower(h, from.v, 1, NO_ID);
			continue;
		}
		h->tree.order[h->tree.n_order++] = u;
		if (dfsssp_heap_is_over(h, heap4_key(e))) {
			/* vertices still in the heap are leaves of the tree */
			for (uint32_t i = 0; i < h->q.n; i++)
				h->tree.order[h->tree.n_order++] = (uint32_t)h->q.item[i];
			break;
		}
		if (heap4_key(e) + h->g->start <= h->limit)
			dfsssp_heap_relax(h, u);
	}
}

const struct ds_tree *ds_heap_run(struct ds_heap *h, const uint32_t *weight, struct ds_source from,
				  bool in_order)
{
	h->weight = weight;
	h->in_order = in_order;
	h->limit = DS_INFINITE;
	dfsssp_heap_run(h, from);
	return &h->tree;
}

const uint32_t *ds_heap_ranks(struct ds_heap *h, const uint32_t *weight, struct ds_source from,
			      uint32_t limit)
{
	h->weight = weight;
	h->in_order = true;
	h->limit = limit;
	dfsssp_heap_run(h, from);
	for (uint32_t i = 0; i < h->tree.n_order; i++)
		h->rank[h->tree.order[i]] = i;
	return h->rank;
}

/* in_order: trees have distances, and vertices in the order of extraction from the heap. */
static struct ds_search *ds_search_new(const struct ds_graph *g, bool in_order)
{
	struct ds_search *s = NEW(struct ds_search);
	uint64_t hosts = 0;

	s->g = g;
	s->weight = NEW_ARRAY(g->n_edges + DS_BEHIND, uint32_t);
	for (uint32_t e = 0; e < g->n_edges; e++)
		s->weight[e] = (uint32_t)g->start;
	s->load = NEW_ARRAY(g->n, uint32_t);
	for (uint32_t v = 0; v < g->n; v++)
		hosts += g->hosts[v];
	s->heap = ds_heap_new(g);
	/* distances plus weights must fit in 32 bits, whatever the routes */
	if (!in_order && g->start + hosts * g->lids < UINT32_MAX - DS_INFINITE)
		s->levels = ds_levels_new(g, true);
	return s;
}

/* NULL is fine */
static void ds_search_free(struct ds_search *s)
{
	if (!s)
		return;
	FREE_EACH(s->weight, s->load);
	ds_heap_free(s->heap);
	ds_levels_free(s->levels);
	free(s);
}

static struct ds_source ds_source_of(const struct ds_graph *g, const struct topo *t, uint32_t ep)
{
	uint32_t sw = t->endport_switch[ep];

	return (struct ds_source){sw == NO_ID ? NO_ID : g->id[sw], !endport_is_switch(t->fabric, ep)};
}

static void ds_search_run(struct ds_search *s, struct ds_source from)
{
	s->tree = s->levels ? ds_levels_run(s->levels, s->weight, from, s->heap) : NULL;
	if (!s->tree)
		s->tree = ds_heap_run(s->heap, s->weight, from, !s->levels);
}

/* Counts the tree's routes on its channels: each switch sends one route for each of its LIDs. */
static void ds_search_load(struct ds_search *s)
{
	const uint32_t *to = s->g->to, *order = s->tree->order, *out = s->tree->out;
	uint32_t *load = s->load;

	memcpy(load, s->g->hosts, s->g->n * sizeof(*load));
	for (uint32_t i = s->tree->n_order; i-- > 1;) {
		uint32_t v = order[i], c = out[v];

		s->weight[c] += load[v];
		load[to[c]] += load[v];
	}
}

/* Switches and cables as SSSP sees them (engines/doc/dfsssp.md 3). */

static void add_edges(struct ds_graph *g, const struct engine_input *in)
{
	const struct fabric *f = in->topo->fabric;
	bool avoid = options_bool(in->options, "avoid_throttled_links");

	for (uint32_t v = 0; v < g->n; v++) {
		g->first[v] = g->n_edges;
		for (unsigned p = 1; p <= f->switch_nports[g->sw[v]]; p++) {
			uint32_t port = switch_port_id(f, g->sw[v], p), e = g->n_edges;
			uint32_t peer = in->topo->peer_switch[port];

			if (peer == NO_ID || g->id[peer] == NO_ID)
				continue;
			if (avoid && link_throttled(f, port)) {
				g->throttled += port < in->topo->peer[port]; /* count each cable once */
				continue;
			}
			g->from[e] = v;
			g->to[e] = g->id[peer];
			g->port[e] = p;
			g->to_port[e] = f->port_num[in->topo->peer[port]];
			g->of_port[port] = g->n_edges++;
		}
	}
	g->first[g->n] = g->n_edges;
	for (uint32_t e = 0; e < g->n_edges; e++)
		g->mate[e] = g->of_port[switch_port_id(f, g->sw[g->to[e]], g->to_port[e])];
}

struct ds_graph *ds_graph_new(const struct engine_input *in)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	struct ds_graph *g = NEW(struct ds_graph);
	uint32_t cables = 0;

	g->refs = 1;
	g->sw = NEW_ARRAY(f->n_switches, uint32_t);
	g->id = NEW_ARRAY(f->n_switches, uint32_t);
	g->of_port = NEW_ARRAY(f->n_ports, uint32_t);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		g->id[s] = switch_up(t, s) ? g->n : NO_ID;
		if (switch_up(t, s))
			g->sw[g->n++] = s;
	}
	for (uint32_t p = 0; p < f->n_ports; p++) {
		g->of_port[p] = NO_ID;
		cables += t->peer[p] != NO_ID;
	}
	g->first = NEW_ARRAY(g->n + 1u, uint32_t);
	g->hosts = NEW_ARRAY(g->n, uint32_t);
	g->from = NEW_ARRAY(cables, uint32_t);
	g->to = NEW_ARRAY(cables, uint32_t);
	g->port = NEW_ARRAY(cables, uint8_t);
	g->to_port = NEW_ARRAY(cables, uint8_t);
	g->mate = NEW_ARRAY(cables, uint32_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t sw = t->endport_switch[ep];

		if (!t->endport_up[ep])
			continue;
		if (f->node_type[endport_node(f, ep)] != NODE_ROUTER)
			g->lids += in->lids->count[ep];
		if (sw != NO_ID && g->id[sw] != NO_ID)
			g->hosts[g->id[sw]] += in->lids->count[ep];
	}
	g->start = (uint64_t)g->lids * g->lids;
	add_edges(g, in);
	assert(g->n_edges <= cables && g->first[g->n] == g->n_edges);
	return g;
}

static void ds_graph_release(struct ds_graph *g)
{
	FREE_EACH(g->sw, g->id, g->first, g->from, g->to, g->port, g->to_port, g->mate, g->of_port, g->hosts,
		  g);
}

COUNTED(struct ds_graph, struct ds_graph, ds_graph_ref, ds_graph_unref, ds_graph_release)

static void ds_layers_release(struct ds_layers *l)
{
	FREE_EACH(l->source, l->source_of, l->ca_lids, l->layer, l->cut, l->cycle_channel, l->cycle_left, l);
}

COUNTED(struct ds_layers, struct ds_layers, ds_layers_ref, ds_layers_unref, ds_layers_release)

/* SSSP and DFSSSP: the run over all destinations (engines/doc/dfsssp.md 3.5, 5). */

static int trial(struct ds_run *x, struct err *e)
{
	const struct topo *t = x->in->topo;
	struct ds_source from = ds_source_of(x->d->graph, t, t->sm_endport);
	uint32_t v = 0;

	ds_search_run(x->s, from);
	uint32_t lost = x->d->graph->n - x->s->tree->n_order;
	if (x->rec)
		ds_record_trial(x->rec, x, from);
	if (!lost)
		return 0;
	while (v == from.v || x->s->tree->out[v] != NO_ID)
		v++;
	return err_set_kind(
		e, x->d->graph->throttled ? REFUSED_PLAIN : REFUSED_LIMIT,
		"%u of %u switches are not reached from the subnet manager, %s for one: %s (AD0C)", lost,
		x->d->graph->n, switch_name(t->fabric, x->d->graph->sw[v]),
		x->d->graph->throttled ? "avoid_throttled_links leaves no way there"
				       : "distances count LIDs squared a link and end at 2^31");
}

/* --- tables ---------------------------------------------------------------------------------- */

static void route_lid(struct ds_run *x, unsigned lid, struct ds_source from, unsigned swport)
{
	const uint32_t n = x->d->graph->n;
	const uint8_t *port = x->d->graph->port;
	uint8_t *column; /* the LID's entries, one per vertex */

	ds_search_run(x->s, from);
	const uint32_t *out = x->s->tree->out;
	column = columns_next(&x->done, lid);
	for (uint32_t v = 0; v < n; v++)
		column[v] = out[v] == NO_ID ? NO_PATH : port[out[v]];
	column[from.v] = swport;
	if (x->rank)
		ds_choices(x, lid, from, column);
	if (x->b)
		ds_builder_add_tree(x->b, x->s, lid);
	ds_search_load(x->s);
	if (x->rec)
		ds_record_weights(x->rec, x, lid);
}

static void note_weights(const struct ds_run *x)
{
	const struct ds_graph *g = x->d->graph;
	uint64_t least = UINT64_MAX, most = 0, sum = 0;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint64_t routes = x->s->weight[e] - g->start;

		least = MIN(routes, least);
		most = MAX(routes, most);
		sum += routes;
	}
	if (g->n_edges)
		rec_note(x->in, "routes per channel: least %" PRIu64 ", mean %.1f, most %" PRIu64, least,
			 (double)sum / g->n_edges, most);
}

static int dfsssp_route_all(struct ds_run *x, struct err *e)
{
	const struct lids *lids = x->in->lids;
	const struct ds_order *o = &x->d->order;
	struct err missing = {0};
	bool failed = false;

	for (uint32_t v = 0; v < x->d->graph->n; v++) {
		x->r->row[x->d->graph->sw[v]] = lft_row_new(lids->max_lid);
		x->done.row[v] = x->r->row[x->d->graph->sw[v]]->port;
	}
	progress_start(x->in->progress, "shortest paths", o->n);
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i];
		struct ds_source from = ds_source_of(x->d->graph, x->in->topo, ep);

		if (!ds_is_routed(x->in, ep))
			continue;
		if (!progress_step(x->in->progress, i))
			return err_set(e, CANCELLED);
		for (unsigned k = 0; k < lids->count[ep]; k++)
			route_lid(x, lids->base[ep] + k, from, x->in->topo->endport_swport[ep]);
		if (x->b && ds_builder_add_destination(x->b, &missing))
			failed = true;
	}
	columns_write(&x->done);
	if (x->rec)
		note_weights(x);
	if (failed)
		*e = missing;
	return failed ? -1 : 0;
}

/* --- what a refusal leaves ----------------------------------------------------------------------- */

/* Leaves the counts to the next engines. A cancelled count is dropped. */
static void leave_counts(const struct ds_run *x)
{
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	bool switches = options_bool(in->options, "port_profile_switch_nodes");
	struct engine_output quiet = {0};
	uint8_t *ignored = in->marked ? ignored_ports_read(in, &quiet) : NULL; /* NULL: no port is marked */

	notes_free(&quiet.notes);
	if (!in->left->count)
		in->left->count = NEW_ARRAY(f->n_ports, uint32_t);
	for (uint32_t v = 0; v < x->d->graph->n && !progress_cancelled(in->progress); v++) {
		uint32_t sw = x->d->graph->sw[v];
		const uint8_t *port = x->r->row[sw]->port;
		bool marked = ignored && in->marked[sw];

		for (unsigned lid = 1; lid <= in->lids->max_lid; lid++) {
			uint32_t ep = port[lid] == NO_PATH ? NO_ID : lid_owner(in->lids, lid);

			if (ep == NO_ID || (!switches && endport_is_switch(f, ep)))
				continue;
			uint32_t id = switch_port_id(f, sw, port[lid]);
			in->left->count[id] += !marked || !ignored[id];
		}
	}
	free(ignored);
}

static void leave_hops(const struct ds_run *x)
{
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	size_t n = f->n_switches;

	if (!in->left->hops) {
		in->left->hops = mem_alloc(n * f->n_ports);
		memset(in->left->hops, NO_PATH, n * f->n_ports);
	}
	for (uint32_t d = 0; d < n && !progress_cancelled(in->progress); d++) {
		unsigned lid =
			switch_up(in->topo, d) ? in->lids->base[f->port_endport[f->switch_port[d]]] : 0;

		for (uint32_t v = 0; lid && v < x->d->graph->n; v++) {
			uint32_t sw = x->d->graph->sw[v];
			unsigned port = routing_port(x->r, sw, lid);
			uint8_t *least = in->left->hops + f->switch_port[sw] * n + d;

			if (sw == d || port == NO_PATH)
				continue;
			unsigned hops = dfsssp_hops(x->r, sw, lid);
			in->left->hops[switch_port_id(f, sw, port) * n + d] = hops;
			if (hops < *least)
				*least = hops;
		}
	}
}

/* --- the run ----------------------------------------------------------------------------------------- */

/* Is a file set by another engine's option, if that option exists? */
static bool file_is_given(const struct engine_input *in, const char *name)
{
	return options_find(in->options, name) && options_file(in->options, name);
}

static void start_run(struct ds_run *x, const struct engine_input *in, const char *name, bool layered)
{
	*x = (struct ds_run){.in = in, .d = NEW(struct dfsssp)};
	const struct ds_graph *g = x->d->graph = ds_graph_new(in);
	uint32_t n = g->n;
	x->s = ds_search_new(g, ASKED(in) || RECORDED(in));
	x->done = columns_new(n);
	x->r = routing_new(name, in->topo, in->lids);
	x->r->ops = layered ? &dfsssp_ops : &sssp_ops;
	x->r->priv = x->d;
	if (!ASKED(in) && !RECORDED(in))
		return;
	x->rec = RECORDED(in) ? ds_record_new(x) : NULL;
	x->rank = NEW_ARRAY(n, uint32_t);
	x->hops = NEW_ARRAY(n, uint32_t);
	x->offer = NEW_ARRAY(MAX_PORTS + 1, struct rec_offer);
	rec_phase(in, "graph");
	rec_note(in,
		 "%" PRIu32 " switches, %" PRIu32 " channels, %" PRIu32
		 " LIDs: every channel starts with weight %" PRIu64,
		 n, g->n_edges, g->lids, g->start);
	if (x->rec)
		ds_record_graph(x->rec);
	if (g->throttled)
		rec_note(in, "%" PRIu32 " throttled cables left out", g->throttled);
}

static struct routing *dfsssp_run(const struct engine_input *in, struct engine_output *out, const char *name,
				  bool layered)
{
	struct ds_run x;

	start_run(&x, in, name, layered);
	struct routing *r = x.r;
	if (trial(&x, &out->refused) || ds_order_build(in, out, x.d->graph, &x.d->order)) {
		routing_unref(r);
		r = NULL;
	} else {
		x.b = layered ? ds_builder_new(in, x.d->graph, &x.d->order) : NULL;
		if (x.rec)
			ds_record_plan(x.rec, &x.d->order, x.b ? x.b->l : NULL);
		rec_phase(in, "shortest paths to each destination");
		bool failed = dfsssp_route_all(&x, &out->refused);
		if (!failed && layered) {
			x.d->layers = ds_builder_finish(x.b, r, &out->refused);
			failed = !x.d->layers;
		}
		if (failed && in->left && !progress_cancelled(in->progress)) {
			leave_counts(&x);
			/* OpenSM's values are never too low, so they matter only with weights */
			if (in->left->hops || file_is_given(in, "hop_weights_file") ||
			    file_is_given(in, "lid_matrix_dump_file"))
				leave_hops(&x);
		}
		if (failed) {
			routing_unref(r);
			r = NULL;
		} else {
			x.d->weight = mem_dup(x.s->weight, x.d->graph->n_edges * sizeof(*x.s->weight));
		}
	}
	ds_search_free(x.s);
	ds_builder_free(x.b);
	ds_record_free(x.rec);
	columns_free(&x.done);
	FREE_EACH(x.rank, x.hops, x.offer);
	return r;
}

static struct routing *sssp_route(const struct engine_input *in, struct engine_output *out)
{
	return dfsssp_run(in, out, "sssp", false);
}

static struct routing *dfsssp_route(const struct engine_input *in, struct engine_output *out)
{
	return dfsssp_run(in, out, "dfsssp", true);
}

static const struct optdef dfsssp_options[] = {CN_GUID_FILE, IO_GUID_FILE, {0}};

/* Room for what a refusal leaves to other engines. */
static size_t left_size(const struct engine_input *in)
{
	bool leaves = in->left && (in->left->hops || options_file(in->options, "hop_weights_file"));

	return leaves ? (size_t)in->topo->fabric->n_switches * in->topo->fabric->n_ports : 0;
}

static size_t sssp_room(const struct engine_input *in, const char **what)
{
	size_t size = left_size(in);

	if (size)
		*what = "costs by port";
	return size;
}

/* Room per LID: the channel of each switch, and for each switch with hosts its layer and its place there. */
static size_t dfsssp_room(const struct engine_input *in, const char **what)
{
	const struct topo *t = in->topo;
	AUTO_FREE uint8_t *hosts = NEW_ARRAY(t->fabric->n_switches + 1u, uint8_t);
	size_t sources = 0;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (t->endport_up[ep] && t->endport_switch[ep] != NO_ID &&
		    !endport_is_switch(t->fabric, ep) && !hosts[t->endport_switch[ep]]) {
			hosts[t->endport_switch[ep]] = 1;
			sources++;
		}
	*what = "layers of pairs";
	return (in->lids->max_lid + 1u) * (t->n_switches_up + sources * (1 + sizeof(uint32_t))) +
	       left_size(in);
}

const struct engine engine_sssp = {
	.name = "sssp",
	.brief = "shortest paths that become longer with each route; not free of credit loops",
	.reference = "Hoefler, Schneider, Lumsdaine, HOTI 2009; as OpenSM 3.3.23",
	.options = dfsssp_options,
	.route = sssp_route,
	.room = sssp_room,
	.scheme = &sssp_scheme,
};

const struct engine engine_dfsssp = {
	.name = "dfsssp",
	.brief = "sssp with pairs put in layers free of credit loops",
	.reference = "Domke, Hoefler, Nagel, Deadlock-Free Oblivious Routing, IPDPS 2011; as OpenSM 3.3.23",
	.options = dfsssp_options,
	.route = dfsssp_route,
	.room = dfsssp_room,
	.scheme = &dfsssp_scheme,
};
