/* Splitting of command lines into words. */
#include "core/base/defs.h"
#include "core/base/words.h"
#include "core/base/clean.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct splitter {
	const char *p;
	int argc, cap;
	char **argv;
};

static void words_add_word(struct splitter *s, char *w)
{
	if (s->argc + 1 >= s->cap) {
		s->cap = s->cap ? 2 * s->cap : 8;
		s->argv = mem_resize(s->argv, s->cap, sizeof(*s->argv));
	}
	s->argv[s->argc++] = w;
	s->argv[s->argc] = NULL;
}

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
	struct splitter s = {.p = line};

	*rest = NULL;
	*argc = 0;
	*argv = NULL;
	for (s.p = words_skip(s.p); !words_end(s.p); s.p = words_skip(s.p)) {
		char *word;

		if (words_take(&s.p, &word, e)) {
			words_free(s.argc, s.argv);
			return -1;
		}
		words_add_word(&s, word);
	}
	if (*s.p == ';')
		*rest = s.p + 1;
	*argc = s.argc;
	*argv = s.argv;
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
	char *word = word_quoted(w);

	text_add(line, "%s%s", line->len ? " " : "", word);
	free(word);
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
