/*
 * The choice with one LID per port and without port_shifting and scatter_ports: the first of the candidates
 * with the least count. As many LIDs in a row have the same candidates, those of the least count are kept in
 * a queue, and each LID takes the next.
 */
#include <string.h>

#include "core/base/memory.h"
#include "engines/counted/internal.h"

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
	unsigned port;

	if (q->stale)
		queue_least(a);
	port = q->port[q->at];
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
		unsigned only;

		if (r->target == a->sw) {
			attached(a, r);
			continue;
		}
		if (r->target == NO_ID || least[r->target] == NO_PATH)
			continue;
		only = assign_plain_only_port(mask, words);
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

/* May LIDs of a run have lost candidates? */
static bool looked_at(const struct assign *a, const struct counted_run *r)
{
	return r->target != a->sw && r->target != NO_ID && a->farther[r->target];
}

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

/* A row of its own in place of that of `current`. */
static void assign_plain_copy_row(struct assign *a, uint32_t sw)
{
	a->out->row[sw] = lft_row_copy(a->in->current->row[sw]);
	a->row = a->out->row[sw]->port;
	for (uint32_t i = 0; i < a->n_gone; i++)
		a->row[a->gone[i]] = NO_PATH;
}

void assign_keep_row(struct assign *a, uint32_t sw)
{
	for (uint32_t i = 0; i < a->n_gone; i++)
		if (current_port(a->in->current->row[sw], a->gone[i]) != NO_PATH) {
			assign_plain_copy_row(a, sw);
			return;
		}
	routing_share_row(a->out, a->in->current, sw);
}

void assign_repair(struct assign *a)
{
	uint32_t first = 0, last = a->n_far;
	uint64_t mask[ASSIGN_MAX_WORDS];

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

		if (!looked_at(a, r)) {
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
