#include "core/session/document.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/text.h"

/* The page asks for nothing: no file, no font, no script, no icon. */
static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<link rel=\"icon\" href=\"data:,\">\n";
static const char style[] =
	"<style>\n"
	"@page { size: A4; margin: 15mm }\n"
	"body { font: 10pt/1.35 \"DejaVu Sans\", Helvetica, Arial, sans-serif; max-width: 180mm; margin: 0 "
	"auto; color: #111 }\n"
	"h1, h2, h3, h4, figcaption { break-after: avoid }\n"
	"h1 { font-size: 16pt } h2 { font-size: 13pt; border-bottom: 1px solid #999 } h3 { font-size: 11pt "
	"}\n"
	"p, li, td, pre { overflow-wrap: anywhere; orphans: 3; widows: 3 }\n"
	"table { border-collapse: collapse; width: 100%; font-size: 8.5pt; margin: 2mm 0 }\n"
	"thead { display: table-header-group }\n"
	"tr, figure { break-inside: avoid }\n"
	"th, td { border: 1px solid #aaa; padding: 1px 4px; text-align: left; vertical-align: top }\n"
	".n { text-align: right; overflow-wrap: normal }\n"
	"pre { white-space: pre-wrap; background: #f4f5f7; padding: 2mm; font-size: 8.5pt }\n"
	"figure { margin: 3mm 0 } figure svg { display: block; width: 100%; height: auto; max-height: 235mm "
	"}\n"
	"</style>\n";

static void html_text(FILE *f, const char *s)
{
	AUTO_TEXT struct text t = {0};

	for (const char *c = clean_string(s, &t); *c; c++) {
		if (*c == '<')
			fputs("&lt;", f);
		else if (*c == '>')
			fputs("&gt;", f);
		else if (*c == '&')
			fputs("&amp;", f);
		else if (*c == '"')
			fputs("&quot;", f);
		else
			putc(*c, f);
	}
}

static void markdown_text(FILE *f, const char *s)
{
	AUTO_TEXT struct text t = {0};

	for (const char *c = clean_string(s, &t); *c; c++) {
		if (strchr("\\`*_{}[]<>#|~&", *c))
			putc('\\', f);
		putc(*c == '\n' ? ' ' : *c, f);
	}
}

void doc_text(const struct document *d, const char *text)
{
	(d->html ? html_text : markdown_text)(d->f, text);
}

/* Ends what is open unless it goes on, and makes room for what comes. */
static void document_go_on(struct document *d, enum doc_in what)
{
	if (d->in == what && what != DOC_LINE)
		return;
	if (d->html && d->in == DOC_LIST)
		fputs("</ul>\n", d->f);
	else if (d->html && d->in == DOC_TABLE)
		fputs("</tbody>\n</table>\n", d->f);
	else if (!d->html && what != DOC_NOTHING)
		putc('\n', d->f);
	if (d->html && what == DOC_LIST)
		fputs("<ul>\n", d->f);
	d->in = what;
}

void doc_begin(struct document *d, const char *title)
{
	if (d->html) {
		fprintf(d->f, "%s<title>", head);
		doc_text(d, title);
		fprintf(d->f, "</title>\n%s</head>\n<body>\n<h1>", style);
	} else {
		fputs("# ", d->f);
	}
	doc_text(d, title);
	fputs(d->html ? "</h1>\n" : "\n", d->f);
}

void doc_heading(struct document *d, unsigned level, const char *title)
{
	assert(level >= 2 && level <= 4);
	document_go_on(d, DOC_NOTHING);
	if (d->html)
		fprintf(d->f, "<h%u>", level);
	else
		fprintf(d->f, "\n%.*s ", (int)level, "####");
	doc_text(d, title);
	if (d->html)
		fprintf(d->f, "</h%u>", level);
	putc('\n', d->f);
}

void doc_line(struct document *d, bool strong, const char *text)
{
	const char *begin = d->html ? "<strong>" : "**";
	const char *end = d->html ? "</strong>" : "**";

	document_go_on(d, DOC_LINE);
	fprintf(d->f, "%s%s", d->html ? "<p>" : "", strong ? begin : "");
	doc_text(d, text);
	fprintf(d->f, "%s%s\n", strong ? end : "", d->html ? "</p>" : "");
}

