/*
 * Where everything stands around one switch: pure sums of how many entries there are and how wide they are.
 * Zones are the sides of links.h; above, below and hosts are rows of entries, left and right are lists.
 */
#ifndef IBSCOPE_MAP_AROUND_PLAN_H
#define IBSCOPE_MAP_AROUND_PLAN_H

#include "core/base/defs.h"
#include "views/map/links.h"

struct around_want {
	int w, h;	     /* of the canvas */
	int box_w;	     /* of the middle, with its frame */
	int n[MAP_SIDES];    /* entries */
	int cell[MAP_SIDES]; /* columns of an entry with the space behind it */
};

struct around_zone {
	int n, cell;
	int per_row, rows; /* entry i is in row i / per_row */
	int top, shown;	   /* rows that show: top .. top + shown - 1 */
	int x, y;	   /* of the first of them */
	int head;	   /* row of the connecting line, of hosts of their heading; -1: none */
	bool line;	   /* hosts: there is only room for the heading, which tells all */
};

struct around_places {
	int box_x, box_y, box_w, box_h; /* box_h 1: no frame, 0: no room at all */
	struct around_zone zone[MAP_SIDES];
};

/* An entry, or with side MAP_SIDES the middle. */
struct around_spot {
	int side, i;
};

/* top: rows scrolled away in each zone as before; changed so that the cursor shows. */
void around_plan(const struct around_want *want, struct around_spot cursor, int top[MAP_SIDES],
		 struct around_places *to);

/* Where an entry stands; false: it does not show. */
bool around_at(const struct around_places *p, struct around_spot s, int *x, int *y);

/* Where arrow keys lead: one of dx, dy is 0; beyond 1 they are ends of the row, or so many rows. */
struct around_spot around_step(const struct around_places *p, struct around_spot from, int dx, int dy);

#endif
