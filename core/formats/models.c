/*
 * Fabrics and tables as other models write them: netloc's .ndat, and .ned with .fdbs of the InfiniBand
 * model of OMNeT++ (core/formats/doc/formats.md 9.9).
 */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/fabric/state.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"
#include "core/routing/paths.h"

/* --- netloc ---------------------------------------------------------------------------------------- */

#define NETLOC_SWITCH 1 /* its node_type */

bool is_netloc(const struct input *in)
{
	struct cursor all = {in->data, in->data + in->size};

	return cur_char(&all, '{') && cur_find(&all, "\"node_info\"") && cur_find(&all, "\"edge_info\"");
}

/* A number up to `most`, which netloc writes as text; 0: there is none. */
static uint64_t netloc_number(const json_t *of, const char *key, uint64_t most)
{
	uint64_t v;

	return cur_is_number(cur_text(json_string_value(json_object_get(of, key))), 10, &v) && v <= most ? v
													 : 0;
}

/* "0002:c903:0006:dc31"; 0: it is none. */
static uint64_t netloc_guid(const char *text)
{
	uint64_t v = 0, part;
	struct cursor c = cur_text(text);

	while (cur_number(&c, 16, &part) && part <= UINT16_MAX) {
		v = v << 16 | part;
		cur_char(&c, ':');
	}
	return cur_empty(&c) ? v : 0;
}

/* One of the ends of an edge, "src" or "dest": the GUID of its node, and its port. */
static uint64_t netloc_end(const json_t *edge, const char *end, uint64_t *port)
{
	char key[24];

	assert(strlen(end) <= 4);
	snprintf(key, sizeof(key), "%s_port_id", end);
	*port = netloc_number(edge, key, MAX_PORTS);
	snprintf(key, sizeof(key), "%s_node_id", end);
	return netloc_guid(json_string_value(json_object_get(edge, key)));
}

static void netloc_add_node(struct fabric_builder *b, const char *id, const json_t *n)
{
	const bool is_switch = json_integer_value(json_object_get(n, "node_type")) == NETLOC_SWITCH;
	const uint64_t guid = netloc_guid(id);
	struct cursor name = cur_text(json_string_value(json_object_get(n, "desc")));
	uint32_t node = guid ? add_node(b, is_switch ? NODE_SWITCH : NODE_CA, guid, !is_switch, 0) : NO_ID;

	if (!guid)
		warnings_missing(&b->warnings, "impossible node", 0, "found a node '%s', expected a GUID",
				 id);
	if (node == NO_ID)
		return;
	if (cur_len(name) > 1 && *name.p == '\'')
		name = (struct cursor){name.p + 1, name.end - 1};
	b->node[node].desc = cur_clean(name, DESC_MAX);
	b->node[node].port[!is_switch].guid = guid;
	b->node[node].port[!is_switch].lid = (uint16_t)netloc_number(n, "log_id", UINT16_MAX);
}

static void netloc_add_edge(struct fabric_builder *b, const char *id, const json_t *edge)
{
	static const char *const end[] = {"src", "dest"};
	const char *width = json_string_value(json_object_get(edge, "width")),
		   *speed = json_string_value(json_object_get(edge, "speed"));
	uint64_t port[2];
	uint32_t node[2];

	for (unsigned i = 0; i < 2; i++) {
		node[i] = fb_find(b, netloc_end(edge, end[i], &port[i]));
		if (node[i] == NO_ID || !port[i]) {
			warnings_missing(&b->warnings, "dangling link", 0,
					 "found edge %s without a node and port as its %s", id, end[i]);
			return;
		}
		fb_more_ports(b, node[i], (unsigned)port[i]);
	}
	b->node[node[0]].port[port[0]].width = link_width_parse(width, width ? strlen(width) : 0);
	b->node[node[0]].port[port[0]].speed = link_speed_parse(speed, speed ? strlen(speed) : 0);
	add_cable(b, node, port, "edge", 0);
}

int parse_netloc(const struct input *in, struct fabric **out, struct err *e)
{
	json_t *all = json_loadb(in->data, in->size, 0, NULL), *v;
	struct fabric_builder *b;
	const char *id;

	if (!all)
		return err_set(e, "%s: found a part of netloc's .ndat, expected a whole JSON object",
			       in->name);
	b = fb_new();
	b->untold = str_dup("node GUIDs of hosts (those of their ports are taken), ports without a cable");
	b->sm_guessed = true;
	json_object_foreach(json_object_get(all, "node_info"), id, v)
	{
		netloc_add_node(b, id, v);
	}
	json_object_foreach(json_object_get(all, "edge_info"), id, v)
	{
		netloc_add_edge(b, id, v);
	}
	json_decref(all);
	return fb_finish(b, in->name, "netloc", out, e);
}

