#include "core/session/glossary.h"

#include <stddef.h>
#include <string.h>

const struct figure_meaning glossary[] = {
	/* --- pairs and paths ----------------------------------------------------------------------- */
	{"pairs", "pairs", "a host and a LID of another host, both up; each direction counts as one pair",
	 OVER_LIDS, SCOPE_ENDS, "check: check.pairs; advise: advice[].pairs; diff: change.pairs"},
	{"pairs without a path", "pairs",
	 "pairs whose path does not arrive, those in pairs_untold among them; with adaptive routing also "
	 "pairs with one possible way that does not arrive",
	 OVER_LIDS, SCOPE_ENDS,
	 "check: unreachable, check.unreachable; compare: compare[].unreachable; report: unreachable"},
	{"pairs kept apart", "pairs",
	 "pairs whose ports share no partition in which one of them is a full member: no path from the SA, "
	 "whatever the tables do",
	 OVER_LIDS, SCOPE_ENDS, "check: check.no_common_pkey"},
	{"pairs that loop", "pairs", "pairs without a path because their packets run in a forwarding loop",
	 OVER_LIDS, SCOPE_ENDS, "check: check.looping"},
	{"ways to switches", "pairs",
	 "a host and the LID of a switch, without a path between them: this alone is no fault", OVER_NOTHING,
	 SCOPE_HOSTS, "check: check.switch_unreachable"},
	{"longest path", "links", "links of the longest path that arrives, those of both hosts included",
	 OVER_LIDS, SCOPE_ENDS,
	 "check: check.max_links; compare: compare[].hops_max; diff: change.max_links_after"},
	{"mean path", "links", "mean links of the paths that arrive, those of both hosts included", OVER_LIDS,
	 SCOPE_ENDS, "compare: compare[].hops_mean; diff: change.mean_links_after"},
	{"elements of a path", "elements",
	 "elements that a path enters, the first and the last included; neighbouring chips of one chassis "
	 "count as one element",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].elements_mean"},
	{"service levels", "SLs", "different service levels of the paths that arrive", OVER_LIDS, SCOPE_ENDS,
	 "compare: compare[].sls"},
	/* --- routes on links ------------------------------------------------------------------------- */
	{"routes", "routes",
	 "pairs of the traffic pattern whose path leaves by the port, each counted by its weight; the "
	 "default pattern is all pairs of hosts",
	 OVER_PAIRS, SCOPE_ENDS, "load-map: loads.ports[].routes"},
	{"load", "routes", "most routes on a link between switches, in one direction", OVER_PAIRS, SCOPE_ENDS,
	 "load-map: loads.max; advise: advice[].max_load; survey: survey[].load_after"},
	{"routes to LIDs", "routes",
	 "most routes on a link between switches when all hosts send to all LIDs of the other hosts, as in "
	 "`load-map lids`",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].load_max"},
	{"edge-forwarding index", "routes",
	 "most routes from a host to the base LID of another over one cable between switches, both "
	 "directions "
	 "together (Heydemann, Meyer, Sotteau 1989)",
	 OVER_PAIRS, SCOPE_ENDS, "compare: compare[].edge_forwarding_max"},
	{"bound of the cabling", "routes",
	 "no routing of all pairs has a smaller edge-forwarding index: it shares shortest paths among all "
	 "cables, or pairs among the cables around one switch or element",
	 OVER_PAIRS, SCOPE_ENDS, "compare: compare[].edge_forwarding_bound"},
	{"flows left out", "flows",
	 "flows of the pattern that are not counted: an end is down, has no LID or is not counted, or both "
	 "ends are the same host port",
	 OVER_PAIRS, SCOPE_ENDS, "load-map: left_out"},
	{"share of a link", "pairs",
	 "pairs whose path leaves by the port, where each switch divides them equally over its group of "
	 "ports",
	 OVER_PAIRS, SCOPE_ENDS, "spread: shares.ports[].share"},
	{"pairs left out of shares", "pairs",
	 "pairs that do not count, because one of their possible ways loops or ends nowhere", OVER_PAIRS,
	 SCOPE_ENDS, "spread: shares.unreachable"},
	{"flows of a shift", "flows",
	 "most flows of one shift on a link in one direction, links of hosts included; the answer names the "
	 "order",
	 OVER_PAIRS, SCOPE_ENDS, "shifts: shifts.worst, shifts.list[].max; advise: advice[].shift_worst"},
	{"mean shift", "flows",
	 "mean, over the shifts looked at, of the most flows on a link; advise looks at 20", OVER_PAIRS,
	 SCOPE_ENDS, "shifts: shifts.mean; advise: advice[].shift_mean"},
	{"effective bisection", "part of a link",
	 "mean share of its link that a flow of random pairs, or of GPUs, gets: 1 / the most flows on a "
	 "link of its path; for advise equal if 95 % intervals overlap",
	 OVER_PAIRS, SCOPE_ENDS, "load-map: ebb.value; advise: advice[].bisection"},
	{"LIDs sent by a port", "LIDs",
	 "LIDs that the table sends out of a port between switches; pane usage compares it with the mean of "
	 "the ports of the same element that lead to the same element, or to elements that only pass packets "
	 "on to the same neighbours",
	 OVER_ENTRIES, SCOPE_NONE, "compare: compare[].usage_max"},
	{"first links per host", "ports",
	 "ports by which an edge switch sends to the LIDs of one host port on another switch; the mean over "
	 "all edge switches and host ports that they reach",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].first_links_mean"},
	{"all links per host", "links",
	 "links between switches on the paths from an edge switch to all LIDs of one host port on another "
	 "switch, each direction counted; the mean over all edge switches and host ports that they reach",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].links_mean"},
	/* --- layers and dependencies ------------------------------------------------------------------- */
	{"routes of a channel", "routes",
	 "routes from a host's base LID to a LID of another that take the link on the VL; each counts once "
	 "on each VL that it may have there, and once for each adaptive way to it",
	 OVER_SWITCHES, SCOPE_ENDS, "cdg: cdg.list[].routes"},
	{"routes of a VL", "routes",
	 "routes that begin on the VL; a route that may begin on several VLs counts once on each",
	 OVER_SWITCHES, SCOPE_ENDS, "layers: layers[].routes"},
	{"dependencies", "dependencies",
	 "pairs of channels that a route takes one after the other; only routes that arrive count, adaptive "
	 "ones only if all their ways arrive",
	 OVER_SWITCHES, SCOPE_ENDS, "cdg: cdg.dependencies; layers: layers[].dependencies"},
	{"groups of credit loops", "groups", "groups of channels with credit loops, on all VLs",
	 OVER_SWITCHES, SCOPE_ENDS,
	 "check: credit_loop_groups; cycles: credit_loop_groups; compare: compare[].credit_loops; advise: "
	 "advice[].loops; report: credit_loop_groups"},
	{"channels on credit loops", "channels", "channels on credit loops", OVER_SWITCHES, SCOPE_ENDS,
	 "cdg: cdg.on_cycles; layers: layers[].on_cycles"},
	{"dropped routes", "routes", "routes that a switch drops because their SL maps to VL 15",
	 OVER_SWITCHES, SCOPE_ENDS, "check: dropped; cycles: dropped; layers: dropped"},
	{"VLs needed", "VLs",
	 "layers that the engine needs, counted before it gives a layer several service levels, with qos on "
	 "or off; 1 if the engine has no layers",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].vls_needed"},
	{"VLs", "VLs", "VLs that routes use", OVER_LIDS, SCOPE_ENDS, "advise: advice[].vls"},
	/* --- changes ----------------------------------------------------------------------------------- */
	{"changed entries", "entries",
	 "entries with another port than before (255, none, is a port too), of switches that are there "
	 "before and after",
	 OVER_ENTRIES, SCOPE_NONE,
	 "diff: change.entries; journal: events[].entries; survey: survey[].entries"},
	{"rerouted pairs", "pairs", "pairs with a path before and another one now", OVER_LIDS, SCOPE_ENDS,
	 "diff: change.rerouted; journal: events[].rerouted; survey: survey[].rerouted"},
	{"lost pairs", "pairs", "pairs with a path before and none now", OVER_LIDS, SCOPE_ENDS,
	 "diff: change.lost; journal: events[].lost; survey: survey[].lost"},
	{"regained pairs", "pairs", "pairs with a path now and none before", OVER_LIDS, SCOPE_ENDS,
	 "diff: change.regained; journal: events[].regained"},
	{"longer pairs", "pairs", "rerouted pairs with a longer path now", OVER_LIDS, SCOPE_ENDS,
	 "diff: change.longer; survey: survey[].longer"},
	{"pairs with another SL", "pairs", "pairs with a path before and now that have another SL", OVER_LIDS,
	 SCOPE_ENDS, "diff: change.sl_changed"},
	{"pairs cut off", "pairs",
	 "lost pairs with an end that is down or that the subnet manager does not reach", OVER_LIDS,
	 SCOPE_ENDS, "diff: cut_off; survey: survey[].cut_off"},
	{"pairs between survivors", "pairs",
	 "lost pairs with both ends still up and reached by the subnet manager", OVER_LIDS, SCOPE_ENDS,
	 "diff: between_survivors; survey: survey[].between_survivors"},
	{"pairs outside", "pairs",
	 "pairs cut off with both ends in one part of the fabric that the subnet manager does not reach; the "
	 "old tables stay there",
	 OVER_LIDS, SCOPE_ENDS, "survey: survey[].outside"},
	{"pairs cut until the sweep", "pairs",
	 "pairs that the failure cuts until the next sweep: they had a path, and by the old tables it passes "
	 "what failed, or an end of it is down",
	 OVER_LIDS, SCOPE_ENDS,
	 "fail: pairs_until_sweep; outage: pairs_until_sweep; survey: survey[].outage"},
	{"pairs beyond", "pairs", "pairs that two failures together lose, and neither of them alone",
	 OVER_LIDS, SCOPE_ENDS, "survey: survey[].beyond"},
	/* --- who is reached ----------------------------------------------------------------------------- */
	{"endports cut off", "endports",
	 "endports that are up but not reached by the subnet manager: host ports and, without a scope, "
	 "switches",
	 OVER_NOTHING, SCOPE_HOSTS, "check: hosts_gone"},
	{"hosts cut off", "host ports", "host ports that are up but not reached by the subnet manager",
	 OVER_NOTHING, SCOPE_HOSTS, "check: hosts_cut_off"},
	{"switches cut off", "switches", "switches that are up but not reached by the subnet manager",
	 OVER_NOTHING, SCOPE_NONE, "check: switches_cut_off"},
	{"hosts gone", "host ports", "host ports that are up, but that the subnet manager no longer reaches",
	 OVER_NOTHING, SCOPE_HOSTS, "survey: survey[].hosts_gone"},
	{"bad failures", "failures",
	 "failures after which no engine routes, or pairs between survivors are lost, or pairs beyond, or "
	 "new credit loops appear; a failure that only cuts hosts off is not bad",
	 OVER_NOTHING, SCOPE_ENDS, "survey: bad"},
	{"failures that cut off", "failures", "failures that cut off hosts that are up", OVER_NOTHING,
	 SCOPE_HOSTS, "survey: cutting"},
	{"hosts behind one switch", "host ports",
	 "hosts that the loss of one switch cuts off from a larger part of the other hosts; if no part is "
	 "larger, all of them; each host counts once",
	 OVER_NOTHING, SCOPE_HOSTS, "doctor"},
	{NULL, NULL, NULL, OVER_NOTHING, SCOPE_NONE, NULL},
};

