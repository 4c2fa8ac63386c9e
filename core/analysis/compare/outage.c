/* The outage between an event and the next sweep: its computation and its description. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/outage.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/paths.h"

/* The outage of every single failure: one pass over all LIDs. */

bool outage_by_pass(const struct routing *r, const struct parts *parts, enum local_repair repair)
{
	assert(fabric_alike(parts->fabric, r->topo->fabric));
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
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct pass p = {.r = r, .switches = parts->kind == PART_SWITCH};

	memset(cut, 0, parts->n * sizeof(*cut));
	if (!outage_by_pass(r, parts, repair)) {
		int rc = 0;

		for (uint32_t i = 0; !rc && i < parts->n; i++) {
			AUTO_STATE struct state *down = state_new(f);

			parts_mark(parts, i, down, 1);
			rc = outage_count(r, down, repair, &cut[i], progress, e);
		}
		return rc;
	}
	p.part_of = ARENA_ARRAY(arena, p.switches ? n : links, uint32_t);
	memset(p.part_of, 0xff, (p.switches ? n : links) * sizeof(*p.part_of));
	for (uint32_t i = 0; i < parts->n; i++) {
		uint32_t id = parts->id[parts->first[i]];

		p.part_of[p.switches ? f->node_switch[id] : id] = i;
	}
	p.hosts = routing_hosts(arena, r);
	p.order = ARENA_ARRAY(arena, n, uint32_t);
	p.work = ARENA_ARRAY(arena, n, uint32_t);
	p.flow = ARENA_ARRAY(arena, n, uint64_t);
	p.col = ARENA_ARRAY(arena, n, uint8_t);
	p.hops = ARENA_ARRAY(arena, n, uint16_t);
	p.start = ARENA_ARRAY(arena, n + 1, uint32_t);
	return pass_over(&p, cut, progress) ? 0 : err_set(e, CANCELLED);
}

enum local_repair local_repair_of(const struct options *o)
{
	return !strcmp(options_get(o, "local_repair"), "flfr") ? REPAIR_FLFR : REPAIR_OFF;
}

/* --- one failure ------------------------------------------------------------------------------------- */

/* At a switch that is up: the port of the table, or all that a packet may choose among. */
enum { BY_TABLE = 1, BY_CHOICE = 2 };

struct outage_work {
	struct outage *x;
	const struct topo *was, *left;
	struct routing *now;	   /* the old tables on what is left: repairs and groups look at its ports */
	bool brief;		   /* only numbers of pairs are wanted */
	bool choices;		   /* ways[] are of the LID at hand */
	uint8_t *touched;	   /* [max_lid + 1] BY_TABLE, BY_CHOICE: leads into what is down */
	uint32_t *into, n_into;	   /* ports by which it does, at switches that are up */
	uint32_t *alive, *dead;	   /* [n_switches] hosts that count, by the switch they hung on */
	uint32_t *grave, n_graves; /* switches with dead ones */
	uint8_t *col[2];	   /* [n_switches] ports to the LID at hand, before and now */
	uint16_t *hops[2];	   /* [n_switches] */
	uint16_t *fixed;	   /* [n_switches] with a repair: hops now by the ports of the tables */
	struct dest_ways *ways[2]; /* with groups */
	uint32_t *scratch, *list;  /* [n_switches] */
	uint8_t *mark;		   /* [n_switches] all 0 */
	uint32_t *stop;		   /* [n_switches] port id at which a way ends, NO_ID: not yet visited */
	uint32_t *here, n_here,
		*lost_here; /* ports with lost pairs of the LID at hand; [n_ports] these pairs */
	size_t cap_entries, cap_peers;
	uint64_t *had_from, *lost_from; /* [n_switches] LIDs with a way, of these lost */
	uint64_t *sends, *receives;	/* [n_endports] */
	/* of the destination node at hand, where some node has several ports */
	uint32_t *node, n_nodes; /* nodes with hosts that count */
	uint8_t *ports;		 /* [all nodes] such ports */
	bool some_twice;
	uint32_t *had_node; /* [n_switches] LIDs of it with a way before */
	uint8_t *ok_node;   /* [n_switches] some LID of it has one now */
};

