/* `watch`: a live fabric read again and again, and reports about its subnet managers. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/analysis/compare/drift.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/routing/routing.h"
#include "core/session/commands/commands.h"
#include "core/source/live.h"

/* What `watch` reports about subnet managers: the master, those on standby, and the engine that made the
 * tables.
 */

#define LABEL_ROOM 300

/* In larger fabrics only the engines that are quick are tried. */
#define QUICK_SWITCHES 300
#define QUICK 5

static const char *const tried[] = {"minhop", "updn", "ftree",	    "dnup", "dor",
				    "sssp",   "lash", "torus-2QoS", "nue"};
static_assert(QUICK <= ARRAY_LEN(tried), "the quick ones are the first of them");

static json_t *manager_json(const struct fabric *f, const struct manager *x, const char *key)
{
	json_t *o = json_make("{s:s}", "state", manager_state_word[x->state]);

	json_put_endport(o, key, f, NULL, fabric_endport_by_guid(f, x->guid));
	if (x->state != MANAGER_SILENT)
		json_object_set_new(o, "priority", json_integer(x->priority));
	return o;
}

static json_t *watch_managers_json(const struct fabric *f)
{
	const struct managers *m = fabric_managers(f);
	json_t *list = json_array();

	for (uint32_t i = 0; m && i < m->n; i++)
		json_array_append_new(list, manager_json(f, &m->m[i], "name"));
	return list;
}

/* "master, priority 5". */
static void add_state(struct text *t, const struct manager *x)
{
	text_add(t, "%s", manager_state_word[x->state]);
	if (x->state != MANAGER_SILENT)
		text_add(t, ", priority %u", x->priority);
}

/* Those of a reading: in JSON each, in text a line (none where they were not asked). */
static void watch_managers_text(const struct fabric *f, struct text *t)
{
	const struct managers *m = fabric_managers(f);
	char a[LABEL_ROOM];

	if (!m || !m->asked)
		return;
	text_add(t, "Subnet managers: ");
	for (uint32_t i = 0; i < m->n; i++) {
		text_add(t, "%s%s ", i ? "; " : "", manager_label(f, &m->m[i], a, sizeof(a)));
		add_state(t, &m->m[i]);
	}
	text_add(t, "%s.\n", m->n ? "" : "none");
}

/* Do ports name another master now? */
static void tell_master(const struct fabric *before, const struct fabric *f, struct text *t, json_t *list)
{
	const struct managers *a = fabric_managers(before), *b = fabric_managers(f);
	uint32_t was = managers_master(before), is = managers_master(f);
	const struct manager *old = NULL;
	char label[LABEL_ROOM];

	if (!a->lid || !b->lid)
		return;
	/* the same port with another LID is reported as such, and so is a LID whose port nobody knows */
	if (was != NO_ID && is != NO_ID ? fabric_endport_in(before, f, is) == was : a->lid == b->lid)
		return;
	json_t *o = json_make("{s:s}", "kind", "master_changed");
	if (was != NO_ID) {
		json_put_port(o, "from", before, NULL, before->endport_port[was]);
		old = manager_at(b, before->port_guid[before->endport_port[was]]);
	}
	if (is != NO_ID)
		json_put_port(o, "to", f, NULL, f->endport_port[is]);
	json_object_set_new(o, "from_lid", json_integer(a->lid));
	json_object_set_new(o, "to_lid", json_integer(b->lid));
	text_add(t, "the master subnet manager is %s (LID %u) now",
		 is == NO_ID ? "at a port that is not known" : endport_label(f, is, label, sizeof(label)),
		 b->lid);
	text_add(t, ", it was %s (LID %u)",
		 was == NO_ID ? "at a port that is not known"
			      : endport_label(before, was, label, sizeof(label)),
		 a->lid);
	if (b->asked)
		text_add(t,
			 old && old->state == MANAGER_STANDBY ? "; it handed over, and is standby now"
			 : old				      ? "; a manager is still there: %s"
							      : "; no manager is there any more",
			 old ? manager_state_word[old->state] : "");
	text_add(t, "\n");
	json_array_append_new(list, o);
}

