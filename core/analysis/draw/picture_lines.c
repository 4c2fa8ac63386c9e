/* Lines of a drawing: where they run, and how they look. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/base/defs.h"

#define UP_COLOUR "#8a93a0"
#define DOWN_COLOUR "#c00000"
#define CAME_COLOUR "#2ca02c"
#define LESS_COLOUR "#e08214"
#define THERE_COLOUR "#08519c"
#define BACK_COLOUR "#e08214"
#define CYCLE_COLOUR "#b2182b"
#define PALE_COLOUR "#cfd3d8" /* links that are not on a path */
#define TREE_BEND 0.35f
#define CIRCLE_BEND 0.35f
#define PLANE_OVER 22.0f
#define GROUP_BEND 0.55f

#define SET_CURVE(...) memcpy(c, (const float[8]){__VA_ARGS__}, 8 * sizeof(float))

/* A box as its middle, half width and half height. */
static struct picture_rect picture_lines_middle(const struct picture *pic, uint32_t sw)
{
	struct picture_rect b = pic->box[sw];

	return (struct picture_rect){b.x + b.w / 2, b.y + b.h / 2, b.w / 2, b.h / 2};
}

static bool straight(const struct picture_rect *p, const struct picture_rect *q, float c[8])
{
	SET_CURVE(p->x, p->y, p->x + (q->x - p->x) / 3, p->y + (q->y - p->y) / 3, q->x - (q->x - p->x) / 3,
		  q->y - (q->y - p->y) / 3, q->x, q->y);
	return true;
}

/* A curve between the sides of two boxes (way 1: lower, -1: upper), which leaves them by `bend`. */
static bool upright(const struct picture_rect *p, float pway, const struct picture_rect *q, float qway,
		    float bend, float c[8])
{
	float py = p->y + pway * p->h, qy = q->y + qway * q->h;
	SET_CURVE(p->x, py, p->x, py + pway * bend, q->x, qy + qway * bend, q->x, qy);
	return false;
}

/* A quadratic curve, bent towards the middle of the part. */
static bool bent_curve(const struct picture_rect *p, const struct picture_rect *q,
		       const struct picture_rect *part, float bend, float c[8])
{
	float cx = (p->x + q->x) / 2 * (1 - bend) + (part->x + part->w / 2) * bend;
	float cy = (p->y + q->y) / 2 * (1 - bend) + (part->y + part->h / 2) * bend;
	SET_CURVE(p->x, p->y, p->x + (cx - p->x) * 2 / 3, p->y + (cy - p->y) * 2 / 3,
		  q->x + (cx - q->x) * 2 / 3, q->y + (cy - q->y) * 2 / 3, q->x, q->y);
	return false;
}

/* Straight between neighbours; else over the row, or beside the column. */
static bool grid_curve(const struct picture *pic, uint32_t a, uint32_t b, const struct picture_rect *p,
		       const struct picture_rect *q, float c[8])
{
	const uint16_t *x = layout_coord(pic->layout, a), *y = layout_coord(pic->layout, b);
	unsigned d = x[0] == y[0], apart = (unsigned)abs(x[d] - y[d]);
	float over = fminf(8 + 7 * (float)apart, 30) * 1.3f;

	if (!picture_draws(pic, a, b)) /* to another plane */
		return upright(p, -1, q, -1, PLANE_OVER, c);
	if (apart <= 1 || *x == LAYOUT_BESIDE || *y == LAYOUT_BESIDE)
		return straight(p, q, c);
	if (!d)
		return upright(p, -1, q, -1, over, c);
	SET_CURVE(p->x + p->w, p->y, p->x + p->w + over, p->y, q->x + q->w + over, q->y, q->x + q->w, q->y);
	return false;
}

