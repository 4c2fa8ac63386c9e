/* Words for the way a chosen port leads, and for the way the rule forbids. */
#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/updown/updown.h"

#include <stdlib.h>
#include <string.h>
#include "core/trace/recording.h"
#include "engines/counted/assign.h"

#define FAR UINT16_MAX

/* A shortest way obeys the rule; it even does when the packet comes from above. */
enum { LEGAL = 1, LEGAL_AFTER_DOWN = 2 };

struct narrator {
	const struct engine_input *in; /* the listener's own */
	const struct updown *u;
	uint32_t target; /* the one that dist[] is about; NO_ID = none */
	uint16_t *dist;	 /* [n_switches] hops to it when nothing is forbidden, FAR = none */
	uint8_t *legal;	 /* [n_switches] LEGAL bits of the ways of that length */
	uint32_t *queue; /* [n_switches] */
};

static uint32_t peer_of(const struct narrator *n, uint32_t sw, unsigned port)
{
	return n->in->topo->peer_switch[switch_port_id(n->in->topo->fabric, sw, port)];
}

/* What the shortest ways of a switch may do, once all nearer switches are known. */
static uint8_t legal_ways(const struct narrator *n, uint32_t sw)
{
	const struct fabric *f = n->in->topo->fabric;
	uint8_t legal = 0;

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t r = peer_of(n, sw, p);
		char c = updown_direction(n->u, n->in->topo, sw, p);

		if (r == NO_ID || n->dist[r] + 1 != n->dist[sw])
			continue;
		if (c == 'U')
			legal |= n->legal[r] & LEGAL;
		else if (n->legal[r] & (c == 'D' || n->u->id ? LEGAL_AFTER_DOWN : LEGAL))
			legal |= LEGAL | LEGAL_AFTER_DOWN;
	}
	return legal;
}

static void measure(struct narrator *n, uint32_t target)
{
	const struct fabric *f = n->in->topo->fabric;
	uint32_t end = 0;

	if (n->target == target)
		return;
	n->target = target;
	memset(n->dist, 0xff, f->n_switches * sizeof(*n->dist));
	n->dist[target] = 0;
	n->queue[end++] = target;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t s = n->queue[i];

		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t r = peer_of(n, s, p);

			if (r == NO_ID || n->dist[r] != FAR)
				continue;
			n->dist[r] = n->dist[s] + 1;
			n->queue[end++] = r;
		}
	}
	n->legal[target] = LEGAL | LEGAL_AFTER_DOWN;
	for (uint32_t i = 1; i < end; i++)
		n->legal[n->queue[i]] = legal_ways(n, n->queue[i]);
}

/* A way hop by hop: runs of one direction in words, and the first turn that the rule forbids. */
struct way_text {
	struct text t;
	char run;
	unsigned len, hops;
	bool down;     /* went down, with nothing level since (updn: at all) */
	uint32_t turn; /* switch of the forbidden turn, NO_ID = none */
};

static void end_run(struct way_text *w)
{
	if (!w->len)
		return;
	text_add(&w->t, "%s%s", w->t.len ? " then " : "",
		 w->run == 'U'	 ? "up"
		 : w->run == 'D' ? "down"
				 : "level");
	if (w->len > 1)
		text_add(&w->t, " %u", w->len);
	w->len = 0;
}

static void add_hop(const struct narrator *n, struct way_text *w, uint32_t sw, unsigned port)
{
	char c = updown_direction(n->u, n->in->topo, sw, port);

	if (c == 'U' && w->down && w->turn == NO_ID)
		w->turn = sw;
	w->down = c == 'D' || (w->down && n->u->id);
	if (c != w->run)
		end_run(w);
	w->run = c;
	w->len++;
	w->hops++;
}

/* Along the matrix, by the first port of least cost after the one chosen. */
static void follow_matrix(const struct narrator *n, uint32_t sw, unsigned port, uint32_t target,
			  struct way_text *w)
{
	const struct topo *t = n->in->topo;
	const struct fabric *f = t->fabric;

	while (sw != target && w->hops < 2u * f->n_switches) {
		unsigned least;

		add_hop(n, w, sw, port);
		sw = peer_of(n, sw, port);
		if (sw == NO_ID || sw == target)
			break;
		least = hops_least(n->u->hops, sw, target);
		for (port = 1; port <= f->switch_nports[sw]; port++)
			if (peer_of(n, sw, port) != NO_ID &&
			    hops_value(n->u->hops, t, sw, target, port) == least)
				break;
		if (port > f->switch_nports[sw])
			break;
	}
	end_run(w);
}

