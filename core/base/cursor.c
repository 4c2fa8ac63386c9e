#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

int read_at_most(FILE *f, const char *name, size_t mib, char **data, size_t *size, struct err *e)
{
	size_t cap = 1 << 16, n = 0, got, most = mib << 20;
	struct stat st;
	/* a file that is too large by its size is not read at all */
	bool sized = !fstat(fileno(f), &st) && S_ISREG(st.st_mode);
	bool too_large = sized && (uint64_t)st.st_size > most;

	if (sized && !too_large && (size_t)st.st_size >= cap)
		cap = (size_t)st.st_size + 1;
	int rc = mem_room(e, cap, "reading %s", name);
	if (rc)
		return rc;
	char *buf = mem_alloc(cap);
	mem_in_large_pages(buf, cap);
	while (!rc && !too_large && (got = fread(buf + n, 1, cap - n, f)) > 0) {
		n += got;
		too_large = n > most;
		if (n < cap || too_large)
			continue;
		rc = mem_room(e, cap, "reading %s", name); /* in addition to the present buffer */
		if (!rc) {
			cap *= 2;
			buf = mem_resize(buf, cap, 1);
		}
	}
	if (too_large)
		rc = err_set(e, "%s: found more than %zu MiB, the most that is read", name, mib);
	else if (!rc && ferror(f))
		rc = errno == ENOMEM
			     ? err_system(e, name, errno)
			     : err_set_kind(e, ERR_IO, "%s: cannot be read: %s", name, strerror(errno));
	if (rc) {
		free(buf);
		return rc;
	}
	*data = buf;
	*size = n;
	return 0;
}

int read_path(const char *path, size_t mib, struct progress *p, char **data, size_t *size, struct err *e)
{
	FILE *f = infile_open(path, p);

	if (!f)
		return errno == ENOMEM
			       ? err_system(e, path, errno)
			       : err_set_kind(e, ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
	int rc = read_at_most(f, path, mib, data, size, e);
	fclose(f);
	return rc && progress_cancelled(p) ? err_set(e, CANCELLED) : rc;
}

int read_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e)
{
	return read_path(path, FILE_MIB, p, data, size, e);
}

int read_small_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e)
{
	return read_path(path, SMALL_FILE_MIB, p, data, size, e);
}

int read_text_line(FILE *f, const char *name, struct text *t, struct err *e)
{
	int c = 0;

	t->len = 0;
	while (c != '\n' && (c = getc(f)) != EOF) {
		if (t->len == LINE_BYTES_MOST && c != '\n')
			return err_set_kind(e, ERR_LIMIT, "%s: found a line of more than %zu bytes", name,
					    t->len);
		text_putc(t, (char)c);
	}
	if (c == EOF && ferror(f))
		return err_system(e, name, errno);
	return t->len > 0;
}

bool skip_text_line(FILE *f)
{
	int c = 0;

	for (size_t n = 0; n < SKIP_BYTES_MOST && c != '\n' && c != EOF; n++)
		c = getc(f);
	return c == '\n' || c == EOF;
}

#define LINES_A_LOOK 256

/* --- text ------------------------------------------------------------------- */

struct lines lines_of(const struct input *in)
{
	return (struct lines){in->data, in->data + in->size, 0, in->progress};
}

