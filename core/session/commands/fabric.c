/* Commands that get a fabric, set options and show summaries. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/changes.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"
#include "core/session/commands/commands.h"
#include "core/sm/guid_names.h"
#include "core/sm/port_groups.h"
#include "core/sm/script.h"
#include "core/source/live.h"
#include "core/source/synth.h"

/* Tells what a person must know about a new fabric. */
static void report_new(struct session *s, struct out *o)
{
	report_fabric(s, o);
	report_scope(s, o);
	for (size_t i = 0; i < options_count(s->setup->options); i++)
		report_named(s->setup->options, options_at(s->setup->options, i)->name, o);
	report_event(s, o);
}

static int fabric_command_take(struct session *s, struct fabric *f, const char *how, struct out *o,
			       struct err *e)
{
	if (session_set_fabric(s, f, how, o->run->progress, e))
		return -1;
	report_new(s, o);
	return 0;
}

/* The fabric at a later time.  The journal goes on; failures in the one before are forgotten. */
static int take_later(struct session *s, struct fabric *f, enum event_kind kind, const char *how,
		      struct out *o, struct err *e)
{
	const struct state *st = session_state(s);
	bool failed = false;

	for (uint32_t l = 0; st && l < st->n_links; l++)
		failed |= st->link_down[l];
	for (uint32_t n = 0; st && n < st->n_nodes; n++)
		failed |= st->node_down[n];
	if (session_go_on(s, f, kind, how, o->run->progress, e))
		return -1;
	report_new(s, o);
	if (failed)
		out_text(o, "What failed in the session is not taken over; `undo` goes back before it.\n");
	return 0;
}

int take_held(struct session *s, const char *chain, struct out *o, struct err *e)
{
	AUTO_FREE char *text = str_printf("route %s", chain);
	struct change_request rq = {
		.kind = EVENT_ROUTE, .setup.chain = chain, .text = text, .progress = o->run->progress};

	return run_change(s, &rq, o, e);
}

static int cmd_load(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args->arg[0].word;
	bool next = args_has(args, "next");
	struct fabric *f;
	int rc;

	if (!strcmp(path, "-") && o->run->on_screen)
		return err_set(e, "load -: standard input is the terminal here; expected a file");
	progress_start(o->run->progress, "reading the file", 0);
	if (fabric_load(path, &f, o->run->progress, e))
		return -1;
	bool akin = s->loaded && fabric_akin(s->loaded, f);
	if (next && !akin) {
		fabric_unref(f);
		return err_set(e, "load %s next: %s, expected a later state of the fabric that is loaded",
			       path,
			       s->loaded ? "found less than a quarter of the nodes in common with it"
					 : "no fabric is loaded");
	}
	AUTO_FREE char *how = str_printf("load %s%s", path, next ? " next" : "");
	bool tables = f->switch_tables != NULL;
	if (next)
		rc = take_later(s, f, EVENT_EDIT, how, o, e);
	else
		rc = fabric_command_take(s, f, how, o, e);
	if (!rc)
		session_count_beside(s, path, o->run->progress);
	if (!rc && akin && !next)
		out_text(o,
			 "The subnet manager starts anew on it; `load FILE next` makes it the next sweep of "
			 "what was loaded.\n");
	if (!rc && tables && !s->setup->chain)
		rc = take_held(s, "tables,no_fallback", o, e);
	else if (!rc && tables && !sweep_held_tables(session_sweep(s)))
		out_text(
			o,
			"The tables that %s has are left out, as %s is in force: `tables held` takes them.\n",
			path, s->setup->chain);
	return rc;
}

/* Tells the description of a teaching fabric, and what it shows. */
static void tell_lesson_fabric(const char *word, struct out *o)
{
	char *spec, *note;

	if (synth_lesson(word, &spec, &note, NULL))
		return;
	out_text(o, "%s: %s\n", spec, note);
	out_json(o, "note", json_text(note));
	free(spec);
	free(note);
}

static int cmd_synth(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *spec = args_word(args, "SPEC", NULL);
	struct fabric *f;

	if (!spec) {
		out_lines(o, synth_help);
		return 0;
	}
	if (synth_make(spec, &f, e)) {
		err_default(e, ERR_SYNTAX);
		return -1;
	}
	AUTO_FREE char *how = str_printf("synth %s", spec);
	int rc = fabric_command_take(s, f, how, o, e);
	if (!rc) {
		session_take_present(s, NULL, ""); /* synthetic fabrics share their GUIDs */
		tell_lesson_fabric(spec, o);
	}
	return rc;
}

