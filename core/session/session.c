#include "core/session/session.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/formats/formats.h"

/* --- life --------------------------------------------------------------------------- */

/* The common options and those of every engine, as one list of tables. */
static const struct optdef **option_tables(const struct engine *const *engines)
{
	size_t n = 1, k = 0;
	const struct optdef **t;

	for (size_t i = 0; engines[i]; i++)
		n += engines[i]->options != NULL;
	t = (const struct optdef **)NEW_ARRAY(n + 1, void *);
	t[k++] = common_options;
	for (size_t i = 0; engines[i]; i++)
		if (engines[i]->options)
			t[k++] = engines[i]->options;
	return t;
}

struct session *session_new(const struct engine *const *engines, const struct command *const *tables)
{
	struct session *s = NEW(struct session);
	struct options *options;

	/* jansson tells a failed allocation by a value that is not set: with ours there is none */
	json_set_alloc_funcs(mem_alloc, free);
	s->engines = engines;
	s->commands = tables;
	s->option_tables = option_tables(engines);
	options = options_new(s->option_tables);
	s->setup = setup_new(&(struct setup){.options = options});
	options_free(options);
	pthread_mutex_init(&s->mutex, NULL);
	return s;
}

static void event_clear(struct event *ev)
{
	free(ev->text);
	setup_unref(ev->setup);
	sweep_unref(ev->sweep);
	comparison_free(ev->change);
	*ev = (struct event){0};
}

static void drop_events(struct session *s, size_t from)
{
	for (size_t i = from; i < s->n_events; i++)
		event_clear(&s->event[i]);
	if (from < s->n_events)
		s->n_events = from;
}

