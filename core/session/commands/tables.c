/* `tables`: a routing made of what switches hold, from a file or live. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/ar_rule.h"
#include "core/base/err.h"
#include "core/base/lessonfile.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/tables.h"
#include "core/session/commands/commands.h"
#include "core/source/live.h"

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

/* Put the tables of a live fabric onto the loaded one, node by node. */
static int live_tables(const char *target, const struct fabric *f, const struct lids *now,
		       struct switch_tables **out, struct tables_info *info, struct text *notes,
		       struct progress *p, struct err *e)
{
	struct tables_reader r;
	struct fabric *found;
	char *ca = NULL;
	int port = 0, rc;

	if (live_parse_target(target, &ca, &port, e))
		return -1;
	rc = live_discover_tables(ca, port, LIVE_LFTS, LIVE_SILENCE_S, &found, p, e);
	free(ca);
	if (rc)
		return -1;
	tables_begin(&r, f);
	tables_copy(&r, found);
	fabric_unref(found);
	*out = tables_finish(&r, NULL, now, info, notes);
	if (info->n_switches)
		return 0;
	counted_unref(&(*out)->counted);
	return err_set(e, "no switch of the live fabric is in %s", f->source);
}

/* sls: the file of path_sl_file from now on; NULL: it stays. */
static int take_tables(struct session *s, const char *text, const struct switch_tables *t, const char *sls,
		       struct out *o, struct err *e)
{
	struct options *opts = sls ? options_copy(s->setup->options) : NULL;
	struct change_request rq = {
		.kind = EVENT_ROUTE,
		.setup = {.chain = "tables,no_fallback", .tables = t, .options = opts},
		.text = text,
		.progress = o->run->progress,
	};
	int rc = opts ? options_set(opts, "path_sl_file", sls, e) : 0;

	if (!rc)
		rc = session_change(s, &rq, e);
	options_free(opts);
	if (!rc)
		report_event(s, o);
	return rc;
}

/* Back from computed tables to those that the switches hold.  With `else`: where none are, an engine routes.
 */
static int take_held_tables(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *otherwise = args_word(args, "ENGINE[,ENGINE...]", NULL);
	const struct switch_tables *held =
		s->setup->tables ? s->setup->tables : fabric_switch_tables(s->fabric);
	bool live = held && held == fabric_switch_tables(s->fabric) && !held->source;

	if (!held)
		return otherwise ? run_engines(s, "route", otherwise, args, args->n, o, e)
				 : err_set(e, "no tables of the switches were read; `tables FILE` or `tables "
					      "live` reads them");
	if (otherwise && sweep_held_tables(session_sweep(s)) == held)
		return 0;
	return take_held(s, live ? "live,no_fallback" : "tables,no_fallback", o, e);
}

static int cmd_tables(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *from = args->arg[0].word, *device = args_word(args, "CA[:PORT]", "");
	const struct lids *now = session_sweep(s) ? session_sweep(s)->lids : NULL;
	bool live = args_has(args, "live");
	const char *sls = !live && args->n > 1 ? args->arg[1].word : NULL, *behind = sls ? sls : device;
	struct text notes = {0}, text = {0};
	struct switch_tables *t;
	struct tables_info info;
	char *lesson = !live && lesson_name(from) ? lesson_file(lesson_name(from), e) : NULL;
	int rc;

	if (args_has(args, "held"))
		return take_held_tables(s, args, o, e);
	if (!live && lesson_name(from) && !lesson)
		return -1;
	progress_start(o->run->progress, "reading tables", 0);
	rc = live ? live_tables(device, s->fabric, now, &t, &info, &notes, o->run->progress, e)
		  : tables_load(lesson ? lesson : from, s->fabric, now, &t, &info, &notes, o->run->progress,
				e);
	if (!rc) {
		report_tables(from, &info, text_str(&notes), o);
		text_add(&text, *behind ? "tables %s %s" : "tables %s", from, behind);
		rc = take_tables(s, text_str(&text), t, sls, o, e);
		counted_unref(&t->counted);
	}
	free(lesson);
	text_free(&notes);
	text_free(&text);
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
	const struct fabric *f = w->fabric;
	const struct adaptive_group *g = adaptive_find(w->routing->adaptive, x->sw, x->lid);
	uint32_t owner = lid_owner(w->lids, x->lid);
	struct text t = {0};
	json_t *obj;
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
	text_free(&t);
	obj = json_make("{s:s, s:i, s:o, s:o}", "kind", ar_fault_word[x->kind], "port", (int)x->port, "group",
			tables_command_set_json(g ? &g->ports : NULL), "rule",
			tables_command_set_json(&x->rule));
	fields_json(obj, ar_fault_fields, x);
	json_put_out(obj, "port", f, x->sw, x->port);
	json_put_switch(obj, "switch", f, w->lids, x->sw);
	json_put_endport(obj, "owner", f, w->lids, owner);
	json_array_append_new(list, obj);
}

