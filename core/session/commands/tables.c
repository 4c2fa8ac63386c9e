/* `tables`: a routing made of what switches hold; `drift`: whether they hold what the subnet manager
 * computes. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/ar_rule.h"
#include "core/analysis/compare/drift.h"
#include "core/analysis/compare/follow.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/tables.h"
#include "core/routing/routing.h"
#include "core/session/commands/commands.h"
#include "core/sm/guid_names.h"
#include "core/source/live.h"

/* `tables`: a routing made of what switches hold, from a file or live. */

static const char *format_text(const char *format)
{
	static const char *const text[][2] = {
		{"lfts", "forwarding tables as OpenSM and infiniband-diags dump them"},
		{"fdbs", "forwarding tables as opensm.fdbs has them"},
		{"far", "ibdiagnet's tables with adaptive-routing groups"},
		{"live", "read from the live fabric"},
	};

	for (size_t i = 0; i < ARRAY_LEN(text); i++)
		if (!strcmp(format, text[i][0]))
			return text[i][1];
	return format;
}

static void report_tables(const char *source, const struct tables_info *i, const char *notes, struct out *o)
{
	out_text(o, "%s (%s): %s, %s", source, format_text(i->format), PLURAL(i->n_switches, "switch"),
		 PLURAL(i->n_entries, "entry"));
	if (i->n_adaptive)
		out_text(o, ", %" PRIu64 " of them with an adaptive-routing group", i->n_adaptive);
	out_text(o, ".\n");
	if (i->n_named)
		out_text(o, "It names the LIDs of %s", PLURAL(i->n_named, "port"));
	if (i->n_source)
		out_text(o, i->n_named ? "; those of %s are %s" : "It names no LIDs; those of %s are %s",
			 PLURAL(i->n_source, i->n_named ? "other" : "port"),
			 i->lids_of_now ? "the present ones" : "the source's");
	if (i->n_named || i->n_source)
		out_text(o, ".\n");
	out_text(o, "%s", notes);
	out_json(o, "tables",
		 json_make("{s:s, s:s, s:i, s:I, s:I, s:s, s:{s:i, s:i, s:i, s:i, s:i}}", "source", source,
			   "format", i->format, "switches", (int)i->n_switches, "entries",
			   (json_int_t)i->n_entries, "adaptive", (json_int_t)i->n_adaptive, "oddities", notes,
			   "lids", "named", (int)i->n_named, "differ", (int)i->n_other, "source",
			   (int)i->n_source, "none", (int)i->n_none, "misfits", (int)i->n_misfits));
}

/* Puts the tables of a live fabric onto the loaded one, node by node.  NULL and *e: none was found. */
static struct switch_tables *live_tables(const struct session *s, const char *target,
					 struct tables_info *info, struct text *notes, struct progress *p,
					 struct err *e)
{
	struct tables_reader r;
	struct fabric *found;
	AUTO_FREE char *ca = NULL;
	int port = 0;

	if (live_parse_target(target, &ca, &port, e) ||
	    !(found = live_discover_tables(ca, port, LIVE_LFTS, LIVE_SILENCE_S, p, e)))
		return NULL;
	tables_begin(&r, s->fabric);
	tables_copy(&r, found);
	fabric_unref(found);
	struct switch_tables *t = tables_finish(&r, NULL, session_lids(s), info, notes);
	if (info->n_switches)
		return t;
	counted_unref(&t->counted);
	err_set(e, "no switch of the live fabric is in %s", s->fabric->source);
	return NULL;
}

/* sls: the new file for path_sl_file; NULL keeps the present one. */
static int take_tables(struct session *s, const char *text, const struct switch_tables *t, const char *sls,
		       struct out *o, struct err *e)
{
	AUTO_OPTIONS struct options *opts = sls ? options_copy(s->setup->options) : NULL;
	struct change_request rq = {
		.kind = EVENT_ROUTE,
		.setup = {.chain = "tables,no_fallback", .tables = t, .options = opts},
		.text = text,
		.progress = o->run->progress,
	};

	return opts && options_set(opts, "path_sl_file", sls, e) ? -1 : run_change(s, &rq, o, e);
}

/* Back from computed tables to those that the switches hold.  With `else`: where none are, an engine
 * routes. */