static void drop_snapshots(struct session *s)
{
	for (size_t i = 0; i < s->n_snapshots; i++) {
		free(s->snapshot[i].name);
		sweep_unref(s->snapshot[i].sweep);
	}
	s->n_snapshots = 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	drop_events(s, 0);
	drop_snapshots(s);
	free(s->event);
	free(s->snapshot);
	fabric_unref(s->loaded);
	setup_unref(s->setup);
	free(s->option_tables);
	if (s->names) {
		name_map_free(s->names);
		free(s->names);
	}
	pthread_mutex_destroy(&s->mutex);
	free(s);
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
	return s->n_events ? s->event[s->at].sweep : NULL;
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

struct sweep *session_find_snapshot(const struct session *s, const char *name)
{
	for (size_t i = 0; i < s->n_snapshots; i++)
		if (!strcmp(s->snapshot[i].name, name))
			return s->snapshot[i].sweep;
	return NULL;
}

int session_need_fabric(const struct session *s, struct err *e)
{
	return s->fabric ? 0 : err_set(e, "no fabric is loaded; `load FILE`, `synth SPEC` or `live` get one");
}

/* --- making events ------------------------------------------------------------------------ */

static bool lid_options_equal(const struct options *a, const struct options *b)
{
	static const char *const names[] = {"lmc", "lmc_esp0", "reassign_lids", "honor_guid2lid_file",
					    "guid2lid_file"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(options_get(a, names[i]), options_get(b, names[i])))
			return false;
	return true;
}

/* The routing of an event under its setup; NULL and *e when cancelled or impossible. */
static struct sweep *sweep_event(struct session *s, const struct sweep *prev, const struct event *ev,
				 const struct change_request *rq, struct err *e)
{
	struct sweep_request sr = {
		.setup = ev->setup,
		.engines = s->engines,
		.reroute = rq->reroute,
		.restart = rq->kind == EVENT_ROUTE || rq->kind == EVENT_SET,
		.flapped = rq->flapped,
		.prev = prev,
		.progress = rq->progress,
	};

	if (prev && sr.restart && !lid_options_equal(prev->setup->options, ev->setup->options))
		sr.prev = NULL;
	return sweep_run(&sr, e);
}

/* What is in force from now on (reference taken over); the lock is held. */
static void put_in_force(struct session *s, const struct setup *setup)
{
	setup_unref(s->setup);
	s->setup = setup;
	s->fabric = setup->fabric;
}

/* Make an event the one in force; the lock is held. */
static void append_event(struct session *s, struct event *ev)
{
	if (s->n_events)
		drop_events(s, s->at + 1);
	GROW(s->event, s->n_events, s->cap_events);
	s->at = s->n_events;
	s->event[s->n_events++] = *ev;
	put_in_force(s, setup_ref(ev->setup));
	s->generation++;
}

static int make_event(struct session *s, struct event *ev, const struct change_request *rq, struct err *e)
{
	const struct routing *before = session_routing(s);

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

/* The loaded fabric under the options `guid`, `port_guids` and the name map. */
static int shape_fabric(const struct session *s, const struct fabric *loaded, const struct options *o,
			const struct fabric **out, struct err *e)
{
	const char *guid = options_get(o, "guid");
	bool ibsim = !strcmp(options_get(o, "port_guids"), "ibsim");
	struct fabric *f = fabric_ref(loaded), *g;

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
	if (*guid && strtoull(guid, NULL, 0)) {
		uint32_t sm = fabric_endport_by_guid(f, strtoull(guid, NULL, 0));

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

/* What an event of a new history holds: everything up under these options and tables. */
static const struct setup *fresh_setup(const struct session *s, const struct fabric *f,
				       const struct options *o, const struct switch_tables *tables)
{
	struct state *up = state_new(f);
	const struct setup *setup = setup_with(
		s->setup, &(struct setup){.fabric = f, .state = up, .options = o, .tables = tables});

	state_free(up);
	return setup;
}

/* Begin a new history on a fabric; nothing changes when it cannot be routed. */
static int begin_history(struct session *s, const struct fabric *f, const struct options *o,
			 const struct switch_tables *tables, const char *how, struct progress *p,
			 struct err *e)
{
	struct event ev = {.kind = EVENT_LOAD, .text = str_dup(how), .setup = fresh_setup(s, f, o, tables)};
	struct change_request rq = {.kind = EVENT_LOAD, .progress = p};

	if (ev.setup->chain && !(ev.sweep = sweep_event(s, NULL, &ev, &rq, e))) {
		event_clear(&ev);
		return -1;
	}
	session_lock(s);
	drop_events(s, 0);
	if (f != s->fabric)
		drop_snapshots(s);
	append_event(s, &ev);
	session_unlock(s);
	return 0;
}

int session_set_fabric(struct session *s, const struct fabric *f, const char *how, struct progress *p,
		       struct err *e)
{
	const struct fabric *shaped;
	int rc = shape_fabric(s, f, s->setup->options, &shaped, e);

	if (!rc) {
		rc = begin_history(s, shaped, s->setup->options, NULL, how, p, e);
		fabric_unref(shaped);
	}
	if (rc) {
		fabric_unref(f);
		return -1;
	}
	session_lock(s);
	fabric_unref(s->loaded);
	s->loaded = f;
	session_unlock(s);
	return 0;
}

void session_set_options(struct session *s, const struct options *o)
{
	const struct setup *setup = setup_with(s->setup, &(struct setup){.options = o});

	session_lock(s);
	put_in_force(s, setup);
	session_unlock(s);
}

int session_reshape(struct session *s, const struct options *o, struct progress *p, struct err *e)
{
	const struct fabric *shaped;
	char *text;
	int rc;

	if (!s->loaded) {
		session_set_options(s, o);
		return 0;
	}
	if (shape_fabric(s, s->loaded, o, &shaped, e))
		return -1;
	text = str_dup(s->event[0].text);
	/* the ports are the same ones under the same ids */
	rc = begin_history(s, shaped, o, s->setup->tables, text, p, e);
	fabric_unref(shaped);
	free(text);
	return rc;
}

/* --- walking through them --------------------------------------------------------------------- */

static void go_to(struct session *s, size_t at)
{
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
	char *text;
	int rc;

	if (session_need_fabric(s, e))
		return -1;
	text = str_dup(s->event[0].text);
	rc = begin_history(s, s->fabric, s->setup->options, s->setup->tables, text, p, e);
	free(text);
	return rc;
}

/* --- names ---------------------------------------------------------------------------------------- */

/* Endport that has a LID now (in the source, while nothing is routed). */
static uint32_t endport_of_lid(const struct session *s, unsigned lid)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *f = s->fabric;

	if (w)
		return lid_owner(w->lids, lid);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t p = f->endport_port[ep];

		if (f->port_lid[p] && lid >= f->port_lid[p] && lid < f->port_lid[p] + (1u << f->port_lmc[p]))
			return ep;
	}
	return NO_ID;
}

static bool parse_number(const char *word, bool hex, uint64_t *v)
{
	char *end;

	if (hex ? word[0] != '0' || (word[1] | 0x20) != 'x' || !isxdigit((unsigned char)word[2])
		: !isdigit((unsigned char)word[0]))
		return false;
	*v = strtoull(word, &end, hex ? 16 : 10);
	return !*end;
}

uint32_t session_node(const struct session *s, const char *word, struct err *e)
{
	uint64_t v;
	uint32_t n;

	if (session_need_fabric(s, e))
		return NO_ID;
	if (parse_number(word, true, &v)) {
		uint32_t ep = fabric_endport_by_guid(s->fabric, v);

		n = fabric_node_by_guid(s->fabric, v);
		if (n == NO_ID && ep != NO_ID)
			n = endport_node(s->fabric, ep);
		if (n == NO_ID)
			err_set(e, "no node or port of the fabric has GUID %s", word);
		return n;
	}
	if (parse_number(word, false, &v) && v <= MAX_LID) {
		uint32_t ep = endport_of_lid(s, v);

		if (ep != NO_ID)
			return endport_node(s->fabric, ep);
		n = fabric_node_by_name(s->fabric, word, NULL);
		if (n == NO_ID)
			err_set(e, "no port has LID %s now, and no node is named so", word);
		return n;
	}
	return fabric_node_by_name(s->fabric, word, e);
}

/* "NODE[PORT]" taken apart; node is to be freed.  -1 without a message when there is no [PORT]. */
static int split_port(const char *word, char **node, unsigned *port)
{
	const char *open = strrchr(word, '[');
	char *end;

	if (!open || open == word || !isdigit((unsigned char)open[1]))
		return -1;
	*port = strtoul(open + 1, &end, 10);
	if (strcmp(end, "]") || *port > 255)
		return -1;
	*node = str_dup(word);
	(*node)[open - word] = 0;
	return 0;
}

uint32_t session_port(const struct session *s, const char *word, struct err *e)
{
	char *name;
	unsigned port;
	uint32_t n;

	if (session_need_fabric(s, e))
		return NO_ID;
	if (split_port(word, &name, &port)) {
		err_set(e, "found \"%s\", expected a port as NODE[PORT]", word);
		return NO_ID;
	}
	n = session_node(s, name, e);
	if (n != NO_ID && (port < 1 || port > s->fabric->node_nports[n])) {
		err_set(e, "%s has no port %u, expected 1 to %u", s->fabric->node_name[n], port,
			s->fabric->node_nports[n]);
		n = NO_ID;
	}
	free(name);
	return n == NO_ID ? NO_ID : s->fabric->node_port[n] + port;
}

/* The endport meant by a node: port 0 of a switch, else the first port that is up, else the first that is
 * cabled. */
static uint32_t node_endport(const struct session *s, uint32_t node)
{
	const struct fabric *f = s->fabric;
	const struct sweep *w = session_sweep(s);
	uint32_t first = NO_ID;

	for (unsigned p = 0; p <= f->node_nports[node]; p++) {
		uint32_t ep = f->port_endport[f->node_port[node] + p];

		if (ep == NO_ID)
			continue;
		if (!w || w->topo->endport_up[ep])
			return ep;
		if (first == NO_ID)
			first = ep;
	}
	return first;
}

static unsigned base_lid(const struct session *s, uint32_t ep)
{
	const struct sweep *w = session_sweep(s);

	return w ? w->lids->base[ep] : s->fabric->port_lid[s->fabric->endport_port[ep]];
}

uint32_t session_endport(const struct session *s, const char *word, unsigned *lid, struct err *e)
{
	char *name;
	unsigned port;
	uint64_t v;
	uint32_t ep = NO_ID, n;

	*lid = 0;
	if (session_need_fabric(s, e))
		return NO_ID;
	if (parse_number(word, false, &v) && v <= MAX_LID && (ep = endport_of_lid(s, v)) != NO_ID) {
		*lid = v;
		return ep;
	}
	if (parse_number(word, true, &v))
		ep = fabric_endport_by_guid(s->fabric, v);
	if (ep == NO_ID && !split_port(word, &name, &port)) {
		free(name);
		n = session_port(s, word, e);
		if (n == NO_ID)
			return NO_ID;
		ep = s->fabric->port_endport[n];
		if (ep == NO_ID && node_is_switch(s->fabric, s->fabric->port_node[n]))
			ep = s->fabric->port_endport[s->fabric->node_port[s->fabric->port_node[n]]];
	} else if (ep == NO_ID) {
		n = session_node(s, word, e);
		if (n == NO_ID)
			return NO_ID;
		ep = node_endport(s, n);
	}
	if (ep == NO_ID) {
		err_set(e, "\"%s\" has no cabled port", word);
		return NO_ID;
	}
	*lid = base_lid(s, ep);
	return ep;
}