/* A fabric with a part that did not answer does not replace a whole one, unless asked to. */
static int refuse_partial(const struct fabric *before, const struct fabric *f, struct err *e)
{
	AUTO_TEXT struct text t = {0};

	if (!f->warnings.missing || !before || before->warnings.missing)
		return 0;
	warnings_tell_missing(&f->warnings, &t);
	err_set(e,
		"live: a part of the fabric did not answer (%s); the fabric loaded before stays.  `live` "
		"asks again, `live ... partial` takes what answered",
		text_str(&t));
	return -1;
}

static int cmd_live(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	enum live_tables what = LIVE_NO_TABLES;
	const char *device = args_word(args, "CA[:PORT]", "");
	AUTO_FREE char *ca = NULL;
	int port = 0;

	if (args_has(args, "tables"))
		what = LIVE_LFTS;
	else if (args_has(args, "sl2vl"))
		what = LIVE_LFTS_SL2VL;
	if (live_parse_target(device, &ca, &port, e))
		return -1;
	AUTO_FABRIC const struct fabric *before = s->loaded ? fabric_ref(s->loaded) : NULL;
	unsigned silence = (unsigned)args_number(args, "SECONDS", LIVE_SILENCE_S);
	struct fabric *f = live_discover_tables(ca, port, what, silence, o->run->progress, e);
	int rc = f ? 0 : -1;
	if (!rc && !args_has(args, "partial") && refuse_partial(before, f, e)) {
		fabric_unref(f);
		rc = -1;
	}
	if (!rc) {
		AUTO_FREE char *how = str_printf("live%s%s", *device ? " " : "", device);
		fabric_ref(f);
		rc = take_later(s, f, EVENT_LOAD, how, o, e);
		if (!rc) {
			session_read_now(s);
			/* The difference from the fabric discovered before, when there was one. */
			if (before && !strcmp(before->format, "live")) {
				AUTO_TEXT struct text lines = {0};
				unsigned n = fabric_changes(before, f, setup_chassis_file(s->setup->options),
							    &lines, o->run->progress);

				if (n)
					out_text(o, "Since the last discovery:\n%s", text_str(&lines));
				else
					out_text(o, "Nothing changed%s since the last discovery.\n",
						 before->warnings.missing || f->warnings.missing
							 ? " in the part that answered"
							 : "");
				out_json(o, "changes", json_integer(n));
			}
		}
		if (!rc && what != LIVE_NO_TABLES)
			rc = take_held(s, "live,no_fallback", o, e);
		fabric_unref(f);
	}
	return rc;
}

static int cmd_names(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args->arg[0].word;
	struct name_map *map = NEW(struct name_map), *old = s->names;
	struct warnings w = {0};

	if (name_map_load(path, map, &w, o->run->progress, e)) {
		free(map);
		return -1;
	}
	s->names = map;
	if (session_reshape(s, s->setup->options, o->run->progress, e)) {
		s->names = old;
		name_map_free(map);
		free(map);
		warnings_free(&w);
		return -1;
	}
	if (old) {
		name_map_free(old);
		free(old);
	}
	out_text(o, "%s from %s\n", PLURAL(map->n, "name"), path);
	out_json(o, "names", json_integer((json_int_t)map->n));
	for (size_t i = 0; i < w.n; i++)
		out_text(o, "%s\n", w.w[i].text);
	warnings_free(&w);
	return 0;
}

/* --- options ------------------------------------------------------------------------- */

static void show_option(struct out *o, const struct options *opts, const struct optdef *d)
{
	const char *v = options_get(opts, d->name);

	out_text(o, "%c %-30s %-12s " ROW_PROSE "%s\n", options_is_set(opts, d->name) ? '*' : ' ', d->name,
		 *v ? v : "(null)", d->help);
}

static void show_options(struct session *s, struct out *o)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < options_count(s->setup->options); i++) {
		const struct optdef *d = options_at(s->setup->options, i);

		show_option(o, s->setup->options, d);
		json_object_set_new(obj, d->name, json_text(options_get(s->setup->options, d->name)));
	}
	out_json(o, "options", obj);
}

/* Options that change the fabric itself rather than its routing. */
static bool shapes_fabric(const char *name)
{
	return !strcmp(name, "guid") || !strcmp(name, "port_guids");
}

/* Do options differ only in what no table depends on: who counts as a host, how much is recorded, repairs? */
static bool counts_only(const struct options *a, const struct options *b)
{
	bool differ = false;

	for (size_t i = 0; i < options_count(a); i++) {
		const char *name = options_at(a, i)->name;

		if (!strcmp(options_get(a, name), options_get(b, name)))
			continue;
		if (strcmp(name, "aggregation_nodes") && strcmp(name, "record_limit") &&
		    strcmp(name, "local_repair"))
			return false;
		differ = true;
	}
	return differ;
}

