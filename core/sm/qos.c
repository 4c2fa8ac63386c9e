#include "core/sm/qos.h"

#include <stdlib.h>

#include "core/sm/opervls.h"

sl2vl_map qos_parse_sl2vl(const char *list)
{
	sl2vl_map m = 0;

	for (unsigned sl = 0; sl < 16; sl++) {
		char *end;

		m |= (sl2vl_map)(strtoul(list, &end, 0) & 15) << (4 * sl);
		list = *end ? end + 1 : end;
	}
	return m;
}

/* The map for a kind of ports, before it is reduced to a port's VLs. */
static sl2vl_map map_of_kind(const struct options *o, const char *name)
{
	const char *own = options_get(o, name), *all = options_get(o, "qos_sl2vl");

	return qos_parse_sl2vl(*own ? own : *all ? all : QOS_DEFAULT_SL2VL);
}

/* Do all live external ports have one map? Then it is *all. */
static bool one_map(const struct topo *t, sl2vl_map m, const uint8_t *opervls, sl2vl_map *all)
{
	const struct fabric *f = t->fabric;
	bool first = true;

	*all = m;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned p = 1; switch_up(t, sw) && p <= f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(f, sw, p);
			sl2vl_map cut = opervls_cut(m, opervls[port]);

			if (t->peer[port] == NO_ID)
				continue;
			if (!first && cut != *all)
				return false;
			*all = cut;
			first = false;
		}
	}
	return true;
}

static void give_switches(struct sl_tables *l, const struct topo *t, sl2vl_map m, const uint8_t *opervls)
{
	const struct fabric *f = t->fabric;
	sl2vl_map all;

	if (one_map(t, m, opervls, &all)) {
		sl_tables_set_all(l, all);
		return;
	}
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned p = 1; switch_up(t, sw) && p <= f->switch_nports[sw]; p++)
			sl_tables_set_out(l, sw, p, opervls_cut(m, opervls[switch_port_id(f, sw, p)]));
}

void qos_give_maps(struct sl_tables *l, const struct topo *t, const struct options *o, const uint8_t *opervls)
{
	const struct fabric *f = t->fabric;
	unsigned max = (unsigned)options_uint(o, "max_op_vls");
	sl2vl_map ca = map_of_kind(o, "qos_ca_sl2vl"), rtr = map_of_kind(o, "qos_rtr_sl2vl"),
		  sw0 = map_of_kind(o, "qos_sw0_sl2vl"), swe = map_of_kind(o, "qos_swe_sl2vl");

	l->programmed = true;
	l->closed = sl2vl_of(swe, 0) == 15;
	give_switches(l, t, swe, opervls);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		if (!t->endport_up[ep])
			continue;
		if (endport_is_switch(f, ep)) {
			if (f->switch_esp0[t->endport_switch[ep]])
				sl_tables_set_endport(l, ep, opervls_cut(sw0, opervls[port]));
		} else if (t->peer[port] != NO_ID) {
			sl_tables_set_endport(
				l, ep,
				opervls_cut(f->node_type[f->port_node[port]] == NODE_ROUTER ? rtr : ca,
					    opervls_given(t, port, max)));
		}
	}
}

const char *qos_unread(const struct options *o)
{
	bool partitions = *options_get(o, "partition_config_file"),
	     policy = *options_get(o, "qos_policy_file");

	if (!options_bool(o, "qos"))
		return NULL;
	if (partitions && policy)
		return "partition_config_file and qos_policy_file";
	return partitions ? "partition_config_file" : policy ? "qos_policy_file" : NULL;
}

void qos_tell_unread(const struct options *o, struct text *t)
{
	const char *what = qos_unread(o);

	if (what)
		text_add(
			t,
			"%s: not all of it is modelled here; with qos OpenSM may take other SLs from it, and "
			"so other VLs, than ibscope tells (`set path_sl_file FILE` takes SLs)\n",
			what);
}
