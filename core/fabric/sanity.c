/* Oddities of a fabric as a whole.  They are told as warnings; nothing is changed. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/labels.h"
#include "core/base/order.h"

#define TOLD 20		     /* of one kind are told; the rest is counted */
#define LAST_UNICAST 0xBFFFu /* LIDs above are multicast */

struct sanity_held {
	uint64_t value; /* a GUID, or a LID */
	uint32_t port;
};

COMPARATOR(held_compare, struct sanity_held, UP(value) UP(port))

/* Tells the number of further ones after TOLD of a kind. */
static void sanity_tell_rest(struct fabric *f, const char *kind, uint32_t n)
{
	if (n <= TOLD)
		return;
	warnings_add(&f->warnings, kind, 0, "and %u more", n - TOLD);
	warnings_stand_for(&f->warnings, n - TOLD);
}

/* Gives the last warning the place of a port. */
static void sanity_at_port(struct fabric *f, uint32_t port)
{
	warnings_place(&f->warnings, f->node_guid[f->port_node[port]], f->port_num[port]);
}

static void port_guids(struct fabric *f)
{
	struct sanity_held *h = NEW_ARRAY(f->n_endports, struct sanity_held);
	uint32_t n = 0;
	char a[300], b[300];

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		h[ep] = (struct sanity_held){f->port_guid[f->endport_port[ep]], f->endport_port[ep]};
	qsort(h, f->n_endports, sizeof(*h), held_compare);
	for (uint32_t i = 1; i < f->n_endports; i++)
		if (h[i].value == h[i - 1].value && n++ < TOLD) {
			warnings_add(&f->warnings, "duplicate GUID", 0,
				     "port GUID 0x%016" PRIx64 " is of %s and of %s", h[i].value,
				     port_label(f, h[i - 1].port, a, sizeof(a)),
				     port_label(f, h[i].port, b, sizeof(b)));
			sanity_at_port(f, h[i].port);
		}
	sanity_tell_rest(f, "duplicate GUID", n);
	free(h);
}

/* Checks the LIDs of all ports: the first port with each is its owner. */
static void lids(struct fabric *f)
{
	uint32_t *owner = NEW_ARRAY(UINT16_MAX + 1u, uint32_t), twice = 0, beyond = 0; /* endport + 1 */
	char a[300], b[300];

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], lid = f->port_lid[port];
		uint32_t last = lid + (1u << f->port_lmc[port]) - 1, other = 0;

		if (!lid)
			continue;
		if (last > LAST_UNICAST && beyond++ < TOLD) {
			warnings_add(&f->warnings, "LID out of range", 0,
				     "LIDs %u to %u of %s: unicast LIDs end at %u", lid, last,
				     port_label(f, port, a, sizeof(a)), LAST_UNICAST);
			sanity_at_port(f, port);
		}
		for (uint32_t l = lid; l <= last && last <= LAST_UNICAST; l++) {
			other = owner[l] && !other ? owner[l] : other;
			owner[l] = owner[l] ? owner[l] : ep + 1;
		}
		if (other && twice++ < TOLD) {
			warnings_add(&f->warnings, "duplicate LID", 0, "LID %u of %s is one of %s, too", lid,
				     port_label(f, port, a, sizeof(a)),
				     port_label(f, f->endport_port[other - 1], b, sizeof(b)));
			sanity_at_port(f, port);
		}
	}
	sanity_tell_rest(f, "LID out of range", beyond);
	sanity_tell_rest(f, "duplicate LID", twice);
	free(owner);
}

/* A cable by the nodes that it joins. */
struct sanity_cable {
	uint32_t low, high; /* nodes */
	uint32_t link;
};

COMPARATOR(cable_compare, struct sanity_cable, UP(low) UP(high) UP(link))

static double sanity_rate_of(const struct fabric *f, uint32_t link)
{
	uint32_t p = f->link_port[2 * link];

	return link_rate_gbps(f->port_width[p], f->port_speed[p]);
}

static void slow_link(struct fabric *f, uint32_t link, uint32_t best, uint32_t *told)
{
	uint32_t p = f->link_port[2 * link], q = f->link_port[2 * link + 1], r = f->link_port[2 * best];
	char a[300], b[300];

	if ((*told)++ >= TOLD)
		return;
	warnings_add(&f->warnings, "slow link", 0, "%s to %s is %s%s, a link beside it is %s%s",
		     port_label(f, p, a, sizeof(a)), port_label(f, q, b, sizeof(b)),
		     link_width_name(f->port_width[p]), link_speed_name(f->port_speed[p]),
		     link_width_name(f->port_width[r]), link_speed_name(f->port_speed[r]));
	sanity_at_port(f, p);
}

/* Links between the same two nodes ought to be alike. */
static void siblings(struct fabric *f)
{
	struct sanity_cable *c = NEW_ARRAY(f->n_links, struct sanity_cable);
	uint32_t told = 0;

	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->port_node[f->link_port[2 * l]], b = f->port_node[f->link_port[2 * l + 1]];

		c[l] = (struct sanity_cable){MIN(a, b), MAX(a, b), l};
	}
	qsort(c, f->n_links, sizeof(*c), cable_compare);
	for (uint32_t first = 0, end; first < f->n_links; first = end) {
		uint32_t best = c[first].link;

		for (end = first;
		     end < f->n_links && c[end].low == c[first].low && c[end].high == c[first].high; end++)
			best = sanity_rate_of(f, c[end].link) > sanity_rate_of(f, best) ? c[end].link : best;
		for (uint32_t i = first; i < end; i++)
			if (sanity_rate_of(f, c[i].link) > 0 &&
			    sanity_rate_of(f, c[i].link) < sanity_rate_of(f, best))
				slow_link(f, c[i].link, best, &told);
	}
	sanity_tell_rest(f, "slow link", told);
	free(c);
}

void fabric_tell_oddities(struct fabric *f)
{
	port_guids(f);
	lids(f);
	siblings(f);
}
