/* Numbers as bars on an SVG page: axes with ticks, title, legend.  Knows nothing of fabrics. */
#ifndef IBSCOPE_PLOT_H
#define IBSCOPE_PLOT_H

#include <stdio.h>
#include "core/analysis/draw/svg.h"
#include "core/base/number.h"
#include "core/base/progress.h"

/* One panel of a page: a bar for each number. */
struct plot {
	const char *x_name, *y_name; /* what the axes count */
	uint32_t n;
	const double *value; /* [n] from 0 */
	const double *part;  /* [n] part of each bar in a second colour, from below; NULL: none */
	const char *value_name, *part_name; /* legend; of what is not `part`, and of it */
	const double *other;		    /* [n] of the same, to compare with `value`; NULL: none */
	const char *other_name;
	/*
	 * Bar i stands for x0 + i * step up to, not including, x0 + (i + 1) * step; when step is 1 or less,
	 * for the first number alone.  Where label [n] is not NULL, it stands for that text.
	 */
	double x0, step;
	const char *const *label;
	double level; /* a line across at this height; level_name NULL: no line */
	const char *level_name;
	double at; /* an upright line at this place of x; at_name NULL: no line */
	const char *at_name;
};

/* More bars than this are drawn as this many columns.  Each is as high as the highest of its bars. */
#define PLOT_COLUMNS 800
/* Up to so many bars have labels below them. */
#define PLOT_LABELS 60

/* Panels one below the other on a page.  Text stays text.  -1: the stream failed, or p was cancelled. */
int plot_svg(FILE *to, const struct svg_page *page, const char *title, const char *line,
	     const struct plot *plot, unsigned n, struct progress *p);

#endif
