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
/* Adds s as a field of a CSV file (RFC 4180): quoted when it contains a comma, a quote or a line end. */
void text_csv(struct text *t, const char *s);
/*
 * The same for spreadsheets, which compute whatever looks like a formula, while names come from outside.
 * With `safe`, text that begins with = + - @, a tab or a carriage return and is not a number gets an
 * apostrophe in front, so that a spreadsheet takes it for text.
 */
void csv_add_cell(struct text *t, const char *s, bool safe);
/* Adds a line of history: one sign for each number, "·" for 0, then eighths of the largest, "▁" to "█". */
void text_levels(struct text *t, const uint64_t *n, size_t count, uint64_t most);
/* A stream that appends to t, which is up to date after a flush or close.  Writing never fails. */
FILE *text_stream(struct text *t);
const char *text_str(const struct text *t); /* "" when empty */
void text_free(struct text *t);
/* Put before the type of a local text, which is then freed when its block is left. */
#define AUTO_TEXT __attribute__((cleanup(text_free)))

/* A new string, which the caller frees. */
char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* "1 link", "3 links", "2 entries", "4 more switches": a count with its noun, which is given in the
 * singular. */
const char *plural(uint64_t n, const char *one, char *buf, size_t size);
/* The same in a buffer of its own that lasts to the end of the block, for arguments of a format. */
#define PLURAL(n, one) plural(n, one, (char[64]){0}, 64)

/* Command lines as words. */

struct err;

/*
 * Split a line into words.  Blanks separate; '...' and "..." quote; a backslash escapes; in $'...' it spells
 * bytes (\xNN, \n, \r and so on); # at the start of a word begins a comment; ';' ends a command (*rest is set
 * to what follows it, or NULL at the end).  Free words with words_free().
 */
int words_split(const char *line, const char **rest, int *argc, char ***argv, struct err *e);
void words_free(int argc, char **argv);

/* The steps of words_split().  words_skip() skips blanks. */
const char *words_skip(const char *p);
/* Does the command end there: by ';', a comment or the end of the line? */
bool words_end(const char *p);
/* Takes the word that begins at *p, where no blank is; the caller frees *word.  Returns -1 and *e when a
 * quote is left open. */
int words_take(const char **p, char **word, struct err *e);
/* The word that begins at p and ends the line, perhaps with an open quote.  The caller frees it. */
char *word_begun(const char *p);
/*
 * A word as a person types it, quoted if it needs quotes; the caller frees it.  The result is one line of
 * clean text (clean.h).  words_split() turns it back into w, with all its bytes.
 */
char *word_quoted(const char *w);
/* Adds such a word to a line, after a blank unless it is the first. */
void word_append(struct text *line, const char *w);
/* The number of letters that are different, missing, added or swapped with the next between two words of up
 * to 31 letters; 99 when one is longer.
 */
unsigned word_edits(const char *a, const char *b);
/* Is the word in a list whose words are separated by blanks? */
bool words_have(const char *list, const char *word);
void word_add_quoted(struct text *t, const char *w); /* add w in quotes, whether it needs them or not */

/* Adds s in at most `columns` characters: of a longer one the middle becomes "...".  columns is at least 5.
 */
void text_add_shortened(struct text *t, const char *s, unsigned columns);

/* Running text in lines. */

unsigned text_characters(const char *s, size_t len); /* of UTF-8 */

/* Wraps text into lines of `columns` characters, each with a line end; `first` precedes the first line,
 * `other` the rest. */
void wrap_text(struct text *t, const char *s, unsigned columns, const char *first, const char *other);

/* Patterns with wildcards. */

/* Glob match (`*`, `?`, `[...]`) that ignores letter case. */
bool glob_match(const char *pattern, const char *s);

#endif
