/*
 * Results of mincontention for a routing and for a step of a recording; what was compared, found again from
 * the tables.
 */

#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/mincontention/internal.h"

static void free_priv(void *priv)
{
	struct mincontention *m = priv;

	elements_unref(m->elements);
	FREE_EACH(m->usage, m->kept, m);
}

static const struct elements *op_elements(const struct routing *r)
{
	return mincontention_of(r)->elements;
}

static bool op_way(const struct routing *r, uint32_t element, unsigned lid, struct text *t)
{
	struct mincontention_key k;

	if (!mincontention_key(r, element, lid, &k))
		return false;
	text_add(t, "%u/%u", k.contention, k.distance);
	return true;
}

const struct routing_ops mincontention_ops = {
	.elements = op_elements,
	.way_measure = "contention/distance",
	.way = op_way,
	.free_priv = free_priv,
};

const struct mincontention *mincontention_of(const struct routing *r)
{
	r = r ? routing_origin(r) : NULL;
	return r && r->ops == &mincontention_ops ? r->priv : NULL;
}

/* Was LID a of an endport placed before its LID b? */
static bool placed_before(const struct mincontention *m, unsigned a, unsigned b)
{
	return m->kept[a] != m->kept[b] ? m->kept[a] : a < b;
}

bool mincontention_key(const struct routing *r, uint32_t element, unsigned lid, struct mincontention_key *k)
{
	const struct mincontention *m = mincontention_of(r);
	uint32_t owner = lid_owner(r->lids, lid),
		 sw = owner == NO_ID ? NO_ID : r->topo->endport_switch[owner];
	uint32_t target = sw == NO_ID ? NO_ID : m->elements->of[sw];
	unsigned base = owner == NO_ID ? 0 : r->lids->base[owner];

	*k = (struct mincontention_key){0};
	for (uint32_t e = element; e != target;) {
		uint32_t l = target == NO_ID ? NO_ID : egress_link(m->elements, r, e, lid);
		bool shared = false; /* with another LID of the endport */

		if (l == NO_ID || k->distance > m->elements->n)
			return false;
		for (unsigned i = base; !shared && i < base + r->lids->count[owner]; i++)
			shared = i != lid && placed_before(m, i, lid) &&
				 egress_link(m->elements, r, e, i) == l;
		k->contention += shared;
		k->distance++;
		e = m->elements->link_to[l];
	}
	return true;
}

/* --- what was compared ----------------------------------------------------------------------- */

/* The state when a LID was placed. */
struct mincontention_show_replay {
	struct mincontention_run x;
	const struct routing *r; /* made by the engine */
	const struct mincontention *m;
	uint8_t *before;   /* [max_lid + 1] 1: counted before its turn */
	uint32_t delivery; /* LIDs that the endport's port had then */
};

/* Finds the LIDs placed before: kept ones, then CA and router ports, then switches, each by number. */
static void find_before(struct mincontention_show_replay *y)
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

/* Counts the usage of all links by the entries of LIDs placed before. False when cancelled. */
static bool mincontention_show_count_before(struct mincontention_show_replay *y, struct progress *p)
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
			uint32_t port = switch_port_id(f, s, n);

			if (y->x.el->port_link[port] != NO_ID)
				y->x.between.use[y->x.el->port_link[port]] = count[n];
			if (y->x.el->port_inside[port] != NO_ID)
				y->x.inside.use[y->x.el->port_inside[port]] = count[n];
		}
		if (s == y->x.sw && y->x.swport)
			y->delivery = count[y->x.swport];
	}
	return true;
}

/* Sets the keys of a node and of all on its way, as far as links are chosen. chain: room for all nodes. */
static void mincontention_show_settle(struct level *v, uint32_t node, uint32_t *chain)
{
	uint32_t n = 0;

	for (; v->key[node] == NO_KEY; node = v->to[v->egress[node]]) {
		if (v->egress[node] == NO_ID)
			return;
		chain[n++] = node;
	}
	while (n--) {
		uint32_t l = v->egress[chain[n]];

		v->key[chain[n]] = key_through(v, l, v->key[v->to[l]]);
	}
}

/* Sets the keys of the chips of an element, once the exit of the LID is known. */
static void find_inside(struct mincontention_show_replay *y, uint32_t e, uint32_t *chain)
{
	struct mincontention_run *x = &y->x;
	const uint32_t *chip = &x->el->chip[x->el->first_chip[e]];
	uint32_t n = element_chips(x->el, e);
	bool known = e == x->target || x->between.egress[e] != NO_ID;
	uint32_t exit = known ? exit_switch(x, e) : NO_ID;

	if (known)
		aim_inside(x, e);
	for (uint32_t i = 0; i < n; i++) {
		x->inside.key[chip[i]] = chip[i] == exit ? 0 : NO_KEY;
		x->inside.egress[chip[i]] =
			known && chip[i] != exit ? inside_link(x->el, y->r, chip[i], x->lid) : NO_ID;
	}
	for (uint32_t i = 0; i < n; i++)
		mincontention_show_settle(&x->inside, chip[i], chain);
}

