/* The session as panes see it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "views/base/filter.h"

static void chassis_free(struct view_chassis *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->el->topo->fabric->n_switches; i++)
		free(c->chassis_place[i]);
	free(c->chassis_place);
	free(c->of);
	elements_unref(c->el);
	free(c);
}

void scene_release(struct scene *sc)
{
	chassis_free(sc->chassis);
	elements_unref(sc->elements);
	sc->chassis = NULL;
	sc->elements = NULL;
	sc->no_elements.msg[0] = sc->no_chassis.msg[0] = 0;
	fabric_unref(sc->fabric);
	sweep_unref(sc->sweep);
	sweep_unref(sc->before);
	topo_unref(sc->topo);
	sweep_unref(sc->real);
	sweep_unref(sc->real_before);
	fabric_unref(sc->fabric_first);
	sc->fabric_first = NULL;
	topo_unref(sc->real_topo);
	moment_unref(sc->moment);
	sc->moment = NULL;
	sc->real = sc->real_before = NULL;
	sc->real_change = NULL;
	sc->real_topo = NULL;
	sc->fabric = NULL;
	sc->sweep = sc->before = NULL;
	sc->topo = NULL;
	sc->change = NULL;
	state_free(sc->data);
	sc->state = sc->data = NULL;
	sc->event = NULL;
	sc->valid = false;
}

bool scene_stale(const struct scene *sc, const struct session *s)
{
	return !sc->valid || sc->generation != s->generation || sc->n_events != s->n_events ||
	       sc->at != s->at || sc->moves != s->moves;
}

const struct result *scene_result_so_far(const struct scene *sc, const struct ask *a)
{
	for (unsigned i = 0; i < sc->n_results; i++)
		if (ask_equal(&sc->result[i]->ask, a))
			return sc->result[i];
	return NULL;
}

const struct result *scene_result(const struct scene *sc, const struct ask *a)
{
	const struct result *r = scene_result_so_far(sc, a);

	return r && !r->partial ? r : NULL;
}

static void drop_result(struct scene *sc, unsigned i)
{
	assert(i < sc->n_results);
	result_unref(sc->result[i]);
	memmove(&sc->result[i], &sc->result[i + 1], (sc->n_results - i - 1) * sizeof(*sc->result));
	sc->n_results--;
	sc->results_version++;
}

void scene_add_result(struct scene *sc, const struct result *r)
{
	for (unsigned i = sc->n_results; i-- > 0;)
		if (sc->result[i]->partial && ask_equal(&sc->result[i]->ask, &r->ask))
			drop_result(sc, i);
	if (sc->n_results == SCENE_RESULTS)
		drop_result(sc, 0);
	sc->result[sc->n_results++] = r;
	sc->results_version++;
}

FREED_BY(free_fabric, fabric_unref)

/* It is never run. */
static const struct task task_fabric = {.free = free_fabric, .no_sweep = true};

const struct result *scene_fabric_question(struct scene *sc)
{
	if (!sc->fabric)
		return NULL;
	if (sc->asked && sc->asked->value == sc->fabric)
		return sc->asked;
	result_unref(sc->asked);
	sc->asked = result_new(&(struct ask){.task = &task_fabric}, fabric_ref(sc->fabric));
	return sc->asked;
}

/* One about its base alone is over when no pane asks that question any more. */
static bool scene_is_over(const struct scene *sc, const struct result *r)
{
	const struct ask *a = &r->ask;

	if (a->task->no_fabric)
		return !sc->valid || (a->base && a->base->refs == 1);
	if (!sc->fabric)
		return true;
	if (a->task->no_sweep)
		return a->base->value != sc->fabric;
	assert(a->base || !a->task->no_sweep);
	return a->sweep != sc->sweep && a->sweep != sc->real;
}

void scene_drop_results(struct scene *sc)
{
	for (unsigned i = sc->n_results; i-- > 0;)
		if (scene_is_over(sc, sc->result[i]))
			drop_result(sc, i);
	if (sc->asked && sc->asked->value != sc->fabric) {
		result_unref(sc->asked);
		sc->asked = NULL;
	}
	if (!sc->fabric) {
		result_unref(sc->doctor);
		sc->doctor = NULL;
	}
	if (!sc->moment) {
		recording_unref(sc->last_of);
		free(sc->last_step);
		sc->last_of = NULL;
		sc->last_step = NULL;
	}
}

