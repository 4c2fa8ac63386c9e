/* Commands about switch elements (chassis), and engines side by side. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/check.h"
#include "core/analysis/equal_paths.h"
#include "core/analysis/loads.h"
#include "core/commands/commands.h"
#include "core/elements.h"

/* --- elements ----------------------------------------------------------------------------- */

/* Elements of the fabric as it is now; NULL and *e. */
static struct elements *current_elements(struct session *s, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const struct options *opts = w ? w->options : s->options;
	struct text notes = {0};
	struct elements *el;
	struct topo *t;

	if (!s->fabric) {
		err_set(e, "no fabric is loaded; `load FILE`, `synth SPEC` or `live` get one");
		return NULL;
	}
	t = w ? topo_ref(w->topo) : topo_new(s->fabric, session_state(s));
	el = elements_new(t, options_find(opts, "chassis_file") ? options_file(opts, "chassis_file") : NULL,
			  &notes, e);
	out_text(o, "%s", text_str(&notes));
	text_free(&notes);
	topo_unref(t);
	return el;
}

static const char *const rule_names[] = {
	[ELEMENT_ALONE] = "alone", [ELEMENT_SYSTEM] = "system GUID", [ELEMENT_FILE] = "file"};

static json_t *element_json(const struct elements *el, uint32_t e)
{
	char guid[24];

	snprintf(guid, sizeof(guid), "0x%016" PRIx64, el->guid[e]);
	return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:i}", "number", (int)(e + 1), "name",
			 el->name[e], "guid", guid, "by", rule_names[el->rule[e]], "chips",
			 (int)element_chips(el, e), "external",
			 (int)(el->first_link[e + 1] - el->first_link[e]), "internal",
			 (int)element_inside_links(el, e), "hosts", (int)el->hosts[e]);
}

static void print_elements(const struct elements *el, struct out *o)
{
	json_t *list = json_array();
	uint32_t chassis = 0;
	char a[40], b[40];

	for (uint32_t e = 0; e < el->n; e++)
		chassis += element_chips(el, e) > 1;
	out_text(o, "%s, %u of them of several chips; %s between them.\n",
		 plural(el->n, "element", a, sizeof(a)), chassis,
		 plural(el->n_links / 2, "link", b, sizeof(b)));
	out_text(o, "%6s %6s %9s %9s %6s  %-11s %-18s  %s\n", "number", "chips", "external", "internal",
		 "hosts", "by", "guid", "element");
	for (uint32_t e = 0; e < el->n; e++) {
		out_text(o, "%6u %6u %9u %9u %6u  %-11s 0x%016" PRIx64 "  %s\n", e + 1, element_chips(el, e),
			 el->first_link[e + 1] - el->first_link[e], element_inside_links(el, e), el->hosts[e],
			 rule_names[el->rule[e]], el->guid[e], el->name[e]);
		json_array_append_new(list, element_json(el, e));
	}
	out_json(o, "elements", list);
}

/* LIDs that the tables in force send out of a port; 0 without tables. */
static uint32_t port_usage(const struct routing *r, uint32_t sw, unsigned port)
{
	const struct lft_row *row = r ? r->row[sw] : NULL;
	uint32_t n = 0;

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		n += row->port[lid] == port;
	return n;
}

static json_t *print_chip(const struct elements *el, uint32_t sw, struct out *o)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t outside = 0, node = f->switch_node[sw],
		 inside = el->first_inside[sw + 1] - el->first_inside[sw];
	const char *place = f->node_place[node] ? f->node_place[node] : "";
	char guid[24];

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++)
		outside += el->port_link[switch_port_id(f, sw, p)] != NO_ID;
	snprintf(guid, sizeof(guid), "0x%016" PRIx64, f->node_guid[node]);
	out_text(o, "  %s  %9u %9u  %-20s %s\n", guid, outside, inside, place, switch_name(f, sw));
	return json_pack("{s:s, s:s, s:s, s:i, s:i}", "guid", guid, "name", switch_name(f, sw), "place",
			 place, "external", (int)outside, "internal", (int)inside);
}

