/* SVG of a drawing: frames, then lines, then boxes over them, then title and legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/picture.h"
#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#define UP_COLOUR "#8a93a0"
#define DOWN_COLOUR "#c00000"
#define THERE_COLOUR "#08519c"
#define BACK_COLOUR "#e08214"
#define PALE_COLOUR "#cfd3d8" /* links beside a path */
#define PART_COLOUR "#e08214" /* some of the cables down */
#define TREE_BEND 0.35f
#define CIRCLE_BEND 0.35f
#define PLANE_OVER 22.0f
#define GROUP_BEND 0.55f
#define FRAME_LETTER 6.0f
#define MANY_LINKS 200
#define PARALLELS 60 /* labels x4 up to so many links */

static const struct {
	const char *colour, *words;
	double width;
} classes[PICTURE_LOADS] = {{"#bdbdbd", "0", 0.8},
			    {"#a6cee3", "under 0.5", 1.1},
			    {"#5aa2cf", "0.5 to 1.5", 1.8},
			    {"#d7301f", "1.5 to 2.5", 2.8},
			    {"#67000d", "over 2.5 x the mean", 4.0}};

struct svg {
	FILE *to;
	const struct picture *pic;
	const struct layout *l;
	const struct fabric *f;
	const struct picture_look *look;
	double thin; /* widths of lines, as many make a page black */
};

/* Text that is nothing but text in XML. */
static void put_text(const struct svg *s, const char *text)
{
	struct text t = {0};

	for (text = clean_string(text, &t); *text; text++) {
		if (*text == '<')
			fputs("&lt;", s->to);
		else if (*text == '>')
			fputs("&gt;", s->to);
		else if (*text == '&')
			fputs("&amp;", s->to);
		else
			putc(*text == '\n' || *text == '\t' ? ' ' : *text, s->to);
	}
	text_free(&t);
}

static void put_words(const struct svg *s, float x, float y, int size, const char *more, const char *words)
{
	fprintf(s->to, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\"%s>", (double)x, (double)y, size, more);
	put_text(s, words);
	fputs("</text>\n", s->to);
}

/* --- lines --- */

/* What a line shows of the cables between two switches. */
struct bundle {
	uint32_t cables, down, load; /* load: of the busiest cable and direction */
	unsigned ways;		     /* bits of enum picture_way, in both directions */
};

static struct bundle bundle_of(const struct svg *s, uint32_t a, uint32_t b)
{
	const struct fabric *f = s->f;
	struct bundle u = {0};

	for (unsigned p = 1; p <= f->switch_nports[a]; p++) {
		uint32_t port = switch_port_id(f, a, p), peer = f->port_peer[port];

		if (peer == NO_ID || f->node_switch[f->port_node[peer]] != b)
			continue;
		u.cables++;
		u.down += s->look->state && !state_link_up(f, s->look->state, f->port_link[port]);
		if (s->look->way)
			u.ways |= s->look->way[port] | s->look->way[peer];
		if (s->look->load) {
			u.load = s->look->load[port] > u.load ? s->look->load[port] : u.load;
			u.load = s->look->load[peer] > u.load ? s->look->load[peer] : u.load;
		}
	}
	return u;
}

static unsigned load_class(const struct picture_look *look, uint32_t load)
{
	double x = look->mean > 0 ? load / look->mean : 0;

	return !load ? 0 : x < 0.5 ? 1 : x <= 1.5 ? 2 : x <= 2.5 ? 3 : 4;
}

static struct picture_rect middle(const struct svg *s, uint32_t sw)
{
	struct picture_rect b = s->pic->box[sw];

	return (struct picture_rect){b.x + b.w / 2, b.y + b.h / 2, b.w / 2, b.h / 2};
}

static void put_line(const struct svg *s, float x0, float y0, float x1, float y1)
{
	fprintf(s->to, "M%.1f %.1fL%.1f %.1f", (double)x0, (double)y0, (double)x1, (double)y1);
}

static void put_curve(const struct svg *s, const float c[8])
{
	fprintf(s->to, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", (double)c[0], (double)c[1], (double)c[2],
		(double)c[3], (double)c[4], (double)c[5], (double)c[6], (double)c[7]);
}

