/*
 * Arguments of panes.  A pane describes them by letters (view_ops.args, enum arg_kind
 * of the command language), from which they are parsed and completed; what it gets
 * are GUIDs and numbers that mean the same when another fabric is loaded.
 */
#ifndef IBSCOPE_VIEW_ARGS_H
#define IBSCOPE_VIEW_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/base/err.h"

#define VIEW_ARGS 4

struct scene;
struct view_ops;

/* One argument; what a kind does not set is 0. */
struct view_arg {
	char kind;     /* letter of the description; 0 = not given */
	uint64_t guid; /* of a node; of an endport's port; of the lowest chip of an element */
	int n; /* number of a port; LID of an endport, 0 = it has none; layer, -1 = all; number; word of
		  view_ops.words */
};

struct view_args {
	struct view_arg arg[VIEW_ARGS];
	int n;	   /* given */
	bool flag; /* view_ops.flag stood behind them */
	int argc;  /* as typed, for panes that take any number of words; valid during open() only */
	char **argv;
};

/* Parse against the scene.  -1 and *e, which begins with "pane NAME: ". */
int view_args_parse(const struct view_ops *ops, struct scene *sc, int argc, char **argv, struct view_args *a,
		    struct err *e);

#endif
