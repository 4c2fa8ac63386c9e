/* Why a path is not in a layer: asked for beside the loop, and as text. */
#include "views/paths/witness.h"
#include "core/sm/ucast_cache.h"

static void *run_witness(const struct sweep *w, const void *base, const uint32_t *arg, struct progress *p)
{
	(void)base;
	return routing_origin(w->routing)->ops->witness(w->routing, arg[0], arg[1], arg[2], p);
}

static void free_witness(void *value)
{
	witness_free(value);
}

const struct task task_witness = {.run = run_witness, .free = free_witness};

void witness_text(const struct fabric *f, const struct witness *w, struct text *t)
{
	for (uint32_t i = 0; i < w->n; i++)
		text_add(t, "%s → ", f->node_name[f->port_node[w->edge[i].port]]);
	if (w->n)
		text_add(t, "%s", f->node_name[f->port_node[w->edge[0].port]]);
}
