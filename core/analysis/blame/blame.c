/* Blame: which hosts, cables, switches and rails the pairs that measured slow or failed have in common. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/analysis/blame/blame.h"
#include "core/analysis/blame/measured.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/rng.h"
#include "core/fabric/names.h"
#include "core/routing/paths.h"

const char *const port_fault_words[N_PORT_FAULTS] = {"errors", "flapped", "congested", "degraded"};

#define BIT(k) (1u << (k))
#define DATA_BITS                                                                           \
	(BIT(COUNT_TRANSMIT_DATA) | BIT(COUNT_RECEIVE_DATA) | BIT(COUNT_TRANSMIT_PACKETS) | \
	 BIT(COUNT_RECEIVE_PACKETS))
#define ALL_BITS (BIT(N_COUNTERS) - 1)
/* --- rows to ports ----------------------------------------------------------------------------------- */

static uint32_t measured_port_of(const struct fabric *f, const uint32_t *owner, const struct counted_port *c)
{
	uint32_t node = c->guid ? fabric_node_by_guid(f, c->guid) : NO_ID;

	if (node == NO_ID) {
		uint32_t ep = c->guid ? fabric_endport_by_guid(f, c->guid) : owner[c->lid];
		node = ep == NO_ID ? NO_ID : endport_node(f, ep);
	}
	return node == NO_ID || c->port > f->node_nports[node] ? NO_ID : f->node_port[node] + c->port;
}

/* Rows of one port together. */
struct measured_placed {
	struct counted_port *port; /* cables borrowed */
	uint32_t *at;		   /* [n_ports] place and 1 */
	uint32_t n, unknown;
};

static void measured_join(struct counted_port *to, const struct counted_port *c)
{
	for (unsigned k = 0; k < N_COUNTERS; k++)
		if (c->told & BIT(k))
			counters_set(to, k, c->value[k], (c->wide & BIT(k)) != 0);
	for (unsigned k = 0; k < N_BERS; k++)
		to->ber[k] = c->ber[k] >= 0 ? c->ber[k] : to->ber[k];
	if (c->temperature > TEMPERATURE_NONE)
		to->temperature = c->temperature;
	if (c->most > TEMPERATURE_NONE)
		to->most = c->most;
	to->cable = c->cable ? c->cable : to->cable;
	to->sparse = to->sparse || c->sparse;
}

static void measured_place(const struct fabric *f, const uint32_t *owner, const struct counter_reading *r,
			   struct measured_placed *p)
{
	*p = (struct measured_placed){.port = NEW_ARRAY(r->n + 1, struct counted_port),
				      .at = NEW_ARRAY(f->n_ports + 1, uint32_t)};
	for (size_t i = 0; i < r->n; i++) {
		uint32_t port = measured_port_of(f, owner, &r->port[i]);

		if (port == NO_ID) {
			p->unknown++;
		} else if (!p->at[port]) {
			p->port[p->n] = r->port[i];
			p->at[port] = ++p->n;
		} else {
			measured_join(&p->port[p->at[port] - 1], &r->port[i]);
		}
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->port[i].sparse)
			p->port[i].told |= ALL_BITS & ~DATA_BITS;
}

/* --- differences --------------------------------------------------------------------------------------- */

static bool at_top(const struct counted_port *c, unsigned k)
{
	return !(c->wide & BIT(k)) && c->value[k] == counter_tops[k];
}

/* Went a counter back without a reset?  Those of traffic go round in some devices; those of errors never
 * do. */
static bool goes_round(const struct counted_port *now, const struct counted_port *was, unsigned k)
{
	return (DATA_BITS | BIT(COUNT_WAIT)) & BIT(k) && !((now->wide | was->wide) & BIT(k)) &&
	       was->value[k] > counter_tops[k] / 2 && now->value[k] < counter_tops[k] / 2;
}

