#include "core/analysis/traffic/pattern.h"

#include <stdlib.h>

#include "core/analysis/traffic/shift.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/rng.h"

const struct pattern pattern_all = {.kind = PATTERN_ALL}, pattern_lids = {.kind = PATTERN_LIDS};

bool pattern_is_host(const struct routing *r, uint32_t endport)
{
	return routing_has_host(r, endport) && r->lids->base[endport];
}

static int pattern_by_lid(const void *x, const void *y, void *ctx)
{
	const struct lids *l = ctx;
	uint32_t a = l->base[*(const uint32_t *)x], b = l->base[*(const uint32_t *)y];

	return COMPARED(a, b);
}

uint32_t *pattern_hosts(const struct routing *r, uint32_t *n)
{
	uint32_t all = r->topo->fabric->n_endports, *ep = NEW_ARRAY(all + 1, uint32_t);

	*n = 0;
	for (uint32_t i = 0; i < all; i++)
		if (pattern_is_host(r, i))
			ep[(*n)++] = i;
	qsort_r(ep, *n, sizeof(*ep), pattern_by_lid, (void *)r->lids);
	return ep;
}

void pattern_add(const struct routing *r, uint32_t src, uint32_t dst, uint32_t weight, struct pattern *p)
{
	p->kind = PATTERN_LIST;
	if (src == dst || !pattern_is_host(r, src) || !pattern_is_host(r, dst)) {
		p->left_out += weight;
		return;
	}
	GROW(p->flow, p->n, p->cap);
	p->flow[p->n++] = (struct flow){src, dst, weight, r->lids->base[dst]};
}

void shuffle(uint32_t *a, uint32_t n, uint64_t *seed)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i + rng_below(seed, n - i), x = a[k];

		a[k] = a[i];
		a[i] = x;
	}
}

void pattern_shift(const struct routing *r, const struct shift_order *o, unsigned long k, struct pattern *p)
{
	uint32_t n = o->n;

	p->kind = PATTERN_LIST;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t src = o->place[i], dst = o->place[(i + k % n) % n];

		if (src != dst && src != NO_ID && dst != NO_ID)
			pattern_add(r, src, dst, 1, p);
	}
}

void pattern_bisection(const struct routing *r, uint64_t seed, struct pattern *p)
{
	uint32_t n, *host = pattern_hosts(r, &n);

	p->kind = PATTERN_LIST;
	shuffle(host, n, &seed);
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		pattern_add(r, host[i], host[i + 1], 1, p);
		pattern_add(r, host[i + 1], host[i], 1, p);
	}
	free(host);
}

static bool has_fixed_point(const uint32_t *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (to[i] == i)
			return true;
	return false;
}

void pattern_random(const struct routing *r, uint64_t seed, struct pattern *p)
{
	uint32_t n, *host = pattern_hosts(r, &n), *to = NEW_ARRAY(n + 1, uint32_t);

	p->kind = PATTERN_LIST;
	for (uint32_t i = 0; i < n; i++)
		to[i] = i;
	do
		shuffle(to, n, &seed);
	while (n > 1 && has_fixed_point(to, n));
	for (uint32_t i = 0; n > 1 && i < n; i++)
		pattern_add(r, host[i], host[to[i]], 1, p);
	free(host);
	free(to);
}

void pattern_to(const struct routing *r, const uint32_t *target, uint32_t n, struct pattern *p)
{
	uint32_t n_hosts, *host = pattern_hosts(r, &n_hosts);

	p->kind = PATTERN_LIST;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n_hosts; i++)
			if (host[i] != target[k])
				pattern_add(r, host[i], target[k], 1, p);
	free(host);
}

void pattern_free(struct pattern *p)
{
	free(p->flow);
	*p = (struct pattern){0};
}
