/* Plays a walk through a run (core/session/play.h): decides when the next frame is due. */
#include "core/base/progress.h"
#include "core/session/play.h"
#include "tui/ui.h"

static double due; /* time of the next frame; 0 = nothing is played */
static int wait_ms = -1;

/* A late frame delays the following ones; none is skipped or hurried. */
void play_serve(void)
{
	int pace = session_playing(ui.session);
	double now = now_seconds();

	wait_ms = -1;
	if (pace < 0)
		due = 0;
	if (pace < 0 || worker_busy(NULL)) /* its end will wake the loop */
		return;
	if (now >= due) {
		due = now + 1.0 / play_paces[pace].frames;
		worker_add(play_frame(ui.session), NULL, false);
	} else {
		wait_ms = (int)((due - now) * 1000) + 1;
	}
}

int play_wait(void)
{
	return wait_ms;
}

bool play_stop(void)
{
	bool played = session_playing(ui.session) >= 0;

	session_play(ui.session, -1);
	return played;
}