/* From level to level; on one level below the boxes. */
static void tree_line(const struct svg *s, uint32_t a, uint32_t b)
{
	struct picture_rect p = middle(s, a), q = middle(s, b);
	float bend;

	if (s->l->level[a] == s->l->level[b]) {
		put_curve(s, (float[]){p.x, p.y + p.h, p.x, p.y + p.h + 30, q.x, q.y + q.h + 30, q.x,
				       q.y + q.h});
		return;
	}
	if (p.y > q.y) {
		struct picture_rect swap = p;

		p = q;
		q = swap;
	}
	bend = TREE_BEND * (q.y - q.h - p.y - p.h);
	put_curve(s, (float[]){p.x, p.y + p.h, p.x, p.y + p.h + bend, q.x, q.y - q.h - bend, q.x, q.y - q.h});
}

/* In a group: beside one another straight, else over those between. */
static void group_line(const struct svg *s, uint32_t a, uint32_t b)
{
	struct picture_rect p = middle(s, a), q = middle(s, b);
	float over = 5 + fabsf(p.x - q.x) / 12;

	if (fabsf(p.y - q.y) > 1 || fabsf(p.x - q.x) < 3 * p.w)
		put_line(s, p.x, p.y, q.x, q.y);
	else
		put_curve(s, (float[]){p.x, p.y - p.h, p.x, p.y - p.h - over, q.x, q.y - q.h - over, q.x,
				       q.y - q.h});
}

/* Bent to the middle of the part. */
static void bent_line(const struct svg *s, uint32_t a, uint32_t b, const struct picture_rect *part,
		      float bend)
{
	struct picture_rect p = middle(s, a), q = middle(s, b);
	float cx = part->x + part->w / 2, cy = part->y + part->h / 2;

	fprintf(s->to, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", (double)p.x, (double)p.y,
		(double)((p.x + q.x) / 2 * (1 - bend) + cx * bend),
		(double)((p.y + q.y) / 2 * (1 - bend) + cy * bend), (double)q.x, (double)q.y);
}

/* Neighbours straight; else over the row, or beside the column. */
static void grid_line(const struct svg *s, uint32_t a, uint32_t b)
{
	struct picture_rect p = middle(s, a), q = middle(s, b);
	const uint16_t *x = layout_coord(s->l, a), *y = layout_coord(s->l, b);
	unsigned d = x[0] == y[0], apart = (unsigned)abs(x[d] - y[d]);
	float over = fminf(8 + 7 * (float)apart, 30) * 1.3f;

	if (!picture_draws(s->pic, a, b)) /* to another plane */
		put_curve(s, (float[]){p.x, p.y - p.h, p.x, p.y - p.h - PLANE_OVER, q.x,
				       q.y - q.h - PLANE_OVER, q.x, q.y - q.h});
	else if (apart <= 1 || *x == LAYOUT_BESIDE || *y == LAYOUT_BESIDE)
		put_line(s, p.x, p.y, q.x, q.y);
	else if (d)
		put_curve(s, (float[]){p.x + p.w, p.y, p.x + p.w + over, p.y, q.x + q.w + over, q.y,
				       q.x + q.w, q.y});
	else
		put_curve(s, (float[]){p.x, p.y - p.h, p.x, p.y - p.h - over, q.x, q.y - q.h - over, q.x,
				       q.y - q.h});
}

static void put_shape(const struct svg *s, uint32_t a, uint32_t b)
{
	const struct layout_part *is = &s->l->part[s->l->part_of[a]];
	const struct picture_rect *part = &s->pic->part[s->l->part_of[a]];
	struct picture_rect p = middle(s, a), q = middle(s, b);

	if (is->kind == LAYOUT_TREE)
		tree_line(s, a, b);
	else if (is->kind == LAYOUT_GRID)
		grid_line(s, a, b);
	else if (is->kind == LAYOUT_FULL || (is->kind == LAYOUT_OTHER && s->pic->named[s->l->part_of[a]]))
		bent_line(s, a, b, part, CIRCLE_BEND);
	else if (is->kind == LAYOUT_GROUPS && s->l->block[a] != s->l->block[b])
		bent_line(s, a, b, part, GROUP_BEND);
	else if (is->kind == LAYOUT_GROUPS)
		group_line(s, a, b);
	else
		put_line(s, p.x, p.y, q.x, q.y);
}

