/* Command why: how an entry was decided, and why another port or path was not taken. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/turns.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/sm/ucast_cache.h"

/* --- why SWITCH DST: the engine's own words ------------------------------------------------ */

struct why {
	struct session *s;
	const struct sweep *w;
	struct out *o;
	uint32_t sw;
	unsigned lid;
	bool told;
};

static void print_candidates(const struct why *y, const struct step *st)
{
	const struct fabric *f = y->w->fabric;
	char a[300];

	out_text(y->o, "  %-4s", "port");
	for (unsigned q = 0; q < st->n_quantities; q++)
		out_text(y->o, " %12s", st->quantity[q]);
	out_text(y->o, "  to\n");
	for (unsigned i = 0; i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];
		uint32_t own = candidate_elsewhere(f, st, c);

		if (own == NO_ID)
			out_text(y->o, "%c %-4u", c->port == st->port ? '>' : ' ', c->port);
		else
			out_text(y->o, "  %-4s", "-");
		for (unsigned q = 0; q < st->n_quantities; q++)
			if (c->q[q] == INT64_MIN)
				out_text(y->o, " %12s", "-");
			else
				out_text(y->o, " %12ld", c->q[q]);
		if (own != NO_ID)
			out_text(y->o, "  %s ->", port_label(f, own, a, sizeof(a)));
		out_text(y->o, "  %s\n", port_label(f, c->peer, a, sizeof(a)));
	}
}

/* A port of a table: null where there is no entry. */
static json_t *port_json(unsigned port)
{
	return port == NO_PATH ? json_null() : json_integer(port);
}

static json_t *candidates_json(const struct why *y, const struct step *st)
{
	const struct fabric *f = y->w->fabric;
	json_t *list = json_array();

	for (unsigned i = 0; i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];
		uint32_t own = candidate_elsewhere(f, st, c);
		json_t *obj = json_make("{s:i}", "port", (int)c->port);

		json_put_port(obj, "peer", f, y->w->lids, c->peer);
		if (own != NO_ID)
			json_put_node(obj, "chip", f, y->w->lids, f->port_node[own]);
		for (unsigned q = 0; q < st->n_quantities; q++)
			if (c->q[q] != INT64_MIN)
				json_object_set_new(obj, st->quantity[q], json_integer(c->q[q]));
		json_array_append_new(list, obj);
	}
	return list;
}

/* Called for every step of the observed run; only the choice asked for is told. */
static void why_step(void *ctx, const struct step *st)
{
	struct why *y = ctx;
	const struct fabric *f = y->w->fabric;
	uint32_t owner = lid_owner(y->w->lids, y->lid), peer;
	char dst[300], to[300];
	json_t *choice;

	if (st->kind != STEP_CHOICE || st->sw != y->sw || st->lid != y->lid)
		return;
	y->told = true;
	endport_label(f, owner, dst, sizeof(dst));
	if (st->port == NO_PATH) {
		out_text(y->o, "%s has no entry for LID %u (%s)", switch_name(f, y->sw), y->lid, dst);
	} else if (st->port == 0) {
		out_text(y->o, "%s keeps LID %u: it is its own port 0", switch_name(f, y->sw), y->lid);
	} else {
		peer = f->port_peer[switch_port_id(f, y->sw, st->port)];
		out_text(y->o, "%s sends LID %u (%s) out of port %u to %s", switch_name(f, y->sw), y->lid,
			 dst, st->port, port_label(f, peer, to, sizeof(to)));
	}
	out_text(y->o, ": %s\n", st->text && *st->text ? st->text : st->rule);
	if (st->n_candidates)
		print_candidates(y, st);
	if (st->old_port != NO_PATH)
		out_text(y->o, "The table had port %u before.\n", st->old_port);
	choice = json_make("{s:i, s:o, s:s, s:s, s:o}", "lid", (int)y->lid, "port", port_json(st->port),
			   "rule", st->rule ? st->rule : "", "text", st->text ? st->text : "", "candidates",
			   candidates_json(y, st));
	json_put_switch(choice, "switch", f, y->w->lids, y->sw);
	json_put_endport(choice, "dst", f, y->w->lids, owner);
	out_json(y->o, "choice", choice);
}

