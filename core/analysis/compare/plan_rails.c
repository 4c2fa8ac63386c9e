/* Names of a plan found in a fabric; rails of hosts and the ports proposed for them. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/analysis/compare/plan.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"

/* Finds nodes and ports of a fabric for the devices and ports of a plan. */

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

/* Are two names the same but for their numbers? */
static bool plan_names_kin(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (!*a || tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return *a == *b;
	}
}

uint32_t plan_kin(const struct plan_names *x, const char *device)
{
	for (size_t i = 0; i < x->n; i++)
		if (plan_names_kin(x->key[i].text, device))
			return x->key[i].node;
	return NO_ID;
}

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
		const char *name = f->node_given[n], *shown = f->node_name[n];
		size_t len;

		plan_names_add_key(x, name, strlen(name), n, 0);
		if (strcmp(shown, name) != 0)
			plan_names_add_key(x, shown, strlen(shown), n, 0);
		const char *box = box_name(name, &len);
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
	assert(node < x->f->n_nodes);
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
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(x->key[mid].text, text) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t device = lo;
	uint32_t rank = lo < x->n ? x->key[lo].rank : 0;
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
		AUTO_FREE char *host = str_printf("%.*s", (int)strcspn(device, "."), device);

		plan_names_add_named(x, host, end);
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

	*part = (struct plan_names_part){0};
	for (; *s && !isdigit((unsigned char)*s); s++)
		if (!isalpha((unsigned char)*s))
			part->letter = *s == '/' || *s == '_' || *s == ':' ? 0 : part->letter;
		else if (s == *p || !isalpha((unsigned char)s[-1]))
			part->letter = strchr("bB", *s) ? 'l' : (char)tolower((unsigned char)*s);
	size_t digits = strspn(s, "0123456789");
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

/* Keeps the node whose name, or its last word, is the text: "HOST ibp11s0f0" or "ibp11s0f0". */
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
	uint32_t node = x->node[end->first];
	if (port.number > x->f->node_nports[node])
		return str_printf("%s has no port %u, expected 1 to %u", x->f->node_name[node], port.number,
				  x->f->node_nports[node]);
	end->port = x->f->node_port[node] + port.number;
	return NULL;
}

char *plan_find(struct plan_names *x, const struct planned_end *want, struct plan_end *end, bool *whole)
{
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
	char *why = end->port == NO_ID ? find_numbered(x, want->port, end) : NULL;
	x->n_nodes = end->first + end->n;
	return why;
}

/* Rails of hosts, and ports on switches for hosts that should hang elsewhere. */

/* Hosts that all differ in the same way from a group this many times as large belong to it; with most in
 * common, they belong to any larger group. */
#define FEW 4

/* --- ports on switches ------------------------------------------------------------------------------- */

/* The switch that a port leads to, NO_ID: none. */
static uint32_t leads_to(const struct fabric *f, uint32_t port)
{
	uint32_t peer = f->port_peer[port];

	return peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
}

struct plan_rails_places {
	const struct fabric *f;
	struct plan_place *place;
	size_t n;
	bool *failed; /* [n] no port is left */
	bool *taken;  /* [n_ports] */
	struct progress *p;
};

static void plan_rails_take(struct plan_rails_places *x, size_t i, uint32_t port)
{
	x->place[i].to = port;
	x->taken[port] = true;
}

/* A port of another host that leaves the switch; mutual: which goes to where this one is. */
static void take_left(struct plan_rails_places *x, size_t i, bool mutual)
{
	const struct plan_place *p = &x->place[i];
	uint32_t here = leads_to(x->f, p->port);

	for (size_t j = 0; j < x->n; j++) {
		const struct plan_place *q = &x->place[j];

		if (x->failed[j] || leads_to(x->f, q->port) != p->sw || x->taken[x->f->port_peer[q->port]])
			continue;
		if (mutual &&
		    (here == NO_ID || q->sw != here || q->to != NO_ID || x->taken[x->f->port_peer[p->port]]))
			continue;
		if (mutual)
			plan_rails_take(x, j, x->f->port_peer[p->port]);
		plan_rails_take(x, i, x->f->port_peer[q->port]);
		return;
	}
}

static void plan_rails_take_free(struct plan_rails_places *x, size_t i)
{
	FOR_PORTS(x->f, x->place[i].sw, port)
		if (x->f->port_peer[port] == NO_ID && !x->taken[port]) {
			plan_rails_take(x, i, port);
			return;
		}
}

/* One try with those that have not failed.  True: each got a port. */
static bool plan_rails_place_all(struct plan_rails_places *x)
{
	bool all = true;

	memset(x->taken, 0, x->f->n_ports * sizeof(*x->taken));
	for (size_t i = 0; i < x->n; i++)
		x->place[i].to = NO_ID;
	for (int how = 0; how < 3; how++)
		for (size_t i = 0; i < x->n; i++) {
			if (x->failed[i] || x->place[i].to != NO_ID || !progress_step(x->p, 0))
				continue;
			if (how < 2)
				take_left(x, i, how == 0);
			else
				plan_rails_take_free(x, i);
		}
	for (size_t i = 0; i < x->n; i++)
		if (!x->failed[i] && x->place[i].to == NO_ID) {
			x->failed[i] = true;
			all = false;
		}
	return all || progress_cancelled(x->p);
}

