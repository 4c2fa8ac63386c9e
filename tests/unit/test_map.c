/*
 * The map on a session: what is drawn for any fabric, size, colour and overlay; where keys and clicks go;
 * that the layout stays when something fails.
 */
#include "fixture.h"

#include "core/trace/walk.h"
#include "views/map/map.h"

struct desk {
	struct session *session;
	struct scene scene;
	struct view *view;
	struct canvas canvas;
};

static void bring_up(struct desk *d)
{
	if (scene_stale(&d->scene, d->session)) {
		scene_take(&d->scene, d->session);
		scene_drop_results(&d->scene);
	}
	assert_true(view_settle(d->view, NULL));
}

static void begin(struct desk *d, const char *spec, const char *route)
{
	struct err e = {0};

	*d = (struct desk){.session = session_new(all_engines, all_commands)};
	ok_linef(d->session, "synth %s; route %s", spec, route);
	scene_take(&d->scene, d->session);
	d->view = view_new(&view_map, &d->scene, 0, NULL, &e);
	assert_non_null(d->view);
	bring_up(d);
}

static void end(struct desk *d)
{
	view_free(d->view);
	scene_release(&d->scene);
	scene_drop_results(&d->scene);
	session_free(d->session);
	canvas_free(&d->canvas);
}

/* As the user interface does: again when the drawing asked for something. */
static void draw(struct desk *d, int w, int h, bool ascii)
{
	for (int i = 0; i < 2; i++) {
		canvas_clear(&d->canvas, w, h, ascii);
		d->view->ops->draw(d->view, &d->canvas);
		assert_int_equal(d->canvas.h, h);
		bring_up(d);
	}
}

static int words(struct desk *d, const char *a, const char *b)
{
	char first[20], second[20], *argv[] = {first, second};
	struct err e = {0};

	snprintf(first, sizeof(first), "%s", a);
	snprintf(second, sizeof(second), "%s", b ? b : "");
	int rc = d->view->ops->words(d->view, b ? 2 : 1, argv, &e);
	assert_true(!rc || e.msg[0]);
	bring_up(d);
	return rc;
}

static void look(struct desk *d, const char *from, const char *to)
{
	struct looked *l = &d->scene.looked;
	const struct fabric *f = d->scene.fabric;
	unsigned lid;

	l->src = f->port_guid[f->endport_port[session_endport(d->session, from, &lid, NULL)]];
	l->dst = f->port_guid[f->endport_port[session_endport(d->session, to, &lid, NULL)]];
}

/* Cells with an object; the selected one is among them, and only it is reverse. */
static uint32_t check_drawn(const struct desk *d)
{
	const struct canvas *c = &d->canvas;
	uint32_t objects = 0, reverse = 0;

	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct canvas_cell *cell = canvas_at(c, x, y);

			assert_true(!c->ascii || (cell->ch >= ' ' && cell->ch < 0x7f));
			assert_true(cell->role < CANVAS_ROLES);
			assert_true(cell->object.row == NO_ID || cell->object.row < d->view->n_rows);
			objects += cell->object.row != NO_ID;
			reverse += cell->reverse;
		}
	assert_int_equal(reverse, 1);
	return objects;
}

static const char *const specs[] = {
	"xgft:4,4,4:1,4,4", "torus:4x4x4", "ring:6",	   "mesh:9",   "dragonfly:4,2,2",
	"director:2,4,3,8", "random:24,4", "hyperx:3x4x5", "hyperx:6", "mesh:2"};

