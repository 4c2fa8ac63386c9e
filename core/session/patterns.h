/* Words for traffic patterns and surveys, shared by several commands and panes. */
#ifndef IBSCOPE_PATTERNS_H
#define IBSCOPE_PATTERNS_H

#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/pattern.h"
#include "core/session/args.h"
#include "core/session/out.h"
#include "core/session/session.h"

/* For syntax lines.  PATTERN_DETAILS explains each word. */
#define PATTERN_SYNTAX                                                                            \
	"all | lids | shift K | bisection [seed=K] | random [seed=K] | hotspot NODE | to H... | " \
	"pairs FILE | " GPU_PATTERN_SYNTAX
#define GPU_PATTERN_SYNTAX "ring [direct] [H...] | tree [direct] [H...] | alltoall [direct] [H...]"
/* The keys of what session_pattern() tells. */
#define JSON_PATTERN \
	"order string(lid/ftree/name)? of a shift: order of the hosts, as `shifts` has it\n" JSON_GPUS
#define JSON_GPUS                                                   \
	"gpus object? of ring, tree and alltoall: who takes part\n" \
	"gpus.count integer GPUs, one a host port\n"                \
	"gpus.hosts integer their hosts\n"                          \
	"gpus.rails integer rails that these have\n"
#define PATTERN_DETAILS                                                                                     \
	"  all          one route for each pair of hosts (default)\n"                                       \
	"  lids         one for each LID\n"                                                                 \
	"  shift K      each host to the K-th behind it in the order of `shifts`\n"                         \
	"  bisection    a random half to the other, one to one, both ways\n"                                \
	"  random       each host to another, one to one\n"                                                 \
	"  hotspot NODE  all to one\n"                                                                      \
	"  to H...      all to each of some, or of a job (@FILE:JOB)\n"                                     \
	"  pairs FILE   as a file says, a line `A B [WEIGHT]` each\n"                                       \
	"  ring         GPUs, one a host port: on each rail from host to host.  Hosts by name, or H... as " \
	"named\n"                                                                                           \
	"  tree         on each rail two binary trees over the hosts, each edge both ways\n"                \
	"  alltoall     each GPU to those of all other hosts\n"                                             \
	"               In these three a host hands what it sends to its port of the receiver's rail "      \
	"first, so "                                                                                        \
	"packets stay on\n"                                                                                 \
	"               their rail.  direct: not so; a ring comes from the rail before, a tree's parent "   \
	"uses the "                                                                                         \
	"rail behind.\n"                                                                                    \
	"  A scope limits both ends.\n"

/*
 * The GPUs of the words H... (all hosts without any).  NULL and *e: no such host, or none of a word is up and
 * counts.
 */
struct gpus *session_gpus(const struct session *s, const struct routing *r, const struct args *args,
			  struct out *o, struct err *e);

/* How many there are: a line, and the key "gpus". */
void tell_gpus(const struct gpus *g, struct out *o);

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
