/* Surveys: every failure of a kind tried, with the effect of each on ways of hosts. */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/outage.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/survey/survey.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/routing/paths.h"

uint32_t survey_draw(uint32_t n, uint32_t want, uint64_t seed, uint32_t **out, bool *sampled)
{
	uint64_t total = n ? (uint64_t)n * (n - 1) / 2 : 0;
	size_t mask = 16;
	uint32_t k = 0;

	*sampled = total > want;
	*out = NEW_ARRAY(2 * (size_t)(*sampled ? want : total) + 1, uint32_t);
	for (uint32_t i = 0; !*sampled && i < n; i++)
		for (uint32_t j = i + 1; j < n; j++) {
			(*out)[2 * (size_t)k] = i;
			(*out)[2 * (size_t)k++ + 1] = j;
		}
	if (!*sampled)
		return k;
	while (mask < 2 * (size_t)want)
		mask *= 2;
	AUTO_FREE uint64_t *seen = NEW_ARRAY(mask, uint64_t); /* pairs: open addressing, 0 = free */
	mask--;
	while (k < want) {
		uint32_t i = rng_below(&seed, n), j = rng_below(&seed, n - 1);

		j += j >= i;
		uint64_t key = (uint64_t)MIN(i, j) << 32 | MAX(i, j);
		size_t at = (size_t)(mix(0, key) >> 20) & mask;
		while (seen[at] && seen[at] != key)
			at = (at + 1) & mask;
		if (seen[at])
			continue;
		seen[at] = key;
		(*out)[2 * (size_t)k] = MIN(i, j);
		(*out)[2 * (size_t)k++ + 1] = MAX(i, j);
	}
	return k;
}

#define Z95 1.959963984540054

void wilson_interval(uint64_t hits, uint64_t n, double *low, double *high)
{
	double z2 = Z95 * Z95;

	assert(hits <= n);
	*low = 0;
	*high = 1;
	if (!n)
		return;
	double share = (double)hits / (double)n;
	double middle = (share + z2 / (2 * (double)n)) / (1 + z2 / (double)n);
	double half = Z95 * sqrt(share * (1 - share) / (double)n + z2 / (4.0 * (double)n * (double)n)) /
		      (1 + z2 / (double)n);
	*low = hits && middle > half ? middle - half : 0;
	*high = hits < n && middle + half < 1 ? middle + half : 1;
}

/* The effect of changed entries, and of hosts that left, on the ways of hosts to one LID that stays.  The
 * ways to a LID form a tree.  A way changes only behind the first switch whose entry changed.  The number of
 * hosts that come by that switch is known from before.  So only these switches, those behind them, and the
 * ways of hosts that left are visited. */

/* With more moves than this share of all entries, whole columns are as fast. */
#define MOVES_SHARE 8

void moves_init(void *arena, struct moves *m, const struct effect_base *b)
{
	uint32_t n = b->routing->topo->fabric->n_switches;

	m->arena = arena;
	m->first = ARENA_ARRAY(arena, MAX_LID + 1, uint32_t);
	m->moved = ARENA_ARRAY(arena, (size_t)n + 1, uint8_t);
	m->own = ARENA_ARRAY(arena, (size_t)n + 1, uint32_t);
	m->path = ARENA_ARRAY(arena, (size_t)n + 1, uint32_t);
	m->most = ((size_t)b->routing->lids->max_lid + 1) * n / MOVES_SHARE;
	moves_clear(m);
}

void moves_clear(struct moves *m)
{
	memset(m->first, 0xff, (MAX_LID + 1) * sizeof(*m->first));
	m->n = 0;
	m->too_many = false;
}

void moves_add(struct moves *m, uint32_t sw, unsigned lid)
{
	if (m->n >= m->most) {
		m->too_many = true;
		return;
	}
	ARENA_GROW(m->arena, m->move, m->n, m->cap);
	m->move[m->n] = (struct move){.sw = sw, .next = m->first[lid]};
	m->first[lid] = (uint32_t)m->n++;
}

