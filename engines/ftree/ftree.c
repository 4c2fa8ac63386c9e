/*
 * Fat-tree routing for shift patterns (E. Zahavi, G. Johnson, D. J. Kerbyson,
 * M. Lang, Concurrency and Computation 22(2), 2010, doi 10.1002/cpe.1527), with
 * all that OpenSM 3.3.23 does otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "engines/engines.h"
#include "engines/ftree/internal.h"

static const struct optdef ftree_options[] = {
	{.name = "root_guid_file",
	 .flag = "-a FILE",
	 .type = OPT_FILE,
	 .names = OPT_SWITCHES,
	 .def = "",
	 .help = "node GUIDs of root switches, one a line"},
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
	{.name = "max_reverse_hops",
	 .flag = "-H N",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = UINT16_MAX,
	 .help = "steps down that a route up to an I/O node may contain"},
	{.name = "quasi_ftree_indexing",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "index the tree from its roots, for several trees side by side"},
	{0},
};

/* --- building the tree ------------------------------------------------------------------ */

const char *ft_name(const struct ftree *t, uint32_t sw)
{
	return switch_name(t->topo->fabric, sw);
}

bool ft_refuse(struct ftree *t, const char *label, const char *rule, const char *fmt, ...)
{
	va_list ap;

	t->refusal = (struct ft_refusal){
		.rule = rule, .label = label, .sw = NO_ID, .ref = NO_ID, .endport = NO_ID};
	va_start(ap, fmt);
	vsnprintf(t->refusal.why.msg, sizeof(t->refusal.why.msg), fmt, ap);
	va_end(ap);
	return false;
}

static bool refuse_few(struct ftree *t, const char *what, uint32_t n)
{
	ft_refuse(t, "", "two switches, two CAs",
		  "the fabric has %u %s, a tree has two at least; minhop routes it", n, what);
	t->refusal.found = n;
	t->refusal.expected = 2;
	return false;
}

/* Switches with ports, nodes of the other kinds, CA nodes. */
static void collect_nodes(struct ftree *t, uint32_t *switches, uint32_t *others)
{
	const struct topo *tp = t->topo;
	const struct fabric *f = tp->fabric;

	for (uint32_t n = 0; n < f->n_nodes; n++) {
		if (!tp->node_up[n])
			continue;
		*switches += node_is_switch(f, n);
		*others += !node_is_switch(f, n);
		t->n_cas += f->node_type[n] == NODE_CA;
	}
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t ep = f->port_endport[f->switch_port[s]];

		t->sw[s] = (struct ft_switch){.rank = FT_UNRANKED, .tuple = FT_NO_TUPLE, .key = FT_KEY_NONE};
		t->sw[s].in = switch_up(tp, s) && f->switch_nports[s];
		t->n_in += t->sw[s].in;
		t->sw[s].lid = t->sw[s].in ? t->lids->base[ep] : 0;
		if (t->sw[s].lid > t->max_lid)
			t->max_lid = t->sw[s].lid;
	}
}

/* CA ports on switches, by node and port.  Ports that got no LID are nobody's destination. */
static void collect_cas(struct ftree *t)
{
	const struct topo *tp = t->topo;
	const struct fabric *f = tp->fabric;

	t->ca = NEW_ARRAY(f->n_endports + 1, struct ft_ca);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		for (unsigned p = 1; f->node_type[n] == NODE_CA && tp->node_up[n] && p <= f->node_nports[n];
		     p++) {
			uint32_t ep = f->port_endport[f->node_port[n] + p];

			if (ep == NO_ID || !tp->endport_up[ep] || tp->endport_switch[ep] == NO_ID ||
			    !t->lids->base[ep])
				continue;
			t->ca[t->n_ca++] = (struct ft_ca){.endport = ep,
							  .sw = tp->endport_switch[ep],
							  .port = tp->endport_swport[ep],
							  .lid = t->lids->base[ep]};
		}
	}
}

