/* The terminal's answer about its background, told from keys. */
#include <string.h>
#include "tui/answer.h"
#include "tui/colours.h"

#define ESC_PATIENCE 0.05 /* seconds for which Esc is held */

static const char begin[] = "]11;";

keycode answer_back(struct answer *a)
{
	return a->back[--a->n_back];
}

/* It was no answer: gives held keys back, and returns the first of them. */
static keycode give_back(struct answer *a, keycode k)
{
	bool held = a->held > 0;

	a->typed = true;
	a->held = 0;
	a->esc = a->esc && k == K_NONE && !a->n;
	if (k != K_NONE)
		a->back[a->n_back++] = k;
	while (a->n > 1)
		a->back[a->n_back++] = (keycode)begin[--a->n];
	if (held && a->n)
		a->back[a->n_back++] = a->first;
	a->n = 0;
	return held ? K_ESC : a->first;
}

/* A key behind the beginning of an answer. */
static keycode take_answer(struct answer *a, keycode k)
{
	size_t len = strlen(a->rgb);
	bool esc = a->esc;

	a->esc = k == K_ESC;
	if (a->esc)
		return NO_KEY;
	if (k < 0x80 && len + 1 < sizeof(a->rgb) && strchr("0123456789abcdefABCDEF/:rgb", (int)k)) {
		a->rgb[len] = (char)k;
		return NO_KEY;
	}
	a->asked = false;
	if (k != K_CTRL('G') && k != ('\\' | KEYF_META) && k != 0x9c && !(esc && k == '\\'))
		return k;
	colours_background(a->rgb);
	return NO_KEY;
}

keycode answer_key(struct answer *a, keycode k, double now)
{
	bool esc = a->esc;

	if (k == K_NONE) {
		/* "]" was typed behind Esc, since the rest is not there; or Esc, since nothing came behind it
		 */
		if (!a->held ? a->n == 1 && a->first == ']' : now - a->held >= ESC_PATIENCE)
			return give_back(a, K_NONE);
		return K_NONE;
	}
	if (!a->asked || k == NO_KEY || k == K_MOUSE || k == K_RESIZE)
		return k;
	if (a->n == sizeof(begin) - 1)
		return take_answer(a, k);
	a->esc = k == K_ESC;
	if (a->n || a->held > 0) {
		if (k != (keycode)begin[a->n])
			return give_back(a, k);
		if (!a->n++)
			a->first = k;
		if (a->n == sizeof(begin) - 1)
			a->held = 0;
		return NO_KEY;
	}
	if (a->esc && !a->typed) {
		a->held = now;
		return NO_KEY;
	}
	if (k != (']' | KEYF_META) && !(esc && k == ']')) {
		a->typed = true;
		return k;
	}
	a->first = k;
	a->n = 1;
	return NO_KEY;
}
