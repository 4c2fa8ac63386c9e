/*
 * `@FILE` and `@FILE:JOB` stand for the hosts of a file (core/formats/hostfile.h), where a word may stand for
 * many.  FILE is the longest beginning that names a file; JOB is the rest.
 *
 * A host is the first word of its nodes' names: "node-01" of "node-01 mlx5_0" and "node-01/U1".  It is found
 * with its domain, or without it, too.
 */
#ifndef IBSCOPE_HOSTS_FILE_H
#define IBSCOPE_HOSTS_FILE_H

#include "core/formats/hostfile.h"
#include "core/session/out.h"
#include "core/session/session.h"

/* Is it such a word? A word that names a node is not. */
bool is_hosts_file(const struct fabric *f, const char *word);

/*
 * The nodes of a kind that belong to its hosts.  l->absent: hosts without such a node.  -1 and *e: the file
 * cannot be read, none of its hosts is in the fabric (kind ERR_NO_NODE), or cancelled.
 */
int hosts_file_nodes(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
		     struct id_list *l, struct err *e);

/* All jobs of a file with their hosts (hostfile_each()). -1 and *e. */
int hosts_file_each(const char *path, struct progress *p, struct job_list *jobs, struct err *e);
/* The host nodes of a job, in the order of its hosts; l->absent: hosts without one.  -1 and *e: cancelled. */
int job_nodes(const struct fabric *f, const struct job_hosts *job, struct progress *p, struct id_list *l,
	      struct err *e);

/* Tell which hosts of a word the fabric lacks; nothing when it lacks none. */
#define JSON_ABSENT "absent[] string? hosts of the file behind `@` that are not in the fabric\n"
void report_absent(const struct id_list *l, const char *word, struct out *o);

#endif
