/* SSSP and DFSSSP: searches, weights, layers, lanes, refusals and what they leave, against known vectors. */
#include "engine_run.h"

#include "core/analysis/credit/cdg.h"
#include "core/base/rng.h"
#include "engines/dfsssp/dfsssp.h"
#include "tests/unit/weights.h"

extern const struct engine engine_sssp, engine_dfsssp;

static void run_new(struct run *x, struct fabric *f, unsigned lmc)
{
	run_start(x, f, &engine_dfsssp, (struct lid_options){.lmc = lmc});
}

static const struct dfsssp *run_route(struct run *x, const struct engine *g)
{
	return run_engine(x, g) ? dfsssp_of(x->r) : NULL;
}

/* Cables as "switch, port, switch, port"; switches from 1 with LID i, a CA on port 1 of each with LID n + i.
 */
static struct fabric *cabled(unsigned n, const uint8_t (*cable)[4], unsigned n_cables)
{
	struct fabric_builder *b = fb_new();
	struct fabric *f;
	struct err e;

	for (unsigned i = 0; i < n; i++) {
		fb_add(b, NODE_SWITCH, 0x0002c90300a00000 + 16 * i, 8, "");
		b->node[i].port[0].lid = i + 1;
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t ca = fb_add(b, NODE_CA, 0x0002c90300b00000 + 16 * i, 1, "");

		b->node[ca].port[1].lid = n + i + 1;
		assert_true(fb_link(b, i, 1, ca, 1));
	}
	for (unsigned i = 0; i < n_cables; i++)
		assert_true(fb_link(b, cable[i][0] - 1, cable[i][1], cable[i][2] - 1, cable[i][3]));
	if (fb_finish(b, "test", "synthetic", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* Rows of digits: port for LID 1, 2, ... */
static void expect_tables(const struct run *x, const char *const *row, unsigned n)
{
	for (uint32_t s = 0; s < n; s++)
		for (unsigned lid = 1; lid <= 2 * n; lid++)
			if (routing_port(x->r, s, lid) != (unsigned)(row[s][lid - 1] - '0'))
				fail_msg("switch %u, LID %u: port %u, expected %c", s + 1, lid,
					 routing_port(x->r, s, lid), row[s][lid - 1]);
}

/* A channel as "switch * 10 + port". */
static unsigned channel_name(const struct run *x, const struct dfsssp *d, uint32_t channel)
{
	uint32_t port = dfsssp_channel_port(d->graph, x->f, channel);

	return (x->f->node_switch[x->f->port_node[port]] + 1) * 10 + x->f->port_num[port];
}

/* --- known vectors (engines/doc/dfsssp.md 16) --------------------------------------------- */

static const uint8_t ring5[][4] = {{1, 2, 2, 2}, {1, 3, 5, 3}, {2, 3, 3, 2}, {3, 3, 4, 2}, {4, 3, 5, 2}};

static struct fabric *make_ring(void)
{
	return cabled(5, ring5, ARRAY_LEN(ring5));
}

static void test_ring(void **state)
{
	static const char *const row[] = {"0223312233", "2033221332", "2203322133", "3220332213",
					  "3322033221"};
	static const unsigned cycle[2][5] = {{22, 13, 52, 42, 32}, {12, 23, 33, 43, 53}};
	AUTO_RUN struct run x;

	run_new(&x, make_ring(), 0);
	const struct dfsssp *d = run_route(&x, &engine_dfsssp);
	assert_non_null(d);
	expect_tables(&x, row, 5);
	assert_int_equal(dfsssp_start_weight(d), 100);
	for (uint32_t p = 0; p < x.f->n_ports; p++)
		assert_int_equal(dfsssp_weight(d, p), x.t->peer_switch[p] == NO_ID ? 0 : 112);
	assert_int_equal(dfsssp_layers(d), 2);
	assert_int_equal(d->layers->vls, 8);
	assert_int_equal(d->layers->count[0], 86);
	assert_int_equal(d->layers->count[1], 4);
	assert_int_equal(d->layers->n_cuts, 2);
	for (unsigned k = 0; k < 2; k++) {
		const struct ds_cut *cut = &d->layers->cut[k];

		assert_int_equal(cut->length, 5);
		assert_int_equal(cut->at, 0);
		assert_int_equal(cut->moved, 2);
		for (unsigned i = 0; i < 5; i++) {
			assert_int_equal(channel_name(&x, d, d->layers->cycle_channel[cut->first + i]),
					 cycle[k][i]);
			assert_int_equal(d->layers->cycle_left[cut->first + i], 2);
		}
	}
}

static void test_ring_sls(void **state)
{
	static const uint8_t moved[][2] = {{7, 10}, {7, 5}, {6, 8}, {6, 3}};
	AUTO_RUN struct run x;
	AUTO_TEXT struct text t = {0};

	run_new(&x, make_ring(), 0);
	assert_non_null(run_route(&x, &engine_dfsssp));
	for (unsigned s = 1; s <= 10; s++)
		for (unsigned d = 1; d <= 10; d++) {
			struct sl_range sl = routing_sl(x.r, s, d);
			bool up = false;

			for (unsigned i = 0; i < ARRAY_LEN(moved); i++)
				up |= moved[i][0] == s && moved[i][1] == d;
			assert_int_equal(sl.lo, up ? 7 : 0);
			assert_int_equal(sl.hi, up ? 7 : 6);
		}
	dfsssp_explain_pair(x.r, 7, 10, &t, NULL);
	assert_non_null(strstr(text_str(&t), "are in layer 1."));
	assert_non_null(strstr(text_str(&t), "Layer 0: cycle 1 of 5 channels:"));
	assert_non_null(strstr(text_str(&t), "2 pairs, the fewest: cut"));
	assert_non_null(strstr(text_str(&t), "moved 2 pairs to layer 1"));
	assert_non_null(strstr(text_str(&t), "Layer 1 has SL 7."));
	text_clear(&t);
	dfsssp_explain_layers(x.r, &t);
	assert_non_null(strstr(text_str(&t), "Layer 0: 86 ordered pairs of LIDs, 2 cycles cut; SL 0 to 6"));
	/* sssp has the same tables, and nothing to say about SLs */
	assert_non_null(run_route(&x, &engine_sssp));
	assert_int_equal(routing_port(x.r, 0, 10), 3);
	assert_int_equal(routing_sl(x.r, 7, 10).hi, 0);
}

static const uint8_t cube[][4] = {{1, 2, 5, 2}, {1, 3, 3, 2}, {1, 4, 2, 2}, {2, 3, 6, 2},
				  {2, 4, 4, 2}, {3, 3, 7, 2}, {3, 4, 4, 3}, {4, 4, 8, 2},
				  {5, 3, 7, 3}, {5, 4, 6, 3}, {6, 4, 8, 3}, {7, 4, 8, 4}};

/* Equal distances everywhere: only the heap's own order gives these tables. */
static void test_cube(void **state)
{
	static const char *const row[] = {"0433222214342234", "2044333321243324", "2204233324143234",
					  "2230243432314244", "2232043324331433", "2224304432443144",
					  "3322340432243314", "3222334023423341"};
	static const uint8_t load[8][3] = {{16, 14, 14}, {14, 14, 16}, {14, 16, 16}, {14, 16, 18},
					   {16, 14, 18}, {16, 14, 20}, {16, 18, 16}, {16, 18, 20}};
	static const uint8_t length[] = {10, 10, 20, 6, 6, 6, 4, 4, 4};
	static const uint8_t cut[][2] = {{33, 73}, {54, 62}, {63, 52}, {72, 34}, {74, 82},
					 {22, 13}, {62, 24}, {24, 43}, {82, 42}};
	static const uint8_t moved[] = {1, 1, 1, 2, 2, 2, 1, 1, 1};
	AUTO_RUN struct run x;

	run_new(&x, cabled(8, cube, ARRAY_LEN(cube)), 0);
	const struct dfsssp *d = run_route(&x, &engine_dfsssp);
	assert_non_null(d);
	expect_tables(&x, row, 8);
	for (uint32_t s = 0; s < 8; s++)
		for (unsigned p = 2; p <= 4; p++) {
			/* the vector has, at each port, the routes that come in by it */
			uint32_t other = x.t->peer[switch_port_id(x.f, s, p)];

			assert_int_equal(dfsssp_weight(d, other) - 256, load[s][p - 2]);
		}
	assert_int_equal(d->layers->need, 2);
	assert_int_equal(d->layers->count[0], 228);
	assert_int_equal(d->layers->count[1], 12);
	assert_int_equal(d->layers->n_cuts, 9);
	for (unsigned k = 0; k < 9; k++) {
		assert_int_equal(d->layers->cut[k].length, length[k]);
		assert_int_equal(channel_name(&x, d, d->layers->cut[k].from), cut[k][0]);
		assert_int_equal(channel_name(&x, d, d->layers->cut[k].to), cut[k][1]);
		assert_int_equal(d->layers->cut[k].moved, moved[k]);
		assert_int_equal(d->layers->cut[k].skipped, k == 7);
	}
}

/* --- what holds on any fabric ---------------------------------------------------------------- */

static const char *const specs[] = {
	"torus:4x4,hosts=2,shuffle=1,seed=3",
	"torus:4x4x3,parallel=2",
	"dragonfly:4,2,2,shuffle=1",
	"xgft:4,4,3:1,2,2",
	"ring:9,hosts=2",
	"random:24,4,hosts=2,shuffle=1,seed=8",
};

/*
 * Each layer by itself has no cycle: with SL = VL no credit loop is left, drawn SLs included.
 * Not so for routes of switches themselves: OpenSM has all of them in layer 0, uncounted.
 */
static void test_no_loops(void **state)
{
	for (unsigned i = 0; i < ARRAY_LEN(specs); i++)
		for (unsigned lmc = 0; lmc < 2; lmc++) {
			AUTO_RUN struct run x;

			run_new(&x, make_fabric(specs[i]), lmc);
			assert_non_null(run_route(&x, &engine_dfsssp));
			AUTO_ARENA struct cdg *c = cdg_new(x.r, CDG_ALL_VLS, false, NULL, NULL);
			assert_int_equal(c->n_components, 0);
		}
}

/* Dependencies counted for all sources of a switch at once are those counted one by one. */
static void test_grouped_dependencies(void **state)
{
	for (unsigned i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_RUN struct run x;
		struct routing_ops ops;

		run_new(&x, make_fabric(specs[i]), i % 2);
		assert_non_null(run_route(&x, &engine_dfsssp));
		AUTO_ARENA struct cdg *a = cdg_new(x.r, CDG_ALL_VLS, false, NULL, NULL);
		const struct routing_ops *own = x.r->ops;
		ops = *own;
		ops.sl_by_source = false;
		x.r->ops = &ops;
		AUTO_ARENA struct cdg *b = cdg_new(x.r, CDG_ALL_VLS, false, NULL, NULL);
		x.r->ops = own;
		assert_int_equal(a->n_channels, b->n_channels);
		assert_int_equal(a->n_deps, b->n_deps);
		assert_int_equal(a->used, b->used);
		assert_memory_equal(a->vl_routes, b->vl_routes, sizeof(a->vl_routes));
		assert_memory_equal(a->load, b->load, a->n_channels * sizeof(*a->load));
		assert_memory_equal(a->to, b->to, a->n_deps * sizeof(*a->to));
		assert_memory_equal(a->routes, b->routes, a->n_deps * sizeof(*a->routes));
	}
}

static void test_same_tables(void **state)
{
	for (unsigned i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_RUN struct run x, y;

		run_new(&x, make_fabric(specs[i]), 1);
		run_new(&y, make_fabric(specs[i]), 1);
		assert_non_null(run_route(&x, &engine_dfsssp));
		assert_non_null(run_route(&y, &engine_sssp));
		for (uint32_t s = 0; s < x.f->n_switches; s++)
			assert_memory_equal(x.r->row[s]->port, y.r->row[s]->port, x.l->max_lid + 1u);
	}
}

/* Weights come out of the tables again: at once, and in two parts. */
static void test_weights(void **state)
{
	for (unsigned i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_RUN struct run x;
		uint32_t n;

		run_new(&x, make_fabric(specs[i]), i % 3);
		const struct dfsssp *d = run_route(&x, &engine_sssp);
		assert_non_null(d);
		AUTO_FREE uint16_t *lids = dfsssp_destinations(x.r, &n);
		assert_int_equal(n, d->graph->lids);
		AUTO_FREE uint32_t *routes = NEW_ARRAY(x.f->n_ports, uint32_t);
		assert_true(dfsssp_add_routes(x.r, (struct lids_part){lids, 0, n / 3}, routes, NULL));
		assert_true(dfsssp_add_routes(x.r, (struct lids_part){lids, n / 3, n}, routes, NULL));
		for (uint32_t p = 0; p < x.f->n_ports; p++)
			if (x.t->peer_switch[p] != NO_ID)
				assert_int_equal(dfsssp_weight(d, p), dfsssp_start_weight(d) + routes[p]);
			else
				assert_int_equal(routes[p], 0);
	}
}

/* --- trees ------------------------------------------------------------------------------------ */

/* The same channels, and each vertex after the one that it sends to. */
static void expect_tree(const struct ds_graph *g, const struct ds_tree *t, const struct ds_tree *heap)
{
	AUTO_FREE uint32_t *place = NEW_ARRAY(g->n, uint32_t);

	assert_int_equal(t->n_order, heap->n_order);
	assert_memory_equal(t->out, heap->out, g->n * sizeof(*t->out));
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t c = t->out[t->order[i]];

		assert_int_equal(place[t->order[i]], 0);
		place[t->order[i]] = i + 1;
		assert_true(i ? place[g->to[c]] : c == NO_ID);
	}
}

/* From a switch and from hosts on it, with weights that grow.  How often it could not be done by levels. */
static unsigned compare_trees(const struct ds_graph *g, uint32_t *weight, uint32_t v, uint64_t *rng)
{
	struct ds_heap *h = ds_heap_new(g), *h2 = ds_heap_new(g);
	struct ds_levels *l = ds_levels_new(g, v % 2);
	unsigned none = 0;

	for (unsigned k = 0; k < 6; k++) {
		struct ds_source from = {v, k % 3 > 0};
		const struct ds_tree *heap = ds_heap_run(h, weight, from, k % 2);
		const struct ds_tree *t = ds_levels_run(l, weight, from, h2);

		none += !t;
		if (t)
			expect_tree(g, t, heap);
		for (uint32_t i = 0; i < g->n; i++)
			if (heap->out[i] != NO_ID)
				weight[heap->out[i]] += rng_below(rng, 3);
	}
	ds_levels_free(l);
	ds_heap_free(h);
	ds_heap_free(h2);
	return none;
}

/*
 * By levels the tree is that of the heap, whatever is equally near: weights that differ
 * by 0, 1, 2, and by so much that levels overlap.
 */
static void test_levels(void **state)
{
	static const char *const more[] = {"xgft:5,5,3:1,5,5", "hypercube:4,hosts=5", "hyperx:4x4,hosts=3",
					   "random:30,6,hosts=4,parallel=3,shuffle=1", "random:40,3,fail=9"};
	static const unsigned spread[] = {1, 2, 3, 100, 0};
	unsigned none = 0, all = 0;
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < (ARRAY_LEN(specs) + ARRAY_LEN(more)) * ARRAY_LEN(spread); i++) {
		unsigned k = i / ARRAY_LEN(spread), wide = spread[i % ARRAY_LEN(spread)];
		AUTO_RUN struct run x;

		run_new(&x, make_fabric(k < ARRAY_LEN(specs) ? specs[k] : more[k - ARRAY_LEN(specs)]), 0);
		struct ds_graph *g = ds_graph_new(&x.in);
		AUTO_FREE uint32_t *weight = NEW_ARRAY(g->n_edges + DS_BEHIND, uint32_t);
		for (uint32_t c = 0; c < g->n_edges; c++)
			weight[c] = (uint32_t)g->start + rng_below(&rng, wide ? wide : (uint32_t)g->start);
		for (uint32_t v = 0; v < g->n; v++, all += 6)
			none += compare_trees(g, weight, v, &rng);
		ds_graph_unref(g);
	}
	assert_in_range(none, 1, all / 2);
}

/* What each cut says it moved is what the layers say, and every class knows its cuts. */
static void test_cuts(void **state)
{
	AUTO_RUN struct run x;

	run_new(&x, make_fabric("torus:5x4,hosts=2,shuffle=1,seed=5"), 1);
	const struct dfsssp *d = run_route(&x, &engine_dfsssp);
	assert_non_null(d);
	const struct ds_layers *l = d->layers;
	assert_true(l->need > 2);
	AUTO_FREE uint64_t *moved = NEW_ARRAY(l->n_cuts, uint64_t);
	for (uint32_t sw = 0; sw < x.f->n_switches; sw++)
		for (unsigned lid = 1; lid <= x.l->max_lid; lid++) {
			unsigned layer = dfsssp_layer_of(d, sw, lid);

			for (unsigned v = 0; v < layer; v++) {
				uint32_t cut = dfsssp_moved_by(x.r, sw, lid, v);

				assert_int_not_equal(cut, NO_ID);
				assert_int_equal(l->cut[cut].layer, v);
				moved[cut] += l->ca_lids[l->source_of[d->graph->id[sw]]];
			}
			assert_int_equal(dfsssp_moved_by(x.r, sw, lid, layer), NO_ID);
		}
	for (uint32_t i = 0; i < l->n_cuts; i++)
		assert_int_equal(moved[i], l->cut[i].moved);
}

/* --- lanes ---------------------------------------------------------------------------------------- */

static void test_lanes(void **state)
{
	struct ds_layers l = {.vls = 8, .need = 3, .count = {100, 30, 10}};
	struct engine_input in = {0};

	ds_balance(&l, &in); /* 100, 50, 33.3, 30 (layer 0 first of equals no more), 25 */
	assert_int_equal(l.width[0] + l.width[1] + l.width[2], 8);
	assert_int_equal(l.width[0], 5);
	assert_int_equal(l.width[1], 2);
	assert_int_equal(l.base[1], 5);
	assert_int_equal(l.base[2], 7);
	assert_int_equal(l.idle, 0);
	/* layer 1 stays where it is and loses what it was given */
	l = (struct ds_layers){.vls = 4, .need = 2, .count = {10, 100}};
	ds_balance(&l, &in);
	assert_int_equal(l.base[1], 1);
	assert_int_equal(l.width[0], 1);
	assert_int_equal(l.width[1], 1);
	assert_int_equal(l.idle, 2);
	/* nothing to share out */
	l = (struct ds_layers){.vls = 2, .need = 2, .count = {10, 100}};
	ds_balance(&l, &in);
	assert_int_equal(l.width[1], 1);
	assert_int_equal(l.idle, 0);
}

/* --- choices -------------------------------------------------------------------------------------- */

struct heard {
	const struct run *x;
	unsigned choices;
};

static void listen(void *ctx, const struct rec_choice *c)
{
	struct heard *h = ctx;
	const struct rec_offer *chosen = NULL;

	h->choices++;
	assert_int_equal(c->port, routing_port(h->x->r, c->sw, c->lid));
	for (unsigned i = 0; i < c->n_offers; i++)
		if (c->offer[i].port == c->port)
			chosen = &c->offer[i];
	if (!c->n_offers) {
		assert_true(!strcmp(c->rule, "own port") || !strcmp(c->rule, "attached here"));
		return;
	}
	assert_non_null(chosen);
	for (unsigned i = 0; i < c->n_offers; i++) {
		const struct rec_offer *o = &c->offer[i];
		bool equal = o != chosen && o->q[0] == chosen->q[0];

		/* without a distance: the neighbour's way leads over the switch itself */
		assert_true(o->q[0] >= chosen->q[0] || (o != chosen && o->q[0] == INT64_MIN));
		if (equal)
			assert_true(o->q[3] >= chosen->q[3]);
		if (equal && !strcmp(c->rule, "least distance"))
			fail_msg("another way is as near");
	}
}

static void test_choices(void **state)
{
	AUTO_RUN struct run x;
	struct heard h = {.x = &x};
	struct rec_ask o = {.tell = listen, .ctx = &h, .sw = NO_ID};
	struct engine_output out = {0};

	run_new(&x, make_fabric("torus:4x3,parallel=2,hosts=2,shuffle=1,seed=2"), 0);
	const struct dfsssp *d = run_route(&x, &engine_dfsssp);
	assert_non_null(d);
	x.in.ask = &o;
	routing_unref(engine_dfsssp.route(&x.in, &out));
	assert_int_equal(h.choices, d->graph->n * d->graph->lids);
	/* one entry only */
	h = (struct heard){.x = &x};
	o.sw = 3;
	o.lid = 7;
	routing_unref(engine_sssp.route(&x.in, &out));
	assert_int_equal(h.choices, 1);
	notes_free(&out.notes);
}

/* --- refusals ---------------------------------------------------------------------------------- */

/* OperVLs codes as a sweep reads them: 1 at each port. */
static uint8_t *one_vl(struct run *x)
{
	uint8_t *code = NEW_ARRAY(x->f->n_ports, uint8_t);

	memset(code, 1, x->f->n_ports);
	x->in.opervls = code;
	return code;
}

/* Too few VLs; what was counted stays for the next engine. */
static void test_few_vls(void **state)
{
	static const char *const row[] = {"0223312233", "2033221332", "2203322133", "3220332213",
					  "3322033221"};
	AUTO_RUN struct run x;

	run_new(&x, make_ring(), 0);
	assert_non_null(run_route(&x, &engine_dfsssp));
	AUTO_FREE uint8_t *code = one_vl(&x);
	for (unsigned times = 1; times <= 2; times++) {
		assert_null(run_route(&x, &engine_dfsssp));
		assert_non_null(strstr(x.out.refused.msg, "AD25"));
		assert_null(x.out.fatal);
		for (uint32_t s = 0; s < 5; s++)
			for (unsigned p = 1; p <= 3; p++) {
				unsigned n = 0;

				for (unsigned lid = 6; lid <= 10; lid++)
					n += row[s][lid - 1] - '0' == (int)p;
				assert_int_equal(x.left.count[switch_port_id(x.f, s, p)], n * times);
			}
	}
	assert_null(x.left.hops);
	assert_non_null(run_route(&x, &engine_sssp));
}

static void test_switches_counted(void **state)
{
	AUTO_RUN struct run x;

	run_new(&x, make_ring(), 0);
	AUTO_FREE uint8_t *code = one_vl(&x);
	run_set(&x, "port_profile_switch_nodes", "TRUE");
	assert_null(run_route(&x, &engine_dfsssp));
	assert_int_equal(x.left.count[switch_port_id(x.f, 0, 1)], 1);
	assert_int_equal(x.left.count[switch_port_id(x.f, 0, 2)], 4);
	assert_int_equal(x.left.count[switch_port_id(x.f, 0, 3)], 4);
}

/* Distances beyond 2^31: the search from the middle passes, and later ones lose entries. */
static void test_far(void **state)
{
	struct fabric_builder *b = fb_new();
	struct fabric *f;
	struct err e;
	AUTO_RUN struct run x;
	unsigned missing = 0;

	for (unsigned i = 0; i < 40; i++) {
		fb_add(b, NODE_SWITCH, 0x1000 + i, 8, "");
		if (i)
			assert_true(fb_link(b, i - 1, 2, i, 1));
	}
	for (unsigned i = 0; i < 120; i++) {
		uint32_t ca = fb_add(b, NODE_CA, 0x100000 + 16 * i, 1, "");

		assert_true(fb_link(b, ca, 1, i / 3, 3 + i % 3));
	}
	b->sm_node = 40 + 60; /* in the middle */
	if (fb_finish(b, "test", "synthetic", &f, &e))
		fail_msg("%s", e.msg);
	run_new(&x, f, 6);
	assert_null(run_route(&x, &engine_dfsssp));
	assert_non_null(strstr(x.out.refused.msg, "AD14"));
	assert_non_null(x.left.count);
	assert_non_null(run_route(&x, &engine_sssp));
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned lid = 1; lid <= x.l->max_lid; lid++)
			missing += lid_owner(x.l, lid) != NO_ID && routing_port(x.r, s, lid) == NO_PATH;
	assert_true(missing > 0);
}

