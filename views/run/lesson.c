/* The panes `lesson`, `journal` and `open`. */
#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/formats/readers.h"
#include "core/session/command.h"
#include "core/session/lesson.h"
#include "core/session/out.h"
#include "views/base/view.h"

/* The pane `journal`: the events made to the fabric. Enter goes to one. */

enum { C_NUMBER, C_EVENT, C_ENGINE, C_ENTRIES, C_REROUTED, C_LOST, C_REGAINED, C_MS, C_TIME };

static const struct column columns[] = {
	NUM("event", "its number; `journal N` goes there", 0),
	COL("what", "the command, as it can be typed again", 12, .flex = 1),
	COL("engine", "the engine that routed after it", 8, .drop = 4),
	NUM("entries", "table entries that it changed", 0, .drop = 2, .meter = 12),
	NUM("rerouted", "pairs of hosts that had a path and take another one", 0, .was = "pairs", .drop = 3),
	NUM("lost", "pairs of hosts that lost their path", 0),
	NUM("regained", "pairs of hosts that had no path and have one now", 0, .drop = 4),
	NUM("ms", "milliseconds of the sweep", 8, .drop = 5, .timing = true),
	COL("time", "when it came into the journal, UTC", 20, .drop = 1, .timing = true),
};
static_assert(ARRAY_LEN(columns) == C_TIME + 1, "a column for each C_");

struct journal_pane {
	uint64_t most; /* most entries that one event changed */
};

static void journal_pane_load(struct view *v)
{
	struct journal_pane *p = v->priv;

	v->n_rows = v->scene->fabric ? (uint32_t)v->scene->n_events : 0;
	for (uint32_t i = 0; i < v->n_rows; i++) {
		const struct comparison *c = v->scene->session->event[i].change;

		p->most = c && c->entries_changed > p->most ? c->entries_changed : p->most;
	}
	v->select = v->n_rows ? (int64_t)v->scene->at : -1;
}

static const struct event *journal_pane_event_of(const struct view *v, uint32_t row)
{
	assert(row < v->scene->session->n_events);
	return &v->scene->session->event[row];
}

static void journal_pane_title(const struct view *v, struct text *t)
{
	text_add(t, "Journal");
	if (v->n_rows)
		text_add(t, " ── at event %zu of %zu", v->scene->at, v->scene->n_events - 1);
}

static int64_t journal_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct event *ev = journal_pane_event_of(v, row);

	if (ev->kind == EVENT_SCOPE && col != C_NUMBER)
		return -1;
	switch (col) {
	case C_NUMBER:
		return row;
	case C_ENTRIES:
		return ev->change ? (int64_t)ev->change->entries_changed : -1;
	case C_REROUTED:
		return ev->change ? (int64_t)ev->change->rerouted : -1;
	case C_LOST:
		return ev->change ? (int64_t)ev->change->lost : -1;
	case C_REGAINED:
		return ev->change ? (int64_t)ev->change->regained : -1;
	case C_MS:
		return ev->sweep ? (int64_t)(ev->sweep->seconds * 1e6) : -1;
	}
	return 0;
}

static void journal_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct event *ev = journal_pane_event_of(v, row);
	int64_t n = journal_pane_number(v, row, col);
	char at[OUT_UTC];

	if (col == C_EVENT)
		text_add(t, "%s", ev->text ? ev->text : "");
	else if (col == C_TIME)
		text_add(t, "%s", out_utc(ev->time, at));
	else if (col == C_ENGINE)
		text_add(t, "%s", ev->sweep && ev->sweep->routing ? ev->sweep->routing->engine : "-");
	else if (n < 0)
		text_putc(t, '-');
	else if (col == C_MS)
		text_add(t, "%.1f", (double)n / 1e3);
	else
		text_add(t, "%" PRId64, n);
}

