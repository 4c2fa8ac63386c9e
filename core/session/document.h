/*
 * A document for people, written as Markdown or as one HTML file: headings, lines, lists, tables, pictures.
 * Names stay plain text, whatever they contain.  The HTML loads nothing, contains its pictures, and prints on
 * A4.
 */
#ifndef IBSCOPE_DOCUMENT_H
#define IBSCOPE_DOCUMENT_H

#include <stdio.h>
#include "core/base/defs.h"

struct document {
	FILE *f;
	bool html;
	enum doc_in { DOC_NOTHING, DOC_LINE, DOC_LIST, DOC_TABLE } in; /* what was written last, still open */
	unsigned pictures;
	unsigned columns;
	uint64_t figures; /* bits: columns of the table that are figures */
};

void doc_begin(struct document *d, const char *title);
void doc_heading(struct document *d, unsigned level, const char *title); /* 2 .. 4 */
/* strong: in bold */
void doc_line(struct document *d, bool strong, const char *text);
/* An item of a list, "what: value".  `what` is the program's own text, written as it is; NULL: the value in
 * bold.
 */
void doc_item(struct document *d, const char *what, const char *value);
void doc_count(struct document *d, const char *what, uint64_t n);
/* Column heads, ending with NULL.  A head that begins with '>' is for figures, which are right-aligned. */
void doc_table(struct document *d, const char *const *head);
void doc_row(struct document *d, char *const *cell, unsigned n);
/* Lines shown as they are, such as commands and what they print. */
void doc_lines(struct document *d, const char *text);
/* Omitted in Markdown.  svg: a whole SVG, whose ids get a prefix of their own on the page. */
void doc_picture(struct document *d, const char *svg, const char *caption);
void doc_end(struct document *d);

/* Text inside a line of either form. */
void doc_text(const struct document *d, const char *text);

#endif
