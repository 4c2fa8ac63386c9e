#ifndef IBSCOPE_ENGINES_H
#define IBSCOPE_ENGINES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/sm/engine.h"

/* All engines, ended by NULL. A new engine is one line in engines.c. */
extern const struct engine *const all_engines[];

/* A part of a list of LIDs: lid[from] to lid[to - 1]. */
struct lids_part {
	const uint16_t *lid;
	uint32_t from, to;
};

/* Options that name a file of GUIDs, as engines read them. Faults of the file become notes. */

/* Reads an option's GUID file. False when it is not set. Faults become notes. Free g in any case. */
bool read_guid_option(const struct engine_input *in, struct engine_output *out, const char *option,
		      struct guid_file *g);
/* Notes that a line of such a file is ignored, and why. */
void note_ignored(const struct engine_input *in, struct engine_output *out, const char *option, unsigned line,
		  const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Such an option as a struct optdef: name, opensm's flag, what it names (enum opt_names), a line of help. */
#define GUID_OPTION(called, as, of, text)                                                          \
	{                                                                                          \
		.name = called, .flag = as, .type = OPT_FILE, .names = of, .def = "", .help = text \
	}
/* Options of ftree and dfsssp. */
#define CN_GUID_FILE                                           \
	GUID_OPTION("cn_guid_file", "-u FILE", OPT_HOST_PORTS, \
		    "port GUIDs of compute nodes, one a line; default: all CA ports")
#define IO_GUID_FILE \
	GUID_OPTION("io_guid_file", "-G FILE", OPT_HOST_PORTS, "port GUIDs of I/O nodes, one a line")

/* glibc's random(), from which OpenSM draws (engines/doc/lash.md 9.3): additive feedback over 31 words. */

#define RANDOM_DEFAULT_SEED 1

struct glibc_random {
	uint32_t r[31];
	unsigned at; /* index of the next value */
};

/* Seeds as srandom(seed). 0 counts as 1. */
void glibc_random_seed(struct glibc_random *g, uint32_t seed);
/* The next value as random() gives it, 0 .. 2^31 - 1. */
uint32_t glibc_random_next(struct glibc_random *g);
/* Skips n values. */
void glibc_random_skip(struct glibc_random *g, uint64_t n);

/*
 * Where OpenSM 3.3.23 and its manual (opensm(8), torus-2QoS.conf(5)) differ in the routes they make. `set
 * rules opensm` and `set rules manual` choose. `help rules` and the manual page show this table.
 */

struct rule_difference {
	const char *what;    /* engine and option: "lash, lmc above 0" */
	const char *program; /* one sentence each */
	const char *manual;
	const char *shows; /* a command that gives another result after `set rules manual` */
};

/* All of them, from the files *.rules; ended by an entry whose `what` is NULL.  The arena owns them.  NULL
 * and *e. */
struct rule_difference *rules_read(void *arena, struct err *e);

/* The number of virtual lanes that OpenSM assumes for the fabric while it routes. */

#define VLS_CODE_MAX 5

/*
 * The least OperVLs code (1, 2, 3, 4, 5 mean 1, 2, 4, 8, 15 VLs) of cabled switch ports, or 0 when none tells
 * one. *port is the first port with that code, or NO_ID.
 */
unsigned least_vls_code(const struct engine_input *in, uint32_t *port);

/* The number of VLs of a code. */
static inline unsigned vls_of_code(unsigned code)
{
	assert(code);
	return code >= VLS_CODE_MAX ? 15 : 1u << (code - 1);
}

/*
 * Columns of entries (one LID at all switches) on their way to rows (one switch, all LIDs). Engines that
 * route LID by LID collect some columns first: to write a byte here and there in every row is slow.
 */

#define COLUMNS_AT_ONCE 64 /* are collected before they are written */

struct columns {
	uint8_t **row; /* [rows] entries by LID; set by the engine, NULL: the row is not written */
	uint32_t rows;
	uint8_t *of; /* the columns, one after the other */
	size_t stride;
	uint16_t lid[COLUMNS_AT_ONCE];
	unsigned n;
};
static_assert(COLUMNS_AT_ONCE % 8 == 0, "columns are written eight at a time");

struct columns columns_new(uint32_t rows);
void columns_free(struct columns *c);

/* Room for the column of a LID, undefined at first. It is valid until the next call. */
uint8_t *columns_next(struct columns *c, unsigned lid);

/* Writes all columns that are not written yet. */
void columns_write(struct columns *c);

#endif
