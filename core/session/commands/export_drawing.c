#include "core/session/commands/commands.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/draw/picture.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/program.h"

/* Turn DOT text in a file into SVG or PNG by the program `dot` of Graphviz. */
static int run_graphviz(char *dot, const struct drawing *d, FILE *to, struct progress *p, struct err *e)
{
	/* channels are read before their dependencies */
	char name[] = "dot", svg[] = "-Tsvg", png[] = "-Tpng", order[] = "-Goutputorder=nodesfirst";
	char *argv[] = {name, d->as == DRAW_PNG ? png : svg, order, dot, NULL};
	struct err why;

	progress_start(p, "Graphviz draws", 0);
	if (!program_run(argv, to, p, &why))
		return 0;
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	return err_set(e, "Graphviz' program %s; `export dot FILE` writes the dot file without this program",
		       why.msg);
}

/* The same for an SVG, with names of what is drawn. */
static int draw_dependencies(const struct session *s, char *dot, const struct drawing *d,
			     const struct target *t, struct progress *p, struct err *e)
{
	char path[SCRATCH_PATH];
	int fd = scratch_file(path, e);
	FILE *made = fd < 0 ? NULL : fdopen(fd, "w+");
	struct svg_about of = {.more = "Channels, then dependencies of a channel on the next one"};
	AUTO_TEXT struct text line = {0};

	if (fd < 0)
		return -1;
	if (!made) {
		close(fd);
		return cannot_write(t, e);
	}
	AUTO_FREE char *title = str_printf("%s: channel dependencies", drawing_source(s->fabric));
	drawing_engine_words(s, &line);
	if (d->vl != CDG_ALL_VLS)
		text_add(&line, "; VL %d", d->vl);
	if (d->group)
		text_add(&line, "; group %u of those with credit loops", d->group);
	drawing_down_words(s, &line);
	of.title = title;
	of.line = text_str(&line);
	of.id = svg_id(d->c->n_deps, of.title, of.line);
	int rc = run_graphviz(dot, d, made, p, e);
	if (!rc && (fflush(made) || fseek(made, 0, SEEK_SET) || graphviz_name(made, t->f, d->c, &of)))
		rc = cannot_write(t, e);
	fclose(made);
	return rc;
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
	arena_free(d->c);
	d->c = NULL;
	return -1;
}

/* Where steps are drawn: frames of what moves in `movie`, or files by a pattern. */
struct step_frames {
	FILE *movie;
	const char *pattern;		/* NULL: `movie` */
	const struct warnings *missing; /* what the files tell that they lack */
	unsigned done;
};
static int draw_steps(struct session *s, struct drawing *d, struct step_frames *to, struct progress *p,
		      struct err *e);

/* DOT or SVG, written by ibscope itself. */
static int export_drawing_command_write_text(struct session *s, struct drawing *d, FILE *f,
					     const struct target *t, struct progress *p, struct err *e)
{
	int rc;

	if (d->what == DRAW_CDG)
		rc = cdg_write_dot(f, d->c, d->vl, d->component, p);
	else if (d->what == DRAW_PLOT)
		rc = plot_svg(f, &d->of.page, &d->plots, p);
	else if (d->frames == FRAMES_MOVING)
		rc = draw_steps(s, d, &(struct step_frames){.movie = f}, p, NULL);
	else if (d->as == DRAW_DOT)
		rc = fabric_drawing_dot(s, &d->fabric, f, p);
	else
		rc = fabric_drawing_svg(s, &d->fabric, f, p);
	if (rc && progress_cancelled(p))
		return err_set(e, CANCELLED);
	return rc ? cannot_write(t, e) : 0;
}

/* Another program makes the drawing, from a file without a name: nothing is left behind. */
static int draw_by_program(struct session *s, struct drawing *d, const struct target *t, struct progress *p,
			   struct err *e)
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
	rc = export_drawing_command_write_text(s, d, from, t, p, e);
	if (!rc && (fflush(from) || lseek(fd, 0, SEEK_SET)))
		rc = cannot_write(t, e);
	if (!rc)
		rc = !d->c		 ? svg_to_png(fd, t->f, p, e)
		     : d->as == DRAW_SVG ? draw_dependencies(s, path, d, t, p, e)
					 : run_graphviz(path, d, t->f, p, e);
	fclose(from);
	return rc;
}

/* Does another program draw it? PNG (not text) and channel dependencies need one. */
static bool by_program(const struct drawing *d)
{
	return d->as == DRAW_PNG || (d->what == DRAW_CDG && d->as == DRAW_SVG);
}

int drawing_write(struct session *s, struct drawing *d, const struct target *t, struct out *o, struct err *e)
{
	struct progress *p = o->run->progress;

	return by_program(d) ? draw_by_program(s, d, t, p, e)
			     : export_drawing_command_write_text(s, d, t->f, t, p, e);
}

