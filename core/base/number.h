/* Numbers: those written in words of commands, and round ones for axes. */
#ifndef IBSCOPE_NUMBER_H
#define IBSCOPE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
