/*
 * What the switches of a live fabric held when it was read: forwarding tables,
 * and, when asked for, SL-to-VL maps.  Part of the fabric; never changes.
 */
#ifndef IBSCOPE_SWITCH_TABLES_H
#define IBSCOPE_SWITCH_TABLES_H

#include "core/base/defs.h"
#include "core/routing/sl_tables.h"

struct switch_tables {
	struct counted counted;
	uint32_t n_switches;
	uint16_t *top; /* [n_switches] LinearFDBTop: the last LID that counts */
	uint8_t **lft; /* [n_switches] -> [top + 1] ports by LID, NO_PATH = none; NULL: no answer */
	struct sl_tables *sl_tables; /* maps; NULL: they were not read */
};

/* With one reference, let go of by counted_unref(&h->counted). */
struct switch_tables *switch_tables_new(uint32_t n_switches);

/* What the switches of a fabric held, NULL when that was not read; borrowed. */
static inline const struct switch_tables *fabric_switch_tables(const struct fabric *f)
{
	return (const struct switch_tables *)f->switch_tables;
}

#endif
