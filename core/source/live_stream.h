/*
 * What the discovery process writes to its parent: a head, the nodes each
 * followed by its ports, the tables each followed by its entries, the subnet managers, P_Keys, a tail.  Both
 * ends are the same program, so these are plain structures in memory order.
 */
#ifndef IBSCOPE_LIVE_STREAM_H
#define IBSCOPE_LIVE_STREAM_H

#include "core/base/defs.h"
#include <stdbool.h>
#include <stdint.h>
#include "core/source/live.h"

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

#endif
