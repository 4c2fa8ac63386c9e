/* Nue: against a plain model, layers, impasses, settings that OpenSM does not survive, what it tells. */
#include "engine_run.h"

#include "core/analysis/credit/cdg.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/routing/paths.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"
#include "engines/nue/nue.h"
#include "nue_model.h"
#include "tests/unit/weights.h"

extern const struct engine engine_nue;

static void run_new(struct run *x, struct fabric *f, unsigned lmc, bool esp0)
{
	run_start(x, f, &engine_nue, (struct lid_options){.lmc = lmc, .lmc_esp0 = esp0});
}

static const struct nue *run_route(struct run *x)
{
	return run_engine(x, &engine_nue) ? nue_of(x->r) : NULL;
}

/* --- small fabrics made by hand --------------------------------------------------------------- */

/* Switches 0 .. n-1 in OpenSM's order with `hosts` hosts each, on the last ports; cables from port 1 on. */
static struct fabric *linked(unsigned n, unsigned hosts, unsigned width, const uint8_t (*link)[2],
			     unsigned n_links)
{
	struct fabric_builder *b = fb_new();
	AUTO_FREE unsigned *next = NEW_ARRAY(n, unsigned);

	for (unsigned i = 0; i < n; i++)
		fb_add(b, NODE_SWITCH, (uint64_t)(i + 1) << 56, width, "");
	for (unsigned i = 0; i < n_links; i++)
		assert_true(fb_link(b, link[i][0], ++next[link[i][0]], link[i][1], ++next[link[i][1]]));
	for (unsigned i = 0; i < n * hosts; i++)
		assert_true(fb_link(b, fb_add(b, NODE_CA, (uint64_t)(i + 1) << 48, 1, ""), 1, i % n,
				    width - i / n));
	return built(b);
}

/* n switches in a row, or in a ring; k cables between neighbours. */
static struct fabric *row(unsigned n, bool ring, unsigned k, unsigned hosts)
{
	AUTO_FREE uint8_t(*link)[2] = (uint8_t(*)[2])mem_array((size_t)n * k, 2);
	unsigned m = 0;

	for (unsigned i = 0; i + !ring < n; i++)
		for (unsigned j = 0; j < k; j++, m++) {
			link[m][0] = i;
			link[m][1] = (i + 1) % n;
		}
	return linked(n, hosts, 2 * k + hosts < 250 ? 2 * k + hosts : 250, (const uint8_t(*)[2])link, m);
}

/* Base LID of the first host on a switch. */
static unsigned host_lid(const struct run *x, uint32_t sw)
{
	for (uint32_t ep = 0; ep < x->f->n_endports; ep++)
		if (!endport_is_switch(x->f, ep) && x->t->endport_switch[ep] == sw)
			return x->l->base[ep];
	fail_msg("switch %u has no host", sw);
	return 0;
}

/* Neighbour by which a switch sends a LID; NO_ID: out to a host. */
static uint32_t towards(const struct run *x, uint32_t sw, unsigned lid)
{
	return x->t->peer_switch[switch_port_id(x->f, sw, routing_port(x->r, sw, lid))];
}

/*
 * Five switches in a ring, one host each.  The tree is rooted at switch 0 (all are
 * equally central) and has no channel between 2 and 3, the switches farthest from
 * it.  Escape paths go both ways around 0, so what would go over 2 - 3 further than
 * these two closes a cycle in one direction.
 */
static void test_ring(void **state)
{
	AUTO_BY(run_free) struct run x;
	unsigned restricted = 0;

	run_new(&x, row(5, true, 1, 1), 0, false);
	const struct nue *n = run_route(&x);
	assert_non_null(n);
	assert_int_equal(nue_layers(n), 1);
	assert_int_equal(nue_central_switch(n, 0), 0);
	assert_int_equal(nue_escape_port(n, 0, 0), 0);
	assert_int_equal(towards(&x, 1, host_lid(&x, 0)), 0);
	assert_int_equal(nue_escape_depth(n, 0, 1), 1);
	assert_int_equal(nue_escape_depth(n, 0, 2), 2);
	assert_int_equal(nue_escape_depth(n, 0, 3), 2);
	assert_int_equal(n->first_weight, 100);
	assert_int_equal(towards(&x, 2, host_lid(&x, 3)), 3);
	assert_int_equal(towards(&x, 3, host_lid(&x, 2)), 2);
	for (uint32_t i = 0; i < nue_restrictions(n, 0); i++) {
		struct nue_turn t = nue_restriction(n, 0, i);

		restricted |= 1u << t.sw;
		assert_int_not_equal(t.in, t.out);
	}
	assert_int_not_equal(restricted, 0);
}

