/*
 * The heap of Nue's searches: four children a place, its moves exactly as in
 * OpenSM 3.3.23 (engines/doc/nue.md 8), as they decide between equal distances.  Items are
 * nodes, each at most once.
 */
#ifndef IBSCOPE_NUE_HEAP_H
#define IBSCOPE_NUE_HEAP_H

#include "core/base/defs.h"

struct nue_heap_item {
	uint64_t key;
	uint32_t node;
};

struct nue_heap {
	uint32_t n;
	struct nue_heap_item *item; /* [nodes] */
	uint32_t *at;		    /* [nodes] place of a node, if it is in the heap */
};

static inline void nue_heap_put(struct nue_heap *h, uint32_t i, struct nue_heap_item it)
{
	h->item[i] = it;
	h->at[it.node] = i;
}

static inline void nue_heap_up(struct nue_heap *h, uint32_t i, struct nue_heap_item it)
{
	while (i > 0 && it.key < h->item[(i - 1) / 4].key) {
		nue_heap_put(h, i, h->item[(i - 1) / 4]);
		i = (i - 1) / 4;
	}
	nue_heap_put(h, i, it);
}

/* The child with the smallest key, of equal ones the last; 0 = no child. */
static inline uint32_t nue_heap_child(const struct nue_heap *h, uint32_t i)
{
	uint32_t c = 4 * i + 1, end = c + 4 < h->n ? c + 4 : h->n, best = c;

	if (c >= h->n)
		return 0;
	for (c++; c < end; c++)
		best = h->item[c].key <= h->item[best].key ? c : best;
	return best;
}

static inline void nue_heap_down(struct nue_heap *h, uint32_t i, struct nue_heap_item it)
{
	uint32_t c;

	while ((c = nue_heap_child(h, i)) && h->item[c].key < it.key) {
		nue_heap_put(h, i, h->item[c]);
		i = c;
	}
	nue_heap_put(h, i, it);
}

static inline void nue_heap_insert(struct nue_heap *h, uint32_t node, uint64_t key)
{
	nue_heap_up(h, h->n++, (struct nue_heap_item){key, node});
}

static inline void nue_heap_lower(struct nue_heap *h, uint32_t node, uint64_t key)
{
	nue_heap_up(h, h->at[node], (struct nue_heap_item){key, node});
}

static inline void nue_heap_delete(struct nue_heap *h, uint32_t i)
{
	struct nue_heap_item last = h->item[--h->n];
	uint64_t above;

	if (i == h->n)
		return;
	above = i ? h->item[(i - 1) / 4].key : 0;
	if (!i || above < last.key)
		nue_heap_down(h, i, last);
	else if (above > last.key)
		nue_heap_up(h, i, last);
	else
		nue_heap_put(h, i, last);
}

/* NO_ID when it is empty. */
static inline uint32_t nue_heap_extract(struct nue_heap *h)
{
	uint32_t node;

	if (!h->n)
		return NO_ID;
	node = h->item[0].node;
	nue_heap_delete(h, 0);
	return node;
}

#endif
