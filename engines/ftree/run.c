/* Fat-tree routing: ranks, the tree, what makes it pure, the run, and what is recorded of it. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/engines.h"
#include "engines/ftree/ftree.h"

/* Ranks are distances from the roots, which are named in a file or are the switches farthest from CAs. */

struct ftree_rank_queue {
	uint32_t *sw;
	size_t n, cap;
};

static void ftree_rank_push(struct ftree_rank_queue *q, uint32_t sw)
{
	GROW(q->sw, q->n, q->cap);
	q->sw[q->n++] = sw;
}

/* While the tree is built, with t->rec: the rank of a switch, from a neighbour or as a root (NO_ID). */
static void ft_record_rank(const struct ftree *t, uint32_t sw, uint32_t from, uint32_t was)
{
	rec_event(t->rec, REC_RANK, 0, 0, sw, from);
	rec_delta(t->rec, T_RANK, sw, was, t->sw[sw].rank);
}

/*
 * Lowers the ranks around the switches in the queue, and sets max_rank to the last rank given. The sum wraps
 * around as in OpenSM: with a bad root file, the queue may hold a switch without rank. from_roots: these
 * ranks are final.
 */
static void ftree_rank_spread(struct ftree *t, struct ftree_rank_queue *q, bool from_roots)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t max = 0;

	for (size_t i = 0; from_roots && t->rec && i < q->n; i++)
		ft_record_rank(t, q->sw[i], NO_ID, FT_UNRANKED);
	for (size_t i = 0; i < q->n; i++) {
		uint32_t w = q->sw[i];

		FOR_PORTS(f, w, port) {
			uint32_t x = t->topo->peer_switch[port], r = t->sw[w].rank + 1;

			if (x == NO_ID || t->sw[x].rank <= r)
				continue;
			uint32_t was = t->sw[x].rank;
			t->sw[x].rank = max = r;
			if (from_roots && t->rec)
				ft_record_rank(t, x, w, was);
			ftree_rank_push(q, x);
		}
	}
	t->max_rank = max;
}

/* Ranks switches first from the CAs, to find the switches farthest from them, and then from those. */
static void rank_by_cas(struct ftree *t, struct ftree_rank_queue *roots)
{
	const struct fabric *f = t->topo->fabric;
	struct ftree_rank_queue q = {0};

	for (uint32_t i = 0; i < t->n_ca; i++) {
		uint32_t s = t->ca[i].sw;

		if (t->sw[s].rank) {
			t->sw[s].rank = 0;
			ftree_rank_push(&q, s);
		}
	}
	ftree_rank_spread(t, &q, false);
	free(q.sw);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (!t->sw[s].in)
			continue;
		if (t->sw[s].rank != FT_UNRANKED)
			t->sw[s].rank = t->max_rank - t->sw[s].rank;
		if (t->sw[s].rank)
			t->sw[s].rank = FT_UNRANKED;
		else
			ftree_rank_push(roots, s);
	}
	ftree_rank_spread(t, roots, true);
}

/* Gives rank 0 to the switches named in root_guid_file. False when the file is not usable, and CAs decide. */
static bool read_roots(struct ftree *t, const struct engine_input *in, struct engine_output *out,
		       struct ftree_rank_queue *q)
{
	const struct fabric *f = t->topo->fabric;
	struct guid_file g;

	ft_read_guids(in, out, "root_guid_file", &g);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t node = fabric_node_by_guid(f, g.l[i].guid),
			 s = node == NO_ID ? NO_ID : f->node_switch[node];

		if (s == NO_ID || !t->sw[s].in) {
			note_ignored(in, out, "root_guid_file", g.l[i].line,
				     "0x%016llx is no switch that is up", (unsigned long long)g.l[i].guid);
			continue;
		}
		t->sw[s].rank = 0;
		ftree_rank_push(q, s);
	}
	bool usable = !g.stopped && q->n;
	if (!g.stopped && !q->n)
		note_add(&out->notes, NOTE_GUID_FILE, "root_guid_file names no switch that is up (AB25)\n");
	if (!usable)
		note_add(&out->notes, 0,
			 "ftree: ranks come from the CAs instead of root_guid_file, yet the tree is not "
			 "checked for purity\n");
	guid_file_free(&g);
	return usable;
}

