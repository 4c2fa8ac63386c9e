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

#include <assert.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"
#include "engines/engines.h"

#define LASH_MAX_LAYERS 15
#define LASH_NO_LINK 255  /* in out[]: there is no route */
#define LASH_NO_LAYER 255 /* in layer tables: both switches are the same */
static_assert(LASH_MAX_LAYERS < LASH_NO_LAYER && MAX_PORTS <= LASH_NO_LINK, "the marks are no values");

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
	/* At a step of a recording: the whole run's plan, with graph and memory. Reference held, or NULL. */
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

/* Declarations shared by the files of LASH. */

/* --- run.c: the switch graph --------------------------------------------------------------- */

/* Switches are in GUID order, links by lowest port. Cables from a switch to itself are left out. */
struct lash_graph *lash_graph_new(const struct topo *t);
void lash_graph_free(struct lash_graph *g); /* NULL is fine */

/* Sets now[channel of old] to the channel between the same two switches in g, or to NO_ID. */
void lash_graph_map(const struct lash_graph *old, const struct lash_graph *g, uint32_t *now);

/*
 * Renumbers switches and links. Switch old[i] gets id i. link[] gives the new order of each switch's links:
 * channel link[base[u] + k] becomes the k-th link of u. All indices and values are old numbers. moved (may be
 * NULL) receives the old number of each new channel.
 */
void lash_graph_reorder(struct lash_graph *g, const uint32_t *old, const uint32_t *link, uint32_t *moved);

static inline unsigned lash_degree(const struct lash_graph *g, uint32_t u)
{
	return g->base[u + 1] - g->base[u];
}

/* Port id of the first cable of a channel, at the switch that it leaves. */
static inline uint32_t lash_channel_port(const struct lash_graph *g, const struct fabric *f, uint32_t channel)
{
	return switch_port_id(f, g->sw[g->from[channel]], g->port[g->port_at[channel]]);
}

/* The channel of which the port of switch u is a cable, or NO_ID. */
uint32_t lash_channel_of(const struct lash_graph *g, uint32_t u, unsigned port);

/* A route uses channel `to` right after channel `from`, which ends at the switch where `to` begins. */
struct dependency {
	uint32_t from, to;
};

/*
 * All possible dependencies are numbered, channel by channel. Returns the first number of each channel,
 * [n_channels + 1]; the last value is their count. The caller frees it. lash_dependency_at() finds the
 * dependency of a number.
 */
uint32_t *lash_number_dependencies(const struct lash_graph *g);
struct dependency lash_dependency_at(const struct lash_graph *g, const uint32_t *first, uint32_t number);

/* --- acyclic.c ------------------------------------------------------------------------------- */

/*
 * A channel dependency graph that stays acyclic. Dependencies are added in bundles, and a bundle that would
 * close a cycle is refused as a whole.
 *
 * A topological order is maintained while dependencies are added (D. J. Pearce, P. H. J. Kelly, A Dynamic
 * Topological Sort Algorithm for Directed Acyclic Graphs, ACM Journal of Experimental Algorithmics 11, 2007).
 * Most bundles need no search, and a search looks only between two places of the order. A single dependency
 * that closes a cycle always will, since nothing is removed; it is remembered with its cycle.
 *
 * A graph that is built again after a small change starts from the order and the cycles of the earlier one,
 * so that only what the change affects is searched.
 */
struct acyclic;

/* A graph without dependencies. g must outlive it. */
struct acyclic *acyclic_new(const struct lash_graph *g);
void acyclic_free(struct acyclic *a); /* NULL is fine */

/* Adds n dependencies, some of which may exist already. False, with nothing added, if they close a cycle. */
bool acyclic_add(struct acyclic *a, const struct dependency *d, unsigned n);

bool acyclic_has(const struct acyclic *a, struct dependency d);
uint32_t acyclic_count(const struct acyclic *a);    /* dependencies in it */
uint64_t acyclic_searches(const struct acyclic *a); /* cycle searches made by acyclic_add() so far */

struct acyclic_memory;

/* A copy of the order and of the refused dependencies with their cycles. */
struct acyclic_memory *acyclic_remember(const struct acyclic *a);
void acyclic_forget(struct acyclic_memory *m); /* NULL is fine */
/*
 * Starts a graph without dependencies from the memory of another one. now[channel of the other graph] is the
 * channel here, or NO_ID when it is gone. This changes only the cost of acyclic_add(), never its answers: any
 * order is correct, and a remembered cycle counts only when all its dependencies are here.
 */
