#include "engines/dfsssp/dfsssp.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "engines/dfsssp/build.h"
#include "engines/dfsssp/events.h"
#include "engines/dfsssp/run.h"
#include "engines/engines.h"

static void dfsssp_free(void *priv)
{
	struct dfsssp *d = priv;

	if (!d)
		return;
	ds_graph_unref(d->graph);
	ds_order_free(&d->order);
	ds_layers_unref(d->layers);
	free(d->weight);
	free(d);
}

/* --- accessors of the routing ----------------------------------------------------------------- */

/* engines/doc/dfsssp.md 7: of its lanes OpenSM draws one at random for each query. */
static struct sl_range dfsssp_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct dfsssp *d = r->priv;
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), t = lid_owner(r->lids, dlid);
	uint32_t sw;

	if (s == NO_ID || t == NO_ID || f->node_type[endport_node(f, s)] == NODE_ROUTER ||
	    f->node_type[endport_node(f, t)] == NODE_ROUTER)
		return (struct sl_range){0, 0};
	if (d->unlayered)
		return (struct sl_range){1, 0};
	sw = r->topo->endport_switch[s];
	if (sw == NO_ID || endport_is_switch(f, s))
		return dfsssp_lanes(d, 0);
	return dfsssp_lanes(d, dfsssp_layer_of(d, sw, dlid));
}

static unsigned dfsssp_n_layers(const struct routing *r)
{
	return dfsssp_layers(r->priv);
}

/* OpenSM's LID matrix has the hops of the route at the port used, and nothing elsewhere. */
static unsigned matrix_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	const struct fabric *f = r->topo->fabric;
	unsigned lid = r->lids->base[f->port_endport[f->switch_port[d]]];
	unsigned out = routing_port(r, s, lid), hops;

	if (out == NO_PATH || (port && port != out))
		return NO_PATH;
	hops = dfsssp_hops(r, s, lid);
	return hops < NO_PATH ? hops : NO_PATH;
}

const struct routing_ops sssp_ops = {
	.hops = matrix_hops,
	.free_priv = dfsssp_free,
};

const struct routing_ops dfsssp_ops = {
	.sl = dfsssp_sl,
	.sl_by_source = true,
	.hops = matrix_hops,
	.n_layers = dfsssp_n_layers,
	.layer = dfsssp_layer,
	.next_route = dfsssp_next_route,
	.pair_layer = dfsssp_pair_layer,
	.witness = dfsssp_witness,
	.explain_pair = dfsssp_explain_pair,
	.decide_pair = dfsssp_decide_pair,
	.explain_layers = dfsssp_explain_layers,
	.free_priv = dfsssp_free,
};

const struct dfsssp *dfsssp_of(const struct routing *r)
{
	return r && (r->ops == &sssp_ops || r->ops == &dfsssp_ops) ? r->priv : NULL;
}

/* --- the run ----------------------------------------------------------------------------------------- */

static void start_run(struct ds_run *x, const struct engine_input *in, const char *name, bool layered)
{
	uint32_t n;

	*x = (struct ds_run){.in = in, .d = NEW(struct dfsssp)};
	x->d->graph = ds_graph_new(in);
	n = x->d->graph->n;
	x->s = ds_search_new(x->d->graph, OBSERVED(in) || RECORDED(in));
	x->stride = ((n + 63u) / 64 | 1) * 64;
	x->block = NEW_ARRAY(DS_BLOCK * x->stride, uint8_t);
	x->r = routing_new(name, in->topo, in->lids);
	x->r->ops = layered ? &dfsssp_ops : &sssp_ops;
	x->r->priv = x->d;
	if (!OBSERVED(in) && !RECORDED(in))
		return;
	x->rec = RECORDED(in) ? ds_record_new(x) : NULL;
	x->rank = NEW_ARRAY(n, uint32_t);
	x->hops = NEW_ARRAY(n, uint32_t);
	x->candidate = NEW_ARRAY(MAX_PORTS + 1, struct step_candidate);
	ds_tell_graph(x);
}

static void end_run(struct ds_run *x)
{
	ds_search_free(x->s);
	ds_builder_free(x->b);
	free(x->block);
	ds_record_free(x->rec);
	free(x->rank);
	free(x->hops);
	free(x->candidate);
}

static void keep_weights(struct ds_run *x)
{
	uint32_t n = x->d->graph->n_edges;

	x->d->weight = NEW_ARRAY(n, uint32_t);
	for (uint32_t e = 0; e < n; e++)
		x->d->weight[e] = ds_weight(x->s->link[e]);
}

/* Layers on top of the tables; -1 and *e: refused or cancelled. */
static int find_layers(struct ds_run *x, struct err *e)
{
	if (!x->b)
		return 0;
	x->d->layers = ds_builder_finish(x->b, x->r, e);
	return x->d->layers ? 0 : -1;
}

static struct routing *run(const struct engine_input *in, struct engine_output *out, const char *name,
			   bool layered)
{
	struct ds_run x;
	struct routing *r;

	start_run(&x, in, name, layered);
	r = x.r;
	if (ds_trial(&x, &out->refused) || ds_order_build(in, out, x.d->graph, &x.d->order)) {
		routing_unref(r);
		r = NULL;
	} else {
		x.b = layered ? ds_builder_new(in, x.d->graph, &x.d->order) : NULL;
		if (x.rec)
			ds_record_plan(x.rec, &x.d->order, x.b ? x.b->l : NULL);
		observe_text(in, STEP_PHASE, NO_ID, "shortest paths to each destination");
		if (ds_route_all(&x, &out->refused) || find_layers(&x, &out->refused)) {
			if (!progress_cancelled(in->progress))
				ds_leave(&x);
			routing_unref(r);
			r = NULL;
		} else {
			keep_weights(&x);
		}
	}
	if (!r && OBSERVED(in))
		observe_text(in, STEP_NOTE, NO_ID, "refused: %s", out->refused.msg);
	end_run(&x);
	return r;
}

static struct routing *sssp_route(const struct engine_input *in, struct engine_output *out)
{
	return run(in, out, "sssp", false);
}

static struct routing *dfsssp_route(const struct engine_input *in, struct engine_output *out)
{
	return run(in, out, "dfsssp", true);
}

static const struct optdef dfsssp_options[] = {
	{.name = "cn_guid_file",
	 .flag = "-u FILE",
	 .type = OPT_FILE,
	 .names = OPT_HOST_PORTS,
	 .def = "",
	 .help = "port GUIDs of compute nodes, one a line; default: all CA ports"},
	{.name = "io_guid_file",
	 .flag = "-G FILE",
	 .type = OPT_FILE,
	 .names = OPT_HOST_PORTS,
	 .def = "",
	 .help = "port GUIDs of I/O nodes, one a line"},
	{0},
};

/* What a refusal leaves to other engines. */
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

/* By LID: the way of each switch, and layer and place in it of each switch with hosts. */
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
