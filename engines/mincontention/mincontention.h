/*
 * Minimum contention, shortest path and load balancing: how the subnet manager embedded in Topspin-family
 * switches routes (HP 376227-B21, chapter on routing). It routes whole chassis first, then the chips inside
 * each. For panes and tests; the rest of the program knows engines only by core/sm/engine.h.
 *
 * Where the source leaves a point open, this engine settles it so that results are the same everywhere. The
 * comments say where.
 */
#ifndef IBSCOPE_MINCONTENTION_H
#define IBSCOPE_MINCONTENTION_H

#include "core/base/defs.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"

struct mincontention {
	const struct elements *elements; /* reference held */
	unsigned tolerance;
	uint32_t *usage; /* [n_ports] LIDs that leave a switch by the port; port 0 is not counted */
	uint8_t *kept;	 /* [max_lid + 1] 1: the LID's tree was kept from the tables before */
};

/* The results behind a routing, NULL when another engine made it. */
const struct mincontention *mincontention_of(const struct routing *r);

/*
 * Key of an element's path for a LID. contention: ports on it (of links between elements) that are also taken
 * by LIDs of the same endport placed earlier (kept ones first, then by number). distance: links between
 * elements.
 */
struct mincontention_key {
	uint16_t contention, distance;
};

/* False when there is no route. */
bool mincontention_key(const struct routing *r, uint32_t element, unsigned lid, struct mincontention_key *k);

/* What decides between the acceptable paths of an element, in the order of comparison; then other reasons. */
enum mincontention_rule {
	RULE_ONLY_PATH,
	RULE_CONTENTION,
	RULE_DISTANCE,
	RULE_USAGE,
	RULE_NEXT_ELEMENT, /* by lowest chip GUID */
	RULE_OWN_CHIP,	   /* by GUID */
	RULE_PORT,	   /* by number */
	RULE_KEPT,	   /* the LID's tree was kept: nothing was compared */
	RULE_HOST_PORT,	   /* the endport hangs on it */
	RULE_OWN_PORT,	   /* port 0 of the switch that has the LID */
};

/* "least contention": the rule in words. */
const char *mincontention_rule_name(enum mincontention_rule rule);

/* An acceptable path of an element for a LID: by this port, and then as the next element sends. */
struct mincontention_way {
	uint32_t port; /* id of the sending port */
	uint32_t to;   /* element (for a chip inside: switch) at the other end; NO_ID at the LID's own */
	struct mincontention_key key; /* of the path */
	uint32_t usage;		      /* LIDs sent by the port before the LID was placed */
	bool chosen;
	bool open; /* at a step of a recording: nothing is chosen yet, port and `to` are NO_ID */
	/* The chosen one: the comparison that settled it. Another one: in what the chosen one was better. */
	uint8_t rule; /* enum mincontention_rule */
};

/* The ways of all elements for one LID. */
struct mincontention_ways {
	const struct elements *elements; /* reference held */
	unsigned lid;
	uint32_t target; /* element of the LID; NO_ID: the LID has no route, and no element has a way */
	uint32_t *first; /* [n + 1] ways of e: way[first[e]] (the chosen one) to way[first[e + 1] - 1] */
	struct mincontention_way *way;
	/*
	 * The ways of a chip inside its element: inside[first_inside[s]] (the chosen one) to
	 * inside[first_inside[s + 1] - 1]. There are none for the chip where the LID leaves, and in elements
	 * of one chip. `to` is a switch.
	 */
	uint32_t *first_inside; /* [n_switches + 1] */
	struct mincontention_way *inside;
};

/*
 * What the engine compared when it placed a LID, found again from its tables, as a listener hears it.
 * Contention of a kept LID is as in struct mincontention_key (the engine did not compare it). Tables of the
 * unicast cache are explained by the LIDs it kept. At a step of a recording: the ways through what was
 * settled so far. Cost: all tables are read once. NULL when cancelled. r must be of this engine.
 */
struct mincontention_ways *mincontention_ways(const struct routing *r, unsigned lid, struct progress *p);
void mincontention_ways_free(struct mincontention_ways *w); /* NULL is fine */

/* Private to the engine: the state of one run. */

/* Open nodes by contention and distance. Only two levels of contention exist at a time. */
struct heap {
	uint32_t *head[2];     /* [nodes + 1] first entry of a distance, or NO_ID */
	uint32_t *node, *next; /* [links + 1] entries */
	uint32_t n;
	unsigned top[2]; /* largest distance in use, per level */
	bool used[2];
};

/*
 * Paths are chosen by the same rules at two levels: between elements (stage 2), and between the chips inside
 * an element (stage 3), where nodes are switch ids.
 */
struct level {
	/* links of node i: first[i] to first[i + 1] - 1, by chip and port; back: the other direction */
	const uint32_t *first, *to, *back, *port, *of_port;
	uint32_t n_links;
	bool by_next;	 /* if usage is equal, the lowest next node wins before the order of links counts */
	uint32_t *use;	 /* [n_links] LIDs sent over a link so far */
	uint8_t *marked; /* [n_links] the port sends another LID of the same endport */
	uint32_t *mark, n_marks;
	/* for the current LID */
	const uint16_t *sp; /* [nodes] least distance to the node where the LID leaves */
	uint32_t *key;	    /* [nodes] contention and distance in one number, NO_OFFER = not known */
	uint32_t *egress;   /* [nodes] chosen link, NO_ID at the node where the LID leaves */
	struct heap heap;
};

