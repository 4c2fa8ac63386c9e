/* Plans of cables compared with a fabric: ends, hosts and switches that are not where they belong. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/analysis/compare/faults.h"
#include "core/analysis/compare/plan.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/routing/json_names.h"
#include "core/routing/paths.h"

#define HOST_ROWS 2 /* cables of a device that may be a host */

static uint64_t over(uint64_t pairs, uint64_t cables)
{
	return cables ? (pairs + cables - 1) / cables : 0;
}

/* Cables of a switch to others outside of its set; of: [n_switches] sets. */
static uint32_t leaving(const struct topo *t, uint32_t sw, const uint32_t *of)
{
	uint32_t n = 0;

	for (unsigned k = 1; k <= t->fabric->switch_nports[sw]; k++) {
		uint32_t to = t->peer_switch[switch_port_id(t->fabric, sw, k)];

		n += to != NO_ID && of[to] != of[sw];
	}
	return n;
}

/* The sets' bound.  all: [n_switches] hosts that a switch has a way to, its own among them. */
static uint64_t cuts_bound(const struct topo *t, const uint32_t *hosts, const uint64_t *all,
			   const uint32_t *of)
{
	uint32_t n = t->fabric->n_switches;
	uint64_t most = 0;
	AUTO_FREE uint64_t *inside = NEW_ARRAY(n + 1, uint64_t), *cut = NEW_ARRAY(n + 1, uint64_t);

	for (uint32_t s = 0; s < n; s++) {
		if (of[s] == NO_ID)
			continue;
		inside[of[s]] += hosts[s];
		cut[of[s]] += leaving(t, s, of);
	}
	for (uint32_t s = 0; s < n; s++) {
		uint64_t in = of[s] == NO_ID ? 0 : inside[of[s]],
			 bound = in ? over(2 * in * (all[s] - in), cut[of[s]]) : 0;

		most = MAX(bound, most);
	}
	return most;
}

uint64_t cabling_bound(const struct topo *t, const uint32_t *hosts, const struct elements *el)
{
	uint32_t n = t->fabric->n_switches;
	AUTO_FREE uint32_t *own = NEW_ARRAY(n + 1, uint32_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n + 1, uint16_t);
	uint64_t links = 0, ends = 0;
	AUTO_FREE uint64_t *all = NEW_ARRAY(n + 1, uint64_t);

	for (uint32_t s = 0; s < n; s++)
		own[s] = s;
	for (uint32_t s = 0; s < n; s++) {
		ends += leaving(t, s, own);
		if (!hosts[s])
			continue;
		switch_distances(t, s, hops);
		for (uint32_t d = 0; d < n; d++) {
			if (hops[d] == NO_HOPS)
				continue;
			all[s] += hosts[d];
			links += (uint64_t)hosts[s] * hosts[d] * hops[d];
		}
	}
	for (uint32_t e = 0; el && e < el->n; e++) /* chips of one element reach the same hosts */
		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			for (uint32_t o = el->first_chip[e]; !all[el->chip[c]] && o < el->first_chip[e + 1];
			     o++)
				all[el->chip[c]] = all[el->chip[o]];
	uint64_t most = over(links, ends / 2);
	uint64_t cuts = cuts_bound(t, hosts, all, own);
	most = MAX(cuts, most);
	if (el)
		cuts = cuts_bound(t, hosts, all, el->of);
	return MAX(cuts, most);
}

/* Hosts that are not on the switch where they belong: Slurm's topology against the fabric. */

/* A host of a group (Slurm's switch or block) has a cable to a switch. */
struct plan_leaves_hang {
	uint32_t group, sw, row;
};

struct plan_leaves {
	const struct fabric *f;
	const struct cabling *plan;
	struct plan_names *names;
	struct plan_report *r;
	uint32_t *group;       /* [rows] number of the group: its first row; NO_ID: the host was not found */
	uint32_t *port;	       /* [rows] first cabled port of the host, else its first port */
	uint32_t *main_switch; /* [rows, by group] the switch that the group means, NO_ID: none */
	uint32_t *owner;       /* [n_switches] the group with most hosts there, or NO_ID */
	struct plan_leaves_hang *hang;
	size_t n, cap;
};