bool has_netloc_paths(const struct input *in)
{
	struct cursor all = {in->data, in->data + in->size};

	return cur_char(&all, '{') && cur_find(&all, "\"path_info\"");
}

/* The table of each switch is what its edges on all paths tell. */
static void netloc_add_paths(struct tables_reader *r, const json_t *edges, json_t *paths)
{
	const struct fabric *f = r->f;
	json_t *to, *path, *edge;
	const char *src, *dst;
	uint64_t port;
	char id[24];
	size_t i;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		tables_switch(r, f->node_guid[f->switch_node[sw]]);
		tables_entry(r, sw, f->port_lid[f->switch_port[sw]], 0);
	}
	json_object_foreach(paths, src, to)
	{
		json_object_foreach(to, dst, path)
		{
			uint32_t ep = fabric_endport_by_guid(f, netloc_guid(dst));

			json_array_foreach(path, i, edge)
			{
				snprintf(id, sizeof(id), "%" JSON_INTEGER_FORMAT, json_integer_value(edge));
				uint64_t guid = netloc_end(json_object_get(edges, id), "src", &port);
				uint32_t n = ep == NO_ID ? NO_ID : fabric_node_by_guid(f, guid);

				if (n != NO_ID && node_is_switch(f, n))
					tables_entry(r, f->node_switch[n], f->port_lid[f->endport_port[ep]],
						     port);
			}
		}
	}
}

int read_netloc_paths(struct tables_reader *r, const struct input *in, struct err *e)
{
	AUTO_FREE char *data = NULL;
	json_t *paths, *nodes = NULL;
	size_t size;

	r->info.format = "netloc";
	if (strcmp(r->f->format, "netloc") != 0)
		return err_set(
			e, "%s: found paths of netloc, expected the fabric of its -nodes.ndat loaded before",
			in->name);
	if (read_packed_file(r->f->source, in->progress, &data, &size, e))
		return -1;
	paths = json_loadb(in->data, in->size, 0, NULL);
	nodes = json_loadb(data, size, 0, NULL);
	netloc_add_paths(r, json_object_get(nodes, "edge_info"), json_object_get(paths, "path_info"));
	json_decref(nodes);
	json_decref(paths);
	return paths ? 0
		     : err_set(e, "%s: found a part of netloc's paths, expected a whole JSON object",
			       in->name);
}

/* --- OMNeT++: a .ned is read as the edge list that it stands for ----------------------------------- */

#define NED_DEPTH 16	  /* loops, and parentheses, within each other */
#define NED_STEPS 2000000 /* rounds of loops and cables, in all */
#define NED_NODES 50000	  /* in all: hosts have LIDs */

/* A line of submodules: `NAME[N]: TYPE`. */
struct ned_module {
	struct cursor name;
	unsigned n, ports;
	bool many, host;
};

/* A loop's variable. */
struct ned_value {
	struct cursor name;
	double value;
};

struct ned_reader {
	const struct input *in;
	struct cursor c; /* what is still to be read, without comments */
	struct text edges;
	struct ned_module *module;
	size_t n_modules, cap_modules;
	struct ned_value value[NED_DEPTH];
	unsigned n_values, depth, steps, nodes, hosts;
	const char *stopped; /* what cannot be read; NULL: all can */
};

static double ned_fail(struct ned_reader *r)
{
	if (!r->stopped)
		r->stopped = r->c.p;
	return 0;
}

static struct cursor ned_word(struct cursor *c)
{
	struct cursor w = {(cur_blanks(c), c->p), c->p};

	while (w.end < c->end && (isalnum((unsigned char)*w.end) || *w.end == '_'))
		w.end++;
	c->p = w.end;
	return w;
}

static double ned_sum(struct ned_reader *r);

/* A number, a loop's variable, `(...)` or `int(...)`. */
static double ned_factor(struct ned_reader *r)
{
	const bool whole = cur_word(&r->c, "int(");
	uint64_t number;

	if (whole || cur_char(&r->c, '(')) {
		double v = ++r->depth < NED_DEPTH ? ned_sum(r) : ned_fail(r);

		r->depth--;
		if (!cur_char(&r->c, ')'))
			ned_fail(r);
		return whole ? trunc(v) : v;
	}
	if (cur_number(&r->c, 10, &number))
		return (double)number;
	const struct cursor name = ned_word(&r->c);
	for (unsigned i = r->n_values; i-- > 0;)
		if (cur_same(name, r->value[i].name))
			return r->value[i].value;
	return ned_fail(r);
}

