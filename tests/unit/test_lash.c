/* LASH: routes, layers, balancing, mesh analysis, against plain models and known vectors. */
#include "core/base/cursor.h"
#include "core/base/rng.h"
#include "engine_run.h"

#include "core/analysis/credit/cdg.h"
#include "core/sm/engine.h"
#include "engines/lash/lash.h"

extern const struct engine engine_lash;

static void run_new(struct run *x, struct fabric *f)
{
	run_start(x, f, &engine_lash, (struct lid_options){0});
}

static const struct lash *run_route(struct run *x)
{
	return run_engine(x, &engine_lash) ? lash_of(x->r) : NULL;
}

/* Switches 0 .. n-1 in OpenSM's order, ports numbered as the links come; a host runs the SM on switch 0. */
static struct fabric *linked(unsigned n, const uint8_t (*link)[2], unsigned n_links)
{
	struct fabric_builder *b = fb_new();
	unsigned next[64] = {0};

	for (unsigned i = 0; i < n; i++)
		fb_add(b, NODE_SWITCH, (uint64_t)(i + 1) << 56, 8, "");
	for (unsigned i = 0; i < n_links; i++)
		assert_true(fb_link(b, link[i][0], ++next[link[i][0]], link[i][1], ++next[link[i][1]]));
	return built(b);
}

/* --- vectors of the specification ----------------------------------------------------------- */

/* Link lists 0:[1,5] 1:[0,2] 2:[1,3] 3:[2,4] 4:[3,5] 5:[4,0]. */
static const uint8_t ring6[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}};

static void test_ring(void **state)
{
	static const char next[6][6] = {"-11155", "0-2200", "11-331", "222-44", "5333-5", "00444-"};
	static const char layer[6][6] = {"-00000", "0-1101", "01-111", "011-01", "0010-0", "01110-"};
	AUTO_BY(run_free) struct run x;

	run_new(&x, linked(6, ring6, 6));
	const struct lash *l = run_route(&x);
	assert_non_null(l);
	assert_int_equal(l->plan->need, 2);
	assert_int_equal(l->plan->count[0], 26);
	assert_int_equal(l->plan->count[1], 4);
	assert_int_equal(l->count[0], 16);
	assert_int_equal(l->count[1], 14);
	assert_int_equal(x.random, 14);
	for (uint32_t s = 0; s < 6; s++) {
		for (uint32_t d = 0; d < 6; d++) {
			const struct lash_graph *g = l->plan->graph;
			uint32_t channel[8];

			if (s == d)
				continue;
			assert_int_not_equal(lash_route(l->plan, g->id[s], g->id[d], channel), 0);
			assert_int_equal(g->sw[g->to[channel[0]]], next[s][d] - '0');
			assert_int_equal(lash_layer_of(l, s, d), layer[s][d] - '0');
			assert_int_equal(routing_sl(x.r, x.l->base[s], x.l->base[d]).lo, layer[s][d] - '0');
		}
	}
}

static const uint8_t endless[][2] = {{2, 13}, {5, 15}, {8, 4},	{16, 14}, {15, 11}, {6, 0},
				     {10, 2}, {4, 12}, {11, 9}, {9, 8},	  {0, 16},  {1, 5},
				     {13, 3}, {7, 4},  {3, 6},	{12, 1},  {13, 7},  {14, 10}};

/* Balancing that never ends with some random numbers. */
static void test_endless_balancing(void **state)
{
	AUTO_BY(run_free) struct run x;

	run_new(&x, linked(17, endless, ARRAY_LEN(endless)));
	assert_null(run_route(&x));
	assert_non_null(strstr(x.out.refused.msg, "would hang"));
	assert_int_equal(x.random, 0);
	run_set(&x, "scatter_ports", "2");
	assert_null(run_route(&x));
	run_set(&x, "scatter_ports", "3");
	const struct lash *l = run_route(&x);
	assert_non_null(l);
	assert_int_equal(l->plan->count[0], 250);
	assert_int_equal(l->plan->count[1], 22);
	assert_int_equal(l->count[0], 138);
	assert_int_equal(l->count[1], 134);
	assert_int_equal(x.random, 0); /* a generator seeded for each sweep leaves no trace */
}

