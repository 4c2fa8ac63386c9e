/*
 * Turns that an up/down rule forbids: a packet that came down goes up again.  It knows the directions that an
 * engine reports (routing_ops.direction), but no engine.  A step within a level ('=') after one down makes
 * the way up legal again in Down/Up, not in ftree; in Up/Down no step down leads to a root, so it does not
 * occur there.
 */
#ifndef IBSCOPE_TURNS_H
#define IBSCOPE_TURNS_H

#include "core/base/progress.h"
#include "core/routing/paths.h"
#include "core/trace/walk.h"

/* Does the engine report directions?  Without them nothing is forbidden. */
static inline bool has_directions(const struct routing *r)
{
	return r->ops->direction != NULL;
}

/* Is the turn at a switch from port `in` to port `out` forbidden?  in 0: the packet starts here. */
bool turn_forbidden(const struct routing *r, uint32_t sw, unsigned in, unsigned out);

/* The index of the first switch in a row of hops with a forbidden turn; n when there is none. */
unsigned first_turn(const struct routing *r, const struct path_hop *hop, unsigned n);

/* --- in the tables ------------------------------------------------------------------ */

struct turn {
	uint32_t sw;
	uint8_t in, out; /* port numbers */
	uint64_t routes; /* that take it */
	uint32_t source; /* endport and LID of one route */
	uint16_t dlid;
};

/* Routes that arrive, from each present host to the LIDs of all others and of switches. */
struct turns {
	uint64_t routes, bad; /* to CAs and routers: all routes, and those with a forbidden turn */
	uint64_t switch_routes, switch_bad; /* the same to switches */
	struct turn *turn;		    /* [n] forbidden turns in use, in the order they were met */
	uint32_t n;
	uint32_t cap;
};

/* Counts them; all are 0 without directions.  Returns -1 when cancelled (t is empty then).  Cost: LIDs x
 * switches. */
int turns_count(const struct routing *r, struct turns *t, struct progress *p);
void turns_free(struct turns *t);

/* --- ways that are not in the tables --------------------------------------------------- */

struct way {
	struct path_hop *hop; /* [n] switches passed; the last is the target, with out 0 */
	unsigned n;
	unsigned links; /* n - 1 */
};

/*
 * Finds a shortest way from a switch through one of its ports to another switch, over links that are up.  It
 * never leads back through the first switch. lawful: it has no forbidden turn. false: there is none.  Free
 * with way_free().  Ports are tried in ascending order.
 */
bool way_find(const struct routing *r, uint32_t sw, unsigned port, uint32_t target, bool lawful,
	      struct way *w);
/*
 * Finds the shortest way, as way_find() does, if it has a forbidden turn: at hop[*at].  Returns false when it
 * has none, there is no way, or the engine reports no directions.
 */
bool way_forbidden(const struct routing *r, uint32_t sw, unsigned port, uint32_t target, struct way *w,
		   unsigned *at);
/*
 * The same for a step that forbids a turn, or allows it at a price.  If that way does not contain the turn, w
 * has only the turn, w->n = 2.  Returns false when the step does no such thing.
 */
bool step_way(const struct moment *m, struct way *w, unsigned *at);
void way_free(struct way *w);

#endif
