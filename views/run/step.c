/*
 * The pane `step`: the steps of a run, one row each. Below the current step stands what it changed. Without a
 * walk: how to begin one.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/lesson.h"
#include "core/session/replay.h"
#include "core/trace/walk.h"
#include "views/base/view.h"

#define COLUMNS_BATCH 76
#define COLUMNS_LEAST 16
#define ROWS_ABOVE 2  /* rows that stay visible above the current step */
#define CHANGES 8     /* listed changes */
#define SLOW_FRAMES 2 /* per second: in a faster walk, candidates would come too late */

enum { C_STEP, C_WHAT };

static const struct column columns[] = {
	NUM("step", "number of the step", 4),
	COL("what happens", "what the engine does in the step, and why", COLUMNS_LEAST, .flex = 1,
	    .prose = true),
};
static_assert(ARRAY_LEN(columns) == C_WHAT + 1, "a column for each C_");

/* A row of text: more about the current step, or how to begin. */
struct step_pane_line {
	char *text, *follow; /* a command, NULL = none */
};

struct step_pane {
	const struct moment *at;     /* reference; NULL = no walk through a run */
	const struct recording *rec; /* of the last walk; reference */
	struct walk *walk;	     /* the pane's own, for sentences of other steps; NULL: memory is short */
	uint32_t *shown;	     /* [n] the steps with a row, as requested; NULL: all */
	uint32_t n;		     /* rows of steps; row 0 is step 0, before the first step */
	uint32_t here;		     /* row of the current step, or of the last one before it */
	char *first;		     /* the first line of its sentence */
	struct step_pane_line *line; /* the rows after it */
	uint32_t n_lines, cap_lines;
	unsigned columns; /* length of rows; 0 = not drawn yet */
};

/* --- candidates of the choice, computed by another thread ---------------------------------------------- */

struct question {
	const struct recording *rec; /* reference */
	const struct engine *const *engines;
};

static void step_pane_free_question(void *value)
{
	struct question *q = value;

	recording_unref(q->rec);
	free(q);
}

static bool step_pane_same_question(const void *was, const void *value)
{
	return ((const struct question *)was)->rec == ((const struct question *)value)->rec;
}

FREED_BY(free_answer, step_about_free)

static void *run_about(const struct job *j)
{
	const struct question *q = j->base;
	struct err e;

	return step_about(q->rec, j->arg[0], q->engines, j->progress, &e);
}

static const struct task task_about = {.run = run_about, .free = free_answer};
static const struct task task_question = {.free = step_pane_free_question, .same = step_pane_same_question};

/* NULL: missing, or there are none. */
static const struct step_about *step_pane_ask_about(struct view *v)
{
	struct step_pane *p = v->priv;
	const struct session *s = v->scene->session;
	const struct rec_event *ev = moment_event(p->at);
	int pace = session_playing(s);
	struct question *q;
	const struct result *r;
	uint32_t arg[TASK_ARGS] = {(uint32_t)p->at->step};

	if (!ev ||
	    (ev->kind != REC_CHOICE && ev->kind != REC_SETTLE && rec_kinds[ev->kind].a != FIELD_PAIR) ||
	    (pace >= 0 && play_paces[pace].frames > SLOW_FRAMES))
		return NULL;
	q = NEW(struct question);
	*q = (struct question){recording_ref(p->rec), s->engines};
	r = view_ask_about(v, &task_about, q, &task_question, arg);
	return r ? r->value : NULL;
}

/* --- rows ------------------------------------------------------------------------------------------- */

static bool step_pane_is_line(const struct step_pane *p, uint32_t row)
{
	return !p->at || (row > p->here && row <= p->here + p->n_lines);
}

static const struct step_pane_line *step_pane_line_of(const struct step_pane *p, uint32_t row)
{
	assert(p->at ? step_pane_is_line(p, row) : row < p->n_lines);
	return &p->line[p->at ? row - p->here - 1 : row];
}

