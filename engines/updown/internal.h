/*
 * Up/Down and Down/Up: declarations that the files of this folder share, besides updown.h.
 *   updown.c     ranks, the search for the matrix, operations of a routing
 *   updn.c dnup.c roots.c   the two engines
 *   ar_updn.c    updn with adaptive-routing groups
 *   ways.c       shortest ways, and the rule that decided them; the choice of ports
 *   events.c     what is recorded
 *   sentences.c  how steps and choices are told
 *   show.c       tables of a step, schemes
 */
#ifndef IBSCOPE_UPDOWN_INTERNAL_H
#define IBSCOPE_UPDOWN_INTERNAL_H

#include "core/trace/walk.h"
#include "engines/updown/updown.h"

/* The shortest ways to a target, without the rule and by the rule, for those who ask or record. */
struct ways {
	const struct engine_input *in;
	const struct updown *u;
	uint32_t target; /* target of dist[] and legal[]; NO_ID = none yet */
	uint16_t *dist;	 /* [n_switches] hops to it if every turn is allowed, FAR = none */
	uint16_t *legal; /* [2 * n_switches] hops by the rule; at 2 * sw + 1 after coming down */
	uint32_t *queue; /* [2 * n_switches] */
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

/* sentences.c: adds what the way explains to a choice, and passes it on to in->ask of `ways`. */
void updown_tell_choice(void *ways, const struct rec_choice *c);
/* The sentence of a step, and the source of its rule. */
void updown_sentence(struct walk *w, struct text *t);
const char *updn_source(const struct rec_event *ev);
const char *dnup_source(const struct rec_event *ev);

/*
 * updn.c: the run of updn for an engine that adds to it, and the options of both. told: where no file names
 * roots, the switches of rank 0 in the source are (fabric.h).
 */
struct routing *updn_route_as(const char *engine, bool told, const struct engine_input *in,
			      struct engine_output *out);
extern const struct optdef updn_options[];

/* events.c: replaces rules of recorded choices by the rules of ways. */
void updown_amend_rules(struct ways *n);
/* A struct updown for n switches, without ranks and matrix. */
struct updown *updown_frame(const struct updown *u, uint32_t n);

#endif
