/* Pictures of cycles of channels, and what is added to an SVG of Graphviz. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/drawing.h"

/* A cycle of channels: its switches on a circle, and for each channel its ports, VL and routes. */

#define COLOUR "#b2182b"
#define LEAST_WIDTH 720.0f
#define LEAST_RADIUS 140.0f
#define HIGH 22.0f
#define NAME_ROOM 16.0f
#define DISC 12.0f
#define BETWEEN 110.0f /* between boxes: ports and words of a channel */
#define MARGIN 40.0f
#define LEGEND 60.0f
#define PORT_AWAY 15.0f
#define WORDS_AWAY 10.0f
#define WORDS 40
#define PAIR_BEND 70.0f /* keeps the two ways of two switches apart */

struct circle {
	const struct fabric *f;
	const struct picture_step *step;
	uint32_t n;
	const struct svg_page *page;
	float letter;
	float w, h; /* of a box */
	float *x;   /* [2 n] middles */
	float left; /* left end of all that is drawn, with words */
	float top, right, bottom;
};

static uint32_t picture_cycle_switch_of(const struct circle *c, uint32_t i)
{
	return c->f->node_switch[c->f->port_node[c->step[i % c->n].port]];
}

static void step_words(const struct picture_step *s, char *buf, size_t size)
{
	char routes[40];

	snprintf(buf, size, "VL %u, %s", s->vl, plural(s->routes, "route", routes, sizeof(routes)));
}

static void take_in(struct circle *c, float x0, float y0, float x1, float y1)
{
	c->left = fminf(c->left, x0);
	c->top = fminf(c->top, y0);
	c->right = fmaxf(c->right, x1);
	c->bottom = fmaxf(c->bottom, y1);
}

/* The line of a channel, and the words outside the line. */
struct picture_cycle_spot {
	float x, y;   /* middle of the line */
	float nx, ny; /* outwards */
	float turn;   /* of an arrow, in degrees */
	float wx, wy; /* of the words */
	const char *anchor;
	float from; /* start of the words, as a part of their width */
};

static struct picture_cycle_spot picture_cycle_spot_of(const struct circle *c, uint32_t i)
{
	const float *p = c->x + 2 * (size_t)i, *q = c->x + 2 * (size_t)((i + 1) % c->n);
	float dx = q[0] - p[0], dy = q[1] - p[1], len = fmaxf(hypotf(dx, dy), 1);
	struct picture_cycle_spot s = {
		.nx = dy / len, .ny = -dx / len, .turn = atan2f(dy, dx) * 180 / (float)M_PI};
	float bend = c->n == 2 ? PAIR_BEND : 0;

	s.x = (p[0] + q[0]) / 2 + s.nx * bend * 0.75f;
	s.y = (p[1] + q[1]) / 2 + s.ny * bend * 0.75f;
	s.wx = s.x + s.nx * WORDS_AWAY;
	s.wy = s.y + s.ny * WORDS_AWAY + 4 + s.ny * 4;
	s.from = -0.5f;
	s.anchor = SVG_TOLD SVG_MIDDLE;
	if (s.nx > 0.25f) {
		s.from = 0;
		s.anchor = SVG_TOLD;
	} else if (s.nx < -0.25f) {
		s.from = -1;
		s.anchor = SVG_TOLD " text-anchor=\"end\"";
	}
	return s;
}

static void picture_cycle_place(struct circle *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		size_t len = svg_columns(switch_name(c->f, picture_cycle_switch_of(c, i)));

		c->w = fmaxf(c->w, ((float)len * SVG_LETTER + NAME_ROOM) * c->letter);
	}
	c->h = HIGH * c->letter;
	float step = hypotf(c->w, c->h) + BETWEEN * c->letter;
	float radius = c->n > 2 ? step / (2 * sinf((float)M_PI / (float)c->n)) : step / 2;
	radius = fmaxf(radius, LEAST_RADIUS);
	for (uint32_t i = 0; i < c->n; i++) {
		float turn = 2 * (float)M_PI * (float)i / (float)c->n;

		c->x[2 * i] = radius * sinf(turn);
		c->x[2 * i + 1] = -radius * cosf(turn);
		take_in(c, c->x[2 * i] - c->w / 2 - DISC * c->letter,
			c->x[2 * i + 1] - c->h / 2 - DISC * c->letter,
			c->x[2 * i] + c->w / 2 + DISC * c->letter,
			c->x[2 * i + 1] + c->h / 2 + DISC * c->letter);
	}
	for (uint32_t i = 0; i < c->n; i++) {
		struct picture_cycle_spot s = picture_cycle_spot_of(c, i);
		char words[WORDS];

		step_words(&c->step[i], words, sizeof(words));
		float wide = (float)strlen(words) * SVG_LETTER * c->letter;
		take_in(c, s.wx + s.from * wide, s.wy - 10 * c->letter, s.wx + (s.from + 1) * wide, s.wy + 4);
	}
}