bool lines_next(struct lines *l, struct cursor *line)
{
	if (l->p >= l->end || (l->no % LINES_A_LOOK == 0 && progress_cancelled(l->progress)))
		return false;
	const char *nl = memchr(l->p, '\n', l->end - l->p);
	line->p = l->p;
	line->end = nl ? nl : l->end;
	l->p = nl ? nl + 1 : l->end;
	while (line->end > line->p && line->end[-1] == '\r')
		line->end--;
	l->no++;
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct cursor cur_text(const char *s)
{
	return (struct cursor){s, s ? s + strlen(s) : NULL};
}

struct cursor cur_trimmed(struct cursor c)
{
	cur_blanks(&c);
	while (!cur_empty(&c) && is_space(c.end[-1]))
		c.end--;
	return c;
}

bool cur_same(struct cursor a, struct cursor b)
{
	return cur_len(a) == cur_len(b) && (a.p == b.p || !memcmp(a.p, b.p, cur_len(a)));
}

bool cur_is(struct cursor c, const char *word)
{
	return cur_len(c) == strlen(word) && !strncasecmp(c.p, word, cur_len(c));
}

bool cur_begins(struct cursor c, const char *word)
{
	size_t n = strlen(word);

	return cur_len(c) >= n && !strncasecmp(c.p, word, n);
}

bool cur_says(struct cursor line)
{
	cur_blanks(&line);
	return !cur_empty(&line) && *line.p != '#';
}

void cur_blanks(struct cursor *c)
{
	while (c->p < c->end && is_space(*c->p))
		c->p++;
}

bool cur_char(struct cursor *c, char ch)
{
	struct cursor d = *c;

	cur_blanks(&d);
	if (cur_empty(&d) || *d.p != ch)
		return false;
	c->p = d.p + 1;
	return true;
}

bool cur_word(struct cursor *c, const char *word)
{
	struct cursor d = *c;
	size_t n = strlen(word);

	cur_blanks(&d);
	if ((size_t)(d.end - d.p) < n || memcmp(d.p, word, n))
		return false;
	c->p = d.p + n;
	return true;
}

bool cur_number(struct cursor *c, unsigned base, uint64_t *v)
{
	struct cursor d = *c;
	const char *first;

	assert(base == 0 || base == 10 || base == 16);
	cur_blanks(&d);
	if (base != 10 && d.end - d.p > 2 && d.p[0] == '0' && (d.p[1] == 'x' || d.p[1] == 'X') &&
	    number_digit(d.p[2]) < 16) {
		d.p += 2;
		base = 16;
	}
	base = base ? base : 10;
	*v = 0;
	for (first = d.p; d.p < d.end && number_digit(*d.p) < base; d.p++)
		if (__builtin_mul_overflow(*v, (uint64_t)base, v) ||
		    __builtin_add_overflow(*v, number_digit(*d.p), v))
			*v = UINT64_MAX / base + 1; /* stays too large */
	if (d.p == first)
		return false;
	c->p = d.p;
	return true;
}

bool cur_is_number(struct cursor c, unsigned base, uint64_t *v)
{
	uint64_t found;

	if (!cur_number(&c, base, &found) || !cur_empty(&c))
		return false;
	*v = found;
	return true;
}

bool cur_in_brackets(struct cursor *c, uint64_t *v)
{
	struct cursor d = *c;

	if (!cur_char(&d, '[') || !cur_number(&d, 10, v) || !cur_char(&d, ']'))
		return false;
	c->p = d.p;
	return true;
}

bool cur_quoted(struct cursor *c, struct cursor *inside)
{
	struct cursor d = *c;
	const char *end;

	if (!cur_char(&d, '"') || !(end = memchr(d.p, '"', d.end - d.p)))
		return false;
	*inside = (struct cursor){d.p, end};
	c->p = end + 1;
	return true;
}

const char *cur_find(const struct cursor *c, const char *text)
{
	return cur_empty(c) ? NULL : memmem(c->p, c->end - c->p, text, strlen(text));
}

bool cur_behind(struct cursor *c, const char *text)
{
	const char *at = cur_find(c, text);

	if (at)
		c->p = at + strlen(text);
	return at != NULL;
}

struct cursor cur_part(struct cursor *c, char between)
{
	const char *end = cur_empty(c) ? NULL : memchr(c->p, between, cur_len(*c));
	struct cursor part = {c->p, end ? end : c->end};

	c->p = end ? end + 1 : c->end;
	return part;
}

struct cursor cur_token(struct cursor *c)
{
	cur_blanks(c);
	struct cursor t = {c->p, c->p};
	while (t.end < c->end && *t.end != ' ' && *t.end != '\t' && *t.end != '\r')
		t.end++;
	c->p = t.end;
	return t;
}

const char *cur_find_last(const struct cursor *c, char ch)
{
	return cur_empty(c) ? NULL : memrchr(c->p, ch, c->end - c->p);
}

char *clean_text(const char *s, size_t len, size_t max)
{
	if (len > max)
		len = max;
	char *t = mem_alloc(len + 1);
	for (size_t i = 0; i < len; i++)
		t[i] = s[i] >= 0x20 && s[i] < 0x7f ? s[i] : ' ';
	return t;
}

char *cur_clean(struct cursor c, size_t max)
{
	return clean_text(c.p, cur_len(c), max);
}

const char *excerpt(struct cursor c, char *buf, size_t size)
{
	assert(size > 0);
	cur_blanks(&c);
	size_t n = c.end - c.p;
	for (size_t i = 0; i < n && i + 1 < size; i++)
		buf[i] = c.p[i] >= 0x20 && c.p[i] < 0x7f ? c.p[i] : ' ';
	buf[n < size ? n : size - 1] = 0;
	if (n >= size && size > 4)
		memcpy(buf + size - 4, "...", 4);
	return buf;
}

struct cursor cur_csv(struct cursor *row, char between)
{
	struct cursor field, behind;

	assert(row->p || !row->end); /* not behind the last field */
	while (!cur_empty(row) && *row->p == ' ')
		row->p++;
	bool quoted = !cur_empty(row) && *row->p == '"' && cur_quoted(row, &field);
	while (quoted && !cur_empty(row) && *row->p == '"' && cur_quoted(row, &(struct cursor){0}))
		field.end = row->p - 1; /* "" within: both quotes stay */
	behind = cur_part(row, between);
	if (behind.end == row->end)
		row->p = NULL;
	return quoted ? field : behind;
}