struct plan_difference *plan_tell(struct plan_report *r, enum plan_change change, uint32_t row)
{
	assert(change < PLAN_CHANGES);
	GROW(r->d, r->n, r->cap);
	r->d[r->n] = (struct plan_difference){change, row, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NULL};
	return &r->d[r->n++];
}

static void plan_tell_unknown(struct plan_report *r, uint32_t row, const struct planned_end *end, bool whole,
			      const char *why)
{
	GROW(r->unknown, r->n_unknown, r->cap_unknown);
	r->unknown[r->n_unknown++] = (struct plan_unknown){.device = end->device,
							   .port = whole || !end->port ? "" : end->port,
							   .why = str_dup(why),
							   .row = row,
							   .rows = 1};
}

COMPARATOR(by_group, struct plan_leaves_hang, UP(group) UP(sw) UP(row))

static void plan_leaves_find_host(struct plan_leaves *l, uint32_t row)
{
	const struct fabric *f = l->f;
	const struct planned_cable *want = l->plan->row;
	bool same = row && want[row].line == want[row - 1].line, whole;
	struct plan_end end;
	char *why = plan_find(l->names, &want[row].end[0], &end, &whole);

	l->group[row] = same ? l->group[row - 1] : row;
	l->main_switch[row] = NO_ID;
	if (why) {
		plan_tell_unknown(l->r, row, &want[row].end[0], whole, why);
		plan_tell(l->r, PLAN_NOT_FOUND, row)->why = why;
		l->r->left++;
		l->port[row] = NO_ID;
		return;
	}
	l->r->cables++;
	l->port[row] = f->node_port[plan_nodes(l->names, &end)[0]] + 1;
	for (uint32_t i = 0; i < end.n; i++) {
		uint32_t node = plan_nodes(l->names, &end)[i];

		for (unsigned p = 1; p <= f->node_nports[node]; p++) {
			uint32_t port = f->node_port[node] + p, to = f->port_peer[port];

			if (to == NO_ID || f->node_switch[f->port_node[to]] == NO_ID)
				continue;
			if (f->port_peer[l->port[row]] == NO_ID)
				l->port[row] = port;
			GROW(l->hang, l->n, l->cap);
			l->hang[l->n++] = (struct plan_leaves_hang){l->group[row],
								    f->node_switch[f->port_node[to]], row};
		}
	}
}

/* The switch that has the group's name, or NO_ID: Slurm may use other names. */
static uint32_t named_switch(const struct plan_leaves *l, uint32_t group)
{
	struct plan_end end;
	bool whole;

	free(plan_find(l->names, &l->plan->row[group].end[1], &end, &whole));
	return end.n == 1 ? l->f->node_switch[plan_nodes(l->names, &end)[0]] : NO_ID;
}

/* Returns where the run of hang[i] ends: hosts of one group on one switch. */
static size_t plan_leaves_run_end(const struct plan_leaves *l, size_t i)
{
	size_t end = i + 1;

	while (end < l->n && l->hang[end].group == l->hang[i].group && l->hang[end].sw == l->hang[i].sw)
		end++;
	return end;
}

/* Finds each switch's group with most hosts, and each group's switch: of its name, or with most hosts. */
static void plan_leaves_find_owners(struct plan_leaves *l)
{
	AUTO_FREE uint32_t *most = NEW_ARRAY(l->f->n_switches + l->plan->n + 1, uint32_t);
	uint32_t *best = most + l->f->n_switches;

	for (size_t i = 0, end; i < l->n; i = end) {
		const struct plan_leaves_hang *h = &l->hang[i];

		end = plan_leaves_run_end(l, i);
		if (end - i > most[h->sw]) {
			most[h->sw] = (uint32_t)(end - i);
			l->owner[h->sw] = h->group;
		}
	}
	for (size_t i = 0, end; i < l->n; i = end) {
		const struct plan_leaves_hang *h = &l->hang[i];

		end = plan_leaves_run_end(l, i);
		uint32_t rank = 2 * (uint32_t)(end - i) + (l->owner[h->sw] == h->group);
		if (rank > best[h->group]) {
			best[h->group] = rank;
			l->main_switch[h->group] = h->sw;
		}
	}
	for (uint32_t g = 0; l->plan->kind == CABLING_LEAVES && g < l->plan->n; g++)
		if (l->group[g] == g && named_switch(l, g) != NO_ID)
			l->main_switch[g] = named_switch(l, g);
}

