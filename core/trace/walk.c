/* Walks through a recording: steps looked for, tables as they were at one, a step as a sweep. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"
#include "core/trace/internal.h"
#include "core/trace/walk.h"

#define AT_ONCE 262144	/* steps between checks for cancelling */
#define FAR_BACK 1000	/* more steps back cost more than filling the tables anew */
#define MOST_TOLD 10000 /* for up to this many steps of a move, all changes are listed */

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
	struct walk *w = ARENA_NEW(NULL, struct walk);

	w->r = recording_ref(r);
	for (int t = 0; t < N_TABLES; t++)
		if (r->cells[t]) {
			w->table[t] = arena_array(w, r->cells[t], walk_width(t));
			walk_fill(w->table[t], t, r->cells[t]);
		}
	w->decided = ARENA_ARRAY(w, r->cells[T_ENTRY], uint8_t);
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
	recording_unref(w->r);
	arena_free(w);
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

	if (!rec_decides(ev))
		return;
	if (recording_keeps(w->r, T_ENTRY, (uint32_t)entry))
		w->decided[entry] += undo ? -1u : 1u;
	if (!rec_counts(ev))
		return;
	uint32_t port = switch_port_id(s->fabric, ev->a, ev->port);
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
	assert(!rec_tables[t].wide);
	return w->table[t];
}