/*
 * Handles options that shape the fabric: the subnet manager moves to the place that the option guid, or
 * without it the source, gives, and the journal goes on.  Returns false when the fabric begins anew, because
 * nothing was done to it, or because GUIDs change.
 */
static bool shape_goes_on(const struct session *s, const struct options *opts)
{
	const struct event *at = session_event(s);

	return at && (s->at || at->setup->chain) &&
	       !strcmp(options_get(opts, "port_guids"), options_get(s->setup->options, "port_guids"));
}

/* Bring changed options into force, with rq->setup.chain engines as well (NULL: those in force). */
static int apply_options(struct session *s, struct change_request *rq, bool reshape, struct out *o,
			 struct err *e)
{
	const struct options *opts = rq->setup.options;
	const struct event *at = session_event(s);

	rq->progress = o->run->progress;
	if (reshape && shape_goes_on(s, opts)) {
		AUTO_FABRIC const struct fabric *f = NULL;

		return session_shape(s, s->loaded, opts, &f, e) ? -1 : move_manager(s, f, rq, o, e);
	}
	if (reshape) {
		if (session_reshape(s, opts, o->run->progress, e))
			return -1;
		if (at) {
			out_text(o, "The fabric begins anew with this option; the journal is empty.\n");
			report_event(s, o);
		}
	} else if (!rq->setup.chain && counts_only(s->setup->options, opts)) {
		if (session_recount(s, NULL, opts, rq->text, o->run->progress, e))
			return -1;
		if (at)
			report_aggregation(s, o);
		return 0;
	}
	if (at && (rq->setup.chain || (!reshape && at->setup->chain)))
		return run_change(s, rq, o, e);
	if (!reshape)
		session_set_options(s, opts);
	at = session_event(s);
	if (at && !at->setup->chain) { /* otherwise the sweep reports it */
		AUTO_TEXT struct text unread = {0};

		qos_tell_unread(opts, &unread);
		out_text(o, "%s", text_str(&unread));
	}
	return 0;
}

/* Tells what OpenSM makes of a list of VLs that is not one of 16 numbers: it says nothing. */
static void tell_odd_sl2vl(const struct options *opts, struct out *o)
{
	static const char *const names[] = {"qos_sl2vl", "qos_ca_sl2vl", "qos_rtr_sl2vl", "qos_sw0_sl2vl",
					    "qos_swe_sl2vl"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct cursor all = cur_text(options_get(opts, names[i]));
		sl2vl_map map = qos_parse_sl2vl(all.p);
		AUTO_TEXT struct text t = {0};
		uint64_t vl;
		unsigned good = 0, n = 0;

		for (bool more = !cur_empty(&all); more; n++) {
			struct cursor item = cur_part(&all, ',');

			more = item.end != all.end;
			item = cur_trimmed(item);
			good += number_of_part(item.p, cur_len(item), 0, 15, &vl);
		}
		for (unsigned sl = 0; sl < 16; sl++)
			text_add(&t, "%s%u", sl ? "," : "", sl2vl_of(map, sl));
		if (n && (n != 16 || good != 16))
			out_text(
				o,
				"%s: found \"%s\", expected 16 numbers from 0 to 15: OpenSM takes it as %s\n",
				names[i], options_get(opts, names[i]), text_str(&t));
	}
}

/* Such a file is read when tables are computed, and only then is it missed. */
static void tell_pair_file(const char *name, const char *path, struct out *o)
{
	bool read_later = !strcmp(name, "partition_config_file") || !strcmp(name, "qos_policy_file");

	if (read_later && *path && access(path, R_OK))
		out_text(o, "%s: %s: %s; nothing of it counts until it can be read\n", name, path,
			 strerror(errno));
}

static int fabric_command_set_option(struct session *s, const char *name, const char *value, struct out *o,
				     struct err *e)
{
	AUTO_OPTIONS struct options *opts = options_copy(s->setup->options);
	AUTO_FREE char *text = str_printf(value ? "set %s %s" : "unset %s", name, value);
	int rc = 0;

