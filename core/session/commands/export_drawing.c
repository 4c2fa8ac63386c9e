#include "core/session/commands/export_drawing.h"

#include <string.h>
#include <unistd.h>

#include "core/base/package.h"
#include "core/base/program.h"

/* Turn DOT text in a file into SVG or PNG by the program `dot` of Graphviz. */
static int run_graphviz(char *dot, const struct drawing *d, FILE *to, struct progress *p, struct err *e)
{
	char name[] = "dot", svg[] = "-Tsvg", png[] = "-Tpng";
	char *argv[] = {name, d->as == DRAW_PNG ? png : svg, dot, NULL};
	struct err why;

	progress_start(p, "Graphviz draws", 0);
	if (!program_run(argv, to, p, &why))
		return 0;
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	return err_set(e, "Graphviz' program %s; `export dot FILE` writes the dot file without this program",
		       why.msg);
}

/* The dependencies to draw, d->c. */
static int find_dependencies(struct session *s, struct drawing *d, struct progress *p, struct err *e)
{
	d->component = NO_ID;
	d->c = cdg_for_vl(session_routing(s), d->vl, d->switches, p, e);
	if (!d->c)
		return -1;
	if (!d->group)
		return 0;
	d->component = cdg_component_on(d->c, d->vl, d->group - 1);
	if (d->component != NO_ID)
		return 0;
	err_set(e, "found group %u, expected one of the %u groups with credit loops there are", d->group,
		cdg_components_below(d->c, d->vl, d->c->n_components));
	cdg_free(d->c);
	d->c = NULL;
	return -1;
}

/* DOT or SVG, written by ibscope itself. */
static int write_text(struct session *s, const struct drawing *d, FILE *f, const struct target *t,
		      struct progress *p, struct err *e)
{
	int rc;

	if (d->what == DRAW_CDG)
		rc = cdg_write_dot(f, d->c, d->vl, d->component, p);
	else if (d->what == DRAW_PLOT)
		rc = plots_svg(&d->plots, f, p);
	else if (d->as == DRAW_DOT)
		rc = fabric_drawing_dot(s, &d->fabric, f, p);
	else
		rc = fabric_drawing_svg(s, &d->fabric, f, p);
	if (rc && progress_cancelled(p))
		return err_set(e, CANCELLED);
	return rc ? cannot_write(t, e) : 0;
}

/* Another program makes the drawing, from a file without a name: nothing is left behind. */
static int draw_by_program(struct session *s, const struct drawing *d, const struct target *t,
			   struct progress *p, struct err *e)
{
	char path[SCRATCH_PATH];
	int fd = scratch_file(path, e), rc;
	FILE *from = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0)
		return -1;
	if (!from) {
		close(fd);
		return cannot_write(t, e);
	}
	rc = write_text(s, d, from, t, p, e);
	if (!rc && (fflush(from) || lseek(fd, 0, SEEK_SET)))
		rc = cannot_write(t, e);
	if (!rc)
		rc = d->c ? run_graphviz(path, d, t->f, p, e) : svg_to_png(fd, t->f, p, e);
	fclose(from);
	return rc;
}

/* Does another program draw it? PNG (not text) and channel dependencies need one. */
static bool by_program(const struct drawing *d)
{
	return d->as == DRAW_PNG || (d->what == DRAW_CDG && d->as == DRAW_SVG);
}

int drawing_write(struct session *s, const struct drawing *d, const struct target *t, struct out *o,
		  struct err *e)
{
	struct progress *p = o->run->progress;

	return by_program(d) ? draw_by_program(s, d, t, p, e) : write_text(s, d, t->f, t, p, e);
}

void drawing_free(struct drawing *d)
{
	cdg_free(d->c);
	fabric_drawing_free(&d->fabric);
	plots_free(&d->plots);
}

/* --- words --------------------------------------------------------------------------------------- */

static int check_program(const struct drawing *d, const char *path, struct err *e)
{
	bool cdg = d->what == DRAW_CDG;

	if (d->as == DRAW_PNG && !strcmp(path, "-"))
		return err_set(e, "found -, expected the name of a file: a PNG is no text");
	if (!by_program(d) || program_exists(cdg ? "dot" : PNG_PROGRAM))
		return 0;
	return err_set(e, "%s needs the program %s (%s), which is not there; `export %s` needs none",
		       cdg ? "a drawing of channel dependencies" : "a PNG", cdg ? "dot" : PNG_PROGRAM,
		       package_of(cdg ? PACKAGE_GRAPHVIZ : PACKAGE_RSVG), cdg ? "dot FILE cdg" : "svg FILE");
}

static const struct {
	const char *word;
	enum drawing_kind kind;
	int what; /* of struct drawing */
} forms[] = {{"load", DRAWING_LOAD, DRAW_FABRIC},
	     {"path", DRAWING_PATH, DRAW_FABRIC},
	     {"cycle", DRAWING_WITNESS, DRAW_FABRIC},
	     {"layer", DRAWING_LAYER, DRAW_FABRIC},
	     {"dependencies", DRAWING_TURNS, DRAW_FABRIC},
	     {"diff", DRAWING_DIFF, DRAW_FABRIC},
	     {"map", DRAWING_MAP, DRAW_FABRIC},
	     {"transition", DRAWING_TRANSITION, DRAW_FABRIC},
	     {"plot", DRAWING_PLAIN, DRAW_PLOT},
	     {"cdg", DRAWING_PLAIN, DRAW_CDG}};

int drawing_prepare(struct session *s, const struct args *args, struct drawing *d, struct out *o,
		    struct err *e)
{
	struct progress *p = o->run->progress;
	const char *as = args->arg[0].word;
	const struct arg *vl;
	int colour;

	*d = (struct drawing){.as = *as == 'd' ? DRAW_DOT : *as == 's' ? DRAW_SVG : DRAW_PNG};
	vl = args_get(args, "VL");
	colour = args_which(args, map_colour_names, MAP_COLOURS);
	d->vl = vl ? (int)vl->n : CDG_ALL_VLS;
	d->switches = args_has(args, "switches");
	d->group = (uint32_t)args_number(args, "group N", 0);
	d->of = (struct drawing_of){.args = args,
				    .switches = d->switches,
				    .group = d->group ? d->group : 1,
				    .vl = d->vl,
				    .colour = colour < 0 ? 0 : (enum map_colour)colour};
	for (size_t k = 0; args->n > 2 && k < ARRAY_LEN(forms); k++)
		if (!strcmp(args->arg[2].word, forms[k].word)) {
			d->of.kind = forms[k].kind;
			d->what = forms[k].what;
		}
	if (d->of.kind == DRAWING_WITNESS && args_has(args, "all"))
		d->of.kind = DRAWING_CYCLE;
	if (d->what == DRAW_PLOT)
		plot_words(&d->plot_of, args);
	if (session_need_fabric(s, e))
		return -1;
	if (check_program(d, args->arg[1].word, e))
		return -1;
	if (d->what == DRAW_FABRIC)
		return fabric_drawing_make(s, &d->of, &d->fabric, p, e);
	if (!need_routing(s, e))
		return -1;
	return d->what == DRAW_CDG ? find_dependencies(s, d, p, e)
				   : plots_make(s, &d->plot_of, &d->plots, p, e);
}
