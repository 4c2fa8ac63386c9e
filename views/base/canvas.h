/*
 * A drawing made of cells. A cell has a character, a role, and the object that it shows. Panes that draw
 * (view_ops.draw) fill a canvas, and the terminal shows it. This file knows no curses and no colours: the
 * user interface decides how a role looks.
 *
 * Everything outside the canvas is left out, so a drawing need not check the size.
 */
#ifndef IBSCOPE_CANVAS_H
#define IBSCOPE_CANVAS_H

#include "core/base/defs.h"
#include "core/base/text.h"

enum canvas_role {
	CANVAS_PLAIN,
	CANVAS_LABEL,	 /* names of rows, groups, axes */
	CANVAS_MARK,	 /* neighbours of the selection, and similar */
	CANVAS_BAD,	 /* down */
	CANVAS_CHANGED,	 /* by the last event */
	CANVAS_PATH,	 /* way there */
	CANVAS_BACK,	 /* way back */
	CANVAS_CYCLE,	 /* part of a credit loop */
	CANVAS_SELECTED, /* always shown in reverse */
	CANVAS_SHADE0,	 /* SHADE0 (nothing) to SHADE4 (far above the mean); the character tells the same */
	CANVAS_SHADE1,
	CANVAS_SHADE2,
	CANVAS_SHADE3,
	CANVAS_SHADE4,
	CANVAS_DIM, /* frames, lines that only connect */
	CANVAS_ROLES
};

/* The object of a cell: a row of the pane, and one of its ports if needed. */
struct canvas_object {
	uint32_t row;  /* NO_ID: nothing */
	uint32_t port; /* port id, NO_ID: the whole row */
};

struct canvas_cell {
	uint32_t ch; /* Unicode; ' ' = empty */
	uint8_t role;
	bool bold, reverse;
	uint8_t dots; /* dots of a line in it (bits of U+2800), also in ASCII mode; 0: no line */
	struct canvas_object object;
};

struct canvas {
	int w, h;
	bool ascii;		  /* only ASCII is put into cells */
	struct canvas_cell *cell; /* [w * h] row by row */
	size_t cap;
};

/* Makes the canvas empty, in another size. A zeroed canvas is valid. Sizes below 0 count as 0. */
void canvas_clear(struct canvas *c, int w, int h, bool ascii);
void canvas_free(struct canvas *c); /* and sets it to zero */

/* The cell, or NULL outside. */
struct canvas_cell *canvas_at(const struct canvas *c, int x, int y);
/* Can a line pass the cell: is it inside, and empty or part of a line? */
bool canvas_is_free(const struct canvas *c, int x, int y);

/* The ASCII replacement of a character that drawings use. ASCII is returned unchanged. */
uint32_t canvas_ascii(uint32_t ch);

/* Puts one character of one column. Returns its cell, to set bold, reverse and object; NULL outside. */
struct canvas_cell *canvas_put(struct canvas *c, int x, int y, uint32_t ch, enum canvas_role role);
/*
 * Puts UTF-8 text, at most w columns of it and within the canvas. Control characters are removed. The rest is
 * left out; canvas_text_cut() then ends with "…". Returns the columns used.
 */
int canvas_text(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role);
int canvas_text_cut(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role);
/* As canvas_text(), up to the right edge. */
int canvas_textf(struct canvas *c, int x, int y, enum canvas_role role, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/* The number of columns that text takes. */
int canvas_columns(const char *s);

/* Sets the object of all cells of a rectangle. */
void canvas_object(struct canvas *c, int x, int y, int w, int h, struct canvas_object o);

/* Draws a frame of corners and lines. Its inside stays. */
void canvas_box(struct canvas *c, int x, int y, int w, int h, enum canvas_role role);

/*
 * A straight line in the dots of Braille patterns, 2 x 4 per cell, from dot to dot (x 0 .. 2w - 1, y 0 .. 4h
 * - 1). It passes under filled cells. Where lines meet, their dots are combined, and the later role wins. In
 * ASCII, each cell has - | \ or / by the slope.
 */
void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, enum canvas_role role);

/*
 * A line of characters, horizontal (`━`) or vertical (`┃`), ends included. It covers only empty cells and
 * other lines.
 */
void canvas_across(struct canvas *c, int x0, int x1, int y, uint32_t ch, enum canvas_role role);
void canvas_down(struct canvas *c, int x, int y0, int y1, uint32_t ch, enum canvas_role role);

/* One row of the canvas as UTF-8, without blanks at its end; for tests and for text. */
void canvas_row(const struct canvas *c, int y, struct text *t);

#endif
