/* Fabrics and drawings written as graphs: GraphML, dot, JSON. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/formats/drawing.h"
#include "core/formats/readers.h"
#include "core/routing/json_names.h"

void dot_text(FILE *f, const char *s)
{
	AUTO_TEXT struct text t = {0};

	for (s = clean_string(s, &t); *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
}

struct drawing_edge {
	uint32_t a, b; /* nodes, a <= b */
	bool up;
	uint32_t link;
};

COMPARATOR(edge_compare, struct drawing_edge, UP(a) UP(b) UP(up))

/* Equal edges are in the order of links. */
COMPARATOR(edge_order, struct drawing_edge, UP(a) UP(b) UP(up) UP(link))

int write_dot(FILE *f, const struct fabric *fb, const struct state *st, const struct dot_look *look,
	      struct progress *p)
{
	AUTO_FREE struct drawing_edge *e = NEW_ARRAY(fb->n_links, struct drawing_edge);
	bool go_on = true;

	assert(!st || (st->n_links == fb->n_links && st->n_nodes == fb->n_nodes));
	fprintf(f, "graph fabric {\n\tnode [fontsize=10];\n\tedge [fontsize=9];\n");
	progress_start(p, "writing the drawing", fb->n_nodes + fb->n_links);
	for (uint32_t n = 0; n < fb->n_nodes && (go_on = progress_step(p, n)); n++) {
		bool down = st && st->node_down[n];

		fprintf(f, "\t\"%016" PRIx64 "\" [label=\"", fb->node_guid[n]);
		dot_text(f, fb->node_name[n]);
		fprintf(f, "\", shape=%s%s", node_is_switch(fb, n) ? "box" : "ellipse",
			down ? ", style=dashed, color=red" : "");
		if (look && look->fill && look->fill[n] && !down)
			fprintf(f, ", style=filled, fillcolor=\"%s\"", look->fill[n]);
		if (look && look->place && !isnan(look->place[n][0]))
			fprintf(f, ", pos=\"%.1f,%.1f!\"", (double)look->place[n][0],
				(double)look->place[n][1]);
		fprintf(f, "];\n");
	}
	for (uint32_t l = 0; l < fb->n_links; l++) {
		uint32_t a = fb->port_node[fb->link_port[2 * l]], b = fb->port_node[fb->link_port[2 * l + 1]];

		e[l] = (struct drawing_edge){MIN(a, b), MAX(a, b), !st || state_link_up(fb, st, l), l};
	}
	qsort(e, fb->n_links, sizeof(*e), edge_order);
	for (uint32_t l = 0, n; l < fb->n_links && go_on && (go_on = progress_step(p, fb->n_nodes + l));
	     l += n) {
		const char *more = e[l].up && look && look->edge ? look->edge[e[l].link] : NULL;

		for (n = 1; l + n < fb->n_links && !edge_compare(&e[l], &e[l + n]);)
			n++;
		fprintf(f, "\t\"%016" PRIx64 "\" -- \"%016" PRIx64 "\"", fb->node_guid[e[l].a],
			fb->node_guid[e[l].b]);
		fprintf(f, e[l].up ? " [" : " [style=dashed, color=red, ");
		if (n > 1)
			fprintf(f, "label=\"x%u\", ", n);
		if (more)
			fprintf(f, "%s];\n", more);
		else
			fprintf(f, "penwidth=%u];\n", MIN(n, 6));
	}
	fprintf(f, "}\n");
	return ferror(f) || !go_on ? -1 : 0;
}

static json_t *switch_json(const struct json_of *w, uint32_t sw)
{
	const struct fabric *f = w->topo->fabric;
	const struct lft_row *row = w->routing ? w->routing->row[sw] : NULL;
	json_t *lft = w->routing ? json_object() : NULL, *o;
	char key[8];

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		if (row->port[lid] != NO_PATH) {
			snprintf(key, sizeof(key), "%u", lid);
			json_object_set_new(lft, key, json_integer(row->port[lid]));
		}
	o = json_node(f, w->lids, f->switch_node[sw]);
	json_object_set_new(o, "ports", json_integer(f->switch_nports[sw]));
	json_object_set_new(o, "up", json_boolean(switch_up(w->topo, sw)));
	if (lft)
		json_object_set_new(o, "lft", lft);
	return o;
}

static json_t *drawing_link_json(const struct json_of *w, uint32_t link)
{
	return json_link(w->topo->fabric, w->lids, w->state, link);
}

