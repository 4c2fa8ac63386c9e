/*
 * The routing engine torus-2QoS as in OpenSM 3.3.23 (J. Schutt, Sandia National Laboratories; torus-2QoS(8)):
 * dimension order on 2D and 3D tori and meshes, with the dateline and two virtual channels per dimension of
 * W. J. Dally, C. L. Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, IEEE
 * Transactions on Computers C-36(5), 1987. Rules: engines/doc/torus-2qos.md.
 *
 * This header tells panes and explanations what was found in the cabling, and how it is routed. A *place* is
 * a number x + X * (y + Y * z). A *member* is a switch of the torus; members are numbered in the order of
 * placement.
 */
#ifndef IBSCOPE_TORUS_H
#define IBSCOPE_TORUS_H

#include "core/routing/routing.h"
#include "engines/torus/conf.h"

/* The group of a switch's local end points: port 0 and the ports with CAs and routers. */
#define TORUS_LOCAL 6
#define TORUS_GROUPS 7
/* The group of a port outside the torus. */
#define TORUS_NO_GROUP 255
/* struct torus_member.low for a line without gap. */
#define TORUS_COMPLETE UINT32_MAX
/* No dimension. */
#define TORUS_NO_DIM 3

struct torus_member {
	uint32_t sw;		     /* switch id */
	uint32_t at[TORUS_DIMS];     /* coordinates */
	uint32_t low[TORUS_DIMS];    /* coordinate without a link down, per line; TORUS_COMPLETE: a ring */
	uint32_t parent;	     /* in the master spanning tree; NO_ID for the root */
	uint8_t count[TORUS_GROUPS]; /* ports of each group */
	uint8_t *port[TORUS_GROUPS]; /* port numbers in the order of the lists; one block, owned by port[0] */
};

/* A local end point of a member. */
struct torus_end {
	uint32_t endport;
	uint16_t lid, lids; /* base LID (0: none), and number of LIDs */
	uint8_t port;	    /* port of the switch; 0: the switch itself */
	bool is_switch;
};

/* Reference counted. */
struct torus {
	atomic_uint refs;
	/*
	 * At a step of a recording: the torus of the whole run, which has the configuration and end points.
	 * Reference held, or NULL.
	 */
	const struct torus *whole;
	const struct topo *topo; /* that of the routing, not counted */
	struct torus_conf conf;
	unsigned seed;	  /* index of the seed that is used */
	unsigned sw_vls;  /* data VLs that all links between switches have, 1 .. 15 */
	unsigned end_vls; /* data VLs that all CA and router ports have */
	unsigned scans;	  /* passes over the whole torus until nothing more was placed */
	uint32_t n_places;
	uint32_t *at; /* [n_places] member, NO_ID = empty */
	uint32_t n, cap;
	struct torus_member *member; /* [n] in the order of placement */
	uint32_t *of;		     /* [n_switches] member, NO_ID = outside the torus */
	uint8_t *group;		     /* [n_ports] group of a port of a switch, TORUS_NO_GROUP = none */
	uint32_t root;		     /* member at the root of the master spanning tree; NO_ID: not yet */
	uint32_t n_links;	     /* placed links, including those to end points */
	/*
	 * End points in the order of their routes. Those of member m are end[first[m]] to end[first[m + 1] -
	 * 1].
	 */
	struct torus_end *end;
	uint32_t *first; /* [n + 1] */
};

/* The torus behind a routing (also one kept by the unicast cache), or NULL for another engine. */
const struct torus *torus_of(const struct routing *r);

/* The member at coordinates (below the radices), NO_ID = empty. */
uint32_t torus_at(const struct torus *t, const unsigned c[TORUS_DIMS]);
/* The member next to a place in a direction, NO_ID = empty. It wraps around even if the dimension is open. */
uint32_t torus_beside(const struct torus *t, const uint32_t c[TORUS_DIMS], unsigned direction);
/* The member of a switch, NO_ID = outside. */
static inline uint32_t torus_member_of(const struct torus *t, uint32_t sw)
{
	return t->of[sw];
}

/* The reason why a packet leaves in a direction. */
enum torus_why {
	TORUS_SHORTER,	/* fewer steps than in the other direction */
	TORUS_TIE,	/* equally many steps both ways: the way that does not cross the dateline */
	TORUS_DETOUR,	/* the only way left on a broken ring */
	TORUS_INTO_GAP, /* towards a missing switch, to turn before it */
	TORUS_STRAIGHT, /* an open line has no other way */
};

/* A decision for a packet at one member, addressed to another. */
struct torus_step {
	uint8_t dim;	 /* TORUS_NO_DIM: no way */
	uint8_t group;	 /* the group by which it leaves */
	uint8_t blocked; /* bit d: dimension d differs too, but the packet could not go there */
	enum torus_why why;
};

/* The next step from member a to a different member b. */
struct torus_step torus_next(const struct torus *t, uint32_t a, uint32_t b);

/* The SL bit of one dimension: does the shorter way from coordinate s to c cross the dateline? */
static inline unsigned torus_crosses(uint32_t s, uint32_t c, uint32_t radix)
{
	uint32_t a = s > c ? s - c : c - s;

	return a > radix - a;
}

/* The SL between two members, without the QoS bit (bit 3). Bit 0 is x, bit 1 is y, bit 2 is z. */
unsigned torus_sl(const struct torus *t, uint32_t a, uint32_t b);

/* "1,2,0" */
const char *torus_place_text(const uint32_t c[TORUS_DIMS], char *buf, size_t size);

#endif
