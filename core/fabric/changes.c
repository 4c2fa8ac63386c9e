/* Changes between two fabrics: which they are, and their words. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/changes.h"
#include "core/fabric/elements.h"

struct differ {
	struct fabric_changes *x;
	const struct fabric *a, *b;
	uint32_t *there; /* [a->n_nodes] the node in b: by GUID, or that which replaced it; NO_ID */
	uint32_t *here;	 /* [b->n_nodes] the same the other way round */
	uint8_t *silent; /* [a->n_nodes] 1: not in b, but behind a port of b that is up: it did not answer */
	uint8_t *lost;	 /* [a->n_links] 1: not in b, and not yet reported */
	uint8_t *fresh;	 /* [b->n_links] 1: not in a, and not yet reported */
	uint8_t *parted; /* [n_nodes of a or b] on the current side: reported with a part */
	const char *chassis_file;
	struct progress *progress;
};

static struct fabric_change *changes_tell(struct differ *d, enum fabric_change_kind kind)
{
	struct fabric_changes *x = d->x;

	GROW(x->c, x->n, x->cap);
	x->c[x->n] = (struct fabric_change){.kind = kind, .node_was = NO_ID, .node_now = NO_ID};
	memset(x->c[x->n].was, 0xff, sizeof(x->c->was));
	memset(x->c[x->n].now, 0xff, sizeof(x->c->now));
	memset(x->c[x->n].other, 0xff, sizeof(x->c->other));
	return &x->c[x->n++];
}

/* The port of `to` with the number of a port of `from`, on the node that node[] names. */
static uint32_t changes_port_at(const struct fabric *to, const struct fabric *from, const uint32_t *node,
				uint32_t port)
{
	uint32_t n = port == NO_ID ? NO_ID : node[from->port_node[port]];

	return n == NO_ID || from->port_num[port] > to->node_nports[n]
		       ? NO_ID
		       : to->node_port[n] + from->port_num[port];
}

/* --- nodes -------------------------------------------------------------------------------------------- */

/* Is it a switch's port that is up, with an unknown other end? */
static bool is_open(const struct fabric *f, uint32_t port)
{
	return port != NO_ID && f->port_num[port] && f->port_peer[port] == NO_ID &&
	       f->port_state[port] >= PORT_INIT && node_is_switch(f, f->port_node[port]);
}

/*
 * Finds missing nodes that may still exist: in a, an open port of b leads to them, directly or through other
 * missing nodes. Nothing shows that they are gone.
 */
static void find_silent(struct differ *d)
{
	const struct fabric *a = d->a;
	AUTO_FREE uint32_t *queue = NEW_ARRAY(a->n_nodes + 1, uint32_t);
	uint32_t n = 0;

	for (uint32_t p = 0; p < a->n_ports; p++) {
		uint32_t peer = a->port_peer[p], node = peer == NO_ID ? NO_ID : a->port_node[peer];

		if (node == NO_ID || d->silent[node] || d->there[node] != NO_ID ||
		    !is_open(d->b, changes_port_at(d->b, a, d->there, p)))
			continue;
		d->silent[node] = 1;
		queue[n++] = node;
	}
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= a->node_nports[queue[i]]; p++) {
			uint32_t peer = a->port_peer[a->node_port[queue[i]] + p],
				 node = peer == NO_ID ? NO_ID : a->port_node[peer];

			if (node == NO_ID || d->silent[node] || d->there[node] != NO_ID)
				continue;
			d->silent[node] = 1;
			queue[n++] = node;
		}
}

/* Does node m of b, which a lacks, have most of the cables that n of a had, port by port? */
static bool took_place(const struct differ *d, uint32_t n, uint32_t m)
{
	const struct fabric *a = d->a, *b = d->b;
	unsigned most = MAX(a->node_nports[n], b->node_nports[m]), all = 0, same = 0;

	if (a->node_type[n] != b->node_type[m])
		return false;
	for (unsigned p = 1; p <= most; p++) {
		uint32_t x = p <= a->node_nports[n] ? a->port_peer[a->node_port[n] + p] : NO_ID,
			 y = p <= b->node_nports[m] ? b->port_peer[b->node_port[m] + p] : NO_ID;

		all += x != NO_ID || y != NO_ID;
		if (x == NO_ID || y == NO_ID)
			continue;
		if (d->there[a->port_node[x]] != NO_ID)
			same += changes_port_at(b, a, d->there, x) == y;
		else /* what was at the other end may have been replaced, too */
			same += d->here[b->port_node[y]] == NO_ID && a->port_num[x] == b->port_num[y];
	}
	return 2 * same > all;
}

