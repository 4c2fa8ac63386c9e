/*
 * A session: a fabric, options, the events made to it, snapshots.  A person does everything by command lines
 * (interpreter.h).  Commands and panes are made of the functions here.
 *
 * Threads.  One thread at a time runs commands and changes the session.  Another thread may read: it holds
 * session_lock() meanwhile, and may keep objects on which it takes references (fabric, sweep).  Commands
 * compute without the lock and hold it only while they publish.
 */
#ifndef IBSCOPE_SESSION_H
#define IBSCOPE_SESSION_H

#include <pthread.h>
#include <stdio.h>
#include "core/analysis/compare/compare.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/progress.h"
#include "core/fabric/names.h"
#include "core/sm/sweep.h"

struct command;
struct drain;
struct counter_reading;
struct lesson_place;
struct help_words;
struct named;

/* EVENT_EDIT: the fabric changed, but a script can repeat it (`load FILE next`, `move host`, ...) */
enum event_kind {
	EVENT_LOAD,
	EVENT_ROUTE,
	EVENT_FAIL,
	EVENT_RESTORE,
	EVENT_SWEEP,
	EVENT_SET,
	EVENT_SCOPE,
	EVENT_EDIT
};

/* One entry of the journal.  events[0] is the fabric as loaded. */
struct event {
	enum event_kind kind;
	char *text;		   /* "fail link leaf-03[19]" */
	const struct setup *setup; /* in force after it; reference held */
	struct sweep *sweep;	   /* that setup's; reference; NULL while nothing has been routed */
	/* since the event before (EVENT_SCOPE: the changes of the event before it); NULL: nothing to
	 * compare */
	struct comparison *change;
	time_t time; /* when it came into the journal */
	/* Nothing has happened to the fabric since it was read, so its ports are still as they were. */
	bool as_read;
};

struct snapshot {
	char *name;
	struct sweep *sweep; /* reference */
};

/* A drawing that was written, for reports. */
struct drawing_note {
	char *path, *what; /* "ticket.svg", "svg path node0001 node0009" */
	size_t at;	   /* event that was in force */
};

struct session {
	const struct engine *const *engines;
	const struct command *const *commands; /* NULL-terminated list of tables, each ended by a NULL name */
	/* What `help` tells (help.h); borrowed.  Set before anything runs. */
	const struct help_words *words;
	/* All that the interface has names for (help.h); NULL: nothing */
	void (*named)(void (*take)(void *to, const struct named *n), void *to);
	bool on_screen; /* there is an interface: a pane's name opens that pane instead of printing it */
	pthread_mutex_t mutex;

	/* in force: that of the event, with options set since, which have not yet routed anything; reference
	 * held */
	const struct setup *setup;
	const struct fabric *fabric; /* that of the setup; NULL before the first load */
	const struct fabric *loaded; /* that of the setup, before the options guid, port_guids and the name
					map shaped it */
	const struct optdef **option_tables;
	struct name_map *names; /* --node-name-map, NULL = none */

	struct event *event;
	size_t n_events, cap_events;
	size_t at;	     /* event in force; events above it can be redone */
	uint64_t generation; /* grows with every published change, and panes rebuild then */
	uint64_t saved;	     /* the generation that was saved last; 0: none */
	time_t loaded_at;    /* when `loaded` was put in force */
	double read_at;	     /* now_seconds() when a live fabric was last read; 0: never.  Under the lock */

	struct snapshot *snapshot;
	size_t n_snapshots, cap_snapshots;

	struct walk *walk;	    /* through the recording of a run (session_walk()); NULL = none */
	uint64_t walk_of;	    /* generation it was made in */
	const struct moment *shown; /* where it stands; reference, NULL = the present.  Under the lock */
	struct drain *
		drain; /* packets that are moved (session_drain()); NULL = none.  It changes under the lock */
	uint64_t drain_of; /* generation it was made in */
	/* Grows when the walk, the packets or the lesson move on, begin or end, and when `counted`
	 * changes. */
	uint64_t moves;
	int play; /* 1 + pace at which it is played (lesson.h), 0 = it stands still.  Under the lock */
	const struct sweep *moment;	   /* while a command reports on a step of it: that step; borrowed */
	pthread_t moment_for;		   /* thread that runs that command; all others see the present */
	const struct lesson_place *lesson; /* being played (lesson.h); reference; NULL = none */
	unsigned in_lesson; /* commands of a lesson that run now; they name no programs (script.h) */
	char *configured;   /* routing_engine of the last `config`, NULL = none */
	char *conf_engines; /* the same as the file writes it, with engines that ibscope does not compute */
	bool not_computed;  /* ... and it names only engines that ibscope does not compute */
	struct drawing_note *drawing;
	size_t n_drawings, cap_drawings;
	/* What ports counted (out.h): the last reading and the one before; NULL: none.  Owned. */
	struct counter_reading *counted[2];
	struct counted *log; /* the subnet manager's log, by `log FILE` (out.h); reference; NULL: none */
	uint64_t counts;     /* how often counters or log changed */
	/* What was present by the file of the last `check --baseline` (present_json()), or has to be by that
	 * of `plan`, and the file's name; NULL: none */
	struct json_t *present;
	char *baseline;
};

