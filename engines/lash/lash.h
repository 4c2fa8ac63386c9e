/*
 * LASH (T. Skeie, O. Lysne, I. Theiss, Layered Shortest Path (LASH) Routing in Irregular System Area
 * Networks, CAC 2002) as in OpenSM 3.3.23. Each ordered pair of switches has one shortest route. Unordered
 * pairs are put in layers (SLs) so that the channel dependency graph of each layer is acyclic. Then pairs
 * move between layers to balance them.
 *
 * For panes and tests; the rest of the program knows engines only by core/sm/engine.h.
 */
#ifndef IBSCOPE_LASH_H
#define IBSCOPE_LASH_H

#include "core/base/text.h"
#include "core/sm/engine.h"
#include "engines/random.h"

#define LASH_MAX_LAYERS 15
#define LASH_NO_LINK 255  /* in out[]: there is no route */
#define LASH_NO_LAYER 255 /* in layer tables: both switches are the same */

/*
 * The switch graph of LASH (engines/doc/lash.md 3). Switches have LASH's own ids 0 .. n-1. A channel is an
 * ordered pair of neighbouring switches. The channels that leave a switch have consecutive numbers, in the
 * order of its links.
 */
struct lash_graph {
	uint32_t n;   /* switches */
	uint32_t *sw; /* [n] switch id in the fabric */
	uint32_t *id; /* [n_switches] LASH id, NO_ID = takes no part */
	uint32_t n_channels;
	uint32_t *base;	     /* [n + 1] first channel that leaves a switch */
	uint32_t *from, *to; /* [n_channels] LASH ids of the switches at its ends */
	uint32_t *rev;	     /* [n_channels] the channel the other way */
	uint32_t *port_at;   /* [n_channels + 1] first of its ports in port[] */
	uint8_t *port;	     /* port numbers of parallel cables, ascending */
};

/* --- mesh analysis (engines/doc/lash.md 6), OpenSM's own addition to LASH -------------------- */

#define MESH_LINKS 8 /* switches with more neighbours have no matrix */
#define MESH_DIMENSIONS 8
#define MESH_TYPES 100
#define MESH_FAR 0x7fffffff /* distance to a switch, or coordinate of one, that cannot be reached */

/* A known shape: one row of the table in 6.2. */
struct mesh_shape {
	uint8_t dimensions;
	uint8_t degree;		       /* links of a switch */
	uint8_t size[MESH_DIMENSIONS]; /* descending; 6 means 6 or more, or open */
	int32_t poly[MESH_LINKS + 1];  /* of the distance matrix, modulo 2^32 */
};

/* A class: switches with equal matrices (by polynomial). */
struct mesh_class {
	uint32_t exemplar; /* LASH id after renumbering */
	uint32_t population;
	uint8_t type; /* row of the table, 0 = unknown */
};

/* The result of the analysis. Ids and channels are those after renumbering. */
struct lash_mesh {
	unsigned dimensions;		/* 0: no geometry */
	const char *none;		/* why there is no geometry; static, NULL when there is one */
	uint32_t seed;			/* switch at which the analysis started, or NO_ID */
	struct mesh_shape shape;	/* shape around the seed, if there is a geometry */
	uint32_t size[MESH_DIMENSIONS]; /* of each dimension */
	uint8_t order[MESH_DIMENSIONS]; /* dimensions by descending size */
	int32_t *coord;			/* [n * dimensions] MESH_FAR = not reached; NULL without geometry */
	uint8_t *axis; /* [n_channels] 2d + 1 = up in dimension d, 2d + 2 = down, 0 = none; NULL */
	int8_t *type;  /* [n] row of the table, 0 = unknown, -1 = edge */
	struct mesh_class *class;
	uint32_t n_classes;
};

