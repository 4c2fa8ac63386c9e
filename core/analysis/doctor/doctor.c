/* Doctor: rules, findings about counters and engines, and the order of findings. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/causes.h"
#include "core/analysis/compare/judged.h"
#include "core/analysis/doctor/doctor.h"
#include "core/analysis/doctor/internal.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/paths.h"

/* Findings from what ports counted (blame/measured.h). */

/* One finding for all ports with a kind of fault, the first of which are named. */
static int find_counted(struct doctor *d, const struct rule *r)
{
	const struct measured *m = d->rq->counted;
	struct places at = {0};
	AUTO_TEXT struct text most = {0};
	unsigned k = 0;

	if (!m || m->fabric != d->f)
		return 0;
	for (; strcmp(port_fault_words[k], r->kind) != 0; k++)
		assert(k + 1 < N_PORT_FAULTS);
	for (uint32_t port = 0; port < d->f->n_ports; port++) {
		const struct measured_port *p = measured_of(m, port);

		if (!p || !(p->faults >> k & 1))
			continue;
		if (!at.n)
			measured_tell(p, 1u << k, &most);
		places_add_port(&at, d->f, port);
	}
	if (!at.n)
		return 0;
	uint32_t first = d->f->node_port[at.node] + at.port;
	struct finding *x =
		tell_of_places(d, r, &at, "counters all", "%s %s, by counters%s: %s (the first: %s).",
			       PLURAL(at.n, "port"), k == FAULT_ERRORS ? "with errors" : r->kind,
			       m->two ? " between two readings" : " since they were reset", places_text(&at),
			       text_str(&most));
	if (x->count > 1)
		finding_brief(x, "%u ports %s: %s, ...", (unsigned)x->count, r->kind,
			      PORT_LABEL(d->f, first));
	else
		finding_brief(x, "%s: %s, %s", PORT_LABEL(d->f, first), r->kind, text_str(&most));
	return 0;
}

/* Findings that rules report, and the places that they name. */

static char *formatted(const char *fmt, va_list ap)
{
	struct text t = {0};

	text_addv(&t, fmt, ap);
	return t.s;
}

/* The command that shows more is not set yet. */
static struct finding *finding_new(struct doctor *d, const struct rule *r, const char *fmt, va_list ap)
{
	struct diagnosis *o = d->out;

	assert(r->severity < SEVERITIES && r->sure < SURENESSES);
	GROW(o->finding, o->n, o->cap);
	struct finding *x = &o->finding[o->n++];
	*x = (struct finding){
		.severity = (uint8_t)r->severity,
		.sure = (uint8_t)r->sure,
		.rule = (unsigned)(r - d->rules),
		.kind = r->kind,
		.meaning = r->meaning,
		.cure = r->cure,
		.node = NO_ID,
		.follows = NO_ID,
		.other = NO_ID,
		.count = 1,
		.text = formatted(fmt, ap),
	};
	return x;
}

struct finding *tell(struct doctor *d, const struct rule *r, const char *more, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct finding *x = finding_new(d, r, fmt, ap);
	va_end(ap);
	x->more = more ? str_dup(more) : NULL;
	return x;
}

void finding_more(struct finding *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	x->more = formatted(fmt, ap);
	va_end(ap);
}

void finding_brief(struct finding *x, const char *fmt, ...)
{
	va_list ap;

	assert(!x->brief);
	va_start(ap, fmt);
	x->brief = formatted(fmt, ap);
	va_end(ap);
}

void finding_at(const struct doctor *d, struct finding *x, uint32_t port)
{
	assert(port < d->f->n_ports);
	x->node = d->f->port_node[port];
	x->port = d->f->port_num[port];
}

void finding_at_switch(const struct doctor *d, struct finding *x, uint32_t sw)
{
	assert(sw < d->f->n_switches);
	x->node = d->f->switch_node[sw];
}

#define PLACES 3

static bool place_wanted(struct places *p, uint32_t node, unsigned port)
{
	if (!p->n++) {
		p->node = node;
		p->port = (uint8_t)port;
	}
	if (p->n > PLACES)
		return false;
	text_add(&p->t, "%s", p->n > 1 ? ", " : "");
	return true;
}

void places_add_switch(struct places *p, const struct fabric *f, uint32_t sw)
{
	if (place_wanted(p, f->switch_node[sw], 0))
		text_add(&p->t, "%s", switch_name(f, sw));
}

void places_add_port(struct places *p, const struct fabric *f, uint32_t port)
{
	char a[300];

	if (place_wanted(p, f->port_node[port], f->port_num[port]))
		text_add(&p->t, "%s", port_label(f, port, a, sizeof(a)));
}

const char *places_text(struct places *p)
{
	if (p->n > PLACES)
		text_add(&p->t, " and %u more", p->n - PLACES);
	return text_str(&p->t);
}

struct finding *tell_of_places(struct doctor *d, const struct rule *r, struct places *p, const char *more,
			       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct finding *x = finding_new(d, r, fmt, ap);
	va_end(ap);
	x->node = p->n ? p->node : NO_ID;
	x->port = p->port;
	x->count = p->n;
	if (more) {
		x->more = str_dup(more);
	} else {
		assert(p->n);
		AUTO_FREE char *name = word_quoted(d->f->node_name[p->node]);

		x->more = str_printf("list ports %s", name);
	}
	text_free(&p->t);
	return x;
}

