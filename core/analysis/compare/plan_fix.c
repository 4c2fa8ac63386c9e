#include "core/analysis/compare/plan.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 20000	/* fewest looks at whether something is apart, in the search of an order */
#define STEPS 5		/* possible ones a wish */
#define TRIES_A_WISH 20 /* and for each wish */

const char *const plan_fix_word[FIX_KINDS] = {"add", "move", "swap", "remove", "speed"};
const char *const plan_order_word[] = {"safe", "none", "unknown"};
static_assert(ARRAY_LEN(plan_order_word) == ORDER_UNKNOWN + 1, "a word for each");

/* What wishes and wrong cables that share ports make together. */
enum chain_kind {
	CHAIN_OPEN,   /* a line, and a wish is at one end at least: from there each cable is moved on */
	CHAIN_CLOSED, /* a line between wrong cables: one of them has to go first */
	CHAIN_RING
};
struct plan_fix_chain {
	enum chain_kind kind;
	bool opened; /* CLOSED: one has gone */
	uint32_t n;  /* wishes */
};

/*
 * Vertices of the fabric as a graph are switches, by their port 0, and ports of hosts: a host passes nothing
 * on.  Parts are what cables join that nothing touches.
 */
struct fixer {
	void *arena;
	const struct fabric *f;
	const struct state *state;
	const struct plan_wish *wish;
	uint32_t n;	   /* wishes */
	uint32_t *wish_at; /* [n_ports] that wants the port, NO_ID */
	uint32_t *peer;	   /* [n_ports] as cabled at this step */
	bool *wrong;	   /* [n_links] */
	bool *done;	   /* [n] */
	uint32_t to_do;	   /* wishes that are not */
	struct plan_fix_chain *chain;
	uint32_t *chain_of; /* [n] */
	uint32_t n_chains;
	uint32_t *touched; /* [n_touched] ports of all cables that are touched */
	uint32_t n_touched;
	/* parts */
	uint32_t *part; /* [n_ports, by vertex] */
	uint32_t n_parts;
	uint32_t *size, *vertex; /* [n_parts] vertices; one of them */
	uint32_t *anchor;	 /* [n_parts] the part with which it must hang together */
	uint32_t *root;		 /* [n_parts] of apart() */
	uint64_t tries, most_tries;
	uint64_t key;	/* of what is cabled at this step */
	uint64_t *dead; /* [dead_cap] keys from where no order leads to the end */
	size_t dead_cap;
	struct plan_fixes *x;
	struct progress *p;
};

static uint32_t vertex_of(const struct fabric *f, uint32_t port)
{
	uint32_t node = f->port_node[port];

	return node_is_switch(f, node) ? f->node_port[node] : port;
}

static void plan_fix_unite(uint32_t *root, uint32_t v, uint32_t w)
{
	v = disjoint_root(root, v);
	w = disjoint_root(root, w);
	root[MAX(v, w)] = MIN(v, w);
}

/* --- cables ------------------------------------------------------------------------------------------ */

static uint64_t cable_key(uint32_t p, uint32_t q)
{
	return mix(mix(1, MIN(p, q)), MAX(p, q));
}

static void plan_fix_join(struct fixer *x, uint32_t p, uint32_t q)
{
	x->peer[p] = q;
	x->peer[q] = p;
	x->key ^= cable_key(p, q);
}

static void part(struct fixer *x, uint32_t p, uint32_t q)
{
	x->peer[p] = x->peer[q] = NO_ID;
	x->key ^= cable_key(p, q);
}

/* The wish that two ports are, NO_ID: none. */
static uint32_t wish_of(const struct fixer *x, uint32_t p, uint32_t q)
{
	uint32_t w = x->wish_at[p];

	return w != NO_ID && w == x->wish_at[q] ? w : NO_ID;
}

static void plan_fix_mark(struct fixer *x, uint32_t wish, bool done)
{
	if (wish == NO_ID || x->done[wish] == done)
		return;
	x->done[wish] = done;
	x->to_do += done ? -1u : 1u;
}