static int take_held_tables(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *otherwise = args_word(args, "ENGINE[,ENGINE...]", NULL);
	const struct switch_tables *held =
		s->setup->tables ? s->setup->tables : fabric_switch_tables(s->fabric);
	bool live = held && held == fabric_switch_tables(s->fabric) && !held->source;

	struct engines_start x = {.verb = "route", .chain = otherwise, .args = args, .first = args->n};

	if (!held)
		return otherwise ? run_engines(s, &x, o, e)
				 : err_set(e, "no tables of the switches were read; `tables FILE` or `tables "
					      "live` reads them");
	if (otherwise && sweep_held_tables(session_sweep(s)) == held)
		return 0;
	return take_held(s, live ? "live,no_fallback" : "tables,no_fallback", o, e);
}

static int cmd_tables(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *from = args->arg[0].word, *device = args_word(args, "CA[:PORT]", "");
	bool live = args_has(args, "live");
	const char *sls = !live && args->n > 1 ? args->arg[1].word : NULL;
	const char *behind = sls ? sls : device;
	AUTO_TEXT struct text notes = {0}, text = {0};
	struct switch_tables *t = NULL;
	struct tables_info info;
	AUTO_FREE char *lesson = !live && lesson_name(from) ? lesson_file(lesson_name(from), e) : NULL;

	if (args_has(args, "held"))
		return take_held_tables(s, args, o, e);
	if (!live && lesson_name(from) && !lesson)
		return -1;
	progress_start(o->run->progress, "reading tables", 0);
	if (live)
		t = live_tables(s, device, &info, &notes, o->run->progress, e);
	else
		t = tables_load((struct input){.name = lesson ? lesson : from, .progress = o->run->progress},
				s->fabric, session_lids(s), &info, &notes, e);
	int rc = t ? 0 : -1;
	if (!rc) {
		report_tables(from, &info, text_str(&notes), o);
		text_add(&text, *behind ? "tables %s %s" : "tables %s", from, behind);
		rc = take_tables(s, text_str(&text), t, sls, o, e);
		counted_unref(&t->counted);
	}
	return rc;
}

/* --- judge --------------------------------------------------------------------------------------- */

#define JUDGE_LINES 20

static void set_text(const struct port_set *set, struct text *t)
{
	unsigned n = 0;

	for (unsigned p = port_set_next(set, 0); p < 256; p = port_set_next(set, p + 1))
		text_add(t, n++ ? ",%u" : "%u", p);
}

static json_t *tables_command_set_json(const struct port_set *set)
{
	json_t *list = json_array();

	for (unsigned p = set ? port_set_next(set, 0) : 256; p < 256; p = port_set_next(set, p + 1))
		json_array_append_new(list, json_integer(p));
	return list;
}

static void tell_fault(const struct sweep *w, const struct ar_fault *x, json_t *list, struct out *o)
{
	assert(x->sw < w->fabric->n_switches);

	const struct fabric *f = w->fabric;
	const struct adaptive_group *g = adaptive_find(w->routing->adaptive, x->sw, x->lid);
	uint32_t owner = lid_owner(w->lids, x->lid);
	AUTO_TEXT struct text t = {0};
	char port[8];

	text_add(&t, "%s", lft_port_label(x->port, port, sizeof(port)));
	if (g) {
		text_add(&t, " of ");
		set_text(&g->ports, &t);
	}
	text_add(&t, ", by the rule ");
	set_text(&x->rule, &t);
	out_text(o, "! %-24s LID %5u %s: %s: %s\n", switch_name(f, x->sw), x->lid,
		 owner == NO_ID ? "(nobody)" : ENDPORT_LABEL(f, owner), ar_fault_word[x->kind], text_str(&t));
	json_t *obj = json_make("{s:s, s:i, s:o, s:o}", "kind", ar_fault_word[x->kind], "port", (int)x->port,
				"group", tables_command_set_json(g ? &g->ports : NULL), "rule",
				tables_command_set_json(&x->rule));
	fields_json(obj, ar_fault_fields, x);
	json_put_out(obj, "port", f, x->sw, x->port);
	json_put_switch(obj, "switch", f, w->lids, x->sw);
	json_put_endport(obj, "owner", f, w->lids, owner);
	json_array_append_new(list, obj);
}

#define JSON_FOLLOWS                                                                       \
	"follows[] object? what each engine's rule makes of the entries, the best first\n" \
	"@follows[].\n"

