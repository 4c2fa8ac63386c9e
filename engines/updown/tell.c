/* Up/Down and Down/Up explained: steps, choices and ranks in words, and the tables that panes show. */
#include <assert.h>

#include "core/base/text.h"
#include "core/sm/sweep.h"
#include "engines/say.h"
#include "engines/updown/updown.h"

/* Sentences for steps, choices and ranks of Up/Down and Down/Up. */

static void say_visit(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	static const char *const way[] = {"down", "up", "level"};
	const struct recording *r = walk_recording(w);
	const struct fabric *f = recording_sweep(r)->fabric;
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	text_add(t, "target %s, at %s (%s; packets go %s from here)", switch_name(f, ev->b),
		 switch_name(f, ev->a), PLURAL(ev->port, "hop"), way[ev->flags & 3]);
	while (recording_next_delta(r, walk_step(w), &cursor, &d)) {
		uint32_t port = d.at % f->n_ports;

		if (!f->port_num[port]) /* the cell of the switch's least value */
			continue;
		text_add(t, "%s %s by port %u: ", n++ ? "," : ": teaches", f->node_name[f->port_node[port]],
			 f->port_num[port]);
		if (d.now == NO_PATH)
			text_add(t, "erased");
		else
			text_add(t, "%s", PLURAL(d.now, "hop"));
	}
	if (!n)
		text_add(t, ": teaches nobody");
}

/* The sentence of a step, and the source of its rule. */
static void updown_sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	const struct updown *u;
	const uint32_t *bar;

	switch (ev->kind) {
	case REC_VERDICT:
		u = recording_kept(walk_recording(w));
		bar = root_bars(u->search, ev->a);
		text_add(t, "%s: %s; ports at distance", switch_name(f, ev->a), root_verdict_text(ev->rule));
		for (unsigned k = 0; k < ROOT_BARS; k++)
			if (bar[k])
				text_add(t, " %u: %u", k, bar[k]);
		break;
	case REC_RANK:
		text_add(t, "%s: rank %u", switch_name(f, ev->a), walk_value(w, T_RANK, ev->a));
		if (ev->b != NO_ID)
			text_add(t, ", one more than %s", switch_name(f, ev->b));
		break;
	case REC_VISIT:
		say_visit(w, ev, t);
		break;
	case REC_COPY:
		text_add(t, "target %s is a root: all ways of fewest hops to it are allowed (connect_roots)",
			 switch_name(f, ev->b));
		break;
	case REC_FORBID:
	case REC_PRICE:
		text_add(t, "target %s: %s by port %u: %s: down and then up", switch_name(f, ev->b),
			 switch_name(f, ev->a), ev->port,
			 ev->kind == REC_FORBID ? "forbidden" : "allowed at a price");
		break;
	default:
		assign_sentence(w, t);
	}
}

static const char *updn_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_VERDICT:
		return "updn.md 3.3; OpenSM 3.3.23";
	case REC_RANK:
		return "updn.md 4; Schroeder et al. 1991";
	case REC_VISIT:
	case REC_FORBID:
		return "updn.md 5.2; Schroeder et al. 1991";
	case REC_COPY:
		return "updn.md 5.3; opensm(8), connect_roots";
	default:
		return assign_source(ev);
	}
}

static const char *dnup_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_RANK:
		return "updn.md 6.1; OpenSM 3.3.23";
	case REC_VISIT:
	case REC_FORBID:
		return "updn.md 6.3; OpenSM 3.3.23, after Schroeder et al. 1991";
	case REC_COPY:
	case REC_PRICE:
	case REC_ERASE:
		return "updn.md 6.4; opensm(8), connect_roots";
	default:
		return assign_source(ev);
	}
}

/* --- the rule that decided ----------------------------------------------------------------- */

static void say_forbidden(const struct ways *n, const struct rec_choice *c, struct decided *d)
{
	struct way_text w = {.turn = NO_ID};

	assert(c->target == n->target);
	way_shortest(n, c->sw, &w);
	decide(d, WHY_FORBIDDEN, "Every way");
	if (c->port != NO_PATH)
		text_add(&d->text, " of fewer than %s",
			 PLURAL(hops_least(n->u->hops, c->sw, c->target), "hop"));
	text_add(&d->text, " turns up again after a step down, the shortest (%s: %s)", PLURAL(w.hops, "hop"),
		 text_str(&w.t));
	if (w.turn != NO_ID)
		text_add(&d->text, " at %s", switch_name(n->in->topo->fabric, w.turn));
	if (c->port == NO_PATH)
		text_add(&d->text, ". No entry.");
	else
		text_add(&d->text, "; port %u leads in %u.", c->port,
			 hops_least(n->u->hops, c->sw, c->target));
	text_free(&w.t);
}

