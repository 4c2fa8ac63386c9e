/* Command why for paths: the explanation of one path, or of a path given as a list. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "core/session/commands/commands.h"
#include "core/sm/port_groups.h"
#include "core/trace/walk.h"

/* --- the story of a path ---------------------------------------------------------------------- */

struct story {
	struct why *y;
	const struct path *p;
	struct why_heard *heard; /* [p->n] */
};

static void why_path_command_hear(void *ctx, const struct rec_choice *c)
{
	struct story *x = ctx;

	for (unsigned i = 0; i < x->p->n; i++)
		if (x->p->hop[i].sw == c->sw)
			why_hear(&x->heard[i], c);
}

static void tell_head(const struct story *x)
{
	const struct path *p = x->p;
	const struct fabric *f = x->y->w->fabric;

	out_text(x->y->o, "%s to %s: ", ENDPORT_LABEL(f, p->src),
		 p->dst == NO_ID ? "a LID that nobody has" : ENDPORT_LABEL(f, p->dst));
	if (p->end != PATH_OK) {
		out_text(x->y->o, "no path (%s).\n", path_end_text(p->end));
		return;
	}
	if (p->n) {
		AUTO_FREE uint16_t *hops = NEW_ARRAY(f->n_switches, uint16_t);

		switch_distances(x->y->w->topo, p->hop[0].sw, hops);
		/* cables on a shortest way between the two switches, without any rule */
		uint32_t least = hops[p->hop[p->n - 1].sw] == NO_HOPS ? NO_ID : hops[p->hop[p->n - 1].sw];
		out_text(x->y->o, "%s, ", PLURAL(p->n - 1, "hop"));
		if (least == p->n - 1)
			out_text(x->y->o, "%s (shortest), ", PLURAL(p->hops, "link"));
		else
			out_text(x->y->o, "%s (shortest of all: %s), ", PLURAL(p->hops, "link"),
				 PLURAL(least, "hop"));
	} else {
		out_text(x->y->o, "%s, ", PLURAL(p->hops, "link"));
	}
	out_text(x->y->o,
		 sl_is_open(p->sl)	? "no SL yet.\n"
		 : p->sl.lo == p->sl.hi ? "SL %u.\n"
					: "SL %u to %u, drawn at random.\n",
		 p->sl.lo, p->sl.hi);
}

/* The node that a hop leads to. At the end of the path: the switch itself. */
static const char *next_name(const struct fabric *f, const struct path_hop *h)
{
	if (!h->out)
		return "itself";
	if (h->out == NO_PATH)
		return "nowhere";
	uint32_t peer = f->port_peer[switch_port_id(f, h->sw, h->out)];
	return peer == NO_ID ? "nothing" : f->node_name[f->port_node[peer]];
}

static int why_path_command_name_width(const struct story *x, bool next)
{
	int most = 0, n;

	for (unsigned i = 0; i < x->p->n; i++) {
		const struct path_hop *h = &x->p->hop[i];

		n = (int)strlen(next ? next_name(x->y->w->fabric, h) : switch_name(x->y->w->fabric, h->sw));
		most = MAX(n, most);
	}
	return MIN(most, 40);
}

