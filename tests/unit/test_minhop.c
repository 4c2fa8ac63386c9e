/* Min Hop: matrix, order of destinations, choice of ports, update() against route(). */
#include "fixture.h"
#include "core/trace/recording.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "engines/counted/counted.h"

/* GUID whose place in OpenSM's order is n. */
#define G(n) ((uint64_t)(n) << 48)

/* A fabric under construction, then everything an engine needs. */
struct net {
	struct fabric_builder *b;
	struct fabric *f;
	struct state *st;
	struct options *op;
	struct lid_memory *m;
	struct topo *t;
	struct lids *l;
	struct engine_input in;
	struct engine_output out;
	struct routing *r;
	char *file;
};

static void net_new(struct net *n)
{
	const struct optdef *const tables[] = {common_options, engine_find(all_engines, "updn")->options,
					       NULL};

	*n = (struct net){.b = fb_new(), .op = options_new(tables)};
}

static uint32_t add_switch(struct net *n, unsigned place, unsigned ports)
{
	return fb_add(n->b, NODE_SWITCH, G(place), ports, "");
}

static uint32_t add_host(struct net *n, unsigned place, uint32_t sw, unsigned port)
{
	uint32_t h = fb_add(n->b, NODE_CA, G(place), 1, "");

	n->b->node[h].port[1].guid = G(place);
	assert_true(fb_link(n->b, sw, port, h, 1));
	return h;
}

static void set(struct net *n, const char *name, const char *value)
{
	struct err e;

	if (options_set(n->op, name, value, &e))
		fail_msg("%s", e.msg);
}

/* Give an option a file with these lines. */
static void set_file(struct net *n, const char *name, const char *lines)
{
	if (n->file)
		temp_remove(&n->file);
	n->file = temp_file(lines);
	set(n, name, n->file);
}

static void net_finish(struct net *n)
{
	struct lid_options lo = {.lmc = options_uint(n->op, "lmc")};
	struct err e;

	assert_int_equal(fb_finish(n->b, "test", "synthetic", &n->f, &e), 0);
	n->st = state_new(n->f);
	n->m = lid_memory_new(n->f, &lo);
}

static struct routing *route_by(struct net *n, const char *engine, bool update)
{
	const struct engine *g = engine_find(all_engines, engine);

	n->out.notes.text.len = 0;
	return update ? g->update(&n->in, &n->out) : g->route(&n->in, &n->out);
}

static struct routing *route(struct net *n, bool update)
{
	return route_by(n, "minhop", update);
}

/* Discover and assign LIDs; in->current and in->previous are as the caller wants. */
static void sweep(struct net *n)
{
	topo_unref(n->t);
	lids_unref(n->l);
	n->t = topo_new(n->f, n->st);
	n->l = lids_assign(n->m, n->t, NULL, NULL);
	n->in.topo = n->t;
	n->in.lids = n->l;
	n->in.options = n->op;
}

static void net_run(struct net *n)
{
	if (!n->f)
		net_finish(n);
	sweep(n);
	routing_unref(n->r);
	n->r = route(n, false);
	assert_non_null(n->r);
}

static void net_free(struct net *n)
{
	if (n->file)
		temp_remove(&n->file);
	routing_unref(n->r);
	notes_free(&n->out.notes);
	topo_unref(n->t);
	lids_unref(n->l);
	lid_memory_free(n->m);
	options_free(n->op);
	state_free(n->st);
	fabric_unref(n->f);
}

static uint32_t endport(const struct net *n, unsigned place)
{
	uint32_t ep = fabric_endport_by_guid(n->f, G(place));

	assert_true(ep != NO_ID);
	return ep;
}

/* Entry at the switch of a place for the LID (base + off) of the endport of another. */
static unsigned entry(const struct net *n, unsigned sw, unsigned host, unsigned off)
{
	uint32_t s = n->f->node_switch[endport_node(n->f, endport(n, sw))];

	return routing_port(n->r, s, n->l->base[endport(n, host)] + off);
}

