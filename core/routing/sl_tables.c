#include "core/routing/sl_tables.h"
#include "core/base/memory.h"
#include "core/base/counted.h"

#include <stdlib.h>
#include <string.h>

struct sl_tables *sl_tables_new(const struct fabric *f, uint16_t top)
{
	struct sl_tables *l = NEW(struct sl_tables);

	l->refs = 1;
	l->n_switches = f->n_switches;
	l->n_endports = f->n_endports;
	l->ports = mem_dup(f->switch_nports, f->n_switches);
	l->map = NEW_ARRAY(f->n_switches + 1u, sl2vl_map *);
	l->out = NEW_ARRAY(f->n_switches + 1u, sl2vl_map *);
	l->sl = NEW_ARRAY(f->n_endports + 1u, uint8_t *);
	l->top = top;
	return l;
}

static void sl_tables_release(struct sl_tables *l)
{
	for (uint32_t s = 0; s < l->n_switches; s++) {
		free(l->map[s]);
		free(l->out[s]);
	}
	for (uint32_t e = 0; e < l->n_endports; e++)
		free(l->sl[e]);
	free(l->map);
	free(l->out);
	free(l->endport);
	free(l->sl);
	free(l->ports);
	free(l);
}

COUNTED(struct sl_tables, struct sl_tables, sl_tables_ref, sl_tables_unref, sl_tables_release)

static sl2vl_map *identities(size_t n)
{
	sl2vl_map *m = NEW_ARRAY(n, sl2vl_map);

	for (size_t i = 0; i < n; i++)
		m[i] = SL_TABLES_IDENTITY;
	return m;
}

void sl_tables_set_map(struct sl_tables *l, uint32_t sw, unsigned in, unsigned out, sl2vl_map m)
{
	unsigned ports = l->ports[sw], n = (ports + 1) * (ports + 1);

	if (in > ports || out > ports)
		return;
	if (!l->map[sw]) {
		l->map[sw] = identities(n);
		l->n_maps++;
	}
	l->map[sw][in * (ports + 1) + out] = m;
}

void sl_tables_set_out(struct sl_tables *l, uint32_t sw, unsigned out, sl2vl_map m)
{
	if (out > l->ports[sw])
		return;
	if (!l->out[sw]) {
		l->out[sw] = identities(l->ports[sw] + 1u);
		l->n_maps++;
	}
	l->out[sw][out] = m;
}

void sl_tables_set_all(struct sl_tables *l, sl2vl_map m)
{
	l->one = true;
	l->all = m;
	l->n_maps = l->n_switches;
}

void sl_tables_set_endport(struct sl_tables *l, uint32_t ep, sl2vl_map m)
{
	if (!l->endport)
		l->endport = identities(l->n_endports);
	l->endport[ep] = m;
}

bool sl_tables_set_sl(struct sl_tables *l, uint32_t source, unsigned dlid, unsigned sl)
{
	if (source >= l->n_endports || dlid > l->top)
		return false;
	if (!l->sl[source]) {
		l->sl[source] = mem_alloc(l->top + 1u);
		memset(l->sl[source], SL_TABLES_NO_SL, l->top + 1u);
	}
	l->n_sls += l->sl[source][dlid] == SL_TABLES_NO_SL;
	l->sl[source][dlid] = sl & 15;
	return true;
}

void sl_tables_copy_maps(struct sl_tables *l, const struct sl_tables *from)
{
	l->one = from->one;
	l->all = from->all;
	l->n_maps = from->n_maps;
	for (uint32_t s = 0; s < l->n_switches; s++) {
		size_t n = l->ports[s] + 1u;

		free(l->map[s]);
		free(l->out[s]);
		l->map[s] = from->map[s] ? mem_dup(from->map[s], n * n * sizeof(sl2vl_map)) : NULL;
		l->out[s] = from->out[s] ? mem_dup(from->out[s], n * sizeof(sl2vl_map)) : NULL;
	}
	free(l->endport);
	l->endport = from->endport ? mem_dup(from->endport, l->n_endports * sizeof(sl2vl_map)) : NULL;
}

struct sl_tables *sl_tables_maps_on(const struct sl_tables *l, const struct fabric *from,
				    const struct fabric *to)
{
	struct sl_tables *t = sl_tables_new(to, 0);

	t->one = l->one;
	t->all = l->all;
	for (uint32_t s = 0; s < to->n_switches; s++) {
		uint32_t was = fabric_switch_in(from, to, s);
		size_t n = t->ports[s] + 1u;

		if (was == NO_ID || l->ports[was] != t->ports[s])
			continue;
		t->map[s] = l->map[was] ? mem_dup(l->map[was], n * n * sizeof(sl2vl_map)) : NULL;
		t->out[s] = l->out[was] ? mem_dup(l->out[was], n * sizeof(sl2vl_map)) : NULL;
		t->n_maps += t->map[s] || t->out[s];
	}
	if (l->one)
		t->n_maps = t->n_switches;
	for (uint32_t ep = 0; l->endport && ep < to->n_endports; ep++) {
		uint32_t was = fabric_endport_in(from, to, ep);

		sl_tables_set_endport(t, ep, was == NO_ID ? SL_TABLES_IDENTITY : l->endport[was]);
	}
	return t;
}
