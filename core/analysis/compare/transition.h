/*
 * The step from the old forwarding tables to the new ones, on the cables that are there now.  A subnet
 * manager writes tables switch by switch, in blocks of 64 LIDs.  Meanwhile some entries are old and others
 * new: a mix.  A packet of a mix may arrive, end nowhere or go round.  The proofs stand in
 * core/analysis/compare/doc/transition.md.
 *
 * Pairs are (source host, LID of another host), as in check.h.  Adaptive-routing groups are left out: a
 * packet goes by the entry.  A switch that the old tables do not have holds no entry until it is written.
 */
#ifndef IBSCOPE_TRANSITION_H
#define IBSCOPE_TRANSITION_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

#define LFT_BLOCK 64	 /* LIDs that one write sets */
#define WRITES_ON_WIRE 4 /* max_wire_smps of OpenSM: the most writes under way at a time */

/* The fate of a pair in a mix. */
enum mix_end { MIX_ARRIVES, MIX_CUT, MIX_LOOPS };

/* The pairs that do not arrive at a given moment. */
struct mix_pairs {
	uint64_t waiting; /* pairs that arrive only in the new tables: cut until these are written */
	uint64_t cut;	  /* pairs that arrive in the old and in the new tables, but not now */
	uint64_t looping; /* pairs that go round; all pairs count */
};

/* A block of a switch that is written. */
struct table_write {
	uint32_t sw;
	uint16_t block, entries; /* entries that change; 0: it is sent because cables of the switch changed */
	struct mix_pairs after;	 /* after this write and all before it, in the order of the list */
};

/* A LID for which the order of writes matters. */
struct mixed_lid {
	uint16_t lid;
	uint64_t loops; /* pairs that go round in some mix */
	uint64_t cuts;	/* pairs that arrive in the old and the new tables, and end nowhere in some mix */
};

/* A way through a mix: a loop (the first follows the last), or a way that ends nowhere. */
struct mix_way {
	uint16_t lid; /* 0: there is none */
	bool loop;
	uint32_t n;
	struct mix_hop {
		uint32_t sw;
		uint8_t port;
		bool now; /* uses the new entry */
	} * hop;	  /* [n] */
};

/* Circles of channel dependencies (credit loops) that neither the old tables nor the new ones close alone. */
enum credit_found {
	CREDIT_NONE,	 /* there is none: proved for all mixes together */
	CREDIT_NOT_MADE, /* old and new routes together close some, but no single mix does: proved */
	CREDIT_UNKNOWN,	 /* they close some; it is undecided whether a mix does */
	CREDIT_MADE	 /* a mix closes one */
};

#define MIX_NEEDS_MAP 0xFFFF

struct mix_credit {
	enum credit_found found;
	bool old, now; /* the old or the new tables also have credit loops of their own */
	/* A circle, the shortest one unless a mix makes it.  Packets on each channel wait for the next one,
	 * those on the last for the first. */
	uint32_t n;
	struct mix_channel {
		uint32_t port; /* id; that sends */
		uint8_t vl;
		uint16_t lid; /* CREDIT_MADE: LID of the packets that wait; else 0 */
	} * circle;	      /* [n] */
	/* CREDIT_MADE: what the mix must have; the rest may be old or new. */
	uint32_t n_need;
	struct mix_need {
		uint32_t sw;
		uint16_t block;	 /* MIX_NEEDS_MAP: its SL-to-VL map from `in` to `out` */
		uint8_t in, out; /* port numbers */
		bool now;	 /* new */
	} * need;		 /* [n_need] */
};

struct transition {
	const struct routing *a, *b; /* references held; a may be of another fabric */
	const struct lft_row **was;  /* [n_switches of b's fabric] rows of a, NULL; borrowed */
	uint32_t *hosts;	     /* [n_switches] hosts that count */
	uint32_t n_blocks;
	uint32_t *first; /* [n_blocks + 1] first write of a block */
	uint32_t n_writes;
	struct table_write *write; /* in OpenSM's order */
	uint64_t entries;	   /* that change */
	uint64_t pairs;
	uint64_t lost;		 /* pairs that do not arrive in the new tables */
	struct mix_pairs before; /* the first write */
	/* For any order of writes. */
	struct mixed_lid *lid; /* [n_lids] ascending */
	uint32_t n_lids, cap_lids;
	uint64_t loops, cuts; /* sums */
	struct mix_way any;   /* an example: a loop if there is one */
	/* For OpenSM's order. */
	uint32_t worst;		   /* write after which most pairs loop or are cut; NO_ID: none do */
	uint32_t bad_from, bad_to; /* first and last write after which any pairs loop or are cut */
	struct mix_way at_worst;
	/* With WRITES_ON_WIRE under way, done in any order: the LIDs for which this makes a loop or cuts
	 * pairs although the order alone does not. */
	uint32_t wire_lids;
	struct mix_way on_wire;
	uint32_t wire_write; /* the last of the writes under way */
	struct mix_credit credit;
};

/* Other reasons why OpenSM sends blocks, besides entries that change. */
struct transition_sent {
	const uint8_t *flapped; /* [n_links of b's fabric]: cables that went down and up in between; NULL */
	bool all;		/* all blocks to all switches, because it started anew */
};

/*
 * b has the tables now, on what is up now.  Returns NULL and *e when cancelled.  Cost: LIDs x switches, and
 * what each write changes.
 */
struct transition *transition_new(const struct routing *a, const struct routing *b,
				  struct transition_sent sent, struct progress *p, struct err *e);

/* From the tables of one sweep to those of another, with the hosts that count in `to`. */
struct sweep;
struct transition *transition_of(const struct sweep *from, const struct sweep *to,
				 const struct routing *counted, struct progress *p, struct err *e);

/* Adds a sentence that says how safe it is: "Safe in any order: ...", "Between writes 12 and 40 ...". */
void transition_sentence(const struct transition *t, struct text *to);
/* Adds a sentence that says whether a mix makes a credit loop; nothing where there is nothing to judge. */
void credit_sentence(const struct transition *t, struct text *to);

/* Does no pair go round or get cut, either in any order, or in OpenSM's even while several writes are under
 * way? */
static inline bool transition_safe(const struct transition *t)
{
	return !t->n_lids;
}

static inline bool transition_safe_in_order(const struct transition *t)
{
	return t->worst == NO_ID && !t->wire_lids;
}

/*
 * The example to draw, and when it holds: at the worst moment, else while several writes are under way, else
 * in some order ("after write 12", "while writes up to 12 are under way", "in some order of the writes").
 * NULL: none.
 */
const struct mix_way *transition_shown(const struct transition *t, struct text *when);

/* "leaf-03 <-> spine-01 for LID 17", "leaf-03 -> spine-01 -> nowhere for LID 17". */
void mix_way_text(const struct transition *t, const struct mix_way *w, struct text *to);

#endif
