/* `advise`: which engine and options suit this fabric.  It also writes the files for OpenSM. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/advise/advise.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/session/commands/commands.h"

/* --- telling -------------------------------------------------------------------------------------- */

static void tell_name(const struct advice_row *r, struct out *o)
{
	out_text(o, "%s%s%s", r->kind->engine, *r->options ? ", " : "", r->options);
}

/* Is the row sound for the whole fabric, not only for a part? */
static bool is_sound(const struct advice_row *r)
{
	return r->class == ADVICE_SOUND && !r->sweep->fabric->warnings.missing &&
	       !count_cut_off(r->sweep, NULL);
}

static json_t *advise_command_row_json(const struct advice *a, unsigned i)
{
	assert(i < a->n);

	const struct advice_row *r = &a->row[i];
	const char letter[] = {advice_letter(r), 0};
	json_t *x = json_make("{s:i, s:s, s:s, s:b}", "rank", (int)i + 1, "engine", r->kind->engine, "class",
			      letter, "sound", (int)is_sound(r)),
	       *same = json_array();

	for (unsigned k = a->n_ranked; k < a->n_routed; k++)
		if (a->row[k].same == i)
			json_array_append_new(same, json_make("{s:s, s:s}", "engine", a->row[k].kind->engine,
							      "options", a->row[k].options));
	fields_json(x, advice_fields, r);
	json_object_set_new(x, "same", same);
	return x;
}

static void advise_command_tell_row(const struct advice *a, unsigned i, struct out *o)
{
	assert(i < a->n);

	const struct advice_row *r = &a->row[i];

	out_text(o, "%3u. " ROW_PROSE, i + 1);
	tell_name(r, o);
	out_text(o, "\n");
	out_text(o, "     %c: " ROW_PROSE, advice_letter(r));
	if (r->class == ADVICE_SOUND)
		out_text(o, is_sound(r) ? "sound" : "no fault where it is known and reached");
	if (!r->pairs)
		out_text(o, "no pair of hosts, so nothing is judged");
	if (r->loops)
		out_text(o, "credit loops in %s of channels", PLURAL(r->loops, "group"));
	if (r->lost)
		out_text(o, "%s%s lost", r->loops ? ", " : "", PLURAL(r->lost, "pair"));
	if (r->heavy)
		out_text(o, ", but overloaded");
	out_text(o,
		 "; %s, most routes on a link %u, effective bisection %.3f +- %.3f, shifts %.2f (worst %u)\n",
		 PLURAL(r->vls, "VL"), r->max_load, r->ebb.value, r->ebb.half_width, r->shift_mean,
		 r->shift_worst);
	if (r->gpu_load)
		out_text(o, "     most flows of GPUs on a link %u\n", r->gpu_load);
	if (r->untried)
		out_text(o, "     single failures: not tried%s\n",
			 r->too_long ? "; put last, as they take longer than the time left" : "");
	if (r->failures) {
		out_text(o, "     after %s: " ROW_PROSE, PLURAL(r->failures, "single failure"));
		if (!r->failure_lost && !r->failure_loops && !r->failure_fallbacks)
			out_text(o, "still so");
		if (r->failure_lost)
			out_text(o, "up to %s lost between survivors", PLURAL(r->failure_lost, "pair"));
		if (r->failure_loops)
			out_text(o, "%scredit loops in %u", r->failure_lost ? ", " : "", r->failure_loops);
		if (r->failure_fallbacks)
			out_text(o, "%sanother engine in %u", r->failure_lost || r->failure_loops ? ", " : "",
				 r->failure_fallbacks);
		out_text(o, "\n");
	}
	for (unsigned k = a->n_ranked; k < a->n_routed; k++) {
		if (a->row[k].same != i)
			continue;
		out_text(o, "     the same: " ROW_PROSE);
		tell_name(&a->row[k], o);
		out_text(o, "\n");
	}
	if (r->reason)
		out_text(o, "     before the next: " ROW_PROSE "%s\n", r->reason);
}

static void tell_refused(const struct advice *a, struct out *o)
{
	json_t *list = json_array();

	for (unsigned i = a->n_routed; i < a->n_measured; i++) {
		const struct advice_row *r = &a->row[i];

		out_text(o, "  -  " ROW_PROSE);
		tell_name(r, o);
		out_text(o, ": refuses: %s\n", r->refused);
		json_array_append_new(list, json_make("{s:s, s:s, s:s}", "engine", r->kind->engine, "options",
						      r->options, "refused", r->refused));
	}
	out_json(o, "refused", list);
}

