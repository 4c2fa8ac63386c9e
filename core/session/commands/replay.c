/* `save-session` and `report`: write a session to files, for later and for others. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/formats/formats.h"
#include "core/session/commands/commands.h"
#include "core/session/replay.h"

/* --- save-session ------------------------------------------------------------------------------------ */

/* The absolute form of `path`, so that the script finds it from anywhere. */
static char *beside(const char *path, const char *ending)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
	char *name = str_printf("%s%s%s%s", folder ? folder : "", folder ? "/" : "", path, ending);

	free(folder);
	return name;
}

/* Writes one of a session's files: the fabric as it was loaded, or else the names. */
static int write_beside(const struct session *s, const char *path, bool fabric, struct target *to,
			struct out *o, struct err *e)
{
	if (fabric) {
		mark_target(to, s, NULL);
		if (write_ibnetdiscover(to->f, s->loaded, NULL, NULL, o->run->progress))
			return progress_cancelled(o->run->progress)
				       ? err_set(e, CANCELLED)
				       : err_set(e, "%s: cannot be written", path);
	}
	for (size_t i = 0; !fabric && i < s->names->n; i++)
		fprintf(to->f, "0x%016" PRIx64 " \"%s\"\n", s->names->guid[i], s->names->name[i]);
	return 0;
}

