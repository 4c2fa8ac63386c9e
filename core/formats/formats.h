/*
 * Reading and writing of fabrics in files.  A reader gets the whole content and
 * makes a fabric; the format is recognised by content.
 */
#ifndef IBSCOPE_FORMATS_H
#define IBSCOPE_FORMATS_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/sm/sweep.h"

/* Files that include each other, of ibsim's net files: within each other, and in all, as they multiply. */
#define IBSIM_INCLUDE_DEPTH 9
#define IBSIM_INCLUDE_FILES 1000

/* Of ibdm's .topo files, whose boards multiply: chips in all, boards within each other. */
#define TOPO_CHIPS 100000
#define TOPO_BOARD_DEPTH 8

/*
 * Load a saved fabric of any known format: ibnetdiscover text (all variants,
 * -g and -f included), ibsim net file, libibnetdisc cache, opensm-subnet.lst /
 * ibdiagnet .lst, ibdiagnet's db_csv / opensm-smdb.dump, ibdm's .topo; a folder of ibdiagnet's or OpenSM's
 * dumps, with the tables in it ((*out)->switch_tables); "-" is standard input.  What is compressed is
 * unpacked. Oddities that can be survived become fabric->warnings. -1 and *e ("FILE:LINE: found ..., expected
 * ...") otherwise.
 */
int fabric_load(const char *path, struct fabric **out, struct progress *p, struct err *e);

/* The same from memory; name is for messages (fuzz targets, tests). */
int fabric_parse(const char *name, const char *data, size_t size, struct fabric **out, struct err *e);

/* node-name-map file: `0x<guid> "name"` per line; -1 and *e when it cannot be read.  Odd lines are warnings.
 */
int name_map_load(const char *path, struct name_map *m, struct warnings *w, struct progress *p,
		  struct err *e);
/* The same from memory; name is for messages. */
void name_map_parse(const char *name, const char *data, size_t size, struct name_map *m, struct warnings *w);
void name_map_free(struct name_map *m);

/*
 * Writers; -1 when the stream fails or p (may be NULL) is cancelled.  `up` restricts to what is reached
 * (NULL: everything), `lids` replaces the LIDs of the source (NULL: as they are).
 */
int write_ibnetdiscover(FILE *f, const struct fabric *fb, const struct topo *up, const struct lids *lids,
			struct progress *p);
/*
 * What is reached, as ibsim reads it to simulate it: nodes named by simulated_id(), the source's LIDs, speeds
 * that it knows, no names.
 */
int write_simulated(FILE *f, const struct topo *up, struct progress *p);
#define SIMULATED_ID 20
const char *simulated_id(const struct fabric *f, uint32_t node, char id[SIMULATED_ID]);
/*
 * Slurm's topology.conf (topology/tree), or topology.yaml: a line for each switch with hosts, above them one
 * for all switches that join the same hosts.  A host is what its ports' names begin with, up to a blank; of
 * several ports that of the first name counts.  Lines on what could not be written as it is go to *notes.
 */
int write_slurm(FILE *f, const struct topo *up, bool yaml, struct text *notes, struct progress *p);
/* opensm-lfts.dump, byte for byte as OpenSM 3.3.23 writes it. */
int write_lfts(FILE *f, const struct routing *r, struct progress *p);
/* opensm.fdbs, for ibdmchk. */
int write_fdbs(FILE *f, const struct routing *r, struct progress *p);
/* Bytes that write_fdbs() and write_paths() take meanwhile: hops between all switches, of all LIDs. */
size_t write_fdbs_room(const struct routing *r);
size_t write_paths_room(const struct routing *r);
/* opensm-subnet.lst. */
int write_subnet(FILE *f, const struct routing *r, struct progress *p);
/* Lines "SLID DLID SL HOPS" (design, `export paths`). */
int write_paths(FILE *f, const struct routing *r, struct progress *p);

#endif