static void tell_hops(const struct story *x, json_t *list)
{
	const struct routing *r = x->y->w->routing;
	const struct fabric *f = r->topo->fabric;
	int from = why_path_command_name_width(x, false), to = why_path_command_name_width(x, true);
	bool directed = has_directions(r);

	for (unsigned i = 0; i < x->p->n; i++) {
		const struct path_hop *h = &x->p->hop[i];
		const struct decided *d = &x->heard[i].decided;
		char c = directed && h->out && h->out != NO_PATH ? r->ops->direction(r, h->sw, h->out) : ' ';

		out_text(x->y->o, "  " ROW_COLUMN("%-*s") " ", from, switch_name(f, h->sw));
		if (h->out == NO_PATH)
			out_text(x->y->o, "no entry");
		else
			out_text(x->y->o, "port %-3s", EXIT_NUMBER(f, h->sw, h->out));
		if (directed)
			out_text(x->y->o, " %-5s",
				 c == 'U'   ? "up"
				 : c == 'D' ? "down"
				 : c == '=' ? "level"
					    : "");
		out_text(x->y->o, " " ROW_COLUMN("%-*s") "  " ROW_PROSE "%s%s%s\n", to, next_name(f, h),
			 why_rule_name(d->rule), d->rule ? ": " : "", text_str(&d->text));
		json_t *hop = json_make("{s:o, s:s, s:s}", "port",
					h->out == NO_PATH ? json_null() : json_integer(h->out), "rule",
					why_rule_name(d->rule), "decided", text_str(&d->text));
		json_put_out(hop, "port", f, h->sw, h->out);
		json_put_switch(hop, "switch", f, r->lids, h->sw);
		json_array_append_new(list, hop);
	}
}

/* Was there nothing to choose, or nothing that this path explains? */
static bool forced(enum why_rule rule)
{
	static const enum why_rule list[] = {WHY_ATTACHED,  WHY_OWN_LID,     WHY_ONLY_CANDIDATE, WHY_ONLY_WAY,
					     WHY_ONLY_PATH, WHY_INSIDE_ONLY, WHY_MAIN_PATH,	 WHY_LEARNED};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (rule == list[i])
			return true;
	return false;
}

/* Did the pair of switches get the layer that every pair gets when nothing speaks against it? */
static bool plain_layer(enum why_rule rule)
{
	return rule == WHY_UNTOLD || rule == WHY_SAME_SWITCH || rule == WHY_LOWEST ||
	       rule == WHY_FIRST_LAYER || rule == WHY_LAYER || rule == WHY_SL_BITS;
}

/* Tells the rule that mattered most: of an unusual layer, else of the first choice. */
static void end_story(const struct story *x, const struct decided *layer)
{
	const struct path *p = x->p;
	struct decided d = {0};
	unsigned i = 0;

	if (p->end != PATH_OK) {
		if (x->heard[p->n - 1].decided.rule)
			why_end(x->y, &x->heard[p->n - 1].decided);
		else
			out_text(x->y->o, "At %s: %s\n", switch_name(x->y->w->fabric, p->hop[p->n - 1].sw),
				 text_str(&x->heard[p->n - 1].decided.text));
		return;
	}
	while (i < p->n && forced(x->heard[i].decided.rule))
		i++;
	if (!plain_layer(layer->rule)) {
		why_end(x->y, layer);
	} else if (i < p->n) {
		decide(&d, x->heard[i].decided.rule, "At %s: %s", switch_name(x->y->w->fabric, p->hop[i].sw),
		       text_str(&x->heard[i].decided.text));
		why_end(x->y, &d);
	} else if (layer->rule && layer->rule != WHY_SAME_SWITCH) {
		why_end(x->y, layer);
	} else {
		why_end(x->y, &x->heard[0].decided);
	}
	decided_free(&d);
}

