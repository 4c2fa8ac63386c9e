/* The places of everything around one switch. */
#include "core/base/defs.h"
#include "views/map/around_plan.h"
#include <string.h>

#define BOX_H 4	    /* frame, name, counts */
#define EDGE 5	    /* columns for "+12" where a zone scrolls */
#define FEW_HOSTS 2 /* rows of hosts that deserve a zone of their own */
#define LIST_LINK 4 /* columns between a list and the box */

static int around_plan_least(int a, int b)
{
	return MIN(a, b);
}

static int most(int a, int b)
{
	return MAX(a, b);
}

/* Sets entries per row and the number of rows: as many entries as fit, then spread evenly over these rows. */
static void fill_rows(struct around_zone *z, int w)
{
	int fit = z->cell > 0 ? w / z->cell : 1;

	z->per_row = z->rows = 0;
	if (!z->n)
		return;
	fit = most(fit, 1);
	z->rows = (z->n + fit - 1) / fit;
	z->per_row = (z->n + z->rows - 1) / z->rows;
	z->rows = (z->n + z->per_row - 1) / z->per_row;
}

/* Sets the rows that a zone shows, if it gets `room` rows. */
static void show_rows(struct around_zone *z, int room, int w)
{
	z->shown = most(0, around_plan_least(z->rows, room));
	if (z->shown < z->rows && z->n) { /* the numbers at the edge need columns */
		fill_rows(z, w - EDGE);
		z->shown = most(0, around_plan_least(z->rows, room));
	}
	z->x = most(0, (w - z->per_row * z->cell + 1) / 2);
}

/* Shares rows between above and below: half for each, and unused rows go to the other. */
static void around_plan_share_rows(struct around_zone *a, struct around_zone *b, int room, int w)
{
	int half = room / 2, above = around_plan_least(a->rows, most(half, room - b->rows));

	show_rows(a, above, w);
	show_rows(b, room - above, w);
}

static void scroll_to(struct around_zone *z, int row, int top)
{
	if (row >= 0 && row < top)
		top = row;
	if (row >= 0 && row >= top + z->shown)
		top = row - z->shown + 1;
	z->top = most(0, around_plan_least(top, z->rows - z->shown));
}

/* Rows of the middle: for the box, and for the lists beside it as far as the other zones leave room. */
static int middle_rows(const struct around_want *want, const struct around_places *p, int box_h)
{
	int lists = most(want->n[MAP_LEFT], want->n[MAP_RIGHT]), room = want->h;

	room -= want->n[MAP_ABOVE] ? 1 + around_plan_least(2, p->zone[MAP_ABOVE].rows) : 0;
	room -= want->n[MAP_BELOW] ? 1 + around_plan_least(2, p->zone[MAP_BELOW].rows) : 0;
	room -= want->n[MAP_HOSTS] ? 1 : 0;
	return most(box_h, around_plan_least(lists, room));
}

/* Places the lists on the left and right, beside the rows of the middle, which begin at y. */
static void place_lists(const struct around_want *want, struct around_places *p, int y, int rows)
{
	for (int s = MAP_LEFT; s <= MAP_RIGHT; s++) {
		struct around_zone *z = &p->zone[s];
		int side = (want->w - p->box_w) / 2 - (s == MAP_LEFT ? 1 : LIST_LINK);

		z->rows = z->n;
		z->per_row = z->n ? 1 : 0;
		z->shown = side > 3 ? around_plan_least(z->n, rows) : 0;
		z->cell = most(0, around_plan_least(z->cell, side));
		z->y = y + (rows - z->shown) / 2;
		/* the space behind an entry may be under the link */
		z->x = s == MAP_LEFT ? p->box_x - 1 - z->cell : p->box_x + p->box_w + LIST_LINK;
		z->head = -1;
	}
}

static void place_hosts(struct around_zone *hosts, int left, int w)
{
	hosts->line = hosts->n && left < around_plan_least(hosts->rows, FEW_HOSTS);
	if (hosts->line)
		hosts->shown = 0;
	else
		show_rows(hosts, left, w);
}

