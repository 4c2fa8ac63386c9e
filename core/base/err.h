/* Errors as values. */
#ifndef IBSCOPE_ERR_H
#define IBSCOPE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/defs.h"

/*
 * Why something failed, in words on which a person can act: file and line, what was found, what was expected.
 * Functions that take one return 0 or -1, and set it when they return -1.
 */
struct err {
	char msg[512];
	unsigned kind; /* enum err_kind (ask err_kind()); of the refusal of an engine enum refusal_kind */
};

/* What scripts tell failures apart by.  The words are a public interface (error_kind in JSON). */
enum err_kind {
	ERR_FAILED,    /* another reason */
	ERR_SYNTAX,    /* the words of the command are wrong: its caller must change */
	ERR_NO_NODE,   /* no node, port or host is named so */
	ERR_NO_PORT,   /* the node is there, such a port of it is not */
	ERR_AMBIGUOUS, /* several are */
	ERR_NO_FABRIC, /* none is loaded */
	ERR_NO_ENGINE, /* nothing is routed, or no engine routes this */
	ERR_INPUT,     /* a file was read and holds something else than it should */
	ERR_IO,	       /* a file, device or program cannot be opened, read, written or run */
	ERR_LIMIT,     /* more than this program takes */
	ERR_MEMORY,
	ERR_CANCELLED,	 /* by a person, or at a deadline */
	ERR_NOT_ALLOWED, /* --read-only */
	ERR_FAULT,	 /* what it was to check is wrong */
	N_ERR_KINDS
};
extern const char *const err_kind_words[];
enum err_kind err_kind(const struct err *e);
/* The kind of an error that was given none. */
void err_default(struct err *e, unsigned kind);

/* Set *e; NULL is fine. */
void err_format(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Make *e (NULL is fine) the same error as another; -1. */
int err_copy(struct err *e, const struct err *from);

/* Why a system call failed on NAME, into *e: "NAME: No such file or directory".  ENOMEM: memory is out. */
void err_format_system(struct err *e, const char *name, int error);

/*
 * Was there too little memory? Then no other way is tried.  The message
 * itself tells, so the answer is the same when other text stands before it.
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
/* A word of a command that is none of those expected. */
#define err_word(e, ...) err_set_kind(e, ERR_SYNTAX, __VA_ARGS__)
#define err_system(...) (err_format_system(__VA_ARGS__), err_failed())

/* Numbers: those written in words of commands, and round ones for axes. */

/* The value of a digit, up to f; 99: it is none. */
static inline unsigned number_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

/*
 * A whole number from `least` to `most`, written in digits alone: no sign, no blank, nothing behind it.
 * False (*n stays): it is no such number, or it is out of the range or of 64 bits.
 */
bool number_of(const char *word, uint64_t least, uint64_t most, uint64_t *n);
/* The same of the first len bytes. */
bool number_of_part(const char *word, size_t len, uint64_t least, uint64_t most, uint64_t *n);
/* The same for numbers as C writes them: "0x1f" and "017" too. */
bool number_of_any(const char *word, uint64_t least, uint64_t most, uint64_t *n);
/* The same in hexadecimal digits; "0x" must stand before them. */
bool number_of_hex(const char *word, uint64_t *n);
/* Does it begin with a number in digits that is larger than that? Then it is a limit that refuses it. */
bool number_beyond(const char *word, uint64_t most);

/* The step of about `ticks` round numbers up to `most`: 1, 2 or 5 times a power of ten, at least 1. */
double round_step(double most, unsigned ticks);

#endif