void acyclic_recall(struct acyclic *a, const struct acyclic_memory *m, const uint32_t *now);

/*
 * Finds a shortest cycle that the bundle would close. cycle (room for n_channels) receives its channels in
 * order; the last one is followed by the first. Returns their number, or 0 when the bundle closes no cycle.
 * Any bundle may be asked about at any time.
 */
uint32_t acyclic_cycle(struct acyclic *a, const struct dependency *d, unsigned n, uint32_t *cycle);

/* --- run.c: routes, and what is kept of them and their layers ------------------------------- */

/* Adds a reference to a plan. */
struct lash_plan *lash_plan_ref(const struct lash_plan *p);
void lash_plan_unref(const struct lash_plan *p); /* NULL is fine */
void lash_mesh_free(struct lash_mesh *m);	 /* NULL is fine */

/*
 * The channels of the route between two switches (LASH ids), into channel (room for n, or NULL). Returns
 * their number, 0 without a route.
 */
unsigned lash_route(const struct lash_plan *p, uint32_t s, uint32_t d, uint32_t *channel);
/* The dependencies of both routes of a pair, into deps (room for 2 * n). Returns their number. */
unsigned lash_pair_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps);

/* --- mesh.c ----------------------------------- */

/*
 * Mesh analysis (engines/doc/lash.md 6) recognises that the switches form a mesh or torus, and reorders g by
 * dimension. NULL and *e when OpenSM 3.3.23 would not terminate, or when cancelled (CANCELLED).
 */
struct lash_mesh *lash_mesh_new(struct lash_graph *g, const struct engine_input *in, struct err *e);

#define NO_CLASS UINT32_MAX
#define MESH_PHASE "mesh analysis" /* the names of its phases begin with this */

struct mesh_work {
	struct lash_graph *g;
	const struct engine_input *in;
	struct lash_mesh *m; /* uses the old ids until they are reordered */
	struct mesh_shape shape[MESH_TYPES];
	int32_t *matrix; /* [n * 64] distances between neighbours; see has_matrix() */
	int32_t *poly;	 /* [n * 9] */
};

static inline bool has_matrix(const struct mesh_work *w, uint32_t u)
{
	return lash_degree(w->g, u) <= MESH_LINKS;
}

/* The distance between the neighbours at links i and j, when switch u is removed. */
static inline int32_t apart(const struct mesh_work *w, uint32_t u, unsigned i, unsigned j)
{
	return w->matrix[(size_t)u * MESH_LINKS * MESH_LINKS + i * MESH_LINKS + j];
}

/* Makes all MESH_TYPES shapes. Row t of the specification is shape[t - 1]. */
void mesh_shapes(struct mesh_shape *shape);
/* Coefficients of det(M - xI) modulo 2^32. M is k x k, each row MESH_LINKS long in m; poly is [k + 1]. */
void mesh_polynomial(const int32_t *m, unsigned k, int32_t *poly);

/* Computes size[] from coord[] of n switches. */
void mesh_measure_sizes(struct lash_mesh *m, uint32_t n);

/* --- run.c, acyclic.c, run.c ----------------------------------------------------------- */

/* Dependencies of the layers while they are filled. */
struct lash_cdgs {
	struct acyclic *layer[LASH_MAX_LAYERS];
	struct lash_record *record; /* NULL: nobody records */
};

/*
 * Builds a layer's dependencies as they were before the turn of pair s < d (LASH ids); s = n means at the
 * end. NULL when cancelled.
 */
struct acyclic *lash_layer_before(const struct lash_plan *p, unsigned layer, uint32_t s, uint32_t d,
				  struct progress *progress);
/*
 * Sets layer[], count[] and the counters. c is used up; what it lacks is made. -1 and out->refused when
 * OpenSM would not terminate, or when cancelled.
 */
int lash_balance(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		 struct engine_output *out);

/* --- events.c: what is recorded; call these only if RECORDED() ------------------------------- */

/* The rule that gave a link its axis. */
enum mesh_axis_rule { MESH_SEED, MESH_FACING, MESH_STRAIGHT, MESH_ACROSS, MESH_SQUARE };

