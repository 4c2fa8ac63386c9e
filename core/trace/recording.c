/* Recordings of runs: how they are made and kept; cells of their tables in words. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/sm/sweep.h"
#include "core/trace/internal.h"
#include "core/trace/recording.h"

/* Cells of tables and their values in words. */

void recording_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct fabric *f = r->sweep->fabric;
	const struct rec_scheme *scheme = r->engine->scheme;
	uint32_t lids = r->sweep->lids->max_lid + 1u;
	char label[300];

	assert(t < N_TABLES);
	if (scheme->cell && scheme->cell(r, t, at, out))
		return;
	switch (t) {
	case T_ENTRY:
		text_add(out, "%s LID %u", switch_name(f, at / lids), at % lids);
		break;
	case T_HOPS:
	case T_PLAIN:
		text_add(out, "%s to %s", port_label(f, at % f->n_ports, label, sizeof(label)),
			 switch_name(f, at / f->n_ports));
		break;
	case T_LAYER: /* for engines with one layer per switch and LID */
		if (r->cells[t] == (size_t)f->n_switches * lids)
			text_add(out, "%s LID %u", switch_name(f, at / lids), at % lids);
		else
			text_add(out, "number %u", at);
		break;
	case T_COORD:
		text_add(out, "%s, dimension %zu", switch_name(f, at / (r->cells[t] / f->n_switches)),
			 at % (r->cells[t] / f->n_switches) + 1);
		break;
	case T_TUPLE:
		text_add(out, "%s, %s half", switch_name(f, at / 2), at % 2 ? "lower" : "upper");
		break;
	case T_AXIS:
	case T_COUNT:
	case T_WEIGHT:
		text_add(out, "%s", port_label(f, at, label, sizeof(label)));
		break;
	case T_ROOT:
	case T_RANK:
	case T_DIST:
	case T_VIA:
		if (at < f->n_switches) {
			text_add(out, "%s", switch_name(f, at));
			break;
		}
		/* fall through */
	default:
		text_add(out, "number %u", at);
	}
}

static bool trace_names_is_none(enum rec_table t, uint32_t value)
{
	if (t == T_COORD)
		return value == rec_tables[t].start;
	return (rec_tables[t].wide ? value == NO_ID : value == 255) && rec_tables[t].start == value;
}

void recording_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value,
		     struct text *out)
{
	const struct fabric *f = r->sweep->fabric;
	const struct rec_scheme *scheme = r->engine->scheme;
	char label[300];

	if (trace_names_is_none(t, value)) {
		text_add(out, "none");
		return;
	}
	if (scheme->value && scheme->value(r, t, at, value, out))
		return;
	switch (t) {
	case T_ENTRY:
		text_add(out, "port %u", value);
		break;
	case T_HOPS:
	case T_PLAIN:
		text_add(out, "%s", PLURAL(value, "hop"));
		break;
	case T_FIRST:
	case T_LAYER:
		text_add(out, "layer %u", value);
		break;
	case T_DEP:
		text_add(out, "%s, %s", switch_name(f, value / f->n_switches),
			 switch_name(f, value % f->n_switches));
		break;
	case T_EGRESS:
	case T_VIA:
		text_add(out, "%s", value < f->n_ports ? port_label(f, value, label, sizeof(label)) : "?");
		break;
	case T_COORD:
		text_add(out, "%d", (int)value);
		break;
	default:
		text_add(out, "%u", value);
	}
}

const struct rec_table_info rec_tables[N_TABLES] = {
	[T_ENTRY] = {"entry", NO_PATH, false},
	[T_HOPS] = {"hops", NO_PATH, false},
	[T_PLAIN] = {"hops before", NO_PATH, false},
	[T_ROOT] = {"root", 0, false},
	[T_RANK] = {"rank", NO_RANK, true},
	[T_COUNT] = {"count", 0, true},
	[T_OUT] = {"link", 255, false},
	[T_FIRST] = {"first layer", 255, false},
	[T_LAYER] = {"layer", 255, false},
	[T_DEP] = {"dependency", NO_ID, true},
	[T_AXIS] = {"axis", 0, false},
	[T_COORD] = {"coordinate", INT32_MAX, true},
	[T_TUPLE] = {"index", NO_ID, true},
	[T_UP] = {"up", 0, true},
	[T_DOWN] = {"down", 0, true},
	[T_SLOT] = {"slot", NO_ID, true},
	[T_KEY] = {"key", NO_ID, true},
	[T_EGRESS] = {"egress", NO_ID, true},
	[T_USE] = {"use", 0, true},
	[T_DIST] = {"distance", NO_ID, true},
	[T_VIA] = {"via", NO_ID, true},
	[T_WEIGHT] = {"weight", 0, true},
	[T_COLOUR] = {"state", 0, false},
	[T_PLACE] = {"switch", NO_ID, true},
};

