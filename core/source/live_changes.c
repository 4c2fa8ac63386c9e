/* The differences between two discoveries of a fabric. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/source/live.h"

struct differ {
	const struct fabric *a, *b;
	struct text *out;
	unsigned n;
	uint8_t *told;	 /* [b->n_links] 1: the link was reported as the new place of a cable */
	uint8_t *silent; /* [a->n_nodes] 1: not in b, but behind a port of b that is up: it did not answer */
};

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
	uint32_t *queue = NEW_ARRAY(a->n_nodes, uint32_t), n = 0;

	for (uint32_t p = 0; p < a->n_ports; p++) {
		uint32_t peer = a->port_peer[p], node = peer == NO_ID ? NO_ID : a->port_node[peer];

		if (node == NO_ID || d->silent[node] ||
		    fabric_node_by_guid(d->b, a->node_guid[node]) != NO_ID ||
		    !is_open(d->b, fabric_port_in(d->b, a, p)))
			continue;
		d->silent[node] = 1;
		queue[n++] = node;
	}
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= a->node_nports[queue[i]]; p++) {
			uint32_t peer = a->port_peer[a->node_port[queue[i]] + p],
				 node = peer == NO_ID ? NO_ID : a->port_node[peer];

			if (node == NO_ID || d->silent[node] ||
			    fabric_node_by_guid(d->b, a->node_guid[node]) != NO_ID)
				continue;
			d->silent[node] = 1;
			queue[n++] = node;
		}
	free(queue);
}

static void nodes_only_in(struct differ *d, char sign, const struct fabric *f, const struct fabric *other)
{
	static const char *const kind[] = {"", "CA", "switch", "router"};

	for (uint32_t i = 0; i < f->n_nodes; i++) {
		uint32_t n = f->by_name[i];

		if (fabric_node_by_guid(other, f->node_guid[n]) != NO_ID)
			continue;
		text_add(d->out, "%c node %s (0x%016" PRIx64 ", %s, %s)\n",
			 f == d->a && d->silent[n] ? '?' : sign, f->node_name[n], f->node_guid[n],
			 kind[f->node_type[n]], PLURAL(f->node_nports[n], "port"));
		d->n++;
	}
}

static void lids(struct differ *d)
{
	char name[192];

	for (uint32_t i = 0; i < d->a->n_endports; i++) {
		uint32_t p = d->a->endport_port[i], q = fabric_port_in(d->b, d->a, p);
		unsigned lid = d->a->port_lid[p], lmc = d->a->port_lmc[p];

		if (q == NO_ID || d->b->port_endport[q] == NO_ID)
			continue;
		if (lid == d->b->port_lid[q] && lmc == d->b->port_lmc[q])
			continue;
		text_add(d->out, "~ lid %s: %u -> %u", port_label(d->b, q, name, sizeof(name)), lid,
			 d->b->port_lid[q]);
		if (lmc != d->b->port_lmc[q])
			text_add(d->out, ", lmc %u -> %u", lmc, d->b->port_lmc[q]);
		text_putc(d->out, '\n');
		d->n++;
	}
}

/* The link of `from` at the same place in `to`; NO_ID when that cable is gone. */
static uint32_t link_in(const struct fabric *to, const struct fabric *from, uint32_t link)
{
	uint32_t x = fabric_port_in(to, from, from->link_port[2 * link]),
		 y = fabric_port_in(to, from, from->link_port[2 * link + 1]);

	return x == NO_ID || y == NO_ID || to->port_peer[x] != y ? NO_ID : to->port_link[x];
}

static void link_line(struct differ *d, char sign, const struct fabric *f, uint32_t link)
{
	char x[192], y[192];

	text_add(d->out, "%c link %s -- %s\n", sign, port_label(f, f->link_port[2 * link], x, sizeof(x)),
		 port_label(f, f->link_port[2 * link + 1], y, sizeof(y)));
	d->n++;
}

/* Reports a cable that is gone. It was moved if one of its ends now leads elsewhere. */
static void lost_link(struct differ *d, uint32_t link)
{
	char x[192], y[192], z[192];
	bool unseen = false; /* a node at one of the ends did not answer */

	for (unsigned side = 0; side < 2; side++) {
		uint32_t p = d->a->link_port[2 * link + side], old = d->a->port_peer[p],
			 q = fabric_port_in(d->b, d->a, p);

		unseen |= d->silent[d->a->port_node[p]] || is_open(d->b, q);
		if (q == NO_ID || d->b->port_link[q] == NO_ID || d->told[d->b->port_link[q]])
			continue;
		d->told[d->b->port_link[q]] = 1;
		text_add(d->out, "~ link %s: from %s to %s\n", port_label(d->b, q, x, sizeof(x)),
			 port_label(d->a, old, y, sizeof(y)),
			 port_label(d->b, d->b->port_peer[q], z, sizeof(z)));
		d->n++;
		return;
	}
	link_line(d, unseen ? '?' : '-', d->a, link);
}

static void rates(struct differ *d, uint32_t link)
{
	char x[192], y[192];

	for (unsigned side = 0; side < 2; side++) {
		uint32_t p = d->a->link_port[2 * link + side], q = fabric_port_in(d->b, d->a, p);

		if (d->a->port_width[p] == d->b->port_width[q] && d->a->port_speed[p] == d->b->port_speed[q])
			continue;
		text_add(d->out, "~ rate %s -- %s: %s%s -> %s%s\n", port_label(d->b, q, x, sizeof(x)),
			 port_label(d->b, d->b->port_peer[q], y, sizeof(y)),
			 link_width_name(d->a->port_width[p]), link_speed_name(d->a->port_speed[p]),
			 link_width_name(d->b->port_width[q]), link_speed_name(d->b->port_speed[q]));
		d->n++;
		return;
	}
}

unsigned fabric_changes(const struct fabric *a, const struct fabric *b, struct text *lines)
{
	struct differ d = {.a = a, .b = b, .out = lines};

	d.told = NEW_ARRAY(b->n_links, uint8_t);
	d.silent = NEW_ARRAY(a->n_nodes, uint8_t);
	find_silent(&d);
	nodes_only_in(&d, '-', a, b);
	nodes_only_in(&d, '+', b, a);
	for (uint32_t n = 0; n < a->n_nodes; n++) {
		uint32_t m = fabric_node_by_guid(b, a->node_guid[n]);

		if (m == NO_ID || !strcmp(a->node_desc[n], b->node_desc[m]))
			continue;
		text_add(lines, "~ name 0x%016" PRIx64 ": %s -> %s\n", a->node_guid[n], a->node_desc[n],
			 b->node_desc[m]);
		d.n++;
	}
	lids(&d);
	for (uint32_t l = 0; l < b->n_links; l++)
		d.told[l] = link_in(a, b, l) != NO_ID;
	for (uint32_t l = 0; l < a->n_links; l++)
		(link_in(b, a, l) == NO_ID ? lost_link : rates)(&d, l);
	for (uint32_t l = 0; l < b->n_links; l++)
		if (!d.told[l])
			link_line(&d, '+', b, l);
	free(d.told);
	free(d.silent);
	return d.n;
}
