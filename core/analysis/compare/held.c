/* Tables after an event, with the SLs that hosts still hold from before. */
#include <stdlib.h>

#include "core/analysis/compare/compare.h"
#include "core/base/memory.h"

struct drift_held {
	struct routing_ops ops;
	const struct routing *a, *b; /* references held */
};

/* The endport's LID before; 0: it had none, or was not up. */
static unsigned lid_before(const struct drift_held *h, unsigned lid)
{
	uint32_t ep = lid_owner(h->b->lids, lid);
	unsigned off;

	if (ep == NO_ID || !h->a->topo->endport_up[ep] || !h->a->lids->base[ep])
		return 0;
	off = lid - h->b->lids->base[ep];
	return off < h->a->lids->count[ep] ? h->a->lids->base[ep] + off : 0;
}

static struct sl_range held_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct drift_held *h = r->priv;
	unsigned from = lid_before(h, slid), to = lid_before(h, dlid);

	return from && to ? routing_sl(h->a, from, to) : routing_sl(h->b, slid, dlid);
}

static unsigned held_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	const struct drift_held *h = r->priv;

	return routing_vl(h->b, sw, in, out, sl);
}

static unsigned held_endport_vl(const struct routing *r, uint32_t endport, unsigned sl)
{
	const struct drift_held *h = r->priv;

	return h->b->ops->endport_vl(h->b, endport, sl);
}

static void held_free(void *priv)
{
	struct drift_held *h = priv;

	routing_unref(h->a);
	routing_unref(h->b);
	free(h);
}

const struct routing *comparison_held(const struct comparison *c)
{
	struct routing *r = routing_new(c->b->engine, c->b->topo, c->b->lids);
	struct drift_held *h = NEW(struct drift_held);
	bool all = true;

	for (uint32_t ep = 0; ep < c->b->topo->fabric->n_endports; ep++)
		all = all && (!c->b->topo->endport_up[ep] || c->a->topo->endport_up[ep]);
	*h = (struct drift_held){.a = routing_ref(c->a), .b = routing_ref(c->b)};
	h->ops = (struct routing_ops){
		.sl = held_sl,
		.sl_by_switch = all && routing_sls_by_switch(c->a) && routing_sls_by_switch(c->b),
		.sl_by_source = all && routing_sls_by_source(c->a) && routing_sls_by_source(c->b),
		.vl = routing_vl_by_sl(c->b) && !routing_has_maps(c->b) ? NULL : held_vl,
		.endport_vl = c->b->ops->endport_vl ? held_endport_vl : NULL,
		.free_priv = held_free,
	};
	for (uint32_t s = 0; s < c->b->topo->fabric->n_switches; s++)
		routing_share_row(r, c->b, s);
	r->ops = &h->ops;
	r->priv = h;
	r->hosts = host_set_ref(c->b->hosts);
	r->adaptive = c->b->adaptive;
	if (r->adaptive)
		counted_ref(&r->adaptive->counted);
	return r;
}
