/* torus-2QoS: its configuration file, discovery, routes around failures, SLs, VLs, and torus-conf. */
#include "core/base/rng.h"
#include "fixture.h"

#include "core/analysis/credit/cdg.h"
#include "core/analysis/shape/levels.h"
#include "core/analysis/shape/torus_conf.h"
#include "engines/torus/torus.h"

/* --- the configuration file ---------------------------------------------------------------- */

static unsigned parse(struct torus_conf *c, const char *s, struct text *errors)
{
	text_free(errors);
	return torus_conf_parse(c, "t.conf", s, strlen(s), errors);
}

static void wrong_at(const char *s, const char *where, const char *what)
{
	AUTO_TEXT struct text errors = {0};
	AUTO_BY(torus_conf_free) struct torus_conf c;

	assert_int_equal(parse(&c, s, &errors), 1);
	if (strncmp(text_str(&errors), where, strlen(where)) || !strstr(text_str(&errors), what))
		fail_msg("%s: \"%s\" \"%s\" is not in: %s", s, where, what, text_str(&errors));
}

static void test_conf(void **state)
{
	AUTO_TEXT struct text errors = {0};
	struct torus_conf c;

	assert_int_equal(
		parse(&c,
		      "# x\n\n  torus 3M 0x4t 02 # z\n\txp_link 0x10 020 more\r\nym_link 7 8\ny_dateline -3\n"
		      "next_seed\nzp_link 1 2\nx_dateline 2\nportgroup_max_ports 17 18\nmax_changes 9\n"
		      "port_order 4 2 4 x 1\n",
		      &errors),
		0);
	assert_string_equal(text_str(&errors), "");
	assert_int_equal(c.line, 3);
	assert_int_equal(c.radix[0], 3);
	assert_int_equal(c.radix[1], 4);
	assert_int_equal(c.radix[2], 2);
	assert_true(c.open[0] && !c.open[1] && c.open[2]);
	assert_int_equal(c.n_seeds, 2);
	assert_int_equal(c.seed[0].link[1].centre, 0x10);
	assert_int_equal(c.seed[0].link[1].neighbour, 16);
	assert_int_equal(c.seed[0].link[2].centre, 7);
	assert_int_equal(c.seed[0].dateline[1], -3);
	assert_int_equal(c.seed[1].link[5].neighbour, 2);
	assert_int_equal(c.seed[1].dateline[0], 2);
	assert_int_equal(c.max_ports, 17);
	assert_int_equal(c.max_changes, 9);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(c.port_order[i], ((const unsigned[]){4, 2, 0, 1, 3, 5})[i]);
	torus_conf_free(&c);
	assert_int_equal(parse(&c, "mesh 3t 5 1\nnext_seed\nxp_link 1 2", &errors), 0);
	assert_true(!c.open[0] && c.open[1]);
	assert_int_equal(c.n_seeds, 1);
	torus_conf_free(&c);
}

static void test_conf_errors(void **state)
{
	AUTO_TEXT struct text errors = {0};
	AUTO_BY(torus_conf_free) struct torus_conf c;

	wrong_at("torus 3 3 3\nxp_lnk 1 2\n", "t.conf:2: ", "xp_lnk");
	wrong_at("torus 3 3\n", "t.conf:1: ", "2 radices");
	wrong_at("torus 3 3 3\n\nmesh 3 3 3\n", "t.conf:3: ", "line 1");
	wrong_at("torus 3 3 3\nzm_link 1\n", "t.conf:2: ", "one GUID");
	wrong_at("torus 3 3 3\nx_dateline 3\n", "t.conf:2: ", "above -3 and below 3");
	wrong_at("torus 3 3 3\nx_dateline -3\n", "t.conf:2: ", "ERR 4E10");
	wrong_at("x_dateline 0\ntorus 3 3 3\n", "t.conf:1: ", "before");
	wrong_at("y_dateline\n", "t.conf:1: ", "no position");
	wrong_at("port_order 1 255\n", "t.conf:1: ", "255");
	wrong_at("portgroup_max_ports\n", "t.conf:1: ", "no number");
	wrong_at("max_changes", "t.conf:1: ", "no number");
	wrong_at("Torus 3 3 3\n", "t.conf:1: ", "ERR 4E12");
	assert_int_equal(parse(&c, "a\nb\n#c\nd", &errors), 3);
	assert_non_null(strstr(text_str(&errors), "t.conf:4: "));
}

