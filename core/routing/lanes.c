#include "core/routing/lanes.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct lanes *lanes_new(const struct fabric *f, uint16_t top)
{
	struct lanes *l = NEW(struct lanes);

	l->refs = 1;
	l->n_switches = f->n_switches;
	l->n_endports = f->n_endports;
	l->ports = mem_dup(f->switch_nports, f->n_switches);
	l->map = NEW_ARRAY(f->n_switches + 1u, sl2vl_map *);
	l->sl = NEW_ARRAY(f->n_endports + 1u, uint8_t *);
	l->top = top;
	return l;
}

struct lanes *lanes_ref(const struct lanes *l)
{
	struct lanes *m = (struct lanes *)l;

	atomic_fetch_add(&m->refs, 1);
	return m;
}

void lanes_unref(const struct lanes *cl)
{
	struct lanes *l = (struct lanes *)cl;

	if (!l || atomic_fetch_sub(&l->refs, 1) != 1)
		return;
	for (uint32_t s = 0; s < l->n_switches; s++)
		free(l->map[s]);
	for (uint32_t e = 0; e < l->n_endports; e++)
		free(l->sl[e]);
	free(l->map);
	free(l->sl);
	free(l->ports);
	free(l);
}

void lanes_set_map(struct lanes *l, uint32_t sw, unsigned in, unsigned out, sl2vl_map m)
{
	unsigned ports = l->ports[sw], n = (ports + 1) * (ports + 1);

	if (in > ports || out > ports)
		return;
	if (!l->map[sw]) {
		l->map[sw] = NEW_ARRAY(n, sl2vl_map);
		for (unsigned i = 0; i < n; i++)
			l->map[sw][i] = LANES_IDENTITY;
		l->n_maps++;
	}
	l->map[sw][in * (ports + 1) + out] = m;
}

bool lanes_set_sl(struct lanes *l, uint32_t source, unsigned dlid, unsigned sl)
{
	if (source >= l->n_endports || dlid > l->top)
		return false;
	if (!l->sl[source]) {
		l->sl[source] = mem_alloc(l->top + 1u);
		memset(l->sl[source], LANES_NO_SL, l->top + 1u);
	}
	l->n_sls += l->sl[source][dlid] == LANES_NO_SL;
	l->sl[source][dlid] = sl & 15;
	return true;
}

void lanes_copy_maps(struct lanes *l, const struct lanes *from)
{
	for (uint32_t s = 0; s < l->n_switches && s < from->n_switches; s++) {
		size_t n = (l->ports[s] + 1u) * (l->ports[s] + 1u);

		if (!from->map[s] || l->ports[s] != from->ports[s])
			continue;
		l->n_maps += !l->map[s];
		free(l->map[s]);
		l->map[s] = mem_dup(from->map[s], n * sizeof(sl2vl_map));
	}
}
