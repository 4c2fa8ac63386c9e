/* The switches that matter to a layer, and the most central of them (engines/doc/nue.md 11.1, 11.2). */
#include <string.h>
#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/nue/internal.h"

/* --- convex hull ---------------------------------------------------------------------------- */

struct hull_work {
	struct nue_run *x;
	const struct nue_graph *g;
	uint32_t from; /* the node from which d[] counts */
	struct nue_layer *l;
	uint32_t *d, *queue;
	uint8_t *done;
};

/* Adds to the hull all nodes on shortest paths from j to the node from which d[] counts. */
static void draw_in(struct hull_work *w, uint32_t j)
{
	const struct nue_graph *g = w->g;
	uint32_t n = 0;

	w->done[j] = 1;
	w->queue[n++] = j;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = w->queue[i];

		for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++) {
			uint32_t u = g->to[c];

			if (w->done[u] || w->d[u] + 1 != w->d[v])
				continue;
			if (!w->l->hull[u]) {
				if (w->x->record)
					nue_record_hull(w->x, u, w->from, j);
				w->l->n_hull++;
				w->l->hull[u] = 1;
			}
			w->done[u] = 1;
			w->queue[n++] = u;
		}
	}
}

bool nue_find_hull(struct nue_run *x, struct nue_layer *l)
{
	uint32_t n = x->g->n;
	struct hull_work w = {.x = x,
			      .g = x->g,
			      .l = l,
			      .d = NEW_ARRAY(n, uint32_t),
			      .queue = NEW_ARRAY(n, uint32_t),
			      .done = NEW_ARRAY(n, uint8_t)};
	bool go_on = true;

	l->hull = NEW_ARRAY(n, uint8_t);
	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t u = nue_node_of(x->g, x->in->topo, lid_owner(x->in->lids, l->lid[i]));

		if (x->record && !l->hull[u])
			nue_record_hull(x, u, NO_ID, NO_ID);
		l->n_hull += !l->hull[u];
		l->hull[u] = 2;
	}
	progress_start(x->in->progress, "nue: convex hull", n);
	/* stop once the hull has all nodes */
	for (uint32_t i = 0; i < n && l->n_hull < n && go_on; i++) {
		if (!l->hull[i])
			continue;
		w.from = i;
		nue_hops_from(x->g, i, w.d, w.queue);
		memset(w.done, 0, n);
		w.done[i] = 1;
		for (uint32_t j = 0; j < n; j++)
			if (l->hull[j] && !w.done[j])
				draw_in(&w, j);
		go_on = progress_step(x->in->progress, i);
	}
	FREE_EACH(w.d, w.queue, w.done);
	return go_on;
}

/* --- betweenness centrality (U. Brandes, A Faster Algorithm for Betweenness Centrality, 2001) -------- */

/* A node in the search from one source. */
struct between {
	uint64_t sigma;
	uint32_t d;
	uint32_t end; /* its predecessors, in the order in which they were met: pred[first[v]] to pred[end -
			 1] */
	double paths; /* sigma */
	double delta;
};

struct brandes {
	const struct nue_graph *g;
	const struct nue_layer *l;
	double *b;  /* [n] */
	uint8_t *t; /* [n] CAs of the layer on the switch, modulo 256 */
	struct between *node;
	uint32_t *order, n_order;
	uint32_t *pred;
};

static void count_paths(struct brandes *b, uint32_t s)
{
	const struct nue_graph *g = b->g;
	struct between *node = b->node;
	uint32_t n = 0;

	for (uint32_t v = 0; v < g->n; v++) /* one outside the hull is never the next */
		node[v] = (struct between){.d = b->l->hull[v] ? NO_ID : 0, .end = g->first[v]};
	node[s].sigma = 1;
	node[s].d = 0;
	b->order[n++] = s;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = b->order[i], next = node[u].d + 1;
		uint64_t paths = node[u].sigma;

		node[u].paths = (double)paths;
		for (uint32_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
			uint32_t v = g->to[c];
			struct between *to = &node[v];

			if (to->d < next)
				continue;
			if (to->d == NO_ID) {
				to->d = next;
				b->order[n++] = v;
			}
			to->sigma += paths;
			b->pred[to->end++] = u;
		}
	}
	b->n_order = n;
}

static double plus_times(double x, double y, unsigned n)
{
	while (n--)
		x += y;
	return x;
}

/*
 * OpenSM repeats this for each of the sources on switch s; only the value of s itself differs between the
 * first and the others. Sums are added in OpenSM's order, since rounding decides ties.
 */
static void nue_hull_add_dependencies(struct brandes *b, uint32_t s)
{
	const struct nue_graph *g = b->g;
	struct between *node = b->node;
	unsigned t = b->t[s];
	double own;

	for (uint32_t i = b->n_order; i-- > 1;) {
		uint32_t v = b->order[i], *pred = &b->pred[g->first[v]], *end = &b->pred[node[v].end];
		double delta = plus_times(node[v].delta, 1, b->t[v]), paths = -1, share = 0;

		b->b[v] = plus_times(b->b[v], delta, t + 1);
		for (; pred < end; pred++) {
			struct between *u = &node[*pred];

			if (u->paths != paths) { /* many are alike */
				paths = u->paths;
				share = (paths / node[v].paths) * (1 + delta);
			}
			u->delta += share;
		}
	}
	own = t ? plus_times(node[s].delta, 1, t - 1) : 0;
	b->b[s] = plus_times(b->b[s], own, t);
}

bool nue_find_root(struct nue_run *x, struct nue_layer *l)
{
	uint32_t n = x->g->n;
	bool go_on = true;
	struct brandes b = {.g = x->g,
			    .l = l,
			    .b = NEW_ARRAY(n, double),
			    .t = NEW_ARRAY(n, uint8_t),
			    .node = NEW_ARRAY(n, struct between),
			    .order = NEW_ARRAY(n, uint32_t),
			    .pred = NEW_ARRAY(x->g->n_channels + 1u, uint32_t)};

	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t ep = lid_owner(x->in->lids, l->lid[i]);

		if (!endport_is_switch(x->in->topo->fabric, ep))
			b.t[nue_node_of(x->g, x->in->topo, ep)]++;
	}
	progress_start(x->in->progress, "nue: central switch", n);
	for (uint32_t s = 0; s < n && go_on; s++) {
		if (l->hull[s]) {
			count_paths(&b, s);
			nue_hull_add_dependencies(&b, s);
		}
		go_on = progress_step(x->in->progress, s);
	}
	l->betweenness = b.b;
	l->root = NO_ID;
	for (uint32_t u = 0; u < n; u++)
		if (l->hull[u] && (l->root == NO_ID || b.b[u] > b.b[l->root]))
			l->root = u;
	if (x->record && go_on)
		nue_record_centre(x, l->root);
	FREE_EACH(b.t, b.node, b.order, b.pred);
	return go_on;
}
