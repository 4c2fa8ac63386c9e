/* `why`: the reason for an entry, now or at a step of a run, and the reasons against another port or path. */
#include <assert.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/session/commands/commands.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"

/* Command why: the reason for an entry, and the reasons against another port or path. */

/* --- why SWITCH DST: the engine's own words ------------------------------------------------ */

/* The candidates, in lines and as a list. */
static json_t *why_command_tell_candidates(const struct why *y, const struct rec_choice *c)
{
	const struct fabric *f = y->w->fabric;
	json_t *list = json_array();
	int width = 4, n;

	for (unsigned i = 0; i < c->n_offers; i++) {
		n = (int)strlen(EXIT_NUMBER(f, y->sw, c->offer[i].port));
		width = rec_elsewhere(f, c, &c->offer[i]) == NO_ID && n > width ? n : width;
	}
	if (c->n_offers) {
		out_text(y->o, ROW_BEGIN "  %-*s", width, "port");
		tell_quantities(c->quantity, c->n_quantities, width + 2, y->o);
	}
	for (unsigned i = 0; i < c->n_offers; i++) {
		const struct rec_offer *p = &c->offer[i];
		uint32_t own = rec_elsewhere(f, c, p);
		json_t *obj = json_make("{s:i}", "port", (int)p->port);

		json_put_port(obj, "peer", f, y->w->lids, p->peer);
		if (own == NO_ID) {
			out_text(y->o, ROW_BEGIN "%c %-*s", p->port == c->port ? '>' : ' ', width,
				 EXIT_NUMBER(f, y->sw, p->port));
			json_put_out(obj, "port", f, y->sw, p->port);
		} else {
			out_text(y->o, ROW_BEGIN "  %-*s", width, "-");
			json_put_node(obj, "chip", f, y->w->lids, f->port_node[own]);
		}
		tell_quantity_values(c->quantity, p->q, c->n_quantities, obj, y->o);
		if (own != NO_ID)
			out_text(y->o, "  " ROW_CUT("%s") " ->", PORT_LABEL(f, own));
		out_text(y->o, "  " ROW_CUT("%s") "\n", PORT_LABEL(f, p->peer));
		json_array_append_new(list, obj);
	}
	return list;
}

/* A port of a table: null where there is no entry. */
static json_t *why_command_port_json(unsigned port)
{
	return port == NO_PATH ? json_null() : json_integer(port);
}

static void tell_choice(struct why *y, const struct rec_choice *c)
{
	const struct fabric *f = y->w->fabric;
	uint32_t owner = lid_owner(y->w->lids, y->lid);
	char dst[300];

	assert(owner != NO_ID);
	endport_label(f, owner, dst, sizeof(dst));
	if (c->port == NO_PATH) {
		out_text(y->o, "%s has no entry for LID %u (%s)", switch_name(f, y->sw), y->lid, dst);
	} else if (c->port == 0) {
		out_text(y->o, "%s keeps LID %u: it is its own port 0", switch_name(f, y->sw), y->lid);
	} else {
		uint32_t peer = f->port_peer[switch_port_id(f, y->sw, c->port)];
		out_text(y->o, "%s sends LID %u (%s) out of port %s to %s", switch_name(f, y->sw), y->lid,
			 dst, EXIT_NUMBER(f, y->sw, c->port), PORT_LABEL(f, peer));
	}
	out_text(y->o, ": %s\n", c->text.len ? text_str(&c->text) : c->rule);
	json_t *candidates = why_command_tell_candidates(y, c);
	if (c->old_port != NO_PATH)
		out_text(y->o, "The table had port %u before.\n", c->old_port);
	json_t *choice = json_make("{s:i, s:o, s:s, s:s, s:o}", "lid", (int)y->lid, "port",
				   why_command_port_json(c->port), "rule", c->rule ? c->rule : "", "text",
				   text_str(&c->text), "candidates", candidates);
	json_put_out(choice, "port", f, y->sw, c->port);
	json_put_switch(choice, "switch", f, y->w->lids, y->sw);
	json_put_endport(choice, "dst", f, y->w->lids, owner);
	out_json(y->o, "choice", choice);
}

