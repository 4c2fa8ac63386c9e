/* Words of traffic patterns and of surveys, as several commands and panes take them. */
#ifndef IBSCOPE_PATTERNS_H
#define IBSCOPE_PATTERNS_H

#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/pattern.h"
#include "core/session/args.h"
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

/*
 * The pattern that words stand for, with PATTERN_SYNTAX among theirs; none: all.  *p is to be freed by
 * pattern_free() when it succeeds.  -1 and *e: what is wrong with them, or cancelled.
 */
int session_pattern(const struct session *s, const struct routing *r, const struct args *args,
		    struct pattern *p, struct progress *pr, struct err *e);

/*
 * What words ask a survey for: "links shard 1/8", "pairs 100 switches seed=2"; nothing: links.  before and
 * engines are left to the caller.  -1 and *e.
 */
int survey_asked(struct survey_request *rq, const struct args *args, struct err *e);

#endif
