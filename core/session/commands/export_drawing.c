#include "core/session/commands/export_drawing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/program.h"
#include "core/base/words.h"

/* DOT text, in a file, to SVG or PNG by Graphviz' own program. */
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
	return err_set(e, "Graphviz' program %s; `export dot FILE` writes what it was given", why.msg);
}

/* The dependencies that are drawn, d->c. */
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

/* DOT or SVG, as we write it. */
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

/* What another program makes of it, by way of a file that has no name, so that nothing is left behind. */
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

int drawing_write(struct session *s, const struct drawing *d, const struct target *t, struct out *o,
		  struct err *e)
{
	struct progress *p = o->run->progress;
	bool program = d->as == DRAW_PNG || (d->c && d->as == DRAW_SVG);

	if (d->c && d->as == DRAW_SVG && !program_exists("dot")) {
		out_text(o, "Graphviz' program dot is not there (package graphviz): DOT text is written "
			    "instead\n");
		program = false;
	}
	return program ? draw_by_program(s, d, t, p, e) : write_text(s, d, t->f, t, p, e);
}

void drawing_free(struct drawing *d)
{
	cdg_free(d->c);
	fabric_drawing_free(&d->fabric);
	plots_free(&d->plots);
}

/* --- words --------------------------------------------------------------------------------------- */

/* A PNG is no text, and another program makes it. */
static int check_png(const struct drawing *d, const char *path, struct err *e)
{
	const char *program = d->what == DRAW_CDG ? "dot" : PNG_PROGRAM;

	if (!strcmp(path, "-"))
		return err_set(e, "found -, expected the name of a file: a PNG is no text");
	if (program_exists(program))
		return 0;
	return err_set(
		e,
		"a PNG needs the program %s (package %s), which is not there; `export svg FILE` needs none",
		program, d->what == DRAW_CDG ? "graphviz" : PNG_PACKAGE);
}

/* `group N` at the end. */
static int take_group(int *argc, char **argv, uint32_t *group, struct err *e)
{
	char *end;

	if (*argc < 3 || strcmp(argv[*argc - 2], "group"))
		return 0;
	*group = (uint32_t)strtoul(argv[*argc - 1], &end, 10);
	if (*end || !*group)
		return err_set(e, "found \"%s\", expected the number of a group as `cycles` shows it",
			       argv[*argc - 1]);
	*argc -= 2;
	return 0;
}

static int parse_cycle(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->of.group = 1;
	if (take_group(&argc, argv, &d->of.group, e))
		return -1;
	d->of.switches = words_take_last(&argc, argv, "switches");
	d->of.kind = words_take_last(&argc, argv, "all") ? DRAWING_CYCLE : DRAWING_WITNESS;
	return argc == 1 ? 0 : usage(s, "export", e);
}

static int parse_cdg(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->what = DRAW_CDG;
	if (take_group(&argc, argv, &d->group, e))
		return -1;
	d->switches = words_take_last(&argc, argv, "switches");
	if (argc > 2)
		return usage(s, "export", e);
	return argc == 2 ? parse_layer(argv[1], &d->vl, e) : 0;
}

static int parse_map(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->of.kind = DRAWING_MAP;
	if (argc > 2)
		return usage(s, "export", e);
	for (unsigned k = 0; argc == 2; k++) {
		if (k == MAP_COLOURS)
			return err_set(
				e,
				"found \"%s\", expected state, load, rank, layers, chassis, change or step",
				argv[1]);
		if (!strcmp(argv[1], map_colour_names[k])) {
			d->of.colour = (enum map_colour)k;
			return 0;
		}
	}
	return 0;
}

static int parse_load(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	(void)argv;
	d->of.kind = DRAWING_LOAD;
	return argc == 1 ? 0 : usage(s, "export", e);
}

static int parse_path(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->of.kind = DRAWING_PATH;
	if (argc != 3)
		return usage(s, "export", e);
	d->of.from = argv[1];
	d->of.to = argv[2];
	return 0;
}

static int parse_layer_words(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->of.kind = DRAWING_LAYER;
	d->of.switches = words_take_last(&argc, argv, "switches");
	return argc == 2 ? parse_layer(argv[1], &d->of.vl, e) : usage(s, "export", e);
}

static int parse_diff(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->of.kind = DRAWING_DIFF;
	if (argc > 2)
		return usage(s, "export", e);
	d->of.snapshot = argc == 2 ? argv[1] : NULL;
	return 0;
}

static int parse_plot(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	d->what = DRAW_PLOT;
	if (d->as == DRAW_DOT || argc < 2)
		return usage(s, "export", e);
	return plot_words(&d->plot_of, argc - 1, argv + 1, e);
}

static const struct {
	const char *word;
	int (*parse)(struct session *s, int argc, char **argv, struct drawing *d, struct err *e);
} forms[] = {{"load", parse_load}, {"path", parse_path}, {"cycle", parse_cycle}, {"layer", parse_layer_words},
	     {"diff", parse_diff}, {"map", parse_map},	 {"plot", parse_plot},	 {"cdg", parse_cdg}};

static int parse_words(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	if (argc == 3)
		return 0;
	for (size_t k = 0; k < ARRAY_LEN(forms); k++)
		if (!strcmp(argv[3], forms[k].word))
			return forms[k].parse(s, argc - 3, argv + 3, d, e);
	return usage(s, "export", e);
}

int drawing_prepare(struct session *s, int argc, char **argv, struct drawing *d, struct out *o, struct err *e)
{
	struct progress *p = o->run->progress;

	*d = (struct drawing){.as = *argv[1] == 'd'   ? DRAW_DOT
				    : *argv[1] == 's' ? DRAW_SVG
						      : DRAW_PNG,
			      .vl = CDG_ALL_VLS};
	if (argc < 3)
		return usage(s, "export", e);
	if (parse_words(s, argc, argv, d, e) || session_need_fabric(s, e))
		return -1;
	if (d->as == DRAW_PNG && check_png(d, argv[2], e))
		return -1;
	if (d->what == DRAW_FABRIC)
		return fabric_drawing_make(s, &d->of, &d->fabric, p, e);
	if (!need_routing(s, e))
		return -1;
	return d->what == DRAW_CDG ? find_dependencies(s, d, p, e)
				   : plots_make(s, &d->plot_of, &d->plots, p, e);
}
