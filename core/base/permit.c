#include "core/base/permit.h"

static bool reading_only;

void permit_reading_only(void)
{
	reading_only = true;
}

bool permit_reads_only(void)
{
	return reading_only;
}

int permitted(const char *deed, const char *to, struct err *e)
{
	if (!reading_only)
		return 0;
	return err_set_kind(e, ERR_NOT_ALLOWED, "%s %s is refused: the program was started with --read-only",
			    deed, to);
}
