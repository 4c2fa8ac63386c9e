/*
 * Live work in two processes.  The worker reads what the fabric answers, and has no device; the gate has the
 * device, and reads nothing.  libibnetdisc and libibmad run in the worker.  They call umad_open_port() and
 * its kin of this file, as the program's symbols come before libibumad's, and these ask the gate by a socket.
 * So code that has taken over the worker sends no more than the gate lets pass, whatever bytes it writes.
 *
 *	worker					gate
 *	  | -- CA, port (once) ----------------> | opens the device, registers, closes itself in
 *	  | <--------------------- 0 or -errno - |
 *	  | -- MAD, LID, SL, time -------------> | looks at it, sends it
 *	  | <--------- MAD, status: as it came - |
 *
 * The worker is closed in before its first MAD.  Until then it has read nothing from the fabric, and may look
 * at /sys as newer libibmads do.
 */
#ifndef IBSCOPE_GATE_H
#define IBSCOPE_GATE_H

#include <stddef.h>
#include <sys/types.h>

/* Fork: 0 in the worker, its pid in the caller (the gate); -1: failed.  The worker ends with the gate. */
pid_t gate_start(void);

/*
 * Be the gate until the worker ends.  Returns the worker's exit status; a signal that ended the worker ends
 * this process, too. classes: requests of these pass.  A request passes if it is a Get (method 0x01, so no
 * Set, Trap or GetTable) of a standard attribute, or of the vendor's MlnxExtPortInfo, to the agent of its
 * class on a node.  stderr tells of anything else, and the worker gets it back with status EPERM.
 */
int gate_serve(pid_t worker, const int *classes, size_t n_classes);

#endif
