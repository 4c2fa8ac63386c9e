/* Command torus-conf: a configuration for torus-2QoS, tried on the engine before it is written. */
#include <string.h>

#include "core/analysis/shape/torus_fit.h"
#include "core/session/commands/commands.h"

#define ENGINE "torus-2QoS"

/* --- telling ---------------------------------------------------------------------------------------- */

static void tell_plan(struct torus_fit *m, const struct torus_plan *p, bool good, struct out *o)
{
	const struct grid *g = p->g;
	char shape[100];

	out_text(o, "# %s of %s", grid_text(g, shape, sizeof(shape)), PLURAL(g->n_places, "place"));
	if (g->missing_switches)
		out_text(o, ", %u of the switches missing", g->missing_switches);
	if (g->missing_links)
		out_text(o, ", %s between neighbours missing (%s%s)", PLURAL(g->missing_links, "link"),
			 g->missing_link, g->missing_links > 1 ? ", ..." : "");
	out_text(o, ".\n");
	if (good)
		out_text(o, "# " ENGINE " routes the whole fabric with it; %s.\n",
			 PLURAL(p->n_seeds, "seed"));
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

static int give_plan(const struct session *s, struct torus_fit *m, const struct torus_plan *p, bool good,
		     const char *path, struct out *o, struct err *e)
{
	struct text x = {0};
	struct target to;
	int rc;

	if (!good && p->g->radix[1] == 1 && p->g->radix[0] > 3)
		return err_set(e,
			       "%u switches in one %s: " ENGINE
			       " takes at most three in one dimension; expected at least two dimensions",
			       p->g->n_places, p->g->open[0] ? "line" : "ring");
	if (!p->n_seeds)
		return err_set(e, "%s", m->refused);
	tell_plan(m, p, good, o);
	rc = open_target(&to, path, o, e);
	if (!rc) {
		torus_conf_text(p, &x);
		mark_target(&to, s, NULL);
		fputs(text_str(&x), to.f);
		rc = close_target(&to, 0, o, e);
	}
	if (!rc && !on_output(&to))
		out_text(o, "`route " ENGINE " qos=TRUE torus_config=%s` takes it\n", path);
	text_free(&x);
	return rc;
}

static int cmd_torus_conf(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct torus_fit m;
	int rc = torus_fit_begin(&m, s->setup, s->engines, o->run->progress, e);

	if (!rc)
		rc = torus_fit_make(&m, e);
	if (rc >= 0)
		rc = give_plan(s, &m, &m.plan, rc > 0, args_word(args, "FILE", "-"), o, e);
	torus_fit_end(&m);
	return rc;
}

const struct command torus_commands[] = {
	{.name = "torus-conf",
	 .group = FILES,
	 .syntax = "torus-conf [FILE]",
	 .help = "write a torus-2QoS.conf for a fabric that is a torus or mesh",
	 .finds = "torus-2QoS refuses the fabric as it is",
	 .details = "  torus-conf finds the dimensions, even if some switches or links are missing.  It "
		    "writes radices, seeds, datelines\n"
		    "  and port order; without FILE (or with -) on the screen.  It lets the engine try the "
		    "file.  On another fabric it\n"
		    "  tells what breaks the pattern.\n",
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
