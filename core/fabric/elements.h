/*
 * Switch elements: the switch chips of one chassis taken together, as fabric managers of chassis see them (HP
 * 376227-B21, chapter on routing).  A switch that stands alone is an element of one chip.
 *
 * A file may say which chips belong together (a line for each chip: `GUID NAME`).  Without a file, chips
 * belong together when they share a system image GUID or a chassis number (from libibnetdisc, or from the
 * sections of `ibnetdiscover -g`).  In either case live links between members must connect them: if a group
 * falls apart, each part is an element.
 *
 * Elements are numbered by their lowest chip GUID; chips and links within one by GUID and port number.  The
 * order of ids settles ties.
 */
#ifndef IBSCOPE_ELEMENTS_H
#define IBSCOPE_ELEMENTS_H

#include <stdatomic.h>

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/state.h"

/* The reason why chips form an element. */
enum element_rule { ELEMENT_ALONE, ELEMENT_SYSTEM, ELEMENT_CHASSIS, ELEMENT_FILE };
extern const char *const element_rule_names[];

struct elements {
	atomic_uint refs;
	const struct topo *topo; /* reference held */
	uint32_t n;
	uint64_t *guid;	 /* [n] lowest GUID of its chips, ascending */
	char **name;	 /* [n] */
	uint8_t *rule;	 /* [n] enum element_rule */
	uint32_t *hosts; /* [n] CA and router ports that are up on its chips, without aggregation nodes */
	/* The chips of element e, as switch ids by GUID: from chip[first_chip[e]] up to chip[first_chip[e +
	 * 1]]. */
	uint32_t *first_chip; /* [n + 1] */
	uint32_t *chip;
	uint32_t *of;	      /* [n_switches] element, NO_ID when the switch is not up */
	uint32_t *chip_index; /* [n_switches] place of the switch among its element's chips */
	/* Live links to other elements, seen from the sender e: from first_link[e] up to first_link[e + 1],
	 * by chip and port. */
	uint32_t n_links;
	uint32_t *first_link; /* [n + 1] */
	uint32_t *link_port;  /* port id that sends */
	uint32_t *link_to;    /* element at the other end */
	uint32_t *link_back;  /* the same cable in the other direction */
	uint32_t *port_link;  /* [n_ports] link of a port, NO_ID for all others */
	/* Live links to other chips of the same element, by port: from first_inside[s] up to first_inside[s +
	 * 1]. */
	uint32_t n_inside;
	uint32_t *first_inside; /* [n_switches + 1] */
	uint32_t *inside_port;	/* port id that sends */
	uint32_t *inside_to;	/* switch at the other end */
	uint32_t *inside_back;	/* the same cable in the other direction */
	uint32_t *port_inside;	/* [n_ports] link of a port, NO_ID for all others */
	/* Hops inside an element: hops[hops_at[e] + chips * from + to]; an element of one chip has none. */
	size_t *hops_at; /* [n] */
	uint16_t *hops;
};

/*
 * Groups the switches that are up by `file` (NULL = none).  Names in it that match no switch of the fabric
 * become lines of *notes (may be NULL).  Returns NULL and *e when the file cannot be read, a line of it is
 * not `GUID NAME` or contradicts another, or p (may be NULL) was cancelled.
 */
struct elements *elements_new(const struct topo *t, const char *file, struct progress *p, struct text *notes,
			      struct err *e);
struct elements *elements_ref(const struct elements *el);
void elements_unref(const struct elements *el);

static inline uint32_t element_chips(const struct elements *el, uint32_t e)
{
	return el->first_chip[e + 1] - el->first_chip[e];
}

/* The number of links from one chip of an element to another; chips are given by place. */
static inline unsigned element_hops(const struct elements *el, uint32_t e, uint32_t from, uint32_t to)
{
	return from == to ? 0 : el->hops[el->hops_at[e] + (size_t)element_chips(el, e) * from + to];
}

/* The number of links between chips of an element; each cable counts once. */
uint32_t element_inside_links(const struct elements *el, uint32_t e);

/* Finds an element by its name, by a prefix or glob that fits no other name, or by its number from 1.  NO_ID
 * and *e when there is none. */
uint32_t elements_find(const struct elements *el, const char *word, struct err *e);

/*
 * Computes distances to element d over links between elements: dist[n], NO_DISTANCE where there is no way.
 * order[n] gets the elements reached, nearest first (the first is d itself).  Returns their number.
 */
#define NO_DISTANCE UINT16_MAX
uint32_t elements_distances(const struct elements *el, uint32_t d, uint16_t *dist, uint32_t *order);

/*
 * Parts that can fail as a whole: a link between switches, a switch, a chassis, a card of a chassis.
 *
 * A chassis is a switch element (elements.h) of several chips.  A card (line card, spine card, fabric board)
 * has those chips of a chassis that share a place.  Mellanox names the chips of its directors
 * "...:MCS8500/L03/U1", "/U2": chips whose names differ only behind "/U" are on one card.  With other names
 * the places in the source count, if there are any: chips whose places differ only in " Chip N" are on one
 * card.  A chip with neither is on no card.
 */

enum part_kind {
	PART_LINK,
	PART_SWITCH,
	PART_CHASSIS,
	PART_CARD,
	PART_NAMED,		 /* the kinds before this one can be named in commands */
	PART_MIXED = PART_NAMED, /* links and nodes, in a plan */
	PART_KINDS
};
extern const char *const part_word[];  /* "link", "switch", "chassis", "card" */
extern const char *const part_words[]; /* "links", "switches", "chassis", "cards" */

struct parts {
	const struct fabric *fabric; /* reference held */
	atomic_uint shared;	     /* owners besides the first one */
	enum part_kind kind;
	uint32_t n;
	/*
	 * The members of part p, which fail together: id[first[p]] up to id[first[p + 1]].  They are a link
	 * or nodes; for PART_MIXED the first n_links are links, the rest nodes.
	 */
	uint32_t *first; /* [n + 1] */
	uint32_t *id;
	char **name; /* [n] */
};

/*
 * All parts of a kind in the order of the fabric: links, switches, chassis by number, cards by chassis and
 * name. `el` has the elements of the fabric with everything up; chassis and cards need it.
 */
struct parts *parts_new(const struct fabric *f, enum part_kind kind, const struct elements *el);
/* Another owner of parts that change no more; each one calls parts_free(). */
struct parts *parts_share(const struct parts *p);
void parts_free(void *parts);

/* Leaves out parts that are all down under t, and links that are not live or not between switches. */
void parts_keep_up(struct parts *p, const struct topo *t);

/* Finds a part by its name, or by a beginning or glob that fits no other; NO_ID and *e when there is none. */
uint32_t parts_find(const struct parts *p, const char *word, struct err *e);

/* Marks the members of a part in a state as down (1) or up (0). */
void parts_mark(const struct parts *p, uint32_t part, struct state *s, uint8_t down);

/* The kind that a word (singular or plural) names; -1 for any other word. */
int part_kind_of(const char *word);

#endif
