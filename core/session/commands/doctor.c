/* `doctor`, all findings, the worst first; `diff`, two routings, entry by entry and pair by pair. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/analysis/compare/faults.h"
#include "core/analysis/compare/figures.h"
#include "core/analysis/compare/judged.h"
#include "core/analysis/compare/plan.h"
#include "core/analysis/doctor/doctor.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/formats/readers.h"
#include "core/session/commands/commands.h"
#include "core/session/out.h"

/* `doctor`: all findings about the fabric, the worst first. */

#define JSON_NOT_LOOKED "not_looked_at[] string what is not at hand: held tables, managers, ...\n"
#define EFFECT_LINES 6
#define DETAIL_LINES 5

/* Lines of a finding's detail, indented. */
static void doctor_tell_detail(const struct finding *x, struct out *o)
{
	const char *line = x->detail;

	for (unsigned n = 0; line && *line && n < DETAIL_LINES; n++) {
		size_t len = strcspn(line, "\n");

		out_text(o, "    " ROW_PROSE "%.*s\n", (int)len, line);
		line += len + (line[len] != 0);
	}
	if (line && *line)
		out_text(o, "    ...\n");
}

/* What follows from a finding, in a line each. */
static void doctor_tell_effects(const struct diagnosis *d, size_t at, struct out *o)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		if (d->finding[i].follows == at && n++ < EFFECT_LINES)
			out_text(o, "    follows: " ROW_PROSE "%s: %s\n", d->finding[i].kind,
				 d->finding[i].text);
	if (n > EFFECT_LINES)
		out_text(o, "    follows: %s\n", PLURAL(n - EFFECT_LINES, "more finding"));
}

/* A finding that follows from another is told under that one.  Its kind's meaning is told once. */
static void doctor_tell_finding(const struct diagnosis *d, size_t at, struct out *o)
{
	const struct finding *x = &d->finding[at];
	bool again = x->severity == SEVERITY_NOTE, same_more = false;

	if (x->follows != NO_ID)
		return;
	for (size_t i = 0; i < at; i++) {
		bool alike = d->finding[i].rule == x->rule && d->finding[i].follows == NO_ID;

		again |= alike;
		same_more |= alike && !strcmp(d->finding[i].more, x->more);
	}
	out_text(o, "%-7s " ROW_PROSE "%s (%s%s): %s\n", severity_word[x->severity], x->kind,
		 sureness_word[x->sure], x->what_if ? ", what if" : "", x->text);
	doctor_tell_detail(x, o);
	doctor_tell_effects(d, at, o);
	if (!again)
		out_text(o, "    " ROW_PROSE "%s%s%s.\n", x->meaning, x->cure ? "; cure: " : "",
			 x->cure ? x->cure : "");
	if (!same_more)
		out_text(o, "    more: " ROW_PROSE "%s\n", x->more);
}

static json_t *finding_json(const struct diagnosis *d, const struct finding *x)
{
	const struct sweep *w = d->judged;
	json_t *obj = json_make("{s:s, s:s}", "severity", severity_word[x->severity], "sure",
				sureness_word[x->sure]);

	fields_json(obj, finding_fields, x);
	json_put_node(obj, "where", w->fabric, w->lids, x->node);
	if (x->port) {
		json_object_set_new(obj, "port", json_integer(x->port));
		json_put_label(obj, "port", w->fabric, w->fabric->node_port[x->node] + x->port);
	}
	if (x->follows != NO_ID)
		json_object_set_new(obj, "follows", json_integer(x->follows));
	return obj;
}

static void doctor_report_not_looked(const struct diagnosis *d, struct out *o)
{
	json_t *list = json_array();
	const char *word;

	for (unsigned i = 0; (word = diagnosis_not_looked(d, i)); i++)
		json_array_append_new(list, json_text(word));
	out_json(o, "not_looked_at", list);
}