const char *const rec_keys[N_KEYS] = {"phase", "round", "switch", "lid", "pair", "layer"};

/* A kind: its name, the meaning of its two fields, and members that few kinds have. */
#define KIND(name_, a_, b_, ...)                                                 \
	{                                                                        \
		.name = (name_), .a = FIELD_##a_, .b = FIELD_##b_, ##__VA_ARGS__ \
	}
const struct rec_kind_info rec_kinds[REC_KINDS] = {
	[REC_PHASE] = KIND("phase", TEXT, NONE),
	[REC_NOTE] = KIND("note", TEXT, NONE),
	[REC_REFUSED] = KIND("refused", TEXT, NONE),
	[REC_DONE] = KIND("done", NONE, NONE),
	[REC_LEARN] = KIND("learn", SWITCH, ROUND, .port = true, .bulk = 1),
	[REC_CHOICE] = KIND("choice", SWITCH, LID, .port = true, .rule = true, .bulk = 2),
	[REC_TABLE] = KIND("table", SWITCH, NONE, .bulk = 2),
	[REC_VERDICT] = KIND("verdict", SWITCH, NONE, .rule = true),
	[REC_RANK] = KIND("rank", SWITCH, NONE),
	[REC_COPY] = KIND("copy", NONE, TARGET, .bulk = 1),
	[REC_VISIT] = KIND("visit", SWITCH, TARGET, .bulk = 1),
	[REC_FORBID] = KIND("forbid", SWITCH, TARGET, .port = true, .focus = true),
	[REC_PRICE] = KIND("price", SWITCH, TARGET, .port = true, .focus = true),
	[REC_ERASE] = KIND("erase", SWITCH, TARGET, .port = true, .bulk = 1),
	[REC_TREE] = KIND("tree", SWITCH, NONE),
	[REC_TRY] = KIND("try", PAIR, LAYER, .focus = true, .bulk = 4),
	[REC_ACCEPT] = KIND("accept", PAIR, LAYER, .bulk = 4),
	[REC_REFUSE] = KIND("refuse", PAIR, LAYER, .bulk = 4),
	[REC_OPEN] = KIND("open", PAIR, LAYER, .bulk = 4),
	[REC_TURN] = KIND("turn", PAIR, LAYER, .rule = true, .bulk = 4),
	/* mesh analysis of lash */
	[REC_MEASURE] = KIND("measure", SWITCH, NONE),
	[REC_CLASS] = KIND("class", SWITCH, NONE),
	[REC_AXIS] = KIND("axis", SWITCH, NONE, .port = true, .rule = true),
	[REC_COORD] = KIND("coordinate", SWITCH, NONE),
	[REC_NUMBER] = KIND("number", SWITCH, NONE),
	/* ftree, mincontention */
	[REC_TARGET] = KIND("target", SWITCH, LID),
	[REC_CLIMB] = KIND("climb", SWITCH, LID, .port = true, .bulk = 3),
	[REC_SPREAD] = KIND("spread", SWITCH, LID, .port = true, .bulk = 3),
	[REC_SORT] = KIND("sort", SWITCH, NONE, .bulk = 3),
	[REC_SETTLE] = KIND("settle", SWITCH, LID, .port = true, .rule = true, .bulk = 3),
	/* ftree alone */
	[REC_GROUP] = KIND("group", SWITCH, NONE),
	[REC_LEAF] = KIND("leaf", SWITCH, NONE),
	[REC_TUPLE] = KIND("index", SWITCH, NONE),
	[REC_PURE] = KIND("pure", SWITCH, NONE, .rule = true),
	[REC_OFFER] = KIND("offer", SWITCH, LID, .port = true, .rule = true, .focus = true, .bulk = 3),
	/* sssp, dfsssp */
	[REC_TRIAL] = KIND("trial", SWITCH, LID),
	[REC_RELAX] = KIND("relax", SWITCH, LID, .port = true, .focus = true, .bulk = 2),
	[REC_WEIGHTS] = KIND("weights", NONE, LID, .bulk = 3),
	[REC_PATHS] = KIND("paths", NONE, LAYER),
	[REC_BREAK] = KIND("break", NONE, LAYER),
	[REC_CYCLE] = KIND("cycle", NONE, LAYER),
	[REC_MOVE] = KIND("move", PAIR, LAYER, .bulk = 4),
	[REC_SEARCH] = KIND("search", NONE, LAYER),
	[REC_SPLIT] = KIND("split", NONE, LAYER),
	[REC_SHIFT] = KIND("shift", NONE, LAYER),
	/* nue */
	[REC_HULL] = KIND("hull", SWITCH, LAYER, .rule = true),
	[REC_CENTRE] = KIND("centre", SWITCH, LAYER),
	[REC_ESCAPE] = KIND("escape", SWITCH, LAYER, .port = true),
	[REC_REACH] = KIND("reach", SWITCH, LID, .port = true, .bulk = 1),
	[REC_LOOK] = KIND("look", SWITCH, LID, .port = true, .rule = true, .focus = true, .bulk = 1),
	[REC_MERGE] = KIND("merge", SWITCH, LID, .port = true),
	[REC_BLOCK] = KIND("block", SWITCH, LID, .port = true),
	[REC_BACKTRACK] = KIND("backtrack", SWITCH, LID, .port = true, .rule = true),
	[REC_SHORTCUT] = KIND("shortcut", SWITCH, LID, .port = true, .rule = true),
	[REC_FALLBACK] = KIND("fallback", SWITCH, LID),
	[REC_RECOLOUR] = KIND("recolour", SWITCH, LID),
	[REC_ROUTED] = KIND("routed", SWITCH, LID),
	[REC_LAYER] = KIND("layer", NONE, LAYER),
	/* torus-2QoS */
	[REC_SEED] = KIND("seed", NONE, NONE, .rule = true),
	[REC_CELL] = KIND("cell", NONE, NONE, .rule = true),
	[REC_PLACE] = KIND("place", SWITCH, NONE, .rule = true),
	[REC_LINK] = KIND("link", SWITCH, NONE, .port = true),
	[REC_ENDS] = KIND("ends", SWITCH, NONE),
	[REC_RING] = KIND("ring", SWITCH, NONE, .rule = true),
	[REC_SPAN] = KIND("span", SWITCH, NONE),
	[REC_HOP] = KIND("hop", SWITCH, TARGET, .rule = true, .focus = true, .bulk = 1),
};

