/*
 * A whole small fabric in rows of boxes: the levels of a tree, or two rows of groups. Links within a row are
 * arcs in a gap beside it.
 */
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/base/canvas.h"
#include "views/map/whole_plan.h"

#define GAP_LINES 3 /* least rows of lines in a gap */
#define GAP_MOST 16 /* most rows of lines in a gap */
#define ARC_LINES 2 /* least rows of arcs outside of groups .. */
#define ARC_MOST 4  /* .. and most */
#define GROUP_GAP 3 /* columns between groups */
#define DENSE 8	    /* lines across the whole width, in a gap of 10 rows */

#define ROWS 256 /* most levels */

/* Rows of boxes. Row r is list[first[r]] to list[first[r + 1] - 1], and gap r is above it. */
struct whole_rows {
	unsigned n;
	uint32_t *list;			      /* [part->n] indexes in the part */
	uint8_t *row;			      /* [part->n] */
	uint32_t *block;		      /* [part->n] number of its group within its row; 0 in trees */
	uint32_t first[ROWS + 1];	      /* indexes in list */
	uint32_t blocks[ROWS];		      /* groups in a row; 0 in trees */
	int cell[ROWS];			      /* columns of a box with its labels and a blank */
	bool hosts[ROWS];		      /* there is a line of hosts */
	int gap[ROWS + 1];		      /* rows of lines, 0: none */
	uint8_t up[ROWS + 1], down[ROWS + 1]; /* whether a gap has labels at its upper or lower edge */
};

/* Groups go around: the first half is above from the left, the rest below from the right. */
static void rows_of_groups(struct whole_work *k, struct whole_rows *r)
{
	uint32_t half = (k->part->n_blocks + 1) / 2, n = 0;

	r->n = k->part->n_blocks > 1 ? 2 : 1;
	r->blocks[0] = half;
	r->blocks[1] = k->part->n_blocks - half;
	for (uint32_t b = 0; b < k->part->n_blocks; b++) {
		uint32_t at = b < half ? b : k->part->n_blocks - 1 - (b - half);

		for (uint32_t i = 0; i < k->part->n; i++) {
			if (k->l->block[k->switches[i]] != k->part->first_block + at)
				continue;
			r->row[i] = b >= half;
			r->block[i] = b < half ? b : b - half;
			r->list[n++] = i;
			r->first[r->row[i] + 1] = n;
		}
	}
}

/* The gap in which a bundle is drawn, WHOLE_NO_GAP: none. */
static uint8_t gap_of(const struct whole_rows *r, uint32_t a, uint32_t b)
{
	unsigned x = r->row[a], y = r->row[b];

	if (x != y)
		return abs((int)x - (int)y) > 1 ? WHOLE_NO_GAP : (uint8_t)(MAX(x, y));
	if (r->blocks[0])
		return r->block[a] != r->block[b] ? r->n > 1 : x ? 2 : 0;
	return (uint8_t)(y + 1 < r->n ? y + 1 : y);
}

static void set_sides(struct whole_work *k, struct whole_rows *r)
{
	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		uint32_t at[2];
		uint8_t gap;

		for (unsigned i = 0; i < 2; i++)
			at[i] = k->at[k->plan->bundle[m].sw[i]];
		gap = gap_of(r, at[0], at[1]);
		if (gap == WHOLE_NO_GAP)
			k->plan->undrawn += k->plan->bundle[m].n;
		for (unsigned i = 0; i < 2 && gap != WHOLE_NO_GAP; i++) {
			bool top = r->row[at[i]] == gap;

			k->end[k->ends[m][i]].side = top ? WHOLE_TOP : WHOLE_BOTTOM;
			*(top ? &r->down[gap] : &r->up[gap]) = 1;
			if (!r->gap[gap])
				r->gap[gap] = gap && gap < r->n ? GAP_LINES : ARC_LINES;
		}
	}
}