static void measured_difference(struct measured_port *m, const struct counted_port *now,
				const struct counted_port *was)
{
	m->told = now->told & was->told;
	for (unsigned k = 0; k < N_COUNTERS; k++)
		if (m->told & BIT(k) && now->value[k] < was->value[k] && !at_top(now, k) &&
		    !goes_round(now, was, k))
			m->reset = true;
	for (unsigned k = 0; k < N_COUNTERS; k++) {
		if (!(m->told & BIT(k)))
			continue;
		m->top |= at_top(now, k) || (at_top(was, k) && !m->reset) ? BIT(k) : 0;
		if (m->reset) {
			m->grown[k] = now->value[k];
		} else if (at_top(was, k) && now->value[k] >= was->value[k]) {
			m->grown[k] = 0; /* how much of it is new is not known */
		} else if (now->value[k] >= was->value[k]) {
			m->grown[k] = now->value[k] - was->value[k];
		} else if (!at_top(now, k)) {
			m->wrapped |= BIT(k);
			m->top &= ~BIT(k);
			m->grown[k] = counter_tops[k] - was->value[k] + 1 + now->value[k];
		}
	}
}

static uint64_t grown(const struct measured_port *m, enum counter k)
{
	return m->told & BIT(k) ? m->grown[k] : 0;
}

static uint8_t measured_judge(const struct measured_port *m, bool two)
{
	uint64_t errors = 0, wait = grown(m, COUNT_WAIT);
	uint8_t faults = 0;

	for (unsigned k = 0; k < N_COUNTERS; k++)
		errors += LINK_ERROR_BITS & BIT(k) ? grown(m, k) : 0;
	if (errors >= (two ? 1 : ERRORS_LEAST))
		faults |= BIT(FAULT_ERRORS);
	if (grown(m, COUNT_DOWNED) >= (two ? 1 : DOWN_LEAST))
		faults |= BIT(FAULT_FLAPPED);
	/* the wait at its top says nothing of a time that nobody knows */
	if (grown(m, COUNT_DISCARDS) >= (two ? 1 : DISCARDS_LEAST) ||
	    (wait >= WAIT_LEAST && m->told & BIT(COUNT_TRANSMIT_DATA) && !(m->top & BIT(COUNT_WAIT)) &&
	     !(m->top & BIT(COUNT_TRANSMIT_DATA)) && wait >= m->grown[COUNT_TRANSMIT_DATA] / WAIT_DATA))
		faults |= BIT(FAULT_CONGESTED);
	if (m->ber[BER_EFFECTIVE] >= BER_MOST || m->ber[BER_SYMBOL] >= BER_MOST ||
	    (m->temperature > TEMPERATURE_NONE && m->most > TEMPERATURE_NONE && m->temperature >= m->most))
		faults |= BIT(FAULT_DEGRADED);
	return faults;
}

struct measured *measured_new(const struct fabric *f, const struct lids *l, const struct counter_reading *now,
			      const struct counter_reading *before)
{
	struct measured *m = NEW(struct measured);
	AUTO_ARENA uint32_t *owner = lid_owners(NULL, f, l);
	struct measured_placed a, b = {0};

	measured_place(f, owner, now, &a);
	if (before)
		measured_place(f, owner, before, &b);
	m->fabric = f;
	m->two = before != NULL;
	m->n = a.n;
	m->at = a.at;
	m->unknown = a.unknown;
	m->port = NEW_ARRAY(a.n + 1, struct measured_port);
	for (uint32_t port = 0; port < f->n_ports; port++) {
		const struct counted_port *c = a.at[port] ? &a.port[a.at[port] - 1] : NULL;
		struct counted_port none;
		const struct counted_port *was = before && b.at[port] ? &b.port[b.at[port] - 1] : NULL;

		m->alone += before && !was != !c;
		if (!c)
			continue;
		/* what ibqueryerrors does not name has no errors */
		if (!was && before && c->sparse) {
			none = (struct counted_port){.told = ALL_BITS & ~DATA_BITS};
			was = &none;
		}
		struct measured_port *x = &m->port[a.at[port] - 1];
		x->temperature = c->temperature;
		x->most = c->most;
		x->cable = c->cable ? mem_dup(c->cable, sizeof(*c->cable)) : NULL;
		memcpy(x->ber, c->ber, sizeof(x->ber));
		if (was) {
			measured_difference(x, c, was);
		} else {
			x->told = c->told;
			memcpy(x->grown, c->value, sizeof(x->grown));
			for (unsigned k = 0; k < N_COUNTERS; k++)
				x->top |= c->told & BIT(k) && at_top(c, k) ? BIT(k) : 0;
		}
		x->faults = measured_judge(x, was != NULL);
		m->n_reset += x->reset;
		m->n_wrapped += x->wrapped != 0;
		m->n_top += x->top != 0;
		for (unsigned k = 0; k < N_PORT_FAULTS; k++)
			m->n_faults[k] += x->faults >> k & 1;
	}
	free(a.port);
	free(b.port);
	free(b.at);
	return m;
}

