/* Making of recordings: an engine asked once more, how entries were decided, cycles, candidates of steps. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"
#include "core/trace/internal.h"
#include "core/trace/recording.h"
#include "core/trace/walk.h"

/* An engine asked once more, also where the fabric has changed since it ran. */

/* A question about tables that were made for another fabric; ids are those of `now`. */
struct asked_before {
	const struct rec_ask *ask;
	const struct fabric *was, *now;
};

/* A candidate of then, if its cable is still there.  False: it led to what is gone. */
static bool offer_now(const struct asked_before *a, struct rec_offer *offer)
{
	uint32_t peer = fabric_port_in(a->now, a->was, offer->peer),
		 here = peer == NO_ID ? NO_ID
				      : fabric_port_in(a->now, a->was, a->was->port_peer[offer->peer]);

	if (here == NO_ID || a->now->port_peer[peer] != here)
		return false;
	offer->peer = peer;
	return true;
}

static void tell_before(void *ctx, const struct rec_choice *then)
{
	const struct asked_before *a = ctx;
	uint32_t sw = fabric_switch_in(a->now, a->was, then->sw);
	unsigned n = 0;

	if (sw == NO_ID)
		return;
	struct rec_choice *c = rec_choice_copy(then);
	c->sw = sw;
	c->target = then->target == NO_ID ? NO_ID : fabric_switch_in(a->now, a->was, then->target);
	for (unsigned i = 0; i < c->n_offers; i++)
		if (offer_now(a, &c->offer[i]))
			c->offer[n++] = c->offer[i];
	unsigned gone = c->n_offers - n;
	c->n_offers = n;
	if (gone && !c->text.len)
		text_add(&c->text, "%s", c->rule ? c->rule : "chosen");
	if (gone)
		text_add(&c->text, "; %s of then led to what is gone", PLURAL(gone, "candidate"));
	a->ask->tell(a->ask->ctx, c);
	rec_choice_free(c);
}

int rec_ask_again(const struct sweep *s, const struct sweep_repeat *q, struct err *e)
{
	assert(q->ask && q->ask->tell);

	const struct sweep *made = sweep_made(s);
	struct asked_before a = {q->ask, made->fabric, s->fabric};
	struct rec_ask ask = *q->ask;
	struct sweep_repeat then = *q;

	if (a.was == a.now)
		return sweep_repeat(s, q, NULL, e);
	ask.tell = tell_before;
	ask.ctx = &a;
	if (ask.sw != NO_ID)
		ask.sw = fabric_switch_in(a.was, a.now, ask.sw);
	if (ask.sw == NO_ID && q->ask->sw != NO_ID)
		return err_set(
			e, "the unicast cache kept the tables of sweep %u, and %s was not in the fabric then",
			made->number + 1, switch_name(s->fabric, q->ask->sw));
	then.ask = &ask;
	return sweep_repeat(made, &then, NULL, e);
}

/* How entries were decided. */

bool rec_asks(const struct engine_input *in, uint32_t sw, unsigned lid)
{
	const struct rec_ask *q = in->ask;

	return q && (q->sw == NO_ID || q->sw == sw) && (!q->lid || q->lid == lid) &&
	       (sw == NO_ID || !q->wanted || q->wanted(q->those, sw, lid));
}

struct rec_choice *rec_choice(const struct engine_input *in, uint32_t sw, unsigned lid)
{
	if (!rec_asks(in, sw, lid))
		return NULL;
	assert(sw < in->topo->fabric->n_switches && lid <= in->lids->max_lid);
	struct rec_choice *c = NEW(struct rec_choice);
	c->sw = sw;
	c->lid = (uint16_t)lid;
	c->via = in->ask->sw == sw ? in->ask->via : 0;
	c->target = NO_ID;
	c->port = c->old_port = NO_PATH;
	return c;
}

struct rec_offer *rec_offer(struct rec_choice *c, unsigned port, uint32_t peer)
{
	assert(port <= NO_PATH);
	GROW(c->offer, c->n_offers, c->cap);
	struct rec_offer *o = &c->offer[c->n_offers++];
	*o = (struct rec_offer){.port = (uint8_t)port, .peer = peer};
	for (unsigned i = 0; i < REC_QUANTITIES; i++)
		o->q[i] = INT64_MIN;
	return o;
}

