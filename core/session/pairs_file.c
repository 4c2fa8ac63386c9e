#include "core/base/number.h"
#include "core/session/pairs_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/session/reading.h"

#define SYNTAX "pair SRC DST [WEIGHT]" /* lines are read as commands, so a word comes first */

/* Does the line hold nothing but a comment? */
static bool is_empty(const char *text)
{
	text += strspn(text, " \t\r");
	return !*text || *text == '#';
}

static int take_weight(const char *word, uint32_t *weight, struct err *e)
{
	uint64_t v;

	if (!number_of(word, 1, PAIRS_WEIGHT_MOST, &v))
		return err_set(e, "found \"%.40s\", expected a weight, a whole number from 1 to %u", word,
			       PAIRS_WEIGHT_MOST);
	*weight = (uint32_t)v;
	return 0;
}

/* Takes the words of a line, which are freed or kept. */
static int pairs_file_take_words(struct pairs_file *p, int argc, char **argv, const char *rest, unsigned line,
				 struct err *e)
{
	uint32_t weight = 1;

	if (argc < 3 || argc > 4 || (rest && *rest))
		return err_set(e, "found %d words%s, expected A B [WEIGHT]", argc - 1,
			       rest && *rest ? " and ';'" : "");
	if (argc == 4 && take_weight(argv[3], &weight, e))
		return -1;
	GROW(p->pair, p->n, p->cap);
	p->pair[p->n++] = (struct pair_line){str_dup(argv[1]), str_dup(argv[2]), weight, line};
	return 0;
}

static int pairs_file_take_line(struct pairs_file *p, const struct fabric *f, struct cursor at, unsigned line,
				struct err *e)
{
	size_t len = (size_t)(at.end - at.p);
	const char *rest = NULL;
	char **argv = NULL, *text;
	int argc = 0, rc;

	if (memchr(at.p, 0, len))
		return err_set(e, "found a NUL byte, expected text");
	if (len > LINE_BYTES_MOST)
		return err_set_kind(e, ERR_LIMIT, "found a line of %zu bytes, expected at most %d", len,
				    LINE_BYTES_MOST);
	text = str_printf("pair %.*s", (int)len, at.p);
	rc = 0;
	if (!is_empty(text + 5)) {
		rc = command_read(f, SYNTAX, text, &rest, &argc, &argv, NULL, e);
		if (!rc) {
			rc = pairs_file_take_words(p, argc, argv, rest, line, e);
			words_free(argc, argv);
		}
	}
	free(text);
	return rc;
}

int pairs_parse(struct pairs_file *p, const struct fabric *f, const char *name, const char *data, size_t size,
		struct progress *pr, struct err *e)
{
	struct lines lines = {.p = data, .end = data + size, .progress = pr};
	struct cursor at;
	struct err why;
	uint64_t sum = 0;

	*p = (struct pairs_file){0};
	while (lines_next(&lines, &at)) {
		size_t had = p->n;

		if (pairs_file_take_line(p, f, at, lines.no, &why))
			return err_set(e, "%s:%u: %s", name, lines.no, why.msg);
		sum += p->n > had ? p->pair[had].weight : 0;
		if (sum > PAIRS_WEIGHT_MOST)
			return err_set(e,
				       "%s:%u: found weights that add up to %" PRIu64 ", expected at most %u",
				       name, lines.no, sum, PAIRS_WEIGHT_MOST);
	}
	return progress_cancelled(pr) ? err_set(e, CANCELLED) : 0;
}

int pairs_read(struct pairs_file *p, const struct fabric *f, const char *path, struct progress *pr,
	       struct err *e)
{
	char *data;
	size_t size;
	int rc;

	*p = (struct pairs_file){0};
	if (read_file(path, pr, &data, &size, e))
		return -1;
	rc = pairs_parse(p, f, path, data, size, pr, e);
	free(data);
	return rc;
}

void pairs_file_free(struct pairs_file *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->pair[i].src);
		free(p->pair[i].dst);
	}
	free(p->pair);
	*p = (struct pairs_file){0};
}
