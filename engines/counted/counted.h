/*
 * Hop matrices: the cost from a switch to a switch through a port (engines/doc/minhop.md section 4), and the
 * ports of least cost as bit masks.
 *
 * There are two kinds with one interface. A plain matrix has only the least costs: the cost through a port is
 * the port's weight plus the least cost of the switch at its other end. A full one has an arbitrary value for
 * every port (updn, dnup, hop files, leftovers of a refused engine).
 */
#ifndef IBSCOPE_COUNTED_COUNTED_H
#define IBSCOPE_COUNTED_COUNTED_H

#include <assert.h>

#include "core/base/defs.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"
#include "engines/engines.h"

/* Immutable once made, and shared by reference. It belongs to a fabric, but to no particular state of it. */
struct hops {
	atomic_uint refs;
	uint32_t n_switches, n_ports; /* of the fabric */
	uint8_t *least;	 /* [n_switches * n_switches] least[s * n_switches + d]; NO_PATH = none */
	uint8_t *weight; /* [n_ports] weight of leaving through a port; NULL = 1 everywhere */
	/*
	 * Levelled, otherwise plain: Up/Down on a fabric without cables within a level (0 = top). A port
	 * downwards reaches only targets below its neighbour: least + the neighbour's level = the target's
	 * level. Targets with open 0xff are exempt. NULL = not levelled.
	 */
	uint8_t *level;	  /* [n_switches] */
	uint8_t *open;	  /* [n_switches] */
	uint8_t *by_port; /* full: by_port[d * n_ports + port id]; NULL = plain */
};

/* Bytes of this many plain and full matrices of a fabric. */
size_t hops_size(const struct fabric *f, unsigned plain, unsigned full);
/* As room() of struct engine, for engines that use hops_build(). */
size_t hops_build_room(const struct engine_input *in, const char **what);
/* A matrix without any path. full: with values by port. The caller fills them. */
struct hops *hops_new(const struct fabric *f, bool full);
/* A levelled matrix: levels 0, no target open, no path. The caller fills level, open and least. */
struct hops *hops_new_levelled(const struct fabric *f);
struct hops *hops_copy(const struct hops *h);
/* Lowers the costs of s to those of its neighbour r plus 1 where these are less. */
void hops_relax_row(struct hops *h, uint32_t s, uint32_t r);
struct hops *hops_ref(const struct hops *h);
void hops_unref(const struct hops *h);

static inline unsigned hops_least(const struct hops *h, uint32_t s, uint32_t d)
{
	return h->least[(size_t)s * h->n_switches + d];
}

/* Cost from s to d through a port. Port 0 means the least cost. */
unsigned hops_value(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, unsigned port);

/* 64-bit words in the port mask (ports 0 .. N) of a switch. */
static inline unsigned mask_words(const struct fabric *f, uint32_t sw)
{
	return (f->switch_nports[sw] + 64u) / 64;
}

/*
 * The ports of a switch with the least cost, for every target d: bit p of mask[d * words ...]. Port 0 and
 * ports without a live cable are never set. Undefined for targets without a path and for d = s.
 */
void hops_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask);
/* The same for one target; empty without a path. */
void hops_mask(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, uint64_t *mask);

/*
 * Min Hop's matrix of the topology, with the weights of hop_weights_file, starting from what a refused engine
 * left (engines/doc/minhop.md 4, 10.1). Bad lines of the file become notes. NULL when cancelled. Costs
 * O(links * switches / 64) per unit of diameter without weights, O(switches * links) with weights.
 */
struct hops *hops_build(const struct engine_input *in, struct engine_output *out);

/*
 * OpenSM's matrix has one column per LID, not per switch: switches with the same base LID share a column
 * (with the least values), and a switch without LID has none. Returns true when there are such switches, and
 * changes the plain matrix h accordingly (NULL: only checks).
 */
bool hops_share_lids(struct hops *h, const struct topo *t, const struct lids *l);

/*
 * Makes the matrix of topology `now` from the matrix of `was`, if that is plain without weights and only
 * cables are gone; NULL otherwise. Sets touched[switch] of `marks` (all 0 before) where masks or costs may
 * differ: TOUCHED for the targets with farther[target] alone, TOUCHED_ALL for any.
 */
