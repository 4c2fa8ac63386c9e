/* Commands about layers and channel dependencies. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/cdg.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/sm/ucast_cache.h"

#define SHOWN_LINES 20
#define SHOWN_ROUTES 3

/* "leaf-03[19] -> spine-01" */
static const char *cdg_command_channel_text(const struct cdg *c, uint32_t channel, char *buf, size_t size)
{
	assert(channel < c->n_channels);

	const struct topo *t = c->routing->topo;
	uint32_t port = c->port[channel];

	snprintf(buf, size, "%s -> %s", PORT_LABEL(t->fabric, port),
		 t->fabric->node_name[t->fabric->port_node[t->peer[port]]]);
	return buf;
}

/* The ports of a channel's link: `from` sends, `to` receives. */
static void put_ends(json_t *o, const struct cdg *c, uint32_t channel)
{
	assert(channel < c->n_channels);

	const struct routing *r = c->routing;

	json_put_port(o, "from", r->topo->fabric, r->lids, c->port[channel]);
	json_put_port(o, "to", r->topo->fabric, r->lids, r->topo->peer[c->port[channel]]);
}

/* --- layers ------------------------------------------------------------------------------ */

struct layer_sums {
	uint32_t channels, deps, components, on_cycles;
};

/* Names the engine's layers that have no row. */
static void cdg_command_tell_missing(const struct cdg *c, struct out *o)
{
	const struct routing *r = c->routing;
	unsigned layers = r->ops->n_layers && routing_vl_by_sl(r) && !routing_layers_idle(r)
				  ? r->ops->n_layers(r)
				  : 0,
		 rows = (unsigned)__builtin_popcount(c->used);

	if (layers <= rows)
		return;
	out_text(o, "No routes between %s are on %s", c->switches ? "endports" : "hosts",
		 PLURAL(layers - rows, "layer"));
	out_text(o, c->switches ? ".\n" : "; `layers switches` counts those of switches.\n");
}

uint64_t report_dropped(const struct cdg *c, struct out *o)
{
	if (c->dropped)
		out_text(o, "%s %s dropped where their SL leads to VL %d.\n", PLURAL(c->dropped, "route"),
			 c->dropped == 1 ? "is" : "are", CDG_DROP_VL);
	out_json(o, "dropped", json_integer((json_int_t)c->dropped));
	return c->dropped;
}

static void print_layers(const struct cdg *c, struct out *o)
{
	const struct routing *r = c->routing;
	struct layer_sums sum[CDG_VLS];
	json_t *list = json_array();
	uint32_t last = 0; /* components are numbered by their first channel */

	memset(sum, 0, CDG_VLS * sizeof(*sum));
	for (uint32_t v = 0; v < c->n_channels; v++) {
		struct layer_sums *s = &sum[c->vl[v]];

		s->channels++;
		s->deps += c->first[v + 1] - c->first[v];
		if (c->component[v] == NO_ID)
			continue;
		s->on_cycles++;
		if (c->component[v] == last) {
			s->components++;
			last++;
		}
	}
	if (r->ops->n_layers) {
		unsigned available = r->ops->layers_available ? r->ops->layers_available(r) : 0;

		out_text(o, "%s uses %s", r->engine, PLURAL(r->ops->n_layers(r), "layer"));
		if (available)
			out_text(o, " of %u available", available);
		out_text(o, "%s.\n", routing_layers_idle(r) ? "; qos is off, so they are not in force" : "");
		out_json(o, "used", json_integer(r->ops->n_layers(r)));
		out_json(o, "available", available ? json_integer(available) : json_null());
	}
	out_json(o, "in_force", json_boolean(!routing_layers_idle(r)));
	for (unsigned v = 0; v < CDG_VLS; v++) {
		const struct layer_sums *s = &sum[v];

		if (!(c->used >> v & 1))
			continue;
		json_array_append_new(list, json_make("{s:i, s:I, s:i, s:i, s:i}", "vl", (int)v, "routes",
						      (json_int_t)c->vl_routes[v], "channels",
						      (int)s->channels, "dependencies", (int)s->deps,
						      "on_cycles", (int)s->on_cycles));
	}
	out_json(o, "layers", list);
}