/* --- what is asked for ----------------------------------------------------------------------- */

bool rec_focus_is_all(const struct rec_focus *f)
{
	return f->sw == NO_ID && !f->lid && f->pair_a == NO_ID && f->layer == 255;
}

/* The switch that a LID is on, or NO_ID. */
static uint32_t switch_of_lid(const struct sweep *w, unsigned lid)
{
	uint32_t ep = lid_owner(w->lids, lid);

	return ep == NO_ID ? NO_ID : w->topo->endport_switch[ep];
}

static bool pair_concerns(const struct recording *r, const struct rec_focus *f, uint32_t a, uint32_t b)
{
	uint32_t target = f->lid ? switch_of_lid(r->sweep, f->lid) : NO_ID;

	if (f->sw != NO_ID && f->sw != a && f->sw != b)
		return false;
	if (f->lid && target != a && target != b)
		return false;
	return f->pair_a == NO_ID || (f->pair_a == a && f->pair_b == b) || (f->pair_a == b && f->pair_b == a);
}

/* Does an event concern a focus? */
static bool rec_concerns(const struct recording *r, const struct rec_focus *f, const struct rec_event *ev)
{
	const struct rec_kind_info *k = &rec_kinds[ev->kind];
	uint32_t n = r->sweep->fabric->n_switches;

	if (k->a == FIELD_SWITCH && f->sw != NO_ID && ev->a != f->sw)
		return false;
	if (k->a == FIELD_PAIR)
		return pair_concerns(r, f, ev->a / n, ev->a % n) &&
		       (f->layer == 255 || f->layer == ev->b ||
			((ev->kind == REC_TURN || ev->kind == REC_MOVE) && f->layer == ev->port));
	/* of a whole layer; a cut is about no switch, LID or pair: the moves after it are */
	if (k->b == FIELD_LAYER)
		return (f->layer == 255 || f->layer == ev->b) &&
		       (ev->kind != REC_BREAK || (f->sw == NO_ID && !f->lid && f->pair_a == NO_ID));
	if (f->pair_a != NO_ID || f->layer != 255) /* only pairs, and what concerns the whole */
		return k->a == FIELD_TEXT || (k->a == FIELD_NONE && k->b == FIELD_NONE);
	if (k->b == FIELD_LID) /* without a switch: about all switches */
		return (k->a == FIELD_SWITCH || f->sw == NO_ID) && (!f->lid || ev->b == f->lid);
	if (k->b == FIELD_TARGET)
		return !f->lid || ev->b == switch_of_lid(r->sweep, f->lid);
	/* what a switch learns or is does not concern a single LID */
	return !f->lid || k->a == FIELD_TEXT || k->a == FIELD_NONE;
}

