/* Hop matrices after a change; what is recorded of a choice of ports. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "engines/counted/counted.h"
#include "engines/say.h"

/* False when a cable between switches is new. */
static bool only_lost(const struct topo *was, const struct topo *now)
{
	const struct fabric *f = now->fabric;

	if (was->fabric != f)
		return false;
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (now->peer_switch[p] != was->peer_switch[p] && now->peer_switch[p] != NO_ID)
			return false;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (switch_up(now, s) && !switch_up(was, s))
			return false;
	return true;
}

/*
 * Marks the targets for which switch s, after losing cables, has no neighbour left that is one hop nearer. If
 * no switch has such a target, no distance changes.
 */
static void lost_targets(const struct hops *h, const struct topo *now, uint32_t s, uint8_t *orphan,
			 uint8_t *farther)
{
	const struct fabric *f = now->fabric;
	uint32_t n = h->n_switches;
	const uint8_t *mine = h->least + (size_t)s * n;

	memset(orphan, 1, n);
	FOR_PORTS(f, s, port) {
		uint32_t r = now->peer_switch[port];

		if (r == NO_ID)
			continue;
		const uint8_t *peer = h->least + (size_t)r * n;
		for (uint32_t d = 0; d < n; d++)
			orphan[d] &= (uint8_t)(peer[d] + 1) != mine[d];
	}
	for (uint32_t d = 0; d < n; d++)
		farther[d] |= orphan[d] & (d != s && mine[d] != NO_PATH);
	farther[s] |= !switch_up(now, s);
}

/* A search for the distances from one target that grew. */
struct hops_update_growth {
	const struct neighbours *g;
	uint8_t *row;	 /* [n_switches] distances from the target */
	uint8_t *far;	 /* [n_switches] 1: no neighbour is as near as before */
	uint32_t *queue; /* the switches of far */
	uint32_t n;
};

/* Queues a switch when all its neighbours that were nearer are farther now. */
static void hops_update_grow(struct hops_update_growth *x, uint32_t s)
{
	unsigned near = x->row[s];

	if (!near || near == NO_PATH || x->far[s])
		return;
	for (uint32_t j = x->g->off[s]; j < x->g->off[s + 1]; j++) {
		uint32_t r = x->g->nbr[j];

		if (x->row[r] + 1u == near && !x->far[r])
			return;
	}
	x->far[s] = 1;
	x->queue[x->n++] = s;
}

/* Computes the row again, after the switches of lost[] lost cables. */
static void lengthen(struct hops_update_growth *x, const uint32_t *lost, uint32_t n_lost)
{
	const struct neighbours *g = x->g;
	bool lower = true;

	x->n = 0;
	for (uint32_t i = 0; i < n_lost; i++)
		hops_update_grow(x, lost[i]);
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t s = x->queue[i], j = g->off[s]; j < g->off[s + 1]; j++)
			if (x->row[g->nbr[j]] == x->row[s] + 1)
				hops_update_grow(x, g->nbr[j]);
	for (uint32_t i = 0; i < x->n; i++)
		x->row[x->queue[i]] = NO_PATH;
	while (lower) {
		lower = false;
		for (uint32_t i = 0; i < x->n; i++)
			for (uint32_t s = x->queue[i], j = g->off[s]; j < g->off[s + 1]; j++) {
				unsigned way = x->row[g->nbr[j]] + 1u;

				if (way > MAX_COST || way >= x->row[s])
					continue;
				x->row[s] = way;
				lower = true;
			}
	}
	for (uint32_t i = 0; i < x->n; i++)
		x->far[x->queue[i]] = 0;
}

/* Is switch s up as it was, with the same switch at each port? */
static bool same_links(const struct topo *was, const struct topo *now, uint32_t s)
{
	const struct fabric *f = now->fabric;
	size_t at = f->switch_port[s], size = (f->switch_nports[s] + 1u) * sizeof(*now->peer_switch);

	return switch_up(was, s) == switch_up(now, s) &&
	       !memcmp(was->peer_switch + at, now->peer_switch + at, size);
}