void measured_free(struct measured *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		free(m->port[i].cable);
	free(m->at);
	free(m->port);
	free(m);
}

const struct measured_port *measured_of(const struct measured *m, uint32_t port)
{
	assert(!m || port == NO_ID || port < m->fabric->n_ports);
	return m && port != NO_ID && m->at[port] ? &m->port[m->at[port] - 1] : NULL;
}

/* --- words --------------------------------------------------------------------------------------------- */

static void tell_counter(const struct measured_port *p, enum counter k, struct text *t)
{
	if (grown(p, k) || p->top & BIT(k))
		text_add(t, "%s%s %s%" PRIu64, t->len ? ", " : "", counter_words[k],
			 p->top & BIT(k) ? ">= " : "", p->grown[k]);
}

void measured_tell(const struct measured_port *p, unsigned faults, struct text *to)
{
	AUTO_TEXT struct text t = {0};

	assert(!(faults >> N_PORT_FAULTS));
	for (unsigned k = 0; faults & BIT(FAULT_ERRORS) && k < N_COUNTERS; k++)
		if (LINK_ERROR_BITS & BIT(k))
			tell_counter(p, k, &t);
	if (faults & BIT(FAULT_FLAPPED))
		tell_counter(p, COUNT_DOWNED, &t);
	if (faults & BIT(FAULT_CONGESTED)) {
		tell_counter(p, COUNT_DISCARDS, &t);
		tell_counter(p, COUNT_WAIT, &t);
	}
	for (unsigned k = 0; faults & BIT(FAULT_DEGRADED) && k < N_BERS; k++)
		if (k != BER_RAW && p->ber[k] >= BER_MOST)
			text_add(&t, "%s%s BER %.2g", t.len ? ", " : "", ber_words[k], p->ber[k]);
	if (faults & BIT(FAULT_DEGRADED) && p->temperature > TEMPERATURE_NONE && p->most > TEMPERATURE_NONE &&
	    p->temperature >= p->most)
		text_add(&t, "%s%.0f C, limit %.0f C", t.len ? ", " : "", p->temperature, p->most);
	text_add(to, "%s", text_str(&t));
}

unsigned measured_link(const struct measured *m, const struct fabric *f, uint32_t port, struct text *t)
{
	const unsigned ours = BIT(FAULT_CONGESTED) | BIT(FAULT_FLAPPED) | BIT(FAULT_DEGRADED),
		       theirs = BIT(FAULT_ERRORS) | BIT(FAULT_FLAPPED) | BIT(FAULT_DEGRADED);
	uint32_t end[2] = {port, port == NO_ID ? NO_ID : f->port_peer[port]};
	unsigned all = 0;

	assert(!m || fabric_alike(m->fabric, f));
	for (unsigned i = 0; i < 2; i++) {
		const struct measured_port *p = measured_of(m, end[i]);
		unsigned faults = p ? p->faults & (i ? theirs : ours) : 0;

		all |= faults;
		if (!faults || !t)
			continue;
		text_add(t, "%s", t->len ? "; " : "");
		measured_tell(p, faults, t);
		text_add(t, " at %s", PORT_LABEL(f, end[i]));
	}
	return all;
}

#define FAULT_BONUS 3.0 /* as about 20 : 1 */
#define PAIRS_AT_ONCE 64

void tried_add(struct tried *t, uint32_t pair, uint32_t src, uint32_t dst)
{
	assert(!t->n_ways || t->way[t->n_ways - 1].pair <= pair);
	GROW(t->way, t->n_ways, t->cap);
	t->way[t->n_ways++] = (struct tried_way){pair, src, dst};
}

void tried_free(struct tried *t)
{
	free(t->way);
	free(t->bad);
	*t = (struct tried){0};
}

