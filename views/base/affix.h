/*
 * The beginning and end that all names of a column share ("MF0;", ":MQM8700/U1"), so that a screen can show
 * them once. A port number in brackets behind a name does not belong to it. A pair "A → B" has two names.
 */
#ifndef IBSCOPE_AFFIX_H
#define IBSCOPE_AFFIX_H

#include "core/base/text.h"

struct affix {
	char *like;	   /* the first name noted; NULL = none yet */
	size_t len, least; /* bytes of it, and of the shortest name */
	size_t pre, suf;   /* bytes that all names noted so far share at the beginning and end */
	int widest;	   /* columns of the widest cell */
	bool several;	   /* the names are not all the same */
};

/* Bytes of a cell without a port number in brackets at its end. */
size_t affix_name_len(const char *cell);
/* Notes one more cell (clean text, `columns` wide). Blanks and "-" are not names. */
void affix_note(struct affix *a, const char *cell, int columns);
/*
 * Bytes to leave out at the beginning and end; both are 0 when it does not pay. They end at the border of a
 * word or number, and something is left of every name.
 */
void affix_get(const struct affix *a, size_t *pre, size_t *suf);
/* The same, but also within words and numbers, and however short. */
void affix_most(const struct affix *a, size_t *pre, size_t *suf);
/* Adds the cell without these bytes. A cell that is not such a name is added unchanged. */
void affix_strip(const struct affix *a, size_t pre, size_t suf, const char *cell, struct text *t);
void affix_free(struct affix *a);

#endif
