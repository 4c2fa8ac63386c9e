/*
 * Recordings of lash and ftree: who holds every edge of a cycle, at every step; what a pair, the mesh
 * analysis and a tree are told by; figures of small fabrics.
 */
#include "core/base/rng.h"
#include "core/session/session.h"
#include "core/trace/walk.h"
#include "engines/ftree/ftree.h"
#include "engines/lash/lash.h"
#include "tests/unit/fixture.h"

/* A walk over a new recording of the engine in force, of all. */
static struct walk *walk_of(struct session *s)
{
	AUTO_RECORDING const struct recording *r = recorded(s, NULL, REC_EVERYTHING);

	return walk_new(r);
}

/* The first step from `from` on of a kind, 0: none. */
static size_t next_of(const struct recording *r, enum rec_kind kind, size_t from)
{
	for (size_t i = from; i <= recording_steps(r); i++)
		if (recording_event(r, i)->kind == kind)
			return i;
	return 0;
}

static size_t count_of(const struct recording *r, enum rec_kind kind)
{
	size_t n = 0;

	for (size_t i = 1; i <= recording_steps(r); i++)
		n += recording_event(r, i)->kind == kind;
	return n;
}

static void says_at(struct walk *w, size_t step, const char *words)
{
	AUTO_TEXT struct text t = {0};

	assert_true(step > 0);
	walk_to(w, step, NULL);
	walk_sentence(w, &t);
	if (!strstr(text_str(&t), words))
		fail_msg("step %zu: \"%s\" is not in: %s", step, words, text_str(&t));
}

/* --- lash: figures ------------------------------------------------------------------------- */

static void test_ring(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:5; route lash");
	AUTO_WALK struct walk *w = walk_of(s);
	const struct recording *r = walk_recording(w);
	size_t refuse = next_of(r, REC_REFUSE, 1), accept = next_of(r, REC_ACCEPT, 1);
	const uint32_t *word;

	assert_int_equal(recording_cycle(r, refuse, &word), 5);
	says_at(w, refuse,
		"ring2 - ring4: not in layer 0: it would close the cycle ring3 -> ring4 -> ring0 -> ring1 -> "
		"ring2 "
		"-> ring3; ring3-ring4-ring0 held by ring0 - ring3, ring4-ring0-ring1 by ring1 - ring4, "
		"ring0-ring1-ring2 by ring0 - ring2, ring1-ring2-ring3 by ring1 - ring3, ring2-ring3-ring4 "
		"is new");
	says_at(w, refuse - 1, "ring2 - ring4 at layer 0: brings 2 dependencies, 2 of them new");
	says_at(w, refuse + 1, "ring2 - ring4: opens layer 1");
	says_at(w, refuse + 2, "put in layer 1: adds ring2-ring3-ring4 and ring4-ring3-ring2");
	says_at(w, accept, "ring0 - ring1: put in layer 0: one cable each way, so no dependency");
	says_at(w, next_of(r, REC_TURN, 1), "moved from layer 0 to layer 1: 16 and 4 pairs now");
	assert_int_equal(count_of(r, REC_REFUSE), 1);
}

static void test_torus(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:8x8; route lash");
	AUTO_WALK struct walk *w = walk_of(s);
	const struct recording *r = walk_recording(w);

	assert_int_equal(count_of(r, REC_ACCEPT), 2016);
	assert_int_equal(count_of(r, REC_REFUSE), 1451);
	assert_int_equal(count_of(r, REC_TURN), 2222);
	print_message("torus:8x8: %zu steps, %zu bytes, %zu tries\n", recording_steps(r), recording_bytes(r),
		      count_of(r, REC_TRY));
}

/* --- lash: who holds what ---------------------------------------------------------------------- */

struct holding {
	struct walk *w;
	const struct routing *run;
	uint32_t *ports;
	uint32_t n_switches;
};

