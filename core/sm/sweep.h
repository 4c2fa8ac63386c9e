/*
 * A heavy sweep of the subnet manager: discover, assign LIDs, run the chain of engines, keep what OpenSM
 * keeps.  A struct sweep records one.  It never changes once made, so undo, comparison and "why" simply look
 * at an older record.
 */
#ifndef IBSCOPE_SWEEP_H
#define IBSCOPE_SWEEP_H

#include <stdio.h>

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"
#include "core/sm/engine.h"
#include "core/sm/options.h"
#include "core/sm/ucast_cache.h"

/* An engine of the chain that was tried and refused. */
struct refusal {
	const char *engine; /* static */
	char *why;
	enum refusal_kind kind;
};

struct sweep {
	atomic_uint refs;
	const struct setup *setup;     /* reference held; its chain is "minhop" when none was asked for */
	const struct fabric *fabric;   /* that of the setup */
	const struct topo *topo;       /* reference held */
	const struct lids *lids;       /* reference held */
	const struct routing *routing; /* reference held; NULL: no engine routed (no_fallback) */
	const struct host_set *hosts;  /* reference held: the hosts that count */
	struct refusal *refusal;       /* engines that refused before routing->engine */
	size_t n_refusals;
	const char *fatal; /* what OpenSM does at the last refusal instead of going on: "never ends",
			      "crashes"; NULL */
	bool fallback;	   /* Min Hop took over after the last of the chain */
	char *notes;	   /* lines for the person, "" when none */
	struct note_mark *note_mark; /* [n_note_marks] owned: kinds of the notes (core/sm/engine.h) */
	size_t n_note_marks;
	bool from_scratch;    /* existing entries were ignored */
	char *scratch_reason; /* the reason ("first sweep", "link a[1] came up", "reroute"); NULL when they
				 were not */
	bool cached;	      /* ucast_cache was valid: no engine ran */
	bool as_read;	      /* ports are in the states that were read; the routing is for data packets */
	bool carried;	  /* not a sweep of its own but one carried over from another fabric by sweep_on() */
	double seconds;	  /* of discovery, LIDs and routing */
	uint8_t *opervls; /* owned, [n_ports]: OperVLs codes as this sweep read them */
	uint8_t *flapped; /* owned, [n_links]: as in the request; NULL */
	unsigned number;  /* 0 = first heavy sweep of this subnet manager */
	const struct sweep *prev; /* reference held: the sweep before, whose tables were current; NULL */
	struct sm_memory *memory; /* what the subnet manager remembers after it (opaque, owned) */
};

struct sweep *sweep_ref(const struct sweep *s);
void sweep_unref(const struct sweep *s);
struct sweep *sweep_unref_later(void *arena, const struct sweep *sweep); /* counted.h */
#define AUTO_SWEEP __attribute__((cleanup(sweep_unref_at)))
void sweep_unref_at(void *variable);

/* The same sweep with other hosts that count (scope, option aggregation_nodes), but the same tables and
 * memory. */
struct sweep *sweep_with_hosts(const struct sweep *s, const struct setup *setup);

/*
 * Carries what a sweep left over to another fabric, as the `prev` of the next sweep after cables and nodes
 * came, went, moved or were replaced.  Everything is found by GUID and port.  Cables that the fabric of `s`
 * does not have are not up in it, those that the new fabric does not have are lost; switches keep their
 * tables and ports their LIDs, and LIDs of ports that left stay reserved.  setup: of the new fabric.  NULL:
 * the two have less than a quarter of their nodes in common.
 */
struct sweep *sweep_on(const struct sweep *s, const struct setup *setup);