void why_heard_free(struct why_heard *h)
{
	decided_free(&h->decided);
	decided_free(&h->against);
	*h = (struct why_heard){0};
}

static void why_command_copy(struct decided *to, const struct decided *from)
{
	if (from->rule)
		decide(to, from->rule, "%s", text_str(&from->text));
	else
		decided_free(to);
}

void why_hear(struct why_heard *h, const struct rec_choice *c)
{
	h->told = true;
	h->passed_by = c->via != 0;
	for (unsigned i = 0; i < c->n_offers; i++)
		h->passed_by &= c->offer[i].port != c->via;
	h->port = c->port;
	why_command_copy(&h->decided, &c->decided);
	why_command_copy(&h->against, &c->against);
	if (!c->decided.rule && c->rule)
		decide(&h->decided, WHY_ENGINE, "%s.", c->rule);
}

/* Called for each choice of the run that is asked about. */
static void why_command_hear(void *ctx, const struct rec_choice *c)
{
	struct why *y = ctx;

	if (!y->quiet)
		tell_choice(y, c);
	why_hear(&y->heard, c);
}

void why_settle(const struct sweep *w, uint32_t sw, unsigned lid, struct why_heard *h)
{
	assert(w->routing && sw < w->fabric->n_switches);

	const struct routing *r = w->routing;
	unsigned port = routing_port(r, sw, lid);

	assert(sw < w->fabric->n_switches && lid <= MAX_LID);
	if (h->decided.rule && h->port == port)
		return;
	if (decide_common(w->topo, w->lids, sw, lid, port, &h->decided))
		return;
	if (port == NO_PATH)
		decide(&h->decided, WHY_NOT_ROUTED, "%s makes no entry for LID %u.", r->engine, lid);
	else
		decide(&h->decided, WHY_ENGINE, "%s tells no rule for port %u.", r->engine, port);
}

/* Does the rule describe the present state, rather than an engine's choice? */
static bool of_now(enum why_rule rule)
{
	return rule == WHY_NO_LID || rule == WHY_NOT_ATTACHED || rule == WHY_CUT_OFF ||
	       rule == WHY_NO_SWITCH || rule == WHY_DETOUR || rule == WHY_NO_WAY;
}

void why_end(const struct why *y, const struct decided *d)
{
	assert(d->rule);

	AUTO_TEXT struct text t = {0};
	const char *rule = why_rule_name(d->rule);
	const struct sweep *made = sweep_made(y->w); /* perhaps an earlier one */

	if (y->w->cached && !of_now(d->rule)) {
		text_add(&t, "The unicast cache kept the tables of sweep %u; there: %s: ", made->number + 1,
			 rule);
		rule = why_rule_name(WHY_CACHED);
	}
	text_add(&t, "%s", text_str(&d->text));
	out_text(y->o, "Decided: %s: %s\n", rule, text_str(&t));
	out_json(y->o, "rule", json_text(rule));
	out_json(y->o, "decided", json_text(text_str(&t)));
}

/* The switch and the destination of the first two words. */
static int why_command_read_entry(struct why *y, const struct args *args, struct err *e)
{
	struct session *s = y->s;
	uint32_t node = args->arg[0].id, dst = args->arg[1].id;

	y->lid = args->arg[1].lid;
	if (args->form == 2) { /* NODE NODE NODE... has the words, and their nodes are still to be read */
		node = session_node(s, args->arg[0].word, e);
		if (node == NO_ID)
			return -1;
		if (!node_is_switch(s->fabric, node))
			return err_set(e, "%s is no switch; expected: why SWITCH DST",
				       s->fabric->node_name[node]);
		dst = session_endport(s, args->arg[1].word, &y->lid, e);
		if (dst == NO_ID)
			return -1;
	}
	if (!y->lid || !y->w->topo->endport_up[dst]) {
		struct decided d = {0};

		decide(&d, WHY_NO_LID, "%s is down or has no LID: no table knows it.", args->arg[1].word);
		why_end(y, &d);
		decided_free(&d);
		return err_set(e, "\"%s\" is down or has no LID: no switch has an entry for it",
			       args->arg[1].word);
	}
	y->sw = s->fabric->node_switch[node];
	if (!switch_up(y->w->topo, y->sw))
		return err_set(e, "%s is down: it has no tables", switch_name(s->fabric, y->sw));
	return 0;
}

