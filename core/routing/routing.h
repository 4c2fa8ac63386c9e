/*
 * The result of an engine on a discovered fabric: forwarding tables, SLs, and the engine's own inspectable
 * tables.  Immutable once made.  Routings share equal rows (one LFT each), so a history costs only what
 * changed.
 */
#ifndef IBSCOPE_ROUTING_H
#define IBSCOPE_ROUTING_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/fabric/fabric.h"
#include "core/fabric/state.h"

/* Layers as panes and commands see them: virtual lanes over which an engine spreads switch pairs. */

/* What an engine puts in layers: ordered pairs of switches, ordered pairs of LIDs, or LIDs from anywhere. */
enum layer_unit { LAYER_SWITCH_PAIRS, LAYER_LID_PAIRS, LAYER_LIDS };

/* One layer. */
struct layer_info {
	unsigned vl;	/* its first virtual lane */
	unsigned lanes; /* number of layers from there on; if several, one is drawn at random */
	enum layer_unit unit;
	uint64_t pairs, pairs_first; /* in the layer now, and before any moved to another layer */
	bool balanced;		     /* the engine balanced its layers */
};

/* A thing in a layer: the routes between two switches, or the routes to a LID. */
struct layer_route {
	uint32_t sw;  /* from; NO_ID: from anywhere; for LIDs: the switch with the CAs */
	uint32_t sw2; /* to and back; NO_ID: only to the LID */
	uint16_t lid;
};

/* The layer of the path between two LIDs. */
struct pair_layer {
	unsigned first, now; /* the layer that took it, and its layer after balancing */
};

/* One channel of a cycle: routes hold it while they wait for the next one. */
struct witness_edge {
	uint32_t port;	  /* sender of the channel */
	uint32_t routes;  /* number of these routes that were in the layer then */
	uint32_t sw, sw2; /* the first of these, as switches from and to; NO_ID = not known */
	bool own;	  /* a route of the pair itself is among them */
};

/* The cycle that keeps a pair out of a layer, and the routes that hold its channels. */
struct witness {
	uint32_t n; /* channels; 0: the layer did not refuse the pair */
	struct witness_edge *edge;
	/* the channel behind which a cut took the pair out of the layer; NO_ID: it was never in it, as it
	 * would close the cycle */
	uint32_t cut;
};

void witness_free(struct witness *w); /* NULL is fine */

/*
 * Adaptive routing: for some LIDs a switch chooses among a group of ports, by load or by a hash of the flow.
 * Its forwarding table holds the static port: packets that may not be spread take it.  Immutable once made.
 */

/* Ports of a switch: bit p % 64 of word p / 64. */
struct port_set {
	uint64_t word[4];
};
static_assert(sizeof(struct port_set) * 8 > MAX_PORTS, "a bit for each port");

static inline void port_set_add(struct port_set *s, unsigned port)
{
	s->word[port / 64] |= UINT64_C(1) << port % 64;
}

static inline bool port_set_has(const struct port_set *s, unsigned port)
{
	return s->word[port / 64] >> port % 64 & 1;
}

/* Returns the first port of a set from `port` on, or 256.  for (p = port_set_next(s, 0); p < 256; p = ..(s, p
 * + 1)) */
unsigned port_set_next(const struct port_set *s, unsigned port);

#define NO_ADAPTIVE 0xFFFF

struct adaptive_group {
	uint16_t number; /* the number that the switch uses */
	struct port_set ports;
};

#define ADAPTIVE_BLOCK 64 /* LIDs per block; usually all of a block have one group */
#define ADAPTIVE_OWN 0x10000
static_assert(ADAPTIVE_OWN > NO_ADAPTIVE, "a place in own[] is no index of a group");

struct adaptive_switch {
	/* index of a block's group, NO_ADAPTIVE (only the static port), or ADAPTIVE_OWN + its place in
	 * own[] */
	uint32_t *block;
	uint16_t (*own)[ADAPTIVE_BLOCK]; /* such an index for each LID */
	uint32_t n_blocks, cap_blocks, n_own, cap_own;
	struct adaptive_group *group; /* [n_groups] */
	uint32_t n_groups, cap_groups;
};

struct adaptive {
	struct counted counted;
	uint32_t n_switches;
	struct adaptive_switch *sw; /* [n_switches] */
};

/* It has one reference; counted_unref(&a->counted) lets go of it. */
struct adaptive *adaptive_new(uint32_t n_switches);

/* The same groups on another fabric: switches are found by GUID.  A new object. */
struct adaptive *adaptive_on(const struct adaptive *a, const struct fabric *from, const struct fabric *to);

/* The index of a switch's group.  A new number gets a new group without ports. */
unsigned adaptive_group_index(struct adaptive_switch *s, unsigned number);
/* Gives a LID a group (an index, or NO_ADAPTIVE). */
void adaptive_set(struct adaptive_switch *s, unsigned lid, unsigned group);
/* The same for the LIDs 0 to n - 1 of a switch; no group may be added later. */
void adaptive_fill(struct adaptive_switch *s, const uint16_t *of_lid, unsigned n);
/* Forgets all groups of a switch. */
void adaptive_clear(struct adaptive_switch *s);

