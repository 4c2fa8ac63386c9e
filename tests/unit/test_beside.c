/* What panes about layers ask for beside the loop, and what they make of it. */
#include "engines/lash/lash.h"
#include "fixture.h"
#include "views/paths/witness.h"

static struct session *routed(const char *spec, const char *engine)
{
	return make_session(
		line_of("set qos TRUE; synth %s; route %s", spec, engine)); /* layers are in force */
}

static void expect_place(const struct view *v, uint32_t row, const char *what, const char *want)
{
	AUTO_TEXT struct text t = {0};

	assert_true(view_place(v, row, what, &t));
	assert_string_equal(text_str(&t), want);
}

/* --- witnesses --------------------------------------------------------------------------- */

static void expect_walk(const struct topo *t, const struct witness *w)
{
	bool own = false, refused = w->cut == NO_ID;

	assert_true(w->n > 2);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct witness_edge *e = &w->edge[i];
		uint32_t peer = t->peer[e->port];

		assert_int_not_equal(peer, NO_ID);
		assert_int_equal(t->fabric->port_node[peer],
				 t->fabric->port_node[w->edge[(i + 1) % w->n].port]);
		assert_true(e->own || e->routes);
		assert_int_equal(refused && e->routes, e->sw != NO_ID);
		own |= e->own;
	}
	assert_true(own);
	/* what was cut is what the path went by */
	assert_true(refused || w->edge[w->cut].own);
}

static unsigned switch_lid(const struct routing *r, uint32_t sw)
{
	const struct fabric *f = r->topo->fabric;

	return r->lids->base[f->port_endport[f->switch_port[sw]]];
}

static void witnesses_are_closed_walks(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:4x4", "lash");
	const struct routing *r = session_sweep(s)->routing;
	const struct lash *l = lash_of(r);
	struct progress p = {0};
	unsigned found = 0;

	for (uint32_t a = 0; a < s->fabric->n_switches; a++) {
		for (uint32_t b = 0; b < s->fabric->n_switches; b++) {
			const uint32_t arg[TASK_ARGS] = {switch_lid(r, a), switch_lid(r, b), 0};
			const struct job j = {.sweep = session_sweep(s), .arg = arg, .progress = &p};
			struct witness *w = task_witness.run(&j);
			unsigned first = a == b ? 0 : lash_first_layer_of(l, a, b);

			assert_non_null(w);
			if (first)
				expect_walk(r->topo, w);
			else
				assert_int_equal(w->n, 0);
			found += first != 0;
			task_witness.free(w);
		}
	}
	assert_int_equal(found, l->plan->count[1]);
}

/* Each path of dfsssp was moved out of each layer below its own by a cut. */
static void cuts_are_witnesses(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:4x4,hosts=2", "dfsssp");
	const struct routing *r = session_sweep(s)->routing;
	struct progress p = {0};
	unsigned found = 0, top = r->lids->max_lid;

	for (unsigned i = 0; i < (top + 1) * (top + 1); i++) {
		struct pair_layer l = {0};
		bool layered = r->ops->pair_layer(r, i / (top + 1), i % (top + 1), &l);

		assert_int_equal(l.first, l.now);
		assert_true(layered || !l.now);
		for (unsigned k = 0; k <= l.now; k++) {
			const uint32_t arg[TASK_ARGS] = {i / (top + 1), i % (top + 1), k};
			const struct job j = {.sweep = session_sweep(s), .arg = arg, .progress = &p};
			struct witness *w = task_witness.run(&j);

			if (k == l.now)
				assert_int_equal(w->n, 0);
			else
				expect_walk(r->topo, w);
			found += k < l.now;
			task_witness.free(w);
		}
	}
	assert_true(found > 100);
}

/* --- panes ----------------------------------------------------------------------------------- */

static void a_loop_is_walked_round(void **state)
{
	AUTO_SESSION struct session *s = routed("ring:6", "minhop");
	AUTO_SCENE struct scene sc = {0};

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_cycle, NULL, NULL);
	pane_title_is(v, "Credit loops of VL 0 ── group 1 of 2: 6 channels");
	pane_cell_is(v, 0, 0, "ring0[2] → [3]ring1");
	uint32_t last = v->n_rows - 1;
	pane_cell_is(v, last - 1, 0, "ring0, where it began");
	pane_cell_is(v, last, 0, "next: group 2 of 2");
	view_free(v);
	v = pane_settled(&sc, &view_cycle, "0", "3");
	assert_int_equal(v->n_rows, 0);
	pane_title_is(v, "Credit loops of VL 0 ── 2 groups, no number 3");
}

static void dependencies_add_up(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:4x4", "minhop");
	AUTO_SCENE struct scene sc = {0};
	uint64_t in = 0;

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_cdg, "0", NULL);
	const struct graph *g = v->results[0]->value;
	for (uint32_t i = 0; i < g->cdg->n_channels; i++)
		in += g->in[i];
	assert_int_equal(in, g->cdg->n_deps);
	assert_int_equal(v->n_rows, g->cdg->n_channels);
	for (uint32_t i = 1; i < v->n_rows; i++) /* those on cycles stand first */
		assert_true(view_marks(v, i - 1) || !view_marks(v, i));
	assert_true(view_marks(v, 0) & MARK_HERE);
}