/*
 * Two switches A (place 1) and B (2) with `cables` between ports 1 .. of both;
 * hosts at B, places 10 .. , on ports cables+1 .. .
 */
static void pair(struct net *n, unsigned cables, unsigned hosts)
{
	net_new(n);
	uint32_t a = add_switch(n, 1, 30);
	uint32_t b = add_switch(n, 2, 30);
	for (unsigned i = 1; i <= cables; i++)
		assert_true(fb_link(n->b, a, i, b, i));
	for (unsigned i = 0; i < hosts; i++)
		add_host(n, 10 + i, b, cables + 1 + i);
}

static void test_ties(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 5);
	net_run(&n);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(entry(&n, 1, 10 + i, 0), 1 + i % 3);
		assert_int_equal(entry(&n, 2, 10 + i, 0), 4 + i);
	}
	/* after five hosts ports 1 and 2 have two routes; switch LIDs take the least and do not count */
	assert_int_equal(entry(&n, 1, 2, 0), 3);
	assert_int_equal(entry(&n, 1, 1, 0), 0);
	assert_int_equal(n.r->ops->hops(n.r, 0, 1, 2), 1);
	assert_int_equal(n.r->ops->hops(n.r, 0, 0, 2), 2); /* there and back */
	assert_int_equal(n.r->ops->hops(n.r, 0, 0, 0), 0);
	assert_int_equal(n.r->ops->hops(n.r, 0, 1, 9), NO_PATH);
}

/* The same sequence as random() of the C library, drawn once a choice in OpenSM's order. */
static void scatter(const char *seed)
{
	AUTO_BY(net_free) struct net n;
	uint32_t count[5] = {0};

	pair(&n, 4, 9);
	set(&n, "scatter_ports", seed);
	net_run(&n);
	srandom(strtoul(seed, NULL, 0));
	for (unsigned i = 0; i < 9; i++) {
		unsigned ties[4], k = 0, least = UINT32_MAX, port;

		for (unsigned p = 1; p <= 4; p++)
			least = count[p] < least ? count[p] : least;
		for (unsigned p = 1; p <= 4; p++)
			if (count[p] == least)
				ties[k++] = p;
		port = ties[random() % k];
		assert_int_equal(entry(&n, 1, 10 + i, 0), port);
		count[port]++;
	}
}

static void test_random(void **state)
{
	scatter("1");
	scatter("12345");
	scatter("0x80000000");
	scatter("4294967295");
}

/* Hosts of the switch with most hosts come first, equal ones in GUID order; the file before all. */
static void test_order(void **state)
{
	struct net n;
	uint32_t a, b, c;

	for (unsigned with_file = 0; with_file < 2; with_file++) {
		net_new(&n);
		a = add_switch(&n, 1, 12);
		b = add_switch(&n, 2, 12);
		c = add_switch(&n, 3, 12);
		/* A reaches both by the cables to B: C hangs on B */
		for (unsigned i = 1; i <= 4; i++)
			assert_true(fb_link(n.b, a, i, b, i));
		assert_true(fb_link(n.b, b, 5, c, 1));
		add_host(&n, 10, b, 7);
		add_host(&n, 11, c, 2);
		add_host(&n, 12, c, 3);
		if (with_file)
			set_file(&n, "guid_routing_order_file",
				 "# first\n0x000c000000000000 x\n0x99\n0x000c000000000000\n");
		net_run(&n);
		assert_int_equal(entry(&n, 1, 12, 0), with_file ? 1 : 2);
		assert_int_equal(entry(&n, 1, 11, 0), with_file ? 2 : 1);
		assert_int_equal(entry(&n, 1, 10, 0), 3);
		if (with_file) {
			assert_non_null(
				strstr(text_str(&n.out.notes.text), ":3 ignored: 0x0000000000000099"));
			assert_non_null(strstr(text_str(&n.out.notes.text), ":4 ignored"));
		}
		net_free(&n);
	}
}

