/* Findings about switches that everything depends on, and about pairs without a path. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/causes.h"
#include "core/analysis/doctor/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"

/* Switches whose loss takes the fabric apart: articulation points of the graph of switches (J. Hopcroft, R.
 * Tarjan, Efficient Algorithms for Graph Manipulation, Communications of the ACM 16(6), 1973), with the hosts
 * that each part has. */

/* A switch in the walk. */
struct visit {
	uint32_t place, low, parent; /* order of the first visit, from 1; 0 = not yet */
	uint16_t port;		     /* port to look at next */
	uint64_t below;		     /* hosts in the subtree */
	uint8_t sm_below;	     /* the subnet manager is there */
	/* Hosts of the parts that the loss of the switch makes, except the part with the root. */
	uint64_t cut, largest, sm_part;
	uint32_t last;	    /* the last place in the subtree */
	uint8_t is_part;    /* its subtree is a part without the switch above */
	uint32_t n_largest; /* parts that are as large as the largest */
};

struct doctor_losses_walk {
	const struct topo *t;
	const uint32_t *hosts;
	uint32_t sm;	 /* switch where the subnet manager is */
	struct visit *v; /* [n_switches] */
	uint32_t *at;	 /* [n_switches + 1] the switch of a place */
	int64_t *marks;	 /* [n_switches + 2] by place: parts that begin here, less those that ended before */
	uint64_t total;
	uint32_t n;
};

static void doctor_losses_enter(struct doctor_losses_walk *w, uint32_t s, uint32_t parent)
{
	w->v[s].place = w->v[s].low = ++w->n;
	w->at[w->n] = s;
	w->v[s].parent = parent;
	w->v[s].below = w->hosts[s];
	w->v[s].sm_below = w->sm == s;
	w->v[s].port = 1;
}

/* The subtree of s is done: is it a part of its own without the switch above? */
static void doctor_losses_leave(struct doctor_losses_walk *w, uint32_t s)
{
	uint32_t up = w->v[s].parent;

	w->v[s].last = w->n;
	if (up == NO_ID)
		return;
	w->v[up].low = MIN(w->v[up].low, w->v[s].low);
	w->v[up].below += w->v[s].below;
	w->v[up].sm_below |= w->v[s].sm_below;
	if (w->v[s].low < w->v[up].place)
		return;
	w->v[s].is_part = 1;
	w->v[up].cut += w->v[s].below;
	w->v[up].largest = MAX(w->v[s].below, w->v[up].largest);
	if (w->v[s].sm_below)
		w->v[up].sm_part = w->v[s].below + 1;
}

static void doctor_losses_walk_from(struct doctor_losses_walk *w, uint32_t root)
{
	const struct fabric *f = w->t->fabric;
	uint32_t s = root;

	doctor_losses_enter(w, root, NO_ID);
	while (s != NO_ID) {
		uint32_t d = NO_ID;

		while (w->v[s].port <= f->switch_nports[s] && d == NO_ID) {
			d = w->t->peer_switch[switch_port_id(f, s, w->v[s].port++)];
			if (d != NO_ID && w->v[d].place) {
				if (d != w->v[s].parent)
					w->v[s].low = MIN(w->v[s].low, w->v[d].place);
				d = NO_ID;
			}
		}
		if (d != NO_ID) {
			doctor_losses_enter(w, d, s);
			s = d;
		} else {
			doctor_losses_leave(w, s);
			s = w->v[s].parent;
		}
	}
}

/* Hosts of the part with the root after the loss of a switch. */
static uint64_t rest_of(const struct doctor_losses_walk *w, uint32_t s)
{
	return w->total - w->v[s].cut - w->hosts[s];
}

static void doctor_losses_mark(struct doctor_losses_walk *w, uint32_t first, uint32_t last)
{
	w->marks[first]++;
	w->marks[last + 1]--;
}

/* Is a part with this many hosts the single largest one after the loss of a switch? */
static bool is_the_rest(const struct doctor_losses_walk *w, uint32_t s, uint64_t hosts)
{
	return hosts == w->v[s].largest && w->v[s].n_largest == 1;
}

