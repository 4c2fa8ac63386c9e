/* Mincontention in words: steps of a recording, and what an observer hears of a choice. */
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/mincontention/internal.h"

static const struct {
	const char *name;
	enum why_rule why;
} rule_words[] = {
	[RULE_ONLY_PATH] = {"only path", WHY_ONLY_PATH},
	[RULE_CONTENTION] = {"least contention", WHY_CONTENTION},
	[RULE_DISTANCE] = {"least distance", WHY_DISTANCE},
	[RULE_USAGE] = {"least usage", WHY_USAGE},
	[RULE_NEXT_ELEMENT] = {"lowest next element", WHY_NEXT_ELEMENT},
	[RULE_OWN_CHIP] = {"lowest own chip", WHY_OWN_CHIP},
	[RULE_PORT] = {"lowest port", WHY_PORT},
	[RULE_KEPT] = {"kept", WHY_KEPT},
	[RULE_HOST_PORT] = {"the host's port", WHY_ATTACHED},
	[RULE_OWN_PORT] = {"own port 0", WHY_OWN_LID},
};

const char *mincontention_rule_name(enum mincontention_rule rule)
{
	return rule_words[rule].name;
}

static const char *const quantities[] = {"contention", "distance", "usage", "inside", "inside usage"};
enum { Q_CONTENTION, Q_DISTANCE, Q_USAGE, Q_INSIDE, Q_INSIDE_USAGE };

static const struct step_candidate no_candidate = {
	.q = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
};

static struct step_candidate candidate(const struct run *x, const struct mincontention_way *w, bool kept)
{
	struct step_candidate c = no_candidate;

	c.port = x->topo->fabric->port_num[w->port];
	c.peer = x->topo->peer[w->port];
	if (!kept)
		c.q[Q_CONTENTION] = w->key.contention;
	c.q[Q_DISTANCE] = w->key.distance;
	c.q[Q_USAGE] = w->usage;
	return c;
}

/* Shortest ways of a chip towards the one with the port; their number. */
static unsigned inside_rivals(const struct run *x, uint32_t e, uint32_t sw, uint32_t exit,
			      struct step_candidate *c)
{
	const struct elements *el = x->el;
	unsigned n = 0, hops = element_hops(el, e, el->chip_index[sw], el->chip_index[exit]);

	for (uint32_t i = el->first_inside[sw]; sw != exit && i < el->first_inside[sw + 1]; i++) {
		uint32_t port = el->inside_port[i];

		if (element_hops(el, e, el->inside_to[i], el->chip_index[exit]) + 1 != hops)
			continue;
		c[n] = no_candidate;
		c[n].port = x->topo->fabric->port_num[port];
		c[n].peer = x->topo->peer[port];
		c[n].q[Q_INSIDE] = hops;
		c[n++].q[Q_INSIDE_USAGE] = x->usage[port];
	}
	return n;
}

/* The one stage 3 will take. */
static const struct step_candidate *least_inside(const struct step_candidate *c, unsigned n)
{
	const struct step_candidate *best = c;

	for (unsigned i = 1; i < n; i++)
		if (c[i].q[Q_INSIDE_USAGE] < best->q[Q_INSIDE_USAGE])
			best = &c[i];
	return best;
}

static const char *inside_rule(const struct step_candidate *c, unsigned n, const struct step_candidate *best)
{
	unsigned equal = 0;

	if (n == 1)
		return "only way inside";
	for (unsigned i = 0; i < n; i++)
		equal += c[i].q[Q_INSIDE_USAGE] == best->q[Q_INSIDE_USAGE];
	return equal == 1 ? "least usage inside" : "lowest port inside";
}

struct telling {
	const struct run *x;
	struct mincontention_way *way; /* acceptable paths of the element; room for all links */
	struct step_candidate *c;      /* the same as candidates, then those of a chip */
	unsigned n;		       /* acceptable paths of the element */
	uint32_t element, exit, port;  /* where it leaves, by which port id */
	enum mincontention_rule rule;  /* of the element's choice */
	bool kept;
};

static void key_text(const struct telling *t, struct text *s)
{
	if (t->element == t->x->target)
		text_add(s, "the LID's own place");
	else if (t->kept)
		text_add(s, "no link of the LID's tree failed");
	else
		text_add(s, "contention %u, distance %u, usage %u: %s", t->way->key.contention,
			 t->way->key.distance, t->way->usage, mincontention_rule_name(t->rule));
}

/* --- the rule that decided ------------------------------------------------------------------ */

