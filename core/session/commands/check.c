/* `check`: is a routing sound? */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/faults.h"
#include "core/analysis/credit/turns.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/session/commands/commands.h"
#include "core/sm/lft_file.h"

/* untold: pairs that are lost only because tables were not read, or belong to another fabric. */
static void print_check(const struct check_result *c, uint64_t untold, struct out *o)
{
	if (untold)
		out_text(o, "%s between hosts: %" PRIu64 " cannot be told, ", PLURAL(c->pairs, "path"),
			 untold);
	else
		out_text(o, "%s between hosts: ", PLURAL(c->pairs, "path"));
	out_text(o, "%" PRIu64 " unreachable", c->unreachable - untold);
	if (c->looping)
		out_text(o, " (%" PRIu64 " of them loop)", c->looping);
	out_text(o, ", longest %s.\n", PLURAL(c->max_hops, "link"));
	for (unsigned h = 0; h < 64; h++)
		if (c->hops_count[h])
			out_text(o, "  %2u%s %s %" PRIu64 "\n", h, h == 63 ? "+" : "",
				 h == 1 ? "link: " : "links:", c->hops_count[h]);
	if (c->apart)
		out_text(o,
			 "%s without a common P_Key, so the SA gives them no path, whatever the tables do: "
			 "partitions keep them apart.\n",
			 PLURAL(c->apart, "pair"));
	if (c->apart_limited)
		out_text(o, "%" PRIu64 " of these share one, but both ports are limited members.\n",
			 c->apart_limited);
	if (c->switch_unreachable && !untold)
		out_text(o, "From hosts to switches: %" PRIu64 " unreachable.\n", c->switch_unreachable);
	if (c->no_lid)
		out_text(o, "%s without LID.\n", PLURAL(c->no_lid, "endport"));
	json_t *counts = json_make(
		"{s:I, s:I, s:I, s:I, s:i, s:i}", "pairs", (json_int_t)c->pairs, "unreachable",
		(json_int_t)c->unreachable, "looping", (json_int_t)c->looping, "switch_unreachable",
		(json_int_t)c->switch_unreachable, "no_lid", (int)c->no_lid, "max_links", (int)c->max_hops);
	if (c->apart)
		json_object_set_new(counts, "no_common_pkey", json_integer((json_int_t)c->apart));
	if (c->apart_limited)
		json_object_set_new(counts, "both_limited", json_integer((json_int_t)c->apart_limited));
	out_json(o, "check", counts);
	out_json(o, "unreachable", json_integer((json_int_t)c->unreachable));
}

/* Do two channels in a row turn from down to up? */
static bool turns_up(const struct routing *r, uint32_t port, uint32_t next)
{
	assert(r->ops->direction);

	const struct fabric *f = r->topo->fabric;
	uint32_t a = f->node_switch[f->port_node[port]], b = f->node_switch[f->port_node[next]];

	return r->ops->direction(r, a, f->port_num[port]) == 'D' &&
	       r->ops->direction(r, b, f->port_num[next]) == 'U';
}

/* Where a shortest credit loop turns from down to up.  A tree without such turns has no loops. */
static void print_loop_turns(const struct sweep *w, const struct cdg *c, struct out *o)
{
	const struct fabric *f = w->fabric;
	uint32_t turns = 0, first = NO_ID;
	const char *option = w->routing->ops->turn_option;

	if (!has_directions(w->routing) || !c->n_components)
		return;
	AUTO_FREE uint32_t *cycle = NEW_ARRAY(c->size[0], uint32_t);
	uint32_t n = cdg_cycle(c, 0, cycle, o->run->progress);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = c->port[cycle[(i + 1) % n]];

		if (!turns_up(w->routing, c->port[cycle[i]], next))
			continue;
		first = turns++ ? first : f->port_node[next];
	}
	if (turns)
		out_text(o, "  It is closed by %s from down to up, one at %s", PLURAL(turns, "turn"),
			 f->node_name[first]);
	if (turns && option && options_uint(w->setup->options, option))
		out_text(o, ": reverse hops make them (%s %s)", option,
			 options_get(w->setup->options, option));
	if (turns)
		out_text(o, ".\n");
	out_json(o, "loop_turns", json_integer(turns));
}