/* Columns of the boxes of each row, and whether the row has hosts. */
static void whole_rows_measure(struct whole_work *k, struct whole_rows *r)
{
	char buf[32];

	for (uint32_t i = 0; i < k->part->n; i++) {
		int w = k->box_w[i], top = whole_side_width(k, i, WHOLE_TOP);
		int bottom = whole_side_width(k, i, WHOLE_BOTTOM), hosts = 0;

		if (k->l->hosts[k->switches[i]]) {
			plural(k->l->hosts[k->switches[i]], "host", buf, sizeof(buf));
			hosts = (int)strlen(buf);
			r->hosts[r->row[i]] = true;
		}
		w = MAX(w, top);
		w = MAX(w, bottom);
		w = 1 + MAX(w, hosts);
		if (w > r->cell[r->row[i]])
			r->cell[r->row[i]] = w;
	}
}

static void set_need(struct whole_work *k, const struct whole_rows *r)
{
	struct whole_plan *p = k->plan;

	for (unsigned i = 0; i < r->n; i++) {
		int n = (int)(r->first[i + 1] - r->first[i]), w = n * r->cell[i];

		if (r->blocks[i] > 1)
			w += GROUP_GAP * (int)(r->blocks[i] - 1);
		p->need_w = MAX(w, p->need_w);
		p->need_h += 1 + r->hosts[i] + (r->blocks[0] > 0);
	}
	for (unsigned g = 0; g <= r->n; g++)
		p->need_h += r->gap[g] + r->up[g] + r->down[g];
	p->fits = p->need_w <= k->w && p->need_h <= k->h;
}

/* Gives spare rows to the gaps. */
static void grow_gaps(const struct whole_work *k, struct whole_rows *r)
{
	int left = k->h - k->plan->need_h;

	for (bool any = true; any && left > 0;) {
		any = false;
		for (unsigned g = 0; g <= r->n && left > 0; g++) {
			int most = g && g < r->n ? GAP_MOST : ARC_MOST;

			if (r->blocks[0] && g == 1)
				most = 3 * GAP_MOST;
			if (!r->gap[g] || r->gap[g] >= most)
				continue;
			r->gap[g]++;
			left--;
			any = true;
		}
	}
}

/* The middle of each box in a row. */
static void whole_rows_spread(struct whole_work *k, const struct whole_rows *r, unsigned row)
{
	int n = (int)(r->first[row + 1] - r->first[row]), blocks = (int)r->blocks[row], between = 0, cell = 0;

	if (blocks > 1) {
		cell = (k->w - GROUP_GAP * (blocks - 1)) / n;
		if (cell > r->cell[row] + 4)
			cell = r->cell[row] + 4;
		between = (k->w - n * cell) / blocks;
	}
	for (int i = 0; i < n; i++) {
		uint32_t at = r->list[r->first[row] + (uint32_t)i];

		if (blocks > 1)
			k->x[at] = between / 2 + (int)r->block[at] * between + i * cell + cell / 2;
		else
			k->x[at] = (2 * i + 1) * k->w / (2 * n);
	}
}

/* Puts the name of each group above (or below) its boxes. */
static void name_groups(struct whole_work *k, const struct whole_rows *r, unsigned row, int y)
{
	for (uint32_t i = r->first[row]; i < r->first[row + 1];) {
		uint32_t from = i, block = k->l->block[k->switches[r->list[i]]];
		const char *name;
		int mid;

		while (i < r->first[row + 1] && k->l->block[k->switches[r->list[i]]] == block)
			i++;
		if (block == NO_ID)
			continue;
		name = k->l->block_name[block];
		mid = (k->x[r->list[from]] + k->x[r->list[i - 1]]) / 2;
		whole_put_note(k, mid - canvas_columns(name) / 2, y, name);
	}
}

/* Places all of a row, from y on. Returns the line after it. */
static int whole_rows_put_row(struct whole_work *k, const struct whole_rows *r, unsigned row, int y)
{
	char buf[32];
	int bottom;

	if (r->blocks[0] && row == 0)
		name_groups(k, r, row, y++);
	y += r->gap[row] * (row == 0);
	bottom = y + r->down[row] + 1 + r->hosts[row];
	for (uint32_t n = r->first[row]; n < r->first[row + 1]; n++) {
		uint32_t i = r->list[n];

		whole_put_side(k, i, WHOLE_TOP, k->x[i] - whole_side_width(k, i, WHOLE_TOP) / 2, y);
		k->y[i] = y + r->down[row];
		whole_put_box(k, i);
		if (k->l->hosts[k->switches[i]]) {
			plural(k->l->hosts[k->switches[i]], "host", buf, sizeof(buf));
			whole_put_note(k, k->x[i] - (int)strlen(buf) / 2, k->y[i] + 1, buf);
		}
		whole_put_side(k, i, WHOLE_BOTTOM, k->x[i] - whole_side_width(k, i, WHOLE_BOTTOM) / 2,
			       bottom);
	}
	y = bottom + r->up[row + 1] + r->gap[row + 1];
	if (r->blocks[0] && row > 0)
		name_groups(k, r, row, y);
	return y;
}

