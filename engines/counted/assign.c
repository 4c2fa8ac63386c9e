#include "engines/counted/assign.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/mix.h"
#include "core/base/parallel.h"
#include "core/base/release.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>
#include "engines/counted/internal.h"

#define FEW_DESTINATIONS 1000 /* of fewer, all routes are soon counted */

/* Divides the destinations, where their counts are worth keeping; else all are in the first part. */
static void divide(struct assign *a)
{
	const struct leftovers *l = a->in->left;
	bool kept = a->n_dest >= FEW_DESTINATIONS && !(l && l->count);
	uint32_t part = 1; /* the first begins with the first run */

	for (uint32_t i = 0; kept && i < a->n_runs; i++) {
		const struct counted_run *r = &a->run[i];

		while (part < PARTS && r->first >= (uint64_t)a->n_dest * part / PARTS)
			a->part_run[part++] = i;
		a->dealt = mix(mix(a->dealt, r->target), (uint64_t)r->n << 1 | r->counts);
	}
	while (part <= PARTS)
		a->part_run[part++] = a->n_runs;
	for (uint32_t i = 0; kept && i < a->n_dest; i++)
		a->dealt = mix(a->dealt, a->lid[i]);
	for (uint32_t p = 0; kept && a->ignored && p < a->f->n_ports; p++)
		a->dealt = mix(a->dealt, a->ignored[p]);
}

static void assign_start(struct assign *a, struct engine_output *out)
{
	const struct options *op = a->in->options;
	unsigned seed = options_uint(op, "scatter_ports");
	const struct lids *l = a->in->lids;
	struct order o;

	a->lmc = a->in->lids->lmc;
	a->shifting = options_bool(op, "port_shifting");
	a->manual = manual_rules(op);
	a->profile_switches = options_bool(op, "port_profile_switch_nodes");
	a->plain = !a->lmc && !a->shifting && !seed;
	glibc_random_seed(&a->random, seed);
	order_build(a->in, out, &o);
	a->dest = NEW_ARRAY(o.n, struct dest);
	for (uint32_t i = 0; i < o.n; i++) {
		uint32_t ep = o.endport[i];

		if (!l->base[ep])
			continue;
		a->dest[a->n_dest++] = (struct dest){
			.endport = ep,
			.target = a->t->endport_switch[ep],
			.swport = a->t->endport_swport[ep],
			.lid = l->base[ep],
			.count = l->count[ep],
			.is_switch = endport_is_switch(a->f, ep),
			.scatter = o.scatter[i],
		};
	}
	order_free(&o);
	a->lid = NEW_ARRAY(a->n_dest, uint16_t);
	a->run = NEW_ARRAY(a->n_dest, struct counted_run);
	for (uint32_t i = 0; i < a->n_dest; i++) {
		const struct dest *d = &a->dest[i];
		bool counts = a->profile_switches || !d->is_switch;
		struct counted_run *r = a->n_runs ? &a->run[a->n_runs - 1] : NULL;

		a->lid[i] = d->lid;
		if (!r || r->target != d->target || r->counts != counts)
			a->run[a->n_runs++] = (struct counted_run){i, 1, d->target, counts};
		else
			r->n++;
	}
	search_order_read(a->in, out, &a->search);
	a->ignored = ignored_ports_read(a->in, out);
	divide(a);
	for (uint32_t s = 0; a->in->marked && s < a->f->n_switches; s++)
		a->in->marked[s] = switch_up(a->t, s);
}

/* Does each LID have one owner, which rows were filled for? */
static bool owned_once(const struct assign *a)
{
	bool once = true;

	for (uint32_t i = 0; i < a->n_dest; i++)
		for (unsigned off = 0; off < a->dest[i].count; off++)
			once &= lid_owner(a->in->lids, a->dest[i].lid + off) == a->dest[i].endport;
	return once;
}

/* The switches to fill, and for each worker all that it needs to fill one. */
struct assign_filling {
	struct assign *worker;
	const uint8_t *touched, *farther;
	uint32_t from, to;
};

static int fill_switch(void *ctx, unsigned worker, unsigned sw, struct progress *p, struct err *e)
{
	const struct assign_filling *x = ctx;
	struct assign *a = &x->worker[worker];

	(void)p, (void)e;
	if (!switch_up(a->t, sw) || sw < x->from || sw > x->to)
		return 0;
	if (x->touched && !x->touched[sw]) {
		assign_keep_row(a, sw);
		return 0;
	}
	a->farther = x->touched && x->touched[sw] == TOUCHED ? x->farther : NULL;
	assign_switch(a, sw);
	return 0;
}

