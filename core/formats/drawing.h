/* The fabric and its routing for other programs: Graphviz DOT and JSON. */
#ifndef IBSCOPE_DRAWING_H
#define IBSCOPE_DRAWING_H

#include <stdio.h>
#include "core/sm/sweep.h"

/* Text for a DOT string in quotes.  It is cleaned, since neither Graphviz nor XML take control characters. */
void dot_text(FILE *f, const char *s);

/* How a graph looks; all may be NULL. */
struct dot_look {
	float (*place)[2];	 /* [n_nodes] x and y in points, y upwards; NAN where it has none */
	const char **fill;	 /* [n_nodes] colours, NULL: none */
	const char *const *edge; /* [n_links] further attributes of a link that is up; NULL: its width follows
				    from its cables */
};

/*
 * Undirected graph.  Parallel cables of equal state are one edge with a count; it looks like the first of
 * them.  Failed ones are dashed. look may be NULL.  -1: the stream failed, or p (may be NULL) was cancelled.
 */
int write_dot(FILE *f, const struct fabric *fb, const struct state *st, const struct dot_look *look,
	      struct progress *p);

struct json_of {
	const struct topo *topo;
	const struct lids *lids;
	const struct state *state;
	const struct routing *routing; /* NULL: none, and then no keys `engine` and `lft` */
	bool from_scratch;	       /* key `from_scratch`, true: for a program (core/sm/script.h) */
};

/*
 * One JSON object: fabric, missing parts, switches with tables, endports with LIDs.  -1: stream failed or
 * cancelled.
 */
int write_json(FILE *f, const struct json_of *w, const struct warnings *missing, struct progress *p);

#endif
