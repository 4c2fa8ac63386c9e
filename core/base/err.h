/* Errors as values. */
#ifndef IBSCOPE_ERR_H
#define IBSCOPE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/defs.h"

/*
 * Why something failed, in words that a person can act on: file and line, what was found, what was expected.
 * Functions that take one return 0 or -1, and set it when they return -1.
 */
struct err {
	char msg[512];
	unsigned kind; /* enum err_kind (use err_kind()); enum refusal_kind when an engine refused */
};

/* The kinds by which scripts tell failures apart.  The words are a public interface (error_kind in JSON). */
enum err_kind {
	ERR_FAILED,    /* any other reason */
	ERR_SYNTAX,    /* the words of the command are wrong: the caller must change them */
	ERR_NO_NODE,   /* no node, port or host has this name */
	ERR_NO_PORT,   /* the node exists, but not this port of it */
	ERR_AMBIGUOUS, /* several nodes have this name */
	ERR_NO_FABRIC, /* no fabric is loaded */
	ERR_NO_ENGINE, /* nothing is routed, or no engine routes this */
	ERR_INPUT,     /* a file was read, but its content is not what was expected */
	ERR_IO,	       /* a file, device or program cannot be opened, read, written or run */
	ERR_LIMIT,     /* more than this program accepts */
	ERR_MEMORY,
	ERR_CANCELLED,	 /* by a person, or at a deadline */
	ERR_NOT_ALLOWED, /* --read-only */
	ERR_FAULT,	 /* the check found a fault */
	N_ERR_KINDS
};
extern const char *const err_kind_words[];
enum err_kind err_kind(const struct err *e);
/* Gives an error a kind if it has none yet. */
void err_default(struct err *e, unsigned kind);

/* Set *e; NULL is fine. */
void err_format(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Make *e (NULL is fine) the same error as another; -1. */
int err_copy(struct err *e, const struct err *from);

/* Sets *e to the reason why a system call failed on NAME: "NAME: No such file or directory".  ENOMEM says
 * that memory is out. */
void err_format_system(struct err *e, const char *name, int error);

/*
 * Is the error a lack of memory? Then nothing else is tried.  The answer depends on the message, so it stays
 * true when other text is put before it.
 */
#define OUT_OF_MEMORY "out of memory: "
bool err_is_memory(const struct err *e);

static inline int err_failed(void)
{
	return -1;
}

/* Set *e; the value is -1, so `return err_set(e, ...)` reads well.  A macro, so that analysers see the -1. */
#define err_set(...) (err_format(__VA_ARGS__), err_failed())
/* The same with a kind. */
#define err_set_kind(e, number, ...) (err_format(e, __VA_ARGS__), err_default(e, number), err_failed())
/* A word of a command that is not one of the expected ones. */
#define err_word(e, ...) err_set_kind(e, ERR_SYNTAX, __VA_ARGS__)
#define err_system(...) (err_format_system(__VA_ARGS__), err_failed())

/* Numbers: those written in words of commands, and round ones for axes. */

/* The value of a hexadecimal digit, or 99 when c is not a digit. */
static inline unsigned number_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

/*
 * Reads a whole number from `least` to `most`, written in digits alone: no sign, no blank, nothing after it.
 * Returns false and leaves *n when the word is not such a number, is out of range or exceeds 64 bits.
 */
bool number_of(const char *word, uint64_t least, uint64_t most, uint64_t *n);
/* The same for the first len bytes. */
bool number_of_part(const char *word, size_t len, uint64_t least, uint64_t most, uint64_t *n);
/* The same for numbers as C writes them: "0x1f" and "017" too. */
bool number_of_any(const char *word, uint64_t least, uint64_t most, uint64_t *n);
/* The same for hexadecimal digits after "0x", which is required. */
bool number_of_hex(const char *word, uint64_t *n);
/* Does the word begin with a decimal number above `most`? Then a limit is the reason to refuse it. */
bool number_beyond(const char *word, uint64_t most);

/* The step of about `ticks` round numbers up to `most`: 1, 2 or 5 times a power of ten, at least 1. */
double round_step(double most, unsigned ticks);

#endif
