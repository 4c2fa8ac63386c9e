/* What Up/Down and Down/Up record in addition to the choice of ports. */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/updown/internal.h"

void updown_record_verdict(const struct engine_input *in, uint32_t sw, enum root_verdict v)
{
	struct recorder *r = in->record;

	rec_cells(r, T_ROOT, in->topo->fabric->n_switches);
	rec_event(r, REC_VERDICT, v, 0, sw, 0);
	rec_delta(r, T_ROOT, sw, 0, v + 1u);
}

void updown_record_roots(const struct engine_input *in, const uint32_t *sw, uint32_t n)
{
	rec_cells(in->record, T_RANK, in->topo->fabric->n_switches);
	for (uint32_t i = 0; i < n; i++) {
		rec_event(in->record, REC_RANK, 0, 0, sw[i], NO_ID);
		rec_delta(in->record, T_RANK, sw[i], NO_RANK, 0);
	}
}

void updown_record_rank(const struct engine_input *in, uint32_t sw, uint32_t from, uint32_t rank)
{
	rec_event(in->record, REC_RANK, 0, 0, sw, from);
	rec_delta(in->record, T_RANK, sw, NO_RANK, rank);
}

/* --- rules of shortest ways -------------------------------------------------------------------------- */

/* What ways_measure() finds for each target. */
struct updown_events_measured {
	struct ways *n;
	uint16_t *dist, *legal; /* [target x switch], [target x switch x 2] */
};

static unsigned amended(void *ctx, const struct rec_event *ev)
{
	const struct updown_events_measured *m = ctx;
	struct ways n = *m->n;
	size_t size = n.in->topo->fabric->n_switches;
	uint32_t ep = lid_owner(n.in->lids, ev->b);

	n.target = ep == NO_ID ? NO_ID : n.in->topo->endport_switch[ep];
	if (n.target == NO_ID || n.target == ev->a)
		return ev->rule;
	n.dist = m->dist + n.target * size;
	n.legal = m->legal + 2 * n.target * size;
	return way_rule(&n, ev->a, ev->port, ev->rule);
}

void updown_amend_rules(struct ways *n)
{
	size_t size = n->in->topo->fabric->n_switches;
	struct updown_events_measured m = {.n = n,
					   .dist = NEW_ARRAY(size * size, uint16_t),
					   .legal = NEW_ARRAY(2 * size * size, uint16_t)};

	for (uint32_t t = 0; t < size && !progress_cancelled(n->in->progress); t++) {
		if (!switch_up(n->in->topo, t))
			continue;
		ways_measure(n, t);
		memcpy(m.dist + t * size, n->dist, size * sizeof(*n->dist));
		memcpy(m.legal + 2 * t * size, n->legal, 2 * size * sizeof(*n->legal));
	}
	rec_amend(n->in->record, amended, &m, n->in->progress);
	FREE_EACH(m.dist, m.legal);
}

/* --- data that no step changes ----------------------------------------------------------------------- */

struct updown *updown_frame(const struct updown *u, uint32_t n)
{
	struct updown *c = NEW(struct updown);

	c->rank = NEW_ARRAY(n, uint32_t);
	memset(c->rank, 0xff, n * sizeof(*c->rank));
	c->id = u->id ? mem_dup(u->id, n * sizeof(*u->id)) : NULL;
	if (!u->search)
		return c;
	c->search = mem_dup(u->search, sizeof(*u->search));
	topo_ref(c->search->topo);
	c->search->bar = mem_dup(u->search->bar, (size_t)n * ROOT_BARS * sizeof(*u->search->bar));
	return c;
}

void updown_record_keep(const struct engine_input *in, const struct updown *u)
{
	rec_keep(in->record, updown_frame(u, in->topo->fabric->n_switches), updown_free);
}
