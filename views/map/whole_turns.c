/*
 * The overlay of dependencies in the scale `whole`: as `export svg FILE dependencies` draws them, in dots.
 * Switches stand where the drawing has them, channels run beside their cables, arrows lead through switches
 * from a channel to those that it waits for.
 */
#include <math.h>
#include <stdlib.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/map/map.h"
#include "views/map/whole_plan.h"

#define AROUND 46.0f /* points around the boxes, for cables that go round */
#define PIECES 8     /* of a curve */

struct dots {
	struct canvas *c;
	const struct picture *pic;
	const struct fabric *f;
	float x0, y0, sx, sy; /* origin in points; dots of a point */
};

static void to_dot(const struct dots *d, const float at[2], int dot[2])
{
	dot[0] = (int)((at[0] - d->x0) * d->sx);
	dot[1] = (int)((at[1] - d->y0) * d->sy);
}

static void whole_turns_put_piece(const struct dots *d, const float from[2], const float to[2],
				  enum canvas_role role)
{
	int p[2], q[2];

	to_dot(d, from, p);
	to_dot(d, to, q);
	canvas_line(d->c, p[0], p[1], q[0], q[1], role);
}

static void whole_turns_put_lane(const struct dots *d, uint32_t port)
{
	float from[2], to[2], step = (PICTURE_LANE_TO - PICTURE_LANE_FROM) / PIECES;
	uint32_t a, b;

	if (!picture_channel_ends(d->f, port, &a, &b))
		return;
	for (int k = 0; k < PIECES; k++) {
		picture_lane(d->pic, a, b, PICTURE_LANE_FROM + step * (float)k, from);
		picture_lane(d->pic, a, b, PICTURE_LANE_FROM + step * (float)(k + 1), to);
		whole_turns_put_piece(d, from, to, CANVAS_PATH);
	}
}

/* An arrow through a switch; one that is missing is dotted. */
static void whole_turns_put_turn(const struct dots *d, const struct picture_turn *t)
{
	static const uint32_t heads[] = {0x2192, 0x2193, 0x2190, 0x2191}; /* → ↓ ← ↑ */
	static const uint8_t roles[] = {[PICTURE_TURN] = CANVAS_PLAIN,
					[PICTURE_TURN_ON_CYCLE] = CANVAS_CYCLE,
					[PICTURE_TURN_MISSING] = CANVAS_DIM};
	enum canvas_role role = (enum canvas_role)roles[t->kind];
	float p[2], q[2], mid[2], was[2], at[2];
	const struct picture_rect *r;
	uint32_t a, b, c, same;
	int dot[2];

	if (!picture_channel_ends(d->f, t->from, &a, &b) || !picture_channel_ends(d->f, t->to, &same, &c) ||
	    same != b)
		return;
	r = &d->pic->box[b];
	mid[0] = r->x + r->w / 2;
	mid[1] = r->y + r->h / 2;
	picture_lane(d->pic, a, b, PICTURE_LANE_TO, p);
	picture_lane(d->pic, b, c, PICTURE_LANE_FROM, q);
	for (int k = 0; k <= 2 * PIECES; k++) {
		float u = (float)k / (2 * PIECES), v = 1 - u;

		for (int i = 0; i < 2; i++)
			at[i] = v * v * p[i] + 2 * u * v * mid[i] + u * u * q[i];
		if (k && (t->kind != PICTURE_TURN_MISSING || k % 3 == 1))
			whole_turns_put_piece(d, was, at, role);
		was[0] = at[0];
		was[1] = at[1];
	}
	to_dot(d, q, dot);
	at[0] = (q[0] - mid[0]) * d->sx;
	at[1] = (q[1] - mid[1]) * d->sy;
	canvas_put(d->c, dot[0] / 2, dot[1] / 4,
		   heads[fabsf(at[0]) >= fabsf(at[1]) ? (at[0] < 0 ? 2 : 0) : (at[1] < 0 ? 3 : 1)], role);
}

struct whole_box *whole_turns(struct view *v, struct canvas *c, uint32_t part, const struct whole_plan *plan)
{
	static const unsigned order[] = {PICTURE_TURN_MISSING, PICTURE_TURN, PICTURE_TURN_ON_CYCLE};
	const struct map *m = map_of(v);
	struct svg_page page = {
		.wide = 2 * (unsigned)c->w, .high = 4 * (unsigned)c->h, .letter = 1, .untitled = true};
	struct picture *pic = picture_new(v->scene->fabric, m->layout, &page);
	const struct picture_rect *r = &pic->part[part];
	struct dots d = {c, pic, v->scene->fabric, r->x - AROUND, r->y - AROUND, 0, 0};
	struct whole_box *box = mem_dup(plan->box, plan->n_boxes * sizeof(*box));

	d.sx = 2 * (float)c->w / (r->w + 2 * AROUND);
	d.sy = 4 * (float)(c->h - 1) / (r->h + 2 * AROUND);
	for (uint32_t i = 0; i < plan->n_boxes; i++) {
		const struct picture_rect *b = &pic->box[box[i].sw];
		int dot[2];

		to_dot(&d, (float[]){b->x + b->w / 2, b->y + b->h / 2}, dot);
		box[i].x = dot[0] / 2 - box[i].w / 2;
		box[i].x = box[i].x + box[i].w > c->w ? c->w - box[i].w : MAX(box[i].x, 0);
		box[i].y = dot[1] / 4;
	}
	for (uint32_t port = 0; port < v->scene->fabric->n_ports; port++)
		if (m->channel[port] & MAP_ON_LAYER)
			whole_turns_put_lane(&d, port);
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (size_t i = 0; i < m->n_turns; i++)
			if (m->turn[i].kind == order[k])
				whole_turns_put_turn(&d, &m->turn[i]);
	picture_free(pic);
	return box;
}