/* Do a step, or with `back` undo it. */
static void plan_fix_apply(struct fixer *x, const struct plan_fix *s, bool back)
{
	const uint32_t *p = s->port;

	switch (s->kind) {
	case FIX_ADD:
		(back ? part : plan_fix_join)(x, p[0], p[1]);
		plan_fix_mark(x, wish_of(x, p[0], p[1]), !back);
		break;
	case FIX_REMOVE:
		(back ? plan_fix_join : part)(x, p[0], p[1]);
		if (x->wish_at[p[0]] != NO_ID || x->wish_at[p[1]] != NO_ID)
			x->chain[x->chain_of[x->wish_at[p[x->wish_at[p[0]] == NO_ID]]]].opened = !back;
		break;
	case FIX_MOVE:
		part(x, p[0], p[back ? 2 : 1]);
		plan_fix_join(x, p[0], p[back ? 1 : 2]);
		plan_fix_mark(x, wish_of(x, p[0], p[2]), !back);
		break;
	case FIX_SWAP:
		part(x, p[0], p[back ? 3 : 1]);
		part(x, p[2], p[back ? 1 : 3]);
		plan_fix_join(x, p[0], p[back ? 1 : 3]);
		plan_fix_join(x, p[2], p[back ? 3 : 1]);
		plan_fix_mark(x, wish_of(x, p[0], p[3]), !back);
		plan_fix_mark(x, wish_of(x, p[2], p[1]), !back);
		break;
	default:
		x->key ^= mix(2, p[0]);
		plan_fix_mark(x, wish_of(x, p[0], p[1]), !back);
	}
}

/* --- parts ------------------------------------------------------------------------------------------- */

/* Is there a cable at the port that packets pass? One that is new is up. */
static bool plan_fix_passes(const struct fixer *x, uint32_t port, uint32_t peer)
{
	if (peer == NO_ID)
		return false;
	if (peer == x->f->port_peer[port])
		return state_live_peer(x->f, x->state, port) != NO_ID;
	return !x->state->node_down[x->f->port_node[port]] && !x->state->node_down[x->f->port_node[peer]];
}

static uint32_t plan_fix_part_of(const struct fixer *x, uint32_t port)
{
	return x->part[vertex_of(x->f, port)];
}

static void unite_parts(struct fixer *x, uint32_t p, uint32_t q)
{
	if (plan_fix_passes(x, p, q))
		plan_fix_unite(x->root, plan_fix_part_of(x, p), plan_fix_part_of(x, q));
}

static void parts_alone(struct fixer *x)
{
	for (uint32_t i = 0; i < x->n_parts; i++)
		x->root[i] = i;
}

static bool plan_fix_is_one_of(uint32_t port, const uint32_t out[4])
{
	return port == out[0] || port == out[1] || port == out[2] || port == out[3];
}

/* The part with which part i must hang together.  Where that one does not count, the first that does:
 * stand[k]. */
static uint32_t belongs_to(const struct fixer *x, uint32_t i, const uint32_t out[4], uint32_t stand[4])
{
	uint32_t to = x->anchor[i];

	for (int k = 0; k < 4 && x->size[to] == 1; k++)
		if (x->vertex[to] == out[k]) {
			stand[k] = stand[k] == NO_ID ? i : stand[k];
			return stand[k];
		}
	return to;
}

/* The number of vertices separated from their part, except hosts at the ends of cables out[4]; and one of
 * them. */
static uint32_t plan_fix_count_apart(struct fixer *x, const uint32_t out[4], uint32_t *first)
{
	uint32_t apart = 0, stand[4] = {NO_ID, NO_ID, NO_ID, NO_ID};

	*first = NO_ID;
	for (uint32_t i = 0; i < x->n_parts; i++) {
		if ((x->size[i] == 1 && plan_fix_is_one_of(x->vertex[i], out)) ||
		    disjoint_root(x->root, i) == disjoint_root(x->root, belongs_to(x, i, out, stand)))
			continue;
		apart += x->size[i];
		if (*first == NO_ID || node_is_switch(x->f, x->f->port_node[x->vertex[i]]))
			*first = x->vertex[i];
	}
	return apart;
}

/* The same as it is cabled at this step, without (missing) the cables at out[4]. */
static uint32_t apart(struct fixer *x, const uint32_t out[4], bool missing, uint32_t *first)
{
	x->tries++;
	parts_alone(x);
	for (uint32_t i = 0; i < x->n_touched; i++)
		if (!missing || !plan_fix_is_one_of(x->touched[i], out))
			unite_parts(x, x->touched[i], x->peer[x->touched[i]]);
	return plan_fix_count_apart(x, out, first);
}

