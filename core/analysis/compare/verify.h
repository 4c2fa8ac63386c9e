/*
 * A proof on the user's own fabric.  The real OpenSM starts over a simulation of what is up, and an engine of
 * this program starts too.  Their forwarding tables, LIDs, SL-to-VL maps and service levels are compared.
 */
#ifndef IBSCOPE_VERIFY_H
#define IBSCOPE_VERIFY_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"

/* The most differences that are kept, for each kind. */
#define VERIFY_MOST 20
/* The most pairs whose service level is checked.  If there are more, a sample is drawn evenly from all. */
#define VERIFY_PAIRS 200000

struct verify_entry {
	uint32_t sw;
	uint16_t lid;
	uint8_t port, opensm; /* here and in OpenSM; NO_PATH = none */
};

struct verify_sl {
	uint16_t slid, dlid;
	int lo, hi, opensm; /* here from lo to hi; -1: no path */
};

struct verification {
	const struct sweep *sweep; /* reference held: the same sweep here; its fabric is the one that ibsim
				      made */
	char *engine;		   /* the engine that routed according to OpenSM; "": it names none; owned */
	uint64_t entries;	   /* compared: every LID on every switch */
	uint64_t differ;
	uint32_t no_table; /* switches that have no table there: all their entries differ */
	uint32_t lids, lids_differ;
	uint16_t lid[VERIFY_MOST]; /* the first of these */
	uint64_t pairs;		   /* all pairs; 0: there are no service levels to compare */
	uint64_t asked, sls_differ;
	uint64_t drawn;				/* of the pairs checked: any of several SLs is right */
	struct verify_entry entry[VERIFY_MOST]; /* the first that differ */
	struct verify_sl sl[VERIFY_MOST];
	uint64_t maps; /* SL-to-VL maps compared; 0: qos is off, so nobody programs any */
	uint64_t maps_differ;
	struct text maps_told; /* a line for each of the first maps that differ */
	struct text limits;    /* lines on what the simulator cannot hold, and what was done instead */
};

/*
 * Runs it: the chain under the options of the setup, on what is up in its state.  Returns NULL and *e when a
 * program is missing, the engine is not one of OpenSM's, OpenSM would hang or crash on this fabric, a program
 * ended or stood still, or it was cancelled.  Nothing stays behind.
 */
struct verification *verify_run(const struct setup *setup, const char *chain,
				const struct engine *const *engines, struct progress *p, struct err *e);
void verify_free(struct verification *v);

/* Is everything equal: engine, LIDs, entries, SL-to-VL maps, service levels? */
bool verify_same(const struct verification *v);

/* Compares OpenSM's dump (opensm-lfts.dump, in memory) with the sweep of *v.  Returns -1 and *e when it has
 * no tables. */
int verify_tables(struct verification *v, const char *data, size_t size, struct progress *p, struct err *e);

#endif
