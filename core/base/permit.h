/*
 * What commands may do beside computing and changing the session: the one rule for --read-only, and for
 * lessons and answers.  A command is marked with what it always does (struct command); where a file, program
 * or device is opened the same is asked again, so that no words lead around the mark.
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

/* From now on nothing writes a file, runs another program, or touches an InfiniBand device (--read-only).  It
 * is chosen once, before other threads run. */
void permit_reading_only(void);
bool permit_reads_only(void);

/*
 * Commands of a lesson, or an answer to one, run in this thread until permit_lesson_end(); may be nested.  No
 * deed is permitted then, but to read the files that lessons are made of (infile.h).
 */
void permit_lesson_begin(void);
void permit_lesson_end(void);

/* 0, or -1 and *e: what would be done is refused.  to: the file, the program, the command. */
int permitted(enum permit_deed deed, const char *to, struct err *e);

#endif