/* Findings about the engines that were asked for. The engines themselves know when OpenSM would refuse, hang,
 * crash or behave oddly (struct sweep: refusal, fatal, notes). This file only sorts that by kind. */

static const struct refusal *last_refusal(const struct sweep *w)
{
	return &w->refusal[w->n_refusals - 1];
}

static bool doctor_engine_ends_so(const struct sweep *w, const char *how)
{
	return w && w->fatal && !strcmp(w->fatal, how);
}

/* OpenSM hangs or crashes. */
static int find_fatal(struct doctor *d, const struct rule *r)
{
	bool hang = !strcmp(r->kind, "hang");
	const char *how = hang ? "never ends" : "crashes";
	const char *words = hang ? "hangs while it routes" : how;
	const struct sweep *w = doctor_engine_ends_so(d->computed, how) ? d->computed : d->next;

	if (!doctor_engine_ends_so(w, how))
		return 0;
	const char *when = w == d->next ? " at its next sweep" : " here";
	if (w->n_refusals)
		tell(d, r, NULL, "OpenSM %s%s: %s: %s.", words, when, last_refusal(w)->engine,
		     last_refusal(w)->why);
	else
		tell(d, r, NULL, "OpenSM %s%s: %s", words, when, *w->notes ? w->notes : "no engine is left.");
	return 0;
}

static int find_no_routing(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;

	if (!w || w->routing || w->fatal || !w->n_refusals)
		return 0;
	tell(d, r, NULL, "No engine can route: OpenSM leaves the subnet as it is (%s: %s).",
	     last_refusal(w)->engine, last_refusal(w)->why);
	return 0;
}

/* With tables that were read: would the configuration's engine refuse the fabric as it is? */
static int refused_by_configuration(struct doctor *d, const struct rule *r)
{
	if (!d->rq->configured || need_drift(d))
		return d->rq->configured ? -1 : 0;
	for (unsigned i = 0; d->ranking && i < d->ranking->n; i++) {
		const struct drift_candidate *c = &d->ranking->candidate[i];

		if (!c->configured || !c->refused)
			continue;
		struct finding *x = tell(
			d, r, NULL, "The configuration says %s, which refuses this fabric: %s routes (%s).",
			c->chain, c->in_force ? c->in_force : "no engine", c->refused);
		finding_brief(x, "%s refuses: %s", c->chain, c->refused);
		finding_more(x, "route %s", c->chain);
	}
	return 0;
}

static int find_refused(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;

	if (!w)
		return refused_by_configuration(d, r);
	for (size_t i = 0; w->routing && i < w->n_refusals; i++)
		tell(d, r, NULL, "%s refuses, %s routes: %s.", w->refusal[i].engine, w->routing->engine,
		     w->refusal[i].why);
	return 0;
}

static const char *doctor_engine_in_force(const struct sweep *w)
{
	return w && w->routing ? w->routing->engine : "none";
}

static int find_vls_later(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed, *next = d->next;

	if (!w || !next || next->fatal || !strcmp(doctor_engine_in_force(w), doctor_engine_in_force(next)) ||
	    !next->n_refusals)
		return 0;
	tell(d, r, "sweep", "From the second sweep on, %s routes in place of %s: %s.",
	     doctor_engine_in_force(next), doctor_engine_in_force(w), last_refusal(next)->why);
	return 0;
}

/* dfsssp and sssp count distances up to here. A link is worth at least LIDs squared. */
#define DISTANCE_END ((uint64_t)1 << 31)

/* The longest of all shortest ways (so far, when cancelled); 0 if none can be worth DISTANCE_END. */
static unsigned longest_way(const struct doctor *d, const struct topo *t, uint64_t lids)
{
	AUTO_FREE uint16_t *hops = NEW_ARRAY((size_t)t->fabric->n_switches + 1, uint16_t);
	unsigned most = 0;
	bool near = false;

	for (uint32_t s = 0; s < t->fabric->n_switches && !near && !progress_cancelled(d->p); s++) {
		unsigned far = 0;

		if (!switch_up(t, s))
			continue;
		switch_distances(t, s, hops);
		for (uint32_t to = 0; to < t->fabric->n_switches; to++)
			if (hops[to] != NO_HOPS && hops[to] > far)
				far = hops[to];
		/* no way is longer than twice the farthest from the first switch */
		near = far && !most && 2 * far * lids * lids < DISTANCE_END;
		most = MAX(far, most);
	}
	return near ? 0 : most;
}

/* The engine in force may leave the farthest destinations without a route. */
static void tell_far(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	uint64_t lids = 0; /* of CAs and switches */

	if (!w || (strcmp(doctor_engine_in_force(w), "dfsssp") != 0 &&
		   strcmp(doctor_engine_in_force(w), "sssp") != 0))
		return;
	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++)
		if (w->topo->endport_up[ep] &&
		    w->fabric->node_type[endport_node(w->fabric, ep)] != NODE_ROUTER)
			lids += w->lids->count[ep];
	unsigned hops = longest_way(d, w->topo, lids);
	if (hops * lids * lids >= DISTANCE_END)
		tell(d, r, "check",
		     "%s counts distances only up to a limit: %" PRIu64
		     " LIDs, %u hops between switches; with so many LIDs it makes no route longer than "
		     "%" PRIu64 " hops.",
		     doctor_engine_in_force(w), lids, hops, (DISTANCE_END - 1) / (lids * lids));
}

