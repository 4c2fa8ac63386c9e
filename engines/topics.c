#include "engines/topics.h"

#include <stddef.h>

const struct topic engine_topics[] = {
	{"minhop", "min hop",
	 "the fewest hops; among ports that are equal, the one with the fewest LIDs so far. It takes every "
	 "fabric, and it is what OpenSM falls back to. Not free of credit loops: rings, and trees with "
	 "failed cables, can have them.",
	 "OpenSM manual; engines/doc/minhop.md", "route minhop; check"},
	{"updn", "up/down|updown",
	 "the fewest hops that go up towards the roots and then down. Refuses when it finds no root. Free of "
	 "credit loops where no cable joins switches of equal rank; elsewhere see `check`.",
	 "Schroeder et al., IEEE JSAC 9(8), 1991; engines/doc/updn.md", "route updn; check"},
	{"dnup", "down/up|downup",
	 "as Up/Down, but ranks are counted from the switches with hosts: it routes where the roots would "
	 "not be found. Cables between equal ranks have no order: with them, as in a torus with hosts "
	 "everywhere, there are credit loops.",
	 "OpenSM manual; engines/doc/updn.md", "route dnup; check"},
	{"dor", "dimension order routing",
	 "Min Hop that keeps, of the candidates, only those to the first neighbour in port order. Free of "
	 "credit loops in meshes and hypercubes that are cabled alike everywhere, not in rings of four and "
	 "more.",
	 "Sullivan, Bashkow, ISCA 1977; engines/doc/dor.md", "synth mesh:3x3; route dor; check"},
	{"file", "lfts_file",
	 "tables from a file, read in each sweep: after a failure entries into what is down stay, and what "
	 "is left out has none. By a hop matrix ports are chosen as in Min Hop, of those that are up. "
	 "Without a file it is Min Hop.",
	 "core/formats/doc/formats.md", "export lfts -"},
	{"ftree", "fat-tree routing|fattree",
	 "a fat tree without two flows on one cable for each shift of its order. Refuses what is no fat "
	 "tree: ranks skipped, unequal numbers of up links among siblings, LMC above 0. Free of credit loops "
	 "without reverse hops.",
	 "Zahavi et al., CCPE 2010; engines/doc/ftree.md", "route ftree; check; shifts"},
	{"lash", NULL,
	 "shortest routes between switches; each pair goes to the lowest layer in which it closes no circle. "
	 "Refuses when there are more layers than VLs. Free of credit loops with qos on, as each layer is "
	 "then a VL.",
	 "Skeie, Lysne, Theiss, CAC 2002; engines/doc/lash.md", "route lash qos=TRUE; check"},
	{"sssp", NULL,
	 "shortest routes, one destination after the other; each route makes its cables longer for the next, "
	 "so that routes spread over the whole fabric and not switch by switch. Not free of credit loops.",
	 "Hoefler, Schneider, Lumsdaine, HOTI 2009; engines/doc/dfsssp.md", "route sssp; load-map"},
	{"dfsssp", NULL,
	 "the tables of sssp; then pairs move to other layers until no layer has a circle. Refuses when the "
	 "VLs do not suffice. Free of credit loops with qos on.",
	 "Domke, Hoefler, Nagel, IPDPS 2011; engines/doc/dfsssp.md", "route dfsssp qos=TRUE; check"},
	{"nue", NULL,
	 "routes that are searched within the dependency graph: what would close a circle is not used. Any "
	 "number of VLs will do, one too; 4 or more make paths shorter. Free of credit loops.",
	 "Domke, Hoefler, Matsuoka, HPDC 2016; engines/doc/nue.md", "route nue qos=TRUE; check"},
	{"torus-2qos", "torus|2qos",
	 "tori and meshes by dimension, with datelines; around one failure in a ring it keeps its promise. "
	 "Needs qos and a configuration (`torus-conf`), and refuses what is no torus. Free of credit loops, "
	 "with two levels of service.",
	 "torus-2QoS(8); Dally, Seitz 1987; engines/doc/torus-2qos.md", "synth torus:4x4; torus-conf"},
	{"mincontention", "minimum contention|topspin",
	 "routes whole chassis first, then the chips inside by the same rules; of the ways within the "
	 "tolerance the one with the fewest ports of other LIDs of the host port. Not of OpenSM. Not free of "
	 "credit loops.",
	 "HP 376227-B21, user guide; engines/doc/mincontention.md", "route mincontention lmc=1; check"},
	{"live", NULL,
	 "no algorithm: the tables that the switches held when they were read. Failures do not change them.",
	 "core/formats/doc/formats.md", "help live"},
	{"tables", NULL,
	 "no algorithm: what a dump says that the switches hold, groups of adaptive routing included. "
	 "Failures do not change them.",
	 "core/formats/doc/formats.md", "help tables"},
	{NULL, NULL, NULL, NULL, NULL},
};

const struct topic *const all_topics[] = {core_topics, engine_topics, NULL};
