/*
 * Content of the switches: forwarding tables, and, where known, adaptive-routing groups and SL-to-VL maps.
 * It is read from a live fabric or from files and never changed.
 */
#ifndef IBSCOPE_SWITCH_TABLES_H
#define IBSCOPE_SWITCH_TABLES_H

#include <time.h>

#include "core/base/defs.h"
#include "core/routing/adaptive.h"
#include "core/routing/sl_tables.h"

struct switch_tables {
	struct counted counted;
	char *source;	/* owned; file they come from, NULL = read live */
	time_t read_at; /* when they were read here */
	uint32_t n_switches;
	uint16_t *top; /* [n_switches] LinearFDBTop: the last LID that counts */
	uint8_t **lft; /* [n_switches] -> [top + 1] ports by LID, NO_PATH = none; NULL: no answer */
	struct sl_tables *sl_tables; /* maps; NULL: they were not read */
	struct adaptive *adaptive;   /* reference held; NULL: no switch has groups, or they were not read */
	/* [n_ports of the fabric] base LID and LMC that ports have with these tables; NULL: those of its
	 * source. */
	uint16_t *lid;
	uint8_t *lmc;
	bool strange;	     /* most ports, or switches, that the file names are not in the fabric */
	uint32_t *lid_owner; /* [MAX_LID + 1] endport named for a LID, NO_ID = none; NULL: none is named */
};

/* It has one reference; counted_unref(&h->counted) lets go of it. */
struct switch_tables *switch_tables_new(uint32_t n_switches);

/* What the switches of a fabric held; NULL: it was not read.  Borrowed. */
static inline const struct switch_tables *fabric_switch_tables(const struct fabric *f)
{
	return (const struct switch_tables *)f->switch_tables;
}

/*
 * The same tables on another fabric: switches, ports and endports are found by GUID and port.  A switch that
 * `from` lacks has no table, a port that it lacks the LID of its own source.  The caller lets go of it.
 */
struct switch_tables *switch_tables_on(const struct switch_tables *h, const struct fabric *from,
				       const struct fabric *to);

/*
 * Which LIDs the tables tell of: [top + 1], 1 where a switch has an entry for the LID.  A file may be a list
 * of some LIDs, so one that no switch has there is not told; live tables tell of all.  The caller frees it.
 */
uint8_t *switch_tables_told(const struct switch_tables *h, unsigned top);

/* Largest LinearFDBTop, 0 when no switch has a table. */
unsigned switch_tables_top(const struct switch_tables *h);

#endif
