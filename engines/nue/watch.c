/* Telling an observer how Nue goes on, and how entries come about. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "engines/nue/internal.h"

#define LONGEST_CYCLE 12 /* channels that a text names */

enum { BY_SEARCH, BY_BACKTRACKING, BY_WAY_AROUND, BY_SHORTCUT };

struct nue_watch {
	bool muted;	 /* the destination at hand does not concern the observer */
	uint8_t *how;	 /* [n] what brought the last channel into a node */
	uint32_t *links; /* [n] to the destination, as the ways are in the end */
	int64_t *far;	 /* [n] weight of these */
	uint32_t *room;	 /* [n + n_channels] */
	struct step_candidate *candidate;
};

struct nue_watch *nue_watch_new(const struct nue_run *x)
{
	struct nue_watch *w = NEW(struct nue_watch);
	uint32_t n = x->g->n;

	w->how = NEW_ARRAY(n, uint8_t);
	w->links = NEW_ARRAY(n, uint32_t);
	w->far = NEW_ARRAY(n, int64_t);
	w->room = NEW_ARRAY((size_t)n + x->g->n_channels, uint32_t);
	w->candidate = NEW_ARRAY(MAX_PORTS, struct step_candidate);
	return w;
}

void nue_watch_free(struct nue_watch *w)
{
	if (!w)
		return;
	free(w->how);
	free(w->links);
	free(w->far);
	free(w->room);
	free(w->candidate);
	free(w);
}

static const char *name(const struct nue_run *x, uint32_t node)
{
	return switch_name(x->in->topo->fabric, x->g->sw[node]);
}

static bool wants(const struct nue_run *x, uint32_t node)
{
	if (!OBSERVED(x->in))
		return false;
	return x->in->observer->sw == NO_ID || x->in->observer->sw == x->g->sw[node];
}

/* --- before the searches -------------------------------------------------------------------------- */

void nue_watch_model(struct nue_run *x)
{
	const struct nue *n = x->nue;

	observe_text(x->in, STEP_PHASE, NO_ID, "model");
	observe_text(x->in, STEP_NOTE, NO_ID,
		     "%u switches, %u channels between them, %u dependencies; %" PRIu64
		     " LIDs of CAs and switches, so every channel weighs %" PRIu64,
		     x->g->n, x->g->n_channels, x->d->n_edges - x->g->n_channels, x->g->total,
		     n->first_weight);
	observe_text(x->in, STEP_NOTE, NO_ID, "%u layers: %u VLs supported, nue_max_num_vls %u, qos %s",
		     n->vls.layers, n->vls.supported, n->vls.asked, n->vls.qos ? "on" : "off");
}

static void tell_member(struct nue_run *x, const struct nue_layer *l, uint32_t u)
{
	const char *why = l->hull[u] == 2 ? "has destinations" : "lies between switches with destinations";

	if (u == l->root)
		observe_text(x->in, STEP_SWITCH, x->g->sw[u],
			     "in the hull: %s; betweenness %.6g, the highest: central switch", why,
			     l->betweenness[u]);
	else
		observe_text(x->in, STEP_SWITCH, x->g->sw[u],
			     "in the hull: %s; betweenness %.6g; escape path by port %u to %s", why,
			     l->betweenness[u], x->g->rport[l->escape[u]], name(x, x->g->from[l->escape[u]]));
}

void nue_watch_prepare(struct nue_run *x)
{
	observe_text(x->in, STEP_PHASE, NO_ID, "layer %u: hull, central switch, escape paths", x->layer);
}

void nue_watch_layer(struct nue_run *x, const struct nue_layer *l)
{
	observe_text(x->in, STEP_NOTE, NO_ID, "%u destinations; %u switches in the hull; central switch %s",
		     l->n_lids, l->n_hull, name(x, l->root));
	for (uint32_t u = 0; u < x->g->n; u++) {
		if (!wants(x, u))
			continue;
		if (l->hull[u])
			tell_member(x, l, u);
		else if (l->escape[u] != NO_ID)
			observe_text(x->in, STEP_SWITCH, x->g->sw[u],
				     "not in the hull; escape path by port %u to %s",
				     x->g->rport[l->escape[u]], name(x, x->g->from[l->escape[u]]));
	}
	observe_text(x->in, STEP_NOTE, NO_ID, "%u channels and %u dependencies are kept for the escape paths",
		     l->escape_channels, l->escape_edges);
	observe_text(x->in, STEP_PHASE, NO_ID, "layer %u: destinations", x->layer);
}

