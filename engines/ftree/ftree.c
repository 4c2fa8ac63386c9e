/*
 * Fat-tree routing for shift patterns (E. Zahavi, G. Johnson, D. J. Kerbyson, M. Lang, Concurrency and
 * Computation 22(2), 2010, doi 10.1002/cpe.1527), with all differences of OpenSM 3.3.23.
 */
#include <string.h>

#include "core/base/memory.h"
#include "engines/engines.h"
#include "engines/guid_option.h"
#include "engines/ftree/internal.h"

static const struct optdef ftree_options[] = {
	GUID_OPTION("root_guid_file", "-a FILE", OPT_SWITCHES, "node GUIDs of root switches, one a line"),
	CN_GUID_FILE,
	IO_GUID_FILE,
	{.name = "max_reverse_hops",
	 .flag = "-H N",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = UINT16_MAX,
	 .help = "steps down that a route up to an I/O node may contain; from 8 on it may take very long"},
	{.name = "quasi_ftree_indexing",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "index the tree from its roots, for several trees side by side"},
	{0},
};

static bool refuse_few(struct ftree *t, const char *what, uint32_t n)
{
	ft_refuse(t, "", "two switches, two CAs",
		  "the fabric has %u %s, a tree has two at least; minhop routes it", n, what);
	t->refusal.found = n;
	t->refusal.expected = 2;
	return false;
}

/* Lists the CA ports on switches, by node and port. A port without LID is no destination. */
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
	const struct topo *tp = t->topo;
	const struct fabric *f = tp->fabric;
	uint32_t switches = 0, others = 0;

	if (options_uint(in->options, "lmc"))
		return ft_refuse(t, "", "LMC 0",
				 "lmc is %u, and fat-tree routing knows one LID a port only; `set lmc 0`",
				 (unsigned)options_uint(in->options, "lmc"));
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		if (!tp->node_up[n])
			continue;
		switches += node_is_switch(f, n);
		others += !node_is_switch(f, n);
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
	if (switches < 2)
		return refuse_few(t, switches == 1 ? "switch" : "switches", switches);
	if (others < 2)
		return refuse_few(t, others == 1 ? "node beside switches" : "nodes beside switches", others);
	collect_cas(t);
	return true;
}

/* The first step that refuses is told, so the order of steps matters. */
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
		note_add(&out->notes, 0,
			 "ftree gives %s no index: links up and down do not connect it with the first "
			 "leaf, or it is below the leaves, or there are more than 255 of a kind\n",
			 PLURAL(t->unindexed, "switch"));
	if (t->skipped)
		note_add(&out->notes, NOTE_LOTTERY,
			 "ftree: OpenSM's result is undefined on this fabric: it indexes neighbours of "
			 "switches that got no index themselves\n");
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
	t->rec = in->record;
	if (t->rec)
		ft_record_begin(t);
	build(t, in, out);
	t->rec = NULL;
	return t;
}

static struct routing *ftree_route_tree(struct ftree *t, const struct engine_input *in,
					struct engine_output *out)
{
	struct routing *r;

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

#define TRIED_CALLS 20000000 /* limit of steps in such a run: some seconds */
#define TRIED 8		     /* numbers tried above the present one */

/* Would the requested entry have a port with other options? */
static bool has_port(const struct engine_input *in, const char *rules, unsigned turns)
{
	struct options *o = options_copy(in->options);
	struct engine_input other = *in;
	struct engine_output out = {0};
	char number[16];
	struct ftree *t;
	struct routing *r;
	struct err e;
	bool yes;

	snprintf(number, sizeof(number), "%u", turns);
	other.options = o;
	other.ask = NULL;
	other.record = NULL;
	yes = !options_set(o, "rules", rules, &e) && !options_set(o, "max_reverse_hops", number, &e);
	t = ftree_build(&other, &out);
	t->most_calls = TRIED_CALLS;
	r = ftree_route_tree(t, &other, &out);
	yes = yes && r && r->row[in->ask->sw] && r->row[in->ask->sw]->top >= in->ask->lid &&
	      r->row[in->ask->sw]->port[in->ask->lid] != NO_PATH;
	routing_unref(r);
	notes_free(&out.notes);
	options_free(o);
	return yes;
}

/* The least number of reverse hops that gives the entry a port, or 0 when none of those tried does. */
static unsigned turns_that_do(const struct engine_input *in, const char *rules, unsigned from, unsigned to)
{
	for (unsigned n = from; n <= to; n++)
		if (has_port(in, rules, n))
			return n;
	return 0;
}

static struct routing *ftree_route(const struct engine_input *in, struct engine_output *out)
{
	struct ftree *t = ftree_build(in, out);
	const char *rules = t->manual ? "manual" : "opensm";
	unsigned now = t->max_reverse;

	if (RECORDED(in))
		ft_record_tree(t, in->record);
	if (ASKED(in) && in->ask->sw != NO_ID && ft_is_io(t, in->ask->lid) && !has_port(in, rules, now)) {
		t->turns_do = turns_that_do(in, rules, now + 1, now + TRIED);
		if (!t->manual)
			t->turns_do_manual = turns_that_do(in, "manual", 1, now + TRIED);
	}
	return ftree_route_tree(t, in, out);
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
