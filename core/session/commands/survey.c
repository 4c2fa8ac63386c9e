/* `survey`: every single failure, or pairs of failures, ranked by their effects. */
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/survey/parted.h"
#include "core/analysis/survey/share.h"
#include "core/analysis/survey/survey.h"
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"
#include "core/session/commands/commands.h"
#include "core/session/patterns.h"

/* --- lines, all from JSON: merged results are printed like computed ones ------------------------ */

static uint64_t survey_command_number(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v > 0 ? (uint64_t)v : 0;
}

static const char *word(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static const struct {
	const char *name, *key;
	int width;
} columns[] = {{"outage", "outage", 8},	    {"lost", "lost", 8},       {"between", "between_survivors", 8},
	       {"loops", "new_loops", 6},   {"load", "load_after", 8}, {"longer", "longer", 8},
	       {"rerouted", "rerouted", 8}, {"entries", "entries", 8}, {"gone", "hosts_gone", 6},
	       {"beyond", "beyond", 8}};

/* How a table is laid out: a narrow one for a reader whose width is known. */
struct survey_command_layout {
	int width[ARRAY_LEN(columns)]; /* 0 = left out: 0 in all rows, and the table would be too wide */
	unsigned n;		       /* columns */
	bool narrow;
	bool below;    /* what fails stands below its figures */
	bool fallback; /* some row has an engine that OpenSM falls back to */
};

static void survey_command_lay_out(const json_t *rows, bool pairs, const struct out *o,
				   struct survey_command_layout *l)
{
	uint64_t most[ARRAY_LEN(columns)] = {0};
	size_t used = 0, longest = 0;

	l->n = ARRAY_LEN(columns) - !pairs;
	l->narrow = o->run->width != 0;
	l->fallback = false;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *r = json_array_get(rows, i);
		bool told = json_is_true(json_object_get(r, "fallback"));
		const char *engine = word(r, "engine");
		size_t len = strlen(word(r, "what"));

		if (!*engine)
			len += strlen(" (no engine)");
		else if (told)
			len += 1 + strlen(engine);
		longest = MAX(len, longest);
		l->fallback |= told;
		for (unsigned c = 0; c < l->n; c++)
			most[c] = survey_command_number(r, columns[c].key) > most[c]
					  ? survey_command_number(r, columns[c].key)
					  : most[c];
	}
	for (unsigned c = 0; c < l->n; c++) {
		int figure = snprintf(NULL, 0, "%" PRIu64, most[c]), name = (int)strlen(columns[c].name);

		l->width[c] = !l->narrow ? columns[c].width : MAX(figure, name);
		used += (size_t)l->width[c] + 1;
	}
	for (unsigned c = 0; l->narrow && used + longest > o->run->width && c < l->n; c++)
		if (!most[c]) {
			used -= (size_t)l->width[c] + 1;
			l->width[c] = 0;
		}
	l->below = l->narrow && used + longest > o->run->width;
}

static void survey_command_print_left_out(const struct survey_command_layout *l, struct out *o)
{
	const char *before = "0 in all rows: ";

	for (unsigned c = 0; c < l->n; c++)
		if (!l->width[c]) {
			out_text(o, "%s%s", before, columns[c].name);
			before = ", ";
		}
	if (*before == ',')
		out_text(o, ".\n");
}

/* What stands behind the figures of a row, or below them. */
static const char *gap(const struct survey_command_layout *l)
{
	if (l->below)
		return "\n    ";
	return l->narrow ? " " : "  ";
}

static void print_row(const json_t *r, const struct survey_command_layout *l, struct out *o)
{
	const char *engine = word(r, "engine"), *blank = "";

	for (unsigned c = 0; c < l->n; c++)
		if (l->width[c]) {
			out_text(o, "%s%*" PRIu64, blank, l->width[c],
				 survey_command_number(r, columns[c].key));
			blank = " ";
		}
	if (l->below)
		out_text(o, "\n    " ROW_PROSE "%s", word(r, "what"));
	else
		out_text(o, "%s%s", l->narrow ? " " : "  ", word(r, "what"));
	if (!*engine)
		out_text(o, l->narrow ? " (no engine)" : "  (no engine routes it)");
	else if (json_is_true(json_object_get(r, "fallback")))
		out_text(o, l->narrow ? " %s" : "  (falls back to %s)", engine);
	out_text(o, "\n");
}

