/* What the parts of Nue share during a run. */
#ifndef IBSCOPE_NUE_INTERNAL_H
#define IBSCOPE_NUE_INTERNAL_H

#include "engines/nue/ccdg.h"
#include "engines/nue/heap.h"
#include "engines/nue/nue.h"

struct nue_watch;
struct nue_record;

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
	struct nue_watch *watch;   /* NULL when nobody observes or records */
	struct nue_record *record; /* NULL when nobody records */
	uint64_t *weight;	   /* [n_channels] */
	struct nue_heap heap;
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
	struct nue_heap_item *all_far; /* a heap with all nodes at NUE_INF */
};

/* --- the steps, in order --------------------------------------------------------------------- */

/* vls.c */
struct nue_vls nue_find_vls(const struct engine_input *in);

/* hull.c: hull and betweenness of the layer, its root; false = cancelled. */
bool nue_find_hull(struct nue_run *x, struct nue_layer *l);
bool nue_find_root(struct nue_run *x, struct nue_layer *l);

/* tree.c: shortest paths by weight from a node: tree[v] = channel into v, NO_ID for the root and what is not
 * reached. */
void nue_tree(struct nue_run *x, uint32_t root, uint32_t *tree);

/* escape.c: mark the escape paths of a layer in the dependency graph, and order it. */
void nue_mark_escape(struct nue_run *x, struct nue_layer *l);

/*
 * search.c: route a LID of node src with a colour: used[].  -1 and out->refused
 * and ->fatal where OpenSM would not get on.
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

/* watch.c: for an observer, or a recording; all of them are only called with x->watch. */
struct nue_watch *nue_watch_new(const struct nue_run *x);
void nue_watch_free(struct nue_watch *w); /* NULL is fine */
void nue_watch_model(struct nue_run *x);
void nue_watch_prepare(struct nue_run *x);
void nue_watch_layer(struct nue_run *x, const struct nue_layer *l);
void nue_watch_begin(struct nue_run *x, unsigned lid, uint32_t src);
void nue_watch_blocked(struct nue_run *x, uint32_t c, uint32_t to);

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
void nue_record_choice(struct nue_run *x, uint32_t v, enum why_rule rule);
void nue_record_routed(struct nue_run *x);

/* nue_try(), and tell of what it refuses. */
static inline bool nue_refused(struct nue_run *x, uint32_t h, uint32_t c)
{
	if (x->record)
		return nue_record_try(x, h, c);
	if (!nue_try(x->d, h, c, x->colour))
		return false;
	if (x->watch)
		nue_watch_blocked(x, h, c);
	return true;
}

/* nue_unpaint(), and tell of it. */
static inline void nue_take_back(struct nue_run *x, uint32_t e)
{
	nue_unpaint(x->d, e);
	if (x->record)
		nue_record_unpaint(x, e);
}

void nue_watch_backtrack(struct nue_run *x, uint32_t u, uint32_t through, unsigned candidates);
void nue_watch_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, bool taken);
void nue_watch_impasse(struct nue_run *x);
void nue_watch_end(struct nue_run *x, unsigned lid, uint32_t src);
void nue_watch_done(struct nue_run *x);

#endif
