/*
 * Is what the switches hold right?  OpenSM keeps existing entries where it can, so a routing from nothing
 * differs from a healthy one that has a history.  Here the tables in the switches stand for what the subnet
 * manager remembers.  Each entry is compared with the entry that a sweep would program with that memory
 * (checked against 1,005 sweeps of OpenSM 3.3.23: 2.6 million entries, none differed).
 *
 * A running OpenSM compares what it computes with its own memory and never reads the tables.  So its next
 * sweep writes an entry only where that memory, which is not known here, differs from what it computes;
 * entries that were changed behind its back stay, but where it writes another one of their block of 64 LIDs
 * (tests/live/drifting.py).  A restart writes all of them, and a switch that disappears and comes back gets
 * most of its table anew.
 */
#ifndef IBSCOPE_DRIFT_H
#define IBSCOPE_DRIFT_H

#include "core/analysis/shape/levels.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/sm/options.h"
#include "core/sm/sweep.h"

/* The class of an entry; the first that fits counts. */
enum drift_class {
	DRIFT_UNKNOWN, /* no port of the fabric has its LID, and nothing names the LID's owner */
	DRIFT_MISSING, /* the entry is missing although OpenSM computes one */
	DRIFT_DEAD,    /* a packet cannot continue by it, or the owner of its LID is gone */
	DRIFT_RESTART, /* OpenSM computes another port, which a restart writes */
	DRIFT_RIGHT,   /* a subnet manager that starts now would choose the same port */
	DRIFT_KEPT,    /* a sweep keeps it, but a subnet manager that starts now would choose another port */
	DRIFT_CLASSES
};
extern const char *const drift_word[DRIFT_CLASSES];    /* "unknown", ... */
extern const char *const drift_meaning[DRIFT_CLASSES]; /* in words */

struct drift_entry {
	uint32_t sw;
	uint16_t lid;
	uint8_t port, would; /* port in the switch, and port computed; NO_PATH = none */
	uint8_t class;	     /* enum drift_class */
	const char *why;     /* the fault, or the rule that chooses the other port; static, never NULL */
};

/* Keys of an entry and of a candidate, with the columns of the pane. */
extern const struct field drift_entry_fields[], drift_candidate_fields[];

/* How much is known about reserved LIDs: nothing; what left while the session ran; everything, from
 * guid2lid_file or because it all happened here.
 */
enum drift_reserved { RESERVED_UNKNOWN, RESERVED_SEEN, RESERVED_KNOWN };
extern const char *const drift_reserved_word[]; /* "unknown", "seen", "known" */

struct drift {
	const struct sweep *held, *next; /* references held */
	const char *engine; /* engine that would route in the next sweep; static, "none" when none would */
	uint64_t count[DRIFT_CLASSES];
	uint64_t of_switches[DRIFT_CLASSES]; /* of these, for LIDs of switches */
	struct drift_entry *entry;	     /* all entries that are not right: by class, switch and LID */
	size_t n_entries;
	uint32_t n_silent;	/* switches of the fabric without a table: not judged */
	uint64_t n_unjudged;	/* entries that the next sweep makes on these switches */
	uint64_t n_not_in_file; /* entries computed for LIDs that the file does not contain: not judged */
	uint32_t n_away;	/* tables of switches that are not (or no longer) in the fabric: not judged */
	bool ignored;		/* the next sweep ignores existing entries: a port is being set up */
	enum drift_reserved reserved; /* what is known of LIDs kept for ports that left */
	size_t n_reserved;	      /* ranges of these LIDs that the next sweep knows */
	bool states_unknown; /* a port may have come up since the last sweep; then kept entries change as well
			      */
};

/*
 * The tables in the switches, as a sweep of what is up in the setup: tables that were read (setup_tables()),
 * else those of `now`, the sweep in force.  Returns one reference; NULL and *e: neither exists.
 */
struct sweep *drift_held(const struct setup *setup, const struct engine *const *engines,
			 const struct sweep *now, struct progress *p, struct err *e);

