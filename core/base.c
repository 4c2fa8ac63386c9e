#include "core/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void err_format(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
}

void *mem_alloc(size_t size)
{
	return mem_array(1, size);
}

void *mem_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n ? n : 1, size ? size : 1);

	if (!q)
		abort();
	return q;
}

void *mem_dup(const void *p, size_t size)
{
	void *q = mem_alloc(size);

	if (size)
		memcpy(q, p, size);
	return q;
}

char *str_dup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}

char *str_printf(const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	va_end(ap);
	return s;
}

static void text_room(struct text *t, size_t more)
{
	size_t need = t->len + more + 1;

	if (need <= t->cap)
		return;
	t->cap = need < 2 * t->cap ? 2 * t->cap : need + 64;
	t->s = mem_resize(t->s, t->cap, 1);
}

void text_addv(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	text_room(t, n);
	vsnprintf(t->s + t->len, n + 1, fmt, ap);
	t->len += n;
}

void text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_addv(t, fmt, ap);
	va_end(ap);
}

void text_putc(struct text *t, char c)
{
	text_room(t, 1);
	t->s[t->len++] = c;
	t->s[t->len] = 0;
}

const char *text_str(const struct text *t)
{
	return t->s ? t->s : "";
}

void text_free(struct text *t)
{
	free(t->s);
	*t = (struct text){0};
}

void progress_start(struct progress *p, const char *what, unsigned total)
{
	if (!p)
		return;
	atomic_store(&p->done, 0);
	atomic_store(&p->total, total);
	atomic_store(&p->what, what);
}

bool progress_step(struct progress *p, unsigned done)
{
	if (!p)
		return true;
	atomic_store_explicit(&p->done, done, memory_order_relaxed);
	return !atomic_load_explicit(&p->cancel, memory_order_relaxed);
}

double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* splitmix64: S. Vigna's public-domain generator. */
uint64_t rng_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t rng_below(uint64_t *state, uint32_t n)
{
	/* multiply-shift; the bias of 2^-32 does not matter for choosing things */
	return (uint32_t)(((rng_next(state) >> 32) * n) >> 32);
}

/* Matches one bracket expression at p (behind '['); returns behind ']' or NULL when there is no end. */
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