static void tell_story(const struct story *x)
{
	const struct routing *r = x->y->w->routing;
	const struct path *p = x->p;
	AUTO_TEXT struct text t = {0};
	json_t *list = json_array();

	tell_head(x);
	tell_hops(x, list);
	if (p->end == PATH_OK) {
		const struct routing_ops *ops = routing_origin(r)->ops;

		/* SL and layer in words. */
		if (x->y->walk && ops->explain_pair && x->p->sl.lo > x->p->sl.hi)
			text_add(&t, "No layer yet: the pair has none at step %zu.\n", walk_step(x->y->walk));
		else if (x->y->walk && ops->explain_pair)
			text_add(&t,
				 x->p->sl.lo == x->p->sl.hi ? "SL %u at step %zu.\n"
							    : "SL %u on at step %zu.\n",
				 x->p->sl.lo, walk_step(x->y->walk));
		else if (ops->explain_pair)
			ops->explain_pair(r, x->p->slid, x->p->dlid, &t, x->y->o->run->progress);
		else if (r->sl_tables)
			text_add(&t, "SL and VL as the maps and files given tell.\n");
		else
			text_add(&t, "SL %u, VL %u: %s leaves SLs to partitions and QoS.\n", x->p->sl.lo,
				 x->p->n ? x->p->hop[0].vl : 0, r->engine);
		if (r->sl_unread)
			text_add(&t, QOS_UNREAD_PAIR);
	}
	out_text(x->y->o, "%s", text_str(&t));
	json_t *pair = json_make("{s:i, s:i, s:s, s:o}", "sl_min", (int)p->sl.lo, "sl_max", (int)p->sl.hi,
				 "text", text_str(&t), "path", list);
	if (p->end == PATH_OK && p->n) {
		json_object_set_new(pair, "hops", json_integer(p->n - 1));
		json_object_set_new(pair, "links", json_integer(p->hops));
	}
	json_put_endport(pair, "src", r->topo->fabric, r->lids, p->src);
	json_put_endport(pair, "dst", r->topo->fabric, r->lids, p->dst);
	out_json(x->y->o, "pair", pair);
}

/*
 * Prints one line for each switch of a path, with its rule (tell), and at the end the rule that mattered
 * most.  The engine is asked for the rule of the layer.
 */
static int why_story(struct why *y, const struct path *p, bool tell, struct err *e)
{
	const struct routing *r = y->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	struct story x = {.y = y, .p = p, .heard = NEW_ARRAY(p->n + 1, struct why_heard)};
	struct rec_ask q = {
		.tell = why_path_command_hear, .ctx = &x, .sw = NO_ID, .lid = p->dlid, .last = true};
	struct decided layer = {0};
	int rc = why_repeat(y, &q, e);

	for (unsigned i = 0; !rc && i < p->n; i++) {
		uint32_t sw = x.p->hop[i].sw;
		AUTO_TEXT struct text t = {0};
		size_t when;

		/* At a step: lists the decided entries, and says why the next one is still open. */
		if (!why_open(x.y, sw, x.p->dlid, &t, &when)) {
			why_settle(x.y->w, sw, x.p->dlid, &x.heard[i]);
		} else if (x.p->hop[i].out == NO_PATH || !x.heard[i].decided.rule) {
			/* nor does the engine report a route found before its entries */
			decided_free(&x.heard[i].decided);
			text_add(&x.heard[i].decided.text, "%s.", text_str(&t));
		}
	}
	if (!rc && p->end == PATH_OK && ops->decide_pair && !y->walk)
		ops->decide_pair(r, p->slid, p->dlid, &layer);
	if (!rc && tell)
		tell_story(&x);
	if (!rc && p->n)
		end_story(&x, &layer);
	decided_free(&layer);
	for (unsigned i = 0; i < p->n; i++)
		why_heard_free(&x.heard[i]);
	free(x.heard);
	return rc;
}

int why_pair(struct why *y, const struct args *args, struct err *e)
{
	assert(args->n >= 2);
	const struct arg *src = &args->arg[0], *dst = &args->arg[1];
	struct path p;
	int rc = 0;

	path_trace(y->w->routing, src->id, src->lid, dst->lid, &p);
	if (p.end == PATH_OK || (p.n && p.dst != NO_ID))
		rc = why_story(y, &p, true, e);
	if (!rc && p.end != PATH_OK && !y->walk)
		rc = err_set(e, "%s to %s: no path (%s)", src->word, dst->word, path_end_text(p.end));
	path_free(&p);
	return !rc && progress_cancelled(y->o->run->progress) ? err_set(e, CANCELLED) : rc;
}

/* --- why NODE NODE NODE...: a path given as a list -------------------------------------------- */

struct given {
	struct path_hop *hop; /* [n] its switches */
	unsigned n, links;
	uint32_t src, dst; /* endports */
	unsigned slid, dlid;
};