/* The step of a row. Lines of text belong to the step above them. */
static size_t step_pane_number_of(const struct step_pane *p, uint32_t row)
{
	if (step_pane_is_line(p, row))
		return p->at ? p->at->step : 0;
	if (row > p->here)
		row -= p->n_lines;
	return p->shown ? p->shown[row] : row;
}

/* The last row whose step is not after this one. */
static uint32_t row_of_step(const struct step_pane *p, size_t step)
{
	uint32_t lo = 0, hi = p->n;

	if (!p->shown)
		return (uint32_t)step;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->shown[mid] <= step)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static const struct rec_event *step_pane_event_of(const struct step_pane *p, uint32_t row)
{
	size_t step = p->at ? step_pane_number_of(p, row) : 0;

	return step ? recording_event(p->rec, step) : NULL;
}

static void clear_lines(struct step_pane *p)
{
	while (p->n_lines) {
		free(p->line[--p->n_lines].text);
		free(p->line[p->n_lines].follow);
	}
	free(p->first);
	p->first = NULL;
}

static void forget_recording(struct step_pane *p)
{
	walk_free(p->walk);
	recording_unref(p->rec);
	free(p->shown);
	p->walk = NULL;
	p->rec = NULL;
	p->shown = NULL;
	p->n = p->here = 0;
}

static void step_pane_close_view(struct view *v)
{
	struct step_pane *p = v->priv;

	clear_lines(p);
	forget_recording(p);
	moment_unref(p->at);
	p->at = NULL;
	free(p->line);
	p->line = NULL;
	p->cap_lines = 0;
}

/* Leaves out steps that are not about what was requested. */
static void choose_steps(struct step_pane *p)
{
	uint32_t n = (uint32_t)recording_steps(p->rec), out = 0;

	for (uint32_t i = 1; i <= n; i++)
		out += !recording_in_focus(p->rec, i);
	p->n = n + 1 - out;
	if (!out)
		return;
	p->shown = NEW_ARRAY(p->n, uint32_t);
	for (uint32_t i = 1, k = 1; i <= n; i++)
		if (recording_in_focus(p->rec, i))
			p->shown[k++] = i;
}

static void take_recording(struct step_pane *p, const struct recording *r)
{
	struct err e;

	if (p->rec == r)
		return;
	forget_recording(p);
	p->rec = recording_ref(r);
	choose_steps(p);
	if (!mem_room(&e, walk_room(r), "sentences of steps"))
		p->walk = walk_new(r);
}

static void step_pane_sentence(const struct step_pane *p, size_t step, struct text *t)
{
	assert(p->rec && step <= recording_steps(p->rec));

	const struct rec_event *ev;

	if (!step) {
		text_add(t, "before the first step");
		return;
	}
	ev = recording_event(p->rec, step);
	if (ev->kind == REC_PHASE)
		text_add(t, "== ");
	if (step == p->at->step)
		text_add(t, "%s", p->at->sentence);
	else if (p->walk && !walk_to(p->walk, step, NULL))
		walk_sentence(p->walk, t);
	else
		text_add(t, "%s", rec_kinds[ev->kind].name);
}

/* --- lines of text -------------------------------------------------------------------------------------- */

/* Adds a text as lines. All but the first begin with blanks in place of `first`. */
static void step_pane_add(struct step_pane *p, const char *first, const char *text, const char *follow)
{
	unsigned number = p->at ? (unsigned)digits(recording_steps(p->rec), 4) + 1 : 0;
	unsigned room = p->columns ? p->columns : COLUMNS_BATCH;
	AUTO_FREE char *other = str_printf("%*s", (int)strlen(first), "");
	AUTO_TEXT struct text t = {0};
	char *save = NULL;

	room = room > number + COLUMNS_LEAST ? room - number : COLUMNS_LEAST;
	wrap_text(&t, text, room, first, other);
	for (char *s = t.s ? strtok_r(t.s, "\n", &save) : NULL; s; s = strtok_r(NULL, "\n", &save)) {
		GROW(p->line, p->n_lines, p->cap_lines);
		p->line[p->n_lines++] = (struct step_pane_line){str_dup(s), follow ? str_dup(follow) : NULL};
	}
}

