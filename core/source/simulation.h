/*
 * The real OpenSM over ibsim, in a folder of its own: what `verify` compares with.
 *
 * Nothing real is ever touched.  A keeper starts both programs; it is this program started again (as for live
 * discovery).  It gives them an environment of their own with ibsim's library preloaded, and hides
 * /dev/infiniband from them if there is one.  It refuses when it cannot do that.  The keeper ends them and
 * removes the folder as soon as this program lets go of it or ends for any reason.
 *  */
#ifndef IBSCOPE_SIMULATION_H
#define IBSCOPE_SIMULATION_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * To be called at the beginning of main(), as live_child_main(): a process started by this file does its work
 * and returns its exit status, any other gets -1 at once.
 */
int simulation_child_main(int argc, char **argv);

struct simulation;

/* Is everything there? -1 and *e with the name of the program or library, and its Debian package. */
int simulation_possible(struct err *e);

/* A keeper with its empty folder; NULL and *e. simulation_end() ends it. */
struct simulation *simulation_new(struct err *e);
/* End what runs, and remove the folder with everything in it.  Returns when both is done. */
void simulation_end(struct simulation *s);

/* A path within the folder; to be freed. */
char *simulation_path(const struct simulation *s, const char *name);
/* A file of the folder, opened for writing (created) or reading; NULL and *e. */
FILE *simulation_open(const struct simulation *s, const char *name, const char *mode, struct err *e);

/* Sizes that ibsim makes room for. */
struct simulation_sizes {
	uint32_t nodes, switches, ports;
	uint32_t mapped; /* endports whose SL-to-VL maps OpenSM writes; 0: it writes none */
};

/* Files of the folder. */
#define SIMULATION_NET "fabric.net"	    /* for ibsim, there before it is run */
#define SIMULATION_CONF "opensm.conf"	    /* for opensm, likewise */
#define SIMULATION_LFTS "opensm-lfts.dump"  /* what opensm wrote */
#define SIMULATION_MAPS "opensm-sl2vl.dump" /* likewise, with qos */
#define SIMULATION_LOG "opensm.log"	    /* likewise; log_flags 0x43 */
#define SIMULATION_PAIRS "pairs"	    /* lines "SLID DLID", for simulation_paths() */
#define SIMULATION_PATHS "paths"	    /* lines "SLID DLID SL", SL "-" where there is no path */

/*
 * Start ibsim and opensm. opensm is attached to the node of that id in the file.  Wait until the first sweep
 * is over and its tables are written.  There is no time limit, except when both stand still: neither program
 * uses the processor for a minute.  -1 and *e, with the last lines of the program that ended or failed; also
 * when cancelled.
 */
int simulation_sweep(struct simulation *s, const struct simulation_sizes *sizes, const char *host,
		     struct progress *p, struct err *e);

/* Ask the subnet administrator for the paths of SIMULATION_PAIRS, n of them; -1 and *e. */
int simulation_paths(struct simulation *s, const char *host, uint32_t n, struct progress *p, struct err *e);

#endif
