/* Bisections of a fabric, and histograms of what loads and paths count. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/routing/paths.h"

static struct buckets *buckets_new(uint32_t n, uint64_t low, uint64_t step)
{
	struct buckets *b = mem_alloc(sizeof(*b) + n * sizeof(*b->at));

	b->n = n;
	b->step = step;
	b->none_first = NO_ID;
	for (uint32_t k = 0; k < n; k++)
		b->at[k] = (struct bucket){
			.low = low + k * step, .high = low + (k + 1) * step - 1, .first = NO_ID};
	return b;
}

void buckets_free(struct buckets *b)
{
	free(b);
}

struct buckets *load_buckets(const struct routing *r, const struct loads *l, uint32_t most)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t end = MAX(most, l->max);
	uint64_t step = (uint64_t)round_step(end + 1.0, BUCKETS_MOST);
	struct buckets *b = buckets_new(l->n_links ? (uint32_t)(end / step + 1) : 0, 0, step);

	b->mean = l->n_links ? l->mean : 0;
	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, port) {
			if (t->peer_switch[port] == NO_ID)
				continue;
			struct bucket *k = &b->at[l->port[port] / step];
			if (k->first == NO_ID || l->port[port] > l->port[k->first])
				k->first = port;
			k->count++;
			b->all++;
		}
	return b;
}

#define LONGEST 512 /* links of a path; longer paths are counted with these */

struct lengths {
	const struct routing *r;
	uint32_t *hosts; /* [n_switches] hosts that are up and count */
	uint32_t *some;	 /* [n_switches] [2 * n_switches] the first two of these, or NO_ID */
	uint64_t count[LONGEST + 1];
	uint32_t first[LONGEST + 1];
	uint16_t lid[LONGEST + 1];
	uint64_t none;
	uint32_t none_first;
	uint16_t none_lid;
};

static bool histogram_is_host(const struct routing *r, uint32_t ep)
{
	return routing_counts(r, ep) && r->topo->endport_switch[ep] != NO_ID;
}

static void histogram_list_hosts(struct lengths *g)
{
	const struct topo *t = g->r->topo;

	memset(g->some, 0xff, 2 * (size_t)t->fabric->n_switches * sizeof(*g->some));
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++) {
		if (!histogram_is_host(g->r, ep) || !t->endport_up[ep])
			continue;
		uint32_t s = t->endport_switch[ep];
		if (g->hosts[s] < 2)
			g->some[2 * (size_t)s + g->hosts[s]] = ep;
		g->hosts[s]++;
	}
}

/* Paths of all hosts to one LID of endport `owner`. */
static void histogram_add_lid(struct lengths *g, uint32_t owner, unsigned lid, const uint16_t *hops)
{
	const struct topo *t = g->r->topo;

	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		uint32_t n = g->hosts[s] - (g->hosts[s] && s == t->endport_switch[owner]);
		const uint32_t *some = g->some + 2 * (size_t)s;
		uint32_t one = some[0] == owner ? some[1] : some[0];
		unsigned h = hops[s] + 1u;

		if (!n)
			continue;
		if (hops[s] >= HOPS_LOOP) {
			g->none += n;
			if (g->none_first == NO_ID) {
				g->none_first = one;
				g->none_lid = (uint16_t)lid;
			}
			continue;
		}
		h = MIN(h, LONGEST);
		g->count[h] += n;
		if (g->first[h] == NO_ID) {
			g->first[h] = one;
			g->lid[h] = (uint16_t)lid;
		}
	}
}

static bool walk_lids(struct lengths *g, struct progress *p)
{
	const struct lids *l = g->r->lids;
	uint32_t n = g->r->topo->fabric->n_switches;
	AUTO_FREE uint8_t *col = NEW_ARRAY((size_t)COLUMN_BLOCK * n + 1, uint8_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n + 1, uint16_t);
	AUTO_FREE uint32_t *work = NEW_ARRAY(n + 1, uint32_t);
	bool go_on = true;

	progress_start(p, "following paths", l->max_lid);
	for (unsigned lid0 = 1; lid0 <= l->max_lid && go_on; lid0 += COLUMN_BLOCK) {
		routing_columns(g->r, lid0, COLUMN_BLOCK, col);
		for (unsigned k = 0; k < COLUMN_BLOCK && lid0 + k <= l->max_lid && go_on; k++) {
			uint32_t owner = lid_owner(l, lid0 + k);

			if (owner == NO_ID || !histogram_is_host(g->r, owner))
				continue;
			go_on = progress_step(p, lid0 + k);
			column_hops(g->r->topo, col + (size_t)k * n, owner, hops, work);
			histogram_add_lid(g, owner, lid0 + k, hops);
		}
	}
	return go_on;
}