static void test_random_numbers(void **state)
{
	static const uint32_t seeds[] = {0, 1, 5, 12345, 0x7fffffff, 0x80000000, 0xffffffff};

	for (unsigned i = 0; i < ARRAY_LEN(seeds); i++) {
		struct glibc_random g, h;

		glibc_random_seed(&g, seeds[i]);
		glibc_random_seed(&h, seeds[i]);
		glibc_random_skip(&h, 1000);
		srandom(seeds[i]);
		for (unsigned k = 0; k < 2000; k++) {
			uint32_t want = random();

			assert_int_equal(glibc_random_next(&g), want);
			if (k >= 1000)
				assert_int_equal(glibc_random_next(&h), want);
		}
	}
}

/* --- shapes ------------------------------------------------------------------------------------- */

static void expect_poly(const struct mesh_shape *s, const int32_t *want, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(s->poly[i], want[i]);
}

static void test_shapes(void **state)
{
	static const unsigned per_dimension[] = {4, 10 + 1, 20, 30, 20, 10, 4, 1};
	struct mesh_shape s[MESH_TYPES];
	unsigned count[MESH_DIMENSIONS] = {0};

	mesh_shapes(s);
	for (unsigned i = 0; i < MESH_TYPES; i++) {
		count[s[i].dimensions - 1]++;
		for (unsigned k = i + 1; k < MESH_TYPES; k++)
			assert_true(s[i].degree != s[k].degree ||
				    memcmp(s[i].poly, s[k].poly, s[i].degree * sizeof(int32_t)));
	}
	for (unsigned d = 0; d < MESH_DIMENSIONS; d++)
		assert_int_equal(count[d], per_dimension[d]);
	expect_poly(&s[0], (int32_t[]){0, -1}, 2);
	expect_poly(&s[3], (int32_t[]){-36, 0, 1}, 3);
	expect_poly(&s[4], (int32_t[]){-4, 0, 1}, 3);
	expect_poly(&s[11], (int32_t[]){-63, -96, -34, 0, 1}, 5);
	expect_poly(&s[12], (int32_t[]){-48, -112, -41, 0, 1}, 5);
	expect_poly(&s[13], (int32_t[]){0, -128, -48, 0, 1}, 5);
	expect_poly(&s[14], (int32_t[]){16, 12, 0, -1}, 4);
	expect_poly(&s[33], (int32_t[]){0, 0, -768, -512, -96, 0, 1}, 7);
	expect_poly(&s[35], (int32_t[]){80, 180, 136, 37, 0, -1}, 6);
}

static void test_chain_switch(void **state)
{
	int32_t m[MESH_LINKS * MESH_LINKS] = {0}, poly[MESH_LINKS + 1];

	m[1] = m[MESH_LINKS] = MESH_FAR;
	mesh_polynomial(m, 2, poly);
	assert_int_equal(poly[0], -1);
	assert_int_equal(poly[1], 0);
	assert_int_equal(poly[2], 1);
}

/* A torus with shuffled ports gets its dimensions, and links their axes. */
static void test_mesh(void **state)
{
	AUTO_BY(run_free) struct run x;

	run_new(&x, make_fabric("torus:5x7,shuffle=1,seed=4"));
	run_set(&x, "do_mesh_analysis", "TRUE");
	const struct lash *l = run_route(&x);
	assert_non_null(l);
	const struct lash_mesh *m = l->plan->mesh;
	assert_non_null(m);
	assert_int_equal(m->dimensions, 2);
	assert_int_equal(m->size[m->order[0]], 7);
	assert_int_equal(m->size[m->order[1]], 5);
	for (uint32_t sw = 0; sw < x.f->n_switches; sw++) {
		unsigned seen = 0;

		for (unsigned p = 1; p <= x.f->switch_nports[sw]; p++)
			seen |= 1u << lash_axis_of_port(l, sw, p);
		assert_int_equal(seen & 0x1e, 0x1e); /* +X -X +Y -Y */
		assert_int_not_equal(lash_coordinate(l, sw, 0), MESH_FAR);
	}
}

