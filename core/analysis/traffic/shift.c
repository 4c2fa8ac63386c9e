/* Shifts: each host sends to the one that many places on; which pairs are on which link. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/internal.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/sm/sweep.h"

/* One shift in full: which pairs are on which link. */

/* One link of a pair's way. */
struct crossing {
	uint32_t port, pair;
};

/* Ways of all pairs, one after the other. */
struct shift_links_ways {
	const struct routing *r;
	const struct fabric *f;
	uint32_t *way; /* of a pair, as shift_way() has it */
	struct crossing *at;
	size_t n, cap;
	uint32_t *count; /* [n_ports] flows */
};

COMPARATOR(by_flows, struct shift_link, DOWN(flows) UP(port))

/* Pairs by link: counted, placed, filled. */
static void shift_links_gather(struct shift_links_ways *w, struct shift_links *s)
{
	uint32_t first = 0;

	s->link = ARENA_ARRAY(s, w->f->n_ports + 1, struct shift_link);
	s->pair_of = ARENA_ARRAY(s, w->n + 1, uint32_t);
	for (size_t i = 0; i < w->n; i++)
		w->count[w->at[i].port]++;
	for (uint32_t p = 0; p < w->f->n_ports; p++) {
		uint32_t flows = w->count[p];

		w->count[p] = first; /* place of the next pair */
		if (flows)
			s->link[s->n++] = (struct shift_link){p, flows, first};
		first += flows;
	}
	for (size_t i = 0; i < w->n; i++)
		s->pair_of[w->count[w->at[i].port]++] = w->at[i].pair;
	qsort(s->link, s->n, sizeof(*s->link), by_flows);
	s->load.port = s->n ? s->link[0].port : NO_ID;
	s->load.max = s->n ? s->link[0].flows : 0;
}

/* Who sends to whom, as place i sends to place k? False: nobody does. */
static bool shift_flow(const struct shift_order *o, uint32_t i, uint32_t k, uint32_t *src, uint32_t *dst)
{
	*src = o->place[i];
	*dst = o->place[k];
	if (*src == NO_ID || *dst == NO_ID)
		return false;
	if (!o->rails)
		return true;
	uint32_t same = o->place[i - i % o->rails + k % o->rails];
	if (!o->direct && same != NO_ID)
		*src = same;
	return i / o->rails != k / o->rails;
}

static int follow_pairs(struct shift_links_ways *w, struct shift_links *s, const struct shift_order *order,
			struct progress *p, struct err *e)
{
	uint32_t n = s->n_places, k = s->load.shift;

	for (uint32_t i = 0; i < n; i++) {
		struct shift_pair pair;

		if (progress_cancelled(p))
			return err_set(e, CANCELLED);
		if (!shift_flow(order, i, i + k < n ? i + k : i + k - n, &pair.src, &pair.dst))
			continue;
		s->pair[s->load.flows] = pair;
		uint32_t links = shift_way(w->r, pair.src, pair.dst, w->way);
		for (uint32_t m = 0; m < links; m++) {
			GROW(w->at, w->n, w->cap);
			w->at[w->n++] = (struct crossing){w->way[m], s->load.flows};
		}
		s->load.flows += links != 0;
		s->load.lost += links == 0;
	}
	shift_links_gather(w, s);
	return 0;
}

struct shift_links *shift_links_new(const struct routing *r, const struct shift_order *o, uint32_t k,
				    struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct shift_links_ways w = {.r = r, .f = r->topo->fabric};
	uint32_t n = o->n;

	assert(k && k < n);
	if (mem_room(e, (size_t)n * 16 * sizeof(uint32_t) + (size_t)w.f->n_ports * 16, "the ways of %u pairs",
		     n))
		return NULL;
	struct shift_links *s = ARENA_NEW(NULL, struct shift_links);
	s->n_places = n;
	s->by = o->by;
	s->load.shift = k;
	s->pair = ARENA_ARRAY(s, (size_t)n + 1, struct shift_pair);
	w.way = ARENA_ARRAY(arena, (size_t)w.f->n_switches + 2, uint32_t);
	w.count = ARENA_ARRAY(arena, (size_t)w.f->n_ports + 1, uint32_t);
	int rc = follow_pairs(&w, s, o, p, e);
	free(w.at);
	if (!rc)
		return s;
	arena_free(s);
	return NULL;
}

static int by_name(const void *x, const void *y, void *ctx)
{
	const struct fabric *f = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = strverscmp(f->node_name[endport_node(f, a)], f->node_name[endport_node(f, b)]);

	return c ? c : COMPARED(a, b);
}