/* "frame-%03d.svg" with a number; NULL: it is not such a pattern. */
static char *frame_path(const char *pattern, unsigned number)
{
	const char *at = strchr(pattern, '%'), *end = at ? at + 1 : NULL;
	int width = 0;

	if (end && end[0] == '0' && end[1] >= '1' && end[1] <= '9') {
		width = end[1] - '0';
		end += 2;
	}
	if (!end || *end != 'd' || strchr(end, '%'))
		return NULL;
	return str_printf("%.*s%0*u%s", (int)(at - pattern), pattern, width, number, end + 1);
}

/* Writes the next file, which is whole or not there. */
static int write_frame(struct session *s, struct drawing *d, const struct step_frames *to, struct progress *p,
		       struct err *e)
{
	struct progress inner = {.up = p};
	AUTO_FREE char *path = frame_path(to->pattern, to->done + 1);
	struct target t = {.path = path};
	int rc = outfile_open(&t.file, path, p, e);

	if (!rc) {
		t.f = t.file.f;
		rc = by_program(d) ? draw_by_program(s, d, &t, &inner, e)
				   : export_drawing_command_write_text(s, d, t.f, &t, &inner, e);
		if (d->as == DRAW_SVG)
			warnings_write_missing(to->missing, t.f, "<!-- ", " -->");
		rc = outfile_close(&t.file, rc, e);
	}
	return rc;
}

/* Each step in its turn. */
static int draw_steps(struct session *s, struct drawing *d, struct step_frames *to, struct progress *p,
		      struct err *e)
{
	const struct recording *r = recording_ref(session_shown(s)->rec);
	AUTO_FREE uint8_t *was = NEW_ARRAY(s->fabric->n_switches + 1, uint8_t);
	struct walk *w = walk_new(r);
	unsigned frames = 0;
	int rc = 0;

	assert(d->from <= d->to);
	for (size_t i = d->from; i <= d->to; i++)
		frames += recording_in_focus(r, i);
	for (size_t i = d->from; i <= d->to && !rc; i++) {
		if (!recording_in_focus(r, i))
			continue;
		progress_start(p, "drawing steps", frames);
		if (!progress_step(p, to->done) || walk_to(w, i, p)) {
			rc = to->pattern ? err_set(e, CANCELLED) : -1;
			break;
		}
		const struct moment *m = moment_new(w, NULL);
		drawing_step(s, m, &d->fabric);
		moment_unref(m);
		rc = to->pattern ? write_frame(s, d, to, p, e)
				 : picture_movie(to->movie, d->fabric.picture, s->fabric, &d->fabric.look,
						 &(struct picture_frame){to->done, frames, was}, p);
		memcpy(was, d->fabric.class, s->fabric->n_switches);
		to->done += !rc;
	}
	walk_free(w);
	recording_unref(r);
	return rc;
}

int drawing_write_steps(struct session *s, struct drawing *d, const char *pattern,
			const struct warnings *missing, struct out *o, struct err *e)
{
	struct step_frames to = {.pattern = pattern, .missing = missing};
	int rc = draw_steps(s, d, &to, o->run->progress, e);

	assert(d->frames == FRAMES_FILES);
	if (to.done) {
		AUTO_FREE char *first = frame_path(pattern, 1), *last = frame_path(pattern, to.done);

		out_text(o, "%s written: %s to %s\n", PLURAL(to.done, "file"), first, last);
	}
	out_json(o, "files", json_integer(to.done));
	return rc;
}

void drawing_free(struct drawing *d)
{
	arena_free(d->c);
	fabric_drawing_free(&d->fabric);
	plots_free(&d->plots);
}

/* --- words --------------------------------------------------------------------------------------- */

static int check_program(const struct drawing *d, const char *path, struct err *e)
{
	bool cdg = d->what == DRAW_CDG;

	if (d->as == DRAW_PNG && !strcmp(path, "-"))
		return err_word(e, "found -, expected the name of a file: a PNG is no text");
	if (!by_program(d) || program_exists(cdg ? "dot" : PNG_PROGRAM))
		return 0;
	if (cdg)
		return err_set(e,
			       "a drawing of channel dependencies needs the program dot (%s), which is not "
			       "there; `export dot FILE cdg` needs none",
			       package_of(PACKAGE_GRAPHVIZ));
	return err_set(e,
		       "a PNG needs the program " PNG_PROGRAM
		       " (%s), which is not there; `export svg FILE` needs none",
		       package_of(PACKAGE_RSVG));
}