/* A pane keeps what it shows until it is loaded again, also when the scene has moved on. */
static void results_go_with_their_routing(void **state)
{
	AUTO_SESSION struct session *s = routed("ring:6", "minhop");
	AUTO_SCENE struct scene sc = {0};

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_layers, NULL, NULL);
	assert_int_equal(sc.n_results, 1);
	pane_title_is(v, "minhop: 1 layer");
	ok_line(s, "route lash");
	assert_true(scene_stale(&sc, s));
	scene_take(&sc, s);
	scene_drop_results(&sc);
	assert_int_equal(sc.n_results, 0);
	assert_int_not_equal(((const struct graph *)v->results[0]->value)->cdg->n_components, 0);
	view_refresh(v);
	assert_true(v->waiting);
	assert_true(view_settle(v, NULL));
	assert_int_equal(((const struct graph *)v->results[0]->value)->cdg->n_components, 0);
}

static void mesh_is_listed_by_coordinates(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:5x5", "minhop");
	AUTO_SCENE struct scene sc = {0};

	ok_line(s, "set do_mesh_analysis TRUE; route lash");
	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_mesh, NULL, NULL);
	pane_title_is(v, "Mesh ── 2 dimensions: 5 x 5");
	assert_int_equal(v->n_rows, 25);
	pane_cell_is(v, 0, 1, "-2,-2");
	pane_cell_is(v, 24, 1, "2,2");
	pane_cell_is(v, 0, 2, "+x 2  -x 3  +y 4  -y 5");
}

/* All SLs to VL 0 at switches of even numbers, to VL 1 at the others. */
static void map_by_parity(struct session *s, const char *engine)
{
	AUTO_TEMP char *name = temp_file("");
	AUTO_TEXT struct text t = {0};
	const struct fabric *f = s->fabric;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		text_add(&t, "Switch 0x%" PRIx64 "\n", f->node_guid[f->switch_node[sw]]);
		for (unsigned in = 0; in <= f->switch_nports[sw]; in++) {
			for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
				text_add(&t, "%u %u :", in, p);
				for (unsigned sl = 0; sl < 16; sl++)
					text_add(&t, " %u", sw % 2);
				text_putc(&t, '\n');
			}
		}
	}
	file_write(name, text_str(&t));
	ok_linef(s, "route %s sl2vl_file=%s", engine, name);
}

static void loops_are_seen_from_each_of_their_vls(void **state)
{
	AUTO_SESSION struct session *s = routed("ring:6", "minhop");
	AUTO_SCENE struct scene sc = {0};

	map_by_parity(s, "minhop");
	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_layers, NULL, NULL);
	assert_int_equal(v->n_rows, 2);
	pane_cell_is(v, 0, 5, "2");
	pane_cell_is(v, 1, 5, "2");
	view_free(v);
	v = pane_settled(&sc, &view_cycle, "1", "2");
	pane_title_is(v, "Credit loops of VL 1 ── group 2 of 2: 6 channels");
	pane_cell_is(v, 0, 0, "ring0[3] → [2]ring5");
	pane_cell_is(v, 0, 1, "0");
	view_free(v);
	v = pane_settled(&sc, &view_cdg, "1", NULL);
	pane_title_is(v, "CDG of VL 1 ── 12 channels, 18 deps");
	pane_footer_is(v, "* 6 channels are on cycles");
	pane_cell_is(v, 0, 0, "ring1[2] → ring2");
	expect_place(v, 0, "loop", "1 1");
	view_free(v);
	v = pane_settled(&sc, &view_cdg, "1", "ring1[2]");
	assert_true(v->width[1] > 0);
	pane_cell_is(v, 0, 1, "0"); /* goes on on the other VL */
	view_free(v);
	map_by_parity(s, "lash");
	scene_take(&sc, s);
	scene_drop_results(&sc);
	v = pane_settled(&sc, &view_layers, NULL, NULL);
	pane_title_is(v, "lash: 2 layers");
	pane_cell_is(v, 1, 1, "1");
	pane_follow_is(v, 1, "pane cdg 1");
}

/* A layer of pairs between spines alone. */
static void a_layer_without_hosts_has_a_hint(void **state)
{
	AUTO_SESSION struct session *s = routed("xgft:18,18,6:1,18,18", "lash");
	AUTO_SCENE struct scene sc = {0};

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_layers, NULL, NULL);
	assert_int_equal(view_number(v, 1, 6), 0);
	pane_footer_is(v, "no credit loops; pairs of switches without hosts: pane layers switches");
	line_says(s, "layers", "No routes between hosts are on 1 layer; `layers switches`");
}