/* An endport of a host; NULL for a switch's. */
static json_t *endport_json(const struct json_of *w, uint32_t ep)
{
	const struct fabric *f = w->topo->fabric;
	uint32_t port = f->endport_port[ep], sw = w->topo->endport_switch[ep];

	if (endport_is_switch(f, ep))
		return NULL;
	json_t *o = json_make("{s:o, s:s, s:i, s:i, s:b, s:i}", "guid", json_guid(f->port_guid[port]), "name",
			      f->node_name[f->port_node[port]], "lid", (int)w->lids->base[ep], "lids",
			      (int)w->lids->count[ep], "up", (int)w->topo->endport_up[ep], "port",
			      (int)w->topo->endport_swport[ep]);
	if (sw != NO_ID)
		json_put_switch(o, "switch", f, w->lids, sw);
	return o;
}

/* Writes a list of the object element by element, to save memory. False: cancelled, or an element has no
 * text. */
static bool put_list(FILE *f, const char *name, json_t *element(const struct json_of *w, uint32_t i),
		     const struct json_of *w, uint32_t n, struct progress *p)
{
	bool first = true, go_on = true, whole = true;

	progress_start(p, "writing tables", n);
	fprintf(f, ",\n \"%s\": [", name);
	for (uint32_t i = 0; i < n && (go_on = progress_step(p, i)); i++) {
		json_t *o = element(w, i);
		const char *at, *nl;
		AUTO_FREE char *text = o ? json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;

		if (text) {
			fputs(first ? "\n  " : ",\n  ", f);
			for (at = text; (nl = strchr(at, '\n')); at = nl + 1) /* two levels down */
				fprintf(f, "%.*s\n  ", (int)(nl - at), at);
			fputs(at, f);
			first = false;
		}
		whole &= !o || text;
		json_decref(o);
	}
	fputs(first ? "]" : "\n ]", f);
	return go_on && whole;
}

