/* The colour schemes, and which one fits the terminal. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "tui/colours.h"

enum { OWN = -1, BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE }; /* values of COLOR_BLACK, .. */

const char *const colour_schemes[] = {"default", "contrast", "light", "mono"};
enum { DEFAULT, CONTRAST, LIGHT, MONO };
static_assert(ARRAY_LEN(colour_schemes) == COLOUR_SCHEMES && MONO == COLOUR_SCHEMES - 1,
	      "each scheme has its name, the one without colours is the last");

static const struct paint paints[][COLOUR_SCHEMES] = {
	[ST_NORMAL] = {{OWN, OWN, 0}, {WHITE, BLACK, A_BOLD}, {OWN, OWN, 0}, {OWN, OWN, 0}},
	[ST_BAR] = {{WHITE, BLUE, A_BOLD}, {BLACK, WHITE, 0}, {BLACK, CYAN, 0}, {OWN, OWN, A_REVERSE}},
	[ST_BORDER] = {{OWN, OWN, A_DIM}, {WHITE, BLACK, 0}, {OWN, OWN, 0}, {OWN, OWN, 0}},
	[ST_BORDER_FOCUS] = {{CYAN, OWN, 0},
			     {YELLOW, BLACK, A_BOLD},
			     {BLUE, OWN, A_BOLD},
			     {OWN, OWN, A_BOLD}},
	[ST_TITLE] = {{OWN, OWN, A_BOLD}, {WHITE, BLACK, A_BOLD}, {OWN, OWN, A_BOLD}, {OWN, OWN, A_BOLD}},
	[ST_HEADER] = {{CYAN, OWN, 0}, {YELLOW, BLACK, 0}, {BLUE, OWN, 0}, {OWN, OWN, A_UNDERLINE}},
	[ST_SELECT] = {{BLACK, CYAN, 0}, {BLACK, YELLOW, 0}, {WHITE, BLUE, 0}, {OWN, OWN, A_REVERSE}},
	[ST_SELECT_AWAY] = {{OWN, OWN, A_REVERSE},
			    {BLACK, WHITE, 0},
			    {OWN, OWN, A_REVERSE},
			    {OWN, OWN, A_BOLD}},
	[ST_CHANGED] = {{YELLOW, OWN, A_BOLD},
			{YELLOW, BLACK, A_BOLD},
			{BLUE, OWN, A_BOLD},
			{OWN, OWN, A_BOLD}},
	[ST_DOWN] = {{RED, OWN, A_BOLD}, {WHITE, RED, A_BOLD}, {RED, OWN, A_BOLD}, {OWN, OWN, A_BOLD}},
	[ST_DETOUR] = {{MAGENTA, OWN, 0}, {MAGENTA, BLACK, A_BOLD}, {MAGENTA, OWN, 0}, {OWN, OWN, 0}},
	[ST_KEY] = {{OWN, OWN, A_BOLD}, {YELLOW, BLACK, A_BOLD}, {OWN, OWN, A_BOLD}, {OWN, OWN, A_BOLD}},
	[ST_LABEL] = {{BLACK, CYAN, 0}, {BLACK, WHITE, 0}, {WHITE, BLUE, 0}, {OWN, OWN, A_REVERSE}},
	[ST_ERROR] = {{RED, OWN, A_BOLD}, {WHITE, RED, A_BOLD}, {RED, OWN, A_BOLD}, {OWN, OWN, A_BOLD}},
	[ST_ECHO] = {{GREEN, OWN, 0}, {GREEN, BLACK, A_BOLD}, {GREEN, OWN, 0}, {OWN, OWN, A_BOLD}},
	[ST_DIM] = {{OWN, OWN, A_DIM}, {WHITE, BLACK, 0}, {OWN, OWN, 0}, {OWN, OWN, 0}},
	[ST_PATH] = {{BLUE, OWN, A_BOLD}, {CYAN, BLACK, A_BOLD}, {CYAN, OWN, A_BOLD}, {OWN, OWN, A_BOLD}},
	[ST_BACK] = {{MAGENTA, OWN, 0}, {MAGENTA, BLACK, A_BOLD}, {MAGENTA, OWN, 0}, {OWN, OWN, 0}},
	[ST_CYCLE] = {{RED, OWN, A_BOLD}, {WHITE, RED, A_BOLD}, {RED, OWN, A_BOLD}, {OWN, OWN, A_BOLD}},
	[ST_SHADE0] = {{OWN, OWN, A_DIM}, {WHITE, BLACK, 0}, {OWN, OWN, A_DIM}, {OWN, OWN, 0}},
	[ST_SHADE1] = {{CYAN, OWN, 0}, {CYAN, BLACK, 0}, {BLUE, OWN, 0}, {OWN, OWN, 0}},
	[ST_SHADE2] = {{OWN, OWN, 0}, {WHITE, BLACK, A_BOLD}, {OWN, OWN, 0}, {OWN, OWN, 0}},
	[ST_SHADE3] = {{YELLOW, OWN, 0}, {YELLOW, BLACK, A_BOLD}, {MAGENTA, OWN, 0}, {OWN, OWN, 0}},
	[ST_SHADE4] = {{RED, OWN, 0}, {RED, BLACK, A_BOLD}, {RED, OWN, 0}, {OWN, OWN, 0}},
	[ST_TOUCHED] = {{YELLOW, OWN, A_REVERSE},
			{YELLOW, BLACK, A_REVERSE},
			{BLUE, OWN, A_REVERSE},
			{OWN, OWN, A_BOLD}},
};
static_assert(ARRAY_LEN(paints) == N_STYLES, "each style has its paint");