/* What is apart without the cables at out[4] (missing), or after the step, and is not before it. */
static uint32_t more_apart(struct fixer *x, const uint32_t out[4], bool missing, const struct plan_fix *s,
			   uint32_t *first)
{
	uint32_t other;

	if (!missing)
		plan_fix_apply(x, s, false);
	uint32_t now = apart(x, out, missing, first);
	if (!missing)
		plan_fix_apply(x, s, true);
	uint32_t before = now ? apart(x, out, false, &other) : 0;
	return now > before ? now - before : 0;
}

/* What a step parts that was not apart before it: while its cables are out, or after it. */
static uint32_t parts_anew(struct fixer *x, const struct plan_fix *s, uint32_t *first)
{
	static const uint32_t none[4] = {NO_ID, NO_ID, NO_ID, NO_ID};
	uint32_t out[4]; /* ports of the cables that are out during the step */

	for (int k = 0; k < 4; k++)
		out[k] = s->kind == FIX_ADD || (s->kind == FIX_MOVE && k == 2) ? NO_ID : s->port[k];
	uint32_t n = more_apart(x, out, true, s, first);
	return n ? n : more_apart(x, none, false, s, first);
}

/* Counts what is connected at the start (kind >> 32) and separate in the end: all but the largest part of
 * it. */
static void plan_fix_count_cut(struct fixer *x, const uint64_t *kinds, uint32_t n, const uint32_t *largest,
			       const uint32_t *size)
{
	for (uint32_t i = 0, end, most; i < n; i = end) {
		for (end = most = i; end < n && kinds[end] >> 32 == kinds[i] >> 32; end++)
			most = size[end] > size[most] ? end : most;
		for (uint32_t k = i; k < end; k++) {
			uint32_t v = x->vertex[largest[k]];

			if (k == most)
				continue;
			x->x->cut += size[k];
			if (x->x->first_cut == NO_ID || node_is_switch(x->f, x->f->port_node[v]))
				x->x->first_cut = v;
		}
	}
}

/* Unite the parts that hang together at the start, or in the end. */
static void unite_all(struct fixer *x, bool end)
{
	parts_alone(x);
	for (uint32_t i = 0; i < x->n_touched; i++) {
		uint32_t p = x->touched[i], w = x->wish_at[p], link = x->f->port_link[p];

		if (end && w != NO_ID)
			unite_parts(x, p, x->wish[w].port[x->wish[w].port[0] == p]);
		else if (!end || (link != NO_ID && !x->wrong[link]))
			unite_parts(x, p, x->f->port_peer[p]);
	}
}

/* Anchors: of all parts that hang together at the start and in the end (their kind), the largest. */
static void find_anchors(struct fixer *x)
{
	AUTO_FREE uint64_t *key = NEW_ARRAY(x->n_parts + 1, uint64_t);
	uint32_t n = 0;

	unite_all(x, false);
	for (uint32_t i = 0; i < x->n_parts; i++)
		key[i] = (uint64_t)disjoint_root(x->root, i) << 32;
	unite_all(x, true);
	for (uint32_t i = 0; i < x->n_parts; i++)
		key[i] |= disjoint_root(x->root, i);
	AUTO_FREE uint64_t *kinds = mem_dup(key, (x->n_parts + 1) * sizeof(*key));
	qsort(kinds, x->n_parts, sizeof(*kinds), order_u64);
	for (uint32_t i = 0; i < x->n_parts; i++)
		if (!i || kinds[i] != kinds[n - 1])
			kinds[n++] = kinds[i];
	/* of each kind: part; vertices */
	AUTO_FREE uint32_t *largest = NEW_ARRAY(n + 1, uint32_t), *all = NEW_ARRAY(n + 1, uint32_t);
	memset(largest, 0xff, n * sizeof(*largest));
	for (uint32_t i = 0; i < x->n_parts; i++) {
		const uint64_t *k = bsearch(&key[i], kinds, n, sizeof(*kinds), order_u64);

		x->anchor[i] = (uint32_t)(k - kinds); /* the kind for now */
		all[k - kinds] += x->size[i];
		if (largest[k - kinds] == NO_ID || x->size[i] > x->size[largest[k - kinds]])
			largest[k - kinds] = i;
	}
	for (uint32_t i = 0; i < x->n_parts; i++)
		x->anchor[i] = largest[x->anchor[i]];
	plan_fix_count_cut(x, kinds, n, largest, all);
}

