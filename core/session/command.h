/* The command language, in tables.  The REPL, -e, scripts and keys all come here (interpreter.h). */
#ifndef IBSCOPE_COMMAND_H
#define IBSCOPE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/session/interpreter.h"
#include "core/session/out.h"
#include "core/session/session.h"
#include "core/session/syntax.h"

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

struct session;

struct arg {
	const char *word; /* as typed; for "seed=K" the part behind '=' */
	const char *name; /* in the syntax, [len]: "NODE", "seed=K", "all" */
	size_t len;
	enum syntax_kind kind; /* KIND_NONE: a small word, or text */
	bool small;
	uint64_t n;   /* KIND_NUMBER */
	uint32_t id;  /* node, port, endport */
	unsigned lid; /* of an endport; 0 when it has none */
};

struct args {
	unsigned form; /* index of the whole form of the syntax, from 0 */
	int n;
	struct arg *arg; /* in the order typed */
	int argc;	 /* as typed; the first is the command's name; borrowed */
	char **argv;
};

/*
 * A capital word that stands for a number.  `key` is that word ("LAYER", "seed=K").  Where its meaning
 * depends on the small word before it, the key includes that word ("rank N").  A wrong word gives the message
 * "[LEAD: ]found "X", expected WHAT"; without WHAT it simply does not fit the syntax.
 */
struct arg_number {
	const char *key;
	uint64_t least, most;
	const char *what, *lead;
	bool any_base; /* hexadecimal and octal, too */
	bool limit;    /* a larger number is refused as a limit of the program */
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
 * Read the words of a (its argc and argv; the rest is set). numbers: the command's own, ended by key NULL;
 * they are tried before the common ones; may be NULL.  Returns 0 (free with args_free()); 1: the words do not
 * fit the syntax; -1 and *e: a word is wrong.
 */
int args_read(const struct session *s, const char *syntax, const struct arg_number *numbers, struct args *a,
	      struct err *e);
void args_free(struct args *a);

/* Is this small word among them? */
bool args_has(const struct args *a, const char *small);
/* Is the last word this small one? */
bool args_end(const struct args *a, const char *small);
/* The first argument for this word of the syntax, or NULL.  "rank N" means the N behind the word "rank". */
const struct arg *args_get(const struct args *a, const char *key);
/* The next such argument behind `before` (NULL: the first). */
const struct arg *args_next(const struct args *a, const char *key, const struct arg *before);
/* The text of that argument, or `otherwise`. */
const char *args_word(const struct args *a, const char *key, const char *otherwise);
uint64_t args_number(const struct args *a, const char *key, uint64_t otherwise);
/* The index of the small word that was given; -1 when none of these was. */
int args_which(const struct args *a, const char *const *words, unsigned n);

/*
 * What a person wants, in six groups: the order of the palette, of `help` and of the manual page. */

enum group_id { LOOK, WHAT_IF, EXPLAIN, JUDGE, TEACH, FILES, N_GROUPS };

struct aim_group {
	const char *name, *aim;
};

extern const struct aim_group aim_groups[N_GROUPS];

struct recording;

struct field;

/* What must exist before a command runs.  If it is missing, the command says so. */
enum command_needs { NEEDS_NOTHING, NEEDS_FABRIC, NEEDS_ROUTING };

/* A pane: its name is the first word of a command's arguments, and it has arguments of its own. */
struct subcommand {
	const char *name;
	const char *syntax; /* for its arguments, like a command's but without the name */
};

struct command {
	const char *name;
	const char
		*syntax; /* "fail link NODE[PORT]... | switch S...": help, checked and completed (syntax.h) */
	enum group_id group; /* what people use it for (command.h) */
	const char *help;    /* one line */
	const char *finds;   /* "Exit status 1 in batch when ...", without a failure; NULL: never */
	/* Lines "KEY TYPE TEXT": its JSON fields beside those of all commands (contract.h).  NULL: none. */
	const char *json;
	/* Its rows.  A line "@PREFIX" in `json` stands for the keys of the next list, each with that
	 * prefix. */
	const struct field *rows[4];
	unsigned deeds; /* bits of enum permit_deed (progress.h): what it may do with any words, besides its
			   FILEs */
	enum command_needs needs;
	const struct arg_number *numbers; /* in its syntax; the last key is NULL */
	/* Runs when all words fit the syntax and all numbers are in range. */
	int (*run)(struct session *s, const struct args *args, struct out *o, struct err *e);
	/* Called when a word names no node or port and *e says which.  It may print more, and extend *e.  May
	 * be NULL. */
	void (*absent)(struct session *s, int argc, char *const *argv, struct out *o, struct err *e);
	/* Does it print a document for other programs when given these words?  NULL: only with FILE -. */
	bool (*prints)(int argc, char *const *argv);
	/* Sets *s to the i-th word that may stand here; returns false when there are no more.  NULL: the
	 * first word is not a pane. */
	bool (*subcommand)(size_t i, struct subcommand *s);
	bool sets_options; /* its help says what SIGHUP does with each option */
	bool at_step;	   /* its report describes the step of the walk (session_walk()), if there is one */
	bool in_rounds;	   /* it prints round after round, and readers want the newest */
	bool on_screen;	   /* needs the interface, and runs in its thread (struct command_run) */
};

/* Says first that a command's output describes a step of a run.  JSON `step`. */
void out_step(struct out *o, const struct recording *r, size_t step, const char *phase);

void step_stops_clear(struct interpreter *in);

const struct command *command_find(const struct session *s, const char *name,
				   struct err *e); /* unique prefixes and aliases too */
/*
 * The command to use for a line that begins with a pane's name: `pane` on a screen, otherwise `list`.  NULL
 * when the word is not a pane's whole name, or a command has that name.
 */
const struct command *command_of_pane(const struct session *s, const char *name);

/*
 * Finds all words that may complete the end of `line` (up to the cursor).  Returns a NULL-terminated array of
 * strings; free it with completions_free().  *start is the offset in `line` where the replaced word begins.
 * Words are quoted where they need it.  If no name begins with the typed text, names are found as commands
 * find them: then a completion does not begin with that text.
 */
#define MOST_COMPLETIONS 20000 /* the rest is dropped */
#define COMPLETED_MOST 4096    /* bytes of a line; longer lines are not completed */
char **session_complete(struct session *s, const char *line, size_t *start);
/* The same for one word, by the syntax of its place ("FILE|-"), without quotes. */
char **session_complete_word(struct session *s, const char *syntax, const char *word);
void completions_free(char **c);

#endif
