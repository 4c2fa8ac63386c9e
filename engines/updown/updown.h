/*
 * Up/Down and Down/Up: what both engines share, and results to look at. Switches are ranked by their distance
 * from the roots (updn) or from the switches with hosts (dnup). A packet goes up, then down, and never up
 * again.
 *
 * Source: M. D. Schroeder et al., Autonet: a High-speed, Self-configuring Local Area Network Using
 * Point-to-point Links, IEEE JSAC 9(8), 1991; details as in OpenSM 3.3.23.
 */
#ifndef IBSCOPE_UPDOWN_H
#define IBSCOPE_UPDOWN_H

#include "core/base/err.h"
#include "core/trace/walk.h"
#include "engines/counted/counted.h"

/* --- detection of roots --------------------------------------------------------- */

/*
 * Every switch counts the CA and router ports by their distance. It is a root when one distance has more than
 * 90 % of them and no other distance has more than 5 %.
 */
#define ROOT_BARS 64

enum root_verdict {
	ROOT_YES,
	ROOT_SPREAD,   /* no distance holds more than 90 % */
	ROOT_SECOND,   /* one does, but another holds more than 5 % */
	ROOT_NO_HOSTS, /* there is no host to count */
	ROOT_DOWN,     /* the switch is not up */
};

struct root_search {
	const struct topo *topo; /* reference held */
	uint32_t total;		 /* CA and router ports counted */
	uint32_t *bar;		 /* [n_switches * ROOT_BARS] ports at each distance */
};

/* Counts by the distances of a plain hop matrix (like minhop's). The caller frees the result. */
struct root_search *root_search_new(const struct topo *t, const struct hops *plain);
void root_search_free(struct root_search *s);

static inline const uint32_t *root_bars(const struct root_search *s, uint32_t sw)
{
	return s->bar + (size_t)sw * ROOT_BARS;
}

uint32_t root_main_limit(const struct root_search *s);	 /* least count above 90 % */
uint32_t root_second_limit(const struct root_search *s); /* least count above 5 % */
enum root_verdict root_verdict(const struct root_search *s, uint32_t sw);
const char *root_verdict_text(enum root_verdict v); /* "a second distance holds more than 5 %" */
/* The distance with most ports, and the one with most of the others. ROOT_BARS when there is none. */
void root_peaks(const struct root_search *s, uint32_t sw, unsigned *most, unsigned *next);

/* --- results ---------------------------------------------------------------------- */

struct updown {
	struct hops *hops;		/* the matrix of ways that the rule allows */
	uint32_t *rank;			/* [n_switches] NO_RANK when the switch is not up */
	uint64_t *id;			/* updn: [n_switches] order within a rank; NULL for dnup */
	struct root_search *search;	/* NULL for dnup, and when roots were given */
	uint32_t n_roots, max_rank;	/* switches of rank 0; largest rank */
	uint32_t n_level, n_root_links; /* cables within a rank; those of them between roots */
	bool connect;			/* connect_roots had an effect */
	/* dnup with connect_roots: the price of a forbidden turn, turns taken, entries lost by overflow */
	unsigned weight;
	uint32_t n_priced, n_erased;
};

/* The results behind a routing of updn or dnup, NULL for others. They live as long as the routing. */
const struct updown *updown_of(const struct routing *r);

/*
 * Direction of a packet that leaves a switch by a port. 'U': to a smaller rank, or smaller id within a rank
 * (updn); away from the hosts (dnup). 'D': the opposite. '=': root to root (updn); within a rank (dnup). ' ':
 * no switch is there.
 */
char updown_direction(const struct updown *u, const struct topo *t, uint32_t sw, unsigned port);

/* --- for the two engines ------------------------------------------------------------- */

/* An empty result without ranks. For updn, ids are node GUIDs. */
struct updown *updown_new(const struct topo *t, bool ids);
void updown_free(void *u);

/* Ranks all switches by their distance from the present switches of rank 0, and sets the counts. */
void updown_rank(const struct engine_input *in, struct updown *u);
/* Sets the counts of cables within a rank; updown_rank() does it too. */
void updown_count_level(const struct engine_input *in, struct updown *u);

/*
 * Makes the matrix. plain: Min Hop's matrix if it was computed, else NULL. keep_roots: rows of root targets
 * are taken from it (updn). price: forbidden turns are allowed at a price (second pass of dnup). False and
 * *e: cancelled, or memory is short.
 */
bool updown_matrix(const struct engine_input *in, struct updown *u, const struct hops *plain, bool keep_roots,
		   bool price, struct err *e);
/* As room() of struct engine. */
size_t updown_room(const struct engine_input *in, const char **what);

/* Chooses ports and makes the routing. Takes u over. NULL: cancelled. */
struct routing *updown_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct updown *u);