/* LMC 1: the second LID prefers another system, then another node, whatever the counts. */
static void test_lmc(void **state)
{
	struct net n;
	uint32_t a, d, x, y;

	for (unsigned same_system = 0; same_system < 2; same_system++) {
		net_new(&n);
		set(&n, "lmc", "2");
		a = add_switch(&n, 1, 12);
		x = add_switch(&n, 2, 12);
		y = add_switch(&n, 3, 12);
		d = add_switch(&n, 4, 12);
		n.b->node[x].sysguid = 7;
		n.b->node[y].sysguid = same_system ? 7 : 8;
		/* ports 1, 2 to X, 3 to Y */
		assert_true(fb_link(n.b, a, 1, x, 1) && fb_link(n.b, a, 2, x, 2) && fb_link(n.b, a, 3, y, 1));
		assert_true(fb_link(n.b, x, 3, d, 1) && fb_link(n.b, y, 3, d, 2));
		add_host(&n, 10, d, 5);
		net_run(&n);
		assert_int_equal(entry(&n, 1, 10, 0), 1);
		assert_int_equal(entry(&n, 1, 10, 1), 3); /* new system; new node of the same system */
		assert_int_equal(entry(&n, 1, 10, 2), 2); /* all used: the least count */
		/* one route each: the first behind port 2; one LID went through Y, two through X */
		assert_int_equal(entry(&n, 1, 10, 3), 3);
		net_free(&n);
	}
}

/* By the manual a LID avoids the way of the LID before, not those of all before; a line tells. */
static void test_lmc_manual(void **state)
{
	struct net n;

	for (unsigned manual = 0; manual < 2; manual++) {
		net_new(&n);
		set(&n, "lmc", "2");
		set(&n, "rules", manual ? "manual" : "opensm");
		uint32_t a = add_switch(&n, 1, 12);
		uint32_t x = add_switch(&n, 2, 12);
		uint32_t y = add_switch(&n, 3, 12);
		uint32_t d = add_switch(&n, 4, 12);
		assert_true(fb_link(n.b, a, 1, x, 1) && fb_link(n.b, a, 2, y, 1));
		assert_true(fb_link(n.b, x, 3, d, 1) && fb_link(n.b, y, 3, d, 2));
		add_host(&n, 10, x, 5); /* their LIDs load port 1 */
		add_host(&n, 11, x, 6);
		add_host(&n, 12, d, 5);
		net_run(&n);
		assert_int_equal(entry(&n, 1, 12, 0), 2);
		assert_int_equal(entry(&n, 1, 12, 1), 1);
		assert_int_equal(entry(&n, 1, 12, 2), 2);
		assert_int_equal(entry(&n, 1, 12, 3), manual ? 1 : 2);
		assert_non_null(
			strstr(text_str(&n.out.notes.text), "prefers another system than the LID before"));
		net_free(&n);
	}
}

/* All LIDs go through one node: the search for a second one starts behind the port of the first. */
static void test_lmc_start(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 2);
	set(&n, "lmc", "1");
	net_run(&n);
	assert_int_equal(entry(&n, 1, 10, 0), 1);
	assert_int_equal(entry(&n, 1, 11, 0), 2);
	assert_int_equal(entry(&n, 1, 10, 1), 3);
	assert_int_equal(entry(&n, 1, 11, 1), 3); /* all three have one route: 3 is the first behind 2 */
}

static void test_dor(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_new(&n);
	uint32_t a = add_switch(&n, 1, 12);
	uint32_t x = add_switch(&n, 2, 12);
	uint32_t y = add_switch(&n, 3, 12);
	uint32_t b = add_switch(&n, 4, 12);
	assert_true(fb_link(n.b, a, 1, x, 1) && fb_link(n.b, a, 2, y, 1) && fb_link(n.b, a, 3, x, 2));
	assert_true(fb_link(n.b, x, 4, b, 1) && fb_link(n.b, y, 4, b, 2));
	for (unsigned i = 0; i < 4; i++)
		add_host(&n, 10 + i, b, 5 + i);
	net_run(&n);
	assert_int_equal(entry(&n, 1, 11, 0), 2);
	routing_unref(n.r);
	n.r = min_hop_route("dor", true, &n.in, &n.out);
	for (unsigned i = 0; i < 4; i++) /* only the cables to X, the first neighbour */
		assert_int_equal(entry(&n, 1, 10 + i, 0), i % 2 ? 3 : 1);
}

