/* Commands about jobs: several at once, the order of a ring, and the scope of one. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/flows.h"
#include "core/analysis/traffic/gpus.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/patterns.h"

/* `jobs`: several jobs at once, and the links on which they meet. */

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
	AUTO_FREE uint32_t *ep = NEW_ARRAY(f->n_endports + 1, uint32_t);
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
		assert(n <= f->n_endports);
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
	AUTO_FREE uint32_t *order = NEW_ARRAY(j->n_jobs + 1, uint32_t);
	json_t *list = json_array();

	assert(j->n_jobs == t->list->n);
	for (uint32_t i = 0; i < j->n_jobs; i++)
		order[i] = i;
	qsort_r(order, j->n_jobs, sizeof(*order), busiest_first, j->sum);
	out_text(t->o, ROW_BEGIN "%6s %6s %10s %6s %7s %6s %10s  job\n", "hosts", "GPUs", "flows", "links",
		 "shared", "most", "strangers");
	for (uint32_t i = 0; i < j->n_jobs; i++) {
		const struct job_sum *s = &j->sum[order[i]];
		const struct gpus *g = t->gpus[order[i]];
		const char *name = t->list->job[order[i]].name;

		if (i < SHOWN || t->all)
			out_text(t->o,
				 ROW_BEGIN "%6u %6u %10" PRIu64 " %6u %7u %6u %10u  " ROW_CUT("%s") "\n",
				 g->n_hosts, g->n, s->flows, s->links, s->shared, s->max, s->strangers, name);
		if (!t->o->object)
			continue;
		json_t *x =
			json_make("{s:s, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i}", "job", name,
				  "hosts", (int)g->n_hosts, "missing", (int)t->missing[order[i]], "gpus",
				  (int)g->n, "flows", (json_int_t)s->flows, "arrive", (json_int_t)s->routes,
				  "links", (int)s->links, "shared", (int)s->shared, "most", (int)s->max,
				  "strangers", (int)s->strangers, "all", (int)s->both);
		json_array_append_new(list, x);
	}
	if (j->n_jobs > SHOWN && !t->all)
		out_text(t->o, "  ... %s; `jobs ... all` prints them\n",
			 PLURAL(j->n_jobs - SHOWN, "more job"));
	out_json(t->o, "jobs", list);
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
	json_t *of = json_make("{s:I}", "routes", (json_int_t)x->routes);
	json_put_port(of, "from", f, t->w->lids, l->port);
	json_put_port(of, "to", f, t->w->lids, peer);
	json_t *jobs = json_array();
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
	AUTO_FREE struct job_link *link = NEW_ARRAY(j->n_links + 1, struct job_link);
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
	AUTO_ROUTING const struct routing *r = NULL;
	struct job_loads *j = NULL;
	int rc = hosts_file_each(path, o->run->progress, &list, e);

	assert(session_routing(s));
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

/* `ring-order`: in which order should the hosts of a ring stand? */

#define RING_SHOWN 10 /* links, and flows of each */

static json_t *cost_json(const struct ring_cost *c)
{
	return json_make("{s:i, s:i, s:I, s:i}", "most", (int)c->max, "links", (int)c->links, "meet",
			 (json_int_t)c->meet, "lost", (int)c->lost);
}

static void tell_cost(const char *what, const struct ring_cost *c, struct out *o)
{
	if (c->max > 1)
		out_text(o, "%s: most flows on a link %u, on %s; %s of flows meet", what, c->max,
			 PLURAL(c->links, "directed link"), PLURAL(c->meet, "pair"));
	else
		out_text(o, "%s: no two flows on a link", what);
	if (c->lost)
		out_text(o, "; %s without a way: see check", PLURAL(c->lost, "flow"));
	out_text(o, ".\n");
}

struct ring_command_hot {
	uint32_t port, flows;
};

COMPARATOR(most_first, struct ring_command_hot, DOWN(flows) UP(port))