const uint32_t *walk_words(const struct walk *w, enum rec_table t)
{
	assert(rec_tables[t].wide);
	return w->table[t];
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

/* Looking for steps: boundaries and conditions. */

#define WALK_FIND_AT_ONCE 65536 /* steps between checks for cancelling */
#define SENTENCES 256		/* the same where sentences are made */

const char *const rec_words[N_WORDS] = {"refused", "opened",  "moved", "forbidden", "kept",
					"tie",	   "lowered", "ahead", "root",	    "no entry"};

/* --- boundaries -------------------------------------------------------------------------------- */

/* The value of a key in an event. False: it has none. */
static bool key_of(const struct rec_event *ev, enum rec_key key, uint32_t *v)
{
	const struct rec_kind_info *k = &rec_kinds[ev->kind];

	switch (key) {
	case KEY_PHASE:
		*v = ev->a;
		return ev->kind == REC_PHASE;
	case KEY_ROUND:
		*v = ev->b;
		return k->b == FIELD_ROUND;
	case KEY_SWITCH:
		*v = ev->a;
		return k->a == FIELD_SWITCH;
	case KEY_LID:
		*v = ev->b;
		return k->b == FIELD_LID || k->b == FIELD_TARGET;
	case KEY_PAIR:
		*v = ev->a;
		return k->a == FIELD_PAIR;
	default:
		*v = ev->b;
		return k->b == FIELD_LAYER;
	}
}

/* The first step of this step's series. A series of steps has one value of the key. */
static size_t walk_find_run_start(const struct recording *r, size_t step, enum rec_key key)
{
	uint32_t mine, other;

	key_of(recording_event(r, step), key, &mine);
	for (size_t i = step - 1; i; i--) {
		if (!key_of(recording_event(r, i), key, &other))
			continue;
		if (other != mine)
			break;
		step = i;
	}
	return step;
}

size_t walk_next(const struct walk *w, enum rec_key key, int dir)
{
	const struct recording *r = w->r;
	uint32_t now = 0, v;
	bool any = false; /* a step with the key was found, at or before this one */

	assert(key < N_KEYS && (dir == 1 || dir == -1));
	for (size_t i = w->at; i && !any; i--)
		any = key_of(recording_event(r, i), key, &now);
	if (dir > 0) {
		for (size_t i = w->at + 1; i <= r->n_events; i++)
			if (key_of(recording_event(r, i), key, &v) && (!any || v != now))
				return i;
		return r->n_events + 1;
	}
	for (size_t i = w->at; i-- > 1;)
		if (key_of(recording_event(r, i), key, &v)) {
			size_t start = walk_find_run_start(r, i, key);

			if (start < w->at)
				return start;
		}
	return r->n_events + 1;
}

const char *walk_phase(const struct walk *w)
{
	for (size_t i = w->at; i; i--)
		if (recording_event(w->r, i)->kind == REC_PHASE)
			return recording_text(w->r, recording_event(w->r, i));
	return "";
}

void walk_reach(const struct walk *w, uint8_t *reach)
{
	uint32_t n = w->r->sweep->fabric->n_switches;

	memset(reach, REACH_NOT_YET, n);
	for (size_t i = 1; i <= w->at; i++) {
		const struct rec_event *ev = recording_event(w->r, i);
		uint8_t as = i == w->at ? REACH_NOW : REACH_BEFORE;

		if (rec_kinds[ev->kind].a == FIELD_SWITCH) {
			reach[ev->a] = as;
		} else if (rec_kinds[ev->kind].a == FIELD_PAIR) {
			reach[ev->a / n] = as;
			reach[ev->a % n] = as;
		}
	}
}

/* --- conditions ---------------------------------------------------------------------------------- */

static uint32_t target_of(const struct recording *r, const struct rec_event *ev)
{
	const struct rec_kind_info *k = &rec_kinds[ev->kind];

	if (k->b == FIELD_TARGET)
		return ev->b;
	if (k->b != FIELD_LID)
		return NO_ID;
	uint32_t ep = lid_owner(r->sweep->lids, ev->b);
	return ep == NO_ID ? NO_ID : r->sweep->topo->endport_switch[ep];
}

/* Did the step lower a known value, or (ahead) learn one too early for the distance of its round? */
static bool has_cells(const struct recording *r, size_t step, bool ahead)
{
	const struct rec_event *ev = recording_event(r, step);
	uint32_t cursor = 0;
	struct rec_delta d;

	while (recording_next_delta(r, step, &cursor, &d)) {
		if (!ahead && d.table == T_DIST && d.was != NO_ID && d.now < d.was)
			return true;
		if (d.table != T_HOPS && d.table != T_PLAIN)
			continue;
		if (ahead ? ev->kind == REC_LEARN && d.now > ev->b + 1 : d.was != NO_PATH && d.now < d.was)
			return true;
	}
	return false;
}

static bool has_rule(const struct recording *r, const struct rec_event *ev, const char *rule)
{
	return strcasestr(recording_rule(r, ev), rule) != NULL;
}

static bool walk_find_is_word(const struct recording *r, size_t step, enum rec_word word)
{
	const struct rec_event *ev = recording_event(r, step);

	switch (word) {
	case WORD_REFUSED:
		return ev->kind == REC_REFUSE || ev->kind == REC_REFUSED || ev->kind == REC_BREAK ||
		       ev->kind == REC_CYCLE || ev->kind == REC_BLOCK || (ev->kind == REC_SEED && ev->rule);
	case WORD_OPENED:
		return ev->kind == REC_OPEN;
	case WORD_MOVED:
		return ev->kind == REC_MOVE || (ev->kind == REC_TURN && has_rule(r, ev, "moved"));
	case WORD_FORBIDDEN:
		return ev->kind == REC_FORBID;
	case WORD_KEPT:
		return has_rule(r, ev, "kept");
	case WORD_TIE:
		return has_rule(r, ev, "first of equals") || has_rule(r, ev, "tie");
	case WORD_LOWERED:
		return has_cells(r, step, false);
	case WORD_AHEAD:
		return has_cells(r, step, true);
	case WORD_ROOT:
		return ev->kind == REC_VERDICT && !ev->rule;
	default:
		return ev->kind == REC_CHOICE && ev->port == NO_PATH;
	}
}

/* Does a step meet all of the condition but phase and text? */
static bool walk_find_fits(const struct recording *r, size_t step, const struct rec_condition *c)
{
	const struct rec_event *ev = recording_event(r, step);
	const struct rec_kind_info *k = &rec_kinds[ev->kind];
	uint32_t n = r->sweep->fabric->n_switches, a = NO_ID, b = NO_ID; /* switches that the step is about */
	bool of_port = k->port && ev->port != NO_PATH && k->a == FIELD_SWITCH;

	if (k->a == FIELD_PAIR) {
		a = ev->a / n;
		b = ev->a % n;
	} else if (k->a == FIELD_SWITCH) {
		a = ev->a;
	}
	if ((c->sw != NO_ID && c->sw != a && c->sw != b) ||
	    (c->target != NO_ID && target_of(r, ev) != c->target) ||
	    (c->lid && (k->b != FIELD_LID || ev->b != c->lid)) ||
	    (c->decided && ev->kind != REC_CHOICE && ev->kind != REC_SETTLE) ||
	    (c->pair_a != NO_ID &&
	     (b == NO_ID || ((a != c->pair_a || b != c->pair_b) && (a != c->pair_b || b != c->pair_a)))) ||
	    (c->layer != 255 && (k->b != FIELD_LAYER || ev->b != c->layer)) ||
	    (c->round != NO_ID && (k->b != FIELD_ROUND || ev->b != c->round)) ||
	    (c->port != NO_ID && (!of_port || switch_port_id(r->sweep->fabric, a, ev->port) != c->port)) ||
	    (c->rule && !has_rule(r, ev, c->rule)))
		return false;
	for (unsigned i = 0; i < N_WORDS; i++)
		if ((c->words >> i & 1) && !walk_find_is_word(r, step, i))
			return false;
	return true;
}

/* Does the step's sentence contain the words? The walk moves there to make it. */
static bool says(struct walk *w, size_t step, const char *words)
{
	AUTO_TEXT struct text t = {0};

	if (walk_to(w, step, NULL))
		return false;
	walk_sentence(w, &t);
	return strcasestr(text_str(&t), words) != NULL;
}

/* Is a step in the wanted phase? known: the answer for the step searched before it. */
static bool in_phase(const struct recording *r, size_t i, const char *phase, int dir, bool known, bool first)
{
	bool begins = recording_event(r, i)->kind == REC_PHASE;

	if (dir > 0 && begins)
		return strcasestr(recording_text(r, recording_event(r, i)), phase) != NULL;
	if (first || (dir < 0 && i < r->n_events && recording_event(r, i + 1)->kind == REC_PHASE))
		return strcasestr(walk_phase(&(struct walk){.r = r, .at = i}), phase) != NULL;
	return known;
}

size_t walk_find(struct walk *w, const struct rec_condition *c, int dir, struct progress *p)
{
	const struct recording *r = w->r;
	size_t from = w->at, found = r->n_events + 1, one = (size_t)(dir > 0 ? 1 : -1);
	bool phase = false;

	assert(dir == 1 || dir == -1);
	for (size_t i = from + one; i >= 1 && i <= r->n_events && found > r->n_events; i += one) {
		if (i % (c->text ? SENTENCES : WALK_FIND_AT_ONCE) == 0 && progress_cancelled(p))
			break;
		phase = !c->phase || in_phase(r, i, c->phase, dir, phase, i == from + one);
		if (phase && walk_find_fits(r, i, c) && (!c->text || says(w, i, c->text)))
			found = i;
	}
	walk_to(w, from, NULL);
	return found;
}

/* --- sentences --------------------------------------------------------------------------------- */

void walk_sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);

	switch (ev ? ev->kind : REC_DONE) {
	case REC_PHASE:
	case REC_NOTE:
		text_add(t, "%s", recording_text(w->r, ev));
		break;
	case REC_REFUSED:
		text_add(t, "%s refuses: %s", recording_engine(w->r), recording_text(w->r, ev));
		break;
	case REC_DONE:
		text_add(t, "%s", ev ? "the run is over" : "before the first step");
		break;
	default:
		w->r->engine->scheme->sentence(w, t);
	}
}