void rec_chosen(const struct engine_input *in, struct rec_choice *c)
{
	assert(c->n_quantities <= REC_QUANTITIES && (!c->n_quantities || c->quantity));
	in->ask->tell(in->ask->ctx, c);
	rec_choice_free(c);
}

void rec_choice_free(struct rec_choice *c)
{
	if (!c)
		return;
	text_free(&c->text);
	decided_free(&c->decided);
	decided_free(&c->against);
	free(c->offer);
	free(c);
}

struct rec_choice *rec_choice_copy(const struct rec_choice *c)
{
	struct rec_choice *to = mem_dup(c, sizeof(*c));

	to->text = (struct text){0};
	text_add(&to->text, "%s", text_str(&c->text));
	to->decided.text = to->against.text = (struct text){0};
	text_add(&to->decided.text, "%s", text_str(&c->decided.text));
	text_add(&to->against.text, "%s", text_str(&c->against.text));
	to->offer = c->n_offers ? mem_dup(c->offer, c->n_offers * sizeof(*c->offer)) : NULL;
	to->cap = c->n_offers;
	return to;
}

uint32_t rec_elsewhere(const struct fabric *f, const struct rec_choice *c, const struct rec_offer *o)
{
	uint32_t own = o->peer == NO_ID ? NO_ID : f->port_peer[o->peer];

	return own == NO_ID || f->port_node[own] == f->switch_node[c->sw] ? NO_ID : own;
}

#define SMALL ((size_t)4 << 20) /* kinds in the focus with fewer bytes are kept for the whole run */

/* The sweep whose engine made the tables. */
static const struct sweep *trace_make_origin(const struct sweep *s)
{
	while (s->cached && s->prev)
		s = s->prev;
	return s;
}

const struct engine *recording_possible(const struct sweep *s, const char *engine,
					const struct engine *const *engines)
{
	s = trace_make_origin(s);
	if (!engine && !s->routing)
		return NULL;
	bool known = !engine || (s->routing && !strcmp(engine, s->routing->engine));
	for (size_t i = 0; !known && i < s->n_refusals; i++)
		known = !strcmp(s->refusal[i].engine, engine);
	if (!known)
		return NULL;
	const struct engine *g = engine_find(engines, engine ? engine : s->routing->engine);
	return g && g->scheme ? g : NULL;
}

/* --- is the recorded run the one that made the tables? ------------------------------------------------- */

static size_t rows_differ(const struct routing *a, const struct routing *b)
{
	size_t n = 0;

	assert(a->topo->fabric->n_switches == b->topo->fabric->n_switches);
	for (uint32_t s = 0; s < a->topo->fabric->n_switches; s++) {
		if (!a->row[s] != !b->row[s])
			n++;
		if (!a->row[s] || !b->row[s] ||
		    (a->row[s]->top == b->row[s]->top &&
		     !memcmp(a->row[s]->port, b->row[s]->port, a->row[s]->top + 1u)))
			continue;
		for (unsigned lid = 1; lid <= a->lids->max_lid; lid++)
			n += routing_port(a, s, lid) != routing_port(b, s, lid);
	}
	return n;
}

static size_t hops_differ(const struct routing *a, const struct routing *b, struct progress *progress)
{
	const struct fabric *f = a->topo->fabric;
	size_t n = 0;

	assert(f->n_ports == b->topo->fabric->n_ports && a->ops->hops && b->ops->hops);
	for (uint32_t s = 0; s < f->n_switches && !progress_cancelled(progress); s++)
		for (unsigned p = 0; switch_up(a->topo, s) && p <= f->switch_nports[s]; p++) {
			if (p && a->topo->peer_switch[switch_port_id(f, s, p)] == NO_ID)
				continue;
			for (uint32_t d = 0; d < f->n_switches; d++)
				n += a->ops->hops(a, s, d, p) != b->ops->hops(b, s, d, p);
		}
	return n;
}

/* --- a run ------------------------------------------------------------------------------------- */

/* Bytes of the kinds that are kept whole at a stage. */
static size_t whole_at(const struct recorder *k, unsigned stage)
{
	size_t n = k->bytes[0];

	for (unsigned i = stage + 1; i <= REC_BULKS; i++)
		n += k->bytes[i];
	return n;
}

