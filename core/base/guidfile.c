#include "core/base/defs.h"
#include "core/base/guidfile.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of a piece, as with fgets() and a buffer of 256. */
#define PIECE 255

static bool is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *guidfile_skip_white(const char *p)
{
	while (is_white(*p))
		p++;
	return p;
}

/* Take one piece, NUL-terminated; false: it is invalid. */
static bool guidfile_read_piece(struct guid_file *g, const char *piece, unsigned line)
{
	const char *p = guidfile_skip_white(piece);
	char *end;
	uint64_t guid;

	if (!*p || *p == '#')
		return true;
	guid = strtoull(p, &end, 0);
	if (end == p || (*end && *end != '#' && !is_white(*end)))
		return false;
	p = guidfile_skip_white(end);
	GROW(g->l, g->n, g->cap);
	g->l[g->n].guid = guid;
	g->l[g->n].line = line;
	g->l[g->n].rest = str_dup(p);
	g->l[g->n].rest[strcspn(p, "\n")] = 0;
	g->n++;
	return true;
}

static void guidfile_stop(struct guid_file *g, const char *name, unsigned line, const char *piece)
{
	struct cursor c = {piece, piece + strcspn(piece, "\n")};
	char found[40];

	g->stopped = line;
	err_set(&g->why,
		"%s:%u: found '%s', expected a GUID in C notation (hexadecimal needs 0x) followed by white "
		"space, '#' or the end of the line; the rest of the file is not read",
		name, line, excerpt(c, found, sizeof(found)));
}

void guid_file_parse(struct guid_file *g, const char *name, const char *data, size_t size,
		     bool discard_invalid)
{
	char piece[PIECE + 1];
	unsigned line = 1;

	*g = (struct guid_file){0};
	for (size_t at = 0; at < size && !g->stopped;) {
		size_t left = size - at, n = MIN(left, PIECE);
		const char *nl = memchr(data + at, '\n', n);

		n = nl ? (size_t)(nl - (data + at)) + 1 : n;
		memcpy(piece, data + at, n);
		piece[n] = 0;
		at += n;
		if (!guidfile_read_piece(g, piece, line)) {
			if (!discard_invalid)
				guidfile_stop(g, name, line, piece);
			else if (!g->skipped++)
				g->first_skipped = line;
		}
		line += nl != NULL;
	}
}

void guid_file_read(struct guid_file *g, const char *path, bool discard_invalid, struct progress *p)
{
	struct err why;
	char *data;
	size_t size;

	if (*path == GUID_LIST_MARK) {
		data = str_dup(path + 1);
		size = strcspn(data, "\n");
		path += 1 + size + (path[1 + size] != '\0');
		data[size] = '\0';
		guid_file_parse(g, data, path, strlen(path), discard_invalid);
		free(data);
		return;
	}
	if (read_small_file(path, p, &data, &size, &why)) {
		*g = (struct guid_file){.stopped = UINT_MAX, .why = why};
		return;
	}
	guid_file_parse(g, path, data, size, discard_invalid);
	free(data);
}

void guid_file_free(struct guid_file *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->l[i].rest);
	free(g->l);
	*g = (struct guid_file){0};
}
