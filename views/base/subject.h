/*
 * What a row of a pane is about, as ids of the scene's fabric.  The row's key, the chassis it is folded
 * under, the placeholders of command lines, what Enter does and the JSON of `list` come from it.
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
	END_ON_SWITCH, /* id is a switch: its first CA that is up, else the switch */
};

/* Where something leads from or to. */
struct end {
	enum end_kind kind;
	uint32_t id;
};

struct subject {
	uint64_t key;	     /* stays the same over events */
	uint32_t chip;	     /* switch the row belongs to, with VIEW_CHIPS; NO_ID = none */
	uint32_t node, port; /* NO_ID = none; the port is one of the node */
	uint32_t sw;	     /* switch where it is another one than the node; NO_ID */
	struct end src, dst, endport;
	int lid;   /* below 0: none */
	int layer; /* below 0: none */
	const struct elements *elements;
	uint32_t element; /* of elements, NULL = none; else that of the chip */
};

/* Key and chip are valid in any case; false: the row is about nothing. */
bool view_subject(const struct view *v, uint32_t row, struct subject *s);
uint32_t row_chip(const struct view *v, uint32_t row);

/* --- for about() ----------------------------------------------------------- */

void subject_node(const struct view *v, uint32_t node, struct subject *s);
/* Its switch is the chip, its GUID the key. */
void subject_switch(const struct view *v, uint32_t sw, struct subject *s);
/* The port and its node; a switch is the chip. */
void subject_port(const struct view *v, uint32_t port, struct subject *s);
/* That port of a switch where it has one of that number, else the switch; which is the chip. */
void subject_switch_port(const struct view *v, uint32_t sw, unsigned number, struct subject *s);
/* Routes to a LID: %lid and %dst. */
void subject_to(unsigned lid, struct subject *s);
/* The same, and it is an %endport as well. */
void subject_lid(unsigned lid, struct subject *s);

/* Placeholders of a port, as view_place(); those of its node are not among them. */
bool place_port(const struct fabric *f, uint32_t port, const char *what, struct text *t);
/* What an end is: the port is NO_ID where it is a node without one; false: nothing. */
bool end_place(const struct view *v, struct end end, uint32_t *node, uint32_t *port);

#endif