/* Makes the engine report the entry of y->sw for y->lid again; via: also against this port (0: none). */
static int why_listen(struct why *y, unsigned via, struct err *e)
{
	struct rec_ask q = {.tell = why_command_hear,
			    .ctx = y,
			    .sw = y->sw,
			    .lid = (uint16_t)y->lid,
			    .via = (uint8_t)via,
			    .last = true};

	why_heard_free(&y->heard);
	return why_repeat(y, &q, e);
}

/* --- ways in words --------------------------------------------------------------------------- */

void why_add_way(const struct routing *r, const struct path_hop *hop, unsigned n, struct text *t)
{
	for (unsigned i = 0; i < n; i++) {
		char c = hop[i].out && r->ops->direction ? r->ops->direction(r, hop[i].sw, hop[i].out) : ' ';

		text_add(t, "%s", switch_name(r->topo->fabric, hop[i].sw));
		if (hop[i].out)
			text_add(t, "[%s]", EXIT_NUMBER(r->topo->fabric, hop[i].sw, hop[i].out));
		if (i + 1 < n && c != ' ')
			text_add(t, " -%c-> ", c);
		else if (i + 1 < n)
			text_add(t, " -> ");
	}
}

void why_turn(const struct why *y, const struct path_hop *hop, unsigned n)
{
	const struct routing *r = y->w->routing;
	const struct topo *t = r->topo;
	unsigned i = first_turn(r, hop, n);

	if (i == n)
		return;
	uint32_t from = t->peer[switch_port_id(t->fabric, hop[i].sw, hop[i].in)];
	uint32_t to = t->peer[switch_port_id(t->fabric, hop[i].sw, hop[i].out)];
	out_text(y->o, "  Forbidden turn at %s: in by port %s, %s from %s; out by port %s, up to %s.\n",
		 switch_name(t->fabric, hop[i].sw), EXIT_NUMBER(t->fabric, hop[i].sw, hop[i].in),
		 turn_forbidden(r, hop[i].sw, hop[i].in, hop[i].out) ? "down" : "level",
		 PORT_LABEL(t->fabric, from), EXIT_NUMBER(t->fabric, hop[i].sw, hop[i].out),
		 PORT_LABEL(t->fabric, to));
	json_t *turn = json_make("{s:i, s:i}", "in", (int)hop[i].in, "out", (int)hop[i].out);
	json_put_out(turn, "in", t->fabric, hop[i].sw, hop[i].in);
	json_put_out(turn, "out", t->fabric, hop[i].sw, hop[i].out);
	json_put_switch(turn, "switch", t->fabric, r->lids, hop[i].sw);
	json_put_port(turn, "from", t->fabric, r->lids, from);
	json_put_port(turn, "to", t->fabric, r->lids, to);
	out_json(y->o, "turn", turn);
}

static void why_command_tell_way(const struct why *y, const struct path_hop *hop, unsigned n,
				 const char *what)
{
	assert(n >= 1);

	AUTO_TEXT struct text t = {0};

	why_add_way(y->w->routing, hop, n, &t);
	out_text(y->o, "  " ROW_PROSE "%s, %s: %s\n", what, PLURAL(n - 1, "hop"), text_str(&t));
}

/* --- the entry ------------------------------------------------------------------------------- */

/* The way of the tables from the switch to the destination's switch. False: they do not lead there. */
static bool table_way(const struct why *y, struct path *p)
{
	const struct fabric *f = y->w->fabric;

	path_trace(y->w->routing, f->port_endport[f->switch_port[y->sw]], 0, y->lid, p);
	return p->end == PATH_OK;
}