static void work_init(struct outage_work *w)
{
	const struct routing *r = w->x->before;
	const struct fabric *f = r->topo->fabric;
	size_t n = (size_t)f->n_switches + 1;

	w->was = r->topo;
	w->left = w->x->left;
	w->now = routing_unref_later(w, routing_with_hosts(r, r->hosts));
	w->now->exact = NULL;
	topo_unref(w->now->topo);
	w->now->topo = topo_ref(w->left);
	w->touched = ARENA_ARRAY(w, r->lids->max_lid + 1, uint8_t);
	w->into = ARENA_ARRAY(w, (size_t)f->n_ports + 1, uint32_t);
	w->alive = ARENA_ARRAY(w, n, uint32_t);
	w->dead = ARENA_ARRAY(w, n, uint32_t);
	w->grave = ARENA_ARRAY(w, n, uint32_t);
	for (int i = 0; i < 2; i++) {
		w->col[i] = ARENA_ARRAY(w, n, uint8_t);
		w->hops[i] = ARENA_ARRAY(w, n, uint16_t);
		if (r->adaptive)
			w->ways[i] = dest_ways_new(w, i ? w->now : r);
	}
	w->fixed = ARENA_ARRAY(w, n, uint16_t);
	w->scratch = ARENA_ARRAY(w, n, uint32_t);
	w->list = ARENA_ARRAY(w, n, uint32_t);
	w->mark = ARENA_ARRAY(w, n, uint8_t);
	w->stop = ARENA_ARRAY(w, n, uint32_t);
	w->here = ARENA_ARRAY(w, n, uint32_t);
	w->lost_here = ARENA_ARRAY(w, (size_t)f->n_ports + 1, uint32_t);
	w->had_from = ARENA_ARRAY(w, n, uint64_t);
	w->lost_from = ARENA_ARRAY(w, n, uint64_t);
	w->sends = ARENA_ARRAY(w, (size_t)f->n_endports + 1, uint64_t);
	w->receives = ARENA_ARRAY(w, (size_t)f->n_endports + 1, uint64_t);
	w->node = ARENA_ARRAY(w, (size_t)f->n_nodes + 1, uint32_t);
	w->ports = ARENA_ARRAY(w, (size_t)f->n_nodes + 1, uint8_t);
	w->had_node = ARENA_ARRAY(w, n, uint32_t);
	w->ok_node = ARENA_ARRAY(w, n, uint8_t);
}

static void outage_sort_hosts(struct outage_work *w)
{
	const struct fabric *f = w->was->fabric;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t node = endport_node(f, ep), s = w->was->endport_switch[ep];

		if (!routing_has_host(w->x->before, ep))
			continue;
		if (!w->ports[node])
			w->node[w->n_nodes++] = node;
		w->ports[node] += w->ports[node] < UINT8_MAX;
		w->some_twice |= w->ports[node] > 1;
		w->alive[s] += w->left->endport_up[ep] != 0;
		if (!w->left->endport_up[ep] && !w->dead[s]++)
			w->grave[w->n_graves++] = s;
	}
	w->some_twice &= !w->brief;
}

/* Such LIDs of a switch with groups.  dead: ports that led on before. */
static void touch_choices(struct outage_work *w, uint32_t s, const struct port_set *dead)
{
	const struct routing *r = w->x->before;
	const struct adaptive_switch *a = &r->adaptive->sw[s];
	AUTO_FREE uint8_t *leads = NEW_ARRAY(a->n_groups + 1, uint8_t);

	for (uint32_t g = 0; g < a->n_groups; g++)
		for (unsigned p = port_set_next(&a->group[g].ports, 1); p <= w->was->fabric->switch_nports[s];
		     p = port_set_next(&a->group[g].ports, p + 1))
			leads[g] |= w->left->peer[switch_port_id(w->was->fabric, s, p)] != NO_ID;
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		const struct adaptive_group *g = adaptive_find(r->adaptive, s, lid);
		unsigned out = routing_next_port(r, s, lid), entry = routing_port(r, s, lid);

		if (out != NO_PATH && port_set_has(dead, out))
			w->touched[lid] |= BY_TABLE;
		/* a group none of whose ports leads on: the port of the table is all there is */
		if (!(g && leads[g - a->group]) && (g || (entry != NO_PATH && port_set_has(dead, entry))))
			w->touched[lid] |= BY_CHOICE;
	}
}

