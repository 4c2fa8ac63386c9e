/* Minimum contention: its guarantees, by brute force on small random fabrics with random chassis. */
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

#include "core/analysis/credit/check.h"
#include "core/trace/recording.h"
#include "engines/mincontention/mincontention.h"

/* --- a fabric under routing ---------------------------------------------------------------- */

static const struct optdef *tables[3];

struct net {
	struct fabric *f;
	struct state *st;
	struct options *op;
	struct lid_memory *m;
	struct topo *t;
	struct lids *l;
	struct engine_input in;
	struct routing *r;
	uint8_t *marked; /* [n_ports] other LIDs of the endport leave by it, in replay() */
	uint32_t *usage; /* [n_ports] */
};

/*
 * Port id by which an element sends a LID out, NO_ID without route.  At the element of the endport: the port
 * it hangs on, or port 0 of the switch that has the LID.
 */
static uint32_t egress(const struct routing *r, uint32_t element, unsigned lid)
{
	const struct elements *el = mincontention_of(r)->elements;
	uint32_t owner = lid_owner(r->lids, lid),
		 sw = owner == NO_ID ? NO_ID : r->topo->endport_switch[owner], l;

	if (sw == NO_ID)
		return NO_ID;
	if (el->of[sw] == element)
		return switch_port_id(r->topo->fabric, sw, r->topo->endport_swport[owner]);
	l = egress_link(el, r, element, lid);
	return l == NO_ID ? NO_ID : el->link_port[l];
}

static void set(struct net *n, const char *name, unsigned value)
{
	struct err e;
	AUTO_FREE char *text = str_printf("%u", value);

	if (options_set(n->op, name, text, &e))
		fail_msg("%s", e.msg);
}

static void net_new(struct net *n, struct fabric *f, unsigned lmc, unsigned tolerance)
{
	struct lid_options lo = {.lmc = lmc, .lmc_esp0 = true};

	tables[0] = common_options;
	tables[1] = engine_find(all_engines, "mincontention")->options;
	*n = (struct net){.f = f, .st = state_new(f), .op = options_new(tables), .m = lid_memory_new(f, &lo)};
	set(n, "tolerance", tolerance);
	n->in.options = n->op;
	n->marked = NEW_ARRAY(f->n_ports, uint8_t);
	n->usage = NEW_ARRAY(f->n_ports, uint32_t);
}

static void sweep(struct net *n)
{
	topo_unref(n->t);
	lids_unref(n->l);
	n->t = topo_new(n->f, n->st);
	n->l = lids_assign(n->m, n->t, NULL, NULL);
	n->in.topo = n->t;
	n->in.lids = n->l;
}

static struct routing *run(const struct net *n, bool update)
{
	const struct engine *g = engine_find(all_engines, "mincontention");
	struct engine_output out = {0};
	struct routing *r = update ? g->update(&n->in, &out) : g->route(&n->in, &out);

	if (!r)
		fail_msg("refused: %s", out.refused.msg);
	notes_free(&out.notes);
	return r;
}

static void net_run(struct net *n)
{
	sweep(n);
	n->r = run(n, false);
}

static void net_free(struct net *n)
{
	routing_unref(n->r);
	topo_unref(n->t);
	lids_unref(n->l);
	lid_memory_free(n->m);
	options_free(n->op);
	state_free(n->st);
	fabric_unref(n->f);
	free(n->marked);
	free(n->usage);
}

/* --- random fabrics --------------------------------------------------------------------------- */

static bool free_port(const struct fabric_builder *b, uint32_t node, unsigned *port)
{
	for (unsigned p = 1; p <= b->node[node].nports; p++)
		if (b->node[node].port[p].peer_node == NO_ID) {
			*port = p;
			return true;
		}
	return false;
}

static bool cable(struct fabric_builder *b, uint32_t x, uint32_t y)
{
	unsigned p, q;

	return x != y && free_port(b, x, &p) && free_port(b, y, &q) && fb_link(b, x, p, y, q);
}

/* 2 .. 9 switches, some of them chips of a chassis (not always connected), parallel cables, hosts. */
static struct fabric *random_fabric(uint64_t *rng)
{
	struct fabric_builder *b = fb_new();
	uint32_t n = 2 + rng_below(rng, 8), groups = 1 + rng_below(rng, 4);
	bool chassis = rng_below(rng, 4) != 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t guid = rng_next(rng) >> 8 | 1;

