#include "core/analysis/survey/parted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/survey/parted_net.h"
#include "core/base/disjoint.h"
#include "core/base/memory.h"
#include "core/base/text.h"

/* --- the graph ------------------------------------------------------------------------------------------ */

static void parted_number_parts(struct parted_net *g, const struct parts *parts, uint32_t *part_of_link)
{
	const struct fabric *f = parts->fabric;

	for (uint32_t i = 0; i < parts->n; i++) {
		uint32_t id = parts->id[parts->first[i]];

		if (g->switches) {
			g->sw_of[i] = f->node_switch[id];
			g->part_of[g->sw_of[i]] = i;
			continue;
		}
		part_of_link[id] = i;
		for (int k = 0; k < 2; k++)
			g->end[i][k] = f->node_switch[f->port_node[f->link_port[2 * (size_t)id + k]]];
	}
}

/* Several cables to one switch are one arc where switches fail. */
static void add_arcs(struct parted_net *g, const struct topo *t, const uint32_t *part_of_link)
{
	uint32_t *seen = NEW_ARRAY((size_t)g->n + 1, uint32_t), at = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		g->off[s] = at;
		if (!switch_up(t, s))
			continue;
		FOR_CABLES(t, s, port, to) {
			if (g->switches && seen[to] == s + 1)
				continue;
			seen[to] = s + 1;
			g->arc[at] = (struct net_arc){
				.to = to,
				.edge = g->switches ? NO_ID - 1 - at
						    : part_of_link[t->fabric->port_link[port]],
			};
			at++;
		}
	}
	g->off[g->n] = at;
	free(seen);
}

static int parted_net_init(struct parted_net *g, const struct sweep *w, const struct parts *parts,
			   struct err *e)
{
	const struct fabric *f = w->fabric;
	uint64_t pairs = (uint64_t)parts->n * (parts->n - 1) / 2;
	uint32_t *part_of_link;

	if (mem_room(e, pairs / 4, "bits of all pairs of %u", parts->n))
		return -1;
	*g = (struct parted_net){.sweep = w, .switches = parts->kind == PART_SWITCH, .n = f->n_switches};
	g->n_parts = parts->n;
	part_of_link = NEW_ARRAY((size_t)f->n_links + 1, uint32_t);
	g->off = NEW_ARRAY((size_t)g->n + 1, uint32_t);
	g->arc = NEW_ARRAY((size_t)f->n_ports + 1, struct net_arc);
	g->part_of = NEW_ARRAY((size_t)g->n + 1, uint32_t);
	memset(g->part_of, 0xff, g->n * sizeof(*g->part_of));
	g->hosts = routing_hosts(w->routing);
	g->alone = NEW_ARRAY((size_t)parts->n + 1, uint8_t);
	g->bad = NEW_ARRAY((size_t)(pairs / 64 + 1), _Atomic uint64_t);
	if (g->switches)
		g->sw_of = NEW_ARRAY((size_t)parts->n + 1, uint32_t);
	else
		g->end = mem_array((size_t)parts->n + 1, sizeof(*g->end));
	parted_number_parts(g, parts, part_of_link);
	add_arcs(g, w->topo, part_of_link);
	free(part_of_link);
	return 0;
}

static void parted_net_free(struct parted_net *g)
{
	free(g->off);
	free(g->arc);
	free(g->part_of);
	free(g->sw_of);
	free(g->end);
	free(g->hosts);
	free(g->alone);
	free((void *)g->bad);
}

/* --- witnesses ------------------------------------------------------------------------------------------ */