static bool check_sizes(struct ftree *t, const struct engine_input *in)
{
	uint32_t switches = 0, others = 0;

	if (options_uint(in->options, "lmc"))
		return ft_refuse(t, "", "LMC 0",
				 "lmc is %u, and fat-tree routing knows one LID a port only; `set lmc 0`",
				 (unsigned)options_uint(in->options, "lmc"));
	collect_nodes(t, &switches, &others);
	if (switches < 2)
		return refuse_few(t, switches == 1 ? "switch" : "switches", switches);
	if (others < 2)
		return refuse_few(t, others == 1 ? "node beside switches" : "nodes beside switches", others);
	collect_cas(t);
	return true;
}

/* The order of the steps decides which refusal is told. */
static void build(struct ftree *t, const struct engine_input *in, struct engine_output *out)
{
	if (!check_sizes(t, in) || !ft_classify(t, in, out))
		return;
	if (t->n_cas < 2) {
		refuse_few(t, t->n_cas == 1 ? "CA" : "CAs", t->n_cas);
		return;
	}
	if (!ft_rank(t, in, out) || !ft_group_ports(t) || !ft_find_leaves(t))
		return;
	ft_index(t);
	if (!ft_list_leaves(t) || (!t->root_file && !ft_check_purity(t, out)))
		return;
	if (t->unindexed)
		text_add(&out->notes,
			 "ftree: %s without index: not connected with the first leaf over "
			 "links up and down, below the leaves, or more than 255 of a kind\n",
			 PLURAL(t->unindexed, "switch"));
	if (t->skipped)
		text_add(&out->notes, "ftree: OpenSM's result is undefined on this fabric: it indexes "
				      "neighbours of switches that got no index themselves\n");
}

struct ftree *ftree_build(const struct engine_input *in, struct engine_output *out)
{
	struct ftree *t = NEW(struct ftree);
	const struct options *o = in->options;

	t->topo = topo_ref(in->topo);
	t->lids = lids_ref(in->lids);
	t->root_file = options_file(o, "root_guid_file") != NULL;
	t->cn_file = options_file(o, "cn_guid_file") != NULL;
	t->quasi = options_bool(o, "quasi_ftree_indexing");
	t->connect_roots = options_bool(o, "connect_roots");
	t->manual = manual_rules(in->options);
	t->max_reverse = options_uint(o, "max_reverse_hops");
	t->sw = NEW_ARRAY(in->topo->fabric->n_switches, struct ft_switch);
	build(t, in, out);
	return t;
}

void ftree_free(struct ftree *t)
{
	if (!t)
		return;
	topo_unref(t->topo);
	lids_unref(t->lids);
	hops_unref(t->hops);
	free(t->sw);
	free(t->group);
	free(t->slot);
	free(t->link);
	free(t->ca);
	free(t->leaf);
	free(t->cost);
	free(t->reverse);
	free(t);
}

/* --- looking at it ----------------------------------------------------------------------- */

const char *ftree_tuple(const struct ftree *t, uint32_t sw, char *buf, size_t size)
{
	uint64_t tuple = t->sw[sw].tuple;
	size_t n = 0;

	if (tuple == FT_NO_TUPLE) {
		snprintf(buf, size, "-");
		return buf;
	}
	for (unsigned i = 0; i <= t->leaf_rank && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%u", i ? "." : "",
			      (unsigned)(tuple >> (8 * (7 - i)) & 0xFF));
	return buf;
}

uint32_t *ftree_order(const struct ftree *t, uint32_t *n)
{
	uint32_t *order = NEW_ARRAY((size_t)t->n_leaves * t->max_cn + t->n_ca + 1, uint32_t);

	*n = 0;
	for (uint32_t i = 0; i < t->n_leaves; i++) {
		uint32_t s = t->leaf[i], cn = 0;

		for (uint32_t j = 0; j < t->sw[s].n[FT_DOWN]; j++) {
			const struct ft_group *g = ftree_group(t, s, FT_DOWN, j);

			if (g->peer != NO_ID || !t->ca[g->ca].is_cn)
				continue;
			order[(*n)++] = t->ca[g->ca].endport;
			cn++;
		}
		for (; cn < t->max_cn; cn++)
			order[(*n)++] = NO_ID;
	}
	return order;
}

void ftree_order_text(const struct ftree *t, struct text *out)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t n, *order = ftree_order(t, &n);

	for (uint32_t i = 0; i < n; i++)
		if (order[i] == NO_ID)
			text_add(out, "0xFFFF\tDUMMY\n");
		else
			text_add(out, "0x%04x\t%s\n", t->lids->base[order[i]],
				 f->node_desc[endport_node(f, order[i])]);
	free(order);
}