/* --- one LID ----------------------------------------------------------------------------------- */

/* Data needed while the moves of one LID are applied. */
struct applying {
	struct effect_work *w;
	struct moves *m;
	const struct topo *was, *is;
	const struct routing *now;
	const uint8_t *port;  /* [n_switches] entries before */
	const uint16_t *flow; /* [n_switches] hosts that came by before */
	unsigned lid;
	uint32_t dst;
	bool base_lid;
};

static void survey_moves_add_load(struct applying *a, uint32_t port, uint32_t routes)
{
	if (!a->base_lid)
		return;
	a->w->load[port] += routes;
	note_load(a->w, port);
}

/* Takes away the old way of some hosts that came by a switch, up to the next switch that moved. */
static void take_way(struct applying *a, uint32_t sw, uint32_t hosts)
{
	const struct fabric *f = a->was->fabric;

	for (uint32_t s = sw; hosts;) {
		uint32_t port = switch_port_id(f, s, a->port[s]), next = a->was->peer_switch[port];

		if (next == NO_ID)
			return;
		survey_moves_add_load(a, port, 0 - hosts);
		if (a->m->moved[next]) {
			a->m->own[next] -= hosts;
			return;
		}
		s = next;
	}
}

/* The new way from a switch: ports in m->path[0 .. *n - 1]. Returns its links to the LID, or HOPS_NONE. */
static uint32_t survey_moves_follow(struct applying *a, uint32_t sw, uint32_t *n)
{
	const struct fabric *f = a->is->fabric;

	for (*n = 0; *n < f->n_switches;) {
		unsigned out = routing_port(a->now, sw, a->lid);
		uint32_t next;
		uint16_t end = end_hops(a->is, sw, out, a->dst, &next);

		if (end != HOPS_ON)
			return end == HOPS_NONE ? HOPS_NONE : *n + end;
		a->m->path[(*n)++] = switch_port_id(f, sw, out);
		sw = next;
	}
	return HOPS_NONE; /* a loop */
}

/* Do all old channels into a switch come before its new channel in the order? */
static bool order_into(const struct applying *a, uint32_t sw, uint32_t channel)
{
	const struct fabric *f = a->is->fabric;
	const uint32_t *place = a->w->base->place;

	FOR_PORTS(f, sw, port) {
		uint32_t peer = a->is->peer[port];

		if (peer == NO_ID || place[peer] < place[channel])
			continue;
		uint32_t s = f->node_switch[f->port_node[peer]];
		/* who still comes by a switch that moved is put with its own new way */
		if (s != NO_ID && a->flow[s] && !a->m->moved[s] &&
		    routing_port(a->now, s, a->lid) == f->port_num[peer])
			return false;
	}
	return true;
}

/* Adds the new way of the hosts that still come to a switch. */
static void put_way(struct applying *a, uint32_t sw, struct survey_row *row)
{
	const struct effect_base *b = a->w->base;
	uint32_t *path = a->m->path, hosts = a->m->own[sw], n;

	if (!hosts)
		return;
	uint32_t hops = survey_moves_follow(a, sw, &n);
	row->rerouted += hosts;
	if (hops > b->hops[(size_t)a->lid * a->is->fabric->n_switches + sw])
		row->longer += hosts;
	for (uint32_t i = 0; i < n; i++)
		survey_moves_add_load(a, path[i], hosts);
	if (!b->place || !a->m->order_holds)
		return;
	for (uint32_t i = 0; i + 1 < n; i++)
		a->m->order_holds &= b->place[path[i]] < b->place[path[i + 1]];
	a->m->order_holds = a->m->order_holds && (!n || order_into(a, sw, path[0]));
}