/* The group of a LID; NULL when it has only the static port or there is no adaptive routing. */
static inline const struct adaptive_group *adaptive_find(const struct adaptive *a, uint32_t sw, unsigned lid)
{
	const struct adaptive_switch *s = a ? &a->sw[sw] : NULL;
	uint32_t g = s && lid / ADAPTIVE_BLOCK < s->n_blocks ? s->block[lid / ADAPTIVE_BLOCK] : NO_ADAPTIVE;

	if (g >= ADAPTIVE_OWN)
		g = s->own[g - ADAPTIVE_OWN][lid % ADAPTIVE_BLOCK];
	return g == NO_ADAPTIVE ? NULL : &s->group[g];
}

/*
 * LIDs, assigned exactly as OpenSM 3.3.23 does (engines/doc/minhop.md section 2): those that a sweep finds on
 * the ports, those that it remembers (guid2lid), and those that it gives anew.
 */

/* The result for one sweep; immutable and shared. */
struct lids {
	atomic_uint refs;
	uint8_t lmc; /* of the subnet */
	uint16_t
		max_lid; /* LinearFDBTop: largest LID that ever had a slot; tables have max_lid + 1 entries */
	uint32_t n_endports;
	uint32_t n_wrong; /* LIDs at which OpenSM's check of its table fails; OpenSM then ends the sweep with
			     errors */
	uint16_t *base;	  /* [n_endports] 0 = no LID (or not present) */
	uint16_t *count;  /* [n_endports] LIDs of the port: 2^lmc, or 1; 0 when base is 0 */
	uint32_t *owner;  /* [max_lid + 1] endport present in the fabric, NO_ID for LIDs of nobody */
};

/* Has the endport the LID?  Two endports may have it, as the tables that switches hold do not change LIDs;
 * one of them is its owner. */
bool lids_holds(const struct lids *l, uint32_t endport, unsigned lid);
/* Another endport with the same base LID as this one, or NO_ID. */
uint32_t lids_other_holder(const struct lids *l, uint32_t endport);

/* The same LIDs for the endports of another fabric.  match: [n_endports of l] endports there, NO_ID: none. */
struct lids *lids_on(const struct lids *l, const struct fabric *f, const uint32_t *match);
struct lids *lids_ref(const struct lids *l);
void lids_unref(const struct lids *l);

/* The endport of a LID; NO_ID when nobody has it. */
static inline uint32_t lid_owner(const struct lids *l, unsigned lid)
{
	return lid <= l->max_lid ? l->owner[lid] : NO_ID;
}

/* The endport of each LID, those of LMC ranges too: [MAX_LID + 1], NO_ID: nobody's, in the arena.  l NULL: by
 * the fabric's source. */
uint32_t *lid_owners(void *arena, const struct fabric *f, const struct lids *l);

/* Base LID of an endport in these LIDs (NULL = in the fabric's source); 0 = none. */
static inline unsigned endport_lid(const struct fabric *f, const struct lids *l, uint32_t ep)
{
	return l ? l->base[ep] : f->port_lid[f->endport_port[ep]];
}

/* The same for a node: the base LID of the first of its endports that has one. */
static inline unsigned node_lid(const struct fabric *f, const struct lids *l, uint32_t node)
{
	unsigned lid = 0;

	for (unsigned p = 0; p <= f->node_nports[node] && !lid; p++) {
		uint32_t ep = f->port_endport[f->node_port[node] + p];

		lid = ep == NO_ID ? 0 : endport_lid(f, l, ep);
	}
	return lid;
}

/* How a port got its LID, for explanations. */
enum lid_rule { LID_NONE, LID_REMEMBERED, LID_KEPT, LID_NEW };

/* What OpenSM keeps between sweeps (G2L, used, maxLID), with the LIDs that the ports carry now. */
struct lid_memory;

/* A guid2lid file entry. */
struct guid2lid {
	uint64_t guid;
	uint16_t min, max;
};

struct lid_options {
	unsigned lmc; /* 0 .. 7 */
	bool lmc_esp0;
	bool reassign;		     /* opensm -r: forget the ports' LIDs in the first sweep */
	const struct guid2lid *file; /* guid2lid entries at start (not used with reassign), may be NULL */
	size_t n_file;
};

struct lid_memory *lid_memory_new(const struct fabric *f, const struct lid_options *o);
/*
 * The memory of a new process on the same ports.  It reads the entries of o->file, or those that m wrote when
 * that is NULL.  The ports carry the same LIDs as in m.
 */
struct lid_memory *lid_memory_restarted(const struct lid_memory *m, const struct fabric *f,
					const struct lid_options *o);
/*
 * The memory of a standby that takes over.  It reads o->file as above, and its table is as long as that of m,
 * since it saw the ports that left (engines/doc/minhop.md 2.1).
 */
