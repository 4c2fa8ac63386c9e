/* SVG: head, text, legend. */
#include "core/analysis/draw/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/base/mix.h"
#include "core/base/text.h"

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
	float wide = (float)page->wide, high = (float)page->high;

	if (!page->wide)
		return;
	*width = fmaxf(*width, *height * wide / high);
	*height = fmaxf(*height, *width * high / wide);
}

void svg_text(FILE *to, const char *text)
{
	struct text t = {0};

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
	text_free(&t);
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
	struct text t = {0};
	size_t n = 0;

	for (text = clean_string(text, &t); *text; text++)
		n += begins_character(*text);
	text_free(&t);
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
	struct text clean = {0};
	float letter = page->letter;
	char *part;
	size_t n;

	if (page->untitled || !*title)
		return;
	title = clean_string(title, &clean);
	n = fitting(title, (size_t)((width - 2 * MARGIN) / (TITLE_LETTER * letter)));
	part = str_printf("%.*s%s", (int)n, title, title[n] ? " .." : "");
	svg_words(to, MARGIN, 26 * letter, 15 * letter, SVG_TOLD " font-weight=\"bold\"", part);
	free(part);
	for (unsigned k = 0; k < page->lines && *line;) {
		size_t len = strcspn(line, "\n");
		char *whole = str_printf("%.*s", (int)len, line);
		const char *rest = clean_string(whole, &clean);

		line += len + (line[len] == '\n');
		for (; k < page->lines && *rest; k++) {
			n = fitting(rest, (size_t)((width - 2 * MARGIN) / (LINE_LETTER * letter)));
			part = str_printf("%.*s%s", (int)n, rest,
					  rest[n] && k + 1 == page->lines ? " .." : "");
			svg_words(to, MARGIN, (44 + LINE_HIGH * (float)k) * letter, 11 * letter,
				  SVG_TOLD " fill=\"#444\"", part);
			free(part);
			rest += n + (rest[n] == ' ');
		}
		free(whole);
	}
	text_free(&clean);
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
