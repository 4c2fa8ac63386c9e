/* What names of one form share. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/kin.h"

/* A form is known by the first name that has it. */
struct kin_form {
	char *like;
	bool *differs; /* [bytes of like] set for the first byte of a word or number that differs */
	bool several;
};

enum { SIGN, LETTERS, DIGITS };

static int sort_of(char c)
{
	return isdigit((unsigned char)c) ? DIGITS : isalpha((unsigned char)c) || c & 0x80 ? LETTERS : SIGN;
}

/* Bytes of the word, number or sign at s; 0 at the end. */
static size_t part_len(const char *s)
{
	size_t n = *s != 0;

	while (n && sort_of(*s) != SIGN && s[n] && sort_of(s[n]) == sort_of(*s))
		n++;
	return n;
}

/* Is this a part of the same place in the form? Signs, ports and arrows belong to the form. */
static bool kin_alike(const char *a, const char *b)
{
	return sort_of(*a) == sort_of(*b) && (sort_of(*a) != SIGN || *a == *b);
}

static struct kin_form *form_of(const struct kin *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++) {
		const char *a = k->form[i].like, *b = name;

		while (*a && *b && kin_alike(a, b)) {
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

static unsigned kin_characters(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += (s[i] & 0xc0) != 0x80;
	return n;
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
	unsigned left = kin_characters(name, n);
	char *out; /* [n] of each byte: ' ' stays, 's' is shared, 'c' is cut */

	if (left <= w || !f || !f->several) {
		text_add(t, "%s", name);
		return;
	}
	out = NEW_ARRAY(n + 1, char);
	for (const char *a = f->like, *b = name; *b; a += part_len(a), b += part_len(b))
		memset(out + (b - name),
		       f->differs[a - f->like] || names_number(f, a) || stays(name, b) ? ' ' : 's',
		       part_len(b));
	while (left > w && (len = longest_run(out, n, &from)) > 1) {
		memset(out + from, 'c', len);
		left -= kin_characters(name + from, len) - 1;
		/* what there is room for stays of its begin */
		for (size_t part = part_len(name + from); left + kin_characters(name + from, part) <= w;
		     part = part_len(name + from)) {
			memset(out + from, ' ', part);
			left += kin_characters(name + from, part);
			from += part;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (out[i] != 'c')
			text_add(t, "%c", name[i]);
		else if (!i || out[i - 1] != 'c')
			text_add(t, "…");
	free(out);
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
