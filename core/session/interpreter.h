/*
 * Command lines and scripts, run on a session.
 *
 * An interpreter is what outlives a line; a run is what is done for one line typed,
 * one script, or all that a batch is asked for.  A run owns its output and its
 * cancellation: whatever is started within it (scripts, commands that run others,
 * sweeps of a survey) belongs to the same run and stops with it.
 */
#ifndef IBSCOPE_INTERPRETER_H
#define IBSCOPE_INTERPRETER_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/out.h"
#include "core/session/session.h"

struct command;
struct args;

#define MAX_SOURCE_DEPTH 16 /* scripts that call each other */

struct interpreter {
	struct session *session; /* borrowed */
	uint64_t selected;	 /* GUID of the node selected on the screen, 0: none; for `step start` */
	size_t steps_shown;	 /* of a walk: the step before the first of those shown last */
	char **stop_at;		 /* conditions of `step break` */
	size_t n_stops, cap_stops;
	int boundary;	    /* of `step next boundary`: enum rec_key that was used last + 1, 0 = none was */
	int pace;	    /* of `step play`, the last one + 1 (play.h); 0 = none was chosen */
	size_t play_until;  /* the step at which playing stops for a breakpoint */
	size_t play_stop;   /* the number of that breakpoint */
	uint64_t quiz_seed; /* of the last question of `quiz`; 0 = none was asked */
	uint64_t quiz_generation;	 /* of the session then */
	unsigned quiz_kind;		 /* what was asked for (enum quiz_kind) */
	uint8_t quiz_wrong[N_WHY_RULES]; /* answers wrong by each rule */
	atomic_bool quit;		 /* `quit` was given */
};

void interpreter_free(struct interpreter *in); /* what it holds */

struct command_run {
	struct interpreter *in;
	FILE *f; /* text, or one JSON object a line */
	bool json;
	unsigned width;		   /* columns of the reader, 0 = unlimited */
	struct progress *progress; /* told and cancelled from other threads; may be NULL */
	/* Does commands of the interface, which know panes and the terminal; NULL: there is none. */
	int (*on_screen)(const struct command *c, const struct args *args, struct out *o, struct err *e);
	/* The rest begins as 0. */
	bool found_fault; /* a check found something wrong: exit status 1 in batch, but no error */
	unsigned depth;	  /* scripts within scripts */
	bool placed;	  /* the message of the failure names file and line already */
	bool begun;	  /* a JSON object was printed */
	/*
	 * With on_screen: of the command that failed as a word of it fits several nodes, "N COMMAND WORD..."
	 * where N says which word (1: the first behind the command), quoted; to be freed.  NULL: none failed
	 * so.
	 */
	char *unclear;
};

/*
 * A command line: its commands with their words.  It was split for the fabric of that moment, as names
 * of nodes may hold ';' and blanks (reading.h); what is left is split again when another one is loaded.
 */
struct command_list {
	struct command_words {
		const char *text;	       /* from here on */
		const struct command *command; /* NULL: no command, `why` tells */
		int argc;
		char **argv; /* ended by NULL */
		struct err why;
	} * command;
	size_t n;
	char *text;
	const struct fabric *fabric; /* reference; NULL: none was loaded */
	uint64_t
		selected; /* GUID of the node that was selected on the screen, 0: none (struct interpreter) */
};

/*
 * Never fails: what cannot be read or is no command is the last one, and fails when it is run.  For the
 * thread that changes the session, or one that holds its lock.
 */
struct command_list *commands_split(const struct session *s, const char *text);
void commands_free(struct command_list *l);

/* Commands behind a failed one are not run, nor any once it is cancelled.  0, or -1 and *e. */
int run_commands(struct command_run *r, const struct command_list *l, struct err *e);
/* The JSON object of what cannot be read at all, as if it were a command. */
void tell_unread(struct command_run *r, const char *command, const struct err *why);
int run_text(struct command_run *r, const char *text,
	     struct err *e); /* commands_split() and run_commands() */

/*
 * Run all of a script, whatever fails: the messages, "NAME:LINE: ...", a line each, go to `errors`.  -1 and
 * *e: it cannot be read, or was cancelled.
 */
int run_whole_script(struct command_run *r, FILE *script, const char *name, struct text *errors,
		     struct err *e);

/* Run a script up to its first failing command; the message begins with "NAME:LINE: ". */
int run_script(struct command_run *r, FILE *script, const char *name, struct err *e);

#endif
