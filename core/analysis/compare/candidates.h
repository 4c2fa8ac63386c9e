/* Engines with sensible options.  Analyses try each: which one made these tables, which suits the fabric? */
#ifndef IBSCOPE_CANDIDATES_H
#define IBSCOPE_CANDIDATES_H

#include "core/analysis/shape/levels.h"
#include "core/sm/options.h"

/* Files that a candidate gets in addition to the options in force. */
#define CANDIDATE_ROOTS 1   /* root_guid_file: roots by levels (levels.h) */
#define CANDIDATE_COMPUTE 2 /* cn_guid_file: hosts on edge switches; io_guid_file: the others */
#define CANDIDATE_TORUS 4   /* torus_config */

struct candidate {
	const char *engine;
	const char *option; /* NAME=VALUE; NULL = none */
	unsigned files;	    /* CANDIDATE_* */
	bool layers; /* may spread routes over VLs, now or after a failure: quality of service makes switches
			keep them apart */
	bool direct; /* is for fabrics without levels */
	bool late;   /* tried last when the engine of given tables is looked for */
	bool advice; /* worth advising only; it is not expected in the field */
	const char *words; /* options and files in words */
};

/* In the order that decides when figures do not. */
extern const struct candidate candidates[];
extern const unsigned n_candidates;

/*
 * The options of a base plus those of a candidate, except torus_config. hosts: [n_endports] that count.
 * Returns a new set; NULL and *e: the candidate's option is not known.
 */
struct options *candidate_options(const struct candidate *c, const struct options *base, const struct topo *t,
				  const struct levels *l, const uint8_t *hosts, struct err *e);

#endif