static bool ft_rank(struct ftree *t, const struct engine_input *in, struct engine_output *out)
{
	struct ftree_rank_queue q = {0};
	uint32_t n = 0;

	t->named = t->root_file && read_roots(t, in, out, &q);
	if (t->named)
		ftree_rank_spread(t, &q, true);
	else
		rank_by_cas(t, &q);
	free(q.sw);
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		if (t->sw[s].in && t->sw[s].rank == FT_UNRANKED) {
			t->sw[s].in = false;
			t->n_in--;
		}
	}
	for (uint32_t i = 0; i < t->n_ca; i++)
		if (t->sw[t->ca[i].sw].in)
			t->ca[n++] = t->ca[i];
	t->n_ca = n;
	if (t->max_rank == 0 && t->n_in > 1) {
		ft_refuse(t, "AB2B", "more than one level",
			  "all %u switches have rank 0: every switch %s, so none is above another; this is "
			  "no tree (AB2B)%s",
			  t->n_in, t->root_file ? "was named a root or has a CA on it" : "has a CA on it",
			  t->root_file ? "; name only the top switches in root_guid_file"
				       : "; if it is one, name its top switches in root_guid_file");
		t->refusal.why.kind = REFUSED_LEAVES;
		return false;
	}
	return true;
}

/* The tree: how it is copied and freed, names in it, and how it is refused. */

const char *ft_name(const struct ftree *t, uint32_t sw)
{
	return switch_name(t->topo->fabric, sw);
}

bool ft_is_io(const struct ftree *t, unsigned lid)
{
	for (uint32_t i = 0; i < t->n_ca; i++)
		if (t->ca[i].lid == lid)
			return t->ca[i].is_io;
	return false;
}

bool ft_refuse(struct ftree *t, const char *label, const char *rule, const char *fmt, ...)
{
	va_list ap;

	assert(rule && label && !t->refusal.rule);
	t->refusal = (struct ft_refusal){
		.rule = rule, .label = label, .sw = NO_ID, .ref = NO_ID, .endport = NO_ID};
	va_start(ap, fmt);
	vsnprintf(t->refusal.why.msg, sizeof(t->refusal.why.msg), fmt, ap);
	va_end(ap);
	return false;
}

struct ftree *ft_copy(const struct ftree *t)
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

void ftree_free(void *tree)
{
	struct ftree *t = tree;

	if (!t)
		return;
	topo_unref(t->topo);
	lids_unref(t->lids);
	hops_unref(t->hops);
	FREE_EACH(t->sw, t->group, t->slot, t->link, t->ca, t->leaf, t->cost, t->reverse, t);
}

const char *ftree_tuple(const struct ftree *t, uint32_t sw, char *buf, size_t size)
{
	uint64_t tuple = t->sw[sw].tuple;
	size_t n = 0;

	if (tuple == FT_NO_TUPLE) {
		snprintf(buf, size, "-");
		return buf;
	}
	for (unsigned i = 0; i <= t->leaf_rank && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%u", i ? "." : "",
			      (unsigned)(tuple >> (8 * (7 - i)) & 0xFF));
	return buf;
}

/* Is the fabric a pure tree? Switches of a rank must look alike. This is checked only without
 * root_guid_file. */

static uint32_t ftree_check_links_of(const struct ftree *t, uint32_t sw, enum ft_dir d, uint32_t i)
{
	return ftree_group(t, sw, d, i)->n_links;
}

/* --- words ----------------------------------------------------------------------------------- */

/* Adds the dead cabled ports of a switch: "leaf-03[19], leaf-03[20] and 2 more are down"; or nothing. */
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

/* A switch, and how many groups or links were counted there. */
struct ftree_counted {
	uint32_t sw, n;
};

/* Refuses, and adds how to repair it. */
static void refuse_pair(struct ftree *t, const char *label, const char *rule, struct ftree_counted odd,
			struct ftree_counted ref, const char *what)
{
	AUTO_TEXT struct text dead = {0};
	bool is_dead = ftree_check_dead_ports(t, odd.sw, &dead);