/* Along a shortest way, whatever the rule says; the first port that leads nearer. */
static void follow_shortest(const struct narrator *n, uint32_t sw, struct way_text *w)
{
	const struct fabric *f = n->in->topo->fabric;

	while (n->dist[sw]) {
		unsigned port = 1;

		while (peer_of(n, sw, port) == NO_ID || n->dist[peer_of(n, sw, port)] + 1 != n->dist[sw])
			if (++port > f->switch_nports[sw])
				return;
		add_hop(n, w, sw, port);
		sw = peer_of(n, sw, port);
	}
	end_run(w);
}

static void add_forbidden(struct narrator *n, uint32_t sw, struct text *t)
{
	struct way_text w = {.turn = NO_ID};

	if (n->legal[sw] & LEGAL) {
		text_add(t,
			 "a legal way of %s is missed: OpenSM's search goes on from a switch in the "
			 "direction "
			 "that reached it first",
			 PLURAL(n->dist[sw], "hop"));
		return;
	}
	follow_shortest(n, sw, &w);
	text_add(t, "the shortest way (%s: %s) is forbidden", PLURAL(w.hops, "hop"), text_str(&w.t));
	if (w.turn != NO_ID)
		text_add(t, ": it turns up again at %s", switch_name(n->in->topo->fabric, w.turn));
	text_free(&w.t);
}

/* The words put before those of the choice itself. */
static void add_way(struct narrator *n, const struct step *s, struct text *t)
{
	unsigned least = hops_least(n->u->hops, s->sw, s->sw2);
	struct way_text w = {.turn = NO_ID};

	measure(n, s->sw2);
	if (s->port != NO_PATH && s->port && peer_of(n, s->sw, s->port) != NO_ID) {
		follow_matrix(n, s->sw, s->port, s->sw2, &w);
		text_add(t, "%s, %s", PLURAL(w.hops, "hop"), text_str(&w.t));
		if (w.turn != NO_ID)
			text_add(t, " (the turn up at %s breaks the rule)",
				 switch_name(n->in->topo->fabric, w.turn));
		text_add(t, "; ");
	}
	text_free(&w.t);
	if (n->dist[s->sw] == FAR)
		return;
	if (least == NO_PATH || (least > n->dist[s->sw] && !n->u->weight)) {
		add_forbidden(n, s->sw, t);
		text_add(t, "; ");
	}
}

/* --- the rule that decided ----------------------------------------------------------------- */

static void decide_none(const struct narrator *n, const struct step *s, struct decided *d)
{
	const struct fabric *f = n->in->topo->fabric;
	struct way_text w = {.turn = NO_ID};

	if (n->u->id && !n->u->connect && !n->u->rank[s->sw] && !n->u->rank[s->sw2]) {
		decide(d, WHY_ROOTS_APART,
		       "%s and %s are both roots and no way goes up and then down; connect_roots would allow "
		       "it.",
		       switch_name(f, s->sw), switch_name(f, s->sw2));
		return;
	}
	if (n->u->n_erased) {
		decide(d, WHY_ERASED,
		       "Turns up cost %u each (connect_roots), and OpenSM erases entries whose cost reaches "
		       "64.",
		       n->u->weight);
		return;
	}
	if (n->legal[s->sw] & LEGAL) {
		decide(d, WHY_MISSED,
		       "A legal way of %s exists; OpenSM's search went on from a switch in the direction "
		       "that "
		       "reached it first, and found none. No entry.",
		       PLURAL(n->dist[s->sw], "hop"));
		return;
	}
	follow_shortest(n, s->sw, &w);
	decide(d, WHY_FORBIDDEN, "Every way turns up again after a step down, the shortest (%s: %s)",
	       PLURAL(w.hops, "hop"), text_str(&w.t));
	if (w.turn != NO_ID)
		text_add(&d->text, " at %s", switch_name(f, w.turn));
	text_add(&d->text, ". No entry.");
	text_free(&w.t);
}

