/* Shortest ways and what the rule of up and down says of them; ports are chosen, and listeners told of ways.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/counted/assign.h"
#include "engines/updown/internal.h"

/* What the shortest ways of a switch may do, once all nearer switches are known. */
static uint8_t legal_ways(const struct ways *n, uint32_t sw)
{
	const struct fabric *f = n->in->topo->fabric;
	uint8_t legal = 0;

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t r = peer_of(n, sw, p);
		char c = updown_direction(n->u, n->in->topo, sw, p);

		if (r == NO_ID || n->dist[r] + 1 != n->dist[sw])
			continue;
		if (c == 'U')
			legal |= n->legal[r] & LEGAL;
		else if (n->legal[r] & (c == 'D' || n->u->id ? LEGAL_AFTER_DOWN : LEGAL))
			legal |= LEGAL | LEGAL_AFTER_DOWN;
	}
	return legal;
}

void ways_measure(struct ways *n, uint32_t target)
{
	const struct fabric *f = n->in->topo->fabric;
	uint32_t end = 0;

	if (n->target == target)
		return;
	n->target = target;
	memset(n->dist, 0xff, f->n_switches * sizeof(*n->dist));
	n->dist[target] = 0;
	n->queue[end++] = target;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t s = n->queue[i];

		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t r = peer_of(n, s, p);

			if (r == NO_ID || n->dist[r] != FAR)
				continue;
			n->dist[r] = n->dist[s] + 1;
			n->queue[end++] = r;
		}
	}
	n->legal[target] = LEGAL | LEGAL_AFTER_DOWN;
	for (uint32_t i = 1; i < end; i++)
		n->legal[n->queue[i]] = legal_ways(n, n->queue[i]);
}

static void end_run(struct way_text *w)
{
	if (!w->len)
		return;
	text_add(&w->t, "%s%s", w->t.len ? " then " : "",
		 w->run == 'U'	 ? "up"
		 : w->run == 'D' ? "down"
				 : "level");
	if (w->len > 1)
		text_add(&w->t, " %u", w->len);
	w->len = 0;
}

static void add_hop(const struct ways *n, struct way_text *w, uint32_t sw, unsigned port)
{
	char c = updown_direction(n->u, n->in->topo, sw, port);

	if (c == 'U' && w->down && w->turn == NO_ID)
		w->turn = sw;
	w->down = c == 'D' || (w->down && n->u->id);
	if (c != w->run)
		end_run(w);
	w->run = c;
	w->len++;
	w->hops++;
}

void way_by_matrix(const struct ways *n, uint32_t sw, unsigned port, uint32_t target, struct way_text *w)
{
	const struct topo *t = n->in->topo;
	const struct fabric *f = t->fabric;

	while (sw != target && w->hops < 2u * f->n_switches) {
		unsigned least;

		add_hop(n, w, sw, port);
		sw = peer_of(n, sw, port);
		if (sw == NO_ID || sw == target)
			break;
		least = hops_least(n->u->hops, sw, target);
		for (port = 1; port <= f->switch_nports[sw]; port++)
			if (peer_of(n, sw, port) != NO_ID &&
			    hops_value(n->u->hops, t, sw, target, port) == least)
				break;
		if (port > f->switch_nports[sw])
			break;
	}
	end_run(w);
}

void way_shortest(const struct ways *n, uint32_t sw, struct way_text *w)
{
	const struct fabric *f = n->in->topo->fabric;

	while (n->dist[sw]) {
		unsigned port = 1;

		while (peer_of(n, sw, port) == NO_ID || n->dist[peer_of(n, sw, port)] + 1 != n->dist[sw])
			if (++port > f->switch_nports[sw])
				return;
		add_hop(n, w, sw, port);
		sw = peer_of(n, sw, port);
	}
	end_run(w);
}

/* --- the rule that decided ----------------------------------------------------------------- */

static bool mixes(const struct ways *n, uint32_t sw, unsigned port, unsigned least)
{
	const struct topo *t = n->in->topo;

	if (!n->u->id || updown_direction(n->u, t, sw, port) != 'U')
		return false;
	for (unsigned p = 1; p <= t->fabric->switch_nports[sw]; p++)
		if (peer_of(n, sw, p) != NO_ID && hops_value(n->u->hops, t, sw, n->target, p) == least &&
		    updown_direction(n->u, t, sw, p) == 'D')
			return true;
	return false;
}

static bool is_priced(const struct ways *n, uint32_t sw, unsigned port)
{
	struct way_text w = {.turn = NO_ID};

	way_by_matrix(n, sw, port, n->target, &w);
	text_free(&w.t);
	return w.turn != NO_ID;
}

enum why_rule way_rule(const struct ways *n, uint32_t sw, unsigned port, enum why_rule rule)
{
	const struct updown *u = n->u;
	unsigned least = hops_least(u->hops, sw, n->target);
	bool legal = n->legal[sw] & LEGAL;

	if (rule == WHY_CUT_OFF || n->dist[sw] == FAR)
		return rule;
	if (port == NO_PATH) {
		if (u->id && !u->connect && !u->rank[sw] && !u->rank[n->target])
			return WHY_ROOTS_APART;
		if (u->n_erased)
			return WHY_ERASED;
		return legal ? WHY_MISSED : WHY_FORBIDDEN;
	}
	/* a price paid is above what it costs: some hops before the turn, one behind it */
	if (rule == WHY_ONLY_CANDIDATE && u->weight && least > u->weight + 1)
		return is_priced(n, sw, port) ? WHY_PRICED : rule;
	if (rule == WHY_ONLY_CANDIDATE && least > n->dist[sw] && !u->weight)
		return legal ? WHY_MISSED : WHY_FORBIDDEN;
	return mixes(n, sw, port, least) ? WHY_MIXED : rule;
}

bool updown_assign(const struct engine_input *in, struct engine_output *out, const struct updown *u,
		   struct routing *r)
{
	uint32_t size = in->topo->fabric->n_switches;
	struct ways n = {.in = in, .u = u, .target = NO_ID};
	struct engine_input told = *in;
	struct rec_ask ask;
	bool done;

	if (!ASKED(in) && !RECORDED(in))
		return assign_ports(in, out, u->hops, false, NULL, r);
	n.dist = NEW_ARRAY(size, uint16_t);
	n.queue = NEW_ARRAY(size, uint32_t);
	n.legal = NEW_ARRAY(size, uint8_t);
	if (ASKED(in)) {
		ask = *in->ask;
		ask.tell = updown_tell_choice;
		ask.ctx = &n;
		told.ask = &ask;
	}
	done = assign_ports(&told, out, u->hops, false, NULL, r);
	if (RECORDED(in) && done)
		updown_amend_rules(&n);
	free(n.dist);
	free(n.queue);
	free(n.legal);
	return done;
}