static void test_weights(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 4);
	set_file(&n, "hop_weights_file",
		 "0x0001000000000000 1 2\n0x0001000000000000 0 2\n0x0001000000000000 2:256\n0x5 1 1\n"
		 "0x0002000000000000 1 255\n0x0002000000000000 2 255\n0x0002000000000000 3 255\n");
	net_run(&n);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(entry(&n, 1, 10 + i, 0), 2 + i % 2);
	assert_int_equal(n.r->ops->hops(n.r, 0, 1, 1), 2);
	assert_int_equal(entry(&n, 2, 1, 0), NO_PATH); /* weight 255: no way back */
	assert_non_null(strstr(text_str(&n.out.notes.text), ":2 ignored: port"));
	assert_non_null(strstr(text_str(&n.out.notes.text), ":3 ignored: weight '256'"));
	assert_non_null(strstr(text_str(&n.out.notes.text), ":4 ignored: 0x0000000000000005"));
}

static void test_search_order(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 3);
	set_file(&n, "port_search_ordering_file",
		 "0x0001000000000000 2 2\n0x0001000000000000 259 1 # then 2\n0x0001000000000000 1\n");
	net_run(&n);
	assert_int_equal(entry(&n, 1, 10, 0), 3);
	assert_int_equal(entry(&n, 1, 11, 0), 1);
	assert_int_equal(entry(&n, 1, 12, 0), 2);
	assert_non_null(strstr(text_str(&n.out.notes.text), ":1 ignored: found a port twice"));
	assert_non_null(strstr(text_str(&n.out.notes.text), ":3 ignored"));
}

static void test_ignored_ports(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 3);
	set_file(&n, "port_prof_ignore_file",
		 "0x0001000000000000 2 x\n0x0001000000000000 31\n0x0001000000000000 # 3\n");
	net_run(&n);
	assert_int_equal(entry(&n, 1, 10, 0), 1);
	assert_int_equal(entry(&n, 1, 11, 0), 2); /* never counted: stays the least */
	assert_int_equal(entry(&n, 1, 12, 0), 2);
	assert_non_null(strstr(text_str(&n.out.notes.text), ":2 ignored: port 31"));
	assert_non_null(strstr(text_str(&n.out.notes.text), ":3 ignored: found no port number"));
}

static void test_profile_switches(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 1);
	uint32_t c = add_switch(&n, 3, 4);
	assert_true(fb_link(n.b, 1, 20, c, 1));
	set(&n, "port_profile_switch_nodes", "TRUE");
	net_run(&n);
	assert_int_equal(entry(&n, 1, 10, 0), 1);
	assert_int_equal(entry(&n, 1, 2, 0), 2);
	assert_int_equal(entry(&n, 1, 3, 0), 3);
}

/* shift = (total / k) mod k: with one route on each of three ports the search starts at the second. */
static void test_shifting(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 6);
	set(&n, "port_shifting", "TRUE");
	net_run(&n);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(entry(&n, 1, 10 + i, 0), 1 + i);
	assert_int_equal(entry(&n, 1, 13, 0), 2);
	assert_int_equal(entry(&n, 1, 14, 0), 3);
	assert_int_equal(entry(&n, 1, 15, 0), 1);
}