/* --- who crosses what ---------------------------------------------------------------------------------- */

/* A suspect, or several that the same pairs cross. */
struct blame_candidate {
	struct suspect is;
	uint32_t key, group; /* group: candidates with the same number cannot be distinguished */
	uint32_t begin;	     /* its pairs in crossing[] */
	uint32_t all;	     /* pairs */
	uint32_t n, b;	     /* pairs left, and bad ones among them; with only_bad: n as predicted */
	uint64_t sign;	     /* of the set of its pairs */
	double bonus;
	bool used;
};

struct blame_work {
	void *arena;
	const struct routing *r;
	const struct tried *t;
	struct blame *out;
	uint32_t *key; /* suspects of pairs by their keys, one pair after the other */
	size_t n_key, cap_key;
	size_t *begin;	     /* [n_pairs + 1] */
	uint32_t *seen;	     /* [n_keys] last pair that crossed it, and 1 */
	uint32_t *at;	     /* [n_keys] candidate and 1 */
	uint32_t *host;	     /* [n_nodes] first node of the node's host */
	bool *ports, *nodes; /* [n_nodes] its host has several of them */
	uint32_t *rail;	     /* [n_ports] first port of the port's rail; NO_ID: it is on none */
	struct blame_candidate *c;
	uint32_t n_c, n_groups;
	uint32_t *crossing; /* pairs of candidates */
	bool *gone;	    /* [n_pairs] explained, or without a path */
	uint32_t left, bad; /* pairs that are not gone */
	double total;	    /* of which suspects carry their share: pairs, or all routes */
};

/* A suspect as one number: each kind has a row of ports and nodes. */
static uint32_t blame_key(const struct fabric *f, uint32_t kind, uint32_t id)
{
	return kind * (f->n_ports + f->n_nodes) + id;
}

/* Hosts and rails of ports, by names. */
static void blame_read_hosts(struct blame_work *w)
{
	const struct fabric *f = w->r->topo->fabric;
	size_t n;
	AUTO_FREE struct rail_port *p = rail_ports(f, &n);
	AUTO_FREE uint32_t *first = NEW_ARRAY(n + 1, uint32_t);

	w->host = ARENA_ARRAY(w->arena, f->n_nodes + 1, uint32_t);
	w->ports = ARENA_ARRAY(w->arena, f->n_nodes + 1, bool);
	w->nodes = ARENA_ARRAY(w->arena, f->n_nodes + 1, bool);
	w->rail = ARENA_ARRAY(w->arena, f->n_ports + 1, uint32_t);
	for (uint32_t node = 0; node < f->n_nodes; node++)
		w->host[node] = node;
	for (uint32_t port = 0; port < f->n_ports; port++)
		w->rail[port] = NO_ID;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && p[end].host == p[i].host; end++)
			;
		for (size_t k = i; k < end; k++) {
			uint32_t *rail = &first[p[k].rail];

			w->host[p[k].node] = p[i].node;
			w->ports[p[k].node] = end - i > 1;
			w->nodes[p[k].node] = p[end - 1].node != p[i].node; /* ports stand by adapter */
			*rail = *rail ? *rail : p[k].port + 1;
			w->rail[p[k].port] = *rail - 1;
		}
	}
}

static void blame_cross(struct blame_work *w, uint32_t pair, enum suspect_kind kind, uint32_t id)
{
	uint32_t key = blame_key(w->r->topo->fabric, kind, id);

	if (w->seen[key] == pair + 1)
		return;
	w->seen[key] = pair + 1;
	ARENA_GROW(w->arena, w->key, w->n_key, w->cap_key);
	w->key[w->n_key++] = key;
}

static void blame_cross_link(struct blame_work *w, uint32_t pair, uint32_t port)
{
	const uint32_t peer = w->r->topo->fabric->port_peer[port];

	if (!w->t->undirected)
		blame_cross(w, pair, BLAME_LINK, port);
	blame_cross(w, pair, BLAME_CABLE, MIN(port, peer));
}

