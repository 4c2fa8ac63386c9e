/* Plans of cables: who should hang where, by names.  The files: core/formats/doc/formats.md 10. */
#ifndef IBSCOPE_CABLING_H
#define IBSCOPE_CABLING_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/fabric/fabric.h"

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

/*
 * Hosts of jobs, as Slurm's programs print them; the form is found by content:
 *
 *   scontrol show hostnames    a name or list (base/hostlist.h) a line; KEY=VALUE behind it does not count
 *   squeue, sinfo, sacct       columns by their heading, of which one is NODELIST; parted by blanks or '|'
 *   scontrol show job          records of KEY=VALUE, also each on one line
 */

/*
 * The hosts of all jobs, or of one (job not NULL), each once, by strcmp(); free with hostlist_free().  A job
 * is named by its number, the number of an array or one of its tasks (`591970`, `591970_3`), or its name;
 * without jobs in the table, by its partition.  Jobs that have no hosts yet count for nothing.
 *
 * -1 and *e ("NAME:LINE: found ..., expected ..."): another form; no such job; no hosts; cancelled; a list
 * that is or may be cut.  A list is cut when it ends early, or when its number of hosts is not the one beside
 * it (NODES, NumNodes).  It may be cut when it fills its column and there is no number.
 */
int hostfile_read(const struct input *in, const char *job, struct hostlist *l, struct err *e);

#define JOBS_HOSTS_MOST (16 * HOSTLIST_MOST) /* of all jobs together */

struct job_hosts {
	char *name;	       /* its number where it has one */
	char *title;	       /* what it is called beside; "" */
	unsigned line;	       /* where it begins */
	struct hostlist hosts; /* in their order, maybe twice */
};

struct job_list {
	struct job_hosts *job; /* [n] in the order of the file */
	size_t n, cap;
};

/*
 * All jobs with their hosts: of a table or records those that have hosts, steps (`7.batch`) with their job;
 * else lines `NAME HOSTS...`, HOSTS being names or lists, `#` a comment.  Lines of one job are taken
 * together.  Free with job_list_free().  -1 and *e: as above, or there is no job.
 */
int hostfile_each(const struct input *in, struct job_list *jobs, struct err *e);
void job_list_free(struct job_list *jobs);

#endif