/* Adds the sentence. Its first line stands in the row of its step. */
static void add_sentence(struct step_pane *p)
{
	AUTO_TEXT struct text t = {0};

	step_pane_sentence(p, p->at->step, &t);
	step_pane_add(p, "", text_str(&t), NULL);
	if (!p->n_lines || step_pane_number_of(p, p->here) != p->at->step)
		return;
	p->first = p->line[0].text;
	free(p->line[0].follow);
	memmove(p->line, p->line + 1, --p->n_lines * sizeof(*p->line));
}

/* Lists the cells that the step changes. */
static void add_changes(struct step_pane *p)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;
	AUTO_TEXT struct text t = {0};

	while (recording_next_delta(p->rec, p->at->step, &cursor, &d)) {
		if (++n > CHANGES)
			continue;
		text_clear(&t);
		recording_cell(p->rec, d.table, d.at, &t);
		text_add(&t, ": ");
		recording_value(p->rec, d.table, d.at, d.now, &t);
		text_add(&t, ", was ");
		recording_value(p->rec, d.table, d.at, d.was, &t);
		step_pane_add(p, "+ ", text_str(&t), NULL);
	}
	if (n > CHANGES)
		step_pane_add(p, "+ ", PLURAL(n - CHANGES, "more change"), NULL);
}

static void add_candidate(struct step_pane *p, const struct step_about *a, const struct about_candidate *c)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "port %u", c->port);
	if (c->from)
		text_add(&t, " of %s", c->from);
	if (*c->to)
		text_add(&t, " to %s", c->to);
	for (unsigned q = 0, n = 0; q < a->n_quantities; q++)
		if (c->q[q] != INT64_MIN)
			text_add(&t, "%s %s %" PRId64, n++ ? "," : ":", a->quantity[q], c->q[q]);
	step_pane_add(p, c->taken ? "> " : "  ", text_str(&t), NULL);
}

