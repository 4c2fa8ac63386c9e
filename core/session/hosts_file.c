#include "core/session/hosts_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/memory.h"
#include "core/base/unpack.h"
#include "core/formats/hostfile.h"

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

/* Mark the nodes whose names are `host`, or `host` followed by one of `ends`. */
static bool mark_named(const struct fabric *f, const char *host, const char *ends, enum name_kind kind,
		       uint8_t *mark)
{
	struct name_hits h;
	bool any = false;

	names_find(f, host, kind, NAME_FIRST, &h);
	for (uint32_t i = 0; i < h.n; i++) {
		const char *given = f->node_given[h.node[i]];

		if (!strncasecmp(given, host, strlen(host)) &&
		    !memchr(ends, given[strlen(host)], strlen(ends) + 1))
			continue;
		mark[h.node[i]] = 1;
		any = true;
	}
	name_hits_free(&h);
	return any;
}

/* Tries the whole name, then the name with a domain in the fabric, then without its own domain. */
static bool mark_host(const struct fabric *f, char *host, enum name_kind kind, uint8_t *mark)
{
	char *dot = strchr(host, '.');
	bool any = mark_named(f, host, " \t/:", kind, mark) || mark_named(f, host, ".", kind, mark);

	if (any || !dot)
		return any;
	*dot = '\0';
	any = mark_named(f, host, " \t/:", kind, mark);
	*dot = '.';
	return any;
}

static int find_hosts(const struct fabric *f, struct hostlist *hosts, enum name_kind kind, struct progress *p,
		      struct id_list *l, struct err *e)
{
	uint8_t *mark = NEW_ARRAY(f->n_nodes + 1, uint8_t);
	struct hostlist *absent = &l->absent;
	size_t cap = 0;

	for (size_t i = 0; i < hosts->n; i++) {
		if (i % HOSTS_A_LOOK == 0 && progress_cancelled(p)) {
			free(mark);
			return err_set(e, CANCELLED);
		}
		if (mark_host(f, hosts->name[i], kind, mark))
			continue;
		GROW(absent->name, absent->n, absent->cap);
		absent->name[absent->n++] = str_dup(hosts->name[i]);
	}
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (mark[n]) {
			GROW(l->id, l->n, cap);
			l->id[l->n++] = n;
		}
	free(mark);
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
		rc = hostfile_read(&in, job, &hosts, e);
	if (!rc)
		rc = find_hosts(s->fabric, &hosts, kind, p, l, e);
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

int hosts_file_jobs(const char *path, struct progress *p, struct hostlist *jobs, struct err *e)
{
	char *data = NULL;
	struct input in = {.name = path, .progress = p};
	int rc = read_packed_file(path, p, &data, &in.size, e);

	in.data = data;
	if (!rc)
		rc = hostfile_jobs(&in, jobs, e);
	free(data);
	return rc;
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