/* --- the incremental cycle test against plain search ----------------------------------------------- */

/* Is there a way from channel a to channel b in a plain matrix? */
static bool leads_to(const uint8_t *dep, uint32_t n, uint32_t a, uint32_t b, uint8_t *seen)
{
	if (a == b)
		return true;
	seen[a] = 1;
	for (uint32_t x = 0; x < n; x++)
		if (dep[a * n + x] && !seen[x] && leads_to(dep, n, x, b, seen))
			return true;
	return false;
}

static bool plain_add(uint8_t *dep, uint32_t n, const struct dependency *d, unsigned k)
{
	AUTO_FREE uint8_t *was = mem_dup(dep, (size_t)n * n), *seen = NEW_ARRAY(n, uint8_t);
	bool ok = true;

	for (unsigned i = 0; i < k && ok; i++) {
		memset(seen, 0, n);
		ok = !leads_to(dep, n, d[i].to, d[i].from, seen);
		dep[d[i].from * n + d[i].to] = 1;
	}
	if (!ok)
		memcpy(dep, was, (size_t)n * n);
	return ok;
}

static void random_bundle(const struct lash_graph *g, uint64_t *rng, struct dependency *d, unsigned k)
{
	for (unsigned i = 0; i < k; i++) {
		d[i].from = rng_below(rng, g->n_channels);
		d[i].to = g->base[g->to[d[i].from]] + rng_below(rng, lash_degree(g, g->to[d[i].from]));
		if (d[i].to == g->rev[d[i].from]) /* no turning back at once */
			d[i--].to = NO_ID;
	}
}

static void test_acyclic(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned round = 0; round < 8; round++) {
		uint64_t rng = seed + round;
		AUTO_BY(run_free) struct run x;
		struct dependency d[6];
		uint32_t *cycle, refused = 0;
		AUTO_FREE char *spec = str_printf("torus:%ux%u,shuffle=1,seed=%u", 3 + rng_below(&rng, 2),
						  3 + rng_below(&rng, 2), round + 1);

		run_new(&x, make_fabric(spec));
		struct lash_graph *g = lash_graph_new(x.t);
		struct acyclic *a = acyclic_new(g);
		cycle = NEW_ARRAY(g->n_channels, uint32_t);
		AUTO_FREE uint8_t *dep = NEW_ARRAY((size_t)g->n_channels * g->n_channels, uint8_t);
		for (unsigned i = 0; i < 400; i++) {
			unsigned k = 1 + rng_below(&rng, 6), n;

			random_bundle(g, &rng, d, k);
			n = acyclic_cycle(a, d, k, cycle);
			bool ok = acyclic_add(a, d, k);
			assert_int_equal(ok, plain_add(dep, g->n_channels, d, k));
			assert_int_equal(ok, n == 0);
			refused += !ok;
		}
		for (uint32_t c = 0; c < g->n_channels; c++)
			for (uint32_t y = g->base[g->to[c]]; y < g->base[g->to[c] + 1]; y++)
				assert_int_equal(acyclic_has(a, (struct dependency){c, y}),
						 dep[c * g->n_channels + y]);
		assert_true(refused > 0 && acyclic_count(a) > 0);
		free(cycle);
		acyclic_free(a);
		lash_graph_free(g);
	}
}

/* The same answers, from nothing and from what a graph before was in the end; 1 dependency a bundle: no
 * search. */
