/* Helpers for panes about switch elements: arguments, short names of chips, ports between chips. */
#ifndef IBSCOPE_CHIPS_H
#define IBSCOPE_CHIPS_H

#include "core/base/err.h"
#include "core/base/text.h"
#include "views/base/view.h"

/*
 * Finds the element that a word names, by its own name or that of a chip. *guid: its lowest chip. -1 and *e.
 */
int view_element_argument(struct scene *sc, const char *word, uint64_t *guid, struct err *e);
/* The element of a chip, or NO_ID when the chip is not up. */
uint32_t element_of_guid(const struct elements *el, uint64_t guid);

/* An element as a word of the command language: its name if commands find it by that, else its first chip. */
void word_element(const struct elements *el, uint32_t e, struct text *t);

/* The chip's name without what all chips of its element share: "L01". */
void label_chip(const struct elements *el, uint32_t sw, struct text *t);
/*
 * A port within its element: "L01[3]", the chip's name without what all chips of the element share, or "[3]"
 * for the only chip. Port 0 is "port 0".
 */
void label_chip_port(const struct elements *el, uint32_t port, struct text *t);
/*
 * A chip within its chassis: its place, then what distinguishes equal places. Without known places, only the
 * latter.
 */
void label_member(const struct view_chassis *c, uint32_t sw, struct text *t);
/*
 * Places of chips, [n_switches], owned by the caller. NULL where unknown, and for switches that stand alone.
 * Leaves out words with which all places of an element begin ("ISR9288"), and " Chip N" where a whole board
 * has the same.
 */
char **chassis_places(const struct elements *el);
/*
 * The other end of a live port: an element, or a node of the same element or of none. "-" when there is none.
 */
void label_far(const struct elements *el, uint32_t port, struct text *t);

#endif
