/* What all ways of laying out a part use. */
#include "core/analysis/shape/internal.h"

uint32_t lpart_arc(const struct lpart *p, uint32_t u, uint32_t v)
{
	uint32_t lo = p->first[u], hi = p->first[u + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->to[mid] == v)
			return mid;
		if (p->to[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NO_ID;
}

uint32_t lpart_shared(const struct lpart *p, uint32_t u, uint32_t v)
{
	uint32_t i = p->first[u], j = p->first[v], n = 0;

	while (i < p->first[u + 1] && j < p->first[v + 1]) {
		uint32_t a = p->to[i], b = p->to[j];

		n += a == b;
		i += a <= b;
		j += b <= a;
	}
	return n;
}

uint32_t lpart_find(uint32_t *parent, uint32_t u)
{
	while (parent[u] != u) {
		parent[u] = parent[parent[u]];
		u = parent[u];
	}
	return u;
}

void lpart_join(uint32_t *parent, uint32_t u, uint32_t v)
{
	u = lpart_find(parent, u);
	v = lpart_find(parent, v);
	if (u < v)
		parent[v] = u;
	else
		parent[u] = v;
}

uint32_t lpart_number(uint32_t *parent, uint32_t n, uint32_t *of)
{
	uint32_t sets = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint32_t root = lpart_find(parent, u);

		of[u] = root == u ? sets++ : of[root];
	}
	return sets;
}
