/* Fat trees: what the engine sees, why it refuses, counters, reverse hops, shifts, explanations. */
#include "core/trace/recording.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/rng.h"
#include "engines/ftree/ftree.h"
#include "tests/unit/fixture.h"

static struct session *start(const char *spec)
{
	return make_session(line_of("synth %s", spec));
}

static uint32_t sw(const struct session *s, const char *name)
{
	struct err e;
	uint32_t n = session_node(s, name, &e);

	if (n == NO_ID)
		fail_msg("%s: %s", name, e.msg);
	return s->fabric->node_switch[n];
}

static const struct ftree *tree(const struct session *s)
{
	const struct ftree *t = ftree_of(session_routing(s));

	if (!t)
		fail_msg("ftree did not route: %s",
			 session_sweep(s)->n_refusals ? session_sweep(s)->refusal[0].why : "");
	return t;
}

/* The path of a new file with one GUID a line. */
static char *guid_file(const uint64_t *guid, unsigned n, const char *more)
{
	AUTO_TEXT struct text t = {0};

	for (unsigned i = 0; i < n; i++)
		text_add(&t, "0x%016" PRIx64 "\n", guid[i]);
	text_add(&t, "%s", more);
	return temp_file(text_str(&t));
}

static void set_file(struct session *s, const char *option, const char *path)
{
	ok_linef(s, "set %s %s", option, path);
}

/* Node GUIDs of the switches whose name begins with a word. */
static unsigned named(const struct session *s, const char *word, uint64_t *guid)
{
	const struct fabric *f = s->fabric;
	unsigned n = 0;

	for (uint32_t i = 0; i < f->n_switches; i++)
		if (!strncmp(switch_name(f, i), word, strlen(word)))
			guid[n++] = f->node_guid[f->switch_node[i]];
	return n;
}

/* The path of a file, which the session reads. */
static char *give_roots(struct session *s, const char *word)
{
	uint64_t guid[64];
	char *path = guid_file(guid, named(s, word, guid), "");

	set_file(s, "root_guid_file", path);
	return path;
}

/* --- the example of the specification, all by hand ---------------------------------------- */

static struct fabric *example(void)
{
	struct fabric_builder *b = fb_new();
	struct fabric *f = NULL;
	struct err e;
	uint32_t s[6];

