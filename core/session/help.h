/* Words of the field, for `help TOPIC`: the meaning, where it is shown, the trap, a source, a command to try.
 */
#ifndef IBSCOPE_HELP_H
#define IBSCOPE_HELP_H

#include "core/base/text.h"
#include "core/session/session.h"

#define TOPIC_COLUMNS 80 /* the most in a line */

struct topic {
	const char *name; /* lower case, '-' for blanks */
	const char *also; /* other words for the same topic, names of columns among them: "hop|links"; NULL */
	const char *text; /* at most three lines, the first without the name */
	const char *source; /* paper, specification or document; NULL: only this program */
	const char *try_it; /* a command line that shows it */
};

/* Something else for `help NAME` or `help KINDs`.  The texts are valid until the call returns. */
struct named {
	const char *kind;   /* "option", "pane", "column", "key", "action", "word", "rule", "figure", "limit",
			       "fabric" */
	const char *name;   /* as it is printed or typed */
	const char *place;  /* for a column its pane, for a key where it works ("all panes"); "" */
	const char *syntax; /* what is typed after it; "" */
	const char *text;   /* what it is */
};

/* Ended by name NULL.  The topics of engines are in engines/engines.c. */
extern const struct topic core_topics[];

/* Topic i of the session's topics (session.h), or NULL. */
const struct topic *topic_at(const struct session *s, size_t i);
/*
 * Finds a topic by its name or another word.  Capitals do not matter; blanks, '-' and '_' are the same. exact
 * false: the beginning of a name will do if no other topic has it.  NULL: none.
 */
const struct topic *topic_find(const struct session *s, const char *word, bool exact);

/*
 * Glossary of figures.  Each quantity that commands report is defined here once: its unit, what is counted,
 * over which pairs, with switches' own LIDs or without, under a scope.  `help figures` and the manual page
 * print it.  Keys of JSON take their words from it: the help text "=NAME" stands for the meaning of that
 * figure.
 */

enum figure_over {
	OVER_LIDS,     /* pairs of a host and a LID of another */
	OVER_PAIRS,    /* pairs of a host and a LID of another host */
	OVER_SWITCHES, /* OVER_LIDS; with an extra word also LIDs of switches */
	OVER_ENTRIES,  /* entries of tables, including those for switches' LIDs */
	OVER_NOTHING,  /* no pairs: `what` says everything */
};

enum figure_scope { SCOPE_ENDS, SCOPE_HOSTS, SCOPE_NONE };

struct figure_meaning {
	const char *name; /* "lost pairs" */
	const char *unit;
	const char *what; /* what is counted; a key of JSON has it as its help */
	enum figure_over over;
	enum figure_scope scope; /* SCOPE_ENDS: both ends are in it; SCOPE_HOSTS: the host is; SCOPE_NONE: it
				    changes nothing */
	const char *told; /* where it is reported: "COMMAND KEY KEY; COMMAND KEY"; keys of the schema, none
			     for panes and text */
};

/* Ended by name NULL. */
extern const struct figure_meaning glossary[];

/* Adds all of it as one paragraph, without the name and without the final stop. */
void figure_tell(const struct figure_meaning *m, struct text *t);

/*
 * The meaning of the figure that the help text "=NAME" of len bytes names; another text is returned as it is.
 * *len gets the length.
 */
const char *glossary_words(const char *help, int *len);

#endif
