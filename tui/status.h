/* Exit statuses: a public interface, which the manual page tells. */
#ifndef IBSCOPE_STATUS_H
#define IBSCOPE_STATUS_H

#include "core/base/err.h"

#define INTERFACE 2 /* of the statuses; 1: before 2026-12, a failure of any kind was 1 */

enum status {
	STATUS_DONE,	  /* all was done, nothing wrong was found */
	STATUS_FAULT,	  /* all was done, a fault was found */
	STATUS_USAGE,	  /* the command line is wrong, or words of a command */
	STATUS_UNANSWERED /* what was asked for cannot be told: no such node, no fabric, no such file ... */
};

/* rc, *e: of the commands; found: a fault; unanswered: a part of the fabric is unknown, which might hide one
 */
enum status status_of(int rc, const struct err *e, bool found, bool unanswered);
/* --status 1: the statuses of that interface, from now on. */
void status_as_of(int interface);

#endif