		assert_int_equal(fb_add(b, NODE_SWITCH, guid, 12, "sw"), i);
		if (chassis && rng_below(rng, 3))
			b->node[i].sysguid = 100 + rng_below(rng, groups);
		b->node[i].esp0 = rng_below(rng, 2) != 0;
		if (i)
			assert_true(cable(b, i, rng_below(rng, i) / 2));
	}
	for (uint32_t k = rng_below(rng, 3 * n); k > 0; k--)
		cable(b, rng_below(rng, n), rng_below(rng, n));
	for (uint32_t k = 1 + rng_below(rng, 2 * n); k > 0; k--) {
		uint32_t ca = fb_add(b, NODE_CA, rng_next(rng) >> 8 | 1, 1, "host");

		cable(b, ca, rng_below(rng, n));
	}
	return built(b);
}

/* --- replay: every choice is compared with all simple element paths ------------------------------- */

struct best {
	uint32_t q[3]; /* contention, distance, usage */
	uint32_t port;
};

struct least_search {
	const struct net *n;
	const struct elements *el;
	const uint16_t *sp;
	unsigned lid, tolerance;
	uint32_t from, target;
	uint8_t *seen;	   /* [elements] on the path at hand */
	uint32_t path[16]; /* ports that send */
	unsigned len;
	bool follow; /* behind the first link, only what elements have chosen */
	struct best best;
	struct best all[9 * 12]; /* with `follow`: acceptable paths, one a first port of random_fabric() */
	unsigned n_all;
};

static uint32_t element_of_port(const struct elements *el, uint32_t port)
{
	return el->of[el->topo->fabric->node_switch[el->topo->fabric->port_node[port]]];
}

/* All that is compared: key, usage, the next element's GUID, own chip's GUID, port number. */
static void compared(const struct least_search *s, const struct best *b, uint64_t x[6])
{
	const struct fabric *f = s->n->f;

	for (unsigned i = 0; i < 3; i++)
		x[i] = b->q[i];
	x[3] = s->el->guid[element_of_port(s->el, s->n->t->peer[b->port])];
	x[4] = f->node_guid[f->port_node[b->port]];
	x[5] = f->port_num[b->port];
}

