/*
 * Fat-tree routing (E. Zahavi, G. Johnson, D. J. Kerbyson, M. Lang, Concurrency and Computation 22(2), 2010),
 * as in OpenSM 3.3.23: the tree it sees, its counters, why it refuses. For panes and tests; the rest of the
 * program knows engines only by core/sm/engine.h.
 *
 * Directions are seen from a switch. Up is toward the roots (rank 0).
 */
#ifndef IBSCOPE_FTREE_H
#define IBSCOPE_FTREE_H

#include <assert.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"
#include "engines/counted/counted.h"
#include "engines/engines.h"

#define FT_UNRANKED UINT32_MAX
#define FT_NO_TUPLE UINT64_MAX
#define FT_MAX_LEVELS 8
static_assert(FT_MAX_LEVELS <= sizeof(uint64_t), "a tuple has a byte for each level");

enum ft_dir { FT_UP, FT_SIDE, FT_DOWN, FT_DIRS };

/* A cable of a port group. Each end of a cable has its own struct, with its own counters. */
struct ft_link {
	uint8_t port;	/* at the switch that owns the group */
	uint8_t remote; /* at the other end */
	uint32_t cu;	/* destinations for which the peer learned to climb through this cable */
	uint32_t cd;	/* main climbs through this cable */
};

/* All parallel cables from a switch to one peer. */
struct ft_group {
	uint32_t sw;		/* owner */
	uint32_t peer;		/* switch id, NO_ID: a CA port */
	uint32_t ca;		/* index in ca[], NO_ID: a switch */
	uint32_t link, n_links; /* links link to link + n_links - 1, in port order */
	uint32_t cu, cd; /* sums over the links (cd of an up group also counts climbs over side links) */
};

/* An entry in the order in which a switch visits its groups. */
struct ft_slot {
	uint32_t count; /* counter at the last sort */
	uint32_t key;	/* index of the peer, see FT_KEY_CA */
	uint32_t peer;	/* switch id, NO_ID: a CA port */
	uint32_t group;
};

/*
 * Keys of peers: indexed switches have 0 .. n-1 by tuple, CAs FT_KEY_CA and above, switches without index
 * FT_KEY_NONE. Where OpenSM compares two CAs, it compares heap addresses; here the order of nodes stands for
 * them.
 */
#define FT_KEY_CA 0x7FFFFFFFu
#define FT_KEY_NONE UINT32_MAX

struct ft_switch {
	bool in;	/* takes part: is up, has cables, and has a rank */
	bool is_leaf;	/* a compute node is on it */
	bool climbed;	/* a counter of an up group has changed since then */
	bool plain;	/* it has only CAs below and nothing beside: a descent ends here */
	uint32_t rank;	/* 0 = root */
	uint64_t tuple; /* the highest byte is the rank, then comes the index; unused bytes are 0xFF */
	uint32_t key;
	uint32_t rot;  /* group where the next reverse hops of a root begin */
	uint32_t n_cn; /* compute nodes on it */
	uint32_t slot[FT_DIRS], n[FT_DIRS];
	uint16_t lid;
};

/* A cabled CA port, in order of node and port. */
struct ft_ca {
	uint32_t endport, sw;
	uint16_t lid;
	uint8_t port; /* at the switch */
	bool is_cn, is_io;
	bool routed;
	bool by_chance; /* OpenSM may leave it out, as the heap will have it */
};

/* The reason why the fabric was refused. */
struct ft_refusal {
	const char *rule;  /* short static name of the broken rule; NULL: not refused */
	const char *label; /* error number in OpenSM's log ("AB09"), "" when it has none */
	uint32_t sw, ref;  /* offender and the switch it was compared with, NO_ID = none */
	uint32_t endport;  /* offending CA port, NO_ID = none */
	uint32_t found, expected;
	struct err why; /* the full explanation */
};

/* An entry that exists only because of reverse hops. */
struct ft_reverse {
	uint32_t sw;
	uint16_t lid;
	uint8_t port, hops;
};

/* A value of the hop matrix that differs from Min Hop's. */
struct ft_cost {
	uint32_t d, port; /* target switch; port id (that of port 0 for the least cost) */
	uint8_t value;
};

