/* The engine of tables that switches hold; steps laid out for sentences, and routes counted by tables. */
#include <assert.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/routing/routing.h"
#include "engines/engines.h"
#include "engines/say.h"

bool tree_routes_add(const struct routing *r, const uint32_t *own, struct lids_part lids, uint32_t *routes,
		     struct progress *p)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t switches = f->n_switches, *load = NEW_ARRAY(switches, uint32_t);
	uint32_t *next = NEW_ARRAY(switches, uint32_t);	 /* port id towards the LID, or NO_ID */
	uint32_t *waits = NEW_ARRAY(switches, uint32_t); /* neighbours not counted yet */
	bool go_on = true;

	assert(lids.from <= lids.to);
	progress_start(p, "routes per channel", lids.to);
	for (uint32_t i = lids.from; i < lids.to && (go_on = progress_step(p, i)); i++) {
		memcpy(load, own, switches * sizeof(*own));
		for (uint32_t s = 0; s < switches; s++) {
			unsigned port = routing_port(r, s, lids.lid[i]);
			uint32_t id = port == NO_PATH ? NO_ID : switch_port_id(f, s, port);

			next[s] = id == NO_ID || t->peer_switch[id] == NO_ID ? NO_ID : id;
			if (next[s] != NO_ID)
				waits[t->peer_switch[id]]++;
		}
		for (uint32_t start = 0; start < switches; start++) /* from the leaves of the tree inwards */
			for (uint32_t s = start; !waits[s] && next[s] != NO_ID;) {
				uint32_t to = t->peer_switch[next[s]];

				routes[next[s]] += load[s];
				load[to] += load[s];
				next[s] = NO_ID;
				waits[to]--;
				s = to;
			}
	}
	FREE_EACH(load, next, waits);
	return go_on;
}

struct saying saying_of(struct walk *w, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	struct saying y = {.w = w,
			   .r = r,
			   .s = s,
			   .topo = s->topo,
			   .f = s->fabric,
			   .kept = recording_kept(r),
			   .ev = walk_event(w),
			   .t = t};

	assert(walk_event(w));
	y.n_extra = recording_extra(r, walk_step(w), &y.extra);
	return y;
}

const char *say_name(const struct saying *y, uint32_t sw)
{
	return switch_name(y->f, sw);
}

uint32_t say_behind(const struct saying *y, uint32_t sw, unsigned port)
{
	assert(port <= y->f->switch_nports[sw]);
	return y->topo->peer_switch[switch_port_id(y->f, sw, port)];
}

void say_lid(const struct saying *y, unsigned lid)
{
	uint32_t ep = lid_owner(y->s->lids, lid);
	char name[300];

	text_add(y->t, "LID %u", lid);
	if (ep != NO_ID)
		text_add(y->t, " (%s)", endport_label(y->f, ep, name, sizeof(name)));
}

void say_port(const struct saying *y, uint32_t port)
{
	char name[300];

	text_add(y->t, "%s", port_label(y->f, port, name, sizeof(name)));
}

void say_entry(const struct saying *y, const char *rule)
{
	text_add(y->t, "%s ", say_name(y, y->ev->a));
	say_lid(y, y->ev->b);
	if (y->ev->port == NO_PATH)
		text_add(y->t, " -> no port: %s", rule);
	else
		text_add(y->t, " -> port %u: %s", y->ev->port, rule);
}

void say_table_done(const struct saying *y)
{
	text_add(y->t, "%s: table finished", say_name(y, y->ev->a));
}

bool say_change(const struct saying *y, enum rec_table t, struct rec_delta *d)
{
	uint32_t cursor = 0;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, d))
		if (d->table == t)
			return true;
	return false;
}

/* No routing is computed: the tables are those that switches held when they were read, from a live fabric or
 * from files, with the LIDs that ports had then. Failures do not change them, as no subnet manager acts:
 * broken routes show as lost. */

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

	if (top > in->lids->max_lid)
		top = in->lids->max_lid;
	struct lft_row *row = lft_row_new(h->lft[sw] ? top : in->lids->max_lid);
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

/* refusal: the message when nothing was read. */
static struct routing *live_engine_show(const struct engine_input *in, struct engine_output *out,
					const char *name, const char *refusal)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t odd = 0;

	if (!in->held) {
		err_set(&out->refused, "%s, and no engine takes their place", refusal);
		return NULL;
	}
	assert(in->held->n_switches == f->n_switches);
	struct routing *r = routing_new(name, in->topo, in->lids);
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
