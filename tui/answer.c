/* What the terminal says among the keys, told from them. */
#include <assert.h>
#include <string.h>
#include "tui/answer.h"
#include "tui/colours.h"

#define ESC_PATIENCE 0.05 /* seconds of silence for which a beginning is held */
#define PART_PATIENCE 1.0 /* ... after which the rest of a sequence is not waited for */

static const char background[] = "11;";

keycode answer_back(struct answer *a)
{
	assert(a->n_back);
	return a->back[--a->n_back];
}

/* It was none: gives held keys and k back, and returns the first of them. */
static keycode answer_give_back(struct answer *a, keycode k)
{
	bool begun = a->part != ANSWER_ESC;

	assert(a->part != ANSWER_NONE && !a->n_back);
	a->typed = true;
	a->esc = !begun && k == K_NONE;
	a->part = ANSWER_NONE;
	if (k != K_NONE)
		a->back[a->n_back++] = k;
	while (a->late && a->len)
		a->back[a->n_back++] = (keycode)a->text[--a->len];
	if (begun)
		a->back[a->n_back++] = a->alone || a->late ? a->kind : a->kind | KEYF_META;
	if (a->alone || !begun)
		a->back[a->n_back++] = K_ESC;
	return answer_back(a);
}

/* Does this character, behind Esc, begin a string, CSI or SS3? */
static bool answer_introduces(keycode k)
{
	return k && k < 0x80 && strchr("[]OPX^_", (int)k);
}

static keycode answer_begins(struct answer *a, keycode kind, bool alone, bool late)
{
	a->part = ANSWER_BEGUN;
	a->kind = kind;
	a->alone = alone;
	a->late = late;
	a->len = 0;
	return NO_KEY;
}

static keycode answer_ends(struct answer *a)
{
	a->part = ANSWER_NONE;
	a->text[a->len] = 0;
	if (a->kind == '[' || a->kind == 'O')
		return K_SEQUENCE;
	if (a->kind == ']' && a->asked && !strncmp(a->text, background, strlen(background))) {
		a->asked = false;
		colours_background(a->text + strlen(background));
	}
	return NO_KEY;
}

/* A key where nothing has begun. */
static keycode answer_first(struct answer *a, keycode k, bool esc)
{
	bool one_byte = k >= 0x80 && k < 0xa0; /* C1 */
	keycode kind = one_byte ? k - 0x40 : k & ~KEYF_META;

	if (k == K_ESC && a->asked && !a->typed) {
		a->part = ANSWER_ESC;
		return NO_KEY;
	}
	if ((one_byte || k & KEYF_META) && answer_introduces(kind))
		return answer_begins(a, kind, false, false);
	if (esc && a->asked && k == ']')
		return answer_begins(a, k, false, true);
	a->typed = true;
	return k;
}

/* Is this key a character that a string or sequence may hold? */
static bool answer_holds(const struct answer *a, keycode k)
{
	bool string = a->kind != '[' && a->kind != 'O';

	if (KEY_IS_SPECIAL(k) || k & KEYF_META)
		return false;
	if (!string || a->part == ANSWER_BEGUN)
		return k >= ' ' && (string || k < 0x7f);
	return k != K_CTRL('C') && k != K_CTRL('X') && k != K_CTRL('Z');
}

/* A key behind a beginning. */
static keycode answer_next(struct answer *a, keycode k, bool esc)
{
	bool string = a->kind != '[' && a->kind != 'O', begun = a->part == ANSWER_BEGUN;
	bool ended = k == ('\\' | KEYF_META) || k == 0x9c || (esc && k == '\\') ||
		     (k == K_CTRL('G') && a->kind == ']');
	bool expected = a->len < strlen(background) && k == (keycode)background[a->len];

	if ((a->late && a->len < strlen(background) && !expected) || (begun && a->silent && !expected))
		return answer_give_back(a, k);
	if (string && ended)
		return answer_ends(a);
	if (string && !begun && k == K_ESC)
		return NO_KEY;
	if (esc || !answer_holds(a, k)) {
		if (begun)
			return answer_give_back(a, k);
		a->part = ANSWER_NONE;
		return answer_first(a, esc ? k | KEYF_META : k, false);
	}
	a->part = ANSWER_INSIDE;
	if (a->len + 1 < sizeof(a->text))
		a->text[a->len++] = (char)k;
	if (string || (a->kind == '[' && k < '@') || (begun && k == '['))
		return NO_KEY;
	return answer_ends(a);
}

/* Nothing is there to be read. */
static keycode answer_silence(struct answer *a, double silence)
{
	bool cut = a->part == ANSWER_INSIDE && !(a->late && a->len < strlen(background));
	bool expected = a->part == ANSWER_BEGUN && a->kind == ']' && a->asked && !a->late;

	a->silent = silence >= ESC_PATIENCE;
	if (a->late && a->part == ANSWER_BEGUN)
		return answer_give_back(a, K_NONE);
	if (silence < (a->part == ANSWER_INSIDE || expected ? PART_PATIENCE : ESC_PATIENCE))
		return K_NONE;
	if (!cut)
		return answer_give_back(a, K_NONE);
	a->part = ANSWER_NONE;
	return K_NONE;
}

keycode answer_key(struct answer *a, keycode k, double now)
{
	bool esc = a->esc;

	if (k == K_NONE)
		return a->part == ANSWER_NONE ? K_NONE : answer_silence(a, now - a->since);
	if (k == NO_KEY || k == K_MOUSE || k == K_RESIZE)
		return k;
	a->esc = k == K_ESC;
	if (a->part == ANSWER_NONE)
		k = answer_first(a, k, esc);
	else if (a->part != ANSWER_ESC)
		k = answer_next(a, k, esc);
	else if (answer_introduces(k))
		k = answer_begins(a, k, true, false);
	else
		k = answer_give_back(a, k);
	a->silent = false;
	a->since = now;
	return k;
}
