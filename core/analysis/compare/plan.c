#include "core/analysis/compare/plan.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
	bool *extra;		   /* [n_links] told as extra */
	bool covers[2];		   /* the plan has cables of hosts; of two switches */
};

struct plan_difference *plan_tell(struct plan_report *r, enum plan_change change, uint32_t row)
{
	GROW(r->d, r->n, r->cap);
	r->d[r->n] = (struct plan_difference){change, row, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NULL};
	return &r->d[r->n++];
}

void plan_tell_unknown(struct plan_report *r, uint32_t row, const struct planned_end *end, bool whole,
		       const char *why)
{
	GROW(r->unknown, r->n_unknown, r->cap_unknown);
	r->unknown[r->n_unknown++] = (struct plan_unknown){end->device, whole || !end->port ? "" : end->port,
							   str_dup(why), row, 1};
}

void plan_add_wish(struct plan_report *r, uint32_t a, uint32_t b, uint8_t width, uint8_t speed, bool there)
{
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
	struct plan_difference *d;

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
	d = plan_tell(c->r, PLAN_NOT_FOUND, row);
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
		struct plan_difference *d;

		if (before == NO_ID)
			continue;
		if (same_cable(c, row, k, before))
			return false;
		c->r->left++;
		d = plan_tell(c->r, PLAN_TWICE, row);
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
	struct plan_difference *d;

	use(c, port);
	c->open[row] = false;
	c->r->there++;
	if ((!want->width || !c->f->port_width[port] || want->width == c->f->port_width[port]) &&
	    (!want->speed || !c->f->port_speed[port] || want->speed == c->f->port_speed[port]))
		return;
	plan_add_wish(c->r, port, to, want->width, want->speed, true);
	d = plan_tell(c->r, PLAN_RATE, row);
	d->at = port;
	d->planned = d->found = to;
}

/* For a row that leaves a port open: take any cable that fits and that no other row has. */
static void find_any(struct plan_comparison *c, uint32_t row)
{
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
		uint32_t before = free_peer(c, at), row = open_row(c, before), begin;

		if (row == NO_ID)
			return at;
		begin = partner(c, row, before);
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
	struct plan_difference *d;

	if (w == NO_ID || b == NO_ID || other == NO_ID || other == row || partner(c, other, w) != b)
		return false;
	d = plan_tell(c->r, PLAN_SWAPPED, row);
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
		uint32_t found;

		end = partner(c, row, at);
		found = free_peer(c, end);
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
	struct plan_difference *d;

	if ((!da && !dz) || !c->covers[between] || da == dz) {
		(*(!da && !dz		? &out->unnamed
		   : c->covers[between] ? &out->within
		   : between		? &out->between
					: &out->hosts))++;
		return;
	}
	c->extra[link] = true;
	d = plan_tell(c->r, PLAN_EXTRA, NO_ID);
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
	if (!is_exact(c->end[row]) && (c->end[row][0].port != NO_ID || c->end[row][1].port != NO_ID))
		find_any(c, row);
}

static void match_any(struct plan_comparison *c, uint32_t row)
{
	if (!is_exact(c->end[row]))
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
	bool *open, done;

	if (!each_row(c, find, true, p) || !each_row(c, match, false, p) ||
	    !each_row(c, match_one_end, false, p) || !each_row(c, match_any, false, p) ||
	    !each_row(c, wish_exact, false, p))
		return false;
	open = mem_dup(c->open, c->plan->n + 1);
	done = each_row(c, tell_open, false, p);
	for (uint32_t l = 0; done && l < c->f->n_links; l++)
		if (!c->used[l])
			tell_extra(c, l);
	for (uint32_t row = 0; done && row < c->plan->n; row++)
		if (open[row] && !is_exact(c->end[row]))
			wish_any(c, row);
	free(open);
	return done;
}

int plan_compare(const struct fabric *f, const struct cabling *plan, struct plan_report *r,
		 struct progress *p, struct err *e)
{
	struct plan_comparison c = {
		.f = f,
		.plan = plan,
		.names = plan_names_new(f),
		.r = r,
		.end = mem_array(plan->n + 1, sizeof(*c.end)),
		.open = NEW_ARRAY(plan->n + 1, bool),
		.row_of = NEW_ARRAY(f->n_ports + 1, uint32_t),
		.used = NEW_ARRAY(f->n_links + 1, bool),
		.extra = NEW_ARRAY(f->n_links + 1, bool),
		.covers = {plan->whole, plan->whole},
	};
	bool done;

	*r = (struct plan_report){0};
	memset(c.row_of, 0xff, f->n_ports * sizeof(*c.row_of));
	progress_start(p, "comparing with the plan", (unsigned)plan->n);
	for (size_t i = 0; i < plan->n_devices; i++)
		plan_name_device(c.names, plan->device[i]);
	done = plan->kind == CABLING_LIST ? compare(&c, p) : !plan_leaves(f, plan, c.names, r, p);
	join_unknown(r);
	plan_names_free(c.names);
	free(c.end);
	free(c.open);
	free(c.row_of);
	free(c.used);
	free(c.extra);
	if (done)
		return 0;
	plan_free(r);
	return err_set(e, CANCELLED);
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
