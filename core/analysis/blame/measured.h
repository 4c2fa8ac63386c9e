/*
 * What the ports of a fabric have counted: one reading since the counters were reset, or the difference of
 * two readings.
 */
#ifndef IBSCOPE_MEASURED_H
#define IBSCOPE_MEASURED_H

#include <assert.h>

#include "core/base/text.h"
#include "core/formats/counters.h"
#include "core/routing/routing.h"

enum port_fault {
	FAULT_ERRORS,	 /* it received damaged data, or its link was trained anew */
	FAULT_FLAPPED,	 /* its link was down */
	FAULT_CONGESTED, /* it waited long for the other end, or dropped packets */
	FAULT_DEGRADED,	 /* a bit error rate or temperature is above its limit */
	N_PORT_FAULTS
};
extern const char *const port_fault_words[N_PORT_FAULTS];

static_assert(N_COUNTERS <= 32 && N_PORT_FAULTS <= 8, "bits of a struct measured_port");

/* What a port's own receiver counts of damage. */
#define LINK_ERROR_BITS                                                                              \
	(1u << COUNT_SYMBOL | 1u << COUNT_RECOVERIES | 1u << COUNT_RECEIVE | 1u << COUNT_INTEGRITY | \
	 1u << COUNT_OVERRUNS)
#define BER_MOST 1e-12	/* the specification's limit for effective and symbol BER of a sound link */
#define ERRORS_LEAST 10 /* since the counters were reset; between two readings one counts */
#define DOWN_LEAST 10
#define DISCARDS_LEAST 100
#define WAIT_LEAST 1000000 /* ticks that count as long, with at least one for WAIT_DATA units sent */
#define WAIT_DATA 4

struct measured_port {
	uint32_t told; /* the counters that were read: bits by enum counter */
	uint32_t top;  /* counters at their limit: they may have counted more, before or now */
	uint32_t wrapped;
	bool reset;		    /* reset between the readings; the value counts from the reset */
	uint64_t grown[N_COUNTERS]; /* growth between the readings; with one reading the value itself */
	double ber[N_BERS], temperature, most;
	struct cable_part *cable; /* owned; NULL: not reported */
	uint8_t faults;		  /* bits by enum port_fault */
};

struct measured {
	const struct fabric *fabric; /* borrowed */
	bool two;
	uint32_t *at;		    /* [n_ports] 1 + place in port[]; 0: nothing was read */
	struct measured_port *port; /* [n] */
	uint32_t n;
	uint32_t unknown; /* rows of the later reading about ports that the fabric lacks */
	uint32_t alone; /* ports in only one of two readings: not compared, their values are from that one */
	uint32_t n_reset, n_wrapped, n_top; /* ports */
	uint32_t n_faults[N_PORT_FAULTS];
};

/* l: LIDs in force, NULL: the source's.  before: NULL for a single reading. */
struct measured *measured_new(const struct fabric *f, const struct lids *l, const struct counter_reading *now,
			      const struct counter_reading *before);
void measured_free(struct measured *m);

/* NULL when nothing was read for the port (or it is NO_ID), or m is NULL. */
const struct measured_port *measured_of(const struct measured *m, uint32_t port);

/*
 * The faults that packets meet when they leave by a port: waiting and discards there, errors at the other
 * end, and what both ends have.  t (may be NULL) gets what was counted, "symbol_errors 12 at leaf-01[3]".
 */
unsigned measured_link(const struct measured *m, const struct fabric *f, uint32_t port, struct text *t);
/* Adds the counters and figures behind these faults of a port: "symbol_errors 12, link_downed >= 255". */
void measured_tell(const struct measured_port *p, unsigned faults, struct text *t);

#endif