/* Without a step there still is a plain reason: nobody has the LID, or the table was not computed. */
static void why_untold(const struct why *y)
{
	unsigned port = routing_port(y->w->routing, y->sw, y->lid);

	if (port == NO_PATH)
		out_text(y->o, "%s has no entry for LID %u.\n", switch_name(y->w->fabric, y->sw), y->lid);
	else
		out_text(y->o, "%s sends LID %u out of port %u; %s tells no more about it.\n",
			 switch_name(y->w->fabric, y->sw), y->lid, port, y->w->routing->engine);
}

/* The switch and the destination that the first two arguments name. */
static int read_entry(struct why *y, char **argv, struct err *e)
{
	struct session *s = y->s;
	uint32_t node = session_node(s, argv[1], e), dst;

	if (node == NO_ID)
		return -1;
	if (!node_is_switch(s->fabric, node))
		return err_set(e, "%s is no switch; expected: why SWITCH DST", s->fabric->node_name[node]);
	dst = session_endport(s, argv[2], &y->lid, e);
	if (dst == NO_ID)
		return -1;
	if (!y->lid || !y->w->topo->endport_up[dst])
		return err_set(e, "\"%s\" is down or has no LID: no switch has an entry for it", argv[2]);
	y->sw = s->fabric->node_switch[node];
	if (!switch_up(y->w->topo, y->sw))
		return err_set(e, "%s is down: it has no tables", switch_name(s->fabric, y->sw));
	return 0;
}

static int why_entry(struct why *y, struct err *e)
{
	struct observer obs = {.step = why_step, .ctx = y, .sw = y->sw, .lid = y->lid};

	if (sweep_observe(y->w, y->s->engines, &obs, y->o->run->progress, e))
		return -1;
	if (!y->told)
		why_untold(y);
	return 0;
}

/* --- ways in words --------------------------------------------------------------------------- */

/* "leaf-01[5] -U-> spine-01[3] -D-> leaf-02"; a plain arrow where there is no direction. */
static void add_way(const struct routing *r, const struct path_hop *hop, unsigned n, struct text *t)
{
	for (unsigned i = 0; i < n; i++) {
		char c = hop[i].out && r->ops->direction ? r->ops->direction(r, hop[i].sw, hop[i].out) : ' ';

		text_add(t, "%s", switch_name(r->topo->fabric, hop[i].sw));
		if (hop[i].out)
			text_add(t, "[%u]", hop[i].out);
		if (i + 1 < n && c != ' ')
			text_add(t, " -%c-> ", c);
		else if (i + 1 < n)
			text_add(t, " -> ");
	}
}

/* Where the rule is broken, in words and as JSON; nothing when it is not. */
static void tell_turn(const struct why *y, const struct path_hop *hop, unsigned n)
{
	const struct routing *r = y->w->routing;
	const struct topo *t = r->topo;
	unsigned i = first_turn(r, hop, n);
	uint32_t from, to;
	char a[300], b[300];
	json_t *turn;

	if (i == n)
		return;
	from = t->peer[switch_port_id(t->fabric, hop[i].sw, hop[i].in)];
	to = t->peer[switch_port_id(t->fabric, hop[i].sw, hop[i].out)];
	port_label(t->fabric, from, a, sizeof(a));
	port_label(t->fabric, to, b, sizeof(b));
	out_text(y->o, "  Forbidden turn at %s: in by port %u, down from %s; out by port %u, up to %s.\n",
		 switch_name(t->fabric, hop[i].sw), hop[i].in, a, hop[i].out, b);
	turn = json_make("{s:i, s:i}", "in", (int)hop[i].in, "out", (int)hop[i].out);
	json_put_switch(turn, "switch", t->fabric, r->lids, hop[i].sw);
	json_put_port(turn, "from", t->fabric, r->lids, from);
	json_put_port(turn, "to", t->fabric, r->lids, to);
	out_json(y->o, "turn", turn);
}

