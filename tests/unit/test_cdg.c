/* Channel dependency graphs against plain tracing of every route. */
#include "core/base/rng.h"
#include "torus_session.h"

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/session/commands/commands.h"

/* --- every route traced hop by hop ---------------------------------------------------- */

/* Routes by pair of (port, VL); a channel is port * 16 + VL. */
struct brute {
	uint32_t n;	      /* ports * 16 */
	uint32_t *load, *dep; /* [n], [n * n] */
	uint64_t dropped;     /* routes that meet VL 15 */
};

static bool counts(const struct routing *r, bool switches, uint32_t ep)
{
	return r->topo->endport_up[ep] && r->lids->base[ep] && r->topo->endport_switch[ep] != NO_ID &&
	       (switches || !endport_is_switch(r->topo->fabric, ep));
}

/* VL of an SL at step i of a path: the source's own link (hop NULL), or out of a switch. */
static unsigned vl_at(const struct routing *r, const struct path *p, const struct path_hop *h, unsigned sl)
{
	if (h)
		return routing_vl(r, h->sw, h->in, h->out, sl);
	return r->ops->endport_vl ? r->ops->endport_vl(r, p->src, sl)
				  : routing_vl(r, p->hop->sw, p->hop->in, p->hop->out, sl);
}

/* One step: every SL that is left takes it; channels and dependencies count once each, and a route's first
 * drop. */
static void step(struct brute *b, const struct routing *r, const struct path *p, const struct path_hop *h,
		 uint32_t last[16])
{
	const struct fabric *f = r->topo->fabric;
	uint32_t port = h ? switch_port_id(f, h->sw, h->out) : f->endport_port[p->src], was[16];
	bool dropped = false, before = false;

	memcpy(was, last, sizeof(was));
	for (unsigned sl = p->sl.lo; sl <= p->sl.hi; sl++) {
		unsigned vl = vl_at(r, p, h, sl);
		bool load = true, dep = was[sl] < NO_ID - 1;

		before |= was[sl] == NO_ID;
		if (was[sl] == NO_ID)
			continue; /* ended before */
		dropped |= vl == 15;
		last[sl] = vl == 15 ? NO_ID : port * 16 + vl;
		if (vl == 15)
			continue;
		for (unsigned sl2 = p->sl.lo; sl2 < sl; sl2++) {
			load &= last[sl2] != last[sl];
			dep &= last[sl2] != last[sl] || was[sl2] != was[sl];
		}
		b->load[last[sl]] += load;
		if (dep)
			b->dep[(size_t)was[sl] * b->n + last[sl]]++;
	}
	b->dropped += dropped && !before;
}

static void walk(struct brute *b, const struct routing *r, const struct path *p)
{
	uint32_t last[16];

	for (unsigned i = 0; i < 16; i++)
		last[i] = NO_ID - 1; /* at the source */
	if (p->n && p->hop->in)
		step(b, r, p, NULL, last);
	for (unsigned i = 0; i < p->n && p->hop[i].out; i++)
		step(b, r, p, &p->hop[i], last);
}

static struct brute brute_new(const struct routing *r, bool switches)
{
	const struct fabric *f = r->topo->fabric;
	struct brute b = {.n = f->n_ports * 16};

	b.load = NEW_ARRAY(b.n, uint32_t);
	b.dep = NEW_ARRAY((size_t)b.n * b.n, uint32_t);
	for (uint32_t s = 0; s < f->n_endports; s++) {
		for (unsigned lid = 1; counts(r, switches, s) && lid <= r->lids->max_lid; lid++) {
			uint32_t d = lid_owner(r->lids, lid);
			struct path p;

			if (d == NO_ID || d == s || !counts(r, switches, d))
				continue;
			path_trace(r, s, 0, lid, &p); /* by tables alone: what VL 15 drops is told here */
			p.sl = routing_sl(r, r->lids->base[s], lid);
			if (p.end == PATH_OK)
				walk(&b, r, &p);
			path_free(&p);
		}
	}
	return b;
}

static void brute_free(struct brute *b)
{
	free(b->load);
	free(b->dep);
}

