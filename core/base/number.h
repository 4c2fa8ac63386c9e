/* Numbers: those that words are, and round ones for axes. */
#ifndef IBSCOPE_NUMBER_H
#define IBSCOPE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A whole number from `least` to `most`, written in digits alone: no sign, no blank, nothing behind it.
 * False, and *n stays: it is none, or it is out of the range (also where 64 bits do not hold it).
 */
bool number_of(const char *word, uint64_t least, uint64_t most, uint64_t *n);
/* The same of the first len bytes. */
bool number_of_part(const char *word, size_t len, uint64_t least, uint64_t most, uint64_t *n);
/* The same, as C writes numbers: "0x1f" and "017" too. */
bool number_of_any(const char *word, uint64_t least, uint64_t most, uint64_t *n);
/* The same in hexadecimal digits behind "0x", which must be there. */
bool number_of_hex(const char *word, uint64_t *n);

/* The step of about `ticks` round numbers that go up to `most`: 1, 2 or 5 times a power of ten, at least 1.
 */
double round_step(double most, unsigned ticks);

#endif
