/*
 * What the terminal says among the keys: strings (OSC, DCS, APC, PM, SOS), and CSI and SS3 sequences that
 * curses does not know. They come at any time, asked for or not, in parts, and are never keys. One is asked
 * for: the answer to OSC 11, "what is your background?", is "\033]11;rgb:R/G/B" and BEL or "\033\\".
 * Nothing waits for it: what looks like a beginning is held until the next key, or 50 ms of silence, tells.
 */
#ifndef IBSCOPE_ANSWER_H
#define IBSCOPE_ANSWER_H

#include "tui/keymap.h"

#define NO_KEY (K_MOUSE + 100) /* something was read, which is no key */

enum answer_part {
	ANSWER_NONE,
	ANSWER_ESC,   /* Esc is held */
	ANSWER_BEGUN, /* ... or Esc and the character that says what follows */
	ANSWER_INSIDE /* more has come */
};

/* Zeroed; .asked is set once the question is sent. */
struct answer {
	bool asked; /* and not answered yet */
	bool typed; /* the person has typed a key: Esc alone is not held any more */
	enum answer_part part;
	double since; /* when its last byte came */
	bool silent;  /* nothing was there to be read since then */
	bool alone;   /* Esc came in a part of its own ... */
	bool late;    /* ... and was taken for a key: what follows can only be the answer that is asked for */
	bool esc;     /* the last key was Esc alone */
	keycode kind; /* the character behind the first Esc: ']' for OSC ... */
	char text[64]; /* what has come behind it; the rest of a long string is forgotten */
	unsigned len;
	keycode back[8]; /* held keys that were none of it, the last one first */
	unsigned n_back;
};

/*
 * Takes a key that was read at `now` (seconds), K_NONE when there is none, and returns the key to act on:
 * K_NONE, or NO_KEY while it is held or belongs to what the terminal says. K_SEQUENCE: a CSI or SS3 sequence
 * is complete; .kind and .text have it. While n_back is not 0, the next key is answer_back() in place of one
 * that is read. Before the person's first key, Esc alone is held for 50 ms while the answer is not there.
 */
keycode answer_key(struct answer *a, keycode k, double now);
keycode answer_back(struct answer *a);

#endif