static int find_dfsssp_cap(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;

	tell_far(d, r);
	for (size_t i = 0; w && i < w->n_refusals; i++) {
		if (w->refusal[i].kind != REFUSED_LIMIT)
			continue;
		tell(d, r, NULL, "%s refuses: %s.", w->refusal[i].engine, w->refusal[i].why)->severity =
			SEVERITY_ERROR;
	}
	return 0;
}

/* A finding for each line of the notes of a kind. */
static int find_notes(struct doctor *d, const struct rule *r)
{
	static const struct {
		const char *rule, *more;
		enum note_kind kind;
	} told[] = {
		{"guid-file", "show options", NOTE_GUID_FILE},
		{"ftree-lottery", "list ranks", NOTE_LOTTERY},
		{"torus-holes", "list torus", NOTE_TORUS_HOLES},
		{"rules-differ", "show options", NOTE_RULES},
	};
	const struct sweep *w = d->computed;
	size_t at = 0, n, i = 0;

	for (; strcmp(told[i].rule, r->kind) != 0; i++)
		assert(i + 1 < ARRAY_LEN(told));
	for (; w && w->notes[at]; at += n + (w->notes[at + n] != '\0')) {
		n = strcspn(w->notes + at, "\n");
		if (notes_kinds(w->note_mark, w->n_note_marks, at, at + n) & told[i].kind)
			tell(d, r, told[i].more, "%.*s.", (int)n, w->notes + at);
	}
	return 0;
}

static int find_ftree_single(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;

	if (!w || strcmp(doctor_engine_in_force(w), "ftree") != 0 ||
	    options_file(w->setup->options, "root_guid_file"))
		return 0;
	tell(d, r, "survey links", "Any lost link makes ftree refuse; %s takes over.",
	     strchr(w->setup->chain, ',') ? "the next of the chain" : "minhop");
	return 0;
}

#define ROW(key, member, type, column, help) FIELD(key, struct finding, member, type, column, help)

const struct field finding_fields[] = {
	FIELD_BY_CODE("severity", "string(error/warning/note)", "error, warning or note"),
	FIELD_BY_CODE("sure", "string(fact/computed/likely)", "fact, computed or likely"),
	ROW("kind", kind, NULL, "kind", "what kind, as credit-loop"),
	ROW("text", text, NULL, "finding", "what is wrong, and where"),
	ROW("detail", detail, "string?", NULL, "more lines"),
	ROW("meaning", meaning, NULL, NULL, "what this kind of fault means"),
	ROW("cure", cure, "string?", NULL, "what helps"),
	ROW("more", more, NULL, "shows more", "the command that shows more"),
	FIELD_BY_CODE("where", "node", "the node; the first of several"),
	FIELD_BY_CODE("port", "portnum?", "its port"),
	FIELD_BY_CODE("follows", "integer?", "the place in this list, from 0, of what it follows from"),
	ROW("count", count, NULL, "count", "how many faults of this kind it counts"),
	ROW("figure", figure, NULL, NULL, "the main figure of the text, 0: none"),
	ROW("pairs", pairs, NULL, "pairs", "pairs of hosts that it hits, as far as known"),
	ROW("what_if", what_if, NULL, NULL,
	    "it is about an engine that nobody said is running: OpenSM without settings, or one that was "
	    "guessed from the tables"),
	{.key = NULL},
};

const char *const severity_word[SEVERITIES] = {"error", "warning", "note"};
const char *const sureness_word[SURENESSES] = {"fact", "computed", "likely"};

#define ERROR SEVERITY_ERROR
#define WARNING SEVERITY_WARNING
#define NOTE SEVERITY_NOTE
#define FACT SURE_FACT
#define COMPUTED SURE_COMPUTED
#define LIKELY SURE_LIKELY

/* After a `route`, `set guid` moves the manager and LIDs stay; `reset` gives them as if it had been there. */
#define SET_PLACE "set guid NODE, where the subnet manager runs; when something is routed, `reset` after it"

#define NAME_ROOTS "a root_guid_file: `roots export FILE` writes one"

