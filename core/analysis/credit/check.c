/* The check of a routing: lost pairs, dependencies of many destinations at once, credit loops. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/check.h"
#include "core/analysis/credit/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/* Channel dependencies of many destinations at once, where all routes are on one VL. */

/* Of destinations that are counted together. */
struct flows {
	uint32_t *from;	  /* [n] sources on a switch */
	uint32_t *source; /* [n_endports] 1: the endport is one */
	uint32_t *flow;	  /* [n][LIDs of a group] routes that came to a switch */
	size_t *row;	  /* [n_ports] first cell of a port that sends, in: */
	uint32_t *next;	  /* routes by that port and the one by which the next switch sends them on */
	unsigned vl;
};

static void count_group(struct cdg_counting *k, const struct alike *a, const struct flows *w)
{
	uint32_t *load = k->load[w->vl], *begin = k->begin[w->vl], *matrix = k->matrix[w->vl][w->vl];
	unsigned m = a->n;

	memset(w->flow, 0, (size_t)k->n * m * sizeof(*w->flow));
	for (uint32_t j = a->n_order; j-- > 0;) {
		uint32_t s = a->order[j], base = switch_port_id(k->f, s, 0);
		const uint8_t *port = a->port + (size_t)s * m;
		uint32_t *flow = w->flow + (size_t)s * m;

		for (unsigned i = 0; i < m; i++) {
			uint32_t own = s == a->sw && w->source[lid_owner(k->r->lids, a->lid[i])];
			uint32_t id = base + port[i], start = w->from[s] - own, all = flow[i] + start;

			if (start) {
				k->c->vl_routes[w->vl] += start;
				begin[id]++;
				begin[base]++;
				matrix[k->at[s] + port[i]]++;
			}
			uint32_t q = k->t->peer_switch[id];
			load[id] += all; /* of all hosts to all LIDs fits in 32 bits */
			if (q == NO_ID)
				continue;
			w->flow[(size_t)q * m + i] += all;
			w->next[w->row[id] + a->port[(size_t)q * m + i]] += all;
		}
	}
}

/* Do all routes stay on one VL, that of SL 0, and nothing is dropped? */
static bool one_vl(const struct cdg_counting *k)
{
	unsigned vl = sl2vl_of(k->map, 0);

	return k->steady && k->grouped && !k->c->switches && !k->r->adaptive && !routing_has_sls(k->r) &&
	       vl != CDG_DROP_VL && cdg_wanted(k, vl) && k->n_sources > 1;
}

bool cdg_count_alike(struct cdg_counting *k, uint8_t *left, struct progress *p)
{
	struct flows w = {.vl = sl2vl_of(k->map, 0)};
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct alike a;
	size_t cells = 0;
	bool go_on = true;

	if (!one_vl(k))
		return true;
	if (!cdg_counters(k, &k->load[w.vl], k->f->n_ports) ||
	    !cdg_counters(k, &k->begin[w.vl], k->f->n_ports) ||
	    !cdg_counters(k, &k->matrix[w.vl][w.vl], k->cells))
		return false;
	w.from = ARENA_ARRAY(arena, k->n, uint32_t);
	w.source = ARENA_ARRAY(arena, k->f->n_endports, uint32_t);
	w.flow = ARENA_ARRAY(arena, (size_t)k->n * ALIKE_MOST, uint32_t);
	w.row = ARENA_ARRAY(arena, k->f->n_ports, size_t);
	for (uint32_t i = 0; i < k->n_sources; i++) {
		w.from[k->source[i].sw]++;
		w.source[k->source[i].endport] = 1;
	}
	for (uint32_t s = 0; s < k->n; s++)
		FOR_CABLES(k->t, s, id, to) {
			w.row[id] = cells;
			cells += k->f->switch_nports[to] + 1u;
		}
	w.next = ARENA_ARRAY(arena, cells, uint32_t);
	alike_start(&a, k->r, left);
	progress_start(p, "channel dependencies", k->n);
	for (uint32_t sw = 0; sw < k->n && (go_on = progress_step(p, sw)); sw++)
		while (alike_next(&a, sw)) {
			alike_order(&a);
			count_group(k, &a, &w);
		}
	k->c->used |= k->c->vl_routes[w.vl] ? 1u << w.vl : 0;
	for (uint32_t s = 0; s < k->n; s++)
		FOR_CABLES(k->t, s, id, to) {
			unsigned in = k->f->port_num[k->t->peer[id]], ports = k->f->switch_nports[to] + 1u;

			for (unsigned out = 0; out < ports; out++)
				k->matrix[w.vl][w.vl][k->at[to] + (size_t)in * ports + out] +=
					w.next[w.row[id] + out];
		}
	alike_end(&a);
	return go_on;
}

