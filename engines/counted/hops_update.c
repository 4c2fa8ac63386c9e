#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"

#include <stdlib.h>
#include <string.h>
#include "engines/counted/internal.h"

/* False when a cable between switches is new. */
static bool only_lost(const struct topo *was, const struct topo *now)
{
	const struct fabric *f = now->fabric;

	if (was->fabric != f)
		return false;
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (now->peer_switch[p] != was->peer_switch[p] && now->peer_switch[p] != NO_ID)
			return false;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (switch_up(now, s) && !switch_up(was, s))
			return false;
	return true;
}

/*
 * Marks the targets for which switch s, after losing cables, has no neighbour left that is one hop nearer. If
 * no switch has such a target, no distance changes.
 */
static void lost_targets(const struct hops *h, const struct topo *now, uint32_t s, uint8_t *orphan,
			 uint8_t *farther)
{
	const struct fabric *f = now->fabric;
	uint32_t n = h->n_switches;
	const uint8_t *mine = h->least + (size_t)s * n;

	memset(orphan, 1, n);
	FOR_PORTS(f, s, port) {
		uint32_t r = now->peer_switch[port];
		const uint8_t *peer;

		if (r == NO_ID)
			continue;
		peer = h->least + (size_t)r * n;
		for (uint32_t d = 0; d < n; d++)
			orphan[d] &= (uint8_t)(peer[d] + 1) != mine[d];
	}
	for (uint32_t d = 0; d < n; d++)
		farther[d] |= orphan[d] & (d != s && mine[d] != NO_PATH);
	farther[s] |= !switch_up(now, s);
}

/* A search for the distances from one target that grew. */
struct hops_update_growth {
	const struct neighbours *g;
	uint8_t *row;	 /* [n_switches] distances from the target */
	uint8_t *far;	 /* [n_switches] 1: no neighbour is as near as before */
	uint32_t *queue; /* the switches of far */
	uint32_t n;
};

/* Queues a switch when all its neighbours that were nearer are farther now. */
static void hops_update_grow(struct hops_update_growth *x, uint32_t s)
{
	unsigned near = x->row[s];

	if (!near || near == NO_PATH || x->far[s])
		return;
	for (uint32_t j = x->g->off[s]; j < x->g->off[s + 1]; j++) {
		uint32_t r = x->g->nbr[j];

		if (x->row[r] + 1u == near && !x->far[r])
			return;
	}
	x->far[s] = 1;
	x->queue[x->n++] = s;
}

/* Computes the row again, after the switches of lost[] lost cables. */
static void lengthen(struct hops_update_growth *x, const uint32_t *lost, uint32_t n_lost)
{
	const struct neighbours *g = x->g;
	bool lower = true;

	x->n = 0;
	for (uint32_t i = 0; i < n_lost; i++)
		hops_update_grow(x, lost[i]);
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t s = x->queue[i], j = g->off[s]; j < g->off[s + 1]; j++)
			if (x->row[g->nbr[j]] == x->row[s] + 1)
				hops_update_grow(x, g->nbr[j]);
	for (uint32_t i = 0; i < x->n; i++)
		x->row[x->queue[i]] = NO_PATH;
	while (lower) {
		lower = false;
		for (uint32_t i = 0; i < x->n; i++)
			for (uint32_t s = x->queue[i], j = g->off[s]; j < g->off[s + 1]; j++) {
				unsigned way = x->row[g->nbr[j]] + 1u;

				if (way > MAX_COST || way >= x->row[s])
					continue;
				x->row[s] = way;
				lower = true;
			}
	}
	for (uint32_t i = 0; i < x->n; i++)
		x->far[x->queue[i]] = 0;
}

/* Is switch s up as it was, with the same switch at each port? */
static bool same_links(const struct topo *was, const struct topo *now, uint32_t s)
{
	const struct fabric *f = now->fabric;
	size_t at = f->switch_port[s], size = (f->switch_nports[s] + 1u) * sizeof(*now->peer_switch);

	return switch_up(was, s) == switch_up(now, s) &&
	       !memcmp(was->peer_switch + at, now->peer_switch + at, size);
}

/* Finds the targets whose distances may have changed, and marks the switches that lost a cable. Is there one?
 */
static bool find_farther(const struct hops *old, const struct topo *was, const struct topo *now,
			 uint8_t *farther, uint8_t *touched)
{
	const struct fabric *f = now->fabric;
	uint8_t *orphan = NEW_ARRAY(f->n_switches, uint8_t);
	bool any;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (same_links(was, now, s))
			continue;
		touched[s] = TOUCHED_ALL;
		lost_targets(old, now, s, orphan, farther);
	}
	any = memchr(farther, 1, f->n_switches);
	free(orphan);
	return any;
}

