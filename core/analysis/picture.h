/*
 * A fabric as a drawing: boxes at places that follow from its layout, and the SVG of it.  Lengths are points
 * of an SVG page; y grows downwards.
 */
#ifndef IBSCOPE_PICTURE_H
#define IBSCOPE_PICTURE_H

#include <stdio.h>
#include "core/analysis/layout.h"
#include "core/fabric/state.h"

struct picture_rect {
	float x, y, w, h;
};

struct picture {
	const struct layout *layout; /* reference held */
	float width, height;	     /* of the page */
	struct picture_rect *box;    /* [n switches] */
	bool *named;		     /* [n_parts + 1] boxes hold names; the last: of switches alone */
	struct picture_rect *part;   /* [n_parts] what its boxes take */
	struct picture_rect *block;  /* [n_blocks] frame with the name on top; w 0: none is drawn */
	uint32_t hidden;	     /* links from plane to plane of grids, which no line stands for */
};

/* Place all switches of a fabric. */
struct picture *picture_new(const struct fabric *f, const struct layout *l);
void picture_free(struct picture *p); /* NULL is fine */

/* Is a link between these neighbours drawn? */
bool picture_draws(const struct picture *p, uint32_t a, uint32_t b);

#define PICTURE_LOADS 5 /* classes of load, as multiples of the mean: 0, below 1/2, to 3/2, to 5/2, above */

enum picture_way { PICTURE_THERE = 1, PICTURE_BACK = 2 }; /* bits */

struct picture_look {
	const char *title, *line;  /* what is drawn; what is below the title */
	const struct state *state; /* NULL: all up */
	const uint32_t *load;	   /* [n_ports] routes leaving through a port, NULL: not coloured */
	double mean;		   /* of load; 0: none */
	const uint8_t *way;	/* [n_ports] PICTURE_WAY of those that send on a path, NULL: there is none */
	const uint32_t *number; /* [n switches] order on the path from 1, 0 = not on it; with way only */
};

/* One SVG page; names are text there, whatever they hold.  -1: the stream failed, or p was cancelled. */
int picture_svg(FILE *to, const struct picture *pic, const struct fabric *f, const struct picture_look *look,
		struct progress *p);

#endif
