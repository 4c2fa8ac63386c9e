/* `doctor`: all findings about the fabric, the worst first. */
#include <string.h>

#include "core/analysis/compare/faults.h"
#include "core/analysis/doctor/doctor.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/counted.h"

static void tell_finding(const struct diagnosis *d, const struct finding *x, json_t *list, struct out *o)
{
	const struct sweep *w = d->judged;
	json_t *obj;

	out_text(o, "%-7s " ROW_PROSE "%s (%s%s): %s\n", severity_word[x->severity], x->kind,
		 sureness_word[x->sure], x->what_if ? ", what if" : "", x->text);
	/* Lines of the detail, indented. */
	for (const char *line = x->detail; line && *line;) {
		size_t len = strcspn(line, "\n");

		out_text(o, "    " ROW_PROSE "%.*s\n", (int)len, line);
		line += len + (line[len] != 0);
	}
	out_text(o, "    " ROW_PROSE "%s%s%s.\n", x->meaning, x->cure ? "; cure: " : "",
		 x->cure ? x->cure : "");
	out_text(o, "    more: " ROW_PROSE "%s\n", x->more);
	if (!o->object)
		return;
	obj = json_make("{s:s, s:s}", "severity", severity_word[x->severity], "sure", sureness_word[x->sure]);
	fields_json(obj, finding_fields, x);
	json_put_node(obj, "where", w->fabric, w->lids, x->node);
	if (x->port) {
		json_object_set_new(obj, "port", json_integer(x->port));
		json_put_label(obj, "port", w->fabric, w->fabric->node_port[x->node] + x->port);
	}
	json_array_append_new(list, obj);
}

static void doctor_command_report(const struct diagnosis *d, bool not_computed, struct out *o)
{
	json_t *list = json_array();
	struct text t = {0};
	const struct routing *r = d->judged->routing;

	report_judged(d->judged, o);
	if (d->no_engine)
		out_text(o, "%s: as OpenSM without settings.\n",
			 not_computed ? "The engine given is not computed here" : "No engine was given");
	out_json(o, "engine", r ? json_text(r->engine) : json_null());
	out_json(o, "complete", json_boolean(!d->judged->fabric->warnings.missing));
	for (size_t i = 0; i < d->n; i++)
		tell_finding(d, &d->finding[i], list, o);
	diagnosis_tell_counts(d, &t);
	out_text(o, "%s.\n", text_str(&t));
	text_free(&t);
	out_json(o, "findings", list);
	out_json(o, "errors", json_integer(d->count[SEVERITY_ERROR]));
	out_json(o, "warnings", json_integer(d->count[SEVERITY_WARNING]));
	out_json(o, "notes", json_integer(d->count[SEVERITY_NOTE]));
	o->run->found_fault |= d->count[SEVERITY_ERROR] > 0;
	o->run->unanswered |= d->incomplete;
	out_json(o, "tables_complete", json_boolean(!d->incomplete));
}

/* Hosts, switches and cables that an earlier check had, and rates that were higher then. */
static int report_lost(const struct diagnosis *d, const char *path, struct out *o, struct err *e)
{
	struct faults was, lost;
	int rc = faults_read(&was, path, JSON_SCHEMA, o->run->progress, e);

	if (rc)
		return -1;
	rc = faults_vanished(&lost, &was, d->judged, path, e);
	if (!rc) {
		out_text(o, "Compared with %s: %s lost or slower since then.\n", path,
			 PLURAL(lost.n, "part"));
		print_faults(&lost, "lost", FAULT_LINES, o);
		out_json(o, "baseline",
			 json_make("{s:s, s:I, s:o}", "file", path, "lost", (json_int_t)lost.n, "faults",
				   faults_json(&lost)));
		o->run->found_fault |= lost.n > 0;
	}
	faults_free(&lost);
	faults_free(&was);
	return rc;
}

static int cmd_doctor(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *baseline = args_word(args, "FILE", NULL);
	struct doctor_request rq = {
		.setup = s->setup,
		.engines = s->engines,
		.now = session_sweep(s),
		.configured = s->configured,
	};
	struct measured *counted = session_measured(s);
	struct diagnosis *d;
	int rc;

	rq.counted = counted;
	d = doctor_run(&rq, o->run->progress, e);
	measured_free(counted);
	if (!d)
		return -1;
	doctor_command_report(d, s->not_computed, o);
	rc = baseline ? report_lost(d, baseline, o, e) : 0;
	diagnosis_free(d);
	return rc;
}

const struct command doctor_commands[] = {
	{.name = "doctor",
	 .group = JUDGE,
	 .syntax = "doctor [--baseline FILE]",
	 .help = "list every problem found, worst first",
	 .finds = "it finds an error; with --baseline, also when something is lost",
	 .details =
		 "  doctor judges the tables in force; while nothing is routed, those that the switches "
		 "hold where they were read, else\n"
		 "  those of Min Hop.\n"
		 "  error        traffic is lost or will be, or may stop\n"
		 "  warning      it works, but not as meant, or it breaks at the next event\n"
		 "  note         worth knowing\n"
		 "  fact         it is in the input\n"
		 "  computed     it follows from OpenSM's rules\n"
		 "  likely       a statistic or a guess\n"
		 "  what if      about an engine that nobody said is running: none was asked for, or it was "
		 "guessed from the tables\n"
		 "  Each finding names the command that shows more.  With a reading of counters (`counters "
		 "all`): errors, flapped,\n"
		 "  degraded and congested links.\n"
		 "  --baseline FILE: what `ibscope --json -e check` printed earlier.  doctor then also "
		 "lists hosts, switches and\n"
		 "  cables of FILE that are gone, and cables that are slower now, even if other cables "
		 "carry their routes.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_JUDGED
	 "engine engine|null engine whose tables doctor judges, null: no engine routes\n"
	 "complete boolean the whole fabric is known\n"
	 "tables_complete boolean false: of tables that were read, switches have none, or most of "
	 "their GUIDs are not in the fabric\n"
	 "errors integer findings of severity error\n"
	 "warnings integer of severity warning\n"
	 "notes integer of severity note\n"
	 "findings[] object findings, worst first\n"
	 "@findings[].\n"
	 "baseline object? with --baseline: what is gone or slower since then\n"
	 "baseline.file string the file\n"
	 "baseline.lost integer hosts, switches and cables that are gone or slower\n"
	 "baseline.faults[] object by kind\n"
	 "baseline.faults[].kind string(host_gone/switch_gone/cable_gone/cable_slower) what is lost\n"
	 "baseline.faults[].count integer how many\n"
	 "baseline.faults[].from[] object? the nodes; of cables one end\n"
	 "baseline.faults[].from[].name node the node\n"
	 "baseline.faults[].from[].port portnum? its port\n"
	 "baseline.faults[].to[] object? the other end\n"
	 "baseline.faults[].to[].name node the node\n"
	 "baseline.faults[].to[].port portnum? its port\n",
	 .rows = {finding_fields},
	 .run = cmd_doctor},
	{.name = NULL},
};
