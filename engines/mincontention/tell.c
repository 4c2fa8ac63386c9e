/* Minimum contention explained: steps and choices in words, and the tables that panes show. */
#include <assert.h>

#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/mincontention/mincontention.h"
#include "engines/say.h"

/* Mincontention in words: steps of a recording, and choices when somebody asks. */

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
static_assert(ARRAY_LEN(rule_words) == RULE_OWN_PORT + 1, "each rule has words");

const char *mincontention_rule_name(enum mincontention_rule rule)
{
	assert(rule < ARRAY_LEN(rule_words));
	return rule_words[rule].name;
}

enum why_rule inside_why(enum mincontention_rule rule)
{
	return rule == RULE_ONLY_PATH	 ? WHY_INSIDE_ONLY
	       : rule == RULE_CONTENTION ? WHY_INSIDE_CONTENTION
	       : rule == RULE_DISTANCE	 ? WHY_INSIDE_DISTANCE
	       : rule == RULE_USAGE	 ? WHY_INSIDE_USAGE
					 : WHY_INSIDE_PORT;
}

static const char *inside_words(enum why_rule rule)
{
	return rule == WHY_INSIDE_ONLY	       ? "only way inside"
	       : rule == WHY_INSIDE_CONTENTION ? "least contention inside"
	       : rule == WHY_INSIDE_DISTANCE   ? "least distance inside"
	       : rule == WHY_INSIDE_USAGE      ? "least usage inside"
					       : "lowest port inside";
}

/* --- steps of a recording -------------------------------------------------------------------- */

/* The rule of a step: enum mincontention_rule for an element, enum why_rule for a chip inside. */
static const char *mincontention_sentences_rule(const struct rec_event *ev)
{
	return why_rule_name(ev->kind == REC_SETTLE ? rule_words[ev->rule].why : ev->rule);
}

/* key: the path's cell in T_KEY. */
static void say_measures(const struct saying *y, uint32_t key)
{
	uint32_t v = walk_value(y->w, T_KEY, key), port = switch_port_id(y->f, y->ev->a, y->ev->port);

	text_add(y->t, ": contention %u, distance %u, usage %u", CONTENTION(v), DISTANCE(v),
		 walk_value(y->w, T_COUNT, port) - 1); /* the step has counted it */
}

static void say_settle(const struct saying *y)
{
	const struct mc_kept *k = y->kept;
	uint32_t e = k->el->of[y->ev->a];

	say_entry(y, rule_words[y->ev->rule].name);
	text_add(y->t, "; element %s", k->el->name[e]);
	if (y->ev->rule != RULE_HOST_PORT && y->ev->rule != RULE_OWN_PORT)
		say_measures(y, e);
}

static void say_inside(const struct saying *y)
{
	const struct mc_kept *k = y->kept;

	say_entry(y, inside_words(y->ev->rule));
	text_add(y->t, "; element %s", k->el->name[k->el->of[y->ev->a]]);
	say_measures(y, k->el->n + y->ev->a);
}

/* Tells the chips that became one element, and why. */
static void mincontention_say_group(const struct saying *y)
{
	const struct elements *el = ((const struct mc_kept *)y->kept)->el;
	uint32_t e = el->of[y->ev->a];

	text_add(y->t, "element %s formed by %s:", el->name[e],
		 el->rule[e] == ELEMENT_FILE	 ? "the chassis file"
		 : el->rule[e] == ELEMENT_SYSTEM ? "a system GUID in common"
						 : "a chassis number in common");
	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		text_add(y->t, " %s", say_name(y, el->chip[c]));
	text_add(y->t, "; %s to other elements", PLURAL(el->first_link[e + 1] - el->first_link[e], "link"));
}

