#include "engines/dfsssp/run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "engines/dfsssp/events.h"
#include "engines/counted/order.h"

/* --- the trial ---------------------------------------------------------------------------- */

int ds_trial(struct ds_run *x, struct err *e)
{
	const struct topo *t = x->in->topo;
	struct ds_source from = ds_source_of(x->d->graph, t, t->sm_endport);
	uint32_t lost, v = 0;

	ds_search_run(x->s, from);
	lost = x->d->graph->n - x->s->tree->n_order;
	if (OBSERVED(x->in))
		observe_text(x->in, STEP_NOTE, NO_ID,
			     "trial from the subnet manager's port: %u of %u switches reached",
			     x->s->tree->n_order, x->d->graph->n);
	if (x->rec)
		ds_record_trial(x->rec, x, from);
	if (!lost)
		return 0;
	while (v == from.v || x->s->tree->out[v] != NO_ID)
		v++;
	return err_set_kind(
		e, x->d->graph->throttled ? REFUSED_PLAIN : REFUSED_LIMIT,
		"%u of %u switches are not reached from the subnet manager, %s for one: %s (AD0C)", lost,
		x->d->graph->n, switch_name(t->fabric, x->d->graph->sw[v]),
		x->d->graph->throttled ? "avoid_throttled_links leaves no way there"
				       : "distances count LIDs squared a link and end at 2^31");
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Pointers are taken out of loops that store bytes: these might change them for all that the compiler knows.
 */
static void flush(struct ds_run *x)
{
	const struct ds_graph *g = x->d->graph;
	const uint16_t *lid = x->block_lid;
	size_t stride = x->stride;
	unsigned n = x->n_block;

	for (uint32_t v = 0; v < g->n; v++) {
		const uint8_t *entry = x->block + v;
		uint8_t *port = x->r->row[g->sw[v]]->port;

		for (unsigned k = 0; k < n; k++)
			port[lid[k]] = entry[k * stride];
	}
	x->n_block = 0;
}

/* The entries for a LID, one a vertex. */
static uint8_t *fill_column(struct ds_run *x, unsigned lid, struct ds_source from, unsigned swport)
{
	const uint32_t *out = x->s->tree->out, n = x->d->graph->n;
	const uint8_t *port = x->d->graph->port;
	uint8_t *column;

	if (x->n_block == DS_BLOCK)
		flush(x);
	column = x->block + x->n_block * x->stride;
	x->block_lid[x->n_block++] = (uint16_t)lid;
	for (uint32_t v = 0; v < n; v++)
		column[v] = out[v] == NO_ID ? NO_PATH : port[out[v]];
	column[from.v] = swport;
	return column;
}

static void route_lid(struct ds_run *x, unsigned lid, struct ds_source from, unsigned swport)
{
	const uint8_t *column;

	ds_search_run(x->s, from);
	column = fill_column(x, lid, from, swport);
	if (OBSERVED(x->in))
		ds_tell_tree(x, lid, from, column);
	if (x->rec) {
		ds_rank_tree(x);
		ds_record_tree(x->rec, x, lid, from, column);
	}
	if (x->b)
		ds_builder_add_tree(x->b, x->s, lid);
	ds_search_load(x->s);
	if (x->rec)
		ds_record_weights(x->rec, x, lid);
}

static void new_rows(struct ds_run *x)
{
	for (uint32_t v = 0; v < x->d->graph->n; v++)
		x->r->row[x->d->graph->sw[v]] = lft_row_new(x->in->lids->max_lid);
}

int ds_route_all(struct ds_run *x, struct err *e)
{
	const struct lids *lids = x->in->lids;
	const struct ds_order *o = &x->d->order;
	struct err missing = {0};
	bool failed = false;

	new_rows(x);
	progress_start(x->in->progress, "shortest paths", o->n);
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i];
		struct ds_source from = ds_source_of(x->d->graph, x->in->topo, ep);

		if (!ds_is_routed(x->in, ep))
			continue;
		if (!progress_step(x->in->progress, i))
			return err_set(e, CANCELLED);
		for (unsigned k = 0; k < lids->count[ep]; k++)
			route_lid(x, lids->base[ep] + k, from, x->in->topo->endport_swport[ep]);
		if (x->b && ds_builder_add_destination(x->b, &missing))
			failed = true;
	}
	flush(x);
	if (OBSERVED(x->in) || x->rec)
		ds_tell_weights(x);
	if (failed)
		*e = missing;
	return failed ? -1 : 0;
}

/* --- what a refusal leaves ----------------------------------------------------------------------- */

/* Ports of port_prof_ignore_file (caller frees); NULL = none, or none of them bears a mark. */
static uint8_t *ignored_ports(const struct engine_input *in)
{
	struct engine_output quiet = {0};
	uint8_t *ignored;

	if (!in->marked)
		return NULL;
	ignored = ignored_ports_read(in, &quiet);
	notes_free(&quiet.notes);
	return ignored;
}

/* What is not finished when it is cancelled is nobody's. */
static void leave_counts(const struct ds_run *x)
{
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	bool switches = options_bool(in->options, "port_profile_switch_nodes");
	uint8_t *ignored = ignored_ports(in);

	if (!in->left->count)
		in->left->count = NEW_ARRAY(f->n_ports, uint32_t);
	for (uint32_t v = 0; v < x->d->graph->n && !progress_cancelled(in->progress); v++) {
		uint32_t sw = x->d->graph->sw[v];
		const uint8_t *port = x->r->row[sw]->port;
		bool marked = ignored && in->marked[sw];

		for (unsigned lid = 1; lid <= in->lids->max_lid; lid++) {
			uint32_t ep = port[lid] == NO_PATH ? NO_ID : lid_owner(in->lids, lid), id;

			if (ep == NO_ID || (!switches && endport_is_switch(f, ep)))
				continue;
			id = switch_port_id(f, sw, port[lid]);
			in->left->count[id] += !marked || !ignored[id];
		}
	}
	free(ignored);
}

static void leave_hops(const struct ds_run *x)
{
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	size_t n = f->n_switches;

	if (!in->left->hops) {
		in->left->hops = mem_alloc(n * f->n_ports);
		memset(in->left->hops, NO_PATH, n * f->n_ports);
	}
	for (uint32_t d = 0; d < n && !progress_cancelled(in->progress); d++) {
		unsigned lid =
			switch_up(in->topo, d) ? in->lids->base[f->port_endport[f->switch_port[d]]] : 0;

		for (uint32_t v = 0; lid && v < x->d->graph->n; v++) {
			uint32_t sw = x->d->graph->sw[v];
			unsigned port = routing_port(x->r, sw, lid), hops;
			uint8_t *least = in->left->hops + f->switch_port[sw] * n + d;

			if (sw == d || port == NO_PATH)
				continue;
			hops = dfsssp_hops(x->r, sw, lid);
			in->left->hops[switch_port_id(f, sw, port) * n + d] = hops;
			if (hops < *least)
				*least = hops;
		}
	}
}

/* An option of another engine, which may not be there at all. */
static bool file_is_given(const struct engine_input *in, const char *name)
{
	return options_find(in->options, name) && options_file(in->options, name);
}

void ds_leave(const struct ds_run *x)
{
	if (!x->in->left)
		return;
	leave_counts(x);
	/* they are never below the truth, so without weights they do not matter */
	if (x->in->left->hops || file_is_given(x->in, "hop_weights_file") ||
	    file_is_given(x->in, "lid_matrix_dump_file"))
		leave_hops(x);
}
