/* Cells of drawings: clipping, text, objects, frames, lines in dots and in ASCII. */
#include "fixture.h"

#include "views/base/canvas.h"

static void expect_row(const struct canvas *c, int y, const char *want)
{
	AUTO_TEXT struct text t = {0};

	canvas_row(c, y, &t);
	assert_string_equal(text_str(&t), want);
}

static void test_clip(void **state)
{
	struct canvas c = {0};

	canvas_clear(&c, 4, 2, false);
	assert_null(canvas_put(&c, -1, 0, 'a', CANVAS_PLAIN));
	assert_null(canvas_put(&c, 4, 0, 'a', CANVAS_PLAIN));
	assert_null(canvas_put(&c, 0, 2, 'a', CANVAS_PLAIN));
	assert_non_null(canvas_put(&c, 3, 1, 'z', CANVAS_BAD));
	assert_int_equal(canvas_text(&c, 2, 0, 9, "abcdef", CANVAS_LABEL), 6);
	expect_row(&c, 0, "  ab");
	expect_row(&c, 1, "   z");
	assert_int_equal(canvas_at(&c, 3, 1)->role, CANVAS_BAD);
	canvas_text(&c, -1, 1, 3, "xyz", CANVAS_PLAIN);
	expect_row(&c, 1, "yz z");
	canvas_clear(&c, -3, 7, false);
	assert_null(canvas_at(&c, 0, 0));
	canvas_line(&c, 0, 0, 10, 10, CANVAS_PLAIN);
	canvas_box(&c, 0, 0, 5, 5, CANVAS_PLAIN);
	canvas_clear(&c, 2, 1, false);
	expect_row(&c, 0, "");
	canvas_free(&c);
	assert_null(c.cell);
}

static void test_text(void **state)
{
	AUTO_CANVAS struct canvas c = {0};

	canvas_clear(&c, 10, 3, false);
	assert_int_equal(canvas_text(&c, 0, 0, 5, "grün ◆ x", CANVAS_PLAIN), 5);
	expect_row(&c, 0, "grün");
	assert_int_equal(canvas_text_cut(&c, 0, 1, 5, "abcdefgh", CANVAS_PLAIN), 5);
	expect_row(&c, 1, "abcd…");
	assert_int_equal(canvas_text_cut(&c, 0, 2, 5, "abcde", CANVAS_PLAIN), 5);
	expect_row(&c, 2, "abcde");
	canvas_clear(&c, 10, 3, true);
	canvas_text_cut(&c, 0, 0, 6, "◆ ● ━ ▒ x", CANVAS_PLAIN);
	expect_row(&c, 0, "* @ =.");
	canvas_textf(&c, 0, 1, CANVAS_PLAIN, "%d\x1b[31m\a!", 5); /* control characters do not come in */
	for (int x = 0; x < 10; x++)
		assert_true(canvas_at(&c, x, 1)->ch >= ' ' && canvas_at(&c, x, 1)->ch < 0x7f);
	assert_int_equal(canvas_at(&c, 0, 1)->ch, '5');
}

static void test_ascii(void **state)
{
	static const uint32_t used[] = {0x2500, 0x2502, 0x2501, 0x2503, 0x250c, 0x2514, 0x2517,
					0x00b7, 0x2591, 0x2592, 0x2593, 0x2588, 0x25cf, 0x25c6,
					0x25b8, 0x25c2, 0x2191, 0x2193, 0x2192, 0x2026};

	for (size_t i = 0; i < ARRAY_LEN(used); i++) {
		assert_true(canvas_ascii(used[i]) > ' ' && canvas_ascii(used[i]) < 0x7f);
		assert_int_not_equal(canvas_ascii(used[i]), '?');
	}
	for (uint32_t ch = ' '; ch < 0x7f; ch++)
		assert_int_equal(canvas_ascii(ch), ch);
	/* the five shades differ */
	for (size_t i = 7; i < 12; i++)
		for (size_t k = i + 1; k < 12; k++)
			assert_int_not_equal(canvas_ascii(used[i]), canvas_ascii(used[k]));
}