/* By which of them b is the better one; -1: it is not. */
static int better(const struct least_search *s, const struct best *b, const struct best *than)
{
	uint64_t x[6], y[6];

	compared(s, b, x);
	compared(s, than, y);
	for (int i = 0; i < 6; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? i : -1;
	return -1;
}

static void path_found(struct least_search *s)
{
	struct best b = {.q = {0, s->len, s->n->usage[s->path[0]]}, .port = s->path[0]};

	if (s->len > s->sp[s->from] + s->tolerance)
		return;
	for (unsigned i = 0; i < s->len; i++)
		b.q[0] += s->n->marked[s->path[i]];
	if (s->best.port == NO_ID || better(s, &b, &s->best) >= 0)
		s->best = b;
	if (!s->follow)
		return;
	assert_true(s->n_all < ARRAY_LEN(s->all));
	s->all[s->n_all++] = b;
}

/* All simple paths of elements from `at` on. */
static void walk(struct least_search *s, uint32_t at)
{
	const struct net *n = s->n;

	if (at == s->target) {
		path_found(s);
		return;
	}
	s->seen[at] = 1;
	for (uint32_t c = s->el->first_chip[at]; c < s->el->first_chip[at + 1]; c++) {
		uint32_t sw = s->el->chip[c];

		for (unsigned p = 1; p <= n->f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(n->f, sw, p), to = n->t->peer_switch[port];

			if (to == NO_ID || s->seen[s->el->of[to]])
				continue;
			if (s->follow && at != s->from && egress(n->r, at, s->lid) != port)
				continue;
			s->path[s->len++] = port;
			walk(s, s->el->of[to]);
			s->len--;
		}
	}
	s->seen[at] = 0;
}

/* Least contention among the shortest simple paths: what tolerance 0 would come to. */
static unsigned shortest_contention(const struct least_search *like)
{
	struct least_search s = *like;

	s.follow = false;
	s.tolerance = 0;
	s.best = (struct best){.port = NO_ID};
	walk(&s, s.from);
	return s.best.q[0];
}

/* The ways told of an element are the paths found here, with what the best one has before each of them. */
static void check_ways(const struct least_search *s, const struct mincontention_ways *w, uint32_t e)
{
	static const uint8_t rules[] = {RULE_CONTENTION,   RULE_DISTANCE, RULE_USAGE,
					RULE_NEXT_ELEMENT, RULE_OWN_CHIP, RULE_PORT};
	uint8_t last = RULE_ONLY_PATH;

	assert_int_equal(w->first[e + 1] - w->first[e], s->n_all);
	for (uint32_t i = w->first[e]; i < w->first[e + 1]; i++) {
		const struct mincontention_way *way = &w->way[i];
		const struct best *b = NULL;

		for (unsigned k = 0; k < s->n_all; k++)
			if (s->all[k].port == way->port)
				b = &s->all[k];
		assert_non_null(b);
		assert_int_equal(way->key.contention, b->q[0]);
		assert_int_equal(way->key.distance, b->q[1]);
		assert_int_equal(way->usage, b->q[2]);
		assert_int_equal(way->to, element_of_port(s->el, s->n->t->peer[way->port]));
		assert_int_equal(way->chosen, i == w->first[e]);
		assert_int_equal(way->chosen, way->port == s->best.port);
		if (way->chosen)
			continue;
		assert_true(better(s, &s->best, b) >= 0);
		assert_int_equal(way->rule, rules[better(s, &s->best, b)]);
		last = way->rule > last ? way->rule : last;
	}
	assert_int_equal(w->way[w->first[e]].rule, last);
}

static void check_element(const struct net *n, const struct mincontention_ways *w, uint32_t e,
			  uint32_t target, unsigned lid, const uint16_t *sp)
{
	const struct mincontention *m = mincontention_of(n->r);
	struct least_search s = {.n = n,
				 .el = m->elements,
				 .sp = sp,
				 .lid = lid,
				 .tolerance = m->tolerance,
				 .from = e,
				 .target = target,
				 .follow = true,
				 .best = {.port = NO_ID}};
	uint32_t port = egress(n->r, e, lid);
	struct mincontention_key k;

	s.seen = NEW_ARRAY(m->elements->n, uint8_t);
	walk(&s, e);
	assert_int_equal(port, s.best.port);
	assert_true(mincontention_key(n->r, e, lid, &k));
	assert_int_equal(k.contention, s.best.q[0]);
	assert_int_equal(k.distance, s.best.q[1]);
	assert_true(k.distance <= sp[e] + m->tolerance);
	if (!m->tolerance)
		assert_int_equal(k.distance, sp[e]);
	assert_true(k.contention <= shortest_contention(&s));
	check_ways(&s, w, e);
	free(s.seen);
}

/*
 * The path of a chip inside its element that begins by a port and goes on as the tables say: false when it
 * does not come to the exit, comes back, or is longer than what is acceptable.
 */
static bool inside_path(const struct net *n, uint32_t from, unsigned port, uint32_t exit, unsigned lid,
			uint32_t q[3])
{
	const struct mincontention *m = mincontention_of(n->r);
	const struct elements *el = m->elements;
	uint32_t e = el->of[from], at = from;
	unsigned most = element_hops(el, e, el->chip_index[from], el->chip_index[exit]) + m->tolerance;

	q[0] = q[1] = 0;
	q[2] = n->usage[switch_port_id(n->f, from, port)];
	while (at != exit) {
		uint32_t id = switch_port_id(n->f, at, port), to = n->t->peer_switch[id];

		if (to == NO_ID || el->of[to] != e || to == from || q[1]++ >= most)
			return false;
		q[0] += n->marked[id];
		at = to;
		port = routing_port(n->r, at, lid);
	}
	return true;
}

/* Chips of an element: least contention, distance, usage, port among the paths inside that are given. */
static void check_inside(const struct net *n, const struct mincontention_ways *w, uint32_t e, uint32_t exit,
			 unsigned lid)
{
	const struct elements *el = mincontention_of(n->r)->elements;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		uint32_t sw = el->chip[c], best[4] = {UINT32_MAX}, ways = 0;

		if (sw == exit) {
			assert_int_equal(w->first_inside[sw], w->first_inside[sw + 1]);
			continue;
		}
		for (unsigned p = 1; p <= n->f->switch_nports[sw]; p++) {
			uint32_t q[4];

			q[3] = p;
			if (!inside_path(n, sw, p, exit, lid, q))
				continue;
			ways++;
			for (int i = 0; i < 4; i++)
				if (q[i] != best[i]) {
					if (q[i] < best[i])
						memcpy(best, q, sizeof(best));
					break;
				}
		}
		assert_int_equal(routing_port(n->r, sw, lid), best[3]);
		assert_int_equal(w->first_inside[sw + 1] - w->first_inside[sw], ways);
		assert_int_equal(w->inside[w->first_inside[sw]].key.contention, best[0]);
		assert_int_equal(w->inside[w->first_inside[sw]].key.distance, best[1]);
		assert_int_equal(w->inside[w->first_inside[sw]].usage, best[2]);
		n->usage[switch_port_id(n->f, sw, best[3])]++;
	}
}