static int cmd_layers(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	bool switches = args_has(args, "switches");

	assert(w && w->routing);
	struct cdg *c = cdg_new(w->routing, CDG_ALL_VLS, switches, o->run->progress, e);
	if (!c)
		return -1;
	print_layers(c, o);
	int rc = print_table(s, "layers", switches ? "switches" : NULL, o, e);
	cdg_command_tell_missing(c, o);
	report_dropped(c, o);
	arena_free(c);
	const struct routing_ops *ops = routing_origin(w->routing)->ops;
	if (ops->explain_layers) { /* in the engine's own words */
		AUTO_TEXT struct text t = {0};

		ops->explain_layers(w->routing, &t);
		out_text(o, "%s", text_str(&t));
		out_json(o, "explained", json_text(text_str(&t)));
	}
	return rc;
}

/* --- cdg -------------------------------------------------------------------------------------- */

/* Dependencies of a VL, or of CDG_ALL_VLS. A dependency between two VLs counts in the first one. */
static void print_channels(const struct cdg *c, int vl, uint32_t limit, struct out *o)
{
	AUTO_FREE uint32_t *in = NEW_ARRAY(c->n_channels, uint32_t);
	AUTO_FREE uint32_t *channel = NEW_ARRAY(c->n_channels, uint32_t);
	uint32_t n = 0, deps = 0, cyclic = 0, at_hosts = 0;
	json_t *list = json_array();
	char a[700];

	for (uint32_t i = 0; i < c->n_deps; i++)
		in[c->to[i]]++;
	for (uint32_t v = 0; v < c->n_channels; v++) {
		if (vl != CDG_ALL_VLS && c->vl[v] != vl)
			continue;
		channel[n++] = v;
		deps += c->first[v + 1] - c->first[v];
		cyclic += c->component[v] != NO_ID;
		at_hosts += cdg_at_host(c, v);
	}
	out_text(o, "%s, %s, %s on cycles\n", PLURAL(n, "channel"), PLURAL(deps, "dependency"),
		 PLURAL(cyclic, "channel"));
	if (at_hosts)
		out_text(o,
			 "%u of them lie between switches and hosts, where no cycle goes: they need no "
			 "layer.\n",
			 at_hosts);
	out_text(o, "%4s %5s %5s %9s  %s\n", "VL", "in", "out", "routes", "channel");
	for (uint32_t i = 0; i < n && i < limit; i++) {
		uint32_t v = channel[i], out = c->first[v + 1] - c->first[v];

		out_text(o, ROW_BEGIN "%4u %5u %5u %9u  ", c->vl[v], in[v], out, c->load[v]);
		tell_pair(cdg_command_channel_text(c, v, a, sizeof(a)), o);
		out_text(o, "%s\n", c->component[v] == NO_ID ? "" : "  (cycle)");
		json_t *obj = json_make("{s:i, s:s, s:i, s:i, s:i, s:b}", "vl", (int)c->vl[v], "channel", a,
					"in", (int)in[v], "out", (int)out, "routes", (int)c->load[v], "cycle",
					(int)(c->component[v] != NO_ID));
		put_ends(obj, c, v);
		json_array_append_new(list, obj);
	}
	if (n > limit)
		out_text(o, "  ... %s; `cdg ... all` prints them\n", PLURAL(n - limit, "more channel"));
	out_json(o, "cdg",
		 json_make("{s:i, s:i, s:i, s:i, s:o}", "channels", (int)n, "dependencies", (int)deps,
			   "on_cycles", (int)cyclic, "at_hosts", (int)at_hosts, "list", list));
}

static int cmd_cdg(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	assert(session_routing(s));
	const struct sweep *w = session_sweep(s);
	const struct arg *layer = args_get(args, "VL");
	int vl = layer ? (int)layer->n : CDG_ALL_VLS;
	AUTO_ARENA struct cdg *c =
		cdg_for_vl(w->routing, vl, args_has(args, "switches"), o->run->progress, e);

	if (!c)
		return -1;
	print_channels(c, vl, args_has(args, "all") ? UINT32_MAX : SHOWN_LINES, o);
	return 0;
}

