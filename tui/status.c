#include "tui/status.h"

static int as_of = INTERFACE;

void status_as_of(int interface)
{
	as_of = interface;
}

enum status status_of(int rc, const struct err *e, bool found, bool unanswered)
{
	if (rc && err_kind(e) == ERR_MEMORY)
		return STATUS_UNANSWERED;
	if (as_of == 1)
		return rc || found || unanswered ? STATUS_FAULT : STATUS_DONE;
	if (rc)
		return err_kind(e) == ERR_SYNTAX  ? STATUS_USAGE
		       : err_kind(e) == ERR_FAULT ? STATUS_FAULT
						  : STATUS_UNANSWERED;
	return found ? STATUS_FAULT : unanswered ? STATUS_UNANSWERED : STATUS_DONE;
}
