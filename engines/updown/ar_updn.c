/* Up/Down with adaptive routing, shortest ways with and without its rule, and what is recorded. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"
#include "engines/counted/counted.h"
#include "engines/engines.h"
#include "engines/say.h"
#include "engines/updown/updown.h"

/* Shortest ways, with and without the rule of up and down; the choice of ports, and what those who ask hear
 * about ways. */

void ways_measure(struct ways *n, uint32_t target)
{
	const struct topo *t = n->in->topo;
	uint32_t end = 2;

	assert(switch_up(t, target));
	if (n->target == target)
		return;
	n->target = target;
	switch_distances(n->in->topo, target, n->dist);
	memset(n->legal, 0xff, 2 * (size_t)n->in->topo->fabric->n_switches * sizeof(*n->legal));
	for (uint32_t i = 0; i < end; i++) {
		n->queue[i] = 2 * target + i;
		n->legal[n->queue[i]] = 0;
	}
	/* `at` is 2 * switch + (the packet came down); find the states from which a packet may come */
	for (uint32_t i = 0; i < end; i++) {
		uint32_t at = n->queue[i];

		FOR_CABLES(t, at / 2, id, r) {
			char c = updown_direction(n->u, t, r, t->fabric->port_num[t->peer[id]]);

			for (uint32_t before = 2 * r; before < 2 * r + (c == 'U' ? 1 : 2); before++) {
				if ((c == 'D') != (at & 1) || n->legal[before] != FAR)
					continue;
				n->legal[before] = n->legal[at] + 1;
				n->queue[end++] = before;
			}
		}
	}
}

uint32_t way_legal(const struct ways *n, uint32_t sw, unsigned port)
{
	uint32_t r = peer_of(n, sw, port);

	return r == NO_ID ? FAR
			  : n->legal[2 * r + (updown_direction(n->u, n->in->topo, sw, port) == 'D')] + 1u;
}

static void updown_ways_end_run(struct way_text *w)
{
	if (!w->len)
		return;
	text_add(&w->t, "%s%s", w->t.len ? " then " : "",
		 w->run == 'U'	 ? "up"
		 : w->run == 'D' ? "down"
				 : "level");
	if (w->len > 1)
		text_add(&w->t, " %u", w->len);
	w->len = 0;
}

void way_shortest(const struct ways *n, uint32_t sw, struct way_text *w)
{
	const struct fabric *f = n->in->topo->fabric;

	assert(n->target != NO_ID && n->dist[sw] != FAR);
	while (n->dist[sw]) {
		unsigned port = 1;

		while (peer_of(n, sw, port) == NO_ID || n->dist[peer_of(n, sw, port)] + 1 != n->dist[sw])
			if (++port > f->switch_nports[sw])
				return;
		char c = updown_direction(n->u, n->in->topo, sw, port);
		if (c == 'U' && w->down && w->turn == NO_ID)
			w->turn = sw;
		w->down = c == 'D' || (w->down && n->u->id);
		if (c != w->run)
			updown_ways_end_run(w);
		w->run = c;
		w->len++;
		w->hops++;
		sw = peer_of(n, sw, port);
	}
	updown_ways_end_run(w);
}

/* --- the rule that decided ----------------------------------------------------------------- */

/* Is there a port upwards, and an equally good one downwards? */
static bool mixes(const struct ways *n, uint32_t sw, unsigned port, unsigned least)
{
	const struct topo *t = n->in->topo;

	if (!n->u->id || updown_direction(n->u, t, sw, port) != 'U')
		return false;
	for (unsigned p = 1; p <= t->fabric->switch_nports[sw]; p++)
		if (peer_of(n, sw, p) != NO_ID && hops_value(n->u->hops, t, sw, n->target, p) == least &&
		    updown_direction(n->u, t, sw, p) == 'D')
			return true;
	return false;
}

/* Is there a legal way by this port that is shorter than the one that the search found there? */
static bool found_longer(const struct ways *n, uint32_t sw, unsigned port)
{
	return !ways_open(n) &&
	       way_legal(n, sw, port) < hops_value(n->u->hops, n->in->topo, sw, n->target, port);
}

bool way_is_missed(const struct ways *n, uint32_t sw, unsigned port)
{
	unsigned least = hops_least(n->u->hops, sw, n->target),
		 value = hops_value(n->u->hops, n->in->topo, sw, n->target, port);

	return (value == NO_PATH || value > least) && found_longer(n, sw, port) &&
	       way_legal(n, sw, port) <= least;
}