/* The chosen way of the element against another one, in the first thing in which they differ. */
static void decide_ways(const struct telling *t, const struct mincontention_way *q, struct decided *d)
{
	const struct mincontention_way *w = t->way;
	const struct fabric *f = t->x->topo->fabric;
	char a[300], b[300];

	port_label(f, w->port, a, sizeof(a));
	port_label(f, q->port, b, sizeof(b));
	if (q->rule == RULE_CONTENTION)
		decide(d, WHY_CONTENTION, "%s has contention %u, %s has %u (at distances %u and %u).", a,
		       w->key.contention, b, q->key.contention, w->key.distance, q->key.distance);
	else if (q->rule == RULE_DISTANCE)
		decide(d, WHY_DISTANCE, "Contention %u is equal; %s has distance %u, %s %u.",
		       w->key.contention, a, w->key.distance, b, q->key.distance);
	else if (q->rule == RULE_USAGE)
		decide(d, WHY_USAGE, "Contention %u and distance %u are equal; %s carried %s, %s %u.",
		       w->key.contention, w->key.distance, a, PLURAL(w->usage, "LID"), b, q->usage);
	else if (q->rule == RULE_NEXT_ELEMENT)
		decide(d, WHY_NEXT_ELEMENT,
		       "%s and %s are equal in all that is counted; %s has a lower GUID than %s.", a, b,
		       t->x->el->name[w->to], t->x->el->name[q->to]);
	else if (q->rule == RULE_OWN_CHIP)
		decide(d, WHY_OWN_CHIP,
		       "%s and %s lead to the same element; the chip of the first has the lower GUID.", a, b);
	else
		decide(d, WHY_PORT,
		       "%s and %s lead from one chip to the same element; the lower port number is taken.", a,
		       b);
}

/* The rival that settles it: the one beaten by the last thing asked. */
static void decide_element(const struct telling *t, struct decided *d)
{
	const struct run *x = t->x;
	char a[300];

	if (t->kept) {
		decide(d, WHY_KEPT, "No cable of the tree of LID %u failed, so its ways stay.", x->lid);
		return;
	}
	for (unsigned i = 1; i < t->n; i++)
		if (t->way[i].rule == t->rule) {
			decide_ways(t, &t->way[i], d);
			return;
		}
	decide(d, rule_words[t->rule].why, "%s is the only path of at most %s that leads there%s.",
	       port_label(x->topo->fabric, t->port, a, sizeof(a)),
	       PLURAL(x->sp[t->element] + x->tolerance, "link"),
	       x->tolerance ? " and does not come back" : "");
}

/* A chip that has not the port its element leaves by: ways within the chassis. */
static void decide_inside(const struct telling *t, const struct step_candidate *c, unsigned n,
			  const struct step_candidate *best, unsigned via, struct decided *d)
{
	const struct step_candidate *q = NULL;
	const struct fabric *f = t->x->topo->fabric;
	const char *to = switch_name(f, t->exit);

	if (!best)
		return;
	for (unsigned i = 0; i < n; i++)
		if (&c[i] != best &&
		    (via ? c[i].port == via : !q || c[i].q[Q_INSIDE_USAGE] < q->q[Q_INSIDE_USAGE]))
			q = &c[i];
	if (!q)
		decide(d, via ? WHY_INSIDE_LONGER : WHY_INSIDE_ONLY,
		       "Within the chassis port %u alone is on a shortest way to %s, where it leaves.",
		       best->port, to);
	else if (q->q[Q_INSIDE_USAGE] > best->q[Q_INSIDE_USAGE])
		decide(d, WHY_INSIDE_USAGE, "Within the chassis, to %s, port %u carried %s, port %u %u.", to,
		       best->port, PLURAL((uint64_t)best->q[Q_INSIDE_USAGE], "LID"), q->port,
		       (unsigned)q->q[Q_INSIDE_USAGE]);
	else
		decide(d, WHY_INSIDE_PORT,
		       "Within the chassis, to %s, ports %u and %u carried %s each: the lower number.", to,
		       best->port, q->port, PLURAL((uint64_t)best->q[Q_INSIDE_USAGE], "LID"));
}

/* The element's links that are no acceptable path. */
static void decide_unfit(const struct telling *t, uint32_t l, struct decided *d)
{
	const struct run *x = t->x;
	uint32_t to = x->el->link_to[l], n = to, distance = DISTANCE(x->key[to]) + 1;

	if (distance > x->sp[t->element] + x->tolerance) {
		decide(d, WHY_BEYOND_TOLERANCE, "Distance %u; the least is %u, and tolerance %u allows %u.",
		       distance, x->sp[t->element], x->tolerance, x->sp[t->element] + x->tolerance);
		return;
	}
	while (n != x->target && x->el->link_to[x->egress[n]] != t->element)
		n = x->el->link_to[x->egress[n]];
	if (n == to)
		decide(d, WHY_WOULD_LOOP, "%s sends LID %u here.", x->el->name[to], x->lid);
	else
		decide(d, WHY_WOULD_LOOP, "The way of %s comes back here, by %s.", x->el->name[to],
		       x->el->name[n]);
}