enum { TOUCHED = 1, TOUCHED_ALL = 2 };
struct hops_marks {
	uint8_t *touched, *farther; /* [n_switches] each; no touched[]: all may differ */
};
struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 struct hops_marks marks);

/* The same marks for two matrices of any kind.  False: they cannot be compared, and all may differ. */
bool hops_compare(const struct hops *a, const struct topo *was, const struct hops *b, const struct topo *now,
		  struct hops_marks marks);

/* routing_ops of engines whose private data is just a struct hops. */
extern const struct routing_ops hops_routing_ops;

/*
 * From a hop matrix to forwarding tables: each switch chooses one port of least cost for every LID
 * (engines/doc/minhop.md section 6). Shared by minhop, dor, updn, dnup and file.
 */

/*
 * Fills the rows of r from the matrix, as OpenSM 3.3.23. dor: use the rules of the DOR engine. A switch that
 * is not touched[] keeps its row of in->current (the caller knows that all its entries stay); one with
 * TOUCHED too, but for LIDs at the switches that farther[] tells.
 *
 * If somebody asks about one switch only, only its row is filled. False when cancelled.
 */
bool assign_ports(const struct engine_input *in, struct engine_output *out, const struct hops *h, bool dor,
		  struct hops_marks marks, struct routing *r);

/*
 * A switch where no cost and no mask changed keeps every entry that would be considered. So its table stays,
 * but for LIDs that went; unless LIDs came or moved: false; or entries of `old` do not count.
 */
bool assign_keeps(const struct engine_input *in, const struct routing *old);

/*
 * NVIDIA's calculate_missing_routes (engines/doc/nvidia.md 3.6): where the engine's rule gives a switch no
 * entry for a LID, the packet goes to one switch, the hub, and on by the hub's entry.  Which switch that is
 * is not published; without missing_routes_hub the first one with hosts is assumed, and told.  Nothing by
 * other rules. assign_ports() does it for updn and ar_updn; ftree for its own rows, which nobody shares.
 * False: cancelled.
 */
bool missing_routes_fill(const struct engine_input *in, struct engine_output *out, struct routing *r);
/* The hub, or NO_ID: no ways are added. */
uint32_t missing_routes_hub(const struct engine_input *in, struct engine_output *out);

/*
 * Makes a routing from an engine's own hop matrix, which then stands behind hops_routing_ops. Takes over the
 * caller's reference to h. NULL: cancelled (out->refused says so).
 */
struct routing *assign_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct hops *h, bool dor, struct hops_marks marks);

/*
 * The order in which destinations are routed (engines/doc/minhop.md section 5): first those of
 * guid_routing_order_file, then hosts (those of switches with most hosts first), then the rest. Also the GUID
 * files about single switches.
 */

struct order {
	uint32_t n;	   /* endports that are up */
	uint32_t *endport; /* [n] each once */
	uint8_t *scatter;  /* [n] 1 = its first LID is scattered (with scatter_ports) */
};

/*
 * Builds the order as OpenSM 3.3.23; by_lid: those that no file names go by ascending LID, as in NVIDIA's
 * updn. Bad lines of the file become notes. Free with order_free().
 */
void order_build(const struct engine_input *in, struct engine_output *out, bool by_lid, struct order *o);
void order_free(struct order *o);

/*
 * The port search order of each switch (port_search_ordering_file): its ports 0 .. N are listed at
 * order[switch_port[sw]], and has[sw] = 1 if a line gave the order. Both members are NULL when the option is
 * not set.
 */
struct search_order {
	uint8_t *order; /* [n_ports] */
	uint8_t *has;	/* [n_switches] */
};

void search_order_read(const struct engine_input *in, struct engine_output *out, struct search_order *s);
void search_order_free(struct search_order *s);

/* The ports of port_prof_ignore_file: [n_ports], 1 = routes do not count. NULL when it is not set. */
uint8_t *ignored_ports_read(const struct engine_input *in, struct engine_output *out);

/*
 * How hop matrices are made and ports assigned: what the files of this folder share.
 *   hops.c         a matrix, its values and masks
 *   hops.c  the least costs of a topology, by search
 *   hops.c  the same round by round, as OpenSM 3.3.23 does it
 *   hops.c   the weights file, and which way is taken
 *   hops_update.c  after failures, from the matrix before
 *   assign.c         options and destinations; all switches
 *   assign_switch.c  one switch, LID by LID: how a port is chosen
 *   assign.c   the same where counts alone decide
 *   hops_update.c         by which rule, and what is recorded
 *   tell.c      how steps and choices are told
 *   tell.c           tables of a step, schemes
 */