/* All hosts that count, are up and have a LID, by a word (NULL: by LID). */
static int shift_list_hosts(const struct routing *r, const char *by, struct shift_order *o, struct err *e)
{
	if (by && !strcmp(by, shift_by_name(SHIFT_NAME)))
		o->by = SHIFT_NAME;
	else if (by && strcmp(by, shift_by_name(SHIFT_LID)) != 0)
		return err_set(e, "order: found \"%s\", expected lid, ftree, name or rail", by);
	o->place = pattern_hosts(r, &o->n);
	if (o->by == SHIFT_NAME)
		qsort_r(o->place, o->n, sizeof(*o->place), by_name, (void *)r->topo->fabric);
	return 0;
}

/* A place for each rail of each host. */
static int list_gpus(const struct routing *r, struct shift_order *o, struct err *e)
{
	struct gpus *g = gpus_new(r, NULL, 0);
	uint64_t n = (uint64_t)g->n_hosts * g->n_rails;
	int rc = n > INT32_MAX
			 ? err_set_kind(e, ERR_LIMIT, "order rail: too many rails: %u of %u hosts",
					g->n_rails, g->n_hosts)
			 : mem_room(e, n * sizeof(*o->place), "%u rails of %u hosts", g->n_rails, g->n_hosts);

	if (!rc) {
		o->by = SHIFT_RAIL;
		o->n = (uint32_t)n;
		o->rails = g->n_rails;
		o->place = NEW_ARRAY(n + 1, uint32_t);
		memset(o->place, 0xff, n * sizeof(*o->place));
		for (uint32_t h = 0; h < g->n_hosts; h++)
			for (uint32_t k = g->first[h]; k < g->first[h + 1]; k++)
				o->place[h * g->n_rails + g->gpu[k].rail] = g->gpu[k].endport;
	}
	arena_free(g);
	return rc;
}

/* Keeps only the hosts of an engine's order that count. In a scope, missing nodes have no place either. */
static void shift_take_order(const struct routing *r, const struct routing *tree, struct shift_order *o)
{
	bool narrowed = r->hosts && r->hosts->narrowed;
	uint32_t n;

	o->by = SHIFT_FTREE;
	o->place = tree->ops->order(tree, &n);
	for (uint32_t i = 0; i < n; i++)
		if (o->place[i] == NO_ID ? !narrowed : routing_counts(r, o->place[i]))
			o->place[o->n++] = o->place[i];
}

/* Runs ftree on the setup `base`. NULL and *e: it refuses, or is cancelled. */
static struct sweep *shift_route_tree(const struct setup *base, const struct engine *const *engines,
				      struct progress *p, struct err *e)
{
	AUTO_OPTIONS struct options *o = options_copy(base->options);

	if (options_set(o, "lmc", "0", e))
		return NULL;
	AUTO_SETUP struct setup *s =
		setup_with(base, &(struct setup){.options = o, .chain = "ftree,no_fallback"});
	struct sweep *w =
		sweep_run(&(struct sweep_request){.setup = s, .engines = engines, .progress = p}, e);
	if (!w || w->routing)
		return w;
	err_set(e, "order ftree: ftree refuses the fabric: %s",
		w->n_refusals ? w->refusal[w->n_refusals - 1].why : "there is nothing to route");
	sweep_unref(w);
	return NULL;
}

const char *shift_by_name(enum shift_by by)
{
	static const char *const name[] = {"lid", "ftree", "name", "rail"};

	static_assert(ARRAY_LEN(name) == SHIFT_RAIL + 1, "a name for each");
	assert(by <= SHIFT_RAIL);
	return name[by];
}

const char *shift_by_text(enum shift_by by)
{
	static const char *const text[] = {"by LID", "of the fat tree", "by name", "GPUs of host by host"};

	static_assert(ARRAY_LEN(text) == SHIFT_RAIL + 1, "a text for each");
	assert(by <= SHIFT_RAIL);
	return text[by];
}

struct shift_order *shift_order_new(const struct routing *r, const struct setup *base,
				    const struct engine *const *engines, const char *by, struct progress *p,
				    struct err *e)
{
	struct shift_order *o = ARENA_NEW(NULL, struct shift_order);
	bool tree = !by || !strcmp(by, shift_by_name(SHIFT_FTREE));
	int rc = 0;

	o->by = SHIFT_LID;
	if (tree && r->ops->order) {
		shift_take_order(r, r, o);
	} else if (tree && base && engine_find(engines, "ftree")) {
		AUTO_SWEEP struct sweep *w = shift_route_tree(base, engines, p, e);
		if (w && w->routing->ops->order)
			shift_take_order(r, w->routing, o);
		else if (progress_cancelled(p))
			rc = err_set(e, CANCELLED);
		else if (by)
			rc = -1;
	}
	if (!rc && by && !strcmp(by, shift_by_name(SHIFT_RAIL)))
		rc = list_gpus(r, o, e);
	else if (!rc && o->by == SHIFT_LID)
		rc = shift_list_hosts(r, by, o, e);
	if (!rc) {
		arena_end(o, free, o->place);
		return o;
	}
	arena_free(o);
	return NULL;
}

