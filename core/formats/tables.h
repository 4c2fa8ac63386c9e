/*
 * Content of switches, in files: opensm-lfts.dump, dump_fts, ibroute and dump_lfts.sh, opensm.fdbs and
 * ibdiagnet's .fdbs, ibdiagnet's .far with adaptive-routing groups.  The engine `file` reads as OpenSM does.
 * This module takes all files that people have, and reports oddities.
 */
#ifndef IBSCOPE_TABLES_H
#define IBSCOPE_TABLES_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/routing.h"

/* What was read, in numbers; format is static. */
struct tables_info {
	const char *format;  /* "lfts", "fdbs", "far", "live" */
	uint32_t n_switches; /* with a table */
	uint64_t n_entries;  /* that name a port */
	uint64_t n_adaptive; /* entries with an adaptive-routing group */
	/* LIDs of ports */
	uint32_t n_named;   /* told by the file */
	uint32_t n_other;   /* of these: the source has another LID */
	uint32_t n_source;  /* not told by the file: LIDs of the source, or those that ports have now */
	uint32_t n_none;    /* ports without LID */
	uint32_t n_misfits; /* LIDs that do not lead to their port at the port's own switch */
	uint32_t n_ports;   /* that the file names by GUID */
	uint32_t n_strange; /* of these: no port of the fabric has the GUID */
	bool lids_of_now;   /* n_source are those that ports have now: they fit the tables better */
};

/* Tables that are gathered from several files.  A later table of a switch replaces an earlier one. */
struct tables_reader {
	const struct fabric *f;
	struct switch_tables *t;
	struct tables_info info;
	uint32_t *cap;	    /* [n_switches] room in lft[] */
	uint64_t *guid;	    /* [MAX_LID + 1] port GUID of a LID as the files tell, 0 = not told */
	uint32_t *head;	    /* [n_switches] LID of the switch in the head of its table, NO_ID = not told */
	uint64_t unknown;   /* GUID of the first switch that the fabric does not have */
	uint32_t cut_short; /* switch in whose table the file ends; NO_ID = none */
	uint32_t n_unknown, n_lines, n_cut, n_twice;
	unsigned first_line; /* of those not understood */
	char example[48];
};

void tables_begin(struct tables_reader *r, const struct fabric *f);
/* Read one; format recognised by content.  -1 and *e: no tables are in it. */
int tables_read(struct tables_reader *r, const struct input *in, struct err *e);
/*
 * Settle LIDs and return the tables (one reference). now: the present LIDs of ports, used when the files name
 * none and these fit better than the source's; NULL: nothing is routed. source: file, NULL = read live.
 * Oddities become lines of *notes. r is freed.
 */
struct switch_tables *tables_finish(struct tables_reader *r, const char *source, const struct lids *now,
				    struct tables_info *info, struct text *notes);
/* Add what the switches of another fabric held, and the LIDs of its ports.  These were read live. */
void tables_copy(struct tables_reader *r, const struct fabric *from);
void tables_drop(struct tables_reader *r); /* free without a result */

/* All of this for one file, of which only the path is given yet.  NULL and *e, also when it is cancelled. */
struct switch_tables *tables_load(struct input in, const struct fabric *f, const struct lids *now,
				  struct tables_info *info, struct text *notes, struct err *e);
/* The same from memory. */
struct switch_tables *tables_parse(const struct input *in, const struct fabric *f, const struct lids *now,
				   struct tables_info *info, struct text *notes, struct err *e);

/* --- of core/formats/ itself --- */

/* Begin the table of the switch with a node GUID anew.  NO_ID: it is not in the fabric (counted). */
uint32_t tables_switch(struct tables_reader *r, uint64_t guid);
/* An entry; false: the LID or the port is out of range. */
bool tables_entry(struct tables_reader *r, uint32_t sw, uint64_t lid, uint64_t port);
void tables_unknown(struct tables_reader *r, unsigned line, struct cursor text); /* a line left out */
/* Tables of other models.  -1 and *e: they belong to a fabric of theirs, and another one is loaded. */
bool has_netloc_paths(const struct input *in);
int read_netloc_paths(struct tables_reader *r, const struct input *in, struct err *e);
bool is_omnet_fdbs(const struct input *in);
int read_omnet_fdbs(struct tables_reader *r, const struct input *in, struct err *e);

/* What a source told of the tables of its switches belongs to its fabric from now on; notes become warnings.
 */
void tables_hold(struct fabric *f, struct switch_tables *t, const struct text *notes);
/* The same for tables in a text that also has the fabric.  There may be none. */
void tables_take(struct fabric *f, const struct input *in);

#endif
