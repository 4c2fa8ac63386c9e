/*
 * The fabric and its routing for other programs: Graphviz DOT and JSON.
 */
#ifndef IBSCOPE_DRAWING_H
#define IBSCOPE_DRAWING_H

#include <stdio.h>
#include "core/sm/sweep.h"

/* What stands between the quotes of a DOT string: cleaned, as neither Graphviz nor XML take control
 * characters. */
void dot_text(FILE *f, const char *s);

/*
 * Undirected graph; parallel cables of equal state are one edge with a count; failed ones dashed.  place
 * [n_nodes]: x and y of each node in points, NAN where it has none; may be NULL.  -1: stream failed, or p
 * (may be NULL) cancelled.
 */
int write_dot(FILE *f, const struct fabric *fb, const struct state *st, float (*place)[2],
	      struct progress *p);

/* One JSON object: fabric, switches with their tables, endports with LIDs.  -1: stream failed or cancelled.
 */
int write_json(FILE *f, const struct sweep *w, struct progress *p);

#endif
