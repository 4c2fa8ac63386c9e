/*
 * What live discovery has to know of ibsim, whose clients are programs with libumad2sim preloaded.
 * Private to core/source/live*.c.
 */
#ifndef IBSCOPE_LIVE_SIMULATOR_H
#define IBSCOPE_LIVE_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is a simulated fabric looked at? */
bool live_simulated(void);

/* Is there no simulator any more (or never was one) that could answer?  Its socket name goes to name[size].
 * False where that cannot be told: a simulator on another machine. */
bool live_simulator_gone(char *name, size_t size);

/* umad2sim makes ./sys-<pid>/ and leaves it there when its process is killed: remove it. */
void live_remove_folder(pid_t pid);

#endif