/* --- loops alone ------------------------------------------------------------------------------ */

/* Dependencies between switches. */
struct together_ahead {
	const struct cdg_source **start; /* [n_start] a source of each switch, or all */
	uint32_t n_start, *from;	 /* [n] sources on a switch */
	sl2vl_map *own;			 /* [n_start] of the link of a source */
	unsigned words;			 /* of a set of ports */
	/* By VLs: [n_ports][words] ports by which the next switch sends on what a port sends; NULL = none. */
	uint64_t *set[CDG_VLS][CDG_VLS];
	/* By kind (SL, if the VL depends on more, and VL): [n] LIDs of a group, a bit each, whose routes
	 * leave a switch so. */
	uint64_t *group[CDG_VLS * CDG_VLS];
	uint8_t kind[CDG_VLS * CDG_VLS]; /* [n_kinds] those in use */
	unsigned n_kinds;
	uint32_t used; /* VLs; also CDG_DROP_VL */
	bool one;      /* routes to the first LID of the group stand for all, but at their own switch */
};

/* Routes to LIDs leave a switch on a VL. */
static void together_leave(const struct cdg_counting *k, struct together_ahead *w, uint32_t sw, unsigned sl,
			   unsigned vl, uint64_t lids)
{
	unsigned x = (k->steady ? 0 : sl) * CDG_VLS + vl;

	w->used |= 1u << vl;
	if (!w->group[x]) {
		w->group[x] = ARENA_ARRAY(k->arena, k->n, uint64_t);
		w->kind[w->n_kinds++] = (uint8_t)x;
	}
	w->group[x][sw] |= lids;
}

static uint64_t *set_of(const struct cdg_counting *k, struct together_ahead *w, unsigned va, unsigned vb)
{
	if (!w->set[va][vb])
		w->set[va][vb] = ARENA_ARRAY(k->arena, (size_t)k->f->n_ports * w->words, uint64_t);
	return w->set[va][vb];
}

/* Starts the routes to a group. */
static void start_group(const struct cdg_counting *k, const struct alike *a, struct together_ahead *w)
{
	bool at_once = k->steady && routing_sls_by_switch(k->r);

	for (uint32_t n = 0; n < w->n_start; n++) {
		const struct cdg_source *s = w->start[n];
		uint64_t lids = w->one && s->sw != a->sw ? 1 : ~0ull >> (64 - a->n), next;

		if (a->hops[s->sw] >= HOPS_LOOP || (k->grouped && w->from[s->sw] == (s->sw == a->sw)))
			continue;
		for (; lids; lids = next) {
			unsigned i = (unsigned)__builtin_ctzll(lids);
			unsigned out = k->steady ? 0 : a->port[(size_t)s->sw * a->n + i];

			next = at_once ? 0 : lids & (lids - 1);
			if (!k->grouped && s->endport == lid_owner(k->r->lids, a->lid[i]))
				continue;
			struct sl_range sl = routing_sl(k->r, s->lid, a->lid[i]);
			for (unsigned v = sl.lo; v <= sl.hi; v++) {
				unsigned vl = k->steady ? sl2vl_of(k->map, v)
							: routing_vl(k->r, s->sw, s->in, out, v) & 15;

				w->used |= 1u << (w->own ? sl2vl_of(w->own[n], v) : vl);
				together_leave(k, w, s->sw, v, vl, lids ^ next);
			}
		}
	}
}

/* Do all switches but the last have one entry for all LIDs of a group, and one SL? */
static bool one_way(const struct cdg_counting *k, const struct alike *a)
{
	for (uint32_t j = 1; j < a->n_order; j++) {
		const uint8_t *port = a->port + (size_t)a->order[j] * a->n;

		if (memcmp(port, port + 1, a->n - 1))
			return false;
	}
	return routing_sls_by_switch(k->r);
}

