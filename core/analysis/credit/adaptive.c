/* Channel dependencies where switches choose among ports: every way that a packet may take. */
#include <stdlib.h>
#include <string.h>
#include "core/analysis/credit/internal.h"
#include "core/base/memory.h"

/*
 * Does the choice of a port lead to the destination? *next: the next switch, NO_ID at the end. A pair is left
 * out as a whole if one of its ways fails: such routes never count.
 */
static bool credit_adaptive_leads_on(const struct cdg_counting *k, uint32_t sw, unsigned out, uint32_t owner,
				     uint32_t *next)
{
	uint32_t port = switch_port_id(k->f, sw, out), peer;

	*next = NO_ID;
	if (!out || out > k->f->switch_nports[sw])
		return false;
	peer = k->t->peer[port];
	if (peer == NO_ID)
		return false;
	*next = k->t->peer_switch[port];
	return *next == NO_ID ? k->f->port_endport[peer] == owner : k->hops[*next] < k->hops[sw];
}

/* Starts the routes of n sources on a switch. in: port of a single source; 0: all sources at once. */
static void start_routes(struct cdg_counting *k, const struct cdg_source *s, uint32_t n, unsigned in,
			 struct sl_range sl, uint32_t owner)
{
	const struct port_set *set = &k->ways.set[s->sw];
	bool counted = false;
	uint32_t next;

	for (unsigned out = port_set_next(set, 0); out < 256; out = port_set_next(set, out + 1)) {
		uint32_t slot = credit_adaptive_leads_on(k, s->sw, out, owner, &next)
					? cdg_start(k, s, in, sl, out, n, &counted)
					: CDG_NO_SLOT;

		if (slot != CDG_NO_SLOT)
			cdg_add_to(&k->leaving[slot], k->f->n_ports, switch_port_id(k->f, s->sw, out), n);
	}
}

/* Starts sources one by one, or all of a switch together. */
static void start_all(struct cdg_counting *k, unsigned lid, uint32_t owner)
{
	for (uint32_t i = 0, next; i < k->n_sources; i = next) {
		const struct cdg_source *s = &k->source[i];
		uint32_t own = 0;

		for (next = i;
		     next < k->n_sources && (next == i || (k->grouped && k->source[next].sw == s->sw));
		     next++)
			own += k->source[next].endport == owner;
		if (next - i == own || k->hops[s->sw] >= HOPS_LOOP)
			continue;
		start_routes(k, s, next - i - own, k->grouped ? 0 : s->in, routing_sl(k->r, s->lid, lid),
			     owner);
	}
}

/* Passes the flow of a port on to all ports that the next switch may choose. */
static void credit_adaptive_pass_on(struct cdg_counting *k, uint32_t sw, unsigned out, uint32_t owner)
{
	static const struct port_set none;
	uint32_t port = switch_port_id(k->f, sw, out), next, after;
	const struct port_set *set;
	unsigned in;

	if (!credit_adaptive_leads_on(k, sw, out, owner, &next))
		return;
	in = k->f->port_num[k->t->peer[port]];
	set = next == NO_ID ? &none : &k->ways.set[next];
	for (uint32_t i = 0; i < k->n_slots; i++) {
		uint32_t routes = k->leaving[i] ? k->leaving[i][port] : 0;

		if (!routes)
			continue;
		k->leaving[i][port] = 0;
		cdg_add_load(k, port, k->slot[i], routes);
		for (unsigned p = port_set_next(set, 0); p < 256; p = port_set_next(set, p + 1)) {
			uint32_t slot = credit_adaptive_leads_on(k, next, p, owner, &after)
						? cdg_pass(k, next, in, p, k->slot[i], routes)
						: CDG_NO_SLOT;

			if (slot != CDG_NO_SLOT)
				cdg_add_to(&k->leaving[slot], k->f->n_ports, switch_port_id(k->f, next, p),
					   routes);
		}
	}
}

void cdg_count_adaptive(struct cdg_counting *k, unsigned lid)
{
	uint32_t owner = lid_owner(k->r->lids, lid);

	dest_ways(k->r, lid, &k->ways);
	memcpy(k->hops, k->ways.worst, k->n * sizeof(*k->hops));
	cdg_sort_switches(k);
	start_all(k, lid, owner);
	for (uint32_t i = 0; i < k->n_order; i++) {
		uint32_t sw = k->order[i];
		const struct port_set *set = &k->ways.set[sw];

		for (unsigned out = port_set_next(set, 0); out < 256; out = port_set_next(set, out + 1))
			credit_adaptive_pass_on(k, sw, out, owner);
	}
}
