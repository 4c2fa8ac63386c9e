/* Figures of a routing, alone and side by side with another one's. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/figures.h"
#include "core/analysis/compare/plan.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/sm/guid_names.h"

/* --- telling ------------------------------------------------------------------------------- */

#define FIGURE(which, key_, type_, name_, help_, decimals_, better_) \
	[FIG_##which] = {.key = (key_),                              \
			 .type = type_ "|null?",                     \
			 .column = (name_),                          \
			 .help = (help_),                            \
			 .decimals = (decimals_),                    \
			 .better = (better_)}

const struct field figure_fields[FIGURES + 1] = {
	FIGURE(UNREACHABLE, "unreachable", "integer", "pairs without a path", "=pairs without a path", 0, -1),
	FIGURE(HOPS_MEAN, "hops_mean", "number", "links of a path, mean", "=mean path", 3, -1),
	FIGURE(HOPS_MOST, "hops_max", "integer", "links of a path, most", "=longest path", 0, -1),
	FIGURE(ELEMENTS_MEAN, "elements_mean", "number", "elements of a path, mean", "=elements of a path", 3,
	       -1),
	FIGURE(ELEMENTS_MOST, "elements_max", "integer", "elements of a path, most",
	       "elements of a path, most", 0, -1),
	FIGURE(LOAD_LEAST, "load_min", "integer", "routes to LIDs, least",
	       "fewest routes on a link from all hosts to all LIDs of the others: `load-map lids`", 0, 1),
	FIGURE(LOAD_MEAN, "load_mean", "number", "routes to LIDs, mean", "such routes on a link, mean", 1,
	       -1),
	FIGURE(LOAD_MOST, "load_max", "integer", "routes to LIDs, most", "=routes to LIDs", 0, -1),
	FIGURE(EDGE_MOST, "edge_forwarding_max", "integer", "edge-forwarding index", "=edge-forwarding index",
	       0, -1),
	FIGURE(EDGE_MEAN, "edge_forwarding_mean", "number", "edge-forwarding, mean",
	       "such routes over a cable between switches, mean", 1, -1),
	FIGURE(BOUND, "edge_forwarding_bound", "integer", "bound of the cabling", "=bound of the cabling", 0,
	       0),
	FIGURE(USAGE_MOST, "usage_max", "integer", "LIDs sent by a port, most", "=LIDs sent by a port", 0,
	       -1),
	FIGURE(FIRST_MEAN, "first_links_mean", "number", "first links per host, mean",
	       "=first links per host", 2, 1),
	FIGURE(FIRST_LEAST, "first_links_min", "integer", "first links per host, least",
	       "first links per host, least", 0, 1),
	FIGURE(LINKS_MEAN, "links_mean", "number", "all links per host, mean", "=all links per host", 2, 1),
	FIGURE(LINKS_LEAST, "links_min", "integer", "all links per host, least", "all links per host, least",
	       0, 1),
	FIGURE(SLS, "sls", "string", "service levels", "=service levels", 0, 0),
	FIGURE(VLS, "vls_needed", "integer", "VLs needed", "=VLs needed", 0, -1),
	FIGURE(LOOPS, "credit_loops", "integer", "groups of credit loops", "=groups of credit loops", 0, -1),
	FIGURE(DIFFER, "entries_unlike_first", "integer", "LFT entries unlike first",
	       "entries unlike those of the first engine", 0, 0),
};

static void figures_sl_text(uint32_t sls, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (unsigned v = 0; v < 16 && at < size; v++) {
		unsigned hi = v;

		if (!(sls & 1u << v))
			continue;
		while (hi < 15 && sls & 1u << (hi + 1))
			hi++;
		at += snprintf(buf + at, size - at, "%s%u", at ? "," : "", v);
		if (hi > v && at < size)
			at += snprintf(buf + at, size - at, "-%u", hi);
		v = hi;
	}
}