/* --- writing ------------------------------------------------------------------------------ */

/* Makes room for one more element of an array. False: no memory, or the limit is reached. */
static bool more_room(struct recorder *k, void **a, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return true;
	size_t more = *cap ? *cap + *cap / 2 : 1024;
	k->full |= recording_bytes(k->r) > k->limit;
	if (k->full || k->no_memory)
		return false;
	if (mem_room(&k->e, more * size, "a recording")) {
		k->no_memory = true;
		return false;
	}
	*a = mem_resize(*a, more, size);
	*cap = more;
	return true;
}

static void add_unit(struct recorder *k, uint32_t at, uint32_t what)
{
	struct recording *r = k->r;

	if (more_room(k, (void **)&r->unit, r->n_units, &k->cap_units, sizeof(*r->unit)))
		r->unit[r->n_units++] = (struct rec_unit){at, what};
}

void rec_cells(struct recorder *k, enum rec_table t, size_t n)
{
	const struct recording *r = k->r;

	assert(!r->cells[t] || r->cells[t] == n);
	k->r->cells[t] = n;
	if (t != T_COUNT || r->stage < rec_kinds[REC_CHOICE].bulk || r->keep.sw != NO_ID || k->count)
		return;
	k->count = NEW_ARRAY(n + 1, uint32_t);
	k->told = NEW_ARRAY(n + 1, uint32_t);
}

/* Is an event left out, because the run is too long? */
static bool left_out(const struct recorder *k, const struct rec_event *ev)
{
	unsigned bulk = rec_kinds[ev->kind].bulk;

	if (ev->kind == REC_WEIGHTS) /* about all switches; where they are left out, moments count them */
		return bulk <= k->r->stage && ev->b != k->r->keep.lid;
	return bulk && bulk <= k->r->stage && !k->bears && !rec_concerns(k->r, &k->r->keep, ev);
}

/* Put the present event into the recording. */
static void add_event(struct recorder *k)
{
	struct recording *r = k->r;

	k->full |= recording_bytes(r) > k->limit;
	k->ev.first = r->n_units;
	if (more_room(k, (void **)&r->event, r->n_events, &k->cap_events, sizeof(*r->event)))
		r->event[r->n_events++] = k->ev;
	else
		k->skip = true;
}

/* Bytes of all events, kept or not. */
static void count_bytes(struct recorder *k, size_t n)
{
	k->bytes[rec_kinds[k->ev.kind].bulk] += n;
}

/* missed: UNIT_MISSED, or 0. */
static void add_delta(struct recorder *k, enum rec_table t, uint32_t at, uint32_t was, uint32_t now,
		      unsigned missed)
{
	if (!rec_tables[t].wide) {
		add_unit(k, at, t | missed | (was & 0xff) << 8 | (now & 0xff) << 16);
		return;
	}
	add_unit(k, at, t | missed);
	add_unit(k, was, now);
}

/* Records routes counted by choices that were left out, for the switch whose choice is kept. */
static void tell_counts(struct recorder *k)
{
	const struct fabric *f = k->r->sweep->fabric;

	if (!k->owes)
		return;
	k->owes = false;
	for (unsigned p = 0; p <= f->switch_nports[k->ev.a]; p++) {
		uint32_t id = switch_port_id(f, k->ev.a, p);

		if (k->count[id] == k->told[id])
			continue;
		add_delta(k, T_COUNT, id, k->told[id], k->count[id], UNIT_MISSED);
		k->told[id] = k->count[id];
	}
}