/* Judges the losses, now also with the part where the root is. */
static void judge_losses(struct doctor_losses_walk *w, struct losses *p)
{
	uint32_t n = w->t->fabric->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		uint64_t rest = rest_of(w, s), sm = w->v[s].sm_part ? w->v[s].sm_part - 1 : rest;

		if (!w->v[s].place)
			continue;
		w->v[s].largest = MAX(rest, w->v[s].largest);
		w->v[s].n_largest = rest == w->v[s].largest;
		p->apart[s] = w->v[s].cut + rest > w->v[s].largest;
		p->sm_smaller[s] = w->sm != NO_ID && w->sm != s && sm < w->v[s].largest;
	}
	for (uint32_t s = 0; s < n; s++)
		if (w->v[s].is_part)
			w->v[w->v[s].parent].n_largest += w->v[s].below == w->v[w->v[s].parent].largest;
}

/* Hosts of all parts but the largest, each counted once. */
static uint64_t doctor_losses_count_behind(struct doctor_losses_walk *w)
{
	uint32_t n = w->t->fabric->n_switches;
	int64_t parts = 0;
	uint64_t hosts = 0;

	for (uint32_t s = 0; s < n; s++) {
		uint32_t up = w->v[s].parent;

		if (!w->v[s].place)
			continue;
		if (!is_the_rest(w, s, rest_of(w, s))) {
			doctor_losses_mark(w, 1, w->v[s].place - 1);
			doctor_losses_mark(w, w->v[s].last + 1, w->n);
		}
		if (up != NO_ID && !is_the_rest(w, up, w->v[s].is_part ? w->v[s].below : rest_of(w, up)))
			doctor_losses_mark(w, w->v[s].place, w->v[s].last);
	}
	for (uint32_t at = 1; at <= w->n; at++) {
		parts += w->marks[at];
		hosts += parts ? w->hosts[w->at[at]] : 0;
	}
	return hosts;
}

int losses_find(struct doctor *d)
{
	const struct topo *t = d->t;
	uint32_t n = d->f->n_switches, root = NO_ID;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct doctor_losses_walk w = {
		.t = t,
		.hosts = d->hosts,
		.sm = t->sm_endport == NO_ID ? NO_ID : t->endport_switch[t->sm_endport],
		.v = ARENA_ARRAY(arena, n, struct visit),
		.at = ARENA_ARRAY(arena, n + 1, uint32_t),
		.marks = ARENA_ARRAY(arena, n + 2, int64_t),
	};

	d->losses.apart = ARENA_ARRAY(d->arena, n, uint8_t);
	d->losses.sm_smaller = ARENA_ARRAY(d->arena, n, uint8_t);
	for (uint32_t s = 0; s < n; s++) {
		w.total += d->hosts[s];
		if (root == NO_ID && switch_up(t, s))
			root = s;
	}
	if (root != NO_ID)
		doctor_losses_walk_from(&w, root);
	judge_losses(&w, &d->losses);
	d->losses.behind = doctor_losses_count_behind(&w);
	return progress_cancelled(d->p) ? -1 : 0;
}

/* Findings about the tables: pairs without a path by cause and place, and drift. */

enum obstacle { STOP_NO_WAY, STOP_NO_ENTRY, STOP_DEAD, STOP_LOOP };
static const char *const obstacle_text[] = {"no cable leads on", "no entry",
					    "an entry to a dead or wrong port", "a forwarding loop"};
static_assert(ARRAY_LEN(obstacle_text) == STOP_LOOP + 1, "a text for each");

/* Pairs that stop for one reason at one switch, for hosts on one switch. */
struct doctor_paths_group {
	enum obstacle why;
	bool loops;
	uint32_t at, to; /* switches */
	uint64_t pairs;
	uint32_t src; /* the first of the pairs: source switch, */
	uint16_t lid; /* LID */
};