static int why_entry(struct why *y, struct err *e)
{
	const struct routing *r = y->w->routing;
	struct path p;

	if (why_listen(y, 0, e))
		return -1;
	if (!y->heard.told) { /* there is still a plain reason: nobody has the LID, or nothing was computed */
		unsigned port = routing_port(r, y->sw, y->lid);

		if (port == NO_PATH)
			out_text(y->o, "%s has no entry for LID %u.\n", switch_name(y->w->fabric, y->sw),
				 y->lid);
		else
			out_text(y->o, "%s sends LID %u out of port %u; %s tells no more about it.\n",
				 switch_name(y->w->fabric, y->sw), y->lid, port, r->engine);
	}
	why_settle(y->w, y->sw, y->lid, &y->heard);
	if (has_directions(r)) { /* a rule of up and down: does the way of the tables keep it? */
		if (table_way(y, &p) && p.n > 1) {
			p.hop[p.n - 1].out = 0;
			why_command_tell_way(y, p.hop, p.n, "Way of the tables");
			why_turn(y, p.hop, p.n);
		}
		path_free(&p);
	}
	why_end(y, &y->heard.decided);
	return 0;
}

/* --- why SWITCH DST via PORT ------------------------------------------------------------------ */

/* A port of the switch: its number, or SWITCH[PORT]. */
static int why_command_read_port(const struct why *y, const char *word, unsigned *port, struct err *e)
{
	const struct fabric *f = y->w->fabric;
	uint64_t n;

	if (number_of(word, 1, f->switch_nports[y->sw], &n)) {
		*port = (unsigned)n;
		return 0;
	}
	if (strchr(word, '[')) {
		uint32_t id = session_port(y->s, word, e);
		if (id == NO_ID)
			return -1;
		*port = f->port_num[id];
		if (f->port_node[id] == f->switch_node[y->sw])
			return 0;
	}
	return err_set(e, "via: found \"%s\", expected a port of %s, 1 to %u", word, switch_name(f, y->sw),
		       f->switch_nports[y->sw]);
}

/* What a port is worth for the destination. */
struct via {
	struct why *y;
	unsigned port, chosen; /* chosen: the table's */
	uint32_t target;       /* switch of the destination */
	int links;	       /* on the way by the table, -1 = none */
	int allowed;	       /* on the shortest way by the port that the engine allows, -1 = none */
	bool free_way, lawful_way;
	struct way any, lawful; /* shortest ways through the port: all, and those that the rule allows */
};

static const char *verdict(const struct via *v)
{
	if (v->port == v->chosen)
		return "chosen";
	if (!v->free_way)
		return "no way";
	if (v->allowed < 0)
		return "forbidden";
	if (v->links < 0)
		return "open";
	if (v->allowed == v->links)
		return "equal";
	return v->allowed > v->links ? "longer" : "shorter";
}

