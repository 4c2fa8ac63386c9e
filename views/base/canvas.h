/*
 * A drawing made of cells: characters with a role and the object under them.  Panes that draw
 * (view_ops.draw) fill one; the terminal shows it.  No curses and no colours here: what a role looks like is
 * the user interface's matter.
 *
 * Whatever is outside is left out, so that a drawing need not know how small its canvas is.
 */
#ifndef IBSCOPE_CANVAS_H
#define IBSCOPE_CANVAS_H

#include "core/base/defs.h"
#include "core/base/text.h"

enum canvas_role {
	CANVAS_PLAIN,
	CANVAS_LABEL,	 /* names of rows, groups, axes */
	CANVAS_MARK,	 /* of the selection's neighbours and the like */
	CANVAS_BAD,	 /* down */
	CANVAS_CHANGED,	 /* by the last event */
	CANVAS_PATH,	 /* there */
	CANVAS_BACK,	 /* and back */
	CANVAS_CYCLE,	 /* of a credit loop */
	CANVAS_SELECTED, /* always shown reverse */
	CANVAS_SHADE0,	 /* nothing .. SHADE4: much more than the mean; the character says the same */
	CANVAS_SHADE1,
	CANVAS_SHADE2,
	CANVAS_SHADE3,
	CANVAS_SHADE4,
	CANVAS_DIM, /* frames, lines that only connect */
	CANVAS_ROLES
};

/* What is under a cell: a row of the pane, and a port of it where that matters. */
struct canvas_object {
	uint32_t row;  /* NO_ID: nothing */
	uint32_t port; /* port id, NO_ID: the row as a whole */
};

struct canvas_cell {
	uint32_t ch; /* Unicode; ' ' = empty */
	uint8_t role;
	bool bold, reverse;
	uint8_t dots; /* of a line in it: bits of U+2800, in ASCII too; 0: no line */
	struct canvas_object object;
};

struct canvas {
	int w, h;
	bool ascii;		  /* nothing but ASCII is put into cells */
	struct canvas_cell *cell; /* [w * h] row by row */
	size_t cap;
};

/* Empty, of another size; a zeroed canvas will do at first.  Sizes below 0 are 0. */
void canvas_clear(struct canvas *c, int w, int h, bool ascii);
void canvas_free(struct canvas *c); /* and zeroed */

/* NULL: outside. */
struct canvas_cell *canvas_at(const struct canvas *c, int x, int y);
/* May a line go through it: is it inside, and holds nothing but a line? */
bool canvas_is_free(const struct canvas *c, int x, int y);

/* The ASCII character for one of those that drawings use; itself when it is ASCII. */
uint32_t canvas_ascii(uint32_t ch);

/* One character, one column wide; returns the cell (NULL: outside) for bold, reverse and object. */
struct canvas_cell *canvas_put(struct canvas *c, int x, int y, uint32_t ch, enum canvas_role role);
/*
 * UTF-8 in at most w columns (and those of the canvas), cleaned: control characters never come in.  The rest
 * is left out; of canvas_text_cut() its last column is then "…".  Columns used.
 */
int canvas_text(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role);
int canvas_text_cut(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role);
int canvas_textf(struct canvas *c, int x, int y, int w, enum canvas_role role, const char *fmt, ...)
	PRINTF_LIKE(6, 7);
/* Columns that text takes. */
int canvas_columns(const char *s);

/* All cells of a rectangle are about an object. */
void canvas_object(struct canvas *c, int x, int y, int w, int h, struct canvas_object o);

/* A frame: corners and lines; what is in it stays. */
void canvas_box(struct canvas *c, int x, int y, int w, int h, enum canvas_role role);

/*
 * A straight line in the dots of Braille patterns, 2 x 4 a cell, from dot to dot (x 0 .. 2w - 1, y 0 .. 4h -
 * 1); it passes under cells that hold something.  Where lines meet, their dots join and the later role
 * counts. ASCII: - | \ / by slope, one a cell.
 */
void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, enum canvas_role role);

/* A line of characters across (`━`) or down (`┃`), over empty cells and other lines only; ends included. */
void canvas_across(struct canvas *c, int x0, int x1, int y, uint32_t ch, enum canvas_role role);
void canvas_down(struct canvas *c, int x, int y0, int y1, uint32_t ch, enum canvas_role role);

/* A row of the canvas as UTF-8, blanks at its end left out: for tests and for text. */
void canvas_row(const struct canvas *c, int y, struct text *t);

#endif
