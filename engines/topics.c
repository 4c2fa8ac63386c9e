#include "engines/topics.h"

#include <stddef.h>

const struct topic engine_topics[] = {
	{"minhop", "min hop",
	 "takes the fewest hops, and among equal ports the one with the fewest LIDs so far. It can route "
	 "every fabric; OpenSM falls back to it. Not free of credit loops: rings, and trees with "
	 "failed cables, can have them.",
	 "OpenSM manual; engines/doc/minhop.md", "route minhop; check"},
	{"updn", "up/down|updown",
	 "takes the shortest of the paths that go up towards the roots and then down. It refuses if it finds "
	 "no root. Free of credit loops if no cable joins switches of equal rank; otherwise see `check`.",
	 "Schroeder et al., IEEE JSAC 9(8), 1991; engines/doc/updn.md", "route updn; check"},
	{"ar_updn", "ar updn|nvidia|ufm",
	 "NVIDIA's Up/Down with adaptive routing, by its published rule: updn's table; a LID's group is all "
	 "ports of the fewest legal hops. Ties may differ from the real one's. `judge` tells entries that "
	 "break the rule.",
	 "NVIDIA, Cluster Bring-up Procedure; engines/doc/updn.md", "route ar_updn; judge"},
	{"dnup", "down/up|downup",
	 "like Up/Down, but ranks count from the switches with hosts, so it needs no roots. A cable between "
	 "equal ranks is neither up nor down: with such cables, as in a torus with hosts everywhere, there "
	 "are credit loops.",
	 "OpenSM manual; engines/doc/updn.md", "route dnup; check"},
	{"dor", "dimension order routing",
	 "like Min Hop, but keeps only candidates to the first neighbour in port order. Free of credit loops "
	 "in meshes and hypercubes whose switches all use the same ports for a dimension; not in rings of "
	 "four and more.",
	 "Sullivan, Bashkow, ISCA 1977; engines/doc/dor.md", "synth mesh:3x3; route dor; check"},
	{"file", "lfts_file",
	 "reads tables from a file in each sweep. After a failure entries into what is down stay; a LID that "
	 "is not in the file has no entry. With a hop matrix it chooses among ports that are up as Min Hop "
	 "does; without a file, too.",
	 "core/formats/doc/formats.md", "export lfts -"},
	{"ftree", "fat-tree routing|fattree",
	 "routes a fat tree so that no shift of its order puts two flows on one cable. It refuses other "
	 "fabrics (ranks skipped, siblings with unequal numbers of up links) and LMC above 0. Free of credit "
	 "loops without reverse hops.",
	 "Zahavi et al., CCPE 2010; engines/doc/ftree.md", "route ftree; check; shifts"},
	{"lash", NULL,
	 "takes shortest routes between switches; each pair goes to the lowest layer where it closes no "
	 "circle. It refuses if it needs more layers than VLs. Free of credit loops with qos on, because "
	 "each layer then has its own VL.",
	 "Skeie, Lysne, Theiss, CAC 2002; engines/doc/lash.md", "route lash qos=TRUE; check"},
	{"sssp", NULL,
	 "takes shortest routes, one destination after the other; each route adds weight to its cables, so "
	 "later ones avoid them. Routes spread over the whole fabric, not only at each switch. Not free of "
	 "credit loops.",
	 "Hoefler, Schneider, Lumsdaine, HOTI 2009; engines/doc/dfsssp.md", "route sssp; load-map"},
	{"dfsssp", NULL,
	 "computes the tables of sssp, then moves pairs to other layers until no layer has a circle. It "
	 "refuses if there are too few VLs. Free of credit loops with qos on.",
	 "Domke, Hoefler, Nagel, IPDPS 2011; engines/doc/dfsssp.md", "route dfsssp qos=TRUE; check"},
	{"nue", NULL,
	 "searches routes in the dependency graph and uses no dependency that would close a circle. It works "
	 "with any number of VLs, even one; with 4 or more the paths are shorter. Free of credit loops.",
	 "Domke, Hoefler, Matsuoka, HPDC 2016; engines/doc/nue.md", "route nue qos=TRUE; check"},
	{"torus-2qos", "torus|2qos",
	 "routes tori and meshes by dimension, with datelines. Free of credit loops, also after one failure "
	 "in a ring, with two levels of service. It needs qos and a configuration (`torus-conf`), and "
	 "refuses other fabrics.",
	 "torus-2QoS(8); Dally, Seitz 1987; engines/doc/torus-2qos.md", "synth torus:4x4; torus-conf"},
	{"mincontention", "minimum contention|topspin",
	 "routes between whole chassis, then inside by the same rules. Of the paths within the tolerance it "
	 "takes the one with the fewest ports used by other LIDs of the host port. Not in OpenSM. Not free "
	 "of credit loops.",
	 "HP 376227-B21, user guide; engines/doc/mincontention.md", "route mincontention lmc=1; check"},
	{"live", NULL,
	 "computes nothing: it shows the tables that the switches held when ibscope read them. Failures do "
	 "not change them.",
	 "core/formats/doc/formats.md", "help live"},
	{"tables", NULL,
	 "computes nothing: it shows the tables in a dump, with groups of adaptive routing. Failures do not "
	 "change them.",
	 "core/formats/doc/formats.md", "help tables"},
	{"script", "own engine|external program",
	 "a program of your own computes the tables. It gets the fabric as JSON, with the tables of the "
	 "sweep "
	 "before, and prints tables and SLs; every event runs it again. If it fails, the event is refused.",
	 "ibscope(1), ENGINES OF YOUR OWN", "help route"},
	{NULL, NULL, NULL, NULL, NULL},
};

const struct topic *const all_topics[] = {core_topics, engine_topics, NULL};