static void test_anything(void **state)
{
	static const int sizes[][2] = {{78, 20}, {198, 46}, {38, 9}, {22, 3}, {4, 2}, {1, 1}};

	for (size_t k = 0; k < ARRAY_LEN(specs); k++) {
		struct desk d;

		begin(&d, specs[k], "minhop");
		ok_line(d.session, "fail random 1 seed=1");
		bring_up(&d);
		look(&d, "node0001", "node0002");
		d.scene.looked.node = d.scene.fabric->node_guid[d.scene.fabric->switch_node[0]];
		d.scene.looked.port = 2;
		for (unsigned o = 0; map_overlay_names[o]; o++) {
			words(&d, "overlay", map_overlay_names[o]);
			words(&d, "colour", NULL);
			for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
				draw(&d, sizes[i][0], sizes[i][1], o & 1);
				check_drawn(&d);
				d.view->ops->move(d.view, (int)(i & 1), !(i & 1));
				d.view->ops->move(d.view, o & 1 ? VIEW_FAR : -VIEW_FAR, 0);
				words(&d, "along", i & 1 ? "previous" : NULL);
				words(&d, "other", NULL);
				words(&d, "plane", i & 1 ? "previous" : NULL);
			}
		}
		end(&d);
	}
}

/* One cell a switch where there is room; the same place whatever fails. */
static void test_nothing_moves(void **state)
{
	for (size_t k = 0; k < ARRAY_LEN(specs); k++) {
		struct desk d;

		begin(&d, specs[k], "minhop");
		draw(&d, 118, 38, false);
		assert_int_equal(check_drawn(&d), d.scene.fabric->n_switches);
		struct canvas was = d.canvas;
		d.canvas = (struct canvas){0};
		const struct layout *l = map_of(d.view)->layout;
		ok_line(d.session, "fail random 1 seed=1; fail switch 0x0002c90300a00000");
		bring_up(&d);
		assert_ptr_equal(map_of(d.view)->layout, l);
		draw(&d, 118, 38, false);
		for (int i = 0; i < was.w * was.h; i++)
			assert_int_equal(was.cell[i].object.row, d.canvas.cell[i].object.row);
		canvas_free(&was);
		end(&d);
	}
}

/* Every switch can be reached by arrow keys, and by clicks on its cell. */
static void test_ways(void **state)
{
	for (size_t k = 0; k < ARRAY_LEN(specs); k++) {
		struct desk d;
		uint32_t reached = 0;

		begin(&d, specs[k], "minhop");
		AUTO_FREE uint8_t *seen = NEW_ARRAY(d.view->n_rows + 1, uint8_t);
		draw(&d, 118, 38, false);
		for (uint32_t i = 0; i < (uint32_t)(d.canvas.w * d.canvas.h); i++) {
			struct canvas_object o = d.canvas.cell[i].object;

			if (o.row == NO_ID)
				continue;
			d.view->ops->hit(d.view, o);
			assert_int_equal(map_of(d.view)->row_of[map_selected(d.view)], o.row);
		}
		for (int plane = 0; plane < 9; plane++, words(&d, "plane", NULL))
			for (int line = 0; line < 40;
			     line++, d.view->ops->move(d.view, 0, plane & 1 ? -1 : 1))
				for (int step = 0; step < 70; step++) {
					uint32_t row = map_of(d.view)->row_of[map_selected(d.view)];

					reached += !seen[row];
					seen[row] = 1;
					d.view->ops->move(d.view, step < 35 ? -1 : 1, 0);
				}
		if (reached != d.view->n_rows)
			fail_msg("%s: %u of %u reached", specs[k], reached, d.view->n_rows);
		end(&d);
	}
}

