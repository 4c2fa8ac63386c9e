/* Telling an observer how entries come about. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/fabric/labels.h"
#include "engines/ftree/internal.h"

/* A main climb: loads and rivals as they were when it was decided. */
struct ft_climb {
	uint32_t from, next; /* next: the parent that came second, NO_ID = none */
	uint32_t parents, load, next_load;
};

/* What was offered to a switch for the destination at hand. */
struct ft_seen {
	struct step_candidate *cand; /* by port, each with its best offer */
	unsigned n, cap, turn;
	struct ft_offer last;  /* the one in force */
	struct ft_climb climb; /* of it, when it is a main one */
	unsigned replaced;     /* offers that were in force before it */
	unsigned taken;	       /* turn of the one in force */
};

struct ft_watch {
	const struct ftree *t;
	const struct engine_input *in;
	bool each;  /* every entry is told at once; else the last word on each switch that is wanted */
	bool muted; /* the destination at hand does not concern the observer */
	uint32_t sw;
	uint16_t lid;
	uint32_t leaf, target;
	unsigned local;
	struct text path; /* main climbs of the destination */
	unsigned climbs;
	struct ft_climb climb; /* the last one */
	struct ft_seen *seen;  /* [n_switches] */
	struct ft_seen now;    /* of the one entry at hand, when each is told */
};

static const char *const quantities[] = {"turn", "hops", "load"};

struct ft_watch *watch_new(const struct ftree *t, const struct engine_input *in)
{
	struct ft_watch *w = NEW(struct ft_watch);

	w->t = t;
	w->in = in;
	w->sw = in->observer->sw;
	w->each = w->sw == NO_ID && !in->observer->last;
	w->seen = NEW_ARRAY(t->topo->fabric->n_switches, struct ft_seen);
	return w;
}

void watch_free(struct ft_watch *w)
{
	if (!w)
		return;
	text_free(&w->path);
	for (uint32_t s = 0; s < w->t->topo->fabric->n_switches; s++)
		free(w->seen[s].cand);
	free(w->now.cand);
	free(w->seen);
	free(w);
}

/* Does the observer want the last word on a switch? */
static bool wanted(const struct ft_watch *w, uint32_t sw)
{
	return !w->each && (w->sw == NO_ID || w->sw == sw);
}

/* Links between switches of an offer: ftree counts the CA's cable, too. */
static unsigned hops_of(const struct ft_watch *w, const struct ft_offer *o)
{
	return o->hops - (w->target == NO_ID);
}

void watch_begin(struct ft_watch *w, uint16_t lid, uint32_t leaf, uint32_t target, unsigned local)
{
	w->muted =
		lid ? w->in->observer->lid && w->in->observer->lid != lid : !w->each || w->in->observer->lid;
	w->lid = lid;
	w->leaf = leaf;
	w->target = target;
	w->local = local;
	w->climbs = 0;
	text_free(&w->path);
	for (uint32_t s = 0; !w->muted && !w->each && s < w->t->topo->fabric->n_switches; s++)
		w->seen[s] = (struct ft_seen){.cand = w->seen[s].cand, .cap = w->seen[s].cap};
}

void watch_climb(struct ft_watch *w, uint32_t sw)
{
	const struct ft_group *g, *next;
	uint32_t n = w->t->sw[sw].n[FT_UP];

	if (w->muted)
		return;
	g = ftree_group(w->t, sw, FT_UP, 0);
	w->climb = (struct ft_climb){.from = sw, .next = NO_ID, .parents = n, .load = g->cd};
	if (n > 1) {
		w->climb.next = ftree_group(w->t, sw, FT_UP, 1)->peer;
		w->climb.next_load = ftree_group(w->t, sw, FT_UP, 1)->cd;
	}
	if (w->climbs++ > 7)
		return;
	text_add(&w->path, "%s%s climbs to %s", w->climbs > 1 ? ", " : "", ft_name(w->t, sw),
		 ft_name(w->t, g->peer));
	if (n < 2)
		return;
	next = ftree_group(w->t, sw, FT_UP, 1);
	if (next->cd > g->cd)
		text_add(&w->path, " (load %u, least of %u parents)", g->cd, n);
	else
		text_add(&w->path, " (load %u like %s, lower index)", g->cd, ft_name(w->t, next->peer));
}