/* LIDs that lead into what is down, at a switch that is up. */
static void find_touched(struct outage_work *w)
{
	const struct routing *r = w->x->before;
	const struct fabric *f = w->was->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct lft_row *row = r->row[s];
		struct port_set dead = {{0}};
		uint32_t n = w->n_into;

		if (!row || !switch_up(w->left, s))
			continue;
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p);

			if (w->was->peer[id] == NO_ID || w->left->peer[id] != NO_ID)
				continue;
			w->into[w->n_into++] = id;
			port_set_add(&dead, p);
			for (unsigned lid = 1; !r->adaptive && lid <= row->top && lid <= r->lids->max_lid;
			     lid++)
				w->touched[lid] |= row->port[lid] == p;
		}
		if (r->adaptive && n < w->n_into)
			touch_choices(w, s, &dead);
	}
}

/* The port id at which the way from a switch ends; it loops nowhere. */
static uint32_t stop_of(struct outage_work *w, uint32_t s, uint32_t dst)
{
	const struct fabric *f = w->left->fabric;
	uint32_t n = 0, next = s, stop = NO_ID;

	while (stop == NO_ID && w->stop[next] == NO_ID) {
		unsigned out = w->col[1][next];

		w->scratch[n++] = next;
		if (end_hops(w->left, next, out, dst, &next) != HOPS_ON)
			stop = switch_port_id(f, w->scratch[n - 1],
					      out <= f->switch_nports[w->scratch[n - 1]] ? out : 0);
	}
	if (stop == NO_ID)
		stop = w->stop[next];
	while (n)
		w->stop[w->scratch[--n]] = stop;
	return stop;
}

static void put_entries(struct outage_work *w, unsigned lid)
{
	struct outage *x = w->x;

	for (uint32_t i = 0; i < w->n_here; i++) {
		uint32_t port = w->here[i];

		ARENA_GROW(w->x, x->entry, x->n_entries, w->cap_entries);
		x->entry[x->n_entries++] = (struct outage_entry){
			.port = port, .lid = (uint16_t)lid, .pairs = w->lost_here[port]};
		w->lost_here[port] = 0;
	}
	w->n_here = 0;
}

/* Pairs from living sources on a switch whose way to the LID is lost. */
static void lose(struct outage_work *w, uint32_t s, uint32_t dst, uint64_t pairs)
{
	struct outage *x = w->x;

	x->cut += pairs;
	if (w->hops[1][s] == HOPS_LOOP)
		x->looping += pairs;
	if (!w->left->endport_up[dst])
		x->end_down += pairs;
	if (w->brief || w->hops[1][s] == HOPS_LOOP || !pairs)
		return;
	uint32_t port = stop_of(w, s, dst);
	if (!w->lost_here[port])
		w->here[w->n_here++] = port;
	w->lost_here[port] += (uint32_t)pairs;
}

/* Pairs from hosts that are down. */
static void lose_dead(struct outage_work *w, uint32_t dst, uint64_t pairs)
{
	w->x->cut += pairs;
	w->x->end_down += pairs;
	w->x->hit += pairs;
	w->receives[dst] += pairs;
}

/* The pairs to one LID from the hosts that hung on a switch and had a way. */
static void outage_count_switch(struct outage_work *w, uint32_t s, uint32_t dst, bool fixed_ends)
{
	struct outage *x = w->x;
	bool own = w->was->endport_switch[dst] == s, up = w->left->endport_up[dst];
	uint64_t alive = w->alive[s] - (own && up), dead = w->dead[s] - (own && !up);
	bool lost = w->hops[1][s] >= HOPS_LOOP;

	w->had_from[s]++;
	w->had_node[s]++;
	w->ok_node[s] |= !lost;
	if (own && (up ? lost : 1))
		w->sends[dst]--; /* nobody sends to himself; the switch's sum is added later */
	if (lost) {
		w->lost_from[s]++;
		lose(w, s, dst, alive);
	}
	lose_dead(w, dst, dead);
	w->receives[dst] += lost ? alive : 0;
	x->hit += lost || fixed_ends ? alive : 0;
	if (w->choices && w->ways[0]->worst[s] < HOPS_LOOP)
		x->spread += dead + (w->ways[1]->worst[s] >= HOPS_LOOP ? alive : 0);
}