static void replay(struct acyclic *fresh, struct acyclic *recalled, const uint32_t *now,
		   const struct dependency (*bundle)[4], unsigned n, unsigned k)
{
	for (unsigned i = 0; i < n; i++) {
		struct dependency d[4];
		bool gone = false;

		for (unsigned j = 0; j < k; j++) {
			d[j] = (struct dependency){now[bundle[i][j].from], now[bundle[i][j].to]};
			gone |= d[j].from == NO_ID || d[j].to == NO_ID;
		}
		if (!gone)
			assert_int_equal(acyclic_add(fresh, d, k), acyclic_add(recalled, d, k));
	}
	assert_int_equal(acyclic_count(fresh), acyclic_count(recalled));
}

static void test_recall(void **state)
{
	uint64_t seed = test_seed(), fresh_searches = 0, recalled_searches = 0;

	for (unsigned round = 0; round < 12; round++) {
		struct dependency bundle[300][4];
		uint64_t rng = seed + round;
		unsigned k = 1 + round % 4;
		AUTO_BY(run_free) struct run x;
		struct acyclic *fresh;

		run_new(&x, make_fabric("torus:5x5,shuffle=1"));
		struct lash_graph *g = lash_graph_new(x.t);
		struct acyclic *a = acyclic_new(g);
		for (unsigned i = 0; i < 300; i++) {
			random_bundle(g, &rng, bundle[i], k);
			acyclic_add(a, bundle[i], k);
		}
		struct acyclic_memory *m = acyclic_remember(a);
		acyclic_free(a);
		if (round % 3) { /* else nothing changes */
			x.st->link_down[rng_below(&rng, x.f->n_links)] = 1;
			run_sweep(&x);
		}
		struct lash_graph *changed = lash_graph_new(x.t);
		AUTO_FREE uint32_t *now = NEW_ARRAY(g->n_channels, uint32_t);
		lash_graph_map(g, changed, now);
		for (uint32_t c = 0; c < g->n_channels; c++)
			if (now[c] != NO_ID) {
				assert_int_equal(changed->sw[changed->from[now[c]]], g->sw[g->from[c]]);
				assert_int_equal(changed->sw[changed->to[now[c]]], g->sw[g->to[c]]);
			}
		fresh = acyclic_new(changed);
		struct acyclic *recalled = acyclic_new(changed);
		acyclic_recall(recalled, m, now);
		replay(fresh, recalled, now, (const struct dependency(*)[4])bundle, 300, k);
		if (k == 1 && round % 3 == 0)
			assert_int_equal(acyclic_searches(recalled), 0);
		assert_true(acyclic_searches(fresh) > 0);
		fresh_searches += acyclic_searches(fresh);
		recalled_searches += acyclic_searches(recalled);
		/* What was remembered of something remembered holds as well. */
		acyclic_forget(m);
		m = acyclic_remember(recalled);
		acyclic_free(recalled);
		acyclic_free(fresh);
		fresh = acyclic_new(changed);
		recalled = acyclic_new(changed);
		for (uint32_t c = 0; c < changed->n_channels; c++)
			now[c] = c;
		acyclic_recall(recalled, m, now);
		for (unsigned i = 0; i < 300; i++) {
			random_bundle(changed, &rng, bundle[i], k);
			assert_int_equal(acyclic_add(fresh, bundle[i], k),
					 acyclic_add(recalled, bundle[i], k));
		}
		acyclic_forget(m);
		acyclic_free(fresh);
		acyclic_free(recalled);
		lash_graph_free(g);
		lash_graph_free(changed);
	}
	assert_true(recalled_searches * 2 < fresh_searches);
}

/* --- a plain model of layers and balancing (engines/doc/lash.md 8, 9) ----------------------------------- */

struct model {
	const struct lash_plan *p;
	uint32_t n, channels;
	uint8_t *dep[LASH_MAX_LAYERS];
	uint8_t *layer, *flag;
	int64_t count[LASH_MAX_LAYERS];
	unsigned need;
};