/* --- during a search --------------------------------------------------------------------------------- */

void nue_watch_begin(struct nue_run *x, unsigned lid, uint32_t src)
{
	struct nue_watch *w = x->watch;

	/* a recording has its own words */
	w->muted =
		!OBSERVED(x->in) || RECORDED(x->in) || (x->in->observer->lid && x->in->observer->lid != lid);
	memset(w->how, BY_SEARCH, x->g->n);
	if (!w->muted)
		observe_text(x->in, STEP_NOTE, x->g->sw[src], "search for LID %u from %s, colour %u", lid,
			     name(x, src), x->colour);
}

void nue_watch_blocked(struct nue_run *x, uint32_t c, uint32_t to)
{
	const struct nue_graph *g = x->g;
	uint32_t *way = x->watch->room + g->n, n, middle = g->to[c];
	struct text t = {0};

	if (x->watch->muted || !(wants(x, g->to[to]) || wants(x, middle)))
		return;
	n = nue_way_back(x->d, c, to, way);
	/* as packets go, against the search */
	for (uint32_t i = 0; i < n && i < LONGEST_CYCLE; i++)
		text_add(&t, " -> %s", name(x, g->from[way[n - 1 - i]]));
	if (n > LONGEST_CYCLE)
		text_add(&t, " -> ... (%u switches)", n);
	observe_text(x->in, STEP_NOTE, g->sw[g->to[to]],
		     "%s does not go over %s to %s: packets would close the cycle %s%s", name(x, g->to[to]),
		     name(x, middle), name(x, g->from[c]), name(x, middle), text_str(&t));
	text_free(&t);
}

void nue_watch_backtrack(struct nue_run *x, uint32_t u, uint32_t through, unsigned candidates)
{
	const struct nue_graph *g = x->g;
	uint32_t a = g->to[through];

	x->watch->how[u] = BY_BACKTRACKING;
	x->watch->how[a] = BY_WAY_AROUND;
	if (!x->watch->muted && (wants(x, u) || wants(x, a)))
		observe_text(
			x->in, STEP_NOTE, g->sw[u],
			"%s was not reached; of %u other ways into its neighbours the lightest that closes "
			"no cycle is %s -> %s, which %s now follows",
			name(x, u), candidates, name(x, g->from[through]), name(x, a), name(x, a));
}

void nue_watch_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, bool taken)
{
	const struct nue_graph *g = x->g;

	if (taken)
		x->watch->how[v] = BY_SHORTCUT;
	if (!x->watch->muted && wants(x, v))
		observe_text(
			x->in, STEP_NOTE, g->sw[v],
			taken ? "shortcut after backtracking: %s is reached from %s, no longer from %s"
			      : "no shortcut: %s could be reached from %s instead of %s, but what is reached "
				"over it could not",
			name(x, v), name(x, g->from[now]), name(x, g->from[old]));
}

void nue_watch_impasse(struct nue_run *x)
{
	if (!x->watch->muted)
		observe_text(x->in, STEP_NOTE, x->g->sw[x->src],
			     "impasse: %u of %u switches are not reached; all follow the escape paths",
			     x->g->n - x->count, x->g->n);
}

/* --- entries ---------------------------------------------------------------------------------------------
 */

static const char *const quantities[] = {"links", "distance", "weight", "blocked"};
static const char rule_own[] = "own port", rule_escape[] = "escape path", rule_least[] = "least weight",
		  rule_free[] = "least weight without a cycle", rule_first[] = "first of equals",
		  rule_backtracking[] = "backtracking", rule_shortcut[] = "shortcut";

/* Links and weights of all ways as they are in the end. */
static void measure(struct nue_run *x, uint32_t src)
{
	struct nue_watch *w = x->watch;

	memset(w->links, 0xff, x->g->n * sizeof(*w->links));
	w->links[src] = 0;
	w->far[src] = 0;
	for (uint32_t v = 0; v < x->g->n; v++) {
		uint32_t n = 0, u = v;

		for (; w->links[u] == NO_ID; u = x->g->from[x->used[u]])
			w->room[n++] = u;
		while (n--) {
			uint32_t next = w->room[n];

			w->links[next] = w->links[u] + 1;
			w->far[next] = w->far[u] + (int64_t)x->weight[x->used[next]];
			u = next;
		}
	}
}