/* All that is asked of a routing: complete, free of credit loops, and the tables that panes show agree with
 * it. */
static void check_escape_tree(const struct run *x, const struct nue *n, unsigned layer)
{
	if (nue_central_switch(n, layer) == NO_ID)
		return;
	for (uint32_t sw = 0; sw < x->f->n_switches; sw++) {
		uint32_t at = sw, links = 0;

		if (!switch_up(x->t, sw))
			continue;
		for (; nue_escape_port(n, layer, at); links++)
			at = x->t->peer_switch[switch_port_id(x->f, at, nue_escape_port(n, layer, at))];
		assert_int_equal(at, nue_central_switch(n, layer));
		assert_int_equal(links, nue_escape_depth(n, layer, sw));
		assert_true(nue_betweenness(n, layer, sw) <= nue_betweenness(n, layer, at));
	}
}

/* No route of a layer makes a turn that is restricted there. */
static void check_turns(const struct run *x, const struct nue *n, unsigned lid)
{
	unsigned layer = nue_layer_of(n, lid);

	if (nue_events_of(n, lid) & NUE_OUTSIDE)
		return;
	for (uint32_t i = 0; i < nue_restrictions(n, layer); i++) {
		struct nue_turn t = nue_restriction(n, layer, i);
		uint32_t peer = x->t->peer[switch_port_id(x->f, t.sw, t.in)];

		if (routing_port(x->r, t.sw, lid) == t.out &&
		    routing_port(x->r, x->f->node_switch[x->f->port_node[peer]], lid) == x->f->port_num[peer])
			fail_msg("LID %u makes a restricted turn at switch %u", lid, t.sw);
	}
}

static void check_routing(const struct run *x, const struct nue *n)
{
	struct cdg *c = cdg_new(x->r, CDG_ALL_VLS, n->include_switches, NULL, NULL);
	unsigned loops = 0;

	for (unsigned v = 0; v < nue_layers(n); v++)
		loops += n->layer[v].loop;
	if (c->n_components && !loops)
		fail_msg("a credit loop that the engine does not tell of");
	arena_free(c);
	for (unsigned v = 0; v < nue_layers(n); v++)
		check_escape_tree(x, n, v);
	for (unsigned lid = 1; lid <= x->l->max_lid; lid++)
		if (nue_layer_of(n, lid) != NUE_NO_LAYER)
			check_turns(x, n, lid);
}

/* --- against the model ---------------------------------------------------------------------------- */

struct counts {
	unsigned backtracks, fallbacks, shortcuts;
};

static void compare_with_model(const struct run *x, const struct nue *n, const char *what, struct counts *k)
{
	AUTO_BY(model_free)
	struct model m = {.g = n->graph, .t = x->t, .l = x->l, .switches = n->include_switches};
	size_t lids = x->l->max_lid + 1u;

	model_route(&m, nue_layers(n));
	for (uint32_t u = 0; u < m.n; u++)
		for (unsigned lid = 0; lid < lids; lid++)
			if (routing_port(x->r, n->graph->sw[u], lid) != m.lft[u * lids + lid])
				fail_msg("%s: switch %u LID %u: port %u, the model has %u", what,
					 n->graph->sw[u], lid, routing_port(x->r, n->graph->sw[u], lid),
					 m.lft[u * lids + lid]);
	for (unsigned lid = 0; lid < lids; lid++)
		assert_int_equal(nue_layer_of(n, lid), m.layer[lid]);
	for (uint32_t c = 0; c < m.c; c++)
		assert_int_equal(n->weight[c], m.weight[c]);
	k->backtracks += m.backtracks;
	k->fallbacks += m.fallbacks;
	k->shortcuts += m.shortcuts;
}

