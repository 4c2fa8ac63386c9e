/* SSSP and DFSSSP: the run over all destinations (engines/doc/dfsssp.md 3.5, 5). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/counted/order.h"
#include "engines/dfsssp/internal.h"
#include "engines/engines.h"
#include "engines/guid_option.h"

/* --- the trial ---------------------------------------------------------------------------- */

static int trial(struct ds_run *x, struct err *e)
{
	const struct topo *t = x->in->topo;
	struct ds_source from = ds_source_of(x->d->graph, t, t->sm_endport);
	uint32_t lost, v = 0;

	ds_search_run(x->s, from);
	lost = x->d->graph->n - x->s->tree->n_order;
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

static void route_lid(struct ds_run *x, unsigned lid, struct ds_source from, unsigned swport)
{
	const uint32_t *out, n = x->d->graph->n;
	const uint8_t *port = x->d->graph->port;
	uint8_t *column; /* the LID's entries, one per vertex */

	ds_search_run(x->s, from);
	out = x->s->tree->out;
	column = columns_next(&x->done, lid);
	for (uint32_t v = 0; v < n; v++)
		column[v] = out[v] == NO_ID ? NO_PATH : port[out[v]];
	column[from.v] = swport;
	if (x->rank)
		ds_choices(x, lid, from, column);
	if (x->b)
		ds_builder_add_tree(x->b, x->s, lid);
	ds_search_load(x->s);
	if (x->rec)
		ds_record_weights(x->rec, x, lid);
}

static void note_weights(const struct ds_run *x)
{
	const struct ds_graph *g = x->d->graph;
	uint64_t least = UINT64_MAX, most = 0, sum = 0;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint64_t routes = x->s->weight[e] - g->start;

		least = MIN(routes, least);
		most = MAX(routes, most);
		sum += routes;
	}
	if (g->n_edges)
		rec_note(x->in, "routes per channel: least %" PRIu64 ", mean %.1f, most %" PRIu64, least,
			 (double)sum / g->n_edges, most);
}

static int dfsssp_route_all(struct ds_run *x, struct err *e)
{
	const struct lids *lids = x->in->lids;
	const struct ds_order *o = &x->d->order;
	struct err missing = {0};
	bool failed = false;

	for (uint32_t v = 0; v < x->d->graph->n; v++) {
		x->r->row[x->d->graph->sw[v]] = lft_row_new(lids->max_lid);
		x->done.row[v] = x->r->row[x->d->graph->sw[v]]->port;
	}
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
	columns_write(&x->done);
	if (x->rec)
		note_weights(x);
	if (failed)
		*e = missing;
	return failed ? -1 : 0;
}

/* --- what a refusal leaves ----------------------------------------------------------------------- */

