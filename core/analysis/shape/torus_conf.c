#include "core/analysis/shape/torus_conf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"

/* --- seeds --- */

/*
 * Bits of the directions of a dimension that a seed at a place names; 0: it cannot be a seed. A ring of four
 * needs both. With one dimension, the engine finds nothing but the seed.
 */
static unsigned seed_ways(const struct topo *t, const struct grid *g, uint32_t place, unsigned d)
{
	bool down = grid_neighbour(g, t, place, 2 * d) != NO_ID,
	     up = grid_neighbour(g, t, place, 2 * d + 1) != NO_ID;

	if (g->radix[d] == 4 && !g->open[d])
		return down && up ? 3 : 0;
	if (g->radix[1] == 1 && down && up)
		return 3;
	return up ? 2 : down ? 1 : 0;
}

static bool can_be_seed(const struct topo *t, const struct grid *g, uint32_t place)
{
	for (unsigned d = 0; d < GRID_DIMS; d++)
		if (g->radix[d] > 1 && !seed_ways(t, g, place, d))
			return false;
	return true;
}

static unsigned links_there(const struct topo *t, const struct grid *g, uint32_t place)
{
	unsigned n = 0;

	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		n += grid_neighbour(g, t, place, k) != NO_ID;
	return n;
}

struct torus_conf_candidate {
	uint32_t place;
	unsigned links; /* links of the switch and its neighbours */
};

COMPARATOR(by_links, struct torus_conf_candidate, DOWN(links) UP(place))

uint32_t *torus_seed_places(const struct topo *t, const struct grid *g, uint32_t *n)
{
	struct torus_conf_candidate *c = NEW_ARRAY(g->n_places + 1u, struct torus_conf_candidate);
	uint32_t *places = NEW_ARRAY(g->n_places + 1u, uint32_t);

	*n = 0;
	for (uint32_t p = 0; p < g->n_places; p++) {
		if (g->at[p] == NO_ID || !can_be_seed(t, g, p))
			continue;
		c[*n] = (struct torus_conf_candidate){p, 4 * links_there(t, g, p)};
		for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
			if (grid_neighbour(g, t, p, k) != NO_ID)
				c[*n].links += links_there(t, g, grid_beside(g, p, k));
		++*n;
	}
	qsort(c, *n, sizeof(*c), by_links);
	for (uint32_t i = 0; i < *n; i++)
		places[i] = c[i].place;
	free(c);
	return places;
}

static bool names(const struct grid *g, uint32_t seed, uint32_t place)
{
	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (grid_beside(g, seed, k) == place)
			return true;
	return seed == place;
}

bool torus_seeds_meet(const struct grid *g, uint32_t a, uint32_t b)
{
	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (grid_beside(g, a, k) != NO_ID && names(g, b, grid_beside(g, a, k)))
			return true;
	return names(g, b, a);
}

/* --- text --------------------------------------------------------------------------------------------- */

/* Coordinate of a place along an axis of the file. */
static unsigned coordinate(const struct torus_plan *p, uint32_t place, unsigned axis)
{
	unsigned c[GRID_DIMS], origin[GRID_DIMS], d = p->axis[axis], r = p->g->radix[d];

	grid_coordinates(p->g, place, c);
	grid_coordinates(p->g, p->seed[0], origin);
	return p->g->open[d] ? c[d] : (c[d] + r - origin[d]) % r;
}

static void add_seed(const struct torus_plan *p, unsigned i, struct text *x)
{
	uint32_t place = p->seed[i];

	text_add(x, "\n# seed %u: %s at %u,%u,%u\n", i + 1, switch_name(p->t->fabric, p->g->at[place]),
		 coordinate(p, place, 0), coordinate(p, place, 1), coordinate(p, place, 2));
	if (i)
		text_add(x, "next_seed\n");
	for (unsigned k = 0; k < GRID_DIMS; k++) {
		unsigned ways = p->g->radix[p->axis[k]] > 1 ? seed_ways(p->t, p->g, place, p->axis[k]) : 0;

		for (unsigned up = 2; up-- > 0;)
			if (ways >> up & 1) {
				const struct fabric *f = p->t->fabric;
				uint32_t a = p->g->at[place],
					 b = grid_neighbour(p->g, p->t, place, 2 * p->axis[k] + up);

				text_add(x, "%c%c_link 0x%016" PRIx64 " 0x%016" PRIx64 "  # %s -> %s\n",
					 (char)('x' + k), up ? 'p' : 'm', f->node_guid[f->switch_node[a]],
					 f->node_guid[f->switch_node[b]], switch_name(f, a),
					 switch_name(f, b));
			}
		if (coordinate(p, place, k))
			text_add(x, "%c_dateline -%u\n", (char)('x' + k), coordinate(p, place, k));
	}
}