/* Finds the targets whose distances may have changed, and marks the switches that lost a cable. Is there
 * one? */
static bool find_farther(const struct hops *old, const struct topo *was, const struct topo *now,
			 struct hops_marks marks)
{
	const struct fabric *f = now->fabric;
	AUTO_FREE uint8_t *orphan = NEW_ARRAY(f->n_switches, uint8_t);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (same_links(was, now, s))
			continue;
		marks.touched[s] = TOUCHED_ALL;
		lost_targets(old, now, s, orphan, marks.farther);
	}
	return memchr(marks.farther, 1, f->n_switches);
}

static void touch_around(const struct neighbours *g, uint32_t s, uint8_t *touched)
{
	touched[s] |= TOUCHED;
	for (uint32_t j = g->off[s]; j < g->off[s + 1]; j++)
		touched[g->nbr[j]] |= TOUCHED;
}

/*
 * Touches the switches with other distances and their neighbours; farther (may be NULL): the targets, as seen
 * from switches that are up.
 */
static void touch_rows(const struct hops *a, const struct hops *b, const struct topo *now,
		       const struct neighbours *g, uint8_t *touched, uint8_t *farther)
{
	uint32_t n = a->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		const uint8_t *x = a->least + (size_t)s * n, *y = b->least + (size_t)s * n;

		if (!memcmp(x, y, n))
			continue;
		touch_around(g, s, touched);
		for (uint32_t d = 0; farther && switch_up(now, s) && d < n; d++)
			farther[d] |= x[d] != y[d];
	}
}

/*
 * Computes the rows of the targets farther[] anew, clears the mark of those for which nothing changed at a
 * switch that is up, and touches the switches whose rows changed and their neighbours.  Returns false when so
 * many distances grew that a search for all is faster; rows must not be used then.
 */
static bool lengthen_rows(struct hops *h, const struct topo *now, const struct neighbours *g,
			  struct hops_marks marks)
{
	uint32_t n = h->n_switches, n_lost = 0, *lost = NEW_ARRAY(n, uint32_t);
	struct hops_update_growth x = {.g = g, .far = NEW_ARRAY(n, uint8_t), .queue = NEW_ARRAY(n, uint32_t)};
	size_t most = (size_t)n * n / 16;

	for (uint32_t s = 0; s < n; s++)
		if (marks.touched[s] == TOUCHED_ALL)
			lost[n_lost++] = s;
	for (uint32_t d = 0; d < n && most; d++) {
		bool any = false;

		if (!marks.farther[d])
			continue;
		x.row = h->least + (size_t)d * n;
		if (!switch_up(now, d)) {
			memset(x.row, NO_PATH, n);
			continue;
		}
		lengthen(&x, lost, n_lost);
		for (uint32_t i = 0; i < x.n; i++)
			any |= switch_up(now, x.queue[i]);
		marks.farther[d] = any;
		if (x.n)
			touch_around(g, d, marks.touched);
		most -= MIN(x.n, most);
	}
	FREE_EACH(lost, x.far, x.queue);
	return most > 0;
}

struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 struct hops_marks marks)
{
	assert(old->n_switches == was->fabric->n_switches && old->n_ports == was->fabric->n_ports);
	if (old->by_port || old->weight || old->level || !only_lost(was, now))
		return NULL;
	if (!find_farther(old, was, now, marks))
		return hops_ref(old);
	struct neighbours g = neighbours_new(now);
	struct hops *h = hops_copy(old);
	if (!lengthen_rows(h, now, &g, marks)) {
		hops_unref(h);
		h = hops_new(now->fabric, false);
		hops_search(now, h, NULL);
		touch_rows(old, h, now, &g, marks.touched, NULL);
	}
	neighbours_free(&g);
	return h;
}

/* Touches the switches where a value by port differs. */
static void touch_ports(const struct hops *a, const struct hops *b, const struct fabric *f,
			struct hops_marks marks)
{
	for (uint32_t d = 0; d < a->n_switches; d++) {
		const uint8_t *x = a->by_port + (size_t)d * a->n_ports,
			      *y = b->by_port + (size_t)d * a->n_ports;

		if (!memcmp(x, y, a->n_ports))
			continue;
		marks.farther[d] = 1;
		for (uint32_t s = 0; s < a->n_switches; s++)
			if (memcmp(x + f->switch_port[s], y + f->switch_port[s], f->switch_nports[s] + 1u))
				marks.touched[s] |= TOUCHED;
	}
}

