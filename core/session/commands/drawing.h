/* The fabric drawn from its layout, for `export svg|png|dot`. */
#ifndef IBSCOPE_COMMANDS_DRAWING_H
#define IBSCOPE_COMMANDS_DRAWING_H

#include "core/analysis/loads.h"
#include "core/analysis/picture.h"
#include "core/session/command.h"

struct fabric_drawing {
	struct picture *picture;
	struct loads *loads; /* NULL: links are not coloured by load */
	uint8_t *way;	     /* NULL: no path is drawn; as in struct picture_look */
	uint32_t *number;
	char *path; /* in words */
	char *title, *line;
	float (*place)[2]; /* [n_nodes] middle of each box in points, y upwards; NAN: hosts, which have none
			    */
};

/* What is drawn on the fabric. */
struct drawing_of {
	bool load;
	const char *from, *to; /* ends of a path; NULL: none */
};

/* All that a drawing of the fabric as it is now needs; -1 and *e (no memory, cancelled, no routing, a wrong
 * name). */
int fabric_drawing_make(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
			struct progress *p, struct err *e);
void fabric_drawing_free(struct fabric_drawing *d);

/* -1 and *e: cancelled, or (with no message) the stream failed. */
int fabric_drawing_svg(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p);

/* PNG_PROGRAM turns the SVG in the file `svg`, from where it stands, into a PNG. */
#define PNG_PROGRAM "rsvg-convert"
#define PNG_PACKAGE "librsvg2-bin"
int svg_to_png(int svg, FILE *to, struct progress *p, struct err *e);

#endif