	if (!options_find(opts, name))
		rc = err_set_kind(e, ERR_SYNTAX, "unknown option \"%s\"; `show options` lists them", name);
	else if (value)
		rc = options_set_named(opts, s->fabric, name, value, e);
	else
		options_unset(opts, name);
	if (!rc)
		report_named(opts, name, o);
	if (!rc && value)
		tell_pair_file(name, options_get(opts, name), o);
	if (!rc && value && strstr(name, "_sl2vl"))
		tell_odd_sl2vl(opts, o);
	if (!rc && value && shapes_fabric(name)) { /* as a session that is saved sets it */
		free(text);
		text = str_printf("set %s %s", name, options_get(opts, name));
	}
	if (!rc)
		rc = apply_options(
			s, &(struct change_request){.kind = EVENT_SET, .setup.options = opts, .text = text},
			shapes_fabric(name), o, e);
	return rc;
}

/* Several words are names, in place of a file. */
static int set_words(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *name = args->arg[0].word;
	const struct optdef *d = options_find(s->setup->options, name);
	AUTO_TEXT struct text value = {0};

	if (d && !d->names)
		return err_word(e, "%s: found %d words, expected one value", name, args->n - 1);
	for (int i = 1; i < args->n; i++)
		word_append(&value, args->arg[i].word);
	return fabric_command_set_option(s, name, text_str(&value), o, e);
}

static int cmd_set(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *name = args_word(args, "OPTION", NULL);
	if (!name) {
		show_options(s, o);
		return 0;
	}
	if (args->n == 1 && options_find(s->setup->options, name)) {
		show_option(o, s->setup->options, options_find(s->setup->options, name));
		out_json(o, "options", json_make("{s:s}", name, options_get(s->setup->options, name)));
		return 0;
	}
	if (args->n > 2)
		return set_words(s, args, o, e);
	return fabric_command_set_option(s, name, args_word(args, "VALUE", NULL), o, e);
}

static int cmd_unset(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	return fabric_command_set_option(s, args->arg[0].word, NULL, o, e);
}

/* Do two sets of options shape the fabric alike? */
static bool same_shape(const struct options *a, const struct options *b)
{
	for (size_t i = 0; i < options_count(a); i++) {
		const char *name = options_at(a, i)->name;

		if (shapes_fabric(name) && strcmp(options_get(a, name), options_get(b, name)) != 0)
			return false;
	}
	return true;
}

static int cmd_config(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args->arg[0].word;
	AUTO_TEXT struct text notes = {0};
	AUTO_FREE char *engines = NULL;
	AUTO_FREE char *whole = realpath(path, NULL);
	AUTO_FREE char *quoted = word_quoted(whole ? whole : path);
	AUTO_FREE char *text = str_printf("config %s", quoted);
	AUTO_TEXT struct text computed = {0}, others = {0};
	bool all_other = false, held = false;
	struct change_request rq = {.kind = EVENT_ROUTE, .text = text};
	AUTO_OPTIONS struct options *opts = options_copy(s->setup->options);
	int rc = conf_read(opts, path, o->run->progress, &engines, &notes, e);

	if (!rc && engines && strstr(engines, SCRIPT_PREFIX))
		rc = err_set(
			e,
			"%s: found routing_engine %s, expected engines of OpenSM: a file of options names no "
			"program to be run",
			path, engines);
	AUTO_FREE char *named = engines ? str_dup(engines) : NULL;
	if (!rc) {
		out_text(o, "%s", text_str(&notes));
		if (engines)
			out_text(o, "routing_engine %s\n", engines);
		tell_odd_sl2vl(opts, o);
		all_other = engines && !chain_computed(engines, &computed, &others) && others.len;
		if (others.len)
			out_text(o, "%s: " NOT_COMPUTED "; skipped%s\n", others.s,
				 all_other ? ", so no engine routes by this file" : "");
		if (others.len) {
			free(engines);
			engines = all_other ? NULL : str_dup(computed.s);
		}
		if (engines && engine_chain_known(s->engines, engines, NULL)) {
			out_text(o, "No engine of \"%s\" is known: minhop, as OpenSM does\n", engines);
			o->run->noteworthy = true;
			free(engines);
			engines = str_dup("minhop");
		}
		rq.setup.options = opts;
		held = sweep_held_tables(session_sweep(s)) != NULL;
		rq.setup.chain = s->fabric && !held ? engines : NULL;
		rc = apply_options(s, &rq, !same_shape(s->setup->options, opts), o, e);
	}
	if (!rc && held && engines)
		out_text(o,
			 "The tables in the switches stay in force; `route %s` computes those of the file.\n",
			 engines);
	if (!rc && (engines || all_other)) {
		session_lock(s);
		FREE_EACH(s->configured, s->conf_engines);
		s->conf_engines = named;
		named = NULL;
		s->configured = engines ? str_dup(engines) : NULL;
		s->not_computed = all_other;
		session_unlock(s);
	}
	return rc;
}

