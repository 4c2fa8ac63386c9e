#include "core/routing/switch_tables.h"
#include "core/base/memory.h"

#include <stdlib.h>

static void switch_tables_free(struct counted *c)
{
	struct switch_tables *h = (struct switch_tables *)c;

	for (uint32_t s = 0; s < h->n_switches; s++)
		free(h->lft[s]);
	free(h->lft);
	free(h->top);
	free(h->source);
	free(h->lid);
	free(h->lmc);
	free(h->lid_owner);
	sl_tables_unref(h->sl_tables);
	if (h->adaptive)
		counted_unref(&h->adaptive->counted);
	free(h);
}

struct switch_tables *switch_tables_new(uint32_t n_switches)
{
	struct switch_tables *h = NEW(struct switch_tables);

	counted_init(&h->counted, switch_tables_free);
	h->n_switches = n_switches;
	h->top = NEW_ARRAY(n_switches + 1u, uint16_t);
	h->lft = NEW_ARRAY(n_switches + 1u, uint8_t *);
	return h;
}

unsigned switch_tables_top(const struct switch_tables *h)
{
	unsigned top = 0;

	for (uint32_t s = 0; s < h->n_switches; s++)
		if (h->lft[s] && h->top[s] > top)
			top = h->top[s];
	return top;
}
