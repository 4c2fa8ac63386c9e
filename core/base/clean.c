#include "core/base/clean.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/memory.h"

#define UTF8_MOST 4 /* bytes of a character */

/* Length of the character that byte b begins; 0: none.  *least: the smallest code that needs this length. */
static unsigned utf8_length(unsigned char b, uint32_t *least)
{
	static const struct {
		unsigned char below, length;
		uint32_t least;
	} begins[] = {{0x80, 1, 0}, {0xc2, 0, 0}, {0xe0, 2, 0x80}, {0xf0, 3, 0x800}, {0xf5, 4, 0x10000}};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (b < begins[i].below) {
			*least = begins[i].least;
			return begins[i].length;
		}
	return 0;
}

int utf8_decode(const char *s, size_t len, uint32_t *c)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t least, v;

	assert(len > 0);
	unsigned n = utf8_length(u[0], &least);
	*c = u[0];
	if (n < 2)
		return (int)n;
	v = u[0] & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if (i == len)
			return -1;
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (u[i] & 0x3fu);
	}
	if (v < least || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*c = v;
	return (int)n;
}

/* Unicode's general categories Cc, Zl and Zp, and those characters of Cf that leave no mark. */
static bool is_shown(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} hidden[] = {
		{0x7f, 0x9f},	  {0xad, 0xad},	    {0x61c, 0x61c},	{0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},	{0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f},
	};

	if (c < 0x7f)
		return c >= 0x20 || c == '\n' || c == '\t';
	for (size_t i = 0; i < ARRAY_LEN(hidden) && c >= hidden[i].from; i++)
		if (c <= hidden[i].to)
			return false;
	return true;
}

/* Number of bytes at the beginning of s that are clean. */
static size_t clean_length(const char *s, size_t len)
{
	size_t at = 0;
	uint32_t c;
	int n;

	for (;;) {
		while (at < len && s[at] >= ' ' && s[at] < 0x7f) /* nearly all characters */
			at++;
		if (at == len || (n = utf8_decode(s + at, len - at, &c)) <= 0 || !is_shown(c))
			return at;
		at += (size_t)n;
	}
}

bool is_clean(const char *s, size_t len)
{
	return clean_length(s, len) == len;
}

static void add_bytes(struct text *t, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text_putc(t, s[i]);
}

static void spell(struct text *t, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text_add(t, "\\x%02x", (unsigned char)s[i]);
}

/* Add s to t. Returns the bytes taken: all, except an incomplete last character. */
static size_t add_whole(struct text *t, const char *s, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t good = clean_length(s + at, len - at);
		uint32_t c;

		add_bytes(t, s + at, good);
		at += good;
		if (at == len)
			break;
		int n = utf8_decode(s + at, len - at, &c);
		if (n < 0)
			break;
		n = n ? n : 1;
		spell(t, s + at, (size_t)n);
		at += (size_t)n;
	}
	return at;
}

void clean_add(struct text *t, const char *s, size_t len)
{
	size_t at = add_whole(t, s, len);

	spell(t, s + at, len - at);
}

void clean_rest(struct text *t, size_t from)
{
	AUTO_TEXT struct text raw = {0};

	if (t->len <= from || is_clean(t->s + from, t->len - from))
		return;
	add_bytes(&raw, t->s + from, t->len - from);
	t->len = from;
	clean_add(t, raw.s, raw.len);
}

void clean_line(struct text *t, const char *s)
{
	for (const char *end; *s; s = end) {
		end = s + strcspn(s, "\n");
		clean_add(t, s, (size_t)(end - s));
		if (*end)
			spell(t, end++, 1);
	}
}

const char *clean_string(const char *s, struct text *t)
{
	size_t len = strlen(s);

	text_free(t);
	if (is_clean(s, len))
		return s;
	clean_add(t, s, len);
	return text_str(t);
}

/* --- streams ------------------------------------------------------------------------- */

struct cleaner {
	int fd;
	uint32_t (*in_ascii)(uint32_t c); /* NULL: characters stay */
	char part[UTF8_MOST];		  /* an incomplete character */
	size_t n_part;
};

/* 0: all was written; otherwise -1 and errno. */
static int write_all(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

static int clean_write_text(const struct cleaner *c, struct text *t)
{
	AUTO_TEXT struct text drawn = {0};
	int rc, n;
	uint32_t ch;

	for (size_t i = 0; c->in_ascii && i < t->len; i += (size_t)n) {
		n = utf8_decode(t->s + i, t->len - i, &ch);
		n = n > 0 ? n : 1;
		ch = n > 1 ? c->in_ascii(ch) : '?';
		if (ch == '?')
			add_bytes(&drawn, t->s + i, (size_t)n);
		else
			text_putc(&drawn, (char)ch);
	}
	rc = c->in_ascii ? write_all(c->fd, text_str(&drawn), drawn.len)
			 : write_all(c->fd, text_str(t), t->len);
	text_free(t);
	return rc;
}

/* As cookie_write_function_t: bytes taken, 0 for an error. */
static ssize_t stream_write(void *cookie, const char *s, size_t len)
{
	struct cleaner *c = cookie;
	AUTO_TEXT struct text in = {0}, out = {0};

	if (!c->n_part && !c->in_ascii && is_clean(s, len))
		return write_all(c->fd, s, len) ? 0 : (ssize_t)len;
	add_bytes(&in, c->part, c->n_part);
	add_bytes(&in, s, len);
	size_t taken = add_whole(&out, text_str(&in), in.len);
	c->n_part = in.len - taken;
	memcpy(c->part, text_str(&in) + taken, c->n_part);
	return clean_write_text(c, &out) ? 0 : (ssize_t)len;
}

static int stream_close(void *cookie)
{
	struct cleaner *c = cookie;
	struct text out = {0};

	spell(&out, c->part, c->n_part);
	int rc = clean_write_text(c, &out);
	free(c);
	return rc;
}

FILE *clean_stream(int fd, uint32_t (*in_ascii)(uint32_t c))
{
	static const cookie_io_functions_t io = {.write = stream_write, .close = stream_close};
	struct cleaner *c = NEW(struct cleaner);
	FILE *f = fopencookie(c, "w", io);

	if (!f)
		mem_exhausted(BUFSIZ);
	c->in_ascii = in_ascii;
	c->fd = fd;
	if (isatty(fd))
		setvbuf(f, NULL, _IOLBF, BUFSIZ);
	return f;
}