extern const char drift_not_active[];	     /* why an entry is dead whose port is in Initialize or Armed */
uint64_t drift_total(const struct drift *d); /* entries classed */
/* The share of right and kept entries among all except those that are not in the file; 0 when there are
 * none. */
double drift_agreement(const struct drift *d);
/* The share of right entries. */
double drift_right_share(const struct drift *d);
/* Are there entries that are neither right nor kept, or not judged? */
bool drift_found(const struct drift *d);
/* Is everything that the next sweep depends on known, and is there anything? */
bool drift_known(const struct drift *d);

/* --- which engine made the tables in the switches? --- */

struct drift_candidate {
	char *chain;	  /* owned */
	bool configured;  /* it is the configuration's engine */
	unsigned threads; /* by NVIDIA's rules with so many routing threads it draws these ports; 0: not tried
			     so */
	bool or_more;	  /* any larger number of threads draws the same */
	const struct setup *setup; /* reference held: the setup with which it is tried */
	const char *options;	   /* its options besides those in force, in words; static, "" = none */
	const char *in_force;	   /* engine that routes in its next sweep (static); NULL: none */
	char *refused; /* owned; the reason why the requested engine does not route, NULL when it does */
	double agreement, right; /* valid if in_force is set */
	uint64_t count[DRIFT_CLASSES];
	unsigned equal; /* place of the first candidate that fits the tables equally well */
};

struct drift_ranking {
	struct drift_candidate *candidate; /* [n] best first; refused ones last */
	unsigned n;
};

/* --- the whole question --------------------------------------------------------------------------- */

struct drift_request {
	const struct setup *setup;
	const struct engine *const *engines;
	const struct sweep *now; /* in force; NULL = nothing is routed */
	const char *chain;	 /* NULL: the engine that explains the tables best */
	const char *configured;	 /* chain of the configuration; NULL = none */
	/* Engines that take long are left out where another one explains a large table, and no entry names
	 * the rule that chooses another port. */
	bool quick;
};

/*
 * Judges the tables held by the chain of a request, under the options of its setup. with_entries: entries are
 * listed, otherwise only counted.  NULL and *e: cancelled, out of memory, or an unusable option.
 */
struct drift *drift_run(const struct sweep *held, const struct drift_request *rq, bool with_entries,
			struct progress *p, struct err *e);

/* *ranking (may be NULL) gets the ranking of engines; NULL when the request names one. */
struct drift *drift_judge(const struct drift_request *rq, struct drift_ranking **ranking, struct progress *p,
			  struct err *e);

/* Engines with sensible options, each tried by analyses: which one made these tables, which suits the
 * fabric? */

/* Files that a candidate gets in addition to the options in force. */
#define CANDIDATE_ROOTS 1   /* root_guid_file: roots by levels (levels.h) */
#define CANDIDATE_COMPUTE 2 /* cn_guid_file: hosts on edge switches; io_guid_file: the others */
#define CANDIDATE_TORUS 4   /* torus_config */

struct candidate {
	const char *engine;
	const char *option; /* NAME=VALUE; NULL = none */
	unsigned files;	    /* CANDIDATE_* */
	bool layers;	    /* may spread routes over VLs, now or after a failure, so switches need quality of
			       service to keep them apart */
	bool direct;	    /* is for fabrics without levels */
	bool late;	    /* tried last when the engine of given tables is looked for */
	bool slow;	    /* takes many times as long as Min Hop */
	bool advice;	    /* only worth advising; not expected in the field */
	bool drawn;	    /* by NVIDIA's rules its ports are drawn */
	const char *words;  /* options and files in words */
};

/* In the order that decides when figures are equal. */
extern const struct candidate drift_candidates[];
extern const unsigned n_candidates;

/*
 * Makes the options of a base plus those of a candidate, except torus_config. hosts: [n_endports] 1 for those
 * that count.  Returns a new set; NULL and *e: the candidate's option is not known.
 */
struct options *candidate_options(const struct candidate *c, const struct options *base, const struct topo *t,
				  const struct levels *l, const uint8_t *hosts, struct err *e);

#endif
