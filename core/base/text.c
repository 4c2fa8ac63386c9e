/* Text: buffers that grow, words of command lines, wrapping, names with wildcards. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"

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

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);
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
	if (!strpbrk(s, ",\"\r\n")) {
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

static bool csv_is_formula(const char *s)
{
	char *end;

	if (!*s || !strchr("=+-@\t\r", *s))
		return false;
	strtod(s, &end);
	return end == s || *end;
}

void csv_add_cell(struct text *t, const char *s, bool safe)
{
	AUTO_TEXT struct text cell = {0};

	text_add(&cell, "%s%s", safe && csv_is_formula(s) ? "'" : "", s);
	text_csv(t, text_str(&cell));
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

	for (size_t i = 0; i < count; i++) {
		assert(n[i] <= most);
		text_add(t, "%s", level[n[i] ? 1 + (n[i] * 8 - 1) / most : 0]);
	}
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
	char last, before = len > 1 ? one[len - 2] : 0;

	assert(len > 0);
	last = one[len - 1];
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

/* Splitting of command lines into words. */

/* Reads the quoted part of a word. *p is after the opening quote. */
static int quoted(const char **p, char quote, struct text *w, struct err *e)
{
	while (**p && **p != quote) {
		if (quote == '"' && **p == '\\' && ((*p)[1] == '"' || (*p)[1] == '\\'))
			(*p)++;
		text_putc(w, *(*p)++);
	}
	if (!**p)
		return err_set(e, "no closing %c in: %s", quote, text_str(w));
	(*p)++;
	return 0;
}

/* Reads an escape after its backslash. Other characters mean themselves. */
static int spelled(const char **p, struct text *w, struct err *e)
{
	static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
	char c = *(*p)++, hex[3] = {0};
	const char *letter = strchr(letters, c);
	size_t n = c == 'x' ? strspn(*p, "0123456789abcdefABCDEF") : 0;

	if (n) {
		memcpy(hex, *p, MIN(n, 2));
		*p += strlen(hex);
		c = (char)strtoul(hex, NULL, 16);
		if (!c)
			return err_set(e, "found \\x%s, a NUL byte, which no word can hold", hex);
	}
	text_putc(w, letter ? bytes[letter - letters] : c);
	return 0;
}

/* Reads $'...', as in a shell. */
static int spelled_out(const char **p, struct text *w, struct err *e)
{
	while (**p && **p != '\'') {
		if (**p != '\\' || !(*p)[1])
			text_putc(w, *(*p)++);
		else if (++*p, spelled(p, w, e))
			return -1;
	}
	return quoted(p, '\'', w, e); /* nothing is left of it, or the end is missing */
}

static int take(const char **p, struct text *w, struct err *e)
{
	int rc = 0;

	while (!rc && **p && **p != ';' && !isspace((unsigned char)**p)) {
		char c = *(*p)++;

		if (c == '"' || c == '\'')
			rc = quoted(p, c, w, e);
		else if (c == '$' && **p == '\'')
			rc = (++*p, spelled_out(p, w, e));
		else
			text_putc(w, c == '\\' && **p ? *(*p)++ : c);
	}
	return rc;
}

int words_take(const char **p, char **word, struct err *e)
{
	struct text w = {0};

	if (take(p, &w, e)) {
		text_free(&w);
		return -1;
	}
	*word = w.s ? w.s : str_dup("");
	return 0;
}

char *word_begun(const char *p)
{
	struct text w = {0};

	take(&p, &w, NULL);
	return w.s ? w.s : str_dup("");
}

