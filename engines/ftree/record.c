/* Fat-tree routing in a recording: events, sentences, and the tables of a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/sm/walk.h"
#include "engines/ftree/run.h"
#include "engines/record.h"

/* In the flags of a choice: the entry came by reverse hops. */
#define BY_REVERSE 2

static const char *const causes[] = {
	[FT_LOCAL] = "attached here", [FT_DESCENT] = "learned", [FT_MAIN] = "main path",
	[FT_SECOND] = "secondary",    [FT_BESIDE] = "side",	[FT_ROOTS] = "connect roots",
};

/* --- what no step changes ------------------------------------------------------------------------------- */

/* The tree, without what routing adds. */
static struct ftree *tree_copy(const struct ftree *t)
{
	struct ftree *c = mem_dup(t, sizeof(*t));

	topo_ref(c->topo);
	lids_ref(c->lids);
	c->hops = NULL;
	c->cost = NULL;
	c->reverse = NULL;
	c->n_costs = c->cap_costs = c->n_reverse = c->cap_reverse = 0;
	c->sw = mem_dup(t->sw, t->topo->fabric->n_switches * sizeof(*t->sw));
	c->ca = t->ca ? mem_dup(t->ca, t->n_ca * sizeof(*t->ca) + 1) : NULL;
	c->leaf = t->leaf ? mem_dup(t->leaf, t->n_leaves * sizeof(*t->leaf)) : NULL;
	c->group = t->group ? mem_dup(t->group, t->n_groups * sizeof(*t->group)) : NULL;
	c->slot = t->slot ? mem_dup(t->slot, t->n_groups * sizeof(*t->slot)) : NULL;
	c->link = t->link ? mem_dup(t->link, t->n_links * sizeof(*t->link)) : NULL;
	return c;
}

static void release(void *t)
{
	ftree_free(t);
}

/* --- events ---------------------------------------------------------------------------------------- */

void ft_record_tree(const struct ftree *t, const struct engine_input *in)
{
	struct recorder *r = in->record;
	uint32_t n = t->topo->fabric->n_switches;

	rec_keep(r, tree_copy(t), release);
	rec_cells(r, T_RANK, n);
	rec_cells(r, T_UP, t->n_links + t->n_groups);
	rec_cells(r, T_DOWN, t->n_links + t->n_groups);
	rec_cells(r, T_SLOT, t->n_groups);
	rec_text(r, REC_PHASE, "ranks and indexes");
	for (uint32_t i = 0; !t->refusal.rule && i < t->n_groups; i++)
		rec_delta(r, T_SLOT, i, NO_ID, t->slot[i].group);
	for (uint32_t s = 0; s < n; s++) {
		if (!t->sw[s].in || t->sw[s].rank == FT_UNRANKED)
			continue;
		rec_event(r, REC_RANK, 0, 0, s, NO_ID);
		rec_delta(r, T_RANK, s, NO_RANK, t->sw[s].rank);
	}
}

static void entry(const struct ft_run *r, uint32_t sw, unsigned was, unsigned now)
{
	rec_delta(r->rec, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + r->lid, was, now);
}

void ft_record_start(const struct ft_run *r, uint32_t leaf, unsigned local, unsigned was)
{
	rec_event(r->rec, REC_TARGET, 0, 0, leaf, r->lid);
	if (!r->lid)
		return;
	rec_event(r->rec, REC_CHOICE, FT_LOCAL, local, leaf, r->lid);
	entry(r, leaf, was, local);
}

void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l,
		   enum ft_cause cause)
{
	rec_event(r->rec, REC_CHOICE, cause, l->remote, g->peer, r->lid);
	if (r->reverse)
		rec_flag(r->rec, BY_REVERSE);
	if (r->lid)
		entry(r, g->peer, r->port[g->peer], l->remote);
}

void ft_record_cost(const struct ft_run *r, uint32_t port_id, unsigned was, unsigned now)
{
	rec_delta(r->rec, T_HOPS, r->target * r->t->topo->fabric->n_ports + port_id, was, now);
}

