#include "core/base/defs.h"
#include "core/session/narrow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/clean.h"
#include "core/base/kin.h"
#include "core/base/wrap.h"

#define COLUMNS 16   /* names in a row that are told apart */
#define NAME_LEAST 8 /* characters that stay of a name */

enum kind { PLAIN, CUT, COLUMN, PROSE };

/* A part of a row, cleaned. */
struct narrow_part {
	enum kind kind;
	unsigned column; /* of a name: which one of the row */
	struct text text;
};

struct narrow_table {
	unsigned width, cap;	   /* of a line; of a name */
	unsigned natural[COLUMNS]; /* of the longest name */
	struct kin kin;
};

static void narrow_empty(struct text *t)
{
	t->len = 0;
	if (t->s)
		*t->s = 0;
}

static unsigned narrow_characters(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

bool narrow_marked(const char *fmt)
{
	return strpbrk(fmt, "\002\003");
}

const char *narrow_plain(const char *fmt, struct text *t)
{
	if (!narrow_marked(fmt))
		return fmt;
	for (; *fmt; fmt++)
		if ((*fmt == '\002' || *fmt == '\003') && fmt[1])
			fmt++;
		else
			text_putc(t, *fmt);
	return text_str(t);
}

/* Where the next mark stands, or the end of the row. */
static const char *narrow_mark(const char *s, char first, const char *end)
{
	while (s < end && !(*s == first && s + 1 < end &&
			    (first == '\003' ? s[1] == '\003' : s[1] && strchr("\002\004\005\006", s[1]))))
		s++;
	return s;
}

/* Takes the next part of the row from *s to end; p->column counts names. False: the row is over, *p stays. */
static bool narrow_next_part(const char **s, const char *end, struct narrow_part *p)
{
	const char *from = *s, *to;

	p->column += p->kind == CUT || p->kind == COLUMN;
	if (from >= end)
		return false;
	narrow_empty(&p->text);
	if (narrow_mark(from, '\002', end) == from && from[1] == '\006')
		from += 2;
	to = narrow_mark(from, '\002', end);
	if (to > from || to == end) {
		p->kind = PLAIN;
		*s = to;
	} else {
		p->kind = from[1] == '\002' ? CUT : from[1] == '\004' ? COLUMN : PROSE;
		from += 2;
		to = p->kind == PROSE ? end : narrow_mark(from, '\003', end);
		*s = p->kind == PROSE || to == end ? end : to + 2;
	}
	clean_add(&p->text, from, to - from);
	while (p->kind != PLAIN && p->text.len && p->text.s[p->text.len - 1] == ' ')
		p->text.s[--p->text.len] = 0;
	return true;
}

static unsigned *natural(struct narrow_table *t, const struct narrow_part *p)
{
	return &t->natural[p->column < COLUMNS ? p->column : COLUMNS - 1];
}

static void narrow_note(struct narrow_table *t, const char *s, const char *end)
{
	struct narrow_part p = {0};

	while (narrow_next_part(&s, end, &p)) {
		unsigned w = narrow_characters(text_str(&p.text));

		if (p.kind != CUT && p.kind != COLUMN)
			continue;
		if (w > *natural(t, &p))
			*natural(t, &p) = w;
		kin_note(&t->kin, text_str(&p.text));
	}
	text_free(&p.text);
}

static unsigned narrow_least(unsigned a, unsigned b)
{
	return MIN(a, b);
}

/* The width of a row up to its prose. */
static unsigned row_width(struct narrow_table *t, const char *s, const char *end)
{
	struct narrow_part p = {0};
	unsigned all = 0;

	while (narrow_next_part(&s, end, &p)) {
		unsigned w = narrow_characters(text_str(&p.text));

		if (p.kind == PLAIN)
			all += w;
		else if (p.kind != PROSE)
			all += narrow_least(p.kind == COLUMN && s < end ? *natural(t, &p) : w, t->cap);
	}
	text_free(&p.text);
	return all;
}

static size_t begin_of(const char *s, unsigned n)
{
	size_t i = 0;

	while (s[i] && (n || (s[i] & 0xc0) == 0x80))
		n -= (s[i++] & 0xc0) != 0x80;
	return i;
}

/* A name in w characters: begin and end of what its kin leaves of it, no number in part. */
static void narrow_add_name(const struct kin *kin, const char *name, unsigned w, struct text *t)
{
	struct text cut = {0};
	const char *s;
	unsigned n;
	size_t head, tail;

	kin_cut(kin, name, w, &cut);
	s = text_str(&cut);
	n = narrow_characters(s);
	if (n <= w) {
		text_add(t, "%s", s);
	} else {
		head = begin_of(s, (w - 1) / 2);
		tail = begin_of(s, n - (w - 1 - (w - 1) / 2));
		while (head && isdigit((unsigned char)s[head - 1]) && isdigit((unsigned char)s[head]))
			head--;
		while (s[tail] && isdigit((unsigned char)s[tail - 1]) && isdigit((unsigned char)s[tail]))
			tail++;
		text_add(t, "%.*s…%s", (int)head, s, s + tail);
	}
	text_free(&cut);
}

/* Adds the line, and sentences behind it: beside it, or below it where it is long. */
static void narrow_add_lines(const char *line, const char *prose, unsigned width, struct text *t)
{
	unsigned at = narrow_characters(line), indent = (unsigned)strspn(line, " ") + 4;
	bool beside = *prose && at <= width / 2;
	char *below = str_printf("%*s", (int)(beside ? at : indent), "");

	if (at + narrow_characters(prose) <= width) {
		text_add(t, "%s%s\n", line, prose);
	} else if (beside) {
		wrap_text(t, prose, width, line, below);
	} else {
		wrap_text(t, line, width, "", below);
		while (t->s[t->len - 2] == ' ') {
			t->s[t->len - 2] = '\n';
			t->s[--t->len] = 0;
		}
		if (*prose)
			wrap_text(t, prose, width, below, below);
	}
	free(below);
}

static void narrow_add_row(struct narrow_table *t, const char *s, const char *end, struct text *out)
{
	struct narrow_part p = {0};
	struct text line = {0};
	const char *prose = "";

	while (narrow_next_part(&s, end, &p)) {
		size_t from = line.len;

		if (p.kind == PROSE) {
			prose = text_str(&p.text);
		} else if (p.kind == PLAIN) {
			text_add(&line, "%s", text_str(&p.text));
		} else {
			narrow_add_name(&t->kin, text_str(&p.text), t->cap, &line);
			for (unsigned w = narrow_characters(text_str(&line) + from);
			     p.kind == COLUMN && s < end && w < narrow_least(*natural(t, &p), t->cap); w++)
				text_putc(&line, ' ');
		}
	}
	narrow_add_lines(text_str(&line), prose, t->width, out);
	text_free(&line);
	text_free(&p.text);
}

static const char *row_end(const char *s)
{
	return s + strcspn(s, "\n");
}

static const char *narrow_next_row(const char *s)
{
	s = row_end(s);
	return s + (*s != 0);
}

void narrow_rows(const char *rows, unsigned width, struct text *t)
{
	struct narrow_table table = {.width = width, .cap = NAME_LEAST};

	for (const char *s = rows; *s; s = narrow_next_row(s))
		narrow_note(&table, s, row_end(s));
	for (unsigned k = 0; k < COLUMNS; k++)
		table.cap = MAX(table.natural[k], table.cap);
	for (const char *s = rows; *s; s = narrow_next_row(s))
		while (table.cap > NAME_LEAST && row_width(&table, s, row_end(s)) > width)
			table.cap--;
	for (const char *s = rows; *s; s = narrow_next_row(s))
		narrow_add_row(&table, s, row_end(s), t);
	kin_free(&table.kin);
}

/* --- text that was written in lines ------------------------------------------------------------------ */

#define FULL 60 /* characters of a line that may go on in the next one */

/* Is it a full stop that stands before `at`, and not the end of "NODE..."? */
static bool narrow_ends_sentence(const char *line, size_t at)
{
	return at > 1 && line[at - 1] == '.' && line[at - 2] != '.';
}

/* Where the text of a line begins behind the word, sign or key of its first column; its indent if it has
 * none. */
static size_t text_at(const char *line, size_t len)
{
	size_t indent = strspn(line, " ");

	if (len > indent + 2 && strchr("~+-!", line[indent]) && line[indent + 1] == ' ')
		return indent + 2;
	for (size_t i = indent; i + 2 < len && i < 44; i++)
		if (line[i] == ' ' && line[i + 1] == ' ' && !narrow_ends_sentence(line, i))
			return i + strspn(line + i, " ");
	return indent;
}

const char *narrow_text(const char *s, unsigned width, struct text *t)
{
	struct text item = {0}; /* the text of an item, of one line or several */
	const char *next;

	for (; *s; s = next) {
		size_t len = strcspn(s, "\n"), at = text_at(s, len), last = len;
		char *first = str_printf("%.*s", (int)at, s), *other = str_printf("%*s", (int)at, "");

		narrow_empty(&item);
		text_add(&item, "%.*s", (int)(len - at), s + at);
		next = narrow_next_row(s);
		while (last >= FULL && (last = strcspn(next, "\n")) > at && strspn(next, " ") == at &&
		       text_at(next, last) == at) {
			text_add(&item, " %.*s", (int)(last - at), next + at);
			next = narrow_next_row(next);
		}
		if (at > width / 2) {
			free(other);
			other = str_printf("%*s", (int)strspn(first, " ") + 4, "");
		}
		wrap_text(t, text_str(&item), width, first, other);
		free(first);
		free(other);
	}
	text_free(&item);
	return text_str(t);
}
