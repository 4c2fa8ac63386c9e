/*
 * No routing at all: the tables that the switches of a live fabric held when they
 * were read.  A failure changes nothing in them, as long as no subnet manager
 * acts: what is lost shows as lost.
 */
#include <stdlib.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/switch_tables.h"
#include "engines/engines.h"

/* The LID that an endport had when the tables were read, for the one it has now; 0 = none. */
static unsigned lid_then(const struct engine_input *in, unsigned lid)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t ep = lid_owner(in->lids, lid), port;
	unsigned offset;

	if (ep == NO_ID)
		return 0;
	port = f->endport_port[ep];
	offset = lid - in->lids->base[ep];
	return f->port_lid[port] && offset < 1u << f->port_lmc[port] ? f->port_lid[port] + offset : 0;
}

static void tell_entry(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port)
{
	const struct observer *o = in->observer;
	struct step_candidate c = {.port = port};
	struct step st = {.kind = STEP_CHOICE,
			  .text = "the switch held this entry when it was read",
			  .sw = sw,
			  .sw2 = NO_ID,
			  .lid = lid,
			  .port = port,
			  .old_port = NO_PATH,
			  .rule = "as read"};

	if ((o->sw != NO_ID && o->sw != sw) || (o->lid && o->lid != lid))
		return;
	if (port && port <= in->topo->fabric->switch_nports[sw]) {
		c.peer = in->topo->peer[switch_port_id(in->topo->fabric, sw, port)];
		st.candidate = &c;
		st.n_candidates = 1;
	}
	observe(in, &st);
}

/* *odd counts entries with a port that the switch does not have; they lead nowhere. */
static struct lft_row *row_of(const struct fabric *f, uint32_t sw, const uint16_t *then, unsigned top,
			      uint32_t *odd)
{
	const struct switch_tables *h = fabric_switch_tables(f);
	struct lft_row *row = lft_row_new(top);

	for (unsigned lid = 1; h->lft[sw] && lid <= top; lid++) {
		unsigned port = then[lid] && then[lid] <= h->top[sw] ? h->lft[sw][then[lid]] : NO_PATH;

		if (port <= f->switch_nports[sw])
			row->port[lid] = (uint8_t)port;
		else
			*odd += port != NO_PATH;
	}
	return row;
}

/* LMC that most CA and router ports carry. */
static unsigned lmc_then(const struct fabric *f)
{
	uint32_t count[8] = {0};
	unsigned best = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (!endport_is_switch(f, ep))
			count[f->port_lmc[f->endport_port[ep]] & 7]++;
	for (unsigned i = 1; i < 8; i++)
		best = count[i] > count[best] ? i : best;
	return best;
}

static void note_oddities(const struct engine_input *in, const uint16_t *then, struct text *notes)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t silent = 0, moved = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		silent += switch_up(in->topo, s) && !fabric_switch_tables(f)->lft[s];
	for (unsigned lid = 1; lid <= in->lids->max_lid; lid++)
		moved += lid_owner(in->lids, lid) != NO_ID && then[lid] != lid;
	if (silent)
		text_add(notes, "live: %s did not tell their tables\n", PLURAL(silent, "switch"));
	if (moved)
		text_add(notes,
			 "live: %s changed since the tables were read; entries follow the "
			 "ports\n",
			 PLURAL(moved, "LID"));
	if (lmc_then(f) != in->lids->lmc)
		text_add(
			notes,
			"live: ports carry LMC %u, the option lmc is %u; `set lmc %u` shows all their LIDs\n",
			lmc_then(f), in->lids->lmc, lmc_then(f));
	if (!fabric_switch_tables(f)->sl_tables && !*options_get(in->options, "sl2vl_file"))
		text_add(notes, "live: VL = SL is assumed; `live sl2vl` reads the switches' maps as well\n");
	if (!*options_get(in->options, "path_sl_file"))
		text_add(notes, "live: SL 0 is assumed for all paths; path_sl_file tells others\n");
}

static struct routing *live_route(const struct engine_input *in, struct engine_output *out)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t odd = 0;
	struct routing *r;
	uint16_t *then;

	if (!f->switch_tables) {
		err_set(&out->refused, "the switches' tables were not read; `live tables` reads them");
		return NULL;
	}
	then = NEW_ARRAY(in->lids->max_lid + 1u, uint16_t);
	for (unsigned lid = 1; lid <= in->lids->max_lid; lid++)
		then[lid] = lid_then(in, lid);
	r = routing_new("live", in->topo, in->lids);
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (switch_up(in->topo, s))
			r->row[s] = row_of(f, s, then, in->lids->max_lid, &odd);
	for (uint32_t s = 0; OBSERVED(in) && s < f->n_switches; s++)
		for (unsigned lid = 1; r->row[s] && lid <= in->lids->max_lid; lid++)
			if (lid_owner(in->lids, lid) != NO_ID)
				tell_entry(in, s, lid, r->row[s]->port[lid]);
	if (fabric_switch_tables(f)->sl_tables)
		r->sl_tables = sl_tables_ref(fabric_switch_tables(f)->sl_tables);
	if (odd)
		text_add(&out->notes, "live: %s for a port that the switch does not have\n",
			 PLURAL(odd, "entry"));
	note_oddities(in, then, &out->notes);
	free(then);
	return r;
}

const struct engine engine_live = {
	.name = "live",
	.brief = "the tables that the switches held when they were read (`live tables`)",
	.reference = "no algorithm; LinearForwardingTable and SLtoVLMappingTable of the switches",
	.route = live_route,
};