static json_t *follow_tries_json(const struct follow *f, const struct lids *l)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < f->n; i++) {
		const struct follow_try *t = &f->try[i];
		json_t *x = json_make("{s:s}", "scatter", follow_ties_word[t->ties]), *roots = json_array();
		json_t *classes = json_object();

		fields_json(x, follow_try_fields, t);
		for (uint32_t sw = 0; t->root && sw < f->fabric->n_switches; sw++)
			if (t->root[sw])
				json_array_append_new(roots,
						      json_node(f->fabric, l, f->fabric->switch_node[sw]));
		for (unsigned c = 0; c < FOLLOW_CLASSES; c++)
			json_object_set_new(classes, follow_word[c], json_integer((json_int_t)t->n[c]));
		json_object_set_new(x, "roots", roots);
		json_object_set_new(x, "classes", classes);
		json_put_switch(x, "hub", f->fabric, l, t->hub);
		json_array_append_new(list, x);
	}
	return list;
}

/* `judge ENGINE`: entries outside an engine's rule, up to ties. */
static int judge_by_engine(struct session *s, const char *engine, bool all, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	AUTO_ARENA struct follow *f = follow_run(w, engine, o->run->progress, e);
	json_t *list = json_array();
	size_t told = 0, left = 0;

	if (!f) {
		json_decref(list);
		return -1;
	}
	const struct follow_try *t = &f->try[0];
	AUTO_TEXT struct text classes = {0};
	for (unsigned c = 0; c < FOLLOW_CLASSES; c++)
		if (t->n[c])
			text_add(&classes, "%s%s %" PRIu64, classes.len ? ", " : "", follow_word[c], t->n[c]);
	for (size_t i = 0; i < f->n_entries; i++) {
		const struct follow_entry *x = &f->entry[i];
		uint32_t owner = lid_owner(w->lids, x->lid);
		char port[8];

		if (!all && (x->class == FOLLOW_LAWFUL || told >= JUDGE_LINES)) {
			left += x->class != FOLLOW_LAWFUL;
			continue;
		}
		told++;
		out_text(o, "! %-24s LID %5u %s: %s: %s\n", switch_name(w->fabric, x->sw), x->lid,
			 ENDPORT_LABEL(w->fabric, owner), lft_port_label(x->port, port, sizeof(port)),
			 follow_word[x->class]);
		json_t *obj = json_make("{s:s, s:i}", "kind", follow_word[x->class], "port", (int)x->port);
		fields_json(obj, follow_entry_fields, x);
		json_put_out(obj, "port", w->fabric, x->sw, x->port);
		json_put_switch(obj, "switch", w->fabric, w->lids, x->sw);
		json_put_endport(obj, "owner", w->fabric, w->lids, owner);
		json_array_append_new(list, obj);
	}
	if (left)
		out_text(o, "  ... %s; `judge %s all` prints them\n", PLURAL(left, "more entry"), engine);
	out_text(o, "%s of %s, by %s's rule: %s.\n", PLURAL(follow_entries(t), "entry"),
		 PLURAL(f->n_switches, "switch"), engine, text_str(&classes));
	bool complete = !f->n_silent && !f->n_untold && !w->fabric->warnings.missing;
	out_fields(o, json_make("{s:b, s:i, s:I, s:I, s:o, s:o}", "complete", (int)complete, "switches",
				(int)f->n_switches, "judged", (json_int_t)follow_entries(t), "broken",
				(json_int_t)follow_broken(t), "entries", list, "follows",
				follow_tries_json(f, w->lids)));
	o->run->found_fault |= follow_broken(t) > 0;
	o->run->unanswered |= !complete && !follow_broken(t);
	return 0;
}

static int cmd_judge(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	assert(session_routing(s));
	const struct sweep *w = session_sweep(s);
	const char *engine = args_word(args, "ENGINE", NULL);

	if (engine)
		return judge_by_engine(s, engine, args_has(args, "all"), o, e);
	struct ar_judgement *j = ar_judge(w, s->engines, o->run->progress, e);

	if (!j)
		return -1;
	json_t *list = json_array();
	size_t told = args_has(args, "all") || j->n < JUDGE_LINES ? j->n : JUDGE_LINES;
	out_text(o, "%s", j->notes);
	for (size_t i = 0; i < told; i++)
		tell_fault(w, &j->fault[i], list, o);
	if (j->n > told)
		out_text(o, "  ... %s; `judge all` prints them\n", PLURAL(j->n - told, "more entry"));
	out_text(o, "%s of %s judged, %" PRIu64 " with a group: ", PLURAL(j->n_judged, "entry"),
		 PLURAL(j->n_switches, "switch"), j->n_grouped);
	if (j->n)
		out_text(o, "%zu break%s the rule of ar_updn.\n", j->n, j->n == 1 ? "s" : "");
	else if (!j->n_judged)
		out_text(o, "there is nothing to judge.\n");
	else if (!j->complete)
		out_text(o, "what is there keeps to it, but %s.\n",
			 j->n_silent ? "switches lack a table" : "a part of the fabric is not known");
	else
		out_text(o, "none breaks the rule of ar_updn%s.\n",
			 j->n_grouped ? "" : "; without groups only static ports can be judged");
	if (j->n_other)
		out_text(o, "%s not judged: no legal way leads to the LID.\n",
			 PLURAL(j->n_other, "other entry"));
	out_fields(o, json_make("{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:o}", "ranks",
				j->told ? "source" : "roots", "complete", (int)j->complete, "switches",
				(json_int_t)j->n_switches, "judged", (json_int_t)j->n_judged, "grouped",
				(json_int_t)j->n_grouped, "not_judged", (json_int_t)j->n_other, "broken",
				(json_int_t)j->n, "faults", list));
	o->run->found_fault |= j->n > 0;
	o->run->unanswered |= !j->n_judged || (!j->complete && !j->n);
	ar_judgement_free(j);
	return 0;
}

