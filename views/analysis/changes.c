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

static const struct column changes_columns[] = {
	COL("switch", "the switch whose entry changed", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("lid", "the LID that the entry is for", 5),
	COL("destination", "the node that has this LID", 8, .flex = 1, .drop = 2),
	NUM("was → now", "port before the last event and now", 9),
	COL("via", "the node that the port leads to now", 8, .flex = 1, .drop = 3),
};

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

static const struct changed *changed_of(const struct view *v, uint32_t i)
{
	struct changes_pane *p = v->priv;
	struct changed *c = &p->kept[i % KEPT];
	const struct comparison *change = v->scene->real_change;
	unsigned a = change->a ? change->a->lids->max_lid : 0, b = change->b ? change->b->lids->max_lid : 0;
	uint8_t was, now;

	if (c->i == i)
		return c;
	c->i = i;
	c->n = 0;
	for (unsigned l = 1; l <= MAX(a, b) && c->n < p->first[i + 1] - p->first[i]; l++) {
		if (!entry_changed(change, p->sw[i], l, &was, &now))
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

/* A LID that nobody has now is no destination: its row leads to the table alone. */
static void changes_row_follow(struct table_row *r, const struct lids *l, unsigned lid)
{
	if (lid_owner(l, lid) == NO_ID)
		r->follow = row_text(r, "pane lft %%switch");
}

static void changes_row(const struct view *v, uint32_t row, struct table_row *r)
{
	struct changes_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct comparison *c = v->scene->real_change;
	uint32_t i = changes_pane_index_of(p, row), sw = p->sw[i], peer = NO_ID;
	const struct changed *k = changed_of(v, i);
	unsigned lid = row - p->first[i] < k->n ? k->lid[row - p->first[i]] : 0;
	uint8_t was = NO_PATH, now = NO_PATH;
	size_t name = row_text(r, "%s", "");
	char a[4], b[4];

	lid_label(f, c->b ? c->b->lids : c->a->lids, lid, &r->text);
	entry_changed(c, sw, lid, &was, &now);
	if (now && now <= f->switch_nports[sw])
		peer = f->port_peer[switch_port_id(f, sw, now)];
	ROW_VALUES(v, r, sw, lid, (int64_t)name, now,
		   row_text(r, "%s",
			    now == NO_PATH  ? "no route"
			    : peer == NO_ID ? "-"
					    : f->node_name[f->port_node[peer]]));
	r->says[3] =
		row_text(r, "%s → %s", lft_port_label(was, a, sizeof(a)), lft_port_label(now, b, sizeof(b)));
	r->marks = MARK_CHANGED | mark_if(now == NO_PATH, MARK_DOWN);
	subject_switch_port(v, sw, now, &r->about);
	subject_lid(lid, &r->about);
	changes_row_follow(r, c->b ? c->b->lids : c->a->lids, lid);
}

const struct view_ops view_changes = {
	.name = "changes",
	.brief = "lists each table entry that the last event changed: its old and new port",
	.hints = "follow=lft :why=why :pane_pairs=pairs",
	COLUMNS(changes_columns),
	.flags = VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct changes_pane),
	.load = changes_pane_load,
	.row = changes_row,
	.unload = changes_pane_unload,
	.title = changes_pane_title,
	.footer = changes_pane_footer,
	.enter = "pane lft %switch %lid",
	.fold_row = "change",
};

/* The pane `entries`: what `drift` compares entry by entry, all that differ or those of one cause. */

static const struct column entries_columns[] = {
	COL("switch", "the switch that holds the entry", 8, .flex = 2, .fold = FOLD_CHIP),
	NUM("lid", "the LID that the entry is for", 5),
	COL("to", "the node that has this LID", 8, .flex = 2),
	NUM("now → would", "port in the switch now, and the one that OpenSM computes", 11),
	COL("class",
	    "kept: a restart may choose another port; restart: OpenSM computes another one, and a restart "
	    "writes it; dead: packets are "
	    "lost; missing: no entry; unknown: no port has the LID",
	    7),
	COL("why", "what is wrong, or the rule that chooses the other port", 8, .flex = 3, .drop = 1),
};

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
	text_add(&v->title, "Entries");
	a = drift_shown(v);
	if (!a)
		return;
	n = a->d->n_entries < UINT32_MAX - 1 ? a->d->n_entries : UINT32_MAX - 1;
	v->n_rows = (uint32_t)n;
	if (!cause) {
		drift_title(v, &v->title);
		return;
	}
	if (cause <= a->causes->n)
		text_add(&v->title, " ── %s: %s", a->causes->c[cause - 1].what, a->causes->c[cause - 1].why);
	else
		text_add(&v->title, " ── there is no cause %u", cause);
	v->n_rows = 0;
	p->row = VIEW_ARRAY(v, cause <= a->causes->n ? a->causes->c[cause - 1].entries : 0, uint32_t);
	for (size_t i = 0; i < n; i++)
		if (a->causes->of_entry[i] == cause - 1)
			p->row[v->n_rows++] = (uint32_t)i;
}

static void entries_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct entries_pane *p = v->priv;
	const struct drift *d = drift_shown(v)->d;
	const struct drift_entry *x = &d->entry[p->row ? p->row[row] : row];
	size_t name = row_text(r, "%s", "");
	char a[8], b[8];

	lid_label(d->next->fabric, d->next->lids, x->lid, &r->text);
	row_fields(v, r, drift_entry_fields, x);
	r->value[0] = (int64_t)row_text(r, "%s", switch_name(d->next->fabric, x->sw));
	r->value[2] = (int64_t)name;
	r->says[3] = row_text(r, "%s → %s", lft_port_label(x->port, a, sizeof(a)),
			      lft_port_label(x->would, b, sizeof(b)));
	r->value[4] = (int64_t)row_text(r, "%s", drift_word[x->class]);
	r->marks = mark_if(x->class != DRIFT_KEPT, MARK_CHANGED);
	if (x->class == DRIFT_DEAD || x->class == DRIFT_MISSING)
		r->marks = MARK_DOWN;
	subject_switch_port(v, x->sw, x->port, &r->about);
	subject_lid(x->lid, &r->about);
	r->about.key = (uint64_t)x->sw << 16 | x->lid;
	changes_row_follow(r, d->next->lids, x->lid);
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
	.row = entries_row,
	.enter = "pane lft %switch %lid",
	.fold_row = "entry",
};
