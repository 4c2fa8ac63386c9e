/* Commands about the subnet manager, scripts, help, quitting, and figures for a monitor. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/doctor/doctor.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/clean.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/conf.h"
#include "core/session/commands/commands.h"
#include "core/session/out.h"
#include "core/sm/options.h"

/* Commands about the subnet manager itself: it starts again, another takes over, it reads its options
 * again. */

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
	const char *chain = named ? args->arg[0].word : NULL;
	struct engines_start x = {.verb = "restart", .chain = chain, .args = args, .first = named};
	return run_engines(s, &x, o, e);
}

/* --- another place ----------------------------------------------------------------------------- */

int move_manager(struct session *s, const struct fabric *f, struct change_request *rq, struct out *o,
		 struct err *e)
{
	assert(f->n_nodes == s->fabric->n_nodes && f->n_ports == s->fabric->n_ports);
	rq->setup.fabric = f;
	rq->setup.loaded = s->loaded;
	rq->setup.tables = s->setup->tables;
	rq->progress = o->run->progress;
	return run_change(s, rq, o, e);
}

static int cmd_failover(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct change_request rq = {.kind = EVENT_SWEEP};
	uint32_t node = args->arg[0].id, ep = NO_ID;

	if (need_engine(s, e))
		return -1;
	uint32_t old = endport_node(s->fabric, w->topo->sm_endport);
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
	AUTO_STATE struct state *state = state_copy(session_state(s));
	state->node_down[old] |= args_has(args, "down");
	AUTO_FREE char *quoted = word_quoted(s->fabric->node_name[node]);
	AUTO_FREE char *text = str_printf("failover %s%s", quoted, args_has(args, "down") ? " down" : "");
	rq.text = text;
	rq.setup.state = state;
	out_text(o, "A standby on %s takes over from the subnet manager on %s%s.\n",
		 s->fabric->node_name[node], s->fabric->node_name[old],
		 args_has(args, "down") ? ", which is down" : "");
	AUTO_FABRIC struct fabric *f = fabric_variant(s->fabric, ep, false); /* the same ids */
	return move_manager(s, f, &rq, o, e);
}

/* --- SIGHUP ----------------------------------------------------------------------------------- */

/* Options of the file that OpenSM takes go from `read` to `opts`; each that differs is reported. */
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
	AUTO_TEXT struct text notes = {0};
	AUTO_FREE char *engines = NULL;
	struct change_request rq = {.kind = EVENT_SWEEP, .progress = o->run->progress};

	if (need_engine(s, e))
		return -1;
	AUTO_OPTIONS struct options *opts = options_copy(s->setup->options);
	AUTO_OPTIONS struct options *read = options_copy(opts);
	int rc = conf_read(read, path, o->run->progress, &engines, &notes, e);
	if (!rc) {
		out_text(o, "%s", text_str(&notes));
		rc = take_options(opts, read, o, e);
	}
	if (!rc && engines && strcmp(engines, s->setup->chain) != 0)
		out_text(o, "routing_engine stays %s: %s needs a restart\n", s->setup->chain, engines);
	if (!rc) {
		AUTO_FREE char *whole = realpath(path, NULL);
		AUTO_FREE char *quoted = word_quoted(whole ? whole : path);
		AUTO_FREE char *text = str_printf("sighup %s", quoted);
		rq.text = text;
		rq.setup.options = opts;
		rc = run_change(s, &rq, o, e);
	}
	return rc;
}

const struct command manager_commands[] = {
	{.name = "restart",
	 .group = WHAT_IF,
	 .syntax = "restart [ENGINE[,ENGINE...]] [OPTION=VALUE]...",
	 .help = "restart OpenSM: it keeps the LIDs that ports carry, and those in its guid2lid",
	 .finds = "no engine is left: then it is 3",
	 .json = JSON_NAMED JSON_EVENT,
	 .run = cmd_restart},
	{.name = "failover",
	 .group = WHAT_IF,
	 .syntax = "failover NODE [down]",
	 .help = "let a standby on another node take over; down: the node of the old subnet manager fails",
	 .json = JSON_EVENT,
	 .run = cmd_failover},
	{.name = "sighup",
	 .group = WHAT_IF,
	 .syntax = "sighup FILE",
	 .help = "let OpenSM read its opensm.conf again and sweep; tell which options it takes, and what "
		 "changes",
	 .sets_options = true,
	 .json = "taken[] string? options that OpenSM takes from the file\n"
		 "left[] string? options that differ in the file and need a restart\n" JSON_EVENT,
	 .run = cmd_sighup},
	{.name = NULL},
};

