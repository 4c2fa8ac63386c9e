/* Lessons: reading their files, a session's place in one, running and checking. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/lesson.h"
#include "core/source/synth.h"

/* Lessons: reading their files. */

#define NO_NUMBER 1000

#define ENDING ".lesson"

struct lesson_reader {
	struct lesson *l;
	const char *path;
	unsigned line;
	char **last;	  /* value that a line beginning with a blank continues; NULL = none */
	struct text more; /* the same with all its lines so far; empty: it has one line */
	char *key;	  /* as written, for messages */
	struct err *e;
};

static int lesson_fail(const struct lesson_reader *r, const char *found, const char *expected)
{
	return err_set(r->e, "%s:%u: found %.60s, expected %s", r->path, r->line, found, expected);
}

static struct lesson_step *last_step(const struct lesson_reader *r)
{
	return r->l->n ? &r->l->step[r->l->n - 1] : NULL;
}

static struct lesson_run *last_run(const struct lesson_reader *r)
{
	struct lesson_step *s = last_step(r);

	return s && s->n_run ? &s->run[s->n_run - 1] : NULL;
}

static char **list_add(struct lesson_list *l)
{
	GROW(l->text, l->n, l->cap);
	return &l->text[l->n++];
}

/* --- keys: each gives the place of its value, NULL = it may not stand there ----------------------- */

static char **once(char **place)
{
	return *place ? NULL : place;
}

static char **take_title(const struct lesson_reader *r)
{
	return once(&r->l->title);
}

static char **lesson_take_fabric(const struct lesson_reader *r)
{
	return r->l->n ? NULL : once(&r->l->fabric);
}

static char **take_text(const struct lesson_reader *r)
{
	struct lesson *l = r->l;

	GROW(l->step, l->n, l->cap);
	l->step[l->n] = (struct lesson_step){.points = 1};
	return &l->step[l->n++].text;
}

static char **add_run(const struct lesson_reader *r, enum lesson_when when)
{
	struct lesson_step *s = last_step(r);

	if (!s)
		return NULL;
	GROW(s->run, s->n_run, s->cap_run);
	s->run[s->n_run] = (struct lesson_run){.when = when};
	return &s->run[s->n_run++].command;
}

static char **take_run(const struct lesson_reader *r)
{
	return add_run(r, WHEN_PLAYED);
}

static char **take_proof(const struct lesson_reader *r)
{
	return add_run(r, WHEN_CHECKED);
}

static char **take_judge(const struct lesson_reader *r)
{
	return last_step(r) && last_step(r)->ask ? add_run(r, WHEN_JUDGED) : NULL;
}

static char **take_accept(const struct lesson_reader *r)
{
	return last_step(r) && last_step(r)->ask ? list_add(&last_step(r)->accept) : NULL;
}

static char **take_expect(const struct lesson_reader *r)
{
	return last_run(r) ? list_add(&last_run(r)->expect) : NULL;
}

static char **take_look(const struct lesson_reader *r)
{
	struct lesson_step *s = last_step(r);

	if (!s)
		return NULL;
	GROW(s->look, s->n_look, s->cap_look);
	s->look[s->n_look] = (struct lesson_look){0};
	return &s->look[s->n_look++].pane;
}

static char **take_see(const struct lesson_reader *r)
{
	struct lesson_step *s = last_step(r);

	return s && s->n_look ? list_add(&s->look[s->n_look - 1].see) : NULL;
}

static char **take_ask(const struct lesson_reader *r)
{
	struct lesson_step *s = last_step(r);

	if (s && !s->ask)
		s->ask_line = r->line;
	return s ? once(&s->ask) : NULL;
}

static char **take_answer(const struct lesson_reader *r)
{
	return last_step(r) && last_step(r)->ask ? once(&last_step(r)->answer) : NULL;
}

static const struct {
	const char *key;
	char **(*take)(const struct lesson_reader *r);
} keys[] = {
	{"title", take_title}, {"fabric", lesson_take_fabric}, {"text", take_text},	{"run", take_run},
	{"proof", take_proof}, {"expect", take_expect},	       {"look", take_look},	{"see", take_see},
	{"ask", take_ask},     {"answer", take_answer},	       {"accept", take_accept}, {"judge", take_judge},
};

/* --- lines ---------------------------------------------------------------------------------------- */