/* Events that lost pairs are heavy. */
static bool journal_pane_meter(const struct view *v, uint32_t row, unsigned col, struct meter *m)
{
	const struct comparison *c = journal_pane_event_of(v, row)->change;
	uint64_t most = ((struct journal_pane *)v->priv)->most;

	(void)col;
	if (!c || !c->entries_changed)
		return false;
	*m = (struct meter){(double)c->entries_changed / (double)most, c->lost ? 4 : 2};
	return true;
}

static unsigned journal_pane_marks(const struct view *v, uint32_t row)
{
	return row == v->scene->at ? MARK_HERE : 0;
}

static void journal_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	if (row != v->scene->at)
		text_add(t, "journal %u", row);
}

const struct view_ops view_journal = {
	.name = "journal",
	.brief = "lists the events, and what each changed; Enter undoes or redoes up to the selected one",
	.hints = "follow=go :undo=undo :redo=redo",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct journal_pane),
	.load = journal_pane_load,
	.title = journal_pane_title,
	.cell = journal_pane_cell,
	.number = journal_pane_number,
	.marks = journal_pane_marks,
	.follow = journal_pane_follow,
	.meter = journal_pane_meter,
};

/* The pane `lesson`: the current step of a lesson; without a lesson, the list of lessons. */

#define COLUMNS_BATCH 76
#define COLUMNS_LEAST 16

static const struct column lesson_columns[] = {
	COL("lesson", "text of the lesson, its commands and its questions", COLUMNS_LEAST, .flex = 1,
	    .prose = true),
};

/* What Enter does on a line. */
enum line_kind { LINE_TEXT, LINE_RUN, LINE_LOOK, LINE_LESSON };

struct lesson_pane_line {
	char *text;
	enum line_kind kind;
	char *what; /* commands, a pane or a lesson; NULL for text */
};

struct lesson_pane {
	const struct lesson_place *at; /* reference; NULL = no lesson is played */
	struct lesson_pane_line *line; /* [n_rows] */
	size_t n, cap;
	unsigned columns; /* length of lines; 0 = not drawn yet */
};

static void lesson_pane_clear(struct lesson_pane *p)
{
	while (p->n) {
		free(p->line[--p->n].text);
		free(p->line[p->n].what);
	}
	lesson_place_unref(p->at);
	p->at = NULL;
}

static void lesson_pane_close_view(struct view *v)
{
	struct lesson_pane *p = v->priv;

	lesson_pane_clear(p);
	free(p->line);
	p->line = NULL;
	p->cap = 0;
}

