/*
 * The places of a fabric's switches when it is drawn: levels, pods, groups, grids and rings, found from the
 * cables as loaded.  Failures, engines and ranks play no part, so nothing moves when something fails.
 * Coordinates are those of the shape (level and place, x y z, place around a ring).  Programs that draw turn
 * them into cells or points.
 *
 * The same fabric gives the same layout whatever the order of its nodes, ports and GUIDs: switches are taken
 * in the order of their names (layout_name_order()).  Parallel cables count as one link; loop-backs do not
 * count.
 */
#ifndef IBSCOPE_LAYOUT_H
#define IBSCOPE_LAYOUT_H

#include <stdatomic.h>

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/fabric/state.h"

enum layout_kind {
	LAYOUT_ROW,    /* one or two switches, or none with a neighbour */
	LAYOUT_RING,   /* order: around */
	LAYOUT_CHAIN,  /* order: from end to end */
	LAYOUT_FULL,   /* (nearly) all pairs linked; order: by name */
	LAYOUT_GRID,   /* torus, mesh, hypercube, HyperX: coord */
	LAYOUT_GROUPS, /* dragonfly: block; order: by group, then name */
	LAYOUT_TREE,   /* level; order: by level from the roots, then by place in it */
	LAYOUT_OTHER,  /* x, y; order: by name */
};
extern const char *const layout_kind_names[]; /* "row", "ring", .. */

enum layout_dim_kind {
	LAYOUT_PATH,  /* 0 - 1 - .. - size-1; also of two places, which are a ring as well */
	LAYOUT_CYCLE, /* and from size-1 to 0 */
	LAYOUT_CLIQUE /* all pairs of places */
};

#define LAYOUT_DIMS 8
#define LAYOUT_BESIDE 0xffff /* coordinate of a switch that has no place in the grid */

/* Switches connected by cables. */
struct layout_part {
	enum layout_kind kind;
	uint32_t first, n; /* its switches: order[first] .. order[first + n - 1] */
	uint32_t n_links;  /* pairs of its switches with a cable between them */
	/* Pods, chassis or groups: ids first_block up to first_block + n_blocks, in drawing order */
	uint32_t first_block, n_blocks;
	bool pods;	/* TREE: the blocks are parts that only the roots connect */
	uint8_t levels; /* TREE, and GROUPS of a dragonfly+ */
	/* TREE: sum over all links of how far the levels of their ends are from being one apart */
	uint32_t wrong;
	uint8_t n_dims; /* GRID */
	struct {
		uint16_t size;
		enum layout_dim_kind kind;
	} dim[LAYOUT_DIMS];
	char *words; /* "4x4x4 torus = hypercube 6", "3 levels, 34 pods", "9 groups of 4" */
};

struct layout {
	atomic_uint refs;
	uint32_t n;	  /* switches of the fabric */
	uint32_t n_parts; /* connected parts of two or more switches, largest first, then by lowest name; if
			     no switch has a neighbour, one part contains all */
	struct layout_part *part;
	uint32_t n_alone;  /* switches without a neighbour, when there are parts: the last of order */
	uint32_t *part_of; /* [n] NO_ID: alone */
	uint32_t *order;   /* [n] switch ids, part by part */
	uint8_t *level;	   /* [n] TREE: 0 = roots; 0 elsewhere */
	uint32_t *block;   /* [n] pod, chassis or group; NO_ID: none */
	uint32_t n_blocks;
	char **block_name; /* [n_blocks] never NULL or "" */
	uint16_t *coord;   /* [n * LAYOUT_DIMS] GRID; LAYOUT_BESIDE: beside the grid; 0 elsewhere */
	float *x, *y;	   /* [n] OTHER: 0 .. 1; 0 elsewhere */
	uint32_t *hosts;   /* [n] layout_hosts() */
	/*
	 * The neighbours of s, ascending: to[i] for i from first[s] to first[s + 1] - 1.  The cables to each:
	 * ports port[k] of s, ascending, for k from cable[i] to cable[i + 1] - 1.
	 */
	uint32_t *first; /* [n + 1] */
	uint32_t *to, *cable, *port;
};

/*
 * Lays a fabric out. chassis: [n_switches] equal numbers mean the same chassis (NO_ID: in none); NULL = not
 * known.  NULL and *e: no memory, or cancelled.  Takes about a second for 10,000 switches.
 */
struct layout *layout_new(const struct fabric *f, const uint32_t *chassis, struct progress *p, struct err *e);
struct layout *layout_ref(const struct layout *l);
void layout_unref(const struct layout *l); /* NULL is fine */

/* Order of names: runs of digits by number, everything else by byte. */
int layout_name_order(const char *a, const char *b);

/* The place of neighbour b in a's part of to[]; NO_ID when it is not a neighbour. */
uint32_t layout_arc(const struct layout *l, uint32_t a, uint32_t b);

static inline const uint16_t *layout_coord(const struct layout *l, uint32_t sw)
{
	return l->coord + (size_t)sw * LAYOUT_DIMS;
}

/*
 * The places of a layout in abstract units, which the map scales to cells and drawings to points: the planes
 * of a grid and its steps, runs of groups, columns of points and of trees.
 */

/* --- grids --- */

/* The number of planes along x and y, and the plane of a place; further dimensions are counted in one
 * sequence. */
uint32_t grid_planes(const struct layout_part *is);
uint32_t grid_plane(const struct layout_part *is, const uint16_t *coord);
/* "z=2", "z=2,0"; to be freed. */
char *grid_plane_name(const struct layout_part *is, uint32_t plane);

