/* `export prometheus`: figures for a monitor. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/doctor/doctor.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/clean.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/session/commands/commands.h"
#include "core/session/counted.h"

/* Prometheus' text form, version 0.0.4: HELP and TYPE once, then the samples. */
static void metric(FILE *f, const char *name, const char *help)
{
	fprintf(f, "# HELP ibscope_%s %s\n# TYPE ibscope_%s gauge\n", name, help, name);
}

static void gauge(FILE *f, const char *name, double v, const char *help)
{
	metric(f, name, help);
	fprintf(f, "ibscope_%s %.15g\n", name, v);
}

/* NAME="VALUE" with what the form wants escaped; controls are made clean. */
static void label(FILE *f, char before, const char *name, const char *value)
{
	struct text t = {0};

	clean_line(&t, value);
	fprintf(f, "%c%s=\"", before, name);
	for (const char *c = text_str(&t); *c; c++)
		fprintf(f, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	putc('"', f);
	text_free(&t);
}

static void port_labels(FILE *f, const struct fabric *fab, uint32_t port, char before, const char *name,
			const char *guid, const char *number)
{
	char s[32];

	label(f, before, name, fab->node_name[fab->port_node[port]]);
	snprintf(s, sizeof(s), "0x%016" PRIx64, fab->node_guid[fab->port_node[port]]);
	label(f, ',', guid, s);
	snprintf(s, sizeof(s), "%u", fab->port_num[port]);
	label(f, ',', number, s);
}

struct monitor_command_hot {
	uint32_t port, load;
};

COMPARATOR(by_load, struct monitor_command_hot, DOWN(load) UP(port))

static int link_loads(FILE *f, const struct sweep *w, uint64_t most, struct progress *p, struct err *e)
{
	const struct topo *t = w->topo;
	const struct fabric *fab = w->fabric;
	struct loads *l = loads_new(w->routing, &pattern_all, p);
	struct monitor_command_hot *hot;
	uint32_t n = 0;

	if (!l)
		return err_set(e, CANCELLED);
	gauge(f, "link_load_max_routes", l->max,
	      "Most routes between hosts on one link between switches, in one direction.");
	gauge(f, "link_load_mean_routes", l->mean, "Mean routes between hosts on links between switches.");
	hot = NEW_ARRAY((size_t)l->n_links + 1, struct monitor_command_hot);
	for (uint32_t s = 0; s < fab->n_switches; s++)
		FOR_PORTS(fab, s, id)
			if (t->peer_switch[id] != NO_ID)
				hot[n++] = (struct monitor_command_hot){id, l->port[id]};
	qsort(hot, n, sizeof(*hot), by_load);
	if (n && most)
		metric(f, "link_load_routes",
		       "Routes between hosts that leave through the port; the highest.");
	for (uint32_t i = 0; i < n && i < most; i++) {
		fprintf(f, "ibscope_link_load_routes");
		port_labels(f, fab, hot[i].port, '{', "node", "guid", "port");
		port_labels(f, fab, t->peer[hot[i].port], ',', "peer", "peer_guid", "peer_port");
		fprintf(f, "} %u\n", hot[i].load);
	}
	free(hot);
	loads_free(l);
	return 0;
}

/* Every kind has a sample, 0 too: so a query need not know what is absent. */
static int findings(FILE *f, const struct session *s, struct progress *p, struct err *e)
{
	struct measured *counted = session_measured(s);
	const struct doctor_request rq = {.setup = s->setup,
					  .engines = s->engines,
					  .now = session_sweep(s),
					  .configured = s->configured,
					  .counted = counted};
	struct diagnosis *d = doctor_run(&rq, p, e);
	const char *kind, *meaning;

	measured_free(counted);
	if (!d)
		return -1;
	metric(f, "findings", "Findings of doctor by kind.");
	for (size_t i = 0; doctor_rule(i, &kind, &meaning); i++) {
		unsigned n = 0;

		for (size_t k = 0; k < d->n; k++)
			n += !strcmp(d->finding[k].kind, kind);
		fprintf(f, "ibscope_findings");
		label(f, '{', "kind", kind);
		fprintf(f, "} %u\n", n);
	}
	metric(f, "findings_by_severity", "Findings of doctor by severity.");
	for (int i = 0; i < SEVERITIES; i++)
		fprintf(f, "ibscope_findings_by_severity{severity=\"%s\"} %u\n", severity_word[i],
			d->count[i]);
	diagnosis_free(d);
	return 0;
}

/* When was the fabric read?  Of a file: its last change.  Synthetic fabrics have no such time. */
static void reading(FILE *f, const struct session *s)
{
	double now = (double)time(NULL), age = session_reading_age(s);
	struct stat st;

	if (age < 0 && strcmp(s->loaded->format, "synthetic") != 0 && !stat(s->loaded->source, &st) &&
	    S_ISREG(st.st_mode))
		age = now - (double)st.st_mtime;
	if (age < 0)
		return;
	gauge(f, "reading_timestamp_seconds", now - (double)(int64_t)age,
	      "When the fabric was read, since 1970; of a file, when it was last changed.");
	gauge(f, "reading_age_seconds", (double)(int64_t)age, "Age of that when this was written.");
}

int write_prometheus(struct session *s, FILE *f, uint64_t most, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *fab = w->fabric;
	struct progress *p = o->run->progress;
	struct judgement j = {.sound = false};
	uint32_t hosts = 0, up = 0;
	struct cdg *c;
	int rc = check_quietly(s, w, &j, o, e);

	text_free(&j.said);
	c = rc ? NULL : cdg_new_loops(w->routing, p, e);
	if (!c)
		return -1;
	for (uint32_t ep = 0; ep < fab->n_endports; ep++) {
		hosts += w->hosts->in[ep];
		up += w->hosts->in[ep] && w->topo->endport_up[ep];
	}
	metric(f, "info", "The fabric and its routing; always 1.");
	fprintf(f, "ibscope_info");
	label(f, '{', "source", fab->source);
	label(f, ',', "engine", w->routing->engine);
	fprintf(f, "} 1\n");
	reading(f, s);
	gauge(f, "complete", !fab->warnings.missing, "1: the whole fabric is known.");
	gauge(f, "sound", j.sound,
	      "1: every host reaches every host, without credit loops, as check judges.");
	gauge(f, "host_ports", hosts, "Host ports that count.");
	gauge(f, "host_ports_up", up, "Of these: reached by the subnet manager.");
	gauge(f, "switches", fab->n_switches, "Switches of the fabric.");
	gauge(f, "switches_up", w->topo->n_switches_up, "Of these: reached by the subnet manager.");
	gauge(f, "links", fab->n_links, "Cables of the fabric.");
	gauge(f, "links_up", w->topo->n_links_up, "Of these: up, between reached ports.");
	gauge(f, "pairs", (double)j.counts.pairs, "Ordered pairs of hosts that are up, one for each LID.");
	gauge(f, "lost_pairs", (double)j.counts.unreachable, "Of these: without a path.");
	gauge(f, "cut_off_ports", j.cut_off, "Ports that are up but not reached by the subnet manager.");
	gauge(f, "longest_path_links", j.counts.max_hops, "Links of the longest path.");
	gauge(f, "credit_loop_groups", c->n_components, "Groups of channels with credit loops.");
	cdg_free(c);
	return findings(f, s, p, e) || link_loads(f, w, most, p, e) ? -1 : 0;
}
