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
#include "engines/counted/hops.h"

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
/* Explains in one sentence with figures why no switch is a root. */
void root_search_refusal(const struct root_search *s, struct err *why);

/* --- results ---------------------------------------------------------------------- */

struct updown {
	struct hops *hops;		/* the matrix of ways that the rule allows */
	uint32_t *rank;			/* [n_switches] NO_RANK when the switch is not up */
	uint64_t *id;			/* updn: [n_switches] order within a rank; NULL for dnup */
	struct root_search *search;	/* NULL for dnup, and when roots were given */
	uint32_t n_roots, max_rank;	/* switches of rank 0; largest rank */
	uint32_t n_level, n_root_links; /* cables within a rank; those of them between roots */
	bool connect;			/* connect_roots had an effect */
	/*
	 * dnup with connect_roots: the price of a forbidden turn, the turns taken, the entries lost by
	 * overflow
	 */
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

/* As in struct routing_ops (sentences.c). */
void updown_decide_rank(const struct routing *r, uint32_t sw, struct decided *d);
void updown_rank_clues(const struct routing *r, uint32_t sw, struct text *t);

/* --- recordings (events.c) ------------------------------------------------------------------- */

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

/* Chooses ports (ways.c). Those who ask also hear about the way. */
bool updown_assign(const struct engine_input *in, struct engine_output *out, const struct updown *u,
		   struct routing *r);

#endif
