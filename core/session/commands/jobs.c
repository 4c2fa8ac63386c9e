/* `jobs`: several jobs at once, and the links on which they meet. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/jobs.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/session/commands/commands.h"
#include "core/session/patterns.h"

#define SHOWN 20    /* jobs, and links */
#define JOBS_TOLD 8 /* jobs of a link */

struct jobs_command_told {
	const struct sweep *w;
	const struct job_list *list;
	struct gpus **gpus; /* [list->n] */
	uint32_t *missing;  /* [list->n] hosts that the fabric does not have */
	const struct job_loads *j;
	uint32_t job; /* the one that is asked for, NO_ID: all */
	bool all;
	struct out *o;
};

/* The GPUs of each job, and who is absent. */
static int find_gpus(struct jobs_command_told *t, const struct routing *r, const char *path, struct err *e)
{
	const struct fabric *f = t->w->fabric;
	uint32_t *ep = NEW_ARRAY(f->n_endports + 1, uint32_t);
	struct id_list absent = {0}; /* of all jobs together */
	int rc = 0;

	for (size_t i = 0; !rc && i < t->list->n; i++) {
		struct id_list l;
		uint32_t n = 0;

		rc = job_nodes(f, &t->list->job[i], t->o->run->progress, &l, e);
		for (uint32_t k = 0; !rc && k < l.n; k++)
			for (unsigned p = 1; p <= f->node_nports[l.id[k]]; p++) {
				uint32_t x = f->port_endport[f->node_port[l.id[k]] + p];

				if (x != NO_ID)
					ep[n++] = x;
			}
		if (!rc)
			t->gpus[i] = gpus_new(r, ep, n);
		t->missing[i] = (uint32_t)l.absent.n;
		for (size_t k = 0; !rc && k < l.absent.n; k++) {
			GROW(absent.absent.name, absent.absent.n, absent.absent.cap);
			absent.absent.name[absent.absent.n++] = str_dup(l.absent.name[k]);
		}
		id_list_free(&l);
	}
	if (!rc)
		report_absent(&absent, path, t->o);
	id_list_free(&absent);
	free(ep);
	return rc;
}

/* --- telling -------------------------------------------------------------------------------------- */

static int busiest_first(const void *x, const void *y, void *ctx)
{
	const struct job_sum *s = ctx, *a = &s[*(const uint32_t *)x], *b = &s[*(const uint32_t *)y];

	if (a->strangers != b->strangers)
		return a->strangers > b->strangers ? -1 : 1;
	if (a->both != b->both)
		return a->both > b->both ? -1 : 1;
	return COMPARED(a, b);
}

static void tell_jobs(const struct jobs_command_told *t)
{
	const struct job_loads *j = t->j;
	uint32_t *order = NEW_ARRAY(j->n_jobs + 1, uint32_t);
	json_t *list = json_array();

	for (uint32_t i = 0; i < j->n_jobs; i++)
		order[i] = i;
	qsort_r(order, j->n_jobs, sizeof(*order), busiest_first, j->sum);
	out_text(t->o, ROW_BEGIN "%6s %6s %10s %6s %7s %6s %10s  job\n", "hosts", "GPUs", "flows", "links",
		 "shared", "most", "strangers");
	for (uint32_t i = 0; i < j->n_jobs; i++) {
		const struct job_sum *s = &j->sum[order[i]];
		const struct gpus *g = t->gpus[order[i]];
		const char *name = t->list->job[order[i]].name;
		json_t *x;

		if (i < SHOWN || t->all)
			out_text(t->o,
				 ROW_BEGIN "%6u %6u %10" PRIu64 " %6u %7u %6u %10u  " ROW_CUT("%s") "\n",
				 g->n_hosts, g->n, s->flows, s->links, s->shared, s->max, s->strangers, name);
		if (!t->o->object)
			continue;
		x = json_make("{s:s, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i}", "job", name, "hosts",
			      (int)g->n_hosts, "missing", (int)t->missing[order[i]], "gpus", (int)g->n,
			      "flows", (json_int_t)s->flows, "arrive", (json_int_t)s->routes, "links",
			      (int)s->links, "shared", (int)s->shared, "most", (int)s->max, "strangers",
			      (int)s->strangers, "all", (int)s->both);
		json_array_append_new(list, x);
	}
	if (j->n_jobs > SHOWN && !t->all)
		out_text(t->o, "  ... %s; `jobs ... all` prints them\n",
			 PLURAL(j->n_jobs - SHOWN, "more job"));
	out_json(t->o, "jobs", list);
	free(order);
}

