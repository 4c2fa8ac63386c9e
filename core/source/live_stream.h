/*
 * What the discovery process writes to its parent: a head, the nodes each
 * followed by its ports, the tables each followed by its entries, a tail.  Both ends
 * are the same program, so these are plain structures in memory order.
 */
#ifndef IBSCOPE_LIVE_STREAM_H
#define IBSCOPE_LIVE_STREAM_H

#include "core/base/defs.h"
#include <stdbool.h>
#include <stdint.h>

#define LIVE_CHILD_FLAG                                                                     \
	"--discover-child" /* argv[1]; then CA ("" = any), port (0 = any), enum live_tables \
			    */
#define LIVE_DATA_FD 3
#define LIVE_HEAD 0x6962736cu
#define LIVE_TAIL 0x6c736269u

struct live_head {
	uint32_t magic; /* LIVE_HEAD */
	uint32_t n_nodes, n_tables;
	uint16_t sm_lid; /* of the local port, 0 = none */
	uint8_t from_port, unused;
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
};

struct live_table {
	uint64_t guid;	    /* node GUID of the switch */
	uint32_t n_entries; /* bytes of the forwarding table that follow; 0 = no answer */
	uint32_t n_maps;    /* SL-to-VL maps of 8 bytes behind them, by port in, then port out; 0 = none */
};

/* In the environment of a discovery process, so that it never starts one itself. */
#define LIVE_CHILD_MARK "IBSCOPE_DISCOVERY_PROCESS"

/* May this program start itself again: main() called live_child_main(), and it is no discovery process
 * itself. */
bool live_child_possible(void);

#endif