static void why_command_tell_verdict(const struct via *v, const char *word)
{
	const struct why *y = v->y;
	const char *engine = y->w->routing->engine;

	if (y->heard.against.rule == WHY_WOULD_LOOP)
		out_text(y->o, "would loop: %s\n", text_str(&y->heard.against.text));
	else if (!strcmp(word, "equal"))
		out_text(y->o, "equal, but not chosen: as long as by port %u.\n", v->chosen);
	else if (!strcmp(word, "longer"))
		out_text(y->o, "longer than by port %u, by %s.\n", v->chosen,
			 PLURAL((unsigned)(v->allowed - v->links), "hop"));
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

/* The engine's own figures, for comparison. */
static void tell_matrix(const struct via *v)
{
	const struct routing *r = v->y->w->routing;

	if (!r->ops->hops || v->target == v->y->sw)
		return;
	unsigned least = r->ops->hops(r, v->y->sw, v->target, 0);
	unsigned value = r->ops->hops(r, v->y->sw, v->target, v->port);
	if (value == NO_PATH && v->free_way && !has_directions(r)) /* the matrix knows its own route only */
		return;
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

/* The rule against a port that the engine did not weigh, taken from the ways that exist. */
static void decide_by_way(const struct via *v, const char *word, struct decided *d)
{
	const struct why *y = v->y;
	const struct routing *r = y->w->routing;
	const struct topo *t = y->w->topo;
	uint32_t peer = t->peer_switch[switch_port_id(t->fabric, y->sw, v->port)];
	unsigned least = r->ops->hops ? r->ops->hops(r, y->sw, v->target, 0) : NO_PATH,
		 value = least != NO_PATH ? r->ops->hops(r, y->sw, v->target, v->port) : NO_PATH, i;

	if (!strcmp(word, "no way")) {
		decide(d, WHY_NO_WAY, "No cables lead there from %s but back through %s.",
		       switch_name(t->fabric, peer), switch_name(t->fabric, y->sw));
	} else if (!strcmp(word, "forbidden")) {
		i = first_turn(y->w->routing, v->any.hop, v->any.n);
		decide(d, WHY_FORBIDDEN,
		       "Every way by port %u turns up again after a step down, the shortest (%s)", v->port,
		       PLURAL(v->any.links, "hop"));
		text_add(&d->text, " at %s.", switch_name(t->fabric, v->any.hop[i < v->any.n ? i : 0].sw));
	} else if (value != NO_PATH && value > least && y->heard.against.rule != WHY_LEARNED &&
		   (strcmp(word, "longer") != 0 || v->links != (int)least)) { /* weights */
		decide(d, WHY_LONGER, "In the hop matrix port %u has %u, port %u %u.", v->port, value,
		       v->chosen, least);
	} else if (!strcmp(word, "longer")) {
		decide(d, WHY_LONGER, "Port %u leads there in %s, port %u in %u.", v->port,
		       PLURAL((uint64_t)v->allowed, "hop"), v->chosen, (unsigned)v->links);
	}
}

static void tell_via(struct via *v)
{
	const struct why *y = v->y;
	const struct routing *r = y->w->routing;
	const char *word = verdict(v);

	why_command_tell_verdict(v, word);
	if (v->lawful_way)
		why_command_tell_way(y, v->lawful.hop, v->lawful.n,
				     has_directions(r) ? "Shortest way the rule allows" : "Shortest way");
	if (v->free_way && (!v->lawful_way || v->any.links < v->lawful.links)) {
		why_command_tell_way(y, v->any.hop, v->any.n, "Shortest way of all");
		why_turn(y, v->any.hop, v->any.n);
	}
	tell_matrix(v);
	json_t *via = json_make("{s:i, s:o, s:s, s:i, s:i, s:i}", "port", (int)v->port, "chosen",
				why_command_port_json(v->chosen), "verdict", word, "links", v->links,
				"lawful", v->lawful_way ? (int)v->lawful.links : -1, "shortest",
				v->free_way ? (int)v->any.links : -1);
	json_put_out(via, "port", r->topo->fabric, y->sw, v->port);
	json_put_out(via, "chosen", r->topo->fabric, y->sw, v->chosen);
	out_json(y->o, "via", via);
}

/* Tells of a port that leads to no switch, or of a destination on this switch. */
static void tell_short(const struct via *v, uint32_t peer, uint32_t owner)
{
	struct why *y = v->y;
	const struct fabric *f = y->w->fabric;

	if (v->port == v->chosen) {
		out_text(y->o, "this is the port it takes.\n");
	} else if (!node_is_switch(f, f->port_node[peer])) {
		out_text(y->o, "no way, that is no switch and forwards nothing.\n");
		decide(&y->heard.against, WHY_NO_SWITCH, "%s is no switch and forwards nothing.",
		       f->node_name[f->port_node[peer]]);
	} else {
		out_text(y->o, "a detour, the destination is on this very switch.\n");
		decide(&y->heard.against, WHY_DETOUR, "%s is on %s itself.", ENDPORT_LABEL(f, owner),
		       switch_name(f, y->sw));
	}
}

int why_port(struct why *y, unsigned port, bool tell, struct err *e)
{
	assert(port >= 1 && port <= y->w->fabric->switch_nports[y->sw]);

	const struct topo *t = y->w->topo;
	const struct fabric *f = t->fabric;
	struct via v = {.y = y, .port = port, .chosen = routing_port(y->w->routing, y->sw, y->lid)};
	uint32_t owner = lid_owner(y->w->lids, y->lid), peer = t->peer[switch_port_id(f, y->sw, port)];

	assert(port <= f->switch_nports[y->sw]);
	y->quiet = true;
	if (why_listen(y, port, e))
		return -1;
	why_settle(y->w, y->sw, y->lid, &y->heard);
	v.target = t->endport_switch[owner];
	if (tell)
		out_text(y->o, "%s by port %s to %s, for LID %u (%s): ", switch_name(f, y->sw),
			 EXIT_NUMBER(f, y->sw, v.port), PORT_LABEL(f, peer), y->lid, ENDPORT_LABEL(f, owner));
	if (v.target != y->sw && node_is_switch(f, f->port_node[peer])) {
		const struct routing *r = v.y->w->routing;
		enum why_rule against = v.y->heard.against.rule;
		struct path p;
		const struct why_heard *h = &y->heard;

		v.links = table_way(v.y, &p) ? (int)p.n - 1 : -1;
		path_free(&p);
		v.free_way = way_find(r, v.y->sw, v.port, v.target, false, &v.any);
		v.lawful_way = way_find(r, v.y->sw, v.port, v.target, true, &v.lawful);
		v.allowed = v.lawful_way ? (int)v.lawful.links : -1;
		/*
		 * connect_roots, and gaps of OpenSM's search, allow ways against the rule; the matrix of
		 * ftree has ways that its climbs never take
		 */
		if (has_directions(r) && r->ops->hops && v.free_way && v.links >= 0 && !h->passed_by &&
		    r->ops->hops(r, v.y->sw, v.target, v.port) == r->ops->hops(r, v.y->sw, v.target, 0))
			v.allowed = v.links;
		else if (!v.lawful_way && v.free_way && against && against != WHY_MISSED && !h->passed_by)
			v.allowed = (int)v.any.links;
		/*
		 * Tables that nobody computed are taken as they are, even if a better way exists.  If there
		 * is no way, or no way that the rule allows, nothing else decides.
		 */
		if (v.port != v.chosen && h->decided.rule != WHY_LINE && h->decided.rule != WHY_AS_READ &&
		    h->decided.rule != WHY_NOT_IN_FILE && h->decided.rule != WHY_PROGRAM &&
		    (!h->against.rule || !v.free_way ||
		     ((h->against.rule == WHY_MISSED || (h->against.rule == WHY_LEARNED && h->passed_by)) &&
		      (v.allowed < 0 || (v.links >= 0 && v.allowed > v.links)))))
			decide_by_way(&v, verdict(&v), &y->heard.against);
		if (tell)
			tell_via(&v);
		way_free(&v.any);
		way_free(&v.lawful);
	} else if (tell) {
		tell_short(&v, peer, owner);
	}
	if (tell && v.chosen == NO_PATH)
		out_text(y->o, "  The table has no entry for the LID.\n");
	why_end(y, v.port == v.chosen || !y->heard.against.rule ? &y->heard.decided : &y->heard.against);
	return 0;
}

static bool why_entry_early(struct why *y);

/* --- the command --------------------------------------------------------------------------------- */

static int why_command_answer(struct why *y, const struct args *args, struct err *e)
{
	bool via = args->n > 2 && !strcmp(args->arg[2].word, "via");
	unsigned port;

	if (via && args->n == 3)
		return usage(y->s, "why", e);
	if (args->n > 2 && !(via && args->n == 4))
		return why_given(y, args, e);
	if (args->form == 1) /* HOST DST */
		return session_node(y->s, args->arg[0].word, e) == NO_ID ? -1 : why_pair(y, args, e);
	if (why_command_read_entry(y, args, e) ||
	    (via && why_command_read_port(y, args->arg[3].word, &port, e)))
		return -1;
	if (why_entry_open(y) || (!via && why_entry_early(y)))
		return 0;
	if (!via)
		return why_entry(y, e);
	if (y->w->topo->peer[switch_port_id(y->w->fabric, y->sw, port)] == NO_ID)
		return err_set(e, "%s[%u] has no live link, so no route leaves by it",
			       switch_name(y->w->fabric, y->sw), port);
	return why_port(y, port, true, e);
}

int cmd_why(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct why y = {.s = s, .w = need_routing(s, e), .o = o};

	if (!y.w)
		return -1;
	y.walk = session_moment(s) ? session_walk(s) : NULL;
	int rc = why_command_answer(&y, args, e);
	why_heard_free(&y.heard);
	return rc;
}

/* Command why at a step of a walk through a run: what is decided there, and what is still open. */

/* The step that decides an entry: up to the walk's step, or after it (later). 0: none. */
static size_t deciding_step(const struct walk *w, uint32_t sw, unsigned lid, bool later)
{
	const struct recording *r = walk_recording(w);
	size_t from = later ? walk_step(w) + 1 : 1, found = 0;
	size_t to = later ? recording_steps(r) : walk_step(w);

	for (size_t i = from; i <= to && !(later && found); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (rec_decides(ev) && ev->a == sw && ev->b == lid)
			found = i;
	}
	return found;
}

static uint32_t why_step_command_cell(const struct walk *w, uint32_t sw, unsigned lid)
{
	assert(lid <= recording_sweep(walk_recording(w))->lids->max_lid);
	return sw * (recording_sweep(walk_recording(w))->lids->max_lid + 1u) + lid;
}

bool why_open(const struct why *y, uint32_t sw, unsigned lid, struct text *t, size_t *when)
{
	const struct recording *r = y->walk ? walk_recording(y->walk) : NULL;

	assert(sw < y->w->fabric->n_switches);
	*when = 0;
	if (!r || walk_decided(y->walk, sw, lid) ||
	    walk_value(y->walk, T_ENTRY, why_step_command_cell(y->walk, sw, lid)) !=
		    NO_PATH) /* kept from the start */
		return false;
	*when = deciding_step(y->walk, sw, lid, true);
	if (!recording_keeps(r, T_ENTRY, why_step_command_cell(y->walk, sw, lid))) {
		text_add(t, "not in the part of the run that is recorded");
	} else if (*when) {
		text_add(t, "not decided yet at step %zu; it is decided at step %zu", walk_step(y->walk),
			 *when);
	} else if (recording_refusal(r)) {
		text_add(t, "not decided at step %zu, nor before %s refuses", walk_step(y->walk),
			 recording_engine(r));
	} else {
		text_add(t, "no step of the run decides it");
		return routing_port(recording_sweep(r)->routing, sw, lid) != NO_PATH ||
		       walk_step(y->walk) < recording_steps(r);
	}
	return true;
}

int why_repeat(const struct why *y, const struct rec_ask *ask, struct err *e)
{
	const struct recording *r = y->walk ? walk_recording(y->walk) : NULL;
	struct sweep_repeat q = {.engines = y->s->engines, .ask = ask, .progress = y->o->run->progress};
	const struct routing *made = r ? recording_sweep(r)->routing : NULL;

	if (!r)
		return rec_ask_again(y->w, &q, e);
	if (!made || strcmp(made->engine, recording_engine(r)) != 0)
		q.engine = recording_engine(r);
	/* an engine that refused still reports everything up to its refusal */
	if (sweep_repeat(recording_sweep(r), &q, NULL, e) &&
	    (!recording_refusal(r) || err_is_memory(e) || progress_cancelled(y->o->run->progress)))
		return -1;
	return 0;
}

bool why_entry_open(struct why *y)
{
	AUTO_TEXT struct text t = {0};
	size_t when;
	bool open = why_open(y, y->sw, y->lid, &t, &when);

	if (open) {
		out_text(y->o, "The entry of %s for LID %u: %s.\n", switch_name(y->w->fabric, y->sw), y->lid,
			 text_str(&t));
		if (routing_port(y->w->routing, y->sw, y->lid) != NO_PATH)
			out_text(y->o, "Its route is found: by port %u.\n",
				 routing_port(y->w->routing, y->sw, y->lid));
		if (when)
			out_json(y->o, "decided_at", json_integer((json_int_t)when));
	}
	return open;
}

static bool why_entry_early(struct why *y)
{
	size_t when = y->walk ? deciding_step(y->walk, y->sw, y->lid, false) : 0,
	       again = when ? deciding_step(y->walk, y->sw, y->lid, true) : 0;
	const struct recording *r = again ? walk_recording(y->walk) : NULL;
	AUTO_TEXT struct text t = {0};

	if (!again)
		return false;
	struct walk *w = walk_new(r);
	walk_to(w, when, NULL);
	walk_sentence(w, &t);
	out_text(y->o, "%s.\nIt is decided again at step %zu.\n", text_str(&t), again);
	out_text(y->o, "Decided: %s: %s.\n", recording_rule(r, walk_event(w)), text_str(&t));
	out_fields(y->o, json_make("{s:s, s:s, s:I}", "rule", recording_rule(r, walk_event(w)), "decided",
				   text_str(&t), "decided_at", (json_int_t)again));
	walk_free(w);
	return true;
}
