/* Between the files of LASH. */
#ifndef IBSCOPE_LASH_INTERNAL_H
#define IBSCOPE_LASH_INTERNAL_H

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/trace/recording.h"
#include "engines/lash/lash.h"

/* --- graph.c: the switch graph --------------------------------------------------------------- */

/* Switches in GUID order, links by lowest port; cables from a switch to itself are left out. */
struct lash_graph *lash_graph_new(const struct topo *t);
void lash_graph_free(struct lash_graph *g); /* NULL is fine */

/* The same switches, links and ports in the same order? */
bool lash_graph_equal(const struct lash_graph *a, const struct lash_graph *b);

/* now[channel of old] = the channel between the same two switches in g, NO_ID = there is none. */
void lash_graph_map(const struct lash_graph *old, const struct lash_graph *g, uint32_t *now);

/*
 * Renumber: old[i] is the id so far of the switch that gets id i; link[c] is the channel so far whose place
 * among its switch's links the channel's place c takes (both by ids so far: link[base[u] + k] is to become
 * the k-th link of u). moved (may be NULL) gets, per new channel, its number so far.
 */
void lash_graph_reorder(struct lash_graph *g, const uint32_t *old, const uint32_t *link, uint32_t *moved);

static inline unsigned lash_degree(const struct lash_graph *g, uint32_t u)
{
	return g->base[u + 1] - g->base[u];
}

/* Port id of the first cable of a channel, at the switch it leaves. */
static inline uint32_t lash_channel_port(const struct lash_graph *g, const struct fabric *f, uint32_t channel)
{
	return switch_port_id(f, g->sw[g->from[channel]], g->port[g->port_at[channel]]);
}

/* The channel that has a port of switch u, NO_ID. */
uint32_t lash_channel_of(const struct lash_graph *g, uint32_t u, unsigned port);

/* Channel `to` is used right after channel `from`, which leads to the switch where `to` begins. */
struct dependency {
	uint32_t from, to;
};

/*
 * All dependencies that may be are numbered, channel by channel: [n_channels + 1] numbers of the first of
 * each; the last is their count.  The caller frees.  Then the dependency of a number.
 */
uint32_t *lash_number_dependencies(const struct lash_graph *g);
struct dependency lash_dependency_at(const struct lash_graph *g, const uint32_t *first, uint32_t number);

/* --- acyclic.c ------------------------------------------------------------------------------- */

/*
 * A channel dependency graph that is kept acyclic: dependencies are added in bundles, and a bundle that would
 * close a cycle is refused as a whole.
 *
 * A topological order is maintained as dependencies come (D. J. Pearce, P. H. J. Kelly, A Dynamic Topological
 * Sort Algorithm for Directed Acyclic Graphs, ACM Journal of Experimental Algorithmics 11, 2007), so that
 * most bundles are decided without any search, and a search only looks between two places of the order. A
 * single dependency once found to close a cycle does so for ever, as nothing is taken out; it is remembered
 * with its cycle.
 *
 * A graph that is made again after a small change starts from the order and the cycles of the one before:
 * then only what the change touches is searched.
 */
struct acyclic;

/* Without dependencies.  g must outlive it. */
struct acyclic *acyclic_new(const struct lash_graph *g);
void acyclic_free(struct acyclic *a); /* NULL is fine */

/* Add n dependencies (some may be there already); false and nothing added when that would close a cycle. */
bool acyclic_add(struct acyclic *a, const struct dependency *d, unsigned n);

bool acyclic_has(const struct acyclic *a, struct dependency d);
uint32_t acyclic_count(const struct acyclic *a);    /* dependencies in it */
uint64_t acyclic_searches(const struct acyclic *a); /* searches for a cycle that acyclic_add() made so far */

struct acyclic_memory;

/* Order and refused dependencies with their cycles, as they are now. */
struct acyclic_memory *acyclic_remember(const struct acyclic *a);
void acyclic_forget(struct acyclic_memory *m); /* NULL is fine */
/*
 * Start a graph without dependencies from what another was in the end. now[channel of the other] = channel
 * here, NO_ID = gone.  It changes what acyclic_add() costs, never what it answers: an order is as good as any
 * other, and a remembered cycle counts once all its dependencies are here.
 */
void acyclic_recall(struct acyclic *a, const struct acyclic_memory *m, const uint32_t *now);

/*
 * A shortest cycle that the bundle would close: channels in order, each followed
 * by the next and the last by the first.  Number of channels; 0 when it closes
 * none.  cycle: room for n_channels.  Any bundle may be asked for, at any time.
 */
uint32_t acyclic_cycle(struct acyclic *a, const struct dependency *d, unsigned n, uint32_t *cycle);