/* Writes a shape as "4x6+", with `times` between the sizes. */
void mesh_name_shape(const struct mesh_shape *s, const char *times, struct text *t);
/*
 * Explains, when dimensions of size 2 come in pairs, why a grid with rings of 4 is not seen as such ("torus 4
 * x 4 is the 4-cube: a ring of 4 is 2 x 2"). Added to t; nothing for other shapes.
 */
void mesh_shape_remark(const struct mesh_shape *s, struct text *t);
/*
 * A dimension: "x", or "d4" if there are more than four. An axis code: "+x". A coordinate after earlier ones:
 * ",-2", or "-".
 */
void mesh_name_dimension(unsigned dimensions, unsigned d, struct text *t);
void mesh_name_axis(unsigned dimensions, unsigned code, struct text *t);
void mesh_name_coordinate(unsigned d, int32_t x, struct text *t);

/* --- behind a routing ------------------------------------------------------------------------ */

/* The virtual lanes that may be used (engines/doc/lash.md 4). */
struct lash_vls {
	unsigned vls;	/* 1, 2, 4, 8 or 15 */
	uint32_t port;	/* port id of a switch that sets the minimum; NO_ID: no port is below the default */
	unsigned start; /* lash_start_vl */
	unsigned avail; /* layers allowed; 0 when `start` leaves none */
};

/* Routes, and layers before balancing. They depend only on switches and links. Routings share them. */
struct lash_plan {
	atomic_uint refs;
	bool collapsed;		   /* do_mesh_analysis: parallel cables are used in turn */
	struct lash_graph *graph;  /* as numbered at the end */
	struct lash_graph *before; /* as numbered before mesh analysis, NULL without it */
	struct lash_mesh *mesh;	   /* NULL without do_mesh_analysis */
	uint8_t *out;		   /* [d * n + s] link that s uses towards d; LASH_NO_LINK */
	uint32_t *root;		   /* [d * n + s] root whose tree decided it; NULL: nobody asked */
	uint8_t *first;		   /* [s * n + d] layer, both ways alike; LASH_NO_LAYER for s = d */
	unsigned need;		   /* number of layers; avail + 1 when avail is too few */
	struct acyclic_memory *memory[LASH_MAX_LAYERS]; /* before balancing; NULL from `need` on */
	uint64_t searches;				/* cycle searches needed to fill the layers */
	uint64_t deps;					/* dependencies in the layers before balancing */
	bool kept;			     /* the layers started from those of the previous routing */
	uint64_t count[LASH_MAX_LAYERS + 1]; /* ordered pairs per layer */
	/*
	 * At a step of a recording: the plan of the whole run, which has graph and memory. Reference held, or
	 * NULL.
	 */
	const struct lash_plan *whole;
};

struct lash {
	struct lash_plan *plan; /* reference */
	struct lash_vls vls;
	uint8_t *layer; /* [s * n + d] after balancing */
	uint64_t count[LASH_MAX_LAYERS];
	uint64_t moved, refused;    /* turns of balancing that moved a pair, and that did not */
	uint64_t draws;		    /* random numbers drawn by balancing */
	bool by_clock;		    /* they are others in each start of OpenSM */
	struct glibc_random random; /* state after random_at numbers of the default seed */
	uint64_t random_at;	    /* 0: not known */
	bool unwritten;		    /* a step of a recording at which tables are not written yet */
};

/* NULL unless LASH made the routing (the unicast cache may keep it). */
const struct lash *lash_of(const struct routing *r);
/* Layer of a pair of fabric switch ids, from 0, after and before balancing. LASH_NO_LAYER when none. */
unsigned lash_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2);
unsigned lash_first_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2);
/* Coordinate of a switch, MESH_FAR = none. */
int32_t lash_coordinate(const struct lash *l, uint32_t sw, unsigned dimension);
/* Axis code of a port of a switch (struct lash_mesh.axis), 0 = none. */
unsigned lash_axis_of_port(const struct lash *l, uint32_t sw, unsigned port);

#endif