static bool cable_witness(const struct parted_net *g, uint32_t a, uint32_t b, uint32_t sw[2])
{
	uint32_t *queue = NEW_ARRAY((size_t)g->n + 1, uint32_t), end = 0;
	uint8_t *seen = NEW_ARRAY((size_t)g->n + 1, uint8_t);

	sw[0] = sw[1] = NO_ID;
	for (uint32_t s = 0; s < g->n && sw[0] == NO_ID; s++)
		sw[0] = g->hosts[s] && !net_down(g, s, a, b) ? s : NO_ID;
	if (sw[0] != NO_ID) {
		queue[end++] = sw[0];
		seen[sw[0]] = 1;
	}
	for (uint32_t i = 0; i < end; i++)
		for (uint32_t k = g->off[queue[i]]; k < g->off[queue[i] + 1]; k++)
			if (arc_up(g, &g->arc[k], a, b) && !seen[g->arc[k].to]) {
				seen[g->arc[k].to] = 1;
				queue[end++] = g->arc[k].to;
			}
	for (uint32_t s = 0; s < g->n && sw[1] == NO_ID; s++)
		sw[1] = g->hosts[s] && !seen[s] && !net_down(g, s, a, b) ? s : NO_ID;
	free(queue);
	free(seen);
	return sw[1] != NO_ID;
}

static uint32_t host_on(const struct sweep *w, uint32_t sw)
{
	uint32_t ep = 0;

	while (ep < w->fabric->n_endports &&
	       !(routing_has_host(w->routing, ep) && w->topo->endport_switch[ep] == sw))
		ep++;
	return ep;
}

static void parted_add_row(struct parted *r, const struct parted_net *g, struct legal *l, uint32_t a,
			   uint32_t b)
{
	uint32_t sw[2];

	if (r->n == PARTED_MOST_ROWS || !(l ? legal_witness(l, a, b, sw) : cable_witness(g, a, b, sw)))
		return;
	r->row[r->n++] = (struct parted_row){
		.part = {a, b},
		.host = {host_on(g->sweep, sw[0]), host_on(g->sweep, sw[1])},
	};
}

/* Counts and rows from the bits.  A link that is bad alone is bad with any other. -1 and *e. */
static int parted_list_rows(struct parted *r, const struct parted_net *g, struct legal *l, struct progress *p,
			    struct err *e)
{
	uint32_t n = g->n_parts;

	progress_start(p, "counting pairs", n);
	r->row = NEW_ARRAY(PARTED_MOST_ROWS, struct parted_row);
	for (uint32_t a = 0; a < n; a++)
		if (g->alone[a]) {
			r->alone++;
			parted_add_row(r, g, l, a, NO_ID);
		}
	for (uint32_t a = 0; a < n; a++) {
		uint64_t at = a + 1 < n ? pair_bit(g, a, a + 1) : 0;

		for (uint32_t b = a + 1; b < n; b++, at++) {
			bool sure = !l && !g->switches && (g->alone[a] || g->alone[b]);

			if (!sure && !pair_is(g->bad, at))
				continue;
			r->bad++;
			if (g->alone[a] || g->alone[b])
				continue;
			r->together++;
			parted_add_row(r, g, l, a, b);
		}
		if (!progress_step(p, a))
			return err_set(e, CANCELLED);
	}
	return 0;
}

/* --- cables of hosts ------------------------------------------------------------------------------------ */

/* Hosts that count, on all switches that cables join with a switch: [n]; the caller frees. */
static uint32_t *hosts_joined(const struct parted_net *g)
{
	uint32_t *set = NEW_ARRAY((size_t)g->n + 1, uint32_t), *hosts = NEW_ARRAY((size_t)g->n + 1, uint32_t);

	for (uint32_t s = 0; s < g->n; s++)
		set[s] = s;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t k = g->off[s]; k < g->off[s + 1]; k++)
			set[disjoint_root(set, s)] = disjoint_root(set, g->arc[k].to);
	for (uint32_t s = 0; s < g->n; s++)
		hosts[disjoint_root(set, s)] += g->hosts[s];
	for (uint32_t s = 0; s < g->n; s++)
		hosts[s] = hosts[disjoint_root(set, s)];
	free(set);
	return hosts;
}

