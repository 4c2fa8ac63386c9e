/*
 * Time recordings and jumps in them.  usage: build/bench/step [SPEC ENGINE]...  (none: xgft:18,18,6:1,18,18
 * by minhop, updn, lash, ftree and mincontention)
 *
 * Columns: record (milliseconds of the processor until `step start` is done), steps, MB, jump (milliseconds
 * to another step, median and most of 100 at random and of those between both ends), moment (milliseconds
 * until panes have the step: median and most of 20).  "!": above 1 second, above 50 milliseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/rng.h"
#include "core/session/core_commands.h"
#include "core/session/interpreter.h"
#include "core/trace/walk.h"
#include "engines/engines.h"

#define JUMPS 100
#define MOMENTS 20

static const struct command *const commands[] = {
#include "core/session/core_commands.def"
	NULL};

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* Of the processor: others may use the machine, too. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double milliseconds(double since)
{
	return (seconds() - since) * 1000;
}

/* Median and most, the latter marked above the bound. */
static void print_times(double *ms, int n, double bound)
{
	qsort(ms, (size_t)n, sizeof(*ms), by_value);
	printf(" %8.1f %8.1f%s", ms[n / 2], ms[n - 1], ms[n - 1] > bound ? "!" : " ");
}

static void jumps(const struct recording *r)
{
	struct walk *w = walk_new(r);
	size_t n = recording_steps(r);
	uint64_t seed = 1;
	double ms[JUMPS];

	for (int i = 0; i < JUMPS; i++) {
		size_t to = i < 6 ? (i & 1 ? 0 : n) : rng_below(&seed, (uint32_t)n + 1);
		double begin = seconds();

		walk_to(w, to, NULL);
		ms[i] = milliseconds(begin);
	}
	print_times(ms, JUMPS, 50);
	for (int i = 0; i < MOMENTS; i++) {
		const struct moment *m;
		double begin;

		walk_to(w, rng_below(&seed, (uint32_t)n + 1), NULL);
		begin = seconds();
		m = moment_new(w, NULL);
		ms[i] = milliseconds(begin);
		moment_unref(m);
	}
	print_times(ms, MOMENTS, 50);
	printf("\n");
	walk_free(w);
}

static int measure(const char *spec, const char *engine)
{
	struct session *s = session_new(all_engines, commands);
	struct interpreter in = {.session = s};
	struct command_run run = {.in = &in, .f = fopen("/dev/null", "w")};
	const struct recording *r = NULL;
	struct err e = {0};
	char line[300];
	double begin, ms;

	snprintf(line, sizeof(line), "synth %s; route %s", spec, engine);
	if (!run_text(&run, line, &e)) {
		begin = seconds();
		r = recording_make(&(struct rec_request){.sweep = session_sweep(s),
							 .focus = REC_EVERYTHING,
							 .engines = all_engines},
				   &e);
		ms = milliseconds(begin);
	}
	if (r) {
		printf("%-24s %-14s %8.1f%s %9zu %7.1f", spec, recording_engine(r), ms, ms > 1000 ? "!" : " ",
		       recording_steps(r), (double)recording_bytes(r) / 1e6);
		jumps(r);
	} else {
		fprintf(stderr, "%s by %s: %s\n", spec, engine, e.msg);
	}
	recording_unref(r);
	fclose(run.f);
	interpreter_free(&in);
	session_free(s);
	return r ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const char *const engines[] = {"minhop", "updn", "lash", "ftree", "mincontention"};
	int failed = 0;

	printf("%-24s %-14s %9s %9s %7s %17s %17s\n", "fabric", "engine", "record", "steps", "MB",
	       "jump  most", "moment  most");
	for (int i = 1; i + 1 < argc; i += 2)
		failed |= measure(argv[i], argv[i + 1]);
	for (size_t i = 0; argc < 3 && i < ARRAY_LEN(engines); i++)
		failed |= measure("xgft:18,18,6:1,18,18", engines[i]);
	return failed;
}