/* Which came, went, or have another state or priority. */
static void tell_each(const struct fabric *before, const struct fabric *f, struct text *t, json_t *list)
{
	const struct managers *a = fabric_managers(before), *b = fabric_managers(f);
	char label[LABEL_ROOM];

	for (uint32_t i = 0; i < a->n; i++) {
		const struct manager *x = &a->m[i];
		json_t *o;

		if (manager_at(b, x->guid))
			continue;
		text_add(t, "- subnet manager %s: it was ", manager_label(before, x, label, sizeof(label)));
		add_state(t, x);
		text_add(t, "\n");
		o = manager_json(before, x, "manager");
		json_object_set_new(o, "kind", json_text("manager_gone"));
		json_array_append_new(list, o);
	}
	for (uint32_t i = 0; i < b->n; i++) {
		const struct manager *x = &b->m[i], *y = manager_at(a, x->guid);

		if (y && y->state == x->state && y->priority == x->priority)
			continue;
		text_add(t, "%c subnet manager %s: ", y ? '~' : '+',
			 manager_label(f, x, label, sizeof(label)));
		add_state(t, x);
		text_add(t, y ? "; it was " : "");
		if (y)
			add_state(t, y);
		text_add(t, "\n");
		json_t *o = manager_json(f, x, "manager");
		json_object_set_new(o, "kind", json_text(y ? "manager_changed" : "manager_new"));
		if (y)
			json_object_set_new(o, "was", json_text(manager_state_word[y->state]));
		if (y && y->state != MANAGER_SILENT)
			json_object_set_new(o, "old_priority", json_integer(y->priority));
		json_array_append_new(list, o);
	}
}

/* Objects with `kind` of what is different between two readings, and a line each in *t. */
static json_t *watch_managers(const struct fabric *before, const struct fabric *f, struct text *t)
{
	const struct managers *a = fabric_managers(before), *b = fabric_managers(f);
	json_t *list = json_array();

	if (a && b)
		tell_master(before, f, t, list);
	if (a && b && a->asked && b->asked)
		tell_each(before, f, t, list);
	return list;
}

/* How well an engine explains the tables: the share of entries that it chooses from nothing; -1: it does
 * not. */
static double explains(struct session *s, const struct sweep *held, const char *chain, struct progress *p)
{
	struct err e = {0};
	const struct drift_request rq = {.setup = s->setup, .engines = s->engines, .chain = chain};
	AUTO_ARENA struct drift *d = drift_run(held, &rq, false, p, &e);
	return d && !strcmp(d->engine, chain) && drift_agreement(d) > 0.9 ? drift_right_share(d) : -1;
}

/* The engine that explains the tables in force best, by the options in force; static, NULL: none does. */
static const char *watch_engine(struct session *s, struct progress *p)
{
	struct err e = {0};
	AUTO_SWEEP struct sweep *held = drift_held(s->setup, s->engines, session_sweep(s), p, &e);
	const char *best = NULL;
	double most = 0.5; /* less is chance */
	size_t n = s->fabric->n_switches > QUICK_SWITCHES ? QUICK : ARRAY_LEN(tried);

	for (size_t i = 0; held && most < 1 && i < n && !progress_cancelled(p); i++) {
		double right = explains(s, held, tried[i], p);

		if (right > most) {
			most = right;
			best = tried[i];
		}
	}
	return best;
}

/* `watch` reads a live fabric again and again. */

#define WATCH_S 10
#define MANAGER_WORDS "inactive/discovering/standby/master/silent"
#define HISTORY 40  /* rounds in the line of history */
#define KEPT 20	    /* events of the journal that stay */
#define WITHIN_S 10 /* that a program of the user's may take */
#define WITHIN_MOST 3600
#define SAID 400      /* bytes of its errors that are shown */
#define NEW_TABLES 20 /* one entry in this many has changed: another engine may have made them */

struct watch {
	char *ca;
	int port;
	unsigned seconds, rounds; /* rounds 0: until it is stopped */
	bool followed;		  /* had the tables followed, at the last judgement? */
	bool again;		  /* not the first round */
	bool quiet;		  /* nothing changed in this round */
	char *failed;		  /* why the last reading failed; NULL: it did not.  Owned */
	const char *engine;	  /* that made the tables; NULL: not known.  Static */
	bool engine_due;	  /* it may be another now */
	char *const *on_change;	  /* words of the user's program; NULL: none.  Borrowed */
	unsigned within;	  /* seconds that it may take */
	uint64_t entries[HISTORY], unreachable[HISTORY]; /* of the last rounds, the last one at the end */
	size_t keep;					 /* events */
	json_t *told;					 /* objects of the changes of this round */
	json_t *round;					 /* the object of the round itself */
	uint64_t n_changes;
	unsigned number;    /* of this round */
	char time[OUT_UTC]; /* of its reading */
};