static void print_bad(const json_t *of, const json_t *rows, struct out *o)
{
	uint64_t bad = 0, cutting = 0, n = json_array_size(rows);
	double low, high;

	for (size_t i = 0; i < n; i++) {
		bad += json_is_true(json_object_get(json_array_get(rows, i), "bad"));
		cutting += survey_command_number(json_array_get(rows, i), "hosts_gone") != 0;
	}
	out_text(o,
		 "Bad: %" PRIu64 " of %" PRIu64
		 " (not routed, pairs lost between survivors, new credit loops",
		 bad, n);
	out_text(o, survey_command_number(of, "pairs") ? ", or pairs lost that neither failure costs alone)"
						       : ")");
	if (json_is_false(json_object_get(of, "sound")))
		out_text(o, ", beside what `check` finds wrong, or cannot judge, without a failure");
	out_json(o, "bad", json_integer((json_int_t)bad));
	if (json_is_true(json_object_get(of, "sampled")) && n) {
		wilson_interval(bad, n, &low, &high);
		out_text(o, ": %.2f %%, of all pairs %.2f to %.2f %% (95 %% interval)",
			 100.0 * (double)bad / (double)n, 100 * low, 100 * high);
		out_json(o, "bad_low", json_real(low));
		out_json(o, "bad_high", json_real(high));
	}
	out_text(o, ".\nHosts that are up are cut off by %" PRIu64 " of %" PRIu64 " (gone).\n", cutting, n);
	out_json(o, "cutting", json_integer((json_int_t)cutting));
}

/* Takes ownership of both objects. */
static int print_survey(json_t *of, json_t *rows, struct out *o, struct err *e)
{
	bool pairs = survey_command_number(of, "pairs") != 0;
	const char *blank = "";
	bool go_on = true;
	struct survey_command_layout l;

	if (survey_command_number(of, "shards"))
		out_text(o, "Share %" PRIu64 " of %" PRIu64 ": ", survey_command_number(of, "shard"),
			 survey_command_number(of, "shards"));
	out_text(o,
		 "%zu of %" PRIu64 " failures of %s%s under %s; most routes on a link before: %" PRIu64 ".\n",
		 json_array_size(rows), survey_command_number(of, "failures"), pairs ? "two " : "",
		 word(of, "what"), word(of, "engine"), survey_command_number(of, "load_before"));
	survey_command_lay_out(rows, pairs, o, &l);
	if (l.narrow && l.fallback)
		out_text(o, "An engine behind a row: OpenSM falls back to it.\n");
	survey_command_print_left_out(&l, o);
	for (unsigned c = 0; c < l.n; c++)
		if (l.width[c]) {
			out_text(o, "%s%*s", blank, l.width[c], columns[c].name);
			blank = " ";
		}
	out_text(o, "%s%s\n", gap(&l), word(of, "what"));
	for (size_t i = 0; i < json_array_size(rows) && go_on; i++) {
		go_on = i % 256 || !progress_cancelled(o->run->progress);
		print_row(json_array_get(rows, i), &l, o);
	}
	print_bad(of, rows, o);
	out_json(o, "survey_of", of);
	out_json(o, "survey", rows);
	return go_on ? 0 : err_set(e, CANCELLED);
}

/* --- the command ------------------------------------------------------------------------------- */

/* Add to *e the last line of each error file that failed tasks left (ibscope-survey.slurm). */
static void add_messages(const char *share, struct progress *p, struct err *e)
{
	const char *slash = strrchr(share, '/');
	AUTO_FREE char *pattern = str_printf("%.*sshare-*.err", slash ? (int)(slash + 1 - share) : 0, share);
	struct err before = *e, none;
	AUTO_TEXT struct text t = {0};
	glob_t found = {0};

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && i < 3; i++) {
			char *data, *line;
			size_t size;

			if (read_file(found.gl_pathv[i], p, &data, &size, &none))
				continue;
			while (size && data[size - 1] == '\n')
				size--;
			line = memrchr(data, '\n', size);
			line = line ? line + 1 : data;
			text_add(&t, "%s%s: %.*s", t.len ? "; " : "", found.gl_pathv[i],
				 (int)(data + size - line), line);
			free(data);
		}
	if (t.len)
		err_set(e, "%s; %s%s", before.msg, text_str(&t), found.gl_pathc > 3 ? "; ..." : "");
	globfree(&found);
}

static int survey_command_merge(const struct args *args, struct out *o, struct err *e)
{
	json_t *shares = json_array(), *all = NULL;
	int rc = 0;

	for (int i = 1; !rc && i < args->n; i++) {
		struct input in = {.name = args->arg[i].word, .progress = o->run->progress};
		char *data;

		rc = read_file(in.name, in.progress, &data, &in.size, e);
		if (rc)
			break;
		in.data = data;
		rc = survey_shares_read(shares, &in, e);
		free(data);
	}
	if (!rc)
		all = survey_merge(shares, e);
	json_decref(shares);
	if (!all) {
		add_messages(args->arg[1].word, o->run->progress, e);
		return -1;
	}
	if (json_object_get(all, "scope")) {
		tell_scope(json_object_get(all, "scope"), o);
		out_json(o, "scope", json_incref(json_object_get(all, "scope")));
	}
	rc = print_survey(json_incref(json_object_get(all, "survey_of")),
			  json_incref(json_object_get(all, "survey")), o, e);
	json_decref(all);
	return rc;
}

