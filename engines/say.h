/* Helpers for the sentences of steps, for engines whose scheme has one function per kind of step. */
#ifndef IBSCOPE_SAY_H
#define IBSCOPE_SAY_H

#include "core/base/progress.h"
#include "core/routing/routing.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/counted/counted.h"

/* A step, unpacked for its sentence. */
struct saying {
	struct walk *w;
	const struct recording *r;
	const struct sweep *s;
	const struct topo *topo;
	const struct fabric *f;
	const void *kept; /* kept by the engine: recording_kept() */
	const struct rec_event *ev;
	const uint32_t *extra; /* words of the event */
	uint32_t n_extra;
	struct text *t;
};

/* The current step of the walk. */
struct saying saying_of(struct walk *w, struct text *t);

const char *say_name(const struct saying *y, uint32_t sw);
/* The switch at the other end of a port, or NO_ID. */
uint32_t say_behind(const struct saying *y, uint32_t sw, unsigned port);
/* "LID 7 (node0003)". A LID without an owner is named alone. */
void say_lid(const struct saying *y, unsigned lid);
void say_port(const struct saying *y, uint32_t port);
/* "leaf-03 LID 7 (node0003) -> port 2: rule", or "-> no port: rule". */
void say_entry(const struct saying *y, const char *rule);
/* The sentence of a REC_TABLE step. */
void say_table_done(const struct saying *y);
/* The first change that the step makes in a table. False when there is none. */
bool say_change(const struct saying *y, enum rec_table t, struct rec_delta *d);

/* Counts routes on links from the tables: the entries of a LID form a tree, and routes add up to its root. */

/*
 * Each switch sends own[switch] routes ([n_switches]) to each of the LIDs. Adds them to all ports on their
 * way: routes[port id]. False when cancelled. Costs LIDs * switches.
 */
bool tree_routes_add(const struct routing *r, const uint32_t *own, struct lids_part lids, uint32_t *routes,
		     struct progress *p);

/* Recordings (core/trace/recording.h) of all engines with a hop matrix: minhop, dor, updn, dnup and file. */

/* The full matrix at a step, from one of the two tables of hops. The caller gets a reference. */
struct hops *hops_at(const struct walk *w, enum rec_table t);

/* Tells the recorder the cells in which a plain matrix now differs from the earlier one. */
void hops_record_changes(const struct engine_input *in, const struct hops *was, const struct hops *now);

/* The sentences of REC_LEARN, REC_CHOICE and REC_TABLE. */
void assign_sentence(struct walk *w, struct text *t);

/* Source of the rules of such steps, as in struct rec_scheme. NULL for steps of another kind. */
const char *assign_source(const struct rec_event *ev);

/* Records an entry that was read, and the entry `was` that it replaces. `rule` is the rule of the choice. */
void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			enum why_rule rule);

/* Schemes of engines that keep only a hop matrix (dor chooses ports in its own way), or nothing. */
extern const struct rec_scheme hops_scheme, dor_scheme, read_scheme;

#endif
