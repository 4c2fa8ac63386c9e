#include "core/base/glob.h"
#include "core/base/defs.h"

#include <ctype.h>

/* Matches one bracket expression at p (after '['). Returns the place after ']', or NULL if there is none. */
static const char *glob_class(const char *p, char c, bool *hit)
{
	bool invert = *p == '!' || *p == '^';

	*hit = false;
	p += invert;
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		char lo = tolower((unsigned char)*p), hi = lo;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = tolower((unsigned char)p[2]);
			p += 2;
		}
		if (lo <= c && c <= hi)
			*hit = true;
	}
	if (!*p)
		return NULL;
	*hit ^= invert;
	return p + 1;
}

bool glob_match(const char *pattern, const char *s)
{
	const char *star = NULL, *resume = NULL;

	for (;;) {
		char c = tolower((unsigned char)*s);
		bool hit = false;
		const char *next = pattern + 1;

		if (*pattern == '*') {
			star = pattern++;
			resume = s;
			continue;
		}
		if (!*s && !*pattern)
			return true;
		if (*s && *pattern == '?') {
			hit = true;
		} else if (*s && *pattern == '[' && (next = glob_class(pattern + 1, c, &hit))) {
			;
		} else {
			next = pattern + 1;
			hit = *s && tolower((unsigned char)*pattern) == c;
		}
		if (hit) {
			pattern = next;
			s++;
		} else if (star && *resume) {
			pattern = star + 1;
			s = ++resume;
		} else {
			return false;
		}
	}
}
