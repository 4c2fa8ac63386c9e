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
	uint8_t lmc, peer_port, width, speed, widths, speeds, state, opervls, ext;
	/* opervls: 0, the source does not tell */
	char *label; /* of the front panel, owned; NULL: not told */
};

struct fb_node {
	uint64_t guid, sysguid;
	uint32_t vendor, device, fdb_cap;
	uint16_t chassis;
	uint16_t rank; /* of a switch by its subnet manager, and 1; 0: not told */
	uint8_t type, nports, esp0;
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
	bool sm_guessed;  /* the source does not tell where the subnet manager runs */
	bool again;	  /* built from a fabric: its warnings are there already */
	bool states_told; /* of such a one (fabric.h); otherwise seen from the ports */
	char *generated;
	char *untold; /* what the format never tells (fabric.h), owned; may be NULL */
	/* GUID -> builder index, for fb_find(); open addressing, private */
	uint32_t *hash;
	uint32_t hash_size;
};

struct fabric_builder *fb_new(void);
void fb_free(struct fabric_builder *b);

/*
 * Add a node; its ports are uncabled, PORT_UNKNOWN, with the defaults above.
 * Returns its index, or NO_ID when the GUID is already there (nothing is added).
 */
uint32_t fb_add(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		const char *desc);
uint32_t fb_find(const struct fabric_builder *b, uint64_t guid); /* NO_ID when absent */

/*
 * A builder that holds a fabric again; its nodes are in the source's order (node_order).  fb_again() finishes
 * it: nothing but what was changed in it differs from f.
 */
struct fabric_builder *fb_from(const struct fabric *f);
struct fabric *fb_again(struct fabric_builder *b, const struct fabric *f);

/* Raise the number of ports of a node (a file may name ports above that number). */
void fb_more_ports(struct fabric_builder *b, uint32_t node, unsigned nports);

/* Codes of PortInfo: the extended speed (LinkSpeedExtActive) counts if it is set, else LinkSpeedActive. */
enum link_speed fb_speed_of_codes(unsigned extended, unsigned plain);

/*
 * The subnet manager runs at the port with this LID in its range.  If no port has it (no port has LID 0), the
 * place stays, and it is a guess.
 */
void fb_place_sm(struct fabric_builder *b, uint64_t lid);

/* Label a port that is there; text as it came, cut to LABEL_MAX.  One with a bracket or comma is left out. */
void fb_label(struct fabric_builder *b, uint32_t node, unsigned port, const char *s, size_t len);

/* Label the ports of a node by its model (labels.c), if the source tells no label of it. */
void fb_make_labels(struct fb_node *n);

/* Take a cable away, if there is one (its ports are down); take a node away, with its cables: those behind it
 * move up one index. */
void fb_unlink(struct fabric_builder *b, uint32_t node, unsigned port);
void fb_remove(struct fabric_builder *b, uint32_t node);
/* Give a node a new GUID, and its ports the GUIDs and LIDs of a new one. */
void fb_replace(struct fabric_builder *b, uint32_t node, uint64_t guid);

/* Cable two ports. false (nothing done): one of them is out of range, or cabled elsewhere. */
bool fb_link(struct fabric_builder *b, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2);

/*
 * Make the fabric.  Fails (-1, *e) only when there is no node, or the SM's port does not exist.  The builder
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

/* What a switch says of where it belongs. */
struct group {
	bool named;	  /* by the file, which counts alone */
	uint64_t name;	  /* its number */
	uint64_t sys;	  /* system image GUID, 0 = unknown */
	uint16_t chassis; /* number in the source, 0 = none */
};

struct grouping {
	const struct fabric *f;
	struct group *group; /* [n_switches] */
	struct guid_file file;
	const char **name; /* [names] of the file, owned by it */
	uint32_t *line;	   /* [n_switches] line that named it, 0 = none */
};

#endif
