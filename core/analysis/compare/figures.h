/*
 * A routing in figures: the length of its paths, how evenly they use the links, and over how many links the
 * LIDs of a host port spread.  Looks at tables only and knows no engine.
 *
 * Hosts are CA and router ports that are up.  A path leads from one to a LID of another.  Paths that do not
 * arrive count as unreachable and for nothing else.
 */
#ifndef IBSCOPE_FIGURES_H
#define IBSCOPE_FIGURES_H

#include "core/base/fields.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/routing/routing.h"

enum figure {
	FIG_UNREACHABLE, /* paths between hosts that do not arrive */
	FIG_HOPS_MEAN,	 /* links of a path, those of both hosts included */
	FIG_HOPS_MOST,
	FIG_ELEMENTS_MEAN, /* switch elements (elements.h) of a path, first and last included */
	FIG_ELEMENTS_MOST,
	FIG_LOAD_LEAST, /* routes from all hosts to all LIDs of all others out of a port between switches */
	FIG_LOAD_MEAN,
	FIG_LOAD_MOST,
	/* Routes from all hosts to the base LIDs of all others over a cable between switches, both ways
	   together. */
	FIG_EDGE_MOST,
	FIG_EDGE_MEAN,
	FIG_BOUND, /* no routing has less of FIG_EDGE_MOST (cabling.h) unless it leaves pairs without a path
		    */
	FIG_USAGE_MOST, /* LIDs that a port between switches sends */
	/* Ports by which an edge switch sends the LIDs of a host port on another switch. */
	FIG_FIRST_MEAN,
	FIG_FIRST_LEAST,
	/* Ports between switches, each direction on its own, on the whole paths from there. */
	FIG_LINKS_MEAN,
	FIG_LINKS_LEAST,
	FIG_SLS,    /* number of service levels of the paths between LIDs of hosts, of those that arrive */
	FIG_VLS,    /* layers that the engine needs, with qos or without; 1 for an engine without layers */
	FIG_LOOPS,  /* groups of credit loops on all VLs */
	FIG_DIFFER, /* LFT entries unlike those of another routing */
	FIGURES
};

#define FIGURE_UNKNOWN (-1.0)

struct figures {
	double v[FIGURES]; /* FIGURE_UNKNOWN where it was not measured */
	uint32_t sls;	   /* bit l: service level l */
};

/* How a figure is described; a person reads its `column`.  Ended by a key NULL. */
extern const struct field figure_fields[FIGURES + 1];

/* "3.500"; "-" when unknown, "0-1,3" for service levels. */
const char *figure_text(const struct figures *f, enum figure which, char *buf, size_t size);

/* Order of two routings by a figure as it is shown: -1 when a is the lesser, 0, 1. */
int figure_order(const struct figures *a, const struct figures *b, enum figure which);

/*
 * The figures that come from tables alone: paths, links and usage. el: grouping of the routing's fabric under
 * the same failures; NULL = paths are not counted in elements.  Cost: edge switches times LIDs of hosts times
 * links of a path.  0; -1 when cancelled.
 */
int figures_of_tables(const struct routing *r, const struct elements *el, struct figures *f,
		      struct progress *p);

/* All figures; other (NULL = none): the routing for the difference.  0; -1 when cancelled. */
int figures_of_routing(const struct routing *r, const struct elements *el, const struct routing *other,
		       struct figures *f, struct progress *p);

#endif