/* Entries that differ between two readings, by switch.  Tables that came or went count whole. */
static uint64_t tables_changed(const struct fabric *a, const struct fabric *b)
{
	const struct switch_tables *x = fabric_switch_tables(a), *y = fabric_switch_tables(b);
	uint64_t n = 0;

	for (uint32_t sw = 0; x && y && sw < b->n_switches; sw++) {
		uint32_t node = fabric_node_by_guid(a, b->node_guid[b->switch_node[sw]]);
		const uint8_t *now = y->lft[sw];
		const uint8_t *was =
			node == NO_ID || a->node_switch[node] == NO_ID ? NULL : x->lft[a->node_switch[node]];
		unsigned top_was = was ? x->top[a->node_switch[node]] : 0;
		unsigned top = now ? y->top[sw] : 0;

		for (unsigned lid = 1; lid <= MAX(top, top_was); lid++)
			n += (was && lid <= top_was ? was[lid] : NO_PATH) !=
			     (now && lid <= top ? now[lid] : NO_PATH);
	}
	return n;
}

/* Links of both readings whose ports have other states now. */
static uint64_t states_changed(const struct fabric *a, const struct fabric *b)
{
	uint64_t n = 0;

	for (uint32_t l = 0; l < b->n_links; l++) {
		uint32_t p = b->link_port[2 * l], q = b->link_port[2 * l + 1];

		n += fabric_link_in(a, b, l) != NO_ID &&
		     (b->port_state[p] != a->port_state[fabric_port_in(a, b, p)] ||
		      b->port_state[q] != a->port_state[fabric_port_in(a, b, q)]);
	}
	return n;
}

/* Do the ports hold other P_Keys? */
static bool pkeys_changed(const struct fabric *a, const struct fabric *b)
{
	const struct managers *x = fabric_managers(a), *y = fabric_managers(b);
	uint32_t n = x ? x->n_pkeys : 0, same = 0;

	if (n != (y ? y->n_pkeys : 0))
		return true;
	while (same < n && x->pkey[same].guid == y->pkey[same].guid &&
	       x->pkey[same].pkey == y->pkey[same].pkey)
		same++;
	return same < n;
}

/* Entries for LIDs in use that lead a packet nowhere. */
static uint64_t dead_entries(const struct sweep *w)
{
	const struct fabric *f = w->fabric;
	const struct topo *t = w->routing->topo; /* as data packets meet it */
	uint64_t n = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned lid = 1; switch_up(w->topo, sw) && lid <= w->lids->max_lid; lid++) {
			unsigned p = routing_port(w->routing, sw, lid);
			uint32_t owner = lid_owner(w->lids, lid);

			if (!p || p == NO_PATH || owner == NO_ID || !w->topo->endport_up[owner])
				continue;
			n += p > f->switch_nports[sw] || t->peer[switch_port_id(f, sw, p)] == NO_ID;
		}
	}
	return n;
}

/* Have the tables followed the change, as `check` judges them? -1 and *e when cancelled. */
static int tell_followed(struct session *s, struct watch *now, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct judgement j = {.sound = false};
	uint64_t dead = dead_entries(w);
	int rc = check_quietly(s, w, &j, o, e);

	now->followed = !dead && j.sound;
	if (now->followed)
		out_text(o, "The tables followed: every host%s.\n",
			 w->hosts->narrowed ? " of the scope reaches every other" : " reaches every host");
	else if (!rc && (dead || j.counts.unreachable))
		out_text(o,
			 "The tables have not followed: %s into ports that are down or not active, %s "
			 "unreachable.\n%s",
			 PLURAL(dead, "entry"), PLURAL(j.counts.unreachable, "pair"), text_str(&j.said));
	else if (!rc)
		out_text(o, "Whether the tables followed is not known, as `check` tells:\n%s",
			 text_str(&j.said));
	text_free(&j.said);
	if (rc)
		return -1;
	json_object_set_new(now->round, "dead_entries", json_integer((json_int_t)dead));
	json_object_set_new(now->round, "pairs", json_integer((json_int_t)j.counts.pairs));
	now->unreachable[HISTORY - 1] = j.counts.unreachable;
	json_object_set_new(now->round, "unreachable", json_integer((json_int_t)j.counts.unreachable));
	json_object_set_new(now->round, "no_lid", json_integer(j.counts.no_lid));
	return 0;
}

