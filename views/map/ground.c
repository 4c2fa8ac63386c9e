/* The basis of all scales: the selection, a switch as a cell, the words for its place. */
#include "views/map/map.h"
#include <string.h>
#include "core/base/memory.h"
#include "core/base/text.h"

uint32_t map_selected(const struct view *v)
{
	const struct map *m = map_of(v);
	uint32_t row;

	return m->layout && view_selected(v, &row) && row < m->layout->n ? m->layout->order[row] : NO_ID;
}

void map_select(struct view *v, uint32_t sw)
{
	if (sw != NO_ID)
		view_select_row(v, map_of(v)->row_of[sw]);
}

void *map_own(const struct view *v, const struct map_scale *scale)
{
	void **own = &map_of(v)->own[scale->own];

	if (!*own)
		*own = mem_alloc(scale->own_size);
	return *own;
}

#define LONG_NAME 16

/* "pod 3". A name that tells its kind stands alone; a long name is replaced by its number. */
static void block_text(const struct layout *l, const struct layout_part *is, uint32_t b, struct text *t)
{
	const char *kind = is->kind == LAYOUT_GROUPS ? "group"
			   : is->pods		     ? "pod"
						     : "chassis",
		   *name = l->block_name[b];

	if (strlen(name) > LONG_NAME)
		text_add(t, "%s %u", kind, b - is->first_block + 1);
	else if (strncmp(name, kind, strlen(kind)))
		text_add(t, "%s %s", kind, name);
	else
		text_add(t, "%s", name);
}

void map_place_text(const struct view *v, uint32_t sw, struct text *t)
{
	const struct layout *l = map_of(v)->layout;
	const struct layout_part *is = l->part_of[sw] == NO_ID ? NULL : &l->part[l->part_of[sw]];
	size_t from = t->len;

	if (!is) {
		text_add(t, "not connected");
		return;
	}
	if (is->kind == LAYOUT_GRID && *layout_coord(l, sw) == LAYOUT_BESIDE) {
		text_add(t, "beside the grid");
	} else if (is->kind == LAYOUT_GRID) {
		for (unsigned d = 0; d < is->n_dims; d++)
			text_add(t, "%s%u", d ? "," : "(", layout_coord(l, sw)[d]);
		text_add(t, ")");
	} else if (is->kind == LAYOUT_TREE) {
		text_add(t, "level %u", l->level[sw]);
	}
	if (is->kind == LAYOUT_RING || is->kind == LAYOUT_CHAIN)
		text_add(t, "place %u of %u", map_of(v)->row_of[sw] - is->first + 1, is->n);
	if (l->block[sw] != NO_ID) {
		text_add(t, "%s", t->len > from ? ", " : "");
		block_text(l, is, l->block[sw], t);
	}
	if (l->n_parts > 1)
		text_add(t, "%spart %u", t->len > from ? ", " : "", l->part_of[sw] + 1);
}

struct map_cell map_cell_of(const struct view *v, uint32_t sw)
{
	const struct map *m = map_of(v);
	bool selected = map_selected(v) == sw, digits = map_colour_digits(v);
	struct map_cell c = {.ch = m->look[sw].ch, .role = m->look[sw].role, .weight = m->look[sw].weight};

	if (m->shown && !m->shown[sw])
		return (struct map_cell){.ch = 0x00b7, .role = CANVAS_DIM};
	if (selected)
		c = (struct map_cell){
			.ch = digits ? c.ch : 'S', .role = CANVAS_SELECTED, .bold = true, .weight = 300};
	if (m->mark && m->mark[sw])
		c = (struct map_cell){.ch = digits && m->mark[sw] == MAP_DISC ? c.ch : m->mark[sw],
				      .role = m->mark_role[sw],
				      .bold = true,
				      .weight = 400};
	if (m->down[sw] && m->mark && m->mark[sw] != '<' && m->mark[sw] != '>')
		c = (struct map_cell){.ch = 'x', .role = CANVAS_BAD, .bold = true, .weight = 500};
	c.reverse = selected;
	return c;
}

void map_put(const struct view *v, struct canvas *c, int x, int y, uint32_t sw)
{
	struct map_cell is = map_cell_of(v, sw);
	struct canvas_cell *cell = canvas_put(c, x, y, is.ch, (enum canvas_role)is.role);

	if (!cell)
		return;
	cell->bold = is.bold;
	cell->reverse = is.reverse;
	cell->object = map_object(map_of(v), sw, NO_ID);
}

enum canvas_role map_channel_role(uint8_t bits, enum canvas_role plain)
{
	if (bits & MAP_ON_PATH)
		return CANVAS_PATH;
	return bits & MAP_ON_BACK    ? CANVAS_BACK
	       : bits & MAP_ON_CYCLE ? CANVAS_CYCLE
	       : bits & MAP_ON_LAYER ? CANVAS_PATH
				     : plain;
}