static void replay_lid(struct net *n, uint32_t ep, unsigned lid)
{
	const struct elements *el = mincontention_of(n->r)->elements;
	uint32_t sw = n->t->endport_switch[ep], target = el->of[sw];
	AUTO_FREE uint16_t *sp = NEW_ARRAY(el->n, uint16_t);
	AUTO_FREE uint32_t *order = NEW_ARRAY(el->n, uint32_t);
	struct mincontention_ways *w = mincontention_ways(n->r, lid, NULL);

	assert_int_equal(elements_distances(el, target, sp, order), el->n);
	assert_int_equal(w->target, target);
	for (uint32_t e = 0; e < el->n; e++)
		if (e != target)
			check_element(n, w, e, target, lid, sp);
	assert_int_equal(w->first[target + 1], w->first[target] + 1);
	assert_int_equal(w->way[w->first[target]].port, egress(n->r, target, lid));
	assert_int_equal(w->way[w->first[target]].usage, n->usage[egress(n->r, target, lid)]);
	for (uint32_t e = 0; e < el->n; e++) {
		uint32_t port = egress(n->r, e, lid), exit = n->f->node_switch[n->f->port_node[port]];

		check_inside(n, w, e, exit, lid);
		assert_int_equal(routing_port(n->r, exit, lid), n->f->port_num[port]);
		n->usage[port] += n->f->port_num[port] != 0;
	}
	for (uint32_t e = 0; e < el->n; e++)
		if (e != target)
			n->marked[egress(n->r, e, lid)] = 1;
	for (uint32_t l = 0; l < el->n_inside; l++) {
		uint32_t s = n->f->node_switch[n->f->port_node[el->inside_port[l]]];

		if (routing_port(n->r, s, lid) == n->f->port_num[el->inside_port[l]])
			n->marked[el->inside_port[l]] = 1;
	}
	mincontention_ways_free(w);
}

/* The whole run once more: CAs, then switches, each by base LID. */
static void replay(struct net *n)
{
	const struct mincontention *m = mincontention_of(n->r);

	for (unsigned switches = 0; switches < 2; switches++)
		for (unsigned lid = 1; lid <= n->l->max_lid; lid++) {
			uint32_t ep = n->l->owner[lid];

			if (ep == NO_ID || endport_is_switch(n->f, ep) != switches ||
			    n->t->endport_switch[ep] == NO_ID)
				continue;
			if (n->l->base[ep] == lid)
				memset(n->marked, 0, n->f->n_ports);
			replay_lid(n, ep, lid);
		}
	for (uint32_t p = 0; p < n->f->n_ports; p++)
		assert_int_equal(n->usage[p], m->usage[p]);
}

static void assert_sound(const struct net *n)
{
	struct check_result c;

	assert_int_equal(check_routing(n->r, &c, NULL), 0);
	assert_int_equal(c.unreachable, 0);
	assert_int_equal(c.looping, 0);
	assert_int_equal(c.switch_unreachable, 0);
}

static void test_brute_force(void **state)
{
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < test_rounds(240); i++) {
		AUTO_BY(net_free) struct net n;

		net_new(&n, random_fabric(&rng), i % 4, i / 4 % 3);
		net_run(&n);
		assert_sound(&n);
		replay(&n);
	}
}

/* --- ways as who asks hears them -------------------------------------------------------------------- */

struct listener {
	const struct routing *r;
	struct mincontention_ways *w; /* of the LID at hand */
	unsigned heard, kept;
};

