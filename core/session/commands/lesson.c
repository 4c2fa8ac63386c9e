/* `lesson`: lists lessons, plays and checks them; `grade`: answers to their questions as points. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/lesson.h"
#include "core/source/synth.h"

/* `lesson`: lists lessons, plays them step by step, and checks them. */

#define COLUMNS 80 /* of text in batch */

/* Lessons that cannot be read.  0: there are none; else -1 and *e. */
static int told_broken(struct text *broken, unsigned n, struct out *o, struct err *e)
{
	json_t *list = json_array();
	char *save = NULL;

	out_text(o, "%s", text_str(broken));
	for (char *l = n ? strtok_r(broken->s, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save))
		json_array_append_new(list, json_text(l));
	out_json(o, "broken", list);
	text_free(broken);
	return n ? err_set(e, "%s cannot be read", PLURAL(n, "lesson")) : 0;
}

/* --- listing --------------------------------------------------------------------------------------- */

static int list_lessons(struct out *o, struct err *e)
{
	AUTO_TEXT struct text names = {0};
	struct text broken = {0};
	unsigned n_broken = 0;
	struct lesson **all = lessons_all(&broken, &n_broken);
	json_t *list = json_array(), *fabrics = json_array();
	char *save = NULL;

	for (size_t i = 0; all[i]; i++) {
		out_text(o, "  %-12s %s (%s)\n", all[i]->name, all[i]->title, PLURAL(all[i]->n, "step"));
		json_array_append_new(list, json_make("{s:s, s:s, s:i, s:s*}", "name", all[i]->name, "title",
						      all[i]->title, "steps", (int)all[i]->n, "fabric",
						      all[i]->fabric));
	}
	out_text(o, all[0] ? "`lesson NAME` plays one.\n" : "No lessons were found.\n");
	synth_lessons(&names);
	if (names.len) {
		AUTO_TEXT struct text t = {0};

		wrap_text(&t, names.s + 1, COLUMNS, "Fabrics for `synth lesson:NAME`: ", "  ");
		out_text(o, "%s", text_str(&t));
		for (char *n = strtok_r(names.s, " ", &save); n; n = strtok_r(NULL, " ", &save))
			json_array_append_new(fabrics, json_text(n));
	}
	out_json(o, "lessons", list);
	out_json(o, "fabrics", fabrics);
	lessons_free(all);
	return told_broken(&broken, n_broken, o, e);
}

/* --- checking -------------------------------------------------------------------------------------- */

static unsigned check_one(const struct session *s, const struct lesson *l, json_t *list, struct out *o)
{
	AUTO_TEXT struct text faults = {0};
	unsigned expected, n = lesson_check(s, l, o->run->progress, &faults, &expected);

	out_text(o, "%-12s %s, %s, ", l->name, PLURAL(l->n, "step"), PLURAL(expected, "expectation"));
	out_text(o, "%s\n%s", n ? PLURAL(n, "fault") : "all met", text_str(&faults));
	json_array_append_new(list, json_make("{s:s, s:i, s:i, s:i}", "name", l->name, "steps", (int)l->n,
					      "expected", (int)expected, "faults", (int)n));
	return n;
}

/* --- playing --------------------------------------------------------------------------------------- */

struct play {
	struct session *s;
	struct lesson *l;
	size_t step;
	bool answers; /* answers are shown at once */
	json_t *steps;
	struct out *o;
};

static const struct lesson_step *lesson_command_step_of(const struct play *p)
{
	return &p->l->step[p->step];
}

/* In the explorer the pane shows the text. */
static void lesson_command_tell(const struct play *p, const char *what, const char *text)
{
	AUTO_TEXT struct text t = {0};

	if (!text || p->o->run->on_screen)
		return;
	wrap_text(&t, text, COLUMNS, what, "");
	out_text(p->o, "%s", text_str(&t));
}