/* Parts of the cables that nothing touches. */
static void plan_fix_find_parts(struct fixer *x)
{
	const struct fabric *f = x->f;
	AUTO_FREE uint32_t *root = NEW_ARRAY(f->n_ports + 1, uint32_t);
	AUTO_FREE bool *touched = NEW_ARRAY(f->n_ports + 1, bool);

	for (uint32_t p = 0; p < f->n_ports; p++)
		root[p] = p;
	for (uint32_t i = 0; i < x->n_touched; i++)
		touched[x->touched[i]] = true;
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t p = f->link_port[2 * l], q = f->link_port[2 * l + 1];

		if (!touched[p] && plan_fix_passes(x, p, q))
			plan_fix_unite(root, vertex_of(f, p), vertex_of(f, q));
	}
	x->part = ARENA_ARRAY(x->arena, f->n_ports + 1, uint32_t);
	x->size = ARENA_ARRAY(x->arena, f->n_ports + 1, uint32_t);
	x->vertex = ARENA_ARRAY(x->arena, f->n_ports + 1, uint32_t);
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (vertex_of(f, p) == p && disjoint_root(root, p) == p) {
			x->vertex[x->n_parts] = p;
			x->part[p] = x->n_parts++;
		}
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (vertex_of(f, p) == p) {
			x->part[p] = x->part[disjoint_root(root, p)];
			x->size[x->part[p]]++;
			if (node_is_switch(f, f->port_node[p]))
				x->vertex[x->part[p]] = p;
		}
	x->anchor = ARENA_ARRAY(x->arena, x->n_parts + 1, uint32_t);
	x->root = ARENA_ARRAY(x->arena, x->n_parts + 1, uint32_t);
	find_anchors(x);
}

/* --- chains ------------------------------------------------------------------------------------------ */

/* The wish beyond the cable at end k of a wish, which becomes its end there; NO_ID: *cable says why. */
static uint32_t beyond(const struct fixer *x, uint32_t wish, int *k, bool *cable)
{
	uint32_t peer = x->peer[x->wish[wish].port[*k]], next = peer == NO_ID ? NO_ID : x->wish_at[peer];

	*cable = peer != NO_ID;
	if (next != NO_ID)
		*k = x->wish[next].port[0] != peer ? 0 : 1; /* its other end */
	return next;
}

static void find_chain(struct fixer *x, uint32_t first)
{
	struct plan_fix_chain *c = &x->chain[x->n_chains];
	bool cable[2] = {true, true};

	*c = (struct plan_fix_chain){CHAIN_OPEN, false, 1};
	x->chain_of[first] = x->n_chains++;
	if (x->wish[first].there)
		return;
	for (int side = 0; side < 2 && c->kind != CHAIN_RING; side++) {
		uint32_t w = first;
		int k = side;

		while ((w = beyond(x, w, &k, &cable[side])) != NO_ID && w != first) {
			x->chain_of[w] = x->n_chains - 1;
			c->n++;
		}
		if (w == first)
			c->kind = CHAIN_RING;
	}
	if (c->kind != CHAIN_RING && cable[0] && cable[1])
		c->kind = CHAIN_CLOSED;
}

/* --- steps that can be done -------------------------------------------------------------------------- */

static struct plan_fix plan_fix_step_of(enum plan_fix_kind kind, uint32_t a, uint32_t b, uint32_t c,
					uint32_t d)
{
	return (struct plan_fix){.kind = kind, .port = {a, b, c, d}, .first = NO_ID};
}

/* Exchange the cables at the ends of a wish, so that it is fulfilled. */
static struct plan_fix swap_for(const struct fixer *x, const uint32_t end[2])
{
	int host = node_is_switch(x->f, x->f->port_node[end[0]]); /* the command names hosts */

	return plan_fix_step_of(FIX_SWAP, end[host], x->peer[end[host]], x->peer[end[!host]], end[!host]);
}

/*
 * Possible step number i, of STEPS * n: move for a wish, or swap in a ring; remove the cable at an end of a
 * wish; change a rate; swap in a line, where moves alone would cut somebody off.  False: it cannot be done
 * now.
 */