static void set_part(struct recorder *k)
{
	static const char *const name[REC_BULKS + 1] = {"", "hops", "choices", "ways", "pairs"};
	struct recording *r = k->r;
	const struct rec_focus *f = &r->keep;
	const struct fabric *fab = r->sweep->fabric;
	AUTO_TEXT struct text t = {0};
	unsigned last = 0;
	char buf[32];

	if (!r->stage)
		return;
	/* "hops and choices": the kinds that are kept only in part */
	for (unsigned i = 1; i <= r->stage; i++)
		last = k->bytes[i] ? i : last;
	for (unsigned i = 1; i <= last; i++)
		if (k->bytes[i])
			text_add(&t, "%s%s", t.len ? i == last ? " and " : ", " : "", name[i]);
	if (f->sw != NO_ID)
		text_add(&t, " of switch %s ", switch_name(fab, f->sw));
	else if (f->lid)
		text_add(&t, " of LID %u ", f->lid);
	else
		text_add(&t, " of what was named ");
	text_add(&t, "only (the whole run: %s)", mem_text(whole_at(k, 0), buf, sizeof(buf)));
	r->part = str_dup(text_str(&t));
}

static struct recording *recording_new(const struct sweep *s, const struct engine *g,
				       const struct rec_request *rq, unsigned stage)
{
	struct recording *r = NEW(struct recording);

	assert(g->scheme && rq->selected <= s->fabric->n_switches);
	r->refs = 1;
	r->told = NEW(struct told);
	pthread_mutex_init(&r->told->lock, NULL);
	r->sweep = sweep_ref(s);
	r->engine = g;
	r->focus = rq->focus;
	/*
	 * Of a run that is too long, one switch is kept, with all LIDs, since its counters need them. Without
	 * a request it is the first switch with a host.
	 */
	r->keep = rq->focus;
	if (rec_focus_is_all(&r->keep)) {
		r->keep.sw = rq->selected ? rq->selected - 1 : NO_ID;
		for (uint32_t ep = 0; ep < s->fabric->n_endports && r->keep.sw == NO_ID; ep++)
			if (!endport_is_switch(s->fabric, ep))
				r->keep.sw = s->topo->endport_switch[ep];
		if (r->keep.sw == NO_ID)
			r->keep.sw = 0;
	}
	if (r->keep.sw != NO_ID)
		r->keep.lid = 0;
	r->stage = stage;
	uint32_t ep = r->keep.lid ? lid_owner(s->lids, r->keep.lid) : NO_ID;
	r->keep_target = ep == NO_ID ? NO_ID : s->topo->endport_switch[ep];
	r->cells[T_ENTRY] = (size_t)s->fabric->n_switches * (s->lids->max_lid + 1u);
	return r;
}

/* Lets the engine run.  The last event records the end.  Returns -1 and *e when there was no run. */
static int trace_make_run(struct recorder *k, const struct rec_request *rq, struct err *e)
{
	struct recording *r = k->r;
	struct sweep_repeat q = {
		.engines = rq->engines, .engine = r->engine->name, .record = k, .progress = rq->progress};
	struct routing *made;
	struct err why = {0};

	if (!r->sweep->n_refusals) /* the engine in force; names are for engines that refused */
		q.engine = NULL;
	if (sweep_repeat(r->sweep, &q, &made, &why)) {
		if (progress_cancelled(rq->progress))
			return err_set(e, CANCELLED);
		if (k->no_memory || err_is_memory(&why)) {
			*e = k->no_memory ? k->e : why;
			return -1;
		}
		r->refused = true;
		rec_text(k, REC_REFUSED, why.msg);
		return 0;
	}
	rec_event(k, REC_DONE, 0, 0, 0, 0);
	if (r->sweep->routing && !strcmp(r->sweep->routing->engine, r->engine->name)) {
		/* number of cells; incomplete when cancelled */
		r->differs = rows_differ(made, r->sweep->routing);
		if (made->ops->hops && r->sweep->routing->ops->hops)
			r->differs += hops_differ(made, r->sweep->routing, rq->progress);
		r->end = routing_ref(r->sweep->routing);
		routing_unref(made);
	} else {
		r->end = made;
	}
	if (progress_cancelled(rq->progress))
		return err_set(e, CANCELLED);
	if (k->no_memory)
		*e = k->e;
	return k->no_memory ? -1 : 0;
}

