/* Help: topics, the glossary of figures, and `help` itself. */
#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/help.h"
#include "core/session/lesson.h"
#include "core/sm/options.h"

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

/* The same word: capitals do not matter; blanks, '-' and '_' are the same. */
static bool topic_same(const char *a, const char *b)
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

/* Its lines. */
static void topic_tell(const struct topic *p, struct text *t)
{
	AUTO_FREE char *name = str_printf("%s: ", p->name);

	wrap_text(t, p->text, TOPIC_COLUMNS, name, "  ");
	if (p->source)
		text_add(t, "  Source: %s.\n", p->source);
	text_add(t, "  Try: %s\n", p->try_it);
}

/* `help`: commands, topics, options, and what the interface has names for, all from their tables. */

static json_t *command_json(const struct command *c, bool details)
{
	return json_make("{s:s, s:s, s:s, s:s, s:s*, s:s*, s:b}", "name", c->name, "group",
			 aim_groups[c->group].name, "syntax", c->syntax, "help", c->help, "details",
			 details ? c->details : NULL, "finds", c->finds, "screen", (int)c->on_screen);
}

static json_t *topic_json(const struct topic *p)
{
	json_t *also = json_array();
	const char *a = p->also ? p->also : "";

	for (size_t len; *a; a += len + (a[len] == '|')) {
		len = strcspn(a, "|");
		json_array_append_new(also, json_textn(a, len));
	}
	return json_make("{s:s, s:o, s:s, s:s*, s:s}", "name", p->name, "also", also, "text", p->text,
			 "source", p->source, "try", p->try_it);
}

/* Columns of a line of text: those of a screen, or less where the reader has less. */
static unsigned columns(const struct out *o)
{
	unsigned width = o->run->width;

	return width && width < TOPIC_COLUMNS ? width : TOPIC_COLUMNS;
}

/* Names of all topics in lines of a screen. */
static void list_topics(const struct session *s, struct out *o)
{
	json_t *list = json_array();
	const struct topic *p;
	struct text line = {0};

	for (size_t i = 0; (p = topic_at(s, i)); i++) {
		if (line.len + strlen(p->name) + 1 > columns(o) - 2) {
			out_text(o, "%s\n", text_str(&line));
			text_free(&line);
			line = (struct text){0};
		}
		if (!line.len)
			text_add(&line, i ? "         " : "  Topics:");
		text_add(&line, " %s", p->name);
		json_array_append_new(list, topic_json(p));
	}
	if (line.len)
		out_text(o, "%s\n", text_str(&line));
	text_free(&line);
	out_json(o, "topics", list);
}

/* Lists the commands of a group that need the screen, or the others. */
static void help_list_commands(const struct session *s, bool screen, unsigned group, json_t *list,
			       struct out *o)
{
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			if (c->on_screen == screen && c->group == group) {
				out_text(o, "  %-46s " ROW_PROSE "%s\n", c->syntax, c->help);
				json_array_append_new(list, command_json(c, false));
			}
}

/* Adds those of OpenSM's options which have that effect at SIGHUP; NULL: which it does not take. */
static void list_with(const struct options *opts, const char *effect, struct text *t)
{
	const char *between = "";

	for (size_t i = 0; i < options_count(opts); i++) {
		const struct optdef *d = options_at(opts, i);
		const char *its = sighup_effect(d->name);

		if (d->own || !its != !effect || (its && strcmp(its, effect)))
			continue;
		text_add(t, "%s%s", between, d->name);
		between = ", ";
	}
}

/* Tells all options of OpenSM, by what SIGHUP does with them. */
static void tell_sighup(const struct options *opts, struct out *o)
{
	size_t i = 0;

	do {
		const char *effect = sighup_effects[i];
		AUTO_TEXT struct text t = {0}, lines = {0};

		if (effect)
			text_add(&t, "Taken at SIGHUP, act %s: ", effect);
		else
			text_add(&t, "Not taken before a restart (`set`): ");
		list_with(opts, effect, &t);
		text_add(&t, ".");
		wrap_text(&lines, text_str(&t), columns(o), "  ", "    ");
		out_text(o, "%s", text_str(&lines));
	} while (sighup_effects[i++]);
}

