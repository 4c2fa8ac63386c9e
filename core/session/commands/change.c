/* Commands that route, fail, restore and walk through the changes. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/outage.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/session/commands/commands.h"
#include "core/sm/guid_names.h"
#include "core/sm/script.h"

int run_change(struct session *s, const struct change_request *rq, struct out *o, struct err *e)
{
	if (session_change(s, rq, e))
		return -1;
	report_event(s, o);
	return 0;
}

/* --- route ---------------------------------------------------------------------------- */

int run_engines(struct session *s, const struct engines_start *x, struct out *o, struct err *e)
{
	const char *chain = x->chain;
	AUTO_TEXT struct text text = {0};
	struct change_request rq = {.kind = EVENT_ROUTE, .progress = o->run->progress};
	int rc = 0;

	assert(x->first <= x->args->n);
	if (chain && engine_chain_known(s->engines, chain, e))
		return -1;
	AUTO_OPTIONS struct options *opts = options_copy(s->setup->options);
	text_add(&text, chain ? "%s %s" : "%s", x->verb, chain);
	for (int i = x->first; !rc && i < x->args->n; i++) {
		const char *word = x->args->arg[i].word;

		rc = options_assign(opts, s->fabric, word, e);
		AUTO_FREE char *name = str_printf("%.*s", (int)strcspn(word, "="), word);
		/* NAME=VALUE may hold names instead of a file. */
		report_named(opts, name, o);
		word_append(&text, word);
	}
	rq.setup = (struct setup){.chain = chain, .options = opts};
	rq.text = text_str(&text);
	if (!rc)
		rc = session_change(s, &rq, e);
	if (!rc) {
		report_event(s, o);
		o->run->unanswered |= !session_routing(s) && s->fabric; /* no_fallback: all refused */
	}
	return rc;
}

/* `route script:PROGRAM [ARG]...` (core/sm/script.h). */
static int route_script(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *program = args->argv[1] + strlen(SCRIPT_PREFIX);
	AUTO_TEXT struct text words = {0}, text = {0};
	struct change_request rq = {.kind = EVENT_ROUTE, .progress = o->run->progress};

	if (s->in_lesson)
		return err_set_kind(e, ERR_NOT_ALLOWED,
				    "a lesson runs no program; `route " SCRIPT_PREFIX "%s` must be typed",
				    program);
	if (!*program)
		return err_set_kind(e, ERR_SYNTAX,
				    "found no program behind " SCRIPT_PREFIX
				    ", expected a path with a `/`, or a name in PATH");
	text_add(&text, "route");
	for (int i = 1; i < args->argc; i++) {
		word_append(&text, args->argv[i]);
		word_append(&words, i > 1 ? args->argv[i] : program);
	}
	rq.setup = (struct setup){.chain = SCRIPT_ENGINE, .program = text_str(&words)};
	rq.text = text_str(&text);
	return run_change(s, &rq, o, e);
}

static int cmd_route(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	if (!strncmp(args->argv[1], SCRIPT_PREFIX, strlen(SCRIPT_PREFIX)))
		return route_script(s, args, o, e);
	struct engines_start x = {.verb = "route", .chain = args->arg[0].word, .args = args, .first = 1};

	return run_engines(s, &x, o, e);
}

static int resweep(struct session *s, bool reroute, struct out *o, struct err *e)
{
	struct change_request rq = {
		.kind = EVENT_SWEEP,
		.reroute = reroute,
		.text = reroute ? "reroute" : "sweep",
		.progress = o->run->progress,
	};
	const struct event *at = session_event(s);

	if (at && !at->setup->chain)
		return err_set_kind(e, ERR_NO_ENGINE,
				    "nothing is routed yet; `route ENGINE` does it, `tables FILE` takes what "
				    "switches hold");
	return run_change(s, &rq, o, e);
}

static int cmd_sweep(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	return resweep(s, false, o, e);
}

static int cmd_reroute(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	return resweep(s, true, o, e);
}

/* --- fail and restore ------------------------------------------------------------------- */