static void tell_way(const struct why *y, const struct way *w, const char *what)
{
	struct text t = {0};
	char a[40];

	add_way(y->w->routing, w->hop, w->n, &t);
	out_text(y->o, "  %s, %s: %s\n", what, plural(w->links, "link", a, sizeof(a)), text_str(&t));
	text_free(&t);
}

/* --- why SWITCH DST via PORT ------------------------------------------------------------------ */

/* A port of the switch: its number, or SWITCH[PORT]. */
static int read_port(const struct why *y, const char *word, unsigned *port, struct err *e)
{
	const struct fabric *f = y->w->fabric;
	char *end;
	unsigned long n;
	uint32_t id;

	errno = 0;
	n = strtoul(word, &end, 10);
	if (isdigit((unsigned char)*word) && !*end && !errno && n >= 1 && n <= f->switch_nports[y->sw]) {
		*port = (unsigned)n;
		return 0;
	}
	if (strchr(word, '[')) {
		id = session_port(y->s, word, e);
		if (id == NO_ID)
			return -1;
		*port = f->port_num[id];
		if (f->port_node[id] == f->switch_node[y->sw])
			return 0;
	}
	return err_set(e, "via: found \"%s\", expected a port of %s, 1 to %u", word, switch_name(f, y->sw),
		       f->switch_nports[y->sw]);
}

/* Links between the switch and that of the destination by the tables, -1 = they do not lead there. */
static int table_links(const struct why *y)
{
	const struct fabric *f = y->w->fabric;
	struct path p;
	int n;

	path_trace(y->w->routing, f->port_endport[f->switch_port[y->sw]], 0, y->lid, &p);
	n = p.end == PATH_OK ? (int)p.n - 1 : -1;
	path_free(&p);
	return n;
}

/* What one port is worth for the destination. */
struct via {
	const struct why *y;
	unsigned port, chosen; /* chosen: the table's */
	uint32_t target;       /* switch of the destination */
	int links;	       /* by the table, -1 = none */
	bool free_way, lawful_way;
	struct way any, lawful; /* shortest ways through the port: all, those the rule allows */
};

static const char *verdict(const struct via *v)
{
	if (v->port == v->chosen)
		return "chosen";
	if (!v->free_way)
		return "no way";
	if (!v->lawful_way)
		return "forbidden";
	if (v->links < 0)
		return "open";
	if ((int)v->lawful.links == v->links)
		return "equal";
	return (int)v->lawful.links > v->links ? "longer" : "shorter";
}

static void tell_verdict(const struct via *v, const char *word)
{
	const struct why *y = v->y;
	const char *engine = y->w->routing->engine;
	char a[40];

	if (!strcmp(word, "equal"))
		out_text(y->o, "equal, but not chosen: as long as by port %u.\n", v->chosen);
	else if (!strcmp(word, "longer"))
		out_text(y->o, "longer than by port %u, by %s.\n", v->chosen,
			 plural(v->lawful.links - (unsigned)v->links, "link", a, sizeof(a)));
	else if (!strcmp(word, "shorter"))
		out_text(y->o, "shorter than by port %u; %s does not use it.\n", v->chosen, engine);
	else if (!strcmp(word, "open"))
		out_text(y->o, "possible, but the tables have no path from here.\n");
	else if (!strcmp(word, "forbidden"))
		out_text(y->o, "forbidden by the up/down rule of %s.\n", engine);
	else if (!strcmp(word, "chosen"))
		out_text(y->o, "this is the port it takes.\n");
	else
		out_text(y->o, "no way leads there from this port but back.\n");
}

