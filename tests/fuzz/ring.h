/* The small fabric that fuzz targets read files for: a ring of three switches with four ports and two hosts
 * each. */
#ifndef IBSCOPE_FUZZ_RING_H
#define IBSCOPE_FUZZ_RING_H

#include <stdlib.h>
#include "core/source/synth.h"

/* Never freed: a target makes it once.  last_down: the third switch is down. */
static inline struct topo *ring_of_three(bool last_down)
{
	struct fabric *f;
	struct state *st;
	struct topo *t;

	if (synth_make("ring:3,hosts=2", &f, NULL))
		abort();
	st = state_new(f);
	if (last_down)
		st->node_down[f->switch_node[2]] = 1;
	t = topo_new(f, st);
	state_free(st);
	fabric_unref(f);
	return t;
}

#endif
