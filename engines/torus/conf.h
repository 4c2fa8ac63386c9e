/*
 * torus-2QoS.conf as OpenSM 3.3.23 reads it (engines/doc/torus-2qos.md section 2, torus-2QoS.conf(5)): line
 * by line, with case-sensitive keywords and numbers in C notation; text after the needed words is ignored.
 */
#ifndef IBSCOPE_TORUS_CONF_H
#define IBSCOPE_TORUS_CONF_H

#include "core/base/err.h"
#include "core/base/text.h"

#define TORUS_DIMS 3
#define TORUS_PORTS 255 /* port numbers 0 .. 254 */

/* Directions, and groups of ports by direction: 2d is down in dimension d, 2d + 1 is up. */
#define TORUS_DIRECTIONS 6

/* A link of a seed, from its centre to a neighbour in one direction. */
struct torus_seed_link {
	uint64_t centre, neighbour; /* node GUIDs; centre 0 = not given */
	unsigned line;
};

struct torus_seed {
	struct torus_seed_link link[TORUS_DIRECTIONS]; /* by direction, like groups of ports */
	int dateline[TORUS_DIMS];		       /* the centre is at -dateline modulo radix */
	unsigned line;				       /* the line that began the seed */
};

struct torus_conf {
	unsigned radix[TORUS_DIMS]; /* 0: no torus or mesh line */
	bool open[TORUS_DIMS];	    /* no links between radix - 1 and 0; radix 2 is always open */
	unsigned line;		    /* of `torus` or `mesh`, 0 = none */
	unsigned first; /* line of the first keyword; the manual page expects `torus` or `mesh` there */
	struct torus_seed *seed;
	size_t n_seeds, cap_seeds;
	unsigned max_ports;   /* portgroup_max_ports */
	unsigned max_changes; /* most changes that are told */
	/* The order in which the ports of a destination switch are visited. Each number occurs once. */
	uint8_t port_order[TORUS_PORTS];
	unsigned order_line; /* of the last `port_order`, 0 = none */
};

/*
 * Parses the file. Each wrong line adds "NAME:LINE: ..." to *errors. Returns their number (OpenSM refuses if
 * there is any). c is initialised here; free it with torus_conf_free() in any case.
 */
unsigned torus_conf_parse(struct torus_conf *c, const char *name, const char *data, size_t size,
			  struct text *errors);
void torus_conf_free(struct torus_conf *c);

/* A direction in words: "+x", "-x", ... */
const char *torus_direction_name(unsigned direction);
/* The keyword of a direction: "xp_link", ... */
const char *torus_direction_keyword(unsigned direction);

#endif
