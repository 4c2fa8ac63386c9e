/* The commands that rebuild a session: fabric, options, events, snapshots. */
#ifndef IBSCOPE_REPLAY_H
#define IBSCOPE_REPLAY_H

#include "core/session/session.h"

struct replay {
	struct text script; /* a line for each command */
	struct text lost;   /* lines: what is not in it */
	bool needs_fabric;  /* the script loads `fabric`, which must be written: its source is no file */
	bool needs_names;   /* the script takes names from `names`, so that must be written too */
	bool needs_counted; /* ... the live readings of counters, from `counted` */
};

/*
 * Make them for a session with a fabric. fabric, names, counted (of both readings): paths of files that the
 * commands may name.  NULL: no such file can be written, and its content is lost.  Free with replay_free().
 */
void replay_make(struct replay *r, const struct session *s, const char *fabric, const char *names,
		 char *const counted[2]);
void replay_free(struct replay *r);

/* `set` and `unset` lines that lead from the options a (NULL: the defaults) to b. */
void replay_options(struct text *t, const struct options *a, const struct options *b);

#endif