static void random_case(uint64_t *rng, const char *shape, struct counts *k)
{
	static const char *const vls[] = {"0", "1", "2", "3", "5"};
	AUTO_BY(run_free) struct run x;
	AUTO_FREE char *spec = str_printf("%s,shuffle=1,seed=%u", shape, 1 + rng_below(rng, 1000000));

	run_new(&x, make_fabric(spec), rng_below(rng, 3) ? 0 : 1 + rng_below(rng, 2), false);
	run_set(&x, "nue_max_num_vls", vls[rng_below(rng, ARRAY_LEN(vls))]);
	run_set(&x, "qos", rng_below(rng, 2) ? "TRUE" : "FALSE");
	run_set(&x, "nue_include_switches", rng_below(rng, 2) ? "TRUE" : "FALSE");
	const struct nue *n = run_route(&x);
	if (!n && (!x.out.fatal || strcmp(x.out.fatal, "never ends")))
		fail_msg("%s: %s", spec, x.out.refused.msg);
	if (n) {
		compare_with_model(&x, n, spec, k);
		check_routing(&x, n);
	}
}

static void test_model(void **state)
{
	static const char *const shapes[] = {"torus:4x4x3",
					     "torus:4x4x3,fail=12",
					     "torus:6x6,fail=6",
					     "torus:5x5,parallel=2",
					     "torus:4x4x3,parallel=2,fail=20",
					     "hypercube:4,parallel=2",
					     "ring:9,hosts=2",
					     "mesh:5x4,hosts=2,fail=2",
					     "xgft:3,3,3:1,2,2",
					     "xgft:4,4:1,2,parallel=2",
					     "dragonfly:4,2,2",
					     "hyperx:4x4",
					     "random:24,4,hosts=2,parallel=2",
					     "random:40,3",
					     "director:2,4,3,8"};
	uint64_t rng = test_seed();
	struct counts k = {0};

	for (unsigned i = 0; i < test_rounds(3) * ARRAY_LEN(shapes); i++)
		random_case(&rng, shapes[i % ARRAY_LEN(shapes)], &k);
	print_message("%u backtracks, %u fallbacks, %u shortcuts\n", k.backtracks, k.fallbacks, k.shortcuts);
}

/* Fixed fabrics on which every kind of trouble occurs. */
static void test_impasses(void **state)
{
	static const char *const specs[] = {"torus:4x4x4", "torus:4x4x3,shuffle=1,seed=3",
					    "torus:4x4x3,parallel=2,fail=20,shuffle=1,seed=5",
					    "hypercube:4,parallel=2,shuffle=1,seed=7"};
	struct counts k = {0};

	for (unsigned i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_BY(run_free) struct run x;

		run_new(&x, make_fabric(specs[i]), 0, false);
		const struct nue *n = run_route(&x);
		assert_non_null(n);
		compare_with_model(&x, n, specs[i], &k);
		check_routing(&x, n);
	}
	assert_true(k.backtracks > 5);
	assert_true(k.fallbacks > 5);
	assert_true(k.shortcuts > 0);
}

/* --- layers --------------------------------------------------------------------------------------------- */

static void test_layers(void **state)
{
	AUTO_BY(run_free) struct run x;
	const struct nue *n;
	unsigned turn = 0;

	run_new(&x, row(4, true, 1, 2), 1, false);
	run_set(&x, "nue_max_num_vls", "3");
	n = run_route(&x); /* qos is off */
	assert_int_equal(nue_layers(n), 1);
	assert_non_null(strstr(text_str(&x.out.notes.text), "qos is off"));
	run_set(&x, "qos", "TRUE");
	n = run_route(&x);
	assert_int_equal(nue_layers(n), 3);
	for (uint32_t ep = 0; ep < x.f->n_endports; ep++) {
		unsigned lid = x.l->base[ep];

		if (endport_is_switch(x.f, ep)) {
			assert_true(nue_events_of(n, lid) & NUE_OUTSIDE);
			assert_int_equal(routing_sl(x.r, 1, lid).lo, 0);
			continue;
		}
		assert_int_equal(nue_layer_of(n, lid), turn % 3);
		assert_int_equal(nue_layer_of(n, lid + 1), turn % 3);
		assert_int_equal(routing_sl(x.r, 1, lid).lo, turn % 3);
		turn++;
	}
	run_set(&x, "nue_max_num_vls", "0");
	assert_int_equal(nue_layers(run_route(&x)), 8);
	AUTO_FREE uint8_t *codes = opervls_of_source(x.f);
	x.in.opervls = codes;
	assert_int_equal(nue_layers(run_route(&x)), 8);
	opervls_program(codes, x.t, 2);
	assert_int_equal(nue_layers(run_route(&x)), 2);
	opervls_program(codes, x.t, 0); /* no port counts */
	assert_int_equal(nue_layers(run_route(&x)), 1);
}