static void routes_of_switches_count(void **state)
{
	AUTO_SESSION struct session *s = routed("xgft:6,6,3:1,6,6", "lash");
	AUTO_SCENE struct scene sc = {0};

	scene_take(&sc, s);
	const struct lash *l = lash_of(sc.sweep->routing);
	AUTO_ARENA struct cdg *c = cdg_new(sc.sweep->routing, CDG_ALL_VLS, true, NULL, NULL);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_layers, "switches", NULL);
	pane_title_is(v, "lash with switches: 4 layers, balanced");
	assert_int_equal(v->n_rows, l->plan->need);
	for (uint32_t i = 0; i < v->n_rows; i++)
		assert_int_equal(view_number(v, i, 6), c->vl_routes[i]);
	expect_place(v, 0, "layer", "0 switches");
	pane_footer_is(v, "no credit loops");
	view_free(v);
	v = pane_settled(&sc, &view_cdg, "0", "switches");
	expect_place(v, 0, "loop", "0 switches");
	for (uint32_t i = 0; i < v->n_rows; i++)
		assert_int_equal(view_number(v, i, 4), c->load[i]);
	view_free(v);
	v = pane_settled(&sc, &view_cycle, "all", "switches");
	assert_int_equal(v->n_rows, 0);
}

/* "and N more" leads to all routes of the step. */
static void the_rest_of_the_routes_is_shown(void **state)
{
	char group[] = "1", layer[] = "0", step[] = "1", *argv[] = {layer, group, step};
	AUTO_SESSION struct session *s = routed("ring:9", "minhop");
	AUTO_SCENE struct scene sc = {0};
	uint32_t row = 0;
	AUTO_TEXT struct text t = {0};
	struct err e;

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_cycle, NULL, NULL);
	while (!strstr(text_str(&t), "and ")) {
		text_clear(&t);
		view_cell(v, row++, 0, &t);
	}
	pane_cell_is(v, row - 1, 0, "    and 3 more");
	pane_follow_is(v, row - 1, "pane cycle 0 1 1");
	view_free(v);
	v = view_new(&view_cycle, &sc, 3, argv, &e);
	assert_non_null(v);
	assert_true(view_settle(v, NULL));
	pane_title_is(v, "Credit loops of VL 0 ── group 1 of 2: 9 channels, step 1");
	pane_cell_is(v, 0, 2, "6");
	uint32_t all = v->n_rows;
	assert_int_equal(all, 7);
}

static void moved_pairs_say_so(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:4x4", "lash");
	AUTO_SCENE struct scene sc = {0};
	unsigned moved = 0;

	scene_take(&sc, s);
	const struct lash *l = lash_of(sc.sweep->routing);
	for (uint32_t b = 1; b < s->fabric->n_switches; b++) {
		if (lash_first_layer_of(l, 0, b))
			continue;
		const char *from = switch_name(s->fabric, 0), *to = switch_name(s->fabric, b);
		AUTO_VIEW struct view *v = pane_settled(&sc, &view_cycle, from, to);
		bool stays = !lash_layer_of(l, 0, b);

		pane_title_is(v, line_of("%s and %s ── %s", from, to,
					 stays ? "the lowest layer took the pair"
					       : "layer 0 took the pair; balancing moved it to layer 1"));
		moved += !stays;
	}
	assert_true(moved);
}

static void a_refused_mesh_says_why(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:26x26", "minhop");
	AUTO_SCENE struct scene sc = {0};
	AUTO_TEXT struct text t = {0};

	ok_line(s, "route lash");
	scene_take(&sc, s);
	AUTO_VIEW struct view *v = pane_settled(&sc, &view_mesh, NULL, NULL);
	view_title(v, &t);
	assert_non_null(strstr(text_str(&t), "Mesh ── lash refused: the routes need more than 8 layers"));
}

static void pairs_are_explained(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:4x4", "lash");

	line_says(s, "why node0002 node0004",
		  "Not in layer 0: that would have closed the cycle\n  t02[4] ->");
	line_says(s, "why node0001 node0006", "Balancing moved it to layer 1.");
	ok_line(s, "route minhop");
	line_says(s, "why node0001 node0006", "Decided: first of equals: At t00: 2 of 2 ports had ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(witnesses_are_closed_walks),
		cmocka_unit_test(cuts_are_witnesses),
		cmocka_unit_test(a_loop_is_walked_round),
		cmocka_unit_test(dependencies_add_up),
		cmocka_unit_test(results_go_with_their_routing),
		cmocka_unit_test(mesh_is_listed_by_coordinates),
		cmocka_unit_test(loops_are_seen_from_each_of_their_vls),
		cmocka_unit_test(routes_of_switches_count),
		cmocka_unit_test(a_layer_without_hosts_has_a_hint),
		cmocka_unit_test(the_rest_of_the_routes_is_shown),
		cmocka_unit_test(moved_pairs_say_so),
		cmocka_unit_test(a_refused_mesh_says_why),
		cmocka_unit_test(pairs_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