/* Slurm's plans say where hosts are connected, but nothing about cables between switches. */
static void count_outside(struct plan_leaves *l)
{
	const struct fabric *f = l->f;

	for (uint32_t i = 0; i < f->n_links; i++) {
		uint32_t a = f->port_node[f->link_port[2 * i]], z = f->port_node[f->link_port[2 * i + 1]];

		if (node_is_switch(f, a) && node_is_switch(f, z))
			l->r->outside.between++;
		else if ((node_is_switch(f, a) || !plan_device(l->names, a)) &&
			 (node_is_switch(f, z) || !plan_device(l->names, z)))
			l->r->outside.unnamed++;
	}
}

static void tell_leaves(struct plan_leaves *l, struct progress *p)
{
	AUTO_FREE bool *there = NEW_ARRAY(l->plan->n + 1, bool);
	AUTO_FREE struct plan_place *place = NEW_ARRAY(l->plan->n + 1, struct plan_place);
	size_t n_places = 0;

	for (size_t i = 0; i < l->n; i++) { /* which hosts are where they should be? */
		const struct plan_leaves_hang *h = &l->hang[i];

		there[h->row] |= l->plan->kind == CABLING_BLOCKS ? l->owner[h->sw] == h->group
								 : l->main_switch[h->group] == h->sw;
	}
	for (uint32_t row = 0; row < l->plan->n; row++) {
		uint32_t sw = l->main_switch[l->group[row]];

		l->r->there += there[row];
		if (there[row] || l->port[row] == NO_ID)
			continue;
		struct plan_difference *d = plan_tell(l->r, PLAN_LEAF, row);
		d->at = l->port[row];
		d->found = l->f->port_peer[d->at];
		d->planned = l->plan->kind == CABLING_LEAVES && sw != NO_ID ? l->f->switch_port[sw] : NO_ID;
		l->r->left += sw == NO_ID;
		if (sw != NO_ID)
			place[n_places++] = (struct plan_place){d->at, sw, NO_ID};
	}
	plan_wish_places(l->f, place, n_places, l->r, p);
	for (uint32_t n = 0; n < l->f->n_nodes; n++)
		l->r->unplanned += l->f->node_type[n] == NODE_CA && !node_is_aggregation(l->f, n) &&
				   !plan_device(l->names, n);
	count_outside(l);
}

/* Slurm's plans. */
static int plan_leaves(const struct fabric *f, const struct cabling *plan, struct plan_names *x,
		       struct plan_report *r, struct progress *p)
{
	AUTO_FREE uint32_t *ids = NEW_ARRAY(3 * plan->n + f->n_switches + 1, uint32_t);
	struct plan_leaves l = {.f = f,
				.plan = plan,
				.names = x,
				.r = r,
				.group = ids,
				.port = ids + plan->n,
				.main_switch = ids + 2 * plan->n,
				.owner = ids + 3 * plan->n};
	bool go_on = true;

	memset(l.owner, 0xff, f->n_switches * sizeof(*l.owner));
	for (uint32_t row = 0; row < plan->n && (go_on = progress_step(p, row)); row++)
		plan_leaves_find_host(&l, row);
	if (go_on) {
		if (l.n)
			qsort(l.hang, l.n, sizeof(*l.hang), by_group);
		plan_leaves_find_owners(&l);
		tell_leaves(&l, p);
	}
	free(l.hang);
	return go_on ? 0 : -1;
}

#define LOOK 64 /* rows between two checks for cancelling */

const char *const plan_change_word[PLAN_CHANGES] = {"missing", "extra",	    "wrong-port", "swapped",
						    "rate",    "not-found", "twice",	  "leaf"};

