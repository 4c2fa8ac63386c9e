#include "core/base/wrap.h"

#include <string.h>

static bool inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t wrap_line(const char *s, unsigned columns, const char **rest)
{
	size_t end = 0, blank = 0, bar = 0;
	unsigned n = 0;

	for (; s[end] && (n < columns || inside_character(s[end])); end++) {
		n += !inside_character(s[end]);
		if (s[end] == ' ')
			blank = end;
		if (s[end] == '|')
			bar = end + 1;
	}
	if (s[end] && s[end] != ' ' && (blank || bar))
		end = blank ? blank : bar;
	*rest = s + end + strspn(s + end, " ");
	if (!**rest)
		*rest = NULL;
	return end;
}

static unsigned wrap_width(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += !inside_character(*s);
	return n;
}

void wrap_text(struct text *t, const char *s, unsigned columns, const char *first, const char *other)
{
	const char *before = first, *rest = s;

	do {
		unsigned taken = wrap_width(before);
		const char *from = rest;
		size_t len = wrap_line(from, columns > taken ? columns - taken : 1, &rest);

		text_add(t, "%s%.*s\n", before, (int)len, from);
		before = other;
	} while (rest);
}
