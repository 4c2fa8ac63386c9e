#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"

char *str_printf(const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		mem_exhausted(strlen(fmt));
	va_end(ap);
	return s;
}

static void text_room(struct text *t, size_t more)
{
	size_t need = t->len + more + 1;

	if (need <= t->cap)
		return;
	t->cap = need < 2 * t->cap ? 2 * t->cap : need + 64;
	t->s = mem_resize(t->s, t->cap, 1);
}

void text_addv(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		mem_exhausted(strlen(fmt));
	text_room(t, n);
	if (vsnprintf(t->s + t->len, n + 1, fmt, ap) < 0)
		mem_exhausted(n);
	t->len += n;
}

void text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_addv(t, fmt, ap);
	va_end(ap);
}

void text_putc(struct text *t, char c)
{
	text_room(t, 1);
	t->s[t->len++] = c;
	t->s[t->len] = 0;
}

void text_csv(struct text *t, const char *s)
{
	bool quoted = strpbrk(s, ",\"\r\n");

	if (!quoted) {
		text_add(t, "%s", s);
		return;
	}
	text_putc(t, '"');
	for (; *s; s++) {
		if (*s == '"')
			text_putc(t, '"');
		text_putc(t, *s);
	}
	text_putc(t, '"');
}

static ssize_t text_append(void *cookie, const char *buf, size_t size)
{
	struct text *t = cookie;

	text_room(t, size);
	memcpy(t->s + t->len, buf, size);
	t->len += size;
	t->s[t->len] = 0;
	return (ssize_t)size;
}

void text_levels(struct text *t, const uint64_t *n, size_t count, uint64_t most)
{
	static const char *const level[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	for (size_t i = 0; i < count; i++)
		text_add(t, "%s", level[n[i] ? 1 + (n[i] * 8 - 1) / most : 0]);
}

FILE *text_stream(struct text *t)
{
	FILE *f = fopencookie(t, "w", (cookie_io_functions_t){.write = text_append});

	if (!f)
		mem_exhausted(BUFSIZ);
	return f;
}

const char *text_str(const struct text *t)
{
	return t->s ? t->s : "";
}

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text){0};
}

/* The plural ending of a noun, which replaces its last `cut` letters. */
static const char *plural_end(const char *one, size_t len, size_t *cut)
{
	char last = one[len - 1], before = len > 1 ? one[len - 2] : 0;

	*cut = 0;
	if (last == 'y' && !strchr("aeiou", before)) {
		*cut = 1;
		return "ies";
	}
	if (len >= 4 && !strcmp(one + len - 4, "leaf")) {
		*cut = 1;
		return "ves";
	}
	return last == 's' || last == 'x' || (last == 'h' && (before == 'c' || before == 's')) ? "es" : "s";
}

const char *plural(uint64_t n, const char *one, char *buf, size_t size)
{
	size_t len = strlen(one), cut;
	const char *end = plural_end(one, len, &cut);

	if (n == 1)
		snprintf(buf, size, "1 %s", one);
	else
		snprintf(buf, size, "%" PRIu64 " %.*s%s", n, (int)(len - cut), one, end);
	return buf;
}