/* A lost cable: what is still minimal stays, the rest goes to the least count at its turn. */
static void test_existing(void **state)
{
	AUTO_BY(net_free) struct net n;

	pair(&n, 3, 6);
	net_run(&n);
	AUTO_ROUTING struct routing *old = n.r;
	n.r = NULL;
	n.in.current = n.in.previous = old;
	uint32_t link = n.f->port_link[switch_port_id(n.f, 0, 1)];
	n.st->link_down[link] = 1;
	net_run(&n);
	/* before: 1 2 3 1 2 3; the first host finds nothing counted: port 2; the fourth finds 2:2, 3:1 */
	assert_int_equal(entry(&n, 1, 10, 0), 2);
	assert_int_equal(entry(&n, 1, 11, 0), 2);
	assert_int_equal(entry(&n, 1, 12, 0), 3);
	assert_int_equal(entry(&n, 1, 13, 0), 3);
	assert_int_equal(entry(&n, 1, 14, 0), 2);
	assert_int_equal(entry(&n, 1, 15, 0), 3);
	/* nothing changes any more */
	n.in.current = n.in.previous = n.r;
	n.r = NULL;
	net_run(&n);
	assert_int_equal(n.r->row[0]->top, n.in.current->row[0]->top);
	assert_memory_equal(n.r->row[0]->port, n.in.current->row[0]->port, n.r->row[0]->top + 1u);
	routing_unref(n.in.current);
}

static void test_leftovers(void **state)
{
	AUTO_BY(net_free) struct net n;
	struct leftovers left = {0};

	pair(&n, 2, 3);
	net_finish(&n);
	left.count = NEW_ARRAY(n.f->n_ports, uint32_t);
	left.count[switch_port_id(n.f, 0, 1)] = 2;
	n.in.left = &left;
	net_run(&n);
	assert_int_equal(entry(&n, 1, 10, 0), 2);
	assert_int_equal(entry(&n, 1, 11, 0), 2);
	assert_int_equal(entry(&n, 1, 12, 0), 1);
	/* a least value that no port has: no candidate, though there is a way */
	left.hops = mem_alloc((size_t)n.f->n_ports * 2);
	memset(left.hops, NO_PATH, (size_t)n.f->n_ports * 2);
	left.hops[switch_port_id(n.f, 0, 0) * 2 + 1] = 0;
	net_run(&n);
	assert_int_equal(entry(&n, 1, 10, 0), NO_PATH);
	assert_int_equal(entry(&n, 2, 1, 0), 1);
	free(left.hops);
	free(left.count);
}

/* --- random fabrics ------------------------------------------------------------------ */

static uint64_t first_seed(void)
{
	const char *s = getenv("SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : 20240229;

	print_message("SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/*
 * Any graph: parallel cables, loop-backs, hosts anywhere; big: more ports than a word has bits, and so many
 * hosts that rows keep counts; plain: without options.
 */
static void random_net(struct net *n, uint64_t *seed, bool big, bool plain)
{
	unsigned switches = (big ? 10 : 3) + rng_below(seed, big ? 7 : 14), ports = big ? 130 : 20;

	net_new(n);
	for (unsigned i = 0; i < switches; i++)
		add_switch(n, 1 + i, ports);
	for (unsigned i = 0; i < switches * 3; i++)
		fb_link(n->b, rng_below(seed, switches), 1 + rng_below(seed, ports),
			rng_below(seed, switches), 1 + rng_below(seed, ports));
	for (unsigned i = 0; i < switches * (big ? 300 : 2); i++) {
		uint32_t s = rng_below(seed, switches), h;

		h = fb_add(n->b, NODE_CA, G(100 + i), 1, "");
		n->b->node[h].port[1].guid = G(100 + i);
		fb_link(n->b, s, 1 + rng_below(seed, ports), h, 1);
	}
	if (plain)
		return;
	if (rng_below(seed, 3) == 0)
		set(n, "lmc", rng_below(seed, 2) ? "1" : "2");
	if (rng_below(seed, 4) == 0)
		set(n, "scatter_ports", "99");
	if (rng_below(seed, 4) == 0)
		set(n, "port_shifting", "TRUE");
}

static void assert_same(const struct routing *a, const struct routing *b)
{
	const struct fabric *f = a->topo->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		assert_int_equal(!a->row[s], !b->row[s]);
		if (!a->row[s])
			continue;
		assert_int_equal(a->row[s]->top, b->row[s]->top);
		assert_memory_equal(a->row[s]->port, b->row[s]->port, a->row[s]->top + 1u);
		for (uint32_t d = 0; d < f->n_switches; d++)
			for (unsigned p = 0; p <= f->switch_nports[s]; p++)
				assert_int_equal(a->ops->hops(a, s, d, p), b->ops->hops(b, s, d, p));
	}
}

/* Rows keep the counts of a table made anew. Returns their number. */
static uint32_t assert_same_counts(const struct routing *a, const struct routing *b)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < a->topo->fabric->n_switches; s++) {
		const struct part_counts *x = a->row[s] ? a->row[s]->kept : NULL;
		const struct part_counts *y = b->row[s] ? b->row[s]->kept : NULL;

		if (!x)
			continue;
		assert_non_null(y);
		assert_int_equal(x->dealt == y->dealt, 1);
		assert_int_equal(x->ports, y->ports);
		assert_memory_equal(x->count, y->count, (PARTS - 1) * x->ports * sizeof(*x->count));
		n++;
	}
	return n;
}

