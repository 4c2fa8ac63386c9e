/*
 * Up/Down and Down/Up: what the two engines share, and what they leave to look at.  Switches are ranked by
 * their distance from the roots (updn) or from the switches with hosts (dnup); a packet goes up, then down,
 * never up again.
 *
 * Source: M. D. Schroeder et al., Autonet: a High-speed, Self-configuring Local Area Network Using
 * Point-to-point Links, IEEE JSAC 9(8), 1991; details as OpenSM 3.3.23.
 */
#ifndef IBSCOPE_UPDOWN_H
#define IBSCOPE_UPDOWN_H

#include "core/base/err.h"
#include "engines/counted/hops.h"

/* --- detection of roots --------------------------------------------------------- */

/*
 * Every switch counts the CA and router ports by their distance.  It is a root
 * when one distance holds more than 90 % of them and no other one more than 5 %.
 */
#define ROOT_BARS 64

enum root_verdict {
	ROOT_YES,
	ROOT_SPREAD,   /* no distance holds more than 90 % */
	ROOT_SECOND,   /* one does, but another one holds more than 5 % */
	ROOT_NO_HOSTS, /* there is nothing to count */
	ROOT_DOWN,     /* the switch is not up */
};

struct root_search {
	const struct topo *topo; /* reference held */
	uint32_t total;		 /* CA and router ports counted */
	uint32_t *bar;		 /* [n_switches * ROOT_BARS] ports at a distance */
};

/* Count by the distances of a plain hop matrix (that of minhop does); the caller frees it. */
struct root_search *root_search_new(const struct topo *t, const struct hops *plain);
void root_search_free(struct root_search *s);

static inline const uint32_t *root_bars(const struct root_search *s, uint32_t sw)
{
	return s->bar + (size_t)sw * ROOT_BARS;
}

uint32_t root_main_limit(const struct root_search *s);	 /* smallest count above 90 % */
uint32_t root_second_limit(const struct root_search *s); /* smallest count above 5 % */
enum root_verdict root_verdict(const struct root_search *s, uint32_t sw);
const char *root_verdict_text(enum root_verdict v); /* "a second distance holds more than 5 %" */
/* The distance with most ports, and that with most among the others; ROOT_BARS when there is none. */
void root_peaks(const struct root_search *s, uint32_t sw, unsigned *most, unsigned *next);
/* Why no switch passes, in one sentence with figures. */
void root_search_refusal(const struct root_search *s, struct err *why);

/* --- results ---------------------------------------------------------------------- */

struct updown {
	struct hops *hops;		/* the matrix that the rule allows */
	uint32_t *rank;			/* [n_switches] NO_RANK when not up */
	uint64_t *id;			/* updn: [n_switches] order among equal ranks; NULL for dnup */
	struct root_search *search;	/* NULL: the roots were given, or dnup */
	uint32_t n_roots, max_rank;	/* switches of rank 0; largest rank */
	uint32_t n_level, n_root_links; /* cables between equal ranks; those of them between roots */
	bool connect;			/* connect_roots had its effect */
	/* dnup with connect_roots: price of a forbidden turn, turns taken at it, entries lost by overflow */
	unsigned weight;
	uint32_t n_priced, n_erased;
};

/* The tables behind a routing of updn or dnup, NULL for others; lives as long as the routing. */
const struct updown *updown_of(const struct routing *r);

/*
 * Direction of a packet that leaves a switch by a port: 'U' to smaller ranks
 * (updn; among equals to smaller ids) or away from the hosts (dnup), 'D' the other
 * way, '=' root to root (updn) or within a rank (dnup), ' ' no switch there.
 */
char updown_direction(const struct updown *u, const struct topo *t, uint32_t sw, unsigned port);

/* --- for the two engines ------------------------------------------------------------- */

/* An empty result: nothing ranked, id = node GUIDs (updn). */
struct updown *updown_new(const struct topo *t, bool ids);
void updown_free(void *u);

/* Rank all switches by their distance from those that have rank 0 now; sets the counts as well. */
void updown_rank(const struct engine_input *in, struct updown *u);

/*
 * The matrix.  plain: the one of Min Hop when it was computed, else NULL;
 * keep_roots: rows of root targets are taken from it (updn); price: dnup's second
 * pass allows forbidden turns.  false and *e: cancelled, or there is no memory for it.
 */
bool updown_matrix(const struct engine_input *in, struct updown *u, const struct hops *plain, bool keep_roots,
		   bool price, struct err *e);
/* As struct engine's room(). */
size_t updown_room(const struct engine_input *in, const char **what);

/* Ports and routing; takes u over.  NULL: cancelled. */
struct routing *updown_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct updown *u);

/* As struct routing_ops has them (sentences.c). */
void updown_decide_rank(const struct routing *r, uint32_t sw, struct decided *d);
void updown_rank_clues(const struct routing *r, uint32_t sw, struct text *t);

/* --- recordings (events.c) ------------------------------------------------------------------- */

extern const struct rec_scheme updn_scheme, dnup_scheme;
/* Operations of a step of a recording. */
extern const struct routing_ops updn_step_ops, dnup_step_ops;

/* For the recorder, which must not be NULL: the verdict on a switch; those of rank 0; one that gets its rank
 * from a neighbour. */
void updown_record_verdict(const struct engine_input *in, uint32_t sw, enum root_verdict v);
void updown_record_roots(const struct engine_input *in, const uint32_t *sw, uint32_t n);
void updown_record_rank(const struct engine_input *in, uint32_t sw, uint32_t from, uint32_t rank);
/* What the steps of a run need beside its tables: counts of hosts (NULL: roots were given), ids. */
void updown_record_keep(const struct engine_input *in, const struct updown *u);

/* Choose ports (ways.c); who asks hears of the way, too. */
bool updown_assign(const struct engine_input *in, struct engine_output *out, const struct updown *u,
		   struct routing *r);

#endif
