/*
 * Where the switches of a fabric stand when it is drawn: levels, pods, groups, grids and rings, found from
 * the cables as loaded.  Failures, engines and ranks play no part, so nothing moves when something fails.
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
	/* TREE: sum over all links; a link adds how far the levels of its ends are from one apart */
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
	uint32_t n_parts; /* connected parts of two or more switches, the largest first, then by lowest name;
			     if no switch has a neighbour, one part has all */
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
	 * Neighbours of s, ascending: to[i] for i from first[s] to first[s + 1] - 1.  The cables to each:
	 * port[k] of s, ascending, for k from cable[i] to cable[i + 1] - 1.
	 */
	uint32_t *first; /* [n + 1] */
	uint32_t *to, *cable, *port;
};

/*
 * Lay a fabric out. chassis: [n_switches] equal numbers mean the same chassis (NO_ID: in none); NULL = not
 * known.  NULL and *e: no memory, or cancelled.  Takes about a second for 10,000 switches.
 */
struct layout *layout_new(const struct fabric *f, const uint32_t *chassis, struct progress *p, struct err *e);
struct layout *layout_ref(const struct layout *l);
void layout_unref(const struct layout *l); /* NULL is fine */

/*
 * Number of cabled CA and router ports on each switch, without aggregation nodes.  Those are CAs of device
 * 0xcf09, or with the system image GUID of the switch to which they are cabled. [n_switches], to be freed.
 */
uint32_t *layout_hosts(const struct fabric *f);

/* Order of names: runs of digits by number, everything else by byte. */
int layout_name_order(const char *a, const char *b);

/* The place of neighbour b in a's part of to[], NO_ID = it is no neighbour. */
uint32_t layout_arc(const struct layout *l, uint32_t a, uint32_t b);

static inline const uint16_t *layout_coord(const struct layout *l, uint32_t sw)
{
	return l->coord + (size_t)sw * LAYOUT_DIMS;
}

#endif
