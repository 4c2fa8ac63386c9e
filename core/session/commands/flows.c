/* `flows`: who shares a link, or the hottest link of a path? */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/flows.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/patterns.h"

#define FLOW_LINES 10 /* groups of a kind, and pairs */

struct flows_command_request {
	struct session *s;
	const struct sweep *w;
	const struct routing *r; /* reference held; with the hosts that count */
	struct host_set *scope;	 /* reference held, for groups by scope */
	bool one_by;		 /* groups of one kind alone */
	enum flow_by by;
	struct pattern pattern;
	uint32_t src, dst; /* ends of a path; NO_ID: `port` is asked for */
	unsigned slid, dlid;
	uint32_t port;
	bool all;
};

/* --- a link --------------------------------------------------------------------------------------- */

static void put_end(json_t *x, const char *key, const struct flows_command_request *rq, enum flow_by by,
		    uint32_t end)
{
	const struct fabric *f = rq->w->fabric;

	if (by == FLOWS_BY_SCOPE) {
		json_put_switch(x, key, f, rq->w->lids, NO_ID);
		json_object_set_new(x, key, json_text(flow_end_label(f, by, end, NULL, 0)));
	} else if (by == FLOWS_BY_HOST || by == FLOWS_BY_PAIR)
		json_put_endport(x, key, f, rq->w->lids, end);
	else
		json_put_switch(x, key, f, rq->w->lids, end);
}

/* Groups of one kind: lines, and as a list under a key. */
static void tell_groups(const struct flows_command_request *rq, const struct flow_list *l, enum flow_by by,
			const char *title, const char *key, struct out *o)
{
	size_t n, limit = rq->all ? SIZE_MAX : FLOW_LINES;
	AUTO_FREE struct flow_group *g = flow_groups(l, rq->r, by, rq->scope, &n);
	json_t *list = json_array();

	if (n)
		out_text(o, "%s:\n", title);
	for (size_t i = 0; i < n && (i < limit || o->object); i++) {
		if (i < limit) {
			const struct fabric *f = rq->w->fabric;
			char a[300], b[300];

			out_text(o, ROW_BEGIN "%8" PRIu64 "  ", g[i].pairs);
			flow_end_label(f, by, g[i].from, a, sizeof(a));
			if (g[i].from == NO_ID)
				out_text(o, "to " ROW_CUT("%s") "\n",
					 flow_end_label(f, by, g[i].to, b, sizeof(b)));
			else if (g[i].to == NO_ID)
				out_text(o, "from " ROW_CUT("%s") "\n",
					 flow_end_label(f, by, g[i].from, a, sizeof(a)));
			else
				out_text(o, ROW_CUT("%s") " -> " ROW_CUT("%s") "\n",
					 flow_end_label(f, by, g[i].from, a, sizeof(a)),
					 flow_end_label(f, by, g[i].to, b, sizeof(b)));
		}
		if (!o->object)
			continue;
		json_t *x = json_make("{s:I}", "pairs", (json_int_t)g[i].pairs);
		put_end(x, "from", rq, by, g[i].from);
		put_end(x, "to", rq, by, g[i].to);
		json_array_append_new(list, x);
	}
	if (n > limit)
		out_text(o, "  ... %s; `flows ... all` prints them\n", PLURAL(n - limit, "more line"));
	out_json(o, key, list);
}

static bool tell_pairs(const struct flows_command_request *rq, const struct flow_list *l, struct out *o)
{
	size_t limit = rq->all ? SIZE_MAX : FLOW_LINES;
	json_t *list = json_array();
	bool go_on = true;

	if (l->n)
		out_text(o, "Pairs:\n");
	for (size_t i = 0; i < l->n && i < limit && go_on; i++) {
		const struct flow *w = &l->flow[i];

		go_on = i % 256 || !progress_cancelled(o->run->progress);
		out_text(o, "%8u  " ROW_CUT("%s") " -> " ROW_CUT("%s") "\n", w->weight,
			 ENDPORT_LABEL(rq->w->fabric, w->src), ENDPORT_LABEL(rq->w->fabric, w->dst));
		if (!o->object)
			continue;
		json_t *x = json_make("{s:i, s:i}", "dlid", (int)w->lid, "pairs", (int)w->weight);
		json_put_endport(x, "src", rq->w->fabric, rq->w->lids, w->src);
		json_put_endport(x, "dst", rq->w->fabric, rq->w->lids, w->dst);
		json_array_append_new(list, x);
	}
	if (l->n > limit)
		out_text(o, "  ... %s; `flows ... all` prints them\n", PLURAL(l->n - limit, "more pair"));
	out_json(o, "flows", list);
	return go_on;
}