/* Run the commands of the step. Their output is shown, or thrown away (quiet). -1 only when cancelled. */
static int run_step(const struct play *p, json_t *runs, bool quiet, struct err *e)
{
	const struct lesson_step *s = lesson_command_step_of(p);

	lesson_step_begin(p->s, s);
	for (size_t i = 0; i < s->n_run; i++) {
		AUTO_TEXT struct text said = {0};
		struct err why = {0};

		if (s->run[i].when != WHEN_PLAYED)
			continue;
		int rc = lesson_run(p->o->run, s->run[i].command, &said, &why);
		if (!quiet) {
			out_text(p->o, "> %s\n%s", s->run[i].command, text_str(&said));
			json_array_append_new(runs,
					      json_make("{s:s, s:b, s:s}", "commands", s->run[i].command,
							"ok", !rc, "text", text_str(&said)));
		}
		if (progress_cancelled(p->o->run->progress))
			return err_set(e, CANCELLED);
	}
	return 0;
}

/* same: nothing has changed since the step was played. */
static void put_place(const struct play *p, bool answered, bool same)
{
	struct lesson_place *at = NEW(struct lesson_place);

	at->lesson = lesson_read(p->l->word, p->o->run->progress, NULL);
	if (!at->lesson || at->lesson->n <= p->step) { /* the file has changed meanwhile */
		lesson_free(at->lesson);
		free(at);
		return;
	}
	at->step = p->step;
	at->answered = answered;
	at->generation = same ? p->s->generation : 0;
	lesson_place_put(p->s, at);
}

static bool is_one_command(const char *line)
{
	const char *rest;
	char **argv;
	int argc, rc = words_split(line, &rest, &argc, &argv, NULL);

	if (!rc)
		words_free(argc, argv);
	return !rc && !rest;
}

/*
 * The pane to look at, beside the lesson, which has the focus in the end: it gives way to a pane that opens
 * in its place.  What cannot be opened is left out.
 */
static void lesson_command_open_panes(const struct play *p)
{
	const struct lesson_step *s = lesson_command_step_of(p);
	struct err e;

	if (!p->o->run->on_screen)
		return;
	run_text(p->o->run, "pane lesson", &e);
	if (s->n_look) {
		AUTO_FREE char *line = str_printf("pane %s", s->look[0].pane);

		if (is_one_command(line))
			run_text(p->o->run, line, &e);
		run_text(p->o->run, "pane lesson", &e);
	}
}

static void tell_answer(const struct play *p)
{
	const struct lesson_step *s = lesson_command_step_of(p);

	if (s->answer)
		lesson_command_tell(p, "Answer: ", s->answer);
	for (size_t i = 0; s->answer && i < s->n_run; i++)
		if (s->run[i].when == WHEN_CHECKED)
			lesson_command_tell(p, "  shown by: ", s->run[i].command);
}

static int play_step(struct play *p, struct err *e)
{
	const struct lesson_step *s = lesson_command_step_of(p);
	json_t *runs = json_array(), *look = json_array();

	lesson_command_tell(p, "", s->text);
	int rc = run_step(p, runs, false, e);
	for (size_t i = 0; i < s->n_look; i++) {
		lesson_command_tell(p, "Look at: pane ", s->look[i].pane);
		json_array_append_new(look, json_text(s->look[i].pane));
	}
	lesson_command_tell(p, "Question: ", s->ask);
	if (p->answers)
		tell_answer(p);
	json_array_append_new(p->steps,
			      json_make("{s:i, s:s, s:o, s:o, s:s*, s:s*}", "step", (int)p->step + 1, "text",
					s->text, "runs", runs, "look", look, "ask", s->ask, "answer",
					p->answers ? s->answer : NULL));
	return rc;
}

/* Set up the beginning of the step, unless the step before it has just been played (goes_on). */
static int begin_at(struct play *p, bool goes_on, struct err *e)
{
	size_t step = p->step;

	if (goes_on)
		return 0;
	if (p->l->fabric && p->s->fabric)
		lesson_command_tell(p, "", "(fabric and options are those of the lesson now)");
	int rc = lesson_set_up(p->s, p->l, p->o->run->progress, e);
	for (p->step = 0; !rc && p->step < step; p->step++)
		rc = run_step(p, NULL, true, e);
	p->step = step;
	return rc;
}

