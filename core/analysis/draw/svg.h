/* Pieces of SVG for drawings and plots.  Lengths are points; y grows downwards. */
#ifndef IBSCOPE_SVG_H
#define IBSCOPE_SVG_H

#include <stdio.h>
#include "core/base/defs.h"

#define SVG_LETTER 6.2f /* width of a letter of a name, 10 high */

/* A page as somebody wants it. */
struct svg_page {
	unsigned wide, high; /* the drawing is fitted in; 0: the page is as large as the drawing */
	float letter;	     /* letters are so many times as high: 1 */
	bool untitled;	     /* no title and no lines below it */
	unsigned lines;	     /* below the title, at most */
};
extern const struct svg_page svg_plain; /* as large as the drawing, two lines below the title */

/* What title and lines take. */
float svg_top(const struct svg_page *page);
/* Makes a drawing as much wider or higher as the shape of its page is. */
void svg_fit(const struct svg_page *page, float *width, float *height);

/* Words that are readable over lines. */
#define SVG_OVER " paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"3\""
/* What the titles tell as well: it is not read twice. */
#define SVG_TOLD " aria-hidden=\"true\""
#define SVG_MIDDLE " text-anchor=\"middle\""

/* What a page is about. */
struct svg_about {
	uint32_t id;		  /* in ids of the page: several drawings may stand in one document */
	const char *title, *line; /* '\n' ends a line */
	const char *more;	  /* what a reader who does not see it is told besides; "" */
};
/* A number for the page, from what sets it apart. */
uint32_t svg_id(uint64_t seed, const char *title, const char *line);
/* Begin a page: white, with a title and lines of text below it.  Its size is of svg_fit(). */
void svg_begin(FILE *to, const struct svg_page *page, float width, float height, const struct svg_about *of);
/* The name and description of an image: attributes of its root, and its first elements. */
void svg_name(FILE *to, uint32_t id);
void svg_describe(FILE *to, const struct svg_about *of);
/*
 * What comes after the boxes, so that it is read after them, is seen as if it lay under them: a place with a
 * hole for each box.  svg_holes() comes first, then svg_hole() for each, then svg_holes_end().
 */
void svg_holes(FILE *to, uint32_t id, float width, float height);
void svg_hole(FILE *to, float x, float y, float w, float h);
void svg_holes_end(FILE *to);
/* Open a group that is seen outside of the boxes. */
void svg_under(FILE *to, uint32_t id);
/* Title and lines alone. */
void svg_title(FILE *to, const struct svg_page *page, float width, const char *title, const char *line);
void svg_end(FILE *to);

/* Text escaped for XML, whatever it holds. */
void svg_text(FILE *to, const char *text);

/* Words at a place; more: further attributes, written as they are. */
void svg_words(FILE *to, float x, float y, float size, const char *more, const char *words);

/* The head of an arrow at a place, turned by this many degrees. before: a transformation, or "". */
void svg_arrow(FILE *to, float x, float y, double turn, const char *colour, const char *before);

/* A number in a disc. */
void svg_number(FILE *to, float x, float y, float letter, const char *colour, uint32_t number);

/* Number of columns of a text when all characters are one wide. */
size_t svg_columns(const char *text);

/* Words of a legend behind their sample; the sample ends at x.  Returns the place of the next sample. */
float svg_legend_words(FILE *to, float x, float y, float letter, const char *words);

#endif
