#include "core/base/defs.h"
#include "core/trace/walk.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>

#include "core/trace/internal.h"
#include "core/sm/sweep.h"
#include "core/base/order.h"

#define AT_ONCE 262144	/* steps between checks for cancelling */
#define FAR_BACK 1000	/* more steps back cost more than filling the tables anew */
#define MOST_TOLD 10000 /* up to so many steps of a move, all changes are listed */

static size_t walk_width(enum rec_table t)
{
	return rec_tables[t].wide ? sizeof(uint32_t) : 1;
}

size_t walk_room(const struct recording *r)
{
	size_t size = r->cells[T_ENTRY];

	for (int t = 0; t < N_TABLES; t++)
		size += r->cells[t] * walk_width(t);
	return size;
}

static void walk_fill(void *table, enum rec_table t, size_t n)
{
	uint32_t *word = table;

	if (!rec_tables[t].wide)
		memset(table, (int)rec_tables[t].start, n);
	for (size_t i = 0; rec_tables[t].wide && i < n; i++)
		word[i] = rec_tables[t].start;
}

struct walk *walk_new(const struct recording *r)
{
	struct walk *w = NEW(struct walk);

	w->r = recording_ref(r);
	for (int t = 0; t < N_TABLES; t++)
		if (r->cells[t]) {
			w->table[t] = mem_array(r->cells[t], walk_width(t));
			walk_fill(w->table[t], t, r->cells[t]);
		}
	w->decided = NEW_ARRAY(r->cells[T_ENTRY], uint8_t);
	return w;
}

static void forget_moment(struct walk *w)
{
	sweep_unref(w->moment);
	w->moment = NULL;
	free(w->touched);
	w->touched = NULL;
	w->n_touched = 0;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	forget_moment(w);
	for (int t = 0; t < N_TABLES; t++)
		free(w->table[t]);
	free(w->decided);
	recording_unref(w->r);
	free(w);
}

const struct recording *walk_recording(const struct walk *w)
{
	return w->r;
}

size_t walk_step(const struct walk *w)
{
	return w->at;
}

const struct rec_event *walk_event(const struct walk *w)
{
	return w->at ? &w->r->event[w->at - 1] : NULL;
}

/* Applies the implied changes of an event: an entry is decided, a route counts. */
static void count_choice(struct walk *w, const struct rec_event *ev, bool undo)
{
	const struct sweep *s = w->r->sweep;

	size_t entry = (size_t)ev->a * (s->lids->max_lid + 1u) + ev->b;
	uint32_t port;

	if (!rec_decides(ev))
		return;
	if (recording_keeps(w->r, T_ENTRY, (uint32_t)entry))
		w->decided[entry] += undo ? -1u : 1u;
	if (!rec_counts(ev))
		return;
	port = switch_port_id(s->fabric, ev->a, ev->port);
	if (recording_keeps(w->r, T_COUNT, port))
		((uint32_t *)w->table[T_COUNT])[port] += undo ? -1u : 1u;
}

/* Applies a step's changes of one kind. A step changes a cell at most once, so their order is free. */
static void apply_units(struct walk *w, size_t i, bool undo, unsigned missed)
{
	const struct recording *r = w->r;
	const struct rec_unit *u = r->unit + r->event[i].first, *end = r->unit + units_end(r, i);

	for (; u < end && (u->what & 0xff) != UNIT_EXTRA; u++) {
		unsigned t = unit_table(u);

		if ((u->what & UNIT_MISSED) != missed) {
			u += rec_tables[t].wide;
		} else if (rec_tables[t].wide) {
			((uint32_t *)w->table[t])[u->at] = undo ? u[1].at : u[1].what;
			u++;
		} else if (!r->stage || (t != T_HOPS && t != T_PLAIN && t != T_ENTRY) ||
			   recording_keeps(r, t, u->at)) {
			/* in a part, other entries and hops keep their first value */
			((uint8_t *)w->table[t])[u->at] = undo ? u->what >> 8 : u->what >> 16;
		}
	}
}

/* Applies a step. Changes by left-out steps come first going forward, and last going back. */
static void walk_apply(struct walk *w, size_t i, bool undo)
{
	count_choice(w, &w->r->event[i], undo);
	if (w->r->stage && !undo)
		apply_units(w, i, undo, UNIT_MISSED);
	apply_units(w, i, undo, 0);
	if (w->r->stage && undo)
		apply_units(w, i, undo, UNIT_MISSED);
}

