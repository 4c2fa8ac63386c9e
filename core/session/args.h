/*
 * Words of a command or pane, read by its syntax line (syntax.h), which is the only description of them.
 *
 * Each word becomes an argument.  The argument holds its meaning, and the word of the syntax that it stands
 * for:
 *   NODE SWITCH NODE[PORT] SRC DST DESTINATION HOST   ids in the fabric of the session
 *   numbers (struct arg_number)                       n, within its range
 *   small words, FILE, TEXT, ENGINE, OPTION=VALUE ...   the word itself
 * A word with "..." behind it may stand for many.  Its globs, lists and option values are read by the
 * command, one by one (session_nodes(), session_ports()).
 */
#ifndef IBSCOPE_ARGS_H
#define IBSCOPE_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/base/err.h"
#include "core/session/syntax.h"

struct session;

struct arg {
	const char *word; /* as typed; of "seed=K" the part behind '=' */
	const char *name; /* of the syntax, [len]: "NODE", "seed=K", "all" */
	size_t len;
	enum syntax_kind kind; /* KIND_NONE: a small word, or text */
	bool small;
	uint64_t n;   /* KIND_NUMBER */
	uint32_t id;  /* node, port, endport */
	unsigned lid; /* of an endport, 0: it has none */
};

struct args {
	unsigned form; /* which whole form of the syntax it is, from 0 */
	int n;
	struct arg *arg; /* in the order typed */
	int argc;	 /* as typed; the first is the command's name; borrowed */
	char **argv;
};

/*
 * A capital word that stands for a number.  `key` is that word ("LAYER", "seed=K").  Where the small word
 * typed before it decides, the key has it too ("rank N").  A wrong word gives the message "[LEAD: ]found "X",
 * expected WHAT"; without WHAT it simply does not fit the syntax.
 */
struct arg_number {
	const char *key;
	uint64_t least, most;
	const char *what, *lead;
	bool any_base; /* hexadecimal and octal, too */
	bool limit;    /* more of the kind may be wanted, and is refused as a limit of the program */
};
#define ARG_LIMIT(key, least, most, what, lead)           \
	{                                                 \
		key, least, most, what, lead, false, true \
	}
/* A row of such numbers, and a list of rows for a command. */
#define ARG_NUMBER(key, least, most, what, lead)           \
	{                                                  \
		key, least, most, what, lead, false, false \
	}
#define ARG_NUMBERS(...)            \
	(const struct arg_number[]) \
	{                           \
		__VA_ARGS__,        \
		{                   \
			.key = NULL \
		}                   \
	}
#define NUMBER_TEXT_(n) #n
#define NUMBER_TEXT(n) NUMBER_TEXT_(n) /* The text of a macro that is a number, for `what`. */

/*
 * Read words (argv[0] is the name). numbers: the command's own, ended by key NULL; they are tried before the
 * common ones; may be NULL.  Returns 0 (free with args_free()); 1: the words do not fit the syntax; -1 and
 * *e: a word is wrong.
 */
int args_read(const struct session *s, const char *syntax, const struct arg_number *numbers, int argc,
	      char **argv, struct args *a, struct err *e);
void args_free(struct args *a);

/* Is a small word among them? */
bool args_has(const struct args *a, const char *small);
/* Is the last word this small one? */
bool args_end(const struct args *a, const char *small);
/* The first argument of this word of the syntax.  "rank N": the N behind the word "rank".  NULL: none. */
const struct arg *args_get(const struct args *a, const char *key);
/* The next such argument behind `before` (NULL: the first). */
const struct arg *args_next(const struct args *a, const char *key, const struct arg *before);
/* The text of that argument, or `otherwise`. */
const char *args_word(const struct args *a, const char *key, const char *otherwise);
uint64_t args_number(const struct args *a, const char *key, uint64_t otherwise);
/* Index of the small word that is given, -1: none of these. */
int args_which(const struct args *a, const char *const *words, unsigned n);

#endif
