/* What the parts of Nue share during a run. */
#ifndef IBSCOPE_NUE_INTERNAL_H
#define IBSCOPE_NUE_INTERNAL_H

#include "engines/nue/ccdg.h"
#include "engines/nue/heap.h"
#include "engines/nue/nue.h"

struct nue_watch;

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
	struct nue_watch *watch; /* NULL without observer */
	uint64_t *weight;	 /* [n_channels] */
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
bool nue_shortcut(struct nue_run *x, uint32_t v, uint32_t c);
void nue_escape_fallback(struct nue_run *x);
void nue_stack_add(struct nue_run *x, uint32_t v, uint32_t c);

/* tables.c: entries and weights of a LID from used[]; -1 as nue_search(). */
int nue_write(struct nue_run *x, unsigned lid, uint32_t src);
/* All switches, after the layers (engines/doc/nue.md 14). */
int nue_route_switches(struct nue_run *x);

/* verify.c: look whether the routes of a layer are free of cycles: unrecorded and loop of it. */
void nue_verify(struct nue_run *x, struct nue_layer *l);

/* watch.c: for an observer; all of them are only called with x->watch. */
struct nue_watch *nue_watch_new(const struct nue_run *x);
void nue_watch_free(struct nue_watch *w); /* NULL is fine */
void nue_watch_model(struct nue_run *x);
void nue_watch_layer(struct nue_run *x, const struct nue_layer *l);
void nue_watch_begin(struct nue_run *x, unsigned lid, uint32_t src);
void nue_watch_blocked(struct nue_run *x, uint32_t c, uint32_t to);

/* nue_try(), and tell of what it refuses. */
static inline bool nue_refused(struct nue_run *x, uint32_t h, uint32_t c)
{
	if (!nue_try(x->d, h, c, x->colour))
		return false;
	if (x->watch)
		nue_watch_blocked(x, h, c);
	return true;
}

void nue_watch_backtrack(struct nue_run *x, uint32_t u, uint32_t through, unsigned candidates);
void nue_watch_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, bool taken);
void nue_watch_impasse(struct nue_run *x);
void nue_watch_end(struct nue_run *x, unsigned lid, uint32_t src);
void nue_watch_done(struct nue_run *x);

#endif
