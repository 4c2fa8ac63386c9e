/*
 * Words for `help`, the manual page and the palette: topics, figures, and what is told of commands.  They
 * stand in text files (core/base/wordlist.h) of all rooms; whoever opens sessions reads them once.
 */
#ifndef IBSCOPE_HELP_H
#define IBSCOPE_HELP_H

#include "core/base/text.h"
#include "core/session/session.h"

#define TOPIC_COLUMNS 80 /* the most in a line */

/* A word of the field, for `help TOPIC`: meaning, where it is seen, the trap.  Files *.topics. */
struct topic {
	const char *name; /* lower case, '-' for blanks */
	const char *also; /* other words for the same topic, names of columns among them: "hop|links"; NULL */
	const char *text; /* at most three lines, the first without the name */
	const char *source;  /* paper, specification or document; NULL: only this program */
	const char *instead; /* of a program's name: the line that does it here, "trace SRC DST"; NULL */
	const char *try_it;  /* a command line that shows it */
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

/*
 * Finds a topic by its name or another word.  Capitals do not matter; blanks, '-' and '_' are the same. exact
 * false: the beginning of a name will do if no other topic has it.  NULL: none.
 */
const struct topic *topic_find(const struct session *s, const char *word, bool exact);

/*
 * Says in *e what to type here in place of a program that has a topic: its line, with LIDs and GUIDs from the
 * words behind the program's name in place of words in capitals.  False: the word is no such program.
 */
bool help_tell_instead(const struct session *s, const char *word, const char *rest, struct err *e);

/*
 * A figure: a quantity that commands tell.  Keys of JSON take their words from it: the help text "=NAME"
 * stands for the meaning of that figure.  Files *.figures, where the words are explained.
 */
struct figure_meaning {
	const char *name; /* "lost pairs" */
	const char *unit;
	const char *what;  /* what is counted; a key of JSON has it as its help */
	const char *over;  /* over which pairs: "LIDs", "pairs", "switches", "entries", "nothing" */
	const char *scope; /* what a scope counts: "ends", "hosts", "none" */
	const char *told;  /* where */
};

/* What is told of a command or pane of that name beyond its line of help.  Files *.help. */
struct help_more {
	const char *name;
	const char *also;    /* other words by which people look for it, with blanks between; NULL */
	const char *details; /* more lines; NULL */
};

/* Each list is ended by name NULL. */
struct help_words {
	const struct topic *topics; /* of the core, then of engines */
	const struct figure_meaning *figures;
	const struct help_more *commands;
};

/* Reads them; arena_free().  NULL and *e: a file is wrong. */
struct help_words *help_words_read(struct err *e);
/* None at all; a new session has these. */
extern const struct help_words help_words_none;

/* Other words for a command or a pane, with blanks between; "" when there are none. */
const char *help_also(const struct help_words *w, const char *name);
/* More lines for `help NAME`; NULL: there are none. */
const char *help_details(const struct help_words *w, const char *name);

/* All of a figure as one paragraph, without the name and without the stop at its end. */
void figure_tell(const struct figure_meaning *m, struct text *t);

/*
 * The meaning of the figure that the help text "=NAME" of len bytes names; another text is returned as it is.
 * *len gets the length.
 */
const char *figure_words(const struct help_words *w, const char *help, int *len);

#endif