static bool model_add(struct model *m, unsigned v, uint32_t s, uint32_t d)
{
	struct dependency deps[256];

	if (!m->dep[v])
		m->dep[v] = NEW_ARRAY((size_t)m->channels * m->channels, uint8_t);
	return plain_add(m->dep[v], m->channels, deps, lash_pair_dependencies(m->p, s, d, deps));
}

static void both(uint8_t *table, const struct model *m, uint32_t s, uint32_t d, uint8_t value)
{
	table[s * m->n + d] = table[d * m->n + s] = value;
}

static void model_assign(struct model *m)
{
	m->need = 1;
	for (uint32_t s = 0; s < m->n; s++) {
		for (uint32_t d = s + 1; d < m->n; d++) {
			unsigned v = 0;

			while (!model_add(m, v, s, d))
				v++;
			m->need = v >= m->need ? v + 1 : m->need;
			both(m->layer, m, s, d, v);
			m->count[v] += 2;
		}
	}
}

static bool model_pick(const struct model *m, unsigned mx, uint32_t src, uint32_t dst, uint32_t *s,
		       uint32_t *d)
{
	for (uint32_t i = 0; i < m->n; i++) {
		for (uint32_t k = 0; k < m->n; k++) {
			*s = (src + i) % m->n;
			*d = (dst + k) % m->n;
			if (*s != *d && m->layer[*s * m->n + *d] == mx && !m->flag[*s * m->n + *d])
				return true;
		}
	}
	return false;
}

static void model_clear(struct model *m, unsigned v)
{
	for (uint32_t i = 0; i < m->n * m->n; i++)
		if (m->layer[i] == v)
			m->flag[i] = 0;
}

/* false: it would go on for ever. */
static bool model_balance(struct model *m)
{
	unsigned mx = 0, mn = m->need - 1;
	int64_t trials = m->count[0];
	bool stop = m->need < 2;

	while (!stop) {
		uint32_t src = random() % m->n, dst = random() % m->n, s, d;
		unsigned omx = mx, omn = mn;
		int least = -1;

		if (!model_pick(m, mx, src, dst, &s, &d))
			return false;
		if (model_add(m, mn, s < d ? s : d, s < d ? d : s)) {
			both(m->layer, m, s, d, mn);
			m->count[mx] -= 2;
			m->count[mn] += 2;
		} else {
			both(m->flag, m, s, d, 1);
			trials -= 2;
		}
		stop = !trials || m->count[mx] - m->count[mn] < 6;
		mx = 0;
		for (unsigned v = 0; v < m->need; v++) {
			if (m->count[v] < 9999 && (least < 0 || m->count[v] < m->count[least]))
				least = v;
			mx = m->count[v] > m->count[mx] ? v : mx;
		}
		mn = least < 0 ? mn : (unsigned)least;
		if (mn != omn) {
			trials = m->count[mx];
			model_clear(m, mx);
		}
		if (mx != omx) {
			trials = m->count[mx];
			model_clear(m, omx);
		}
	}
	return true;
}

static void compare_model(const struct run *x, const struct lash *l, unsigned seed)
{
	const struct lash_plan *p = l->plan;
	struct model m = {.p = p, .n = p->graph->n, .channels = p->graph->n_channels};

	m.layer = NEW_ARRAY((size_t)m.n * m.n, uint8_t);
	m.flag = NEW_ARRAY((size_t)m.n * m.n, uint8_t);
	model_assign(&m);
	assert_int_equal(m.need, l->plan->need);
	for (unsigned v = 0; v < m.need; v++)
		assert_int_equal(m.count[v], l->plan->count[v]);
	for (uint32_t s = 0; s < m.n; s++)
		for (uint32_t d = 0; d < m.n; d++)
			if (s != d)
				assert_int_equal(m.layer[s * m.n + d],
						 lash_first_layer_of(l, p->graph->sw[s], p->graph->sw[d]));
	srandom(seed);
	for (uint64_t i = 0; !options_uint(x->op, "scatter_ports") && i + l->draws < x->random; i++)
		random();
	assert_true(model_balance(&m));
	for (uint32_t s = 0; s < m.n; s++)
		for (uint32_t d = 0; d < m.n; d++)
			if (s != d)
				assert_int_equal(m.layer[s * m.n + d],
						 lash_layer_of(l, p->graph->sw[s], p->graph->sw[d]));
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		free(m.dep[v]);
	free(m.layer);
	free(m.flag);
}

