/*
 * The choice with one LID per port and without port_shifting and scatter_ports: the first of the candidates
 * with the least count. As many LIDs in a row have the same candidates, those of the least count are kept in
 * a queue, and each LID takes the next.
 */
#include <string.h>

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
static inline void take_only(struct assign *a, const struct run *r, unsigned port)
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
static inline void take_next(struct assign *a, const struct run *r)
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
static void keep_or_take(struct assign *a, const struct run *r)
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
static inline unsigned only_port(const uint64_t *mask, unsigned words)
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
static void attached(struct assign *a, const struct run *r)
{
	for (uint32_t i = r->first; i < r->first + r->n; i++) {
		unsigned port = a->dest[i].swport;

		a->row[a->lid[i]] = port;
		a->count[port] += r->counts && !(a->ignore && a->ignore[port]);
	}
	a->queue.stale = true;
}

/* `words` is a constant after inlining. */
static inline void assign_runs(struct assign *a, unsigned words)
{
	const uint8_t *least = a->h->least + (size_t)a->sw * a->h->n_switches;

	a->queue.mask = NULL;
	for (const struct run *r = a->run; r < a->run + a->n_runs; r++) {
		const uint64_t *mask = a->mask + (size_t)r->target * words;
		unsigned only;

		if (r->target == a->sw) {
			attached(a, r);
			continue;
		}
		if (r->target == NO_ID || least[r->target] == NO_PATH)
			continue;
		only = only_port(mask, words);
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
	if (a->words == 1)
		assign_runs(a, 1);
	else
		assign_runs(a, a->words);
}

/* --- a few entries -------------------------------------------------------------------------- */

/* May LIDs of a run have lost candidates? */
static bool looked_at(const struct assign *a, const struct run *r)
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

/* The last run of which a LID cannot keep its entry, or NULL. */
static const struct run *last_changed(const struct assign *a)
{
	for (uint32_t k = a->n_far; k-- > 0;) {
		const struct run *r = &a->run[a->far[k]];

		for (uint32_t i = r->first; r->target != a->sw && i < r->first + r->n; i++) {
			unsigned port = current_port(a->current, a->lid[i]);

			/* what no port leads to has no entry */
			if (!stays_candidate(a, r->target, port) &&
			    (port != NO_PATH || hops_least(a->h, a->sw, r->target) != NO_PATH))
				return r;
		}
	}
	return NULL;
}

/* Counts the entries of a run as they stand. */
static void count_run(struct assign *a, const struct run *r)
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
	const struct run *last = last_changed(a);
	uint64_t mask[ASSIGN_MAX_WORDS];

	if (!last) {
		routing_share_row(a->out, a->in->current, a->sw);
		return;
	}
	a->out->row[a->sw] = lft_row_new(a->in->lids->max_lid);
	a->row = a->out->row[a->sw]->port;
	memcpy(a->row, a->current->port, a->in->lids->max_lid + 1u);
	for (const struct run *r = a->run; r <= last; r++) {
		bool queued = false;

		if (!looked_at(a, r)) {
			if (r->counts)
				count_run(a, r);
			continue;
		}
		for (uint32_t i = r->first; i < r->first + r->n; i++) {
			unsigned lid = a->lid[i], port = a->row[lid];

			if (!stays_candidate(a, r->target, port)) {
				if (!queued) {
					hops_mask(a->h, a->t, a->sw, r->target, mask);
					queue_start(a, mask);
				}
				queued = true;
				queue_least(a);
				port = a->queue.n_cand ? a->queue.port[0] : NO_PATH;
				a->row[lid] = port;
			}
			a->count[port] += r->counts && !(a->ignore && a->ignore[port]);
		}
	}
}