/* The file that groups switches, or NULL. */
static const char *grouping_file(const struct scene *sc)
{
	const struct options *o = sc->sweep ? sc->sweep->setup->options : sc->session->setup->options;

	return options_find(o, "chassis_file") ? options_file(o, "chassis_file") : NULL;
}

/* Takes what is in force, and what it is compared with. */
static void take_present(struct scene *sc, const struct session *s)
{
	const struct event *before = session_event_before(s, s->at);

	assert(s->at < s->n_events);
	sc->event = &s->event[s->at];
	sc->state = sc->event->setup->state;
	sc->data = event_data(sc->event);
	sc->real_change = sc->event->change;
	if (sc->event->sweep)
		sc->real = sweep_ref(sc->event->sweep);
	if (before && before->sweep && before->sweep->fabric == s->fabric)
		sc->real_before = sweep_ref(before->sweep);
	sc->real_topo = sc->real ? topo_ref(sc->real->topo) : topo_new(sc->fabric, sc->state);
}

/* Finds the last step that changes each table, once per recording. */
static void take_last_steps(struct scene *sc, const struct recording *r)
{
	struct rec_delta d;

	if (sc->last_of == r)
		return;
	recording_unref(sc->last_of);
	sc->last_of = recording_ref(r);
	free(sc->last_step);
	sc->last_step = NEW_ARRAY(N_TABLES, size_t);
	for (size_t i = 1; i <= recording_steps(r); i++)
		for (uint32_t cursor = 0; recording_next_delta(r, i, &cursor, &d);)
			sc->last_step[d.table] = i;
}

/* Takes what is shown: the present, or a step of a run and what the last move changed in it. */
static void take_shown(struct scene *sc, const struct session *s)
{
	const struct moment *m = session_shown(s);
	const struct sweep *shown = m ? m->sweep : sc->real;
	const struct sweep *before = m ? m->before : sc->real_before;

	sc->moment = m ? moment_ref(m) : NULL;
	if (m)
		take_last_steps(sc, m->rec);
	sc->sweep = shown ? sweep_ref(shown) : NULL;
	sc->before = before ? sweep_ref(before) : NULL;
	sc->change = m ? NULL : sc->real_change;
	sc->topo = topo_ref(shown ? shown->topo : sc->real_topo);
}

void scene_take(struct scene *sc, struct session *s)
{
	struct view_chassis *kept = sc->chassis;

	sc->chassis = NULL;
	scene_release(sc);
	sc->session = s;
	sc->serial++;
	sc->generation = s->generation;
	sc->valid = true;
	sc->at = s->at;
	sc->n_events = s->n_events;
	sc->moves = s->moves;
	if (!s->fabric || !s->n_events) { /* nothing is loaded, or a fabric is being loaded */
		chassis_free(kept);
		return;
	}
	sc->fabric = fabric_ref(s->fabric);
	sc->fabric_first = fabric_ref(s->event[0].setup->fabric);
	take_present(sc, s);
	take_shown(sc, s);
	/* the chassis stay for the same fabric; not if a file is involved, since it may have changed */
	if (kept && kept->el->topo->fabric == sc->fabric && !kept->by_file && !grouping_file(sc))
		sc->chassis = kept;
	else
		chassis_free(kept);
}

/* --- tables ----------------------------------------------------------------------- */

const struct routing *scene_routing(const struct scene *sc)
{
	return sc->sweep ? sc->sweep->routing : NULL;
}

const struct routing *scene_real_routing(const struct scene *sc)
{
	return sc->real ? sc->real->routing : NULL;
}

bool pane_fits(const struct pane_place *p, const struct scene *sc)
{
	const struct routing *r = scene_routing(sc);

	return !p->engines || (r && words_have(p->engines, r->engine));
}

const struct routing *scene_routing_before(const struct scene *sc)
{
	return sc->before && sc->before->fabric == sc->fabric ? sc->before->routing : NULL;
}