static void decide_longer(const struct narrator *n, const struct step *s, unsigned least, struct decided *d)
{
	struct way_text w = {.turn = NO_ID};

	if (n->legal[s->sw] & LEGAL) {
		decide(d, WHY_MISSED,
		       "A legal way of %s exists; OpenSM's search goes on from a switch in the direction "
		       "that reached "
		       "it first. Port %u leads in %u.",
		       PLURAL(n->dist[s->sw], "hop"), s->port, least);
		return;
	}
	follow_shortest(n, s->sw, &w);
	decide(d, WHY_FORBIDDEN, "The shortest way (%s: %s) turns up again", PLURAL(w.hops, "hop"),
	       text_str(&w.t));
	if (w.turn != NO_ID)
		text_add(&d->text, " at %s", switch_name(n->in->topo->fabric, w.turn));
	text_add(&d->text, "; port %u leads in %u.", s->port, least);
	text_free(&w.t);
}

/* A candidate that turns the other way than the port chosen: 0 = none. */
static unsigned mixed_with(const struct narrator *n, const struct step *s)
{
	if (!n->u->id || updown_direction(n->u, n->in->topo, s->sw, s->port) != 'U')
		return 0;
	for (unsigned i = 0; i < s->n_candidates; i++)
		if (updown_direction(n->u, n->in->topo, s->sw, s->candidate[i].port) == 'D')
			return s->candidate[i].port;
	return 0;
}

/* Where the rule of up and down decided, and not the count alone; true: *d is that. */
static bool decide_way(const struct narrator *n, const struct step *s, struct decided *d)
{
	const struct fabric *f = n->in->topo->fabric;
	unsigned least = hops_least(n->u->hops, s->sw, s->sw2), q;
	struct way_text w = {.turn = NO_ID};

	if (s->decided->rule == WHY_CUT_OFF || n->dist[s->sw] == FAR)
		return false;
	if (s->port == NO_PATH) {
		decide_none(n, s, d);
		return true;
	}
	/* a price paid is above what it costs: some hops before the turn, one behind it */
	if (s->decided->rule == WHY_ONLY_CANDIDATE && n->u->weight && least > n->u->weight + 1) {
		follow_matrix(n, s->sw, s->port, s->sw2, &w);
		text_free(&w.t);
		if (w.turn == NO_ID)
			return false;
		decide(d, WHY_PRICED,
		       "The turn up at %s costs %u (connect_roots); port %u leads at the least cost, %u.",
		       switch_name(f, w.turn), n->u->weight, s->port, least);
		return true;
	}
	if (s->decided->rule == WHY_ONLY_CANDIDATE && least > n->dist[s->sw] && !n->u->weight) {
		decide_longer(n, s, least, d);
		return true;
	}
	q = mixed_with(n, s);
	if (!q)
		return false;
	decide(d, WHY_MIXED,
	       "Ports %u and %u have %s; %u turns up, %u does not, and OpenSM counts them alike: those who "
	       "come from "
	       "above turn at %s. %s",
	       s->port, q, PLURAL(least, "hop"), s->port, q, switch_name(f, s->sw),
	       text_str(&s->decided->text));
	return true;
}

static void narrate(void *ctx, const struct step *s)
{
	struct narrator *n = ctx;
	const struct observer *o = n->in->observer;
	struct step told = *s;
	struct text t = {0};
	struct decided d = {0};

	if (s->kind == STEP_CHOICE && s->sw2 != NO_ID && s->sw != s->sw2) {
		add_way(n, s, &t);
		text_add(&t, "%s", s->text);
		told.text = text_str(&t);
		if (decide_way(n, s, &d))
			told.decided = &d;
	}
	o->step(o->ctx, &told);
	decided_free(&d);
	text_free(&t);
}

/* --- the same for a recording ---------------------------------------------------------------- */

/* What measure() tells of each target. */
struct measured {
	struct narrator *n;
	uint16_t *dist; /* [target x switch] */
	uint8_t *legal;
};

static struct measured measure_all(struct narrator *n)
{
	size_t size = n->in->topo->fabric->n_switches;
	struct measured m = {
		.n = n, .dist = NEW_ARRAY(size * size, uint16_t), .legal = NEW_ARRAY(size * size, uint8_t)};

	for (uint32_t t = 0; t < size && !progress_cancelled(n->in->progress); t++) {
		if (!switch_up(n->in->topo, t))
			continue;
		measure(n, t);
		memcpy(m.dist + t * size, n->dist, size * sizeof(*n->dist));
		memcpy(m.legal + t * size, n->legal, size);
	}
	return m;
}