struct ftree {
	const struct topo *topo; /* reference held */
	const struct lids *lids; /* reference held */
	bool root_file, cn_file, quasi, connect_roots, manual;
	bool named; /* root_guid_file gave the ranks */
	uint32_t max_reverse;
	uint64_t most_calls; /* limit of calls of all climbs together; 0: no limit */
	/*
	 * for an entry without a route to an I/O port, when somebody asks: the least max_reverse_hops that
	 * gives it a route, by the program and by the manual; 0: not known
	 */
	unsigned turns_do, turns_do_manual;
	uint32_t n_in, n_cas; /* switches that take part, CA nodes */
	struct ft_switch *sw; /* [n_switches] */
	struct ft_group *group;
	struct ft_slot *slot; /* one per group */
	struct ft_link *link;
	uint32_t n_groups, n_links;
	struct ft_ca *ca;
	uint32_t n_ca;
	uint32_t *leaf, n_leaves; /* switches in index order */
	uint32_t leaf_rank, max_rank, max_cn;
	uint16_t max_lid;
	uint32_t unindexed; /* switches without index, because 255 values were too few */
	uint32_t skipped;   /* neighbours of such switches, which OpenSM would index from undefined bytes */
	struct ft_refusal refusal;
	struct recorder *rec; /* while the tree is built; NULL: nobody records */

	/* after routing */
	struct hops *hops;    /* Min Hop's matrix */
	struct ft_cost *cost; /* sorted by d, then port */
	size_t n_costs, cap_costs;
	struct ft_reverse *reverse;
	size_t n_reverse, cap_reverse;
};

/*
 * Builds the tree of a fabric, for routing and for panes of a fabric that is not routed. If a step refuses,
 * refusal.rule is set, and later parts stay empty. Bad lines of files become notes. Free with ftree_free().
 */
struct ftree *ftree_build(const struct engine_input *in, struct engine_output *out);
void ftree_free(void *t); /* NULL is fine */

/* The tree behind a routing, or NULL when another engine made it. */
const struct ftree *ftree_of(const struct routing *r);

/* "1.0.3" (rank, then index), or "-" without index. Returns buf. */
const char *ftree_tuple(const struct ftree *t, uint32_t sw, char *buf, size_t size);

/* The i-th group of a switch, in the order in which the switch visits them. */
static inline const struct ft_group *ftree_group(const struct ftree *t, uint32_t sw, enum ft_dir d,
						 uint32_t i)
{
	assert(i < t->sw[sw].n[d]);
	return &t->group[t->slot[t->sw[sw].slot[d] + i].group];
}

/*
 * The order of compute nodes in which shifts do not collide: endport ids leaf by leaf, each leaf filled up
 * with NO_ID to the size of the largest. *n places; the caller frees it.
 */
uint32_t *ftree_order(const struct ftree *t, uint32_t *n);

/* The same order as the text of OpenSM's file opensm-ftree-ca-order.dump. */
void ftree_order_text(const struct ftree *t, struct text *out);

/* Declarations shared by the files of the fat-tree engine. */

/* Key of a CA among tuples: after all assigned ones, before unassigned ones. */
#define TUPLE_CA (FT_NO_TUPLE - 1)

/* Flags of a choice or offer: came by reverse hops; why the main path climbed; hops as ftree counts them. */
#define BY_REVERSE 2
#define BY_LOAD 4
#define BY_INDEX 8
#define HOPS_AT 4
#define MOST_HOPS 15u /* or more */

/* How a switch got its entry. */
enum ft_cause { FT_LOCAL, FT_DESCENT, FT_MAIN, FT_SECOND, FT_BESIDE, FT_ROOTS };

/* --- run.c ---------------------------------------------------------------------------------- */