static void doctor_command_report(const struct diagnosis *d, bool not_computed, struct out *o)
{
	json_t *list = json_array();
	AUTO_TEXT struct text t = {0};
	const struct routing *r = d->judged->routing;

	report_judged(d->judged, o);
	if (d->no_engine)
		out_text(o, "%s: as OpenSM without settings.\n",
			 not_computed ? "The engine given is not computed here" : "No engine was given");
	out_json(o, "engine", r ? json_text(r->engine) : json_null());
	out_json(o, "complete", json_boolean(!d->judged->fabric->warnings.missing));
	for (size_t i = 0; i < d->n; i++) {
		doctor_tell_finding(d, i, o);
		if (o->object)
			json_array_append_new(list, finding_json(d, &d->finding[i]));
	}
	diagnosis_tell_counts(d, &t);
	text_add(&t, ".\n");
	triage_tell_not_looked(d, &t);
	out_text(o, d->not_looked ? "%s\n" : "%s", text_str(&t));
	doctor_report_not_looked(d, o);
	out_json(o, "findings", list);
	out_json(o, "errors", json_integer(d->count[SEVERITY_ERROR]));
	out_json(o, "warnings", json_integer(d->count[SEVERITY_WARNING]));
	out_json(o, "notes", json_integer(d->count[SEVERITY_NOTE]));
	o->run->found_fault |= d->count[SEVERITY_ERROR] > 0 || d->lost.n;
	o->run->unanswered |= d->incomplete;
	out_json(o, "tables_complete", json_boolean(!d->incomplete));
}

/* Reads what was there by a file (what a check printed, or a fabric), or has to be (a plan). */
static int baseline_read(const struct session *s, const char *path, json_t **present, struct progress *p,
			 struct err *e)
{
	AUTO_FABRIC struct fabric *f = NULL;
	struct faults was;
	struct cabling plan;
	struct plan_report r = {0};
	struct err other;

	if (!faults_read(&was, path, p, e)) {
		*present = json_incref(json_object_get(was.doc, "present"));
		faults_free(&was);
		return 0;
	}
	if (!cabling_load(path, &plan, p, &other)) {
		if (!plan_compare(s->fabric, &plan, &r, p, e))
			*present = plan_present(s->fabric, session_state(s), &plan, &r, e);
		plan_free(&r);
	} else if (!fabric_load(path, &f, p, &other)) {
		AUTO_STATE struct state *st = state_new(f);

		*present = present_json(f, NULL, st);
	}
	cabling_free(&plan);
	return *present ? 0 : -1;
}

struct diagnosis *session_diagnose(const struct session *s, const char *baseline, struct progress *p,
				   struct err *e)
{
	json_t *present = baseline ? NULL : json_incref(s->present);

	if (baseline && baseline_read(s, baseline, &present, p, e))
		return NULL;
	struct measured *counted = session_measured(s);
	struct opensm_log *log = session_log(s);
	const struct doctor_request rq = {
		.setup = s->setup,
		.engines = s->engines,
		.now = session_sweep(s),
		.configured = s->configured,
		.path = baseline,
		.present = present,
		.named = s->conf_engines,
		.counted = counted,
		.log = log,
	};
	struct diagnosis *d = doctor_run(&rq, p, e);
	json_decref(present);
	measured_free(counted);
	opensm_log_unref(log);
	return d;
}

static int cmd_doctor(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *baseline = args_word(args, "FILE", NULL);
	struct diagnosis *d = session_diagnose(s, baseline, o->run->progress, e);

	if (!d)
		return -1;
	doctor_command_report(d, s->not_computed, o);
	if (baseline) {
		out_text(o, "Compared with %s: %s gone or slower since then.\n", baseline,
			 PLURAL(d->lost.n, "part"));
		out_json(o, "baseline",
			 json_make("{s:s, s:I, s:o}", "file", baseline, "lost", (json_int_t)d->lost.n,
				   "faults", faults_json(&d->lost)));
	}
	diagnosis_free(d);
	return 0;
}

/* `triage`: one line a cause, the worst first. */

#define TRIAGE_LINES 10

