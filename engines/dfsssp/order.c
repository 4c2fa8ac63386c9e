/* Order of destinations (engines/doc/dfsssp.md 4). */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/guidfile.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/sm/port_groups.h"
#include "engines/dfsssp/internal.h"
#include "core/base/order.h"

bool ds_is_routed(const struct engine_input *in, uint32_t ep)
{
	const struct fabric *f = in->topo->fabric;

	return f->node_type[endport_node(f, ep)] != NODE_ROUTER;
}

/* Marks the endports that a file names. 1 when it names any GUID, -1 when refused. */
static int read_set(const struct engine_input *in, struct engine_output *out, const char *option,
		    const char *label, uint8_t mark, uint8_t *marks)
{
	struct guid_file g = {0};
	int rc;

	if (!options_file(in->options, option))
		return 0;
	option_guids_read(in->options, option, in->topo->fabric, manual_rules(in->options), in->progress, &g);
	rc = g.n > 0;
	if (g.stopped)
		rc = err_set(&out->refused, "%s cannot be used (%s): %.300s%s", option, label, g.why.msg,
			     g.stopped == UINT32_MAX
				     ? ""
				     : "; by its manual (`set rules manual`) it ignores only the line");
	if (g.skipped)
		note_add(&out->notes, NOTE_RULES,
			 "%s: %s ignored as the manual says; OpenSM itself refuses to route then\n", option,
			 PLURAL(g.skipped, "invalid line"));
	for (size_t i = 0; rc > 0 && i < g.n; i++) {
		uint32_t ep = fabric_endport_by_guid(in->topo->fabric, g.l[i].guid);

		if (ep != NO_ID)
			marks[ep] |= mark;
	}
	guid_file_free(&g);
	return rc;
}

struct listing {
	const struct engine_input *in;
	const struct ds_graph *g;
	struct ds_order *o;
	const uint8_t *marks; /* [n_endports] bits DS_COMPUTE + 1, DS_IO + 1 */
	uint8_t *listed;      /* [n_endports] */
};

static void dfsssp_order_append(struct listing *l, uint32_t ep, enum ds_phase phase)
{
	if (l->listed[ep])
		return;
	l->listed[ep] = 1;
	l->o->endport[l->o->n] = ep;
	l->o->phase[l->o->n++] = phase;
}

/* Adds the ports on the switches that have this mark, or (0) that have none. */
static void dfsssp_order_append_hosts(struct listing *l, uint8_t mark, enum ds_phase phase)
{
	const struct topo *t = l->in->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t i = 0; i < l->g->n; i++) {
		uint32_t sw = l->g->sw[l->o->by_hosts[i]];

		FOR_PORTS(f, sw, port) {
			uint32_t q = t->peer[port], ep;

			if (q == NO_ID || node_is_switch(f, f->port_node[q]))
				continue;
			ep = f->port_endport[q];
			if (ep != NO_ID && (mark ? (l->marks[ep] & mark) : !l->marks[ep]))
				dfsssp_order_append(l, ep, phase);
		}
	}
}

static void dfsssp_order_tell(const struct listing *l, struct engine_output *out)
{
	uint32_t count[4] = {0}, both = 0;

	for (uint32_t i = 0; i < l->o->n; i++) {
		count[l->o->phase[i]]++;
		both += l->marks[l->o->endport[i]] == (DS_COMPUTE + 1) + (DS_IO + 1);
	}
	if (both)
		note_add(&out->notes, 0,
			 "%" PRIu32
			 " port%s named by cn_guid_file and io_guid_file both: routed as compute nodes\n",
			 both, both == 1 ? " is" : "s are");
	rec_phase(l->in, "order of destinations");
	rec_note(l->in,
		 "%" PRIu32 " compute nodes, %" PRIu32 " I/O nodes, %" PRIu32 " other hosts, %" PRIu32
		 " switches",
		 count[DS_COMPUTE], count[DS_IO], count[DS_OTHER], count[DS_SWITCH]);
}

int ds_order_build(const struct engine_input *in, struct engine_output *out, const struct ds_graph *g,
		   struct ds_order *o)
{
	const struct fabric *f = in->topo->fabric;
	uint8_t *marks = NEW_ARRAY(f->n_endports, uint8_t);
	struct listing l = {.in = in, .g = g, .o = o, .marks = marks};
	int cn = read_set(in, out, "cn_guid_file", "AD33", DS_COMPUTE + 1, marks);
	int io = cn < 0 ? -1 : read_set(in, out, "io_guid_file", "AD35", DS_IO + 1, marks);

	*o = (struct ds_order){0};
	if (cn >= 0 && io >= 0) {
		uint64_t *key = NEW_ARRAY(g->n, uint64_t);

		o->by_hosts = NEW_ARRAY(g->n, uint32_t);
		o->endport = NEW_ARRAY(f->n_endports, uint32_t);
		o->phase = NEW_ARRAY(f->n_endports, uint8_t);
		l.listed = NEW_ARRAY(f->n_endports, uint8_t);
		/* by descending number of LIDs; ties keep their order, as with OpenSM's C library */
		for (uint32_t v = 0; v < g->n; v++)
			key[v] = (uint64_t)(UINT32_MAX - g->hosts[v]) << 32 | v;
		qsort(key, g->n, sizeof(*key), order_u64);
		for (uint32_t v = 0; v < g->n; v++)
			o->by_hosts[v] = (uint32_t)key[v];
		if (cn)
			dfsssp_order_append_hosts(&l, DS_COMPUTE + 1, DS_COMPUTE);
		if (io)
			dfsssp_order_append_hosts(&l, DS_IO + 1, DS_IO);
		dfsssp_order_append_hosts(&l, 0, DS_OTHER);
		for (uint32_t i = 0; i < g->n; i++)
			dfsssp_order_append(&l, f->port_endport[f->switch_port[g->sw[o->by_hosts[i]]]],
					    DS_SWITCH);
		dfsssp_order_tell(&l, out);
		FREE_EACH(l.listed, key);
	}
	free(marks);
	return cn < 0 || io < 0 ? -1 : 0;
}

void ds_order_copy(struct ds_order *to, const struct ds_order *o, uint32_t vertices)
{
	to->n = o->n;
	to->by_hosts = o->n ? mem_dup(o->by_hosts, vertices * sizeof(*o->by_hosts)) : NULL;
	to->endport = o->n ? mem_dup(o->endport, o->n * sizeof(*o->endport)) : NULL;
	to->phase = o->n ? mem_dup(o->phase, o->n * sizeof(*o->phase)) : NULL;
}

void ds_order_free(struct ds_order *o)
{
	FREE_EACH(o->by_hosts, o->endport, o->phase);
	*o = (struct ds_order){0};
}
