/*
 * Limits of the two processes of a discovery (core/source/gate.h), by seccomp, where the program was built
 * with libseccomp and the kernel has it.
 */
#ifndef IBSCOPE_CONFINE_H
#define IBSCOPE_CONFINE_H

/*
 * Close this process in, all its threads, for good: it opens no file, starts no program, makes no process,
 * thread or socket, asks no device (ioctl), sends no signal but to itself and executes no memory that is not
 * executed yet.  Other system calls than those for reading, writing, waiting, memory and ending fail with
 * EPERM. When that cannot be, stderr says so of `who`, and work goes on.  Under sanitizers, which need more,
 * it does nothing.
 */
void confine(const char *who);

#endif