/* --- a session with a configuration ------------------------------------------------------------ */

struct world {
	struct session *s;
	char path[64];
};

static void world_new(struct world *w, const char *spec)
{
	strcpy(w->path, "/tmp/test-torus-XXXXXX");
	int fd = mkstemp(w->path);
	assert_true(fd >= 0);
	close(fd);
	w->s = session_after("set torus_config %s; set qos TRUE; synth %s", w->path, spec);
}

static void world_free(struct world *w)
{
	session_free(w->s);
	unlink(w->path);
}

static void write_conf(const struct world *w, const char *text)
{
	FILE *f = fopen(w->path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Let torus-conf make the file, and route with it. */
static const struct torus *route_made(struct world *w)
{
	AUTO_FREE char *line = str_printf("torus-conf %s", w->path);

	line_says(w->s, line, "routes the whole fabric");
	line_says(w->s, "route torus-2QoS", "torus-2QoS routed");
	return torus_of(session_routing(w->s));
}

/* --- routes ----------------------------------------------------------------------------------------- */

static bool walk(const struct torus *t, uint32_t a, uint32_t turn, unsigned group)
{
	for (uint32_t i = 0; i <= t->n && a != turn; i++) {
		if (!t->member[a].count[group])
			return false;
		a = torus_beside(t, t->member[a].at, group);
	}
	return a == turn;
}

/* The decision with plain walks along the links, as OpenSM makes it. */
static unsigned model_group(const struct torus *t, uint32_t a, uint32_t b)
{
	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		const struct torus_member *m = &t->member[a];
		unsigned c[TORUS_DIMS] = {m->at[0], m->at[1], m->at[2]}, s = m->at[d], e = t->member[b].at[d];
		unsigned apart = s > e ? s - e : e - s, group;

		if (s == e)
			continue;
		group = 2 * d + (apart <= t->conf.radix[d] - apart ? e > s : e < s);
		c[d] = e;
		uint32_t turn = torus_at(t, c);
		if (turn == NO_ID && d < 2 && m->count[group])
			return group;
		if (turn != NO_ID && walk(t, a, turn, group))
			return group;
		if (turn != NO_ID && walk(t, a, turn, group ^ 1))
			return group ^ 1;
	}
	return TORUS_NO_GROUP;
}

static void check_decisions(const struct torus *t)
{
	for (uint32_t a = 0; a < t->n; a++)
		for (uint32_t b = 0; b < t->n; b++)
			if (a != b)
				assert_int_equal(torus_next(t, a, b).group, model_group(t, a, b));
}

static void check_tree(const struct torus *t)
{
	for (uint32_t m = 0; m < t->n; m++) {
		uint32_t up = m;

		for (uint32_t i = 0; i < t->n && up != t->root; i++)
			up = t->member[up].parent;
		assert_int_equal(up, t->root);
	}
}

/* Everything arrives, without credit loops, also with the routes of switches. */
static void check_sound(const struct routing *r)
{
	struct cdg *c = cdg_new(r, CDG_ALL_VLS, true, NULL, NULL);
	uint64_t hosts = r->topo->n_endports_up - r->topo->n_switches_up, routes = 0;

	assert_int_equal(c->n_components, 0);
	arena_free(c);
	c = cdg_new(r, CDG_ALL_VLS, false, NULL, NULL);
	for (unsigned v = 0; v < CDG_VLS; v++)
		routes += c->vl_routes[v];
	assert_int_equal(routes, hosts * (hosts - 1));
	arena_free(c);
}

/* SLs of all pairs of LIDs by endports, LIDs never change here. */
static void check_sls(const struct routing *r, const struct routing *before)
{
	for (unsigned s = 1; s <= r->lids->max_lid; s++)
		for (unsigned d = 1; d <= r->lids->max_lid; d++) {
			uint32_t a = lid_owner(r->lids, s), b = lid_owner(r->lids, d);

			if (a == NO_ID || b == NO_ID || !r->topo->endport_up[a] || !r->topo->endport_up[b] ||
			    r->topo->endport_switch[a] == NO_ID || r->topo->endport_switch[b] == NO_ID)
				continue;
			assert_int_equal(routing_sl(r, s, d).lo, routing_sl(before, s, d).lo);
		}
}

static void test_shapes(void **state)
{
	static const char *const spec[] = {
		"torus:5x5,shuffle=1",
		"torus:5x5,parallel=2,hosts=2",
		"torus:4x4x4,shuffle=1",
		"torus:3x4x5,shuffle=1",
		"torus:3x4x5,hosts=3,parallel=2",
		"torus:2x3x4,shuffle=1",
		"mesh:2x3x4,shuffle=1",
		"mesh:5x5,hosts=2,parallel=2",
		"mesh:3x4x5,shuffle=1",
		"mesh:4x4x4,shuffle=1",
		"torus:4x4,shuffle=1",
		"torus:3x3x3,fail=3,seed=2",
		"torus:4x4x4,fail=3,seed=1",
		"torus:5x4x3,fail=3,seed=3",
		"ring:3",
		"ring:4,parallel=2",
		"mesh:2",
		"hypercube:4,shuffle=1",
	};

	for (size_t i = 0; i < ARRAY_LEN(spec); i++) {
		AUTO_BY(world_free) struct world w;

		world_new(&w, spec[i]);
		const struct torus *t = route_made(&w);
		assert_int_equal(t->n, session_sweep(w.s)->topo->n_switches_up);
		check_decisions(t);
		check_tree(t);
		check_sound(session_routing(w.s));
	}
}

/* The tables of the last sweep are those of a run from nothing.  Returns how many rows are those of the sweep
 * before.
 */
static uint32_t check_fresh(const struct session *s)
{
	const struct sweep *prev = session_sweep(s)->prev;
	const struct routing *r = session_routing(s);
	AUTO_ROUTING struct routing *fresh = NULL;
	uint32_t kept = 0;
	struct err e;

	assert_int_equal(
		sweep_repeat(session_sweep(s), &(struct sweep_repeat){.engines = all_engines}, &fresh, &e),
		0);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++) {
		assert_int_equal(!r->row[sw], !fresh->row[sw]);
		if (r->row[sw])
			assert_memory_equal(r->row[sw]->port, fresh->row[sw]->port, r->row[sw]->top + 1u);
		kept += prev && r->row[sw] && r->row[sw] == prev->routing->row[sw];
	}
	return kept;
}

