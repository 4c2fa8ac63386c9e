/*
 * The map's near scales on a session: any size, any key, with failures and paths; what Enter and Backspace
 * do, what placeholders name.
 */
#include "fixture.h"

#include "core/base/rng.h"
#include "views/map/map.h"

struct bench {
	struct session *session;
	struct scene scene;
	struct view *view;
	struct canvas canvas;
};

static void bring_up(struct bench *b)
{
	if (scene_stale(&b->scene, b->session)) {
		scene_take(&b->scene, b->session);
		scene_drop_results(&b->scene);
	}
	assert_true(view_settle(b->view, NULL));
}

static void say(struct bench *b, const char *line)
{
	ok_line(b->session, line);
	bring_up(b);
}

/* The same of a line that may have nothing to do. */
static void try_to(struct bench *b, const char *line)
{
	struct err e;
	int rc;

	free(run_line(b->session, line, &rc, &e, false, NULL));
	bring_up(b);
}

/* The map of a fabric with tables of minhop, in one of its scales. */
static void begin(struct bench *b, const char *fabric, const char *scale)
{
	char word[20];
	char *argv[] = {word};
	struct err e = {0};

	*b = (struct bench){.session = session_new(all_engines, all_commands)};
	ok_linef(b->session, "%s %s", synth_is_spec(fabric) ? "synth" : "load", fabric);
	ok_line(b->session, "route minhop");
	scene_take(&b->scene, b->session);
	snprintf(word, sizeof(word), "%s", scale);
	b->view = view_new(&view_map, &b->scene, 1, argv, &e);
	if (!b->view)
		fail_msg("%s", e.msg);
	bring_up(b);
}

static void end(struct bench *b)
{
	view_free(b->view);
	scene_release(&b->scene);
	scene_drop_results(&b->scene);
	session_free(b->session);
	canvas_free(&b->canvas);
}

static void draw(struct bench *b, int w, int h, bool ascii)
{
	canvas_clear(&b->canvas, w, h, ascii);
	if (w > 0 && h > 0)
		b->view->ops->draw(b->view, &b->canvas);
	for (int i = 0; i < w * h && ascii; i++)
		assert_in_range(b->canvas.cell[i].ch, 0x20, 0x7e);
}

static bool shows(const struct bench *b, const char *what)
{
	bool found = false;

	for (int y = 0; y < b->canvas.h && !found; y++) {
		AUTO_TEXT struct text t = {0};

		canvas_row(&b->canvas, y, &t);
		found = strstr(text_str(&t), what) != NULL;
	}
	return found;
}

static void must_show(const struct bench *b, const char *what)
{
	struct text t = {0};

	if (shows(b, what))
		return;
	for (int y = 0; y < b->canvas.h; y++) {
		canvas_row(&b->canvas, y, &t);
		text_putc(&t, '\n');
	}
	fail_msg("\"%s\" is not in:\n%s", what, text_str(&t));
}

static void press(struct bench *b, const char *keys)
{
	struct err e;
	char back[] = "back", *argv[] = {back};

	for (; *keys; keys++) {
		struct text t = {0};
		uint32_t row;

		draw(b, 78, 20, false);
		switch (*keys) {
		case 'l':
			b->view->ops->move(b->view, -1, 0);
			break;
		case 'r':
			b->view->ops->move(b->view, 1, 0);
			break;
		case 'u':
			b->view->ops->move(b->view, 0, -1);
			break;
		case 'd':
			b->view->ops->move(b->view, 0, 1);
			break;
		case 'b':
			b->view->ops->words(b->view, 1, argv, &e);
			break;
		default:
			assert_true(view_selected(b->view, &row));
			view_follow(b->view, row, &t);
			text_free(&t);
			break;
		}
	}
	draw(b, 78, 20, false);
}

static void placeholder_is(struct bench *b, const char *what, const char *expected)
{
	AUTO_TEXT struct text t = {0};
	uint32_t row;

	assert_true(view_selected(b->view, &row));
	if (!view_place(b->view, row, what, &t))
		assert_string_equal(expected, "-");
	else
		assert_string_equal(text_str(&t), expected);
}

static void select_switch(struct bench *b, const char *name)
{
	const struct fabric *f = b->scene.fabric;

	for (uint32_t s = 0; s < f->n_switches; s++)
		if (!strcmp(switch_name(f, s), name)) {
			map_select(b->view, s);
			return;
		}
	fail_msg("no switch %s", name);
}