bool moves_apply(struct effect_work *w, const struct routing *is, unsigned lid, uint32_t dst, bool base_lid,
		 struct survey_row *row)
{
	const struct effect_base *b = w->base;
	struct moves *m = &w->moves;
	size_t at = (size_t)lid * b->routing->topo->fabric->n_switches;
	struct applying a = {w, m, b->routing->topo, is->topo, is, NULL, NULL, lid, dst, base_lid};
	uint32_t n;

	assert(lid <= b->routing->lids->max_lid && dst < is->topo->fabric->n_endports);
	if (!b->flow || m->too_many || !b->plain[lid] || !a.is->endport_up[dst])
		return false;
	a.port = b->table + at;
	a.flow = b->flow + at;
	/* do all hosts that came by still arrive, by no too long way? None come by a switch that is down */
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		if (a.flow[m->move[i].sw] && switch_up(a.is, m->move[i].sw) &&
		    survey_moves_follow(&a, m->move[i].sw, &n) >= HOPS_PLAIN)
			return false;
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next) {
		m->moved[m->move[i].sw] = 1;
		m->own[m->move[i].sw] = a.flow[m->move[i].sw];
	}
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		take_way(&a, m->move[i].sw, a.flow[m->move[i].sw]);
	for (uint32_t i = 0; i < w->n_graves; i++) {
		uint32_t s = w->grave[i];

		row->cut_off += w->left[s];
		if (m->moved[s])
			m->own[s] -= w->left[s];
		else
			take_way(&a, s, w->left[s]);
	}
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		put_way(&a, m->move[i].sw, row);
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		m->moved[m->move[i].sw] = 0;
	return true;
}

/* --- order ------------------------------------------------------------------------------------------ */

bool survey_bad(const struct survey_row *r)
{
	return !r->engine || r->new_loops || r->between_survivors || r->beyond;
}

int survey_order(const struct survey_row *a, const struct survey_row *b)
{
	const uint64_t x[] = {!a->engine,    a->new_loops, a->between_survivors, a->fallback, a->cut_off,
			      a->load_after, a->longer,	   a->rerouted,		 a->entries},
		       y[] = {!b->engine,    b->new_loops, b->between_survivors, b->fallback, b->cut_off,
			      b->load_after, b->longer,	   b->rerouted,		 b->entries};

	for (size_t i = 0; i < ARRAY_LEN(x); i++)
		if (x[i] != y[i])
			return x[i] > y[i] ? -1 : 1;
	return COMPARED(a->index, b->index);
}

static int survey_by_harm(const void *x, const void *y)
{
	return survey_order(x, y);
}

static int by_outage(const void *x, const void *y)
{
	const struct survey_row *a = x, *b = y;

	return a->outage != b->outage ? (a->outage > b->outage ? -1 : 1) : survey_by_harm(x, y);
}

/* --- words ------------------------------------------------------------------------------------------- */

char *survey_what(const struct parts *p, const uint32_t part[2])
{
	assert(part[0] < p->n && (part[1] == NO_ID || part[1] < p->n));
	const char *a = p->name[part[0]];

	return part[1] == NO_ID ? str_dup(a) : str_printf("%s + %s", a, p->name[part[1]]);
}

/* A member of a plan: a link, or a node. */
static void survey_add_member(const struct parts *p, uint32_t id, const char **kind, struct text *t)
{
	const struct fabric *f = p->fabric;
	uint32_t node = id - f->n_links;
	const char *is = "link";
	char label[300];

	if (id < f->n_links)
		port_plain(f, f->link_port[2 * id], label, sizeof(label));
	else
		is = node_is_switch(f, node) ? "switch" : "host";
	if (!*kind || strcmp(*kind, is) != 0)
		text_add(t, "%sfail %s", *kind ? "; " : "", is);
	*kind = is;
	word_append(t, id < f->n_links ? label : f->node_name[node]);
}