static void mincontention_sentences_sentence(struct walk *w, struct text *t)
{
	const struct saying y = saying_of(w, t);

	if (y.ev->kind == REC_TARGET) {
		say_lid(&y, y.ev->b);
		text_add(t, " begun: it hangs on %s", say_name(&y, y.ev->a));
	} else if (y.ev->kind == REC_SETTLE) {
		say_settle(&y);
	} else if (y.ev->kind == REC_GROUP) {
		mincontention_say_group(&y);
	} else {
		say_inside(&y);
	}
}

static const char *mincontention_sentences_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_GROUP:
		return "mincontention.md 2; HP 376227-B21";
	case REC_TARGET:
	case REC_SETTLE:
		return "mincontention.md 3; HP 376227-B21";
	case REC_CHOICE:
		return "mincontention.md 4; HP 376227-B21";
	default:
		return NULL;
	}
}

static bool mincontention_sentences_cell(const struct recording *r, enum rec_table t, uint32_t at,
					 struct text *out)
{
	const struct mc_kept *k = recording_kept(r);

	if (!k || (t != T_KEY && t != T_EGRESS))
		return false;
	if (at < k->el->n)
		text_add(out, "element %s", k->el->name[at]);
	else
		text_add(out, "%s inside", switch_name(k->el->topo->fabric, at - k->el->n));
	return true;
}

static bool mincontention_sentences_value(const struct recording *r, enum rec_table t, uint32_t at,
					  uint32_t v, struct text *out)
{
	(void)r;
	(void)at;
	if (t != T_KEY)
		return false;
	text_add(out, "contention %u, distance %u", CONTENTION(v), DISTANCE(v));
	return true;
}

/* --- choices, when somebody asks ------------------------------------------------------------- */

struct telling {
	const struct mincontention_run *x;
	struct mincontention_way *way; /* acceptable paths of the element; room for all links */
	unsigned n;		       /* number of them */
	struct mincontention_way *in;  /* the same for the chip inside; n_in: 0 at the chip of the exit */
	unsigned n_in;
	uint32_t element, exit, port; /* switch and port id where it leaves */
	enum mincontention_rule rule; /* of the element's choice */
	bool kept;
};

/* Compares the element's chosen way with another one, by the first thing in which they differ. */
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

/* Tells the port by which an element sends the LID: "sw-03 sends this LID out of port 2". */
static void say_elsewhere(const struct mincontention_run *x, uint32_t e, struct text *s)
{
	uint32_t port = exit_port(x, e);

	text_add(s, "%s sends this LID out of port %u", switch_name(x->topo->fabric, exit_switch(x, e)),
		 x->topo->fabric->port_num[port]);
}

/* Tells what decided: the rival that lost only by the last comparison. */
static void decide_element(const struct telling *t, struct decided *d)
{
	const struct mincontention_run *x = t->x;
	const struct level *v = &x->between;
	AUTO_TEXT struct text others = {0};
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
	for (uint32_t l = v->first[t->element]; x->tolerance && l < v->first[t->element + 1]; l++)
		if (l != v->egress[t->element] && way_not_given(x, t->element, l)) {
			text_add(&others, "%s%s: ", others.len ? "; " : "",
				 port_label(x->topo->fabric, v->port[l], a, sizeof(a)));
			say_elsewhere(x, way_deviator(x, t->element, l), &others);
		}
	port_label(x->topo->fabric, t->port, a, sizeof(a));
	if (others.len)
		decide(d, rule_words[t->rule].why,
		       "%s is the only path of at most %s that other switches leave open. Closed: %s.", a,
		       PLURAL(x->between.sp[t->element] + x->tolerance, "link"), text_str(&others));
	else
		decide(d, rule_words[t->rule].why, "%s is the only path of at most %s that leads there%s.", a,
		       PLURAL(x->between.sp[t->element] + x->tolerance, "link"),
		       x->tolerance ? " and does not come back" : "");
}

