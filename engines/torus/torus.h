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

#include <assert.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "core/trace/recording.h"

/*
 * torus-2QoS.conf as OpenSM 3.3.23 reads it (engines/doc/torus-2qos.md section 2, torus-2QoS.conf(5)): line
 * by line, with case-sensitive keywords and numbers in C notation; text after the needed words is ignored.
 */

#define TORUS_DIMS 3
#define TORUS_PORTS 255 /* port numbers 0 .. 254 */
static_assert(TORUS_PORTS == MAX_PORTS + 1, "all ports of a switch");

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
	/* End points in the order of their routes; of member m: end[first[m]] to end[first[m + 1] - 1]. */
	struct torus_end *end;
	uint32_t *first; /* [n + 1] */
};

/* The torus behind a routing (also one kept by the unicast cache), or NULL for another engine. */
const struct torus *torus_of(const struct routing *r);

/* The member at coordinates, NO_ID = empty. */
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

/* Declarations shared by the files of the torus engine. */

/* The state of one run. */
struct torus_run {
	struct torus *t;
	const struct engine_input *in;
	struct engine_output *out;
	/*
	 * Links between switches that are not in the torus yet. Those of switch sw are port[base[sw]] to
	 * port[end[sw] - 1], by ascending port number. Placed links are taken out.
	 */
	uint32_t *base, *end; /* [n_switches + 1], [n_switches] */
	uint8_t *port;
	uint32_t *peer; /* port id at the other end, parallel to port[] */
	uint32_t n_switch_links, n_end_links, n_cas;
};

/* How a switch was placed; the rule of a PLACE event. */
enum torus_how { TORUS_CENTRE, TORUS_NEIGHBOUR, TORUS_CORNER, TORUS_PERPENDICULAR };
/* The state of a cell: it has corners to find, or one was not found; the rule of a CELL event. */
enum torus_cell { TORUS_CELL, TORUS_NO_CORNER, TORUS_NO_PERPENDICULAR };
/* The state of a line; the rule of a RING event. */
enum torus_line { TORUS_WHOLE, TORUS_BROKEN, TORUS_OPEN };

/* tree.c */
struct torus *torus_ref(const struct torus *t);
void torus_unref(const struct torus *t); /* NULL is fine */
void torus_let_go(void *t);		 /* torus_unref(), for a routing or a recording */
/* Empties the torus: at[], of[], group[]. */
void torus_clear_places(struct torus *t);
/* Adds the next member. room: ports of a group. */
struct torus_member *torus_add_member(struct torus *t, uint32_t sw, const unsigned c[TORUS_DIMS],
				      unsigned room);
void torus_add_port(struct torus *t, uint32_t member, unsigned group, uint32_t port);
uint32_t torus_place(const struct torus *t, const unsigned c[TORUS_DIMS]);
void torus_coordinates(const struct torus *t, uint32_t place, unsigned c[TORUS_DIMS]);
/* The member to which a LID is attached, or NO_ID. */
uint32_t torus_of_lid(const struct routing *r, const struct torus *t, unsigned lid);

/* A switch that is up, or NO_ID. */
uint32_t torus_switch_by_guid(const struct torus_run *r, uint64_t guid);

/* The steps of a run. Each returns -1 when it refuses (see out->refused) or is cancelled. */
void torus_survey(struct torus_run *r);	 /* find.c: counts and links of the fabric; comes first */
int torus_verify(struct torus_run *r);	 /* verify.c: configuration against fabric; chooses the seed */
int torus_discover(struct torus_run *r); /* find.c: places switches and links */
int torus_check(struct torus_run *r);	 /* tree.c: missing switches and broken rings */
int torus_span(struct torus_run *r);	 /* tree.c: the master spanning tree */

/* An attempt to fill corner `target` of a cell (find.c). */
struct torus_attempt {
	bool perpendicular; /* false: the fourth corner of a face */
	uint8_t target;
	uint8_t n;
	uint8_t corner[3];
};

/* The end points of one destination, and the links to which they are dealt. */
struct torus_dealt {
	const struct torus_run *run;
	uint32_t a, b;		       /* members: the one that sends, and the destination */
	const struct torus_step *step; /* NULL: the end points are on `a` itself */
	const struct torus_end *end;
	unsigned links; /* number of links that way */
	uint32_t used;	/* routes dealt to them before */
};

/* run.c: what is recorded; all of these are only called when somebody records. */
void torus_record_seed(struct torus_run *r, unsigned seed, bool usable, uint64_t missing);
/* word: the fingerprint, or the place of the corner. asked: n switches. */
void torus_record_cell(struct torus_run *r, uint32_t place, enum torus_cell what, uint32_t word,
		       const uint32_t *asked, unsigned n);
/* found: the n switches by which it was found, or the direction of the seed's link. */
void torus_record_place(struct torus_run *r, uint32_t place, uint32_t sw, enum torus_how how,
			const uint32_t *found, unsigned n);
/* The link that `lower` has last got towards `upper`. */
void torus_record_link(struct torus_run *r, uint32_t port, uint32_t peer, unsigned d, uint32_t lower,
		       uint32_t upper);
void torus_record_ends(struct torus_run *r, uint32_t member);
/* c: where the line along d begins. */
void torus_record_line(struct torus_run *r, const unsigned c[TORUS_DIMS], unsigned d, bool gap);
void torus_record_span(struct torus_run *r, uint32_t reached);

/* tell.c: the choices of a step; the others are for operations and the scheme. */
void torus_tell_outside(const struct torus_run *r); /* switches without a place, and LIDs on them */
void torus_tell_choice(const struct torus_dealt *x, unsigned lid, unsigned port);
extern const struct rec_scheme torus_scheme;

/* tell.c */
extern const struct routing_ops torus_ops;

/* The name of a member's switch. */
static inline const char *torus_name(const struct torus *t, uint32_t m)
{
	return switch_name(t->topo->fabric, t->member[m].sw);
}

/* The rule of a step, from the closed list. */
static inline enum why_rule torus_rule(const struct torus_step *s)
{
	static const enum why_rule rule[] = {[TORUS_SHORTER] = WHY_SHORTER_ROUND,
					     [TORUS_TIE] = WHY_NO_WRAP,
					     [TORUS_DETOUR] = WHY_BROKEN_RING,
					     [TORUS_INTO_GAP] = WHY_EARLY_TURN,
					     [TORUS_STRAIGHT] = WHY_DIMENSION};

	static_assert(ARRAY_LEN(rule) == TORUS_STRAIGHT + 1, "each reason has a rule");
	return s->blocked ? WHY_EARLY_TURN : rule[s->why];
}

/* by: at most a radix either way. */
static inline unsigned torus_shift(const struct torus *t, unsigned d, unsigned c, int by)
{
	unsigned radix = t->conf.radix[d], to = c + (unsigned)by + (by < 0 ? radix : 0);

	return to < radix ? to : to - radix;
}

#endif