/* Adds a text as lines. All but the first line begin with as many blanks as `first` has characters. */
static void lesson_pane_add(struct lesson_pane *p, enum line_kind kind, const char *first, const char *text,
			    const char *what)
{
	AUTO_TEXT struct text t = {0};
	AUTO_FREE char *other = str_printf("%*s", (int)strlen(first), "");
	char *save = NULL;

	wrap_text(&t, text, p->columns ? p->columns : COLUMNS_BATCH, first, other);
	for (char *s = strtok_r(t.s, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
		GROW(p->line, p->n, p->cap);
		p->line[p->n++] = (struct lesson_pane_line){str_dup(s), kind, what ? str_dup(what) : NULL};
	}
}

static void add_question(struct lesson_pane *p, const struct lesson_step *s)
{
	if (!s->ask)
		return;
	lesson_pane_add(p, LINE_TEXT, "? ", s->ask, NULL);
	if (!p->at->answered) {
		lesson_pane_add(p, LINE_TEXT, "  ",
				lesson_judges(s) ? "(`lesson answer TEXT` judges yours; Enter: the answer)"
						 : "(Enter: the answer)",
				NULL);
		return;
	}
	lesson_pane_add(p, LINE_TEXT, "= ", s->answer, NULL);
	for (size_t i = 0; i < s->n_run; i++)
		if (s->run[i].when == WHEN_CHECKED)
			lesson_pane_add(p, LINE_RUN, "  shown by: ", s->run[i].command, s->run[i].command);
}

static void lesson_pane_add_step(struct lesson_pane *p)
{
	assert(p->at && p->at->step < p->at->lesson->n);

	const struct lesson_step *s = &p->at->lesson->step[p->at->step];

	lesson_pane_add(p, LINE_TEXT, "", s->text, NULL);
	for (size_t i = 0; i < s->n_run; i++)
		if (s->run[i].when == WHEN_PLAYED)
			lesson_pane_add(p, LINE_RUN, "> ", s->run[i].command, s->run[i].command);
	for (size_t i = 0; i < s->n_look; i++)
		lesson_pane_add(p, LINE_LOOK, "look: ", s->look[i].pane, s->look[i].pane);
	add_question(p, s);
}

static void lesson_pane_add_lessons(struct lesson_pane *p)
{
	AUTO_TEXT struct text broken = {0};
	unsigned n_broken = 0;
	struct lesson **all = lessons_all(&broken, &n_broken);

	for (size_t i = 0; all[i]; i++) {
		AUTO_FREE char *name = str_printf("%-10s ", all[i]->name);

		lesson_pane_add(p, LINE_LESSON, name, all[i]->title, all[i]->name);
	}
	lessons_free(all);
	if (n_broken)
		lesson_pane_add(p, LINE_TEXT, "Cannot be read: ", text_str(&broken), NULL);
}

static void lesson_pane_load(struct view *v)
{
	const struct lesson_place *at = v->scene->session->lesson;
	struct lesson_pane *p = v->priv;
	bool same = p->at && at && p->at->step == at->step && !strcmp(p->at->lesson->name, at->lesson->name);
	bool answer = same && at->answered && !p->at->answered;

	if (at)
		lesson_place_ref(at);
	lesson_pane_clear(p);
	p->at = at;
	if (at)
		lesson_pane_add_step(p);
	else
		lesson_pane_add_lessons(p);
	v->n_rows = (uint32_t)p->n;
	if (answer) /* makes the answer visible, however long the text is */
		v->select = (int64_t)p->n - 1;
	else if (!same)
		v->select = 0;
}

/* Running text is wrapped to the width of the pane. */
static bool lesson_pane_fit(struct view *v, unsigned room)
{
	struct lesson_pane *p = v->priv;
	unsigned want = MAX(room, COLUMNS_LEAST);

	if (p->columns == want)
		return false;
	p->columns = want;
	return true;
}

static void lesson_pane_title(const struct view *v, struct text *t)
{
	const struct lesson_place *at = ((const struct lesson_pane *)v->priv)->at;

	if (at)
		text_add(t, "Lesson %s %zu/%zu ── %s", at->lesson->name, at->step + 1, at->lesson->n,
			 at->lesson->title);
	else
		text_add(t, "Lessons ── Enter plays one");
}

static void lesson_pane_footer(const struct view *v, struct text *t)
{
	const struct lesson_place *at = ((const struct lesson_pane *)v->priv)->at;

	if (!at)
		return;
	if (at->generation != v->scene->session->generation)
		text_add(t, "the fabric has changed since then; r plays the step again");
	else if (at->step + 1 == at->lesson->n)
		text_add(t, "the last step");
}

static void lesson_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	(void)col;
	text_add(t, "%s", ((const struct lesson_pane *)v->priv)->line[row].text);
}

static void lesson_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct lesson_pane *p = v->priv;
	const struct lesson_pane_line *l = &p->line[row];

	switch (l->kind) {
	case LINE_RUN:
		text_add(t, "%s", l->what);
		break;
	case LINE_LOOK:
		text_add(t, "pane %s", l->what);
		break;
	case LINE_LESSON:
		text_add(t, "lesson %s", l->what);
		break;
	case LINE_TEXT:
		if (p->at->lesson->step[p->at->step].ask && !p->at->answered)
			text_add(t, "lesson answer");
		break;
	}
}

