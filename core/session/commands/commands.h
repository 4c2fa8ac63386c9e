/*
 * What the functions of the commands share.  A new command is one entry in the
 * table of the file it belongs to (the tables: command.h).
 */
#ifndef IBSCOPE_COMMANDS_H
#define IBSCOPE_COMMANDS_H

#include "core/analysis/cdg.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/session/command.h"

int cmd_help(struct session *s, int argc, char **argv, struct out *o, struct err *e);
/* `roots export FILE [S...]`, whose command is with `roots`. */
int export_roots(struct session *s, int argc, char **argv, struct out *o, struct err *e);
int cmd_why(struct session *s, int argc, char **argv, struct out *o, struct err *e);

/* Usage error: -1 and "expected: SYNTAX". */
int usage(const struct session *s, const char *name, struct err *e);

/* The sweep in force with tables, or NULL and *e ("nothing is routed; `route ENGINE` does it"). */
const struct sweep *need_routing(const struct session *s, struct err *e);

/*
 * A table that is also a pane, as `list NAME [ARGUMENT]` prints it, so that it is laid out
 * once.  argument may be NULL.  Nothing in a session that has no `list`.
 */
int print_table(struct session *s, const char *name, const char *argument, struct out *o, struct err *e);

/*
 * Where a candidate of a choice is when not on the switch of the step itself (on another
 * chip of the same chassis): the port id that leaves there; NO_ID: on the switch itself.
 */
uint32_t candidate_elsewhere(const struct fabric *f, const struct step *st, const struct step_candidate *c);

/* Lines that tell what the event in force did: routing, refusals, changes. */
void report_event(struct session *s, struct out *o);
/* A line that the fabric is incomplete, and what is missing, when something is. */
void report_missing(const struct fabric *f, struct out *o);
/*
 * Lines on the scope, when there is one: how many of its ports are here and count; JSON field "scope".
 * Ports of it that are not in this fabric.
 */
uint32_t report_scope(const struct session *s, struct out *o);
/* A line that aggregation nodes do not count, when there are such; JSON field "aggregation_nodes". */
void report_aggregation(const struct session *s, struct out *o);
/* How many GUIDs names stand for that an option has in place of a file; nothing where it has none, or no such
 * option is. */
void report_named(const struct options *opts, const char *name, struct out *o);
/* Sizes of the fabric in one line, and whether it is complete. */
void report_fabric(struct session *s, struct out *o);
/* Summary line and JSON fields of a comparison. */
void report_comparison(const struct comparison *c, struct out *o);

/*
 * Credit loops with a shortest cycle each, at most `limit`, and at most `routes`
 * of the routes that make each step; JSON field "credit_loops".  Returns the groups
 * there are; stops early when cancelled.
 */
uint32_t report_cycles(const struct cdg *c, uint32_t limit, uint32_t routes, struct progress *p,
		       struct out *o);
/* Routes that VL 15 ends, when there are any; JSON field "dropped".  Their number. */
uint64_t report_dropped(const struct cdg *c, struct out *o);
/* A layer (VL) as text; -1 and *e. */
int parse_layer(const char *word, int *vl, struct err *e);

/* Endports that matter (host_set_matters()) whose node did not fail, yet the subnet manager does not reach
 * them; *first (may be NULL): one of them. */
uint32_t count_cut_off(const struct sweep *w, uint32_t *first);

#endif
