/* Fat-tree routing explained: steps and choices in words, and the tables that panes show. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/routing/paths.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/ftree/ftree.h"
#include "engines/say.h"

/* Fat-tree routing in words: cells and values of a recording, its steps, and choices when somebody asks. */

/* How an entry came about: its rule, the rule's name in a choice, words around the switch it came from. */
static const struct {
	enum why_rule why;
	const char *rule, *from, *then;
} causes[] = {
	[FT_LOCAL] = {WHY_ATTACHED, "own port", "", ""},
	[FT_DESCENT] = {WHY_LEARNED, "first offer of fewest hops, down", "learned from ",
			" as the route spread down"},
	[FT_MAIN] = {WHY_MAIN_PATH, "main path", "main path: ", " climbed to here"},
	[FT_SECOND] = {WHY_SECONDARY, "secondary path", "secondary path up from ", ""},
	[FT_BESIDE] = {WHY_SIDE, "side link", "over a side link from ", ""},
	[FT_ROOTS] = {WHY_CONNECT_ROOTS, "connect roots", "", ""},
};
static_assert(ARRAY_LEN(causes) == FT_ROOTS + 1, "each cause has words");
static const char *const ways[FT_DIRS] = {[FT_UP] = "up", [FT_SIDE] = "beside", [FT_DOWN] = "down"};

/* --- cells and values: cables, groups, and the order of visits ------------------------------- */

static void name_group(const struct ftree *k, uint32_t group, struct text *out)
{
	const struct ft_group *g = &k->group[group];

	text_add(out, "%s to %s", ft_name(k, g->sw), g->peer == NO_ID ? "hosts" : ft_name(k, g->peer));
}

/* Tells the place of a slot among those of its switch and direction. */
static void ftree_sentences_name_slot(const struct ftree *k, uint32_t at, struct text *out)
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

static bool ftree_sentences_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct ftree *k = recording_kept(r);
	uint32_t g = 0;
	char label[300];

	if (!k || (t != T_UP && t != T_DOWN && t != T_SLOT && t != T_TUPLE))
		return false;
	if (t == T_SLOT)
		ftree_sentences_name_slot(k, at, out);
	else if (t == T_TUPLE)
		text_add(out, "%s", ft_name(k, at / 2));
	else if (at >= k->n_links)
		name_group(k, at - k->n_links, out);
	if (t == T_SLOT || t == T_TUPLE || at >= k->n_links)
		return true;
	while (g + 1 < k->n_groups && at >= k->group[g].link + k->group[g].n_links)
		g++;
	text_add(out, "%s",
		 port_label(k->topo->fabric,
			    switch_port_id(k->topo->fabric, k->group[g].sw, k->link[at].port), label,
			    sizeof(label)));
	return true;
}

static bool ftree_sentences_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value,
				  struct text *out)
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

/* --- steps ----------------------------------------------------------------------------------- */

static const struct ftree *tree(const struct saying *y)
{
	return y->kept;
}

/* Tells the LID of the event. */
static void say_dest(const struct saying *y)
{
	if (y->ev->b)
		say_lid(y, y->ev->b);
	else
		text_add(y->t, "a dummy");
}

static const char *ftree_sentences_behind(const struct saying *y)
{
	return say_name(y, say_behind(y, y->ev->a, y->ev->port));
}

static void say_rank(const struct saying *y)
{
	text_add(y->t, "%s: rank %u", say_name(y, y->ev->a), walk_value(y->w, T_RANK, y->ev->a));
	if (y->ev->b == NO_ID)
		text_add(y->t, ", a root");
	else
		text_add(y->t, ", one below %s", say_name(y, y->ev->b));
}

static void ftree_say_group(const struct saying *y)
{
	const struct ftree *k = y->kept;
	bool any = false;

	text_add(y->t, "%s: ", say_name(y, y->ev->a));
	for (unsigned d = 0; d < FT_DIRS; d++) {
		uint32_t cables = 0;

		if (!k->sw[y->ev->a].n[d])
			continue;
		for (uint32_t i = 0; i < k->sw[y->ev->a].n[d]; i++)
			cables += ftree_group(k, y->ev->a, d, i)->n_links;
		text_add(y->t, "%s%s %s (%s)", any ? ", " : "", PLURAL(k->sw[y->ev->a].n[d], "group"),
			 ways[d], PLURAL(cables, "cable"));
		any = true;
	}
	if (k->sw[y->ev->a].n_cn)
		text_add(y->t, "; %s", PLURAL(k->sw[y->ev->a].n_cn, "compute node"));
	else if (!any)
		text_add(y->t, "no groups");
}