/* Destinations on two switches of a row: those between them join, those outside do not. */
static void test_hull(void **state)
{
	static const uint8_t links[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
	struct fabric_builder *b = fb_new();
	AUTO_BY(run_free) struct run x;

	for (unsigned i = 0; i < 5; i++)
		fb_add(b, NODE_SWITCH, (uint64_t)(i + 1) << 56, 8, "");
	for (unsigned i = 0; i < 4; i++)
		fb_link(b, links[i][0], 1 + (links[i][0] > 0), links[i][1], 1);
	fb_link(b, fb_add(b, NODE_CA, 1, 1, ""), 1, 1, 8);
	fb_link(b, fb_add(b, NODE_CA, 2, 1, ""), 1, 3, 8);
	run_new(&x, built(b), 0, false);
	const struct nue *n = run_route(&x);
	for (uint32_t sw = 0; sw < 5; sw++)
		assert_int_equal(nue_in_hull(n, 0, sw), sw >= 1 && sw <= 3);
	assert_int_equal(nue_central_switch(n, 0), 2);
	assert_int_equal(nue_escape_port(n, 0, 0), 1);
}

/* --- what OpenSM refuses, and what it does not survive -------------------------------------------------- */

static void expect_end(struct run *x, const char *fatal, const char *part)
{
	assert_null(run_route(x));
	if (fatal)
		assert_string_equal(x->out.fatal, fatal);
	else
		assert_null(x->out.fatal);
	if (!strstr(x->out.refused.msg, part))
		fail_msg("\"%s\" is not in: %s", part, x->out.refused.msg);
}

static void test_refusal(void **state)
{
	AUTO_BY(run_free) struct run x;

	run_new(&x, row(24, true, 1, 9), 7, false);
	expect_end(&x, NULL, "out of reach");
	x.in.refused_before = true;
	expect_end(&x, "crashes", "earlier sweep");
}

static void test_too_far(void **state)
{
	AUTO_BY(run_free) struct run x;

	run_new(&x, row(13, false, 1, 9), 7, false);
	expect_end(&x, "crashes", "farther");
	run_set(&x, "nue_include_switches", "TRUE");
	const struct nue *n = run_route(&x);
	assert_non_null(n);
	assert_true(n->layer[0].fallbacks > 0);
}

static void test_base_lids(void **state)
{
	struct run x;

	run_new(&x, make_fabric("ring:4,esp0=1,shuffle=1,seed=2"), 1, true);
	expect_end(&x, "crashes", "lmc_esp0");
	run_set(&x, "nue_include_switches", "TRUE");
	expect_end(&x, "crashes", "lmc_esp0");
	run_free(&x);
	run_new(&x, make_fabric("ring:4,esp0=1,shuffle=1,seed=2"), 0, true);
	assert_non_null(run_route(&x));
	run_free(&x);
}

static void test_many_links(void **state)
{
	static const struct {
		unsigned links, hosts;
		const char *crash;
	} cases[] = {{127, 1, NULL},
		     {128, 1, "128 links"},
		     {129, 0, NULL}, /* no search in layers without destination */
		     {129, 1, "129 links"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_BY(run_free) struct run x;

		run_new(&x, row(2, false, cases[i].links, cases[i].hosts), 0, false);
		if (cases[i].crash)
			expect_end(&x, "crashes", cases[i].crash);
		else
			assert_non_null(run_route(&x));
	}
}

/* A tree of 16 * 33 switches with one host: a colour for each of 128 LIDs of each destination. */
static void test_colours(void **state)
{
	struct fabric_builder *b = fb_new();
	AUTO_BY(run_free) struct run x;

	for (unsigned i = 0; i < 1 + 16 * 32; i++)
		fb_add(b, NODE_SWITCH, 0x1000 + i, 40, "");
	for (unsigned i = 0; i < 16; i++) {
		assert_true(fb_link(b, 0, 1 + i, 1 + 32 * i, 40));
		for (unsigned k = 1; k < 32; k++)
			assert_true(fb_link(b, 1 + 32 * i, k, 1 + 32 * i + k, 40));
	}
	assert_true(fb_link(b, fb_add(b, NODE_CA, 7, 1, ""), 1, 0, 40));
	run_new(&x, built(b), 7, false);
	assert_non_null(run_route(&x));
	run_set(&x, "nue_include_switches", "TRUE");
	expect_end(&x, "crashes", "colours");
}

/* Merges that close a cycle: OpenSM never comes out of a search, or comes by without noticing. */
static void test_cycles(void **state)
{
	static const char endless[] = "xgft:4,4:1,2,parallel=2,shuffle=1,seed=911219",
			  unnoticed[] = "xgft:4,4:1,2,parallel=2,shuffle=1,seed=26786823",
			  shortcut[] = "torus:6x6,fail=6,shuffle=1,seed=61280515";
	struct counts k = {0};
	struct run x;

	run_new(&x, make_fabric(endless), 0, false);
	run_set(&x, "nue_include_switches", "TRUE");
	expect_end(&x, "never ends", "cycle");
	run_free(&x);
	run_new(&x, make_fabric(unnoticed), 2, false);
	run_set(&x, "nue_include_switches", "TRUE");
	const struct nue *n = run_route(&x);
	assert_non_null(n);
	assert_true(n->layer[0].loop);
	assert_non_null(strstr(text_str(&x.out.notes.text), "credit loop"));
	compare_with_model(&x, n, unnoticed, &k);
	run_free(&x);
	run_new(&x, make_fabric(shortcut), 0, false);
	run_set(&x, "nue_include_switches", "TRUE");
	run_set(&x, "nue_max_num_vls", "3");
	run_set(&x, "qos", "TRUE");
	n = run_route(&x);
	assert_non_null(n);
	assert_true(n->layer[1].loop && n->layer[1].unrecorded == 1 && !n->layer[0].loop);
	run_free(&x);
}

static void test_cancel(void **state)
{
	struct progress p = {.cancel = true};
	AUTO_BY(run_free) struct run x;

	run_new(&x, make_fabric("torus:4x4"), 0, false);
	x.in.progress = &p;
	expect_end(&x, NULL, CANCELLED);
}

/* --- what it tells ----------------------------------------------------------------------------- */

struct heard {
	const struct run *x;
	unsigned choices, wrong;
	uint8_t port[64][256]; /* by switch and LID */
	char rules[64][40];
	unsigned n_rules;
	char last[1000];
};

static void note_rule(struct heard *h, const char *rule)
{
	for (unsigned i = 0; i < h->n_rules; i++)
		if (!strcmp(h->rules[i], rule))
			return;
	snprintf(h->rules[h->n_rules++], sizeof(h->rules[0]), "%s", rule);
}

static bool heard_rule(const struct heard *h, const char *rule)
{
	for (unsigned i = 0; i < h->n_rules; i++)
		if (!strcmp(h->rules[i], rule))
			return true;
	return false;
}

static void hear(void *ctx, const struct rec_choice *c)
{
	struct heard *h = ctx;

	h->choices++;
	note_rule(h, c->rule);
	h->port[c->sw][c->lid] = c->port;
	snprintf(h->last, sizeof(h->last), "%s", text_str(&c->text));
	for (unsigned i = 0; i < c->n_offers; i++) {
		const struct rec_offer *o = &c->offer[i];

		if (h->x->f->port_peer[switch_port_id(h->x->f, c->sw, o->port)] != o->peer)
			h->wrong++;
		/* the rule's claim */
		if (!strcmp(c->rule, "least weight") && o->port != c->port && o->q[1] != INT64_MIN &&
		    o->q[3] != 1)
			for (unsigned k = 0; k < c->n_offers; k++)
				h->wrong += c->offer[k].port == c->port && c->offer[k].q[1] > o->q[1];
	}
}

static void test_choices(void **state)
{
	AUTO_BY(run_free) struct run x;
	AUTO_FREE struct heard *h = NEW(struct heard);
	struct rec_ask o = {.tell = hear, .ctx = h, .sw = NO_ID};

	run_new(&x, make_fabric("torus:4x4x4"), 0, false);
	h->x = &x;
	x.in.ask = &o;
	assert_non_null(run_route(&x));
	assert_int_equal(h->choices, 64 * 128);
	assert_int_equal(h->wrong, 0);
	for (uint32_t sw = 0; sw < 64; sw++)
		for (unsigned lid = 1; lid <= 128; lid++)
			assert_int_equal(h->port[sw][lid], routing_port(x.r, sw, lid));
	assert_true(heard_rule(h, "own port") && heard_rule(h, "escape path") &&
		    heard_rule(h, "backtracking") && heard_rule(h, "least weight") &&
		    heard_rule(h, "first of equals") && heard_rule(h, "least weight without a cycle"));
	*h = (struct heard){.x = &x};
	o.sw = 7;
	o.lid = host_lid(&x, 9);
	assert_non_null(run_route(&x));
	assert_int_equal(h->choices, 1);
	assert_int_equal(h->port[7][o.lid], routing_port(x.r, 7, o.lid));
}

/* By packets: is there a way of so many links from a switch, entered by a port (0: starts there), free of
 * restrictions? */
static bool is_open(const struct run *x, unsigned layer, uint32_t sw, unsigned in, uint32_t to,
		    unsigned links)
{
	const struct nue *n = nue_of(x->r);

	if (!links)
		return sw == to;
	for (unsigned out = 1; out <= x->f->switch_nports[sw]; out++) {
		uint32_t peer = x->t->peer[switch_port_id(x->f, sw, out)], i = 0;

		if (peer == NO_ID || !node_is_switch(x->f, x->f->port_node[peer]))
			continue;
		while (in && i < nue_restrictions(n, layer)) {
			struct nue_turn turn = nue_restriction(n, layer, i);

			if (turn.sw == sw && turn.in == in && turn.out == out)
				break;
			i++;
		}
		if (in && i < nue_restrictions(n, layer))
			continue;
		if (is_open(x, layer, x->f->node_switch[x->f->port_node[peer]], x->f->port_num[peer], to,
			    links - 1))
			return true;
	}
	return false;
}

/* Detours are what the paths say, and were open or not by the restrictions. */
static void test_detours(void **state)
{
	AUTO_BY(run_free) struct run x;
	unsigned found = 0, open = 0;

	run_new(&x, make_fabric("torus:5x5,hosts=2"), 0, false);
	run_set(&x, "nue_max_num_vls", "1");
	const struct nue *n = run_route(&x);
	AUTO_FREE struct nue_detour *list = NEW_ARRAY(x.f->n_switches, struct nue_detour);
	for (uint32_t sw = 0; sw < x.f->n_switches; sw++) {
		unsigned lid = host_lid(&x, sw);
		uint32_t k = nue_detours(x.r, lid, list);

		found += k;
		for (uint32_t i = 0; i < k; i++, open += list[i - 1].open)
			assert_int_equal(list[i].open,
					 is_open(&x, nue_layer_of(n, lid), list[i].sw, 0, sw, list[i].least));
		for (uint32_t i = 0; i < k; i++) {
			AUTO_BY(path_free) struct path p;

			path_trace(x.r, x.f->port_endport[x.f->switch_port[list[i].sw]], 0, lid, &p);
			assert_int_equal(p.end, PATH_OK);
			assert_int_equal(p.n - 1, list[i].links);
			assert_true(list[i].least < list[i].links && list[i].least <= 4);
		}
	}
	assert_in_range(open, 1, found - 1);
	assert_int_equal(nue_events_of(n, host_lid(&x, 0)) & NUE_OUTSIDE, 0);
}

/* Every LID but its own weighs on a host's switch, in sum. */
static void test_weights(void **state)
{
	AUTO_BY(run_free) struct run x;
	uint64_t into = 0;

	run_new(&x, row(3, false, 2, 2), 0, false);
	const struct nue *n = run_route(&x);
	for (unsigned p = 1; p <= 2; p++)
		into += nue_weight_growth(n, 0, p);
	/* 6 LIDs lie behind switch 0, asked for by its 3 terminals */
	assert_int_equal(into, 6 * 3);
	assert_int_equal(nue_weight_growth(n, 0, 3), 0);
}

static void test_session(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth torus:4x4x4; set qos TRUE");
	line_says(s, "route nue nue_max_num_vls=2", "nue routed 64 switches");
	line_says(s, "check", "without credit loops");
	line_says(s, "layers", "central switch");
	line_says(s, "why node0001 node0064", "layer");
	line_says(s, "why t000 node0064", "distance");
	line_says(s, "set lmc 2; set lmc_esp0 TRUE; route nue", "routed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),	   cmocka_unit_test(test_model),
		cmocka_unit_test(test_impasses),   cmocka_unit_test(test_layers),
		cmocka_unit_test(test_hull),	   cmocka_unit_test(test_refusal),
		cmocka_unit_test(test_too_far),	   cmocka_unit_test(test_base_lids),
		cmocka_unit_test(test_many_links), cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_cycles),	   cmocka_unit_test(test_colours),
		cmocka_unit_test(test_choices),	   cmocka_unit_test(test_detours),
		cmocka_unit_test(test_weights),	   cmocka_unit_test(test_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
