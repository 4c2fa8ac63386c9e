/* The choice of a port among those of least hops, for each LID of a switch. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "engines/counted/counted.h"
#include "engines/say.h"

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

/* Seeds the generators; tells what of NVIDIA's choices is assumed. */
static void streams_start(struct assign *a, unsigned seed, bool nvidia, struct engine_output *out)
{
	uint32_t threads = (uint32_t)options_uint(a->in->options, "routing_threads_num"),
		 n = a->t->n_switches_up;

	a->n_streams = nvidia && seed ? MAX(1, threads ? MIN(threads, n) : n) : 1;
	a->stream = NEW_ARRAY(a->n_streams, struct glibc_random);
	for (uint32_t i = 0; i < a->n_streams; i++)
		glibc_random_seed(&a->stream[i], seed + i);
	a->random = a->stream;
	if (nvidia && seed && !threads)
		note_add(&out->notes, NOTE_RULES,
			 "%s: routing_threads_num is not known: one thread a switch is assumed (the same as "
			 "any "
			 "larger number); where the manager's machine has fewer processors, other ports may "
			 "be "
			 "drawn; `drift` tries which number fits tables that were read\n",
			 a->out->engine);
	if (nvidia && a->in->current)
		note_add(&out->notes, NOTE_RULES,
			 "%s: which entries NVIDIA's OpenSM keeps after a change is assumed to be as in "
			 "3.3.23\n",
			 a->out->engine);
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
	bool nvidia = nvidia_rules(op), ways = nvidia && a->out->ops != &hops_routing_ops;
	bool of_switches = !nvidia || options_bool(op, "use_scatter_for_switch_lid");
	a->hub = ways && strcmp(a->out->engine, "dnup") ? missing_routes_hub(a->in, out) : NO_ID;
	streams_start(a, seed, nvidia, out);
	order_build(a->in, out, ways, &o);
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
			.scatter = o.scatter[i] && (of_switches || !endport_is_switch(a->f, ep)),
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
	struct hops_marks marks;
	uint32_t from, to;
	bool share; /* rows with `current`, where they come out as they were */
};

/* A row of its own in place of that of `current`. */
static void assign_plain_copy_row(struct assign *a, uint32_t sw)
{
	a->out->row[sw] = lft_row_copy(a->in->current->row[sw]);
	a->row = a->out->row[sw]->port;
	for (uint32_t i = 0; i < a->n_gone; i++)
		a->row[a->gone[i]] = NO_PATH;
}

/* The row of `current`, except for a->gone. */
static void assign_keep_row(struct assign *a, uint32_t sw)
{
	for (uint32_t i = 0; i < a->n_gone; i++)
		if (current_port(a->in->current->row[sw], a->gone[i]) != NO_PATH) {
			assign_plain_copy_row(a, sw);
			return;
		}
	routing_share_row(a->out, a->in->current, sw);
}

uint32_t missing_routes_hub(const struct engine_input *in, struct engine_output *out)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	uint32_t hub = NO_ID;
	struct guid_file g;

	if (!nvidia_rules(in->options) || !options_bool(in->options, "calculate_missing_routes"))
		return NO_ID;
	if (read_guid_option(in, out, "missing_routes_hub", &g)) {
		uint32_t node = g.n ? fabric_node_by_guid(f, g.l[0].guid) : NO_ID;

		guid_file_free(&g);
		hub = node == NO_ID ? NO_ID : f->node_switch[node];
	} else {
		for (uint32_t ep = 0; ep < f->n_endports; ep++)
			if (t->endport_up[ep] && !endport_is_switch(f, ep))
				hub = MIN(hub, t->endport_switch[ep]); /* NO_ID is the largest */
	}
	return hub != NO_ID && switch_up(t, hub) ? hub : NO_ID;
}

/*
 * Sends to the hub what the rule leaves open in a switch's row, which nobody shares.  h: the matrix that
 * tells where the hub has a way; NULL: its row does.  Returns the number of entries.
 */
static uint64_t missing_routes_row(const struct engine_input *in, struct routing *r, uint32_t sw,
				   uint32_t hub, const struct hops *h)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	unsigned way = routing_port(r, sw, in->lids->base[f->port_endport[f->switch_port[hub]]]);
	uint64_t n = 0;

	for (unsigned lid = 1; sw != hub && way != NO_PATH && lid <= in->lids->max_lid; lid++) {
		uint32_t owner = lid_owner(in->lids, lid),
			 to = owner == NO_ID ? NO_ID : t->endport_switch[owner];

		if (to == NO_ID || to == sw || !t->endport_up[owner] || routing_port(r, sw, lid) != NO_PATH ||
		    (h ? hops_least(h, hub, to) : routing_port(r, hub, lid)) == NO_PATH)
			continue;
		assert(atomic_load(&r->row[sw]->refs) == 1);
		r->row[sw]->port[lid] = (uint8_t)way;
		if (RECORDED(in))
			assign_record_read(in, sw, lid, NO_PATH, way, WHY_HUB);
		n++;
	}
	return n;
}