/* Sets the rows of all zones, from top to bottom. */
static void stack(const struct around_want *want, struct around_places *p, int middle)
{
	struct around_zone *above = &p->zone[MAP_ABOVE], *below = &p->zone[MAP_BELOW];
	struct around_zone *hosts = &p->zone[MAP_HOSTS];
	int y = 0;

	above->y = 0;
	y += above->shown;
	above->head = above->n && y + middle < want->h ? y++ : -1;
	p->box_y = y + (middle - p->box_h) / 2;
	place_lists(want, p, y, middle);
	y += middle;
	below->head = below->n || hosts->n ? y++ : -1;
	below->y = y;
	y += below->shown;
	hosts->head = -1;
	if (hosts->n)
		hosts->head = below->n ? y++ : below->head;
	hosts->y = y;
}

/* The rows of the box: all of them if there is room or there are many rows; otherwise fewer. */
static int box_rows(const struct around_want *want, const struct around_places *p)
{
	int rows = BOX_H;

	for (int s = 0; s < MAP_SIDES; s++)
		if (s != MAP_LEFT && s != MAP_RIGHT && want->n[s])
			rows += 1 + p->zone[s].rows;
	if (want->h >= 12 || rows <= want->h)
		return BOX_H;
	return want->h >= 9 ? BOX_H - 1 : want->h > 0 ? 1 : 0;
}

void around_plan(const struct around_want *want, struct around_spot cursor, int top[MAP_SIDES],
		 struct around_places *to)
{
	int heads, middle, room;

	*to = (struct around_places){0};
	for (int s = 0; s < MAP_SIDES; s++) {
		to->zone[s].n = want->n[s];
		to->zone[s].cell = want->cell[s];
		fill_rows(&to->zone[s], want->w);
	}
	to->box_h = box_rows(want, to);
	to->box_w = most(0, around_plan_least(want->box_w, want->w));
	to->box_x = (want->w - to->box_w) / 2;
	middle = middle_rows(want, to, to->box_h);
	heads = (want->n[MAP_ABOVE] > 0) + (want->n[MAP_BELOW] > 0) + (want->n[MAP_HOSTS] > 0);
	room = most(0, want->h - middle - heads);
	around_plan_share_rows(&to->zone[MAP_ABOVE], &to->zone[MAP_BELOW], room, want->w);
	place_hosts(&to->zone[MAP_HOSTS], room - to->zone[MAP_ABOVE].shown - to->zone[MAP_BELOW].shown,
		    want->w);
	stack(want, to, middle);
	for (int s = 0; s < MAP_SIDES; s++) {
		struct around_zone *z = &to->zone[s];

		scroll_to(z, cursor.side == s && z->per_row ? cursor.i / z->per_row : -1, top[s]);
		top[s] = z->top;
	}
}

bool around_at(const struct around_places *p, struct around_spot s, int *x, int *y)
{
	const struct around_zone *z;
	int row;

	if (s.side == MAP_SIDES) {
		*x = p->box_x;
		*y = p->box_y;
		return p->box_h > 0;
	}
	z = &p->zone[s.side];
	if (s.i >= z->n || !z->per_row)
		return false;
	row = s.i / z->per_row - z->top;
	*x = z->x + s.i % z->per_row * z->cell;
	*y = z->y + row;
	return row >= 0 && row < z->shown;
}

/* --- keys ---------------------------------------------------------------------------------- */

/* The middle column of an entry. */
static int column_of(const struct around_places *p, struct around_spot s)
{
	const struct around_zone *z;

	if (s.side == MAP_SIDES)
		return p->box_x + p->box_w / 2;
	z = &p->zone[s.side];
	return z->x + s.i % z->per_row * z->cell + z->cell / 2;
}

