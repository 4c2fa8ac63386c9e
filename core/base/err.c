#include "core/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_format(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	e->kind = 0;
	va_end(ap);
}

void err_format_system(struct err *e, const char *name, int error)
{
	if (error == ENOMEM)
		err_format(e, OUT_OF_MEMORY "%s", name);
	else
		err_format(e, "%s: %s", name, strerror(error));
}

bool err_is_memory(const struct err *e)
{
	return strstr(e->msg, OUT_OF_MEMORY) != NULL;
}
