/*
 * The command language: one table of commands.  The REPL, --execute, --script,
 * key bindings and tests all come here (interpreter.h runs them).
 */
#ifndef IBSCOPE_COMMAND_H
#define IBSCOPE_COMMAND_H

#include "core/base/err.h"
#include "core/session/interpreter.h"
#include "core/session/out.h"
#include "core/session/session.h"

/* What an argument is, for completion.  A command's `args` names them by letter in order. */
enum arg_kind {
	ARG_NONE = 0,
	ARG_NODE = 'n',
	ARG_SWITCH = 's',
	ARG_HOST = 'h',
	ARG_PORT = 'p',
	ARG_ENDPORT = 'e',
	ARG_FILE = 'f',
	ARG_ENGINES = 'E',
	ARG_ENGINE_OPTION = 'o',
	ARG_OPTION = 'O',
	ARG_VALUE = 'v',
	ARG_SNAPSHOT = 'S',
	ARG_COMMAND = 'c',
	ARG_WORD = 'w', /* one of `words`, '|' between */
	ARG_SPEC = 'y',
	ARG_TEXT = 't',
	ARG_REPEAT = '*', /* the kind before it, again and again */
};

struct command {
	const char *name;
	const char *syntax;  /* "fail link|switch|host|random TARGET..." as help shows it */
	const char *help;    /* one line */
	const char *details; /* more lines for `help NAME`, may be NULL */
	const char *args;    /* kinds of the arguments for completion, letters of enum arg_kind */
	const char *words;   /* for ARG_WORD, '|' between */
	int (*run)(struct session *s, int argc, char **argv, struct out *o, struct err *e);
	bool on_screen; /* needs the interface, in whose thread it runs (struct command_run) */
};

/*
 * The core's tables of commands, ended by NULL; each table is ended by an entry with
 * name NULL.  The session is given the list that main() puts together: these, and those of
 * views/ and tui/.
 */
#define CORE_COMMANDS                                                                                    \
	fabric_commands, change_commands, path_commands, step_commands, analysis_commands, cdg_commands, \
		element_commands, export_commands, session_commands
extern const struct command *const core_commands[];

extern const struct command fabric_commands[];	 /* getting a fabric, options, summaries */
extern const struct command change_commands[];	 /* routing, failing, undoing */
extern const struct command path_commands[];	 /* trace, why, tables of one switch */
extern const struct command step_commands[];	 /* an engine's run, step by step */
extern const struct command analysis_commands[]; /* check, diff, load-map, survey */
extern const struct command cdg_commands[];	 /* layers, cdg, cycles */
extern const struct command element_commands[];	 /* elements, equal-paths, compare */
extern const struct command export_commands[];	 /* save, export */
extern const struct command session_commands[];	 /* source, help, quit */

void step_list_clear(struct step_list *l);

const struct command *command_find(const struct session *s, const char *name,
				   struct err *e); /* unique prefixes too */

/*
 * Completion: all words that may stand at the end of `line` (up to the cursor),
 * as a NULL-terminated array of strings to be freed with completions_free().
 * *start is the offset in line where the word to be replaced begins.  Words
 * are quoted where they need it.
 */
char **session_complete(struct session *s, const char *line, size_t *start);
void completions_free(char **c);

#endif
