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

#include <stddef.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/text.h"

/* Widths and speeds of links. */

/* In OpenSM's order, slowest first. */
enum link_speed {
	SPEED_UNKNOWN,
	SPEED_SDR,
	SPEED_DDR,
	SPEED_QDR,
	SPEED_FDR10,
	SPEED_FDR,
	SPEED_EDR,
	SPEED_HDR,
	SPEED_NDR,
	SPEED_XDR,
	SPEED_COUNT
};
/* Slowest first: 1x 2x 4x 8x 12x. */
enum link_width { WIDTH_UNKNOWN, WIDTH_1X, WIDTH_2X, WIDTH_4X, WIDTH_8X, WIDTH_12X, WIDTH_COUNT };

const char *link_speed_name(enum link_speed s); /* "HDR", "???" when unknown */
const char *link_width_name(enum link_width w); /* "4x", "??" when unknown */
enum link_speed link_speed_parse(const char *s, size_t len);
enum link_width link_width_parse(const char *s, size_t len);
enum link_width link_width_of_code(unsigned code); /* code of PortInfo: 1 2 4 8 16 = 1x 4x 8x 12x 2x */
/*
 * A set of speeds.  Bits 0 to 2 are SDR, DDR, QDR as in LinkSpeed, bit 3 is FDR10, bits 4 to 7 are FDR, EDR,
 * HDR, NDR as in LinkSpeedExt, bit 8 is XDR.  So SPEED_SDR is bit 0, and the others follow.
 */
#define SPEED_BITS(link_speed, fdr10, ext) (((link_speed)&7) | ((fdr10) ? 8 : 0) | ((ext)&15) << 4)
double link_rate_gbps(enum link_width w, enum link_speed s); /* signalling rate, 0 when unknown */

/* Oddities of a fabric's source. */

/* An oddity in the input that did not stop the reading. */
struct warning {
	const char *kind;    /* static, short: "one-sided link", "duplicate GUID", "unknown line", ... */
	unsigned line;	     /* 0: no line */
	uint32_t stands_for; /* the number of oddities it stands for: 1, or all after the first few */
	bool missing;	     /* the source lacks a part of the fabric */
	uint8_t port;
	uint64_t guid; /* the node and port, valid even when names change; 0: no place */
	char *text;
};

struct warnings {
	struct warning *w;
	size_t n, cap;
	size_t missing; /* how many of the n are about missing parts; if any, the fabric is incomplete */
};