static void add_hops(const struct ft_watch *w, const struct ft_offer *o, struct text *t)
{
	text_add(t, ", %s", PLURAL(hops_of(w, o), "hop"));
	if (w->target == NO_ID)
		text_add(t, " (ftree counts %u)", o->hops);
}

static void words_of(const struct ft_watch *w, const struct ft_offer *o, struct text *t)
{
	const char *from = ft_name(w->t, o->g->sw);

	text_add(t, "%s", o->reverse ? "after a reverse hop, " : "");
	switch (o->cause) {
	case FT_DESCENT:
		text_add(t, "learned from %s as the route spread down", from);
		break;
	case FT_MAIN:
		text_add(t, "main path: %s climbed to here", from);
		break;
	case FT_SECOND:
		text_add(t, "secondary path up from %s", from);
		break;
	case FT_BESIDE:
		text_add(t, "over a side link from %s", from);
		break;
	case FT_LOCAL:
	case FT_ROOTS:
		break;
	}
	add_hops(w, o, t);
	if (o->g->n_links > 1)
		text_add(t, "; of %s the first with least load", PLURAL(o->g->n_links, "parallel cable"));
}

static const char *rule_of(const struct ft_offer *o)
{
	static const char *const rule[] = {[FT_DESCENT] = "first offer of fewest hops, down",
					   [FT_MAIN] = "main path",
					   [FT_SECOND] = "secondary path",
					   [FT_BESIDE] = "side link"};

	if (o->reverse)
		return "reverse hop";
	return o->cause < ARRAY_LEN(rule) && rule[o->cause] ? rule[o->cause] : "attached here";
}

/* The cables of an offer become candidates, each port once, by its best offer. */
static void add_candidates(struct ft_watch *w, struct ft_seen *x, const struct ft_offer *o)
{
	const struct fabric *f = w->t->topo->fabric;

	x->turn++;
	for (uint32_t i = 0; i < o->g->n_links; i++) {
		const struct ft_link *l = &w->t->link[o->g->link + i];
		struct step_candidate c = {
			.port = l->remote,
			.peer = switch_port_id(f, o->g->sw, l->port),
			.q = {x->turn, hops_of(w, o), o->cause == FT_DESCENT ? l->cu : l->cd}};
		unsigned k = 0;

		while (k < x->n && x->cand[k].port != l->remote)
			k++;
		if (k < x->n && x->cand[k].q[1] <= c.q[1])
			continue;
		if (k == x->n)
			GROW(x->cand, x->n, x->cap);
		x->n += k == x->n;
		x->cand[k] = c;
	}
}

static void choice(struct ft_watch *w, uint32_t sw, const struct ft_seen *x, unsigned port, unsigned old,
		   const char *rule, const char *text, struct decided *decided, struct decided *against)
{
	struct step s = {.kind = STEP_CHOICE,
			 .text = text,
			 .sw = sw,
			 .sw2 = w->leaf,
			 .lid = w->lid,
			 .port = port,
			 .old_port = old,
			 .rule = rule,
			 .n_quantities = ARRAY_LEN(quantities),
			 .quantity = quantities,
			 .n_candidates = x ? x->n : 0,
			 .candidate = x ? x->cand : NULL,
			 .decided = decided->rule ? decided : NULL,
			 .against = against->rule ? against : NULL};

	observe(w->in, &s);
	decided_free(decided);
	decided_free(against);
}

/* --- the rule that decided ------------------------------------------------------------------ */

static void decide_climb(const struct ft_watch *w, uint32_t sw, const struct ft_climb *c, struct decided *d)
{
	const char *from = ft_name(w->t, c->from), *here = ft_name(w->t, sw);

	if (c->parents < 2)
		decide(d, WHY_MAIN_PATH, "%s climbed to %s, its only parent.", from, here);
	else if (c->next_load > c->load)
		decide(d, WHY_LEAST_LOAD, "%s climbed to %s: load %u, least of %u parents; %s had %u.", from,
		       here, c->load, c->parents, ft_name(w->t, c->next), c->next_load);
	else
		decide(d, WHY_LOWER_INDEX, "%s climbed to %s: load %u like %s, and the index of %s is lower.",
		       from, here, c->load, ft_name(w->t, c->next), here);
}

/* An offer that came later than turn `taken` and was no better; NULL = none. */
static const struct step_candidate *later(const struct ft_seen *x)
{
	for (unsigned i = 0; i < x->n; i++)
		if (x->cand[i].port != x->last.link->remote && x->cand[i].q[0] > (int64_t)x->taken)
			return &x->cand[i];
	return NULL;
}