/* Does a route between the pair, one way or the other, send by one port and then by the other? */
static bool has_dependency(const struct holding *h, uint32_t pair, uint32_t from, uint32_t to)
{
	const struct lash_plan *p = lash_of(h->run)->plan;
	const struct fabric *f = h->run->topo->fabric;
	uint32_t a = p->graph->id[pair / h->n_switches], b = p->graph->id[pair % h->n_switches];

	for (int k = 0; k < 2; k++) {
		unsigned n = lash_route(p, k ? a : b, k ? b : a, h->ports);

		for (unsigned i = 0; i + 1 < n; i++)
			if (lash_channel_port(p->graph, f, h->ports[i]) == from &&
			    lash_channel_port(p->graph, f, h->ports[i + 1]) == to)
				return true;
	}
	return false;
}

static unsigned layer_now(const struct holding *h, uint32_t pair)
{
	const struct lash_graph *g = lash_of(h->run)->plan->graph;

	return walk_value(h->w, T_LAYER, g->id[pair / h->n_switches] * g->n + g->id[pair % h->n_switches]);
}

/* Every edge of the cycle of a step is held by a pair that is in the layer, or is the pair's own. */
static unsigned check_cycle(const struct holding *h, size_t step, const char *what)
{
	const struct rec_event *ev = recording_event(walk_recording(h->w), step);
	const uint32_t *word;
	uint32_t n = recording_cycle(walk_recording(h->w), step, &word), own = 0;

	walk_to(h->w, step, NULL);
	if (n < 2)
		fail_msg("%s: step %zu: a cycle of %u", what, step, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t holder = word[2 * i + 1], next = word[2 * ((i + 1) % n)];

		if (holder == NO_ID)
			fail_msg("%s: step %zu: nobody holds edge %u", what, step, i);
		if (!has_dependency(h, holder, word[2 * i], next))
			fail_msg("%s: step %zu: the pair said to hold edge %u does not", what, step, i);
		own += holder == ev->a;
		if (holder != ev->a && layer_now(h, holder) != ev->b)
			fail_msg("%s: step %zu: who holds edge %u is in layer %u, not %u", what, step, i,
				 layer_now(h, holder), ev->b);
	}
	if (!own)
		fail_msg("%s: step %zu: the pair itself adds nothing to the cycle", what, step);
	return 1;
}

/* The dependencies of the pairs in each layer are there, and no others, each with a pair that has it. */
static void check_layers(const struct holding *h, const char *what)
{
	const struct recording *r = walk_recording(h->w);
	const struct lash_plan *p = lash_of(h->run)->plan;
	const struct lash_graph *g = p->graph;
	AUTO_FREE struct dependency *deps = NEW_ARRAY(2 * (size_t)g->n, struct dependency);
	AUTO_FREE uint32_t *at = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	AUTO_FREE uint8_t *there = NEW_ARRAY(recording_cells(r, T_DEP), uint8_t);

	for (uint32_t c = 0; c < g->n_channels; c++)
		at[c + 1] = at[c] + lash_degree(g, g->to[c]);
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t d = s + 1; d < g->n; d++) {
			unsigned layer = walk_value(h->w, T_LAYER, s * g->n + d);

			if (layer == LASH_NO_LAYER)
				continue;
			for (unsigned i = lash_pair_dependencies(p, s, d, deps); i--;)
				there[(size_t)layer * at[g->n_channels] + at[deps[i].from] +
				      (deps[i].to - g->base[g->to[deps[i].from]])] = 1;
		}
	for (uint32_t c = 0; c < g->n_channels; c++)
		for (uint32_t i = at[c]; i < at[c + 1]; i++)
			for (size_t k = i; k < recording_cells(r, T_DEP); k += at[g->n_channels]) {
				uint32_t holder = walk_value(h->w, T_DEP, (uint32_t)k);

				if (there[k] != (holder != NO_ID))
					fail_msg("%s: step %zu: dependency %zu is %s", what, walk_step(h->w),
						 k, there[k] ? "not there" : "there still");
				if (holder == NO_ID)
					continue;
				if (layer_now(h, holder) != k / at[g->n_channels] ||
				    !has_dependency(h, holder, lash_channel_port(g, h->run->topo->fabric, c),
						    lash_channel_port(g, h->run->topo->fabric,
								      g->base[g->to[c]] + i - at[c])))
					fail_msg("%s: step %zu: wrong holder of dependency %zu", what,
						 walk_step(h->w), k);
			}
}