/* Path, cycle and failure: which switches are marked, and along them. */
static void test_marks(void **state)
{
	struct desk d;

	begin(&d, "ring:6", "dor");
	struct map *m = map_of(d.view);
	assert_int_equal(words(&d, "overlay", "path"), -1); /* nothing was looked at */
	look(&d, "node0001", "node0003");
	assert_int_equal(words(&d, "overlay", "path"), 0);
	draw(&d, 78, 12, false);
	assert_int_equal(m->n_stops, 3);
	assert_int_equal(m->mark[m->stop[0].sw], 'A');
	assert_int_equal(m->mark[m->stop[2].sw], 'B');
	assert_int_equal(m->mark[m->stop[1].sw], 0x25c6);
	map_select(d.view, m->stop[1].sw);
	words(&d, "along", NULL);
	assert_int_equal(map_selected(d.view), m->stop[2].sw);
	words(&d, "other", NULL);
	draw(&d, 78, 12, false);
	assert_int_equal(m->mark[map_selected(d.view)], 'A');
	assert_int_equal(words(&d, "overlay", "cycle"), 0);
	draw(&d, 78, 12, false);
	assert_int_equal(m->n_choices, 2);
	assert_int_equal(m->n_stops, 6);
	assert_int_equal(m->mark[m->stop[5].sw], '6');
	assert_int_equal(words(&d, "overlay", "failed"), -1);
	ok_line(d.session, "fail switch ring3");
	bring_up(&d);
	assert_int_equal(words(&d, "overlay", "failed"), 0);
	draw(&d, 78, 12, false);
	assert_int_equal(m->n_stops, 1);
	assert_int_equal(map_cell_of(d.view, m->stop[0].sw).ch, 'x');
	assert_int_equal(map_cell_of(d.view, m->stop[0].sw).role, CANVAS_BAD);
	assert_int_equal(words(&d, "colour", "blue"), -1);
	assert_int_equal(words(&d, "nonsense", NULL), -1);
	end(&d);
}

static uint32_t red_channels(const struct map *m, const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t port = 0; port < f->n_ports; port++)
		n += (m->channel[port] & MAP_ON_CYCLE) != 0;
	for (uint32_t i = 0; i < m->n_lines; i++) /* a line of a red channel is red, the last one counts */
		assert_true(m->line[i].role != CANVAS_CYCLE || m->channel[m->line[i].port] & MAP_ON_CYCLE);
	return n;
}

/* At a step that refuses: its cycle; at one that forbids a turn: its channels; at others nothing. */
static void test_turn_of_steps(void **state)
{
	static const char *const runs[][2] = {{"torus:4x4", "lash"}, {"xgft:3,3:1,2", "updn"}};

	for (size_t k = 0; k < ARRAY_LEN(runs); k++) {
		uint32_t cycles = 0, turns = 0, others = 0;
		struct desk d;

		begin(&d, runs[k][0], runs[k][1]);
		struct map *m = map_of(d.view);
		ok_line(d.session, "step start");
		for (unsigned step = 1; step <= 120; step++) {
			ok_line(d.session, "step 1");
			scene_release(&d.scene);
			scene_take(&d.scene, d.session);
			struct rec_event ev = *moment_event(d.scene.moment);
			bring_up(&d);
			if (words(&d, "overlay", "turn")) {
				others++;
				assert_true(ev.kind != REC_REFUSE && ev.kind != REC_FORBID);
				continue;
			}
			draw(&d, 78, 18, false);
			uint32_t red = red_channels(m, d.scene.fabric);
			cycles += ev.kind == REC_REFUSE;
			turns += ev.kind == REC_FORBID;
			assert_int_equal(red, ev.kind == REC_REFUSE ? 4 : 2);
		}
		assert_true(others > 10 && (k ? turns > 5 && !cycles : cycles > 1 && !turns));
		end(&d);
	}
}

/* Heads of arrows in a role, but for the lines below the drawing. */
static uint32_t heads_in(const struct canvas *c, enum canvas_role role)
{
	uint32_t n = 0;

	for (int i = 0; i < c->w * (c->h - 3); i++)
		n += c->cell[i].ch >= 0x2190 && c->cell[i].ch <= 0x2193 && c->cell[i].role == role;
	return n;
}

/* Can the channel `from` be reached from itself over dependencies that are drawn whole? */
static bool closed_walk(const struct map *m, uint32_t n_ports, uint32_t from)
{
	AUTO_FREE uint8_t *seen = NEW_ARRAY(n_ports, uint8_t);
	bool more = true, found;

	while (more) {
		more = false;
		for (size_t i = 0; i < m->n_turns; i++) {
			const struct picture_turn *t = &m->turn[i];

			if (t->kind == PICTURE_TURN_MISSING || (t->from != from && !seen[t->from]) ||
			    seen[t->to])
				continue;
			seen[t->to] = 1;
			more = true;
		}
	}
	found = seen[from];
	return found;
}

