/* The outage of every single failure: one pass over all LIDs. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/outage.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"

bool outage_by_pass(const struct routing *r, const struct parts *parts, enum local_repair repair)
{
	return parts->kind <= PART_SWITCH && !(r->adaptive && repair == REPAIR_FLFR);
}

struct pass {
	const struct routing *r;
	uint32_t *part_of; /* [n_links] or [n_switches]; NO_ID */
	bool switches;
	uint32_t *hosts, *order, *work; /* [n_switches] */
	uint64_t *flow;			/* [n_switches] hosts whose path to the LID leads through */
	uint8_t *col;
	uint16_t *hops;
	uint32_t *start; /* [n_switches + 2] */
};

/* The farthest switch first: each hands its hosts on to the next. */
static void outage_parts_add_lid(struct pass *p, unsigned lid, uint32_t dst, uint64_t *cut)
{
	const struct topo *t = p->r->topo;
	const struct fabric *f = t->fabric;

	routing_columns(p->r, lid, 1, p->col);
	column_hops(t, p->col, dst, p->hops, p->work);
	for (uint32_t s = 0; s < f->n_switches; s++)
		p->flow[s] = p->hosts[s] - (t->endport_switch[dst] == s);
	for (uint32_t i = hops_order(p->hops, f->n_switches, p->order, p->start); i-- > 0;) {
		uint32_t s = p->order[i], port = switch_port_id(f, s, p->col[s]), q = t->peer_switch[port];
		uint32_t part = p->switches  ? p->part_of[s]
				: q == NO_ID ? NO_ID
					     : p->part_of[f->port_link[port]];

		if (part != NO_ID)
			cut[part] += p->flow[s];
		if (q != NO_ID)
			p->flow[q] += p->flow[s];
	}
}

static bool pass_over(struct pass *p, uint64_t *cut, struct progress *progress)
{
	const struct lids *l = p->r->lids;
	bool ok = true;

	progress_start(progress, "adding up what each failure cuts", l->max_lid);
	for (unsigned lid = 1; ok && lid <= l->max_lid; lid++) {
		ok = progress_step(progress, lid);
		if (l->owner[lid] != NO_ID && routing_has_host(p->r, l->owner[lid]))
			outage_parts_add_lid(p, lid, l->owner[lid], cut);
	}
	return ok;
}

int outage_of_parts(const struct routing *r, const struct parts *parts, enum local_repair repair,
		    uint64_t *cut, struct progress *progress, struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	size_t n = (size_t)f->n_switches + 1, links = (size_t)f->n_links + 1;
	struct pass p = {.r = r, .switches = parts->kind == PART_SWITCH};
	bool ok;

	memset(cut, 0, parts->n * sizeof(*cut));
	if (!outage_by_pass(r, parts, repair)) {
		int rc = 0;

		for (uint32_t i = 0; !rc && i < parts->n; i++) {
			struct state *down = state_new(f);

			parts_mark(parts, i, down, 1);
			rc = outage_count(r, down, repair, &cut[i], progress, e);
			state_free(down);
		}
		return rc;
	}
	p.part_of = NEW_ARRAY(p.switches ? n : links, uint32_t);
	memset(p.part_of, 0xff, (p.switches ? n : links) * sizeof(*p.part_of));
	for (uint32_t i = 0; i < parts->n; i++) {
		uint32_t id = parts->id[parts->first[i]];

		p.part_of[p.switches ? f->node_switch[id] : id] = i;
	}
	p.hosts = routing_hosts(r);
	p.order = NEW_ARRAY(n, uint32_t);
	p.work = NEW_ARRAY(n, uint32_t);
	p.flow = NEW_ARRAY(n, uint64_t);
	p.col = NEW_ARRAY(n, uint8_t);
	p.hops = NEW_ARRAY(n, uint16_t);
	p.start = NEW_ARRAY(n + 1, uint32_t);
	ok = pass_over(&p, cut, progress);
	free(p.part_of);
	free(p.hosts);
	free(p.order);
	free(p.work);
	free(p.flow);
	free(p.col);
	free(p.hops);
	free(p.start);
	return ok ? 0 : err_set(e, CANCELLED);
}
