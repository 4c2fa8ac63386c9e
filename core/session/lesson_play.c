/* Lessons: a session's place in one; running and checking them. */
#include "core/session/lesson.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/base/words.h"
#include "core/source/synth.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the place ------------------------------------------------------------------------------------ */

const struct lesson_place *lesson_place_ref(const struct lesson_place *p)
{
	atomic_fetch_add(&((struct lesson_place *)(uintptr_t)p)->refs, 1);
	return p;
}

void lesson_place_put(struct session *s, struct lesson_place *p)
{
	const struct lesson_place *before;

	session_lock(s);
	before = s->lesson;
	atomic_store(&p->refs, 1);
	s->lesson = p;
	s->moves++;
	session_unlock(s);
	lesson_place_unref(before);
}

/* --- running ---------------------------------------------------------------------------------------- */

int lesson_set_up(struct session *s, const struct lesson *l, struct progress *p, struct err *e)
{
	struct fabric *f;
	char *how;
	int rc;

	if (!l->fabric)
		return session_need_fabric(s, e);
	permit_lesson_begin();
	rc = synth_make(l->fabric, &f, e);
	permit_lesson_end();
	if (rc)
		return -1;
	how = str_printf("synth %s", l->fabric);
	session_forget(s);
	rc = session_set_fabric(s, f, how, p, e);
	free(how);
	return rc;
}

void lesson_step_begin(struct session *s, const struct lesson_step *step)
{
	for (size_t i = 0; i < step->n_run; i++)
		if (step->run[i].when == WHEN_PLAYED) {
			if (!strncmp(step->run[i].command, "step ", 5))
				return;
			break;
		}
	if (session_walk(s))
		session_set_walk(s, NULL);
}

int lesson_run(const struct command_run *in, const char *commands, struct text *said, struct err *e)
{
	struct command_run r = {
		.in = in->in, .f = text_stream(said), .width = in->width, .progress = in->progress};
	int rc;

	in->in->session->in_lesson++;
	permit_lesson_begin();
	rc = run_text(&r, commands, e);
	permit_lesson_end();
	in->in->session->in_lesson--;
	fclose(r.f);
	if (rc)
		text_add(said, "%s\n", e->msg);
	return rc;
}

/* --- checking --------------------------------------------------------------------------------------- */

struct lesson_play_check {
	const struct lesson *l;
	size_t step;
	struct command_run run;
	struct text *faults;
	unsigned n_faults, expected;
};

static void fault(struct lesson_play_check *c, const char *what, const char *of)
{
	text_add(c->faults, "%s, step %zu: %s: %s\n", c->l->name, c->step + 1, what, of);
	c->n_faults++;
}

/* A copy in which each run of blanks and line ends is one blank. */
static char *squeezed(const char *s)
{
	struct text t = {0};

	for (; *s; s++) {
		bool blank = *s == ' ' || *s == '\t' || *s == '\n';

		if (!blank)
			text_putc(&t, *s);
		else if (t.len && t.s[t.len - 1] != ' ')
			text_putc(&t, ' ');
	}
	return t.s ? t.s : str_dup("");
}

/* What a line prints, against what it should.  It may fail if its message is among that.  true: all is there.
 */
static bool prints(const struct command_run *run, const char *line, const struct lesson_list *expect,
		   struct lesson_play_check *c)
{
	struct text said = {0};
	struct err e = {0};
	int rc = lesson_run(run, line, &said, &e);
	bool told = false, good = true;
	char *have = squeezed(text_str(&said)), *message = squeezed(e.msg);

	for (size_t i = 0; i < expect->n; i++) {
		char *want = squeezed(expect->text[i]);
		bool there = strstr(have, want) != NULL;

		told |= strstr(message, want) != NULL;
		good &= there;
		if (c)
			c->expected++;
		if (c && !there) {
			char *what = str_printf("`%s` does not say", line);

			fault(c, what, want);
			free(what);
		}
		free(want);
	}
	if (rc && !told && c)
		fault(c, line, e.msg);
	free(have);
	free(message);
	text_free(&said);
	return good && (!rc || told);
}

static void check_runs(struct lesson_play_check *c, enum lesson_when when)
{
	const struct lesson_step *s = &c->l->step[c->step];

	for (size_t i = 0; i < s->n_run && !progress_cancelled(c->run.progress); i++)
		if (s->run[i].when == when)
			prints(&c->run, s->run[i].command, &s->run[i].expect, c);
}

#define ANSWER_MARK "$ANSWER"

/*
 * Adds the answer as one word.  quote: the line's own quotes around it, 0: none.  Between quotes with other
 * text it is a word of that text, which may be a command itself (`event "fail link $ANSWER"`).
 */
static void add_answer(struct text *t, const char *answer, char quote, bool alone)
{
	char *word = word_quoted(answer), *of_text = quote && !alone ? word_quoted(word) : str_dup(word);

	text_add(t, quote ? "%c%s%c" : "%.0d%s%.0d", quote, of_text, quote);
	free(of_text);
	free(word);
}

