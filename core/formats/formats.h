/* Fabrics in files.  A reader makes a fabric of the whole content; the content shows its format. */
#ifndef IBSCOPE_FORMATS_H
#define IBSCOPE_FORMATS_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/sm/sweep.h"

/* Files of ibsim that include each other: the depth, and the number in all, since they multiply. */
#define IBSIM_INCLUDE_DEPTH 9
#define IBSIM_INCLUDE_FILES 1000

/* Boards of ibdm's .topo files multiply: chips in all, and the depth of boards. */
#define TOPO_CHIPS 100000
#define TOPO_BOARD_DEPTH 8

/*
 * Load a saved fabric of any known format: ibnetdiscover text (all variants, -g and -f included), ibsim net
 * file, libibnetdisc cache, opensm-subnet.lst / ibdiagnet .lst, ibdiagnet's db_csv / opensm-smdb.dump, ibdm's
 * .topo, ibdiagnet's .net_dump and .net_dump_ext, what iblinkinfo and `ibnetdiscover -p` print; an edge list;
 * a folder of ibdiagnet's or OpenSM's dumps, with the tables in it ((*out)->switch_tables); "-" is standard
 * input. Compressed files are unpacked.  Oddities that do not stop the reading become fabric->warnings.  -1
 * and *e
 * ("FILE:LINE: found ..., expected ...") otherwise.
 */
int fabric_load(const char *path, struct fabric **out, struct progress *p, struct err *e);

/* The same from memory; name is for messages (fuzz targets, tests). */
int fabric_parse(const char *name, const char *data, size_t size, struct fabric **out, struct err *e);

/* node-name-map file: `0x<guid> "name"` per line; -1 and *e: unreadable.  Odd lines become warnings. */
int name_map_load(const char *path, struct name_map *m, struct warnings *w, struct progress *p,
		  struct err *e);
/* The same from memory; name is for messages. */
void name_map_parse(const char *name, const char *data, size_t size, struct name_map *m, struct warnings *w);
void name_map_free(struct name_map *m);

/*
 * Writers; -1 when the stream fails or p (may be NULL) is cancelled.  `up`: only what is reached is written
 * (NULL: everything).  `lids` replaces the LIDs of the source (NULL: they stay).
 */
int write_ibnetdiscover(FILE *f, const struct fabric *fb, const struct topo *up, const struct lids *lids,
			struct progress *p);
/*
 * The same as an edge list, which is short, in *t (free it in any case).  -1 and *e also when one that is
 * read back would be another fabric than ibnetdiscover text: names that are not unique, labels of ports.
 */
int edges_text(const struct fabric *fb, const struct topo *up, const struct lids *lids, struct progress *p,
	       struct text *t, struct err *e);
/*
 * ibnetdiscover text with nodes by ascending GUID and LIDs of the source, without what depends on who read
 * it: the same bytes for every reading of a fabric.  -1 and *e also when it does not give the fabric again.
 */
int canonical_text(const struct fabric *fb, const struct topo *up, struct progress *p, struct text *t,
		   struct err *e);
/*
 * What is reached, in the form that ibsim simulates: nodes named by simulated_id(), the source's LIDs, speeds
 * that ibsim knows, and no names.
 */
int write_simulated(FILE *f, const struct topo *up, struct progress *p);
#define SIMULATED_ID 20
const char *simulated_id(const struct fabric *f, uint32_t node, char id[SIMULATED_ID]);
/*
 * Slurm's topology.conf (topology/tree), or topology.yaml.  Each switch with hosts gets a line.  Above these,
 * all switches that join the same hosts share one line.  A host is the beginning of its ports' names, up to a
 * blank.  If a host has several ports, the one with the first name counts.  *notes gets lines on what could
 * not be written unchanged.
 */
int write_slurm(FILE *f, const struct topo *up, bool yaml, struct text *notes, struct progress *p);
/* Of a stream at the end: 0, or -1 when something was not written. */
int write_status(FILE *f);
/* opensm-lfts.dump, byte for byte as OpenSM 3.3.23 writes it. */
int write_lfts(FILE *f, const struct routing *r, struct progress *p);
/* opensm.fdbs, for ibdmchk. */
int write_fdbs(FILE *f, const struct routing *r, struct progress *p);
/* Bytes that write_fdbs() and write_paths() need while they run: hops between all switches, of all LIDs. */
size_t write_fdbs_room(const struct routing *r);
size_t write_paths_room(const struct routing *r);
/* opensm-subnet.lst. */
int write_subnet(FILE *f, const struct routing *r, struct progress *p);
/* Lines "SLID DLID SL HOPS" (design, `export paths`). */
int write_paths(FILE *f, const struct routing *r, struct progress *p);

#endif