/* Paths of higher cost do not exist. */
#define MAX_COST 254
static_assert(MAX_COST < NO_PATH, "a cost is no missing path");

/* The weight of leaving through a port. */
static inline unsigned hops_weight(const struct hops *h, uint32_t port)
{
	return h->weight ? h->weight[port] : 1;
}

/* The neighbours of each switch; parallel cables count once. */
struct neighbours {
	uint32_t *off; /* [n_switches + 1] */
	uint32_t *nbr; /* neighbours of s: nbr[off[s]] to nbr[off[s + 1] - 1] */
};

struct neighbours neighbours_new(const struct topo *t);
void neighbours_free(struct neighbours *g);

/* Fills h->least, which holds no path yet, by h->weight or all 1. False when cancelled. progress or NULL. */
bool hops_search(const struct topo *t, struct hops *h, struct progress *progress);

#define ASSIGN_MAX_WORDS 4 /* of a mask, for 255 ports */
static_assert(ASSIGN_MAX_WORDS * 64 > MAX_PORTS, "a bit for each port");

/* A destination endport, prepared for the loop over LIDs. */
struct dest {
	uint32_t endport;
	uint32_t target; /* its switch, NO_ID = none */
	uint16_t lid, count;
	uint8_t swport; /* port of that switch */
	bool is_switch, scatter;
};

/* A remote node through which LIDs of a destination go at the current switch. */
struct track {
	uint32_t node;
	uint32_t forwarded;
	uint8_t port; /* number of the remote port */
};

/* One candidate of a choice. */
struct cand {
	uint8_t port;
	bool sys_used, node_used;
	bool present; /* its track exists (DOR: always) */
	uint32_t count, forwarded;
};

/* Destinations in a row of one switch. */
struct counted_run {
	uint32_t first, n; /* dest[first] to dest[first + n - 1] */
	uint32_t target;   /* NO_ID = none */
	bool counts;	   /* routes to them count */
};

/* Parts of the destinations, of about the same size: counts are kept before each. */
#define PARTS 8

/* What a row keeps: who changes a few entries need not count the routes from the first on. */
struct part_counts {
	uint64_t dealt;	  /* assign.dealt they belong to */
	unsigned ports;	  /* 0 to ports - 1 */
	uint16_t count[]; /* [PARTS - 1][ports] routes by port before part 1, 2 ... */
};

/* Candidates in the order in which they are considered, and those of the least count. */
struct queue {
	const uint64_t *mask; /* of the candidates; NULL = none yet */
	unsigned n_cand, n, at;
	uint32_t level; /* count of port[at] to port[n - 1]; those before have one more */
	uint32_t above; /* the least count of the other candidates */
	bool stale;	/* counts changed otherwise */
	uint8_t cand[256], port[256];
};

struct assign {
	const struct engine_input *in;
	const struct topo *t;
	const struct fabric *f;
	const struct hops *h;
	struct routing *out;
	bool dor, shifting, profile_switches, plain;
	bool manual; /* several LIDs per port: follow the words of OpenSM's manual */
	unsigned lmc;
	uint32_t n_other; /* choices of the program that the manual does not allow */
	uint32_t hub;	  /* of missing_routes_hub() for updn and ar_updn, else NO_ID */
	uint64_t n_hub;	  /* entries that lead through it */
	struct dest *dest;
	uint32_t n_dest;
	uint16_t *lid; /* [n_dest] base LIDs of dest */
	struct counted_run *run;
	uint32_t n_runs;
	struct search_order search;
	uint8_t *ignored; /* [n_ports] or NULL */
	/*
	 * scatter_ports: OpenSM draws all from one stream.  By NVIDIA's rules each routing thread has its
	 * own, and the switches are dealt to the threads in turn (engines/doc/nvidia.md 3.3).
	 */
	struct glibc_random *stream; /* [n_streams] */
	uint32_t n_streams, n_dealt; /* dealt: switches so far */
	struct glibc_random *random; /* the present switch's */
	struct track *track;	     /* [n_dest << lmc], lmc > 0 only */
	uint8_t *n_track;	     /* [n_dest] */
	uint32_t *part; /* [n_switches] for a recorder: number of the connected part; NULL = not known */
	uint64_t *mask; /* [n_switches * ASSIGN_MAX_WORDS] */
	const uint8_t *farther; /* all other LIDs keep the entries of `current`; NULL: any may change */
	uint32_t *far, n_far;	/* runs of these targets, with `farther` */
	uint16_t *gone;		/* LIDs that nobody holds any more, but `current` has entries for */
	uint32_t n_gone;
	uint32_t part_run[PARTS + 1]; /* the first run of each part */
	uint64_t dealt; /* tells other destinations, orders and ports that count apart; 0: counts are not kept
			 */

