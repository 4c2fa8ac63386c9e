/* The output of one command: lines of text, or in JSON mode one object with its fields and these lines. */
#ifndef IBSCOPE_OUT_H
#define IBSCOPE_OUT_H

#include <time.h>

#include "core/analysis/blame/measured.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/formats/opensm_log.h"
#include "core/session/session.h"
#include "core/session/syntax.h"

struct command_run;

struct out {
	struct command_run *run; /* run of the command: where it writes, how it is cancelled */
	struct out *up;		 /* JSON mode: output of the command that runs this one; NULL = none */
	char *head;		 /* JSON mode: the beginning of its object, in case memory runs out */
	json_t *object;		 /* JSON mode: its fields */
	json_t *lines;		 /* JSON mode: its text lines */
	struct text partial;	 /* JSON mode: the line being written */
	struct text rows;	 /* the table being written, to be fitted to the reader's width */
};

/*
 * Prints a line of text, or part of one.  A row of a table has marks in its format (syntax.h): when the
 * reader's width is known, consecutive rows are laid out together.
 */
void out_text(struct out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints lines that were written for a wide reader, wrapped by narrow_text(). */
void out_lines(struct out *o, const char *text);
/* Writes out all text so far, including rows. */
void out_flush(struct out *o);
/* Writes a document to standard output as it is; in JSON mode a field holds it instead. */
void out_document(struct out *o, const char *text);
/* How long something took, after `before`; "" where nothing may differ between runs. */
#define OUT_TOOK 48
const char *out_took(const struct out *o, const char *before, double seconds, char buf[OUT_TOOK]);
/* Adds a field to the JSON object (takes over v); does nothing in text mode. */
void out_json(struct out *o, const char *key, json_t *v);
/* Adds all fields of an object (taken over), in their order. */
void out_fields(struct out *o, json_t *fields);

/*
 * In JSON mode, prints an object of its own now, before the command's (fields are taken over), for commands
 * that go on and on.  Does nothing in text mode.
 */
void out_object(struct out *o, json_t *fields);

/* A moment as the program prints it: UTC, ISO 8601, to the second.  Returns buf. */
#define OUT_UTC 40
const char *out_utc(time_t at, char buf[OUT_UTC]);

/* The object of a command in JSON mode: begun before it runs, printed with rc after it has ended. */
void out_begin(struct out *o, struct command_run *r, const char *command);
void out_end(struct out *o, int rc, const struct err *e);

/* Prints the objects of the running commands as failed, when memory has run out.  Allocates nothing. */
void out_last_objects(void);

/* The last two readings of counters, which a session holds. */

/* Adds a reading (taken over); the one before stays, older ones go. */
void session_count(struct session *s, const struct counter_reading *r);
void session_uncount(struct session *s); /* all of them go */
/* What they say about the fabric; NULL when there are none. */
struct measured *session_measured(const struct session *s);
/* Takes the reading that lies in the folder of a fabric, unless there is another one than such. */
void session_count_beside(struct session *s, const char *path, struct progress *p);
/* Puts what was or has to be there (reference taken over) and its file in the place of what is known. */
void session_take_present(struct session *s, json_t *present, const char *path);
/* Puts a log (reference taken over; NULL: none) in the place of the one that the session has. */
void session_take_log(struct session *s, struct opensm_log *log);
/* That log, or else the one that came with the fabric: a new reference; NULL: there is none. */
struct opensm_log *session_log(const struct session *s);
/* The device through which a live fabric is asked. */
struct counters_device {
	char *ca; /* NULL: any */
	int port; /* 0: any */
};
/* Those of a live fabric, all ports that are up; free with counters_free() in either case. */
int counters_live(const struct session *s, struct counters_device by, struct counter_reading *r,
		  struct progress *p, struct err *e);
/* The same for one port (id). */
int counters_live_port(const struct session *s, struct counters_device by, uint32_t port,
		       struct counter_reading *r, struct progress *p, struct err *e);

#endif
