/*
 * What is routed and how: a fabric, what of it is up, the options, the chain of engines.  A setup never
 * changes once made.  It is counted, so events, sweeps and work beside the session hold the same one.
 */
#ifndef IBSCOPE_SETUP_H
#define IBSCOPE_SETUP_H

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/fabric/host_set.h"
#include "core/fabric/state.h"
#include "core/routing/switch_tables.h"
#include "core/sm/options.h"

struct setup {
	atomic_uint refs;
	const struct fabric *fabric; /* reference held; NULL before the first load */
	const struct fabric
		*loaded; /* what the fabric was shaped from (session.h); reference held; NULL: itself */
	const struct state *state;     /* reference held; NULL without a fabric */
	const struct options *options; /* reference held */
	const char *chain;	       /* engines asked for, "updn,minhop"; owned; NULL = none */
	const char *program; /* words of engine `script` (script.h), quoted as typed; owned; NULL = none */
	/* Tables read for this fabric, in addition to its source; reference held; NULL = none. */
	const struct switch_tables *tables;
	const struct scope *scope; /* whose hosts count; reference held; NULL or without words = all */
};

/* A setup with these members (refs apart).  Takes new references, copies the chain.  options: required. */
struct setup *setup_new(const struct setup *members);

/*
 * The setup with the members of `other` that are not NULL.  A new fabric drops the tables, not the scope.
 * Another engine in place of tables drops path_sl_file, which tells the SLs of these tables.
 */
struct setup *setup_with(const struct setup *base, const struct setup *other);

/* Content of the switches: tables that were read, else those that came with the fabric; NULL: not known. */
static inline const struct switch_tables *setup_tables(const struct setup *s)
{
	return s->tables ? s->tables : fabric_switch_tables(s->fabric);
}

bool setup_counts_aggregation(const struct setup *s); /* the option aggregation_nodes */
/* Ports that count as hosts under the scope and the option `aggregation_nodes`.  The caller lets go of it. */
struct host_set *setup_hosts(const struct setup *s);

/* The file that says which switches are in one chassis; NULL: the source tells it. */
const char *setup_chassis_file(const struct options *o);
/*
 * Switch elements of the fabric with everything up, grouped by the option chassis_file: failures do not
 * change what a chassis is. notes: as elements_new().  NULL and *e.
 */
struct elements *setup_elements(const struct setup *s, struct progress *p, struct text *notes, struct err *e);

struct setup *setup_ref(const struct setup *s);
void setup_unref(const struct setup *s); /* NULL is fine */

/* Would both give the same routing: fabric, state, options, tables, program, and hosts that count? */
bool setup_equal(const struct setup *a, const struct setup *b);

#endif
