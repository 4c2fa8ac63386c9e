/*
 * torus-2QoS.conf as OpenSM 3.3.23 reads it (engines/doc/torus-2qos.md section 2, torus-2QoS.conf(5)): line
 * by line, keywords that distinguish case, numbers in C notation, text behind what a keyword needs ignored.
 */
#ifndef IBSCOPE_TORUS_CONF_H
#define IBSCOPE_TORUS_CONF_H

#include "core/base/err.h"
#include "core/base/text.h"

#define TORUS_DIMS 3
#define TORUS_PORTS 255 /* port numbers 0 .. 254 */

/* Directions, and groups of ports by direction: 2d leads down in dimension d, 2d + 1 up. */
#define TORUS_DIRECTIONS 6

/* A link of a seed: from its centre to a neighbour in one direction. */
struct torus_seed_link {
	uint64_t centre, neighbour; /* node GUIDs; centre 0 = not given */
	unsigned line;
};

struct torus_seed {
	struct torus_seed_link link[TORUS_DIRECTIONS]; /* by direction, as groups of ports are */
	int dateline[TORUS_DIMS];		       /* the centre is at -dateline modulo radix */
	unsigned line;				       /* that opened it */
};

struct torus_conf {
	unsigned radix[TORUS_DIMS]; /* 0: no torus or mesh line */
	bool open[TORUS_DIMS];	    /* no links between radix - 1 and 0; radix 2 always is open */
	unsigned line;		    /* of `torus` or `mesh`, 0 = none */
	unsigned first; /* line of the first keyword; the manual page wants `torus` or `mesh` there */
	struct torus_seed *seed;
	size_t n_seeds, cap_seeds;
	unsigned max_ports;   /* portgroup_max_ports */
	unsigned max_changes; /* changes told of at most */
	/* Ports of a destination switch in the order they are visited; all numbers, each once. */
	uint8_t port_order[TORUS_PORTS];
	unsigned order_line; /* of the last `port_order`, 0 = none */
};

/*
 * Parse.  Every line in error adds a line "NAME:LINE: ..." to *errors; returns how many there are (OpenSM
 * refuses when there is one).  c is initialised here and to be freed with torus_conf_free() in any case.
 */
unsigned torus_conf_parse(struct torus_conf *c, const char *name, const char *data, size_t size,
			  struct text *errors);
void torus_conf_free(struct torus_conf *c);

/* "+x", "-x", ...: a direction in words. */
const char *torus_direction_name(unsigned direction);
/* "xp_link", ...: its keyword. */
const char *torus_direction_keyword(unsigned direction);

#endif