/* The engine's own figures, for those who compare. */
static void tell_matrix(const struct via *v)
{
	const struct routing *r = v->y->w->routing;
	unsigned least, value;

	if (!r->ops->hops || v->target == v->y->sw)
		return;
	least = r->ops->hops(r, v->y->sw, v->target, 0);
	value = r->ops->hops(r, v->y->sw, v->target, v->port);
	out_text(v->y->o, "  Hop matrix of %s: ", r->engine);
	if (value == NO_PATH)
		out_text(v->y->o, "none through this port, ");
	else
		out_text(v->y->o, "%u through this port, ", value);
	if (least == NO_PATH)
		out_text(v->y->o, "no least.\n");
	else
		out_text(v->y->o, "least %u.\n", least);
}

static void tell_via(struct via *v)
{
	const struct why *y = v->y;
	const struct routing *r = y->w->routing;
	const char *word;

	v->free_way = way_find(r, y->sw, v->port, v->target, false, &v->any);
	v->lawful_way = way_find(r, y->sw, v->port, v->target, true, &v->lawful);
	word = verdict(v);
	tell_verdict(v, word);
	if (v->lawful_way)
		tell_way(y, &v->lawful, has_directions(r) ? "Shortest way the rule allows" : "Shortest way");
	if (v->free_way && (!v->lawful_way || v->any.links < v->lawful.links)) {
		tell_way(y, &v->any, "Shortest way of all");
		tell_turn(y, v->any.hop, v->any.n);
	}
	tell_matrix(v);
	out_json(y->o, "via",
		 json_make("{s:i, s:o, s:s, s:i, s:i, s:i}", "port", (int)v->port, "chosen",
			   port_json(v->chosen), "verdict", word, "links", v->links, "lawful",
			   v->lawful_way ? (int)v->lawful.links : -1, "shortest",
			   v->free_way ? (int)v->any.links : -1));
	way_free(&v->any);
	way_free(&v->lawful);
}

static int why_via(struct why *y, const char *word, struct err *e)
{
	const struct topo *t = y->w->topo;
	const struct fabric *f = t->fabric;
	struct via v = {.y = y, .chosen = routing_port(y->w->routing, y->sw, y->lid)};
	uint32_t owner = lid_owner(y->w->lids, y->lid), peer;
	char a[300], b[300];

	if (read_port(y, word, &v.port, e))
		return -1;
	peer = t->peer[switch_port_id(f, y->sw, v.port)];
	if (peer == NO_ID)
		return err_set(e, "%s[%u] has no live link; nothing leads out of it", switch_name(f, y->sw),
			       v.port);
	v.target = t->endport_switch[owner];
	v.links = table_links(y);
	out_text(y->o, "%s by port %u to %s, for LID %u (%s): ", switch_name(f, y->sw), v.port,
		 port_label(f, peer, a, sizeof(a)), y->lid, endport_label(f, owner, b, sizeof(b)));
	if (v.port == v.chosen || node_is_switch(f, f->port_node[peer])) {
		if (v.target == y->sw || !node_is_switch(f, f->port_node[peer]))
			out_text(y->o, v.port == v.chosen
					       ? "this is the port it takes.\n"
					       : "a detour, the destination is on this very switch.\n");
		else
			tell_via(&v);
	} else {
		out_text(y->o, "no way, that is no switch and forwards nothing.\n");
	}
	if (v.chosen == NO_PATH)
		out_text(y->o, "  It has no entry for the LID; `why` without `via` tells about that.\n");
	else if (v.port != v.chosen)
		out_text(y->o, "  `why` without `via` tells how port %u was chosen.\n", v.chosen);
	return 0;
}

/* --- why HOST DST: the layer of a pair --------------------------------------------------------- */

static bool is_host(const struct session *s, const char *word)
{
	uint32_t node = session_node(s, word, NULL);

	return node != NO_ID && !node_is_switch(s->fabric, node);
}

