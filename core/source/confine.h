/*
 * What the discovery process may still do once it talks to the fabric: no file is opened, no program started,
 * no process or thread made, no socket made or connected (seccomp, where the program was built with
 * libseccomp and the kernel has it), and no request but Get leaves it.
 */
#ifndef IBSCOPE_CONFINE_H
#define IBSCOPE_CONFINE_H

#include <stdbool.h>

/*
 * From now on nothing this process executes may gain privileges (PR_SET_NO_NEW_PRIVS), requests other than
 * Get are refused (umad_send() returns -EPERM and says so on stderr), and before the first request to another
 * node the process is closed in as by confine_now().  Requests to the local port come earlier: behind them
 * libibnetdisc opens the device once more.  opens_again: files may still be opened until confine_now() is
 * called, as the device will be opened behind the discovery too.
 */
void confine_start(bool opens_again);

/*
 * Close the process in, all its threads: system calls other than those for reading, writing, waiting, memory
 * and ending fail with EPERM.  Under sanitizers, which need more, it does nothing.
 */
void confine_now(void);

#endif
