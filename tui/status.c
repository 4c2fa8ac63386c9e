#include "tui/status.h"

#include <errno.h>
#include <string.h>

static int as_of = INTERFACE;

void exit_status_as_of(int interface)
{
	as_of = interface;
}

static enum status status_of_kind(enum err_kind kind)
{
	switch (kind) {
	case ERR_SYNTAX:
		return STATUS_USAGE;
	case ERR_FAULT:
		return STATUS_FAULT;
	default:
		return STATUS_UNANSWERED;
	}
}

int exit_status(const struct command_run *r, const struct err *e)
{
	bool all_is_well = !e && (!r || (!r->found_fault && !r->unanswered));

	if (e && (err_kind(e) == ERR_MEMORY || !r))
		return (int)status_of_kind(err_kind(e));
	if (!e && r && r->plugin)
		return r->plugin - 1;
	if (as_of == 1)
		return all_is_well ? STATUS_DONE : STATUS_FAULT;
	if (e)
		return (int)status_of_kind(err_kind(e));
	return all_is_well ? STATUS_DONE : r->found_fault ? STATUS_FAULT : STATUS_UNANSWERED;
}

int output_flush(FILE *f, struct err *e)
{
	if (!fflush(f) && !ferror(f))
		return 0;
	return err_set_kind(e, ERR_IO, "cannot write standard output: %s", strerror(errno));
}
