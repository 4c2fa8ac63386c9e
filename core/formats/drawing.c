#include "core/base/defs.h"
#include "core/formats/drawing.h"
#include "core/base/clean.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/routing/json_names.h"
#include "core/base/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dot_text(FILE *f, const char *s)
{
	struct text t = {0};

	for (s = clean_string(s, &t); *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	text_free(&t);
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
	struct drawing_edge *e = NEW_ARRAY(fb->n_links, struct drawing_edge);
	bool go_on = true;

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
	free(e);
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
	json_t *o;

	if (endport_is_switch(f, ep))
		return NULL;
	o = json_make("{s:o, s:s, s:i, s:i, s:b, s:i}", "guid", json_guid(f->port_guid[port]), "name",
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
		char *text = o ? json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;

		if (text) {
			fputs(first ? "\n  " : ",\n  ", f);
			for (at = text; (nl = strchr(at, '\n')); at = nl + 1) /* two levels down */
				fprintf(f, "%.*s\n  ", (int)(nl - at), at);
			fputs(at, f);
			first = false;
		}
		whole &= !o || text;
		free(text);
		json_decref(o);
	}
	fputs(first ? "]" : "\n ]", f);
	return go_on && whole;
}

int write_json(FILE *f, const struct json_of *w, const struct warnings *missing, struct progress *p)
{
	struct text lacks = {0};
	json_t *head;
	char *text;
	bool whole;

	warnings_tell_missing(missing, &lacks);
	head = json_make("{s:s, s:s*, s:i, s:i, s:b, s:s}", "fabric", w->topo->fabric->source, "engine",
			 w->routing ? w->routing->engine : NULL, "lmc", (int)w->lids->lmc, "max_lid",
			 (int)w->lids->max_lid, "complete", (int)!missing->missing, "missing",
			 text_str(&lacks));
	if (w->from_scratch)
		json_object_set_new(head, "from_scratch", json_true());
	text = head ? json_dumps(head, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;
	whole = text != NULL;
	if (whole) {
		fprintf(f, "%.*s", (int)strlen(text) - 2, text); /* without "\n}" */
		whole = put_list(f, "switches", switch_json, w, w->topo->fabric->n_switches, p) &&
			put_list(f, "endports", endport_json, w, w->topo->fabric->n_endports, p) &&
			put_list(f, "links", drawing_link_json, w, w->topo->fabric->n_links, p);
		fputs("\n}\n", f);
	}
	free(text);
	text_free(&lacks);
	json_decref(head);
	return whole && !ferror(f) ? 0 : -1;
}
