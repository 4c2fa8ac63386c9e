/*
 * Building a fabric.  Nodes get builder indexes in the order of addition. fb_finish() sorts, numbers and
 * checks them, and frees the builder.
 */
#ifndef IBSCOPE_BUILDER_H
#define IBSCOPE_BUILDER_H

#include "core/base/infile.h"
#include "core/fabric/elements.h"
#include "core/fabric/fabric.h"

struct fb_port {
	uint64_t guid;	    /* 0: the default, node GUID + port number (switches: node GUID) */
	uint32_t peer_node; /* builder index, NO_ID when not cabled */
	uint16_t lid;
	uint8_t lmc, peer_port, width, speed, widths, state, opervls, ext;
	uint16_t speeds;
	/* opervls: 0 when the source does not report it */
	char *label; /* on the front panel, owned; NULL: not reported */
};

struct fb_node {
	uint64_t guid, sysguid;
	uint32_t vendor, device, fdb_cap;
	uint16_t chassis;
	uint16_t rank; /* 1 + the rank that the subnet manager gave the switch; 0: not reported */
	uint8_t type, nports, esp0;
	uint8_t adaptive;     /* enum adaptive_told */
	bool unseen;	      /* as fabric.node_unseen */
	char *desc;	      /* owned; NULL = empty */
	char *chassis_place;  /* owned; may be NULL */
	struct fb_port *port; /* [nports + 1]; a switch's LID and LMC stand in port[0] */
};

struct fabric_builder {
	struct fb_node *node;
	uint32_t n, cap;
	struct warnings warnings;
	uint32_t sm_node; /* builder index, NO_ID: the first node added */
	uint8_t sm_port;  /* CA: its port, 0 = the first cabled one */
	bool sm_guessed;  /* the source does not say where the subnet manager runs */
	bool again;	  /* built from a fabric, so its warnings are already there */
	bool states_told; /* taken from that fabric (fabric.h); otherwise derived from the ports */
	char *generated;
	char *sm_engine; /* fabric.h; owned; may be NULL */
	char *untold;	 /* what the format never reports (fabric.h), owned; may be NULL */
	/* GUID -> builder index, for fb_find(); open addressing, private */
	uint32_t *hash;
	uint32_t hash_size;
};

struct fabric_builder *fb_new(void);
void fb_free(struct fabric_builder *b);

/*
 * Adds a node whose ports are uncabled, PORT_UNKNOWN, with the defaults above.  Returns its index, or NO_ID
 * when the GUID is already there (nothing is added).
 */
uint32_t fb_add(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		const char *desc);
uint32_t fb_find(const struct fabric_builder *b, uint64_t guid); /* NO_ID when absent */

/*
 * A builder filled from a fabric; its nodes are in the source's order (node_order).  fb_again() finishes it:
 * the result differs from f only in what was changed.
 */
struct fabric_builder *fb_from(const struct fabric *f);
struct fabric *fb_again(struct fabric_builder *b, const struct fabric *f);

/* Raise the number of ports of a node (a file may name ports above that number). */
void fb_more_ports(struct fabric_builder *b, uint32_t node, unsigned nports);

/* The speed for the codes of PortInfo: the extended speed (LinkSpeedExtActive) if it is set, else
 * LinkSpeedActive. */
enum link_speed fb_speed_of_codes(unsigned extended, unsigned plain);

/*
 * Places the subnet manager at the port whose range has this LID.  If no port has it (no port has LID 0), the
 * place stays and counts as a guess.
 */
void fb_place_sm(struct fabric_builder *b, uint64_t lid);

/* Labels an existing port with the source's text, cut to LABEL_MAX.  A label with a bracket or comma is
 * ignored. */
void fb_label(struct fabric_builder *b, uint32_t node, unsigned port, const char *s, size_t len);

/* Labels the ports of a node by its model (labels.c), if the source has no label for it. */
void fb_make_labels(struct fb_node *n);

/* fb_unlink() removes a cable, if there is one (its ports are down); fb_remove() removes a node with its
 * cables: the nodes after it move up one index. */
void fb_unlink(struct fabric_builder *b, uint32_t node, unsigned port);
void fb_remove(struct fabric_builder *b, uint32_t node);
/* Gives a node a new GUID, and its ports the GUIDs and LIDs of a new node. */
void fb_replace(struct fabric_builder *b, uint32_t node, uint64_t guid);

/* Cables two ports.  Returns false, and does nothing, when one of them is out of range or cabled
 * elsewhere. */
bool fb_link(struct fabric_builder *b, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2);

/*
 * Makes the fabric.  Fails (-1, *e) only when there is no node or the SM's port does not exist.  The builder
 * is freed in either case. source and format are copied.
 */
int fb_finish(struct fabric_builder *b, const char *source, const char *format, struct fabric **out,
	      struct err *e);

/*
 * How switch elements are made: what the files elements*.c share.
 *   elements.c  what each switch says of where it belongs: file, system image, chassis
 *   elements.c        connected parts of groups, links, hops, questions
 *   elements.c  names
 */

/* What a switch reports about where it belongs. */
struct group {
	bool named;	  /* the file named it; nothing else counts then */
	uint64_t name;	  /* its number */
	uint64_t sys;	  /* system image GUID, 0 = unknown */
	uint16_t chassis; /* number in the source, 0 = none */
};

struct grouping {
	const struct fabric *f;
	struct group *group; /* [n_switches] */
	struct guid_file file;
	const char **name; /* [names] from the file, which owns them */
	uint32_t *line;	   /* [n_switches] line that named it, 0 = none */
};

#endif