static double ned_product(struct ned_reader *r)
{
	double v = ned_factor(r);

	while (!r->stopped) {
		if (cur_char(&r->c, '*'))
			v *= ned_factor(r);
		else if (cur_char(&r->c, '/'))
			v /= ned_factor(r);
		else if (cur_char(&r->c, '%'))
			v = fmod(v, ned_factor(r));
		else
			break;
	}
	return v;
}

static double ned_sum(struct ned_reader *r)
{
	double v = ned_product(r);

	while (!r->stopped) {
		if (cur_char(&r->c, '+'))
			v += ned_product(r);
		else if (cur_char(&r->c, '-'))
			v -= ned_product(r);
		else
			break;
	}
	return v;
}

/* `[E]`; without it 0. */
static unsigned ned_index(struct ned_reader *r, unsigned most)
{
	double v = 0;

	if (cur_char(&r->c, '[')) {
		v = ned_sum(r);
		if (!cur_char(&r->c, ']') || !(v >= 0 && v <= most))
			ned_fail(r);
	}
	return r->stopped ? 0 : (unsigned)v;
}

static void ned_put_name(struct ned_reader *r, const struct ned_module *m, unsigned i)
{
	assert(i < m->n);
	text_add(&r->edges, m->many ? "\"%.*s-%u\"" : "\"%.*s\"", CUR_ARGS(m->name), i);
}

/* `NAME[E].port[E]` */
static void ned_read_end(struct ned_reader *r)
{
	const struct cursor name = ned_word(&r->c);
	const unsigned i = ned_index(r, NED_NODES),
		       port = cur_word(&r->c, ".port") ? ned_index(r, MAX_PORTS - 1) : (unsigned)ned_fail(r);

	for (size_t m = 0; m < r->n_modules; m++)
		if (cur_same(name, r->module[m].name) && i < r->module[m].n) {
			ned_put_name(r, &r->module[m], i);
			text_add(&r->edges, "[%u] ", port + 1);
			return;
		}
	ned_fail(r);
}

/* `A.port[0] <--> IB4XQDRWire <--> B.port[1];`, with or without a channel. */
static void ned_read_cable(struct ned_reader *r)
{
	struct cursor rate = {0};
	uint64_t width;

	ned_read_end(r);
	if (!cur_word(&r->c, "<-->") || ++r->steps > NED_STEPS)
		ned_fail(r);
	struct cursor channel = r->c, name = ned_word(&channel);
	if (cur_word(&channel, "<-->")) {
		r->c = channel;
		if (cur_word(&name, "IB") && cur_number(&name, 10, &width) && cur_char(&name, 'X'))
			rate = (struct cursor){name.p, cur_find(&name, "Wire")};
	}
	if (!r->stopped)
		ned_read_end(r);
	if (rate.end && link_speed_parse(rate.p, cur_len(rate)))
		text_add(&r->edges, "%" PRIu64 "x%.*s", width, CUR_ARGS(rate));
	text_putc(&r->edges, '\n');
	if (!cur_char(&r->c, ';'))
		ned_fail(r);
}

static void ned_read_block(struct ned_reader *r);

/* `i = A..B, j = C..D {...}` */
static void ned_read_loop(struct ned_reader *r)
{
	const struct cursor name = ned_word(&r->c);
	const double from = cur_char(&r->c, '=') ? ned_sum(r) : ned_fail(r),
		     to = cur_word(&r->c, "..") ? ned_sum(r) : ned_fail(r);
	const struct cursor body = r->c;
	const unsigned at = r->n_values++;

	assert(at <= NED_DEPTH); /* deeper loops are refused here */

	if (at >= NED_DEPTH || !(from <= to)) /* a loop of no rounds would have no sense */
		ned_fail(r);
	for (double i = from; !r->stopped && i <= to; i++) {
		r->value[at] = (struct ned_value){name, i};
		r->c = body;
		if (++r->steps > NED_STEPS || progress_cancelled(r->in->progress))
			ned_fail(r);
		else if (cur_char(&r->c, ','))
			ned_read_loop(r);
		else if (cur_char(&r->c, '{'))
			ned_read_block(r);
		else
			ned_fail(r);
	}
	r->n_values = at;
}