/* The line of a judge: $ANSWER becomes one word, whatever the answer is, also between quotes. */
static char *with_answer(const char *line, const char *answer)
{
	char *one = str_printf("%s", answer + strspn(answer, " \t"));
	struct text t = {0};
	char quote = 0;

	for (size_t len = strlen(one); len && strchr(" \t", one[len - 1]);)
		one[--len] = 0;
	for (const char *p = line; *p; p++) {
		if (!strncmp(p, ANSWER_MARK, strlen(ANSWER_MARK))) {
			const char *behind = p + strlen(ANSWER_MARK);

			add_answer(&t, one, quote, p > line && p[-1] == quote && *behind == quote);
			p = behind - 1;
			continue;
		}
		if (*p == '\\' && p[1] && quote != '\'')
			text_putc(&t, *p++);
		else if (*p == quote || (!quote && strchr("\"'", *p)))
			quote = quote ? 0 : *p;
		text_putc(&t, *p);
	}
	free(one);
	return t.s ? t.s : str_dup("");
}

/* Do the commands of `judge` print what they should? Without any: yes. */
static int judged(const struct session *like, const struct lesson *l, size_t step, const char *answer,
		  bool *right, struct progress *p, struct err *e)
{
	struct session *s = session_new(like->engines, like->commands);
	struct interpreter in = {.session = s};
	struct command_run run = {.in = &in, .progress = p};
	int rc;

	s->topics = like->topics;
	*right = true;
	rc = l->fabric ? lesson_set_up(s, l, p, e)
		       : err_set(e, "lesson %s: judge needs a fabric of its own", l->name);
	for (size_t i = 0; !rc && i <= step; i++) {
		lesson_step_begin(s, &l->step[i]);
		for (size_t k = 0; k < l->step[i].n_run && !progress_cancelled(p); k++)
			if (l->step[i].run[k].when == WHEN_PLAYED)
				prints(&run, l->step[i].run[k].command, &(struct lesson_list){0}, NULL);
	}
	for (size_t i = 0; !rc && *right && i < l->step[step].n_run; i++) {
		const struct lesson_run *r = &l->step[step].run[i];
		char *line;

		if (r->when != WHEN_JUDGED)
			continue;
		line = with_answer(r->command, answer);
		*right = prints(&run, line, &r->expect, NULL);
		free(line);
	}
	interpreter_free(&in);
	session_free(s);
	return rc || progress_cancelled(p) ? (rc ? rc : err_set(e, CANCELLED)) : 0;
}

static bool has_judge(const struct lesson_step *s)
{
	for (size_t i = 0; i < s->n_run; i++)
		if (s->run[i].when == WHEN_JUDGED)
			return true;
	return false;
}

bool lesson_judges(const struct lesson_step *s)
{
	return s->accept.n || has_judge(s);
}

int lesson_judge(const struct session *like, const struct lesson *l, size_t step, const char *answer,
		 bool *right, struct progress *p, struct err *e)
{
	const struct lesson_step *s = &l->step[step];
	char *given = squeezed(answer);

	*right = false;
	for (size_t i = 0; i < s->accept.n && !*right; i++) {
		char *good = squeezed(s->accept.text[i]);

		*right = !strcasecmp(given, good);
		free(good);
	}
	free(given);
	return *right || !has_judge(s) ? 0 : judged(like, l, step, answer, right, p, e);
}

/* The first answer that counts as right must stand the test of `judge`. */
static void lesson_play_check_answer(struct lesson_play_check *c)
{
	const struct lesson_step *s = &c->l->step[c->step];
	bool right;
	struct err e;

	if (!s->accept.n || !has_judge(s) || progress_cancelled(c->run.progress))
		return;
	c->expected++;
	if (judged(c->run.in->session, c->l, c->step, s->accept.text[0], &right, c->run.progress, &e))
		fault(c, "judge", e.msg);
	else if (!right)
		fault(c, "judge refuses the accepted answer", s->accept.text[0]);
}

static void check_steps(struct lesson_play_check *c)
{
	for (c->step = 0; c->step < c->l->n; c->step++) {
		const struct lesson_step *s = &c->l->step[c->step];

		lesson_step_begin(c->run.in->session, s);
		check_runs(c, WHEN_PLAYED);
		for (size_t i = 0; i < s->n_look && !progress_cancelled(c->run.progress); i++) {
			char *line = str_printf("list %s", s->look[i].pane);

			prints(&c->run, line, &s->look[i].see, c);
			free(line);
		}
		lesson_play_check_answer(c);
		check_runs(c, WHEN_CHECKED);
	}
}

unsigned lesson_check(const struct session *like, const struct lesson *l, struct progress *p,
		      struct text *faults, unsigned *expected)
{
	struct session *s = session_new(like->engines, like->commands);
	struct interpreter in = {.session = s};
	struct lesson_play_check c = {.l = l, .run = {.in = &in, .progress = p}, .faults = faults};
	struct err e;

	s->topics = like->topics;
	if (lesson_set_up(s, l, p, &e))
		fault(&c, "fabric", e.msg);
	else
		check_steps(&c);
	interpreter_free(&in);
	session_free(s);
	*expected = c.expected;
	return c.n_faults;
}