/* --- plan.c: routes, and what is kept of them and their layers ------------------------------- */

/* One more reference to a plan; of one that is recorded. */
struct lash_plan *lash_plan_ref(const struct lash_plan *p);
void lash_plan_unref(const struct lash_plan *p); /* NULL is fine */
void lash_mesh_free(struct lash_mesh *m);	 /* NULL is fine */

/* out[], and root[] when asked; false when cancelled. */
bool lash_find_paths(struct lash_plan *p, const struct engine_input *in);
/* Channels of the route between two switches (LASH ids); channel: room for n, or NULL.  Their number, 0:
 * none. */
unsigned lash_route(const struct lash_plan *p, uint32_t s, uint32_t d, uint32_t *channel);
/* Dependencies of both routes of a pair.  deps: room for 2 * n.  Their number. */
unsigned lash_pair_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps);

/* --- mesh.c, mesh_types.c, mesh_axes.c, mesh_coordinates.c ----------------------------------- */

/*
 * Mesh analysis (engines/doc/lash.md 6): find out that the switches form a mesh or torus, and reorder g by
 * dimension.  NULL and *e when OpenSM 3.3.23 would not terminate, or when cancelled (CANCELLED).
 */
struct lash_mesh *lash_mesh_new(struct lash_graph *g, const struct engine_input *in, struct err *e);

#define NO_CLASS UINT32_MAX
#define MESH_PHASE "mesh analysis" /* begins the names of its phases */

struct mesh_work {
	struct lash_graph *g;
	const struct engine_input *in;
	struct lash_mesh *m; /* with the ids so far until reordered */
	struct mesh_shape shape[MESH_TYPES];
	int32_t *matrix; /* [n * 64] distances between neighbours; see has_matrix() */
	int32_t *poly;	 /* [n * 9] */
};

static inline bool has_matrix(const struct mesh_work *w, uint32_t u)
{
	return lash_degree(w->g, u) <= MESH_LINKS;
}

/* Distance from the neighbour of link i to that of link j without the switch u. */
static inline int32_t apart(const struct mesh_work *w, uint32_t u, unsigned i, unsigned j)
{
	return w->matrix[(size_t)u * MESH_LINKS * MESH_LINKS + i * MESH_LINKS + j];
}

/* All MESH_TYPES shapes; row t of the specification is shape[t - 1]. */
void mesh_shapes(struct mesh_shape *shape);
/* Coefficients of det(M - xI) modulo 2^32; M: k x k, row by row with MESH_LINKS columns; poly: [k + 1]. */
void mesh_polynomial(const int32_t *m, unsigned k, int32_t *poly);
/* Matrices and polynomials, false = cancelled; types, and the largest class or NO_CLASS. */
bool mesh_measure(struct mesh_work *w);
uint32_t mesh_classify(struct mesh_work *w);

void mesh_seed_axes(struct mesh_work *w);
unsigned mesh_opposite(const struct mesh_work *w, uint32_t u, unsigned code);
/* false: OpenSM 3.3.23 would repeat the passes for ever. */
bool mesh_induce_axes(struct mesh_work *w);

/* Coordinates, sizes, new order of links and switches. */
void mesh_place(struct mesh_work *w);
void mesh_reorder(struct mesh_work *w);
/* size[] from coord[] of n switches. */
void mesh_measure_sizes(struct lash_mesh *m, uint32_t n);

/* --- layers.c, balance.c, tables.c ----------------------------------------------------------- */

/* Dependencies of the layers while these are made. */
struct lash_cdgs {
	struct acyclic *layer[LASH_MAX_LAYERS];
	struct lash_record *record; /* NULL: nobody records */
};

/*
 * first[], need, count[], memory[], searches of the plan, and the layers' dependencies.  old (NULL = none): a
 * plan of much the same switches; only dependencies that its layers lack, or whose cycle is gone, cost a
 * search.  Too many layers is no error here (need is avail + 1).  -1 and *e when cancelled.
 */
int lash_assign_layers(struct lash_plan *p, const struct lash_plan *old, struct lash_cdgs *c, unsigned avail,
		       const struct engine_input *in, struct err *e);
/* Dependencies of a layer when the turn of pair s < d (LASH ids) came; s = n: of all.  NULL: cancelled. */
struct acyclic *lash_layer_before(const struct lash_plan *p, unsigned layer, uint32_t s, uint32_t d,
				  struct progress *progress);
void lash_free_cdgs(struct lash_cdgs *c);
/*
 * layer[], count[] and the counters; c is used up, and made where it lacks.  -1 and out->refused
 * when OpenSM would not terminate, or when cancelled.
 */