	for (unsigned i = 0; i < 6; i++) {
		s[i] = fb_add(b, NODE_SWITCH, 0x0002c90300a00000ull + 0x10 * i, i < 4 ? 5 : 4, "switch");
		b->node[s[i]].port[0].lid = 1 + i;
	}
	for (unsigned i = 0; i < 12; i++) {
		uint32_t ca = fb_add(b, NODE_CA, 0x0002c90300f00000ull + 0x10 * i, 1, "host");

		b->node[ca].port[1].lid = 7 + i;
		assert_true(fb_link(b, s[i / 3], 1 + i % 3, ca, 1));
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_true(fb_link(b, s[i], 4, s[4], i + 1));
		assert_true(fb_link(b, s[i], 5, s[5], i + 1));
	}
	if (fb_finish(b, "example", "synthetic", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

static void test_example(void **state)
{
	static const uint8_t want[] = {0, 5, 5, 5, 4, 5, 1, 2, 3, 4, 5, 4, 4, 5, 4, 4, 5, 4};
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct err e;
	char a[40];

	assert_int_equal(session_set_fabric(s, example(), "example", NULL, &e), 0);
	ok_line(s, "route ftree");
	const struct ftree *t = tree(s);
	for (unsigned lid = 1; lid <= 18; lid++)
		assert_int_equal(routing_port(session_routing(s), 0, lid), want[lid - 1]);
	assert_int_equal(routing_port(session_routing(s), 4, 6), NO_PATH);
	assert_int_equal(routing_port(session_routing(s), 5, 5), NO_PATH);
	assert_int_equal(t->max_cn, 3);
	assert_int_equal(t->n_leaves, 4);
	for (uint32_t i = 0; i < 4; i++) {
		char tuple[8];

		snprintf(tuple, sizeof(tuple), "1.%u", i);
		assert_string_equal(ftree_tuple(t, i, a, sizeof(a)), tuple);
		assert_int_equal(t->sw[i].n[FT_UP], 2);
		assert_int_equal(t->sw[i].n[FT_DOWN], 3);
		/* B stands first after the sorts of phase 3: A took two of three */
		assert_int_equal(ftree_group(t, i, FT_UP, 0)->peer, 5);
		assert_int_equal(ftree_group(t, i, FT_UP, 0)->cd, 1);
		assert_int_equal(ftree_group(t, i, FT_UP, 1)->cd, 2);
	}
	assert_string_equal(ftree_tuple(t, 4, a, sizeof(a)), "0.0");
	assert_string_equal(ftree_tuple(t, 5, a, sizeof(a)), "0.1");
	ok_line(s, "set connect_roots TRUE; route ftree");
	assert_int_equal(routing_port(session_routing(s), 4, 6), 4);
}

/* --- structure ---------------------------------------------------------------------------- */

static void test_structure(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:3,4,2:1,2,3,parallel=2,shuffle=1,seed=5");
	const struct fabric *f = s->fabric;
	uint32_t cables = 0;

	ok_line(s, "route ftree");
	const struct ftree *t = tree(s);
	const struct routing *r = session_routing(s);
	assert_int_equal(t->leaf_rank, 2);
	for (uint32_t i = 0; i < f->n_switches; i++) {
		const struct ft_switch *w = &t->sw[i];
		bool leaf = !strncmp(switch_name(f, i), "leaf", 4);

		assert_int_equal(w->is_leaf, leaf);
		assert_int_equal(leaf, w->rank == 2);
		assert_int_equal(r->ops->is_root(r, i), w->n[FT_UP] == 0);
		assert_int_equal(w->tuple >> 56, w->rank);
		for (unsigned d = 0; d < FT_DIRS; d++)
			for (uint32_t k = 0; k < w->n[d]; k++) {
				const struct ft_group *g = ftree_group(t, i, d, k);

				assert_int_equal(g->sw, i);
				assert_int_equal(g->n_links, g->peer == NO_ID ? 1 : 2);
				cables += g->n_links;
				for (uint32_t l = 0; g->peer != NO_ID && l < g->n_links; l++) {
					const struct ft_link *c = &t->link[g->link + l];

					assert_int_equal(r->topo->peer[switch_port_id(f, i, c->port)],
							 switch_port_id(f, g->peer, c->remote));
					assert_int_equal(r->ops->direction(r, i, c->port),
							 d == FT_UP ? 'U' : 'D');
				}
			}
		for (uint32_t j = 0; j < i; j++)
			assert_true(t->sw[j].tuple != w->tuple);
	}
	assert_int_equal(cables, 2 * f->n_links - f->n_endports + f->n_switches);
}

/* Counters of the groups up from a switch differ by one at most, dummies included. */
static void assert_balanced(const struct ftree *t, uint32_t leaf)
{
	uint32_t lo = UINT32_MAX, hi = 0, sum = 0;

	for (uint32_t i = 0; i < t->sw[leaf].n[FT_UP]; i++) {
		uint32_t cd = ftree_group(t, leaf, FT_UP, i)->cd;

		lo = cd < lo ? cd : lo;
		hi = cd > hi ? cd : hi;
		sum += cd;
	}
	assert_in_range(hi, lo, lo + 1);
	assert_int_equal(sum, t->max_cn);
}

static void test_dummies(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:5,4:1,3");
	AUTO_TEXT struct text text = {0};
	uint32_t n, missing = 0;
	unsigned lines = 0;

	ok_line(s, "fail host node0002; fail host node0003; fail host node0011; route ftree");
	const struct ftree *t = tree(s);
	assert_int_equal(t->max_cn, 5);
	AUTO_FREE uint32_t *order = ftree_order(t, &n);
	assert_int_equal(n, 20);
	for (uint32_t i = 0; i < n; i++)
		missing += order[i] == NO_ID;
	assert_int_equal(missing, 3);
	for (uint32_t i = 0; i < t->n_leaves; i++)
		assert_balanced(t, t->leaf[i]);
	ftree_order_text(t, &text);
	for (const char *p = text.s; (p = strstr(p, "0xFFFF\tDUMMY\n")); p++)
		lines++;
	assert_int_equal(lines, 3);
	line_says(s, "export ca-order -", "0xFFFF\tDUMMY\n");
}

/* --- refusals ------------------------------------------------------------------------------- */

/* Route by ftree: refused for a reason that has all the words. */
static void refused(struct session *s, const char *a, const char *b)
{
	ok_line(s, "route ftree");
	const struct sweep *w = session_sweep(s);
	assert_int_equal(w->n_refusals, 1);
	assert_string_equal(w->routing->engine, "minhop");
	if (!strstr(w->refusal[0].why, a) || !strstr(w->refusal[0].why, b))
		fail_msg("\"%s\" and \"%s\" are not in: %s", a, b, w->refusal[0].why);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *spec, *before, *part[2];
	} cases[] = {
		{"xgft:4,4:1,2", "set lmc 1", {"lmc is 1", "set lmc 0"}},
		{"mesh:4x4", "show", {"AB2B", "has a CA on it"}},
		{"xgft:4,4:1,2",
		 "fail link leaf-03[5]",
		 {"leaf-03 has 1 up links, its siblings", "leaf-03[5] is missing (down)"}},
		{"xgft:4,4:1,2,parallel=2", "fail link leaf-03[5]", {"AB0B", "leaf-03[5] is missing (down)"}},
		{"xgft:4,4:1,2,hosts_on=all",
		 "fail host node0001; fail host node0002; fail host node0003",
		 {"AB2B", "rank 0"}},
		{"xgft:3,1:1,1", "show", {"", "expected two"}},
		{"xgft:3:1", "show", {"1 switch", "two"}},
		{"xgft:1,2,1,1,1,1,1,1,1:1,1,1,1,1,1,1,1,1", "show", {"9 levels", "2 to 8"}},
		/* the middle switch keeps its up links, so that only its down groups are fewer */
		{"xgft:2,4,2:1,1,2",
		 "fail host node0001; fail host node0002; fail switch leaf-01",
		 {"AB0A", "missing (down)"}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = start(cases[i].spec);

		ok_line(s, cases[i].before);
		refused(s, cases[i].part[0], cases[i].part[1]);
	}
}

static void test_refusal_details(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:4,4:1,2");
	struct engine_input in = {0};
	struct engine_output out = {0};

	ok_line(s, "fail link leaf-03[5]; route minhop");
	in.topo = session_sweep(s)->topo;
	in.lids = session_sweep(s)->lids;
	in.options = s->setup->options;
	struct ftree *t = ftree_build(&in, &out);
	assert_non_null(t->refusal.rule);
	assert_string_equal(t->refusal.label, "AB09");
	assert_int_equal(t->refusal.sw, sw(s, "leaf-03"));
	assert_int_equal(t->refusal.found, 1);
	assert_int_equal(t->refusal.expected, 2);
	ftree_free(t);
	notes_free(&out.notes);
}

/* With the roots named the same fabric is routed; a bad line in the file takes that away again. */
static void test_root_file(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:4,4:1,2");
	uint64_t guid[8];
	unsigned n = named(s, "spine", guid);

	assert_int_equal(n, 2);
	ok_line(s, "fail link leaf-03[5]");
	refused(s, "AB09", "root_guid_file");
	AUTO_TEMP char *path = guid_file(guid, n, "# roots\n0x1234\n");
	set_file(s, "root_guid_file", path);
	ok_line(s, "route ftree");
	assert_true(tree(s)->root_file);
	assert_non_null(strstr(session_sweep(s)->notes, "0x0000000000001234 is no switch"));
	AUTO_TEMP char *rubbish = guid_file(guid, n, "rubbish\n");
	set_file(s, "root_guid_file", rubbish);
	ok_line(s, "route ftree");
	assert_non_null(strstr(session_sweep(s)->notes, "OpenSM stops reading"));
	ok_line(s, "set rules manual; route ftree");
	assert_non_null(strstr(session_sweep(s)->notes, "ignored as the manual says"));
	assert_int_equal(tree(s)->sw[sw(s, "spine-01")].rank, 0);
}

/* One of two parallel cables is missing where OpenSM does not look: its manual asks for more. */
static void test_manual(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:2,2,4:1,2,2,parallel=2,shuffle=1,seed=21");

	ok_line(s, "fail random 1 seed=21; route ftree");
	tree(s);
	assert_non_null(strstr(session_sweep(s)->notes, "its manual calls it impure"));
	ok_line(s, "set rules manual");
	refused(s, "by OpenSM's manual", "set rules opensm");
}

/* --- I/O nodes -------------------------------------------------------------------------------- */

/* Spines are roots, hosts on leaves compute nodes, others I/O nodes; the folder of the files that say so. */
static char *io_setup(struct session *s)
{
	char *folder = temp_folder();
	const struct fabric *f = s->fabric;
	AUTO_TEXT struct text low = {0};
	AUTO_TEXT struct text high = {0};
	AUTO_TEXT struct text roots = {0};

	for (uint32_t i = 0; i < f->n_switches; i++)
		if (!strncmp(switch_name(f, i), "spine", 5))
			text_add(&roots, "0x%016" PRIx64 "\n", f->node_guid[f->switch_node[i]]);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], peer = f->port_peer[port];

		if (endport_is_switch(f, ep))
			continue;
		bool on_leaf = !strncmp(f->node_name[f->port_node[peer]], "leaf", 4);
		text_add(on_leaf ? &low : &high, "0x%016" PRIx64 "\n", f->port_guid[port]);
	}
	const struct {
		const char *option;
		const struct text *guids;
	} files[] = {{"root_guid_file", &roots}, {"cn_guid_file", &low}, {"io_guid_file", &high}};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const char *path = line_of("%s/%s", folder, files[i].option);

		file_write(path, text_str(files[i].guids));
		set_file(s, files[i].option, path);
	}
	return folder;
}

