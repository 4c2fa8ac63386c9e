/*
 * Command lines and scripts, run on a session.
 *
 * An interpreter keeps what outlives a line.  A run is the work for one typed line, for one script, or for a
 * whole batch.  A run owns its output and its cancellation.  Scripts, commands that run others, and sweeps of
 * a survey belong to the run that started them, and stop with it.
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
	size_t steps_shown;	 /* the step before those that the walk showed last */
	char **stop_at;		 /* conditions of `step break` */
	size_t n_stops, cap_stops;
	int boundary;		  /* of `step next boundary`: 1 + the enum rec_key used last, 0 = none was */
	int pace;		  /* of `step play`: 1 + the pace used last (lesson.h), 0 = none was chosen */
	size_t play_until;	  /* the step at which playing stops for a breakpoint */
	size_t play_stop;	  /* the number of that breakpoint */
	uint64_t quiz_seed;	  /* of the last question of `quiz`; 0 = none was asked */
	uint64_t quiz_generation; /* of the session then */
	unsigned quiz_kind;	  /* the kind of its question (enum quiz_kind) */
	uint8_t quiz_wrong[N_WHY_RULES]; /* answers wrong by each rule */
	atomic_bool quit;		 /* `quit` was given */
};

void interpreter_free(struct interpreter *in); /* what it holds */

/* In batch: signals to a command that works in rounds, while it listens. */
struct rounds {
	atomic_bool listening; /* set by the command */
	atomic_bool again;     /* SIGHUP: the next round begins now */
	atomic_bool tells;     /* set by a command that tells what it has when SIGINT or SIGTERM cancels it */
	atomic_bool end; /* SIGTERM: it is to end as if all rounds were done; `progress` is cancelled, too */
	void (*hush)(bool on); /* the terminal echoes nothing meanwhile; NULL: there is none */
};

struct command_run {
	struct interpreter *in;
	FILE *f; /* text, or one JSON object a line */
	bool json;
	unsigned width;		   /* width of the reader in columns, 0 = unlimited */
	struct progress *progress; /* progress and cancellation, shared with other threads; may be NULL */
	FILE *errors;		   /* messages of what failed while the rest goes on; NULL: they go to f */
	FILE *aside; /* text that is no document, while a document goes to f; NULL: it goes to f */
	/* Runs commands of the interface, which know panes and the terminal.  NULL: there is no interface. */
	int (*on_screen)(const struct command *c, const struct args *args, struct out *o, struct err *e);
	const char *program; /* JSON mode: its version, told in the first object; NULL: it is not told */
	bool no_text;	     /* JSON mode: no lines of text */
	bool no_timing;	     /* nothing that differs between runs: no time, and not how long it took */
	json_t *id; /* JSON mode: of the request, told in each object (serve); NULL = none.  Borrowed */
	struct rounds *rounds; /* NULL: nobody sends signals */
	/* The rest begins as 0. */
	bool found_fault; /* a check found a fault: exit status 1 in batch, but no error */
	bool unanswered;  /* the same for what cannot be judged, as a part of the fabric is unknown: status 3
			   */
	int plugin;	  /* 1 + the exit status that another system wants (`check format nagios`); 0: none */
	bool noteworthy;  /* some of the text must reach the person, also where other text is dropped: at the
			     start of batch */
	unsigned depth;	  /* scripts within scripts */
	bool placed;	  /* the failure message already names file and line */
	bool begun;	  /* a JSON object was printed */
	/*
	 * Set with on_screen, when a command failed because one of its words fits several nodes: the text "N
	 * COMMAND WORD...", quoted.  N is the number of that word (1: the first behind the command).  To be
	 * freed.  NULL: no such failure.
	 */
	char *unclear;
};

/*
 * A command line: its commands with their words.  It was split for the fabric of that moment, since names of
 * nodes may hold ';' and blanks (reading.h).  When another fabric is loaded, the rest is read again, command
 * by command as it runs; so is all of a text of more than SPLIT_AHEAD_MOST bytes, for that can be cancelled.
 */
#define SPLIT_AHEAD_MOST 4096
struct command_list {
	struct command_words {
		const char *text;	       /* from here on */
		const struct command *command; /* NULL: no command, `why` tells */
		int argc;
		char **argv; /* ended by NULL */
		struct err why;
	} * command;
	size_t n; /* 0: none, or the text is too long */
	char *text;
	const struct fabric *fabric; /* reference; NULL: none was loaded */
	uint64_t selected; /* GUID of the node selected then on the screen, 0: none (struct interpreter) */
};

/*
 * Never fails.  If a text cannot be read or is no command, it becomes the last command and fails when it
 * runs.  For the thread that changes the session, or one that holds its lock.
 */
struct command_list *commands_split(const struct session *s, const char *text);
void commands_free(struct command_list *l);

/*
 * The line as it is kept: words with ';' or quotes in quotes, so that it is the same commands when another
 * fabric lacks their names.  To be freed.
 */
char *commands_kept(const struct command_list *l);

/* Run commands up to the first that fails, or until cancelled.  0, or -1 and *e. */
int run_commands(struct command_run *r, const struct command_list *l, struct err *e);
/* The JSON object for a text that cannot be read at all, as if it were a command. */
void tell_unread(struct command_run *r, const char *command, const struct err *why);
/* The same for a text.  Each command is read when the one before it is done. */
int run_text(struct command_run *r, const char *text, struct err *e);

/*
 * Does the command write a document to standard output (FILE -, or one that it prints)?  Its messages then go
 * to `errors`, so that who reads f gets the document alone.
 */
bool writes_output(const struct command *c, int argc, char **argv);

/* Run a whole script.  Messages "NAME:LINE: ..." go to `errors`.  -1 and *e: not read, or cancelled. */
int run_whole_script(struct command_run *r, FILE *script, const char *name, struct text *errors,
		     struct err *e);

/* Run a script up to its first command that fails.  The message begins with "NAME:LINE: ". */
int run_script(struct command_run *r, FILE *script, const char *name, struct err *e);

#endif