static json_t *print_link(const struct elements *el, const struct routing *r, uint32_t l, struct out *o)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t port = el->link_port[l],
		 usage = port_usage(r, f->node_switch[f->port_node[port]], f->port_num[port]);
	char a[300], b[300];

	port_label(f, port, a, sizeof(a));
	port_label(f, el->topo->peer[port], b, sizeof(b));
	out_text(o, "  %6u  %s -> %s", usage, a, b);
	out_text(o, element_chips(el, el->link_to[l]) > 1 ? "  (%s)\n" : "\n", el->name[el->link_to[l]]);
	return json_pack("{s:s, s:s, s:s, s:i}", "from", a, "to", b, "element", el->name[el->link_to[l]],
			 "usage", (int)usage);
}

static void print_element(const struct elements *el, const struct routing *r, uint32_t e, struct out *o)
{
	json_t *chips = json_array(), *links = json_array();
	char a[40], b[40];

	out_text(o, "Element %s: %s (%s), %s\n", el->name[e],
		 plural(element_chips(el, e), "chip", a, sizeof(a)), rule_names[el->rule[e]],
		 plural(el->hosts[e], "host port", b, sizeof(b)));
	out_text(o, "  %-18s  %9s %9s  %-20s %s\n", "guid", "external", "internal", "place", "chip");
	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		json_array_append_new(chips, print_chip(el, el->chip[c], o));
	out_text(o, "Links to other elements, and the LIDs sent out of them:\n");
	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++)
		json_array_append_new(links, print_link(el, r, l, o));
	out_json(o, "element", element_json(el, e));
	out_json(o, "chips", chips);
	out_json(o, "links", links);
}

static int cmd_elements(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct elements *el;
	uint32_t found = 0, node;

	if (argc > 2)
		return usage(s, "elements", e);
	el = current_elements(s, o, e);
	if (!el)
		return -1;
	if (argc == 1) {
		print_elements(el, o);
	} else {
		found = elements_find(el, argv[1], e);
		node = found == NO_ID ? session_node(s, argv[1], NULL) : NO_ID;
		if (node != NO_ID && node_is_switch(s->fabric, node))
			found = el->of[s->fabric->node_switch[node]];
		if (found != NO_ID)
			print_element(el, session_routing(s), found, o);
	}
	elements_unref(el);
	return found == NO_ID ? -1 : 0;
}

/* --- equal-paths ----------------------------------------------------------------------------- */

#define PAIR_LINES 20

static int cmd_equal_paths(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	bool all = argc == 2 && !strcmp(argv[1], "all");
	struct elements *el;
	struct unequal_paths *u;
	json_t *list = json_array();
	char a[40];

	if (argc > 1 + all || !(el = current_elements(s, o, e))) {
		json_decref(list);
		return argc > 1 + all ? usage(s, "equal-paths", e) : -1;
	}
	u = unequal_paths_new(el, &s->progress);
	if (!u) {
		json_decref(list);
		elements_unref(el);
		return err_set(e, CANCELLED);
	}
	out_text(o, "%s between %u edge elements: %zu with ways of unequal length.\n",
		 plural(u->pairs, "pair", a, sizeof(a)), u->n_edges, u->n);
	if (u->n)
		out_text(o, "%8s %8s %8s %8s  %s\n", "shortest", "by links", "longest", "longer", "elements");
	for (size_t i = 0; i < u->n && (all || i < PAIR_LINES); i++) {
		const struct unequal_pair *p = &u->pair[i];

		out_text(o, "%8u %8u %8u %8u  %s -> %s\n", p->least, p->n_least, p->most, p->n_longer,
			 el->name[p->from], el->name[p->to]);
		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:i, s:i}", "from",
						      el->name[p->from], "to", el->name[p->to], "shortest",
						      (int)p->least, "links", (int)p->n_least, "longest",
						      (int)p->most, "longer", (int)p->n_longer));
	}
	if (!all && u->n > PAIR_LINES)
		out_text(o, "  ... %zu more pairs; `equal-paths all` prints them\n", u->n - PAIR_LINES);
	if (!u->n)
		out_text(o, "Equal paths: a tolerance of 0 uses every way there is.\n");
	out_json(o, "equal_paths",
		 json_pack("{s:i, s:I, s:I, s:o}", "edges", (int)u->n_edges, "pairs", (json_int_t)u->pairs,
			   "unequal", (json_int_t)u->n, "list", list));
	unequal_paths_free(u);
	elements_unref(el);
	return 0;
}

