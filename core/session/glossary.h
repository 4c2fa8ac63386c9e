/*
 * Glossary of figures.  Each quantity that commands tell stands here once: its unit, what is counted, over
 * which pairs, with switches' own LIDs or without, under a scope.  `help figures` and the manual page print
 * it.  Keys of JSON take their words from it: the help text "=NAME" stands for the meaning of that figure.
 */
#ifndef IBSCOPE_GLOSSARY_H
#define IBSCOPE_GLOSSARY_H

#include "core/base/text.h"

enum figure_over {
	OVER_LIDS,     /* pairs of a host and a LID of another */
	OVER_PAIRS,    /* pairs of hosts: their base LIDs */
	OVER_SWITCHES, /* OVER_LIDS; with a word, those of switches too */
	OVER_ENTRIES,  /* entries of tables: LIDs of switches too */
	OVER_NOTHING,  /* no pairs: what is counted says all */
};

enum figure_scope { SCOPE_ENDS, SCOPE_HOSTS, SCOPE_NONE };

struct figure_meaning {
	const char *name; /* "lost pairs" */
	const char *unit;
	const char *what; /* what is counted; a key of JSON has it as its help */
	enum figure_over over;
	enum figure_scope scope; /* SCOPE_ENDS: both ends are in it; SCOPE_HOSTS: the host is; SCOPE_NONE: it
				    changes nothing */
	const char
		*told; /* where: "COMMAND KEY KEY; COMMAND KEY"; keys of the schema, none of panes and text */
};

/* Ended by name NULL. */
extern const struct figure_meaning glossary[];

/* All of it as one paragraph, without the name and without the stop at its end. */
void figure_tell(const struct figure_meaning *m, struct text *t);

/*
 * The help text "=NAME" of len bytes names a figure: its meaning.  Another text: as it is.  *len: its length.
 */
const char *glossary_words(const char *help, int *len);

#endif
