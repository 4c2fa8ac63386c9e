/*
 * What the switches of a live fabric held when it was read: forwarding tables,
 * and, when asked for, SL-to-VL maps.  Part of the fabric; never changes.
 */
#ifndef IBSCOPE_HELD_H
#define IBSCOPE_HELD_H

#include "core/lanes.h"

struct held {
	atomic_uint refs;
	uint32_t n_switches;
	uint16_t *top;	     /* [n_switches] LinearFDBTop: the last LID that counts */
	uint8_t **lft;	     /* [n_switches] -> [top + 1] ports by LID, NO_PATH = none; NULL: no answer */
	struct lanes *lanes; /* maps; NULL: they were not read */
};

struct held *held_new(uint32_t n_switches);
struct held *held_ref(const struct held *h);
void held_unref(const struct held *h); /* NULL is fine */

#endif
