/* The pane `entries`: what `drift` compares entry by entry, all that differ or those of one cause. */
#include <stdlib.h>
#include <string.h>

#include "core/fabric/labels.h"
#include "core/session/args.h"
#include "views/analysis/drift.h"

enum { C_SWITCH, C_LID, C_TO, C_PORT, C_CLASS, C_WHY };

static const struct column columns[] = {
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
	return field_number(field_of_column(drift_entry_fields, columns[col].name),
			    entries_pane_entry_at(v, row));
}

static void entries_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct drift *d = drift_shown(v)->d;
	const struct drift_entry *x = entries_pane_entry_at(v, row);
	char a[8], b[8];

	switch (col) {
	case C_SWITCH:
		text_add(t, "%s", switch_name(d->next->fabric, x->sw));
		break;
	case C_TO:
		lid_label(d->next->fabric, d->next->lids, x->lid, t);
		break;
	case C_PORT:
		text_add(t, "%s → %s", lft_port_label(x->port, a, sizeof(a)),
			 lft_port_label(x->would, b, sizeof(b)));
		break;
	case C_CLASS:
		text_add(t, "%s", drift_word[x->class]);
		break;
	default:
		field_cell(field_of_column(drift_entry_fields, columns[col].name), x, t);
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
	COLUMNS(columns),
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
