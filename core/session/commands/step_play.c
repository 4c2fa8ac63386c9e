/* Playing a walk: `step play`, `step pause`, `step stop`, and what a frame does. */
#include <assert.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"
#include "core/session/lesson.h"
#include "core/trace/walk.h"

#define PACE_USUAL 2

const struct play_pace play_paces[PLAY_PACES] = {
	{"1", "1 step/s", 1, -1},
	{"2", "2 steps/s", 2, -1},
	{"5", "5 steps/s", 5, -1},
	{"10", "10 steps/s", 10, -1},
	{"20", "20 steps/s", 20, -1},
	{"50", "50 steps/s", 50, -1},
	{"switch", "10 switches/s", 10, KEY_SWITCH},
	{"lid", "10 LIDs/s", 10, KEY_LID},
	{"round", "10 rounds/s", 10, KEY_ROUND},
};

int session_playing(const struct session *s)
{
	return session_walk(s) || session_drain(s) ? s->play - 1 : -1;
}

void session_play(struct session *s, int pace)
{
	assert(pace >= -1 && pace < PLAY_PACES);
	if (s->play == pace + 1)
		return;
	s->play = pace + 1;
	s->moves++; /* so that panes see it */
}

bool step_stand_still(struct session *s)
{
	session_lock(s); /* the screen's thread may stop it, too */
	bool played = session_playing(s) >= 0;
	session_play(s, -1);
	session_unlock(s);
	return played;
}

/* --- starting and stopping ------------------------------------------------------------------------ */

int step_pace(const char *word, struct err *e)
{
	AUTO_TEXT struct text t = {0};

	for (int i = 0; i < PLAY_PACES; i++)
		if (!strcmp(play_paces[i].name, word))
			return i;
	for (int i = 0; i < PLAY_PACES; i++)
		text_add(&t, "%s%s", i ? ", " : "", play_paces[i].name);
	err_word(e, "found speed %s, expected %s, faster or slower", word, text_str(&t));
	return -1;
}

/* Is there such a boundary in the run? Single steps there always are. */
static bool pace_fits(const struct walk *w, int pace)
{
	assert(pace >= 0 && pace < PLAY_PACES);

	int key = play_paces[pace].key;
	size_t none = recording_steps(walk_recording(w)) + 1;

	return key < 0 || walk_next(w, key, 1) < none || walk_next(w, key, -1) < none;
}

/* The next pace in a direction that this run has; at the end the same pace. */
static int pace_beside(const struct walk *w, int pace, int dir)
{
	for (int i = pace + dir; i >= 0 && i < PLAY_PACES; i += dir)
		if (pace_fits(w, i))
			return i;
	return pace;
}

static int step_play_command_run(struct session *s, int pace, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	const struct walk *w = session_walk(s);
	size_t n = recording_steps(walk_recording(w));

	if (step_neighbour(walk_recording(w), walk_step(w), 1) > n)
		return err_set(e, "the run is over after %s; `step to first` goes to its start",
			       PLURAL(n, "step"));
	in->play_until = n + 1;
	if (in->n_stops) {
		in->play_until = step_next_break(s, in, &in->play_stop, o->run->progress, e);
		if (!in->play_until)
			return -1;
	}
	session_lock(s);
	session_play(s, pace);
	session_unlock(s);
	return 0;
}

/* `step play faster`: playing goes on at the new pace. */
static int change_pace(struct session *s, int dir, bool played, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;

	in->pace = pace_beside(session_walk(s), in->pace - 1, dir) + 1;
	if (played)
		return step_play_command_run(s, in->pace - 1, o, e);
	out_text(o, "%s, when it is played.\n", play_paces[in->pace - 1].told);
	return 0;
}

int step_play(struct session *s, const struct args *args, bool played, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	const char *speed = args_word(args, "SPEED", NULL);
	int pace;

	if (!in->pace)
		in->pace = PACE_USUAL + 1;
	if (args_has(args, "stop") || (args_has(args, "pause") && played)) {
		if (played)
			out_text(o, "Stopped at step %zu.\n", walk_step(session_walk(s)));
		return 0;
	}
	if (args_has(args, "faster"))
		return change_pace(s, 1, played, o, e);
	if (args_has(args, "slower"))
		return change_pace(s, -1, played, o, e);
	pace = speed ? step_pace(speed, e) : in->pace - 1;
	if (pace < 0)
		return -1;
	in->pace = pace + 1;
	return step_play_command_run(s, pace, o, e);
}

/* --- frames ----------------------------------------------------------------------------------------- */

/* Where the next frame goes. */
static size_t next_step(const struct walk *w, int pace)
{
	const struct recording *r = walk_recording(w);
	int key = play_paces[pace].key;
	size_t to = key < 0 ? step_neighbour(r, walk_step(w), 1) : walk_next(w, key, 1);

	return to > recording_steps(r) ? recording_steps(r) : to;
}

static int frame(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	struct interpreter *in = o->run->in;
	struct walk *w = session_walk(s);

	(void)e;
	session_lock(s);
	int pace = session_playing(s);
	session_unlock(s);
	if (pace < 0)
		return 0;
	if (!w)
		return drain_frame(s, o);
	size_t to = next_step(w, pace);
	if (to > in->play_until)
		to = in->play_until;
	session_lock(s);
	walk_to(w, to, NULL);
	session_unlock(s);
	in->steps_shown = to ? to - 1 : 0;
	if (to == in->play_until || to == recording_steps(walk_recording(w)))
		step_stand_still(s);
	session_walk_moved(s);
	if (to == in->play_until) {
		out_text(o, "Breakpoint %zu:\n", in->play_stop);
		step_line(w, o);
	} else if (to == recording_steps(walk_recording(w)))
		out_text(o, "The run is over: %s.\n", PLURAL(to, "step"));
	return 0;
}

/* A frame. It is in no table of commands; play_frame() alone uses it. */
static const struct command command_frame = {
	.name = "step", .syntax = "step stop", .help = "a frame of `step play`", .run = frame};

/* If its words were split for another fabric, playing stops. */
struct command_list *play_frame(const struct session *s)
{
	struct command_list *l = commands_split(s, "step stop");

	l->command[0].command = &command_frame;
	return l;
}