int write_json(FILE *f, const struct json_of *w, const struct warnings *missing, struct progress *p)
{
	AUTO_TEXT struct text lacks = {0};

	warnings_tell_missing(missing, &lacks);
	json_t *head = json_make("{s:s, s:s*, s:i, s:i, s:b, s:s}", "fabric", w->topo->fabric->source,
				 "engine", w->routing ? w->routing->engine : NULL, "lmc", (int)w->lids->lmc,
				 "max_lid", (int)w->lids->max_lid, "complete", (int)!missing->missing,
				 "missing", text_str(&lacks));
	if (w->from_scratch)
		json_object_set_new(head, "from_scratch", json_true());
	AUTO_FREE char *text = head ? json_dumps(head, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;
	bool whole = text != NULL;
	if (whole) {
		fprintf(f, "%.*s", (int)strlen(text) - 2, text); /* without "\n}" */
		whole = put_list(f, "switches", switch_json, w, w->topo->fabric->n_switches, p) &&
			put_list(f, "endports", endport_json, w, w->topo->fabric->n_endports, p) &&
			put_list(f, "links", drawing_link_json, w, w->topo->fabric->n_links, p);
		fputs("\n}\n", f);
	}
	json_decref(head);
	return whole && !ferror(f) ? 0 : -1;
}

enum kind { WORD, NUMBER, TRUTH };

struct graph_field {
	const char *key;
	enum kind kind;
	bool by_node; /* of a cable's end: a graph has it at the node */
};

static const struct graph_field graph_fields[] = {{"source", WORD, false},
						  {"engine", WORD, false},
						  {"complete", TRUTH, false},
						  {"missing", WORD, false}};
static const struct graph_field node_fields[] = {{"name", WORD, false},	 {"guid", WORD, false},
						 {"type", WORD, false},	 {"ports", NUMBER, false},
						 {"lid", NUMBER, false}, {"up", TRUTH, false}};
#define END(x)                                                                                        \
	{x "_name", WORD, true}, {x "_guid", WORD, true}, {x "_type", WORD, true},                    \
		{x "_port", NUMBER, false}, {x "_label", WORD, false}, {x "_port_guid", WORD, false}, \
	{                                                                                             \
		x "_lid", NUMBER, false                                                               \
	}
static const struct graph_field edge_fields[] = {END("a"),
						 END("b"),
						 {"width", WORD, false},
						 {"speed", WORD, false},
						 {"up", TRUTH, false},
						 {"load_ab", NUMBER, false},
						 {"load_ba", NUMBER, false},
						 {"weight", NUMBER, false}};
#define MOST ARRAY_LEN(edge_fields)
static_assert(MOST >= ARRAY_LEN(node_fields) && MOST >= ARRAY_LEN(graph_fields), "values of any have room");

/* Of a field: text (NULL: not known), or a number. */
struct value {
	const char *s;
	uint64_t n;
	bool known;
	char guid[24];
};

struct graph_writer {
	FILE *f;
	enum graph_form form;
	const struct graph_of *of;
	struct text text; /* room for a field */
	bool first;	  /* of a list */
	bool whole;	  /* no memory was short */
};

static void set_word(struct value *v, const char *s)
{
	v->s = s;
	v->known = s && *s;
}

static void set_number(struct value *v, uint64_t n)
{
	v->n = n;
	v->known = true;
}

static void graph_set_guid(struct value *v, uint64_t guid)
{
	snprintf(v->guid, sizeof(v->guid), "0x%016" PRIx64, guid);
	set_word(v, v->guid);
}

/* 0: there is none. */
static void graph_set_lid(struct value *v, unsigned lid)
{
	v->n = lid;
	v->known = lid;
}

static void graph_values(const struct graph_of *of, const struct warnings *missing, struct text *lacks,
			 struct value *v)
{
	static_assert(ARRAY_LEN(graph_fields) == 4, "each field has its value");
	warnings_tell_missing(missing, lacks);
	set_word(&v[0], of->fabric->source);
	set_word(&v[1], of->load ? of->engine : NULL);
	set_number(&v[2], !missing->missing);
	set_word(&v[3], text_str(lacks));
}

static void node_values(const struct graph_of *of, uint32_t node, struct value *v)
{
	static const char *const type[] = {"", "host", "switch", "router"};
	const struct fabric *f = of->fabric;

	static_assert(ARRAY_LEN(node_fields) == 6, "each field has its value");
	static_assert(ARRAY_LEN(type) == NODE_ROUTER + 1, "each type has its word");
	set_word(&v[0], f->node_name[node]);
	graph_set_guid(&v[1], f->node_guid[node]);
	set_word(&v[2], type[f->node_type[node]]);
	set_number(&v[3], f->node_nports[node]);
	graph_set_lid(&v[4], node_lid(f, of->lids, node));
	set_number(&v[5], !of->state->node_down[node]);
}

/* The port that has the LID: of a switch its port 0. */
static unsigned port_lid(const struct graph_of *of, uint32_t port)
{
	const struct fabric *f = of->fabric;
	uint32_t node = f->port_node[port];
	uint32_t ep = f->port_endport[node_is_switch(f, node) ? f->node_port[node] : port];

	return ep == NO_ID ? 0 : endport_lid(f, of->lids, ep);
}

static void edge_values(const struct graph_of *of, uint32_t link, struct value *v)
{
	const struct fabric *f = of->fabric;
	const uint32_t *port = &f->link_port[2 * (size_t)link];
	uint64_t all = 0;
	unsigned at = 0;

	for (unsigned end = 0; end < 2; end++, at += 4) {
		struct value node[ARRAY_LEN(node_fields)];

		node_values(of, f->port_node[port[end]], node);
		set_word(&v[at++], node[0].s);
		graph_set_guid(&v[at++], f->node_guid[f->port_node[port[end]]]);
		set_word(&v[at++], node[2].s);
		set_number(&v[at], f->port_num[port[end]]);
		set_word(&v[at + 1], fabric_port_label(f, port[end]));
		graph_set_guid(&v[at + 2], f->port_guid[port[end]]);
		graph_set_lid(&v[at + 3], port_lid(of, port[end]));
	}
	set_word(&v[at++], f->port_width[port[0]] ? link_width_name(f->port_width[port[0]]) : NULL);
	set_word(&v[at++], f->port_speed[port[0]] ? link_speed_name(f->port_speed[port[0]]) : NULL);
	set_number(&v[at++], state_link_up(f, of->state, link));
	for (unsigned end = 0; end < 2; end++) {
		v[at].known = of->load;
		v[at].n = of->load ? of->load[port[end]] : 0;
		all += v[at++].n;
	}
	v[at].known = of->load;
	v[at].n = all;
	assert(at + 1 == ARRAY_LEN(edge_fields)); /* each field has its value */
}

/* --- fields -------------------------------------------------------------------------------- */

static void xml_text(FILE *f, const char *s)
{
	static const char *const names[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};

	for (; *s; s++)
		if ((unsigned char)*s < ARRAY_LEN(names) && names[(unsigned char)*s])
			fputs(names[(unsigned char)*s], f);
		else
			putc(*s, f);
}

/* A value as it is in text, clean. */
static const char *graph_value_text(struct graph_writer *g, const struct graph_field *x,
				    const struct value *v)
{
	g->text.len = 0;
	text_add(&g->text, "%s", "");
	if (x->kind == WORD)
		clean_line(&g->text, v->s);
	else if (x->kind == TRUTH)
		text_add(&g->text, "%s", v->n ? "true" : "false");
	else
		text_add(&g->text, "%" PRIu64, v->n);
	return text_str(&g->text);
}

static json_t *value_json(const struct graph_field *x, const struct value *v)
{
	if (x->kind == NUMBER)
		return json_integer((json_int_t)v->n);
	return x->kind == TRUTH ? json_boolean(v->n) : json_text(v->s);
}

/* --- forms --------------------------------------------------------------------------------- */

static void graph_put_row(struct graph_writer *g, const struct graph_field *x, const struct value *v)
{
	AUTO_TEXT struct text line = {0};

	for (unsigned i = 0; i < ARRAY_LEN(edge_fields); i++) {
		if (i)
			text_putc(&line, ',');
		if (v && v[i].known)
			csv_add_cell(&line, graph_value_text(g, &x[i], &v[i]), g->of->safe);
		else if (!v)
			text_csv(&line, x[i].key);
	}
	fprintf(g->f, "%s\n", text_str(&line));
}

static void put_json(struct graph_writer *g, const struct graph_field *x, unsigned n, const struct value *v)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < n; i++)
		if (v[i].known && !x[i].by_node)
			json_object_set_new(o, x[i].key, value_json(&x[i], &v[i]));
	AUTO_FREE char *text = o ? json_dumps(o, JSON_ENSURE_ASCII | JSON_COMPACT) : NULL;
	g->whole &= text != NULL;
	if (text)
		fprintf(g->f, "%.*s", (int)strlen(text) - 2, text + 1); /* without its braces */
	json_decref(o);
}

