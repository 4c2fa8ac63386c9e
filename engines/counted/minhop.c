/* minhop and dor, and the order in which destinations are routed. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/trace/recording.h"
#include "engines/counted/counted.h"
#include "engines/engines.h"
#include "engines/say.h"

#define ORDER_FILE "guid_routing_order_file"
#define SEARCH_FILE "port_search_ordering_file"
#define IGNORE_FILE "port_prof_ignore_file"

static void counted_order_append(struct order *o, uint8_t *listed, uint32_t ep, bool scatter)
{
	if (listed[ep])
		return;
	listed[ep] = 1;
	o->endport[o->n] = ep;
	o->scatter[o->n++] = scatter;
}

static void append_file(const struct engine_input *in, struct engine_output *out, struct order *o,
			uint8_t *listed)
{
	bool scatter = options_uint(in->options, "scatter_ports") &&
		       !options_bool(in->options, "guid_routing_order_no_scatter");
	struct guid_file g;

	if (!read_guid_option(in, out, ORDER_FILE, &g))
		return;
	for (size_t i = 0; i < g.n; i++) {
		uint32_t ep = fabric_endport_by_guid(in->topo->fabric, g.l[i].guid);

		if (ep == NO_ID || !in->topo->endport_up[ep])
			note_ignored(in, out, ORDER_FILE, g.l[i].line,
				     "0x%016" PRIx64 " is no port GUID of the fabric", g.l[i].guid);
		else if (listed[ep])
			note_ignored(in, out, ORDER_FILE, g.l[i].line, "0x%016" PRIx64 " was listed before",
				     g.l[i].guid);
		else
			counted_order_append(o, listed, ep, scatter);
	}
	guid_file_free(&g);
	rec_note(in, "%s put first by " ORDER_FILE, PLURAL(o->n, "destination"));
}

/* The CA or router port at a port of a switch, or NO_ID. */
static uint32_t host_behind(const struct topo *t, uint32_t port)
{
	const struct fabric *f = t->fabric;
	uint32_t q = t->peer[port];

	return q == NO_ID || node_is_switch(f, f->port_node[q]) ? NO_ID : f->port_endport[q];
}

/* Adds the hosts of switches by descending number of links to endports; ties are in GUID order. */
static void counted_order_append_hosts(const struct engine_input *in, struct order *o, uint8_t *listed,
				       bool scatter)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	uint16_t *hosts = NEW_ARRAY(f->n_switches, uint16_t);
	uint32_t start[256] = {0}, *sorted = NEW_ARRAY(f->n_switches, uint32_t), n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		FOR_PORTS(f, s, id)
			hosts[s] += host_behind(t, id) != NO_ID;
		start[hosts[s]]++;
	}
	for (int h = 255; h >= 0; h--) {
		uint32_t count = start[h];

		start[h] = n;
		n += count;
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		sorted[start[hosts[s]]++] = s;
	for (uint32_t i = 0; i < f->n_switches; i++) {
		uint32_t s = sorted[i];

		for (unsigned p = 1; hosts[s] && p <= f->switch_nports[s]; p++) {
			uint32_t ep = host_behind(t, switch_port_id(f, s, p));

			if (ep != NO_ID)
				counted_order_append(o, listed, ep, scatter);
		}
	}
	FREE_EACH(sorted, hosts);
}

void order_build(const struct engine_input *in, struct engine_output *out, bool by_lid, struct order *o)
{
	const struct topo *t = in->topo;
	const struct lids *l = in->lids;
	uint32_t n = t->fabric->n_endports;
	bool scatter = options_uint(in->options, "scatter_ports") != 0;
	AUTO_FREE uint8_t *listed = NEW_ARRAY(n, uint8_t);

	*o = (struct order){.endport = NEW_ARRAY(n, uint32_t), .scatter = NEW_ARRAY(n, uint8_t)};
	rec_phase(in, "order of destinations");
	append_file(in, out, o, listed);
	for (unsigned lid = 1; by_lid && lid <= l->max_lid; lid++)
		if (l->owner[lid] != NO_ID && t->endport_up[l->owner[lid]])
			counted_order_append(o, listed, l->owner[lid], scatter);
	counted_order_append_hosts(in, o, listed, scatter);
	for (uint32_t ep = 0; ep < n; ep++)
		if (t->endport_up[ep])
			counted_order_append(o, listed, ep, scatter);
	assert(o->n <= n);
}