/* Compares the chosen way of a chip inside the chassis with another one. */
static void decide_inside_ways(const struct telling *t, const struct mincontention_way *q, struct decided *d)
{
	const struct mincontention_way *w = t->in;
	const struct fabric *f = t->x->topo->fabric;
	const char *to = switch_name(f, t->exit);
	unsigned a = f->port_num[w->port], b = f->port_num[q->port];
	enum why_rule rule = inside_why(q->rule);

	if (q->rule == RULE_CONTENTION)
		decide(d, rule,
		       "Within the chassis, to %s, port %u has contention %u, port %u %u (at distances %u "
		       "and %u).",
		       to, a, w->key.contention, b, q->key.contention, w->key.distance, q->key.distance);
	else if (q->rule == RULE_DISTANCE)
		decide(d, rule,
		       "Within the chassis, to %s, contention %u is equal; port %u has distance %u, port %u "
		       "%u.",
		       to, w->key.contention, a, w->key.distance, b, q->key.distance);
	else if (q->rule == RULE_USAGE)
		decide(d, rule, "Within the chassis, to %s, port %u carried %s, port %u %u.", to, a,
		       PLURAL(w->usage, "LID"), b, q->usage);
	else
		decide(d, rule,
		       "Within the chassis, to %s, ports %u and %u carried %s each: the lower number.", to, a,
		       b, PLURAL(w->usage, "LID"));
}

/* For a chip without its element's exit: compares with port `via`, or (0) tells what decides. */
static void decide_inside(const struct telling *t, unsigned via, struct decided *d)
{
	const struct mincontention_run *x = t->x;
	const uint8_t *number = x->topo->fabric->port_num;

	for (unsigned i = 1; i < t->n_in; i++)
		if (via ? number[t->in[i].port] == via : t->in[i].rule == t->in->rule) {
			decide_inside_ways(t, &t->in[i], d);
			return;
		}
	decide(d, via ? WHY_INSIDE_LONGER : WHY_INSIDE_ONLY,
	       x->tolerance ? "Within the chassis port %u alone is on a way of acceptable length to %s, "
			      "where it leaves."
			    : "Within the chassis port %u alone is on a shortest way to %s, where it leaves.",
	       number[t->in->port], switch_name(x->topo->fabric, t->exit));
}

/* Explains why a link of the element is not an acceptable path. */
static void decide_unfit(const struct telling *t, uint32_t l, struct decided *d)
{
	const struct mincontention_run *x = t->x;
	const struct level *v = &x->between;
	uint32_t to = v->to[l], n = to, distance = DISTANCE(v->key[to]) + 1;
	bool other = way_not_given(x, t->element, l);
	struct text elsewhere = {0};

	if (!other && distance > v->sp[t->element] + x->tolerance) {
		decide(d, WHY_BEYOND_TOLERANCE, "Distance %u; the least is %u, and tolerance %u allows %u.",
		       distance, v->sp[t->element], x->tolerance, v->sp[t->element] + x->tolerance);
		return;
	}
	while (n != x->target && v->to[v->egress[n]] != t->element)
		n = v->to[v->egress[n]];
	if (n == x->target) {
		say_elsewhere(x, way_deviator(x, t->element, l), &elsewhere);
		decide(d, WHY_NOT_GIVEN, "A way of at most %s leads here, but %s.",
		       PLURAL(v->sp[t->element] + x->tolerance, "link"), text_str(&elsewhere));
		text_free(&elsewhere);
	} else if (n == to) {
		decide(d, WHY_WOULD_LOOP, "%s sends LID %u here.", x->el->name[to], x->lid);
	} else {
		decide(d, WHY_WOULD_LOOP, "The way of %s comes back here, by %s.", x->el->name[to],
		       x->el->name[n]);
	}
}

