/* Between the files of the fat-tree engine. */
#ifndef IBSCOPE_FTREE_INTERNAL_H
#define IBSCOPE_FTREE_INTERNAL_H

#include "core/base/defs.h"
#include "core/base/guidfile.h"
#include "core/trace/recording.h"
#include "engines/ftree/ftree.h"

/* Key of a CA among tuples: behind every assigned one, before the unassigned. */
#define TUPLE_CA (FT_NO_TUPLE - 1)

/* Refuse: rule and label are static.  Returns false.  offender and the like may be added to t->refusal after
 * it. */
bool ft_refuse(struct ftree *t, const char *label, const char *rule, const char *fmt, ...) PRINTF_LIKE(4, 5);

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

/* As struct routing_ops has them (rank.c). */
void ft_decide_rank(const struct routing *r, uint32_t sw, struct decided *d);
void ft_rank_clues(const struct routing *r, uint32_t sw, struct text *t);

/* The name of a switch. */
const char *ft_name(const struct ftree *t, uint32_t sw);

/* Route all destinations into r (route.c).  false: cancelled or given up (out->refused says so). */
bool ft_route(struct ftree *t, const struct engine_input *in, struct engine_output *out, struct routing *r);

/* --- recordings (events.c) ---------------------------------------------------------------------- */

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
extern const struct rec_scheme ftree_scheme;
/* Operations of its tables, of a step of a recording too. */
extern const struct routing_ops ftree_ops;

/* How a switch came by its entry. */
enum ft_cause { FT_LOCAL, FT_DESCENT, FT_MAIN, FT_SECOND, FT_BESIDE, FT_ROOTS };

/* Telling an observer (watch.c); all functions are called only when there is one. */
struct ft_watch;
struct ft_offer {
	const struct ft_group *g;   /* of the switch that offers; its peer is the switch concerned */
	const struct ft_link *link; /* the cable offered */
	enum ft_cause cause;
	uint8_t hops;		    /* of the entry */
	uint8_t old_hops, old_port; /* of the present one, NO_PATH = none */
	bool reverse, taken;
};

struct ft_watch *watch_new(const struct ftree *t, const struct engine_input *in);
void watch_free(struct ft_watch *w);
void watch_begin(struct ft_watch *w, uint16_t lid, uint32_t leaf, uint32_t target, unsigned local);
void watch_offer(struct ft_watch *w, const struct ft_offer *o);
/* A main climb: the up groups of sw stand in the order in which they were compared, the first is taken. */
void watch_climb(struct ft_watch *w, uint32_t sw);
void watch_end(struct ft_watch *w, const uint8_t *port);
void watch_roots(struct ft_watch *w, uint32_t sw, uint32_t target, uint16_t lid, uint32_t leaf,
		 unsigned port);

#endif
