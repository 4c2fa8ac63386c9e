/*
 * A fabric: nodes, ports and cables as loaded or discovered.
 *
 * Everything has a dense integer id and lives in flat arrays.  A fabric never changes once it is built.  It
 * is shared by reference.  A struct state tells what is up or down (state.h).
 *
 * Order.  Nodes, switches and endports are numbered in OpenSM's table order: ascending by guid_key() of the
 * node GUID (endports: of the port GUID).  A loop over ids 0 .. n-1 is therefore OpenSM's loop.
 */
#ifndef IBSCOPE_FABRIC_H
#define IBSCOPE_FABRIC_H

#include "core/base/counted.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/fabric/speed.h"
#include "core/fabric/warnings.h"

enum node_type { NODE_CA = 1, NODE_SWITCH = 2, NODE_ROUTER = 3 };
enum port_state { PORT_UNKNOWN = 0, PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };
#define MAX_PORTS 254			/* external ports of a switch, as many as an LFT can name */
#define LABEL_MAX 31			/* bytes of a port's label */
#define PORT_NUMBER_MAX (4 + LABEL_MAX) /* bytes of "254 " and a label */
#define DESC_MAX 63			/* bytes of a NodeDescription, as OpenSM 3.3.23 shows it */
#define DEFAULT_FDB_CAP 49152		/* LinearFDBCap where the source does not tell */
#define DEFAULT_OPER_VLS 4		/* OperVLs code (VL0-7) where the source does not tell */

struct name_index;

struct fabric {
	atomic_uint refs;
	char *source;	 /* file, spec or device it came from */
	char *format;	 /* "ibnetdiscover", "ibsim", "cache", "subnet.lst", "synthetic", "live" */
	char *generated; /* line at the top of the source that tells how it was made, or NULL */
	char *untold; /* what its format never tells, beyond what fabric_tell_untold() sees; NULL: nothing */
	struct warnings warnings;

	/* Nodes [n_nodes], in GUID order. */
	uint32_t n_nodes;
	uint8_t *node_type; /* enum node_type */
	uint64_t *node_guid;
	uint64_t *node_sysguid; /* system image GUID, 0 = unknown */
	uint32_t *node_vendor;
	uint32_t *node_device;
	uint8_t *node_nports;  /* external ports, 1 .. node_nports */
	uint32_t *node_port;   /* [n_nodes + 1]: id of port 0; port p is node_port[n] + p.  Slot 0 of a CA is
				  unused */
	uint32_t *node_switch; /* switch id, NO_ID for others */
	uint32_t *node_order;  /* place in the source, 0 = first: shows and saves keep the source's order */
	char **node_desc;      /* NodeDescription as in the source, never NULL */
	char **node_given;     /* its name: from the node-name-map, else node_desc (or the GUID when empty) */
	char **node_name;      /* shown name; leads back to the node: names.h */
	uint16_t *node_chassis;	   /* chassis number of the source, 0 = none */
	char **node_chassis_place; /* place in the chassis ("ISR9288 Spine 1 Chip 0"), NULL when unknown */

	/* Ports [n_ports]. */
	uint32_t n_ports;
	uint32_t *port_node;
	uint8_t *port_num;
	uint64_t *port_guid;	/* switch: that of port 0, on all its ports */
	uint32_t *port_peer;	/* port id at the other end of the cable, NO_ID when not cabled */
	uint32_t *port_link;	/* link id, NO_ID when not cabled */
	uint32_t *port_endport; /* endport id, NO_ID for others */
	uint16_t *port_lid;	/* base LID in the source; endports only; 0 = none */
	uint8_t *port_lmc;	/* LMC in the source; endports only */
	uint8_t *port_width;	/* enum link_width */
	uint8_t *port_speed;	/* enum link_speed */
	/* What is enabled, 0 = the source does not tell: width bits as in PortInfo; speeds, see SPEED_BITS */
	uint8_t *port_widths, *port_speeds;
	uint8_t *port_state;   /* enum port_state as in the source; PORT_UNKNOWN where it does not tell: a
				  cabled port is then taken for an active one */
	uint8_t *port_opervls; /* OperVLs code: 1 = VL0, 2 = VL0-1, 3 = VL0-3, 4 = VL0-7, 5 = VL0-14 */
	bool *port_vls_told;   /* false: the source tells none, and DEFAULT_OPER_VLS is taken */
	uint8_t *port_ext;     /* external (front panel) number within the chassis, 0 = unknown */
	char **port_labels;    /* of the front panel; NULL: none told.  Use fabric_port_label() */