/* --- show ---------------------------------------------------------------------------------- */

static void show_summary(struct session *s, struct out *o)
{
	const struct event *ev = session_event(s);
	uint32_t links = 0, nodes = 0;
	AUTO_TEXT struct text t = {0};

	if (!s->fabric) {
		out_text(o, "no fabric is loaded\n");
		return;
	}
	report_fabric(s, o);
	for (uint32_t l = 0; l < ev->setup->state->n_links; l++)
		links += ev->setup->state->link_down[l];
	for (uint32_t n = 0; n < ev->setup->state->n_nodes; n++)
		nodes += ev->setup->state->node_down[n];
	out_text(o, "failed: %s, %s; event %zu of %zu\n", PLURAL(links, "link"), PLURAL(nodes, "node"), s->at,
		 s->n_events - 1);
	report_scope(s, o);
	if (s->fabric->sm_endport != NO_ID)
		out_text(o, "subnet manager: %s%s\n", ENDPORT_LABEL(s->fabric, s->fabric->sm_endport),
			 s->fabric->sm_guessed ? " (guessed, the source does not tell; `set guid` does)"
					       : "");
	fabric_tell_untold(s->fabric, &t);
	if (t.len)
		out_text(o, "not told by the source: %s\n", t.s);
	out_json(o, "untold", json_text(text_str(&t)));
	out_json(o, "subnet_manager",
		 json_port(s->fabric, session_lids(s),
			   s->fabric->sm_endport == NO_ID ? NO_ID
							  : s->fabric->endport_port[s->fabric->sm_endport]));
	out_json(o, "sm_guessed", json_boolean(s->fabric->sm_guessed));
	out_json(o, "failed_links", json_integer(links));
	out_json(o, "failed_nodes", json_integer(nodes));
	if (ev->sweep && ev->sweep->routing)
		out_text(o, "routed by %s (asked: %s), LMC %u, highest LID %u%s\n",
			 ev->sweep->routing->engine, ev->sweep->setup->chain, ev->sweep->lids->lmc,
			 ev->sweep->lids->max_lid,
			 out_took(o, ", ", ev->sweep->seconds, (char[OUT_TOOK]){0}));
	else
		out_text(o, "not routed\n");
}

static void show_warnings(struct session *s, struct out *o)
{
	const struct warnings *w = &s->fabric->warnings;

	for (size_t i = 0; i < w->n; i++) {
		if (w->w[i].line)
			out_text(o, "%s:%u: %s: %s\n", s->fabric->source, w->w[i].line, w->w[i].kind,
				 w->w[i].text);
		else
			out_text(o, "%s: %s: %s\n", s->fabric->source, w->w[i].kind, w->w[i].text);
	}
	if (!w->n)
		out_text(o, "no warnings\n");
	out_json(o, "warnings", warnings_json(s->fabric));
}

static unsigned ports_up(const struct session *s, uint32_t node)
{
	assert(node < s->fabric->n_nodes);

	const struct fabric *f = s->fabric;
	const struct state *st = session_state(s);
	unsigned up = 0;

	for (unsigned p = 1; p <= f->node_nports[node]; p++) {
		uint32_t id = f->node_port[node] + p;

		up += f->port_peer[id] != NO_ID && state_link_up(f, st, f->port_link[id]);
	}
	return up;
}

static int show_nodes(struct session *s, bool switches, struct out *o, struct err *e)
{
	const struct fabric *f = s->fabric;
	json_t *list = json_array(), *obj;

	for (uint32_t ep = 0; ep < f->n_endports && !progress_cancelled(o->run->progress); ep++) {
		uint32_t n = endport_node(f, ep);

		if (node_is_switch(f, n) != switches)
			continue;
		obj = json_make("{s:o, s:i, s:i, s:b}", "port_guid",
				json_guid(f->port_guid[f->endport_port[ep]]), "ports", (int)f->node_nports[n],
				"up", (int)ports_up(s, n), "down", (int)session_state(s)->node_down[n]);
		json_put_endport(obj, "name", f, session_lids(s), ep);
		json_array_append_new(list, obj);
	}
	out_json(o, switches ? "switches" : "hosts", list);
	return print_table(s, switches ? "switches" : "hosts", NULL, o, e);
}

/* Of a cable: "up", "down", or the state in which it is up without carrying data. */
static const char *fabric_command_state_word(const struct session *s, uint32_t port)
{
	assert(s->fabric->port_link[port] != NO_ID);

	const char *idle = event_idle(session_event(s), port);

	return idle									? idle
	       : state_link_up(s->fabric, session_state(s), s->fabric->port_link[port]) ? "up"
											: "down";
}