/* The rows of a switch depend on no other switch, unless random numbers go from one to the next. */
static bool fill_switches(const struct assign *a, struct assign_filling *x, uint32_t *n_other)
{
	bool alone = RECORDED(a->in) || ASKED(a->in) || options_uint(a->in->options, "scatter_ports");
	struct parallel par = {.n = a->f->n_switches,
			       .threads = alone || !a->in->threads ? 1 : a->in->threads,
			       .work = fill_switch,
			       .ctx = x};
	unsigned n = parallel_workers(&par);
	struct err e;
	int rc;

	x->worker = NEW_ARRAY(n, struct assign);
	for (unsigned i = 0; i < n; i++) {
		struct assign *w = &x->worker[i];

		*w = *a;
		w->mask = NEW_ARRAY((size_t)a->f->n_switches * ASSIGN_MAX_WORDS, uint64_t);
		w->track = a->lmc ? NEW_ARRAY((size_t)a->n_dest << a->lmc, struct track) : NULL;
		w->n_track = a->lmc ? NEW_ARRAY(a->n_dest, uint8_t) : NULL;
	}
	rc = parallel_run(&par, "choosing ports", a->in->progress, &e);
	for (unsigned i = 0; i < n; i++) {
		struct assign *w = &x->worker[i];

		*n_other += w->n_other;
		FREE_EACH(w->mask, w->track, w->n_track, w->part);
	}
	free(x->worker);
	return !rc;
}

bool assign_keeps(const struct engine_input *in, const struct routing *old)
{
	const struct lids *a = in->lids, *b = old->lids;
	const struct topo *t = in->topo, *u = old->topo;
	bool same =
		in->current == old && t->fabric == u->fabric && a->max_lid == b->max_lid && a->lmc == b->lmc;

	for (uint32_t ep = 0; same && ep < t->fabric->n_endports; ep++)
		same = !a->base[ep] || (a->base[ep] == b->base[ep] && a->count[ep] == b->count[ep] &&
					t->endport_switch[ep] == u->endport_switch[ep] &&
					t->endport_swport[ep] == u->endport_swport[ep]);
	return same;
}

/* Lists the LIDs that nobody holds any more. */
static void list_gone(struct assign *a)
{
	const struct lids *now = a->in->lids, *was = a->in->current->lids;

	a->gone = NEW_ARRAY(now->max_lid + 1u, uint16_t);
	for (unsigned lid = 1; lid <= now->max_lid; lid++)
		if (lid_owner(was, lid) != NO_ID && lid_owner(now, lid) == NO_ID)
			a->gone[a->n_gone++] = (uint16_t)lid;
}

bool assign_ports(const struct engine_input *in, struct engine_output *out, const struct hops *h, bool dor,
		  const uint8_t *touched, const uint8_t *farther, struct routing *r)
{
	struct assign *a = NEW(struct assign);
	uint32_t asked = ASKED(in) ? in->ask->sw : NO_ID, n_other = 0;
	/* with scatter_ports, random numbers make a switch depend on the switches before it */
	struct assign_filling x = {
		.touched = touched,
		.from = asked == NO_ID || options_uint(in->options, "scatter_ports") ? 0 : asked,
		.to = asked};
	bool go_on;

	a->in = in;
	a->t = in->topo;
	a->f = in->topo->fabric;
	a->h = h;
	a->out = r;
	a->dor = dor;
	assign_start(a, out);
	if (touched)
		list_gone(a);
	rec_phase(in, "choice of ports, switch by switch");
	if (RECORDED(in))
		assign_record_start(a);
	/* where a LID is dealt twice, its entry is not the one that was counted first */
	x.farther = farther && owned_once(a) ? farther : NULL;
	a->far = NEW_ARRAY(a->n_runs + 1, uint32_t);
	for (uint32_t i = 0; x.farther && i < a->n_runs; i++)
		if (a->run[i].target != NO_ID && x.farther[a->run[i].target])
			a->far[a->n_far++] = i;
	go_on = fill_switches(a, &x, &n_other);
	if (ASKED(in)) /* the last switch may be incomplete */
		go_on = go_on && !progress_cancelled(in->progress);
	if (n_other)
		note_add(&out->notes, NOTE_RULES,
			 "%s: LMC: by the manual the next LID of a port prefers another system than the "
			 "LID before; OpenSM prefers one that no LID before has; %u entries "
			 "would differ; rules in force: %s\n",
			 r->engine, n_other, a->manual ? "manual" : "opensm");
	/* entries are ports of least cost, and each counts 1 */
	r->exact = go_on && asked == NO_ID && !h->by_port && !h->weight && owned_once(a) ? h->least : NULL;
	search_order_free(&a->search);
	FREE_EACH(a->dest, a->lid, a->run, a->far, a->gone, a->ignored, a);
	return go_on;
}

struct routing *assign_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct hops *h, bool dor, const uint8_t *touched, const uint8_t *farther)
{
	struct routing *r = routing_new(engine, in->topo, in->lids);

	r->ops = &hops_routing_ops;
	r->priv = h;
	if (assign_ports(in, out, h, dor, touched, farther, r))
		return r;
	err_set(&out->refused, CANCELLED);
	routing_unref(r);
	return NULL;
}
