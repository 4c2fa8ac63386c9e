/* The pane `lesson`: the current step of a lesson; without a lesson, the list of lessons. */
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/wrap.h"
#include "core/session/lesson.h"
#include "core/session/command.h"
#include "views/base/view.h"

#define COLUMNS_BATCH 76
#define COLUMNS_LEAST 16

static const struct column columns[] = {
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
	struct text t = {0};
	char *other = str_printf("%*s", (int)strlen(first), ""), *save = NULL;

	wrap_text(&t, text, p->columns ? p->columns : COLUMNS_BATCH, first, other);
	for (char *s = strtok_r(t.s, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
		GROW(p->line, p->n, p->cap);
		p->line[p->n++] = (struct lesson_pane_line){str_dup(s), kind, what ? str_dup(what) : NULL};
	}
	text_free(&t);
	free(other);
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
	struct text broken = {0};
	unsigned n_broken = 0;
	struct lesson **all = lessons_all(&broken, &n_broken);

	for (size_t i = 0; all[i]; i++) {
		char *name = str_printf("%-10s ", all[i]->name);

		lesson_pane_add(p, LINE_LESSON, name, all[i]->title, all[i]->name);
		free(name);
	}
	lessons_free(all);
	if (n_broken)
		lesson_pane_add(p, LINE_TEXT, "Cannot be read: ", text_str(&broken), NULL);
	text_free(&broken);
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
	COLUMNS(columns),
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