/* The value before is whole. */
static void end_value(struct lesson_reader *r)
{
	if (r->more.len) {
		free(*r->last);
		*r->last = r->more.s;
	}
	r->more = (struct text){0};
	r->last = NULL;
}

/* An unknown key is reported as such. */
static bool may_precede_title(const char *key, size_t len)
{
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		known |= strlen(keys[i].key) == len && !strncmp(keys[i].key, key, len);
	return !known || !strncmp(key, "title", len) || !strncmp(key, "fabric", len);
}

static int lesson_take_value(struct lesson_reader *r, const char *key, size_t len, const char *value)
{
	end_value(r);
	if (len == 6 && (!strncmp(key, "number", len) || !strncmp(key, "points", len))) {
		bool points = *key == 'p';
		uint64_t n;

		if (points && !(last_step(r) && last_step(r)->ask))
			return lesson_fail(r, "points", "points: behind an ask");
		if (!number_of(value, 0, NO_NUMBER, &n))
			return lesson_fail(r, value, "a number from 0 to 1000");
		*(points ? &last_step(r)->points : &r->l->number) = (unsigned)n;
		return 0;
	}
	if (!r->l->title && !may_precede_title(key, len))
		return lesson_fail(r, "no title", "a line \"title: ...\" before the first text");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strlen(keys[i].key) != len || strncmp(keys[i].key, key, len) != 0)
			continue;
		r->last = keys[i].take(r);
		if (!r->last)
			return lesson_fail(
				r, keys[i].key,
				"title and fabric once and first, then text, and behind it "
				"run, expect, look, see, ask, answer, accept, judge, points, proof");
		*r->last = str_dup(value);
		return 0;
	}
	return lesson_fail(
		r, key,
		"KEY: VALUE with title, fabric, number, text, run, expect, look, see, ask, answer, accept, "
		"judge, points or proof");
}

/* One line without its end and without the blanks before that. */
static int lesson_take_line(struct lesson_reader *r, char *line)
{
	size_t len = strlen(line);

	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = 0;
	if (!len || *line == '#')
		return 0;
	if (*line == ' ' || *line == '\t') {
		if (!r->last)
			return lesson_fail(r, "a line that begins with a blank", "KEY: VALUE before it");
		if (!r->more.len)
			text_add(&r->more, "%s", *r->last);
		text_add(&r->more, " %s", line + strspn(line, " \t"));
		return 0;
	}
	size_t colon = strcspn(line, ":");
	if (!line[colon])
		return lesson_fail(r, line, "KEY: VALUE");
	return lesson_take_value(r, line, colon, line + colon + 1 + strspn(line + colon + 1, " \t"));
}

static int lesson_read_lines(struct lesson_reader *r, char *text)
{
	char *next;

	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!next && !*line && r->line) /* behind the last line */
			break;
		r->line++;
		if (lesson_take_line(r, line))
			return -1;
	}
	end_value(r);
	if (!r->l->title)
		return lesson_fail(r, "no title", "a line \"title: ...\"");
	if (!r->l->n)
		return lesson_fail(r, "no step", "a line \"text: ...\"");
	for (size_t i = 0; i < r->l->n; i++)
		if (r->l->step[i].ask && !r->l->step[i].answer) {
			r->line = r->l->step[i].ask_line;
			return lesson_fail(r, r->l->step[i].ask, "an answer: ask needs an answer");
		}
	return 0;
}

char *lesson_text(const char *path, struct progress *p, struct err *e)
{
	FILE *f = infile_open(path, p);
	char *data, *text = NULL;
	size_t size;
	int rc = f ? read_at_most(f, path, 1, &data, &size, e) : err_system(e, path, errno);

	if (f)
		fclose(f);
	if (rc && progress_cancelled(p))
		err_set(e, CANCELLED);
	if (rc)
		return NULL;
	if (size > LESSON_BYTES || memchr(data, 0, size))
		err_set(e, "%s: found %zu bytes, expected at most %d of text", path, size, LESSON_BYTES);
	else
		text = str_printf("%.*s", (int)size, data);
	free(data);
	return text;
}

/* The name in the path of a lesson; NULL: the word is a name. */
static char *name_in_path(const char *word)
{
	const char *slash = strrchr(word, '/'), *last = slash ? slash + 1 : word;
	size_t len = strlen(last), ending = strlen(ENDING);
	bool ends = len > ending && !strcmp(last + len - ending, ENDING);

	return slash || ends ? str_printf("%.*s", (int)(ends ? len - ending : len), last) : NULL;
}

