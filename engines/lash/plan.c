/* A plan: shortest routes from breadth-first trees (engines/doc/lash.md 7), and the data kept with them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/base/progress.h"
#include "engines/lash/internal.h"
#include "core/base/counted.h"

static void lash_plan_release(struct lash_plan *p)
{
	FREE_EACH(p->out, p->root, p->first);
	if (p->whole) {
		lash_plan_unref(p->whole);
		lash_mesh_free(p->mesh);
		free(p);
		return;
	}
	lash_graph_free(p->graph);
	lash_graph_free(p->before);
	lash_mesh_free(p->mesh);
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		acyclic_forget(p->memory[v]);
	free(p);
}

COUNTED(struct lash_plan, struct lash_plan, lash_plan_ref, lash_plan_unref, lash_plan_release)

void lash_mesh_free(struct lash_mesh *m)
{
	if (!m)
		return;
	FREE_EACH(m->coord, m->axis, m->type, m->class, m);
}

/* --- routes ---------------------------------------------------------------------------------- */

struct lash_plan_tree {
	uint32_t *queue; /* [n] switches in order of discovery */
	uint32_t *up;	 /* [n] channel from the switch's parent to it, or NO_ID */
	uint32_t n;
};

static void lash_plan_grow_tree(const struct lash_graph *g, uint32_t root, struct lash_plan_tree *t)
{
	memset(t->up, 0xff, g->n * sizeof(*t->up));
	t->n = 0;
	t->queue[t->n++] = root;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t u = t->queue[i];

		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
			uint32_t v = g->to[c];

			if (v == root || t->up[v] != NO_ID)
				continue;
			t->up[v] = c;
			t->queue[t->n++] = v;
		}
	}
}

/* Sets the entries that are still open, on the way from each switch up to the root. */
static void take_routes(struct lash_plan *p, uint32_t root, const struct lash_plan_tree *t)
{
	const struct lash_graph *g = p->graph;

	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t d = t->queue[i];
		size_t row = (size_t)d * g->n;

		for (uint32_t c = t->up[d]; c != NO_ID; c = t->up[g->from[c]]) {
			uint32_t u = g->from[c];

			if (p->out[row + u] != LASH_NO_LINK)
				continue;
			p->out[row + u] = c - g->base[u];
			if (p->root)
				p->root[row + u] = root;
		}
	}
}

bool lash_find_paths(struct lash_plan *p, const struct engine_input *in)
{
	size_t n = p->graph->n;
	struct lash_plan_tree t = {.queue = NEW_ARRAY(n, uint32_t), .up = NEW_ARRAY(n, uint32_t)};
	uint8_t *before = NULL;
	bool go_on = true;

	rec_phase(in, "routes from breadth-first trees");
	p->out = mem_array(n * n, 1);
	memset(p->out, LASH_NO_LINK, n * n);
	if (ASKED(in))
		p->root = NEW_ARRAY(n * n, uint32_t);
	if (RECORDED(in))
		before = mem_dup(p->out, n * n);
	progress_start(in->progress, "finding routes", n);
	for (uint32_t r = 0; r < n && go_on; r++) {
		lash_plan_grow_tree(p->graph, r, &t);
		take_routes(p, r, &t);
		if (RECORDED(in)) {
			lash_record_tree(p, in, r, before);
			memcpy(before, p->out, n * n);
		}
		go_on = progress_step(in->progress, r);
	}
	FREE_EACH(t.queue, t.up, before);
	return go_on;
}

unsigned lash_route(const struct lash_plan *p, uint32_t s, uint32_t d, uint32_t *channel)
{
	const struct lash_graph *g = p->graph;
	const uint8_t *out = p->out + (size_t)d * g->n;
	unsigned n = 0;

	while (s != d && out[s] != LASH_NO_LINK) {
		uint32_t c = g->base[s] + out[s];

		if (channel)
			channel[n] = c;
		n++;
		s = g->to[c];
	}
	return s == d ? n : 0;
}

static unsigned route_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps)
{
	const struct lash_graph *g = p->graph;
	const uint8_t *out = p->out + (size_t)d * g->n;
	unsigned n = 0;
	uint32_t c;

	if (out[s] == LASH_NO_LINK)
		return 0;
	for (c = g->base[s] + out[s]; g->to[c] != d; n++) {
		uint32_t u = g->to[c], next = g->base[u] + out[u];

		deps[n] = (struct dependency){c, next};
		c = next;
	}
	return n;
}

unsigned lash_pair_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps)
{
	unsigned n = route_dependencies(p, s, d, deps);

	return n + route_dependencies(p, d, s, deps + n);
}