/* Tells what the check of purity compares; for leaves only what leads up. */
static void say_shape(const struct saying *y, uint32_t sw)
{
	const struct ftree *k = y->kept;

	text_add(y->t, "%s up", PLURAL(k->sw[sw].n[FT_UP], "group"));
	if (k->sw[sw].n[FT_UP])
		text_add(y->t, " of %s", PLURAL(ftree_group(k, sw, FT_UP, 0)->n_links, "cable"));
	if (k->sw[sw].rank == k->leaf_rank)
		return;
	text_add(y->t, ", %u down", k->sw[sw].n[FT_DOWN]);
	if (k->sw[sw].n[FT_DOWN])
		text_add(y->t, " of %s", PLURAL(ftree_group(k, sw, FT_DOWN, 0)->n_links, "cable"));
}

static void say_pure(const struct saying *y)
{
	text_add(y->t, "%s: ", say_name(y, y->ev->a));
	if (y->ev->a == y->ev->b) {
		say_shape(y, y->ev->a);
		text_add(y->t, "; the first of rank %u, the others must be alike",
			 tree(y)->sw[y->ev->a].rank);
	} else if (!y->ev->rule) {
		text_add(y->t, "like %s", say_name(y, y->ev->b));
	} else {
		say_shape(y, y->ev->a);
		text_add(y->t, "; not like %s: ", say_name(y, y->ev->b));
		say_shape(y, y->ev->b);
	}
}

static void say_tuple(const struct saying *y)
{
	char a[40];

	text_add(y->t, "%s: index %s", say_name(y, y->ev->a), ftree_tuple(tree(y), y->ev->a, a, sizeof(a)));
	if (y->ev->b != NO_ID)
		text_add(y->t, ", reached from %s", say_name(y, y->ev->b));
}

static void say_leaf(const struct saying *y)
{
	const struct ftree *k = y->kept;
	uint32_t n = k->sw[y->ev->a].n_cn;

	text_add(y->t, "%s: leaf %u of %u by index, %s", say_name(y, y->ev->a), y->ev->b + 1, k->n_leaves,
		 PLURAL(n, "compute node"));
	if (n < k->max_cn)
		text_add(y->t, " and %s in place of those that others have more",
			 k->max_cn - n == 1 ? "a dummy" : "dummies");
}

/* The counter that a step increments: the group's, the last of its changes. Returns the value before. */
static uint32_t counter(const struct saying *y)
{
	uint32_t cursor = 0;
	struct rec_delta d = {.now = 1};

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, &d))
		continue;
	return d.now - 1; /* in a part of a run, d.was may be unknown */
}

/* Tells hops as "2 hops (ftree counts 3)": for LIDs of CAs, ftree also counts the cable of the CA. */
static void say_hops(const struct saying *y)
{
	unsigned hops = y->ev->flags >> HOPS_AT;
	uint32_t ep = y->ev->b ? lid_owner(y->s->lids, y->ev->b) : NO_ID;
	bool ca = ep == NO_ID || !endport_is_switch(y->f, ep);

	if (hops == MOST_HOPS)
		text_add(y->t, ", %u hops or more", hops - ca);
	else
		text_add(y->t, ", %s", PLURAL(hops - ca, "hop"));
	if (ca)
		text_add(y->t, " (ftree counts %u)", hops);
	if (y->ev->flags & BY_REVERSE)
		text_add(y->t, ", by reverse hops");
}

static void ftree_say_choice(const struct saying *y)
{
	text_add(y->t, "%s ", say_name(y, y->ev->a));
	say_dest(y);
	if (y->ev->port == NO_PATH)
		text_add(y->t, " -> no port: %s", why_rule_name(causes[y->ev->rule].why));
	else
		text_add(y->t, " -> port %u: %s", y->ev->port, why_rule_name(causes[y->ev->rule].why));
	if (y->ev->rule != FT_LOCAL)
		text_add(y->t, " from %s", ftree_sentences_behind(y));
	if (y->ev->rule != FT_LOCAL && y->ev->rule != FT_ROOTS)
		say_hops(y);
}

static void say_offer(const struct saying *y)
{
	unsigned has = walk_value(y->w, T_ENTRY, y->ev->a * (y->s->lids->max_lid + 1u) + y->ev->b);

	text_add(y->t, "%s is offered port %u from %s for ", say_name(y, y->ev->a), y->ev->port,
		 ftree_sentences_behind(y));
	say_dest(y);
	text_add(y->t, ": %s", why_rule_name(causes[y->ev->rule].why));
	say_hops(y);
	if (has)
		text_add(y->t, "; no shorter than by port %u", has);
	else
		text_add(y->t, "; it is the switch itself");
}

/* Why a parent comes before another one of the same load. */
static const char *before_equals(const struct ftree *t, uint32_t parent)
{
	return t->sw[parent].tuple == FT_NO_TUPLE ? "neither has an index, and it stands first"
						  : "lower index";
}

