/* What the parts of Nue share during a run. */
#ifndef IBSCOPE_NUE_INTERNAL_H
#define IBSCOPE_NUE_INTERNAL_H

#include "core/trace/recorder.h"
#include "engines/heap4.h"
#include "engines/nue/nue.h"

/* --- graph.c: what all lean on --------------------------------------------------------------- */

/* avoid: leave out cables whose ends run at different speed or width. */
struct nue_graph *nue_graph_new(const struct topo *t, const struct lids *l, bool avoid);
void nue_graph_free(struct nue_graph *g); /* NULL is fine */

/* Hops of all nodes from one; NO_ID where there is no way.  queue: [nodes]. */
void nue_hops_from(const struct nue_graph *g, uint32_t u, uint32_t *d, uint32_t *queue);

struct nue *nue_ref(const struct nue *n);
void nue_unref(const struct nue *n); /* NULL is fine */
void nue_let_go(void *n);	     /* the same, of a routing or a recording */

/* --- ccdg.c ------------------------------------------------------------------------------------ */

/*
 * The complete channel dependency graph of a fabric with what a layer has made of it (engines/doc/nue.md 9,
 * 10): which dependencies are in use, which would close a cycle.
 *
 * Its vertices are the channels 0 .. n_channels - 1 and, behind them, one fake channel a node (n_channels +
 * node) by which a search begins there.  A dependency c -> x of a channel c into v has its place at
 * edge_of(c, x); x runs over the channels that leave v.  The place of c's own reverse is BLOCKED.
 *
 * Colours.  OpenSM gives each vertex and edge a colour id, and ids a table of what they stand for.  Here
 * things carry the number of a slot, and slots carry ids: replacing an id everywhere, as OpenSM does after
 * each destination, is then a matter of a few slots.
 *
 * Cycles.  OpenSM searches the coloured graph.  Here a topological order of it is kept as dependencies come
 * (D. J. Pearce, P. H. J. Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, ACM
 * Journal of Experimental Algorithmics 11, 2007), which answers most questions at once.
 */
enum { NUE_BLOCKED, NUE_UNUSED, NUE_ESCAPE, NUE_FIRST_COLOUR };

struct nue_wet {
	uint32_t *of;
	size_t n, cap;
};

struct nue_ccdg {
	const struct nue_graph *g;
	uint32_t n_vertices, n_edges;
	uint32_t *first_edge; /* [n_vertices] place of the edge to channel first[to], minus first[to] */
	uint16_t *edge;	      /* [n_edges] slot */
	uint16_t *vertex;     /* [n_vertices] slot */
	/* painted for the present destination, and the lists of these */
	uint8_t *edge_wet, *vertex_wet;
	struct nue_wet wet_edges, wet_vertices;
	/* colours */
	uint32_t n_slots;
	uint32_t *slot; /* [n_slots] colour id */
	uint32_t *real; /* [n_colours] colour of an id */
	uint32_t n_colours;
	/* order of channels: no coloured edge leads from a higher to a lower one, unless cyclic */
	uint32_t *order; /* [n_channels] */
	uint32_t *mark;	 /* [n_channels] epoch in which a search met it */
	uint32_t epoch;
	uint32_t *queue, *before, *place; /* [n_channels] room for searches */
	uint64_t *sort;			  /* [n_channels] */
	bool cyclic;  /* a merge closed a cycle: the order is worth nothing in this layer */
	bool endless; /* OpenSM's search would go round in it for ever */
	/* of the layer, for those who ask */
	uint64_t searches, blocked, merges;
};

struct nue_ccdg *nue_ccdg_new(const struct nue_graph *g);
void nue_ccdg_free(struct nue_ccdg *d); /* NULL is fine */

/* Begin a layer: nothing is used; n_colours: ids 0 .. n_colours - 1 will be asked for. */
void nue_ccdg_reset(struct nue_ccdg *d, uint32_t n_colours);

/*
 * Mark a channel or dependency as part of the escape paths; then order the
 * channels, those of lower rank first where nothing else decides.
 */