/* Draws a line from label to label. Within a row it has a third point, which is deeper for a longer line. */
static void put_bundle(struct whole_work *k, const struct whole_rows *r, uint32_t m, uint8_t gap)
{
	const struct whole_end *e[2] = {&k->end[k->ends[m][0]], &k->end[k->ends[m][1]]};
	struct whole_line *line = whole_put_line(k, m, gap);
	int depth, span, dots = 4 * r->gap[gap];

	for (int i = 0; i < 2; i++) {
		int at = 2 * i; /* the middle point of an arc is between them */

		line->x[at] = whole_label_dot(k->plan, e[i]);
		line->y[at] = 4 * k->plan->label[e[i]->label].y + (e[i]->side == WHOLE_TOP ? -1 : 4);
	}
	if (e[0]->side != e[1]->side) {
		line->x[1] = line->x[2];
		line->y[1] = line->y[2];
		return;
	}
	span = abs(line->x[0] - line->x[2]);
	depth = dots / 3 + (2 * dots / 3 - 1) * span / (2 * k->w);
	line->n = 3;
	line->x[1] = (line->x[0] + line->x[2]) / 2;
	line->y[1] = line->y[0] + (e[0]->side == WHOLE_TOP ? -depth : depth);
}

static void whole_rows_put_lines(struct whole_work *k, const struct whole_rows *r)
{
	int sum[ROWS + 1] = {0};

	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		uint8_t gap;
		int d;

		if (k->end[k->ends[m][0]].side == WHOLE_NOWHERE)
			continue;
		gap = gap_of(r, k->at[k->plan->bundle[m].sw[0]], k->at[k->plan->bundle[m].sw[1]]);
		put_bundle(k, r, m, gap);
		d = whole_label_dot(k->plan, &k->end[k->ends[m][0]]) -
		    whole_label_dot(k->plan, &k->end[k->ends[m][1]]);
		sum[gap] += (d < 0 ? -d : d) / 2;
	}
	for (unsigned g = 0; g <= r->n; g++)
		k->plan->dense[g] = sum[g] > DENSE * k->w * MAX(r->gap[g], 10) / 10;
}

void whole_rows(struct whole_work *k)
{
	struct whole_rows r = {0};
	int y = 0;

	r.list = NEW_ARRAY(k->part->n, uint32_t);
	r.row = NEW_ARRAY(k->part->n, uint8_t);
	r.block = NEW_ARRAY(k->part->n, uint32_t);
	if (k->part->kind == LAYOUT_TREE) {
		r.n = k->part->levels;
		for (uint32_t i = 0; i < k->part->n; i++) {
			r.row[i] = k->l->level[k->switches[i]];
			r.first[r.row[i] + 1]++;
			r.list[i] = i;
		}
		for (unsigned i = 0; i < r.n; i++)
			r.first[i + 1] += r.first[i];
	} else {
		rows_of_groups(k, &r);
	}
	set_sides(k, &r);
	whole_rows_measure(k, &r);
	set_need(k, &r);
	if (r.first[r.n] != k->part->n) {
		k->plan->why = "some switches are in no group";
		k->plan->need_w = k->plan->need_h = 0;
		k->plan->fits = false;
	}
	if (k->plan->fits) {
		grow_gaps(k, &r);
		for (unsigned i = 0; i < r.n; i++)
			whole_rows_spread(k, &r, i);
		whole_order(k);
		for (unsigned i = 0; i < r.n; i++)
			y = whole_rows_put_row(k, &r, i, y);
		whole_rows_put_lines(k, &r);
	}
	free(r.list);
	free(r.row);
	free(r.block);
}