/* Tells the loads of the chosen parent and of the second one, at the time of the comparison. */
static void say_climb(const struct saying *y)
{
	const struct ftree *k = y->kept;
	const struct ft_switch *s = &k->sw[y->ev->a];
	uint32_t was = counter(y);

	text_add(y->t, "%s climbs by port %u to %s for ", say_name(y, y->ev->a), y->ev->port,
		 ftree_sentences_behind(y));
	say_dest(y);
	if (y->ev->flags & BY_REVERSE) { /* over a side link */
		text_add(y->t, ": a link within the rank; its main parent carries the count, load %u before",
			 was);
		return;
	}
	if (s->n[FT_UP] < 2) {
		text_add(y->t, ": its only parent");
		return;
	}
	if (*recording_part(y->r) && recording_kept_part(y->r)->sw != y->ev->a) {
		text_add(y->t, ": load %u before", was); /* the other load is not in this part */
		return;
	}
	uint32_t next = walk_value(y->w, T_SLOT, s->slot[FT_UP] + 1);
	uint32_t load = walk_value(y->w, T_DOWN, k->n_links + next);
	if (load > was)
		text_add(y->t, ": load %u, least of %u parents", was, s->n[FT_UP]);
	else
		text_add(y->t, ": load %u like %s, %s", was, say_name(y, k->group[next].peer),
			 before_equals(k, say_behind(y, y->ev->a, y->ev->port)));
}

static void ftree_say_target(const struct saying *y)
{
	say_dest(y);
	text_add(y->t, " on %s", say_name(y, y->ev->a));
}

static void say_spread(const struct saying *y)
{
	text_add(y->t, "%s taught %s by port %u, with hosts behind it: %u before", say_name(y, y->ev->a),
		 ftree_sentences_behind(y), y->ev->port, counter(y));
}

static void say_sort(const struct saying *y)
{
	text_add(y->t, "%s: groups %s sorted by load, then index", say_name(y, y->ev->a), ways[y->ev->port]);
}

#define DESCEND "ftree.md 9.1; Zahavi et al. 2010"
#define ASCEND "ftree.md 9.2; Zahavi et al. 2010"

static const struct {
	void (*say)(const struct saying *y);
	const char *source;
} kinds[REC_KINDS] = {
	[REC_RANK] = {say_rank, "ftree.md 5.1; Zahavi et al. 2010"},
	[REC_GROUP] = {ftree_say_group, "ftree.md 5.2; OpenSM 3.3.23"},
	[REC_TUPLE] = {say_tuple, "ftree.md 6; Zahavi et al. 2010"},
	[REC_LEAF] = {say_leaf, "ftree.md 7; OpenSM 3.3.23"},
	[REC_PURE] = {say_pure, "ftree.md 8; OpenSM 3.3.23"},
	[REC_SORT] = {say_sort, "ftree.md 9; OpenSM 3.3.23"},
	[REC_TARGET] = {ftree_say_target, "ftree.md 10; Zahavi et al. 2010"},
	[REC_CLIMB] = {say_climb, ASCEND},
	[REC_SPREAD] = {say_spread, DESCEND},
	[REC_CHOICE] = {ftree_say_choice, NULL}, /* the source depends on the cause */
	[REC_OFFER] = {say_offer, NULL},
};

static void ftree_sentences_sentence(struct walk *w, struct text *t)
{
	const struct saying y = saying_of(w, t);

	if (kinds[y.ev->kind].say)
		kinds[y.ev->kind].say(&y);
	else
		assign_sentence(w, t);
}

/* As decide_offer() decides it. */
static const char *ftree_sentences_rule(const struct rec_event *ev)
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
	return why_rule_name(causes[ev->rule].why);
}

static const char *ftree_sentences_source(const struct rec_event *ev)
{
	static const char *const by_cause[] = {
		[FT_LOCAL] = "ftree.md 10; OpenSM 3.3.23",
		[FT_DESCENT] = DESCEND,
		[FT_MAIN] = ASCEND,
		[FT_SECOND] = ASCEND,
		[FT_BESIDE] = ASCEND,
		[FT_ROOTS] = "ftree.md 11; opensm(8), connect_roots",
	};

	if (ev->kind == REC_CHOICE || ev->kind == REC_OFFER)
		return by_cause[ev->rule];
	return kinds[ev->kind].say ? kinds[ev->kind].source : assign_source(ev);
}

/* --- choices, when somebody asks ------------------------------------------------------------- */

/* A main climb: loads and rival at the time of the decision. */
struct climbed {
	uint32_t from, next; /* next: the second-best parent, NO_ID = none */
	uint32_t parents, load, next_load;
};

/* The offers to a switch for the current destination. */
struct ftree_sentences_seen {
	struct rec_choice *c; /* NULL: nobody asks */
	/* the offer in force; g is NULL when there is none */
	const struct ft_group *g;
	const struct ft_link *link;
	enum ft_cause cause;
	bool reverse;
	uint8_t hops;	      /* as ftree counts them: for LIDs of CAs including the cable of the CA */
	struct climbed climb; /* only for a main climb */
	unsigned turn, taken; /* number of offers so far; which of them is in force */
	unsigned replaced;    /* offers that were in force before */
};