static void missing_routes_tell(const struct engine_input *in, struct engine_output *out,
				const struct routing *r, uint32_t hub, uint64_t n)
{
	bool named = options_file(in->options, "missing_routes_hub");

	if (n)
		note_add(&out->notes, NOTE_RULES,
			 "%s: %" PRIu64
			 " entries that the rule lacks lead through %s, as calculate_missing_routes of "
			 "NVIDIA's OpenSM makes them%s\n",
			 r->engine, n, switch_name(in->topo->fabric, hub),
			 named ? ""
			       : "; which switch it takes is not published, this one is assumed "
				 "(missing_routes_hub)");
}

static int fill_switch(void *ctx, unsigned worker, unsigned sw, struct progress *p, struct err *e)
{
	const struct assign_filling *x = ctx;
	struct assign *a = &x->worker[worker];
	const uint8_t *touched = x->marks.touched;

	(void)p, (void)e;
	if (!switch_up(a->t, sw) || sw < x->from || sw > x->to)
		return 0;
	a->random = &a->stream[a->n_dealt++ % a->n_streams];
	if (touched && !touched[sw]) {
		assign_keep_row(a, sw);
		return 0;
	}
	a->farther = touched && touched[sw] == TOUCHED ? x->marks.farther : NULL;
	assign_switch(a, sw);
	if (a->hub != NO_ID)
		a->n_hub += missing_routes_row(a->in, a->out, sw, a->hub, a->h);
	if (x->share)
		routing_share_equal_row(a->out, a->in->current, sw);
	return 0;
}

/* The rows of a switch depend on no other switch, unless random numbers go from one to the next. */
static bool fill_switches(struct assign *a, struct assign_filling *x)
{
	bool alone = RECORDED(a->in) || ASKED(a->in) || options_uint(a->in->options, "scatter_ports");
	struct parallel par = {.n = a->f->n_switches,
			       .threads = alone || !a->in->threads ? 1 : a->in->threads,
			       .work = fill_switch,
			       .ctx = x};
	unsigned n = parallel_workers(&par);
	struct err e;

	x->worker = NEW_ARRAY(n, struct assign);
	for (unsigned i = 0; i < n; i++) {
		struct assign *w = &x->worker[i];

		*w = *a;
		w->mask = NEW_ARRAY((size_t)a->f->n_switches * ASSIGN_MAX_WORDS, uint64_t);
		w->track = a->lmc ? NEW_ARRAY((size_t)a->n_dest << a->lmc, struct track) : NULL;
		w->n_track = a->lmc ? NEW_ARRAY(a->n_dest, uint8_t) : NULL;
	}
	int rc = parallel_run(&par, "choosing ports", a->in->progress, &e);
	for (unsigned i = 0; i < n; i++) {
		struct assign *w = &x->worker[i];

		a->n_other += w->n_other;
		a->n_hub += w->n_hub;
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
	/* of a LID that two had, the entry was that of the last */
	for (uint32_t ep = 0; same && ep < t->fabric->n_endports; ep++)
		for (unsigned off = 0; b->base[ep] && off < b->count[ep]; off++)
			same &= lid_owner(b, b->base[ep] + off) == ep;
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
		  struct hops_marks marks, struct routing *r)
{
	struct assign *a = NEW(struct assign);
	uint32_t asked = ASKED(in) ? in->ask->sw : NO_ID;
	/* with scatter_ports, random numbers make a switch depend on the switches before it */
	struct assign_filling x = {
		.marks = marks,
		.from = asked == NO_ID || options_uint(in->options, "scatter_ports") ? 0 : asked,
		.to = asked,
		.share = in->current && nvidia_rules(in->options)};

	assert(h->n_switches == in->topo->fabric->n_switches && (!marks.touched || in->current));
	a->in = in;
	a->t = in->topo;
	a->f = in->topo->fabric;
	a->h = h;
	a->out = r;
	a->dor = dor;
	assign_start(a, out);
	if (marks.touched)
		list_gone(a);
	rec_phase(in, "choice of ports, switch by switch");
	if (RECORDED(in))
		assign_record_start(a);
	/* where a LID is dealt twice, its entry is not the one that was counted first */
	if (marks.farther && !owned_once(a))
		x.marks.farther = NULL;
	a->far = NEW_ARRAY(a->n_runs + 1, uint32_t);
	for (uint32_t i = 0; x.marks.farther && i < a->n_runs; i++)
		if (a->run[i].target != NO_ID && x.marks.farther[a->run[i].target])
			a->far[a->n_far++] = i;
	bool go_on = fill_switches(a, &x);
	if (ASKED(in)) /* the last switch may be incomplete */
		go_on = go_on && !progress_cancelled(in->progress);
	missing_routes_tell(in, out, r, a->hub, a->n_hub);
	if (a->n_other)
		note_add(&out->notes, NOTE_RULES,
			 "%s: LMC: by the manual the next LID of a port prefers another system than the "
			 "LID before; OpenSM prefers one that no LID before has; %u entries "
			 "would differ; rules in force: %s\n",
			 r->engine, a->n_other, a->manual ? "manual" : "opensm");
	/* entries are ports of least cost, and each counts 1 */
	r->exact = go_on && asked == NO_ID && !h->by_port && !h->weight && !a->n_hub && owned_once(a)
			   ? h->least
			   : NULL;
	search_order_free(&a->search);
	FREE_EACH(a->dest, a->lid, a->run, a->far, a->gone, a->ignored, a->stream, a);
	return go_on;
}

bool missing_routes_fill(const struct engine_input *in, struct engine_output *out, struct routing *r)
{
	uint32_t hub = missing_routes_hub(in, out), n = in->topo->fabric->n_switches;
	uint64_t filled = 0;

	if (hub == NO_ID)
		return true;
	progress_start(in->progress, "ways through the hub", n);
	for (uint32_t sw = 0; sw < n; sw++) {
		if (!progress_step(in->progress, sw))
			return false;
		filled += missing_routes_row(in, r, sw, hub, NULL);
	}
	missing_routes_tell(in, out, r, hub, filled);
	return true;
}

struct routing *assign_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct hops *h, bool dor, struct hops_marks marks)
{
	struct routing *r = routing_new(engine, in->topo, in->lids);

