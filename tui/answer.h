/*
 * The terminal's answer to OSC 11, "what is your background?": "\033]11;rgb:R/G/B" and BEL, "\033\\" or 0x9c.
 * It comes among the keys, at any time or never, and in parts. Nothing waits for it: what looks like its
 * beginning is held until the next key tells.
 */
#ifndef IBSCOPE_ANSWER_H
#define IBSCOPE_ANSWER_H

#include "tui/keymap.h"

#define NO_KEY (K_MOUSE + 100) /* something was read, which is no key */

/* Zeroed, with .asked set, once the question is sent. */
struct answer {
	bool asked;	 /* and not answered yet */
	bool typed;	 /* the person has typed a key: Esc is not held any more */
	bool esc;	 /* the last key was Esc alone: the beginning in a part of its own */
	double held;	 /* when Esc came that is held, 0 = none is */
	unsigned n;	 /* how much of "]11;" has come */
	keycode first;	 /* the key that began it */
	char rgb[32];	 /* what has come behind it */
	keycode back[8]; /* held keys that were none of the answer, the last one first */
	unsigned n_back;
};

/*
 * Takes a key that was read at `now` (seconds), K_NONE when there is none, and returns the key to act on:
 * K_NONE, or NO_KEY while it is held or belongs to the answer. While n_back is not 0, the next key is
 * answer_back() in place of one that is read. Before the person's first key, Esc alone is held for 50 ms.
 */
keycode answer_key(struct answer *a, keycode k, double now);
keycode answer_back(struct answer *a);

#endif