static void add_candidates(struct step_pane *p, const struct step_about *a)
{
	if (!a || !a->asked)
		return;
	step_pane_add(p, "", a->asked, NULL);
	for (size_t i = 0; i < a->n_candidates; i++)
		add_candidate(p, a, &a->candidate[i]);
	if (!a->told)
		return;

	AUTO_FREE char *told = str_dup(a->told);
	char *save = NULL;

	for (char *s = strtok_r(told, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
		step_pane_add(p, "  ", s + strspn(s, " "), NULL);
}

static void step_pane_add_line(struct view *v)
{
	struct step_pane *p = v->priv;
	const struct rec_event *ev = moment_event(p->at);

	p->here = row_of_step(p, p->at->step);
	add_sentence(p);
	if (!ev)
		return;
	add_changes(p);
	add_candidates(p, step_pane_ask_about(v));
	if (*recording_rule(p->rec, ev))
		step_pane_add(p, "rule: ", recording_rule(p->rec, ev), NULL);
	if (*recording_source(p->rec, ev))
		step_pane_add(p, "see ", recording_source(p->rec, ev), NULL);
}

/* Adds an engine whose run can be shown: the one in force, or one that refused before it. */
static void add_start(struct step_pane *p, const struct scene *sc, const char *engine, const char *what)
{
	AUTO_FREE char *command = str_printf("step start %s", engine),
		       *text = str_printf("%s: %s", command, what);

	if (recording_possible(sc->real, engine, sc->session->engines))
		step_pane_add(p, "> ", text, command);
}

static void add_beginning(struct step_pane *p, const struct scene *sc)
{
	const struct sweep *w = sc->real;
	const char *engine = w && w->routing ? w->routing->engine : NULL;

	if (!w)
		return;
	step_pane_add(p, "", "No walk through a run yet.", NULL);
	if (engine && recording_possible(w, NULL, sc->session->engines)) {
		add_start(p, sc, engine, "the run that made these tables");
	} else if (engine) {
		AUTO_FREE char *s = str_printf(
			"The run of %s cannot be walked through; the command `step` tells it as text.",
			engine);

		step_pane_add(p, "", s, "step");
	}
	for (size_t i = 0; i < w->n_refusals; i++)
		add_start(p, sc, w->refusal[i].engine, "its run up to its refusal");
	step_pane_add(
		p, "  ",
		"`step start SWITCH`, `step start SWITCH DST`, `step start pair A B`, `step start lid DST`: "
		"steps about these only.",
		NULL);
}

/* --- the pane ----------------------------------------------------------------------------------------- */

static void step_pane_load(struct view *v)
{
	const struct moment *at = v->scene->moment;
	struct step_pane *p = v->priv;
	bool moved = at && (!p->at || p->at->rec != at->rec || p->at->step != at->step);

	if (at)
		moment_ref(at);
	clear_lines(p);
	moment_unref(p->at);
	p->at = at;
	if (at) {
		take_recording(p, at->rec);
		step_pane_add_line(v);
	} else {
		forget_recording(p);
		add_beginning(p, v->scene);
	}
	v->n_rows = p->n + p->n_lines;
	v->width[C_STEP] = at ? (uint8_t)digits(recording_steps(p->rec), 4) : 0;
	if (!moved)
		return;
	v->select = p->here;
	v->top = p->here > ROWS_ABOVE ? p->here - ROWS_ABOVE : 0;
}

/* Full sentences are wrapped to the width of the pane. */
static bool step_pane_fit(struct view *v, unsigned room)
{
	struct step_pane *p = v->priv;
	unsigned want = MAX(room, COLUMNS_LEAST);

	if (p->columns == want)
		return false;
	p->columns = want;
	return true;
}

static void step_pane_title(const struct view *v, struct text *t)
{
	const struct step_pane *p = v->priv;
	const struct moment *at = p->at;
	int pace = session_playing(v->scene->session);
	const char *order = at ? recording_scheme_of(at->rec)->scheme->order : NULL;

	if (!at) {
		text_add(t, "Step ── no run yet");
		return;
	}
	text_add(t, "Step %zu/%zu", at->step, recording_steps(at->rec));
	if (pace >= 0)
		text_add(t, " plays, %s", play_paces[pace].told);
	text_add(t, ", %s", recording_engine(at->rec));
	if (*at->phase)
		text_add(t, ": %s", at->phase);
	if (order)
		text_add(t, " ── %s", order);
}

static void step_pane_footer(const struct view *v, struct text *t)
{
	const struct step_pane *p = v->priv;
	const char *order = p->at ? recording_scheme_of(p->rec)->scheme->order : NULL;

	if (p->at && *recording_part(p->rec))
		text_add(t, "recorded: %s", recording_part(p->rec));
	else if (order) /* titles of narrow panes are cut */
		text_add(t, "%s", order);
}

static void step_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct step_pane *p = v->priv;

	if (step_pane_is_line(p, row)) {
		if (col == C_WHAT)
			text_add(t, "%s", step_pane_line_of(p, row)->text);
	} else if (col == C_STEP) {
		text_add(t, "%zu", step_pane_number_of(p, row));
	} else if (row == p->here && p->first) {
		text_add(t, "%s", p->first);
	} else {
		step_pane_sentence(p, step_pane_number_of(p, row), t);
	}
}

static int64_t step_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	(void)col;
	return (int64_t)step_pane_number_of(v->priv, row);
}

static unsigned step_pane_marks(const struct view *v, uint32_t row)
{
	const struct step_pane *p = v->priv;

	return p->at && row == p->here ? MARK_HERE : 0;
}

/* --- the object of a step ---------------------------------------------------------------------- */

/* The object of a step, as ids; NO_ID and 0 mean none. */
struct step_pane_about {
	uint32_t sw, sw2; /* a pair of switches, or one switch */
	uint32_t target;
	uint32_t port;
	unsigned lid;
	int layer; /* -1 = none */
};

static struct step_pane_about about_of(const struct step_pane *p, const struct rec_event *ev)
{
	const struct fabric *f = recording_sweep(p->rec)->fabric;
	struct step_pane_about a = {NO_ID, NO_ID, NO_ID, NO_ID, 0, -1};
	const struct rec_kind_info *k = &rec_kinds[ev->kind];

