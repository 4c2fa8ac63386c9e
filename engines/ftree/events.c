/* Fat-tree routing in a recording: events, sentences, and the tables of a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/ftree/run.h"
#include "engines/record.h"

/*
 * In the flags of a choice or an offer: it came by reverse hops; what made the main path climb there; how
 * many hops ftree counts.
 */
#define BY_REVERSE 2
#define BY_LOAD 4
#define BY_INDEX 8
#define HOPS_AT 4
#define MOST_HOPS 15u /* or more */

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
	c->rec = NULL;
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

void ft_record_begin(const struct ftree *t)
{
	uint32_t n = t->topo->fabric->n_switches;

	rec_cells(t->rec, T_RANK, n);
	rec_cells(t->rec, T_TUPLE, 2 * (size_t)n);
	rec_text(t->rec, REC_PHASE, "ranks");
	rec_text(t->rec, REC_NOTE,
		 t->root_file ? "roots are those in root_guid_file"
			      : "roots are the switches farthest from the CAs");
}

void ft_record_rank(const struct ftree *t, uint32_t sw, uint32_t from, uint32_t was)
{
	rec_event(t->rec, REC_RANK, 0, 0, sw, from);
	rec_delta(t->rec, T_RANK, sw, was, t->sw[sw].rank);
}

void ft_record_groups(const struct ftree *t)
{
	rec_cells(t->rec, T_SLOT, t->n_groups);
	rec_text(t->rec, REC_PHASE, "groups of ports");
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		const struct ft_switch *w = &t->sw[s];

		if (!w->in)
			continue;
		rec_event(t->rec, REC_GROUP, 0, 0, s, 0);
		for (unsigned d = 0; d < FT_DIRS; d++)
			for (uint32_t i = w->slot[d]; i < w->slot[d] + w->n[d]; i++)
				rec_delta(t->rec, T_SLOT, i, NO_ID, t->slot[i].group);
	}
}

void ft_record_tuple(const struct ftree *t, uint32_t sw, uint32_t from)
{
	uint64_t tuple = t->sw[sw].tuple;

	rec_event(t->rec, REC_TUPLE, 0, 0, sw, from);
	rec_delta(t->rec, T_TUPLE, 2 * sw, NO_ID, (uint32_t)(tuple >> 32));
	rec_delta(t->rec, T_TUPLE, 2 * sw + 1, NO_ID, (uint32_t)tuple);
}

void ft_record_indexed(const struct ftree *t, const struct ft_slot *before)
{
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		for (unsigned d = 0; t->sw[s].in && d < FT_DIRS; d++)
			ft_record_sort(t->rec, t, s, d, before + t->sw[s].slot[d]);
}

void ft_record_leaves(const struct ftree *t)
{
	rec_text(t->rec, REC_PHASE, "leaves");
	for (uint32_t i = 0; i < t->n_leaves; i++)
		rec_event(t->rec, REC_LEAF, 0, 0, t->leaf[i], i);
}

void ft_record_pure(const struct ftree *t, uint32_t sw, uint32_t first, bool alike)
{
	rec_event(t->rec, REC_PURE, !alike, 0, sw, first);
}

void ft_record_tree(const struct ftree *t, struct recorder *rec)
{
	rec_keep(rec, tree_copy(t), release);
	rec_cells(rec, T_UP, t->n_links + t->n_groups);
	rec_cells(rec, T_DOWN, t->n_links + t->n_groups);
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

/* Why the first parent was climbed to, once its group has counted the climb. */
static unsigned climbed_by(const struct ftree *t, const struct ft_group *g)
{
	if (t->sw[g->sw].n[FT_UP] < 2)
		return 0;
	return ftree_group(t, g->sw, FT_UP, 1)->cd > g->cd - 1 ? BY_LOAD : BY_INDEX;
}

static void flag(const struct ft_run *r, uint8_t hops)
{
	rec_flag(r->rec, (r->reverse ? BY_REVERSE : 0) | (hops < MOST_HOPS ? hops : MOST_HOPS) << HOPS_AT);
}

void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause)
{
	rec_event(r->rec, REC_CHOICE, cause, l->remote, g->peer, r->lid);
	flag(r, hops);
	if (cause == FT_MAIN)
		rec_flag(r->rec, climbed_by(r->t, g));
	if (r->lid)
		entry(r, g->peer, r->port[g->peer], l->remote);
}