/* Tries once. False and *e: no try is possible. k->r is NULL when the run exceeds the limit. */
static bool trace_make_attempt(struct recorder *k, const struct rec_request *rq, unsigned *stage,
			       struct err *e)
{
	int rc = trace_make_run(k, rq, e);

	recorder_clear(k);
	if (rc || k->full) {
		recording_free(k->r);
		k->r = NULL;
	} else {
		set_part(k);
		/* give back memory that is not needed */
		k->r->event = mem_resize(k->r->event, k->r->n_events + 1, sizeof(*k->r->event));
		k->r->unit = mem_resize(k->r->unit, k->r->n_units + 1, sizeof(*k->r->unit));
	}
	if (rc || !k->full)
		return !rc;
	if (!k->all) /* later tries keep only parts of the kinds that exceed the limit */
		do {
			++*stage;
		} while (*stage < REC_BULKS && whole_at(k, *stage) > k->limit);
	return true;
}

const struct recording *recording_make(const struct rec_request *rq, struct err *e)
{
	const struct sweep *s = trace_make_origin(rq->sweep);
	const struct engine *g = recording_possible(s, rq->engine, rq->engines);
	size_t limit = rq->limit ? rq->limit : REC_LIMIT;
	size_t cables = 0, n = s->topo->n_switches_up;
	unsigned stage = 0;
	char buf[32];

	if (sweep_of_now(rq->sweep, e))
		return NULL;
	if (!g) {
		err_set(e, "no run of %s can be recorded", rq->engine ? rq->engine : "the engine in force");
		return NULL;
	}
	/* an estimate of the bytes: cells of a matrix and choices */
	for (uint32_t p = 0; p < s->fabric->n_ports; p++)
		cables += s->topo->peer_switch[p] != NO_ID &&
			  node_is_switch(s->fabric, s->fabric->port_node[p]);
	bool all = 9 * cables * n + 24 * n * s->lids->max_lid < MIN(SMALL, limit);
	for (; stage <= REC_BULKS; all = false) {
		struct recorder k = {.r = recording_new(s, g, rq, stage),
				     .all = all,
				     .limit = limit,
				     .matrix = T_HOPS,
				     .extra = SIZE_MAX};

		if (!trace_make_attempt(&k, rq, &stage, e))
			return NULL;
		if (k.r)
			return k.r;
	}
	err_set(e, "even a part of the run of %s takes more than %s; `set record_limit` allows more", g->name,
		mem_text(limit, buf, sizeof(buf)));
	return NULL;
}

/* Cycles in events. Each kind of event with a cycle has a row. */

/* The word after each channel. */
enum holder {
	HOLDER_PAIR,  /* the pair that brought the dependency on the next channel */
	HOLDER_COUNT, /* the number of such pairs */
	HOLDER_LID    /* the LID whose tree has the dependency */
};

static const struct kind {
	enum rec_kind kind;
	unsigned skip; /* words before the cycle */
	enum holder holder;
	const char *title; /* title of the layer, if the event names one */
} kinds[] = {
	{REC_REFUSE, 0, HOLDER_PAIR, "not in layer"},
	{REC_TURN, REC_TURN_WORDS, HOLDER_PAIR, "not to layer"},
	{REC_BREAK, 0, HOLDER_COUNT, "cut in layer"},
	{REC_CYCLE, 0, HOLDER_COUNT, "no VL is left for a cut of layer"},
	{REC_BLOCK, 0, HOLDER_LID, "blocked"},
	{REC_BACKTRACK, 4, HOLDER_LID, "not that way"},
};

static const struct kind *step_cycle_kind_of(const struct rec_event *ev)
{
	for (size_t i = 0; ev && i < ARRAY_LEN(kinds); i++)
		if (kinds[i].kind == ev->kind)
			return &kinds[i];
	return NULL;
}