static inline void nue_mark_channel(struct nue_ccdg *d, uint32_t c)
{
	d->vertex[c] = NUE_ESCAPE;
}
void nue_mark_edge(struct nue_ccdg *d, uint32_t c, uint32_t x);
void nue_ccdg_order(struct nue_ccdg *d, const uint32_t *rank);

static inline uint32_t nue_fake(const struct nue_ccdg *d, uint32_t node)
{
	return d->g->n_channels + node;
}

/* Node that a vertex leads into. */
static inline uint32_t nue_end(const struct nue_ccdg *d, uint32_t c)
{
	return c < d->g->n_channels ? d->g->to[c] : c - d->g->n_channels;
}

static inline uint32_t nue_start(const struct nue_ccdg *d, uint32_t c)
{
	return c < d->g->n_channels ? d->g->from[c] : c - d->g->n_channels;
}

/* Colour of a vertex. */
static inline uint32_t nue_colour(const struct nue_ccdg *d, uint32_t c)
{
	return d->real[d->slot[d->vertex[c]]];
}

static inline uint32_t nue_edge_of(const struct nue_ccdg *d, uint32_t c, uint32_t x)
{
	return d->first_edge[c] + x;
}

/* Is the edge in use (its colour above UNUSED)? */
static inline bool nue_used(const struct nue_ccdg *d, uint32_t e)
{
	return d->edge[e] > NUE_UNUSED;
}

/* Begin a destination with colour s at a node; its fake channel. */
uint32_t nue_begin(struct nue_ccdg *d, uint32_t node, uint32_t s);

/*
 * Take the dependency h -> x into the subgraph of colour s; true when that would
 * close a cycle: it is then BLOCKED for the rest of the layer.
 */
bool nue_try(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t s);

/* Take it back if it was painted for the present destination. */
static inline void nue_unpaint(struct nue_ccdg *d, uint32_t e)
{
	if (!d->edge_wet[e])
		return;
	d->edge[e] = NUE_UNUSED;
	d->edge_wet[e] = 0;
}

/* End a destination: keep what its tree uses[] (channel into each node, NO_ID), clean the rest. */
void nue_end_destination(struct nue_ccdg *d, const uint32_t *used, uint32_t src);

/*
 * A way h <- ... <- x over dependencies in use: the cycle that h -> x would close.
 * Channels from x to h, their number, 0 when there is none.  way: [n_channels].
 */
uint32_t nue_way_back(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t *way);

/* --- a run --------------------------------------------------------------------------------------- */

struct nue_record;

/* What brought the last channel into a node. */
enum nue_how { NUE_BY_SEARCH, NUE_BY_BACKTRACKING, NUE_BY_WAY_AROUND, NUE_BY_SHORTCUT };

/* Channels kept for backtracking: other ways into a node, in the order they were met. */
struct nue_stacks {
	bool made; /* else they still lie in expanded[] */
	uint32_t n_expanded;
	uint32_t *expanded;    /* [n] vertices in the order they were expanded */
	uint32_t *accepted;    /* [n_channels] destination in which the channel was taken as a way */
	uint32_t *head, *tail; /* [n] channel, NO_ID */
	uint32_t *next;	       /* [n_channels] NO_ID */
	uint32_t *member;      /* [n_channels] destination in which it was put on a stack */
};