/* A step of a recording as an ordinary sweep. */

/* The row of a switch with its decided entries; the final row if nothing is missing. */
static void walk_moment_put_row(struct walk *w, struct routing *r, uint32_t sw)
{
	const struct rec_scheme *scheme = w->r->engine->scheme;
	const struct routing *end = w->r->end;
	unsigned top = w->r->sweep->lids->max_lid;
	const uint8_t *cell = (const uint8_t *)w->table[T_ENTRY] + (size_t)sw * (top + 1u);
	const struct lft_row *last = end ? end->row[sw] : NULL;

	if (last && last->top == top && !memcmp(last->port, cell, top + 1u)) {
		routing_share_row(r, end, sw);
		return;
	}
	r->row[sw] = lft_row_new(top);
	if (!r->priv || !scheme->row_at || !scheme->row_at(w, r->priv, sw, r->row[sw]->port))
		memcpy(r->row[sw]->port, cell, top + 1u);
}

/* For an engine without tables of its own, or one that refused before it had any. */
static const struct routing_ops nothing_yet = {.sl = NULL};

static struct routing *routing_at(struct walk *w)
{
	const struct recording *rec = w->r;
	const struct sweep *s = rec->sweep;
	const struct rec_scheme *scheme = rec->engine->scheme;
	struct routing *r = routing_new(rec->engine->name, s->topo, s->lids);