/* Each link between switches and each switch fails alone and comes back. */
static void every_failure(const char *spec)
{
	uint32_t links = 0, switches = 0, kept = 0;
	AUTO_BY(world_free) struct world w;
	char line[100];

	world_new(&w, spec);
	route_made(&w);
	const struct fabric *f = w.s->fabric;
	AUTO_ROUTING const struct routing *whole = routing_ref(session_routing(w.s));
	for (uint32_t i = 0; i < f->n_links + f->n_switches; i++) {
		uint32_t a = i < f->n_links ? f->link_port[2 * i] : 0, sw = i - f->n_links;
		bool link = i < f->n_links;

		if (link && (!node_is_switch(f, f->port_node[a]) ||
			     !node_is_switch(f, f->port_node[f->port_peer[a]])))
			continue;
		if (link)
			snprintf(line, sizeof(line), "fail link 0x%" PRIx64 "[%u]",
				 f->node_guid[f->port_node[a]], f->port_num[a]);
		else
			snprintf(line, sizeof(line), "fail switch 0x%" PRIx64,
				 f->node_guid[f->switch_node[sw]]);
		ok_line(w.s, line);
		assert_string_equal(session_routing(w.s)->engine, "torus-2QoS");
		check_decisions(torus_of(session_routing(w.s)));
		check_sound(session_routing(w.s));
		check_sls(session_routing(w.s), whole);
		kept += check_fresh(w.s);
		ok_line(w.s, "restore all");
		check_fresh(w.s);
		for (uint32_t s = 0; s < f->n_switches; s++)
			assert_memory_equal(session_routing(w.s)->row[s]->port, whole->row[s]->port,
					    whole->row[s]->top + 1u);
		links += link;
		switches += !link;
	}
	assert_true(links >= 2u * switches && switches == f->n_switches);
	assert_true(kept > links * f->n_switches / 2); /* a link touches a line or two */
}

