/*
 * Notes: lines that a sweep and its engines leave for the person.  Each line has kinds that say what it is
 * about.  Programs that judge a routing ask for the kinds; the words are only for reading.
 */
#ifndef IBSCOPE_NOTES_H
#define IBSCOPE_NOTES_H

#include "core/base/text.h"

/* A line may be of several kinds; 0: of none in particular. */
enum note_kind {
	NOTE_GUID_FILE = 1,   /* a file of GUIDs is not used as it stands */
	NOTE_RULES = 2,	      /* OpenSM and its manual differ here */
	NOTE_LOTTERY = 4,     /* OpenSM's own result cannot be foreseen */
	NOTE_TORUS_HOLES = 8, /* switches outside the torus */
};

/* From offset `at` of the text on, a note or a piece of one has these kinds. */
struct note_mark {
	size_t at;
	unsigned kinds;
};

/* All zero: none. */
struct notes {
	struct text text; /* whole lines in the end; functions that know no kinds add to it */
	struct note_mark *mark;
	size_t n_marks;
};

/* Add a line with its line end, or a piece of a line. */
void note_add(struct notes *n, unsigned kinds, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same with the pieces of another, which becomes empty. */
void notes_take(struct notes *n, struct notes *from);
/* Kinds of the text from `from` up to, but not including, `to`. */
unsigned notes_kinds(const struct note_mark *mark, size_t n_marks, size_t from, size_t to);
void notes_free(struct notes *n);

#endif