/*
 * Packets of a kind to LID i of a group go from s to the next switch: the channel gets its dependencies
 * there.  If the LID stands for all, they may take the port of any LID of the group at the last switch.
 */
static void note_hop(const struct cdg_counting *k, const struct alike *a, struct together_ahead *w,
		     unsigned kind, uint32_t s, unsigned i)
{
	unsigned vl = kind % CDG_VLS, sl = kind / CDG_VLS;
	uint32_t id = switch_port_id(k->f, s, a->port[(size_t)s * a->n + i]), next = k->t->peer_switch[id];
	const uint8_t *outs = a->port + (size_t)next * a->n;
	unsigned in = k->f->port_num[k->t->peer[id]], end = w->one && next == a->sw ? a->n : i + 1;

	for (unsigned l = i; l < end; l++) {
		unsigned vb = routing_vl(k->r, next, in, outs[l], sl) & 15;

		together_leave(k, w, next, sl, vb, 1ull << l);
		set_of(k, w, vl, vb)[(size_t)id * w->words + outs[l] / 64] |= 1ull << outs[l] % 64;
	}
}

/* The same where no hop changes the VL. */
static void note_steady(const struct cdg_counting *k, const struct alike *a, struct together_ahead *w,
			uint32_t s, uint64_t lids, unsigned vl)
{
	uint64_t *group = w->group[vl], *set = lids ? set_of(k, w, vl, vl) : NULL;
	const uint8_t *port = a->port + (size_t)s * a->n;

	for (; lids; lids &= lids - 1) {
		unsigned i = (unsigned)__builtin_ctzll(lids);
		uint32_t id = switch_port_id(k->f, s, port[i]), next = k->t->peer_switch[id];
		unsigned out = a->port[(size_t)next * a->n + i];

		group[next] |= 1ull << i;
		set[(size_t)id * w->words + out / 64] |= 1ull << out % 64;
	}
}

static void note_group(const struct cdg_counting *k, const struct alike *a, struct together_ahead *w)
{
	w->one = one_way(k, a);
	start_group(k, a, w);
	for (uint32_t j = a->n_order; j-- > 0;) {
		uint32_t s = a->order[j];

		for (unsigned x = 0; x < w->n_kinds; x++) {
			unsigned kind = w->kind[x];
			uint64_t *group = w->group[kind];
			uint64_t pass = j ? group[s] : 0; /* the last switch sends to the hosts */

			group[s] = 0;
			if (k->steady)
				note_steady(k, a, w, s, pass, kind % CDG_VLS);
			else
				for (; pass; pass &= pass - 1)
					note_hop(k, a, w, kind, s, (unsigned)__builtin_ctzll(pass));
		}
	}
}

/* The same of all ways to a LID that adaptive routing may take; all on one VL. */
static void note_ways(const struct cdg_counting *k, const struct alike *a, struct together_ahead *w)
{
	const struct port_set *set = k->ways->set;

	w->one = true;
	start_group(k, a, w);
	uint64_t *group = w->group[sl2vl_of(k->map, 0)];
	uint64_t *ahead = set_of(k, w, sl2vl_of(k->map, 0), sl2vl_of(k->map, 0));
	for (uint32_t j = a->n_order; group && j-- > 0;) {
		uint32_t s = a->order[j];
		bool pass = j && group[s];

		group[s] = 0;
		for (unsigned p = pass ? port_set_next(&set[s], 0) : 256; p < 256;
		     p = port_set_next(&set[s], p + 1)) {
			uint32_t id = switch_port_id(k->f, s, p), next = k->t->peer_switch[id];

			group[next] = 1;
			for (unsigned x = 0; x < w->words; x++)
				ahead[(size_t)id * w->words + x] |= set[next].word[x];
		}
	}
}

static void note_adaptive(struct cdg_counting *k, struct alike *a, struct together_ahead *w)
{
	for (a->n = 1; a->lid_at[a->sw] + a->taken < a->lid_at[a->sw + 1]; a->taken++) {
		a->lid[0] = a->lid_of[a->lid_at[a->sw] + a->taken];
		if (dest_ways(k->r, a->lid[0], k->ways))
			continue;
		memcpy(a->hops, k->ways->worst, k->n * sizeof(*a->hops));
		alike_order(a);
		note_ways(k, a, w);
	}
}