/* --- all pairs ------------------------------------------------------------------------------------- */

static json_t *parted_row_json(const struct parted *r, const struct parted_row *row, const struct sweep *w)
{
	json_t *o = json_make("{s:s}", "a", r->parts->name[row->part[0]]);

	if (row->part[1] != NO_ID)
		json_object_set_new(o, "b", json_text(r->parts->name[row->part[1]]));
	json_put_endport(o, "from", w->fabric, w->lids, row->host[0]);
	json_put_endport(o, "to", w->fabric, w->lids, row->host[1]);
	return o;
}

static void print_parted(const struct parted *r, const struct sweep *w, struct out *o)
{
	json_t *rows = json_array();
	AUTO_TEXT struct text said = {0};
	char a[300], b[300];

	parted_tell(r, w, '\n', &said);
	out_text(o, "%s", text_str(&said));
	for (size_t i = 0; i < r->n; i++) {
		const struct parted_row *row = &r->row[i];

		port_plain(w->fabric, w->fabric->endport_port[row->host[0]], a, sizeof(a));
		port_plain(w->fabric, w->fabric->endport_port[row->host[1]], b, sizeof(b));
		AUTO_FREE char *what = survey_what(r->parts, row->part);
		out_text(o, "  " ROW_PROSE "%s%s: %s from %s\n", what, row->part[1] == NO_ID ? " alone" : "",
			 a, b);
		json_array_append_new(rows, parted_row_json(r, row, w));
	}
	if (r->n < r->alone + r->together)
		out_text(o, "  ... and %" PRIu64 " more\n", r->alone + r->together - r->n);
	out_json(o, "proved",
		 json_make("{s:s, s:s, s:s, s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:I, s:o}", "what",
			   part_words[r->parts->kind], "engine", w->routing->engine, "by",
			   r->legal ? "legal ways" : "cables", "pairs", (json_int_t)r->pairs, "parting",
			   (json_int_t)r->bad, "together", (json_int_t)r->together, "alone",
			   (int)(r->alone + r->host_alone), "host_links", (int)r->host_links, "host_alone",
			   (int)r->host_alone, "host_left_out", (int)r->host_left_out, "reranked",
			   (json_int_t)r->reranked, "rows", rows));
}

static int prove_pairs(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	enum part_kind kind = args_has(args, "switches") ? PART_SWITCH : PART_LINK;
	AUTO_ARENA struct parted *r = w ? parted_run(w, kind, o->run->progress, e) : NULL;

	if (!r)
		return -1;
	report_scope(s, o);
	print_parted(r, w, o);
	return 0;
}

/* `survey file`: limits, tickets, and the file of test cases.  of, rows: borrowed. */
static int survey_command_tell_limits(const struct session *s, const struct args *args, const json_t *of,
				      json_t *rows, struct out *o, struct err *e)
{
	const struct arg *at = NULL;
	const char *junit = args_word(args, "XML", NULL);
	AUTO_FREE struct survey_limit *l = NEW_ARRAY((size_t)args->n + 1, struct survey_limit);
	uint32_t broken = 0;
	size_t n = 0;
	int rc = 0;

	while (!rc && (at = args_next(args, "LIMIT", at)))
		rc = limit_read(&l[n++], at->word, e);
	if (!rc && (n || junit))
		broken = gate_rows(l, n, of, rows, o);
	o->run->found_fault |= n && broken;
	o->run->unanswered |= n && !json_is_true(json_object_get(of, "complete"));
	if (!rc && junit)
		rc = junit_write(junit, s->fabric, rows, broken, o, e);
	return rc;
}