/* Does the way of a lead over v? */
static bool leads_over(const struct nue_run *x, uint32_t a, uint32_t v)
{
	for (; a != x->src; a = x->g->from[x->used[a]])
		if (a == v)
			return true;
	return a == v;
}

static bool is_blocked(const struct nue_run *x, uint32_t a, uint32_t c)
{
	uint32_t before = a == x->src ? nue_fake(x->d, a) : x->used[a];

	return x->d->edge[nue_edge_of(x->d, before, c)] == NUE_BLOCKED;
}

static void list_candidates(struct nue_run *x, uint32_t v, struct step *st)
{
	const struct nue_graph *g = x->g;
	struct nue_watch *w = x->watch;

	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
		uint32_t a = g->to[k], c = g->rev[k];
		struct step_candidate *d = &w->candidate[st->n_candidates++];

		*d = (struct step_candidate){
			.port = g->lport[k],
			.peer = switch_port_id(x->in->topo->fabric, g->sw[a], g->rport[k]),
			.q = {INT64_MIN, INT64_MIN, (int64_t)x->weight[c], INT64_MIN}};
		if (leads_over(x, a, v))
			continue;
		d->q[0] = w->links[a] + 1;
		d->q[1] = w->far[a] + (int64_t)x->weight[c];
		if (!(x->events & NUE_OUTSIDE))
			d->q[3] = is_blocked(x, a, c);
	}
	st->candidate = w->candidate;
}

/* Of candidates that could come before the chosen one: a blocked one, one as light. */
static const char *rule_of_weights(const struct step *st, const struct step_candidate **other)
{
	const struct step_candidate *own = NULL, *blocked = NULL, *equal = NULL;

	for (unsigned i = 0; i < st->n_candidates; i++)
		if (st->candidate[i].port == st->port)
			own = &st->candidate[i];
	for (unsigned i = 0; own && i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];

		if (c == own || c->q[1] == INT64_MIN || c->q[1] > own->q[1])
			continue;
		if (c->q[3] == 1 && c->q[1] < own->q[1])
			blocked = !blocked || c->q[1] < blocked->q[1] ? c : blocked;
		else if (c->q[3] != 1 && c->q[1] == own->q[1])
			equal = c;
	}
	*other = blocked ? blocked : equal;
	return blocked ? rule_free : equal ? rule_first : rule_least;
}

static const char *rule_of(const struct nue_run *x, uint32_t v, const struct step *st,
			   const struct step_candidate **other)
{
	static const char *const rule[] = {[BY_BACKTRACKING] = rule_backtracking,
					   [BY_WAY_AROUND] = rule_backtracking,
					   [BY_SHORTCUT] = rule_shortcut};

	if (x->events & NUE_FALLBACK)
		return rule_escape;
	if (!(x->events & NUE_OUTSIDE) && x->watch->how[v] != BY_SEARCH)
		return rule[x->watch->how[v]];
	return rule_of_weights(st, other);
}

static void tell_rule(const struct nue_run *x, uint32_t v, const struct step *st,
		      const struct step_candidate *other, struct text *t)
{
	const struct nue_layer *l = &x->nue->layer[x->layer];

	if (st->rule == rule_escape)
		text_add(t,
			 "the search met an impasse, so all switches follow the tree of escape paths around "
			 "%s",
			 name(x, l->root));
	else if (st->rule == rule_backtracking && x->watch->how[v] == BY_BACKTRACKING)
		text_add(t, "reached by backtracking only: its neighbour there was led another way for it");
	else if (st->rule == rule_backtracking)
		text_add(t, "led this way by backtracking, so that a neighbour could be reached");
	else if (st->rule == rule_shortcut)
		text_add(t, "a shortcut that backtracking opened");
	else if (st->rule == rule_free && other)
		text_add(t,
			 "least weight without closing a cycle; port %u would be lighter by %" PRId64
			 ", but its dependency is blocked in layer %u",
			 other->port, x->watch->far[v] - other->q[1], x->layer);
	else if (st->rule == rule_first && other)
		text_add(t, "least weight; port %u is as light, but was met later", other->port);
	else
		text_add(t, "least weight");
	if (x->events & NUE_OUTSIDE)
		text_add(t, " (routes to switches keep to no layer)");
}

/* --- the rule that decided ------------------------------------------------------------------ */

