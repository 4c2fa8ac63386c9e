/* The beginning and end that all names of a column share. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/base/affix.h"

#define WORTH 4 /* bytes; a shorter common part is not left out */

size_t affix_name_len(const char *cell)
{
	size_t len = strlen(cell), n = len;

	if (!len || cell[len - 1] != ']')
		return len;
	for (n--; n && isdigit((unsigned char)cell[n - 1]); n--)
		;
	return n > 1 && n + 1 < len && cell[n - 1] == '[' ? n - 1 : len;
}

/* The arrow between the names of a pair, or NULL. */
static const char *arrow_in(const char *cell, size_t *len)
{
	const char *at = strstr(cell, " → ");

	*len = at ? strlen(" → ") : strlen(" -> ");
	return at ? at : strstr(cell, " -> ");
}

/* Several pairs, or a chain of names: nothing is left out of them. */
static bool is_chain(const char *cell)
{
	size_t len;
	const char *at = arrow_in(cell, &len);

	return at && (strstr(cell, ", ") || arrow_in(at + len, &len));
}

/* The first name of a pair, to be freed. NULL: the cell is no pair. *second: the other name. */
static char *first_of_pair(const char *cell, const char **second)
{
	size_t len;
	const char *at = is_chain(cell) ? NULL : arrow_in(cell, &len);

	if (!at)
		return NULL;
	*second = at + len;
	return str_printf("%.*s", (int)(at - cell), cell);
}

void affix_note(struct affix *a, const char *cell, int columns)
{
	size_t len = affix_name_len(cell), n;
	const char *second;
	char *first = first_of_pair(cell, &second);

	if (columns > a->widest)
		a->widest = columns;
	if (first) {
		affix_note(a, first, 0);
		affix_note(a, second, 0);
		free(first);
		return;
	}
	if (!len || !strcmp(cell, "-") || is_chain(cell))
		return;
	if (!a->like) {
		a->like = mem_dup(cell, len + 1);
		a->like[len] = 0;
		a->len = a->least = a->pre = a->suf = len;
		return;
	}
	a->several |= len != a->len || (len && memcmp(cell, a->like, len) != 0);
	a->least = MIN(len, a->least);
	for (n = 0; n < a->pre && n < len && cell[n] == a->like[n]; n++)
		;
	a->pre = n;
	for (n = 0; n < a->suf && n < len && cell[len - 1 - n] == a->like[a->len - 1 - n]; n++)
		;
	a->suf = n;
}

static bool is_separator(char c)
{
	return c && strchr(";:/-_ ", c);
}

void affix_get(const struct affix *a, size_t *pre, size_t *suf)
{
	const char *s = a->like;
	size_t p = a->pre, n;

	*pre = *suf = 0;
	if (!a->several)
		return;
	p = p < a->least ? p : a->least - 1;
	while (p && !is_separator(s[p - 1]) &&
	       !(isdigit((unsigned char)s[p]) && isalpha((unsigned char)s[p - 1])))
		p--;
	n = a->suf < a->least - p ? a->suf : a->least - p - 1;
	while (n && !is_separator(s[a->len - n]))
		n--;
	if (p + n < WORTH)
		return;
	*pre = p;
	*suf = n;
}

void affix_most(const struct affix *a, size_t *pre, size_t *suf)
{
	size_t p = a->pre, n;

	*pre = *suf = 0;
	if (!a->several)
		return;
	p = p < a->least ? p : a->least - 1;
	while (p && ((unsigned char)a->like[p] & 0xc0) == 0x80)
		p--;
	n = a->suf < a->least - p ? a->suf : a->least - p - 1;
	while (n && ((unsigned char)a->like[a->len - n] & 0xc0) == 0x80)
		n--;
	*pre = p;
	*suf = n;
}

void affix_strip(const struct affix *a, size_t pre, size_t suf, const char *cell, struct text *t)
{
	size_t len = affix_name_len(cell);
	const char *second;
	char *first = first_of_pair(cell, &second);

	if (first) {
		affix_strip(a, pre, suf, first, t);
		text_add(t, "%.*s", (int)(second - cell) - (int)strlen(first), cell + strlen(first));
		affix_strip(a, pre, suf, second, t);
		free(first);
		return;
	}
	if (pre + suf >= len || is_chain(cell) || (pre && memcmp(cell, a->like, pre) != 0) ||
	    (suf && memcmp(cell + len - suf, a->like + a->len - suf, suf) != 0))
		text_add(t, "%s", cell);
	else
		text_add(t, "%.*s%s", (int)(len - suf - pre), cell + pre, cell + len);
}

void affix_free(struct affix *a)
{
	free(a->like);
	*a = (struct affix){0};
}
