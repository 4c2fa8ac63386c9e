/* Exit statuses: a public interface, which the manual page tells. */
#ifndef IBSCOPE_STATUS_H
#define IBSCOPE_STATUS_H

#include <stdio.h>
#include "core/session/interpreter.h"

#define INTERFACE 2 /* of the statuses */

enum status {
	STATUS_DONE,	  /* all was done, nothing wrong was found */
	STATUS_FAULT,	  /* all was done, a fault was found */
	STATUS_USAGE,	  /* the command line is wrong, or words of a command */
	STATUS_UNANSWERED /* what was asked for cannot be told: no such node, no fabric, no such file ... */
};

/*
 * The rule of exit statuses: of the process, and of a request of --serve.  e: why it failed; NULL: it did
 * not, and what the run found counts.  r: NULL when no command ran, so the command line or the output is at
 * fault.
 *
 * The kind of an error decides alone, so whoever sets an error gives it its kind: ERR_SYNTAX is a word that
 * is none of those expected, wherever one looks; ERR_NO_NODE, ERR_NO_PORT a name that another fabric might
 * have; ERR_LIMIT a number or size that is well formed and more than this program takes.
 */
int exit_status(const struct command_run *r, const struct err *e);

/* Writes out what the stream holds.  0, or -1 and *e of kind ERR_IO when anything could not be written. */
int output_flush(FILE *f, struct err *e);

#endif