/* Moves all to the right and below the title. Gives the size of the page. */
static void picture_cycle_settle(struct circle *c, float *width, float *height)
{
	float dx = MARGIN - c->left, dy = svg_top(c->page) + MARGIN - c->top, high;

	*width = fmaxf(c->right - c->left + 2 * MARGIN, LEAST_WIDTH * c->letter);
	*height = high = c->bottom + dy + LEGEND * c->letter;
	svg_fit(c->page, width, height);
	dx += (*width - 2 * MARGIN - (c->right - c->left)) / 2;
	dy += (*height - high) / 2;
	for (uint32_t i = 0; i < c->n; i++) {
		c->x[2 * i] += dx;
		c->x[2 * i + 1] += dy;
	}
}

/* Puts the number of a port beside its box, on the way to another point. */
static void picture_cycle_put_port(FILE *to, const struct circle *c, const float *at, float tx, float ty,
				   unsigned port)
{
	float dx = tx - at[0], dy = ty - at[1], len = fmaxf(hypotf(dx, dy), 1);
	float out =
		fminf(c->w / 2 / fmaxf(fabsf(dx / len), 0.001f), c->h / 2 / fmaxf(fabsf(dy / len), 0.001f));
	char words[16];

	snprintf(words, sizeof(words), "[%u]", port);
	out += PORT_AWAY * c->letter;
	svg_words(to, at[0] + dx / len * out, at[1] + dy / len * out + 3, 9 * c->letter,
		  SVG_TOLD SVG_MIDDLE SVG_OVER, words);
}

/* A switch that the cycle comes to again. */
static unsigned times_before(const struct circle *c, uint32_t i)
{
	unsigned n = 0;

	for (uint32_t k = 0; k < i; k++)
		n += picture_cycle_switch_of(c, k) == picture_cycle_switch_of(c, i);
	return n ? n + 1 : 0;
}

static void picture_cycle_put_switch(FILE *to, const struct circle *c, uint32_t i,
				     const struct picture_look *look)
{
	float x = c->x[2 * i], y = c->x[2 * i + 1];

	fputs("<g", to);
	picture_switch_id(to, c->f, picture_cycle_switch_of(c, i), times_before(c, i));
	fputs("><title>", to);
	picture_switch_words(to, c->f, look, picture_cycle_switch_of(c, i));
	fprintf(to,
		" place %u of %u on the cycle</title><rect class=\"switch\" x=\"%.1f\" y=\"%.1f\" "
		"width=\"%.1f\" "
		"height=\"%.1f\" rx=\"3\" fill=\"#fff2c4\" stroke=\"#222\"/>\n",
		i + 1, c->n, (double)(x - c->w / 2), (double)(y - c->h / 2), (double)c->w, (double)c->h);
	svg_words(to, x, y - c->h / 2 + 15 * c->letter, 10 * c->letter, SVG_TOLD SVG_MIDDLE,
		  switch_name(c->f, picture_cycle_switch_of(c, i)));
	fputs("</g>\n", to);
}

static void picture_cycle_put_channel(FILE *to, const struct circle *c, uint32_t i)
{
	const float *p = c->x + 2 * (size_t)i, *q = c->x + 2 * (size_t)((i + 1) % c->n);
	uint32_t port = c->step[i].port, peer = c->f->port_peer[port];
	struct picture_cycle_spot s = picture_cycle_spot_of(c, i);
	float bend = c->n == 2 ? PAIR_BEND : 0;
	float cx = (p[0] + q[0]) / 2 + s.nx * bend * 1.5f, cy = (p[1] + q[1]) / 2 + s.ny * bend * 1.5f;
	char words[WORDS], kind[24];

	step_words(&c->step[i], words, sizeof(words));
	snprintf(kind, sizeof(kind), "channel-vl%u", c->step[i].vl);
	fputs("<path", to);
	picture_cables_id(to, c->f, kind, &port, 1, 0);
	fprintf(to,
		" class=\"channel\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"" COLOUR
		"\" stroke-width=\"3.2\"><title>",
		(double)p[0], (double)p[1], (double)cx, (double)cy, (double)q[0], (double)q[1]);
	picture_cables_words(to, c->f, &port, 1);
	fprintf(to, ", %s</title></path>\n", words);
	svg_arrow(to, s.x, s.y, (double)s.turn, COLOUR, "");
	picture_cycle_put_port(to, c, p, cx, cy, c->f->port_num[port]);
	if (peer != NO_ID)
		picture_cycle_put_port(to, c, q, cx, cy, c->f->port_num[peer]);
	svg_words(to, s.wx, s.wy, 10 * c->letter, s.anchor, words);
}

