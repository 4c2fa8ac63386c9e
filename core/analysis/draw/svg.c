/* SVG: head, text, legend. */
#include "core/analysis/draw/svg.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#define MARGIN 20.0f
#define TITLE_LETTER 9.8f
#define LINE_LETTER 6.4f
#define LINES 2

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

void svg_words(FILE *to, float x, float y, int size, const char *more, const char *words)
{
	fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\"%s>", (double)x, (double)y, size, more);
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

void svg_number(FILE *to, float x, float y, const char *colour, uint32_t number)
{
	char words[16];

	fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\"/>\n", (double)x, (double)y, colour);
	snprintf(words, sizeof(words), "%u", number);
	svg_words(to, x, y + 3, 9, SVG_MIDDLE " fill=\"#fff\"", words);
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

void svg_begin(FILE *to, float width, float height, const char *title, const char *line)
{
	struct text clean = {0};
	char *part;
	size_t n;

	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		"height=\"%.0f\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		(double)width, (double)height, (double)width, (double)height);
	title = clean_string(title, &clean);
	n = fitting(title, (size_t)((width - 2 * MARGIN) / TITLE_LETTER));
	part = str_printf("%.*s%s", (int)n, title, title[n] ? " .." : "");
	svg_words(to, MARGIN, 26, 15, " font-weight=\"bold\"", part);
	free(part);
	line = clean_string(line, &clean);
	for (unsigned k = 0; k < LINES && *line; k++) {
		n = fitting(line, (size_t)((width - 2 * MARGIN) / LINE_LETTER));
		part = str_printf("%.*s%s", (int)n, line, line[n] && k + 1 == LINES ? " .." : "");
		svg_words(to, MARGIN, 44 + 13 * (float)k, 11, " fill=\"#444\"", part);
		free(part);
		line += n + (line[n] == ' ');
	}
	text_free(&clean);
}

void svg_end(FILE *to)
{
	fputs("</svg>\n", to);
}

float svg_legend_words(FILE *to, float x, float y, const char *words)
{
	svg_words(to, x + 5, y + 4, 10, "", words);
	return x + 5 + 6.5f * (float)svg_columns(words) + 18;
}