static void test_failures(void **state)
{
	static const char *const specs[] = {"torus:5x5,shuffle=1", "torus:3x4,parallel=2,hosts=2",
					    "torus:3x3x3,shuffle=1", "torus:4x4,shuffle=1"};
	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(specs); i++)
		if (test_drawn(seed, i, 2))
			every_failure(specs[i]);
}

/* --- virtual lanes --------------------------------------------------------------------------------- */

static void test_lanes(void **state)
{
	AUTO_BY(world_free) struct world w;

	world_new(&w, "torus:3x3");
	write_conf(&w, "torus 3 3 1\nxp_link 0x2c90300a00000 0x2c90300a00030\nyp_link 0x2c90300a00000 "
		       "0x2c90300a00010\n");
	ok_line(w.s, "route torus-2QoS");
	/* by the y link 4 in, by the x link 2 out: the turn bit */
	line_says(w.s, "export sl2vl -", "\n4   2   : 2  3  2  3  2  3  2  3  6  7  6  7  6  7  6  7 \n");
	line_says(w.s, "export sl2vl -", "\n2   4   : 0  0  1  1  0  0  1  1  4  4  5  5  4  4  5  5 \n");
	line_says(w.s, "export sl2vl -", "\n2   1   : 0  0  0  0  0  0  0  0  1  1  1  1  1  1  1  1 \n");
	line_says(w.s, "export sl2vl -", "Channel Adapter 0x0002c90300f00001, base LID ");
	line_says(w.s, "export sl2vl -", "\n0   0   : 0  0  0  0  0  0  0  0  1  1  1  1  1  1  1  1 \n");
	line_says(w.s, "route torus-2QoS max_op_vls=3", "fewer than 8");
	line_says(w.s, "export sl2vl -", "\n4   2   : 2  3  2  3  2  3  2  3  2  3  2  3  2  3  2  3 \n");
	line_says(w.s, "route torus-2QoS max_op_vls=2", "fewer than 4");
	line_says(w.s, "export sl2vl -", "\n4   2   : 0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1 \n");
	line_says(w.s, "route torus-2QoS max_op_vls=1", "ERR 4E48");
	line_says(w.s, "route torus-2QoS max_op_vls=0", "torus-2QoS routed");
	line_says(w.s, "route torus-2QoS max_op_vls=5", "torus-2QoS routed");
	line_says(w.s, "check", "without credit loops");
	line_says(w.s, "layers", "torus-2QoS uses 2 layers");
	line_says(w.s, "layers", "dateline between 2 and 0");
	line_says(w.s, "export torus -", "switch 2,1,0 GUID 0x2c90300a00070 (t21)\n");
}