/* --- compare ------------------------------------------------------------------------------------ */

/* What is told of one engine. */
struct column {
	const char *engine;
	struct sweep *sweep;
	char *refused; /* NULL: it routed */
	struct check_result check;
	double mean_hops, mean_load, mean_links;
	uint32_t min_load, max_load, max_usage, sls, loops, least_links;
	uint64_t differ; /* LFT entries unlike the first's */
};

static double mean_hops(const struct check_result *c)
{
	uint64_t n = 0, sum = 0;

	for (unsigned h = 0; h < ARRAY_LEN(c->hops_count); h++) {
		n += c->hops_count[h];
		sum += c->hops_count[h] * h;
	}
	return n ? (double)sum / (double)n : 0;
}

/* CA and router ports that are up and have a LID; their number. */
static uint32_t host_ports(const struct routing *r, uint32_t *ep)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->topo->fabric->n_endports; i++)
		if (r->lids->base[i] && !endport_is_switch(r->topo->fabric, i) &&
		    r->topo->endport_switch[i] != NO_ID)
			ep[n++] = i;
	return n;
}

/* SLs of paths between host ports, as bits; one source a switch where that is enough. */
static uint32_t sls_used(const struct routing *r, const uint32_t *ep, uint32_t n, struct progress *p)
{
	uint8_t *seen = NEW_ARRAY(r->topo->fabric->n_switches + 1, uint8_t);
	uint32_t sls = r->ops->sl ? 0 : 1;

	for (uint32_t i = 0; r->ops->sl && i < n; i++) {
		if (r->ops->sl_by_switch && seen[r->topo->endport_switch[ep[i]]]++)
			continue;
		if (!progress_step(p, i))
			break;
		for (uint32_t k = 0; k < n; k++) {
			struct sl_range sl = {1, 0};

			if (routing_port(r, r->topo->endport_switch[ep[i]], r->lids->base[ep[k]]) !=
				    NO_PATH &&
			    i != k)
				sl = routing_sl(r, r->lids->base[ep[i]], r->lids->base[ep[k]]);
			for (unsigned v = sl.lo; v <= sl.hi && v < 16; v++)
				sls |= 1u << v;
		}
	}
	free(seen);
	return sls;
}

/* Ports by which a switch sends the LIDs of an endport. */
static uint32_t distinct_ports(const struct routing *r, uint32_t sw, uint32_t ep)
{
	uint8_t seen[256] = {0};
	uint32_t n = 0;

	for (unsigned k = 0; k < r->lids->count[ep]; k++) {
		unsigned port = routing_port(r, sw, r->lids->base[ep] + k);

		n += port != NO_PATH && !seen[port];
		seen[port] = 1;
	}
	return n;
}

/* First links that edge switches take for the LIDs of a host port on another: mean and least. */
static void count_first_links(struct column *c, const uint32_t *ep, uint32_t n)
{
	const struct routing *r = c->sweep->routing;
	uint8_t *edge = NEW_ARRAY(r->topo->fabric->n_switches + 1, uint8_t);
	uint64_t sum = 0, cases = 0;

	c->least_links = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++)
		edge[r->topo->endport_switch[ep[i]]] = 1;
	for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++)
		for (uint32_t i = 0; edge[sw] && i < n; i++) {
			uint32_t d = r->topo->endport_switch[ep[i]] == sw ? 0 : distinct_ports(r, sw, ep[i]);

			if (!d)
				continue;
			sum += d;
			cases++;
			c->least_links = d < c->least_links ? d : c->least_links;
		}
	c->mean_links = cases ? (double)sum / (double)cases : 0;
	c->least_links = cases ? c->least_links : 0;
	free(edge);
}