char *survey_command(const struct parts *p, const uint32_t part[2])
{
	bool single = p->kind == PART_LINK || p->kind == PART_MIXED; /* one by one; others by their name */
	const char *kind = NULL;
	struct text t = {0};

	assert(part[0] < p->n && (part[1] == NO_ID || part[1] < p->n));
	if (!single)
		text_add(&t, "fail %s", part_word[p->kind]);
	for (int k = 0; k < 2 && part[k] != NO_ID; k++) {
		if (!single)
			word_append(&t, p->name[part[k]]);
		for (uint32_t i = p->first[part[k]]; single && i < p->first[part[k] + 1]; i++)
			survey_add_member(p, p->id[i], &kind, &t);
	}
	return t.s;
}

/* --- one failure --------------------------------------------------------------------------------------- */

/* What all workers have in common. */
struct survey_job {
	const struct survey_request *rq;
	struct survey *s;
	struct effect_base *base;
	struct effect_work **work; /* [workers] */
	struct sweep *
		*chain;	  /* of a plan: [rows] sweeps of the rows that follow one on the other; NULL: none */
	uint64_t *outage; /* [parts] of each alone; NULL: each row counts its own */
	pthread_mutex_t mutex;	/* for what follows */
	uint8_t *ended;		/* [rows] 1: the row is done; NULL: nobody waits for rows */
	uint32_t n_ended, next; /* with `next` rows done, those that wait get them */
};

/* What is up when parts went down; b may be NO_ID. */
static struct state *state_without(const struct survey_job *j, uint32_t a, uint32_t b)
{
	struct state *state = state_copy(j->rq->before->setup->state);

	parts_mark(j->s->parts, a, state, 1);
	if (b != NO_ID)
		parts_mark(j->s->parts, b, state, 1);
	return state;
}

/* The sweep then, after that of w.  NULL and *e. */
static struct sweep *sweep_after(const struct survey_job *j, const struct sweep *w, uint32_t a, uint32_t b,
				 struct progress *p, struct err *e)
{
	AUTO_STATE struct state *state = state_without(j, a, b);
	AUTO_SETUP const struct setup *setup = setup_with(w->setup, &(struct setup){.state = state});

	return sweep_run(
		&(struct sweep_request){.setup = setup, .engines = j->rq->engines, .prev = w, .progress = p},
		e);
}

static struct sweep *sweep_without(const struct survey_job *j, uint32_t a, uint32_t b, struct progress *p,
				   struct err *e)
{
	return sweep_after(j, j->rq->before, a, b, p, e);
}

/* The sweep in force before a row: of those that follow one on the other, the one before. */
static const struct sweep *sweep_before(const struct survey_job *j, const struct survey_row *row)
{
	uint32_t i = row->index;

	return i && j->chain && j->chain[i] && j->chain[i - 1] ? j->chain[i - 1] : j->rq->before;
}

/* The sweeps of a plan, one on the other; the last part but one of its rows each. */
static int make_chain(struct survey_job *j, struct progress *p, struct err *e)
{
	uint32_t n = j->s->n, alone = j->rq->n_alone;

	if (!j->s->plan || n < 2)
		return 0;
	j->chain = NEW_ARRAY((size_t)n + 1, struct sweep *);
	const struct sweep *was = j->chain[alone - 1] = sweep_without(j, 0, NO_ID, p, NULL);
	for (uint32_t i = alone; was && was->routing && i + 1 < n && !progress_cancelled(p); i++)
		was = j->chain[i] = sweep_after(j, was, i, NO_ID, p, NULL);
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

static uint32_t count_gone(const struct sweep *before, const struct topo *t, const struct state *after)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		n += routing_has_host(before->routing, ep) && !t->endport_up[ep] &&
		     !after->node_down[endport_node(t->fabric, ep)];
	return n;
}

static bool has_way(const struct sweep *w, uint32_t src, uint32_t dst, const uint16_t *hops)
{
	const struct topo *t = w->topo;

	return t->endport_up[src] && t->endport_up[dst] && t->endport_switch[src] != NO_ID &&
	       hops[t->endport_switch[src]] < HOPS_LOOP;
}