/* Length of the shortest cycle through a channel of the graph, 0 = none (plain breadth-first search). */
static uint32_t shortest_through(const struct cdg *c, uint32_t start)
{
	AUTO_FREE uint32_t *dist = NEW_ARRAY(c->n_channels, uint32_t);
	AUTO_FREE uint32_t *queue = NEW_ARRAY(c->n_channels, uint32_t);
	uint32_t tail = 0, found = 0;

	queue[tail++] = start;
	dist[start] = 1;
	for (uint32_t head = 0; head < tail && !found; head++) {
		uint32_t v = queue[head];

		for (uint32_t i = c->first[v]; i < c->first[v + 1] && !found; i++) {
			if (c->to[i] == start)
				found = dist[v];
			else if (!dist[c->to[i]]) {
				dist[c->to[i]] = dist[v] + 1;
				queue[tail++] = c->to[i];
			}
		}
	}
	return found;
}

static void check_cycles(const struct cdg *c)
{
	AUTO_FREE uint32_t *cycle = NEW_ARRAY(c->n_channels + 1u, uint32_t);
	AUTO_FREE uint32_t *best = NEW_ARRAY(c->n_components + 1u, uint32_t);

	for (uint32_t v = 0; v < c->n_channels; v++) {
		uint32_t len = shortest_through(c, v);

		assert_int_equal(len != 0, c->component[v] != NO_ID);
		if (len && (!best[c->component[v]] || len < best[c->component[v]]))
			best[c->component[v]] = len;
	}
	for (uint32_t i = 0; i < c->n_components; i++) {
		uint32_t n = cdg_cycle(c, i, cycle, NULL);

		assert_int_equal(n, best[i]);
		for (uint32_t k = 0; k < n; k++) {
			assert_int_equal(c->component[cycle[k]], i);
			assert_int_not_equal(cdg_dependency(c, cycle[k], cycle[(k + 1) % n]), NO_ID);
		}
	}
}

/* What is made to judge loops alone says the same of them. */
static void check_loops_alone(const struct cdg *c)
{
	AUTO_ARENA struct cdg *l = cdg_new_loops(c->routing, NULL, NULL);

	assert_int_equal(l->n_components, c->n_components);
	assert_int_equal(l->used, c->used);
	assert_int_equal(l->dropped, c->dropped);
	for (uint32_t i = 0; i < c->n_components; i++)
		assert_int_equal(l->vls[i], c->vls[i]);
}

static void check_against_brute(const struct routing *r, int vl, bool switches)
{
	struct brute b = brute_new(r, switches);
	AUTO_ARENA struct cdg *c = cdg_new(r, vl, switches, NULL, NULL);
	struct cdg_route route[512];
	uint32_t channels = 0, deps = 0;

	for (uint32_t x = 0; x < b.n; x++) {
		uint32_t v = cdg_find(c, x / 16, x % 16);

		if (vl != CDG_ALL_VLS && x % 16 != (uint32_t)vl)
			continue;
		assert_int_equal(v == NO_ID ? 0 : c->load[v], b.load[x]);
		channels += v != NO_ID;
		for (uint32_t y = 0; y < b.n; y++) {
			uint32_t want = b.dep[(size_t)x * b.n + y];

			if (!want || (vl != CDG_ALL_VLS && y % 16 != (uint32_t)vl))
				continue;
			uint32_t d = cdg_dependency(c, v, cdg_find(c, y / 16, y % 16));
			assert_int_not_equal(d, NO_ID);
			assert_int_equal(c->routes[d], want);
			deps++;
			if (deps % 7 == 0 && want < ARRAY_LEN(route))
				assert_int_equal(cdg_routes(c, d, route, ARRAY_LEN(route), NULL), want);
		}
	}
	assert_int_equal(b.dropped, c->dropped);
	assert_int_equal(channels, c->n_channels);
	assert_int_equal(deps, c->n_deps);
	check_cycles(c);
	if (vl == CDG_ALL_VLS && !switches)
		check_loops_alone(c);
	brute_free(&b);
}

/* --- fabrics -------------------------------------------------------------------------------- */