	assert(h->n_ports == in->topo->fabric->n_ports);
	r->ops = &hops_routing_ops;
	r->priv = h;
	if (assign_ports(in, out, h, dor, marks, r))
		return r;
	err_set(&out->refused, CANCELLED);
	routing_unref(r);
	return NULL;
}

/* The choice with one LID per port and without port_shifting and scatter_ports: the first of the candidates
 * with the least count. As many LIDs in a row have the same candidates, those of the least count are kept in
 * a queue, and each LID takes the next. */

/* Queues the candidates of the least count anew. */
static void queue_least(struct assign *a)
{
	struct queue *q = &a->queue;

	q->level = q->above = UINT32_MAX;
	q->n = q->at = 0;
	for (unsigned i = 0; i < q->n_cand; i++) {
		uint32_t c = a->count[q->cand[i]];

		if (c < q->level) {
			q->above = q->level;
			q->level = c;
			q->n = 0;
		} else if (c > q->level && c < q->above) {
			q->above = c;
		}
		if (c == q->level)
			q->port[q->n++] = q->cand[i];
	}
	q->stale = false;
}

static void queue_start(struct assign *a, const uint64_t *mask)
{
	struct queue *q = &a->queue;

	q->n_cand = 0;
	if (a->order || a->dor) {
		q->n_cand = assign_list_candidates(a, mask, 1);
		for (unsigned i = 0; i < q->n_cand; i++)
			q->cand[i] = a->cand[i].port;
	} else {
		for (unsigned w = 0; w < a->words; w++)
			for (uint64_t m = mask[w]; m; m &= m - 1)
				q->cand[q->n_cand++] = w * 64 + __builtin_ctzll(m);
	}
	q->mask = mask;
	queue_least(a);
}

/* All ports of the queue were taken once. */
static inline void queue_again(struct assign *a)
{
	a->queue.at = 0;
	if (++a->queue.level == a->queue.above)
		queue_least(a);
}

static inline bool same_mask(const struct assign *a, const uint64_t *mask, unsigned words)
{
	bool same = a->queue.mask != NULL;

	for (unsigned w = 0; same && w < words; w++)
		same = a->queue.mask[w] == mask[w];
	return same;
}

/* All of a run take one port. */
static inline void take_only(struct assign *a, const struct counted_run *r, unsigned port)
{
	const uint16_t *lid = a->lid + r->first;
	uint8_t *restrict row = a->row;

	for (uint32_t i = 0; i < r->n; i++)
		row[lid[i]] = port;
	if (!r->counts || (a->ignore && a->ignore[port]))
		return;
	a->count[port] += r->n;
	a->queue.stale |= a->queue.mask && mask_has(a->queue.mask, port);
}