void rec_event(struct recorder *k, enum rec_kind kind, unsigned rule, unsigned port, uint32_t a, uint32_t b)
{
	assert(kind < REC_KINDS && rule <= UINT8_MAX && port <= UINT8_MAX);
	tell_counts(k);
	k->extra = SIZE_MAX;
	k->ev = (struct rec_event){kind, rule, port, 0, a, b, 0};
	count_bytes(k, sizeof(k->ev));
	k->skip = left_out(k, &k->ev);
	k->bears = false;
	k->partly = k->skip && k->r->stage;
	k->owes = k->count && rec_decides(&k->ev) && !k->skip;
	if (!k->skip)
		add_event(k);
}

void rec_flag(struct recorder *k, unsigned flags)
{
	const struct fabric *f = k->r->sweep->fabric;

	assert(k->skip || k->r->n_events);
	k->ev.flags |= flags;
	if (k->count && (flags & REC_COUNTED) && rec_counts(&k->ev))
		k->count[switch_port_id(f, k->ev.a, k->ev.port)]++;
	if (!k->skip && k->r->n_events)
		k->r->event[k->r->n_events - 1].flags |= flags;
}

void rec_text(struct recorder *k, enum rec_kind kind, const char *text)
{
	struct recording *r = k->r;

	rec_event(k, kind, 0, 0, r->n_texts, 0);
	if (k->skip || !more_room(k, (void **)&r->text, r->n_texts, &k->cap_texts, sizeof(*r->text)))
		return;
	r->text[r->n_texts++] = str_dup(text);
}

void recorder_clear(struct recorder *k)
{
	free(k->count);
	free(k->told);
	for (int t = 0; t < N_TABLES; t++)
		free(k->shadow[t]);
}

/* The recorded value of a cell in a part. From now on it is `now`. */
static uint32_t had(struct recorder *k, enum rec_table t, uint32_t at, uint32_t now)
{
	size_t n = k->r->cells[t];

	if (!k->shadow[t]) {
		k->shadow[t] = NEW_ARRAY(n + 1, uint32_t);
		for (size_t i = 0; i < n; i++)
			k->shadow[t][i] = rec_tables[t].start;
	}
	uint32_t was = k->shadow[t][at];
	k->shadow[t][at] = now;
	return was;
}

void rec_delta(struct recorder *k, enum rec_table t, uint32_t at, uint32_t was, uint32_t now)
{
	bool part = k->r->stage && (t == T_HOPS || t == T_PLAIN || t == T_ENTRY); /* all changes are kept */

	assert(at < k->r->cells[t]);
	assert(rec_tables[t].wide || (was <= UINT8_MAX && now <= UINT8_MAX));
	count_bytes(k, (1u + rec_tables[t].wide) * sizeof(struct rec_unit));
	if (k->count && t == T_COUNT)
		k->count[at] = k->told[at] = now;
	tell_counts(k);
	if (k->r->stage && !part && t != T_COUNT && !k->skip && !k->partly) {
		uint32_t old = had(k, t, at, now);

		if (old == now) /* the part has this value already */
			return;
		if (old != was)
			add_delta(k, t, at, old, was, UNIT_MISSED);
	}
	if (was == now)
		return;
	if (k->partly) { /* only its effects on the part are kept */
		if (!part || !recording_keeps(k->r, t, at))
			return;
		if (k->skip) {
			k->skip = false;
			add_event(k);
		}
	}
	/* an event about the whole with many changes */
	if (part && !rec_kinds[k->ev.kind].bulk && !recording_keeps(k->r, t, at))
		return;
	if (!k->skip)
		add_delta(k, t, at, was, now, 0);
}

void rec_extra(struct recorder *k, uint32_t word)
{
	struct recording *r = k->r;

	tell_counts(k);
	count_bytes(k, sizeof(word));
	if (k->skip)
		return;
	if (k->extra == SIZE_MAX) {
		k->extra = r->n_units;
		add_unit(k, 0, UNIT_EXTRA);
	}
	if (k->full || k->no_memory)
		return;
	if (r->unit[k->extra].at++ & 1)
		r->unit[r->n_units - 1].what = word;
	else
		add_unit(k, word, 0);
}

bool rec_wants_any(const struct recorder *k, enum rec_kind kind)
{
	return !rec_kinds[kind].focus || k->all || !rec_focus_is_all(&k->r->focus);
}