static void add_host_links(struct parted *r, const struct parted_net *g, const struct legal *l)
{
	const struct sweep *w = g->sweep;
	bool only_alone = l && !w->routing->ops->is_root;
	uint32_t *joined = hosts_joined(g);
	uint64_t n;

	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++) {
		uint32_t s = w->topo->endport_switch[ep];
		bool cuts;

		if (s == NO_ID || !w->topo->endport_up[ep] || endport_is_switch(w->fabric, ep))
			continue;
		cuts = routing_has_host(w->routing, ep) &&
		       (l ? g->hosts[s] > 1 || legal_meets(l, s) : joined[s] > 1);
		r->host_alone += cuts;
		r->host_links += cuts || !only_alone;
		r->host_left_out += !cuts && only_alone;
	}
	free(joined);
	n = (uint64_t)r->parts->n + r->host_links;
	r->pairs = n * (n - 1) / 2;
	r->bad += r->host_alone * (n - r->host_alone) + (uint64_t)r->host_alone * (r->host_alone - 1) / 2 +
		  (uint64_t)r->alone * (r->host_links - r->host_alone);
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static bool by_legal_ways(const struct routing *r)
{
	return r->ops->direction && r->ops->rank && !r->ops->level_stays_down;
}

struct parted *parted_run(const struct sweep *w, enum part_kind kind, struct progress *p, struct err *e)
{
	struct parted *r = NEW(struct parted);
	struct parts *parts = parts_new(w->fabric, kind, NULL);
	struct legal *l = NULL;
	struct parted_net g = {0};
	int rc;

	r->parts = parts;
	parts_keep_up(parts, w->topo);
	r->legal = by_legal_ways(w->routing);
	r->pairs = (uint64_t)parts->n * (parts->n ? parts->n - 1 : 0) / 2;
	rc = parts->n < 2 ? err_set(e, "found %u %s that are up, expected at least 2 for a pair", parts->n,
				    part_words[kind])
			  : parted_net_init(&g, w, parts, e);
	if (!rc && r->legal) {
		l = legal_new(&g, e);
		rc = l ? parted_legal(l, &r->reranked, p, e) : -1;
	} else if (!rc) {
		rc = g.switches ? parted_switches(&g, p, e) : parted_links(&g, p, e);
	}
	if (!rc)
		rc = parted_list_rows(r, &g, l, p, e);
	if (!rc && !g.switches)
		add_host_links(r, &g, l);
	legal_free(l);
	parted_net_free(&g);
	if (!rc)
		return r;
	parted_free(r);
	return NULL;
}

void parted_tell(const struct parted *r, const struct sweep *w, char end, struct text *t)
{
	text_add(t, "Proved for all %" PRIu64 " pairs of %u %s: %" PRIu64 " part hosts, ", r->pairs,
		 r->parts->n + r->host_links, part_words[r->parts->kind], r->bad);
	text_add(t, "%" PRIu64 " of them by both together; %u part hosts alone.%c", r->together,
		 r->alone + r->host_alone, end);
	if (r->host_links)
		text_add(t,
			 "%s of hosts %s among them, of which %u cut their host alone; rows tell of the "
			 "others.%c",
			 PLURAL(r->host_links, "cable"), r->host_links == 1 ? "is" : "are", r->host_alone,
			 end);
	if (r->host_left_out)
		text_add(t, "Not proved: %s of hosts that do not count, which may change ranks.%c",
			 PLURAL(r->host_left_out, "cable"), end);
	if (r->legal)
		text_add(t,
			 "By legal ways of %s, from the %s as now; %" PRIu64
			 " pairs with ranks that change.%c",
			 w->routing->engine, w->routing->ops->is_root ? "roots" : "switches with hosts",
			 r->reranked, end);
	else
		text_add(t,
			 "By cables: for engines that route whatever is connected (minhop, lash, sssp, "
			 "dfsssp, nue); others may lose more.%c",
			 end);
}

void parted_free(struct parted *r)
{
	if (!r)
		return;
	parts_free((struct parts *)r->parts);
	free(r->row);
	free(r);
}
