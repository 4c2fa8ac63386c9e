/* Plots of a routing, for `export svg|png FILE plot`. */
#ifndef IBSCOPE_COMMANDS_PLOTS_H
#define IBSCOPE_COMMANDS_PLOTS_H

#include "core/analysis/draw/plot.h"
#include "core/analysis/survey/survey.h"
#include "core/session/args.h"
#include "core/session/session.h"

#define PLOT_SYNTAX                                                                             \
	"plot loads|hops [ENGINE ENGINE] | plot shifts [SAMPLE] [ENGINE ENGINE] | plot survey " \
	"[links|switches|chassis|cards] | plot "                                                \
	"transition [SNAPSHOT]"
#define PLOT_DETAILS                                                                                        \
	"`loads` links by their routes, `hops` paths by their\n"                                            \
	"                   lengths, `shifts` most flows on a link for every shift, `survey` what single\n" \
	"                   failures do, the worst first, `transition` pairs cut, looping and waiting "     \
	"after\n"                                                                                           \
	"                   each write; of two engines: both in one plot, each as after a restart\n"

enum plot_kind { PLOT_LOADS, PLOT_HOPS, PLOT_SHIFTS, PLOT_SURVEY, PLOT_TRANSITION };

struct plot_of {
	enum plot_kind kind;
	const struct args *args; /* borrowed: the engines; TRANSITION, the snapshot if there is one */
	uint32_t sample;	 /* SHIFTS; 0: as many as can be computed in a moment */
	enum part_kind survey;	 /* SURVEY */
};

/* All that a page needs; owned. */
struct plots {
	char *title, *line;
	struct plot plot[2];
	unsigned n;
	double *number; /* what plot[] points to */
	char *name[2];
	char **label;
	uint32_t n_labels;
};

/* The words behind `plot`. */
void plot_words(struct plot_of *of, const struct args *args);
/* There are tables.  -1 and *e: cancelled, or there is nothing to plot. */
int plots_make(struct session *s, const struct plot_of *of, struct plots *d, struct progress *p,
	       struct err *e);
int plots_svg(const struct plots *d, const struct svg_page *page, FILE *to, struct progress *p);
void plots_free(struct plots *d);

#endif
