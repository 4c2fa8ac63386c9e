/*
 * The pane `doctor`: findings, worst first, computed by another thread. Enter goes to the place of a finding.
 */
#include <stdlib.h>
#include <string.h>
#include "core/session/counted.h"
#include "views/analysis/doctor.h"
#include "views/base/question.h"
#include "views/base/view.h"

enum { C_SEVERITY, C_SURE, C_KIND, C_FINDING, C_SHOWS };

static const struct column columns[] = {
	COL("severity", "error, warning or note; errors first", 8),
	COL("sure", "fact (it is in the input), computed (by OpenSM's rules) or likely (a guess)", 8,
	    .drop = 3),
	COL("kind", "the kind of fault", 17, .drop = DROP_SPARE),
	COL("finding", "what is wrong, and where", 36, .flex = 4, .prose = true),
	COL("shows more", "the command that does", 10, .flex = 1, .drop = DROP_SPARE),
};

/* --- computed by another thread ----------------------------------------------------------------- */

struct doctor_pane {
	const struct result *answer; /* borrowed; NULL = missing */
};

FREED_BY(free_diagnosis, diagnosis_free)

static void *run_doctor(const struct job *j)
{
	const struct sweep_question *q = j->base;
	struct doctor_request rq = {
		.setup = q->setup,
		.engines = q->engines,
		.now = q->now,
		.configured = q->configured,
		.counted = q->counted,
	};

	return doctor_run(&rq, j->progress, j->e);
}

const struct task task_doctor = {.run = run_doctor, .free = free_diagnosis};

const struct result *doctor_question(struct scene *sc)
{
	struct sweep_question *q;

	if (!sc->fabric)
		return NULL;
	q = sweep_question_new(sc);
	q->counted = session_measured(sc->session);
	q->counts = sc->session->counts;
	sc->doctor = result_keep(sc->doctor, q, &task_sweep_question);
	return sc->doctor;
}

/* --- the pane ------------------------------------------------------------------------------------ */

static const struct diagnosis *diagnosis_of(const struct view *v)
{
	const struct doctor_pane *p = v->priv;

	return p->answer ? p->answer->value : NULL;
}

static const struct finding *finding_of(const struct view *v, uint32_t row)
{
	return &diagnosis_of(v)->finding[row];
}

static void doctor_pane_load(struct view *v)
{
	struct doctor_pane *p = v->priv;

	view_hold(v, doctor_question(v->scene));
	p->answer = v->held ? view_ask(v, &task_doctor, v->held, NULL) : NULL;
	v->n_rows = diagnosis_of(v) ? (uint32_t)diagnosis_of(v)->n : 0;
}

static void doctor_pane_title(const struct view *v, struct text *t)
{
	const struct diagnosis *d = diagnosis_of(v);

	text_add(t, "Doctor");
	if (!d)
		return;
	text_add(t, " ── ");
	diagnosis_tell_counts(d, t);
	if (d->judged->fabric->warnings.missing)
		text_add(t, " ── INCOMPLETE");
}

/* Explains the selected finding. */
static void doctor_pane_footer(const struct view *v, struct text *t)
{
	const struct doctor_pane *p = v->priv;
	uint32_t row;

	if (p->answer && !p->answer->value)
		text_add(t, "%s", p->answer->e.msg);
	else if (p->answer && view_selected(v, &row))
		text_add(t, "%s", finding_of(v, row)->meaning);
}

static int64_t doctor_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	(void)col;
	return finding_of(v, row)->severity;
}

static void doctor_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct finding *x = finding_of(v, row);

	switch (col) {
	case C_SEVERITY:
		text_add(t, "%s", severity_word[x->severity]);
		break;
	case C_SURE:
		text_add(t, "%s", sureness_word[x->sure]);
		break;
	default:
		field_cell(field_of_column(finding_fields, columns[col].name), x, t);
	}
}

static unsigned doctor_pane_marks(const struct view *v, uint32_t row)
{
	switch (finding_of(v, row)->severity) {
	case SEVERITY_ERROR:
		return MARK_DOWN;
	case SEVERITY_WARNING:
		return MARK_CHANGED;
	}
	return 0;
}

static void word_place(const struct view *v, const struct finding *x, struct text *t)
{
	const struct fabric *f = v->scene->fabric;

	if (x->port)
		word_port(f, f->node_port[x->node] + x->port, t);
	else
		word_node(f, x->node, t);
}

/* Commands that a pane shows better. The pane gets the words after the beginning. */
static const struct {
	const char *begin, *pane;
} shown[] = {
	{"list ", "pane "},	      {"trace ", "pane path "}, {"show warnings", "pane warnings"},
	{"cycles", "pane cycle all"}, {"cdg", "pane cdg all"},	{"layers", "pane layers"},
	{"drift", "pane drift"},      {"roots", "pane ranks"},
};

/*
 * Goes to the pane for the command that shows more. If the command would take long or route again, goes to
 * the place.
 */
static void doctor_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct finding *x = finding_of(v, row);
	const char *routed = strncmp(x->more, "route ", 6) ? NULL : strstr(x->more, "; ");
	const char *more = routed ? routed + 2 : x->more; /* without the route that it needs first */

	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		size_t n = strlen(shown[i].begin);

		if (strncmp(more, shown[i].begin, n) != 0)
			continue;
		text_add(t, "%s%s", shown[i].pane, more + n);
		return;
	}
	if (x->node != NO_ID) {
		text_add(t, "pane ports ");
		word_place(v, x, t);
	} else if (!strncmp(x->more, "route ", 6)) {
		text_add(t, "pane journal");
	} else {
		text_add(t, "%s", x->more);
	}
}

static bool doctor_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct finding *x = finding_of(v, row);

	s->key = x->rule + 1;
	for (const char *c = x->text; *c; c++)
		s->key = (s->key ^ (unsigned char)*c) * 0x100000001b3u;
	if (x->node == NO_ID)
		return false;
	if (x->port)
		subject_port(v, v->scene->fabric->node_port[x->node] + x->port, s);
	else
		subject_node(v, x->node, s);
	return true;
}

static bool doctor_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct finding *x = finding_of(v, row);
	struct text all = {0};

	if (strcmp(what, "finding"))
		return false;
	text_add(&all, "%s %s (%s): %s %s%s%s", severity_word[x->severity], x->kind, sureness_word[x->sure],
		 x->text, x->meaning, x->cure ? "; cure: " : "", x->cure ? x->cure : "");
	if (x->detail)
		text_add(&all, "; %s", x->detail);
	word_text(text_str(&all), t);
	text_free(&all);
	return true;
}

const struct view_ops view_doctor = {
	.name = "doctor",
	.brief = "lists every problem found, worst first; Enter goes to the place",
	.hints = "follow=go :echo=text back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct doctor_pane),
	.load = doctor_pane_load,
	.title = doctor_pane_title,
	.footer = doctor_pane_footer,
	.cell = doctor_pane_cell,
	.number = doctor_pane_number,
	.marks = doctor_pane_marks,
	.about = doctor_pane_about,
	.placeholder = doctor_pane_placeholder,
	.follow = doctor_pane_follow,
};
