/*
 * Packets moved through a routed fabric, round by round, until all have arrived or nobody can move.  It is a
 * model for illustration, not for the timing of hardware.  It looks only at tables, SLs and VLs and knows no
 * engine.
 *
 * Each channel (credit/cdg.h: a directed cable on one VL) has a buffer of N packets at its far end, first in,
 * first out.  A packet is in one channel at a time.  It goes on when the next channel has a free place (a
 * credit), so a channel whose first packet cannot go on holds up all behind it.  A packet chooses its next
 * channel when it is first in its buffer, and stays with it: the entry of the table; with adaptive routing,
 * of the k ports that it may take the one with most free places (packet n begins to look at the n mod k-th,
 * and takes the first of equal ones).
 *
 * A round:
 *   1. Hosts take the first packet of each channel that leads to them.  A packet whose SL leads to VL 15 is
 *      dropped.
 *   2. By the places that are free now, each cable carries at most one packet in its direction.  When several
 *      channels want the port, the next in turn behind the one served last sends (by port of entry, then by
 *      VL).  A host puts its next packet into its own cable.
 * All packets of step 2 move at once: a place that they leave is free in the next round.
 *
 * The order in which packets are drawn: seed 0 draws nothing.  Each host then sends in the order of the
 * pattern (of `all`: to the LIDs behind its own, then from the lowest on), with the lowest SL of a range, and
 * port 0, VL 0 is first in turn.  Another seed shuffles what each host sends, draws SLs from their ranges and
 * who is first in turn.
 *
 * Why it shows credit loops: when nobody can move, each first packet wants a full channel, and following
 * these wants ends in a circle, which is a cycle of the graph of credit/cdg.h.  Without a cycle some packet
 * always moves.
 *
 * A struct drain is of one thread.  Places are in flat arrays; a round allocates nothing.
 */
#ifndef IBSCOPE_DRAIN_H
#define IBSCOPE_DRAIN_H

#include "core/analysis/credit/cdg.h"
#include "core/analysis/traffic/loads.h"

#define DRAIN_VLS CDG_VLS
#define DRAIN_MOST_BUFFERS 64
#define DRAIN_MOST_RANDOM 10000000 /* packets that `random N` draws */

/* Channels of it are port * DRAIN_VLS + VL; port: the port id that sends. */
static inline uint32_t drain_port(uint32_t channel)
{
	return channel / DRAIN_VLS;
}
static inline unsigned drain_vl(uint32_t channel)
{
	return channel % DRAIN_VLS;
}

struct drain_packet {
	uint32_t src;	 /* endport */
	uint32_t number; /* in the order of the pattern */
	uint16_t lid;	 /* where it goes */
	uint8_t sl;
};

enum drain_end { DRAIN_GOES_ON, DRAIN_DONE, DRAIN_STOPPED };

struct drain_private; /* the state that moves, and the states kept for going back */

struct drain {
	const struct routing *routing; /* reference held */
	unsigned buffers;	       /* packets of a channel */
	uint32_t n_packets;	       /* without those left out */
	uint64_t left_out; /* flows of the pattern that were left out: an end does not count, or the tables do
			      not lead there */
	struct drain_packet *packet; /* [n_packets] by source, in the order in which it sends them */
	/* Of drain_cycle(): */
	int lead; /* channels before the cycle in which packets begin; -1: all begin at their hosts */
	uint32_t *way, *way_first; /* channels of packet i from way_first[i] on; NULL: by the tables */

	/* At the present round. */
	uint32_t round;			   /* 0: nothing has moved */
	uint32_t arrived, dropped, inside; /* all others are still at their hosts */
	enum drain_end end;
	/* Of the whole run, when drain_run() has ended. */
	uint32_t rounds; /* rounds in which something moved */
	enum drain_end verdict;
	struct drain_private *own;
};

/*
 * Makes the packets of a pattern, at round 0: a flow of weight w becomes w packets.  Returns NULL and *e when
 * there are too many for the memory, or when cancelled.
 */
struct drain *drain_new(const struct routing *r, const struct pattern *p, unsigned buffers, uint64_t seed,
			struct progress *progress, struct err *e);
/*
 * Makes packets that fill a shortest cycle of a component: for each channel of the cycle as many as it has
 * places, all of which want the next channel.  So in the end they stand still.  They begin at their hosts and
 * start so that all would reach the cycle in the same round.  If they hinder each other on the way, they
 * begin as many channels before the cycle as necessary (lead; 0: in the cycle).  With adaptive routing they
 * make the choices that close the cycle.  The errors are the same.
 */
struct drain *drain_cycle(const struct cdg *c, uint32_t component, unsigned buffers,
			  struct progress *progress, struct err *e);

/*
 * Goes to a round, forwards or backwards, or to the end if that is earlier.  It starts from the nearest kept
 * round before it.  Returns false when cancelled; it then stands somewhere in between.
 */
bool drain_to(struct drain *d, uint32_t round, struct progress *p);
/* Goes to the end, and keeps the result in rounds and verdict.  Returns false when cancelled. */
bool drain_run(struct drain *d, struct progress *p);

/* The number of packets in a channel at the present round. */
unsigned drain_held(const struct drain *d, uint32_t channel);
/* Its k-th packet, from the first; k < drain_held(). */
uint32_t drain_packet_in(const struct drain *d, uint32_t channel, unsigned k);
/* The channel that its first packet wants now; NO_ID when a host takes it or it is dropped. */
uint32_t drain_wants(const struct drain *d, uint32_t channel);
/* Does its first packet want a channel that has no free place? */
bool drain_waits(const struct drain *d, uint32_t channel);
/* The number of such channels. */
uint32_t drain_waiting(const struct drain *d);
/* The next channel with a packet, from `channel` on, or NO_ID.  For c = next(d, 0), next(d, c + 1), ... */
uint32_t drain_next(const struct drain *d, uint32_t channel);

/* Adds a description of the present round: "round 3: 4 of 20 packets arrived, 10 in cables; ...". */
void drain_tell(const struct drain *d, struct text *t);

/*
 * When it has stopped: the *n channels that wait for each other, in order; the first follows the last.  The
 * caller frees them.  *n is 0 when it has not stopped.
 */
uint32_t *drain_circle(const struct drain *d, uint32_t *n);

#endif
