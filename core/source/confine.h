/*
 * Limits of the two processes of a discovery (core/source/gate.h), by seccomp, where the program was built
 * with libseccomp and the kernel has it.
 */
#ifndef IBSCOPE_CONFINE_H
#define IBSCOPE_CONFINE_H

/*
 * Close this process in, with all its threads, for good.  It opens no file, starts no program, makes no
 * process, thread or socket, and asks no device (ioctl).  It sends signals only to itself, and makes no more
 * memory executable.  Other system calls than those for reading, writing, waiting, memory and ending fail
 * with EPERM. If this fails, stderr says so and names `who`, and work goes on.  Under sanitizers, which need
 * more, it does nothing.
 */
void confine(const char *who);

#endif