unsigned way_missed(const struct ways *n, uint32_t sw)
{
	assert(n->target != NO_ID);

	unsigned best = 0, least = hops_least(n->u->hops, sw, n->target);

	for (unsigned p = 1; p <= n->in->topo->fabric->switch_nports[sw]; p++)
		if (found_longer(n, sw, p) && way_legal(n, sw, p) <= least &&
		    (!best || way_legal(n, sw, p) < way_legal(n, sw, best)))
			best = p;
	return best;
}

enum why_rule way_rule(const struct ways *n, uint32_t sw, unsigned port, enum why_rule rule)
{
	assert(n->target != NO_ID);

	const struct updown *u = n->u;
	unsigned least = hops_least(u->hops, sw, n->target);

	if (rule == WHY_CUT_OFF || n->dist[sw] == FAR)
		return rule;
	if (port == NO_PATH && u->n_erased)
		return WHY_ERASED;
	if (port == NO_PATH && way_missed(n, sw))
		return WHY_MISSED;
	if (port == NO_PATH)
		return u->id && !u->connect && !u->rank[sw] && !u->rank[n->target] ? WHY_ROOTS_APART
										   : WHY_FORBIDDEN;
	if (rule != WHY_ONLY_CANDIDATE)
		return rule != WHY_KEPT && mixes(n, sw, port, least) ? WHY_MIXED : rule;
	if (u->weight) /* the price was paid if the cost is above it, plus one hop after the turn */
		return least > u->weight + 1 ? WHY_PRICED : rule;
	if (way_missed(n, sw))
		return WHY_MISSED;
	return least > n->dist[sw] && !ways_open(n) ? WHY_FORBIDDEN : rule;
}

/* Chooses ports where masks or costs differ from those of the run before, when its entries count. */
static bool assign_changed(const struct engine_input *in, struct engine_output *out, const struct updown *u,
			   struct routing *r)
{
	const struct routing *old = in->previous;
	const struct updown *was = old ? updown_of(old) : NULL;
	uint32_t n = in->topo->fabric->n_switches;

	if (!was || (in->left && in->left->hops) || nvidia_rules(in->options) || !assign_keeps(in, old))
		return assign_ports(in, out, u->hops, false, (struct hops_marks){0}, r);
	AUTO_FREE uint8_t *touched = NEW_ARRAY(n, uint8_t), *farther = NEW_ARRAY(n, uint8_t);
	struct hops_marks marks = {touched, farther};
	if (!hops_compare(was->hops, old->topo, u->hops, in->topo, marks))
		marks.touched = NULL;
	return assign_ports(in, out, u->hops, false, marks, r);
}

/* What ways_measure() finds for each target. */
struct updown_events_measured {
	struct ways *n;
	uint16_t *dist, *legal; /* [target x switch], [target x switch x 2] */
};

static unsigned amended(void *ctx, const struct rec_event *ev)
{
	const struct updown_events_measured *m = ctx;
	struct ways n = *m->n;
	size_t size = n.in->topo->fabric->n_switches;
	uint32_t ep = lid_owner(n.in->lids, ev->b);

	n.target = ep == NO_ID ? NO_ID : n.in->topo->endport_switch[ep];
	if (n.target == NO_ID || n.target == ev->a)
		return ev->rule;
	n.dist = m->dist + n.target * size;
	n.legal = m->legal + 2 * n.target * size;
	return way_rule(&n, ev->a, ev->port, ev->rule);
}

/* ar_updn.c: replaces rules of recorded choices by the rules of ways. */
static void updown_amend_rules(struct ways *n)
{
	size_t size = n->in->topo->fabric->n_switches;
	struct updown_events_measured m = {.n = n,
					   .dist = NEW_ARRAY(size * size, uint16_t),
					   .legal = NEW_ARRAY(2 * size * size, uint16_t)};

	for (uint32_t t = 0; t < size && !progress_cancelled(n->in->progress); t++) {
		if (!switch_up(n->in->topo, t))
			continue;
		ways_measure(n, t);
		memcpy(m.dist + t * size, n->dist, size * sizeof(*n->dist));
		memcpy(m.legal + 2 * t * size, n->legal, 2 * size * sizeof(*n->legal));
	}
	rec_amend(n->in->record, amended, &m, n->in->progress);
	FREE_EACH(m.dist, m.legal);
}

bool updown_assign(const struct engine_input *in, struct engine_output *out, const struct updown *u,
		   struct routing *r)
{
	uint32_t size = in->topo->fabric->n_switches;
	struct ways n = {.in = in, .u = u, .target = NO_ID};
	struct engine_input told = *in;
	struct rec_ask ask;