static void test_words(void **state)
{
	AUTO_BY(world_free) struct world w;

	world_new(&w, "torus:5x5,parallel=2");
	route_made(&w);
	line_says(w.s, "why t00 t21", " of 2: route ");
	line_says(w.s, "why t00 t21", "those to switches");
	line_says(w.s, "why node0001 node0014", "Failures do not change the SL");
	line_says(w.s, "step start", "steps of torus-2QoS recorded");
	line_says(w.s, "step find fingerprint", "cell 0,0,0 has corners to find");
	line_says(w.s, "step find spanning", "reaches 25 of 25");
	ok_line(w.s, "fail switch t11");
	line_says(w.s, "layers", "uses 4 layers");
	line_says(w.s, "layers", "24 of 25 places taken");
	line_says(w.s, "step find 'no switch at'", "no switch at");
}

/* --- refusals ------------------------------------------------------------------------------------------ */

#define A "0x2c90300a00000"
#define X "0x2c90300a00050"
#define Y "0x2c90300a00010"
#define SEED "xp_link " A " " X "\nyp_link " A " " Y "\n"

static void refuses(struct world *w, const char *conf, const char *what)
{
	write_conf(w, conf);
	line_says(w->s, "route torus-2QoS", what);
	assert_string_equal(session_routing(w->s)->engine, "minhop");
}

static void test_refusals(void **state)
{
	AUTO_BY(world_free) struct world w;
	struct err e;
	int rc;

	world_new(&w, "torus:5x5");
	refuses(&w, SEED, "ERR 4E20");
	refuses(&w, "torus 5 0 1\n" SEED, "ERR 4E20");
	refuses(&w, "torus 5 5\n" SEED, "ERR 4E13");
	refuses(&w, "torus 70000 70000 1\n" SEED, "expected at most 65536");
	refuses(&w, "torus 4 5 1\n" SEED, "ERR 4E23");
	refuses(&w, "torus 5 4 1\n" SEED, "ERR 4E26");
	refuses(&w, "torus 5 5 4\n" SEED, "ERR 4E28");
	refuses(&w, "torus 4 5 1\n" SEED "xm_link " Y " " A "\n", "ERR 4E24");
	refuses(&w, "torus 5 5 1\nyp_link " A " " Y "\n", "ERR 4E2B");
	refuses(&w, "torus 5 5 1\nxp_link " A " " X "\n", "ERR 4E2E");
	refuses(&w, "torus 5 5 3\n" SEED, "ERR 4E2C");
	refuses(&w, "torus 5 5 1\nxp_link " A " " X "\nyp_link " Y " " A "\n", "ERR 4E2F");
	refuses(&w, "torus 5 5 1\n" SEED "next_seed\n", "seed 2 (line 4)");
	refuses(&w, "torus 5 5 1\nxp_link 0x77 " X "\nyp_link 0x77 " Y "\n", "ERR 4E30");
	refuses(&w, "torus 5 5 1\n" SEED "port_order 9\n", "ERR 4E21");
	refuses(&w, "torus 5 5 1\n" SEED "portgroup_max_ports 1\n", "ERR 4E1E");
	refuses(&w, "torus 5 5 1\n" SEED "portgroup_max_ports 0\n", "ERR 4E1D");
	refuses(&w, "torus 6 5 1\n" SEED, "ERR 4E");
	write_conf(&w, "torus 5 5 1\n" SEED);
	line_says(w.s, "route torus-2QoS qos=FALSE", "ERR 4E44");
	ok_line(w.s, "route torus-2QoS qos=TRUE");
	line_says(w.s, "fail link t00[2]", "torus-2QoS routed");
	line_says(w.s, "fail link t20[2]", "ERR 4E33");
	ok_line(w.s, "restore all");
	line_says(w.s, "fail switch t11 t33", "ERR 4E38");
	ok_line(w.s, "restore all");
	assert_string_equal(session_routing(w.s)->engine, "torus-2QoS");
	write_conf(&w, "torus 1 1 1\n");
	AUTO_FREE char *text = run_line(w.s, "route torus-2QoS", &rc, &e, true, NULL);
	assert_non_null(strstr(text, "\"fatal\":\"crashes\""));
	unlink(w.path);
	line_says(w.s, "route torus-2QoS", "ERR 4E11");
}

