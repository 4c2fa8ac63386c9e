/* Ids and limits that everything shares, and a few macros that C lacks. */
#ifndef IBSCOPE_DEFS_H
#define IBSCOPE_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "None" for every dense id (node, port, switch, endport, link). */
#define NO_ID UINT32_MAX
/* A forwarding table's entry without a route, and "no path" in hop tables. */
#define NO_PATH 255
/* Unicast LIDs are 1 .. MAX_LID. */
#define MAX_LID 0xBFFF
/* A port has 2^LMC LIDs. */
#define MAX_LMC 7

/* The value of a macro as text, for messages and help. */
#define STR_OF(x) #x
#define STR(x) STR_OF(x)

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* These evaluate their arguments twice. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* Returns what qsort() expects: below 0, 0 or above 0. */
#define COMPARED(a, b) ((a) < (b) ? -1 : (a) > (b))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/*
 * Sort key of OpenSM's tables: the GUID with its eight bytes reversed. (OpenSM keeps GUIDs in network byte
 * order, and compares them as native integers.)
 */
static inline uint64_t guid_key(uint64_t guid)
{
	return __builtin_bswap64(guid);
}

#endif