const struct command tables_commands[] = {
	{.name = "tables",
	 .group = FILES,
	 .syntax = "tables FILE [FILE] | live [CA[:PORT]] | held [else ENGINE[,ENGINE...]]",
	 .help = "take the tables in the switches as the routing: from a dump, live, or back to them",
	 .needs = NEEDS_FABRIC,
	 .json = "tables object? what was read; not with held\n"
		 "tables.source string file, or live\n"
		 "tables.format string(lfts/fdbs/far/live) lfts, fdbs, far or live\n"
		 "tables.switches integer switches with a table\n"
		 "tables.entries integer entries\n"
		 "tables.adaptive integer entries with an adaptive-routing group\n"
		 "tables.oddities string lines about what does not fit\n"
		 "tables.lids object where LIDs are from\n"
		 "tables.lids.named integer ports whose LIDs it names\n"
		 "tables.lids.differ integer of these: unlike the source's\n"
		 "tables.lids.source integer ports with LIDs of the source\n"
		 "tables.lids.none integer ports without\n"
		 "tables.lids.misfits integer LIDs that do not fit\n" JSON_EVENT,
	 .run = cmd_tables},
	{.name = "judge",
	 .group = JUDGE,
	 .syntax = "judge [ENGINE] [all]",
	 .help = "judge the tables in force by an engine's rule, up to ties; without ENGINE by that of "
		 "NVIDIA's "
		 "ar_updn and its groups",
	 .finds = "an entry breaks the rule; nothing to judge: then it is 3",
	 .needs = NEEDS_ROUTING,
	 .json = "ranks string(source/roots)? source: the source tells them; roots: distance from roots that "
		 "are given or found; not with ENGINE\n"
		 "complete boolean all switches that are up have a table, and the whole fabric is known\n"
		 "switches integer switches with a table\n"
		 "judged integer entries judged\n"
		 "grouped integer? of these, with a group; not with ENGINE\n"
		 "not_judged integer? entries for LIDs to which no legal way leads; not with ENGINE\n"
		 "broken integer entries that break the rule\n"
		 "faults[] object? the first of these, or all; not with ENGINE\n"
		 "@faults[].\n"
		 "entries[] object? with ENGINE: the first of these, or all with those that are lawful "
		 "alone\n"
		 "@entries[].\n" JSON_FOLLOWS,
	 .rows = {ar_fault_fields, follow_entry_fields, follow_try_fields},
	 .run = cmd_judge},
	{.name = NULL},
};

/* `drift`: do the switches hold what the subnet manager computes? */

#define DRIFT_LINES 20 /* entries in JSON, and ports without a LID, without `all` */

/* --- what is judged, and by what --------------------------------------------------------------- */

/* A switch with entries that are neither right nor kept.  Switches with most of them come first. */
struct on_switch {
	uint32_t sw;
	uint64_t n[DRIFT_CLASSES], all;
};

COMPARATOR(most_first, struct on_switch, DOWN(all) UP(sw))

