/* Channel dependencies of many destinations at once, where all routes are on one VL. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/internal.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/routing/alike.h"

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
			uint32_t id = base + port[i], start = w->from[s] - own, all = flow[i] + start, q;

			if (start) {
				k->c->vl_routes[w->vl] += start;
				begin[id]++;
				begin[base]++;
				matrix[k->at[s] + port[i]]++;
			}
			q = k->t->peer_switch[id];
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

/* Counts LIDs of hosts, those of a switch together, where all routes are on one VL.  The others stay in
 * left[]. */
bool cdg_count_alike(struct cdg_counting *k, uint8_t *left, struct progress *p)
{
	struct flows w = {.vl = sl2vl_of(k->map, 0)};
	struct alike a;
	size_t cells = 0;
	bool go_on = true;

	if (!one_vl(k))
		return true;
	if (!cdg_counters(k, &k->load[w.vl], k->f->n_ports) ||
	    !cdg_counters(k, &k->begin[w.vl], k->f->n_ports) ||
	    !cdg_counters(k, &k->matrix[w.vl][w.vl], k->cells))
		return false;
	w.from = NEW_ARRAY(k->n, uint32_t);
	w.source = NEW_ARRAY(k->f->n_endports, uint32_t);
	w.flow = NEW_ARRAY((size_t)k->n * ALIKE_MOST, uint32_t);
	w.row = NEW_ARRAY(k->f->n_ports, size_t);
	for (uint32_t i = 0; i < k->n_sources; i++) {
		w.from[k->source[i].sw]++;
		w.source[k->source[i].endport] = 1;
	}
	for (uint32_t s = 0; s < k->n; s++)
		FOR_CABLES(k->t, s, id, to) {
			w.row[id] = cells;
			cells += k->f->switch_nports[to] + 1u;
		}
	w.next = NEW_ARRAY(cells, uint32_t);
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
	FREE_EACH(w.from, w.source, w.flow, w.row, w.next);
	return go_on;
}

/* --- loops alone ------------------------------------------------------------------------------ */

/* Dependencies between switches where all routes are on one VL. */
struct ahead {
	uint32_t *from;	 /* [n] sources on a switch */
	unsigned words;	 /* of a set of ports */
	uint64_t *set;	 /* [n_ports][words] ports by which the next switch sends on what a port sends */
	uint64_t *group; /* [n] LIDs of a group, a bit each, whose routes pass a switch */
	bool started;	 /* some route begins */
};

static void note_group(const struct cdg_counting *k, const struct alike *a, struct ahead *w)
{
	unsigned m = a->n;

	for (uint32_t j = 0; j < a->n_order; j++)
		w->started |= w->from[a->order[j]] > (a->order[j] == a->sw);

	memset(w->group, 0, k->n * sizeof(*w->group));
	for (uint32_t j = a->n_order; j-- > 1;) { /* all but the first, which sends to the hosts */
		uint32_t s = a->order[j], base = switch_port_id(k->f, s, 0);
		const uint8_t *port = a->port + (size_t)s * m;
		uint64_t pass = w->from[s] ? ~0ull >> (64 - m) : w->group[s];

		for (; pass; pass &= pass - 1) {
			unsigned i = (unsigned)__builtin_ctzll(pass);
			uint32_t id = base + port[i], next = k->t->peer_switch[id];
			unsigned out = a->port[(size_t)next * m + i];

			w->group[next] |= 1ull << i;
			w->set[(size_t)id * w->words + out / 64] |= 1ull << out % 64;
		}
	}
}

/* Channels between switches that routes use, and their dependencies. */
static void list_ahead(const struct cdg_counting *k, const struct ahead *w, struct cdg *c)
{
	uint32_t *number = NEW_ARRAY(k->f->n_ports, uint32_t), cap = 0, cap_to = 0, n = 0; /* from 1 */

	for (uint32_t s = 0; s < k->n; s++)
		FOR_CABLES(k->t, s, id, to) {
			const uint64_t *set = w->set + (size_t)id * w->words;
			bool used = false;

			for (unsigned x = 0; x < w->words; x++)
				used |= set[x] != 0;
			if (!used)
				continue;
			GROW(c->port, c->n_channels, cap);
			c->port[c->n_channels++] = id;
			number[id] = c->n_channels;
		}
	c->vl = NEW_ARRAY(c->n_channels, uint8_t);
	c->first = NEW_ARRAY(c->n_channels + 1u, uint32_t);
	memset(c->vl, sl2vl_of(k->map, 0), c->n_channels);
	for (; n < c->n_channels; n++) {
		uint32_t id = c->port[n], base = switch_port_id(k->f, k->t->peer_switch[id], 0);

		c->first[n] = c->n_deps;
		for (unsigned x = 0; x < w->words; x++)
			for (uint64_t left = w->set[(size_t)id * w->words + x]; left; left &= left - 1) {
				uint32_t next = number[base + 64 * x + (unsigned)__builtin_ctzll(left)];

				if (!next)
					continue;
				GROW(c->to, c->n_deps, cap_to);
				c->to[c->n_deps++] = next - 1;
			}
	}
	c->first[n] = c->n_deps;
	free(number);
}

/* The graph of channels between switches without counts; NULL: some LIDs need more than a look, or cancelled.
 */
static struct cdg *graph_ahead(const struct routing *r, struct progress *p)
{
	struct cdg *c = NEW(struct cdg);
	uint8_t *left = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t);
	struct cdg_counting k;
	struct ahead w = {.words = 1};
	struct alike a;
	bool done;

	c->routing = routing_ref(r);
	c->want = CDG_ALL_VLS;
	cdg_counting_start(&k, c);
	for (uint32_t s = 0; s < k.n; s++)
		w.words =
			k.f->switch_nports[s] / 64u + 1 > w.words ? k.f->switch_nports[s] / 64u + 1 : w.words;
	w.from = NEW_ARRAY(k.n, uint32_t);
	w.set = NEW_ARRAY((size_t)k.f->n_ports * w.words, uint64_t);
	w.group = NEW_ARRAY(k.n, uint64_t);
	for (uint32_t i = 0; i < k.n_sources; i++)
		w.from[k.source[i].sw]++;
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++)
		left[lid] = cdg_is_destination(r, false, lid);
	alike_start(&a, r, left);
	progress_start(p, "channel dependencies", k.n);
	done = one_vl(&k);
	for (uint32_t sw = 0; sw < k.n && done; sw++) {
		while (alike_next(&a, sw)) {
			alike_order(&a);
			note_group(&k, &a, &w);
		}
		done = progress_step(p, sw);
	}
	done = done && !memchr(left, 1, r->lids->max_lid + 1u);
	if (done)
		list_ahead(&k, &w, c);
	c->used = done && w.started ? 1u << sl2vl_of(k.map, 0) : 0;
	done = done && cdg_find_components(c, p);
	alike_end(&a);
	cdg_counting_end(&k);
	FREE_EACH(left, w.from, w.set, w.group);
	if (done)
		return c;
	cdg_free(c);
	return NULL;
}

struct cdg *cdg_new_loops(const struct routing *r, struct progress *p, struct err *e)
{
	struct cdg *c = r->adaptive || routing_has_sls(r) ? NULL : graph_ahead(r, p);

	if (c && !c->n_components)
		return c;
	cdg_free(c);
	return cdg_new(r, CDG_ALL_VLS, false, p, e);
}