void ft_record_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		     enum ft_cause cause)
{
	if (!r->lid || !rec_wants(r->rec, REC_OFFER, g->peer, r->lid))
		return;
	rec_event(r->rec, REC_OFFER, cause, l->remote, g->peer, r->lid);
	flag(r, hops);
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

void ft_record_sort(struct recorder *rec, const struct ftree *t, uint32_t sw, enum ft_dir d,
		    const struct ft_slot *before)
{
	const struct ft_switch *s = &t->sw[sw];
	const struct ft_slot *a = t->slot + s->slot[d];
	bool any = false;

	for (uint32_t i = 0; i < s->n[d]; i++) {
		if (a[i].group == before[i].group)
			continue;
		if (!any)
			rec_event(rec, REC_SORT, 0, d, sw, 0);
		any = true;
		rec_delta(rec, T_SLOT, s->slot[d] + i, before[i].group, a[i].group);
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
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		t->sw[s].rank = walk_value(w, T_RANK, s);
		t->sw[s].tuple =
			(uint64_t)walk_value(w, T_TUPLE, 2 * s) << 32 | walk_value(w, T_TUPLE, 2 * s + 1);
	}
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

	text_add(t, "%s: rank %u", ft_name(k, ev->a), walk_value(w, T_RANK, ev->a));
	if (ev->b == NO_ID)
		text_add(t, ", a root");
	else
		text_add(t, ", one below %s", ft_name(k, ev->b));
}

static uint32_t cables(const struct ftree *k, uint32_t sw, enum ft_dir d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->sw[sw].n[d]; i++)
		n += ftree_group(k, sw, d, i)->n_links;
	return n;
}

static void say_group(const struct ftree *k, const struct rec_event *ev, struct text *t)
{
	static const char *const way[] = {"up", "beside", "down"};
	bool any = false;

	text_add(t, "%s: ", ft_name(k, ev->a));
	for (unsigned d = 0; d < FT_DIRS; d++) {
		if (!k->sw[ev->a].n[d])
			continue;
		text_add(t, "%s%s %s (%s)", any ? ", " : "", PLURAL(k->sw[ev->a].n[d], "group"), way[d],
			 PLURAL(cables(k, ev->a, d), "cable"));
		any = true;
	}
	if (k->sw[ev->a].n_cn)
		text_add(t, "; %s", PLURAL(k->sw[ev->a].n_cn, "compute node"));
	else if (!any)
		text_add(t, "no groups");
}

/* What the check of purity compares, of leaves what leads up. */
static void say_shape(const struct ftree *k, uint32_t sw, struct text *t)
{
	text_add(t, "%s up", PLURAL(k->sw[sw].n[FT_UP], "group"));
	if (k->sw[sw].n[FT_UP])
		text_add(t, " of %s", PLURAL(ftree_group(k, sw, FT_UP, 0)->n_links, "cable"));
	if (k->sw[sw].rank == k->leaf_rank)
		return;
	text_add(t, ", %u down", k->sw[sw].n[FT_DOWN]);
	if (k->sw[sw].n[FT_DOWN])
		text_add(t, " of %s", PLURAL(ftree_group(k, sw, FT_DOWN, 0)->n_links, "cable"));
}

static void say_pure(const struct ftree *k, const struct rec_event *ev, struct text *t)
{
	text_add(t, "%s: ", ft_name(k, ev->a));
	if (ev->a == ev->b) {
		say_shape(k, ev->a, t);
		text_add(t, "; the first of rank %u, the others must be alike", k->sw[ev->a].rank);
	} else if (!ev->rule) {
		text_add(t, "like %s", ft_name(k, ev->b));
	} else {
		say_shape(k, ev->a, t);
		text_add(t, "; not like %s: ", ft_name(k, ev->b));
		say_shape(k, ev->b, t);
	}
}