/* The element's candidates of an entry, one after the other. */
static void hear_ways(void *ctx, const struct rec_choice *s)
{
	struct listener *h = ctx;
	const struct fabric *f = h->r->topo->fabric;

	if (!h->w || h->w->lid != s->lid) {
		mincontention_ways_free(h->w);
		h->w = mincontention_ways(h->r, s->lid, NULL);
	}
	uint32_t e = h->w->elements->of[s->sw];
	uint32_t n = h->w->first[e + 1] - h->w->first[e];
	for (uint32_t i = 0; i < n && e != h->w->target; i++) {
		const struct mincontention_way *way = &h->w->way[h->w->first[e] + i];
		const struct rec_offer *c = &s->offer[i];

		assert_true(i < s->n_offers);
		assert_int_equal(c->port, f->port_num[way->port]);
		assert_int_equal(c->peer, h->r->topo->peer[way->port]);
		if (c->q[0] == INT64_MIN) /* nobody asked: kept */
			assert_int_equal(way->rule, RULE_KEPT);
		else
			assert_int_equal(c->q[0], way->key.contention);
		assert_int_equal(c->q[1], way->key.distance);
		assert_int_equal(c->q[2], way->usage);
		h->kept += way->rule == RULE_KEPT;
		h->heard++;
	}
}

/* The first way of every element is the routing's egress, with its key. */
static void check_chosen(const struct net *n, unsigned lid)
{
	struct mincontention_ways *w = mincontention_ways(n->r, lid, NULL);

	for (uint32_t e = 0; lid_owner(n->l, lid) != NO_ID && e < w->elements->n; e++) {
		const struct mincontention_way *way = &w->way[w->first[e]];
		struct mincontention_key k;

		assert_true(way->chosen);
		assert_int_equal(way->port, egress(n->r, e, lid));
		assert_true(mincontention_key(n->r, e, lid, &k));
		assert_memory_equal(&k, &way->key, sizeof(k));
		assert_int_equal(way->rule == RULE_KEPT, mincontention_of(n->r)->kept[lid]);
	}
	mincontention_ways_free(w);
}

/* What the tables tell afterwards is what was compared; of kept LIDs, too.  How many of these were looked at.
 */
static unsigned check_heard(const struct net *n)
{
	struct listener h = {.r = n->r};
	struct rec_ask ask = {.sw = NO_ID, .tell = hear_ways, .ctx = &h};
	struct net again = *n;

	again.in.ask = &ask;
	routing_unref(run(&again, false));
	for (unsigned lid = 1; lid <= n->l->max_lid; lid++)
		check_chosen(n, lid);
	mincontention_ways_free(h.w);
	assert_true(h.heard > 0 || mincontention_of(n->r)->elements->n == 1);
	return h.kept;
}

/* --- stability: kept trees, update() equal to route() ------------------------------------------------ */

static void assert_same(const struct routing *a, const struct routing *b)
{
	const struct fabric *f = a->topo->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		assert_int_equal(!a->row[s], !b->row[s]);
		if (a->row[s]) {
			assert_int_equal(a->row[s]->top, b->row[s]->top);
			assert_memory_equal(a->row[s]->port, b->row[s]->port, a->row[s]->top + 1);
		}
	}
	assert_memory_equal(mincontention_of(a)->usage, mincontention_of(b)->usage,
			    f->n_ports * sizeof(uint32_t));
	assert_memory_equal(mincontention_of(a)->kept, mincontention_of(b)->kept, a->lids->max_lid + 1u);
}

/* Does a LID's column in `old` use a link that is not there any more? */
static bool tree_broken(const struct net *n, const struct routing *old, unsigned lid)
{
	for (uint32_t s = 0; s < n->f->n_switches; s++) {
		unsigned p = routing_port(old, s, lid);

		if (switch_up(n->t, s) && p && p != NO_PATH &&
		    n->t->peer[switch_port_id(n->f, s, p)] == NO_ID)
			return true;
	}
	return false;
}

