/* `save-session` and `report`: write a session to files, for later and for others. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/formats/counters.h"
#include "core/formats/readers.h"
#include "core/session/commands/commands.h"
#include "core/session/replay.h"

/* --- save-session ------------------------------------------------------------------------------------ */

/* The absolute form of `path`, so that the script finds it from anywhere. */
static char *replay_command_beside(const char *path, const char *ending)
{
	AUTO_FREE char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
	return folder ? str_printf("%s/%s%s", folder, path, ending) : str_printf("%s%s", path, ending);
}

/* What has a file of its own beside the script, which is the last. */
enum { FABRIC, NAMES, COUNTED, BEFORE, SCRIPT, N_FILES };
static_assert(N_FILES <= TARGETS, "they are closed together");

static int write_beside(const struct session *s, const char *path, unsigned which, struct target *to,
			struct out *o, struct err *e)
{
	if (which == COUNTED || which == BEFORE)
		counters_write(s->counted[which - COUNTED], to->f);
	if (which == FABRIC) {
		mark_target(to, s, NULL);
		if (write_ibnetdiscover(to->f, s->loaded, NULL, NULL, o->run->progress))
			return progress_cancelled(o->run->progress)
				       ? err_set(e, CANCELLED)
				       : err_set(e, "%s: cannot be written", path);
	}
	for (size_t i = 0; which == NAMES && i < s->names->n; i++)
		fprintf(to->f, "0x%016" PRIx64 " \"%s\"\n", s->names->guid[i], s->names->name[i]);
	return 0;
}

/* Writes all of the session's files, or none. */
static int write_session(const struct session *s, const struct replay *r, char *const path[SCRIPT],
			 const char *script, struct out *o, struct err *e)
{
	const struct counter_reading *now = s->counted[0], *before = s->counted[1];
	const bool wanted[N_FILES] = {r->needs_fabric, r->needs_names,
				      r->needs_counted && now && !now->source,
				      r->needs_counted && before && !before->source, true};
	struct target to[N_FILES];
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_LEN(to); i++) {
		if (!wanted[i])
			continue;
		rc = open_target(&to[n], i < SCRIPT ? path[i] : script, o, e);
		if (rc)
			break;
		n++;
		if (i < SCRIPT) {
			rc = write_beside(s, path[i], i, &to[n - 1], o, e);
		} else {
			mark_target(&to[n - 1], s, NULL);
			fprintf(to[n - 1].f, "# A session of ibscope: `source` runs it.\n%s",
				text_str(&r->script));
		}
	}
	return close_targets(to, n, rc, o, e);
}

static int cmd_save_session(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool screen = !strcmp(args->arg[0].word, "-");
	static const char *const ending[SCRIPT] = {".ibnet", ".names", ".counters", ".counters-before"};
	char *path[SCRIPT] = {NULL};
	struct replay r;

	for (unsigned i = 0; i < SCRIPT && !screen; i++)
		path[i] = replay_command_beside(args->arg[0].word, ending[i]);
	replay_make(&r, s, path[FABRIC], path[NAMES], screen ? NULL : path + COUNTED);
	int rc = write_session(s, &r, path, args->arg[0].word, o, e);
	if (!rc && r.lost.len && !screen)
		out_text(o, "Not in it:\n%s", text_str(&r.lost));
	if (!rc && !screen)
		s->saved = s->generation;
	out_json(o, "lost", json_text(text_str(&r.lost)));
	replay_free(&r);
	for (unsigned i = 0; i < SCRIPT; i++)
		free(path[i]);
	return rc;
}

/* --- report ------------------------------------------------------------------------------------------- */

void report_settings(struct document *d, const struct session *s, const struct sweep *w)
{
	const struct options *o = s->setup->options;

	doc_heading(d, 2, "Engine and options");
	doc_item(d, "asked for", s->setup->chain ? s->setup->chain : "nothing is routed");
	if (w && w->routing)
		doc_item(d, "routed", w->routing->engine);
	for (size_t i = 0; w && i < w->n_refusals; i++) {
		AUTO_FREE char *what = str_printf("%s refuses", w->refusal[i].engine);

		doc_item(d, what, w->refusal[i].why);
	}
	if (w && w->fatal) {
		AUTO_FREE char *what = str_printf("OpenSM 3.3.23 %s here", w->fatal);

		doc_item(d, NULL, what);
	}
	for (size_t i = 0; i < options_count(o); i++)
		if (options_is_set(o, options_at(o, i)->name))
			doc_item(d, options_at(o, i)->name, options_get(o, options_at(o, i)->name));
	if (session_scope(s))
		doc_item(d, "scope", session_scope(s)->words);
}

