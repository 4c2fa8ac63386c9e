/* Lessons: a session's place in one; running and checking them. */
#include "core/session/lesson.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/source/synth.h"

#include <stdlib.h>
#include <string.h>

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
	if (synth_make(l->fabric, &f, e))
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
		if (!step->run[i].proof) {
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
	int rc = run_text(&r, commands, e);

	fclose(r.f);
	if (rc)
		text_add(said, "%s\n", e->msg);
	return rc;
}

/* --- checking --------------------------------------------------------------------------------------- */

struct check {
	const struct lesson *l;
	size_t step;
	struct command_run run;
	struct text *faults;
	unsigned n_faults, expected;
};

static void fault(struct check *c, const char *what, const char *of)
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

/* What a line prints, against what it should.  It may fail if its message is among that. */
static void check_line(struct check *c, const char *line, const struct lesson_list *expect)
{
	struct text said = {0};
	struct err e = {0};
	int rc = lesson_run(&c->run, line, &said, &e);
	bool told = false;
	char *have = squeezed(text_str(&said)), *message = squeezed(e.msg);

	for (size_t i = 0; i < expect->n; i++) {
		char *want = squeezed(expect->text[i]);

		c->expected++;
		told |= strstr(message, want) != NULL;
		if (!strstr(have, want)) {
			char *what = str_printf("`%s` does not say", line);

			fault(c, what, want);
			free(what);
		}
		free(want);
	}
	if (rc && !told)
		fault(c, line, e.msg);
	free(have);
	free(message);
	text_free(&said);
}

static void check_steps(struct check *c)
{
	for (c->step = 0; c->step < c->l->n; c->step++) {
		const struct lesson_step *s = &c->l->step[c->step];

		lesson_step_begin(c->run.in->session, s);
		for (size_t i = 0; i < s->n_run && !progress_cancelled(c->run.progress); i++)
			if (!s->run[i].proof)
				check_line(c, s->run[i].command, &s->run[i].expect);
		for (size_t i = 0; i < s->n_look && !progress_cancelled(c->run.progress); i++) {
			char *line = str_printf("list %s", s->look[i].pane);

			check_line(c, line, &s->look[i].see);
			free(line);
		}
		for (size_t i = 0; i < s->n_run && !progress_cancelled(c->run.progress); i++)
			if (s->run[i].proof)
				check_line(c, s->run[i].command, &s->run[i].expect);
	}
}

unsigned lesson_check(const struct session *like, const struct lesson *l, struct progress *p,
		      struct text *faults, unsigned *expected)
{
	struct session *s = session_new(like->engines, like->commands);
	struct interpreter in = {.session = s};
	struct check c = {.l = l, .run = {.in = &in, .progress = p}, .faults = faults};
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
