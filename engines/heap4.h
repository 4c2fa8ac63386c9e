/*
 * OpenSM's heap with four children per node, move for move. Its shape decides which of several equal keys
 * comes first, and that decides between routes (engines/doc/dfsssp.md 5.2, engines/doc/nue.md 8).
 *
 * An item is key << 32 | thing, and each thing is in the heap at most once. Four sentinels
 * (UINT64_MAX) stand behind the last item, so that four children can always be read.
 */
#ifndef IBSCOPE_HEAP4_H
#define IBSCOPE_HEAP4_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"

#define HEAP4_SENTINELS 4

struct heap4 {
	uint64_t *item; /* [things + sentinels] */
	uint32_t *at;	/* [things] place of a thing that is in the heap */
	uint32_t n;
};

/* An empty heap for things 0 .. n - 1. */
static inline struct heap4 heap4_new(uint32_t n)
{
	struct heap4 h = {.item = NEW_ARRAY((size_t)n + HEAP4_SENTINELS, uint64_t),
			  .at = NEW_ARRAY(n, uint32_t)};

	assert(n < 1u << 30);
	memset(h.item, 0xff, ((size_t)n + HEAP4_SENTINELS) * sizeof(*h.item)); /* UINT64_MAX */
	return h;
}

static inline void heap4_free(struct heap4 *h)
{
	free(h->item);
	free(h->at);
}

static inline uint64_t heap4_item(uint64_t key, uint32_t thing)
{
	return key << 32 | thing;
}

static inline uint32_t heap4_key(uint64_t item)
{
	return (uint32_t)(item >> 32);
}

static inline void heap4_put(struct heap4 *h, uint32_t at, uint64_t e)
{
	h->item[at] = e;
	h->at[(uint32_t)e] = at;
}

static inline void heap4_up(struct heap4 *h, uint32_t at, uint64_t e)
{
	while (at) {
		uint32_t parent = (at - 1) / 4;

		if (heap4_key(e) >= heap4_key(h->item[parent]))
			break;
		heap4_put(h, at, h->item[parent]);
		at = parent;
	}
	heap4_put(h, at, e);
}

static inline uint64_t heap4_least(uint64_t a, uint64_t b)
{
	return MIN(b, a);
}

/*
 * The place of the smallest key among four children. Of equal keys the right-most wins: the key is compared
 * with (3 - place) in its low bits, as things are below 2^30.
 */
static inline uint64_t heap4_smallest(const uint64_t *child)
{
	return heap4_least(heap4_least(child[0] >> 30 | 3, child[1] >> 30 | 2),
			   heap4_least(child[2] >> 30 | 1, child[3] >> 30));
}

static inline void heap4_down(struct heap4 *h, uint32_t at, uint64_t e)
{
	uint64_t *item = h->item, mine = heap4_key(e);
	uint32_t *place = h->at, n = h->n;

	for (uint32_t c; (c = 4 * at + 1) < n;) {
		uint64_t child = heap4_smallest(item + c);

		if (mine <= child >> 2)
			break;
		c += 3 - (child & 3);
		place[(uint32_t)item[c]] = at;
		item[at] = item[c];
		at = c;
	}
	item[at] = e;
	place[(uint32_t)e] = at;
}

/* Empties the heap. */
static inline void heap4_clear(struct heap4 *h)
{
	memset(h->item, 0xff, h->n * sizeof(*h->item)); /* UINT64_MAX */
	h->n = 0;
}

/* Removes and returns the item of least key. The heap must not be empty. */
static inline uint64_t heap4_take(struct heap4 *h)
{
	uint64_t least = h->item[0], last = h->item[--h->n];

	h->item[h->n] = UINT64_MAX;
	if (h->n)
		heap4_down(h, 0, last);
	return least;
}

static inline void heap4_insert(struct heap4 *h, uint32_t thing, uint64_t key)
{
	heap4_up(h, h->n++, heap4_item(key, thing));
}

static inline void heap4_lower(struct heap4 *h, uint32_t thing, uint64_t key)
{
	heap4_up(h, h->at[thing], heap4_item(key, thing));
}

static inline void heap4_delete(struct heap4 *h, uint32_t thing)
{
	uint32_t at = h->at[thing], above;
	uint64_t last = h->item[--h->n];

	h->item[h->n] = UINT64_MAX;
	if (at == h->n)
		return;
	above = at ? heap4_key(h->item[(at - 1) / 4]) : 0;
	if (!at || above < heap4_key(last))
		heap4_down(h, at, last);
	else if (above > heap4_key(last))
		heap4_up(h, at, last);
	else
		heap4_put(h, at, last);
}

#endif