/* The first port of a node with a live link to another node.  If `port` is not 0, only that port counts. */
static uint32_t link_to(const struct topo *t, uint32_t node, uint32_t other, unsigned port)
{
	assert(node < t->fabric->n_nodes);

	const struct fabric *f = t->fabric;

	for (unsigned p = port ? port : 1; p <= (port ? port : f->node_nports[node]); p++) {
		uint32_t id = f->node_port[node] + p, q = t->peer[id];

		if (q != NO_ID && f->port_node[q] == other)
			return id;
	}
	return NO_ID;
}

static void add_given(const struct fabric *f, struct given *g, uint32_t node, unsigned in, unsigned out)
{
	if (node_is_switch(f, node))
		g->hop[g->n++] = (struct path_hop){.sw = f->node_switch[node], .in = in, .out = out};
}

/* One link of the list: from a word to the next.  *in is the port where it arrives. */
static int give_link(struct why *y, struct given *g, const struct args *args, int i, unsigned *in,
		     struct err *e)
{
	const char *here = args->arg[i].word, *there = args->arg[i + 1].word;
	const struct topo *t = y->w->topo;
	const struct fabric *f = t->fabric;
	uint32_t port = strchr(here, '[') ? session_port(y->s, here, NULL) : NO_ID, id;
	uint32_t node = port != NO_ID ? f->port_node[port] : session_node(y->s, here, e), next;
	uint32_t after = strchr(there, '[') ? session_port(y->s, there, NULL) : NO_ID;

	if (node == NO_ID)
		return -1;
	next = after != NO_ID ? f->port_node[after] : session_node(y->s, there, e);
	if (next == NO_ID)
		return -1;
	if (i + 2 < args->n && !node_is_switch(f, next))
		return err_set(e, "%s is no switch; only the ends of a path may be hosts",
			       f->node_name[next]);
	id = link_to(t, node, next, port != NO_ID ? f->port_num[port] : 0);
	if (id == NO_ID)
		return err_set(e, "no live link leads from %s to %s", here, f->node_name[next]);
	add_given(f, g, node, *in, f->port_num[id]);
	*in = f->port_num[t->peer[id]];
	if (!i)
		g->src = node_is_switch(f, node) ? f->port_endport[f->node_port[node]] : f->port_endport[id];
	if (i + 2 == args->n) {
		add_given(f, g, next, *in, 0);
		g->dst = f->port_endport[node_is_switch(f, next) ? f->node_port[next] : t->peer[id]];
	}
	return 0;
}

/* Tells where the tables leave the path, if they do. */
static void tell_parting(const struct why *y, const struct given *g, const struct path *p)
{
	const struct fabric *f = y->w->fabric;
	unsigned i = 0;

	while (i < p->n && i < g->n && p->hop[i].sw == g->hop[i].sw && p->hop[i].out == g->hop[i].out)
		i++;
	if (i == p->n || i == g->n || p->hop[i].sw != g->hop[i].sw) {
		out_text(y->o, "  The tables take another one from the start.\n");
		return;
	}
	if (!p->hop[i].out || p->hop[i].out == NO_PATH) {
		out_text(y->o, "  The tables go along up to %s, where they end.\n",
			 switch_name(f, p->hop[i].sw));
		return;
	}
	out_text(y->o, "  The tables part from it at %s: LID %u goes out of port %s to %s.\n",
		 switch_name(f, p->hop[i].sw), g->dlid, EXIT_NUMBER(f, p->hop[i].sw, p->hop[i].out),
		 PORT_LABEL(f, f->port_peer[switch_port_id(f, p->hop[i].sw, p->hop[i].out)]));
}

static bool is_path(const struct given *g, const struct path *p)
{
	bool same = p->end == PATH_OK && p->n == g->n;

	for (unsigned i = 0; same && i < g->n; i++)
		same = p->hop[i].sw == g->hop[i].sw && p->hop[i].in == g->hop[i].in &&
		       p->hop[i].out == g->hop[i].out;
	return same;
}

