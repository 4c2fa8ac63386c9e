/* `check`: is a routing sound? */
#include <stdlib.h>

#include "core/analysis/check.h"
#include "core/analysis/turns.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

static void print_check(const struct sweep *w, const struct check_result *c, struct out *o)
{
	char a[40], b[300];

	out_text(o, "%s between hosts: %lu unreachable", plural(c->pairs, "path", a, sizeof(a)),
		 c->unreachable);
	if (c->looping)
		out_text(o, " (%lu of them loop)", c->looping);
	out_text(o, ", longest %s.\n", PLURAL(c->max_hops, "hop"));
	for (unsigned h = 0; h < 64; h++)
		if (c->hops_count[h])
			out_text(o, "  %2u%s %s %lu\n", h, h == 63 ? "+" : "",
				 h == 1 ? "hop: " : "hops:", c->hops_count[h]);
	if (c->switch_unreachable)
		out_text(o, "From hosts to switches: %lu unreachable.\n", c->switch_unreachable);
	if (c->no_lid)
		out_text(o, "%s without LID.\n", plural(c->no_lid, "endport", a, sizeof(a)));
	for (unsigned i = 0; i < c->n_examples; i++)
		out_text(o, "  from %s to LID %u (%s): %s\n", switch_name(w->fabric, c->example[i].sw),
			 c->example[i].lid,
			 endport_label(w->fabric, lid_owner(w->lids, c->example[i].lid), b, sizeof(b)),
			 path_end_text(c->example[i].end));
	out_json(o, "check",
		 json_make("{s:I, s:I, s:I, s:I, s:i, s:i}", "pairs", (json_int_t)c->pairs, "unreachable",
			   (json_int_t)c->unreachable, "looping", (json_int_t)c->looping,
			   "switch_unreachable", (json_int_t)c->switch_unreachable, "no_lid", (int)c->no_lid,
			   "max_hops", (int)c->max_hops));
}

/* Does a route turn from down to up between two channels in turn? */
static bool turns_up(const struct routing *r, uint32_t port, uint32_t next)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t a = f->node_switch[f->port_node[port]], b = f->node_switch[f->port_node[next]];

	return r->ops->direction(r, a, f->port_num[port]) == 'D' &&
	       r->ops->direction(r, b, f->port_num[next]) == 'U';
}

/* Where a shortest credit loop turns from down to up: without such turns there could be none in a tree. */
static void print_loop_turns(const struct sweep *w, const struct cdg *c, struct out *o)
{
	const struct fabric *f = w->fabric;
	uint32_t *cycle, n, turns = 0, first = NO_ID;
	const char *option = w->routing->ops->turn_option;
	char a[40];

	if (!has_directions(w->routing) || !c->n_components)
		return;
	cycle = NEW_ARRAY(c->size[0], uint32_t);
	n = cdg_cycle(c, 0, cycle, o->run->progress);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = c->port[cycle[(i + 1) % n]];

		if (!turns_up(w->routing, c->port[cycle[i]], next))
			continue;
		first = turns++ ? first : f->port_node[next];
	}
	free(cycle);
	if (turns)
		out_text(o, "  It is closed by %s from down to up, one at %s",
			 plural(turns, "turn", a, sizeof(a)), f->node_name[first]);
	if (turns && option && options_uint(w->setup->options, option))
		out_text(o, ": reverse hops make them (%s %s)", option,
			 options_get(w->setup->options, option));
	if (turns)
		out_text(o, ".\n");
	out_json(o, "loop_turns", json_integer(turns));
}

/* Credit loops and dropped routes; how many there are of both, -1 and *e when cancelled or short of memory.
 */
static int64_t check_loops(const struct sweep *w, struct out *o, struct err *e)
{
	struct cdg *c = cdg_new(w->routing, CDG_ALL_VLS, false, o->run->progress, e);
	int64_t n;

	if (!c)
		return -1;
	n = report_cycles(c, 1, 0, o->run->progress, o);
	print_loop_turns(w, c, o);
	n += (int64_t)report_dropped(c, o);
	cdg_free(c);
	return progress_cancelled(o->run->progress) ? err_set(e, CANCELLED) : n;
}