static void triage_report(const struct diagnosis *d, struct out *o)
{
	struct judged j = judged_of(d->judged);
	AUTO_TEXT struct text t = {0}, judged = {0}, last = {0};
	json_t *list = json_array();
	size_t wrong = 0, told = 0;
	bool no_pair = false;

	for (size_t i = 0; i < d->n; i++) {
		wrong += d->finding[i].severity != SEVERITY_NOTE && d->finding[i].follows == NO_ID;
		no_pair |= !strcmp(d->finding[i].kind, "no-pair");
	}
	j.untimed = o->run->no_timing;
	judged_count(&j, o->run->progress);
	judged_json(&j, o);
	if (wrong + no_pair <= TRIAGE_LINES - 2) { /* there is room */
		text_add(&judged, "Judged: ");
		judged_brief(&j, &judged);
		text_add_shortened(&t, text_str(&judged), TRIAGE_COLUMNS - 1);
		out_text(o, "%s.\n", text_str(&t));
		text_free(&t);
	}
	o->run->found_fault |= d->lost.n > 0;
	o->run->unanswered |= no_pair;
	for (size_t i = 0; i < d->n; i++) {
		const struct finding *x = &d->finding[i];

		if (x->follows != NO_ID)
			continue;
		json_t *obj = json_make("{s:s, s:s, s:s, s:o, s:s}", "severity", severity_word[x->severity],
					"kind", x->kind, "text", x->text, "pairs",
					x->pairs ? json_integer((json_int_t)x->pairs) : json_null(), "more",
					x->more);

		json_put_node(obj, "where", d->judged->fabric, d->judged->lids, x->node);
		json_array_append_new(list, obj);
		o->run->found_fault |= x->severity == SEVERITY_ERROR && !finding_is_untold(x);
		o->run->unanswered |= finding_is_untold(x);
		if (x->severity == SEVERITY_NOTE || told == TRIAGE_LINES - 1)
			continue;
		told++;
		triage_tell(x, &t);
		out_text(o, "%s\n", text_str(&t));
		text_free(&t);
	}
	if (no_pair)
		out_text(o, "No pair of hosts: nothing is judged.\n");
	else if (!wrong)
		out_text(o, "Nothing wrong found.\n");
	if (wrong > told)
		text_add(&last, "%zu more: doctor.", wrong - told);
	triage_tell_not_looked(d, &last);
	text_add_shortened(&t, text_str(&last), TRIAGE_COLUMNS);
	if (t.len)
		out_text(o, "%s\n", text_str(&t));
	out_json(o, "causes", list);
	doctor_report_not_looked(d, o);
}

static int cmd_triage(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct diagnosis *d = session_diagnose(s, args_word(args, "FILE", NULL), o->run->progress, e);

	if (!d)
		return -1;
	triage_report(d, o);
	diagnosis_free(d);
	return 0;
}

const struct command doctor_commands[] = {
	{.name = "doctor",
	 .group = JUDGE,
	 .syntax = "doctor [--baseline FILE]",
	 .help = "list every problem found, worst first",
	 .finds = "it finds an error; with --baseline, also when something is lost",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_JUDGED
	 "engine engine|null engine whose tables doctor judges, null: no engine routes\n"
	 "complete boolean the whole fabric is known\n"
	 "tables_complete boolean false: of tables that were read, switches have none, or most of "
	 "their GUIDs are not in the fabric\n"
	 "errors integer findings of severity error that follow from no other\n"
	 "warnings integer of severity warning\n"
	 "notes integer of severity note\n"
	 "findings[] object findings, worst first\n"
	 "@findings[].\n" JSON_NOT_LOOKED
	 "baseline object? with --baseline: what is gone or slower since then\n"
	 "baseline.file string the file\n"
	 "baseline.lost integer hosts, switches and cables that are gone or slower\n" FAULT_KEYS(
		 "baseline.faults"),
	 .rows = {finding_fields},
	 .run = cmd_doctor},
	{.name = "triage",
	 .group = JUDGE,
	 .syntax = "triage [--baseline FILE]",
	 .help = "what is wrong, worst first, in at most ten lines",
	 .finds = "it finds an error; with --baseline, also when something is gone or slower",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_JUDGED
	 "causes[] object what is wrong, worst first\n"
	 "causes[].severity string(error/warning/note) how bad\n"
	 "causes[].kind string as a finding of doctor\n"
	 "causes[].text string what is wrong, and where\n"
	 "causes[].pairs integer|null pairs of hosts that it costs; null: none, or it is not known\n"
	 "causes[].where node the node; the first of several\n"
	 "causes[].more string the command that shows more\n" JSON_NOT_LOOKED,
	 .run = cmd_triage},
	{.name = NULL},
};

/* `diff`: two routings, entry by entry and pair by pair. */

