/*
 * Words of the field in a few lines each, for `help TOPIC`: what it is, where it is seen, its trap; the
 * source, and a command to try.
 */
#ifndef IBSCOPE_TOPICS_H
#define IBSCOPE_TOPICS_H

#include "core/base/text.h"
#include "core/session/session.h"

#define TOPIC_LINES 5	 /* as it is printed, at most */
#define TOPIC_COLUMNS 80 /* of a line, at most */

struct topic {
	const char *name;   /* small letters, '-' for blanks */
	const char *also;   /* other words that lead here, names of columns among them: "hop|links"; NULL */
	const char *text;   /* at most three lines, the first without the name */
	const char *source; /* paper, specification or document; NULL: none but the program */
	const char *try_it; /* a command line that shows it */
};

/* Ended by name NULL.  Engines have theirs in engines/topics.c. */
extern const struct topic core_topics[];

/* The i-th of all that the session was given (session.h); NULL: there are fewer. */
const struct topic *topic_at(const struct session *s, size_t i);
/*
 * By name or other word; capitals do not matter, and blanks, '-' and '_' are alike.  exact false: also by
 * the beginning of a name that no other topic has.  NULL: none.
 */
const struct topic *topic_find(const struct session *s, const char *word, bool exact);
/*
 * That of a pane's column: by its whole name, else by as many words of it in a row as lead to one exactly,
 * the first ones of such ("was → now", "central switch"); arrows and commas part words too.  NULL: none.
 */
const struct topic *topic_of_column(const struct session *s, const char *name);
/* Its lines. */
void topic_tell(const struct topic *p, struct text *t);

#endif