static const struct step_candidate *candidate_of(const struct step *st, unsigned port)
{
	for (unsigned i = 0; i < st->n_candidates; i++)
		if (st->candidate[i].port == port)
			return &st->candidate[i];
	return NULL;
}

/* The nearest of the others whose way does not come back. */
static const struct step_candidate *next_best(const struct step *st)
{
	const struct step_candidate *best = NULL;

	for (unsigned i = 0; i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];

		if (c->port != st->port && c->q[1] != INT64_MIN && c->q[3] != 1 &&
		    (!best || c->q[1] < best->q[1]))
			best = c;
	}
	return best;
}

/* Which of two candidates' figures decide, w the one taken, q the next to it (NULL: none). */
static enum why_rule rule_of_figures(const struct step_candidate *w, const struct step_candidate *q)
{
	if (q && q->q[3] == 1 && q->q[1] < w->q[1])
		return WHY_BLOCKED;
	if (q && q->q[1] == w->q[1])
		return WHY_TIE;
	return q && q->q[1] > w->q[1] && q->q[0] < w->q[0] ? WHY_LIGHTER : WHY_SHORTEST;
}

/* The channels of the cycle that a way over candidate c would close, as packets go. */
static void add_cycle(struct nue_run *x, uint32_t v, const struct step_candidate *c, struct text *t)
{
	const struct nue_graph *g = x->g;
	const struct fabric *f = x->in->topo->fabric;
	uint32_t *way = x->watch->room + g->n, n, k = g->first[v], a;

	while (k < g->first[v + 1] && g->lport[k] != c->port)
		k++;
	if (k == g->first[v + 1])
		return;
	a = g->to[k];
	n = nue_way_back(x->d, a == x->src ? nue_fake(x->d, a) : x->used[a], g->rev[k], way);
	for (uint32_t i = 0; i < n && i < LONGEST_CYCLE; i++)
		text_add(t, "%s%s", i ? " -> " : "", name(x, g->from[way[n - 1 - i]]));
	if (n > LONGEST_CYCLE)
		text_add(t, " -> ... (%u switches)", n);
	if (!n)
		text_add(t, "%s", f->node_name[f->port_node[c->peer]]);
}

static void decide_weight(struct nue_run *x, uint32_t v, const struct step *st,
			  const struct step_candidate *q, struct decided *d)
{
	const struct step_candidate *w = candidate_of(st, st->port);
	struct text t = {0};

	if (rule_of_figures(w, q) == WHY_BLOCKED) {
		add_cycle(x, v, q, &t);
		decide(d, WHY_BLOCKED,
		       "Port %u would be lighter (%" PRId64 " to %" PRId64
		       "), but its dependency would close a cycle in layer %u through %s.",
		       q->port, q->q[1], w->q[1], x->layer, text_str(&t));
	} else if (rule_of_figures(w, q) == WHY_TIE) {
		decide(d, WHY_TIE, "Ports %u and %u have distance %" PRId64 "; %s left the heap first.",
		       w->port, q->port, w->q[1],
		       x->in->topo->fabric->node_name[x->in->topo->fabric->port_node[w->peer]]);
	} else if (q && q->q[1] > w->q[1]) {
		decide(d, rule_of_figures(w, q),
		       "Distance %" PRId64 " over %s; port %u has %" PRId64 " over %" PRId64 ".", w->q[1],
		       PLURAL((uint64_t)w->q[0], "channel"), q->port, q->q[1], q->q[0]);
	} else if (q) { /* lighter in the end, after backtracking moved the ways behind it */
		decide(d, WHY_SHORTEST,
		       "Distance %" PRId64 " when the search came by; port %u became lighter (%" PRId64
		       ") by later changes behind it.",
		       w->q[1], q->port, q->q[1]);
	} else {
		decide(d, WHY_SHORTEST, "Distance %" PRId64 " over %s; no other port leads there.", w->q[1],
		       PLURAL((uint64_t)w->q[0], "channel"));
	}
	text_free(&t);
}