/* Counts pairs to one LID with a way in sweeps 0, 1 and 2 (before, without a, without b), but not in 3. */
static uint64_t beyond_of_lid(struct sweep *const *w, unsigned lid, uint32_t dst, uint16_t *hops,
			      uint32_t *work)
{
	uint32_t n = w[0]->fabric->n_switches;
	uint64_t found = 0;

	for (int i = 0; i < 4; i++)
		if (w[i]->routing)
			dest_hops(w[i]->routing, lid, hops + (size_t)i * n, work);
		else /* no switch has a way */
			memset(hops + (size_t)i * n, 0xff, n * sizeof(*hops));
	for (uint32_t src = 0; src < w[0]->fabric->n_endports; src++) {
		bool both = src != dst && routing_has_host(w[0]->routing, src);

		for (int i = 0; both && i < 3; i++)
			both = has_way(w[i], src, dst, hops + (size_t)i * n);
		found += both && !has_way(w[3], src, dst, hops + (size_t)3 * n);
	}
	return found;
}

/* Counts pairs that only both failures together cost. -1 and *e. */
static int count_beyond(const struct survey_job *j, const struct sweep *after, struct survey_row *row,
			struct progress *p, struct err *e)
{
	const struct sweep *before = j->rq->before;
	uint32_t n = before->fabric->n_switches;
	struct sweep *w[4] = {(struct sweep *)before, NULL, NULL, (struct sweep *)after};
	AUTO_FREE uint16_t *hops = NEW_ARRAY((size_t)4 * n + 1, uint16_t);
	AUTO_FREE uint32_t *work = NEW_ARRAY((size_t)n + 1, uint32_t);
	int rc = 0;

	for (int k = 0; !rc && k < 2; k++) {
		w[k + 1] = sweep_without(j, row->part[k], NO_ID, p, e);
		rc = w[k + 1] ? 0 : -1;
	}
	for (unsigned lid = 1; !rc && lid <= before->lids->max_lid; lid++) {
		uint32_t dst = before->lids->owner[lid];

		if (dst == NO_ID || !routing_has_host(before->routing, dst))
			continue;
		if (progress_cancelled(p))
			rc = err_set(e, CANCELLED);
		else
			row->beyond += beyond_of_lid(w, lid, dst, hops, work);
	}
	sweep_unref(w[1]);
	sweep_unref(w[2]);
	return rc;
}

/* No engine routes what is left. If no subnet manager can run anywhere, all is cut off. */
static int none_left(const struct survey_job *j, struct survey_row *row, struct progress *p, struct err *e)
{
	const struct sweep *before = j->rq->before;
	AUTO_STATE struct state *state = state_without(j, row->part[0], row->part[1]);
	AUTO_TOPO struct topo *t = topo_new(before->fabric, state);

	row->hosts_gone = count_gone(before, t, state);
	if (t->sm_endport != NO_ID)
		return -1;
	AUTO_ARENA struct comparison *c = compare_routings(before->routing, NULL, p);
	if (!c)
		return err_set(e, CANCELLED);
	row->lost = row->cut_off = c->lost;
	row->load_port = NO_ID;
	row->fallback = true;
	return 0;
}

static int count_outage(const struct survey_job *j, struct survey_row *row, struct progress *p, struct err *e)
{
	if (j->outage) {
		row->outage = j->outage[row->part[0]];
		return 0;
	}
	AUTO_STATE struct state *state = state_without(j, row->part[0], row->part[1]);
	const struct sweep *before = sweep_before(j, row);
	return outage_count(before->routing, state, local_repair_of(before->setup->options), &row->outage, p,
			    e);
}

static int survey_fill_row(const struct survey_job *j, unsigned worker, unsigned i, struct progress *p,
			   struct err *e)
{
	const struct sweep *before = j->rq->before;
	struct survey_row *row = &j->s->row[i];
	struct sweep *done = j->chain && i >= j->rq->n_alone ? j->chain[i] : NULL;
	AUTO_SWEEP struct sweep *after =
		done ? (struct sweep *)sweep_ref(done) : sweep_without(j, row->part[0], row->part[1], p, e);
	struct check_result c;
	int rc = 0;