/* Pairs nodes that left with nodes that came to the same cables. */
static void find_replaced(struct differ *d)
{
	const struct fabric *a = d->a, *b = d->b;

	for (uint32_t n = 0; n < a->n_nodes; n++)
		for (unsigned p = 1; d->there[n] == NO_ID && p <= a->node_nports[n]; p++) {
			uint32_t far = changes_port_at(b, a, d->there, a->port_peer[a->node_port[n] + p]),
				 peer = far == NO_ID ? NO_ID : b->port_peer[far],
				 m = peer == NO_ID ? NO_ID : b->port_node[peer];

			if (m == NO_ID || d->here[m] != NO_ID || !took_place(d, n, m))
				continue;
			d->there[n] = m;
			d->here[m] = n;
			n = NO_ID; /* others may be found now */
			break;
		}
}

/* --- what came or went as a whole ---------------------------------------------------------------------- */

/* Adds the cables of a node; for a switch in a part (mark: its members) only those that lead out of the
 * part. */
static void changes_add_cables(struct fabric_changes *x, struct fabric_change *c, const struct fabric *f,
			       uint32_t n, const uint8_t *mark)
{
	for (uint32_t p = f->node_port[n] + 1; p <= f->node_port[n] + f->node_nports[n]; p++) {
		uint32_t peer = f->port_peer[p];

		if (peer == NO_ID)
			continue;
		if (mark && mark[f->port_node[peer]] == 1) {
			c->inside += p < peer;
			continue;
		}
		GROW(x->cable, x->n_cables, x->cap_cables);
		x->cable[x->n_cables++] = p;
		c->n_cables++;
	}
}

static void changes_add_node(struct fabric_changes *x, uint32_t n)
{
	GROW(x->node, x->n_nodes, x->cap_nodes);
	x->node[x->n_nodes++] = n;
}

/* Did a host come or go, too, all of whose cables lead to switches that are marked? */
static bool hangs_on(const struct fabric *f, const uint32_t *other, const uint8_t *mark, uint32_t n)
{
	unsigned cables = 0;

	if (other[n] != NO_ID || node_is_switch(f, n))
		return false;
	for (uint32_t p = f->node_port[n] + 1; p <= f->node_port[n] + f->node_nports[n]; p++) {
		if (f->port_peer[p] == NO_ID)
			continue;
		cables++;
		if (mark[f->port_node[f->port_peer[p]]] != 1)
			return false;
	}
	return cables > 0;
}

/* other: the node on the other side, of each node of f.  mark: [n_nodes] of zeroes, which are left. */
static void changes_tell_part(struct differ *d, const struct fabric *f, const uint32_t *other,
			      const struct parts *p, uint32_t part, uint8_t *mark)
{
	struct fabric_changes *x = d->x;
	struct fabric_change *c = changes_tell(d, f == d->a ? PART_REMOVED : PART_ADDED);

	c->part = str_dup(p->name[part]);
	c->chassis = p->kind == PART_CHASSIS;
	c->first_node = x->n_nodes;
	c->first_cable = x->n_cables;
	for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++)
		mark[p->id[i]] = 1;
	for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++, c->n_switches++) {
		changes_add_node(x, p->id[i]);
		changes_add_cables(x, c, f, p->id[i], mark);
		c->unseen |= f == d->a && d->silent[p->id[i]];
	}
	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (hangs_on(f, other, mark, f->by_name[i])) {
			changes_add_node(x, f->by_name[i]);
			c->n_hosts++;
		}
	for (uint32_t i = 0; i < c->n_switches + c->n_hosts; i++) {
		mark[x->node[c->first_node + i]] = 0;
		d->parted[x->node[c->first_node + i]] = 1;
	}
}

static bool all_gone(const struct differ *d, const struct parts *p, uint32_t part, const uint32_t *other)
{
	for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++)
		if (other[p->id[i]] != NO_ID || d->parted[p->id[i]])
			return false;
	return true;
}

