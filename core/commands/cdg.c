/* Commands about layers and channel dependencies. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/cdg.h"
#include "core/commands/commands.h"
#include "core/ucast_cache.h"

#define SHOWN_LINES 20
#define SHOWN_ROUTES 3

/* "leaf-03[19] -> spine-01" */
static const char *channel_text(const struct cdg *c, uint32_t channel, char *buf, size_t size)
{
	const struct topo *t = c->routing->topo;
	uint32_t port = c->port[channel];
	char a[300];

	snprintf(buf, size, "%s -> %s", port_label(t->fabric, port, a, sizeof(a)),
		 t->fabric->node_name[t->fabric->port_node[t->peer[port]]]);
	return buf;
}

/* --- layers ------------------------------------------------------------------------------ */

struct layer_sums {
	uint32_t channels, deps, components, on_cycles;
};

static void sum_layers(const struct cdg *c, struct layer_sums *sum)
{
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
}

static void print_layers(const struct cdg *c, struct out *o)
{
	const struct routing *r = c->routing;
	struct layer_sums sum[CDG_VLS];
	json_t *list = json_array();

	sum_layers(c, sum);
	if (r->ops->n_layers)
		out_text(o, "%s uses %u layers.\n", r->engine, r->ops->n_layers(r));
	out_text(o, "%4s %10s %9s %9s  %s\n", "VL", "routes", "channels", "deps", "credit loops");
	for (unsigned v = 0; v < CDG_VLS; v++) {
		const struct layer_sums *s = &sum[v];

		if (!(c->used >> v & 1))
			continue;
		out_text(o, "%4u %10lu %9u %9u  ", v, c->vl_routes[v], s->channels, s->deps);
		if (s->on_cycles)
			out_text(o, "%u of its channels are on cycles\n", s->on_cycles);
		else
			out_text(o, "none\n");
		json_array_append_new(list, json_pack("{s:i, s:I, s:i, s:i, s:i}", "vl", (int)v, "routes",
						      (json_int_t)c->vl_routes[v], "channels",
						      (int)s->channels, "dependencies", (int)s->deps,
						      "on_cycles", (int)s->on_cycles));
	}
	out_json(o, "layers", list);
}

/* The last word `switches`: routes of switches count as well. */
static bool with_switches(int *argc, char **argv)
{
	bool found = *argc > 1 && !strcmp(argv[*argc - 1], "switches");

	*argc -= found;
	return found;
}

/* In the engine's own words. */
static void tell_layers(const struct routing *r, struct out *o)
{
	const struct routing_ops *ops = routing_origin(r)->ops;
	struct text t = {0};

	if (!ops->explain_layers)
		return;
	ops->explain_layers(r, &t);
	out_text(o, "%s", text_str(&t));
	out_json(o, "explained", json_string(text_str(&t)));
	text_free(&t);
}

static int cmd_layers(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	bool switches = with_switches(&argc, argv);
	struct cdg *c;

	if (!w)
		return -1;
	if (argc != 1)
		return usage(s, "layers", e);
	c = cdg_new(w->routing, CDG_ALL_VLS, switches, &s->progress);
	if (!c)
		return err_set(e, CANCELLED);
	print_layers(c, o);
	cdg_free(c);
	tell_layers(w->routing, o);
	return 0;
}

/* --- cdg -------------------------------------------------------------------------------------- */

int parse_layer(const char *word, int *vl, struct err *e)
{
	char *end;
	unsigned long v = strtoul(word, &end, 10);

	if (!*word || *end || v >= CDG_VLS)
		return err_set(e, "found \"%s\", expected a layer (VL), 0 to %d", word, CDG_VLS - 1);
	*vl = v;
	return 0;
}

static uint32_t *count_inputs(const struct cdg *c)
{
	uint32_t *n = NEW_ARRAY(c->n_channels, uint32_t);

	for (uint32_t i = 0; i < c->n_deps; i++)
		n[c->to[i]]++;
	return n;
}

static void print_channels(const struct cdg *c, uint32_t limit, struct out *o)
{
	uint32_t *in = count_inputs(c), cyclic = 0;
	json_t *list = json_array();
	char a[700];

	for (uint32_t v = 0; v < c->n_channels; v++)
		cyclic += c->component[v] != NO_ID;
	out_text(o, "%u channels, %u dependencies, %u channels on cycles\n", c->n_channels, c->n_deps,
		 cyclic);
	out_text(o, "%4s %5s %5s %9s  %s\n", "VL", "in", "out", "routes", "channel");
	for (uint32_t v = 0; v < c->n_channels && v < limit; v++) {
		uint32_t out = c->first[v + 1] - c->first[v];

		out_text(o, "%4u %5u %5u %9u  %s%s\n", c->vl[v], in[v], out, c->load[v],
			 channel_text(c, v, a, sizeof(a)), c->component[v] == NO_ID ? "" : "  (cycle)");
		json_array_append_new(list,
				      json_pack("{s:i, s:s, s:i, s:i, s:i, s:b}", "vl", (int)c->vl[v],
						"channel", a, "in", (int)in[v], "out", (int)out, "routes",
						(int)c->load[v], "cycle", (int)(c->component[v] != NO_ID)));
	}
	if (c->n_channels > limit)
		out_text(o, "  ... %u more channels; `cdg ... all` prints them\n", c->n_channels - limit);
	out_json(o, "cdg",
		 json_pack("{s:i, s:i, s:i, s:o}", "channels", (int)c->n_channels, "dependencies",
			   (int)c->n_deps, "on_cycles", (int)cyclic, "list", list));
	free(in);
}