	if (!is_dead)
		is_dead = ftree_check_dead_ports(t, ref.sw, &dead);
	ft_refuse(t, label, rule,
		  "no pure fat tree (%s): %.200s%s%.180s; %s, or name the roots in root_guid_file, which "
		  "drops this rule",
		  label, what, is_dead ? ": " : "", text_str(&dead),
		  is_dead ? "restore it" : "cable it like its siblings");
	t->refusal.sw = odd.sw;
	t->refusal.ref = ref.sw;
	t->refusal.found = odd.n;
	t->refusal.expected = ref.n;
}

/* Refuses for different numbers of groups. The odd switch has fewer of its kind, or else fewer groups. */
static bool refuse_groups(struct ftree *t, const char *label, enum ft_dir d, uint32_t w, uint32_t ref)
{
	const char *word = d == FT_UP ? "up" : "down";
	uint32_t x = ftree_check_alike(t, w, d), y = ftree_check_alike(t, ref, d);
	bool w_odd = x < y || (x == y && t->sw[w].n[d] < t->sw[ref].n[d]);
	uint32_t odd = w_odd ? w : ref, other = w + ref - odd;
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
	refuse_pair(t, label, d == FT_UP ? "equal numbers of up groups" : "equal numbers of down groups",
		    (struct ftree_counted){odd, t->sw[odd].n[d]},
		    (struct ftree_counted){other, t->sw[other].n[d]}, what);
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
	const struct ft_group *odd = w_odd ? g : h;
	const struct ft_group *other = w_odd ? h : g;
	AUTO_FREE char *what =
		str_printf("%.50s has %u link%s to %.40s, %.50s has %u to %.40s", ft_name(t, odd->sw),
			   odd->n_links, odd->n_links == 1 ? "" : "s", peer_name(t, odd),
			   ft_name(t, other->sw), other->n_links, peer_name(t, other));

	refuse_pair(t, label, d == FT_UP ? "equal up groups" : "equal down groups",
		    (struct ftree_counted){odd->sw, odd->n_links},
		    (struct ftree_counted){other->sw, other->n_links}, what);
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

static bool ft_check_purity(struct ftree *t, struct engine_output *out)
{
	uint32_t ref[FT_MAX_LEVELS];

	if (t->rec)
		rec_text(t->rec, REC_PHASE, "is it a pure tree");
	for (unsigned r = 0; r < FT_MAX_LEVELS; r++)
		ref[r] = NO_ID;
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		if (!t->sw[s].in)
			continue;
		uint32_t *first = &ref[t->sw[s].rank];
		*first = *first == NO_ID ? s : *first;
		bool alike = *first == s || ftree_check_compare(t, s, *first);
		if (t->rec)
			rec_event(t->rec, REC_PURE, !alike, 0, s, *first);
		if (!alike)
			return false;
	}
	return ftree_check_by_manual(t, ref, out);
}

/* What ftree records. */

