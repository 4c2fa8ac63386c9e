/* `outage`: who is cut until the next sweep, and at which entries. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/analysis/compare/outage.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"
#include "core/session/commands/commands.h"
#include "core/session/patterns.h"

#define SHOWN 20 /* rows of each list, in text */

void report_outage(const struct outage *x, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	outage_tell(x, &t);
	out_text(o, "%s\n", text_str(&t));
	out_json(o, "pairs_until_sweep", json_integer((json_int_t)x->cut));
	out_json(o, "pairs_after",
		 x->after == OUTAGE_NO_AFTER ? json_null() : json_integer((json_int_t)x->after));
	out_json(o, "hosts", json_integer((json_int_t)x->n_hosts));
}

static void outage_command_more(uint64_t n, struct out *o)
{
	if (n > SHOWN)
		out_text(o, "  ... and %" PRIu64 " more\n", n - SHOWN);
}

static void report_ports(const struct outage *x, struct out *o)
{
	const struct fabric *f = x->left->fabric;
	json_t *list = json_array();
	char label[300];

	if (x->n_ports)
		out_text(o, "%8s  " ROW_COLUMN("%-24s") "  LIDs\n", "pairs", "lost at");
	for (uint32_t i = 0; i < x->n_ports; i++) {
		const struct outage_port *p = &x->port[i];
		json_t *row = json_object(), *lids = json_array();
		AUTO_TEXT struct text t = {0};

		if (i < SHOWN) {
			outage_lids(x, p, &t);
			out_text(o, "%8" PRIu64 "  " ROW_COLUMN("%-24s") "  " ROW_PROSE "%s\n", p->pairs,
				 port_label(f, p->port, label, sizeof(label)), text_str(&t));
		}
		json_put_port(row, "switch", f, x->before->lids, p->port);
		fields_json(row, outage_port_fields, p);
		for (uint32_t k = 0; k < p->lids; k++)
			json_array_append_new(lids, json_integer(x->entry[p->first + k].lid));
		json_object_set_new(row, "lids", lids);
		json_array_append_new(list, row);
	}
	outage_command_more(x->n_ports, o);
	out_json(o, "through", list);
}

static void report_hosts(const struct outage *x, struct out *o)
{
	const struct fabric *f = x->left->fabric;
	json_t *list = json_array();

	if (x->n_hosts)
		out_text(o, "%8s %8s %8s  host\n", "pairs", "from it", "to it");
	for (uint32_t i = 0; i < x->n_hosts; i++) {
		const struct outage_host *h = &x->host[i];
		json_t *row = json_object();

		if (i < SHOWN)
			out_text(o, "%8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  " ROW_CUT("%s") "%s\n", h->pairs,
				 h->sends, h->receives, ENDPORT_LABEL(f, h->endport),
				 h->down ? " (down)" : "");
		json_put_endport(row, "host", f, x->before->lids, h->endport);
		fields_json(row, outage_host_fields, h);
		json_array_append_new(list, row);
	}
	outage_command_more(x->n_hosts, o);
	out_json(o, "seen_by", list);
}

static void report_peers(const struct outage *x, struct out *o)
{
	const struct fabric *f = x->left->fabric;
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->n_peers; i++) {
		const struct outage_peers *p = &x->peers[i];
		json_t *row = json_object();

		if (i < SHOWN)
			out_text(o, "All %" PRIu32 " paths from %s to %s pass what failed.\n", p->paths,
				 f->node_name[p->from], f->node_name[p->to]);
		json_put_node(row, "from", f, x->before->lids, p->from);
		json_put_node(row, "to", f, x->before->lids, p->to);
		fields_json(row, outage_peers_fields, p);
		json_array_append_new(list, row);
	}
	outage_command_more(x->all_peers, o);
	out_json(o, "all_paths", list);
}

/* --- by job ----------------------------------------------------------------------------------------------
 */

