/* Fuzz target: hosts of a file (`scope @FILE:JOB`): those of a job are among all; each once.  Jobs of a file
 * (`jobs FILE`): each has a name of its own and hosts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/order.h"
#include "core/formats/cabling.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_hosts(const uint8_t *data, size_t size, const char *job, struct hostlist *l)
{
	struct err e = {0};

	if (!hostfile_read(&(struct input){"fuzz", (const char *)data, size, NULL}, job, l, &e)) {
		for (size_t i = 0; i < l->n; i++)
			if (!*l->name[i] || (i && strcmp(l->name[i - 1], l->name[i]) >= 0))
				abort();
		return l->n ? 0 : (abort(), -1);
	}
	if (strncmp(e.msg, "fuzz:", 5) != 0 || l->n)
		abort();
	return -1;
}

static void read_jobs(const uint8_t *data, size_t size)
{
	struct err e = {0};
	struct job_list l;

	if (hostfile_each(&(struct input){"fuzz", (const char *)data, size, NULL}, &l, &e)) {
		if (strncmp(e.msg, "fuzz:", 5) != 0 || l.n)
			abort();
		return;
	}
	for (size_t i = 0; i < l.n; i++)
		if (!l.job[i].hosts.n || !*l.job[i].name || (i && !strcmp(l.job[i].name, l.job[i - 1].name)))
			abort();
	job_list_free(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hostlist all, some;

	read_jobs(data, size);

	if (!read_hosts(data, size, "7", &some)) {
		if (!read_hosts(data, size, NULL, &all))
			for (size_t i = 0; i < some.n; i++)
				if (!bsearch(&some.name[i], all.name, all.n, sizeof(*all.name), order_texts))
					abort();
		hostlist_free(&all);
		hostlist_free(&some);
	} else if (!read_hosts(data, size, NULL, &all)) {
		hostlist_free(&all);
	}
	return 0;
}
