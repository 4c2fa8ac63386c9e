/* Min Hop and its kin in words: steps, choices, tables of recordings. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/sm/sweep.h"
#include "engines/counted/counted.h"
#include "engines/say.h"

/* Sentences for steps and choices of the engines that count routes (engines/doc/minhop.md section 6). */

/* Tells the candidates of a choice by the matrix: each port, and its routes so far. */
static void say_candidates(const struct walk *w, const struct rec_event *ev, uint32_t target, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	const struct fabric *f = s->fabric;
	uint32_t p0 = f->switch_port[ev->a], column = target * f->n_ports;
	unsigned least = walk_value(w, T_HOPS, column + p0), n = 0;
	AUTO_TEXT struct text list = {0};

	assert(target < f->n_switches);
	for (unsigned p = 1; least != NO_PATH && p <= f->switch_nports[ev->a]; p++) {
		if (s->topo->peer[p0 + p] == NO_ID || walk_value(w, T_HOPS, column + p0 + p) != least)
			continue;
		n++;
		text_add(&list, " %s%u:%u", p == ev->port ? ">" : "", p,
			 walk_value(w, T_COUNT, p0 + p) - (p == ev->port && (ev->flags & REC_COUNTED)));
	}
	if (n > 1)
		text_add(t, " of %s", PLURAL(n, "candidate"));
	if (n)
		text_add(t, " at %s", PLURAL(least, "hop"));
	text_add(t, ev->flags & REC_COUNTED ? "; counted"
		    : ev->port == NO_PATH   ? "; no entry"
					    : "; not counted");
	if (n)
		text_add(t, "  [port:routes%s]", text_str(&list));
}

static void counted_say_choice(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	uint32_t owner = lid_owner(s->lids, ev->b),
		 target = owner == NO_ID ? NO_ID : s->topo->endport_switch[owner];
	char name[300] = "nobody";

	if (owner != NO_ID)
		endport_label(s->fabric, owner, name, sizeof(name));
	text_add(t, "%s LID %u (%s) -> ", switch_name(s->fabric, ev->a), ev->b, name);
	if (ev->port == NO_PATH)
		text_add(t, "no port: ");
	else
		text_add(t, "port %u: ", ev->port);
	text_add(t, "%s", recording_rule(r, ev));
	if (target != NO_ID && target != ev->a)
		say_candidates(w, ev, target, t);
}

static void say_table(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t p0 = s->fabric->switch_port[ev->a];
	unsigned entries = 0;

	for (unsigned lid = 1; lid <= s->lids->max_lid; lid++)
		entries += walk_value(w, T_ENTRY, ev->a * (s->lids->max_lid + 1u) + lid) != NO_PATH;
	text_add(t, "%s: table finished: %s; routes counted per port:", switch_name(s->fabric, ev->a),
		 PLURAL(entries, "entry"));
	for (unsigned p = 0; p <= s->fabric->switch_nports[ev->a]; p++)
		if (walk_value(w, T_COUNT, p0 + p))
			text_add(t, " %u:%u", p, walk_value(w, T_COUNT, p0 + p));
}

/* Tells the targets that a switch learned: one by name, or their number. */
static void say_learn(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	const struct fabric *f = s->fabric;
	uint32_t id = switch_port_id(f, ev->a, ev->port), peer = s->topo->peer_switch[id], cursor = 0, n = 0,
		 target = NO_ID;
	unsigned value = 0;
	struct rec_delta d;

	while (recording_next_delta(r, walk_step(w), &cursor, &d))
		if (d.at % f->n_ports == id) {
			n++;
			target = d.at / f->n_ports;
			value = d.now;
		}
	if (!n) /* a cable of the greatest weight */
		text_add(t, "round %u: %s learns nothing from %s by port %u", ev->b, switch_name(f, ev->a),
			 switch_name(f, peer), ev->port);
	else if (n == 1)
		text_add(t, "round %u: %s reaches %s by port %u: %s", ev->b, switch_name(f, ev->a),
			 switch_name(f, target), ev->port, PLURAL(value, "hop"));
	else
		text_add(t,
			 "round %u: %s takes %s from %s by port %u, the hops from there and those of the "
			 "cable",
			 ev->b, switch_name(f, ev->a), PLURAL(n, "target"), switch_name(f, peer), ev->port);
}

