/*
 * What the ports of a fabric have counted: one reading since the counters were reset, or the difference of
 * two.
 */
#ifndef IBSCOPE_MEASURED_H
#define IBSCOPE_MEASURED_H

#include <assert.h>

#include "core/base/text.h"
#include "core/formats/counters.h"
#include "core/routing/routing.h"

enum port_fault {
	FAULT_ERRORS,	 /* it received what was damaged, or its link was trained anew */
	FAULT_FLAPPED,	 /* its link was down */
	FAULT_CONGESTED, /* it waited long for the other end, or threw packets away */
	FAULT_DEGRADED,	 /* a bit error rate or temperature is above its limit */
	N_PORT_FAULTS
};
extern const char *const port_fault_words[N_PORT_FAULTS];

static_assert(N_COUNTERS <= 32 && N_PORT_FAULTS <= 8, "bits of a struct measured_port");

#define BER_MOST 1e-12	/* effective and symbol BER of a sound link: that of the specification */
#define ERRORS_LEAST 10 /* since the counters were reset; between two readings one counts */
#define DOWN_LEAST 10
#define DISCARDS_LEAST 100
#define WAIT_LEAST 1000000 /* ticks, and at least one for WAIT_DATA units that were sent */
#define WAIT_DATA 4

struct measured_port {
	uint32_t told; /* bits by enum counter */
	uint32_t top;  /* at the most its bits hold: it may have counted more, before or now */
	uint32_t wrapped;
	bool reset;		    /* between the readings: counted since then */
	uint64_t grown[N_COUNTERS]; /* between the readings; of one reading: its value */
	double ber[N_BERS], temperature, most;
	char *cable;	/* owned; NULL: not told */
	uint8_t faults; /* bits by enum port_fault */
};

struct measured {
	const struct fabric *fabric; /* borrowed */
	bool two;
	uint32_t *at;		    /* [n_ports] place in port[] and 1; 0: nothing is told */
	struct measured_port *port; /* [n] */
	uint32_t n;
	uint32_t unknown; /* rows of the later reading for ports that the fabric does not have */
	uint32_t alone;	  /* ports of one of two readings: they are not compared, values as of one */
	uint32_t n_reset, n_wrapped, n_top; /* ports */
	uint32_t n_faults[N_PORT_FAULTS];
};

/* l: LIDs in force, NULL: those of the source.  before: NULL, one reading. */
struct measured *measured_new(const struct fabric *f, const struct lids *l, const struct counter_reading *now,
			      const struct counter_reading *before);
void measured_free(struct measured *m);

/* NULL: nothing is told of the port (or of NO_ID), or m is NULL. */
const struct measured_port *measured_of(const struct measured *m, uint32_t port);

/*
 * Faults that packets meet that leave by a port: waiting and discards there, errors at the other end, and
 * what both ends have.  t (may be NULL): what was counted, "symbol_errors 12 at leaf-01[3]".
 */
unsigned measured_link(const struct measured *m, const struct fabric *f, uint32_t port, struct text *t);
/* The counters and figures that make these faults of a port: "symbol_errors 12, link_downed >= 255". */
void measured_tell(const struct measured_port *p, unsigned faults, struct text *t);

#endif