static void follow_is(struct bench *b, const char *expected)
{
	AUTO_TEXT struct text t = {0};
	uint32_t row;

	assert_true(view_selected(b->view, &row));
	view_follow(b->view, row, &t);
	assert_string_equal(text_str(&t), expected);
}

static void test_around_keys(void **state)
{
	struct bench b;

	begin(&b, "xgft:4,4,4:1,2,2", "around");
	select_switch(&b, "spine-02");
	press(&b, "");
	must_show(&b, "6 switches, 0 hosts");
	placeholder_is(&b, "switch", "spine-02");
	follow_is(&b, "pane ports spine-02");
	press(&b, "d");
	placeholder_is(&b, "port", "spine-02[2]");
	placeholder_is(&b, "peer", "leaf-02");
	press(&b, "r");
	placeholder_is(&b, "port", "spine-02[3]");
	placeholder_is(&b, "switch", "spine-02");
	press(&b, "e");
	placeholder_is(&b, "switch", "leaf-03");
	press(&b, "d");
	follow_is(&b, "pane hosts; search node0010");
	press(&b, "uul");
	placeholder_is(&b, "peer", "spine-01");
	press(&b, "e");
	placeholder_is(&b, "switch", "spine-01");
	press(&b, "b"); /* where one came from, on the way that was taken */
	placeholder_is(&b, "switch", "leaf-03");
	placeholder_is(&b, "peer", "spine-01");
	press(&b, "b");
	placeholder_is(&b, "switch", "spine-02");
	placeholder_is(&b, "peer", "leaf-03");
	end(&b);
}

/* A click on the entry of a port, and on the box. */
static void test_around_click(void **state)
{
	struct bench b;
	struct canvas_object at = {NO_ID, NO_ID};

	begin(&b, "xgft:4,4,4:1,2,2", "around");
	select_switch(&b, "leaf-03");
	press(&b, "");
	uint32_t sw = map_selected(b.view);
	uint32_t port = switch_port_id(b.scene.fabric, sw, 6);
	for (int i = 0; i < b.canvas.w * b.canvas.h; i++)
		if (b.canvas.cell[i].object.port == port)
			at = b.canvas.cell[i].object;
	assert_int_equal(at.port, port);
	b.view->ops->hit(b.view, at);
	placeholder_is(&b, "port", "leaf-03[6]");
	assert_int_equal(map_selected(b.view), sw);
	at.port = NO_ID;
	b.view->ops->hit(b.view, at);
	placeholder_is(&b, "port", "-");
	end(&b);
}

/* `+` goes past a scale that has no room, and says what it needs. */
static void test_not_offered(void **state)
{
	char in[] = "in", whole[] = "whole", *argv[] = {in}, *other[] = {whole};
	struct err e = {0};
	struct bench b;

	begin(&b, "xgft:4,4,4:1,2,2", "overview");
	draw(&b, 78, 20, false);
	assert_int_equal(b.view->ops->words(b.view, 1, argv, &e), 0);
	assert_ptr_equal(map_of(b.view)->scale, &map_around);
	assert_string_equal(e.msg, "map: whole is not offered: it needs 176 x 17, the pane has 78 x 20");
	draw(&b, 78, 20, false);
	assert_int_equal(b.view->ops->words(b.view, 1, other, &e), -1);
	assert_string_equal(e.msg, "map: whole is not offered: it needs 176 x 17, the pane has 78 x 20");
	end(&b);
	begin(&b, "random:24,4", "overview");
	draw(&b, 78, 20, false);
	assert_int_equal(b.view->ops->words(b.view, 1, argv, &e), 0);
	assert_string_equal(e.msg, "map: whole is not offered: trees, grids, rings and groups have one");
	end(&b);
}

/* < and > lead to the same place in the next plane or group. */
static void test_whole_planes(void **state)
{
	char what[] = "plane", *argv[] = {what};
	struct err e;
	struct bench b;

	begin(&b, "torus:3x3x3", "whole");
	select_switch(&b, "t120");
	draw(&b, 120, 40, false);
	assert_int_equal(b.view->ops->words(b.view, 1, argv, &e), 0);
	placeholder_is(&b, "switch", "t121");
	end(&b);
}