unsigned ftree_hops(const struct ftree *t, uint32_t s, uint32_t d, unsigned port)
{
	uint32_t id = switch_port_id(t->topo->fabric, s, port);
	size_t lo = 0, hi = t->n_costs;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct ft_cost *c = &t->cost[mid];

		if (c->d == d && c->port == id)
			return c->value;
		if (c->d < d || (c->d == d && c->port < id))
			lo = mid + 1;
		else
			hi = mid;
	}
	return hops_value(t->hops, t->topo, s, d, port);
}

static unsigned op_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	return ftree_hops(r->priv, s, d, port);
}

static uint32_t op_rank(const struct routing *r, uint32_t sw)
{
	const struct ftree *t = r->priv;

	return t->sw[sw].in ? t->sw[sw].rank : NO_RANK;
}

static bool op_is_root(const struct routing *r, uint32_t sw)
{
	return op_rank(r, sw) == 0;
}

static char op_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	uint32_t x = r->topo->peer_switch[switch_port_id(r->topo->fabric, sw, port)], a, b;

	if (!port || x == NO_ID)
		return ' ';
	a = op_rank(r, sw);
	b = op_rank(r, x);
	if (a == NO_RANK || b == NO_RANK)
		return ' ';
	return a > b ? 'U' : a < b ? 'D' : '=';
}

static uint32_t *op_order(const struct routing *r, uint32_t *n)
{
	return ftree_order(r->priv, n);
}

static int op_write_extra(const struct routing *r, const char *what, FILE *f)
{
	struct text text = {0};

	if (strcmp(what, "ca-order"))
		return -1;
	ftree_order_text(r->priv, &text);
	fputs(text_str(&text), f);
	text_free(&text);
	return ferror(f) ? -1 : 0;
}

/* Entries that exist thanks to reverse hops. */
static uint32_t op_entry_notes(const struct routing *r, uint32_t sw, const struct entry_note **note)
{
	static const struct entry_note reverse = {"reverse", "by reverse hops"};
	const struct ftree *t = r->priv;
	uint32_t n = 0;

	for (size_t i = 0; i < t->n_reverse; i++) {
		if (t->reverse[i].sw != sw)
			continue;
		n += !note[t->reverse[i].lid];
		note[t->reverse[i].lid] = &reverse;
	}
	return n;
}

static void op_free(void *priv)
{
	ftree_free(priv);
}

const struct routing_ops ftree_ops = {
	.hops = op_hops,
	.rank = op_rank,
	.is_root = op_is_root,
	.decide_rank = ft_decide_rank,
	.rank_clues = ft_rank_clues,
	.turn_option = "max_reverse_hops",
	.direction = op_direction,
	.entry_notes = op_entry_notes,
	.order = op_order,
	.extras = "ca-order",
	.write_extra = op_write_extra,
	.free_priv = op_free,
};

const struct ftree *ftree_of(const struct routing *r)
{
	return r && r->ops == &ftree_ops ? r->priv : NULL;
}

/* --- the engine ------------------------------------------------------------------------------ */

static struct routing *ftree_route(const struct engine_input *in, struct engine_output *out)
{
	struct ftree *t = ftree_build(in, out);
	struct routing *r;

	if (RECORDED(in))
		ft_record_tree(t, in);
	if (t->refusal.rule) {
		out->refused = t->refusal.why;
		ftree_free(t);
		return NULL;
	}
	t->hops = hops_build(in, out);
	r = routing_new("ftree", in->topo, in->lids);
	r->ops = &ftree_ops;
	r->priv = t;
	if (!t->hops || !ft_route(t, in, out, r)) {
		if (!t->hops)
			err_set(&out->refused, CANCELLED);
		routing_unref(r);
		return NULL;
	}
	return r;
}

const struct engine engine_ftree = {
	.name = "ftree",
	.brief = "fat trees: routes that keep shift patterns free of congestion",
	.reference = "Zahavi et al. 2010, as OpenSM 3.3.23",
	.options = ftree_options,
	.route = ftree_route,
	.room = hops_build_room,
	.scheme = &ftree_scheme,
};