/* Chassis and cards of one side, all of whose switches are on this side alone. */
static void tell_parts(struct differ *d, const struct fabric *f, const uint32_t *other)
{
	static const enum part_kind kinds[] = {PART_CHASSIS, PART_CARD};
	AUTO_FREE uint8_t *mark = NEW_ARRAY(f->n_nodes + 1, uint8_t);
	AUTO_STATE struct state *up = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, up);
	struct elements *el = elements_new(t, d->chassis_file, d->progress, NULL, NULL);

	for (unsigned k = 0; el && k < ARRAY_LEN(kinds); k++) {
		struct parts *p = parts_new(f, kinds[k], el);

		for (uint32_t i = 0; i < p->n; i++)
			if (all_gone(d, p, i, other))
				changes_tell_part(d, f, other, p, i, mark);
		parts_free(p);
	}
	elements_unref(el);
}

/* Finds the parts of one side; then d->parted is about it. */
static void begin_side(struct differ *d, const struct fabric *f, const uint32_t *other)
{
	free(d->parted);
	d->parted = NEW_ARRAY(f->n_nodes + 1, uint8_t);
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (other[f->switch_node[s]] == NO_ID) {
			tell_parts(d, f, other);
			break;
		}
}

static void tell_node(struct differ *d, const struct fabric *f, uint32_t n, struct fabric_change *c)
{
	c->first_cable = d->x->n_cables;
	changes_add_cables(d->x, c, f, n, NULL);
}

static void tell_nodes(struct differ *d)
{
	begin_side(d, d->a, d->there);
	for (uint32_t i = 0; i < d->a->n_nodes; i++) {
		uint32_t n = d->a->by_name[i], m = d->there[n];

		if (d->parted[n])
			continue;
		if (m != NO_ID && d->a->node_guid[n] == d->b->node_guid[m] &&
		    !strcmp(d->a->node_desc[n], d->b->node_desc[m]))
			continue;
		struct fabric_change *c =
			changes_tell(d, m == NO_ID				   ? NODE_REMOVED
					: d->a->node_guid[n] != d->b->node_guid[m] ? NODE_REPLACED
										   : NODE_RENAMED);
		c->unseen = d->silent[n];
		c->node_was = n;
		c->node_now = m;
		if (m == NO_ID)
			tell_node(d, d->a, n, c);
	}
	begin_side(d, d->b, d->here);
	for (uint32_t i = 0; i < d->b->n_nodes; i++) {
		uint32_t n = d->b->by_name[i];

		if (d->here[n] != NO_ID || d->parted[n])
			continue;
		struct fabric_change *c = changes_tell(d, NODE_ADDED);
		c->node_now = n;
		tell_node(d, d->b, n, c);
	}
}

static void tell_lids(struct differ *d)
{
	for (uint32_t i = 0; i < d->a->n_endports; i++) {
		uint32_t p = d->a->endport_port[i], q = fabric_port_in(d->b, d->a, p);

		if (q == NO_ID || d->b->port_endport[q] == NO_ID || !d->a->port_lid[p] ||
		    !d->b->port_lid[q] ||
		    (d->a->port_lid[p] == d->b->port_lid[q] && d->a->port_lmc[p] == d->b->port_lmc[q]))
			continue;
		struct fabric_change *c = changes_tell(d, LID_CHANGED);
		c->was[0] = p;
		c->now[0] = q;
	}
}

/* --- links -------------------------------------------------------------------------------------------- */

/* The port to which a port of a leads in b by a cable that is new and not yet reported; NO_ID. */
static uint32_t leads_anew(const struct differ *d, uint32_t port_in_b)
{
	return port_in_b == NO_ID || d->b->port_link[port_in_b] == NO_ID ||
			       !d->fresh[d->b->port_link[port_in_b]]
		       ? NO_ID
		       : d->b->port_peer[port_in_b];
}

/* The cable of a that a port of b had, if it is lost and not yet reported: its port in a, or NO_ID. */
static uint32_t had_lost(const struct differ *d, uint32_t port_in_b)
{
	uint32_t p = changes_port_at(d->a, d->b, d->here, port_in_b);

	return p == NO_ID || d->a->port_link[p] == NO_ID || !d->lost[d->a->port_link[p]] ? NO_ID : p;
}

