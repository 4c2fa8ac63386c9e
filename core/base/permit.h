/*
 * What commands may do besides computing and changing the session: the one rule for --read-only, and for
 * lessons and answers.  A command is marked with what it always does (struct command).  The same is checked
 * again where a file, program or device is opened, so that no argument gets around the mark.
 */
#ifndef IBSCOPE_PERMIT_H
#define IBSCOPE_PERMIT_H

#include "core/base/err.h"

enum permit_deed {
	DEED_READ = 1,	 /* reads a file */
	DEED_WRITE = 2,	 /* writes one */
	DEED_RUN = 4,	 /* runs another program */
	DEED_DEVICE = 8, /* asks a live fabric */
	DEED_LEAVE = 16	 /* ends the program, or runs commands from elsewhere */
};

/* Forbids writing files, running other programs and touching InfiniBand devices from now on (--read-only). To
 * be called once, before other threads run. */
void permit_reading_only(void);
bool permit_reads_only(void);

/*
 * Commands of a lesson, or an answer to one, run in this thread until permit_lesson_end(); calls may nest.
 * Until then nothing is permitted but reading the files used by lessons (infile.h).
 */
void permit_lesson_begin(void);
void permit_lesson_end(void);

/* Returns 0, or -1 and *e when the deed is refused.  `to` is the file, program or command. */
int permitted(enum permit_deed deed, const char *to, struct err *e);

#endif