	/* Switches [n_switches], in GUID order. */
	uint32_t n_switches;
	uint32_t *switch_node;
	uint32_t *switch_port; /* id of port 0; port p is switch_port[s] + p */
	uint8_t *switch_nports;
	uint32_t *switch_fdb_cap;
	uint8_t *switch_esp0; /* 1: enhanced port 0 */
	/* Up/Down rank that the subnet manager gave it, and 1; 0: the source does not tell.  Root: rank 0. */
	uint16_t *switch_rank;

	/* Endports [n_endports] by port GUID: port 0 of every switch and every cabled CA or router port. */
	uint32_t n_endports;
	uint32_t *endport_port;

	/* Links [n_links], each once; link_port[2*l] < link_port[2*l + 1]; by ascending first port. */
	uint32_t n_links;
	uint32_t *link_port;

	/* Where the subnet manager runs: an endport id (never NO_ID unless the fabric has no endport). */
	uint32_t sm_endport;
	bool sm_guessed;  /* the source does not tell; see topo.sm_moved */
	bool states_told; /* the source tells port_state of cabled ports */

	/*
	 * What its switches held when it was read live, reference held; NULL = not read.  Only
	 * routing/switch_tables.h knows its content: fabric_switch_tables().
	 */
	struct counted *switch_tables;
	/* The subnet managers that were met then: fabric_managers(), managers.h; reference held, NULL = not
	 * read. */
	struct counted *managers;

	/* Look-ups; use the functions below. */
	uint32_t *by_guid;			 /* nodes by ascending node GUID */
	uint32_t *by_name;			 /* nodes by node_name (strcasecmp, then strcmp, then id) */
	size_t longest_name;			 /* bytes, of node_name */
	size_t most_semicolons;			 /* of one node_name */
	_Atomic(struct name_index *) name_index; /* words of node_given; NULL: not asked for yet */
};

struct fabric *fabric_ref(const struct fabric *f);
void fabric_unref(const struct fabric *f); /* NULL is fine */

static inline uint32_t switch_port_id(const struct fabric *f, uint32_t sw, unsigned port)
{
	return f->switch_port[sw] + port;
}

