/*
 * Which engine and options suit this fabric?  Every engine routes it as it is, with sensible options
 * (drift.h).  The results are compared by lost pairs, credit loops, the effect of single failures, effective
 * bisection bandwidth, shifts, loads and VLs.  They are ranked with reasons.
 *
 * Options that no candidate sets stay as they are in force (lmc, max_op_vls, ...).
 */
#ifndef IBSCOPE_ADVISE_H
#define IBSCOPE_ADVISE_H

#include "core/analysis/compare/drift.h"
#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/gpus.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"

#define ADVISE_FAILURES 150 /* single failures of links tried with each engine by default */
#define ADVISE_MOST_FAILURES 1000000
#define ADVISE_SHIFTS 20 /* number of shifts examined */

/* The quality of a routing, best first. */
enum advice_class {
	ADVICE_SOUND,  /* A: every pair has a path, no credit loop */
	ADVICE_NEARLY, /* B: no credit loop, at most 1 pair in 10,000 without a path */
	ADVICE_UNSOUND /* C: the rest */
};

struct advice_row {
	const struct candidate *kind;
	char *options;		   /* its options besides those in force, in words; "" = none; owned */
	const struct setup *setup; /* reference held: the setup with which it is tried */
	const struct sweep *sweep; /* reference held; NULL: refused */
	char *refused;		   /* owned; the reason why it does not route, NULL when it does */
	bool unmeasured;	   /* advise stopped before it was measured or refused */
	bool untried;		   /* advise stopped before single failures were tried */
	bool hopeless;		   /* class C: it was measured after all others */
	bool too_long;		   /* its failures were postponed: they take longer than the time left */
	double seconds;		   /* time that routing took, more on a busy machine */
	uint64_t pairs, lost;	   /* ordered pairs of hosts, and how many of them have no path */
	uint32_t loops;		   /* groups of channels with credit loops, on all VLs */
	unsigned vls;		   /* VLs that routes of hosts use */
	uint32_t max_load;	   /* most routes on a link, all to all */
	struct ebb ebb;		   /* one way */
	double shift_mean;	   /* of the most flows on a link, over ADVISE_SHIFTS shifts */
	uint32_t shift_worst;
	uint32_t gpu_load; /* most flows on a link for the requested GPU traffic; 0: none was requested */
	/* Effects of single failures of links; all 0 for class C, where failures are not tried. */
	uint32_t failures;
	uint64_t failure_lost;	    /* most pairs between survivors lost by a single failure */
	uint32_t failure_loops;	    /* failures with new credit loops */
	uint32_t failure_fallbacks; /* failures after which another engine routes, or none */
	enum advice_class class;
	bool heavy; /* class A, but its most loaded link has more than 4 times the routes of class B's best */
	char *reason;  /* why it ranks before the next row; owned, NULL: it is the last, or not ranked */
	unsigned same; /* place of the equal row whose line it shares; its own place: none */
};

/* Keys of a ranked row, with the columns of the pane; members are those of struct advice_row. */
extern const struct field advice_fields[];

struct advice {
	struct advice_row *row; /* [n] ranked rows, best first; then rows equal to one of them; then refused
				   rows; then unmeasured ones */
	unsigned n, n_ranked, n_routed, n_measured;
	bool untried;	  /* for some ranked row: failures do not count in the ranking */
	bool late;	  /* the time limit stopped it; otherwise unmeasured and untried rows mean that it was
			     cancelled */
	bool direct;	  /* a fabric without levels, whose single root is the switch in the middle */
	uint32_t n_edges; /* edge switches */
	uint32_t n_roots; /* roots by levels */
	struct text torus;     /* the file of torus-2QoS; empty: there is none */
	struct torus_fit *fit; /* holds that file for the setups; owned */
};

struct advise_request {
	const struct setup *setup;
	const struct engine *const *engines;
	const struct sweep *now; /* in force, whose LIDs stay; NULL = nothing is routed */
	uint32_t failures; /* the most single failures of links tried with each engine (drawn with seed 1); 0:
			      none */
	unsigned threads;  /* 0: all cores; the result does not depend on it */
	double within;	   /* stops after this many seconds with the results so far; 0: no limit */
	/* Called for each row once it is measured or refused, hopeless rows last; may be NULL. */
	void (*tell)(void *ctx, const struct advice_row *r);
	void *ctx;
	/* Takes over the advice so far each time a row is measured, or its failures are tried; any thread
	 * calls it.  NULL: nobody waits. */
	void (*ready)(void *so_far);
	int gpus;    /* 1 + the enum gpu_pattern by which engines are ranked; 0: none */
	bool direct; /* these GPUs send by their own ports */
};

/*
 * Returns NULL and *e when it was cancelled before any row was measured, or memory is short.  If it was
 * stopped later, or by `within`, it ranks what is measured.
 */
struct advice *advise_run(const struct advise_request *rq, struct progress *p, struct err *e);
void advice_free(struct advice *a);

/* Has everything that was asked for been measured and tried? */
bool advice_complete(const struct advice *a);

/* The letter of its class: A, B, C. */
char advice_letter(const struct advice_row *r);

/*
 * The row whose failures are tried next, or NULL.  Rows go in order of rank, but those whose failures take
 * longer than the seconds left (negative: no limit) go last and become too_long. share: the number of times
 * that one of them routes.  For tests.
 */
struct advice_row *advise_next(struct advice *a, double share, double left);

/* Sorts the rows by their figures, and fills in `same` and `reason`; for tests. */
void advice_rank(struct advice *a);

/* --- as files for OpenSM (advise.c) ----------------------------------------------------------- */

struct advice_file {
	const char *suffix; /* appended to the first file's name: "" (lines for opensm.conf), ".roots", ... */
	struct text text;
};
#define ADVICE_FILES 5

/*
 * Makes files that let OpenSM route as a row does.  The first holds lines for opensm.conf, which name the
 * others by `path` and suffix.  Returns their number; the caller frees the texts.
 */
unsigned advice_files(const struct advice *a, const struct advice_row *r, const char *path,
		      struct advice_file file[ADVICE_FILES]);

#endif
