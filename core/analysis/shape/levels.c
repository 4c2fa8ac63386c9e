#include "core/analysis/shape/levels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/routing/distances.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/memory.h"
#include "core/base/order.h"

/* A switch with at least a quarter of the usual number of hosts is strong. */
#define STRONG_PART 4

/* Twice the median number of hosts on switches with hosts. Twice, so that it is a whole number. */
static uint64_t twice_median(const struct levels *l)
{
	uint32_t *n = NEW_ARRAY(l->n_switches + 1, uint32_t), with = 0;
	uint64_t twice = 0;

	for (uint32_t s = 0; s < l->n_switches; s++)
		if (l->hosts[s])
			n[with++] = l->hosts[s];
	qsort(n, with, sizeof(*n), order_u32);
	if (with)
		twice = (uint64_t)n[(with - 1) / 2] + n[with / 2];
	free(n);
	return twice;
}

/* Are less than half of the distinct neighbours strong? Then it is a small leaf, not a spine with hosts. */
static bool among_weak(const struct topo *t, const uint8_t *strong, uint32_t s, uint32_t *seen)
{
	unsigned neighbours = 0, n = 0;

	FOR_CABLES(t, s, port, d) {
		if (d == s || seen[d] == s + 1)
			continue;
		seen[d] = s + 1;
		neighbours++;
		n += strong[d];
	}
	return 2 * n < neighbours || !neighbours;
}

/* Finds links to the nearest edge switch, by one search from all edge switches. */
static void levels_find(struct levels *l, const struct topo *t)
{
	uint32_t *queue = NEW_ARRAY(l->n_switches + 1, uint32_t), n = 0;

	for (uint32_t s = 0; s < l->n_switches; s++) {
		l->level[s] = l->edge[s] ? 0 : NO_HOPS;
		if (l->edge[s])
			queue[n++] = s;
	}
	spread_hops(t, l->level, queue, n);
	free(queue);
}

static bool has_share(const struct levels *l, const struct topo *t, uint32_t s)
{
	FOR_PORTS(t->fabric, s, id)
		if (l->share[id] > 0)
			return true;
	return false;
}

/* Finds the root of a direct fabric: by least largest distance, then least sum, then id. false: cancelled. */
static bool find_middle(struct levels *l, const struct topo *t, struct progress *p)
{
	uint16_t *hops = NEW_ARRAY(l->n_switches, uint16_t);
	uint64_t best = UINT64_MAX;
	uint32_t middle = NO_ID;
	bool go_on = true;

	progress_start(p, "the middle", l->n_switches);
	for (uint32_t s = 0; s < l->n_switches && (go_on = progress_step(p, s)); s++) {
		uint64_t sum = 0, far = 0;

		if (l->level[s] != 0)
			continue;
		switch_distances(t, s, hops);
		for (uint32_t d = 0; d < l->n_switches; d++) {
			sum += hops[d] == NO_HOPS ? 0 : hops[d];
			far = hops[d] != NO_HOPS && hops[d] > far ? hops[d] : far;
		}
		if ((far << 48 | sum) >= best)
			continue;
		best = far << 48 | sum;
		middle = s;
	}
	free(hops);
	if (middle != NO_ID)
		l->root[middle] = 1;
	l->n_roots = middle != NO_ID;
	return go_on;
}

static bool find_roots(struct levels *l, const struct topo *t, struct progress *p)
{
	for (uint32_t s = 0; s < l->n_switches; s++)
		if (l->level[s] != NO_HOPS && l->level[s] > l->top && has_share(l, t, s))
			l->top = l->level[s];
	if (!l->top)
		return find_middle(l, t, p);
	for (uint32_t s = 0; s < l->n_switches; s++) {
		l->root[s] = l->level[s] == l->top && has_share(l, t, s);
		l->n_roots += l->root[s];
	}
	return true;
}

struct levels *levels_new(const struct topo *t, const uint32_t *hosts, struct progress *p)
{
	uint32_t n = t->fabric->n_switches, *on_edges = NEW_ARRAY(n, uint32_t);
	struct levels *l = NEW(struct levels);
	uint8_t *strong;
	uint32_t *seen;
	uint64_t median;

	l->n_switches = n;
	l->hosts = mem_dup(hosts, n * sizeof(*hosts));
	l->edge = NEW_ARRAY(n, uint8_t);
	l->level = NEW_ARRAY(n, uint16_t);
	l->root = NEW_ARRAY(n, uint8_t);
	strong = NEW_ARRAY(l->n_switches, uint8_t);
	seen = NEW_ARRAY(l->n_switches, uint32_t);
	median = twice_median(l);
	for (uint32_t s = 0; s < l->n_switches; s++)
		strong[s] = l->hosts[s] && 2ull * STRONG_PART * l->hosts[s] >= median;
	for (uint32_t s = 0; s < l->n_switches; s++) {
		l->edge[s] = strong[s] || (l->hosts[s] && among_weak(t, strong, s, seen));
		l->n_edges += l->edge[s];
	}
	free(seen);
	free(strong);
	levels_find(l, t);
	for (uint32_t s = 0; s < n; s++)
		on_edges[s] = l->edge[s] ? hosts[s] : 0;
	l->share = even_shares(t, on_edges, p);
	free(on_edges);
	if (l->share && find_roots(l, t, p))
		return l;
	levels_free(l);
	return NULL;
}

void levels_free(struct levels *l)
{
	if (!l)
		return;
	free(l->hosts);
	free(l->edge);
	free(l->level);
	free(l->share);
	free(l->root);
	free(l);
}

void levels_root_guids(const struct levels *l, const struct fabric *f, struct text *t)
{
	for (uint32_t s = 0; s < l->n_switches; s++)
		if (l->root[s])
			text_add(t, "0x%016" PRIx64 "\n", f->node_guid[f->switch_node[s]]);
}

void levels_host_guids(const struct levels *l, const struct topo *tp, const uint8_t *in, bool edge,
		       struct text *t)
{
	const struct fabric *f = tp->fabric;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (in[ep] && tp->endport_switch[ep] != NO_ID && l->edge[tp->endport_switch[ep]] == edge)
			text_add(t, "0x%016" PRIx64 "\n", f->port_guid[f->endport_port[ep]]);
}
