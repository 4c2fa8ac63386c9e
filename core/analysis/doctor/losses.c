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

/* Findings about the tables: what cannot be told of them, hosts that have no path, drift. */

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
	if (without == 1)
		finding_brief(x, "%s has no LID", PORT_LABEL(d->f, d->f->node_port[x->node] + x->port));
	else
		finding_brief(x, "%s have no LID", PLURAL(without, "host"));
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
	struct finding *x = tell(d, r, NULL,
				 "%s of hosts without a common P_Key (for one %s to %s); %" PRIu64
				 " of them share one, but both as limited members.",
				 PLURAL(c->apart, "pair"), from, to, c->apart_limited);
	finding_brief(x, "partitions keep %s of hosts apart", PLURAL(c->apart, "pair"));
	finding_more(x, "trace %s %s", from, to);
	return 0;
}

int find_unreachable(struct doctor *d, const struct rule *r)
{
	if (d->r)
		tell_without_lid(d, r);
	return find_broken(d, r);
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

int need_drift(struct doctor *d)
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