static int cmd_judge(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct ar_judgement *j = ar_judge(w, s->engines, o->run->progress, e);
	json_t *list;
	size_t told;

	if (!j)
		return -1;
	list = json_array();
	told = args_has(args, "all") || j->n < JUDGE_LINES ? j->n : JUDGE_LINES;
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
	out_json(o, "ranks", json_text(j->told ? "source" : "roots"));
	out_json(o, "complete", json_boolean(j->complete));
	out_json(o, "switches", json_integer(j->n_switches));
	out_json(o, "judged", json_integer((json_int_t)j->n_judged));
	out_json(o, "grouped", json_integer((json_int_t)j->n_grouped));
	out_json(o, "not_judged", json_integer((json_int_t)j->n_other));
	out_json(o, "broken", json_integer((json_int_t)j->n));
	out_json(o, "faults", list);
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
	 .details =
		 "  FILE: opensm-lfts.dump, output of dump_fts, ibroute and dump_lfts.sh, opensm.fdbs, "
		 "ibdiagnet's .fdbs and\n"
		 "  .far (with adaptive-routing groups), `export lfts` and `export fdbs`, or lesson:NAME, "
		 "one of the lessons.\n  You need not route before.\n"
		 "  LIDs are those that the file names by port GUIDs, else those of the fabric's source; "
		 "tables lists what does not\n"
		 "  fit.  A failure does not change these tables; `route ENGINE` computes others, `diff` "
		 "compares.\n"
		 "  held: back from computed tables to those that were read; else: where none were, ENGINE "
		 "routes.\n"
		 "  A second FILE tells the SLs of paths, in lines SLID DLID SL (`export paths`), as `set "
		 "path_sl_file` does.\n"
		 "  Another engine in their place has SLs of its own, in `compare` too.\n",
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
	 .syntax = "judge [all]",
	 .help = "judge the tables in force by the published rule of NVIDIA's ar_updn",
	 .finds = "an entry breaks the rule; nothing to judge: then it is 3",
	 .details =
		 "  A group of adaptive routing has all ports of the fewest legal hops to the LID, and the "
		 "static port is one of\n"
		 "  them.  Which one is static is not published, so it is not judged.  Legal: up, then down, "
		 "by "
		 "the ranks in\n"
		 "  opensm-smdb.dump where the source tells them and nothing is down, else by root_guid_file "
		 "or "
		 "the roots that\n  updn finds.  `all` prints every entry that breaks the rule.\n",
	 .needs = NEEDS_ROUTING,
	 .json = "ranks string(source/roots) source: the source tells them; roots: distance from roots that "
		 "are "
		 "given or found\n"
		 "complete boolean all switches that are up have a table, and the whole fabric is known\n"
		 "switches integer switches with a table\n"
		 "judged integer entries judged\n"
		 "grouped integer of these, with a group\n"
		 "not_judged integer entries for LIDs to which no legal way leads\n"
		 "broken integer entries that break the rule\n"
		 "faults[] object the first of these, or all\n"
		 "@faults[].\n",
	 .rows = {ar_fault_fields},
	 .run = cmd_judge},
	{.name = NULL},
};
