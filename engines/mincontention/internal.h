/* Private to the engine: the state of one run. */
#ifndef IBSCOPE_MINCONTENTION_INTERNAL_H
#define IBSCOPE_MINCONTENTION_INTERNAL_H

#include "core/base/defs.h"
#include "core/trace/recording.h"
#include "engines/mincontention/mincontention.h"

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
	uint32_t *key;	    /* [nodes] contention and distance in one number, NO_KEY = not known */
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
#define NO_KEY 0x7FFFFFFFu

/* Key of a path that goes over link l to a node with the given key. */
static inline uint32_t key_through(const struct level *v, uint32_t l, uint32_t key)
{
	return key + 1 + ((uint32_t)v->marked[l] << 16);
}

/* Marks the links by which tables send another LID of the current endport, until the marks are forgotten. */
void mark_lid(struct mincontention_run *x, const struct routing *r, unsigned lid);
/* Marks the links chosen for the current LID. */
void mark_chosen(struct mincontention_run *x);

/* Stages 2 and 3: chooses a link for every element and for every chip inside, for the current LID. */
void choose_paths(struct mincontention_run *x);

/* Fills the LID's entries of all chips from the chosen links, and counts them. */
void place_entries(struct mincontention_run *x);

/* The link by which the chips of an element send the LID in the tables of r, or NO_ID. */
uint32_t egress_link(const struct elements *el, const struct routing *r, uint32_t e, unsigned lid);
/* The link inside its element by which a chip sends the LID, or NO_ID. */
uint32_t inside_link(const struct elements *el, const struct routing *r, uint32_t sw, unsigned lid);

/*
 * Do the tables of `from` have a complete tree for the current LID, over live links, that this engine could
 * have chosen? Then egress[] and key[] (with contention 0) of both levels describe it.
 */
bool tree_stands(struct mincontention_run *x, const struct routing *from);

/*
 * Lists the acceptable paths of a node from which the current LID does not leave, the chosen one first, with
 * what is known of them (key[], egress[], marked[], use[]). way has room for all its links. Returns their
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

/* --- recordings (events.c) ------------------------------------------------------------------- */

struct mc_record *mc_record_new(const struct mincontention_run *x);
void mc_record_free(struct mc_record *r); /* NULL is fine */
/* The entries and counts of kept trees were taken over. */
void mc_record_kept(const struct mincontention_run *x);
/* The current LID begins. */
void mc_record_lid(const struct mincontention_run *x);
/* The phase "between" elements or "inside" them begins. */
void mc_record_phase(const struct mincontention_run *x, const char *where);
/* Element e sends the LID by port id `port` of chip sw. Call before the entry is stored and counted. */
void mc_record_settle(const struct mincontention_run *x, uint32_t e, uint32_t sw, uint32_t port);
/* A chip sends the LID by a port towards the chip with the element's exit. */
void mc_record_inside(const struct mincontention_run *x, uint32_t sw, uint32_t port);
/* Data that no step changes, kept by a recording. */
struct mc_kept {
	const struct elements *el; /* reference held */
	unsigned tolerance;
	uint8_t *kept; /* [max_lid + 1] */
};

/* --- sentences.c, show.c --------------------------------------------------------------------- */

extern const struct rec_scheme mincontention_scheme;
extern const struct routing_ops mincontention_ops; /* for a routing, and for a step of a recording */
void *mc_priv_at(struct walk *w, const struct routing *end);

/* Tells those who ask. The current LID was just chosen (its usage is not counted yet), or kept. */
void mc_tell(const struct mincontention_run *x, bool kept);

#endif