struct nue_run {
	const struct engine_input *in;
	struct engine_output *out;
	struct nue *nue;
	struct nue_graph *g;
	struct nue_ccdg *d;
	struct routing *r;
	struct nue_record *record; /* NULL when nobody records */
	/* per node, for choices; NULL when nobody asks or records */
	uint8_t *how;		 /* enum nue_how */
	uint32_t *links;	 /* to the destination, as the ways are in the end */
	int64_t *far;		 /* weight of these */
	struct rec_offer *offer; /* [MAX_PORTS] room */
	uint64_t *weight;	 /* [n_channels] */
	struct heap4 heap;	 /* nodes by distance */
	/* the search of one destination; per node */
	uint64_t *dist;
	uint32_t *used;	     /* channel by which it is reached, NO_ID */
	uint32_t *found;     /* step in which it was first reached */
	uint64_t *cd;	     /* [vertices] distance to the end of a channel, of those that matter */
	uint32_t *candidate; /* [n_channels] room */
	struct nue_stacks stacks;
	uint32_t serial; /* of the destination, from 1 */
	uint32_t colour, src, count, step;
	unsigned layer;
	unsigned events; /* enum nue_event of the destination */
	/* room for trees and weights, per node */
	uint32_t *children, *queue;
	uint64_t *sum;
	uint64_t *all_far; /* a heap with all nodes at NUE_INF */
};

/* --- the steps, in order --------------------------------------------------------------------- */

/* hull.c: hull and betweenness of the layer, its root; false = cancelled. */
bool nue_find_hull(struct nue_run *x, struct nue_layer *l);
bool nue_find_root(struct nue_run *x, struct nue_layer *l);

/* escape.c: shortest paths by weight from a node: tree[v] = channel into v, NO_ID for the root and what is
 * not reached. */
void nue_tree(struct nue_run *x, uint32_t root, uint32_t *tree);

/* Mark the escape paths of a layer in the dependency graph, and order it. */
void nue_mark_escape(struct nue_run *x, struct nue_layer *l);

/*
 * search.c: route a LID of node src with a colour: used[].  -1, out->refused and ->fatal: OpenSM would not
 * get on.
 */
int nue_search(struct nue_run *x, unsigned lid, uint32_t src, uint32_t colour);

/* backtrack.c */
uint32_t nue_backtrack(struct nue_run *x); /* channel to go on with, NO_ID = impasse */
/* Lead v by c, with all that is reached over it; NO_ID, else the node that cannot be led so. */
uint32_t nue_shortcut(struct nue_run *x, uint32_t v, uint32_t c);
void nue_escape_fallback(struct nue_run *x);
void nue_stack_add(struct nue_run *x, uint32_t v, uint32_t c);

/* tables.c: entries and weights of a LID from used[]; -1 as nue_search(). */
int nue_write(struct nue_run *x, unsigned lid, uint32_t src);
/* All switches, after the layers (engines/doc/nue.md 14). */
int nue_route_switches(struct nue_run *x);

/* verify.c: look whether the routes of a layer are free of cycles: unrecorded and loop of it. */
void nue_verify(struct nue_run *x, struct nue_layer *l);

/* Why a way that backtracking could open is not taken; NUE_TAKEN: it is. */
enum nue_verdict {
	NUE_TAKEN,
	NUE_KEPT_ASIDE,	    /* open, but another one was taken before */
	NUE_STAYS_BLOCKED,  /* its dependency was refused before */
	NUE_LEADER_BLOCKED, /* that by which the neighbour would be led was */
	NUE_CYCLE,	    /* one of them would close a cycle */
	NUE_FROM_SOURCE,    /* it comes from the switch of the destination */
	NUE_TURNS_BACK,	    /* the switch that leads the neighbour is led by it */
	NUE_VERDICTS
};

/* A way that backtracking looks at: u -> end of c by the reverse of h, and on by that of c. */
struct nue_way {
	uint32_t u, h, c;
	uint32_t number, of; /* of the candidates, from 1 */
	uint32_t from, to;   /* the dependency that is in the way, of channels; NO_ID */
};

/* T_COLOUR: what a layer has made of a dependency; at layer * n_edges + its place (nue_edge_of()). */
enum nue_use {
	USE_NONE,
	USE_ESCAPE,  /* reserved for the escape paths */
	USE_KEPT,    /* by the routes of a LID before */
	USE_PRESENT, /* by the search at hand */
	USE_BLOCKED  /* it would close a cycle */
};

