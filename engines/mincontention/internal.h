/* Private to the engine: one run. */
#ifndef IBSCOPE_MINCONTENTION_INTERNAL_H
#define IBSCOPE_MINCONTENTION_INTERNAL_H

#include "core/base/defs.h"
#include "core/trace/recording.h"
#include "engines/mincontention/mincontention.h"

/* Keys that may still improve, by contention and distance: two levels of contention at a time. */
struct heap {
	uint32_t *head[2];     /* [nodes + 1] first entry of a distance, NO_ID */
	uint32_t *node, *next; /* [links + 1] entries */
	uint32_t n;
	unsigned top[2]; /* largest distance in use, per level of contention */
	bool used[2];
};

/*
 * Where paths are chosen, by the same rules: elements and the links between them (stage 2), or chips and the
 * links inside their element (stage 3), whose nodes are switch ids.
 */
struct level {
	/* links of node i: first[i] to first[i + 1], by chip and port; back: the other direction */
	const uint32_t *first, *to, *back, *port, *of_port;
	uint32_t n_links;
	bool by_next;	 /* of equal usage the lowest next node counts before the order of links */
	uint32_t *use;	 /* [n_links] LIDs sent by a link so far */
	uint8_t *marked; /* [n_links] the sending port carries another LID of the endport at hand */
	uint32_t *mark, n_marks;
	/* the LID at hand */
	const uint16_t *sp; /* [nodes] least distance to the node where it leaves */
	uint32_t *key;	    /* [nodes] contention and distance as one number, NO_KEY = not known */
	uint32_t *egress;   /* [nodes] link chosen, NO_ID where it leaves */
	struct heap heap;
};

/* Distances of more elements are not remembered, for their size. */
#define REMEMBERED 4096

struct run {
	const struct engine_input *in;
	const struct elements *el;
	const struct topo *topo;
	unsigned tolerance;
	struct routing *r;
	uint32_t *usage; /* [n_ports]; those of links between switches at the end only */
	uint8_t *kept;	 /* [max_lid + 1] */
	struct level between, inside;
	uint16_t *inside_sp; /* [n_switches] of `inside` */
	/* Distances to the element `target`, elements by them; those of other targets are remembered. */
	uint32_t target, n_near;
	const uint32_t *near;
	uint16_t **all_sp;   /* [n] NULL = not known */
	uint32_t **all_near; /* [n] */
	/* the LID at hand */
	unsigned lid;
	uint32_t owner, sw;    /* endport, the switch it hangs on or is */
	uint8_t swport;	       /* at that switch; 0: the switch itself */
	uint32_t not_given;    /* paths told of by count_not_given() */
	struct mc_record *rec; /* NULL: nobody records */
};

/* Room for both levels, distances, and no LID at hand.  Free it with run_end(). */
void run_levels(struct run *x);
void run_end(struct run *x);

/* Know the distances to an element. */
void aim(struct run *x, uint32_t target);
/* The same of the chips of element e, to where the LID leaves it, which the level `between` knows. */
void aim_inside(struct run *x, uint32_t e);

/* The port (id) by which element e sends the LID at hand; the switch that has it. */
static inline uint32_t exit_port(const struct run *x, uint32_t e)
{
	return e == x->target ? switch_port_id(x->topo->fabric, x->sw, x->swport)
			      : x->el->link_port[x->between.egress[e]];
}
static inline uint32_t exit_switch(const struct run *x, uint32_t e)
{
	return x->topo->fabric->node_switch[x->topo->fabric->port_node[exit_port(x, e)]];
}

#define CONTENTION(key) ((key) >> 16)
#define DISTANCE(key) ((key)&0xFFFF)
#define NO_KEY 0x7FFFFFFFu

/* Key of a path through link l to a node of a key. */
static inline uint32_t key_through(const struct level *v, uint32_t l, uint32_t key)
{
	return key + 1 + ((uint32_t)v->marked[l] << 16);
}

/* The links by which tables send another LID of the endport at hand; until they are forgotten. */
void mark_lid(struct run *x, const struct routing *r, unsigned lid);
/* The same of the LID at hand, by what was chosen. */
void mark_chosen(struct run *x);

/* Stages 2 and 3: a link for every element and for every chip inside, for the LID aimed at. */
void choose_paths(struct run *x);

/* Fill the LID's entries of all chips from the links chosen and count them. */
void place_entries(struct run *x);

/* Link by which the chips of an element send the LID in the tables of r, NO_ID when there is none. */
uint32_t egress_link(const struct elements *el, const struct routing *r, uint32_t e, unsigned lid);
/* Link inside its element by which a chip sends it, NO_ID. */
uint32_t inside_link(const struct elements *el, const struct routing *r, uint32_t sw, unsigned lid);

/*
 * Do the tables of `from` have a whole tree for the LID at hand, over live links, that this engine could have
 * chosen?  Then egress[] and key[] (of contention 0) of both levels tell of it.
 */
bool tree_stands(struct run *x, const struct routing *from);

/*
 * Acceptable paths of a node from which the LID at hand does not leave, the chosen one first, with what is
 * known of them (key[], egress[], marked[], use[]).  way: room for all its links.  Their number.
 */
uint32_t list_ways(const struct run *x, const struct level *v, uint32_t node, bool kept,
		   struct mincontention_way *way);

/* Does the neighbour behind a link of a node give it an acceptable path? */
bool acceptable(const struct run *x, const struct level *v, uint32_t node, uint32_t l);

/*
 * Is there a path of acceptable length from element e by link l, other than what its next element gives?
 * (Forwarding is by destination, so a path that a neighbour does not take cannot be had.)
 */
bool way_not_given(const struct run *x, uint32_t e, uint32_t l);

/* Rule of the element of the LID at hand. */
enum mincontention_rule own_rule(const struct run *x, bool kept);

/* The same rule of a choice inside an element. */
enum why_rule inside_why(enum mincontention_rule rule);

/* --- recordings (events.c) ------------------------------------------------------------------- */

struct mc_record *mc_record_new(const struct run *x);
void mc_record_free(struct mc_record *r); /* NULL is fine */
/* Trees that stand, when their entries and counts were taken over. */
void mc_record_kept(const struct run *x);
/* The LID at hand begins. */
void mc_record_lid(const struct run *x);
/* What comes is "between" elements, or "inside" them. */
void mc_record_phase(const struct run *x, const char *where);
/* Element e sends the LID by a port (id) of chip sw, before that is put and counted. */
void mc_record_settle(const struct run *x, uint32_t e, uint32_t sw, uint32_t port);
/* A chip sends it by a port towards the one that sends it out. */
void mc_record_inside(const struct run *x, uint32_t sw, uint32_t port);
/* What no step changes, kept by a recording. */
struct mc_kept {
	const struct elements *el; /* reference held */
	unsigned tolerance;
	uint8_t *kept; /* [max_lid + 1] */
};

/* --- sentences.c, show.c --------------------------------------------------------------------- */

extern const struct rec_scheme mincontention_scheme;
extern const struct routing_ops mincontention_ops; /* of a routing, and of a step of a recording */
void *mc_priv_at(struct walk *w, const struct routing *end);

/* Tell who asks; the LID at hand was just chosen (before its usage is counted), or kept. */
void mc_tell(const struct run *x, bool kept);

#endif
