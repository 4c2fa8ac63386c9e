#include "core/base/wordlist.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/builtin.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#define MOST_KEYS 8

struct wordlist {
	void *arena;
	const char *keys;
	struct wordlist_key {
		const char *name; /* not ended by NUL */
		size_t len;
		bool optional;
	} key[MOST_KEYS];
	size_t n_keys;
	const char **cell; /* [n], n_keys for each entry */
	size_t n, cap;
	const char *file;
	unsigned line, entry_line; /* from 1 */
	char *end;		   /* of the value that a line with a blank before it continues; NULL: none */
	bool lines;		   /* that value keeps its lines */
	struct err *e;
};

static struct wordlist wordlist_begin(void *arena, const char *keys, struct err *e)
{
	struct wordlist l = {.arena = arena, .keys = keys, .e = e};

	for (const char *k = keys; *k; k += strcspn(k, " "), k += *k == ' ') {
		assert(l.n_keys < MOST_KEYS);
		size_t len = strcspn(k, " ?");
		l.key[l.n_keys++] = (struct wordlist_key){k, len, k[len] == '?'};
	}
	return l;
}

static int wordlist_fail(const struct wordlist *l, unsigned line, const char *found, const char *expected)
{
	return err_set(l->e, "%s:%u: found %.*s, expected %s", l->file, line, (int)strcspn(found, "\n"),
		       found, expected);
}

/* Ends the last entry of a file: nothing may be missing in it. */
static int wordlist_end_entry(const struct wordlist *l)
{
	for (size_t k = 0; l->entry_line && k < l->n_keys; k++) {
		const char *value = l->cell[l->n - l->n_keys + k];

		if (value ? !*value : !l->key[k].optional) {
			AUTO_FREE char *expected =
				str_printf("a value of %.*s", (int)l->key[k].len, l->key[k].name);
			return wordlist_fail(l, l->entry_line, "an entry without it", expected);
		}
	}
	return 0;
}

static int wordlist_take_key(struct wordlist *l, char *line, size_t len)
{
	size_t colon = strcspn(line, ":\n"), k = 0;

	while (k < l->n_keys && (l->key[k].len != colon || memcmp(l->key[k].name, line, colon) != 0))
		k++;
	if (line[colon] != ':' || k == l->n_keys) {
		AUTO_FREE char *expected = str_printf("KEY: VALUE with one of the keys %s", l->keys);
		return wordlist_fail(l, l->line, line, expected);
	}
	if (!k) {
		if (wordlist_end_entry(l))
			return -1;
		for (size_t i = 0; i < l->n_keys; i++) {
			GROW(l->cell, l->n, l->cap);
			l->cell[l->n++] = NULL;
		}
		l->entry_line = l->line;
	}
	if (!l->entry_line || l->cell[l->n - l->n_keys + k])
		return wordlist_fail(l, l->line, line, "each key once, behind the first one of its entry");
	l->cell[l->n - l->n_keys + k] = line + colon + 1 + strspn(line + colon + 1, " ");
	l->end = line + len;
	l->lines = l->cell[l->n - l->n_keys + k] == l->end;
	*l->end = 0;
	return 0;
}

/* Moves a further line to the end of the value.  There is room: what stood between was as long or longer. */
static int wordlist_take_more(struct wordlist *l, char *line, size_t len)
{
	size_t blanks = l->lines ? 0 : strspn(line, " ");

	if (!l->end)
		return wordlist_fail(l, l->line, "a line that begins with a blank", "KEY: VALUE before it");
	if (!l->lines)
		*l->end++ = ' ';
	memmove(l->end, line + blanks, len - blanks);
	l->end += len - blanks;
	if (l->lines)
		*l->end++ = '\n';
	*l->end = 0;
	return 0;
}

static int wordlist_take_file(struct wordlist *l, const char *name, const char *data, size_t size)
{
	char *line = arena_array(l->arena, size + 1, 1), *next;

	memcpy(line, data, size);
	l->file = name;
	l->line = l->entry_line = 0;
	l->end = NULL;
	for (; *line; line = next) {
		size_t len = strcspn(line, "\n");
		int rc = 0;

		next = line + len + (line[len] == '\n');
		l->line++;
		if (*line == ' ')
			rc = wordlist_take_more(l, line, len);
		else if (len && *line != '#')
			rc = wordlist_take_key(l, line, len);
		if (rc)
			return rc;
	}
	return wordlist_end_entry(l);
}

/* The rows, with the empty one behind the last; NULL when reading failed. */
static void *wordlist_rows(struct wordlist *l, int rc)
{
	AUTO_FREE const char **cell = l->cell;
	const char **rows = rc ? NULL : ARENA_ARRAY(l->arena, l->n + l->n_keys, const char *);

	if (rows && l->n)
		memcpy(rows, cell, l->n * sizeof(*rows));
	return rows;
}

void *wordlist_parse(void *arena, const char *name, const char *data, size_t size, const char *keys,
		     struct err *e)
{
	struct wordlist l = wordlist_begin(arena, keys, e);

	return wordlist_rows(&l, wordlist_take_file(&l, name, data, size));
}

void *wordlist_read(void *arena, const char *ending, const char *keys, struct err *e)
{
	struct wordlist l = wordlist_begin(arena, keys, e);
	struct builtin b = {0};
	size_t len = strlen(ending);
	int rc = 0;

	while (!rc && builtin_next(&b))
		if (b.name_len > len && !memcmp(b.name + b.name_len - len, ending, len)) {
			AUTO_FREE char *name = str_printf("%.*s", (int)b.name_len, b.name);

			rc = wordlist_take_file(&l, name, b.data, b.size);
		}
	return wordlist_rows(&l, rc);
}