static bool possible(const struct fixer *x, uint64_t i, struct plan_fix *s)
{
	uint32_t w = (uint32_t)(i >= x->n && i < 3ull * x->n ? (i - x->n) / 2 : i % x->n);
	const uint32_t *end = x->wish[w].port;
	const struct plan_fix_chain *c = &x->chain[x->chain_of[w]];
	bool there = x->wish[w].there, last = i >= 4ull * x->n, used[2];

	if (x->done[w] || there != (i >= 3ull * x->n && !last))
		return false;
	if (there) {
		*s = plan_fix_step_of(FIX_RATE, end[0], end[1], NO_ID, NO_ID);
		return true;
	}
	used[0] = x->peer[end[0]] != NO_ID;
	used[1] = x->peer[end[1]] != NO_ID;
	if (i >= x->n && !last) {
		uint32_t at = end[(i - x->n) % 2], peer = x->peer[at];

		/* a cable between two wishes is the first one's */
		if (c->kind != CHAIN_CLOSED || c->opened || peer == NO_ID ||
		    (x->wish_at[peer] != NO_ID && x->wish_at[peer] < w))
			return false;
		*s = plan_fix_step_of(FIX_REMOVE, at, peer, NO_ID, NO_ID);
		return true;
	}
	if (used[0] != used[1] && !last)
		*s = plan_fix_step_of(FIX_MOVE, end[used[1]], x->peer[end[used[1]]], end[used[0]], NO_ID);
	else if (used[0] && used[1] && (c->kind == CHAIN_RING) != last)
		*s = swap_for(x, end);
	else
		return false;
	return true;
}

static void log_step(struct fixer *x, const struct plan_fix *s)
{
	GROW(x->x->fix, x->x->n, x->x->cap);
	x->x->fix[x->x->n++] = *s;
	plan_fix_apply(x, s, false);
}

/* Add the cable of a wish whose ports are free. */
static void add_free(struct fixer *x, uint32_t w)
{
	if (w == NO_ID || x->done[w] || x->peer[x->wish[w].port[0]] != NO_ID ||
	    x->peer[x->wish[w].port[1]] != NO_ID)
		return;
	struct plan_fix s = plan_fix_step_of(FIX_ADD, x->wish[w].port[0], x->wish[w].port[1], NO_ID, NO_ID);
	s.width = x->wish[w].width;
	s.speed = x->wish[w].speed;
	log_step(x, &s);
}

/* A step, and what can be added after it: more cables never part anything. */
static void plan_fix_take(struct fixer *x, const struct plan_fix *s)
{
	log_step(x, s);
	for (int k = 0; k < 4; k++)
		if (s->port[k] != NO_ID)
			add_free(x, x->wish_at[s->port[k]]);
}

static void plan_fix_take_back(struct fixer *x, size_t n)
{
	while (x->x->n > n)
		plan_fix_apply(x, &x->x->fix[--x->x->n], true);
}

/* --- the order --------------------------------------------------------------------------------------- */

static uint64_t *dead_slot(const struct fixer *x)
{
	size_t i = x->key % x->dead_cap;

	while (x->dead[i] && x->dead[i] != x->key)
		i = (i + 1) % x->dead_cap;
	return &x->dead[i];
}

/* Where the search went on from. */
struct plan_fix_level {
	size_t n;      /* steps before it */
	uint64_t next; /* possible step to look at next */
};

/* The next possible step from here that parts nothing, and does not lead to where the search was in vain. */
static bool next_safe(struct fixer *x, struct plan_fix_level *at)
{
	struct plan_fix s;
	uint32_t first;

	while (at->next < (uint64_t)STEPS * x->n && x->tries < x->most_tries &&
	       progress_step(x->p, x->n - x->to_do)) {
		if (!possible(x, at->next++, &s) || parts_anew(x, &s, &first))
			continue;
		plan_fix_take(x, &s);
		if (*dead_slot(x) != x->key)
			return true;
		plan_fix_take_back(x, at->n);
	}
	return false;
}

/* Search all orders, depth first. */
static enum plan_order plan_fix_search(struct fixer *x)
{
	AUTO_FREE struct plan_fix_level *level = NEW_ARRAY(x->n + x->n_touched + 2, struct plan_fix_level);
	enum plan_order order = ORDER_SAFE;
	size_t depth = 0;

	level[0] = (struct plan_fix_level){x->x->n, 0};
	while (x->to_do && order == ORDER_SAFE) {
		if (!progress_step(x->p, x->n - x->to_do) || x->tries >= x->most_tries) {
			order = ORDER_UNKNOWN;
		} else if (next_safe(x, &level[depth])) {
			level[++depth] = (struct plan_fix_level){x->x->n, 0};
		} else if (x->tries < x->most_tries) {
			*dead_slot(x) = x->key;
			order = depth ? order : ORDER_NONE;
			depth -= depth > 0;
			plan_fix_take_back(x, level[depth].n);
		}
	}
	if (order != ORDER_SAFE)
		plan_fix_take_back(x, level[0].n);
	return order;
}