bool hops_compare(const struct hops *a, const struct topo *was, const struct hops *b, const struct topo *now,
		  struct hops_marks marks)
{
	const struct fabric *f = now->fabric;
	bool alike = was->fabric == f && !a->weight && !b->weight && !a->by_port == !b->by_port &&
		     !a->level == !b->level;

	for (uint32_t s = 0; alike && s < f->n_switches; s++) {
		if (!same_links(was, now, s))
			marks.touched[s] = TOUCHED_ALL;
		/* masks of all switches depend on the level of a target */
		if (b->level && switch_up(now, s))
			alike = a->level[s] == b->level[s] && a->open[s] == b->open[s];
	}
	if (!alike)
		return false;
	struct neighbours g = neighbours_new(now);
	touch_rows(a, b, now, &g, marks.touched, marks.farther);
	if (b->by_port)
		touch_ports(a, b, f, marks);
	neighbours_free(&g);
	return true;
}

/* What is recorded of a choice of ports, and the rule that decided it (engines/doc/minhop.md section 6). */

/* Numbers the connected parts of the fabric; each switch gets the number of its part. */
static void counted_events_number_parts(struct assign *a)
{
	uint32_t n = a->f->n_switches;
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n + 1, uint16_t);
	AUTO_FREE uint32_t *queue = NEW_ARRAY(n + 1, uint32_t);

	a->part = NEW_ARRAY(n + 1, uint32_t);
	memset(hops, 0xff, n * sizeof(*hops));
	for (uint32_t first = 0; first < n; first++) {
		if (a->part[first])
			continue;
		queue[0] = first;
		hops[first] = 0;
		for (uint32_t i = spread_hops(a->t, hops, queue, 1); i--;)
			a->part[queue[i]] = first + 1;
	}
}

static enum why_rule counted_events_no_entry(struct assign *a, const struct dest *d)
{
	if (d->target == NO_ID)
		return WHY_NOT_ATTACHED;
	if (!a->part)
		counted_events_number_parts(a);
	if (a->part[a->sw] != a->part[d->target])
		return WHY_CUT_OFF;
	if (hops_least(a->h, a->sw, d->target) != NO_PATH)
		return a->in->left && a->in->left->hops ? WHY_LEFT_COUNTER : WHY_NOT_IN_FILE;
	if (!strcmp(a->out->engine, "file") && options_file(a->in->options, "lid_matrix_dump_file"))
		return WHY_NOT_IN_FILE;
	return WHY_COST;
}

const struct cand *assign_candidate(const struct assign *a, const struct choice *c, unsigned port)
{
	for (unsigned i = 0; i < c->n; i++)
		if (a->cand[i].port == port)
			return &a->cand[i];
	return NULL;
}

const struct cand *assign_but_for_left(const struct assign *a, const struct choice *c, unsigned via)
{
	const struct leftovers *l = a->in->left;
	const uint32_t *left = l && l->count ? l->count + a->p0 : NULL;
	const struct cand *won = assign_candidate(a, c, c->port);

	if (!left || !won || a->shifting)
		return NULL;
	uint32_t least = won->count - left[c->port];
	for (unsigned i = 0; i < c->n; i++) {
		const struct cand *k = &a->cand[i];
		uint32_t own = k->count - left[k->port];

		if (k != won && (own < least || (own == least && k < won)) && (!via || via == k->port))
			return k;
	}
	return NULL;
}

enum why_rule assign_by_count(const struct assign *a, const struct choice *c)
{
	unsigned at = a->shifting && c->n ? assign_shift(a, c->n) : 0, equal = 0, first = 0;
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < c->n; i++, at = at + 1 < c->n ? at + 1 : 0) {
		if (a->cand[at].count < least) {
			least = a->cand[at].count;
			first = a->cand[at].port;
			equal = 0;
		}
		equal += a->cand[at].count == least;
	}
	if (equal == 1)
		return WHY_LEAST_COUNT;
	if (first != c->port)
		return WHY_LEAST_FORWARDED;
	return a->shifting ? WHY_SHIFTED : WHY_FIRST_OF_EQUALS;
}

