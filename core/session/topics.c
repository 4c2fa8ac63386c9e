#include "core/session/topics.h"
#include "core/base/memory.h"
#include "core/base/wrap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define IBA "InfiniBand Architecture Specification 1"

const struct topic core_topics[] = {
	/* --- names and tables -------------------------------------------------------------- */
	{"lid", "lids|destination|dst|target|to",
	 "the local identifier: the 16-bit address that the subnet manager gives an endport. A switch has "
	 "its LID at port 0. Commands take a node's LID as well as its name. LIDs of endports are 1 to "
	 "0xBFFF; higher ones are for multicast.",
	 IBA ", chapters 4 and 14", "show hosts"},
	{"guid", "node guid|port guid",
	 "a 64-bit name of a node, a port or a chassis that never changes. OpenSM goes "
	 "through switches in the order of their GUIDs with the bytes reversed, so where "
	 "two ways are equally good the GUIDs often decide.",
	 "engines/doc/minhop.md", "show switches"},
	{"name", "description|short name",
	 "the description that a node gives of itself. Names can be pasted back without quotes; a word, the "
	 "beginning or a part is enough if it fits one node only. Nodes with the same name are shown with "
	 "what differs.",
	 IBA ", chapter 14", "show hosts"},
	{"label", "labels|port label|front panel",
	 "what the front panel shows at a port: 1/32/1 is ASIC 1, cage 32, port 1. It comes from ibdiagnet's "
	 "files; else ibscope derives it for models it knows. Shown as 63 1/32/1; commands take leaf[1/32/1] "
	 "as a port.",
	 "core/formats/doc/formats.md, section 9.6", "show node leaf-01"},
	{"lft", "table|entry|entries|now|was|port|via|changed",
	 "the linear forwarding table of a switch: for each LID the port by which a packet to that LID "
	 "leaves. Who sent the packet plays no part. 255 means that the switch drops the packet; such "
	 "entries are not listed.",
	 IBA ", chapters 14 and 18", "lft leaf-01"},
	{"lmc", "lid mask control",
	 "an endport with LMC n answers to 2^n LIDs in a row, and each LID has an entry of "
	 "its own in every table: several paths to one port. The sender decides which of them it uses. More "
	 "LIDs alone balance nothing.",
	 IBA ", chapter 4", "route minhop lmc=1; list lids node0005"},
	{"endport", "host|hosts|end|peer",
	 "a port that has a LID: of a host's adapter, or port 0 of a switch. Paths and pairs "
	 "are counted between endports of hosts.",
	 IBA ", chapter 3", "show hosts"},
	{"element", "chip|chips|chassis|elements|director|switch|switches",
	 "what people see as one switch: a chassis of several switch chips, or a switch that stands alone. A "
	 "switch is one chip here. In the explorer E folds the chips of "
	 "an element into one row.",
	 "HP 376227-B21, user guide; `lesson chassis`", "elements"},
	{"hops", "hop|link|links|length|distance|dist|least|matrix|longer",
	 "hops count the cables between switches, from a switch to the destination's switch; links count all "
	 "cables of a path, with the two at its ends: hops + 2. Engines differ: ftree counts the cable of "
	 "the adapter as a hop, too.",
	 "engines/doc/minhop.md, section 4", "hops leaf-01"},
	{"path", "way|ways|route|pair|pairs|rerouted",
	 "the cables that a packet takes from one endport to another, as the tables say. The way back "
	 "follows other entries and may use other cables.",
	 IBA ", chapter 14", "trace node0001 node0005"},
	/* --- how entries are chosen ---------------------------------------------------------- */
	{"relaxation", "rounds|round",
	 "OpenSM fills the hop matrix in rounds: each switch takes its neighbours' hops and adds one. A "
	 "value taken from the same round runs ahead, and may become lower later. A round without changes is "
	 "the last.",
	 "engines/doc/minhop.md, section 4", "route minhop; step start; step until ahead"},
	{"candidate", "candidates|choice|also equal|equal",
	 "a port with the least hops to the destination's switch. The engine chooses among candidates only, "
	 "so it can balance only where there are several.",
	 "engines/doc/minhop.md, section 6", "why leaf-01 node0005"},
	{"count", "routes|usage|counted|balance|share",
	 "of a port: the LIDs that its switch has given to it so far; the next goes to the port with the "
	 "fewest. Equal counts are not equal traffic: the engine does not look at who sends how much, and "
	 "from where.",
	 "OpenSM manual, Min Hop; `lesson gather`", "route minhop; list usage all"},
	{"load", "loads|heat|hottest|x mean|to mean",
	 "of a cable in one direction: the number of pairs of hosts whose path uses it when all hosts send "
	 "to all. It counts paths, not bytes; twice the mean is worth a look.",
	 "Hoefler, Schneider, Lumsdaine, Cluster 2008; `lesson balance`", "load-map"},
	{"weight", "weights|growth|half by|over the run",
	 "of a cable, in sssp and dfsssp: it grows with each route over the cable, so later routes avoid "
	 "cables that many routes use already.",
	 "Hoefler, Schneider, Lumsdaine, HOTI 2009", "route sssp; list weights"},
	{"kept", "keep|stale|kept by history",
	 "an entry that OpenSM did not choose anew: if nothing came up since the last sweep, it keeps each "
	 "entry that is still a candidate. So tables depend on what happened before, and their balance gets "
	 "worse over time.",
	 "engines/doc/minhop.md, section 8", "route minhop; fail link leaf-01[5]; reroute"},
	{"sweep", "heavy sweep|reroute",
	 "the subnet manager discovers the fabric, gives LIDs, routes and programs the "
	 "switches: a heavy sweep. Each event here is one.",
	 "OpenSM manual", "journal"},
	{"cache", "unicast cache|cached|use_ucast_cache",
	 "with use_ucast_cache OpenSM does not run the engine if only hosts or leaf switches that it knew "
	 "have gone or come back: it keeps the tables, except entries into what is down.",
	 "OpenSM manual, option -A", "set use_ucast_cache TRUE; show options"},
	{"refusal", "chain|engine|fallback|refuses|refused",
	 "if an engine cannot route a fabric, OpenSM tries the next one of the list, and at last Min Hop. "
	 "Many logs do not say so: after each event, look which engine routed.",
	 "OpenSM manual, option -R; `lesson drill`", "route ftree,updn"},
	/* --- up and down ------------------------------------------------------------------ */
	{"rank", "ranks|level|equal ranks",
	 "of a switch: the number of cables to the nearest root, 0 for a root. Up is towards rank 0. Up/Down "
	 "and Down/Up use these ranks; fat-tree routing counts ranks of its own from the top.",
	 "engines/doc/updn.md, section 3", "route updn; ranks"},
	{"root", "roots|root_guid_file|passes",
	 "a switch with rank 0, from which ranks count. Without a list of roots Up/Down takes each switch "
	 "with over 90 % of the hosts at one distance and at most 5 % at any other. One failed cable can end "
	 "that role.",
	 "engines/doc/updn.md, section 3; `lesson roots`", "route updn; roots"},
	{"turn", "turns|up|down|forbidden|dir|direction",
	 "the way through a switch, in by one port and out by another. Up/Down forbids up after down. This "
	 "leaves no credit loop if no cable joins switches of equal rank; otherwise tables may hold such "
	 "turns: see `check`.",
	 "Schroeder et al., Autonet, IEEE JSAC 9(8), 1991", "route updn; check"},
	{"valley", "valleys",
	 "a path that goes down and up again. Min Hop uses such paths after cables failed; several of them "
	 "together can close a credit loop.",
	 "Schroeder et al., IEEE JSAC 9(8), 1991; `lesson drill`", "check"},
	/* --- deadlock --------------------------------------------------------------------- */
	{"channel", "channels",
	 "one direction of a cable on one VL, with the buffer at its end. A packet holds a "
	 "channel while it waits for the next one.",
	 "Dally, Seitz, IEEE Trans. Computers C-36(5), 1987", "cdg"},
	{"dependency", "dependencies|cdg|deps|in|out",
	 "a path takes one channel and then the next, so a packet may hold the first channel while it waits "
	 "for the second: the first depends on the second. All dependencies together are the channel "
	 "dependency graph.",
	 "Dally, Seitz, IEEE Trans. Computers C-36(5), 1987", "cdg 0"},
	{"credit-loop", "deadlock|cycle|loop|loops|credit loops|cycles|cyclic|acyclic",
	 "channels that wait for each other in a circle: each holds a packet, none has a credit, and nothing "
	 "moves until timeouts drop packets. A loop in the tables only makes this possible; it happens when "
	 "traffic fills the loop.",
	 "Dally, Seitz 1987; " IBA ", chapter 7", "cycles"},
	{"credit", "credits|buffer|buffers|place|places|packets|standstill",
	 "a free place in the buffer at the far end of a channel; without one a packet waits. `drain` moves "
	 "packets by credits, round by round, until they arrive or wait in a circle. It is a model, not a "
	 "timing of hardware.",
	 "Dally, Seitz 1987; " IBA ", chapter 7", "drain all"},
	{"layer", "layers|lanes",
	 "a set of pairs whose dependencies have no circle. Each layer gets a VL of its own, "
	 "so packets of one layer never wait for those of another.",
	 "Skeie, Lysne, Theiss, LASH, CAC 2002", "route lash; layers"},
	{"sl", "sls|service level",
	 "the service level stands in the packet and never changes; each port maps it to a VL. A host that "
	 "asks OpenSM for a path gets its SL. With qos off, the default, OpenSM programs no maps: layers are "
	 "not kept apart.",
	 IBA ", chapter 7", "route lash qos=TRUE; trace node0001 node0005"},
	{"vl", "vls|virtual lane",
	 "a virtual lane is a buffer of a port, with credits of its own: packets on one VL do "
	 "not hold up those on another. Switches have 1, 2, 4, 8 or 15 for data.",
	 IBA ", chapter 7", "route lash qos=TRUE; list sl2vl leaf-01[5]"},
	{"sl2vl", "sl to vl|map|maps",
	 "the SL-to-VL map: for each pair of an input and an output port of a switch it maps the SL of a "
	 "packet to the VL on which the packet leaves.",
	 IBA ", chapter 7", "route lash qos=TRUE; list sl2vl leaf-01[5]"},
	{"balancing", "moved|moves",
	 "what LASH does when its layers are full: it moves random pairs from the largest layer to the "
	 "smallest, if they close no circle there, until the two differ by less than 6 pairs.",
	 "engines/doc/lash.md, section 9", "synth ring:5; route lash; step start; step until moved"},
	{"mesh-analysis", "mesh|axis|axes|grid|neighbourhood|seed",
	 "lash looks for a grid in the distances between neighbours, and orders links by dimension. A ring "
	 "of four switches is a 2 x 2 mesh, so 2 x 2 x 2 x 2 is right for a 4 x 4 torus.",
	 "engines/doc/lash.md, section 6; `lesson mesh`",
	 "synth torus:4x4; route lash do_mesh_analysis=TRUE; list mesh"},
	{"dimension-order", "dimension|first neighbour|xy",
	 "all steps in x, then all in y: in a mesh such paths close no circle. Rings of four and more "
	 "switches need a second VL. dor takes port order as dimension order, so all switches must use the "
	 "same ports for a dimension.",
	 "Sullivan, Bashkow, ISCA 1977; Dally, Seitz 1987; `lesson shuffled`",
	 "synth mesh:3x3; route dor; check"},
	{"dateline", "datelines",
	 "a chosen cable in each ring of a torus. A packet that will cross it uses another VL along that "
	 "whole ring (torus-2QoS decides this at the source). As no path is longer than half a ring, neither "
	 "VL closes a circle.",
	 "Dally, Towles, Interconnection Networks, 2004; torus-2QoS(8)", "lesson dateline"},
	{"restriction", "restrictions|restricted|blocked|backtracked|escape|escape tree|hull|detour|detours",
	 "nue searches routes within the dependency graph: a dependency that would close a circle is "
	 "blocked, and the route takes a detour. Every destination can fall back to the escape tree.",
	 "Domke, Hoefler, Matsuoka, HPDC 2016; `lesson nue`", "route nue; list nue-layers"},
	{"cut", "cuts|broken",
	 "dfsssp puts all pairs in layer 0, looks for circles, and cuts each at the edge with "
	 "the fewest pairs: those pairs move to the next layer.",
	 "Domke, Hoefler, Nagel, IPDPS 2011; `lesson dfsssp`", "synth ring:5; route dfsssp; list cuts"},
	/* --- fat trees ----------------------------------------------------------------------- */
	{"fat-tree", "xgft|tree|fat tree|leaf|spine|core",
	 "a tree with as many cables towards the top as downwards. xgft:M1,M2:W1,W2 has two levels: a switch "
	 "of level i has Mi children, each with Wi parents; the children of level 1 are hosts.",
	 "Leiserson, IEEE Trans. Computers, 1985; Ohring et al., IPPS 1995",
	 "synth xgft:2,2,2:1,2,2; route ftree; list tree"},
	{"climb", "main path|main-path|cu|cd|group|groups",
	 "ftree climbs from the leaf of each destination to the top, each time to the parent with the least "
	 "load: the main path. All other switches then get routes that meet this path.",
	 "Zahavi et al., CCPE 2010; engines/doc/ftree.md",
	 "route ftree; step start; step until lid 14; list groups leaf-01"},
	{"shift", "shifts|order|k",
	 "each node sends to the node K places further in an order; all-to-all programs do so for each K. "
	 "Routed for that order, a tree carries a shift without two flows on one cable. The order is ftree's "
	 "own, else by LID.",
	 "Zahavi et al., CCPE 2010; `lesson shift`", "shifts"},
	{"reverse-hop", "reverse hops|max_reverse_hops|io",
	 "a step of an ftree route down before up, only to ports in io_guid_file, at most max_reverse_hops. "
	 "It can close credit loops. OpenSM also counts the steps back, so you may need more than its manual "
	 "says.",
	 "OpenSM manual, fat-tree routing; `lesson io`", "help max_reverse_hops"},
	/* --- whole chassis ------------------------------------------------------------------- */
	{"contention", "marks|cont",
	 "in mincontention: the number of switch ports of a path that other LIDs of the same host port use "
	 "already. The lower it is, the more of these LIDs still work after one cable fails.",
	 "HP 376227-B21, user guide; `lesson tolerance`", "route mincontention lmc=1; list ways 3"},
	{"tolerance", "beyond tolerance|not given",
	 "in mincontention: how many links longer than the shortest path a path may be, if its contention is "
	 "lower. Not given means that the next switch sends the LID elsewhere, so this path cannot be used.",
	 "HP 376227-B21, user guide; `lesson tolerance`", "route mincontention lmc=1 tolerance=1; check"},
	/* --- traffic, failures, judgements ------------------------------------------------------- */
	{"bisection", "congestion|bandwidth|ebb|hot",
	 "several flows on one link share it. A network with full bisection has enough links "
	 "for both halves to talk, but routes are fixed, so flows may still meet on one.",
	 "Hoefler, Schneider, Lumsdaine, Cluster 2008; `lesson nonblocking`", "load-map ebb"},
	{"adaptive-routing", "ar|group of ports|spread",
	 "for each packet a switch chooses one port of a group. `check` and `trace` look at all ports of the "
	 "group; loads count the table's own entry only, `spread` counts the group.",
	 "IBTA Annex A17; core/formats/doc/formats.md; `lesson adaptive`", "help spread"},
	{"flow", "flows|shared",
	 "what one host sends to another. Flows that share their busiest link slow each other "
	 "down, however well LIDs are balanced.",
	 "Hoefler, Schneider, Lumsdaine, Cluster 2008", "flows node0001 node0005"},
	{"rail", "rails|planes",
	 "the ports number k of all servers, all cabled to leaf k. Traffic within a rail passes one switch. "
	 "If a leaf fails, every server loses one port, and none loses all.",
	 "NVIDIA DGX SuperPOD reference architecture; `lesson rails`",
	 "synth xgft:4,4:1,4; route minhop; check"},
	{"sound", "complete|verdict|sound and complete",
	 "sound: every pair of hosts has a path, and no VL has a credit loop. complete: the discovery, or "
	 "the file, holds the whole fabric. `check` ends with status 1 when either is missing.",
	 NULL, "check"},
	{"drift", "agreement|class|dead|missing|would",
	 "the difference between the tables in the switches and those that OpenSM computes. A restart writes "
	 "what differs; a running OpenSM never reads the tables, so its next sweep writes only what its own "
	 "memory has otherwise.",
	 "engines/doc/minhop.md, section 8", "drift"},
	{"doctor", "finding|findings|kind|severity|sure",
	 "lists every problem found, worst first, each with how sure it is and the command that "
	 "shows more.",
	 NULL, "help doctor"},
	{"scope", "job",
	 "the hosts that are counted, for example those of one job (@FILE:JOB reads them from squeue's "
	 "output). Tables do not change; pairs, loads and verdicts are about these hosts only.",
	 NULL, "scope node000[1-8]; check; scope all"},
	{"survey", "worst|failure|failures|fails|lost|gone|between|beyond|cut off",
	 "tries every single failure and ranks the failures by their effect on pairs, loads and credit "
	 "loops.",
	 NULL, "survey switches"},
	{"outage", "until the next sweep|repair|local repair|shield|flfr",
	 "lists the pairs that a failure cuts until the next sweep, and the entries that still lead to what "
	 "failed. With local_repair flfr a switch uses another port of the LID's adaptive-routing group.",
	 "The Double Scheme, TPDS 16(5), 2005", "outage switch 1"},
	{NULL, NULL, NULL, NULL, NULL},
};

