/* Commands about switch elements (chassis), and engines side by side. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/figures.h"
#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/session/commands/commands.h"

/* --- elements ----------------------------------------------------------------------------- */

/* Elements of the fabric as it is now; NULL and *e. */
static struct elements *current_elements(struct session *s, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const struct options *opts = w ? w->setup->options : s->setup->options;
	AUTO_TEXT struct text notes = {0};
	AUTO_TOPO struct topo *t = w ? topo_ref(w->topo) : topo_new(s->fabric, session_state(s));
	struct elements *el = elements_new(
		t, options_find(opts, "chassis_file") ? options_file(opts, "chassis_file") : NULL,
		o->run->progress, &notes, e);
	out_text(o, "%s", text_str(&notes));
	return el;
}

static json_t *element_json(const struct elements *el, uint32_t e)
{
	assert(e < el->n);
	return json_make("{s:i, s:s, s:o, s:s, s:i, s:i, s:i, s:i}", "number", (int)(e + 1), "name",
			 el->name[e], "guid", json_guid(el->guid[e]), "by", element_rule_names[el->rule[e]],
			 "chips", (int)element_chips(el, e), "external",
			 (int)(el->first_link[e + 1] - el->first_link[e]), "internal",
			 (int)element_inside_links(el, e), "hosts", (int)el->hosts[e]);
}

/* Number of LIDs that the tables in force send out of a port; 0 without tables. */
static uint32_t port_usage(const struct routing *r, uint32_t sw, unsigned port)
{
	const struct lft_row *row = r ? r->row[sw] : NULL;
	uint32_t n = 0;

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		n += row->port[lid] == port;
	return n;
}

static json_t *print_link(const struct elements *el, const struct session *s, uint32_t l, struct out *o)
{
	assert(l < el->first_link[el->n]);

	const struct fabric *f = el->topo->fabric;
	uint32_t port = el->link_port[l],
		 usage = port_usage(session_routing(s), f->node_switch[f->port_node[port]],
				    f->port_num[port]);

	out_text(o, "  %6u  " ROW_CUT("%s") " -> " ROW_CUT("%s"), usage, PORT_LABEL(f, port),
		 PORT_LABEL(f, el->topo->peer[port]));
	out_text(o, element_chips(el, el->link_to[l]) > 1 ? "  (" ROW_CUT("%s") ")\n" : "\n",
		 el->name[el->link_to[l]]);
	json_t *obj = json_make("{s:s, s:o, s:i}", "element", el->name[el->link_to[l]], "element_guid",
				json_guid(el->guid[el->link_to[l]]), "usage", (int)usage);
	json_put_port(obj, "from", f, session_lids(s), port);
	json_put_port(obj, "to", f, session_lids(s), el->topo->peer[port]);
	return obj;
}

static int print_element(struct session *s, const struct elements *el, uint32_t n, struct out *o,
			 struct err *e)
{
	assert(n < el->n);

	json_t *chips = json_array(), *links = json_array();
	char number[16];

	out_text(o, "Element %s: %s (%s), %s\n", el->name[n], PLURAL(element_chips(el, n), "chip"),
		 element_rule_names[el->rule[n]], PLURAL(el->hosts[n], "host port"));
	for (uint32_t c = el->first_chip[n]; c < el->first_chip[n + 1]; c++) {
		const struct fabric *f = el->topo->fabric;
		uint32_t outside = 0, node = f->switch_node[el->chip[c]],
			 inside = el->first_inside[el->chip[c] + 1] - el->first_inside[el->chip[c]];
		const char *place = f->node_chassis_place[node] ? f->node_chassis_place[node] : "";

		FOR_PORTS(f, el->chip[c], id)
			outside += el->port_link[id] != NO_ID;
		json_t *obj = json_node(f, session_lids(s), node);
		json_object_set_new(obj, "place", json_text(place));
		json_object_set_new(obj, "external", json_integer(outside));
		json_object_set_new(obj, "internal", json_integer(inside));
		json_array_append_new(chips, obj);
	}
	out_json(o, "element", element_json(el, n));
	out_json(o, "chips", chips);
	snprintf(number, sizeof(number), "%u", n + 1);
	if (print_table(s, "elements", number, o, e)) {
		json_decref(links);
		return -1;
	}
	out_text(o, "Links to other elements, and the LIDs sent out of them:\n");
	for (uint32_t l = el->first_link[n]; l < el->first_link[n + 1]; l++)
		json_array_append_new(links, print_link(el, s, l, o));
	out_json(o, "links", links);
	return 0;
}

