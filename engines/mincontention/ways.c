/*
 * The acceptable paths of an element side by side: during a run for those who
 * explain it, and once more afterwards from the tables it left.
 */
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/sm/ucast_cache.h"
#include "engines/mincontention/internal.h"

const char *mincontention_rule_name(enum mincontention_rule rule)
{
	static const char *const names[] = {
		[RULE_ONLY_PATH] = "only path",
		[RULE_CONTENTION] = "least contention",
		[RULE_DISTANCE] = "least distance",
		[RULE_USAGE] = "least usage",
		[RULE_NEXT_ELEMENT] = "lowest next element",
		[RULE_OWN_CHIP] = "lowest own chip",
		[RULE_PORT] = "lowest port",
		[RULE_KEPT] = "kept",
		[RULE_HOST_PORT] = "the host's port",
		[RULE_OWN_PORT] = "own port 0",
	};

	return names[rule];
}

/* --- the ways of one element ------------------------------------------------------------- */

/* Does the path that element n has chosen pass e? */
static bool passes(const struct run *x, uint32_t n, uint32_t e)
{
	for (; n != x->target; n = x->el->link_to[x->egress[n]])
		if (n == e)
			return true;
	return false;
}

static struct mincontention_way way_through(const struct run *x, uint32_t l)
{
	uint32_t to = x->el->link_to[l], key = key_through(x, l, x->key[to]);

	return (struct mincontention_way){
		.port = x->el->link_port[l],
		.to = to,
		.key = {(uint16_t)CONTENTION(key), (uint16_t)DISTANCE(key)},
		.usage = x->use[l],
	};
}

/* The first thing in which two ways differ; links are in order of chip and port, which settle the rest. */
static enum mincontention_rule difference(const struct run *x, const struct mincontention_way *a,
					  const struct mincontention_way *b)
{
	const struct fabric *f = x->topo->fabric;

	if (a->key.contention != b->key.contention)
		return RULE_CONTENTION;
	if (a->key.distance != b->key.distance)
		return RULE_DISTANCE;
	if (a->usage != b->usage)
		return RULE_USAGE;
	if (a->to != b->to)
		return RULE_NEXT_ELEMENT;
	return f->port_node[a->port] != f->port_node[b->port] ? RULE_OWN_CHIP : RULE_PORT;
}

uint32_t list_ways(const struct run *x, uint32_t e, bool kept, struct mincontention_way *way)
{
	const struct elements *el = x->el;
	uint32_t n = 1;

	if (x->key[e] == NO_KEY) {
		way[0] = (struct mincontention_way){.port = NO_ID, .to = NO_ID, .open = true};
		return 1;
	}
	way[0] = way_through(x, x->egress[e]);
	way[0].chosen = true;
	way[0].rule = RULE_ONLY_PATH;
	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++) {
		if (l == x->egress[e] || DISTANCE(x->key[el->link_to[l]]) + 1 > x->sp[e] + x->tolerance ||
		    passes(x, el->link_to[l], e))
			continue;
		way[n] = way_through(x, l);
		way[n].rule = kept ? RULE_KEPT : difference(x, &way[0], &way[n]);
		if (way[n].rule > way[0].rule)
			way[0].rule = way[n].rule;
		n++;
	}
	if (kept)
		way[0].rule = RULE_KEPT;
	return n;
}

/* --- afterwards ----------------------------------------------------------------------------- */

/* Where things stood when a LID was placed. */
struct replay {
	struct run x;
	const struct routing *r; /* that the engine made */
	const struct mincontention *m;
	uint8_t *before;   /* [max_lid + 1] 1: counted when its turn came */
	uint32_t delivery; /* LIDs sent by the port of the endport then */
};

/* Kept LIDs come first, then CA and router ports, then switches, each by number. */
static void find_before(struct replay *y)
{
	const struct lids *l = y->r->lids;
	const struct fabric *f = y->x.topo->fabric;
	bool is_switch = endport_is_switch(f, y->x.owner);

	for (unsigned lid = 1; lid <= l->max_lid; lid++) {
		uint32_t ep = l->owner[lid];
		bool other = ep != NO_ID && endport_is_switch(f, ep);

		if (y->m->kept[lid])
			y->before[lid] = 1;
		else if (ep != NO_ID)
			y->before[lid] = other == is_switch ? lid < y->x.lid : is_switch;
	}
}

/* Usage of all links, from the entries of the LIDs placed before.  false: cancelled. */
static bool count_before(struct replay *y, struct progress *p)
{
	const struct fabric *f = y->x.topo->fabric;

	progress_start(p, "ways", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct lft_row *row = y->r->row[s];
		uint32_t count[256] = {0};

		if (!progress_step(p, s))
			return false;
		for (unsigned lid = 1; row && lid <= row->top; lid++)
			count[row->port[lid]] += y->before[lid];
		for (unsigned n = 1; row && n <= f->switch_nports[s]; n++) {
			uint32_t l = y->x.el->port_link[switch_port_id(f, s, n)];

			if (l != NO_ID)
				y->x.use[l] = count[n];
		}
		if (s == y->x.sw && y->x.swport)
			y->delivery = count[y->x.swport];
	}
	return true;
}