static void add_cables(const struct ft_watch *w, const struct ft_seen *x, struct decided *d)
{
	(void)w;
	if (x->last.g->n_links > 1)
		text_add(&d->text, " Of %u parallel cables the first with least load.", x->last.g->n_links);
}

static void decide_offer(const struct ft_watch *w, uint32_t sw, const struct ft_seen *x, struct decided *d)
{
	const struct ft_offer *o = &x->last;
	const struct step_candidate *q = later(x);
	const char *from = ft_name(w->t, o->g->sw);

	if (o->reverse)
		decide(d, WHY_REVERSE_HOP,
		       "max_reverse_hops %u: a climb of the route went a step down and up again, and %s got "
		       "it from %s.",
		       w->t->max_reverse, ft_name(w->t, sw), from);
	else if (o->cause == FT_MAIN)
		decide_climb(w, sw, &x->climb, d);
	else if (o->cause == FT_SECOND)
		decide(d, WHY_SECONDARY,
		       "Up from %s, beside the main path, which does not come here in fewer hops.", from);
	else if (o->cause == FT_BESIDE)
		decide(d, WHY_SIDE, "Over a link within the rank, from %s.", from);
	else if (x->replaced)
		decide(d, WHY_LEARNED,
		       "%s spread the route down: turn %u of %u, the first with as few as %s.", from,
		       x->taken, x->turn, PLURAL(hops_of(w, o), "hop"));
	else if (q)
		decide(d, WHY_LEARNED,
		       "%s spread the route down: turn %u of %u; port %u came later and no shorter.", from,
		       x->taken, x->turn, q->port);
	else
		decide(d, WHY_LEARNED, "%s spread the route down; nobody else offered one.", from);
	add_cables(w, x, d);
}

static void decide_against(const struct ft_watch *w, const struct ft_seen *x, struct decided *d)
{
	unsigned via = w->in->observer->via;
	const struct step_candidate *c = NULL;

	for (unsigned i = 0; i < x->n; i++)
		if (x->cand[i].port == via && x->last.g && via != x->last.link->remote)
			c = &x->cand[i];
	if (!c)
		return;
	if (c->q[1] > (int64_t)hops_of(w, &x->last))
		decide(d, WHY_LONGER, "The best offer by port %u has %u hops, that by port %u has %u.", via,
		       (unsigned)c->q[1], x->last.link->remote, hops_of(w, &x->last));
	else if (c->peer != NO_ID &&
		 w->t->topo->fabric->port_node[c->peer] == w->t->topo->fabric->switch_node[x->last.g->sw])
		decide(d, WHY_LEAST_LOAD,
		       "A parallel cable; port %u was the first with least load when the route was placed.",
		       x->last.link->remote);
	else
		decide(d, WHY_LEARNED,
		       "Turn %u of %u: port %u was offered at turn %u, and this is no shorter.",
		       (unsigned)c->q[0], x->turn, x->last.link->remote, x->taken);
}

/* Every entry as it is made. */
static void tell_now(struct ft_watch *w, const struct ft_offer *o)
{
	struct text t = {0};
	struct decided d = {0}, none = {0};
	struct ft_seen *x = &w->now;

	words_of(w, o, &t);
	*x = (struct ft_seen){.cand = x->cand, .cap = x->cap, .last = *o, .climb = w->climb, .taken = 1};
	add_candidates(w, x, o);
	decide_offer(w, o->g->peer, x, &d);
	choice(w, o->g->peer, x, o->link->remote, o->old_port, rule_of(o), text_str(&t), &d, &none);
	text_free(&t);
}

void watch_offer(struct ft_watch *w, const struct ft_offer *o)
{
	struct ft_seen *x = &w->seen[o->g->peer];

	if (w->muted || !w->lid)
		return;
	if (w->each) {
		if (o->taken)
			tell_now(w, o);
		return;
	}
	if (!wanted(w, o->g->peer))
		return;
	add_candidates(w, x, o);
	if (!o->taken)
		return;
	x->replaced += x->last.g != NULL;
	x->last = *o;
	x->taken = x->turn;
	x->climb = w->climb;
}