/* All that doctor looks for. Findings of equal severity and number of pairs come in this order. */
static const struct rule rules[] = {
	{"incomplete", ERROR, FACT, find_incomplete,
	 "the source lacks a part of the fabric, so every other finding may be wrong or incomplete",
	 "discover again"},
	{"incomplete-tables", ERROR, FACT, find_incomplete_tables,
	 "paths that pass these switches cannot be told, and are not counted as lost",
	 "read the tables again"},
	{"not-active", ERROR, FACT, find_broken, "management packets pass such a port, data packets do not",
	 "start a subnet manager, or have the one that runs sweep"},
	{"no-manager", ERROR, FACT, find_managers,
	 "nobody brings up a port that comes back, and nobody routes around what fails",
	 "start the subnet manager, or look why it does not take over"},
	{"two-masters", ERROR, FACT, find_managers, "each writes over the tables and LIDs of the other one",
	 "end one of them"},
	{"silent-switch", ERROR, FACT, find_broken,
	 "the cables to it are up, but it answers no question: what passes it cannot be told",
	 "look at the switch, or start it anew"},
	{"switch-gone", ERROR, FACT, find_broken, "nothing answers where the switch was",
	 "look at its power and its management"},
	{"cable-gone", ERROR, FACT, find_broken, "the cable is out, broken or switched off at one end",
	 "look at both ends"},
	{"host-gone", ERROR, FACT, find_broken, "the host is off, or its cable is out", NULL},
	{"cable-slower", WARNING, FACT, find_slower, "the cable had a higher rate at the earlier check",
	 "plug it again"},
	{"unreachable", ERROR, COMPUTED, find_unreachable,
	 "both hosts are up, but these tables give them no path", NULL},
	{"cut-off", ERROR, COMPUTED, find_cut_off,
	 "these hosts are up, but the subnet manager does not reach them", NULL},
	{"forwarding-loop", ERROR, COMPUTED, find_forwarding_loop,
	 "the tables send packets in a circle until a switch drops them", NULL},
	{"dropped", ERROR, COMPUTED, find_dropped,
	 "SL-to-VL maps put packets on VL 15, and switches drop them there", "other SL-to-VL maps"},
	{"credit-loop", ERROR, COMPUTED, find_credit_loop,
	 "buffers wait for each other in a circle: under load traffic there can stop for good",
	 "an engine without credit loops"},
	{"layers-not-in-force", ERROR, COMPUTED, find_layers_not_in_force,
	 "the engine needs several VLs to avoid credit loops, but with qos off nobody programs the switches "
	 "to use them",
	 "set qos TRUE"},
	{"stale", WARNING, COMPUTED, find_stale,
	 "the fabric changed since these tables were written, or another program wrote there; a running "
	 "subnet manager never reads the tables, so its next sweep writes only what its memory has otherwise",
	 NULL},
	{"drift-unknown", WARNING, LIKELY, find_drift_unknown,
	 "ibscope does not know the subnet manager's options, or another program wrote the tables",
	 "config FILE, with the opensm.conf of the subnet manager"},
	{"other-engine", WARNING, COMPUTED, find_other_engine,
	 "the subnet manager runs with other options than the configuration given",
	 "restart it with this configuration, or correct the file"},
	{"duplicate-lid", ERROR, FACT, find_warnings,
	 "two ports have this LID, and packets reach one of them only", NULL},
	{"duplicate-guid", ERROR, FACT, find_warnings,
	 "a GUID must belong to one port only; OpenSM confuses ports that share one", NULL},
	{"no-lid", WARNING, FACT, find_no_lid, "no subnet manager has given these ports a LID", NULL},
	{"one-way", ERROR, FACT, find_warnings, "the two ends of a cable do not agree on where it leads",
	 "discover again"},
	{"hang", ERROR, COMPUTED, find_fatal, "OpenSM hangs while it routes: the subnet does not come up",
	 "another engine"},
	{"crash", ERROR, COMPUTED, find_fatal, "OpenSM crashes", "another setting or engine"},
	{"engine-refused", WARNING, COMPUTED, find_refused,
	 "the engine that you asked for refuses the fabric; another one routes", NULL},
	{"no-routing", ERROR, COMPUTED, find_no_routing,
	 "every engine refuses the fabric: OpenSM leaves the tables as they are",
	 "leave out no_fallback, or read the tables"},
	{"all-roots", WARNING, COMPUTED, find_all_roots,
	 "Up/Down counts hosts to find roots; it took leaf switches for roots, so it forbids few turns or "
	 "none",
	 NAME_ROOTS},
	{"aggregation-roots", WARNING, COMPUTED, find_aggregation_roots,
	 "OpenSM takes the aggregation nodes of upper switches for hosts, and so sees no tree",
	 "root_guid_file and cn_guid_file"},
	{"roots-fragile", WARNING, COMPUTED, find_roots_fragile,
	 "OpenSM counts hosts to find roots; one lost link changes the counts", NAME_ROOTS},
	{"root-with-hosts", NOTE, FACT, find_root_with_hosts, "check that this switch is meant to be a root",
	 NULL},
	{"guid-file", WARNING, FACT, find_notes,
	 "OpenSM reads this file of GUIDs in another way than its author meant", NULL},
	{"not-listed", WARNING, FACT, find_not_listed,
	 "fat-tree balances routes only to hosts that these files name",
	 "name them in cn_guid_file or io_guid_file"},
	{"ftree-lottery", WARNING, COMPUTED, find_notes,
	 "fat-tree's tables depend on addresses in OpenSM's memory: they can differ from start to start",
	 "unplug the side links"},
	{"ftree-single", WARNING, COMPUTED, find_ftree_single,
	 "without a root file fat-tree routes a pure tree only: one lost link makes it refuse, and Min Hop "
	 "takes over",
	 "root_guid_file"},
	{"dfsssp-cap", WARNING, COMPUTED, find_dfsssp_cap, "the fabric exceeds a limit of dfsssp",
	 "fewer LIDs, or nue or lash"},
	{"vls-later", WARNING, COMPUTED, find_vls_later,
	 "the first sweep lowers the VLs of the ports, and the engine needs more in the next sweep",
	 "raise max_op_vls"},
	{"torus-holes", ERROR, COMPUTED, find_notes,
	 "torus-2QoS makes no route to or from switches that its file leaves out of the torus",
	 "correct the torus or mesh line"},
	{"ends-above-edge", NOTE, FACT, find_above_edge,
	 "fat-tree gives hosts above the leaves a path only with reverse hops", "io_guid_file"},
	{"thin", WARNING, LIKELY, find_thin, "a missing or broken cable, unless it was built so",
	 "look at the cables"},
	{"cabling", WARNING, LIKELY, find_cabling, "two cables that changed places, unless it was built so",
	 "look at the cables"},
	{"hot-cable", WARNING, LIKELY, find_hot_cable,
	 "the cabling gives this link more load than similar links, with any engine", NULL},
	{"uneven", NOTE, COMPUTED, find_uneven,
	 "the tables give this link much more load than the cabling requires", "another engine"},
	{"slow-sibling", WARNING, FACT, find_slow,
	 "parallel links differ in speed: the slower one slows the traffic that they share",
	 "plug the slower cable again"},
	{"ibdiagnet", WARNING, FACT, find_ibdiagnet, "ibdiagnet reported these errors when it ran", NULL},
	{"left-out", WARNING, FACT, find_warnings,
	 "these files are from another run, or unreadable: ibscope ignores them",
	 "run ibdiagnet into an empty folder"},
	{"errors", WARNING, FACT, find_counted,
	 "these links damage packets or were trained anew: what crosses them is sent again or lost",
	 "clean or replace the cable or module"},
	{"flapped", WARNING, FACT, find_counted, "these links were down and came back", "look at both ends"},
	{"degraded", WARNING, FACT, find_counted,
	 "the bit error rate or the temperature of these links is above its limit",
	 "clean or replace the cable or module; look at the fans"},
	{"congested", NOTE, LIKELY, find_counted,
	 "packets wait long for these links, or are discarded there; the cause may lie behind them",
	 "`blame counters` puts causes first"},
	{"log-errors", WARNING, FACT, find_log_errors, "the subnet manager wrote these errors into its log",
	 NULL},
	{"log-flaps", WARNING, FACT, find_log_flaps,
	 "by the subnet manager's log this link went down again and again", "replace the cable or module"},
	{"log-fallback", WARNING, FACT, find_log_fallback,
	 "by the subnet manager's log another engine routed than the one that was wanted", NULL},
	{"log-strange", WARNING, FACT, find_log_strange,
	 "most GUIDs of the log are not in this fabric, so nothing else of it is told", "`log forget`"},
	{"slow", WARNING, LIKELY, find_slow, "these links are slower than they could be",
	 "plug the cable again, or replace it; look at what both ports have enabled"},
	{"rails", WARNING, LIKELY, find_rails,
	 "what this rail's ports send each other crosses more switches than that of the other hosts",
	 "`plan rails` tells which cables to change"},
	{"sm-decides", WARNING, LIKELY, find_sm_decides,
	 "the source does not name the subnet manager's node, and the effect of a failure depends on it",
	 SET_PLACE},
	{"sm-place", WARNING, COMPUTED, find_sm_place,
	 "the tables give the subnet manager no path to these switches; for Up/Down OpenSM's manual wants it "
	 "on another node",
	 "set guid NODE, a host on a leaf"},
	{"sm-guessed", NOTE, LIKELY, find_sm_guessed, "the file does not name the subnet manager's node",
	 SET_PLACE},
	{"single-point", NOTE, COMPUTED, find_single_point,
	 "if this fails, these hosts are cut off; each host counts once", NULL},
	{"switch-lids", NOTE, COMPUTED, find_switch_lids,
	 "this hits only management by LID; under updn it is normal between roots", NULL},
	{"idle", NOTE, COMPUTED, find_idle, "no path between hosts uses these cables", NULL},
	{"empty-leaf", NOTE, FACT, find_empty_leaf, "no path between hosts uses these switches", NULL},
	{"rules-differ", NOTE, COMPUTED, find_notes, "OpenSM and its manual differ here", "set rules manual"},
	{"aggregation-nodes", NOTE, FACT, find_aggregation,
	 "these nodes get routes, but ibscope does not count them as hosts", "set aggregation_nodes count"},
	{"no-pair", NOTE, FACT, find_no_pair, "without a pair of hosts, doctor cannot judge paths", NULL},
	{"kept-apart", NOTE, FACT, find_kept_apart,
	 "partitions keep these hosts apart: the SA gives them no path, though the tables may lead there",
	 NULL},
	{"adaptive-off", ERROR, FACT, find_adaptive_off,
	 "the engine spreads packets over groups of ports, and these switches do not use the groups",
	 "enable adaptive routing, or look why the subnet manager could not"},
	{"partition-file", WARNING, FACT, find_partition_file,
	 "one error in the file voids all of it: every port is a full member of the default partition alone",
	 "correct the line"},
	{"partition-guid", WARNING, FACT, find_partition_guid,
	 "OpenSM leaves out GUIDs of partitions that no port has", "write the GUID of the port"},
	{"no-full-member", WARNING, FACT, find_no_full_member,
	 "two ports can talk only if one of them is a full member; without `=full` a member is limited",
	 "write =full behind the ports, or defmember=full"},
	{"no-partition", WARNING, FACT, find_no_partition,
	 "these ports can talk to no other host, but to full members of the default partition", NULL},
	{"unknown-lines", NOTE, FACT, find_warnings, "ibscope does not understand these lines of the file",
	 NULL},
};