/* Loops and cables, up to `}`. */
static void ned_read_block(struct ned_reader *r)
{
	while (!r->stopped && !cur_char(&r->c, '}')) {
		if (cur_word(&r->c, "for "))
			ned_read_loop(r);
		else
			ned_read_cable(r);
	}
}

/* `NAME[E]: TYPE;`, or a block in place of the semicolon, which may tell the number of ports. */
static void ned_read_module(struct ned_reader *r)
{
	struct ned_module m = {.name = ned_word(&r->c), .ports = 1, .n = 1};
	struct cursor type = {0}, body = {0};
	uint64_t ports;

	m.many = !cur_empty(&r->c) && *r->c.p == '[';
	if (m.many)
		m.n = ned_index(r, NED_NODES);
	if (cur_char(&r->c, ':'))
		type = ned_word(&r->c);
	if (cur_char(&r->c, '{')) {
		body.p = r->c.p;
		for (unsigned open = 1; open && !cur_empty(&r->c); r->c.p++)
			open += (*r->c.p == '{') - (*r->c.p == '}');
		body.end = r->c.p;
	} else if (!cur_char(&r->c, ';')) {
		ned_fail(r);
	}
	m.host = cur_find(&type, "HCA") != NULL;
	if (cur_behind(&body, "port[") && cur_number(&body, 10, &ports) && ports <= MAX_PORTS)
		m.ports = (unsigned)ports;
	if (cur_empty(&m.name) || (r->nodes += m.n) > NED_NODES)
		ned_fail(r);
	if (!m.host && !cur_find(&type, "Switch"))
		return; /* it has no cable */
	r->hosts += m.host ? m.n : 0;
	GROW(r->module, r->n_modules, r->cap_modules);
	r->module[r->n_modules++] = m;
}

/* Hosts have their LIDs in the order of the file; those of switches follow. */
static void ned_put_nodes(struct ned_reader *r)
{
	unsigned lid[2] = {r->hosts, 0};

	for (size_t m = 0; m < r->n_modules; m++)
		for (unsigned i = 0; i < r->module[m].n; i++) {
			const struct ned_module *of = &r->module[m];

			text_add(&r->edges, "%s ", of->host ? "host" : "switch");
			ned_put_name(r, of, i);
			text_add(&r->edges, " %u lid=%u", of->ports, ++lid[of->host]);
			for (unsigned p = 1; of->host && p < of->ports; p++)
				text_add(&r->edges, ",0");
			text_putc(&r->edges, '\n');
		}
}

bool is_ned(const struct input *in)
{
	struct cursor all = {in->data, in->data + in->size};

	return cur_find(&all, "network ") && cur_find(&all, "submodules:") && cur_find(&all, "connections");
}

int parse_ned(const struct input *in, struct fabric **out, struct err *e)
{
	AUTO_FREE char *text = mem_dup(in->data, in->size);
	struct ned_reader r = {.in = in, .c = {text, text + in->size}};
	unsigned line = 1;
	char found[40];
	int status;

	for (char *p = text; p + 1 < r.c.end; p++) /* comments */
		for (bool comment = p[0] == '/' && p[1] == '/'; comment && p < r.c.end && *p != '\n'; p++)
			*p = ' ';
	cur_behind(&r.c, "submodules:");
	while (!r.stopped && !cur_word(&r.c, "connections"))
		ned_read_module(&r);
	ned_put_nodes(&r);
	cur_behind(&r.c, ":");
	ned_read_block(&r);
	for (const char *p = text; r.stopped && p < r.stopped; p++)
		line += *p == '\n';
	if (r.stopped)
		status = err_set(e,
				 "%s:%u: found '%s', expected submodules NAME[N]: TYPE of Switch or HCA, and "
				 "A.port[E] <--> B.port[E]; in for i=A..B {...}",
				 in->name, line,
				 excerpt((struct cursor){r.stopped, r.c.end}, found, sizeof(found)));
	else
		status = parse_edges(&(struct input){in->name, text_str(&r.edges), r.edges.len, in->progress},
				     out, e);
	text_free(&r.edges);
	free(r.module);
	if (status)
		return -1;
	free((*out)->format);
	free((*out)->untold);
	(*out)->format = str_dup("ned");
	(*out)->untold = str_dup("GUIDs, LIDs of switches");
	return 0;
}

#define FDBS_MOST 16000000 /* tables tried at switches */

