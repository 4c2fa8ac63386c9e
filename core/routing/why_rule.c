#include "core/routing/why_rule.h"

#include <stdlib.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/routing/distances.h"

/* The closed list. */
static const char *const names[N_WHY_RULES] = {
	[WHY_UNTOLD] = "",
	[WHY_OWN_LID] = "own LID",
	[WHY_ATTACHED] = "attached here",
	[WHY_NOT_ATTACHED] = "not attached",
	[WHY_CUT_OFF] = "cut off",
	[WHY_NO_LID] = "no LID",
	[WHY_CACHED] = "cached",
	[WHY_NOT_ROUTED] = "not routed",
	[WHY_ENGINE] = "engine",
	[WHY_LONGER] = "longer",
	[WHY_NO_WAY] = "no way",
	[WHY_NO_SWITCH] = "no switch",
	[WHY_DETOUR] = "detour",
	[WHY_ONLY_CANDIDATE] = "only candidate",
	[WHY_LEAST_COUNT] = "least count",
	[WHY_FIRST_OF_EQUALS] = "first of equals",
	[WHY_KEPT] = "kept",
	[WHY_NEW_SYSTEM] = "new system",
	[WHY_NEW_NODE] = "new node",
	[WHY_LEAST_FORWARDED] = "least forwarded",
	[WHY_SHIFTED] = "shifted",
	[WHY_RANDOM] = "random",
	[WHY_LEFT_COUNTER] = "counter of a refused engine",
	[WHY_TOO_FAR] = "too far",
	[WHY_COST] = "cost",
	[WHY_FIRST_NEIGHBOUR] = "first neighbour",
	[WHY_FORBIDDEN] = "forbidden",
	[WHY_MIXED] = "mixed",
	[WHY_MISSED] = "missed",
	[WHY_ROOTS_APART] = "roots apart",
	[WHY_PRICED] = "priced",
	[WHY_ERASED] = "erased",
	[WHY_RANK] = "rank",
	[WHY_ROOT_COUNTED] = "root: counted",
	[WHY_ROOT_NAMED] = "root: named",
	[WHY_ROOT_FARTHEST] = "root: farthest",
	[WHY_ONLY_WAY] = "only way",
	[WHY_TREE] = "tree",
	[WHY_CABLE] = "cable",
	[WHY_SAME_SWITCH] = "same switch",
	[WHY_LOWEST] = "lowest",
	[WHY_OPENED] = "opened",
	[WHY_REFUSED] = "refused",
	[WHY_MOVED] = "moved",
	[WHY_MAIN_PATH] = "main path",
	[WHY_LEAST_LOAD] = "least load",
	[WHY_LOWER_INDEX] = "lower index",
	[WHY_LEARNED] = "learned",
	[WHY_SECONDARY] = "secondary",
	[WHY_SIDE] = "side",
	[WHY_REVERSE_HOP] = "reverse hop",
	[WHY_CONNECT_ROOTS] = "connect roots",
	[WHY_NOT_REACHED] = "not reached",
	[WHY_ONLY_PATH] = "only path",
	[WHY_CONTENTION] = "contention",
	[WHY_DISTANCE] = "distance",
	[WHY_USAGE] = "usage",
	[WHY_NEXT_ELEMENT] = "next element",
	[WHY_OWN_CHIP] = "own chip",
	[WHY_PORT] = "port",
	[WHY_INSIDE_ONLY] = "inside: only",
	[WHY_NOT_GIVEN] = "not given",
	[WHY_INSIDE_CONTENTION] = "inside: contention",
	[WHY_INSIDE_DISTANCE] = "inside: distance",
	[WHY_INSIDE_USAGE] = "inside: usage",
	[WHY_INSIDE_PORT] = "inside: port",
	[WHY_INSIDE_LONGER] = "inside: longer",
	[WHY_WOULD_LOOP] = "would loop",
	[WHY_BEYOND_TOLERANCE] = "beyond tolerance",
	[WHY_LINE] = "line",
	[WHY_AS_READ] = "as read",
	[WHY_NOT_IN_FILE] = "not in the file",
	[WHY_PROGRAM] = "program",
	[WHY_SHORTEST] = "shortest",
	[WHY_TIE] = "tie",
	[WHY_LIGHTER] = "longer but lighter",
	[WHY_FIRST_LAYER] = "first",
	[WHY_CUT] = "cut",
	[WHY_BLOCKED] = "blocked",
	[WHY_BACKTRACK] = "backtrack",
	[WHY_SHORTCUT] = "shortcut",
	[WHY_ESCAPE] = "escape tree",
	[WHY_LAYER] = "layer",
	[WHY_SHORTER_ROUND] = "shorter way round",
	[WHY_NO_WRAP] = "tie: no wrap",
	[WHY_BROKEN_RING] = "broken ring",
	[WHY_EARLY_TURN] = "early turn",
	[WHY_DIMENSION] = "dimension order",
	[WHY_DEALT] = "in turn",
	[WHY_OUTSIDE] = "outside",
	[WHY_SL_BITS] = "SL bits",
};

const char *why_rule_name(enum why_rule rule)
{
	return names[rule];
}

void decide(struct decided *d, enum why_rule rule, const char *fmt, ...)
{
	va_list ap;

	text_free(&d->text);
	d->rule = rule;
	va_start(ap, fmt);
	text_addv(&d->text, fmt, ap);
	va_end(ap);
}

void decided_free(struct decided *d)
{
	text_free(&d->text);
	d->rule = WHY_UNTOLD;
}

uint32_t connected_switches(const struct topo *t, uint32_t sw, uint32_t other, bool *there)
{
	uint16_t *hops = NEW_ARRAY(t->fabric->n_switches, uint16_t);
	uint32_t n = switch_distances(t, sw, hops);

	*there = other != NO_ID && hops[other] != NO_HOPS;
	free(hops);
	return n;
}

bool decide_common(const struct topo *t, const struct lids *l, uint32_t sw, unsigned lid, unsigned port,
		   struct decided *d)
{
	const struct fabric *f = t->fabric;
	uint32_t ep = lid_owner(l, lid), target = ep == NO_ID ? NO_ID : t->endport_switch[ep], n;
	char a[300];
	bool there;

	if (target == sw && ep != NO_ID && port == t->endport_swport[ep]) {
		if (port)
			decide(d, WHY_ATTACHED, "%s hangs on port %u of %s.",
			       endport_label(f, ep, a, sizeof(a)), port, switch_name(f, sw));
		else
			decide(d, WHY_OWN_LID, "%s has LID %u itself: port 0.", switch_name(f, sw), lid);
		return true;
	}
	if (port != NO_PATH)
		return false;
	if (target == NO_ID) {
		decide(d, WHY_NOT_ATTACHED, "LID %u hangs on no switch that is up.", lid);
		return true;
	}
	n = connected_switches(t, sw, target, &there);
	if (there)
		return false;
	decide(d, WHY_CUT_OFF, "No cables lead from %s to %s; its part has %s.", switch_name(f, sw),
	       switch_name(f, target), PLURAL(n, "switch"));
	return true;
}
