/*
 * Live fabrics through libibnetdisc.  Only Get requests are ever sent.
 *
 * The library can neither be interrupted nor kept from writing to stderr, and over a simulator it may block
 * for ever.  So the program starts itself again (posix_spawn of /proc/self/exe, safe with threads) as a
 * discovery process that streams what it found back through a pipe, and is ended when the caller cancels or
 * nothing comes any more.  main() has to let it in: see live_child_main().
 */
#ifndef IBSCOPE_LIVE_H
#define IBSCOPE_LIVE_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"

/*
 * To be called first thing in main(): when this process was started by
 * live_discover_tables() it does its work and returns its exit status, otherwise it returns -1
 * at once.
 *
 *	int status = live_child_main(argc, argv);
 *	if (status >= 0)
 *		return status;
 */
int live_child_main(int argc, char **argv);

#define LIVE_SILENCE_S 10 /* silence that is allowed; a dead node is given up after less than two */
#define LIVE_SILENCE_MOST 3600
#define LIVE_WATCH_MOST 86400	  /* seconds between two readings of `watch` */
#define LIVE_WATCH_ROUNDS 1000000 /* readings of one `watch` that are counted */

/* What is read beside the fabric itself and the subnet managers, which are asked always (SMInfo): managers.h
 */
enum live_tables { /* tables come with the P_Keys of all endports */
		   LIVE_NO_TABLES,
		   LIVE_LFTS,	    /* forwarding tables: (*out)->switch_tables, see switch_tables.h */
		   LIVE_LFTS_SL2VL, /* and all SL-to-VL maps: (ports + 1) squared requests a switch */
		   LIVE_WATCHED	    /* forwarding tables, for `watch` */
};

/*
 * Discover from a local port: ca NULL = first active CA, port 0 = its first active port.  The SM's place is
 * taken from the local port's SM LID (without a known one: the local port).  What the library writes to
 * stderr becomes part of *e, or, when the discovery succeeds, warnings of the fabric.  p (may be NULL) counts
 * nodes found; the total is not known.  -1 and *e when there is no device, no permission, or when cancelled
 * (within half a second); when nothing at all comes for `silence` seconds (LIVE_SILENCE_S is usual), nothing
 * but errors for three times as long, or within two seconds of the end of the simulator.  Nothing stays
 * behind, neither a process nor what umad2sim makes.
 */
int live_discover_tables(const char *ca, int port, enum live_tables what, unsigned silence,
			 struct fabric **out, struct progress *p, struct err *e);

/*
 * Start this program again for a piece of live work, and add its output to `to`. argv[0] is "/proc/self/exe",
 * argv[1] one of the flags below.  As program_run().  -1 and *e also when this program cannot start itself.
 */
int live_again(char *const *argv, FILE *to, struct progress *p, struct err *e);
/*
 * Then CA ("": any), port (0: any) and "LID:PORT,PORT" for each node: prints, by Gets, "@ LID PORT" and below
 * it "NAME VALUE WIDE" for each counter (core/formats/counters.h), with 64 bits (WIDE 1) where the node has
 * them.  Ports that do not answer are left out; none at all: it fails.
 */
#define LIVE_COUNTERS_FLAG "--counters-child"

/* "CA", "CA:PORT", ":PORT" or "" taken apart; *ca (NULL = none) is to be freed, *port 0 = none. */
int live_parse_target(const char *word, char **ca, int *port, struct err *e);

#endif