/* Tells the way that the search missed: the one by port `asked`, or the shortest one. */
static void say_missed(const struct ways *n, const struct rec_choice *c, unsigned asked, struct decided *d)
{
	unsigned port = asked ? asked : way_missed(n, c->sw);

	decide(d, WHY_MISSED, "A legal way");
	if (!asked)
		text_add(&d->text, " of %s", PLURAL(way_legal(n, c->sw, port), "hop"));
	text_add(&d->text,
		 " leads by port %u; OpenSM's search goes on from a switch in the direction that reached it "
		 "first, and missed it. ",
		 port);
	if (c->port == NO_PATH)
		text_add(&d->text, "No entry.");
	else if (c->port == port)
		text_add(&d->text, "The way that it found there has %u.",
			 hops_least(n->u->hops, c->sw, c->target));
	else
		text_add(&d->text, "Port %u leads in %u.", c->port, hops_least(n->u->hops, c->sw, c->target));
}

/* Tells the first candidate that does not turn up, beside the chosen port. */
static void say_mixed(const struct ways *n, const struct rec_choice *c, struct decided *d)
{
	unsigned q = 0;

	for (unsigned i = 0; i < c->n_offers && !q; i++)
		if (updown_direction(n->u, n->in->topo, c->sw, c->offer[i].port) == 'D')
			q = c->offer[i].port;
	decide(d, WHY_MIXED,
	       "Ports %u and %u have %s; %u turns up, %u does not, and OpenSM counts them alike: whoever "
	       "came from above would turn at %s. %s",
	       c->port, q, PLURAL(hops_least(n->u->hops, c->sw, c->target), "hop"), c->port, q,
	       switch_name(n->in->topo->fabric, c->sw), text_str(&c->decided.text));
}

static void say_rule(const struct ways *n, const struct rec_choice *c, enum why_rule rule, struct decided *d)
{
	const struct fabric *f = n->in->topo->fabric;

	if (rule == WHY_ROOTS_APART)
		decide(d, rule,
		       "%s and %s are both roots and no way goes up and then down; connect_roots would allow "
		       "it.",
		       switch_name(f, c->sw), switch_name(f, c->target));
	else if (rule == WHY_ERASED)
		decide(d, rule,
		       "Turns up cost %u each (connect_roots), and OpenSM erases entries whose cost reaches "
		       "64.",
		       n->u->weight);
	else if (rule == WHY_MISSED)
		say_missed(n, c, 0, d);
	else if (rule == WHY_FORBIDDEN)
		say_forbidden(n, c, d);
	else if (rule == WHY_PRICED)
		decide(d, rule, "A turn up costs %u (connect_roots); port %u leads at the least cost, %u.",
		       n->u->weight, c->port, hops_least(n->u->hops, c->sw, c->target));
	else
		say_mixed(n, c, d);
}

/* Explains why a port lost that the count did not weigh. */
static void say_against(const struct ways *n, const struct rec_choice *c, struct decided *d)
{
	const struct hops *h = n->u->hops;
	unsigned least = hops_least(h, c->sw, c->target),
		 value = hops_value(h, n->in->topo, c->sw, c->target, c->via);

	if (way_is_missed(n, c->sw, c->via))
		say_missed(n, c, c->via, d);
	else if (ways_open(n) && c->port != NO_PATH && value != NO_PATH && value > least)
		decide(d, n->u->weight && value > n->u->weight + 1 ? WHY_PRICED : WHY_LONGER,
		       "connect_roots: port %u has %u in the hop matrix, port %u %u.", c->via, value, c->port,
		       least);
}

void updown_tell_choice(void *ways, const struct rec_choice *c)
{
	struct ways *n = ways;
	struct rec_choice told = *c;
	struct decided d = {0}, against = {0};

	if (c->target != NO_ID && c->sw != c->target) {
		ways_measure(n, c->target);
		enum why_rule rule = way_rule(n, c->sw, c->port, c->decided.rule);
		unsigned made = n->in->made ? routing_port(n->in->made, c->sw, c->lid) : NO_PATH;
		if (c->port == NO_PATH && n->hub != NO_ID && n->hub != c->sw && made != NO_PATH) {
			told.port = (uint8_t)made;
			decide(&d, WHY_HUB,
			       "The rule of up and down has no way; calculate_missing_routes sends the "
			       "packet to %s, "
			       "by port %u, and on as that switch does.",
			       switch_name(n->in->topo->fabric, n->hub), made);
			told.decided = d;
		} else if (rule != c->decided.rule) {
			say_rule(n, c, rule, &d);
			told.decided = d;
		}
		if (c->via && c->via <= n->in->topo->fabric->switch_nports[c->sw])
			say_against(n, c, &against);
		if (against.rule)
			told.against = against;
	}
	n->in->ask->tell(n->in->ask->ctx, &told);
	decided_free(&d);
	decided_free(&against);
}

/* --- ranks ------------------------------------------------------------------------------------------- */

/* Tells the counts of hosts at a switch, and what a root needs. */
static void add_count(const struct root_search *s, uint32_t sw, struct text *t)
{
	const uint32_t *bar = root_bars(s, sw);
	unsigned most, next;

	root_peaks(s, sw, &most, &next);
	if (most == ROOT_BARS) {
		text_add(t, "no host is counted");
		return;
	}
	text_add(t, "%u of %s at distance %u, where a root has %u or more", bar[most],
		 PLURAL(s->total, "host port"), most, root_main_limit(s));
	if (next < ROOT_BARS)
		text_add(t, "; %u at distance %u, where it has %u at most", bar[next], next,
			 root_second_limit(s) - 1);
}