bool picture_curve(const struct picture *pic, uint32_t a, uint32_t b, float c[8])
{
	const struct layout *l = pic->layout;
	const struct layout_part *is = &l->part[l->part_of[a]];
	const struct picture_rect *part = &pic->part[l->part_of[a]];
	struct picture_rect p = picture_lines_middle(pic, a), q = picture_lines_middle(pic, b);

	if (is->kind == LAYOUT_TREE) {
		float bend;

		if (l->level[a] == l->level[b])
			return upright(&p, 1, &q, 1, 30, c);
		bend = TREE_BEND * (fabsf(q.y - p.y) - p.h - q.h);
		return p.y < q.y ? upright(&p, 1, &q, -1, bend, c) : upright(&p, -1, &q, 1, bend, c);
	}
	if (is->kind == LAYOUT_GRID)
		return grid_curve(pic, a, b, &p, &q, c);
	if (is->kind == LAYOUT_FULL || (is->kind == LAYOUT_OTHER && pic->named[l->part_of[a]]))
		return bent_curve(&p, &q, part, CIRCLE_BEND, c);
	if (is->kind == LAYOUT_GROUPS && l->block[a] != l->block[b])
		return bent_curve(&p, &q, part, GROUP_BEND, c);
	/* in a group: straight between neighbours, else over the boxes between */
	if (is->kind != LAYOUT_GROUPS || fabsf(p.y - q.y) > 1 || fabsf(p.x - q.x) < 3 * p.w)
		return straight(&p, &q, c);
	return upright(&p, -1, &q, -1, 5 + fabsf(p.x - q.x) / 12, c);
}

/* --- channels and what they wait for --- */

#define LANE 5.0f /* of a channel beside the middle of its cable, to the right of its direction */

bool picture_channel_ends(const struct fabric *f, uint32_t port, uint32_t *a, uint32_t *b)
{
	uint32_t peer = f->port_peer[port];

	*a = f->node_switch[f->port_node[port]];
	*b = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
	return *a != NO_ID && *b != NO_ID && *a != *b;
}

void picture_lane(const struct picture *pic, uint32_t a, uint32_t b, float t, float at[2])
{
	float c[8], u = 1 - t, d[2], len;

	picture_curve(pic, a, b, c);
	for (unsigned k = 0; k < 2; k++) {
		at[k] = u * u * u * c[k] + 3 * u * u * t * c[2 + k] + 3 * u * t * t * c[4 + k] +
			t * t * t * c[6 + k];
		d[k] = u * u * (c[2 + k] - c[k]) + 2 * u * t * (c[4 + k] - c[2 + k]) +
		       t * t * (c[6 + k] - c[4 + k]);
	}
	len = fmaxf(hypotf(d[0], d[1]), 0.01f);
	at[0] -= d[1] / len * LANE;
	at[1] += d[0] / len * LANE;
}

/* Does a channel join two switches? */
static bool picture_lines_between_switches(const struct cdg *c, uint32_t channel)
{
	const struct fabric *f = c->routing->topo->fabric;
	uint32_t port = c->port[channel];

	return f->node_switch[f->port_node[port]] != NO_ID && c->routing->topo->peer_switch[port] != NO_ID;
}

/* What the VL has of a dependency of any VL, between the same ports. */
static bool layer_has(const struct cdg *c, int vl, uint32_t from, uint32_t to)
{
	uint32_t a = cdg_find(c, c->port[from], (unsigned)vl), b = cdg_find(c, c->port[to], (unsigned)vl);

	return a != NO_ID && b != NO_ID && cdg_dependency(c, a, b) != NO_ID;
}

size_t picture_turns(const struct cdg *c, int vl, struct picture_turn *turn, uint8_t *channel,
		     size_t *missing)
{
	bool loops = cdg_components_below(c, vl, c->n_components);
	size_t n = 0;

	*missing = 0;
	for (uint32_t v = 0; v < c->n_channels; v++) {
		if (!picture_lines_between_switches(c, v))
			continue;
		if (c->vl[v] == vl)
			channel[c->port[v]] = 1;
		for (uint32_t k = c->first[v]; k < c->first[v + 1]; k++) {
			uint32_t to = c->to[k];
			bool here = c->vl[v] == vl && c->vl[to] == vl;
			struct picture_turn *t = &turn[n];

			if (!picture_lines_between_switches(c, to) ||
			    (!here && (loops || layer_has(c, vl, v, to))))
				continue;
			t->from = c->port[v];
			t->to = c->port[to];
			t->kind = !here ? PICTURE_TURN_MISSING
				  : c->component[v] != NO_ID && c->component[v] == c->component[to]
					  ? PICTURE_TURN_ON_CYCLE
					  : PICTURE_TURN;
			*missing += !here;
			n++;
		}
	}
	return n;
}