bool doctor_rule(size_t i, const char **kind, const char **meaning)
{
	if (i >= ARRAY_LEN(rules))
		return false;
	*kind = rules[i].kind;
	*meaning = rules[i].meaning;
	return true;
}

COMPARATOR(worst_first, struct finding, UP(severity) DOWN(pairs) UP(rule) UP(node) UP(port) TEXT(text))

void diagnosis_tell_counts(const struct diagnosis *d, struct text *t)
{
	bool some = false;

	for (unsigned s = 0; s < SEVERITIES; s++) {
		if (!d->count[s])
			continue;
		text_add(t, "%s%s", some ? ", " : "", PLURAL(d->count[s], severity_word[s]));
		some = true;
	}
	if (!some)
		text_add(t, "nothing found");
}

/* What triage looks at, besides the fabric, where it is at hand. */

static const char *const looks[][2] = {
	{"held tables", "tables"}, {"port states", "states"},
	{"managers", "managers"},  {"P_Keys", "P_Keys"},
	{"counters", "counters"},  {"the log", "log"},
	{"AR state", "AR"},	   {"ibdiagnet's errors", "ibdiagnet"},
};

static uint32_t looks_missed(const struct doctor *d)
{
	const struct measured *m = d->rq->counted;
	const struct managers *managers = fabric_managers(d->f);
	const bool looked[] = {
		judged_of(d->w).at_hand != NULL, d->f->states_told,
		managers && managers->asked,	 d->partitions && d->partitions->first,
		m && m->fabric == d->f && m->n,	 d->rq->log != NULL,
		looked_at_adaptive(d),		 !strncmp(d->f->format, "ibdiagnet", 9),
	};
	uint32_t missed = 0;

	static_assert(ARRAY_LEN(looked) == ARRAY_LEN(looks), "in the same order");
	for (unsigned i = 0; i < ARRAY_LEN(looks); i++)
		missed |= (uint32_t)!looked[i] << i;
	return missed;
}