#define DIFF_LINES 20
#define LOAD_LINES 5 /* links with a higher load, and as many with a lower one */

static void diff_entries(const struct comparison *c, uint64_t limit, struct out *o)
{
	const struct fabric *f = c->b->topo->fabric;
	json_t *list = json_array(), *obj;
	uint64_t n = 0;
	char a[8], b[8];

	progress_start(o->run->progress, "listing entries", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches && progress_step(o->run->progress, s); s++) {
		unsigned top = MAX(c->a->lids->max_lid, c->b->lids->max_lid);

		for (unsigned lid = 1; c->switch_entries[s] && lid <= top && n < limit; lid++) {
			uint8_t was, now;
			uint32_t owner = lid_owner(c->b->lids, lid);

			if (!entry_changed(c, s, lid, &was, &now))
				continue;
			n++;
			out_text(o, "! " ROW_COLUMN("%-24s") " LID %5u  %3s -> %-3s  " ROW_CUT("%s") "\n",
				 switch_name(f, s), lid, lft_port_label(was, a, sizeof(a)),
				 lft_port_label(now, b, sizeof(b)),
				 owner == NO_ID ? "(nobody)" : ENDPORT_LABEL(f, owner));
			obj = json_make("{s:i, s:i, s:i}", "lid", (int)lid, "was", (int)was, "now", (int)now);
			json_put_out(obj, "was", f, s, was);
			json_put_out(obj, "now", f, s, now);
			json_put_switch(obj, "switch", f, c->b->lids, s);
			json_put_endport(obj, "owner", f, c->b->lids, owner);
			json_array_append_new(list, obj);
		}
	}
	if (c->entries_changed > n)
		out_text(o, "  ... %s; `diff ... all` prints them\n",
			 PLURAL(c->entries_changed - n, "more entry"));
	out_json(o, "entries", list);
}

static const char *hops_word(unsigned h, char *buf, size_t size)
{
	if (h >= HOPS_LOOP)
		return h == HOPS_LOOP ? "loop" : "none";
	snprintf(buf, size, "%u", h);
	return buf;
}

static void diff_pairs(const struct comparison *c, uint64_t limit, struct out *o)
{
	static const char *const words[] = {"~ rerouted", "x lost", "+ regained", "+ new", "~ SL"};
	static_assert(ARRAY_LEN(words) == PAIR_SL + 1, "a word for each change");
	const struct fabric *f = c->b->topo->fabric;
	uint64_t total = comparison_listed(c), n = MIN(total, limit);
	json_t *list = json_array(), *obj;
	char h1[8], h2[8];
	const char *before, *after;
	struct sl_range was, now;
	char s1[SL_WORD], s2[SL_WORD];

	for (uint64_t i = 0; i < n && !(i % 256 == 0 && progress_cancelled(o->run->progress)); i++) {
		struct pair_group g;
		uint32_t src = comparison_pair(c, i, &g);

		before = hops_word(g.before, h1, sizeof(h1));
		after = hops_word(g.after, h2, sizeof(h2));
		out_text(o, "%-11s " ROW_CUT("%s") " -> " ROW_CUT("%s") " (LID %u)  links %s -> %s",
			 words[g.change], ENDPORT_LABEL(f, src), ENDPORT_LABEL(f, g.dst), g.lid, before,
			 after);
		obj = json_make("{s:s, s:i, s:s, s:s}", "change", words[g.change] + 2, "dlid", (int)g.lid,
				"before", before, "after", after);
		if (comparison_sls(c, &g, src, &was, &now)) {
			out_text(o, "  SL %s -> %s", sl_word(was, s1), sl_word(now, s2));
			json_object_set_new(obj, "sl_before", json_text(s1));
			json_object_set_new(obj, "sl_after", json_text(s2));
		}
		out_text(o, "\n");
		json_put_endport(obj, "src", f, c->b->lids, src);
		json_put_endport(obj, "dst", f, c->b->lids, g.dst);
		json_array_append_new(list, obj);
	}
	if (total > n)
		out_text(o, "  ... %s; `diff ... all` prints them\n", PLURAL(total - n, "more pair"));
	out_json(o, "pairs", list);
}

