/* Declarations shared by the files of the torus engine. */
#ifndef IBSCOPE_TORUS_INTERNAL_H
#define IBSCOPE_TORUS_INTERNAL_H

#include "core/trace/recorder.h"
#include "engines/torus/torus.h"

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

/* places.c */
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
int torus_check(struct torus_run *r);	 /* rings.c: missing switches and broken rings */
int torus_span(struct torus_run *r);	 /* tree.c: the master spanning tree */
int torus_fill(struct torus_run *r, struct routing *routing); /* tables.c */

/* An attempt to fill corner `target` of a cell (shapes.c). */
struct torus_attempt {
	bool perpendicular; /* false: the fourth corner of a face */
	uint8_t target;
	uint8_t n;
	uint8_t corner[3];
};

/*
 * The attempts for a cell with these empty corners (engines/doc/torus-2qos.md 5.4, 5.5): at most 4, in order.
 */
unsigned torus_attempts(unsigned fingerprint, struct torus_attempt a[4]);

/* Lists the end points by port order, after discovery. */
void torus_list_ends(struct torus_run *r);

/* The end points of one destination, and the links to which they are dealt. */
struct torus_dealt {
	const struct torus_run *run;
	uint32_t a, b;		       /* members: the one that sends, and the destination */
	const struct torus_step *step; /* NULL: the end points are on `a` itself */
	const struct torus_end *end;
	unsigned links; /* number of links that way */
	uint32_t used;	/* routes dealt to them before */
};

/* events.c: what is recorded; all of these are only called when somebody records. */
void torus_record_start(struct torus_run *r);
void torus_record_seed(struct torus_run *r, unsigned seed, bool usable, uint64_t missing);
/* word: the fingerprint, or the place of the corner. asked: n switches. */
void torus_record_cell(struct torus_run *r, uint32_t place, enum torus_cell what, uint32_t word,
		       const uint32_t *asked, unsigned n);
/* found: the n switches by which it was found, or the direction of the seed's link. */
void torus_record_place(struct torus_run *r, uint32_t place, uint32_t sw, enum torus_how how,
			const uint32_t *found, unsigned n);
/* number: which link between the two, from 1. */
void torus_record_link(struct torus_run *r, uint32_t port, uint32_t peer, unsigned d, uint32_t lower,
		       uint32_t upper, unsigned number);
void torus_record_ends(struct torus_run *r, uint32_t member);
/* c: where the line along d begins. */
void torus_record_line(struct torus_run *r, const unsigned c[TORUS_DIMS], unsigned d, bool gap);
void torus_record_span(struct torus_run *r, uint32_t reached);
void torus_record_hop(struct torus_run *r, uint32_t a, uint32_t b, const struct torus_step *s);
void torus_record_choice(const struct torus_dealt *x, unsigned lid, unsigned port);
void torus_record_row(struct torus_run *r, uint32_t a);

/* sentences.c: the choices of a step; the others are for operations and the scheme. */
void torus_tell_outside(const struct torus_run *r); /* switches without a place, and LIDs on them */
void torus_tell_choice(const struct torus_dealt *x, unsigned lid, unsigned port);
void torus_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
void torus_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			struct progress *p);
void torus_explain_layers(const struct routing *r, struct text *t);
extern const struct rec_scheme torus_scheme;

/* show.c */
extern const struct routing_ops torus_ops;
void *torus_priv_at(struct walk *w, const struct routing *end);

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

	return s->blocked ? WHY_EARLY_TURN : rule[s->why];
}

/* by: at most a radix either way. */
static inline unsigned torus_shift(const struct torus *t, unsigned d, unsigned c, int by)
{
	unsigned radix = t->conf.radix[d], to = c + (unsigned)by + (by < 0 ? radix : 0);

	return to < radix ? to : to - radix;
}

#endif
