/*
 * What all names of a column share at their begin and end ("MF0;", ":MQM8700/U1"), so that a screen
 * can show it once.  A port number in brackets behind a name is no part of it.
 */
#ifndef IBSCOPE_AFFIX_H
#define IBSCOPE_AFFIX_H

#include "core/base/text.h"

struct affix {
	char *like;	   /* the name noted first; NULL = none yet */
	size_t len, least; /* bytes of it, and of the shortest */
	size_t pre, suf;   /* bytes at begin and end that all noted so far have together */
	int widest;	   /* columns of the widest cell */
	bool several;	   /* not all are the same name */
};

/* Bytes of a cell before the port number in brackets at its end, if there is one. */
size_t affix_name_len(const char *cell);
/* Take note of one more cell (clean text, `columns` wide); blanks and "-" are no names. */
void affix_note(struct affix *a, const char *cell, int columns);
/*
 * Bytes to leave out at begin and end, both 0 when it is not worth it.  They end where a word or a
 * number does, and something is left of every name noted.
 */
void affix_get(const struct affix *a, size_t *pre, size_t *suf);
/* The same within words and numbers, however little it is. */
void affix_most(const struct affix *a, size_t *pre, size_t *suf);
/* Add the cell without them; a cell that is no such name as it is. */
void affix_strip(const struct affix *a, size_t pre, size_t suf, const char *cell, struct text *t);
void affix_free(struct affix *a);

#endif
