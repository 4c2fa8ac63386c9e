/*
 * How a recording is kept: what the files recording*.c and walk*.c share.
 *   recording.c       the arrays: writing them for engines, reading them
 *   recording_make.c  a run of an engine with a recorder beside it
 *   recording_names.c cells and values in words
 *   walk.c            a cursor over them
 *   walk_find.c       conditions
 *   walk_moment.c     a step as a sweep
 */
#ifndef IBSCOPE_RECORDING_PARTS_H
#define IBSCOPE_RECORDING_PARTS_H

#include "core/sm/recording.h"

/*
 * A change of a byte is one unit: at, table | was << 8 | now << 16.  Of a wide cell two: at, table; was, now.
 * Extra words come last: their number, UNIT_EXTRA; then two a unit.
 */
struct rec_unit {
	uint32_t at, what;
};
#define UNIT_EXTRA 0xff

struct recording {
	atomic_uint refs;
	const struct sweep *sweep;   /* reference held */
	const struct engine *engine; /* static */
	struct rec_focus focus;
	char *part;
	struct rec_event *event;
	struct rec_unit *unit;
	char **text;
	size_t n_events, n_units, n_texts, cells[N_TABLES];
	bool refused;
	const struct routing *end; /* reference held, of the sweep; NULL: refused */
	void *kept;
	void (*release)(void *);
	size_t differs;
};

/* How much of a run is kept. */
enum rec_level {
	REC_FULL,    /* all, kinds of the focus too */
	REC_ALWAYS,  /* those in focus only */
	REC_CELLS,   /* matrices in focus only */
	REC_CHOICES, /* choices as well */
	REC_LEVELS
};

struct recorder {
	struct recording *r;
	enum rec_level level;
	size_t limit, cap_events, cap_units, cap_texts;
	size_t whole; /* bytes of all that came, kept or not */
	enum rec_table matrix;
	bool skip, full, no_memory;
	size_t extra; /* unit where the extra words of the event began, SIZE_MAX */
	struct err e;
};

/* Where the units of a step end; steps are 0-based here. */
static inline size_t units_end(const struct recording *r, size_t i)
{
	return i + 1 < r->n_events ? r->event[i + 1].first : r->n_units;
}

/* Does an event concern a focus? */
bool rec_concerns(const struct recording *r, const struct rec_focus *f, const struct rec_event *ev);
void recording_free(struct recording *r);

#endif