static void tell_pair(const struct why *y, const struct path *p)
{
	const struct routing *r = y->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	const struct fabric *f = y->w->fabric;
	struct text t = {0};
	char a[300], b[300], c[40];
	json_t *pair;

	out_text(y->o, "%s to %s: %s, ", endport_label(f, p->src, a, sizeof(a)),
		 endport_label(f, p->dst, b, sizeof(b)), plural(p->hops, "link", c, sizeof(c)));
	out_text(y->o, p->sl.lo == p->sl.hi ? "SL %u.\n" : "SL %u to %u, drawn at random.\n", p->sl.lo,
		 p->sl.hi);
	if (ops->explain_pair)
		ops->explain_pair(r, p->slid, p->dlid, &t, y->o->run->progress);
	else
		text_add(&t,
			 "%s puts no pairs in layers; `why SWITCH DST` tells about each port of the path.\n",
			 r->engine);
	out_text(y->o, "%s", text_str(&t));
	pair = json_make("{s:i, s:i, s:s}", "sl_min", (int)p->sl.lo, "sl_max", (int)p->sl.hi, "text",
			 text_str(&t));
	json_put_endport(pair, "src", f, r->lids, p->src);
	json_put_endport(pair, "dst", f, r->lids, p->dst);
	out_json(y->o, "pair", pair);
	text_free(&t);
}

static int why_pair(struct why *y, char **argv, struct err *e)
{
	unsigned slid, dlid;
	uint32_t src = session_endport(y->s, argv[1], &slid, e);
	uint32_t dst = src == NO_ID ? NO_ID : session_endport(y->s, argv[2], &dlid, e);
	struct path p;
	int rc = 0;

	if (dst == NO_ID)
		return -1;
	path_trace(y->w->routing, src, slid, dlid, &p);
	if (p.end == PATH_OK)
		tell_pair(y, &p);
	else
		rc = err_set(e, "%s to %s: no path (%s)", argv[1], argv[2], path_end_text(p.end));
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

/* The first port of a node with a live link to another one; `port` other than 0: that port alone. */
static uint32_t link_to(const struct topo *t, uint32_t node, uint32_t other, unsigned port)
{
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

/* One link of the list: from words[i] to words[i + 1]; *in is the port it arrives at. */
static int give_link(struct why *y, struct given *g, char **words, int n, int i, unsigned *in, struct err *e)
{
	const struct topo *t = y->w->topo;
	const struct fabric *f = t->fabric;
	uint32_t port = strchr(words[i], '[') ? session_port(y->s, words[i], NULL) : NO_ID, id;
	uint32_t node = port != NO_ID ? f->port_node[port] : session_node(y->s, words[i], e), next;
	uint32_t after = strchr(words[i + 1], '[') ? session_port(y->s, words[i + 1], NULL) : NO_ID;

	if (node == NO_ID)
		return -1;
	next = after != NO_ID ? f->port_node[after] : session_node(y->s, words[i + 1], e);
	if (next == NO_ID)
		return -1;
	if (i + 2 < n && !node_is_switch(f, next))
		return err_set(e, "%s is no switch; only the ends of a path may be hosts",
			       f->node_name[next]);
	id = link_to(t, node, next, port != NO_ID ? f->port_num[port] : 0);
	if (id == NO_ID)
		return err_set(e, "no live link leads from %s to %s", words[i], f->node_name[next]);
	add_given(f, g, node, *in, f->port_num[id]);
	*in = f->port_num[t->peer[id]];
	if (!i)
		g->src = node_is_switch(f, node) ? f->port_endport[f->node_port[node]] : f->port_endport[id];
	if (i + 2 == n) {
		add_given(f, g, next, *in, 0);
		g->dst = f->port_endport[node_is_switch(f, next) ? f->node_port[next] : t->peer[id]];
	}
	return 0;
}

/* Where the tables leave it; nothing when they do not. */
static void tell_parting(const struct why *y, const struct given *g, const struct path *p)
{
	const struct fabric *f = y->w->fabric;
	unsigned i = 0;
	char a[300];

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
	out_text(y->o, "  The tables part from it at %s: LID %u goes out of port %u to %s.\n",
		 switch_name(f, p->hop[i].sw), g->dlid, p->hop[i].out,
		 port_label(f, f->port_peer[switch_port_id(f, p->hop[i].sw, p->hop[i].out)], a, sizeof(a)));
}

static bool is_path(const struct given *g, const struct path *p)
{
	bool same = p->end == PATH_OK && p->n == g->n;

	for (unsigned i = 0; same && i < g->n; i++)
		same = p->hop[i].sw == g->hop[i].sw && p->hop[i].in == g->hop[i].in &&
		       p->hop[i].out == g->hop[i].out;
	return same;
}

static const char *judge(const struct routing *r, const struct given *g, const struct path *p)
{
	if (is_path(g, p))
		return "chosen";
	if (first_turn(r, g->hop, g->n) < g->n)
		return "forbidden";
	if (p->end != PATH_OK)
		return "open";
	return g->links == p->hops ? "equal" : g->links > p->hops ? "longer" : "shorter";
}

static json_t *hops_json(const struct routing *r, const struct given *g)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < g->n; i++) {
		json_t *hop = json_make("{s:i, s:i}", "in", (int)g->hop[i].in, "out", (int)g->hop[i].out);

		json_put_switch(hop, "name", r->topo->fabric, r->lids, g->hop[i].sw);
		json_array_append_new(list, hop);
	}
	return list;
}

