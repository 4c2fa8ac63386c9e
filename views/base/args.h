/*
 * Arguments of panes. The syntax line, which help shows and completion reads, says what they are;
 * core/session/args.h reads them by it. A pane keeps GUIDs and numbers, which stay valid when another fabric
 * is loaded. "all" means every element or layer; other small words are flags.
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

/* One argument. Members that its kind does not use are 0. */
struct view_arg {
	enum view_arg_kind kind;
	uint64_t guid; /* of a node; of an endport's port; of an element's lowest chip */
	int n;	       /* port number; LID of an endport (0 = none); layer; number; -1 for "all" */
};

struct view_args {
	struct view_arg arg[VIEW_ARGS];
	int n;	   /* number of arguments, without flags */
	bool flag; /* the flag of the syntax was given */
};

/* The last objects looked at, by GUID; 0: none of that kind. Panes without arguments show them. */
struct looked {
	uint64_t node, sw; /* the node may be this switch */
	unsigned port;	   /* of the node, 0 = none */
	uint64_t endport;  /* of a host */
	uint64_t src, dst; /* port GUIDs of a pair */
	/* Of `why SWITCH DST via PORT`: the switch, the port GUID of DST, the port number. */
	uint64_t via_sw, via_dst;
	unsigned via_port;
};

/*
 * Makes words for a pane that was given none, from the last objects looked at: the required words of the
 * first form of its syntax, or else an optional node. Returns their number, or 0 when an object is missing.
 * Free with words_free().
 */
int view_args_looked(const struct view_ops *ops, const struct scene *sc, char ***argv);

/* Reads words into v->args, against the scene, and opens the pane with them. -1 and *e. */
int view_args_open(struct view *v, int argc, char **argv, struct err *e);

#endif
