/* What panes about layers ask for beside the loop, and what they make of it. */
#include "fixture.h"
#include "views/views.h"
#include "views/witness.h"

static struct session *routed(const char *spec, const char *engine)
{
	struct session *s = session_new(all_engines);
	char line[100];
	struct err e;

	assert_int_equal(session_set_fabric(s, make_fabric(spec), spec, &e), 0);
	snprintf(line, sizeof(line), "route %s", engine);
	ok_line(s, line);
	return s;
}

/* Bring a pane up to date, computing what it asks for in this thread. */
static void settle(struct scene *sc, struct view *v)
{
	struct progress p = {0};

	for (int turn = 0; turn < 4; turn++) {
		unsigned n = v->n_ask;

		view_refresh(v);
		for (unsigned i = 0; i < v->n_ask; i++) {
			const struct ask *a = &v->ask[i];

			if (scene_result(sc, a))
				continue;
			scene_add_result(
				sc, result_new(a, a->task->run(a->routing, a->base ? a->base->value : NULL,
							       a->arg, &p)));
		}
		if (n && !v->waiting)
			return;
	}
	view_refresh(v);
}

static struct view *open_pane(struct scene *sc, const struct view_ops *ops, const char *a, const char *b)
{
	char x[64] = "", y[64] = "", *argv[] = {x, y};
	struct err e;
	struct view *v;

	snprintf(x, sizeof(x), "%s", a ? a : "");
	snprintf(y, sizeof(y), "%s", b ? b : "");
	v = view_new(ops, sc, b ? 2 : a ? 1 : 0, argv, &e);
	assert_non_null(v);
	settle(sc, v);
	assert_false(v->waiting);
	return v;
}

static void expect_cell(const struct view *v, uint32_t row, unsigned col, const char *want)
{
	struct text t = {0};

	assert_true(row < v->n_rows);
	v->ops->cell(v, row, col, &t);
	assert_string_equal(text_str(&t), want);
	text_free(&t);
}

static void expect_title(const struct view *v, const char *want)
{
	struct text t = {0};

	v->ops->title(v, &t);
	assert_string_equal(text_str(&t), want);
	text_free(&t);
}

static void end(struct scene *sc, struct session *s)
{
	scene_release(sc);
	scene_drop_results(sc);
	assert_int_equal(sc->n_results, 0);
	session_free(s);
}

/* --- witnesses --------------------------------------------------------------------------- */

static void expect_walk(const struct topo *t, const struct witness *w)
{
	bool own = false;

	assert_true(w->n > 2);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct witness_edge *e = &w->edge[i];
		uint32_t peer = t->peer[e->port];

		assert_int_not_equal(peer, NO_ID);
		assert_int_equal(t->fabric->port_node[peer],
				 t->fabric->port_node[w->edge[(i + 1) % w->n].port]);
		assert_true(e->own || e->routes);
		assert_int_equal(e->routes != 0, e->sw != NO_ID);
		own |= e->own;
	}
	assert_true(own);
}

