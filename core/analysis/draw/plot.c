#include "core/analysis/draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/draw/svg.h"
#include "core/base/clean.h"
#include "core/base/text.h"

#define WIDTH 960.0f
#define LEFT 84.0f
#define RIGHT 36.0f
#define HIGH 260.0f /* of the axes */
#define ABOVE 24.0f
#define BELOW 52.0f /* numbers and name of an axis */
#define LEGEND 30.0f
#define LABEL_HIGH 5.0f /* height of one letter of a slanting label */
#define LABEL_LETTERS 28
#define VALUES 30 /* up to so many bars have their values on top */
#define TICKS_UP 5
#define TICKS_ACROSS 12
#define COLOUR "#5aa2cf"
#define PART_COLOUR "#d7301f"
#define LINE_COLOUR "#222"

struct panel {
	FILE *to;
	const struct plot *p;
	float y0;    /* foot of the bars */
	float wide;  /* of the axes */
	double top;  /* value at the upper end of the axis */
	double tick; /* distance of its numbers */
};

static float x_of(const struct panel *g, double bar)
{
	return LEFT + (float)(bar / g->p->n) * g->wide;
}

static float y_of(const struct panel *g, double value)
{
	return g->y0 - (float)(value / g->top) * HIGH;
}

static void put_rule(const struct panel *g, float x0, float y0, float x1, float y1, const char *look)
{
	fprintf(g->to, "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" %s/>\n", (double)x0, (double)y0,
		(double)x1, (double)y1, look);
}

/* "12", "648k", "4.74M": large numbers have three digits. */
static const char *number_text(double v, char *buf, size_t size)
{
	if (v >= 1e9)
		snprintf(buf, size, "%.3gG", v / 1e9);
	else if (v >= 1e6 - 500)
		snprintf(buf, size, "%.3gM", v / 1e6);
	else if (v >= 1e5)
		snprintf(buf, size, "%.3gk", v / 1e3);
	else
		snprintf(buf, size, "%g", v);
	return buf;
}

/* --- axes ------------------------------------------------------------------------------------- */

static void put_y_axis(const struct panel *g)
{
	char words[32];

	for (unsigned k = 0; k * g->tick <= g->top * 1.001; k++) {
		double v = k * g->tick;
		float y = y_of(g, v);

		put_rule(g, LEFT, y, LEFT + g->wide, y, "stroke=\"#e3e5e8\" stroke-width=\"1\"");
		svg_words(g->to, LEFT - 6, y + 4, 10, " class=\"tick\" text-anchor=\"end\"",
			  number_text(v, words, sizeof(words)));
	}
	put_rule(g, LEFT, g->y0, LEFT, g->y0 - HIGH, "class=\"axis\" stroke=\"#222\"");
	fprintf(g->to,
		"<text font-size=\"11\" text-anchor=\"middle\" transform=\"translate(%.1f %.1f) "
		"rotate(-90)\">",
		22.0, (double)(g->y0 - HIGH / 2));
	svg_text(g->to, g->p->y_name);
	fputs("</text>\n", g->to);
}

/* Puts round numbers in the middle of a bar if it stands for one number, else at its beginning. */
static void put_numbers(const struct panel *g)
{
	const struct plot *p = g->p;
	double end = p->x0 + p->n * p->step, step = round_step(end - p->x0, TICKS_ACROSS);
	double shift = p->step <= 1 ? 0.5 : 0, last = end - (p->step <= 1 ? p->step : 0);
	char words[32];

	for (unsigned k = 0;; k++) {
		double v = (ceil(p->x0 / step) + k) * step;
		float x = x_of(g, (v - p->x0) / p->step + shift);

		if (v > last + 1e-9)
			break;
		put_rule(g, x, g->y0, x, g->y0 + 4, "stroke=\"#222\"");
		svg_words(g->to, x, g->y0 + 15, 10, " class=\"tick\"" SVG_MIDDLE,
			  number_text(v, words, sizeof(words)));
	}
}

/* A label of at most LABEL_LETTERS characters. buf has four times as many bytes. */
static const char *short_label(const char *label, char *buf, size_t size)
{
	struct text t = {0};
	size_t n = 0, letters = 0;

	for (label = clean_string(label, &t); label[n] && n + 4 < size; n++) {
		if (((unsigned char)label[n] & 0xc0) != 0x80 && letters++ == LABEL_LETTERS)
			break;
	}
	snprintf(buf, size, "%.*s%s", (int)n, label, label[n] ? ".." : "");
	text_free(&t);
	return buf;
}

static bool has_labels(const struct plot *p)
{
	return p->label && p->n <= PLOT_LABELS;
}

static float labels_high(const struct plot *p)
{
	size_t most = 0;

	for (uint32_t i = 0; has_labels(p) && i < p->n; i++) {
		size_t n = svg_columns(p->label[i]);

		most = n > most ? n : most;
	}
	return most > LABEL_LETTERS ? (LABEL_LETTERS + 2) * LABEL_HIGH : (float)most * LABEL_HIGH;
}

/* --- bars --------------------------------------------------------------------------------------- */

static void put_bar(const struct panel *g, float x0, float x1, double from, double to, const char *colour)
{
	if (to > from)
		fprintf(g->to,
			"<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
			"fill=\"%s\"/>\n",
			(double)x0, (double)y_of(g, to), (double)(x1 - x0),
			(double)(y_of(g, from) - y_of(g, to)), colour);
}