int lash_balance(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		 struct engine_output *out);
/* false: cancelled */
bool lash_fill_tables(const struct lash *l, const struct engine_input *in, struct routing *r);

/* --- events.c: what is recorded, where RECORDED() -------------------------------------------- */

/* How a link came by its axis. */
enum mesh_axis_rule { MESH_SEED, MESH_FACING, MESH_STRAIGHT, MESH_ACROSS, MESH_SQUARE };

/* A switch whose type is known; it is like another one, or the first of its kind. */
void mesh_record_measure(const struct mesh_work *w, uint32_t u);
void mesh_record_class(const struct mesh_work *w, uint32_t u, uint32_t exemplar);
/* A channel gets an axis, before that is put; a switch coordinates, was[] before, from: or NO_ID. */
void mesh_record_axis(const struct mesh_work *w, uint32_t channel, unsigned code, enum mesh_axis_rule rule);
void mesh_record_place(const struct mesh_work *w, uint32_t u, uint32_t from, const int32_t *was);
/* All are renumbered, their links in order; old[new number]. */
void mesh_record_numbers(const struct mesh_work *w, const uint32_t *old);

/* Begin to record the layers of a plan that has its routes; the plan is kept for the steps. */
struct lash_record *lash_record_new(struct lash_plan *p, const struct engine_input *in, unsigned avail);
void lash_record_free(struct lash_record *r); /* NULL is fine */
/* The routes that the tree of a root decided, out[] being those before it. */
void lash_record_tree(const struct lash_plan *p, const struct engine_input *in, uint32_t root,
		      const uint8_t *before);
/* A pair (LASH ids) and n dependencies: tried in a layer, refused by one (a), put in one, one opened. */
void lash_record_try(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer,
		     const struct dependency *deps, unsigned n);
void lash_record_refuse(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer, struct acyclic *a,
			const struct dependency *deps, unsigned n);
void lash_record_accept(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer,
			const struct dependency *deps, unsigned n);
void lash_record_open(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer);
/* Balancing begins: who holds what is listed.  -1 and *e: no memory. */
int lash_record_balance(struct lash_record *r, struct err *e);
/* A turn of the balancing; deps: room for 2 * n. */
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
void lash_record_turn(struct lash_record *r, const struct lash_turn *t, struct dependency *deps);
/* An entry of a table; sw of the fabric. */
void lash_record_choice(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port,
			enum why_rule rule);

/* --- show.c: the tables of a routing and of a step ------------------------------------------- */

#define LASH_TABLES "forwarding tables"	  /* the last phase */
extern const struct routing_ops lash_ops; /* of a routing, and of a step of a recording */
void lash_free(void *l);		  /* struct lash; NULL is fine */
/* The switches that two LIDs hang on; false when one of them hangs on none. */
bool lash_ends(const struct routing *r, unsigned slid, unsigned dlid, uint32_t *sw, uint32_t *sw2);
/*
 * As struct routing_ops has it: a shortest cycle that a pair would have closed when its turn came, in a layer
 * below its first one.  Cost: the layer's dependencies are built anew.
 */
struct witness *lash_find_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				  struct progress *p);
/* As struct rec_scheme has them. */
void *lash_priv_at(struct walk *w, const struct routing *end);
bool lash_row_at(struct walk *w, const void *priv, uint32_t sw, uint8_t *port);
struct rec_dependency *lash_dependencies(const struct recording *r, size_t step, uint32_t *n);

/* --- sentences.c ----------------------------------------------------------------------------- */

extern const struct rec_scheme lash_scheme;
/* A link that a switch sends by, among its links. */
struct lash_weighed {
	enum why_rule rule;
	unsigned n;	       /* links that lead there in as few hops */
	uint32_t equal, other; /* the first other one of these, the best of those that do not; NO_ID */
	int64_t hops, second;  /* of these and of those */
};
struct lash_weighed lash_weigh(const struct lash_plan *p, uint32_t u, uint32_t d, uint32_t channel);
/* An entry was decided; u, d: LASH ids of the switch and of the one that the LID hangs on, NO_ID. */
void lash_tell_choice(const struct engine_input *in, const struct lash_plan *p, uint32_t u, uint32_t d,
		      unsigned lid, unsigned port);
/* "26, 4": a number a layer. */
void lash_say_counts(const uint64_t *count, unsigned n, struct text *t);
/* As struct routing_ops has them: the layer of a pair of LIDs, its rule, figures of all layers. */
void lash_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
		       struct progress *p);
void lash_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
void lash_explain_layers(const struct routing *r, struct text *t);

#endif