/* The outage among the hosts of one job.  NULL: it has none here, or *e. */
static struct outage *of_job(const struct session *s, const struct outage *x, const struct job_hosts *of,
			     uint32_t *n_hosts, struct progress *p, struct err *e)
{
	const struct fabric *f = s->fabric, *was = x->before->topo->fabric;
	AUTO_FREE uint8_t *wanted = NEW_ARRAY(f->n_endports + 1, uint8_t);
	struct id_list nodes = {0};
	struct outage *y = NULL;

	if (!job_nodes(f, of, p, &nodes, e) && nodes.n) {
		for (uint32_t i = 0; i < nodes.n; i++)
			for (unsigned k = 1; k <= f->node_nports[nodes.id[i]]; k++) {
				uint32_t ep = f->port_endport[f->node_port[nodes.id[i]] + k];

				if (ep != NO_ID)
					wanted[ep] = 1;
			}
		struct scope *job = scope_new(f, of->name, wanted);
		struct host_set *hosts = host_set_new(was, setup_counts_aggregation(s->setup), job);
		*n_hosts = hosts->n;
		AUTO_ROUTING struct routing *r = routing_with_hosts(x->before, hosts);
		y = outage_new(r, x->down, x->repair, p, e);
		host_set_unref(hosts);
		scope_unref(job);
	}
	id_list_free(&nodes);
	return y;
}

COMPARATOR(most_cut, struct outage_job, DOWN(pairs) DOWN(hosts) TEXT(name))

static void list_jobs(const struct outage_job *job, uint32_t n, uint32_t absent, struct out *o)
{
	json_t *list = json_array();
	uint32_t cut = 0;

	while (cut < n && job[cut].pairs)
		cut++;
	assert(!n || cut == n || !job[n - 1].pairs);
	out_text(o, "%s of %u lose%s pairs of their own.\n", PLURAL(cut, "job"), n, cut == 1 ? "s" : "");
	if (cut)
		out_text(o, "%8s %8s %8s  job\n", "pairs", "seen by", "hosts");
	for (uint32_t i = 0; i < n; i++) {
		json_t *row = json_object();

		if (i < SHOWN && i < cut)
			out_text(o, "%8" PRIu64 " %8u %8u  %s\n", job[i].pairs, job[i].seen, job[i].hosts,
				 job[i].name);
		fields_json(row, outage_job_fields, &job[i]);
		json_array_append_new(list, row);
	}
	outage_command_more(cut, o);
	if (absent)
		out_text(o, "%s more %s no host in the fabric.\n", PLURAL(absent, "job"),
			 absent == 1 ? "has" : "have");
	out_json(o, "jobs", list);
}

int outage_jobs(const struct session *s, const struct outage *x, const char *path, struct outage_job_list *l,
		struct progress *p, struct err *e)
{
	struct job_list of;
	int rc = hosts_file_each(path, p, &of, e);

	*l = (struct outage_job_list){.n = 0};
	if (rc)
		return -1;
	l->job = NEW_ARRAY(of.n + 1, struct outage_job);
	for (size_t i = 0; !rc && i < of.n; i++) {
		struct outage_job *job = &l->job[l->n];
		AUTO_ARENA struct outage *y = of_job(s, x, &of.job[i], &job->hosts, p, e);

		if (y) {
			*job = (struct outage_job){str_dup(of.job[i].name), job->hosts, y->n_hosts, y->cut,
						   y->end_down};
			l->n++;
		} else if (job->hosts || progress_cancelled(p)) {
			rc = -1;
		} else {
			l->absent++;
		}
	}
	qsort(l->job, l->n, sizeof(*l->job), most_cut);
	job_list_free(&of);
	if (rc)
		outage_jobs_free(l);
	return rc;
}

void outage_jobs_free(struct outage_job_list *l)
{
	while (l->n)
		free(l->job[--l->n].name);
	free(l->job);
	l->job = NULL;
}

static int report_jobs(const struct session *s, const struct outage *x, const char *path, struct out *o,
		       struct err *e)
{
	struct outage_job_list l;

	if (outage_jobs(s, x, path, &l, o->run->progress, e))
		return -1;
	list_jobs(l.job, l.n, l.absent, o);
	outage_jobs_free(&l);
	return 0;
}

/* --- the command -----------------------------------------------------------------------------------------
 */

uint64_t outage_after(const struct event *ev)
{
	return ev->change ? ev->change->lost : OUTAGE_NO_AFTER;
}