/* GraphML: of = 'g', 'n', 'e', the first letter of the keys' names. */
static void put_data(struct graph_writer *g, char of, const struct graph_field *x, unsigned n,
		     const struct value *v)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].known && !x[i].by_node) {
			fprintf(g->f, "<data key=\"%c-%s\">", of, x[i].key);
			xml_text(g->f, graph_value_text(g, &x[i], &v[i]));
			fputs("</data>", g->f);
		}
}

static void put_attributes(struct graph_writer *g, const struct graph_field *x, unsigned n,
			   const struct value *v)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].known && !x[i].by_node) {
			fprintf(g->f, ", %s=\"", x[i].key);
			dot_text(g->f, graph_value_text(g, &x[i], &v[i]));
			fputc('"', g->f);
		}
}

static void graph_put_keys(FILE *f, const char *of, const struct graph_field *x, unsigned n)
{
	static const char *const type[] = {"string", "long", "boolean"};

	static_assert(ARRAY_LEN(type) == TRUTH + 1, "each kind has its word");
	for (unsigned i = 0; i < n; i++)
		if (!x[i].by_node)
			fprintf(f, "<key id=\"%c-%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", *of,
				x[i].key, of, x[i].key, type[x[i].kind]);
}

static void graph_put_head(struct graph_writer *g, const struct value *v)
{
	FILE *f = g->f;

	switch (g->form) {
	case GRAPH_CSV:
		graph_put_row(g, edge_fields, NULL);
		break;
	case GRAPH_GRAPHML:
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
		      f);
		graph_put_keys(f, "graph", graph_fields, ARRAY_LEN(graph_fields));
		graph_put_keys(f, "node", node_fields, ARRAY_LEN(node_fields));
		graph_put_keys(f, "edge", edge_fields, ARRAY_LEN(edge_fields));
		fputs("<graph id=\"fabric\" edgedefault=\"undirected\">", f);
		put_data(g, 'g', graph_fields, ARRAY_LEN(graph_fields), v);
		fputc('\n', f);
		break;
	case GRAPH_NODE_LINK:
		fputs("{\"directed\":false,\"multigraph\":true,\"graph\":{", f);
		put_json(g, graph_fields, ARRAY_LEN(graph_fields), v);
		fputs("},\n\"nodes\":[", f);
		break;
	case GRAPH_DOT:
		fputs("graph fabric {\n\tnode [fontsize=10];\n\tedge [fontsize=9];\n", f);
		break;
	}
}