static int cmd_elements(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *word = args_word(args, "ELEMENT", NULL);
	uint32_t found = 0;
	int rc = 0;
	struct elements *el = current_elements(s, o, e);
	if (!el)
		return -1;
	if (!word) {
		json_t *list = json_array();
		uint32_t chassis = 0;

		for (uint32_t i = 0; i < el->n; i++)
			chassis += element_chips(el, i) > 1;
		out_text(o, "%s, %u of them of several chips; %s between them.\n", PLURAL(el->n, "element"),
			 chassis, PLURAL(el->n_links / 2, "link"));
		for (uint32_t i = 0; i < el->n; i++)
			json_array_append_new(list, element_json(el, i));
		out_json(o, "elements", list);
		rc = print_table(s, "elements", NULL, o, e);
	} else {
		found = elements_find(el, word, e);
		uint32_t node = found == NO_ID ? session_node(s, word, NULL) : NO_ID;
		if (node != NO_ID && node_is_switch(s->fabric, node))
			found = el->of[s->fabric->node_switch[node]];
		if (found != NO_ID)
			rc = print_element(s, el, found, o, e);
	}
	elements_unref(el);
	return found == NO_ID ? -1 : rc;
}

/* --- equal-paths ----------------------------------------------------------------------------- */

#define PAIR_LINES 20

static int cmd_equal_paths(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool all = args->n;
	struct elements *el;
	json_t *list = json_array();

	if (!(el = current_elements(s, o, e))) {
		json_decref(list);
		return -1;
	}
	struct unequal_paths *u = unequal_paths_new(el, o->run->progress);
	if (!u) {
		json_decref(list);
		elements_unref(el);
		return err_set(e, CANCELLED);
	}
	out_text(o, "%s between %s: %zu with ways of unequal length.\n", PLURAL(u->pairs, "pair"),
		 PLURAL(u->n_edges, "edge element"), u->n);
	if (u->n)
		out_text(o, "%8s %8s %8s %8s  %s\n", "shortest", "by links", "longest", "longer", "elements");
	for (size_t i = 0; i < u->n && (all || i < PAIR_LINES); i++) {
		const struct unequal_pair *p = &u->pair[i];

		out_text(o, "%8u %8u %8u %8u  " ROW_CUT("%s") " -> " ROW_CUT("%s") "\n", p->least, p->n_least,
			 p->most, p->n_longer, el->name[p->from], el->name[p->to]);
		json_array_append_new(list,
				      json_make("{s:s, s:o, s:s, s:o, s:i, s:i, s:i, s:i}", "from",
						el->name[p->from], "from_guid", json_guid(el->guid[p->from]),
						"to", el->name[p->to], "to_guid", json_guid(el->guid[p->to]),
						"shortest", (int)p->least, "links", (int)p->n_least,
						"longest", (int)p->most, "longer", (int)p->n_longer));
	}
	if (!all && u->n > PAIR_LINES)
		out_text(o, "  ... %s; `equal-paths all` prints them\n",
			 PLURAL(u->n - PAIR_LINES, "more pair"));
	if (!u->pairs)
		out_text(o,
			 "There are no two edge elements, with hosts and a way between them, to compare.\n");
	else if (!u->n)
		out_text(o, "Equal paths: a tolerance of 0 uses every way there is.\n");
	out_json(o, "equal_paths",
		 json_make("{s:i, s:I, s:I, s:o}", "edges", (int)u->n_edges, "pairs", (json_int_t)u->pairs,
			   "unequal", (json_int_t)u->n, "list", list));
	arena_free(u);
	elements_unref(el);
	return 0;
}