bool scene_undecided(const struct scene *sc, uint32_t sw, unsigned lid)
{
	return sc->moment && !moment_decided(sc->moment, sw, lid) &&
	       routing_port(sc->sweep->routing, sw, lid) == NO_PATH;
}

bool scene_unfinished(const struct scene *sc, unsigned table)
{
	assert(table < N_TABLES);
	return sc->moment && sc->moment->step < sc->last_step[table];
}

const struct routing *scene_origin(const struct scene *sc)
{
	return routing_origin(scene_routing(sc));
}

unsigned scene_lid(const struct scene *sc, uint32_t ep)
{
	assert(sc->fabric && ep < sc->fabric->n_endports);
	return endport_lid(sc->fabric, sc->sweep ? sc->sweep->lids : NULL, ep);
}

bool scene_counts_aggregation(const struct scene *sc)
{
	return sc->event && setup_counts_aggregation(sc->event->setup);
}

const struct routing_ops *scene_ops(const struct scene *sc)
{
	static const struct routing_ops none;
	const struct routing *r = scene_origin(sc);

	return r ? r->ops : &none;
}

/* --- switch elements ---------------------------------------------------------------- */

/* Reads the elements. Drawing never waits for a file: a FIFO is not read. */
static struct elements *read_elements(const struct scene *sc, const struct topo *t, struct err *e)
{
	struct progress no_wait = {.cancel = true};
	struct elements *el = elements_new(t, grouping_file(sc), &no_wait, NULL, e);

	if (!el && !strcmp(e->msg, CANCELLED))
		err_set(e, "%s: found no regular file, expected one: panes do not wait for others",
			grouping_file(sc));
	return el;
}

const struct elements *scene_elements(struct scene *sc, struct err *e)
{
	const struct routing_ops *ops = scene_ops(sc);
	const struct elements *el = ops->elements ? ops->elements(sc->sweep->routing) : NULL;

	if (!sc->elements && !sc->no_elements.msg[0]) {
		if (!sc->topo)
			err_set(&sc->no_elements, "no fabric is loaded");
		else if (el && el->topo == sc->topo)
			sc->elements = elements_ref(el);
		else
			sc->elements = read_elements(sc, sc->topo, &sc->no_elements);
	}
	if (!sc->elements)
		err_set(e, "%s", sc->no_elements.msg);
	return sc->elements;
}

/* A topology in which all switches and cables are up and reached; only for making elements. */
static struct topo *whole_fabric(const struct fabric *f)
{
	AUTO_STATE struct state *up = state_new(f);
	struct topo *t = topo_new(f, up);

	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t sw = f->node_switch[f->port_node[p]], q = f->port_peer[p],
			 to = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

		if (sw == NO_ID)
			continue;
		t->node_up[f->port_node[p]] = 1;
		t->peer[p] = q;
		t->peer_switch[p] = to == sw ? NO_ID : to;
	}
	return t;
}

static struct view_chassis *new_chassis(const struct scene *sc, struct err *err)
{
	AUTO_TOPO struct topo *t = whole_fabric(sc->fabric);
	struct elements *el = read_elements(sc, t, err);
	struct view_chassis *c;

	if (!el)
		return NULL;
	c = NEW(struct view_chassis);
	c->el = el;
	c->by_file = grouping_file(sc) != NULL;
	c->of = NEW_ARRAY(sc->fabric->n_switches + 1, uint32_t);
	for (uint32_t e = 0; e < el->n; e++)
		c->several += element_chips(el, e) > 1;
	for (uint32_t s = 0; s < sc->fabric->n_switches; s++) /* those that stand alone: in no chassis */
		c->of[s] = element_chips(el, el->of[s]) > 1 ? el->of[s] : NO_ID;
	c->chassis_place = chassis_places(el);
	return c;
}

const struct view_chassis *scene_chassis(struct scene *sc, struct err *e)
{
	if (!sc->fabric)
		err_set(&sc->no_chassis, "no fabric is loaded");
	else if (!sc->chassis && !sc->no_chassis.msg[0])
		sc->chassis = new_chassis(sc, &sc->no_chassis);
	if (!sc->chassis)
		err_set(e, "%s", sc->no_chassis.msg);
	return sc->chassis;
}