struct lesson *lesson_parse(const char *word, const char *path, char *text, struct err *e)
{
	struct lesson_reader r = {.l = NEW(struct lesson), .path = path, .e = e};
	char *name = name_in_path(word);

	r.l->word = str_dup(word);
	r.l->name = name ? name : str_dup(word);
	r.l->number = NO_NUMBER;
	if (!lesson_read_lines(&r, text))
		return r.l;
	text_free(&r.more);
	lesson_free(r.l);
	return NULL;
}

struct lesson *lesson_read(const char *word, struct progress *p, struct err *e)
{
	AUTO_FREE char *name = name_in_path(word), *file = str_printf("%s" ENDING, word), *text = NULL,
		       *path = name ? str_dup(word) : lesson_file(file, e);
	struct lesson *l = NULL;

	if (path)
		text = lesson_text(path, p, e);
	if (text)
		l = lesson_parse(word, path, text, e);
	return l;
}

static void list_free(struct lesson_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->text[i]);
	free(l->text);
}

static void step_free(struct lesson_step *s)
{
	FREE_EACH(s->text, s->ask, s->answer);
	list_free(&s->accept);
	for (size_t i = 0; i < s->n_look; i++) {
		free(s->look[i].pane);
		list_free(&s->look[i].see);
	}
	free(s->look);
	for (size_t i = 0; i < s->n_run; i++) {
		free(s->run[i].command);
		list_free(&s->run[i].expect);
	}
	free(s->run);
}

void lesson_free(struct lesson *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		step_free(&l->step[i]);
	FREE_EACH(l->step, l->word, l->name, l->title, l->fabric, l);
}

/* --- all of them ------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
	const struct lesson *x = *(struct lesson *const *)a, *y = *(struct lesson *const *)b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct lesson **lessons_all(struct text *broken, unsigned *n_broken)
{
	char **names = lesson_names();
	size_t n = 0;

	while (names[n])
		n++;
	struct lesson **l = NEW_ARRAY(n + 1, struct lesson *);
	n = 0;
	for (size_t i = 0; names[i]; i++) {
		struct err e = {0};

		l[n] = lesson_read(names[i], NULL, &e);
		if (!l[n] && broken) {
			text_add(broken, "%s\n", e.msg);
			++*n_broken;
		}
		n += l[n] != NULL;
		free(names[i]);
	}
	free(names);
	if (n)
		qsort(l, n, sizeof(struct lesson *), by_number);
	return l;
}

void lessons_free(struct lesson **l)
{
	for (size_t i = 0; l[i]; i++)
		lesson_free(l[i]);
	free(l);
}

void lesson_place_unref(const struct lesson_place *p)
{
	struct lesson_place *own = (struct lesson_place *)(uintptr_t)p;

	assert(!p || atomic_load(&own->refs));
	if (!p || atomic_fetch_sub(&own->refs, 1) > 1)
		return;
	lesson_free(own->lesson);
	free(own);
}

/* Lessons: a session's place in one; running and checking them. */

const struct lesson_place *lesson_place_ref(const struct lesson_place *p)
{
	atomic_fetch_add(&((struct lesson_place *)(uintptr_t)p)->refs, 1);
	return p;
}

