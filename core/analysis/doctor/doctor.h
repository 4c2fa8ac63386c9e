/*
 * Finds faults of a fabric and its tables, and facts worth knowing, without a question.  The worst finding
 * comes first.  It judges the tables in force (judged.h).  While nothing is routed, it judges those in the
 * switches (setup_tables()) if there are any, else those of Min Hop.
 *
 * Each kind of finding is a rule of the table in doctor.c.  A new one needs one function and one line there.
 */
#ifndef IBSCOPE_DOCTOR_H
#define IBSCOPE_DOCTOR_H

#include "core/analysis/blame/measured.h"
#include "core/analysis/compare/faults.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/formats/opensm_log.h"
#include "core/sm/sweep.h"

enum severity {
	SEVERITY_ERROR,	  /* traffic is or will be lost, or may stop */
	SEVERITY_WARNING, /* works, but not as meant, or breaks at the next event */
	SEVERITY_NOTE,	  /* worth knowing */
	SEVERITIES
};
extern const char *const severity_word[SEVERITIES]; /* "error", ... */

enum sureness {
	SURE_FACT,     /* in the input */
	SURE_COMPUTED, /* follows from OpenSM's rules */
	SURE_LIKELY,   /* a statistic, or a guess */
	SURENESSES
};
extern const char *const sureness_word[SURENESSES]; /* "fact", ... */

#define BRIEF_COLUMNS 60 /* with severity and pairs a line of `triage` has 80 */

struct finding {
	uint8_t severity; /* enum severity */
	uint8_t sure;	  /* enum sureness */
	unsigned rule;	  /* its place in the table: order of kinds */
	const char *kind; /* short and static: "credit-loop" */
	bool broke;	  /* something broke, and other findings may follow from it */
	bool shared_lid;  /* it is about a LID that two ports have */
	uint32_t follows; /* the place in the list of what it follows from; NO_ID = nothing that is known */
	bool what_if;	  /* it is about an engine that may not be running */
	const char *meaning; /* its meaning in words; static */
	const char *cure;    /* the remedy; static, NULL = nothing general */
	char *text;	     /* owned; one line: what was found, and where */
	char *brief;   /* owned; the same in at most BRIEF_COLUMNS, without its pairs; NULL = the text, cut */
	char *detail;  /* owned; further lines, NULL = none */
	char *more;    /* owned; command line that shows more */
	uint32_t node; /* the place, or the first of several; NO_ID = none */
	uint8_t port;  /* a port of it; 0 = none */
	uint32_t other; /* the node at the other end of a cable that is gone; NO_ID = none */
	uint64_t count; /* number of things it is about: links, switches or pairs, as the text says */
	double figure;	/* the most important figure of the text, 0 = none */
	uint64_t pairs; /* number of ordered pairs of hosts concerned, as far as known */
};

/* Keys of a finding, with columns of the pane. */
extern const struct field finding_fields[];

struct diagnosis {
	struct finding *finding; /* by severity, pairs (most first), kind, place */
	size_t n, cap;
	uint32_t count[SEVERITIES]; /* of those that follow from no other */
	const struct sweep *judged; /* reference held; its routing may be NULL: no engine could route */
	bool read;		    /* the tables were read, not computed */
	bool incomplete; /* for tables that were read: some are missing, or they belong to another fabric */
	bool no_engine;	 /* no engine was requested: judged as OpenSM without settings */
	struct faults lost;  /* what an earlier check or a plan had, and is gone or slower */
	json_t *present;     /* reference held: `lost` borrows from it; NULL: nothing */
	uint32_t not_looked; /* bits of what was not looked at: diagnosis_not_looked() */
};

struct doctor_request {
	const struct setup *setup;
	const struct engine *const *engines;
	const struct sweep *now;	/* in force; NULL = nothing is routed */
	const char *configured;		/* chain of the configuration; NULL = none */
	json_t *present;		/* what was there (present_json()), or has to be; NULL: not known */
	const char *path;		/* the file that it must come from; NULL: none was named */
	const char *named;		/* the same as its file writes it, with engines that ibscope skips */
	const struct measured *counted; /* what ports counted; NULL: not known */
	const struct opensm_log *log;	/* what the subnet manager wrote; NULL: not known */
};

/* Returns NULL and *e when cancelled, out of memory, or when an option is unusable. */
struct diagnosis *doctor_run(const struct doctor_request *rq, struct progress *p, struct err *e);
void diagnosis_free(struct diagnosis *d);

/* "2 errors, 3 warnings, 1 note"; "nothing found". */
void diagnosis_tell_counts(const struct diagnosis *d, struct text *t);

/* The nth thing that was not looked at, as "counters"; NULL when there are fewer.  n counts from 0. */
const char *diagnosis_not_looked(const struct diagnosis *d, unsigned n);

/*
 * What `triage` says of a finding, in one line of at most TRIAGE_COLUMNS without line end: severity, pairs,
 * what is wrong, and in brackets the command that shows more, or `doctor` where that is long.
 */
#define TRIAGE_COLUMNS 80
void triage_tell(const struct finding *x, struct text *t);
/* "Not looked at: port states, log"; nothing when all was looked at. */
void triage_tell_not_looked(const struct diagnosis *d, struct text *t);
/* Is it one that says that something cannot be told?  All others of severity error are faults. */
bool finding_is_untold(const struct finding *x);
/* Finds what is wrong with partitions alone: lines of their file, members.  Never NULL. */
struct diagnosis *doctor_partitions(const struct pair_sls *p, const struct topo *t);

/* The table of rules: the kind and meaning of rule i.  Returns false when there is no such rule.  For tests
 * and manuals. */
bool doctor_rule(size_t i, const char **kind, const char **meaning);

#endif
