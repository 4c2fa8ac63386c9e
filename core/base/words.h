/* Command lines as words. */
#ifndef IBSCOPE_WORDS_H
#define IBSCOPE_WORDS_H

#include <stdbool.h>
#include "core/base/text.h"

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

#endif
