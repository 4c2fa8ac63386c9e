/*
 * A session: a fabric, options, the events made to it, snapshots.  Everything a
 * person does goes through session_execute() (command.h); the functions here
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
#include "core/analysis/compare.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/sm/sweep.h"

struct command;

enum event_kind { EVENT_LOAD, EVENT_ROUTE, EVENT_FAIL, EVENT_RESTORE, EVENT_SWEEP, EVENT_SET };

/* One entry of the journal.  events[0] is the fabric as loaded. */
struct event {
	enum event_kind kind;
	char *text;		   /* "fail link leaf-03[19]" */
	struct state *state;	   /* after it; owned */
	struct sweep *sweep;	   /* reference; NULL while nothing has been routed */
	struct comparison *change; /* against the event before; NULL when there is nothing to compare */
	char *chain;		   /* engines in force after it; NULL = none */
	struct options *options;   /* in force after it; owned */
};

struct snapshot {
	char *name;
	struct sweep *sweep; /* reference */
};

/* The steps of an engine's run as text, for the command `step`. */
struct step_list {
	char **line;
	size_t n, cap, at; /* at: the next one to show */
	bool cut;	   /* there were more than are kept */
};

struct session {
	const struct engine *const *engines;
	const struct command *const *commands; /* NULL-terminated list of tables, each ended by a NULL name */
	pthread_mutex_t mutex;

	const struct fabric *fabric; /* NULL before the first load */
	const struct fabric
		*loaded; /* the same before the options guid, port_guids and the name map shaped it */
	const struct optdef **option_tables;
	struct options *options;
	bool manual_rules;
	struct name_map *names; /* --node-name-map, NULL = none */

	struct event *event;
	size_t n_events, cap_events;
	size_t at;	     /* event in force; events above it can be redone */
	uint64_t generation; /* grows with every published change: panes rebuild when it differs */

	struct snapshot *snapshot;
	size_t n_snapshots, cap_snapshots;

	struct step_list steps;	  /* of the last `step start`; dropped with every event */
	struct progress progress; /* of the command that runs */
	char *config_chain; /* routing_engine of the last `config`, NULL = none; main() routes with it when -R
			       is not given */
	bool quit;	    /* `quit` was given */
	unsigned source_depth; /* scripts within scripts */
	bool error_placed; /* the message of a failed script within a script names file and line already */
	/* Hook of the user interface for commands that concern it ("screen", "pane", ...); NULL in batch. */
	int (*ui_command)(void *ui, int argc, char **argv, FILE *out, struct err *e);
	void *ui;
};

/*
 * engines: NULL-terminated.  tables: NULL-terminated list of tables of commands
 * (command.h), each ended by an entry with name NULL.  Both must outlive the session.
 */
struct session *session_new(const struct engine *const *engines, const struct command *const *tables);
void session_free(struct session *s);

void session_lock(struct session *s);
void session_unlock(struct session *s);

/* What is in force now; valid under the lock (take a reference to keep it).  NULL when there is none. */
const struct sweep *session_sweep(const struct session *s);
const struct routing *session_routing(const struct session *s);
const struct event *session_event(const struct session *s);
const struct state *session_state(const struct session *s);

/* Replace the fabric (takes over the reference); history and snapshots go.  The engine in force routes it. */
int session_set_fabric(struct session *s, const struct fabric *f, const char *how, struct err *e);

/* Make an event: new state (taken over) and/or chain and/or options; sweeps when a chain is in force. */
struct change_request {
	enum event_kind kind;
	struct state *state;	       /* NULL = as it is; taken over */
	const char *chain;	       /* NULL = as it is */
	const struct options *options; /* NULL = as they are; copied */
	bool reroute;		       /* from scratch */
	const uint8_t *flapped;
	const char *text;
};
int session_change(struct session *s, const struct change_request *rq, struct err *e);

/*
 * Take options that shape the fabric (guid, port_guids) or a new s->names into
 * force: a new history begins.  The options are copied.
 */
int session_reshape(struct session *s, const struct options *o, struct err *e);

int session_goto(struct session *s, size_t at, struct err *e); /* event number as the journal shows it */
int session_undo(struct session *s, struct err *e);
int session_redo(struct session *s, struct err *e);
int session_reset(struct session *s, struct err *e);

void session_forget_steps(struct session *s);
struct sweep *session_find_snapshot(const struct session *s, const char *name); /* borrowed; NULL */

/*
 * Names of things (see the design): NODE is a GUID, a LID, a name, a unique
 * prefix or glob; a port is NODE[PORT].
 */
uint32_t session_node(const struct session *s, const char *word, struct err *e); /* node id */
uint32_t session_port(const struct session *s, const char *word, struct err *e); /* port id */
/*
 * An endport and one of its LIDs: a LID, a port GUID, NODE, or NODE[PORT]; a CA
 * with several ports and none named: the first that is up.  *lid is 0 when it has none.
 */
uint32_t session_endport(const struct session *s, const char *word, unsigned *lid, struct err *e);

#endif