static void witnesses_are_closed_walks(void **state)
{
	struct session *s = routed("torus:4x4", "lash");
	const struct routing *r = session_sweep(s)->routing;
	const struct lash *l = lash_of(r);
	struct progress p = {0};
	unsigned found = 0;

	(void)state;
	for (uint32_t a = 0; a < s->fabric->n_switches; a++) {
		for (uint32_t b = 0; b < s->fabric->n_switches; b++) {
			const uint32_t arg[TASK_ARGS] = {a, b, 0};
			struct witness *w = task_witness.run(r, NULL, arg, &p);
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
	assert_int_equal(found, lash_pairs_before(l, 1));
	session_free(s);
}

/* --- panes ----------------------------------------------------------------------------------- */

static void a_loop_is_walked_round(void **state)
{
	struct session *s = routed("ring:6", "minhop");
	struct scene sc = {0};
	struct view *v;
	uint32_t last;

	(void)state;
	scene_take(&sc, s);
	v = open_pane(&sc, &view_cycle, NULL, NULL);
	expect_title(v, "Credit loops of VL 0 ── group 1 of 2: 6 channels");
	expect_cell(v, 0, 0, "ring0[2] → [3]ring1");
	last = v->n_rows - 1;
	expect_cell(v, last - 1, 0, "ring0, where it began");
	expect_cell(v, last, 0, "next: group 2 of 2");
	view_free(v);
	v = open_pane(&sc, &view_cycle, "0", "3");
	assert_int_equal(v->n_rows, 0);
	expect_title(v, "Credit loops of VL 0 ── 2 groups, no number 3");
	view_free(v);
	end(&sc, s);
}

static void dependencies_add_up(void **state)
{
	struct session *s = routed("torus:4x4", "minhop");
	struct scene sc = {0};
	const struct graph *g;
	struct view *v;
	uint64_t in = 0;

	(void)state;
	scene_take(&sc, s);
	v = open_pane(&sc, &view_cdg, "0", NULL);
	g = v->held[0]->value;
	for (uint32_t i = 0; i < g->cdg->n_channels; i++)
		in += g->in[i];
	assert_int_equal(in, g->cdg->n_deps);
	assert_int_equal(v->n_rows, g->cdg->n_channels);
	for (uint32_t i = 1; i < v->n_rows; i++) /* those on cycles stand first */
		assert_true(view_marks(v, i - 1) || !view_marks(v, i));
	assert_true(view_marks(v, 0) & MARK_HERE);
	view_free(v);
	end(&sc, s);
}

/* A pane keeps what it shows until it is loaded again, also when the scene has moved on. */
static void results_go_with_their_routing(void **state)
{
	struct session *s = routed("ring:6", "minhop");
	struct scene sc = {0};
	struct view *v;

	(void)state;
	scene_take(&sc, s);
	v = open_pane(&sc, &view_layers, NULL, NULL);
	assert_int_equal(sc.n_results, 1);
	expect_title(v, "minhop: 1 layer");
	ok_line(s, "route lash");
	assert_true(scene_stale(&sc, s));
	scene_take(&sc, s);
	scene_drop_results(&sc);
	assert_int_equal(sc.n_results, 0);
	assert_int_not_equal(((const struct graph *)v->held[0]->value)->cdg->n_components, 0);
	view_refresh(v);
	assert_true(v->waiting);
	settle(&sc, v);
	assert_int_equal(((const struct graph *)v->held[0]->value)->cdg->n_components, 0);
	view_free(v);
	end(&sc, s);
}

static void mesh_is_listed_by_coordinates(void **state)
{
	struct session *s = routed("torus:5x5", "minhop");
	struct scene sc = {0};
	struct view *v;

	(void)state;
	ok_line(s, "set do_mesh_analysis TRUE");
	ok_line(s, "route lash");
	scene_take(&sc, s);
	v = open_pane(&sc, &view_mesh, NULL, NULL);
	expect_title(v, "Mesh ── 2 dimensions: 5 x 5");
	assert_int_equal(v->n_rows, 25);
	expect_cell(v, 0, 1, "-2,-2");
	expect_cell(v, 24, 1, "2,2");
	expect_cell(v, 0, 2, "+x 2  -x 3  +y 4  -y 5");
	view_free(v);
	end(&sc, s);
}

static void pairs_are_explained(void **state)
{
	struct session *s = routed("torus:4x4", "lash");

	(void)state;
	line_says(s, "why node0002 node0004",
		  "Not in layer 0: that would have closed the cycle\n  t02[4] ->");
	line_says(s, "why node0001 node0006", "Balancing moved it to layer 1.");
	ok_line(s, "route minhop");
	line_says(s, "why node0001 node0006", "puts no pairs in layers");
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(witnesses_are_closed_walks),
		cmocka_unit_test(a_loop_is_walked_round),
		cmocka_unit_test(dependencies_add_up),
		cmocka_unit_test(results_go_with_their_routing),
		cmocka_unit_test(mesh_is_listed_by_coordinates),
		cmocka_unit_test(pairs_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