static void decide_against(const struct telling *t, uint32_t sw, unsigned via, struct decided *d)
{
	const struct run *x = t->x;
	uint32_t id = switch_port_id(x->topo->fabric, sw, via), l;

	if (via > x->topo->fabric->switch_nports[sw] || t->element == x->target || t->kept)
		return;
	for (unsigned i = 1; i < t->n; i++)
		if (t->way[i].port == id) {
			decide_ways(t, &t->way[i], d);
			return;
		}
	l = x->el->port_link[id];
	if (l != NO_ID && id != t->port)
		decide_unfit(t, l, d);
}

static void decide_chip(const struct telling *t, const struct step *s, const struct step_candidate *inside,
			unsigned n, const struct step_candidate *best, struct decided *d,
			struct decided *against)
{
	const struct run *x = t->x;
	const struct observer *o = x->in->observer;
	unsigned via = o->sw == s->sw && o->via != s->port ? o->via : 0;

	if (!decide_common(x->topo, x->in->lids, s->sw, x->lid, s->port, d)) {
		if (best && !t->kept)
			decide_inside(t, inside, n, best, 0, d);
		else
			decide_element(t, d);
	}
	if (!via)
		return;
	decide_against(t, s->sw, via, against);
	if (against->rule == WHY_UNTOLD && best && !t->kept &&
	    x->el->port_link[switch_port_id(x->topo->fabric, s->sw, via)] == NO_ID)
		decide_inside(t, inside, n, best, via, against);
}

/* The entry of one chip. */
static void tell_chip(struct telling *t, uint32_t sw)
{
	const struct run *x = t->x;
	const struct fabric *f = x->topo->fabric;
	struct step_candidate *inside = &t->c[t->n];
	const struct step_candidate *best = NULL;
	unsigned n = inside_rivals(x, t->element, sw, t->exit, inside);
	struct step s = {.kind = STEP_CHOICE,
			 .sw = sw,
			 .sw2 = x->sw,
			 .lid = (uint16_t)x->lid,
			 .port = f->port_num[t->port],
			 .old_port = NO_PATH,
			 .rule = mincontention_rule_name(t->rule),
			 .quantity = quantities,
			 .n_quantities = ARRAY_LEN(quantities),
			 .candidate = t->c,
			 .n_candidates = t->n + n};
	struct text text = {0};
	struct decided d = {0}, against = {0};
	char label[300];

	if (sw != t->exit) {
		best = least_inside(inside, n);
		s.port = t->kept ? (uint8_t)routing_port(x->in->current, sw, x->lid) : best->port;
		s.rule = t->kept ? s.rule : inside_rule(inside, n, best);
		text_add(&text, "%s; ", s.rule);
	}
	text_add(&text, "element %s sends by %s (", x->el->name[t->element],
		 port_label(f, t->port, label, sizeof(label)));
	key_text(t, &text);
	text_add(&text, ")");
	s.text = text_str(&text);
	if (x->in->current && routing_port(x->in->current, sw, x->lid) != s.port)
		s.old_port = (uint8_t)routing_port(x->in->current, sw, x->lid);
	decide_chip(t, &s, inside, n, best, &d, &against);
	s.decided = d.rule ? &d : NULL;
	s.against = against.rule ? &against : NULL;
	observe(x->in, &s);
	decided_free(&d);
	decided_free(&against);
	text_free(&text);
}

static void tell_element(struct telling *t, uint32_t e)
{
	const struct run *x = t->x;
	const struct fabric *f = x->topo->fabric;
	const struct elements *el = x->el;

	t->element = e;
	t->port = e == x->target ? switch_port_id(f, x->sw, x->swport) : el->link_port[x->egress[e]];
	t->exit = f->node_switch[f->port_node[t->port]];
	t->n = e == x->target ? 0 : list_ways(x, e, t->kept, t->way);
	for (unsigned i = 0; i < t->n; i++)
		t->c[i] = candidate(x, &t->way[i], t->kept);
	if (e != x->target)
		t->rule = t->way->rule;
	else
		t->rule = t->kept ? RULE_KEPT : x->swport ? RULE_HOST_PORT : RULE_OWN_PORT;
	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		if (x->in->observer->sw == NO_ID || x->in->observer->sw == el->chip[c])
			tell_chip(t, el->chip[c]);
}

