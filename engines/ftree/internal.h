/* Between the files of the fat-tree engine. */
#ifndef IBSCOPE_FTREE_INTERNAL_H
#define IBSCOPE_FTREE_INTERNAL_H

#include "core/base/defs.h"
#include "core/base/guidfile.h"
#include "core/trace/recording.h"
#include "engines/ftree/ftree.h"

/* Key of a CA among tuples: behind every assigned one, before the unassigned. */
#define TUPLE_CA (FT_NO_TUPLE - 1)

/* Flags of a choice or offer: came by reverse hops; why the main path climbed; the hops that ftree counts. */
#define BY_REVERSE 2
#define BY_LOAD 4
#define BY_INDEX 8
#define HOPS_AT 4
#define MOST_HOPS 15u /* or more */

/* How a switch came by its entry. */
enum ft_cause { FT_LOCAL, FT_DESCENT, FT_MAIN, FT_SECOND, FT_BESIDE, FT_ROOTS };

/* --- tree.c ---------------------------------------------------------------------------------- */

/* The name of a switch. */
const char *ft_name(const struct ftree *t, uint32_t sw);
/* Has an I/O node the LID? */
bool ft_is_io(const struct ftree *t, unsigned lid);
/* Refuse: rule and label are static.  Returns false; t->refusal may be given the offender then. */
bool ft_refuse(struct ftree *t, const char *label, const char *rule, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* The tree, without what routing adds. */
struct ftree *ft_copy(const struct ftree *t);

/* --- building it ----------------------------------------------------------------------------- */

/* The steps of ftree_build(), each false when it refused. */
bool ft_rank(struct ftree *t, const struct engine_input *in, struct engine_output *out);     /* rank.c */
bool ft_classify(struct ftree *t, const struct engine_input *in, struct engine_output *out); /* groups.c */
bool ft_group_ports(struct ftree *t);							     /* groups.c */
bool ft_find_leaves(struct ftree *t);							     /* index.c */
void ft_index(struct ftree *t);								     /* index.c */
bool ft_list_leaves(struct ftree *t);							     /* index.c */
bool ft_check_purity(struct ftree *t, struct engine_output *out);			     /* check.c */

/* Read a GUID file of an option that is set; differences between the sets of rules become notes. */
void ft_read_guids(const struct engine_input *in, struct engine_output *out, const char *option,
		   struct guid_file *g);

/* --- routing: route.c (what is routed when), climb.c (how one destination is) ---------------- */

/* Route all destinations into r (route.c).  false: cancelled or given up (out->refused says so). */
bool ft_route(struct ftree *t, const struct engine_input *in, struct engine_output *out, struct routing *r);

/* Destinations whose entries go into the tables together: one byte in each table at a time is slow. */
#define BLOCK 64

struct ft_run {
	struct ftree *t;
	const struct engine_input *in;
	struct engine_output *out;
	struct routing *r;
	struct ft_telling *tell; /* NULL: nobody asks */
	struct recorder *rec;	 /* NULL: nobody records */
	bool offers;		 /* entries that are not taken may be wanted by it */
	uint32_t n_switches;

	/* the destination at hand */
	uint16_t lid;	     /* 0: a dummy */
	uint32_t target;     /* switch id when it is one, else NO_ID */
	uint8_t *port, *hop; /* [n_switches] entries, NO_PATH = none */
	uint8_t *reversed;   /* [n_switches] the entry came by reverse hops; NULL without any */
	uint32_t *touched, n_touched;
	uint8_t *done; /* [BLOCK * n_switches] entries of destinations that are not in the tables yet */
	uint16_t done_lid[BLOCK];
	unsigned n_done;
	unsigned reverse; /* reverse hops on the way to the present call */
	bool fill;	  /* entries that are there stay */
	unsigned depth;
	uint64_t calls;

	/* costs of the entries toward a switch, before they are compared with Min Hop's */
	uint8_t *cost;	   /* [n_ports] */
	uint32_t *cost_of; /* [n_ports] target they are for */
	uint32_t *costs, n_costs;

	bool first_phase;   /* compute nodes are being routed */
	uint8_t *resorted;  /* [n_switches] a leaf whose CAs were sorted meanwhile */
	uint8_t *to_last;   /* [n_switches] hops to the last leaf */
	uint8_t *from_last; /* [n_switches] hops from the last leaf */
	uint64_t unreached; /* (switch with CAs, CA LID) pairs without entry */
	bool stop;
};

/* Note that a switch is about to get its first entry for the destination. */
static inline void ft_touch(struct ft_run *r, uint32_t sw)
{
	if (r->port[sw] == NO_PATH && r->hop[sw] == NO_PATH)
		r->touched[r->n_touched++] = sw;
}

/*
 * Climb from w, which is h hops from the destination, having come from prev (NO_ID: from nowhere), on all
 * ways that lead up; all below them learn to climb there.  main: the first parent is counted; credit: reverse
 * hops left.  True when a CA was found below.
 */
bool ft_ascend(struct ft_run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h);

/*
 * The same by the words of OpenSM's manual, behind ft_ascend() without credit: routes to the destination may
 * pass up to `most` switches the wrong way round, down to them and up again.  A switch without a route gets
 * one that passes the fewest such switches; entries that are there stay.
 */
void ft_turn(struct ft_run *r, unsigned most);

/* --- events.c -------------------------------------------------------------------------------- */

/* With t->rec, while the tree is built: it begins; a switch got its rank, from a neighbour or as a root
 * (NO_ID). */
void ft_record_begin(const struct ftree *t);
void ft_record_rank(const struct ftree *t, uint32_t sw, uint32_t from, uint32_t was);
/* The groups of all switches; a switch got its index, from a neighbour or as the first (NO_ID). */
void ft_record_groups(const struct ftree *t);
void ft_record_tuple(const struct ftree *t, uint32_t sw, uint32_t from);
/* All slots stand by index, before[] as they did; the array of leaves. */
void ft_record_indexed(const struct ftree *t, const struct ft_slot *before);
void ft_record_leaves(const struct ftree *t);
/* A switch was compared with the first of its rank, itself for that one. */
void ft_record_pure(const struct ftree *t, uint32_t sw, uint32_t first, bool alike);
/* The tree stands, or was refused: a copy is kept for the steps. */
void ft_record_tree(const struct ftree *t, struct recorder *rec);
/* With r->rec, while it is routed. */

/* A destination begins at its leaf, which has the entry `local` (NO_PATH: none) that was `was`. */
void ft_record_start(const struct ft_run *r, uint32_t leaf, unsigned local, unsigned was);
/* The switch behind a group takes its cable, before that is put; or is offered it, and does not. */
void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause);
void ft_record_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		     enum ft_cause cause);
/* A cell of the hop matrix toward a switch, by the event before. */
void ft_record_cost(const struct ft_run *r, uint32_t target, uint32_t port_id, unsigned was, unsigned now);
/* Counters grew by one: those of who was taught to climb (up), or of main climbs. */
void ft_record_spread(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l);
void ft_record_climb(const struct ft_run *r, uint32_t sw, const struct ft_group *g0, const struct ft_group *g,
		     const struct ft_link *l);
/* Slots of a switch in one direction were sorted; before[] as they stood. */
void ft_record_sort(struct recorder *rec, const struct ftree *t, uint32_t sw, enum ft_dir d,
		    const struct ft_slot *before);
/* An entry through the last leaf, and its hops. */
void ft_record_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port, unsigned hops);

/* --- sentences.c, show.c --------------------------------------------------------------------- */

extern const struct rec_scheme ftree_scheme;
/* Operations of its tables, of a step of a recording too. */
extern const struct routing_ops ftree_ops;
void *ft_priv_at(struct walk *w, const struct routing *end);

/* Choices of the destination at hand, with r->tell: it begins, a main climb to the first of the up groups of
 * sw, an offer to the switch behind a group, the end; and an entry for a switch through the last leaf. */
struct ft_telling *ft_tell_new(const struct ftree *t);
void ft_tell_free(struct ft_telling *w, const struct ftree *t); /* NULL is fine */
void ft_tell_begin(const struct ft_run *r, uint32_t leaf);
void ft_tell_climb(const struct ft_run *r, uint32_t sw, uint32_t prev);
void ft_tell_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause, bool taken);
void ft_tell_end(const struct ft_run *r);
void ft_tell_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port);

#endif
