/* The whole screen, and the results for which panes wait. */
#include <curses.h>
#include <string.h>
#include "tui/ui.h"

/* Hands over the results that have arrived, and starts those that the topmost panes request. */
static void serve_panes(void)
{
	struct ask a[SLOT_REPL * VIEW_ASKS];
	unsigned n = 0;

	background_take(&ui.scene);
	for (int p = 0; p < SLOT_REPL; p++) {
		const struct view *v = pane_top((enum place_id)p);

		if (!v || !v->loaded || v->serial != ui.scene.serial)
			continue;
		for (unsigned i = 0; i < v->n_ask; i++)
			if (!scene_result(&ui.scene, &v->ask[i]))
				a[n++] = v->ask[i];
	}
	if (!n && (propose_ask(&a[0]) || summary_ask(&a[0]))) /* requests of panes come first */
		n = 1;
	background_want(a, n);
}

/* Notes a fabric that comes from a file, once. */
static void note_file(const struct fabric *f)
{
	static uint64_t generation;

	if (generation == ui.scene.generation)
		return;
	generation = ui.scene.generation;
	if (strcmp(f->format, "synthetic") != 0 && strcmp(f->format, "live") != 0)
		recent_note(f->source);
}

/*
 * Puts the switches in the place of the pane `start` once there is a fabric, and ports beside them. The focus
 * does not move.
 */
static void screen_begin(void)
{
	static char ports[] = "ports";
	enum place_id focus = ui.focus, last = ui.last_pane;
	char *argv[] = {ports};

	if (ui.scene.fabric) {
		note_file(ui.scene.fabric);
		ui.begin |= pane_begin();
	}
	if (!ui.begin || !ui.scene.fabric)
		return;
	ui.begin = false;
	if (pane_top(SLOT_DETAIL))
		return;
	pane_open(1, argv, NULL);
	ui.focus = focus;
	ui.last_pane = last;
}

void ui_refresh(void)
{
	if (scene_stale(&ui.scene, ui.session))
		scene_take(&ui.scene, ui.session);
	screen_begin();
	if (pane_top(SLOT_LIST)) /* its row decides what stands beside it */
		view_refresh(pane_top(SLOT_LIST));
	pane_third();
	serve_panes();
	propose_tell();
	summary_take();
	for (int p = 0; p < SLOT_REPL; p++) {
		struct view *v = pane_top((enum place_id)p);

		if (v)
			view_refresh(v);
	}
	pane_track();
}

/* The caller holds the session's lock. */
void ui_draw(void)
{
	ui_refresh();
	looked_note();
	if (LINES < MIN_ROWS || COLS < MIN_COLS) {
		erase();
		draw_text(0, 0, COLS, "terminal too small", ST_NORMAL, false);
		draw_cursor(0, 0);
	} else {
		erase();
		panes_layout(LINES, COLS);
		draw_cursor(LINES - 1, COLS - 1);
		draw_top_bar(COLS);
		for (int p = 0; p < N_PLACES; p++) {
			if (!ui.rect[p].h)
				continue;
			if (p == SLOT_REPL)
				draw_repl(&ui.rect[p], ui.focus == SLOT_REPL && !ui.line_mode);
			else if (pane_top((enum place_id)p))
				draw_view((enum place_id)p, pane_top((enum place_id)p));
		}
		draw_function_bar(LINES - 1, COLS);
	}
	curs_set(ui.focus == SLOT_REPL || ui.line_mode ||
		 (pane_top(ui.focus) && pane_top(ui.focus)->ops->flags & VIEW_TYPED));
	move(ui.cursor_y, ui.cursor_x);
	refresh();
	serve_panes();
}
