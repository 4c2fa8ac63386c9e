/* Command torus-conf: a configuration for torus-2QoS, tried on the engine before it is written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/torus_conf.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/session/commands/commands.h"

#define ENGINE "torus-2QoS"
/* Other ways to see the fabric as a grid that are tried when the engine refuses the first. */
#define VARIANTS 24
/* Seeds tried in each. */
#define SEEDS_TRIED 12

struct maker {
	struct session *s;
	struct progress *progress;
	const struct topo *t;
	struct setup *setup;	 /* what is in force, with the engine and its options */
	char path[SCRATCH_PATH]; /* of the file that the engine reads */
	int fd;			 /* of that file, -1 = none */
	char *refused;		 /* why the engine did not take the last one; owned, NULL = not tried */
};

/* --- trying ------------------------------------------------------------------------------------- */

/* False also when it is cancelled. */
static bool whole(const struct sweep *w, struct progress *p)
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

static int write_file(const char *path, const struct text *x, struct progress *p, struct err *e)
{
	struct outfile o;

	if (outfile_open(&o, path, p, e))
		return -1;
	fputs(text_str(x), o.f);
	return outfile_close(&o, 0, e);
}

static int write_scratch(const struct maker *m, const struct text *x, struct err *e)
{
	const char *s = text_str(x);

	if (ftruncate(m->fd, 0) || pwrite(m->fd, s, strlen(s), 0) != (ssize_t)strlen(s))
		return err_system(e, m->path, errno);
	return 0;
}

static void set_refused(struct maker *m, const char *why)
{
	free(m->refused);
	m->refused = why ? str_dup(why) : NULL;
}

/* 1: the engine routes the whole fabric with it, 0: it does not (m->refused), -1 and *e. */
static int try_plan(struct maker *m, const struct torus_plan *p, struct err *e)
{
	struct sweep_request rq = {.setup = m->setup, .engines = m->s->engines, .progress = m->progress};
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
	good = w->routing && whole(w, m->progress);
	if (!good)
		set_refused(m, w->n_refusals ? w->refusal[0].why : "not all switches find a place");
	sweep_unref(w);
	return good;
}

/* Seeds besides the first that meet none and that the engine can start from alone. */
static int add_seeds(struct maker *m, struct torus_plan *p, const uint32_t *places, uint32_t n, struct err *e)
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

/* Seeds for one order of dimensions: as try_plan(). */
static int try_order(struct maker *m, struct torus_plan *p, const uint32_t *places, uint32_t n, struct err *e)
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

/*
 * Two dimensions become y and z: then several missing switches in one column along z
 * can be routed around.
 */
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

/* All orders of dimensions, the usual one first: as try_plan(). */
static int try_grid(struct maker *m, struct torus_plan *p, struct err *e)
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
	if (!rc) { /* what would be right once all is there */
		memcpy(p->axis, usual, sizeof(usual));
		p->n_seeds = n ? 1 : 0;
		p->seed[0] = n ? places[0] : 0;
	}
	free(places);
	return rc;
}