/*
 * Counts a LID whose ways are lost behind a few entries, by visiting only the switches behind these.  Returns
 * false, having done nothing, when hosts are down as well or there are many such switches.
 */
static bool outage_count_behind(struct outage_work *w, unsigned lid, uint32_t dst)
{
	const struct routing *r = w->x->before;
	const struct fabric *f = w->was->fabric;
	uint32_t n = 0;

	if (w->choices || w->some_twice || w->n_graves || !r->exact || !w->left->endport_up[dst] ||
	    w->n_into > FEW_SWITCHES(f->n_switches))
		return false;
	for (uint32_t i = 0; i < w->n_into; i++) {
		uint32_t s = f->node_switch[f->port_node[w->into[i]]];

		if (routing_port(r, s, lid) == f->port_num[w->into[i]])
			w->list[n++] = s;
	}
	n = switches_behind(r, lid, w->list, n, FEW_SWITCHES(f->n_switches), w->mark);
	if (n == NO_ID)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		w->col[1][w->list[i]] = (uint8_t)routing_port(r, w->list[i], lid);
		w->hops[1][w->list[i]] = HOPS_NONE;
		w->stop[w->list[i]] = NO_ID;
	}
	for (uint32_t i = 0; i < n; i++)
		if (w->alive[w->list[i]])
			outage_count_switch(w, w->list[i], dst, false);
	put_entries(w, lid);
	return true;
}

static void outage_count_lid(struct outage_work *w, unsigned lid, uint32_t dst)
{
	const struct routing *r = w->x->before;
	uint32_t n = w->was->fabric->n_switches;
	bool flfr = w->x->repair == REPAIR_FLFR && r->adaptive;
	/* only hosts that are down lose it */
	bool as_before = !w->touched[lid] && w->left->endport_up[dst];

	w->choices =
		w->x->adaptive && (w->n_graves || !w->left->endport_up[dst] || w->touched[lid] & BY_CHOICE);
	if (as_before && !w->some_twice && !w->choices) {
		for (uint32_t i = 0; i < w->n_graves; i++)
			if (tables_lead(r, w->grave[i], lid)) {
				w->had_from[w->grave[i]]++;
				lose_dead(w, dst, w->dead[w->grave[i]]);
			}
		return;
	}
	if (!flfr && outage_count_behind(w, lid, dst))
		return;
	routing_columns(r, lid, 1, w->col[0]);
	column_hops(w->was, w->col[0], dst, w->hops[0], w->scratch);
	if (w->choices)
		dest_ways(r, lid, w->ways[0]);
	if (as_before) {
		for (uint32_t s = 0; s < n; s++)
			if (w->hops[0][s] < HOPS_LOOP) {
				w->had_from[s]++;
				w->had_node[s]++;
				w->ok_node[s] = 1;
				lose_dead(w, dst, w->dead[s]);
				if (w->choices && w->ways[0]->worst[s] < HOPS_LOOP)
					w->x->spread += w->dead[s];
			}
		return;
	}
	if (flfr) {
		column_hops(w->left, w->col[0], dst, w->fixed, w->scratch);
		routing_columns(w->now, lid, 1, w->col[1]);
	} else {
		memcpy(w->col[1], w->col[0], n);
	}
	column_hops(w->left, w->col[1], dst, w->hops[1], w->scratch);
	if (w->choices)
		dest_ways(w->now, lid, w->ways[1]);
	memset(w->stop, 0xff, n * sizeof(*w->stop));
	for (uint32_t s = 0; s < n; s++)
		if (w->hops[0][s] < HOPS_LOOP && (w->alive[s] || w->dead[s]))
			outage_count_switch(w, s, dst, flfr && w->fixed[s] >= HOPS_LOOP);
	put_entries(w, lid);
}

