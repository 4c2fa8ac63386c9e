#include "core/base/text.h"
#include "engines/assign_parts.h"

const char assign_kept[] = "kept", assign_random[] = "random";

/* Words for the rule that made a port win by its count. */
static const char *count_rule(const struct assign *a, const struct choice *c)
{
	uint32_t least = UINT32_MAX;
	unsigned equal = 0;
	uint8_t first = 0;

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

static const char *const quantity_names[] = {"hops", "routes", "system used", "node used", "forwarded"};

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
			 .quantity = quantity_names,
			 .candidate = sc};
	struct text t = {0};

	if (mask && !c->n && (!c->rule || c->rule == assign_kept))
		c->n = assign_list_candidates(a, mask, 1);
	s.n_quantities = a->lmc ? 5 : 2;
	s.old_port = current_port(a->current, lid);
	if (c->n == 1 && c->rule != assign_kept)
		s.rule = "only candidate";
	else
		s.rule = c->rule ? c->rule : count_rule(a, c);
	s.n_candidates = c->n;
	for (unsigned i = 0; i < c->n; i++) {
		const struct cand *k = &a->cand[i];

		sc[i] = (struct step_candidate){
			.port = k->port,
			.peer = a->t->peer[a->p0 + k->port],
			.q = {hops_least(a->h, a->sw, d->target), k->count, k->sys_used, k->node_used,
			      k->forwarded, INT64_MIN},
		};
	}
	text_add(&t, "%s", s.rule);
	if (c->n > 1 || c->rule == assign_kept)
		text_add(&t, " of %s", PLURAL(c->n, "candidate"));
	if (c->n)
		text_add(&t, " at %s", PLURAL(hops_least(a->h, a->sw, d->target), "hop"));
	if (c->rule == assign_random)
		text_add(&t, ", %u with the least count, value %u", c->ties, c->drawn);
	text_add(&t, "; %s", why_not_counted(a, d, c->port));
	s.text = text_str(&t);
	observe(a->in, &s);
	text_free(&t);
}

void assign_tell_switch(const struct assign *a)
{
	struct text t = {0};
	unsigned entries = 0;

	for (unsigned lid = 1; lid <= a->in->lids->max_lid; lid++)
		entries += a->row[lid] != NO_PATH;
	text_add(&t, "table finished: %s; routes counted per port:", PLURAL(entries, "entry"));
	for (unsigned p = 0; p < a->num_ports; p++)
		if (a->count[p])
			text_add(&t, " %u:%u", p, a->count[p]);
	observe_text(a->in, STEP_SWITCH, a->sw, "%s", text_str(&t));
	text_free(&t);
}
