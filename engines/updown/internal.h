/*
 * Up/Down and Down/Up, what the files of this folder share beside updown.h.
 *   updown.c     ranks, the search for the matrix, operations of a routing
 *   updn.c dnup.c roots.c   the two engines
 *   ways.c       shortest ways and what the rule says of them; ports are chosen
 *   events.c     what is recorded
 *   sentences.c  how steps and choices are told
 *   show.c       tables of a step, schemes
 */
#ifndef IBSCOPE_UPDOWN_INTERNAL_H
#define IBSCOPE_UPDOWN_INTERNAL_H

#include "core/trace/walk.h"
#include "engines/updown/updown.h"

/* Listeners hear of shortest ways to a target: without the rule and by the rule. */
struct ways {
	const struct engine_input *in;
	const struct updown *u;
	uint32_t target; /* the one that dist[] is about; NO_ID = none */
	uint16_t *dist;	 /* [n_switches] hops to it when nothing is forbidden, FAR = none */
	uint16_t *legal; /* [2 * n_switches] hops by the rule; then those of a packet that came down there */
	uint32_t *queue; /* [2 * n_switches] */
};

#define FAR UINT16_MAX

static inline uint32_t peer_of(const struct ways *n, uint32_t sw, unsigned port)
{
	return n->in->topo->peer_switch[switch_port_id(n->in->topo->fabric, sw, port)];
}

/* Make n->dist and n->legal be about a target. */
void ways_measure(struct ways *n, uint32_t target);

/* A way hop by hop: runs of one direction in words, and the first turn that the rule forbids. */
struct way_text {
	struct text t; /* the caller frees */
	char run;
	unsigned len, hops;
	bool down;     /* went down, with nothing level since (updn: at all) */
	uint32_t turn; /* switch of the forbidden turn, NO_ID = none */
};

/* Along a shortest way without any rule; the first port that leads nearer. */
void way_shortest(const struct ways *n, uint32_t sw, struct way_text *w);

/* Does connect_roots allow all ways to the target, those of Min Hop, or at a price? */
static inline bool ways_open(const struct ways *n)
{
	return n->u->weight || (n->u->connect && !n->u->rank[n->target]);
}

/* Hops of the shortest way by a port that the rule allows, FAR or more: none. */
uint32_t way_legal(const struct ways *n, uint32_t sw, unsigned port);
/* Did the search miss a way by a port that the rule allows and that is no longer than what it found? */
bool way_is_missed(const struct ways *n, uint32_t sw, unsigned port);
/* The port of the shortest such way, 0 = none. */
unsigned way_missed(const struct ways *n, uint32_t sw);

/*
 * The rule of up and down where it decided between a switch and the target that is measured; `rule` where
 * the count alone did.  port: chosen, or NO_PATH.
 */
enum why_rule way_rule(const struct ways *n, uint32_t sw, unsigned port, enum why_rule rule);

/* sentences.c: a choice, with the way in front; passed on to ways' in->ask. */
void updown_tell_choice(void *ways, const struct rec_choice *c);
/* Of a step; where to read about it. */
void updown_sentence(struct walk *w, struct text *t);
const char *updn_source(const struct rec_event *ev);
const char *dnup_source(const struct rec_event *ev);

/* events.c: give the choices recorded the rules of ways. */
void updown_amend_rules(struct ways *n);
/* A struct updown without ranks and matrix, of n switches. */
struct updown *updown_frame(const struct updown *u, uint32_t n);

#endif
