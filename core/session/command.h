/* The command language, in tables.  The REPL, -e, scripts and keys all come here (interpreter.h). */
#ifndef IBSCOPE_COMMAND_H
#define IBSCOPE_COMMAND_H

#include "core/base/err.h"
#include "core/base/permit.h"
#include "core/session/args.h"
#include "core/session/groups.h"
#include "core/session/interpreter.h"
#include "core/session/out.h"
#include "core/session/session.h"

struct recording;

struct field;

/* What a command needs before it runs, with any words.  If it is missing, the command says so. */
enum command_needs { NEEDS_NOTHING, NEEDS_FABRIC, NEEDS_ROUTING };

/* A pane: the first word of a command names it, and it has arguments of its own. */
struct subcommand {
	const char *name;
	const char *syntax; /* of its arguments, like a command's but without the name */
};

struct command {
	const char *name;
	const char
		*syntax; /* "fail link NODE[PORT]... | switch S...": help, checked and completed (syntax.h) */
	enum group_id group; /* what one wants with it (groups.h) */
	const char *help;    /* one line */
	const char *details; /* more lines for `help NAME`, may be NULL */
	const char *finds;   /* "Exit status 1 in batch when ...", without a failure; NULL: never */
	/* Lines "KEY TYPE TEXT": its JSON fields beside those of all commands (contract.h).  NULL: none. */
	const char *json;
	/* Its rows.  A line "@PREFIX" of json: the keys of the next list, each with the prefix before it. */
	const struct field *rows[4];
	unsigned deeds; /* bits of enum permit_deed (permit.h): what it does with any words, beside its FILEs
			 */
	enum command_needs needs;
	const struct arg_number *numbers; /* of the syntax, beside the common ones; ended by key NULL */
	/* Runs when all words fit the syntax and all numbers are in range. */
	int (*run)(struct session *s, const struct args *args, struct out *o, struct err *e);
	/* A word names no node or port, and *e says which: it may tell more, and make *e say more.  May be
	 * NULL. */
	void (*absent)(struct session *s, int argc, char *const *argv, struct out *o, struct err *e);
	/* Is what it prints with these words a document for other programs?  NULL: never, but with FILE -. */
	bool (*prints)(int argc, char *const *argv);
	/*
	 * The i-th word that may stand here; false: there are no more.  NULL: the first word names no pane.
	 */
	bool (*subcommand)(size_t i, struct subcommand *s);
	bool sets_options; /* its help tells what SIGHUP does with each option */
	bool at_step;	   /* its report is about the step of the walk (session_walk()), if there is a walk */
	bool in_rounds;	   /* it prints round after round: the newest is what one looks at */
	bool on_screen;	   /* needs the interface, and runs in its thread (struct command_run) */
};

/* The output of a command is about a step of a run: say so first.  JSON `step`. */
void out_step(struct out *o, const struct recording *r, size_t step, const char *phase);

void step_stops_clear(struct interpreter *in);

const struct command *command_find(const struct session *s, const char *name,
				   struct err *e); /* unique prefixes and aliases too */
/*
 * The command whose arguments begin with a pane's name, where a line begins with that name: `pane` on a
 * screen, otherwise `list`.  NULL: it is no whole name of a pane, or a command has the same name.
 */
const struct command *command_of_pane(const struct session *s, const char *name);

/*
 * Completion: all words that may stand at the end of `line` (up to the cursor).  Returns a NULL-terminated
 * array of strings; free it with completions_free().  *start is the offset in `line` where the replaced word
 * begins.  Words are quoted where they need it.  If no name begins with the typed text, names are found as
 * commands find them: then a completion does not begin with that text.
 */
#define MOST_COMPLETIONS 20000 /* the rest is left out */
#define COMPLETED_MOST 4096    /* bytes of a line; for a longer one nothing is offered */
char **session_complete(struct session *s, const char *line, size_t *start);
/* The same of one word, by the syntax of its place ("FILE|-"), without quotes. */
char **session_complete_word(struct session *s, const char *syntax, const char *word);
void completions_free(char **c);

#endif