static void test_reverse_hops(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:3,4:1,3,hosts_on=all");
	struct check_result c;

	refused(s, "AB2B", "root_guid_file");
	AUTO_TEMP char *folder = io_setup(s);
	ok_line(s, "route ftree");
	assert_int_equal(tree(s)->n_reverse, 0);
	assert_int_equal(check_routing(session_routing(s), &c, NULL), 0);
	assert_int_equal(c.unreachable, 6); /* between the three nodes on spines */
	assert_non_null(strstr(session_sweep(s)->notes, "max_reverse_hops"));
	ok_line(s, "set max_reverse_hops 1; route ftree");
	assert_int_equal(check_routing(session_routing(s), &c, NULL), 0);
	assert_int_equal(c.unreachable, 0);
	assert_int_equal(tree(s)->n_reverse, 6);
	for (size_t i = 0; i < tree(s)->n_reverse; i++) {
		const struct ft_reverse *v = &tree(s)->reverse[i];

		assert_int_equal(tree(s)->sw[v->sw].rank, 0);
		assert_int_equal(routing_port(session_routing(s), v->sw, v->lid), v->port);
		assert_int_equal(v->hops, 3);
	}
	/* CAs above the leaves that nobody listed are compute nodes at the wrong rank */
	ok_line(s, "set cn_guid_file \"\"; set io_guid_file \"\"");
	refused(s, "AB26", "rank 0");
}