static void put_bars(const struct panel *g)
{
	const struct plot *p = g->p;
	uint32_t columns = p->n < PLOT_COLUMNS ? p->n : PLOT_COLUMNS;
	float gap = columns > VALUES * 4 ? 0 : 0.1f * g->wide / (float)columns;
	char words[32];

	for (uint32_t c = 0; c < columns; c++) {
		uint32_t first = (uint32_t)((uint64_t)c * p->n / columns),
			 end = (uint32_t)((uint64_t)(c + 1) * p->n / columns), best = first;
		float x0 = x_of(g, (double)c * p->n / columns) + gap / 2,
		      x1 = x_of(g, (double)(c + 1) * p->n / columns) - gap / 2;
		double part;

		for (uint32_t i = first; i < end; i++)
			best = p->value[i] > p->value[best] ? i : best;
		part = p->part ? p->part[best] : 0;
		put_bar(g, x0, x1, 0, part, PART_COLOUR);
		put_bar(g, x0, x1, part, p->value[best], COLOUR);
		if (p->n <= VALUES && p->value[best] > 0)
			svg_words(g->to, (x0 + x1) / 2, y_of(g, p->value[best]) - 3, 9, SVG_MIDDLE,
				  number_text(p->value[best], words, sizeof(words)));
	}
}

static void put_lines(const struct panel *g)
{
	static const char look[] = "stroke=\"" LINE_COLOUR "\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"";
	const struct plot *p = g->p;
	float x;

	if (p->level_name && p->level <= g->top) {
		put_rule(g, LEFT, y_of(g, p->level), LEFT + g->wide, y_of(g, p->level), look);
		svg_words(g->to, LEFT + g->wide - 4, y_of(g, p->level) - 4, 10,
			  " text-anchor=\"end\"" SVG_OVER, p->level_name);
	}
	x = p->at_name ? x_of(g, (p->at - p->x0) / p->step + (p->step <= 1 ? 0.5 : 0)) : 0;
	if (p->at_name && x >= LEFT && x <= LEFT + g->wide) {
		put_rule(g, x, g->y0, x, g->y0 - HIGH, look);
		svg_words(g->to, x, g->y0 - HIGH - 4, 10, SVG_MIDDLE SVG_OVER, p->at_name);
	}
}

static void put_legend(const struct panel *g, float y)
{
	const struct plot *p = g->p;
	const char *const name[] = {p->value_name, p->part ? p->part_name : NULL};
	const char *const colour[] = {COLOUR, PART_COLOUR};
	float x = LEFT;

	for (unsigned k = 0; k < 2; k++) {
		if (!name[k])
			continue;
		fprintf(g->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"10\" fill=\"%s\"/>\n",
			(double)x, (double)y - 5, colour[k]);
		x = svg_legend_words(g->to, x + 14, y, name[k]);
	}
}

static float panel_high(const struct plot *p)
{
	return ABOVE + HIGH + labels_high(p) + BELOW + LEGEND;
}

static void put_panel(FILE *to, const struct plot *p, float y)
{
	struct panel g = {.to = to, .p = p, .y0 = y + ABOVE + HIGH, .wide = WIDTH - LEFT - RIGHT};
	double most = p->level_name ? p->level : 0;

	for (uint32_t i = 0; i < p->n; i++)
		most = fmax(most, p->value[i]);
	g.tick = round_step(most, TICKS_UP);
	g.top = fmax(ceil(most * 1.04 / g.tick), 1) * g.tick;
	put_y_axis(&g);
	if (p->n)
		put_bars(&g);
	put_lines(&g);
	if (p->n) {
		put_rule(&g, LEFT, g.y0, LEFT + g.wide, g.y0, "class=\"axis\" stroke=\"#222\"");
		if (has_labels(g.p)) {
			char words[4 * LABEL_LETTERS + 8];

			for (uint32_t i = 0; i < g.p->n; i++) {
				fprintf(g.to,
					"<text class=\"label\" font-size=\"9\" text-anchor=\"end\" "
					"transform=\"translate(%.1f %.1f) rotate(-40)\">",
					(double)x_of(&g, i + 0.6), (double)g.y0 + 10);
				svg_text(g.to, short_label(g.p->label[i], words, sizeof(words)));
				fputs("</text>\n", g.to);
			}
		} else {
			put_numbers(&g);
		}
		svg_words(g.to, LEFT + g.wide / 2, g.y0 + labels_high(g.p) + 34, 11, SVG_MIDDLE, g.p->x_name);
	}
	put_legend(&g, g.y0 + labels_high(p) + BELOW);
}

int plot_svg(FILE *to, const char *title, const char *line, const struct plot *plot, unsigned n,
	     struct progress *p)
{
	float height = SVG_TOP, y = SVG_TOP;
	bool go_on = true;

	for (unsigned k = 0; k < n; k++)
		height += panel_high(&plot[k]);
	progress_start(p, "writing the plot", n);
	svg_begin(to, WIDTH, height, title, line);
	for (unsigned k = 0; k < n && (go_on = progress_step(p, k)); k++) {
		put_panel(to, &plot[k], y);
		y += panel_high(&plot[k]);
	}
	svg_end(to);
	return ferror(to) || !go_on ? -1 : 0;
}
