/*
 * The syntax line of a command is what `help` shows.  Arguments are checked and completed by the same line:
 *
 *   fail link NODE[PORT]... | switch S... | host H... | random N [seed=K]
 *
 * Small words stand for themselves, capital ones for an argument (TARGET for none that is a small word
 * there); "seed=K" begins with the small part. Words in [ ] may be left out, a word with ... may come again,
 * `a|b` is one word or the other, and ` | ` between blanks parts whole forms, which may repeat the command's
 * name.
 */
#ifndef IBSCOPE_SYNTAX_H
#define IBSCOPE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

/* What a capital word of a syntax line stands for. */
enum syntax_kind {
	KIND_NONE,
	KIND_NODE,
	KIND_SWITCH,
	KIND_ELEMENT, /* chips of one chassis or card, or a switch of them */
	KIND_HOST,
	KIND_SWITCHES, /* may mean many: globs and lists too */
	KIND_HOSTS,
	KIND_PORT,
	KIND_TARGET, /* what can fail: a port, a node, a chassis or a card */
	KIND_ENDPORT,
	KIND_ARGUMENT, /* of a pane: one of the kinds above */
	KIND_TEXT,
	KIND_FILE,
	KIND_ENGINES,
	KIND_ASSIGNMENT,
	KIND_OPTION,
	KIND_VALUE,
	KIND_SNAPSHOT,
	KIND_COMMAND,
	KIND_TOPIC,
	KIND_LESSON,
	KIND_SPEC,
	KIND_NUMBER, /* command.h says which */
};
enum syntax_kind syntax_kind(const char *word, size_t len);

/* Does it stand for a node, a port or an endport of the fabric? */
static inline bool syntax_names_node(enum syntax_kind k)
{
	return k >= KIND_NODE && k <= KIND_ENDPORT;
}

/* Do words (argv[0] is the command) fit the syntax? */
bool syntax_fits(const char *syntax, int argc, char *const *argv);

/* What is known about a word of a line: a name fits a node's place, or text; a word that is not a name fits
 * no node's place. */
enum word_is { WORD_ANY, WORD_NAME, WORD_NO_NAME };

/* The same, with what is known about the words: is[argc]. */
bool syntax_fits_names(const char *syntax, int argc, char *const *argv, const enum word_is *is);

/* What a typed word means. */
struct syntax_word {
	const char *word; /* in the syntax, [len] */
	size_t len;
	unsigned form; /* of the whole forms, from 0 */
};

/* How badly a typed word fits one of several possible capital words of the syntax; 0 is best. */
typedef unsigned syntax_cost(void *ctx, const char *word, size_t len, const char *typed);
#define SYNTAX_NEVER 1000000u /* the word cannot mean it */

/*
 * Finds the best reading of the words: word i behind the command stands for found[i], [argc - 1].  The lowest
 * sum of costs wins; ties are settled by the order of the syntax. cost() is called where a word may stand for
 * several.  Returns false when no reading fits.
 */
bool syntax_match(const char *syntax, int argc, char *const *argv, syntax_cost *cost, void *ctx,
		  struct syntax_word *found);

/*
 * A walk along the words behind a command's name, one after the other; free() it.  syntax_offer() calls
 * offer() with each word of the syntax that may stand next, with some more than once.
 */
struct syntax_walk;
struct syntax_walk *syntax_walk(const char *syntax);
void syntax_step(struct syntax_walk *w, const char *typed);
void syntax_offer(const struct syntax_walk *w, void (*offer)(void *ctx, const char *word, size_t len),
		  void *ctx);

/* The same behind all of these words. */
void syntax_next(const char *syntax, int argc, char *const *argv,
		 void (*offer)(void *ctx, const char *word, size_t len), void *ctx);

/* The length of the literal part of a syntax word ("link" 4, "seed=K" 5, "script:PROGRAM" 7, "FILE" 0). */
size_t syntax_fixed(const char *word, size_t len);

/*
 * Rows of a table, laid out for a narrow reader.  These marks stand in the formats of out_text() (out.h). For
 * a reader without a width they go away and nothing else changes: scripts read that.  The first call of a row
 * has one of them.
 */

#define ROW_BEGIN "\002\006"			     /* a row begins */
#define ROW_CUT(format) "\002\002" format "\003\003" /* a name that may be shortened */
#define ROW_COLUMN(format) \
	"\002\004" format "\003\003" /* the same, filled up: what follows stands below each other */
#define ROW_PROSE \
	"\002\005" /* from here to the end of the line: sentences, which continue below where they began */

bool narrow_marked(const char *fmt);
/* Removes the marks of a format; returns fmt itself if it has none, else the text held by *t. */
const char *narrow_plain(const char *fmt, struct text *t);

/*
 * Adds the rows to t, none wider than `width` characters if possible.  All names shrink alike: first they
 * lose what they share, then their middle; "…" stands for it, and numbers are kept whole or left out.
 */
void narrow_rows(const char *rows, unsigned width, struct text *t);

/*
 * Fits lines that somebody wrote for a wide reader to `width` characters, in *t: paragraphs are filled anew,
 * and text in a second column, behind two blanks, continues below its beginning.
 */
const char *narrow_text(const char *s, unsigned width, struct text *t);

#endif