/* The host at an end of a way; its adapter where it has several, its rail where it has several ports. */
static void blame_cross_end(struct blame_work *w, uint32_t pair, uint32_t ep)
{
	const struct fabric *f = w->r->topo->fabric;
	uint32_t port = f->endport_port[ep], node = f->port_node[port];

	if (endport_is_switch(f, ep))
		return;
	blame_cross(w, pair, BLAME_HOST, w->host[node]);
	if (w->nodes[node])
		blame_cross(w, pair, BLAME_HCA, node);
	if (w->ports[node] && w->rail[port] != NO_ID)
		blame_cross(w, pair, BLAME_RAIL, w->rail[port]);
}

static bool blame_walk(struct blame_work *w, const struct tried_way *y)
{
	const struct topo *t = w->r->topo;
	const struct fabric *f = t->fabric;
	struct path p;

	path_trace(w->r, y->src, w->r->lids->base[y->src], w->r->lids->base[y->dst], &p);
	bool ok = p.end == PATH_OK;
	if (ok && !endport_is_switch(f, y->src))
		blame_cross_link(w, y->pair, f->endport_port[y->src]);
	for (unsigned i = 0; ok && i < p.n; i++) {
		blame_cross(w, y->pair, BLAME_SWITCH, f->switch_node[p.hop[i].sw]);
		if (p.hop[i].out)
			blame_cross_link(w, y->pair, switch_port_id(f, p.hop[i].sw, p.hop[i].out));
	}
	path_free(&p);
	if (ok) {
		blame_cross_end(w, y->pair, y->src);
		blame_cross_end(w, y->pair, y->dst);
	}
	return ok;
}

static int blame_walk_all(struct blame_work *w, struct progress *p, struct err *e)
{
	uint32_t pair = 0;
	size_t i = 0;

	progress_start(p, "following pairs", w->t->n_pairs);
	for (; pair < w->t->n_pairs; pair++) {
		size_t had = w->n_key;
		bool ok = i < w->t->n_ways && w->t->way[i].pair == pair;

		w->begin[pair] = w->n_key;
		for (; i < w->t->n_ways && w->t->way[i].pair == pair; i++)
			ok = blame_walk(w, &w->t->way[i]) && ok;
		if (!ok) {
			w->n_key = had;
			w->gone[pair] = true;
			w->out->no_path++;
		}
		if (pair % PAIRS_AT_ONCE == 0 && !progress_step(p, pair))
			return err_set(e, CANCELLED);
	}
	w->begin[pair] = w->n_key;
	return 0;
}

/* Pairs of each suspect, and a sum that is another one for another set. */
static void blame_count(struct blame_work *w)
{
	const struct fabric *f = w->r->topo->fabric;
	uint32_t at = 0;

	for (size_t i = 0; i < w->n_key; i++)
		if (!w->at[w->key[i]])
			w->at[w->key[i]] = ++w->n_c;
	w->c = ARENA_ARRAY(w->arena, w->n_c + 1, struct blame_candidate);
	for (size_t i = 0; i < w->n_key; i++)
		w->c[w->at[w->key[i]] - 1].all++;
	for (uint32_t i = 0; i < w->n_c; i++) {
		w->c[i].begin = at;
		at += w->c[i].all;
		w->c[i].all = 0;
	}
	w->crossing = ARENA_ARRAY(w->arena, at + 1, uint32_t);
	for (uint32_t pair = 0; pair < w->t->n_pairs; pair++) {
		uint64_t seed = pair, sign = rng_next(&seed);

		for (size_t i = w->begin[pair]; i < w->begin[pair + 1]; i++) {
			struct blame_candidate *c = &w->c[w->at[w->key[i]] - 1];

			c->key = w->key[i];
			w->crossing[c->begin + c->all++] = pair;
			c->sign += sign;
			c->b += w->t->bad[pair];
		}
		w->left += !w->gone[pair];
		w->bad += !w->gone[pair] && w->t->bad[pair];
	}
	for (uint32_t i = 0; i < w->n_c; i++) {
		w->c[i].n = w->c[i].all;
		w->c[i].is.kind = (uint8_t)(w->c[i].key / blame_key(f, 1, 0));
		w->c[i].is.id = w->c[i].key % blame_key(f, 1, 0);
		w->out->links += w->c[i].is.kind == (w->t->undirected ? BLAME_CABLE : BLAME_LINK);
	}
	w->out->work += 3 * w->n_key;
}