/* Why it was put last in the order of work. */
static const char *advise_command_put_last(const struct advice_row *r)
{
	if (!r->hopeless)
		return "";
	return r->loops ? "; put last: credit loops" : "; put last: pairs lost";
}

/* What is missing because it was stopped. */
static void advise_command_tell_missing(const struct advice *a, struct out *o)
{
	json_t *list = json_array();

	for (unsigned i = a->n_measured; i < a->n; i++) {
		out_text(o, "  ?  " ROW_PROSE);
		tell_name(&a->row[i], o);
		out_text(o, ": not finished%s\n", advise_command_put_last(&a->row[i]));
		json_array_append_new(list, json_make("{s:s, s:s}", "engine", a->row[i].kind->engine,
						      "options", a->row[i].options));
	}
	out_json(o, "unfinished", list);
	out_fields(o, json_make("{s:b}", "complete", advice_complete(a)));
	if (advice_complete(a))
		return;
	out_text(o, "INCOMPLETE: %s; %u of %u are measured%s.  Engines tried last take longest.\n",
		 a->late ? "the time is over" : "cancelled", a->n_measured, a->n,
		 a->untried ? ", failures are not tried with all and do not count in the ranking" : "");
}

/* One line on standard error for each engine that is done, while others are still tried. */
struct done {
	struct out *o;
	unsigned n;
};

static void tell_done(void *ctx, const struct advice_row *r)
{
	struct done *d = ctx;
	FILE *f = d->o->run->errors;

	d->n++;
	if (!f)
		return;
	fprintf(f, "advise: %u. %s%s%s: ", d->n, r->kind->engine, *r->options ? ", " : "", r->options);
	if (r->refused)
		fprintf(f, "refuses: %s\n", r->refused);
	else
		fprintf(f,
			"%c, %s lost, credit loops %" PRIu32 ", most routes on a link %u, bisection %.3f%s\n",
			advice_letter(r), PLURAL(r->lost, "pair"), r->loops, r->max_load, r->ebb.value,
			advise_command_put_last(r));
	fflush(f);
}

/* --- files ---------------------------------------------------------------------------------------- */

/* The absolute path, so that OpenSM finds it from any folder; NULL and *e. */
static char *whole_path(const char *path, struct err *e)
{
	if (strpbrk(path, "#\"\n\r")) {
		err_word(
			e,
			"%s: found a character that opensm.conf cannot have in a file name, expected none of "
			"# \" and ends of lines",
			path);
		return NULL;
	}
	if (*path == '/')
		return str_dup(path);
	AUTO_FREE char *here = realpath(".", NULL);
	if (!here) {
		err_set(e, "the current directory has no path");
		return NULL;
	}
	char *whole = str_printf("%s/%s", strcmp(here, "/") ? here : "", path);
	if (!strpbrk(whole, "#\"\n\r"))
		return whole;
	err_set(e, "%s: opensm.conf cannot have that name", whole);
	free(whole);
	return NULL;
}

static_assert(ADVICE_FILES <= TARGETS, "they are closed together");

/* opensm.conf is written last, after the files that its lines name. Either all files are written, or none. */
static int write_files(const struct session *s, const struct advice *a, unsigned rank, const char *path,
		       struct out *o, struct err *e)
{
	struct advice_file file[ADVICE_FILES];
	struct target to[ADVICE_FILES];
	char *name[ADVICE_FILES];
	unsigned opened = 0;
	int rc = 0;

	assert(rank);
	if (rank > a->n_ranked)
		return err_set(e, "found rank %u, expected 1 to %u", rank, a->n_ranked);
	AUTO_FREE char *whole = whole_path(path, e);
	if (!whole)
		return -1;
	static_assert(ADVICE_FILES <= TARGETS, "all of them are kept, or none");
	unsigned n = advice_files(a, &a->row[rank - 1], whole, file);
	for (unsigned i = n; i-- > 0;) {
		name[i] = str_printf("%s%s", path, file[i].suffix);
		if (!rc)
			rc = open_target(&to[opened], name[i], o, e);
		if (!rc) {
			mark_target(&to[opened], s, NULL);
			fputs(text_str(&file[i].text), to[opened++].f);
		}
		text_free(&file[i].text);
	}
	rc = close_targets(to, opened, rc, o, e);
	while (n)
		free(name[--n]);
	return rc;
}