static int flows_command_tell_link(const struct flows_command_request *rq, uint32_t port, struct out *o,
				   struct err *e)
{
	assert(port < rq->w->fabric->n_ports);

	const struct fabric *f = rq->w->fabric;
	uint32_t peer = rq->w->topo->peer[port];
	struct flow_list *l = flows_over(rq->r, &rq->pattern, port, o->run->progress, e);
	char b[300] = "nothing";
	bool done = true;

	assert(port < rq->s->fabric->n_ports);
	if (!l)
		return -1;
	if (peer != NO_ID)
		port_label(f, peer, b, sizeof(b));
	json_t *told = json_make("{s:o, s:o, s:I, s:s}", "port", json_port(f, rq->w->lids, port), "peer",
				 json_port(f, rq->w->lids, peer), "pairs", (json_int_t)l->pairs, "by",
				 flow_by_word[rq->by]);

	out_text(o, "%s -> %s: %s of hosts%s", PORT_LABEL(f, port), b, PLURAL(l->pairs, "pair"),
		 peer == NO_ID ? "; the port is down" : "");
	load_tell_rate(f, port, (uint32_t)l->pairs, channels_fastest(rq->w->topo), told, o);
	out_text(o, "\n");
	out_fields(o, told);
	if (rq->one_by) {
		tell_groups(rq, l, rq->by, "Groups", "groups", o);
	} else {
		tell_groups(rq, l, FLOWS_BY_SOURCE, "By source switch", "sources", o);
		tell_groups(rq, l, FLOWS_BY_DESTINATION, "By destination switch", "destinations", o);
		tell_groups(rq, l, FLOWS_BY_SWITCHES, "By both", "groups", o);
		done = tell_pairs(rq, l, o);
	}
	flow_list_free(l);
	return done ? 0 : err_set(e, CANCELLED);
}

/* --- a path --------------------------------------------------------------------------------------- */

struct channel_load {
	uint32_t port, load, place;
	double by_rate;	    /* routes_by_rate() */
	uint32_t strangers; /* routes of the same pattern among all hosts outside of the scope */
};

COMPARATOR(hottest_first, struct channel_load, DOWN(by_rate) UP(place))

/* Sending ports of a path between switches, in order. On a single switch: the host's port. */
static uint32_t flows_command_channels_of(const struct flows_command_request *rq, const struct path *p,
					  struct channel_load *c)
{
	const struct topo *t = rq->w->topo;
	uint32_t n = 0, last = NO_ID;

	for (unsigned i = 0; i < p->n; i++) {
		if (!p->hop[i].out || p->hop[i].out == NO_PATH)
			continue;
		last = switch_port_id(t->fabric, p->hop[i].sw, p->hop[i].out);
		if (t->peer_switch[last] != NO_ID)
			c[n++] = (struct channel_load){.port = last, .place = i};
	}
	if (!n && last != NO_ID)
		c[n++] = (struct channel_load){.port = last};
	return n;
}

/* What all who are outside of the scope put on the links of a path, were they one job with the same pattern.
 */
static int find_strangers(const struct flows_command_request *rq, const struct args *args,
			  struct channel_load *c, uint32_t n, struct out *o, struct err *e)
{
	const struct fabric *f = rq->w->fabric;
	struct command_run run = *o->run; /* takes text and fields that nobody reads */
	struct out quiet = {.run = &run, .object = json_object(), .lines = json_array()};
	AUTO_FREE uint8_t *outside = NEW_ARRAY(f->n_endports + 1, uint8_t);
	struct pattern pattern;
	AUTO_ARENA struct loads *l = NULL;

