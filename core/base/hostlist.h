/* Lists of names as Slurm writes them: "luna-[0160-0175,0180]", "rack[1-2]node[1-4]", "a1,b[2-3]". */
#ifndef IBSCOPE_HOSTLIST_H
#define IBSCOPE_HOSTLIST_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/base/text.h"

#define HOSTLIST_MOST 65536 /* names of one list */
/* Of one name: bytes outside of brackets; parts that brackets begin.  Lists of more never end. */
#define HOSTLIST_BYTES 1024
#define HOSTLIST_PARTS 16

struct hostlist {
	char **name;
	size_t n, cap;
};

/*
 * Expand a list, in its order.  Brackets hold numbers and ranges of numbers; leading zeros stay.  Commas
 * outside of brackets separate lists.  A text without either is a list of one.  Free with hostlist_free().
 * -1 and *e: brackets hold something else, or there is more than the limits allow.
 */
int hostlist_read(const char *text, struct hostlist *l, struct err *e);
void hostlist_free(struct hostlist *l);

/* Text between brackets, "1-4,7", as numbers: set[n] for those up to `most`.  -1: it is no such list. */
int number_set(const char *text, size_t len, unsigned char *set, unsigned most);

/*
 * Names of one form: their letters, numbers and signs follow each other in the same order, as in
 * "hall-1:leaf/07" and "hall-2:spine/11". What all names of a form share is left out first of a name that is
 * too long, so that what tells them apart stays.
 */

#define KIN_FORMS 64 /* further forms are not known */

/* Zeroed at first. */
struct kin {
	struct kin_form *form; /* [n] owned */
	size_t n, cap;
};

/* Notes one more name (clean text). */
void kin_note(struct kin *k, const char *name);
/*
 * Adds a name without what its form shares, "…" for each part, the longest part first, until it has at most
 * `w` characters. Numbers stay whole; ports in brackets and arrows stay. It may still be too long.
 */
void kin_cut(const struct kin *k, const char *name, unsigned w, struct text *t);
void kin_free(struct kin *k);

#endif
