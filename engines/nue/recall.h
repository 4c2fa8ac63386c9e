/* What the recordings of Nue keep: shared by events.c, which makes them, and recall.c, which shows them. */
#ifndef IBSCOPE_NUE_RECALL_H
#define IBSCOPE_NUE_RECALL_H

/* T_COLOUR: what a layer has made of a dependency; at layer * n_edges + place in the graph (ccdg.h). */
enum nue_use {
	USE_NONE,
	USE_ESCAPE,  /* reserved for the escape paths */
	USE_KEPT,    /* by the routes of a LID before */
	USE_PRESENT, /* by the search at hand */
	USE_BLOCKED  /* it would close a cycle */
};

/* Rules of events; those of choices are enum why_rule, those of BACKTRACK enum nue_verdict. */
enum { HULL_MEMBER, HULL_BETWEEN };
enum { LOOK_NOT_SHORTER, LOOK_BLOCKED };
enum { SHORTCUT_TAKEN, SHORTCUT_REFUSED };

#define NUE_OUTSIDE_LAYERS 255 /* port of a TARGET: else its layer */

#endif
