/*
 * LASH (T. Skeie, O. Lysne, I. Theiss, Layered Shortest Path (LASH) Routing in
 * Irregular System Area Networks, CAC 2002) as OpenSM 3.3.23: one shortest route
 * per ordered pair of switches; unordered pairs are put in layers (SLs) so that
 * the channel dependency graph of each layer is acyclic; then pairs move between
 * layers to even them out.
 *
 * For panes: the accessors at the end, on a routing that LASH made.
 */
#ifndef IBSCOPE_LASH_H
#define IBSCOPE_LASH_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"
#include "engines/lash/acyclic.h"
#include "engines/lash/mesh.h"
#include "engines/random.h"

#define LASH_MAX_LAYERS 15
#define LASH_NO_LINK 255  /* in out[]: no route */
#define LASH_NO_LAYER 255 /* in layer tables: a switch and itself */

/* Virtual lanes that may be used (engines/doc/lash.md 4). */
struct lash_vls {
	unsigned vls;	/* 1, 2, 4, 8 or 15 */
	uint32_t port;	/* port id of a switch that sets the minimum; NO_ID: none below the default */
	unsigned start; /* lash_start_vl */
	unsigned avail; /* layers there may be, 0 when start leaves none */
};

/* Routes, and layers before balancing.  They depend on switches and links alone; shared between routings. */
struct lash_plan {
	atomic_uint refs;
	bool collapsed;		   /* do_mesh_analysis: parallel cables are used in turn */
	struct lash_graph *graph;  /* as numbered in the end */
	struct lash_graph *before; /* as numbered before mesh analysis, NULL without it */
	struct lash_mesh *mesh;	   /* NULL without do_mesh_analysis */
	uint8_t *out;		   /* [d * n + s] link that s uses towards d; LASH_NO_LINK */
	uint32_t *root;		   /* [d * n + s] root whose tree decided it; NULL without observer */
	uint8_t *first;		   /* [s * n + d] layer, both ways alike; LASH_NO_LAYER for s = d */
	unsigned need;		   /* layers; avail + 1 when these do not suffice */
	struct acyclic_memory *memory[LASH_MAX_LAYERS]; /* of each layer as it was then, NULL beyond need */
	uint64_t searches;				/* for cycles, that it took to fill the layers */
	uint64_t deps;					/* dependencies in the layers then */
	bool kept;			     /* they were filled from those of the routing before */
	uint64_t count[LASH_MAX_LAYERS + 1]; /* ordered pairs per layer */
	/* A step of a recording: graph and memory are those of the whole run; reference held, or NULL. */
	const struct lash_plan *whole;
};

/* Dependencies of the layers while these are made. */
struct lash_cdgs {
	struct acyclic *layer[LASH_MAX_LAYERS];
	struct lash_record *record; /* NULL: nobody records */
};

struct lash {
	struct lash_plan *plan; /* reference */
	struct lash_vls vls;
	uint8_t *layer; /* [s * n + d] after balancing */
	uint64_t count[LASH_MAX_LAYERS];
	uint64_t moved, refused;    /* turns of the balancing that moved a pair, and that did not */
	uint64_t draws;		    /* random numbers drawn by it */
	struct glibc_random random; /* after random_at numbers of the default seed */
	uint64_t random_at;	    /* 0: not known */
	bool unwritten;		    /* a step of a recording: tables are not written yet */
};

/* --- the steps, in order ------------------------------------------------------------- */

/* vls.c */
struct lash_vls lash_find_vls(const struct engine_input *in);

/* VLs that all ports will have after this sweep programmed them by max_op_vls; 15 when nothing is told. */
unsigned lash_next_vls(const struct engine_input *in);

/* paths.c: out[] (and root[] when observed); false when cancelled. */
bool lash_find_paths(struct lash_plan *p, const struct engine_input *in);
/*
 * Dependencies of both routes of a pair.  deps: room for 2 * n.  Their number.
 */
unsigned lash_pair_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps);

/*
 * layers.c: first[], need, count[], memory[], searches of the plan, and the
 * layers' dependencies.  old (NULL = none): a plan of much the same switches;
 * only dependencies that its layers lack, or whose cycle is gone, cost a search.
 * Too many layers is no error here (need is avail + 1).  -1 and *e when cancelled.
 */
int lash_assign_layers(struct lash_plan *p, const struct lash_plan *old, struct lash_cdgs *c, unsigned avail,
		       const struct engine_input *in, struct err *e);
/*
 * The dependencies of a layer as they were when the turn of the pair s < d (LASH
 * ids) came; s = n: of all pairs.  NULL when cancelled.
 */
struct acyclic *lash_layer_before(const struct lash_plan *p, unsigned layer, uint32_t s, uint32_t d,
				  struct progress *progress);
/* Make the dependencies of a layer again from first[]. */
void lash_restore_cdg(const struct lash_plan *p, struct lash_cdgs *c, unsigned layer);
void lash_free_cdgs(struct lash_cdgs *c);
/*
 * balance.c: layer[], count[] and the counters; c is used up, and made where it lacks.  -1 and out->refused
 * when OpenSM would not terminate, or when cancelled.
 */
int lash_balance(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		 struct engine_output *out);

/* tables.c */
bool lash_fill_tables(const struct lash *l, const struct engine_input *in,
		      struct routing *r); /* false: cancelled */

/* --- recordings (events.c) --------------------------------------------------------------- */

