/* The questions of drift, doctor and advise. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "views/base/question.h"

struct sweep_question *sweep_question_new(const struct scene *sc)
{
	struct sweep_question *q = NEW(struct sweep_question);

	q->setup = setup_ref(sc->event->setup);
	q->engines = sc->session->engines;
	q->now = sc->real ? sweep_ref(sc->real) : NULL;
	q->configured = sc->session->configured ? str_dup(sc->session->configured) : NULL;
	return q;
}

void sweep_question_free(struct sweep_question *q)
{
	if (!q)
		return;
	setup_unref(q->setup);
	sweep_unref(q->now);
	free(q->chain);
	free(q->configured);
	free(q);
}

FREED_BY(free_value, sweep_question_free)

static bool asks_same(const void *was, const void *value)
{
	const struct sweep_question *a = was, *b = value;

	return a->now == b->now && str_same(a->chain, b->chain) && str_same(a->configured, b->configured) &&
	       setup_equal(a->setup, b->setup);
}

const struct task task_sweep_question = {.free = free_value, .same = asks_same};
