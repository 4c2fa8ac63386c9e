#include "core/base/text.h"
#include "engines/counted/internal.h"

const char assign_kept[] = "kept", assign_random[] = "random";

/* Words for the rule that made a port win by its count. */
static const char *count_rule(const struct assign *a, const struct choice *c)
{
	uint32_t least = UINT32_MAX;
	unsigned equal = 0;
	uint8_t first = 0;

	if (!c->n)
		return "no candidate";
	for (unsigned i = 0; i < c->n; i++) {
		if (a->cand[i].count < least) {
			least = a->cand[i].count;
			first = a->cand[i].port;
			equal = 0;
		}
		equal += a->cand[i].count == least;
	}
	if (equal == 1)
		return "least count";
	if (a->shifting)
		return "shifted";
	return first == c->port ? "first of equals" : "least forwarded";
}

/* Without LMC the first two; then dor tells what it drops. */
static const char *const quantity_names[] = {"hops",	  "routes",    "system used",
					     "node used", "forwarded", "dropped"};
static const char *const dor_names[] = {"hops", "routes", "dropped"};

static const char *why_not_counted(const struct assign *a, const struct dest *d, unsigned port)
{
	if (port == NO_PATH)
		return "no entry";
	if (d->is_switch && !a->profile_switches)
		return "not counted: routes to switches are not";
	if (a->ignore && a->ignore[port])
		return "not counted: the port is in port_prof_ignore_file";
	return "counted";
}

/* The candidates, then what dor drops of the ports of least hops; their number. */
static unsigned list_steps(const struct assign *a, const struct dest *d, const uint64_t *mask,
			   const struct choice *c, struct step_candidate *sc)
{
	int64_t least = d->target == NO_ID ? NO_PATH : hops_least(a->h, a->sw, d->target);
	unsigned n = 0, at = a->lmc ? 5 : 2;

	for (; n < c->n; n++) {
		const struct cand *k = &a->cand[n];

		sc[n] = (struct step_candidate){
			.port = k->port,
			.peer = a->t->peer[a->p0 + k->port],
			.q = {least, k->count, k->sys_used, k->node_used, k->forwarded, 0}};
		sc[n].q[at] = 0;
	}
	for (unsigned p = 1; mask && a->dor && c->n && p < a->num_ports; p++) {
		bool listed = !mask_has(mask, p);

		for (unsigned i = 0; i < c->n; i++)
			listed |= a->cand[i].port == p;
		if (listed)
			continue;
		sc[n] = (struct step_candidate){
			.port = p,
			.peer = a->t->peer[a->p0 + p],
			.q = {least, a->count[p], INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}};
		sc[n++].q[at] = 1;
	}
	return n;
}

static void choice_text(const struct assign *a, const struct dest *d, const struct choice *c,
			const struct step *s, struct text *t)
{
	text_add(t, "%s", s->rule);
	if (s->n_candidates > 1 || c->rule == assign_kept)
		text_add(t, " of %s", PLURAL(s->n_candidates, "candidate"));
	if (s->n_candidates)
		text_add(t, " at %s", PLURAL(hops_least(a->h, a->sw, d->target), "hop"));
	if (c->rule == assign_random)
		text_add(t, ", %u with the least count, value %u", c->ties, c->drawn);
	text_add(t, "; %s", why_not_counted(a, d, c->port));
}

/* Candidates of a plain choice are listed only for somebody who listens. */
void assign_tell_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			struct choice *c)
{
	struct step_candidate sc[256];
	struct step s = {.kind = STEP_CHOICE,
			 .sw = a->sw,
			 .sw2 = d->target,
			 .lid = lid,
			 .port = c->port,
			 .old_port = current_port(a->current, lid),
			 .quantity = a->dor && !a->lmc ? dor_names : quantity_names,
			 .candidate = sc};
	struct text t = {0};
	struct decided decided = {0}, against = {0};

	if (mask && !c->n && (!c->rule || c->rule == assign_kept))
		c->n = assign_list_candidates(a, mask, 1);
	s.n_candidates = list_steps(a, d, mask, c, sc);
	s.n_quantities = (a->lmc ? 5 : 2) + (s.n_candidates > c->n);
	if (c->n == 1 && c->rule != assign_kept)
		s.rule = "only candidate";
	else
		s.rule = c->rule ? c->rule : count_rule(a, c);
	assign_decide(a, d, lid, mask, c, s.rule, &decided, &against);
	if (decided.rule == WHY_FIRST_NEIGHBOUR)
		s.rule = why_rule_name(decided.rule);
	choice_text(a, d, c, &s, &t);
	s.text = text_str(&t);
	s.decided = &decided;
	s.against = against.rule ? &against : NULL;
	observe(a->in, &s);
	decided_free(&decided);
	decided_free(&against);
	text_free(&t);
}