struct ft_telling {
	uint32_t leaf;
	struct text path; /* main climbs of the destination */
	unsigned climbs;
	struct climbed climb; /* the last one */
	/*
	 * a main climb after a reverse hop went back to where it came from: at this switch, to that one; or
	 * NO_ID
	 */
	uint32_t back_at, back_to;
	struct ftree_sentences_seen *seen; /* [n_switches] */
};

struct ft_telling *ft_tell_new(const struct ftree *t)
{
	struct ft_telling *w = NEW(struct ft_telling);

	w->seen = NEW_ARRAY(t->topo->fabric->n_switches, struct ftree_sentences_seen);
	return w;
}

void ft_tell_free(struct ft_telling *w, const struct ftree *t)
{
	if (!w)
		return;
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		rec_choice_free(w->seen[s].c);
	text_free(&w->path);
	FREE_EACH(w->seen, w);
}

void ft_tell_begin(const struct ft_run *r, uint32_t leaf)
{
	struct ft_telling *w = r->tell;

	w->leaf = leaf;
	w->climbs = 0;
	w->back_at = w->back_to = NO_ID;
	text_free(&w->path);
	for (uint32_t s = 0; r->lid && s < r->n_switches; s++)
		w->seen[s] = (struct ftree_sentences_seen){.c = r->t->sw[s].in ? rec_choice(r->in, s, r->lid)
									       : NULL};
}

void ft_tell_climb(const struct ft_run *r, uint32_t sw, uint32_t prev)
{
	struct ft_telling *w = r->tell;
	uint32_t n = r->t->sw[sw].n[FT_UP];
	const struct ft_group *g = ftree_group(r->t, sw, FT_UP, 0);
	const struct ft_group *next = n > 1 ? ftree_group(r->t, sw, FT_UP, 1) : g;

	w->climb = (struct climbed){.from = sw,
				    .next = n > 1 ? next->peer : NO_ID,
				    .parents = n,
				    .load = g->cd,
				    .next_load = next->cd};
	if (r->reverse && g->peer == prev && w->back_at == NO_ID) {
		w->back_at = sw;
		w->back_to = prev;
	}
	if (w->climbs++ > 7)
		return;
	text_add(&w->path, "%s%s climbs to %s", w->climbs > 1 ? ", " : "", ft_name(r->t, sw),
		 ft_name(r->t, g->peer));
	if (n > 1 && next->cd > g->cd)
		text_add(&w->path, " (load %u, least of %u parents)", g->cd, n);
	else if (n > 1)
		text_add(&w->path, " (load %u like %s, %s)", g->cd, ft_name(r->t, next->peer),
			 before_equals(r->t, g->peer));
}

/* The links between switches of an offer. */
static unsigned ftree_sentences_links_of(const struct ft_run *r, unsigned hops)
{
	return hops - (r->target == NO_ID);
}

static struct rec_offer *offer_of(const struct rec_choice *c, unsigned port)
{
	for (unsigned i = 0; i < c->n_offers; i++)
		if (c->offer[i].port == port)
			return &c->offer[i];
	return NULL;
}

void ft_tell_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause, bool taken)
{
	struct ftree_sentences_seen *x = &r->tell->seen[g->peer];

	if (!r->lid || !x->c)
		return;
	x->turn++;
	for (uint32_t i = 0; i < g->n_links; i++) { /* each port once, with its best offer */
		const struct ft_link *k = &r->t->link[g->link + i];
		struct rec_offer *o = offer_of(x->c, k->remote);

		if (o && o->q[1] <= ftree_sentences_links_of(r, hops))
			continue;
		if (!o)
			o = rec_offer(x->c, k->remote, switch_port_id(r->t->topo->fabric, g->sw, k->port));
		o->q[0] = x->turn;
		o->q[1] = ftree_sentences_links_of(r, hops);
		o->q[2] = cause == FT_DESCENT ? k->cu : k->cd;
	}
	if (!taken)
		return;
	x->replaced += x->g != NULL;
	x->g = g;
	x->link = l;
	x->cause = cause;
	x->reverse = r->reverse > 0;
	x->hops = hops;
	x->taken = x->turn;
	x->climb = r->tell->climb;
}

/* --- the rule that decided ------------------------------------------------------------------- */

/* Does a switch lead to the destination only back through `sw`? It learned the route from there, then. */
static bool leads_back(const struct ft_run *r, uint32_t sw, uint32_t from)
{
	const struct topo *t = r->t->topo;
	uint32_t n = t->fabric->n_switches, *queue = NEW_ARRAY(n, uint32_t);
	uint16_t *hops = NEW_ARRAY(n, uint16_t);

	for (uint32_t s = 0; s < n; s++)
		hops[s] = NO_HOPS;
	hops[sw] = hops[from] = 0; /* the search does not pass over sw, as it does not begin there */
	queue[0] = from;
	spread_hops(t, hops, queue, 1);
	bool back = hops[r->tell->leaf] == NO_HOPS;
	FREE_EACH(hops, queue);
	return back;
}

