/* Notes and their kinds. */
#include "core/sm/notes.h"

#include <stdarg.h>
#include <stdlib.h>

#include "core/base/memory.h"

static void notes_mark(struct notes *n, size_t at, unsigned kinds)
{
	n->mark = mem_resize(n->mark, n->n_marks + 1, sizeof(*n->mark));
	n->mark[n->n_marks++] = (struct note_mark){at, kinds};
}

void note_add(struct notes *n, unsigned kinds, const char *fmt, ...)
{
	va_list ap;

	if (kinds)
		notes_mark(n, n->text.len, kinds);
	va_start(ap, fmt);
	text_addv(&n->text, fmt, ap);
	va_end(ap);
}

void notes_take(struct notes *n, struct notes *from)
{
	for (size_t i = 0; i < from->n_marks; i++)
		notes_mark(n, n->text.len + from->mark[i].at, from->mark[i].kinds);
	text_add(&n->text, "%s", text_str(&from->text));
	notes_free(from);
}

unsigned notes_kinds(const struct note_mark *mark, size_t n_marks, size_t from, size_t to)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < n_marks; i++)
		if (mark[i].at >= from && mark[i].at < to)
			kinds |= mark[i].kinds;
	return kinds;
}

void notes_free(struct notes *n)
{
	text_free(&n->text);
	free(n->mark);
	*n = (struct notes){0};
}
