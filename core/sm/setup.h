/*
 * What is routed and how: a fabric, what of it is up, the options, the chain of
 * engines.  A setup never changes once made and is counted, so that everybody
 * (events, sweeps, requests of work beside the session) holds the same one.
 */
#ifndef IBSCOPE_SETUP_H
#define IBSCOPE_SETUP_H

#include "core/fabric/state.h"
#include "core/sm/options.h"

struct setup {
	atomic_uint refs;
	const struct fabric *fabric;   /* reference held; NULL before the first load */
	const struct state *state;     /* reference held; NULL without a fabric */
	const struct options *options; /* reference held */
	const char *chain;	       /* engines asked for, "updn,minhop"; owned; NULL = none */
};

/* Takes references of its own and copies the chain; options are required. */
struct setup *setup_new(const struct fabric *f, const struct state *st, const struct options *o,
			const char *chain);

/* The same but for the members of `other` that are not NULL. */
struct setup *setup_with(const struct setup *base, const struct setup *other);

struct setup *setup_ref(const struct setup *s);
void setup_unref(const struct setup *s); /* NULL is fine */

/* Does a routing of both find the same: fabric, state and options? */
bool setup_equal(const struct setup *a, const struct setup *b);

#endif