static void end_text(struct ft_watch *w, uint32_t sw, unsigned port, struct text *t)
{
	const struct ft_seen *x = &w->seen[sw];

	if (sw == w->leaf)
		text_add(t, w->target == NO_ID ? "the destination hangs on this port" : "the switch itself");
	else if (x->last.g)
		words_of(w, &x->last, t);
	else if (port == NO_PATH)
		text_add(t, "no way goes up from the destination and then down to here");
	if (x->replaced)
		text_add(t, "; fewer hops than what was offered before");
	if (w->path.len)
		text_add(t, ".  For this destination %s", text_str(&w->path));
	else if (sw != w->leaf && w->target != NO_ID)
		text_add(t, ".  Switches have no main path: parents are tried from the least loaded on");
}

static void decide_none(const struct ft_watch *w, uint32_t sw, unsigned port, struct decided *d)
{
	char a[300];

	if (port != NO_PATH) {
		decide(d, WHY_LEARNED, "Port %u was offered when the route was placed for the first time.",
		       port);
		return;
	}
	endport_label(w->t->topo->fabric, lid_owner(w->t->lids, w->lid), a, sizeof(a));
	if (w->target == NO_ID)
		decide(d, WHY_NOT_REACHED,
		       "No way climbs from %s and descends to %s; max_reverse_hops %u forbids turning.", a,
		       ft_name(w->t, sw), w->t->max_reverse);
	else
		decide(d, WHY_NOT_REACHED, "No way climbs from %s and descends to %s.", a, ft_name(w->t, sw));
}

/* The last word on a switch. */
static void tell_last(struct ft_watch *w, uint32_t sw, unsigned port)
{
	const struct ft_seen *x = &w->seen[sw];
	struct text t = {0};
	struct decided d = {0}, against = {0};
	bool open = port == NO_PATH && w->t->connect_roots && w->target != NO_ID &&
		    w->t->sw[sw].rank < w->t->leaf_rank;

	if (!w->t->sw[sw].in || open)
		return;
	end_text(w, sw, port, &t);
	if (!decide_common(w->t->topo, w->t->lids, sw, w->lid, port, &d)) {
		if (x->last.g)
			decide_offer(w, sw, x, &d);
		else
			decide_none(w, sw, port, &d);
	}
	if (w->in->observer->via)
		decide_against(w, x, &against);
	choice(w, sw, x, port, NO_PATH,
	       sw == w->leaf ? "own port"
	       : x->last.g   ? rule_of(&x->last)
			     : "not reached",
	       text_str(&t), &d, &against);
	text_free(&t);
}

void watch_end(struct ft_watch *w, const uint8_t *port)
{
	struct decided d = {0}, none = {0};

	if (w->muted)
		return;
	for (uint32_t s = 0; !w->each && w->lid && s < w->t->topo->fabric->n_switches; s++)
		if (wanted(w, s))
			tell_last(w, s, port[s]);
	if (!w->each)
		return;
	if (w->lid && decide_common(w->t->topo, w->t->lids, w->leaf, w->lid, w->local, &d))
		choice(w, w->leaf, NULL, w->local, NO_PATH, "own port",
		       w->target == NO_ID ? "the destination hangs on this port" : "the switch itself", &d,
		       &none);
}

void watch_roots(struct ft_watch *w, uint32_t sw, uint32_t target, uint16_t lid, uint32_t leaf, unsigned port)
{
	struct text t = {0};
	struct decided d = {0}, none = {0};

	if ((!w->each && !wanted(w, sw)) || (w->in->observer->lid && w->in->observer->lid != lid))
		return;
	w->lid = lid;
	w->leaf = target;
	if (port == NO_PATH)
		text_add(&t,
			 "no way goes up and then down, and there is none through the last leaf, %s, either",
			 ft_name(w->t, leaf));
	else
		text_add(&t, "no way goes up and then down; connect_roots leads through the last leaf, %s",
			 ft_name(w->t, leaf));
	if (port != NO_PATH)
		decide(&d, WHY_CONNECT_ROOTS,
		       "No way goes up and then down; connect_roots leads through the last leaf, %s.",
		       ft_name(w->t, leaf));
	else if (!decide_common(w->t->topo, w->t->lids, sw, lid, port, &d))
		decide(&d, WHY_NOT_REACHED,
		       "No way goes up and then down, and there is none through the last leaf, %s, either.",
		       ft_name(w->t, leaf));
	choice(w, sw, NULL, port, NO_PATH, port == NO_PATH ? "not reached" : "connect roots", text_str(&t),
	       &d, &none);
	text_free(&t);
}
