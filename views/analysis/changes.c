/* The panes `changes` and `entries`: entries that the last event changed, and those that `drift` compares. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/session/command.h"
#include "views/analysis/doctor.h"
#include "views/base/view.h"

/* The pane `changes`: entries of forwarding tables that the last event changed. */

enum { C_SWITCH, C_LID, C_DEST, C_PORT, C_VIA };

static const struct column columns[] = {
	COL("switch", "the switch whose entry changed", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("lid", "the LID that the entry is for", 5),
	COL("destination", "the node that has this LID", 8, .flex = 1, .drop = 2),
	NUM("was → now", "port before the last event and now", 9),
	COL("via", "the node that the port leads to now", 8, .flex = 1, .drop = 3),
};
static_assert(ARRAY_LEN(columns) == C_VIA + 1, "a column for each C_");

/* The LIDs of a switch's changed entries. */
struct changed {
	uint32_t i; /* index of the switch, NO_ID = none */
	uint16_t *lid;
	uint32_t n, cap;
};

#define KEPT 64 /* switches; a screen's rows may be about as many */

/* Rows have running numbers: by switch, then by entry. */
struct changes_pane {
	uint32_t *sw;	 /* [n] switches with changed entries */
	uint64_t *first; /* [n + 1] running number of the first entry */
	uint32_t n;
	struct changed kept[KEPT]; /* by index modulo KEPT */
};

static void changes_pane_unload(struct view *v)
{
	struct changes_pane *p = v->priv;

	for (unsigned k = 0; k < KEPT; k++)
		free(p->kept[k].lid);
}

static void changes_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct changes_pane *p = v->priv;
	uint64_t total = 0;

	for (unsigned k = 0; k < KEPT; k++)
		p->kept[k].i = NO_ID;
	if (!sc->fabric || !sc->real_change || !sc->real_change->switch_entries)
		return;
	p->sw = VIEW_ARRAY(v, sc->real_change->switches_changed + 1, uint32_t);
	p->first = VIEW_ARRAY(v, sc->real_change->switches_changed + 2, uint64_t);
	for (uint32_t s = 0; s < sc->fabric->n_switches; s++) {
		if (!sc->real_change->switch_entries[s] || p->n >= sc->real_change->switches_changed)
			continue;
		p->sw[p->n] = s;
		p->first[p->n++] = total;
		total += sc->real_change->switch_entries[s];
	}
	p->first[p->n] = total;
	v->n_rows = total > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)total;
}

static unsigned changes_pane_top_lid(const struct scene *sc)
{
	unsigned a = sc->real_change->a ? sc->real_change->a->lids->max_lid : 0;
	unsigned b = sc->real_change->b ? sc->real_change->b->lids->max_lid : 0;

	return MAX(a, b);
}

static const struct changed *changed_of(const struct view *v, uint32_t i)
{
	struct changes_pane *p = v->priv;
	struct changed *c = &p->kept[i % KEPT];
	uint8_t was, now;

	if (c->i == i)
		return c;
	c->i = i;
	c->n = 0;
	for (unsigned l = 1, top = changes_pane_top_lid(v->scene);
	     l <= top && c->n < p->first[i + 1] - p->first[i]; l++) {
		if (!entry_changed(v->scene->real_change, p->sw[i], l, &was, &now))
			continue;
		GROW(c->lid, c->n, c->cap);
		c->lid[c->n++] = (uint16_t)l;
	}
	return c;
}

/* The index of a row's switch among the changed ones. */
static uint32_t changes_pane_index_of(const struct changes_pane *p, uint32_t row)
{
	uint32_t lo = 0, hi = p->n;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->first[mid] <= row)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The switch and LID of a row. */
static void changes_pane_entry_at(const struct view *v, uint32_t row, uint32_t *sw, unsigned *lid)
{
	struct changes_pane *p = v->priv;
	uint32_t lo = changes_pane_index_of(p, row);
	const struct changed *c = changed_of(v, lo);

	*sw = p->sw[lo];
	*lid = row - p->first[lo] < c->n ? c->lid[row - p->first[lo]] : 0;
}

