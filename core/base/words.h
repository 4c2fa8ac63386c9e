/*
 * Command lines as words.
 */
#ifndef IBSCOPE_WORDS_H
#define IBSCOPE_WORDS_H

#include <stdbool.h>
#include "core/base/text.h"

struct err;

/*
 * Split a line into words: blanks separate, '...' and "..." quote, backslash
 * escapes, # begins a comment at the start of a word, ';' ends a command (*rest
 * is set behind it, NULL at the end).  words are freed by words_free().
 */
int words_split(const char *line, const char **rest, int *argc, char ***argv, struct err *e);
void words_free(int argc, char **argv);

/* The parts of that.  Behind the blanks at p: */
const char *words_skip(const char *p);
/* Does the command end there, with ';', a comment or the line? */
bool words_end(const char *p);
/* Take the word that begins at *p, which no blank does; *word is to be freed.  -1 and *e: a quote is open. */
int words_take(const char **p, char **word, struct err *e);
/* A word as it is to be typed: in quotes where it needs them; to be freed. */
char *word_quoted(const char *w);
void word_add_quoted(struct text *t, const char *w); /* add w in quotes, whether it needs them or not */

#endif