/* LIDs that are not like others of their switch, one by one. */
static bool note_left(struct cdg_counting *k, struct alike *a, struct together_ahead *w, struct progress *p)
{
	AUTO_FREE uint8_t *block = NEW_ARRAY((size_t)k->n * COLUMN_BLOCK, uint8_t);
	unsigned lid0 = 0;
	bool go_on = true;

	for (unsigned lid = 1; !k->r->adaptive && lid <= k->r->lids->max_lid && go_on; lid++) {
		uint32_t owner = lid_owner(k->r->lids, lid);

		if (!a->left[lid])
			continue;
		go_on = progress_step(p, lid);
		if (!lid0 || lid >= lid0 + COLUMN_BLOCK)
			routing_columns(k->r, lid0 = lid, COLUMN_BLOCK, block);
		a->port = block + (size_t)(lid - lid0) * k->n;
		a->n = 1;
		a->lid[0] = (uint16_t)lid;
		a->sw = k->t->endport_switch[owner];
		column_hops(k->t, a->port, owner, a->hops, a->work);
		alike_order(a);
		note_group(k, a, w);
	}
	return go_on;
}

/* Channels between switches that routes use, and their dependencies. */
static void list_ahead(const struct cdg_counting *k, const struct together_ahead *w, struct cdg *c)
{
	AUTO_FREE uint32_t *number = NEW_ARRAY((size_t)CDG_VLS * k->f->n_ports, uint32_t); /* by VL; from 1 */
	uint32_t cap = 0, cap_vl = 0, cap_to = 0, n = 0;

	for (unsigned vl = 0; vl < CDG_VLS; vl++)
		for (uint32_t s = 0; w->used >> vl & 1 && s < k->n; s++)
			FOR_CABLES(k->t, s, id, to) {
				bool used = false;

				for (unsigned vb = 0; vb < CDG_VLS; vb++)
					for (unsigned x = 0; w->set[vl][vb] && x < w->words; x++)
						used |= w->set[vl][vb][(size_t)id * w->words + x] != 0;
				if (!used)
					continue;
				ARENA_GROW(c, c->port, c->n_channels, cap);
				ARENA_GROW(c, c->vl, c->n_channels, cap_vl);
				c->vl[c->n_channels] = (uint8_t)vl;
				c->port[c->n_channels++] = id;
				number[(size_t)vl * k->f->n_ports + id] = c->n_channels;
			}
	c->first = ARENA_ARRAY(c, c->n_channels + 1u, uint32_t);
	for (; n < c->n_channels; n++) {
		uint32_t id = c->port[n], base = switch_port_id(k->f, k->t->peer_switch[id], 0);

		c->first[n] = c->n_deps;
		for (unsigned vb = 0; vb < CDG_VLS; vb++) {
			const uint64_t *set = w->set[c->vl[n]][vb];

			for (unsigned x = 0; set && x < w->words; x++)
				for (uint64_t left = set[(size_t)id * w->words + x]; left; left &= left - 1) {
					uint32_t next = number[(size_t)vb * k->f->n_ports + base + 64 * x +
							       (unsigned)__builtin_ctzll(left)];

					if (!next)
						continue;
					ARENA_GROW(c, c->to, c->n_deps, cap_to);
					c->to[c->n_deps++] = next - 1;
				}
		}
	}
	c->first[n] = c->n_deps;
}

/* The graph of channels between switches without counts; NULL: routes are dropped, which needs a count, or
 * cancelled. */
static struct cdg *graph_ahead(const struct routing *r, struct progress *p)
{
	struct cdg *c = ARENA_NEW(NULL, struct cdg);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	uint8_t *left = ARENA_ARRAY(arena, r->lids->max_lid + 1u, uint8_t);
	struct cdg_counting k;
	struct together_ahead w = {.words = 1};
	struct alike a;
	bool done = true;