static void changes_pane_title(const struct view *v, struct text *t)
{
	const struct scene *sc = v->scene;
	const struct comparison *c = sc->real_change;

	text_add(t, "Changes");
	if (!c) {
		text_add(t, ": nothing to compare");
		return;
	}
	text_add(t, " of event %zu ── %s on %s", sc->at, PLURAL(c->entries_changed, "entry"),
		 PLURAL(c->switches_changed, "switch"));
	if (c->entries_lost)
		text_add(t, ", %" PRIu64 " lost", c->entries_lost);
}

static void changes_pane_footer(const struct view *v, struct text *t)
{
	if (v->scene->event)
		text_add(t, "%s", v->scene->event->text);
}

static const struct lids *changes_pane_lids_of(const struct view *v)
{
	const struct comparison *c = v->scene->real_change;

	return c->b ? c->b->lids : c->a->lids;
}

static void changes_pane_ports_of(const struct view *v, uint32_t row, uint32_t *sw, unsigned *lid,
				  uint8_t *was, uint8_t *now)
{
	changes_pane_entry_at(v, row, sw, lid);
	*was = *now = NO_PATH;
	entry_changed(v->scene->real_change, *sw, *lid, was, now);
}

static int64_t changes_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	uint32_t sw;
	unsigned lid;
	uint8_t was, now;

	changes_pane_ports_of(v, row, &sw, &lid, &was, &now);
	return col == C_LID ? lid : now;
}

static void changes_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t sw, peer;
	unsigned lid;
	uint8_t was, now;

	changes_pane_ports_of(v, row, &sw, &lid, &was, &now);
	switch (col) {
	case C_SWITCH:
		text_add(t, "%s", switch_name(f, sw));
		break;
	case C_LID:
		text_add(t, "%u", lid);
		break;
	case C_DEST:
		lid_label(f, changes_pane_lids_of(v), lid, t);
		break;
	case C_PORT:
		text_add(t, "%s", lft_port_label(was, (char[4]){0}, 4));
		text_add(t, " → ");
		text_add(t, "%s", lft_port_label(now, (char[4]){0}, 4));
		break;
	case C_VIA:
		peer = now && now <= f->switch_nports[sw] ? f->port_peer[switch_port_id(f, sw, now)] : NO_ID;
		text_add(t, "%s",
			 now == NO_PATH	 ? "no route"
			 : peer == NO_ID ? "-"
					 : f->node_name[f->port_node[peer]]);
		break;
	}
}

static unsigned changes_pane_marks(const struct view *v, uint32_t row)
{
	return changes_pane_number(v, row, C_PORT) == NO_PATH ? MARK_CHANGED | MARK_DOWN : MARK_CHANGED;
}

static bool changes_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	uint32_t sw;
	unsigned lid;
	uint8_t was, now;

	changes_pane_ports_of(v, row, &sw, &lid, &was, &now);
	subject_switch_port(v, sw, now, s);
	subject_lid(lid, s);
	return true;
}

const struct view_ops view_changes = {
	.name = "changes",
	.brief = "lists each table entry that the last event changed: its old and new port",
	.hints = "follow=lft :why=why :pane_pairs=pairs",
	COLUMNS(columns),
	.flags = VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct changes_pane),
	.load = changes_pane_load,
	.unload = changes_pane_unload,
	.title = changes_pane_title,
	.footer = changes_pane_footer,
	.cell = changes_pane_cell,
	.number = changes_pane_number,
	.marks = changes_pane_marks,
	.about = changes_pane_about,
	.enter = "pane lft %switch %lid",
	.fold_row = "change",
};

/* The pane `entries`: what `drift` compares entry by entry, all that differ or those of one cause. */

enum { entries_C_SWITCH, entries_C_LID, C_TO, entries_C_PORT, C_CLASS, C_WHY };

static const struct column entries_columns[] = {
	COL("switch", "the switch that holds the entry", 8, .flex = 2, .fold = FOLD_CHIP),
	NUM("lid", "the LID that the entry is for", 5),
	COL("to", "the node that has this LID", 8, .flex = 2),
	NUM("now → would", "port in the switch now, and the one that OpenSM computes", 11),
	COL("class",
	    "kept: a restart would choose another port; restart: OpenSM computes another one, and a restart "
	    "writes it; dead: packets are "
	    "lost; missing: no entry; unknown: no port has the LID",
	    7),
	COL("why", "what is wrong, or the rule that chooses the other port", 8, .flex = 3, .drop = 1),
};
static_assert(ARRAY_LEN(entries_columns) == C_WHY + 1, "a column for each C_");