/* Credit loops while hosts keep their SLs from before the event: no faults. -1 and *e when cancelled. */
static int check_held(const struct comparison *change, struct out *o, struct err *e)
{
	if (!change || !change->sl_changed || routing_layers_idle(change->b))
		return 0;
	AUTO_ROUTING const struct routing *held = comparison_held(change);
	AUTO_ARENA struct cdg *c = cdg_new_loops(held, o->run->progress, e);
	if (!c)
		return -1;
	out_text(o, "With SLs as hosts hold them (%s from before): %s%s.\n",
		 PLURAL(change->sl_changed, "pair"),
		 c->n_components ? PLURAL(c->n_components, "group") : "no credit loops",
		 c->n_components ? " of channels with credit loops, until hosts ask for their paths again"
				 : "");
	out_json(o, "held_sls",
		 json_make("{s:I, s:i}", "pairs", (json_int_t)change->sl_changed, "credit_loops",
			   (int)c->n_components));
	return 0;
}

/* Turns from down to up.  They are information, not faults: OpenSM itself leaves some.  -1 when cancelled. */
static int check_turns(const struct sweep *w, struct out *o)
{
	struct turns t;

	if (!has_directions(w->routing))
		return 0;
	if (turns_count(w->routing, &t, o->run->progress))
		return -1;
	if (t.n) {
		const struct turn *x = &t.turn[0];

		out_text(o,
			 "%s from down to up (which %s forbids): on %" PRIu64 " of %" PRIu64
			 " paths between hosts",
			 PLURAL(t.n, "turn"), w->routing->engine, t.bad, t.routes);
		out_text(o, t.switch_bad ? ", %" PRIu64 " of %" PRIu64 " to switches.\n" : ".\n",
			 t.switch_bad, t.switch_routes);
		out_text(o, "  for one %s, in by port %u, out by port %u: %s", switch_name(w->fabric, x->sw),
			 x->in, x->out, ENDPORT_LABEL(w->fabric, x->source));
		out_text(o, " to LID %u (%s)\n", x->dlid,
			 ENDPORT_LABEL(w->fabric, lid_owner(w->lids, x->dlid)));
	} else {
		out_text(o, "No path turns from down to up.\n");
	}
	out_json(o, "turns",
		 json_make("{s:i, s:I, s:I}", "turns", (int)t.n, "paths", (json_int_t)t.bad, "switch_paths",
			   (json_int_t)t.switch_bad));
	turns_free(&t);
	return 0;
}

/* --- faults one by one ----------------------------------------------------------------------- */

struct baseline {
	const char *path;
	struct faults was, vanished;
};

/* What is judged, what is wanted of it, and the faults that were found. */
struct check_command_found {
	const struct sweep *w;
	bool listed;		   /* faults are wanted one by one, as follows */
	bool details;		   /* as text, too, and all causes */
	const struct baseline *b;  /* that they are compared with, or NULL */
	struct faults now, untold; /* untold: those that there would be if incomplete tables told it */
	bool strange;		   /* the tables are */
};

static void check_command_add_lost(void *ctx, const struct lost_way *w)
{
	struct check_command_found *x = ctx;

	faults_add_path(x->strange || w->kind == CAUSE_TABLES ? &x->untold : &x->now, w->sw, w->lid,
			w->loops);
}

/* Of single endports. */
static void add_endports(struct check_command_found *x, const struct sweep *w)
{
	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++)
		if (!host_set_matters(w->hosts, w->fabric, ep))
			continue;
		else if (w->topo->endport_up[ep] && !w->lids->base[ep])
			faults_add_endport(x->strange ? &x->untold : &x->now, FAULT_NO_LID, ep);
		else if (is_cut_off(w, ep))
			faults_add_endport(&x->now, FAULT_CUT_OFF, ep);
}