static void offer_ways(const struct telling *t, struct rec_choice *c)
{
	static const char *const quantities[] = {"contention",	      "distance",	 "usage",
						 "inside contention", "inside distance", "inside usage"};
	const struct mincontention_run *x = t->x;
	const uint8_t *number = x->topo->fabric->port_num;

	c->quantity = quantities;
	c->n_quantities = ARRAY_LEN(quantities);
	for (unsigned i = 0; i < t->n + t->n_in; i++) {
		bool in = i >= t->n;
		const struct mincontention_way *w = in ? &t->in[i - t->n] : &t->way[i];
		struct rec_offer *o = rec_offer(c, number[w->port], x->topo->peer[w->port]);
		int64_t *q = in ? &o->q[3] : o->q;

		if (!t->kept)
			q[0] = w->key.contention;
		q[1] = w->key.distance;
		q[2] = w->usage;
	}
}

/* Tells the entry of one chip. */
static void tell_chip(struct telling *t, uint32_t sw)
{
	const struct mincontention_run *x = t->x;
	const struct fabric *f = x->topo->fabric;
	struct rec_choice *c = rec_choice(x->in, sw, x->lid);
	unsigned was = x->in->current ? routing_port(x->in->current, sw, x->lid) : NO_PATH;
	char label[300];

	if (!c)
		return;
	t->n_in = sw == t->exit ? 0 : list_ways(x, &x->inside, sw, t->kept, t->in);
	bool inside = t->n_in && !t->kept;
	offer_ways(t, c);
	c->target = x->sw;
	c->rule = inside ? inside_words(inside_why(t->in->rule)) : rule_words[t->rule].name;
	c->port = f->port_num[t->n_in ? t->in->port : t->port];
	c->old_port = was == c->port ? NO_PATH : (uint8_t)was;
	if (t->n_in)
		text_add(&c->text, "%s; ", c->rule);
	text_add(&c->text, "element %s sends by %s (", x->el->name[t->element],
		 port_label(f, t->port, label, sizeof(label)));
	if (t->element == x->target)
		text_add(&c->text, "the LID's own place)");
	else if (t->kept)
		text_add(&c->text, "no link of the LID's tree failed)");
	else
		text_add(&c->text, "contention %u, distance %u, usage %u: %s)", t->way->key.contention,
			 t->way->key.distance, t->way->usage, rule_words[t->rule].name);
	if (!decide_common(x->topo, x->in->lids, sw, x->lid, c->port, &c->decided)) {
		if (inside)
			decide_inside(t, 0, &c->decided);
		else
			decide_element(t, &c->decided);
	}
	if (c->via && c->via != c->port && t->kept) {
		decide_element(t, &c->against);
	} else if (c->via && c->via != c->port) {
		uint32_t id = switch_port_id(f, sw, c->via);
		bool leads =
			c->via <= f->switch_nports[sw] && t->element != x->target; /* to another element */
		const struct mincontention_way *q = NULL;

		for (unsigned i = 1; leads && i < t->n && !q; i++)
			q = t->way[i].port == id ? &t->way[i] : NULL;
		if (q)
			decide_ways(t, q, &c->against);
		else if (leads && x->el->port_link[id] != NO_ID && id != t->port)
			decide_unfit(t, x->el->port_link[id], &c->against);
		if (c->against.rule == WHY_UNTOLD && t->n_in && x->el->port_link[id] == NO_ID)
			decide_inside(t, c->via, &c->against);
		else if (c->against.rule == WHY_UNTOLD && leads && x->topo->peer_switch[id] != NO_ID)
			decide(&c->against, WHY_INSIDE_LONGER,
			       "Port %u stays within the chassis, which sends this LID out of this chip, by "
			       "port %u.",
			       c->via, c->port);
	}
	rec_chosen(x->in, c);
}

void mc_tell(const struct mincontention_run *x, bool kept)
{
	const struct rec_ask *q = x->in->ask;
	const struct elements *el = x->el;
	struct telling t = {.x = x, .kept = kept};

	if (q->lid && q->lid != x->lid)
		return;
	t.way = NEW_ARRAY((size_t)el->n_links + 1, struct mincontention_way);
	t.in = NEW_ARRAY((size_t)el->n_inside + 1, struct mincontention_way);
	for (uint32_t i = 0; i < x->n_near; i++) {
		uint32_t e = x->near[i];
		bool own = e == x->target;

		if (q->sw != NO_ID && el->of[q->sw] != e)
			continue;
		t.element = e;
		t.port = exit_port(x, e);
		t.exit = exit_switch(x, e);
		t.n = own ? 0 : list_ways(x, &x->between, e, kept, t.way);
		t.rule = own ? own_rule(x, kept) : t.way->rule;
		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			tell_chip(&t, el->chip[c]);
	}
	FREE_EACH(t.way, t.in);
}