/* --- hosts with several ports ----------------------------------------------------------------------- */

/* Paths from a node to the one at hand; *some: one of them arrives now. */
static uint32_t paths_from(const struct outage_work *w, uint32_t node, bool *some)
{
	const struct fabric *f = w->was->fabric;
	uint32_t paths = 0;

	*some = false;
	for (unsigned p = 0; p <= f->node_nports[node]; p++) {
		uint32_t ep = f->port_endport[f->node_port[node] + p];
		uint32_t s = ep == NO_ID ? NO_ID : w->was->endport_switch[ep];

		if (s == NO_ID || !routing_has_host(w->x->before, ep))
			continue;
		paths += w->had_node[s];
		*some |= w->left->endport_up[ep] && w->ok_node[s];
	}
	return paths;
}

static void find_peers(struct outage_work *w, uint32_t to)
{
	struct outage *x = w->x;
	bool some;

	for (uint32_t i = 0; i < w->n_nodes; i++) {
		uint32_t from = w->node[i];

		if (from == to || (w->ports[from] < 2 && w->ports[to] < 2) || !w->left->node_up[from])
			continue;
		uint32_t paths = paths_from(w, from, &some);
		if (some || paths < 2)
			continue;
		if (x->all_peers++ >= OUTAGE_MOST_PEERS)
			continue;
		ARENA_GROW(x, x->peers, x->n_peers, w->cap_peers);
		x->peers[x->n_peers++] = (struct outage_peers){.from = from, .to = to, .paths = paths};
	}
}

/* --- the whole -------------------------------------------------------------------------------------- */

/* All LIDs of one destination node. */
static void count_node(struct outage_work *w, uint32_t node)
{
	const struct routing *r = w->x->before;
	const struct fabric *f = w->was->fabric;
	bool look = w->n_graves;

	for (int turn = 0; turn < 2 && (look || !turn); turn++)
		for (unsigned p = 0; p <= f->node_nports[node]; p++) {
			uint32_t ep = f->port_endport[f->node_port[node] + p];
			unsigned base = ep == NO_ID ? 0 : r->lids->base[ep];

			if (!base || !routing_has_host(r, ep))
				continue;
			for (unsigned lid = base; lid < base + r->lids->count[ep]; lid++) {
				if (lid_owner(r->lids, lid) != ep)
					continue;
				look |= w->touched[lid];
				if (turn && (w->some_twice || w->n_graves || w->touched[lid]))
					outage_count_lid(w, lid, ep);
			}
		}
	if (!look || !w->some_twice)
		return;
	if (w->left->node_up[node])
		find_peers(w, node);
	memset(w->had_node, 0, f->n_switches * sizeof(*w->had_node));
	memset(w->ok_node, 0, f->n_switches);
}

COMPARATOR(by_port, struct outage_entry, UP(port) UP(lid))
COMPARATOR(most_pairs, struct outage_port, DOWN(pairs) UP(port))
COMPARATOR(most_cut, struct outage_host, DOWN(pairs) UP(endport))
COMPARATOR(by_nodes, struct outage_peers, UP(from) UP(to))

static void outage_list_ports(struct outage *x)
{
	if (x->n_entries)
		qsort(x->entry, x->n_entries, sizeof(*x->entry), by_port);
	for (size_t i = 0; i < x->n_entries; i++)
		x->n_ports += !i || x->entry[i].port != x->entry[i - 1].port;
	x->port = ARENA_ARRAY(x, (size_t)x->n_ports + 1, struct outage_port);
	x->n_ports = 0;
	for (size_t i = 0; i < x->n_entries; i++) {
		if (!i || x->entry[i].port != x->entry[i - 1].port)
			x->port[x->n_ports++] =
				(struct outage_port){.port = x->entry[i].port, .first = (uint32_t)i};
		x->port[x->n_ports - 1].lids++;
		x->port[x->n_ports - 1].pairs += x->entry[i].pairs;
	}
	qsort(x->port, x->n_ports, sizeof(*x->port), most_pairs);
}