	r->priv = scheme->priv_at(w, rec->end);
	r->ops = r->priv ? scheme->ops : &nothing_yet;
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		if (switch_up(s->topo, sw))
			walk_moment_put_row(w, r, sw);
	if (rec->end && rec->end->sl_tables)
		r->sl_tables = sl_tables_ref(rec->end->sl_tables);
	return r;
}

const struct sweep *walk_moment(struct walk *w)
{
	if (!w->moment && w->at == w->r->n_events && !w->r->refused && w->r->end == w->r->sweep->routing &&
	    !recording_part(w->r)[0])
		w->moment = sweep_ref(w->r->sweep);
	if (!w->moment)
		w->moment = sweep_with_routing(w->r->sweep, routing_at(w));
	return sweep_ref(w->moment);
}

const struct moment *moment_new(struct walk *w, const struct moment *before)
{
	struct moment *m = ARENA_NEW(NULL, struct moment);
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	AUTO_TEXT struct text t = {0};

	m->refs = 1;
	m->rec = recording_ref(r);
	m->step = walk_step(w);
	m->sweep = walk_moment(w);
	if (before && before->rec == r)
		m->before = sweep_ref(before->sweep);
	m->phase = arena_str(m, walk_phase(w));
	if (m->step) /* the start has no sentence */
		walk_sentence(w, &t);
	m->sentence = arena_str(m, text_str(&t));
	m->reach = ARENA_ARRAY(m, s->fabric->n_switches + 1, uint8_t);
	walk_reach(w, m->reach);
	m->decided = arena_dup(m, w->decided, recording_cells(r, T_ENTRY));
	if (m->sweep == s) /* the run is over: no more entries will come */
		memset(m->decided, 1, recording_cells(r, T_ENTRY));
	if (!w->touched)
		list_touched(w);
	m->n_touched = w->n_touched;
	if (w->n_touched)
		m->touched = arena_dup(m, w->touched, w->n_touched * sizeof(*w->touched));
	return m;
}

static void moment_release(struct moment *m)
{
	sweep_unref(m->sweep);
	sweep_unref(m->before);
	recording_unref(m->rec);
	arena_free(m);
}

COUNTED(struct moment, const struct moment, moment_ref, moment_unref, moment_release)

bool moment_decided(const struct moment *m, uint32_t sw, unsigned lid)
{
	unsigned top = m ? recording_sweep(m->rec)->lids->max_lid : 0;

	return !m || (lid <= top && m->decided[(size_t)sw * (top + 1u) + lid]);
}

bool moment_touched(const struct moment *m, enum rec_table t, uint32_t at)
{
	uint64_t key = (uint64_t)t << 32 | at;

	return m && m->n_touched && bsearch(&key, m->touched, m->n_touched, sizeof(key), order_u64);
}

const struct rec_event *moment_event(const struct moment *m)
{
	return m && m->step ? recording_event(m->rec, m->step) : NULL;
}