/* --- compare ------------------------------------------------------------------------------------ */

#define CELL 40

static json_t *figure_json(const struct figures *f, enum figure which)
{
	assert(which < FIGURES);

	char buf[CELL];

	if (f->v[which] < 0)
		return json_null();
	if (which == FIG_SLS)
		return json_text(figure_text(f, which, buf, sizeof(buf)));
	return figure_fields[which].decimals ? json_real(f->v[which]) : json_integer((json_int_t)f->v[which]);
}

static json_t *engine_json(const struct engine_figures *c)
{
	json_t *o = json_make("{s:s}", "engine", c->engine->name);

	if (c->refused)
		json_object_set_new(o, "refused", json_text(c->refused));
	for (unsigned i = 0; !c->refused && i < FIGURES; i++)
		json_object_set_new(o, figure_fields[i].key, figure_json(&c->f, i));
	if (!c->refused) { /* the keys named after one definition of hops; the older keys stay */
		json_object_set_new(o, "path_links_mean", figure_json(&c->f, FIG_HOPS_MEAN));
		json_object_set_new(o, "path_links_max", figure_json(&c->f, FIG_HOPS_MOST));
	}
	return o;
}

#define LABEL 25	/* columns of the names of figures */
#define FIGURE_LEAST 10 /* of a figure, where there is little room */

/* Columns of an engine's figures: narrow for a reader whose width is known. */
static int engine_width(const struct engine_figures *c, const struct out *o)
{
	int name = (int)strlen(c->engine->name);

	return !o->run->width ? 16 : MAX(name, FIGURE_LEAST);
}

/* The engines from the first-th on that have room beside each other. */
static unsigned engines_beside(struct engine_figures *const *c, unsigned n, unsigned first,
			       const struct out *o)
{
	int room = (int)o->run->width - LABEL;
	unsigned end = first;

	while (end < n && (!o->run->width || end == first || engine_width(c[end], o) + 2 <= room))
		room -= engine_width(c[end++], o) + 2;
	assert(end > first);
	return end;
}

static void print_figures(struct engine_figures *const *c, unsigned n, struct out *o)
{
	char buf[CELL];

	for (unsigned first = 0, end; first < n; first = end) {
		end = engines_beside(c, n, first, o);
		out_text(o, "%-*s", LABEL, "");
		for (unsigned i = first; i < end; i++)
			out_text(o, "  %*s", engine_width(c[i], o), c[i]->engine->name);
		out_text(o, "\n");
		for (unsigned which = 0; which < FIGURES; which++) {
			out_text(o, "%-*s", LABEL, figure_fields[which].column);
			for (unsigned i = first; i < end; i++) {
				bool none = c[i]->refused || (which == FIG_DIFFER && !i);

				out_text(o, "  %*s", engine_width(c[i], o),
					 none ? "-" : figure_text(&c[i]->f, which, buf, sizeof(buf)));
			}
			out_text(o, "\n");
		}
	}
}

static enum gpu_pattern pattern_asked(const struct args *args)
{
	return (enum gpu_pattern)args_which(args, gpu_pattern_word, GPU_PATTERNS);
}

/* One engine under the pattern of GPUs asked for: a line, and an object of the list. */
static int tell_traffic(const struct side_request *rq, unsigned i, const struct args *args, json_t *list,
			struct out *o, struct err *e)
{
	assert(i < rq->n);

	enum gpu_pattern kind = pattern_asked(args);
	bool direct = args_has(args, "direct");
	AUTO_SWEEP struct sweep *w = side_sweep(rq, i, o->run->progress, e);
	const char *name = rq->engine[i]->name, *why;
	struct pattern p = {0};
	AUTO_ARENA struct loads *l = NULL;
	int rc = w ? 0 : -1;

