/* Text that grows. */
#ifndef IBSCOPE_TEXT_H
#define IBSCOPE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/defs.h"

/* A growing piece of text; always NUL-terminated once something was added. */
struct text {
	char *s;
	size_t len, cap;
};

void text_add(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_addv(struct text *t, const char *fmt, va_list ap);
void text_putc(struct text *t, char c);
/* s as a field of a CSV file (RFC 4180): in quotes where it has a comma, a quote or an end of line. */
void text_csv(struct text *t, const char *s);
/* A line of history: a sign for each number, "·" for 0, then eighths of the largest: "▁" to "█". */
void text_levels(struct text *t, const uint64_t *n, size_t count, uint64_t most);
/* A stream that appends to t. t is up to date after a flush or close.  Writing never fails. */
FILE *text_stream(struct text *t);
const char *text_str(const struct text *t); /* "" when empty */
void text_free(struct text *t);
/* Before the type of a local text: it is freed when its block is left. */
#define AUTO_TEXT __attribute__((cleanup(text_free)))

/* A new string; to be freed. */
char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* "1 link", "3 links", "2 entries", "4 more switches": a count with its noun, given for one. */
const char *plural(uint64_t n, const char *one, char *buf, size_t size);
/* The same in a buffer of its own that lasts to the end of the block, for arguments of a format. */
#define PLURAL(n, one) plural(n, one, (char[64]){0}, 64)

/* Command lines as words. */

struct err;

/*
 * Split a line into words.  Blanks separate; '...' and "..." quote; a backslash escapes; in $'...' it spells
 * bytes
 * (\xNN, \n, \r and so on); # at the start of a word begins a comment; ';' ends a command (*rest is set
 * behind it, NULL at the end).  Free words with words_free().
 */
int words_split(const char *line, const char **rest, int *argc, char ***argv, struct err *e);
void words_free(int argc, char **argv);

/* The parts of that.  Behind the blanks at p: */
const char *words_skip(const char *p);
/* Does the command end there: by ';', a comment or the end of the line? */
bool words_end(const char *p);
/* Take the word that begins at *p (no blank is there); *word is to be freed.  -1 and *e: a quote is open. */
int words_take(const char **p, char **word, struct err *e);
/* The word that begins at p and ends the line; a quote may be open.  To be freed. */
char *word_begun(const char *p);
/*
 * A word as a person types it, with quotes if it needs them; to be freed.  The result is one line of clean
 * text (clean.h).  Split again, it is w, with all bytes of w.
 */
char *word_quoted(const char *w);
/* Adds such a word to a line, behind a blank unless it is the first. */
void word_append(struct text *line, const char *w);
/* Letters that are other, missing, more or swapped with the next between two words of up to 31; 99: longer.
 */
unsigned word_edits(const char *a, const char *b);
/* Is a word one of those in a list, with blanks between? */
bool words_have(const char *list, const char *word);
void word_add_quoted(struct text *t, const char *w); /* add w in quotes, whether it needs them or not */

/* Running text in lines. */

unsigned text_characters(const char *s, size_t len); /* of UTF-8 */

/* Lines of `columns` characters, each ended; `first` stands before the first one, `other` before the rest. */
void wrap_text(struct text *t, const char *s, unsigned columns, const char *first, const char *other);

/* Patterns with wildcards. */

/* Glob match (`*`, `?`, `[...]`) without regard to letter case. */
bool glob_match(const char *pattern, const char *s);

#endif
