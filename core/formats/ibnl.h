/*
 * Types of systems as ibdm describes them (.ibnl files, core/formats/doc/formats.md 9.4): boards, the chips
 * on them, and their wiring. .topo files name such types.  Private to core/formats/.
 */
#ifndef IBSCOPE_FORMATS_IBNL_H
#define IBSCOPE_FORMATS_IBNL_H

#include "core/formats/readers.h"

/* `PORT -4x-10G-> INSTANCE PORT` or `PORT -> CONNECTOR`; width and speed 0 = not told. */
struct ibnl_wire {
	struct cursor port;
	struct cursor instance; /* empty: to a connector of the board itself */
	struct cursor to;
	uint8_t width, speed;
};

/* A chip (type set) or a board within a board. */
struct ibnl_part {
	struct cursor name;
	enum node_type type; /* 0: a board, of the type `kind` */
	unsigned nports;     /* of a chip */
	struct cursor kind;
	struct ibnl_wire *wire;
	size_t n, cap;
};

/* SYSTEM or TOPSYSTEM: a board, or what a .topo names. */
struct ibnl_system {
	struct cursor names; /* "LEAF,LEAF:4x" */
	bool top;
	unsigned file; /* boards are looked for in their own file */
	struct ibnl_part *part;
	size_t n, cap;
};

struct ibnl_file {
	char *name, *data; /* owned; all cursors point into data */
	struct unknown_lines lines;
};

struct ibnl_library {
	struct ibnl_file *file;
	size_t n_files, cap_files;
	struct ibnl_system *system;
	size_t n, cap;
};

/* Add a file's types; name is copied, and data (of size bytes, allocated) becomes the library's. */
void ibnl_add(struct ibnl_library *l, const char *name, char *data, size_t size);
/*
 * Add the types of all .ibnl files: first of `folder`, then of the folders of IBDM_IBNL_PATH (separated by
 * colons), then of ibutils' own.  *where gets the names of these folders, for messages.
 */
void ibnl_add_folders(struct ibnl_library *l, const char *folder, struct text *where, struct progress *p);
void ibnl_free(struct ibnl_library *l);

/* A type by name: the first TOPSYSTEM of any file; with `file`, a board of that file.  NULL: none. */
const struct ibnl_system *ibnl_top(const struct ibnl_library *l, struct cursor name);
const struct ibnl_system *ibnl_board(const struct ibnl_library *l, unsigned file, const char *name);

/* `->`, `-4x->`, `-10G->`, `-4x-5G->`; false: it is none of these. */
bool ibnl_arrow(struct cursor token, uint8_t *width, uint8_t *speed);

#endif
