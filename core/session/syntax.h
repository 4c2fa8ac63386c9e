/*
 * The syntax line of a command, as `help` shows it, is also what its arguments are
 * checked and completed by:
 *
 *   fail link NODE[PORT]... | switch S... | host H... | random N [seed=K]
 *
 * Small words stand for themselves, capital ones for an argument; "seed=K" begins with
 * the small part.  [ ] may be left out, ... may come again, `a|b` is one word or the other,
 * and ` | ` between blanks parts whole forms, which may repeat the command's name.
 */
#ifndef IBSCOPE_SYNTAX_H
#define IBSCOPE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* Do words (argv[0] is the command) fit the syntax? */
bool syntax_fits(const char *syntax, int argc, char *const *argv);

/*
 * All that may stand behind these words: offer() gets a word of the syntax each time,
 * some more than once.
 */
void syntax_next(const char *syntax, int argc, char *const *argv,
		 void (*offer)(void *ctx, const char *word, size_t len), void *ctx);

/* Of a word of the syntax: how much of it stands for itself ("link" 4, "seed=K" 5, "FILE" 0). */
size_t syntax_fixed(const char *word, size_t len);

#endif