/* The type of a switch is known: it is the first of its class, or like an earlier switch (exemplar). */
void mesh_record_measure(const struct mesh_work *w, uint32_t u);
void mesh_record_class(const struct mesh_work *w, uint32_t u, uint32_t exemplar);
/*
 * A channel gets an axis (call before it is stored); a switch gets coordinates (from: the neighbour that gave
 * them, or NO_ID; was[]: those before).
 */
void mesh_record_axis(const struct mesh_work *w, uint32_t channel, unsigned code, enum mesh_axis_rule rule);
void mesh_record_place(const struct mesh_work *w, uint32_t u, uint32_t from, const int32_t *was);
/* All switches are renumbered (old[new number]), and their links reordered. */
void mesh_record_numbers(const struct mesh_work *w, const uint32_t *old);

/* Begins to record the layers of a plan that has its routes. The plan is kept for the steps. */
struct lash_record *lash_record_new(struct lash_plan *p, const struct engine_input *in, unsigned avail);
void lash_record_free(struct lash_record *r); /* NULL is fine */
/* The routes that the tree of a root decided. before: out[] without them. */
void lash_record_tree(const struct lash_plan *p, const struct engine_input *in, uint32_t root,
		      const uint8_t *before);
/* A pair (LASH ids) with its n dependencies. */
struct lash_pair {
	uint32_t s, d;
	const struct dependency *deps;
	unsigned n;
};
/* The pair is tried in a layer, refused by one (a), or accepted. open: a new layer is opened for it. */
void lash_record_try(struct lash_record *r, const struct lash_pair *p, unsigned layer);
void lash_record_refuse(struct lash_record *r, const struct lash_pair *p, unsigned layer, struct acyclic *a);
void lash_record_accept(struct lash_record *r, const struct lash_pair *p, unsigned layer);
void lash_record_open(struct lash_record *r, const struct lash_pair *p, unsigned layer);
/* Begins to record balancing: lists the pairs that have each dependency. -1 and *e when memory is short. */
int lash_record_balance(struct lash_record *r, struct err *e);
/* A turn of the balancing. deps has room for 2 * n. */
struct lash_turn {
	size_t s, d;	   /* the pair drawn, LASH ids */
	unsigned from, to; /* layers */
	uint32_t drawn[2]; /* random numbers, reduced to switches */
	bool moved;
	uint64_t count[2];	/* ordered pairs in from and to, after the turn */
	int64_t trials;		/* pairs left to try, each counted twice */
	const uint8_t *layer;	/* [s * n + d] after the turn */
	struct acyclic *target; /* dependencies of layer `to` */
};
void lash_record_turn(struct lash_record *r, const struct lash_turn *t, struct dependency *deps);
/* A table entry was chosen. sw is a switch of the fabric. */
void lash_record_choice(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port,
			enum why_rule rule);

/* --- tell.c: the tables of a routing and of a step ------------------------------------------- */

#define LASH_TABLES "forwarding tables"	  /* the last phase */
extern const struct routing_ops lash_ops; /* for a routing and for a step of a recording */
void lash_free(void *l);		  /* struct lash; NULL is fine */
/*
 * As in struct routing_ops: a shortest cycle that a pair would have closed at its turn, in a layer below its
 * first one. It builds the layer's dependencies again.
 */
struct witness *lash_find_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				  struct progress *p);

/* --- tell.c ----------------------------------------------------------------------------- */

extern const struct rec_scheme lash_scheme;
/* The link that a switch uses, compared with its other links. */
struct lash_weighed {
	enum why_rule rule;
	unsigned n;	       /* links that lead there in as few hops */
	uint32_t equal, other; /* the first other link with as few hops; the best link with more; or NO_ID */
	int64_t hops, second;  /* hops by the link; by `other` */
};
struct lash_weighed lash_weigh(const struct lash_plan *p, uint32_t u, uint32_t d, uint32_t channel);
/* Tells that an entry was decided. u, d: LASH ids of the switch and of the LID's switch (or NO_ID). */
void lash_tell_choice(const struct engine_input *in, const struct lash_plan *p, uint32_t u, uint32_t d,
		      unsigned lid, unsigned port);
/* "26, 4": one number per layer. */
void lash_say_counts(const uint64_t *count, unsigned n, struct text *t);

#endif