static bool watch_command_in_force(const struct session *s)
{
	return s->setup->chain && !strcmp(s->setup->chain, "live,no_fallback");
}

/* Appends the fabric and the tables of its switches as events. */
static int watch_command_publish(struct session *s, struct fabric *f, const char *how, struct out *o,
				 struct err *e)
{
	struct change_request rq = {.kind = EVENT_ROUTE,
				    .setup.chain = "live,no_fallback",
				    .text = "route live,no_fallback",
				    .progress = o->run->progress};

	if (session_go_on(s, f, EVENT_LOAD, how, o->run->progress, e))
		return -1;
	/* if that chain is in force already, the new fabric has brought its tables */
	if (!watch_command_in_force(s) && session_change(s, &rq, e))
		return -1;
	report_event(s, o);
	return 0;
}

static const char *const change_kind[CHANGE_KINDS] = {
	[PART_REMOVED] = "part_gone", [PART_ADDED] = "part_new",    [NODE_REMOVED] = "node_gone",
	[NODE_ADDED] = "node_new",    [NODE_REPLACED] = "replaced", [NODE_MOVED] = "moved",
	[NODE_RENAMED] = "renamed",   [LINK_REMOVED] = "link_down", [LINK_ADDED] = "link_up",
	[LINK_MOVED] = "moved",	      [LINK_SWAPPED] = "swapped",   [LINK_RATE] = "rate",
	[LID_CHANGED] = "lid",
};

/* Puts the object of a change (fields are taken over) among those of the round. */
static void watch_command_add_told(struct watch *w, const char *kind, json_t *fields)
{
	assert(kind);

	json_t *o = json_make("{s:s, s:i, s:s}", "time", w->time, "round", (int)w->number, "kind", kind);

	json_object_update(o, fields);
	json_object_del(o, "change"); /* `kind` tells */
	json_object_set_new(o, "kind", json_text(kind));
	json_decref(fields);
	json_array_append_new(w->told, o);
}

/* Each difference goes to text and to JSON, a line each.  Returns their number. */
static unsigned tell_changes(struct session *s, struct watch *w, const struct fabric *before,
			     const struct fabric *f, struct out *o)
{
	unsigned n;
	json_t *list = json_array();
	struct fabric_changes x;

	changes_find(&x, before, f, setup_chassis_file(s->setup->options), o->run->progress);
	for (size_t i = 0; i < x.n; i++) {
		AUTO_TEXT struct text t = {0};

		change_text(&x, &x.c[i], &t);
		out_text(o, "%s", text_str(&t));
		for (char *line = t.s, *end; line && *line; line = end) {
			end = line + strcspn(line, "\n");
			json_array_append_new(list, json_textn(line, (size_t)(end - line)));
			end += *end != 0;
		}
		watch_command_add_told(w, change_kind[x.c[i].kind], change_json(&x, &x.c[i]));
	}
	n = (unsigned)x.n;
	changes_free(&x);
	json_object_set_new(w->round, "changes", list);
	return n;
}

/* Tells what is different of the subnet managers.  Returns whether anything is. */
static bool watch_command_tell_managers(struct watch *w, const struct fabric *before, const struct fabric *f,
					struct out *o)
{
	AUTO_TEXT struct text t = {0};
	json_t *list = watch_managers(before, f, &t), *x;
	size_t i;

	json_array_foreach(list, i, x)
	{
		char *kind = str_dup(json_string_value(json_object_get(x, "kind")));

		watch_command_add_told(w, kind, json_incref(x));
		free(kind);
	}
	out_text(o, "%s", text_str(&t));
	json_decref(list);
	w->engine_due |= i > 0;
	return i > 0;
}

/* Which engine made the tables, when they may be another's and have followed? */
static void tell_engine(struct session *s, struct watch *w, struct out *o)
{
	const char *now = w->engine_due && w->followed ? watch_engine(s, o->run->progress) : NULL;

	if (!now)
		return;
	w->engine_due = false;
	if (w->engine && strcmp(w->engine, now)) {
		out_text(o, "the tables are those of %s now, they were those of %s\n", now, w->engine);
		watch_command_add_told(w, "engine_changed",
				       json_make("{s:s, s:s}", "engine", now, "old_engine", w->engine));
	}
	w->engine = now;
}

