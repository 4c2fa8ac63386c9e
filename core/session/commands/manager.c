/* Commands about the subnet manager itself: it starts again, another takes over, it reads its options again.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/formats/conf.h"
#include "core/session/commands/commands.h"
#include "core/sm/sighup.h"

static int need_engine(const struct session *s, struct err *e)
{
	if (session_need_fabric(s, e))
		return -1;
	return s->setup->chain ? 0
			       : err_set(e, "nothing is routed yet; `route ENGINE` starts a subnet manager");
}

static int cmd_restart(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool named = args->n && args->arg[0].kind == KIND_ENGINES;

	if (!named && need_engine(s, e))
		return -1;
	return run_engines(s, "restart", named ? args->arg[0].word : NULL, args, named, o, e);
}

/* --- another place ----------------------------------------------------------------------------- */

int move_manager(struct session *s, const struct fabric *f, struct change_request *rq, struct out *o,
		 struct err *e)
{
	int rc;

	rq->setup.fabric = f;
	rq->setup.loaded = s->loaded;
	rq->setup.tables = s->setup->tables;
	rq->progress = o->run->progress;
	rc = session_change(s, rq, e);
	if (!rc)
		report_event(s, o);
	return rc;
}

static int cmd_failover(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct change_request rq = {.kind = EVENT_SWEEP};
	uint32_t node = args->arg[0].id, old, ep = NO_ID;
	struct state *state;
	struct fabric *f;
	char *quoted, *text;
	int rc;

	if (need_engine(s, e))
		return -1;
	old = endport_node(s->fabric, w->topo->sm_endport);
	for (unsigned p = 0; p <= s->fabric->node_nports[node] && ep == NO_ID; p++) {
		uint32_t k = s->fabric->port_endport[s->fabric->node_port[node] + p];

		if (k != NO_ID && session_endport_up(s, k))
			ep = k;
	}
	if (ep == NO_ID)
		return err_set(
			e,
			"%s has no port that the subnet manager reaches, expected one where a standby "
			"can run; %s",
			s->fabric->node_name[node],
			session_state(s)->node_down[node]
				? "it failed: `restore` it first"
				: "it is cut off: `restore` a cable to it, or let a subnet manager begin "
				  "in its part with `set guid`");
	if (ep == w->topo->sm_endport)
		return err_set(e, "the subnet manager runs on %s already, expected another node",
			       s->fabric->node_name[node]);
	state = state_copy(session_state(s));
	state->node_down[old] |= args_has(args, "down");
	quoted = word_quoted(s->fabric->node_name[node]);
	text = str_printf("failover %s%s", quoted, args_has(args, "down") ? " down" : "");
	rq.text = text;
	rq.setup.state = state;
	out_text(o, "A standby on %s takes over from the subnet manager on %s%s.\n",
		 s->fabric->node_name[node], s->fabric->node_name[old],
		 args_has(args, "down") ? ", which is down" : "");
	f = fabric_variant(s->fabric, ep, false); /* the same ids */
	rc = move_manager(s, f, &rq, o, e);
	fabric_unref(f);
	state_free(state);
	free(quoted);
	free(text);
	return rc;
}

/* --- SIGHUP ----------------------------------------------------------------------------------- */

/* Options of the file that OpenSM takes go from `read` to `opts`; each that differs is told. */
static int take_options(struct options *opts, const struct options *read, struct out *o, struct err *e)
{
	json_t *taken = json_array(), *left = json_array();
	int rc = 0;

	for (size_t i = 0; !rc && i < options_count(read); i++) {
		const struct optdef *d = options_at(read, i);
		const char *effect = d->own ? NULL : sighup_effect(d->name),
			   *value = options_get(read, d->name), *now = options_get(opts, d->name);

		if (!strcmp(value, now))
			continue;
		json_array_append_new(effect ? taken : left, json_text(d->name));
		if (!effect) {
			out_text(o, "%s stays %s: %s needs a restart\n", d->name, *now ? now : "(null)",
				 *value ? value : "(null)");
			continue;
		}
		out_text(o, "%s is %s now: acts %s\n", d->name, *value ? value : "(null)", effect);
		rc = options_set(opts, d->name, value, e);
	}
	out_json(o, "taken", taken);
	out_json(o, "left", left);
	return rc;
}

static int cmd_sighup(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args->arg[0].word;
	struct options *opts, *read;
	struct text notes = {0};
	char *engines = NULL, *whole, *quoted, *text;
	struct change_request rq = {.kind = EVENT_SWEEP, .progress = o->run->progress};
	int rc;

	if (need_engine(s, e))
		return -1;
	opts = options_copy(s->setup->options);
	read = options_copy(opts);
	rc = conf_read(read, path, o->run->progress, &engines, &notes, e);
	if (!rc) {
		out_text(o, "%s", text_str(&notes));
		rc = take_options(opts, read, o, e);
	}
	if (!rc && engines && strcmp(engines, s->setup->chain) != 0)
		out_text(o, "routing_engine stays %s: %s needs a restart\n", s->setup->chain, engines);
	if (!rc) {
		whole = realpath(path, NULL);
		quoted = word_quoted(whole ? whole : path);
		text = str_printf("sighup %s", quoted);
		rq.text = text;
		rq.setup.options = opts;
		rc = session_change(s, &rq, e);
		free(whole);
		free(quoted);
		free(text);
	}
	if (!rc)
		report_event(s, o);
	options_free(opts);
	options_free(read);
	text_free(&notes);
	free(engines);
	return rc;
}

const struct command manager_commands[] = {
	{.name = "restart",
	 .group = WHAT_IF,
	 .syntax = "restart [ENGINE[,ENGINE...]] [OPTION=VALUE]...",
	 .help = "restart OpenSM: it keeps the LIDs that ports carry, and those in its guid2lid",
	 .finds = "no engine is left: then it is 3",
	 .details = "  It forgets existing entries.  Without ENGINE the engines stay.  "
		    "guid2lid_file=/dev/null: guid2lid is lost, so LIDs\n"
		    "  of ports that left are free; guid2lid_file=FILE: it reads another one.  `route` and "
		    "`set` restart OpenSM, too.\n",
	 .json = JSON_NAMED JSON_EVENT,
	 .run = cmd_restart},
	{.name = "failover",
	 .group = WHAT_IF,
	 .syntax = "failover NODE [down]",
	 .help = "let a standby on another node take over; down: the node of the old subnet manager fails",
	 .details = "  The standby ran all the time, so the tables keep their length.  It forgets existing "
		    "entries.  What failed stays\n"
		    "  down.  Without honor_guid2lid_file it also forgets guid2lid, so LIDs of ports that "
		    "left are free.  With it, its\n"
		    "  guid2lid counts as a copy of the master's.\n",
	 .json = JSON_EVENT,
	 .run = cmd_failover},
	{.name = "sighup",
	 .group = WHAT_IF,
	 .syntax = "sighup FILE",
	 .help = "let OpenSM read its opensm.conf again and sweep; tell which options it takes, and what "
		 "changes",
	 .details = "  Options that FILE does not name stay.  What OpenSM takes acts in the sweep that "
		    "follows, or later.  Other options\n"
		    "  and routing_engine need a restart: `set`, `config`, `restart`.\n",
	 .sets_options = true,
	 .json = "taken[] string? options that OpenSM takes from the file\n"
		 "left[] string? options that differ in the file and need a restart\n" JSON_EVENT,
	 .run = cmd_sighup},
	{.name = NULL},
};