static void tell_switches(const struct drift *d, struct out *o)
{
	const struct fabric *f = d->next->fabric;
	AUTO_FREE struct on_switch *s = NEW_ARRAY(f->n_switches, struct on_switch);
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_switches; i++)
		s[i].sw = i;
	for (size_t i = 0; i < d->n_entries; i++) {
		struct on_switch *at = &s[d->entry[i].sw];

		at->n[d->entry[i].class]++;
		at->all += d->entry[i].class != DRIFT_KEPT;
	}
	qsort(s, f->n_switches, sizeof(*s), most_first);
	while (n < f->n_switches && s[n].all)
		n++;
	for (uint32_t i = 0; i < n; i++) {
		out_text(o, "  " ROW_COLUMN("%-24s"), switch_name(f, s[i].sw));
		for (unsigned c = 0; c < DRIFT_CLASSES; c++)
			if (s[i].n[c])
				out_text(o, "  %s %" PRIu64, drift_word[c], s[i].n[c]);
		out_text(o, "\n");
	}
}

/* told: also print a line. */
static void drift_command_tell_entry(const struct drift *d, const struct drift_entry *x, bool told,
				     json_t *list, struct out *o)
{
	assert(x->sw < d->next->fabric->n_switches && x->class < DRIFT_CLASSES);

	const struct fabric *f = d->next->fabric;
	uint32_t owner = lid_owner(d->next->lids, x->lid);
	char a[8], b[8];

	if (told)
		out_text(o,
			 "! " ROW_COLUMN("%-24s") " LID %5u " ROW_CUT("%s") ": %s -> %s, " ROW_PROSE
									    "%s: %s\n",
			 switch_name(f, x->sw), x->lid, owner == NO_ID ? "(nobody)" : ENDPORT_LABEL(f, owner),
			 lft_port_label(x->port, a, sizeof(a)), lft_port_label(x->would, b, sizeof(b)),
			 drift_word[x->class], x->why);
	if (!o->object)
		return;
	json_t *obj = json_make("{s:s}", "class", drift_word[x->class]);
	fields_json(obj, drift_entry_fields, x);
	json_put_out(obj, "port", f, x->sw, x->port);
	json_put_out(obj, "would", f, x->sw, x->would);
	json_put_switch(obj, "switch", f, d->next->lids, x->sw);
	json_put_endport(obj, "owner", f, d->next->lids, owner);
	json_array_append_new(list, obj);
}

/*
 * Puts the entries into JSON, the first ones, without kept entries, which are not faults.  With `all` it
 * lists all, also as lines.  Returns false when cancelled.
 */
static bool drift_command_tell_entries(const struct drift *d, bool all, struct out *o)
{
	json_t *list = json_array();
	size_t told = 0;
	bool go_on = true;

	for (size_t i = 0; i < d->n_entries && go_on; i++) {
		go_on = i % 256 || !progress_cancelled(o->run->progress);
		if (!all && (told >= DRIFT_LINES || d->entry[i].class == DRIFT_KEPT))
			continue;
		drift_command_tell_entry(d, &d->entry[i], all, list, o);
		told++;
	}
	out_json(o, "entries", list);
	return go_on;
}

/*
 * Ports that have no LID yet, where it is not known which LIDs are reserved for ports that left: the subnet
 * manager may give them others than those that seem to be free.  Returns their number.
 */
static uint32_t tell_unsure_lids(const struct drift *d, struct out *o)
{
	const struct fabric *f = d->next->fabric;
	json_t *list = json_array(), *x;
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports && d->reserved != RESERVED_KNOWN; ep++) {
		if (!d->next->lids->base[ep] || d->held->lids->base[ep])
			continue;
		if (n++ < DRIFT_LINES)
			out_text(o, "%s has no LID yet; %u seems to be free for it.\n", ENDPORT_LABEL(f, ep),
				 d->next->lids->base[ep]);
		x = json_object();
		json_put_endport(x, "name", f, d->next->lids, ep);
		json_array_append_new(list, x);
	}
	if (n)
		out_text(o,
			 "Which LIDs the subnet manager keeps reserved for ports that left%s is not known "
			 "here "
			 "(option guid2lid_file tells): it may give %s, and then every switch changes.\n",
			 d->reserved == RESERVED_SEEN ? " before this session saw them" : "",
			 n == 1 ? "another one" : "other ones");
	if (d->n_reserved)
		out_text(o, "%s reserved for ports that left, as %s.\n",
			 PLURAL(d->n_reserved, "range of LIDs"),
			 d->reserved == RESERVED_SEEN ? "the session saw" : "`show lids` tells");
	out_json(o, "unsure_lids", list);
	out_json(o, "reservations", json_text(drift_reserved_word[d->reserved]));
	return n;
}

/* A running OpenSM has its own memory of the tables, and reads none (drift.h). */
static const char when_written[] = "When they are written: at a restart of the subnet manager, all.  By the "
				   "next sweep of one that runs, those that its memory has otherwise;\n"
				   "ibscope does not know its memory.  Entries that another program changed "
				   "stay, unless one of the same block of 64\n"
				   "LIDs is written.  When a switch disappears and comes back, most of its "
				   "own.\n";