static int cmd_cdg(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	uint32_t limit = SHOWN_LINES;
	int vl = CDG_ALL_VLS;
	bool switches;
	struct cdg *c;

	if (!w)
		return -1;
	if (argc > 1 && !strcmp(argv[argc - 1], "all")) {
		limit = UINT32_MAX;
		argc--;
	}
	switches = with_switches(&argc, argv);
	if (argc > 2)
		return usage(s, "cdg", e);
	if (argc == 2 && parse_layer(argv[1], &vl, e))
		return -1;
	c = cdg_new(w->routing, vl, switches, &s->progress);
	if (!c)
		return err_set(e, CANCELLED);
	print_channels(c, limit, o);
	cdg_free(c);
	return 0;
}

/* --- cycles ---------------------------------------------------------------------------------------- */

static void print_route(const struct cdg *c, const struct cdg_route *r, struct out *o)
{
	const struct fabric *f = c->routing->topo->fabric;
	char a[300], b[300];

	out_text(o, " %s to %s (LID %u)", endport_label(f, r->source, a, sizeof(a)),
		 endport_label(f, lid_owner(c->routing->lids, r->dlid), b, sizeof(b)), r->dlid);
}

/* A cycle, and the routes that make it. */
static json_t *print_cycle(const struct cdg *c, const uint32_t *cycle, uint32_t n, bool routes, struct out *o)
{
	json_t *list = json_array();
	char a[700];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t d = cdg_dependency(c, cycle[i], cycle[(i + 1) % n]);
		struct cdg_route r[SHOWN_ROUTES];
		size_t n_routes = routes ? cdg_routes(c, d, r, SHOWN_ROUTES) : 0;

		out_text(o, "    %s%s\n", channel_text(c, cycle[i], a, sizeof(a)),
			 i + 1 < n ? "" : "  and round again");
		json_array_append_new(list, json_pack("{s:s, s:i, s:i}", "channel", a, "vl",
						      (int)c->vl[cycle[i]], "routes_on", (int)c->routes[d]));
		for (size_t k = 0; k < n_routes; k++) {
			out_text(o, k ? "," : "        goes on by");
			print_route(c, &r[k], o);
		}
		if (n_routes)
			out_text(o, c->routes[d] > n_routes ? ", ... (%u routes)\n" : "\n", c->routes[d]);
	}
	return list;
}

/* Groups that are not shown, and the VLs they are on. */
static void print_rest(const struct cdg *c, uint32_t limit, struct out *o)
{
	uint32_t vls = 0;
	char a[40];

	if (c->n_components <= limit)
		return;
	for (uint32_t v = 0; v < c->n_channels; v++)
		if (c->component[v] != NO_ID && c->component[v] >= limit)
			vls |= 1u << c->vl[v];
	out_text(o, "  ... and %s more of channels with credit loops, on VL",
		 plural(c->n_components - limit, "group", a, sizeof(a)));
	for (unsigned v = 0; v < CDG_VLS; v++)
		if (vls >> v & 1)
			out_text(o, " %u", v);
	out_text(o, "; `cycles all` prints them\n");
}

uint32_t report_cycles(const struct cdg *c, uint32_t limit, bool routes, struct out *o)
{
	uint32_t *cycle = NEW_ARRAY(c->n_channels, uint32_t);
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->n_components && i < limit; i++) {
		uint32_t n = cdg_cycle(c, i, cycle);
		json_t *channels;

		out_text(o, "VL %u: credit loops among %u channels; a shortest one has %u (group %u):\n",
			 c->vl[cycle[0]], c->size[i], n, i + 1);
		channels = print_cycle(c, cycle, n, routes, o);
		json_array_append_new(list, json_pack("{s:i, s:i, s:i, s:i, s:o}", "group", (int)i + 1, "vl",
						      (int)c->vl[cycle[0]], "channels", (int)c->size[i],
						      "length", (int)n, "cycle", channels));
	}
	print_rest(c, limit, o);
	out_json(o, "credit_loops", list);
	free(cycle);
	return c->n_components;
}

static int cmd_cycles(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	uint32_t limit = SHOWN_ROUTES;
	bool switches;
	struct cdg *c;

	if (!w)
		return -1;
	if (argc > 1 && !strcmp(argv[argc - 1], "all")) {
		limit = UINT32_MAX;
		argc--;
	}
	switches = with_switches(&argc, argv);
	if (argc != 1)
		return usage(s, "cycles", e);
	c = cdg_new(w->routing, CDG_ALL_VLS, switches, &s->progress);
	if (!c)
		return err_set(e, CANCELLED);
	if (!report_cycles(c, limit, true, o))
		out_text(o, "No credit loops.\n");
	cdg_free(c);
	return 0;
}

#define ABOUT_SWITCHES \
	"  Routes between CA and router ports count; with `switches` also those from and to switches.\n"

const struct command cdg_commands[] = {
	{"layers", "layers [switches]", "virtual lanes in use: routes, channels, dependencies, credit loops",
	 ABOUT_SWITCHES, "w", "switches", cmd_layers},
	{"cdg", "cdg [LAYER] [switches] [all]", "channel dependency graph of a layer (VL), or of all",
	 "  A channel is a directed link on a VL; in and out are dependencies from and to "
	 "others.\n" ABOUT_SWITCHES,
	 "ww", "switches|all", cmd_cdg},
	{"cycles", "cycles [switches] [all]",
	 "credit loops: a shortest cycle of each group, and routes that make it", ABOUT_SWITCHES, "ww",
	 "switches|all", cmd_cycles},
	{0},
};