void mc_tell(const struct run *x, bool kept)
{
	struct telling t = {.x = x, .kept = kept};
	const struct observer *o = x->in->observer;
	const struct elements *el = x->el;

	if (o->lid && o->lid != x->lid)
		return;
	t.way = NEW_ARRAY((size_t)el->n_links + 1, struct mincontention_way);
	t.c = NEW_ARRAY((size_t)el->n_links + MAX_PORTS + 1, struct step_candidate);
	for (uint32_t i = 0; i < x->n_near; i++)
		if (o->sw == NO_ID || el->of[o->sw] == x->near[i])
			tell_element(&t, x->near[i]);
	free(t.way);
	free(t.c);
}

/* --- steps of a recording ----------------------------------------------------------------------------------
 */

/* Of an element its enum mincontention_rule, of a chip within it an enum why_rule. */
static const char *rule(const struct rec_event *ev)
{
	return why_rule_name(ev->kind == REC_SETTLE ? rule_words[ev->rule].why : ev->rule);
}

static void say_entry(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	char name[300];

	text_add(t, "%s LID %u (%s) -> port %u: ", switch_name(s->fabric, ev->a), ev->b,
		 endport_label(s->fabric, lid_owner(s->lids, ev->b), name, sizeof(name)), ev->port);
}

static void say_settle(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct mc_kept *k = recording_kept(walk_recording(w));
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	uint32_t e = k->el->of[ev->a], key = walk_value(w, T_KEY, e);

	say_entry(w, ev, t);
	text_add(t, "%s; element %s", mincontention_rule_name(ev->rule), k->el->name[e]);
	if (ev->rule != RULE_HOST_PORT && ev->rule != RULE_OWN_PORT)
		text_add(t, ": contention %u, distance %u, usage %u", CONTENTION(key), DISTANCE(key),
			 walk_value(w, T_COUNT, switch_port_id(f, ev->a, ev->port)) - 1);
}

/* Shortest ways inside an element, with the LIDs they had. */
static void say_inside(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct mc_kept *k = recording_kept(walk_recording(w));
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	const struct elements *el = k->el;
	uint32_t e = el->of[ev->a], out = walk_value(w, T_EGRESS, e);
	uint32_t exit = el->chip_index[f->node_switch[f->port_node[out]]];
	unsigned hops = element_hops(el, e, el->chip_index[ev->a], exit), n = 0, equal = 0;
	uint32_t own = walk_value(w, T_COUNT, switch_port_id(f, ev->a, ev->port)) - 1;
	struct text list = {0};

	for (uint32_t i = el->first_inside[ev->a]; i < el->first_inside[ev->a + 1]; i++) {
		uint32_t port = el->inside_port[i], use = walk_value(w, T_COUNT, port);
		bool taken = f->port_num[port] == ev->port;

		if (element_hops(el, e, el->inside_to[i], exit) + 1 != hops)
			continue;
		use -= taken;
		n++;
		equal += use == own;
		text_add(&list, " %s%u:%u", taken ? ">" : "", f->port_num[port], use);
	}
	say_entry(w, ev, t);
	text_add(t, "%s; element %s  [port:inside usage%s]",
		 n == 1	      ? "only way inside"
		 : equal == 1 ? "least usage inside"
			      : "lowest port inside",
		 el->name[e], text_str(&list));
	text_free(&list);
}

static void sentence(struct walk *w, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	const struct rec_event *ev = walk_event(w);
	char name[300];

	switch (ev->kind) {
	case REC_TARGET:
		text_add(t, "LID %u (%s) begun: it hangs on %s", ev->b,
			 endport_label(s->fabric, lid_owner(s->lids, ev->b), name, sizeof(name)),
			 switch_name(s->fabric, ev->a));
		break;
	case REC_SETTLE:
		say_settle(w, ev, t);
		break;
	default:
		say_inside(w, ev, t);
	}
}

static const char *source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_TARGET:
	case REC_SETTLE:
		return "mincontention.md 3; HP 376227-B21";
	case REC_CHOICE:
		return "mincontention.md 4; HP 376227-B21";
	default:
		return NULL;
	}
}

static bool cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct mc_kept *k = recording_kept(r);

	if (!k || (t != T_KEY && t != T_EGRESS))
		return false;
	text_add(out, "element %s", k->el->name[at]);
	return true;
}

static bool value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t v, struct text *out)
{
	(void)r;
	(void)at;
	if (t != T_KEY)
		return false;
	text_add(out, "contention %u, distance %u", CONTENTION(v), DISTANCE(v));
	return true;
}

const struct rec_scheme mincontention_scheme = {
	.rule = rule,
	.order = "own order: there is no OpenSM",
	.source = source,
	.sentence = sentence,
	.ops = &mincontention_ops,
	.priv_at = mc_priv_at,
	.cell = cell,
	.value = value,
};