/* Reverse hops turn from down to up; where they close a credit loop, check says so. */
static void test_reverse_loops(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:3,4:1,3,hosts_on=all");
	AUTO_TEMP char *folder = io_setup(s);

	ok_line(s, "route ftree");
	line_says(s, "cycles", "No credit loops.");
	ok_line(s, "set max_reverse_hops 1; route ftree");
	line_says(s, "check", "credit loops among 6 channels");
	line_says(s, "check", "reverse hops make them (max_reverse_hops 1)");
	line_says(s, "check", "NOT SOUND.");
	/* not every turn closes one */
	AUTO_SESSION struct session *wide = start("xgft:2,6:1,4,hosts_on=all");
	AUTO_TEMP char *files = io_setup(wide);
	ok_line(wide, "set max_reverse_hops 1; route ftree");
	assert_true(tree(wide)->n_reverse > 0);
	line_says(wide, "check", "turns from down to up");
	line_says(wide, "cycles", "No credit loops.");
}

/* --- shifts -------------------------------------------------------------------------------------- */

static void shifts_free_of_congestion(const char *spec)
{
	AUTO_SESSION struct session *s = start(spec);
	struct err e;

	ok_line(s, "route ftree");
	tree(s);
	AUTO_ARENA struct shift_order *o =
		shift_order_new(session_routing(s), s->setup, s->engines, NULL, NULL, &e);
	assert_true(o && o->by == SHIFT_FTREE);
	struct shifts *sh = shifts_new(session_routing(s), o, 0, 1, NULL);
	assert_int_equal(sh->n, sh->n_places - 1);
	for (uint32_t i = 0; i < sh->n; i++) {
		assert_int_equal(sh->load[i].max, 1);
		assert_int_equal(sh->load[i].lost, 0);
		assert_int_equal(sh->load[i].flows, sh->n_places);
	}
	assert_int_equal(sh->free, sh->n);
	arena_free(sh);
	line_says(s, "shifts", "Free of congestion");
}

