#include "tui/status.h"

#include <errno.h>
#include <string.h>

int exit_status(const struct command_run *r, const struct err *e)
{
	if (e)
		return err_kind(e) == ERR_SYNTAX  ? STATUS_USAGE
		       : err_kind(e) == ERR_FAULT ? STATUS_FAULT
						  : STATUS_UNANSWERED;
	if (!r)
		return STATUS_DONE;
	if (r->plugin)
		return r->plugin - 1;
	return r->found_fault ? STATUS_FAULT : r->unanswered ? STATUS_UNANSWERED : STATUS_DONE;
}

int output_flush(FILE *f, struct err *e)
{
	if (!fflush(f) && !ferror(f))
		return 0;
	return err_set_kind(e, ERR_IO, "cannot write standard output: %s", strerror(errno));
}
