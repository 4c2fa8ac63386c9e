#include "core/routing/held.h"
#include "core/base/memory.h"

#include <stdlib.h>

static void held_free(struct counted *c)
{
	struct held *h = (struct held *)c;

	for (uint32_t s = 0; s < h->n_switches; s++)
		free(h->lft[s]);
	free(h->lft);
	free(h->top);
	lanes_unref(h->lanes);
	free(h);
}

struct held *held_new(uint32_t n_switches)
{
	struct held *h = NEW(struct held);

	counted_init(&h->counted, held_free);
	h->n_switches = n_switches;
	h->top = NEW_ARRAY(n_switches + 1u, uint16_t);
	h->lft = NEW_ARRAY(n_switches + 1u, uint8_t *);
	return h;
}
