/*
 * Tables with adaptive-routing groups judged by the rule that NVIDIA publishes for ar_updn: a group has all
 * ports of the fewest legal hops to the LID, and the static port is one of them (engines/doc/updn.md, section
 * 13). Which of them is static is a tie that the rule leaves open, so it is not judged.
 */
#ifndef IBSCOPE_AR_RULE_H
#define IBSCOPE_AR_RULE_H

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/sm/engine.h"
#include "core/sm/sweep.h"

enum ar_fault_kind {
	AR_MISSING,  /* no entry */
	AR_LONGER,   /* the static port is not among the fewest legal hops */
	AR_OUTSIDE,  /* the static port is not in the group */
	AR_PORTS,    /* the group has ports that the rule's lacks */
	AR_NO_GROUP, /* a host's LID has no group on a switch where other hosts have one */
	AR_NO_KIND
};
extern const char *const ar_fault_word[AR_NO_KIND];

struct ar_fault {
	uint32_t sw;
	uint16_t lid;
	uint8_t port;
	enum ar_fault_kind kind;
	struct port_set rule; /* the ports with the fewest legal hops */
};

/* Fields of a struct ar_fault; code adds nodes, ports and sets. */
extern const struct field ar_fault_fields[];

struct ar_judgement {
	bool told; /* by the ranks that the source reports; false: the roots were given or found */
	char *notes;
	bool complete;	     /* all switches that are up have a table, and the whole fabric is known */
	uint32_t n_silent;   /* switches that are up but have no table */
	uint32_t n_switches; /* with a table */
	uint64_t n_judged, n_grouped; /* entries for LIDs to which a legal way leads, and how many of these
					 have a group */
	uint64_t n_other;	/* entries for LIDs without a legal way, to which the rule does not apply */
	struct ar_fault *fault; /* [n] by switch and LID; an entry has at most one */
	size_t n, cap;
};

/* Judges the tables in force.  Returns NULL and *e when the rule finds no roots, or when cancelled. */
struct ar_judgement *ar_judge(const struct sweep *s, const struct engine *const *engines, struct progress *p,
			      struct err *e);
void ar_judgement_free(struct ar_judgement *j);

#endif
