#include "core/session/glossary.h"

#include <stddef.h>
#include <string.h>

const struct figure_meaning glossary[] = {
	/* --- pairs and paths ----------------------------------------------------------------------- */
	{"pairs", "pairs", "pairs of a host and a LID of another, both up; each direction is one", OVER_LIDS,
	 SCOPE_ENDS, "check: check.pairs; advise: advice[].pairs; diff: change.pairs"},
	{"pairs without a path", "pairs",
	 "pairs whose path does not arrive; with adaptive routing: some way of it does not", OVER_LIDS,
	 SCOPE_ENDS,
	 "check: unreachable, check.unreachable; compare: compare[].unreachable; report: unreachable"},
	{"pairs that loop", "pairs", "of the pairs without a path: in a forwarding loop", OVER_LIDS,
	 SCOPE_ENDS, "check: check.looping"},
	{"ways to switches", "pairs",
	 "pairs of a host and the LID of a switch without a path: no fault by themselves", OVER_NOTHING,
	 SCOPE_HOSTS, "check: check.switch_unreachable"},
	{"longest path", "links", "links of the longest path that arrives, those of both hosts included",
	 OVER_LIDS, SCOPE_ENDS,
	 "check: check.max_links, check.max_hops; compare: compare[].hops_max; diff: change.max_links_after"},
	{"mean path", "links", "mean links of the paths that arrive, those of both hosts included", OVER_LIDS,
	 SCOPE_ENDS, "compare: compare[].hops_mean; diff: change.mean_links_after"},
	{"elements of a path", "elements",
	 "switch elements that a path enters, the first and the last included; chips of one chassis in a row "
	 "are one",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].elements_mean"},
	{"service levels", "SLs", "service levels that paths which arrive may have", OVER_LIDS, SCOPE_ENDS,
	 "compare: compare[].sls"},
	/* --- routes on links ------------------------------------------------------------------------- */
	{"routes", "routes",
	 "pairs of a traffic pattern, by their weights, whose path leaves by the port; unless another is "
	 "named, all pairs of hosts",
	 OVER_PAIRS, SCOPE_ENDS, "load-map: loads.ports[].routes"},
	{"load", "routes", "most routes on a link between switches, in one direction", OVER_PAIRS, SCOPE_ENDS,
	 "load-map: loads.max; advise: advice[].max_load; survey: survey[].load_after"},
	{"routes to LIDs", "routes",
	 "most routes on a link between switches from all hosts to all LIDs of the others, as `load-map "
	 "lids` has them",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].load_max"},
	{"edge-forwarding index", "routes",
	 "most routes from a host to the base LID of another over one cable between switches, both "
	 "directions "
	 "together (Heydemann, Meyer, Sotteau 1989)",
	 OVER_PAIRS, SCOPE_ENDS, "compare: compare[].edge_forwarding_max"},
	{"bound of the cabling", "routes",
	 "no routing of all pairs has a smaller edge-forwarding index: shortest ways shared by all cables, "
	 "or "
	 "pairs by those around a switch or element",
	 OVER_PAIRS, SCOPE_ENDS, "compare: compare[].edge_forwarding_bound"},
	{"flows left out", "flows",
	 "flows of the pattern with an end that is down or does not count, or with one end only", OVER_PAIRS,
	 SCOPE_ENDS, "load-map: left_out"},
	{"share of a link", "pairs",
	 "pairs whose path leaves by the port, where each switch divides them equally over its group of "
	 "ports",
	 OVER_PAIRS, SCOPE_ENDS, "spread: shares.ports[].share"},
	{"pairs left out of shares", "pairs",
	 "pairs left out whole: some way of theirs loops or ends nowhere", OVER_PAIRS, SCOPE_ENDS,
	 "spread: shares.unreachable"},
	{"flows of a shift", "flows",
	 "most flows of one shift on a link in one direction, links of hosts included; the order is told",
	 OVER_PAIRS, SCOPE_ENDS, "shifts: shifts.worst, shifts.list[].max; advise: advice[].shift_worst"},
	{"mean shift", "flows",
	 "mean, over the shifts looked at, of the most flows on a link; advise looks at 20", OVER_PAIRS,
	 SCOPE_ENDS, "shifts: shifts.mean; advise: advice[].shift_mean"},
	{"effective bisection", "part of a link",
	 "mean share of its link that a host gets when random pairs talk, 1 / the most flows on a link of "
	 "its way; advise takes two for equal whose 95 % intervals overlap",
	 OVER_PAIRS, SCOPE_ENDS, "load-map: ebb.value; advise: advice[].bisection"},
	{"LIDs sent by a port", "LIDs",
	 "LIDs that the table sends out of a port between switches; in pane usage beside the mean of the "
	 "ports of one "
	 "element that lead to the same element, or to such as only pass on to the same neighbours",
	 OVER_ENTRIES, SCOPE_NONE, "compare: compare[].usage_max"},
	{"first links per host", "ports",
	 "ports by which an edge switch sends the LIDs of a host port that it reaches on another switch, "
	 "mean over both",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].first_links_mean"},
	{"all links per host", "links",
	 "links between switches, each direction by itself, on the paths from an edge switch to all LIDs of "
	 "a host port elsewhere that it reaches, mean over both",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].links_mean"},
	/* --- layers and dependencies ------------------------------------------------------------------- */
	{"routes of a channel", "routes",
	 "routes from a host's base LID to a LID of another that take the link on the VL; once on each VL "
	 "that they may have there, with adaptive routing once for each way by which they come to the link",
	 OVER_SWITCHES, SCOPE_ENDS, "cdg: cdg.list[].routes"},
	{"routes of a VL", "routes", "routes that begin on the VL; once on each VL that they may begin on",
	 OVER_SWITCHES, SCOPE_ENDS, "layers: layers[].routes"},
	{"dependencies", "dependencies",
	 "pairs of channels that some route takes in turn; routes that do not arrive make none, with "
	 "adaptive routing those some way of which does not",
	 OVER_SWITCHES, SCOPE_ENDS, "cdg: cdg.dependencies; layers: layers[].dependencies"},
	{"groups of credit loops", "groups", "groups of channels with credit loops, on all VLs",
	 OVER_SWITCHES, SCOPE_ENDS,
	 "check: credit_loop_groups; cycles: credit_loop_groups; compare: compare[].credit_loops; advise: "
	 "advice[].loops; report: credit_loop_groups"},
	{"channels on credit loops", "channels", "channels on credit loops", OVER_SWITCHES, SCOPE_ENDS,
	 "cdg: cdg.on_cycles; layers: layers[].on_cycles"},
	{"dropped routes", "routes", "routes that VL 15 ends", OVER_SWITCHES, SCOPE_ENDS,
	 "check: dropped; cycles: dropped; layers: dropped"},
	{"VLs needed", "VLs",
	 "layers that the engine needs, before it gives a layer several service levels and whether qos is on "
	 "or off; 1 where it has none",
	 OVER_LIDS, SCOPE_ENDS, "compare: compare[].vls_needed"},
	{"VLs", "VLs", "VLs that routes use", OVER_LIDS, SCOPE_ENDS, "advise: advice[].vls"},
	/* --- changes ----------------------------------------------------------------------------------- */
	{"changed entries", "entries",
	 "entries of switches that are there before and after, with another port, 255 (none) included",
	 OVER_ENTRIES, SCOPE_NONE,
	 "diff: change.entries; journal: events[].entries; survey: survey[].entries"},
	{"rerouted pairs", "pairs", "pairs with a path before and another one now", OVER_LIDS, SCOPE_ENDS,
	 "diff: change.rerouted; journal: events[].rerouted; survey: survey[].rerouted"},
	{"lost pairs", "pairs", "pairs, of those before, with a path before and none now", OVER_LIDS,
	 SCOPE_ENDS, "diff: change.lost; journal: events[].lost; survey: survey[].lost"},
	{"regained pairs", "pairs", "pairs, of those now, with a path now and none before", OVER_LIDS,
	 SCOPE_ENDS, "diff: change.regained; journal: events[].regained"},
	{"longer pairs", "pairs", "of the rerouted pairs: with a longer path now", OVER_LIDS, SCOPE_ENDS,
	 "diff: change.longer; survey: survey[].longer"},
	{"pairs with another SL", "pairs", "pairs with a path before and now that have another SL", OVER_LIDS,
	 SCOPE_ENDS, "diff: change.sl_changed"},
	{"pairs cut off", "pairs", "of the lost pairs: an end is down, or out of the subnet manager's part",
	 OVER_LIDS, SCOPE_ENDS, "diff: cut_off; survey: survey[].cut_off"},
	{"pairs between survivors", "pairs", "of the lost pairs: both ends are in the subnet manager's part",
	 OVER_LIDS, SCOPE_ENDS, "diff: between_survivors; survey: survey[].between_survivors"},
	{"pairs outside", "pairs",
	 "of the pairs cut off: both ends in one part that the subnet manager does not reach, where the old "
	 "tables stay",
	 OVER_LIDS, SCOPE_ENDS, "survey: survey[].outside"},
	{"pairs cut until the sweep", "pairs",
	 "pairs with a path before whose path by the old tables passes what failed, or that have an end that "
	 "is down: "
	 "what is cut until the next sweep",
	 OVER_LIDS, SCOPE_ENDS,
	 "fail: pairs_until_sweep; outage: pairs_until_sweep; survey: survey[].outage"},
	{"pairs beyond", "pairs", "of the lost pairs: lost by neither of two failures alone", OVER_LIDS,
	 SCOPE_ENDS, "survey: survey[].beyond"},
	/* --- who is reached ----------------------------------------------------------------------------- */
	{"endports cut off", "endports",
	 "endports that are up but not reached by the subnet manager: host ports and, without a scope, "
	 "switches",
	 OVER_NOTHING, SCOPE_HOSTS, "check: hosts_gone"},
	{"hosts cut off", "host ports", "host ports that are up but not reached by the subnet manager",
	 OVER_NOTHING, SCOPE_HOSTS, "check: hosts_cut_off"},
	{"switches cut off", "switches", "switches that are up but not reached by the subnet manager",
	 OVER_NOTHING, SCOPE_NONE, "check: switches_cut_off"},
	{"hosts gone", "host ports", "host ports that are up, but no longer in the subnet manager's part",
	 OVER_NOTHING, SCOPE_HOSTS, "survey: survey[].hosts_gone"},
	{"bad failures", "failures",
	 "failures after which nothing routes, pairs between survivors are lost, pairs are lost beyond, or "
	 "new credit loops are there; hosts cut off alone make none bad",
	 OVER_NOTHING, SCOPE_ENDS, "survey: bad"},
	{"failures that cut off", "failures", "failures that cut hosts off which are up", OVER_NOTHING,
	 SCOPE_HOSTS, "survey: cutting"},
	{"hosts behind one switch", "host ports",
	 "hosts that the loss of some switch cuts off from a larger part of the others, each once; where no "
	 "part is larger all of them",
	 OVER_NOTHING, SCOPE_HOSTS, "doctor"},
	{NULL, NULL, NULL, OVER_NOTHING, SCOPE_NONE, NULL},
};

void figure_tell(const struct figure_meaning *m, struct text *t)
{
	static const char *const over[] = {
		[OVER_LIDS] = ", by LID, without switches' own LIDs",
		[OVER_PAIRS] = ", by pair of hosts (their base LIDs), without switches' own LIDs",
		[OVER_SWITCHES] = ", by LID; the word `switches` adds switches' own LIDs, from and to",
		[OVER_ENTRIES] = ", by LID, with switches' own LIDs",
		[OVER_NOTHING] = "",
	};
	static const char *const scope[] = {
		[SCOPE_ENDS] = "Under a scope both ends are in it.",
		[SCOPE_HOSTS] = "Under a scope hosts of it alone.",
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
