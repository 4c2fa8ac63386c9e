/*
 * The object of a row of a pane, as ids of the scene's fabric. The row's key, its chassis when folded, the
 * placeholders of command lines, the action of Enter and the JSON of `list` are made from it.
 */
#ifndef IBSCOPE_VIEW_SUBJECT_H
#define IBSCOPE_VIEW_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include "core/base/text.h"
#include "core/fabric/elements.h"

struct view;

enum end_kind {
	END_NONE,
	END_LID,
	END_PORT,
	END_NODE,
	END_ON_SWITCH, /* id is a switch: means its first CA that is up, else the switch */
};

/* The start or the end of a route or pair. */
struct end {
	enum end_kind kind;
	uint32_t id;
};

struct subject {
	uint64_t key;	     /* stays the same over events */
	uint32_t chip;	     /* the switch of the row, with VIEW_CHIPS; NO_ID = none */
	uint32_t node, port; /* NO_ID = none; the port belongs to the node */
	uint32_t sw;	     /* the switch, if it is not the node; or NO_ID */
	struct end src, dst, endport;
	int lid;   /* below 0: none */
	int layer; /* below 0: none */
	const struct elements *elements;
	uint32_t element; /* an element of elements; if that is NULL, the chip's element counts */
};

/* Key and chip are always valid. False: the row has no object. */
bool view_subject(const struct view *v, uint32_t row, struct subject *s);
uint32_t row_chip(const struct view *v, uint32_t row);

/* --- helpers for about() --------------------------------------------------- */

void subject_node(const struct view *v, uint32_t node, struct subject *s);
/* A switch, which is also the chip. Its GUID is the key. */
void subject_switch(const struct view *v, uint32_t sw, struct subject *s);
/* A port and its node. If the node is a switch, it is the chip. */
void subject_port(const struct view *v, uint32_t port, struct subject *s);
/* A port of a switch by number, or the switch if it has no such port. The switch is the chip. */
void subject_switch_port(const struct view *v, uint32_t sw, unsigned number, struct subject *s);
/* Routes to a LID: sets %lid and %dst. */
void subject_to(unsigned lid, struct subject *s);
/* The same, and also sets %endport. */
void subject_lid(unsigned lid, struct subject *s);

/* Placeholders of a port, as in view_place(), without those of its node. */
bool place_port(const struct fabric *f, uint32_t port, const char *what, struct text *t);
/*
 * The node and port of an end. The port is NO_ID if the end is a node without one. False: the end is nothing.
 */
bool end_place(const struct view *v, struct end end, uint32_t *node, uint32_t *port);

#endif