/* All of a run take the next ports, and each counts. */
static inline void take_next(struct assign *a, const struct counted_run *r)
{
	struct queue *q = &a->queue;
	const uint16_t *lid = a->lid + r->first;
	uint8_t *restrict row = a->row;
	uint32_t n = r->n;

	while (n) {
		const uint8_t *port = q->port + q->at;
		unsigned m = n < q->n - q->at ? n : q->n - q->at;

		for (unsigned i = 0; i < m; i++) {
			row[lid[i]] = port[i];
			a->count[port[i]]++;
		}
		lid += m;
		n -= m;
		q->at += m;
		if (q->at == q->n)
			queue_again(a);
	}
}

/* One LID takes the next port; does it count? */
static void take_one(struct assign *a, unsigned lid, bool counts)
{
	struct queue *q = &a->queue;

	if (q->stale)
		queue_least(a);
	unsigned port = q->port[q->at];
	a->row[lid] = port;
	if (!counts || (a->ignore && a->ignore[port]))
		return;
	a->count[port]++;
	if (++q->at == q->n)
		queue_again(a);
}

/* LIDs keep the entries of the switch's table that are candidates. */
static void keep_or_take(struct assign *a, const struct counted_run *r)
{
	for (uint32_t i = r->first; i < r->first + r->n; i++) {
		unsigned lid = a->lid[i], port = current_port(a->current, lid);

		if (port >= a->num_ports || !mask_has(a->queue.mask, port)) {
			take_one(a, lid, r->counts);
			continue;
		}
		a->row[lid] = port;
		if (r->counts && !(a->ignore && a->ignore[port])) {
			a->count[port]++;
			a->queue.stale = true;
		}
	}
}

/* The only candidate of a mask; 0 = there are several, or none. */
static inline unsigned assign_plain_only_port(const uint64_t *mask, unsigned words)
{
	unsigned port = 0;

	for (unsigned w = 0; w < words; w++) {
		if (!mask[w])
			continue;
		if (port || mask[w] & (mask[w] - 1))
			return 0;
		port = 64 * w + __builtin_ctzll(mask[w]);
	}
	return port;
}

/* LIDs of the switch itself, and of what is attached to it. */
static void attached(struct assign *a, const struct counted_run *r)
{
	for (uint32_t i = r->first; i < r->first + r->n; i++) {
		unsigned port = a->dest[i].swport;

		a->row[a->lid[i]] = port;
		a->count[port] += r->counts && !(a->ignore && a->ignore[port]);
	}
	a->queue.stale = true;
}

static size_t part_counts_size(unsigned ports)
{
	return sizeof(struct part_counts) + (size_t)(PARTS - 1) * ports * sizeof(uint16_t);
}

/* Keeps the counts before a part. */
static void keep_counts(struct assign *a, unsigned part)
{
	struct lft_row *row = a->out->row[a->sw];
	struct part_counts *k = row->kept;

	assert(part && part < PARTS && a->dealt);
	if (!k) {
		row->kept = k = mem_resize(NULL, 1, part_counts_size(a->num_ports));
		*k = (struct part_counts){.dealt = a->dealt, .ports = a->num_ports};
	}
	for (unsigned p = 0; p < a->num_ports; p++)
		k->count[(part - 1) * k->ports + p] = (uint16_t)a->count[p];
}

/* Runs of a part. `words` is a constant after inlining. */
static inline void assign_runs(struct assign *a, unsigned part, unsigned words)
{
	const uint8_t *least = a->h->least + (size_t)a->sw * a->h->n_switches;
	const struct counted_run *end = a->run + a->part_run[part + 1];

	for (const struct counted_run *r = a->run + a->part_run[part]; r < end; r++) {
		const uint64_t *mask = a->mask + (size_t)r->target * words;

		if (r->target == a->sw) {
			attached(a, r);
			continue;
		}
		if (r->target == NO_ID || least[r->target] == NO_PATH)
			continue;
		unsigned only = assign_plain_only_port(mask, words);
		if (!only && !same_mask(a, mask, words))
			queue_start(a, mask);
		if (only)
			take_only(a, r, only);
		else if (!a->queue.n_cand)
			continue;
		else if (a->current)
			keep_or_take(a, r);
		else if (a->queue.n_cand == 1)
			take_only(a, r, a->queue.cand[0]);
		else if (r->counts && !a->ignore && !a->queue.stale)
			take_next(a, r);
		else
			for (uint32_t i = r->first; i < r->first + r->n; i++)
				take_one(a, a->lid[i], r->counts);
	}
}

