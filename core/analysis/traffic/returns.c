#include "core/analysis/traffic/returns.h"

#include <stdlib.h>

#include "core/base/memory.h"

#define LONGEST 512 /* switches of a path; longer ones do not arrive */

/* Fills in[] with the ports where a path enters switches. Returns their number; -1: it does not arrive. */
static int returns_walk(const struct routing *r, uint32_t from, uint32_t to, unsigned lid, uint32_t *in)
{
	const struct topo *t = r->topo;
	uint32_t sw = t->endport_switch[from];
	int n = 0;

	while (sw != NO_ID && sw != t->endport_switch[to]) {
		unsigned out = routing_port(r, sw, lid);
		uint32_t port = out && out <= t->fabric->switch_nports[sw]
					? switch_port_id(t->fabric, sw, out)
					: NO_ID;

		if (port == NO_ID || t->peer_switch[port] == NO_ID || n == LONGEST)
			return -1;
		in[n++] = t->peer[port];
		sw = t->peer_switch[port];
	}
	return sw != NO_ID && routing_port(r, sw, lid) == t->endport_swport[to] ? n : -1;
}

int return_same(const struct routing *r, uint32_t a, unsigned lid_a, uint32_t b, unsigned lid_b)
{
	uint32_t there[LONGEST], back[LONGEST];
	int n = returns_walk(r, a, b, lid_b, there), m = returns_walk(r, b, a, lid_a, back);

	if (n < 0 || m < 0)
		return -1;
	for (int i = 0; i < n && n == m; i++)
		if (r->topo->peer[there[i]] != back[n - 1 - i])
			return 0;
	return n == m;
}

struct returns *returns_count(const struct routing *r, struct progress *p)
{
	const struct topo *t = r->topo;
	struct returns *x = NEW(struct returns);
	uint32_t *host = NEW_ARRAY(t->fabric->n_endports + 1, uint32_t), n = 0;
	uint64_t step;
	bool go_on = true;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (routing_has_host(r, ep) && r->lids->base[ep])
			host[n++] = ep;
	step = (uint64_t)n * n / 2 / RETURNS_MOST + 1;
	progress_start(p, "ways back", n);
	for (uint64_t i = 0; i < n && go_on; i += step)
		for (uint32_t k = (uint32_t)i + 1; k < n && (go_on = progress_step(p, i)); k++) {
			int same = return_same(r, host[i], r->lids->base[host[i]], host[k],
					       r->lids->base[host[k]]);

			x->pairs += same >= 0;
			x->other += same == 0;
		}
	free(host);
	if (go_on)
		return x;
	free(x);
	return NULL;
}
