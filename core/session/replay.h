/*
 * The commands that lead to a session again: fabric, options, events, snapshots.
 */
#ifndef IBSCOPE_REPLAY_H
#define IBSCOPE_REPLAY_H

#include "core/session/session.h"

struct replay {
	struct text script; /* a line for each command */
	struct text lost;   /* lines: what is not in it */
	bool needs_fabric;  /* it loads `fabric`, which has to be written: the source is no file any more */
	bool needs_names;   /* it takes names from `names`, likewise */
};

/*
 * Make them for a session with a fabric.  fabric, names: paths of files that may be named in it; NULL: none
 * can be written, so what they would hold is lost.  To be freed by replay_free().
 */
void replay_make(struct replay *r, const struct session *s, const char *fabric, const char *names);
void replay_free(struct replay *r);

#endif