static unsigned switch_lid(const struct run *x, uint32_t sw)
{
	return x->r->lids->base[x->f->port_endport[x->f->switch_port[sw]]];
}

/* Every pair above layer 0 has a cycle for each layer below, and none at or above its own. */
static void check_witnesses(const struct run *x, const struct lash *l)
{
	const struct lash_plan *p = l->plan;

	for (uint32_t a = 0; a < x->f->n_switches; a++) {
		for (uint32_t b = a + 1; b < x->f->n_switches; b++) {
			unsigned first = lash_first_layer_of(l, a, b);

			for (unsigned v = 0; v <= first; v++) {
				struct witness *w =
					lash_find_witness(x->r, switch_lid(x, a), switch_lid(x, b), v, NULL);

				assert_int_equal(w->n != 0, v < first);
				for (unsigned i = 0; i < w->n; i++)
					assert_int_equal(
						x->t->peer_switch[w->edge[i].port],
						x->f->node_switch
							[x->f->port_node[w->edge[(i + 1) % w->n].port]]);
				witness_free(w);
			}
		}
	}
	assert_int_equal(p->graph->n, x->f->n_switches);
}

static uint64_t count_pairs(const struct routing *r, const struct lash *l, unsigned layer)
{
	uint64_t cursor = 0, n = 0;
	struct layer_route lr;

	while (lash_ops.next_route(r, layer, &cursor, &lr)) {
		assert_int_equal(lash_layer_of(l, lr.sw, lr.sw2), layer);
		assert_int_equal(lash_layer_of(l, lr.sw2, lr.sw), layer);
		n += 2;
	}
	return n;
}

static void check_layers_acyclic(const struct routing *r, const struct lash *l)
{
	for (unsigned v = 0; v < l->plan->need; v++) {
		AUTO_ARENA struct cdg *c = cdg_new(r, v + l->vls.start, true, NULL, NULL);

		assert_int_equal(c->n_components, 0);
		assert_int_equal(count_pairs(r, l, v), l->count[v]);
	}
}

static const char *const shapes[] = {
	"torus:5x5",	"ring:7,parallel=2", "random:12,3,parallel=2",
	"mesh:4x3",	"hypercube:4",	     "dragonfly:3,1,1",
	"xgft:3,3:1,3", "hyperx:4x3",	     "torus:4x3,fail=3",
};

static void test_model(void **state)
{
	uint64_t seed = test_seed();
	unsigned refused = 0, several = 0;

	for (unsigned i = 0; i < 2 * ARRAY_LEN(shapes); i++) {
		uint64_t rng = seed + i;
		AUTO_BY(run_free) struct run x;
		const struct lash *l;
		AUTO_FREE char *spec = str_printf("%s,shuffle=1,seed=%u", shapes[i % ARRAY_LEN(shapes)],
						  1 + rng_below(&rng, 10000));

		run_new(&x, make_fabric(spec));
		x.random = rng_below(&rng, 1000);
		if (rng_below(&rng, 2))
			run_set(&x, "do_mesh_analysis", "TRUE");
		if (rng_below(&rng, 3) == 0)
			run_set(&x, "scatter_ports", "77");
		l = run_route(&x);
		refused += !l;
		if (l) {
			compare_model(&x, l, options_uint(x.op, "scatter_ports") ? 77 : 1);
			check_layers_acyclic(x.r, l);
			several += l->plan->need > 1;
		}
		if (l && i % 4 == 0)
			check_witnesses(&x, l);
	}
	print_message("%u refused, %u with several layers\n", refused, several);
	assert_true(refused < ARRAY_LEN(shapes) && several > 0);
}