static void show_links(struct session *s, struct out *o)
{
	const struct fabric *f = s->fabric;
	json_t *list = json_array();

	for (uint32_t l = 0; l < f->n_links && !progress_cancelled(o->run->progress); l++) {
		uint32_t p = f->link_port[2 * l], q = f->link_port[2 * l + 1];

		out_text(o, "%-4s " ROW_CUT("%s") " " ROW_CUT("%s") " %s%s\n",
			 fabric_command_state_word(s, p), PORT_LABEL(f, p), PORT_LABEL(f, q),
			 link_width_name(f->port_width[p]), link_speed_name(f->port_speed[p]));
		json_array_append_new(list, json_link(f, session_lids(s), session_state(s), l));
	}
	out_json(o, "links", list);
}

static void show_lid(struct guid2lid g, const char *name, bool reserved, json_t *list, struct out *o)
{
	char range[16];

	snprintf(range, sizeof(range), g.max > g.min ? "%u-%u" : "%u", g.min, g.max);
	out_text(o, "%11s 0x%016" PRIx64 " " ROW_CUT("%s") "%s\n", range, g.guid, name,
		 reserved ? *name ? ", not there: reserved" : "not in the fabric: reserved" : "");
	json_array_append_new(list, json_make("{s:i, s:i, s:o, s:s*, s:b}", "lid", (int)g.min, "last",
					      (int)g.max, "port_guid", json_guid(g.guid), "port",
					      *name ? name : NULL, "reserved", (int)reserved));
}

/* LIDs of ports, and those that the subnet manager keeps for ports that left. */
static void show_lids(struct session *s, struct out *o)
{
	const struct fabric *f = s->fabric;
	const struct sweep *w = session_sweep(s);
	const struct lids *l = session_lids(s);
	bool known = w && sweep_remembers(w);
	json_t *list = json_array();
	AUTO_FREE struct guid2lid *g = NULL;
	size_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports && !progress_cancelled(o->run->progress); ep++) {
		uint32_t port = f->endport_port[ep];
		unsigned lid = endport_lid(f, l, ep), count = l ? l->count[ep] : 1u << f->port_lmc[port];
		struct guid2lid held = {f->port_guid[port], (uint16_t)lid, (uint16_t)(lid + count - 1)};

		if (lid)
			show_lid(held, ENDPORT_LABEL(f, ep), false, list, o);
	}
	if (known)
		g = sweep_reserved(w, &n);
	for (size_t i = 0; i < n && !progress_cancelled(o->run->progress); i++) {
		uint32_t ep = fabric_endport_by_guid(f, g[i].guid);

		show_lid(g[i], ep == NO_ID ? "" : ENDPORT_LABEL(f, ep), true, list, o);
	}
	if (known)
		out_text(o, "%s reserved for ports that are not there.\n", PLURAL(n, "range"));
	else
		out_text(o,
			 "Which LIDs the subnet manager reserves for ports that left is not known: none was "
			 "assigned here.\n");
	out_json(o, "lids", list);
	out_json(o, "reservations_known", json_boolean(known));
}

static void show_engines(struct session *s, struct out *o)
{
	json_t *list = json_array();

	for (size_t i = 0; s->engines[i]; i++) {
		const struct engine *g = s->engines[i];

		out_text(o, "%-14s " ROW_PROSE "%s\n%15s" ROW_PROSE "%s\n", g->name, g->brief, "",
			 g->reference);
		json_array_append_new(list, json_make("{s:s, s:s, s:s}", "name", g->name, "brief", g->brief,
						      "reference", g->reference));
	}
	out_json(o, "engines", list);
}

/* A port of a node that is shown, with a cable. */
static json_t *cable_json(const struct session *s, uint32_t id)
{
	assert(s->fabric->port_link[id] != NO_ID);

	const struct fabric *f = s->fabric;
	bool up = state_link_up(f, session_state(s), f->port_link[id]);
	json_t *obj =
		json_make("{s:i, s:b, s:s, s:s}", "port", (int)f->port_num[id], "up", (int)up, "width",
			  link_width_name(f->port_width[id]), "speed", link_speed_name(f->port_speed[id]));

	json_put_label(obj, "port", f, id);
	json_put_port(obj, "peer", f, session_lids(s), f->port_peer[id]);
	json_put_state(obj, f, id);
	return obj;
}

