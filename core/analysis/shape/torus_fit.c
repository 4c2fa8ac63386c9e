#include "core/analysis/shape/torus_fit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"

#define ENGINE "torus-2QoS"
/* If the engine refuses the first grid, so many other grids are tried. */
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

static int write_scratch(const struct torus_fit *m, const struct text *x, struct err *e)
{
	const char *s = text_str(x);

	if (ftruncate(m->fd, 0) || pwrite(m->fd, s, strlen(s), 0) != (ssize_t)strlen(s))
		return err_system(e, m->path, errno);
	return 0;
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
	struct text x = {0};
	struct sweep *w;
	int good;

	torus_conf_text(p, &x);
	good = write_scratch(m, &x, e);
	text_free(&x);
	if (good)
		return -1;
	w = sweep_run(&rq, e);
	if (!w)
		return -1;
	good = w->routing && torus_fit_whole(w, m->progress);
	if (!good)
		set_refused(m, w->n_refusals ? w->refusal[0].why : "not all switches find a place");
	sweep_unref(w);
	return good;
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

static bool no_dim(const struct grid *g, unsigned d)
{
	return g->radix[d] == 1;
}

/* Two dimensions become y and z: several missing switches in one column along z can be routed around. */
static void usual_order(const struct grid *g, unsigned axis[GRID_DIMS])
{
	unsigned n = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++)
		if (no_dim(g, d))
			axis[n++] = d;
	for (unsigned d = 0; d < GRID_DIMS; d++)
		if (!no_dim(g, d))
			axis[n++] = d;
}

/* Tries all orders of dimensions, the usual one first. Returns as try_plan(). */
static int try_grid(struct torus_fit *m, struct torus_plan *p, struct err *e)
{
	static const uint8_t orders[6][GRID_DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
						     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	unsigned usual[GRID_DIMS];
	uint32_t n, *places = torus_seed_places(m->t, p->g, &n);
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
	free(places);
	return rc;
}

int torus_fit_make(struct torus_fit *m, struct err *e)
{
	struct torus_plan *p = &m->plan;
	int rc;

	p->t = m->t;
	p->g = grid_find(m->t, 0, m->progress, e);
	if (!p->g)
		return -1;
	rc = try_grid(m, p, e);
	for (unsigned v = 1; v < VARIANTS && !rc; v++) {
		struct torus_plan other = {.t = m->t, .g = grid_find(m->t, v, m->progress, e)};

		if (!other.g)
			break;
		rc = try_grid(m, &other, e);
		grid_free((struct grid *)(rc > 0 ? p->g : other.g));
		if (rc > 0)
			*p = other;
	}
	return progress_cancelled(m->progress) ? err_set(e, CANCELLED) : rc;
}

int torus_fit_begin(struct torus_fit *m, const struct setup *base, const struct engine *const *engines,
		    struct progress *p, struct err *e)
{
	struct options *options;
	int rc;

	*m = (struct torus_fit){.engines = engines, .progress = p, .fd = -1};
	if (!engine_find(engines, ENGINE))
		return err_set(e, "engine " ENGINE " is not known here");
	m->fd = scratch_file(m->path, e);
	if (m->fd < 0)
		return -1;
	m->t = topo_new(base->fabric, base->state);
	options = options_copy(base->options);
	rc = options_set(options, "qos", "TRUE", e) || options_set(options, "torus_config", m->path, e) ? -1
													: 0;
	m->setup = setup_with(base, &(struct setup){.options = options, .chain = ENGINE ",no_fallback"});
	options_free(options);
	return rc;
}

void torus_fit_end(struct torus_fit *m)
{
	grid_free((struct grid *)m->plan.g);
	if (m->fd >= 0)
		close(m->fd);
	topo_unref(m->t);
	setup_unref(m->setup);
	free(m->refused);
}
