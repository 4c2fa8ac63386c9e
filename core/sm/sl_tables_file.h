/*
 * SL-to-VL maps and SLs of paths in text.
 *
 * Maps: opensm-sl2vl.dump (what OpenSM writes with `qos TRUE`, and `export
 * sl2vl`), or a line a map as ibdmchk takes them: switch GUID, port in, port
 * out, eight bytes with two VLs each.
 * SLs: lines `SLID DLID SL [HOPS]` (`export paths`; of a range `2..5` the first), or as ibdmchk takes them:
 * lines `NODE-GUID DLID SL`, and blocks of a line `Channel Adapter PORT-GUID,
 * ...` with lines `LID : SL`.
 */
#ifndef IBSCOPE_SL_TABLES_FILE_H
#define IBSCOPE_SL_TABLES_FILE_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/lids.h"
#include "core/routing/routing.h"
#include "core/routing/sl_tables.h"

/*
 * Read into l.  Lines about nodes that the fabric does not have are skipped and counted in a line of notes.
 * -1 and *e: the file cannot be read, or a line has neither form (what was read before it is in l).
 */
int sl2vl_file_read(struct sl_tables *l, const char *path, const struct fabric *f, struct progress *p,
		    struct text *notes, struct err *e);
int sl_file_read(struct sl_tables *l, const char *path, const struct fabric *f, const struct lids *lids,
		 struct progress *p, struct text *notes, struct err *e);
/* The same from memory; name is for messages. */
int sl2vl_file_parse(struct sl_tables *l, const char *name, const char *data, size_t size,
		     const struct fabric *f, struct text *notes, struct err *e);
/* All maps of a dump, of CA and router ports, too (in and out are 0).  -1 and *e: the file cannot be
 * read, or a line is no map of a port of the fabric. */
typedef void sl2vl_taker(void *arg, uint32_t endport, unsigned in, unsigned out, sl2vl_map m);
int sl2vl_file_each(const char *path, const struct fabric *f, sl2vl_taker *take, void *arg,
		    struct progress *p, struct err *e);
int sl_file_parse(struct sl_tables *l, const char *name, const char *data, size_t size,
		  const struct fabric *f, const struct lids *lids, struct text *notes, struct err *e);

/*
 * The maps of all switches that are up, in the form of opensm-sl2vl.dump.  Maps of CA and router ports follow
 * where they are known.  -1: the stream failed.
 */
int write_sl2vl(FILE *f, const struct routing *r, struct progress *p);

#endif
