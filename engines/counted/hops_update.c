#include "core/base/memory.h"

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

/* Computes the distances from d again, into its row and its column (they are symmetric). */
static void search_again(const struct topo *t, const struct neighbours *g, struct hops *h, uint32_t d,
			 uint32_t *queue)
{
	uint32_t n = h->n_switches, end = 0;
	uint8_t *row = h->least + (size_t)d * n;

	memset(row, NO_PATH, n);
	if (switch_up(t, d)) {
		row[d] = 0;
		queue[end++] = d;
	}
	for (uint32_t i = 0; i < end && end < t->n_switches_up; i++) {
		uint32_t s = queue[i];

		for (uint32_t j = g->off[s]; j < g->off[s + 1] && row[s] < MAX_COST; j++) {
			uint32_t r = g->nbr[j];

			if (row[r] != NO_PATH)
				continue;
			row[r] = row[s] + 1;
			queue[end++] = r;
		}
	}
	for (uint32_t s = 0; s < n; s++)
		h->least[(size_t)s * n + d] = row[s];
}

/* Is switch s up as it was, with the same switch at each port? */
static bool same_links(const struct topo *was, const struct topo *now, uint32_t s)
{
	const struct fabric *f = now->fabric;
	size_t at = f->switch_port[s], size = (f->switch_nports[s] + 1u) * sizeof(*now->peer_switch);

	return switch_up(was, s) == switch_up(now, s) &&
	       !memcmp(was->peer_switch + at, now->peer_switch + at, size);
}

/* Finds the targets whose distances may have changed, and marks the switches that lost a cable. */
static uint32_t find_farther(const struct hops *old, const struct topo *was, const struct topo *now,
			     uint8_t *farther, uint8_t *touched)
{
	const struct fabric *f = now->fabric;
	uint8_t *orphan = NEW_ARRAY(f->n_switches, uint8_t);
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (same_links(was, now, s))
			continue;
		touched[s] = TOUCHED_ALL;
		lost_targets(old, now, s, orphan, farther);
	}
	for (uint32_t d = 0; d < f->n_switches; d++)
		n += farther[d];
	free(orphan);
	return n;
}

/* Touches the switches with other distances and their neighbours; farther (may be NULL): the targets. */
static void touch_rows(const struct hops *a, const struct hops *b, const struct neighbours *g,
		       uint8_t *touched, uint8_t *farther)
{
	uint32_t n = a->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		const uint8_t *x = a->least + (size_t)s * n, *y = b->least + (size_t)s * n;

		if (!memcmp(x, y, n))
			continue;
		touched[s] |= TOUCHED;
		for (uint32_t j = g->off[s]; j < g->off[s + 1]; j++)
			touched[g->nbr[j]] |= TOUCHED;
		for (uint32_t d = 0; farther && d < n; d++)
			farther[d] |= x[d] != y[d];
	}
}

struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 uint8_t *touched, uint8_t *farther)
{
	const struct fabric *f = now->fabric;
	uint32_t n = f->n_switches, count;
	struct hops *h;

	if (old->by_port || old->weight || old->level || !only_lost(was, now))
		return NULL;
	count = find_farther(old, was, now, farther, touched);
	if (!count) {
		h = hops_ref(old);
	} else {
		struct neighbours g = neighbours_new(now);
		uint32_t *queue = NEW_ARRAY(n, uint32_t);

		h = hops_new(f, false);
		if (count > n / 8) {
			hops_search(now, h, NULL);
		} else {
			memcpy(h->least, old->least, (size_t)n * n);
			for (uint32_t d = 0; d < n; d++)
				if (farther[d])
					search_again(now, &g, h, d, queue);
		}
		touch_rows(old, h, &g, touched, NULL);
		free(queue);
		neighbours_free(&g);
	}
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
	touch_rows(a, b, &g, touched, farther);
	if (b->by_port)
		touch_ports(a, b, f, touched, farther);
	neighbours_free(&g);
	return true;
}