/* Leaves the counts to the next engines. A cancelled count is dropped. */
static void leave_counts(const struct ds_run *x)
{
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	bool switches = options_bool(in->options, "port_profile_switch_nodes");
	struct engine_output quiet = {0};
	uint8_t *ignored = in->marked ? ignored_ports_read(in, &quiet) : NULL; /* NULL: no port is marked */

	notes_free(&quiet.notes);
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

/* --- the run ----------------------------------------------------------------------------------------- */

/* Is a file set by another engine's option, if that option exists? */
static bool file_is_given(const struct engine_input *in, const char *name)
{
	return options_find(in->options, name) && options_file(in->options, name);
}

static void start_run(struct ds_run *x, const struct engine_input *in, const char *name, bool layered)
{
	const struct ds_graph *g;
	uint32_t n;

	*x = (struct ds_run){.in = in, .d = NEW(struct dfsssp)};
	g = x->d->graph = ds_graph_new(in);
	n = g->n;
	x->s = ds_search_new(g, ASKED(in) || RECORDED(in));
	x->done = columns_new(n);
	x->r = routing_new(name, in->topo, in->lids);
	x->r->ops = layered ? &dfsssp_ops : &sssp_ops;
	x->r->priv = x->d;
	if (!ASKED(in) && !RECORDED(in))
		return;
	x->rec = RECORDED(in) ? ds_record_new(x) : NULL;
	x->rank = NEW_ARRAY(n, uint32_t);
	x->hops = NEW_ARRAY(n, uint32_t);
	x->offer = NEW_ARRAY(MAX_PORTS + 1, struct rec_offer);
	rec_phase(in, "graph");
	rec_note(in,
		 "%" PRIu32 " switches, %" PRIu32 " channels, %" PRIu32
		 " LIDs: every channel starts with weight %" PRIu64,
		 n, g->n_edges, g->lids, g->start);
	if (x->rec)
		ds_record_graph(x->rec);
	if (g->throttled)
		rec_note(in, "%" PRIu32 " throttled cables left out", g->throttled);
}

static struct routing *dfsssp_run(const struct engine_input *in, struct engine_output *out, const char *name,
				  bool layered)
{
	struct ds_run x;
	struct routing *r;
	bool failed;

	start_run(&x, in, name, layered);
	r = x.r;
	if (trial(&x, &out->refused) || ds_order_build(in, out, x.d->graph, &x.d->order)) {
		routing_unref(r);
		r = NULL;
	} else {
		x.b = layered ? ds_builder_new(in, x.d->graph, &x.d->order) : NULL;
		if (x.rec)
			ds_record_plan(x.rec, &x.d->order, x.b ? x.b->l : NULL);
		rec_phase(in, "shortest paths to each destination");
		failed = dfsssp_route_all(&x, &out->refused);
		if (!failed && layered) {
			x.d->layers = ds_builder_finish(x.b, r, &out->refused);
			failed = !x.d->layers;
		}
		if (failed && in->left && !progress_cancelled(in->progress)) {
			leave_counts(&x);
			/* OpenSM's values are never too low, so they matter only with weights */
			if (in->left->hops || file_is_given(in, "hop_weights_file") ||
			    file_is_given(in, "lid_matrix_dump_file"))
				leave_hops(&x);
		}
		if (failed) {
			routing_unref(r);
			r = NULL;
		} else {
			x.d->weight = mem_dup(x.s->weight, x.d->graph->n_edges * sizeof(*x.s->weight));
		}
	}
	ds_search_free(x.s);
	ds_builder_free(x.b);
	ds_record_free(x.rec);
	columns_free(&x.done);
	FREE_EACH(x.rank, x.hops, x.offer);
	return r;
}

static struct routing *sssp_route(const struct engine_input *in, struct engine_output *out)
{
	return dfsssp_run(in, out, "sssp", false);
}

static struct routing *dfsssp_route(const struct engine_input *in, struct engine_output *out)
{
	return dfsssp_run(in, out, "dfsssp", true);
}

static const struct optdef dfsssp_options[] = {CN_GUID_FILE, IO_GUID_FILE, {0}};

/* Room for what a refusal leaves to other engines. */
static size_t left_size(const struct engine_input *in)
{
	bool leaves = in->left && (in->left->hops || options_file(in->options, "hop_weights_file"));

	return leaves ? (size_t)in->topo->fabric->n_switches * in->topo->fabric->n_ports : 0;
}

static size_t sssp_room(const struct engine_input *in, const char **what)
{
	size_t size = left_size(in);

	if (size)
		*what = "costs by port";
	return size;
}

/* Room per LID: the channel of each switch, and for each switch with hosts its layer and its place there. */
static size_t dfsssp_room(const struct engine_input *in, const char **what)
{
	const struct topo *t = in->topo;
	uint8_t *hosts = NEW_ARRAY(t->fabric->n_switches + 1u, uint8_t);
	size_t sources = 0;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (t->endport_up[ep] && t->endport_switch[ep] != NO_ID &&
		    !endport_is_switch(t->fabric, ep) && !hosts[t->endport_switch[ep]]) {
			hosts[t->endport_switch[ep]] = 1;
			sources++;
		}
	free(hosts);
	*what = "layers of pairs";
	return (in->lids->max_lid + 1u) * (t->n_switches_up + sources * (1 + sizeof(uint32_t))) +
	       left_size(in);
}

const struct engine engine_sssp = {
	.name = "sssp",
	.brief = "shortest paths that become longer with each route; not free of credit loops",
	.reference = "Hoefler, Schneider, Lumsdaine, HOTI 2009; as OpenSM 3.3.23",
	.options = dfsssp_options,
	.route = sssp_route,
	.room = sssp_room,
	.scheme = &sssp_scheme,
};

const struct engine engine_dfsssp = {
	.name = "dfsssp",
	.brief = "sssp with pairs put in layers free of credit loops",
	.reference = "Domke, Hoefler, Nagel, Deadlock-Free Oblivious Routing, IPDPS 2011; as OpenSM 3.3.23",
	.options = dfsssp_options,
	.route = dfsssp_route,
	.room = dfsssp_room,
	.scheme = &dfsssp_scheme,
};