struct plan_comparison {
	const struct fabric *f;
	const struct cabling *plan;
	struct plan_names *names;
	struct plan_report *r;
	struct plan_end (*end)[2]; /* [rows] */
	bool *open;		   /* [rows] still to be found */
	uint32_t *row_of;	   /* [n_ports] the row that wants the port, NO_ID */
	bool *used;		   /* [n_links] found in a row */
	bool *extra;		   /* [n_links] reported as extra */
	bool covers[2];		   /* the plan has cables of hosts; of two switches */
};

void plan_add_wish(struct plan_report *r, uint32_t a, uint32_t b, uint8_t width, uint8_t speed, bool there)
{
	assert(a != b);
	GROW(r->wish, r->n_wishes, r->cap_wishes);
	r->wish[r->n_wishes++] = (struct plan_wish){{a, b}, width, speed, there};
}

COMPARATOR(by_name, struct plan_unknown, FIELD_BY(strcasecmp, device) FIELD_BY(strcasecmp, port) UP(row))
COMPARATOR(by_row, struct plan_unknown, UP(row))

/* Join entries about the same device and port. */
static void join_unknown(struct plan_report *r)
{
	size_t n = 0;

	if (r->n_unknown)
		qsort(r->unknown, r->n_unknown, sizeof(*r->unknown), by_name);
	for (size_t i = 0; i < r->n_unknown; i++) {
		struct plan_unknown *u = &r->unknown[i], *last = n ? &r->unknown[n - 1] : NULL;

		if (last && !strcasecmp(last->device, u->device) && !strcasecmp(last->port, u->port)) {
			last->rows++;
			free(u->why);
		} else {
			r->unknown[n++] = *u;
		}
	}
	r->n_unknown = n;
	if (n)
		qsort(r->unknown, n, sizeof(*r->unknown), by_row);
}

static uint32_t peer(const struct plan_comparison *c, uint32_t port)
{
	return port == NO_ID ? NO_ID : c->f->port_peer[port];
}

static void use(struct plan_comparison *c, uint32_t port)
{
	if (port != NO_ID && c->f->port_link[port] != NO_ID)
		c->used[c->f->port_link[port]] = true;
}

static bool is_used(const struct plan_comparison *c, uint32_t port)
{
	return c->used[c->f->port_link[port]];
}

/* --- rows ------------------------------------------------------------------------------------------ */

static bool found_switch(const struct plan_comparison *c, const struct plan_end *end)
{
	return node_is_switch(c->f, plan_nodes(c->names, end)[0]);
}

/* Find both ends of a row. False: one is missing, which is reported. */
static bool plan_find_row(struct plan_comparison *c, uint32_t row)
{
	const struct planned_cable *want = &c->plan->row[row];
	struct plan_end *end = c->end[row];
	char *first = NULL;

	for (int k = 0; k < 2; k++) {
		bool whole;
		char *why = plan_find(c->names, &want->end[k], &end[k], &whole);

		if (why)
			plan_tell_unknown(c->r, row, &want->end[k], whole, why);
		if (first)
			free(why);
		else
			first = why;
	}
	if (!first)
		return true;
	c->r->left++;
	struct plan_difference *d = plan_tell(c->r, PLAN_NOT_FOUND, row);
	d->why = first;
	d->at = end[0].port != NO_ID ? end[0].port : end[1].port; /* report what the found end leads to */
	d->found = peer(c, d->at);
	use(c, d->at);
	return false;
}

static bool is_exact(const struct plan_end end[2])
{
	return end[0].port != NO_ID && end[1].port != NO_ID;
}

static bool plan_fits(const struct plan_comparison *c, const struct plan_end *end, uint32_t port)
{
	const uint32_t *node = plan_nodes(c->names, end);

	if (end->port != NO_ID)
		return port == end->port;
	if (end->number && end->number != c->f->port_num[port])
		return false;
	for (uint32_t i = 0; i < end->n; i++)
		if (node[i] == c->f->port_node[port])
			return true;
	return false;
}

/* An earlier row wants port k of this row. Does it mean the same cable? */
static bool same_cable(const struct plan_comparison *c, uint32_t row, int k, uint32_t before)
{
	const struct plan_end *end = c->end[row], *other = c->end[before];
	int there = other[1].port == end[k].port;

	if (other[!there].port != NO_ID)
		return plan_fits(c, &end[!k], other[!there].port);
	return end[!k].port == NO_ID || plan_fits(c, &other[!there], end[!k].port);
}

