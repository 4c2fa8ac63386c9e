/*
 * The way from a fabric to its plan: the fewest cables to touch, and an order that never parts the fabric.
 *
 * Cables that are wrong and cables that are wished for (plan.h) share ports.  Taken together they are lines
 * and rings.  One with W wishes and C wrong cables takes max(W, C) cables: each wrong one is moved at one
 * end, what is left over is added or removed; in a ring two cables change places, again and again.  No order
 * takes more.
 *
 * A step parts the fabric if what is joined before all steps and after them is apart after it, or while its
 * cables are out, and was not before it.  While they are out, hosts' ports at their ends do not count.
 */
#ifndef IBSCOPE_PLAN_FIX_H
#define IBSCOPE_PLAN_FIX_H

#include "core/analysis/compare/plan.h"
#include "core/fabric/state.h"

enum plan_fix_kind {
	FIX_ADD,    /* port[0] - port[1] */
	FIX_MOVE,   /* of the cable port[0] - port[1] the second end goes to port[2] */
	FIX_SWAP,   /* the cables port[0] - port[1] and port[2] - port[3] become [0] - [3] and [2] - [1] */
	FIX_REMOVE, /* port[0] - port[1] */
	FIX_RATE,   /* port[0] - port[1] */
	FIX_KINDS
};
extern const char *const plan_fix_word[FIX_KINDS];

struct plan_fix {
	enum plan_fix_kind kind;
	uint32_t port[4];      /* NO_ID where there is none */
	uint8_t width, speed;  /* RATE; ADD, 0: any */
	uint32_t apart, first; /* nodes that the step parts from the others, and one of them; 0, NO_ID */
};

enum plan_order {
	ORDER_SAFE,    /* no step parts the fabric */
	ORDER_NONE,    /* some step parts it in any order */
	ORDER_UNKNOWN, /* none was found, but not all orders were tried */
};
extern const char *const plan_order_word[];

struct plan_fixes {
	struct plan_fix *fix; /* in order */
	size_t n, cap;
	uint32_t cables;	 /* to touch */
	uint32_t reusable;	 /* of these: taken out as a whole, so that they can be put in elsewhere */
	uint32_t left;		 /* differences that remain */
	uint32_t cut, first_cut; /* switches and hosts' ports that the plan itself parts from the rest, one of
				    them */
	enum plan_order order;
};

/* The way; cables are up as in the state.  Free with plan_fixes_free().  -1 and *e: cancelled. */
int plan_fixes_find(const struct fabric *f, const struct state *state, const struct plan_report *r,
		    struct plan_fixes *x, struct progress *p, struct err *e);
void plan_fixes_free(struct plan_fixes *x);

/* The command that does a step. */
void plan_fix_command(const struct fabric *f, const struct plan_fix *fix, struct text *t);

#endif