/* Dependencies in the scale `whole`: arrows; red where they loop, dotted where only other layers have them.
 */
static void test_dependencies(void **state)
{
	static const struct {
		const char *spec, *route;
		unsigned layers;
		bool loops;
	} runs[] = {{"ring:5", "lash qos=TRUE", 2, false},
		    {"ring:5", "minhop", 1, true},
		    {"torus:4x4", "lash qos=TRUE", 2, false},
		    {"xgft:4,4:1,4", "updn", 1, false}};
	static const enum canvas_role roles[] = {CANVAS_PLAIN, CANVAS_CYCLE,
						 CANVAS_DIM}; /* by kind of turn */

	for (size_t k = 0; k < ARRAY_LEN(runs); k++) {
		char *shown[2] = {NULL, NULL};
		struct desk d;

		begin(&d, runs[k].spec, runs[k].route);
		struct map *m = map_of(d.view);
		draw(&d, 118, 40, false);
		assert_int_equal(words(&d, "whole", NULL), 0);
		assert_int_equal(words(&d, "overlay", "dependencies"), 0);
		for (unsigned layer = 0; layer < runs[k].layers; layer++) {
			uint32_t heads[3] = {0}, turns[3] = {0}, boxes = 0;
			struct text t = {0};
			char told[80];

			draw(&d, 118, 40, false);
			assert_int_equal(m->n_choices, runs[k].layers);
			assert_true(m->n_turns > 4);
			for (size_t i = 0; i < m->n_turns; i++) {
				turns[m->turn[i].kind]++;
				if (closed_walk(m, d.scene.fabric->n_ports, m->turn[i].from) != runs[k].loops)
					fail_msg("%s, %s, layer %u: a closed walk is %s", runs[k].spec,
						 runs[k].route, layer, runs[k].loops ? "missing" : "there");
			}
			for (unsigned kind = 0; kind < 3; kind++) {
				heads[kind] = heads_in(&d.canvas, roles[kind]);
				/* in a ring no two heads meet */
				if (k < 2 ? heads[kind] != turns[kind] : !heads[kind] != !turns[kind])
					fail_msg("%s, %s, layer %u: %u heads of %u turns, kind %u",
						 runs[k].spec, runs[k].route, layer, heads[kind], turns[kind],
						 kind);
			}
			/* what is told is what is drawn: without hosts */
			snprintf(told, sizeof(told), "layer %u, %s", layer,
				 PLURAL(turns[PICTURE_TURN] + turns[PICTURE_TURN_ON_CYCLE], "dependency"));
			assert_string_equal(text_str(&m->said), told);
			assert_int_equal(turns[PICTURE_TURN_ON_CYCLE] != 0, runs[k].loops);
			assert_int_equal(turns[PICTURE_TURN_MISSING] != 0, runs[k].layers > 1);
			for (int y = 0; y < d.canvas.h; y++) {
				canvas_row(&d.canvas, y, &t);
				for (const char *at = text_str(&t); (at = strchr(at, '[')); at++)
					boxes++;
				text_free(&t);
			}
			assert_true(boxes >= d.scene.fabric->n_switches);
			for (int y = 0; y < d.canvas.h; y++)
				canvas_row(&d.canvas, y, &t);
			shown[layer] = t.s;
			words(&d, "other", NULL);
		}
		assert_true(!shown[1] || strcmp(shown[0], shown[1]) != 0);
		free(shown[0]);
		free(shown[1]);
		end(&d);
	}
}

