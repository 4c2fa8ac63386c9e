/* Changes of a fabric in words. */
#include "core/fabric/changes.h"

#include <inttypes.h>
#include <string.h>

const char *const change_word[CHANGE_KINDS] = {
	"removed", "added", "removed", "added",	  "replaced", "moved", "renamed",
	"removed", "added", "moved",   "swapped", "rate",     "lid",
};

/* The cables that came or went with it. */
static void cable_lines(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	const struct fabric *f = change_side(x, c);
	char p[300], q[300];

	for (uint32_t i = 0; i < c->n_cables; i++) {
		uint32_t port = x->cable[c->first_cable + i];

		text_add(t, "    link %s -- %s\n", port_label(f, port, p, sizeof(p)),
			 port_label(f, f->port_peer[port], q, sizeof(q)));
	}
}

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

static void lid_line(struct text *t, const struct fabric *a, uint32_t p, const struct fabric *b, uint32_t q)
{
	char name[300];

	text_add(t, "~ lid %s: %u -> %u", port_label(b, q, name, sizeof(name)), a->port_lid[p],
		 b->port_lid[q]);
	if (a->port_lmc[p] != b->port_lmc[q])
		text_add(t, ", lmc %u -> %u", a->port_lmc[p], b->port_lmc[q]);
}

/* One of them in words, without the end of the line. */
static void change_line(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	const struct fabric *a = x->a, *b = x->b;
	char p[300], q[300], r[300], s[300];
	unsigned end = 0;

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
		lid_line(t, a, c->was[0], b, c->now[0]);
	}
}

void change_text(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	change_line(x, c, t);
	text_putc(t, '\n');
	cable_lines(x, c, t);
}

unsigned fabric_changes(const struct fabric *a, const struct fabric *b, const char *chassis_file,
			struct text *lines, struct progress *p)
{
	struct fabric_changes x;
	unsigned n;

	changes_find(&x, a, b, chassis_file, p);
	for (size_t i = 0; i < x.n; i++)
		change_text(&x, &x.c[i], lines);
	n = (unsigned)x.n;
	changes_free(&x);
	return n;
}
