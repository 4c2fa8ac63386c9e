#include "core/analysis/compare/compare.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 4

/* Is an endport in r on a switch that the other fabric has, too? */
static bool placed(const struct routing *r, uint32_t ep, const struct fabric *other)
{
	uint32_t sw = r->topo->endport_switch[ep];

	return !r->topo->endport_up[ep] || sw == NO_ID ||
	       fabric_switch_in(other, r->topo->fabric, sw) != NO_ID;
}

/* For each endport of `from`: the same one in `to`, or NO_ID if it cannot be compared. */
static uint32_t *match_endports(const struct routing *from, const struct routing *to)
{
	const struct fabric *f = from->topo->fabric, *g = to->topo->fabric;
	uint32_t *match = NEW_ARRAY(f->n_endports + 1, uint32_t);

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t other = fabric_endport_in(g, f, ep);

		if (other != NO_ID && (endport_is_switch(f, ep) != endport_is_switch(g, other) ||
				       !placed(from, ep, g) || !placed(to, other, f)))
			other = NO_ID;
		match[ep] = other;
	}
	return match;
}

static void two_fabrics_add_name(struct one_sided *o, struct text *t, const char *name)
{
	uint32_t n = o->switches + o->hosts;

	if (n <= NAMES_SHOWN)
		text_add(t, "%s%s", n > 1 ? ", " : "", name);
	else if (n == NAMES_SHOWN + 1)
		text_add(t, ", ...");
}

static void two_fabrics_tell_rest(void *arena, const struct routing *r, const struct fabric *other,
				  const uint32_t *match, struct one_sided *o)
{
	const struct fabric *f = r->topo->fabric;
	AUTO_TEXT struct text t = {0};

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (fabric_switch_in(other, f, sw) != NO_ID)
			continue;
		o->switches++;
		two_fabrics_add_name(o, &t, switch_name(f, sw));
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (match[ep] != NO_ID || !routing_counts(r, ep))
			continue;
		o->hosts++;
		two_fabrics_add_name(o, &t, f->node_name[endport_node(f, ep)]);
	}
	o->names = arena_str(arena, text_str(&t));
}

/* r on a fabric whose switch s is switch sw[s] of r. LIDs whose owner cannot be compared have no entries. */
static struct routing *routing_seen_on(const struct routing *r, const struct topo *t, const uint32_t *match,
				       const uint32_t *sw)
{
	struct lids *l = lids_on(r->lids, t->fabric, match);
	struct routing *n = routing_new(r->engine, t, l);

	lids_unref(l);
	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		uint32_t own = sw ? sw[s] : s;
		const struct lft_row *row = own == NO_ID ? NULL : r->row[own];

		if (!row)
			continue;
		n->row[s] = lft_row_new(row->top);
		for (unsigned lid = 1; lid <= row->top; lid++) {
			uint32_t ep = lid_owner(r->lids, lid);

			n->row[s]->port[lid] = ep != NO_ID && match[ep] == NO_ID ? NO_PATH : row->port[lid];
		}
	}
	return n;
}

/* Entries for a LID that nobody holds are left over: they count as no change. */
static void skip_lids(struct across *x, const uint32_t *from_b)
{
	const struct lids *a = x->own->lids, *b = x->own_b->lids;
	unsigned top = MAX(a->max_lid, b->max_lid);

	x->skip = ARENA_ARRAY(x, top + 1, uint8_t);
	for (unsigned lid = 1; lid <= top; lid++) {
		uint32_t held = lid_owner(a, lid), holds = lid_owner(b, lid), n = 0;
		uint32_t was = holds == NO_ID ? NO_ID : from_b[holds];
		const struct routing *nobody = holds == NO_ID ? x->own_b : x->own;
		struct one_sided *only = &x->only[holds != NO_ID];

		if ((held == NO_ID && holds == NO_ID) ||
		    (was != NO_ID && a->base[was] && lid - b->base[holds] < a->count[was]))
			continue;
		x->skip[lid] = held != NO_ID && holds != NO_ID;
		for (uint32_t sw = 0; !x->skip[lid] && sw < nobody->topo->fabric->n_switches; sw++)
			n += nobody->row[sw] && routing_port(nobody, sw, lid) != NO_PATH;
		x->skip[lid] |= n > 0;
		only->lids += n > 0;
		only->entries += n;
	}
}

struct across *across_new(void *arena, const struct routing *a, const struct routing *b)
{
	const struct fabric *fa = a->topo->fabric, *fb = b->topo->fabric;
	AUTO_FREE uint32_t *from_a = match_endports(a, b), *from_b = match_endports(b, a),
			   *self = NEW_ARRAY(fb->n_endports + 1, uint32_t);
	struct across *x = ARENA_NEW(arena, struct across);
	struct host_set *hosts = host_set_new(fb, true, NULL);
	AUTO_TOPO struct topo *t = topo_on(a->topo, fb, from_a);

	assert(fa != fb);
	hosts->narrowed = b->hosts && b->hosts->narrowed;
	hosts->n = 0;
	for (uint32_t ep = 0; ep < fb->n_endports; ep++) {
		bool both = from_b[ep] != NO_ID;

		self[ep] = both ? ep : NO_ID;
		hosts->in[ep] = both && routing_counts(b, ep);
		hosts->n += hosts->in[ep];
	}

	x->own = routing_unref_later(x, routing_ref(a));
	x->own_b = routing_unref_later(x, routing_ref(b));
	x->sw = ARENA_ARRAY(x, fb->n_switches + 1, uint32_t);
	for (uint32_t s = 0; s < fb->n_switches; s++)
		x->sw[s] = fabric_switch_in(fa, fb, s);
	two_fabrics_tell_rest(x, a, fb, from_a, &x->only[0]);
	two_fabrics_tell_rest(x, b, fa, from_b, &x->only[1]);
	skip_lids(x, from_b);
	x->a = routing_unref_later(x, routing_seen_on(a, t, from_a, x->sw));
	x->b = routing_unref_later(x, routing_seen_on(b, b->topo, self, NULL));
	x->a->hosts = host_set_ref(hosts);
	x->b->hosts = hosts;
	return x;
}
