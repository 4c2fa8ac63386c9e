/* Plots as SVG, and what all SVG of the program has in common. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"

/* SVG: head, text, legend. */

#define MARGIN 20.0f
#define TITLE_LETTER 9.8f
#define LINE_LETTER 6.4f
#define TOP 64.0f /* of a title with two lines below it */
#define LINE_HIGH 13.0f

const struct svg_page svg_plain = {.letter = 1, .lines = 2};

float svg_top(const struct svg_page *page)
{
	return page->untitled ? MARGIN / 2 : (TOP + LINE_HIGH * ((float)page->lines - 2)) * page->letter;
}

void svg_fit(const struct svg_page *page, float *width, float *height)
{
	assert(!page->wide == !page->high);
	float wide = (float)page->wide, high = (float)page->high;

	if (!page->wide)
		return;
	*width = fmaxf(*width, *height * wide / high);
	*height = fmaxf(*height, *width * high / wide);
}

void svg_text(FILE *to, const char *text)
{
	AUTO_TEXT struct text t = {0};

	for (text = clean_string(text, &t); *text; text++) {
		if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '>')
			fputs("&gt;", to);
		else if (*text == '&')
			fputs("&amp;", to);
		else
			putc(*text == '\n' || *text == '\t' ? ' ' : *text, to);
	}
}

void svg_words(FILE *to, float x, float y, float size, const char *more, const char *words)
{
	fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\"%s>", (double)x, (double)y, (double)size,
		more);
	svg_text(to, words);
	fputs("</text>\n", to);
}

void svg_arrow(FILE *to, float x, float y, double turn, const char *colour, const char *before)
{
	fprintf(to,
		"<path class=\"arrow\" d=\"M6 0L-5 -5.5L-5 5.5Z\" fill=\"%s\" stroke=\"#fff\" "
		"stroke-width=\".6\" transform=\"%stranslate(%.1f %.1f) rotate(%.0f)\"/>\n",
		colour, before, (double)x, (double)y, turn);
}

void svg_number(FILE *to, float x, float y, float letter, const char *colour, uint32_t number)
{
	char words[16];

	fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"/>\n", (double)x, (double)y,
		(double)(7 * letter), colour);
	snprintf(words, sizeof(words), "%u", number);
	svg_words(to, x, y + 3 * letter, 9 * letter, SVG_TOLD SVG_MIDDLE " fill=\"#fff\"", words);
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t svg_columns(const char *text)
{
	AUTO_TEXT struct text t = {0};
	size_t n = 0;

	for (text = clean_string(text, &t); *text; text++)
		n += begins_character(*text);
	return n;
}

/* How many bytes of clean text fit into `columns`. A longer text is cut at the last blank, if that is
 * near. */
static size_t fitting(const char *text, size_t columns)
{
	size_t len = 0, blank = 0, n = 0;

	for (; text[len]; len++) {
		if (begins_character(text[len]) && n++ == columns)
			return blank > len / 2 ? blank : len;
		blank = text[len] == ' ' ? len : blank;
	}
	return len;
}

void svg_title(FILE *to, const struct svg_page *page, float width, const char *title, const char *line)
{
	AUTO_TEXT struct text clean = {0};
	float letter = page->letter;

	if (page->untitled || !*title)
		return;
	title = clean_string(title, &clean);
	size_t n = fitting(title, (size_t)((width - 2 * MARGIN) / (TITLE_LETTER * letter)));
	AUTO_FREE char *head = str_printf("%.*s%s", (int)n, title, title[n] ? " .." : "");
	svg_words(to, MARGIN, 26 * letter, 15 * letter, SVG_TOLD " font-weight=\"bold\"", head);
	for (unsigned k = 0; k < page->lines && *line;) {
		size_t len = strcspn(line, "\n");
		AUTO_FREE char *whole = str_printf("%.*s", (int)len, line);
		const char *rest = clean_string(whole, &clean);

		line += len + (line[len] == '\n');
		for (; k < page->lines && *rest; k++) {
			n = fitting(rest, (size_t)((width - 2 * MARGIN) / (LINE_LETTER * letter)));
			AUTO_FREE char *part = str_printf("%.*s%s", (int)n, rest,
							  rest[n] && k + 1 == page->lines ? " .." : "");
			svg_words(to, MARGIN, (44 + LINE_HIGH * (float)k) * letter, 11 * letter,
				  SVG_TOLD " fill=\"#444\"", part);
			rest += n + (rest[n] == ' ');
		}
	}
}