/* Edges that nobody holds may only be where a layer gave pairs away and then received some. */
static bool gives_back(const struct session *s)
{
	return strstr(session_sweep(s)->notes, "gives pairs back") != NULL;
}

static void test_holders(void **state)
{
	static const char *const shapes[] = {
		"ring:7",      "torus:5x5", "torus:4x4x3",     "random:14,4,hosts=1", "xgft:3,3,3:1,2,2",
		"hypercube:5", "torus:6x5", "dragonfly:3,1,1", "random:20,3",	      "random:12,5,hosts=1"};
	uint64_t seed = test_seed();
	unsigned cycles = 0, turns = 0;

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		AUTO_FREE char *line =
			str_printf("synth %s; fail random %u seed=%u; route lash do_mesh_analysis=%s",
				   shapes[i], rng_below(&seed, 3) + 1, rng_below(&seed, 100000),
				   rng_below(&seed, 2) ? "TRUE" : "FALSE");

		AUTO_SESSION struct session *s = session_after("%s", line);
		if (strcmp(session_routing(s)->engine, "lash") != 0 || gives_back(s))
			continue;
		struct holding h = (struct holding){.w = walk_of(s), .run = session_routing(s)};
		h.n_switches = s->fabric->n_switches;
		h.ports = NEW_ARRAY(h.n_switches + 1, uint32_t);
		size_t n = recording_steps(walk_recording(h.w));
		for (size_t k = 1; k <= n; k++) {
			const struct rec_event *ev = recording_event(walk_recording(h.w), k);

			if (ev->kind == REC_REFUSE)
				cycles += check_cycle(&h, k, line);
			else if (ev->kind == REC_TURN && ev->rule)
				turns += check_cycle(&h, k, line);
		}
		for (int k = 0; k < 8; k++) {
			walk_to(h.w, k ? rng_below(&seed, (uint32_t)n + 1) : n, NULL);
			check_layers(&h, line);
		}
		free(h.ports);
		walk_free(h.w);
	}
	print_message("%u refusals, %u refused moves\n", cycles, turns);
	assert_true(cycles > 20 && turns > 20);
}

/* --- lash: one pair -------------------------------------------------------------------------------- */

/* Its whole decision and nothing else, of a run that is too long to keep what is in focus only. */
static void test_pair(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:8,8,8:1,8,8; route lash");
	struct rec_focus focus = REC_EVERYTHING;
	const struct recording *r = recorded(s, NULL, focus), *one;
	size_t refuse = next_of(r, REC_REFUSE, 1), from = 0, seen[REC_KINDS] = {0};
	uint32_t n = s->fabric->n_switches, pair = recording_event(r, refuse)->a;

	assert_int_equal(count_of(r, REC_TRY), 0);
	assert_true(recording_bytes(r) > (size_t)4 << 20);
	focus.pair_a = pair % n; /* either way round */
	focus.pair_b = pair / n;
	one = recorded(s, NULL, focus);
	for (size_t i = 1; i <= recording_steps(one); i++) {
		const struct rec_event *ev = recording_event(one, i);

		if (!recording_in_focus(one, i) || rec_kinds[ev->kind].a != FIELD_PAIR)
			continue;
		assert_true(ev->a == pair || ev->a == pair % n * n + pair / n);
		seen[ev->kind]++;
		from = from ? from : i;
	}
	assert_int_equal(recording_event(one, from)->kind, REC_TRY);
	assert_int_equal(seen[REC_TRY], count_of(one, REC_TRY));
	assert_true(seen[REC_TRY] >= seen[REC_REFUSE] && seen[REC_REFUSE] > 0);
	assert_int_equal(seen[REC_ACCEPT], 1);
	recording_unref(one);
	recording_unref(r);
}

/* --- lash: mesh analysis ---------------------------------------------------------------------------- */