/* --- update ------------------------------------------------------------------------------------------- */

static void same_result(const struct routing *a, const struct routing *b)
{
	const struct lash *l = lash_of(a), *m = lash_of(b);
	size_t n = l->plan->graph->n;

	assert_int_equal(n, m->plan->graph->n);
	assert_memory_equal(l->layer, m->layer, n * n);
	assert_memory_equal(l->plan->out, m->plan->out, n * n);
	for (uint32_t sw = 0; sw < a->topo->fabric->n_switches; sw++)
		for (unsigned lid = 0; lid <= a->lids->max_lid; lid++)
			assert_int_equal(routing_port(a, sw, lid), routing_port(b, sw, lid));
	for (unsigned s = 1; s <= a->lids->max_lid; s++)
		for (unsigned d = 1; d <= a->lids->max_lid; d++)
			assert_int_equal(routing_sl(a, s, d).lo, routing_sl(b, s, d).lo);
}

static void fail_something(struct run *x, uint64_t *rng)
{
	uint32_t node;

	if (rng_below(rng, 3) == 0) {
		x->st->link_down[rng_below(rng, x->f->n_links)] ^= 1;
		return;
	}
	do
		node = rng_below(rng, x->f->n_nodes);
	while (node_is_switch(x->f, node) || node == endport_node(x->f, x->f->sm_endport));
	x->st->node_down[node] ^= 1;
}

static void test_update(void **state)
{
	uint64_t seed = test_seed();
	uint64_t searches[2] = {0}; /* of updates and of routings from nothing */
	unsigned kept = 0;

	/* six, and more where the draws of these kept nothing that was looked for */
	for (unsigned i = 0; i < 6 || (i < 60 && (!kept || searches[0] >= searches[1])); i++) {
		uint64_t rng = seed + i, before;
		AUTO_BY(run_free) struct run x;

		run_new(&x,
			make_fabric(i % 2 ? "torus:5x4,hosts=2,shuffle=1" : "random:14,4,hosts=2,shuffle=1"));
		if (i % 3 == 0)
			run_set(&x, "do_mesh_analysis", "TRUE");
		for (unsigned step = 0; step < 6; step++) {
			struct routing *old = x.r, *u;

			fail_something(&x, &rng);
			run_sweep(&x);
			x.in.sweep = step + 1;
			x.in.previous = old;
			x.r = NULL;
			before = x.random;
			u = engine_lash.update(&x.in, &x.out);
			x.random = before;
			run_route(&x);
			assert_int_equal(!u, !x.r);
			if (u)
				same_result(u, x.r);
			if (u && old && lash_of(u)->plan->kept) {
				searches[0] += lash_of(u)->plan->searches;
				searches[1] += lash_of(x.r)->plan->searches;
			}
			kept += u && old && lash_of(u)->plan == lash_of(old)->plan;
			routing_unref(u);
			routing_unref(old);
		}
	}
	assert_true(kept > 0);
	assert_true(searches[1] > 0 && searches[0] < searches[1]);
}

/* The report for a ticket contains a text. */
static void report_says(struct session *s, const char *part)
{
	AUTO_TEMP char *path = temp_file("");
	char *text;
	size_t size;
	struct err e;

	ok_linef(s, "report %s", path);
	assert_int_equal(read_file(path, NULL, &text, &size, &e), 0);
	assert_non_null(memmem(text, size, part, strlen(part)));
	free(text);
}

/* --- refusals, steps ------------------------------------------------------------------------------------ */

/* Where OpenSM would never get further, nothing else is tried, and a new subnet manager starts the next
 * sweep. */
