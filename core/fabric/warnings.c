#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
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
	assert(w->n && port <= UINT8_MAX);
	w->w[w->n - 1].guid = guid;
	w->w[w->n - 1].port = (uint8_t)port;
}

void warnings_stand_for(struct warnings *w, uint32_t n)
{
	assert(w->n && n);
	w->w[w->n - 1].stands_for = n;
}

#define KINDS 8 /* kinds of missing parts */

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
		count[k] += w->w[i].stands_for;
	}
	for (k = 0; k < n; k++)
		text_add(t, "%s%s", k ? ", " : "", PLURAL(count[k], kind[k]));
}

/* --- in files ------------------------------------------------------------------------------------------ */

/*
 * Kinds of missing parts. They outlive their fabrics. The last one replaces kinds of other versions of this
 * program.
 */
static const char *const missing_kinds[] = {
	"open port",	     "silent port",	   "cut record",       "cut section",	  "cut list",
	"incomplete fabric", "unknown board",	   "no such port",     "dangling link",	  "cut-off port",
	"port state",	     "one-sided link",	   "impossible value", "impossible node", "silent switch",
	"unread line",	     "contradicting link", "duplicate name",   "duplicate GUID",  "port listed twice",
	"missing part"};

#define MARK "Incomplete: "
#define MARK_TEXT 160 /* bytes of the text: ibsim takes what follows 255 bytes for another line */

/* Writes a text on one line that cannot end the comment around it. */
static void warnings_put_text(FILE *f, const char *s)
{
	size_t n = strnlen(s, MARK_TEXT + 1);

	if (n > MARK_TEXT)
		for (n = MARK_TEXT; n && ((unsigned char)s[n] & 0xc0) == 0x80;)
			n--;
	for (size_t i = 0; i < n; i++)
		putc(iscntrl((unsigned char)s[i])	   ? '?'
		     : s[i] == '-' && i && s[i - 1] == '-' ? '='
							   : s[i],
		     f);
}

void warnings_write_missing(const struct warnings *w, FILE *f, const char *begin, const char *end)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct warning *m = &w->w[i];

		if (!m->missing)
			continue;
		fprintf(f, "%s" MARK "%s", begin, m->kind);
		if (m->guid)
			fprintf(f, " at 0x%016" PRIx64 "[%u]", m->guid, m->port);
		fputs(": ", f);
		warnings_put_text(f, m->text);
		fprintf(f, "%s\n", end);
	}
}

void warnings_read_missing(struct warnings *w, const char *line, size_t len)
{
	struct cursor c = {line, line + len};
	uint64_t guid = 0, port = 0;
	size_t k = 0;

	if (!cur_char(&c, '#') || !cur_word(&c, MARK))
		return;
	while (k + 1 < ARRAY_LEN(missing_kinds) && !cur_word(&c, missing_kinds[k]))
		k++;
	if (cur_word(&c, "at 0x") && (!cur_number(&c, 16, &guid) || !cur_char(&c, '[') ||
				      !cur_number(&c, 10, &port) || port > UINT8_MAX))
		guid = port = 0;
	c.p = cur_find(&c, ": ") ? cur_find(&c, ": ") + 2 : c.p;
	warnings_missing(w, missing_kinds[k], 0, "%.*s",
			 (int)(c.end - c.p < MARK_TEXT ? c.end - c.p : MARK_TEXT), c.p);
	warnings_place(w, guid, (unsigned)port);
}

void warnings_copy(struct warnings *to, const struct warnings *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct warning *w = &from->w[i];

		(w->missing ? warnings_missing : warnings_add)(to, w->kind, w->line, "%s", w->text);
		warnings_place(to, w->guid, w->port);
		warnings_stand_for(to, w->stands_for);
	}
}

void warnings_free(struct warnings *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->w[i].text);
	free(w->w);
	*w = (struct warnings){0};
}
