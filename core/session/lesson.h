/*
 * Lessons: files of text, commands that run, what to look at, a question with its answer.
 *
 * A file NAME.lesson has lines "KEY: VALUE"; a line that begins with a blank continues the value before; #
 * begins a comment.  For the whole lesson there are `title`, `fabric` (a specification of `synth`; none: the
 * fabric that is loaded stays), `number` (its place in the list).  Each `text` begins a step; behind it:
 *
 *   run: COMMANDS     run when the step is played
 *   look: PANE ...    a pane to look at, opened beside the lesson
 *   see: TEXT         occurs in what the pane before it shows; blanks in a row count as one
 *   ask: / answer:    a question; the answer is hidden until it is asked for
 *   accept: TEXT      an answer that counts as right; case and blanks in a row do not matter
 *   judge: COMMANDS   run with an answer in place of $ANSWER, as one word
 *   points: N         what a right answer is worth in `grade`; 1
 *   proof: COMMANDS   run by `lesson NAME check` only: what the answer claims
 *   expect: TEXT      occurs in what the run, proof or judge before it prints; blanks in a row count as one
 *
 * Commands look, or change the session, and do nothing else (progress.h).
 *
 * A walk that a step begins ends with the step, unless the first command of the next one is a `step` as well.
 */
#ifndef IBSCOPE_LESSON_H
#define IBSCOPE_LESSON_H

#include "core/base/err.h"
#include "core/session/interpreter.h"
#include "core/session/session.h"
#include "core/trace/recording.h"

#define LESSON_BYTES 1000000 /* of a file, at most */

struct lesson_list {
	char **text;
	size_t n, cap;
};

enum lesson_when { WHEN_PLAYED, WHEN_CHECKED, WHEN_JUDGED };

struct lesson_run {
	char *command;
	enum lesson_when when;
	struct lesson_list expect;
};

struct lesson_look {
	char *pane; /* with its arguments */
	struct lesson_list see;
};

struct lesson_step {
	char *text, *ask, *answer; /* ask and answer may be NULL */
	unsigned ask_line;	   /* of its file, from 1 */
	struct lesson_list accept;
	unsigned points;
	struct lesson_look *look;
	size_t n_look, cap_look;
	struct lesson_run *run;
	size_t n_run, cap_run;
};

struct lesson {
	char *word;		     /* the word that lesson_read() takes */
	char *name, *title, *fabric; /* fabric may be NULL */
	unsigned number;
	struct lesson_step *step; /* at least one */
	size_t n, cap;
};

/* The text of a file for a lesson or of one; the caller frees it.  NULL and *e when it cannot be read, is not
 * text, or is too long. */
char *lesson_text(const char *path, struct progress *p, struct err *e);

/*
 * Reads a lesson.  `word` is the name of a lesson, or the path of a file: it has a / or ends with ".lesson".
 * NULL and *e when there is no such file, or it does not have the form above.
 */
struct lesson *lesson_read(const char *word, struct progress *p, struct err *e);
/* The same from its text, which is changed; `path` is for messages. */
struct lesson *lesson_parse(const char *word, const char *path, char *text, struct err *e);
void lesson_free(struct lesson *l);

/*
 * All lessons that can be read, by number and name.  The list ends with NULL; free it with lessons_free().
 * `broken` (may be NULL) gets a line on what is wrong with each of the others, *n_broken their number.
 */
struct lesson **lessons_all(struct text *broken, unsigned *n_broken);
void lessons_free(struct lesson **l);

/* A session's place in a lesson.  Immutable and counted, so panes may hold it. */
struct lesson_place {
	atomic_uint refs;
	struct lesson *lesson;
	size_t step;	     /* from 0 */
	bool answered;	     /* its answer is shown */
	uint64_t generation; /* of the session at this place; if it differs, something has changed since */
};
const struct lesson_place *lesson_place_ref(const struct lesson_place *p);
void lesson_place_unref(const struct lesson_place *p); /* NULL is fine */
/* Takes over p with its lesson.  For the thread that runs commands. */
void lesson_place_put(struct session *s, struct lesson_place *p);

/* The lesson's fabric with everything up, options at their defaults, and nothing routed.  0, or -1 and *e. */
int lesson_set_up(struct session *s, const struct lesson *l, struct progress *p, struct err *e);

/* Ends the walk that the step before began, if this step does not continue it. */
void lesson_step_begin(struct session *s, const struct lesson_step *step);
/* Runs commands of a lesson.  Output, and the message of a failure, go to `said`.  Returns 0, or -1 and
 * *e. */
int lesson_run(const struct command_run *in, const char *commands, struct text *said, struct err *e);

/* Can an answer to its question be judged? */
bool lesson_judges(const struct lesson_step *step);
/*
 * Answers handed in: text, which is changed, has a line "STEP: ANSWER" for each; # begins a comment.
 * answer[l->n] must be NULL before; the caller frees its texts afterwards.  path: for messages.  0, or -1 and
 * *e.
 */
int lesson_answers(const struct lesson *l, const char *path, char *text, char **answer, struct err *e);
/*
 * Is an answer to the question of a step right: one that is accepted, or one with which the commands of
 * `judge` print what they should, after the steps up to this one, in a session of their own?  1: yes; 0: no;
 * -1 and *e: cancelled, no fabric.
 */
int lesson_judge(const struct session *like, const struct lesson *l, size_t step, const char *answer,
		 struct progress *p, struct err *e);

/* Plays a lesson in a session of its own.  Differences go to `faults`; returns their number, and in *expected
 * the number of texts. */
unsigned lesson_check(const struct session *like, const struct lesson *l, struct progress *p,
		      struct text *faults, unsigned *expected);

/* Playing a walk through a run.  The explorer moves it frame by frame (tui/screen.c) until it stops. */

/* The speed: one step a frame, or one boundary a frame. */
struct play_pace {
	const char *name; /* word of `step play` */
	const char *told; /* "5 steps/s" */
	unsigned frames;  /* a second */
	int key;	  /* enum rec_key of the boundary; -1: single steps */
};
#define PLAY_PACES 9
extern const struct play_pace play_paces[PLAY_PACES];

/* The pace of the walk, or -1 when it stands still.  Under the lock. */
int session_playing(const struct session *s);
/* Under the lock: plays, or stops (-1), and tells the panes. */
void session_play(struct session *s, int pace);

/* One frame: a line that moves the walk and prints why it stopped.  Under the lock; commands_free(). */
struct command_list *play_frame(const struct session *s);

#endif
