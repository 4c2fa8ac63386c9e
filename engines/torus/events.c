/* What a run of torus-2QoS records. */
#include "engines/torus/internal.h"

void torus_record_start(struct torus_run *r)
{
	rec_keep(r->in->record, torus_ref(r->t), torus_let_go);
}

void torus_record_seed(struct torus_run *r, unsigned seed, bool usable, uint64_t missing)
{
	rec_event(r->in->record, REC_SEED, !usable, 0, seed, 0);
	if (usable)
		return;
	rec_extra(r->in->record, (uint32_t)(missing >> 32));
	rec_extra(r->in->record, (uint32_t)missing);
}

void torus_record_cell(struct torus_run *r, uint32_t place, enum torus_cell what, uint32_t word,
		       const uint32_t *asked, unsigned n)
{
	rec_event(r->in->record, REC_CELL, what, 0, place, 0);
	rec_extra(r->in->record, word);
	for (unsigned i = 0; i < n; i++)
		rec_extra(r->in->record, asked[i]);
}

void torus_record_place(struct torus_run *r, uint32_t place, uint32_t sw, enum torus_how how,
			const uint32_t *found, unsigned n)
{
	rec_cells(r->in->record, T_PLACE, r->t->n_places);
	rec_event(r->in->record, REC_PLACE, how, 0, sw, 0);
	rec_delta(r->in->record, T_PLACE, place, NO_ID, sw);
	for (unsigned i = 0; i < n; i++)
		rec_extra(r->in->record, found[i]);
}

void torus_record_link(struct torus_run *r, uint32_t port, uint32_t peer, unsigned d, uint32_t lower,
		       uint32_t upper, unsigned number)
{
	struct recorder *k = r->in->record;

	rec_event(k, REC_LINK, 0, r->in->topo->fabric->port_num[port], r->t->member[lower].sw, 0);
	rec_extra(k, peer);
	rec_extra(k, d);
	rec_extra(k, lower);
	rec_extra(k, upper);
	rec_extra(k, number);
}

void torus_record_ends(struct torus_run *r, uint32_t member)
{
	rec_event(r->in->record, REC_ENDS, 0, 0, r->t->member[member].sw, 0);
	rec_extra(r->in->record, member);
}

void torus_record_line(struct torus_run *r, const unsigned c[TORUS_DIMS], unsigned d, bool gap)
{
	const struct torus *t = r->t;
	unsigned at[TORUS_DIMS] = {c[0], c[1], c[2]};
	uint32_t m = NO_ID;

	if (t->conf.radix[d] < 2)
		return;
	for (at[d] = 0; at[d] < t->conf.radix[d] && m == NO_ID; at[d]++)
		m = torus_at(t, at);
	if (m == NO_ID)
		return;
	rec_event(r->in->record, REC_RING,
		  t->conf.open[d] ? TORUS_OPEN
		  : gap		  ? TORUS_BROKEN
				  : TORUS_WHOLE,
		  d, t->member[m].sw, 0);
	rec_extra(r->in->record, torus_place(t, c));
}

void torus_record_span(struct torus_run *r, uint32_t reached)
{
	rec_event(r->in->record, REC_SPAN, 0, 0, r->t->member[r->t->root].sw, 0);
	rec_extra(r->in->record, reached);
}

void torus_record_hop(struct torus_run *r, uint32_t a, uint32_t b, const struct torus_step *s)
{
	const struct torus *t = r->t;

	if (rec_wants(r->in->record, REC_HOP, t->member[a].sw, 0))
		rec_event(r->in->record, REC_HOP, torus_rule(s), 0, t->member[a].sw, t->member[b].sw);
}

void torus_record_choice(const struct torus_dealt *x, unsigned lid, unsigned port)
{
	struct recorder *k = x->run->in->record;
	uint32_t sw = x->run->t->member[x->a].sw;

	rec_event(k, REC_CHOICE,
		  x->step ? torus_rule(x->step)
		  : port  ? WHY_ATTACHED
			  : WHY_OWN_LID,
		  port, sw, lid);
	rec_delta(k, T_ENTRY, sw * (x->run->in->lids->max_lid + 1u) + lid, NO_PATH, port);
	if (x->links < 2)
		return;
	rec_extra(k, x->links);
	rec_extra(k, x->used);
}

void torus_record_row(struct torus_run *r, uint32_t a)
{
	rec_event(r->in->record, REC_TABLE, 0, 0, r->t->member[a].sw, 0);
}