/* --- how they look --- */

struct picture_bundle picture_bundle(const struct fabric *f, const struct picture_look *look, uint32_t a,
				     uint32_t b)
{
	struct picture_bundle u = {0};

	FOR_PORTS(f, a, port) {
		uint32_t peer = f->port_peer[port];

		if (peer == NO_ID || f->node_switch[f->port_node[peer]] != b)
			continue;
		u.cables++;
		u.down += look->state && !state_link_up(f, look->state, f->port_link[port]);
		u.came += look->came && look->came[f->port_link[port]];
		if (look->way) {
			u.ways |= look->way[port];
			u.back |= look->way[peer];
		}
		if (look->weight)
			u.weight += look->weight[port] + look->weight[peer];
		if (look->load) {
			u.load = MAX(look->load[port], u.load);
			u.load = MAX(look->load[peer], u.load);
		}
	}
	return u;
}

const char *const map_colour_names[MAP_COLOURS + 1] = {"state",	  "load",   "rank", "layers",
						       "chassis", "change", "step"};

const char *const picture_load_words[PICTURE_LOADS] = {"0", "under 0.5", "0.5 to 1.5", "1.5 to 2.5",
						       "over 2.5 x the mean"};

unsigned picture_load_class(uint32_t load, double mean)
{
	double x = mean > 0 ? load / mean : 0;

	return !load ? 0 : x < 0.5 ? 1 : x <= 1.5 ? 2 : x <= 2.5 ? 3 : 4;
}

struct picture_stroke picture_load_stroke(unsigned class)
{
	static const struct picture_stroke loads[PICTURE_LOADS] = {{"#bdbdbd", "", 0.8, false},
								   {"#a6cee3", "", 1.1, false},
								   {"#5aa2cf", "", 1.8, false},
								   {"#d7301f", "", 2.8, false},
								   {"#67000d", "", 4.0, false}};

	return loads[class];
}

struct picture_stroke picture_stroke(const struct picture_look *look, const struct picture_bundle *u)
{
	if (u->down)
		return (struct picture_stroke){DOWN_COLOUR, u->down == u->cables ? "5 3" : "2 2", 2.4, true};
	if (u->came)
		return (struct picture_stroke){CAME_COLOUR, "", 2.4, true};
	if (u->ways | u->back) {
		unsigned ways = u->ways | u->back;
		double share = look->most ? sqrt((double)u->weight / look->most) : 0.6,
		       width = 1.2 + 3.3 * fmin(share, 1);

		if (ways & (PICTURE_THERE | PICTURE_STEP))
			return (struct picture_stroke){THERE_COLOUR, "", 3.2, true};
		if (ways & PICTURE_CYCLE)
			return (struct picture_stroke){CYCLE_COLOUR, "", 3.2, true};
		if (ways & PICTURE_BACK)
			return (struct picture_stroke){BACK_COLOUR, "7 4", 2.4, true};
		if (ways & PICTURE_MORE && !(ways & PICTURE_LESS))
			return (struct picture_stroke){THERE_COLOUR, "", width, true};
		return (struct picture_stroke){LESS_COLOUR, ways & PICTURE_MORE ? "7 3" : "2 3", width, true};
	}
	if (look->load)
		return picture_load_stroke(picture_load_class(u->load, look->mean));
	if (look->way || look->pale)
		return (struct picture_stroke){PALE_COLOUR, "", 0.6, false};
	return (struct picture_stroke){UP_COLOUR, "", 0.8 + 0.4 * MIN(u->cables, 6), false};
}