/* Links with two flows or more, and who meets there. */
static int tell_collisions(const struct sweep *w, const struct ring_order *x, const struct pattern *p,
			   bool all, struct out *o, struct err *e)
{
	const struct fabric *f = w->fabric;
	AUTO_FREE struct ring_command_hot *hot = NEW_ARRAY(f->n_ports + 1, struct ring_command_hot);
	json_t *list = json_array();
	uint32_t n = 0;

	for (uint32_t port = 0; port < f->n_ports; port++)
		if (x->flows[port] > 1)
			hot[n++] = (struct ring_command_hot){port, x->flows[port]};
	qsort(hot, n, sizeof(*hot), most_first);
	uint32_t shown = n < RING_SHOWN || all ? n : RING_SHOWN;
	for (uint32_t i = 0; i < shown; i++) {
		uint32_t peer = w->topo->peer[hot[i].port];
		struct flow_list *l = flows_over(w->routing, p, hot[i].port, o->run->progress, e);
		json_t *obj = json_make("{s:i}", "flows", (int)hot[i].flows), *pairs = json_array();

		if (!l) {
			json_decref(obj);
			json_decref(pairs);
			json_decref(list);
			return -1;
		}
		out_text(o, ROW_BEGIN "%8u  " ROW_CUT("%s") " -> " ROW_CUT("%s"), hot[i].flows,
			 PORT_LABEL(f, hot[i].port), PORT_LABEL(f, peer));
		for (size_t k = 0; k < l->n; k++) {
			json_t *pair = json_object();

			if (k < RING_SHOWN || all)
				out_text(o, k ? ", %s to %s" : ": " ROW_PROSE "%s to %s",
					 ENDPORT_LABEL(f, l->flow[k].src), ENDPORT_LABEL(f, l->flow[k].dst));
			json_put_endport(pair, "src", f, w->lids, l->flow[k].src);
			json_put_endport(pair, "dst", f, w->lids, l->flow[k].dst);
			json_array_append_new(pairs, pair);
		}
		out_text(o, l->n > RING_SHOWN && !all ? ", ...\n" : "\n");
		json_put_port(obj, "from", f, w->lids, hot[i].port);
		json_put_port(obj, "to", f, w->lids, peer);
		json_object_set_new(obj, "pairs", pairs);
		json_array_append_new(list, obj);
		flow_list_free(l);
	}
	if (n > shown)
		out_text(o, "  ... %s; `ring-order ... all` prints them\n", PLURAL(n - shown, "more link"));
	out_json(o, "collisions", list);
	return 0;
}

static void ring_command_tell_order(const struct sweep *w, const struct gpus *g, const struct ring_order *x,
				    struct out *o)
{
	const struct fabric *f = w->fabric;
	json_t *list = json_array();
	char name[300], other[300];

	if (x->swap[0] != NO_ID) {
		gpus_host_name(g, f, x->swap[0], name, sizeof(name));
		gpus_host_name(g, f, x->swap[1], other, sizeof(other));
		out_text(o, "The swap of two hosts that helps most: %s and %s.\n", name, other);
		tell_cost("Then", &x->swapped, o);
		out_json(o, "swap",
			 json_make("{s:s, s:s, s:o}", "host", name, "with", other, "then",
				   cost_json(&x->swapped)));
	} else if (x->now.max > 1) {
		out_text(o, "No swap of two hosts helps.\n");
	}
	if (ring_cost_order(&x->best, &x->now) < 0) {
		tell_cost(x->proved ? "The best order" : "The best order found", &x->best, o);
		out_text(o, " ");
		for (uint32_t i = 0; i < g->n_hosts; i++)
			out_text(o, " %s", gpus_host_name(g, f, x->best_order[i], name, sizeof(name)));
		out_text(o, "\n");
	} else {
		out_text(o, x->proved ? "No order is better.\n" : "No better order was found.\n");
	}
	for (uint32_t i = 0; i < g->n_hosts; i++)
		json_array_append_new(list,
				      json_text(gpus_host_name(g, f, x->best_order[i], name, sizeof(name))));
	out_fields(o, json_make("{s:o, s:b, s:o}", "best", cost_json(&x->best), "proved", (int)x->proved,
				"order", list));
}