const char *figure_text(const struct figures *f, enum figure which, char *buf, size_t size)
{
	assert(which < FIGURES);
	if (f->v[which] < 0)
		snprintf(buf, size, "-");
	else if (which == FIG_SLS)
		figures_sl_text(f->sls, buf, size);
	else
		snprintf(buf, size, "%.*f", figure_fields[which].decimals, f->v[which]);
	return buf;
}

int figure_order(const struct figures *a, const struct figures *b, enum figure which)
{
	assert(which < FIGURES);
	double scale = pow(10, figure_fields[which].decimals);
	long long x = llround(a->v[which] * scale), y = llround(b->v[which] * scale);

	return COMPARED(x, y);
}

/* --- paths and links ------------------------------------------------------------------------- */

#define MOST_LIDS 128 /* of a port: LMC is at most 7 */

/* Adds up one figure and its extreme. */
struct sum {
	uint64_t sum, n;
	uint32_t least, most;
};

static void sum_add(struct sum *s, uint32_t value, uint32_t times)
{
	if (!s->n || value < s->least)
		s->least = value;
	s->most = MAX(value, s->most);
	s->sum += (uint64_t)value * times;
	s->n += times;
}

static double sum_mean(const struct sum *s)
{
	return s->n ? (double)s->sum / (double)s->n : 0;
}

struct figures_walk {
	const struct routing *r;
	const struct elements *el;
	bool several;	 /* an element has several chips */
	uint32_t n;	 /* switches */
	uint32_t *hosts; /* [n] CA and router ports that are up on each */
	uint32_t *edge;	 /* switches with hosts */
	uint8_t *source; /* [n_edges] a host there has a LID */
	uint32_t n_edges;
	unsigned lid0;	  /* first of the columns, 0 = none yet */
	uint8_t *col;	  /* [MOST_LIDS][n] */
	uint16_t *hops;	  /* [MOST_LIDS][n] of one host port's LIDs */
	uint16_t *passed; /* [n] elements on the path from each switch, 0 = not known */
	uint32_t *work;
	uint32_t *stamp; /* [n_ports] case (see now) in which the port was last met */
	uint32_t now;
	uint64_t unreachable;
	struct sum length, elements, first, links;
};

static bool figures_is_host(const struct routing *r, uint32_t ep)
{
	return routing_counts(r, ep) && r->topo->endport_switch[ep] != NO_ID;
}

static void walk_init(void *arena, struct figures_walk *w, const struct routing *r, const struct elements *el)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t n = f->n_switches;
	AUTO_FREE uint8_t *with_lid = NEW_ARRAY(n + 1, uint8_t);

	*w = (struct figures_walk){
		.r = r,
		.el = el,
		.n = n,
		.hosts = ARENA_ARRAY(arena, n + 1, uint32_t),
		.edge = ARENA_ARRAY(arena, n + 1, uint32_t),
		.source = ARENA_ARRAY(arena, n + 1, uint8_t),
		.col = ARENA_ARRAY(arena, (size_t)MOST_LIDS * n + 1, uint8_t),
		.hops = ARENA_ARRAY(arena, (size_t)MOST_LIDS * n + 1, uint16_t),
		.passed = ARENA_ARRAY(arena, n + 1, uint16_t),
		.work = ARENA_ARRAY(arena, n + 1, uint32_t),
		.stamp = ARENA_ARRAY(arena, f->n_ports + 1, uint32_t),
	};
	for (uint32_t e = 0; el && e < el->n; e++)
		w->several |= element_chips(el, e) > 1;
	/* the switches with hosts */
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!figures_is_host(r, ep))
			continue;
		w->hosts[t->endport_switch[ep]] += t->endport_up[ep];
		with_lid[t->endport_switch[ep]] |= r->lids->base[ep] != 0;
	}
	for (uint32_t s = 0; s < n; s++) {
		if (!w->hosts[s])
			continue;
		w->source[w->n_edges] = with_lid[s];
		w->edge[w->n_edges++] = s;
	}
}