/* --- cycles ---------------------------------------------------------------------------------------- */

static json_t *print_route(const struct cdg *c, const struct cdg_route *r, struct out *o)
{
	const struct fabric *f = c->routing->topo->fabric;
	const struct lids *l = c->routing->lids;
	uint32_t owner = lid_owner(l, r->dlid);
	json_t *obj = json_make("{s:i}", "dlid", (int)r->dlid);

	out_text(o, " %s to %s (LID %u)", ENDPORT_LABEL(f, r->source), ENDPORT_LABEL(f, owner), r->dlid);
	json_put_endport(obj, "src", f, l, r->source);
	json_put_endport(obj, "dst", f, l, owner);
	return obj;
}

/* At most `max` routes that make a dependency. */
static json_t *print_routes(const struct cdg *c, uint32_t dep, uint32_t max, struct progress *p,
			    struct out *o)
{
	assert(dep < c->n_deps);

	uint32_t room = MIN(c->routes[dep], max);
	AUTO_FREE struct cdg_route *r = NEW_ARRAY(room, struct cdg_route);
	size_t n = cdg_routes(c, dep, r, room, p);
	json_t *list = json_array();

	for (size_t k = 0; k < n; k++) {
		out_text(o, k ? "," : "        " ROW_PROSE "goes on by");
		json_array_append_new(list, print_route(c, &r[k], o));
	}
	if (n)
		out_text(o, c->routes[dep] > max ? ", ... (%s)\n" : "\n", PLURAL(c->routes[dep], "route"));
	return list;
}

/* A cycle, and the VL at each change. Each step shows at most `routes` of the routes that make it. */
static json_t *print_cycle(const struct cdg *c, const uint32_t *cycle, uint32_t n, uint32_t routes,
			   struct progress *p, struct out *o)
{
	assert(n && c->component[cycle[0]] != NO_ID);

	uint32_t vls = c->vls[c->component[cycle[0]]];
	json_t *list = json_array();
	char a[700];

	for (uint32_t i = 0; i < n && !progress_cancelled(p); i++) {
		uint32_t d = cdg_dependency(c, cycle[i], cycle[(i + 1) % n]);

		out_text(o, ROW_BEGIN "    ");
		tell_pair(cdg_command_channel_text(c, cycle[i], a, sizeof(a)), o);
		if (vls & (vls - 1))
			out_text(o, ", VL %u", c->vl[cycle[i]]);
		out_text(o, i + 1 < n ? "\n" : "  and round again\n");
		json_t *step = json_make("{s:s, s:i, s:i}", "channel", a, "vl", (int)c->vl[cycle[i]],
					 "routes_on", (int)c->routes[d]);
		put_ends(step, c, cycle[i]);
		if (routes)
			json_object_set_new(step, "routes", print_routes(c, d, routes, p, o));
		json_array_append_new(list, step);
	}
	return list;
}

static void print_vls(uint32_t vls, struct out *o)
{
	for (unsigned v = 0; v < CDG_VLS; v++)
		if (vls >> v & 1)
			out_text(o, " %u", v);
}

uint32_t report_cycles(const struct cdg *c, uint32_t limit, uint32_t routes, struct progress *p,
		       struct out *o)
{
	AUTO_FREE uint32_t *cycle = NEW_ARRAY(c->n_channels, uint32_t);
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->n_components && i < limit && !progress_cancelled(p); i++) {
		uint32_t n = cdg_cycle(c, i, cycle, p);

		if (!n)
			break;
		out_text(o, c->vls[i] & (c->vls[i] - 1) ? "VLs" : "VL");
		print_vls(c->vls[i], o);
		out_text(o, ": credit loops among %s; a shortest one has %u (group %u):\n",
			 PLURAL(c->size[i], "channel"), n, i + 1);
		json_t *vls = json_array();
		for (unsigned v = 0; v < CDG_VLS; v++)
			if (c->vls[i] >> v & 1)
				json_array_append_new(vls, json_integer(v));
		json_t *group = json_make("{s:i, s:i, s:o, s:i, s:i}", "group", (int)i + 1, "vl",
					  (int)c->vl[cycle[0]], "vls", vls, "channels", (int)c->size[i],
					  "length", (int)n);
		json_object_set_new(group, "cycle", print_cycle(c, cycle, n, routes, p, o));
		json_array_append_new(list, group);
	}
	/* Groups that are not shown, with their VLs. */
	if (c->n_components > limit) {
		uint32_t vls = 0;

		for (uint32_t i = limit; i < c->n_components; i++)
			vls |= c->vls[i];
		out_text(o, "  ... and %s more of channels with credit loops, on VL",
			 PLURAL(c->n_components - limit, "group"));
		print_vls(vls, o);
		out_text(o, "; `cycles all` prints them\n");
	}
	out_json(o, "credit_loops", list);
	out_json(o, "credit_loop_groups", json_integer(c->n_components));
	return c->n_components;
}