struct lid_memory *lid_memory_taken_over(const struct lid_memory *m, const struct fabric *f,
					 const struct lid_options *o);
/* The *n entries that OpenSM writes into guid2lid, including those of ports that left; the caller frees
 * them. */
struct guid2lid *lid_memory_entries(const struct lid_memory *m, const struct fabric *f, size_t *n);
/*
 * The memory of the same process after the fabric became another one (endports found by node GUID and
 * number).  Entries of ports that left stay.  A port whose LID in the source changed carries the new one, and
 * a new port carries the source's; the others carry the same LIDs as in m.
 */
struct lid_memory *lid_memory_on(const struct lid_memory *m, const struct fabric *from,
				 const struct fabric *to);
struct lid_memory *lid_memory_copy(const struct lid_memory *m);
void lid_memory_free(struct lid_memory *m);

/*
 * Assigns LIDs for one sweep and updates m.  A port stays without a LID when it cannot get one, or when
 * OpenSM's check of its table takes its LIDs away (engines/doc/minhop.md 2.4).  Each such port is named in
 * *notes, a line each. rule (may be NULL) gets an enum lid_rule for each endport.
 */
struct lids *lids_assign(struct lid_memory *m, const struct topo *t, struct text *notes, uint8_t *rule);

/* LIDs that ports have; borrowed. */
struct lids_held {
	const uint16_t *lid;   /* [n_ports] base LIDs, NULL: those of the fabric's source */
	const uint8_t *lmc;    /* [n_ports], NULL: those of the fabric's source */
	const uint32_t *owner; /* [MAX_LID + 1] the endport to which a LID is known to belong, NO_ID = not
				  known; NULL: none is known */
	unsigned top;	       /* max_lid will be at least this */
};

/*
 * Assigns nothing: ports keep their LIDs, and carry them from now on.  LIDs reserved for ports that left stay
 * so, unless a port has them.  If two ports have the same LID, it belongs to the one that it is known to
 * mean, else to the first in GUID order.  *notes names each such LID.  The result's lmc is that of most CA
 * and router ports.
 */
struct lids *lids_found(struct lid_memory *m, const struct topo *t, const struct lids_held *held,
			struct text *notes);

/* Makes ports carry these LIDs before the first sweep. */
void lid_memory_carry(struct lid_memory *m, const struct fabric *f, const uint16_t *lid, const uint8_t *lmc);

/*
 * SLs that the subnet administrator offers a pair of ports, and whether it gives them a path at all:
 * partitions and the QoS policy (core/sm/lft_file.h).  Immutable once made.
 */

/* A port in a partition. */
struct pkey_member {
	uint16_t pkey;
	bool full;
	uint8_t sl; /* the partition's */
};

/* What a line of partitions.conf says: it defines a partition, or gives it a GUID that no port has. */
struct partition_line {
	uint16_t pkey;
	unsigned line; /* 0: OpenSM itself defines it */
	uint64_t guid; /* that no port has; 0: it defines the partition */
	char name[33];
};

#define NO_PAIR_SL 255 /* no SL is offered */

struct pair_sls {
	struct counted counted;
	uint32_t n_endports;
	/* [n_endports + 1] the partitions of a port are in member[] from `first` on, in the order in which
	 * OpenSM compares them; NULL: none are known, so all ports share one. */
	uint32_t *first;
	struct pkey_member *member;
	/* Of partitions.conf, even where members are those that ports told: each partition, and then each
	 * GUID that no port has. */
	struct partition_line *line;
	uint32_t n_lines, cap_lines;
	char *file;	/* its name; NULL: there is none */
	char *given_up; /* why OpenSM gives the whole file up: "FILE:LINE: found ..."; NULL: it does not */
	uint8_t *to; /* [n_endports] the SL that the QoS policy gives paths to a port, NO_PAIR_SL; NULL: there
			is no policy */
	bool one;    /* all pairs are offered the SL `all` and share a P_Key */
	uint8_t all;
};

/* Makes an empty set with one reference; counted_unref(&p->counted) drops it. */
struct pair_sls *pair_sls_new(uint32_t n_endports);
/* The partition by which two ports get a path: the first that both belong to, at least one of them as a full
 * member.  NULL when there is none.  limited: even if both are limited members, which cannot talk by it.
 */
const struct pkey_member *pair_sls_common(const struct pair_sls *p, uint32_t a, uint32_t b, bool limited);
/* The line that defines a partition; NULL when there is none. */
const struct partition_line *partition_defined(const struct pair_sls *p, uint16_t pkey);
/* Do two ports have a P_Key in common? */
bool pair_sls_share(const struct pair_sls *p, uint32_t a, uint32_t b);
/* The SL offered from a port to another. */
unsigned pair_sls_of(const struct pair_sls *p, uint32_t from, uint32_t to);

/*
 * SLs of paths and SL-to-VL maps that come from outside the engine: from files, as the switches of a live
 * fabric hold them, or as the subnet manager programs them with quality of service.  Values that are missing
 * here come from the engine (struct routing_ops); where it has none, SL is 0 and VL = SL.
 */