/* Without an order that parts nothing: at each step what parts least.  Does any part something? */
static bool plan_fix_least(struct fixer *x)
{
	bool any = false;

	x->most_tries += x->tries;
	while (x->to_do && progress_step(x->p, x->n - x->to_do)) {
		struct plan_fix s, best = {.first = NO_ID};
		uint32_t first, fewest = NO_ID;

		for (uint64_t i = 0;
		     i < (uint64_t)STEPS * x->n && fewest && progress_step(x->p, x->n - x->to_do); i++) {
			if (!possible(x, i, &s) || (fewest != NO_ID && x->tries > x->most_tries))
				continue;
			uint32_t n = parts_anew(x, &s, &first);
			if (n >= fewest)
				continue;
			fewest = n;
			best = s;
			best.apart = n;
			best.first = n ? first : NO_ID;
		}
		if (fewest == NO_ID)
			break; /* cannot be: some step is always possible */
		plan_fix_take(x, &best);
		any |= fewest > 0;
	}
	return any;
}

/* Would the cables at out[4] part something even if all others, and all wishes for other ports, were
 * there? */
static bool parts_always(struct fixer *x, const uint32_t out[4])
{
	uint32_t first;

	parts_alone(x);
	for (uint32_t i = 0; i < x->n_touched; i++) {
		uint32_t p = x->touched[i], w = x->wish_at[p];

		if (plan_fix_is_one_of(p, out))
			continue;
		unite_parts(x, p, x->f->port_peer[p]);
		uint32_t q = w == NO_ID ? NO_ID : x->wish[w].port[x->wish[w].port[0] == p];
		if (q != NO_ID && !plan_fix_is_one_of(q, out))
			unite_parts(x, p, q);
	}
	return plan_fix_count_apart(x, out, &first) > 0;
}

/* Is there a cable that has to be out once, and parts the fabric then in any order? */
static bool none_possible(struct fixer *x)
{
	for (uint32_t i = 0; i < x->n_touched && progress_step(x->p, i); i++) {
		uint32_t p = x->touched[i], q = x->f->port_peer[p], w = x->wish_at[p],
			 v = q == NO_ID ? NO_ID : x->wish_at[q];
		uint32_t out[4] = {p, q, NO_ID, NO_ID};

		if (q == NO_ID || q < p ||
		    (w == NO_ID && v == NO_ID)) /* extra ones go last, and then they do no harm */
			continue;
		if (w != NO_ID && x->chain[x->chain_of[w]].kind == CHAIN_RING &&
		    x->chain[x->chain_of[w]].n == 2 && !x->wish[w].there) {
			struct plan_fix s = swap_for(x, x->wish[w].port);

			memcpy(out, s.port, sizeof(out)); /* two change places */
		}
		if (parts_always(x, out))
			return true;
	}
	return false;
}

/* --- rates ------------------------------------------------------------------------------------------- */

/* Widths and speeds [n_ports] as the steps change them. */
struct plan_fix_rates {
	uint8_t *width, *speed;
};

static void plan_fix_set_rate(struct plan_fix_rates *r, uint32_t p, uint32_t q, uint8_t width, uint8_t speed)
{
	r->width[p] = r->width[q] = width;
	r->speed[p] = r->speed[q] = speed;
}

/* A speed that a port of the node has, to go with a width that alone is planned. */
static uint8_t some_speed(const struct fabric *f, uint32_t port)
{
	uint32_t node = f->port_node[port];

	for (unsigned p = 1; p <= f->node_nports[node]; p++)
		if (f->port_speed[f->node_port[node] + p])
			return f->port_speed[f->node_port[node] + p];
	return SPEED_SDR;
}

static void fill_rate(const struct fixer *x, struct plan_fix *s, const struct plan_wish *w,
		      const struct plan_fix_rates *r)
{
	uint32_t p = s->port[0];

	s->width = w->width;
	s->speed = w->speed;
	if (!s->width && s->kind == FIX_RATE)
		s->width = r->width[p];
	if (!s->width)
		s->width = WIDTH_4X;
	if (!s->speed && s->kind == FIX_RATE)
		s->speed = r->speed[p];
	if (!s->speed)
		s->speed = some_speed(x->f, p);
}