/* Break or mend something; true when anything may have come up. */
static bool change(struct net *n, uint64_t *seed)
{
	uint8_t *what = rng_below(seed, 3) && n->f->n_links
				? &n->st->link_down[rng_below(seed, n->f->n_links)]
				: &n->st->node_down[rng_below(seed, n->f->n_nodes)];

	*what = !*what;
	return !*what;
}

static void update_by(const char *engine, uint64_t seed)
{
	uint32_t kept = 0, made = 0, counted = 0;

	for (unsigned round = 0; round < test_rounds(60); round++) {
		AUTO_BY(net_free) struct net n;

		random_net(&n, &seed, round % 5 == 0, round % 10 == 5);
		net_finish(&n);
		if (round % 2) { /* updn: one root */

			AUTO_FREE char *line =
				str_printf("0x%" PRIx64 "\n", n.f->node_guid[n.f->switch_node[0]]);
			set_file(&n, "root_guid_file", line);
		}
		if (round % 4 == 3)
			set(&n, "connect_roots", "TRUE");
		for (unsigned step = 0; step < 8; step++) {
			bool up = !n.r || change(&n, &seed);

			sweep(&n);
			n.in.previous = n.r;
			/* the SM's own place may have changed: then everything is new */
			n.in.current = up || n.t->sm_moved ? NULL : n.r;
			struct routing *r = route_by(&n, engine, true);
			n.in.previous = NULL;
			struct routing *again = route_by(&n, engine, false);
			assert_int_equal(!r, !again);
			if (r) {
				assert_same(r, again);
				counted += assert_same_counts(r, again);
			}
			for (uint32_t s = 0; r && n.r && s < n.f->n_switches; s++)
				kept += r->row[s] && r->row[s] == n.r->row[s];
			made += r != NULL;
			routing_unref(again);
			routing_unref(n.r);
			n.r = r;
		}
	}
	print_message("%s: %u runs, %u rows kept, %u with counts\n", engine, made, kept, counted);
	assert_true(made > 20 && kept > made && counted >= 5);
}

static void test_update(void **state)
{
	uint64_t seed = first_seed();

	update_by("minhop", seed);
	update_by("dor", seed);
	update_by("updn", seed);
	update_by("dnup", seed);
}