/* Take the row's ports. False: the row repeats a cable, or wants another row's port, which is reported. */
static bool plan_take_ports(struct plan_comparison *c, uint32_t row)
{
	const struct plan_end *end = c->end[row];

	for (int k = 0; k < 2; k++) {
		uint32_t before = end[k].port == NO_ID ? NO_ID : c->row_of[end[k].port];

		if (before == NO_ID)
			continue;
		if (same_cable(c, row, k, before))
			return false;
		c->r->left++;
		struct plan_difference *d = plan_tell(c->r, PLAN_TWICE, row);
		d->other_row = before;
		d->at = end[k].port;
		d->planned = end[!k].port;
		return false;
	}
	for (int k = 0; k < 2; k++)
		if (end[k].port != NO_ID)
			c->row_of[end[k].port] = row;
	return true;
}

/* The row's cable is there, and begins at this port. */
static void plan_settle(struct plan_comparison *c, uint32_t row, uint32_t port)
{
	const struct planned_cable *want = &c->plan->row[row];
	uint32_t to = peer(c, port);

	use(c, port);
	c->open[row] = false;
	c->r->there++;
	if ((!want->width || !c->f->port_width[port] || want->width == c->f->port_width[port]) &&
	    (!want->speed || !c->f->port_speed[port] || want->speed == c->f->port_speed[port]))
		return;
	plan_add_wish(c->r, port, to, want->width, want->speed, true);
	struct plan_difference *d = plan_tell(c->r, PLAN_RATE, row);
	d->at = port;
	d->planned = d->found = to;
}

/* For a row that leaves a port open: take any cable that fits and that no other row has. */
static void find_any(struct plan_comparison *c, uint32_t row)
{
	if (is_exact(c->end[row]))
		return;
	const struct plan_end *end = c->end[row];
	int from = end[0].port == NO_ID && (end[1].port != NO_ID || end[1].n < end[0].n);
	const uint32_t *node = plan_nodes(c->names, &end[from]);

	for (uint32_t i = 0; i < end[from].n; i++)
		for (unsigned p = 1; p <= c->f->node_nports[node[i]]; p++) {
			uint32_t port = c->f->node_port[node[i]] + p, to = peer(c, port);

			if (to == NO_ID || is_used(c, port) || !plan_fits(c, &end[from], port) ||
			    !plan_fits(c, &end[!from], to))
				continue;
			if ((c->row_of[port] != NO_ID && c->row_of[port] != row) ||
			    (c->row_of[to] != NO_ID && c->row_of[to] != row))
				continue;
			plan_settle(c, row, port);
			return;
		}
}

/* --- what is not there ------------------------------------------------------------------------------ */

/* The port that a row wants at the other end of its cable. */
static uint32_t partner(const struct plan_comparison *c, uint32_t row, uint32_t port)
{
	return c->end[row][c->end[row][0].port == port].port;
}

/* The open row that wants the port, or NO_ID. */
static uint32_t open_row(const struct plan_comparison *c, uint32_t port)
{
	uint32_t row = port == NO_ID ? NO_ID : c->row_of[port];

	return row != NO_ID && c->open[row] && is_exact(c->end[row]) ? row : NO_ID;
}

static uint32_t free_peer(const struct plan_comparison *c, uint32_t port)
{
	uint32_t to = peer(c, port);

	return to == NO_ID || is_used(c, port) ? NO_ID : to;
}

static void plan_tell_row(struct plan_comparison *c, uint32_t row, uint32_t at, uint32_t found)
{
	struct plan_difference *d = plan_tell(c->r, found == NO_ID ? PLAN_MISSING : PLAN_WRONG_PORT, row);

	d->at = at;
	d->planned = is_exact(c->end[row]) ? partner(c, row, at) : NO_ID;
	d->found = found;
	use(c, found);
	c->open[row] = false;
}

/*
 * Planned and real cables that share ports are a line or a ring: planned, real, planned ... Walks backwards
 * from a port of a row. Returns the port where the first row begins, or `from` in a ring.
 */