static void test_shifts(void **state)
{
	shifts_free_of_congestion("xgft:18,18:1,18");
	shifts_free_of_congestion("xgft:4,4,4:1,4,4");
	/* four hosts share two cables: congestion cannot be avoided */
	AUTO_SESSION struct session *s = start("xgft:4,4:1,2");
	ok_line(s, "route ftree");
	line_says(s, "shifts", "worst 2;");
	line_says(s, "shifts 3", "3 of 15 shifts looked at");
	line_fails(s, "shifts x", "expected how many");
	/* one order for all engines, and it can be chosen */
	ok_line(s, "route minhop");
	line_says(s, "shifts", "places (of the fat tree)");
	line_says(s, "shifts order lid", "places (by LID)");
	line_says(s, "shifts 3 order name", "places (by name); 3 of 15");
	line_fails(s, "shifts order age", "expected: shifts [SAMPLE] [order lid|ftree|name");
	ok_line(s, "synth ring:5; route minhop");
	line_says(s, "shifts", "places (by LID)");
	line_fails(s, "shifts order ftree", "ftree refuses the fabric: ");
}

/* --- the same whatever came before, the same when told ------------------------------------------- */

static void assert_same_tables(const struct routing *a, const struct routing *b)
{
	assert_string_equal(a->engine, b->engine);
	for (uint32_t i = 0; i < a->topo->fabric->n_switches; i++) {
		assert_int_equal(a->row[i] != NULL, b->row[i] != NULL);
		if (!a->row[i])
			continue;
		assert_int_equal(a->row[i]->top, b->row[i]->top);
		assert_memory_equal(a->row[i]->port, b->row[i]->port, a->row[i]->top + 1u);
	}
}

struct told {
	const struct routing *r;
	unsigned n;
};

/* The choice told about an entry is the entry. */
static void listen(void *ctx, const struct rec_choice *c)
{
	struct told *t = ctx;

	t->n++;
	assert_int_equal(c->port, routing_port(t->r, c->sw, c->lid));
	for (unsigned i = 0; i < c->n_offers; i++)
		assert_int_equal(
			t->r->topo->peer[switch_port_id(t->r->topo->fabric, c->sw, c->offer[i].port)],
			c->offer[i].peer);
}

static void any(void *ctx, const struct rec_choice *c)
{
}

static void check_told(struct session *s)
{
	const struct sweep *w = session_sweep(s);
	struct told t = {.r = w->routing};
	struct rec_ask ask = {.tell = any, .ctx = &t, .sw = NO_ID};
	struct sweep_repeat again = {.engines = all_engines, .ask = &ask};
	struct err e;

	assert_int_equal(sweep_repeat(w, &again, NULL, &e), 0);
	ask.tell = listen;
	for (ask.sw = 0; ask.sw < w->fabric->n_switches; ask.sw++) {
		t.n = 0;
		assert_int_equal(sweep_repeat(w, &again, NULL, &e), 0);
		if (switch_up(w->topo, ask.sw))
			assert_int_equal(t.n, w->topo->n_endports_up);
	}
}

/* Each switch visits its groups in the same order. */
static void assert_same_order(const struct ftree *a, const struct ftree *b)
{
	assert_int_equal(a->n_groups, b->n_groups);
	for (uint32_t i = 0; i < a->n_groups; i++) {
		assert_int_equal(a->slot[i].group, b->slot[i].group);
		assert_int_equal(a->group[i].cu, b->group[i].cu);
		assert_int_equal(a->group[i].cd, b->group[i].cd);
	}
}

