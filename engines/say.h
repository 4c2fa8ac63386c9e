/* Helpers for the sentences of steps, for engines whose scheme has one function per kind of step. */
#ifndef IBSCOPE_SAY_H
#define IBSCOPE_SAY_H

#include "core/sm/sweep.h"
#include "core/trace/walk.h"

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

#endif
