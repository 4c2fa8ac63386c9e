/* The parts that a fabric has, for a later check; and the parts that have vanished by then. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"

#define CABLE "0x%" SCNx64 "[%3u] 0x%" SCNx64 "[%3u]" /* GUID[PORT] GUID[PORT] */

/* Does a node have a cable that is up? st NULL: any cable. */
static bool cabled(const struct fabric *f, const struct state *st, uint32_t node)
{
	for (uint32_t p = f->node_port[node]; p <= f->node_port[node] + f->node_nports[node]; p++)
		if (f->port_link[p] != NO_ID && (!st || state_link_up(f, st, f->port_link[p])))
			return true;
	return false;
}

/* Gigabits a second of a port's cable; 0: not known. */
static double vanished_rate_of(const struct fabric *f, uint32_t port)
{
	return link_rate_gbps(f->port_width[port], f->port_speed[port]);
}

json_t *present_json(const struct fabric *f, const struct lids *l, const struct state *st)
{
	json_t *list[2] = {json_array(), json_array()}, *cables = json_array();
	char cable[64];

	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (cabled(f, st, n))
			json_array_append_new(list[node_is_switch(f, n)], json_node(f, l, n));
	for (uint32_t k = 0; k < f->n_links; k++) {
		uint32_t a = f->link_port[2 * k], b = f->link_port[2 * k + 1];

		if (!state_link_up(f, st, k))
			continue;
		snprintf(cable, sizeof(cable), "0x%016" PRIx64 "[%u] 0x%016" PRIx64 "[%u]%s%s%s",
			 f->node_guid[f->port_node[a]], f->port_num[a], f->node_guid[f->port_node[b]],
			 f->port_num[b], vanished_rate_of(f, a) > 0 ? " " : "",
			 vanished_rate_of(f, a) > 0 ? link_width_name(f->port_width[a]) : "",
			 vanished_rate_of(f, a) > 0 ? link_speed_name(f->port_speed[a]) : "");
		json_array_append_new(cables, json_text(cable));
	}
	return json_make("{s:o, s:o, s:o}", "hosts", list[0], "switches", list[1], "cables", cables);
}

static const char *vanished_member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* Does a word name a node of the document: by its GUID, its name or the first words of that? */
static bool vanished_is_named(const json_t *node, const char *word)
{
	const char *name = vanished_member(node, "name");
	size_t len = strlen(word);

	return !strcasecmp(vanished_member(node, "guid"), word) ||
	       (len && !strncasecmp(name, word, len) && (!name[len] || name[len] == ' '));
}

static const json_t *next_present(const json_t *present, size_t *i)
{
	const json_t *hosts = json_object_get(present, "hosts");
	size_t n = json_array_size(hosts), at = (*i)++;

	return at < n ? json_array_get(hosts, at)
		      : json_array_get(json_object_get(present, "switches"), at - n);
}

static void vanished_add_end(const json_t *present, uint64_t guid, unsigned port, json_t *list)
{
	const json_t *x;
	char word[24], label[400];
	size_t i = 0;

	snprintf(word, sizeof(word), "0x%016" PRIx64, guid);
	while ((x = next_present(present, &i)) && strcmp(vanished_member(x, "guid"), word) != 0)
		;
	snprintf(label, sizeof(label), "%s[%u]", x ? vanished_member(x, "name") : word, port);
	json_array_append_new(list, json_text(label));
}

void present_peers(const json_t *present, const char *word, unsigned port, json_t *list)
{
	const json_t *cables = json_object_get(present, "cables"), *x;

	for (size_t i = 0; (x = next_present(present, &i));)
		for (size_t k = 0; vanished_is_named(x, word) && k < json_array_size(cables); k++) {
			const char *text = json_string_value(json_array_get(cables, k)), *at;
			uint64_t guid[2];
			unsigned p[2], end;

			at = text ? strstr(text, vanished_member(x, "guid")) : NULL;
			if (!at || sscanf(text, CABLE, &guid[0], &p[0], &guid[1], &p[1]) != 4)
				continue;
			end = at != text;
			if (!port || p[end] == port)
				vanished_add_end(present, guid[!end], p[!end], list);
		}
}

/* A node of the document. */
struct known {
	uint64_t guid;
	const json_t *object;
	uint32_t node; /* in this fabric, or NO_ID */
	uint8_t kind;  /* kind of fault, if the node is gone */
	bool up;       /* it has a cable that is up */
};

struct vanished_look {
	struct faults *out;
	const struct sweep *w;
	const char *path;
	struct known *known;
	size_t n, here;
	struct err *e;
};

COMPARATOR(by_guid, struct known, UP(guid))

static int read_nodes(struct vanished_look *k, const json_t *list, enum fault_kind kind)
{
	const struct fabric *f = k->w->fabric;

	k->known = mem_resize(k->known, k->n + json_array_size(list) + 1, sizeof(*k->known));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct known x = {.object = json_array_get(list, i), .kind = (uint8_t)kind};
		const char *guid = json_string_value(json_object_get(x.object, "guid"));

		if (!guid || !number_of_hex(guid, &x.guid))
			return err_set(k->e, "%s: list of present nodes: found %s, expected a GUID", k->path,
				       guid ? guid : "nothing");
		x.node = fabric_node_by_guid(f, x.guid);
		x.up = x.node != NO_ID && cabled(f, k->w->setup->state, x.node);
		k->here += x.node != NO_ID;
		k->known[k->n++] = x;
	}
	return 0;
}