/* Figures before and after. A figure has a line only if its printed form changed. -1 when cancelled. */
static int diff_figures(const struct comparison *c, struct out *o, struct progress *p)
{
	static const enum figure told[] = {FIG_HOPS_MEAN,  FIG_HOPS_MOST,   FIG_FIRST_MEAN, FIG_FIRST_LEAST,
					   FIG_LINKS_MEAN, FIG_LINKS_LEAST, FIG_USAGE_MOST};
	struct figures was, now;
	char a[32], b[32];

	if (figures_of_tables(c->across ? c->across->own : c->a, NULL, &was, p) ||
	    figures_of_tables(c->across ? c->across->own_b : c->b, NULL, &now, p))
		return -1;
	json_t *list = json_object();
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		const struct field *d = &figure_fields[told[i]];

		if (figure_order(&was, &now, told[i]))
			out_text(o, "  %-29s %s -> %s\n", d->column, figure_text(&was, told[i], a, sizeof(a)),
				 figure_text(&now, told[i], b, sizeof(b)));
		double before = was.v[told[i]], after = now.v[told[i]];
		json_object_set_new(list, d->key,
				    d->decimals ? json_make("{s:f, s:f}", "was", before, "now", after)
						: json_make("{s:I, s:I}", "was", (json_int_t)before, "now",
							    (json_int_t)after));
	}
	out_json(o, "figures", list);
	return 0;
}

int diff_sides(struct session *s, const struct args *args, const struct sweep **a, const struct sweep **b,
	       struct err *e)
{
	const struct arg *first = args_get(args, "SNAPSHOT");

	*b = need_routing(s, e);
	if (!*b)
		return -1;
	if (!first) {
		const struct event *before = session_event_before(s, s->at);
		*a = before ? before->sweep : NULL;
		return *a && (*a)->routing ? 0 : err_set(e, "the event before had no tables to compare with");
	}
	const struct arg *second = args_next(args, "SNAPSHOT", first);
	if (!(*a = session_find_snapshot(s, first->word)))
		return err_set(e, "there is no snapshot \"%s\"; `snapshot` lists them", first->word);
	if (second && !(*b = session_find_snapshot(s, second->word)))
		return err_set(e, "there is no snapshot \"%s\"; `snapshot` lists them", second->word);
	return 0;
}

/* Channels that carry more or fewer routes than before. */
static void diff_loads(const struct load_diff *d, uint64_t moved, uint64_t limit, struct out *o)
{
	json_t *list = json_array();
	uint32_t told = 0;
	char a[700];

	out_text(o, "Loads: %s hotter, %u cooler; most routes on a link %u -> %u.\n",
		 PLURAL(d->hotter, "link"), d->cooler, d->max_before, d->max_after);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct load_change *c = &d->change[i];
		uint32_t port;

		/* a few of both */
		if (limit != UINT64_MAX && (i < d->hotter ? i : i - d->hotter) >= LOAD_LINES)
			continue;
		told++;
		const struct fabric *f = load_change_fabric(d, c, &port);
		out_text(o, ROW_BEGIN "%8u -> %-8u %+7" PRId64 "  ", c->before, c->after, load_gain(c));
		tell_pair(load_change_label(d, c, a, sizeof(a)), o);
		out_text(o, "\n");
		json_t *x = json_make("{s:i, s:i, s:I}", "before", (int)c->before, "after", (int)c->after,
				      "gain", (json_int_t)load_gain(c));
		json_put_port(x, "from", f, (c->port != NO_ID ? d->b : d->a)->lids, port);
		json_array_append_new(list, x);
	}
	if (told < d->n)
		out_text(o, "  ... %s; `diff ... all` prints them\n", PLURAL(d->n - told, "more link"));
	out_json(o, "loads",
		 json_make("{s:i, s:i, s:I, s:i, s:i, s:o}", "hotter", (int)d->hotter, "cooler",
			   (int)d->cooler, "moved", (json_int_t)moved, "max_before", (int)d->max_before,
			   "max_after", (int)d->max_after, "ports", list));
}