static void help_tell_command(const struct session *s, const struct command *c, struct out *o)
{
	out_text(o, ROW_BEGIN "%s\n  " ROW_PROSE "%s\n", c->syntax, c->help);
	if (c->details)
		out_lines(o, c->details);
	if (c->sets_options)
		tell_sighup(s->setup->options, o);
	if (c->finds)
		out_text(o, "  Exit status 1 in batch when %s.\n", c->finds);
	if (c->on_screen)
		out_text(o, "  It needs the screen.\n");
}

static void tell_topic(const struct topic *p, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	topic_tell(p, &t);
	out_lines(o, text_str(&t));
}

/* --- other names ----------------------------------------------------------------------------- */

struct asked {
	const char *word;
	struct out *o;
	json_t *list;
};

/* Tells a name that is asked for by itself or by its kind: "hops, column of lft: ...". */
static void help_take_name(void *to, const struct named *n)
{
	struct asked *a = to;
	size_t len = strlen(n->kind);
	bool all = !strncmp(a->word, n->kind, len) && !strcmp(a->word + len, "s");
	AUTO_TEXT struct text placed = {0}, line = {0}, lines = {0};

	text_add(&placed, "%s %s", n->place, n->name);
	bool asked = topic_same(a->word, n->name) || (*n->place && topic_same(a->word, text_str(&placed)));
	if (!all && !asked)
		return;
	text_add(&line, "%s%s%s, %s", n->name, *n->syntax ? " " : "", n->syntax, n->kind);
	if (*n->place)
		text_add(&line, " %s %s", strcmp(n->kind, "key") ? "of" : "in", n->place);
	text_add(&line, ": %s", n->text);
	if (all && !a->o->run->width)
		text_add(&lines, "%s\n", text_str(&line));
	else
		wrap_text(&lines, text_str(&line), columns(a->o), "", "  ");
	out_text(a->o, "%s", text_str(&lines));
	json_array_append_new(a->list, json_make("{s:s, s:s, s:s*, s:s*, s:s}", "kind", n->kind, "name",
						 n->name, "place", *n->place ? n->place : NULL, "syntax",
						 *n->syntax ? n->syntax : NULL, "text", n->text));
}