static int show_node(struct session *s, const char *word, struct out *o, struct err *e)
{
	static const char *const types[] = {"", "CA", "switch", "router"};
	static_assert(ARRAY_LEN(types) == NODE_ROUTER + 1, "a word for each type");
	const struct fabric *f = s->fabric;
	bool whole = node_named(f, word, strlen(word)) != NO_ID;
	uint32_t only = whole ? NO_ID : session_port(s, word, NULL); /* NODE[PORT]: that port alone */
	uint32_t n = only == NO_ID ? session_node(s, word, e) : f->port_node[only];
	json_t *ports = json_array(), *obj;
	char number[PORT_NUMBER_MAX + 1];

	if (n == NO_ID) {
		json_decref(ports);
		return -1;
	}
	out_text(o,
		 "%s %s\nnode " ROW_PROSE "GUID 0x%016" PRIx64 ", system image GUID 0x%016" PRIx64
		 ", vendor 0x%x, device 0x%x, %s%s%s\n",
		 types[f->node_type[n]], f->node_name[n], f->node_guid[n], f->node_sysguid[n],
		 f->node_vendor[n], f->node_device[n], PLURAL(f->node_nports[n], "port"),
		 f->node_chassis_place[n] ? ", " : "",
		 f->node_chassis_place[n] ? f->node_chassis_place[n] : "");
	if (f->node_unseen[n])
		out_text(o, "not seen: only its neighbours name it\n");
	if (strcmp(f->node_name[n], f->node_given[n]) != 0)
		out_text(o, "described as %s\n", f->node_given[n]);
	for (unsigned p = 1; p <= f->node_nports[n]; p++) {
		uint32_t id = f->node_port[n] + p;

		if (f->port_peer[id] == NO_ID || (only != NO_ID && id != only))
			continue;
		out_text(o, "  [%s] %-4s %s%-5s " ROW_CUT("%s") "\n",
			 port_number(f, id, number, sizeof(number)), fabric_command_state_word(s, id),
			 link_width_name(f->port_width[id]), link_speed_name(f->port_speed[id]),
			 PORT_LABEL(f, f->port_peer[id]));
		json_array_append_new(ports, cable_json(s, id));
	}
	obj = json_node(f, session_lids(s), n);
	json_object_set_new(obj, "type", json_text(types[f->node_type[n]]));
	json_object_set_new(obj, "down", json_boolean(session_state(s)->node_down[n]));
	json_object_set_new(obj, "ports", ports);
	out_json(o, "node", obj);
	return 0;
}

static int cmd_show(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *what = args->n ? args->arg[0].word : "summary";

	if (!strcmp(what, "options"))
		show_options(s, o);
	else if (!strcmp(what, "engines"))
		show_engines(s, o);
	else if (!strcmp(what, "summary"))
		show_summary(s, o);
	else if (session_need_fabric(s, e))
		return -1;
	else if (!strcmp(what, "warnings"))
		show_warnings(s, o);
	else if (!strcmp(what, "switches"))
		show_nodes(s, true, o, e);
	else if (!strcmp(what, "hosts"))
		show_nodes(s, false, o, e);
	else if (!strcmp(what, "links"))
		show_links(s, o);
	else if (!strcmp(what, "lids"))
		show_lids(s, o);
	else
		return show_node(s, args->arg[1].word, o, e);
	return progress_cancelled(o->run->progress) ? err_set(e, CANCELLED) : 0;
}