/* The name of a switch. */
const char *ft_name(const struct ftree *t, uint32_t sw);
/* Does the LID belong to an I/O node? */
bool ft_is_io(const struct ftree *t, unsigned lid);
/* Refuses; rule and label are static. Returns false. The caller may then set the offender in t->refusal. */
bool ft_refuse(struct ftree *t, const char *label, const char *rule, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* A copy of the tree, without the results of routing. */
struct ftree *ft_copy(const struct ftree *t);

/* --- building it ----------------------------------------------------------------------------- */

/* The steps of ftree_build(). Each returns false when it refuses. */
bool ft_classify(struct ftree *t, const struct engine_input *in, struct engine_output *out); /* index.c */
bool ft_group_ports(struct ftree *t);							     /* index.c */
bool ft_find_leaves(struct ftree *t);							     /* index.c */
void ft_index(struct ftree *t);								     /* index.c */
bool ft_list_leaves(struct ftree *t);							     /* index.c */

/* Reads a GUID file of an option that is set. Differences between the sets of rules become notes. */
void ft_read_guids(const struct engine_input *in, struct engine_output *out, const char *option,
		   struct guid_file *g);

/* --- routing: route.c (the order), climb.c (one destination) --------------------------------- */

/* Routes all destinations into r (route.c). False when cancelled or given up (see out->refused). */
bool ft_route(struct ftree *t, const struct engine_input *in, struct engine_output *out, struct routing *r);

enum { PLAIN = 1, FIRST_FAMILY };
#define FT_UNTOLD UINT16_MAX

struct ft_run {
	struct ftree *t;
	const struct engine_input *in;
	struct engine_output *out;
	struct routing *r;
	struct ft_telling *tell; /* NULL: nobody asks */
	struct recorder *rec;	 /* NULL: nobody records */
	bool offers;		 /* the recording may want entries that are not taken */
	uint32_t n_switches;

	/* the current destination */
	uint16_t lid;		      /* 0: a dummy */
	uint32_t target;	      /* switch id if it is a switch, else NO_ID */
	uint8_t *port, *hop;	      /* [n_switches] entries by place, NO_PATH = none */
	uint8_t *reversed;	      /* [n_switches] the entry came by reverse hops; NULL without them */
	uint32_t *touched, n_touched; /* switches with an entry, in order; NULL without reverse hops */
	struct columns done;	      /* entries of the destinations before it */
	unsigned reverse;	      /* reverse hops on the way to the current call */
	bool fill;		      /* existing entries stay */

	/*
	 * Switches that have the same switches below, and neither CAs nor anything beside, are a family; of
	 * them only the first to be reached has something to teach, unless another is nearer. There are none
	 * with reverse hops, with cables between switches of a rank, and when somebody asks or records, since
	 * all visits are told then.
	 */
	uint32_t *family; /* [n_switches] 0: none, PLAIN: a descent ends here */
	uint32_t n_families;
	uint16_t *told; /* [n_families] hops of the nearest switch that taught the destination; FT_UNTOLD */
	uint8_t *low;	/* [n_families] a descent ends at all below */
	uint32_t n_low, n_untold, farthest; /* low ones; that have not taught the destination; most of told */
	uint8_t *over;			    /* [n_switches] all below are in low families, and in a row */
	uint32_t *crown;   /* [n_switches] the family above, when in a row and nothing is above it, or 0 */
	uint32_t *taught;  /* [n_switches] destinations taught to all below, not counted at groups yet */
	uint8_t *unsorted; /* [n_switches] a counter of a down group has changed since they were sorted */
	/*
	 * Of a family, when its counters changed (a number of n_destinations), and those that wait for the
	 * next visit: at the end of a destination of which they know a way, unless they were sorted at once.
	 */
	uint32_t *changed, *waiting, n_waiting, n_destinations;
	uint8_t *waits;		   /* [n_switches] it is among them */
	uint32_t *asker, n_askers; /* switches with CAs */

	/*
	 * Places of switches: switches below one switch, and switches above one, are in a row where they can
	 * be. Without families the place of a switch is its id.
	 */
	uint32_t *place, *at;	 /* of a switch; the switch at it */
	uint32_t *below, *above; /* [n_switches] the first; NO_ID: not in a row, or with parallel cables */
	uint8_t *way;		 /* [n_groups] the ports at a row in one direction, by place */
	uint8_t unknown[MAX_PORTS + 1]; /* NO_PATH */

	unsigned depth;
	uint64_t calls, look; /* at so many calls, look whether to go on */

	/* costs of entries toward a switch, before they are compared with Min Hop's */
	uint8_t *cost;	   /* [n_ports] */
	uint32_t *cost_of; /* [n_ports] target to which the cost belongs */
	uint32_t *costs, n_costs;

	bool first_phase;   /* true while compute nodes are routed */
	uint32_t at_leaf;   /* those of this leaf, or NO_ID */
	uint32_t at_group;  /* the place in its groups */
	uint8_t *resorted;  /* [n_switches] a leaf whose CAs were sorted during the first phase */
	uint8_t *to_last;   /* [n_switches] hops to the last leaf */
	uint8_t *from_last; /* [n_switches] hops from the last leaf */
	uint64_t unreached; /* pairs (switch with CAs, CA LID) without an entry */
	bool stop;
};

/* Lists a switch that is about to get its first entry for the destination. */
static inline void ft_touch(struct ft_run *r, uint32_t sw)
{
	if (r->touched && r->port[sw] == NO_PATH && r->hop[sw] == NO_PATH)
		r->touched[r->n_touched++] = sw;
}

/* Sorts the groups below a switch, by how often they taught. */
void ft_sort_below(struct ft_run *r, uint32_t sw);

/* A descent visits a switch: its groups are sorted if their counters changed. */
static inline void ft_visit(struct ft_run *r, uint32_t sw)
{
	if (r->unsorted[sw])
		ft_sort_below(r, sw);
}

/*
 * Climbs from w, which is h hops from the destination, on all ways that lead up; all switches below them
 * learn the route. prev: the switch before (NO_ID: none). main: the first parent is counted. credit: reverse
 * hops left. Returns true if a CA was found below.
 */
bool ft_ascend(struct ft_run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h);

/*
 * Reverse hops by the words of OpenSM's manual, after ft_ascend() without credit. Routes may pass up to
 * `most` switches where they turn from down to up. A switch without a route gets one with the fewest such
 * turns; existing entries stay.
 */
void ft_turn(struct ft_run *r, unsigned most);

/* --- run.c -------------------------------------------------------------------------------- */

/* The groups of all switches are known; a switch got its index, from a neighbour or as the first (NO_ID). */
void ft_record_groups(const struct ftree *t);
void ft_record_tuple(const struct ftree *t, uint32_t sw, uint32_t from);
/* All slots are sorted by index (before[] is their old order); the array of leaves is made. */
void ft_record_indexed(const struct ftree *t, const struct ft_slot *before);
void ft_record_leaves(const struct ftree *t);
/* --- the rest is called with r->rec, while the tree is routed --- */

/* A destination begins at its leaf, whose entry changes from `was` to `local` (NO_PATH: none). */
void ft_record_start(const struct ft_run *r, uint32_t leaf, unsigned local, unsigned was);
/* The switch at a group takes its cable (call before it is stored), or is offered it and does not take it. */
void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause);
void ft_record_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		     enum ft_cause cause);
/* A cell of the hop matrix toward a switch changes, as part of the last event. */
void ft_record_cost(const struct ft_run *r, uint32_t target, uint32_t port_id, unsigned was, unsigned now);
/* Counters grow by one: switches taught to climb (spread), or main climbs (climb). */
void ft_record_spread(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l);
void ft_record_climb(const struct ft_run *r, uint32_t sw, const struct ft_group *g0, const struct ft_group *g,
		     const struct ft_link *l);
/* The slots of a switch in one direction were sorted; before[] is their old order. */
void ft_record_sort(struct recorder *rec, const struct ftree *t, uint32_t sw, enum ft_dir d,
		    const struct ft_slot *before);
/* A switch gets an entry through the last leaf, with its hops. */
void ft_record_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port, unsigned hops);

/* --- tell.c --------------------------------------------------------------------- */

extern const struct rec_scheme ftree_scheme;
/* Operations for a routing, and for a step of a recording. */
extern const struct routing_ops ftree_ops;

/*
 * Tells choices of the current destination, with r->tell: its beginning, a main climb to the first up group
 * of sw, an offer to the switch at a group, its end; and an entry for a switch through the last leaf.
 */
struct ft_telling *ft_tell_new(const struct ftree *t);
void ft_tell_free(struct ft_telling *w, const struct ftree *t); /* NULL is fine */
void ft_tell_begin(const struct ft_run *r, uint32_t leaf);
void ft_tell_climb(const struct ft_run *r, uint32_t sw, uint32_t prev);
void ft_tell_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause, bool taken);
void ft_tell_end(const struct ft_run *r);
void ft_tell_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port);

#endif
