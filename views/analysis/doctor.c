/* The panes `doctor` and `drift`: findings, and entries compared with an engine's. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/session/out.h"
#include "core/sm/guid_names.h"
#include "views/analysis/check.h"
#include "views/analysis/doctor.h"
#include "views/base/view.h"

/* The pane `doctor`: findings, worst first, computed by another thread. Enter goes to the place of a finding.
 */

static const struct column doctor_columns[] = {
	COL("severity", "error, warning or note; errors first", 8),
	COL("sure", "fact (it is in the input), computed (by OpenSM's rules) or likely (a guess)", 8,
	    .drop = DROP_SPARE),
	NUM("pairs", "pairs of hosts that it costs, as far as known", 7),
	COL("kind", "the kind of fault", 17, .drop = DROP_SPARE),
	COL("finding", "what is wrong, and where; what follows from it has no row", 36, .flex = 4,
	    .prose = true),
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
		.named = q->named,
		.counted = q->counted,
		.log = q->log,
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
	q->log = session_log(sc->session);
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

/* Rows are those that follow from nothing. */
static const struct finding *finding_of(const struct view *v, uint32_t row)
{
	const struct finding *x = diagnosis_of(v)->finding;

	while (x->follows != NO_ID || row--)
		x++;
	return x;
}

static void doctor_pane_load(struct view *v)
{
	struct doctor_pane *p = v->priv;
	const struct diagnosis *d;

	view_hold(v, doctor_question(v->scene));
	p->answer = v->held ? view_ask(v, &task_doctor, v->held, NULL) : NULL;
	text_add(&v->title, "Doctor");
	d = diagnosis_of(v);
	if (p->answer && !d)
		text_add(&v->footer, "%s", p->answer->e.msg);
	if (!d)
		return;
	for (size_t i = 0; i < d->n; i++)
		v->n_rows += d->finding[i].follows == NO_ID;
	text_add(&v->title, " ── ");
	diagnosis_tell_counts(d, &v->title);
	if (d->judged->fabric->warnings.missing)
		text_add(&v->title, " ── INCOMPLETE");
}

static void doctor_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct finding *x = finding_of(v, row);
	struct subject *s = &r->about;

	row_fields(v, r, finding_fields, x);
	r->value[0] = (int64_t)row_text(r, "%s", severity_word[x->severity]);
	r->value[1] = (int64_t)row_text(r, "%s", sureness_word[x->sure]);
	r->footer = row_text(r, "%s", x->meaning);
	r->marks = mark_if(x->severity == SEVERITY_ERROR, MARK_DOWN) |
		   mark_if(x->severity == SEVERITY_WARNING, MARK_CHANGED);
	s->key = x->rule + 1;
	for (const char *c = x->text; *c; c++)
		s->key = (s->key ^ (unsigned char)*c) * 0x100000001b3u;
	if (x->port && x->node != NO_ID)
		subject_port(v, v->scene->fabric->node_port[x->node] + x->port, s);
	else if (x->node != NO_ID)
		subject_node(v, x->node, s);
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
	const struct fabric *f = v->scene->fabric;
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
		if (x->port)
			word_port(f, f->node_port[x->node] + x->port, t);
		else
			word_node(f, x->node, t);
	} else if (!strncmp(x->more, "route ", 6)) {
		text_add(t, "pane journal");
	} else {
		text_add(t, "%s", x->more);
	}
}

static bool doctor_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct diagnosis *d = diagnosis_of(v);
	const struct finding *x = finding_of(v, row);
	AUTO_TEXT struct text all = {0};

	if (strcmp(what, "finding"))
		return false;
	text_add(&all, "%s %s (%s): %s %s", severity_word[x->severity], x->kind, sureness_word[x->sure],
		 x->text, x->meaning);
	if (x->cure)
		text_add(&all, "; cure: %s", x->cure);
	if (x->detail)
		text_add(&all, "; %s", x->detail);
	for (const struct finding *f = d->finding; f < d->finding + d->n; f++)
		if ((ptrdiff_t)f->follows == x - d->finding)
			text_add(&all, "; follows: %s", f->text);
	word_text(text_str(&all), t);
	return true;
}

const struct view_ops view_doctor = {
	.name = "doctor",
	.brief = "lists every problem found, worst first; Enter goes to the place",
	.hints = "follow=go :echo=text back=back",
	COLUMNS(doctor_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct doctor_pane),
	.load = doctor_pane_load,
	.row = doctor_row,
	.placeholder = doctor_pane_placeholder,
	.follow = doctor_pane_follow,
};

/* The pane `drift`: the switches' entries compared with those that an engine computes, one row for each cause
 * of wrong entries and lost pairs.  Without an engine, another thread tries all of them, and takes the one
 * that explains the tables best. */