static void outage_list_hosts(struct outage_work *w)
{
	struct outage *x = w->x;
	uint32_t n = w->was->fabric->n_endports;

	x->host = ARENA_ARRAY(x, (size_t)n + 1, struct outage_host);
	for (uint32_t ep = 0; ep < n; ep++) {
		struct outage_host h = {.endport = ep, .receives = w->receives[ep]};

		if (!routing_has_host(x->before, ep))
			continue;
		h.down = !w->left->endport_up[ep];
		h.sends = w->sends[ep] + (h.down ? w->had_from : w->lost_from)[w->was->endport_switch[ep]];
		h.pairs = h.sends + h.receives;
		if (h.pairs)
			x->host[x->n_hosts++] = h;
	}
	qsort(x->host, x->n_hosts, sizeof(*x->host), most_cut);
}

static struct outage *outage_run(const struct routing *r, const struct state *down, enum local_repair repair,
				 bool brief, struct progress *p, struct err *e)
{
	struct outage *x = ARENA_NEW(NULL, struct outage);
	AUTO_ARENA struct outage_work *w = ARENA_NEW(NULL, struct outage_work);
	bool ok = true;

	assert(down->n_links == r->topo->fabric->n_links && down->n_nodes == r->topo->fabric->n_nodes);
	*w = (struct outage_work){.x = x, .brief = brief};
	x->before = routing_unref_later(x, routing_ref(r));
	x->left = topo_unref_later(x, topo_without(r->topo, down));
	x->down = state_free_later(x, state_ref(down));
	x->repair = repair;
	x->after = OUTAGE_NO_AFTER;
	x->adaptive = r->adaptive != NULL;
	work_init(w);
	outage_sort_hosts(w);
	find_touched(w);
	progress_start(p, "looking for what is cut until the next sweep", w->n_nodes);
	for (uint32_t i = 0; ok && i < w->n_nodes; i++) {
		ok = progress_step(p, i);
		if (ok)
			count_node(w, w->node[i]);
	}
	if (ok && !brief) {
		outage_list_ports(x);
		outage_list_hosts(w);
		if (x->n_peers)
			qsort(x->peers, x->n_peers, sizeof(*x->peers), by_nodes);
	}
	if (ok)
		return x;
	arena_free(x);
	err_set(e, CANCELLED);
	return NULL;
}

struct outage *outage_between(const struct sweep *before, const struct sweep *after, struct progress *p,
			      struct err *e)
{
	assert(before->routing);
	const struct setup *now = after->setup;
	bool same = before->fabric == after->fabric;
	struct host_set *hosts =
		same ? host_set_ref((struct host_set *)after->hosts)
		     : host_set_new(before->fabric, setup_counts_aggregation(now), now->scope);
	AUTO_STATE const struct state *down =
		same ? state_ref(now->state) : state_on(now->state, after->fabric, before->fabric, true);
	AUTO_ROUTING struct routing *r = routing_with_hosts(before->routing, hosts);
	struct outage *x = outage_new(r, down, local_repair_of(now->options), p, e);

	host_set_unref(hosts);
	return x;
}

struct outage *outage_ahead(const struct sweep *w, const struct setup *setup,
			    const struct engine *const *engines, struct progress *p, struct err *e)
{
	assert(w->routing && fabric_alike(setup->fabric, w->fabric));
	AUTO_SWEEP struct sweep *after = sweep_run(
		&(struct sweep_request){.setup = setup, .engines = engines, .prev = w, .progress = p}, e);
	AUTO_ARENA struct comparison *c =
		after && after->routing ? compare_routings(w->routing, after->routing, p) : NULL;
	struct outage *x =
		after ? outage_new(w->routing, setup->state, local_repair_of(setup->options), p, e) : NULL;

	if (x && c)
		x->after = c->lost;
	return x;
}

struct outage *outage_new(const struct routing *r, const struct state *down, enum local_repair repair,
			  struct progress *p, struct err *e)
{
	return outage_run(r, down, repair, false, p, e);
}

