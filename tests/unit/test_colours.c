/* tui/colours: every scheme has every style, shades differ by brightness, and COLORFGBG tells the background.
 */
#include <math.h>
#include "tui/colours.h"
#include "tests/unit/fixture.h"

#define MONO (COLOUR_SCHEMES - 1)
#define LIGHT 2

/* One part of a colour of xterm, 0..255. */
static int part(short colour, int k)
{
	static const int low[16][3] = {
		{0, 0, 0},     {205, 0, 0},	{0, 205, 0},	 {205, 205, 0},	  {0, 0, 238}, {205, 0, 205},
		{0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0},	  {0, 255, 0}, {255, 255, 0},
		{92, 92, 255}, {255, 0, 255},	{0, 255, 255},	 {255, 255, 255},
	};
	static const int step[] = {0, 95, 135, 175, 215, 255};

	if (colour < 16)
		return low[colour][k];
	if (colour >= 232)
		return 8 + 10 * (colour - 232);
	colour -= 16;
	return step[k == 0 ? colour / 36 : k == 1 ? colour / 6 % 6 : colour % 6];
}

/* Relative luminance of WCAG 2, 0..1. */
static double luminance(short colour)
{
	static const double share[] = {0.2126, 0.7152, 0.0722};
	double sum = 0;

	for (int k = 0; k < 3; k++) {
		double c = part(colour, k) / 255.0;

		sum += share[k] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(short a, short b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

static bool same(struct paint a, struct paint b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

/* A style that nobody has set would be black on black. */
static void test_set(void **state)
{
	for (unsigned k = 0; k < COLOUR_SCHEMES; k++)
		for (int many = 0; many < 2; many++)
			for (int st = 0; st < N_STYLES; st++) {
				struct paint p = colours_paint(k, many, (enum style)st);
				short ground = (short)(p.bg >= 0 ? p.bg : k == LIGHT ? 15 : 0);

				if (k == MONO) {
					assert_true(p.fg == -1 && p.bg == -1);
					continue;
				}
				if (p.fg == -1)
					assert_int_equal(p.bg, -1);
				else if (contrast(p.fg, ground) < (p.bg >= 0 ? 3 : 1.6))
					fail_msg("scheme %s, style %d: %d on %d", colour_schemes[k], st, p.fg,
						 ground);
			}
}

/* Styles that stand for different things on one screen look different. */
static void test_differ(void **state)
{
	static const enum style groups[][6] = {
		{ST_NORMAL, ST_CHANGED, ST_DOWN, ST_DETOUR, ST_SELECT, ST_SELECT_AWAY},
		{ST_NORMAL, ST_PATH, ST_BACK, ST_CYCLE, ST_CHANGED, ST_TOUCHED},
		{ST_SHADE0, ST_SHADE1, ST_SHADE2, ST_SHADE3, ST_SHADE4, ST_BAR},
	};

	for (unsigned k = 0; k < MONO; k++)
		for (int many = 0; many < 2; many++)
			for (size_t g = 0; g < ARRAY_LEN(groups); g++)
				for (int i = 0; i < 6; i++)
					for (int j = 0; j < i; j++)
						if (same(colours_paint(k, many, groups[g][i]),
							 colours_paint(k, many, groups[g][j])))
							fail_msg("scheme %s: styles %d and %d",
								 colour_schemes[k], groups[g][i],
								 groups[g][j]);
	assert_false(same(colours_paint(MONO, false, ST_SELECT), colours_paint(MONO, false, ST_SELECT_AWAY)));
	assert_false(same(colours_paint(MONO, false, ST_NORMAL), colours_paint(MONO, false, ST_SELECT_AWAY)));
}

/* Each shade is brighter than the one before, on a light background darker: hue is not needed. */
static void test_shades(void **state)
{
	for (unsigned k = 0; k < MONO; k++)
		for (int i = ST_SHADE1; i <= ST_SHADE4; i++) {
			short a = colours_paint(k, true, (enum style)(i - 1)).fg,
			      b = colours_paint(k, true, (enum style)i).fg;

			assert_true(a >= 16 && b >= 16);
			assert_int_equal(luminance(b) > luminance(a), k != LIGHT);
			assert_true(contrast(a, b) > 1.25);
		}
}

static void test_background(void **state)
{
	static const char *const light[] = {"0;15", "0;7", "12;9", "0;default;15", ";7"};
	static const char *const dark[] = {
		"15;0", "7;8",	"15;default;0", "default;default",	 "15", "", ";", "0;x",
		"0;16", "0;-1", "0;15x",	"0;99999999999999999999"};

	assert_false(colours_light(NULL));
	for (size_t i = 0; i < ARRAY_LEN(light); i++)
		assert_true(colours_light(light[i]));
	for (size_t i = 0; i < ARRAY_LEN(dark); i++)
		assert_false(colours_light(dark[i]));
}

static void test_told_background(void **state)
{
	static const char *const light[] = {"rgb:ffff/ffff/ffff", "rgb:ff/ff/ff", "rgba:f/f/f/f",
					    "rgb:fdfd/f6f6/e3e3", "rgb:00/ff/00"};
	static const char *const dark[] = {"",
					   "rgb:0000/0000/0000",
					   "rgb:00/00/ff",
					   "rgb:2e2e/3434/3636",
					   "ffff/ffff/ffff",
					   "rgb:ff/ff",
					   "rgb:ff//ff",
					   "rgb:fffff/ff/ff",
					   "rgb:",
					   "rgb:7f/7f/7f"};

	for (size_t i = 0; i < ARRAY_LEN(light); i++)
		assert_true(colours_light_rgb(light[i]));
	for (size_t i = 0; i < ARRAY_LEN(dark); i++)
		assert_false(colours_light_rgb(dark[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_differ),
		cmocka_unit_test(test_shades),
		cmocka_unit_test(test_background),
		cmocka_unit_test(test_told_background),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