/* The rate of a cable that came to its place, if it is not as planned. */
static void mend_rate(struct fixer *x, uint32_t p, uint32_t q, const struct plan_fix_rates *r,
		      struct plan_fixes *to)
{
	uint32_t w = wish_of(x, p, q);
	struct plan_fix s = plan_fix_step_of(FIX_RATE, p, q, NO_ID, NO_ID);

	if (w == NO_ID || ((!x->wish[w].width || !r->width[p] || x->wish[w].width == r->width[p]) &&
			   (!x->wish[w].speed || !r->speed[p] || x->wish[w].speed == r->speed[p])))
		return;
	fill_rate(x, &s, &x->wish[w], r);
	GROW(to->fix, to->n, to->cap);
	to->fix[to->n++] = s;
}

/* The rates that a step leaves, as the commands do (core/session/commands/edit.c). */
static void follow_rates(struct fixer *x, struct plan_fix *s, struct plan_fix_rates *r, struct plan_fixes *to)
{
	const uint32_t *p = s->port;
	uint8_t w1, s1;

	switch (s->kind) {
	case FIX_MOVE: /* its rate goes with the end that moves */
		plan_fix_set_rate(r, p[0], p[2], r->width[p[1]], r->speed[p[1]]);
		mend_rate(x, p[0], p[2], r, to);
		break;
	case FIX_SWAP: /* those of the ends that change */
		w1 = r->width[p[1]];
		s1 = r->speed[p[1]];
		plan_fix_set_rate(r, p[0], p[3], r->width[p[3]], r->speed[p[3]]);
		plan_fix_set_rate(r, p[2], p[1], w1, s1);
		mend_rate(x, p[0], p[3], r, to);
		mend_rate(x, p[2], p[1], r, to);
		break;
	case FIX_ADD:
	case FIX_RATE:
		break;
	default:
		plan_fix_set_rate(r, p[0], p[1], 0, 0);
	}
}

static void with_rates(struct fixer *x)
{
	struct plan_fix_rates r = {arena_dup(x->arena, x->f->port_width, x->f->n_ports),
				   arena_dup(x->arena, x->f->port_speed, x->f->n_ports)};
	struct plan_fixes to = *x->x;

	to.fix = NULL;
	to.n = to.cap = 0;
	for (size_t i = 0; i < x->x->n; i++) {
		struct plan_fix *s = &x->x->fix[i];
		uint32_t w = wish_of(x, s->port[0], s->port[1]);

		if (s->kind == FIX_RATE || (s->kind == FIX_ADD && (s->width || s->speed)))
			fill_rate(x, s, &x->wish[w], &r);
		GROW(to.fix, to.n, to.cap);
		to.fix[to.n++] = *s;
		follow_rates(x, s, &r, &to);
	}
	free(x->x->fix);
	*x->x = to;
}

/* --- all --------------------------------------------------------------------------------------------- */

static void plan_fix_touch(struct fixer *x, bool *seen, uint32_t port)
{
	if (seen[port])
		return;
	seen[port] = true;
	x->touched[x->n_touched++] = port;
}

static void plan_fix_begin(struct fixer *x, const struct plan_report *r)
{
	const struct fabric *f = x->f;
	AUTO_FREE bool *seen = NEW_ARRAY(f->n_ports + 1, bool);

	x->wish_at = ARENA_ARRAY(x->arena, f->n_ports + 1, uint32_t);
	memset(x->wish_at, 0xff, f->n_ports * sizeof(*x->wish_at));
	x->peer = arena_dup(x->arena, f->port_peer, f->n_ports * sizeof(*x->peer));
	x->wrong = ARENA_ARRAY(x->arena, f->n_links + 1, bool);
	x->done = ARENA_ARRAY(x->arena, x->n + 1, bool);
	x->chain = ARENA_ARRAY(x->arena, x->n + 1, struct plan_fix_chain);
	x->chain_of = ARENA_ARRAY(x->arena, x->n + 1, uint32_t);
	x->touched = ARENA_ARRAY(x->arena, f->n_ports + 1, uint32_t);
	for (size_t i = 0; i < r->n; i++)
		if (r->d[i].change == PLAN_EXTRA)
			x->wrong[f->port_link[r->d[i].at]] = true;
	for (uint32_t w = 0; w < x->n; w++)
		for (int k = 0; k < 2; k++) {
			uint32_t port = x->wish[w].port[k];

			x->wish_at[port] = w;
			plan_fix_touch(x, seen, port);
			if (!x->wish[w].there && f->port_link[port] != NO_ID)
				x->wrong[f->port_link[port]] = true;
		}
	for (uint32_t l = 0; l < f->n_links; l++)
		for (int k = 0; x->wrong[l] && k < 2; k++)
			plan_fix_touch(x, seen, f->link_port[2 * l + k]);
	memset(x->chain_of, 0xff, (x->n + 1) * sizeof(*x->chain_of));
	for (uint32_t w = 0; w < x->n; w++)
		if (x->chain_of[w] == NO_ID)
			find_chain(x, w);
	x->to_do = x->n;
	x->key = 1;
	x->most_tries = TRIES + (uint64_t)TRIES_A_WISH * x->n;
	x->dead_cap = 2 * x->most_tries + 1;
	x->dead = ARENA_ARRAY(x->arena, x->dead_cap, uint64_t);
}

