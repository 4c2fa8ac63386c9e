/*
 * Candidates of steps. A recording keeps no offers: they would be most of it, and few are ever looked at. So
 * the engine runs once more to tell them, for all steps around the requested one, since a person goes from
 * step to step. The answers stay with the recording until another part is requested.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/sm/sweep.h"
#include "core/trace/internal.h"

#define BEFORE 32 /* so many steps around one are answered, too */
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
	/* an engine that refuses tells its choices up to its refusal */
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
	uint64_t entry = entry_of(r, step);
	struct answers fresh = {0}, old;
	bool found;

	*c = NULL;
	if (!(uint32_t)entry) /* a place that is only counted has no LID */
		return 0;
	pthread_mutex_lock(&r->told->lock);
	found = known(&r->told->answers, entry, c);
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

struct told *told_new(void)
{
	struct told *t = NEW(struct told);

	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void told_free(struct told *t)
{
	answers_clear(&t->answers);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