static void put_failed(struct document *d, const struct session *s)
{
	const struct fabric *fb = s->fabric;
	const struct state *st = session_state(s);
	uint32_t n = 0;

	doc_heading(d, 2, "What failed");
	for (uint32_t i = 0; i < fb->n_nodes; i++) {
		if (!st->node_down[i])
			continue;
		doc_item(d, node_is_switch(fb, i) ? "switch" : "host", fb->node_name[i]);
		n++;
	}
	for (uint32_t l = 0; l < fb->n_links; l++) {
		if (!st->link_down[l])
			continue;
		AUTO_FREE char *link = str_printf("%s to %s", PORT_LABEL(fb, fb->link_port[2 * l]),
						  PORT_LABEL(fb, fb->link_port[2 * l + 1]));
		doc_item(d, "link", link);
		n++;
	}
	if (!n)
		doc_line(d, false, "Nothing.");
}

static void put_journal(struct document *d, const struct session *s)
{
	doc_heading(d, 2, "What was done, and what it changed");
	putc('\n', d->f);
	for (size_t i = 0; i <= s->at; i++) {
		const struct event *ev = &s->event[i];

		fprintf(d->f, "%zu. ", i + 1);
		doc_text(d, ev->text);
		if (ev->change && ev->kind != EVENT_SCOPE) {
			fputs(": ", d->f);
			fprintf(d->f,
				"%" PRIu64 " entries on %u switches changed (%" PRIu64 " new, %" PRIu64
				" gone); of %" PRIu64 " pairs %" PRIu64 " take another path, "
				"%" PRIu64 " lost, %" PRIu64 " regained; longest path %u links, was %u",
				ev->change->entries_changed, ev->change->switches_changed,
				ev->change->entries_gained, ev->change->entries_lost, ev->change->pairs,
				ev->change->rerouted, ev->change->lost, ev->change->regained,
				ev->change->max_hops_after, ev->change->max_hops_before);
		}
		putc('\n', d->f);
	}
}

static int put_check(struct document *d, const struct sweep *w, struct out *o, struct err *e)
{
	struct check_result c;

	if (check_routing(w->routing, &c, o->run->progress))
		return err_set(e, CANCELLED);
	AUTO_ARENA struct cdg *x = cdg_new_loops(w->routing, o->run->progress, e);
	if (!x)
		return -1;
	doc_heading(d, 2, "Check");
	doc_count(d, "paths between hosts", c.pairs);
	doc_count(d, "unreachable", c.unreachable);
	doc_count(d, "of these in forwarding loops", c.looping);
	doc_count(d, "longest path, links", c.max_hops);
	doc_count(d, "ports without LID", c.no_lid);
	doc_count(d, "ports cut off from the subnet manager", count_cut_off(w, NULL));
	doc_count(d, "groups of channels with credit loops", x->n_components);
	out_json(o, "unreachable", json_integer((json_int_t)c.unreachable));
	out_json(o, "credit_loop_groups", json_integer(x->n_components));
	return 0;
}

static int put_load(struct document *d, const struct sweep *w, struct out *o, struct err *e)
{
	AUTO_ARENA struct loads *l = loads_new(w->routing, &pattern_all, o->run->progress);
	AUTO_TEXT struct text most = {0};
	char mean[40];

	if (!l)
		return err_set(e, CANCELLED);
	doc_heading(d, 2, "Load, all hosts to all");
	doc_count(d, "routes", l->routes);
	doc_count(d, "links between switches, a direction each", l->n_links);
	text_add(&most, "%u", l->max);
	if (l->max_port != NO_ID)
		text_add(&most, ", at %s", PORT_LABEL(w->fabric, l->max_port));
	snprintf(mean, sizeof(mean), "%.2f", l->mean);
	doc_item(d, "most routes on a link", text_str(&most));
	doc_item(d, "mean", mean);
	doc_count(d, "least", l->min);
	out_json(o, "max_load", json_integer(l->max));
	return 0;
}

void report_script(struct document *d, const struct replay *r)
{
	doc_heading(d, 2, "To do it again");
	doc_lines(d, text_str(&r->script));
	if (!r->lost.len)
		return;
	doc_line(d, false, "Not in it:");
	doc_line(d, false, text_str(&r->lost));
}