/* What the tables before are, where that is not what the present ones are. */
static void tell_compared_with(const struct sweep *a, const struct sweep *b, struct out *o)
{
	struct judged before = judged_of(a), now = judged_of(b);
	AUTO_TEXT struct text t = {0}, u = {0};

	before.untimed = now.untimed = o->run->no_timing;
	judged_brief(&before, &t);
	judged_brief(&now, &u);
	if (strcmp(text_str(&t), text_str(&u)) != 0)
		out_text(o, "Compared with: %s.\n", text_str(&t));
	out_json(o, "compared_with", json_text(judged_word(&before)));
}

static int cmd_diff(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *a, *b;
	uint64_t limit = args_has(args, "all") ? UINT64_MAX : DIFF_LINES;

	if (diff_sides(s, args, &a, &b, e))
		return -1;
	AUTO_ROUTING struct routing *ra = session_counted(s, a->routing);
	AUTO_ROUTING struct routing *rb = session_counted(s, b->routing);
	AUTO_ARENA struct comparison *c = compare_routings(ra, rb, o->run->progress);
	AUTO_ARENA struct load_diff *d = c ? load_diff_new(ra, rb, o->run->progress) : NULL;
	if (!d)
		return err_set(e, CANCELLED);
	if (c->across && c->across->only[1].switches == c->b->topo->fabric->n_switches)
		return err_set(
			e,
			"found no switch of %s in %s, by GUID: expected two fabrics with something in common",
			b->fabric->source, a->fabric->source);
	report_judged(b, o);
	tell_compared_with(a, b, o);
	report_scope(s, o);
	report_missing(a->fabric, o);
	if (b->fabric != a->fabric)
		report_missing(b->fabric, o);
	if (strcmp(a->routing->engine, b->routing->engine))
		out_text(o, "%s -> %s: ", a->routing->engine, b->routing->engine);
	report_comparison(c, o);
	int rc = diff_figures(c, o, o->run->progress);
	if (!rc) {
		diff_loads(d, comparison_pairs(c), limit, o);
		diff_entries(c, limit, o);
		diff_pairs(c, limit, o);
		rc = progress_cancelled(o->run->progress);
	}
	return rc ? err_set(e, CANCELLED) : 0;
}

const struct command diff_commands[] = {
	{.name = "diff",
	 .group = WHAT_IF,
	 .syntax = "diff [SNAPSHOT [SNAPSHOT]] [all]",
	 .help = "compare two routings entry by entry and pair by pair",
	 .json = JSON_JUDGED
	 "compared_with string(held/computed) the same of the tables before\n" JSON_SCOPE JSON_CHANGE
	 "figures object? what is counted of both\n"
	 "figures.* object before and after, as `compare` names them\n"
	 "figures.*.was number(..) before\n"
	 "figures.*.now number(..) now\n"
	 "loads object routes on links, all hosts to all, before and now\n"
	 "loads.hotter integer links, each direction by itself, that carry more\n"
	 "loads.cooler integer links that carry fewer\n"
	 "loads.moved integer pairs that moved: rerouted, lost, regained or new\n"
	 "loads.max_before integer most on a link before\n"
	 "loads.max_after integer most on a link now\n"
	 "loads.ports[] object links that carry most more, then those that carry most less: the first of "
	 "each, or all\n"
	 "loads.ports[].from port port that sends\n"
	 "loads.ports[].before integer routes before\n"
	 "loads.ports[].after integer routes now\n"
	 "loads.ports[].gain integer(..) routes more than before\n"
	 "entries[] object changed entries: the first, or all\n"
	 "entries[].switch node the switch\n"
	 "entries[].lid lid the LID\n"
	 "entries[].owner endport whose LID it is\n"
	 "entries[].was portnum port before; 255: none\n"
	 "entries[].now portnum port now; 255: none\n"
	 "pairs[] object changed pairs: the first, or all\n"
	 "pairs[].change string(rerouted/lost/regained/new/SL) what became of it; SL: another SL, the same "
	 "path\n"
	 "pairs[].sl_before string? SL before, where it is another now; 2..5: drawn at random\n"
	 "pairs[].sl_after string? SL now\n"
	 "pairs[].src endport source\n"
	 "pairs[].dst endport destination\n"
	 "pairs[].dlid lid LID of the destination\n"
	 "pairs[].before string(none/loop/^[0-9]+$) links before, none or loop\n"
	 "pairs[].after string(none/loop/^[0-9]+$) links now, none or loop\n",
	 .run = cmd_diff},
	{.name = NULL},
};
