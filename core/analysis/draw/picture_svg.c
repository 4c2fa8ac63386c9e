/* Pictures of fabrics as SVG: frames, boxes, lines, title and legend. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"

/* Lines of a drawing: where they run, and how they look. */

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

/*
 * The line between two neighbours: a cubic curve from the box of a to that of b. x and y hold both ends, with
 * the two control points between them. true: it is straight.
 */
static bool picture_curve(const struct picture *pic, uint32_t a, uint32_t b, float c[8])
{
	const struct layout *l = pic->layout;
	const struct layout_part *is = &l->part[l->part_of[a]];
	const struct picture_rect *part = &pic->part[l->part_of[a]];
	struct picture_rect p = picture_lines_middle(pic, a), q = picture_lines_middle(pic, b);

	if (is->kind == LAYOUT_TREE) {
		if (l->level[a] == l->level[b])
			return upright(&p, 1, &q, 1, 30, c);
		float bend = TREE_BEND * (fabsf(q.y - p.y) - p.h - q.h);
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
	float c[8], u = 1 - t, d[2];

	picture_curve(pic, a, b, c);
	for (unsigned k = 0; k < 2; k++) {
		at[k] = u * u * u * c[k] + 3 * u * u * t * c[2 + k] + 3 * u * t * t * c[4 + k] +
			t * t * t * c[6 + k];
		d[k] = u * u * (c[2 + k] - c[k]) + 2 * u * t * (c[4 + k] - c[2 + k]) +
		       t * t * (c[6 + k] - c[4 + k]);
	}
	float len = fmaxf(hypotf(d[0], d[1]), 0.01f);
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

	return load ? 1 + (x >= 0.5) + (x > 1.5) + (x > 2.5) : 0;
}

struct picture_stroke picture_load_stroke(unsigned class)
{
	static const struct picture_stroke loads[PICTURE_LOADS] = {{"#bdbdbd", "", 0.8, false},
								   {"#a6cee3", "", 1.1, false},
								   {"#5aa2cf", "", 1.8, false},
								   {"#d7301f", "", 2.8, false},
								   {"#67000d", "", 4.0, false}};

	assert(class < PICTURE_LOADS);
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

/* SVG of a drawing: frames, then boxes, then lines around them, then title and legend. */

#define FRAME_LETTER 6.0f
#define MANY_LINKS 200
#define PARALLELS 60 /* up to this many links have labels such as x4 */
#define MARKED "#fff2c4"
#define ROWS 16.0f /* between rows of the legend */

struct svg {
	FILE *to;
	const struct picture *pic;
	const struct layout *l;
	const struct fabric *f;
	const struct picture_look *look;
	float letter;
	uint32_t id;	/* of the page; at first by its boxes alone, as frames have it */
	bool moves;	/* what this frame marks is not there in the next */
	unsigned again; /* in ids of a frame that comes later; 0 */
	double thin;	/* factor for widths of lines: many lines must not make a black page */
};

/*
 * The cables from a to its neighbour to[i]: kind of the id, their line, further attributes.  Its title is to
 * be written, then end_path().
 */
static void begin_path(const struct svg *s, const char *kind, uint32_t a, uint32_t i,
		       const struct picture_stroke *k, const char *more)
{
	const struct layout *l = s->l;
	float c[8];

	fputs("<path", s->to);
	picture_cables_id(s->to, s->f, kind, l->port + l->cable[i], l->cable[i + 1] - l->cable[i], s->again);
	if (picture_curve(s->pic, a, l->to[i], c))
		fprintf(s->to, " d=\"M%.1f %.1fL%.1f %.1f", (double)c[0], (double)c[1], (double)c[6],
			(double)c[7]);
	else
		fprintf(s->to, " d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", (double)c[0], (double)c[1],
			(double)c[2], (double)c[3], (double)c[4], (double)c[5], (double)c[6], (double)c[7]);
	fprintf(s->to, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"", k->colour, k->width);
	if (*k->dash)
		fprintf(s->to, " stroke-dasharray=\"%s\"", k->dash);
	fprintf(s->to, "%s><title>", more);
}

static void end_path(const struct svg *s)
{
	fputs("</title></path>\n", s->to);
}

/* Routes over the cables of a, both ways. */
static void put_routes(const struct svg *s, const uint32_t *port, uint32_t n, uint32_t most)
{
	uint64_t there = 0, back = 0;

	for (uint32_t k = 0; k < n; k++) {
		there += s->look->load[port[k]];
		back += s->look->load[s->f->port_peer[port[k]]];
	}
	fprintf(s->to, ", %s there, %" PRIu64 " back", PLURAL(there, "route"), back);
	if (n > 1)
		fprintf(s->to, ", at most %u on one", most);
}

/* The title of a link: its ends, its routes, what is down. */
static void put_link_words(const struct svg *s, uint32_t i, const struct picture_bundle *u)
{
	const uint32_t *port = s->l->port + s->l->cable[i];

	picture_cables_words(s->to, s->f, port, u->cables);
	if (u->cables > 1)
		fprintf(s->to, ", %u cables", u->cables);
	if (s->look->load)
		put_routes(s, port, u->cables, u->load);
	if (u->down)
		fprintf(s->to, u->down == u->cables ? ", down" : ", %u of them down", u->down);
	if (u->came)
		fputs(", up again", s->to);
}

/* The number of cables, in the middle of their line. */
static void put_cables(const struct svg *s, uint32_t a, uint32_t b, uint32_t cables)
{
	char label[16];
	float c[8];

	if (cables < 2 || s->l->first[s->l->n] / 2 > PARALLELS)
		return;
	picture_curve(s->pic, a, b, c);
	snprintf(label, sizeof(label), "x%u", cables);
	svg_words(s->to, (c[0] + 3 * c[2] + 3 * c[4] + c[6]) / 8, (c[1] + 3 * c[3] + 3 * c[5] + c[7]) / 8,
		  9 * s->letter, SVG_TOLD SVG_MIDDLE SVG_OVER, label);
}

/* Draws the lines of one class. Dark lines, and links that are down, come last, so that they are seen. */
static bool put_links(const struct svg *s, unsigned class, struct progress *p)
{
	const struct layout *l = s->l;

	for (uint32_t a = 0; a < l->n; a++) {
		if (!progress_step(p, class * l->n + a))
			return false;
		for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++) {
			if (l->to[i] < a)
				continue;
			struct picture_bundle u = picture_bundle(s->f, s->look, a, l->to[i]);
			u.ways = u.back = 0;
			struct picture_stroke k = picture_stroke(s->look, &u);
			unsigned is = k.above	      ? PICTURE_LOADS
				      : s->look->load ? picture_load_class(u.load, s->look->mean)
						      : 0;
			if (is != class || (!k.above && !picture_draws(s->pic, a, l->to[i])))
				continue;
			k.width *= k.above ? 1 : s->thin;
			begin_path(s, "link", a, i, &k, "");
			put_link_words(s, i, &u);
			end_path(s);
			put_cables(s, a, l->to[i], u.cables);
		}
	}
	return true;
}

/* Puts an arrow in the middle of the line from a to b. */
static void put_arrow(const struct svg *s, uint32_t a, uint32_t b, const char *colour, const char *more)
{
	float c[8];

	picture_curve(s->pic, a, b, c);
	svg_arrow(s->to, (c[0] + 3 * c[2] + 3 * c[4] + c[6]) / 8, (c[1] + 3 * c[3] + 3 * c[5] + c[7]) / 8,
		  (double)atan2f(c[7] + c[5] - c[3] - c[1], c[6] + c[4] - c[2] - c[0]) * 180 / M_PI, colour,
		  more);
}

static const struct {
	unsigned way;
	const char *words;
} marks[] = {{PICTURE_THERE, "path"},
	     {PICTURE_BACK, "way back"},
	     {PICTURE_CYCLE, "channels of the cycle, in order"},
	     {PICTURE_STEP, "cable of the step"},
	     {PICTURE_MORE, "more entries"},
	     {PICTURE_LESS, "fewer entries"},
	     {PICTURE_MORE | PICTURE_LESS, "other entries"}};

/* The title of a mark: what it means, and the cables marked in the direction in which they are. */
static void put_mark_words(const struct svg *s, uint32_t i, unsigned ways)
{
	const char *words = "";
	unsigned n = 0;

	for (size_t k = 0; k < ARRAY_LEN(marks); k++)
		if ((ways & marks[k].way) == marks[k].way)
			words = marks[k].words;
	fprintf(s->to, "%s: ", words);
	for (uint32_t k = s->l->cable[i]; k < s->l->cable[i + 1]; k++)
		for (unsigned back = 0; back < 2; back++) {
			uint32_t port = back ? s->f->port_peer[s->l->port[k]] : s->l->port[k];

			if (!(s->look->way[port] & ways))
				continue;
			fputs(n++ ? "; " : "", s->to);
			picture_cables_words(s->to, s->f, &port, 1);
		}
}

/* Puts one of the kinds of marks over a link. Marks of the way back stand beside it. */
static void put_mark(const struct svg *s, uint32_t a, uint32_t i, struct picture_bundle u, unsigned kind)
{
	static const char *const names[] = {[PICTURE_MORE | PICTURE_LESS] = "change",
					    [PICTURE_THERE | PICTURE_STEP] = "path",
					    [PICTURE_BACK] = "back",
					    [PICTURE_CYCLE] = "cycle"};
	bool aside = kind == PICTURE_BACK;
	uint32_t b = s->l->to[i];

	u.ways &= kind;
	u.back &= kind;
	u.down = u.came = 0;
	if (!(u.ways | u.back))
		return;
	struct picture_stroke k = picture_stroke(s->look, &u);
	begin_path(s, names[kind], a, i, &k,
		   aside ? " class=\"mark\" transform=\"translate(5 4)\"" : " class=\"mark\"");
	put_mark_words(s, i, u.ways | u.back);
	end_path(s);
	if (kind & (PICTURE_MORE | PICTURE_LESS))
		return;
	if (u.ways)
		put_arrow(s, a, b, k.colour, aside ? "translate(5 4) " : "");
	if (u.back)
		put_arrow(s, b, a, k.colour, aside ? "translate(5 4) " : "");
}

static const struct picture_stroke turn_strokes[] = {
	[PICTURE_TURN] = {.colour = "#1f5fa8", .dash = "", .width = 1.4},
	[PICTURE_TURN_ON_CYCLE] = {.colour = "#b2182b", .dash = "", .width = 2},
	[PICTURE_TURN_MISSING] = {.colour = "#888888", .dash = "1.5 3", .width = 1.4},
};
static const char *const turn_words[] = {[PICTURE_TURN] = "dependency",
					 [PICTURE_TURN_ON_CYCLE] = "dependency on a cycle",
					 [PICTURE_TURN_MISSING] = "dependency of other layers"};
static const struct picture_stroke lane_strokes[] = {{.colour = "#1f5fa8", .dash = "", .width = 2.4},
						     {.colour = "#b2182b", .dash = "", .width = 2.4}};

static const struct picture_stroke *lane_stroke(const struct svg *s)
{
	return &lane_strokes[s->look->red != NULL];
}

/* The lane of a channel, between its two ends. */
static void picture_svg_put_lane(const struct svg *s, uint32_t port)
{
	uint32_t a, b;
	float at[2];

	if (!picture_channel_ends(s->f, port, &a, &b))
		return;
	for (unsigned k = 0; k <= 4; k++) {
		picture_lane(s->pic, a, b,
			     PICTURE_LANE_FROM + (PICTURE_LANE_TO - PICTURE_LANE_FROM) * (float)k / 4, at);
		fprintf(s->to, k ? "L%.1f %.1f" : "<path class=\"lane\" d=\"M%.1f %.1f", (double)at[0],
			(double)at[1]);
	}
	fprintf(s->to, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"", lane_stroke(s)->colour,
		lane_stroke(s)->width);
	picture_cables_id(s->to, s->f, "lane", &port, 1, s->again);
	fputs("><title>channel ", s->to);
	picture_cables_words(s->to, s->f, &port, 1);
	end_path(s);
}

/* An arrow from the end of one lane, through the switch, to the beginning of the next. */
static void picture_svg_put_turn(const struct svg *s, const struct picture_turn *t)
{
	const struct picture_stroke *k = &turn_strokes[t->kind];
	uint32_t a, b, c, same;
	float p[2], q[2];

	if (!picture_channel_ends(s->f, t->from, &a, &b) || !picture_channel_ends(s->f, t->to, &same, &c) ||
	    same != b)
		return;
	const struct picture_rect *r = &s->pic->box[b];
	float x = r->x + r->w / 2, y = r->y + r->h / 2;
	picture_lane(s->pic, a, b, PICTURE_LANE_TO, p);
	picture_lane(s->pic, b, c, PICTURE_LANE_FROM, q);
	fprintf(s->to,
		"<path class=\"turn%u\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" "
		"stroke-width=\"%.1f\"",
		(unsigned)t->kind, (double)p[0], (double)p[1], (double)x, (double)y, (double)q[0],
		(double)q[1], k->colour, k->width);
	if (*k->dash)
		fprintf(s->to, " stroke-dasharray=\"%s\"", k->dash);
	fprintf(s->to, "><title>%s: ", turn_words[t->kind]);
	picture_cables_words(s->to, s->f, &t->from, 1);
	fputs(", then ", s->to);
	picture_cables_words(s->to, s->f, &t->to, 1);
	end_path(s);
	svg_arrow(s->to, q[0], q[1], (double)atan2f(q[1] - y, q[0] - x) * 180 / M_PI, k->colour, "");
}

static void put_turns(const struct svg *s)
{
	for (uint32_t port = 0; s->look->turn && port < s->f->n_ports; port++)
		if (s->look->channel[port])
			picture_svg_put_lane(s, port);
	for (size_t i = 0; i < s->look->n_turns; i++)
		picture_svg_put_turn(s, &s->look->turn[i]);
}

static void put_frame(const struct svg *s, const struct picture_rect *r, const char *class)
{
	fprintf(s->to,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\" "
		"fill=\"#f4f5f7\" stroke=\"#9aa0a8\" stroke-width=\".8\"/>\n",
		class, (double)r->x, (double)r->y, (double)r->w, (double)r->h);
}

/* The whole name, or its last word if there is no room for more. */
static const char *frame_name(const struct svg *s, uint32_t b)
{
	const char *name = s->l->block_name[b], *last = strrchr(name, ' ');

	return last && (float)svg_columns(name) * FRAME_LETTER * s->letter > s->pic->block[b].w ? last + 1
												: name;
}

static void put_frame_names(const struct svg *s)
{
	static const char look[] =
		" fill=\"#444\" paint-order=\"stroke\" stroke=\"#f4f5f7\" stroke-width=\"3\"";

	fputs("<g><title>names of parts, levels and places</title>\n", s->to);
	for (uint32_t b = 0; b < s->l->n_blocks; b++)
		if (s->pic->block[b].w > 0)
			svg_words(s->to, s->pic->block[b].x + 4, s->pic->block[b].y + 11 * s->letter,
				  9 * s->letter, look, frame_name(s, b));
	for (uint32_t k = 0; k < s->pic->n_planes; k++)
		svg_words(s->to, s->pic->plane[k].at.x + 6, s->pic->plane[k].at.y + 12 * s->letter,
			  10 * s->letter, look, s->pic->plane[k].name);
	for (uint32_t k = 0; k < s->pic->n_labels; k++)
		svg_words(s->to, s->pic->label[k].x, s->pic->label[k].y, 10 * s->letter,
			  SVG_MIDDLE " fill=\"#444\"" SVG_OVER, s->pic->label[k].words);
	fputs("</g>\n", s->to);
}

static const char *box_fill(const struct svg *s, uint32_t sw)
{
	if (s->look->class)
		return s->look->kind[s->look->class[sw]].colour;
	if (s->look->number && s->look->number[sw])
		return MARKED;
	return s->l->hosts[sw] ? "#e8f0fe" : "#fff";
}

static void picture_svg_put_box(const struct svg *s, uint32_t sw)
{
	const struct picture_rect *r = &s->pic->box[sw];
	const struct picture_look *look = s->look;
	uint32_t node = s->f->switch_node[sw], part = s->l->part_of[sw];
	bool down = look->state && look->state->node_down[node];
	bool dark = look->class && look->kind[look->class[sw]].dark;

	fputs("<g", s->to);
	picture_switch_id(s->to, s->f, sw, s->again);
	fputs("><title>", s->to);
	picture_switch_words(s->to, s->f, look, sw);
	fprintf(s->to, " %s", PLURAL(s->l->hosts[sw], "host"));
	if (look->class)
		fprintf(s->to, ", %s", look->kind[look->class[sw]].words);
	if (look->figure && look->figure[sw])
		fprintf(s->to, ", %s", PLURAL(look->figure[sw], look->figure_noun));
	if (look->number && look->number[sw] && !s->moves)
		fprintf(s->to, ", number %u on the way marked", look->number[sw]);
	fprintf(s->to,
		"%s</title><rect class=\"switch\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"rx=\"3\" fill=\"%s\" stroke=\"%s\"%s/>",
		down ? ", down" : "", (double)r->x, (double)r->y, (double)r->w, (double)r->h, box_fill(s, sw),
		down ? "#c00000" : "#222", down ? " stroke-dasharray=\"5 3\" stroke-width=\"2\"" : "");
	if (s->pic->named[part == NO_ID ? s->l->n_parts : part])
		svg_words(s->to, r->x + r->w / 2, r->y + 15 * s->letter, 10 * s->letter,
			  dark ? SVG_TOLD SVG_MIDDLE " fill=\"#fff\"" : SVG_TOLD SVG_MIDDLE,
			  switch_name(s->f, sw));
	fputs("</g>\n", s->to);
}

/* The number of hosts under each switch that has some, or the text that replaces it. */
static void put_under(const struct svg *s, uint32_t sw)
{
	const struct picture_rect *r = &s->pic->box[sw];
	const struct picture_look *look = s->look;
	uint32_t part = s->l->part_of[sw], n = look->figure ? look->figure[sw] : s->l->hosts[sw];

	if (!n || !s->pic->named[part == NO_ID ? s->l->n_parts : part])
		return;
	svg_words(s->to, r->x + r->w / 2, r->y + r->h + 10 * s->letter, 8 * s->letter,
		  SVG_TOLD SVG_MIDDLE " fill=\"#666\"" SVG_OVER,
		  PLURAL(n, look->figure ? look->figure_noun : "host"));
}

struct legend {
	const struct svg *s;
	float x, y;
};

static void picture_svg_next_row(struct legend *g, const char *words)
{
	if (g->x + 36 + 6.5f * g->s->letter * (float)svg_columns(words) <= g->s->pic->width)
		return;
	g->x = 20;
	g->y += ROWS * g->s->letter;
}

static void line_sample(struct legend *g, struct picture_stroke k, const char *words)
{
	picture_svg_next_row(g, words);
	fprintf(g->s->to, "<path class=\"legend\" d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"%.1f\"",
		(double)g->x, (double)g->y, k.colour, k.width);
	if (*k.dash)
		fprintf(g->s->to, " stroke-dasharray=\"%s\"", k.dash);
	fputs("/>\n", g->s->to);
	g->x = svg_legend_words(g->s->to, g->x + 26, g->y, g->s->letter, words);
}

/* Adds a sample of cables like these to the legend. */
static void bundle_sample(struct legend *g, struct picture_bundle u, const char *words)
{
	u.cables = u.cables ? u.cables : 1;
	u.weight = g->s->look->most;
	line_sample(g, picture_stroke(g->s->look, &u), words);
}

static void picture_svg_put_legend(const struct svg *s)
{
	/* on a page of a given size there is room for two rows more */
	struct legend g = {s, 20, s->pic->height - (s->pic->page.wide ? 64 : 32) * s->letter};

	fputs("<g><title>legend</title>\n", s->to);
	for (unsigned k = 0; k < s->look->n_kinds; k++) {
		picture_svg_next_row(&g, s->look->kind[k].words);
		fprintf(g.s->to,
			"<rect class=\"legend\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"10\" rx=\"3\" "
			"fill=\"%s\" stroke=\"#222\"/>\n",
			(double)g.x, (double)g.y - 5, s->look->kind[k].colour);
		g.x = svg_legend_words(g.s->to, g.x + 14, g.y, s->letter, s->look->kind[k].words);
	}
	if (s->look->load && s->look->mean > 0)
		for (unsigned k = 0; k < PICTURE_LOADS; k++)
			line_sample(&g, picture_load_stroke(k), picture_load_words[k]);
	else
		bundle_sample(&g, (struct picture_bundle){0}, "link");
	for (size_t k = 0; k < ARRAY_LEN(marks); k++)
		if ((s->look->ways & marks[k].way) == marks[k].way)
			bundle_sample(&g, (struct picture_bundle){.ways = marks[k].way}, marks[k].words);
	if (s->look->red) {
		line_sample(&g, turn_strokes[PICTURE_TURN_ON_CYCLE], s->look->red);
	} else if (s->look->turn) {
		line_sample(&g, *lane_stroke(s), "channel of the layer");
		line_sample(&g, turn_strokes[PICTURE_TURN], "dependency");
		line_sample(&g, turn_strokes[PICTURE_TURN_ON_CYCLE], "on a credit loop");
		line_sample(&g, turn_strokes[PICTURE_TURN_MISSING],
			    "other layers have it, this one does not");
	}
	bundle_sample(&g, (struct picture_bundle){.cables = 1, .down = 1}, "down");
	bundle_sample(&g, (struct picture_bundle){.cables = 2, .down = 1}, "some of its cables down");
	if (s->look->came)
		bundle_sample(&g, (struct picture_bundle){.came = 1}, "up again");
	fputs("</g>\n", s->to);
}

static struct svg svg_of(FILE *to, const struct picture *pic, const struct fabric *f,
			 const struct picture_look *look)
{
	struct svg s = {
		.to = to, .pic = pic, .l = pic->layout, .f = f, .look = look, .letter = pic->page.letter};
	uint32_t links = s.l->first[s.l->n] / 2;

	for (uint32_t k = 0; k < s.l->n; k++)
		s.id = (uint32_t)mix(s.id, (uint64_t)pic->box[k].x << 32 | (uint32_t)pic->box[k].y);
	s.thin = fmin(1, fmax(0.3, sqrt((double)MANY_LINKS / (links ? links : 1))));
	return s;
}

/* What is there without marks: frames, switches in their order, then lines. */
static bool put_ground(const struct svg *s, struct progress *p)
{
	const struct picture *pic = s->pic;
	bool go_on = true;

	svg_holes(s->to, s->id, pic->width, pic->height);
	for (uint32_t sw = 0; sw < s->l->n; sw++)
		svg_hole(s->to, pic->box[sw].x, pic->box[sw].y, pic->box[sw].w, pic->box[sw].h);
	svg_holes_end(s->to);
	for (uint32_t b = 0; b < s->l->n_blocks; b++)
		if (pic->block[b].w > 0)
			put_frame(s, &pic->block[b], "block");
	for (uint32_t k = 0; k < pic->n_planes; k++)
		put_frame(s, &pic->plane[k].at, "plane");
	for (uint32_t i = 0; i < s->l->n; i++)
		picture_svg_put_box(s, s->l->order[i]);
	svg_under(s->to, s->id);
	for (unsigned k = 0; k <= PICTURE_LOADS && go_on; k++)
		go_on = put_links(s, k, p);
	fputs("</g>\n", s->to);
	for (uint32_t sw = 0; sw < s->l->n && go_on; sw++)
		put_under(s, sw);
	return go_on;
}

#define DRAWN_ORDER "Switches in their places, then the links between them, then what is marked on them"

static void put_marks(const struct svg *s)
{
	static const unsigned kinds[] = {PICTURE_MORE | PICTURE_LESS, PICTURE_THERE | PICTURE_STEP,
					 PICTURE_BACK, PICTURE_CYCLE};

	svg_under(s->to, s->id);
	for (uint32_t a = 0; a < s->l->n; a++)
		for (uint32_t i = s->l->first[a]; i < s->l->first[a + 1]; i++) {
			if (s->l->to[i] < a)
				continue;
			struct picture_bundle u = picture_bundle(s->f, s->look, a, s->l->to[i]);
			for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
				if (kinds[k] != (PICTURE_MORE | PICTURE_LESS) || (!u.down && !u.came))
					put_mark(s, a, i, u, kinds[k]);
		}
	fputs("</g>\n", s->to);
}

int picture_svg(FILE *to, const struct picture *pic, const struct fabric *f, const struct picture_look *look,
		struct progress *p)
{
	assert(pic->layout->n == f->n_switches);
	struct svg s = svg_of(to, pic, f, look);

	progress_start(p, "writing the drawing", (PICTURE_LOADS + 1) * s.l->n);
	s.id = svg_id(s.id, look->title, look->line);
	svg_begin(to, &pic->page, pic->width, pic->height,
		  &(struct svg_about){s.id, look->title, look->line, DRAWN_ORDER});
	bool go_on = put_ground(&s, p);
	if (s.look->way && go_on)
		put_marks(&s);
	for (uint32_t sw = 0; sw < s.l->n && go_on; sw++) {
		const struct picture_rect *r = &s.pic->box[sw];
		struct picture_bundle on = {.ways = s.look->ways & (PICTURE_THERE | PICTURE_CYCLE)};

		if (s.look->number && s.look->number[sw])
			svg_number(s.to, r->x, r->y, s.letter, picture_stroke(s.look, &on).colour,
				   s.look->number[sw]);
	}
	put_turns(&s);
	put_frame_names(&s);
	picture_svg_put_legend(&s);
	svg_end(to);
	return ferror(to) || !go_on ? -1 : 0;
}

/* Opens a group that is seen from a frame on, up to another. */
static void open_shown(FILE *to, unsigned from, unsigned end, unsigned frames)
{
	double all = frames;

	fprintf(to,
		"<g visibility=\"%s\"><animate attributeName=\"visibility\" calcMode=\"discrete\" "
		"dur=\"%gs\" "
		"repeatCount=\"indefinite\" values=\"%svisible%s\" keyTimes=\"0",
		from ? "hidden" : "visible", all * FRAME_SECONDS, from ? "hidden;" : "",
		end < frames ? ";hidden" : "");
	if (from)
		fprintf(to, ";%.7f", from / all);
	if (end < frames)
		fprintf(to, ";%.7f", end / all);
	fputs("\"/>\n", to);
}

int picture_movie(FILE *to, const struct picture *pic, const struct fabric *f,
		  const struct picture_look *look, const struct picture_frame *frame, struct progress *p)
{
	unsigned at = frame->at, frames = frame->of;

	assert(at < frames && (!at || frame->was));
	struct svg s = svg_of(to, pic, f, look);
	struct picture_look all = *look; /* of the legend */

	s.moves = true;
	s.again = at;
	s.id = svg_id(s.id, "plays", "");
	if (!at) { /* all that no frame changes, with the switches as they are in the first one */
		struct svg_page page = pic->page;
		AUTO_FREE char *title = str_printf("%s; it plays, %s of %d s each", look->title,
						   PLURAL(frames, "drawing"), FRAME_SECONDS);

		page.untitled = true; /* each frame has its own */
		svg_begin(to, &page, pic->width, pic->height,
			  &(struct svg_about){s.id, title, look->line, DRAWN_ORDER});
		if (!put_ground(&s, p))
			return -1;
	} else { /* boxes that look otherwise stay from now on: what comes later covers them */
		open_shown(to, at, frames, frames);
		for (uint32_t sw = 0; sw < s.l->n; sw++)
			if (frame->was[sw] != look->class[sw])
				picture_svg_put_box(&s, sw);
		fputs("</g>\n", to);
	}
	open_shown(to, at, at + 1, frames);
	put_marks(&s);
	put_turns(&s);
	svg_title(to, &pic->page, pic->width, look->title, look->line);
	fputs("</g>\n", to);
	if (at + 1 == frames) {
		all.ways = PICTURE_STEP | PICTURE_THERE;
		all.red = "forbidden turn, or dependencies of the cycle";
		s.look = &all;
		put_frame_names(&s);
		picture_svg_put_legend(&s);
		svg_end(to);
	}
	return ferror(to) ? -1 : 0;
}
