/* `outage`: who is cut until the next sweep, and at which entries. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/analysis/compare/outage.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"
#include "core/session/commands/commands.h"

#define SHOWN 20 /* rows of each list, in text */

void report_outage(const struct outage *x, uint64_t after, struct out *o)
{
	struct text t = {0};

	outage_tell(x, after, &t);
	out_text(o, "%s\n", text_str(&t));
	text_free(&t);
	out_json(o, "pairs_until_sweep", json_integer((json_int_t)x->cut));
	out_json(o, "pairs_after", after == OUTAGE_NO_AFTER ? json_null() : json_integer((json_int_t)after));
	out_json(o, "hosts", json_integer((json_int_t)x->n_hosts));
}

static void more(uint64_t n, struct out *o)
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
		out_text(o, "%8s  %-24s  LIDs\n", "pairs", "lost at");
	for (uint32_t i = 0; i < x->n_ports; i++) {
		const struct outage_port *p = &x->port[i];
		json_t *row = json_object(), *lids = json_array();
		struct text t = {0};

		if (i < SHOWN) {
			outage_lids(x, p, &t);
			out_text(o, "%8" PRIu64 "  %-24s  %s\n", p->pairs,
				 port_label(f, p->port, label, sizeof(label)), text_str(&t));
			text_free(&t);
		}
		json_put_port(row, "switch", f, x->before->lids, p->port);
		fields_json(row, outage_port_fields, p);
		for (uint32_t k = 0; k < p->lids; k++)
			json_array_append_new(lids, json_integer(x->entry[p->first + k].lid));
		json_object_set_new(row, "lids", lids);
		json_array_append_new(list, row);
	}
	more(x->n_ports, o);
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
			out_text(o, "%8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  %s%s\n", h->pairs, h->sends,
				 h->receives, ENDPORT_LABEL(f, h->endport), h->down ? " (down)" : "");
		json_put_endport(row, "host", f, x->before->lids, h->endport);
		fields_json(row, outage_host_fields, h);
		json_array_append_new(list, row);
	}
	more(x->n_hosts, o);
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
	more(x->all_peers, o);
	out_json(o, "all_paths", list);
}

/* The sweep that would come, and the pairs lost after it; OUTAGE_NO_AFTER: no engine is left. -1 and *e. */
static int sweep_ahead(const struct session *s, const struct sweep *w, struct state *state, uint64_t *lost,
		       struct out *o, struct err *e)
{
	const struct setup *setup = setup_with(s->setup, &(struct setup){.state = state});
	struct sweep *after = sweep_run(
		&(struct sweep_request){
			.setup = setup, .engines = s->engines, .prev = w, .progress = o->run->progress},
		e);
	struct comparison *c = NULL;

	setup_unref(setup);
	*lost = OUTAGE_NO_AFTER;
	if (!after)
		return -1;
	if (after->routing) {
		c = compare_routings(w->routing, after->routing, o->run->progress);
		*lost = c ? c->lost : 0;
	}
	comparison_free(c);
	sweep_unref(after);
	return progress_cancelled(o->run->progress) ? err_set(e, CANCELLED) : 0;
}

/* Of elements that are up. */
static struct outage *outage_ahead(struct session *s, const struct args *args, uint64_t *after, struct out *o,
				   struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	struct state *state;
	struct outage *x = NULL;

	if (!w)
		return NULL;
	state = state_copy(session_state(s));
	if (!fail_words(s, args, state, o, e) && !sweep_ahead(s, w, state, after, o, e))
		x = outage_new(w->routing, state, local_repair_of(s->setup->options), o->run->progress, e);
	state_free(state);
	return x;
}

uint64_t outage_after(const struct event *ev)
{
	return ev->change ? ev->change->lost : OUTAGE_NO_AFTER;
}

static int cmd_outage(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct event *ev = session_event(s), *before = session_event_before(s, s->at);
	uint64_t after = 0;
	struct outage *x;

	if (session_need_fabric(s, e))
		return -1;
	if (args->n) {
		x = outage_ahead(s, args, &after, o, e);
	} else if (!ev || !ev->sweep) {
		need_routing(s, e);
		return -1;
	} else if (!before || !before->sweep || !before->sweep->routing) {
		return err_set(e, "there were no tables before the last event, so nothing was cut");
	} else {
		after = outage_after(ev);
		x = outage_between(before->sweep, ev->sweep, o->run->progress, e);
	}
	if (!x)
		return -1;
	report_scope(s, o);
	if (!args->n) { /* who counts may have changed since */
		size_t at = s->at;

		while (at && s->event[at].kind == EVENT_SCOPE)
			at--;
		out_text(o, "%s: ", s->event[at].text);
	}
	report_outage(x, after, o);
	out_json(o, "end_down", json_integer((json_int_t)x->end_down));
	out_json(o, "repaired", json_integer((json_int_t)(x->hit - x->cut)));
	out_json(o, "looping", json_integer((json_int_t)x->looping));
	if (x->adaptive)
		out_json(o, "spread", json_integer((json_int_t)x->spread));
	report_ports(x, o);
	report_hosts(x, o);
	report_peers(x, o);
	outage_free(x);
	return 0;
}

const struct command outage_commands[] = {
	{.name = "outage",
	 .syntax = "outage | outage link NODE[PORT]... | switch S... | host H... | chassis CHASSIS... | card "
		   "CARD...",
	 .help = "list the pairs that the last event, or a failure, cuts until the next sweep, and where",
	 .details = "  Until the subnet manager's next sweep the switches keep the old tables, which still "
		    "lead to what failed.\n"
		    "  Without words: what the last event cut.  With words as of `fail`: what that failure "
		    "would cut; nothing\n"
		    "  changes in the session.\n"
		    "  lost at      a port whose cable leads nowhere, and the LIDs that the old tables send "
		    "there\n"
		    "  after        pairs that stay lost after the sweep, as `fail` counts them.  Switches "
		    "that the subnet manager\n"
		    "               no longer reaches keep their old tables\n"
		    "  All paths    two hosts, one of them with several ports, that all their paths lose\n"
		    "  With `set local_repair flfr` a switch whose port failed sends by the first live port "
		    "of the LID's\n"
		    "  adaptive-routing group (tables from .far or live); without a group the pair is cut.\n"
		    "  Under a scope only pairs of its hosts count: a job's, for example.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SCOPE JSON_ABSENT JSON_OUTAGE(
		 "") "end_down integer of pairs_until_sweep: an end is down\n"
		     "repaired integer pairs that go on by another port of the group (local_repair)\n"
		     "looping integer of pairs_until_sweep: in a loop behind such a repair\n"
		     "spread integer? with adaptive-routing groups: pairs that can lose a packet that may be "
		     "spread\n"
		     "through[] object where packets are lost, most pairs first\n"
		     "@through[].\n"
		     "seen_by[] object host ports with such pairs, most first\n"
		     "@seen_by[].\n"
		     "all_paths[] object hosts of which one has several ports, 10000 pairs at most\n"
		     "@all_paths[].\n",
	 .rows = {outage_port_fields, outage_host_fields, outage_peers_fields},
	 .run = cmd_outage},
	{.name = NULL},
};
