#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>
#include "engines/hops_parts.h"

/*
 * The relaxation as OpenSM 3.3.23 does it, from values that may be there
 * already.  m[port id * n + d]; the row of port 0 is the least.
 */
struct relaxation {
	const struct engine_input *in;
	const struct hops *h;
	uint8_t *m;
	uint32_t n;
};

static void relax_start(struct relaxation *r)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < r->n; s++) {
		uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;

		if (!switch_up(t, s))
			continue;
		least[s] = 0;
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p), d = t->peer_switch[id];
			uint8_t w = hops_weight(r->h, id);

			if (d == NO_ID)
				continue;
			r->m[(size_t)id * r->n + d] = w;
			if (w < least[d])
				least[d] = w;
		}
	}
}

/* One switch in one round; returns the number of values lowered. */
static unsigned relax_switch(struct relaxation *r, uint32_t s)
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

	observe_text(r->in, STEP_PHASE, NO_ID, "hop matrix, round 0: own switch and direct neighbours");
	relax_start(r);
	while (changed && round + 1 < t->n_switches_up) {
		changed = 0;
		round++;
		observe_text(r->in, STEP_PHASE, NO_ID, "hop matrix, round %u", round);
		for (uint32_t s = 0; s < r->n; s++) {
			unsigned lowered;

			if (!progress_step(r->in->progress, 0))
				return false;
			lowered = relax_switch(r, s);
			changed += lowered;
			if (lowered && OBSERVED(r->in))
				observe_text(r->in, STEP_SWITCH, s, "%s lowered",
					     PLURAL(lowered, "hop count"));
		}
	}
	observe_text(r->in, STEP_NOTE, NO_ID, "hop matrix done after %s", PLURAL(round, "round"));
	return true;
}

/* least and, when `full`, every port's value out of the relaxation's rows. */
static void relax_result(const struct relaxation *r, const struct fabric *f, struct hops *h)
{
	for (uint32_t s = 0; s < r->n; s++)
		memcpy(h->least + (size_t)s * r->n, r->m + (size_t)f->switch_port[s] * r->n, r->n);
	for (uint32_t s = 0; h->by_port && s < r->n; s++)
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p);

			for (uint32_t d = 0; d < r->n; d++)
				h->by_port[(size_t)d * h->n_ports + id] = r->m[(size_t)id * r->n + d];
		}
}

bool hops_relax(const struct engine_input *in, struct hops *h)
{
	const struct fabric *f = in->topo->fabric;
	size_t size = (size_t)f->n_ports * f->n_switches;
	struct relaxation r = {.in = in, .h = h, .n = f->n_switches};
	bool done;

	r.m = mem_alloc(size);
	if (in->left && in->left->hops)
		memcpy(r.m, in->left->hops, size);
	else
		memset(r.m, NO_PATH, size);
	done = relax_rounds(&r);
	if (done)
		relax_result(&r, f, h);
	free(r.m);
	return done;
}