static void compare_links(struct differ *d)
{
	const struct fabric *a = d->a, *b = d->b;

	for (uint32_t l = 0; l < b->n_links; l++)
		d->fresh[l] = 1;
	for (uint32_t l = 0; l < a->n_links; l++) {
		uint32_t p = a->link_port[2 * l], q = a->link_port[2 * l + 1],
			 x = changes_port_at(b, a, d->there, p), y = changes_port_at(b, a, d->there, q);

		d->lost[l] = x == NO_ID || y == NO_ID || b->port_peer[x] != y;
		if (d->lost[l])
			continue;
		d->fresh[b->port_link[x]] = 0;
		if (a->port_width[p] == b->port_width[x] && a->port_speed[p] == b->port_speed[x] &&
		    a->port_width[q] == b->port_width[y] && a->port_speed[q] == b->port_speed[y])
			continue;
		struct fabric_change *c = changes_tell(d, LINK_RATE);
		c->was[0] = p;
		c->was[1] = q;
		c->now[0] = x;
		c->now[1] = y;
	}
}

/* Two lost cables p - q and r - s, and new ones p - s and r - q: they have each other's places. */
static bool swapped(struct differ *d, uint32_t p, uint32_t q)
{
	uint32_t x = changes_port_at(d->b, d->a, d->there, p), y = changes_port_at(d->b, d->a, d->there, q),
		 s = had_lost(d, leads_anew(d, x)), r = s == NO_ID ? NO_ID : d->a->port_peer[s];

	if (r == NO_ID || s == q || s == p || leads_anew(d, changes_port_at(d->b, d->a, d->there, r)) != y)
		return false;
	struct fabric_change *c = changes_tell(d, LINK_SWAPPED);
	c->was[0] = p;
	c->was[1] = q;
	c->other[0] = r;
	c->other[1] = s;
	d->lost[d->a->port_link[p]] = d->lost[d->a->port_link[r]] = 0;
	d->fresh[d->b->port_link[x]] = d->fresh[d->b->port_link[y]] = 0;
	return true;
}

/* The lost cable p - q is now at p and another port. */
static bool changes_moved(struct differ *d, uint32_t p, uint32_t q)
{
	uint32_t x = changes_port_at(d->b, d->a, d->there, p), y = leads_anew(d, x);
	bool host = !node_is_switch(d->a, d->a->port_node[p]);

	if (y == NO_ID)
		return false;
	struct fabric_change *c = changes_tell(d, host ? NODE_MOVED : LINK_MOVED);
	c->node_was = host ? d->a->port_node[p] : NO_ID;
	c->node_now = host ? d->b->port_node[x] : NO_ID;
	c->was[0] = p;
	c->was[1] = q;
	c->now[0] = x;
	c->now[1] = y;
	d->lost[d->a->port_link[p]] = d->fresh[d->b->port_link[x]] = 0;
	return true;
}

/* Each rule goes over all lost cables, so that the stricter one has the first choice. */
static void for_lost(struct differ *d, bool (*rule)(struct differ *, uint32_t, uint32_t), bool hosts)
{
	for (uint32_t l = 0; l < d->a->n_links; l++)
		for (unsigned end = 0; d->lost[l] && end < 2; end++) {
			uint32_t p = d->a->link_port[2 * l + end];

			if (!hosts || !node_is_switch(d->a, d->a->port_node[p]))
				rule(d, p, d->a->port_peer[p]);
		}
}

static void changes_tell_links(struct differ *d)
{
	const struct fabric *a = d->a, *b = d->b;

	/* cables of nodes that came or went are reported with the nodes */
	for (uint32_t p = 0; p < 2 * a->n_links; p++)
		if (d->there[a->port_node[a->link_port[p]]] == NO_ID)
			d->lost[p / 2] = 0;
	for (uint32_t p = 0; p < 2 * b->n_links; p++)
		if (d->here[b->port_node[b->link_port[p]]] == NO_ID)
			d->fresh[p / 2] = 0;
	for_lost(d, swapped, true);
	for_lost(d, swapped, false);
	for_lost(d, changes_moved, true);
	for_lost(d, changes_moved, false);
	for (uint32_t l = 0; l < a->n_links; l++) {
		if (!d->lost[l])
			continue;
		struct fabric_change *c = changes_tell(d, LINK_REMOVED);
		for (unsigned end = 0; end < 2; end++) {
			c->was[end] = a->link_port[2 * l + end];
			c->unseen |= is_open(b, changes_port_at(b, a, d->there, c->was[end]));
		}
	}
	for (uint32_t l = 0; l < b->n_links; l++)
		if (d->fresh[l])
			memcpy(changes_tell(d, LINK_ADDED)->now, b->link_port + 2 * l,
			       2 * sizeof(*b->link_port));
}