/* Turns from down to up: information, for OpenSM itself leaves some.  -1 when cancelled. */
static int check_turns(const struct sweep *w, struct out *o)
{
	struct turns t;
	char a[40], b[300], c[300];

	if (!has_directions(w->routing))
		return 0;
	if (turns_count(w->routing, &t, o->run->progress))
		return -1;
	if (t.n) {
		const struct turn *x = &t.turn[0];

		out_text(o, "%s from down to up (which %s forbids): on %lu of %lu paths between hosts",
			 plural(t.n, "turn", a, sizeof(a)), w->routing->engine, t.bad, t.routes);
		out_text(o, t.switch_bad ? ", %lu of %lu to switches.\n" : ".\n", t.switch_bad,
			 t.switch_routes);
		out_text(o, "  for one %s, in by port %u, out by port %u: %s", switch_name(w->fabric, x->sw),
			 x->in, x->out, endport_label(w->fabric, x->source, b, sizeof(b)));
		out_text(o, " to LID %u (%s)\n", x->dlid,
			 endport_label(w->fabric, lid_owner(w->lids, x->dlid), c, sizeof(c)));
	} else {
		out_text(o, "No path turns from down to up.\n");
	}
	out_json(o, "turns",
		 json_make("{s:i, s:I, s:I}", "turns", (int)t.n, "paths", (json_int_t)t.bad, "switch_paths",
			   (json_int_t)t.switch_bad));
	turns_free(&t);
	return 0;
}

/* gone: ports of the scope that are not in the fabric. */
static void print_verdict(const struct sweep *w, bool sound, uint32_t gone, struct out *o)
{
	bool missing = w->fabric->warnings.missing;

	if (!w->hosts->n && w->hosts->narrowed)
		out_text(o, "No host counts: nothing is judged.\n");
	else if (!sound)
		out_text(o, "NOT SOUND.\n");
	else if (missing)
		out_text(o, "Nothing wrong in the part that is known; whether the fabric is sound is not.\n");
	else if (gone)
		out_text(o, "Nothing wrong among the hosts of the scope that are there.\n");
	else if (w->hosts->narrowed)
		out_text(o, "Sound within the scope: every host of it reaches every other, and their own "
			    "routes make no credit loops.\n");
	else
		out_text(o, "Sound: every host reaches every host, without credit loops.\n");
	sound = sound && !missing && !gone && (w->hosts->n || !w->hosts->narrowed);
	out_json(o, "complete", json_boolean(!missing));
	out_json(o, "sound", json_boolean(sound));
	o->run->found_fault |= !sound;
}

static int cmd_check(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const struct comparison *change = session_event(s)->change;
	struct check_result c;
	int64_t loops;
	uint32_t cut, gone;

	(void)argc;
	(void)argv;
	if (check_routing(w->routing, &c, o->run->progress))
		return err_set(e, CANCELLED);
	cut = count_cut_off(w, NULL);
	gone = report_scope(s, o);
	report_aggregation(s, o);
	print_check(w, &c, o);
	if (w->routing->adaptive)
		out_text(o,
			 "Adaptive routing: all ports that packets may take are judged, and the longest way "
			 "counts.\n");
	out_json(o, "adaptive", json_boolean(w->routing->adaptive != NULL));
	if (cut)
		out_text(o, "%s cut off from the subnet manager.\n", PLURAL(cut, "endport"));
	out_json(o, "hosts_gone", json_integer(cut));
	if (change) {
		out_json(o, "cut_off", json_integer((json_int_t)change->cut_off));
		out_json(o, "between_survivors", json_integer((json_int_t)change->between_survivors));
	}
	loops = check_turns(w, o) ? err_set(e, CANCELLED) : check_loops(w, o, e);
	if (loops < 0)
		return -1;
	if (routing_layers_idle(w->routing))
		out_text(
			o,
			"All routes are taken to be on VL 0: %s computes %u layers, but qos is off (`set qos "
			"TRUE`).\n",
			w->routing->engine, w->routing->ops->n_layers(w->routing));
	out_json(o, "layers_in_force", json_boolean(!routing_layers_idle(w->routing)));
	report_missing(w->fabric, o);
	print_verdict(w, check_sound(&c) && !cut && !loops, gone, o);
	return 0;
}

const struct command check_commands[] = {
	{.name = "check",
	 .syntax = "check",
	 .help = "unreachable pairs, forwarding loops, credit loops per VL; exit status 1 in batch when "
		 "something is "
		 "wrong",
	 .details = "  With adaptive-routing groups (`tables`) every way that packets may take must arrive, "
		    "and all "
		    "of them make\n  dependencies.\n",
	 .needs = NEEDS_ROUTING,
	 .run = cmd_check},
	{.name = NULL},
};