/* What the job that is asked for puts on a link; of all jobs 1: the link counts. */
static uint32_t own_part(const struct jobs_command_told *t, const struct job_link *x)
{
	for (uint32_t k = 0; k < x->jobs; k++)
		if (t->j->load[x->first + k].job == t->job)
			return t->j->load[x->first + k].routes;
	return t->job == NO_ID;
}

static int jobs_command_most_first(const void *first, const void *second)
{
	const struct job_link *a = first, *b = second;

	if (a->routes != b->routes)
		return a->routes > b->routes ? -1 : 1;
	return COMPARED(a->first, b->first);
}

static void jobs_command_tell_link(const struct jobs_command_told *t, const struct job_link *x, bool show,
				   json_t *list)
{
	const struct fabric *f = t->w->fabric;
	const struct job_load *l = &t->j->load[x->first];
	uint32_t peer = t->w->topo->peer[l->port], own = own_part(t, x);
	json_t *of, *jobs;

	if (show && t->job != NO_ID)
		out_text(t->o, ROW_BEGIN "%8u %9u  ", own, (uint32_t)x->routes - own);
	else if (show)
		out_text(t->o, ROW_BEGIN "%8" PRIu64 "  ", x->routes);
	if (show)
		out_text(t->o, ROW_CUT("%s") " -> " ROW_CUT("%s"), PORT_LABEL(f, l->port),
			 PORT_LABEL(f, peer));
	for (uint32_t k = 0; show && k < x->jobs && (k < JOBS_TOLD || t->all); k++)
		out_text(t->o, k ? ", %s %u" : ": " ROW_PROSE "%s %u", t->list->job[l[k].job].name,
			 l[k].routes);
	if (show)
		out_text(t->o, x->jobs > JOBS_TOLD && !t->all ? ", ...\n" : "\n");
	if (!t->o->object)
		return;
	of = json_make("{s:I}", "routes", (json_int_t)x->routes);
	json_put_port(of, "from", f, t->w->lids, l->port);
	json_put_port(of, "to", f, t->w->lids, peer);
	jobs = json_array();
	for (uint32_t k = 0; k < x->jobs; k++)
		json_array_append_new(jobs, json_make("{s:s, s:i}", "job", t->list->job[l[k].job].name,
						      "routes", (int)l[k].routes));
	json_object_set_new(of, "jobs", jobs);
	json_array_append_new(list, of);
}

/* Links of two jobs or more; of one job all that it uses. */
static void jobs_command_tell_links(const struct jobs_command_told *t)
{
	const struct job_loads *j = t->j;
	struct job_link *link = NEW_ARRAY(j->n_links + 1, struct job_link);
	json_t *list = json_array();
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->n_links; i++)
		if (own_part(t, &j->link[i]) && (t->job != NO_ID || j->link[i].jobs > 1))
			link[n++] = j->link[i];
	qsort(link, n, sizeof(*link), jobs_command_most_first);
	if (t->job == NO_ID)
		out_text(t->o, "%s of two jobs or more, of %u that carry any%s\n", PLURAL(n, "directed link"),
			 j->n_links, n ? ":" : ".");
	else
		out_text(t->o, "%s of job %s%s\n", PLURAL(n, "directed link"), t->list->job[t->job].name,
			 n ? ":" : ".");
	if (n && t->job == NO_ID)
		out_text(t->o, "%8s\n", "routes");
	else if (n)
		out_text(t->o, "%8s %9s\n", "own", "strangers");
	for (uint32_t i = 0; i < n && (i < SHOWN || t->all || t->o->object); i++)
		jobs_command_tell_link(t, &link[i], i < SHOWN || t->all, list);
	if (n > SHOWN && !t->all)
		out_text(t->o, "  ... %s; `jobs ... all` prints them\n", PLURAL(n - SHOWN, "more link"));
	out_fields(t->o, json_make("{s:i, s:i, s:o}", "links_used", (int)j->n_links, "links_shared", (int)n,
				   "links", list));
	free(link);
}

/* --- the command ---------------------------------------------------------------------------------- */