static void test_around_marks(void **state)
{
	struct bench b;

	begin(&b, "xgft:4,4:1,2,parallel=2", "around");
	select_switch(&b, "leaf-01");
	press(&b, "");
	must_show(&b, "5x2 ");
	assert_false(shows(&b, "!"));
	say(&b, "fail link leaf-01[5]");
	press(&b, "");
	must_show(&b, "spine-01!"); /* one of two cables is left */
	say(&b, "fail link leaf-01[6]");
	press(&b, "");
	must_show(&b, "5x2 x  spine-01!");
	end(&b);
}

static void test_whole_marks(void **state)
{
	struct bench b;

	begin(&b, "xgft:4,4:1,2,parallel=2", "whole");
	press(&b, "");
	must_show(&b, "[leaf-01]");
	must_show(&b, "16 links in 8 bundles");
	must_show(&b, "5x2");
	say(&b, "fail link leaf-01[5]");
	press(&b, "");
	must_show(&b, "1x");
	say(&b, "fail link leaf-01[6]");
	press(&b, "");
	assert_false(shows(&b, "1x "));
	must_show(&b, "x");
	end(&b);
}

/* Arrow keys lead to every box. */
static void walk_whole(const char *fabric, int w, int h)
{
	static const int key[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
	struct bench b;
	uint32_t *todo, n = 0, of;

	begin(&b, fabric, "whole");
	of = b.scene.fabric->n_switches;
	todo = NEW_ARRAY(of + 1, uint32_t);
	AUTO_FREE uint8_t *seen = NEW_ARRAY(of + 1, uint8_t);
	draw(&b, w, h, false);
	assert_false(shows(&b, "not offered"));
	todo[n++] = map_selected(b.view);
	seen[todo[0]] = 1;
	for (uint32_t at = 0; at < n; at++) {
		for (int k = 0; k < 4; k++) {
			map_select(b.view, todo[at]);
			b.view->ops->move(b.view, key[k][0], key[k][1]);
			if (!seen[map_selected(b.view)]++)
				todo[n++] = map_selected(b.view);
		}
	}
	assert_int_equal(n, of);
	free(todo);
	end(&b);
}

static void test_whole_keys(void **state)
{
	walk_whole("tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", 78, 14);
	walk_whole("torus:4x4", 78, 20);
	walk_whole("torus:3x3x3", 120, 40);
	walk_whole("ring:7", 60, 20);
	walk_whole("dragonfly:4,2,2", 198, 40);
	walk_whole("xgft:4,4,4:1,2,2", 198, 40);
}

/* Any key at any size, with what failed and what is marked. */
static void wander(const char *fabric, const char *scale, uint64_t *seed)
{
	static const char *const overlays[] = {"none",	"links",  "path",    "cycle",
					       "layer", "failed", "changed", "transition"};
	struct bench b;
	char overlay[] = "overlay", name[20], *argv[] = {overlay, name};
	struct err e;

	begin(&b, fabric, scale);
	try_to(&b, "fail random 2");
	try_to(&b, rng_below(seed, 2) ? "undo" : "fail random 1");
	for (int i = 0; i < 150; i++) {
		static const char keys[] = "lrudlrudeb";
		char key[2] = {keys[rng_below(seed, sizeof(keys) - 1)], 0};
		bool small = rng_below(seed, 2);

		if (!rng_below(seed, 10)) {
			snprintf(name, sizeof(name), "%s", overlays[rng_below(seed, ARRAY_LEN(overlays))]);
			b.view->ops->words(b.view, 2, argv, &e);
		}
		if (!rng_below(seed, 40))
			try_to(&b, "fail random 1");
		if (!rng_below(seed, 40))
			try_to(&b, "reset");
		press(&b, key);
		bring_up(&b);
		draw(&b, (int)rng_below(seed, small ? 30 : 210), (int)rng_below(seed, small ? 10 : 60),
		     rng_below(seed, 2));
	}
	end(&b);
}

static void test_any_size(void **state)
{
	static const char *const fabrics[] = {
		"tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover",
		"xgft:4,4,4:1,2,2",
		"torus:3x3x3",
		"ring:6",
		"dragonfly:4,2,2",
		"hyperx:4x4",
		"random:24,4",
		"mesh:2",
		"xgft:4:1",
	};
	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		wander(fabrics[i], "around", &seed);
		wander(fabrics[i], "whole", &seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_around_keys),  cmocka_unit_test(test_around_marks),
		cmocka_unit_test(test_around_click), cmocka_unit_test(test_whole_planes),
		cmocka_unit_test(test_not_offered),  cmocka_unit_test(test_whole_marks),
		cmocka_unit_test(test_whole_keys),   cmocka_unit_test(test_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