uint32_t rec_kept_switch(const struct recorder *k)
{
	return k->r->stage ? k->r->keep.sw : NO_ID;
}

void rec_bears(struct recorder *k)
{
	k->bears = true;
}

bool rec_wants(const struct recorder *k, enum rec_kind kind, uint32_t sw, unsigned lid)
{
	const struct rec_focus *f = &k->r->focus;

	if (!rec_kinds[kind].focus || k->all)
		return true;
	if (!rec_wants_any(k, kind))
		return false;
	return (f->sw == NO_ID || f->sw == sw) && (!f->lid || !lid || f->lid == lid);
}

void rec_amend(struct recorder *k, unsigned (*rule)(void *ctx, const struct rec_event *ev), void *ctx,
	       struct progress *p)
{
	enum { AT_ONCE = 16384 }; /* events between looks */
	struct recording *r = k->r;

	for (size_t i = 0; i < r->n_events && (i % AT_ONCE || !progress_cancelled(p)); i++)
		if (r->event[i].kind == REC_CHOICE)
			r->event[i].rule = rule(ctx, &r->event[i]);
}

bool rec_wants_pair(const struct recorder *k, enum rec_kind kind, uint32_t pair, uint32_t layer)
{
	struct rec_event ev = {.kind = kind, .a = pair, .b = layer};

	if (!rec_kinds[kind].focus || k->all)
		return true;
	return rec_wants_any(k, kind) && rec_concerns(k->r, &k->r->focus, &ev);
}

void rec_use_matrix(struct recorder *k, enum rec_table t)
{
	assert(t == T_HOPS || t == T_PLAIN);
	k->matrix = t;
}

enum rec_table rec_matrix(const struct recorder *k)
{
	return k->matrix;
}

void rec_keep(struct recorder *k, void *kept, void (*release)(void *))
{
	assert(!k->r->release);
	k->r->kept = kept;
	k->r->release = release;
}

/* --- reading ------------------------------------------------------------------------------ */

void recording_free(struct recording *r)
{
	told_free(r->told);
	if (r->release)
		r->release(r->kept);
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->text[i]);
	free(r->text);
	free(r->event);
	free(r->unit);
	free(r->part);
	routing_unref(r->end);
	sweep_unref(r->sweep);
	free(r);
}

const struct recording *recording_ref(const struct recording *r)
{
	atomic_fetch_add(&((struct recording *)r)->refs, 1);
	return r;
}

void recording_unref(const struct recording *r)
{
	struct recording *m = (struct recording *)r;

	if (m && atomic_fetch_sub(&m->refs, 1) == 1)
		recording_free(m);
}

size_t recording_steps(const struct recording *r)
{
	return r->n_events;
}

size_t recording_bytes(const struct recording *r)
{
	return r->n_events * sizeof(*r->event) + r->n_units * sizeof(*r->unit);
}

const char *recording_part(const struct recording *r)
{
	return r->part ? r->part : "";
}

const struct rec_focus *recording_kept_part(const struct recording *r)
{
	return &r->keep;
}

/* The switch of a cell, and its target or LID. Returns the bulk kind that fills it; 0: always kept. */
static unsigned bulk_of(const struct recording *r, enum rec_table t, uint32_t at, uint32_t *sw,
			uint32_t *target, uint32_t *lid)
{
	const struct fabric *f = r->sweep->fabric;
	uint32_t lids = r->sweep->lids->max_lid + 1u;

	*target = *lid = NO_ID;
	switch (t) {
	case T_HOPS:
	case T_PLAIN:
		*sw = f->node_switch[f->port_node[at % f->n_ports]];
		*target = at / f->n_ports;
		return 1;
	case T_ENTRY:
		*sw = at / lids;
		*lid = at % lids;
		return 2;
	case T_COUNT:
		*sw = f->node_switch[f->port_node[at]];
		return 2;
	default:
		return 0;
	}
}

bool recording_keeps(const struct recording *r, enum rec_table t, uint32_t at)
{
	uint32_t sw = NO_ID, target, lid;
	unsigned bulk = r->stage ? bulk_of(r, t, at, &sw, &target, &lid) : 0;

	if (!bulk || bulk > r->stage)
		return true;
	if (r->keep.sw != NO_ID)
		return sw == r->keep.sw;
	if (!r->keep.lid || t == T_COUNT)
		return false;
	return (target == NO_ID || target == r->keep_target) && (lid == NO_ID || lid == r->keep.lid);
}