	c->routing = routing_unref_later(c, routing_ref(r));
	c->want = CDG_ALL_VLS;
	cdg_counting_start(arena, &k, c);
	for (uint32_t s = 0; s < k.n; s++)
		w.words = MAX(k.f->switch_nports[s] / 64u + 1, w.words);
	w.from = ARENA_ARRAY(arena, k.n, uint32_t);
	w.start = ARENA_ARRAY(arena, k.n_sources, const struct cdg_source *);
	w.own = routing_endport_known(r) ? ARENA_ARRAY(arena, k.n_sources, sl2vl_map) : NULL;
	for (uint32_t i = 0; i < k.n_sources; i++) {
		if (w.from[k.source[i].sw]++ && k.grouped)
			continue;
		if (w.own)
			w.own[w.n_start] = routing_endport_map(r, k.source[i].endport);
		w.start[w.n_start++] = &k.source[i];
	}
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++)
		left[lid] = cdg_is_destination(r, false, lid);
	alike_start(&a, r, left);
	progress_start(p, "channel dependencies", k.n);
	for (uint32_t sw = 0; sw < k.n && done; sw++) {
		while (alike_next(&a, sw)) {
			alike_order(&a);
			note_group(&k, &a, &w);
		}
		if (r->adaptive)
			note_adaptive(&k, &a, &w);
		done = progress_step(p, sw);
	}
	done = done && note_left(&k, &a, &w, p) && !(w.used >> CDG_DROP_VL & 1);
	if (done)
		list_ahead(&k, &w, c);
	c->used = w.used;
	done = done && cdg_find_components(c, p);
	alike_end(&a);
	if (done)
		return c;
	arena_free(c);
	return NULL;
}

struct cdg *cdg_new_loops(const struct routing *r, struct progress *p, struct err *e)
{
	bool one_vl = !routing_has_sls(r) && !routing_has_maps(r) && !routing_endport_known(r);
	struct cdg *c = r->adaptive && !one_vl ? NULL : graph_ahead(r, p);

	if (c && !c->n_components)
		return c;
	arena_free(c);
	return cdg_new(r, CDG_ALL_VLS, false, p, e);
}

static void add_example(struct check_result *c, const struct routing *r, uint32_t sw, unsigned lid,
			const struct dest_ways *w)
{
	const struct fabric *f = r->topo->fabric;
	struct path p;

	if (c->n_examples == ARRAY_LEN(c->example))
		return;
	path_trace_worst(r, f->port_endport[f->switch_port[sw]], 0, lid, w, &p);
	c->example[c->n_examples++] = (struct check_example){sw, lid, p.end};
	path_free(&p);
}

struct credit_check {
	struct check_result *c;
	const struct routing *r;
	const uint32_t *hosts;		 /* [n_switches] that count */
	const struct check_listener *to; /* NULL: nobody listens */
	struct progress *p;
};

/* w: what hops[] is of, with adaptive routing. */
static void credit_check_count_lid(const struct credit_check *k, unsigned lid, const uint16_t *hops,
				   const struct dest_ways *w)
{
	struct check_result *c = k->c;
	const struct topo *t = k->r->topo;
	uint32_t ep = lid_owner(k->r->lids, lid);
	bool to_switch = endport_is_switch(t->fabric, ep);

	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		uint32_t n = k->hosts[s] - (!to_switch && t->endport_switch[ep] == s);
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
			add_example(c, k->r, s, lid, w);
			if (k->to)
				k->to->broken(k->to->ctx, s, lid, hops[s] == HOPS_LOOP);
			continue;
		}
		c->max_hops = MAX(links, c->max_hops);
		c->hops_count[MIN(links, 63)] += n;
	}
}

/* An order of endports by their partitions; 0: in the same ones, in the same way. */
static int order_partitions(const struct pair_sls *s, uint32_t a, uint32_t b)
{
	uint32_t n = s->first[a + 1] - s->first[a];

	ORDER(n, s->first[b + 1] - s->first[b]);
	return memcmp(s->member + s->first[a], s->member + s->first[b], n * sizeof(*s->member));
}

static int by_partitions(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = order_partitions(ctx, a, b);

	return c ? c : COMPARED(a, b);
}

/* Ports in the same partitions, in the same way. */
struct alike_ports {
	uint32_t n, some, other; /* two different ones, or the same one twice */
	uint64_t lids;
};

