/*
 * Limits of the discovery process once it talks to the fabric.  It opens no file, starts no program, makes no
 * process or thread, and makes or connects no socket (by seccomp, where the program was built with libseccomp
 * and the kernel has it).  It sends no request but Get.
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