/* Lost ways, by place. */
struct groups {
	const struct doctor *d;
	struct doctor_paths_group *g; /* [n] most pairs first, those that circle behind the others */
	size_t n, cap, n_loops;
	uint64_t *from,
		*to;	/* [n_switches] pairs that do not circle, by switch of the source, the destination */
	uint32_t *ca;	/* [n_switches] a host on each, or NO_ID */
	uint64_t *idle; /* [n_links] pairs that a cable loses because it carries no data */
	uint64_t untold;
};

COMPARATOR(by_place, struct doctor_paths_group, UP(why) UP(at) UP(to) UP(lid) UP(src))
COMPARATOR(most_pairs, struct doctor_paths_group, UP(loops) DOWN(pairs) UP(at) UP(to) UP(why))

/* One group a place. */
static void doctor_paths_merge(struct groups *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->g, s->n, sizeof(*s->g), by_place);
	for (size_t i = 0; i < s->n; i++) {
		struct doctor_paths_group *last = n ? &s->g[n - 1] : NULL, *g = &s->g[i];

		if (last && last->why == g->why && last->at == g->at && last->to == g->to)
			last->pairs += g->pairs;
		else
			s->g[n++] = *g;
	}
	s->n = n;
}

static enum obstacle why_lost(const struct groups *s, const struct lost_way *x, uint32_t to)
{
	const struct doctor *d = s->d;

	if (x->loops)
		return STOP_LOOP;
	if (routing_port(d->r, x->at, x->lid) != NO_PATH)
		return STOP_DEAD;
	return endport_distance(d->t, s->ca[to], d->f->port_endport[d->f->switch_port[x->at]]) < 0
		       ? STOP_NO_WAY
		       : STOP_NO_ENTRY;
}

/* A host on a switch that the LID is not of. */
static uint32_t doctor_paths_source_of(const struct groups *s, uint32_t sw, unsigned lid)
{
	const struct routing *r = s->d->r;
	uint32_t owner = lid_owner(r->lids, lid);

	for (uint32_t ep = 0; s->ca[sw] == owner && ep < s->d->f->n_endports; ep++)
		if (ep != owner && s->d->t->endport_switch[ep] == sw && routing_has_host(r, ep) &&
		    r->lids->base[ep])
			return ep;
	return s->ca[sw];
}

/* Does a way end at a cable that carries no data?  Then find_not_active() reports it. */
static bool stops_at_idle(const struct groups *s, const struct lost_way *x)
{
	const struct topo *t = s->d->r->topo;
	unsigned out = routing_next_port(s->d->r, x->at, x->lid);
	uint32_t port = t->fabric->switch_port[x->at] + out;

	return !x->loops && t->data && out && out <= t->fabric->switch_nports[x->at] &&
	       t->peer[port] == NO_ID && fabric_idle_end(t->fabric, port) != NO_ID;
}

static void doctor_paths_add_lost(void *ctx, const struct lost_way *x)
{
	struct groups *s = ctx;
	const struct routing *r = s->d->r;
	uint32_t to = r->topo->endport_switch[lid_owner(r->lids, x->lid)], at = x->at;
	uint64_t pairs = s->d->hosts[x->sw] - (to == x->sw);
	struct path p;

	if (s->ca[x->sw] == NO_ID || to == NO_ID || x->kind == CAUSE_TABLES || stops_at_idle(s, x))
		return;
	if (x->loops) { /* reported by the last of many hops */
		uint32_t src = doctor_paths_source_of(s, x->sw, x->lid);

		path_trace(r, src, r->lids->base[src], x->lid, &p);
		at = p.n ? p.hop[p.n - 1].sw : at;
		path_free(&p);
	} else {
		s->from[x->sw] += pairs;
		s->to[to] += pairs;
	}
	if (s->n == s->cap)
		doctor_paths_merge(s);
	if (2 * s->n >= s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->g = arena_resize(s->d->arena, s->g, s->cap, sizeof(*s->g));
	}
	s->g[s->n++] = (struct doctor_paths_group){why_lost(s, x, to), x->loops, at, to, pairs, x->sw,
						   (uint16_t)x->lid};
}

