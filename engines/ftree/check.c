/*
 * Is the fabric a pure tree? Switches of a rank must look alike. This is checked only without root_guid_file.
 */
#include <stdio.h>
#include <stdlib.h>
#include "core/base/text.h"
#include "engines/ftree/internal.h"

static uint32_t ftree_check_links_of(const struct ftree *t, uint32_t sw, enum ft_dir d, uint32_t i)
{
	return ftree_group(t, sw, d, i)->n_links;
}

/* --- words ----------------------------------------------------------------------------------- */

/*
 * Adds the dead cabled ports of a switch: "leaf-03[19], leaf-03[20] and 2 more are down". Adds nothing when
 * all are up.
 */
static bool ftree_check_dead_ports(const struct ftree *t, uint32_t sw, struct text *out)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t n = 0;
	char a[80];

	FOR_PORTS(f, sw, id) {
		if (f->port_peer[id] == NO_ID || t->topo->peer[id] != NO_ID)
			continue;
		if (n++ < 2)
			text_add(out, "%s%s", n > 1 ? ", " : "", port_label(f, id, a, sizeof(a)));
	}
	if (n > 2)
		text_add(out, " and %u more", n - 2);
	if (n)
		text_add(out, n > 1 ? " are missing (down)" : " is missing (down)");
	return n > 0;
}

/* The number of switches of sw's rank with as many groups in direction d. */
static uint32_t ftree_check_alike(const struct ftree *t, uint32_t sw, enum ft_dir d)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		n += t->sw[s].in && t->sw[s].rank == t->sw[sw].rank && t->sw[s].n[d] == t->sw[sw].n[d];
	return n;
}

/* Refuses, and adds how to repair it. */
static void refuse_pair(struct ftree *t, const char *label, const char *rule, uint32_t odd, uint32_t ref,
			uint32_t found, uint32_t expected, const char *what)
{
	struct text dead = {0};
	bool is_dead = ftree_check_dead_ports(t, odd, &dead);

	if (!is_dead)
		is_dead = ftree_check_dead_ports(t, ref, &dead);
	ft_refuse(t, label, rule,
		  "no pure fat tree (%s): %.200s%s%.180s; %s, or name the roots in root_guid_file, which "
		  "drops this rule",
		  label, what, is_dead ? ": " : "", text_str(&dead),
		  is_dead ? "restore it" : "cable it like its siblings");
	text_free(&dead);
	t->refusal.sw = odd;
	t->refusal.ref = ref;
	t->refusal.found = found;
	t->refusal.expected = expected;
}

/*
 * Refuses for different numbers of groups. The odd switch is the one with fewer of its kind, or else with
 * fewer groups.
 */
static bool refuse_groups(struct ftree *t, const char *label, enum ft_dir d, uint32_t w, uint32_t ref)
{
	const char *word = d == FT_UP ? "up" : "down";
	uint32_t x = ftree_check_alike(t, w, d), y = ftree_check_alike(t, ref, d);
	bool w_odd = x < y || (x == y && t->sw[w].n[d] < t->sw[ref].n[d]);
	uint32_t odd = w_odd ? w : ref, other = w_odd ? ref : w;
	char *what = str_printf("%.70s has %u %s groups, its sibling%s of rank %u (%.70s) %u",
				ft_name(t, odd), t->sw[odd].n[d], word, x + y > 2 ? "s" : "", t->sw[w].rank,
				ft_name(t, other), t->sw[other].n[d]);
	uint32_t links[2] = {0};
	bool single = true;

	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < t->sw[k ? other : odd].n[d]; i++) {
			links[k] += ftree_check_links_of(t, k ? other : odd, d, i);
			single &= ftree_check_links_of(t, k ? other : odd, d, i) == 1;
		}
	if (single) {
		free(what);
		what = str_printf("%.70s has %u %s links, its sibling%s (%.70s) %u", ft_name(t, odd),
				  links[0], word, x + y > 2 ? "s" : "", ft_name(t, other), links[1]);
	}
	refuse_pair(t, label, d == FT_UP ? "equal numbers of up groups" : "equal numbers of down groups", odd,
		    other, t->sw[odd].n[d], t->sw[other].n[d], what);
	free(what);
	return false;
}

static const char *peer_name(const struct ftree *t, const struct ft_group *g)
{
	return g->peer == NO_ID
		       ? t->topo->fabric->node_name[endport_node(t->topo->fabric, t->ca[g->ca].endport)]
		       : ft_name(t, g->peer);
}

