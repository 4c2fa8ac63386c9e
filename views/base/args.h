/*
 * Arguments of panes.  What they are is said once, by the syntax line that help shows and completion reads;
 * core/session/args.h reads them by it.  What a pane keeps are GUIDs and numbers that mean the same when
 * another fabric is loaded.  "all" stands for every element or layer, other small words are flags.
 */
#ifndef IBSCOPE_VIEW_ARGS_H
#define IBSCOPE_VIEW_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/base/err.h"

#define VIEW_ARGS 4

struct args;
struct scene;
struct view;
struct view_ops;

enum view_arg_kind {
	VIEW_ARG_NONE, /* not given */
	VIEW_ARG_NODE,
	VIEW_ARG_SWITCH,
	VIEW_ARG_PORT,
	VIEW_ARG_ENDPORT,
	VIEW_ARG_ELEMENT,
	VIEW_ARG_NUMBER,
	VIEW_ARG_ALL,
	VIEW_ARG_OTHER,
};

/* One argument; what a kind does not set is 0. */
struct view_arg {
	enum view_arg_kind kind;
	uint64_t guid; /* of a node; of an endport's port; of the lowest chip of an element */
	int n; /* number of a port; LID of an endport, 0 = it has none; layer; number; -1 with "all" */
};

struct view_args {
	struct view_arg arg[VIEW_ARGS];
	int n;	   /* given, flags aside */
	bool flag; /* the small word of the syntax was among them */
};

/* What was looked at last, by GUIDs; 0: nothing of that kind.  Panes without arguments show it. */
struct looked {
	uint64_t node, sw; /* the node may be that switch */
	unsigned port;	   /* of the node, 0 = none */
	uint64_t endport;  /* a host's */
	uint64_t src, dst; /* port GUIDs of a pair */
	/* Of `why SWITCH DST via PORT`: the switch, the port GUID of DST, the number of the port. */
	uint64_t via_sw, via_dst;
	unsigned via_port;
};

/*
 * Words for a pane that was given none: those of the first form of its syntax that must stand there, else a
 * node that may.  Their number, 0 when something was not looked at; to be freed by words_free().
 */
int view_args_looked(const struct view_ops *ops, const struct scene *sc, char ***argv);

/* Read words into v->args, against the scene, and open the pane with them.  -1 and *e. */
int view_args_open(struct view *v, int argc, char **argv, struct err *e);

#endif
