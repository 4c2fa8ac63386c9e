/* Recordings of SSSP and DFSSSP in words. */
#include <inttypes.h>

#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/routing/why_rule.h"
#include "core/sm/sweep.h"
#include "engines/dfsssp/events.h"

#define MOST_NAMED 12 /* channels of a cycle */

static const struct sweep *sweep_of(const struct walk *w)
{
	return recording_sweep(walk_recording(w));
}

static const struct ds_kept *kept_of(const struct walk *w)
{
	return recording_kept(walk_recording(w));
}

static const char *name_of(const struct walk *w, uint32_t sw)
{
	return switch_name(sweep_of(w)->fabric, sw);
}

static void say_lid(const struct walk *w, uint32_t lid, struct text *t)
{
	const struct sweep *s = sweep_of(w);
	uint32_t ep = lid_owner(s->lids, lid);
	char name[300];

	text_add(t, "LID %u", lid);
	if (ep != NO_ID)
		text_add(t, " (%s)", endport_label(s->fabric, ep, name, sizeof(name)));
}

static void say_port(const struct walk *w, uint32_t port, struct text *t)
{
	char name[300];

	text_add(t, "%s", port_label(sweep_of(w)->fabric, port, name, sizeof(name)));
}

/* Switch at the other end of a port. */
static uint32_t behind(const struct walk *w, uint32_t sw, unsigned port)
{
	const struct topo *t = sweep_of(w)->topo;

	return t->peer_switch[switch_port_id(t->fabric, sw, port)];
}

/* --- the search ------------------------------------------------------------------------------------- */

static void say_trial(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra) ? extra[0] : 0;

	text_add(t, "trial from the subnet manager, ");
	say_lid(w, ev->b, t);
	text_add(t, " on %s: %u of %s reached", name_of(w, ev->a), n, PLURAL(kept_of(w)->graph->n, "switch"));
}

static void say_target(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	static const char *const phase[] = {"compute node", "I/O node", "host", "switch"};
	const struct ds_order *o = &kept_of(w)->order;
	uint32_t ep = lid_owner(sweep_of(w)->lids, ev->b), i = 0;

	while (i + 1 < o->n && o->endport[i] != ep)
		i++;
	say_lid(w, ev->b, t);
	text_add(t, " on %s: destination %u of %u, a%s %s", name_of(w, ev->a), i + 1, o->n,
		 o->phase[i] == DS_IO ? "n" : "", phase[o->phase[i]]);
}

static void say_relax(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	uint32_t cursor = 0;
	struct rec_delta d;

	if (!recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d))
		return;
	text_add(t, "%s is %u away by port %u to %s", name_of(w, ev->a), d.now, ev->port,
		 name_of(w, behind(w, ev->a, ev->port)));
	if (d.was == NO_ID)
		text_add(t, ", and was not reached before");
	else
		text_add(t, ", less than the %u known before", d.was);
}

/* "8204 = 2 x 4096 + 12" */
static void say_distance(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	uint64_t dist = walk_value(w, T_DIST, ev->a), start = kept_of(w)->graph->start;
	unsigned hops = ev->flags / DS_ONE_HOP;

	text_add(t, "%" PRIu64, dist);
	if (hops && dist >= start * hops)
		text_add(t, " = %u x %" PRIu64 " + %" PRIu64, hops, start, dist - start * hops);
}

static void say_tie(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *tied;
	uint32_t sw = behind(w, ev->a, ev->port);

	if (!recording_extra(walk_recording(w), walk_step(w), &tied))
		return;
	if (behind(w, ev->a, tied[0]) == sw)
		text_add(t, ": port %u leads there as well, to a higher port", tied[0]);
	else
		text_add(t, ": port %u is as far, but %s left the heap first", tied[0], name_of(w, sw));
}

static void say_choice(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const char *rule = why_rule_name(ev->rule);

	text_add(t, "%s ", name_of(w, ev->a));
	say_lid(w, ev->b, t);
	if (ev->port == NO_PATH) {
		text_add(t, " -> no port: %s: no distance below 2^31", rule);
		return;
	}
	if (ev->rule == WHY_OWN_LID || ev->rule == WHY_ATTACHED) {
		text_add(t, " -> port %u: %s", ev->port, rule);
		return;
	}
	text_add(t, " -> port %u, to %s: %s", ev->port, name_of(w, behind(w, ev->a, ev->port)), rule);
	if (ev->rule == WHY_TIE)
		say_tie(w, ev, t);
	if (ev->rule == WHY_LIGHTER)
		text_add(t, ": the ways with fewer links are heavier");
	text_add(t, "; it leaves the heap at distance ");
	say_distance(w, ev, t);
}