static int report_drift(const struct drift *d, const struct causes *causes, bool all, struct out *o,
			struct err *e)
{
	const struct switch_tables *read = setup_tables(d->held->setup);
	const struct refusal *first = d->next->n_refusals ? &d->next->refusal[0] : NULL;
	json_t *classes = json_object(), *of_switches = json_object();
	/* entries that are not judged because a table is missing are not a fault */
	bool wrong = drift_total(d) != d->count[DRIFT_RIGHT] + d->count[DRIFT_KEPT];

	if (first)
		out_text(o, "%s refuses: %s\n", first->engine, first->why);
	out_text(o, "%s %s, against what %s computes: %s, agreement %.4f%s\n",
		 read ? "Tables read from" : "Tables of",
		 !read		? d->held->routing->engine
		 : read->source ? read->source
				: "the live switches",
		 d->engine, PLURAL(drift_total(d), "entry"), drift_agreement(d),
		 drift_known(d) ? "" : " of what is known");
	if (!strcmp(d->next->routing ? d->next->routing->engine : "", "ar_updn"))
		out_text(o, "ar_updn is shown by its published rule, and ties may differ: `judge` tells "
			    "entries that break the rule.\n");
	if (d->ignored)
		out_text(o, "A port is being set up: the next sweep ignores existing entries.\n");
	if (d->n_silent)
		out_text(o, "No table of %s: not judged.\n", PLURAL(d->n_silent, "switch"));
	report_incomplete_tables(d->held, 0, o);
	if (d->n_away)
		out_text(o, "%s of switches that are gone: not judged.\n", PLURAL(d->n_away, "table"));
	for (unsigned c = 0; c < DRIFT_CLASSES; c++) {
		json_object_set_new(classes, drift_word[c], json_integer((json_int_t)d->count[c]));
		json_object_set_new(of_switches, drift_word[c], json_integer((json_int_t)d->of_switches[c]));
		if (!d->count[c])
			continue;
		out_text(o, ROW_BEGIN "  %-7s %8" PRIu64, drift_word[c], d->count[c]);
		if (c != DRIFT_UNKNOWN)
			out_text(o, " (hosts' LIDs %" PRIu64 ", switches' %" PRIu64 ")",
				 d->count[c] - d->of_switches[c], d->of_switches[c]);
		out_text(o, "  " ROW_PROSE "%s\n", drift_meaning[c]);
	}
	if (d->count[DRIFT_KEPT] && d->states_unknown && !d->ignored)
		out_text(
			o,
			"  Port states unknown: if a port came up since the last sweep, the %s change too.\n",
			PLURAL(d->count[DRIFT_KEPT], "kept entry"));
	if (d->n_not_in_file)
		out_text(o, "Not in the file: %s, for LIDs of which it has none: not judged.\n",
			 PLURAL(d->n_not_in_file, "entry"));
	if (d->count[DRIFT_RESTART] + d->count[DRIFT_DEAD] + d->count[DRIFT_MISSING])
		out_text(o, "%s", when_written);
	out_json(o, "not_in_file", json_integer((json_int_t)d->n_not_in_file));
	out_json(o, "classes", classes);
	out_json(o, "classes_of_switch_lids", of_switches);
	report_causes(causes, all, "drift ...", o);
	if (all)
		tell_switches(d, o);
	if (!drift_command_tell_entries(d, all, o))
		return err_set(e, CANCELLED);
	report_missing(d->next->fabric, o);
	uint32_t unsure = tell_unsure_lids(d, o);
	if (!drift_found(d))
		out_text(o, "The next sweep would change nothing%s%s.\n",
			 drift_known(d) ? "" : " in what is judged; the rest is not known",
			 unsure ? ", if these LIDs are free" : "");
	out_json(o, "complete", json_boolean(drift_known(d)));
	out_json(o, "engine", json_text(d->engine));
	out_json(o, "agreement", json_real(drift_agreement(d)));
	out_json(o, "states_known", json_boolean(!d->states_unknown));
	o->run->found_fault |= wrong && !tables_strange(d->held);
	o->run->unanswered |= !drift_known(d) || unsure || tables_strange(d->held);
	return 0;
}

/* --- which engine made them? -------------------------------------------------------------------- */