	if (!rc && !w->routing) {
		why = w->n_refusals ? w->refusal[0].why : "there is nothing to route";
		out_text(o, "%-14s " ROW_PROSE "refuses this fabric: %s\n", name, why);
		json_array_append_new(list, json_make("{s:s, s:s}", "engine", name, "refused", why));
	} else if (!rc) {
		struct gpus *g = gpus_new(w->routing, NULL, 0);
		g->direct = direct;
		rc = pattern_gpus(w->routing, g, kind, &p, o->run->progress, e);
		arena_free(g);
		if (!rc)
			l = loads_new(w->routing, &p, o->run->progress);
		if (!rc && !l)
			rc = err_set(e, CANCELLED);
	}
	if (l) {
		uint64_t asked = 0;

		for (size_t k = 0; k < p.n; k++)
			asked += p.flow[k].weight;
		out_text(o, ROW_BEGIN "%-14s %8u %10.2f %10" PRIu64 " %8" PRIu64 "\n", name, l->max, l->mean,
			 l->routes, asked - l->routes);
		json_array_append_new(list,
				      json_make("{s:s, s:i, s:f, s:I, s:I}", "engine", name, "most",
						(int)l->max, "mean", l->mean, "flows", (json_int_t)l->routes,
						"lost", (json_int_t)(asked - l->routes)));
	}
	pattern_free(&p);
	return rc;
}

/* `compare for PATTERN [direct] ENGINE...` */
static int compare_traffic(struct session *s, const struct args *args, const struct side_request *rq,
			   struct out *o, struct err *e)
{
	enum gpu_pattern kind = pattern_asked(args);
	bool direct = args_has(args, "direct");
	json_t *list = json_array();
	int rc = 0;

	report_scope(s, o);
	report_missing(s->fabric, o);
	out_text(o, "GPUs of all hosts, one a host port: %s %s.  Flows on directed links between switches:\n",
		 gpu_pattern_word[kind], direct ? "direct" : "by rail");
	out_text(o, ROW_BEGIN "%-14s %8s %10s %10s %8s\n", "engine", "most", "mean", "flows", "lost");
	for (unsigned i = 0; !rc && i < rq->n; i++)
		rc = tell_traffic(rq, i, args, list, o, e);
	out_json(o, "traffic",
		 json_make("{s:s, s:b, s:o}", "pattern", gpu_pattern_word[kind], "direct", (int)direct,
			   "engines", list));
	return rc;
}

static int cmd_compare(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	int skip = args_has(args, "for") ? 3 + args_has(args, "direct") : 1;
	struct engine_figures *c[SIDES_MOST] = {0};
	struct side_base at = {.setup = s->setup, .list = s->engines, .sweep = session_sweep(s)};
	unsigned n = 0;
	int rc;
	struct side_request *rq = side_request_new(&at, args->argc - skip, args->argv + skip, e);
	if (!rq)
		return -1;
	if (rq->n < 2 && skip == 1) {
		side_request_unref(rq);
		return err_word(e, "expected: compare ENGINE ENGINE... [OPTION=VALUE]...");
	}
	if (skip > 1) {
		rc = compare_traffic(s, args, rq, o, e);
		side_request_unref(rq);
		return rc;
	}
	while (n < rq->n && (c[n] = side_measure(rq, n, c[0], o->run->progress, e)))
		n++;
	rc = n < rq->n ? -1 : 0;
	if (!rc) {
		json_t *list = json_array();

		report_scope(s, o);
		report_missing(s->fabric, o);
		print_figures(c, n, o);
		for (unsigned i = 0; i < n; i++) {
			if (c[i]->refused)
				out_text(o, "%s refuses this fabric: %s\n", c[i]->engine->name,
					 c[i]->refused);
			else if (*c[i]->notes)
				out_text(o, "%s: %s", c[i]->engine->name, c[i]->notes);
			json_array_append_new(list, engine_json(c[i]));
		}
		out_json(o, "compare", list);
	}
	while (n)
		engine_figures_free(c[--n]);
	side_request_unref(rq);
	return rc;
}

