/* What is recorded of a choice of ports, and the rule that decided it (engines/doc/minhop.md section 6). */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/counted/internal.h"
#include "engines/record.h"
#include "core/routing/distances.h"

/* --- the rule ----------------------------------------------------------------------------------- */

/* Numbers the connected parts of the fabric; each switch gets the number of its part. */
static void counted_events_number_parts(struct assign *a)
{
	uint32_t n = a->f->n_switches;
	uint16_t *hops = NEW_ARRAY(n + 1, uint16_t);
	uint32_t *queue = NEW_ARRAY(n + 1, uint32_t);

	a->part = NEW_ARRAY(n + 1, uint32_t);
	memset(hops, 0xff, n * sizeof(*hops));
	for (uint32_t first = 0; first < n; first++) {
		if (a->part[first])
			continue;
		queue[0] = first;
		hops[first] = 0;
		for (uint32_t i = spread_hops(a->t, hops, queue, 1); i--;)
			a->part[queue[i]] = first + 1;
	}
	FREE_EACH(hops, queue);
}

static enum why_rule counted_events_no_entry(struct assign *a, const struct dest *d)
{
	if (d->target == NO_ID)
		return WHY_NOT_ATTACHED;
	if (!a->part)
		counted_events_number_parts(a);
	if (a->part[a->sw] != a->part[d->target])
		return WHY_CUT_OFF;
	if (hops_least(a->h, a->sw, d->target) != NO_PATH)
		return a->in->left && a->in->left->hops ? WHY_LEFT_COUNTER : WHY_NOT_IN_FILE;
	if (!strcmp(a->out->engine, "file") && options_file(a->in->options, "lid_matrix_dump_file"))
		return WHY_NOT_IN_FILE;
	return WHY_COST;
}

const struct cand *assign_candidate(const struct assign *a, const struct choice *c, unsigned port)
{
	for (unsigned i = 0; i < c->n; i++)
		if (a->cand[i].port == port)
			return &a->cand[i];
	return NULL;
}

const struct cand *assign_but_for_left(const struct assign *a, const struct choice *c, unsigned via)
{
	const struct leftovers *l = a->in->left;
	const uint32_t *left = l && l->count ? l->count + a->p0 : NULL;
	const struct cand *won = assign_candidate(a, c, c->port);
	uint32_t least;

	if (!left || !won || a->shifting)
		return NULL;
	least = won->count - left[c->port];
	for (unsigned i = 0; i < c->n; i++) {
		const struct cand *k = &a->cand[i];
		uint32_t own = k->count - left[k->port];

		if (k != won && (own < least || (own == least && k < won)) && (!via || via == k->port))
			return k;
	}
	return NULL;
}

enum why_rule assign_by_count(const struct assign *a, const struct choice *c)
{
	unsigned at = a->shifting && c->n ? assign_shift(a, c->n) : 0, equal = 0, first = 0;
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < c->n; i++, at = at + 1 < c->n ? at + 1 : 0) {
		if (a->cand[at].count < least) {
			least = a->cand[at].count;
			first = a->cand[at].port;
			equal = 0;
		}
		equal += a->cand[at].count == least;
	}
	if (equal == 1)
		return WHY_LEAST_COUNT;
	if (first != c->port)
		return WHY_LEAST_FORWARDED;
	return a->shifting ? WHY_SHIFTED : WHY_FIRST_OF_EQUALS;
}

void assign_list(struct assign *a, const uint64_t *mask, struct choice *c)
{
	if (mask && !c->n && (!c->rule || c->rule == WHY_KEPT))
		c->n = assign_list_candidates(a, mask, 1);
}

enum why_rule assign_rule(struct assign *a, const struct dest *d, const uint64_t *mask,
			  const struct choice *c, unsigned via)
{
	const struct cand *other = assign_candidate(a, c, via), *won = assign_candidate(a, c, c->port);
	enum why_rule rule;
	unsigned all = 0; /* ports of least hops; DOR may drop some */

	if (c->rule == WHY_OWN_LID || c->rule == WHY_ATTACHED || c->rule == WHY_KEPT)
		return c->rule;
	if (c->port == NO_PATH)
		return counted_events_no_entry(a, d);
	for (unsigned p = 1; a->dor && p < a->num_ports; p++)
		all += mask_has(mask, p);
	if (all > c->n && !other)
		return WHY_FIRST_NEIGHBOUR;
	if (c->rule != WHY_RANDOM && c->n == 1)
		return WHY_ONLY_CANDIDATE;
	if (c->rule == WHY_NEW_SYSTEM || c->rule == WHY_NEW_NODE)
		return c->rule;
	rule = c->rule ? c->rule : assign_by_count(a, c);
	if (rule != WHY_LEAST_FORWARDED && rule != WHY_RANDOM && assign_but_for_left(a, c, via))
		return WHY_LEFT_COUNTER;
	return other && other->count > won->count ? WHY_LEAST_COUNT : rule;
}

/* --- events ---------------------------------------------------------------------------------------- */

void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  struct choice *c)
{
	struct recorder *r = a->in->record;

	assign_list(a, mask, c);
	rec_event(r, REC_CHOICE, assign_rule(a, d, mask, c, 0), c->port, a->sw, lid);
	if (assign_counts(a, d, c->port))
		rec_flag(r, REC_COUNTED);
	rec_delta(r, T_ENTRY, a->sw * (a->in->lids->max_lid + 1u) + lid, NO_PATH, c->port);
}

void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			enum why_rule rule)
{
	rec_event(in->record, REC_CHOICE, rule, port, sw, lid);
	rec_delta(in->record, T_ENTRY, sw * (in->lids->max_lid + 1u) + lid, was, port);
}

void assign_record_start(const struct assign *a)
{
	struct recorder *r = a->in->record;
	const struct leftovers *l = a->in->left;

	rec_cells(r, T_COUNT, a->f->n_ports);
	if (!l || !l->count)
		return;
	rec_text(r, REC_NOTE, "routes counted by an engine that refused stay counted");
	for (uint32_t p = 0; p < a->f->n_ports; p++)
		rec_delta(r, T_COUNT, p, 0, l->count[p]);
}

void assign_record_switch(const struct assign *a)
{
	rec_event(a->in->record, REC_TABLE, 0, 0, a->sw, 0);
}

void hops_record_changes(const struct engine_input *in, const struct hops *was, const struct hops *now)
{
	const struct fabric *f = in->topo->fabric;

	rec_text(in->record, REC_NOTE, "switches that share a LID share a column of the hop matrix");
	for (uint32_t d = 0; d < f->n_switches; d++)
		for (uint32_t s = 0; s < f->n_switches; s++)
			for (unsigned p = 0; switch_up(in->topo, s) && p <= f->switch_nports[s]; p++)
				rec_delta(in->record, rec_matrix(in->record),
					  d * f->n_ports + switch_port_id(f, s, p),
					  hops_value(was, in->topo, s, d, p),
					  hops_value(now, in->topo, s, d, p));
}
