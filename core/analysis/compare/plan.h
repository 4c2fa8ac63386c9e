/*
 * Compares the cabling with a plan.  Cables count whether they are up or not.
 *
 * Devices of a plan are found by whole names, by the name of a director or host (the part of its nodes' names
 * that they share: "MF0;DIRECTOR:MCS8500/L16/U2", "HOST mlx5_0", "BOX/leaf1/U1"; "DIRECTOR" stands for its
 * halves "DIRECTOR-A" and "DIRECTOR-B" too), or by GUID.  Letter case is ignored.  Ports are found by label,
 * by the name of a host's adapter, or by number, with board and chip where there are several: "Port 21",
 * "Blade 16_Port 2/20", "L16/U2/P20", "U1/P1".
 */
#ifndef IBSCOPE_PLAN_H
#define IBSCOPE_PLAN_H

#include "core/base/json.h"
#include "core/fabric/elements.h"
#include "core/fabric/fabric.h"
#include "core/fabric/state.h"
#include "core/formats/cabling.h"

enum plan_change {
	PLAN_MISSING, /* the plan's cable at - planned does not exist, and no cable can be meant by the row */
	PLAN_EXTRA,   /* the cable at - found exists, but no row has it */
	PLAN_WRONG_PORT, /* the cable from `at` leads to found instead */
	PLAN_SWAPPED,	 /* `at` leads to found and `other` to planned; another row has it reversed */
	PLAN_RATE,	 /* as planned except for width or speed */
	PLAN_NOT_FOUND,	 /* a device or port of the row is not in the fabric; `why` says more */
	PLAN_TWICE,	 /* the row wants a port that another row has */
	PLAN_LEAF, /* host `at` is connected to found, not to the plan's switch planned (NO_ID: a block) */
	PLAN_CHANGES
};
extern const char *const plan_change_word[PLAN_CHANGES];

/* One cable, or host, that is not as planned.  Ports are ids, NO_ID where there is none. */
struct plan_difference {
	enum plan_change change;
	uint32_t row, other_row; /* rows of the plan, NO_ID: none */
	uint32_t at, planned, found, other;
	char *why; /* reason for NOT_FOUND; owned, else NULL */
};

/* Rows of the plan that name the same missing thing, and why it is not found. */
struct plan_unknown {
	const char *device, *port; /* as written in the plan; port "": the device itself */
	char *why;		   /* owned */
	uint32_t row, rows;	   /* the first row, and the number of rows */
	bool is_switch;		   /* a device: it is named as switches are, or has many rows */
};

/*
 * A cable between two ports that the fabric should have.  Where a row leaves a port open, a free one is
 * chosen, or one that only extra cables use.
 */
struct plan_wish {
	uint32_t port[2];
	uint8_t width, speed; /* as planned, 0: any */
	bool there;	      /* it exists, and only its rate differs */
};

/* Cables of the fabric that the plan does not mention, counted by the first reason that applies. */
struct plan_outside {
	uint32_t unnamed; /* the plan names neither end */
	uint32_t hosts;	  /* cables of hosts, and the plan has none */
	uint32_t between; /* cables between switches, and the plan has none */
	uint32_t within;  /* cables within one device, in no row */
};

struct plan_report {
	uint32_t cables; /* cables of the plan that can be compared; each counts once (Slurm's: hosts) */
	uint32_t there;	 /* as planned except for the rate */
	struct plan_difference *d;
	size_t n, cap;
	struct plan_unknown *unknown;
	size_t n_unknown, cap_unknown;
	struct plan_outside outside;
	uint32_t unplanned;	/* Slurm's: hosts of the fabric that the plan does not name */
	struct plan_wish *wish; /* no port is in two wishes */
	size_t n_wishes, cap_wishes;
	uint32_t left; /* differences that no cable mends: an end is not found, or no port is left for it */
};

/*
 * Rails, found from the fabric itself.  A host is all channel adapters whose names begin with the same word;
 * a rail is the rest of the name with the number of the port (fabric.h).  Two or more hosts with the same
 * switch on each rail form a group.  A host with other switches belongs to the group with which it shares
 * most; on a tie, to that of the preceding host by name.
 */
struct plan_rails {
	uint32_t groups, hosts; /* hosts that are in a group */
	uint32_t rails;		/* the most that a group has */
	uint32_t alone;		/* hosts with several cables that are in no group */
	uint32_t shared;	/* groups with all cables on one switch: they have no rails */
};
/* Finds hosts' ports that are not on the switch of their group's rail.  Returns 0, or -1 and *e when
 * cancelled. */
int plan_compare_rails(const struct fabric *f, struct plan_rails *rails, struct plan_report *r,
		       struct progress *p, struct err *e);

/* Compares.  Free with plan_free().  Returns -1 and *e when cancelled. */
int plan_compare(const struct fabric *f, const struct cabling *plan, struct plan_report *r,
		 struct progress *p, struct err *e);