struct change_command_edit {
	struct session *s;
	struct state *state;
	bool down; /* fail or restore */
	struct out *o;
	unsigned links, nodes; /* changed */
	unsigned again;	       /* links named once more, by their other end */
	struct text text;      /* of the event */
};

/* Something that is already in the wanted state is an error, except within a list of many. */
static int edit_link(struct change_command_edit *d, uint32_t port, bool many, struct err *e)
{
	assert(port < d->s->fabric->n_ports);

	const struct fabric *f = d->s->fabric;
	uint32_t link = f->port_link[port];
	char a[300];

	port_label(f, port, a, sizeof(a));
	if (link == NO_ID)
		return many ? 0 : err_set(e, "%s has no cable", a);
	if (d->state->link_down[link] == d->down && many)
		return 0;
	/* both ends of one cable are one link */
	if (d->state->link_down[link] == d->down && session_state(d->s)->link_down[link] != d->down) {
		d->again++;
		return 0;
	}
	if (d->state->link_down[link] == d->down)
		return err_set(
			e, d->down ? "the link of %s is down already" : "the link of %s did not fail%s", a,
			!d->down && !state_link_up(f, d->state, link) ? "; the node at one end did" : "");
	d->state->link_down[link] = d->down;
	d->links++;
	return 0;
}

static int edit_node(struct change_command_edit *d, uint32_t n, bool want_switch, bool many, struct err *e)
{
	assert(n < d->s->fabric->n_nodes);

	const struct fabric *f = d->s->fabric;

	if (node_is_switch(f, n) != want_switch)
		return err_set(e, "%s is %s", f->node_name[n],
			       want_switch ? "no switch; `host` names hosts"
					   : "a switch; `switch` names switches");
	if (d->state->node_down[n] == d->down && many)
		return 0;
	if (d->state->node_down[n] == d->down)
		return err_set(e, d->down ? "%s is down already" : "%s did not fail", f->node_name[n]);
	d->state->node_down[n] = d->down;
	d->nodes++;
	return 0;
}

/* Change everything that a word means. kind: 'l'ink, 's'witch or 'h'ost. */
static int edit_word(struct change_command_edit *d, const char *word, char kind, struct err *e)
{
	const struct fabric *f = d->s->fabric;
	unsigned before = d->links + d->nodes + d->again;
	struct id_list l;
	char a[300];
	int rc = kind == 'l' ? session_ports(d->s, word, d->o->run->progress, &l, e)
			     : session_nodes(d->s, word, kind == 's' ? NAMES_SWITCHES : NAMES_HOSTS,
					     d->o->run->progress, &l, e);

	for (uint32_t i = 0; !rc && i < l.n; i++)
		rc = kind == 'l' ? edit_link(d, l.id[i], l.many, e)
				 : edit_node(d, l.id[i], kind == 's', l.many, e);
	if (!rc && d->links + d->nodes + d->again == before)
		rc = err_set(e, "all that \"%s\" stands for %s", word, d->down ? "is down already" : "is up");
	if (!rc)
		report_absent(&l, word, d->o);
	if (!rc)
		word_append(&d->text, l.many	    ? word
				      : kind == 'l' ? port_plain(f, l.id[0], a, sizeof(a))
						    : f->node_name[l.id[0]]);
	id_list_free(&l);
	return rc;
}

/* The chassis or card that a word names, or the one of a named switch; NO_ID and *e. */
static uint32_t find_part(const struct session *s, const struct parts *p, const char *word, struct err *e)
{
	uint32_t part = parts_find(p, word, e), node;

	if (part != NO_ID)
		return part;
	node = session_node(s, word, NULL);
	for (uint32_t i = 0; node != NO_ID && i < p->n; i++)
		for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++)
			if (p->id[k] == node)
				return i;
	return NO_ID;
}