static void ft_record_begin(const struct ftree *t)
{
	uint32_t n = t->topo->fabric->n_switches;

	rec_cells(t->rec, T_RANK, n);
	rec_cells(t->rec, T_TUPLE, 2 * (size_t)n);
	rec_text(t->rec, REC_PHASE, "ranks");
	rec_text(t->rec, REC_NOTE,
		 t->root_file ? "roots are those in root_guid_file"
			      : "roots are the switches farthest from the CAs");
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

/* The tree is complete, or was refused. A copy is kept for the steps. */
static void ft_record_tree(const struct ftree *t, struct recorder *rec)
{
	rec_keep(rec, ft_copy(t), ftree_free);
	rec_cells(rec, T_UP, t->n_links + t->n_groups);
	rec_cells(rec, T_DOWN, t->n_links + t->n_groups);
}

static void ftree_events_entry(const struct ft_run *r, uint32_t sw, unsigned was, unsigned now)
{
	rec_delta(r->rec, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + r->lid, was, now);
}

void ft_record_start(const struct ft_run *r, uint32_t leaf, unsigned local, unsigned was)
{
	rec_event(r->rec, REC_TARGET, 0, 0, leaf, r->lid);
	if (!r->lid)
		return;
	rec_event(r->rec, REC_CHOICE, FT_LOCAL, local, leaf, r->lid);
	ftree_events_entry(r, leaf, was, local);
}

static void flag(const struct ft_run *r, uint8_t hops)
{
	rec_flag(r->rec, (r->reverse ? BY_REVERSE : 0) | MIN(hops, MOST_HOPS) << HOPS_AT);
}

void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause)
{
	rec_event(r->rec, REC_CHOICE, cause, l->remote, g->peer, r->lid);
	flag(r, hops);
	if (cause == FT_MAIN && r->t->sw[g->sw].n[FT_UP] > 1) /* the climb is already counted in its group */
		rec_flag(r->rec, ftree_group(r->t, g->sw, FT_UP, 1)->cd > g->cd - 1 ? BY_LOAD : BY_INDEX);
	if (r->lid)
		ftree_events_entry(r, g->peer, r->port[g->peer], l->remote);
}

void ft_record_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		     enum ft_cause cause)
{
	if (!r->lid || !rec_wants(r->rec, REC_OFFER, g->peer, r->lid))
		return;
	rec_event(r->rec, REC_OFFER, cause, l->remote, g->peer, r->lid);
	flag(r, hops);
}

void ft_record_cost(const struct ft_run *r, uint32_t target, uint32_t port_id, unsigned was, unsigned now)
{
	rec_delta(r->rec, T_HOPS, target * r->t->topo->fabric->n_ports + port_id, was, now);
}

/* Records that the counters of a cable and of its group grow by one. */
static void ftree_events_count(const struct ft_run *r, enum rec_table t, const struct ft_group *g,
			       const struct ft_link *l)
{
	uint32_t of_link = t == T_UP ? l->cu : l->cd;
	uint32_t of_group = t == T_UP ? g->cu : g->cd;

	rec_delta(r->rec, t, (uint32_t)(l - r->t->link), of_link, of_link + 1);
	rec_delta(r->rec, t, r->t->n_links + (uint32_t)(g - r->t->group), of_group, of_group + 1);
}

void ft_record_spread(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l)
{
	rec_event(r->rec, REC_SPREAD, 0, l->port, g->sw, r->lid);
	ftree_events_count(r, T_UP, g, l);
}

void ft_record_climb(const struct ft_run *r, uint32_t sw, const struct ft_group *g0, const struct ft_group *g,
		     const struct ft_link *l)
{
	rec_event(r->rec, REC_CLIMB, 0, l->port, sw, r->lid);
	if (g0 != g)
		rec_flag(r->rec, BY_REVERSE); /* over a side link, counted at the main parent */
	ftree_events_count(r, T_DOWN, g0, l);
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

void ft_record_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port, unsigned hops)
{
	const struct ftree *t = r->t;
	uint32_t p0 = t->topo->fabric->switch_port[sw];
	unsigned lid = t->sw[target].lid, least = hops_least(t->hops, sw, target);

	rec_event(r->rec, REC_CHOICE, FT_ROOTS, port, sw, lid);
	rec_delta(r->rec, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + lid, NO_PATH, port);
	if (port)
		ft_record_cost(r, target, p0 + port, hops_value(t->hops, t->topo, sw, target, port), hops);
	if (hops < least)
		ft_record_cost(r, target, p0, least, hops);
}

/* Fat-tree routing for shift patterns (E. Zahavi, G. Johnson, D. J. Kerbyson, M. Lang, Concurrency and
 * Computation 22(2), 2010, doi 10.1002/cpe.1527), with all differences of OpenSM 3.3.23. */

static const struct optdef ftree_options[] = {
	GUID_OPTION("root_guid_file", "-a FILE", OPT_SWITCHES, "node GUIDs of root switches, one a line"),
	CN_GUID_FILE,
	IO_GUID_FILE,
	{.name = "max_reverse_hops",
	 .flag = "-H N",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = UINT16_MAX,
	 .help = "steps down that a route up to an I/O node may contain; from 8 on it may take very long"},
	{.name = "quasi_ftree_indexing",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "index the tree from its roots, for several trees side by side"},
	{0},
};