COMPARATOR(by_sign, struct blame_candidate,
	   UP(sign) UP(all) DOWN(bonus) UP(is.kind != BLAME_HOST) UP(n) UP(is.kind) UP(is.id))

static void blame_group(struct blame_work *w, const struct measured *m)
{
	const struct fabric *f = w->r->topo->fabric;

	for (uint32_t i = 0; i < w->n_c; i++) {
		struct blame_candidate *c = &w->c[i];

		if (c->is.kind == BLAME_LINK || c->is.kind == BLAME_CABLE)
			c->is.faults = measured_link(m, f, c->is.id, NULL);
		if (c->is.kind == BLAME_CABLE)
			c->is.faults |= measured_link(m, f, f->port_peer[c->is.id], NULL);
		c->bonus = c->is.faults ? FAULT_BONUS : 0;
	}
	if (w->n_c)
		qsort(w->c, w->n_c, sizeof(*w->c), by_sign);
	for (uint32_t i = 0; i < w->n_c; i++) {
		bool same = i && w->c[i].sign == w->c[i - 1].sign && w->c[i].all == w->c[i - 1].all;

		w->c[i].group = same ? w->c[i - 1].group : i;
		w->c[w->c[i].group].n = MIN(w->c[w->c[i].group].n, w->c[i].n);
		w->n_groups += !same;
		w->at[w->c[i].key] = i + 1;
	}
}

/* Of the routes of all pairs, those that cross each suspect: by key. */
static double *blame_routes(const struct blame_work *w, const struct loads *l)
{
	const struct fabric *f = w->r->topo->fabric;
	double *sum = NEW_ARRAY(blame_key(f, BLAME_KINDS, 0), double);

	for (uint32_t port = 0; port < f->n_ports; port++) {
		const uint32_t peer = f->port_peer[port], node = f->port_node[port];
		const double load = peer == NO_ID ? 0 : (double)l->port[port];

		if (!load)
			continue;
		sum[blame_key(f, BLAME_LINK, port)] += load;
		sum[blame_key(f, BLAME_CABLE, MIN(port, peer))] += load;
		sum[blame_key(f, BLAME_SWITCH, f->port_node[peer])] += load;
		for (unsigned i = 0; i < 2; i++) {
			uint32_t end = i ? f->port_node[peer] : node;

			sum[blame_key(f, BLAME_HOST, w->host[end])] += load;
			sum[blame_key(f, BLAME_HCA, end)] += load;
		}
		if (w->rail[port] != NO_ID)
			sum[blame_key(f, BLAME_RAIL, w->rail[port])] += load;
	}
	return sum;
}

/* Without known good pairs, each suspect gets its part of the routes of all pairs. */
static int predict(struct blame_work *w, struct progress *p, struct err *e)
{
	AUTO_ARENA struct loads *l = loads_new(w->r, &pattern_all, p);
	const double each = w->t->undirected ? 2 : 1; /* routes of a pair */

	if (!l)
		return err_set(e, CANCELLED);
	AUTO_FREE double *routes = blame_routes(w, l);
	w->total = (double)l->routes / each;
	for (uint32_t i = 0; i < w->n_c; i++) {
		struct blame_candidate *c = &w->c[i];

		c->n = (uint32_t)fmax(routes[c->key] / each, c->b);
	}
	return 0;
}

/* --- the ranking --------------------------------------------------------------------------------------- */

/* How much better a link's own share explains b bad pairs of n than the share of all pairs does. */
static double evidence(double b, double n, double share)
{
	double own = n > 0 ? b / n : 0;

	if (own <= share || !b)
		return 0;
	return b * log(own / share) + (n > b ? (n - b) * log((1 - own) / (1 - share)) : 0);
}

/* Its pairs explain nothing any more. */
static void take_away(struct blame_work *w, const struct blame_candidate *c)
{
	for (uint32_t k = 0; k < c->all; k++) {
		uint32_t pair = w->crossing[c->begin + k];

		if (w->gone[pair])
			continue;
		w->gone[pair] = true;
		w->left--;
		w->bad -= w->t->bad[pair];
		for (size_t i = w->begin[pair]; i < w->begin[pair + 1]; i++) {
			struct blame_candidate *x = &w->c[w->at[w->key[i]] - 1];

			x->n -= !w->t->only_bad;
			x->b -= w->t->bad[pair];
			w->out->work++;
		}
	}
}

