/* What both sides of a simulation share; private to core/source/simulation*.c. */
#ifndef IBSCOPE_INTERNAL_H
#define IBSCOPE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#define SIMULATION_CHILD_FLAG "--simulation-child" /* argv[1] of the keeper */
#define SIMULATION_SA_FLAG "--simulation-paths"	   /* ... of the process that asks for paths */

/* ibsim's library for programs; false: not installed. */
bool simulation_library(char *path, size_t size);
/* May this program start itself again: main() called simulation_child_main(). */
bool simulation_child_possible(void);

/*
 * Looks at replies before the libraries see them.  libibnetdisc takes numbers of ports and modifiers from
 * replies as indexes of arrays.  The node's first NodeInfo gave the length of these arrays.
 */

/* A request that is about to be sent. */
void reply_expected(void *mad);

/*
 * A struct ib_user_mad that came.  It gets the status of an error, and stderr says so, in three cases: it
 * answers something else, it names a port that its node does not have, or it contradicts an earlier NodeInfo
 * of the same GUID.
 */
void reply_look_at(void *umad);

#endif
