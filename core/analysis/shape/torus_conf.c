/* A torus-2QoS.conf for a fabric: whether it is a torus, its dimensions and seeds. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/shape/torus_conf.h"
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/sm/sweep.h"

#define ENGINE "torus-2QoS"
/* If the engine refuses the first grid, this many other grids are tried. */
#define VARIANTS 15
/* So many seeds are tried in each grid. */
#define SEEDS_TRIED 12

/* Does the sweep route the whole fabric? False also when cancelled. */
static bool torus_fit_whole(const struct sweep *w, struct progress *p)
{
	const struct fabric *f = w->fabric;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (progress_cancelled(p))
			return false;
		for (uint32_t ep = 0; switch_up(w->topo, sw) && ep < f->n_endports; ep++) {
			unsigned lid = w->topo->endport_up[ep] && w->topo->endport_switch[ep] != NO_ID
					       ? w->lids->base[ep]
					       : 0;

			if (lid && routing_port(w->routing, sw, lid) == NO_PATH)
				return false;
		}
	}
	return true;
}

static void set_refused(struct torus_fit *m, const char *why)
{
	free(m->refused);
	m->refused = why ? str_dup(why) : NULL;
}

/* Returns 1 if the engine routes the whole fabric with the plan, 0 if not (m->refused), -1 and *e. */
static int try_plan(struct torus_fit *m, const struct torus_plan *p, struct err *e)
{
	struct sweep_request rq = {.setup = m->setup, .engines = m->engines, .progress = m->progress};
	AUTO_TEXT struct text x = {0};

	torus_conf_text(p, &x);
	if (ftruncate(m->fd, 0) || pwrite(m->fd, text_str(&x), x.len, 0) != (ssize_t)x.len)
		return err_system(e, m->path, errno);
	AUTO_SWEEP struct sweep *w = sweep_run(&rq, e);
	if (!w)
		return -1;
	bool good = w->routing && torus_fit_whole(w, m->progress);
	if (!good)
		set_refused(m, w->n_refusals ? w->refusal[0].why : "not all switches find a place");
	return good;
}

/* Does a seed name a place? */
static bool seed_names(const struct grid *g, uint32_t seed, uint32_t place)
{
	return seed == place || grid_adjacent(g, seed, place);
}

/* Do two seeds share a switch? */
static bool torus_seeds_meet(const struct grid *g, uint32_t a, uint32_t b)
{
	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (grid_beside(g, a, k) != NO_ID && seed_names(g, b, grid_beside(g, a, k)))
			return true;
	return seed_names(g, b, a);
}

/* Adds seeds that meet no other seed, and from which the engine can start alone. */
static int add_seeds(struct torus_fit *m, struct torus_plan *p, const uint32_t *places, uint32_t n,
		     struct err *e)
{
	int rc = 1, tried = 0;

	for (uint32_t i = 0; i < n && p->n_seeds < TORUS_SEEDS && tried < SEEDS_TRIED; i++) {
		struct torus_plan alone = *p;
		bool meets = false;

		for (unsigned k = 0; k < p->n_seeds; k++)
			meets |= torus_seeds_meet(p->g, places[i], p->seed[k]);
		if (meets)
			continue;
		alone.seed[0] = places[i];
		alone.n_seeds = 1;
		tried++;
		rc = try_plan(m, &alone, e);
		if (rc < 0)
			return -1;
		if (rc)
			p->seed[p->n_seeds++] = places[i];
	}
	return try_plan(m, p, e);
}

/* Tries seeds for one order of dimensions. Returns as try_plan(). */
static int try_order(struct torus_fit *m, struct torus_plan *p, const uint32_t *places, uint32_t n,
		     struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && i < SEEDS_TRIED && !rc; i++) {
		p->seed[0] = places[i];
		p->n_seeds = 1;
		rc = try_plan(m, p, e);
	}
	return rc > 0 ? add_seeds(m, p, places, n, e) : rc;
}

/* Two dimensions become y and z: several missing switches in one column along z can be routed around. */
static void usual_order(const struct grid *g, unsigned axis[GRID_DIMS])
{
	unsigned n = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++)
		if (g->radix[d] == 1)
			axis[n++] = d;
	for (unsigned d = 0; d < GRID_DIMS; d++)
		if (g->radix[d] != 1)
			axis[n++] = d;
}

/* Tries all orders of dimensions, the usual one first. Returns as try_plan(). */
static int try_grid(struct torus_fit *m, struct torus_plan *p, struct err *e)
{
	static const uint8_t orders[6][GRID_DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
						     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	unsigned usual[GRID_DIMS];
	uint32_t n;
	AUTO_FREE uint32_t *places = torus_seed_places(m->t, p->g, &n);
	int rc = 0;

	usual_order(p->g, usual);
	if (!n)
		set_refused(m, "no switch has links in all dimensions, as a seed needs");
	for (unsigned i = 0; i < ARRAY_LEN(orders) && !rc; i++) {
		for (unsigned k = 0; k < GRID_DIMS; k++)
			p->axis[k] = usual[orders[i][k]];
		rc = try_order(m, p, places, n, e);
	}
	if (!rc) { /* show the plan for the complete fabric */
		memcpy(p->axis, usual, sizeof(usual));
		p->n_seeds = n ? 1 : 0;
		p->seed[0] = n ? places[0] : 0;
	}
	return rc;
}

int torus_fit_make(struct torus_fit *m, struct err *e)
{
	struct torus_plan *p = &m->plan;

	assert(m->setup && m->fd >= 0);
	p->t = m->t;
	p->g = grid_find(m->t, 0, m->progress, e);
	if (!p->g)
		return -1;
	int rc = try_grid(m, p, e);
	for (unsigned v = 1; v < VARIANTS && !rc; v++) {
		struct torus_plan other = {.t = m->t, .g = grid_find(m->t, v, m->progress, e)};

		if (!other.g)
			break;
		rc = try_grid(m, &other, e);
		arena_free((struct grid *)(rc > 0 ? p->g : other.g));
		if (rc > 0)
			*p = other;
	}
	return progress_cancelled(m->progress) ? err_set(e, CANCELLED) : rc;
}

int torus_fit_begin(struct torus_fit *m, const struct setup *base, const struct engine *const *engines,
		    struct progress *p, struct err *e)
{
	*m = (struct torus_fit){.engines = engines, .progress = p, .fd = -1};
	if (!engine_find(engines, ENGINE))
		return err_set(e, "engine " ENGINE " is not known here");
	m->fd = scratch_file(m->path, e);
	if (m->fd < 0)
		return -1;
	m->t = topo_new(base->fabric, base->state);
	AUTO_OPTIONS struct options *options = options_copy(base->options);
	int rc = options_set(options, "qos", "TRUE", e) || options_set(options, "torus_config", m->path, e)
			 ? -1
			 : 0;
	m->setup = setup_with(base, &(struct setup){.options = options, .chain = ENGINE ",no_fallback"});
	return rc;
}

void torus_fit_end(struct torus_fit *m)
{
	arena_free((struct grid *)m->plan.g);
	if (m->fd >= 0)
		close(m->fd);
	topo_unref(m->t);
	setup_unref(m->setup);
	free(m->refused);
}

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
	return up ? 2 : down;
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
	AUTO_FREE struct torus_conf_candidate *c = NEW_ARRAY(g->n_places + 1u, struct torus_conf_candidate);
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
	return places;
}

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
	const struct fabric *f = t->fabric;
	unsigned most = 0;

	assert(p->n_seeds <= TORUS_SEEDS);
	text_add(x, "# torus-2QoS.conf of ");
	clean_line(x, f->source);
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