	if (!after)
		return none_left(j, row, p, e) || count_outage(j, row, p, e) ? -1 : 0;
	if (count_outage(j, row, p, e))
		return -1;
	row->hosts_gone = count_gone(before, after->topo, after->setup->state);
	row->load_port = NO_ID;
	row->engine = after->routing ? after->routing->engine : NULL;
	row->fallback = !row->engine || strcmp(row->engine, before->routing->engine) != 0;
	if (row->engine)
		rc = effect_of(j->work[worker], after, row, p, e);
	if (!rc && row->engine && j->s->plan) {
		rc = check_routing(after->routing, &c, p) ? err_set(e, CANCELLED) : 0;
		row->longest = c.max_hops;
	}
	if (!rc && row->lost && row->part[1] != NO_ID)
		rc = count_beyond(j, after, row, p, e);
	return rc;
}

/* The rows that are done.  The mutex is held. */
static struct survey *survey_so_far(const struct survey_job *j)
{
	struct survey *s = ARENA_NEW(NULL, struct survey);

	*s = *j->s;
	sweep_unref_later(s, sweep_ref(s->before));
	arena_end(s, parts_free, parts_share(s->parts));
	s->row = ARENA_ARRAY(s, j->n_ended, struct survey_row);
	s->n = 0;
	for (uint32_t i = 0; i < j->s->n; i++)
		if (j->ended[i])
			s->row[s->n++] = j->s->row[i];
	qsort(s->row, s->n, sizeof(*s->row), survey_by_harm);
	return s;
}

/* Those that wait get the rows each time an eighth more of them are done. */
static int survey_one(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct survey_job *j = ctx;

	if (survey_fill_row(j, worker, i, p, e))
		return -1;
	if (!j->ended)
		return 0;
	pthread_mutex_lock(&j->mutex);
	j->ended[i] = 1;
	if (++j->n_ended == j->next && j->n_ended < j->s->n) {
		j->next += 1 + j->next / 8;
		j->rq->ready(survey_so_far(j));
	}
	pthread_mutex_unlock(&j->mutex);
	return 0;
}

/* --- the whole ---------------------------------------------------------------------------------------- */

/* The parts of a kind that are up. NULL and *e: none. */
static struct parts *list_parts(const struct sweep *w, enum part_kind kind, struct progress *p, struct err *e)
{
	struct elements *el = NULL;

	if (kind == PART_CHASSIS || kind == PART_CARD) {
		el = setup_elements(w->setup, p, NULL, e);
		if (!el)
			return NULL;
	}
	struct parts *parts = parts_new(w->fabric, kind, el);
	elements_unref(el);
	parts_keep_up(parts, w->topo);
	if (parts->n)
		return parts;
	parts_free(parts);
	err_set(e, "found no %s that is up, so there is nothing to survey%s",
		kind == PART_LINK ? "link between switches" : part_word[kind],
		kind < PART_CHASSIS ? ""
		: kind == PART_CARD
			? ": nothing tells which chips are on one card"
			: ": nothing tells which switches are in one chassis (chassis_file does)");
	return NULL;
}