void assign_sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);

	if (ev->kind == REC_CHOICE)
		counted_say_choice(w, ev, t);
	else if (ev->kind == REC_TABLE)
		say_table(w, ev, t);
	else if (ev->kind == REC_LEARN)
		say_learn(w, ev, t);
}

static const char *choice_source(enum why_rule rule)
{
	switch (rule) {
	case WHY_SHIFTED:
		return "minhop.md 6; opensm(8), port_shifting";
	case WHY_KEPT:
		return "minhop.md 8; Mellanox OFED manual 8.5.1";
	case WHY_RANDOM:
		return "minhop.md 6.2; opensm(8), scatter_ports";
	case WHY_LEFT_COUNTER:
		return "minhop.md 10.1; OpenSM 3.3.23";
	case WHY_LINE:
	case WHY_AS_READ:
	case WHY_NOT_IN_FILE:
		return "opensm(8), lfts_file";
	case WHY_PROGRAM:
		return "ibscope(1), ENGINES OF YOUR OWN";
	default:
		return "minhop.md 6.1; OpenSM 3.3.23";
	}
}

const char *assign_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_LEARN:
		return "minhop.md 4.2; Bellman 1958, Ford 1956";
	case REC_CHOICE:
		return choice_source(ev->rule);
	case REC_TABLE:
		return "minhop.md 6; OpenSM 3.3.23";
	default:
		return NULL;
	}
}

/* --- why a choice was made ----------------------------------------------------------------------- */

struct verdict {
	struct assign *a;
	const struct dest *d;
	unsigned lid, hops;
	const uint64_t *mask; /* NULL: the choice needed no candidates */
	const struct choice *c;
	const struct cand *won; /* NULL: no port was chosen, or it is not a listed candidate */
	unsigned via;		/* port to compare with the winner, 0 = the next best */
};

/* Does a candidate lead to a chassis, or node, that earlier LIDs do not use? */
static bool counted_sentences_is_new(const struct cand *k, enum why_rule rule)
{
	return rule == WHY_NEW_SYSTEM ? !k->sys_used : rule != WHY_NEW_NODE || !k->node_used;
}

/* The candidate to compare with: the requested one, or the best of the others over which the rule can win. */
static const struct cand *rival(const struct verdict *v, enum why_rule rule)
{
	const struct cand *best = NULL;

	if (v->via)
		return assign_candidate(v->a, v->c, v->via);
	for (unsigned i = 0; i < v->c->n; i++) {
		const struct cand *k = &v->a->cand[i];

		if (k != v->won && counted_sentences_is_new(k, rule) && (!best || k->count < best->count))
			best = k;
	}
	return best;
}

static unsigned with_count(const struct verdict *v, uint32_t count)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->c->n; i++)
		n += v->a->cand[i].count == count;
	return n;
}

/* --- counts ------------------------------------------------------------------------------------- */

static void add_order(const struct verdict *v, struct text *t)
{
	if (v->a->shifting)
		text_add(t, "port_shifting, from port %u on", v->a->cand[assign_shift(v->a, v->c->n)].port);
	else if (v->lid > v->d->lid && !v->a->dor)
		text_add(t, "from behind port %u of LID %u", v->a->row[v->lid - 1], v->lid - 1);
	else
		text_add(t, "%s", v->a->order ? "of port_search_ordering_file" : "of port numbers");
}

/* --- several LIDs per port -------------------------------------------------------------------- */

