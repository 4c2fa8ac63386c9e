/* Words of a traffic pattern, as several commands and panes take them. */
#ifndef IBSCOPE_PATTERNS_H
#define IBSCOPE_PATTERNS_H

#include "core/analysis/traffic/pattern.h"
#include "core/session/session.h"

/* For syntax lines; what each means is PATTERN_DETAILS. */
#define PATTERN_SYNTAX                                                                            \
	"all | lids | shift K | bisection [seed=K] | random [seed=K] | hotspot NODE | to H... | " \
	"pairs FILE"
#define PATTERN_DETAILS                                                                                      \
	"  all: one route for each pair of hosts (default); lids: one for each LID; shift K: each host to "  \
	"the\n"                                                                                              \
	"  K-th behind it; bisection: a random half to the other, one to one, both ways; random: each host " \
	"to\n"                                                                                               \
	"  another, one to one; hotspot: all to one; to: all to each of some; pairs: as a file says, a "     \
	"line\n"                                                                                             \
	"  `A B [WEIGHT]` each.  A scope limits both ends.\n"

/* Does a pattern begin with this word? */
bool is_pattern_word(const char *word);

/*
 * The pattern that words stand for; none: all.  *p is to be freed by pattern_free() when it succeeds.
 * -1 and *e: what is wrong with them, or cancelled.
 */
int session_pattern(const struct session *s, const struct routing *r, int argc, char *const *argv,
		    struct pattern *p, struct progress *pr, struct err *e);

/* "seed=K"; the value, 1 without a word.  -1 and *e. */
int seed_word(const char *word, uint64_t *seed, struct err *e);

#endif