/* Most LIDs that a port between switches sends. */
static uint32_t largest_usage(const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t most = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		const struct lft_row *row = r->row[sw];
		uint32_t count[256] = {0};

		for (unsigned lid = 1; row && lid <= row->top; lid++)
			count[row->port[lid]]++;
		for (unsigned p = 1; row && p <= f->switch_nports[sw]; p++)
			if (r->topo->peer_switch[switch_port_id(f, sw, p)] != NO_ID && count[p] > most)
				most = count[p];
	}
	return most;
}

static int measure_loads(struct column *c, struct progress *p, struct err *e)
{
	struct loads *l = loads_new(c->sweep->routing, "all", p, e);

	if (!l)
		return -1;
	c->min_load = l->min;
	c->mean_load = l->mean;
	c->max_load = l->max;
	loads_free(l);
	return 0;
}

static int measure_loops(struct column *c, struct progress *p, struct err *e)
{
	struct cdg *g = cdg_new(c->sweep->routing, CDG_ALL_VLS, false, p);

	if (!g)
		return err_set(e, CANCELLED);
	c->loops = g->n_components;
	cdg_free(g);
	return 0;
}

static int measure_difference(struct column *c, const struct column *first, struct progress *p, struct err *e)
{
	struct comparison *d;

	if (c == first || first->refused)
		return 0;
	d = compare_routings(first->sweep->routing, c->sweep->routing, p);
	if (!d)
		return err_set(e, CANCELLED);
	c->differ = d->entries_changed;
	comparison_free(d);
	return 0;
}

static int measure(struct column *c, const struct column *first, struct progress *p, struct err *e)
{
	const struct routing *r = c->sweep->routing;
	uint32_t *ep, n;

	if (check_routing(r, &c->check, p))
		return err_set(e, CANCELLED);
	c->mean_hops = mean_hops(&c->check);
	if (measure_loads(c, p, e) || measure_loops(c, p, e) || measure_difference(c, first, p, e))
		return -1;
	ep = NEW_ARRAY(r->topo->fabric->n_endports + 1, uint32_t);
	n = host_ports(r, ep);
	c->sls = sls_used(r, ep, n, p);
	count_first_links(c, ep, n);
	c->max_usage = largest_usage(r);
	free(ep);
	return p && atomic_load(&p->cancel) ? err_set(e, CANCELLED) : 0;
}

/* Route as a subnet manager that starts now with this engine alone would. */
static int route_column(struct session *s, struct column *c, const struct options *opts, bool same_lids,
			struct err *e)
{
	char *chain = str_printf("%s,no_fallback", c->engine);
	struct sweep_request rq = {
		.fabric = s->fabric,
		.state = session_state(s),
		.options = opts,
		.chain = chain,
		.engines = s->engines,
		.manual_rules = s->manual_rules,
		.restart = true,
		.prev = same_lids ? session_sweep(s) : NULL,
		.progress = &s->progress,
	};

	c->sweep = sweep_run(&rq, e);
	free(chain);
	if (!c->sweep)
		return -1;
	if (!c->sweep->routing)
		c->refused = str_dup(c->sweep->n_refusals ? c->sweep->refusal[0].why
							  : "there is nothing to route");
	return 0;
}

/* --- compare: the table --- */

#define CELL 40

enum row { R_UNREACHABLE, R_HOPS, R_MAX_HOPS, R_LOAD, R_USAGE, R_LINKS, R_SLS, R_LOOPS, R_DIFFER, ROWS };

