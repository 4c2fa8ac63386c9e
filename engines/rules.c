#include "engines/rules.h"

#include <stddef.h>

const struct rule_difference rule_differences[] = {
	{"updn, an invalid line of root_guid_file",
	 "The program stops reading there, keeps the roots read before and looks for more.",
	 "The manual leaves out the line.", "synth ring:5; route updn root_guid_file=lesson:odd.roots"},
	{"updn, the GUID of a CA in root_guid_file", "The program ignores it.",
	 "In the manual it stands for the switch that the CA hangs on.",
	 "synth ring:5; route updn root_guid_file=lesson:host.roots"},
	{"ftree, an invalid line of a file of GUIDs", "The program stops reading there.",
	 "The manual leaves out the line.",
	 "synth lesson:tree2; route ftree root_guid_file=lesson:odd.roots"},
	{"sssp, dfsssp, an invalid line of a file of GUIDs", "The program refuses to route.",
	 "The manual leaves out the line.",
	 "synth lesson:tree2; route dfsssp cn_guid_file=lesson:odd.roots qos=TRUE"},
	{"ftree, trees that are not pure",
	 "The program looks at the first group of cables down from a switch, and not at the places of CAs.",
	 "By the manual all groups have as many cables, all CAs are at one level, or the engine refuses.",
	 "synth xgft:2,2,4:1,2,2,parallel=2,shuffle=1,seed=21; fail random 1 seed=21; route ftree"},
	{"ftree, max_reverse_hops",
	 "The program counts each turn of a climb, also one that leads back to where it came from; 3 joins "
	 "what the manual's figure joins with 2.",
	 "By the manual it is the number of switches that a route may pass the wrong way round.",
	 "synth xgft:2,2:1,3,hosts_on=all; fail link spine-01[3] spine-03[2]; route ftree "
	 "root_guid_file=spine-0[1-3] cn_guid_file=node000[1-4] io_guid_file=node000[5-7] "
	 "max_reverse_hops=2"},
	{"lash, lmc above 0", "The program routes.", "By the manual it refuses.",
	 "synth lesson:tree2; route lash lmc=1"},
	{"torus-2QoS, the line torus or mesh", "The program takes it anywhere before the datelines.",
	 "The manual wants it first.",
	 "synth torus:3x3; route torus-2QoS torus_config=lesson:odd.torus qos=TRUE"},
	{"minhop, updn, dnup, file: several LIDs of a port",
	 "The program prefers a system that no earlier LID of the port goes by, then such a node, then the "
	 "count.",
	 "The manual prefers another system than that of the LID before, then another node, then the count.",
	 "synth torus:4x4; route minhop lmc=2"},
	{NULL, NULL, NULL, NULL},
};
