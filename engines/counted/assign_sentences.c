/* The sentence on which a `why` of the engines that count ends (engines/doc/minhop.md section 6). */
#include "core/fabric/labels.h"
#include "engines/counted/internal.h"

#include <string.h>

struct verdict {
	struct assign *a;
	const struct dest *d;
	unsigned lid, hops;
	const struct choice *c;
	const struct cand *won; /* NULL: no port, or it was not among those that were listed */
	unsigned via;		/* port to be compared with the one that won, 0 = the next best */
};

static const struct cand *cand_of(const struct verdict *v, unsigned port)
{
	for (unsigned i = 0; i < v->c->n; i++)
		if (v->a->cand[i].port == port)
			return &v->a->cand[i];
	return NULL;
}

/* The candidate to compare with: the one asked for, or the best of the others. */
static const struct cand *rival(const struct verdict *v)
{
	const struct cand *best = NULL;

	if (v->via)
		return cand_of(v, v->via);
	for (unsigned i = 0; i < v->c->n; i++) {
		const struct cand *k = &v->a->cand[i];

		if (k != v->won && (!best || k->count < best->count))
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

/* --- no entry ------------------------------------------------------------------------------- */

static void no_entry(const struct verdict *v, struct decided *out)
{
	const struct assign *a = v->a;
	const struct engine_input *in = a->in;
	const char *from = switch_name(a->f, a->sw), *to = switch_name(a->f, v->d->target);

	if (v->hops != NO_PATH && in->left && in->left->hops)
		decide(out, WHY_LEFT_COUNTER,
		       "The least of %s in the hop matrix of %s is none of its ports': an engine that "
		       "refused "
		       "before left it. No entry.",
		       PLURAL(v->hops, "hop"), from);
	else if (v->hops != NO_PATH)
		decide(out, WHY_NOT_IN_FILE,
		       "The least of %s in the file's hop matrix of %s is none of its ports'. No entry.",
		       PLURAL(v->hops, "hop"), from);
	else if (!strcmp(a->out->engine, "file") && options_file(in->options, "lid_matrix_dump_file"))
		decide(out, WHY_NOT_IN_FILE, "The hop matrix of the file has no way from %s to %s.", from,
		       to);
	else /* by weights alone: without, no switch is more than 126 hops away, as discovery ends at 63 */
		decide(out, WHY_COST, "No way from %s to %s costs 254 or less (hop_weights_file).", from, to);
}

/* --- one port has the fewest hops ------------------------------------------------------------- */

static void only_candidate(const struct verdict *v, struct decided *out)
{
	const struct assign *a = v->a;
	unsigned next = NO_PATH, second = 0;

	for (unsigned p = 1; p < a->num_ports; p++) {
		unsigned h = p == v->c->port || a->t->peer_switch[a->p0 + p] == NO_ID
				     ? NO_PATH
				     : hops_value(a->h, a->t, a->sw, v->d->target, p);

		if (h >= next)
			continue;
		next = h;
		second = p;
	}
	if (!second)
		decide(out, WHY_ONLY_CANDIDATE, "Port %u alone leads there, in %s.", v->c->port,
		       PLURAL(v->hops, "hop"));
	else
		decide(out, WHY_ONLY_CANDIDATE, "Port %u alone has %s; the next best, %u, has %u.",
		       v->c->port, PLURAL(v->hops, "hop"), second, next);
}

/* --- several LIDs a port ---------------------------------------------------------------------- */

static void earlier_ports(const struct verdict *v, struct text *t)
{
	for (unsigned lid = v->d->lid; lid < v->lid; lid++)
		text_add(t, "%s%u", lid > v->d->lid ? ", " : "", v->a->row[lid]);
}

static void new_way(const struct verdict *v, enum why_rule rule, struct decided *out)
{
	const char *what = rule == WHY_NEW_SYSTEM ? "chassis" : "node";
	struct text t = {0};
	char a[300];

	earlier_ports(v, &t);
	endport_label(v->a->f, v->d->endport, a, sizeof(a));
	if (v->lid == v->d->lid)
		decide(out, rule,
		       "No earlier LID of %s has a port; port %u had %s, the fewest, and is the first of "
		       "such.",
		       a, v->c->port, PLURAL(v->won->count, "LID"));
	else
		decide(out, rule,
		       "Earlier LIDs of %s go by %s; port %u leads to another %s, with %s the fewest of "
		       "those.",
		       a, text_str(&t), v->c->port, what, PLURAL(v->won->count, "LID"));
	text_free(&t);
}

/* --- counts ------------------------------------------------------------------------------------- */

static void add_order(const struct verdict *v, struct text *t)
{
	if (v->lid > v->d->lid && !v->a->dor)
		text_add(t, "from behind port %u of LID %u", v->a->row[v->lid - 1], v->lid - 1);
	else
		text_add(t, "%s", v->a->order ? "of port_search_ordering_file" : "of port numbers");
}

static void shifted(const struct verdict *v, struct decided *out)
{
	unsigned n = v->c->n;
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v->a->cand[i].count;
	decide(out, WHY_SHIFTED,
	       "port_shifting: %llu / %u mod %u = %u, so the search begins at port %u; of %u with %s port %u "
	       "is "
	       "the first.",
	       (unsigned long long)sum, n, n, (unsigned)(sum / n % n), v->a->cand[sum / n % n].port,
	       with_count(v, v->won->count), PLURAL(v->won->count, "LID"), v->won->port);
}

/* A candidate by its port, NULL. */
static const struct cand *candidate(const struct assign *a, unsigned n, unsigned port)
{
	for (unsigned i = 0; i < n; i++)
		if (a->cand[i].port == port)
			return &a->cand[i];
	return NULL;
}

const struct cand *assign_but_for_left(const struct assign *a, unsigned n, unsigned port, unsigned via)
{
	const struct leftovers *l = a->in->left;
	const uint32_t *left = l && l->count ? l->count + a->p0 : NULL;
	const struct cand *won = candidate(a, n, port);
	uint32_t least;

	if (!left || !won || a->shifting)
		return NULL;
	least = won->count - left[port];
	for (unsigned i = 0; i < n; i++) {
		const struct cand *k = &a->cand[i];
		uint32_t own = k->count - left[k->port];

		if (k != won && (own < least || (own == least && k < won)) && (!via || via == k->port))
			return k;
	}
	return NULL;
}

static void by_count(const struct verdict *v, struct decided *out)
{
	const struct cand *other = assign_but_for_left(v->a, v->c->n, v->won->port, v->via);
	const struct cand *q = rival(v), *w = v->won;
	unsigned equal = with_count(v, w->count);
	struct text t = {0};

	if (other) {
		const uint32_t *left = v->a->in->left->count + v->a->p0;

		decide(out, WHY_LEFT_COUNTER,
		       "Counts began at %u for port %u and at %u for port %u, as an engine that refused "
		       "before "
		       "left them; so of %u ports at %s port %u had %s, %s; %u had %u.",
		       left[v->won->port], v->won->port, left[other->port], other->port, v->c->n,
		       PLURAL(v->hops, "hop"), v->won->port, PLURAL(v->won->count, "LID"),
		       equal > 1 ? "the fewest, and comes first" : "the fewest", other->port, other->count);
		return;
	}
	if (equal == 1 || (q && v->via && q->count > w->count)) {
		decide(out, WHY_LEAST_COUNT, "Of %u ports at %s port %u had %s, the fewest; %u had %u.",
		       v->c->n, PLURAL(v->hops, "hop"), w->port, PLURAL(w->count, "LID"), q->port, q->count);
		return;
	}
	if (v->a->shifting) {
		shifted(v, out);
		return;
	}
	add_order(v, &t);
	decide(out, WHY_FIRST_OF_EQUALS,
	       "%u of %u ports had %s, the fewest; port %u is the first in order (%s)%s", equal, v->c->n,
	       PLURAL(w->count, "LID"), w->port, text_str(&t), q && v->via ? "" : ".");
	if (q && v->via)
		text_add(&out->text, ", before port %u.", q->port);
	text_free(&t);
}

static void least_forwarded(const struct verdict *v, struct decided *out)
{
	char a[300];

	decide(out, WHY_LEAST_FORWARDED,
	       "%u of %u ports had %s, the fewest; port %u carries the fewest of %s, %u.",
	       with_count(v, v->won->count), v->c->n, PLURAL(v->won->count, "LID"), v->won->port,
	       endport_label(v->a->f, v->d->endport, a, sizeof(a)), v->won->forwarded);
}

/* Port that the count alone would take now. */
static unsigned anew(const struct verdict *v)
{
	const struct cand *best = v->a->cand;

	for (unsigned i = 1; i < v->c->n; i++)
		if (v->a->cand[i].count < best->count)
			best = &v->a->cand[i];
	return best->port;
}

static void kept(const struct verdict *v, struct decided *out)
{
	if (v->c->n == 1) {
		decide(out, WHY_KEPT,
		       "The table had port %u, which still is the only candidate at %s, so OpenSM keeps it.",
		       v->c->port, PLURAL(v->hops, "hop"));
		return;
	}
	decide(out, WHY_KEPT,
	       "The table had port %u, still one of %u at %s; nothing came up since, so OpenSM keeps it",
	       v->c->port, v->c->n, PLURAL(v->hops, "hop"));
	if (v->c->n && !v->a->lmc && !v->a->shifting && !v->d->scatter && anew(v) == v->c->port)
		text_add(&out->text, " (anew the same)");
	else if (v->c->n && !v->a->lmc && !v->a->shifting && !v->d->scatter)
		text_add(&out->text, " (anew: port %u)", anew(v));
	text_add(&out->text, ".");
}

/* --- dor ------------------------------------------------------------------------------------------ */

/* Ports of least hops that DOR drops, as they lead to another node than the first one. */
static unsigned add_dropped(const struct verdict *v, const uint64_t *mask, struct text *t)
{
	unsigned n = 0;

	for (unsigned p = 1; p < v->a->num_ports; p++)
		if (mask_has(mask, p) && !cand_of(v, p))
			text_add(t, "%s%u", n++ ? ", " : "", p);
	return n;
}

/* false: no port was dropped. */
static bool first_neighbour(const struct verdict *v, const uint64_t *mask, struct decided *out)
{
	const struct assign *a = v->a;
	struct text t = {0};
	unsigned n = v->a->dor && v->won ? add_dropped(v, mask, &t) : 0;
	const struct cand *w = v->won;

	if (n && !cand_of(v, v->via))
		decide(out, WHY_FIRST_NEIGHBOUR,
		       "%u ports have %s; port %u to %s is first in order, %s %s to other neighbours and %s "
		       "dropped, "
		       "loaded or not.",
		       n + v->c->n, PLURAL(v->hops, "hop"), a->cand[0].port,
		       switch_name(a->f, a->t->peer_switch[a->p0 + a->cand[0].port]), text_str(&t),
		       n == 1 ? "leads" : "lead", n == 1 ? "is" : "are");
	if (n && !v->via && v->c->n > 1)
		text_add(&out->text, " Of %u cables there port %u had %s, the fewest.", v->c->n, w->port,
			 PLURAL(w->count, "LID"));
	text_free(&t);
	return n && out->rule == WHY_FIRST_NEIGHBOUR;
}

/* --- all of it -------------------------------------------------------------------------------------- */

static void by_rule(const struct verdict *v, const uint64_t *mask, const char *rule, struct decided *out)
{
	const struct choice *c = v->c;

	if (c->rule == assign_kept)
		kept(v, out);
	else if (!v->won)
		no_entry(v, out);
	else if (first_neighbour(v, mask, out))
		return;
	else if (c->rule == assign_random)
		decide(out, WHY_RANDOM, "scatter_ports: %u of %u ports tie with %s; %u mod %u = %u, port %u.",
		       c->ties, c->n, PLURAL(v->won->count, "LID"), c->drawn, c->ties, c->drawn % c->ties,
		       c->port);
	else if (c->n == 1)
		only_candidate(v, out);
	else if (!strcmp(rule, why_rule_name(WHY_NEW_SYSTEM)))
		new_way(v, WHY_NEW_SYSTEM, out);
	else if (!strcmp(rule, why_rule_name(WHY_NEW_NODE)))
		new_way(v, WHY_NEW_NODE, out);
	else if (!strcmp(rule, why_rule_name(WHY_LEAST_FORWARDED)))
		least_forwarded(v, out);
	else
		by_count(v, out);
}

void assign_decide(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
		   const struct choice *c, const char *rule, struct decided *chosen, struct decided *against)
{
	struct verdict v = {.a = a, .d = d, .lid = lid, .c = c};
	unsigned via = a->in->observer->sw == a->sw ? a->in->observer->via : 0;

	if (decide_common(a->t, a->in->lids, a->sw, lid, c->port, chosen))
		return;
	v.hops = hops_least(a->h, a->sw, d->target);
	v.won = c->port == NO_PATH ? NULL : cand_of(&v, c->port);
	by_rule(&v, mask, rule, chosen);
	if (via && via != c->port && v.won && via < a->num_ports && mask_has(mask, via)) {
		v.via = via;
		by_rule(&v, mask, rule, against);
	}
}