	run.json = true;
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		outside[ep] = !rq->w->hosts->in[ep] && !endport_is_switch(f, ep);
	struct scope *others = scope_new(f, "others", outside);
	AUTO_ROUTING struct routing *r = routing_in_scope(rq->s, others);
	int rc = session_pattern(rq->s, r, args, &pattern, &quiet, e);
	if (rc && !progress_cancelled(o->run->progress)) {
		rc = 0; /* it names hosts of the scope, so strangers have no such flows */
	} else if (!rc) {
		l = loads_new(r, &pattern, o->run->progress);
		rc = l ? 0 : err_set(e, CANCELLED);
		pattern_free(&pattern);
	}
	for (uint32_t i = 0; l && i < n; i++)
		c[i].strangers = l->port[c[i].port];
	scope_unref(others);
	text_free(&quiet.partial);
	json_decref(quiet.lines);
	json_decref(quiet.object);
	return rc;
}

/* The hottest link of a path, and the routes that share it. */
static int tell_path(const struct flows_command_request *rq, const struct args *args, struct out *o,
		     struct err *e)
{
	bool scoped = session_scope(rq->s) && rq->by != FLOWS_BY_SCOPE;
	struct path p;
	uint32_t port = NO_ID;

	path_trace(rq->w->routing, rq->src, rq->slid, rq->dlid, &p);
	int rc = p.end == PATH_OK ? 0 : err_set(e, "there is no path: %s", path_end_text(p.end));
	AUTO_FREE struct channel_load *c = NEW_ARRAY(p.n + 1, struct channel_load);
	uint32_t n = flows_command_channels_of(rq, &p, c);
	if (!rc && !n)
		rc = err_set(e, "the path passes no switch");
	AUTO_ARENA struct loads *l = rc ? NULL : loads_new(rq->r, &rq->pattern, o->run->progress);
	if (!rc && !l)
		rc = err_set(e, CANCELLED);
	if (!rc && scoped)
		rc = find_strangers(rq, args, c, n, o, e);
	if (!rc) {
		const struct topo *t = rq->w->topo;
		double fastest = channels_fastest(t);
		json_t *list = json_array();

		for (uint32_t i = 0; i < n; i++) {
			c[i].load = l->port[c[i].port];
			c[i].by_rate = routes_by_rate(t->fabric, c[i].port, c[i].load, fastest);
		}
		qsort(c, n, sizeof(*c), hottest_first);
		port = c[0].port;
		out_text(o, "Links of the path from %s to %s, most routes first:\n",
			 ENDPORT_LABEL(t->fabric, rq->src), ENDPORT_LABEL(t->fabric, rq->dst));
		if (scoped)
			out_text(o, "%8s %9s\n", "scope", "strangers");
		for (uint32_t i = 0; i < n; i++) {
			json_t *x = json_make("{s:i}", "routes", (int)c[i].load);

			if (scoped) {
				json_object_set_new(x, "strangers", json_integer(c[i].strangers));
				out_text(o, ROW_BEGIN "%8u %9u  ", c[i].load, c[i].strangers);
			} else {
				out_text(o, ROW_BEGIN "%8u  ", c[i].load);
			}
			out_text(o, ROW_CUT("%s") " -> " ROW_CUT("%s"), PORT_LABEL(t->fabric, c[i].port),
				 PORT_LABEL(t->fabric, t->peer[c[i].port]));
			load_tell_rate(t->fabric, c[i].port, c[i].load, fastest, x, o);
			out_text(o, "\n");
			json_put_port(x, "from", t->fabric, rq->w->lids, c[i].port);
			json_put_port(x, "to", t->fabric, rq->w->lids, t->peer[c[i].port]);
			json_array_append_new(list, x);
		}
		out_json(o, "path", list);
	}
	path_free(&p);
	return rc ? rc : flows_command_tell_link(rq, port, o, e);
}

/* --- the command ---------------------------------------------------------------------------------- */

/* With groups by scope, all hosts count, and those of the scope are one group. */
static int count_hosts(struct flows_command_request *rq, struct err *e)
{
	if (rq->by != FLOWS_BY_SCOPE) {
		rq->r = routing_ref(rq->w->routing);
		return 0;
	}
	if (!session_scope(rq->s))
		return err_set(e, "no scope is set: `scope H...` names one job's hosts");
	rq->scope = setup_hosts(rq->s->setup);
	rq->r = routing_in_scope(rq->s, NULL);
	return 0;
}

