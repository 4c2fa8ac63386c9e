#include "core/fabric/warnings.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>

void warnings_add(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
{
	struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	GROW(w->w, w->n, w->cap);
	w->w[w->n++] = (struct warning){kind, line, t.s};
}

void warnings_free(struct warnings *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->w[i].text);
	free(w->w);
	*w = (struct warnings){0};
}