void doc_item(struct document *d, const char *what, const char *value)
{
	document_go_on(d, DOC_LIST);
	fputs(d->html ? "<li>" : "- ", d->f);
	if (what)
		fprintf(d->f, "%s: ", what);
	else
		fputs(d->html ? "<strong>" : "**", d->f);
	doc_text(d, value);
	if (!what)
		fputs(d->html ? "</strong>" : "**", d->f);
	fputs(d->html ? "</li>\n" : "\n", d->f);
}

void doc_count(struct document *d, const char *what, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	doc_item(d, what, text);
}

void doc_table(struct document *d, const char *const *h)
{
	unsigned n = 0;

	document_go_on(d, DOC_NOTHING);
	document_go_on(d, DOC_TABLE);
	d->figures = 0;
	fputs(d->html ? "<table>\n<thead><tr>" : "|", d->f);
	for (; h[n]; n++) {
		bool figure = *h[n] == '>';

		assert(n < 64);
		d->figures |= (uint64_t)figure << n;
		fprintf(d->f,
			!d->html ? " %s |"
			: figure ? "<th class=\"n\">%s</th>"
				 : "<th>%s</th>",
			h[n] + figure);
	}
	fputs(d->html ? "</tr></thead>\n<tbody>\n" : "\n|", d->f);
	d->columns = n;
	for (unsigned i = 0; !d->html && i < n; i++)
		fputs(d->figures >> i & 1 ? " ---: |" : " --- |", d->f);
	if (!d->html)
		putc('\n', d->f);
}

void doc_row(struct document *d, char *const *cell, unsigned n)
{
	assert(d->in == DOC_TABLE && n == d->columns);
	fputs(d->html ? "<tr>" : "|", d->f);
	for (unsigned i = 0; i < n; i++) {
		if (d->html)
			fputs(d->figures >> i & 1 ? "<td class=\"n\">" : "<td>", d->f);
		else
			putc(' ', d->f);
		doc_text(d, cell[i]);
		fputs(d->html ? "</td>" : " |", d->f);
	}
	fputs(d->html ? "</tr>\n" : "\n", d->f);
}

void doc_lines(struct document *d, const char *text)
{
	AUTO_TEXT struct text t = {0};

	document_go_on(d, DOC_LINE);
	if (d->html) {
		fputs("<pre>", d->f);
		html_text(d->f, text);
		fputs("</pre>\n", d->f);
		return;
	}
	/* The fence is longer than any in the text, so that no line ends it. */
	fputs("````\n", d->f);
	for (const char *s = clean_string(text, &t), *end; *s; s = end) {
		end = s + strcspn(s, "\n");
		end += *end != '\0';
		fprintf(d->f, "%s%.*s", strncmp(s, "````", 4) ? "" : " ", (int)(end - s), s);
	}
	fputs("````\n", d->f);
}

/* What names an id in a tag of SVG: what stands before the name. */
static const char *const id_places[] = {" id=\"", "url(#", "href=\"#", " aria-labelledby=\"",
					" aria-describedby=\""};

/* A tag, up to its '>', with the prefix before each name of an id.  Returns its end. */
static const char *put_tag(FILE *f, const char *s, unsigned prefix)
{
	bool list = false; /* names follow that blanks separate */

	for (; *s && *s != '>'; s++) {
		putc(*s, f);
		list &= *s != '"';
		if (list && *s == ' ')
			fprintf(f, "p%u-", prefix);
		for (unsigned i = 0; i < ARRAY_LEN(id_places); i++) {
			size_t len = strlen(id_places[i]);

			if (strncmp(s, id_places[i], len) != 0)
				continue;
			fprintf(f, "%sp%u-", id_places[i] + 1, prefix);
			s += len - 1;
			list = strstr(id_places[i], "aria") != NULL;
			break;
		}
	}
	return s;
}

void doc_picture(struct document *d, const char *svg, const char *caption)
{
	const char *s = strstr(svg, "<svg"); /* behind a declaration of XML, if there is one */

	if (!d->html || !s)
		return;
	document_go_on(d, DOC_LINE);
	d->pictures++;
	fputs("<figure>\n", d->f);
	while (*s) {
		if (*s == '<')
			s = put_tag(d->f, s, d->pictures);
		if (*s)
			putc(*s++, d->f);
	}
	fputs("<figcaption>", d->f);
	doc_text(d, caption);
	fputs("</figcaption>\n</figure>\n", d->f);
}

void doc_end(struct document *d)
{
	document_go_on(d, DOC_NOTHING);
	if (d->html)
		fputs("</body>\n</html>\n", d->f);
}
