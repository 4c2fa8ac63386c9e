/*
 * --serve: commands for other programs, over a pipe.
 *
 * A request is a JSON object, a line of standard input:
 *
 *   {"id": 7, "argv": ["trace", "A", "B"]}    one command, its words as they are: nothing is quoted
 *   {"id": 8, "line": "fail random 2; diff"}  or a command line, as behind -e
 *
 * and at will "session": "NAME" (its own fabric, tables, journal; begun empty by its first request, ended by
 * `quit`; the one without a name has what the options ask for) and "deadline": SECONDS.  The answer is the
 * objects of --json, each with that "id", and then one more, {"id": 7, "done": true, "status": 0}: the exit
 * status that the commands would have had.  A failed command ends its request, not its session.  What the
 * options ask for is answered first, with id null.
 */
#ifndef IBSCOPE_SERVE_H
#define IBSCOPE_SERVE_H

#include "core/session/interpreter.h"

#define SERVE_SESSIONS_MOST 64	  /* sessions with a name at a time */
#define SERVE_DEADLINE_MOST 86400 /* seconds of one request */

/*
 * Takes standard input away from commands (`load -`).  To be called before the first of them; what it returns
 * is for serve().
 */
FILE *serve_input(void);

/* The last object of an answer.  status: an exit status; error NULL: none, the commands tell theirs. */
void serve_done(FILE *to, const json_t *id, int status, const struct err *error);

/*
 * Answers the requests of `from` (closed in the end) until it ends, or `quit` of the first session.  r: what
 * the run at the start was; open: makes a further session.  0, or -1 and *e: requests could not be read, or
 * answers not written.
 */
int serve(FILE *from, struct command_run *r, struct session *(*open)(void), struct err *e);

#endif
