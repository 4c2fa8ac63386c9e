/* Channel dependencies drawn by Graphviz. */
#ifndef IBSCOPE_GRAPHVIZ_H
#define IBSCOPE_GRAPHVIZ_H

#include <stdio.h>
#include "core/analysis/credit/cdg.h"
#include "core/analysis/draw/svg.h"

/*
 * Copy an SVG that Graphviz made of cdg_write_dot()'s graph.  The root gets its title and description, each
 * channel and dependency an id by GUID, port and VL, data-guid, data-port and their peers, and a title in
 * words.  What is not such a line stays as it is.  -1: a stream failed.
 */
int graphviz_name(FILE *from, FILE *to, const struct cdg *c, const struct svg_about *of);

#endif