/* Results of mincontention for a routing and for a step of a recording; what was compared, found again from
 * the tables. */

static void free_priv(void *priv)
{
	struct mincontention *m = priv;

	elements_unref(m->elements);
	FREE_EACH(m->usage, m->kept, m);
}

static const struct elements *op_elements(const struct routing *r)
{
	return mincontention_of(r)->elements;
}

static bool op_way(const struct routing *r, uint32_t element, unsigned lid, struct text *t)
{
	struct mincontention_key k;

	if (!mincontention_key(r, element, lid, &k))
		return false;
	text_add(t, "%u/%u", k.contention, k.distance);
	return true;
}

const struct routing_ops mincontention_ops = {
	.elements = op_elements,
	.way_measure = "contention/distance",
	.way = op_way,
	.free_priv = free_priv,
};

const struct mincontention *mincontention_of(const struct routing *r)
{
	r = r ? routing_origin(r) : NULL;
	return r && r->ops == &mincontention_ops ? r->priv : NULL;
}

/* Was LID a of an endport placed before its LID b? */
static bool placed_before(const struct mincontention *m, unsigned a, unsigned b)
{
	return m->kept[a] != m->kept[b] ? m->kept[a] : a < b;
}

bool mincontention_key(const struct routing *r, uint32_t element, unsigned lid, struct mincontention_key *k)
{
	const struct mincontention *m = mincontention_of(r);
	uint32_t owner = lid_owner(r->lids, lid),
		 sw = owner == NO_ID ? NO_ID : r->topo->endport_switch[owner];
	uint32_t target = sw == NO_ID ? NO_ID : m->elements->of[sw];
	unsigned base = owner == NO_ID ? 0 : r->lids->base[owner];

	assert(element < m->elements->n);
	*k = (struct mincontention_key){0};
	for (uint32_t e = element; e != target;) {
		uint32_t l = target == NO_ID ? NO_ID : egress_link(m->elements, r, e, lid);
		bool shared = false; /* with another LID of the endport */

		if (l == NO_ID || k->distance > m->elements->n)
			return false;
		for (unsigned i = base; !shared && i < base + r->lids->count[owner]; i++)
			shared = i != lid && placed_before(m, i, lid) &&
				 egress_link(m->elements, r, e, i) == l;
		k->contention += shared;
		k->distance++;
		e = m->elements->link_to[l];
	}
	return true;
}

/* --- what was compared ----------------------------------------------------------------------- */

/* The state when a LID was placed. */
struct mincontention_show_replay {
	struct mincontention_run x;
	const struct routing *r; /* made by the engine */
	const struct mincontention *m;
	uint8_t *before;   /* [max_lid + 1] 1: counted before its turn */
	uint32_t delivery; /* LIDs that the endport's port had then */
};

/* Finds the LIDs placed before: kept ones, then CA and router ports, then switches, each by number. */
static void find_before(struct mincontention_show_replay *y)
{
	const struct lids *l = y->r->lids;
	const struct fabric *f = y->x.topo->fabric;
	bool is_switch = endport_is_switch(f, y->x.owner);

	for (unsigned lid = 1; lid <= l->max_lid; lid++) {
		uint32_t ep = l->owner[lid];
		bool other = ep != NO_ID && endport_is_switch(f, ep);

		if (y->m->kept[lid])
			y->before[lid] = 1;
		else if (ep != NO_ID)
			y->before[lid] = other == is_switch ? lid < y->x.lid : is_switch;
	}
}

