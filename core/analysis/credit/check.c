#include "core/analysis/credit/check.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>

static enum path_end why_not(const struct routing *r, uint32_t sw, unsigned lid, const struct dest_ways *w)
{
	struct path p;
	enum path_end e;
	const struct fabric *f = r->topo->fabric;

	path_trace_worst(r, f->port_endport[f->switch_port[sw]], 0, lid, w, &p);
	e = p.end;
	path_free(&p);
	return e;
}

static void add_example(struct check_result *c, const struct routing *r, uint32_t sw, unsigned lid,
			const struct dest_ways *w)
{
	if (c->n_examples < ARRAY_LEN(c->example))
		c->example[c->n_examples++] = (struct check_example){sw, lid, why_not(r, sw, lid, w)};
}

static void count_lid(struct check_result *c, const struct routing *r, unsigned lid, const uint16_t *hops,
		      const uint32_t *hosts, const struct dest_ways *w, const struct check_listener *to)
{
	const struct topo *t = r->topo;
	uint32_t ep = lid_owner(r->lids, lid);
	bool to_switch = endport_is_switch(t->fabric, ep);

	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		uint32_t n = hosts[s] - (!to_switch && t->endport_switch[ep] == s);
		unsigned links = hops[s] + 1u;

		if (!n)
			continue;
		if (to_switch) {
			c->switch_unreachable += hops[s] >= HOPS_LOOP ? n : 0;
			continue;
		}
		c->pairs += n;
		if (hops[s] >= HOPS_LOOP) {
			c->unreachable += n;
			c->looping += hops[s] == HOPS_LOOP ? n : 0;
			add_example(c, r, s, lid, w);
			if (to)
				to->broken(to->ctx, s, lid, hops[s] == HOPS_LOOP);
			continue;
		}
		if (links > c->max_hops)
			c->max_hops = links;
		c->hops_count[links < 63 ? links : 63] += n;
	}
}

/* Counts endports that are up but have no LID. */
static void count_endports(struct check_result *c, const struct routing *r)
{
	const struct topo *t = r->topo;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (t->endport_up[ep] && host_set_matters(r->hosts, t->fabric, ep))
			c->no_lid += !r->lids->base[ep];
}

int check_routing(const struct routing *r, struct check_result *c, struct progress *p)
{
	return check_routing_to(r, c, NULL, p);
}

int check_routing_to(const struct routing *r, struct check_result *c, const struct check_listener *to,
		     struct progress *p)
{
	uint32_t n = r->topo->fabric->n_switches;
	uint8_t *col = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t);
	uint16_t *hops = NEW_ARRAY(n, uint16_t);
	uint32_t *work = NEW_ARRAY(n, uint32_t), *hosts = routing_hosts(r);
	struct dest_ways ways = {0}, *w = r->adaptive ? &ways : NULL;
	int result = 0;

	dest_ways_init(&ways, r);
	*c = (struct check_result){0};
	progress_start(p, "checking paths", r->lids->max_lid);
	count_endports(c, r);
	for (unsigned lid0 = 1; lid0 <= r->lids->max_lid; lid0 += COLUMN_BLOCK) {
		if (!progress_step(p, lid0)) {
			result = -1;
			break;
		}
		routing_columns(r, lid0, COLUMN_BLOCK, col);
		for (unsigned lid = lid0; lid < lid0 + COLUMN_BLOCK; lid++) {
			uint32_t owner = lid_owner(r->lids, lid);

			if (owner == NO_ID ||
			    (!routing_counts(r, owner) && !endport_is_switch(r->topo->fabric, owner)))
				continue;
			if (w)
				dest_ways(r, lid, w);
			else
				column_hops(r->topo, col + (size_t)(lid - lid0) * n, owner, hops, work);
			count_lid(c, r, lid, w ? w->worst : hops, hosts, w, to);
		}
	}
	free(col);
	free(hops);
	free(work);
	free(hosts);
	dest_ways_free(&ways);
	return result;
}

bool check_sound(const struct check_result *c)
{
	return !c->unreachable && !c->no_lid;
}
