/* Errors as values, and numbers read from words. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/progress.h"

const char *const err_kind_words[] = {"failed",	   "syntax",	"no_such_node", "no_such_port", "ambiguous",
				      "no_fabric", "no_engine", "input",	"io",		"limit",
				      "memory",	   "cancelled", "not_allowed",	"fault"};
static_assert(ARRAY_LEN(err_kind_words) == N_ERR_KINDS, "each kind has its word");

void err_format(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	e->kind = 0;
	va_end(ap);
}

int err_copy(struct err *e, const struct err *from)
{
	if (e)
		*e = *from;
	return -1;
}

void err_format_system(struct err *e, const char *name, int error)
{
	if (error == ENOMEM)
		err_format(e, OUT_OF_MEMORY "%s", name);
	else
		err_format(e, "%s: %s", name, strerror(error));
	err_default(e, ERR_IO);
}

void err_default(struct err *e, unsigned kind)
{
	if (e && !e->kind)
		e->kind = kind;
}

enum err_kind err_kind(const struct err *e)
{
	static const char cancelled[] = CANCELLED;
	size_t len = strlen(e->msg), end = sizeof(cancelled) - 1;

	if (err_is_memory(e))
		return ERR_MEMORY;
	if (len >= end && !strcmp(e->msg + len - end, cancelled))
		return ERR_CANCELLED;
	return (enum err_kind)e->kind;
}

bool err_is_memory(const struct err *e)
{
	return strstr(e->msg, OUT_OF_MEMORY) != NULL;
}

static bool in_base(const char *word, size_t len, unsigned base, uint64_t least, uint64_t most, uint64_t *n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		if (number_digit(word[i]) >= base || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, number_digit(word[i]), &v))
			return false;
	if (!len || v < least || v > most)
		return false;
	*n = v;
	return true;
}

bool number_of(const char *word, uint64_t least, uint64_t most, uint64_t *n)
{
	return in_base(word, strlen(word), 10, least, most, n);
}

bool number_of_part(const char *word, size_t len, uint64_t least, uint64_t most, uint64_t *n)
{
	return in_base(word, len, 10, least, most, n);
}

static bool begins_hex(const char *word)
{
	return word[0] == '0' && (word[1] | 0x20) == 'x';
}

bool number_of_any(const char *word, uint64_t least, uint64_t most, uint64_t *n)
{
	unsigned base = *word == '0' ? 8 : 10;

	if (begins_hex(word)) {
		base = 16;
		word += 2;
	}
	return in_base(word, strlen(word), base, least, most, n);
}

bool number_of_hex(const char *word, uint64_t *n)
{
	return begins_hex(word) && in_base(word + 2, strlen(word + 2), 16, 0, UINT64_MAX, n);
}

bool number_beyond(const char *word, uint64_t most)
{
	size_t len = strspn(word, "0123456789");
	uint64_t n;

	return len && !in_base(word, len, 10, 0, most, &n);
}

double round_step(double most, unsigned ticks)
{
	double least = fmax(most / ticks, 1), power = pow(10, floor(log10(least)));

	assert(ticks > 0);
	for (unsigned k = 0; k < 3; k++) {
		double step = power * (double[]){1, 2, 5}[k];

		if (step >= least)
			return step;
	}
	return 10 * power;
}