/*
 * `engines` ends with NULL.  `tables` is a NULL-terminated list of tables of commands (command.h); each table
 * ends with an entry whose name is NULL.  Both must outlive the session.
 */
struct session *session_new(const struct engine *const *engines, const struct command *const *tables);
/* A new session with the engines, commands and words of another, which outlives it. */
struct session *session_like(const struct session *s);
void session_free(struct session *s);

void session_lock(struct session *s);
void session_unlock(struct session *s);

/*
 * The walk through a recorded run that is shown; NULL when the present is shown.  Every event ends it.
 * Commands move it, so another thread may use it only under the lock.
 */
struct walk *session_walk(const struct session *s);
void session_set_walk(struct session *s,
		      struct walk *w); /* takes w over; NULL: the present.  Ends the packets */
/* The packets that are being moved (core/analysis/traffic/drain.h), or NULL.  As with the walk; they end the
 * walk. */
struct drain *session_drain(const struct session *s);
void session_set_drain(struct session *s, struct drain *d); /* takes d over */
/* Where the walk stands, for panes; NULL: the present is shown.  Borrowed, valid under the lock. */
const struct moment *session_shown(const struct session *s);
/* The step of the walk that this thread describes instead of the finished run; NULL: the present. */
const struct sweep *session_moment(const struct session *s);
/* Called by the thread that may have moved the walk: its panes follow. */
void session_walk_moved(struct session *s);

/* The sweep in force; valid under the lock (take a reference to keep it).  NULL when there is none. */
const struct sweep *session_sweep(const struct session *s);
const struct routing *session_routing(const struct session *s);
const struct lids *session_lids(const struct session *s); /* NULL also when the source's LIDs are in force */
const struct event *session_event(const struct session *s);
const struct state *session_state(const struct session *s);
/*
 * "Initialize" or "Armed": the state of the end of a port's cable that is up, but carried no data when the
 * fabric was read and is not assumed to have been activated since.  NULL when there is none.
 */
const char *event_idle(const struct event *ev, uint32_t port);
/* The state of an event with such cables down, as drawings show it: a new reference; the same state if there
 * are none. */
const struct state *event_data(const struct event *ev);
const struct scope *session_scope(const struct session *s); /* NULL: all hosts count */

/* 0, or -1 and *e: no fabric is loaded. */
int session_need_fabric(const struct session *s, struct err *e);

/* Replaces the fabric (taken over) and routes it.  The history goes, snapshots stay. */
int session_set_fabric(struct session *s, const struct fabric *f, const char *how, struct progress *p,
		       struct err *e);

/* From the next fabric on: default options, and no engine or scope in force. */
void session_forget(struct session *s);

/*
 * The same for the fabric at a later time (discovered again, or its next file): one more event behind the
 * present ones, the next sweep of the subnet manager with all that it remembers (sweep_on()).  It is compared
 * with what was in force (compare.h).  Everything in it is up.
 */
int session_go_on(struct session *s, const struct fabric *f, enum event_kind kind, const char *how,
		  struct progress *p, struct err *e);

/*
 * The same for a fabric that was changed by hand: `loaded` (taken over), before options and names shape it.
 * down: what failed, in ids of both.
 */
int session_edit(struct session *s, const struct fabric *loaded, const struct state *down, const char *how,
		 struct progress *p, struct err *e);

/* The fabric as shaped by options and the name map: a reference.  -1 and *e when option guid names no
 * port. */
int session_shape(const struct session *s, const struct fabric *loaded, const struct options *o,
		  const struct fabric **out, struct err *e);

/*
 * What would change if `loaded` came after the sweep `at`, as in session_go_on(); nothing is put in force.
 * *change is NULL when no engine would route it.
 */
int session_ahead(struct session *s, const struct sweep *at, const struct fabric *loaded,
		  struct comparison **change, struct progress *p, struct err *e);

/* Keeps only the last n events, and those from the present on; everything before is forgotten. */
void session_keep_events(struct session *s, size_t n);

/* Records that a drawing of the present was written, in place of an earlier one at that path.  Copies its
 * arguments. */
void session_note_drawing(struct session *s, const char *path, const char *what);

/*
 * A separate session that begins where s stands, with one event; nothing that it does changes s.  It borrows
 * from s, which must outlive it.  Free with session_draft_free(); NULL is fine.
 */