static void lesson_command_tell_place(const struct play *p)
{
	char head[64];

	snprintf(head, sizeof(head), "Step %zu of %zu: ", p->step + 1, p->l->n);
	lesson_command_tell(p, head, p->l->title);
	out_json(p->o, "lesson",
		 json_make("{s:s, s:s, s:i, s:i}", "name", p->l->name, "title", p->l->title, "step",
			   (int)p->step + 1, "of", (int)p->l->n));
}

/* Steps from p->step to `last`. */
static int lesson_command_play(struct play *p, size_t last, bool goes_on, struct err *e)
{
	p->steps = json_array();
	int rc = begin_at(p, goes_on, e);
	for (size_t i = p->step; !rc && i <= last; i++) {
		p->step = i;
		lesson_command_tell_place(p);
		rc = play_step(p, e);
		if (!rc && i < last && !p->o->run->json)
			lesson_command_tell(p, "", "");
	}
	out_json(p->o, "steps", p->steps);
	if (!rc) /* before the lesson shows the step: whoever sees it finds the focus where it stays */
		lesson_command_open_panes(p);
	put_place(p, p->answers, !rc);
	if (!rc && !p->answers && lesson_command_step_of(p)->ask)
		lesson_command_tell(p, "", "(`lesson answer`)");
	return rc;
}

static int step_number(const char *word, const struct lesson *l, size_t *step, struct err *e)
{
	uint64_t n;

	if (!number_of(word, 1, l->n, &n))
		return err_set_kind(e, number_beyond(word, l->n) ? ERR_FAILED : ERR_SYNTAX,
				    "lesson %s: found \"%s\", expected a step from 1 to %zu, all or check",
				    l->name, word, l->n);
	*step = n - 1;
	return 0;
}

static int play_named(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct play p = {.s = s, .o = o, .l = lesson_read(args->arg[0].word, o->run->progress, e)};
	const struct arg *step = args_get(args, "STEP");
	bool all = args_has(args, "all");

	if (!p.l)
		return -1;
	p.answers = all;
	int rc = step ? step_number(step->word, p.l, &p.step, e) : 0;
	if (!rc)
		rc = lesson_command_play(&p, all ? p.l->n - 1 : p.step, false, e);
	lesson_free(p.l);
	return rc;
}

/* Judge the words behind `lesson answer`: lesson_judge(). */
static int judge_answer(struct play *p, const struct args *args, struct err *e)
{
	AUTO_TEXT struct text given = {0};

	if (!lesson_judges(lesson_command_step_of(p)))
		return err_set(e,
			       "step %zu of lesson %s does not tell which answers are right; `lesson answer` "
			       "shows one",
			       p->step + 1, p->l->name);
	for (int i = 1; i < args->n; i++)
		text_add(&given, "%s%s", i > 1 ? " " : "", args->arg[i].word);
	int right = lesson_judge(p->s, p->l, p->step, text_str(&given), p->o->run->progress, e);
	if (right < 0)
		return -1;
	out_json(p->o, "right", json_boolean(right));
	out_text(p->o, right ? "Right.\n" : "Wrong.\n");
	p->o->run->found_fault |= !right;
	return right;
}

/* Shows the answer, if none was given or the one given is right. */
static int show_answer(struct play *p, const struct args *args, struct err *e)
{
	const struct lesson_step *s = lesson_command_step_of(p);
	bool same = p->s->lesson->generation == p->s->generation;

	if (!s->answer)
		return err_set(e, "step %zu of lesson %s asks nothing", p->step + 1, p->l->name);
	if (args->n > 1) {
		int rc = judge_answer(p, args, e);

		if (rc <= 0)
			return rc;
	}
	tell_answer(p);
	lesson_command_tell_place(p);
	out_json(p->o, "answer", json_text(s->answer));
	put_place(p, true, same);
	return 0;
}