/* Rules of events; those of choices are enum why_rule, those of BACKTRACK enum nue_verdict. */
enum { HULL_MEMBER, HULL_BETWEEN };
enum { LOOK_NOT_SHORTER, LOOK_BLOCKED };
enum { SHORTCUT_TAKEN, SHORTCUT_REFUSED };

#define NUE_OUTSIDE_LAYERS 255 /* port of a TARGET: else its layer */

/* events.c: for a recording; all of them are only called with x->record. */
struct nue_record *nue_record_new(struct nue_run *x);
void nue_record_free(struct nue_record *k); /* NULL is fine */
void nue_record_layer(struct nue_run *x);
void nue_record_hull(struct nue_run *x, uint32_t u, uint32_t i, uint32_t j); /* NO_ID: a destination */
void nue_record_centre(struct nue_run *x, uint32_t root);
void nue_record_escape(struct nue_run *x, const struct nue_layer *l, uint32_t u);
void nue_record_mark(struct nue_run *x, uint32_t e);
void nue_record_layer_done(struct nue_run *x);
void nue_record_begin(struct nue_run *x, unsigned lid, uint32_t src, bool outside);
bool nue_record_try(struct nue_run *x, uint32_t h, uint32_t c);
void nue_record_expand(struct nue_run *x, uint32_t cur);
void nue_record_reach(struct nue_run *x, uint32_t v);
void nue_record_unpaint(struct nue_run *x, uint32_t e);
void nue_record_backtrack(struct nue_run *x, const struct nue_way *w, enum nue_verdict verdict);
/* forbids: node that cannot be led over the shortcut; NO_ID: it is taken. */
void nue_record_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, uint32_t forbids);
void nue_record_fallback(struct nue_run *x);
void nue_record_end_search(struct nue_run *x);
void nue_record_tree(struct nue_run *x); /* of a LID that is routed outside the layers */
void nue_record_routed(struct nue_run *x);

/* nue_try(), and tell of it. */
static inline bool nue_refused(struct nue_run *x, uint32_t h, uint32_t c)
{
	return x->record ? nue_record_try(x, h, c) : nue_try(x->d, h, c, x->colour);
}

/* nue_unpaint(), and tell of it. */
static inline void nue_take_back(struct nue_run *x, uint32_t e)
{
	nue_unpaint(x->d, e);
	if (x->record)
		nue_record_unpaint(x, e);
}

/* The channel by which the search goes on from a node. */
static inline uint32_t nue_way_into(const struct nue_run *x, uint32_t node)
{
	return node == x->src ? nue_fake(x->d, node) : x->used[node];
}

/* --- choices ------------------------------------------------------------------------------------- */

/* Quantities of an offer. */
enum { NUE_LINKS, NUE_DISTANCE, NUE_WEIGHT, NUE_IS_BLOCKED };

/* What led a node out of its port to a LID. */
struct nue_cause {
	uint32_t v, src; /* nodes: whose, and that of the LID */
	uint16_t lid;
	uint8_t port;
	enum why_rule rule;
	unsigned n_offers;
	struct rec_offer *offer; /* the channels of v; none of src */
	const struct rec_offer *own;
	/* one that would come before the own one, but is blocked, or was met later; and the nearest of those
	 * that are open.  NULL: none */
	const struct rec_offer *lighter, *next;
};

/* events.c: the entries of a LID, told and recorded; only called with x->how. */
void nue_choices(struct nue_run *x, unsigned lid, uint32_t src);
/* Of two offers, which figures decide for the own one (o NULL: there is no other). */
enum why_rule nue_rule_of(const struct rec_offer *own, const struct rec_offer *o);

/* sentences.c: to those who ask; the rest for the operations and the scheme. */
void nue_tell_choice(const struct nue_run *x, const struct nue_cause *cause);
extern const struct rec_scheme nue_scheme;
void nue_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
void nue_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
		      struct progress *p);
void nue_explain_layers(const struct routing *r, struct text *t);

/* show.c */
extern const struct routing_ops nue_ops;
void *nue_priv_at(struct walk *w, const struct routing *end);

#endif
