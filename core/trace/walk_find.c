/* Looking for steps: boundaries and conditions. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/trace/internal.h"
#include "core/sm/sweep.h"

#define AT_ONCE 65536 /* steps between checks for cancelling */
#define SENTENCES 256 /* the same where sentences are made */

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
	uint32_t ep;

	if (k->b == FIELD_TARGET)
		return ev->b;
	if (k->b != FIELD_LID)
		return NO_ID;
	ep = lid_owner(r->sweep->lids, ev->b);
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
	struct text t = {0};
	bool found;

	if (walk_to(w, step, NULL))
		return false;
	walk_sentence(w, &t);
	found = strcasestr(text_str(&t), words) != NULL;
	text_free(&t);
	return found;
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

	for (size_t i = from + one; i >= 1 && i <= r->n_events && found > r->n_events; i += one) {
		if (i % (c->text ? SENTENCES : AT_ONCE) == 0 && progress_cancelled(p))
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