static uint32_t line_begin(const struct plan_comparison *c, uint32_t from)
{
	uint32_t at = from;

	for (;;) {
		uint32_t before = free_peer(c, at), row = open_row(c, before);

		if (row == NO_ID)
			return at;
		uint32_t begin = partner(c, row, before);
		if (begin == from)
			return from;
		at = begin;
	}
}

/* Are two rows swapped, each cabled to the other's partner? */
static bool tell_swap(struct plan_comparison *c, uint32_t row)
{
	uint32_t a = c->end[row][0].port, z = c->end[row][1].port, w = free_peer(c, a), b = free_peer(c, z);
	uint32_t other = open_row(c, w);

	if (w == NO_ID || b == NO_ID || other == NO_ID || other == row || partner(c, other, w) != b)
		return false;
	struct plan_difference *d = plan_tell(c->r, PLAN_SWAPPED, row);
	*d = (struct plan_difference){PLAN_SWAPPED, row, other, a, z, w, b, NULL};
	use(c, a);
	use(c, z);
	c->open[row] = c->open[other] = false;
	return true;
}

/* Walks forward: the port where the last row ends. */
static uint32_t plan_line_end(const struct plan_comparison *c, uint32_t begin)
{
	for (uint32_t at = begin;;) {
		uint32_t end = partner(c, c->row_of[at], at);

		at = free_peer(c, end);
		if (at == begin || open_row(c, at) == NO_ID)
			return end;
	}
}

/* Tell a line of rows, each with the real cable that follows it. */
static void tell_line(struct plan_comparison *c, uint32_t row)
{
	uint32_t at = line_begin(c, c->end[row][0].port), end = plan_line_end(c, at);

	if (free_peer(c, end) == NO_ID && free_peer(c, at) != NO_ID)
		at = end; /* from this end every row has one */
	while ((row = open_row(c, at)) != NO_ID) {
		end = partner(c, row, at);
		uint32_t found = free_peer(c, end);
		plan_tell_row(c, row, found == NO_ID ? at : end, found);
		at = found;
	}
}

static void tell_open(struct plan_comparison *c, uint32_t row)
{
	const struct plan_end *end = c->end[row];
	uint32_t at = end[0].port != NO_ID ? end[0].port : end[1].port;

	if (!is_exact(end))
		plan_tell_row(c, row, at, at == NO_ID ? NO_ID : free_peer(c, at));
	else if (!tell_swap(c, row))
		tell_line(c, row);
}

/*
 * A cable that no row has: extra where the plan names a device at one end at least.  Cables of hosts are
 * extra only if the plan has such cables; so are cables between switches.  Wires within a device never are.
 */
static void tell_extra(struct plan_comparison *c, uint32_t link)
{
	uint32_t a = c->f->link_port[2 * link], z = c->f->link_port[2 * link + 1], na = c->f->port_node[a],
		 nz = c->f->port_node[z];
	uint32_t da = plan_device(c->names, na), dz = plan_device(c->names, nz);
	bool between = node_is_switch(c->f, na) && node_is_switch(c->f, nz);
	struct plan_outside *out = &c->r->outside;

	if ((!da && !dz) || !c->covers[between] || da == dz) {
		(*(!da && !dz		? &out->unnamed
		   : c->covers[between] ? &out->within
		   : between		? &out->between
					: &out->hosts))++;
		return;
	}
	c->extra[link] = true;
	struct plan_difference *d = plan_tell(c->r, PLAN_EXTRA, NO_ID);
	d->at = node_is_switch(c->f, na) ? a : z; /* for a host's cable, the switch comes first */
	d->found = d->at == a ? z : a;
}

/* --- what is wished for ------------------------------------------------------------------------------ */

static void wish(struct plan_comparison *c, uint32_t row, const uint32_t port[2])
{
	const struct planned_cable *want = &c->plan->row[row];

	c->r->left += port[0] == port[1]; /* of a port to itself */
	if (port[0] != port[1])
		plan_add_wish(c->r, port[0], port[1], want->width, want->speed, false);
}