/* All lost ways, found once.  NULL and *d->e: cancelled. */
static struct groups *groups_of(struct doctor *d)
{
	struct groups *s = d->lost ? d->lost : ARENA_NEW(d->arena, struct groups);
	const struct ways_listener to = {.ctx = s, .lost = doctor_paths_add_lost};
	const struct causes_request rq = {.w = d->w, .known = &d->check, .lost = &to};

	if (d->lost)
		return s;
	d->lost = s;
	s->d = d;
	s->from = ARENA_ARRAY(d->arena, d->f->n_switches, uint64_t);
	s->to = ARENA_ARRAY(d->arena, d->f->n_switches, uint64_t);
	s->idle = ARENA_ARRAY(d->arena, d->f->n_links + 1u, uint64_t);
	s->ca = ARENA_ARRAY(d->arena, d->f->n_switches, uint32_t);
	memset(s->ca, 0xff, d->f->n_switches * sizeof(*s->ca));
	for (uint32_t ep = d->f->n_endports; ep--;)
		if (routing_has_host(d->r, ep) && d->r->lids->base[ep])
			s->ca[d->t->endport_switch[ep]] = ep;
	struct causes *c = causes_find(&rq, d->p, d->e);
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n; i++) {
		uint32_t port = c->c[i].node == NO_ID ? NO_ID : d->f->node_port[c->c[i].node] + c->c[i].port;

		if ((c->c[i].kind == CAUSE_CABLE || c->c[i].kind == CAUSE_HOST) && port != NO_ID &&
		    d->r->topo->data && fabric_idle_end(d->f, port) != NO_ID)
			s->idle[d->f->port_link[port]] += c->c[i].pairs;
	}
	s->untold = c->untold;
	arena_free(c);
	doctor_paths_merge(s);
	if (s->n)
		qsort(s->g, s->n, sizeof(*s->g), most_pairs);
	for (size_t i = 0; i < s->n; i++)
		s->n_loops += s->g[i].loops;
	return s;
}

int pairs_untold(struct doctor *d, uint64_t *pairs)
{
	struct groups *s = d->r && d->check.unreachable ? groups_of(d) : NULL;

	*pairs = s ? s->untold : 0;
	return d->r && d->check.unreachable && !s ? -1 : 0;
}

/* Each cable that carries no data, as an end of it is in Initialize or Armed. */
int find_not_active(struct doctor *d, const struct rule *r)
{
	uint32_t n = 0;

	if (!d->w->as_read || !topo_idle(d->t, NULL))
		return 0;
	struct groups *s = d->r ? groups_of(d) : NULL;
	if (d->r && !s)
		return -1;
	for (uint32_t l = 0; l < d->f->n_links; l++) {
		uint32_t end = d->f->link_port[2 * l], idle = fabric_idle_end(d->f, end);

		if (d->t->peer[end] == NO_ID || idle == NO_ID || n++ >= MOST_PLACES)
			continue;
		struct finding *x = tell(
			d, r, "check",
			"Port %s is in %s: no subnet manager has activated it; %s of hosts cross its cable "
			"to %s in vain.",
			PORT_LABEL(d->f, idle), fabric_port_state(d->f, idle),
			PLURAL(s ? s->idle[l] : 0, "pair"), PORT_LABEL(d->f, d->f->port_peer[idle]));
		x->pairs = s ? s->idle[l] : 0;
		finding_at(d, x, idle);
	}
	if (n > MOST_PLACES) {
		uint32_t more = n - MOST_PLACES;

		tell(d, r, "check", "%s more in Initialize or Armed.", PLURAL(more, "cable"))->count = more;
	}
	return 0;
}