/* Explains a choice of a new chassis or node, against another port. */
static void new_way(const struct verdict *v, enum why_rule rule, struct decided *out)
{
	const struct cand *w = v->won, *q = rival(v, rule);
	unsigned first = v->a->manual ? v->lid - 1u : v->d->lid;
	AUTO_TEXT struct text t = {0}, order = {0};
	char a[300];

	/* the ports whose chassis and nodes are avoided */
	endport_label(v->a->f, v->d->endport, a, sizeof(a));
	if (v->lid == v->d->lid)
		text_add(&t, "No earlier LID of %s has a port", a);
	else
		text_add(&t, v->a->manual ? "The LID of %s before goes by " : "Earlier LIDs of %s go by ", a);
	for (unsigned lid = first; v->lid > v->d->lid && lid < v->lid; lid++)
		text_add(&t, "%s%u", lid > first ? ", " : "", v->a->row[lid]);
	add_order(v, &order);
	decide(out, rule, "%s; port %u", text_str(&t), w->port);
	if (v->lid > v->d->lid)
		text_add(&out->text, "%s leads to another %s%s", q ? "" : " alone",
			 rule == WHY_NEW_SYSTEM ? "chassis" : "node",
			 q && counted_sentences_is_new(q, rule) ? " and" : "");
	if (q && !counted_sentences_is_new(q, rule))
		text_add(&out->text, ", port %u does not", q->port);
	else if (q && q->count > w->count)
		text_add(&out->text, " had %s, the fewest; %u had %u", PLURAL(w->count, "LID"), q->port,
			 q->count);
	else if (q)
		text_add(&out->text, " had %s, the fewest, as %u had, and is the first in order (%s)",
			 PLURAL(w->count, "LID"), q->port, text_str(&order));
	text_add(&out->text, ".");
}

static void shifted(const struct verdict *v, struct decided *out)
{
	unsigned n = v->c->n;
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v->a->cand[i].count;
	decide(out, WHY_SHIFTED,
	       "port_shifting: %" PRIu64
	       " / %u mod %u = %u, so the search begins at port %u; of %u with %s port %u is the first%s",
	       sum, n, n, assign_shift(v->a, n), v->a->cand[assign_shift(v->a, n)].port,
	       with_count(v, v->won->count), PLURAL(v->won->count, "LID"), v->won->port, v->via ? "" : ".");
	if (v->via)
		text_add(&out->text, ", before port %u.", v->via);
}

static void left_counter(const struct verdict *v, struct decided *out)
{
	const struct cand *other = assign_but_for_left(v->a, v->c, v->via), *w = v->won;
	const uint32_t *left = v->a->in->left->count + v->a->p0;

	decide(out, WHY_LEFT_COUNTER,
	       "Counts began at %u for port %u and at %u for port %u, as an engine that refused before left "
	       "them; so of %u ports at %s port %u had %s, %s; %u had %u.",
	       left[w->port], w->port, left[other->port], other->port, v->c->n, PLURAL(v->hops, "hop"),
	       w->port, PLURAL(w->count, "LID"),
	       with_count(v, w->count) > 1 ? "the fewest, and comes first" : "the fewest", other->port,
	       other->count);
}

static void first_of_equals(const struct verdict *v, struct decided *out)
{
	const struct cand *w = v->won;
	AUTO_TEXT struct text t = {0};

	add_order(v, &t);
	decide(out, WHY_FIRST_OF_EQUALS,
	       "%u of %u ports had %s, the fewest; port %u is the first in order (%s)%s",
	       with_count(v, w->count), v->c->n, PLURAL(w->count, "LID"), w->port, text_str(&t),
	       v->via ? "" : ".");
	if (v->via)
		text_add(&out->text, ", before port %u.", v->via);
}

static void least_forwarded(const struct verdict *v, struct decided *out)
{
	const struct cand *q = v->via ? assign_candidate(v->a, v->c, v->via) : NULL, *w = v->won;
	char a[300];

	decide(out, WHY_LEAST_FORWARDED,
	       "%u of %u ports had %s, the fewest; port %u carries the fewest of %s, %u",
	       with_count(v, w->count), v->c->n, PLURAL(w->count, "LID"), w->port,
	       endport_label(v->a->f, v->d->endport, a, sizeof(a)), w->forwarded);
	if (q)
		text_add(&out->text,
			 q->forwarded > w->forwarded ? ", port %u %u" : " and comes first, port %u %u",
			 q->port, q->forwarded);
	text_add(&out->text, ".");
}