/* Puts a reading in force, and judges it. */
static int take_change(struct session *s, struct watch *w, struct fabric *f, const char *how, struct out *o,
		       struct err *e)
{
	if (watch_command_publish(s, f, how, o, e))
		return -1;
	session_read_now(s);
	if (tell_followed(s, w, o, e))
		return -1;
	tell_engine(s, w, o);
	json_object_set_new(w->round, "event", json_integer((json_int_t)s->at));
	return 0;
}

/* Compares the new reading f (taken over) with the one before (NULL: none). */
static int take_round(struct session *s, struct watch *w, struct fabric *f, const struct fabric *before,
		      struct out *o, struct err *e)
{
	unsigned n = before ? tell_changes(s, w, before, f, o) : 0;
	uint64_t entries = before ? tables_changed(before, f) : 0,
		 states = before ? states_changed(before, f) : 0;
	bool part = before && f->warnings.missing && !before->warnings.missing;
	bool pkeys = before && !part && pkeys_changed(before, f);
	bool unmanaged = managers_fault(f) != MANAGERS_GOOD;
	bool first = !w->again, told = before && !part && watch_command_tell_managers(w, before, f, o);
	AUTO_TEXT struct text managers = {0};
	char how[80];
	int rc = 0;

	w->n_changes += n;
	w->entries[HISTORY - 1] = entries;
	w->engine_due |= !before || first || entries * NEW_TABLES > (uint64_t)f->n_switches * f->n_endports;
	json_object_set_new(w->round, "entries", json_integer((json_int_t)entries));
	json_object_set_new(w->round, "states", json_integer((json_int_t)states));
	if (!before)
		json_object_set_new(w->round, "changes", json_array());
	json_object_set_new(w->round, "managers", watch_managers_json(f));
	watch_managers_text(f, &managers);
	if (unmanaged) {
		size_t from = managers.len;

		managers_tell_fault(f, &managers);
		json_object_set_new(w->round, "manager_fault", json_text(managers.s + from));
		text_add(&managers, "\n");
	}
	if (entries)
		watch_command_add_told(w, "tables_changed",
				       json_make("{s:I}", "entries", (json_int_t)entries));
	if (states) {
		watch_command_add_told(w, "states_changed", json_make("{s:I}", "states", (json_int_t)states));
		out_text(o, "~ ports of %s have another state\n", PLURAL(states, "link"));
	}
	if (pkeys) {
		watch_command_add_told(w, "pkeys_changed", json_object());
		out_text(o, "~ P_Keys of ports are others\n");
	}
	w->quiet = false;
	if (part) {
		out_text(o, "a part of the fabric did not answer: what was read before stays\n");
		w->followed = false;
		fabric_unref(f);
	} else if (before && !n && !entries && !states && !pkeys && !told &&
		   (!first || watch_command_in_force(s))) {
		/* a quiet round says nothing, but after one that failed */
		session_read_now(s);
		w->quiet = !first && !w->failed;
		if (!w->quiet)
			out_text(o, "nothing changed%s\n",
				 first || w->followed ? "" : "; what was wrong still is");
		fabric_unref(f);
		rc = first ? tell_followed(s, w, o, e) : 0;
		if (!rc)
			tell_engine(s, w, o);
	} else {
		if (before && !n && !entries && (states || pkeys || told))
			snprintf(how, sizeof(how), "live (%s)",
				 states	 ? "states of ports"
				 : pkeys ? "P_Keys"
					 : "subnet managers");
		else if (before)
			snprintf(how, sizeof(how), "live (%s, %s)", n == 1 ? "1 change" : PLURAL(n, "change"),
				 PLURAL(entries, "table entry"));
		else
			snprintf(how, sizeof(how), "live");
		rc = take_change(s, w, f, how, o, e);
	}
	if (!w->quiet && !rc)
		out_text(o, "%s", text_str(&managers));
	json_object_set_new(w->round, "followed", json_boolean(w->followed));
	if (w->engine)
		json_object_set_new(w->round, "engine", json_text(w->engine));
	o->run->found_fault |= !w->followed || unmanaged;
	return rc;
}

/* Adds a figure of the last rounds as a line of history; nothing if all are 0. */
static void add_history(const char *what, const uint64_t *n, unsigned rounds, struct text *t)
{
	assert(rounds <= HISTORY);

	const uint64_t *first = n + HISTORY - rounds;
	uint64_t most = 0;

	for (unsigned i = 0; i < rounds; i++)
		most = MAX(first[i], most);
	if (!most)
		return;
	text_add(t, "%s%s ", t->len ? ", " : "", what);
	text_levels(t, first, rounds, most);
	text_add(t, " (most %" PRIu64 ")", most);
}