/* brief: as all of them must stand in one line. */
static const char *look_missed(const struct diagnosis *d, unsigned n, bool brief)
{
	for (unsigned i = 0; i < ARRAY_LEN(looks); i++)
		if (d->not_looked >> i & 1 && !n--)
			return looks[i][brief];
	return NULL;
}

const char *diagnosis_not_looked(const struct diagnosis *d, unsigned n)
{
	return look_missed(d, n, false);
}

void triage_tell_not_looked(const struct diagnosis *d, struct text *t)
{
	const char *head = t->len && t->s[t->len - 1] == '.' ? "  Not looked at: " : "Not looked at: ";
	const char *word;

	for (unsigned n = 0; (word = look_missed(d, n, true)); n++)
		text_add(t, "%s%s", n ? ", " : head, word);
}

bool finding_is_untold(const struct finding *x)
{
	return !strncmp(x->kind, "incomplete", 10) || !strcmp(x->kind, "silent-switch");
}

#define TRIAGE_MORE 10 /* of a longer command there is room only behind a short text */

void triage_tell(const struct finding *x, struct text *t)
{
	AUTO_FREE char *what = str_dup(x->brief ? x->brief : x->text);
	AUTO_TEXT struct text head = {0};
	const char *more = x->more;
	size_t len = strlen(what);

	if (len && what[len - 1] == '.')
		what[--len] = '\0';
	text_add(&head, "%-7s ", severity_word[x->severity]);
	if (x->pairs)
		text_add(&head, "%s: ", PLURAL(x->pairs, "pair"));
	unsigned room = TRIAGE_COLUMNS - (unsigned)head.len - 3, wide = text_characters(more, strlen(more));
	if (wide > TRIAGE_MORE && text_characters(what, len) + wide > room) {
		more = "doctor";
		wide = 6;
	}
	text_add(t, "%s", text_str(&head));
	text_add_shortened(t, what, room - wide);
	text_add(t, " [%s]", more);
}

void diagnosis_free(struct diagnosis *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++) {
		free(o->finding[i].text);
		free(o->finding[i].brief);
		free(o->finding[i].detail);
		free(o->finding[i].more);
	}
	free(o->finding);
	faults_free(&o->lost);
	json_decref(o->present);
	sweep_unref(o->judged);
	free(o);
}

static struct sweep *sweep_of(struct doctor *d, const char *chain, const struct sweep *prev)
{
	const struct setup *with = setup_with(d->rq->setup, &(struct setup){.chain = chain});
	struct sweep *w = sweep_run(&(struct sweep_request){.setup = with,
							    .engines = d->rq->engines,
							    .prev = prev,
							    .as_read = !prev,
							    .progress = d->p},
				    d->e);

	setup_unref(with);
	return w;
}