/* Count the elements on the paths to one LID, from its end. Elements entered twice count twice. */
static void count_elements(struct figures_walk *w, const uint8_t *col, const uint16_t *hops)
{
	const struct topo *t = w->r->topo;
	const uint32_t *of = w->el->of;

	memset(w->passed, 0, w->n * sizeof(*w->passed));
	for (uint32_t i = 0; i < w->n_edges; i++) {
		uint32_t x = w->edge[i], depth = 0;

		if (hops[x] >= HOPS_LOOP)
			continue;
		while (!w->passed[x]) {
			uint32_t next = t->peer_switch[switch_port_id(t->fabric, x, col[x])];

			if (next == NO_ID) {
				w->passed[x] = 1;
				break;
			}
			w->work[depth++] = x;
			x = next;
		}
		while (depth) {
			uint32_t y = w->work[--depth];

			w->passed[y] = (uint16_t)(w->passed[x] + (of[x] != of[y]));
			x = y;
		}
	}
}

/* Add the lengths of the paths from all hosts to one LID of a host on switch `own`. */
static void add_lengths(struct figures_walk *w, uint32_t own, const uint8_t *col, const uint16_t *hops)
{
	if (w->several)
		count_elements(w, col, hops);
	for (uint32_t i = 0; i < w->n_edges; i++) {
		uint32_t s = w->edge[i], n = w->hosts[s] - (s == own);

		if (!n)
			continue;
		if (hops[s] >= HOPS_LOOP) {
			w->unreachable += n;
			continue;
		}
		sum_add(&w->length, hops[s] + 1u, n);
		if (w->el)
			sum_add(&w->elements, w->several ? w->passed[s] : hops[s], n);
	}
}

/* Number of links on the paths from a switch to all LIDs of a host; 0 when none arrives. */
static uint32_t figures_count_links(struct figures_walk *w, uint32_t sw, const uint8_t *col, unsigned n_lids)
{
	const struct topo *t = w->r->topo;
	uint32_t links = 0;

	if (n_lids == 1)
		return w->hops[sw] < HOPS_LOOP ? w->hops[sw] - 1u : 0;
	w->now++;
	for (unsigned k = 0; k < n_lids; k++, col += w->n) {
		if (w->hops[(size_t)k * w->n + sw] >= HOPS_LOOP)
			continue;
		for (uint32_t x = sw;;) {
			uint32_t id = switch_port_id(t->fabric, x, col[x]);

			x = t->peer_switch[id];
			if (x == NO_ID)
				break;
			links += w->stamp[id] != w->now;
			w->stamp[id] = w->now;
		}
	}
	return links;
}

/* Number of ports by which a switch sends to the LIDs of a host. */
static uint32_t count_first(const struct figures_walk *w, uint32_t sw, const uint8_t *col, unsigned n_lids)
{
	uint64_t seen[4] = {0};

	for (unsigned k = 0; k < n_lids; k++) {
		unsigned port = col[(size_t)k * w->n + sw];

		if (port != NO_PATH)
			seen[port / 64] |= 1ull << port % 64;
	}
	return (uint32_t)(__builtin_popcountll(seen[0]) + __builtin_popcountll(seen[1]) +
			  __builtin_popcountll(seen[2]) + __builtin_popcountll(seen[3]));
}