static int cmd_ring_order(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	assert(session_routing(s));
	const struct sweep *w = session_sweep(s);
	bool direct = args_has(args, "direct");
	struct gpus *g = session_gpus(s, w->routing, args, o, e);
	struct pattern p = {0};
	struct ring_order *x = NULL;
	int rc = g ? pattern_gpus(w->routing, g, GPUS_RING, direct, &p, o->run->progress, e) : -1;

	if (!rc)
		x = ring_order_new(w->routing, g, direct, o->run->progress, e);
	rc = x ? 0 : -1;
	if (x) {
		report_scope(s, o);
		tell_gpus(g, o);
		tell_cost("As they stand", &x->now, o);
		out_json(o, "now", cost_json(&x->now));
		rc = tell_collisions(w, x, &p, args->n && args_end(args, "all"), o, e);
	}
	if (!rc)
		ring_command_tell_order(w, g, x, o);
	ring_order_free(x);
	pattern_free(&p);
	gpus_free(g);
	return rc;
}

#define COST_KEYS(k, optional, what)                                                           \
	k " object" optional " " what "\n" k ".most integer most flows on a directed link\n" k \
	  ".links integer links with so many\n" k                                              \
	  ".meet integer pairs of flows on the same link, summed over links\n" k               \
	  ".lost integer flows without a path\n"

const struct command ring_commands[] = {
	{.name = "ring-order",
	 .group = JUDGE,
	 .syntax = "ring-order [direct] [H...] [all]",
	 .help = "find flows of a ring of GPUs that meet, the swap of hosts that mends it, and the best "
		 "order",
	 .details = "  The ring is that of `load-map ring`: hosts by name, or H... as named.  Links are "
		    "those between switches, in one\n"
		    "  direction.  Better is: fewer flows without a way, fewer flows on the fullest link, "
		    "fewer such links, fewer pairs\n"
		    "  of flows that meet.  Of 8 hosts and fewer, all orders are tried.  Of more: hosts "
		    "switch by switch, then swap\n"
		    "  by swap while one helps, also from the order as it is.  The order goes behind "
		    "`load-map ring`, or line by line\n"
		    "  into a host file.\n",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE JSON_ABSENT JSON_GPUS COST_KEYS(
		 "now", "",
		 "as the hosts stand") "collisions[] object links with two flows or more: the first, or all\n"
				       "collisions[].from port port that sends\n"
				       "collisions[].to port port at the other end\n"
				       "collisions[].flows integer flows on it\n"
				       "collisions[].pairs[] object these flows\n"
				       "collisions[].pairs[].src endport who sends\n"
				       "collisions[].pairs[].dst endport to whom\n"
				       "swap object? the swap of two hosts that helps most; none: no swap "
				       "helps\n"
				       "swap.host string one host\n"
				       "swap.with string the other\n" COST_KEYS("swap.then", "",
										"the ring then")
					       COST_KEYS("best", "",
							 "the best order found") "proved boolean no order is "
										 "better\n"
										 "order[] string hosts in "
										 "that order\n",
	 .run = cmd_ring_order},
	{.name = NULL},
};

/* `scope`: only the hosts of one job count. */

/* Mark endports of the nodes or ports that a word means, or remove the marks. */
static int mark_word(const struct session *s, const char *word, bool exact, uint8_t mark, uint8_t *wanted,
		     struct out *o, struct err *e)
{
	const struct fabric *f = s->fabric;
	struct id_list l = {0};
	bool ports = false;
	int rc = session_nodes(s, word, NAMES_HOSTS, exact, o->run->progress, &l, e);

	if (rc && *word && word[strlen(word) - 1] == ']') {
		rc = session_ports(s, word, o->run->progress, &l, NULL);
		ports = !rc;
	}
	for (uint32_t i = 0; !rc && i < l.n; i++) {
		uint32_t node = ports ? f->port_node[l.id[i]] : l.id[i];

		if (node_is_switch(f, node))
			rc = err_set(e, "%s is a switch, expected hosts", f->node_name[node]);
		for (unsigned p = 1; !rc && p <= f->node_nports[node]; p++) {
			uint32_t port = f->node_port[node] + p, ep = f->port_endport[port];

			if (ep != NO_ID && (!ports || port == l.id[i]))
				wanted[ep] = mark;
		}
	}
	if (!rc)
		report_absent(&l, word, o);
	id_list_free(&l);
	return rc;
}

