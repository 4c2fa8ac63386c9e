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
	s->generation++;
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

/* A command may fail if the lesson expects its message. */
static void check_run(struct check *c, const struct lesson_run *r)
{
	struct text said = {0};
	struct err e = {0};
	int rc = lesson_run(&c->run, r->command, &said, &e);
	bool told = false;
	char *have = squeezed(text_str(&said)), *message = squeezed(e.msg);

	for (size_t i = 0; i < r->expect.n; i++) {
		char *want = squeezed(r->expect.text[i]);

		c->expected++;
		told |= strstr(message, want) != NULL;
		if (!strstr(have, want)) {
			char *what = str_printf("`%s` does not say", r->command);

			fault(c, what, want);
			free(what);
		}
		free(want);
	}
	if (rc && !told)
		fault(c, r->command, e.msg);
	free(have);
	free(message);
	text_free(&said);
}

static void check_steps(struct check *c)
{
	for (c->step = 0; c->step < c->l->n; c->step++) {
		const struct lesson_step *s = &c->l->step[c->step];

		for (size_t i = 0; i < s->n_run && !progress_cancelled(c->run.progress); i++)
			if (!s->run[i].proof)
				check_run(c, &s->run[i]);
		for (size_t i = 0; i < s->look.n && !progress_cancelled(c->run.progress); i++) {
			struct text said = {0};
			struct err e = {0};
			char *line = str_printf("list %s", s->look.text[i]);

			/* All that the lesson looks at must exist. */
			if (lesson_run(&c->run, line, &said, &e))
				fault(c, line, e.msg);
			free(line);
			text_free(&said);
		}
		for (size_t i = 0; i < s->n_run && !progress_cancelled(c->run.progress); i++)
			if (s->run[i].proof)
				check_run(c, &s->run[i]);
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
