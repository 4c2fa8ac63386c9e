/* `drift`: do the switches hold what the subnet manager computes? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/drift.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/guid_names.h"
#include "core/routing/switch_tables.h"
#include "core/session/commands/commands.h"
#include "core/base/order.h"

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
	struct on_switch *s = NEW_ARRAY(f->n_switches, struct on_switch);
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
	free(s);
}

/* told: as a line, too. */
static void drift_command_tell_entry(const struct drift *d, const struct drift_entry *x, bool told,
				     json_t *list, struct out *o)
{
	const struct fabric *f = d->next->fabric;
	uint32_t owner = lid_owner(d->next->lids, x->lid);
	char a[8], b[8];
	json_t *obj;

	if (told)
		out_text(o,
			 "! " ROW_COLUMN("%-24s") " LID %5u " ROW_CUT("%s") ": %s -> %s, " ROW_PROSE
									    "%s: %s\n",
			 switch_name(f, x->sw), x->lid, owner == NO_ID ? "(nobody)" : ENDPORT_LABEL(f, owner),
			 lft_port_label(x->port, a, sizeof(a)), lft_port_label(x->would, b, sizeof(b)),
			 drift_word[x->class], x->why);
	if (!o->object)
		return;
	obj = json_make("{s:s}", "class", drift_word[x->class]);
	fields_json(obj, drift_entry_fields, x);
	json_put_out(obj, "port", f, x->sw, x->port);
	json_put_out(obj, "would", f, x->sw, x->would);
	json_put_switch(obj, "switch", f, d->next->lids, x->sw);
	json_put_endport(obj, "owner", f, d->next->lids, owner);
	json_array_append_new(list, obj);
}

/*
 * Puts the entries into JSON, the first of them without those kept, which are no faults.  With `all` it tells
 * all, as lines, too.  False when cancelled.
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
				   "next sweep of one that runs, those "
				   "that its memory has otherwise;\n"
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
	/* entries that are not judged, for want of a table, are no fault */
	bool wrong = drift_total(d) != d->count[DRIFT_RIGHT] + d->count[DRIFT_KEPT];
	uint32_t unsure;

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
			    "entries that break "
			    "the rule.\n");
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
	unsure = tell_unsure_lids(d, o);
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

/* The evidence for and against the best. */
static void drift_command_tell_verdict(const struct drift *d, const struct drift_ranking *r, struct out *o)
{
	const struct drift_candidate *best = &r->candidate[0];

	if (best->agreement < 1)
		out_text(o,
			 "No engine with options known here explains %.1f %% of the entries (best: %s %.1f "
			 "%%): give the subnet manager's opensm.conf (`config FILE`, -F), or roots.\n",
			 100 * (1 - best->agreement), best->chain, 100 * best->agreement);
	else if (d->n_not_in_file)
		out_text(o, "%s made what is in the file, or an engine with the same tables.\n", best->chain);
	else if (best->right < 0.5)
		out_text(o,
			 "%s is possible, but little speaks for it: engines that keep entries agree with all "
			 "tables of least hops.\n",
			 best->chain);
	else
		out_text(o, "%s explains every entry; %.1f %% are what it chooses from nothing.\n",
			 best->chain, 100 * best->right);
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
	struct judged j;

	report_judged(d->held, o);
	if (!now || !setup_tables(d->held->setup))
		return;
	j = judged_of(now);
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
	struct drift_ranking *ranking = NULL;
	struct causes *causes;
	struct drift *d = NULL;
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
		drift_command_tell_verdict(d, ranking, o);
		out_json(o, "engines", list);
	}
	causes = d ? causes_find(d->held, NULL, d, &seen, NULL, o->run->progress, e) : NULL;
	rc = causes ? report_drift(d, causes, args_has(args, "all"), o, e) : -1;
	causes_free(causes);
	drift_ranking_free(ranking);
	drift_free(d);
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
	 .details =
		 "  Drift is the difference between the tables in the switches and those that the engine "
		 "computes from them.  drift\n"
		 "  takes the tables that the switches hold where they were read, else those in force.\n"
		 "  OpenSM keeps existing entries, so healthy tables with a history differ from tables of "
		 "a fresh start.\n"
		 "  right        a sweep keeps the entry, and a restart would choose it too\n"
		 "  kept         a sweep keeps the entry; a restart would choose another one\n"
		 "  restart      the engine computes another entry, and a restart writes it\n"
		 "  dead         packets are lost at the entry's port\n"
		 "  missing      the switch has no entry, and the engine computes one\n"
		 "  unknown      no port has the LID\n"
		 "  A running OpenSM compares what it computes with its own memory, and never reads the "
		 "tables: its next sweep writes\n"
		 "  only what its memory has otherwise, and leaves what another program changed.  ibscope "
		 "does "
		 "not know that memory.\n"
		 "  A restart writes every entry that differs, and a switch that disappears and comes back "
		 "gets most of its own anew.\n"
		 "  The LMC is that of the ports, unless you set it.  Entries for LIDs of which a file has "
		 "none "
		 "are not judged.\n"
		 "  Each entry that is not right has one cause, and so has each pair that is lost by the "
		 "tables held.\n"
		 "  Without ENGINE drift tries all engines, those of `config FILE` first, and ranks them "
		 "by agreement: the share\n"
		 "  of entries that are right or kept.  `all` prints every entry, kept ones too.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SOME_JUDGED
	 "engine engine? engine whose tables drift compares with\n"
	 "agreement share? share of entries that are right or kept\n"
	 "complete boolean? there are entries, no switch is without a table, no LID is missing in "
	 "the file, and the whole fabric is known\n"
	 "states_known boolean? false: ibscope does not know whether a port came up since the "
	 "last "
	 "sweep\n"
	 "classes object? entries by class\n"
	 "classes.* integer? of a class: right, kept, restart, dead, missing, unknown\n"
	 "not_in_file integer? entries computed for LIDs of which the file has none: not judged\n"
	 "classes_of_switch_lids object? the same\n"
	 "classes_of_switch_lids.* integer? of these, entries for LIDs of switches\n"
	 "reservations string(unknown/seen/known)? LIDs kept for ports that left: seen: those "
	 "that "
	 "left in the session\n"
	 "unsure_lids[] object? ports without a LID, where reservations of LIDs are not all "
	 "known\n"
	 "unsure_lids[].name endport the port, with the LID that seems to be free for it\n"
	 "entries[] object? entries that are not right: the first without those kept, or all\n"
	 "@entries[].\n" JSON_CAUSES "tables_complete boolean? as of check\n"
	 "engines[] object? without ENGINE: all that were tried, the best first\n"
	 "@engines[].\n",
	 .rows = {drift_entry_fields, cause_fields, drift_candidate_fields},
	 .run = cmd_drift},
	{.name = NULL},
};
