/* `tables`: a routing made of what switches hold, from a file or live. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

const struct command tables_commands[] = {
	{.name = "tables",
	 .syntax = "tables FILE [FILE] | live [CA[:PORT]]",
	 .help = "take the tables in the switches as the routing: from a dump, or live",
	 .details = "  FILE: opensm-lfts.dump, output of dump_fts, ibroute and dump_lfts.sh, opensm.fdbs, "
		    "ibdiagnet's .fdbs and\n"
		    "  .far (with adaptive-routing groups), `export lfts` and `export fdbs`, or lesson:NAME, "
		    "one of the lessons.\n  You need not route before.\n"
		    "  LIDs are those that the file names by port GUIDs, else those of the fabric's source; "
		    "tables lists what does not\n"
		    "  fit.  A failure does not change these tables; `route ENGINE` computes others, `diff` "
		    "compares.\n"
		    "  A second FILE tells the SLs of paths, in lines SLID DLID SL (`export paths`), as `set "
		    "path_sl_file` does.\n"
		    "  Another engine in their place has SLs of its own, in `compare` too.\n",
	 .needs = NEEDS_FABRIC,
	 .json = "tables object what was read\n"
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
	{.name = NULL},
};
