/*
 * Down/Up: Up/Down seen from the hosts.  Switches are ranked by their distance from the switches with hosts;
 * packets go away from the hosts, then back to them (engines/doc/updn.md 6 as OpenSM 3.3.23).
 */
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/trace/recorder.h"
#include "engines/engines.h"
#include "engines/updown/updown.h"

/* Gives rank 0 to switches with a CA or router. Returns their number. */
static uint32_t rank_host_switches(const struct topo *t, struct updown *u)
{
	const struct fabric *f = t->fabric;
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; switch_up(t, s) && p <= f->switch_nports[s]; p++) {
			uint32_t q = t->peer[switch_port_id(f, s, p)];

			if (q == NO_ID || node_is_switch(f, f->port_node[q]))
				continue;
			u->rank[s] = 0;
			n++;
			break;
		}
	return n;
}

static struct routing *dnup_route(const struct engine_input *in, struct engine_output *out)
{
	struct updown *u = updown_new(in->topo, false);

	rec_phase(in, "ranks: distance from the nearest switch with hosts");
	if (!rank_host_switches(in->topo, u)) {
		err_set(&out->refused, "no switch has a CA or router port, so there is nothing to rank from");
		updown_free(u);
		return NULL;
	}
	if (RECORDED(in))
		updown_record_keep(in, u);
	updown_rank(in, u);
	u->connect = options_bool(in->options, "connect_roots");
	if (!updown_matrix(in, u, NULL, false, u->connect, &out->refused)) {
		updown_free(u);
		return NULL;
	}
	if (u->n_priced)
		note_add(&out->notes, 0,
			 "dnup: connect_roots allows turns down and then up at a cost of %u; credit loops "
			 "are possible\n",
			 u->weight);
	if (u->n_erased)
		note_add(&out->notes, 0,
			 "dnup loses %s because costs reach 64; their destinations may be unreachable\n",
			 PLURAL(u->n_erased, "entry"));
	return updown_routing("dnup", in, out, u);
}

const struct engine engine_dnup = {
	.name = "dnup",
	.brief = "Down/Up: as Up/Down, with ranks counted from the switches with hosts; level cables have no "
		 "order and may close credit loops",
	.reference = "as OpenSM 3.3.23",
	.route = dnup_route,
	.update = dnup_route, /* updown_assign() looks at `previous` */
	.room = updown_room,
	.scheme = &dnup_scheme,
};
