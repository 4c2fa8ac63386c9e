/* Plans of cables: who should hang where, by names.  The files: core/formats/doc/formats.md 10. */
#ifndef IBSCOPE_CABLING_H
#define IBSCOPE_CABLING_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/fabric/warnings.h"

/* Texts as the file has them, owned. */
struct planned_end {
	char *device; /* never NULL or empty */
	char *port;   /* NULL: any of the device */
};

struct planned_cable {
	struct planned_end end[2];
	uint8_t width, speed; /* enum link_width, link_speed; 0 = not told */
	unsigned line;	      /* 0: none, it is of a fabric */
};

/* How the rows are meant. */
enum cabling_kind {
	CABLING_LIST,	/* cables */
	CABLING_LEAVES, /* Slurm's tree: end[0] is a host, end[1] its switch, by Slurm's name */
	CABLING_BLOCKS, /* Slurm's blocks: the same with the name of a block */
};

struct cabling {
	enum cabling_kind kind;
	const char
		*format; /* static: "cabling list", "ibfabricconf", "topo", "cables", "topology", "fabric" */
	struct planned_cable *row;
	size_t n, cap;
	char **device; /* that it names, with a cable or without; beside those of rows; owned */
	size_t n_devices, cap_devices;
	bool whole;	     /* it has all cables of its devices, to hosts and between switches */
	struct warnings odd; /* lines that were left out; with any the plan is incomplete */
};

/*
 * Read a plan; its kind is found by content.  Compressed files are unpacked.  Single lines that are not
 * understood are left out and told in odd.  Free with cabling_free(), in either case.  -1 and *e ("NAME:LINE:
 * found ..., expected ..."): it is no plan, more than one line in ten is not understood, or cancelled.
 */
int cabling_load(const char *path, struct cabling *c, struct progress *p, struct err *e);
int cabling_parse(const struct input *in, struct cabling *c, struct err *e); /* from memory */
/*
 * The cables of a fabric as a plan for another, `to`: nodes are found in it by GUID, those with another GUID
 * by name.  The plan is whole.
 */
void cabling_of_fabric(const struct fabric *f, const struct fabric *to, struct cabling *c);
void cabling_free(struct cabling *c);

/* --- for the readers in core/formats/ ------------------------------------------------------------ */

/* Add a row of four texts (blanks around them go); an empty port and "-" are any.  False: a device has no
 * name. */
bool cabling_add(struct cabling *c, const struct cursor text[4], uint8_t width, uint8_t speed, unsigned line);
/* A line that was left out. */
void cabling_odd(struct cabling *c, unsigned line, const char *expected, struct cursor found);

int cabling_topo(const struct input *in, struct cabling *c, struct err *e); /* one that is_topo() */
int cabling_xml(const struct input *in, struct cabling *c, struct err *e);
bool is_slurm_topology(const struct input *in);
int cabling_slurm(const struct input *in, struct cabling *c, struct err *e);

#endif
