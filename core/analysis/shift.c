#include "core/analysis/shift.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>

static int by_lid(const void *x, const void *y, void *ctx)
{
	const struct lids *l = ctx;
	uint32_t a = l->base[*(const uint32_t *)x], b = l->base[*(const uint32_t *)y];

	return a < b ? -1 : a > b;
}

/*
 * Of an engine's order only hosts that count: others have no place, and in a scope, which is filled by its
 * own hosts, missing nodes have none either.
 */
static uint32_t *counting_places(const struct routing *r, uint32_t *order, uint32_t *n)
{
	bool narrowed = r->hosts && r->hosts->narrowed;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++)
		if (order[i] == NO_ID ? !narrowed : routing_counts(r, order[i]))
			order[kept++] = order[i];
	*n = kept;
	return order;
}

uint32_t *shift_order(const struct routing *r, uint32_t *n)
{
	const struct topo *t = r->topo;
	uint32_t *order;

	if (r->ops->order)
		return counting_places(r, r->ops->order(r, n), n);
	order = NEW_ARRAY(t->fabric->n_endports + 1, uint32_t);
	*n = 0;
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (routing_has_host(r, ep) && r->lids->base[ep])
			order[(*n)++] = ep;
	qsort_r(order, *n, sizeof(*order), by_lid, (void *)r->lids);
	return order;
}

struct work {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	const uint32_t *order;
	uint32_t n;
	uint32_t *flows, *epoch; /* [n_ports] flows of the shift number epoch */
};

static void count(struct work *w, uint32_t port, struct shift_load *l)
{
	if (w->epoch[port] != l->shift) {
		w->epoch[port] = l->shift;
		w->flows[port] = 0;
	}
	if (++w->flows[port] > l->max) {
		l->max = w->flows[port];
		l->port = port;
	}
}

/* Does the way lead to the endport?  A loop ends when more switches were passed than there are. */
static bool arrives(const struct work *w, uint32_t sw, uint32_t dst)
{
	unsigned lid = w->r->lids->base[dst];

	for (uint32_t i = 0; i <= w->f->n_switches; i++) {
		unsigned port = routing_next_port(w->r, sw, lid);
		uint32_t q;

		if (!port || port > w->f->switch_nports[sw])
			return false;
		q = w->t->peer[switch_port_id(w->f, sw, port)];
		if (q == NO_ID)
			return false;
		if (q == w->f->endport_port[dst])
			return true;
		sw = w->f->node_switch[w->f->port_node[q]];
		if (sw == NO_ID)
			return false;
	}
	return false;
}

/* One flow, counted on all links that it takes. */
static void add_flow(struct work *w, uint32_t src, uint32_t dst, struct shift_load *l)
{
	unsigned lid = w->r->lids->base[dst];
	uint32_t sw = w->t->endport_switch[src], q = w->f->endport_port[src];

	if (!arrives(w, sw, dst)) {
		l->lost++;
		return;
	}
	l->flows++;
	for (count(w, q, l); q != w->f->endport_port[dst]; sw = w->f->node_switch[w->f->port_node[q]]) {
		uint32_t port = switch_port_id(w->f, sw, routing_next_port(w->r, sw, lid));

		count(w, port, l);
		q = w->t->peer[port];
	}
}

static void run_shift(struct work *w, struct shift_load *l)
{
	l->port = NO_ID;
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t k = i + l->shift < w->n ? i + l->shift : i + l->shift - w->n;

		if (w->order[i] != NO_ID && w->order[k] != NO_ID)
			add_flow(w, w->order[i], w->order[k], l);
	}
}

static void sum_up(struct shifts *s)
{
	uint64_t sum = 0;

	s->worst = s->n ? 0 : NO_ID;
	for (uint32_t i = 0; i < s->n; i++) {
		sum += s->load[i].max;
		s->free += s->load[i].max <= 1;
		if (s->load[i].max > s->load[s->worst].max)
			s->worst = i;
	}
	s->mean = s->n ? (double)sum / s->n : 0;
}

/* Flows of so many shifts. */
#define SHIFT_FLOWS 20000000u

uint32_t shift_sample(const struct routing *r)
{
	uint32_t n;

	free(shift_order(r, &n));
	if ((uint64_t)n * n <= SHIFT_FLOWS)
		return 0;
	return SHIFT_FLOWS / n ? SHIFT_FLOWS / n : 1;
}

struct shifts *shifts_new(const struct routing *r, uint32_t sample, struct progress *p)
{
	struct shifts *s = NEW(struct shifts);
	uint32_t n, *order = shift_order(r, &n), all = n ? n - 1 : 0;
	uint32_t n_ports = r->topo->fabric->n_ports;
	struct work w = {.r = r,
			 .t = r->topo,
			 .f = r->topo->fabric,
			 .order = order,
			 .n = n,
			 .flows = NEW_ARRAY(n_ports, uint32_t),
			 .epoch = NEW_ARRAY(n_ports, uint32_t)};
	bool go_on = true;

	s->n_places = n;
	for (uint32_t i = 0; i < n; i++)
		s->n_missing += order[i] == NO_ID;
	s->by_engine = r->ops->order != NULL;
	s->n = sample && sample < all ? sample : all;
	s->load = NEW_ARRAY(s->n + 1, struct shift_load);
	progress_start(p, "shifts", s->n);
	for (uint32_t i = 0; i < s->n && go_on; i++) {
		s->load[i].shift = 1 + (uint32_t)((uint64_t)i * all / s->n);
		run_shift(&w, &s->load[i]);
		go_on = progress_step(p, i);
	}
	free(order);
	free(w.flows);
	free(w.epoch);
	sum_up(s);
	if (go_on)
		return s;
	shifts_free(s);
	return NULL;
}

void shifts_free(struct shifts *s)
{
	if (s)
		free(s->load);
	free(s);
}
