/* Finds nodes and ports of a fabric for the devices and ports of a plan. */
#include "core/analysis/compare/plan.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/order.h"
#include "core/fabric/rails.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS 9 /* most digits of a number in a port's text */

/* A text that may mean a node. */
struct key {
	char *text;
	uint32_t node;
	uint32_t rank; /* lower first: 0 whole name, 1 name of the box or host, 2 without its half */
};

struct plan_names {
	const struct fabric *f;
	struct key *key; /* by text, rank, node */
	size_t n, cap;
	uint32_t *device; /* [n_nodes] plan_device() */
	uint32_t *node;	  /* of ends found */
	size_t n_nodes, cap_nodes;
};

COMPARATOR(by_text, struct key, FIELD_BY(strcasecmp, text) UP(rank) UP(node))

/* --- devices ------------------------------------------------------------------------------------- */

static void plan_names_add_key(struct plan_names *x, const char *s, size_t len, uint32_t node, uint32_t rank)
{
	GROW(x->key, x->n, x->cap);
	x->key[x->n++] = (struct key){str_printf("%.*s", (int)len, s), node, rank};
}

struct plan_names *plan_names_new(const struct fabric *f)
{
	struct plan_names *x = NEW(struct plan_names);

	x->f = f;
	x->device = NEW_ARRAY(f->n_nodes + 1, uint32_t);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		const char *name = f->node_given[n], *shown = f->node_name[n], *box;
		size_t len;

		plan_names_add_key(x, name, strlen(name), n, 0);
		if (strcmp(shown, name) != 0)
			plan_names_add_key(x, shown, strlen(shown), n, 0);
		box = box_name(name, &len);
		if (len && len < strlen(name))
			plan_names_add_key(x, box, len, n, 1);
		if (len > 2 && box[len - 2] == '-' && strchr("AaBb", box[len - 1]))
			plan_names_add_key(x, box, len - 2, n, 2);
	}
	if (x->n)
		qsort(x->key, x->n, sizeof(*x->key), by_text);
	return x;
}

void plan_names_free(struct plan_names *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->key[i].text);
	free(x->key);
	free(x->device);
	free(x->node);
	free(x);
}

const uint32_t *plan_nodes(const struct plan_names *x, const struct plan_end *end)
{
	return x->node + end->first;
}

uint32_t plan_device(const struct plan_names *x, uint32_t node)
{
	return x->device[node];
}

static void plan_names_add_end(struct plan_names *x, struct plan_end *end, uint32_t node, size_t device)
{
	if (!x->device[node])
		x->device[node] = (uint32_t)device + 1;
	GROW(x->node, x->n_nodes, x->cap_nodes);
	x->node[x->n_nodes++] = node;
	end->n++;
}

/* Add the nodes that a text means with the best rank. */
static void plan_names_add_named(struct plan_names *x, const char *text, struct plan_end *end)
{
	size_t lo = 0, hi = x->n, device;
	uint32_t rank;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(x->key[mid].text, text) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	device = lo;
	rank = lo < x->n ? x->key[lo].rank : 0;
	for (; lo < x->n && x->key[lo].rank == rank && !strcasecmp(x->key[lo].text, text); lo++)
		if (!end->n || x->node[x->n_nodes - 1] != x->key[lo].node)
			plan_names_add_end(x, end, x->key[lo].node, device);
}

static void find_device(struct plan_names *x, const char *device, struct plan_end *end)
{
	uint64_t guid;

	*end = (struct plan_end){.first = (uint32_t)x->n_nodes, .port = NO_ID};
	if (number_of_hex(device, &guid)) {
		uint32_t ep = fabric_endport_by_guid(x->f, guid), node = fabric_node_by_guid(x->f, guid);

		if (node == NO_ID && ep != NO_ID)
			node = endport_node(x->f, ep);
		if (node != NO_ID)
			plan_names_add_end(x, end, node, x->n + node);
		if (ep != NO_ID && !node_is_switch(x->f, node))
			end->port = x->f->endport_port[ep];
		return;
	}
	plan_names_add_named(x, device, end);
	if (!end->n && strchr(device, '.')) { /* a host with its domain */
		char *host = str_printf("%.*s", (int)strcspn(device, "."), device);

		plan_names_add_named(x, host, end);
		free(host);
	}
}

void plan_name_device(struct plan_names *x, const char *device)
{
	struct plan_end end;

	find_device(x, device, &end);
}

/* --- ports ----------------------------------------------------------------------------------------- */

/* A number in a port's text, and the first letter of its word: "Blade 16" is b 16, "2" is 0 2. */
struct plan_names_part {
	char letter;
	unsigned number;
};

/* Takes the next number. False: there is none, or it is too long. A blade is a leaf board: letter l. */
static bool plan_names_next_part(const char **p, struct plan_names_part *part)
{
	const char *s = *p;
	size_t digits;

	*part = (struct plan_names_part){0};
	for (; *s && !isdigit((unsigned char)*s); s++)
		if (!isalpha((unsigned char)*s))
			part->letter = *s == '/' || *s == '_' || *s == ':' ? 0 : part->letter;
		else if (s == *p || !isalpha((unsigned char)s[-1]))
			part->letter = strchr("bB", *s) ? 'l' : (char)tolower((unsigned char)*s);
	digits = strspn(s, "0123456789");
	*p = s + digits;
	if (!digits || digits > DIGITS)
		return false;
	part->number = (unsigned)strtoul(s, NULL, 10);
	return true;
}