/* The port that the counts alone would choose now. */
static unsigned anew(const struct verdict *v)
{
	const struct cand *best = v->a->cand;

	for (unsigned i = 1; i < v->c->n; i++)
		if (v->a->cand[i].count < best->count)
			best = &v->a->cand[i];
	return best->port;
}

static void counted_sentences_kept(const struct verdict *v, struct decided *out)
{
	unsigned n = 0;

	for (unsigned p = 1; p < v->a->num_ports; p++)
		n += mask_has(v->mask, p);
	decide(out, WHY_KEPT, "The table had port %u, which still ", v->c->port);
	if (n == 1)
		text_add(&out->text, "alone has %s in the hop matrix", PLURAL(v->hops, "hop"));
	else
		text_add(&out->text, "is one of %u at %s", n, PLURAL(v->hops, "hop"));
	text_add(&out->text, "; nothing came up since, so OpenSM keeps it");
	if (n > 1 && !v->a->lmc && !v->a->shifting && !v->d->scatter && anew(v) == v->c->port)
		text_add(&out->text, " (anew the same)");
	else if (n > 1 && !v->a->lmc && !v->a->shifting && !v->d->scatter)
		text_add(&out->text, " (anew: port %u)", anew(v));
	text_add(&out->text, ".");
}

/* --- dor ------------------------------------------------------------------------------------------ */

static void first_neighbour(const struct verdict *v, struct decided *out)
{
	const struct assign *a = v->a;
	AUTO_TEXT struct text t = {0};
	unsigned n = 0; /* ports of least hops to another node than the first; DOR drops them */

	for (unsigned p = 1; p < a->num_ports; p++)
		if (mask_has(v->mask, p) && !assign_candidate(a, v->c, p))
			text_add(&t, "%s%u", n++ ? ", " : "", p);
	decide(out, WHY_FIRST_NEIGHBOUR,
	       "%u ports have %s; port %u to %s is first in order, %s %s dropped, loaded or not.",
	       n + v->c->n, PLURAL(v->hops, "hop"), a->cand[0].port,
	       switch_name(a->f, a->t->peer_switch[a->p0 + a->cand[0].port]), text_str(&t),
	       n == 1 ? "leads to other neighbours and is" : "lead to other neighbours and are");
	if (!v->via && v->c->n > 1)
		text_add(&out->text, " Of %u cables there port %u had %s, the fewest.", v->c->n, v->won->port,
			 PLURAL(v->won->count, "LID"));
}

/* --- no entry ------------------------------------------------------------------------------- */

static void counted_sentences_no_entry(const struct verdict *v, enum why_rule rule, struct decided *out)
{
	const struct assign *a = v->a;
	const char *from = switch_name(a->f, a->sw), *to = switch_name(a->f, v->d->target);

	if (rule == WHY_LEFT_COUNTER || (rule == WHY_NOT_IN_FILE && v->hops != NO_PATH))
		decide(out, rule,
		       "The least of %s in the%s hop matrix of %s is none of its ports'%s. No entry.",
		       PLURAL(v->hops, "hop"), rule == WHY_LEFT_COUNTER ? "" : " file's", from,
		       rule == WHY_LEFT_COUNTER ? ": an engine that refused before left it" : "");
	else if (rule == WHY_NOT_IN_FILE)
		decide(out, rule, "The hop matrix of the file has no way from %s to %s.", from, to);
	else /* only with weights: discovery ends at 63 hops, so no switch is more than 126 away */
		decide(out, WHY_COST, "No way from %s to %s costs 254 or less (hop_weights_file).", from, to);
}

/* --- all of it -------------------------------------------------------------------------------------- */

