/*
 * A channel dependency graph that is kept acyclic: dependencies are added in
 * bundles, and a bundle that would close a cycle is refused as a whole.
 *
 * A topological order is maintained as dependencies come (A. Marchetti-Spaccamela,
 * U. Nanni, H. Rohnert, Maintaining a Topological Order under Edge Insertions,
 * Information Processing Letters 59, 1996), so that most bundles are decided
 * without any search, and a search only looks between two places of the order.
 * A single dependency once found to close a cycle does so for ever, as nothing
 * is taken out; it is remembered.
 */
#ifndef IBSCOPE_LASH_ACYCLIC_H
#define IBSCOPE_LASH_ACYCLIC_H

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
uint32_t acyclic_count(const struct acyclic *a); /* dependencies in it */

/*
 * A shortest cycle that the bundle would close: channels in order, each followed
 * by the next and the last by the first.  Number of channels; 0 when it closes
 * none.  cycle: room for n_channels.  Any bundle may be asked for, at any time.
 */
uint32_t acyclic_cycle(struct acyclic *a, const struct dependency *d, unsigned n, uint32_t *cycle);

#endif