/* The first offer after the one in force that leads to the destination, or NULL. *back: one leads back. */
static const struct rec_offer *later_offer(const struct ft_run *r, const struct ftree_sentences_seen *x,
					   bool *back)
{
	const struct fabric *f = r->t->topo->fabric;

	*back = false;
	for (unsigned i = 0; i < x->c->n_offers; i++) {
		const struct rec_offer *o = &x->c->offer[i];

		if (o->port == x->link->remote || o->q[0] <= (int64_t)x->taken)
			continue;
		if (!leads_back(r, x->c->sw, f->node_switch[f->port_node[o->peer]]))
			return o;
		*back = true;
	}
	return NULL;
}

static void decide_offer(const struct ft_run *r, const struct ftree_sentences_seen *x, struct decided *d)
{
	bool back;
	const struct rec_offer *q = later_offer(r, x, &back);
	const char *from = ft_name(r->t, x->g->sw), *here = ft_name(r->t, x->c->sw);
	const struct climbed *c = &x->climb;

	if (x->reverse)
		decide(d, WHY_REVERSE_HOP,
		       "max_reverse_hops %u: a climb of the route went a step down and up again, and %s got "
		       "it from %s.",
		       r->t->max_reverse, ft_name(r->t, x->c->sw), from);
	else if (x->cause == FT_MAIN && c->parents < 2)
		decide(d, WHY_MAIN_PATH, "%s climbed to %s, its only parent.", ft_name(r->t, c->from), here);
	else if (x->cause == FT_MAIN && c->next_load > c->load)
		decide(d, WHY_LEAST_LOAD, "%s climbed to %s: load %u, least of %u parents; %s had %u.",
		       ft_name(r->t, c->from), here, c->load, c->parents, ft_name(r->t, c->next),
		       c->next_load);
	else if (x->cause == FT_MAIN && r->t->sw[x->c->sw].tuple == FT_NO_TUPLE)
		decide(d, WHY_LOWER_INDEX,
		       "%s climbed to %s: load %u like %s; neither has an index, and %s stands first.",
		       ft_name(r->t, c->from), here, c->load, ft_name(r->t, c->next), here);
	else if (x->cause == FT_MAIN)
		decide(d, WHY_LOWER_INDEX, "%s climbed to %s: load %u like %s, and the index of %s is lower.",
		       ft_name(r->t, c->from), here, c->load, ft_name(r->t, c->next), here);
	else if (x->cause == FT_SECOND)
		decide(d, WHY_SECONDARY,
		       "Up from %s, beside the main path, which does not come here in fewer hops.", from);
	else if (x->cause == FT_BESIDE)
		decide(d, WHY_SIDE, "Over a link within the rank, from %s.", from);
	else if (x->replaced)
		decide(d, WHY_LEARNED,
		       "%s spread the route down: offer %u of %u, the first with as few as %s.", from,
		       x->taken, x->turn, PLURAL(ftree_sentences_links_of(r, x->hops), "hop"));
	else if (q)
		decide(d, WHY_LEARNED,
		       "%s spread the route down: offer %u of %u; port %u was offered later, with no fewer "
		       "hops.",
		       from, x->taken, x->turn, q->port);
	else if (back)
		decide(d, WHY_LEARNED,
		       "%s spread the route down: offer %u of %u; the later offers lead back through %s.",
		       from, x->taken, x->turn, here);
	else
		decide(d, WHY_LEARNED, "%s spread the route down; nobody else offered one.", from);
	if (x->g->n_links > 1)
		text_add(&d->text, " Of %u parallel cables the first with least load.", x->g->n_links);
}

/* Tells what used up the turns of a route to a CA port, and which number would suffice. */
static void add_turns(const struct ft_run *r, const char *to, struct text *t)
{
	const struct ftree *f = r->t;
	const struct ft_telling *w = r->tell;
	const char *at = w->back_at == NO_ID ? "" : ft_name(f, w->back_at);

	if (!ft_is_io(f, r->lid)) {
		text_add(t, "; steps down before up are for ports in io_guid_file alone, and %s is none", to);
		return;
	}
	text_add(t, "; max_reverse_hops %u allows %s", f->max_reverse,
		 f->max_reverse ? PLURAL(f->max_reverse, "turn") : "no turn");
	text_add(t, " from down to up");
	if (*at)
		text_add(t, ", and one is spent on %s -> %s -> %s, back to where it came from",
			 ft_name(f, w->back_to), at, ft_name(f, w->back_to));
	if (f->turns_do)
		text_add(t, "; %u would do", f->turns_do);
	if (f->turns_do_manual && !f->manual)
		text_add(t, "%s by the manual's count %u would (`set rules manual`)", f->turns_do ? "," : ";",
			 f->turns_do_manual);
}

