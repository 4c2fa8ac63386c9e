/*
 * Shortest ways, with and without the rule of up and down; the choice of ports, and what those who ask hear
 * about ways.
 */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/base/text.h"
#include "core/routing/distances.h"
#include "engines/counted/assign.h"
#include "engines/updown/internal.h"

void ways_measure(struct ways *n, uint32_t target)
{
	const struct topo *t = n->in->topo;
	uint32_t end = 2;

	if (n->target == target)
		return;
	n->target = target;
	switch_distances(n->in->topo, target, n->dist);
	memset(n->legal, 0xff, 2 * (size_t)n->in->topo->fabric->n_switches * sizeof(*n->legal));
	for (uint32_t i = 0; i < end; i++) {
		n->queue[i] = 2 * target + i;
		n->legal[n->queue[i]] = 0;
	}
	/*
	 * `at` is 2 * switch + (the packet came down); find the states before it from which a packet may come
	 */
	for (uint32_t i = 0; i < end; i++) {
		uint32_t at = n->queue[i];

		FOR_CABLES(t, at / 2, id, r) {
			char c = updown_direction(n->u, t, r, t->fabric->port_num[t->peer[id]]);

			for (uint32_t before = 2 * r; before < 2 * r + (c == 'U' ? 1 : 2); before++) {
				if ((c == 'D') != (at & 1) || n->legal[before] != FAR)
					continue;
				n->legal[before] = n->legal[at] + 1;
				n->queue[end++] = before;
			}
		}
	}
}

uint32_t way_legal(const struct ways *n, uint32_t sw, unsigned port)
{
	uint32_t r = peer_of(n, sw, port);

	return r == NO_ID ? FAR
			  : n->legal[2 * r + (updown_direction(n->u, n->in->topo, sw, port) == 'D')] + 1u;
}

static void updown_ways_end_run(struct way_text *w)
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

void way_shortest(const struct ways *n, uint32_t sw, struct way_text *w)
{
	const struct fabric *f = n->in->topo->fabric;

	while (n->dist[sw]) {
		unsigned port = 1;
		char c;

		while (peer_of(n, sw, port) == NO_ID || n->dist[peer_of(n, sw, port)] + 1 != n->dist[sw])
			if (++port > f->switch_nports[sw])
				return;
		c = updown_direction(n->u, n->in->topo, sw, port);
		if (c == 'U' && w->down && w->turn == NO_ID)
			w->turn = sw;
		w->down = c == 'D' || (w->down && n->u->id);
		if (c != w->run)
			updown_ways_end_run(w);
		w->run = c;
		w->len++;
		w->hops++;
		sw = peer_of(n, sw, port);
	}
	updown_ways_end_run(w);
}

/* --- the rule that decided ----------------------------------------------------------------- */

/* Is there a port upwards, and an equally good one downwards? */
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

/* Is there a legal way by this port that is shorter than the one that the search found there? */
static bool found_longer(const struct ways *n, uint32_t sw, unsigned port)
{
	return !ways_open(n) &&
	       way_legal(n, sw, port) < hops_value(n->u->hops, n->in->topo, sw, n->target, port);
}

bool way_is_missed(const struct ways *n, uint32_t sw, unsigned port)
{
	unsigned least = hops_least(n->u->hops, sw, n->target),
		 value = hops_value(n->u->hops, n->in->topo, sw, n->target, port);

	return (value == NO_PATH || value > least) && found_longer(n, sw, port) &&
	       way_legal(n, sw, port) <= least;
}

unsigned way_missed(const struct ways *n, uint32_t sw)
{
	unsigned best = 0, least = hops_least(n->u->hops, sw, n->target);

	for (unsigned p = 1; p <= n->in->topo->fabric->switch_nports[sw]; p++)
		if (found_longer(n, sw, p) && way_legal(n, sw, p) <= least &&
		    (!best || way_legal(n, sw, p) < way_legal(n, sw, best)))
			best = p;
	return best;
}

enum why_rule way_rule(const struct ways *n, uint32_t sw, unsigned port, enum why_rule rule)
{
	const struct updown *u = n->u;
	unsigned least = hops_least(u->hops, sw, n->target);

	if (rule == WHY_CUT_OFF || n->dist[sw] == FAR)
		return rule;
	if (port == NO_PATH && u->n_erased)
		return WHY_ERASED;
	if (port == NO_PATH && way_missed(n, sw))
		return WHY_MISSED;
	if (port == NO_PATH)
		return u->id && !u->connect && !u->rank[sw] && !u->rank[n->target] ? WHY_ROOTS_APART
										   : WHY_FORBIDDEN;
	if (rule != WHY_ONLY_CANDIDATE)
		return rule != WHY_KEPT && mixes(n, sw, port, least) ? WHY_MIXED : rule;
	if (u->weight) /* the price was paid if the cost is above it, plus one hop after the turn */
		return least > u->weight + 1 ? WHY_PRICED : rule;
	if (way_missed(n, sw))
		return WHY_MISSED;
	return least > n->dist[sw] && !ways_open(n) ? WHY_FORBIDDEN : rule;
}

/* Chooses ports where masks or costs differ from those of the run before, when its entries count. */
static bool assign_changed(const struct engine_input *in, struct engine_output *out, const struct updown *u,
			   struct routing *r)
{
	const struct routing *old = in->previous;
	const struct updown *was = old ? updown_of(old) : NULL;
	uint32_t n = in->topo->fabric->n_switches;
	uint8_t *touched, *farther;
	bool known, done;

	if (!was || (in->left && in->left->hops) || !assign_keeps(in, old))
		return assign_ports(in, out, u->hops, false, NULL, NULL, r);
	touched = NEW_ARRAY(n, uint8_t);
	farther = NEW_ARRAY(n, uint8_t);
	known = hops_compare(was->hops, old->topo, u->hops, in->topo, touched, farther);
	done = assign_ports(in, out, u->hops, false, known ? touched : NULL, farther, r);
	FREE_EACH(touched, farther);
	return done;
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
		return assign_changed(in, out, u, r);
	n.dist = NEW_ARRAY(size, uint16_t);
	n.queue = NEW_ARRAY(2 * (size_t)size, uint32_t);
	n.legal = NEW_ARRAY(2 * (size_t)size, uint16_t);
	if (ASKED(in)) {
		ask = *in->ask;
		ask.tell = updown_tell_choice;
		ask.ctx = &n;
		told.ask = &ask;
	}
	done = assign_ports(&told, out, u->hops, false, NULL, NULL, r);
	if (RECORDED(in) && done)
		updown_amend_rules(&n);
	FREE_EACH(n.dist, n.queue, n.legal);
	return done;
}
