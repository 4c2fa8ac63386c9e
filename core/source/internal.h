/* What both sides of a simulation share; private to core/source/simulation*.c. */
#ifndef IBSCOPE_SIMULATION_PARTS_H
#define IBSCOPE_SIMULATION_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#define SIMULATION_CHILD_FLAG "--simulation-child" /* argv[1] of the keeper */
#define SIMULATION_SA_FLAG "--simulation-paths"	   /* ... of the process that asks for paths */

/* ibsim's library for programs; false: not installed. */
bool simulation_library(char *path, size_t size);
/* May this program start itself again: main() called simulation_child_main(). */
bool simulation_child_possible(void);

#endif
