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

#define MAX_SOURCE_DEPTH 16 /* scripts that call one another */

struct interpreter {
	struct session *session; /* borrowed */
	uint64_t selected;	 /* GUID of the node selected on the screen, 0: none; for `step start` */
	size_t steps_shown;	 /* the step just before those that the walk showed last */
	char **stop_at;		 /* conditions of `step break` */
	size_t n_stops, cap_stops;
	int boundary;		  /* for `step next boundary`: 1 + the enum rec_key used last, 0 = none yet */
	int pace;		  /* for `step play`: 1 + the pace used last (lesson.h), 0 = none yet */
	size_t play_until;	  /* the step at which playing stops for a breakpoint */
	size_t play_stop;	  /* the number of that breakpoint */
	uint64_t quiz_seed;	  /* of the last question of `quiz`; 0 = none was asked */
	uint64_t quiz_generation; /* of the session then */
	unsigned quiz_kind;	  /* the kind of its question (enum quiz_kind) */
	uint8_t quiz_wrong[N_WHY_RULES]; /* wrong answers, by rule */
	atomic_bool quit;		 /* `quit` was given */
};

void interpreter_free(struct interpreter *in); /* frees what it holds, not itself */

/* In batch: signals for a command that works in rounds and is listening. */
struct rounds {
	atomic_bool listening; /* set by the command */
	atomic_bool again;     /* SIGHUP: begin the next round now */
	atomic_bool tells; /* set by a command that reports what it has when SIGINT or SIGTERM cancels it */
	atomic_bool end;   /* SIGTERM: end as if all rounds were done; `progress` is cancelled, too */
	void (*hush)(bool on); /* turns the terminal's echo off meanwhile; NULL: there is no terminal */
};

struct command_run {
	struct interpreter *in;
	FILE *f; /* text, or one JSON object a line */
	bool json;
	unsigned width;		   /* width of the reader in columns, 0 = unlimited */
	struct progress *progress; /* progress and cancellation, shared with other threads; may be NULL */
	FILE *errors;		   /* messages about what failed while the rest goes on; NULL: they go to f */
	FILE *aside; /* text that is not the document, while a document goes to f; NULL: it goes to f */
	/* Runs commands of the interface, which know panes and the terminal.  NULL: there is no interface. */
	int (*on_screen)(const struct command *c, const struct args *args, struct out *o, struct err *e);
	const char *program; /* JSON mode: its version, for the first object; NULL: left out */
	bool no_text;	     /* JSON mode: no lines of text */
	bool no_timing;	     /* print nothing that differs between runs: no times, no durations */
	json_t *id; /* JSON mode: the request's id, repeated in each object (serve); NULL = none.  Borrowed */
	struct rounds *rounds; /* NULL: no signals are sent */
	/* The rest is 0 at the start. */
	bool found_fault; /* a check found a fault: exit status 1 in batch, but no error */
	bool unanswered;  /* the same when part of the fabric is unknown, so that something cannot be judged:
			     status 3 */
	int plugin;	  /* 1 + the exit status that another system wants (`check format nagios`); 0: none */
	bool only_looks;  /* -R failed: commands run only if they look; one that fails does not stop others */
	bool noteworthy;  /* some text must reach the person even where other text is dropped: at the start of
			     batch */
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
 * by command as it runs.  A text longer than SPLIT_AHEAD_MOST bytes is always read that way, because it can
 * then be cancelled.
 */
#define SPLIT_AHEAD_MOST 4096
struct command_list {
	struct command_words {
		const char *text;	       /* from here on */
		const struct command *command; /* NULL: it is not a command, as `why` explains */
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
 * Never fails.  If a text cannot be read or is not a command, it becomes the last command and fails when it
 * runs.  For the thread that changes the session, or one that holds its lock.
 */
struct command_list *commands_split(const struct session *s, const char *text);
void commands_free(struct command_list *l);

/*
 * The line as it is kept: words with ';' or quotes are quoted, so that it gives the same commands when
 * another fabric lacks their names.  The caller frees it.
 */
char *commands_kept(const struct command_list *l);

/* Runs commands up to the first that fails, or until cancelled.  Returns 0, or -1 and *e. */
int run_commands(struct command_run *r, const struct command_list *l, struct err *e);
/* Writes the JSON object for a text that cannot be read at all, as if it were a command. */
void tell_unread(struct command_run *r, const char *command, const struct err *why);
/* The same for a text.  Each command is read when the one before it has finished. */
int run_text(struct command_run *r, const char *text, struct err *e);

/*
 * Does the command write a document to standard output (FILE -, or one that it prints)?  Its messages then go
 * to `errors`, so that the reader of f gets only the document.
 */
bool writes_output(const struct command *c, int argc, char **argv);

/* Runs a whole script.  Messages "NAME:LINE: ..." go to `errors`.  Returns -1 and *e when it was not read, or
 * cancelled. */
int run_whole_script(struct command_run *r, FILE *script, const char *name, struct text *errors,
		     struct err *e);

/* Runs a script up to its first command that fails.  The message begins with "NAME:LINE: ". */
int run_script(struct command_run *r, FILE *script, const char *name, struct err *e);

#endif
