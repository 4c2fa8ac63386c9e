/*
 * A session: a fabric, options, the events made to it, snapshots.  Everything a
 * person does goes through command lines (interpreter.h); the functions here
 * are what commands and panes are made of.
 *
 * Threads.  One thread at a time runs commands and changes the session.
 * Another may look: it holds session_lock() while it reads, and may keep what it
 * takes references on (fabric, sweep).  Commands compute without the lock and
 * hold it only while they publish.
 */
#ifndef IBSCOPE_SESSION_H
#define IBSCOPE_SESSION_H

#include <pthread.h>
#include <stdio.h>
#include "core/analysis/compare/compare.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/names.h"
#include "core/sm/sweep.h"

struct command;
struct lesson_place;
struct topic;

enum event_kind { EVENT_LOAD, EVENT_ROUTE, EVENT_FAIL, EVENT_RESTORE, EVENT_SWEEP, EVENT_SET, EVENT_SCOPE };

/* One entry of the journal.  events[0] is the fabric as loaded. */
struct event {
	enum event_kind kind;
	char *text;		   /* "fail link leaf-03[19]" */
	const struct setup *setup; /* in force after it; reference held */
	struct sweep *sweep;	   /* of that setup; reference; NULL while nothing has been routed */
	/* against the event before, of EVENT_SCOPE that of the one it follows; NULL: nothing to compare */
	struct comparison *change;
};

struct snapshot {
	char *name;
	struct sweep *sweep; /* reference */
};

/* A drawing that was written: for reports. */
struct drawing_note {
	char *path, *what; /* "ticket.svg", "svg path node0001 node0009" */
	size_t at;	   /* event that was in force */
};

struct session {
	const struct engine *const *engines;
	const struct command *const *commands; /* NULL-terminated list of tables, each ended by a NULL name */
	/* The same of `help` (topics.h); NULL: none.  Set before anything runs. */
	const struct topic *const *topics;
	pthread_mutex_t mutex;

	/*
	 * In force: that of the event, but for options that were set since and route
	 * nothing yet.  Reference held.
	 */
	const struct setup *setup;
	const struct fabric *fabric; /* that of the setup; NULL before the first load */
	const struct fabric *loaded; /* that of the setup, before the options guid, port_guids and the name
					map shaped it */
	const struct optdef **option_tables;
	struct name_map *names; /* --node-name-map, NULL = none */

	struct event *event;
	size_t n_events, cap_events;
	size_t at;	     /* event in force; events above it can be redone */
	uint64_t generation; /* grows with every published change: panes rebuild when it differs */
	double read_at;	     /* now_seconds() when a live fabric was last read; 0: never.  Under the lock */

	struct snapshot *snapshot;
	size_t n_snapshots, cap_snapshots;

	struct walk *walk;	    /* through the recording of a run (session_walk()); NULL = none */
	uint64_t walk_of;	    /* generation it was made in */
	const struct moment *shown; /* where it stands; reference, NULL = the present.  Under the lock */
	uint64_t walk_moves;	    /* grows when it moves, begins or ends */
	int play;		    /* pace it is played at + 1, 0 = it stands (play.h).  Under the lock */
	const struct sweep *moment; /* while a command tells of a step of it: that step; borrowed */
	pthread_t moment_for;	    /* the thread that runs the command: all others see the present */
	const struct lesson_place *lesson; /* being played (lesson.h); reference; NULL = none */
	char *configured;		   /* routing_engine of the last `config`, NULL = none */
	struct drawing_note *drawing;
	size_t n_drawings, cap_drawings;
};

/*
 * engines: NULL-terminated.  tables: NULL-terminated list of tables of commands
 * (command.h), each ended by an entry with name NULL.  Both must outlive the session.
 */
struct session *session_new(const struct engine *const *engines, const struct command *const *tables);
void session_free(struct session *s);

void session_lock(struct session *s);
void session_unlock(struct session *s);

/*
 * The walk through a recorded run that is looked at; NULL: the present is.  Every event ends it.  It is
 * moved by commands, so another thread may only ask it under the lock.
 */
struct walk *session_walk(const struct session *s);
void session_set_walk(struct session *s, struct walk *w); /* takes it over; NULL: the present */
/* Where the walk stands, for panes; NULL: the present is shown.  Borrowed, valid under the lock. */
const struct moment *session_shown(const struct session *s);
/* The step that this thread tells of, instead of what the run made; NULL = the present. */
const struct sweep *session_moment(const struct session *s);
/* The walk may stand elsewhere now: what is shown of it follows.  By the thread that moves it. */
void session_walk_moved(struct session *s);

/* What is in force now; valid under the lock (take a reference to keep it).  NULL when there is none. */
const struct sweep *session_sweep(const struct session *s);
const struct routing *session_routing(const struct session *s);
const struct lids *session_lids(const struct session *s); /* NULL also: those of the source count */
const struct event *session_event(const struct session *s);
const struct state *session_state(const struct session *s);
const struct scope *session_scope(const struct session *s); /* NULL: all hosts count */

