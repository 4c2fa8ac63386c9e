/*
 * Names of one form: their letters, numbers and signs follow each other in the same order, as in
 * "hall-1:leaf/07" and "hall-2:spine/11". What all names of a form share is left out first of a name that is
 * too long, so that what tells them apart stays.
 */
#ifndef IBSCOPE_KIN_H
#define IBSCOPE_KIN_H

#include <stddef.h>
#include "core/base/text.h"

#define KIN_FORMS 64 /* further forms are not known */

/* Zeroed at first. */
struct kin {
	struct kin_form *form; /* [n] owned */
	size_t n, cap;
};

/* Notes one more name (clean text). */
void kin_note(struct kin *k, const char *name);
/*
 * Adds a name without what its form shares, "…" for each part, the longest part first, until it has at most
 * `w` characters. Numbers stay whole; ports in brackets and arrows stay. It may still be too long.
 */
void kin_cut(const struct kin *k, const char *name, unsigned w, struct text *t);
void kin_free(struct kin *k);

#endif
