#include "core/fabric/warnings.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

static void add(struct warnings *w, const char *kind, unsigned line, bool missing, const char *fmt,
		va_list ap)
{
	struct text t = {0};

	text_addv(&t, fmt, ap);
	GROW(w->w, w->n, w->cap);
	w->w[w->n++] = (struct warning){
		.kind = kind, .line = line, .stands_for = 1, .missing = missing, .text = t.s};
	w->missing += missing;
}

void warnings_add(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(w, kind, line, false, fmt, ap);
	va_end(ap);
}

void warnings_missing(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(w, kind, line, true, fmt, ap);
	va_end(ap);
}

void warnings_place(struct warnings *w, uint64_t guid, unsigned port)
{
	w->w[w->n - 1].guid = guid;
	w->w[w->n - 1].port = (uint8_t)port;
}

void warnings_stand_for(struct warnings *w, uint32_t n)
{
	w->w[w->n - 1].stands_for = n;
}

#define KINDS 8 /* of what may be missing */

void warnings_tell_missing(const struct warnings *w, struct text *t)
{
	const char *kind[KINDS];
	size_t count[KINDS] = {0};
	unsigned n = 0, k;

	for (size_t i = 0; i < w->n; i++) {
		if (!w->w[i].missing)
			continue;
		for (k = 0; k < n && strcmp(kind[k], w->w[i].kind) != 0; k++)
			;
		if (k == KINDS)
			continue;
		kind[k] = w->w[i].kind;
		n += k == n;
		count[k]++;
	}
	for (k = 0; k < n; k++)
		text_add(t, "%s%s", k ? ", " : "", PLURAL(count[k], kind[k]));
}

void warnings_free(struct warnings *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->w[i].text);
	free(w->w);
	*w = (struct warnings){0};
}