/* Refuses for different numbers of links in group i of w and in the first group of ref. */
static bool refuse_links(struct ftree *t, const char *label, enum ft_dir d, uint32_t w, uint32_t i,
			 uint32_t ref)
{
	const struct ft_group *g = ftree_group(t, w, d, i), *h = ftree_group(t, ref, d, 0);
	bool w_odd = g->n_links <= h->n_links;
	const struct ft_group *odd = w_odd ? g : h, *other = w_odd ? h : g;
	char *what = str_printf("%.50s has %u link%s to %.40s, %.50s has %u to %.40s", ft_name(t, odd->sw),
				odd->n_links, odd->n_links == 1 ? "" : "s", peer_name(t, odd),
				ft_name(t, other->sw), other->n_links, peer_name(t, other));

	refuse_pair(t, label, d == FT_UP ? "equal up groups" : "equal down groups", odd->sw, other->sw,
		    odd->n_links, other->n_links, what);
	free(what);
	return false;
}

/* --- OpenSM's check -------------------------------------------------------------------------- */

/* Compares a switch with the first one of its rank, as far as OpenSM does. */
static bool ftree_check_compare(struct ftree *t, uint32_t w, uint32_t ref)
{
	const struct ft_switch *a = &t->sw[w], *b = &t->sw[ref];
	bool inner = a->rank != t->leaf_rank;

	if (a->n[FT_UP] != b->n[FT_UP])
		return refuse_groups(t, "AB09", FT_UP, w, ref);
	if (inner && a->n[FT_DOWN] != b->n[FT_DOWN])
		return refuse_groups(t, "AB0A", FT_DOWN, w, ref);
	for (uint32_t i = 0; i < a->n[FT_UP]; i++)
		if (ftree_check_links_of(t, w, FT_UP, i) != ftree_check_links_of(t, ref, FT_UP, 0))
			return refuse_links(t, "AB0B", FT_UP, w, i, ref);
	if (inner && b->n[FT_DOWN] &&
	    ftree_check_links_of(t, w, FT_DOWN, 0) != ftree_check_links_of(t, ref, FT_DOWN, 0))
		return refuse_links(t, "AB0C", FT_DOWN, w, 0, ref);
	return true;
}

/* Finds a switch or CA that breaks the rules of the manual, where OpenSM does not check. */
static bool ftree_check_by_manual(struct ftree *t, const uint32_t *ref, struct engine_output *out)
{
	const struct fabric *f = t->topo->fabric;
	char *what = NULL, a[160];

	for (uint32_t i = 0; !what && i < t->n_ca; i++)
		if (t->sw[t->ca[i].sw].rank != t->leaf_rank)
			what = str_printf("CA %s is on %.80s of rank %u, the leaves are at rank %u",
					  port_label(f, f->endport_port[t->ca[i].endport], a, sizeof(a)),
					  ft_name(t, t->ca[i].sw), t->sw[t->ca[i].sw].rank, t->leaf_rank);
	for (uint32_t s = 0; !what && s < f->n_switches; s++) {
		uint32_t first = t->sw[s].in ? ref[t->sw[s].rank] : NO_ID;

		for (unsigned d = FT_UP; first != NO_ID && t->sw[first].n[FT_DOWN] && d <= FT_DOWN; d++)
			for (uint32_t i = 0; d != FT_SIDE && !what && i < t->sw[s].n[d]; i++)
				if (ftree_check_links_of(t, s, d, i) != ftree_check_links_of(t, first, d, 0))
					what = str_printf(
						"%.80s has %s to %.80s, %.80s has %u to %.80s", ft_name(t, s),
						PLURAL(ftree_check_links_of(t, s, d, i), "cable"),
						peer_name(t, ftree_group(t, s, d, i)), ft_name(t, first),
						ftree_check_links_of(t, first, d, 0),
						peer_name(t, ftree_group(t, first, d, 0)));
	}
	if (!what)
		return true;
	if (t->manual)
		ft_refuse(t, "", "equal groups (manual)",
			  "no pure fat tree by OpenSM's manual: %s; OpenSM itself does not look there (`set "
			  "rules opensm`), and with root_guid_file the rule is dropped",
			  what);
	else
		note_add(&out->notes, NOTE_RULES,
			 "ftree: OpenSM accepts this tree though its manual calls it impure: %s\n", what);
	free(what);
	return !t->manual;
}

bool ft_check_purity(struct ftree *t, struct engine_output *out)
{
	uint32_t ref[FT_MAX_LEVELS];

	if (t->rec)
		rec_text(t->rec, REC_PHASE, "is it a pure tree");
	for (unsigned r = 0; r < FT_MAX_LEVELS; r++)
		ref[r] = NO_ID;
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		uint32_t *first;
		bool alike;

		if (!t->sw[s].in)
			continue;
		first = &ref[t->sw[s].rank];
		*first = *first == NO_ID ? s : *first;
		alike = *first == s || ftree_check_compare(t, s, *first);
		if (t->rec)
			ft_record_pure(t, s, *first, alike);
		if (!alike)
			return false;
	}
	return ftree_check_by_manual(t, ref, out);
}