#define SL_TABLES_NO_SL 255
#define SL_TABLES_IDENTITY UINT64_C(0xfedcba9876543210)

/* A map of SLs to VLs: bits 4n .. 4n + 3 are the VL of SL n. */
typedef uint64_t sl2vl_map;

struct sl_tables {
	atomic_uint refs;
	uint32_t n_switches, n_endports;
	uint8_t *ports; /* [n_switches] */
	/* [n_switches] maps by port in and port out, at in * (ports + 1) + out; NULL: not known, VL = SL. */
	sl2vl_map **map;
	uint32_t n_maps; /* the number of switches with a map */
	sl2vl_map **out; /* [n_switches] maps by outgoing port alone; used where map is NULL */
	bool one;	 /* every switch port has the map `all`; map and out are ignored */
	sl2vl_map all;
	sl2vl_map *endport; /* [n_endports] maps of CA and router ports and of enhanced ports 0; NULL: not
			       known */
	uint8_t **sl; /* [n_endports] by source: the SL by DLID, up to top; SL_TABLES_NO_SL or NULL: not given
		       */
	bool assumed; /* `all` is VL 0 because the maps are unknown: the engine's layers have no effect */
	/*
	 * The subnet manager programs the maps and uses them: its SA gives no path where SL 0 leads to VL 15.
	 * `closed`: that happens on the way out of a switch.
	 */
	bool programmed, closed;
	uint16_t top;
	uint64_t n_sls; /* number of pairs with an SL */
};

/* For a fabric's switches and endports, empty at first.  top: highest DLID that may get SLs. */
struct sl_tables *sl_tables_new(const struct fabric *f, uint16_t top);
struct sl_tables *sl_tables_ref(const struct sl_tables *l);
void sl_tables_unref(const struct sl_tables *l); /* NULL is fine */

/* Port numbers must be those of the switch.  Maps of a switch that are not set stay VL = SL. */
void sl_tables_set_map(struct sl_tables *l, uint32_t sw, unsigned in, unsigned out, sl2vl_map m);
/* Returns false when the endport or LID does not exist. */
bool sl_tables_set_sl(struct sl_tables *l, uint32_t source, unsigned dlid, unsigned sl);

/* One map for all incoming ports. */
void sl_tables_set_out(struct sl_tables *l, uint32_t sw, unsigned out, sl2vl_map m);
/* One for all ports of all switches. */
void sl_tables_set_all(struct sl_tables *l, sl2vl_map m);
/* Sets the map of a CA or router port, or of an enhanced port 0. */
void sl_tables_set_endport(struct sl_tables *l, uint32_t ep, sl2vl_map m);

/* Replaces the maps by those of another set for the same fabric. */
void sl_tables_copy_maps(struct sl_tables *l, const struct sl_tables *from);

static inline sl2vl_map sl_tables_map(const struct sl_tables *l, uint32_t sw, unsigned in, unsigned out)
{
	unsigned ports = l->ports[sw];

	if (l->one)
		return l->all;
	if (l->map[sw] && in <= ports && out <= ports)
		return l->map[sw][in * (ports + 1) + out];
	return l->out[sw] && out <= ports ? l->out[sw][out] : SL_TABLES_IDENTITY;
}

static inline unsigned sl2vl_of(sl2vl_map m, unsigned sl)
{
	return m >> (4 * (sl & 15)) & 15;
}

/* From the eight bytes of an SLtoVLMappingTable: two VLs in a byte; the upper half is for the lower SL. */
static inline sl2vl_map sl2vl_of_bytes(const uint8_t bytes[8])
{
	sl2vl_map m = 0;

	for (unsigned i = 0; i < 8; i++)
		m |= (sl2vl_map)(bytes[i] >> 4 | (bytes[i] & 15) << 4) << 8 * i;
	return m;
}

/* SL_TABLES_NO_SL: not given. */
static inline unsigned sl_tables_sl(const struct sl_tables *l, uint32_t source, unsigned dlid)
{
	return l->sl[source] && dlid <= l->top ? l->sl[source][dlid] : SL_TABLES_NO_SL;
}

/*
 * The closed list of rules that decide an entry of a forwarding table, the layer of a path or the rank of a
 * switch; and the rules that hold for every engine.  The output of `why` ends with the name of a rule.  All
 * names are in the table of why_rule.c.  Engines add the sentence with the figures.
 */

