/*
 * The pane `drift`: the switches' entries compared with the next sweep of an engine, one row per wrong entry.
 * Without an engine, another thread tries all of them, and takes the one that explains the tables best.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/sm/guid_names.h"
#include "core/fabric/labels.h"
#include "views/analysis/drift.h"
#include "views/base/question.h"

enum { C_SWITCH, C_LID, C_TO, C_PORT, C_CLASS, C_WHY };

static const struct column columns[] = {
	COL("switch", "the switch that holds the entry", 8, .flex = 2, .fold = FOLD_CHIP),
	NUM("lid", "the LID that the entry is for", 5),
	COL("to", "the node that has this LID", 8, .flex = 2),
	NUM("now → would", "port in the switch now, and after the next sweep", 11),
	COL("class",
	    "kept: a restart would choose another port; next: the next sweep changes it; dead: packets are "
	    "lost; missing: no entry; unknown: no port has the LID",
	    7),
	COL("why", "what is wrong, or the rule that chooses the other port", 8, .flex = 3, .drop = 1),
};

struct priv {
	const struct result *answer; /* borrowed; NULL = missing */
	struct err why;		     /* why there is no question */
};

/* --- computed by another thread ----------------------------------------------------------------- */

static void free_answer(void *value)
{
	struct drift_answer *a = value;

	drift_free(a->d);
	drift_ranking_free(a->ranking);
	free(a);
}

static void *run_drift(const struct job *j)
{
	const struct sweep_question *q = j->base;
	struct drift_request rq = {
		.setup = q->setup,
		.engines = q->engines,
		.now = q->now,
		.chain = q->chain,
		.configured = q->configured,
	};
	struct drift_ranking *ranking = NULL;
	struct drift *d = drift_judge(&rq, &ranking, j->progress, j->e);
	struct drift_answer *a;

	if (!d) {
		drift_ranking_free(ranking);
		return NULL;
	}
	a = NEW(struct drift_answer);
	*a = (struct drift_answer){d, ranking};
	return a;
}

const struct task task_drift = {.run = run_drift, .free = free_answer};

/* --- the question ------------------------------------------------------------------------------- */

/* NULL and *e when a word is wrong. */
static struct sweep_question *make_question(const struct view *v, struct err *e)
{
	struct sweep_question *q = sweep_question_new(v->scene);
	struct options *opts = options_copy(q->setup->options);
	const struct setup *now = q->setup;
	int rc = 0;

	for (int i = 0; !rc && i < v->n_words; i++) {
		if (strchr(v->word[i], '=')) {
			rc = options_assign(opts, v->scene->fabric, v->word[i], e);
		} else {
			free(q->chain);
			q->chain = str_dup(v->word[i]);
			rc = engine_chain_known(q->engines, q->chain, e);
		}
	}
	q->setup = setup_with(now, &(struct setup){.options = opts});
	setup_unref(now);
	options_free(opts);
	if (!rc)
		return q;
	sweep_question_free(q);
	return NULL;
}

static int open_view(struct view *v, const struct args *a, struct err *e)
{
	struct sweep_question *q = v->scene->fabric ? make_question(v, e) : NULL;
	bool wrong = v->scene->fabric && !q;

	(void)a;
	sweep_question_free(q);
	return wrong ? -1 : 0;
}

/* --- the pane ------------------------------------------------------------------------------------ */

static const struct drift *drift_of(const struct view *v)
{
	const struct priv *p = v->priv;

	return p->answer && p->answer->value ? ((const struct drift_answer *)p->answer->value)->d : NULL;
}

static void load(struct view *v)
{
	struct priv *p = v->priv;
	struct sweep_question *q = v->scene->fabric ? make_question(v, &p->why) : NULL;

	p->answer = view_ask_about(v, &task_drift, q, &task_sweep_question, NULL);
	if (drift_of(v))
		v->n_rows = drift_of(v)->n_entries > UINT32_MAX - 1 ? UINT32_MAX - 1
								    : (uint32_t)drift_of(v)->n_entries;
}

static const struct drift_entry *entry_at(const struct view *v, uint32_t row)
{
	return &drift_of(v)->entry[row];
}

static void title(const struct view *v, struct text *t)
{
	const struct drift *d = drift_of(v);

	text_add(t, "Drift");
	if (!d)
		return;
	text_add(t, " from %s", d->engine);
	for (unsigned c = 0; c < DRIFT_CLASSES; c++)
		if (d->count[c])
			text_add(t, " ── %" PRIu64 " %s", d->count[c], drift_word[c]);
}

static void footer(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;
	const struct drift_answer *a = p->answer ? p->answer->value : NULL;

	if (p->why.msg[0])
		text_add(t, "%s", p->why.msg);
	else if (p->answer && !a)
		text_add(t, "%s", p->answer->e.msg);
	else if (a && !drift_found(a->d) && drift_known(a->d))
		text_add(t, "the next sweep would change nothing");
	else if (a)
		text_add(t, "agreement %.4f%s", drift_agreement(a->d),
			 a->ranking ? "; `drift` ranks all engines" : "");
}

static int64_t number(const struct view *v, uint32_t row, unsigned col)
{
	return field_number(field_of_column(drift_entry_fields, columns[col].name), entry_at(v, row));
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct drift *d = drift_of(v);
	const struct drift_entry *x = entry_at(v, row);
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

static unsigned marks(const struct view *v, uint32_t row)
{
	switch (entry_at(v, row)->class) {
	case DRIFT_DEAD:
	case DRIFT_MISSING:
		return MARK_DOWN;
	case DRIFT_KEPT:
		return 0;
	}
	return MARK_CHANGED;
}

static bool about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct drift_entry *x = entry_at(v, row);

	subject_switch_port(v, x->sw, x->port, s);
	subject_lid(x->lid, s);
	s->key = (uint64_t)x->sw << 16 | x->lid;
	return true;
}

const struct view_ops view_drift = {
	.name = "drift",
	.brief = "compares the tables in the switches with an engine's next sweep: entries that are dead, "
		 "missing, stale or kept",
	.syntax = "[ENGINE[,ENGINE...]] [OPTION=VALUE]...",
	.hints = "follow=lft :why=why back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct priv),
	.open = open_view,
	DOES(load, title, footer, cell, number, marks, about),
	.enter = "pane lft %switch %lid",
	.fold_row = "entry",
};