const struct view_ops view_lesson = {
	.name = "lesson",
	.brief = "plays a lesson step by step: text, commands, panes to look at, question; without one it "
		 "lists the lessons",
	.hints = "follow=answer :lesson_next=next :lesson_back=back :lesson_again=again",
	COLUMNS(lesson_columns),
	.flags = VIEW_TIMELESS | VIEW_BESIDE,
	.priv_size = sizeof(struct lesson_pane),
	.priv_kept = sizeof(struct lesson_pane),
	.load = lesson_pane_load,
	.fit = lesson_pane_fit,
	.title = lesson_pane_title,
	.footer = lesson_pane_footer,
	.cell = lesson_pane_cell,
	.follow = lesson_pane_follow,
	.close = lesson_pane_close_view,
};

/* The pane `open`: files and folders to choose from.  What is typed is a path; it chooses among those that
 * begin so, and Tab completes it.  Another thread reads what is selected and says what it is. */

enum { C_NAME, C_SIZE };

static const struct column open_columns[] = {
	COL("name", "the file, or the folder (with /)", 20, .flex = 1),
	NUM("size", "its size in KiB", 8),
};
static_assert(ARRAY_LEN(open_columns) == C_SIZE + 1, "a column for each C_");

#define ENTRIES_MOST 10000

struct entry {
	char *name;
	bool folder;
	int64_t size; /* bytes */
};

struct open_pane {
	struct entry *entry; /* [n_rows] */
	size_t n, cap;
	char *folder; /* the part of what is typed up to the last '/', "" = where the program runs */
};

static void open_pane_unload(struct view *v)
{
	struct open_pane *p = v->priv;

	for (size_t i = 0; i < p->n; i++)
		free(p->entry[i].name);
	free(p->entry);
	free(p->folder);
}

/* --- what a file is: computed by another thread ------------------------------------------ */

struct file_question {
	char *path;
	int64_t size, time; /* another content is another question */
};

static void open_pane_free_question(void *value)
{
	struct file_question *q = value;

	free(q->path);
	free(q);
}

static bool open_pane_same_question(const void *was, const void *value)
{
	const struct file_question *a = was, *b = value;

	return !strcmp(a->path, b->path) && a->size == b->size && a->time == b->time;
}

static const struct task task_question = {.free = open_pane_free_question, .same = open_pane_same_question};

/* "ibnetdiscover: 48 switches, 64 hosts, 192 links; no tables" */
static void *open_pane_tell_file(const struct job *j)
{
	const struct file_question *q = j->base;
	AUTO_FABRIC struct fabric *f = NULL;
	struct text t = {0};

	if (fabric_load(q->path, &f, j->progress, j->e))
		return NULL;
	text_add(&t, "%s%s: %s, %s, %s; %s", f->warnings.missing ? "INCOMPLETE " : "", f->format,
		 PLURAL(f->n_switches, "switch"), PLURAL(f->n_nodes - f->n_switches, "host"),
		 PLURAL(f->n_links, "link"), f->switch_tables ? "with tables" : "no tables");
	return t.s;
}

static const struct task task_tell_file = {
	.run = open_pane_tell_file, .free = free, .no_sweep = true, .no_fabric = true};

/* --- the list ----------------------------------------------------------------------------- */

COMPARATOR(by_name, struct entry, DOWN(folder) TEXT(name))

static char *path_of(const struct open_pane *p, const char *name)
{
	return str_printf("%s%s", p->folder, name);
}

static void open_pane_add_entry(struct open_pane *p, const char *name)
{
	AUTO_FREE char *path = path_of(p, name);
	struct stat st;

	if (!stat(path, &st) && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))) {
		GROW(p->entry, p->n, p->cap);
		p->entry[p->n++] = (struct entry){str_dup(name), S_ISDIR(st.st_mode), st.st_size};
	}
}

static void open_pane_ask_about(struct view *v)
{
	struct open_pane *p = v->priv;
	uint32_t row = v->sel < v->n_rows ? v->sel : 0;
	struct file_question *q;
	struct stat st;
	char *path;

	if (row >= p->n)
		return;
	path = path_of(p, p->entry[row].name);
	if (stat(path, &st) || (p->entry[row].folder && !strcmp(p->entry[row].name, ".."))) {
		free(path);
		return;
	}
	q = NEW(struct file_question);
	*q = (struct file_question){path, st.st_size, st.st_mtime};
	view_ask_about(v, &task_tell_file, q, &task_question, NULL);
}