static const struct column drift_columns[] = {
	COL("kind",
	    "tables: they were not read; refusal: of the engine; loop: entries lead in a circle; rule: of "
	    "the "
	    "engine",
	    7),
	COL("what", "the port, cable, switch, host or engine", 12, .flex = 2),
	COL("why", "what is wrong with it", 12, .flex = 2),
	COL("last peer", "what is, or was last, at the other end", 9, .flex = 1, .drop = 1),
	NUM("entries", "entries that are not right", 7),
	NUM("pairs", "pairs that are lost by the tables held, by this cause alone", 5),
	NUM("lids", "LIDs concerned", 4, .drop = 3),
	NUM("hosts", "hosts that have these LIDs, or are cut off", 5, .drop = 2),
};

struct drift_pane {
	struct drift_view shared;
	struct cause_rows rows;
};

/* --- computed by another thread ----------------------------------------------------------------- */

static void drift_pane_free_answer(void *value)
{
	struct drift_answer *a = value;

	arena_free(a->causes);
	arena_free(a->d);
	arena_free(a->ranking);
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
	struct causes *c = NULL;
	struct drift_answer *a = NEW(struct drift_answer);

	if (d)
		c = causes_find(&(struct causes_request){.w = d->held, .d = d}, j->progress, j->e);
	*a = (struct drift_answer){d, ranking, c};
	if (c)
		return a;
	drift_pane_free_answer(a);
	return NULL;
}

const struct task task_drift = {.run = run_drift, .free = drift_pane_free_answer};

/* --- the question ------------------------------------------------------------------------------- */

/* NULL and *e when a word is wrong. */
static struct sweep_question *make_question(const struct view *v, struct err *e)
{
	struct sweep_question *q = sweep_question_new(v->scene);
	struct options *opts = options_copy(q->setup->options);
	const struct setup *now = q->setup;
	int rc = 0;

	for (int i = 0; !rc && i < v->n_words && strcmp(v->word[i], "cause") != 0; i++) {
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

int drift_open(struct view *v, const struct args *a, struct err *e)
{
	struct sweep_question *q = v->scene->fabric ? make_question(v, e) : NULL;
	bool wrong = v->scene->fabric && !q;
	struct drift_view *p = v->priv;

	p->cause = (uint32_t)args_number(a, "cause N", 0);
	sweep_question_free(q);
	return wrong ? -1 : 0;
}

/* --- both panes ---------------------------------------------------------------------------------- */

const struct drift_answer *drift_shown(const struct view *v)
{
	const struct drift_view *p = v->priv;

	return p->answer ? p->answer->value : NULL;
}

void drift_load(struct view *v)
{
	struct drift_view *p = v->priv;
	struct sweep_question *q = v->scene->fabric ? make_question(v, &p->why) : NULL;

	p->answer = view_ask_about(v, &task_drift, q, &task_sweep_question, NULL);
}

void drift_title(const struct view *v, struct text *t)
{
	const struct drift_answer *a = drift_shown(v);

	for (unsigned c = 0; a && c < DRIFT_CLASSES; c++)
		if (a->d->count[c])
			text_add(t, " ── %" PRIu64 " %s", a->d->count[c], drift_word[c]);
}

void drift_footer(const struct view *v, struct text *t)
{
	const struct drift_view *p = v->priv;
	const struct drift_answer *a = drift_shown(v);

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

/* --- the pane ------------------------------------------------------------------------------------ */

static void drift_pane_unload(struct view *v)
{
	cause_rows_free(&((struct drift_pane *)v->priv)->rows);
}

static void drift_pane_load(struct view *v)
{
	struct drift_pane *p = v->priv;
	const struct drift_answer *a;

	drift_load(v);
	text_add(&v->title, "Drift");
	a = drift_shown(v);
	if (!a)
		return;
	text_add(&v->title, " from %s", a->d->engine);
	if (a->causes->n)
		text_add(&v->title, " ── %s", PLURAL(a->causes->n, "cause"));
	drift_title(v, &v->title);
	cause_rows_load(v, &p->rows, a->causes->c, a->causes->n);
}

static void drift_row(const struct view *v, uint32_t row, struct table_row *r)
{
	cause_row(v, &((const struct drift_pane *)v->priv)->rows, row, r);
}

/* To its entries; where none is wrong, to its place. */
static void drift_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	if (!drift_shown(v)->causes->c[row].entries) {
		view_fill(v, row, "pane ports %node", t);
		return;
	}
	text_add(t, "pane entries");
	for (int i = 0; i < v->n_words; i++) {
		text_add(t, " ");
		word_text(v->word[i], t);
	}
	text_add(t, " cause %u", row + 1);
}

const struct view_ops view_drift = {
	.name = "drift",
	.brief =
		"compares the tables in the switches with those that an engine computes: why entries are not "
		"right, and "
		"pairs lost; Enter lists the entries",
	.syntax = DRIFT_SYNTAX,
	.hints = "follow=entries back=back",
	COLUMNS(drift_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct drift_pane),
	.priv_kept = offsetof(struct drift_pane, shared.answer),
	.open = drift_open,
	.footer = drift_footer,
	.load = drift_pane_load,
	.unload = drift_pane_unload,
	.row = drift_row,
	.follow = drift_pane_follow,
};