static int choose_sweeps(struct doctor *d)
{
	const struct doctor_request *rq = d->rq;
	bool held = setup_tables(rq->setup) != NULL;

	d->out->no_engine = !held && !rq->now && !rq->configured;
	d->w = d->out->judged = rq->now ? sweep_ref(rq->now)
				: held	? drift_held(rq->setup, rq->engines, NULL, d->p, d->e)
					: sweep_of(d, rq->configured ? rq->configured : "minhop", NULL);
	if (!d->w)
		return -1;
	d->out->read = sweep_held_tables(d->w) != NULL;
	d->f = d->w->fabric;
	d->t = d->w->topo;
	d->r = d->w->routing;
	d->partitions = d->r ? d->r->pair_sls : NULL;
	d->computed = d->out->read ? NULL : d->w;
	const struct sweep *c = d->computed;
	/* a second sweep may differ only if the engine has layers, or an engine was refused */
	if (c && c->fabric == rq->setup->fabric && !c->fatal &&
	    (c->n_refusals || (c->routing && c->routing->ops->n_layers))) {
		d->next = sweep_of(d, c->setup->chain, c);
		if (!d->next)
			return -1;
	}
	return 0;
}

/* Measures what several rules need. */
static int doctor_measure(struct doctor *d)
{
	d->hosts = ARENA_ARRAY(d->arena, d->f->n_switches, uint32_t);
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++) {
		if (!d->w->hosts->in[ep] || !d->t->endport_up[ep] || d->t->endport_switch[ep] == NO_ID)
			continue;
		d->hosts[d->t->endport_switch[ep]]++;
		d->n_hosts++;
	}
	d->levels = levels_new(d->t, d->hosts, d->p);
	if (d->levels)
		d->share = even_shares(d->t, d->hosts, d->p);
	if (!d->share || losses_find(d))
		return err_set(d->e, CANCELLED);
	d->direct = !d->levels->top;
	if (!d->r)
		return 0;
	d->lacking = tables_lacking(d->w, &d->tables);
	d->strange = tables_strange(d->w);
	if (check_routing(d->r, &d->check, d->p) || !(d->loads = loads_new(d->r, &pattern_all, d->p)))
		return err_set(d->e, CANCELLED);
	d->cdg = cdg_new(d->r, CDG_ALL_VLS, false, d->p, d->e);
	return d->cdg ? 0 : -1;
}

/* Rules by what they go by.  Their lists end with NULL. */
static finder *const of_engine[] = {find_unreachable,
				    find_forwarding_loop,
				    find_dropped,
				    find_credit_loop,
				    find_switch_lids,
				    find_fatal,
				    find_no_routing,
				    find_refused,
				    find_vls_later,
				    find_notes,
				    find_dfsssp_cap,
				    find_ftree_single,
				    find_all_roots,
				    find_roots_fragile,
				    find_root_with_hosts,
				    find_aggregation_roots,
				    find_not_listed,
				    find_above_edge,
				    find_uneven,
				    find_idle,
				    find_sm_place,
				    find_layers_not_in_force,
				    NULL};
/* they count what tables do not lead to: what lacks a table, or a LID by them, would be a fault */
static finder *const of_whole_tables[] = {find_switch_lids,   find_idle,	 find_uneven, find_sm_place,
					  find_drift_unknown, find_other_engine, NULL};
static finder *const of_right_guids[] = {find_unreachable, find_forwarding_loop, find_stale, find_no_lid,
					 NULL};

static bool doctor_is_one_of(const struct rule *r, finder *const *list)
{
	while (*list && *list != r->find)
		list++;
	return *list != NULL;
}

/* Would a rule judge something that incomplete tables leave open? */
static bool is_untold(const struct doctor *d, const struct rule *r)
{
	return ((d->strange || d->lacking) && doctor_is_one_of(r, of_whole_tables)) ||
	       (d->strange && doctor_is_one_of(r, of_right_guids));
}

/* Did nobody name the engine of this rule's findings? Of drift: it was guessed from the tables. */
static bool is_what_if(const struct doctor *d, const struct rule *r)
{
	if (r->find == find_stale)
		return d->out->read && !d->rq->configured;
	return d->out->no_engine && doctor_is_one_of(r, of_engine);
}

/* While nothing is routed, commands that ask about routes need a route first: the one that was judged. */
static void route_first(const struct doctor *d, struct finding *x)
{
	static const char *const asks[] = {"check", "cdg",    "cycles", "layers", "load-map",
					   "roots", "survey", "sweep",	"trace"};
	size_t word = strcspn(x->more, " ");

	for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
		if (word != strlen(asks[i]) || strncmp(x->more, asks[i], word) != 0)
			continue;
		char *more = str_printf("route %s; %s", d->w->setup->chain, x->more);
		free(x->more);
		x->more = more;
		return;
	}
}

/* Does it follow from what broke at its place, or that place's cable? */
static bool finding_is_of(const struct finding *x, const struct finding *broke)
{
	static const char kinds[] = "thin cabling hot-cable no-lid";

	return words_have(kinds, x->kind) && x->count == 1 && x->node != NO_ID && broke->broke &&
	       (x->node == broke->node || x->node == broke->other);
}

/* The first finding of some kinds of which at least `least` were found; o->n: none. */
static size_t finding_of_kinds(const struct diagnosis *o, const char *kinds, uint64_t least)
{
	uint64_t n = 0;
	size_t first = o->n;

	for (size_t i = 0; i < o->n; i++) {
		if (!words_have(kinds, o->finding[i].kind))
			continue;
		first = MIN(first, i);
		n++;
	}
	return n >= least ? first : o->n;
}