static void wish_exact(struct plan_comparison *c, uint32_t row)
{
	if (is_exact(c->end[row]))
		wish(c, row, (uint32_t[]){c->end[row][0].port, c->end[row][1].port});
}

/* A port for an end that leaves it open: a free one, else one with an extra cable.  NO_ID: none. */
static uint32_t plan_choose_port(const struct plan_comparison *c, const struct plan_end *end, uint32_t but)
{
	const uint32_t *node = plan_nodes(c->names, end);
	uint32_t with_extra = NO_ID;

	for (uint32_t i = 0; i < end->n; i++)
		for (unsigned p = 1; p <= c->f->node_nports[node[i]]; p++) {
			uint32_t port = c->f->node_port[node[i]] + p, link = c->f->port_link[port];

			if (port == but || c->row_of[port] != NO_ID || !plan_fits(c, end, port))
				continue;
			if (link == NO_ID)
				return port;
			if (c->extra[link] && with_extra == NO_ID)
				with_extra = port;
		}
	return with_extra;
}

/* A row that is still open and leaves a port open: choose one, which is the row's from now on. */
static void wish_any(struct plan_comparison *c, uint32_t row)
{
	uint32_t port[2] = {c->end[row][0].port, c->end[row][1].port};

	for (int k = 0; k < 2; k++)
		if (port[k] == NO_ID)
			port[k] = plan_choose_port(c, &c->end[row][k], port[!k]);
	if (port[0] == NO_ID || port[1] == NO_ID) { /* no port is left */
		c->r->left++;
		return;
	}
	c->row_of[port[0]] = c->row_of[port[1]] = row;
	wish(c, row, port);
}

/* --- all --------------------------------------------------------------------------------------------- */

typedef void per_row(struct plan_comparison *c, uint32_t row);

static void find(struct plan_comparison *c, uint32_t row)
{
	if (!plan_find_row(c, row))
		return;
	c->covers[found_switch(c, &c->end[row][0]) && found_switch(c, &c->end[row][1])] = true;
	c->open[row] = plan_take_ports(c, row);
	c->r->cables += c->open[row];
}

static void match(struct plan_comparison *c, uint32_t row)
{
	if (is_exact(c->end[row]) && peer(c, c->end[row][0].port) == c->end[row][1].port)
		plan_settle(c, row, c->end[row][0].port);
}

static void match_one_end(struct plan_comparison *c, uint32_t row)
{
	if (c->end[row][0].port != NO_ID || c->end[row][1].port != NO_ID)
		find_any(c, row);
}

/* All rows, or those still open. */
static bool each_row(struct plan_comparison *c, per_row *what, bool all, struct progress *p)
{
	for (uint32_t row = 0; row < c->plan->n; row++) {
		if (row % LOOK == 0 && !progress_step(p, row))
			return false;
		if (all || c->open[row])
			what(c, row);
	}
	return true;
}

static bool compare(struct plan_comparison *c, struct progress *p)
{
	if (!each_row(c, find, true, p) || !each_row(c, match, false, p) ||
	    !each_row(c, match_one_end, false, p) || !each_row(c, find_any, false, p) ||
	    !each_row(c, wish_exact, false, p))
		return false;
	AUTO_FREE bool *open = mem_dup(c->open, c->plan->n + 1);
	bool done = each_row(c, tell_open, false, p);
	for (uint32_t l = 0; done && l < c->f->n_links; l++)
		if (!c->used[l])
			tell_extra(c, l);
	for (uint32_t row = 0; done && row < c->plan->n; row++)
		if (open[row] && !is_exact(c->end[row]))
			wish_any(c, row);
	return done;
}