static bool refuse_few(struct ftree *t, const char *what, uint32_t n)
{
	ft_refuse(t, "", "two switches, two CAs",
		  "the fabric has %u %s, a tree has two at least; minhop routes it", n, what);
	t->refusal.found = n;
	t->refusal.expected = 2;
	return false;
}

/* Lists the CA ports on switches, by node and port.  A port without LID is not a destination. */
static void collect_cas(struct ftree *t)
{
	const struct topo *tp = t->topo;
	const struct fabric *f = tp->fabric;

	t->ca = NEW_ARRAY(f->n_endports + 1, struct ft_ca);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		for (unsigned p = 1; f->node_type[n] == NODE_CA && tp->node_up[n] && p <= f->node_nports[n];
		     p++) {
			uint32_t ep = f->port_endport[f->node_port[n] + p];

			if (ep == NO_ID || !tp->endport_up[ep] || tp->endport_switch[ep] == NO_ID ||
			    !t->lids->base[ep])
				continue;
			t->ca[t->n_ca++] = (struct ft_ca){.endport = ep,
							  .sw = tp->endport_switch[ep],
							  .port = tp->endport_swport[ep],
							  .lid = t->lids->base[ep]};
		}
	}
}

static bool check_sizes(struct ftree *t, const struct engine_input *in)
{
	const struct topo *tp = t->topo;
	const struct fabric *f = tp->fabric;
	uint32_t switches = 0, others = 0;

	if (options_uint(in->options, "lmc"))
		return ft_refuse(t, "", "LMC 0",
				 "lmc is %u, and fat-tree routing knows one LID a port only; `set lmc 0`",
				 (unsigned)options_uint(in->options, "lmc"));
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		if (!tp->node_up[n])
			continue;
		switches += node_is_switch(f, n);
		others += !node_is_switch(f, n);
		t->n_cas += f->node_type[n] == NODE_CA;
	}
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t ep = f->port_endport[f->switch_port[s]];

		t->sw[s] = (struct ft_switch){.rank = FT_UNRANKED, .tuple = FT_NO_TUPLE, .key = FT_KEY_NONE};
		t->sw[s].in = switch_up(tp, s) && f->switch_nports[s];
		t->n_in += t->sw[s].in;
		t->sw[s].lid = t->sw[s].in ? t->lids->base[ep] : 0;
		if (t->sw[s].lid > t->max_lid)
			t->max_lid = t->sw[s].lid;
	}
	if (switches < 2)
		return refuse_few(t, switches == 1 ? "switch" : "switches", switches);
	if (others < 2)
		return refuse_few(t, others == 1 ? "node beside switches" : "nodes beside switches", others);
	collect_cas(t);
	return true;
}

/* The first step that refuses is reported, so the order of steps matters. */
static void build(struct ftree *t, const struct engine_input *in, struct engine_output *out)
{
	if (!check_sizes(t, in) || !ft_classify(t, in, out))
		return;
	if (t->n_cas < 2) {
		refuse_few(t, t->n_cas == 1 ? "CA" : "CAs", t->n_cas);
		return;
	}
	if (!ft_rank(t, in, out) || !ft_group_ports(t) || !ft_find_leaves(t))
		return;
	ft_index(t);
	if (!ft_list_leaves(t) || (!t->root_file && !ft_check_purity(t, out)))
		return;
	if (t->unindexed)
		note_add(&out->notes, 0,
			 "ftree gives %s no index: links up and down do not connect it with the first "
			 "leaf, or it is below the leaves, or there are more than 255 of a kind\n",
			 PLURAL(t->unindexed, "switch"));
	if (t->skipped)
		note_add(&out->notes, NOTE_LOTTERY,
			 "ftree: OpenSM's result is undefined on this fabric: it indexes neighbours of "
			 "switches that got no index themselves\n");
}