/* Hosts whose own cable carries no data, or whose LID another port has, too. add_endports() reports
 * others. */
static void check_command_add_end(void *ctx, uint32_t ep, uint32_t cause, uint64_t pairs)
{
	struct check_command_found *x = ctx;
	uint32_t sw = x->w->topo->endport_switch[ep];

	(void)cause;
	(void)pairs;
	if (sw != NO_ID && x->w->lids->base[ep])
		faults_add_host(x->strange && !routing_mute_host(x->w->routing, ep) ? &x->untold : &x->now,
				sw, ep);
}

void print_faults(const struct faults *s, const char *what, size_t most, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	for (size_t i = 0, next; i < s->n; i = next) { /* one kind at a time */
		for (next = i; next < s->n && s->f[next].kind == s->f[i].kind; next++) {
			if (next - i >= most || (next % 256 == 0 && progress_cancelled(o->run->progress)))
				continue;
			t.len = 0;
			fault_text(s, &s->f[next], &t);
			out_text(o, "  %s: " ROW_PROSE "%s\n", what, text_str(&t));
		}
		if (next - i > most)
			out_text(o, "  ... %zu more %s like these\n", next - i - most, what);
	}
}

/*
 * Reports faults that FILE lacks, and faults in FILE that are gone, but neither where it cannot be known.
 * Returns the number of new ones.
 */
static size_t compare_faults(const struct check_command_found *x, struct out *o)
{
	const struct faults *was = &x->b->was, *vanished = &x->b->vanished;
	const char *path = x->b->path;
	struct faults fresh, left, gone = {0};
	size_t n = faults_minus(&x->now, was, &fresh), known = x->now.n - n, n_gone = 0;
	json_t *list = faults_json(&fresh), *more = faults_json(vanished);

	faults_minus(was, &x->now, &left);
	if (!x->strange)
		n_gone = faults_minus(&left, &x->untold, &gone);
	n += vanished->n;
	json_array_extend(list, more);
	json_decref(more);

	out_text(o, "Compared with %s%s %s, %zu gone, %zu as before.\n", path,
		 x->untold.n ? ": of what the tables tell," : ":", PLURAL(n, "new fault"), n_gone, known);
	print_faults(&fresh, "new", FAULT_LINES, o);
	print_faults(vanished, "new", FAULT_LINES, o);
	print_faults(&gone, "gone", FAULT_LINES, o);
	out_json(o, "baseline",
		 json_make("{s:s, s:I, s:I, s:I, s:o, s:o}", "file", path, "new", (json_int_t)n, "gone",
			   (json_int_t)n_gone, "known", (json_int_t)known, "new_faults", list, "gone_faults",
			   faults_json(&gone)));
	faults_free(&fresh);
	faults_free(&left);
	faults_free(&gone);
	return n;
}

/* --- the command -------------------------------------------------------------------------------- */

/*
 * What failures and repairs changed since tables were made anew, all together; they follow one on another.
 * The caller frees *own.  -1 and *e when cancelled.
 */
static int changed_by_all(const struct session *s, const struct comparison **all, struct comparison **own,
			  struct out *o, struct err *e)
{
	const struct event *now = session_event(s), *first = now;

	*own = NULL;
	*all = now->change;
	while (first > s->event && (first->kind == EVENT_FAIL || first->kind == EVENT_RESTORE) &&
	       first[-1].sweep && first[-1].sweep->routing && first[-1].setup->fabric == now->setup->fabric)
		first--;
	if (now - first < 2)
		return 0;
	*all = *own = compare_routings(first->sweep->routing, now->sweep->routing, o->run->progress);
	return *own ? 0 : err_set(e, CANCELLED);
}

#define CUT_OFF_NAMED 4