/* other: the candidate that comes next to the chosen one, NULL = none. */
static void decide_entry(struct nue_run *x, uint32_t v, const struct step *st,
			 const struct step_candidate *other, struct decided *d)
{
	const struct nue_layer *l = &x->nue->layer[x->layer];
	const struct step_candidate *w = candidate_of(st, st->port);

	if (st->rule == rule_escape)
		decide(d, WHY_ESCAPE,
		       "The search met an impasse, so all switches follow the escape tree around %s in layer "
		       "%u.",
		       name(x, l->root), x->layer);
	else if (st->rule == rule_shortcut)
		decide(d, WHY_SHORTCUT, "Backtracking opened a shorter way to %s: by port %u.", name(x, v),
		       st->port);
	else if (st->rule == rule_backtracking && x->watch->how[v] == BY_BACKTRACKING)
		decide(d, WHY_BACKTRACK,
		       "The search did not reach %s; its neighbour at port %u was led another way for it.",
		       name(x, v), st->port);
	else if (st->rule == rule_backtracking)
		decide(d, WHY_BACKTRACK, "Led out of port %u so that a neighbour of %s could be reached.",
		       st->port, name(x, v));
	else if (w && w->q[1] != INT64_MIN)
		decide_weight(x, v, st, other ? other : next_best(st), d);
}

static void tell_choice(struct nue_run *x, unsigned lid, uint32_t v, uint32_t src)
{
	struct step st = {.kind = STEP_CHOICE,
			  .sw = x->g->sw[v],
			  .sw2 = x->g->sw[src],
			  .lid = lid,
			  .old_port = NO_PATH,
			  .port = x->r->row[x->g->sw[v]]->port[lid],
			  .rule = rule_own,
			  .n_quantities = ARRAY_LEN(quantities),
			  .quantity = quantities};
	const struct step_candidate *other = NULL, *via;
	struct decided d = {0}, against = {0};
	struct text t = {0};

	if (v == src) {
		text_add(&t, st.port ? "the destination hangs on this port" : "the switch itself");
	} else {
		list_candidates(x, v, &st);
		st.rule = rule_of(x, v, &st, &other);
		tell_rule(x, v, &st, other, &t);
		via = x->in->observer->sw == st.sw ? candidate_of(&st, x->in->observer->via) : NULL;
		if (via && via->port != st.port && via->q[1] != INT64_MIN)
			decide_entry(x, v, &st, via, &against);
	}
	if (!decide_common(x->in->topo, x->in->lids, st.sw, lid, st.port, &d) && v != src)
		decide_entry(x, v, &st, other, &d);
	st.text = text_str(&t);
	st.decided = d.rule ? &d : NULL;
	st.against = against.rule ? &against : NULL;
	observe(x->in, &st);
	decided_free(&d);
	decided_free(&against);
	text_free(&t);
}

/* The rule that `why` ends with, without its words. */
static enum why_rule rule_of_entry(struct nue_run *x, unsigned lid, uint32_t v, uint32_t src)
{
	struct step st = {.port = x->r->row[x->g->sw[v]]->port[lid]};
	const struct step_candidate *other = NULL, *w;
	const char *rule;

	if (v == src)
		return st.port ? WHY_ATTACHED : WHY_OWN_LID;
	list_candidates(x, v, &st);
	rule = rule_of(x, v, &st, &other);
	w = candidate_of(&st, st.port);
	if (rule == rule_escape)
		return WHY_ESCAPE;
	if (rule == rule_shortcut)
		return WHY_SHORTCUT;
	if (rule == rule_backtracking)
		return WHY_BACKTRACK;
	return rule_of_figures(w, other ? other : next_best(&st));
}

void nue_watch_end(struct nue_run *x, unsigned lid, uint32_t src)
{
	bool told = OBSERVED(x->in) && (!x->in->observer->lid || x->in->observer->lid == lid);

	if (!told && !x->record)
		return;
	measure(x, src);
	for (uint32_t v = 0; v < x->g->n; v++) {
		if (told && wants(x, v))
			tell_choice(x, lid, v, src);
		if (x->record)
			nue_record_choice(x, v, rule_of_entry(x, lid, v, src));
	}
}

void nue_watch_done(struct nue_run *x)
{
	uint64_t most = 0, least = UINT64_MAX;

	for (uint32_t c = 0; c < x->g->n_channels; c++) {
		uint64_t grown = x->weight[c] - x->nue->first_weight;

		most = grown > most ? grown : most;
		least = grown < least ? grown : least;
	}
	observe_text(x->in, STEP_PHASE, NO_ID, "done");
	if (x->g->n_channels)
		observe_text(x->in, STEP_NOTE, NO_ID,
			     "the weight of channels grew by %" PRIu64 " to %" PRIu64, least, most);
}
