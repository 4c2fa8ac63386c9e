/*
 * What ports have counted, as other tools wrote it down: PM_INFO of db_csv, .pm, perfquery, ibqueryerrors,
 * ibcheckerrors; bit error rates and temperatures of .net_dump_ext, .cables and db_csv.  The files:
 * core/formats/doc/formats.md 9.8.
 */
#ifndef IBSCOPE_COUNTERS_H
#define IBSCOPE_COUNTERS_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/progress.h"

enum counter {
	COUNT_SYMBOL,
	COUNT_RECOVERIES,
	COUNT_DOWNED,
	COUNT_RECEIVE,
	COUNT_REMOTE,
	COUNT_RELAY,
	COUNT_DISCARDS,
	COUNT_TRANSMIT_CONSTRAINT,
	COUNT_RECEIVE_CONSTRAINT,
	COUNT_INTEGRITY,
	COUNT_OVERRUNS,
	COUNT_VL15,
	COUNT_WAIT,
	COUNT_TRANSMIT_DATA, /* data: in units of four bytes */
	COUNT_RECEIVE_DATA,
	COUNT_TRANSMIT_PACKETS,
	COUNT_RECEIVE_PACKETS,
	N_COUNTERS
};
extern const char *const counter_words[]; /* "symbol_errors", ...: keys of JSON */
/* The most that a counter of PortCounters holds; it stays there.  Those of PortCountersExtended: 64 bits. */
extern const uint64_t counter_tops[];

enum ber { BER_RAW, BER_EFFECTIVE, BER_SYMBOL, N_BERS };
extern const char *const ber_words[];

#define TEMPERATURE_NONE (-1000.0)

/* The cable or module at a port; "": not told. */
struct cable_part {
	char maker[34], part[34], serial[34], length[16];
};
/* "MAKER PART SERIAL", what is told of it. */
#define CABLE_TEXT 112
const char *cable_text(const struct cable_part *c, char buf[CABLE_TEXT]);

/* What one place of a file tells of a port, or of a node (port 0).  One port may have several. */
struct counted_port {
	uint64_t guid; /* of the node or the port; 0: only the LID is told */
	uint16_t lid;  /* 0: not told */
	uint8_t port;
	bool sparse;   /* counters of errors that are not told are 0, or below a threshold */
	uint32_t told; /* bit by enum counter */
	uint32_t wide; /* of 64 bits */
	uint64_t value[N_COUNTERS];
	double ber[N_BERS];	  /* below 0: not told */
	double temperature, most; /* of the cable's module or the node, and its limit; TEMPERATURE_NONE */
	struct cable_part *cable; /* NULL: not told; owned */
};

struct counter_reading {
	char *source; /* owned; NULL: live */
	char *when;   /* as the file tells it, owned; NULL: it does not */
	char *other;  /* of a folder: a file of another run than the first, owned; NULL: none */
	struct counted_port *port;
	size_t n, cap;
	unsigned sums;	    /* rows of all ports of a node together, left out */
	unsigned unread;    /* lines of a known form with impossible numbers, or rows that name no port */
	unsigned unread_at; /* the first of them */
	bool beside;	    /* it came with the folder of the fabric: the next reading takes its place */
};

/*
 * Read a file, or a folder that ibdiagnet wrote (all of its files that tell such things).  Compressed files
 * are unpacked.  Free with counters_free(), in either case.  -1 and *e: nothing in it tells of a port.
 */
int counters_load(const char *path, struct counter_reading *r, struct progress *p, struct err *e);
/* Those of a fabric's folder; where its files are of several runs, those in the file of the cables alone. */
int counters_load_beside(const char *folder, const char *cables, struct counter_reading *r,
			 struct progress *p, struct err *e);
/* counters_load() from memory; what was read before stays. */
int counters_parse(const struct input *in, struct counter_reading *r, struct err *e);
void counters_free(struct counter_reading *r);
/* Counters of a live reading, as perfquery tells them; a name with "ext" is of 64 bits. */
void counters_write(const struct counter_reading *r, FILE *f);

/* A new row, nothing told. */
struct counted_port *counters_add(struct counter_reading *r);
/* A counter, if no wider one was told.  One of 64 bits that fell below zero is none: real adapters have such.
 */
void counters_set(struct counted_port *c, enum counter k, uint64_t value, bool wide);

#endif