/* Does the text name such a board, chip or adapter? */
static bool text_has(const char *text, struct plan_names_part want)
{
	struct plan_names_part have;

	while (plan_names_next_part(&text, &have))
		if (have.number == want.number &&
		    (have.letter == want.letter || (!want.letter && have.letter == 'u')))
			return true;
	return false;
}

static bool node_has(const struct fabric *f, uint32_t node, struct plan_names_part want)
{
	size_t len;
	const char *box = box_name(f->node_given[node], &len), *path = box + len,
		   *place = f->node_chassis_place[node];

	if (*path == ':') /* the model may have numbers */
		path += strcspn(path, "/");
	if (node_is_switch(f, node) && !strpbrk(path, "0123456789") && !place)
		return want.number == 1; /* a box of one chip */
	return text_has(path, want) || (place && text_has(place, want));
}

/* Keep the nodes that have the part, in their names or on their boards. */
static void plan_names_narrow(struct plan_names *x, struct plan_end *end, struct plan_names_part want)
{
	uint32_t n = 0;

	want.letter = want.letter == 'p' ? 0 : want.letter; /* "Port 2/20" is port 20 of chip 2 */
	for (uint32_t i = 0; i < end->n; i++)
		if (node_has(x->f, x->node[end->first + i], want))
			x->node[end->first + n++] = x->node[end->first + i];
	end->n = n;
}

/*
 * The only port of the nodes with this label (NULL: any), this number on the front panel (0: any), and a
 * cable, if cabled. NO_ID: none, or several.
 */
static uint32_t plan_names_only_port(const struct plan_names *x, const struct plan_end *end,
				     const char *label, unsigned ext, bool cabled)
{
	uint32_t found = NO_ID, n = 0;

	for (uint32_t i = 0; i < end->n; i++) {
		uint32_t node = x->node[end->first + i];

		for (unsigned p = 1; p <= x->f->node_nports[node]; p++) {
			uint32_t port = x->f->node_port[node] + p;
			const char *has = label ? fabric_port_label(x->f, port) : NULL;

			if ((label && (!has || strcasecmp(has, label) != 0)) ||
			    (ext && x->f->port_ext[port] != ext) ||
			    (cabled && x->f->port_peer[port] == NO_ID))
				continue;
			found = port;
			n++;
		}
	}
	return n == 1 ? found : NO_ID;
}

static bool any_ext(const struct plan_names *x, const struct plan_end *end)
{
	for (uint32_t i = 0; i < end->n; i++)
		for (unsigned p = 1; p <= x->f->node_nports[x->node[end->first + i]]; p++)
			if (x->f->port_ext[x->f->node_port[x->node[end->first + i]] + p])
				return true;
	return false;
}

/* Keeps the node whose name, or last word of it, is the text: "HOST ibp11s0f0" or "ibp11s0f0". */
static bool narrow_to_name(struct plan_names *x, struct plan_end *end, const char *text)
{
	for (uint32_t i = 0; i < end->n; i++) {
		uint32_t node = x->node[end->first + i];
		const char *name = x->f->node_given[node], *last = strrchr(name, ' ');

		if (strcasecmp(name, text) != 0 && (!last || strcasecmp(last + 1, text) != 0))
			continue;
		x->node[end->first] = node;
		end->n = 1;
		return true;
	}
	return false;
}

/* Finds the port by its number, which may follow boards and chips. */
static char *find_numbered(struct plan_names *x, const char *text, struct plan_end *end)
{
	struct plan_names_part part, port = {0};
	bool any = false, board = false, host = !node_is_switch(x->f, x->node[end->first]);
	uint32_t node;

	for (const char *p = text; plan_names_next_part(&p, &part); any = true) {
		if (any)
			plan_names_narrow(x, end, port);
		board = any;
		port = part;
	}
	if (!any || !port.number)
		return str_printf("found port \"%s\", expected a number, a label or an adapter's name", text);
	if (!end->n)
		return str_printf("it has no \"%s\"", text);
	end->number = port.number;
	if (board && any_ext(x, end)) { /* in a chassis: the number on the front panel */
		end->port = plan_names_only_port(x, end, NULL, end->number, false);
		return end->port == NO_ID ? str_printf("it has no \"%s\"", text) : NULL;
	}
	if (end->n > 1 && host)
		return NULL;
	if (end->n > 1)
		return str_printf("%u nodes fit: %s, %s%s", end->n, x->f->node_name[x->node[end->first]],
				  x->f->node_name[x->node[end->first + 1]], end->n > 2 ? ", ..." : "");
	node = x->node[end->first];
	if (port.number > x->f->node_nports[node])
		return str_printf("%s has no port %u, expected 1 to %u", x->f->node_name[node], port.number,
				  x->f->node_nports[node]);
	end->port = x->f->node_port[node] + port.number;
	return NULL;
}

char *plan_find(struct plan_names *x, const struct planned_end *want, struct plan_end *end, bool *whole)
{
	char *why;

	find_device(x, want->device, end);
	*whole = !end->n;
	if (!end->n)
		return str_dup("no node of the fabric is named so");
	if (!want->port || narrow_to_name(x, end, want->port)) {
		if (end->port == NO_ID)
			end->port = plan_names_only_port(x, end, NULL, 0, false);
		if (end->port == NO_ID)
			end->port = plan_names_only_port(x, end, NULL, 0, true);
		return NULL;
	}
	end->port = plan_names_only_port(x, end, want->port, 0, false);
	why = end->port == NO_ID ? find_numbered(x, want->port, end) : NULL;
	x->n_nodes = end->first + end->n;
	return why;
}