/* Is all that the source lacks what is at ports that are up? */
static bool lacks_neighbours_alone(const struct warnings *w)
{
	size_t i = 0;

	while (i < w->n && (!w->w[i].missing || !strcmp(w->w[i].kind, "cut-off port")))
		i++;
	return i == w->n;
}

/* What follows from something that broke; where it is not clear from what, from the worst. */
static void join_to_broken(struct diagnosis *o)
{
	static const char kinds[] =
		"stale drift-unknown switch-lids idle uneven cut-off no-pair sm-place sm-decides";
	size_t worst = 0;

	while (worst < o->n && !o->finding[worst].broke)
		worst++;
	for (size_t i = 0; i < o->n && worst < o->n; i++) {
		struct finding *x = &o->finding[i];
		bool hides = !strcmp(o->finding[worst].kind, "silent-switch") ||
			     lacks_neighbours_alone(&o->judged->fabric->warnings);

		if (words_have(kinds, x->kind) || (hides && !strcmp(x->kind, "incomplete")))
			x->follows = (uint32_t)worst;
		for (size_t k = worst; k < o->n && x->follows == NO_ID; k++)
			if (finding_is_of(x, &o->finding[k]))
				x->follows = (uint32_t)k;
	}
}

/* Of a LID that two ports have, the lost pairs say all. */
static void join_to_shared_lid(struct diagnosis *o)
{
	size_t shared = 0;

	while (shared < o->n && !(o->finding[shared].shared_lid && o->finding[shared].pairs))
		shared++;
	for (size_t i = 0; i < o->n && shared < o->n; i++) {
		struct finding *x = &o->finding[i];
		bool of_it =
			!strcmp(x->kind, "duplicate-lid") || (!strcmp(x->kind, "unreachable") && !x->pairs);

		if (of_it && x->count <= 1 && x->follows == NO_ID)
			x->follows = (uint32_t)shared;
	}
}

/* Where cables are missing, their switches have fewer, and other ones carry more than their like. */
static void join_to_missing_cables(struct diagnosis *o)
{
	size_t gone = finding_of_kinds(o, "cable-gone switch-gone", 1), thin = finding_of_kinds(o, "thin", 1);

	for (size_t i = 0; i < o->n; i++) {
		struct finding *x = &o->finding[i];
		size_t cause = o->n;

		if (!strcmp(x->kind, "thin"))
			cause = finding_of_kinds(o, "cable-gone", x->count);
		else if (!strcmp(x->kind, "hot-cable"))
			cause = gone < o->n ? gone : thin;
		if (cause == o->n || x->follows != NO_ID)
			continue;
		uint32_t its = o->finding[cause].follows;
		x->follows = its == NO_ID ? (uint32_t)cause : its;
	}
}

struct diagnosis *doctor_partitions(const struct pair_sls *p, const struct topo *t)
{
	static finder *const of_partitions[] = {find_partition_file, find_partition_guid, find_no_full_member,
						find_no_partition, NULL};
	struct diagnosis *o = NEW(struct diagnosis);
	struct doctor d = {.out = o, .rules = rules, .f = t->fabric, .t = t, .partitions = p};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (doctor_is_one_of(&rules[i], of_partitions))
			rules[i].find(&d, &rules[i]);
	return o;
}

struct diagnosis *doctor_run(const struct doctor_request *rq, struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct diagnosis *o = NEW(struct diagnosis);
	struct doctor d = {.arena = arena, .out = o, .rules = rules, .rq = rq, .p = p, .e = e};
	int rc = choose_sweeps(&d);

	o->present = json_incref(rq->present);
	if (!rc && (rq->present || rq->path))
		rc = faults_vanished(&o->lost, rq->present, d.w, rq->path ? rq->path : "", e);
	if (rc && d.w && !rq->path) { /* another fabric was there */
		faults_free(&o->lost);
		rc = 0;
	}
	if (!rc)
		rc = doctor_measure(&d);
	for (size_t i = 0; !rc && i < ARRAY_LEN(rules); i++) {
		size_t before = o->n;

		rc = progress_cancelled(p)	? err_set(e, CANCELLED)
		     : is_untold(&d, &rules[i]) ? 0
						: rules[i].find(&d, &rules[i]);
		for (size_t x = before; x < o->n; x++) {
			o->finding[x].what_if = is_what_if(&d, &rules[i]);
			if (!o->finding[x].more) /* of an engine */
				finding_more(&o->finding[x], "route %s", d.computed->setup->chain);
			if (!rq->now && !o->read)
				route_first(&d, &o->finding[x]);
		}
	}
	o->not_looked = rc ? 0 : looks_missed(&d);
	arena_free(d.levels);
	free(d.share);
	arena_free(d.loads);
	arena_free(d.cdg);
	arena_free(d.drift);
	arena_free(d.ranking);
	sweep_unref(d.next);
	if (rc) {
		diagnosis_free(o);
		return NULL;
	}
	size_t incomplete = o->n && o->finding[0].rule == 0; /* it comes first, as all others depend on it */
	if (o->n > incomplete)
		qsort(o->finding + incomplete, o->n - incomplete, sizeof(*o->finding), worst_first);
	join_to_broken(o);
	join_to_shared_lid(o);
	join_to_missing_cables(o);
	for (size_t i = 0; i < o->n; i++)
		o->count[o->finding[i].severity] += o->finding[i].follows == NO_ID;
	return o;
}