#define LASH_TABLES "forwarding tables" /* the last phase */
extern const struct rec_scheme lash_scheme;
extern const struct routing_ops lash_ops; /* of a routing, and of a step of a recording */

/* Cells and values in words (names.c). */
bool lash_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out);
bool lash_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value, struct text *out);
/* deps.c: as struct rec_scheme has it */
struct rec_dependency *lash_dependencies(const struct recording *r, size_t step, uint32_t *n);

/* Begin to record the layers of a plan that has its routes; the plan is kept for the steps. */
struct lash_record *lash_record_new(struct lash_plan *p, const struct engine_input *in, unsigned avail);
void lash_record_free(struct lash_record *r); /* NULL is fine */
/* The routes that the tree of a root decided, out[] being those before it. */
void lash_record_tree(const struct lash_plan *p, const struct engine_input *in, uint32_t root,
		      const uint8_t *before);
/* A pair (LASH ids) with its n dependencies: tried in a layer, refused by one (a), put in one, one opened for
 * it.
 */
void lash_record_try(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer,
		     const struct dependency *deps, unsigned n);
void lash_record_refuse(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer, struct acyclic *a,
			const struct dependency *deps, unsigned n);
void lash_record_accept(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer,
			const struct dependency *deps, unsigned n);
void lash_record_open(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer);
/* Balancing begins: who holds what is listed.  -1 and *e: no memory. */
int lash_record_balance(struct lash_record *r, struct err *e);
/* A turn of the balancing. */
struct lash_turn {
	size_t s, d;	   /* the pair drawn, LASH ids */
	unsigned from, to; /* layers */
	uint32_t drawn[2]; /* random numbers, as switches */
	bool moved;
	uint64_t count[2];	/* ordered pairs in from and to, after it */
	int64_t trials;		/* pairs that may still be refused, each counted twice */
	const uint8_t *layer;	/* [s * n + d] after it */
	struct acyclic *target; /* of the layer it would go to */
};
void lash_record_turn(struct lash_record *r, const struct lash_turn *t, const struct dependency *deps,
		      unsigned n);
/* An entry of a table; sw of the fabric. */
void lash_record_choice(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port,
			enum why_rule rule);

/* One more reference to a plan; of one that is recorded. */
struct lash_plan *lash_plan_ref(const struct lash_plan *p);
void lash_plan_unref(struct lash_plan *p);

/* --- for panes --------------------------------------------------------------------------- */

/* NULL unless LASH made the routing (use_ucast_cache may have kept it since). */
const struct lash *lash_of(const struct routing *r);

/* Layers are numbered from 0; their SL is layer + lash_start_vl. */
unsigned lash_layers(const struct lash *l);
/* Ordered pairs of switches in a layer before and after balancing. */
uint64_t lash_pairs_before(const struct lash *l, unsigned layer);
uint64_t lash_pairs_after(const struct lash *l, unsigned layer);

/* Layer of a pair of fabric switch ids now and before balancing; LASH_NO_LAYER when there is none. */
unsigned lash_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2);
unsigned lash_first_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2);

/*
 * The pairs of a layer, each once, in LASH's order: call with *cursor 0 first;
 * false when there are no more.
 */
bool lash_next_pair(const struct lash *l, unsigned layer, uint64_t *cursor, uint32_t *sw, uint32_t *sw2);

/*
 * Port ids of the switches that a route passes from sw to sw2, one a cable;
 * ports: room for n_switches.  Their number, 0 when there is no route.
 */
unsigned lash_route_ports(const struct routing *r, uint32_t sw, uint32_t sw2, uint32_t *ports);

/*
 * Why a pair is not in a layer below its first one: a shortest cycle of channels
 * that it would have closed there when its turn came, as port ids (each the
 * sender of a channel).  ports: room for 1 per channel (n_ports will do).  Their
 * number; 0 when that layer did not refuse the pair, or when cancelled.  Cost: the
 * layer's dependencies are built anew.
 */
unsigned lash_witness(const struct routing *r, uint32_t sw, uint32_t sw2, unsigned layer, uint32_t *ports,
		      struct progress *p);

/* struct routing_ops: figures of a layer, the layer of a pair, the cycle with who holds it. */
void lash_layer(const struct routing *r, unsigned layer, struct layer_info *info);
bool lash_next_route(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr);
bool lash_path_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l);
struct witness *lash_find_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				  struct progress *p);
/* The switches that two LIDs hang on; false when one of them hangs on none. */
bool lash_ends(const struct routing *r, unsigned slid, unsigned dlid, uint32_t *sw, uint32_t *sw2);

/* struct routing_ops: the layer of a pair of LIDs, and the cycle in each layer below. */
void lash_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
		       struct progress *p);

/* struct routing_ops: the rule that gave a pair of LIDs its layer. */
void lash_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);

/* struct routing_ops: pairs per layer before and after balancing, and what it took to find the layers. */
void lash_explain_layers(const struct routing *r, struct text *t);

/* What the mesh analysis found, NULL without do_mesh_analysis. */
const struct lash_mesh *lash_mesh_of(const struct lash *l);
/* Coordinate of a switch, MESH_FAR = none. */
int32_t lash_coordinate(const struct lash *l, uint32_t sw, unsigned dimension);
/* Axis code of a port of a switch (struct lash_mesh.axis), 0 = none. */
unsigned lash_axis_of_port(const struct lash *l, uint32_t sw, unsigned port);

#endif