/* A table of .fdbs: `N: PORT PORT ...`, an entry for each LID from 0 on. */
static bool fdbs_row(struct cursor line, struct cursor *ports)
{
	uint64_t number;

	if (!cur_number(&line, 10, &number) || !cur_char(&line, ':'))
		return false;
	*ports = line;
	return cur_number(&line, 10, &number);
}

static bool begins_fdbs_row(struct cursor line)
{
	return fdbs_row(line, &(struct cursor){0});
}

bool is_omnet_fdbs(const struct input *in)
{
	return any_line(in, begins_fdbs_row);
}

/* Does a port of a switch lead to an endport, or nearer to the switch that has it?  hops: from that switch.
 */
static bool fdbs_leads(const struct fabric *f, const uint16_t *hops, uint32_t sw, unsigned port, uint32_t ep)
{
	assert(sw < f->n_switches && ep < f->n_endports);
	if (!port || port > f->switch_nports[sw])
		return false;
	const uint32_t peer = f->port_peer[switch_port_id(f, sw, port)];
	const uint32_t next = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

	return next == NO_ID ? peer == f->endport_port[ep] : hops[next] + 1 == hops[sw];
}

/* Counts entries that lead nowhere or away, of each table at each switch: wrong[switch * n + table]. */
static void fdbs_judge(const struct fabric *f, const uint8_t *table, uint32_t n, unsigned width,
		       struct progress *p, uint32_t *wrong)
{
	AUTO_STATE const struct state *up = state_new(f);
	AUTO_TOPO const struct topo *t = topo_new(f, up);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(f->n_switches, uint16_t);

	for (uint32_t ep = 0, last = NO_ID; ep < f->n_endports && !progress_cancelled(p); ep++) {
		const uint32_t port = f->endport_port[ep], peer = f->port_peer[port];
		const uint32_t home = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

		if (endport_is_switch(f, ep) || home == NO_ID)
			continue;
		if (home != last)
			switch_distances(t, home, hops);
		last = home;
		for (uint32_t i = 0; i < f->n_switches * n; i++)
			wrong[i] += !fdbs_leads(f, hops, i / n, table[i % n * width + f->port_lid[port]], ep);
	}
}

int read_omnet_fdbs(struct tables_reader *r, const struct input *in, struct err *e)
{
	const struct fabric *f = r->f;
	struct lines l = lines_of(in);
	unsigned width = 1;
	struct cursor line, c;
	uint32_t n = 0;

	r->info.format = "omnet";
	if (strcmp(f->format, "ned") != 0)
		return err_set(e,
			       "%s: found tables of OMNeT++, expected the fabric of its .ned loaded before",
			       in->name);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		width = MAX(width, f->port_lid[f->endport_port[ep]] + 1u);
	AUTO_FREE uint8_t *table = NEW_ARRAY((size_t)f->n_switches * width + 1, uint8_t);
	while (lines_next(&l, &line)) {
		if (n < f->n_switches && fdbs_row(line, &c)) {
			uint64_t port;

			for (unsigned lid = 0; lid < width && cur_number(&c, 10, &port); lid++)
				table[n * width + lid] = port < MAX_PORTS ? (uint8_t)(port + 1) : 0;
			n++;
		} else if (cur_says(line)) {
			tables_unknown(r, l.no, line);
		}
	}
	if ((uint64_t)f->n_switches * n > FDBS_MOST)
		return err_set(e, "%s: found %u tables for %u switches, expected fewer", in->name, n,
			       f->n_switches);
	AUTO_FREE uint32_t *wrong = NEW_ARRAY((size_t)f->n_switches * n + 1, uint32_t);
	AUTO_FREE bool *used = NEW_ARRAY(n + 1, bool);
	fdbs_judge(f, table, n, width, in->progress, wrong);
	/* the file does not say whose a table is: it belongs where it leads */
	for (uint32_t sw = 0; n && sw < f->n_switches; sw++) {
		uint32_t best = 0;

		for (uint32_t t = 1; t < n; t++) {
			const uint32_t a = wrong[sw * n + t], b = wrong[sw * n + best];

			if (a < b || (a == b && used[best] && !used[t]))
				best = t;
		}
		used[best] = true;
		tables_switch(r, f->node_guid[f->switch_node[sw]]);
		tables_entry(r, sw, f->port_lid[f->switch_port[sw]], 0);
		for (unsigned lid = 1; lid < width; lid++)
			if (table[best * width + lid])
				tables_entry(r, sw, lid, table[best * width + lid]);
	}
	return 0;
}