/* From the third round on, the last rounds beside each other. */
static void watch_command_tell_history(const struct watch *w, unsigned number, struct out *o)
{
	unsigned rounds = MIN(number, HISTORY);
	AUTO_TEXT struct text t = {0};

	if (number > 2) {
		add_history("table entries changed", w->entries, rounds, &t);
		add_history("pairs unreachable", w->unreachable, rounds, &t);
	}
	if (t.len)
		out_text(o, "The last %u rounds: %s\n", rounds, t.s);
}

/* Read once.  If a later reading fails, the error is shown and the next round tries again. */
static int read_round(struct session *s, struct watch *w, unsigned number, struct out *o, struct err *e)
{
	/* is the loaded fabric an earlier reading, with its tables? */
	bool earlier = s->loaded && !strcmp(s->loaded->format, "live") && fabric_switch_tables(s->loaded);
	AUTO_FABRIC const struct fabric *before = earlier ? fabric_ref(s->loaded) : NULL;
	struct fabric *f =
		live_discover_tables(w->ca, w->port, LIVE_WATCHED, LIVE_SILENCE_S, o->run->progress, e);
	int rc = f ? 0 : -1;

	memmove(w->entries, w->entries + 1, sizeof(w->entries) - sizeof(*w->entries));
	memmove(w->unreachable, w->unreachable + 1, sizeof(w->unreachable) - sizeof(*w->unreachable));
	w->entries[HISTORY - 1] = 0; /* what is unreachable still is, until it is counted again */
	if (!rc) {
		rc = take_round(s, w, f, before, o, e);
		free(w->failed);
		w->failed = NULL;
	} else if (before && !progress_cancelled(o->run->progress)) {
		w->quiet = w->failed && !strcmp(w->failed, e->msg);
		if (!w->quiet)
			out_text(o, "%s\n", e->msg);
		free(w->failed);
		w->failed = str_dup(e->msg);
		json_object_set_new(w->round, "failed", json_text(e->msg));
		o->run->unanswered = true;
		rc = 0;
	}
	if (!rc && !w->quiet)
		watch_command_tell_history(w, number, o);
	w->again = true;
	return rc;
}

/* In JSON mode a line for each change, then one for the round, with its text. */
static void print_objects(const struct watch *w, struct out *o)
{
	json_t *told;

	for (size_t i = 0; (told = json_array_get(w->told, i)); i++)
		out_object(o, json_incref(told));
	if (json_array_size(o->lines))
		json_object_set_new(w->round, "text", json_copy(o->lines));
	json_array_clear(o->lines); /* the object holds them */
	out_object(o, json_incref(w->round));
}

/* In text mode each line begins with the number of the round and its time. */
static void print_lines(const struct watch *w, const char *said, struct out *o)
{
	for (const char *end; *said; said = end + (*end != 0)) {
		end = said + strcspn(said, "\n");
		out_text(o, o->run->no_timing ? "[%u%s] %.*s\n" : "[%u %s] %.*s\n", w->number,
			 o->run->no_timing ? "" : w->time, (int)(end - said), said);
	}
	out_flush(o);
}

