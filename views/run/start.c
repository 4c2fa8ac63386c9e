/*
 * The pane `start`: what there is to begin with while no fabric is loaded. Each line has a key, which the
 * keymap binds to the same command line; those of the last files are numbers.
 */
#include <string.h>
#include "views/base/view.h"

enum { C_KEY, C_DOES, C_LINE };

static const struct column columns[] = {
	COL("key", "the key that does it", 4),
	COL("does", "what it does", 54),
	COL("command", "the command line that does the same", 12, .flex = 1, .drop = 1),
};

static const struct beginning {
	const char *key, *does, *line;
} beginnings[] = {
	{"d", "Try it: the demo fabric, routed", "load demo; route minhop"},
	{"o", "Open a file: a saved fabric, or a folder of dumps", "pane open"},
	{"l", "Read the live fabric (nothing is changed on it)", "live"},
	{"t", "Make a torus 4 x 4 x 4, and route it", "synth torus:4x4x4,hosts=2; route dor"},
	{"f", "Make a fat tree of three levels, and route it", "synth xgft:4,4,4:1,4,4; route ftree"},
	{"L", "The first lesson: what a table is", "lesson table"},
	{"?", "Help: all that can be done, searched by words", "pane help start"},
};

#define N_BEGINNINGS ((uint32_t)ARRAY_LEN(beginnings))

static void start_pane_load(struct view *v)
{
	v->n_rows = N_BEGINNINGS + (uint32_t)v->scene->n_recent;
}

static void start_pane_title(const struct view *v, struct text *t)
{
	(void)v;
	text_add(t, "ibscope: where an InfiniBand fabric sends its packets ── press a key");
}

static void start_pane_line_of(const struct view *v, uint32_t row, struct text *t)
{
	if (row < N_BEGINNINGS) {
		text_add(t, "%s", beginnings[row].line);
		return;
	}
	text_add(t, "load ");
	word_text(v->scene->recent[row - N_BEGINNINGS], t);
}

static void start_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (col == C_LINE)
		start_pane_line_of(v, row, t);
	else if (row < N_BEGINNINGS)
		text_add(t, "%s", col == C_KEY ? beginnings[row].key : beginnings[row].does);
	else if (col == C_KEY)
		text_add(t, "%u", row - N_BEGINNINGS + 1);
	else
		text_add(t, "Open again: %s", v->scene->recent[row - N_BEGINNINGS]);
}

static void start_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	start_pane_line_of(v, row, t);
}

const struct view_ops view_start = {
	.name = "start",
	.brief = "shows ways to begin, a key for each, while no fabric is loaded",
	.hints = "follow=take",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS,
	.load = start_pane_load,
	.title = start_pane_title,
	.cell = start_pane_cell,
	.follow = start_pane_follow,
};
