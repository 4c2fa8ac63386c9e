/*
 * A channel dependency graph that is kept acyclic: dependencies are added in
 * bundles, and a bundle that would close a cycle is refused as a whole.
 *
 * A topological order is maintained as dependencies come (D. J. Pearce, P. H. J.
 * Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, ACM
 * Journal of Experimental Algorithmics 11, 2007), so that most bundles are decided
 * without any search, and a search only looks between two places of the order.
 * A single dependency once found to close a cycle does so for ever, as nothing
 * is taken out; it is remembered with its cycle.
 *
 * A graph that is made again after a small change starts from the order and the
 * cycles of the one before: then only what the change touches is searched.
 */
#ifndef IBSCOPE_LASH_ACYCLIC_H
#define IBSCOPE_LASH_ACYCLIC_H

#include "core/base/defs.h"
#include "engines/lash/graph.h"

/* Channel `to` is used right after channel `from`, which leads to the switch where `to` begins. */
struct dependency {
	uint32_t from, to;
};

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
 * Start a graph without dependencies from what another was in the end.
 * now[channel of the other] = channel here, NO_ID = gone.  It changes what
 * acyclic_add() costs, never what it answers: an order is as good as any other,
 * and a remembered cycle counts once all its dependencies are here.
 */
void acyclic_recall(struct acyclic *a, const struct acyclic_memory *m, const uint32_t *now);

/*
 * A shortest cycle that the bundle would close: channels in order, each followed
 * by the next and the last by the first.  Number of channels; 0 when it closes
 * none.  cycle: room for n_channels.  Any bundle may be asked for, at any time.
 */
uint32_t acyclic_cycle(struct acyclic *a, const struct dependency *d, unsigned n, uint32_t *cycle);

#endif