uint32_t svg_id(uint64_t seed, const char *title, const char *line)
{
	for (; *title; title++)
		seed = mix(seed, (unsigned char)*title);
	for (; *line; line++)
		seed = mix(seed, (unsigned char)*line);
	return (uint32_t)seed;
}

void svg_name(FILE *to, uint32_t id)
{
	fprintf(to, " role=\"img\" aria-labelledby=\"title-%08" PRIx32 " desc-%08" PRIx32 "\"", id, id);
}

void svg_describe(FILE *to, const struct svg_about *of)
{
	fprintf(to, "<title id=\"title-%08" PRIx32 "\">", of->id);
	svg_text(to, of->title);
	fprintf(to, "</title>\n<desc id=\"desc-%08" PRIx32 "\">", of->id);
	svg_text(to, of->line);
	fputs(*of->line && *of->more ? ". " : "", to);
	svg_text(to, of->more);
	fputs("</desc>\n", to);
}

void svg_holes(FILE *to, uint32_t id, float width, float height)
{
	fprintf(to, "<clipPath id=\"outside-%08" PRIx32 "\"><path d=\"M0 0H%.0fV%.0fH0Z", id,
		(double)ceilf(width), (double)ceilf(height));
}

void svg_hole(FILE *to, float x, float y, float w, float h)
{
	/* the other way round than the page: a hole by either rule of filling; and its line lies on top */
	fprintf(to, "M%.1f %.1fv%.1fh%.1fv%.1fZ", (double)x - 0.5, (double)y - 0.5, (double)h + 1,
		(double)w + 1, (double)-h - 1);
}

void svg_holes_end(FILE *to)
{
	fputs("\"/></clipPath>\n", to);
}

void svg_under(FILE *to, uint32_t id)
{
	fprintf(to, "<g clip-path=\"url(#outside-%08" PRIx32 ")\">\n", id);
}

void svg_begin(FILE *to, const struct svg_page *page, float width, float height, const struct svg_about *of)
{
	bool own = !page->wide;

	fprintf(to,
		own ? "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\""
		    : "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.3f %.3f\"",
		(double)width, (double)height);
	fprintf(to,
		" width=\"%.0f\" height=\"%.0f\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\"",
		own ? (double)width : page->wide, own ? (double)height : page->high);
	svg_name(to, of->id);
	fputs(">\n", to);
	svg_describe(to, of);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", to);
	svg_title(to, page, width, of->title, of->line);
}

void svg_end(FILE *to)
{
	fputs("</svg>\n", to);
}

float svg_legend_words(FILE *to, float x, float y, float letter, const char *words)
{
	svg_words(to, x + 5, y + 4 * letter, 10 * letter, "", words);
	return x + 5 + 6.5f * letter * (float)svg_columns(words) + 18;
}

#define WIDTH 960.0f
#define LEFT 84.0f
#define RIGHT 36.0f
#define HIGH 260.0f /* of the axes */
#define ABOVE 24.0f
#define BELOW 52.0f /* numbers and name of an axis */
#define LEGEND 30.0f
#define LABEL_HIGH 5.0f /* height of one letter of a slanting label */
#define LABEL_LETTERS 28
#define VALUES 30 /* up to this many bars have their values on top */
#define TICKS_UP 5
#define TICKS_ACROSS 12
#define COLOUR "#5aa2cf"
#define PART_COLOUR "#d7301f"
#define OTHER_COLOUR "#e08214"
#define LINE_COLOUR "#222"

struct panel {
	FILE *to;
	const struct plot *p;
	float letter;
	float left;
	float y0;	  /* foot of the bars */
	float wide, high; /* of the axes */
	double top;	  /* value at the upper end of the axis */
	double tick;	  /* distance of its numbers */
};