/* Cables that no wish needs go last. */
static void remove_rest(struct fixer *x)
{
	for (uint32_t i = 0; i < x->n_touched; i++) {
		uint32_t p = x->touched[i], q = x->peer[p];
		struct plan_fix s = plan_fix_step_of(FIX_REMOVE, p, q, NO_ID, NO_ID);

		if (q == NO_ID || x->wish_at[p] != NO_ID || x->wish_at[q] != NO_ID)
			continue;
		x->x->cables += x->f->port_peer[p] == q; /* others are of a chain */
		log_step(x, &s);
	}
}

int plan_fixes_find(const struct fabric *f, const struct state *state, const struct plan_report *r,
		    struct plan_fixes *fixes, struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct fixer x = {.arena = arena,
			  .f = f,
			  .state = state,
			  .wish = r->wish,
			  .n = (uint32_t)r->n_wishes,
			  .x = fixes,
			  .p = p};
	uint32_t kinds[FIX_KINDS] = {0};

	*fixes = (struct plan_fixes){.left = r->left, .first_cut = NO_ID};
	plan_fix_begin(&x, r);
	progress_start(p, "looking for an order of the steps", x.n);
	plan_fix_find_parts(&x);
	if (none_possible(&x))
		fixes->order = ORDER_NONE;
	for (uint32_t w = 0; w < x.n; w++)
		if (!x.wish[w].there)
			add_free(&x, w);
	if (fixes->order == ORDER_SAFE)
		fixes->order = plan_fix_search(&x);
	if (fixes->order != ORDER_SAFE && !plan_fix_least(&x))
		fixes->order = ORDER_SAFE;
	remove_rest(&x);
	with_rates(&x);
	for (size_t i = 0; i < fixes->n; i++)
		kinds[fixes->fix[i].kind]++;
	for (uint32_t c = 0; c < x.n_chains; c++)
		fixes->cables += x.chain[c].n + (x.chain[c].kind == CHAIN_CLOSED);
	fixes->reusable = MIN(kinds[FIX_ADD], kinds[FIX_REMOVE]);
	if (!progress_cancelled(p))
		return 0;
	plan_fixes_free(fixes);
	return err_set(e, CANCELLED);
}

void plan_fixes_free(struct plan_fixes *x)
{
	free(x->fix);
	*x = (struct plan_fixes){0};
}

static void plan_fix_put_port(const struct fabric *f, uint32_t port, struct text *t)
{
	char buf[300];

	word_append(t, port_plain(f, port, buf, sizeof(buf)));
}

void plan_fix_command(const struct fabric *f, const struct plan_fix *s, struct text *t)
{
	assert(s->kind < FIX_KINDS);
	bool host = !node_is_switch(f, f->port_node[s->port[0]]);

	text_add(t, "%s%s", plan_fix_word[s->kind],
		 s->kind == FIX_ADD || s->kind == FIX_REMOVE ? " link"
		 : s->kind == FIX_MOVE && host		     ? " host"
		 : s->kind == FIX_MOVE			     ? " link"
							     : "");
	plan_fix_put_port(f, s->port[s->kind == FIX_MOVE && !host], t);
	if (s->kind == FIX_ADD)
		plan_fix_put_port(f, s->port[1], t);
	if (s->kind == FIX_MOVE || s->kind == FIX_SWAP)
		plan_fix_put_port(f, s->port[2], t);
	if (s->width && s->speed)
		text_add(t, " %s%s", link_width_name(s->width), link_speed_name(s->speed));
}
