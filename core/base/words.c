/* Splitting of command lines into words. */
#include "core/base/words.h"
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

static void add_word(struct splitter *s, char *w)
{
	if (s->argc + 1 >= s->cap) {
		s->cap = s->cap ? 2 * s->cap : 8;
		s->argv = mem_resize(s->argv, s->cap, sizeof(*s->argv));
	}
	s->argv[s->argc++] = w;
	s->argv[s->argc] = NULL;
}

/* The quoted part of a word; *p stands behind the opening quote. */
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

int words_take(const char **p, char **word, struct err *e)
{
	struct text w = {0};

	while (**p && **p != ';' && !isspace((unsigned char)**p)) {
		char c = *(*p)++;

		if (c == '"' || c == '\'') {
			if (quoted(p, c, &w, e)) {
				text_free(&w);
				return -1;
			}
		} else if (c == '\\' && **p) {
			text_putc(&w, *(*p)++);
		} else {
			text_putc(&w, c);
		}
	}
	*word = w.s ? w.s : str_dup("");
	return 0;
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
		add_word(&s, word);
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

void word_add_quoted(struct text *t, const char *w)
{
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

	if (*w && !strpbrk(w, " \t;'\"\\#"))
		return str_dup(w);
	word_add_quoted(&t, w);
	return t.s;
}