/* The turn of `why SWITCH DST via PORT`, on the shortest way through the port. */
static void test_turn(void **state)
{
	struct desk d;
	struct err e = {0};
	char overlay[] = "overlay", turn[] = "turn";
	unsigned lid;

	begin(&d, "xgft:4,4,4:1,4,4", "updn");
	struct map *m = map_of(d.view);
	const struct fabric *f = d.scene.fabric;
	assert_int_equal(d.view->ops->words(d.view, 2, (char *[]){overlay, turn}, &e), -1);
	assert_non_null(strstr(e.msg, "`why SWITCH DST via PORT` shows one"));
	d.scene.looked.via_sw = f->node_guid[session_node(d.session, "spine-01", NULL)];
	d.scene.looked.via_port = 1;
	d.scene.looked.via_dst =
		f->port_guid[f->endport_port[session_endport(d.session, "node0041", &lid, NULL)]];
	assert_int_equal(words(&d, "overlay", "turn"), 0);
	draw(&d, 78, 18, false);
	uint32_t leaf = f->node_switch[session_node(d.session, "leaf-01", NULL)];
	assert_int_equal(m->mark[leaf], '!');
	assert_int_equal(m->n_stops, 6);
	assert_string_equal(text_str(&m->said), "forbidden turn at leaf-01");
	assert_int_equal(red_channels(m, f), 2); /* those of the turn */
	d.scene.looked.via_port = 5;		 /* upwards: nothing is forbidden */
	draw(&d, 78, 18, false);
	assert_int_equal(m->n_stops, 0);
	end(&d);
}

/* Ranks stay readable on the selected switch and on those that are linked to it. */
static void test_digits(void **state)
{
	struct desk d;
	uint32_t leaf, marked = 0;

	begin(&d, "xgft:4,4:1,4", "updn");
	struct map *m = map_of(d.view);
	const struct fabric *f = d.scene.fabric;
	leaf = f->node_switch[session_node(d.session, "leaf-01", NULL)];
	words(&d, "overlay", "links");
	map_select(d.view, leaf);
	draw(&d, 78, 18, false);
	assert_int_equal(map_cell_of(d.view, leaf).ch, 'S');
	words(&d, "colour", "rank");
	draw(&d, 78, 18, false);
	assert_int_equal(map_cell_of(d.view, leaf).ch, '1');
	assert_int_equal(map_cell_of(d.view, leaf).role, CANVAS_SELECTED);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (!m->mark[s])
			continue;
		marked++;
		assert_int_equal(map_cell_of(d.view, s).ch, '0');
		assert_true(map_cell_of(d.view, s).bold);
	}
	assert_int_equal(marked, 4);
	end(&d);
}

static unsigned shade_of(const struct desk *d, const char *name)
{
	uint32_t sw = d->scene.fabric->node_switch[session_node(d->session, name, NULL)];

	return map_of(d->view)->look[sw].role - CANVAS_SHADE0;
}

/* Where a walk through the run stands: the map follows it, and forgets it with the walk. */
static void test_step(void **state)
{
	struct desk d;

	begin(&d, "xgft:4,4,4:1,4,4", "updn");
	assert_int_equal(words(&d, "colour", "step"), -1);
	ok_line(d.session, "step start; step until switch leaf-03");
	bring_up(&d);
	assert_int_equal(words(&d, "colour", "step"), 0);
	assert_int_equal(shade_of(&d, "leaf-03"), 4);
	assert_int_equal(shade_of(&d, "leaf-02"), 2); /* switches come in the order of their GUIDs */
	assert_int_equal(shade_of(&d, "leaf-04"), 0);
	ok_line(d.session, "step until switch leaf-04");
	bring_up(&d);
	assert_int_equal(shade_of(&d, "leaf-03"), 2);
	assert_int_equal(shade_of(&d, "leaf-04"), 4);
	ok_line(d.session, "step to first");
	bring_up(&d);
	assert_int_equal(shade_of(&d, "leaf-03"), 0);
	ok_line(d.session, "step end");
	bring_up(&d);
	assert_int_equal(words(&d, "colour", "step"), -1);
	ok_line(d.session, "step start; step to last; synth ring:3; route minhop");
	bring_up(&d);
	assert_null(d.scene.moment);
	end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anything),     cmocka_unit_test(test_nothing_moves),
		cmocka_unit_test(test_ways),	     cmocka_unit_test(test_marks),
		cmocka_unit_test(test_turn),	     cmocka_unit_test(test_turn_of_steps),
		cmocka_unit_test(test_dependencies), cmocka_unit_test(test_digits),
		cmocka_unit_test(test_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