/* How many channels gained, and which one most. */
static void say_weights(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra);

	text_add(t, "the routes to ");
	say_lid(w, ev->b, t);
	text_add(t, " make %s heavier", PLURAL(n ? extra[0] : 0, "channel"));
	if (n < 4)
		return;
	text_add(t, ", ");
	say_port(w, extra[1], t);
	text_add(t, " most: by %u to %u", extra[2], extra[3]);
}

/* --- layers ------------------------------------------------------------------------------------------ */

static uint64_t count_at(const uint32_t *extra)
{
	return extra[0] | (uint64_t)extra[1] << 32;
}

/* The switches of a cycle, and the pairs left on its edges. */
static void say_cycle(const struct walk *w, struct text *t)
{
	const struct fabric *f = sweep_of(w)->fabric;
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra) / 2;
	uint32_t named = n < MOST_NAMED ? n : MOST_NAMED;

	for (uint32_t i = 0; i < named; i++)
		text_add(t, "%s -> ", f->node_name[f->port_node[extra[2 * i]]]);
	if (n)
		text_add(t, "%s%s: ", n > named ? "... -> " : "", f->node_name[f->port_node[extra[0]]]);
	text_add(t, "%s with ", PLURAL(n, "edge"));
	for (uint32_t i = 0; i < named; i++)
		text_add(t, "%s%u", i ? ", " : "", extra[2 * i + 1]);
	text_add(t, "%s pairs", n > named ? ", ..." : "");
}

/* The two channels of a dependency. */
static void say_edge(const struct walk *w, uint32_t from, uint32_t to, struct text *t)
{
	const struct ds_graph *g = kept_of(w)->graph;
	const struct fabric *f = sweep_of(w)->fabric;

	say_port(w, switch_port_id(f, g->sw[g->from[from]], g->port[from]), t);
	text_add(t, " -> ");
	say_port(w, switch_port_id(f, g->sw[g->from[to]], g->port[to]), t);
}

/* Number of a cut among those of its layer, from 1. */
static uint32_t number_of(const struct ds_layers *l, uint32_t cut)
{
	uint32_t first = cut;

	while (first && l->cut[first - 1].layer == l->cut[cut].layer)
		first--;
	return cut - first + 1;
}

static void say_break(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct ds_layers *l = kept_of(w)->layers;
	const struct ds_cut *cut = &l->cut[ev->a];

	text_add(t, "cycle %u of layer %u: ", number_of(l, ev->a), ev->b);
	say_cycle(w, t);
	text_add(t, "; the first with %u, ", l->cycle_left[cut->first + cut->at]);
	say_edge(w, cut->from, cut->to, t);
	text_add(t, ", is cut: %s go%s to layer %u", PLURAL(cut->moved, "pair"), cut->moved == 1 ? "es" : "",
		 ev->b + 1);
	if (cut->skipped)
		text_add(t, ", %" PRIu64 " had gone before", cut->skipped);
}

static void say_pair(const struct walk *w, uint32_t pair, struct text *t)
{
	uint32_t n = sweep_of(w)->fabric->n_switches;

	text_add(t, "%s - %s: ", name_of(w, pair / n), name_of(w, pair % n));
}

static void say_move(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct ds_kept *k = kept_of(w);
	uint32_t cursor = 0, row = sweep_of(w)->lids->max_lid + 1u;
	size_t i = walk_step(w);
	struct rec_delta d;

	say_pair(w, ev->a, t);
	if (!recording_next_delta(r, i, &cursor, &d))
		return;
	text_add(t, "%s of the hosts there to ",
		 PLURAL(k->layers->ca_lids[k->layers->source_of[k->graph->id[d.at / row]]], "LID"));
	say_lid(w, d.at % row, t);
	text_add(t, ": moved from layer %u to layer %u", ev->port, ev->b);
	while (i && recording_event(r, i)->kind != REC_BREAK)
		i--;
	if (i)
		text_add(t, ", as cycle %u is cut", number_of(k->layers, recording_event(r, i)->a));
}