/* What has words of its own for `help NAME` is named here where all of its kind are asked for. */
static void core_names(const struct session *s, void (*take)(void *to, const struct named *n), void *to)
{
	const struct asked *a = to;
	AUTO_TEXT struct text broken = {0};
	unsigned n_broken;
	struct lesson **lesson = strcmp(a->word, "lessons") ? NULL : lessons_all(&broken, &n_broken);
	const struct topic *p;

	for (size_t i = 0; !strcmp(a->word, "engines") && s->engines[i]; i++)
		take(to, &(struct named){"engine", s->engines[i]->name, "", "", s->engines[i]->brief});
	for (size_t i = 0; !strcmp(a->word, "topics") && (p = topic_at(s, i)); i++)
		take(to, &(struct named){"topic", p->name, "", "", p->text});
	for (size_t t = 0; !strcmp(a->word, "commands") && s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			take(to, &(struct named){"command", c->name, "", "", c->help});
	for (size_t i = 0; lesson && lesson[i]; i++)
		take(to, &(struct named){"lesson", lesson[i]->name, "", "", lesson[i]->title});
	if (lesson)
		lessons_free(lesson);
}

static void option_names(const struct session *s, void (*take)(void *to, const struct named *n), void *to)
{
	for (size_t i = 0; i < options_count(s->setup->options); i++) {
		const struct optdef *d = options_at(s->setup->options, i);
		AUTO_FREE char *values = optdef_values(d);
		AUTO_TEXT struct text t = {0};

		optdef_tell(d, &t);
		take(to, &(struct named){"option", d->name, "", values, text_str(&t)});
	}
}

/* Tells what else has the name. Returns the number of these. */
static size_t tell_names(const struct session *s, const char *word, struct out *o)
{
	struct asked a = {.word = word, .o = o, .list = json_array()};

	option_names(s, help_take_name, &a);
	core_names(s, help_take_name, &a);
	if (s->named)
		s->named(help_take_name, &a);
	size_t n = json_array_size(a.list);
	out_json(o, "names", a.list);
	return n;
}

/* --- the command -------------------------------------------------------------------------------- */

/* A command or topic of exactly that name. */
static void find_exact(const struct session *s, const char *word, const struct command **c,
		       const struct topic **p, struct topic *engine)
{
	*c = command_find(s, word, NULL);
	if (*c && strcmp((*c)->name, word))
		*c = NULL;
	*p = topic_find(s, word, true);
	const struct engine *g = *p ? NULL : engine_find(s->engines, word);
	if (g) {
		*engine = (struct topic){
			.name = g->name, .text = g->brief, .source = g->reference, .try_it = "show engines"};
		*p = engine;
	}
}

/* The command, or else the topic, that begins with the word. -1 and *e: none does. */
static int find_begun(const struct session *s, const char *word, const struct command **c,
		      const struct topic **p, struct err *e)
{
	*c = command_find(s, word, e);
	if (!*c)
		*p = topic_find(s, word, false);
	if (*c || *p)
		return 0;
	if (!strncmp(e->msg, "unknown", 7))
		err_word(e,
			 "found \"%s\", expected a command, a topic, or the name of an option, a pane, a "
			 "column or a key; `help` lists them",
			 word);
	return -1;
}

static int help_word(const struct session *s, const char *word, struct out *o, struct err *e)
{
	const struct command *c;
	const struct topic *p;
	struct topic engine;

	find_exact(s, word, &c, &p, &engine);
	if (c)
		help_tell_command(s, c, o);
	if (p)
		tell_topic(p, o);
	if (!tell_names(s, word, o) && !c && !p) {
		if (find_begun(s, word, &c, &p, e))
			return -1;
		if (c)
			help_tell_command(s, c, o);
		if (p)
			tell_topic(p, o);
	}
	out_json(o, "commands", c ? json_make("[o]", command_json(c, true)) : json_array());
	if (p)
		out_json(o, "topics", json_make("[o]", topic_json(p)));
	return 0;
}

int cmd_help(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	AUTO_TEXT struct text word = {0};

	if (!args->n) {
		json_t *list = json_array();

		for (unsigned g = 0; g < N_GROUPS; g++) {
			out_text(o, "%s: %s\n", aim_groups[g].name, aim_groups[g].aim);
			help_list_commands(s, false, g, list, o);
		}
		out_text(o, "These need the screen, and fail with -e and -x:\n");
		help_list_commands(s, true, LOOK, list, o);
		out_text(
			o,
			"Commands may be shortened; `;` separates them, # begins a comment.  `help COMMAND` "
			"tells more.\nA pane's name is a command, too: `hosts` shows or prints that pane.\n");
		out_json(o, "commands", list);
		if (topic_at(s, 0)) {
			out_text(o, "Words of the field and engines, told in five lines by `help TOPIC`:\n");
			list_topics(s, o);
		}
		out_text(o, "`help commands`, topics, engines, lessons, options, panes, columns, keys, "
			    "actions, words, rules, figures, limits or "
			    "fabrics: all of them; `help NAME` tells one.\n");
		return 0;
	}
	for (int i = 0; i < args->n; i++)
		text_add(&word, i ? " %s" : "%s", args->arg[i].word);
	return help_word(s, text_str(&word), o, e);
}

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

	static_assert(ARRAY_LEN(over) == OVER_NOTHING + 1 && ARRAY_LEN(scope) == SCOPE_NONE + 1, "all");
	assert(m->name);
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
