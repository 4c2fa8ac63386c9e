/*
 * Ids and limits that everything shares, and what C lacks.
 */
#ifndef IBSCOPE_DEFS_H
#define IBSCOPE_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "None" for every dense id (node, port, switch, endport, link). */
#define NO_ID UINT32_MAX
/* Entry of a forwarding table without a route, and "no path" in hop tables. */
#define NO_PATH 255
/* Unicast LIDs are 1 .. MAX_LID. */
#define MAX_LID 0xBFFF

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/*
 * Sort key of OpenSM's tables: the GUID with its eight bytes reversed (OpenSM
 * keeps GUIDs in network byte order and compares them as native integers).
 */
static inline uint64_t guid_key(uint64_t guid)
{
	return __builtin_bswap64(guid);
}

#endif
