/*
 * Facts about ibsim for live discovery.  Its clients are programs with libumad2sim preloaded.  Private to
 * core/source/live*.c.
 */
#ifndef IBSCOPE_LIVE_SIMULATOR_H
#define IBSCOPE_LIVE_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is a simulated fabric looked at? */
bool live_simulated(void);

/*
 * Is the simulator gone, or was there never one that could answer? Its socket name goes to name[size].  False
 * when that cannot be told, as for a simulator on another machine.
 */
bool live_simulator_gone(char *name, size_t size);

/* umad2sim makes ./sys-<pid>/ and leaves it there when its process is killed: remove it. */
void live_remove_folder(pid_t pid);

#endif