/* The same for the words of a list that the fabric has, by whole names.  The others are reported. */
static int mark_known(const struct session *s, const char *word, uint8_t mark, uint8_t *wanted, struct out *o,
		      struct err *e)
{
	struct hostlist names;
	struct id_list l = {0}; /* for those that are absent */
	int rc = mark_word(s, word, true, mark, wanted, o, e);

	if (!rc || err_kind(e) != ERR_NO_NODE || hostlist_read(word, &names, NULL))
		return rc;
	rc = 0;
	for (size_t i = 0; i < names.n && !rc; i++) {
		rc = mark_word(s, names.name[i], true, mark, wanted, o, e);
		if (rc && err_kind(e) == ERR_NO_NODE) {
			GROW(l.absent.name, l.absent.n, l.absent.cap);
			l.absent.name[l.absent.n++] = str_dup(names.name[i]);
			rc = 0;
		}
	}
	if (!rc)
		report_absent(&l, word, o);
	id_list_free(&l);
	hostlist_free(&names);
	return rc;
}

struct scope *scope_read(const struct session *s, const struct arg *arg, int n, bool known, struct out *o,
			 struct err *e)
{
	const struct fabric *f = s->fabric;
	AUTO_FREE uint8_t *wanted = NEW_ARRAY(f->n_endports + 1, uint8_t);
	AUTO_TEXT struct text words = {0};
	struct scope *scope = NULL;
	int rc = 0;

	for (uint32_t ep = 0; *arg->word == '-' && ep < f->n_endports; ep++)
		wanted[ep] = !endport_is_switch(f, ep);
	for (int i = 0; !rc && i < n; i++) {
		const char *word = arg[i].word;
		bool leave_out = word[0] == '-' && word[1];

		word_append(&words, word);
		rc = known ? mark_known(s, word + leave_out, !leave_out, wanted, o, e)
			   : mark_word(s, word + leave_out, false, !leave_out, wanted, o, e);
	}
	if (known)
		text_add(&words, " known");
	if (!rc)
		scope = scope_new(f, text_str(&words), wanted);
	if (scope && !scope->n) {
		err_set(e, "scope: no host is left");
		scope_unref(scope);
		scope = NULL;
	}
	return scope;
}

static int cmd_scope(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const uint8_t none = 0;
	bool all = args_has(args, "all") || args_has(args, "off"), known = args_has(args, "known");
	struct fabric nothing = {0};

	if (!args->n) {
		report_scope(s, o);
		if (!session_scope(s))
			out_text(o, "No scope: all hosts count.\n");
		return 0;
	}
	if (all && !session_scope(s)) {
		out_text(o, "All hosts count already.\n");
		return 0;
	}
	struct scope *scope =
		all ? scope_new(&nothing, "", &none) : scope_read(s, args->arg, args->n - known, known, o, e);
	if (!scope)
		return -1;
	AUTO_FREE char *text = str_printf("scope %s", all ? "all" : scope->words);
	int rc = session_recount(s, scope, NULL, text, o->run->progress, e);
	scope_unref(scope);
	if (rc)
		return rc;
	report_scope(s, o);
	if (all)
		out_text(o, "All hosts count again.\n");
	return 0;
}

const struct command scope_commands[] = {
	{.name = "scope",
	 .group = LOOK,
	 .syntax = "scope [all | off | H... [known]]",
	 .help = "count one job's hosts only: names, globs, lists, @FILE; `-` before a word leaves out",
	 .details = "  check, load-map, shifts, survey, compare, diff and the summary after each event then "
		    "count only pairs of these\n"
		    "  hosts: scope luna-[0160-0175], scope luna-* -luna-0163, scope -*login*.  The tables "
		    "stay as they are.\n"
		    "  @FILE: all hosts of a file: output of squeue, `scontrol show hostnames` or `scontrol "
		    "show job`, or lists.\n"
		    "  @FILE:JOB: the hosts of one job, by number (`591970_3`) or name.\n"
		    "  The scope stays after failures and after `load` or `live`, if the new fabric has its "
		    "ports (by GUID); all or off\n"
		    "  ends it.  scope alone prints it.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SCOPE JSON_ABSENT,
	 .run = cmd_scope},
	{.name = NULL},
};
