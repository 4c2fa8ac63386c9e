/*
 * Command lines as words.
 */
#ifndef IBSCOPE_WORDS_H
#define IBSCOPE_WORDS_H

#include <stdbool.h>

struct err;

/*
 * Split a line into words: blanks separate, '...' and "..." quote, backslash
 * escapes, # begins a comment at the start of a word, ';' ends a command (*rest
 * is set behind it, NULL at the end).  words are freed by words_free().
 */
int words_split(const char *line, const char **rest, int *argc, char ***argv, struct err *e);
void words_free(int argc, char **argv);
/* Is the last word this one?  Then it is taken off. */
bool words_take_last(int *argc, char **argv, const char *word);

#endif
