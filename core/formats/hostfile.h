/*
 * Hosts of jobs, as Slurm's programs print them; the form is found by content:
 *
 *   scontrol show hostnames    a name or list (base/hostlist.h) a line; KEY=VALUE behind it does not count
 *   squeue, sinfo, sacct       columns by their heading, of which one is NODELIST; parted by blanks or '|'
 *   scontrol show job          records of KEY=VALUE, also each on one line
 */
#ifndef IBSCOPE_HOSTFILE_H
#define IBSCOPE_HOSTFILE_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"

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
