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
	PLAN_LEAF, /* host `at` hangs on found, the plan's switch is planned (NO_ID: it has no cable there) */
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

struct plan_report {
	uint32_t cables; /* of the plan that can be compared; each counts once (Slurm's: hosts) */
	uint32_t there;	 /* as planned, but for the rate */
	struct plan_difference *d;
	size_t n, cap;
	struct plan_unknown *unknown;
	size_t n_unknown, cap_unknown;
	uint32_t unplanned; /* Slurm's: hosts of the fabric that the plan does not name */
};

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

/* A number for each device that was found so far; 0: the node is of none. */
uint32_t plan_device(const struct plan_names *x, uint32_t node);

/* Slurm's plans. */
int plan_leaves(const struct fabric *f, const struct cabling *plan, struct plan_names *x,
		struct plan_report *r, struct progress *p);
struct plan_difference *plan_tell(struct plan_report *r, enum plan_change change, uint32_t row);
void plan_tell_unknown(struct plan_report *r, uint32_t row, const struct planned_end *end, bool whole,
		       const char *why);

#endif