static void figures_add_host(struct figures_walk *w, uint32_t ep)
{
	const struct topo *t = w->r->topo;
	unsigned base = w->r->lids->base[ep], count = w->r->lids->count[ep];
	uint32_t own = t->endport_switch[ep];

	if (!w->lid0 || base + count > w->lid0 + MOST_LIDS) {
		w->lid0 = base;
		routing_columns(w->r, base, MOST_LIDS, w->col);
	}
	const uint8_t *col = w->col + (size_t)(base - w->lid0) * w->n;
	for (unsigned k = 0; k < count; k++) {
		column_hops(t, col + (size_t)k * w->n, ep, w->hops + (size_t)k * w->n, w->work);
		add_lengths(w, own, col + (size_t)k * w->n, w->hops + (size_t)k * w->n);
	}
	for (uint32_t i = 0; i < w->n_edges; i++) {
		if (w->edge[i] == own || !w->source[i])
			continue;
		uint32_t first = count_first(w, w->edge[i], col, count);
		if (first)
			sum_add(&w->first, first, 1);
		uint32_t links = figures_count_links(w, w->edge[i], col, count);
		if (links)
			sum_add(&w->links, links, 1);
	}
}

/*
 * The same for all hosts with one LID each, by routing.exact: each way has that many links, and begins with
 * one port.  False: hosts have several LIDs, or the engine promises nothing.
 */
static bool add_exact(struct figures_walk *w)
{
	const struct routing *r = w->r;
	const struct topo *t = r->topo;
	AUTO_FREE uint32_t *to = NEW_ARRAY(w->n + 1, uint32_t); /* hosts with a LID on each switch */
	bool one = r->exact && !w->el && !r->adaptive;

	for (unsigned lid = 1; one && lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid);

		if (ep == NO_ID || r->lids->base[ep] != lid || !figures_is_host(r, ep))
			continue;
		one = r->lids->count[ep] == 1;
		to[t->endport_switch[ep]]++;
	}
	for (uint32_t i = 0; one && i < w->n_edges; i++) {
		uint32_t s = w->edge[i];

		for (uint32_t d = 0; d < w->n; d++) {
			unsigned links = s == d ? 0 : r->exact[(size_t)s * w->n + d];
			uint32_t n = w->hosts[s] - (s == d);

			if (!to[d])
				continue;
			if (links == NO_PATH)
				w->unreachable += (uint64_t)n * to[d];
			else if (n)
				sum_add(&w->length, links + 2u, n * to[d]);
			if (s == d || !w->source[i] || links == NO_PATH)
				continue;
			sum_add(&w->first, 1, to[d]);
			sum_add(&w->links, links, to[d]);
		}
	}
	return one;
}

/* --- usage --------------------------------------------------------------------------------- */

int figures_of_tables(const struct routing *r, const struct elements *el, struct figures *f,
		      struct progress *p)
{
	const struct lids *l = r->lids;
	const struct fabric *fb = r->topo->fabric;
	uint32_t most = 0;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct figures_walk w;
	bool done = true;

	assert(!el || fabric_alike(el->topo->fabric, fb));
	*f = (struct figures){0};
	for (unsigned i = 0; i < FIGURES; i++)
		f->v[i] = FIGURE_UNKNOWN;
	walk_init(arena, &w, r, el);
	progress_start(p, "following paths", l->max_lid);
	for (unsigned lid = add_exact(&w) ? l->max_lid + 1u : 1; done && lid <= l->max_lid; lid++) {
		uint32_t ep = lid_owner(l, lid);

		/* by LID, so that one block of columns serves many hosts */
		if (ep == NO_ID || l->base[ep] != lid || !figures_is_host(r, ep))
			continue;
		done = progress_step(p, lid);
		if (done)
			figures_add_host(&w, ep);
	}
	if (!done)
		return -1;
	for (uint32_t sw = 0; sw < fb->n_switches; sw++) {
		const struct lft_row *row = r->row[sw];
		uint32_t some[4][256] = {{0}},
			 count[256]; /* the same port may stand in many entries in a row */

		for (unsigned lid = 1; row && lid <= row->top; lid++)
			some[lid % 4][row->port[lid]]++;
		for (unsigned k = 0; k < 256; k++)
			count[k] = some[0][k] + some[1][k] + some[2][k] + some[3][k];
		for (unsigned k = 1; row && k <= fb->switch_nports[sw]; k++)
			if (r->topo->peer_switch[switch_port_id(fb, sw, k)] != NO_ID && count[k] > most)
				most = count[k];
	}
	if (w.length.n || w.unreachable)
		f->v[FIG_UNREACHABLE] = (double)w.unreachable;
	f->v[FIG_HOPS_MEAN] = sum_mean(&w.length);
	f->v[FIG_HOPS_MOST] = w.length.most;
	if (el) {
		f->v[FIG_ELEMENTS_MEAN] = sum_mean(&w.elements);
		f->v[FIG_ELEMENTS_MOST] = w.elements.most;
	}
	f->v[FIG_FIRST_MEAN] = sum_mean(&w.first);
	f->v[FIG_FIRST_LEAST] = w.first.least;
	f->v[FIG_LINKS_MEAN] = sum_mean(&w.links);
	f->v[FIG_LINKS_LEAST] = w.links.least;
	f->v[FIG_USAGE_MOST] = most;
	return 0;
}