/* The five switches with most pairs. */
static void tell_totals(const struct doctor *d, const char *what, const uint64_t *n, struct text *t)
{
	enum { MOST = 5 };
	uint64_t last = UINT64_MAX;
	uint32_t last_sw = 0, all = 0;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		all += n[s] != 0;
	text_add(t, "%s%s", t->len ? "\n" : "", what);
	for (unsigned i = 0; i < MOST; i++) {
		uint32_t best = NO_ID;

		for (uint32_t s = 0; s < d->f->n_switches; s++)
			if (n[s] && (n[s] < last || (n[s] == last && s > last_sw && i)) &&
			    (best == NO_ID || n[s] > n[best]))
				best = s;
		if (best == NO_ID)
			break;
		text_add(t, "%s %s %" PRIu64, i ? "," : "", switch_name(d->f, best), n[best]);
		last = n[best];
		last_sw = best;
	}
	if (all > MOST)
		text_add(t, ", and %s", PLURAL(all - MOST, "more switch"));
}

static void more_trace(const struct doctor *d, struct finding *x, const struct groups *s,
		       const struct doctor_paths_group *g)
{
	uint32_t owner = lid_owner(d->r->lids, g->lid);
	AUTO_TEXT struct text line = {0};
	char a[300], b[300];

	if (g->lid == d->r->lids->base[owner])
		endport_label(d->f, owner, b, sizeof(b));
	else
		snprintf(b, sizeof(b), "%u", g->lid); /* of the port's LIDs this one is lost */
	text_add(&line, "trace");
	word_append(&line, endport_label(d->f, doctor_paths_source_of(s, g->src, g->lid), a, sizeof(a)));
	word_append(&line, b);
	finding_more(x, "%s", text_str(&line));
}

/* Hosts that are up without a LID: nobody reaches them, and they reach nobody. */
static void tell_without_lid(struct doctor *d, const struct rule *r)
{
	uint64_t without = 0, with;
	struct places at = {0};

	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		if (routing_has_host(d->r, ep) && !d->r->lids->base[ep]) {
			places_add_port(&at, d->f, d->f->endport_port[ep]);
			without++;
		}
	with = d->n_hosts - without;
	if (!without || without + with < 2) {
		text_free(&at.t);
		return;
	}
	uint64_t pairs = without * (2 * with + without - 1);
	struct finding *x =
		tell_of_places(d, r, &at, "list hosts", "%s of hosts have no path: %s %s no LID (%s).",
			       PLURAL(pairs, "pair"), PLURAL(without, "host"), without == 1 ? "has" : "have",
			       places_text(&at));
	x->pairs = pairs;
}

int find_incomplete_tables(struct doctor *d, const struct rule *r)
{
	struct places at = {0};

	if (!d->lacking && !d->strange)
		return 0;
	d->out->incomplete = true;
	for (uint32_t sw = 0; sw < d->f->n_switches; sw++)
		if (switch_up(d->t, sw) && d->lacking && !setup_tables(d->w->setup)->lft[sw])
			places_add_switch(&at, d->f, sw);
	if (d->lacking)
		tell_of_places(d, r, &at, "check", "INCOMPLETE TABLES: %s of %u %s no table: %s.",
			       PLURAL(d->lacking, "switch"), d->tables, d->lacking == 1 ? "has" : "have",
			       places_text(&at));
	else
		tell_of_places(d, r, &at, "check",
			       "INCOMPLETE TABLES: most GUIDs that their file names are not in this fabric.");
	return 0;
}

int find_cut_off(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	uint32_t n = count_cut_off(d->w, NULL);

	if (!n)
		return 0;
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		if (host_set_matters(d->w->hosts, d->f, ep) && is_cut_off(d->w, ep))
			places_add_port(&at, d->f, d->f->endport_port[ep]);
	tell_of_places(d, r, &at, "check", "%s cut off from the subnet manager (%s).", PLURAL(n, "endport"),
		       places_text(&at));
	return 0;
}

int find_no_pair(struct doctor *d, const struct rule *r)
{
	if (d->n_hosts < 2)
		tell(d, r, "list hosts", "No pair of hosts: %s up and counted.", PLURAL(d->n_hosts, "host"));
	return 0;
}

int find_kept_apart(struct doctor *d, const struct rule *r)
{
	const struct check_result *c = &d->check;
	char from[300], to[300];

	if (!d->r || !c->apart)
		return 0;
	endport_label(d->f, c->apart_from, from, sizeof(from));
	endport_label(d->f, c->apart_to, to, sizeof(to));
	finding_more(tell(d, r, NULL, "%s of hosts without a common P_Key (for one %s to %s).",
			  PLURAL(c->apart, "pair"), from, to),
		     "trace %s %s", from, to);
	return 0;
}