struct entries_pane {
	struct drift_view shared;
	uint32_t *row; /* [n_rows] entries shown; NULL: all */
};

static void entries_pane_load(struct view *v)
{
	const struct drift_answer *a;
	struct entries_pane *p = v->priv;
	uint32_t cause = p->shared.cause;
	size_t n;

	drift_load(v);
	a = drift_shown(v);
	if (!a)
		return;
	n = a->d->n_entries < UINT32_MAX - 1 ? a->d->n_entries : UINT32_MAX - 1;
	v->n_rows = (uint32_t)n;
	if (!cause)
		return;
	v->n_rows = 0;
	p->row = VIEW_ARRAY(v, cause <= a->causes->n ? a->causes->c[cause - 1].entries : 0, uint32_t);
	for (size_t i = 0; i < n; i++)
		if (a->causes->of_entry[i] == cause - 1)
			p->row[v->n_rows++] = (uint32_t)i;
}

static const struct drift_entry *entries_pane_entry_at(const struct view *v, uint32_t row)
{
	const struct entries_pane *p = v->priv;

	return &drift_shown(v)->d->entry[p->row ? p->row[row] : row];
}

static void entries_pane_title(const struct view *v, struct text *t)
{
	const struct drift_answer *a = drift_shown(v);
	uint32_t cause = ((const struct drift_view *)v->priv)->cause;

	text_add(t, "Entries");
	if (a && !cause)
		drift_title(v, t);
	else if (a && cause <= a->causes->n)
		text_add(t, " ── %s: %s", a->causes->c[cause - 1].what, a->causes->c[cause - 1].why);
	else if (a)
		text_add(t, " ── there is no cause %u", cause);
}

static int64_t entries_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	return field_number(field_of_column(drift_entry_fields, entries_columns[col].name),
			    entries_pane_entry_at(v, row));
}

static void entries_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct drift *d = drift_shown(v)->d;
	const struct drift_entry *x = entries_pane_entry_at(v, row);
	char a[8], b[8];

	switch (col) {
	case entries_C_SWITCH:
		text_add(t, "%s", switch_name(d->next->fabric, x->sw));
		break;
	case C_TO:
		lid_label(d->next->fabric, d->next->lids, x->lid, t);
		break;
	case entries_C_PORT:
		text_add(t, "%s → %s", lft_port_label(x->port, a, sizeof(a)),
			 lft_port_label(x->would, b, sizeof(b)));
		break;
	case C_CLASS:
		text_add(t, "%s", drift_word[x->class]);
		break;
	default:
		field_cell(field_of_column(drift_entry_fields, entries_columns[col].name), x, t);
	}
}

static unsigned entries_pane_marks(const struct view *v, uint32_t row)
{
	switch (entries_pane_entry_at(v, row)->class) {
	case DRIFT_DEAD:
	case DRIFT_MISSING:
		return MARK_DOWN;
	case DRIFT_KEPT:
		return 0;
	}
	return MARK_CHANGED;
}

static bool entries_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct drift_entry *x = entries_pane_entry_at(v, row);

	subject_switch_port(v, x->sw, x->port, s);
	subject_lid(x->lid, s);
	s->key = (uint64_t)x->sw << 16 | x->lid;
	return true;
}

const struct view_ops view_entries = {
	.name = "entries",
	.brief = "compares them entry by entry: entries that are dead, missing, stale or kept, all or those "
		 "of a cause as "
		 "`drift` counts them",
	.syntax = DRIFT_SYNTAX " [cause N]",
	.hints = "follow=lft :why=why back=back",
	COLUMNS(entries_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct entries_pane),
	.priv_kept = offsetof(struct entries_pane, shared.answer),
	.open = drift_open,
	.footer = drift_footer,
	.load = entries_pane_load,
	.title = entries_pane_title,
	.cell = entries_pane_cell,
	.number = entries_pane_number,
	.marks = entries_pane_marks,
	.about = entries_pane_about,
	.enter = "pane lft %switch %lid",
	.fold_row = "entry",
};