/* Fabrics with more elements do not keep distances of earlier targets, to save memory. */
#define REMEMBERED 4096

struct mincontention_run {
	const struct engine_input *in;
	const struct elements *el;
	const struct topo *topo;
	unsigned tolerance;
	struct routing *r;
	uint32_t *usage; /* [n_ports]; for links between switches only at the end */
	uint8_t *kept;	 /* [max_lid + 1] */
	struct level between, inside;
	uint16_t *inside_sp; /* [n_switches] of `inside` */
	/* Distances to element `target`, and elements sorted by them. Those of earlier targets are kept. */
	uint32_t target, n_near;
	const uint32_t *near;
	uint16_t **all_sp;   /* [n] NULL = not known */
	uint32_t **all_near; /* [n] */
	/* the current LID */
	unsigned lid;
	uint32_t owner, sw;    /* its endport; the switch at which that hangs, or which it is */
	uint8_t swport;	       /* the port of that switch; 0: the switch itself */
	uint32_t not_given;    /* sum of count_not_given() */
	struct mc_record *rec; /* NULL: nobody records */
};

/* Allocates both levels and the distances, without a current LID. Free with run_end(). */
void run_levels(struct mincontention_run *x);
void run_end(struct mincontention_run *x);

/* Sets the target and computes the distances to it. */
void aim(struct mincontention_run *x, uint32_t target);
/* Computes the distances of the chips of element e to where the LID leaves it, as `between` knows. */
void aim_inside(struct mincontention_run *x, uint32_t e);

/* The port id by which element e sends the current LID. exit_switch() is the switch of that port. */
static inline uint32_t exit_port(const struct mincontention_run *x, uint32_t e)
{
	return e == x->target ? switch_port_id(x->topo->fabric, x->sw, x->swport)
			      : x->el->link_port[x->between.egress[e]];
}
static inline uint32_t exit_switch(const struct mincontention_run *x, uint32_t e)
{
	return x->topo->fabric->node_switch[x->topo->fabric->port_node[exit_port(x, e)]];
}

#define CONTENTION(key) ((key) >> 16)
#define DISTANCE(key) ((key)&0xFFFF)
#define NO_OFFER 0x7FFFFFFFu

/* Key of a path that goes over link l to a node with the given key. */
static inline uint32_t key_through(const struct level *v, uint32_t l, uint32_t key)
{
	return key + 1 + ((uint32_t)v->marked[l] << 16);
}

/* Marks the links by which tables send another LID of the current endport, until the marks are forgotten. */
void mark_lid(struct mincontention_run *x, const struct routing *r, unsigned lid);

/* The link by which the chips of an element send the LID in the tables of r, or NO_ID. */
uint32_t egress_link(const struct elements *el, const struct routing *r, uint32_t e, unsigned lid);
/* The link inside its element by which a chip sends the LID, or NO_ID. */
uint32_t inside_link(const struct elements *el, const struct routing *r, uint32_t sw, unsigned lid);

/*
 * Lists the acceptable paths of a node, the chosen one first, with what is known of them (key[], egress[],
 * marked[], use[]). way has room for all its links. Returns their
 * number.
 */
uint32_t list_ways(const struct mincontention_run *x, const struct level *v, uint32_t node, bool kept,
		   struct mincontention_way *way);

/* Does the neighbour at a link of a node give the node an acceptable path? */
bool acceptable(const struct mincontention_run *x, const struct level *v, uint32_t node, uint32_t l);

/*
 * Is there a path of acceptable length from element e over link l that its neighbour there does not choose?
 * Such a path cannot be used, because forwarding depends only on the destination.
 */
bool way_not_given(const struct mincontention_run *x, uint32_t e, uint32_t l);
/* The first element on that path that sends the LID off all paths of such a length. */
uint32_t way_deviator(const struct mincontention_run *x, uint32_t e, uint32_t l);

/* The rule for the current LID's own element. */
enum mincontention_rule own_rule(const struct mincontention_run *x, bool kept);

/* The corresponding rule for a choice inside an element. */
enum why_rule inside_why(enum mincontention_rule rule);

/* --- recordings (run.c) ------------------------------------------------------------------- */

/* Data that no step changes, kept by a recording. */
struct mc_kept {
	const struct elements *el; /* reference held */
	unsigned tolerance;
	uint8_t *kept; /* [max_lid + 1] */
};

/* --- tell.c --------------------------------------------------------------------- */

extern const struct rec_scheme mincontention_scheme;
extern const struct routing_ops mincontention_ops; /* for a routing, and for a step of a recording */

/* Tells those who ask. The current LID was just chosen (its usage is not counted yet), or kept. */
void mc_tell(const struct mincontention_run *x, bool kept);

#endif
