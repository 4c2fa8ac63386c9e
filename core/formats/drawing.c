#include "core/formats/drawing.h"
#include "core/base/clean.h"
#include "core/base/json.h"
#include "core/base/memory.h"

#include <stdlib.h>

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

struct edge {
	uint32_t a, b; /* nodes, a <= b */
	bool up;
};

static int edge_compare(const void *x, const void *y)
{
	const struct edge *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	if (p->b != q->b)
		return p->b < q->b ? -1 : 1;
	return p->up - q->up;
}

int write_dot(FILE *f, const struct fabric *fb, const struct state *st)
{
	struct edge *e = NEW_ARRAY(fb->n_links, struct edge);

	fprintf(f, "graph fabric {\n\tnode [fontsize=10];\n\tedge [fontsize=9];\n");
	for (uint32_t n = 0; n < fb->n_nodes; n++) {
		fprintf(f, "\t\"%016lx\" [label=\"", fb->node_guid[n]);
		dot_text(f, fb->node_name[n]);
		fprintf(f, "\", shape=%s%s];\n", node_is_switch(fb, n) ? "box" : "ellipse",
			st && st->node_down[n] ? ", style=dashed, color=red" : "");
	}
	for (uint32_t l = 0; l < fb->n_links; l++) {
		uint32_t a = fb->port_node[fb->link_port[2 * l]], b = fb->port_node[fb->link_port[2 * l + 1]];

		e[l] = (struct edge){a < b ? a : b, a < b ? b : a, !st || state_link_up(fb, st, l)};
	}
	qsort(e, fb->n_links, sizeof(*e), edge_compare);
	for (uint32_t l = 0, n; l < fb->n_links; l += n) {
		for (n = 1; l + n < fb->n_links && !edge_compare(&e[l], &e[l + n]);)
			n++;
		fprintf(f, "\t\"%016lx\" -- \"%016lx\"", fb->node_guid[e[l].a], fb->node_guid[e[l].b]);
		fprintf(f, e[l].up ? " [" : " [style=dashed, color=red, ");
		if (n > 1)
			fprintf(f, "label=\"x%u\", ", n);
		fprintf(f, "penwidth=%u];\n", n < 6 ? n : 6);
	}
	fprintf(f, "}\n");
	free(e);
	return ferror(f) ? -1 : 0;
}

static json_t *switch_json(const struct sweep *w, uint32_t sw)
{
	const struct fabric *f = w->fabric;
	const struct lft_row *row = w->routing->row[sw];
	json_t *lft = json_object();
	char key[8];

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		if (row->port[lid] != NO_PATH) {
			snprintf(key, sizeof(key), "%u", lid);
			json_object_set_new(lft, key, json_integer(row->port[lid]));
		}
	return json_make("{s:o, s:s, s:i, s:b, s:o}", "guid", json_guid(f->node_guid[f->switch_node[sw]]),
			 "name", switch_name(f, sw), "ports", (int)f->switch_nports[sw], "up",
			 (int)switch_up(w->topo, sw), "lft", lft);
}

static json_t *endport_json(const struct sweep *w, uint32_t ep)
{
	const struct fabric *f = w->fabric;
	uint32_t port = f->endport_port[ep], sw = w->topo->endport_switch[ep];

	return json_make("{s:o, s:s, s:i, s:i, s:b, s:s*, s:i}", "guid", json_guid(f->port_guid[port]),
			 "name", f->node_name[f->port_node[port]], "lid", (int)w->lids->base[ep], "lids",
			 (int)w->lids->count[ep], "up", (int)w->topo->endport_up[ep], "switch",
			 sw == NO_ID ? NULL : switch_name(f, sw), "port", (int)w->topo->endport_swport[ep]);
}

/* Two more blanks before each line; texts in JSON have no raw line ends. */
static int put_indented(const char *buf, size_t size, void *f)
{
	for (size_t i = 0; i < size; i++) {
		fputc(buf[i], f);
		if (buf[i] == '\n')
			fputs("  ", f);
	}
	return ferror(f) ? -1 : 0;
}

/* An element of an array of the outermost object, or the value of a key of it; v is used up.  0, or -1. */
static int put_value(FILE *f, const char *before, json_t *v)
{
	int rc;

	fputs(before, f);
	rc = v ? json_dump_callback(v, put_indented, f, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY)
	       : -1;
	json_decref(v);
	return rc;
}

/* One switch or port is made at a time: all of them would take a hundred times the tables. */
int write_json(FILE *f, const struct sweep *w)
{
	int rc = put_value(f, "{\n \"fabric\": ", json_text(w->fabric->source));
	uint32_t n = 0;

	rc |= put_value(f, ",\n \"engine\": ", json_text(w->routing->engine));
	fprintf(f, ",\n \"lmc\": %u,\n \"max_lid\": %u,\n \"switches\": [", w->lids->lmc, w->lids->max_lid);
	for (uint32_t s = 0; s < w->fabric->n_switches && !rc; s++, n++)
		rc = put_value(f, n ? ",\n  " : "\n  ", switch_json(w, s));
	fprintf(f, "%s],\n \"endports\": [", n ? "\n " : "");
	n = 0;
	for (uint32_t ep = 0; ep < w->fabric->n_endports && !rc; ep++)
		if (!endport_is_switch(w->fabric, ep))
			rc = put_value(f, n++ ? ",\n  " : "\n  ", endport_json(w, ep));
	fprintf(f, "%s]\n}\n", n ? "\n " : "");
	return rc || ferror(f) ? -1 : 0;
}
