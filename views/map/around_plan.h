/*
 * The places of everything around one switch, computed only from the number of entries and their widths.
 * Zones are the sides of links.h: above, below and hosts are rows of entries; left and right are lists.
 */
#ifndef IBSCOPE_MAP_AROUND_PLAN_H
#define IBSCOPE_MAP_AROUND_PLAN_H

#include "core/base/defs.h"
#include "views/map/links.h"

struct around_want {
	int w, h;	     /* size of the canvas */
	int box_w;	     /* width of the middle box, with its frame */
	int n[MAP_SIDES];    /* number of entries */
	int cell[MAP_SIDES]; /* columns of an entry and the space behind it */
};

struct around_zone {
	int n, cell;
	int per_row, rows; /* entry i is in row i / per_row */
	int top, shown;	   /* shown rows: top to top + shown - 1 */
	int x, y;	   /* of the first shown row */
	int head;	   /* row of the connecting line; for hosts, of their heading; -1: none */
	bool line;	   /* hosts: there is room only for the heading, which tells everything */
};

struct around_places {
	int box_x, box_y, box_w, box_h; /* box_h 1: no frame, 0: no room */
	struct around_zone zone[MAP_SIDES];
};

/* An entry. side MAP_SIDES: the middle. */
struct around_spot {
	int side, i;
};

/* Computes all places. top: rows scrolled away in each zone; it is changed so that the cursor is visible. */
void around_plan(const struct around_want *want, struct around_spot cursor, int top[MAP_SIDES],
		 struct around_places *to);

/* Finds the place of an entry. False: it is not visible. */
bool around_at(const struct around_places *p, struct around_spot s, int *x, int *y);

/* The target of arrow keys. One of dx, dy is 0; values beyond 1 mean ends of the row, or so many rows. */
struct around_spot around_step(const struct around_places *p, struct around_spot from, int dx, int dy);

#endif
