#include "core/analysis/compare/cabling.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/distances.h"

static uint64_t over(uint64_t pairs, uint64_t cables)
{
	return cables ? (pairs + cables - 1) / cables : 0;
}

/* Cables of a switch to others outside of its set; of: [n_switches] sets. */
static uint32_t leaving(const struct topo *t, uint32_t sw, const uint32_t *of)
{
	uint32_t n = 0;

	for (unsigned k = 1; k <= t->fabric->switch_nports[sw]; k++) {
		uint32_t to = t->peer_switch[switch_port_id(t->fabric, sw, k)];

		n += to != NO_ID && of[to] != of[sw];
	}
	return n;
}

/* The sets' bound.  all: [n_switches] hosts that a switch has a way to, its own among them. */
static uint64_t cuts_bound(const struct topo *t, const uint32_t *hosts, const uint64_t *all,
			   const uint32_t *of)
{
	uint32_t n = t->fabric->n_switches;
	uint64_t *inside = NEW_ARRAY(n + 1, uint64_t), *cut = NEW_ARRAY(n + 1, uint64_t), most = 0;

	for (uint32_t s = 0; s < n; s++) {
		if (of[s] == NO_ID)
			continue;
		inside[of[s]] += hosts[s];
		cut[of[s]] += leaving(t, s, of);
	}
	for (uint32_t s = 0; s < n; s++) {
		uint64_t in = of[s] == NO_ID ? 0 : inside[of[s]],
			 bound = in ? over(2 * in * (all[s] - in), cut[of[s]]) : 0;

		most = MAX(bound, most);
	}
	free(inside);
	free(cut);
	return most;
}

uint64_t cabling_bound(const struct topo *t, const uint32_t *hosts, const struct elements *el)
{
	uint32_t n = t->fabric->n_switches, *own = NEW_ARRAY(n + 1, uint32_t);
	uint16_t *hops = NEW_ARRAY(n + 1, uint16_t);
	uint64_t *all = NEW_ARRAY(n + 1, uint64_t), links = 0, ends = 0, most, cuts;

	for (uint32_t s = 0; s < n; s++)
		own[s] = s;
	for (uint32_t s = 0; s < n; s++) {
		ends += leaving(t, s, own);
		if (!hosts[s])
			continue;
		switch_distances(t, s, hops);
		for (uint32_t d = 0; d < n; d++) {
			if (hops[d] == NO_HOPS)
				continue;
			all[s] += hosts[d];
			links += (uint64_t)hosts[s] * hosts[d] * hops[d];
		}
	}
	for (uint32_t e = 0; el && e < el->n; e++) /* chips of one element reach the same hosts */
		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			for (uint32_t o = el->first_chip[e]; !all[el->chip[c]] && o < el->first_chip[e + 1];
			     o++)
				all[el->chip[c]] = all[el->chip[o]];
	most = over(links, ends / 2);
	cuts = cuts_bound(t, hosts, all, own);
	most = MAX(cuts, most);
	if (el)
		cuts = cuts_bound(t, hosts, all, el->of);
	most = MAX(cuts, most);
	free(own);
	free(hops);
	free(all);
	return most;
}