enum why_rule {
	WHY_UNTOLD, /* none: not shown */
	/* every engine */
	WHY_OWN_LID,
	WHY_ATTACHED,
	WHY_NOT_ATTACHED,
	WHY_CUT_OFF,
	WHY_NO_LID,
	WHY_CACHED,
	WHY_NOT_ROUTED,
	WHY_ENGINE, /* a rule of an engine that is not in this list */
	/* reasons against a port that is not the entry's, where the engine weighed nothing */
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
	WHY_HUB,
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
	/* mincontention; it uses "kept" from above */
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

/* "least count"; "" for WHY_UNTOLD. */
const char *why_rule_name(enum why_rule rule);

/* A rule, with a sentence that says how it decided, with the figures.  Free with decided_free(). */
struct decided {
	enum why_rule rule;
	struct text text;
};

/* Replaces the rule and its sentence. */
void decide(struct decided *d, enum why_rule rule, const char *fmt, ...) PRINTF_LIKE(3, 4);
void decided_free(struct decided *d);

/*
 * Finds the rule that holds for every engine, for the entry `port` (NO_PATH = none) of a switch for a LID:
 * the LID is the switch's own, its endport is connected to the switch, its endport is connected to no switch,
 * or no cables lead there.  Returns false and leaves *d when no such rule applies or the entry differs from
 * it.
 */
bool decide_common(const struct topo *t, const struct lids *l, uint32_t sw, unsigned lid, unsigned port,
		   struct decided *d);

/* LFT of one switch: port[lid], NO_PATH without route; LID 0 is NO_PATH. */
struct lft_row {
	atomic_uint refs;
	uint16_t top; /* largest LID; port[] has top + 1 entries */
	bool edited;  /* made by lft_row_copy(), and an entry now differs from that row's */
	void *kept;   /* stored by its engine to change it faster later; freed with it; NULL = nothing */
	uint8_t port[];
};

struct lft_row *lft_row_new(unsigned top);		  /* filled with NO_PATH */
struct lft_row *lft_row_copy(const struct lft_row *from); /* for a caller that then changes an entry */
void lft_row_unref(struct lft_row *r);

/* Up/down rank of a switch that has none (absent or unreached). */
#define NO_RANK UINT32_MAX

/* Service levels that a path may have: one, or a range when OpenSM draws at random. */
struct sl_range {
	uint8_t lo, hi;
};

/* An empty range: at a step of a recorded run, a path that has no layer yet. */
static inline bool sl_is_open(struct sl_range sl)
{
	return sl.lo > sl.hi;
}

/* "3", "2..5", "-" of an empty range; buf is returned. */
#define SL_WORD 16
const char *sl_word(struct sl_range sl, char buf[SL_WORD]);

struct routing;

/* The origin of an entry of a forwarding table, where it deserves a note: one word, and the words for
 * many. */
struct entry_note {
	const char *brief, *title; /* "reverse", "by reverse hops" */
};

/* Typed accessors to the tables that an engine leaves.  A NULL member: the engine has no such table. */
struct routing_ops {
	/* SL of a path between two endport LIDs with a route; NULL: always 0. */
	struct sl_range (*sl)(const struct routing *r, unsigned slid, unsigned dlid);
	/*
	 * The bits of a path's SL that come from the SL of the partition or the QoS policy, where there is
	 * one: 15 all of them, 0 none.  NULL: 15 if there is no sl(), else 0.
	 */
	unsigned (*sl_from_qos)(const struct routing *r);
	/* sl() is the same for all LIDs on one switch to all on another, so analyses may ask once. */
	bool sl_by_switch;
	/* ... or at least for all LIDs of CAs on one switch to one LID. */
	bool sl_by_source;
	/* The VL by which an SL leaves a switch by `out` after it came in by `in` (port numbers); NULL: VL =
	 * SL. */
	unsigned (*vl)(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl);
	/* The VL by which a packet of an SL leaves a CA or router port; NULL: not known. */
	unsigned (*endport_vl)(const struct routing *r, uint32_t endport, unsigned sl);
	/* Hop matrix: the cost from switch s to switch d through a port (port 0: the lowest cost), NO_PATH =
	 * none. */
	unsigned (*hops)(const struct routing *r, uint32_t s, uint32_t d, unsigned port);
	/* Rank of a switch, 0 = root; NO_RANK. */
	uint32_t (*rank)(const struct routing *r, uint32_t sw);
	bool (*is_root)(const struct routing *r, uint32_t sw);
	/*
	 * The rule that gave a switch its rank, in a sentence.  Lines of text say what else helps to find
	 * that rank, beside the ranks of its neighbours.
	 */
	void (*decide_rank)(const struct routing *r, uint32_t sw, struct decided *d);
	void (*rank_clues)(const struct routing *r, uint32_t sw, struct text *t);
	/* Direction of the step from a switch through a port: 'U', 'D', '=' (level) or ' '. */
	char (*direction)(const struct routing *r, uint32_t sw, unsigned port);
	/*
	 * A level step after one down does not let the packet go up again, as in ftree: routes go up or
	 * beside, then down or beside.  In Up/Down and Down/Up such a step frees the packet.
	 */
	bool level_stays_down;
	/* The rule that directs a link between switches of equal rank, in static words; NULL: it is not such
	 * a link. */
	const char *(*link_rule)(const struct routing *r, uint32_t sw, unsigned port);
	/*
	 * Notes on the entries of a switch.  Sets note[lid] (room for max_lid + 1, zeroed) for each entry
	 * with a note.  Returns their number.
	 */
	uint32_t (*entry_notes)(const struct routing *r, uint32_t sw, const struct entry_note **note);
	/*
	 * The next endport that OpenSM may leave without a route, depending on the order of its heap; starts
	 * at *at = 0, NO_ID at the end.  NULL: chance plays no part.
	 */
	uint32_t (*next_by_chance)(const struct routing *r, uint32_t *at);
	/* The number of layers (virtual lanes) used. */
	unsigned (*n_layers)(const struct routing *r);
	/* The most layers that the VLs of all ports and the engine's options allow.  NULL: not known. */
	unsigned (*layers_available)(const struct routing *r);
	/*
	 * The rest is about layers, switch elements and ways.  It also works for an r that the unicast cache
	 * kept: take the operation from routing_origin(r) and call it with r.
	 */
	void (*layer)(const struct routing *r, unsigned layer,
		      struct layer_info *info); /* below n_layers() */
	/*
	 * The next thing in a layer, from *cursor = 0 on; false at the end.  A whole round costs no more than
	 * one look at everything that has a layer.
	 */
	bool (*next_route)(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr);
	/* The layer of the path between two endport LIDs; false when it is in none. */
	bool (*pair_layer)(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l);
	/*
	 * The reason why a pair is in no layer below its first one; the caller owns it.  May take long;
	 * returns NULL when cancelled.  Without this operation no cycle keeps anything out of a layer.
	 */
	struct witness *(*witness)(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				   struct progress *p);
	/*
	 * The reason why the path between two LIDs with a route is in its layer and in none below, as lines
	 * of text. r may be a routing kept by the unicast cache (take the operation from routing_origin()).
	 * May take long.
	 */
	void (*explain_pair)(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			     struct progress *p);
	/* The rule that gave the path its layer, in a sentence. r as above.  NULL: there is no such rule. */
	void (*decide_pair)(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
	/* The facts behind its layers, in lines of text. */
	void (*explain_layers)(const struct routing *r, struct text *t);
	/* The switch elements by which it routed; borrowed from r. */
	const struct elements *(*elements)(const struct routing *r);
	/*
	 * The name of the measure by which the engine weighs an element's ways ("contention/distance"), and
	 * its value for the way to a LID as text; false: there is no route.
	 */
	const char *way_measure;
	bool (*way)(const struct routing *r, uint32_t element, unsigned lid, struct text *t);
	/*
	 * The order of CA ports for which the tables are made (endport ids; NO_ID = place of a missing port),
	 * *n places.  The caller frees it.  Shifts follow it.
	 */
	uint32_t *(*order)(const struct routing *r, uint32_t *n);
	/* Texts that the engine can `export`: names with '|' between them, and a writer (-1: cannot be
	 * written). */
	const char *extras;
	int (*write_extra)(const struct routing *r, const char *what, FILE *f);
	/* Option that allows a turn up after a step down ("max_reverse_hops"); NULL: there is none. */
	const char *turn_option;
	/* Frees the engine's private tables. */
	void (*free_priv)(void *priv);
	/* All SLs that a path may have after some start of OpenSM; sl() returns one of them.  NULL: only
	 * sl(). */
	struct sl_range (*sl_by_chance)(const struct routing *r, unsigned slid, unsigned dlid);
};

struct routing {
	atomic_uint refs;
	const char *engine;		   /* name of the engine that made the tables (static) */
	const struct topo *topo;	   /* reference held */
	const struct lids *lids;	   /* reference held */
	struct lft_row **row;		   /* [n_switches], NULL for switches that are not up */
	const struct routing_ops *ops;	   /* never NULL */
	const struct sl_tables *sl_tables; /* reference held; SLs and VLs given from outside, NULL = none */
	struct adaptive *adaptive;	   /* reference held; groups of ports for some LIDs, NULL = none */
	struct pair_sls
		*pair_sls;    /* what partitions and the QoS policy offer; reference held; NULL: nothing */
	uint8_t offered_bits; /* the bits of SLs that come from pair_sls (sl_from_qos) */
	bool sl_unread; /* parts that are not modelled may give paths other SLs (core/sm/port_groups.h) */
	void *priv;	/* the engine's own data, used by ops */
	/*
	 * What an engine promises about its tables: they lead from switch s in exact[s * n_switches + d]
	 * links to switch d, for each LID there or on a host there; NO_PATH: no way.  Part of priv; NULL: no
	 * promise.
	 */
	const uint8_t *exact;
	const struct host_set *hosts; /* reference held; NULL: all CA and router ports count */
	const struct routing *same;   /* reference held; same tables; it owns priv; NULL */
};

/* A routing whose rows are all missing; engines fill row[] and ops. */
struct routing *routing_new(const char *engine, const struct topo *t, const struct lids *l);
/* The same tables, but other hosts count (NULL: all CA and router ports). */
struct routing *routing_with_hosts(const struct routing *r, const struct host_set *hosts);
/*
 * The same tables as data packets meet them while ports are in the states that were read (topo_data());
 * judgements are based on these.  Returns a new reference; it is r itself when all cables carry data.
 */
struct routing *routing_on_data(const struct routing *r);
/* The routing from which that was made: the tables over the topo that the subnet manager discovers. Otherwise
 * r. */
const struct routing *routing_discovered(const struct routing *r);
struct routing *routing_ref(const struct routing *r);
void routing_unref(const struct routing *r);
struct routing *routing_unref_later(void *arena, const struct routing *routing); /* counted.h */
#define AUTO_ROUTING __attribute__((cleanup(routing_unref_at)))
void routing_unref_at(void *variable);

/* Makes r's row of a switch the same object as the row of `from` (both for the same fabric). */
void routing_share_row(struct routing *r, const struct routing *from, uint32_t sw);
/* The same where both rows are equal and nobody edited r's: a row that came out as it was takes no memory. */
void routing_share_equal_row(struct routing *r, const struct routing *from, uint32_t sw);

/* Does an endport, up or not, count as a host wherever pairs of hosts are counted? */
static inline bool routing_counts(const struct routing *r, uint32_t endport)
{
	return r->hosts ? r->hosts->in[endport] : !endport_is_switch(r->topo->fabric, endport);
}

/* The same; the endport must also be up and on a switch. */
static inline bool routing_has_host(const struct routing *r, uint32_t endport)
{
	return r->topo->endport_up[endport] && r->topo->endport_switch[endport] != NO_ID &&
	       routing_counts(r, endport);
}

/* The number of hosts on each switch that count and have a LID, [n_switches]; the caller frees it. */
uint32_t *routing_hosts(void *arena, const struct routing *r);
/* Is it a host that counts, but whose own cable carries no data (topo_mute()), so that it reaches nobody? */
static inline bool routing_mute_host(const struct routing *r, uint32_t endport)
{
	return routing_counts(r, endport) && topo_mute(r->topo, endport);
}
/* The number of LIDs of all CA and router ports that count. */
uint64_t routing_host_lids(const struct routing *r);

static inline unsigned routing_port(const struct routing *r, uint32_t sw, unsigned lid)
{
	const struct lft_row *row = r->row[sw];

	return row && lid <= row->top ? row->port[lid] : NO_PATH;
}

/*
 * The port by which a switch forwards packets for a LID: the entry, or, if its port is down, the first port
 * of the adaptive-routing group that is up.  NO_PATH without an entry.
 */
unsigned routing_next_port(const struct routing *r, uint32_t sw, unsigned lid);

/*
 * All ports by which a packet for a LID may leave a switch: the entry of the table and, with adaptive
 * routing, the ports of the group that are up.  If no port of the group is up, the entry alone.  Returns
 * false when there is no group; the set then holds only the entry (or nothing).
 */
bool routing_ports(const struct routing *r, uint32_t sw, unsigned lid, struct port_set *set);

/*
 * "*2 4 x5 (group 3)": the ports of an adaptive-routing group.  * marks the entry of the table, x ports that
 * are down.  "" without a group.
 */
void routing_ports_text(const struct routing *r, uint32_t sw, unsigned lid, struct text *t);

/* Values given from outside come before those of the engine. */
struct sl_range routing_sl(const struct routing *r, unsigned slid, unsigned dlid);
/* The same with every SL that OpenSM may choose at another start: for lists of SLs, not for judgements. */
struct sl_range routing_sl_by_chance(const struct routing *r, unsigned slid, unsigned dlid);
unsigned routing_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl);

/* Are the VLs on which a CA or router port sends known? */
bool routing_endport_known(const struct routing *r);
/* The map of a CA or router port. */
sl2vl_map routing_endport_map(const struct routing *r, uint32_t endport);

/*
 * Does the SA refuse path records from an endport, either through switches or straight to its neighbour? With
 * quality of service on, OpenSM 3.3.23 first takes SL 0, although the engine may have another SL for the
 * path.  SL 0 must not lead to VL 15 anywhere.
 */
bool routing_sa_refuses(const struct routing *r, uint32_t endport, bool through_switches);

/* Can an SL differ from 0? */
/* Do the ports of two LIDs have a P_Key in common?  If not, OpenSM's SA gives no path.  Also true when it is
 * not known. */
bool routing_share_pkey(const struct routing *r, unsigned slid, unsigned dlid);
bool routing_has_sls(const struct routing *r);
/* Is the SL the same for all LIDs on one switch to all LIDs on another (0 included)? */
bool routing_sls_by_switch(const struct routing *r);
/* Is the SL the same for all LIDs of CAs on one switch to one LID? */
bool routing_sls_by_source(const struct routing *r);
/* Can the VL differ from the SL? */
bool routing_has_maps(const struct routing *r);
/* Does the VL depend on the SL alone, for all switches and ports? */
bool routing_vl_by_sl(const struct routing *r);
/* Do paths with the SLs first .. first + n - 1 travel on the VL of the same number on all links? */
bool routing_keeps_layers(const struct routing *r, unsigned first, unsigned n);
/* The engine's layers are computed, but switches do not keep them apart (quality of service is off). */
bool routing_layers_idle(const struct routing *r);

/*
 * What the switches hold: forwarding tables and, where known, adaptive-routing groups and SL-to-VL maps.  It
 * is read from a live fabric or from files and never changes.
 */

/* A port that tables name, but their fabric lacks. */
struct table_stranger {
	uint16_t lid;
	bool is_switch;
	uint64_t guid; /* of the port */
	char *name;    /* owned; NULL: the file tells its GUID alone */
};

struct switch_tables {
	struct counted counted;
	char *source;	/* owned; the file that it comes from, NULL = read live */
	time_t read_at; /* when they were read here */
	uint32_t n_switches;
	uint16_t *top; /* [n_switches] LinearFDBTop: the last LID that counts */
	uint8_t **lft; /* [n_switches] -> [top + 1] ports by LID, NO_PATH = none; NULL: no answer */
	struct sl_tables *sl_tables; /* maps; NULL: they were not read */
	struct adaptive *adaptive;   /* reference held; NULL: no switch has groups, or they were not read */
	/* [n_ports of the fabric] base LID and LMC that ports have with these tables; NULL: those of its
	 * source. */
	uint16_t *lid;
	uint8_t *lmc;
	bool strange;	     /* most ports, or switches, that the file names are not in the fabric */
	uint32_t *lid_owner; /* [MAX_LID + 1] the endport that the file names for a LID, NO_ID = none; NULL:
				it names none */
	struct table_stranger *stranger; /* [n_strangers] */
	uint32_t n_strangers, cap_strangers;
};

/* It has one reference; counted_unref(&h->counted) lets go of it. */
struct switch_tables *switch_tables_new(uint32_t n_switches);

/* name may be NULL. */
void switch_tables_add_stranger(struct switch_tables *h, unsigned lid, uint64_t guid, bool is_switch,
				const char *name);

/* What the switches of a fabric held; NULL when it was not read.  Borrowed. */
static inline const struct switch_tables *fabric_switch_tables(const struct fabric *f)
{
	return (const struct switch_tables *)f->switch_tables;
}

/*
 * The same tables on another fabric: switches, ports and endports are found by GUID and port.  A switch that
 * `from` lacks has no table, and a port that it lacks has the LID of its own source.  Strangers stay, whether
 * or not the new fabric has them.  The caller drops the reference.
 */
struct switch_tables *switch_tables_on(const struct switch_tables *h, const struct fabric *from,
				       const struct fabric *to);

/*
 * The LIDs that the tables cover: [top + 1], 1 where a switch has an entry for the LID.  A file may list only
 * some LIDs, so a LID without an entry in any switch is not covered; live tables cover all.  The caller frees
 * it.
 */
uint8_t *switch_tables_told(const struct switch_tables *h, unsigned top);

/* Largest LinearFDBTop, 0 when no switch has a table. */
unsigned switch_tables_top(const struct switch_tables *h);

/*
 * Destinations walked together: LIDs on one switch to which all switches have ways of the same lengths, as
 * most engines make them.  Results that hold for all of them are computed once.  Each entry is still looked
 * at: a LID whose entries do not lead one link nearer, switch by switch, is left to the caller.  Knows tables
 * only, no engine.
 */

#define ALIKE_MOST 64 /* LIDs at a time */
static_assert(ALIKE_MOST <= 64, "those that are not alike are bits of a word");

struct alike {
	const struct routing *r;
	/* [max_lid + 1] the caller sets the LIDs that are wanted; each is set to 0 when it is handed out. */
	uint8_t *left;
	bool trust;	  /* the caller may set it: routing.exact is then trusted */
	uint32_t *lid_at; /* [n_switches + 1] lid_of[lid_at[s]] to lid_of[lid_at[s + 1] - 1] are wanted and
			     belong to s */
	uint16_t *lid_of;
	/* Entries for the LIDs of some switches, read row by row: lid_of[loaded] to lid_of[loaded_end -
	 * 1]. */
	uint8_t *entries;
	size_t room;
	uint32_t loaded, loaded_end;
	uint32_t *work; /* [n_switches] */
	uint32_t taken; /* number taken from lid_of[] for this switch */
	/* One group: */
	uint32_t sw; /* the switch; NO_ID at the start */
	unsigned n;
	uint16_t lid[ALIKE_MOST];
	uint8_t *port;	/* [n_switches][n] entries of each switch; in entries[] */
	uint16_t *hops; /* [n_switches] links to a host on sw, one fewer to sw itself; HOPS_NONE: no way to
			   any of the LIDs */
	uint32_t *order, n_order; /* alike_order(): the switches that have a way, from sw to the farthest */
	uint32_t *start;	  /* [n_switches + 2] */
};

/* `left` is as above and only read here; several threads may share it when each asks for other switches. */
void alike_start(struct alike *a, const struct routing *r, uint8_t *left);
void alike_end(struct alike *a);

/* Finds the next group of a switch; returns false when there are no more.  Ask for switches in ascending
 * order: that is fastest.
 */
bool alike_next(struct alike *a, uint32_t sw);
void alike_order(struct alike *a);

#endif