/* The way from one switch of a grid to another. */
struct grid_way {
	unsigned differ; /* dimensions in which they differ; 0: one of them is beside the grid */
	unsigned dim;	 /* the first of these */
	int by;		 /* steps in it, the short way round a ring */
	bool around;	 /* over its end */
};
struct grid_way grid_way(const struct layout *l, uint32_t a, uint32_t b);

/* Neighbours along x or y. */
static inline bool grid_beside_in_plane(const struct grid_way *w)
{
	return w->differ == 1 && w->dim < 2 && (w->by == 1 || w->by == -1);
}

/* --- groups --- */

/* Switches of one block, in the order of a part. */
struct shape_run {
	uint32_t first, n; /* switches order[is->first + first] .. */
	uint32_t block;	   /* NO_ID: switches in no block, the last run */
};

/* The runs of n switches; *n_runs; the caller frees them. single: each switch is a run by itself. */
struct shape_run *shape_runs(const struct layout *l, const uint32_t *sw, uint32_t n, bool single,
			     uint32_t *n_runs);
/* The number of members of the largest run. */
uint32_t shape_most(const struct shape_run *run, uint32_t n);

/* --- points --- */

/* The switches of a part in columns of `per`: columns by x, each column by y. [n], the caller frees them. */
uint32_t *shape_columns(const struct layout *l, const uint32_t *sw, uint32_t n, uint32_t per);

/* --- trees --- */

/* A column for each block, and one for switches without a block.  Each level takes the number of rows
 * given. */
struct shape_tree {
	void *arena; /* of its arrays */
	unsigned levels;
	uint32_t columns;
	const struct layout *layout;
	const struct layout_part *is;
	uint32_t *first; /* [levels + 1] switches of a level: order[is->first + first[l]] .. */
	uint32_t *count; /* [levels * columns] */
	bool *loose;	 /* [levels] no blocks: its switches keep to no column */
	uint32_t *most;	 /* [levels] switches in a column */
	uint32_t *rows;	 /* [levels] one at first */
	uint32_t *wide;	 /* [columns] places of levels with blocks */
	uint32_t *sum;	 /* [levels] places across, over all columns */
};

void shape_tree_make(struct shape_tree *t, const struct layout *l, const struct layout_part *is);
void shape_tree_free(struct shape_tree *t);
uint32_t shape_tree_column(const struct shape_tree *t, uint32_t sw);
/* The number of places across in one row of a column, with this many switches in a place. */
uint32_t shape_tree_across(const struct shape_tree *t, unsigned level, uint32_t column, uint32_t share);
/* Computes wide and sum for the present rows. */
void shape_tree_widths(struct shape_tree *t, uint32_t share);

/* For files that lay fabrics out.  They see one connected part; its switches are numbered by name. */

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
	void *arena;
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

/* t: use only cables that are up there; NULL: all.  chassis: as in layout_new(), borrowed. */
void lgraph_make(void *arena, struct lgraph *g, const struct fabric *f, const struct topo *t,
		 const uint32_t *chassis);

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

/* Makes the part whose lowest rank is `low`. all: all switches, connected or not. */
void lpart_make(void *arena, struct lpart *p, const struct lgraph *g, const uint32_t *hosts, uint32_t low,
		bool all);

static inline uint32_t lpart_degree(const struct lpart *p, uint32_t u)
{
	return p->first[u + 1] - p->first[u];
}

/* The place of v among the neighbours of u, or NO_ID when they are not linked; O(log degree). */
uint32_t arc_find(const uint32_t *first, const uint32_t *to, uint32_t u, uint32_t v);
static inline uint32_t lpart_arc(const struct lpart *p, uint32_t u, uint32_t v)
{
	return arc_find(p->first, p->to, u, v);
}
static inline bool lpart_linked(const struct lpart *p, uint32_t u, uint32_t v)
{
	return lpart_arc(p, u, v) != NO_ID;
}

/* The number of neighbours that two switches share. */
uint32_t lpart_shared(const struct lpart *p, uint32_t u, uint32_t v);

/* Number the sets of a union-find [n] in the order of their lowest members: of[n].  Returns their number. */
void lpart_join(uint32_t *parent, uint32_t u, uint32_t v); /* the lower becomes the root */
uint32_t lpart_number(uint32_t *parent, uint32_t n, uint32_t *of);

/* Is the part of this kind?  If so, sets p->is and the kind's members.  A failure or cancellation means
 * no. */
bool layout_is_line(struct lpart *p); /* a ring or a chain */
bool layout_is_grid(struct lpart *p);
bool layout_is_tree(struct lpart *p); /* even if it is not, sets p->level as it would be and p->is.wrong */

/* dimensions before those of size two are put together */
#define GRID_MOST 24 /* dimensions before those of two are put together */
struct lgrid {
	unsigned n_dims;
	uint32_t size[GRID_MOST];
	enum layout_dim_kind kind[GRID_MOST];
	uint32_t *at; /* [n * GRID_MOST]; NO_ID: not placed */
};

/* Shared by the files that find grids.  Squares put links in classes, and classes become dimensions. */

/*
 * The direction of every link. dim: NO_ID = not known.  A link leads up from its lower end (end[2 l]) or,
 * with `back`, from the other end, consistently for all links of one dimension.
 */
struct ldirections {
	unsigned n_dims;
	bool clique[GRID_MOST];
	uint32_t *dim; /* [n_links] */
	uint8_t *back; /* [n_links] */
};

/* Returns false when it is not a grid, or when cancelled. */
bool ldirections_find(void *arena, const struct lpart *p, struct ldirections *d);

#endif