static struct buckets *histogram_fill(const struct lengths *g)
{
	unsigned low = 0, high = LONGEST;
	double sum = 0;

	while (low < LONGEST && !g->count[low])
		low++;
	while (high > low && !g->count[high])
		high--;
	struct buckets *b = buckets_new(g->count[low] ? high - low + 1 : 0, low, 1);
	for (uint32_t k = 0; k < b->n; k++) {
		b->at[k].count = g->count[low + k];
		b->at[k].first = g->first[low + k];
		b->at[k].lid = g->lid[low + k];
		b->all += b->at[k].count;
		sum += (double)(low + k) * (double)b->at[k].count;
	}
	b->mean = b->all ? sum / (double)b->all : 0;
	b->none = g->none;
	b->none_first = g->none_first;
	b->none_lid = g->none_lid;
	return b;
}

struct buckets *hop_buckets(const struct routing *r, struct progress *p)
{
	uint32_t n = r->topo->fabric->n_switches;
	AUTO_ARENA struct lengths *g = ARENA_NEW(NULL, struct lengths);

	g->r = r;
	g->hosts = ARENA_ARRAY(g, n + 1, uint32_t);
	g->some = ARENA_ARRAY(g, 2 * (size_t)n + 2, uint32_t);
	g->none_first = NO_ID;
	memset(g->first, 0xff, sizeof(g->first));
	histogram_list_hosts(g);
	return walk_lids(g, p) ? histogram_fill(g) : NULL;
}

struct ebb_sampler {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	bool maps;	      /* paths may end on VL 15: they are traced with VLs */
	uint32_t *congestion; /* [n_ports] flows of the sample; 0 between samples */
	uint32_t *channel;    /* channels of all ways, one after the other */
	size_t n_channels, cap_channels;
	size_t *first; /* [most flows + 1] where each way begins in channel[] */
	uint8_t *lost; /* [most flows] the flow has no way */
};

struct ebb_sampler *ebb_sampler_new(const struct routing *r, uint32_t most_flows)
{
	struct ebb_sampler *s = ARENA_NEW(NULL, struct ebb_sampler);

	s->r = r;
	s->t = r->topo;
	s->f = r->topo->fabric;
	s->maps = routing_has_maps(r);
	s->congestion = ARENA_ARRAY(s, s->f->n_ports + 1, uint32_t);
	s->first = ARENA_ARRAY(s, most_flows + 2, size_t);
	s->lost = ARENA_ARRAY(s, most_flows + 1, uint8_t);
	return s;
}

static void bisection_cross(struct ebb_sampler *s, uint32_t port)
{
	ARENA_GROW(s, s->channel, s->n_channels, s->cap_channels);
	s->channel[s->n_channels++] = port;
}

/* The way with SLs and VLs. False: there is none. */
static bool trace_way(struct ebb_sampler *s, uint32_t src, uint32_t dst)
{
	struct path p;

	path_trace(s->r, src, s->r->lids->base[src], s->r->lids->base[dst], &p);
	bool arrives = p.end == PATH_OK;
	for (unsigned i = 0; arrives && i < p.n; i++) {
		uint32_t port = switch_port_id(s->f, p.hop[i].sw, p.hop[i].out);

		if (s->t->peer_switch[port] != NO_ID)
			bisection_cross(s, port);
	}
	path_free(&p);
	return arrives;
}

/* The way by the tables alone. False: there is none. A loop ends after as many switches as exist. */
static bool walk_way(struct ebb_sampler *s, uint32_t src, uint32_t dst)
{
	unsigned lid = s->r->lids->base[dst];
	uint32_t sw = s->t->endport_switch[src];

	for (uint32_t i = 0; i <= s->f->n_switches; i++) {
		unsigned out = routing_next_port(s->r, sw, lid);

		if (!out || out > s->f->switch_nports[sw])
			return false;
		uint32_t port = switch_port_id(s->f, sw, out);
		sw = s->t->peer_switch[port];
		if (sw == NO_ID)
			return s->t->peer[port] == s->f->endport_port[dst];
		bisection_cross(s, port);
	}
	return false;
}