/* Counters of a cable, then of its group, grow by one. */
static void count(const struct ft_run *r, enum rec_table t, const struct ft_group *g, const struct ft_link *l)
{
	bool up = t == T_UP;

	rec_delta(r->rec, t, (uint32_t)(l - r->t->link), up ? l->cu : l->cd, (up ? l->cu : l->cd) + 1);
	rec_delta(r->rec, t, r->t->n_links + (uint32_t)(g - r->t->group), up ? g->cu : g->cd,
		  (up ? g->cu : g->cd) + 1);
}

void ft_record_spread(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l)
{
	rec_event(r->rec, REC_SPREAD, 0, l->port, g->sw, r->lid);
	count(r, T_UP, g, l);
}

void ft_record_climb(const struct ft_run *r, uint32_t sw, const struct ft_group *g0, const struct ft_group *g,
		     const struct ft_link *l)
{
	rec_event(r->rec, REC_CLIMB, 0, l->port, sw, r->lid);
	if (g0 != g)
		rec_flag(r->rec, BY_REVERSE); /* beside, counted at the main parent */
	count(r, T_DOWN, g0, l);
}

void ft_record_sort(const struct ft_run *r, uint32_t sw, enum ft_dir d, const struct ft_slot *before)
{
	const struct ft_switch *s = &r->t->sw[sw];
	const struct ft_slot *a = r->t->slot + s->slot[d];
	bool any = false;

	for (uint32_t i = 0; i < s->n[d]; i++) {
		if (a[i].group == before[i].group)
			continue;
		if (!any)
			rec_event(r->rec, REC_SORT, 0, d, sw, 0);
		any = true;
		rec_delta(r->rec, T_SLOT, s->slot[d] + i, before[i].group, a[i].group);
	}
}

void ft_record_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port)
{
	unsigned lid = r->t->sw[target].lid;

	rec_event(r->rec, REC_CHOICE, FT_ROOTS, port, sw, lid);
	rec_delta(r->rec, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + lid, NO_PATH, port);
}

/* --- the tables of a step ------------------------------------------------------------------------------ */

static void put_counters(const struct walk *w, struct ftree *t)
{
	for (uint32_t i = 0; i < t->n_links; i++) {
		t->link[i].cu = walk_value(w, T_UP, i);
		t->link[i].cd = walk_value(w, T_DOWN, i);
	}
	for (uint32_t i = 0; i < t->n_groups; i++) {
		t->group[i].cu = walk_value(w, T_UP, t->n_links + i);
		t->group[i].cd = walk_value(w, T_DOWN, t->n_links + i);
	}
}

/* Slots in the order in which they stand; each keeps what it says of its peer. */
static void put_slots(const struct walk *w, struct ftree *t)
{
	struct ft_slot *of = NEW_ARRAY(t->n_groups + 1u, struct ft_slot);

	for (uint32_t i = 0; i < t->n_groups; i++)
		of[t->slot[i].group] = t->slot[i];
	for (uint32_t i = 0; i < t->n_groups; i++) {
		uint32_t g = walk_value(w, T_SLOT, i);

		if (g != NO_ID)
			t->slot[i] = of[g];
	}
	free(of);
}

/* Entries that reverse hops made and nothing replaced. */
static void put_reverse(const struct walk *w, struct ftree *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	size_t row = s->lids->max_lid + 1u;
	uint8_t *hops = mem_array(s->fabric->n_switches, row);

	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (ev->kind == REC_CHOICE)
			hops[ev->a * row + ev->b] = (ev->flags & BY_REVERSE) != 0;
	}
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 1; lid < row; lid++) {
			if (!hops[sw * row + lid])
				continue;
			GROW(t->reverse, t->n_reverse, t->cap_reverse);
			t->reverse[t->n_reverse++] = (struct ft_reverse){
				sw, lid, walk_value(w, T_ENTRY, (uint32_t)(sw * row + lid)), 0};
		}
	free(hops);
}

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct ftree *kept = recording_kept(walk_recording(w));
	struct ftree *t = tree_copy(kept);

	(void)end;
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		t->sw[s].rank = walk_value(w, T_RANK, s);
	put_counters(w, t);
	put_slots(w, t);
	if (t->max_reverse)
		put_reverse(w, t);
	t->hops = hops_at(w, T_HOPS);
	return t;
}

