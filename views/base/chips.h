/* What panes about switch elements share: their argument, short names of chips, ports between them. */
#ifndef IBSCOPE_CHIPS_H
#define IBSCOPE_CHIPS_H

#include "core/base/err.h"
#include "core/base/text.h"
#include "views/base/view.h"

/* Element that a word of a command means: by its name or that of a chip.  *guid: of its lowest chip; -1 and
 * *e. */
int view_element_argument(struct scene *sc, const char *word, uint64_t *guid, struct err *e);
/* Element of that chip, NO_ID when it is not up. */
uint32_t element_of_guid(const struct elements *el, uint64_t guid);

/* An element as a word of the command language: its name when that finds it, else its first chip. */
void word_element(const struct elements *el, uint32_t e, struct text *t);

/* The chip's name without what all chips of its element have in common: "L01". */
void label_chip(const struct elements *el, uint32_t sw, struct text *t);
/*
 * A port within its element: "L01[3]", the chip's name without what all chips of the
 * element have in common; "[3]" for the only chip.  Port 0 is "port 0".
 */
void label_chip_port(const struct elements *el, uint32_t port, struct text *t);
/* A chip within its chassis: its place, then what tells equal places apart.  No places known: that alone. */
void label_member(const struct chassis *c, uint32_t sw, struct text *t);
/*
 * Places of chips, [n_switches], owned by the caller; NULL where unknown and for
 * switches that stand alone.  Left out are the words that all places of an element
 * begin with ("ISR9288"), and " Chip N" where it is the same for all of a board.
 */
char **chassis_places(const struct elements *el);
/* What a live port leads to: an element, or a node of the own one or without any; "-" when nothing. */
void label_far(const struct elements *el, uint32_t port, struct text *t);

#endif