int outage_count(const struct routing *r, const struct state *down, enum local_repair repair, uint64_t *cut,
		 struct progress *p, struct err *e)
{
	struct outage *x = outage_run(r, down, repair, true, p, e);

	*cut = x ? x->cut : 0;
	arena_free(x);
	return x ? 0 : -1;
}

/* The outage in words. */

void outage_tell(const struct outage *x, struct text *t)
{
	assert(x->end_down <= x->cut && x->looping <= x->cut && x->cut <= x->hit);
	text_add(t, "Until the next sweep %s", PLURAL(x->cut, "pair"));
	if (x->n_hosts)
		text_add(t, " of %s", PLURAL(x->n_hosts, "host port"));
	text_add(t, " %s cut", x->cut == 1 ? "is" : "are");
	if (x->end_down)
		text_add(t, " (%" PRIu64 " with an end that is down)", x->end_down);
	if (x->after == OUTAGE_NO_AFTER)
		text_add(t, "; no tables come after it.");
	else
		text_add(t, "; after it %" PRIu64 ".", x->after);
	if (x->hit > x->cut)
		text_add(t, " %s %s on by another port of the group (local_repair).",
			 PLURAL(x->hit - x->cut, "other pair"), x->hit - x->cut == 1 ? "goes" : "go");
	if (x->looping)
		text_add(t, " %" PRIu64 " of the cut ones loop behind a repair.", x->looping);
	if (x->adaptive)
		text_add(t, " Of packets that may be spread, %s can lose some.", PLURAL(x->spread, "pair"));
	if (x->all_peers)
		text_add(t, " %s of hosts with several ports %s cut on all paths.",
			 PLURAL(x->all_peers, "pair"), x->all_peers == 1 ? "is" : "are");
}

void outage_lids(const struct outage *x, const struct outage_port *p, struct text *t)
{
	const struct outage_entry *e = x->entry + p->first;

	assert(p->first + p->lids <= x->n_entries);
	for (uint32_t i = 0, n; i < p->lids; i += n) {
		for (n = 1; i + n < p->lids && e[i + n].lid == e[i].lid + n;)
			n++;
		text_add(t, "%s%u", i ? " " : "", e[i].lid);
		if (n > 1)
			text_add(t, "-%u", e[i].lid + n - 1);
	}
}

const struct field outage_port_fields[] = {
	FIELD_BY_CODE("switch", "port", "the switch, and its port that leads nowhere; 0: it has no entry"),
	FIELD("pairs", struct outage_port, pairs, NULL, "pairs", "pairs that are lost there"),
	FIELD_BY_CODE("lids[]", "lid", "LIDs whose packets are lost there"),
	{.key = NULL},
};

const struct field outage_host_fields[] = {
	FIELD_BY_CODE("host", "endport", "the host port"),
	FIELD("pairs", struct outage_host, pairs, NULL, "pairs", "pairs of its own that are cut"),
	FIELD("sends", struct outage_host, sends, NULL, "from it", "of these: from it to others"),
	FIELD("receives", struct outage_host, receives, NULL, "to it", "of these: from others to it"),
	FIELD("down", struct outage_host, down, NULL, NULL, "it is down, or its cable or switch is"),
	{.key = NULL},
};

const struct field outage_peers_fields[] = {
	FIELD_BY_CODE("from", "node", "a host"),
	FIELD_BY_CODE("to", "node", "the other; one of the two at least has several ports"),
	FIELD("paths", struct outage_peers, paths, NULL, "paths",
	      "paths from its ports to LIDs of the other; all pass what failed"),
	{.key = NULL},
};

const struct field outage_job_fields[] = {
	FIELD("job", struct outage_job, name, NULL, "job", "number or name"),
	FIELD("hosts", struct outage_job, hosts, NULL, "hosts", "its host ports in the fabric"),
	FIELD("seen_by", struct outage_job, seen, NULL, "seen by", "of these: with pairs that are cut"),
	FIELD("pairs", struct outage_job, pairs, NULL, "pairs", "pairs between its hosts that are cut"),
	FIELD("end_down", struct outage_job, end_down, NULL, "end down", "of these: an end is down"),
	{.key = NULL},
};