static void test_stop(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth mesh:5x4,fail=3,shuffle=1,seed=12");
	bool fault = false;
	struct err e;
	int rc;

	char *text = run_line(s, "route lash,updn do_mesh_analysis=TRUE", &rc, &e, false, &fault);
	assert_int_equal(rc, 0);
	assert_true(fault);
	assert_non_null(strstr(text, "STOP: OpenSM 3.3.23 never ends here"));
	assert_null(strstr(text, "routed"));
	free(text);
	assert_null(session_routing(s));
	ok_line(s, "set do_mesh_analysis FALSE");
	assert_string_equal(session_routing(s)->engine, "lash");
	assert_int_equal(session_sweep(s)->number, 0);
	/* the first sweep of a subnet manager falls back; behind one that lash routed it crashes */
	ok_line(s, "route lash lash_start_vl=8 max_op_vls=1");
	assert_string_equal(session_routing(s)->engine, "minhop");
	ok_line(s, "sweep");
	assert_string_equal(session_routing(s)->engine, "minhop");
	/* OperVLs outlast the subnet manager: the next one finds one VL where two are asked for */
	ok_line(s, "route lash lash_start_vl=2");
	assert_string_equal(session_routing(s)->engine, "minhop");
	ok_line(s, "route minhop max_op_vls=5");
	ok_line(s, "route lash lash_start_vl=2 max_op_vls=1");
	assert_string_equal(session_routing(s)->engine, "lash");
	text = run_line(s, "sweep", &rc, &e, true, &fault);
	assert_non_null(strstr(text, "\"fatal\":\"crashes\""));
	free(text);
	assert_null(session_routing(s));
	report_says(s, "\n- **OpenSM 3.3.23 crashes here**\n");
}

/* The OperVLs that a sweep under max_op_vls leaves behind, as the next one reads them. */
static void program(struct run *x, uint8_t *codes, unsigned max_op_vls)
{
	opervls_program(codes, x->t, max_op_vls);
	x->in.opervls = codes;
}

static void test_refusals(void **state)
{
	AUTO_BY(run_free) struct run x;

	run_new(&x, make_fabric("torus:6x5"));
	AUTO_FREE uint8_t *codes = opervls_of_source(x.f);
	run_set(&x, "lash_start_vl", "255");
	assert_null(run_route(&x));
	run_set(&x, "lash_start_vl", "8");
	assert_null(run_route(&x));
	assert_non_null(strstr(x.out.refused.msg, "only 8 VLs"));
	run_set(&x, "lash_start_vl", "7");
	assert_null(run_route(&x));
	assert_non_null(strstr(x.out.refused.msg, "the routes need more than 1 layer,"));
	run_set(&x, "lash_start_vl", "1");
	run_set(&x, "max_op_vls", "2"); /* acts from the second sweep on */
	assert_non_null(run_route(&x));
	assert_int_equal(routing_sl(x.r, x.l->base[0], x.l->base[0]).lo, 1);
	AUTO_ROUTING const struct routing *before = routing_ref(x.r);
	x.in.sweep = 1;
	program(&x, codes, 2);
	assert_null(run_route(&x));
	program(&x, codes, 1);
	assert_null(run_route(&x));
	assert_null(x.out.fatal);
	x.in.previous = before;
	assert_null(run_route(&x));
	assert_string_equal(x.out.fatal, "crashes");
	x.in.previous = NULL;
}

static void test_lmc(void **state)
{
	AUTO_SESSION struct session *s = session_after("set lmc 1; synth ring:4");

	line_says(s, "route lash", "the manual says that LMC > 0 is refused");
	line_says(s, "route lash", "lash routed");
	ok_line(s, "set rules manual");
	line_says(s, "route lash", "lash refuses this fabric: lmc is 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),	cmocka_unit_test(test_endless_balancing),
		cmocka_unit_test(test_shapes),	cmocka_unit_test(test_chain_switch),
		cmocka_unit_test(test_mesh),	cmocka_unit_test(test_random_numbers),
		cmocka_unit_test(test_acyclic), cmocka_unit_test(test_recall),
		cmocka_unit_test(test_model),	cmocka_unit_test(test_update),
		cmocka_unit_test(test_stop),	cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_lmc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
