/*
 * What can fail as one: a link between switches, a switch, a whole chassis, a card of a chassis.
 *
 * A chassis is a switch element (elements.h) of several chips.  A card (line card, spine card,
 * fabric board) is the chips of a chassis at one place: those whose names differ by what follows "/U"
 * alone, as Mellanox names the chips of its directors ("...:MCS8500/L03/U1", "/U2"); of chips with other
 * names, where the source tells places, those whose places differ by " Chip N" alone.  A chip of which
 * nothing tells its card is on none.
 */
#ifndef IBSCOPE_PARTS_H
#define IBSCOPE_PARTS_H

#include "core/fabric/elements.h"

enum part_kind { PART_LINK, PART_SWITCH, PART_CHASSIS, PART_CARD, PART_KINDS };
extern const char *const part_word[PART_KINDS];	 /* "link", "switch", "chassis", "card" */
extern const char *const part_words[PART_KINDS]; /* "links", "switches", "chassis", "cards" */

struct parts {
	const struct fabric *fabric; /* reference held */
	enum part_kind kind;
	uint32_t n;
	/* What goes down with part p: id[first[p]] up to id[first[p + 1]]; a link, or nodes. */
	uint32_t *first; /* [n + 1] */
	uint32_t *id;
	char **name; /* [n] */
};

/*
 * All of a kind in the order of the fabric: links, switches; chassis by number, cards by chassis and name.
 * el: elements of the fabric with everything up, for chassis and cards only.
 */
struct parts *parts_new(const struct fabric *f, enum part_kind kind, const struct elements *el);
void parts_free(struct parts *p);

/* Leave out those of which nothing is up under t: links that are not live, or not between switches. */
void parts_keep_up(struct parts *p, const struct topo *t);

/* By its name, the only beginning or glob of one; NO_ID and *e. */
uint32_t parts_find(const struct parts *p, const char *word, struct err *e);

/* Mark what a part is made of in a state, down (1) or up (0). */
void parts_mark(const struct parts *p, uint32_t part, struct state *s, uint8_t down);

/* The word that stands for a kind, one or many of it; -1. */
int part_kind_of(const char *word);

#endif