/* All switches of a chassis or card that are not yet in the wanted state. */
static int edit_part(struct change_command_edit *d, const struct parts *p, const char *word, struct err *e)
{
	uint32_t part = find_part(d->s, p, word, e);
	unsigned before = d->nodes;

	if (part == NO_ID)
		return -1;
	for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++) {
		d->nodes += d->state->node_down[p->id[i]] != d->down;
		d->state->node_down[p->id[i]] = d->down;
	}
	if (d->nodes == before)
		return err_set(e, d->down ? "all of %s is down already" : "no switch of %s did fail",
			       p->name[part]);
	word_append(&d->text, p->name[part]);
	return 0;
}

static int edit_parts(struct change_command_edit *d, enum part_kind kind, const struct args *args, int first,
		      struct err *e)
{
	AUTO_TEXT struct text notes = {0};
	struct elements *el = setup_elements(d->s->setup, d->o->run->progress, &notes, e);
	int rc = 0;

	if (!el)
		return -1;
	struct parts *p = parts_new(d->s->fabric, kind, el);
	elements_unref(el);
	for (int i = first; !rc && i < args->n; i++)
		rc = edit_part(d, p, args->arg[i].word, e);
	parts_free(p);
	return rc;
}

/* N random links between switches; all of them are up. */
static int fail_random(struct change_command_edit *d, const struct args *args, struct err *e)
{
	const struct fabric *f = d->s->fabric;
	uint64_t seed = args_number(args, "seed=K", 1), want;
	uint32_t n = 0;

	if (!number_of(args_word(args, "N", ""), 1, f->n_links, &want))
		return err_set_kind(
			e, number_beyond(args_word(args, "N", ""), f->n_links) ? ERR_FAILED : ERR_SYNTAX,
			"found \"%s\", expected a number of links from 1 to %u", args_word(args, "N", ""),
			f->n_links);
	AUTO_FREE uint32_t *up = NEW_ARRAY(f->n_links, uint32_t);
	for (uint32_t l = 0; l < f->n_links; l++)
		if (state_link_up(f, d->state, l) && node_is_switch(f, f->port_node[f->link_port[2 * l]]) &&
		    node_is_switch(f, f->port_node[f->link_port[2 * l + 1]]))
			up[n++] = l;
	text_add(&d->text, " %" PRIu64 " seed=%" PRIu64, want, seed);
	if (want > n)
		return err_set(e, "found %s up between switches, expected at least the %" PRIu64 " to fail",
			       PLURAL(n, "link"), want);
	for (uint32_t i = 0; i < want; i++) {
		uint32_t k = i + rng_below(&seed, n - i), l = up[k];

		up[k] = up[i];
		up[i] = l;
		d->state->link_down[l] = 1;
		d->links++;
	}
	return 0;
}

/* Apply the words behind `fail` or `restore` to the state. */
static int edit_state(struct change_command_edit *d, const struct args *args, struct err *e)
{
	bool named = args->arg[0].kind == KIND_TARGET; /* the name alone is given */
	const char *kind = named ? target_kind(d->s, args, d->o->run->progress, e) : args->arg[0].word;
	int rc = 0;

	if (!kind)
		return -1;
	text_add(&d->text, "%s %s", d->down ? "fail" : "restore", kind);
	if (d->down && !strcmp(kind, "random"))
		return fail_random(d, args, e);
	if (!strcmp(kind, "all")) {
		for (uint32_t l = 0; l < d->state->n_links; l++) {
			d->links += d->state->link_down[l];
			d->state->link_down[l] = 0;
		}
		for (uint32_t n = 0; n < d->state->n_nodes; n++) {
			d->nodes += d->state->node_down[n];
			d->state->node_down[n] = 0;
		}
		return 0;
	}
	if (!strcmp(kind, "chassis") || !strcmp(kind, "card"))
		return edit_parts(d, (enum part_kind)part_kind_of(kind), args, named ? 0 : 1, e);
	for (int i = named ? 0 : 1; !rc && i < args->n; i++)
		rc = edit_word(d, args->arg[i].word, *kind, e);
	return rc;
}

int fail_words(struct session *s, const struct args *args, struct state *state, struct out *o, struct err *e)
{
	assert(state->n_links == s->fabric->n_links && state->n_nodes == s->fabric->n_nodes);
	struct change_command_edit d = {.s = s, .state = state, .down = true, .o = o};
	int rc = edit_state(&d, args, e);

	text_free(&d.text);
	return rc;
}