static const char *const row_names[ROWS] = {
	[R_UNREACHABLE] = "pairs of hosts without a path",
	[R_HOPS] = "mean hops",
	[R_MAX_HOPS] = "most hops",
	[R_LOAD] = "routes per link: min mean max",
	[R_USAGE] = "most LIDs sent by a port",
	[R_LINKS] = "first links per host port: mean, least",
	[R_SLS] = "service levels",
	[R_LOOPS] = "groups of credit loops",
	[R_DIFFER] = "LFT entries unlike the first's",
};

static void sl_text(uint32_t sls, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (unsigned v = 0; v < 16 && at < size; v++) {
		unsigned hi = v;

		if (!(sls & 1u << v))
			continue;
		while (hi < 15 && sls & 1u << (hi + 1))
			hi++;
		at += snprintf(buf + at, size - at, hi > v ? "%s%u-%u" : "%s%u", at ? "," : "", v, hi);
		v = hi;
	}
}

static void cell_text(const struct column *c, enum row row, char *buf, size_t size)
{
	switch (row) {
	case R_UNREACHABLE:
		snprintf(buf, size, "%" PRIu64, c->check.unreachable);
		break;
	case R_HOPS:
		snprintf(buf, size, "%.3f", c->mean_hops);
		break;
	case R_MAX_HOPS:
		snprintf(buf, size, "%u", c->check.max_hops);
		break;
	case R_LOAD:
		snprintf(buf, size, "%u %.1f %u", c->min_load, c->mean_load, c->max_load);
		break;
	case R_USAGE:
		snprintf(buf, size, "%u", c->max_usage);
		break;
	case R_LINKS:
		snprintf(buf, size, "%.2f, %u", c->mean_links, c->least_links);
		break;
	case R_SLS:
		sl_text(c->sls, buf, size);
		break;
	case R_LOOPS:
		snprintf(buf, size, "%u", c->loops);
		break;
	default:
		snprintf(buf, size, "%" PRIu64, c->differ);
	}
}

static json_t *column_json(const struct column *c)
{
	char sls[CELL];

	if (c->refused)
		return json_pack("{s:s, s:s}", "engine", c->engine, "refused", c->refused);
	sl_text(c->sls, sls, sizeof(sls));
	return json_pack("{s:s, s:I, s:f, s:i, s:i, s:f, s:i, s:i, s:f, s:i, s:s, s:i, s:I}", "engine",
			 c->engine, "unreachable", (json_int_t)c->check.unreachable, "hops_mean",
			 c->mean_hops, "hops_max", (int)c->check.max_hops, "load_min", (int)c->min_load,
			 "load_mean", c->mean_load, "load_max", (int)c->max_load, "usage_max",
			 (int)c->max_usage, "first_links_mean", c->mean_links, "first_links_min",
			 (int)c->least_links, "sls", sls, "credit_loops", (int)c->loops,
			 "entries_unlike_first", (json_int_t)c->differ);
}

static void print_row(const struct column *c, unsigned n, enum row row, struct out *o)
{
	char cell[CELL];

	out_text(o, "%-38s", row_names[row]);
	for (unsigned i = 0; i < n; i++) {
		if (c[i].refused || (row == R_DIFFER && (!i || c[0].refused)))
			snprintf(cell, sizeof(cell), "-");
		else
			cell_text(&c[i], row, cell, sizeof(cell));
		out_text(o, "  %16s", cell);
	}
	out_text(o, "\n");
}

static void print_columns(const struct column *c, unsigned n, struct out *o)
{
	json_t *list = json_array();

	out_text(o, "%-38s", "");
	for (unsigned i = 0; i < n; i++)
		out_text(o, "  %16s", c[i].engine);
	out_text(o, "\n");
	for (enum row row = 0; row < ROWS; row++)
		print_row(c, n, row, o);
	for (unsigned i = 0; i < n; i++) {
		if (c[i].refused)
			out_text(o, "%s refuses this fabric: %s\n", c[i].engine, c[i].refused);
		else if (*c[i].sweep->notes)
			out_text(o, "%s: %s", c[i].engine, c[i].sweep->notes);
		json_array_append_new(list, column_json(&c[i]));
	}
	out_json(o, "compare", list);
}