static void say_tree(const struct ftree *k, const struct rec_event *ev, struct text *t)
{
	char a[40];

	switch (ev->kind) {
	case REC_GROUP:
		say_group(k, ev, t);
		break;
	case REC_TUPLE:
		text_add(t, "%s: index %s", ft_name(k, ev->a), ftree_tuple(k, ev->a, a, sizeof(a)));
		if (ev->b != NO_ID)
			text_add(t, ", reached from %s", ft_name(k, ev->b));
		break;
	case REC_LEAF:
		text_add(t, "%s: leaf %u of %u by index, %s", ft_name(k, ev->a), ev->b + 1, k->n_leaves,
			 PLURAL(k->sw[ev->a].n_cn, "compute node"));
		if (k->sw[ev->a].n_cn < k->max_cn)
			text_add(t, " and %s in place of those that others have more",
				 k->max_cn - k->sw[ev->a].n_cn == 1 ? "a dummy" : "dummies");
		break;
	default:
		say_pure(k, ev, t);
	}
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

/* "2 hops (ftree counts 3)": of LIDs of CAs it counts the cable of the CA, too. */
static void say_hops(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	unsigned hops = ev->flags >> HOPS_AT;
	uint32_t ep = ev->b ? lid_owner(s->lids, ev->b) : NO_ID;
	bool ca = ep == NO_ID || !endport_is_switch(s->fabric, ep);

	if (hops == MOST_HOPS)
		text_add(t, ", %u hops or more", hops - ca);
	else
		text_add(t, ", %s", PLURAL(hops - ca, "hop"));
	if (ca)
		text_add(t, " (ftree counts %u)", hops);
	if (ev->flags & BY_REVERSE)
		text_add(t, ", by reverse hops");
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
	if (ev->rule != FT_LOCAL && ev->rule != FT_ROOTS)
		say_hops(w, ev, t);
}

static void say_offer(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct ftree *k = recording_kept(walk_recording(w));
	const struct sweep *s = recording_sweep(walk_recording(w));
	unsigned has = walk_value(w, T_ENTRY, ev->a * (s->lids->max_lid + 1u) + ev->b);

	text_add(t, "%s is offered port %u from %s for ", ft_name(k, ev->a), ev->port,
		 ft_name(k, behind(w, ev)));
	say_lid(w, ev->b, t);
	text_add(t, ": %s", causes[ev->rule]);
	say_hops(w, ev, t);
	if (has)
		text_add(t, "; no shorter than by port %u", has);
	else
		text_add(t, "; it is the switch itself");
}

/* Loads of the parent taken and of the one that stands second, as they were compared. */
static void say_climb(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct ftree *k = recording_kept(walk_recording(w));
	const struct ft_switch *s = &k->sw[ev->a];
	uint32_t was = counter(w), next, load;

	text_add(t, "%s climbs by port %u to %s for ", ft_name(k, ev->a), ev->port,
		 ft_name(k, behind(w, ev)));
	say_lid(w, ev->b, t);
	if (ev->flags & BY_REVERSE) { /* over a side link */
		text_add(t, ": beside, and counted at its main parent, load %u before", was);
		return;
	}
	if (s->n[FT_UP] < 2) {
		text_add(t, ": its only parent");
		return;
	}
	if (*recording_part(walk_recording(w)) && recording_kept_part(walk_recording(w))->sw != ev->a) {
		text_add(t, ": load %u before", was); /* the other's is not in this part of the run */
		return;
	}
	next = walk_value(w, T_SLOT, s->slot[FT_UP] + 1);
	load = walk_value(w, T_DOWN, k->n_links + next);
	if (load > was)
		text_add(t, ": load %u, least of %u parents", was, s->n[FT_UP]);
	else
		text_add(t, ": load %u like %s, lower index", was, ft_name(k, k->group[next].peer));
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
		say_climb(w, ev, t);
		break;
	case REC_OFFER:
		say_offer(w, ev, t);
		break;
	case REC_GROUP:
	case REC_TUPLE:
	case REC_LEAF:
	case REC_PURE:
		say_tree(k, ev, t);
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

/* As watch.c decides it. */
static const char *rule(const struct rec_event *ev)
{
	static const char *const pure[] = {"alike", "not alike"};

	if (ev->kind == REC_PURE)
		return pure[ev->rule];
	if (ev->flags & BY_REVERSE)
		return why_rule_name(WHY_REVERSE_HOP);
	if (ev->rule == FT_LOCAL && !ev->port)
		return why_rule_name(WHY_OWN_LID);
	if (ev->flags & (BY_LOAD | BY_INDEX))
		return why_rule_name(ev->flags & BY_LOAD ? WHY_LEAST_LOAD : WHY_LOWER_INDEX);
	return causes[ev->rule];
}

static const char *source(const struct rec_event *ev)
{
	static const char descend[] = "ftree.md 9.1; Zahavi et al. 2010";
	static const char ascend[] = "ftree.md 9.2; Zahavi et al. 2010";
	static const char *const of[REC_KINDS] = {
		[REC_RANK] = "ftree.md 5.1; Zahavi et al. 2010",
		[REC_GROUP] = "ftree.md 5.2; OpenSM 3.3.23",
		[REC_TUPLE] = "ftree.md 6; Zahavi et al. 2010",
		[REC_LEAF] = "ftree.md 7; OpenSM 3.3.23",
		[REC_PURE] = "ftree.md 8; OpenSM 3.3.23",
		[REC_SORT] = "ftree.md 9; OpenSM 3.3.23",
		[REC_TARGET] = "ftree.md 10; Zahavi et al. 2010",
		[REC_CLIMB] = ascend,
		[REC_SPREAD] = descend,
	};
	static const char *const by_cause[] = {
		[FT_LOCAL] = "ftree.md 10; OpenSM 3.3.23",
		[FT_DESCENT] = descend,
		[FT_MAIN] = ascend,
		[FT_SECOND] = ascend,
		[FT_BESIDE] = ascend,
		[FT_ROOTS] = "ftree.md 11; opensm(8), connect_roots",
	};

	if (ev->kind == REC_CHOICE || ev->kind == REC_OFFER)
		return by_cause[ev->rule];
	return of[ev->kind] ? of[ev->kind] : assign_source(ev);
}

const struct rec_scheme ftree_scheme = {
	.rule = rule,
	.source = source,
	.sentence = sentence,
	.ops = &ftree_ops,
	.priv_at = priv_at,
	.cell = ft_cell,
	.value = ft_value,
};