int picture_cycle_svg(FILE *to, const struct svg_page *page, const struct fabric *f,
		      const struct picture_cycle *cycle, const struct picture_look *look, struct progress *p)
{
	uint32_t n = cycle->n;
	AUTO_FREE float *middles = NEW_ARRAY(2 * (size_t)n + 2, float);
	struct circle c = {
		.page = page, .letter = page->letter, .f = f, .step = cycle->step, .n = n, .x = middles};
	bool go_on = true;
	float width, height;
	uint32_t id = svg_id(n, look->title, look->line);

	assert(n);
	picture_cycle_place(&c);
	picture_cycle_settle(&c, &width, &height);
	progress_start(p, "writing the drawing", 2 * n);
	svg_begin(to, page, width, height,
		  &(struct svg_about){id, look->title, look->line,
				      "Switches in the order of the cycle, then its channels"});
	svg_holes(to, id, width, height);
	for (uint32_t i = 0; i < n; i++)
		svg_hole(to, c.x[2 * i] - c.w / 2, c.x[2 * i + 1] - c.h / 2, c.w, c.h);
	svg_holes_end(to);
	for (uint32_t i = 0; i < n; i++)
		picture_cycle_put_switch(to, &c, i, look);
	svg_under(to, id);
	for (uint32_t i = 0; i < n && go_on; i++) {
		picture_cycle_put_channel(to, &c, i);
		go_on = progress_step(p, i);
	}
	fputs("</g>\n", to);
	for (uint32_t i = 0; i < n && go_on; i++) {
		float x = c.x[2 * i], y = c.x[2 * i + 1], turn = 2 * (float)M_PI * (float)i / (float)n;
		float dx = sinf(turn), dy = -cosf(turn);
		float out = 5 + fminf(c.w / 2 / fmaxf(fabsf(dx), 0.001f), c.h / 2 / fmaxf(fabsf(dy), 0.001f));

		svg_number(to, x + dx * out, y + dy * out, c.letter, COLOUR,
			   i + 1); /* at the box's edge, away from the circle */
		go_on = progress_step(p, n + i);
	}
	fprintf(to, "<path d=\"M20 %.1fh26\" stroke=\"" COLOUR "\" stroke-width=\"3.2\"/>\n",
		(double)(height - 22 * c.letter));
	svg_legend_words(
		to, 46, height - 22 * c.letter, c.letter,
		"channels of the cycle, in order; [port]; routes: those that hold it and want the next");
	svg_end(to);
	return ferror(to) || !go_on ? -1 : 0;
}

int picture_cycle_dot(FILE *to, const struct fabric *f, const struct picture_cycle *cycle, struct progress *p)
{
	const struct picture_step *step = cycle->step;
	uint32_t n = cycle->n;
	AUTO_FREE float *middles = NEW_ARRAY(2 * (size_t)n + 2, float);
	struct circle c = {.page = &svg_plain, .letter = 1, .f = f, .step = step, .n = n, .x = middles};
	bool go_on = true;
	float width, height;

	assert(n);
	picture_cycle_place(&c);
	picture_cycle_settle(&c, &width, &height);
	progress_start(p, "writing the drawing", n);
	fprintf(to, "digraph cycle {\n\tnode [fontsize=10, shape=box];\n\tedge [fontsize=9, color=\"" COLOUR
		    "\", penwidth=3];\n");
	for (uint32_t i = 0; i < n; i++) {
		fprintf(to, "\t%u [label=\"", i + 1);
		dot_text(to, switch_name(f, picture_cycle_switch_of(&c, i)));
		fprintf(to, "\", pos=\"%.1f,%.1f!\"];\n", (double)c.x[2 * i], (double)-c.x[2 * i + 1]);
	}
	for (uint32_t i = 0; i < n && (go_on = progress_step(p, i)); i++) {
		uint32_t peer = f->port_peer[step[i].port];
		char words[WORDS];

		step_words(&step[i], words, sizeof(words));
		fprintf(to, "\t%u -> %u [label=\"%s\", taillabel=\"%u\"", i + 1, (i + 1) % n + 1, words,
			f->port_num[step[i].port]);
		if (peer != NO_ID)
			fprintf(to, ", headlabel=\"%u\"", f->port_num[peer]);
		fprintf(to, "];\n");
	}
	fprintf(to, "}\n");
	return ferror(to) || !go_on ? -1 : 0;
}