static void test_cube(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4; route lash do_mesh_analysis=TRUE");
	AUTO_WALK struct walk *w = walk_of(s);
	const struct recording *r = walk_recording(w);
	struct rec_condition c = REC_ANY;

	assert_int_equal(count_of(r, REC_MEASURE), 16);
	says_at(w, next_of(r, REC_MEASURE, 1),
		"t00: 4 neighbours, neighbourhood 2 x 2 x 2 x 2; without it they are 2 hops apart");
	says_at(w, next_of(r, REC_CLASS, 1), "t00: the first of its kind");
	assert_int_equal(count_of(r, REC_AXIS), 64);
	says_at(w, next_of(r, REC_AXIS, 1), "t00 port 2 to t10: +x");
	assert_int_equal(count_of(r, REC_COORD), 16);
	says_at(w, next_of(r, REC_COORD, 1), "t00: at 0,0,0,0, the seed");
	assert_int_equal(count_of(r, REC_NUMBER), 16);
	c.text = "seed";
	walk_to(w, 0, NULL);
	says_at(w, walk_find(w, &c, 1, NULL), "seed t00: 2 x 2 x 2 x 2 (torus 4 x 4 is the 4-cube");
}

static void same_mesh(const struct routing *at, const struct routing *run, const char *what)
{
	const struct lash *x = lash_of(at), *y = lash_of(run);
	const struct lash_mesh *a = x->plan->mesh, *b = y->plan->mesh;
	const struct fabric *f = run->topo->fabric;

	assert_int_equal(a->dimensions, b->dimensions);
	if (!a->none != !b->none)
		fail_msg("%s: geometry", what);
	for (unsigned d = 0; d < b->dimensions; d++)
		assert_int_equal(a->size[d], b->size[d]);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint32_t u = y->plan->graph->id[sw];

		if (u == NO_ID)
			continue;
		assert_int_equal(a->type[u], b->type[u]);
		for (unsigned d = 0; d < b->dimensions; d++)
			if (lash_coordinate(x, sw, d) != lash_coordinate(y, sw, d))
				fail_msg("%s: coordinate of %s", what, switch_name(f, sw));
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++)
			if (lash_axis_of_port(x, sw, p) != lash_axis_of_port(y, sw, p))
				fail_msg("%s: axis of %s port %u", what, switch_name(f, sw), p);
	}
}

/* Of whatever shape, the steps lead to what was found; on the way all that is not told yet is open. */
static void test_meshes(void **state)
{
	static const char *const shapes[] = {"mesh:4x3",
					     "torus:5x4",
					     "mesh:5",
					     "torus:3x3x3",
					     "random:16,4",
					     "hypercube:4",
					     "torus:4x4,parallel=2",
					     "mesh:3x3x3"};
	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		AUTO_FREE char *line =
			str_printf("synth %s; fail random %u seed=%u; route lash do_mesh_analysis=TRUE",
				   shapes[i], rng_below(&seed, 2) + 1, rng_below(&seed, 100000));

		AUTO_SESSION struct session *s = session_after("%s", line);
		if (strcmp(session_routing(s)->engine, "lash") != 0) /* OpenSM would never end */
			continue;
		AUTO_WALK struct walk *w = walk_of(s);
		size_t n = recording_steps(walk_recording(w));
		size_t axis = next_of(walk_recording(w), REC_AXIS, 1);
		walk_to(w, n - 1, NULL);
		const struct sweep *moment = walk_moment(w);
		same_mesh(moment->routing, session_routing(s), line);
		sweep_unref(moment);
		walk_to(w, axis ? axis - 1 : 1, NULL);
		moment = walk_moment(w);
		assert_int_equal(lash_of(moment->routing)->plan->mesh->dimensions, 0);
		sweep_unref(moment);
	}
}

/* --- ftree ------------------------------------------------------------------------------------------ */

/* The first step about a LID whose sentence holds some words. */
static size_t of_lid(struct walk *w, unsigned lid, const char *words)
{
	struct rec_condition c = REC_ANY;

	c.lid = (uint16_t)lid;
	c.text = words;
	walk_to(w, 0, NULL);
	return walk_find(w, &c, 1, NULL);
}