int find_unreachable(struct doctor *d, const struct rule *r)
{
	struct finding *x = NULL;
	struct text totals = {0};
	uint64_t rest = 0;

	if (!d->r)
		return 0;
	tell_without_lid(d, r);
	if (d->check.unreachable == d->check.looping)
		return 0;
	struct groups *s = groups_of(d);
	if (!s)
		return -1;
	size_t n = s->n - s->n_loops;
	for (size_t i = 0; i < n; i++) {
		const struct doctor_paths_group *g = &s->g[i];

		if (i >= MOST_PLACES) {
			rest += g->pairs;
			continue;
		}
		x = tell(d, r, NULL, "%s of hosts %s no path: %s at %s, for hosts on %s.",
			 PLURAL(g->pairs, "pair"), g->pairs == 1 ? "has" : "have", obstacle_text[g->why],
			 switch_name(d->f, g->at), switch_name(d->f, g->to));
		x->pairs = x->count = g->pairs;
		finding_at_switch(d, x, g->at);
		more_trace(d, x, s, g);
		if (i)
			continue;
		tell_totals(d, "by source:", s->from, &totals);
		tell_totals(d, "by destination:", s->to, &totals);
		x->detail = totals.s;
	}
	if (rest) {
		x = tell(d, r, "check", "%s more of hosts have no path, at %zu more places.",
			 PLURAL(rest, "pair"), n - MOST_PLACES);
		x->count = rest;
		x->pairs = MIN(rest, s->g[MOST_PLACES - 1].pairs);
	}
	return 0;
}

int find_forwarding_loop(struct doctor *d, const struct rule *r)
{
	uint64_t pairs = 0;
	struct path p;

	if (!d->r || !d->check.looping)
		return 0;
	struct groups *s = groups_of(d);
	if (!s || !s->n_loops)
		return s ? 0 : -1;
	const struct doctor_paths_group *g = &s->g[s->n - s->n_loops];
	for (size_t i = 0; i < s->n_loops; i++)
		pairs += g[i].pairs;
	uint32_t src = doctor_paths_source_of(s, g->src, g->lid);
	path_trace(d->r, src, d->r->lids->base[src], g->lid, &p);
	uint32_t a = p.n ? p.hop[p.n - 1].sw : g->at;
	uint32_t b = p.n > 1 ? p.hop[p.n - 2].sw : a;
	path_free(&p);
	struct finding *x = tell(d, r, NULL, "Packets to LID %u loop between %s and %s: %s of hosts%s.",
				 g->lid, switch_name(d->f, b), switch_name(d->f, a), PLURAL(pairs, "pair"),
				 s->n_loops > 1 ? ", those at other loops included" : "");
	x->pairs = pairs;
	x->count = s->n_loops;
	finding_at_switch(d, x, a);
	more_trace(d, x, s, g);
	return 0;
}

int find_dropped(struct doctor *d, const struct rule *r)
{
	if (!d->cdg || !d->cdg->dropped)
		return 0;
	struct finding *x =
		tell(d, r, "cdg", "%s of pairs of hosts %s dropped: an SL leads to VL %d.",
		     PLURAL(d->cdg->dropped, "route"), d->cdg->dropped == 1 ? "is" : "are", CDG_DROP_VL);
	x->pairs = x->count = d->cdg->dropped;
	return 0;
}

