/* `grade`: the answers that somebody handed in to the questions of a lesson, judged, as points. */
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/session/commands/commands.h"
#include "core/session/lesson.h"

#include <stdlib.h>
#include <string.h>

/* A line "STEP: ANSWER" into answer[], a copy; lines that are empty or begin with # are none. */
static int grade_command_take_line(const struct lesson *l, const char *path, unsigned number,
				   const char *line, char **answer, struct err *e)
{
	size_t len;
	char *step;
	uint64_t n;
	int rc = 0;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	len = strcspn(line, ":");
	step = str_printf("%.*s", (int)len, line);
	step[strcspn(step, " \t")] = 0;
	if (!line[len] || !number_of(step, 1, l->n, &n))
		rc = err_set(
			e, "%s:%u: found \"%.60s\", expected STEP: ANSWER with a step of lesson %s, 1 to %zu",
			path, number, line, l->name, l->n);
	else if (!lesson_judges(&l->step[n - 1]))
		rc = err_set(e,
			     "%s:%u: found an answer to step %s of lesson %s, which asks nothing that can be "
			     "judged",
			     path, number, step, l->name);
	else if (answer[n - 1])
		rc = err_set(e, "%s:%u: found a second answer to step %s, expected one", path, number, step);
	else
		answer[n - 1] = str_dup(line + len + 1 + strspn(line + len + 1, " \t"));
	free(step);
	return rc;
}

int lesson_answers(const struct lesson *l, const char *path, char *text, char **answer, struct err *e)
{
	unsigned number = 0;
	int rc = 0;

	for (char *line = text, *next; line && !rc; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		line[strcspn(line, "\r")] = 0;
		rc = grade_command_take_line(l, path, ++number, line, answer, e);
	}
	return rc;
}

static int grade_command_run(struct session *s, const struct lesson *l, char *const *answer, struct out *o,
			     struct err *e)
{
	json_t *list = json_array();
	unsigned points = 0, of = 0;
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		const struct lesson_step *step = &l->step[i];
		bool right = false;

		if (!lesson_judges(step))
			continue;
		if (answer[i])
			rc = lesson_judge(s, l, i, answer[i], &right, o->run->progress, e);
		if (rc)
			break;
		of += step->points;
		points += right ? step->points : 0;
		out_text(o, "  step %-3zu %u of %u  %s%s\n", i + 1, right ? step->points : 0, step->points,
			 answer[i] ? right ? "right: " : "wrong: " : "not answered",
			 answer[i] ? answer[i] : "");
		json_array_append_new(list,
				      json_make("{s:i, s:s, s:s*, s:b, s:i, s:i}", "step", (int)i + 1, "ask",
						step->ask, "given", answer[i], "right", right, "points",
						right ? (int)step->points : 0, "of", (int)step->points));
	}
	if (!rc && !json_array_size(list))
		rc = err_set(e, "lesson %s asks nothing that can be judged", l->name);
	if (rc) {
		json_decref(list);
		return -1;
	}
	out_text(o, "%u of %s in lesson %s.\n", points, PLURAL(of, "point"), l->name);
	out_fields(o, json_make("{s:s, s:i, s:i, s:o}", "name", l->name, "points", (int)points, "of", (int)of,
				"answers", list));
	o->run->found_fault |= points < of;
	return 0;
}

static int cmd_grade(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args_word(args, "FILE", "");
	struct lesson *l = lesson_read(args_word(args, "LESSON", ""), o->run->progress, e);
	char **answer, *text;
	int rc = -1;

	if (!l)
		return -1;
	answer = NEW_ARRAY(l->n, char *);
	text = lesson_text(path, o->run->progress, e);
	if (text && !lesson_answers(l, path, text, answer, e))
		rc = grade_command_run(s, l, answer, o, e);
	free(text);
	for (size_t i = 0; i < l->n; i++)
		free(answer[i]);
	free(answer);
	lesson_free(l);
	return rc;
}

const struct command grade_commands[] = {
	{.name = "grade",
	 .group = TEACH,
	 .deeds = DEED_LEAVE,
	 .syntax = "grade LESSON FILE",
	 .help = "judge the answers that somebody handed in to the questions of a lesson",
	 .finds = "points are missing",
	 .details = "  FILE has a line \"STEP: ANSWER\" for each; # begins a comment.  Only questions count "
		    "whose "
		    "right answers the\n  lesson tells (`accept`, `judge`: ibscope(1)).  The session stays "
		    "as it "
		    "is.\n",
	 .json = "name string? name of the lesson\n"
		 "points integer? points that the answers got\n"
		 "of integer? points there are\n"
		 "answers[] object? the questions that count\n"
		 "answers[].step integer(1..) step of the lesson\n"
		 "answers[].ask string the question\n"
		 "answers[].given string? the answer handed in; none: there is none\n"
		 "answers[].right boolean it is right\n"
		 "answers[].points integer points for it\n"
		 "answers[].of integer points it could get\n",
	 .run = cmd_grade},
	{.name = NULL},
};