struct sweep_request {
	const struct setup *setup; /* chain: engine names as in opensm -R; NULL or "" = minhop */
	const struct engine *const *engines;
	bool reroute;		  /* ignore existing entries, like a console reroute */
	bool restart;		  /* the subnet manager starts again: it knows only the LIDs of prev */
	const struct sweep *prev; /* of the same fabric (sweep_on()); NULL = the subnet manager starts, and
				     ports carry the source's LIDs */
	/* of the same fabric, where prev is NULL: the LIDs that it reserves for absent ports stay reserved,
	 * unless a port carries them; NULL: none */
	const struct sweep *reserved;
	/*
	 * The fabric is as it was read: its ports are in the states that the source reports, and the routing
	 * is that of routing_on_data().  Otherwise the sweep is assumed to have activated all ports.  Tables
	 * held by switches always apply to ports as they were read, because no subnet manager acts.
	 */
	bool as_read;
	const uint8_t *flapped; /* [n_links] 1 = went down and up again since prev; NULL = none */
	unsigned threads;	/* that an engine may use; 0 = no extra ones.  Tables do not depend on it */
	struct progress *progress; /* may be NULL */
};

/*
 * Runs one sweep.  Returns NULL and *e when it was cancelled, an option or chain is unusable, or the program
 * of engine `script` failed.  The result lists the engines that refused.
 */
struct sweep *sweep_run(const struct sweep_request *rq, struct err *e);

/* The same sweep with its routing replaced by r, which it takes over: a step while it was made. */
struct sweep *sweep_with_routing(const struct sweep *s, struct routing *r);

/* Does the subnet manager remember LIDs?  It does not when the tables are those that switches hold, since it
 * then assigned none. */
bool sweep_remembers(const struct sweep *s);
/*
 * The *n LIDs that the subnet manager keeps for ports that are not there (they left, or guid2lid_file names
 * them), in GUID order; to be freed.
 */
struct guid2lid *sweep_reserved(const struct sweep *s, size_t *n);
/* Writes OpenSM's guid2lid as it is after the sweep, in GUID order.  Returns 0, or -1 when it was not written
 * or was cancelled. */
int sweep_write_guid2lid(FILE *f, const struct sweep *s, struct progress *p);

/* The sweep whose engine made the tables that the unicast cache kept; it may be of another fabric. */
const struct sweep *sweep_made(const struct sweep *s);

/* Returns -1 and *e when the sweep was made before the fabric changed, so that it cannot run again for the
 * fabric of `s`. */
int sweep_of_now(const struct sweep *s, struct err *e);

struct sweep_repeat {
	const struct engine *const *engines;
	const char *engine;	   /* may have refused in this sweep; NULL = the one in force */
	const struct rec_ask *ask; /* NULL = none */
	struct recorder *record;   /* NULL = none */
	struct progress *progress;
};
/*
 * Runs an engine of a finished sweep once more, with the very inputs it had, hence with the very same
 * decisions.  Tables that the unicast cache kept are made again by the sweep that computed them.  *r (may be
 * NULL): what it made, a reference.  0, or -1 and *e: no routing, refused, cancelled.
 */
int sweep_repeat(const struct sweep *s, const struct sweep_repeat *q, struct routing **r, struct err *e);

/*
 * An endport is cut off when its node has not failed, but the subnet manager does not reach it.
 * count_cut_off() counts those that matter (host_set_matters()) and puts one of them into *first (may be
 * NULL).
 */
bool is_cut_off(const struct sweep *w, uint32_t ep);
uint32_t count_cut_off(const struct sweep *w, uint32_t *first);

/* What the subnet manager keeps from one heavy sweep to the next.  Only core/sm/ uses it. */

struct sm_memory {
	struct lid_memory *lids;
	const struct routing *tables; /* in the switches; reference held; NULL before the first success */
	bool ignore; /* ignore_existing is still set: the last sweep programmed nothing or had errors */
	struct ucast_cache *cache; /* use_ucast_cache: valid for `tables`; NULL = not valid */
	uint8_t *opervls;	   /* [n_ports] OperVLs codes of ports (core/sm/engine.h) */
	uint8_t *active;	   /* number of draws from random() so far, as each engine counts them */
	uint64_t random;	   /* number of draws from random() so far, as each engine counts them */
	uint8_t *marked;	   /* [n_switches] as in struct engine_input */
};

#endif