static void tell_cut_off(const struct sweep *w, const struct comparison *change, struct out *o)
{
	if (w->routing->adaptive)
		out_text(o,
			 "Adaptive routing: all ports that packets may take are judged, and the longest way "
			 "counts.\n");
	out_json(o, "adaptive", json_boolean(w->routing->adaptive != NULL));
	if (change) {
		out_json(o, "cut_off", json_integer((json_int_t)change->cut_off));
		out_json(o, "between_survivors", json_integer((json_int_t)change->between_survivors));
	}
	report_cut_off(w, CUT_OFF_NAMED, o);
}

/* The earlier check to compare with. */
/* Who would repair what was found. */
static void check_command_tell_managers(const struct fabric *f, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	if (managers_fault(f) == MANAGERS_GOOD)
		return;
	report_managers(f, managers_consequence(f), o);
	managers_tell_fault(f, &t);
	out_json(o, "manager_fault", json_text(text_str(&t)));
}

/* Does anything say which hosts may talk?  For a synthetic fabric nothing can. */
static void tell_partitions(const struct sweep *w, struct out *o)
{
	bool looked = w->routing->pair_sls && w->routing->pair_sls->first;
	uint32_t first, untold = pkeys_untold(w->topo, &first);

	if (untold) {
		out_text(o, "%s: %s up told no P_Keys (the first: %s).\n",
			 looked ? "Partitions are those of partition_config_file"
				: "Partitions not looked at",
			 PLURAL(untold, "port"), ENDPORT_LABEL(w->fabric, first));
		json_t *of = json_port(w->fabric, w->lids, w->fabric->endport_port[first]);
		json_object_set_new(of, "ports", json_integer(untold));
		out_json(o, "pkeys_untold", of);
	} else if (!looked && strcmp(w->fabric->format, "synthetic") != 0) {
		out_text(o, "Partitions not looked at: no P_Keys were read, and no partition_config_file is "
			    "set.\n");
	}
	out_json(o, "partitions", json_boolean(looked));
}

static void tell_by_chance(const struct sweep *w, struct out *o)
{
	const struct fabric *f = w->fabric;
	AUTO_TEXT struct text names = {0};
	json_t *list = json_array();
	uint32_t at = 0, ep;

	while ((ep = sound_next_by_chance(w, &at)) != NO_ID) {
		text_add(&names, "%s%s", names.len ? ", " : "", ENDPORT_LABEL(f, ep));
		json_array_append_new(list, json_port(f, w->lids, f->endport_port[ep]));
	}
	if (names.len)
		out_text(o,
			 "OpenSM compares heap addresses here, and may leave some of these without a "
			 "route: " ROW_PROSE "%s.\n",
			 text_str(&names));
	out_json(o, "by_chance", list);
}

/* What was found of a sweep, as lines and fields; all but faults one by one. */
static int tell_found(struct session *s, const struct sweep *w, const struct soundness *x, bool details,
		      struct out *o, struct err *e)
{
	AUTO_TEXT struct text missing = {0};
	const struct comparison *all;
	struct comparison *own;