static void put_link(const struct svg *s, uint32_t a, uint32_t b, const struct bundle *u, unsigned class)
{
	const char *colour = UP_COLOUR, *more = "";
	double width = 0.8 + 0.4 * (u->cables > 6 ? 6 : u->cables);
	struct picture_rect p = middle(s, a), q = middle(s, b);
	char label[16];

	if (s->look->load) {
		colour = classes[class].colour;
		width = classes[class].width;
	}
	if (s->look->way) {
		colour = PALE_COLOUR;
		width = 0.6;
	}
	if (u->down) {
		colour = u->down == u->cables ? DOWN_COLOUR : PART_COLOUR;
		more = " stroke-dasharray=\"5 3\"";
		width = 2.4;
	}
	fputs("<path d=\"", s->to);
	put_shape(s, a, b);
	fprintf(s->to, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"%s/>\n", colour,
		u->down ? width : width * s->thin, more);
	if (u->cables < 2 || s->l->first[s->l->n] / 2 > PARALLELS)
		return;
	snprintf(label, sizeof(label), "x%u", u->cables);
	put_words(s, (p.x + q.x) / 2, (p.y + q.y) / 2, 9,
		  " text-anchor=\"middle\" paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"3\"", label);
}

/* Lines of one class: dark ones and those that are down come last, so that they are seen. */
static bool put_links(const struct svg *s, unsigned class, struct progress *p)
{
	const struct layout *l = s->l;

	for (uint32_t a = 0; a < l->n; a++) {
		if (!progress_step(p, class * l->n + a))
			return false;
		for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++) {
			struct bundle u;
			unsigned is;

			if (l->to[i] < a)
				continue;
			u = bundle_of(s, a, l->to[i]);
			is = u.down ? PICTURE_LOADS : s->look->load ? load_class(s->look, u.load) : 0;
			if (is == class && (u.down || picture_draws(s->pic, a, l->to[i])))
				put_link(s, a, l->to[i], &u, is);
		}
	}
	return true;
}

/* One way of a path over a link; back it is beside it. */
static void put_way(const struct svg *s, uint32_t a, uint32_t b, bool back)
{
	fputs("<path class=\"way\" d=\"", s->to);
	put_shape(s, a, b);
	fprintf(s->to, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n",
		back ? BACK_COLOUR : THERE_COLOUR, back ? "2.4" : "3.2",
		back ? " stroke-dasharray=\"7 4\" transform=\"translate(5 4)\"" : "");
}

/* Over all links: the path, also from plane to plane. */
static void put_ways(const struct svg *s)
{
	for (uint32_t a = 0; s->look->way && a < s->l->n; a++)
		for (uint32_t i = s->l->first[a]; i < s->l->first[a + 1]; i++) {
			struct bundle u;

			if (s->l->to[i] < a)
				continue;
			u = bundle_of(s, a, s->l->to[i]);
			if (u.ways & PICTURE_THERE)
				put_way(s, a, s->l->to[i], false);
			if (u.ways & PICTURE_BACK)
				put_way(s, a, s->l->to[i], true);
		}
}

/* The place in the path, at the corner of the box. */
static void put_number(const struct svg *s, uint32_t sw)
{
	const struct picture_rect *r = &s->pic->box[sw];
	char words[16];

	if (!s->look->way || !s->look->number[sw])
		return;
	snprintf(words, sizeof(words), "%u", s->look->number[sw]);
	fprintf(s->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\"/>\n", (double)r->x, (double)r->y,
		THERE_COLOUR);
	put_words(s, r->x, r->y + 3, 9, " text-anchor=\"middle\" fill=\"#fff\"", words);
}

/* --- boxes --- */

static void put_frames(const struct svg *s)
{
	for (uint32_t b = 0; b < s->l->n_blocks; b++) {
		const struct picture_rect *r = &s->pic->block[b];

		if (r->w <= 0)
			continue;
		fprintf(s->to,
			"<rect class=\"block\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\" "
			"fill=\"#f4f5f7\" stroke=\"#9aa0a8\" stroke-width=\".8\"/>\n",
			(double)r->x, (double)r->y, (double)r->w, (double)r->h);
	}
}

/* The whole name, or its last word where there is no room for more. */
static const char *frame_name(const struct svg *s, uint32_t b)
{
	const char *name = s->l->block_name[b], *last = strrchr(name, ' ');

	return last && (float)strlen(name) * FRAME_LETTER > s->pic->block[b].w ? last + 1 : name;
}

static void put_frame_names(const struct svg *s)
{
	for (uint32_t b = 0; b < s->l->n_blocks; b++)
		if (s->pic->block[b].w > 0)
			put_words(
				s, s->pic->block[b].x + 4, s->pic->block[b].y + 11, 9,
				" fill=\"#444\" paint-order=\"stroke\" stroke=\"#f4f5f7\" stroke-width=\"3\"",
				frame_name(s, b));
}