static void test_objects(void **state)
{
	AUTO_CANVAS struct canvas c = {0};

	canvas_clear(&c, 4, 3, false);
	assert_int_equal(canvas_at(&c, 1, 1)->object.row, NO_ID);
	canvas_object(&c, 1, 1, 9, 1, (struct canvas_object){7, 42});
	assert_int_equal(canvas_at(&c, 0, 1)->object.row, NO_ID);
	assert_int_equal(canvas_at(&c, 3, 1)->object.row, 7);
	assert_int_equal(canvas_at(&c, 3, 1)->object.port, 42);
	canvas_put(&c, 3, 1, 'x', CANVAS_PLAIN); /* what is under it stays */
	assert_int_equal(canvas_at(&c, 3, 1)->object.row, 7);
	canvas_clear(&c, 4, 3, false);
	assert_int_equal(canvas_at(&c, 3, 1)->object.row, NO_ID);
}

static void test_box(void **state)
{
	AUTO_CANVAS struct canvas c = {0};

	canvas_clear(&c, 5, 3, false);
	canvas_put(&c, 2, 1, 'o', CANVAS_PLAIN);
	canvas_box(&c, 0, 0, 5, 3, CANVAS_DIM);
	expect_row(&c, 0, "┌───┐");
	expect_row(&c, 1, "│ o │");
	expect_row(&c, 2, "└───┘");
	canvas_clear(&c, 5, 3, true);
	canvas_box(&c, 0, 0, 5, 3, CANVAS_DIM);
	expect_row(&c, 0, "+---+");
	expect_row(&c, 1, "|   |");
}

static void test_lines(void **state)
{
	struct canvas c = {0};

	canvas_clear(&c, 4, 2, false);
	canvas_line(&c, 0, 0, 0, 7, CANVAS_PATH);
	expect_row(&c, 0, "⡇");
	expect_row(&c, 1, "⡇");
	assert_int_equal(canvas_at(&c, 0, 1)->role, CANVAS_PATH);
	canvas_line(&c, 1, 0, 1, 3, CANVAS_BACK); /* dots join */
	expect_row(&c, 0, "⣿");
	canvas_clear(&c, 4, 1, false);
	canvas_put(&c, 1, 0, 'o', CANVAS_PLAIN);
	canvas_line(&c, 7, 0, 0, 0, CANVAS_PATH); /* backwards, under a cell */
	expect_row(&c, 0, "⠉o⠉⠉");
	canvas_across(&c, 0, 9, 0, 0x2501, CANVAS_CYCLE); /* over lines, not over cells */
	expect_row(&c, 0, "━o━━");
	canvas_clear(&c, 6, 3, true);
	canvas_line(&c, 0, 0, 11, 0, CANVAS_PLAIN);
	expect_row(&c, 0, "------");
	canvas_line(&c, 0, 4, 0, 11, CANVAS_PLAIN);
	canvas_line(&c, 4, 4, 8, 11, CANVAS_PLAIN);
	canvas_line(&c, 11, 4, 10, 11, CANVAS_PLAIN);
	assert_int_equal(canvas_at(&c, 0, 1)->ch, '|');
	assert_int_equal(canvas_at(&c, 2, 1)->ch, '\\');
	assert_int_equal(canvas_at(&c, 5, 2)->ch, '|');
	assert_true(canvas_is_free(&c, 0, 1));
	assert_false(canvas_is_free(&c, 6, 1));
	canvas_free(&c);
}

/* Both ends of any line within are drawn, whatever its direction. */
static void test_any_line(void **state)
{
	AUTO_CANVAS struct canvas c = {0};

	for (int i = 0; i < 20 * 20; i++) {
		int x0 = i % 20, y0 = i / 20 % 20, x1 = (i * 7 + 3) % 20, y1 = (i * 11 + 5) % 20;

		canvas_clear(&c, 10, 5, false);
		canvas_line(&c, x0, y0, x1, y1, CANVAS_PATH);
		assert_true(canvas_at(&c, x0 / 2, y0 / 4)->dots);
		assert_true(canvas_at(&c, x1 / 2, y1 / 4)->dots);
		canvas_line(&c, x0 - 30, y0 - 40, x1 + 50, y1 + 30, CANVAS_PATH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clip),	 cmocka_unit_test(test_text), cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_objects),	 cmocka_unit_test(test_box),  cmocka_unit_test(test_lines),
		cmocka_unit_test(test_any_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