static void bisection_add_way(struct ebb_sampler *s, uint32_t flow, uint32_t src, uint32_t dst)
{
	size_t begin = s->n_channels;

	s->first[flow] = begin;
	s->lost[flow] = !(s->maps ? trace_way(s, src, dst) : walk_way(s, src, dst));
	if (s->lost[flow])
		s->n_channels = begin;
	for (size_t i = begin; i < s->n_channels; i++)
		s->congestion[s->channel[i]]++;
	s->first[flow + 1] = s->n_channels;
}

double ebb_sample(struct ebb_sampler *s, const uint32_t *host, uint32_t n, bool both)
{
	uint32_t flows = 0;
	double sum = 0;

	s->n_channels = 0;
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		bisection_add_way(s, flows++, host[i], host[i + 1]);
		if (both)
			bisection_add_way(s, flows++, host[i + 1], host[i]);
	}
	for (uint32_t i = 0; i < flows; i++) {
		uint32_t most = 1;

		for (size_t k = s->first[i]; k < s->first[i + 1]; k++)
			most = MAX(s->congestion[s->channel[k]], most);
		sum += s->lost[i] ? 0 : 1.0 / most;
	}
	for (size_t i = 0; i < s->n_channels; i++)
		s->congestion[s->channel[i]] = 0;
	return flows ? sum / flows : 0;
}

/* Mean and half width after one more sample (B. P. Welford's way: no sum of squares to cancel). */
static void bisection_take(struct ebb *e, double v, double *squares)
{
	double before = v - e->value;

	e->samples++;
	e->value += before / e->samples;
	*squares += before * (v - e->value);
	e->half_width = e->samples > 1 ? 1.96 * sqrt(*squares / (e->samples - 1) / e->samples) : 1;
}

/* The rails of pairs of hosts, those of even places to those behind them. */
static void pair_rails(const struct routing *r, const struct gpus *g, struct pattern *p)
{
	for (uint32_t i = 0; i + 1 < g->n_hosts; i += 2)
		for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++) {
			const struct gpu *to = gpu_on(g, i + 1, g->gpu[k].rail);

			if (to)
				pattern_add(r, g->gpu[k].endport, to->endport, 1, p);
		}
}

/* What the GPUs send with their hosts in an order; p is room for it. */
static int bisection_find_flows(const struct routing *r, const struct ebb_request *rq, const uint32_t *order,
				uint64_t *seed, struct pattern *p, struct err *e)
{
	struct gpus *g = gpus_in_order(rq->gpus, order);
	int rc = 0;

	p->n = 0;
	if (rq->pattern < 0)
		pair_rails(r, g, p);
	else if (rq->pattern == GPUS_ALLTOALL)
		pattern_gpus_step(r, g, 1 + rng_below(seed, g->n - 1), p);
	else
		rc = pattern_gpus(r, g, (enum gpu_pattern)rq->pattern, p, NULL, e);
	arena_free(g);
	return rc;
}

int ebb_estimate(const struct routing *r, const struct ebb_request *rq, struct progress *p, struct ebb *out,
		 struct err *e)
{
	assert(!rq->gpus || rq->pattern < GPU_PATTERNS);
	const struct gpus *g = rq->gpus;
	uint32_t n, *host = pattern_hosts(r, &n),
		    most = g ? 4 * n : n; /* flows: each in two trees, both ways */
	uint32_t *end = g ? NEW_ARRAY(2 * most + 1, uint32_t) : host; /* end[0] sends to end[1] and so on */
	uint64_t seed = rq->seed;
	AUTO_ARENA struct ebb_sampler *s = ebb_sampler_new(r, most);
	struct pattern flows = {0};
	double squares = 0;
	int rc = 0;

	n = g ? g->n_hosts : n;
	for (uint32_t i = 0; g && i < n; i++)
		host[i] = i;
	*out = (struct ebb){.hosts = n};
	progress_start(p, "bisections", EBB_MOST);
	while (!rc && n > 1 && out->samples < EBB_MOST &&
	       (out->samples < EBB_LEAST || out->half_width > EBB_HALF_WIDTH)) {
		shuffle(host, n, &seed);
		if (g)
			rc = bisection_find_flows(r, rq, host, &seed, &flows, e);
		for (size_t i = 0; i < flows.n; i++) {
			end[2 * i] = flows.flow[i].src;
			end[2 * i + 1] = flows.flow[i].dst;
		}
		if (!rc)
			bisection_take(out, ebb_sample(s, end, g ? 2 * (uint32_t)flows.n : n, rq->both),
				       &squares);
		if (!rc && !progress_step(p, out->samples))
			rc = err_set(e, CANCELLED);
	}
	pattern_free(&flows);
	if (g)
		free(end);
	free(host);
	return rc;
}