	if (changed_by_all(s, &all, &own, o, e))
		return -1;
	report_judged(w, o);
	report_scope(s, o);
	report_aggregation(s, o);
	print_check(&x->counts, x->untold, o);
	tell_partitions(w, o);
	tell_cut_off(w, all, o);
	tell_by_chance(w, o);
	report_causes(x->causes, details, "check", o);
	arena_free(own);
	if (check_turns(w, o))
		return err_set(e, CANCELLED);
	report_cycles(x->loops, 1, 0, o->run->progress, o);
	print_loop_turns(w, x->loops, o);
	report_dropped(x->loops, o);
	if (progress_cancelled(o->run->progress))
		return err_set(e, CANCELLED);
	if (check_held(session_event(s)->change, o, e))
		return -1;
	/* What the judgement rests on. */
	warnings_tell_missing(&w->fabric->warnings, &missing);
	out_fields(o, json_make("{s:s, s:s, s:b, s:o, s:s, s:o, s:b, s:s}", "engine", w->routing->engine,
				"asked", w->setup->chain, "fallback", w->fallback, "refusals",
				refusals_json(w), "notes", w->notes, "warnings", warnings_json(w->fabric),
				"complete", !w->fabric->warnings.missing, "missing", text_str(&missing)));
	if (routing_layers_idle(w->routing))
		out_text(o,
			 "ibscope takes all routes to be on VL 0: %s computes %u layers, but qos is off "
			 "(`set qos TRUE`).\n",
			 w->routing->engine, w->routing->ops->n_layers(w->routing));
	out_json(o, "layers_in_force", json_boolean(!routing_layers_idle(w->routing)));
	if (!w->as_read && topo_idle(w->topo, NULL))
		out_text(o,
			 "%s had a port in Initialize or Armed when the fabric was read: the sweep is taken "
			 "to activate it.\n",
			 PLURAL(topo_idle(w->topo, NULL), "cable"));
	report_missing(w->fabric, o);
	report_incomplete_tables(w, x->untold, o);
	out_text(o, "%s\n", verdict_words[x->verdict].sentence);
	out_json(o, "sound", json_boolean(x->sound));
	check_command_tell_managers(w->fabric, o);
	return 0;
}

static int check_command_run(struct session *s, struct check_command_found *x, struct judgement *j,
			     struct out *o, struct err *e)
{
	const struct sweep *w = x->w;
	const struct last_seen seen = session_last_seen(s);
	const struct ways_listener to = {
		.ctx = x, .lost = check_command_add_lost, .end = check_command_add_end};
	struct soundness found;

	assert(w->routing);
	if (x->listed)
		x->strange = tables_strange(w);
	if (soundness_find(w, &found, &seen, x->listed ? &to : NULL, o->run->progress, e))
		return -1;
	j->counts = found.counts;
	j->untold = found.untold;
	j->cut_off = found.cut_off;
	j->dropped = found.loops->dropped;
	j->loops = found.loops->n_components + j->dropped;
	j->fault = found.fault;
	j->sound = found.sound;
	int rc = tell_found(s, w, &found, x->details, o, e);
	if (x->listed && !rc)
		faults_add_loops(&x->now, found.loops);
	soundness_clear(&found);
	if (rc)
		return -1;
	if (x->listed) {
		const struct scope *scope = session_scope(s);

		add_endports(x, w);
		for (uint32_t i = 0; scope && i < scope->n; i++)
			if (scope_endport(x->now.fabric, &scope->port[i]) == NO_ID)
				faults_add_not_here(&x->now, scope->port[i].node_guid, scope->port[i].port);
		faults_add_missing(&x->now);
		if (faults_sort(&x->now) || faults_sort(&x->untold))
			return -1;
		if (x->details)
			print_faults(&x->now, "fault", SIZE_MAX, o);
		out_json(o, "faults", faults_json(&x->now));
		out_json(o, "present", present_json(w->fabric, w->lids, w->setup->state));
	}
	if (x->b) {
		j->fault = compare_faults(x, o) != 0;
		j->sound = !j->fault && found.counts.pairs && !found.untold && !found.strange;
	}
	o->run->found_fault |= j->fault;
	o->run->unanswered |= !j->sound;
	return 0;
}

int check_quietly(struct session *s, const struct sweep *w, struct judgement *j, struct out *o, struct err *e)
{
	struct command_run run = {.in = o->run->in,
				  .progress = o->run->progress,
				  .no_timing = o->run->no_timing,
				  .f = text_stream(&j->said)};
	struct out quiet = {.run = &run};
	struct check_command_found x = {.w = w};
	int rc = check_command_run(s, &x, j, &quiet, e);

	fclose(run.f);
	j->sound &= !rc;
	return rc;
}

/*
 * One line with performance data, and the status that Nagios takes: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
 */