static const struct {
	const char *word;
	enum drawing_kind kind;
	int what; /* of struct drawing */
} forms[] = {{"load", DRAWING_LOAD, DRAW_FABRIC},
	     {"path", DRAWING_PATH, DRAW_FABRIC},
	     {"why", DRAWING_WHY, DRAW_FABRIC},
	     {"cycle", DRAWING_WITNESS, DRAW_FABRIC},
	     {"layer", DRAWING_LAYER, DRAW_FABRIC},
	     {"dependencies", DRAWING_TURNS, DRAW_FABRIC},
	     {"diff", DRAWING_DIFF, DRAW_FABRIC},
	     {"map", DRAWING_MAP, DRAW_FABRIC},
	     {"transition", DRAWING_TRANSITION, DRAW_FABRIC},
	     {"steps", DRAWING_MAP, DRAW_FABRIC},
	     {"animated", DRAWING_MAP, DRAW_FABRIC},
	     {"plot", DRAWING_PLAIN, DRAW_PLOT},
	     {"cdg", DRAWING_PLAIN, DRAW_CDG}};

#define LARGEST 20000 /* points */

/* The words of a page. */
static int read_page(const struct args *args, struct drawing *d, struct err *e)
{
	const char *size = args_word(args, "size=WxH", NULL);
	unsigned font = (unsigned)args_number(args, "font=N", 10);
	struct svg_page *page = &d->of.page;
	uint64_t wide, high;

	*page = svg_plain;
	page->letter = (float)font / 10;
	page->untitled = args_has(args, "notitle");
	if ((size || font != 10 || page->untitled) && (d->as == DRAW_DOT || d->what == DRAW_CDG))
		return err_set(
			e, "size, font and notitle are for svg and png that ibscope draws; Graphviz makes "
			   "the page of dot and cdg");
	if (!size)
		return 0;
	AUTO_FREE char *left = str_printf("%.*s", (int)strcspn(size, "x"), size);
	bool fits = size[strlen(left)] == 'x' && number_of(left, 100, LARGEST, &wide) &&
		    number_of(size + strlen(left) + 1, 100, LARGEST, &high);
	if (!fits)
		return err_word(
			e, "size: found \"%s\", expected points across and down, 100 to %d, as 1920x1080",
			size, LARGEST);
	page->wide = (unsigned)wide;
	page->high = (unsigned)high;
	return 0;
}

/* Which steps are drawn. */
static int read_steps(struct session *s, const struct args *args, struct drawing *d, struct err *e)
{
	const struct moment *m = session_shown(s);
	size_t n = m ? recording_steps(m->rec) : 0, frames = 0;

	if (!m)
		return err_set(e, "there is no walk through a run: `step start` begins one");
	d->from = args_number(args, "FROM", 1);
	d->to = args_number(args, "TO", n);
	if (d->from > d->to || d->to > n)
		return err_set(e,
			       "found steps %zu to %zu, expected two of 1 to %zu, the first before the last",
			       d->from, d->to, n);
	for (size_t i = d->from; i <= d->to; i++)
		frames += recording_in_focus(m->rec, i);
	if (!frames || frames > FRAMES_MOST)
		return err_set_kind(e, ERR_LIMIT,
				    "found %zu steps, expected 1 to %d: say which, `%s FROM TO`", frames,
				    FRAMES_MOST, args->arg[2].word);
	if (d->frames == FRAMES_FILES) {
		AUTO_FREE char *path = frame_path(args->arg[1].word, 1);

		if (!path)
			return err_word(e,
					"found \"%s\", expected a name with one %%d or %%03d for the number "
					"of a step",
					args->arg[1].word);
	}
	return mem_room(e, walk_room(m->rec), "tables of a walk");
}

int drawing_prepare(struct session *s, const struct args *args, struct drawing *d, struct out *o,
		    struct err *e)
{
	struct progress *p = o->run->progress;
	const char *as = args->arg[0].word;

	*d = (struct drawing){.as = *as == 's' ? DRAW_SVG : DRAW_PNG};
	if (*as == 'd')
		d->as = DRAW_DOT;
	const struct arg *vl = args_get(args, "VL");
	int colour = args_which(args, map_colour_names, MAP_COLOURS);
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
	if (args_has(args, "animated"))
		d->frames = FRAMES_MOVING;
	if (args_has(args, "steps"))
		d->frames = FRAMES_FILES;
	if (d->frames)
		d->of.colour = MAP_STEP;
	if (read_page(args, d, e))
		return -1;
	if (d->of.kind == DRAWING_MAP && d->of.colour == MAP_STEP)
		d->of.page.lines = 3;
	if (d->of.kind == DRAWING_WITNESS && args_has(args, "all"))
		d->of.kind = DRAWING_CYCLE;
	if (d->what == DRAW_PLOT)
		plot_words(&d->plot_of, args);
	if (session_need_fabric(s, e))
		return -1;
	if (check_program(d, args->arg[1].word, e) || (d->frames && read_steps(s, args, d, e)))
		return -1;
	if (d->what == DRAW_FABRIC)
		return fabric_drawing_make(s, &d->of, &d->fabric, p, e);
	if (!need_routing(s, e))
		return -1;
	return d->what == DRAW_CDG ? find_dependencies(s, d, p, e)
				   : plots_make(s, &d->plot_of, &d->plots, p, e);
}