/* Explains that port `via` of a switch was never offered. */
static void decide_passed_by(const struct ftree *t, uint32_t sw, unsigned via, struct decided *d)
{
	uint32_t peer = t->topo->peer_switch[switch_port_id(t->topo->fabric, sw, via)];

	if (peer != NO_ID)
		decide(d, WHY_LEARNED, "The route did not come by port %u: %s did not pass it on to %s.", via,
		       ft_name(t, peer), ft_name(t, sw));
}

static void ftree_sentences_decide_against(const struct ft_run *r, const struct ftree_sentences_seen *x,
					   struct decided *d)
{
	const struct rec_offer *c = offer_of(x->c, x->c->via);
	const struct fabric *f = r->t->topo->fabric;

	if (!c)
		decide_passed_by(r->t, x->c->sw, x->c->via, d);
	else if (!x->g || x->c->via == x->link->remote)
		; /* this is the chosen port */
	else if (c->q[1] > (int64_t)ftree_sentences_links_of(r, x->hops))
		decide(d, WHY_LONGER, "The best offer by port %u has %u hops, that by port %u has %u.",
		       c->port, (unsigned)c->q[1], x->link->remote, ftree_sentences_links_of(r, x->hops));
	else if (c->peer != NO_ID && f->port_node[c->peer] == f->switch_node[x->g->sw])
		decide(d, WHY_LEAST_LOAD,
		       "A parallel cable; port %u was the first with least load when the route was placed.",
		       x->link->remote);
	else
		decide(d, WHY_LEARNED,
		       "This was offer %u of %u; port %u came with offer %u, and this one has no fewer hops.",
		       (unsigned)c->q[0], x->turn, x->link->remote, x->taken);
}

/* Tells how the entry came about. */
static void say_end(const struct ft_run *r, const struct ftree_sentences_seen *x, struct text *t)
{
	const struct ft_telling *w = r->tell;

	if (x->c->sw == w->leaf) {
		text_add(t, r->target == NO_ID ? "the destination hangs on this port" : "the switch itself");
	} else if (x->g) {
		text_add(t, "%s%s%s%s, %s", x->reverse ? "after a reverse hop, " : "", causes[x->cause].from,
			 ft_name(r->t, x->g->sw), causes[x->cause].then,
			 PLURAL(ftree_sentences_links_of(r, x->hops), "hop"));
		if (r->target == NO_ID)
			text_add(t, " (ftree counts %u)", x->hops);
		if (x->g->n_links > 1)
			text_add(t, "; of %s the first with least load",
				 PLURAL(x->g->n_links, "parallel cable"));
	} else if (x->c->port == NO_PATH) {
		text_add(t, "no way goes up from the destination and then down to here");
	}
	if (x->replaced)
		text_add(t, "; fewer hops than what was offered before");
	if (w->path.len)
		text_add(t, ".  For this destination %s", text_str(&w->path));
	else if (x->c->sw != w->leaf && r->target != NO_ID)
		text_add(t, ".  Switches have no main path: parents are tried from the least loaded on");
}

void ft_tell_end(const struct ft_run *r)
{
	static const char *const quantities[] = {"turn", "hops", "load"};
	const struct ftree *t = r->t;
	char a[300];

	for (uint32_t s = 0; r->lid && s < r->n_switches; s++) {
		struct ftree_sentences_seen *x = &r->tell->seen[s];
		struct rec_choice *c = x->c;

		if (!c)
			continue;
		c->target = r->tell->leaf;
		c->port = r->port[s];
		c->quantity = quantities;
		c->n_quantities = ARRAY_LEN(quantities);
		c->rule = s == c->target ? causes[FT_LOCAL].rule
			  : !x->g	 ? "not reached"
			  : x->reverse	 ? "reverse hop"
					 : causes[x->cause].rule;
		/* connect_roots will still decide the entry of this switch */
		if (c->port == NO_PATH && t->connect_roots && r->target != NO_ID &&
		    t->sw[s].rank < t->leaf_rank) {
			rec_choice_free(c);
			x->c = NULL;
			continue;
		}
		say_end(r, x, &c->text);
		if (decide_common(t->topo, t->lids, s, r->lid, c->port, &c->decided)) {
			; /* as in all engines */
		} else if (x->g) {
			decide_offer(r, x, &c->decided);
		} else if (c->port != NO_PATH) {
			decide(&c->decided, WHY_LEARNED,
			       "Port %u was offered when the route was placed for the first time.", c->port);
		} else {
			endport_label(t->topo->fabric, lid_owner(t->lids, r->lid), a, sizeof(a));
			decide(&c->decided, WHY_NOT_REACHED, "No way climbs from %s and descends to %s", a,
			       ft_name(t, s));
			if (r->target == NO_ID)
				add_turns(r, a, &c->decided.text);
			text_add(&c->decided.text, ".");
		}
		if (c->via)
			ftree_sentences_decide_against(r, x, &c->against);
		rec_chosen(r->in, c);
		x->c = NULL;
	}
}