/* The port, or both ends of a path. */
static int flows_command_take_place(struct flows_command_request *rq, const struct args *args, struct err *e)
{
	const struct arg *src = args_get(args, "SRC"), *dst = args_get(args, "DST");

	rq->src = rq->dst = NO_ID;
	if (!src) {
		rq->port = args->arg[0].id;
		return 0;
	}
	rq->src = src->id;
	rq->slid = src->lid;
	rq->dst = dst->id;
	rq->dlid = dst->lid;
	return rq->src == rq->dst ? err_set(e, "%s and %s are one port, expected two", src->word, dst->word)
				  : 0;
}

static int cmd_flows(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct flows_command_request rq = {
		.s = s, .w = session_sweep(s), .all = args->n > 1 && args_end(args, "all")};

	assert(session_routing(s));
	if (args_has(args, "shared"))
		return load_shared(s, args, o, e);
	int by = args_which(args, flow_by_word, FLOWS_BYS);
	int rc = flows_command_take_place(&rq, args, e);
	rq.one_by = args_has(args, "by");
	rq.by = rq.one_by ? (enum flow_by)by : FLOWS_BY_SWITCHES;
	if (!rc)
		rc = count_hosts(&rq, e);
	if (!rc)
		rc = session_pattern(s, rq.r, args, &rq.pattern, o, e);
	if (!rc) {
		if (rq.by != FLOWS_BY_SCOPE)
			report_scope(s, o);
		rc = rq.src == NO_ID ? flows_command_tell_link(&rq, rq.port, o, e)
				     : tell_path(&rq, args, o, e);
		pattern_free(&rq.pattern);
	}
	routing_unref(rq.r);
	host_set_unref(rq.scope);
	return rc;
}

#define FLOWS_BEHIND "[by switches|source|destination|host|scope|pair] [" PATTERN_SYNTAX "] [all]"

/* Keys of a list of groups. */
#define GROUP_KEYS(k, what)                                                                          \
	k "[] object? " what "\n" k "[].from node from where: a switch, a host, or `the scope` and " \
	  "`others`\n" k "[].to node to where\n" k "[].pairs integer pairs of hosts\n"

#define KEYS_OF_GROUPS GROUP_KEYS("groups", "groups, most pairs first")
#define KEYS_OF_SOURCES GROUP_KEYS("sources", "by source switch")
#define KEYS_OF_DESTINATIONS GROUP_KEYS("destinations", "by destination switch")

const struct command flow_commands[] = {
	{.name = "flows",
	 .group = EXPLAIN,
	 .syntax = "flows NODE[PORT] " FLOWS_BEHIND " | SRC DST " FLOWS_BEHIND " | shared H... [all]",
	 .help = "find who shares a link: the pairs of hosts over it, grouped; of a path: over its busiest "
		 "link",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE JSON_ABSENT JSON_PATTERN JSON_SHARED
	 "port object? the port\n"
	 "port.name node its node\n"
	 "port.port portnum its number\n"
	 "peer object|null? the other end\n"
	 "peer.name node? its node\n"
	 "peer.port portnum? its number\n"
	 "pairs integer? pairs of hosts over it\n"
	 "rate number? " JSON_RATE "by_rate number? " JSON_BY_RATE
	 "by string(switches/source/destination/host/scope/pair)? what groups are grouped by\n" KEYS_OF_GROUPS
	 "groups[].from_port portnum|null? of a host its port\n"
	 "groups[].to_port portnum|null? of a host its port\n" KEYS_OF_SOURCES KEYS_OF_DESTINATIONS
	 "flows[] object? pairs: the first, or all\n"
	 "flows[].src endport source\n"
	 "flows[].dst endport destination\n"
	 "flows[].dlid lid LID of the destination\n"
	 "flows[].pairs integer pairs that it stands for: its weight\n"
	 "path[] object? of a path: its links, most routes first\n"
	 "path[].from port port that sends\n"
	 "path[].to port port at the other end\n"
	 "path[].routes integer routes of the pattern on it\n"
	 "path[].rate number? " JSON_RATE "path[].by_rate number? " JSON_BY_RATE
	 "path[].strangers integer? in a scope: routes that the pattern among all hosts outside puts on it\n",
	 .run = cmd_flows},
	{.name = NULL},
};
