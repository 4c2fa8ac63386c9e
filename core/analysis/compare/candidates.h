/*
 * Engines with sensible options, of which analyses try each: which one made these tables, which one suits
 * the fabric.
 */
#ifndef IBSCOPE_CANDIDATES_H
#define IBSCOPE_CANDIDATES_H

#include "core/analysis/shape/levels.h"
#include "core/sm/options.h"

/* Files that a candidate is given beside the options in force. */
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
	bool late;   /* who looks for the engine of given tables tries it last */
	bool advice; /* is only worth advising, not expected in the field */
	const char *words; /* options and files in words */
};

/* In the order that decides where figures do not. */
extern const struct candidate candidates[];
extern const unsigned n_candidates;

/*
 * The options of a base with those of a candidate, but for torus_config.  hosts: [n_endports] that count.
 * A new set; NULL and *e: the candidate's option is not known.
 */
struct options *candidate_options(const struct candidate *c, const struct options *base, const struct topo *t,
				  const struct levels *l, const uint8_t *hosts, struct err *e);

#endif
