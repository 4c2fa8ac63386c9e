/*
 * A whole small fabric: a box per switch, a label at each end of each bundle of parallel cables, and a line
 * from label to label, as places on a canvas. It depends only on the layout, not on state or loads.
 */
#ifndef IBSCOPE_MAP_WHOLE_PLAN_H
#define IBSCOPE_MAP_WHOLE_PLAN_H

#include "core/analysis/shape/place.h"
#include "core/base/text.h"
#include "views/base/affix.h"

#define WHOLE_NAME 22	   /* most columns of a name */
#define WHOLE_GRID 64	   /* most switches of a grid */
#define WHOLE_GROUPS 9	   /* most groups .. */
#define WHOLE_MEMBERS 8	   /* .. and most switches in each */
#define WHOLE_LARGEST 2000 /* columns or rows: no terminal is larger */
#define WHOLE_NO_GAP 0xff

/* " [name]": the first column is for a sign. */
struct whole_box {
	uint32_t sw;
	int x, y, w; /* cells */
};

/* All cables between two switches; sw[0] < sw[1]. */
struct whole_bundle {
	uint32_t sw[2];
	uint32_t port[2]; /* the lowest one at each end */
	uint32_t n;
	const uint32_t *cable; /* [n] ports of sw[0] */
};

/* "25x4": the lowest port at one end of a bundle, and its number of cables. */
struct whole_label {
	uint32_t bundle;
	uint8_t end; /* 0, 1: index in whole_bundle.sw */
	int x, y, w;
	char text[24];
};

/* A note at a box or group: "24 hosts", "g03", "z=1". */
struct whole_note {
	int x, y, w;
	char text[32];
};

struct whole_line {
	uint32_t bundle;
	uint8_t gap;	/* rows between which it runs: plan.dense[]; WHOLE_NO_GAP: none */
	bool cells;	/* straight, along cells; otherwise in dots, 2 x 4 per cell */
	bool across;	/* with cells: from left to right */
	uint8_t n;	/* number of points: 2, or 3 for a link within a row */
	int x[3], y[3]; /* cells or dots */
};

struct whole_plan {
	/*
	 * Smallest size, for this width; 0: not offered, and `why` tells the reason. There are places only if
	 * it fits.
	 */
	int need_w, need_h;
	const char *why;
	bool fits;
	struct whole_bundle *bundle; /* [n_bundles] of the part, sorted by switches */
	uint32_t n_bundles, n_cables;
	struct affix names; /* of the part .. */
	size_t pre, suf; /* .. and bytes that boxes leave out of them: 0 if there is room for whole names */
	int same_hosts;	 /* hosts on each switch if all have equally many and no note tells it; else -1 */
	struct whole_box *box;
	struct whole_label *label;
	struct whole_line *line;
	struct whole_note *note;
	uint32_t n_boxes, n_labels, n_lines, n_notes;
	uint32_t cap_boxes, cap_labels, cap_lines, cap_notes;
	uint32_t undrawn; /* cables without a line: those that skip levels, or lead to another plane */
	bool dense[256];  /* per gap: its lines would fill it completely */
};

/*
 * Plans one connected part on w x h cells. Names are those of f, cables those of l, which must stay valid.
 * Never NULL; the caller frees it.
 */
struct whole_plan *whole_plan_new(const struct fabric *f, const struct layout *l, uint32_t part, int w,
				  int h);
/* The text in the box of a switch. At most WHOLE_NAME columns are shown. */
void whole_name(const struct whole_plan *p, const struct fabric *f, uint32_t sw, struct text *t);
void whole_plan_free(struct whole_plan *p); /* NULL is fine */

/*
 * Draws the dependencies of the overlay.  Returns the plan's boxes at their places there, for the caller to
 * free.
 */
struct view;
struct canvas;
struct whole_box *whole_turns(struct view *v, struct canvas *c, uint32_t part, const struct whole_plan *plan);

/* --- shared by whole_plan.c, whole_rows.c and whole_grid.c ---------------------------------- */

enum whole_side { WHOLE_TOP, WHOLE_BOTTOM, WHOLE_LEFT, WHOLE_RIGHT, WHOLE_ASIDE, WHOLE_NOWHERE };

/* One end of a bundle of the part. */
struct whole_end {
	uint32_t bundle;
	uint8_t end, side, width;
	int toward; /* x of the other box: sorts the labels of a side */
	int label;  /* once it is placed; -1 before */
	char text[24];
};

struct whole_work {
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *part;
	struct whole_plan *plan;
	int w, h;
	uint32_t *switches; /* [part->n] in the order of the part */
	uint32_t *at;	    /* [n_switches] index in it, NO_ID: in another part */
	int *x, *y;	    /* [part->n] middle of the box */
	int *box_w;	    /* [part->n] width with the sign */
	/* ends of switch i: end[first[i]] to end[first[i + 1] - 1] */
	uint32_t *first;
	struct whole_end *end;
	uint32_t (*ends)[2]; /* [n_bundles] indexes of its two ends */
};

/* Sorts the ends of each side, after the sides are set. Sets `toward` from x. */
void whole_order(struct whole_work *k);
/* Columns of all labels on one side of switch i, with blanks between them. */
int whole_side_width(const struct whole_work *k, uint32_t i, enum whole_side side);
/* Puts the labels of a side in a row, from x on. Returns the column after them. */
int whole_put_side(struct whole_work *k, uint32_t i, enum whole_side side, int x, int y);
void whole_put_box(struct whole_work *k, uint32_t i);
void whole_put_note(struct whole_work *k, int x, int y, const char *text);
struct whole_line *whole_put_line(struct whole_work *k, uint32_t bundle, uint8_t gap);
/* Middle of a placed label, in dots. */
int whole_label_dot(const struct whole_plan *p, const struct whole_end *e);

void whole_rows(struct whole_work *k);
void whole_ring(struct whole_work *k);
void whole_grid(struct whole_work *k);

#endif