uint32_t shift_way(const struct routing *r, uint32_t src, uint32_t dst, uint32_t *port)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t sw = t->endport_switch[src], n = 0;

	port[n++] = f->endport_port[src];
	while (sw != NO_ID && n <= f->n_switches + 1) {
		unsigned out = routing_next_port(r, sw, r->lids->base[dst]);

		if (!out || out > f->switch_nports[sw])
			return 0;
		port[n++] = switch_port_id(f, sw, out);
		uint32_t peer = t->peer[port[n - 1]];
		if (peer == NO_ID)
			return 0;
		if (peer == f->endport_port[dst])
			return n;
		sw = f->node_switch[f->port_node[peer]];
	}
	return 0;
}

struct shift_work {
	const struct routing *r;
	const struct shift_order *order;
	uint32_t *way;		 /* of a pair, as shift_way() has it */
	uint32_t *flows, *epoch; /* [n_ports] flows, valid for shift number epoch */
};

static void shift_count(struct shift_work *w, uint32_t port, struct shift_load *l)
{
	if (w->epoch[port] != l->shift) {
		w->epoch[port] = l->shift;
		w->flows[port] = 0;
	}
	if (++w->flows[port] > l->max) {
		l->max = w->flows[port];
		l->port = port;
	}
}

static void shift_route_one(struct shift_work *w, struct shift_load *l)
{
	l->port = NO_ID;
	for (uint32_t i = 0, n = w->order->n; i < n; i++) {
		uint32_t src, dst;

		if (!shift_flow(w->order, i, i + l->shift < n ? i + l->shift : i + l->shift - n, &src, &dst))
			continue;
		uint32_t links = shift_way(w->r, src, dst, w->way);
		l->flows += links != 0;
		l->lost += links == 0;
		for (uint32_t k = 0; k < links; k++)
			shift_count(w, w->way[k], l);
	}
}

static void shift_sum_up(struct shifts *s)
{
	uint64_t sum = 0;

	s->worst = s->n ? 0 : NO_ID;
	for (uint32_t i = 0; i < s->n; i++) {
		sum += s->load[i].max;
		s->free += s->load[i].max <= 1 && s->load[i].flows && !s->load[i].lost;
		if (s->load[i].max > s->load[s->worst].max)
			s->worst = i;
	}
	s->mean = s->n ? (double)sum / s->n : 0;
}

/* At most this many flows are counted; otherwise shifts are sampled. */
#define SHIFT_FLOWS 20000000u
/* With this many flows or more, threads are worth their start. */
#define MANY_FLOWS 100000u

uint32_t shift_sample(const struct shift_order *o)
{
	if ((uint64_t)o->n * o->n <= SHIFT_FLOWS)
		return 0;
	return SHIFT_FLOWS / o->n ? SHIFT_FLOWS / o->n : 1;
}

struct sampling {
	struct shift_work *worker;
	struct shifts *s;
};

static int sample_shift(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	const struct sampling *x = ctx;
	struct shift_work *w = &x->worker[worker];
	uint32_t all = w->order->n - 1;

	x->s->load[i].shift = 1 + (uint32_t)((uint64_t)i * all / x->s->n);
	shift_route_one(w, &x->s->load[i]);
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

struct shifts *shifts_new(const struct routing *r, const struct shift_order *o, uint32_t sample,
			  unsigned threads, struct progress *p)
{
	struct shifts *s = ARENA_NEW(NULL, struct shifts);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	uint32_t n = o->n, all = n ? n - 1 : 0;
	const struct fabric *f = r->topo->fabric;
	struct sampling x = {.s = s};
	struct parallel par = {.work = sample_shift, .ctx = &x};
	struct err e;

	s->by = o->by;
	s->n_places = n;
	for (uint32_t i = 0; i < n; i++)
		s->n_missing += o->place[i] == NO_ID;
	s->n = sample && sample < all ? sample : all;
	s->load = ARENA_ARRAY(s, s->n + 1, struct shift_load);
	par.n = s->n;
	par.threads = (uint64_t)s->n * n < MANY_FLOWS ? 1 : threads;
	unsigned workers = parallel_workers(&par);
	x.worker = ARENA_ARRAY(arena, workers, struct shift_work);
	for (unsigned i = 0; i < workers; i++)
		x.worker[i] = (struct shift_work){.r = r,
						  .order = o,
						  .way = ARENA_ARRAY(arena, f->n_switches + 2, uint32_t),
						  .flows = ARENA_ARRAY(arena, f->n_ports, uint32_t),
						  .epoch = ARENA_ARRAY(arena, f->n_ports, uint32_t)};
	int rc = parallel_run(&par, "shifts", p, &e);
	shift_sum_up(s);
	if (!rc)
		return s;
	arena_free(s);
	return NULL;
}