/*
 * Shades from light to heavy for terminals with 256 colours: blue, teal, green, yellow like viridis. Each is
 * brighter than the one before, on a light background darker, so that colour-blind people tell them apart.
 */
static const short shades[MONO][ST_SHADE4 - ST_SHADE0 + 1] = {
	[DEFAULT] = {61, 31, 36, 113, 227},
	[CONTRAST] = {62, 33, 37, 113, 227},
	[LIGHT] = {178, 71, 30, 25, 54},
};

/* Quieter colours for what is no news, for terminals with 256 colours. */
static const struct {
	enum style st;
	struct paint dark, light;
} quiet[] = {
	{ST_BAR, {231, 24, A_BOLD}, {231, 24, A_BOLD}},	      {ST_BORDER, {240, OWN, 0}, {249, OWN, 0}},
	{ST_SELECT, {231, 25, A_BOLD}, {231, 238, A_BOLD}},   {ST_SELECT_AWAY, {255, 239, 0}, {234, 252, 0}},
	{ST_CHANGED, {214, OWN, A_BOLD}, {130, OWN, A_BOLD}}, {ST_LABEL, {252, 238, 0}, {236, 253, 0}},
	{ST_PATH, {75, OWN, A_BOLD}, {26, OWN, A_BOLD}},      {ST_DIM, {245, OWN, 0}, {242, OWN, 0}},
};

struct paint colours_paint(unsigned scheme, bool many, enum style st)
{
	assert(scheme < COLOUR_SCHEMES && st < N_STYLES);
	struct paint p = paints[st][scheme];
	if (!many || scheme == MONO)
		return p;
	if (st >= ST_SHADE0 && st <= ST_SHADE4)
		return (struct paint){shades[scheme][st - ST_SHADE0], p.bg, 0};
	for (size_t i = 0; i < ARRAY_LEN(quiet) && scheme != CONTRAST; i++)
		if (quiet[i].st == st)
			p = scheme == LIGHT ? quiet[i].light : quiet[i].dark;
	return p;
}

bool colours_light(const char *fgbg)
{
	const char *bg = fgbg ? strrchr(fgbg, ';') : NULL;
	char *end;

	if (!bg || bg[1] < '0' || bg[1] > '9')
		return false;
	long n = strtol(bg + 1, &end, 10);
	return !*end && (n == 7 || (n > 8 && n < 16)); /* 0..6 and 8 (dark grey) are dark */
}

bool colours_light_rgb(const char *rgb)
{
	static const int weight[] = {299, 587, 114}; /* of red, green and blue: ITU-R BT.601 */
	double sum = 0;

	if (strncmp(rgb, "rgb:", 4) && strncmp(rgb, "rgba:", 5))
		return false;
	rgb = strchr(rgb, ':');
	for (int i = 0; i < 3; i++) {
		const char *digits = rgb + 1;
		size_t n = strspn(digits, "0123456789abcdefABCDEF");

		if (n < 1 || n > 4 || (i < 2 && digits[n] != '/'))
			return false;
		sum += weight[i] * (double)strtol(digits, NULL, 16) / (double)((1 << 4 * n) - 1);
		rgb = digits + n;
	}
	return sum > 500;
}

static struct look looks[N_STYLES];
static bool coloured;
static bool chosen; /* by a person or by COLORFGBG, not by what the terminal is taken for */

struct look colours_look(enum style st)
{
	assert(st < N_STYLES);
	return looks[st];
}

bool colours_used(void)
{
	return coloured;
}

int colours_choose(const char *name, struct err *e)
{
	unsigned k = 0;

	chosen = true;

	while (k < COLOUR_SCHEMES && strcmp(colour_schemes[k], name) != 0)
		k++;
	if (k == COLOUR_SCHEMES)
		return err_word(e, "found colour scheme \"%s\", expected one of " COLOURS, name);
	if (k != MONO && !ui.colour)
		return err_set(e, "colours %s: this terminal has no colours, or NO_COLOR is set", name);
	coloured = k != MONO;
	for (int i = 0; i < N_STYLES; i++) {
		struct paint p = colours_paint(k, coloured && COLORS >= 256, (enum style)i);

		looks[i] = (struct look){p.attr, 0};
		if (coloured && init_pair((short)(i + 1), p.fg, p.bg) == OK)
			looks[i].pair = (short)(i + 1);
	}
	return 0;
}

void colours_start(void)
{
	const char *no = getenv("NO_COLOR");

	ui.colour = !(no && *no) && has_colors() && start_color() == OK && COLOR_PAIRS > N_STYLES;
	if (ui.colour)
		use_default_colors();
	if (!ui.colour)
		colours_choose("mono", NULL);
	else
		colours_choose(colours_light(getenv("COLORFGBG")) ? "light" : "default", NULL);
	chosen = !ui.colour || getenv("COLORFGBG");
}

bool colours_open(void)
{
	return !chosen;
}

void colours_background(const char *rgb)
{
	if (!chosen && colours_light_rgb(rgb))
		colours_choose("light", NULL);
}
