/*
 * NVIDIA's Up/Down with adaptive routing, by its published rule: all ports of the fewest legal hops to a LID
 * are one group (engines/doc/updn.md, section 13). The table is updn's. The program itself is not public, so
 * ties may differ.
 */
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/adaptive.h"
#include "engines/engines.h"
#include "engines/record.h"
#include "engines/updown/internal.h"

#include <stdlib.h>
#include <string.h>

#define NAME "ar_updn"

/* A switch from which this one may have its rank. */
static uint32_t above(const struct topo *t, const struct updown *u, uint32_t sw)
{
	uint32_t best = sw;

	FOR_CABLES(t, sw, port, r) {
		if (u->rank[r] < u->rank[best])
			best = r;
	}
	return best;
}

static void take_ranks(const struct engine_input *in, struct updown *u)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t *root = NEW_ARRAY(f->n_switches, uint32_t);

	rec_phase(in, "ranks that the source tells");
	for (uint32_t s = 0; s < f->n_switches; s++) {
		u->rank[s] = f->switch_rank[s] - 1u;
		if (!u->rank[s])
			root[u->n_roots++] = s;
		u->max_rank = MAX(u->rank[s], u->max_rank);
	}
	if (RECORDED(in))
		updown_record_roots(in, root, u->n_roots);
	for (uint32_t s = 0; RECORDED(in) && s < f->n_switches; s++)
		if (u->rank[s])
			updown_record_rank(in, s, above(in->topo, u, s), u->rank[s]);
	updown_count_level(in, u);
	free(root);
}

static struct routing *by_told_ranks(const struct engine_input *in, struct engine_output *out)
{
	struct updown *u = updown_new(in->topo, true);

	if (RECORDED(in))
		updown_record_keep(in, u);
	take_ranks(in, u);
	if (updown_matrix(in, u, NULL, false, false, &out->refused))
		return updown_routing(NAME, in, out, u);
	updown_free(u);
	return NULL;
}

/* --- groups ------------------------------------------------------------------------------------- */

#define UNSET UINT32_MAX

/* The group with these ports, a new one if there is none; NO_ADAPTIVE for fewer than two ports. */
static unsigned ar_updn_group_of(struct adaptive_switch *a, const uint64_t *mask, unsigned words)
{
	struct port_set set = {{0}};
	unsigned n = 0, g;

	for (unsigned w = 0; w < words; w++) {
		set.word[w] = mask[w];
		n += (unsigned)__builtin_popcountll(mask[w]);
	}
	if (n < 2)
		return NO_ADAPTIVE;
	for (g = 0; g < a->n_groups; g++)
		if (!memcmp(&a->group[g].ports, &set, sizeof(set)))
			return g;
	g = adaptive_group_index(a, a->n_groups);
	a->group[g].ports = set;
	return g;
}

static void ar_updn_group_switch(struct routing *r, const struct hops *h, uint32_t s, uint64_t *mask,
				 uint32_t *group, uint16_t *of_lid)
{
	const struct topo *t = r->topo;
	unsigned words = mask_words(t->fabric, s);

	hops_masks(h, t, s, mask);
	memset(group, 0xff, t->fabric->n_switches * sizeof(*group));
	memset(of_lid, 0xff, (r->lids->max_lid + 1u) * sizeof(*of_lid));
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid), d = ep == NO_ID ? NO_ID : t->endport_switch[ep];
		unsigned port = routing_port(r, s, lid);

		/* an entry that is no candidate is a rule of its own: none of the group's */
		if (d == NO_ID || d == s || port == NO_PATH ||
		    !(mask[(size_t)d * words + port / 64] >> port % 64 & 1))
			continue;
		if (group[d] == UNSET)
			group[d] = ar_updn_group_of(&r->adaptive->sw[s], mask + (size_t)d * words, words);
		of_lid[lid] = (uint16_t)group[d];
	}
	adaptive_fill(&r->adaptive->sw[s], of_lid, r->lids->max_lid + 1u);
}

static void add_groups(struct routing *r)
{
	const struct topo *t = r->topo;
	const struct hops *h = updown_of(r)->hops;
	uint32_t n = t->fabric->n_switches, *group = NEW_ARRAY(n, uint32_t);
	uint64_t *mask = NEW_ARRAY((size_t)n * 4, uint64_t);
	uint16_t *of_lid = NEW_ARRAY(r->lids->max_lid + 1u, uint16_t);

	r->adaptive = adaptive_new(n);
	for (uint32_t s = 0; s < n; s++)
		if (switch_up(t, s))
			ar_updn_group_switch(r, h, s, mask, group, of_lid);
	free(group);
	free(mask);
	free(of_lid);
}

static struct routing *ar_route(const struct engine_input *in, struct engine_output *out)
{
	bool told = topo_ranks_told(in->topo);
	struct routing *r = told ? by_told_ranks(in, out) : updn_route_as(NAME, true, in, out);

	if (!r)
		return NULL;
	add_groups(r);
	note_add(&out->notes, 0,
		 NAME
		 ": updn's table, groups by the published rule: all ports of the fewest legal hops%s; by "
		 "rule, ties may differ\n",
		 told ? " by the ranks that the source tells" : "");
	return r;
}

const struct engine engine_ar_updn = {
	.name = NAME,
	.brief = "NVIDIA's Up/Down with adaptive routing: updn's table, groups by the published rule; ties "
		 "may "
		 "differ",
	.reference = "NVIDIA, InfiniBand Cluster Bring-up Procedure: Adaptive Routing; the table as updn",
	.options = updn_options,
	.route = ar_route,
	.room = updown_room,
	.scheme = &updn_scheme,
};