/* 0, or -1 and *e: no fabric is loaded. */
int session_need_fabric(const struct session *s, struct err *e);

/*
 * Replace the fabric (takes over the reference); history goes, snapshots stay.  The engine in force
 * routes it.
 */
int session_set_fabric(struct session *s, const struct fabric *f, const char *how, struct progress *p,
		       struct err *e);

/* Options as they are by default, no engine and no scope in force, from the next fabric on. */
void session_forget(struct session *s);

/*
 * The same as one more event behind those there are, compared with what was in force (two_fabrics.h): a
 * fabric that was discovered again.  Everything is up in it.
 */
int session_go_on(struct session *s, const struct fabric *f, const char *how, struct progress *p,
		  struct err *e);

/* A drawing of what is in force was written; one of the same path before is no more.  Copies. */
void session_note_drawing(struct session *s, const char *path, const char *what);

/* A live fabric has just been read, and what is loaded is as it is. */
void session_read_now(struct session *s);
/* Seconds since then; below 0 where what is loaded is no live fabric. */
double session_reading_age(const struct session *s);

/* Make an event: new state and/or chain and/or options; sweeps when a chain is in force. */
struct change_request {
	enum event_kind kind;
	struct setup setup; /* members that are not NULL are new; borrowed */
	bool reroute;	    /* from scratch */
	const uint8_t *flapped;
	const char *text;
	struct progress *progress; /* may be NULL */
};
int session_change(struct session *s, const struct change_request *rq, struct err *e);

/*
 * Which hosts count from now on: a new scope or (NULL: as it is) options that differ in aggregation_nodes
 * alone.  An event without a sweep: tables and what changed stay, counted anew.
 */
int session_recount(struct session *s, const struct scope *scope, const struct options *o, const char *text,
		    struct progress *p, struct err *e);

/* The event whose tables the changes of event number `at` are against; NULL: none. */
const struct event *session_event_before(const struct session *s, size_t at);

/* Options that count from the next sweep on; nothing is routed.  Takes a reference. */
void session_set_options(struct session *s, const struct options *o);

/*
 * Take options that shape the fabric (guid, port_guids) or a new s->names into
 * force: a new history begins.  Takes a reference on the options.
 */
int session_reshape(struct session *s, const struct options *o, struct progress *p, struct err *e);

int session_goto(struct session *s, size_t at, struct err *e); /* event number as the journal shows it */
int session_undo(struct session *s, struct err *e);
int session_redo(struct session *s, struct err *e);
/* Everything up, a history with one event; snapshots stay. */
int session_reset(struct session *s, struct progress *p, struct err *e);

struct sweep *session_find_snapshot(const struct session *s, const char *name); /* borrowed; NULL */

/* A routing, whenever it was made and of whatever fabric, where the hosts count that count now; a new
 * reference. */
struct routing *session_counted(const struct session *s, const struct routing *r);

/*
 * Names of things (names.c): a node is a GUID, a LID, a name, the unique beginning of a word of a name,
 * a unique part of one, or a glob that fits one (core/fabric/names.h: the best fit counts).  A port is
 * NODE[PORT].  A host's name alone, "luna-0200", is the first of its ports that is up (the first that
 * is cabled when none is).  NO_ID and *e: none or several are meant.
 */
uint32_t session_node(const struct session *s, const char *word, struct err *e); /* node id */
uint32_t session_port(const struct session *s, const char *word, struct err *e); /* port id */
/*
 * An endport and one of its LIDs: a LID, a port GUID, NODE, or NODE[PORT]; a switch's port means
 * its port 0.  *lid is 0 when it has none.
 */
uint32_t session_endport(const struct session *s, const char *word, unsigned *lid, struct err *e);

/*
 * Where many may stand: ids of all that a word means.  Besides one node, all nodes of a host, globs
 * and lists of names as Slurm writes them.  -1 and *e: it means none, or a name fits several nodes
 * that are not one host's.
 */
struct id_list {
	uint32_t *id;
	uint32_t n;
	bool many; /* the word may stand for several, even if it is one now */
};
int session_nodes(const struct session *s, const char *word, enum name_kind kind, struct id_list *l,
		  struct err *e);
/* The same for ports; NODE[1-4,7] are several, and a host alone means all its cabled ports. */
int session_ports(const struct session *s, const char *word, struct id_list *l, struct err *e);
void id_list_free(struct id_list *l);

/*
 * Is the word the name of a host with several cabled ports, and nothing else?  Then the one that it
 * means where one is wanted: an endport; else NO_ID.
 */
uint32_t session_host(const struct session *s, const char *word);

/* Is an endport up: reached by the subnet manager, or while nothing is routed by a cable that is up? */
bool session_endport_up(const struct session *s, uint32_t ep);

/* Nodes that a word fits equally well, when session_node() refuses it for that; their number, 0 otherwise. */
uint32_t session_candidates(const struct session *s, const char *word, struct name_hits *h);

#endif