static float x_of(const struct panel *g, double bar)
{
	return g->left + (float)(bar / g->p->n) * g->wide;
}

static float y_of(const struct panel *g, double value)
{
	return g->y0 - (float)(value / g->top) * g->high;
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

static void put_y_axis(const struct panel *g)
{
	char words[32];

	for (unsigned k = 0; k * g->tick <= g->top * 1.001; k++) {
		double v = k * g->tick;
		float y = y_of(g, v);

		put_rule(g, g->left, y, g->left + g->wide, y, "stroke=\"#e3e5e8\" stroke-width=\"1\"");
		svg_words(g->to, g->left - 6, y + 4 * g->letter, 10 * g->letter,
			  " class=\"tick\" text-anchor=\"end\"", number_text(v, words, sizeof(words)));
	}
	put_rule(g, g->left, g->y0, g->left, g->y0 - g->high, "class=\"axis\" stroke=\"#222\"");
	fprintf(g->to,
		"<text font-size=\"%g\" text-anchor=\"middle\" transform=\"translate(%.1f %.1f) "
		"rotate(-90)\">",
		(double)(11 * g->letter), (double)(22 * g->letter), (double)(g->y0 - g->high / 2));
	svg_text(g->to, g->p->y_name);
	fputs("</text>\n", g->to);
}

/* Puts round numbers in the middle of a bar if it stands for one number, else at its beginning. */
static void plot_put_numbers(const struct panel *g)
{
	const struct plot *p = g->p;
	double end = p->x0 + p->n * p->step,
	       step = round_step(end - p->x0, (unsigned)(TICKS_ACROSS / g->letter));
	bool each = p->step <= 1;
	double shift = each ? 0.5 : 0, last = each ? end - p->step : end;
	char words[32];

	for (unsigned k = 0;; k++) {
		double v = (ceil(p->x0 / step) + k) * step;
		float x = x_of(g, (v - p->x0) / p->step + shift);

		if (v > last + 1e-9)
			break;
		put_rule(g, x, g->y0, x, g->y0 + 4, "stroke=\"#222\"");
		svg_words(g->to, x, g->y0 + 4 + 11 * g->letter, 10 * g->letter, " class=\"tick\"" SVG_MIDDLE,
			  number_text(v, words, sizeof(words)));
	}
}

/* A label of at most LABEL_LETTERS characters. buf has four times as many bytes. */
static const char *short_label(const char *label, char *buf, size_t size)
{
	AUTO_TEXT struct text t = {0};
	size_t n = 0, letters = 0;

	for (label = clean_string(label, &t); label[n] && n + 4 < size; n++)
		if (begins_character(label[n]) && letters++ == LABEL_LETTERS)
			break;
	snprintf(buf, size, "%.*s%s", (int)n, label, label[n] ? ".." : "");
	return buf;
}

static bool has_labels(const struct plot *p)
{
	return p->label && p->n <= PLOT_LABELS;
}

static float labels_high(const struct plot *p, float letter)
{
	size_t most = 0;

	for (uint32_t i = 0; has_labels(p) && i < p->n; i++) {
		size_t n = svg_columns(p->label[i]);

		most = MAX(n, most);
	}
	return (float)(most > LABEL_LETTERS ? LABEL_LETTERS + 2 : most) * LABEL_HIGH * letter;
}

/* What a bar shows of a number: all that is not `part`, that, or what is compared with it. */
enum plot_bar { BAR_VALUE, BAR_PART, BAR_OTHER };
static const char *const bar_colour[] = {COLOUR, PART_COLOUR, OTHER_COLOUR};

/* Bar i: what it stands for, and how many of what (where there is more than one kind) it shows. */
static void plot_put_bar(const struct panel *g, enum plot_bar kind, uint32_t i, float x0, float x1)
{
	const struct plot *p = g->p;
	const char *name[] = {p->part || p->other ? p->value_name : NULL, p->part_name, p->other_name};
	const double *all = kind == BAR_OTHER ? p->other : p->value;
	assert(all);
	double low = p->x0 + i * p->step, part = p->part ? p->part[i] : 0;
	double from = kind == BAR_VALUE ? part : 0, to = kind == BAR_PART ? part : all[i];

	if (to <= from)
		return;
	fprintf(g->to,
		"<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
		"fill=\"%s\"><title>",
		(double)x0, (double)y_of(g, to), (double)(x1 - x0), (double)(y_of(g, from) - y_of(g, to)),
		bar_colour[kind]);
	if (p->label)
		svg_text(g->to, p->label[i]);
	else
		fprintf(g->to, p->step > 1 ? "%g to %g" : "%g", low, low + p->step - 1);
	fprintf(g->to, ": %.10g%s", to - from, name[kind] ? " " : "");
	svg_text(g->to, name[kind] ? name[kind] : "");
	fputs("</title></rect>\n", g->to);
}

static void plot_put_value(const struct panel *g, float x, double value)
{
	char words[32];

	if ((float)g->p->n * (g->p->other ? 2 : 1) * g->letter <= VALUES && value > 0)
		svg_words(g->to, x, y_of(g, value) - 3, 9 * g->letter, SVG_TOLD SVG_MIDDLE,
			  number_text(value, words, sizeof(words)));
}

static void put_bars(const struct panel *g)
{
	const struct plot *p = g->p;
	uint32_t columns = MIN(p->n, PLOT_COLUMNS);
	float gap = columns > VALUES * 4 ? 0 : 0.1f * g->wide / (float)columns;
	bool beside = p->other && columns <= VALUES; /* of many the others are a line */

	for (uint32_t c = 0; c < columns; c++) {
		uint32_t first = (uint32_t)((uint64_t)c * p->n / columns),
			 end = (uint32_t)((uint64_t)(c + 1) * p->n / columns), best = first, most = first;
		float x0 = x_of(g, (double)c * p->n / columns) + gap / 2,
		      x1 = x_of(g, (double)(c + 1) * p->n / columns) - gap / 2;

		for (uint32_t i = first; i < end; i++) {
			best = p->value[i] > p->value[best] ? i : best;
			most = p->other && p->other[i] > p->other[most] ? i : most;
		}
		if (beside) {
			float middle = (x0 + x1) / 2;

			plot_put_bar(g, BAR_OTHER, most, middle, x1);
			plot_put_value(g, (middle + x1) / 2, p->other[most]);
			x1 = middle;
		}
		plot_put_bar(g, BAR_PART, best, x0, x1);
		plot_put_bar(g, BAR_VALUE, best, x0, x1);
		plot_put_value(g, (x0 + x1) / 2, p->value[best]);
	}
	if (p->other && !beside) {
		fprintf(g->to, "<path class=\"other\" d=\"M%.1f %.1f", (double)x_of(g, 0), (double)g->y0);
		for (uint32_t i = 0; i < p->n; i++)
			fprintf(g->to, "V%.1fH%.1f", (double)y_of(g, p->other[i]), (double)x_of(g, i + 1));
		fputs("\" fill=\"none\" stroke=\"" OTHER_COLOUR "\" stroke-width=\"1.6\"/>\n", g->to);
	}
}

static void plot_put_lines(const struct panel *g)
{
	static const char look[] = "stroke=\"" LINE_COLOUR "\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"";
	const struct plot *p = g->p;

	if (p->level_name && p->level <= g->top) {
		put_rule(g, g->left, y_of(g, p->level), g->left + g->wide, y_of(g, p->level), look);
		svg_words(g->to, g->left + g->wide - 4, y_of(g, p->level) - 4, 10 * g->letter,
			  " text-anchor=\"end\"" SVG_OVER, p->level_name);
	}
	float x = p->at_name ? x_of(g, (p->at - p->x0) / p->step + (p->step <= 1 ? 0.5 : 0)) : 0;
	if (p->at_name && x >= g->left && x <= g->left + g->wide) {
		put_rule(g, x, g->y0, x, g->y0 - g->high, look);
		svg_words(g->to, x, g->y0 - g->high - 4, 10 * g->letter, SVG_MIDDLE SVG_OVER, p->at_name);
	}
}

static void plot_put_legend(const struct panel *g, float y)
{
	const struct plot *p = g->p;
	const char *const name[] = {p->value_name, p->part ? p->part_name : NULL,
				    p->other ? p->other_name : NULL};
	float x = g->left;

	for (unsigned k = 0; k < ARRAY_LEN(name); k++) {
		if (!name[k])
			continue;
		fprintf(g->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"10\" fill=\"%s\"/>\n",
			(double)x, (double)y - 5, bar_colour[k]);
		x = svg_legend_words(g->to, x + 14, y, g->letter, name[k]);
	}
}

/* What a panel takes beside its axes. */
static float panel_around(const struct plot *p, float letter)
{
	return (ABOVE + BELOW + LEGEND) * letter + labels_high(p, letter);
}

static void put_panel(struct panel *g, float y)
{
	FILE *to = g->to;
	const struct plot *p = g->p;
	float letter = g->letter;
	double most = p->level_name ? p->level : 0;

	g->y0 = y + ABOVE * letter + g->high;
	float below = g->y0 + labels_high(p, letter);
	for (uint32_t i = 0; i < p->n; i++)
		most = fmax(most, p->other ? fmax(p->value[i], p->other[i]) : p->value[i]);
	g->tick = round_step(most, TICKS_UP);
	g->top = fmax(ceil(most * 1.04 / g->tick), 1) * g->tick;
	put_y_axis(g);
	if (p->n)
		put_bars(g);
	plot_put_lines(g);
	if (p->n) {
		put_rule(g, g->left, g->y0, g->left + g->wide, g->y0, "class=\"axis\" stroke=\"#222\"");
		if (has_labels(p)) {
			char words[4 * LABEL_LETTERS + 8];

			for (uint32_t i = 0; i < p->n; i++) {
				fprintf(to,
					"<text class=\"label\" font-size=\"%g\" text-anchor=\"end\" "
					"transform=\"translate(%.1f %.1f) rotate(-40)\">",
					(double)(9 * letter), (double)x_of(g, i + 0.6), (double)g->y0 + 10);
				svg_text(to, short_label(p->label[i], words, sizeof(words)));
				fputs("</text>\n", to);
			}
		} else {
			plot_put_numbers(g);
		}
		svg_words(to, g->left + g->wide / 2, below + 34 * letter, 11 * letter, SVG_MIDDLE, p->x_name);
	}
	plot_put_legend(g, below + BELOW * letter);
}

int plot_svg(FILE *to, const struct svg_page *page, const struct plots *d, struct progress *p)
{
	const struct plot *plot = d->plot;
	unsigned n = d->n;
	float width = WIDTH, height = svg_top(page), y = height, high = HIGH;
	AUTO_TEXT struct text about = {0};
	bool go_on = true;

	for (unsigned k = 0; k < n; k++)
		height += high + panel_around(&plot[k], page->letter);
	float before = height;
	svg_fit(page, &width, &height);
	high += (height - before) / (float)(n ? n : 1);
	progress_start(p, "writing the plot", n);
	for (unsigned k = 0; k < n; k++)
		text_add(&about, "%s%s: %s, by %s", k ? ". " : "", plot[k].y_name,
			 PLURAL(plot[k].n, "number"), plot[k].x_name);
	uint32_t id = svg_id((uint64_t)height, d->title, d->line);
	svg_begin(to, page, width, height, &(struct svg_about){id, d->title, d->line, text_str(&about)});
	for (unsigned k = 0; k < n && (go_on = progress_step(p, k)); k++) {
		struct panel g = {.to = to, .p = &plot[k], .letter = page->letter, .high = high};

		g.left = LEFT * page->letter;
		g.wide = width - g.left - RIGHT;
		fputs("<g><title>", to);
		svg_text(to, plot[k].y_name);
		fputs("</title>\n", to);
		put_panel(&g, y);
		fputs("</g>\n", to);
		y += high + panel_around(&plot[k], page->letter);
	}
	svg_end(to);
	return ferror(to) || !go_on ? -1 : 0;
}