static void test_tree(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2,2:1,2,2; route ftree");
	AUTO_WALK struct walk *w = walk_of(s);
	const struct recording *r = walk_recording(w);
	char a[40], b[40];

	assert_int_equal(count_of(r, REC_RANK), 12);
	assert_int_equal(count_of(r, REC_GROUP), 12);
	assert_int_equal(count_of(r, REC_TUPLE), 12);
	assert_int_equal(count_of(r, REC_LEAF), 4);
	assert_int_equal(count_of(r, REC_PURE), 12);
	says_at(w, next_of(r, REC_RANK, 1), "core-01: rank 0, a root");
	says_at(w, next_of(r, REC_GROUP, 1),
		"leaf-01: 2 groups up (2 cables), 2 groups down (2 cables); 2 compute");
	says_at(w, next_of(r, REC_TUPLE, 1), "leaf-01: index 2.0.0");
	says_at(w, next_of(r, REC_LEAF, 1), "leaf-01: leaf 1 of 4 by index, 2 compute nodes");
	says_at(w, of_lid(w, 14, "climbs"),
		"leaf-03 climbs by port 3 to spine-03 for LID 14 (node0005): load 0 like spine-04, lower "
		"index");
	says_at(w, of_lid(w, 17, "climbs"),
		"leaf-03 climbs by port 4 to spine-04 for LID 17 (node0006): load 0, least of 2 parents");
	says_at(w, of_lid(w, 14, "spine-01 LID"),
		"spine-01 LID 14 (node0005) -> port 3: learned from core-01, 3 hops (ftree counts 4)");
	says_at(w, of_lid(w, 14, "spine-01 is offered"),
		"spine-01 is offered port 4 from core-03 for LID 14 (node0005): learned, 3 hops (ftree "
		"counts 4); no "
		"shorter than by port 3");
	/* indexes come one by one */
	walk_to(w, next_of(r, REC_TUPLE, 1), NULL);
	const struct sweep *moment = walk_moment(w);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		assert_string_equal(ftree_tuple(ftree_of(moment->routing), sw, a, sizeof(a)),
				    strcmp(switch_name(s->fabric, sw), "leaf-01") ? "-" : "2.0.0");
	sweep_unref(moment);
	walk_to(w, recording_steps(r) - 1, NULL);
	moment = walk_moment(w);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		assert_string_equal(ftree_tuple(ftree_of(moment->routing), sw, a, sizeof(a)),
				    ftree_tuple(ftree_of(session_routing(s)), sw, b, sizeof(b)));
	sweep_unref(moment);
}

/* Up to the refusal, whose rule the last comparison shows. */
static void test_refused_tree(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth xgft:2,2,2:1,2,2; fail link leaf-01[3]; route ftree");
	AUTO_RECORDING const struct recording *r = recorded(s, "ftree", REC_EVERYTHING);
	AUTO_WALK struct walk *w = walk_new(r);
	size_t n = recording_steps(r);

	assert_non_null(recording_refusal(r));
	says_at(w, n - 1, "leaf-02: 2 groups up of 1 cable; not like leaf-01: 1 group up of 1 cable");
	assert_string_equal(recording_rule(r, recording_event(r, n - 1)), "not alike");
	says_at(w, n, "(AB09): leaf-01 has 1 up links, its siblings (leaf-02) 2");
	ok_line(s, "step start ftree");
	line_says(s, "step until refused", "AB09");
}

/* Every main climb goes by a group with as few as any. */
static void test_climbs(void **state)
{
	static const char *const shapes[] = {"xgft:4,4,4:1,4,4", "xgft:3,5:1,3,parallel=2",
					     "xgft:3,3,3:1,2,3"};
	unsigned climbs = 0;

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		AUTO_SESSION struct session *s = session_after("synth %s; route ftree", shapes[i]);
		AUTO_WALK struct walk *w = walk_of(s);
		const struct recording *r = walk_recording(w);
		const struct ftree *t = ftree_of(session_routing(s));

		assert_non_null(t);
		for (size_t k = 1; k <= recording_steps(r); k++) {
			const struct rec_event *ev = recording_event(r, k);
			uint32_t taken = NO_ID, least = NO_ID;

			if (ev->kind != REC_CLIMB)
				continue;
			walk_to(w, k - 1, NULL);
			const struct ft_switch *x = &t->sw[ev->a];
			for (uint32_t g = x->slot[FT_UP]; g < x->slot[FT_UP] + x->n[FT_UP]; g++) {
				const struct ft_group *up = &t->group[t->slot[g].group];
				uint32_t load = walk_value(w, T_DOWN, t->n_links + t->slot[g].group);

				least = load < least ? load : least;
				for (uint32_t l = up->link; l < up->link + up->n_links; l++)
					taken = t->link[l].port == ev->port ? load : taken;
			}
			assert_int_equal(taken, least);
			climbs++;
		}
	}
	assert_true(climbs > 100);
}