static bool mixes(const struct narrator *n, uint32_t sw, uint32_t target, unsigned port, unsigned least)
{
	const struct topo *t = n->in->topo;

	if (!n->u->id || updown_direction(n->u, t, sw, port) != 'U')
		return false;
	for (unsigned p = 1; p <= t->fabric->switch_nports[sw]; p++)
		if (peer_of(n, sw, p) != NO_ID && hops_value(n->u->hops, t, sw, target, p) == least &&
		    updown_direction(n->u, t, sw, p) == 'D')
			return true;
	return false;
}

/* As decide_none() and decide_way(). */
static unsigned way_rule(void *ctx, const struct rec_event *ev)
{
	const struct measured *m = ctx;
	struct narrator *n = m->n;
	size_t size = n->in->topo->fabric->n_switches;
	uint32_t ep = lid_owner(n->in->lids, ev->b),
		 d = ep == NO_ID ? NO_ID : n->in->topo->endport_switch[ep];
	unsigned least;
	bool legal;

	if (d == NO_ID || d == ev->a || ev->rule == WHY_CUT_OFF || m->dist[d * size + ev->a] == FAR)
		return ev->rule;
	legal = m->legal[d * size + ev->a] & LEGAL;
	if (ev->port == NO_PATH) {
		if (n->u->id && !n->u->connect && !n->u->rank[ev->a] && !n->u->rank[d])
			return WHY_ROOTS_APART;
		if (n->u->n_erased)
			return WHY_ERASED;
		return legal ? WHY_MISSED : WHY_FORBIDDEN;
	}
	least = hops_least(n->u->hops, ev->a, d);
	if (ev->rule == WHY_ONLY_CANDIDATE && n->u->weight && least >= n->u->weight) {
		struct way_text w = {.turn = NO_ID};

		follow_matrix(n, ev->a, ev->port, d, &w);
		text_free(&w.t);
		return w.turn == NO_ID ? ev->rule : WHY_PRICED;
	}
	if (ev->rule == WHY_ONLY_CANDIDATE && least > m->dist[d * size + ev->a] && !n->u->weight)
		return legal ? WHY_MISSED : WHY_FORBIDDEN;
	return mixes(n, ev->a, d, ev->port, least) ? WHY_MIXED : ev->rule;
}

static void amend_rules(const struct engine_input *in, struct narrator *n)
{
	struct measured m = measure_all(n);

	rec_amend(in->record, way_rule, &m, in->progress);
	free(m.dist);
	free(m.legal);
}

bool updown_assign(const struct engine_input *in, struct engine_output *out, const struct updown *u,
		   struct routing *r)
{
	uint32_t size = in->topo->fabric->n_switches;
	struct narrator n = {.in = in, .u = u, .target = NO_ID};
	struct engine_input told = *in;
	struct observer obs;
	bool done;

	if (!OBSERVED(in) && !RECORDED(in))
		return assign_ports(in, out, u->hops, false, NULL, r);
	n.dist = NEW_ARRAY(size, uint16_t);
	n.queue = NEW_ARRAY(size, uint32_t);
	n.legal = NEW_ARRAY(size, uint8_t);
	if (OBSERVED(in)) {
		obs = *in->observer;
		obs.step = narrate;
		obs.ctx = &n;
		told.observer = &obs;
	}
	done = assign_ports(&told, out, u->hops, false, NULL, r);
	if (RECORDED(in) && done)
		amend_rules(in, &n);
	free(n.dist);
	free(n.queue);
	free(n.legal);
	return done;
}

/* --- ranks ------------------------------------------------------------------------------------------- */

/* What counting the hosts found at a switch, against what a root needs. */
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

static void decide_root(const struct updown *u, const char *name, uint32_t sw, struct decided *d)
{
	if (!u->id) {
		decide(d, WHY_RANK, "Hosts hang on %s itself: rank 0.", name);
	} else if (u->search && root_verdict(u->search, sw) == ROOT_YES) {
		decide(d, WHY_ROOT_COUNTED, "%s has ", name);
		add_count(u->search, sw, &d->text);
		text_add(&d->text, ".");
	} else {
		decide(d, WHY_ROOT_NAMED, "root_guid_file names %s.", name);
	}
}

void updown_decide_rank(const struct routing *r, uint32_t sw, struct decided *d)
{
	const struct updown *u = updown_of(r);
	const struct topo *t = r->topo;
	const char *name = switch_name(t->fabric, sw);
	uint32_t next = NO_ID;

	if (!u->rank[sw]) {
		decide_root(u, name, sw, d);
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