static void test_far_from_manager(void **state)
{
	AUTO_FABRIC struct fabric *f = make_fabric("mesh:40,hosts=3");
	struct fabric *end = fabric_variant(f, f->port_endport[f->switch_port[0]], false);
	AUTO_RUN struct run x;

	run_new(&x, end, 6);
	if (run_route(&x, &engine_sssp))
		fail_msg("a line of 40 switches with 7720 LIDs must be too long");
	assert_non_null(strstr(x.out.refused.msg, "AD0C"));
	assert_null(x.left.count);
}

/* Compute nodes first, then I/O nodes; a port in both files is a compute node. */
static void test_guid_files(void **state)
{
	AUTO_TEMP char *cn = temp_file("# compute\n0x0002c90300b00031\n0x0002c90300b00021 b\n");
	AUTO_TEMP char *io = temp_file("0x0002c90300b00041\n0x0002c90300b00021\n");
	AUTO_TEMP char *bad = temp_file("0x12\nrubbish\n");
	static const uint16_t want[] = {8, 9, 10, 6, 7, 1, 2, 3, 4, 5};
	AUTO_RUN struct run x;
	uint32_t n;

	run_new(&x, make_ring(), 0);
	run_set(&x, "cn_guid_file", cn);
	run_set(&x, "io_guid_file", io);
	assert_non_null(run_route(&x, &engine_sssp));
	AUTO_FREE uint16_t *lids = dfsssp_destinations(x.r, &n);
	assert_int_equal(n, 10);
	assert_memory_equal(lids, want, sizeof(want));
	assert_non_null(
		strstr(text_str(&x.out.notes.text), "1 port is named by cn_guid_file and io_guid_file both"));
	run_set(&x, "io_guid_file", bad);
	assert_null(run_route(&x, &engine_dfsssp));
	assert_non_null(strstr(x.out.refused.msg, "AD35"));
	run_set(&x, "cn_guid_file", bad);
	assert_null(run_route(&x, &engine_dfsssp));
	assert_non_null(strstr(x.out.refused.msg, "AD33"));
	assert_null(x.left.count);
	run_set(&x, "rules", "manual"); /* by the manual an invalid line is only ignored */
	assert_non_null(run_route(&x, &engine_dfsssp));
}