void order_free(struct order *o)
{
	FREE_EACH(o->endport, o->scatter);
	*o = (struct order){0};
}

/* The switch that a line names. NO_ID, with a note, when there is none. */
static uint32_t line_switch(const struct engine_input *in, struct engine_output *out, const char *option,
			    const struct guid_line *l)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t node = fabric_node_by_guid(f, l->guid), sw = node == NO_ID ? NO_ID : f->node_switch[node];

	if (sw != NO_ID && switch_up(in->topo, sw))
		return sw;
	note_ignored(in, out, option, l->line, "0x%016" PRIx64 " is no switch of the fabric", l->guid);
	return NO_ID;
}

/* Reads the ports of a line into order[1 ..]. Returns NULL, or what is wrong. */
static const char *search_line(const char *s, unsigned nports, uint8_t *order)
{
	uint8_t seen[256] = {0};
	unsigned n = 1;

	for (;;) {
		char *end;

		while (isspace((unsigned char)*s))
			s++;
		if (!*s || *s == '#')
			break;
		uint8_t port = strtoul(s, &end, 0) & 0xff;
		if (end == s)
			return "found something that is no port number";
		if (!port || port > nports)
			return "found a port that the switch does not have";
		if (seen[port])
			return "found a port twice";
		seen[port] = 1;
		order[n++] = port;
		s = end;
	}
	if (n == 1)
		return "no port given";
	order[0] = 0;
	for (unsigned p = 1; p <= nports; p++)
		if (!seen[p])
			order[n++] = p;
	return NULL;
}

void search_order_read(const struct engine_input *in, struct engine_output *out, struct search_order *s)
{
	const struct fabric *f = in->topo->fabric;
	struct guid_file g;

	*s = (struct search_order){0};
	if (!read_guid_option(in, out, SEARCH_FILE, &g))
		return;
	s->order = NEW_ARRAY(f->n_ports, uint8_t);
	s->has = NEW_ARRAY(f->n_switches, uint8_t);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t sw = line_switch(in, out, SEARCH_FILE, &g.l[i]);

		if (sw == NO_ID)
			continue;
		const char *bad = s->has[sw] ? "the switch has an order by an earlier line"
					     : search_line(g.l[i].rest, f->switch_nports[sw],
							   s->order + f->switch_port[sw]);
		if (bad)
			note_ignored(in, out, SEARCH_FILE, g.l[i].line, "%s", bad);
		else
			s->has[sw] = 1;
	}
	guid_file_free(&g);
}

void search_order_free(struct search_order *s)
{
	FREE_EACH(s->order, s->has);
	*s = (struct search_order){0};
}

uint8_t *ignored_ports_read(const struct engine_input *in, struct engine_output *out)
{
	const struct fabric *f = in->topo->fabric;
	struct guid_file g;

	if (!read_guid_option(in, out, IGNORE_FILE, &g))
		return NULL;
	uint8_t *ignored = NEW_ARRAY(f->n_ports, uint8_t);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t sw = line_switch(in, out, IGNORE_FILE, &g.l[i]);
		char *end;
		unsigned long port =
			strtoul(g.l[i].rest, &end, 0); /* no number is port 0, which counts nothing */

		if (sw == NO_ID)
			continue;
		if (end == g.l[i].rest)
			note_ignored(in, out, IGNORE_FILE, g.l[i].line,
				     "found no port number, expected 0 to %u", f->switch_nports[sw]);
		if (port > f->switch_nports[sw])
			note_ignored(in, out, IGNORE_FILE, g.l[i].line, "port %lu, expected 0 to %u", port,
				     f->switch_nports[sw]);
		else
			ignored[switch_port_id(f, sw, port)] = 1;
	}
	guid_file_free(&g);
	return ignored;
}