const struct command fabric_commands[] = {
	{.name = "load",
	 .group = FILES,
	 .syntax = "load FILE [next]",
	 .help = "load a saved fabric; next: as the next sweep of the loaded one",
	 .json = JSON_SCOPE JSON_AGGREGATION JSON_FABRIC JSON_NAMED JSON_EVENT,
	 .run = cmd_load},
	{.name = "live",
	 .group = FILES,
	 .deeds = DEED_DEVICE,
	 .numbers = ARG_NUMBERS(ARG_LIMIT("SECONDS", 1, LIVE_SILENCE_MOST,
					  "seconds from 1 to " NUMBER_TEXT(LIVE_SILENCE_MOST), NULL)),
	 .syntax = "live [CA[:PORT]] [tables|sl2vl] [partial] [wait SECONDS]",
	 .help = "discover the live fabric through libibnetdisc; again: also tell what changed since",
	 .json = JSON_SCOPE JSON_AGGREGATION JSON_FABRIC JSON_NAMED
	 "changes integer? how it differs from the discovery before\n" JSON_EVENT,
	 .run = cmd_live},
	{.name = "synth",
	 .group = FILES,
	 .syntax = "synth [SPEC]",
	 .help = "make a synthetic fabric; without SPEC: list the kinds",
	 .json = "note string? what a fabric of the lessons shows\n" JSON_SCOPE JSON_AGGREGATION JSON_FABRIC
		 JSON_NAMED JSON_EVENT,
	 .run = cmd_synth},
	{.name = "names",
	 .group = FILES,
	 .syntax = "names FILE",
	 .help = "read names of nodes from a node-name-map",
	 .json = "names integer names taken\n",
	 .run = cmd_names},
	{.name = "config",
	 .group = FILES,
	 .syntax = "config FILE",
	 .help = "take routing options from an opensm.conf; the engine in force reroutes",
	 .json = JSON_EVENT,
	 .run = cmd_config},
	{.name = "set",
	 .group = WHAT_IF,
	 .syntax = "set [OPTION [VALUE...]]",
	 .help = "set a routing option (names as in opensm.conf); the engine in force reroutes",
	 .sets_options = true,
	 .json = JSON_AGGREGATION "options object? options of OpenSM\n"
				  "options.* string? by name\n" JSON_NAMED JSON_EVENT,
	 .run = cmd_set},
	{.name = "unset",
	 .group = WHAT_IF,
	 .syntax = "unset OPTION",
	 .help = "set an option back to its default",
	 .json = JSON_AGGREGATION JSON_EVENT,
	 .run = cmd_unset},
	{.name = "show",
	 .group = LOOK,
	 .syntax = "show [summary|options|engines|warnings|switches|hosts|links|lids | node NODE|NODE[PORT]]",
	 .help = "print a summary, or a list: options, engines, warnings, switches, hosts, links, lids",
	 .json = JSON_SCOPE JSON_AGGREGATION JSON_FABRIC
	 "untold string? what the source does not tell\n"
	 "subnet_manager object|null? where the subnet manager runs\n"
	 "subnet_manager.name node its node\n"
	 "subnet_manager.port portnum its port\n"
	 "sm_guessed boolean? the source does not tell its place; ibscope guessed it\n"
	 "failed_links integer? links that failed\n"
	 "failed_nodes integer? nodes that failed\n"
	 "options object? options of OpenSM\n"
	 "options.* string? by name\n"
	 "engines[] object? routing engines\n"
	 "engines[].name string as `route` takes it\n"
	 "engines[].brief string what it does\n"
	 "engines[].reference string the document that describes it\n" JSON_SOME_WARNINGS
	 "lids[] object? LIDs of ports, then those reserved for ports that are not there\n"
	 "lids[].lid lid the first\n"
	 "lids[].last lid the last of its LMC range\n"
	 "lids[].port_guid guid the port that has them\n"
	 "lids[].port string? its name, where it is in the fabric\n"
	 "lids[].reserved boolean the port is not there, and the subnet manager keeps them for it\n"
	 "reservations_known boolean? false: no sweep gave LIDs here, so ibscope does not know which are "
	 "reserved\n"
	 "switches[] object? switches\n"
	 "switches[].name endport its name\n"
	 "switches[].port_guid guid its port GUID\n"
	 "switches[].ports integer ports of the node\n"
	 "switches[].up integer ports with a link that is up\n"
	 "switches[].down boolean the node failed\n"
	 "hosts[] object? ports of hosts and routers\n"
	 "hosts[].name endport its name\n"
	 "hosts[].port_guid guid its port GUID\n"
	 "hosts[].ports integer ports of the node\n"
	 "hosts[].up integer ports with a link that is up\n"
	 "hosts[].down boolean the node failed\n"
	 "links[] object? cables\n"
	 "links[].a port one end\n"
	 "links[].b port the other\n"
	 "links[].up boolean it is up\n"
	 "links[].state string(Initialize/Armed)? of an end that is not active, as it was read: no data "
	 "passes\n"
	 "links[].width width width\n"
	 "links[].speed speed speed\n"
	 "node object? the node asked for\n"
	 "node.name node its name\n"
	 "node.type string(CA/switch/router) CA, switch or router\n"
	 "node.down boolean it failed\n"
	 "node.ports[] object ports with a cable; of NODE[PORT] that one\n"
	 "node.ports[].port portnum its number\n"
	 "node.ports[].up boolean the link is up\n"
	 "node.ports[].state string(Initialize/Armed)? of an end of its cable that is not active, as it was "
	 "read\n"
	 "node.ports[].width width width\n"
	 "node.ports[].speed speed speed\n"
	 "node.ports[].peer port the other end\n" JSON_LIST,
	 .run = cmd_show},
	{.name = NULL},
};