static void touch_around(const struct neighbours *g, uint32_t s, uint8_t *touched)
{
	touched[s] |= TOUCHED;
	for (uint32_t j = g->off[s]; j < g->off[s + 1]; j++)
		touched[g->nbr[j]] |= TOUCHED;
}

/*
 * Touches the switches with other distances and their neighbours; farther (may be NULL): the targets, as seen
 * from switches that are up.
 */
static void touch_rows(const struct hops *a, const struct hops *b, const struct topo *now,
		       const struct neighbours *g, uint8_t *touched, uint8_t *farther)
{
	uint32_t n = a->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		const uint8_t *x = a->least + (size_t)s * n, *y = b->least + (size_t)s * n;

		if (!memcmp(x, y, n))
			continue;
		touch_around(g, s, touched);
		for (uint32_t d = 0; farther && switch_up(now, s) && d < n; d++)
			farther[d] |= x[d] != y[d];
	}
}

/*
 * Computes the rows of the targets farther[] anew, clears the mark of those for which nothing changed at a
 * switch that is up, and touches the switches whose rows changed and their neighbours. False: so many
 * distances grew that a search for all is faster; rows are not to be used then.
 */
static bool lengthen_rows(struct hops *h, const struct topo *now, const struct neighbours *g,
			  uint8_t *farther, uint8_t *touched)
{
	uint32_t n = h->n_switches, n_lost = 0, *lost = NEW_ARRAY(n, uint32_t);
	struct hops_update_growth x = {.g = g, .far = NEW_ARRAY(n, uint8_t), .queue = NEW_ARRAY(n, uint32_t)};
	size_t most = (size_t)n * n / 16;

	for (uint32_t s = 0; s < n; s++)
		if (touched[s] == TOUCHED_ALL)
			lost[n_lost++] = s;
	for (uint32_t d = 0; d < n && most; d++) {
		bool any = false;

		if (!farther[d])
			continue;
		x.row = h->least + (size_t)d * n;
		if (!switch_up(now, d)) {
			memset(x.row, NO_PATH, n);
			continue;
		}
		lengthen(&x, lost, n_lost);
		for (uint32_t i = 0; i < x.n; i++)
			any |= switch_up(now, x.queue[i]);
		farther[d] = any;
		if (x.n)
			touch_around(g, d, touched);
		most -= MIN(x.n, most);
	}
	FREE_EACH(lost, x.far, x.queue);
	return most > 0;
}

struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 uint8_t *touched, uint8_t *farther)
{
	struct neighbours g;
	struct hops *h;

	if (old->by_port || old->weight || old->level || !only_lost(was, now))
		return NULL;
	if (!find_farther(old, was, now, farther, touched))
		return hops_ref(old);
	g = neighbours_new(now);
	h = hops_copy(old);
	if (!lengthen_rows(h, now, &g, farther, touched)) {
		hops_unref(h);
		h = hops_new(now->fabric, false);
		hops_search(now, h, NULL);
		touch_rows(old, h, now, &g, touched, NULL);
	}
	neighbours_free(&g);
	return h;
}

/* Touches the switches where a value by port differs. */
static void touch_ports(const struct hops *a, const struct hops *b, const struct fabric *f, uint8_t *touched,
			uint8_t *farther)
{
	for (uint32_t d = 0; d < a->n_switches; d++) {
		const uint8_t *x = a->by_port + (size_t)d * a->n_ports,
			      *y = b->by_port + (size_t)d * a->n_ports;

		if (!memcmp(x, y, a->n_ports))
			continue;
		farther[d] = 1;
		for (uint32_t s = 0; s < a->n_switches; s++)
			if (memcmp(x + f->switch_port[s], y + f->switch_port[s], f->switch_nports[s] + 1u))
				touched[s] |= TOUCHED;
	}
}

bool hops_compare(const struct hops *a, const struct topo *was, const struct hops *b, const struct topo *now,
		  uint8_t *touched, uint8_t *farther)
{
	const struct fabric *f = now->fabric;
	bool alike = was->fabric == f && !a->weight && !b->weight && !a->by_port == !b->by_port &&
		     !a->level == !b->level;
	struct neighbours g;

	for (uint32_t s = 0; alike && s < f->n_switches; s++) {
		if (!same_links(was, now, s))
			touched[s] = TOUCHED_ALL;
		/* masks of all switches depend on the level of a target */
		if (b->level && switch_up(now, s))
			alike = a->level[s] == b->level[s] && a->open[s] == b->open[s];
	}
	if (!alike)
		return false;
	g = neighbours_new(now);
	touch_rows(a, b, now, &g, touched, farther);
	if (b->by_port)
		touch_ports(a, b, f, touched, farther);
	neighbours_free(&g);
	return true;
}
