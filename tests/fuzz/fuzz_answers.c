/*
 * Fuzz target: answers handed in (`grade LESSON FILE`), and lessons: a lesson, a form feed, answers to it.
 * Without a form feed all are answers to the lesson below.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/lesson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lesson(const struct lesson *l)
{
	if (!l->n || !l->title || strchr(l->name, '\n'))
		abort();
	for (size_t i = 0; i < l->n; i++) {
		const struct lesson_step *s = &l->step[i];

		if (!s->text || strchr(s->text, '\n') || (s->ask && !s->answer) || s->points > 1000)
			abort();
		if (lesson_judges(s) && !s->ask)
			abort();
		for (size_t k = 0; k < s->n_run; k++)
			if (!s->run[k].command)
				abort();
	}
}

static void check_answers(const struct lesson *l, char *text)
{
	char **answer = NEW_ARRAY(l->n, char *);
	struct err e = {0};
	int rc = lesson_answers(l, "fuzz", text, answer, &e);

	if (rc && strncmp(e.msg, "fuzz:", 5) != 0)
		abort();
	for (size_t i = 0; i < l->n; i++) {
		if (answer[i] && (!lesson_judges(&l->step[i]) || strpbrk(answer[i], "\r\n")))
			abort();
		free(answer[i]);
	}
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char form[] =
		"title: t\nfabric: ring:4\ntext: one\ntext: two\nask: a?\nanswer: no\naccept: no\n"
		"text: three\nask: b?\nanswer: x\njudge: lft $ANSWER\nexpect: 1\npoints: 2\n";
	char *text, *feed, *lesson;
	struct lesson *l;
	struct err e = {0};

	/* lesson_text() takes no others */
	if (memchr(data, 0, size) || size > LESSON_BYTES)
		return 0;
	text = str_printf("%.*s", (int)size, (const char *)data);
	feed = strchr(text, '\f');
	if (feed)
		*feed = 0;
	lesson = str_dup(feed ? text : form);
	l = lesson_parse("fuzz", "fuzz", lesson, &e);
	if (l) {
		check_lesson(l);
		check_answers(l, feed ? feed + 1 : text);
	} else if (!feed || strncmp(e.msg, "fuzz:", 5) != 0) {
		abort();
	}
	lesson_free(l);
	free(lesson);
	free(text);
	return 0;
}