/* Where somebody asks, each switch is visited; else families are taught by one. */
static void test_sequences(void **state)
{
	static const char *const specs[] = {"xgft:3,4:1,3,parallel=2,shuffle=1,seed=9", "xgft:2,9,3:1,2,2",
					    "director:2,4,3,6"};
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_SESSION struct session *s = start(specs[i]);
		bool named_roots = rng_below(&seed, 2) && i < 2;
		AUTO_TEMP char *roots = named_roots ? give_roots(s, i ? "core" : "spine") : NULL;

		if (rng_below(&seed, 2))
			ok_line(s, "set connect_roots TRUE");
		if (rng_below(&seed, 2))
			ok_line(s, "set quasi_ftree_indexing TRUE");
		ok_line(s, "route ftree");
		for (unsigned k = 0; k < 5; k++) {
			struct engine_output out = {0};
			struct rec_ask ask = {.tell = any, .sw = NO_ID};
			struct engine_input in = {.ask = &ask};

			unsigned links = 1 + rng_below(&seed, 2), draw = rng_below(&seed, 1000);
			ok_line(s, k == 3 ? "undo" : line_of("fail random %u seed=%u", links, draw));
			if (strcmp(session_routing(s)->engine, "ftree"))
				continue;
			in.topo = session_sweep(s)->topo;
			in.lids = session_sweep(s)->lids;
			in.options = session_sweep(s)->setup->options;
			struct routing *again = engine_find(all_engines, "ftree")->route(&in, &out);
			assert_non_null(again);
			assert_same_tables(again, session_routing(s));
			assert_same_order(ftree_of(again), tree(s));
			routing_unref(again);
			notes_free(&out.notes);
			if (k < 2)
				check_told(s);
		}
	}
}

/*
 * Roots of leaf 1 and a host, of leaves 2 and 3, of leaves 1 and 2: the last is no kin of the second, and
 * tells leaf 1 the way to leaf 2.
 */
static void test_families(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:1,3:1,3,hosts_on=all");

	ok_line(s, "set cn_guid_file node000[1-3]; set root_guid_file spine-*");
	ok_line(s, "fail host node000[5-6]; fail link spine-01[3] spine-01[4]");
	ok_line(s, "fail link spine-02[2]; fail link spine-03[4]; route ftree");
	line_says(s, "trace node0001 node0002", "SL 0, 4 links");
	check_told(s);
}

static void test_why(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:4,4:1,2");

	ok_line(s, "route ftree");
	line_says(s, "why leaf-01 node0001", "hangs on this port");
	line_says(s, "why spine-01 spine-02", "no way goes up");
	line_says(s, "why leaf-01 leaf-02", "Switches have no main path");
	line_fails(s, "export nonsense -", "lfts|fdbs|subnet|guid2lid|paths|sl2vl|json|slurm|ca-order|torus");
	ok_line(s, "set connect_roots TRUE; route ftree");
	line_says(s, "why spine-01 spine-02", "through the last leaf");
	ok_line(s, "route minhop");
	line_fails(s, "export ca-order -", "minhop has no ca-order");
}

/* The manual's figure: a spine with an I/O port on each of three, leaves below the first two and the last
 * two. */
static void test_reverse_figure(void **state)
{
	AUTO_SESSION struct session *s = start("xgft:2,2:1,3,hosts_on=all");

	ok_line(s, "fail link spine-01[3] spine-03[2]; set root_guid_file spine-0[1-3]");
	ok_line(s, "set cn_guid_file node000[1-4]; set io_guid_file node000[5-7]");
	ok_line(s, "set max_reverse_hops 1; route ftree");
	line_says(s, "trace node0005 node0006", "SL 0, 4 links");
	line_says(s, "trace node0006 node0007", "SL 0, 4 links");
	line_says(s, "why spine-01 node0007",
		  "3 would do, by the manual's count 2 would (`set rules manual`)");
	line_says(s, "why spine-03 node0001", "for ports in io_guid_file alone, and node0001 is none");
	ok_line(s, "set max_reverse_hops 2");
	line_says(s, "why spine-01 node0007", "one is spent on spine-03 -> leaf-02 -> spine-03");
	assert_non_null(strstr(session_sweep(s)->notes, "rules in force: opensm"));
	ok_line(s, "set max_reverse_hops 3");
	line_says(s, "trace node0005 node0007", "SL 0, 6 links");
	ok_line(s, "set rules manual; set max_reverse_hops 1");
	line_says(s, "why spine-01 node0007", "allows 1 turn from down to up; 2 would do");
	ok_line(s, "set max_reverse_hops 2");
	line_says(s, "trace node0005 node0007", "SL 0, 6 links");
	line_says(s, "trace node0007 node0005", "SL 0, 6 links");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_dummies),		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_refusal_details), cmocka_unit_test(test_root_file),
		cmocka_unit_test(test_manual),		cmocka_unit_test(test_reverse_hops),
		cmocka_unit_test(test_reverse_figure),	cmocka_unit_test(test_reverse_loops),
		cmocka_unit_test(test_shifts),		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_families),	cmocka_unit_test(test_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