/* An engine of OpenSM 3.3.23 computes every entry from nothing, or these options do not. */
static void drift_command_tell_best(const struct drift_ranking *r, struct out *o)
{
	const struct drift_candidate *best = &r->candidate[0];

	if (best->agreement < 1)
		out_text(o,
			 "No engine with options known here explains %.1f %% of the entries (best: %s %.1f "
			 "%%): give the subnet manager's opensm.conf (`config FILE`, -F), or roots.\n",
			 100 * (1 - best->agreement), best->chain, 100 * best->agreement);
}

/* Engines that compute every entry from nothing; and those that keep the rest and three of four choices, as
 * no other engine does by chance. */
static void drift_command_take_exact(const struct follow *f, const struct drift_ranking *r,
				     struct follow_known *known)
{
	for (unsigned i = 0; i < r->n && i < FOLLOW_MOST_EXACT; i++) {
		const struct drift_candidate *c = &r->candidate[i];
		const struct follow_try *t = c->in_force ? follow_find(f, c->in_force) : NULL;

		if (!c->in_force || c->refused || c->agreement < 1 || f->n_untold)
			continue;
		if (c->threads && (!known->drawn || !strcmp(c->in_force, f->try[0].engine))) {
			known->drawn = c->in_force;
			known->threads = c->threads;
			known->or_more = c->or_more;
		}
		if (c->threads)
			continue;
		if (c->right >= 1)
			known->exact[known->n_exact++] = c->in_force;
		else if (t && c->count[DRIFT_KEPT] * 4 < follow_free(t))
			known->likely[known->n_likely++] = c->in_force;
	}
}

/* What names the engine that made the tables: the log, else a dump, else the configuration where it names
 * one engine, which does not refuse. */
static void drift_command_take_named(const struct session *s, const struct opensm_log *log,
				     const struct drift_ranking *r, struct follow_known *known)
{
	const struct logged *routed = log ? opensm_log_last(log, LOGGED_ENGINE, NULL, NULL) : NULL;
	bool refused = false;

	for (unsigned i = 0; i < r->n; i++)
		refused |= r->candidate[i].configured && r->candidate[i].refused;

	if (routed) {
		known->named = routed->word;
		known->by = "the subnet manager's log";
	} else if (s->fabric->sm_engine) {
		known->named = s->fabric->sm_engine;
		known->by = "the subnet manager's dump";
	} else if (s->configured && !refused && !strchr(s->configured, ',')) {
		known->named = s->configured;
		known->by = "the configuration";
	}
}

/* Whose rule the tables follow, up to ties. */
static int drift_command_tell_verdict(struct session *s, const struct drift *d, const struct drift_ranking *r,
				      struct out *o, struct err *e)
{
	AUTO_TEXT struct text verdict = {0};
	struct follow_known known = {.nvidia = nvidia_rules(d->next->setup->options)};
	struct opensm_log *log = session_log(s);
	AUTO_ARENA struct follow *f = follow_run(d->held, NULL, o->run->progress, e);

	drift_command_take_named(s, log, r, &known);
	if (f) {
		drift_command_take_exact(f, r, &known);
		follow_tell(f, &known, &verdict);
		out_text(o, "%s", text_str(&verdict));
		out_json(o, "verdict", json_text(text_str(&verdict)));
		out_json(o, "follows", follow_tries_json(f, d->held->lids));
	}
	opensm_log_unref(log);
	drift_command_tell_best(r, o);
	return f ? 0 : -1;
}

/* --- the command -------------------------------------------------------------------------------- */

/* Makes *opts, with the options that the words set. */
static int drift_command_take_words(struct session *s, const struct args *args, struct drift_request *rq,
				    struct options **opts, struct err *e)
{
	int rc = 0;

	*opts = options_copy(s->setup->options);
	for (int i = 0; !rc && i < args->n; i++) {
		const char *word = args->arg[i].word;

		if (args->arg[i].small)
			continue;
		if (strchr(word, '='))
			rc = options_assign(*opts, s->fabric, word, e);
		else if (rq->chain)
			rc = err_word(e, "found \"%s\", expected OPTION=VALUE or \"all\"", word);
		else
			rc = engine_chain_known(s->engines, rq->chain = word, e);
	}
	rq->setup = setup_with(s->setup, &(struct setup){.options = *opts});
	return rc;
}

