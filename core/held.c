#include "core/held.h"

#include <stdlib.h>

struct held *held_new(uint32_t n_switches)
{
	struct held *h = NEW(struct held);

	h->refs = 1;
	h->n_switches = n_switches;
	h->top = NEW_ARRAY(n_switches + 1u, uint16_t);
	h->lft = NEW_ARRAY(n_switches + 1u, uint8_t *);
	return h;
}

struct held *held_ref(const struct held *h)
{
	struct held *k = (struct held *)h;

	atomic_fetch_add(&k->refs, 1);
	return k;
}

void held_unref(const struct held *ch)
{
	struct held *h = (struct held *)ch;

	if (!h || atomic_fetch_sub(&h->refs, 1) != 1)
		return;
	for (uint32_t s = 0; s < h->n_switches; s++)
		free(h->lft[s]);
	free(h->lft);
	free(h->top);
	lanes_unref(h->lanes);
	free(h);
}