/* --- the list ----------------------------------------------------------------------------------------- */

/* In order of kinds; within one, as they were found. */
static void changes_put_in_order(struct fabric_changes *x)
{
	struct fabric_change *c = NEW_ARRAY(x->n + 1, struct fabric_change);
	size_t n = 0;

	for (int kind = 0; kind < CHANGE_KINDS; kind++)
		for (size_t i = 0; i < x->n; i++)
			if ((int)x->c[i].kind == kind)
				c[n++] = x->c[i];
	assert(n == x->n);
	free(x->c);
	x->c = c;
	x->cap = x->n + 1;
}

void changes_find(struct fabric_changes *x, const struct fabric *a, const struct fabric *b,
		  const char *chassis_file, struct progress *p)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct differ d = {.x = x, .a = a, .b = b, .chassis_file = chassis_file, .progress = p};

	*x = (struct fabric_changes){.a = a, .b = b};
	d.there = ARENA_ARRAY(arena, a->n_nodes + 1, uint32_t);
	d.here = ARENA_ARRAY(arena, b->n_nodes + 1, uint32_t);
	d.silent = ARENA_ARRAY(arena, a->n_nodes + 1, uint8_t);
	d.lost = ARENA_ARRAY(arena, a->n_links + 1, uint8_t);
	d.fresh = ARENA_ARRAY(arena, b->n_links + 1, uint8_t);
	for (uint32_t n = 0; n < a->n_nodes; n++)
		d.there[n] = fabric_node_by_guid(b, a->node_guid[n]);
	for (uint32_t n = 0; n < b->n_nodes; n++)
		d.here[n] = fabric_node_by_guid(a, b->node_guid[n]);
	find_replaced(&d);
	find_silent(&d);
	tell_nodes(&d);
	tell_lids(&d);
	compare_links(&d);
	changes_tell_links(&d);
	changes_put_in_order(x);
	free(d.parted);
}

void changes_free(struct fabric_changes *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->c[i].part);
	free(x->c);
	free(x->node);
	free(x->cable);
	*x = (struct fabric_changes){0};
}

/* Changes of a fabric in words. */

const char *const change_word[] = {
	"removed", "added", "removed", "added",	  "replaced", "moved", "renamed",
	"removed", "added", "moved",   "swapped", "rate",     "lid",
};
static_assert(ARRAY_LEN(change_word) == CHANGE_KINDS, "each kind has its word");

static void part_line(const struct fabric_change *c, struct text *t)
{
	text_add(t, "%c %s %s (%s, %s",
		 c->kind == PART_ADDED ? '+'
		 : c->unseen	       ? '?'
				       : '-',
		 c->chassis ? "chassis" : "card", c->part, PLURAL(c->n_switches, "switch"),
		 PLURAL(c->n_cables, "cable"));
	if (c->inside)
		text_add(t, ", %u inside", c->inside);
	if (c->n_hosts)
		text_add(t, ", with %s on it alone", PLURAL(c->n_hosts, "host"));
	text_add(t, ")");
}

static void node_line(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	static const char *const kind[] = {"", "CA", "switch", "router"};
	const struct fabric *f = change_side(x, c);
	uint32_t n = c->kind == NODE_ADDED ? c->node_now : c->node_was;

	assert(n < f->n_nodes);
	text_add(t, "%c node %s (0x%016" PRIx64 ", %s, %s)",
		 c->kind == NODE_ADDED ? '+'
		 : c->unseen	       ? '?'
				       : '-',
		 f->node_name[n], f->node_guid[n], kind[f->node_type[n]], PLURAL(f->node_nports[n], "port"));
}