/* --- loads, service levels, credit loops ------------------------------------------------------ */

/*
 * Moves sources that show the SLs of all hosts to the front of ep[n]; returns their number. If the switch
 * decides the SL, two CAs of each switch do: one is left when the other is the destination.
 */
static uint32_t take_sources(const struct routing *r, uint32_t *ep, uint32_t n)
{
	const struct fabric *f = r->topo->fabric;
	AUTO_FREE uint8_t *seen = NEW_ARRAY(f->n_switches + 1, uint8_t);
	uint32_t taken = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool alike = routing_sls_by_switch(r) ||
			     (routing_sls_by_source(r) && f->node_type[endport_node(f, ep[i])] == NODE_CA);

		if (!alike || seen[r->topo->endport_switch[ep[i]]]++ < 2)
			ep[taken++] = ep[i];
	}
	return taken;
}

/* Bits of the SLs from the sources to one LID. If the switch decides, a source's LIDs share one. */
static uint32_t sls_to(const struct routing *r, const uint32_t *src, uint32_t n, unsigned dlid,
		       const uint16_t *hops)
{
	uint32_t sls = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned base = r->lids->base[src[i]], count = r->lids->count[src[i]];

		if (src[i] == lid_owner(r->lids, dlid) || hops[r->topo->endport_switch[src[i]]] >= HOPS_LOOP)
			continue;
		for (unsigned slid = base; slid < base + (routing_sls_by_switch(r) ? 1 : count); slid++) {
			struct sl_range sl = routing_sl(r, slid, dlid);

			for (unsigned v = sl.lo; v <= sl.hi && v < 16; v++)
				sls |= 1u << v;
		}
	}
	return sls;
}

static int measure_sls(const struct routing *r, struct figures *f, struct progress *p)
{
	uint32_t n_switches = r->topo->fabric->n_switches, n = 0;
	AUTO_FREE uint32_t *ep = NEW_ARRAY(r->topo->fabric->n_endports + 1, uint32_t),
			   *work = NEW_ARRAY(n_switches + 1, uint32_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n_switches + 1, uint16_t);
	AUTO_FREE uint8_t *to = NEW_ARRAY(r->lids->max_lid + 2u, uint8_t); /* LIDs of hosts */
	int rc = 0;

	for (uint32_t i = 0; i < r->topo->fabric->n_endports; i++) {
		if (!r->lids->base[i] || !figures_is_host(r, i))
			continue;
		ep[n++] = i;
		memset(&to[r->lids->base[i]], 1, r->lids->count[i]);
	}
	n = take_sources(r, ep, n);
	f->sls = routing_has_sls(r) ? 0 : 1;
	progress_start(p, "looking up service levels", r->lids->max_lid);
	for (unsigned lid = 1; routing_has_sls(r) && lid <= r->lids->max_lid && !rc; lid++) {
		if (!to[lid])
			continue;
		dest_hops(r, lid, hops, work);
		f->sls |= sls_to(r, ep, n, lid, hops);
		rc = progress_step(p, lid) ? 0 : -1;
	}
	if (f->sls)
		f->v[FIG_SLS] = __builtin_popcount(f->sls);
	return rc;
}

