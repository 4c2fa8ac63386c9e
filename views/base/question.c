/* The questions of several panes. */
#include <stdlib.h>
#include "core/analysis/compare/outage.h"
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
	measured_free(q->counted);
	free(q);
}

FREED_BY(free_value, sweep_question_free)

static bool asks_same(const void *was, const void *value)
{
	const struct sweep_question *a = was, *b = value;

	return a->now == b->now && str_same(a->chain, b->chain) && str_same(a->configured, b->configured) &&
	       a->counts == b->counts && setup_equal(a->setup, b->setup);
}

const struct task task_sweep_question = {.free = free_value, .same = asks_same};

/* --- between two sweeps ----------------------------------------------------------------------------------
 */

static void free_between(void *value)
{
	struct between_question *q = value;

	routing_unref(q->ra);
	routing_unref(q->rb);
	sweep_unref(q->a);
	sweep_unref(q->b);
	setup_unref(q->ahead);
	free(q);
}

static bool question_same_hosts(const struct routing *x, const struct routing *y)
{
	for (uint32_t ep = 0; x != y && ep < x->topo->fabric->n_endports; ep++)
		if (routing_counts(x, ep) != routing_counts(y, ep))
			return false;
	return true;
}

static bool between_same(const void *was, const void *value)
{
	const struct between_question *x = was, *y = value;

	if (x->a != y->a || x->b != y->b || !x->ahead != !y->ahead)
		return false;
	return x->ahead ? setup_equal(x->ahead, y->ahead)
			: question_same_hosts(x->ra, y->ra) && question_same_hosts(x->rb, y->rb);
}

const struct task task_between_question = {.free = free_between, .same = between_same};

struct between_question *between_question_new(const struct view *v, const char *snapshot, const char **why)
{
	const struct scene *sc = v->scene;
	const struct event *before = sc->session ? session_event_before(sc->session, sc->at) : NULL;
	const struct sweep *a = before ? before->sweep : NULL;
	struct between_question *q;

	*why = NULL;
	if (!scene_real_routing(sc))
		*why = "nothing is routed";
	else if (snapshot && !(a = session_find_snapshot(sc->session, snapshot)))
		*why = "there is no such snapshot; `snapshot` lists them";
	else if (!a || !a->routing)
		*why = "the event before had no tables to compare with";
	if (*why)
		return NULL;
	q = NEW(struct between_question);
	q->a = sweep_ref(a);
	q->b = sweep_ref(sc->real);
	q->ra = session_counted(sc->session, a->routing);
	q->rb = session_counted(sc->session, sc->real->routing);
	q->lost = sc->real_change ? sc->real_change->lost : OUTAGE_NO_AFTER;
	return q;
}

struct between_question *between_question_ahead(const struct scene *sc, const struct setup *ahead)
{
	struct between_question *q = NEW(struct between_question);

	q->a = sweep_ref(sc->real);
	q->ahead = ahead;
	q->engines = sc->session->engines;
	return q;
}

int between_question_open(struct view *v, const struct args *a, struct err *e)
{
	if (a->n && v->scene->session && !session_find_snapshot(v->scene->session, v->word[0]))
		return err_set(e, "pane %s: there is no snapshot \"%s\"; `snapshot` lists them", v->ops->name,
			       v->word[0]);
	return 0;
}