static void link_line(struct text *t, char sign, const struct fabric *f, const uint32_t end[2])
{
	char p[300], q[300];

	text_add(t, "%c link %s -- %s", sign, port_label(f, end[0], p, sizeof(p)),
		 port_label(f, end[1], q, sizeof(q)));
}

/* One of them in words, without the end of the line. */
static void change_line(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	const struct fabric *a = x->a, *b = x->b;
	char p[300], q[300], r[300], s[300];
	unsigned end = 0;

	assert(c->kind < CHANGE_KINDS);
	switch (c->kind) {
	case PART_REMOVED:
	case PART_ADDED:
		part_line(c, t);
		break;
	case NODE_REMOVED:
	case NODE_ADDED:
		node_line(x, c, t);
		break;
	case NODE_REPLACED:
		text_add(t, "~ node %s replaced: 0x%016" PRIx64 " -> 0x%016" PRIx64,
			 a->node_name[c->node_was], a->node_guid[c->node_was], b->node_guid[c->node_now]);
		if (strcmp(a->node_desc[c->node_was], b->node_desc[c->node_now]) != 0)
			text_add(t, ", now %s", b->node_name[c->node_now]);
		break;
	case NODE_RENAMED:
		text_add(t, "~ name 0x%016" PRIx64 ": %s -> %s", a->node_guid[c->node_was],
			 a->node_desc[c->node_was], b->node_desc[c->node_now]);
		break;
	case LINK_REMOVED:
		link_line(t, c->unseen ? '?' : '-', a, c->was);
		break;
	case LINK_ADDED:
		link_line(t, '+', b, c->now);
		break;
	case NODE_MOVED:
	case LINK_MOVED:
		text_add(t, "~ %s %s: from %s to %s", c->kind == NODE_MOVED ? "moved" : "link",
			 port_label(b, c->now[0], p, sizeof(p)), port_label(a, c->was[1], q, sizeof(q)),
			 port_label(b, c->now[1], r, sizeof(r)));
		break;
	case LINK_SWAPPED:
		text_add(t, "~ swapped %s and %s: now at %s and %s", port_label(a, c->was[0], p, sizeof(p)),
			 port_label(a, c->other[0], q, sizeof(q)), port_label(a, c->other[1], r, sizeof(r)),
			 port_label(a, c->was[1], s, sizeof(s)));
		break;
	case LINK_RATE:
		while (!end && a->port_width[c->was[end]] == b->port_width[c->now[end]] &&
		       a->port_speed[c->was[end]] == b->port_speed[c->now[end]])
			end++;
		text_add(t, "~ rate %s -- %s: %s%s -> %s%s", port_label(b, c->now[end], p, sizeof(p)),
			 port_label(b, c->now[!end], q, sizeof(q)),
			 link_width_name(a->port_width[c->was[end]]),
			 link_speed_name(a->port_speed[c->was[end]]),
			 link_width_name(b->port_width[c->now[end]]),
			 link_speed_name(b->port_speed[c->now[end]]));
		break;
	default:
		text_add(t, "~ lid %s: %u -> %u", port_label(b, c->now[0], p, sizeof(p)),
			 a->port_lid[c->was[0]], b->port_lid[c->now[0]]);
		if (a->port_lmc[c->was[0]] != b->port_lmc[c->now[0]])
			text_add(t, ", lmc %u -> %u", a->port_lmc[c->was[0]], b->port_lmc[c->now[0]]);
	}
}

void change_text(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	const struct fabric *f = change_side(x, c);
	char p[300], q[300];

	change_line(x, c, t);
	text_putc(t, '\n');
	for (uint32_t i = 0; i < c->n_cables; i++) { /* those that came or went with it */
		uint32_t port = x->cable[c->first_cable + i];

		text_add(t, "    link %s -- %s\n", port_label(f, port, p, sizeof(p)),
			 port_label(f, f->port_peer[port], q, sizeof(q)));
	}
}

unsigned fabric_changes(const struct fabric *a, const struct fabric *b, const char *chassis_file,
			struct text *lines, struct progress *p)
{
	struct fabric_changes x;

	changes_find(&x, a, b, chassis_file, p);
	for (size_t i = 0; i < x.n; i++)
		change_text(&x, &x.c[i], lines);
	unsigned n = (unsigned)x.n;
	changes_free(&x);
	return n;
}