/* Scripts, help, quitting. */

static int cmd_source(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args->arg[0].word;
	struct command_run *r = o->run;
	bool whole = args_has(args, "whole");
	AUTO_TEXT struct text errors = {0};
	size_t n = 0;

	(void)s;
	if (r->depth >= MAX_SOURCE_DEPTH)
		return err_set_kind(e, ERR_LIMIT, "%s: scripts call each other more than %d deep", path,
				    MAX_SOURCE_DEPTH);
	FILE *f = infile_open(path, r->progress);
	if (!f)
		return err_system(e, path, errno);
	r->depth++;
	int rc = whole ? run_whole_script(r, f, path, &errors, e) : run_script(r, f, path, e);
	r->depth--;
	fclose(f);
	if (r->errors)
		fputs(text_str(&errors), r->errors);
	else
		out_text(o, "%s", text_str(&errors));
	for (const char *c = text_str(&errors); (c = strchr(c, '\n')); c++)
		n++;
	if (!rc && n)
		rc = err_set(e, "%s: %s of it failed", path, PLURAL(n, "command"));
	return rc;
}

static int cmd_quit(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	(void)s;
	(void)e;
	o->run->in->quit = true;
	return 0;
}

static int cmd_echo(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)s;
	(void)e;
	for (int i = 0; i < args->n; i++)
		out_text(o, "%s%s", i ? " " : "", args->arg[i].word);
	out_text(o, "\n");
	return 0;
}

const struct command session_commands[] = {
	{.name = "source",
	 .group = FILES,
	 .syntax = "source FILE [whole]",
	 .deeds = DEED_LEAVE,
	 .help = "run commands from a file and stop at the first failure; whole: run all, then list the "
		 "failures",
	 .run = cmd_source},
	{.name = "echo",
	 .group = TEACH,
	 .syntax = "echo [TEXT...]",
	 .help = "print the words",
	 .run = cmd_echo},
	{.name = "help",
	 .group = TEACH,
	 .syntax = "help [COMMAND|TOPIC]...",
	 .help = "list commands and topics, or explain one of them",
	 .json = "commands[] object commands\n"
		 "commands[].name string its name\n"
		 "commands[].group string(Look/What if/Explain/Judge/Teach/Files) what it is for\n"
		 "commands[].syntax string how it is typed\n"
		 "commands[].help string what it does\n"
		 "commands[].details string? more about the command that you asked for\n"
		 "commands[].finds string? when the exit status in batch is 1 although the command did not "
		 "fail\n"
		 "commands[].screen boolean it needs the screen\n"
		 "topics[] object? topics; an empty list if the word is no topic\n"
		 "topics[].name string its name\n"
		 "topics[].also[] string other words that lead to it\n"
		 "topics[].text string what it is\n"
		 "topics[].source string? where that is written\n"
		 "topics[].try string a command line that shows it\n"
		 "names[] object? other things with this name, or of this kind\n"
		 "names[].kind string(option/pane/column/key/action/word/rule/figure/limit/fabric) what it "
		 "is\n"
		 "names[].name string its name\n"
		 "names[].place string? of a column its pane, of a key where it holds\n"
		 "names[].syntax string? what is typed behind it\n"
		 "names[].text string what it tells\n",
	 .run = cmd_help},
	{.name = "schema",
	 .group = TEACH,
	 .syntax = "schema [COMMAND] | schema json-schema",
	 .help = "print the keys of the JSON objects, with their types; of all commands, or of one",
	 .json = "version integer(1..)? version of the keys\n"
		 "json_schema any? the JSON Schema\n"
		 "common[] object? keys that all objects have\n"
		 "common[].key string where it stands: a.b, a[] for elements of lists, * for any key\n"
		 "common[].type string string, integer, number, boolean, object, null, with | between; any\n"
		 "common[].kind string? the kind of value that the type stands for\n"
		 "common[].min integer(..)? of a number: it is not less\n"
		 "common[].max integer? nor more\n"
		 "common[].words[] string? the only words it may be\n"
		 "common[].pattern string? or what matches this regular expression\n"
		 "common[].optional boolean it may be missing\n"
		 "common[].help string what it tells\n"
		 "commands[] object? commands\n"
		 "commands[].name string its name\n"
		 "commands[].keys[] object keys of its object when it did not fail\n"
		 "commands[].keys[].key string as in common\n"
		 "commands[].keys[].type string as in common\n"
		 "commands[].keys[].kind string? as in common\n"
		 "commands[].keys[].min integer(..)? as in common\n"
		 "commands[].keys[].max integer? as in common\n"
		 "commands[].keys[].words[] string? as in common\n"
		 "commands[].keys[].pattern string? as in common\n"
		 "commands[].keys[].optional boolean as in common\n"
		 "commands[].keys[].help string as in common\n",
	 .prints = prints_schema,
	 .run = cmd_schema},
	{.name = "quit",
	 .group = FILES,
	 .syntax = "quit",
	 .deeds = DEED_LEAVE,
	 .help = "leave",
	 .run = cmd_quit},
	{.name = NULL},
};