/* Offers that are not taken: of a long run those in focus, and none without. */
static void test_offers(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:8,8,8:1,8,8; route ftree");
	struct rec_focus focus = REC_EVERYTHING;
	const struct recording *r = recorded(s, NULL, focus);

	assert_int_equal(count_of(r, REC_OFFER), 0);
	recording_unref(r);
	for (uint32_t ep = 0; ep < s->fabric->n_endports; ep++) /* the last host */
		if (!endport_is_switch(s->fabric, ep))
			focus.lid = session_sweep(s)->lids->base[ep];
	r = recorded(s, NULL, focus);
	size_t offers = count_of(r, REC_OFFER);
	assert_true(offers > 100);
	for (size_t i = next_of(r, REC_OFFER, 1); i; i = next_of(r, REC_OFFER, i + 1))
		assert_int_equal(recording_event(r, i)->b, focus.lid);
	recording_unref(r);
	focus.sw = 0;
	r = recorded(s, NULL, focus);
	assert_true(count_of(r, REC_OFFER) > 0 && count_of(r, REC_OFFER) < offers);
	recording_unref(r);
}

/* --- where steps are told of ------------------------------------------------------------------------- */

/* Has engines/doc/FILE a section of that number?  source: "lash.md 9.1; ..." */
static bool has_section(const char *source)
{
	char file[64], number[16], path[128], line[400];
	bool found = false;

	if (sscanf(source, "%63[a-z0-9-].md %15[0-9.]", file, number) != 2)
		return !strncmp(source, "opensm(8)", 9);
	snprintf(path, sizeof(path), "engines/doc/%s.md", file);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		char *at = line + strspn(line, "#");
		size_t n;

		if (at == line || *at != ' ')
			continue;
		n = strspn(++at, "0123456789.");
		while (n && at[n - 1] == '.')
			n--;
		found = n == strlen(number) && !strncmp(at, number, n);
	}
	fclose(f);
	return found;
}

static void check_sources(const struct recording *r)
{
	for (size_t i = 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);
		const char *source = recording_source(r, ev);

		if (rec_kinds[ev->kind].a == FIELD_TEXT || ev->kind == REC_DONE)
			continue;
		if (!*source)
			fail_msg("%s: nothing says where %s is told of", recording_engine(r),
				 rec_kinds[ev->kind].name);
		if (!has_section(source))
			fail_msg("%s: no such section: %s", recording_engine(r), source);
	}
}

static void test_sources(void **state)
{
	static const char *const lines[] = {
		"synth xgft:2,2,2:1,2,2; route minhop; route minhop scatter_ports=3",
		"synth xgft:2,2,2:1,2,2; route minhop lmc=1 port_shifting=TRUE",
		"synth torus:4x4; route dor lmc=1",
		"synth xgft:2,2,2:1,2,2; route updn connect_roots=TRUE",
		"synth torus:4x4; route dnup connect_roots=TRUE",
		"synth torus:4x4; route lash do_mesh_analysis=TRUE",
		"synth torus:5x5; route lash",
		"synth xgft:2,2,2:1,2,2; route ftree connect_roots=TRUE",
		"synth director:2,2,1,2; route mincontention",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTO_SESSION struct session *s = session_after("%s", lines[i]);
		AUTO_RECORDING const struct recording *r = recorded(s, NULL, REC_EVERYTHING);

		check_sources(r);
	}
	assert_false(has_section("lash.md"
				 " 99"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),	cmocka_unit_test(test_torus),
		cmocka_unit_test(test_holders), cmocka_unit_test(test_pair),
		cmocka_unit_test(test_cube),	cmocka_unit_test(test_meshes),
		cmocka_unit_test(test_tree),	cmocka_unit_test(test_refused_tree),
		cmocka_unit_test(test_climbs),	cmocka_unit_test(test_offers),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