	assert(k->a != FIELD_PAIR || ev->a / f->n_switches < f->n_switches);
	if (k->a == FIELD_SWITCH && ev->a < f->n_switches)
		a.sw = ev->a;
	if (k->a == FIELD_PAIR) {
		a.sw = ev->a / f->n_switches;
		a.sw2 = ev->a % f->n_switches;
	}
	if (k->b == FIELD_TARGET && ev->b < f->n_switches)
		a.target = ev->b;
	if (k->b == FIELD_LID)
		a.lid = ev->b;
	if (k->b == FIELD_LAYER)
		a.layer = (int)ev->b;
	if (k->port && a.sw != NO_ID && ev->port && ev->port <= f->node_nports[f->switch_node[a.sw]])
		a.port = switch_port_id(f, a.sw, ev->port);
	return a;
}

static void add_switch(const struct step_pane *p, uint32_t sw, struct text *t)
{
	const struct fabric *f = recording_sweep(p->rec)->fabric;

	word_node(f, f->switch_node[sw], t);
}

/* Adds the words of the `why` that explains the same. */
static bool add_why(const struct step_pane *p, const struct step_pane_about *a, struct text *t)
{
	if (a->sw2 != NO_ID) {
		word_on_switch(recording_sweep(p->rec)->topo, a->sw, t);
		text_putc(t, ' ');
		word_on_switch(recording_sweep(p->rec)->topo, a->sw2, t);
		return true;
	}
	if (a->sw == NO_ID || (!a->lid && a->target == NO_ID))
		return false;
	add_switch(p, a->sw, t);
	text_putc(t, ' ');
	if (a->lid)
		text_add(t, "%u", a->lid);
	else
		add_switch(p, a->target, t);
	return true;
}

static bool step_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct step_pane *p = v->priv;
	const struct rec_event *ev = step_pane_event_of(p, row);
	const struct fabric *f = v->scene->fabric;
	struct step_pane_about a;

	s->key =
		step_pane_is_line(p, row) ? (uint64_t)1 << 32 | (row - p->here) : step_pane_number_of(p, row);
	if (!ev)
		return false;
	a = about_of(p, ev);
	if (a.port != NO_ID)
		subject_port(v, a.port, s);
	else if (a.sw != NO_ID)
		subject_node(v, f->switch_node[a.sw], s);
	if (a.lid)
		subject_to(a.lid, s);
	else if (a.target != NO_ID)
		s->dst = (struct end){END_NODE, f->switch_node[a.target]};
	if (a.sw2 != NO_ID) {
		s->src = (struct end){END_NODE, f->switch_node[a.sw]};
		s->dst = (struct end){END_NODE, f->switch_node[a.sw2]};
	}
	s->layer = a.layer;
	return true;
}

static bool step_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct step_pane *p = v->priv;
	const struct rec_event *ev = step_pane_event_of(p, row);
	struct step_pane_about a;

	if (!ev)
		return false;
	if (!strcmp(what, "step")) {
		text_add(t, "%zu", step_pane_number_of(p, row));
		return true;
	}
	if (strcmp(what, "why"))
		return false;
	a = about_of(p, ev);
	return add_why(p, &a, t);
}

/*
 * The panes that show what a step did, and what they are about. For other kinds of steps, the table of the
 * switch is shown.
 */
enum pane_about { OF_SWITCH, OF_LAYER, OF_ALL };

