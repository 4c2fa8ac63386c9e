#include "core/base/err.h"

#include "core/base/progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const err_kind_words[N_ERR_KINDS] = {
	"failed", "syntax", "no_such_node", "no_such_port", "ambiguous", "no_fabric",	"no_engine",
	"input",  "io",	    "limit",	    "memory",	    "cancelled", "not_allowed", "fault"};

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

int err_copy(struct err *e, const struct err *from)
{
	if (e)
		*e = *from;
	return -1;
}

void err_format_system(struct err *e, const char *name, int error)
{
	if (error == ENOMEM)
		err_format(e, OUT_OF_MEMORY "%s", name);
	else
		err_format(e, "%s: %s", name, strerror(error));
	err_default(e, ERR_IO);
}

void err_default(struct err *e, unsigned kind)
{
	if (e && !e->kind)
		e->kind = kind;
}

enum err_kind err_kind(const struct err *e)
{
	static const char cancelled[] = CANCELLED;
	size_t len = strlen(e->msg), end = sizeof(cancelled) - 1;

	if (err_is_memory(e))
		return ERR_MEMORY;
	if (len >= end && !strcmp(e->msg + len - end, cancelled))
		return ERR_CANCELLED;
	return (enum err_kind)e->kind;
}

bool err_is_memory(const struct err *e)
{
	return strstr(e->msg, OUT_OF_MEMORY) != NULL;
}