static int edit_command(struct session *s, bool down, const struct args *args, struct out *o, struct err *e)
{
	struct change_command_edit d = {.s = s, .down = down, .o = o};
	struct change_request rq = {.kind = down ? EVENT_FAIL : EVENT_RESTORE, .progress = o->run->progress};
	const struct routing *r = session_routing(s);
	struct outage *x = NULL; /* made before the event: whoever cancels it has changed nothing */

	d.state = state_copy(session_state(s));
	int rc = edit_state(&d, args, e);
	if (!rc && !d.links && !d.nodes)
		rc = err_set(e, "nothing is down");
	if (!rc && down && r) {
		x = outage_new(r, d.state, local_repair_of(s->setup->options), o->run->progress, e);
		rc = x ? 0 : -1;
	}
	rq.setup.state = d.state;
	rq.text = text_str(&d.text);
	if (!rc)
		rc = session_change(s, &rq, e);
	state_free(d.state);
	if (!rc) {
		if (d.links)
			out_text(o, "%s %s. ", PLURAL(d.links, "link"), d.down ? "down" : "restored");
		if (d.nodes)
			out_text(o, "%s %s. ", PLURAL(d.nodes, "node"), d.down ? "down" : "restored");
		out_json(o, "links", json_integer(d.links));
		out_json(o, "nodes", json_integer(d.nodes));
		report_event(s, o);
		if (!session_sweep(s))
			out_text(o, "Nothing is routed yet.\n");
		if (x) {
			x->after = outage_after(session_event(s));
			report_outage(x, o);
		}
	}
	arena_free(x);
	text_free(&d.text);
	return rc;
}

static int cmd_fail(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	return edit_command(s, true, args, o, e);
}

static int cmd_restore(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	return edit_command(s, false, args, o, e);
}

/* Mark in flapped[n_links] the links of all ports that a word means. */
static int flap_word(const struct session *s, const char *word, uint8_t *flapped, struct text *text,
		     struct out *o, struct err *e)
{
	const struct fabric *f = s->fabric;
	struct id_list l;
	int rc = session_ports(s, word, o->run->progress, &l, e);
	char a[300];

	for (uint32_t i = 0; !rc && i < l.n; i++) {
		uint32_t link = f->port_link[l.id[i]];

		if (link != NO_ID)
			flapped[link] = 1;
		else if (!l.many)
			rc = err_set(e, "%s has no cable", word);
	}
	if (!rc)
		report_absent(&l, word, o);
	if (!rc)
		word_append(text, l.many ? word : port_plain(f, l.id[0], a, sizeof(a)));
	id_list_free(&l);
	return rc;
}

static int cmd_flap(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct change_request rq = {.kind = EVENT_SWEEP, .progress = o->run->progress};
	AUTO_TEXT struct text text = {0};
	int rc = 0;

	if (!need_routing(s, e))
		return -1;
	AUTO_FREE uint8_t *flapped = NEW_ARRAY(s->fabric->n_links, uint8_t);
	text_add(&text, "flap");
	for (int i = 0; !rc && i < args->n; i++)
		rc = flap_word(s, args->arg[i].word, flapped, &text, o, e);
	rq.flapped = flapped;
	rq.text = text_str(&text);
	return rc ? rc : run_change(s, &rq, o, e);
}

/* --- history --------------------------------------------------------------------------------- */

static int change_command_moved(struct session *s, int rc, struct out *o)
{
	if (rc)
		return -1;
	out_text(o, "Now at event %zu of %zu: %s\n", s->at, s->n_events - 1, session_event(s)->text);
	out_json(o, "event", json_integer((json_int_t)s->at));
	return 0;
}

static int cmd_undo(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;

	AUTO_FREE char *what = session_event(s) ? str_dup(session_event(s)->text) : NULL;
	int rc = session_undo(s, e);
	if (!rc)
		out_text(o, "Undone: %s. ", what);
	return change_command_moved(s, rc, o);
}

