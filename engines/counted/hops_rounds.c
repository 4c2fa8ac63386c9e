#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>
#include "engines/counted/internal.h"

/*
 * OpenSM 3.3.23's relaxation. Values may exist at the start. m[port id * n + d]; the row of port 0 has the
 * least values.
 */
struct relaxation {
	const struct engine_input *in;
	const struct hops *h;
	uint8_t *m;
	uint32_t n;
	struct recorder *rec; /* NULL = none */
	enum rec_table table; /* table of the recording */
};

/* The index of a cell in the recording. */
static uint32_t hops_rounds_cell(const struct relaxation *r, uint32_t port, uint32_t d)
{
	return d * r->in->topo->fabric->n_ports + port;
}

/*
 * Records the values that a switch takes from the neighbour at a port in a round. Call it before they are
 * stored.
 */
static void record_learn(const struct relaxation *r, uint32_t s, unsigned p, const uint8_t *other, unsigned w,
			 unsigned round)
{
	uint32_t p0 = r->in->topo->fabric->switch_port[s];
	const uint8_t *row = r->m + (size_t)(p0 + p) * r->n, *least = r->m + (size_t)p0 * r->n;
	bool any = false;

	for (uint32_t d = 0; d < r->n; d++) {
		unsigned c = other[d] + w;

		if (c >= row[d])
			continue;
		if (!any)
			rec_event(r->rec, REC_LEARN, 0, p, s, round);
		any = true;
		rec_delta(r->rec, r->table, hops_rounds_cell(r, p0 + p, d), row[d], c);
		if (c < least[d])
			rec_delta(r->rec, r->table, hops_rounds_cell(r, p0, d), least[d], c);
	}
}

static void relax_start(struct relaxation *r)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < r->n; s++) {
		uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;

		if (!switch_up(t, s))
			continue;
		if (r->rec) /* belongs to the phase */
			rec_delta(r->rec, r->table, hops_rounds_cell(r, f->switch_port[s], s), least[s], 0);
		least[s] = 0;
	}
	for (uint32_t s = 0; s < r->n; s++) {
		uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;

		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p), d = t->peer_switch[id];
			uint8_t w = hops_weight(r->h, id);

			if (d == NO_ID)
				continue;
			if (r->rec) {
				rec_event(r->rec, REC_LEARN, 0, p, s, 0);
				rec_delta(r->rec, r->table, hops_rounds_cell(r, id, d),
					  r->m[(size_t)id * r->n + d], w);
				if (w < least[d])
					rec_delta(r->rec, r->table, hops_rounds_cell(r, f->switch_port[s], d),
						  least[d], w);
			}
			r->m[(size_t)id * r->n + d] = w;
			if (w < least[d])
				least[d] = w;
		}
	}
}

/* Relaxes one switch in one round. Returns the number of lowered values. */
static unsigned relax_switch(struct relaxation *r, uint32_t s, unsigned round)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;
	unsigned lowered = 0;

	for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
		uint32_t id = switch_port_id(f, s, p), peer = t->peer_switch[id];
		uint8_t *row = r->m + (size_t)id * r->n, *other;
		unsigned w = hops_weight(r->h, id);

		if (peer == NO_ID)
			continue;
		other = r->m + (size_t)f->switch_port[peer] * r->n;
		if (r->rec)
			record_learn(r, s, p, other, w, round);
		for (uint32_t d = 0; d < r->n; d++) {
			unsigned c = other[d] + w;

			if (c >= row[d])
				continue;
			row[d] = c;
			lowered++;
			if (c < least[d])
				least[d] = c;
		}
	}
	return lowered;
}

static bool relax_rounds(struct relaxation *r)
{
	const struct topo *t = r->in->topo;
	unsigned round = 0, changed = 1;

	rec_phase(r->in, "hop matrix, round 0: own switch and direct neighbours");
	relax_start(r);
	while (changed && round + 1 < t->n_switches_up) {
		changed = 0;
		round++;
		rec_phase(r->in, "hop matrix, round %u", round);
		for (uint32_t s = 0; s < r->n; s++) {
			if (!progress_step(r->in->progress, 0))
				return false;
			changed += relax_switch(r, s, round);
		}
	}
	rec_note(r->in, "hop matrix done after %s", PLURAL(round, "round"));
	return true;
}

bool hops_relax(const struct engine_input *in, struct hops *h)
{
	const struct fabric *f = in->topo->fabric;
	size_t size = (size_t)f->n_ports * f->n_switches;
	struct relaxation r = {.in = in, .h = h, .n = f->n_switches, .rec = in->record};
	bool done;

	r.m = mem_alloc(size);
	if (in->left && in->left->hops)
		memcpy(r.m, in->left->hops, size);
	else
		memset(r.m, NO_PATH, size);
	if (r.rec) {
		r.table = rec_matrix(r.rec);
		rec_cells(r.rec, r.table, size);
	}
	if (r.rec && in->left && in->left->hops) {
		rec_text(r.rec, REC_NOTE, "values that a refused engine left");
		for (uint32_t p = 0; p < f->n_ports; p++)
			for (uint32_t d = 0; d < r.n; d++)
				rec_delta(r.rec, r.table, hops_rounds_cell(&r, p, d), NO_PATH,
					  r.m[(size_t)p * r.n + d]);
	}
	done = relax_rounds(&r);
	for (uint32_t s = 0; done && s < r.n; s++)
		memcpy(h->least + (size_t)s * r.n, r.m + (size_t)f->switch_port[s] * r.n, r.n);
	for (uint32_t s = 0; done && h->by_port && s < r.n; s++)
		FOR_PORTS(f, s, id) {
			for (uint32_t d = 0; d < r.n; d++)
				h->by_port[(size_t)d * h->n_ports + id] = r.m[(size_t)id * r.n + d];
		}
	free(r.m);
	return done;
}