	if (!ASKED(in) && !RECORDED(in))
		return assign_changed(in, out, u, r);
	n.dist = NEW_ARRAY(size, uint16_t);
	n.queue = NEW_ARRAY(2 * (size_t)size, uint32_t);
	n.legal = NEW_ARRAY(2 * (size_t)size, uint16_t);
	n.hub = NO_ID;
	if (ASKED(in)) {
		n.hub = u->id ? missing_routes_hub(in, out) : NO_ID;
		ask = *in->ask;
		ask.tell = updown_tell_choice;
		ask.ctx = &n;
		told.ask = &ask;
	}
	bool done = assign_ports(&told, out, u->hops, false, (struct hops_marks){0}, r);
	if (RECORDED(in) && done)
		updown_amend_rules(&n);
	FREE_EACH(n.dist, n.queue, n.legal);
	return done;
}

/* NVIDIA's Up/Down with adaptive routing, by its published rule: all ports of the fewest legal hops to a LID
 * are one group (engines/doc/updn.md, section 13). The table is updn's by NVIDIA's rules
 * (engines/doc/nvidia.md). */

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
	AUTO_FREE uint32_t *root = NEW_ARRAY(f->n_switches, uint32_t);

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
}

static struct routing *by_told_ranks(const struct engine_input *in, struct engine_output *out)
{
	struct updown *u = updown_new(in->topo, true);

	assert(topo_ranks_told(in->topo));
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
	uint32_t n = t->fabric->n_switches;
	AUTO_FREE uint32_t *group = NEW_ARRAY(n, uint32_t);
	AUTO_FREE uint64_t *mask = NEW_ARRAY((size_t)n * 4, uint64_t);
	AUTO_FREE uint16_t *of_lid = NEW_ARRAY(r->lids->max_lid + 1u, uint16_t);

	assert(!r->adaptive);
	r->adaptive = adaptive_new(n);
	for (uint32_t s = 0; s < n; s++)
		if (switch_up(t, s))
			ar_updn_group_switch(r, h, s, mask, group, of_lid);
}

static struct routing *ar_route(const struct engine_input *in, struct engine_output *out)
{
	bool told = topo_ranks_told(in->topo) && !options_file(in->options, "root_guid_file");
	struct routing *r = told ? by_told_ranks(in, out) : updn_route_as(NAME, true, in, out);

	if (!r)
		return NULL;
	add_groups(r);
	note_add(&out->notes, 0,
		 NAME ": updn's table, groups by the published rule: all ports of the fewest legal hops%s\n",
		 told ? " by the ranks that the source tells" : "");
	return r;
}

const struct engine engine_ar_updn = {
	.name = NAME,
	.brief =
		"NVIDIA's Up/Down with adaptive routing: updn by NVIDIA's rules, groups by the published one",
	.reference = "NVIDIA, InfiniBand Cluster Bring-up Procedure: Adaptive Routing; the table as updn",
	.options = updn_options,
	.route = ar_route,
	.room = updown_room,
	.scheme = &updn_scheme,
};

/* What Up/Down and Down/Up record in addition to the choice of ports. */

void updown_record_verdict(const struct engine_input *in, uint32_t sw, enum root_verdict v)
{
	struct recorder *r = in->record;

	rec_cells(r, T_ROOT, in->topo->fabric->n_switches);
	rec_event(r, REC_VERDICT, v, 0, sw, 0);
	rec_delta(r, T_ROOT, sw, 0, v + 1u);
}

void updown_record_roots(const struct engine_input *in, const uint32_t *sw, uint32_t n)
{
	rec_cells(in->record, T_RANK, in->topo->fabric->n_switches);
	for (uint32_t i = 0; i < n; i++) {
		rec_event(in->record, REC_RANK, 0, 0, sw[i], NO_ID);
		rec_delta(in->record, T_RANK, sw[i], NO_RANK, 0);
	}
}

void updown_record_rank(const struct engine_input *in, uint32_t sw, uint32_t from, uint32_t rank)
{
	rec_event(in->record, REC_RANK, 0, 0, sw, from);
	rec_delta(in->record, T_RANK, sw, NO_RANK, rank);
}

/* --- data that no step changes ----------------------------------------------------------------------- */

struct updown *updown_frame(const struct updown *u, uint32_t n)
{
	struct updown *c = NEW(struct updown);

	c->rank = NEW_ARRAY(n, uint32_t);
	memset(c->rank, 0xff, n * sizeof(*c->rank));
	c->id = u->id ? mem_dup(u->id, n * sizeof(*u->id)) : NULL;
	if (!u->search)
		return c;
	c->search = mem_dup(u->search, sizeof(*u->search));
	topo_ref(c->search->topo);
	c->search->bar = mem_dup(u->search->bar, (size_t)n * ROOT_BARS * sizeof(*u->search->bar));
	return c;
}

void updown_record_keep(const struct engine_input *in, const struct updown *u)
{
	rec_keep(in->record, updown_frame(u, in->topo->fabric->n_switches), updown_free);
}
