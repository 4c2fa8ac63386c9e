/* Words for traffic patterns and surveys, shared by several commands and panes. */
#ifndef IBSCOPE_PATTERNS_H
#define IBSCOPE_PATTERNS_H

#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/formats/cabling.h"
#include "core/session/command.h"
#include "core/session/out.h"
#include "core/session/session.h"

/* For syntax lines.  commands/commands.help explains each word. */
#define PATTERN_SYNTAX                                                                            \
	"all | lids | shift K | bisection [seed=K] | random [seed=K] | hotspot NODE | to H... | " \
	"pairs FILE | " GPU_PATTERN_SYNTAX
#define GPU_PATTERN_SYNTAX "ring [direct] [H...] | tree [direct] [H...] | alltoall [direct] [H...]"
/* The keys of what session_pattern() prints. */
#define JSON_PATTERN \
	"order string(lid/ftree/name)? of a shift: order of the hosts, as `shifts` has it\n" JSON_GPUS
#define JSON_GPUS                                                   \
	"gpus object? of ring, tree and alltoall: who takes part\n" \
	"gpus.count integer GPUs, one a host port\n"                \
	"gpus.hosts integer their hosts\n"                          \
	"gpus.rails integer rails that these have\n"

/*
 * The GPUs of the hosts H... (all hosts without any).  NULL and *e when there is no such host, or none of a
 * word's hosts is up and counts.
 */
struct gpus *session_gpus(const struct session *s, const struct routing *r, const struct args *args,
			  struct out *o, struct err *e);

/* Prints how many there are, and sets the key "gpus". */
void tell_gpus(const struct gpus *g, struct out *o);

/*
 * Makes the pattern for words (PATTERN_SYNTAX in a syntax line); without a word: all.  On success free *p
 * with pattern_free(); o gets the order of a shift, and the hosts of a file that are missing.  Returns -1 and
 * *e when the words are wrong, or when cancelled.
 */
int session_pattern(const struct session *s, const struct routing *r, const struct args *args,
		    struct pattern *p, struct out *o, struct err *e);

/* Makes the survey that words ask for; without a word: links.  The caller sets `before` and `engines`.  -1
 * and *e on failure. */
int survey_asked(struct survey_request *rq, const struct args *args, struct err *e);

/*
 * `@FILE` and `@FILE:JOB` stand for the hosts of a file (core/formats/cabling.h), where a word may stand for
 * many.  FILE is the longest beginning that names a file; JOB is the rest.
 *
 * A host is the first word of its nodes' names: "node-01" of "node-01 mlx5_0" and "node-01/U1".  It is found
 * with its domain, or without it, too.
 */

/* Is it such a word? A word that names a node is not. */
bool is_hosts_file(const struct fabric *f, const char *word);

/*
 * Finds the nodes of a kind that belong to its hosts.  l->absent gets the hosts without such a node.  -1 and
 * *e: the file cannot be read, none of its hosts is in the fabric (kind ERR_NO_NODE), or cancelled.
 */
int hosts_file_nodes(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
		     struct id_list *l, struct err *e);

/* All jobs of a file with their hosts (hostfile_each()). -1 and *e. */
int hosts_file_each(const char *path, struct progress *p, struct job_list *jobs, struct err *e);
/* The host nodes of a job, in the order of its hosts; l->absent: hosts without one.  -1 and *e: cancelled. */
int job_nodes(const struct fabric *f, const struct job_hosts *job, struct progress *p, struct id_list *l,
	      struct err *e);

/* Says which hosts of a word the fabric lacks; nothing when it lacks none. */
#define JSON_ABSENT "absent[] string? hosts of the file behind `@` that are not in the fabric\n"
void report_absent(const struct id_list *l, const char *word, struct out *o);

/*
 * Files of pairs, for traffic patterns.  Each line is `A B [WEIGHT]`: A sends to B.  Names are as in
 * commands, also without quotes.  `#` begins a comment; empty lines are skipped.
 */

struct pair_line {
	char *src, *dst; /* words, as typed */
	uint32_t weight; /* 1 where none is given */
	unsigned line;	 /* from 1 */
};

struct pairs_file {
	struct pair_line *pair;
	size_t n, cap;
};

/* The largest sum of all weights in a file. */
#define PAIRS_WEIGHT_MOST UINT32_MAX

/*
 * Read from memory; messages are "NAME:LINE: found ..., expected ...". f: the fabric that the names belong
 * to. -1 and *e; in either case free what was read.
 */
int pairs_parse(struct pairs_file *p, const struct fabric *f, const struct input *in, struct err *e);
void pairs_file_free(struct pairs_file *p);

#endif