/* Each external port of a switch by its id, in order of their numbers. */
#define FOR_PORTS(f, sw, port)                                                                     \
	for (uint32_t port = (f)->switch_port[sw] + 1, port##_end = port + (f)->switch_nports[sw]; \
	     port < port##_end; port++)

static inline bool node_is_switch(const struct fabric *f, uint32_t node)
{
	return f->node_type[node] == NODE_SWITCH;
}

static inline const char *switch_name(const struct fabric *f, uint32_t sw)
{
	return f->node_name[f->switch_node[sw]];
}

/* The given name of a switch alone; other switches may have it too. */
static inline const char *switch_given(const struct fabric *f, uint32_t sw)
{
	return f->node_given[f->switch_node[sw]];
}

static inline uint32_t endport_node(const struct fabric *f, uint32_t ep)
{
	return f->port_node[f->endport_port[ep]];
}

static inline bool endport_is_switch(const struct fabric *f, uint32_t ep)
{
	return f->node_type[endport_node(f, ep)] == NODE_SWITCH;
}

/*
 * A cable carries data only while both its ports are active.  Returns the end of a port's cable that is in
 * Initialize or Armed (first the port itself, then its peer), which passes management packets alone.  NO_ID:
 * neither is, or there is no cable.
 */
uint32_t fabric_idle_end(const struct fabric *f, uint32_t port);
/* Is the port up, while what is at its other end gave no answer? */
bool fabric_port_open(const struct fabric *f, uint32_t port);
/* "Down", "Initialize", "Armed", "Active"; NULL: the source does not tell the state. */
const char *fabric_port_state(const struct fabric *f, uint32_t port);

/*
 * Is the link of a port slower or narrower than the best that both ends have enabled, or do its ends differ?
 * Where the source does not tell what is enabled, the present speed and width are taken for it.
 */
bool link_throttled(const struct fabric *f, uint32_t port);

uint32_t fabric_node_by_guid(const struct fabric *f, uint64_t node_guid); /* NO_ID when unknown; O(log n) */
uint32_t fabric_endport_by_guid(const struct fabric *f,
				uint64_t port_guid); /* NO_ID when unknown; O(log n) */

/* Is it the same fabric at another time: do the two have at least a quarter of their nodes in common? */
bool fabric_akin(const struct fabric *a, const struct fabric *b);

/* The same switch (node GUID) in another fabric, NO_ID: it is not there, or no switch. */
uint32_t fabric_switch_in(const struct fabric *to, const struct fabric *from, uint32_t sw);
/* The same endport (by its port) in another fabric, NO_ID: it is not there, or no endport. */
uint32_t fabric_endport_in(const struct fabric *to, const struct fabric *from, uint32_t ep);
/* The cable between the same two ports in another fabric, NO_ID: there is none. */
uint32_t fabric_link_in(const struct fabric *to, const struct fabric *from, uint32_t link);

/* The same port (node GUID and number) in another fabric.  NO_ID: it is not there, or `port` is NO_ID. */
uint32_t fabric_port_in(const struct fabric *to, const struct fabric *from, uint32_t port);

/*
 * The one node that a name fits best (enum name_rank); failing that, the only node that it fits as a glob.
 * NO_ID and *e: none (ERR_NO_NODE) or several (ERR_AMBIGUOUS) match; the message names some of them.
 */
uint32_t fabric_node_by_name(const struct fabric *f, const char *name, struct err *e);

/*
 * What the source does not tell, and what is taken instead: "VLs (8 are taken); LIDs of 3 endports".  Nothing
 * is added where it tells all.
 */
void fabric_tell_untold(const struct fabric *f, struct text *t);

/* A port's label on the front panel ("1/32/1"), from the source.  NULL: none, or just the port's number. */
const char *fabric_port_label(const struct fabric *f, uint32_t port);
/* Give a port a label (copied), while the fabric is made.  "" and the port's number change nothing. */
void fabric_set_port_label(struct fabric *f, uint32_t port, const char *label);

/*
 * A port in words that commands take; buf is returned.
 *   port_number  "19", and "63 1/32/1" of a switch's port with a label
 *   port_label   "leaf-03[19]", "leaf-03[63 1/32/1]"
 *   port_plain    "leaf-03[19]": without a label, so that it holds for other files of the fabric too
 * NO_ID is "-".  exit_number() is port_number() of what an entry of a switch names, which may have no such
 * port.
 */
const char *exit_number(const struct fabric *f, uint32_t sw, unsigned port, char *buf, size_t size);
const char *port_number(const struct fabric *f, uint32_t port, char *buf, size_t size);
const char *port_label(const struct fabric *f, uint32_t port, char *buf, size_t size);
const char *port_plain(const struct fabric *f, uint32_t port, char *buf, size_t size);

/*
 * Give nodes the names of a node-name-map (n pairs of GUID and name).  Returns a new fabric that shares
 * nothing with the old one.  GUIDs that are not in the fabric are ignored.
 */
struct name_map {
	uint64_t *guid;
	char **name;
	size_t n, cap;
};
struct fabric *fabric_renamed(const struct fabric *f, const struct name_map *map);

/* The same fabric, names from a map apart, with the SM guessed to be at another port. */
struct fabric *fabric_at_place(const struct fabric *f, uint32_t node, unsigned port);

/*
 * The same fabric with the SM on another endport (NO_ID: it stays).  With as_ibsim it is what ibsim makes of
 * the file: port GUIDs are node GUID + port number on CAs and routers and the node GUID on switches, and
 * routers start without LIDs.  Node, port, switch and link ids stay.
 */
struct fabric *fabric_variant(const struct fabric *f, uint32_t sm_endport, bool as_ibsim);

#endif