void lesson_place_put(struct session *s, struct lesson_place *p)
{
	assert(p->lesson && p->step < p->lesson->n);
	session_lock(s);
	const struct lesson_place *before = s->lesson;
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

	if (!l->fabric)
		return session_need_fabric(s, e);
	permit_lesson_begin();
	int rc = synth_make(l->fabric, &f, e);
	permit_lesson_end();
	if (rc)
		return -1;
	AUTO_FREE char *how = str_printf("synth %s", l->fabric);
	session_forget(s);
	return session_set_fabric(s, f, how, p, e);
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
	assert(in->in && in->in->session);
	struct command_run r = {
		.in = in->in, .f = text_stream(said), .width = in->width, .progress = in->progress};

	in->in->session->in_lesson++;
	permit_lesson_begin();
	int rc = run_text(&r, commands, e);
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

/* What a line prints, against what it should.  It may fail if its message is among that.  true: all is
 * there. */
static bool prints(const struct command_run *run, const char *line, const struct lesson_list *expect,
		   struct lesson_play_check *c)
{
	AUTO_TEXT struct text said = {0};
	struct err e = {0};
	int rc = lesson_run(run, line, &said, &e);
	bool told = false, good = true;
	AUTO_FREE char *have = squeezed(text_str(&said)), *message = squeezed(e.msg);

	for (size_t i = 0; i < expect->n; i++) {
		AUTO_FREE char *want = squeezed(expect->text[i]);
		bool there = strstr(have, want) != NULL;

		told |= strstr(message, want) != NULL;
		good &= there;
		if (c)
			c->expected++;
		if (c && !there) {
			AUTO_FREE char *what = str_printf("`%s` does not say", line);

			fault(c, what, want);
		}
	}
	if (rc && !told && c)
		fault(c, line, e.msg);
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
	AUTO_FREE char *word = word_quoted(answer),
		       *of_text = quote && !alone ? word_quoted(word) : str_dup(word);

	text_add(t, quote ? "%c%s%c" : "%.0d%s%.0d", quote, of_text, quote);
}

/* The line of a judge: $ANSWER becomes one word, whatever the answer is, also between quotes. */
static char *with_answer(const char *line, const char *answer)
{
	AUTO_FREE char *one = str_printf("%s", answer + strspn(answer, " \t"));
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
	return t.s ? t.s : str_dup("");
}

/* Do the commands of `judge` print what they should? 1: yes, also without any; 0: no; -1 and *e. */
static int judged(const struct session *like, const struct lesson *l, size_t step, const char *answer,
		  struct progress *p, struct err *e)
{
	struct session *s = session_like(like);
	struct interpreter in = {.session = s};
	struct command_run run = {.in = &in, .progress = p};

	bool right = true;

	int rc = l->fabric ? lesson_set_up(s, l, p, e)
			   : err_set(e, "lesson %s: judge needs a fabric of its own", l->name);
	for (size_t i = 0; !rc && i <= step; i++) {
		lesson_step_begin(s, &l->step[i]);
		for (size_t k = 0; k < l->step[i].n_run && !progress_cancelled(p); k++)
			if (l->step[i].run[k].when == WHEN_PLAYED)
				prints(&run, l->step[i].run[k].command, &(struct lesson_list){0}, NULL);
	}
	for (size_t i = 0; !rc && right && i < l->step[step].n_run; i++) {
		const struct lesson_run *r = &l->step[step].run[i];

		if (r->when != WHEN_JUDGED)
			continue;
		AUTO_FREE char *line = with_answer(r->command, answer);
		right = prints(&run, line, &r->expect, NULL);
	}
	interpreter_free(&in);
	session_free(s);
	if (rc)
		return -1;
	return progress_cancelled(p) ? err_set(e, CANCELLED) : right;
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
		 struct progress *p, struct err *e)
{
	assert(step < l->n);
	const struct lesson_step *s = &l->step[step];
	AUTO_FREE char *given = squeezed(answer);

	for (size_t i = 0; i < s->accept.n; i++) {
		AUTO_FREE char *good = squeezed(s->accept.text[i]);

		if (!strcasecmp(given, good))
			return 1;
	}
	return has_judge(s) ? judged(like, l, step, answer, p, e) : 0;
}

/* The first answer that counts as right must stand the test of `judge`. */
static void lesson_play_check_answer(struct lesson_play_check *c)
{
	const struct lesson_step *s = &c->l->step[c->step];
	struct err e;

	if (!s->accept.n || !has_judge(s) || progress_cancelled(c->run.progress))
		return;
	c->expected++;
	int right = judged(c->run.in->session, c->l, c->step, s->accept.text[0], c->run.progress, &e);
	if (right < 0)
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
			AUTO_FREE char *line = str_printf("list %s", s->look[i].pane);

			prints(&c->run, line, &s->look[i].see, c);
		}
		lesson_play_check_answer(c);
		check_runs(c, WHEN_CHECKED);
	}
}

unsigned lesson_check(const struct session *like, const struct lesson *l, struct progress *p,
		      struct text *faults, unsigned *expected)
{
	struct session *s = session_like(like);
	struct interpreter in = {.session = s};
	struct lesson_play_check c = {.l = l, .run = {.in = &in, .progress = p}, .faults = faults};
	struct err e;

	if (lesson_set_up(s, l, p, &e))
		fault(&c, "fabric", e.msg);
	else
		check_steps(&c);
	interpreter_free(&in);
	session_free(s);
	*expected = c.expected;
	return c.n_faults;
}