void warnings_add(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/*
 * The same for a part of the fabric that the source lacks or that was left out: a cable that leads nowhere, a
 * port that is up without another end, a text that ends within a record, a line that is not understood or
 * contradicts another, no answer.
 */
void warnings_missing(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Sets the place of the latest warning. */
void warnings_place(struct warnings *w, uint64_t guid, unsigned port);
/* Sets how many warnings of its kind the latest one stands for. */
void warnings_stand_for(struct warnings *w, uint32_t n);
/* Adds the missing parts, counted by kind: "3 dangling links, 1 cut record"; "" when nothing is missing. */
void warnings_tell_missing(const struct warnings *w, struct text *t);
/*
 * Writes each missing part into a file as a comment line, "# Incomplete: KIND at GUID[PORT]: TEXT", for
 * readers of the file.  begin, end: start and end of a comment in that file ("# ", "").
 */
void warnings_write_missing(const struct warnings *w, FILE *f, const char *begin, const char *end);
/* Adds the missing part that such a comment line records.  Other lines add nothing. */
void warnings_read_missing(struct warnings *w, const char *line, size_t len);
void warnings_copy(struct warnings *to, const struct warnings *from); /* adds all */
void warnings_free(struct warnings *w);

/* Is adaptive routing enabled on a switch? */
enum adaptive_told { ADAPTIVE_UNTOLD, ADAPTIVE_OFF, ADAPTIVE_ON };

enum node_type { NODE_CA = 1, NODE_SWITCH = 2, NODE_ROUTER = 3 };
enum port_state { PORT_UNKNOWN = 0, PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };
#define MAX_PORTS 254			/* external ports of a switch: as many as an LFT can name */
#define LABEL_MAX 31			/* bytes of a port's label */
#define PORT_NUMBER_MAX (4 + LABEL_MAX) /* bytes of "254 " and a label */
#define DESC_MAX 63			/* bytes of a NodeDescription, as OpenSM 3.3.23 shows it */
#define DEFAULT_FDB_CAP 49152		/* LinearFDBCap where the source does not report it */
#define DEFAULT_OPER_VLS 4		/* OperVLs code (VL0-7) where the source does not report it */

struct name_index;

struct fabric {
	atomic_uint refs;
	char *source;	 /* file, spec or device it came from */
	char *format;	 /* "ibnetdiscover", "ibsim", "cache", "subnet.lst", "synthetic", "live" */
	char *generated; /* line at the top of the source that says how it was made, or NULL */
	char *untold; /* what its format never reports, beyond what fabric_tell_untold() finds; NULL: nothing
		       */
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
	uint32_t *node_order;  /* place in the source, 0 = first; displays and saved files keep the source's
				  order */
	char **node_desc;      /* NodeDescription as in the source, never NULL */
	char **node_given;     /* its name: from the node-name-map, else node_desc (or the GUID when empty) */
	char **node_name;      /* displayed name, by which the node can be found: names.h */
	bool *node_unseen;     /* the source has no record of it: only its neighbours name it */
	uint16_t *node_chassis;	   /* chassis number of the source, 0 = none */
	char **node_chassis_place; /* place in the chassis ("ISR9288 Spine 1 Chip 0"), NULL when unknown */

	/* Ports [n_ports]. */
	uint32_t n_ports;
	uint32_t *port_node;
	uint8_t *port_num;
	uint64_t *port_guid;	/* switch: the GUID of port 0, on all its ports */
	uint32_t *port_peer;	/* port id at the other end of the cable, NO_ID when not cabled */
	uint32_t *port_link;	/* link id, NO_ID when not cabled */
	uint32_t *port_endport; /* endport id, NO_ID for others */
	uint16_t *port_lid;	/* base LID in the source; endports only; 0 = none */
	uint8_t *port_lmc;	/* LMC in the source; endports only */
	uint8_t *port_width;	/* enum link_width */
	uint8_t *port_speed;	/* enum link_speed */
	/* The enabled widths (bits as in PortInfo) and speeds (see SPEED_BITS), those that `Could be` of
	 * iblinkinfo names included; 0 = the source does not report them */
	uint8_t *port_widths;
	uint16_t *port_speeds;
	uint8_t *port_state;   /* enum port_state as in the source; a cabled port with PORT_UNKNOWN, where the
				  source does not report it, counts as active */
	uint8_t *port_opervls; /* OperVLs code: 1 = VL0, 2 = VL0-1, 3 = VL0-3, 4 = VL0-7, 5 = VL0-14 */
	bool *port_vls_told;   /* false: the source does not report them, and DEFAULT_OPER_VLS is used */
	uint8_t *port_ext;     /* external (front panel) number within the chassis, 0 = unknown */
	char **port_labels;    /* on the front panel; NULL: not reported.  Use fabric_port_label() */

	/* Switches [n_switches], in GUID order. */
	uint32_t n_switches;
	uint32_t *switch_node;
	uint32_t *switch_port; /* id of port 0; port p is switch_port[s] + p */
	uint8_t *switch_nports;
	uint32_t *switch_fdb_cap;
	uint8_t *switch_esp0; /* 1: enhanced port 0 */
	/* 1 + the Up/Down rank that the subnet manager gave it; 0: the source does not report it.  The root
	 * has rank 0. */
	uint16_t *switch_rank;
	uint8_t *switch_adaptive; /* enum adaptive_told */
	uint32_t n_adaptive; /* switches with adaptive routing, as ibdiagnet counts them; NO_ID: not told */
	char *sm_engine;     /* that the subnet manager's dump names; NULL: not told */

	/* Endports [n_endports] by port GUID: port 0 of every switch and every cabled CA or router port. */
	uint32_t n_endports;
	uint32_t *endport_port;

	/* Links [n_links], each once; link_port[2*l] < link_port[2*l + 1]; by ascending first port. */
	uint32_t n_links;
	uint32_t *link_port;

	/* Where the subnet manager runs: an endport id (never NO_ID unless the fabric has no endport). */
	uint32_t sm_endport;
	bool sm_guessed;  /* the source does not say where; see topo.sm_moved */
	bool states_told; /* the source reports port_state for cabled ports */

	/*
	 * What its switches held when it was read live; reference held; NULL = not read.  Only
	 * routing/routing.h knows the content: fabric_switch_tables().
	 */
	struct counted *switch_tables;
	/* The subnet managers found by that reading: fabric_managers(), fabric.h; reference held, NULL = not
	 * read. */
	struct counted *managers;
	/* The subnet manager's log in the same folder: fabric_log(), opensm_log.h; reference held, NULL =
	 * none. */
	struct counted *log;

	/* Look-ups; use the functions below. */
	uint32_t *by_guid;			 /* nodes by ascending node GUID */
	uint32_t *by_name;			 /* nodes by node_name (strcasecmp, then strcmp, then id) */
	size_t longest_name;			 /* the longest node_name, in bytes */
	size_t most_semicolons;			 /* of one node_name */
	_Atomic(struct name_index *) name_index; /* words of node_given; NULL: not needed so far */
};

struct fabric *fabric_ref(const struct fabric *f);
void fabric_unref(const struct fabric *f);				     /* NULL is fine */
struct fabric *fabric_unref_later(void *arena, const struct fabric *fabric); /* counted.h */
#define AUTO_FABRIC __attribute__((cleanup(fabric_unref_at)))
void fabric_unref_at(void *variable);

/* Do ids mean the same in both fabrics?  Their subnet managers and the states of their ports may differ. */
static inline bool fabric_alike(const struct fabric *a, const struct fabric *b)
{
	return a == b || (a->n_nodes == b->n_nodes && a->n_ports == b->n_ports && a->n_links == b->n_links &&
			  a->n_switches == b->n_switches && a->n_endports == b->n_endports);
}

static inline uint32_t switch_port_id(const struct fabric *f, uint32_t sw, unsigned port)
{
	return f->switch_port[sw] + port;
}

/* Loops over the ids of a switch's external ports, in order of their numbers. */
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

/* A switch's given name alone; other switches may have it too. */
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
 * A cable carries data only while both its ports are active.  In Initialize or Armed it passes only
 * management packets.  Returns the end of a port's cable that is in one of these states (first the port
 * itself, then its peer), or NO_ID when neither is or there is no cable.
 */
uint32_t fabric_idle_end(const struct fabric *f, uint32_t port);
/* Is the port up although the device at its other end did not answer? */
bool fabric_port_open(const struct fabric *f, uint32_t port);
/* "Down", "Initialize", "Armed", "Active"; NULL when the source does not report the state. */
const char *fabric_port_state(const struct fabric *f, uint32_t port);

/*
 * Is a port's link slower or narrower than the best that both ends have enabled, or do its ends differ? Where
 * the source does not report what is enabled, the present speed and width are assumed.
 */
bool link_throttled(const struct fabric *f, uint32_t port);
/* The widest width and the fastest speed that both ends of a port's cable have enabled; false where the
 * source does not report them. */
bool link_enabled(const struct fabric *f, uint32_t port, enum link_width *width, enum link_speed *speed);

uint32_t fabric_node_by_guid(const struct fabric *f, uint64_t node_guid); /* NO_ID when unknown; O(log n) */
uint32_t fabric_endport_by_guid(const struct fabric *f,
				uint64_t port_guid); /* NO_ID when unknown; O(log n) */

/* Do the two have at least a quarter of their nodes in common, so that they are the same fabric at different
 * times? */
bool fabric_akin(const struct fabric *a, const struct fabric *b);

/* The same switch (node GUID) in another fabric; NO_ID when it is absent or not a switch there. */
uint32_t fabric_switch_in(const struct fabric *to, const struct fabric *from, uint32_t sw);
/* The same endport (by its port) in another fabric; NO_ID when it is absent or not an endport there. */
uint32_t fabric_endport_in(const struct fabric *to, const struct fabric *from, uint32_t ep);
/* The cable between the same two ports in another fabric; NO_ID when there is none. */
uint32_t fabric_link_in(const struct fabric *to, const struct fabric *from, uint32_t link);

/* The same port (node GUID and number) in another fabric; NO_ID when it is absent or `port` is NO_ID. */
uint32_t fabric_port_in(const struct fabric *to, const struct fabric *from, uint32_t port);

/*
 * The one node that a name fits best (enum name_rank); failing that, the only node that it fits as a glob.
 * Returns NO_ID and *e when none (ERR_NO_NODE) or several (ERR_AMBIGUOUS) match; the message names some of
 * them.
 */
uint32_t fabric_node_by_name(const struct fabric *f, const char *name, struct err *e);

/*
 * Adds what the source does not report and what is assumed instead: "VLs (8 are taken); LIDs of 3 endports".
 * Adds nothing when the source reports everything.
 */
void fabric_tell_untold(const struct fabric *f, struct text *t);

/* A port's label on the front panel ("1/32/1"), from the source.  NULL when it has none or its label is just
 * its number. */
const char *fabric_port_label(const struct fabric *f, uint32_t port);
double fabric_port_gbps(const struct fabric *f, uint32_t port); /* of its cable; 0: not known */
/* Labels a port (the text is copied) while the fabric is made.  "" and the port's own number change
 * nothing. */
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
 * Gives nodes the names of a node-name-map (n pairs of GUID and name).  Returns a new fabric that shares
 * nothing with the old one.  GUIDs that are not in the fabric are ignored.
 */
struct name_map {
	uint64_t *guid;
	char **name;
	size_t n, cap;
};
struct fabric *fabric_renamed(const struct fabric *f, const struct name_map *map);

/* Returns the same fabric, without the names of a map, with the SM guessed to be at another port. */
struct fabric *fabric_at_place(const struct fabric *f, uint32_t node, unsigned port);

/*
 * Returns the same fabric with the SM on another endport (NO_ID: unchanged).  With as_ibsim the result is
 * what ibsim makes of the file: port GUIDs are node GUID + port number on CAs and routers and the node GUID
 * on switches, and routers start without LIDs.  Node, port, switch and link ids stay the same.
 */
struct fabric *fabric_variant(const struct fabric *f, uint32_t sm_endport, bool as_ibsim);

/*
 * CA and router ports that count as hosts.  Check, loads, shifts, comparisons, figures and channel
 * dependencies count pairs of these.  Tables never depend on this choice.
 *
 * Aggregation nodes are channel adapters inside switches that add up what collective operations send (NVIDIA
 * SHARP).  They have LIDs and are routed, but nobody runs there.
 */

#define DEVICE_AGGREGATION 0xcf09 /* PCI device number of aggregation nodes in Quantum switches */

/* Is a node an aggregation node: a CA with that device number, or a CA of any device with such a name? */
bool node_is_aggregation(const struct fabric *f, uint32_t node);
uint32_t fabric_aggregation_nodes(const struct fabric *f); /* how many there are */

/* Is the port (NO_ID: no) on a CA or router?  Without `aggregation`, ports of aggregation nodes do not
 * count. */
bool port_of_host(const struct fabric *f, uint32_t port, bool aggregation);

/* The ports of one job's hosts.  They are kept by name, so they are found again in a fabric that is loaded
 * anew. */
struct scope_port {
	uint64_t node_guid;
	uint8_t port; /* number, from 1 */
};

struct scope {
	atomic_uint refs;
	char *words;		 /* as typed; "" = no scope: all hosts */
	struct scope_port *port; /* [n] in the order of endports of the fabric for which it was made */
	uint32_t n;
};

/* Makes a scope of the fabric's endports with wanted[endport] set. */
struct scope *scope_new(const struct fabric *f, const char *words, const uint8_t *wanted);
struct scope *scope_ref(const struct scope *s);
void scope_unref(const struct scope *s); /* NULL is fine */
/* The endport of a scope's port in a fabric; NO_ID when it is absent. */
uint32_t scope_endport(const struct fabric *f, const struct scope_port *p);

struct host_set {
	atomic_uint refs;
	bool narrowed; /* made from a scope: events on other ports do not matter */
	uint32_t n;    /* ports that count, up or not */
	uint8_t *in;   /* [n_endports] 1: counts */
};

/*
 * Makes a set of all CA and router ports; without `aggregation` it lacks those of aggregation nodes; with a
 * scope (not NULL, and with words) it has only those in the scope.  A set never changes once made.
 */
struct host_set *host_set_new(const struct fabric *f, bool aggregation, const struct scope *scope);
struct host_set *host_set_ref(const struct host_set *h); /* NULL is fine for both */
void host_set_unref(const struct host_set *h);

/*
 * Is it a fault when the endport is cut off or has no LID?  Yes for a host in the set, and without a scope
 * for a switch too.  With h NULL all hosts are in the set.
 */
bool host_set_matters(const struct host_set *h, const struct fabric *f, uint32_t endport);

/*
 * Hosts with several ports, and their rails.  A host consists of all channel adapters whose names begin with
 * the same word; a rail is the rest of the name with the number of the port.  Aggregation nodes are left out.
 */

/* A port of a channel adapter. */
struct rail_port {
	const char *name; /* the node's name; its first `len` bytes are the host's name */
	size_t len;
	const char *rest; /* what follows the host's name */
	unsigned num;	  /* of the port */
	uint32_t node, port;
	uint32_t sw;   /* the switch to which it leads; NO_ID: none */
	uint32_t rail; /* number of the pair (rest, num) in the order of strverscmp() */
	uint32_t host; /* number of the host in the order of names */
};

/*
 * Returns the *n ports by host, then rail; the caller frees them.  Where names do not help (a host would have
 * two ports on one rail, or no name) each node is a host.
 */
struct rail_port *rail_ports(const struct fabric *f, size_t *n);

/* The name of the box or host within a node's name, after "MF0;". */
const char *box_name(const char *name, size_t *len);

/* The subnet managers that a live reading found: what ports report about their master, and what the managers
 * answered.  Also the P_Keys that managers gave the ports, as a live reading or a file reports them.
 */

/* SMInfo's states (IBA 1.3, 14.2.5.13), and one for a port that claims to have a manager but did not
 * answer. */
enum manager_state {
	MANAGER_INACTIVE,
	MANAGER_DISCOVERING,
	MANAGER_STANDBY,
	MANAGER_MASTER,
	MANAGER_SILENT,
	MANAGER_STATES
};
extern const char *const manager_state_word[];

struct manager {
	uint64_t guid; /* of its port */
	uint16_t lid;
	uint8_t state, priority;
};

/* A P_Key that an endport holds, with the membership bit; 0: an empty place. */
struct port_pkey {
	uint64_t guid; /* of the port */
	uint16_t pkey;
};

struct managers {
	struct counted counted;
	uint16_t lid;	 /* as most endports report it; 0: none does */
	uint32_t others; /* the number of endports that report another LID */
	bool asked;	 /* were the managers asked (SMInfo)?  A live reading always asks */
	uint32_t n;
	struct manager *m; /* [n] by port GUID */
	uint32_t n_pkeys, cap_pkeys;
	struct port_pkey *pkey; /* [n_pkeys] by port GUID, for all endports that reported their P_Keys */
};

struct managers *managers_new(uint32_t most); /* with one reference and room for `most` */

/* Adds a P_Key.  They may come in any order; they are sorted at the end. */
void managers_tell_pkey(struct managers *m, uint64_t port_guid, uint16_t pkey);
void managers_order_pkeys(struct managers *m);
/* Sorts the P_Keys and gives them to a fabric, or to none if f is NULL; takes over m. */
void fabric_take_pkeys(struct fabric *f, struct managers *m);

/* The managers of a fabric that was read live, or whose file reports P_Keys; otherwise NULL.  Borrowed. */
static inline const struct managers *fabric_managers(const struct fabric *f)
{
	return (const struct managers *)f->managers;
}

/* The reason why nobody, or more than one manager, looks after a fabric. */
enum managers_fault {
	MANAGERS_GOOD, /* one is master, or the managers were not asked */
	MANAGERS_NONE, /* none answers */
	MANAGERS_NO_MASTER,
	MANAGERS_SEVERAL /* are master */
};
enum managers_fault managers_fault(const struct fabric *f);
/* Adds "no subnet manager is master (node0003[1] is standby)"; adds nothing for MANAGERS_GOOD. */
void managers_tell_fault(const struct fabric *f, struct text *t);
/* The consequence of that fault: "nobody will repair this"; NULL for MANAGERS_GOOD. */
const char *managers_consequence(const struct fabric *f);

/* The manager's port, or its GUID where the fabric does not have that port (any more).  Returns buf. */
const char *manager_label(const struct fabric *f, const struct manager *m, char *buf, size_t size);
/* The manager at a port, or NULL. */
const struct manager *manager_at(const struct managers *m, uint64_t port_guid);
/* The first P_Key of a port, which the others follow in m->pkey; NULL when the port reported none. */
const struct port_pkey *pkeys_at(const struct managers *m, uint64_t port_guid);
/* The endport that most endports name as their master; NO_ID when none is named or it is absent. */
uint32_t managers_master(const struct fabric *f);

#endif
