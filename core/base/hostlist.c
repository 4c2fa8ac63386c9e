#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 18 /* of a number: they fit 64 bits */
/* The beginning of a list, for messages: it may have thousands of bytes. */
#define BEGINNING "\"%.60s%s\""
#define BEGINNING_OF(text) text, strlen(text) > 60 ? "..." : ""

void hostlist_free(struct hostlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->name[i]);
	free(l->name);
	*l = (struct hostlist){0};
}

/* A number with its written width. Returns the text after it, or NULL. */
static const char *hostlist_read_number(const char *p, const char *end, uint64_t *n, int *width)
{
	const char *from = p;

	for (*n = 0; p < end && isdigit((unsigned char)*p) && p - from < MOST_DIGITS; p++)
		*n = 10 * *n + (uint64_t)(*p - '0');
	*width = (int)(p - from);
	return p == from ? NULL : p;
}

/* "7" or "1-4", and a comma after it. Returns the text after that, or NULL. */
static const char *read_range(const char *p, const char *end, uint64_t *lo, uint64_t *hi, int *width)
{
	int w;

	p = hostlist_read_number(p, end, lo, width);
	*hi = *lo;
	if (p && p < end && *p == '-')
		p = hostlist_read_number(p + 1, end, hi, &w);
	if (!p || *hi < *lo || (p < end && (*p != ',' || p + 1 == end)))
		return NULL;
	return p + (p < end);
}

int number_set(const char *text, size_t len, unsigned char *set, unsigned most)
{
	const char *end = text + len;
	uint64_t lo, hi;
	int width;

	memset(set, 0, most + 1);
	for (const char *p = text; p == text || p < end;) {
		p = read_range(p, end, &lo, &hi, &width);
		if (!p || hi > most)
			return -1;
		memset(set + lo, 1, hi - lo + 1);
	}
	return 0;
}

static int hostlist_add(struct hostlist *l, const char *text, char *name, struct err *e)
{
	if (l->n == HOSTLIST_MOST) {
		free(name);
		return err_set_kind(e, ERR_LIMIT, BEGINNING " stands for more than %d names",
				    BEGINNING_OF(text), HOSTLIST_MOST);
	}
	GROW(l->name, l->n, l->cap);
	l->name[l->n++] = name;
	return 0;
}

/* Replaces the names in l: each is repeated with every number of the brackets [open, close). */
static int multiply(struct hostlist *l, const char *text, const char *open, const char *close, struct err *e)
{
	struct hostlist out = {0};
	int rc = open + 1 < close ? 0 : -1;

	for (size_t i = 0; !rc && i < l->n; i++)
		for (const char *p = open + 1; !rc && p && p < close;) {
			uint64_t lo, hi;
			int width;

			p = read_range(p, close, &lo, &hi, &width);
			if (!p) {
				rc = -1;
				break;
			}
			for (uint64_t n = lo; !rc && n <= hi; n++)
				rc = hostlist_add(&out, text,
						  str_printf("%s%0*" PRIu64, l->name[i], width, n), e)
					     ? -2
					     : 0;
		}
	if (rc == -1)
		err_word(e, BEGINNING ": found \"%.*s\", expected numbers and ranges as in [1-4,7]",
			 BEGINNING_OF(text), close - open < 60 ? (int)(close - open + 1) : 60, open);
	hostlist_free(l);
	*l = out;
	return rc ? -1 : 0;
}

static void hostlist_append(struct hostlist *l, const char *s, size_t len)
{
	for (size_t i = 0; len && i < l->n; i++) {
		char *joined = str_printf("%s%.*s", l->name[i], (int)len, s);

		free(l->name[i]);
		l->name[i] = joined;
	}
}

/* Reads one list, up to a comma outside of brackets or the end. *p moves there. */
static int read_one(const char **p, const char *text, struct hostlist *l, struct err *e)
{
	struct hostlist one = {0};
	int rc = hostlist_add(&one, text, str_dup(""), e);
	unsigned parts = 0;
	size_t bytes = 0;

	while (!rc && **p && **p != ',') {
		size_t plain = strcspn(*p, "[,");
		const char *close;

		bytes += plain;
		parts++;
		if (bytes > HOSTLIST_BYTES || parts > HOSTLIST_PARTS) {
			rc = err_set_kind(e, ERR_LIMIT,
					  BEGINNING ": found a name of more than %d bytes or %d parts",
					  BEGINNING_OF(text), HOSTLIST_BYTES, HOSTLIST_PARTS);
			break;
		}
		hostlist_append(&one, *p, plain);
		*p += plain;
		if (**p != '[')
			continue;
		close = strchr(*p, ']');
		if (!close)
			rc = err_word(e, BEGINNING ": found no ] behind [", BEGINNING_OF(text));
		else
			rc = multiply(&one, text, *p, close, e);
		*p = close ? close + 1 : *p;
	}
	for (size_t i = 0; !rc && i < one.n; i++)
		if (*one.name[i])
			rc = hostlist_add(l, text, str_dup(one.name[i]), e);
	hostlist_free(&one);
	return rc;
}

int hostlist_read(const char *text, struct hostlist *l, struct err *e)
{
	const char *p = text;
	int rc = 0;

	*l = (struct hostlist){0};
	do
		rc = read_one(&p, text, l, e);
	while (!rc && *p++ == ',');
	if (rc)
		hostlist_free(l);
	return rc;
}