void ft_tell_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port)
{
	struct ftree *t = r->t;
	struct rec_choice *c = rec_choice(r->in, sw, t->sw[target].lid);
	const char *last = ft_name(t, t->leaf[t->n_leaves - 1]);

	if (!c)
		return;
	c->target = target;
	c->port = (uint8_t)port;
	c->rule = port == NO_PATH ? "not reached" : causes[FT_ROOTS].rule;
	text_add(&c->text, "no way goes up and then down");
	if (port == NO_PATH)
		text_add(&c->text, ", and there is none through the last leaf, %s, either", last);
	else
		text_add(&c->text, "; connect_roots leads through the last leaf, %s", last);
	if (port != NO_PATH || !decide_common(t->topo, t->lids, sw, c->lid, port, &c->decided))
		decide(&c->decided, port == NO_PATH ? WHY_NOT_REACHED : WHY_CONNECT_ROOTS, "N%s.",
		       text_str(&c->text) + 1);
	if (c->via)
		decide_passed_by(t, sw, c->via, &c->against);
	rec_chosen(r->in, c);
}

/* Results of ftree for a routing and for a step of a recording: ranks, hops, the order of nodes. */

uint32_t *ftree_order(const struct ftree *t, uint32_t *n)
{
	uint32_t *order = NEW_ARRAY((size_t)t->n_leaves * t->max_cn + t->n_ca + 1, uint32_t);

	*n = 0;
	for (uint32_t i = 0; i < t->n_leaves; i++) {
		uint32_t s = t->leaf[i], cn = 0;

		for (uint32_t j = 0; j < t->sw[s].n[FT_DOWN]; j++) {
			const struct ft_group *g = ftree_group(t, s, FT_DOWN, j);

			if (g->peer != NO_ID || !t->ca[g->ca].is_cn)
				continue;
			order[(*n)++] = t->ca[g->ca].endport;
			cn++;
		}
		for (; cn < t->max_cn; cn++)
			order[(*n)++] = NO_ID;
	}
	return order;
}

void ftree_order_text(const struct ftree *t, struct text *out)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t n, *order = ftree_order(t, &n);

	for (uint32_t i = 0; i < n; i++)
		if (order[i] == NO_ID)
			text_add(out, "0xFFFF\tDUMMY\n");
		else
			text_add(out, "0x%04x\t%s\n", t->lids->base[order[i]],
				 f->node_desc[endport_node(f, order[i])]);
	free(order);
}

/* The cost from switch s to d through a port (0: the least), as OpenSM dumps it. NO_PATH = none. */
static unsigned op_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	const struct ftree *t = r->priv;
	uint32_t id = switch_port_id(t->topo->fabric, s, port);
	size_t lo = 0, hi = t->n_costs;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct ft_cost *c = &t->cost[mid];

		if (c->d == d && c->port == id)
			return c->value;
		if (c->d < d || (c->d == d && c->port < id))
			lo = mid + 1;
		else
			hi = mid;
	}
	return hops_value(t->hops, t->topo, s, d, port);
}

static uint32_t op_rank(const struct routing *r, uint32_t sw)
{
	const struct ftree *t = r->priv;

	return t->sw[sw].in ? t->sw[sw].rank : NO_RANK;
}

static bool op_is_root(const struct routing *r, uint32_t sw)
{
	return op_rank(r, sw) == 0;
}

static char op_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	uint32_t x = r->topo->peer_switch[switch_port_id(r->topo->fabric, sw, port)];

	if (!port || x == NO_ID)
		return ' ';
	uint32_t a = op_rank(r, sw), b = op_rank(r, x);
	if (a == NO_RANK || b == NO_RANK)
		return ' ';
	if (a == b)
		return '=';
	return a > b ? 'U' : 'D';
}

static uint32_t *op_order(const struct routing *r, uint32_t *n)
{
	return ftree_order(r->priv, n);
}

static int op_write_extra(const struct routing *r, const char *what, FILE *f)
{
	AUTO_TEXT struct text text = {0};

	if (strcmp(what, "ca-order"))
		return -1;
	ftree_order_text(r->priv, &text);
	fputs(text_str(&text), f);
	return ferror(f) ? -1 : 0;
}

