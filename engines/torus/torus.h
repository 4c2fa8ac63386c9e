/*
 * The routing engine torus-2QoS as OpenSM 3.3.23 (J. Schutt, Sandia National Laboratories; torus-2QoS(8)):
 * dimension order on 2D and 3D tori and meshes, with the dateline and two virtual channels a dimension of W.
 * J. Dally, C. L. Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, IEEE
 * Transactions on Computers C-36(5), 1987.  Rules: engines/doc/torus-2qos.md.
 *
 * What it found in the cabling, and how it routes, for panes and explanations. Ids of this header: a *place*
 * is a number x + X * (y + Y * z); a *member* is a switch of the torus, numbered in the order in which they
 * were placed.
 */
#ifndef IBSCOPE_TORUS_H
#define IBSCOPE_TORUS_H

#include "core/routing/routing.h"
#include "engines/torus/conf.h"

/* Group of the local end points of a switch: port 0 and the ports with CAs and routers. */
#define TORUS_LOCAL 6
#define TORUS_GROUPS 7
/* Group of a port that is none of the torus'. */
#define TORUS_NO_GROUP 255
/* struct torus_member.low of a line with no gap. */
#define TORUS_COMPLETE UINT32_MAX
/* No dimension. */
#define TORUS_NO_DIM 3

struct torus_member {
	uint32_t sw;		  /* switch id */
	uint32_t at[TORUS_DIMS];  /* coordinates */
	uint32_t low[TORUS_DIMS]; /* of the line through it along a dimension: coordinate of the switch that
				     has no link down; TORUS_COMPLETE: none, it is a whole ring */
	uint32_t parent;	  /* in the master spanning tree; NO_ID: the root */
	uint8_t count[TORUS_GROUPS]; /* ports of each group */
	uint8_t *port[TORUS_GROUPS]; /* their numbers in the order of the lists; all in one piece, port[0] is
					owned */
};

/* A local end point of a member. */
struct torus_end {
	uint32_t endport;
	uint16_t lid, lids; /* base LID (0: none) and how many */
	uint8_t port;	    /* of the switch; 0: the switch itself */
	bool is_switch;
};

/* Counted. */
struct torus {
	atomic_uint refs;
	/* A step of a recording: the configuration and end points are those of the whole run; reference held,
	 * or NULL. */
	const struct torus *whole;
	const struct topo *topo; /* that of the routing, not counted */
	struct torus_conf conf;
	unsigned seed;	  /* the one used, from 0 */
	unsigned sw_vls;  /* data VLs that all links between switches have, 1 .. 15 */
	unsigned end_vls; /* ... that all CA and router ports have */
	unsigned scans;	  /* over the whole torus until nothing more was placed */
	uint32_t n_places;
	uint32_t *at; /* [n_places] member, NO_ID = empty */
	uint32_t n, cap;
	struct torus_member *member; /* [n] in the order of placement */
	uint32_t *of;		     /* [n_switches] member, NO_ID = outside the torus */
	uint8_t *group;		     /* [n_ports] group of a port of a switch, TORUS_NO_GROUP = none */
	uint32_t root;		     /* member at the root of the master spanning tree; NO_ID: not yet */
	uint32_t n_links;	     /* placed, with those to end points */
	/* End points in the order in which routes to them are made: those of member m are end[first[m]] .. */
	struct torus_end *end;
	uint32_t *first; /* [n + 1] */
};

/* The torus behind a routing (also one kept by the unicast cache); NULL: another engine's. */
const struct torus *torus_of(const struct routing *r);

/* Member at coordinates (below the radices), NO_ID = empty. */
uint32_t torus_at(const struct torus *t, const unsigned c[TORUS_DIMS]);
/* Member next to a place in a direction, around the ring also where it is open; NO_ID = empty. */
uint32_t torus_beside(const struct torus *t, const uint32_t c[TORUS_DIMS], unsigned direction);
/* A switch's member, NO_ID = outside. */
static inline uint32_t torus_member_of(const struct torus *t, uint32_t sw)
{
	return t->of[sw];
}

/* Why a packet leaves in a direction. */
enum torus_why {
	TORUS_SHORTER,	/* fewer steps than the other way round */
	TORUS_TIE,	/* as many steps both ways: the one that does not cross the dateline */
	TORUS_DETOUR,	/* the only way left on a broken ring */
	TORUS_INTO_GAP, /* towards a missing switch, to turn in front of it */
	TORUS_STRAIGHT, /* an open line: there is no other way round */
};

/* A decision for a packet at one member for another. */
struct torus_step {
	uint8_t dim;	 /* TORUS_NO_DIM: no way */
	uint8_t group;	 /* to leave by */
	uint8_t blocked; /* bit d: differs in dimension d too, but could not go there */
	enum torus_why why;
};

/* a and b: different members. */
struct torus_step torus_next(const struct torus *t, uint32_t a, uint32_t b);

/* Bit of the SL for one dimension: does the shorter way from coordinate s to c cross the dateline? */
static inline unsigned torus_crosses(uint32_t s, uint32_t c, uint32_t radix)
{
	uint32_t a = s > c ? s - c : c - s;

	return a > radix - a;
}

/* SL between two members without QoS bit (bit 3): bit 0 is x, 1 y, 2 z. */
unsigned torus_sl(const struct torus *t, uint32_t a, uint32_t b);

/* "1,2,0" */
const char *torus_place_text(const uint32_t c[TORUS_DIMS], char *buf, size_t size);

#endif