void assign_list(struct assign *a, const uint64_t *mask, struct choice *c)
{
	if (mask && !c->n && (!c->rule || c->rule == WHY_KEPT))
		c->n = assign_list_candidates(a, mask, 1);
}

enum why_rule assign_rule(struct assign *a, const struct dest *d, const uint64_t *mask,
			  const struct choice *c, unsigned via)
{
	const struct cand *other = assign_candidate(a, c, via), *won = assign_candidate(a, c, c->port);
	unsigned all = 0; /* ports of least hops; DOR may drop some */

	if (c->rule == WHY_OWN_LID || c->rule == WHY_ATTACHED || c->rule == WHY_KEPT)
		return c->rule;
	if (c->port == NO_PATH)
		return counted_events_no_entry(a, d);
	for (unsigned p = 1; a->dor && p < a->num_ports; p++)
		all += mask_has(mask, p);
	if (all > c->n && !other)
		return WHY_FIRST_NEIGHBOUR;
	if (c->rule != WHY_RANDOM && c->n == 1)
		return WHY_ONLY_CANDIDATE;
	if (c->rule == WHY_NEW_SYSTEM || c->rule == WHY_NEW_NODE)
		return c->rule;
	assert(won);
	enum why_rule rule = c->rule ? c->rule : assign_by_count(a, c);
	if (rule != WHY_LEAST_FORWARDED && rule != WHY_RANDOM && assign_but_for_left(a, c, via))
		return WHY_LEFT_COUNTER;
	return other && other->count > won->count ? WHY_LEAST_COUNT : rule;
}

/* --- events ---------------------------------------------------------------------------------------- */

void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  struct choice *c)
{
	struct recorder *r = a->in->record;

	assign_list(a, mask, c);
	rec_event(r, REC_CHOICE, assign_rule(a, d, mask, c, 0), c->port, a->sw, lid);
	if (assign_counts(a, d, c->port))
		rec_flag(r, REC_COUNTED);
	rec_delta(r, T_ENTRY, a->sw * (a->in->lids->max_lid + 1u) + lid, NO_PATH, c->port);
}

void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			enum why_rule rule)
{
	rec_event(in->record, REC_CHOICE, rule, port, sw, lid);
	rec_delta(in->record, T_ENTRY, sw * (in->lids->max_lid + 1u) + lid, was, port);
}

void assign_record_start(const struct assign *a)
{
	struct recorder *r = a->in->record;
	const struct leftovers *l = a->in->left;

	rec_cells(r, T_COUNT, a->f->n_ports);
	if (!l || !l->count)
		return;
	rec_text(r, REC_NOTE, "routes counted by an engine that refused stay counted");
	for (uint32_t p = 0; p < a->f->n_ports; p++)
		rec_delta(r, T_COUNT, p, 0, l->count[p]);
}

void assign_record_switch(const struct assign *a)
{
	rec_event(a->in->record, REC_TABLE, 0, 0, a->sw, 0);
}

void hops_record_changes(const struct engine_input *in, const struct hops *was, const struct hops *now)
{
	const struct fabric *f = in->topo->fabric;

	assert(was->n_switches == f->n_switches && now->n_switches == f->n_switches);
	rec_text(in->record, REC_NOTE, "switches that share a LID share a column of the hop matrix");
	for (uint32_t d = 0; d < f->n_switches; d++)
		for (uint32_t s = 0; s < f->n_switches; s++)
			for (unsigned p = 0; switch_up(in->topo, s) && p <= f->switch_nports[s]; p++)
				rec_delta(in->record, rec_matrix(in->record),
					  d * f->n_ports + switch_port_id(f, s, p),
					  hops_value(was, in->topo, s, d, p),
					  hops_value(now, in->topo, s, d, p));
}
