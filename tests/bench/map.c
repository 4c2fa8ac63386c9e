/*
 * Time one frame of the map.  usage: build/bench/map [FABRIC|SPEC]...  (none: a tree, tori, a dragonfly)
 *
 * Columns (milliseconds): layout (once per fabric, beside the loop), cells (when the size of the pane
 * changes), frame (all that is done between a key and what curses is given), each the median of 9; frame
 * again after an arrow key with the links of the selection, at 80x24 and at 200x50.
 *
 * The last line: a round of `drain all` on torus:8x8 as the map shows it at 200x50 (command, marks, frame),
 * in milliseconds of the processor, forwards and then backwards: median and most.  "!": less than 60 rounds a
 * second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/analysis/traffic/drain.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/core_commands.h"
#include "core/session/interpreter.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "views/map/map.h"
#include "views/views.h"

#define RUNS 9

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static double median(double *ms)
{
	qsort(ms, RUNS, sizeof(*ms), by_value);
	return ms[RUNS / 2];
}

static double milliseconds(double since)
{
	return (now_seconds() - since) * 1000;
}

static void frame(struct view *v, struct canvas *c, int w, int h)
{
	canvas_clear(c, w, h, false);
	v->ops->draw(v, c);
}

static void one_size(struct view *v, int w, int h)
{
	const struct map *m = map_of(v);
	struct canvas c = {0};
	double cells[RUNS], first[RUNS], key[RUNS];

	for (int i = 0; i < RUNS; i++) {
		double begin = now_seconds();

		map_cells_free(map_cells_new(v->scene->fabric, m->layout, w, h));
		cells[i] = milliseconds(begin);
		frame(v, &c, w, h);
		begin = now_seconds();
		frame(v, &c, w, h);
		first[i] = milliseconds(begin);
		begin = now_seconds();
		v->ops->move(v, 1, 0);
		frame(v, &c, w, h);
		key[i] = milliseconds(begin);
	}
	printf("  %dx%d: cells %.2f  frame %.2f  key and frame %.2f", w + 2, h + 2, median(cells),
	       median(first), median(key));
	canvas_free(&c);
}

/* A line of commands; -1 when it failed. */
static int run(struct session *s, const char *line)
{
	struct interpreter in = {.session = s};
	struct text said = {0};
	struct command_run r = {.in = &in, .f = text_stream(&said)};
	struct err e = {0};
	int rc = run_text(&r, line, &e);

	fclose(r.f);
	text_free(&said);
	interpreter_free(&in);
	if (rc)
		fprintf(stderr, "%s: %s\n", line, e.msg);
	return rc;
}

static int one_fabric(struct session *s, const char *what)
{
	char *line = str_printf("%s %s; route minhop", synth_is_spec(what) ? "synth" : "load", what);
	struct scene sc = {0};
	struct err e = {0};
	struct layout *l;
	struct view *v;
	double begin;
	int rc = run(s, line);

	free(line);
	if (rc)
		return rc;
	scene_take(&sc, s);
	begin = now_seconds();
	l = layout_new(sc.fabric, NULL, NULL, &e);
	printf("%s: %u switches  layout %.0f", what, sc.fabric->n_switches, milliseconds(begin));
	layout_unref(l);
	v = view_new(&view_map, &sc, 0, NULL, &e);
	if (!v || !view_settle(v, NULL) || !map_of(v)->layout) {
		fprintf(stderr, "%s: no map\n", what);
		return 1;
	}
	one_size(v, 78, 20);
	one_size(v, 198, 46);
	printf("\n");
	view_free(v);
	scene_release(&sc);
	scene_drop_results(&sc);
	return 0;
}

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int rounds(struct session *s)
{
	char overlay[] = "overlay", drain[] = "drain";
	struct canvas c = {0};
	struct scene sc = {0};
	struct err e = {0};
	struct view *v;
	double *ms;
	char told[32];
	uint32_t n;
	int rc = run(s, "synth torus:8x8; route nue; drain all; drain first");

	if (rc)
		return rc;
	scene_take(&sc, s);
	v = view_new(&view_map, &sc, 0, NULL, &e);
	if (!v || !view_settle(v, NULL) || v->ops->words(v, 2, (char *[]){overlay, drain}, &e)) {
		fprintf(stderr, "no map of drain: %s\n", e.msg);
		return 1;
	}
	n = session_drain(s)->rounds;
	ms = NEW_ARRAY(n, double);
	printf("drain of torus:8x8, all pairs, %u rounds:", n);
	for (int back = 0; back < 2 && !rc; back++) {
		for (uint32_t i = 0; i < n && !rc; i++) {
			double begin = processor_seconds();

			rc = run(s, back ? "drain back" : "drain next");
			scene_take(&sc, s);
			scene_drop_results(&sc);
			view_settle(v, NULL);
			frame(v, &c, 198, 46);
			ms[i] = (processor_seconds() - begin) * 1000;
			snprintf(told, sizeof(told), "round %u:", back ? n - 1 - i : i + 1);
			rc = rc || strncmp(text_str(&map_of(v)->said), told, strlen(told)) != 0;
		}
		qsort(ms, n, sizeof(*ms), by_value);
		printf("  %s %.2f most %.2f%s", back ? "back" : "next", ms[n / 2], ms[n - 1],
		       ms[n - 1] > 1000.0 / 60 ? "!" : "");
	}
	printf("\n");
	free(ms);
	canvas_free(&c);
	view_free(v);
	scene_release(&sc);
	scene_drop_results(&sc);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct command *const commands[] = {
#include "core/session/core_commands.def"
		view_commands, NULL};
	static char tree[] = "xgft:18,18,6:1,18,18", torus[] = "torus:25x20x20", mesh[] = "mesh:100x100",
		    dragonfly[] = "dragonfly:12,6,6";
	char *usual[] = {tree, torus, mesh, dragonfly};
	struct session *s = session_new(all_engines, commands);
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++)
		rc = one_fabric(s, argv[i]);
	for (size_t i = 0; argc < 2 && i < ARRAY_LEN(usual) && !rc; i++)
		rc = one_fabric(s, usual[i]);
	if (argc < 2 && !rc)
		rc = rounds(s);
	session_free(s);
	return rc ? 1 : 0;
}
