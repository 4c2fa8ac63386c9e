#include "core/base/defs.h"
#include "core/session/hosts_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/unpack.h"

#define ABSENT_TOLD 3
#define HOSTS_A_LOOK 64

bool is_hosts_file(const struct fabric *f, const char *word)
{
	return *word == '@' && node_named(f, word, strlen(word)) == NO_ID;
}

/* Returns the file's name, to be freed. *job: the text after it, or NULL. */
static char *split_job(const char *text, const char **job)
{
	size_t len = strlen(text);

	*job = NULL;
	for (const char *colon = text + len; colon; colon = memrchr(text, ':', (size_t)(colon - text))) {
		char *path = str_printf("%.*s", (int)(colon - text), text);

		if (!access(path, F_OK)) {
			*job = *colon ? colon + 1 : NULL;
			return path;
		}
		free(path);
	}
	return str_dup(text);
}

/* Nodes that are found, in that order. */
struct hosts_file_finder {
	const struct fabric *f;
	enum name_kind kind;
	uint8_t *mark; /* [n_nodes] */
	struct id_list *l;
	size_t cap;
};

/* Finds the nodes whose names are `host`, or `host` followed by one of `ends`. */
static bool find_named(struct hosts_file_finder *x, const char *host, const char *ends)
{
	const struct fabric *f = x->f;
	struct name_hits h;
	bool any = false;

	names_find(f, host, x->kind, NAME_FIRST, &h);
	for (uint32_t i = 0; i < h.n; i++) {
		const char *given = f->node_given[h.node[i]];

		if (!strncasecmp(given, host, strlen(host)) &&
		    !memchr(ends, given[strlen(host)], strlen(ends) + 1))
			continue;
		any = true;
		if (x->mark[h.node[i]])
			continue;
		x->mark[h.node[i]] = 1;
		GROW(x->l->id, x->l->n, x->cap);
		x->l->id[x->l->n++] = h.node[i];
	}
	name_hits_free(&h);
	return any;
}

/* Tries the whole name, then the name with a domain in the fabric, then without its own domain. */
static bool hosts_file_find_host(struct hosts_file_finder *x, char *host)
{
	char *dot = strchr(host, '.');
	bool any = find_named(x, host, " \t/:") || find_named(x, host, ".");

	if (any || !dot)
		return any;
	*dot = '\0';
	any = find_named(x, host, " \t/:");
	*dot = '.';
	return any;
}

/* A file of hosts names no ports: "h1[2]" is port 2 of h1, not h12 as in a list of Slurm. */
static int refuse_ports(const struct fabric *f, const struct input *in, struct err *e)
{
	static const char between[] = " \t\r\n,=";
	const char *end = in->data + in->size, *p = in->data;
	unsigned line = 1;

	while (p < end && memchr(p, ']', (size_t)(end - p))) {
		size_t len = 0;

		while (p + len < end && p[len] && !strchr(between, p[len]))
			len++;
		if (len && names_port(f, p, len))
			return err_set_kind(e, ERR_INPUT,
					    "%s:%u: found %.*s, which is a port; expected a host", in->name,
					    line, (int)(MIN(len, 60)), p);
		p += len;
		line += p < end && *p == '\n';
		p++;
	}
	return 0;
}

static int hosts_file_find(const struct fabric *f, const struct hostlist *hosts, enum name_kind kind,
			   struct progress *p, struct id_list *l, struct err *e)
{
	struct hosts_file_finder x = {f, kind, NEW_ARRAY(f->n_nodes + 1, uint8_t), l, 0};
	struct hostlist *absent = &l->absent;

	for (size_t i = 0; i < hosts->n; i++) {
		if (i % HOSTS_A_LOOK == 0 && progress_cancelled(p)) {
			free(x.mark);
			return err_set(e, CANCELLED);
		}
		if (hosts_file_find_host(&x, hosts->name[i]))
			continue;
		GROW(absent->name, absent->n, absent->cap);
		absent->name[absent->n++] = str_dup(hosts->name[i]);
	}
	free(x.mark);
	return 0;
}

int hosts_file_nodes(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
		     struct id_list *l, struct err *e)
{
	const char *job;
	char *path = split_job(word + 1, &job), *data = NULL;
	struct input in = {.name = path, .progress = p};
	struct hostlist hosts = {0};
	int rc = read_packed_file(path, p, &data, &in.size, e);

	*l = (struct id_list){.many = true};
	in.data = data;
	if (!rc)
		rc = refuse_ports(s->fabric, &in, e) || hostfile_read(&in, job, &hosts, e) ? -1 : 0;
	if (!rc)
		rc = hosts_file_find(s->fabric, &hosts, kind, p, l, e);
	if (!rc && l->n)
		qsort(l->id, l->n, sizeof(*l->id), order_u32);
	if (!rc && !l->n)
		rc = err_set_kind(e, ERR_NO_NODE, "%s: none of %s is in the fabric (first: %s)", path,
				  PLURAL(hosts.n, "host"), hosts.name[0]);
	if (rc)
		id_list_free(l);
	hostlist_free(&hosts);
	free(data);
	free(path);
	return rc;
}

int hosts_file_each(const char *path, struct progress *p, struct job_list *jobs, struct err *e)
{
	char *data = NULL;
	struct input in = {.name = path, .progress = p};
	int rc = read_packed_file(path, p, &data, &in.size, e);

	in.data = data;
	if (!rc)
		rc = hostfile_each(&in, jobs, e);
	free(data);
	return rc;
}

int job_nodes(const struct fabric *f, const struct job_hosts *job, struct progress *p, struct id_list *l,
	      struct err *e)
{
	*l = (struct id_list){.many = true};
	return hosts_file_find(f, &job->hosts, NAMES_HOSTS, p, l, e);
}

void report_absent(const struct id_list *l, const char *word, struct out *o)
{
	const struct hostlist *a = &l->absent;

	if (!a->n)
		return;
	out_text(o, "%s: %s not in the fabric: ", word, PLURAL(a->n, "host"));
	for (size_t i = 0; i < a->n && i < ABSENT_TOLD; i++)
		out_text(o, "%s%s", i ? ", " : "", a->name[i]);
	out_text(o, "%s\n", a->n > ABSENT_TOLD ? ", ..." : "");
	for (size_t i = 0; o->object && i < a->n; i++) {
		json_t *list = json_object_get(o->object, "absent");

		if (!list) {
			list = json_array();
			out_json(o, "absent", list);
		}
		json_array_append_new(list, json_text(a->name[i]));
	}
}