static void tell_nagios(const struct sweep *w, const struct judgement *j, struct out *o)
{
	static const char *const word[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
	const struct check_result *c = &j->counts;
	struct judged judged = judged_of(w);
	AUTO_TEXT struct text of = {0};
	int status = w->fallback || w->fabric->warnings.n;

	if (!j->sound)
		status = 3;
	if (j->fault)
		status = 2;
	out_text(o, "IBSCOPE %s: ", word[status]);
	if (status == 3)
		out_text(o, w->fabric->warnings.missing ? "nothing wrong in the part that is known; "
			    : sound_next_by_chance(w, &(uint32_t){0}) != NO_ID
				    ? "OpenSM may leave hosts without a route, by chance; "
				    : "nothing is judged; ");
	judged.untimed = o->run->no_timing;
	judged_count(&judged, o->run->progress);
	judged_brief(&judged, &of);
	out_text(o, "%s, %s unreachable, %s cut off, %s of credit loops", text_str(&of),
		 PLURAL(c->unreachable, "pair"), PLURAL(j->cut_off, "endport"), PLURAL(j->loops, "group"));
	if (judged.n_differ)
		out_text(o, "; %" PRIu64 " entries differ from those in the switches", judged.n_differ);
	if (c->no_lid)
		out_text(o, "; %s without LID", PLURAL(c->no_lid, "endport"));
	if (w->fallback)
		out_text(o, "; fell back from %s", w->setup->chain);
	if (w->fabric->warnings.n)
		out_text(o, "; %s of the source", PLURAL(w->fabric->warnings.n, "warning"));
	out_text(o,
		 " | pairs=%" PRIu64 ";;;0 unreachable=%" PRIu64 ";;0;0 cut_off=%u;;0;0 credit_loops=%" PRIu64
		 ";;0;0 longest=%u;;;0 switches=%u;;;0 links=%u;;;0\n",
		 c->pairs, c->unreachable, j->cut_off, j->loops, c->max_hops, w->topo->n_switches_up,
		 w->topo->n_links_up);
	out_json(o, "nagios", json_integer(status));
	o->run->plugin = 1 + status;
}

static int cmd_check(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct baseline b = {.path = args_word(args, "FILE", NULL)};
	bool nagios = args_has(args, "format"), details = args_has(args, "all");
	struct check_command_found x = {.w = w,
					.listed = b.path || details || o->run->json,
					.details = details,
					.b = b.path ? &b : NULL};
	FILE *to = o->run->f;
	AUTO_TEXT struct text dropped = {0};
	struct judgement j = {.sound = false};
	int rc = 0;

	assert(w && w->routing);
	if (b.path)
		rc = faults_read(&b.was, b.path, o->run->progress, e) ||
				     faults_vanished(&b.vanished, json_object_get(b.was.doc, "present"), w,
						     b.path, e)
			     ? -1
			     : 0;
	if (!rc && b.path) /* later commands find there what was last at a place */
		session_take_present(s, json_incref(json_object_get(b.was.doc, "present")), b.path);
	faults_begin(&x.now, w->fabric, w->lids, e);
	faults_begin(&x.untold, w->fabric, w->lids, e);
	if (nagios && !o->object)
		o->run->f = text_stream(&dropped);
	if (!rc)
		rc = check_command_run(s, &x, &j, o, e);
	if (nagios && o->object) { /* lines so far are dropped; of JSON the keys stay */
		json_array_clear(o->lines);
	} else if (nagios) {
		out_flush(o);
		fclose(o->run->f);
		o->run->f = to;
	}
	if (nagios && !rc)
		tell_nagios(w, &j, o);
	faults_free(&x.now);
	faults_free(&x.untold);
	faults_free(&b.vanished);
	faults_free(&b.was);
	return rc;
}

const struct command check_commands[] = {
	{.name = "check",
	 .group = JUDGE,
	 .at_step = true,
	 .syntax = "check [--baseline FILE] [all] | check format nagios",
	 .help = "test for unreachable pairs, forwarding loops, and credit loops on each VL",
	 .finds = "something is wrong; with --baseline, when something new is wrong",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_JUDGED JSON_SCOPE JSON_AGGREGATION
	 "held_sls object? after an event that changed SLs: the tables with the SLs from before, as hosts "
	 "hold them\n"
	 "held_sls.pairs integer pairs with another SL\n"
	 "held_sls.credit_loops integer groups of channels with credit loops then\n"
	 "sound boolean there are pairs of hosts, the tables have a path for each, no credit loops, and the "
	 "fabric is complete, and nothing depends on chance\n"
	 "by_chance[] object? ports that OpenSM may leave without a route, as its heap addresses will have "
	 "it\n"
	 "by_chance[].name node its node\n"
	 "by_chance[].port portnum its number\n"
	 "complete boolean the whole fabric is known\n"
	 "manager_fault string? of a live fabric: why no subnet manager, or more than one, looks after it\n"
	 "missing string what is missing, counted by kind\n"
	 "engine engine engine in force\n"
	 "asked string engines asked for\n"
	 "fallback boolean none of the engines asked for routed it\n" JSON_REFUSALS
	 "notes string lines that the engine noted\n" JSON_WARNINGS
	 "unreachable integer =pairs without a path\n"
	 "check object counts\n"
	 "check.pairs integer =pairs\n"
	 "check.unreachable integer =pairs without a path\n"
	 "check.looping integer =pairs that loop\n"
	 "check.no_common_pkey integer? =pairs kept apart\n"
	 "check.both_limited integer? of these: pairs that share one, but both ports are limited members\n"
	 "partitions boolean P_Keys were read, or a partition_config_file, and tell which hosts may talk\n"
	 "pkeys_untold object? the first port up that told no P_Keys, where others did: then none counts\n"
	 "pkeys_untold.name node its node\n"
	 "pkeys_untold.port portnum its number\n"
	 "pkeys_untold.ports integer such ports\n"
	 "check.switch_unreachable integer =ways to switches\n"
	 "check.no_lid integer endports without a LID\n"
	 "check.max_links integer =longest path\n" JSON_CUT_OFF "cut_off integer? =pairs cut off\n"
	 "between_survivors integer? =pairs between survivors\n"
	 "adaptive boolean ways by adaptive-routing groups were judged as well\n"
	 "layers_in_force boolean false: layers are computed, but qos is off\n"
	 "turns object? turns from down to up, where the engine has directions\n"
	 "turns.turns integer turns\n"
	 "turns.paths integer paths between hosts with such a turn\n"
	 "turns.switch_paths integer paths to switches with such a turn\n"
	 "loop_turns integer? of the first credit loop\n" JSON_LOOPS FAULT_KEYS("faults") JSON_CAUSES
	 "tables_complete boolean false: of tables that were read, switches have none, or most of their "
	 "GUIDs are not in the fabric\n"
	 "present object what is there: a later check --baseline tells what is gone of it\n"
	 "present.hosts[] object? hosts and routers with a cable that is up\n"
	 "present.hosts[].name node the node\n"
	 "present.switches[] object? such switches\n"
	 "present.switches[].name node the switch\n"
	 "present.cables[] string? cables that are up: GUID[PORT] GUID[PORT] RATE, the rate where it is "
	 "known\n"
	 "nagios integer(0..3)? with format nagios: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN\n"
	 "baseline object? with --baseline: the comparison\n"
	 "baseline.file string the file\n"
	 "baseline.new integer faults that the file does not have\n"
	 "baseline.gone integer faults that only the file has\n"
	 "baseline.known integer faults that the file has, too\n" FAULT_KEYS("baseline.new_faults")
		 FAULT_KEYS("baseline.gone_faults"),
	 .rows = {cause_fields},
	 .run = cmd_check},
	{.name = NULL},
};