/* Counts pairs without a common P_Key, those of such ports together. */
static bool credit_check_count_apart(struct check_result *c, const struct routing *r, struct progress *p)
{
	const struct pair_sls *s = r->pair_sls;
	uint32_t n = 0, n_groups = 0;
	bool go_on = true;

	if (!s || s->one || !s->first)
		return true;
	AUTO_FREE uint32_t *ep = NEW_ARRAY(s->n_endports + 1, uint32_t);
	AUTO_FREE struct alike_ports *g = NEW_ARRAY(s->n_endports + 1, struct alike_ports);
	for (uint32_t i = 0; i < s->n_endports; i++)
		if (routing_has_host(r, i))
			ep[n++] = i;
	qsort_r(ep, n, sizeof(*ep), by_partitions, (void *)s);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || order_partitions(s, ep[i - 1], ep[i]))
			g[n_groups++].some = ep[i];
		g[n_groups - 1].n++;
		g[n_groups - 1].other = ep[i];
		g[n_groups - 1].lids += r->lids->count[ep[i]];
	}
	for (uint32_t i = 0; i < n_groups && (go_on = !progress_cancelled(p)); i++)
		for (uint32_t k = i; k < n_groups; k++) {
			uint64_t pairs =
				k == i ? (g[i].n - 1) * g[i].lids : g[i].n * g[k].lids + g[k].n * g[i].lids;

			if (!pairs || pair_sls_common(s, g[i].some, g[k].other, false))
				continue;
			if (!c->apart) {
				c->apart_from = g[i].some;
				c->apart_to = g[k].other;
			}
			c->apart += pairs;
			c->apart_limited += pair_sls_common(s, g[i].some, g[k].other, true) ? pairs : 0;
		}
	return go_on;
}

/* Counts LIDs whose ways all arrive, those of each switch together; the others are still in a->left[]. */
static bool count_alike(const struct credit_check *k, struct alike *a)
{
	struct check_result *c = k->c;
	const struct topo *t = a->r->topo;
	uint32_t n = t->fabric->n_switches;
	bool go_on = true;

	for (uint32_t sw = 0; sw < n && (go_on = progress_step(k->p, sw)); sw++)
		while (alike_next(a, sw)) {
			unsigned to_hosts = 0;
			bool arrive = true;

			for (unsigned i = 0; i < a->n; i++)
				to_hosts += !endport_is_switch(t->fabric, lid_owner(a->r->lids, a->lid[i]));
			for (uint32_t s = 0; arrive && s < n; s++)
				arrive = !k->hosts[s] || a->hops[s] != HOPS_NONE;
			for (unsigned i = 0; !arrive && i < a->n; i++)
				a->left[a->lid[i]] = 1;
			for (uint32_t s = 0; arrive && to_hosts && s < n; s++) {
				uint64_t pairs = (uint64_t)(k->hosts[s] - (s == sw)) * to_hosts;
				unsigned links = a->hops[s] + 1u;

				if (!k->hosts[s] || !pairs)
					continue;
				c->pairs += pairs;
				c->max_hops = MAX(links, c->max_hops);
				c->hops_count[MIN(links, 63)] += pairs;
			}
		}
	return go_on;
}

/* The same where switches choose among ports. */
static bool count_ways(const struct credit_check *k, const struct alike *a)
{
	uint32_t n = a->r->topo->fabric->n_switches;
	bool go_on = true;

	if (!a->r->adaptive)
		return true;
	AUTO_ARENA struct dest_ways *w = dest_ways_new(NULL, a->r);
	for (uint32_t sw = 0; sw < n && (go_on = progress_step(k->p, sw)); sw++)
		for (uint32_t at = a->lid_at[sw]; at < a->lid_at[sw + 1]; at++) {
			unsigned lid = a->lid_of[at];
			bool arrive = true;

			dest_ways(a->r, lid, w);
			for (uint32_t s = 0; arrive && s < n; s++)
				arrive = !k->hosts[s] || w->worst[s] < HOPS_LOOP;
			if (arrive)
				credit_check_count_lid(k, lid, w->worst, w);
			a->left[lid] = !arrive;
		}
	return go_on;
}