static uint32_t loops(struct session *s, bool switches)
{
	AUTO_ARENA struct cdg *c = cdg_new(session_routing(s), CDG_ALL_VLS, switches, NULL, NULL);

	return c->n_components;
}

static void test_ring(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:6; route minhop");
	AUTO_ARENA struct cdg *c = cdg_new(session_routing(s), 0, false, NULL, NULL);
	uint32_t cycle[64];

	assert_int_equal(c->n_components, 2); /* one each way round */
	assert_int_equal(cdg_cycle(c, 0, cycle, NULL), 6);
	ok_line(s, "route lash");
	assert_int_equal(loops(s, false), 2); /* qos is off: all on VL 0 */
	ok_line(s, "set qos TRUE");
	assert_int_equal(loops(s, false), 0);
	assert_int_equal(loops(s, true), 0);
	ok_line(s, "synth xgft:4,4:1,2; route minhop"); /* a tree has none */
	assert_int_equal(loops(s, false), 0);
}

static void test_random(void **state)
{
	static const char *const engines[] = {"minhop", "lash"};
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < 12; i++) {
		uint64_t rng = seed + i;
		AUTO_SESSION struct session *s = make_session(line_of(
			"set lmc %u; synth random:%u,%u,hosts=%u,parallel=%u,seed=%u,shuffle=1; route %s",
			rng_below(&rng, 2), 3 + rng_below(&rng, 3), 2 + rng_below(&rng, 2),
			1 + rng_below(&rng, 2), 1 + rng_below(&rng, 2), 1 + rng_below(&rng, 1000),
			engines[i % 2]));

		check_against_brute(session_routing(s), CDG_ALL_VLS, i % 3 == 0);
		check_against_brute(session_routing(s), i % 2, i % 3 == 1);
	}
}

/* Channels between switches, and in *deps the dependencies of these. */
static uint32_t between_switches(const struct cdg *c, uint32_t *deps)
{
	const uint32_t *peer = c->routing->topo->peer_switch;
	uint32_t n = 0;

	*deps = 0;
	for (uint32_t x = 0; x < c->n_channels; x++) {
		n += peer[c->port[x]] != NO_ID;
		for (uint32_t i = c->first[x]; peer[c->port[x]] != NO_ID && i < c->first[x + 1]; i++)
			*deps += peer[c->port[c->to[i]]] != NO_ID;
	}
	return n;
}

/* What is made to judge loops alone has the channels between switches, and the dependencies of these. */
static void check_graph_alone(const struct routing *r)
{
	const uint32_t *peer = r->topo->peer_switch;
	AUTO_ARENA struct cdg *c = cdg_new(r, CDG_ALL_VLS, false, NULL, NULL);
	AUTO_ARENA struct cdg *l = cdg_new_loops(r, NULL, NULL);
	uint32_t deps, deps_alone;

	assert_int_equal(l->n_components, c->n_components);
	assert_int_equal(l->used, c->used);
	assert_int_equal(l->dropped, c->dropped);
	assert_int_equal(between_switches(l, &deps_alone), between_switches(c, &deps));
	assert_int_equal(deps_alone, deps);
	for (uint32_t x = 0; x < c->n_channels; x++)
		for (uint32_t i = c->first[x]; peer[c->port[x]] != NO_ID && i < c->first[x + 1]; i++) {
			uint32_t y = cdg_find(l, c->port[x], c->vl[x]), z = c->to[i];

			if (peer[c->port[z]] == NO_ID)
				continue;
			z = cdg_find(l, c->port[z], c->vl[z]);
			assert_true(y != NO_ID && z != NO_ID && cdg_dependency(l, y, z) != NO_ID);
		}
}