static void tell_given(const struct why *y, const struct given *g)
{
	const struct routing *r = y->w->routing;
	struct path p;
	struct text t = {0};
	const char *word;
	char a[40];

	path_trace(r, g->src, g->slid, g->dlid, &p);
	word = judge(r, g, &p);
	add_way(r, g->hop, g->n, &t);
	out_text(y->o, "%s, %s: ", text_str(&t), plural(g->links, "link", a, sizeof(a)));
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
	tell_turn(y, g->hop, g->n);
	if (strcmp(word, "chosen"))
		tell_parting(y, g, &p);
	out_json(y->o, "given",
		 json_make("{s:s, s:s, s:i, s:i, s:o}", "path", text_str(&t), "verdict", word, "links",
			   (int)g->links, "table_links", p.end == PATH_OK ? (int)p.hops : -1, "switches",
			   hops_json(r, g)));
	text_free(&t);
	path_free(&p);
}

static int why_path(struct why *y, int n, char **words, struct err *e)
{
	const struct lids *l = y->w->lids;
	struct given g = {.hop = NEW_ARRAY((size_t)n, struct path_hop), .links = (unsigned)n - 1};
	unsigned in = 0;
	int rc = 0;

	for (int i = 0; i + 1 < n && !rc; i++)
		rc = give_link(y, &g, words, n, i, &in, e);
	if (!rc) {
		g.slid = l->base[g.src];
		g.dlid = l->base[g.dst];
		if (g.slid && g.dlid)
			tell_given(y, &g);
		else
			rc = err_set(e, "%s has no LID, so no table knows it", words[g.slid ? n - 1 : 0]);
	}
	free(g.hop);
	return rc;
}

int cmd_why(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct why y = {.s = s, .w = need_routing(s, e), .o = o};
	bool via = argc == 5 && !strcmp(argv[3], "via");

	if (!y.w)
		return -1;
	if (argc == 4 && !strcmp(argv[3], "via"))
		return usage(s, "why", e);
	if (argc > 3 && !via)
		return why_path(&y, argc - 1, argv + 1, e);
	if (argc == 3 && is_host(s, argv[1]))
		return why_pair(&y, argv, e);
	if (read_entry(&y, argv, e))
		return -1;
	return via ? why_via(&y, argv[4], e) : why_entry(&y, e);
}