/* Keys of an element (element_json()). */
#define ELEMENT_KEYS(k)                                                                                  \
	k ".number integer(1..) its number\n" k ".name string its name\n" k                              \
	  ".guid guid lowest GUID of its chips\n" k                                                      \
	  ".by string(alone/system GUID/chassis number/file) rule by which ibscope joined its chips\n" k \
	  ".chips integer chips\n" k ".external integer links to other elements\n" k                     \
	  ".internal integer links between its chips\n" k ".hosts integer host ports\n"

#define KEYS_OF_ALL ELEMENT_KEYS("elements[]")
#define KEYS_OF_ONE ELEMENT_KEYS("element")

const struct command element_commands[] = {
	{.name = "elements",
	 .group = LOOK,
	 .syntax = "elements [ELEMENT]",
	 .help = "list switch elements (a chassis of several chips, or a single switch), or the chips and "
		 "links of one",
	 .needs = NEEDS_FABRIC,
	 .json = "elements[] object? switch elements\n" KEYS_OF_ALL
		 "element object? the one asked for\n" KEYS_OF_ONE "chips[] object? its chips\n"
		 "chips[].name node the chip\n"
		 "chips[].place string place in the chassis\n"
		 "chips[].external integer links to other elements\n"
		 "chips[].internal integer links to other chips\n"
		 "links[] object? its links to others\n"
		 "links[].from port its port\n"
		 "links[].to port port at the other end\n"
		 "links[].element string element at the other end\n"
		 "links[].element_guid string lowest GUID of that\n"
		 "links[].usage integer LIDs sent out of it\n" JSON_LIST,
	 .run = cmd_elements},
	{.name = "equal-paths",
	 .group = EXPLAIN,
	 .syntax = "equal-paths [all]",
	 .help = "list pairs of edge elements with ways of unequal length between them",
	 .needs = NEEDS_FABRIC,
	 .json = "equal_paths object ways between edge elements\n"
		 "equal_paths.edges integer edge elements\n"
		 "equal_paths.pairs integer pairs of them\n"
		 "equal_paths.unequal integer pairs with ways of unequal length\n"
		 "equal_paths.list[] object these pairs: the first, or all\n"
		 "equal_paths.list[].from string element\n"
		 "equal_paths.list[].from_guid guid its lowest GUID\n"
		 "equal_paths.list[].to string element\n"
		 "equal_paths.list[].to_guid guid its lowest GUID\n"
		 "equal_paths.list[].shortest integer length of the shortest ways\n"
		 "equal_paths.list[].links integer links that begin one\n"
		 "equal_paths.list[].longest integer length of the longest\n"
		 "equal_paths.list[].longer integer links that begin a longer one\n",
	 .run = cmd_equal_paths},
	{.name = "compare",
	 .group = JUDGE,
	 .syntax = "compare ENGINE ENGINE... [OPTION=VALUE]... | for ring|tree|alltoall [direct] ENGINE... "
		   "[OPTION=VALUE]...",
	 .help = "show engines side by side on the fabric as it is now",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SCOPE
	 "traffic object? for ring, tree, alltoall: engines under that traffic\n"
	 "traffic.pattern string(ring/tree/alltoall) what the GPUs do\n"
	 "traffic.direct boolean each GPU sends by its own port\n"
	 "traffic.engines[] object engines\n"
	 "traffic.engines[].engine engine its name\n"
	 "traffic.engines[].refused string? why it refuses the fabric; then there are no figures\n"
	 "traffic.engines[].most integer? most flows on a directed link between switches\n"
	 "traffic.engines[].mean number? mean of these\n"
	 "traffic.engines[].flows integer? flows that arrive\n"
	 "traffic.engines[].lost integer? flows without a path\n"
	 "compare[] object? engines\n"
	 "compare[].engine engine its name\n"
	 "compare[].refused string? why it refuses the fabric; then there are no figures\n"
	 "@compare[].\n"
	 "compare[].path_links_mean number|null? links of a path, mean\n"
	 "compare[].path_links_max integer|null? links of a path, most\n",
	 .rows = {figure_fields},
	 .run = cmd_compare},
	{.name = NULL},
};