/* l: loads of all LIDs, which are those of all pairs where no host has several. */
static int measure_edges(const struct routing *r, const struct elements *el, const struct loads *l,
			 struct figures *f, struct progress *p)
{
	const struct fabric *fb = r->topo->fabric;
	uint32_t n, most = 0;
	AUTO_FREE uint32_t *hosts = NEW_ARRAY(fb->n_switches + 1, uint32_t), *host = pattern_hosts(r, &n);
	AUTO_ARENA struct loads *all = NULL;
	bool several = false;
	uint64_t sum = 0, cables = 0;

	for (uint32_t i = 0; i < n; i++) {
		hosts[r->topo->endport_switch[host[i]]]++;
		several |= r->lids->count[host[i]] > 1;
	}
	if (several) {
		all = loads_new(r, &pattern_all, p);
		l = all;
	}
	for (uint32_t k = 0; l && k < fb->n_links; k++) {
		uint32_t a = fb->link_port[2 * k], b = fb->link_port[2 * k + 1],
			 both = l->port[a] + l->port[b];

		if (!node_is_switch(fb, fb->port_node[a]) || r->topo->peer_switch[a] == NO_ID ||
		    fb->port_node[a] == fb->port_node[b])
			continue;
		cables++;
		sum += both;
		most = MAX(both, most);
	}
	if (cables) {
		f->v[FIG_EDGE_MOST] = most;
		f->v[FIG_EDGE_MEAN] = (double)sum / (double)cables;
		f->v[FIG_BOUND] = (double)cabling_bound(r->topo, hosts, el);
	}
	return l ? 0 : -1;
}

/* All figures; other (NULL = none): the routing for the difference.  0; -1 when cancelled. */
static int figures_of_routing(const struct routing *r, const struct elements *el, const struct routing *other,
			      struct figures *f, struct progress *p)
{
	AUTO_ARENA struct loads *l = NULL;
	AUTO_ARENA struct cdg *g = NULL;

	if (figures_of_tables(r, el, f, p) || !(l = loads_new(r, &pattern_lids, p)))
		return -1;
	f->v[FIG_LOAD_LEAST] = l->min;
	f->v[FIG_LOAD_MEAN] = l->mean;
	f->v[FIG_LOAD_MOST] = l->max;
	int rc = measure_edges(r, el, l, f, p);
	if (rc || measure_sls(r, f, p) || !(g = cdg_new_loops(r, p, NULL)))
		return -1;
	f->v[FIG_LOOPS] = g->n_components;
	f->v[FIG_VLS] = r->ops->n_layers ? r->ops->n_layers(r) : 1;
	if (other)
		f->v[FIG_DIFFER] = (double)entries_unlike(other, r);
	return progress_cancelled(p) ? -1 : 0;
}

/* --- the request ----------------------------------------------------------------------------- */

struct side_request *side_request_new(const struct side_base *at, int argc, char **argv, struct err *e)
{
	struct side_request *rq = NEW(struct side_request);
	AUTO_OPTIONS struct options *opts = options_copy(at->setup->options);
	int rc = 0;

	rq->refs = 1;
	rq->list = at->list;
	for (int i = 0; i < argc && !rc; i++) {
		const struct engine *g = strchr(argv[i], '=') ? NULL : engine_find(rq->list, argv[i]);

		if (strchr(argv[i], '='))
			rc = options_assign(opts, at->setup->fabric, argv[i], e);
		else if (!g)
			rc = err_set(e, "there is no engine \"%s\"; `show engines` lists them", argv[i]);
		else if (rq->n == SIDES_MOST)
			rc = err_set_kind(e, ERR_LIMIT, "more than %d engines; expected fewer", SIDES_MOST);
		else
			rq->engine[rq->n++] = g;
	}
	rq->setup = setup_with(at->setup, &(struct setup){.options = opts});
	if (rc) {
		side_request_unref(rq);
		return NULL;
	}
	rq->lids_of = at->sweep ? sweep_ref(at->sweep) : NULL;
	return rq;
}