const char *recording_engine(const struct recording *r)
{
	return r->engine->name;
}

const struct engine *recording_scheme_of(const struct recording *r)
{
	return r->engine;
}

const struct sweep *recording_sweep(const struct recording *r)
{
	return r->sweep;
}

size_t recording_differs(const struct recording *r)
{
	return r->differs;
}

const struct rec_event *recording_event(const struct recording *r, size_t step)
{
	assert(step >= 1 && step <= r->n_events);
	return &r->event[step - 1];
}

const char *recording_text(const struct recording *r, const struct rec_event *ev)
{
	return rec_kinds[ev->kind].a == FIELD_TEXT && ev->a < r->n_texts ? r->text[ev->a] : "";
}

const char *recording_refusal(const struct recording *r)
{
	return r->refused ? recording_text(r, &r->event[r->n_events - 1]) : NULL;
}

const void *recording_kept(const struct recording *r)
{
	return r->kept;
}

size_t recording_cells(const struct recording *r, enum rec_table t)
{
	return r->cells[t];
}

bool recording_next_delta(const struct recording *r, size_t step, uint32_t *cursor, struct rec_delta *d)
{
	size_t i = r->event[step - 1].first + *cursor;
	const struct rec_unit *u = &r->unit[i];

	while (i < units_end(r, step - 1) && (u->what & 0xff) != UNIT_EXTRA && (u->what & UNIT_MISSED)) {
		unsigned size = 1u + rec_tables[unit_table(u)].wide;

		i += size;
		u += size;
		*cursor += size;
	}
	if (i >= units_end(r, step - 1) || (u->what & 0xff) == UNIT_EXTRA)
		return false;
	d->table = u->what & 0xff;
	d->at = u->at;
	if (rec_tables[d->table].wide) {
		d->was = u[1].at;
		d->now = u[1].what;
		*cursor += 2;
	} else {
		d->was = u->what >> 8 & 0xff;
		d->now = u->what >> 16;
		*cursor += 1;
	}
	return true;
}

uint32_t recording_extra(const struct recording *r, size_t step, const uint32_t **word)
{
	struct rec_delta d;
	uint32_t cursor = 0;

	assert(step >= 1 && step <= r->n_events);
	while (recording_next_delta(r, step, &cursor, &d))
		continue;
	size_t i = r->event[step - 1].first + cursor;
	*word = NULL;
	if (i >= units_end(r, step - 1))
		return 0;
	*word = &r->unit[i + 1].at; /* a unit is two words, without a gap */
	return r->unit[i].at;
}

uint32_t recording_cycle(const struct recording *r, size_t step, const uint32_t **word)
{
	const struct rec_event *ev = recording_event(r, step);
	uint32_t n = recording_extra(r, step, word), skip = ev->kind == REC_TURN ? REC_TURN_WORDS : 0;

	if ((ev->kind != REC_REFUSE && ev->kind != REC_TURN) || n <= skip)
		return 0;
	*word += skip;
	return (n - skip) / 2;
}

const char *recording_rule(const struct recording *r, const struct rec_event *ev)
{
	return rec_kinds[ev->kind].rule ? r->engine->scheme->rule(ev) : "";
}

const char *recording_source(const struct recording *r, const struct rec_event *ev)
{
	const char *source = r->engine->scheme->source ? r->engine->scheme->source(ev) : NULL;

	return source ? source : "";
}

bool recording_in_focus(const struct recording *r, size_t step)
{
	return rec_concerns(r, &r->focus, &r->event[step - 1]);
}

static void recording_add_words(const struct engine_input *in, enum rec_kind kind, const char *fmt,
				va_list ap)
{
	AUTO_TEXT struct text t = {0};

	text_addv(&t, fmt, ap);
	rec_text(in->record, kind, text_str(&t));
}

void rec_phase(const struct engine_input *in, const char *fmt, ...)
{
	va_list ap;

	if (!RECORDED(in))
		return;
	va_start(ap, fmt);
	recording_add_words(in, REC_PHASE, fmt, ap);
	va_end(ap);
}

void rec_note(const struct engine_input *in, const char *fmt, ...)
{
	va_list ap;

	if (!RECORDED(in))
		return;
	va_start(ap, fmt);
	recording_add_words(in, REC_NOTE, fmt, ap);
	va_end(ap);
}