static void test_rules(void **state)
{
	AUTO_BY(world_free) struct world w;

	world_new(&w, "torus:5x5");
	write_conf(&w, "# x\n" SEED "torus 5 5 1\n");
	line_says(w.s, "route torus-2QoS", "the manual wants the torus or mesh line (4) first");
	ok_line(w.s, "set rules manual");
	line_says(w.s, "route torus-2QoS", "line 2 comes before");
	assert_string_equal(session_routing(w.s)->engine, "minhop");
}

/* What is outside is told loudly, for OpenSM accepts it. */
static void test_outside(void **state)
{
	AUTO_BY(world_free) struct world w;

	world_new(&w, "mesh:5x4");
	write_conf(&w, "mesh 4 4 1\nxp_link 0x2c90300a00000 0x2c90300a00040\nyp_link 0x2c90300a00000 "
		       "0x2c90300a00010\n");
	line_says(w.s, "route torus-2QoS", "4 switches are outside the torus");
	assert_int_equal(torus_of(session_routing(w.s))->n, 16);
}

/* A spare seed with the same coordinates: SLs stay when the first one's centre fails. */
static void test_spare_seed(void **state)
{
	AUTO_BY(world_free) struct world w;

	world_new(&w, "torus:5x5x3,shuffle=1");
	const struct torus *t = route_made(&w);
	assert_int_equal(t->seed, 0);
	assert_true(t->conf.n_seeds > 1);
	AUTO_ROUTING const struct routing *whole = routing_ref(session_routing(w.s));
	AUTO_FREE char *line = str_printf("fail switch 0x%" PRIx64, t->conf.seed[0].link[1].centre);
	line_says(w.s, line, "torus-2QoS uses seed 2");
	assert_int_equal(torus_of(session_routing(w.s))->seed, 1);
	check_sls(session_routing(w.s), whole);
	check_sound(session_routing(w.s));
}

/* --- torus-conf -------------------------------------------------------------------------------- */

static struct grid *find(const char *spec, struct err *e)
{
	AUTO_FABRIC struct fabric *f = make_fabric(spec);
	AUTO_STATE struct state *st = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, st);

	return grid_find(t, 0, NULL, e);
}

static void finds(const char *spec, const char *what, uint32_t missing_links)
{
	struct err e = {0};
	AUTO_ARENA struct grid *g = find(spec, &e);
	char buf[100];

	if (!g)
		fail_msg("%s: %s", spec, e.msg);
	assert_string_equal(grid_text(g, buf, sizeof(buf)), what);
	assert_int_equal(g->missing_links, missing_links);
	assert_int_equal(g->missing_switches, 0);
	for (uint32_t p = 0; p < g->n_places; p++)
		assert_int_equal(g->place[g->at[p]], p);
}

static void finds_none(const char *spec, const char *why)
{
	struct err e = {0};

	assert_null(find(spec, &e));
	if (!strstr(e.msg, why))
		fail_msg("%s: \"%s\" is not in: %s", spec, why, e.msg);
}

static void test_grids(void **state)
{
	uint64_t seed = test_seed();
	char spec[80];

	finds("torus:5x4,shuffle=1", "5 x 4 torus", 0);
	finds("mesh:4x3x2,shuffle=1,parallel=3", "4 x 3 x 2 mesh", 0);
	finds("torus:2x3x4", "4 (looped) x 3 (looped) x 2 (open) torus", 0);
	finds("ring:4", "2 x 2 mesh", 0);
	finds("mesh:7", "7 mesh", 0);
	for (unsigned i = 0; i < 12; i++) {
		snprintf(spec, sizeof(spec), "torus:6x5x3,shuffle=1,fail=3,seed=%u",
			 rng_below(&seed, 1000000));
		finds(spec, "6 x 5 x 3 torus", 3);
		snprintf(spec, sizeof(spec), "torus:7x5,shuffle=1,fail=2,seed=%u", rng_below(&seed, 1000000));
		finds(spec, "7 x 5 torus", 2);
		snprintf(spec, sizeof(spec), "mesh:5x4x3,shuffle=1,fail=1,seed=%u",
			 rng_below(&seed, 1000000));
		finds(spec, "5 x 4 x 3 mesh", 1);
	}
	finds_none("xgft:4,4:1,2", "has 6 switches and 8 pairs of neighbours");
	finds_none("xgft:4,12:1,8", "neighbour switches, expected at most 6");
	finds_none("random:24,4,seed=3", "no torus or mesh");
	finds_none("dragonfly:4,2,2", "no torus or mesh");
}