void report_source(struct document *d, const struct session *s)
{
	const struct fabric *fb = s->fabric;
	AUTO_TEXT struct text missing = {0};
	uint32_t hosts = 0;

	for (uint32_t n = 0; n < fb->n_nodes; n++)
		hosts += fb->node_type[n] == NODE_CA && !node_is_aggregation(fb, n);
	doc_heading(d, 2, "Fabric");
	doc_item(d, "source", fb->source);
	doc_item(d, "format", fb->format);
	doc_count(d, "switches", fb->n_switches);
	doc_count(d, "hosts", hosts);
	doc_count(d, "links", fb->n_links);
	if (fb->warnings.n)
		doc_count(d, "oddities of the source (`show warnings`)", fb->warnings.n);
	if (fb->warnings.missing) {
		text_add(&missing, "a part of the fabric is not in its source: ");
		warnings_tell_missing(&fb->warnings, &missing);
		doc_item(d, d->html ? "<strong>incomplete</strong>" : "**incomplete**", text_str(&missing));
	}
}

static void put_drawings(struct document *d, const struct session *s)
{
	bool any = false;

	/* Drawings that were written up to the present event. */
	for (size_t i = 0; i < s->n_drawings; i++) {
		const struct drawing_note *n = &s->drawing[i];

		if (n->at > s->at) /* its event was undone */
			continue;
		fputs(any ? "- " : "\n## Drawings\n\n- ", d->f);
		any = true;
		doc_text(d, n->path);
		fputs(": ", d->f);
		doc_text(d, n->what);
		fprintf(d->f, ", after step %zu\n", n->at + 1);
	}
}

static int put_report(const struct session *s, const struct replay *r, FILE *f, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct document d = {.f = f};
	AUTO_FREE char *title = str_printf("Fabric %s", s->fabric->source);

	doc_begin(&d, title);
	report_source(&d, s);
	report_settings(&d, s, w);
	put_failed(&d, s);
	put_journal(&d, s);
	put_drawings(&d, s);
	if (w && w->routing && (put_check(&d, w, o, e) || put_load(&d, w, o, e)))
		return -1;
	report_script(&d, r);
	return 0;
}

static int cmd_report(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args_word(args, "change FILE", args->arg[0].word);
	struct target to;
	struct replay r;

	if (open_target(&to, path, o, e))
		return -1;
	warnings_copy(&to.missing, &s->fabric->warnings); /* report_source() lists them */
	replay_make(&r, s, NULL, NULL, NULL);
	int rc = args_has(args, "change") ? report_change(s, args, &to, &r, o, e)
					  : put_report(s, &r, to.f, o, e);
	replay_free(&r);
	return close_target(&to, rc, o, e);
}

const struct command replay_commands[] = {
	{.name = "save-session",
	 .group = FILES,
	 .syntax = "save-session FILE",
	 .help = "save the session as commands: fabric, options, events, snapshots; `source FILE` runs them "
		 "again",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CONTENT "lost string lines: what the file lacks\n",
	 .run = cmd_save_session},
	{.name = "report",
	 .group = FILES,
	 .syntax = "report FILE | report change FILE [jobs FILE] [html]",
	 .help = "write a report in Markdown for a ticket: fabric, engine, options, failures, changes, "
		 "drawings, check, load; or what a change does",
	 .finds = "of `report change`: the change is not safe",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CONTENT JSON_SOME_JUDGED
	 "unreachable integer? =pairs without a path\n"
	 "credit_loop_groups integer? =groups of credit loops\n"
	 "max_load integer? most routes on a link, all hosts to all\n"
	 "verdict string? of `report change`: its first line\n"
	 "states[] object? of it: before, and after each step\n"
	 "states[].state string before, or which step\n"
	 "states[].judged string(held/computed) as above, of its tables\n"
	 "states[].event string what was done\n"
	 "states[].number integer(1..) of that event in the journal\n"
	 "states[].routed boolean there are tables; else the figures are 0\n"
	 "states[].sound boolean as check judges\n"
	 "states[].pairs integer =pairs\n"
	 "states[].unreachable integer =pairs without a path\n"
	 "states[].cut_off integer endports cut off from the subnet manager\n"
	 "states[].max_links integer =longest path\n"
	 "states[].max_load integer most routes on a link, all hosts to all\n"
	 "states[].credit_loops integer =groups of credit loops\n"
	 "states[].bisection share|null as of `load-map ebb`; null: fewer than two hosts\n"
	 "states[].outage integer|null pairs that the step cuts until the next sweep; "
	 "null: no tables before\n",
	 .run = cmd_report},
	{.name = NULL},
};