static void say_paths(const struct walk *w, struct text *t)
{
	const uint32_t *extra;

	if (recording_extra(walk_recording(w), walk_step(w), &extra) < 4)
		return;
	text_add(t, "all %s of LIDs begin in layer 0: %s, %s", PLURAL(count_at(extra), "pair"),
		 PLURAL(extra[2], "channel"), PLURAL(extra[3], "dependency"));
}

static void say_lanes(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	static const char *const nth[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh"};
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra);

	if (ev->kind == REC_SPLIT && n >= 2) {
		text_add(t, "layer %u has the most pairs a lane, %" PRIu64 " on %s: it gets a ", ev->b,
			 count_at(extra), PLURAL(ev->a - 1, "lane"));
		if (ev->a <= ARRAY_LEN(nth))
			text_add(t, "%s", nth[ev->a - 1]);
		else
			text_add(t, "%uth", ev->a);
	} else if (n >= 4 && extra[1] == 1) {
		text_add(t, "layer %u, %s, has SL %u", ev->b, PLURAL(count_at(extra + 2), "pair"), extra[0]);
	} else if (n >= 4) {
		text_add(t, "layer %u, %s, has SL %u to %u: one is drawn at each query", ev->b,
			 PLURAL(count_at(extra + 2), "pair"), extra[0], extra[0] + extra[1] - 1);
	}
}

static void say_clean(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;

	if (recording_extra(walk_recording(w), walk_step(w), &extra) < 2)
		return;
	text_add(t, "layer %u has no cycle", ev->b);
	if (ev->a)
		text_add(t, " left after %s", PLURAL(ev->a, "cut"));
	text_add(t, ": %s stay", PLURAL(count_at(extra), "pair"));
}

static void say_layers(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	switch (ev->kind) {
	case REC_PATHS:
		say_paths(w, t);
		break;
	case REC_CYCLE:
		text_add(t, "layer %u has a cycle, and there is no VL for one more: ", ev->b);
		say_cycle(w, t);
		break;
	case REC_BREAK:
		say_break(w, ev, t);
		break;
	case REC_OPEN:
		say_pair(w, ev->a, t);
		text_add(t, "layer %u is opened for it", ev->b);
		break;
	case REC_MOVE:
		say_move(w, ev, t);
		break;
	case REC_SEARCH:
		say_clean(w, ev, t);
		break;
	default:
		say_lanes(w, ev, t);
	}
}

void ds_say(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);

	switch (ev->kind) {
	case REC_TRIAL:
		say_trial(w, ev, t);
		break;
	case REC_TARGET:
		say_target(w, ev, t);
		break;
	case REC_RELAX:
		say_relax(w, ev, t);
		break;
	case REC_CHOICE:
		say_choice(w, ev, t);
		break;
	case REC_WEIGHTS:
		say_weights(w, ev, t);
		break;
	default:
		say_layers(w, ev, t);
	}
}

const char *ds_say_rule(const struct rec_event *ev)
{
	return why_rule_name(ev->rule);
}

#define SSSP "Hoefler, Schneider, Lumsdaine, HOTI 2009"
#define DFSSSP "Domke, Hoefler, Nagel, IPDPS 2011"

const char *ds_say_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_TRIAL:
		return "dfsssp.md 3.5";
	case REC_TARGET:
		return "dfsssp.md 4; " SSSP;
	case REC_RELAX:
		return "dfsssp.md 5.3; " SSSP;
	case REC_CHOICE:
		return "dfsssp.md 5.2, 5.3, 5.4; " SSSP;
	case REC_WEIGHTS:
		return "dfsssp.md 5.5; " SSSP;
	case REC_PATHS:
		return "dfsssp.md 6.2; " DFSSSP;
	case REC_BREAK:
	case REC_CYCLE:
		return "dfsssp.md 6.5, 6.6; " DFSSSP;
	case REC_OPEN:
	case REC_MOVE:
		return "dfsssp.md 6.6; " DFSSSP;
	case REC_SEARCH:
		return "dfsssp.md 6.7; " DFSSSP;
	case REC_SPLIT:
	case REC_SHIFT:
		return "dfsssp.md 6.8; " DFSSSP;
	default:
		return "";
	}
}
