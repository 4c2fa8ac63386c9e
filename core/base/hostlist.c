/* Names of hosts: bracketed lists, and what names of one form share. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/base/text.h"

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
		const char *close = strchr(*p, ']');
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

/* What names of one form share. */

/* A form is known by the first name that has it. */
struct kin_form {
	char *like;
	bool *differs; /* [bytes of like] set for the first byte of a word or number that differs */
	bool several;
};

enum { SIGN, LETTERS, DIGITS };

static int sort_of(char c)
{
	if (isdigit((unsigned char)c))
		return DIGITS;
	return isalpha((unsigned char)c) || c & 0x80 ? LETTERS : SIGN;
}

/* Bytes of the word, number or sign at s; 0 at the end. */
static size_t part_len(const char *s)
{
	size_t n = *s != 0;

	while (n && sort_of(*s) != SIGN && s[n] && sort_of(s[n]) == sort_of(*s))
		n++;
	return n;
}

static struct kin_form *form_of(const struct kin *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++) {
		const char *a = k->form[i].like, *b = name;

		/* parts of the same place in the form: signs, ports and arrows belong to it */
		while (*a && *b && sort_of(*a) == sort_of(*b) && (sort_of(*a) != SIGN || *a == *b)) {
			a += part_len(a);
			b += part_len(b);
		}
		if (!*a && !*b)
			return &k->form[i];
	}
	return NULL;
}

void kin_note(struct kin *k, const char *name)
{
	struct kin_form *f = form_of(k, name);
	const char *a, *b;

	if (!f && k->n < KIN_FORMS) {
		GROW(k->form, k->n, k->cap);
		f = &k->form[k->n++];
		*f = (struct kin_form){.like = str_dup(name), .differs = NEW_ARRAY(strlen(name) + 1, bool)};
	}
	if (!f)
		return;
	for (a = f->like, b = name; *a; a += part_len(a), b += part_len(b))
		if (part_len(a) != part_len(b) || memcmp(a, b, part_len(a)) != 0)
			f->several = f->differs[a - f->like] = true;
}

/* Does a part stay: a port in brackets, or an arrow with its blanks? */
static bool stays(const char *name, const char *at)
{
	static const char *const arrows[] = {" → ", " -> "};

	for (size_t i = 0; i < ARRAY_LEN(arrows); i++)
		for (size_t back = 0; back < strlen(arrows[i]) && back <= (size_t)(at - name); back++)
			if (!strncmp(at - back, arrows[i], strlen(arrows[i])))
				return true;
	return *at == '[' || *at == ']' || (at > name && at[-1] == '[');
}

/* A letter before a number that stays, as in "L16", stays with it. */
static bool names_number(const struct kin_form *f, const char *a)
{
	return sort_of(*a) == LETTERS && part_len(a) == 1 && a[1] && sort_of(a[1]) == DIGITS &&
	       f->differs[a + 1 - f->like];
}

/* Finds the longest run of bytes that are left out and not yet cut. 0: there is none. */
static size_t longest_run(const char *out, size_t n, size_t *from)
{
	size_t most = 0;

	for (size_t i = 0, len; i < n; i += len) {
		char what = out[i];

		for (len = 1; i + len < n && out[i + len] == what; len++)
			;
		if (what == 's' && len > most) {
			most = len;
			*from = i;
		}
	}
	return most;
}

void kin_cut(const struct kin *k, const char *name, unsigned w, struct text *t)
{
	const struct kin_form *f = form_of(k, name);
	size_t n = strlen(name), from = 0, len;
	unsigned left = text_characters(name, n);

	if (left <= w || !f || !f->several) {
		text_add(t, "%s", name);
		return;
	}
	/* [n] of each byte: ' ' stays, 's' is shared, 'c' is cut */
	AUTO_FREE char *out = NEW_ARRAY(n + 1, char);
	for (const char *a = f->like, *b = name; *b; a += part_len(a), b += part_len(b))
		memset(out + (b - name),
		       f->differs[a - f->like] || names_number(f, a) || stays(name, b) ? ' ' : 's',
		       part_len(b));
	while (left > w && (len = longest_run(out, n, &from)) > 1) {
		memset(out + from, 'c', len);
		left -= text_characters(name + from, len) - 1;
		/* what there is room for stays of its begin */
		for (size_t part = part_len(name + from); left + text_characters(name + from, part) <= w;
		     part = part_len(name + from)) {
			memset(out + from, ' ', part);
			left += text_characters(name + from, part);
			from += part;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (out[i] != 'c')
			text_add(t, "%c", name[i]);
		else if (!i || out[i - 1] != 'c')
			text_add(t, "…");
}

void kin_free(struct kin *k)
{
	while (k->n) {
		free(k->form[--k->n].like);
		free(k->form[k->n].differs);
	}
	free(k->form);
	*k = (struct kin){0};
}
