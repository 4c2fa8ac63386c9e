/* Words for traffic patterns and surveys, shared by several commands and panes. */
#ifndef IBSCOPE_PATTERNS_H
#define IBSCOPE_PATTERNS_H

#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/pattern.h"
#include "core/session/args.h"
#include "core/session/out.h"
#include "core/session/session.h"

/* For syntax lines.  PATTERN_DETAILS explains each word. */
#define PATTERN_SYNTAX                                                                            \
	"all | lids | shift K | bisection [seed=K] | random [seed=K] | hotspot NODE | to H... | " \
	"pairs FILE"
/* The key of what session_pattern() tells. */
#define JSON_PATTERN "order string(lid/ftree/name)? of a shift: order of the hosts, as `shifts` has it\n"
#define PATTERN_DETAILS                                                             \
	"  all          one route for each pair of hosts (default)\n"               \
	"  lids         one for each LID\n"                                         \
	"  shift K      each host to the K-th behind it in the order of `shifts`\n" \
	"  bisection    a random half to the other, one to one, both ways\n"        \
	"  random       each host to another, one to one\n"                         \
	"  hotspot NODE  all to one\n"                                              \
	"  to H...      all to each of some, or of a job (@FILE:JOB)\n"             \
	"  pairs FILE   as a file says, a line `A B [WEIGHT]` each\n"               \
	"  A scope limits both ends.\n"

/*
 * The pattern that words stand for (PATTERN_SYNTAX in a syntax line).  No word: all.  On success free *p with
 * pattern_free(); o tells the order of a shift, and which hosts of a file are not there.  -1 and *e: the
 * words are wrong, or cancelled.
 */
int session_pattern(const struct session *s, const struct routing *r, const struct args *args,
		    struct pattern *p, struct out *o, struct err *e);

/* The survey that words ask for; no word: links.  The caller sets `before`, `engines`.  -1 and *e. */
int survey_asked(struct survey_request *rq, const struct args *args, struct err *e);

#endif
