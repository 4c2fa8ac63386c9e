/* Private to the engine: one run. */
#ifndef IBSCOPE_MINCONTENTION_INTERNAL_H
#define IBSCOPE_MINCONTENTION_INTERNAL_H

#include "core/base/defs.h"
#include "core/trace/recording.h"
#include "engines/mincontention/mincontention.h"

/* Keys that may still improve, by contention and distance: two levels of contention at a time. */
struct heap {
	uint32_t *head[2];	  /* [n + 2] first entry of a distance, NO_ID */
	uint32_t *element, *next; /* [n_links + 1] entries */
	uint32_t n;
	unsigned top[2]; /* largest distance in use, per level */
	bool used[2];
};

/* Distances of more elements are not remembered, for their size. */
#define REMEMBERED 4096

struct run {
	const struct engine_input *in;
	const struct elements *el;
	const struct topo *topo;
	unsigned tolerance;
	struct routing *r;
	uint32_t *usage; /* [n_ports]; those of links between elements at the end only */
	uint32_t *use;	 /* [n_links] LIDs sent by a link so far */
	uint8_t *kept;	 /* [max_lid + 1] */
	/* Distances to the element `target`, elements by them; those of other targets are remembered. */
	uint32_t target, n_near;
	const uint16_t *sp;
	const uint32_t *near;
	uint16_t **all_sp;   /* [n] NULL = not known */
	uint32_t **all_near; /* [n] */
	/* the endport at hand */
	uint8_t *marked; /* [n_links] the sending port carries another LID of it */
	uint32_t *mark, n_marks;
	/* the LID at hand */
	unsigned lid;
	uint32_t owner, sw; /* endport, the switch it hangs on or is */
	uint8_t swport;	    /* at that switch; 0: the switch itself */
	uint32_t *key;	    /* [n] contention and distance as one number, NO_KEY = not known */
	uint32_t *egress;   /* [n] link chosen, NO_ID at the target */
	struct heap heap;
	struct mc_record *rec; /* NULL: nobody records */
};

/* Know the distances to an element. */
void aim(struct run *x, uint32_t target);

#define CONTENTION(key) ((key) >> 16)
#define DISTANCE(key) ((key)&0xFFFF)
#define NO_KEY 0x7FFFFFFFu

/* Key of a path through link l to an element of a key. */
static inline uint32_t key_through(const struct run *x, uint32_t l, uint32_t key)
{
	return key + 1 + ((uint32_t)x->marked[l] << 16);
}

/* Stage 2: an egress link for every element, for the LID at hand; the target is aimed at. */
void choose_paths(struct run *x);

/* Stage 3: fill the LID's entries of all chips from the egress links and count them. */
void place_entries(struct run *x);

/* Link by which the chips of an element send the LID in the tables of r, NO_ID when there is none. */
uint32_t egress_link(const struct elements *el, const struct routing *r, uint32_t e, unsigned lid);

/*
 * Do the tables of `from` have a whole tree for the LID at hand, over live
 * links, that this engine could have chosen?  Then egress[] and key[] (of contention 0) tell of it.
 */
bool tree_stands(struct run *x, const struct routing *from);

/*
 * Acceptable paths of an element that is not the target, the chosen one first, with what is
 * known of them (key[], egress[], marked[], use[]).  way: room for all its links.  Their number.
 */
uint32_t list_ways(const struct run *x, uint32_t e, bool kept, struct mincontention_way *way);

/* Rule of the element of the LID at hand. */
enum mincontention_rule own_rule(const struct run *x, bool kept);

/*
 * Ports (ids) of a chip on shortest ways to the chip `exit` of its element, by number, with their usage; way:
 * room for MAX_PORTS.  Their number, 0 at `exit`.  Then the one that is taken, and the rule that decides it.
 */
struct inside {
	uint32_t port, usage;
};
unsigned list_inside(const struct elements *el, uint32_t sw, uint32_t exit, const uint32_t *usage,
		     struct inside *way);
unsigned least_inside(const struct inside *way, unsigned n);
enum why_rule inside_rule(const struct inside *way, unsigned n, unsigned taken);

/* Free what is not handed on; tables that were never made are NULL. */
void run_end(struct run *x);

/* --- recordings (events.c) ------------------------------------------------------------------- */

struct mc_record *mc_record_new(const struct run *x);
void mc_record_free(struct mc_record *r); /* NULL is fine */
/* Trees that stand, when their entries and counts were taken over. */
void mc_record_kept(const struct run *x);
/* The LID at hand begins. */
void mc_record_lid(const struct run *x);
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