/* Finds the words of the cycle, two per channel. Returns their number. */
static uint32_t step_cycle_words_of(const struct moment *m, const struct kind *k, const uint32_t **word)
{
	uint32_t n = k ? recording_extra(m->rec, m->step, word) : 0;

	if (!k || n < k->skip + 2)
		return 0;
	*word += k->skip;
	return (n - k->skip) & ~1u;
}

static struct witness_edge edge_of(const struct moment *m, enum holder holder, const uint32_t *word)
{
	uint32_t n = recording_sweep(m->rec)->fabric->n_switches, pair = word[1];
	struct witness_edge e = {.port = word[0], .routes = 1, .sw = NO_ID, .sw2 = NO_ID};

	if (holder == HOLDER_COUNT)
		e.routes = word[1];
	if (holder == HOLDER_LID)
		e.own = word[1] == moment_event(m)->b;
	if (holder != HOLDER_PAIR)
		return e;
	e.own = pair == moment_event(m)->a;
	e.routes = pair != NO_ID && !e.own;
	if (pair != NO_ID) {
		e.sw = pair / n;
		e.sw2 = pair % n;
	}
	return e;
}

struct witness *step_cycle(const struct moment *m)
{
	const struct kind *k = step_cycle_kind_of(moment_event(m));
	const uint32_t *word;
	uint32_t n = step_cycle_words_of(m, k, &word);

	if (!n)
		return NULL;
	struct witness *w = NEW(struct witness);
	w->edge = NEW_ARRAY(n / 2, struct witness_edge);
	for (uint32_t i = 0; i < n; i += 2)
		w->edge[w->n++] = edge_of(m, k->holder, word + i);
	w->cut = NO_ID;
	for (uint32_t i = 0; k->kind == REC_BREAK && i < w->n; i++) /* the first edge with the fewest pairs */
		if (w->cut == NO_ID || w->edge[i].routes < w->edge[w->cut].routes)
			w->cut = i;
	return w;
}

int step_holder(const struct moment *m, uint32_t i)
{
	const struct kind *k = step_cycle_kind_of(moment_event(m));
	const uint32_t *word;

	if (!k || k->holder != HOLDER_LID || 2 * i >= step_cycle_words_of(m, k, &word))
		return -1;
	return (int)word[2 * i + 1];
}

void step_cycle_title(const struct moment *m, struct text *t)
{
	const struct kind *k = step_cycle_kind_of(moment_event(m));

	if (k && step_layer(m) >= 0)
		text_add(t, "%s %d", k->title, step_layer(m));
	else if (k)
		text_add(t, "%s", k->title);
}

int step_layer(const struct moment *m)
{
	const struct rec_event *ev = moment_event(m);

	return ev && rec_kinds[ev->kind].b == FIELD_LAYER ? (int)ev->b : -1;
}

bool step_refused(const struct moment *m)
{
	const struct rec_event *ev = moment_event(m);

	return ev && (ev->kind == REC_REFUSE || ev->kind == REC_CYCLE || (ev->kind == REC_TURN && ev->rule));
}

/* Candidates of steps.  A recording keeps no offers: they would be most of it, and few are ever used.  So the
 * engine runs once more to report them, for all steps around the requested one, since people go from step to
 * step.  The answers stay with the recording until another part is requested. */

#define BEFORE 32 /* this many steps before the requested one are answered, too */
#define BEHIND 480

/* The entry that a step decides, as one number; 0: none. */
static uint64_t entry_of(const struct recording *r, size_t step)
{
	const struct rec_event *ev = recording_event(r, step);

	return rec_decides(ev) ? (uint64_t)ev->a << 32 | ev->b : 0;
}

/* The steps around one, and the answers about them. */
struct answers_part {
	struct answers *a;
	uint64_t *entry; /* [n] requested entries, sorted */
	size_t n;
};

/* Takes a choice. The last one about an entry counts. */
static void answers_take(void *ctx, const struct rec_choice *c)
{
	struct answers_part *p = ctx;
	uint64_t key = (uint64_t)c->sw << 32 | c->lid;
	const uint64_t *found = bsearch(&key, p->entry, p->n, sizeof(key), order_u64);

	if (!found)
		return;
	rec_choice_free(p->a->choice[found - p->entry]);
	p->a->choice[found - p->entry] = rec_choice_copy(c);
}