static const char *const lid_options[] = {"lmc", "lmc_esp0", "reassign_lids", "honor_guid2lid_file",
					  "guid2lid_file"};

/* Take NAME=VALUE into the options; *lids turns false when the LIDs change with it. */
static int take_option(struct options *opts, char *word, bool *lids, struct err *e)
{
	char *eq = strchr(word, '='), *name = str_printf("%.*s", (int)(eq - word), word), *was;
	int rc = -1;

	if (!options_find(opts, name)) {
		err_set(e, "unknown option \"%s\"; `show options` lists them", name);
	} else {
		was = str_dup(options_get(opts, name));
		rc = options_set(opts, name, eq + 1, e);
		for (size_t i = 0; !rc && i < ARRAY_LEN(lid_options); i++)
			if (!strcmp(lid_options[i], name) && strcmp(was, options_get(opts, name)))
				*lids = false;
		free(was);
	}
	free(name);
	return rc;
}

#define MAX_COLUMNS 16

/* Engines and options in the words; the number of engines, -1 and *e. */
static int parse_compare(struct session *s, int argc, char **argv, struct column *c, struct options *opts,
			 bool *lids, struct err *e)
{
	int n = 0;

	for (int i = 1; i < argc; i++) {
		const struct engine *g;

		if (strchr(argv[i], '=')) {
			if (take_option(opts, argv[i], lids, e))
				return -1;
			continue;
		}
		g = engine_find(s->engines, argv[i]);
		if (!g)
			return err_set(e, "there is no engine \"%s\"; `show engines` lists them", argv[i]);
		if (n == MAX_COLUMNS)
			return err_set(e, "more than %d engines; expected fewer", MAX_COLUMNS);
		c[n++].engine = g->name;
	}
	return n < 2 ? usage(s, "compare", e) : n;
}

static int cmd_compare(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct column c[MAX_COLUMNS] = {0};
	const struct sweep *w = session_sweep(s);
	struct options *opts;
	bool same_lids = w != NULL;
	int n, rc = 0;

	if (!s->fabric)
		return err_set(e, "no fabric is loaded; `load FILE`, `synth SPEC` or `live` get one");
	opts = options_copy(s->options);
	n = parse_compare(s, argc, argv, c, opts, &same_lids, e);
	for (int i = 0; !rc && i < n; i++) {
		rc = route_column(s, &c[i], opts, same_lids, e);
		if (!rc && !c[i].refused)
			rc = measure(&c[i], c, &s->progress, e);
	}
	if (!rc && n > 0)
		print_columns(c, (unsigned)n, o);
	for (int i = 0; i < n; i++) {
		sweep_unref(c[i].sweep);
		free(c[i].refused);
	}
	options_free(opts);
	return n < 0 ? -1 : rc;
}

const struct command element_commands[] = {
	{"elements", "elements [ELEMENT]",
	 "switch elements: chips of one chassis taken together; chips and links of one",
	 "  ELEMENT is a name (or a beginning or glob of one), a number, or a switch in it.  Chips belong "
	 "together by\n"
	 "  the option chassis_file, else by their system image GUID.\n",
	 "s", NULL, cmd_elements},
	{"equal-paths", "equal-paths [all]",
	 "pairs of edge elements with ways of unequal length between them",
	 "  A way: any link of an element to another, then the shortest way on that does not come back.\n",
	 "w", "all", cmd_equal_paths},
	{"compare", "compare ENGINE ENGINE... [OPTION=VALUE]...",
	 "engines side by side on the fabric as it is now",
	 "  Each routes as a subnet manager that has just started; nothing of the session changes.  Routes "
	 "are those\n"
	 "  from all to all; first links: how many ports edge switches send the LIDs of a distant host port "
	 "by.\n",
	 "EEo*", NULL, cmd_compare},
	{0},
};
