/* Telling an observer how entries come about. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "engines/ftree/internal.h"

struct ft_watch {
	const struct ftree *t;
	const struct engine_input *in;
	bool each;  /* every entry is told at once; else the last word on the one switch */
	bool muted; /* the destination at hand does not concern the observer */
	uint32_t sw;
	uint16_t lid;
	uint32_t leaf, target;
	unsigned local;
	struct text path; /* main climbs of the destination */
	unsigned climbs;

	/* offers to the one switch */
	struct step_candidate cand[MAX_PORTS + 1];
	unsigned n, turn;
	struct ft_offer last; /* the one in force */
	unsigned replaced;    /* offers that were in force before it */
};

static const char *const quantities[] = {"turn", "hops", "load"};

struct ft_watch *watch_new(const struct ftree *t, const struct engine_input *in)
{
	struct ft_watch *w = NEW(struct ft_watch);

	w->t = t;
	w->in = in;
	w->sw = in->observer->sw;
	w->each = w->sw == NO_ID;
	return w;
}

void watch_free(struct ft_watch *w)
{
	if (w)
		text_free(&w->path);
	free(w);
}

/* What is known before any destination is routed. */
void watch_tree(const struct ftree *t, const struct engine_input *in)
{
	char a[40];

	observe_text(in, STEP_PHASE, NO_ID, "ranks and indexes");
	observe_text(in, STEP_NOTE, NO_ID, "roots %s; leaves at rank %u, lowest rank %u",
		     t->root_file ? "from root_guid_file" : "are the switches farthest from the CAs",
		     t->leaf_rank, t->max_rank);
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		const struct ft_switch *w = &t->sw[s];

		if (w->in && (in->observer->sw == NO_ID || in->observer->sw == s))
			observe_text(in, STEP_SWITCH, s, "rank %u, index %s: %s up, %u beside, %u down; %s",
				     w->rank, ftree_tuple(t, s, a, sizeof(a)), PLURAL(w->n[FT_UP], "group"),
				     w->n[FT_SIDE], w->n[FT_DOWN], PLURAL(w->n_cn, "compute node"));
	}
	observe_text(in, STEP_NOTE, NO_ID, "%s in index order, %s on the fullest",
		     PLURAL(t->n_leaves, "leaf"), PLURAL(t->max_cn, "compute node"));
}

void watch_begin(struct ft_watch *w, uint16_t lid, uint32_t leaf, uint32_t target, unsigned local)
{
	w->muted =
		lid ? w->in->observer->lid && w->in->observer->lid != lid : !w->each || w->in->observer->lid;
	w->lid = lid;
	w->leaf = leaf;
	w->target = target;
	w->local = local;
	w->n = w->turn = w->climbs = w->replaced = 0;
	w->last = (struct ft_offer){0};
	text_free(&w->path);
}

void watch_climb(struct ft_watch *w, uint32_t sw)
{
	const struct ft_group *g, *next;
	uint32_t n = w->t->sw[sw].n[FT_UP];

	if (w->muted || w->climbs++ > 7)
		return;
	g = ftree_group(w->t, sw, FT_UP, 0);
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

static void words_of(const struct ft_watch *w, const struct ft_offer *o, struct text *t)
{
	const char *from = ft_name(w->t, o->g->sw);

	text_add(t, "%s", o->reverse ? "after a reverse hop, " : "");
	switch (o->cause) {
	case FT_DESCENT:
		text_add(t, "learned from %s as the route spread down, %s", from, PLURAL(o->hops, "hop"));
		break;
	case FT_MAIN:
		text_add(t, "main path: %s climbed to here, %s", from, PLURAL(o->hops, "hop"));
		break;
	case FT_SECOND:
		text_add(t, "secondary path up from %s, %s", from, PLURAL(o->hops, "hop"));
		break;
	case FT_BESIDE:
		text_add(t, "over a side link from %s, %s", from, PLURAL(o->hops, "hop"));
		break;
	case FT_LOCAL:
	case FT_ROOTS:
		break;
	}
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

/* The cables of an offer become candidates, each port once. */
static void add_candidates(struct ft_watch *w, const struct ft_offer *o)
{
	const struct fabric *f = w->t->topo->fabric;

	w->turn++;
	for (uint32_t i = 0; i < o->g->n_links; i++) {
		const struct ft_link *l = &w->t->link[o->g->link + i];
		unsigned k = 0;

		while (k < w->n && w->cand[k].port != l->remote)
			k++;
		if (k < w->n)
			continue;
		w->cand[w->n++] = (struct step_candidate){
			.port = l->remote,
			.peer = switch_port_id(f, o->g->sw, l->port),
			.q = {w->turn, o->hops, o->cause == FT_DESCENT ? l->cu : l->cd}};
	}
}

static void choice(struct ft_watch *w, uint32_t sw, unsigned port, unsigned old, const char *rule,
		   const char *text)
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
			 .n_candidates = w->n,
			 .candidate = w->cand};

	observe(w->in, &s);
}