static void test_engines(void **state)
{
	static const char *const engines[] = {"lash", "dfsssp", "nue", "updn", "ftree", "sssp", "ar_updn"};
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < 3 * ARRAY_LEN(engines); i++) {
		const char *engine = engines[i % ARRAY_LEN(engines)];
		bool tree = !strcmp(engine, "ftree") || !strcmp(engine, "ar_updn") || rng_below(&rng, 2);
		AUTO_SESSION struct session *s = make_session(line_of(
			"set lmc %u; set qos %s; synth %s,seed=%u; route %s; fail random 2 seed=%u",
			!strcmp(engine, "lash") ? 0 : rng_below(&rng, 2),
			rng_below(&rng, 2) ? "TRUE" : "FALSE",
			tree ? "xgft:3,3,4:1,2,3,shuffle=1" : "random:12,4,hosts=3,parallel=2,shuffle=1",
			1 + rng_below(&rng, 1000), engine, 1 + rng_below(&rng, 1000)));

		check_graph_alone(s->event[1].sweep->routing);
		check_graph_alone(session_routing(s));
	}
	struct session *s = torus_session("torus:4x3x2,hosts=2");
	check_graph_alone(session_routing(s));
	ok_line(s, "fail random 1 seed=2; set qos TRUE");
	check_graph_alone(session_routing(s));
	torus_session_end(s);
}

/* SLs and VLs that depend on everything they may depend on. */
static struct sl_range odd_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	unsigned lo = (slid * 7 + dlid * 3 + r->lids->max_lid) % 3;

	return (struct sl_range){lo, lo + (slid + dlid) % 2};
}

static unsigned odd_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	return (in + 2 * out + sl + (r->topo->fabric->switch_nports[sw] & 1)) % 3;
}

/* Some lead to VL 15, by one SL of a range or by another. */
static unsigned dropping_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	return (sw + in + 2 * out + sl) % 4 ? odd_vl(r, sw, in, out, sl) : 15;
}

/* CAs send by maps of their own: one for all; another for each; and some drop. */
static unsigned ends_alike(const struct routing *r, uint32_t ep, unsigned sl)
{
	return sl / 2;
}

static unsigned ends_differ(const struct routing *r, uint32_t ep, unsigned sl)
{
	return (ep + sl / 2) % 5;
}

static unsigned ends_drop(const struct routing *r, uint32_t ep, unsigned sl)
{
	return (ep + sl) % 4 ? 1 : 15;
}

static struct sl_range wide_by_switch(const struct routing *r, unsigned slid, unsigned dlid)
{
	return (struct sl_range){dlid % 3, dlid % 3 + dlid % 5};
}

static struct sl_range high_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	return (struct sl_range){13 + (slid + dlid) % 2, 15 - slid % 2};
}

static struct sl_range high_by_switch(const struct routing *r, unsigned slid, unsigned dlid)
{
	return (struct sl_range){14, 15};
}

static void test_sl2vl(void **state)
{
	static const struct routing_ops ops[] = {
		{.sl = odd_sl},
		{.sl = odd_sl, .vl = odd_vl},
		{.sl = odd_sl, .vl = dropping_vl},
		{.sl = high_sl},
		{.sl = odd_sl, .vl = odd_vl, .endport_vl = ends_differ},
		{.sl = odd_sl, .vl = dropping_vl, .endport_vl = ends_drop},
		{.sl = wide_by_switch, .sl_by_source = true},
		{.sl = wide_by_switch, .sl_by_source = true, .endport_vl = ends_alike},
		{.sl = wide_by_switch, .sl_by_source = true, .endport_vl = ends_differ},
		{.sl = wide_by_switch, .sl_by_source = true, .endport_vl = ends_drop},
		{.sl = wide_by_switch, .sl_by_source = true, .vl = odd_vl, .endport_vl = ends_alike},
	};
	AUTO_SESSION struct session *s =
		make_session("synth random:5,3,hosts=2,seed=5,shuffle=1; route minhop");
	const struct routing *r = session_routing(s);

	for (unsigned i = 0; i < ARRAY_LEN(ops); i++) {
		AUTO_ROUTING struct routing *q = routing_new("odd", r->topo, r->lids);

		for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++)
			routing_share_row(q, r, sw);
		q->ops = &ops[i];
		check_against_brute(q, CDG_ALL_VLS, false);
		check_against_brute(q, CDG_ALL_VLS, true);
		check_against_brute(q, 1, false);
	}
}