int walk_to(struct walk *w, size_t step, struct progress *p)
{
	size_t from = w->at;

	if (step > w->r->n_events)
		step = w->r->n_events;
	if (step == w->at)
		return 0;
	forget_moment(w);
	if (step < w->at && w->at - step > step + FAR_BACK) {
		for (int t = 0; t < N_TABLES; t++) /* the start is nearer: begin there */
			if (w->table[t])
				walk_fill(w->table[t], t, w->r->cells[t]);
		memset(w->decided, 0, w->r->cells[T_ENTRY]);
		w->at = 0;
	}
	for (; w->at < step && (w->at % AT_ONCE || !progress_cancelled(p)); w->at++)
		walk_apply(w, w->at, false);
	for (; w->at > step && (w->at % AT_ONCE || !progress_cancelled(p)); w->at--)
		walk_apply(w, w->at - 1, true);
	w->from = MIN(from, w->at);
	w->to = MAX(from, w->at);
	return w->at == step ? 0 : -1;
}

uint32_t walk_value(const struct walk *w, enum rec_table t, uint32_t at)
{
	if (at >= w->r->cells[t])
		return rec_tables[t].start;
	return rec_tables[t].wide ? ((const uint32_t *)w->table[t])[at] : ((const uint8_t *)w->table[t])[at];
}

bool walk_next_delta(const struct walk *w, uint32_t *cursor, struct rec_delta *d)
{
	const struct rec_event *ev = walk_event(w);

	if (!ev || *cursor == UINT32_MAX)
		return false;
	if (recording_next_delta(w->r, w->at, cursor, d))
		return true;
	*cursor = UINT32_MAX;
	if (!rec_counts(ev))
		return false;
	d->table = T_COUNT;
	d->at = switch_port_id(w->r->sweep->fabric, ev->a, ev->port);
	d->now = walk_value(w, T_COUNT, d->at);
	d->was = d->now - 1;
	return recording_keeps(w->r, T_COUNT, d->at);
}

const uint8_t *walk_bytes(const struct walk *w, enum rec_table t)
{
	return rec_tables[t].wide ? NULL : w->table[t];
}

const uint32_t *walk_words(const struct walk *w, enum rec_table t)
{
	return rec_tables[t].wide ? w->table[t] : NULL;
}

bool walk_decided(const struct walk *w, uint32_t sw, unsigned lid)
{
	return lid <= w->r->sweep->lids->max_lid &&
	       w->decided[(size_t)sw * (w->r->sweep->lids->max_lid + 1u) + lid];
}

/* --- what the last move changed ------------------------------------------------------------------ */

static void walk_touch(struct walk *w, size_t *cap, enum rec_table t, uint32_t at)
{
	GROW(w->touched, w->n_touched, *cap);
	w->touched[w->n_touched++] = (uint64_t)t << 32 | at;
}

/* Lists all cells changed by steps from + 1 .. to, sorted. For a long way: only those of the last step. */
static void list_touched(struct walk *w)
{
	const struct sweep *s = w->r->sweep;
	size_t cap = 0, last = w->at ? w->at : 1;

	if (w->to - w->from > MOST_TOLD) {
		w->from = last - 1;
		w->to = last;
	}
	for (size_t i = w->from + 1; i <= w->to; i++) {
		const struct rec_event *ev = recording_event(w->r, i);
		struct rec_delta d;
		uint32_t cursor = 0;

		while (recording_next_delta(w->r, i, &cursor, &d))
			walk_touch(w, &cap, d.table, d.at);
		if (rec_decides(ev))
			walk_touch(w, &cap, T_ENTRY, ev->a * (s->lids->max_lid + 1u) + ev->b);
		if (rec_counts(ev))
			walk_touch(w, &cap, T_COUNT, switch_port_id(s->fabric, ev->a, ev->port));
	}
	if (w->n_touched)
		qsort(w->touched, w->n_touched, sizeof(*w->touched), order_u64);
}

bool cells_hold(const uint64_t *cell, size_t n, uint64_t key)
{
	return n && bsearch(&key, cell, n, sizeof(key), order_u64);
}

bool walk_touched(struct walk *w, enum rec_table t, uint32_t at)
{
	if (!w->touched)
		list_touched(w);
	return cells_hold(w->touched, w->n_touched, (uint64_t)t << 32 | at);
}
