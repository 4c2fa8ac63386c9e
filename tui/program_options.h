/* The options of the command line, in one table: getopt, --help and the completion of shells come from it. */
#ifndef IBSCOPE_PROGRAM_OPTIONS_H
#define IBSCOPE_PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum option_code { /* of those without a letter */
		   OPT_NAMES = 256,
		   OPT_NO_MAP,
		   OPT_RC,
		   OPT_NO_RC,
		   OPT_JSON,
		   OPT_NO_TEXT,
		   OPT_NO_TIMING,
		   OPT_SERVE,
		   OPT_READ_ONLY,
		   OPT_MAN,
		   OPT_COMPLETION,
		   OPT_LICENCES
};

struct program_option {
	const char *name;
	int code; /* its letter, or an enum option_code */
	/* Its value as --help shows it; "[=VALUE]" stands in the same word, "[VALUE]" may be left out. NULL:
	 * none
	 */
	const char *arg;
	const char *takes; /* what completes the value: a syntax (core/session/syntax.h); NULL: tui/shell.c
			      knows */
	const char *help;
};

extern const struct program_option program_options[]; /* ended by name NULL */

/* Is the next word its value?  (Of "[VALUE]" perhaps.) */
bool option_takes_next(const struct program_option *o);

void options_usage(FILE *f);

/* getopt_long() with the table. */
int option_next(int argc, char **argv);
/* The value that may be left out, of the option just read: the next word, or NULL. */
const char *option_word(int argc, char **argv);

#endif