const char *words_skip(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

bool words_end(const char *p)
{
	return !*p || *p == '#' || *p == ';';
}

int words_split(const char *line, const char **rest, int *argc, char ***argv, struct err *e)
{
	const char *p = words_skip(line);
	char **words = NULL;
	int n = 0, cap = 0;

	*rest = NULL;
	*argc = 0;
	*argv = NULL;
	for (; !words_end(p); p = words_skip(p)) {
		char *word;

		if (words_take(&p, &word, e)) {
			words_free(n, words);
			return -1;
		}
		if (n + 1 >= cap) {
			cap = cap ? 2 * cap : 8;
			words = mem_resize(words, cap, sizeof(*words));
		}
		words[n++] = word;
		words[n] = NULL;
	}
	if (*p == ';')
		*rest = p + 1;
	*argc = n;
	*argv = words;
	return 0;
}

void words_free(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	free(argv);
}

/* Does the word need escapes? Scripts and screens do not keep all bytes. */
static bool must_be_spelled(const char *w)
{
	return !is_clean(w, strlen(w)) || strchr(w, '\n');
}

void word_add_quoted(struct text *t, const char *w)
{
	if (must_be_spelled(w)) {
		text_add(t, "$'");
		for (; *w; w++)
			text_add(t, *w >= ' ' && *w < 0x7f && !strchr("'\\", *w) ? "%c" : "\\x%02x",
				 (unsigned char)*w);
		text_putc(t, '\'');
		return;
	}
	text_putc(t, '"');
	for (; *w; w++) {
		if (*w == '"' || *w == '\\')
			text_putc(t, '\\');
		text_putc(t, *w);
	}
	text_putc(t, '"');
}

char *word_quoted(const char *w)
{
	struct text t = {0};

	if (*w && !strpbrk(w, " \t;'\"\\#") && !must_be_spelled(w))
		return str_dup(w);
	word_add_quoted(&t, w);
	return t.s;
}

void word_append(struct text *line, const char *w)
{
	AUTO_FREE char *word = word_quoted(w);

	text_add(line, "%s%s", line->len ? " " : "", word);
}

unsigned word_edits(const char *a, const char *b)
{
	/* [i][j]: between the first i letters of a and the first j of b (Damerau, 1964) */
	unsigned d[32][32];
	size_t n = strlen(a), m = strlen(b);

	if (n >= ARRAY_LEN(d) || m >= ARRAY_LEN(d))
		return 99;
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			unsigned least = (unsigned)(i ? i : j);

			if (i && j) {
				least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				if (d[i - 1][j] + 1 < least)
					least = d[i - 1][j] + 1;
				if (d[i][j - 1] + 1 < least)
					least = d[i][j - 1] + 1;
				if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				    d[i - 2][j - 2] + 1 < least)
					least = d[i - 2][j - 2] + 1;
			}
			d[i][j] = least;
		}
	return d[n][m];
}

bool words_have(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *w = list; *w; w += strcspn(w, " "), w += *w == ' ')
		if (strcspn(w, " ") == len && !strncmp(w, word, len))
			return true;
	return false;
}

static bool inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

unsigned text_characters(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += !inside_character(s[i]);
	return n;
}

void text_add_shortened(struct text *t, const char *s, unsigned columns)
{
	size_t len = strlen(s), head = 0, tail = len;

	assert(columns >= 5);
	if (text_characters(s, len) <= columns) {
		text_add(t, "%s", s);
		return;
	}
	for (unsigned n = 0; n < (columns - 2) / 2 || inside_character(s[head]); head++)
		n += !inside_character(s[head]);
	for (unsigned n = 0; n < (columns - 3) / 2;)
		n += !inside_character(s[--tail]);
	text_add(t, "%.*s...%s", (int)head, s, s + tail);
}

/*
 * Number of bytes in the first line of s, when lines have `columns` characters and break between
 * words.  A longer word is cut, behind a "|" if it has one.  *rest: the beginning of the next line, NULL
 * behind the last.  Every character counts as one column.
 */
static size_t wrap_line(const char *s, unsigned columns, const char **rest)
{
	size_t end = 0, blank = 0, bar = 0;
	unsigned n = 0;

	assert(columns >= 1);
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

void wrap_text(struct text *t, const char *s, unsigned columns, const char *first, const char *other)
{
	const char *before = first, *rest = s;

	do {
		unsigned taken = text_characters(before, strlen(before));
		const char *from = rest;
		size_t len = wrap_line(from, columns > taken ? columns - taken : 1, &rest);

		text_add(t, "%s%.*s\n", before, (int)len, from);
		before = other;
	} while (rest);
}

/* Matches one bracket expression at p (after '['). Returns the place after ']', or NULL if there is none. */
static const char *glob_class(const char *p, char c, bool *hit)
{
	bool invert = *p == '!' || *p == '^';

	*hit = false;
	p += invert;
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		char lo = tolower((unsigned char)*p), hi = lo;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = tolower((unsigned char)p[2]);
			p += 2;
		}
		if (lo <= c && c <= hi)
			*hit = true;
	}
	if (!*p)
		return NULL;
	*hit ^= invert;
	return p + 1;
}

bool glob_match(const char *pattern, const char *s)
{
	const char *star = NULL, *resume = NULL;

	for (;;) {
		char c = tolower((unsigned char)*s);
		bool hit = false;
		const char *next = pattern + 1;

		if (*pattern == '*') {
			star = pattern++;
			resume = s;
			continue;
		}
		if (!*s && !*pattern)
			return true;
		if (*s && *pattern == '?') {
			hit = true;
		} else if (*s && *pattern == '[' && (next = glob_class(pattern + 1, c, &hit))) {
			;
		} else {
			next = pattern + 1;
			hit = *s && tolower((unsigned char)*pattern) == c;
		}
		if (hit) {
			pattern = next;
			s++;
		} else if (star && *resume) {
			pattern = star + 1;
			s = ++resume;
		} else {
			return false;
		}
	}
}
