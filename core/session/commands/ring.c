/* `ring-order`: in which order should the hosts of a ring stand? */
#include <inttypes.h>
#include <stdlib.h>

#include "core/analysis/traffic/flows.h"
#include "core/analysis/traffic/ring_order.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/session/commands/commands.h"
#include "core/session/patterns.h"

#define SHOWN 10 /* links, and flows of each */

static json_t *cost_json(const struct ring_cost *c)
{
	return json_make("{s:i, s:i, s:I, s:i}", "most", (int)c->max, "links", (int)c->links, "meet",
			 (json_int_t)c->meet, "lost", (int)c->lost);
}

static void tell_cost(const char *what, const struct ring_cost *c, struct out *o)
{
	if (c->max > 1)
		out_text(o, "%s: most flows on a link %u, on %s; %s of flows meet", what, c->max,
			 PLURAL(c->links, "directed link"), PLURAL(c->meet, "pair"));
	else
		out_text(o, "%s: no two flows on a link", what);
	if (c->lost)
		out_text(o, "; %s without a way: see check", PLURAL(c->lost, "flow"));
	out_text(o, ".\n");
}

struct ring_command_hot {
	uint32_t port, flows;
};

COMPARATOR(most_first, struct ring_command_hot, DOWN(flows) UP(port))

/* Links with two flows or more, and who meets there. */
static int tell_collisions(const struct sweep *w, const struct ring_order *x, const struct pattern *p,
			   bool all, struct out *o, struct err *e)
{
	const struct fabric *f = w->fabric;
	struct ring_command_hot *hot = NEW_ARRAY(f->n_ports + 1, struct ring_command_hot);
	json_t *list = json_array();
	uint32_t n = 0, shown;

	for (uint32_t port = 0; port < f->n_ports; port++)
		if (x->flows[port] > 1)
			hot[n++] = (struct ring_command_hot){port, x->flows[port]};
	qsort(hot, n, sizeof(*hot), most_first);
	shown = n < SHOWN || all ? n : SHOWN;
	for (uint32_t i = 0; i < shown; i++) {
		uint32_t peer = w->topo->peer[hot[i].port];
		struct flow_list *l = flows_over(w->routing, p, hot[i].port, o->run->progress, e);
		json_t *obj = json_make("{s:i}", "flows", (int)hot[i].flows), *pairs = json_array();

		if (!l) {
			json_decref(obj);
			json_decref(pairs);
			json_decref(list);
			free(hot);
			return -1;
		}
		out_text(o, ROW_BEGIN "%8u  " ROW_CUT("%s") " -> " ROW_CUT("%s"), hot[i].flows,
			 PORT_LABEL(f, hot[i].port), PORT_LABEL(f, peer));
		for (size_t k = 0; k < l->n; k++) {
			json_t *pair = json_object();

			if (k < SHOWN || all)
				out_text(o, k ? ", %s to %s" : ": " ROW_PROSE "%s to %s",
					 ENDPORT_LABEL(f, l->flow[k].src), ENDPORT_LABEL(f, l->flow[k].dst));
			json_put_endport(pair, "src", f, w->lids, l->flow[k].src);
			json_put_endport(pair, "dst", f, w->lids, l->flow[k].dst);
			json_array_append_new(pairs, pair);
		}
		out_text(o, l->n > SHOWN && !all ? ", ...\n" : "\n");
		json_put_port(obj, "from", f, w->lids, hot[i].port);
		json_put_port(obj, "to", f, w->lids, peer);
		json_object_set_new(obj, "pairs", pairs);
		json_array_append_new(list, obj);
		flow_list_free(l);
	}
	if (n > shown)
		out_text(o, "  ... %s; `ring-order ... all` prints them\n", PLURAL(n - shown, "more link"));
	out_json(o, "collisions", list);
	free(hot);
	return 0;
}

static void ring_command_tell_order(const struct sweep *w, const struct gpus *g, const struct ring_order *x,
				    struct out *o)
{
	const struct fabric *f = w->fabric;
	json_t *list = json_array();
	char name[300], other[300];