/* Links of LIDs of the same endport placed before. */
static void mark_before(struct replay *y)
{
	struct run *x = &y->x;
	unsigned base = y->r->lids->base[x->owner];

	for (unsigned k = base; k < base + y->r->lids->count[x->owner]; k++) {
		if (k == x->lid || !placed_before(y->m, k, x->lid))
			continue;
		for (uint32_t e = 0; e < x->el->n; e++) {
			uint32_t l = egress_link(x->el, y->r, e, k);

			if (l != NO_ID)
				x->marked[l] = 1;
		}
	}
}

/* Key of e along the choices, where it has made one; chain: room for all elements. */
static void settle(struct run *x, uint32_t e, uint32_t *chain)
{
	uint32_t n = 0;

	for (; x->key[e] == NO_KEY; e = x->el->link_to[x->egress[e]]) {
		if (x->egress[e] == NO_ID)
			return;
		chain[n++] = e;
	}
	while (n--) {
		uint32_t l = x->egress[chain[n]];

		x->key[chain[n]] = key_through(x, l, x->key[x->el->link_to[l]]);
	}
}

/*
 * What every element chose, and its key.  The engine leaves whole trees, so that every chain ends; at a step
 * of a recording they grow from the target, so that those that have chosen have chains as well.
 */
static void find_choices(struct replay *y)
{
	struct run *x = &y->x;
	uint32_t *chain = NEW_ARRAY(x->el->n, uint32_t);

	for (uint32_t e = 0; e < x->el->n; e++) {
		x->key[e] = NO_KEY;
		x->egress[e] = e == x->target ? NO_ID : egress_link(x->el, y->r, e, x->lid);
	}
	x->key[x->target] = 0;
	for (uint32_t e = 0; e < x->el->n; e++)
		settle(x, e, chain);
	free(chain);
}

static void replay_begin(struct replay *y, const struct routing *r, unsigned lid)
{
	const struct elements *el = ((const struct mincontention *)r->priv)->elements;
	struct run *x = &y->x;
	size_t links = (size_t)el->n_links + 1;

	*y = (struct replay){.r = r, .m = r->priv};
	*x = (struct run){.el = el, .topo = r->topo, .tolerance = y->m->tolerance, .target = NO_ID};
	x->lid = lid;
	x->owner = lid_owner(r->lids, lid);
	x->sw = r->topo->endport_switch[x->owner];
	x->swport = r->topo->endport_swport[x->owner];
	x->use = NEW_ARRAY(links, uint32_t);
	x->marked = NEW_ARRAY(links, uint8_t);
	x->key = NEW_ARRAY(el->n, uint32_t);
	x->egress = NEW_ARRAY(el->n, uint32_t);
	x->all_sp = NEW_ARRAY(el->n, uint16_t *);
	x->all_near = NEW_ARRAY(el->n, uint32_t *);
	y->before = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t);
	aim(x, el->of[x->sw]);
}

static void replay_end(struct replay *y)
{
	run_end(&y->x);
	free(y->before);
}

static void fill_ways(const struct replay *y, struct mincontention_ways *w)
{
	const struct run *x = &y->x;
	bool kept = y->m->kept[x->lid];

	w->target = x->target;
	w->way = NEW_ARRAY((size_t)x->el->n_links + 1, struct mincontention_way);
	for (uint32_t e = 0; e < x->el->n; e++) {
		struct mincontention_way *way = &w->way[w->first[e]];

		if (e != x->target) {
			w->first[e + 1] = w->first[e] + list_ways(x, e, kept, way);
			continue;
		}
		*way = (struct mincontention_way){
			.port = switch_port_id(x->topo->fabric, x->sw, x->swport),
			.to = NO_ID,
			.usage = y->delivery,
			.chosen = true,
			.rule = kept	    ? RULE_KEPT
				: x->swport ? RULE_HOST_PORT
					    : RULE_OWN_PORT,
		};
		w->first[e + 1] = w->first[e] + 1;
	}
}

struct mincontention_ways *mincontention_ways(const struct routing *r, unsigned lid, struct progress *p)
{
	struct mincontention_ways *w = NEW(struct mincontention_ways);
	uint32_t owner;
	struct replay y;
	bool done;

	r = routing_origin(r);
	w->elements = elements_ref(mincontention_of(r)->elements);
	w->lid = lid;
	w->target = NO_ID;
	w->first = NEW_ARRAY(w->elements->n + 1, uint32_t);
	owner = lid_owner(r->lids, lid);
	if (owner == NO_ID || r->topo->endport_switch[owner] == NO_ID)
		return w;
	replay_begin(&y, r, lid);
	find_before(&y);
	mark_before(&y);
	find_choices(&y);
	done = count_before(&y, p);
	if (done)
		fill_ways(&y, w);
	replay_end(&y);
	if (done)
		return w;
	mincontention_ways_free(w);
	return NULL;
}

void mincontention_ways_free(struct mincontention_ways *w)
{
	if (!w)
		return;
	elements_unref(w->elements);
	free(w->first);
	free(w->way);
	free(w);
}