static void graph_put_node(struct graph_writer *g, const struct value *v)
{
	const unsigned n = ARRAY_LEN(node_fields);
	const char *guid = v[1].s;

	if (g->form == GRAPH_GRAPHML) {
		fprintf(g->f, "<node id=\"%s\">", guid);
		put_data(g, 'n', node_fields, n, v);
		fputs("</node>\n", g->f);
	} else if (g->form == GRAPH_NODE_LINK) {
		fprintf(g->f, "%s{\"id\":\"%s\",", g->first ? "\n" : ",\n", guid);
		put_json(g, node_fields, n, v);
		fputc('}', g->f);
	} else if (g->form == GRAPH_DOT) {
		fprintf(g->f, "\t\"%s\" [shape=%s%s, label=\"", guid, *v[2].s == 's' ? "box" : "ellipse",
			v[5].n ? "" : ", style=dashed, color=red");
		dot_text(g->f, v[0].s);
		fputc('"', g->f);
		put_attributes(g, node_fields, n, v);
		fputs("];\n", g->f);
	}
	g->first = false;
}

static void put_edge(struct graph_writer *g, uint32_t link, const struct value *v)
{
	const struct fabric *f = g->of->fabric;
	const uint32_t *port = &f->link_port[2 * (size_t)link];
	const unsigned n = ARRAY_LEN(edge_fields);
	const char *a = v[1].s, *b = v[8].s;

	if (g->form == GRAPH_CSV) {
		graph_put_row(g, edge_fields, v);
	} else if (g->form == GRAPH_GRAPHML) {
		fprintf(g->f, "<edge id=\"%u\" source=\"%s\" target=\"%s\">", link, a, b);
		put_data(g, 'e', edge_fields, n, v);
		fputs("</edge>\n", g->f);
	} else if (g->form == GRAPH_NODE_LINK) {
		fprintf(g->f, "%s{\"source\":\"%s\",\"target\":\"%s\",\"key\":%u,", g->first ? "\n" : ",\n",
			a, b, link);
		put_json(g, edge_fields, n, v);
		fputc('}', g->f);
	} else {
		fprintf(g->f, "\t\"%s\" -- \"%s\" [taillabel=\"%u\", headlabel=\"%u\"%s", a, b,
			f->port_num[port[0]], f->port_num[port[1]],
			state_link_up(f, g->of->state, link) ? "" : ", style=dashed, color=red");
		put_attributes(g, edge_fields, n, v);
		fputs("];\n", g->f);
	}
	g->first = false;
}

int write_graph(FILE *f, enum graph_form form, const struct graph_of *of, const struct warnings *missing,
		struct progress *p)
{
	static const char *const end[] = {"", "</graph>\n</graphml>\n", "]}\n", "}\n"};
	const struct fabric *fb = of->fabric;
	struct graph_writer g = {.f = f, .form = form, .of = of, .first = true, .whole = true};
	struct value v[MOST] = {0};
	AUTO_TEXT struct text lacks = {0};
	bool go_on = true;

	static_assert(ARRAY_LEN(end) == GRAPH_DOT + 1, "each form has its end");
	assert(of->state->n_links == fb->n_links && of->state->n_nodes == fb->n_nodes);
	progress_start(p, "writing the fabric", fb->n_nodes + fb->n_links);
	graph_values(of, missing, &lacks, v);
	graph_put_head(&g, v);
	for (uint32_t n = 0; n < fb->n_nodes && go_on && (go_on = progress_step(p, n)); n++) {
		node_values(of, n, v);
		graph_put_node(&g, v);
	}
	if (form == GRAPH_NODE_LINK)
		fputs("],\n\"links\":[", f);
	g.first = true;
	for (uint32_t l = 0; l < fb->n_links && go_on && (go_on = progress_step(p, fb->n_nodes + l)); l++) {
		edge_values(of, l, v);
		put_edge(&g, l, v);
	}
	fputs(end[form], f);
	text_free(&g.text);
	return go_on && g.whole && !ferror(f) ? 0 : -1;
}
