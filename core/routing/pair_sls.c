#include "core/routing/pair_sls.h"
#include "core/base/memory.h"

#include <stdlib.h>

static void pair_sls_free(struct counted *c)
{
	struct pair_sls *p = (struct pair_sls *)c;

	free(p->first);
	free(p->member);
	free(p->to);
	free(p);
}

struct pair_sls *pair_sls_new(uint32_t n_endports)
{
	struct pair_sls *p = NEW(struct pair_sls);

	counted_init(&p->counted, pair_sls_free);
	p->n_endports = n_endports;
	return p;
}

/* OpenSM compares P_Keys as a little-endian machine reads them from the network. */
static unsigned order_of(const struct pkey_member *m)
{
	return (m->pkey & 0xffu) << 8 | m->pkey >> 8;
}

const struct pkey_member *pair_sls_common(const struct pair_sls *p, uint32_t a, uint32_t b)
{
	uint32_t i = p->first[a], k = p->first[b];

	while (i < p->first[a + 1] && k < p->first[b + 1]) {
		const struct pkey_member *x = &p->member[i], *y = &p->member[k];

		if (x->pkey == y->pkey && (x->full || y->full))
			return x;
		i += order_of(x) <= order_of(y);
		k += order_of(y) <= order_of(x);
	}
	return NULL;
}

bool pair_sls_share(const struct pair_sls *p, uint32_t a, uint32_t b)
{
	return p->one || !p->first || a == b || pair_sls_common(p, a, b);
}

unsigned pair_sls_of(const struct pair_sls *p, uint32_t from, uint32_t to)
{
	const struct pkey_member *m;

	if (p->one)
		return p->all;
	if (p->to && p->to[to] != NO_PAIR_SL)
		return p->to[to];
	m = p->first ? pair_sls_common(p, from, to) : NULL;
	return m ? m->sl : NO_PAIR_SL;
}
