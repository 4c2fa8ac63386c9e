/* The fabric as a graph with an edge for each cable, for programs that read tables and graphs. */
#ifndef IBSCOPE_GRAPH_H
#define IBSCOPE_GRAPH_H

#include <stdio.h>
#include "core/base/progress.h"
#include "core/fabric/state.h"
#include "core/routing/lids.h"

/* A table of cables; GraphML; JSON of NetworkX (node_link_graph()); DOT of Graphviz. */
enum graph_form { GRAPH_CSV, GRAPH_GRAPHML, GRAPH_NODE_LINK, GRAPH_DOT };

struct graph_of {
	const struct fabric *fabric;
	const struct state *state;
	const struct lids *lids; /* NULL: those of the source */
	const uint32_t *load;	 /* [n_ports] routes that leave through the port; NULL: no routing */
	const char *engine;	 /* whose routes these are */
	bool safe;		 /* csv: cells that look like formulas are marked as text (csv.h) */
};

/*
 * Nodes are named by GUID, since names need not be the same tomorrow.  What is not known is left out (csv: an
 * empty field).  graphml and node-link tell `complete` and `missing`.  -1: the stream failed, or p was
 * cancelled.
 */
int write_graph(FILE *f, enum graph_form form, const struct graph_of *of, const struct warnings *missing,
		struct progress *p);

#endif
