/* Lists of names as Slurm writes them: "luna-[0160-0175,0180]", "rack[1-2]node[1-4]", "a1,b[2-3]". */
#ifndef IBSCOPE_HOSTLIST_H
#define IBSCOPE_HOSTLIST_H

#include "core/base/err.h"

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

#endif