static void side_request_release(struct side_request *rq)
{
	setup_unref(rq->setup);
	sweep_unref(rq->lids_of);
	free(rq);
}

COUNTED(struct side_request, struct side_request, side_request_ref, side_request_unref, side_request_release)

bool side_request_equal(const struct side_request *a, const struct side_request *b)
{
	return a->lids_of == b->lids_of && a->n == b->n &&
	       !memcmp(a->engine, b->engine, a->n * sizeof(a->engine[0])) && setup_equal(a->setup, b->setup);
}

/* --- an engine ------------------------------------------------------------------------------- */

struct engine_figures *engine_figures_refused(const struct side_request *rq, unsigned i, const char *why)
{
	struct engine_figures *f = NEW(struct engine_figures);

	assert(i < rq->n);
	f->request = side_request_ref(rq);
	f->engine = rq->engine[i];
	f->refused = str_dup(why);
	f->notes = str_dup("");
	return f;
}

void engine_figures_free(struct engine_figures *f)
{
	if (!f)
		return;
	side_request_unref(f->request);
	if (f->routing)
		routing_unref(f->routing);
	free(f->refused);
	free(f->notes);
	free(f);
}

/* Only two figures need the grouping. Without it they stay unknown, and the notes say why. */
static int side_by_side_take(const struct sweep *w, const struct routing *other, struct figures *f,
			     struct text *notes, struct progress *p)
{
	bool known = options_find(w->setup->options, "chassis_file") != NULL;
	struct err e;
	struct elements *el = elements_new(
		w->topo, known ? options_file(w->setup->options, "chassis_file") : NULL, p, NULL, &e);

	text_add(notes, "%s", w->notes);
	if (!el)
		text_add(notes, "elements are not counted: %s\n", e.msg);
	int rc = figures_of_routing(w->routing, el, other, f, p);
	elements_unref(el);
	return rc;
}

struct sweep *side_sweep(const struct side_request *rq, unsigned i, struct progress *p, struct err *e)
{
	assert(i < rq->n);
	AUTO_FREE char *chain = str_printf("%s,no_fallback", rq->engine[i]->name);
	AUTO_SETUP const struct setup *setup = setup_with(rq->setup, &(struct setup){.chain = chain});

	return sweep_run(&(struct sweep_request){.setup = setup,
						 .engines = rq->list,
						 .restart = true,
						 .prev = rq->lids_of,
						 .progress = p},
			 e);
}

struct engine_figures *side_measure(const struct side_request *rq, unsigned i,
				    const struct engine_figures *first, struct progress *p, struct err *e)
{
	assert(!first || first->engine == rq->engine[0]);
	AUTO_SWEEP struct sweep *w = side_sweep(rq, i, p, e);
	struct engine_figures *f = NULL;
	AUTO_TEXT struct text notes = {0};
	struct figures measured;

	if (!w)
		return NULL;
	if (!w->routing) {
		f = engine_figures_refused(rq, i,
					   w->n_refusals ? w->refusal[0].why : "there is nothing to route");
	} else if (side_by_side_take(w, first ? first->routing : NULL, &measured, &notes, p)) {
		err_set(e, CANCELLED);
	} else {
		f = NEW(struct engine_figures);
		f->request = side_request_ref(rq);
		f->engine = rq->engine[i];
		f->notes = str_dup(text_str(&notes));
		f->routing = i ? NULL : routing_ref(w->routing);
		f->f = measured;
		if (!i)
			f->f.v[FIG_DIFFER] = 0;
	}
	return f;
}
