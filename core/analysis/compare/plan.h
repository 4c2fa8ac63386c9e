/*
 * What is cabled against what was planned.  Cables count, whether they are up or not.
 *
 * Devices of a plan are found by whole names, by the name of a director or host (the part of its nodes' names
 * that they share: "MF0;DIRECTOR:MCS8500/L16/U2", "HOST mlx5_0", "BOX/leaf1/U1"; "DIRECTOR" stands for its
 * halves "DIRECTOR-A" and "DIRECTOR-B" too), or by GUID.  Letter case is ignored.  Ports are found by label,
 * by the name of a host's adapter, or by number, with board and chip where there are several: "Port 21",
 * "Blade 16_Port 2/20", "L16/U2/P20", "U1/P1".
 */
#ifndef IBSCOPE_PLAN_H
#define IBSCOPE_PLAN_H

#include "core/fabric/fabric.h"
#include "core/formats/cabling.h"

enum plan_change {
	PLAN_MISSING,	 /* at and planned are not joined, and no cable could be the row's */
	PLAN_EXTRA,	 /* at and found are joined, which no row tells */
	PLAN_WRONG_PORT, /* at leads to found */
	PLAN_SWAPPED,	 /* at leads to found, `other` to planned; another row has it the other way round */
	PLAN_RATE,	 /* as planned but for width or speed */
	PLAN_NOT_FOUND,	 /* a device or port of the row is not in the fabric: `why` */
	PLAN_TWICE,	 /* the row wants a port that another row has */
	PLAN_LEAF, /* host `at` hangs on found, the plan's switch is planned (NO_ID: a block has none) */
	PLAN_CHANGES
};
extern const char *const plan_change_word[PLAN_CHANGES];

/* One cable, or host, that is not as planned.  Ports are ids, NO_ID where there is none. */
struct plan_difference {
	enum plan_change change;
	uint32_t row, other_row; /* of the plan, NO_ID: none */
	uint32_t at, planned, found, other;
	char *why; /* NOT_FOUND; owned, else NULL */
};

/* Rows of the plan that stand for one thing that was not found, and why. */
struct plan_unknown {
	const char *device, *port; /* as the plan has them; port "": the device itself */
	char *why;		   /* owned */
	uint32_t row, rows;	   /* the first, how many */
};

/*
 * What the fabric would have to have: a cable between two ports.  Where a row leaves a port open, one is
 * chosen that is free, or that only extra cables have.
 */
struct plan_wish {
	uint32_t port[2];
	uint8_t width, speed; /* as planned, 0: any */
	bool there;	      /* only its rate is another */
};

/* Cables of the fabric of which a plan tells nothing, by the first reason that holds. */
struct plan_outside {
	uint32_t unnamed; /* it names neither end */
	uint32_t hosts;	  /* of hosts, and it has no cables of hosts */
	uint32_t between; /* between switches, and it has none of these */
	uint32_t within;  /* within one device, and of no row */
};

struct plan_report {
	uint32_t cables; /* of the plan that can be compared; each counts once (Slurm's: hosts) */
	uint32_t there;	 /* as planned, but for the rate */
	struct plan_difference *d;
	size_t n, cap;
	struct plan_unknown *unknown;
	size_t n_unknown, cap_unknown;
	struct plan_outside outside;
	uint32_t unplanned;	/* Slurm's: hosts of the fabric that the plan does not name */
	struct plan_wish *wish; /* no port is in two of them */
	size_t n_wishes, cap_wishes;
	uint32_t left; /* differences that no cable mends: an end is not found, or no port is left for it */
};

/*
 * Rails, found from the fabric itself.  A host is all channel adapters whose names begin with the same word;
 * a rail is the rest of the name with the number of the port (rails.h).  A group is what two hosts or more
 * have in common: the switch of each rail.  A host with other switches is of the group with which it shares
 * most, on a tie of that of the host before it by name.
 */
struct plan_rails {
	uint32_t groups, hosts; /* hosts: of a group */
	uint32_t rails;		/* most that a group has */
	uint32_t alone;		/* hosts with several cables that are of no group */
	uint32_t shared;	/* groups with all cables on one switch: they have no rails */
};
/* Hosts' ports that are not on the switch of their group's rail.  0, or -1 and *e: cancelled. */
int plan_compare_rails(const struct fabric *f, struct plan_rails *rails, struct plan_report *r,
		       struct progress *p, struct err *e);

/* Compare.  Free with plan_free().  -1 and *e: cancelled. */
int plan_compare(const struct fabric *f, const struct cabling *plan, struct plan_report *r,
		 struct progress *p, struct err *e);
void plan_free(struct plan_report *r);

/* --- within core/analysis/compare/ ------------------------------------------------------------------ */

/* What an end of a row means: a port of one of some nodes. */
struct plan_end {
	uint32_t first, n; /* in plan_names.node */
	uint32_t port;	   /* the id where there is just one, else NO_ID */
	unsigned number;   /* of the port on each of the nodes, 0: any */
};

struct plan_names;
struct plan_names *plan_names_new(const struct fabric *f);
void plan_names_free(struct plan_names *x);
/* Find an end; NULL, or why it is not found (to be freed) and *whole: nothing of the device was found. */
char *plan_find(struct plan_names *x, const struct planned_end *want, struct plan_end *end, bool *whole);
const uint32_t *plan_nodes(const struct plan_names *x, const struct plan_end *end); /* [end->n] */

/* The plan names a device, though maybe in no row. */
void plan_name_device(struct plan_names *x, const char *device);

/* A number for each device that was found so far; 0: the node is of none. */
uint32_t plan_device(const struct plan_names *x, uint32_t node);

/* Slurm's plans. */
int plan_leaves(const struct fabric *f, const struct cabling *plan, struct plan_names *x,
		struct plan_report *r, struct progress *p);
struct plan_difference *plan_tell(struct plan_report *r, enum plan_change change, uint32_t row);
void plan_add_wish(struct plan_report *r, uint32_t a, uint32_t b, uint8_t width, uint8_t speed, bool there);
void plan_tell_unknown(struct plan_report *r, uint32_t row, const struct planned_end *end, bool whole,
		       const char *why);

/* A host's port that should hang on a switch, on whichever port. */
struct plan_place {
	uint32_t port, sw; /* port id; switch id */
	uint32_t to;	   /* set: the switch's port that it gets, NO_ID: none is left */
};
/* Add wishes for places [n], so that few cables are touched: ports of hosts that leave, then free ones. */
void plan_wish_places(const struct fabric *f, struct plan_place *place, size_t n, struct plan_report *r,
		      struct progress *p);

#endif