/* A file in memory with the round's changes and the round, a line of JSON each; -1 and errno. */
static int lines_of_json(const struct watch *w)
{
	int fd = memfd_create("events", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	json_t *x;
	size_t i;

	if (!f)
		return -1;
	json_array_foreach(w->told, i, x)
	{
		json_dumpf(x, f, JSON_COMPACT);
		putc('\n', f);
	}
	json_dumpf(w->round, f, JSON_COMPACT);
	putc('\n', f);
	fflush(f);
	int own = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fclose(f);
	if (own >= 0)
		lseek(own, 0, SEEK_SET);
	return own;
}

/* Runs the user's program for a round with a change.  Whatever it does, watch goes on. */
static void run_on_change(const struct watch *w, struct out *o)
{
	AUTO_TEXT struct text said = {0};
	struct program_way way = {.seconds = w->within, .said = &said, .most_said = SAID, .mib = 1};
	char *printed;
	size_t size;
	struct err e = {0};
	int rc = -1;

	if (!w->on_change || !json_array_size(w->told))
		return;
	way.name = *w->on_change;
	way.in = lines_of_json(w);
	if (way.in < 0)
		err_system(&e, *w->on_change, errno);
	else
		rc = program_output(w->on_change, &way, &printed, &size, o->run->progress, &e);
	if (way.in >= 0)
		close(way.in);
	if (!rc)
		free(printed);
	else if (!progress_cancelled(o->run->progress)) {
		out_text(o, "on-change: %s%s%s\n", e.msg, said.len ? ": " : "", text_str(&said));
		json_object_set_new(w->round, "on_change_failed", json_text(e.msg));
	}
}

static int do_round(struct session *s, struct watch *w, unsigned number, struct out *o, struct err *e)
{
	struct command_run run = *o->run;
	struct out lines = {.run = &run};
	AUTO_TEXT struct text said = {0};
	int rc;

	w->number = number;
	out_utc(time(NULL), w->time);
	w->round = json_make("{s:s, s:s, s:i}", "time", w->time, "kind", "round", "round", (int)number);
	w->told = json_array();
	if (o->run->json) {
		rc = read_round(s, w, number, o, e);
		run_on_change(w, o);
		if (!rc)
			print_objects(w, o);
	} else {
		run.f = text_stream(&said);
		rc = read_round(s, w, number, &lines, e);
		run_on_change(w, &lines);
		fclose(run.f);
		o->run->found_fault |= run.found_fault;
		o->run->unanswered |= run.unanswered;
		print_lines(w, text_str(&said), o);
	}
	session_keep_events(s, w->keep);
	json_decref(w->round);
	json_decref(w->told);
	return rc;
}

/* Wait some seconds, or for SIGHUP; the top bar shows the age of the last reading.  False when stopped. */
static bool wait_seconds(unsigned seconds, struct command_run *r)
{
	double from = now_seconds();

	progress_start(r->progress, "watching: next reading", seconds);
	while (now_seconds() - from < seconds && !(r->rounds && atomic_exchange(&r->rounds->again, false))) {
		if (!progress_step(r->progress, (unsigned)(now_seconds() - from)))
			return false;
		poll(NULL, 0, 50);
	}
	return true;
}

/* The program of the user's behind `on-change`, and its words; NULL: none. */
static int take_program(const struct args *args, struct watch *w, struct err *e)
{
	for (int i = 0; i < args->n; i++)
		if (args->arg[i].small && !strcmp(args->arg[i].word, "on-change")) {
			w->on_change = args->argv + i + 2;
			break;
		}
	return w->on_change ? permitted(DEED_RUN, *w->on_change, e) : 0;
}

static int cmd_watch(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct watch w = {.seconds = (unsigned)args_number(args, "SECONDS", WATCH_S),
			  .rounds = (unsigned)args_number(args, "rounds N", 0),
			  .keep = (size_t)args_number(args, "keep N", KEPT),
			  .within = (unsigned)args_number(args, "within N", WITHIN_S)};
	const char *device = args_word(args, "CA[:PORT]", NULL);
	struct rounds *signals = o->run->rounds;
	int rc = take_program(args, &w, e) || (device && live_parse_target(device, &w.ca, &w.port, e)) ? -1
												       : 0;
	unsigned i = 0;

	if (signals)
		atomic_store(&signals->listening, true);
	if (signals && signals->hush)
		signals->hush(true);
	while (!rc) {
		rc = do_round(s, &w, ++i, o, e);
		if (rc || i == w.rounds)
			break;
		if (!wait_seconds(w.seconds, o->run))
			rc = err_set(e, CANCELLED);
	}
	if (signals)
		atomic_store(&signals->listening, false);
	if (signals && signals->hush)
		signals->hush(false);
	if (signals && atomic_load(&signals->end)) { /* SIGTERM: as if all rounds were done */
		out_text(o, "watch ended by SIGTERM: %s, %s\n", PLURAL(i, "reading"),
			 PLURAL(w.n_changes, "change"));
		rc = 0;
	}
	free(w.ca);
	free(w.failed);
	return rc;
}

const struct command watch_commands[] = {
	{.name = "watch",
	 .group = LOOK,
	 .in_rounds = true,
	 .numbers = ARG_NUMBERS(ARG_LIMIT("SECONDS", 0, LIVE_WATCH_MOST,
					  "a number up to " NUMBER_TEXT(LIVE_WATCH_MOST), NULL),
				ARG_LIMIT("rounds N", 0, LIVE_WATCH_ROUNDS,
					  "a number up to " NUMBER_TEXT(LIVE_WATCH_ROUNDS), NULL),
				ARG_LIMIT("keep N", 1, LIVE_WATCH_ROUNDS,
					  "a number from 1 to " NUMBER_TEXT(LIVE_WATCH_ROUNDS), NULL),
				ARG_NUMBER("within N", 1, WITHIN_MOST,
					   "a number from 1 to " NUMBER_TEXT(WITHIN_MOST), NULL)),
	 .syntax =
		 "watch [SECONDS] [rounds N] [keep N] [on CA[:PORT]] [within N] [on-change PROGRAM [ARG]...]",
	 .help = "read the live fabric and its tables again and again; each change becomes an event, with "
		 "its effects",
	 .finds = "tables lag behind the fabric, or no subnet manager, or more than one, is master; 3 when a "
		  "reading fails",
	 .json = "time string(^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$)? when the reading "
		 "began, "
		 "UTC\n"
		 "round integer(1..)? of a reading or a change: the number of the reading\n"
		 "kind string(round/part_gone/part_new/node_gone/node_new/replaced/moved/renamed/link_down/"
		 "link_up/swapped/rate/lid/tables_changed/states_changed/pkeys_changed/master_changed/"
		 "manager_new/manager_gone/"
		 "manager_changed/engine_changed)? what the object is about; none: "
		 "the "
		 "command\n"
		 "name node? node_*, replaced, renamed, moved, lid: the node; of a part its name\n"
		 "manager endport? manager_*: where the subnet manager runs\n"
		 "state string(" MANAGER_WORDS
		 ")? manager_*: state of the subnet manager; manager_gone: before\n"
		 "was string(" MANAGER_WORDS ")? manager_changed: state before\n"
		 "priority integer(0..15)? manager_*: its priority\n"
		 "old_priority integer(0..15)? manager_changed: before\n"
		 "engine engine? engine_changed: that explains the tables now; of a reading: as far as "
		 "known\n"
		 "old_engine engine? engine_changed: before\n"
		 "a port? link_*, moved, swapped, rate: one end\n"
		 "b port? the other, before\n"
		 "new node? replaced, renamed: what it is now\n"
		 "at port? moved: the port of the node\n"
		 "from port? moved: where that led; master_changed: the master's port before, its LID as the "
		 "ports told it\n"
		 "to port? moved: where it leads now; master_changed: the master's port now\n"
		 "other_a port? swapped: an end of the other cable\n"
		 "other_b port? swapped: its other end\n"
		 "old_width width? rate: before\n"
		 "old_speed speed? rate: before\n"
		 "width width? rate: now\n"
		 "speed speed? rate: now\n"
		 "lid_now integer? lid: the new one\n"
		 "unseen boolean? gone, but it may only not have answered\n"
		 "links[] object? cables that came or went with it\n"
		 "links[].a port its end\n"
		 "links[].b port the other\n"
		 "switches[] object? of a part: its switches\n"
		 "switches[].name node the switch\n"
		 "hosts[] object? of a part: hosts that have no cable elsewhere\n"
		 "hosts[].name node the host\n"
		 "inside integer? of a part: cables between its own switches\n"
		 "changes[] string? of a reading: what changed, in words\n"
		 "entries integer? table entries that changed\n"
		 "states integer? links that stayed, whose ports have another state\n"
		 "dead_entries integer? entries by which a packet cannot go on\n"
		 "pairs integer? pairs of hosts looked at\n"
		 "unreachable integer? pairs of hosts without a path\n"
		 "no_lid integer? endports without a LID\n"
		 "followed boolean? no entry is dead, and check calls them sound; without a change: as "
		 "before\n"
		 "event integer? of a reading: number of the event it became\n"
		 "failed string? why it read nothing\n"
		 "on_change_failed string? of a reading: what went wrong with the program behind on-change\n"
		 "manager_fault string? of a reading: why no subnet manager, or more than one, is master\n"
		 "managers[] object? of a reading: the subnet managers, as they answered\n"
		 "managers[].name endport the port\n"
		 "managers[].state string(" MANAGER_WORDS ") silent: the port says there is one, it did not "
		 "answer\n"
		 "managers[].priority integer(0..15)? its priority\n" JSON_EVENT,
	 .run = cmd_watch},
	{.name = NULL},
};