void updown_decide_rank(const struct routing *r, uint32_t sw, struct decided *d)
{
	const struct updown *u = updown_of(r);
	const struct topo *t = r->topo;
	const char *name = switch_name(t->fabric, sw);
	uint32_t next = NO_ID;

	assert(sw < t->fabric->n_switches);
	if (!u->rank[sw] && !u->id) {
		decide(d, WHY_RANK, "Hosts hang on %s itself: rank 0.", name);
		return;
	}
	if (!u->rank[sw] && u->search && root_verdict(u->search, sw) == ROOT_YES) {
		decide(d, WHY_ROOT_COUNTED, "%s has ", name);
		add_count(u->search, sw, &d->text);
		text_add(&d->text, ".");
		return;
	}
	if (!u->rank[sw]) {
		decide(d, WHY_ROOT_NAMED, "root_guid_file names %s.", name);
		return;
	}
	for (unsigned p = 1; p <= t->fabric->switch_nports[sw] && next == NO_ID; p++) {
		next = t->peer_switch[switch_port_id(t->fabric, sw, p)];
		if (next != NO_ID && u->rank[next] != u->rank[sw] - 1)
			next = NO_ID;
	}
	decide(d, WHY_RANK, "%s has rank %u, no neighbour of %s less",
	       next == NO_ID ? "a neighbour" : switch_name(t->fabric, next), u->rank[sw] - 1, name);
	if (u->search) {
		text_add(&d->text, "; it is no root itself: ");
		add_count(u->search, sw, &d->text);
	}
	text_add(&d->text, ".");
}

void updown_rank_clues(const struct routing *r, uint32_t sw, struct text *t)
{
	const struct updown *u = updown_of(r);

	if (!u->search) {
		if (u->id)
			text_add(t, "%s by root_guid_file.\n", PLURAL(u->n_roots, "root"));
		else
			text_add(t, "Switches with hosts have rank 0.\n");
		return;
	}
	text_add(t, "Counted at %s: ", switch_name(r->topo->fabric, sw));
	add_count(u->search, sw, t);
	text_add(t, ".\n");
}

/* Tables of Up/Down and Down/Up at a step, and how their recordings are shown. */

/* Names of the verdicts on roots, by enum root_verdict. Choices use enum why_rule. */
static const char *const verdict_rules[] = {"root: counted", "root: spread", "root: second",
					    "root: no hosts"};

/*
 * The matrix that a step is about: the one of Min Hop that finds the roots or the first pass of dnup
 * (T_PLAIN), until the second matrix begins.
 */
static enum rec_table matrix_at(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	struct rec_delta d;

	for (size_t i = walk_step(w); i && recording_cells(r, T_PLAIN); i--) {
		uint32_t cursor = 0;

		if (recording_next_delta(r, i, &cursor, &d) && (d.table == T_HOPS || d.table == T_PLAIN))
			return d.table;
		if (recording_event(r, i)->kind == REC_CHOICE)
			return T_HOPS;
	}
	return recording_cells(r, T_PLAIN) ? T_PLAIN : T_HOPS;
}

static void *updown_show_priv_at(struct walk *w, const struct routing *end)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t n = s->fabric->n_switches;
	const struct updown *kept = recording_kept(walk_recording(w)), *run = end ? updown_of(end) : NULL;
	const uint32_t *rank = walk_words(w, T_RANK);

	if (!kept) /* refused before there was anything to rank from */
		return NULL;
	struct updown *u = updown_frame(kept, n);
	for (uint32_t i = 0; i < n && rank; i++) {
		u->rank[i] = rank[i];
		u->n_roots += !rank[i];
		u->max_rank = rank[i] != NO_RANK && rank[i] > u->max_rank ? rank[i] : u->max_rank;
	}
	if (run) { /* figures that the steps do not give */
		u->n_level = run->n_level;
		u->n_root_links = run->n_root_links;
		u->connect = run->connect;
		u->weight = run->weight;
		u->n_priced = run->n_priced;
		u->n_erased = run->n_erased;
	}
	u->hops = hops_at(w, matrix_at(w));
	return u;
}

static const char *updown_show_rule(const struct rec_event *ev)
{
	return ev->kind == REC_VERDICT ? verdict_rules[ev->rule] : why_rule_name(ev->rule);
}

const struct rec_scheme updn_scheme = {
	.rule = updown_show_rule,
	.source = updn_source,
	.sentence = updown_sentence,
	.ops = &updn_step_ops,
	.priv_at = updown_show_priv_at,
};

const struct rec_scheme dnup_scheme = {
	.rule = updown_show_rule,
	.source = dnup_source,
	.sentence = updown_sentence,
	.ops = &dnup_step_ops,
	.priv_at = updown_show_priv_at,
};