static int cmd_cycles(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	uint32_t limit = args_has(args, "all") ? UINT32_MAX : SHOWN_ROUTES;
	uint64_t routes = 0;

	assert(w && w->routing);
	AUTO_ARENA struct cdg *c =
		cdg_new(w->routing, CDG_ALL_VLS, args_has(args, "switches"), o->run->progress, e);
	if (!c)
		return -1;
	uint32_t n = report_cycles(c, limit, limit, o->run->progress, o);
	for (unsigned v = 0; v < CDG_VLS; v++)
		routes += c->vl_routes[v];
	if (!n && !progress_cancelled(o->run->progress))
		out_text(o, routes ? "No credit loops.\n" : "No routes: no credit loops to be judged.\n");
	report_missing(w->fabric, o);
	report_dropped(c, o);
	bool cancelled = progress_cancelled(o->run->progress);
	return cancelled ? err_set(e, CANCELLED) : 0;
}

const struct command cdg_commands[] = {
	{.name = "layers",
	 .group = LOOK,
	 .at_step = true,
	 .syntax = "layers [switches]",
	 .help = "show the virtual lanes in use: routes, channels, dependencies, credit loops",
	 .needs = NEEDS_ROUTING,
	 .json = "in_force boolean false: qos is off\n"
		 "used integer? layers that the engine uses\n"
		 "available integer|null? layers that the VLs allow; null: the engine does not tell\n"
		 "layers[] object VLs in use\n"
		 "layers[].vl vl the VL\n"
		 "layers[].routes integer =routes of a VL\n"
		 "layers[].channels integer channels\n"
		 "layers[].dependencies integer =dependencies\n"
		 "layers[].on_cycles integer =channels on credit loops\n"
		 "dropped integer =dropped routes\n"
		 "explained string? the engine's own words\n" JSON_LIST,
	 .run = cmd_layers},
	{.name = "cdg",
	 .group = EXPLAIN,
	 .at_step = true,
	 .syntax = "cdg [VL] [switches] [all]",
	 .help = "show the channel dependency graph of a VL, or of all VLs",
	 .needs = NEEDS_ROUTING,
	 .json = "cdg object channel dependencies\n"
		 "cdg.channels integer channels\n"
		 "cdg.dependencies integer =dependencies\n"
		 "cdg.on_cycles integer =channels on credit loops\n"
		 "cdg.at_hosts integer channels between switches and hosts, where no cycle goes\n"
		 "cdg.list[] object channels: the first, or all\n"
		 "cdg.list[].vl vl its VL\n"
		 "cdg.list[].channel string the channel as text\n"
		 "cdg.list[].from port port that sends\n"
		 "cdg.list[].to port port at the other end\n"
		 "cdg.list[].in integer dependencies from others\n"
		 "cdg.list[].out integer dependencies to others\n"
		 "cdg.list[].routes integer =routes of a channel\n"
		 "cdg.list[].cycle boolean it is on a credit loop\n",
	 .run = cmd_cdg},
	{.name = "cycles",
	 .group = EXPLAIN,
	 .at_step = true,
	 .syntax = "cycles [switches] [all]",
	 .help = "find credit loops: a shortest cycle of each group, and routes that make it",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_LOOPS,
	 .run = cmd_cycles},
	{.name = NULL},
};
