/* Words of the field, for `help TOPIC`: meaning, where it is seen, the trap; source, a command to try. */
#ifndef IBSCOPE_TOPICS_H
#define IBSCOPE_TOPICS_H

#include "core/base/text.h"
#include "core/session/session.h"

#define TOPIC_LINES 5	 /* as it is printed, at most */
#define TOPIC_COLUMNS 80 /* of a line, at most */

struct topic {
	const char *name; /* small letters, '-' for blanks */
	const char *also; /* other words for the same topic, names of columns among them: "hop|links"; NULL */
	const char *text; /* at most three lines, the first without the name */
	const char *source; /* paper, specification or document; NULL: the program alone */
	const char *try_it; /* a command line that shows it */
};

/* Something else for `help NAME`, or `help KINDs`.  The texts live as long as the call that tells it. */
struct named {
	const char *kind;   /* "option", "pane", "column", "key", "action", "word", "rule", "figure", "limit",
			       "fabric" */
	const char *name;   /* as it is printed or typed */
	const char *place;  /* of a column its pane, of a key where it holds ("all panes"); "" */
	const char *syntax; /* what is typed behind it; "" */
	const char *text;   /* what it is */
};

/* The same word: capitals do not matter; blanks, '-' and '_' are the same. */
bool topic_same(const char *a, const char *b);

/* Ended by name NULL.  The topics of engines are in engines/topics.c. */
extern const struct topic core_topics[];

/* Topic i of the session's topics (session.h); NULL: there are fewer. */
const struct topic *topic_at(const struct session *s, size_t i);
/*
 * Find by name or other word.  Capitals do not matter; blanks, '-' and '_' are the same. exact false: the
 * beginning of a name will do if no other topic has it.  NULL: none.
 */
const struct topic *topic_find(const struct session *s, const char *word, bool exact);
/* Its lines. */
void topic_tell(const struct topic *p, struct text *t);

#endif
