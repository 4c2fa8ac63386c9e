/*
 * Live fabrics through libibnetdisc.  Only Get requests are ever sent.
 *
 * The library can neither be interrupted nor kept from writing to stderr, and over a simulator it may block
 * for ever.  So the program starts itself again (posix_spawn of /proc/self/exe, safe with threads) as a
 * discovery process that streams what it found back through a pipe, and is ended when the caller cancels or
 * nothing comes any more.  main() has to let it in: see live_child_main().
 */
#ifndef IBSCOPE_LIVE_H
#define IBSCOPE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"

/*
 * To be called first thing in main(): when this process was started by
 * live_discover_tables() it does its work and returns its exit status, otherwise it returns -1
 * at once.
 *
 *	int status = live_child_main(argc, argv);
 *	if (status >= 0)
 *		return status;
 */
int live_child_main(int argc, char **argv);

#define LIVE_SILENCE_S 10 /* silence that is allowed; a dead node is given up after less than two */
#define LIVE_SILENCE_MOST 3600
#define LIVE_WATCH_MOST 86400	  /* seconds between two readings of `watch` */
#define LIVE_WATCH_ROUNDS 1000000 /* readings of one `watch` that are counted */

/* What is read beside the fabric itself and the subnet managers, which are asked always (SMInfo): fabric.h
 */
enum live_tables { /* tables come with the P_Keys of all endports */
		   LIVE_NO_TABLES,
		   LIVE_LFTS,	    /* forwarding tables: (*out)->switch_tables, see routing.h */
		   LIVE_LFTS_SL2VL, /* and all SL-to-VL maps: (ports + 1) squared requests a switch */
		   LIVE_WATCHED	    /* forwarding tables, for `watch` */
};

/*
 * Discover from a local port: ca NULL = first active CA, port 0 = its first active port.  The SM's place is
 * taken from the local port's SM LID (without a known one: the local port).  What the library writes to
 * stderr becomes part of *e, or, when the discovery succeeds, warnings of the fabric.  p (may be NULL) counts
 * nodes found; the total is not known.  NULL and *e when there is no device, no permission, or when cancelled
 * (within half a second); when nothing at all comes for `silence` seconds (LIVE_SILENCE_S is usual), nothing
 * but errors for three times as long, or within two seconds of the end of the simulator.  Nothing stays
 * behind, neither a process nor what umad2sim makes.
 */
struct fabric *live_discover_tables(const char *ca, int port, enum live_tables what, unsigned silence,
				    struct progress *p, struct err *e);

/*
 * Start this program again for a piece of live work, and add its output to `to`. argv[0] is "/proc/self/exe",
 * argv[1] one of the flags below.  As program_run().  -1 and *e also when this program cannot start itself.
 */
int live_again(char *const *argv, FILE *to, struct progress *p, struct err *e);
/*
 * Then CA ("": any), port (0: any) and "LID:PORT,PORT" for each node: prints, by Gets, "@ LID PORT" and below
 * it "NAME VALUE WIDE" for each counter (core/formats/counters.h), with 64 bits (WIDE 1) where the node has
 * them.  Ports that do not answer are left out; none at all: it fails.
 */
#define LIVE_COUNTERS_FLAG "--counters-child"

/* "CA", "CA:PORT", ":PORT" or "" taken apart; *ca (NULL = none) is to be freed, *port 0 = none. */
int live_parse_target(const char *word, char **ca, int *port, struct err *e);

/*
 * What the discovery process writes to its parent: a head, the nodes each
 * followed by its ports, the tables each followed by its entries, the subnet managers, P_Keys, a tail.  Both
 * ends are the same program, so these are plain structures in memory order.
 */

/* argv[1]; then CA ("" = any), port (0 = any), enum live_tables. */
#define LIVE_CHILD_FLAG "--discover-child"
#define LIVE_DATA_FD 3
#define LIVE_HEAD 0x6962736cu
#define LIVE_TAIL 0x6c736269u

struct live_head {
	uint32_t magic; /* LIVE_HEAD */
	uint32_t n_nodes, n_tables;
	uint16_t sm_lid; /* of the local port, 0 = none */
	uint32_t n_pkey_ports;
	uint8_t from_port, n_managers;
	uint64_t from_guid; /* node GUID of the local node */
};

struct live_node {
	uint64_t guid, sysguid;
	uint32_t vendor, device, fdb_cap, n_ports; /* n_ports: records that follow */
	uint16_t chassis;
	uint8_t type, nports, esp0;
	char desc[65], chassis_place[64];
};

struct live_port {
	uint64_t guid, peer_guid; /* peer_guid: node GUID at the other end, 0 = none */
	uint16_t lid;
	uint8_t num, lmc, peer_port, width, speed, widths, speeds, state, opervls, ext;
	uint16_t sm_lid; /* of its master as it tells it, 0 = none */
};

/* A subnet manager's answer. */
struct live_manager {
	uint64_t guid; /* of the port */
	uint16_t lid;
	uint8_t answered, state, priority;
};

/* The P_Keys of an endport that told them: n of 16 bits follow. */
struct live_pkeys {
	uint64_t guid;
	uint32_t n;
};

struct live_table {
	uint64_t guid;	    /* node GUID of the switch */
	uint32_t n_entries; /* bytes of the forwarding table that follow; 0 = no answer */
	uint32_t n_maps;    /* SL-to-VL maps of 8 bytes behind them, by port in, then port out; 0 = none */
};

/*
 * A whole stream, head to tail and nothing behind it, made into a fabric.  -1 and *e: what came is no stream
 * that this program sends (cut off, wrong numbers of records, ports out of order).  What a device cannot have
 * (a node of type 4 or of 255 ports, LID 65535, a port down whose other end answered) or does not agree on is
 * left out and told as missing, so that the fabric is incomplete.
 */
int live_read(const void *data, size_t size, const char *source, enum live_tables what, struct fabric **out,
	      struct err *e);

/* In the environment of a discovery process, so that it never starts one itself. */
#define LIVE_CHILD_MARK "IBSCOPE_DISCOVERY_PROCESS"

/* May this program start itself again: main() called live_child_main(), and it is no discovery process
 * itself. */
bool live_child_possible(void);

/* Facts about ibsim, whose clients preload libumad2sim.  Private to core/source/live*.c. */

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
