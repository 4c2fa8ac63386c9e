/* The session as panes see it. */
#include <string.h>
#include "views/view.h"

void scene_release(struct scene *sc)
{
	fabric_unref(sc->fabric);
	sweep_unref(sc->sweep);
	sweep_unref(sc->before);
	topo_unref(sc->topo);
	sc->fabric = NULL;
	sc->sweep = sc->before = NULL;
	sc->topo = NULL;
	sc->change = NULL;
	sc->state = NULL;
	sc->event = NULL;
	sc->valid = false;
}

bool scene_stale(const struct scene *sc, const struct session *s)
{
	return !sc->valid || sc->generation != s->generation || sc->n_events != s->n_events ||
	       sc->at != s->at;
}

const struct result *scene_result(const struct scene *sc, const struct ask *a)
{
	for (unsigned i = 0; i < sc->n_results; i++)
		if (ask_equal(&sc->result[i]->ask, a))
			return sc->result[i];
	return NULL;
}

static void drop_result(struct scene *sc, unsigned i)
{
	if (sc->loads == sc->result[i]->value)
		sc->loads = NULL;
	result_unref(sc->result[i]);
	memmove(&sc->result[i], &sc->result[i + 1], (sc->n_results - i - 1) * sizeof(*sc->result));
	sc->n_results--;
	sc->results_version++;
}

void scene_add_result(struct scene *sc, const struct result *r)
{
	if (sc->n_results == SCENE_RESULTS)
		drop_result(sc, 0);
	sc->result[sc->n_results++] = r;
	if (r->ask.task == &task_loads)
		sc->loads = r->value;
	sc->results_version++;
}

void scene_drop_results(struct scene *sc)
{
	const struct routing *r = sc->sweep ? sc->sweep->routing : NULL;

	for (unsigned i = sc->n_results; i-- > 0;)
		if (sc->result[i]->ask.routing != r)
			drop_result(sc, i);
}

void scene_take(struct scene *sc, struct session *s)
{
	scene_release(sc);
	sc->session = s;
	sc->serial++;
	sc->generation = s->generation;
	sc->valid = true;
	sc->at = s->at;
	sc->n_events = s->n_events;
	if (!s->fabric || !s->n_events)
		return; /* nothing, or a fabric that is being put in place */
	sc->fabric = fabric_ref(s->fabric);
	sc->event = &s->event[s->at];
	sc->state = sc->event->state;
	sc->change = sc->event->change;
	if (sc->event->sweep)
		sc->sweep = sweep_ref(sc->event->sweep);
	if (s->at && s->event[s->at - 1].sweep)
		sc->before = sweep_ref(s->event[s->at - 1].sweep);
	if (sc->sweep)
		sc->topo = topo_ref(sc->sweep->topo);
	else
		sc->topo = topo_new(sc->fabric, sc->state);
}