static uint32_t best_candidate(struct blame_work *w, double *score)
{
	double all = w->t->only_bad ? w->total : w->left, share = 0;
	uint32_t best = NO_ID;

	/* chance makes some pairs bad even where none was seen */
	if (all > 0)
		share = w->bad / all;
	share = fmin(fmax(share, 1 / (all + 2)), 0.5);
	*score = 0;
	for (uint32_t i = 0; i < w->n_c; i++) {
		const struct blame_candidate *c = &w->c[i];

		if (c->used || c->group != i || !c->b)
			continue;
		double x = evidence(c->b, c->n, share);
		x += x > 0 ? c->bonus : 0;
		if (x > *score) {
			*score = x;
			best = i;
		}
	}
	w->out->work += w->n_c;
	return best;
}

static void take_best(struct blame_work *w, uint32_t best, double score)
{
	const struct fabric *f = w->r->topo->fabric;
	struct blame_candidate *c = &w->c[best];
	struct blame *b = w->out;
	uint32_t n = 1;

	while (best + n < w->n_c && w->c[best + n].group == best)
		n++;
	GROW(b->place, b->n, b->cap);
	struct blamed *x = &b->place[b->n++];
	*x = (struct blamed){.same = NEW_ARRAY(n, struct suspect),
			     .pairs = c->all,
			     .explained = c->b,
			     .score = score,
			     /* by chance the best of this many scores about the logarithm */
			     .likely = score > log(w->n_groups) + FAULT_BONUS};
	for (uint32_t k = 0; k < c->all; k++)
		x->bad += w->t->bad[w->crossing[c->begin + k]];
	for (uint32_t k = 0; k < n; k++) {
		const struct suspect *is = &w->c[best + k].is;
		bool told = false; /* a cable that all pairs cross in one direction is no other suspect */

		for (uint32_t i = 0; is->kind == BLAME_CABLE && i < x->n; i++)
			told |= x->same[i].kind == BLAME_LINK &&
				(x->same[i].id == is->id || f->port_peer[x->same[i].id] == is->id);
		if (!told)
			x->same[x->n++] = *is;
	}
	if (x->likely)
		b->unexplained -= c->b;
	c->used = true;
	take_away(w, c);
}

COMPARATOR(by_score, struct blamed, DOWN(score) UP(same[0].id))

struct blame *blame_new(const struct routing *r, const struct tried *t, const struct measured *m,
			struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct blame_work w = {.arena = arena, .r = r, .t = t, .out = NEW(struct blame)};
	const struct fabric *f = r->topo->fabric;

	assert(!t->n_ways || t->way[t->n_ways - 1].pair < t->n_pairs);
	w.begin = ARENA_ARRAY(arena, t->n_pairs + 1, size_t);
	w.gone = ARENA_ARRAY(arena, t->n_pairs + 1, bool);
	w.seen = ARENA_ARRAY(arena, blame_key(f, BLAME_KINDS, 0), uint32_t);
	w.at = ARENA_ARRAY(arena, blame_key(f, BLAME_KINDS, 0), uint32_t);
	blame_read_hosts(&w);
	int rc = blame_walk_all(&w, p, e);
	if (!rc) {
		blame_count(&w);
		w.out->pairs = w.left;
		w.out->bad = w.out->unexplained = w.bad;
		rc = t->only_bad ? predict(&w, p, e) : 0;
		blame_group(&w, m);
	}
	while (!rc && w.out->n < BLAMED_MOST) {
		double score;
		uint32_t best = best_candidate(&w, &score);

		if (best == NO_ID)
			break;
		take_best(&w, best, score);
	}
	if (!rc)
		return w.out;
	blame_free(w.out);
	return NULL;
}