/* The entry of a row that is nearest to a column; of two, the left one. */
static struct around_spot around_plan_nearest(const struct around_places *p, int side, int row, int column)
{
	const struct around_zone *z = &p->zone[side];
	struct around_spot best = {side, row * z->per_row};
	int least_away = -1;

	for (int i = row * z->per_row; i < z->n && i < (row + 1) * z->per_row; i++) {
		int away = column_of(p, (struct around_spot){side, i}) - column;

		away = away < 0 ? -away : away;
		if (least_away >= 0 && away >= least_away)
			continue;
		least_away = away;
		best.i = i;
	}
	return best;
}

/* Goes to the first row of the next zone below. Stays if there is none. */
static struct around_spot enter_below(const struct around_places *p, struct around_spot from, int after)
{
	static const int order[] = {MAP_BELOW, MAP_HOSTS};

	for (unsigned i = 0; i < ARRAY_LEN(order); i++)
		if (order[i] > after && p->zone[order[i]].n)
			return around_plan_nearest(p, order[i], 0, column_of(p, from));
	return from;
}

static struct around_spot enter_above(const struct around_places *p, struct around_spot from)
{
	const struct around_zone *z = &p->zone[MAP_ABOVE];

	return z->n ? around_plan_nearest(p, MAP_ABOVE, z->rows - 1, column_of(p, from)) : from;
}

static struct around_spot step_rows(const struct around_places *p, struct around_spot from, int dy)
{
	static const struct around_spot middle = {MAP_SIDES, 0};
	const struct around_zone *z, *below = &p->zone[MAP_BELOW];
	int row;

	if (from.side == MAP_SIDES)
		return dy < 0 ? enter_above(p, from) : enter_below(p, from, MAP_RIGHT);
	z = &p->zone[from.side];
	row = from.i / z->per_row + dy;
	if (row >= 0 && row < z->rows)
		return around_plan_nearest(p, from.side, row, column_of(p, from));
	if (from.side == MAP_LEFT || from.side == MAP_RIGHT)
		return dy < 0 ? enter_above(p, from) : enter_below(p, from, MAP_RIGHT);
	if (from.side == MAP_ABOVE)
		return dy < 0 ? from : middle;
	if (dy > 0)
		return enter_below(p, from, from.side);
	if (from.side == MAP_HOSTS && below->n)
		return around_plan_nearest(p, MAP_BELOW, below->rows - 1, column_of(p, from));
	return middle;
}

static struct around_spot step_across(const struct around_places *p, struct around_spot from, int dx)
{
	const struct around_zone *z;
	int side = dx < 0 ? MAP_LEFT : MAP_RIGHT, first, last;

	if (from.side == MAP_SIDES) { /* go to the entry of the list that is nearest to the box's row */
		z = &p->zone[side];
		if (!z->n)
			return from;
		return (struct around_spot){side, z->shown ? z->top + (z->shown - 1) / 2 : 0};
	}
	if (from.side == MAP_LEFT || from.side == MAP_RIGHT)
		return from.side == side ? from : (struct around_spot){MAP_SIDES, 0};
	z = &p->zone[from.side];
	first = from.i / z->per_row * z->per_row;
	last = around_plan_least(first + z->per_row, z->n) - 1;
	if (dx < -1)
		from.i = first;
	else if (dx > 1)
		from.i = last;
	else
		from.i = most(0, around_plan_least(from.i + dx, z->n - 1));
	return from;
}

struct around_spot around_step(const struct around_places *p, struct around_spot from, int dx, int dy)
{
	int step = dy < 0 ? -1 : 1;

	if (from.side != MAP_SIDES && (from.side < 0 || from.i < 0 || from.i >= p->zone[from.side].n))
		from = (struct around_spot){MAP_SIDES, 0};
	if (dx)
		return step_across(p, from, dx);
	for (int left = dy * step; left > 0; left--) {
		struct around_spot to = step_rows(p, from, step);

		if (to.side == from.side && to.i == from.i)
			break;
		from = to;
	}
	return from;
}