#define MOST_SECONDS 86400

/* --- the command ---------------------------------------------------------------------------------- */

/* Seconds, with or without "s". */
static int read_within(const struct args *args, double *within, struct err *e)
{
	const char *word = args_word(args, "TIME", NULL);
	size_t len = word ? strlen(word) : 0;
	uint64_t n = 0;

	if (len && !number_of_part(word, len - (word[len - 1] == 's'), 1, MOST_SECONDS, &n))
		return err_set_kind(
			e, ERR_SYNTAX,
			"found \"%s\", expected seconds from 1 to " NUMBER_TEXT(MOST_SECONDS) ", like 60s",
			word);
	*within = (double)n;
	return 0;
}

static int cmd_advise(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct done done = {.o = o};
	struct rounds *signals = o->run->rounds;
	struct advise_request rq = {.setup = s->setup,
				    .engines = s->engines,
				    .now = session_sweep(s),
				    .gpus = 1 + args_which(args, gpu_pattern_word, GPU_PATTERNS),
				    .direct = args_has(args, "direct"),
				    .failures = (uint32_t)args_number(args, "failures N", ADVISE_FAILURES),
				    .tell = tell_done,
				    .ctx = &done};
	const char *path = args_word(args, "FILE", NULL);
	int rc = 0;

	if (read_within(args, &rq.within, e))
		return -1;
	if (signals)
		atomic_store(&signals->tells, true);
	struct advice *a = advise_run(&rq, o->run->progress, e);
	if (signals)
		atomic_store(&signals->tells, false);
	if (!a)
		return -1;
	report_scope(s, o);
	report_missing(s->fabric, o);
	if (a->direct)
		out_text(o, "No levels: hosts are on all switches that carry traffic.\n");
	else
		out_text(o, "Levels: %s, %s.\n", PLURAL(a->n_edges, "edge switch"),
			 PLURAL(a->n_roots, "root"));
	out_fields(o, json_make("{s:b, s:I, s:I}", "direct", a->direct, "edge_switches",
				(json_int_t)a->n_edges, "roots", (json_int_t)a->n_roots));
	json_t *list = json_array();
	for (unsigned i = 0; i < a->n_ranked; i++) {
		advise_command_tell_row(a, i, o);
		json_array_append_new(list, advise_command_row_json(a, i));
	}
	out_json(o, "advice", list);
	tell_refused(a, o);
	advise_command_tell_missing(a, o);
	if (!a->n_ranked && a->n_measured == a->n)
		out_text(o, "No engine routes this fabric.\n");
	o->run->found_fault |= advice_complete(a) && (!a->n_ranked || a->row[0].class == ADVICE_UNSOUND);
	o->run->unanswered |= !advice_complete(a);
	if (!advice_complete(a) && !a->late)
		rc = err_set(e, CANCELLED);
	else if (path)
		rc = write_files(s, a, (unsigned)args_number(args, "rank N", 1), path, o, e);
	advice_free(a);
	return rc;
}

#define BEHIND "[for ring|tree|alltoall [direct]] [failures N] [within TIME]"

const struct command advise_commands[] = {
	{.name = "advise",
	 .group = JUDGE,
	 .syntax = "advise " BEHIND " | advise write FILE [rank N] " BEHIND,
	 .numbers = ARG_NUMBERS(ARG_NUMBER("rank N", 1, 100, "a number from 1 to 100", "rank")),
	 .help = "try all engines on this fabric and rank them, with reasons",
	 .finds = "the best is of class C, or no engine routes the fabric",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SCOPE
	 "direct boolean no levels: hosts are on all switches that carry traffic\n"
	 "edge_switches integer switches where hosts usually are\n"
	 "roots integer roots by levels; of a direct fabric the switch in its middle\n"
	 "advice[] object engines, with their options, that route the fabric, the best first\n"
	 "@advice[].\n"
	 "refused[] object? engines that do not route it\n"
	 "refused[].engine string the engine\n"
	 "refused[].options string as above\n"
	 "refused[].refused string why\n"
	 "unfinished[] object? engines that were not measured when it was stopped\n"
	 "unfinished[].engine string the engine\n"
	 "unfinished[].options string as above\n"
	 "complete boolean all was measured and tried\n" JSON_CONTENT,
	 .rows = {advice_fields},
	 .run = cmd_advise},
	{.name = NULL},
};