struct ftree *ftree_build(const struct engine_input *in, struct engine_output *out)
{
	struct ftree *t = NEW(struct ftree);
	const struct options *o = in->options;

	t->topo = topo_ref(in->topo);
	t->lids = lids_ref(in->lids);
	t->root_file = options_file(o, "root_guid_file") != NULL;
	t->cn_file = options_file(o, "cn_guid_file") != NULL;
	t->quasi = options_bool(o, "quasi_ftree_indexing");
	t->connect_roots = options_bool(o, "connect_roots");
	t->manual = manual_rules(in->options);
	t->max_reverse = options_uint(o, "max_reverse_hops");
	t->sw = NEW_ARRAY(in->topo->fabric->n_switches, struct ft_switch);
	t->rec = in->record;
	if (t->rec)
		ft_record_begin(t);
	build(t, in, out);
	t->rec = NULL;
	return t;
}

static struct routing *ftree_route_tree(struct ftree *t, const struct engine_input *in,
					struct engine_output *out)
{
	if (t->refusal.rule) {
		out->refused = t->refusal.why;
		ftree_free(t);
		return NULL;
	}
	assert(t->n_leaves && !t->rec);
	t->hops = hops_build(in, out);
	struct routing *r = routing_new("ftree", in->topo, in->lids);
	r->ops = &ftree_ops;
	r->priv = t;
	bool done = t->hops && ft_route(t, in, out, r);
	if (done && missing_routes_fill(in, out, r))
		return r;
	if (done || !t->hops)
		err_set(&out->refused, CANCELLED);
	routing_unref(r);
	return NULL;
}

#define TRIED_CALLS 20000000 /* limit of steps in such a run: some seconds */
#define TRIED 8		     /* numbers tried above the present one */

/* Would the requested entry have a port with other options? */
static bool has_port(const struct engine_input *in, const char *rules, unsigned turns)
{
	struct options *o = options_copy(in->options);
	struct engine_input other = *in;
	struct engine_output out = {0};
	char number[16];
	struct err e;

	snprintf(number, sizeof(number), "%u", turns);
	other.options = o;
	other.ask = NULL;
	other.record = NULL;
	bool yes = !options_set(o, "rules", rules, &e) && !options_set(o, "max_reverse_hops", number, &e);
	struct ftree *t = ftree_build(&other, &out);
	t->most_calls = TRIED_CALLS;
	AUTO_ROUTING struct routing *r = ftree_route_tree(t, &other, &out);
	yes = yes && r && r->row[in->ask->sw] && r->row[in->ask->sw]->top >= in->ask->lid &&
	      r->row[in->ask->sw]->port[in->ask->lid] != NO_PATH;
	notes_free(&out.notes);
	options_free(o);
	return yes;
}

/* The least number of reverse hops that gives the entry a port, or 0 when none of those tried does. */
static unsigned turns_that_do(const struct engine_input *in, const char *rules, unsigned from, unsigned to)
{
	for (unsigned n = from; n <= to; n++)
		if (has_port(in, rules, n))
			return n;
	return 0;
}

static struct routing *ftree_route(const struct engine_input *in, struct engine_output *out)
{
	struct ftree *t = ftree_build(in, out);
	const char *rules = t->manual ? "manual" : "opensm";
	unsigned now = t->max_reverse;

	if (RECORDED(in))
		ft_record_tree(t, in->record);
	if (ASKED(in) && in->ask->sw != NO_ID && ft_is_io(t, in->ask->lid) && !has_port(in, rules, now)) {
		t->turns_do = turns_that_do(in, rules, now + 1, now + TRIED);
		if (!t->manual)
			t->turns_do_manual = turns_that_do(in, "manual", 1, now + TRIED);
	}
	return ftree_route_tree(t, in, out);
}

const struct engine engine_ftree = {
	.name = "ftree",
	.brief = "fat trees: routes that keep shift patterns free of congestion",
	.reference = "Zahavi et al. 2010, as OpenSM 3.3.23",
	.options = ftree_options,
	.route = ftree_route,
	.room = hops_build_room,
	.scheme = &ftree_scheme,
};