/* --- finding ------------------------------------------------------------------------------- */

const struct topic *topic_at(const struct session *s, size_t i)
{
	for (size_t t = 0; s->topics && s->topics[t]; t++)
		for (const struct topic *p = s->topics[t]; p->name; p++)
			if (!i--)
				return p;
	return NULL;
}

static int topics_letter(char c)
{
	return c == '-' || c == '_' ? ' ' : tolower((unsigned char)c);
}

/* Does the word equal the name of `len` characters, or begin it (begins)? */
static bool equals(const char *word, const char *name, size_t len, bool begins)
{
	size_t n = strlen(word);

	if (begins ? n > len : n != len)
		return false;
	for (size_t i = 0; i < n; i++)
		if (topics_letter(word[i]) != topics_letter(name[i]))
			return false;
	return true;
}

bool topic_same(const char *a, const char *b)
{
	return equals(a, b, strlen(b), false);
}

static bool also_called(const struct topic *p, const char *word)
{
	const char *a = p->also;

	while (a && *a) {
		size_t len = strcspn(a, "|");

		if (equals(word, a, len, false))
			return true;
		a += len + (a[len] == '|');
	}
	return false;
}

const struct topic *topic_find(const struct session *s, const char *word, bool exact)
{
	const struct topic *p, *found = NULL;

	for (size_t i = 0; (p = topic_at(s, i)); i++)
		if (equals(word, p->name, strlen(p->name), false))
			return p;
	for (size_t i = 0; (p = topic_at(s, i)); i++)
		if (also_called(p, word))
			return p;
	for (size_t i = 0; !exact && (p = topic_at(s, i)); i++) {
		if (!equals(word, p->name, strlen(p->name), true))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

void topic_tell(const struct topic *p, struct text *t)
{
	char *name = str_printf("%s: ", p->name);

	wrap_text(t, p->text, TOPIC_COLUMNS, name, "  ");
	if (p->source)
		text_add(t, "  Source: %s.\n", p->source);
	text_add(t, "  Try: %s\n", p->try_it);
	free(name);
}