static void check_kept(const struct net *n, const struct routing *old)
{
	const struct mincontention *m = mincontention_of(n->r);
	AUTO_FREE uint32_t *count = NEW_ARRAY(n->f->n_ports, uint32_t);

	for (unsigned lid = 1; lid <= n->l->max_lid; lid++) {
		uint32_t ep = n->l->owner[lid];

		for (uint32_t s = 0; s < n->f->n_switches; s++) {
			unsigned p = routing_port(n->r, s, lid);

			if (p != NO_PATH && p)
				count[switch_port_id(n->f, s, p)]++;
			if (m->kept[lid] && switch_up(n->t, s))
				assert_int_equal(p, routing_port(old, s, lid));
		}
		if (ep == NO_ID || n->t->endport_switch[ep] == NO_ID)
			assert_false(m->kept[lid]);
		else
			assert_int_equal(m->kept[lid], !tree_broken(n, old, lid));
	}
	for (uint32_t p = 0; p < n->f->n_ports; p++)
		assert_int_equal(count[p], m->usage[p]);
}

static void test_changes(void **state)
{
	uint64_t rng = test_seed();
	unsigned kept = 0;

	for (unsigned i = 0; i < test_rounds(200); i++) {
		AUTO_BY(net_free) struct net n;

		net_new(&n, random_fabric(&rng), i % 3, i / 3 % 3);
		net_run(&n);
		for (unsigned k = 0; k < 4; k++) {
			struct routing *old = n.r, *again;

			if (rng_below(&rng, 5))
				n.st->link_down[rng_below(&rng, n.f->n_links)] = 1;
			else
				n.st->node_down[rng_below(&rng, n.f->n_nodes)] = 1;
			sweep(&n);
			if (n.t->sm_endport == NO_ID || !n.t->n_switches_up || n.t->sm_moved)
				break;
			n.in.current = n.in.previous = old;
			n.r = run(&n, true);
			again = run(&n, false);
			assert_same(n.r, again);
			assert_sound(&n);
			check_kept(&n, old);
			if (i < 60)
				kept += check_heard(&n);
			routing_unref(again);
			routing_unref(old);
		}
	}
	assert_true(kept > 1000);
}

/* Nobody has the LID. */
static void test_no_ways(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_new(&n, make_fabric("ring:4"), 0, 0);
	net_run(&n);
	struct mincontention_ways *w = mincontention_ways(n.r, n.l->max_lid + 1u, NULL);
	assert_int_equal(w->target, NO_ID);
	for (uint32_t e = 0; e <= w->elements->n; e++)
		assert_int_equal(w->first[e], 0);
	mincontention_ways_free(w);
}

/* A sweep in which nothing happened changes nothing. */
static void test_quiet(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_new(&n, make_fabric("director:2,4,3,8"), 2, 1);
	net_run(&n);
	AUTO_ROUTING struct routing *old = n.r;
	n.in.current = n.in.previous = old;
	n.r = run(&n, true);
	for (uint32_t s = 0; s < n.f->n_switches; s++) {
		assert_int_equal(n.r->row[s]->top, old->row[s]->top);
		assert_memory_equal(n.r->row[s]->port, old->row[s]->port, old->row[s]->top + 1u);
	}
}

/* --- guarantees on fabrics one knows ------------------------------------------------------------------- */

/* Host LIDs per port towards other elements: ports of one element to equivalent ones differ by at most 1. */
static void test_balance(void **state)
{
	static const char *const specs[] = {"xgft:4,4:1,2", "xgft:5,6:1,3,parallel=2",
					    "xgft:7,9:1,4,shuffle=1,seed=5", "director:2,3,2,4",
					    "director:3,4,2,9,shuffle=1,seed=2"};

	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_BY(net_free) struct net n;
		unsigned looked = 0, edges = 0;

		net_new(&n, make_fabric(specs[i]), 0, 0);
		net_run(&n);
		const struct elements *el = mincontention_of(n.r)->elements;
		for (uint32_t e = 0; e < el->n; e++) {
			unsigned least = UINT32_MAX, most = 0;

			edges += el->hosts[e] > 0;
			for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1] && el->hosts[e]; l++) {
				uint32_t port = el->link_port[l], count = 0;
				uint32_t sw = n.f->node_switch[n.f->port_node[port]];

				for (unsigned lid = 1; lid <= n.l->max_lid; lid++)
					count += n.l->owner[lid] != NO_ID &&
						 !endport_is_switch(n.f, n.l->owner[lid]) &&
						 routing_port(n.r, sw, lid) == n.f->port_num[port];
				least = count < least ? count : least;
				most = count > most ? count : most;
			}
			assert_true(!el->hosts[e] || most - least <= 1);
			looked += most > 0;
		}
		assert_true(edges > 0);
		assert_int_equal(looked, edges);
	}
}