static void counted_sentences_by_rule(const struct verdict *v, enum why_rule rule, struct decided *out)
{
	const struct choice *c = v->c;
	const struct cand *q;

	switch (rule) {
	case WHY_KEPT:
		counted_sentences_kept(v, out);
		break;
	case WHY_FIRST_NEIGHBOUR:
		first_neighbour(v, out);
		break;
	case WHY_RANDOM:
		decide(out, rule, "scatter_ports: %u of %u ports tie with %s; %u mod %u = %u, port %u.",
		       c->ties, c->n, PLURAL(v->won->count, "LID"), c->drawn, c->ties, c->drawn % c->ties,
		       c->port);
		break;
	case WHY_ONLY_CANDIDATE:
		decide(out, rule, "Port %u alone has %s in the hop matrix, the fewest.", c->port,
		       PLURAL(v->hops, "hop"));
		break;
	case WHY_NEW_SYSTEM:
	case WHY_NEW_NODE:
		new_way(v, rule, out);
		break;
	case WHY_LEAST_FORWARDED:
		least_forwarded(v, out);
		break;
	case WHY_LEAST_COUNT:
		q = rival(v, WHY_UNTOLD);
		decide(out, rule, "Of %u ports at %s port %u had %s, the fewest; %u had %u.", c->n,
		       PLURAL(v->hops, "hop"), v->won->port, PLURAL(v->won->count, "LID"), q->port, q->count);
		break;
	case WHY_SHIFTED:
		shifted(v, out);
		break;
	case WHY_FIRST_OF_EQUALS:
		first_of_equals(v, out);
		break;
	case WHY_LEFT_COUNTER:
		if (v->won) {
			left_counter(v, out);
			break;
		}
		/* fall through */
	default:
		counted_sentences_no_entry(v, rule, out);
	}
}

/* The rule in one or two words. */
static const char *short_rule(const struct assign *a, const struct choice *c, enum why_rule decided)
{
	if (decided == WHY_FIRST_NEIGHBOUR)
		return why_rule_name(decided);
	if (c->n == 1 && c->rule != WHY_KEPT)
		return why_rule_name(WHY_ONLY_CANDIDATE);
	if (c->rule == WHY_NOT_ATTACHED)
		return "not attached to a switch";
	if (c->rule == WHY_NO_WAY)
		return "unreachable";
	if (!c->rule && !c->n)
		return "no candidate";
	return why_rule_name(c->rule ? c->rule : assign_by_count(a, c));
}

/* Names of the compared quantities: without LMC the first two; then what dor drops. */
static const char *const quantities[] = {"hops",      "routes",	   "system used",
					 "node used", "forwarded", "dropped"};
static const char *const dor_quantities[] = {"hops", "routes", "dropped"};

/* Offers the candidates, then the ports of least hops that dor drops. */
static void counted_sentences_offer(const struct verdict *v, struct rec_choice *t)
{
	const struct assign *a = v->a;
	int64_t least = v->d->target == NO_ID ? NO_PATH : hops_least(a->h, a->sw, v->d->target);
	unsigned at = a->lmc ? 5 : 2;
	bool looked = a->lmc && v->c->rule != WHY_KEPT; /* did earlier LIDs matter? */
	struct rec_offer *o;

	for (unsigned i = 0; i < v->c->n; i++) {
		const struct cand *k = &a->cand[i];

		o = rec_offer(t, k->port, a->t->peer[a->p0 + k->port]);
		o->q[0] = least;
		o->q[1] = k->count;
		if (looked && !a->dor) {
			o->q[2] = k->sys_used;
			o->q[3] = k->sys_used && k->node_used;
		}
		if (looked && !a->manual)
			o->q[4] = k->forwarded;
		o->q[at] = 0;
	}
	for (unsigned p = 1; v->mask && a->dor && v->c->n && p < a->num_ports; p++) {
		if (!mask_has(v->mask, p) || assign_candidate(a, v->c, p))
			continue;
		o = rec_offer(t, p, a->t->peer[a->p0 + p]);
		o->q[0] = least;
		o->q[1] = a->count[p];
		o->q[at] = 1;
	}
	t->quantity = a->dor && !a->lmc ? dor_quantities : quantities;
	t->n_quantities = at + (t->n_offers > v->c->n);
}

static const char *counted(const struct assign *a, const struct dest *d, unsigned port)
{
	if (port == NO_PATH)
		return "no entry";
	if (assign_counts(a, d, port))
		return "counted";
	return d->is_switch && !a->profile_switches ? "not counted: routes to switches are not"
						    : "not counted: the port is in port_prof_ignore_file";
}