/* Counts LIDs one by one. */
static bool count_left(const struct credit_check *k, const uint8_t *left)
{
	const struct routing *r = k->r;
	uint32_t n = r->topo->fabric->n_switches;
	AUTO_FREE uint8_t *col = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n, uint16_t);
	AUTO_FREE uint32_t *work = NEW_ARRAY(n, uint32_t);
	AUTO_ARENA struct dest_ways *w = r->adaptive ? dest_ways_new(NULL, r) : NULL;
	unsigned lid0 = 0;
	bool go_on = true;

	for (unsigned lid = 1; lid <= r->lids->max_lid && go_on; lid++) {
		if (!left[lid])
			continue;
		go_on = progress_step(k->p, lid);
		if (!lid0 || lid >= lid0 + COLUMN_BLOCK)
			routing_columns(r, lid0 = lid, COLUMN_BLOCK, col);
		if (w)
			dest_ways(r, lid, w);
		else
			column_hops(r->topo, col + (size_t)(lid - lid0) * n, lid_owner(r->lids, lid), hops,
				    work);
		credit_check_count_lid(k, lid, w ? w->worst : hops, w);
	}
	return go_on;
}

/* Counts pairs from hosts whose own cables carry no data.  None arrives. */
static void count_mute(struct check_result *c, const struct routing *r)
{
	uint64_t lids = r->topo->data ? routing_host_lids(r) : 0;

	for (uint32_t ep = 0; r->topo->data && ep < r->topo->fabric->n_endports; ep++)
		if (routing_mute_host(r, ep) && r->lids->base[ep]) {
			c->pairs += lids - r->lids->count[ep];
			c->unreachable += lids - r->lids->count[ep];
		}
}

bool check_shared_lid(const struct routing *r, const uint32_t *hosts, uint32_t endport, uint64_t *pairs,
		      uint64_t *lost)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;
	AUTO_FREE uint8_t *col = NULL;
	AUTO_FREE uint16_t *hops = NULL;
	AUTO_FREE uint32_t *work = NULL;

	assert(endport < t->fabric->n_endports);
	*pairs = *lost = 0;
	for (unsigned i = 0; routing_has_host(r, endport) && i < r->lids->count[endport]; i++) {
		unsigned lid = r->lids->base[endport] + i;

		if (lid_owner(r->lids, lid) == endport)
			continue;
		col = col ? col : NEW_ARRAY(n, uint8_t);
		hops = hops ? hops : NEW_ARRAY(n, uint16_t);
		work = work ? work : NEW_ARRAY(n, uint32_t);
		routing_columns(r, lid, 1, col);
		column_hops(t, col, endport, hops, work);
		for (uint32_t s = 0; s < n; s++) {
			uint32_t from = hosts[s] - (t->endport_switch[endport] == s);

			*pairs += from;
			*lost += hops[s] >= HOPS_LOOP ? from : 0;
		}
	}
	return *pairs > 0;
}

/* Counts pairs to hosts whose LID another port has, too. */
static void count_shared(struct check_result *c, const struct routing *r, const uint32_t *hosts)
{
	uint64_t pairs, lost;

	for (uint32_t ep = 0; ep < r->topo->fabric->n_endports; ep++)
		if (check_shared_lid(r, hosts, ep, &pairs, &lost)) {
			c->pairs += pairs;
			c->unreachable += lost;
			c->misled += lost;
		}
}

int check_routing(const struct routing *r, struct check_result *c, struct progress *p)
{
	return check_routing_to(r, c, NULL, p);
}

int check_routing_to(const struct routing *r, struct check_result *c, const struct check_listener *to,
		     struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	assert(r->lids->n_endports == f->n_endports);
	AUTO_ARENA uint32_t *hosts = routing_hosts(NULL, r);
	AUTO_FREE uint8_t *left = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t);
	const struct credit_check k = {.c = c, .r = r, .hosts = hosts, .to = to, .p = p};
	struct alike a;

	*c = (struct check_result){0};
	progress_start(p, "checking paths", r->lids->max_lid);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (r->topo->endport_up[ep] && host_set_matters(r->hosts, f, ep))
			c->no_lid += !r->lids->base[ep];
	count_mute(c, r);
	count_shared(c, r, hosts);
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t owner = lid_owner(r->lids, lid);

		left[lid] = owner != NO_ID && (routing_counts(r, owner) || endport_is_switch(f, owner));
	}
	alike_start(&a, r, left);
	bool done = count_alike(&k, &a) && count_ways(&k, &a) && count_left(&k, left) &&
		    credit_check_count_apart(c, r, p);
	assert(!done || (c->looping <= c->unreachable && c->unreachable <= c->pairs));
	alike_end(&a);
	return done ? 0 : -1;
}