/* Every entry as it is made. */
static void tell_now(struct ft_watch *w, const struct ft_offer *o)
{
	struct text t = {0};

	words_of(w, o, &t);
	w->n = 0;
	add_candidates(w, o);
	choice(w, o->g->peer, o->link->remote, o->old_port, rule_of(o), text_str(&t));
	w->n = 0;
	text_free(&t);
}

void watch_offer(struct ft_watch *w, const struct ft_offer *o)
{
	if (w->muted || !w->lid)
		return;
	if (w->each) {
		if (o->taken)
			tell_now(w, o);
		return;
	}
	if (o->g->peer != w->sw)
		return;
	add_candidates(w, o);
	if (!o->taken)
		return;
	w->replaced += w->last.g != NULL;
	w->last = *o;
}

static void end_text(struct ft_watch *w, unsigned port, struct text *t)
{
	if (w->sw == w->leaf)
		text_add(t, w->target == NO_ID ? "the destination hangs on this port" : "the switch itself");
	else if (w->last.g)
		words_of(w, &w->last, t);
	else if (port == NO_PATH)
		text_add(t, "no way goes up from the destination and then down to here");
	if (w->replaced)
		text_add(t, "; fewer hops than what was offered before");
	if (w->path.len)
		text_add(t, ".  For this destination %s", text_str(&w->path));
	else if (w->sw != w->leaf && w->target != NO_ID)
		text_add(t, ".  Switches have no main path: parents are tried from the least loaded on");
}

/* The last word on the switch asked for. */
static void tell_last(struct ft_watch *w, unsigned port)
{
	struct text t = {0};
	bool open = port == NO_PATH && w->t->connect_roots && w->target != NO_ID &&
		    w->t->sw[w->sw].rank < w->t->leaf_rank;

	if (!w->t->sw[w->sw].in || open)
		return;
	end_text(w, port, &t);
	choice(w, w->sw, port, NO_PATH,
	       w->sw == w->leaf ? "own port"
	       : w->last.g	? rule_of(&w->last)
				: "not reached",
	       text_str(&t));
	text_free(&t);
}

static void tell_destination(struct ft_watch *w, uint32_t reached)
{
	const struct fabric *f = w->t->topo->fabric;
	uint32_t ep = w->lid ? lid_owner(w->t->lids, w->lid) : NO_ID;
	char a[200];

	if (ep == NO_ID)
		observe_text(w->in, STEP_NOTE, w->leaf, "missing node of %s, for the counters only: %s",
			     ft_name(w->t, w->leaf), text_str(&w->path));
	else
		observe_text(w->in, STEP_NOTE, w->leaf, "LID %u (%s) known to %u of %s%s%s", w->lid,
			     port_label(f, f->endport_port[ep], a, sizeof(a)), reached,
			     PLURAL(w->t->n_in, "switch"), w->path.len ? ": " : "", text_str(&w->path));
}

void watch_end(struct ft_watch *w, uint32_t reached, const uint8_t *port)
{
	if (w->muted)
		return;
	if (!w->each) {
		tell_last(w, port[w->sw]);
		return;
	}
	if (w->lid)
		choice(w, w->leaf, w->local, NO_PATH, "own port",
		       w->target == NO_ID ? "the destination hangs on this port" : "the switch itself");
	tell_destination(w, reached);
}

void watch_roots(struct ft_watch *w, uint32_t sw, uint32_t target, uint16_t lid, uint32_t leaf, unsigned port)
{
	struct text t = {0};

	if ((!w->each && sw != w->sw) || (w->in->observer->lid && w->in->observer->lid != lid))
		return;
	w->n = 0;
	w->lid = lid;
	w->leaf = target;
	if (port == NO_PATH)
		text_add(&t,
			 "no way goes up and then down, and there is none through the last leaf, %s, either",
			 ft_name(w->t, leaf));
	else
		text_add(&t, "no way goes up and then down; connect_roots leads through the last leaf, %s",
			 ft_name(w->t, leaf));
	choice(w, sw, port, NO_PATH, port == NO_PATH ? "not reached" : "connect roots", text_str(&t));
	text_free(&t);
}