/* The SVG of Graphviz with what it does not say: names, ids and places in the fabric. */

static void put_channel_words(FILE *to, const struct cdg *c, uint32_t v)
{
	picture_cables_words(to, c->routing->topo->fabric, &c->port[v], 1);
	fprintf(to, ", VL %u", c->vl[v]);
}

static void put_dependency(FILE *to, const struct cdg *c, uint32_t v, uint32_t w)
{
	const struct fabric *f = c->routing->topo->fabric;
	uint32_t p = c->port[v], q = c->port[w], at = cdg_dependency(c, v, w);
	uint64_t a = f->node_guid[f->port_node[p]], b = f->node_guid[f->port_node[q]];

	fprintf(to,
		"<g id=\"turn-vl%u-%016" PRIx64 "-%u-vl%u-%016" PRIx64 "-%u\" data-guid=\"0x%016" PRIx64
		"\" data-port=\"%u\" data-peer-guid=\"0x%016" PRIx64
		"\" data-peer-port=\"%u\" class=\"edge\">\n"
		"<title>",
		c->vl[v], a, f->port_num[p], c->vl[w], b, f->port_num[q], a, f->port_num[p], b,
		f->port_num[q]);
	put_channel_words(to, c, v);
	fputs(", then ", to);
	put_channel_words(to, c, w);
	fprintf(to, ": %s</title>\n", PLURAL(at == NO_ID ? 0 : c->routes[at], "route"));
}

/* Writes the head of what this title is of: a channel "c3", or a dependency "c3->c4". false: of neither. */
static bool graphviz_put_head(FILE *to, const struct cdg *c, const char *title)
{
	unsigned v, w;
	int end = 0;
	char kind[24];

	if (sscanf(title, "<title>c%u</title>%n", &v, &end) == 1 && end && v < c->n_channels) {
		snprintf(kind, sizeof(kind), "channel-vl%u", c->vl[v]);
		fputs("<g", to);
		picture_cables_id(to, c->routing->topo->fabric, kind, &c->port[v], 1, 0);
		fputs(" class=\"node\">\n<title>", to);
		put_channel_words(to, c, v);
		fputs("</title>\n", to);
		return true;
	}
	if (sscanf(title, "<title>c%u&#45;&gt;c%u</title>%n", &v, &w, &end) == 2 && end &&
	    v < c->n_channels && w < c->n_channels) {
		put_dependency(to, c, v, w);
		return true;
	}
	return false;
}

int graphviz_name(FILE *from, FILE *to, const struct cdg *c, const struct svg_about *of)
{
	AUTO_TEXT struct text held = {0}, read = {0}; /* held: the line before, whose title is to come */
	bool root = false;
	struct err e;
	int got;

	while ((got = read_text_line(from, "dot", &read, &e)) > 0) {
		const char *line = text_str(&read), *rest = line;

		if (held.len && graphviz_put_head(to, c, line)) {
			held.len = 0;
			continue;
		}
		fputs(held.len ? text_str(&held) : "", to);
		held.len = 0;
		if (!strncmp(line, "<g id=\"node", 11) || !strncmp(line, "<g id=\"edge", 11)) {
			text_add(&held, "%s", line);
			continue;
		}
		if (!strcmp(line, "<title>cdg</title>\n"))
			continue;
		if (!strncmp(line, "<svg ", 5)) {
			root = true;
			rest += 4;
			fputs("<svg", to);
			svg_name(to, of->id);
		}
		fputs(rest, to);
		if (root && strchr(rest, '>')) {
			root = false;
			svg_describe(to, of);
		}
	}
	fputs(held.len ? text_str(&held) : "", to);
	return got < 0 || ferror(to) ? -1 : 0;
}