/* What is held is judged, whatever is in force. */
static void drift_command_tell_judged(const struct drift *d, const struct sweep *now, struct out *o)
{
	report_judged(d->held, o);
	if (!now || !setup_tables(d->held->setup))
		return;
	struct judged j = judged_of(now);
	judged_count(&j, o->run->progress);
	if (j.held)
		return;
	out_text(o, "In force: computed by %s; %" PRIu64 " of %s differ from the held ones.\n",
		 now->routing ? now->routing->engine : "no engine", j.n_differ, PLURAL(j.n_held, "entry"));
	out_json(o, "differ_from_held", json_integer((json_int_t)j.n_differ));
}

static int cmd_drift(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct drift_request rq = {
		.engines = s->engines,
		.now = session_sweep(s),
		.configured = s->configured,
	};
	const struct last_seen seen = session_last_seen(s);
	AUTO_ARENA struct drift_ranking *ranking = NULL;
	AUTO_ARENA struct drift *d = NULL;
	struct options *opts;
	int rc = drift_command_take_words(s, args, &rq, &opts, e);

	if (!rc)
		d = drift_judge(&rq, &ranking, o->run->progress, e);
	if (d)
		drift_command_tell_judged(d, rq.now, o);
	if (ranking) {
		json_t *list = json_array();

		out_text(o, "Engines by agreement:\n");
		for (unsigned i = 0; i < ranking->n; i++) {
			const struct drift_candidate *c = &ranking->candidate[i];
			json_t *x = json_object();

			fields_json(x, drift_candidate_fields, c);
			if (!c->in_force) {
				json_object_del(x, "agreement");
				json_object_del(x, "right");
			}
			if (c->in_force) {
				out_text(o, ROW_BEGIN "  %-10s agreement %.4f, right %.4f" ROW_PROSE,
					 c->chain, c->agreement, c->right);
				if (c->refused)
					out_text(o, "; refuses, so %s routes", c->in_force);
			} else {
				out_text(o, "  %-10s " ROW_PROSE "refuses: %s", c->chain, c->refused);
			}
			if (*c->options)
				out_text(o, "  (%s)", c->options);
			if (c->equal < i)
				out_text(o, "  as %s", ranking->candidate[c->equal].chain);
			out_text(o, "\n");
			json_array_append_new(list, x);
		}
		out_json(o, "engines", list);
		rc = drift_command_tell_verdict(s, d, ranking, o, e);
	}
	const struct causes_request of = {.w = d ? d->held : NULL, .d = d, .seen = &seen};
	AUTO_ARENA struct causes *causes = d && !rc ? causes_find(&of, o->run->progress, e) : NULL;
	rc = causes ? report_drift(d, causes, args_has(args, "all"), o, e) : -1;
	setup_unref(rq.setup);
	options_free(opts);
	return rc;
}

const struct command drift_commands[] = {
	{.name = "drift",
	 .group = JUDGE,
	 .syntax = "drift [ENGINE[,ENGINE...]] [OPTION=VALUE]... [all]",
	 .help = "compare what the switches hold with what the subnet manager computes, entry by entry",
	 .finds = "an entry is not right, or ibscope cannot judge it, or a port has no LID and ibscope knows "
		  "none that is free",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SOME_JUDGED
	 "engine engine? engine whose tables drift compares with\n"
	 "agreement share? share of entries that are right or kept\n"
	 "complete boolean? there are entries, no switch is without a table, no LID is missing in the file, "
	 "and the whole fabric is known\n"
	 "states_known boolean? false: ibscope does not know whether a port came up since the last sweep\n"
	 "classes object? entries by class\n"
	 "classes.* integer? of a class: right, kept, restart, dead, missing, unknown\n"
	 "not_in_file integer? entries computed for LIDs of which the file has none: not judged\n"
	 "classes_of_switch_lids object? the same\n"
	 "classes_of_switch_lids.* integer? of these, entries for LIDs of switches\n"
	 "reservations string(unknown/seen/known)? LIDs kept for ports that left: seen: those that left in "
	 "the session\n"
	 "unsure_lids[] object? ports without a LID, where reservations of LIDs are not all known\n"
	 "unsure_lids[].name endport the port, with the LID that seems to be free for it\n"
	 "entries[] object? entries that are not right: the first without those kept, or all\n"
	 "@entries[].\n" JSON_CAUSES "tables_complete boolean? as of check\n"
	 "engines[] object? without ENGINE: all that were tried, the best first\n"
	 "@engines[].\n"
	 "verdict string? without ENGINE: whose rule the tables follow, up to ties\n" JSON_FOLLOWS,
	 .rows = {drift_entry_fields, cause_fields, drift_candidate_fields, follow_try_fields},
	 .run = cmd_drift},
	{.name = NULL},
};
