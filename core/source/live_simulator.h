/* Facts about ibsim, whose clients preload libumad2sim.  Private to core/source/live*.c. */
#ifndef IBSCOPE_LIVE_SIMULATOR_H
#define IBSCOPE_LIVE_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Is a simulated fabric looked at? */
bool live_simulated(void);

/*
 * Is the simulator gone, or was there never one that could answer? name[size] gets its socket name.  false
 * also when this is not known, as with a simulator on another machine.
 */
bool live_simulator_gone(char *name, size_t size);

/* umad2sim makes ./sys-<pid>/ and leaves it there when its process is killed: remove it. */
void live_remove_folder(pid_t pid);

/* As libibumad's struct umad_ca_pair is laid out; older headers lack it. */
struct live_ca_pair {
	char smi_ca[20];
	uint32_t smi_port;
	char gsi_ca[20];
	uint32_t gsi_port;
};

/*
 * libibmad of rdma-core 56 asks libibumad which two devices a CA's SMPs and GMPs go to, and libibumad looks
 * in /sys.  With umad2sim that would make the worker of a gate one more client, with a folder of its own, and
 * no one tells the simulator when it is killed.  So this stands in place of libibumad's: a simulated CA is
 * its own pair, of all others libibumad is asked.  ca: may be NULL, the first found; "" in the answer means
 * the same. 0 or -errno.
 */
int umad_get_smi_gsi_pair_by_ca_name(const char *ca, uint8_t port, struct live_ca_pair *out,
				     unsigned enforce_smi);

#endif