/* The rule against the path where the tables leave it. If they follow it: the rule that mattered most. */
static int end_given(struct why *y, const struct given *g, const struct path *p, struct err *e)
{
	unsigned i = 0;

	assert(g->n);
	if (is_path(g, p))
		return why_story(y, p, false, e);
	while (i < g->n && g->hop[i].out == routing_port(y->w->routing, g->hop[i].sw, g->dlid))
		i++;
	if (i == g->n || !g->hop[i].out)
		i = 0;
	y->sw = g->hop[i].sw;
	y->lid = g->dlid;
	if (why_entry_open(y))
		return 0;
	if (g->hop[i].out == routing_port(y->w->routing, y->sw, y->lid)) {
		decide(&y->heard.against, WHY_NO_WAY, "The tables begin with %s.",
		       p->n ? switch_name(y->w->fabric, p->hop[0].sw) : "no switch");
		why_end(y, &y->heard.against);
		return 0;
	}
	return why_port(y, g->hop[i].out, false, e);
}

static int tell_given(struct why *y, const struct given *g, struct err *e)
{
	const struct routing *r = y->w->routing;
	struct path p;
	AUTO_TEXT struct text t = {0};
	json_t *list = json_array();

	path_trace(r, g->src, g->slid, g->dlid, &p);
	const char *word = is_path(g, &p)			? "chosen"
			   : first_turn(r, g->hop, g->n) < g->n ? "forbidden"
			   : p.end != PATH_OK			? "open"
			   : g->links == p.hops			? "equal"
			   : g->links > p.hops			? "longer"
								: "shorter";
	why_add_way(r, g->hop, g->n, &t);
	out_text(y->o, "%s, %s: ", text_str(&t), PLURAL(g->links, "link"));
	if (!strcmp(word, "chosen"))
		out_text(y->o, "the path that the tables take.\n");
	else if (!strcmp(word, "forbidden"))
		out_text(y->o, "forbidden by the up/down rule of %s.\n", r->engine);
	else if (!strcmp(word, "open"))
		out_text(y->o, "possible, but the tables have no path (%s).\n", path_end_text(p.end));
	else if (!strcmp(word, "equal"))
		out_text(y->o, "equal, but not chosen.\n");
	else
		out_text(y->o, "%s than the tables' path, which has %u.\n", word, p.hops);
	why_turn(y, g->hop, g->n);
	if (strcmp(word, "chosen"))
		tell_parting(y, g, &p);
	for (unsigned i = 0; i < g->n; i++) {
		json_t *hop = json_make("{s:i, s:i}", "in", (int)g->hop[i].in, "out", (int)g->hop[i].out);

		json_put_out(hop, "in", r->topo->fabric, g->hop[i].sw, g->hop[i].in);
		json_put_out(hop, "out", r->topo->fabric, g->hop[i].sw, g->hop[i].out);
		json_put_switch(hop, "name", r->topo->fabric, r->lids, g->hop[i].sw);
		json_array_append_new(list, hop);
	}
	out_json(y->o, "given",
		 json_make("{s:s, s:s, s:i, s:i, s:o}", "path", text_str(&t), "verdict", word, "links",
			   (int)g->links, "table_links", p.end == PATH_OK ? (int)p.hops : -1, "switches",
			   list));
	int rc = end_given(y, g, &p, e);
	path_free(&p);
	return rc;
}

int why_given(struct why *y, const struct args *args, struct err *e)
{
	assert(args->n >= 2);
	const struct lids *l = y->w->lids;
	struct given g = {.hop = NEW_ARRAY((size_t)args->n, struct path_hop), .links = (unsigned)args->n - 1};
	unsigned in = 0;
	int rc = 0;

	for (int i = 0; i + 1 < args->n && !rc; i++)
		rc = give_link(y, &g, args, i, &in, e);
	if (!rc) {
		g.slid = l->base[g.src];
		g.dlid = l->base[g.dst];
		if (g.slid && g.dlid)
			rc = tell_given(y, &g, e);
		else
			rc = err_set(e, "%s has no LID, so no table knows it",
				     args->arg[g.slid ? args->n - 1 : 0].word);
	}
	free(g.hop);
	return rc;
}
