/*
 * Fabrics from rows: formats in which each line tells one port and what it is cabled to (net_dump,
 * net_dump_ext, iblinkinfo, ibnetdiscover -p).  Private to core/formats/.
 */
#ifndef IBSCOPE_FORMATS_ROWS_H
#define IBSCOPE_FORMATS_ROWS_H

#include "core/formats/readers.h"

/* One end of a cable; 0 and empty cursors: not told. */
struct row_end {
	enum node_type type;
	uint64_t guid; /* of a switch; of a channel adapter's or router's port */
	uint64_t lid, port;
	struct cursor name, label; /* label: of the port; point into the input */
};

struct row {
	struct row_end own, peer;
	unsigned line;	/* of the file */
	unsigned group; /* rows of one node have its line; 0: not told */
	uint8_t width, speed, state;
	bool cabled;
	bool ended; /* the line has what its tool writes at the end of each */
};

struct rows {
	const struct input *in;
	struct lines lines;
	struct row *row;
	uint32_t n, cap;
	bool hosts; /* channel adapters have rows of their own; false: only rows of switches name them */
	struct unknown_lines unknown;
};

void rows_init(struct rows *r, const struct input *in);
/* Add a row.  false: no node, or impossible numbers (port 0 or above MAX_PORTS, LID above 65535). */
bool rows_add(struct rows *r, const struct row *row);
/*
 * Make the fabric of the rows, which are freed.  untold: what the format never tells, for fabric.untold.
 * Ports of switches without a row, cables told at one end and peers without a row make it incomplete.
 */
int rows_finish(struct rows *r, const char *format, const char *untold, struct fabric **out, struct err *e);

/* "Active", "ACT", "INI", "Armed", "Down", "DOWN", ...: PORT_UNKNOWN for others. */
enum port_state state_word(struct cursor c);
#endif
