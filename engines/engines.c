/* The list of all engines, and what several of them use: topics, files of GUIDs, random numbers, lanes,
 * columns. */
#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/port_groups.h"
#include "engines/engines.h"

/* One line per engine. `engine_NAME` is defined in the engine's file. */
#define ENGINES(X)       \
	X(minhop)        \
	X(updn)          \
	X(ar_updn)       \
	X(dnup)          \
	X(dor)           \
	X(file)          \
	X(ftree)         \
	X(lash)          \
	X(nue)           \
	X(sssp)          \
	X(dfsssp)        \
	X(torus)         \
	X(mincontention) \
	X(live)          \
	X(tables)        \
	X(script)

#define DECLARE(name) extern const struct engine engine_##name;
#define LIST(name) &engine_##name,

ENGINES(DECLARE)

const struct engine *const all_engines[] = {ENGINES(LIST) NULL};

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

bool read_guid_option(const struct engine_input *in, struct engine_output *out, const char *option,
		      struct guid_file *g)
{
	*g = (struct guid_file){0};
	if (!options_file(in->options, option))
		return false;
	option_guids_read(in->options, option, in->topo->fabric, false, in->progress, g);
	if (g->stopped)
		note_add(&out->notes, NOTE_GUID_FILE, "%s: OpenSM stops reading: %s\n", option, g->why.msg);
	return true;
}

void note_ignored(const struct engine_input *in, struct engine_output *out, const char *option, unsigned line,
		  const char *fmt, ...)
{
	va_list ap;

	note_add(&out->notes, NOTE_GUID_FILE, "%s: %s:%u ignored: ", option, options_get(in->options, option),
		 line);
	va_start(ap, fmt);
	text_addv(&out->notes.text, fmt, ap);
	va_end(ap);
	text_putc(&out->notes.text, '\n');
}

uint32_t glibc_random_next(struct glibc_random *g)
{
	/* r[i] = r[i - 3] + r[i - 31] */
	uint32_t v = g->r[g->at] + g->r[(g->at + 28) % 31];

	g->r[g->at] = v;
	g->at = (g->at + 1) % 31;
	return v >> 1;
}

void glibc_random_skip(struct glibc_random *g, uint64_t n)
{
	while (n--)
		glibc_random_next(g);
}

void glibc_random_seed(struct glibc_random *g, uint32_t seed)
{
	int32_t x = seed ? (int32_t)seed : RANDOM_DEFAULT_SEED;

	for (unsigned i = 0; i < 31; i++) {
		g->r[i] = (uint32_t)x;
		x = 16807 * (x % 127773) - 2836 * (x / 127773);
		x += x < 0 ? INT32_MAX : 0;
	}
	/* r[31 .. 33] repeat r[0 .. 2]; the first sum is r[34] = r[31] + r[3] = r[0] + r[3] */
	g->at = 3;
	glibc_random_skip(g, 310);
}

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

unsigned least_vls_code(const struct engine_input *in, uint32_t *port)
{
	const struct fabric *f = in->topo->fabric;
	const uint8_t *known = in->opervls ? in->opervls : f->port_opervls;
	unsigned least = 0;

	*port = NO_ID;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(in->topo, sw))
			continue;
		FOR_PORTS(f, sw, id) {
			unsigned code = in->topo->peer[id] == NO_ID ? 0 : known[id];

			if (!code || (least && code >= least))
				continue;
			least = code;
			*port = id;
		}
	}
	return least;
}

struct columns columns_new(uint32_t rows)
{
	size_t stride = ((rows + 63u) / 64 | 1) * 64; /* an odd number of cache lines */

	return (struct columns){.row = NEW_ARRAY(rows + 7u, uint8_t *),
				.rows = rows,
				.of = NEW_ARRAY(COLUMNS_AT_ONCE * stride, uint8_t),
				.stride = stride};
}

void columns_free(struct columns *c)
{
	FREE_EACH(c->row, c->of);
}

/* Exchanges parts of two words: the upper one of each pair in a, the lower one in b (mask). */
static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
	uint64_t x = (*a >> shift ^ *b) & mask;

	*a ^= x << shift;
	*b ^= x;
}

/* Byte j of word i and byte i of word j change places. */
static inline void turn(uint64_t w[8])
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		exchange(&w[i], &w[i + 4], 32, UINT64_C(0x00000000FFFFFFFF));
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		exchange(&w[i + (i & 2)], &w[i + (i & 2) + 2], 16, UINT64_C(0x0000FFFF0000FFFF));
#pragma GCC unroll 4
	for (unsigned i = 0; i < 8; i += 2)
		exchange(&w[i], &w[i + 1], 8, UINT64_C(0x00FF00FF00FF00FF));
}

/* Writes columns k to k + 7 of rows v to v + 7. in_row: their LIDs are consecutive. */
static inline void write_square(const struct columns *c, uint32_t v, unsigned k, bool in_row)
{
	const uint16_t *lid = c->lid + k;
	unsigned width = c->n - k < 8 ? c->n - k : 8;
	uint64_t w[8];

#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		memcpy(&w[i], c->of + (k + i) * c->stride + v, sizeof(w[i]));
		w[i] = le64toh(w[i]);
	}
	turn(w);
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		uint8_t *to = c->row[v + i]; /* there are rows, NULL, up to a multiple of 8 */
		uint64_t entries = htole64(w[i]);

		if (!to)
			continue;
		if (in_row) {
			memcpy(to + lid[0], &entries, sizeof(entries));
		} else if (width == 8) {
#pragma GCC unroll 8
			for (unsigned j = 0; j < 8; j++)
				to[lid[j]] = (uint8_t)(w[i] >> 8 * j);
		} else {
			for (unsigned j = 0; j < width; j++)
				to[lid[j]] = (uint8_t)(w[i] >> 8 * j);
		}
	}
}

void columns_write(struct columns *c)
{
	bool in_row[COLUMNS_AT_ONCE / 8];

	for (unsigned k = 0; k < c->n; k += 8) {
		in_row[k / 8] = c->n - k >= 8;
		for (unsigned i = 1; in_row[k / 8] && i < 8; i++)
			in_row[k / 8] = c->lid[k + i] == c->lid[k] + i;
	}
	for (uint32_t v = 0; v < c->rows; v += 8)
		for (unsigned k = 0; k < c->n; k += 8)
			write_square(c, v, k, in_row[k / 8]);
	c->n = 0;
}

uint8_t *columns_next(struct columns *c, unsigned lid)
{
	assert(lid <= MAX_LID && c->n <= COLUMNS_AT_ONCE);
	if (c->n == COLUMNS_AT_ONCE)
		columns_write(c);
	c->lid[c->n] = (uint16_t)lid;
	return c->of + c->n++ * c->stride;
}