/* A matrix with a value for every port gives the same masks as the plain one it was made of. */
static void test_masks(void **state)
{
	uint64_t seed = first_seed() + 1;

	for (unsigned round = 0; round < 20; round++) {
		AUTO_BY(net_free) struct net n;

		random_net(&n, &seed, round % 2, false);
		net_run(&n);
		struct hops *full = hops_new(n.f, true);
		memcpy(full->least, ((struct hops *)n.r->priv)->least,
		       (size_t)n.f->n_switches * n.f->n_switches);
		AUTO_FREE uint64_t *a = NEW_ARRAY(n.f->n_switches * 4, uint64_t);
		AUTO_FREE uint64_t *b = NEW_ARRAY(n.f->n_switches * 4, uint64_t);
		for (uint32_t s = 0; s < n.f->n_switches; s++)
			for (uint32_t d = 0; d < n.f->n_switches; d++)
				for (unsigned p = 1; p <= n.f->switch_nports[s]; p++)
					full->by_port[(size_t)d * n.f->n_ports + switch_port_id(n.f, s, p)] =
						n.r->ops->hops(n.r, s, d, p);
		for (uint32_t s = 0; s < n.f->n_switches; s++) {
			unsigned words = mask_words(n.f, s);

			hops_masks(n.r->priv, n.t, s, a);
			hops_masks(full, n.t, s, b);
			for (uint32_t d = 0; d < n.f->n_switches; d++)
				if (d != s && hops_least(full, s, d) != NO_PATH)
					assert_memory_equal(a + (size_t)d * words, b + (size_t)d * words,
							    words * sizeof(*a));
		}
		hops_unref(full);
	}
}

/* --- who asks -------------------------------------------------------------------------- */

struct heard {
	const struct routing *r;
	unsigned choices;
	uint32_t sw;
	uint16_t lid;
};

static void hear(void *ctx, const struct rec_choice *c)
{
	struct heard *h = ctx;

	h->choices++;
	assert_int_equal(c->port, routing_port(h->r, c->sw, c->lid));
	assert_non_null(c->rule);
	assert_true(text_str(&c->text)[0] != 0);
	if (c->n_offers) {
		bool among = false;

		for (unsigned i = 0; i < c->n_offers; i++)
			among |= c->offer[i].port == c->port;
		assert_true(among);
	}
	if (h->sw != NO_ID)
		assert_int_equal(c->sw, h->sw);
	if (h->lid)
		assert_int_equal(c->lid, h->lid);
}

static void test_asked(void **state)
{
	uint64_t seed = first_seed() + 2;

	for (unsigned round = 0; round < 20; round++) {
		AUTO_BY(net_free) struct net n;
		struct heard h = {.sw = NO_ID};
		struct rec_ask ask = {.tell = hear, .ctx = &h, .sw = NO_ID};

		random_net(&n, &seed, false, false);
		net_run(&n);
		h.r = n.r;
		n.in.ask = &ask;
		struct routing *r = route(&n, false);
		assert_same(n.r, r);
		assert_true(h.choices >= n.t->n_switches_up * n.t->n_endports_up);
		routing_unref(r);
		/* one switch, one LID: one choice */
		h = (struct heard){.r = n.r,
				   .sw = n.t->endport_switch[n.t->sm_endport],
				   .lid = n.l->base[n.t->sm_endport]};
		if (h.sw != NO_ID) {
			ask.sw = h.sw;
			ask.lid = h.lid;
			routing_unref(route(&n, false));
			assert_int_equal(h.choices, 1);
		}
		n.in.ask = NULL;
	}
}

static void test_cancel(void **state)
{
	AUTO_BY(net_free) struct net n;
	struct progress p = {0};

	pair(&n, 2, 2);
	net_run(&n);
	p.cancel = true;
	n.in.progress = &p;
	assert_null(route(&n, false));
	assert_string_equal(n.out.refused.msg, CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lmc),
		cmocka_unit_test(test_lmc_manual),
		cmocka_unit_test(test_lmc_start),
		cmocka_unit_test(test_dor),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_search_order),
		cmocka_unit_test(test_ignored_ports),
		cmocka_unit_test(test_profile_switches),
		cmocka_unit_test(test_shifting),
		cmocka_unit_test(test_existing),
		cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_update),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