/* Is a host's loss no fault of its own: is it reported as cut off, or outside of the scope? */
static bool told_otherwise(const struct sweep *w, uint32_t node)
{
	const struct fabric *f = w->fabric;
	bool counts = !w->hosts->narrowed;

	for (uint32_t p = 0; node != NO_ID && p <= f->node_nports[node]; p++) {
		uint32_t ep = f->port_endport[f->node_port[node] + p];

		counts |= ep != NO_ID && w->hosts->in[ep];
	}
	return !counts || (node != NO_ID && !w->setup->state->node_down[node] && cabled(f, NULL, node));
}

/* Is the rate behind a cable of the document higher than that of the cable now? NULL: no, or not known. */
static const char *faster_before(const struct fabric *f, uint32_t port, const char *cable)
{
	const char *rate = strrchr(cable, ' ') + 1, *x = strchr(rate, 'x');
	double was = x && *rate != '0' ? link_rate_gbps(link_width_parse(rate, (size_t)(x - rate) + 1),
							link_speed_parse(x + 1, strlen(x + 1)))
				       : 0;

	return was > 0 && vanished_rate_of(f, port) > 0 && vanished_rate_of(f, port) < was ? rate : NULL;
}

/* A cable that is gone, or slower.  It is reported only if both of its nodes are still there. */
static int cable_gone(struct vanished_look *k, const char *text)
{
	const struct fabric *f = k->w->fabric;
	const struct known *end[2] = {NULL};
	uint64_t guid[2];
	unsigned port[2];
	struct fault x = {.kind = FAULT_CABLE_GONE};
	uint32_t p, q;

	if (text && sscanf(text, CABLE, &guid[0], &port[0], &guid[1], &port[1]) == 4)
		for (int i = 0; i < 2; i++)
			end[i] = bsearch(&(struct known){.guid = guid[i]}, k->known, k->n, sizeof(*k->known),
					 by_guid);
	if (!end[0] || !end[1])
		return err_set(k->e,
			       "%s: list of cables: found %s, expected GUID[PORT] GUID[PORT] of nodes in the "
			       "same file",
			       k->path, text ? text : "nothing");
	if (!end[0]->up || !end[1]->up)
		return 0;
	p = port[0] > f->node_nports[end[0]->node] ? NO_ID : f->node_port[end[0]->node] + port[0];
	q = p == NO_ID || f->port_link[p] == NO_ID || !state_link_up(f, k->w->setup->state, f->port_link[p])
		    ? NO_ID
		    : f->port_peer[p];
	x.port = (uint8_t)port[0];
	x.offset = (uint16_t)port[1];
	x.from = guid[0];
	x.to = guid[1];
	x.at_from.object = end[0]->object;
	x.at_to.object = end[1]->object;
	if (q != NO_ID && f->port_node[q] == end[1]->node && f->port_num[q] == port[1]) {
		x.kind = FAULT_CABLE_SLOWER;
		x.u.what = faster_before(f, p, text);
	}
	if (x.kind == FAULT_CABLE_GONE || x.u.what)
		fault_put(k->out, &x);
	return 0;
}

static int look_for(struct vanished_look *k, const json_t *present)
{
	const json_t *cables = json_object_get(present, "cables");
	size_t nodes = k->w->fabric->n_nodes;
	int rc = 0;

	if (!present)
		return err_set(k->e,
			       "%s: the check in it does not list what is present; let this version of "
			       "ibscope write the file",
			       k->path);
	if (read_nodes(k, json_object_get(present, "hosts"), FAULT_HOST_GONE) ||
	    read_nodes(k, json_object_get(present, "switches"), FAULT_SWITCH_GONE))
		return -1;
	if (!k->n || 4 * k->here < MAX(k->n, nodes))
		return err_set(k->e,
			       "%s: it seems to be of another fabric: of its %zu hosts and switches, %zu are "
			       "among the %zu of %s by GUID; expected at least a quarter of both",
			       k->path, k->n, k->here, nodes, k->w->fabric->source);
	qsort(k->known, k->n, sizeof(*k->known), by_guid);
	for (size_t i = 0; i < k->n; i++) {
		const struct known *x = &k->known[i];

		if (!x->up && (x->kind == FAULT_SWITCH_GONE || !told_otherwise(k->w, x->node)))
			fault_put(k->out, &(struct fault){.kind = x->kind,
							  .from = x->guid,
							  .at_from.object = x->object});
	}
	for (size_t i = 0; !rc && i < json_array_size(cables); i++)
		rc = cable_gone(k, json_string_value(json_array_get(cables, i)));
	return rc;
}

int faults_vanished(struct faults *out, const struct faults *was, const struct sweep *w, const char *path,
		    struct err *e)
{
	struct vanished_look k = {.out = out, .w = w, .path = path, .e = e};
	int rc;

	faults_begin(out, NULL, NULL, e);
	rc = look_for(&k, json_object_get(was->doc, "present"));
	free(k.known);
	return rc ? -1 : faults_sort(out);
}