/* SLs by switches alone: sources of a switch are counted at once, also those that VL 15 drops. */
static void test_drop_of_groups(void **state)
{
	static const struct routing_ops ops = {.sl = high_by_switch, .sl_by_switch = true};
	AUTO_SESSION struct session *s = make_session("synth ring:5; route minhop");
	const struct routing *r = session_routing(s);
	AUTO_ROUTING struct routing *q = routing_new("high", r->topo, r->lids);

	for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++)
		routing_share_row(q, r, sw);
	q->ops = &ops;
	check_against_brute(q, CDG_ALL_VLS, false);
	check_against_brute(q, CDG_ALL_VLS, true);
	AUTO_ARENA struct cdg *c = cdg_new(q, CDG_ALL_VLS, false, NULL, NULL);
	assert_int_equal(c->dropped, 20);
	assert_int_equal(c->used, 1u << 14);
}

/* Entries that lead nowhere or round and round make no dependencies. */
static void test_broken_tables(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:5; route minhop");
	const struct routing *r = session_routing(s);
	AUTO_ROUTING struct routing *q = routing_new("broken", r->topo, r->lids);
	uint64_t rng = test_seed();

	for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++) {
		q->row[sw] = lft_row_new(r->lids->max_lid);
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++)
			q->row[sw]->port[lid] = rng_below(&rng, 3)   ? routing_port(r, sw, lid)
						: rng_below(&rng, 4) ? rng_below(&rng, 5)
								     : NO_PATH;
	}
	check_against_brute(q, CDG_ALL_VLS, false);
	check_against_brute(q, CDG_ALL_VLS, true);
}

/* The pairs of hosts, each followed by itself. */
static void check_pairs(const struct routing *r)
{
	struct check_result c, want = {0};

	for (uint32_t ep = 0; ep < r->topo->fabric->n_endports; ep++)
		for (unsigned lid = 1; counts(r, false, ep) && lid <= r->lids->max_lid; lid++) {
			uint32_t d = lid_owner(r->lids, lid);
			struct path p;

			if (d == NO_ID || d == ep || !counts(r, false, d))
				continue;
			path_trace(r, ep, 0, lid, &p);
			want.pairs++;
			want.unreachable += p.end != PATH_OK;
			want.looping += p.end == PATH_LOOP;
			want.hops_count[p.hops & 63] += p.end == PATH_OK;
			want.max_hops = p.end == PATH_OK && p.hops > want.max_hops ? p.hops : want.max_hops;
			path_free(&p);
		}
	assert_int_equal(check_routing(r, &c, NULL), 0);
	assert_int_equal(c.pairs, want.pairs);
	assert_int_equal(c.unreachable, want.unreachable);
	assert_int_equal(c.looping, want.looping);
	assert_int_equal(c.max_hops, want.max_hops);
	assert_memory_equal(c.hops_count, want.hops_count, sizeof(c.hops_count));
}

/*
 * LIDs on a switch to which ways have the same lengths are counted together: those with one wrong entry are
 * told apart, also where the engine promised all of them.
 */
static void test_some_entries_wrong(void **state)
{
	static const char *const lines[] = {"synth xgft:4,3:1,2; route minhop",
					    "set lmc 1; synth xgft:3,3:1,3; route updn",
					    "synth xgft:2,2,2:1,2,2; fail random 1 seed=3; route ftree",
					    "synth torus:3x3,hosts=3; route dor"};
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < test_rounds(24); i++) {
		AUTO_SESSION struct session *s = make_session(lines[i % ARRAY_LEN(lines)]);
		const struct routing *r = session_routing(s);
		AUTO_ROUTING struct routing *q = routing_new("wrong", r->topo, r->lids);

		for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++) {
			q->row[sw] = lft_row_new(r->lids->max_lid);
			for (unsigned lid = 1; lid <= r->lids->max_lid; lid++)
				q->row[sw]->port[lid] =
					(uint8_t)(rng_below(&rng, 40 * (1 + i % 3)) ? routing_port(r, sw, lid)
										    : rng_below(&rng, 6));
		}
		q->exact = i % 2 ? r->exact : NULL;
		check_pairs(q);
		check_against_brute(q, CDG_ALL_VLS, false);
	}
}