void suspect_name(const struct fabric *f, const struct suspect *x, struct text *t)
{
	bool is_link = x->kind == BLAME_LINK || x->kind == BLAME_CABLE, is_rail = x->kind == BLAME_RAIL;
	uint32_t node = is_link || is_rail ? f->port_node[x->id] : x->id;
	size_t len;
	const char *box = box_name(f->node_given[node], &len);
	AUTO_FREE char *host = str_printf("%.*s", (int)len, box);
	struct name_hits h;

	if (is_link)
		text_add(t, "%s %s %s", PORT_LABEL(f, x->id), x->kind == BLAME_LINK ? "->" : "<->",
			 PORT_LABEL(f, f->port_peer[x->id]));
	if (is_rail)
		text_add(t, "%s[%u]", box + len + strspn(box + len, " /:"), f->port_num[x->id]);
	if (is_link || is_rail)
		return;
	/* a host by the part of its nodes' names that means it, where no other host is called so */
	names_find(f, host, NAMES_ANY, NAME_FIRST, &h);
	bool means_it = x->kind == BLAME_HOST && (h.n == 1 || name_hits_host(f, host, &h));
	name_hits_free(&h);
	text_add(t, "%s", means_it ? host : f->node_name[node]);
}

/* --- by counters alone ------------------------------------------------------------------------------- */

/* Does a switch wait itself for another port? Then it keeps those waiting that send to it. */
static bool switch_waits(const struct topo *t, const struct measured *m, uint32_t sw, uint32_t but)
{
	const struct fabric *f = t->fabric;

	FOR_PORTS(f, sw, port) {
		const struct measured_port *x = measured_of(m, port);

		if (port != but && x && x->faults >> FAULT_CONGESTED & 1)
			return true;
	}
	return false;
}

static double blame_weight(const struct measured *m, uint32_t port, unsigned faults, bool behind)
{
	const struct measured_port *x = measured_of(m, port);
	double errors = 0, wait = x ? (double)x->grown[COUNT_WAIT] + (double)x->grown[COUNT_DISCARDS] : 0;

	for (unsigned k = 0; x && k < COUNT_WAIT; k++)
		if (k != COUNT_DISCARDS && k != COUNT_RELAY && x->told >> k & 1)
			errors += (double)x->grown[k];
	return (faults >> FAULT_ERRORS & 1 ? 20 + log1p(errors) : 0) + 10 * (faults >> FAULT_DEGRADED & 1) +
	       5 * (faults >> FAULT_FLAPPED & 1) +
	       (faults >> FAULT_CONGESTED & 1 && !behind ? 1 + log1p(wait) / 10 : 0);
}

struct blame *blame_counters(const struct topo *t, const struct measured *m)
{
	const struct fabric *f = t->fabric;
	struct blame *b = NEW(struct blame);

	assert(fabric_alike(m->fabric, f));
	for (uint32_t link = 0; link < f->n_links; link++) {
		const uint32_t *end = &f->link_port[(size_t)2 * link];
		struct blamed x = {.n = 1};
		unsigned by[2];

		for (unsigned i = 0; i < 2; i++) {
			uint32_t far = t->peer_switch[end[i]];
			bool behind = far != NO_ID && switch_waits(t, m, far, end[1 - i]);

			by[i] = measured_link(m, f, end[i], NULL);
			x.score += blame_weight(m, end[i], by[i] & 1u << FAULT_CONGESTED, behind);
		}
		for (unsigned i = 0; i < 2; i++)
			x.score += blame_weight(m, end[i],
						measured_of(m, end[i]) ? measured_of(m, end[i])->faults &
										 ~(1u << FAULT_CONGESTED)
								       : 0,
						false);
		if (!by[0] && !by[1])
			continue;
		x.likely = x.score > 0;
		x.same = NEW(struct suspect);
		x.same[0] = (struct suspect){.kind = by[0] && by[1] ? BLAME_CABLE : BLAME_LINK,
					     .id = end[by[1] && !by[0]],
					     .faults = by[0] | by[1]};
		GROW(b->place, b->n, b->cap);
		b->place[b->n++] = x;
	}
	b->links = f->n_links * 2;
	if (b->n)
		qsort(b->place, b->n, sizeof(*b->place), by_score);
	return b;
}

void blame_free(struct blame *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		free(b->place[i].same);
	free(b->place);
	free(b);
}