void assign_tell_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			struct choice *c)
{
	struct verdict v = {.a = a, .d = d, .lid = lid, .mask = mask, .c = c};
	struct rec_choice *t = rec_choice(a->in, a->sw, lid);

	if (!t)
		return;
	assign_list(a, mask, c);
	t->target = d->target;
	t->port = c->port;
	t->old_port = current_port(a->current, lid);
	counted_sentences_offer(&v, t);
	if (!decide_common(a->t, a->in->lids, a->sw, lid, t->port, &t->decided)) {
		v.hops = hops_least(a->h, a->sw, d->target);
		v.won = assign_candidate(a, c, t->port);
		counted_sentences_by_rule(&v, assign_rule(a, d, mask, c, 0), &t->decided);
		/* also against a port that was a candidate */
		if (t->via && t->via != t->port && t->port != NO_PATH && t->via < a->num_ports &&
		    mask_has(mask, t->via)) {
			v.via = t->via;
			counted_sentences_by_rule(&v, assign_rule(a, d, mask, c, t->via), &t->against);
		}
	}
	t->rule = short_rule(a, c, t->decided.rule);
	text_add(&t->text, "%s", t->rule);
	if (t->n_offers > 1 || c->rule == WHY_KEPT)
		text_add(&t->text, " of %s", PLURAL(t->n_offers, "candidate"));
	if (t->n_offers)
		text_add(&t->text, " at %s", PLURAL(hops_least(a->h, a->sw, d->target), "hop"));
	if (c->rule == WHY_RANDOM)
		text_add(&t->text, ", %u with the least count, value %u", c->ties, c->drawn);
	text_add(&t->text, "; %s", counted(a, d, c->port));
	rec_chosen(a->in, t);
}

/* Tables and schemes of recordings, for engines that choose ports by a hop matrix. */

struct hops *hops_at(const struct walk *w, enum rec_table t)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	struct hops *h = hops_new(f, true);
	const uint8_t *cell = walk_bytes(w, t);
	uint32_t n = f->n_switches;

	assert(t == T_HOPS || t == T_PLAIN);
	if (!cell)
		return h;
	memcpy(h->by_port, cell, (size_t)n * f->n_ports);
	for (uint32_t d = 0; d < n; d++)
		for (uint32_t s = 0; s < n; s++) {
			uint8_t *least = h->by_port + (size_t)d * f->n_ports + f->switch_port[s];

			h->least[(size_t)s * n + d] = *least;
			*least = NO_PATH;
		}
	return h;
}

static void *counted_show_priv_at(struct walk *w, const struct routing *end)
{
	(void)end;
	return hops_at(w, T_HOPS);
}

static const char *counted_show_rule(const struct rec_event *ev)
{
	return why_rule_name(ev->rule);
}

const struct rec_scheme hops_scheme = {
	.rule = counted_show_rule,
	.source = assign_source,
	.sentence = assign_sentence,
	.ops = &hops_routing_ops,
	.priv_at = counted_show_priv_at,
};

static const char *dor_source(const struct rec_event *ev)
{
	static const char own[] = "dor.md 4; Dally, Seitz 1987";

	if (ev->kind == REC_TABLE)
		return own;
	return ev->kind == REC_CHOICE && strstr(assign_source(ev), "minhop.md 6.1") ? own : assign_source(ev);
}

const struct rec_scheme dor_scheme = {
	.rule = counted_show_rule,
	.source = dor_source,
	.sentence = assign_sentence,
	.ops = &hops_routing_ops,
	.priv_at = counted_show_priv_at,
};

static void *nothing_at(struct walk *w, const struct routing *end)
{
	(void)w;
	(void)end;
	return NULL;
}

const struct rec_scheme read_scheme = {
	.rule = counted_show_rule,
	.source = assign_source,
	.sentence = assign_sentence,
	.ops = &hops_routing_ops,
	.priv_at = nothing_at,
};
