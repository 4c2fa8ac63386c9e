/* The SVG of Graphviz with what it does not say: names, ids and places in the fabric. */
#include "core/analysis/draw/graphviz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/base/cursor.h"
#include "core/base/text.h"

static void put_channel_words(FILE *to, const struct cdg *c, uint32_t v)
{
	picture_cables_words(to, c->routing->topo->fabric, &c->port[v], 1);
	fprintf(to, ", VL %u", c->vl[v]);
}

static void graphviz_put_channel(FILE *to, const struct cdg *c, uint32_t v)
{
	char kind[24];

	snprintf(kind, sizeof(kind), "channel-vl%u", c->vl[v]);
	fputs("<g", to);
	picture_cables_id(to, c->routing->topo->fabric, kind, &c->port[v], 1, 0);
	fputs(" class=\"node\">\n<title>", to);
	put_channel_words(to, c, v);
	fputs("</title>\n", to);
}

static void put_dependency(FILE *to, const struct cdg *c, uint32_t v, uint32_t w)
{
	const struct fabric *f = c->routing->topo->fabric;
	uint32_t p = c->port[v], q = c->port[w], at = cdg_dependency(c, v, w);
	uint64_t a = f->node_guid[f->port_node[p]], b = f->node_guid[f->port_node[q]];

	fprintf(to,
		"<g id=\"turn-vl%u-%016" PRIx64 "-%u-vl%u-%016" PRIx64 "-%u\" data-guid=\"0x%016" PRIx64
		"\" data-port=\"%u\" data-peer-guid=\"0x%016" PRIx64
		"\" data-peer-port=\"%u\" class=\"edge\">\n"
		"<title>",
		c->vl[v], a, f->port_num[p], c->vl[w], b, f->port_num[q], a, f->port_num[p], b,
		f->port_num[q]);
	put_channel_words(to, c, v);
	fputs(", then ", to);
	put_channel_words(to, c, w);
	fprintf(to, ": %s</title>\n", PLURAL(at == NO_ID ? 0 : c->routes[at], "route"));
}

/* Writes the head of what this title is of: a channel "c3", or a dependency "c3->c4". false: of neither. */
static bool graphviz_put_head(FILE *to, const struct cdg *c, const char *title)
{
	unsigned v, w;
	int end = 0;

	if (sscanf(title, "<title>c%u</title>%n", &v, &end) == 1 && end && v < c->n_channels) {
		graphviz_put_channel(to, c, v);
		return true;
	}
	if (sscanf(title, "<title>c%u&#45;&gt;c%u</title>%n", &v, &w, &end) == 2 && end &&
	    v < c->n_channels && w < c->n_channels) {
		put_dependency(to, c, v, w);
		return true;
	}
	return false;
}

int graphviz_name(FILE *from, FILE *to, const struct cdg *c, const struct svg_about *of)
{
	struct text held = {0}, read = {0}; /* held: the line before, whose title is to come */
	bool root = false;
	struct err e;
	int got;

	while ((got = read_text_line(from, "dot", &read, &e)) > 0) {
		const char *line = text_str(&read), *rest = line;

		if (held.len && graphviz_put_head(to, c, line)) {
			held.len = 0;
			continue;
		}
		fputs(held.len ? text_str(&held) : "", to);
		held.len = 0;
		if (!strncmp(line, "<g id=\"node", 11) || !strncmp(line, "<g id=\"edge", 11)) {
			text_add(&held, "%s", line);
			continue;
		}
		if (!strcmp(line, "<title>cdg</title>\n"))
			continue;
		if (!strncmp(line, "<svg ", 5)) {
			root = true;
			rest += 4;
			fputs("<svg", to);
			svg_name(to, of->id);
		}
		fputs(rest, to);
		if (root && strchr(rest, '>')) {
			root = false;
			svg_describe(to, of);
		}
	}
	fputs(held.len ? text_str(&held) : "", to);
	text_free(&held);
	text_free(&read);
	return got < 0 || ferror(to) ? -1 : 0;
}