/* --- sentences ------------------------------------------------------------------------------------------ */

static void say_lid(const struct walk *w, uint32_t lid, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	char name[300];

	if (!lid)
		text_add(t, "a dummy");
	else
		text_add(t, "LID %u (%s)", lid,
			 endport_label(s->fabric, lid_owner(s->lids, lid), name, sizeof(name)));
}

static uint32_t behind(const struct walk *w, const struct rec_event *ev)
{
	const struct topo *t = recording_sweep(walk_recording(w))->topo;

	return t->peer_switch[switch_port_id(t->fabric, ev->a, ev->port)];
}

static void say_rank(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct ftree *k = recording_kept(walk_recording(w));
	const struct ft_switch *s = &k->sw[ev->a];
	char a[40];

	text_add(t, "%s: rank %u, index %s: %s up, %u beside, %u down; %s", ft_name(k, ev->a), s->rank,
		 ftree_tuple(k, ev->a, a, sizeof(a)), PLURAL(s->n[FT_UP], "group"), s->n[FT_SIDE],
		 s->n[FT_DOWN], PLURAL(s->n_cn, "compute node"));
}

/* The counter that a step let grow: that of the group, the last of its changes. */
static uint32_t counter(const struct walk *w)
{
	uint32_t cursor = 0;
	struct rec_delta d = {.now = 1};

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d))
		continue;
	return d.now - 1; /* a part of a run has not what it was */
}

static void say_choice(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct ftree *k = recording_kept(walk_recording(w));
	uint32_t peer = ev->rule == FT_LOCAL ? NO_ID : behind(w, ev);

	text_add(t, "%s ", ft_name(k, ev->a));
	say_lid(w, ev->b, t);
	if (ev->port == NO_PATH)
		text_add(t, " -> no port: %s", causes[ev->rule]);
	else
		text_add(t, " -> port %u: %s", ev->port, causes[ev->rule]);
	if (peer != NO_ID)
		text_add(t, " from %s", ft_name(k, peer));
	if (ev->flags & BY_REVERSE)
		text_add(t, ", by reverse hops");
}

static void sentence(struct walk *w, struct text *t)
{
	static const char *const way[] = {"up", "beside", "down"};
	const struct ftree *k = recording_kept(walk_recording(w));
	const struct rec_event *ev = walk_event(w);

	switch (ev->kind) {
	case REC_RANK:
		say_rank(w, ev, t);
		break;
	case REC_TARGET:
		say_lid(w, ev->b, t);
		text_add(t, " on %s", ft_name(k, ev->a));
		break;
	case REC_CLIMB:
		text_add(t, "%s climbs by port %u to %s for ", ft_name(k, ev->a), ev->port,
			 ft_name(k, behind(w, ev)));
		say_lid(w, ev->b, t);
		text_add(t, ": load %u before", counter(w));
		break;
	case REC_SPREAD:
		text_add(t, "%s taught %s by port %u, with hosts behind it: %u before", ft_name(k, ev->a),
			 ft_name(k, behind(w, ev)), ev->port, counter(w));
		break;
	case REC_SORT:
		text_add(t, "%s: groups %s sorted by load, then index", ft_name(k, ev->a), way[ev->port]);
		break;
	case REC_CHOICE:
		say_choice(w, ev, t);
		break;
	default:
		assign_sentence(w, t);
	}
}

static const char *rule(const struct rec_event *ev)
{
	return causes[ev->rule];
}

const struct rec_scheme ftree_scheme = {
	.rule = rule,
	.sentence = sentence,
	.ops = &ftree_ops,
	.priv_at = priv_at,
	.cell = ft_cell,
	.value = ft_value,
};