/* Go on from the session's place in a lesson. */
static int lesson_command_go_on(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *word = args->arg[0].word;
	const struct lesson_place *at = s->lesson;
	struct play p = {.s = s, .o = o};
	int rc;

	if (!at)
		return err_set(e, "no lesson is being played; `lesson` lists them, `lesson NAME` plays one");
	p.step = at->step;
	p.l = lesson_read(at->lesson->word, o->run->progress, e);
	if (!p.l)
		return -1;
	if (p.step >= p.l->n)
		p.step = p.l->n - 1;
	if (!strcmp(word, "answer"))
		rc = show_answer(&p, args, e);
	else if (!strcmp(word, "next") && p.step + 1 >= p.l->n)
		rc = err_set(e, "this is the last step of lesson %s", p.l->name);
	else if (!strcmp(word, "back") && !p.step)
		rc = err_set(e, "this is the first step of lesson %s", p.l->name);
	else {
		bool forward = !strcmp(word, "next");

		if (forward)
			p.step++;
		else if (!strcmp(word, "back"))
			p.step--;
		rc = lesson_command_play(&p, p.step, forward && at->generation == s->generation, e);
	}
	lesson_free(p.l);
	return rc;
}

/* --- one's own --------------------------------------------------------------------------------------- */

static const char template[] =
	"# A lesson for ibscope.  `lesson ./THIS-FILE` plays it, `lesson ./THIS-FILE "
	"check` tells what is not true.\n"
	"title: A cable fails\n"
	"fabric: xgft:2,2:1,2\n"
	"\n"
	"text: Each step begins with a text. A line that begins with a blank\n"
	"  goes on with the one before.\n"
	"run: route minhop; check\n"
	"expect: Sound\n"
	"look: lft leaf-01\n"
	"see: node0003\n"
	"\n"
	"text: The next step goes on from where the last one ended.\n"
	"run: fail link leaf-01[3]\n"
	"expect: 1 link down\n"
	"look: changes\n"
	"see: leaf-01\n"
	"ask: Is a host cut off?\n"
	"answer: No. The other spine still reaches them all.\n"
	"accept: no\n"
	"proof: check\n"
	"expect: 0 unreachable\n"
	"\n"
	"text: An exercise: `grade ./THIS-FILE ANSWERS` judges what somebody handed in.\n"
	"ask: Which cable must fail as well to cut node0001 off? Name it by its end at the switch.\n"
	"answer: Its own, leaf-01[1].\n"
	"accept: leaf-01[1]\n"
	"judge: fail link $ANSWER; check\n"
	"expect: cut off from the subnet manager (node0001)\n"
	"points: 2\n";

static int write_template(const char *path, struct out *o, struct err *e)
{
	struct target to;
	struct stat st;
	int rc = !stat(path, &st) && S_ISREG(st.st_mode) ? err_set(e, "%s is there already", path)
							 : open_target(&to, path, o, e);

	if (!rc) {
		fputs(template, to.f);
		rc = close_target(&to, 0, o, e);
	}
	if (!rc && !on_output(&to))
		out_text(o, "`lesson %s%s` plays it once you have changed it to what you teach.\n",
			 strchr(path, '/') ? "" : "./", path);
	return rc;
}

static int cmd_lesson(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *name = args_word(args, "LESSON", NULL);

	if (args_has(args, "check")) {
		struct text broken = {0};
		unsigned n_broken = 0, faults = 0;
		struct lesson **all = name ? NEW_ARRAY(2, struct lesson *) : lessons_all(&broken, &n_broken);
		json_t *list = json_array();
		int rc = 0;

		if (name && !(all[0] = lesson_read(name, o->run->progress, e)))
			rc = -1;
		for (size_t i = 0; all[i] && !progress_cancelled(o->run->progress); i++)
			faults += check_one(s, all[i], list, o);
		if (progress_cancelled(o->run->progress))
			rc = err_set(e, CANCELLED);
		else if (faults)
			out_text(o, "%s: what a lesson says is not what the commands print\n",
				 PLURAL(faults, "fault"));
		o->run->found_fault |= faults;
		lessons_free(all);
		out_json(o, "checked", list);
		if (told_broken(&broken, n_broken, o, rc ? NULL : e))
			rc = -1;
		return rc ? -1 : 0;
	}
	if (args_has(args, "new"))
		return write_template(args_word(args, "FILE", NULL), o, e);
	if (name)
		return play_named(s, args, o, e);
	return args->n ? lesson_command_go_on(s, args, o, e) : list_lessons(o, e);
}