/* With 2^LMC disjoint shortest paths or more the LIDs of a host port leave every edge by ports of their own.
 */
static void test_distinct_ports(void **state)
{
	static const struct {
		const char *spec;
		unsigned lmc;
	} cases[] = {{"xgft:4,4:1,4", 2},     {"xgft:3,5:1,2", 1},
		     {"xgft:4,4:1,8", 3},     {"director:4,4,3,8", 2},
		     {"director:2,3,2,4", 1}, {"director:3,3,2,6,shuffle=1,seed=3", 1},
		     {"director:8,2,2,4", 3}, {"xgft:2,3:1,2,parallel=2", 2}};

	for (size_t k = 0; k < 3 * ARRAY_LEN(cases); k++) {
		size_t i = k / 3;
		AUTO_BY(net_free) struct net n;
		unsigned looked = 0;

		net_new(&n, make_fabric(cases[i].spec), cases[i].lmc, k % 3);
		net_run(&n);
		const struct elements *el = mincontention_of(n.r)->elements;
		for (uint32_t ep = 0; ep < n.f->n_endports; ep++)
			for (uint32_t e = 0; e < el->n; e++) {
				unsigned base = n.l->base[ep], count = n.l->count[ep];

				if (endport_is_switch(n.f, ep) || !el->hosts[e] ||
				    el->of[n.t->endport_switch[ep]] == e)
					continue;
				for (unsigned a = 0; a < count; a++)
					for (unsigned b = 0; b < a; b++)
						assert_int_not_equal(egress(n.r, e, base + a),
								     egress(n.r, e, base + b));
				assert_int_equal(count, 1u << cases[i].lmc);
				looked++;
			}
		assert_true(looked > 0);
	}
}

/* --- explanations, options --------------------------------------------------------------------- */

static void test_why(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth director:2,4,3,8; route mincontention lmc=1");

	line_says(s, "why edge-02 dir2/L01/U1", "only path");
	line_says(s, "why dir1/S01/U1 edge-01",
		  "element dir1 sends by dir1/L01/U1[1] (contention 0, distance 1");
	line_says(s, "why dir1/L01/U1 edge-01", "inside usage");
	line_says(s, "why edge-02 node0001", "contention 0, distance 2");
	ok_line(s, "fail link edge-01[5]");
	line_says(s, "why edge-03 edge-04", "no link of the LID's tree failed");
}

/* All choices of a run. */
struct heard {
	unsigned choice, wrong;
	const struct routing *r;
};

static void hear(void *ctx, const struct rec_choice *c)
{
	struct heard *h = ctx;

	h->choice++;
	h->wrong += routing_port(h->r, c->sw, c->lid) != c->port;
}

/* Every entry is told once, with the port it has. */
static void test_steps(void **state)
{
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < 40; i++) {
		struct heard h = {0};
		struct rec_ask ask = {.sw = NO_ID, .tell = hear, .ctx = &h};
		unsigned entries = 0;
		AUTO_BY(net_free) struct net n;

		net_new(&n, random_fabric(&rng), i % 3, i % 2);
		net_run(&n);
		h.r = n.r;
		n.in.ask = &ask;
		AUTO_ROUTING struct routing *again = run(&n, false);
		assert_same(n.r, again);
		for (unsigned lid = 1; lid <= n.l->max_lid; lid++)
			for (uint32_t s = 0; s < n.f->n_switches; s++)
				entries += routing_port(n.r, s, lid) != NO_PATH;
		assert_int_equal(h.choice, entries);
		assert_int_equal(h.wrong, 0);
	}
}

static void test_chassis_file(void **state)
{
	AUTO_TEMP char *path = temp_file("0x1x rubbish\n");
	AUTO_FREE char *line = str_printf("route mincontention chassis_file=%s", path);
	AUTO_SESSION struct session *s = session_after("synth ring:6");

	line_says(s, line, "expected a GUID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brute_force),  cmocka_unit_test(test_changes),
		cmocka_unit_test(test_no_ways),	     cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_balance),	     cmocka_unit_test(test_distinct_ports),
		cmocka_unit_test(test_why),	     cmocka_unit_test(test_steps),
		cmocka_unit_test(test_chassis_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