static int survey_list_rows(struct survey *s, const struct survey_request *rq, struct err *e)
{
	uint32_t n = s->parts->n;
	AUTO_FREE uint32_t *pair = NULL;
	bool some = !rq->pairs && rq->sample && rq->sample < n;
	AUTO_FREE uint8_t *drawn = some ? NEW_ARRAY((size_t)n + 1, uint8_t) : NULL;
	uint64_t all = n ? (uint64_t)n * (n - 1) / 2 : 0, seed = rq->seed;

	for (uint32_t k = 0; some && k < rq->sample;) { /* without repetition */
		uint32_t i = rng_below(&seed, n);

		k += !drawn[i];
		drawn[i] = 1;
	}

	s->pairs = rq->pairs != 0;
	s->n_all = n;
	if (s->pairs) {
		if (n < 2)
			return err_set(e, "found 1 %s, expected at least 2 for a pair", part_word[rq->kind]);
		if (mem_room(e, MIN(all, rq->pairs) * (sizeof(*s->row) + 8), "rows of %u pairs", rq->pairs))
			return -1;
		s->n_all = survey_draw(n, rq->pairs, rq->seed, &pair, &s->sampled);
	}
	s->sampled |= some;
	s->row = ARENA_ARRAY(s, (size_t)s->n_all + 1, struct survey_row);
	for (uint32_t i = 0; i < s->n_all; i++)
		/* does it belong to the share? */
		if ((!rq->shards || i % rq->shards == rq->shard - 1) && (!some || drawn[i]))
			s->row[s->n++] = (struct survey_row){
				.index = i,
				.part = {pair ? pair[2 * (size_t)i] : i,
					 pair ? pair[2 * (size_t)i + 1] : NO_ID},
			};
	return 0;
}

/* The outage of each failure that happens alone, where one pass computes it. */
static int outage_alone(struct survey_job *j, struct progress *p, struct err *e)
{
	const struct sweep *before = j->rq->before;
	enum local_repair repair = local_repair_of(before->setup->options);

	if (j->s->pairs || j->s->plan || !outage_by_pass(before->routing, j->s->parts, repair))
		return 0;
	j->outage = ARENA_ARRAY(j->base, (size_t)j->s->parts->n + 1, uint64_t);
	return outage_of_parts(before->routing, j->s->parts, repair, j->outage, p, e);
}

static int run_rows(struct survey_job *j, struct progress *p, struct err *e)
{
	struct parallel par = {.n = j->s->n, .threads = j->rq->threads, .work = survey_one, .ctx = j};
	unsigned workers = parallel_workers(&par);

	j->base = effect_base_new(j->rq->before, j->rq->whole, workers, p, e);
	if (!j->base)
		return -1;
	j->s->load_before = j->base->load_max;
	if (j->rq->ready)
		j->ended = ARENA_ARRAY(j->base, j->s->n, uint8_t);
	j->work = ARENA_ARRAY(j->base, workers, struct effect_work *);
	for (unsigned i = 0; i < workers; i++)
		j->work[i] = effect_work_new(j->base, j->base);
	int rc = make_chain(j, p, e) || outage_alone(j, p, e) ? -1 : 0;
	if (!rc)
		rc = parallel_run(&par, "surveying failures", p, e);
	for (uint32_t i = 0; j->chain && i < j->s->n; i++)
		sweep_unref(j->chain[i]);
	free(j->chain);
	arena_free(j->base);
	return rc;
}

struct survey *survey_run(const struct survey_request *rq, struct progress *p, struct err *e)
{
	assert(rq->before->routing && !(rq->ready && (rq->plan || rq->by_outage)));
	assert(!rq->plan ||
	       (fabric_alike(rq->plan->fabric, rq->before->fabric) && rq->n_alone <= rq->plan->n));
	assert(!rq->shards || (rq->shard && rq->shard <= rq->shards));
	struct survey *s = ARENA_NEW(NULL, struct survey);
	struct survey_job j = {.rq = rq, .s = s, .mutex = PTHREAD_MUTEX_INITIALIZER, .next = 1};

	s->before = sweep_unref_later(s, sweep_ref(rq->before));
	s->plan = rq->plan != NULL;
	s->parts = s->plan ? rq->plan : list_parts(rq->before, rq->kind, p, e);
	arena_end(s, parts_free, s->parts);
	if (!s->parts || survey_list_rows(s, rq, e) || run_rows(&j, p, e)) {
		arena_free(s);
		return NULL;
	}
	if (!s->plan)
		qsort(s->row, s->n, sizeof(*s->row), rq->by_outage ? by_outage : survey_by_harm);
	return s;
}