/* `export prometheus`: figures for a monitor. */

/* Prometheus' text form, version 0.0.4: HELP and TYPE once, then the samples. */
static void metric(FILE *f, const char *name, const char *help)
{
	fprintf(f, "# HELP ibscope_%s %s\n# TYPE ibscope_%s gauge\n", name, help, name);
}

static void gauge(FILE *f, const char *name, double v, const char *help)
{
	metric(f, name, help);
	fprintf(f, "ibscope_%s %.15g\n", name, v);
}

/* NAME="VALUE" with what the form wants escaped; controls are made clean. */
static void label(FILE *f, char before, const char *name, const char *value)
{
	AUTO_TEXT struct text t = {0};

	clean_line(&t, value);
	fprintf(f, "%c%s=\"", before, name);
	for (const char *c = text_str(&t); *c; c++)
		fprintf(f, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	putc('"', f);
}

/* The labels of a port: names[] are those of its node, GUID and number. */
static void port_labels(FILE *f, const struct fabric *fab, uint32_t port, char before,
			const char *const names[3])
{
	char s[32];

	label(f, before, names[0], fab->node_name[fab->port_node[port]]);
	snprintf(s, sizeof(s), "0x%016" PRIx64, fab->node_guid[fab->port_node[port]]);
	label(f, ',', names[1], s);
	snprintf(s, sizeof(s), "%u", fab->port_num[port]);
	label(f, ',', names[2], s);
}

struct monitor_command_hot {
	uint32_t port, load;
};

COMPARATOR(by_load, struct monitor_command_hot, DOWN(load) UP(port))

static int link_loads(FILE *f, const struct sweep *w, uint64_t most, struct progress *p, struct err *e)
{
	static const char *const of_port[] = {"node", "guid", "port"};
	static const char *const of_peer[] = {"peer", "peer_guid", "peer_port"};
	const struct topo *t = w->topo;
	const struct fabric *fab = w->fabric;
	AUTO_ARENA struct loads *l = loads_new(w->routing, &pattern_all, p);
	uint32_t n = 0;

	if (!l)
		return err_set(e, CANCELLED);
	gauge(f, "link_load_max_routes", l->max,
	      "Most routes between hosts on one link between switches, in one direction.");
	gauge(f, "link_load_mean_routes", l->mean, "Mean routes between hosts on links between switches.");
	AUTO_FREE struct monitor_command_hot *hot =
		NEW_ARRAY((size_t)l->n_links + 1, struct monitor_command_hot);
	for (uint32_t s = 0; s < fab->n_switches; s++)
		FOR_PORTS(fab, s, id)
			if (t->peer_switch[id] != NO_ID)
				hot[n++] = (struct monitor_command_hot){id, l->port[id]};
	qsort(hot, n, sizeof(*hot), by_load);
	if (n && most)
		metric(f, "link_load_routes",
		       "Routes between hosts that leave through the port; the highest.");
	for (uint32_t i = 0; i < n && i < most; i++) {
		fprintf(f, "ibscope_link_load_routes");
		port_labels(f, fab, hot[i].port, '{', of_port);
		port_labels(f, fab, t->peer[hot[i].port], ',', of_peer);
		fprintf(f, "} %u\n", hot[i].load);
	}
	return 0;
}

/* Every kind has a sample, 0 too: so a query need not know what is absent. */
static int findings(FILE *f, const struct session *s, struct progress *p, struct err *e)
{
	struct diagnosis *d = session_diagnose(s, NULL, p, e);
	const char *kind, *meaning;

	if (!d)
		return -1;
	metric(f, "findings", "Findings of doctor by kind.");
	for (size_t i = 0; doctor_rule(i, &kind, &meaning); i++) {
		unsigned n = 0;

		for (size_t k = 0; k < d->n; k++)
			n += !strcmp(d->finding[k].kind, kind);
		fprintf(f, "ibscope_findings");
		label(f, '{', "kind", kind);
		fprintf(f, "} %u\n", n);
	}
	metric(f, "findings_by_severity", "Findings of doctor by severity.");
	for (int i = 0; i < SEVERITIES; i++)
		fprintf(f, "ibscope_findings_by_severity{severity=\"%s\"} %u\n", severity_word[i],
			d->count[i]);
	diagnosis_free(d);
	return 0;
}

/* When was the fabric read?  Of a file: its last change.  Synthetic fabrics have no such time. */
static void reading(FILE *f, const struct session *s)
{
	double now = (double)time(NULL), age = session_reading_age(s);
	struct stat st;

	if (age < 0 && strcmp(s->loaded->format, "synthetic") != 0 && !stat(s->loaded->source, &st) &&
	    S_ISREG(st.st_mode))
		age = now - (double)st.st_mtime;
	if (age < 0)
		return;
	gauge(f, "reading_timestamp_seconds", now - (double)(int64_t)age,
	      "When the fabric was read, since 1970; of a file, when it was last changed.");
	gauge(f, "reading_age_seconds", (double)(int64_t)age, "Age of that when this was written.");
}

int write_prometheus(struct session *s, FILE *f, uint64_t most, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *fab = w->fabric;
	struct progress *p = o->run->progress;
	struct judgement j = {.sound = false};
	uint32_t hosts = 0, up = 0;
	int rc = check_quietly(s, w, &j, o, e);

	assert(w->routing);
	text_free(&j.said);
	struct cdg *c = rc ? NULL : cdg_new_loops(w->routing, p, e);
	if (!c)
		return -1;
	for (uint32_t ep = 0; ep < fab->n_endports; ep++) {
		hosts += w->hosts->in[ep];
		up += w->hosts->in[ep] && w->topo->endport_up[ep];
	}
	metric(f, "info", "The fabric and its routing; always 1.");
	fprintf(f, "ibscope_info");
	label(f, '{', "source", fab->source);
	label(f, ',', "engine", w->routing->engine);
	fprintf(f, "} 1\n");
	reading(f, s);
	gauge(f, "complete", !fab->warnings.missing, "1: the whole fabric is known.");
	gauge(f, "sound", j.sound,
	      "1: every host reaches every host, without credit loops, as check judges.");
	gauge(f, "host_ports", hosts, "Host ports that count.");
	gauge(f, "host_ports_up", up, "Of these: reached by the subnet manager.");
	gauge(f, "switches", fab->n_switches, "Switches of the fabric.");
	gauge(f, "switches_up", w->topo->n_switches_up, "Of these: reached by the subnet manager.");
	gauge(f, "links", fab->n_links, "Cables of the fabric.");
	gauge(f, "links_up", w->topo->n_links_up, "Of these: up, between reached ports.");
	gauge(f, "pairs", (double)j.counts.pairs, "Ordered pairs of hosts that are up, one for each LID.");
	gauge(f, "lost_pairs", (double)j.counts.unreachable, "Of these: without a path.");
	gauge(f, "cut_off_ports", j.cut_off, "Ports that are up but not reached by the subnet manager.");
	gauge(f, "longest_path_links", j.counts.max_hops, "Links of the longest path.");
	gauge(f, "credit_loop_groups", c->n_components, "Groups of channels with credit loops.");
	arena_free(c);
	return findings(f, s, p, e) || link_loads(f, w, most, p, e) ? -1 : 0;
}
