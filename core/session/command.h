/* The command language, in tables.  The REPL, -e, scripts and keys all come here (interpreter.h). */
#ifndef IBSCOPE_COMMAND_H
#define IBSCOPE_COMMAND_H

#include "core/base/err.h"
#include "core/base/permit.h"
#include "core/session/args.h"
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

/*
 * The core's tables of commands, ended by NULL.  Each table ends with an entry whose name is NULL. main()
 * puts the session's list together: these tables, and those of views/ and tui/.
 */
#define CORE_COMMANDS                                                                                        \
	fabric_commands, tables_commands, change_commands, manager_commands, edit_commands,                  \
		difference_commands, scope_commands, path_commands, step_commands, check_commands,           \
		diff_commands, transition_commands, plan_commands, drift_commands, doctor_commands,          \
		advise_commands, verify_commands, load_commands, flow_commands, job_commands, ring_commands, \
		survey_commands, outage_commands, cdg_commands, drain_commands, element_commands,            \
		export_commands, torus_commands, watch_commands, counter_commands, blame_commands,           \
		replay_commands, lesson_commands, quiz_commands, grade_commands, session_commands

extern const struct command fabric_commands[]; /* getting a fabric, options, summaries */
extern const struct command tables_commands[]; /* tables */
extern const struct command change_commands[]; /* routing, failing, undoing */
extern const struct command
	manager_commands[];		     /* the subnet manager starts again, moves, reads its options */
extern const struct command edit_commands[]; /* add, remove, move, ... */
extern const struct command difference_commands[]; /* changes */
extern const struct command scope_commands[];	   /* scope */
extern const struct command path_commands[];	   /* trace, why, tables of one switch */
extern const struct command step_commands[];	   /* an engine's run, step by step */
extern const struct command check_commands[];	   /* check */
extern const struct command diff_commands[];	   /* diff */
extern const struct command transition_commands[]; /* transition */
extern const struct command plan_commands[];	   /* plan */
extern const struct command drift_commands[];	   /* drift */
extern const struct command doctor_commands[];	   /* doctor */
extern const struct command verify_commands[];	   /* verify */
extern const struct command advise_commands[];	   /* advise */
extern const struct command load_commands[];	   /* load-map, shifts */
extern const struct command flow_commands[];	   /* flows */
extern const struct command job_commands[];	   /* jobs */
extern const struct command ring_commands[];	   /* ring-order */
extern const struct command survey_commands[];	   /* survey */
extern const struct command outage_commands[];	   /* outage */
extern const struct command cdg_commands[];	   /* layers, cdg, cycles */
extern const struct command drain_commands[];	   /* drain */
extern const struct command element_commands[];	   /* elements, equal-paths, compare */
extern const struct command export_commands[];	   /* save, export */
extern const struct command torus_commands[];	   /* torus-conf */
extern const struct command watch_commands[];	   /* watch */
extern const struct command counter_commands[];	   /* counters */
extern const struct command blame_commands[];	   /* blame */
extern const struct command replay_commands[];	   /* save-session, report */
extern const struct command lesson_commands[];	   /* lesson */
extern const struct command quiz_commands[];	   /* quiz */
extern const struct command grade_commands[];	   /* grade */
extern const struct command session_commands[];	   /* source, help, quit */

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