static void fill_ways(const struct mincontention_show_replay *y, struct mincontention_ways *w)
{
	const struct mincontention_run *x = &y->x;
	bool kept = y->m->kept[x->lid];

	w->target = x->target;
	w->way = NEW_ARRAY((size_t)x->el->n_links + 1, struct mincontention_way);
	for (uint32_t e = 0; e < x->el->n; e++) {
		struct mincontention_way *way = &w->way[w->first[e]];

		if (e != x->target) {
			w->first[e + 1] = w->first[e] + list_ways(x, &x->between, e, kept, way);
			continue;
		}
		*way = (struct mincontention_way){
			.port = switch_port_id(x->topo->fabric, x->sw, x->swport),
			.to = NO_ID,
			.usage = y->delivery,
			.chosen = true,
			.rule = own_rule(x, kept),
		};
		w->first[e + 1] = w->first[e] + 1;
	}
	w->inside = NEW_ARRAY((size_t)x->el->n_inside + x->topo->fabric->n_switches + 1,
			      struct mincontention_way);
	for (uint32_t s = 0; s < x->topo->fabric->n_switches; s++) {
		uint32_t e = x->el->of[s];
		bool chooses = e != NO_ID && element_chips(x->el, e) > 1 && x->inside.key[s];

		w->first_inside[s + 1] = w->first_inside[s];
		if (chooses)
			w->first_inside[s + 1] +=
				list_ways(x, &x->inside, s, kept, &w->inside[w->first_inside[s]]);
	}
}

struct mincontention_ways *mincontention_ways(const struct routing *r, unsigned lid, struct progress *p)
{
	struct mincontention_ways *w = NEW(struct mincontention_ways);
	const struct elements *el;
	struct mincontention_show_replay y;
	struct mincontention_run *x = &y.x;
	uint32_t owner, *chain;
	unsigned base;
	bool done;

	r = routing_origin(r);
	el = w->elements = elements_ref(mincontention_of(r)->elements);
	w->lid = lid;
	w->target = NO_ID;
	w->first = NEW_ARRAY(el->n + 1, uint32_t);
	w->first_inside = NEW_ARRAY(r->topo->fabric->n_switches + 1, uint32_t);
	owner = lid_owner(r->lids, lid);
	if (owner == NO_ID || r->topo->endport_switch[owner] == NO_ID)
		return w;
	y = (struct mincontention_show_replay){.r = r, .m = r->priv};
	*x = (struct mincontention_run){.el = el, .topo = r->topo, .tolerance = y.m->tolerance};
	run_levels(x);
	x->lid = lid;
	x->owner = owner;
	x->sw = r->topo->endport_switch[owner];
	x->swport = r->topo->endport_swport[owner];
	y.before = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t);
	aim(x, el->of[x->sw]);
	find_before(&y);
	base = r->lids->base[owner];
	for (unsigned k = base; k < base + r->lids->count[owner]; k++)
		if (k != lid && placed_before(y.m, k, lid))
			mark_lid(x, r, k);
	/*
	 * Find the choice and the key of every element and every chip inside. The engine leaves complete
	 * trees, so every chain ends. At a step of a recording, trees grow from the target, so chosen nodes
	 * have complete chains too.
	 */
	chain = NEW_ARRAY(r->topo->fabric->n_switches + 1, uint32_t);
	for (uint32_t e = 0; e < el->n; e++) {
		x->between.key[e] = e == x->target ? 0 : NO_KEY;
		x->between.egress[e] = e == x->target ? NO_ID : egress_link(el, r, e, lid);
	}
	for (uint32_t e = 0; e < el->n; e++)
		mincontention_show_settle(&x->between, e, chain);
	for (uint32_t e = 0; e < el->n; e++)
		find_inside(&y, e, chain);
	done = mincontention_show_count_before(&y, p);
	if (done)
		fill_ways(&y, w);
	run_end(x);
	FREE_EACH(chain, y.before);
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
	FREE_EACH(w->first, w->way, w->first_inside, w->inside, w);
}

/* --- a step of a recording ------------------------------------------------------------------- */

void *mc_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	const struct mc_kept *k = recording_kept(r);
	struct mincontention *m;

	(void)end;
	if (!k) /* refused before there were elements */
		return NULL;
	m = NEW(struct mincontention);
	m->elements = elements_ref(k->el);
	m->tolerance = k->tolerance;
	m->kept = mem_dup(k->kept, s->lids->max_lid + 1u);
	m->usage = mem_dup(walk_words(w, T_COUNT), s->fabric->n_ports * sizeof(*m->usage));
	return m;
}