/* As try_plan(); the plan's grid is to be freed. */
static int make_plan(struct maker *m, struct torus_plan *p, struct err *e)
{
	struct grid *first = grid_find(m->t, 0, m->progress, e);
	int rc;

	if (!first)
		return -1;
	p->g = first;
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

/* --- telling ---------------------------------------------------------------------------------------- */

static void tell_plan(struct maker *m, const struct torus_plan *p, bool good, struct out *o)
{
	const struct grid *g = p->g;
	char shape[100], a[40], b[40];

	out_text(o, "# %s of %s", grid_text(g, shape, sizeof(shape)),
		 plural(g->n_places, "place", a, sizeof(a)));
	if (g->missing_switches)
		out_text(o, ", %u of the switches missing", g->missing_switches);
	if (g->missing_links)
		out_text(o, ", %s between neighbours missing (%s%s)",
			 plural(g->missing_links, "link", b, sizeof(b)), g->missing_link,
			 g->missing_links > 1 ? ", ..." : "");
	out_text(o, ".\n");
	if (good)
		out_text(o, "# " ENGINE " routes the whole fabric with it; %s.\n",
			 plural(p->n_seeds, "seed", a, sizeof(a)));
	else
		out_text(o, "# " ENGINE " refuses the fabric as it is now: %s\n",
			 m->refused ? m->refused : "not tried");
	o->run->found_fault |= !good;
	out_json(o, "torus",
		 json_make("{s:s, s:[i,i,i], s:[b,b,b], s:i, s:i, s:i, s:b}", "shape", shape, "radix",
			   (int)g->radix[p->axis[0]], (int)g->radix[p->axis[1]], (int)g->radix[p->axis[2]],
			   "open", (int)g->open[p->axis[0]], (int)g->open[p->axis[1]],
			   (int)g->open[p->axis[2]], "missing_switches", (int)g->missing_switches,
			   "missing_links", (int)g->missing_links, "seeds", (int)p->n_seeds, "routes",
			   (int)good));
}

static void put_text(const struct text *x, struct out *o)
{
	out_text(o, "%s", text_str(x));
	out_json(o, "content", json_text(text_str(x)));
}

static int give_plan(struct maker *m, const struct torus_plan *p, bool good, const char *path, struct out *o,
		     struct err *e)
{
	struct text x = {0};
	int rc = 0;

	if (!good && p->g->radix[1] == 1 && p->g->radix[0] > 3)
		return err_set(e,
			       "%u switches in one %s: " ENGINE
			       " finds three in a single dimension, expected at least two dimensions",
			       p->g->n_places, p->g->open[0] ? "line" : "ring");
	if (!p->n_seeds)
		return err_set(e, "%s", m->refused);
	tell_plan(m, p, good, o);
	torus_conf_text(p, &x);
	if (path && strcmp(path, "-"))
		rc = write_file(path, &x, m->progress, e);
	else
		put_text(&x, o);
	if (path && strcmp(path, "-") && !rc) {
		out_text(o, "%s written; `route " ENGINE " qos=TRUE torus_config=%s` takes it\n", path, path);
		out_json(o, "file", json_text(path));
	}
	text_free(&x);
	return rc;
}

static int begin(struct maker *m, struct err *e)
{
	struct options *options;
	int rc;

	if (!engine_find(m->s->engines, ENGINE))
		return err_set(e, "engine " ENGINE " is not known here");
	m->fd = scratch_file(m->path, e);
	if (m->fd < 0)
		return -1;
	m->t = topo_new(m->s->fabric, session_state(m->s));
	options = options_copy(m->s->setup->options);
	rc = options_set(options, "qos", "TRUE", e) || options_set(options, "torus_config", m->path, e) ? -1
													: 0;
	m->setup =
		setup_with(m->s->setup, &(struct setup){.options = options, .chain = ENGINE ",no_fallback"});
	options_free(options);
	return rc;
}

static void end(struct maker *m)
{
	if (m->fd >= 0)
		close(m->fd);
	topo_unref(m->t);
	setup_unref(m->setup);
	free(m->refused);
}

static int cmd_torus_conf(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct maker m = {.s = s, .progress = o->run->progress, .fd = -1};
	struct torus_plan p = {0};
	int rc;

	rc = begin(&m, e);
	p.t = m.t;
	if (!rc)
		rc = make_plan(&m, &p, e);
	if (rc >= 0)
		rc = give_plan(&m, &p, rc > 0, argc > 1 ? argv[1] : NULL, o, e);
	grid_free((struct grid *)p.g);
	end(&m);
	return rc;
}

const struct command torus_commands[] = {
	{.name = "torus-conf",
	 .syntax = "torus-conf [FILE]",
	 .help = "a torus-2QoS.conf for a fabric that is a torus or mesh",
	 .details =
		 "  Finds the dimensions, also where some switches or links are missing, and writes radices, "
		 "seeds, datelines and port\n"
		 "  order; without FILE (or with -) on the screen.  The engine has tried it.  On another "
		 "fabric: what breaks the pattern.\n",
	 .needs = NEEDS_FABRIC,
	 .json = "torus object the grid that was found\n"
		 "torus.shape string in words\n"
		 "torus.radix[] integer places by dimension\n"
		 "torus.open[] boolean by dimension: a mesh, not a torus\n"
		 "torus.missing_switches integer switches that are missing in it\n"
		 "torus.missing_links integer links between neighbours that are missing\n"
		 "torus.seeds integer seeds written\n"
		 "torus.routes boolean torus-2QoS routes the whole fabric with it\n" JSON_CONTENT,
	 .run = cmd_torus_conf},
	{.name = NULL},
};
