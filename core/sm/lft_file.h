/*
 * Forwarding tables and hop matrices in text, as OpenSM's engine `file` reads
 * them: opensm-lfts.dump, dump_fts, ibroute, dump_lfts.sh, our own exports
 * (lfts_file), and opensm-lid-matrix.dump (lid_matrix_dump_file).
 */
#ifndef IBSCOPE_LFT_FILE_H
#define IBSCOPE_LFT_FILE_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/state.h"

/* A line "LID PORT ..." of a switch that is up. */
struct lft_entry {
	uint32_t sw;
	uint64_t guid; /* port GUID of the destination, 0 = not told */
	uint32_t line;
	uint16_t lid;
	uint8_t port; /* at most the switch's number of ports */
};

struct lft_file {
	struct lft_entry *e; /* in the order of the file */
	size_t n, cap;
	uint8_t *has;	      /* [n_switches] 1 = the file has a head line for the switch */
	uint32_t n_unknown;   /* head lines of switches that are not up; their lines are skipped */
	uint64_t unknown;     /* GUID of the first */
	uint32_t n_multicast; /* heads of multicast tables, skipped */
	/*
	 * Tables that may lack their last LID: dump_fts and ibroute leave it out if the top is a multiple of
	 * 64.
	 */
	uint32_t n_cut;
	bool broken;	/* reading stopped; entries before are there */
	bool missing;	/* the file could not be opened (broken as well) */
	struct err why; /* when broken: file, line, what was found and expected */
};

/* Read as OpenSM 3.3.23 does (1022 bytes a line; numbers as strtoul() takes them).  Free in any case. */
void lft_file_read(struct lft_file *l, const char *path, const struct topo *t, struct progress *p);
/* The same from memory; name is for messages. */
void lft_file_parse(struct lft_file *l, const char *name, const char *data, size_t size,
		    const struct topo *t);
void lft_file_free(struct lft_file *l);

/* A row of a hop matrix: costs from a switch to the owner of a LID; the index is the port, from 0. */
struct hops_row {
	uint32_t sw;
	uint16_t lid;
	uint8_t n; /* values, at most the switch's ports + 1 */
	size_t at; /* in value[] */
};

struct hops_file {
	struct hops_row *row;
	size_t n, cap;
	uint8_t *value;
	size_t n_values, cap_values;
	uint32_t n_unknown;
	bool broken, missing;
	struct err why;
};

void hops_file_read(struct hops_file *h, const char *path, const struct topo *t, struct progress *p);
void hops_file_parse(struct hops_file *h, const char *name, const char *data, size_t size,
		     const struct topo *t);
void hops_file_free(struct hops_file *h);

#endif
