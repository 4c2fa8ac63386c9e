/* The colour schemes: how each style looks. */
#ifndef IBSCOPE_COLOURS_H
#define IBSCOPE_COLOURS_H

#include <curses.h>
#include "tui/ui.h"

/* Colours of a style: 0..255 as terminals number them, or -1 = the terminal's own. */
struct paint {
	short fg, bg;
	attr_t attr;
};

/* A style as curses draws it, in the scheme that was chosen. */
struct look {
	attr_t attr;
	short pair;
};

extern const char *const colour_schemes[]; /* [COLOUR_SCHEMES]; the last one has no colours */
#define COLOUR_SCHEMES 4
/* many: the terminal has 256 colours. */
struct paint colours_paint(unsigned scheme, bool many, enum style st);
/* Does COLORFGBG ("FG;BG" or "FG;...;BG", colours 0..15) tell of a light background? False for NULL, too. */
bool colours_light(const char *fgbg);
/* The same for a colour as a terminal reports it: "rgb:R/G/B", one to four hexadecimal digits each. */
bool colours_light_rgb(const char *rgb);
/* Does the background decide, since nobody has chosen a scheme? */
bool colours_open(void);
/* Takes what the terminal reported about its background.  If nobody has chosen, a light one gets its
 * scheme. */
void colours_background(const char *rgb);
struct look colours_look(enum style st);

#endif