static const struct {
	const char *pane;
	enum rec_kind kind;
	enum pane_about about;
} shown_by[] = {
	{"hops", REC_LEARN, OF_SWITCH},	     {"hops", REC_COPY, OF_SWITCH},
	{"hops", REC_VISIT, OF_SWITCH},	     {"hops", REC_FORBID, OF_SWITCH},
	{"hops", REC_PRICE, OF_SWITCH},	     {"hops", REC_ERASE, OF_SWITCH},
	{"bars", REC_VERDICT, OF_SWITCH},    {"ranks", REC_RANK, OF_ALL},
	{"layer-pairs", REC_TRY, OF_LAYER},  {"layer-pairs", REC_ACCEPT, OF_LAYER},
	{"cycle", REC_REFUSE, OF_ALL},	     {"layers", REC_OPEN, OF_ALL},
	{"layer-pairs", REC_TURN, OF_LAYER}, {"mesh", REC_MEASURE, OF_ALL},
	{"mesh", REC_CLASS, OF_ALL},	     {"mesh", REC_AXIS, OF_ALL},
	{"mesh", REC_COORD, OF_ALL},	     {"groups", REC_CLIMB, OF_SWITCH},
	{"groups", REC_SPREAD, OF_SWITCH},   {"groups", REC_SORT, OF_SWITCH},
	{"groups", REC_GROUP, OF_SWITCH},    {"tree", REC_TUPLE, OF_ALL},
	{"tree", REC_PURE, OF_ALL},	     {"weights", REC_WEIGHTS, OF_ALL},
	{"layers", REC_PATHS, OF_ALL},	     {"cycle", REC_BREAK, OF_ALL},
	{"cycle", REC_CYCLE, OF_ALL},	     {"layer-pairs", REC_MOVE, OF_LAYER},
	{"layers", REC_SEARCH, OF_ALL},	     {"layers", REC_SPLIT, OF_ALL},
	{"layers", REC_SHIFT, OF_ALL},	     {"nue-layers", REC_HULL, OF_ALL},
	{"nue-layers", REC_CENTRE, OF_ALL},  {"escape", REC_ESCAPE, OF_LAYER},
	{"cycle", REC_BLOCK, OF_ALL},	     {"cycle", REC_BACKTRACK, OF_ALL},
};

static void follow_step(const struct step_pane *p, const struct rec_event *ev, struct text *t)
{
	struct step_pane_about a = about_of(p, ev);

	for (size_t i = 0; i < ARRAY_LEN(shown_by); i++) {
		enum pane_about of = shown_by[i].about;

		if (shown_by[i].kind != ev->kind || (of == OF_SWITCH && a.sw == NO_ID))
			continue;
		text_add(t, "pane %s", shown_by[i].pane);
		if (of == OF_LAYER)
			text_add(t, " %d", a.layer);
		if (of == OF_SWITCH) {
			text_putc(t, ' ');
			add_switch(p, a.sw, t);
		}
		return;
	}
	if (a.sw == NO_ID)
		return;
	text_add(t, "pane lft ");
	add_switch(p, a.sw, t);
	if (a.lid)
		text_add(t, "; search lid:/^%u$/", a.lid);
}

/* Enter on another step goes to it. On the current step it shows what the step touched. */
static void step_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct step_pane *p = v->priv;
	const struct rec_event *ev = step_pane_event_of(p, row);

	if (step_pane_is_line(p, row) && step_pane_line_of(p, row)->follow)
		text_add(t, "%s", step_pane_line_of(p, row)->follow);
	else if (p->at && !step_pane_is_line(p, row) && row != p->here)
		text_add(t, "step to %zu", step_pane_number_of(p, row));
	else if (ev)
		follow_step(p, ev, t);
}

const struct view_ops view_step = {
	.name = "step",
	.brief = "walks through the run of an engine: each step, what happens and why; without a run it "
		 "tells how to begin",
	.hints = ":step_1=next :step_back_1=back :step_next_round=round :step_next_switch=switch "
		 "prompt_step_until=until :step_pause=play :step_end=end",
	COLUMNS(columns),
	.flags = VIEW_BESIDE,
	.priv_size = sizeof(struct step_pane),
	.priv_kept = sizeof(struct step_pane),
	.load = step_pane_load,
	.fit = step_pane_fit,
	.title = step_pane_title,
	.footer = step_pane_footer,
	.cell = step_pane_cell,
	.number = step_pane_number,
	.marks = step_pane_marks,
	.about = step_pane_about,
	.placeholder = step_pane_placeholder,
	.follow = step_pane_follow,
	.close = step_pane_close_view,
};
