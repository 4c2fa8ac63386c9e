#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/session/help.h"
#include "core/session/lesson.h"
#include "core/session/out.h"
#include "core/session/session.h"
#include "core/trace/walk.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/drain.h"
#include "core/formats/readers.h"
#include "core/sm/guid_names.h"

/* --- life --------------------------------------------------------------------------- */

/* The common options and those of every engine, as one list of tables. */
static const struct optdef **option_tables(const struct engine *const *engines)
{
	size_t n = 1, k = 0;

	for (size_t i = 0; engines[i]; i++)
		n += engines[i]->options != NULL;
	const struct optdef **t = (const struct optdef **)NEW_ARRAY(n + 1, void *);
	t[k++] = common_options;
	for (size_t i = 0; engines[i]; i++)
		if (engines[i]->options)
			t[k++] = engines[i]->options;
	return t;
}

static void session_set_json(void)
{
	json_set_alloc_funcs(mem_alloc, free);
}

struct session *session_new(const struct engine *const *engines, const struct command *const *tables)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT; /* panes make sessions in other threads */
	struct session *s = NEW(struct session);
	struct options *options;

	assert(engines && tables);
	/* jansson would ignore a failed allocation; ours never fails */
	pthread_once(&once, session_set_json);
	s->engines = engines;
	s->commands = tables;
	s->words = &help_words_none;
	s->option_tables = option_tables(engines);
	options = options_new(s->option_tables);
	s->setup = setup_new(&(struct setup){.options = options});
	options_free(options);
	pthread_mutex_init(&s->mutex, NULL);
	return s;
}

struct session *session_like(const struct session *s)
{
	struct session *other = session_new(s->engines, s->commands);

	other->words = s->words;
	return other;
}

static void event_clear(struct event *ev)
{
	free(ev->text);
	setup_unref(ev->setup);
	sweep_unref(ev->sweep);
	arena_free(ev->change);
	*ev = (struct event){0};
}

static void drop_drawing(struct session *s, size_t i)
{
	FREE_EACH(s->drawing[i].path, s->drawing[i].what);
	memmove(s->drawing + i, s->drawing + i + 1, (--s->n_drawings - i) * sizeof(*s->drawing));
}

static void drop_events(struct session *s, size_t from)
{
	for (size_t i = s->n_drawings; i-- > 0;)
		if (s->drawing[i].at >= from)
			drop_drawing(s, i);
	for (size_t i = from; i < s->n_events; i++)
		event_clear(&s->event[i]);
	if (from < s->n_events)
		s->n_events = from;
}

