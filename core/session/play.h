/* Playing a walk through a run.  The explorer moves it frame by frame (tui/play.c), until it stops. */
#ifndef IBSCOPE_PLAY_H
#define IBSCOPE_PLAY_H

#include "core/session/interpreter.h"
#include "core/trace/recording.h"

/* The speed: one step a frame, or one boundary a frame. */
struct play_pace {
	const char *name; /* word of `step play` */
	const char *told; /* "5 steps/s" */
	unsigned frames;  /* a second */
	int key;	  /* enum rec_key of the boundary; -1: a step */
};
#define PLAY_PACES 9
extern const struct play_pace play_paces[PLAY_PACES];

/* The pace of the walk, -1: it stands still.  Under the lock. */
int session_playing(const struct session *s);
/* Under the lock: play, or stop (-1).  Panes are told. */
void session_play(struct session *s, int pace);

/* One frame: a line that moves the walk and prints why it stopped.  Under the lock; commands_free(). */
struct command_list *play_frame(const struct session *s);

#endif