static void open_pane_load(struct view *v)
{
	struct open_pane *p = v->priv;
	const char *slash = strrchr(v->typed, '/'), *rest = slash ? slash + 1 : v->typed;
	struct dirent *d;
	DIR *dir;

	p->folder = str_printf("%.*s", (int)(rest - v->typed), v->typed);
	dir = opendir(*p->folder ? p->folder : ".");
	while (dir && p->n < ENTRIES_MOST && (d = readdir(dir)))
		if (!strncmp(d->d_name, rest, strlen(rest)) && strcmp(d->d_name, ".") != 0 &&
		    (*d->d_name != '.' || *rest == '.' || !strcmp(d->d_name, "..")))
			open_pane_add_entry(p, d->d_name);
	if (dir)
		closedir(dir);
	if (p->n)
		qsort(p->entry, p->n, sizeof(*p->entry), by_name);
	v->n_rows = (uint32_t)p->n;
	open_pane_ask_about(v);
}

static const struct entry *open_pane_at(const struct view *v, uint32_t row)
{
	assert(row < ((const struct open_pane *)v->priv)->n);
	return &((const struct open_pane *)v->priv)->entry[row];
}

static void open_pane_title(const struct view *v, struct text *t)
{
	const struct open_pane *p = v->priv;

	text_add(t, "Open %u/%u in ", v->n_rows ? v->sel + 1 : 0, v->n_rows);
	text_add(t, "%s", *p->folder ? p->folder : "./");
}

/* What the selected file is, or why it cannot be read. */
static void open_pane_footer(const struct view *v, struct text *t)
{
	const struct result *r = v->n_ask ? v->results[0] : NULL;
	const char *name = v->sel < v->n_rows ? open_pane_at(v, v->sel)->name : "";
	const char *said = r && !v->waiting && !r->value ? strstr(r->e.msg, name) : NULL;

	if (said && strncmp(said + strlen(name), ": ", 2) != 0)
		said = NULL;
	if (!v->n_rows)
		text_add(t, "nothing begins so");
	else if (v->waiting)
		text_add(t, "reading ...");
	else if (r && r->value)
		text_add(t, "%s", (const char *)r->value);
	else if (r) /* its path is in the title and the row */
		text_add(t, "%s", said ? said + strlen(name) + 2 : r->e.msg);
}

static void open_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct entry *x = open_pane_at(v, row);

	if (col == C_NAME)
		text_add(t, "%s%s", x->name, x->folder ? "/" : "");
	else if (!x->folder)
		text_add(t, "%" PRId64, (x->size + 1023) / 1024);
}

static void open_pane_complete(const struct view *v, struct text *t)
{
	const struct open_pane *p = v->priv;

	if (v->sel < v->n_rows)
		text_add(t, "%s%s%s", p->folder, open_pane_at(v, v->sel)->name,
			 open_pane_at(v, v->sel)->folder ? "/" : "");
}

/* A folder is loaded when it is known to be one of dumps; else Enter goes into it, as Tab does. */
static void open_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	AUTO_FREE char *path = path_of(v->priv, open_pane_at(v, row)->name);

	if (!open_pane_at(v, row)->folder || (v->n_ask && v->results[0] && v->results[0]->value)) {
		text_add(t, "load ");
		word_text(path, t);
	}
}

const struct view_ops view_open = {
	.name = "open",
	.brief = "lists files and folders to load: type a path, Tab completes it and goes into a folder, "
		 "Enter loads; the footer tells what the selected file is",
	.hints = "follow=load",
	COLUMNS(open_columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS | VIEW_TYPED | VIEW_ONCE | VIEW_SELECTS,
	.priv_size = sizeof(struct open_pane),
	.load = open_pane_load,
	.unload = open_pane_unload,
	.title = open_pane_title,
	.footer = open_pane_footer,
	.cell = open_pane_cell,
	.complete = open_pane_complete,
	.follow = open_pane_follow,
};