/* Counts the usage of all links by the entries of LIDs placed before. False when cancelled. */
static bool mincontention_show_count_before(struct mincontention_show_replay *y, struct progress *p)
{
	const struct fabric *f = y->x.topo->fabric;

	progress_start(p, "ways", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct lft_row *row = y->r->row[s];
		uint32_t count[256] = {0};

		if (!progress_step(p, s))
			return false;
		for (unsigned lid = 1; row && lid <= row->top; lid++)
			count[row->port[lid]] += y->before[lid];
		for (unsigned n = 1; row && n <= f->switch_nports[s]; n++) {
			uint32_t port = switch_port_id(f, s, n);

			if (y->x.el->port_link[port] != NO_ID)
				y->x.between.use[y->x.el->port_link[port]] = count[n];
			if (y->x.el->port_inside[port] != NO_ID)
				y->x.inside.use[y->x.el->port_inside[port]] = count[n];
		}
		if (s == y->x.sw && y->x.swport)
			y->delivery = count[y->x.swport];
	}
	return true;
}

/* Sets the keys of a node and of all on its way, as far as links are chosen. chain: room for all nodes. */
static void mincontention_show_settle(struct level *v, uint32_t node, uint32_t *chain)
{
	uint32_t n = 0;

	for (; v->key[node] == NO_OFFER; node = v->to[v->egress[node]]) {
		if (v->egress[node] == NO_ID)
			return;
		chain[n++] = node;
	}
	while (n--) {
		uint32_t l = v->egress[chain[n]];

		v->key[chain[n]] = key_through(v, l, v->key[v->to[l]]);
	}
}

/* Sets the keys of the chips of an element, once the exit of the LID is known. */
static void find_inside(struct mincontention_show_replay *y, uint32_t e, uint32_t *chain)
{
	struct mincontention_run *x = &y->x;
	const uint32_t *chip = &x->el->chip[x->el->first_chip[e]];
	uint32_t n = element_chips(x->el, e);
	bool known = e == x->target || x->between.egress[e] != NO_ID;
	uint32_t exit = known ? exit_switch(x, e) : NO_ID;

	if (known)
		aim_inside(x, e);
	for (uint32_t i = 0; i < n; i++) {
		x->inside.key[chip[i]] = chip[i] == exit ? 0 : NO_OFFER;
		x->inside.egress[chip[i]] =
			known && chip[i] != exit ? inside_link(x->el, y->r, chip[i], x->lid) : NO_ID;
	}
	for (uint32_t i = 0; i < n; i++)
		mincontention_show_settle(&x->inside, chip[i], chain);
}

static void fill_ways(const struct mincontention_show_replay *y, struct mincontention_ways *w)
{
	const struct mincontention_run *x = &y->x;
	bool kept = y->m->kept[x->lid];

	w->target = x->target;
	w->way = NEW_ARRAY((size_t)x->el->n_links + 1, struct mincontention_way);
	for (uint32_t e = 0; e < x->el->n; e++) {
		struct mincontention_way *way = &w->way[w->first[e]];

		if (e != x->target) {
			w->first[e + 1] = w->first[e] + list_ways(x, &x->between, e, kept, way);
			continue;
		}
		*way = (struct mincontention_way){
			.port = switch_port_id(x->topo->fabric, x->sw, x->swport),
			.to = NO_ID,
			.usage = y->delivery,
			.chosen = true,
			.rule = own_rule(x, kept),
		};
		w->first[e + 1] = w->first[e] + 1;
	}
	assert(w->first[x->el->n] <= x->el->n_links + 1);
	w->inside = NEW_ARRAY((size_t)x->el->n_inside + x->topo->fabric->n_switches + 1,
			      struct mincontention_way);
	for (uint32_t s = 0; s < x->topo->fabric->n_switches; s++) {
		uint32_t e = x->el->of[s];
		bool chooses = e != NO_ID && element_chips(x->el, e) > 1 && x->inside.key[s];

		w->first_inside[s + 1] = w->first_inside[s];
		if (chooses)
			w->first_inside[s + 1] +=
				list_ways(x, &x->inside, s, kept, &w->inside[w->first_inside[s]]);
	}
}