/* The link or the switch that is too much is named. */
static void test_blame(void **state)
{
	struct fabric_builder *b;
	struct err e = {0};
	struct fabric *f = NULL;

	for (unsigned extra = 0; extra < 2; extra++) {
		b = fb_new();
		for (unsigned i = 0; i < 20 + extra; i++) {
			AUTO_FREE char *name = str_printf("s%u", i);

			fb_add(b, NODE_SWITCH, 0x1000 + i, 8, name);
			b->node[i].desc = b->node[i].desc ? b->node[i].desc : str_dup(name);
		}
		for (unsigned i = 0; i < 20; i++) {
			assert_true(fb_link(b, i, 1, (i + 5) % 20, 2));
			assert_true(fb_link(b, i, 3, i / 5 * 5 + (i + 1) % 5, 4));
		}
		assert_true(extra ? fb_link(b, 20, 1, 7, 5) : fb_link(b, 3, 5, 17, 5));
		assert_int_equal(fb_finish(b, "made", "made", &f, &e), 0);
		AUTO_STATE struct state *st = state_new(f);
		AUTO_TOPO struct topo *t = topo_new(f, st);
		assert_null(grid_find(t, 0, NULL, &e));
		assert_non_null(strstr(e.msg, "without it this is a 5 x 4 torus"));
		assert_non_null(strstr(e.msg, extra ? "s20 breaks" : "the link between s"));
		if (!extra)
			assert_true(strstr(e.msg, "s3 (at") && strstr(e.msg, "s17 (at"));
		fabric_unref(f);
	}
}

/* Up to three links and one switch missing, anywhere: torus-conf's file works. */
static void test_made(void **state)
{
	uint64_t seed = test_seed();
	struct world w;

	for (unsigned i = 0; i < test_rounds(10); i++) {
		AUTO_FREE char *line =
			str_printf("torus:%s,parallel=%u,shuffle=1,seed=%u", i % 2 ? "4x4x4" : "5x5x3",
				   1 + i % 3, rng_below(&seed, 1000000));
		world_new(&w, line);
		ok_linef(w.s, "fail switch 0x%" PRIx64,
			 w.s->fabric->node_guid[w.s->fabric->switch_node[rng_below(
				 &seed, w.s->fabric->n_switches)]]);
		route_made(&w);
		check_sound(session_routing(w.s));
		world_free(&w);
	}
	world_new(&w, "ring:6");
	line_fails(w.s, "torus-conf", "takes at most three in one dimension");
	ok_line(w.s, "synth mesh:4x4");
	ok_line(w.s, "fail link m11[2]");
	line_says(w.s, "torus-conf", "refuses the fabric as it is now");
	line_says(w.s, "torus-conf", "1 link between neighbours missing");
	ok_line(w.s, "synth torus:3x3,hosts=16");
	line_says(w.s, "torus-conf", "portgroup_max_ports 17");
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conf),	 cmocka_unit_test(test_conf_errors),
		cmocka_unit_test(test_shapes),	 cmocka_unit_test(test_failures),
		cmocka_unit_test(test_lanes),	 cmocka_unit_test(test_words),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_outside),	 cmocka_unit_test(test_spare_seed),
		cmocka_unit_test(test_grids),	 cmocka_unit_test(test_blame),
		cmocka_unit_test(test_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