int plan_compare(const struct fabric *f, const struct cabling *plan, struct plan_report *r,
		 struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct plan_comparison c = {
		.f = f,
		.plan = plan,
		.names = plan_names_new(f),
		.r = r,
		.end = arena_array(arena, plan->n + 1, sizeof(*c.end)),
		.open = ARENA_ARRAY(arena, plan->n + 1, bool),
		.row_of = ARENA_ARRAY(arena, f->n_ports + 1, uint32_t),
		.used = ARENA_ARRAY(arena, f->n_links + 1, bool),
		.extra = ARENA_ARRAY(arena, f->n_links + 1, bool),
		.covers = {plan->whole, plan->whole},
	};

	*r = (struct plan_report){0};
	memset(c.row_of, 0xff, f->n_ports * sizeof(*c.row_of));
	progress_start(p, "comparing with the plan", (unsigned)plan->n);
	for (size_t i = 0; i < plan->n_devices; i++)
		plan_name_device(c.names, plan->device[i]);
	bool done = plan->kind == CABLING_LIST ? compare(&c, p) : !plan_leaves(f, plan, c.names, r, p);
	join_unknown(r);
	for (size_t i = 0; i < r->n_unknown; i++) {
		uint32_t kin = plan_kin(c.names, r->unknown[i].device);

		r->unknown[i].is_switch =
			kin == NO_ID ? r->unknown[i].rows > HOST_ROWS : node_is_switch(f, kin);
	}
	plan_names_free(c.names);
	if (done)
		return 0;
	plan_free(r);
	return err_set(e, CANCELLED);
}

/* The number of an end's device among those that are not found; 0: it is none. */
static uint64_t plan_absent(const struct plan_report *r, const struct planned_end *end)
{
	for (size_t i = 0; i < r->n_unknown; i++)
		if (!*r->unknown[i].port && !strcasecmp(r->unknown[i].device, end->device))
			return i + 1;
	return 0;
}

/* Lists the node of a port, though none of its cables is up.  port NO_ID: no node. */
static void plan_add_node(json_t *present, const struct fabric *f, uint32_t port)
{
	uint32_t node = port == NO_ID ? NO_ID : f->port_node[port];

	if (node != NO_ID && !present_node(present, f->node_guid[node], NULL))
		json_array_append_new(
			json_object_get(present, node_is_switch(f, node) ? "switches" : "hosts"),
			json_node(f, NULL, node));
}

json_t *plan_present(const struct fabric *f, const struct state *st, const struct cabling *plan,
		     const struct plan_report *r, struct err *e)
{
	if (4 * (size_t)r->cables < plan->n) {
		err_set(e, "the plan seems to be of another fabric: of its %zu rows %u are found in %s",
			plan->n, r->cables, f->source);
		return NULL;
	}
	json_t *present = present_json(f, NULL, st), *cables = json_object_get(present, "cables");
	for (size_t i = 0; i < r->n_unknown; i++) {
		const struct plan_unknown *u = &r->unknown[i];
		AUTO_FREE char *guid = str_printf("0x%016zx", i + 1);

		if (!*u->port)
			json_array_append_new(
				json_object_get(present, u->is_switch ? "switches" : "hosts"),
				json_make("{s:s, s:s, s:b}", "name", u->device, "guid", guid, "planned", 1));
	}
	for (const struct plan_difference *d = r->d; d < r->d + r->n; d++) {
		uint64_t to = 0;

		if (plan->kind != CABLING_LIST || d->at == NO_ID || f->port_link[d->at] != NO_ID)
			continue;
		if (d->change == PLAN_NOT_FOUND)
			to = plan_absent(r, &plan->row[d->row].end[0]) +
			     plan_absent(r, &plan->row[d->row].end[1]);
		else if (d->change == PLAN_MISSING && d->planned != NO_ID &&
			 f->port_link[d->planned] == NO_ID)
			to = f->node_guid[f->port_node[d->planned]];
		if (!to)
			continue;
		plan_add_node(present, f, d->at);
		plan_add_node(present, f, d->planned);
		AUTO_FREE char *cable = str_printf("0x%016" PRIx64 "[%u] 0x%016" PRIx64 "[%u]",
						   f->node_guid[f->port_node[d->at]], f->port_num[d->at], to,
						   d->planned == NO_ID ? 0 : f->port_num[d->planned]);
		json_array_append_new(cables, json_text(cable));
	}
	return present;
}

void plan_free(struct plan_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->d[i].why);
	free(r->d);
	for (size_t i = 0; i < r->n_unknown; i++)
		free(r->unknown[i].why);
	free(r->unknown);
	free(r->wish);
	*r = (struct plan_report){0};
}
