/* The number of virtual lanes that OpenSM assumes for the fabric while it routes. */
#ifndef IBSCOPE_VLS_H
#define IBSCOPE_VLS_H

#include "core/sm/engine.h"

#define VLS_CODE_MAX 5

/*
 * The least OperVLs code (1, 2, 3, 4, 5 mean 1, 2, 4, 8, 15 VLs) of cabled switch ports, or 0 when none tells
 * one. *port is the first port with that code, or NO_ID.
 */
unsigned least_vls_code(const struct engine_input *in, uint32_t *port);

/* The number of VLs of a code 1 .. 5. */
static inline unsigned vls_of_code(unsigned code)
{
	return code >= VLS_CODE_MAX ? 15 : 1u << (code - 1);
}

#endif
