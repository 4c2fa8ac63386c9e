/* Playing a walk frame by frame, without a screen: paces, breakpoints, the end; and the pane's rows. */
#include "core/base/progress.h"
#include "core/session/commands/steps.h"
#include "core/session/lesson.h"
#include "core/trace/walk.h"
#include "tests/unit/fixture.h"

static int no_screen(const struct command *c, const struct args *args, struct out *o, struct err *e)
{
	return err_set(e, "%s: no screen", c->name);
}

/* As a line typed in the explorer; freed by the caller. */
static char *typed(struct session *s, const char *line, int *rc, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	struct command_run r = {
		.in = interpreter_of(s), .f = open_memstream(&text, &len), .on_screen = no_screen};

	*rc = run_text(&r, line, e);
	fclose(r.f);
	return text;
}

static void type(struct session *s, const char *line)
{
	struct err e = {0};
	int rc;

	free(typed(s, line, &rc, &e));
	if (rc)
		fail_msg("%s: %s", line, e.msg);
}

static void type_fails(struct session *s, const char *line, const char *part)
{
	struct err e = {0};
	int rc;

	free(typed(s, line, &rc, &e));
	if (!rc || !strstr(e.msg, part))
		fail_msg("%s: \"%s\" is not in: %s", line, part, e.msg);
}

/* One frame; what it says, freed by the caller. */
static char *one_frame(struct session *s)
{
	char *text = NULL;
	size_t len = 0;
	struct command_run r = {
		.in = interpreter_of(s), .f = open_memstream(&text, &len), .on_screen = no_screen};
	struct command_list *l = play_frame(s);
	struct err e = {0};

	assert_int_equal(run_commands(&r, l, &e), 0);
	commands_free(l);
	fclose(r.f);
	return text;
}

/* Frames until it stops; the last one says a text.  Their number. */
static unsigned play_out(struct session *s, const char *says)
{
	unsigned n = 0;
	char *text = NULL;

	while (session_playing(s) >= 0) {
		if (text && *text)
			fail_msg("frame %u says %s", n, text);
		free(text);
		text = one_frame(s);
		assert_true(session_shown(s)->step == walk_step(session_walk(s)));
		n++;
	}
	if (!text || !strstr(text, says))
		fail_msg("\"%s\" is not in: %s", says, text ? text : "nothing");
	free(text);
	return n;
}

static struct session *started(const char *spec, const char *line)
{
	struct session *s = session_after("synth %s", spec);

	type(s, line);
	return s;
}

static void to_the_end(void **state)
{
	AUTO_SESSION struct session *s = started("ring:5", "route lash; step start; step play 50");
	size_t n = recording_steps(walk_recording(session_walk(s)));

	assert_int_equal(session_playing(s), 5);
	assert_int_equal(play_out(s, "The run is over"), n);
	assert_int_equal(walk_step(session_walk(s)), n);
	type_fails(s, "step play", "the run is over");
}

/* A frame goes on to the next switch, and not over a breakpoint. */
static void breakpoints(void **state)
{
	struct session *s =
		started("ring:5", "route lash; step start; step break ring2 LID 8; step break refused");

	type(s, "step play 50");
	play_out(s, "Breakpoint 2:");
	size_t at = walk_step(session_walk(s));
	type(s, "step to first; step go");
	assert_int_equal(walk_step(session_walk(s)), at);
	type(s, "step play lid");
	play_out(s, "Breakpoint 1:");
	assert_int_equal(moment_event(session_shown(s))->kind, REC_CHOICE);
	assert_int_equal(moment_event(session_shown(s))->b, 8);
	/* where two stop, the first is told; one that is taken out stops nothing */
	type(s, "step break off; step break refused; step break refused; step break ring2 LID 8; step break "
		"refused");
	type(s, "step to first; step break off 3; step play 50");
	play_out(s, "Breakpoint 1:");
	assert_int_equal(walk_step(session_walk(s)), at);
	type(s, "step break off; step play switch");
	play_out(s, "The run is over");
	session_free(s);
}

/* Of seven the last is taken out: the others stay as they are. */
static void breakpoints_out(void **state)
{
	AUTO_SESSION struct session *s = started("ring:5", "route lash; step start");
	struct text t = {0};

	for (int i = 1; i <= 7; i++) {
		text_add(&t, "step break switch ring%d", i % 5);
		type(s, text_str(&t));
		text_free(&t);
	}
	for (size_t n = 7; n; n--) {
		text_add(&t, "step break off %zu", n);
		type(s, text_str(&t));
		text_free(&t);
		if (n > 1)
			line_says(s, "step break", "ring1");
	}
	line_says(s, "step break", "No breakpoints");
}

