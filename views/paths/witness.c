/* Why a path is not in a layer: the task for another thread, and the text. */
#include "views/paths/witness.h"
#include "core/sm/ucast_cache.h"

static void *run_witness(const struct job *j)
{
	return routing_origin(j->sweep->routing)
		->ops->witness(j->sweep->routing, j->arg[0], j->arg[1], j->arg[2], j->progress);
}

FREED_BY(free_witness, witness_free)

const struct task task_witness = {.run = run_witness, .free = free_witness};

void witness_text(const struct fabric *f, const struct witness *w, struct text *t)
{
	for (uint32_t i = 0; i < w->n; i++)
		text_add(t, "%s → ", f->node_name[f->port_node[w->edge[i].port]]);
	if (w->n)
		text_add(t, "%s", f->node_name[f->port_node[w->edge[0].port]]);
}