static int cmd_jobs(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args_word(args, "FILE", ""), *job = args_word(args, "JOB", NULL);
	int kind = args_which(args, gpu_pattern_word, GPU_PATTERNS);
	bool direct = args_has(args, "direct");
	struct jobs_command_told t = {
		.w = session_sweep(s), .job = NO_ID, .all = args->n > 1 && args_end(args, "all"), .o = o};
	struct job_list list = {0};
	const struct routing *r = NULL;
	struct job_loads *j = NULL;
	int rc = hosts_file_each(path, o->run->progress, &list, e);

	kind = kind < 0 ? GPUS_ALLTOALL : kind;
	for (size_t i = 0; !rc && job && i < list.n; i++)
		if (!strcmp(list.job[i].name, job))
			t.job = (uint32_t)i;
	for (size_t i = 0, first = t.job; !rc && job && first == NO_ID && i < list.n; i++)
		if (!strcmp(list.job[i].title, job)) {
			if (t.job != NO_ID)
				rc = err_set_kind(e, ERR_AMBIGUOUS,
						  "%s: jobs %s and %s are named \"%s\"; give a number", path,
						  list.job[t.job].name, list.job[i].name, job);
			t.job = (uint32_t)i;
		}
	if (!rc && job && t.job == NO_ID)
		rc = err_set(e, "%s: found no job \"%s\", expected one of %s (first: %s)", path, job,
			     PLURAL(list.n, "job"), list.job[0].name);
	if (!rc) {
		t.list = &list;
		t.gpus = NEW_ARRAY(list.n + 1, struct gpus *);
		t.missing = NEW_ARRAY(list.n + 1, uint32_t);
		r = routing_in_scope(s, NULL);
		rc = find_gpus(&t, r, path, e);
	}
	if (!rc)
		j = job_loads_new(r, t.gpus, (uint32_t)list.n, (enum gpu_pattern)kind, direct,
				  o->run->progress, e);
	if (j) {
		t.j = j;
		out_text(o, "%s, %s %s.\n", PLURAL(list.n, "job"), gpu_pattern_word[kind],
			 direct ? "direct" : "by rail");
		out_fields(o,
			   json_make("{s:s, s:b}", "pattern", gpu_pattern_word[kind], "direct", (int)direct));
		tell_jobs(&t);
		jobs_command_tell_links(&t);
	}
	rc = j ? 0 : -1;
	job_loads_free(j);
	for (size_t i = 0; t.gpus && i < list.n; i++)
		gpus_free(t.gpus[i]);
	free(t.gpus);
	free(t.missing);
	routing_unref(r);
	job_list_free(&list);
	return rc;
}

const struct command job_commands[] = {
	{.name = "jobs",
	 .group = JUDGE,
	 .syntax = "jobs FILE [of JOB] [ring|tree|alltoall] [direct] [all]",
	 .help = "find the links on which the jobs of a file meet, and what strangers put on a job's links",
	 .details = "  FILE is what squeue or `scontrol show job` prints, or lines `NAME HOSTS...` (names or "
		    "lists, # a "
		    "comment).  Each\n"
		    "  job's GPUs, one a host port, send among themselves (patterns of `load-map`; "
		    "alltoall); jobs do not "
		    "send to each\n"
		    "  other.  A scope does not count here.\n"
		    "  links        directed links between switches that carry the job's routes; shared: "
		    "those that carry "
		    "another's, too\n"
		    "  most         most of its own routes on a link\n"
		    "  strangers    most routes that all others put on one of its links\n"
		    "  Then the links of two jobs or more, busiest first, with the routes of each.  of JOB: "
		    "all links of "
		    "that job.\n",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_ABSENT
	 "pattern string(ring/tree/alltoall) what the GPUs of a job do\n"
	 "direct boolean each GPU sends by its own port\n"
	 "jobs[] object the jobs, those whom strangers hinder most first\n"
	 "jobs[].job string its number or name\n"
	 "jobs[].hosts integer hosts that are up and have a LID\n"
	 "jobs[].missing integer hosts that are not in the fabric\n"
	 "jobs[].gpus integer GPUs, one a host port\n"
	 "jobs[].flows integer flows of the pattern\n"
	 "jobs[].arrive integer of these: with a path\n"
	 "jobs[].links integer directed links between switches with routes of the job\n"
	 "jobs[].shared integer of these: with routes of another\n"
	 "jobs[].most integer most routes of the job on one\n"
	 "jobs[].strangers integer most routes of others on one of its links\n"
	 "jobs[].all integer most of all together on one of its links\n"
	 "links_used integer directed links between switches with routes of any job\n"
	 "links_shared integer links that are told: of two jobs or more, or of the job asked for\n"
	 "links[] object these links, most routes first\n"
	 "links[].from port port that sends\n"
	 "links[].to port port at the other end\n"
	 "links[].routes integer routes of all jobs\n"
	 "links[].jobs[] object who puts them there\n"
	 "links[].jobs[].job string the job\n"
	 "links[].jobs[].routes integer its routes\n",
	 .run = cmd_jobs},
	{.name = NULL},
};
