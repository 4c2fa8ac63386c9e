/* What an observer hears: elements, LIDs, choices with their rivals. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/mincontention/internal.h"

static const char *const quantities[] = {"contention", "distance", "usage", "inside", "inside usage"};
enum { Q_CONTENTION, Q_DISTANCE, Q_USAGE, Q_INSIDE, Q_INSIDE_USAGE };

static const struct step_candidate no_candidate = {
	.q = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
};

static const char *const made_by[] = {
	[ELEMENT_ALONE] = "stands alone",
	[ELEMENT_SYSTEM] = "one system image GUID",
	[ELEMENT_CHASSIS] = "one chassis number",
	[ELEMENT_FILE] = "by chassis_file",
};

void tell_elements(const struct run *x)
{
	const struct elements *el = x->el;

	observe_text(x->in, STEP_PHASE, NO_ID, "switch elements");
	for (uint32_t e = 0; e < el->n; e++)
		observe_text(x->in, STEP_SWITCH, el->chip[el->first_chip[e]],
			     "element %s formed: %s (%s), %s out, %s", el->name[e],
			     PLURAL(element_chips(el, e), "chip"), made_by[el->rule[e]],
			     PLURAL(el->first_link[e + 1] - el->first_link[e], "link"),
			     PLURAL(el->hosts[e], "host"));
	observe_text(x->in, STEP_PHASE, NO_ID, "paths between elements, then inside them");
}

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

/* The entry of one chip. */
static void tell_chip(struct telling *t, uint32_t sw)
{
	const struct run *x = t->x;
	const struct fabric *f = x->topo->fabric;
	struct step_candidate *inside = &t->c[t->n];
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
	char label[300];

	if (sw != t->exit) {
		const struct step_candidate *best = least_inside(inside, n);

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
	observe(x->in, &s);
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

/* The element as a whole: key, number of rivals, reason. */
static void tell_settled(const struct telling *t)
{
	const struct run *x = t->x;
	char label[300];
	struct text key = {0};

	key_text(t, &key);
	observe_text(x->in, STEP_SWITCH, t->exit, "LID %u: element %s settled, by %s of %s: %s", x->lid,
		     x->el->name[t->element], port_label(x->topo->fabric, t->port, label, sizeof(label)),
		     PLURAL(t->n, "acceptable path"), text_str(&key));
	text_free(&key);
}

static void tell(const struct run *x, bool kept)
{
	struct telling t = {.x = x, .kept = kept};
	const struct observer *o = x->in->observer;
	const struct elements *el = x->el;

	if (o->lid && o->lid != x->lid)
		return;
	t.way = NEW_ARRAY((size_t)el->n_links + 1, struct mincontention_way);
	t.c = NEW_ARRAY((size_t)el->n_links + MAX_PORTS + 1, struct step_candidate);
	observe_text(x->in, STEP_NOTE, x->sw, "LID %u begun: destination in element %s", x->lid,
		     el->name[x->target]);
	for (uint32_t i = 0; i < x->n_near; i++) {
		if (o->sw != NO_ID && el->of[o->sw] != x->near[i])
			continue;
		tell_element(&t, x->near[i]);
		tell_settled(&t);
	}
	if (!kept)
		observe_text(x->in, STEP_NOTE, x->sw, "LID %u: usage of %s updated", x->lid,
			     PLURAL(x->n_near ? x->n_near - 1 : 0, "egress port"));
	observe_text(x->in, STEP_NOTE, x->sw, "LID %u done: sent by %s", x->lid,
		     PLURAL(x->n_near, "element"));
	free(t.way);
	free(t.c);
}

void tell_chosen(const struct run *x)
{
	tell(x, false);
}

void tell_kept(const struct run *x)
{
	tell(x, true);
}
