#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>

#include "core/trace/internal.h"
#include "core/sm/sweep.h"

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
	const struct engine *g;
	bool known;

	s = trace_make_origin(s);
	if (!engine && !s->routing)
		return NULL;
	known = !engine || (s->routing && !strcmp(engine, s->routing->engine));
	for (size_t i = 0; !known && i < s->n_refusals; i++)
		known = !strcmp(s->refusal[i].engine, engine);
	if (!known)
		return NULL;
	g = engine_find(engines, engine ? engine : s->routing->engine);
	return g && g->scheme ? g : NULL;
}

/* --- is the recorded run the one that made the tables? ------------------------------------------------- */

static size_t rows_differ(const struct routing *a, const struct routing *b)
{
	size_t n = 0;

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
	struct text t = {0};
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
	text_free(&t);
}

static struct recording *recording_new(const struct sweep *s, const struct engine *g,
				       const struct rec_request *rq, unsigned stage)
{
	struct recording *r = NEW(struct recording);
	uint32_t ep;

	r->refs = 1;
	r->told = told_new();
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
		for (ep = 0; ep < s->fabric->n_endports && r->keep.sw == NO_ID; ep++)
			if (!endport_is_switch(s->fabric, ep))
				r->keep.sw = s->topo->endport_switch[ep];
		if (r->keep.sw == NO_ID)
			r->keep.sw = 0;
	}
	if (r->keep.sw != NO_ID)
		r->keep.lid = 0;
	r->stage = stage;
	ep = r->keep.lid ? lid_owner(s->lids, r->keep.lid) : NO_ID;
	r->keep_target = ep == NO_ID ? NO_ID : s->topo->endport_switch[ep];
	r->cells[T_ENTRY] = (size_t)s->fabric->n_switches * (s->lids->max_lid + 1u);
	return r;
}

/* Let the engine run. The last event tells the end. -1 and *e: no run. */
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

/* Tries once. False and *e: no try is possible. *out NULL: the run exceeds the limit. */
static bool trace_make_attempt(const struct rec_request *rq, const struct sweep *s, const struct engine *g,
			       bool all, unsigned *stage, size_t limit, struct recording **out, struct err *e)
{
	struct recorder k = {.all = all, .limit = limit, .matrix = T_HOPS, .extra = SIZE_MAX};
	int rc;

	*out = NULL;
	k.r = recording_new(s, g, rq, *stage);
	rc = trace_make_run(&k, rq, e);
	recorder_clear(&k);
	if (rc || k.full) {
		recording_free(k.r);
	} else {
		set_part(&k);
		/* give back memory that is not needed */
		k.r->event = mem_resize(k.r->event, k.r->n_events + 1, sizeof(*k.r->event));
		k.r->unit = mem_resize(k.r->unit, k.r->n_units + 1, sizeof(*k.r->unit));
		*out = k.r;
	}
	if (rc || !k.full)
		return !rc;
	if (!all) /* later tries keep only parts of the kinds that exceed the limit */
		do {
			++*stage;
		} while (*stage < REC_BULKS && whole_at(&k, *stage) > limit);
	return true;
}

const struct recording *recording_make(const struct rec_request *rq, struct err *e)
{
	const struct sweep *s = trace_make_origin(rq->sweep);
	const struct engine *g = recording_possible(s, rq->engine, rq->engines);
	size_t limit = rq->limit ? rq->limit : REC_LIMIT;
	size_t cables = 0, n = s->topo->n_switches_up;
	struct recording *r = NULL;
	unsigned stage = 0;
	char buf[32];
	bool all;

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
	all = 9 * cables * n + 24 * n * s->lids->max_lid < MIN(SMALL, limit);
	for (; stage <= REC_BULKS; all = false) {
		if (!trace_make_attempt(rq, s, g, all, &stage, limit, &r, e))
			return NULL;
		if (r)
			return r;
	}
	err_set(e, "even a part of the run of %s takes more than %s; `set record_limit` allows more", g->name,
		mem_text(limit, buf, sizeof(buf)));
	return NULL;
}