/* A breakpoint at a switch that the next fabric lacks: nothing is played. */
static void play_without_switch(void **state)
{
	AUTO_SESSION struct session *s = started("ring:5", "route lash; step start; step break switch ring4");

	type(s, "synth ring:4; route lash; step start");
	type_fails(s, "step play", "ring4");
	assert_int_equal(session_playing(s), -1);
}

/* Cancelled while the next breakpoint is looked for, nothing is played. */
static void play_cancelled(void **state)
{
	AUTO_SESSION struct session *s = started("ring:5", "route lash; step start; step break refused");
	struct progress p = {0};
	struct command_run r = {.in = interpreter_of(s),
				.f = fopen("/dev/null", "w"),
				.on_screen = no_screen,
				.progress = &p};
	struct err e = {0};

	atomic_store(&p.cancel, true);
	assert_int_equal(run_text(&r, "step play", &e), -1);
	assert_string_equal(e.msg, CANCELLED);
	assert_int_equal(session_playing(s), -1);
	fclose(r.f);
}

/* Back from a step is the page before it. */
static void pages(void **state)
{
	AUTO_SESSION struct session *s = started("ring:5", "route lash; step start; step to 60");

	type(s, "step back");
	assert_int_equal(walk_step(session_walk(s)), 59);
	type(s, "step back");
	assert_int_equal(walk_step(session_walk(s)), 59 - STEP_PAGE);
}

static void stopping(void **state)
{
	static const char *const stops[] = {"step stop",	  "step pause", "step 1",
					    "step back 1",	  "step show",	"step start",
					    "fail link ring0[2]", "step end"};
	AUTO_SESSION struct session *s = started("ring:5", "route lash");

	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		char *text;

		type(s, "step start; step pause");
		assert_true(session_playing(s) >= 0);
		free(one_frame(s));
		type(s, stops[i]);
		assert_int_equal(session_playing(s), -1);
		text = one_frame(s); /* one that was due already */
		assert_string_equal(text, "");
		free(text);
		assert_int_equal(session_playing(s), -1);
	}
}

static void paces(void **state)
{
	AUTO_SESSION struct session *s = started("xgft:2,2:1,2", "route minhop; step start; step play 20");

	type(s, "step play faster; step play faster");
	assert_string_equal(play_paces[session_playing(s)].name, "switch");
	type(s, "step play faster; step play faster; step play faster");
	assert_string_equal(play_paces[session_playing(s)].name, "round");
	type(s, "step stop; step play slower");
	assert_int_equal(session_playing(s), -1);
	type(s, "step play");
	assert_string_equal(play_paces[session_playing(s)].name, "lid");
	type(s, "route lash; step start; step play lid");
	type(s, "step play faster"); /* no rounds in it */
	assert_string_equal(play_paces[session_playing(s)].name, "lid");
	type_fails(s, "step play 3", "found speed 3, expected 1, 2, 5");
	line_fails(s, "step play", "needs a screen");
	line_fails(s, "step pause", "needs a screen");
}

static void boundaries(void **state)
{
	AUTO_SESSION struct session *s = started("xgft:2,2:1,2", "route minhop; step start");

	type(s, "step next switch");
	size_t at = walk_step(session_walk(s));
	type(s, "step next boundary; step back boundary");
	assert_int_equal(walk_step(session_walk(s)), at);
	type(s, "step next phase; step next boundary");
	assert_int_equal(moment_event(session_shown(s))->kind, REC_PHASE);
	line_says(s, "step break", "No breakpoints");
}

/* Rows are the steps that were asked for; below the one it stands at what it changed. */
static void rows(void **state)
{
	AUTO_SESSION struct session *s = started("xgft:4,4:1,2", "route updn");

	line_says(s, "list step", "> step start updn");
	type(s, "step start leaf-03; step to 200");
	line_says(s, "list step", "*  200 leaf-03 LID 15 (node0005) -> port 5");
	line_says(s, "list step", "+ leaf-03 LID 15: port 5, was none");
	line_says(s, "list step", "> port 5 to spine-01[3]: hops 2, routes 2");
	line_says(s, "list step filter leaf-02", "target leaf-02, at leaf-03");
	type(s, "step start; step to 0");
	line_says(s, "list step", "before the first step");
	line_says(s, "list step", "the run is over");
	type(s, "route mincontention; step start");
	line_says(s, "list step", "before the first step");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_the_end),
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(breakpoints_out),
		cmocka_unit_test(play_cancelled),
		cmocka_unit_test(play_without_switch),
		cmocka_unit_test(pages),
		cmocka_unit_test(stopping),
		cmocka_unit_test(paces),
		cmocka_unit_test(boundaries),
		cmocka_unit_test(rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
