/*
 * How a recording is kept: what the files of this room share.  recording.c: the arrays, cells and values in
 * words.  make.c: runs of an engine with a recorder beside it, choices of steps.  walk.c: a cursor over them,
 * conditions, a step as a sweep.
 */
#ifndef IBSCOPE_RECORDING_PARTS_H
#define IBSCOPE_RECORDING_PARTS_H

#include <assert.h>
#include <pthread.h>

#include "core/trace/recording.h"
#include "core/trace/walk.h"

/*
 * A change of a byte is one unit: at, table | was << 8 | now << 16.  A change of a wide cell is two: at,
 * table; was, now.  Extra words come last: their number with UNIT_EXTRA, then two words a unit.
 */
struct rec_unit {
	uint32_t at, what;
};
static_assert(sizeof(struct rec_unit) == 2 * sizeof(uint32_t), "extra words go on from unit to unit");
#define UNIT_EXTRA 0xff
/*
 * A bit in the table of a unit: this is no change of the step.  It collects the changes of steps that were
 * left out of a part.  It stands before the step's own change to the same cell, if there is one.
 */
#define UNIT_MISSED 0x40
static_assert(N_TABLES <= UNIT_MISSED, "a unit tells its table in the bits below");

static inline unsigned unit_table(const struct rec_unit *u)
{
	return u->what & 0xff & ~UNIT_MISSED;
}

/* The choices of the steps around the one that was asked about last. */
struct answers {
	uint64_t *entry;	    /* [n] switch << 32 | LID, sorted */
	struct rec_choice **choice; /* [n] NULL: the engine does not tell */
	size_t n;
};

struct told {
	pthread_mutex_t lock;
	struct answers answers;
};

void told_free(struct told *t);

struct recording {
	atomic_uint refs;
	const struct sweep *sweep;   /* reference held */
	const struct engine *engine; /* static */
	struct rec_focus focus;	     /* as it was asked for */
	struct rec_focus keep;	     /* what is kept of it when it is too long */
	uint32_t keep_target;	     /* switch of its LID, NO_ID */
	unsigned stage; /* kinds of a lesser or equal bulk are kept for `keep` only; 0: all is there */
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
	struct told *told;
};

struct recorder {
	struct recording *r;
	bool all; /* kinds of the focus too, of the whole run */
	size_t limit, cap_events, cap_units, cap_texts;
	size_t bytes[REC_BULKS + 1]; /* of all that came, kept or not, by bulk */
	enum rec_table matrix;
	struct rec_event ev; /* the one at hand, kept or not */
	bool skip;	     /* it is not kept */
	bool partly;	     /* only what it does to cells of the part is kept */
	bool bears;	     /* the next one is kept, whatever its kind */
	bool full, no_memory;
	/* Routes counted, and as the recording has them, [n_ports] when choices of one LID alone are kept. */
	uint32_t *count, *told;
	bool owes; /* counters of the switch at hand are to be told */
	/*
	 * [cells] the contents of the tables in a part of a run.  They differ from the whole run's where
	 * steps between are left out.  NULL: not changed yet, or all changes to its cells are kept.
	 */
	uint32_t *shadow[N_TABLES];
	size_t extra; /* unit where the extra words of the event began, SIZE_MAX */
	struct err e;
};

/* Where the units of a step end; steps are 0-based here. */
static inline size_t units_end(const struct recording *r, size_t i)
{
	return i + 1 < r->n_events ? r->event[i + 1].first : r->n_units;
}

/* The last event is complete. */
void recorder_clear(struct recorder *k); /* all but the recording */
void recording_free(struct recording *r);

struct walk {
	const struct recording *r; /* reference held */
	size_t at;		   /* events that count */
	void *table[N_TABLES];	   /* NULL: the engine has none */
	uint8_t *decided;	   /* [as T_ENTRY] times an entry was decided */
	size_t from, to;	   /* the last move: steps from + 1 .. to, forward or back */
	uint64_t *touched;	   /* cells of it, table << 32 | at, sorted; NULL: not listed yet */
	size_t n_touched;
	const struct sweep *moment; /* reference held; NULL: not made yet */
};

#endif