static void put_box(const struct svg *s, uint32_t sw)
{
	const struct picture_rect *r = &s->pic->box[sw];
	uint32_t node = s->f->switch_node[sw], part = s->l->part_of[sw];
	bool down = s->look->state && s->look->state->node_down[node];
	bool named = s->pic->named[part == NO_ID ? s->l->n_parts : part];

	fputs("<g><title>", s->to);
	put_text(s, switch_name(s->f, sw));
	fprintf(s->to, ": %s%s", PLURAL(s->l->hosts[sw], "host"), down ? ", down" : "");
	fprintf(s->to,
		"</title><rect class=\"switch\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"rx=\"3\" "
		"fill=\"%s\" stroke=\"%s\"%s/>",
		(double)r->x, (double)r->y, (double)r->w, (double)r->h, s->l->hosts[sw] ? "#e8f0fe" : "#fff",
		down ? DOWN_COLOUR : "#222", down ? " stroke-dasharray=\"5 3\"" : "");
	if (named)
		put_words(s, r->x + r->w / 2, r->y + 15, 10, " text-anchor=\"middle\"",
			  switch_name(s->f, sw));
	fputs("</g>\n", s->to);
}

/* How many hosts, under each switch that has some. */
static void put_hosts(const struct svg *s, uint32_t sw)
{
	const struct picture_rect *r = &s->pic->box[sw];
	uint32_t part = s->l->part_of[sw];
	char words[32];

	if (!s->l->hosts[sw] || part == NO_ID || !s->pic->named[part])
		return;
	snprintf(words, sizeof(words), "%s", PLURAL(s->l->hosts[sw], "host"));
	put_words(s, r->x + r->w / 2, r->y + r->h + 10, 8,
		  " text-anchor=\"middle\" fill=\"#666\" paint-order=\"stroke\" stroke=\"#fff\" "
		  "stroke-width=\"3\"",
		  words);
}

/* --- what stands around --- */

static void put_head(const struct svg *s)
{
	fprintf(s->to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		"height=\"%.0f\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		(double)s->pic->width, (double)s->pic->height, (double)s->pic->width, (double)s->pic->height);
	put_words(s, 20, 26, 15, " font-weight=\"bold\"", s->look->title);
	put_words(s, 20, 44, 11, " fill=\"#444\"", s->look->line);
}

static float put_sample(const struct svg *s, float x, const char *colour, double width, const char *more,
			const char *words)
{
	float y = s->pic->height - 22;

	fprintf(s->to, "<path d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>\n", (double)x,
		(double)y, colour, width, more);
	put_words(s, x + 31, y + 4, 10, "", words);
	return x + 31 + 6.5f * (float)strlen(words) + 18;
}

static void put_legend(const struct svg *s)
{
	float x = 20;

	if (s->look->load)
		for (unsigned k = 0; k < PICTURE_LOADS; k++)
			x = put_sample(s, x, classes[k].colour, classes[k].width, "", classes[k].words);
	else
		x = put_sample(s, x, s->look->way ? PALE_COLOUR : UP_COLOUR, 1.2, "", "link");
	if (s->look->way) {
		x = put_sample(s, x, THERE_COLOUR, 3.2, "", "path");
		x = put_sample(s, x, BACK_COLOUR, 2.4, " stroke-dasharray=\"7 4\"", "way back");
	}
	x = put_sample(s, x, DOWN_COLOUR, 2.4, " stroke-dasharray=\"5 3\"", "down");
	put_sample(s, x, PART_COLOUR, 2.4, " stroke-dasharray=\"5 3\"", "some of its cables down");
}

int picture_svg(FILE *to, const struct picture *pic, const struct fabric *f, const struct picture_look *look,
		struct progress *p)
{
	struct svg s = {.to = to, .pic = pic, .l = pic->layout, .f = f, .look = look};
	uint32_t links = s.l->first[s.l->n] / 2;
	bool go_on = true;

	s.thin = fmin(1, fmax(0.3, sqrt((double)MANY_LINKS / (links ? links : 1))));
	progress_start(p, "writing the drawing", (PICTURE_LOADS + 1) * s.l->n);
	put_head(&s);
	put_frames(&s);
	for (unsigned k = 0; k <= PICTURE_LOADS && go_on; k++)
		go_on = put_links(&s, k, p);
	put_ways(&s);
	for (uint32_t sw = 0; sw < s.l->n && go_on; sw++)
		put_hosts(&s, sw);
	for (uint32_t sw = 0; sw < s.l->n && go_on; sw++)
		put_box(&s, sw);
	for (uint32_t sw = 0; sw < s.l->n && go_on; sw++)
		put_number(&s, sw);
	put_frame_names(&s);
	put_legend(&s);
	fputs("</svg>\n", to);
	return ferror(to) || !go_on ? -1 : 0;
}
