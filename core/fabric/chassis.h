/*
 * Parts that can fail as a whole: a link between switches, a switch, a chassis, a card of a chassis.
 *
 * A chassis is a switch element (elements.h) of several chips.  A card (line card, spine card, fabric board)
 * has the chips of a chassis at one place.  Mellanox names the chips of its directors "...:MCS8500/L03/U1",
 * "/U2": chips whose names differ only behind "/U" are on one card.  With other names the places in the
 * source count, if there are any: chips whose places differ only in " Chip N" are on one card.  A chip with
 * neither is on no card.
 */
#ifndef IBSCOPE_PARTS_H
#define IBSCOPE_PARTS_H

#include "core/fabric/elements.h"

enum part_kind {
	PART_LINK,
	PART_SWITCH,
	PART_CHASSIS,
	PART_CARD,
	PART_NAMED,		 /* the kinds before can be named in commands */
	PART_MIXED = PART_NAMED, /* links and nodes, of a plan */
	PART_KINDS
};
extern const char *const part_word[PART_KINDS];	 /* "link", "switch", "chassis", "card" */
extern const char *const part_words[PART_KINDS]; /* "links", "switches", "chassis", "cards" */

struct parts {
	const struct fabric *fabric; /* reference held */
	enum part_kind kind;
	uint32_t n;
	/*
	 * Members of part p, which fail together: id[first[p]] up to id[first[p + 1]]; a link, or nodes; of
	 * PART_MIXED links, and behind n_links nodes.
	 */
	uint32_t *first; /* [n + 1] */
	uint32_t *id;
	char **name; /* [n] */
};

/*
 * All parts of a kind in the order of the fabric: links, switches, chassis by number, cards by chassis and
 * name. el: elements of the fabric with everything up; needed for chassis and cards only.
 */
struct parts *parts_new(const struct fabric *f, enum part_kind kind, const struct elements *el);
void parts_free(struct parts *p);

/* Leave out parts that are all down under t, and links that are not live or not between switches. */
void parts_keep_up(struct parts *p, const struct topo *t);

/* Find a part by its name, or by a beginning or glob that fits no other; NO_ID and *e. */
uint32_t parts_find(const struct parts *p, const char *word, struct err *e);

/* Mark the members of a part in a state: down (1) or up (0). */
void parts_mark(const struct parts *p, uint32_t part, struct state *s, uint8_t down);

/* The kind that a word means, singular or plural; -1: none. */
int part_kind_of(const char *word);

#endif
