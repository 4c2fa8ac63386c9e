/* Fat-tree routing in words: cells and values of a recording, its steps. */
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/ftree/internal.h"
#include "engines/record.h"

static const char *const causes[] = {
	[FT_LOCAL] = "attached here", [FT_DESCENT] = "learned", [FT_MAIN] = "main path",
	[FT_SECOND] = "secondary",    [FT_BESIDE] = "side",	[FT_ROOTS] = "connect roots",
};

static const char *const ways[FT_DIRS] = {[FT_UP] = "up", [FT_SIDE] = "beside", [FT_DOWN] = "down"};

/* --- cells and values: cables, groups and the order in which a switch goes through them ------------- */

static void name_group(const struct ftree *k, uint32_t group, struct text *out)
{
	const struct ft_group *g = &k->group[group];

	text_add(out, "%s to %s", ft_name(k, g->sw), g->peer == NO_ID ? "hosts" : ft_name(k, g->peer));
}

static void name_cable(const struct ftree *k, uint32_t link, struct text *out)
{
	uint32_t g = 0;
	char label[300];

	while (g + 1 < k->n_groups && link >= k->group[g].link + k->group[g].n_links)
		g++;
	text_add(out, "%s",
		 port_label(k->topo->fabric,
			    switch_port_id(k->topo->fabric, k->group[g].sw, k->link[link].port), label,
			    sizeof(label)));
}

/* The place of a slot among those of its switch and direction. */
static void name_slot(const struct ftree *k, uint32_t at, struct text *out)
{
	for (uint32_t s = 0; s < k->topo->fabric->n_switches; s++)
		for (unsigned d = 0; d < FT_DIRS; d++)
			if (at >= k->sw[s].slot[d] && at < k->sw[s].slot[d] + k->sw[s].n[d]) {
				text_add(out, "%s, place %u %s", ft_name(k, s), at - k->sw[s].slot[d] + 1,
					 ways[d]);
				return;
			}
	text_add(out, "slot %u", at);
}

static bool cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct ftree *k = recording_kept(r);

	if (!k || (t != T_UP && t != T_DOWN && t != T_SLOT && t != T_TUPLE))
		return false;
	if (t == T_SLOT)
		name_slot(k, at, out);
	else if (t == T_TUPLE)
		text_add(out, "%s", ft_name(k, at / 2));
	else if (at < k->n_links)
		name_cable(k, at, out);
	else
		name_group(k, at - k->n_links, out);
	return true;
}

static bool value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value, struct text *out)
{
	const struct ftree *k = recording_kept(r);

	char a[40];

	if (!k || (t != T_TUPLE && (t != T_SLOT || value >= k->n_groups)))
		return false;
	if (t == T_SLOT)
		name_group(k, value, out);
	else
		text_add(out, "%s", ftree_tuple(k, at / 2, a, sizeof(a)));
	return true;
}

/* --- steps ------------------------------------------------------------------------------------------- */

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
	bool any = false;

	text_add(t, "%s: ", ft_name(k, ev->a));
	for (unsigned d = 0; d < FT_DIRS; d++) {
		if (!k->sw[ev->a].n[d])
			continue;
		text_add(t, "%s%s %s (%s)", any ? ", " : "", PLURAL(k->sw[ev->a].n[d], "group"), ways[d],
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
		text_add(t, "%s: groups %s sorted by load, then index", ft_name(k, ev->a), ways[ev->port]);
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
	.priv_at = ft_priv_at,
	.cell = cell,
	.value = value,
};