	/* the current switch */
	uint32_t sw, p0;
	uint8_t *row; /* [max_lid + 1] its new table, a row of `out` */
	unsigned num_ports, words;
	const struct lft_row *current;
	const uint8_t *order;  /* port search order, NULL = ascending */
	const uint8_t *ignore; /* [num_ports] or NULL */
	uint32_t count[256];
	struct cand cand[256];
	struct queue queue; /* assign.c */
	bool asked;	    /* somebody asks about its entries */
};

/* A choice: the port, and how it was chosen. */
struct choice {
	uint8_t port;
	enum why_rule rule;   /* that took it; WHY_UNTOLD: counts, WHY_NO_WAY: no way in the matrix */
	unsigned n;	      /* candidates in a->cand, if examined */
	uint32_t drawn, ties; /* the random number, and how many ports it chose from */
};

static inline bool mask_has(const uint64_t *mask, unsigned p)
{
	return mask[p / 64] >> (p & 63) & 1;
}

/* The entry of the switch's present table, NO_PATH when there is none to consider. */
static inline unsigned current_port(const struct lft_row *row, unsigned lid)
{
	return row && lid <= row->top ? row->port[lid] : NO_PATH;
}

/*
 * Lists the ports of a mask in a->cand, from port `start` on, in the order in which they are considered
 * (engines/doc/minhop.md 6.1). Returns their number.
 */
unsigned assign_list_candidates(struct assign *a, const uint64_t *mask, unsigned start);

/* The index of the candidate (of n) that port_shifting considers first. */
unsigned assign_shift(const struct assign *a, unsigned n);

/* Makes the table of a switch. */
void assign_switch(struct assign *a, uint32_t sw);
/* The same for a->plain when nobody asks or records; masks are there, the row holds no path. */
void assign_plain(struct assign *a);
/* The same with a->farther, from the row of `current`. */
void assign_repair(struct assign *a);

/* hops_update.c */

/* Does a route by this port count? */
static inline bool assign_counts(const struct assign *a, const struct dest *d, unsigned port)
{
	return port != NO_PATH && !(d->is_switch && !a->profile_switches) && !(a->ignore && a->ignore[port]);
}

/* Lists the candidates of a plain choice, which are needed only if somebody asks or records. */
void assign_list(struct assign *a, const uint64_t *mask, struct choice *c);
/* The candidate with a port, or NULL. */
const struct cand *assign_candidate(const struct assign *a, const struct choice *c, unsigned port);
/* The rule that decided; with `via`, against this port (0: all). The choice's route is not counted yet. */
enum why_rule assign_rule(struct assign *a, const struct dest *d, const uint64_t *mask,
			  const struct choice *c, unsigned via);
/* The rule by counts alone, whatever they started from. */
enum why_rule assign_by_count(const struct assign *a, const struct choice *c);
/*
 * The candidate that would win if counts had started from 0 (fewer LIDs than the chosen port, or as many and
 * earlier), or NULL. via: consider only this port (0: all).
 */
const struct cand *assign_but_for_left(const struct assign *a, const struct choice *c, unsigned via);
/* Recording; in->record must not be NULL. A choice is recorded before its route is counted. */
void assign_record_start(const struct assign *a);
void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  struct choice *c);
void assign_record_switch(const struct assign *a);

/* tell.c: tells a choice to those who ask about it. */
void assign_tell_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			struct choice *c);

/* Min Hop, for engines that use its matrix. */

/* route() and update() of minhop and dor. */
struct routing *min_hop_route(const char *engine, bool dor, const struct engine_input *in,
			      struct engine_output *out);

#endif
