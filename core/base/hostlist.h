/* Lists of names as Slurm writes them: "luna-[0160-0175,0180]", "rack[1-2]node[1-4]", "a1,b[2-3]". */
#ifndef IBSCOPE_HOSTLIST_H
#define IBSCOPE_HOSTLIST_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/base/text.h"

#define HOSTLIST_MOST 65536 /* names in one list */
/* Limits for one name: bytes outside of brackets; parts that begin with a bracket.  They stop lists that
 * never end. */
#define HOSTLIST_BYTES 1024
#define HOSTLIST_PARTS 16

struct hostlist {
	char **name;
	size_t n, cap;
};

/*
 * Expand a list, in its order.  Brackets hold numbers and ranges of numbers; leading zeros stay.  Commas
 * outside of brackets separate lists.  A text without brackets and commas is a list of one name.  Free with
 * hostlist_free(). -1 and *e: brackets hold something else, or there is more than the limits allow.
 */
int hostlist_read(const char *text, struct hostlist *l, struct err *e);
void hostlist_free(struct hostlist *l);

/* Reads the text between brackets, "1-4,7", and sets set[n] for each number up to `most`.  Returns -1 when it
 * is not such a list. */
int number_set(const char *text, size_t len, unsigned char *set, unsigned most);

/*
 * Names of one form: their letters, numbers and signs follow each other in the same order, as in
 * "hall-1:leaf/07" and "hall-2:spine/11". A name that is too long first loses what all names of its form
 * share, so that it stays distinct.
 */

#define KIN_FORMS 64 /* forms beyond these are ignored */

/* Set to zero before the first use. */
struct kin {
	struct kin_form *form; /* [n] owned */
	size_t n, cap;
};

/* Records one more name (clean text). */
void kin_note(struct kin *k, const char *name);
/*
 * Shortens a name to at most `w` characters and adds it to t: each part that its form shares becomes "…", the
 * longest first. Numbers stay whole; ports in brackets and arrows stay. The result may still be too long.
 */
void kin_cut(const struct kin *k, const char *name, unsigned w, struct text *t);
void kin_free(struct kin *k);

#endif