void session_keep_events(struct session *s, size_t n)
{
	size_t gone = s->n_events > n ? s->n_events - n : 0;

	assert(n);
	if (gone > s->at)
		gone = s->at;
	if (!gone)
		return;
	session_lock(s);
	for (size_t i = s->n_drawings; i-- > 0;)
		if (s->drawing[i].at < gone)
			drop_drawing(s, i);
		else
			s->drawing[i].at -= gone;
	for (size_t i = 0; i < gone; i++)
		event_clear(&s->event[i]);
	s->n_events -= gone;
	s->at -= gone;
	memmove(s->event, s->event + gone, s->n_events * sizeof(*s->event));
	arena_free(s->event->change); /* with what is gone */
	s->event->change = NULL;
	s->generation++;
	session_unlock(s);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	drop_events(s, 0);
	for (size_t i = 0; i < s->n_snapshots; i++) {
		free(s->snapshot[i].name);
		sweep_unref(s->snapshot[i].sweep);
	}
	FREE_EACH(s->event, s->snapshot);
	lesson_place_unref(s->lesson);
	FREE_EACH(s->drawing, s->configured, s->conf_engines);
	json_decref(s->present);
	free(s->baseline);
	session_uncount(s);
	counted_unref(s->log);
	setup_unref(s->setup);
	free(s->option_tables);
	walk_free(s->walk);
	arena_free(s->drain);
	moment_unref(s->shown);
	if (s->names) {
		name_map_free(s->names);
		free(s->names);
	}
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

struct walk *session_walk(const struct session *s)
{
	return s->walk_of == s->generation ? s->walk : NULL;
}

/* Shows another moment (NULL: none); panes follow. Returns the old one. The lock is held. */
static const struct moment *session_show(struct session *s, const struct moment *m)
{
	const struct moment *old = s->shown;

	s->shown = m;
	s->moves++;
	return old;
}

void session_set_walk(struct session *s, struct walk *w)
{
	session_lock(s);
	struct drain *packets = s->drain;
	s->drain = NULL;
	struct walk *old = s->walk;
	s->walk = w;
	s->walk_of = s->generation;
	s->play = 0;
	const struct moment *shown = session_show(s, NULL);
	session_unlock(s);
	arena_free(packets);
	walk_free(old);
	moment_unref(shown);
}

struct drain *session_drain(const struct session *s)
{
	return s->drain_of == s->generation ? s->drain : NULL;
}

void session_set_drain(struct session *s, struct drain *d)
{
	session_set_walk(s, NULL);
	session_lock(s);
	s->drain = d;
	s->drain_of = s->generation;
	session_unlock(s);
}

const struct moment *session_shown(const struct session *s)
{
	return session_walk(s) ? s->shown : NULL;
}

const struct sweep *session_moment(const struct session *s)
{
	return s->moment && pthread_equal(s->moment_for, pthread_self()) ? s->moment : NULL;
}

void session_walk_moved(struct session *s)
{
	struct walk *w = session_walk(s);

	if (!w || (s->shown && s->shown->step == walk_step(w)))
		return;
	const struct moment *m = moment_new(w, s->shown);
	session_lock(s);
	m = session_show(s, m);
	session_unlock(s);
	moment_unref(m);
}

void session_lock(struct session *s)
{
	pthread_mutex_lock(&s->mutex);
}

void session_unlock(struct session *s)
{
	pthread_mutex_unlock(&s->mutex);
}

/* --- what is in force ------------------------------------------------------------------ */

const struct event *session_event(const struct session *s)
{
	return s->n_events ? &s->event[s->at] : NULL;
}

const struct sweep *session_sweep(const struct session *s)
{
	if (session_moment(s))
		return session_moment(s);
	return s->n_events ? s->event[s->at].sweep : NULL;
}

const struct lids *session_lids(const struct session *s)
{
	const struct sweep *w = session_sweep(s);

	return w ? w->lids : NULL;
}

const struct routing *session_routing(const struct session *s)
{
	const struct sweep *w = session_sweep(s);

	return w ? w->routing : NULL;
}

const struct state *session_state(const struct session *s)
{
	return s->setup->state;
}

const char *event_idle(const struct event *ev, uint32_t port)
{
	const struct fabric *f = ev->setup->fabric;
	bool as_read = ev->sweep ? ev->sweep->as_read : ev->as_read;
	uint32_t idle = as_read ? fabric_idle_end(f, port) : NO_ID;

	assert(port < f->n_ports);
	return idle != NO_ID && state_link_up(f, ev->setup->state, f->port_link[idle])
		       ? fabric_port_state(f, idle)
		       : NULL;
}

const struct state *event_data(const struct event *ev)
{
	const struct fabric *f = ev->setup->fabric;
	struct state *n = NULL;

	for (uint32_t l = 0; l < f->n_links; l++)
		if (event_idle(ev, f->link_port[2 * l])) {
			n = n ? n : state_copy(ev->setup->state);
			n->link_down[l] = 1;
		}
	return n ? n : state_ref(ev->setup->state);
}

const struct scope *session_scope(const struct session *s)
{
	const struct scope *scope = s->setup->scope;

	return scope && *scope->words ? scope : NULL;
}

struct sweep *session_find_snapshot(const struct session *s, const char *name)
{
	for (size_t i = 0; i < s->n_snapshots; i++)
		if (!strcmp(s->snapshot[i].name, name))
			return s->snapshot[i].sweep;
	return NULL;
}

int session_need_fabric(const struct session *s, struct err *e)
{
	return s->fabric ? 0
			 : err_set_kind(e, ERR_NO_FABRIC,
					"no fabric is loaded; `load FILE`, `synth SPEC` or `live` get one");
}

/* --- making events ------------------------------------------------------------------------ */

/* Entries from which threads are worth their start. */
#define MANY_ENTRIES (4u << 20)

/* The routing of an event under its setup.  NULL and *e: cancelled, or impossible. */
static struct sweep *sweep_event(struct session *s, const struct sweep *prev, const struct event *ev,
				 const struct change_request *rq, struct err *e)
{
	const struct fabric *f = ev->setup->fabric;
	bool many = (uint64_t)f->n_switches * f->n_endports > MANY_ENTRIES;
	struct sweep_request sr = {
		.setup = ev->setup,
		.engines = s->engines,
		.reroute = rq->reroute,
		.restart = rq->kind == EVENT_ROUTE || rq->kind == EVENT_SET,
		.flapped = rq->flapped,
		.prev = prev,
		.as_read = ev->as_read,
		.threads = many ? cores_available() : 1,
		.progress = rq->progress,
	};

	return sweep_run(&sr, e);
}

/* Put a setup in force (the reference is taken over).  The lock is held. */
static void put_in_force(struct session *s, const struct setup *setup)
{
	setup_unref(s->setup);
	s->setup = setup;
	s->fabric = setup->fabric;
	if (s->loaded != setup->loaded)
		s->loaded_at = time(NULL);
	s->loaded = setup->loaded;
}

/* Put an event in force.  The lock is held. */
bool session_unsaved(const struct session *s)
{
	bool routed = false;

	for (size_t i = 1; i < s->n_events && s->saved != s->generation; i++) {
		if (s->event[i].kind != EVENT_ROUTE || routed)
			return true;
		routed = true;
	}
	return false;
}

static void append_event(struct session *s, struct event *ev)
{
	assert(ev->text && ev->setup);
	if (s->n_events)
		drop_events(s, s->at + 1);
	GROW(s->event, s->n_events, s->cap_events);
	s->at = s->n_events;
	s->event[s->n_events] = *ev;
	s->event[s->n_events++].time = time(NULL);
	put_in_force(s, setup_ref(ev->setup));
	s->generation++;
}

static int make_event(struct session *s, struct event *ev, const struct change_request *rq, struct err *e)
{
	const struct routing *before = session_routing(s);
	const struct event *at = session_event(s);
	bool computes = (rq->kind == EVENT_ROUTE || rq->kind == EVENT_SET) && !rq->reroute;

	ev->as_read = computes && at && at->as_read;
	if (ev->setup->chain) {
		ev->sweep = sweep_event(s, session_sweep(s), ev, rq, e);
		if (!ev->sweep)
			return -1;
	}
	if (before && ev->sweep && ev->sweep->routing) {
		ev->change = compare_routings(before, ev->sweep->routing, rq->progress);
		if (!ev->change)
			return err_set(e, CANCELLED);
	}
	session_lock(s);
	append_event(s, ev);
	session_unlock(s);
	return 0;
}

int session_change(struct session *s, const struct change_request *rq, struct err *e)
{
	struct event ev = {.kind = rq->kind};

	assert(rq->text && rq->kind != EVENT_SCOPE);
	if (session_need_fabric(s, e))
		return -1;
	ev.text = str_dup(rq->text);
	ev.setup = setup_with(s->setup, &rq->setup);
	if (make_event(s, &ev, rq, e)) {
		event_clear(&ev);
		return -1;
	}
	return 0;
}

const struct event *session_event_before(const struct session *s, size_t at)
{
	assert(!at || at < s->n_events);
	while (at && s->event[at].kind == EVENT_SCOPE)
		at--;
	return at ? &s->event[at - 1] : NULL;
}

int session_recount(struct session *s, const struct scope *scope, const struct options *o, const char *text,
		    struct progress *p, struct err *e)
{
	const struct event *at = session_event(s);
	struct event ev = {.kind = EVENT_SCOPE,
			   .setup = setup_with(s->setup, &(struct setup){.options = o, .scope = scope})};

	assert((scope || o) && text);
	assert(!o || !scope);
	if (!at) {
		session_lock(s);
		put_in_force(s, ev.setup);
		session_unlock(s);
		return 0;
	}
	ev.text = str_dup(text);
	ev.as_read = at->as_read;
	if (at->sweep)
		ev.sweep = sweep_with_hosts(at->sweep, ev.setup);
	if (at->change && ev.sweep && ev.sweep->routing) {
		ev.change = compare_routings(at->change->a, ev.sweep->routing, p);
		if (!ev.change) {
			event_clear(&ev);
			return err_set(e, CANCELLED);
		}
	}
	session_lock(s);
	append_event(s, &ev);
	session_unlock(s);
	return 0;
}

/* A fabric with which an event begins; all borrowed. */
struct fresh {
	const struct fabric *fabric, *loaded; /* shaped by options; as loaded */
	const struct options *options;
	const struct switch_tables *tables; /* NULL: no tables in its source */
	const struct state *state;	    /* NULL: everything is up */
	const char *how;		    /* text of the event */
	enum event_kind kind;
	bool goes_on; /* the present events stay, and the subnet manager remembers */
};

/* The event that brought the fabric in force, before it was changed. */
static const struct event *session_origin(const struct session *s)
{
	size_t at = s->at;

	while (at && s->event[at].kind != EVENT_LOAD)
		at--;
	return &s->event[at];
}

/* The loaded fabric, shaped by the options `guid` and `port_guids` and by the name map. */
static int shape_fabric(const struct session *s, const struct fabric *loaded, const struct options *o,
			const struct fabric **out, struct err *e)
{
	const char *guid = options_get(o, "guid");
	bool ibsim = !strcmp(options_get(o, "port_guids"), "ibsim");
	struct fabric *f = fabric_ref(loaded), *g;
	uint64_t n = 0;

	if (s->names) {
		g = fabric_renamed(f, s->names);
		fabric_unref(f);
		f = g;
	}
	if (ibsim) {
		g = fabric_variant(f, NO_ID, true);
		fabric_unref(f);
		f = g;
	}
	if (*guid && (!number_of_any(guid, 0, UINT64_MAX, &n) || n)) {
		uint32_t sm = fabric_endport_by_guid(f, n);

		if (sm == NO_ID) {
			fabric_unref(f);
			return err_set(
				e, "option guid: found %s, expected the GUID of a cabled port of the fabric",
				guid);
		}
		g = fabric_variant(f, sm, false);
		fabric_unref(f);
		f = g;
	}
	*out = f;
	return 0;
}

/* The setup of a new fabric, with these options and tables. */
static const struct setup *fresh_setup(const struct session *s, const struct fresh *n)
{
	struct state *up = n->state ? state_ref(n->state) : state_new(n->fabric);
	struct options *here = options_named_anew(n->options, n->fabric);
	const struct setup *setup = setup_with(s->setup, &(struct setup){.fabric = n->fabric,
									 .loaded = n->loaded,
									 .state = up,
									 .options = here,
									 .tables = n->tables});

	options_free(here);
	state_free(up);
	return setup;
}

/* Links that were in use, and whose ports have come up anew since then: [n_links], NULL where states are not
 * known. */
static uint8_t *came_anew(const struct fabric *from, const struct fabric *to)
{
	uint8_t *flapped = from->states_told && to->states_told ? NEW_ARRAY(to->n_links + 1, uint8_t) : NULL;

	for (uint32_t l = 0; flapped && l < to->n_links; l++) {
		uint32_t was = fabric_link_in(from, to, l);

		for (unsigned end = 0; was != NO_ID && end < 2; end++)
			flapped[l] |= to->port_state[to->link_port[2 * l + end]] == PORT_INIT &&
				      from->port_state[from->link_port[2 * was + end]] > PORT_INIT;
	}
	return flapped;
}

/* The sweep of an event that brings a fabric, after the sweep `at` (NULL: the first). */
static struct sweep *sweep_fresh(struct session *s, const struct sweep *at, const struct event *ev,
				 struct progress *p, struct err *e)
{
	struct sweep *prev = at ? sweep_on(at, ev->setup) : NULL;
	AUTO_FREE uint8_t *flapped = prev ? came_anew(at->fabric, ev->setup->fabric) : NULL;
	struct change_request rq = {.kind = ev->kind, .flapped = flapped, .progress = p};
	struct sweep *w = sweep_event(s, prev, ev, &rq, e);

	sweep_unref(prev);
	return w;
}

/* Begin with a fabric, in a new history or (goes_on) after the present. If routing fails, nothing changes. */
static int session_begin(struct session *s, const struct fresh *n, struct progress *p, struct err *e)
{
	const struct routing *before = n->goes_on ? session_routing(s) : NULL;
	struct event ev = {.kind = n->kind,
			   .text = str_dup(n->how),
			   .setup = fresh_setup(s, n),
			   .as_read = n->state == NULL};
	int rc = 0;

	if (ev.setup->chain && !(ev.sweep = sweep_fresh(s, n->goes_on ? session_sweep(s) : NULL, &ev, p, e)))
		rc = -1;
	if (!rc && before && ev.sweep && ev.sweep->routing &&
	    !(ev.change = compare_routings(before, ev.sweep->routing, p)))
		rc = err_set(e, CANCELLED);
	if (rc) {
		event_clear(&ev);
		return -1;
	}
	session_lock(s);
	if (!n->goes_on)
		drop_events(s, 0);
	append_event(s, &ev);
	session_unlock(s);
	return 0;
}

/* The subnet manager's place is only guessed from a file: it stays where it was while that port exists. */
static const struct fabric *keep_place(const struct fabric *was, const struct fabric *f)
{
	uint32_t port =
		was->sm_endport == NO_ID ? NO_ID : fabric_port_in(f, was, was->endport_port[was->sm_endport]);

	if (!f->sm_guessed || port == NO_ID || f->port_endport[port] == NO_ID ||
	    f->port_endport[port] == f->sm_endport)
		return f;
	const struct fabric *kept = fabric_at_place(f, f->port_node[port], f->port_num[port]);
	fabric_unref(f);
	return kept;
}

/*
 * Tables that were read for a fabric, on its later state: they stay, as no failure changes them. by_hand: the
 * later state was made from it, so its source's tables came along.  NULL: there are none, or the later state
 * has its own.
 */
static struct switch_tables *tables_after(const struct setup *was, const struct fabric *f, bool by_hand)
{
	const struct switch_tables *t = by_hand ? was->tables : setup_tables(was);

	return t && (by_hand || !fabric_switch_tables(f)) ? switch_tables_on(t, was->fabric, f) : NULL;
}

static void let_go(const struct switch_tables *t)
{
	if (t)
		counted_unref((struct counted *)(uintptr_t)&t->counted);
}

static int session_take_fabric(struct session *s, const struct fabric *f, const struct fresh *as,
			       struct progress *p, struct err *e)
{
	struct fresh n = *as;
	const struct fabric *shaped;

	assert(f && as->how);
	n.goes_on = n.goes_on && s->n_events;
	if (n.goes_on)
		f = keep_place(s->fabric, f);
	int rc = shape_fabric(s, f, s->setup->options, &shaped, e);
	if (!rc) {
		n.fabric = shaped;
		n.loaded = f;
		n.options = s->setup->options;
		if (n.goes_on && n.kind == EVENT_EDIT)
			n.tables = tables_after(s->setup, shaped, n.state != NULL);
		rc = session_begin(s, &n, p, e);
		let_go(n.tables);
		fabric_unref(shaped);
	}
	fabric_unref(f);
	return rc;
}

int session_set_fabric(struct session *s, const struct fabric *f, const char *how, struct progress *p,
		       struct err *e)
{
	return session_take_fabric(s, f, &(struct fresh){.how = how}, p, e);
}

void session_note_drawing(struct session *s, const char *path, const char *what)
{
	assert(s->n_events && path && what);
	for (size_t i = s->n_drawings; i-- > 0;)
		if (!strcmp(s->drawing[i].path, path))
			drop_drawing(s, i);
	GROW(s->drawing, s->n_drawings, s->cap_drawings);
	s->drawing[s->n_drawings++] =
		(struct drawing_note){.path = str_dup(path), .what = str_dup(what), .at = s->at};
}

void session_read_now(struct session *s)
{
	session_lock(s);
	s->read_at = now_seconds();
	session_unlock(s);
}

double session_reading_age(const struct session *s)
{
	bool live = s->loaded && !strcmp(s->loaded->format, "live");

	return live && s->read_at > 0 ? now_seconds() - s->read_at : -1;
}

int session_go_on(struct session *s, const struct fabric *f, enum event_kind kind, const char *how,
		  struct progress *p, struct err *e)
{
	assert(kind != EVENT_SCOPE);
	return session_take_fabric(s, f, &(struct fresh){.how = how, .kind = kind, .goes_on = true}, p, e);
}

int session_shape(const struct session *s, const struct fabric *loaded, const struct options *o,
		  const struct fabric **out, struct err *e)
{
	return shape_fabric(s, loaded, o, out, e);
}

int session_ahead(struct session *s, const struct sweep *at, const struct fabric *loaded,
		  struct comparison **change, struct progress *p, struct err *e)
{
	const struct fabric *f = keep_place(at->fabric, fabric_ref(loaded)), *shaped;
	struct event ev = {.kind = EVENT_EDIT, .as_read = true};
	int rc = shape_fabric(s, f, at->setup->options, &shaped, e);

	*change = NULL;
	if (!rc) {
		struct state *up = state_new(shaped);
		struct switch_tables *tables = tables_after(at->setup, shaped, false);

		ev.setup = setup_with(
			at->setup,
			&(struct setup){.fabric = shaped, .loaded = f, .state = up, .tables = tables});
		let_go(tables);
		state_free(up);
		ev.sweep = sweep_fresh(s, at, &ev, p, e);
		rc = ev.sweep ? 0 : -1;
		fabric_unref(shaped);
	}
	if (!rc && ev.sweep->routing && !(*change = compare_routings(at->routing, ev.sweep->routing, p)))
		rc = err_set(e, CANCELLED);
	event_clear(&ev);
	fabric_unref(f);
	return rc;
}

int session_edit(struct session *s, const struct fabric *loaded, const struct state *down, const char *how,
		 struct progress *p, struct err *e)
{
	assert(down->n_links == loaded->n_links && down->n_nodes == loaded->n_nodes);
	return session_take_fabric(
		s, loaded, &(struct fresh){.how = how, .kind = EVENT_EDIT, .goes_on = true, .state = down}, p,
		e);
}

struct session *session_draft_at(const struct session *s, size_t event)
{
	struct session *d = session_like(s);
	const struct event *at = event < s->n_events ? &s->event[event] : NULL;
	const struct scope *scope = s->setup->scope;
	struct event ev = {.text = str_dup("draft"),
			   .setup = at && event != s->at
					    ? setup_with(at->setup, &(struct setup){.scope = scope})
					    : setup_ref(s->setup)};

	assert(s->n_events == 0 || event < s->n_events);
	d->names = s->names;
	ev.as_read = at && at->as_read;
	if (at && at->sweep)
		ev.sweep = at->setup->scope == scope ? sweep_ref(at->sweep)
						     : sweep_with_hosts(at->sweep, ev.setup);
	append_event(d, &ev);
	return d;
}

struct session *session_draft(const struct session *s)
{
	return session_draft_at(s, s->at);
}

void session_draft_free(struct session *s)
{
	if (s)
		s->names = NULL;
	session_free(s);
}

void session_set_options(struct session *s, const struct options *o)
{
	const struct setup *setup = setup_with(s->setup, &(struct setup){.options = o});

	session_lock(s);
	put_in_force(s, setup);
	session_unlock(s);
}

void session_forget(struct session *s)
{
	struct options *o = options_new(s->option_tables);
	const struct setup *setup = setup_new(&(struct setup){
		.fabric = s->fabric, .loaded = s->loaded, .state = s->setup->state, .options = o});

	options_free(o);
	session_lock(s);
	put_in_force(s, setup);
	session_unlock(s);
}

int session_reshape(struct session *s, const struct options *o, struct progress *p, struct err *e)
{
	const struct fabric *shaped;

	if (!s->loaded) {
		session_set_options(s, o);
		return 0;
	}
	if (shape_fabric(s, s->loaded, o, &shaped, e))
		return -1;
	AUTO_FREE char *text = str_dup(session_origin(s)->text);
	/* the same ports have the same ids */
	int rc = session_begin(s,
			       &(struct fresh){.fabric = shaped,
					       .loaded = s->loaded,
					       .options = o,
					       .tables = s->setup->tables,
					       .how = text},
			       p, e);
	fabric_unref(shaped);
	return rc;
}

/* --- walking through them --------------------------------------------------------------------- */

static void go_to(struct session *s, size_t at)
{
	assert(at < s->n_events);
	session_lock(s);
	s->at = at;
	put_in_force(s, setup_ref(s->event[at].setup));
	s->generation++;
	session_unlock(s);
}

int session_undo(struct session *s, struct err *e)
{
	if (!s->n_events || !s->at)
		return err_set(e, "nothing to undo");
	go_to(s, s->at - 1);
	return 0;
}

int session_redo(struct session *s, struct err *e)
{
	if (s->at + 1 >= s->n_events)
		return err_set(e, "nothing to redo");
	go_to(s, s->at + 1);
	return 0;
}

int session_goto(struct session *s, size_t at, struct err *e)
{
	if (at >= s->n_events)
		return err_set(e, "there is no event %zu; the journal ends at %zu", at,
			       s->n_events ? s->n_events - 1 : 0);
	go_to(s, at);
	return 0;
}

int session_reset(struct session *s, struct progress *p, struct err *e)
{
	const struct fabric *shaped;

	/* the subnet manager goes back to its place, too */
	if (session_need_fabric(s, e) ||
	    shape_fabric(s, session_origin(s)->setup->loaded, s->setup->options, &shaped, e))
		return -1;
	AUTO_FREE char *text = str_dup(session_origin(s)->text);
	AUTO_SETUP const struct setup *first = setup_ref(session_origin(s)->setup); /* its event goes */
	int rc = session_begin(s,
			       &(struct fresh){.fabric = shaped,
					       .loaded = first->loaded,
					       .options = s->setup->options,
					       .tables = first->fabric == s->fabric ? s->setup->tables : NULL,
					       .how = text},
			       p, e);
	fabric_unref(shaped);
	return rc;
}

struct routing *session_counted(const struct session *s, const struct routing *r)
{
	AUTO_SETUP const struct setup *there =
		setup_with(s->setup, &(struct setup){.fabric = r->topo->fabric});
	struct host_set *hosts = setup_hosts(there);
	struct routing *c = routing_with_hosts(r, hosts);

	host_set_unref(hosts);
	return c;
}