/* As in struct routing_ops (tell.c). */
void updown_decide_rank(const struct routing *r, uint32_t sw, struct decided *d);
void updown_rank_clues(const struct routing *r, uint32_t sw, struct text *t);

/* --- recordings (ar_updn.c) ------------------------------------------------------------------- */

extern const struct rec_scheme updn_scheme, dnup_scheme;
/* Operations for a step of a recording. */
extern const struct routing_ops updn_step_ops, dnup_step_ops;

/*
 * Records (in->record must not be NULL) the verdict on a switch, the switches of rank 0, or a switch that
 * gets its rank from a neighbour.
 */
void updown_record_verdict(const struct engine_input *in, uint32_t sw, enum root_verdict v);
void updown_record_roots(const struct engine_input *in, const uint32_t *sw, uint32_t n);
void updown_record_rank(const struct engine_input *in, uint32_t sw, uint32_t from, uint32_t rank);
/* Keeps what steps need besides the tables: ids, and counts of hosts (NULL: roots were given). */
void updown_record_keep(const struct engine_input *in, const struct updown *u);

/* Chooses ports (ar_updn.c). Those who ask also hear about the way. */
bool updown_assign(const struct engine_input *in, struct engine_output *out, const struct updown *u,
		   struct routing *r);

/*
 * Up/Down and Down/Up: declarations that the files of this folder share, besides updown.h.
 *   run.c     ranks, the search for the matrix, operations of a routing
 *   updn.c run.c updn.c   the two engines
 *   ar_updn.c    updn with adaptive-routing groups
 *   ar_updn.c       shortest ways, and the rule that decided them; the choice of ports
 *   ar_updn.c     what is recorded
 *   tell.c  how steps and choices are told
 *   tell.c       tables of a step, schemes
 */

/* The shortest ways to a target, without the rule and by the rule, for those who ask or record. */
struct ways {
	const struct engine_input *in;
	const struct updown *u;
	uint32_t target; /* target of dist[] and legal[]; NO_ID = none yet */
	uint16_t *dist;	 /* [n_switches] hops to it if every turn is allowed, FAR = none */
	uint16_t *legal; /* [2 * n_switches] hops by the rule; at 2 * sw + 1 after coming down */
	uint32_t *queue; /* [2 * n_switches] */
	uint32_t hub;	 /* through which ways lead that the rule lacks; NO_ID = none do */
};

#define FAR UINT16_MAX

static inline uint32_t peer_of(const struct ways *n, uint32_t sw, unsigned port)
{
	return n->in->topo->peer_switch[switch_port_id(n->in->topo->fabric, sw, port)];
}

/* Computes n->dist and n->legal for a target. */
void ways_measure(struct ways *n, uint32_t target);

/* A way in words, one run per direction, and the first turn on it that the rule forbids. */
struct way_text {
	struct text t; /* the caller frees */
	char run;
	unsigned len, hops;
	bool down;     /* came down, and has not gone level since (updn: ever) */
	uint32_t turn; /* switch of the forbidden turn, NO_ID = none */
};

/* Follows a shortest way without any rule, always by the first port that leads nearer. */
void way_shortest(const struct ways *n, uint32_t sw, struct way_text *w);

/* Does connect_roots allow all ways to the target: those of Min Hop, or others at a price? */
static inline bool ways_open(const struct ways *n)
{
	return n->u->weight || (n->u->connect && !n->u->rank[n->target]);
}

/* Hops of the shortest way by a port that the rule allows. FAR or more when there is none. */
uint32_t way_legal(const struct ways *n, uint32_t sw, unsigned port);
/*
 * Is a port no candidate because the search missed a way by it that the rule allows and that is no longer
 * than the way found?
 */
bool way_is_missed(const struct ways *n, uint32_t sw, unsigned port);
/* The port of the shortest way that was missed, or 0; it may be a candidate, by a longer way. */
unsigned way_missed(const struct ways *n, uint32_t sw);

/*
 * The rule of up and down, if it decided between a switch and the target that is measured; else `rule`, by
 * which the hop count decided. port: the chosen one, or NO_PATH.
 */
enum why_rule way_rule(const struct ways *n, uint32_t sw, unsigned port, enum why_rule rule);

/* tell.c: adds what the way explains to a choice, and passes it on to in->ask of `ways`. */
void updown_tell_choice(void *ways, const struct rec_choice *c);

/*
 * updn.c: the run of updn for an engine that adds to it, and the options of both. told: where no file names
 * roots, the switches of rank 0 in the source are (fabric.h).
 */
struct routing *updn_route_as(const char *engine, bool told, const struct engine_input *in,
			      struct engine_output *out);
extern const struct optdef updn_options[];

/* A struct updown for n switches, without ranks and matrix. */
struct updown *updown_frame(const struct updown *u, uint32_t n);

#endif