/* Min Hop: OpenSM's default engine. It finds least hop counts by the distance-vector method (R. Bellman,
 * Quarterly of Applied Mathematics 16, 1958; L. R. Ford, Network Flow Theory, RAND 1956), and ports by a
 * greedy balance at each switch. */

struct routing *min_hop_route(const char *engine, bool dor, const struct engine_input *in,
			      struct engine_output *out)
{
	struct hops *h = hops_build(in, out);
	bool shared = h && !h->by_port && hops_share_lids(NULL, in->topo, in->lids);

	if (shared) {
		struct hops *was = RECORDED(in) ? hops_copy(h) : NULL;

		hops_share_lids(h, in->topo, in->lids);
		if (was)
			hops_record_changes(in, was, h);
		hops_unref(was);
	}
	if (!h) {
		err_set(&out->refused, CANCELLED);
		return NULL;
	}
	struct routing *r = assign_routing(engine, in, out, h, dor, (struct hops_marks){0});
	if (r && shared)
		r->exact = NULL;
	return r;
}

static struct routing *min_hop_update(const char *engine, bool dor, const struct engine_input *in,
				      struct engine_output *out)
{
	const struct routing *old = in->previous;

	if (!old || ASKED(in) || (in->left && in->left->hops) ||
	    options_file(in->options, "hop_weights_file") || old->ops != &hops_routing_ops ||
	    strcmp(old->engine, engine) || old->topo->fabric != in->topo->fabric ||
	    hops_share_lids(NULL, old->topo, old->lids) || hops_share_lids(NULL, in->topo, in->lids))
		return min_hop_route(engine, dor, in, out);
	AUTO_FREE uint8_t *touched = NEW_ARRAY(in->topo->fabric->n_switches, uint8_t);
	AUTO_FREE uint8_t *farther = NEW_ARRAY(in->topo->fabric->n_switches, uint8_t);
	struct hops_marks marks = {touched, farther};
	struct hops *h = hops_update(old->priv, old->topo, in->topo, marks);
	if (!h)
		return min_hop_route(engine, dor, in, out);
	if (!assign_keeps(in, old))
		marks.touched = NULL;
	return assign_routing(engine, in, out, h, dor, marks);
}

static struct routing *minhop_route(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_route("minhop", false, in, out);
}

static struct routing *minhop_update(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_update("minhop", false, in, out);
}

const struct engine engine_minhop = {
	.name = "minhop",
	.brief = "fewest hops, routes balanced over equal ports at each switch",
	.reference = "as OpenSM 3.3.23",
	.route = minhop_route,
	.update = minhop_update,
	.room = hops_build_room,
	.scheme = &hops_scheme,
};

/* Dimension Order Routing: Min Hop that takes the first neighbour in port order. Port numbers give the order
 * of dimensions, or port_search_ordering_file does (engines/doc/dor.md, as in OpenSM 3.3.23). H. Sullivan, T.
 * R. Bashkow, A Large Scale, Homogeneous, Fully Distributed Parallel Machine, ISCA 1977. */

static struct routing *dor_route(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_route("dor", true, in, out);
}

static struct routing *dor_update(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_update("dor", true, in, out);
}

const struct engine engine_dor = {
	.name = "dor",
	.brief = "fewest hops, first neighbour in port order: dimension order on meshes cabled alike",
	.reference = "Sullivan, Bashkow, ISCA 1977; as OpenSM 3.3.23",
	.route = dor_route,
	.update = dor_update,
	.room = hops_build_room,
	.scheme = &dor_scheme,
};