	if (x->swap[0] != NO_ID) {
		gpus_host_name(g, f, x->swap[0], name, sizeof(name));
		gpus_host_name(g, f, x->swap[1], other, sizeof(other));
		out_text(o, "The swap of two hosts that helps most: %s and %s.\n", name, other);
		tell_cost("Then", &x->swapped, o);
		out_json(o, "swap",
			 json_make("{s:s, s:s, s:o}", "host", name, "with", other, "then",
				   cost_json(&x->swapped)));
	} else if (x->now.max > 1) {
		out_text(o, "No swap of two hosts helps.\n");
	}
	if (ring_cost_order(&x->best, &x->now) < 0) {
		tell_cost(x->proved ? "The best order" : "The best order found", &x->best, o);
		out_text(o, " ");
		for (uint32_t i = 0; i < g->n_hosts; i++)
			out_text(o, " %s", gpus_host_name(g, f, x->best_order[i], name, sizeof(name)));
		out_text(o, "\n");
	} else {
		out_text(o, x->proved ? "No order is better.\n" : "No better order was found.\n");
	}
	for (uint32_t i = 0; i < g->n_hosts; i++)
		json_array_append_new(list,
				      json_text(gpus_host_name(g, f, x->best_order[i], name, sizeof(name))));
	out_fields(o, json_make("{s:o, s:b, s:o}", "best", cost_json(&x->best), "proved", (int)x->proved,
				"order", list));
}

static int cmd_ring_order(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	bool direct = args_has(args, "direct");
	struct gpus *g = session_gpus(s, w->routing, args, o, e);
	struct pattern p = {0};
	struct ring_order *x = NULL;
	int rc = g ? pattern_gpus(w->routing, g, GPUS_RING, direct, &p, o->run->progress, e) : -1;

	if (!rc)
		x = ring_order_new(w->routing, g, direct, o->run->progress, e);
	rc = x ? 0 : -1;
	if (x) {
		report_scope(s, o);
		tell_gpus(g, o);
		tell_cost("As they stand", &x->now, o);
		out_json(o, "now", cost_json(&x->now));
		rc = tell_collisions(w, x, &p, args->n && args_end(args, "all"), o, e);
	}
	if (!rc)
		ring_command_tell_order(w, g, x, o);
	ring_order_free(x);
	pattern_free(&p);
	gpus_free(g);
	return rc;
}

#define COST_KEYS(k, optional, what)                                                           \
	k " object" optional " " what "\n" k ".most integer most flows on a directed link\n" k \
	  ".links integer links with so many\n" k                                              \
	  ".meet integer pairs of flows on the same link, summed over links\n" k               \
	  ".lost integer flows without a path\n"

const struct command ring_commands[] = {
	{.name = "ring-order",
	 .group = JUDGE,
	 .syntax = "ring-order [direct] [H...] [all]",
	 .help = "find flows of a ring of GPUs that meet, the swap of hosts that mends it, and the best "
		 "order",
	 .details = "  The ring is that of `load-map ring`: hosts by name, or H... as named.  Links are "
		    "those between "
		    "switches, in one\n"
		    "  direction.  Better is: fewer flows without a way, fewer flows on the fullest link, "
		    "fewer such "
		    "links, fewer pairs\n"
		    "  of flows that meet.  Of 8 hosts and fewer, all orders are tried.  Of more: hosts "
		    "switch by switch, "
		    "then swap\n"
		    "  by swap while one helps, also from the order as it is.  The order goes behind "
		    "`load-map ring`, or "
		    "line by line\n"
		    "  into a host file.\n",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE JSON_ABSENT JSON_GPUS COST_KEYS(
		 "now", "",
		 "as the hosts stand") "collisions[] object links with two flows or more: the first, or all\n"
				       "collisions[].from port port that sends\n"
				       "collisions[].to port port at the other end\n"
				       "collisions[].flows integer flows on it\n"
				       "collisions[].pairs[] object these flows\n"
				       "collisions[].pairs[].src endport who sends\n"
				       "collisions[].pairs[].dst endport to whom\n"
				       "swap object? the swap of two hosts that helps most; none: no swap "
				       "helps\n"
				       "swap.host string one host\n"
				       "swap.with string the other\n" COST_KEYS("swap.then", "",
										"the ring then")
					       COST_KEYS("best", "",
							 "the best order found") "proved boolean no order is "
										 "better\n"
										 "order[] string hosts in "
										 "that order\n",
	 .run = cmd_ring_order},
	{.name = NULL},
};
