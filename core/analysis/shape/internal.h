/* For files that lay fabrics out.  They see one connected part; its switches are numbered by name. */
#ifndef IBSCOPE_LAYOUT_PARTS_H
#define IBSCOPE_LAYOUT_PARTS_H

#include "core/analysis/shape/layout.h"
#include "core/fabric/state.h"

/* Switches in the order of their names, and an arc for each way between two neighbours. */
struct layout_named {
	const char *name;
	uint64_t guid;
	uint32_t sw;
};

struct larc {
	uint32_t from, to;
	uint8_t port, peer_port; /* lowest of the cables */
	uint32_t cables;
};

struct lgraph {
	const struct fabric *f;
	const struct topo *t;
	const uint32_t *chassis;
	struct layout_named *by; /* [n] in order of names */
	uint32_t *first;	 /* [n + 1] arcs of each, by rank */
	struct larc *arc;
	uint32_t n_arcs;
	uint32_t *part;	 /* [n] lowest rank in the same part */
	uint32_t *size;	 /* [n] of the part of that lowest rank */
	uint32_t *local; /* [n] number within its part */
};

/* t: only cables that are up there; NULL: all.  chassis: as layout_new(), borrowed. */
void lgraph_make(struct lgraph *g, const struct fabric *f, const struct topo *t, const uint32_t *chassis);
void lgraph_free(struct lgraph *g);

struct lpart {
	uint32_t n, n_links;
	uint32_t *sw;	   /* [n] switch id, by name */
	const char **name; /* [n] */
	uint32_t *hosts;   /* [n] */
	uint32_t *chassis; /* [n] NO_ID: none */
	uint32_t *first;   /* [n + 1] */
	uint32_t *to;	   /* [2 n_links] neighbours, ascending */
	uint32_t *link;	   /* [2 n_links] link of each */
	uint32_t *end;	   /* [2 n_links] ends of a link, the lower first */
	uint8_t *port;	   /* [2 n_links] lowest port number at each end */
	uint32_t max_degree;
	struct progress *progress;
	/* The result.  Its arrays exist from the beginning. */
	struct layout_part is; /* without first and first_block */
	uint32_t *order;       /* [n] */
	uint8_t *level;	       /* [n] */
	uint32_t *block;       /* [n] 0 .. is.n_blocks - 1, NO_ID */
	uint16_t *coord;       /* [n * LAYOUT_DIMS] */
	float *x, *y;	       /* [n] */
};

/* The part whose lowest rank is `low`. all: all switches, connected or not. */
void lpart_make(struct lpart *p, const struct lgraph *g, const uint32_t *hosts, uint32_t low, bool all);
void lpart_free(struct lpart *p);

static inline uint32_t lpart_degree(const struct lpart *p, uint32_t u)
{
	return p->first[u + 1] - p->first[u];
}

/* Place of v among the neighbours of u, NO_ID = not linked; O(log degree). */
uint32_t arc_find(const uint32_t *first, const uint32_t *to, uint32_t u, uint32_t v);
static inline uint32_t lpart_arc(const struct lpart *p, uint32_t u, uint32_t v)
{
	return arc_find(p->first, p->to, u, v);
}
static inline bool lpart_linked(const struct lpart *p, uint32_t u, uint32_t v)
{
	return lpart_arc(p, u, v) != NO_ID;
}

/* Number of neighbours that two switches share. */
uint32_t lpart_shared(const struct lpart *p, uint32_t u, uint32_t v);

/* Number the sets of a union-find [n] in the order of their lowest members: of[n].  Returns their number. */
uint32_t lpart_find(uint32_t *parent, uint32_t u);
void lpart_join(uint32_t *parent, uint32_t u, uint32_t v); /* the lower becomes the root */
uint32_t lpart_number(uint32_t *parent, uint32_t n, uint32_t *of);

/* Is the part of this kind? If so, p->is and the kind's members are set.  A failure or cancel means no. */
bool layout_is_line(struct lpart *p); /* a ring or a chain */
bool layout_is_grid(struct lpart *p);
bool layout_is_groups(struct lpart *p);	 /* by triangles */
bool layout_is_tree(struct lpart *p);	 /* leaves p->level as it would be and p->is.wrong when it is none */
bool layout_is_plus(struct lpart *p);	 /* dragonfly+; after layout_is_tree() */
void layout_order_tree(struct lpart *p); /* pods or chassis, and order within levels */
void layout_spread(struct lpart *p);	 /* OTHER: x, y */

/* Between the files of grids. */
#define GRID_MOST 24 /* dimensions before those of two are put together */
struct lgrid {
	unsigned n_dims;
	uint32_t size[GRID_MOST];
	enum layout_dim_kind kind[GRID_MOST];
	uint32_t *at; /* [n * GRID_MOST]; NO_ID: not placed */
};
/* Are two switches one step apart? Returns the dimension, -1 = they are not.  A CLIQUE has no distances. */
int lgrid_step(const struct lgrid *g, uint32_t u, uint32_t v);
/* Dimensions of two in pairs; names tell their order and directions. false: more than LAYOUT_DIMS. */
bool lgrid_arrange(struct lpart *p, struct lgrid *g);

#endif