struct mincontention_ways *mincontention_ways(const struct routing *r, unsigned lid, struct progress *p)
{
	struct mincontention_ways *w = NEW(struct mincontention_ways);
	struct mincontention_show_replay y;
	struct mincontention_run *x = &y.x;

	r = routing_origin(r);
	const struct elements *el = w->elements = elements_ref(mincontention_of(r)->elements);
	w->lid = lid;
	w->target = NO_ID;
	w->first = NEW_ARRAY(el->n + 1, uint32_t);
	w->first_inside = NEW_ARRAY(r->topo->fabric->n_switches + 1, uint32_t);
	uint32_t owner = lid_owner(r->lids, lid);
	if (owner == NO_ID || r->topo->endport_switch[owner] == NO_ID)
		return w;
	y = (struct mincontention_show_replay){.r = r, .m = r->priv};
	*x = (struct mincontention_run){.el = el, .topo = r->topo, .tolerance = y.m->tolerance};
	run_levels(x);
	x->lid = lid;
	x->owner = owner;
	x->sw = r->topo->endport_switch[owner];
	x->swport = r->topo->endport_swport[owner];
	y.before = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t);
	aim(x, el->of[x->sw]);
	find_before(&y);
	unsigned base = r->lids->base[owner];
	for (unsigned k = base; k < base + r->lids->count[owner]; k++)
		if (k != lid && placed_before(y.m, k, lid))
			mark_lid(x, r, k);
	/*
	 * Find the choice and the key of every element and every chip inside. The engine leaves complete
	 * trees, so every chain ends. At a step of a recording, trees grow from the target, so chosen nodes
	 * have complete chains too.
	 */
	uint32_t *chain = NEW_ARRAY(r->topo->fabric->n_switches + 1, uint32_t);
	for (uint32_t e = 0; e < el->n; e++) {
		x->between.key[e] = e == x->target ? 0 : NO_OFFER;
		x->between.egress[e] = e == x->target ? NO_ID : egress_link(el, r, e, lid);
	}
	for (uint32_t e = 0; e < el->n; e++)
		mincontention_show_settle(&x->between, e, chain);
	for (uint32_t e = 0; e < el->n; e++)
		find_inside(&y, e, chain);
	bool done = mincontention_show_count_before(&y, p);
	if (done)
		fill_ways(&y, w);
	run_end(x);
	FREE_EACH(chain, y.before);
	if (done)
		return w;
	mincontention_ways_free(w);
	return NULL;
}

void mincontention_ways_free(struct mincontention_ways *w)
{
	if (!w)
		return;
	elements_unref(w->elements);
	FREE_EACH(w->first, w->way, w->first_inside, w->inside, w);
}

/* --- a step of a recording ------------------------------------------------------------------- */

static void *mc_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	const struct mc_kept *k = recording_kept(r);

	(void)end;
	if (!k) /* refused before there were elements */
		return NULL;
	struct mincontention *m = NEW(struct mincontention);
	m->elements = elements_ref(k->el);
	m->tolerance = k->tolerance;
	m->kept = mem_dup(k->kept, s->lids->max_lid + 1u);
	m->usage = mem_dup(walk_words(w, T_COUNT), s->fabric->n_ports * sizeof(*m->usage));
	return m;
}

const struct rec_scheme mincontention_scheme = {
	.rule = mincontention_sentences_rule,
	.order = "own order: there is no OpenSM",
	.source = mincontention_sentences_source,
	.sentence = mincontention_sentences_sentence,
	.ops = &mincontention_ops,
	.priv_at = mc_priv_at,
	.cell = mincontention_sentences_cell,
	.value = mincontention_sentences_value,
};