void plan_wish_places(const struct fabric *f, struct plan_place *place, size_t n, struct plan_report *r,
		      struct progress *p)
{
	AUTO_FREE bool *failed = NEW_ARRAY(n + 1, bool), *taken = NEW_ARRAY(f->n_ports + 1, bool);
	struct plan_rails_places x = {f, place, n, failed, taken, p};

	while (!plan_rails_place_all(&x))
		; /* who got a port of one that stays must look again */
	for (size_t i = 0; i < n; i++)
		if (place[i].to == NO_ID)
			r->left++;
		else
			plan_add_wish(r, place[i].port, place[i].to, 0, 0, false);
}

/* --- hosts ------------------------------------------------------------------------------------------- */

/* Ports of one host: hca[first] up to the next host's. */
struct host {
	uint32_t first, n;
	uint32_t cabled; /* to switches */
	uint32_t group;	 /* the host with the group's switches, NO_ID: none */
	uint32_t alike;	 /* hosts with the same rails and switches */
};

struct rails {
	const struct fabric *f;
	struct rail_port *hca;
	size_t n;
	struct host *host;
	size_t n_hosts, cap_hosts;
	struct progress *p;
};

static void find_ports(struct rails *x)
{
	x->hca = rail_ports(x->f, &x->n);
	for (uint32_t i = 0; i < x->n; i++) {
		if (!i || x->hca[i - 1].host != x->hca[i].host) {
			GROW(x->host, x->n_hosts, x->cap_hosts);
			x->host[x->n_hosts++] = (struct host){i, 0, 0, NO_ID, 0};
		}
		x->host[x->n_hosts - 1].n++;
		x->host[x->n_hosts - 1].cabled += x->hca[i].sw != NO_ID;
	}
}

/* The next cabled port of a host from *at on; NULL: none. */
static const struct rail_port *next_cabled(const struct rails *x, const struct host *h, uint32_t *at)
{
	while (*at < h->n) {
		const struct rail_port *c = &x->hca[h->first + (*at)++];

		if (c->sw != NO_ID)
			return c;
	}
	return NULL;
}

/* The switch on which a host has a rail, NO_ID: none. */
static uint32_t plan_rails_switch_of(const struct rails *x, const struct host *h, uint32_t rail)
{
	const struct rail_port *c;
	uint32_t at = 0;

	while ((c = next_cabled(x, h, &at)))
		if (c->rail == rail)
			return c->sw;
	return NO_ID;
}

/* Rails that two hosts have on the same switch, counted twice, and more: any on switches that both have. */
static uint32_t in_common(const struct rails *x, const struct host *h, const struct host *g)
{
	const struct rail_port *c, *d;
	uint32_t at = 0, score = 0;

	while ((c = next_cabled(x, h, &at))) {
		bool both = false;
		uint32_t k = 0;

		score += 2 * (plan_rails_switch_of(x, g, c->rail) == c->sw);
		while (!both && (d = next_cabled(x, g, &k)))
			both = d->sw == c->sw;
		score += both;
	}
	return score;
}

/* Order of the hosts by their rails and switches. */
static int compare_hosts(const struct rails *x, const struct host *a, const struct host *b)
{
	uint32_t i = 0, k = 0;

	for (;;) {
		const struct rail_port *c = next_cabled(x, a, &i), *d = next_cabled(x, b, &k);

		if (!c || !d)
			return (c != NULL) - (d != NULL);
		ORDER(c->rail, d->rail);
		ORDER(c->sw, d->sw);
	}
}

/* A host that stands for all alike. */
struct plan_rails_alike {
	const struct rails *x;
	uint32_t host, count;
};

static int by_switches(const void *first, const void *second)
{
	const struct plan_rails_alike *a = first, *b = second;
	int d = compare_hosts(a->x, &a->x->host[a->host], &b->x->host[b->host]);

	return d ? d : COMPARED(a->host, b->host);
}

COMPARATOR(most_first, struct plan_rails_alike, DOWN(count) UP(host))

