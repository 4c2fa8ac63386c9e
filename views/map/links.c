/* The cables of a fabric as its map shows them. */
#include <stdlib.h>
#include <string.h>
#include "core/analysis/shape/place.h"
#include "core/base/memory.h"
#include "views/map/links.h"
#include "core/base/order.h"

/* The switch's index in the order of its part. */
static uint32_t place_in_part(const struct layout *l, const struct layout_part *p, uint32_t sw)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (l->order[p->first + i] == sw)
			return i;
	return 0;
}

static enum map_side side_of(const struct layout *l, uint32_t a, uint32_t b, char way[4])
{
	const struct layout_part *p;

	if (a == b || l->part_of[a] == NO_ID)
		return MAP_RIGHT;
	p = &l->part[l->part_of[a]];
	switch (p->kind) {
		struct grid_way w;
		uint32_t i;
		uint32_t k;

	case LAYOUT_GRID:
		w = grid_way(l, a, b);
		if (!w.differ)
			return MAP_RIGHT;
		way[0] = w.dim < 3 ? "xyz"[w.dim] : (char)('0' + w.dim);
		way[1] = w.by > 0 ? '+' : '-';
		if (w.dim == 0)
			return w.by > 0 ? MAP_RIGHT : MAP_LEFT;
		return w.by > 0 ? MAP_ABOVE : MAP_BELOW;
	case LAYOUT_RING:
	case LAYOUT_CHAIN:
	case LAYOUT_ROW:
		i = place_in_part(l, p, a);
		k = place_in_part(l, p, b);
		if (k == i + 1)
			return MAP_RIGHT;
		if (i == k + 1)
			return MAP_LEFT;
		if (p->kind == LAYOUT_RING && p->n > 2 && (i + 1) % p->n == k)
			return MAP_RIGHT;
		if (p->kind == LAYOUT_RING && p->n > 2 && (k + 1) % p->n == i)
			return MAP_LEFT;
		return MAP_BELOW;
	case LAYOUT_GROUPS:
		if (l->block[a] != l->block[b] || l->level[b] < l->level[a])
			return MAP_ABOVE;
		return MAP_BELOW;
	case LAYOUT_TREE:
		if (l->level[b] != l->level[a])
			return l->level[b] < l->level[a] ? MAP_ABOVE : MAP_BELOW;
		return MAP_RIGHT;
	case LAYOUT_FULL:
	case LAYOUT_OTHER:
		break;
	}
	return MAP_ABOVE;
}

COMPARATOR(by_side, struct map_entry, UP(side) UP(port))

struct map_entries *map_entries_new(const struct fabric *f, const struct layout *l, uint32_t middle)
{
	struct map_entries *m = NEW(struct map_entries);
	unsigned n_ports = f->switch_nports[middle];
	uint32_t *next = NEW_ARRAY(n_ports + 1u, uint32_t), base = f->switch_port[middle];
	uint32_t *last = NEW_ARRAY(n_ports + 1u, uint32_t);

	m->middle = middle;
	m->entry = NEW_ARRAY(n_ports + 1u, struct map_entry);
	m->port = NEW_ARRAY(n_ports + 1u, uint32_t);
	/* entries by their first port; their cables are lists of port numbers */
	for (unsigned p = 1; p <= n_ports; p++) {
		uint32_t peer = f->port_peer[base + p], node, sw, i;

		if (peer == NO_ID)
			continue;
		node = f->port_node[peer];
		sw = f->node_switch[node];
		if (sw == middle && peer < base + p)
			continue;
		for (i = 0; i < m->n; i++)
			if (sw != NO_ID && m->entry[i].sw == sw)
				break;
		if (i == m->n) {
			struct map_entry *e = &m->entry[m->n++];

			*e = (struct map_entry){.node = node, .sw = sw, .port = base + p, .first = p};
			e->side = (uint8_t)(sw == NO_ID ? MAP_HOSTS : side_of(l, middle, sw, e->way));
		} else {
			next[last[i]] = p;
		}
		last[i] = p;
		m->entry[i].n++;
	}
	if (m->n)
		qsort(m->entry, m->n, sizeof(*m->entry), by_side);
	for (uint32_t i = 0; i < m->n; i++) {
		unsigned p = m->entry[i].first;

		m->entry[i].first = m->n_cables;
		m->first[m->entry[i].side + 1]++;
		for (uint32_t k = 0; k < m->entry[i].n; k++, p = next[p])
			m->port[m->n_cables++] = base + p;
	}
	for (unsigned s = 0; s < MAP_SIDES; s++)
		m->first[s + 1] += m->first[s];
	free(next);
	free(last);
	return m;
}

void map_entries_free(struct map_entries *m)
{
	if (!m)
		return;
	free(m->entry);
	free(m->port);
	free(m);
}