struct session *session_draft(const struct session *s);
/* The same for s as it stood after an event, with the hosts that count now. */
struct session *session_draft_at(const struct session *s, size_t event);
void session_draft_free(struct session *s);

/* Records that a live fabric has just been read, and that the loaded fabric is the same. */
void session_read_now(struct session *s);
/* Seconds since the last reading; negative when the loaded fabric is not live. */
double session_reading_age(const struct session *s);

/* An event that makes a new state, chain or options, or several of these.  If there is a chain, it sweeps. */
struct change_request {
	enum event_kind kind;
	struct setup setup; /* members that are not NULL are new; borrowed */
	bool reroute;	    /* from scratch */
	const uint8_t *flapped;
	const char *text;
	struct progress *progress; /* may be NULL */
};
int session_change(struct session *s, const struct change_request *rq, struct err *e);

/* Is there unsaved work in the journal: more than a fabric and its first routing, which one command makes
 * again? */
bool session_unsaved(const struct session *s);

/*
 * Changes which hosts count: by a new scope, or (NULL: the scope stays) by options that differ only in
 * aggregation_nodes.  This event has no sweep.  Tables and changes stay and are counted anew.
 */
int session_recount(struct session *s, const struct scope *scope, const struct options *o, const char *text,
		    struct progress *p, struct err *e);

/* The event with which the changes of event number `at` are compared, or NULL. */
const struct event *session_event_before(const struct session *s, size_t at);

/* Sets options for the next sweep; nothing is routed now.  Takes a reference. */
void session_set_options(struct session *s, const struct options *o);

/* Puts options that shape the fabric, or new s->names, into force, with a new history.  Takes a reference. */
int session_reshape(struct session *s, const struct options *o, struct progress *p, struct err *e);

int session_goto(struct session *s, size_t at, struct err *e); /* event number as the journal shows it */
int session_undo(struct session *s, struct err *e);
int session_redo(struct session *s, struct err *e);
/* Sets everything up, with a history of one event.  Snapshots stay. */
int session_reset(struct session *s, struct progress *p, struct err *e);

struct sweep *session_find_snapshot(const struct session *s, const char *name); /* borrowed; NULL */

/* A routing of any time and fabric, with the hosts that count now.  Returns a new reference. */
struct routing *session_counted(const struct session *s, const struct routing *r);

/*
 * Names of things (names.c).  A node is named by a GUID, a LID, a name, the unique beginning of a word of a
 * name, a unique part of a name, or a glob that fits one name (core/fabric/names.h: the best fit counts).  A
 * port is NODE[PORT].  A host's name alone, "luna-0200", is the first of its ports that is up (the first that
 * is cabled when none is).  NO_ID and *e: none or several are meant.
 */
uint32_t session_node(const struct session *s, const char *word, struct err *e); /* node id */
uint32_t session_port(const struct session *s, const char *word, struct err *e); /* port id */
/* Endport and LID (0: none) of a LID, port GUID, NODE or NODE[PORT].  A switch's port means port 0. */
uint32_t session_endport(const struct session *s, const char *word, unsigned *lid, struct err *e);

/*
 * The ids of everything that a word means, where it may mean many.  A word may also mean all nodes of a host,
 * a glob, a list of names as Slurm writes it, or the hosts of a file (patterns.h).  -1 and *e: the word means
 * no node, or several nodes that are not of one host; a file cannot be read, or p (may be NULL) was
 * cancelled.
 */
struct id_list {
	uint32_t *id;
	uint32_t n;
	bool many;		/* the word may stand for several, even if it is one now */
	bool part;		/* the word is but a part of a name, and no whole word of it */
	struct hostlist absent; /* hosts of a file that the fabric does not have */
};
int session_nodes(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
		  struct id_list *l, struct err *e);
/* The same where only whole names and whole words of names count. */
int session_nodes_whole(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
			struct id_list *l, struct err *e);
/* The same for ports.  NODE[1-4,7] means several ports.  A host alone means all its cabled ports. */
int session_ports(const struct session *s, const char *word, struct progress *p, struct id_list *l,
		  struct err *e);
void id_list_free(struct id_list *l);

/* The endport that a host's name means.  NO_ID when the word is something else, or the host has only one
 * cabled port. */
uint32_t session_host(const struct session *s, const char *word);

/* Is an endport up?  While nothing is routed this asks whether its cable is up, otherwise whether the subnet
 * manager reaches it. */
bool session_endport_up(const struct session *s, uint32_t ep);

/* The number of nodes that fit a word equally well, if that is why session_node() refuses it; else 0. */
uint32_t session_candidates(const struct session *s, const char *word, struct name_hits *h);

#endif