int find_switch_lids(struct doctor *d, const struct rule *r)
{
	AUTO_FREE uint16_t *hops = NEW_ARRAY(d->f->n_switches, uint16_t);
	AUTO_FREE uint32_t *work = NEW_ARRAY(d->f->n_switches, uint32_t);
	uint32_t sm = d->t->sm_endport == NO_ID ? NO_ID : d->t->endport_switch[d->t->sm_endport];
	struct places at = {0};

	for (uint32_t s = 0; d->r && d->check.switch_unreachable && s < d->f->n_switches; s++) {
		unsigned lid = d->r->lids->base[d->f->port_endport[d->f->switch_port[s]]];

		if (!lid || !switch_up(d->t, s))
			continue;
		dest_hops(d->r, lid, hops, work);
		for (uint32_t from = 0; from < d->f->n_switches; from++)
			if (from != s && (d->hosts[from] || from == sm) && switch_up(d->t, from) &&
			    hops[from] >= HOPS_LOOP) {
				places_add_switch(&at, d->f, s);
				break;
			}
	}
	if (!at.n)
		return 0;
	struct finding *x = tell_of_places(
		d, r, &at, "check", "Some switches have no path to %s of switches (%s of host and LID): %s.",
		PLURAL(at.n, "LID"), PLURAL(d->check.switch_unreachable, "pair"), places_text(&at));
	x->figure = (double)d->check.switch_unreachable;
	return 0;
}

/* Judges drift for the first rule that asks. d->drift stays NULL if no tables were read. */
static int need_drift(struct doctor *d)
{
	struct drift_request rq = {.setup = d->rq->setup,
				   .engines = d->rq->engines,
				   .now = d->rq->now,
				   .configured = d->rq->configured,
				   .quick = true};

	if (d->drift || !d->out->read)
		return 0;
	d->drift = drift_judge(&rq, &d->ranking, d->p, d->e);
	return d->drift ? 0 : -1;
}

static bool of_switch(const struct drift *d, const struct drift_entry *x)
{
	uint32_t owner = lid_owner(d->next->lids, x->lid);

	return owner != NO_ID && endport_is_switch(d->next->fabric, owner);
}

/* The first entry of a class. hosts_only: entries for LIDs of switches do not count. */
static const struct drift_entry *doctor_paths_first_of(const struct drift *d, enum drift_class class,
						       bool hosts_only)
{
	for (size_t i = 0; i < d->n_entries; i++)
		if (d->entry[i].class == class && !(hosts_only && of_switch(d, &d->entry[i])))
			return &d->entry[i];
	return NULL;
}

/* Does an entry lead nowhere, for another reason than the one that find_not_active() reports? */
static bool is_dead(const struct drift_entry *x)
{
	return x->class == DRIFT_DEAD && x->why != drift_not_active;
}

/* Tells the first few ports that dead entries lead to: both ends of a failed cable. */
static void tell_dead_ports(const struct doctor *d, struct text *t)
{
	enum { MOST = 8 };
	const struct drift *x = d->drift;
	uint32_t n[256], places = 0;
	char a[PORT_NUMBER_MAX + 1];

	for (size_t i = 0; i < x->n_entries;) {
		uint32_t sw = x->entry[i].sw;

		if (!is_dead(&x->entry[i])) {
			i++;
			continue;
		}
		memset(n, 0, sizeof(n));
		for (; i < x->n_entries && x->entry[i].sw == sw && is_dead(&x->entry[i]); i++)
			n[x->entry[i].port]++;
		for (unsigned p = 0; p < NO_PATH; p++)
			if (n[p] && places++ < MOST)
				text_add(t, "%s %s[%s] %u",
					 places > 1 ? "," : "by port:", switch_name(d->f, sw),
					 exit_number(d->f, sw, p, a, sizeof(a)), n[p]);
	}
	if (places > MOST)
		text_add(t, ", and %s", PLURAL(places - MOST, "more port"));
}

