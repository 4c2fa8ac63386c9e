/* The session as panes see it. */
#include <stdlib.h>
#include <string.h>
#include "engines/mincontention/mincontention.h"
#include "views/view.h"

static void forget_elements(struct scene *sc)
{
	if (sc->chassis) {
		free(sc->chassis->of);
		free(sc->chassis->id);
		free(sc->chassis);
	}
	elements_unref(sc->elements);
	sc->chassis = NULL;
	sc->elements = NULL;
	sc->no_elements.msg[0] = 0;
}

void scene_release(struct scene *sc)
{
	forget_elements(sc);
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

/* --- switch elements ---------------------------------------------------------------- */

static struct elements *group_switches(const struct scene *sc, const struct topo *t, struct err *e)
{
	const struct options *o = sc->sweep ? sc->sweep->options : sc->session->options;

	return elements_new(t, options_find(o, "chassis_file") ? options_file(o, "chassis_file") : NULL, NULL,
			    e);
}

const struct elements *scene_elements(struct scene *sc, struct err *e)
{
	const struct mincontention *m = mincontention_of(sc->sweep ? sc->sweep->routing : NULL);

	if (!sc->elements && !sc->no_elements.msg[0]) {
		if (!sc->topo)
			err_set(&sc->no_elements, "no fabric is loaded");
		else if (m && m->elements->topo == sc->topo)
			sc->elements = elements_ref(m->elements);
		else
			sc->elements = group_switches(sc, sc->topo, &sc->no_elements);
	}
	if (!sc->elements)
		err_set(e, "%s", sc->no_elements.msg);
	return sc->elements;
}

/*
 * Chips that are down go with those of their chassis that are up, and elements get
 * the identity of the chassis; of the parts of one that fell apart the first has it.
 */
static void add_down(const struct elements *whole, struct chassis *c)
{
	const struct elements *el = c->el;
	uint32_t *part = NEW_ARRAY(whole->n + 1, uint32_t);

	memset(part, 0xff, (whole->n + 1) * sizeof(*part));
	for (uint32_t e = 0; e < el->n; e++) {
		uint32_t w = whole->of[el->chip[el->first_chip[e]]];

		if (w == NO_ID || part[w] != NO_ID)
			continue;
		part[w] = e;
		c->id[e] = whole->guid[w];
	}
	for (uint32_t s = 0; s < el->topo->fabric->n_switches; s++)
		if (c->of[s] == NO_ID && whole->of[s] != NO_ID)
			c->of[s] = part[whole->of[s]];
	free(part);
}

/* The grouping if nothing were down; NULL when it cannot be had. */
static struct elements *group_all(const struct scene *sc)
{
	struct state *up = state_new(sc->fabric);
	struct topo *t = topo_new(sc->fabric, up);
	struct elements *el = group_switches(sc, t, NULL);

	topo_unref(t);
	state_free(up);
	return el;
}

/* Switches that stand alone are of no element here. */
static void drop_single(struct chassis *c)
{
	uint32_t n = c->el->topo->fabric->n_switches, *chips = NEW_ARRAY(c->el->n + 1, uint32_t);

	for (uint32_t s = 0; s < n; s++)
		if (c->of[s] != NO_ID)
			c->several += ++chips[c->of[s]] == 2;
	for (uint32_t s = 0; s < n; s++)
		if (c->of[s] != NO_ID && chips[c->of[s]] < 2)
			c->of[s] = NO_ID;
	free(chips);
}

const struct chassis *scene_chassis(struct scene *sc, struct err *e)
{
	const struct elements *el = scene_elements(sc, e);
	struct elements *whole;
	struct chassis *c;

	if (!el || sc->chassis)
		return el ? sc->chassis : NULL;
	c = NEW(struct chassis);
	c->el = el;
	c->of = NEW_ARRAY(sc->fabric->n_switches + 1, uint32_t);
	c->id = NEW_ARRAY(el->n + 1, uint64_t);
	memcpy(c->of, el->of, sc->fabric->n_switches * sizeof(*c->of));
	memcpy(c->id, el->guid, el->n * sizeof(*c->id));
	whole = sc->topo->n_switches_up < sc->fabric->n_switches ? group_all(sc) : NULL;
	if (whole)
		add_down(whole, c);
	elements_unref(whole);
	drop_single(c);
	sc->chassis = c;
	return c;
}