/* A ring is a line without its throttled cable. */
static void test_throttled(void **state)
{
	struct fabric *f = make_ring();
	uint32_t a = switch_port_id(f, 0, 2), b = f->port_peer[a];
	AUTO_RUN struct run x;

	for (uint32_t p = 0; p < f->n_ports; p++) {
		f->port_speed[p] = SPEED_FDR;
		f->port_width[p] = WIDTH_4X;
		f->port_speeds[p] = SPEED_BITS(7, 1, 1);
		f->port_widths[p] = 3;
	}
	assert_false(link_throttled(f, a));
	f->port_width[a] = f->port_width[b] = WIDTH_1X;
	assert_true(link_throttled(f, a));
	run_new(&x, f, 0);
	const struct dfsssp *d = run_route(&x, &engine_dfsssp);
	assert_int_equal(d->graph->throttled, 0);
	run_set(&x, "avoid_throttled_links", "TRUE");
	d = run_route(&x, &engine_dfsssp);
	assert_int_equal(d->graph->throttled, 1);
	assert_int_equal(d->graph->n_edges, 8);
	assert_int_equal(d->layers->need, 1);
	assert_int_equal(routing_port(x.r, 0, 2), 3);
	/* no way left to switch 1 */
	f->port_speed[switch_port_id(f, 0, 3)] = SPEED_QDR;
	assert_null(run_route(&x, &engine_dfsssp));
	assert_non_null(strstr(x.out.refused.msg, "avoid_throttled_links leaves no way"));
}

static void test_cancel(void **state)
{
	struct progress p = {0};
	AUTO_RUN struct run x;

	run_new(&x, make_fabric("torus:5x5"), 0);
	x.in.progress = &p;
	atomic_store(&p.cancel, true);
	assert_null(run_route(&x, &engine_sssp));
	assert_string_equal(x.out.refused.msg, CANCELLED);
	assert_null(run_route(&x, &engine_dfsssp));
	assert_string_equal(x.out.refused.msg, CANCELLED);
	assert_null(x.left.count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_ring_sls),
		cmocka_unit_test(test_cube),
		cmocka_unit_test(test_no_loops),
		cmocka_unit_test(test_grouped_dependencies),
		cmocka_unit_test(test_same_tables),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_few_vls),
		cmocka_unit_test(test_switches_counted),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_far_from_manager),
		cmocka_unit_test(test_guid_files),
		cmocka_unit_test(test_throttled),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
