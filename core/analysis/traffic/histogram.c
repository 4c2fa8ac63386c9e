#include "core/analysis/traffic/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/number.h"
#include "core/base/memory.h"
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
			struct bucket *k;

			if (t->peer_switch[port] == NO_ID)
				continue;
			k = &b->at[l->port[port] / step];
			if (k->first == NO_ID || l->port[port] > l->port[k->first])
				k->first = port;
			k->count++;
			b->all++;
		}
	return b;
}

/* --- lengths of paths ------------------------------------------------------------------------- */

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
		uint32_t s;

		if (!histogram_is_host(g->r, ep) || !t->endport_up[ep])
			continue;
		s = t->endport_switch[ep];
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
	uint8_t *col = NEW_ARRAY((size_t)COLUMN_BLOCK * n + 1, uint8_t);
	uint16_t *hops = NEW_ARRAY(n + 1, uint16_t);
	uint32_t *work = NEW_ARRAY(n + 1, uint32_t);
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
	free(col);
	free(hops);
	free(work);
	return go_on;
}

static struct buckets *histogram_fill(const struct lengths *g)
{
	unsigned low = 0, high = LONGEST;
	struct buckets *b;
	double sum = 0;

	while (low < LONGEST && !g->count[low])
		low++;
	while (high > low && !g->count[high])
		high--;
	b = buckets_new(g->count[low] ? high - low + 1 : 0, low, 1);
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
	struct lengths *g = NEW(struct lengths);
	struct buckets *b;

	g->r = r;
	g->hosts = NEW_ARRAY(n + 1, uint32_t);
	g->some = NEW_ARRAY(2 * (size_t)n + 2, uint32_t);
	g->none_first = NO_ID;
	memset(g->first, 0xff, sizeof(g->first));
	histogram_list_hosts(g);
	b = walk_lids(g, p) ? histogram_fill(g) : NULL;
	free(g->hosts);
	free(g->some);
	free(g);
	return b;
}
