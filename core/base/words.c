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

/* The part of a word within quotes; s->p stands behind the opening one. */
static int quoted(struct splitter *s, char quote, struct text *w, struct err *e)
{
	while (*s->p && *s->p != quote) {
		if (quote == '"' && *s->p == '\\' && (s->p[1] == '"' || s->p[1] == '\\'))
			s->p++;
		text_putc(w, *s->p++);
	}
	if (!*s->p)
		return err_set(e, "no closing %c in: %s", quote, text_str(w));
	s->p++;
	return 0;
}

static int one_word(struct splitter *s, struct err *e)
{
	struct text w = {0};

	while (*s->p && *s->p != ';' && !isspace((unsigned char)*s->p)) {
		char c = *s->p++;

		if (c == '"' || c == '\'') {
			if (quoted(s, c, &w, e)) {
				text_free(&w);
				return -1;
			}
		} else if (c == '\\' && *s->p) {
			text_putc(&w, *s->p++);
		} else {
			text_putc(&w, c);
		}
	}
	add_word(s, w.s ? w.s : str_dup(""));
	return 0;
}

int words_split(const char *line, const char **rest, int *argc, char ***argv, struct err *e)
{
	struct splitter s = {.p = line};

	*rest = NULL;
	*argc = 0;
	*argv = NULL;
	for (;;) {
		while (isspace((unsigned char)*s.p))
			s.p++;
		if (!*s.p || *s.p == '#' || *s.p == ';')
			break;
		if (one_word(&s, e)) {
			words_free(s.argc, s.argv);
			return -1;
		}
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

bool words_take_last(int *argc, char **argv, const char *word)
{
	bool found = *argc && !strcmp(argv[*argc - 1], word);

	*argc -= found;
	return found;
}