/* Marks entries that exist only because of reverse hops. */
static uint32_t op_entry_notes(const struct routing *r, uint32_t sw, const struct entry_note **note)
{
	static const struct entry_note reverse = {"reverse", "by reverse hops"};
	const struct ftree *t = r->priv;
	uint32_t n = 0;

	for (size_t i = 0; i < t->n_reverse; i++) {
		if (t->reverse[i].sw != sw)
			continue;
		n += !note[t->reverse[i].lid];
		note[t->reverse[i].lid] = &reverse;
	}
	return n;
}

static void op_decide_rank(const struct routing *r, uint32_t sw, struct decided *d)
{
	const struct ftree *t = ftree_of(r);
	const struct fabric *f = r->topo->fabric;
	const char *name = switch_name(f, sw);
	uint32_t next = NO_ID;

	if (!t->sw[sw].rank && t->named) {
		decide(d, WHY_ROOT_NAMED, "root_guid_file names %s.", name);
	} else if (!t->sw[sw].rank) {
		decide(d, WHY_ROOT_FARTHEST, "No switch is farther from its nearest host than %s.", name);
	} else {
		for (unsigned p = 1; p <= f->switch_nports[sw] && next == NO_ID; p++) {
			next = r->topo->peer_switch[switch_port_id(f, sw, p)];
			if (next != NO_ID && t->sw[next].rank != t->sw[sw].rank - 1)
				next = NO_ID;
		}
		decide(d, WHY_RANK, "%s has rank %u, no neighbour of %s less.",
		       next == NO_ID ? "a neighbour" : switch_name(f, next), t->sw[sw].rank - 1, name);
	}
}

static void op_rank_clues(const struct routing *r, uint32_t sw, struct text *t)
{
	(void)sw;
	if (ftree_of(r)->named)
		text_add(t, "Rank 0: the switches that root_guid_file names.\n");
	else
		text_add(t, "Rank 0: the switches farthest from any host.\n");
}

static uint32_t op_next_by_chance(const struct routing *r, uint32_t *at)
{
	const struct ftree *t = r->priv;

	while (*at < t->n_ca && !t->ca[*at].by_chance)
		++*at;
	return *at < t->n_ca ? t->ca[(*at)++].endport : NO_ID;
}

const struct routing_ops ftree_ops = {
	.hops = op_hops,
	.rank = op_rank,
	.is_root = op_is_root,
	.decide_rank = op_decide_rank,
	.rank_clues = op_rank_clues,
	.turn_option = "max_reverse_hops",
	.direction = op_direction,
	.level_stays_down = true,
	.entry_notes = op_entry_notes,
	.order = op_order,
	.next_by_chance = op_next_by_chance,
	.extras = "ca-order",
	.write_extra = op_write_extra,
	.free_priv = ftree_free,
};

const struct ftree *ftree_of(const struct routing *r)
{
	return r && r->ops == &ftree_ops ? r->priv : NULL;
}

/* --- a step of a recording ------------------------------------------------------------------- */

/* Finds the entries that reverse hops made and nothing replaced. */
static void put_reverse(const struct walk *w, struct ftree *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	size_t row = s->lids->max_lid + 1u;
	AUTO_FREE uint8_t *hops = mem_array(s->fabric->n_switches, row);

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
}

static void *ft_priv_at(struct walk *w, const struct routing *end)
{
	const struct ftree *kept = recording_kept(walk_recording(w));
	struct ftree *t = ft_copy(kept);
	struct ft_slot *of = NEW_ARRAY(t->n_groups + 1u, struct ft_slot); /* by group */

	(void)end;
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		t->sw[s].rank = walk_value(w, T_RANK, s);
		t->sw[s].tuple =
			(uint64_t)walk_value(w, T_TUPLE, 2 * s) << 32 | walk_value(w, T_TUPLE, 2 * s + 1);
	}
	for (uint32_t i = 0; i < t->n_links; i++) {
		t->link[i].cu = walk_value(w, T_UP, i);
		t->link[i].cd = walk_value(w, T_DOWN, i);
	}
	for (uint32_t i = 0; i < t->n_groups; i++) {
		t->group[i].cu = walk_value(w, T_UP, t->n_links + i);
		t->group[i].cd = walk_value(w, T_DOWN, t->n_links + i);
	}
	for (uint32_t i = 0; i < t->n_groups; i++)
		of[t->slot[i].group] = t->slot[i];
	for (uint32_t i = 0; i < t->n_groups; i++) /* each slot keeps the data of its peer */
		if (walk_value(w, T_SLOT, i) != NO_ID)
			t->slot[i] = of[walk_value(w, T_SLOT, i)];
	free(of);
	if (t->max_reverse)
		put_reverse(w, t);
	t->hops = hops_at(w, T_HOPS);
	return t;
}

const struct rec_scheme ftree_scheme = {
	.rule = ftree_sentences_rule,
	.source = ftree_sentences_source,
	.sentence = ftree_sentences_sentence,
	.ops = &ftree_ops,
	.priv_at = ft_priv_at,
	.cell = ftree_sentences_cell,
	.value = ftree_sentences_value,
};
