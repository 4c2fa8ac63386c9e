/*
 * Forwarding tables and hop matrices in text, as OpenSM's engine `file` reads
 * them: opensm-lfts.dump, dump_fts, ibroute, dump_lfts.sh, our own exports
 * (lfts_file), and opensm-lid-matrix.dump (lid_matrix_dump_file).
 */
#ifndef IBSCOPE_LFT_FILE_H
#define IBSCOPE_LFT_FILE_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"
#include "core/sm/options.h"

/* A line "LID PORT ..." of a switch that is up. */
struct lft_entry {
	uint32_t sw;
	uint64_t guid; /* port GUID of the destination, 0 = not given */
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
	 * Number of tables that may lack their last LID: dump_fts and ibroute leave it out when the top is a
	 * multiple of 64.
	 */
	uint32_t n_cut;
	bool broken;	/* reading stopped; the entries before that point are kept */
	bool missing;	/* the file could not be opened (`broken` is set as well) */
	struct err why; /* when broken: file, line, what was found and expected */
};

/* Reads a file as OpenSM 3.3.23 does (1022 bytes a line; numbers as strtoul() accepts them).  Free l even
 * after an error. */
void lft_file_read(struct lft_file *l, const char *path, const struct topo *t, struct progress *p);
/* The same for text in memory; `name` is for messages. */
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

/*
 * SL-to-VL maps and SLs of paths in text.
 *
 * Maps: opensm-sl2vl.dump (what OpenSM writes with `qos TRUE`, and `export sl2vl`), or a line a map as
 * ibdmchk takes them: switch GUID, port in, port out, eight bytes with two VLs each.  SLs: lines `SLID DLID
 * SL [HOPS]` (`export paths`; of a range `2..5` the first counts), or as ibdmchk reads them: lines `NODE-GUID
 * DLID SL`, and blocks of a line `Channel Adapter PORT-GUID, ...` with lines `LID : SL`.
 */

/*
 * Reads a file into l.  Lines about nodes that the fabric lacks are skipped and counted in a line of notes.
 * Returns -1 and *e when the file cannot be read or a line has neither form (l keeps what was read before
 * it).
 */
int sl2vl_file_read(struct sl_tables *l, const char *path, const struct fabric *f, struct progress *p,
		    struct text *notes, struct err *e);
/* The same from memory. */
int sl2vl_file_parse(struct sl_tables *l, const struct input *in, const struct fabric *f, struct text *notes,
		     struct err *e);
int sl_file_parse(struct sl_tables *l, const struct input *in, const struct fabric *f,
		  const struct lids *lids, struct text *notes, struct err *e);
/* All maps of a dump, of CA and router ports, too (in and out are 0).  -1 and *e: the file cannot be
 * read, or a line is no map of a port of the fabric. */
typedef void sl2vl_taker(void *arg, uint32_t endport, unsigned in, unsigned out, sl2vl_map m);
int sl2vl_file_each(const char *path, const struct fabric *f, sl2vl_taker *take, void *arg,
		    struct progress *p, struct err *e);

/*
 * Writes the maps of all switches that are up, in the form of opensm-sl2vl.dump.  Maps of CA and router ports
 * follow where they are known.  -1: the stream failed.
 */
int write_sl2vl(FILE *f, const struct routing *r, struct progress *p);

/*
 * OpenSM's partitions.conf and QoS policy, as far as they affect paths between ports
 * (core/formats/doc/formats.md 6.6): members and SLs of partitions, and the policy's section qos-ulps.
 */

/*
 * Counts the endports that are up and reported no P_Keys although others did (a live reading with tables,
 * files of ibdiagnet), and sets *first to one of them.  When there are none, the P_Keys decide who may talk.
 */
uint32_t pkeys_untold(const struct topo *t, uint32_t *first);

/*
 * Works out what the P_Keys of ports and the options partition_config_file and qos_policy_file mean for the
 * ports that are up.  SLs count only with qos.  Returns NULL when neither option is set.  *unread says that a
 * file could not be read or has something that is not modelled, so that SLs may differ; *notes explains it, a
 * line each.
 */
struct pair_sls *pair_sls_read(const struct options *o, const struct topo *t, struct progress *p,
			       bool *unread, struct text *notes);

/*
 * Members as the ports' P_Keys have them, in place of those of a file, whose partitions give the SLs. A port
 * that told none is a member of nothing.
 */
void partitions_take_pkeys(struct pair_sls *p, const struct topo *t, const struct managers *m);
/*
 * What is known of partitions: as for pairs, else the P_Keys of those ports that told them; without members
 * when nothing is known.  The caller drops the reference.
 */
struct pair_sls *partitions_known(const struct options *o, const struct topo *t, struct progress *p);

/* From memory, into p.  False: something is not modelled. */
bool partitions_parse(struct pair_sls *p, const struct topo *t, bool qos, const struct input *in,
		      struct text *notes);
bool qos_policy_parse(struct pair_sls *p, const struct topo *t, const struct input *in, struct text *notes);

#endif