static void answers_clear(struct answers *a)
{
	for (size_t i = 0; i < a->n; i++)
		rec_choice_free(a->choice[i]);
	free(a->choice);
	free(a->entry);
	*a = (struct answers){0};
}

/* Gathers the entries decided around a step: on its switch or for its LID, the larger set. */
static struct rec_ask answers_gather(const struct recording *r, size_t step, struct answers_part *p)
{
	size_t from = step > BEFORE ? step - BEFORE : 1, to = step + BEHIND, same_sw = 0, same_lid = 0;
	const struct rec_event *ev = recording_event(r, step);
	struct rec_ask q = {
		.tell = answers_take, .ctx = p, .sw = ev->a, .lid = (uint16_t)ev->b, .last = true};

	to = to < recording_steps(r) ? to : recording_steps(r);
	for (size_t i = from; i <= to; i++) {
		same_sw += entry_of(r, i) && recording_event(r, i)->a == ev->a;
		same_lid += entry_of(r, i) && recording_event(r, i)->b == ev->b;
	}
	if (same_sw > 1 && same_sw >= same_lid)
		q.lid = 0;
	else if (same_lid > 1)
		q.sw = NO_ID;
	p->entry = NEW_ARRAY(to - from + 1, uint64_t);
	for (size_t i = from; i <= to; i++)
		if (entry_of(r, i) && (q.sw == NO_ID || recording_event(r, i)->a == q.sw) &&
		    (!q.lid || recording_event(r, i)->b == q.lid))
			p->entry[p->n++] = entry_of(r, i);
	qsort(p->entry, p->n, sizeof(*p->entry), order_u64);
	return q;
}

/* Run the engine once more for the steps around one; 0, or -1 and *e. */
static int answers_ask(const struct recording *r, size_t step, const struct engine *const *engines,
		       struct answers *a, struct progress *progress, struct err *e)
{
	const struct sweep *s = recording_sweep(r);
	struct answers_part p = {.a = a};
	struct rec_ask q = answers_gather(r, step, &p);
	bool in_force = s->routing && !strcmp(s->routing->engine, recording_engine(r));
	struct sweep_repeat again = {.engines = engines,
				     .engine = in_force ? NULL : recording_engine(r),
				     .ask = &q,
				     .progress = progress};

	a->entry = p.entry;
	a->n = p.n;
	a->choice = NEW_ARRAY(p.n + 1, struct rec_choice *);
	/* an engine that refuses reports its choices up to its refusal */
	if (sweep_repeat(s, &again, NULL, e) && (in_force || err_is_memory(e)))
		return -1;
	return progress_cancelled(progress) ? err_set(e, CANCELLED) : 0;
}

/* A copy of the known choice for an entry. False: the entry was not requested. */
static bool known(const struct answers *a, uint64_t entry, struct rec_choice **c)
{
	const uint64_t *found = a->n ? bsearch(&entry, a->entry, a->n, sizeof(entry), order_u64) : NULL;

	if (!found)
		return false;
	*c = a->choice[found - a->entry] ? rec_choice_copy(a->choice[found - a->entry]) : NULL;
	return true;
}

int recording_choice(const struct recording *r, size_t step, const struct engine *const *engines,
		     struct rec_choice **c, struct progress *progress, struct err *e)
{
	assert(step >= 1 && step <= recording_steps(r));

	uint64_t entry = entry_of(r, step);
	struct answers fresh = {0}, old;

	*c = NULL;
	if (!(uint32_t)entry) /* a place that is only counted has no LID */
		return 0;
	pthread_mutex_lock(&r->told->lock);
	bool found = known(&r->told->answers, entry, c);
	pthread_mutex_unlock(&r->told->lock);
	if (found)
		return 0;
	if (answers_ask(r, step, engines, &fresh, progress, e)) {
		answers_clear(&fresh);
		return -1;
	}
	known(&fresh, entry, c);
	pthread_mutex_lock(&r->told->lock);
	old = r->told->answers;
	r->told->answers = fresh;
	pthread_mutex_unlock(&r->told->lock);
	answers_clear(&old);
	return 0;
}

void told_free(struct told *t)
{
	answers_clear(&t->answers);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