int find_dead_entry(struct doctor *d, const struct rule *r)
{
	struct text ports = {0};
	const struct drift_entry *e = NULL;
	uint32_t switches = 0, last = NO_ID;
	uint64_t n = 0;

	if (need_drift(d))
		return -1;
	for (size_t i = 0; d->drift && i < d->drift->n_entries; i++) {
		const struct drift_entry *at = &d->drift->entry[i];

		if (!is_dead(at))
			continue;
		switches += at->sw != last;
		last = at->sw;
		if (of_switch(d->drift, at))
			continue;
		n++;
		e = e ? e : at;
	}
	if (!n)
		return 0;
	struct finding *x =
		tell(d, r, "drift", "%s on %s %s to a dead or wrong port (first: %s, LID %u, port %u: %s).",
		     PLURAL(n, "entry"), PLURAL(switches, "switch"), n == 1 ? "leads" : "lead",
		     switch_name(d->f, e->sw), e->lid, e->port, e->why);
	x->count = n;
	finding_at_switch(d, x, e->sw);
	if (e->port != NO_PATH)
		x->port = e->port;
	tell_dead_ports(d, &ports);
	x->detail = ports.s;
	return 0;
}

int find_stale(struct doctor *d, const struct rule *r)
{
	const struct drift *x = d->drift;

	if (!x)
		return 0;
	uint64_t n = x->count[DRIFT_RESTART] + x->count[DRIFT_MISSING] - x->of_switches[DRIFT_MISSING];
	if (n) {
		const struct drift_entry *e = doctor_paths_first_of(x, DRIFT_RESTART, false);
		e = e ? e : doctor_paths_first_of(x, DRIFT_MISSING, true);
		struct finding *at =
			tell(d, r, "drift", "%s %s not what %s computes: a restart writes %s.",
			     PLURAL(n, "entry"), n == 1 ? "is" : "are", x->engine, n == 1 ? "it" : "them");
		at->count = n;
		finding_at_switch(d, at, e->sw);
	}
	n = x->count[DRIFT_UNKNOWN];
	if (n)
		tell(d, r, "drift", "%s for LIDs that no port has.", PLURAL(n, "entry"))->count = n;
	return 0;
}

static bool doctor_paths_wrong(const struct drift *x)
{
	uint64_t idle = 0;

	for (size_t i = 0; i < x->n_entries; i++)
		idle += x->entry[i].why == drift_not_active;
	return drift_total(x) != x->count[DRIFT_RIGHT] + x->count[DRIFT_KEPT] + idle;
}

int find_drift_unknown(struct doctor *d, const struct rule *r)
{
	const struct drift_candidate *best = d->ranking && d->ranking->n ? d->ranking->candidate : NULL;

	/* what lacks a table speaks against no engine */
	if (!best || best->agreement >= 1 || !doctor_paths_wrong(d->drift))
		return 0;
	struct finding *x = tell(d, r, "drift", "No engine explains the tables: best is %s with %.1f %%.",
				 best->chain, 100 * best->agreement);
	x->figure = best->agreement;
	return 0;
}

/* The tables are wholly those that an engine makes anew, and not those of the configuration. */
int find_other_engine(struct doctor *d, const struct rule *r)
{
	const struct drift_ranking *k = d->ranking;
	const struct drift_candidate *best = k && k->n ? k->candidate : NULL, *asked = best;
	AUTO_TEXT struct text makers = {0};
	uint64_t n = 0;

	while (asked && asked < k->candidate + k->n && !asked->configured)
		asked++;
	if (!asked || asked == k->candidate + k->n || !asked->in_force || asked->agreement >= 1 ||
	    best->right < 1)
		return 0;
	for (const struct drift_candidate *c = best; c < k->candidate + k->n; c++)
		if (c == best || (c->in_force && !c->equal && strcmp(c->chain, c[-1].chain) != 0)) {
			text_add(&makers, "%s%s", c == best ? "" : " or ", c->chain);
			if (*c->options)
				text_add(&makers, " (%s)", c->options);
		}
	for (unsigned class = 0; class < DRIFT_CLASSES; class ++)
		n += class == DRIFT_RIGHT ? 0 : asked->count[class];
	struct finding *x =
		tell(d, r, NULL,
		     "The switches hold the tables of %s, the configuration says %s: a restart changes %s.",
		     text_str(&makers), asked->chain, PLURAL(n, "entry"));
	x->count = n;
	x->figure = (double)n;
	finding_brief(x, "Switches hold tables of %s, the conf says %s", best->chain, asked->chain);
	finding_more(x, "drift %s", asked->chain);
	return 0;
}