/* The groups: what hosts have in common, except those that are another group with some cables elsewhere. */
static size_t find_groups(struct rails *x, struct plan_rails_alike *g)
{
	size_t n = 0, kinds = 0, groups = 0;

	for (uint32_t i = 0; i < x->n_hosts; i++)
		if (x->host[i].cabled > 1)
			g[n++] = (struct plan_rails_alike){x, i, 1};
	qsort(g, n, sizeof(*g), by_switches);
	for (size_t i = 0; i < n; i++)
		if (kinds && !compare_hosts(x, &x->host[g[kinds - 1].host], &x->host[g[i].host]))
			g[kinds - 1].count++;
		else
			g[kinds++] = g[i];
	qsort(g, kinds, sizeof(*g), most_first);
	for (size_t i = 0; i < kinds && g[i].count > 1; i++) {
		const struct host *h = &x->host[g[i].host];
		bool own = true;

		for (size_t k = 0; own && k < groups && g[k].count > g[i].count; k++)
			own = in_common(x, h, &x->host[g[k].host]) <
			      h->cabled * (g[k].count >= FEW * g[i].count ? 1 : 2);
		if (own)
			g[groups++] = g[i];
	}
	return groups;
}

/* Each host's group: that with which it has most in common; on a tie that of the host before it by name. */
static void join_groups(struct rails *x, const struct plan_rails_alike *g, size_t groups)
{
	uint32_t before = NO_ID;

	for (uint32_t i = 0; i < x->n_hosts && progress_step(x->p, i); i++) {
		struct host *h = &x->host[i];
		uint32_t best = 0;

		for (size_t k = 0; h->cabled > 1 && k < groups; k++) {
			uint32_t score = in_common(x, h, &x->host[g[k].host]);

			if (score > best || (score && score == best && g[k].host == before)) {
				best = score;
				h->group = g[k].host;
			}
		}
		before = h->group == NO_ID ? before : h->group;
	}
}

/* --- what is reported -------------------------------------------------------------------------------- */

static void count_groups(const struct rails *x, const struct plan_rails_alike *g, size_t groups,
			 struct plan_rails *r)
{
	r->groups = (uint32_t)groups;
	for (size_t k = 0; k < groups; k++) {
		const struct host *h = &x->host[g[k].host];
		uint32_t at = 0;
		const struct rail_port *first = next_cabled(x, h, &at), *c = first;

		while (c && c->sw == first->sw)
			c = next_cabled(x, h, &at);
		r->shared += !c;
		r->rails = MAX(h->cabled, r->rails);
	}
	for (size_t i = 0; i < x->n_hosts; i++) {
		r->hosts += x->host[i].group != NO_ID;
		r->alone += x->host[i].group == NO_ID && x->host[i].cabled > 1;
	}
}

/* Ports that are elsewhere than their group's rail. */
static size_t plan_rails_find_places(const struct rails *x, struct plan_place *place, struct plan_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_hosts; i++)
		for (uint32_t k = 0; x->host[i].group != NO_ID && k < x->host[i].n; k++) {
			const struct rail_port *c = &x->hca[x->host[i].first + k];
			uint32_t sw = plan_rails_switch_of(x, &x->host[x->host[i].group], c->rail);

			if (sw == NO_ID)
				continue;
			r->cables++;
			r->there += sw == c->sw;
			if (sw != c->sw)
				place[n++] = (struct plan_place){c->port, sw, NO_ID};
		}
	return n;
}

static void tell_places(const struct rails *x, struct plan_place *place, size_t n, struct plan_report *r)
{
	const uint32_t *peer = x->f->port_peer;

	for (size_t i = 0; i < n && progress_step(x->p, 0); i++) {
		size_t other = 0;

		while (other < n &&
		       (peer[place[i].port] == NO_ID || place[i].to == NO_ID ||
			place[other].to != peer[place[i].port] || peer[place[other].port] != place[i].to))
			other++;
		if (other < i)
			continue; /* reported with that one */
		struct plan_difference *d = plan_tell(r,
						      other < n			     ? PLAN_SWAPPED
						      : peer[place[i].port] == NO_ID ? PLAN_MISSING
										     : PLAN_LEAF,
						      NO_ID);
		d->at = place[i].port;
		d->found = peer[place[i].port];
		d->planned = other < n ? place[i].to : x->f->switch_port[place[i].sw];
		d->other = other < n ? place[other].port : NO_ID;
	}
}

int plan_compare_rails(const struct fabric *f, struct plan_rails *rails, struct plan_report *r,
		       struct progress *p, struct err *e)
{
	struct rails x = {.f = f, .p = p};

	*rails = (struct plan_rails){0};
	*r = (struct plan_report){0};
	progress_start(p, "looking for rails", 0);
	find_ports(&x);
	AUTO_FREE struct plan_rails_alike *group = NEW_ARRAY(x.n_hosts + 1, struct plan_rails_alike);
	AUTO_FREE struct plan_place *place = NEW_ARRAY(x.n + 1, struct plan_place);
	size_t groups = find_groups(&x, group);
	join_groups(&x, group, groups);
	count_groups(&x, group, groups, rails);
	size_t n = plan_rails_find_places(&x, place, r);
	plan_wish_places(f, place, n, r, p);
	tell_places(&x, place, n, r);
	free(x.hca);
	free(x.host);
	return progress_cancelled(p) ? (plan_free(r), err_set(e, CANCELLED)) : 0;
}