/* Adds the ports that have hosts on any switch, ascending, as far as all switches have such ports. */
static void add_port_order(const struct torus_plan *p, struct text *x)
{
	const struct topo *t = p->t;
	const struct fabric *f = t->fabric;
	uint8_t used[MAX_PORTS + 1] = {0};
	unsigned least = MAX_PORTS, n = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(t, sw))
			continue;
		least = MIN(f->switch_nports[sw], least);
		for (unsigned q = 1; q <= f->switch_nports[sw]; q++) {
			uint32_t peer = t->peer[switch_port_id(f, sw, q)];

			used[q] |= peer != NO_ID && !node_is_switch(f, f->port_node[peer]);
		}
	}
	for (unsigned q = 1; q <= least; q++) {
		if (!used[q])
			continue;
		if (!n++)
			text_add(x, "\n# ports with hosts: routes to them are dealt over parallel links in "
				    "this order\n"
				    "port_order");
		text_add(x, " %u", q);
	}
	if (n)
		text_putc(x, '\n');
}

/* Most parallel links from a switch to one other. */
static unsigned widest_bundle(const struct topo *t, uint32_t sw)
{
	const struct fabric *f = t->fabric;
	unsigned most = 0;

	for (unsigned q = 1; q <= f->switch_nports[sw]; q++) {
		uint32_t to = t->peer_switch[switch_port_id(f, sw, q)];
		unsigned n = 0;

		for (unsigned k = q; to != NO_ID && k <= f->switch_nports[sw]; k++)
			n += t->peer_switch[switch_port_id(f, sw, k)] == to;
		most = MAX(n, most);
	}
	return most;
}

void torus_conf_text(const struct torus_plan *p, struct text *x)
{
	char shape[100];
	bool mesh = true;
	const struct topo *t = p->t;
	const struct fabric *f;
	unsigned most = 0;

	text_add(x, "# torus-2QoS.conf of ");
	clean_line(x, p->t->fabric->source);
	text_add(x, ": %s", grid_text(p->g, shape, sizeof(shape)));
	if (p->g->missing_switches || p->g->missing_links)
		text_add(x, ", %u switch%s and %u link%s missing", p->g->missing_switches,
			 p->g->missing_switches == 1 ? "" : "es", p->g->missing_links,
			 p->g->missing_links == 1 ? "" : "s");
	text_add(x, "\n# For opensm -R torus-2QoS -Q --torus_config FILE\n\n");
	for (unsigned k = 0; k < GRID_DIMS; k++)
		mesh &= p->g->open[p->axis[k]] || p->g->radix[p->axis[k]] == 1;
	text_add(x, "%s", mesh ? "mesh" : "torus");
	for (unsigned k = 0; k < GRID_DIMS; k++) {
		unsigned d = p->axis[k];

		text_add(x, " %u%s", p->g->radix[d], !mesh && p->g->open[d] && p->g->radix[d] > 2 ? "m" : "");
	}
	text_putc(x, '\n');
	for (unsigned i = 0; i < p->n_seeds; i++)
		add_seed(p, i, x);
	f = t->fabric;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		unsigned n = 1;

		for (unsigned q = 1; switch_up(t, sw) && q <= f->switch_nports[sw]; q++) {
			uint32_t peer = t->peer[switch_port_id(f, sw, q)];

			n += peer != NO_ID && !node_is_switch(f, f->port_node[peer]);
		}
		most = MAX(n, most);
		n = switch_up(t, sw) ? widest_bundle(t, sw) : 0;
		most = MAX(n, most);
	}
	if (most > 16)
		text_add(x,
			 "\n# ports of a group at most: hosts of a switch and port 0, or parallel "
			 "links\nportgroup_max_ports %u\n",
			 most);
	add_port_order(p, x);
}