static int cmd_redo(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	return change_command_moved(s, session_redo(s, e), o);
}

static int cmd_journal(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	char at[OUT_UTC];

	if (args->n)
		return change_command_moved(s, session_goto(s, (size_t)args->arg[0].n, e), o);
	json_t *list = json_array();
	for (size_t i = 0; i < s->n_events; i++) {
		const struct event *ev = &s->event[i];
		const struct comparison *c = ev->kind == EVENT_SCOPE ? NULL : ev->change;
		AUTO_TEXT struct text t = {0};

		/* what it changed goes to a line of its own when the reader has no room beside */
		text_add(&t, "%c%3zu  %s", i == s->at ? '>' : ' ', i, ev->text);
		if (ev->kind != EVENT_SCOPE && ev->sweep && ev->sweep->routing)
			text_add(&t, "  [%s%s]", ev->sweep->routing->engine,
				 out_took(o, " ", ev->sweep->seconds, (char[OUT_TOOK]){0}));
		if (!o->run->no_timing)
			text_add(&t, "  %s", out_utc(ev->time, at));
		size_t event = t.len;
		if (c)
			text_add(&t,
				 "  %s on %s, %" PRIu64 " rerouted, %" PRIu64 " lost, %" PRIu64 " regained",
				 PLURAL(c->entries_changed, "entry"), PLURAL(c->switches_changed, "switch"),
				 c->rerouted, c->lost, c->regained);
		if (o->run->width && t.len > o->run->width && c)
			out_text(o, "%.*s\n    %s\n", (int)event, t.s, t.s + event);
		else
			out_text(o, "%s\n", text_str(&t));
		json_t *x = json_make("{s:i, s:s, s:b}", "event", (int)i, "text", ev->text, "current",
				      i == s->at);
		if (!o->run->no_timing)
			json_object_set_new(x, "time", json_text(out_utc(ev->time, at)));
		if (c)
			json_object_update_new(x,
					       json_make("{s:I, s:I, s:I, s:I}", "entries",
							 (json_int_t)c->entries_changed, "rerouted",
							 (json_int_t)c->rerouted, "lost", (json_int_t)c->lost,
							 "regained", (json_int_t)c->regained));
		json_array_append_new(list, x);
	}
	out_json(o, "events", list);
	return 0;
}

static int cmd_reset(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	if (session_reset(s, o->run->progress, e))
		return -1;
	out_text(o, "Everything is up again; the journal is empty.\n");
	report_event(s, o);
	return 0;
}

static int cmd_snapshot(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *name = args_word(args, "SNAPSHOT", NULL);
	struct snapshot *old = NULL;

	if (!name) {
		json_t *list = json_array();

		for (size_t i = 0; i < s->n_snapshots; i++) {
			const struct routing *r = s->snapshot[i].sweep->routing;

			out_text(o, "%-20s %s\n", s->snapshot[i].name, r ? r->engine : "-");
			json_array_append_new(list, json_make("{s:s, s:s*}", "name", s->snapshot[i].name,
							      "engine", r ? r->engine : NULL));
		}
		if (!s->n_snapshots)
			out_text(o, "no snapshots\n");
		out_json(o, "snapshots", list);
		return 0;
	}
	const struct sweep *w = need_routing(s, e);
	if (!w)
		return -1;
	for (size_t i = 0; i < s->n_snapshots; i++)
		if (!strcmp(s->snapshot[i].name, name))
			old = &s->snapshot[i];
	session_lock(s);
	if (old) {
		sweep_unref(old->sweep);
		old->sweep = sweep_ref(w);
	} else {
		GROW(s->snapshot, s->n_snapshots, s->cap_snapshots);
		s->snapshot[s->n_snapshots++] = (struct snapshot){str_dup(name), sweep_ref(w)};
	}
	session_unlock(s);
	out_text(o, "Routing kept as \"%s\"%s.\n", name, old ? " (in place of an older one)" : "");
	return 0;
}

