#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>
#include "engines/counted/internal.h"

struct neighbours neighbours_new(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	struct neighbours g = {NEW_ARRAY(f->n_switches + 1, uint32_t), NEW_ARRAY(f->n_ports, uint32_t)};
	uint32_t *seen = NEW_ARRAY(f->n_switches, uint32_t), n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		FOR_CABLES(t, s, port, r) {
			if (seen[r] == s + 1)
				continue;
			seen[r] = s + 1;
			g.nbr[n++] = r;
		}
		g.off[s + 1] = n;
	}
	free(seen);
	return g;
}

void neighbours_free(struct neighbours *g)
{
	FREE_EACH(g->off, g->nbr);
}

/* Finds the targets that s newly reaches at cost k. Returns their number. */
static unsigned reach_more(const struct neighbours *g, uint32_t s, const uint64_t *now, uint64_t *next,
			   uint32_t words, uint8_t *row, uint8_t k)
{
	unsigned found = 0;

	memset(next, 0, words * sizeof(*next));
	for (uint32_t i = g->off[s]; i < g->off[s + 1]; i++) {
		const uint64_t *other = now + (size_t)g->nbr[i] * words;

		for (uint32_t w = 0; w < words; w++)
			next[w] |= other[w];
	}
	for (uint32_t w = 0; w < words; w++) {
		uint64_t mine = now[(size_t)s * words + w], fresh = next[w] & ~mine;

		next[w] |= mine;
		for (; fresh; fresh &= fresh - 1, found++)
			row[w * 64 + __builtin_ctzll(fresh)] = k;
	}
	return found;
}

/*
 * Breadth-first search from all switches at once, with one bit per target: in round k each switch reaches
 * what its neighbours reached in round k - 1.
 */
bool hops_search(const struct topo *t, struct hops *h, struct progress *progress)
{
	uint32_t n = h->n_switches, words = (n + 63) / 64;
	struct neighbours g = neighbours_new(t);
	uint64_t *now = NEW_ARRAY((size_t)n * words, uint64_t),
		 *next = NEW_ARRAY((size_t)n * words, uint64_t), *swap;
	uint32_t *reached = NEW_ARRAY(n, uint32_t);
	bool more = true, go_on = true;

	for (uint32_t s = 0; s < n; s++) {
		if (!switch_up(t, s))
			continue;
		h->least[(size_t)s * n + s] = 0;
		now[(size_t)s * words + s / 64] |= (uint64_t)1 << (s & 63);
		reached[s] = 1;
	}
	for (unsigned k = 1; k <= MAX_COST && more && (go_on = progress_step(progress, 0)); k++) {
		more = false;
		for (uint32_t s = 0; s < n; s++) {
			uint64_t *to = next + (size_t)s * words;
			unsigned found = 0;

			if (reached[s] < t->n_switches_up)
				found = reach_more(&g, s, now, to, words, h->least + (size_t)s * n, k);
			else
				memcpy(to, now + (size_t)s * words, words * sizeof(*to));
			reached[s] += found;
			more |= found > 0;
		}
		swap = now;
		now = next;
		next = swap;
	}
	FREE_EACH(now, next, reached);
	neighbours_free(&g);
	return go_on;
}

/* --- building: weights ---------------------------------------------------------- */

/* Waiting switches, one list per cost. Entries are not reused within a search. */
struct hops_search_buckets {
	uint32_t head[MAX_COST + 1];
	uint32_t *next, *sw; /* [n_ports + 1] */
	uint32_t n;
};

static void bucket_put(struct hops_search_buckets *b, unsigned cost, uint32_t sw)
{
	b->sw[b->n] = sw;
	b->next[b->n] = b->head[cost];
	b->head[cost] = b->n++;
}

/* Costs from one switch to all others, by Dijkstra's algorithm with one bucket per cost. */
static void hops_search_start(const struct topo *t, const struct hops *h, uint32_t from, uint8_t *row,
			      struct hops_search_buckets *b)
{
	const struct fabric *f = t->fabric;

	memset(b->head, 0xff, sizeof(b->head));
	b->n = 0;
	row[from] = 0;
	bucket_put(b, 0, from);
	for (unsigned cost = 0; cost <= MAX_COST; cost++) {
		while (b->head[cost] != NO_ID) {
			uint32_t e = b->head[cost], s = b->sw[e];

			b->head[cost] = b->next[e];
			if (row[s] != cost)
				continue;
			FOR_PORTS(f, s, id) {
				uint32_t r = t->peer_switch[id];
				unsigned c = cost + h->weight[id];

				if (r == NO_ID || c > MAX_COST || c >= row[r])
					continue;
				row[r] = c;
				bucket_put(b, c, r);
			}
		}
	}
}

bool hops_search_weighted(const struct topo *t, struct hops *h, struct progress *progress)
{
	uint32_t n = h->n_switches;
	struct hops_search_buckets b = {.next = NEW_ARRAY(h->n_ports + 1, uint32_t),
					.sw = NEW_ARRAY(h->n_ports + 1, uint32_t)};
	bool go_on = true;

	for (uint32_t s = 0; s < n && (go_on = progress_step(progress, 0)); s++)
		if (switch_up(t, s))
			hops_search_start(t, h, s, h->least + (size_t)s * n, &b);
	FREE_EACH(b.next, b.sw);
	return go_on;
}