void plan_free(struct plan_report *r);
/*
 * What is present, and beside it what the plan has: devices that are not found, and cables between ports that
 * have none, as present_json() (faults.h) makes it.  A device that is not found has a small number as GUID.
 * NULL and *e: less than a quarter of the plan is found, so it is another fabric's.
 */
json_t *plan_present(const struct fabric *f, const struct state *st, const struct cabling *plan,
		     const struct plan_report *r, struct err *e);

/* --- within core/analysis/compare/ ------------------------------------------------------------------ */

/* What an end of a row means: a port on one of several nodes. */
struct plan_end {
	uint32_t first, n; /* in plan_names.node */
	uint32_t port;	   /* the port's id if there is just one, else NO_ID */
	unsigned number;   /* number of the port on each of the nodes, 0: any */
};

struct plan_names;
struct plan_names *plan_names_new(const struct fabric *f);
void plan_names_free(struct plan_names *x);
/* Finds an end.  Returns NULL, or the reason why it is not found (to be freed); *whole then says that nothing
 * of the device was found. */
char *plan_find(struct plan_names *x, const struct planned_end *want, struct plan_end *end, bool *whole);
const uint32_t *plan_nodes(const struct plan_names *x, const struct plan_end *end); /* [end->n] */

/* Records that the plan names a device, though maybe in no row. */
void plan_name_device(struct plan_names *x, const char *device);

/* The number of the device, among those found so far, to which a node belongs; 0: none. */
uint32_t plan_device(const struct plan_names *x, uint32_t node);

/* A node whose name has the same letters as that of a device, whatever the numbers; NO_ID: there is none. */
uint32_t plan_kin(const struct plan_names *x, const char *device);

struct plan_difference *plan_tell(struct plan_report *r, enum plan_change change, uint32_t row);
void plan_add_wish(struct plan_report *r, uint32_t a, uint32_t b, uint8_t width, uint8_t speed, bool there);

/* A host's port that should be connected to a switch, by any of the switch's ports. */
struct plan_place {
	uint32_t port, sw; /* port id; switch id */
	uint32_t to;	   /* set: the switch's port that it gets, NO_ID: none is left */
};
/* Adds wishes for places [n] so that few cables are touched: it uses ports of hosts that leave, then free
 * ones. */
void plan_wish_places(const struct fabric *f, struct plan_place *place, size_t n, struct plan_report *r,
		      struct progress *p);

/*
 * A bound that the cabling sets for every routing: no routing has an edge-forwarding index (M.-C. Heydemann,
 * J.-C. Meyer, D. Sotteau, "On forwarding indices of networks", Discrete Applied Mathematics 23, 1989) below
 * it.
 */

/*
 * The greatest of these bounds, rounded up: the links on all shortest ways between hosts, divided by the
 * cables between switches; and for each switch, and each element of el (NULL: none), the pairs of hosts with
 * one end there, divided by the cables that leave it.  Pairs are ordered, and have a way.  hosts:
 * [n_switches] number of hosts on each.  Returns 0 when there is no cable.
 */
uint64_t cabling_bound(const struct topo *t, const uint32_t *hosts, const struct elements *el);

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

enum plan_fix_kind {
	FIX_ADD,    /* port[0] - port[1] */
	FIX_MOVE,   /* the second end of the cable port[0] - port[1] moves to port[2] */
	FIX_SWAP,   /* the cables port[0] - port[1] and port[2] - port[3] become [0] - [3] and [2] - [1] */
	FIX_REMOVE, /* port[0] - port[1] */
	FIX_RATE,   /* port[0] - port[1] */
	FIX_KINDS
};
extern const char *const plan_fix_word[FIX_KINDS];

struct plan_fix {
	enum plan_fix_kind kind;
	uint32_t port[4];      /* NO_ID where there is none */
	uint8_t width, speed;  /* for RATE and ADD; 0: any */
	uint32_t apart, first; /* the number of nodes that the step separates from the others, and one of
				  them; 0, NO_ID */
};

enum plan_order {
	ORDER_SAFE,    /* no step parts the fabric */
	ORDER_NONE,    /* some step separates parts in any order */
	ORDER_UNKNOWN, /* no safe order was found, but not all orders were tried */
};
extern const char *const plan_order_word[];

struct plan_fixes {
	struct plan_fix *fix; /* in order */
	size_t n, cap;
	uint32_t cables;	 /* to touch */
	uint32_t reusable;	 /* of these: taken out at both ends, so that they can be used elsewhere */
	uint32_t left;		 /* differences that remain */
	uint32_t cut, first_cut; /* number of switches and hosts' ports that the plan itself separates from
				    the rest, and one of them */
	enum plan_order order;
};

/* Finds the way; cables are up as in the state.  Free with plan_fixes_free().  Returns -1 and *e when
 * cancelled. */
int plan_fixes_find(const struct fabric *f, const struct state *state, const struct plan_report *r,
		    struct plan_fixes *x, struct progress *p, struct err *e);
void plan_fixes_free(struct plan_fixes *x);

/* The command that does a step. */
void plan_fix_command(const struct fabric *f, const struct plan_fix *fix, struct text *t);

#endif