const struct setup *outage_words(struct session *s, int n, char **word, struct out *o, struct err *e)
{
	AUTO_FREE char **argv = NEW_ARRAY((size_t)n + 2, char *);
	char name[] = "outage";
	const struct setup *ahead = NULL;
	struct state *state = NULL;
	struct args args = {.argc = n + 1, .argv = argv};

	argv[0] = name;
	memcpy(argv + 1, word, (size_t)n * sizeof(*argv));
	int rc = session_need_fabric(s, e) ? -1 : args_read(s, "outage " OUTAGE_SYNTAX(""), NULL, &args, e);
	if (rc > 0)
		err_word(e, "found %d words, expected %s", n, OUTAGE_SYNTAX(""));
	if (!rc) {
		state = state_copy(session_state(s));
		if (!fail_words(s, &args, state, o, e))
			ahead = setup_with(s->setup, &(struct setup){.state = state});
		state_free(state);
	}
	args_free(&args);
	return ahead;
}

static struct outage *last_event(const struct session *s, struct progress *p, struct err *e)
{
	const struct event *ev = session_event(s), *before = session_event_before(s, s->at);
	struct outage *x = NULL;

	if (!ev || !ev->sweep)
		need_routing(s, e);
	else if (!before || !before->sweep || !before->sweep->routing)
		err_set(e, OUTAGE_NONE);
	else
		x = outage_between(before->sweep, ev->sweep, p, e);
	if (x)
		x->after = outage_after(ev);
	return x;
}

static struct outage *if_it_fails(struct session *s, int n, char **word, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	AUTO_SETUP const struct setup *ahead = w ? outage_words(s, n, word, o, e) : NULL;
	return ahead ? outage_ahead(w, ahead, s->engines, o->run->progress, e) : NULL;
}

static int cmd_outage(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *jobs = args_word(args, "FILE", NULL);
	int skip = jobs ? 3 : 1, n = args->argc - skip; /* the name, "jobs FILE" */
	int rc = 0;

	if (session_need_fabric(s, e))
		return -1;
	AUTO_ARENA struct outage *x =
		n ? if_it_fails(s, n, args->argv + skip, o, e) : last_event(s, o->run->progress, e);
	if (!x)
		return -1;
	report_scope(s, o);
	if (!n) { /* who counts may have changed since */
		size_t at = s->at;

		while (at && s->event[at].kind == EVENT_SCOPE)
			at--;
		out_text(o, "%s: ", s->event[at].text);
	}
	report_outage(x, o);
	out_json(o, "end_down", json_integer((json_int_t)x->end_down));
	out_json(o, "repaired", json_integer((json_int_t)(x->hit - x->cut)));
	out_json(o, "looping", json_integer((json_int_t)x->looping));
	if (x->adaptive)
		out_json(o, "spread", json_integer((json_int_t)x->spread));
	if (jobs)
		rc = report_jobs(s, x, jobs, o, e);
	report_ports(x, o);
	report_hosts(x, o);
	report_peers(x, o);
	return rc;
}

const struct command outage_commands[] = {
	{.name = "outage",
	 .group = JUDGE,
	 .syntax = "outage [jobs FILE] | " OUTAGE_SYNTAX("[jobs FILE] "),
	 .help = "list the pairs that the last event, or a failure, cuts until the next sweep, and where",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SCOPE JSON_ABSENT JSON_OUTAGE(
		 "") "end_down integer of pairs_until_sweep: an end is down\n"
		     "repaired integer pairs that go on by another port of the group (local_repair)\n"
		     "looping integer of pairs_until_sweep: in a loop behind such a repair\n"
		     "spread integer? with adaptive-routing groups: pairs that can lose a packet that may be "
		     "spread\n"
		     "jobs[] object? of `jobs FILE`: each job with hosts here, most pairs first\n"
		     "@jobs[].\n"
		     "through[] object where packets are lost, most pairs first\n"
		     "@through[].\n"
		     "seen_by[] object host ports with such pairs, most first\n"
		     "@seen_by[].\n"
		     "all_paths[] object hosts of which one has several ports, 10000 pairs at most\n"
		     "@all_paths[].\n",
	 .rows = {outage_job_fields, outage_port_fields, outage_host_fields, outage_peers_fields},
	 .run = cmd_outage},
	{.name = NULL},
};
