/*
 * The closed list of rules that decide an entry of a forwarding table, the layer of a path or the rank of a
 * switch; and the rules that hold for every engine.  The output of `why` ends with the name of a rule.  All
 * names are in the table of why_rule.c.  Engines add the sentence with the figures.
 */
#ifndef IBSCOPE_WHY_RULE_H
#define IBSCOPE_WHY_RULE_H

#include "core/base/defs.h"
#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/routing/lids.h"

enum why_rule {
	WHY_UNTOLD, /* none: not to be shown */
	/* every engine */
	WHY_OWN_LID,
	WHY_ATTACHED,
	WHY_NOT_ATTACHED,
	WHY_CUT_OFF,
	WHY_NO_LID,
	WHY_CACHED,
	WHY_NOT_ROUTED,
	WHY_ENGINE, /* a rule of an engine that is not in the list */
	/* against a port that is not the entry's, where the engine weighed nothing */
	WHY_LONGER,
	WHY_NO_WAY,
	WHY_NO_SWITCH,
	WHY_DETOUR,
	/* engines/counted/assign.c: minhop, dor, updn, dnup, file */
	WHY_ONLY_CANDIDATE,
	WHY_LEAST_COUNT,
	WHY_FIRST_OF_EQUALS,
	WHY_KEPT,
	WHY_NEW_SYSTEM,
	WHY_NEW_NODE,
	WHY_LEAST_FORWARDED,
	WHY_SHIFTED,
	WHY_RANDOM,
	WHY_LEFT_COUNTER,
	WHY_TOO_FAR,
	WHY_COST,
	WHY_FIRST_NEIGHBOUR,
	/* updn, dnup */
	WHY_FORBIDDEN,
	WHY_MIXED,
	WHY_MISSED,
	WHY_ROOTS_APART,
	WHY_PRICED,
	WHY_ERASED,
	/* ranks: of updn, dnup, ftree */
	WHY_RANK,
	WHY_ROOT_COUNTED,
	WHY_ROOT_NAMED,
	WHY_ROOT_FARTHEST,
	/* lash */
	WHY_ONLY_WAY,
	WHY_TREE,
	WHY_CABLE,
	WHY_SAME_SWITCH,
	WHY_LOWEST,
	WHY_OPENED,
	WHY_REFUSED,
	WHY_MOVED,
	/* ftree */
	WHY_MAIN_PATH,
	WHY_LEAST_LOAD,
	WHY_LOWER_INDEX,
	WHY_LEARNED,
	WHY_SECONDARY,
	WHY_SIDE,
	WHY_REVERSE_HOP,
	WHY_CONNECT_ROOTS,
	WHY_NOT_REACHED,
	/* mincontention; its "kept" is the one above */
	WHY_ONLY_PATH,
	WHY_CONTENTION,
	WHY_DISTANCE,
	WHY_USAGE,
	WHY_NEXT_ELEMENT,
	WHY_OWN_CHIP,
	WHY_PORT,
	WHY_NOT_GIVEN,
	WHY_INSIDE_ONLY,
	WHY_INSIDE_CONTENTION,
	WHY_INSIDE_DISTANCE,
	WHY_INSIDE_USAGE,
	WHY_INSIDE_PORT,
	WHY_INSIDE_LONGER,
	WHY_WOULD_LOOP,
	WHY_BEYOND_TOLERANCE,
	/* file, live, tables, script */
	WHY_LINE,
	WHY_AS_READ,
	WHY_NOT_IN_FILE,
	WHY_PROGRAM,
	/* sssp, dfsssp, nue */
	WHY_SHORTEST,
	WHY_TIE,
	WHY_LIGHTER,
	WHY_FIRST_LAYER,
	WHY_CUT,
	WHY_BLOCKED,
	WHY_BACKTRACK,
	WHY_SHORTCUT,
	WHY_ESCAPE,
	WHY_LAYER,
	/* torus-2QoS */
	WHY_SHORTER_ROUND,
	WHY_NO_WRAP,
	WHY_BROKEN_RING,
	WHY_EARLY_TURN,
	WHY_DIMENSION,
	WHY_DEALT,
	WHY_OUTSIDE,
	WHY_SL_BITS,
	N_WHY_RULES
};

/* "least count"; "" of WHY_UNTOLD. */
const char *why_rule_name(enum why_rule rule);

/* A rule, with a sentence that tells with the figures how it decided.  Free with decided_free(). */
struct decided {
	enum why_rule rule;
	struct text text;
};

/* Replace what it says. */
void decide(struct decided *d, enum why_rule rule, const char *fmt, ...) PRINTF_LIKE(3, 4);
void decided_free(struct decided *d);

/*
 * The rule that holds for every engine, for the entry `port` (NO_PATH = none) of a switch for a LID: the LID
 * is the switch's own, its endport hangs on the switch, its endport hangs on no switch, or no cables lead
 * there. false (*d unchanged): none of these, or the entry says something else.
 */
bool decide_common(const struct topo *t, const struct lids *l, uint32_t sw, unsigned lid, unsigned port,
		   struct decided *d);

/* Number of switches that cables reach from a switch, with itself.  *there: is `other` (or NO_ID) one? */
uint32_t connected_switches(const struct topo *t, uint32_t sw, uint32_t other, bool *there);

#endif
