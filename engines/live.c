/*
 * No routing is computed: the tables are those that switches held when they were read, from a live fabric or
 * from files, with the LIDs that ports had then. Failures do not change them, as no subnet manager acts:
 * broken routes show as lost.
 */
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/routing/switch_tables.h"
#include "engines/engines.h"
#include "engines/record.h"

static void live_engine_tell_entry(const struct engine_input *in, const char *name, uint32_t sw, unsigned lid,
				   unsigned port)
{
	const char *source = in->held->source ? in->held->source : "the switch";
	const struct fabric *f = in->topo->fabric;
	struct rec_choice *c = rec_choice(in, sw, lid);

	if (!c)
		return;
	c->port = (uint8_t)port;
	c->rule = "as read";
	text_add(&c->text, "the switch held this entry when it was read");
	if (port && port <= f->switch_nports[sw])
		rec_offer(c, port, in->topo->peer[switch_port_id(f, sw, port)]);
	if (!in->held->lft[sw])
		decide(&c->decided, WHY_NOT_IN_FILE, "There is no table of %s in what %s has read.",
		       switch_name(f, sw), name);
	else if (port == NO_PATH)
		decide(&c->decided, WHY_AS_READ, "Read from %s: no entry for LID %u.", source, lid);
	else
		decide(&c->decided, WHY_AS_READ, "Read from %s: port %u.", source, port);
	rec_chosen(in, c);
}

/* Makes a row. *odd counts entries with a port that the switch does not have; they lead nowhere. */
static struct lft_row *live_engine_row_of(const struct engine_input *in, uint32_t sw, uint32_t *odd)
{
	const struct switch_tables *h = in->held;
	unsigned nports = in->topo->fabric->switch_nports[sw], top = h->lft[sw] ? h->top[sw] : 0;
	struct lft_row *row;

	if (top > in->lids->max_lid)
		top = in->lids->max_lid;
	row = lft_row_new(h->lft[sw] ? top : in->lids->max_lid);
	for (unsigned lid = 1; lid <= top; lid++) {
		if (h->lft[sw][lid] <= nports)
			row->port[lid] = h->lft[sw][lid];
		else
			*odd += h->lft[sw][lid] != NO_PATH;
	}
	return row;
}

static void note_oddities(const struct engine_input *in, const char *name, uint32_t odd, struct notes *notes)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t silent = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		silent += switch_up(in->topo, s) && !in->held->lft[s];
	if (odd)
		note_add(notes, 0, "%s: %s for a port that the switch does not have\n", name,
			 PLURAL(odd, "entry"));
	if (silent && !in->held->source)
		note_add(notes, 0, "%s: %s did not tell their tables\n", name, PLURAL(silent, "switch"));
	if (silent && in->held->source)
		note_add(notes, 0, "%s: of %s there is no table in %s\n", name, PLURAL(silent, "switch"),
			 in->held->source);
	if (!in->held->sl_tables && !*options_get(in->options, "sl2vl_file"))
		note_add(notes, 0, "%s: ibscope assumes VL = SL; %s\n", name,
			 in->held->source ? "sl2vl_file tells other maps"
					  : "`live sl2vl` reads the switches' maps as well");
	if (!*options_get(in->options, "path_sl_file"))
		note_add(notes, 0, "%s: ibscope assumes SL 0 for all paths; path_sl_file tells others\n",
			 name);
}

/* refusal: what is told when nothing was read. */
static struct routing *live_engine_show(const struct engine_input *in, struct engine_output *out,
					const char *name, const char *refusal)
{
	const struct fabric *f = in->topo->fabric;
	struct routing *r;
	uint32_t odd = 0;

	if (!in->held) {
		err_set(&out->refused, "%s, and no engine takes their place", refusal);
		return NULL;
	}
	r = routing_new(name, in->topo, in->lids);
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (switch_up(in->topo, s))
			r->row[s] = live_engine_row_of(in, s, &odd);
	for (uint32_t s = 0; ASKED(in) && s < f->n_switches; s++)
		for (unsigned lid = 1; r->row[s] && lid <= in->lids->max_lid; lid++)
			if (lid_owner(in->lids, lid) != NO_ID)
				live_engine_tell_entry(in, name, s, lid, routing_port(r, s, lid));
	for (uint32_t s = 0; RECORDED(in) && s < f->n_switches; s++) {
		for (unsigned lid = 1; r->row[s] && lid <= r->row[s]->top; lid++)
			if (r->row[s]->port[lid] != NO_PATH || lid_owner(in->lids, lid) != NO_ID)
				assign_record_read(in, s, lid, NO_PATH, r->row[s]->port[lid], WHY_AS_READ);
		if (r->row[s])
			rec_event(in->record, REC_TABLE, 0, 0, s, 0);
	}
	if (in->held->sl_tables)
		r->sl_tables = sl_tables_ref(in->held->sl_tables);
	if (in->held->adaptive)
		r->adaptive = (struct adaptive *)counted_ref(&in->held->adaptive->counted);
	note_oddities(in, name, odd, &out->notes);
	return r;
}

static struct routing *live_route(const struct engine_input *in, struct engine_output *out)
{
	return live_engine_show(in, out, "live",
				"the switches' tables were not read; `live tables` reads them");
}

static struct routing *tables_route(const struct engine_input *in, struct engine_output *out)
{
	return live_engine_show(in, out, "tables",
				"no tables of this fabric were read; `tables FILE` reads them");
}

const struct engine engine_live = {
	.name = "live",
	.brief = "the tables that the switches held when they were read (`live tables`)",
	.reference = "no algorithm; LinearForwardingTable and SLtoVLMappingTable of the switches",
	.holds = HOLDS_LIVE,
	.route = live_route,
	.scheme = &read_scheme,
};

const struct engine engine_tables = {
	.name = "tables",
	.brief = "the tables that `tables FILE|live` read last, adaptive-routing groups included",
	.reference = "no algorithm; what OpenSM, infiniband-diags and ibdiagnet dump",
	.holds = HOLDS_TABLES,
	.route = tables_route,
	.scheme = &read_scheme,
};