/* Writes all of the session's files, or none. */
static int write_session(const struct session *s, const struct replay *r, const char *const path[3],
			 struct out *o, struct err *e)
{
	const bool wanted[] = {r->needs_fabric, r->needs_names, true};
	struct target to[3];
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_LEN(to); i++) {
		if (!wanted[i])
			continue;
		rc = open_target(&to[n], path[i], o, e);
		if (rc)
			break;
		n++;
		if (i < 2) {
			rc = write_beside(s, path[i], i == 0, &to[n - 1], o, e);
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
	char *fabric = screen ? NULL : beside(args->arg[0].word, ".ibnet"),
	     *names = screen ? NULL : beside(args->arg[0].word, ".names");
	struct replay r;
	int rc;

	replay_make(&r, s, fabric, names);
	rc = write_session(s, &r, (const char *const[]){fabric, names, args->arg[0].word}, o, e);
	if (!rc && r.lost.len && !screen)
		out_text(o, "Not in it:\n%s", text_str(&r.lost));
	if (!rc && !screen)
		s->saved = s->generation;
	out_json(o, "lost", json_text(text_str(&r.lost)));
	replay_free(&r);
	free(fabric);
	free(names);
	return rc;
}

/* --- report ------------------------------------------------------------------------------------------- */

/* Text escaped for Markdown, so that it is shown unchanged: names come from outside. */
static void put_text(FILE *f, const char *s)
{
	struct text t = {0};

	for (const char *c = clean_string(s, &t); *c; c++) {
		if (strchr("\\`*_{}[]<>#|~&", *c))
			putc('\\', f);
		putc(*c == '\n' ? ' ' : *c, f);
	}
	text_free(&t);
}

static void put_item(FILE *f, const char *what, const char *value)
{
	fprintf(f, "- %s: ", what);
	put_text(f, value);
	putc('\n', f);
}

static void put_count(FILE *f, const char *what, uint64_t n)
{
	fprintf(f, "- %s: %" PRIu64 "\n", what, n);
}

static void put_engine(FILE *f, const struct session *s, const struct sweep *w)
{
	const struct options *o = s->setup->options;

	fputs("\n## Engine and options\n\n", f);
	put_item(f, "asked for", s->setup->chain ? s->setup->chain : "nothing is routed");
	if (w && w->routing)
		put_item(f, "routed", w->routing->engine);
	for (size_t i = 0; w && i < w->n_refusals; i++) {
		fprintf(f, "- %s refuses: ", w->refusal[i].engine);
		put_text(f, w->refusal[i].why);
		putc('\n', f);
	}
	if (w && w->fatal)
		fprintf(f, "- **OpenSM 3.3.23 %s here**\n", w->fatal);
	for (size_t i = 0; i < options_count(o); i++)
		if (options_is_set(o, options_at(o, i)->name))
			put_item(f, options_at(o, i)->name, options_get(o, options_at(o, i)->name));
	if (session_scope(s))
		put_item(f, "scope", session_scope(s)->words);
}

static void put_failed(FILE *f, const struct session *s)
{
	const struct fabric *fb = s->fabric;
	const struct state *st = session_state(s);
	uint32_t n = 0;

	fputs("\n## What failed\n\n", f);
	for (uint32_t i = 0; i < fb->n_nodes; i++) {
		if (!st->node_down[i])
			continue;
		put_item(f, node_is_switch(fb, i) ? "switch" : "host", fb->node_name[i]);
		n++;
	}
	for (uint32_t l = 0; l < fb->n_links; l++) {
		if (!st->link_down[l])
			continue;
		fputs("- link: ", f);
		put_text(f, PORT_LABEL(fb, fb->link_port[2 * l]));
		fputs(" to ", f);
		put_text(f, PORT_LABEL(fb, fb->link_port[2 * l + 1]));
		putc('\n', f);
		n++;
	}
	if (!n)
		fputs("Nothing.\n", f);
}

static void put_journal(FILE *f, const struct session *s)
{
	fputs("\n## What was done, and what it changed\n\n", f);
	for (size_t i = 0; i <= s->at; i++) {
		const struct event *ev = &s->event[i];

		fprintf(f, "%zu. ", i + 1);
		put_text(f, ev->text);
		if (ev->change && ev->kind != EVENT_SCOPE) {
			fputs(": ", f);
			fprintf(f,
				"%" PRIu64 " entries on %u switches changed (%" PRIu64 " new, %" PRIu64
				" gone); of %" PRIu64 " pairs %" PRIu64 " take another "
				"path, "
				"%" PRIu64 " lost, %" PRIu64 " regained; longest path %u links, was %u",
				ev->change->entries_changed, ev->change->switches_changed,
				ev->change->entries_gained, ev->change->entries_lost, ev->change->pairs,
				ev->change->rerouted, ev->change->lost, ev->change->regained,
				ev->change->max_hops_after, ev->change->max_hops_before);
		}
		putc('\n', f);
	}
}

static int put_check(FILE *f, const struct sweep *w, struct out *o, struct err *e)
{
	struct check_result c;
	struct cdg *d;

	if (check_routing(w->routing, &c, o->run->progress))
		return err_set(e, CANCELLED);
	d = cdg_new(w->routing, CDG_ALL_VLS, false, o->run->progress, e);
	if (!d)
		return -1;
	fputs("\n## Check\n\n", f);
	put_count(f, "paths between hosts", c.pairs);
	put_count(f, "unreachable", c.unreachable);
	put_count(f, "of these in forwarding loops", c.looping);
	put_count(f, "longest path, links", c.max_hops);
	put_count(f, "ports without LID", c.no_lid);
	put_count(f, "ports cut off from the subnet manager", count_cut_off(w, NULL));
	put_count(f, "groups of channels with credit loops", d->n_components);
	out_json(o, "unreachable", json_integer((json_int_t)c.unreachable));
	out_json(o, "credit_loop_groups", json_integer(d->n_components));
	cdg_free(d);
	return 0;
}

static int put_load(FILE *f, const struct sweep *w, struct out *o, struct err *e)
{
	struct loads *l = loads_new(w->routing, &pattern_all, o->run->progress);

	if (!l)
		return err_set(e, CANCELLED);
	fputs("\n## Load, all hosts to all\n\n", f);
	put_count(f, "routes", l->routes);
	put_count(f, "links between switches, a direction each", l->n_links);
	fprintf(f, "- most routes on a link: %u", l->max);
	if (l->max_port != NO_ID) {
		fputs(", at ", f);
		put_text(f, PORT_LABEL(w->fabric, l->max_port));
	}
	fprintf(f, "\n- mean: %.2f\n- least: %u\n", l->mean, l->min);
	out_json(o, "max_load", json_integer(l->max));
	loads_free(l);
	return 0;
}

/* The fence is longer than any in the text, so that no line ends it. */
static void put_script(FILE *f, const struct replay *r)
{
	struct text t = {0};

	fputs("\n## To do it again\n\n````\n", f);
	for (const char *s = clean_string(text_str(&r->script), &t), *end; *s; s = end) {
		end = s + strcspn(s, "\n");
		end += *end != '\0';
		fprintf(f, "%s%.*s", strncmp(s, "````", 4) ? "" : " ", (int)(end - s), s);
	}
	fputs("````\n", f);
	if (r->lost.len) {
		fputs("\nNot in it:\n\n", f);
		put_text(f, text_str(&r->lost));
		putc('\n', f);
	}
	text_free(&t);
}

static int put_report(const struct session *s, const struct replay *r, FILE *f, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	bool any = false;
	const struct fabric *fb = s->fabric;
	struct text missing = {0};
	uint32_t hosts = 0;

	fputs("# Fabric ", f);
	put_text(f, s->fabric->source);
	fputs("\n\n", f);
	for (uint32_t n = 0; n < fb->n_nodes; n++)
		hosts += fb->node_type[n] == NODE_CA && !node_is_aggregation(fb, n);
	fputs("## Fabric\n\n", f);
	put_item(f, "source", fb->source);
	put_item(f, "format", fb->format);
	put_count(f, "switches", fb->n_switches);
	put_count(f, "hosts", hosts);
	put_count(f, "links", fb->n_links);
	if (fb->warnings.n)
		put_count(f, "oddities of the source (`show warnings`)", fb->warnings.n);
	if (fb->warnings.missing) {
		warnings_tell_missing(&fb->warnings, &missing);
		fprintf(f, "- **incomplete**: a part of the fabric is not in its source: %s\n",
			text_str(&missing));
		text_free(&missing);
	}
	put_engine(f, s, w);
	put_failed(f, s);
	put_journal(f, s);
	/* Drawings that were written up to the present event. */
	for (size_t i = 0; i < s->n_drawings; i++) {
		const struct drawing_note *d = &s->drawing[i];

		if (d->at > s->at) /* its event was undone */
			continue;
		fputs(any ? "- " : "\n## Drawings\n\n- ", f);
		any = true;
		put_text(f, d->path);
		fputs(": ", f);
		put_text(f, d->what);
		fprintf(f, ", after step %zu\n", d->at + 1);
	}
	if (w && w->routing && (put_check(f, w, o, e) || put_load(f, w, o, e)))
		return -1;
	put_script(f, r);
	return 0;
}

static int cmd_report(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct target to;
	struct replay r;
	int rc;

	if (open_target(&to, args->arg[0].word, o, e))
		return -1;
	warnings_copy(&to.missing, &s->fabric->warnings); /* put_fabric() tells them */
	replay_make(&r, s, NULL, NULL);
	rc = put_report(s, &r, to.f, o, e);
	replay_free(&r);
	return close_target(&to, rc, o, e);
}

const struct command replay_commands[] = {
	{.name = "save-session",
	 .syntax = "save-session FILE",
	 .help = "save the session as commands: fabric, options, events, snapshots; `source FILE` runs them "
		 "again",
	 .details = "  Paths are absolute.  A fabric that no file holds (live, standard input) goes to "
		    "FILE.ibnet, names of `names` go to\n"
		    "  FILE.names.  save-session lists what it cannot save: tables read live, and snapshots "
		    "of other fabrics.  It\n"
		    "  takes snapshots again at their events.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CONTENT "lost string lines: what the file lacks\n",
	 .run = cmd_save_session},
	{.name = "report",
	 .syntax = "report FILE",
	 .help = "write a report in Markdown for a ticket: fabric, engine, options, failures, changes, "
		 "drawings, check, load",
	 .details = "  It ends with the commands that do it all again (as of `save-session`).\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CONTENT "unreachable integer? =pairs without a path\n"
			      "credit_loop_groups integer? =groups of credit loops\n"
			      "max_load integer? most routes on a link, all hosts to all\n",
	 .run = cmd_report},
	{.name = NULL},
};