const struct command change_commands[] = {
	{.name = "route",
	 .group = WHAT_IF,
	 .syntax = "route ENGINE[,ENGINE...] [OPTION=VALUE]... | script:PROGRAM [ARG]...",
	 .help = "compute the tables of OpenSM with this engine, as if OpenSM had just started",
	 .finds = "no engine is left: then it is 3",
	 .json = JSON_NAMED JSON_EVENT,
	 .run = cmd_route},
	{.name = "sweep",
	 .group = WHAT_IF,
	 .syntax = "sweep",
	 .help = "run a heavy sweep without a change: OpenSM reads its files again and keeps entries that "
		 "are right",
	 .json = JSON_EVENT,
	 .run = cmd_sweep},
	{.name = "reroute",
	 .group = WHAT_IF,
	 .syntax = "reroute",
	 .help = "run a heavy sweep that ignores existing entries",
	 .json = JSON_EVENT,
	 .run = cmd_reroute},
	{.name = "fail",
	 .group = WHAT_IF,
	 .syntax = "fail link NODE[PORT]... | switch S... | host H... | chassis CHASSIS... | card CARD... | "
		   "random N [seed=K] | TARGET...",
	 .help = "take something down, before one sweep; the engine in force reroutes",
	 .needs = NEEDS_FABRIC,
	 .json = "links integer links that went down\n"
		 "nodes integer nodes that went down\n" JSON_ABSENT JSON_EVENT JSON_OUTAGE("?"),
	 .run = cmd_fail},
	{.name = "restore",
	 .group = WHAT_IF,
	 .syntax = "restore link NODE[PORT]... | switch S... | host H... | chassis CHASSIS... | card CARD... "
		   "| all | TARGET...",
	 .help = "bring back what failed, before one sweep",
	 .needs = NEEDS_FABRIC,
	 .json = "links integer links that came back\n"
		 "nodes integer nodes that came back\n" JSON_ABSENT JSON_EVENT,
	 .run = cmd_restore},
	{.name = "flap",
	 .group = WHAT_IF,
	 .syntax = "flap NODE[PORT]...",
	 .help = "take links down and up again between two sweeps",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_ABSENT JSON_EVENT,
	 .run = cmd_flap},
	{.name = "undo",
	 .group = WHAT_IF,
	 .syntax = "undo",
	 .help = "go back before the last change",
	 .json = "event integer number of the event in force\n",
	 .run = cmd_undo},
	{.name = "redo",
	 .group = WHAT_IF,
	 .syntax = "redo",
	 .help = "make the undone change again",
	 .json = "event integer number of the event in force\n",
	 .run = cmd_redo},
	{.name = "journal",
	 .group = WHAT_IF,
	 .syntax = "journal [EVENT]",
	 .numbers = (const struct arg_number[]){{.key = "EVENT", .most = SIZE_MAX}, {.key = NULL}},
	 .help = "list the changes; with a number: go there",
	 .json = "event integer? number of the event in force\n"
		 "events[] object? the journal\n"
		 "events[].event integer its number\n"
		 "events[].text string what was done\n"
		 "events[].current boolean it is in force\n"
		 "events[].time string(^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$)? when it "
		 "came, UTC\n"
		 "events[].entries integer? =changed entries\n"
		 "events[].rerouted integer? =rerouted pairs\n"
		 "events[].lost integer? =lost pairs\n"
		 "events[].regained integer? =regained pairs\n",
	 .run = cmd_journal},
	{.name = "reset",
	 .group = WHAT_IF,
	 .syntax = "reset",
	 .help = "bring everything up, empty the journal, and route from nothing",
	 .json = JSON_EVENT,
	 .run = cmd_reset},
	{.name = "snapshot",
	 .group = WHAT_IF,
	 .syntax = "snapshot [SNAPSHOT]",
	 .help = "keep the routing under a name; without a name: list what is kept",
	 .json = "snapshots[] object? what is kept\n"
		 "snapshots[].name string its name\n"
		 "snapshots[].engine engine? engine that made the tables\n",
	 .run = cmd_snapshot},
	{.name = NULL},
};