static int cmd_survey(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct survey_request rq = {0};
	struct judgement before = {.sound = false};
	const struct arg *at;
	struct survey_limit limit;
	struct window window = {0};

	if (args_has(args, "merge"))
		return survey_command_merge(args, o, e);
	if (args_has(args, "all"))
		return prove_pairs(s, args, o, e);
	rq.before = need_routing(s, e);
	if (!rq.before || survey_asked(&rq, args, e))
		return -1;
	rq.engines = s->engines;
	for (at = args_next(args, "LIMIT", NULL); at; at = args_next(args, "LIMIT", at))
		if (limit_read(&limit, at->word, e)) /* before anything is computed */
			return -1;
	if (args_has(args, "file")) {
		rq.plan = window_read(s, &window, args_word(args, "PLAN", ""), o->run->progress, e);
		rq.n_alone = window.n;
		if (!rq.plan) {
			window_free(&window);
			return -1;
		}
	}
	int rc = check_quietly(s, rq.before, &before, o, e);
	text_free(&before.said);
	if (rc)
		parts_free(rq.plan);
	AUTO_ARENA struct survey *found = rc ? NULL : survey_run(&rq, o->run->progress, e);
	if (!found) {
		window_free(&window);
		return -1;
	}
	if (rq.plan)
		report_judged(rq.before, o);
	report_scope(s, o);
	json_t *rows = json_array();
	for (uint32_t i = 0; i < found->n; i++)
		json_array_append_new(rows, survey_row_json(found, &found->row[i]));
	json_t *of = survey_head_json(found, &rq);
	json_object_set_new(of, "sound", json_boolean(before.sound));
	if (rq.plan) {
		json_object_set_new(of, "plan", json_text(args_word(args, "PLAN", "")));
		json_object_set_new(of, "complete", json_boolean(!s->fabric->warnings.missing));
		json_object_set_new(of, "longest_before", json_integer(before.counts.max_hops));
		window_tell_rows(&window, rows);
	}
	json_incref(of);
	json_incref(rows);
	rc = print_survey(of, rows, o, e);
	if (!rc && rq.plan)
		rc = survey_command_tell_limits(s, args, of, rows, o, e);
	json_decref(of);
	json_decref(rows);
	window_free(&window);
	return rc;
}

#define KINDS "links|switches|chassis|cards"

const struct command survey_commands[] = {
	{.name = "survey",
	 .group = JUDGE,
	 .syntax = "survey " KINDS " [by outage] [shard I/N] [threads=K] | survey pairs N [" KINDS
		   "] [by outage] [seed=K] [shard I/N] [threads=K] | survey pairs all [links|switches] | "
		   "survey merge FILE... | survey file PLAN [threads=K] [junit XML] [gate LIMIT...]",
	 .finds = "a row of `survey file` breaks a limit of its gate",
	 .help = "try every single failure, or pairs of failures, and rank them by the harm after the next "
		 "sweep",
	 .json = JSON_SOME_JUDGED JSON_SCOPE JSON_CONTENT
	 "gate object? limits of a plan\n"
	 "gate.limits[] string the words\n"
	 "gate.broken integer rows that break one, or that no engine routes\n"
	 "proved object? of `pairs all`\n"
	 "proved.what string(links/switches) what fails\n"
	 "proved.engine engine engine in force\n"
	 "proved.by string(cables/legal ways) what a way is\n"
	 "proved.pairs integer pairs of failures: all there are\n"
	 "proved.parting integer of these: some hosts on other switches are parted\n"
	 "proved.together integer of these: neither failure parts hosts alone\n"
	 "proved.alone integer failures that part hosts alone\n"
	 "proved.host_links integer of the links: cables of hosts\n"
	 "proved.host_alone integer of these: that part their host alone; no row tells of them\n"
	 "proved.host_left_out integer cables of hosts that do not count and may change ranks: not among the "
	 "links\n"
	 "proved.reranked integer pairs after which some rank changes\n"
	 "proved.rows[] object witnesses, 10000 at most\n"
	 "proved.rows[].a string what fails\n"
	 "proved.rows[].b string? what fails with it; absent: it parts hosts alone\n"
	 "proved.rows[].from endport a host\n"
	 "proved.rows[].to endport and one that it reaches no more\n"
	 "survey_of object? what it is a survey of; shares of one survey have the same but for shard\n"
	 "survey_of.what string(links/switches/chassis/cards/links and nodes) what fails\n"
	 "survey_of.pairs integer so many pairs at most; 0: each alone\n"
	 "survey_of.sampled boolean the pairs are drawn out of more\n"
	 "survey_of.seed integer of the draw\n"
	 "survey_of.failures integer failures of all shares\n"
	 "survey_of.load_before integer most routes on a link with nothing failed\n"
	 "survey_of.engine engine engine in force before\n"
	 "survey_of.asked string engines asked for\n"
	 "survey_of.options string options that are not at their defaults\n"
	 "survey_of.fabric guid fingerprint of the fabric\n"
	 "survey_of.tables guid fingerprint of what was down, who counts, and the tables\n"
	 "survey_of.sound boolean? with nothing failed, as check judges\n"
	 "survey_of.plan string? the file of links and nodes\n"
	 "survey_of.complete boolean? of a plan: the whole fabric is known\n"
	 "survey_of.longest_before integer? of a plan: links of the longest path with nothing failed\n"
	 "survey_of.shard integer(1..)? the share, from 1\n"
	 "survey_of.shards integer(1..)? of so many\n"
	 "survey[] object? failures, the worst first\n"
	 "@survey[].\n"
	 "bad integer? =bad failures\n"
	 "cutting integer? =failures that cut off\n"
	 "bad_low share? of a sample: least share of bad ones, 95 % interval\n"
	 "bad_high share? and the largest\n",
	 .rows = {survey_fields},
	 .run = cmd_survey},
	{.name = NULL},
};