void figure_tell(const struct figure_meaning *m, struct text *t)
{
	static const char *const over[] = {
		[OVER_LIDS] = ", by LID, without switches' own LIDs",
		[OVER_PAIRS] = ", by pair of hosts (their base LIDs), without switches' own LIDs",
		[OVER_SWITCHES] = (", by LID; the word `switches` adds the switches' own LIDs, as source and "
				   "as destination"),
		[OVER_ENTRIES] = ", by LID, with switches' own LIDs",
		[OVER_NOTHING] = "",
	};
	static const char *const scope[] = {
		[SCOPE_ENDS] = "With a scope: both ends are in it.",
		[SCOPE_HOSTS] = "With a scope: only its hosts count.",
		[SCOPE_NONE] = "A scope changes nothing.",
	};

	text_add(t, "%s. Unit: %s%s. %s Told by %s", m->what, m->unit, over[m->over], scope[m->scope],
		 m->told);
}

const char *glossary_words(const char *help, int *len)
{
	const struct figure_meaning *m = glossary;

	while (*help == '=' && m->name && (strncmp(m->name, help + 1, (size_t)*len - 1) || m->name[*len - 1]))
		m++;
	if (*help != '=' || !m->name)
		return help;
	*len = (int)strlen(m->what);
	return m->what;
}