static void test_commands(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:6; route minhop");
	unsigned n_channels = 0;
	bool fault = false;
	struct err e;
	int rc;

	free(run_line(s, "check", &rc, &e, false, &fault));
	assert_true(fault);
	line_says(s, "check", "VL 0: credit loops among 6 channels; a shortest one has 6");
	line_says(s, "check", "NOT SOUND");
	line_says(s, "cycles", "and round again");
	line_says(s, "layers", "deps cyclic\n~  0     2     30       24   36     12\n");
	line_says(s, "cdg 0", "24 channels, 36 dependencies, 12 channels on cycles");
	line_says(s, "cdg 1", "0 channels, 0 dependencies");
	line_says(s, "export dot - cdg 0", "digraph cdg");
	line_says(s, "export dot - cdg 0 switches group 1", "ring0[2]");
	line_lacks(s, "cycles", ", VL ");
	json_says(s, "cycles",
		  "\"routes\":[{\"dlid\":8,\"src\":\"node0001\",\"src_guid\":\"0x0002c90300f00000\","
		  "\"src_lid\":2,\"src_port\":1,\"dst\":\"node0003\",");
	AUTO_FREE char *text = line_output(s, "export dot - cdg 0 group 2", false);
	for (const char *p = text; (p = strstr(p, "label=\"")) != NULL; p++)
		n_channels++;
	assert_int_equal(n_channels, 6);
	line_says(s, "cycles", "(group 2)");
	line_fails(s, "export dot - cdg group 3", "expected one of the 2 groups");
	line_fails(s, "export dot - cdg 0 group x", "expected the number of a group");
	line_fails(s, "cdg 16", "expected a VL");
	line_fails(s, "export dot - cgd", "expected: export");
	line_fails(s, "export lfts - cdg", "expected: export");
	ok_line(s, "route lash");
	json_says(s, "check", "\"layers_in_force\":false");
	line_says(s, "check",
		  "ibscope takes all routes to be on VL 0: lash computes 3 layers, but qos is off");
	line_says(s, "check", "NOT SOUND");
	line_says(s, "layers", "lash uses 3 layers of 8 available; qos is off, so they are not in force");
	line_fails(s, "export sl2vl -", "qos is off");
	ok_line(s, "set qos TRUE");
	json_says(s, "check", "\"credit_loops\":[]");
	line_says(s, "check", "Sound");
	line_says(s, "cycles", "No credit loops");
	line_says(s, "layers", "lash uses");
}

/* Of a step with more than three routes: three, or all, as many as the dependency counts. */
static void test_routes_of_steps(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:9; route minhop");
	AUTO_FREE char *text = line_output(s, "cycles all", true);
	unsigned n = 0, all = 0;

	line_says(s, "cycles", ", ... (6 routes)\n");
	line_lacks(s, "cycles all", "...");
	for (const char *p = text; (p = strstr(p, "\"dlid\":")) != NULL; p++)
		n++;
	for (const char *p = text; (p = strstr(p, "\"routes_on\":")) != NULL; p++)
		all += (unsigned)atoi(p + strlen("\"routes_on\":"));
	assert_int_equal(n, all);
}

/* One route is dropped, several are; of none nothing is said. */
static void test_dropped_told(void **state)
{
	static const char *const told[] = {"", "1 route is dropped where", "2 routes are dropped where"};

	for (unsigned n = 0; n < ARRAY_LEN(told); n++) {
		AUTO_FREE char *text = NULL;
		size_t len = 0;
		struct command_run run = {.f = open_memstream(&text, &len)};

		assert_int_equal(report_dropped(&(struct cdg){.dropped = n}, &(struct out){.run = &run}), n);
		fclose(run.f);
		assert_memory_equal(text, told[n], strlen(told[n]));
		assert_int_equal(len > 0, n > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_engines),
		cmocka_unit_test(test_sl2vl),
		cmocka_unit_test(test_drop_of_groups),
		cmocka_unit_test(test_broken_tables),
		cmocka_unit_test(test_some_entries_wrong),
		cmocka_unit_test(test_dropped_told),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_routes_of_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