void assign_plain(struct assign *a)
{
	assert(a->plain && !a->asked && !RECORDED(a->in));
	a->queue.mask = NULL;
	for (unsigned part = 0; part < PARTS; part++) {
		if (part && a->dealt)
			keep_counts(a, part);
		if (a->words == 1)
			assign_runs(a, part, 1);
		else
			assign_runs(a, part, a->words);
	}
}

/* --- a few entries -------------------------------------------------------------------------- */

/* Is a port among those of least cost? */
static bool stays_candidate(const struct assign *a, uint32_t target, unsigned port)
{
	unsigned least = hops_least(a->h, a->sw, target);

	return least != NO_PATH && port && port < a->num_ports && a->t->peer_switch[a->p0 + port] != NO_ID &&
	       hops_value(a->h, a->t, a->sw, target, port) == least;
}

/* Must a LID of the run have another entry? */
static bool must_change(const struct assign *a, const struct counted_run *r)
{
	for (uint32_t i = r->first; r->target != a->sw && i < r->first + r->n; i++) {
		unsigned port = current_port(a->current, a->lid[i]);

		/* what no port leads to has no entry */
		if (!stays_candidate(a, r->target, port) &&
		    (port != NO_PATH || hops_least(a->h, a->sw, r->target) != NO_PATH))
			return true;
	}
	return false;
}

/* Takes over the counts that the row kept before run `first`. Returns the run from which on to count. */
static uint32_t take_counts(struct assign *a, uint32_t first)
{
	const struct part_counts *k = a->current->kept;
	unsigned part = PARTS - 1;

	if (!k || !a->dealt || k->dealt != a->dealt)
		return 0;
	while (part && a->part_run[part] > first)
		part--;
	for (unsigned p = 0; part && p < k->ports; p++)
		a->count[p] = k->count[(part - 1) * k->ports + p];
	a->out->row[a->sw]->kept = mem_dup(k, part_counts_size(k->ports));
	return a->part_run[part];
}

/* A LID of the run has another port: the parts behind it count otherwise. */
static void move_counts(const struct assign *a, const struct counted_run *r, unsigned was, unsigned now)
{
	struct part_counts *k = a->out->row[a->sw]->kept;

	for (unsigned part = PARTS - 1; k && r->counts && a->part_run[part] > (uint32_t)(r - a->run);
	     part--) {
		uint16_t *count = k->count + (size_t)(part - 1) * k->ports;

		if (was < k->ports)
			count[was] -= !(a->ignore && a->ignore[was]);
		if (now < k->ports)
			count[now] += !(a->ignore && a->ignore[now]);
	}
}

/* Counts the entries of a run as they stand. */
static void count_run(struct assign *a, const struct counted_run *r)
{
	const uint16_t *lid = a->lid + r->first, *end = lid + r->n;
	const uint8_t *row = a->row;
	uint32_t *restrict count = a->count;

	if (!a->ignore)
		for (; lid < end; lid++)
			count[row[*lid]]++;
	for (; lid < end; lid++)
		count[row[*lid]] += !a->ignore[row[*lid]];
}

void assign_repair(struct assign *a)
{
	uint32_t first = 0, last = a->n_far;
	uint64_t mask[ASSIGN_MAX_WORDS];

	assert(a->plain && a->farther && a->current);
	while (first < last && !must_change(a, &a->run[a->far[first]]))
		first++;
	if (first == last) {
		assign_keep_row(a, a->sw);
		return;
	}
	while (!must_change(a, &a->run[a->far[last - 1]]))
		last--;
	assign_plain_copy_row(a, a->sw);
	for (const struct counted_run *r = a->run + take_counts(a, a->far[first]);
	     r <= a->run + a->far[last - 1]; r++) {
		bool queued = false;

		/* no LID of the run can have lost candidates */
		if (r->target == a->sw || r->target == NO_ID || !a->farther[r->target]) {
			if (r->counts)
				count_run(a, r);
			continue;
		}
		for (uint32_t i = r->first; i < r->first + r->n; i++) {
			unsigned lid = a->lid[i], port = a->row[lid], was = port;

			if (!stays_candidate(a, r->target, port)) {
				if (!queued) {
					hops_mask(a->h, a->t, a->sw, r->target, mask);
					queue_start(a, mask);
				}
				queued = true;
				queue_least(a);
				port = a->queue.n_cand ? a->queue.port[0] : NO_PATH;
				a->row[lid] = port;
				move_counts(a, r, was, port);
			}
			a->count[port] += r->counts && !(a->ignore && a->ignore[port]);
		}
	}
}