const struct command lesson_commands[] = {
	{.name = "lesson",
	 .group = TEACH,
	 .deeds = DEED_LEAVE,
	 .numbers = ARG_NUMBERS(ARG_NUMBER("STEP", 0, UINT64_MAX, "a step from 1, all or check", "lesson")),
	 .syntax = "lesson [check|next|back|again] | lesson answer [TEXT...] | lesson new FILE | lesson "
		   "LESSON [all|check|STEP]",
	 .help = "list the lessons on routing; play one, from a step on; check that its texts fit what "
		 "commands print",
	 .finds = "an answer is wrong, or check finds that a lesson says something else than its commands "
		  "print",
	 .json = JSON_CONTENT "lessons[] object? lessons there are\n"
			      "lessons[].name string as `lesson` takes it\n"
			      "lessons[].title string what it is about\n"
			      "lessons[].steps integer its steps\n"
			      "lessons[].fabric string? what `synth` makes for it\n"
			      "fabrics[] string? what `synth lesson:NAME` takes\n"
			      "broken[] string? lessons that cannot be read: file, line and what is wrong\n"
			      "checked[] object? lessons that were checked\n"
			      "checked[].name string its name\n"
			      "checked[].steps integer its steps\n"
			      "checked[].expected integer texts that the lesson expects\n"
			      "checked[].faults integer where the output differs\n"
			      "lesson object? the place in a lesson\n"
			      "lesson.name string its name\n"
			      "lesson.title string its title\n"
			      "lesson.step integer(1..) the step, from 1\n"
			      "lesson.of integer(1..) steps there are\n"
			      "steps[] object? steps that were played\n"
			      "steps[].step integer(1..) its number\n"
			      "steps[].text string what it tells\n"
			      "steps[].runs[] object what was run\n"
			      "steps[].runs[].commands string the commands\n"
			      "steps[].runs[].ok boolean none failed\n"
			      "steps[].runs[].text string what they printed\n"
			      "steps[].look[] string panes to look at, with their arguments\n"
			      "steps[].ask string? a question\n"
			      "steps[].answer string? its answer\n"
			      "answer string? the answer that was asked for\n"
			      "right boolean? the answer that was given is right\n",
	 .run = cmd_lesson},
	{.name = NULL},
};

/* `grade`: the answers that somebody handed in to the questions of a lesson, judged, as points. */

/* A line "STEP: ANSWER" into answer[], a copy; lines that are empty or begin with # are none. */
static int grade_command_take_line(const struct lesson *l, const char *path, unsigned number,
				   const char *line, char **answer, struct err *e)
{
	uint64_t n;
	int rc = 0;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	size_t len = strcspn(line, ":");
	AUTO_FREE char *step = str_printf("%.*s", (int)len, line);
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

	for (size_t i = 0; i < l->n; i++) {
		const struct lesson_step *step = &l->step[i];

		if (!lesson_judges(step))
			continue;
		int right = answer[i] ? lesson_judge(s, l, i, answer[i], o->run->progress, e) : 0;
		if (right < 0) {
			rc = -1;
			break;
		}
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
	int rc = -1;

	if (!l)
		return -1;
	AUTO_FREE char **answer = NEW_ARRAY(l->n, char *);
	AUTO_FREE char *text = lesson_text(path, o->run->progress, e);
	if (text && !lesson_answers(l, path, text, answer, e))
		rc = grade_command_run(s, l, answer, o, e);
	for (size_t i = 0; i < l->n; i++)
		free(answer[i]);
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
