/* `plan`: is it cabled as it was planned, and what has to be done for it? */
#include "core/analysis/compare/plan.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/readers.h"
#include "core/session/commands/commands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINES 20	       /* of one kind, without `all` */
#define EFFECT_PAIRS 100000000 /* pairs of hosts for which effects of steps are computed unasked */

/* What a step does to the routes. */
struct effect {
	uint64_t entries, rerouted, lost, regained;
	uint32_t max_load, max_port; /* after it; ids of the fabric after it */
	char *max_at;		     /* owned */
};

struct plan_command_told {
	struct session *s;
	const struct cabling *plan;
	const struct plan_report *r;
	struct out *o;
	size_t limit;
	struct plan_fixes fixes;
	struct effect *effect; /* [n_effects] of the first steps */
	size_t n_effects;
};

/* Port 0 stands for the switch. */
static const char *plan_command_port_text(const struct plan_command_told *t, uint32_t port, char *buf,
					  size_t size)
{
	const struct fabric *f = t->s->fabric;

	if (port != NO_ID && !f->port_num[port]) {
		snprintf(buf, size, "%s", f->node_name[f->port_node[port]]);
		return buf;
	}
	return port_label(t->s->fabric, port, buf, size);
}

/* One end of a row, in the plan's own words. */
static const char *plan_command_end_text(const struct planned_end *end, char *buf, size_t size)
{
	if (end->port)
		snprintf(buf, size, "%s %s", end->device, end->port);
	else
		snprintf(buf, size, "%s", end->device);
	return buf;
}

static void tell_rate(const struct plan_command_told *t, const struct plan_difference *d)
{
	const struct fabric *f = t->s->fabric;
	const struct planned_cable *want = &t->plan->row[d->row];

	out_text(t->o, " is %s%s, planned: %s%s", link_width_name(f->port_width[d->at]),
		 link_speed_name(f->port_speed[d->at]), want->width ? link_width_name(want->width) : "",
		 want->speed ? link_speed_name(want->speed) : "");
}

static void tell_text(const struct plan_command_told *t, const struct plan_difference *d)
{
	const struct fabric *f = t->s->fabric;
	const struct planned_cable *want = d->row == NO_ID ? NULL : &t->plan->row[d->row];
	char at[300], planned[300], found[300], other[300];

	plan_command_port_text(t, d->at, at, sizeof(at));
	plan_command_port_text(t, d->found, found, sizeof(found));
	plan_command_port_text(t, d->other, other, sizeof(other));
	if (want && d->change != PLAN_LEAF && d->planned == NO_ID)
		plan_command_end_text(&want->end[1], planned, sizeof(planned));
	else
		plan_command_port_text(t, d->planned, planned, sizeof(planned));
	if (want && d->at == NO_ID)
		plan_command_end_text(&want->end[0], at, sizeof(at));
	out_text(t->o, "%-10s " ROW_PROSE, plan_change_word[d->change]);
	if (want && want->line)
		out_text(t->o, "line %u: ", want->line);
	if (d->change == PLAN_MISSING)
		out_text(t->o, "%s - %s", at, planned);
	else if (d->change == PLAN_EXTRA)
		out_text(t->o, "%s - %s", at, found);
	else if (d->change == PLAN_WRONG_PORT)
		out_text(t->o, "%s leads to %s, planned: %s", at, found, planned);
	else if (d->change == PLAN_SWAPPED)
		out_text(t->o, "%s leads to %s, and %s to %s; %s the other way round", at, found, other,
			 planned, want ? "planned" : "their rails are");
	else if (want && d->change == PLAN_TWICE)
		out_text(t->o, "%s - %s, but line %u has %s too", at, planned,
			 t->plan->row[d->other_row].line, at);
	else if (want && d->change == PLAN_LEAF)
		out_text(t->o, "%s hangs on %s, planned: %s", want->end[0].device,
			 d->found == NO_ID ? "nothing" : found, want->end[1].device);
	else if (d->change == PLAN_LEAF)
		out_text(t->o, "%s leads to %s, its rail is on %s", at, found, planned);
	if (want && want->line && d->change == PLAN_SWAPPED)
		out_text(t->o, " (line %u)", t->plan->row[d->other_row].line);
	if (want && d->change == PLAN_LEAF && d->planned != NO_ID) {
		const char *name = f->node_name[f->port_node[d->planned]];

		if (strcmp(name, want->end[1].device) != 0)
			out_text(t->o, ", which is %s", name);
	}
	if (d->change == PLAN_RATE) {
		out_text(t->o, "%s - %s", at, found);
		tell_rate(t, d);
	}
	out_text(t->o, "\n");
}

static void plan_command_put_port(const struct plan_command_told *t, json_t *x, const char *key,
				  uint32_t port)
{
	if (port != NO_ID)
		json_put_port(x, key, t->s->fabric, session_lids(t->s), port);
}

static json_t *difference_json(const struct plan_command_told *t, const struct plan_difference *d)
{
	json_t *x = json_make("{s:s}", "change", plan_change_word[d->change]);
	char end[300];

	if (d->row != NO_ID) {
		const struct planned_cable *want = &t->plan->row[d->row];

		if (want->line)
			json_object_set_new(x, "line", json_integer(want->line));
		json_object_set_new(x, "a",
				    json_text(plan_command_end_text(&want->end[0], end, sizeof(end))));
		json_object_set_new(x, "b",
				    json_text(plan_command_end_text(&want->end[1], end, sizeof(end))));
	}
	if (d->other_row != NO_ID && t->plan->row[d->other_row].line)
		json_object_set_new(x, "other_line", json_integer(t->plan->row[d->other_row].line));
	plan_command_put_port(t, x, "at", d->at);
	plan_command_put_port(t, x, "planned", d->planned);
	plan_command_put_port(t, x, "found", d->found);
	plan_command_put_port(t, x, "other", d->other);
	if (d->why)
		json_object_set_new(x, "why", json_text(d->why));
	if (d->change == PLAN_RATE) {
		const struct planned_cable *want = &t->plan->row[d->row];

		json_object_set_new(x, "planned_width", json_text(link_width_name(want->width)));
		json_object_set_new(x, "planned_speed", json_text(link_speed_name(want->speed)));
		json_object_set_new(x, "width", json_text(link_width_name(t->s->fabric->port_width[d->at])));
		json_object_set_new(x, "speed", json_text(link_speed_name(t->s->fabric->port_speed[d->at])));
	}
	return x;
}

static void tell_more(const struct plan_command_told *t, size_t n, const char *what)
{
	if (n > t->limit)
		out_text(t->o, "  ... %zu more %s; `plan FILE all` prints them\n", n - t->limit, what);
}

static void plan_command_tell_unknown(const struct plan_command_told *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->r->n_unknown; i++) {
		const struct plan_unknown *u = &t->r->unknown[i];
		unsigned line = t->plan->row[u->row].line;

		if (i < t->limit)
			out_text(t->o,
				 line ? "not found  %s%s%s: %s (line %u%s)\n" : "not found  %s%s%s: %s\n",
				 u->device, *u->port ? " " : "", u->port, u->why, line,
				 u->rows > 1 ? " and more" : "");
		json_array_append_new(list, json_make("{s:s, s:s, s:s, s:i, s:i}", "device", u->device,
						      "port", u->port, "why", u->why, "line", (int)line,
						      "rows", (int)u->rows));
	}
	tell_more(t, t->r->n_unknown, "not found");
	out_json(t->o, "unknown", list);
}

static void tell_differences(const struct plan_command_told *t, size_t count[PLAN_CHANGES])
{
	json_t *list = json_array();

	for (int kind = 0; kind < PLAN_CHANGES; kind++) {
		for (size_t i = 0; i < t->r->n; i++) {
			if (t->r->d[i].change != (enum plan_change)kind)
				continue;
			if (count[kind]++ < t->limit && kind != PLAN_NOT_FOUND)
				tell_text(t, &t->r->d[i]);
			json_array_append_new(list, difference_json(t, &t->r->d[i]));
		}
		if (kind != PLAN_NOT_FOUND) /* told by device */
			tell_more(t, count[kind], plan_change_word[kind]);
	}
	out_json(t->o, "differences", list);
}

/* --- fixes ------------------------------------------------------------------------------------------- */

/* "leaf-03", and the number of those that are apart with it. */
static void tell_apart(const struct plan_command_told *t, const struct plan_fix *fix)
{
	char buf[300];

	out_text(t->o, "parts %s", plan_command_port_text(t, fix->first, buf, sizeof(buf)));
	if (fix->apart > 1)
		out_text(t->o, " and %u more", fix->apart - 1);
}

static void plan_command_tell_step(const struct plan_command_told *t, size_t i, const char *command)
{
	assert(i < t->fixes.n);

	const struct plan_fix *fix = &t->fixes.fix[i];
	const struct effect *x = i < t->n_effects ? &t->effect[i] : NULL;

	out_text(t->o, "  " ROW_PROSE "%s\n", command);
	if (fix->apart) {
		out_text(t->o, "    # " ROW_PROSE "step %zu ", i + 1);
		tell_apart(t, fix);
		out_text(t->o, "\n");
	}
	if (!x)
		return;
	out_text(t->o, "    # " ROW_PROSE "step %zu: other paths for %s, %" PRIu64 " cut", i + 1,
		 PLURAL(x->rerouted, "pair"), x->lost);
	if (x->regained)
		out_text(t->o, ", %" PRIu64 " regained", x->regained);
	out_text(t->o, "; highest load %u", x->max_load);
	if (x->max_at)
		out_text(t->o, ", %s", x->max_at);
	out_text(t->o, "\n");
}

static json_t *plan_command_step_json(const struct plan_command_told *t, size_t i, const char *command)
{
	assert(i < t->fixes.n);

	const struct plan_fix *fix = &t->fixes.fix[i];
	json_t *o = json_make("{s:s, s:s, s:i}", "do", plan_fix_word[fix->kind], "command", command, "apart",
			      (int)fix->apart);

	if (fix->apart)
		plan_command_put_port(t, o, "first_apart", fix->first);
	if (i < t->n_effects) {
		const struct effect *x = &t->effect[i];

		json_object_set_new(o, "effect",
				    json_make("{s:I, s:I, s:I, s:I, s:i, s:s*}", "entries",
					      (json_int_t)x->entries, "rerouted", (json_int_t)x->rerouted,
					      "lost", (json_int_t)x->lost, "regained",
					      (json_int_t)x->regained, "max_load", (int)x->max_load, "max_at",
					      x->max_at));
	}
	return o;
}

/* The first step that parts the fabric; n: none does. */
static size_t parting_step(const struct plan_fixes *x)
{
	size_t i = 0;

	while (i < x->n && !x->fix[i].apart)
		i++;
	return i;
}

static void tell_fixes(const struct plan_command_told *t)
{
	const struct plan_fixes *x = &t->fixes;
	size_t parting = parting_step(x);
	char buf[300];
	json_t *list = json_array();

	if (x->n) {
		out_text(t->o, "To mend it: %s to touch, in %s", PLURAL(x->cables, "cable"),
			 PLURAL(x->n, "step"));
		if (x->reusable)
			out_text(t->o, " (%u taken out can be put in elsewhere)", x->reusable);
		if (x->order == ORDER_SAFE)
			out_text(t->o, "; no step parts the fabric.\n");
		else
			out_text(t->o, "; %s: step %zu ",
				 x->order == ORDER_NONE ? "no order keeps the fabric together"
							: "not all orders were tried, and none that was "
							  "keeps the fabric together",
				 parting + 1);
		if (x->order != ORDER_SAFE) {
			tell_apart(t, &x->fix[parting]);
			out_text(t->o, ".\n");
		}
	}
	for (size_t i = 0; i < x->n; i++) {
		AUTO_TEXT struct text command = {0};

		plan_fix_command(t->s->fabric, &x->fix[i], &command);
		if (i < t->limit)
			plan_command_tell_step(t, i, text_str(&command));
		json_array_append_new(list, plan_command_step_json(t, i, text_str(&command)));
	}
	tell_more(t, x->n, "steps");
	if (t->n_effects && t->n_effects < x->n)
		out_text(t->o,
			 "What they do to routes was computed for the first %s of %zu; `effects=N` does "
			 "more.\n",
			 PLURAL(t->n_effects, "step"), x->n);
	if (x->cut) {
		out_text(t->o, "As planned, %s", plan_command_port_text(t, x->first_cut, buf, sizeof(buf)));
		if (x->cut > 1)
			out_text(t->o, " and %u more", x->cut - 1);
		out_text(t->o, x->cut > 1 ? " are cut off" : " is cut off");
		out_text(t->o, " from what hangs together now.\n");
	}
	if (x->left)
		out_text(t->o, "No cable mends %s: an end is not found, or no port is left for it.\n",
			 PLURAL(x->left, "difference"));
	if (x->cut && t->o->object)
		plan_command_put_port(t, t->o->object, "first_cut", x->first_cut);
	out_json(t->o, "fixes", list);
	out_fields(t->o,
		   json_make("{s:i, s:i, s:i, s:s, s:i, s:i}", "cut", (int)x->cut, "touched", (int)x->cables,
			     "reusable", (int)x->reusable, "order", plan_order_word[x->order], "left",
			     (int)x->left, "effects", (int)t->n_effects));
	if (x->order != ORDER_SAFE)
		out_json(t->o, "parting_step", json_integer((json_int_t)parting + 1));
}

/* The step has just been done in the draft. */
static int take_effect(const struct session *draft, struct effect *x, struct progress *p, struct err *e)
{
	const struct event *ev = session_event(draft);
	AUTO_ARENA struct loads *l = loads_new(ev->sweep->routing, &pattern_all, p);

	if (!l)
		return err_set(e, CANCELLED);
	if (ev->change) {
		x->entries = ev->change->entries_changed;
		x->rerouted = ev->change->rerouted;
		x->lost = ev->change->lost;
		x->regained = ev->change->regained;
	}
	x->max_load = l->max;
	if (l->max_port != NO_ID)
		x->max_at = str_dup(PORT_LABEL(draft->fabric, l->max_port));
	return 0;
}

/* Do the first n steps in a session beside this one, by their commands. */
static int find_effects(struct plan_command_told *t, size_t n, struct err *e)
{
	assert(n <= t->fixes.n && !t->effect);

	struct session *draft = session_draft(t->s);
	struct progress *p = t->o->run->progress;
	AUTO_TEXT struct text said = {0};
	struct command_run run = {.in = t->o->run->in, .progress = p, .f = text_stream(&said)};
	struct out quiet = {.run = &run};
	int rc = 0;

	t->effect = NEW_ARRAY(n + 1, struct effect);
	for (size_t i = 0; !rc && i < n; i++) {
		AUTO_TEXT struct text command = {0};

		plan_fix_command(t->s->fabric, &t->fixes.fix[i], &command);
		rc = run_edit(draft, text_str(&command), &quiet, e);
		if (!rc && !session_routing(draft))
			break; /* no engine is left */
		if (!rc)
			rc = take_effect(draft, &t->effect[t->n_effects++], p, e);
	}
	fclose(run.f);
	session_draft_free(draft);
	return rc;
}

/* For how many steps? As asked, else as many as are soon done. */
static size_t wanted_effects(const struct plan_command_told *t, const struct args *args)
{
	const struct sweep *w = session_event(t->s)->sweep;
	uint64_t hosts, n;

	if (!w || !w->routing)
		return 0;
	hosts = w->hosts->n + 1ull;
	n = args_number(args, "effects=N", EFFECT_PAIRS / (hosts * hosts) + 1);
	return n < t->fixes.n ? (size_t)n : t->fixes.n;
}

/* --- all --------------------------------------------------------------------------------------------- */

static void tell_rails(const struct plan_command_told *t, const struct plan_rails *rails)
{
	out_text(t->o, "rails: %s of %s, up to %s each: ", PLURAL(rails->groups, "group"),
		 PLURAL(rails->hosts, "host"), PLURAL(rails->rails, "rail"));
	out_fields(t->o, json_make("{s:i, s:i, s:i, s:i, s:i}", "groups", (int)rails->groups, "hosts",
				   (int)rails->hosts, "rails", (int)rails->rails, "alone", (int)rails->alone,
				   "shared", (int)rails->shared));
}

static void tell_outside(const struct plan_command_told *t)
{
	const struct plan_outside *x = &t->r->outside;
	const struct {
		const char *key, *what;
		uint32_t n;
	} reason[] = {
		{"unnamed", "of devices that it does not name", x->unnamed},
		{"hosts", "of hosts, and it has no cables of hosts", x->hosts},
		{"between", "between switches, and it has none of these", x->between},
		{"within", "within a device", x->within},
	};
	const char *before = "Outside of the plan, not compared: ";
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(reason) / sizeof(*reason); i++) {
		json_object_set_new(o, reason[i].key, json_integer(reason[i].n));
		if (!reason[i].n)
			continue;
		out_text(t->o, "%s%s %s", before, PLURAL(reason[i].n, "cable"), reason[i].what);
		before = "; ";
	}
	if (*before == ';')
		out_text(t->o, ".\n");
	out_json(t->o, "outside", o);
}

static void plan_command_tell(const struct plan_command_told *t, const char *path,
			      const struct plan_rails *rails)
{
	const char *row = t->plan->kind == CABLING_LIST ? "cable" : "host";
	size_t count[PLAN_CHANGES] = {0};
	bool same = !t->r->n && !t->plan->odd.n, complete = !t->s->fabric->warnings.missing;

	if (rails)
		row = "port";
	for (size_t i = 0; i < t->plan->odd.n && i < t->limit; i++)
		out_text(t->o, "left out   " ROW_PROSE "%s:%u: %s\n", path, t->plan->odd.w[i].line,
			 t->plan->odd.w[i].text);
	tell_more(t, t->plan->odd.n, "left out");
	out_json(t->o, "left_out", json_integer((json_int_t)t->plan->odd.n));
	plan_command_tell_unknown(t);
	tell_differences(t, count);
	if (rails)
		tell_rails(t, rails);
	else
		out_text(t->o, "%s (%s): ", path, t->plan->format);
	out_text(t->o, "%s compared, %u as planned", PLURAL(t->r->cables, row), t->r->there);
	for (int kind = 0; kind < PLAN_CHANGES; kind++)
		if (count[kind])
			out_text(t->o, ", %zu %s", count[kind], plan_change_word[kind]);
	out_text(t->o, ".\n");
	if (t->r->unplanned)
		out_text(t->o, "The plan does not name %s of the fabric.\n",
			 PLURAL(t->r->unplanned, "host adapter"));
	if (!rails)
		tell_outside(t);
	if (rails && rails->alone)
		out_text(t->o, "Of no group, not compared: %s with several cables.\n",
			 PLURAL(rails->alone, "host"));
	if (rails && rails->shared)
		out_text(t->o, "All on one switch, so that they have no rails: %s.\n",
			 PLURAL(rails->shared, "group"));
	tell_fixes(t);
	if (same && complete)
		out_text(t->o, rails ? "Each port is on its rail.\n" : "Cabled as planned.\n");
	if (!complete)
		out_text(t->o, "The fabric is incomplete: what is not known of it may be missing above, or "
			       "too much.\n");
	out_fields(t->o, json_make("{s:s, s:I, s:I, s:I, s:b}", "format", t->plan->format, "cables",
				   (json_int_t)t->r->cables, "there", (json_int_t)t->r->there, "unplanned",
				   (json_int_t)t->r->unplanned, "complete", complete));
	t->o->run->found_fault |= !same;
	t->o->run->unanswered |= !complete;
}

/* A plan of its own kind, or a fabric. */
static int load_plan(const struct fabric *f, const char *path, struct cabling *plan, struct progress *p,
		     struct err *e)
{
	struct fabric *other;
	struct err unused; /* that it is not a fabric either goes unmentioned: a plan was asked for */

	if (!cabling_load(path, plan, p, e))
		return 0;
	if (progress_cancelled(p) || fabric_load(path, &other, p, &unused))
		return progress_cancelled(p) ? err_set(e, CANCELLED) : -1;
	cabling_free(plan);
	cabling_of_fabric(other, f, plan);
	fabric_unref(other);
	return 0;
}

static int cmd_plan(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args_word(args, "FILE", NULL);
	struct progress *p = o->run->progress;
	struct cabling plan = {.format = "rails"};
	struct plan_report r = {0};
	struct plan_rails rails = {0};
	struct plan_command_told t = {s,   &plan, &r, o, args_has(args, "all") ? SIZE_MAX : LINES,
				      {0}, NULL,  0};
	int rc;

	if (path)
		rc = load_plan(s->fabric, path, &plan, p, e) || plan_compare(s->fabric, &plan, &r, p, e);
	else
		rc = plan_compare_rails(s->fabric, &rails, &r, p, e);
	if (!rc && !path && rails.shared == rails.groups)
		rc = err_set(e, "found no rails; expected two or more hosts that are all cabled to the same "
				"two or more switches");
	if (!rc)
		rc = plan_fixes_find(s->fabric, session_state(s), &r, &t.fixes, p, e);
	size_t effects = rc ? 0 : wanted_effects(&t, args);
	if (effects)
		rc = find_effects(&t, effects, e);
	if (!rc)
		plan_command_tell(&t, path, path ? NULL : &rails);
	json_t *present = rc || !path ? NULL : plan_present(s->fabric, session_state(s), &plan, &r, e);
	if (present) /* later commands name what the fabric lacks */
		session_take_present(s, present, path);
	for (size_t i = 0; i < t.n_effects; i++)
		free(t.effect[i].max_at);
	free(t.effect);
	plan_fixes_free(&t.fixes);
	plan_free(&r);
	cabling_free(&plan);
	return rc ? -1 : 0;
}

const struct command plan_commands[] = {
	{.name = "plan",
	 .group = JUDGE,
	 .syntax = "plan rails [all] [effects=N] | FILE [all] [effects=N]",
	 .numbers = (const struct arg_number[]){{.key = "effects=N", .most = UINT32_MAX}, {.key = NULL}},
	 .help = "compare the cabling with a plan; print the cables to change, and in which order",
	 .finds = "the cabling differs from the plan",
	 .json = "format string(cabling list/ibfabricconf/topo/cables/topology/fabric/rails) the format of "
		 "FILE\n"
		 "cables integer cables of the plan whose ends are in the fabric; of Slurm's hosts; of "
		 "rails: ports of hosts\n"
		 "there integer of these: as planned, but for the rate\n"
		 "complete boolean false: a part of the fabric is not in its source\n"
		 "left_out integer lines of FILE that ibscope does not understand\n"
		 "unplanned integer Slurm's: host adapters that it does not name\n"
		 "outside object? cables of the fabric that `plan` does not compare; none of rails\n"
		 "outside.unnamed integer FILE names neither end\n"
		 "outside.hosts integer of hosts, and FILE has no cables of hosts\n"
		 "outside.between integer between switches, and FILE has none of these\n"
		 "outside.within integer within one device\n"
		 "unknown[] object devices and ports of the plan that the fabric does not have\n"
		 "unknown[].device string as the plan has it\n"
		 "unknown[].port string the same; empty: the device itself is not found\n"
		 "unknown[].why string why not\n"
		 "unknown[].line integer line of FILE where it is first; 0: a dump's\n"
		 "unknown[].rows integer(1..) how many times\n"
		 "differences[] object one cable, or host\n"
		 "differences[].change string(missing/extra/wrong-port/swapped/rate/not-found/twice/leaf) "
		 "what: twice, the plan has a port twice; leaf, a host hangs elsewhere\n"
		 "differences[].line integer(1..)? line of FILE\n"
		 "differences[].a string? one end as FILE has it\n"
		 "differences[].b string? the other\n"
		 "differences[].other_line integer(1..)? swapped, twice: the other line\n"
		 "differences[].at port? a planned port\n"
		 "differences[].planned port? where it should lead; leaf, missing of rails: port 0 of the "
		 "switch\n"
		 "differences[].found port? where it leads\n"
		 "differences[].other port? swapped: the other line's port, which leads to `planned`\n"
		 "differences[].why string? not-found: why\n"
		 "differences[].planned_width width? rate\n"
		 "differences[].planned_speed speed? rate\n"
		 "differences[].width width? rate: what it is\n"
		 "differences[].speed speed? rate: what it is\n"
		 "groups integer? rails: groups of hosts that were found\n"
		 "hosts integer? rails: hosts of these\n"
		 "rails integer? rails: most that a group has\n"
		 "alone integer? rails: hosts with several cables that are of no group\n"
		 "shared integer? rails: groups with all cables on one switch: they have no rails\n"
		 "fixes[] object steps that make the fabric as planned, in their order\n"
		 "fixes[].do string(add/move/swap/remove/speed) what\n"
		 "fixes[].command string the command that does it here\n"
		 "fixes[].apart integer switches and hosts' ports that it cuts off, at least while its cable "
		 "is out\n"
		 "fixes[].first_apart port? one of them; port 0: a switch\n"
		 "fixes[].effect object? what it does to the routes as one event\n"
		 "fixes[].effect.entries integer =changed entries\n"
		 "fixes[].effect.rerouted integer =rerouted pairs\n"
		 "fixes[].effect.lost integer =lost pairs\n"
		 "fixes[].effect.regained integer =regained pairs\n"
		 "fixes[].effect.max_load integer highest load after it, all to all\n"
		 "fixes[].effect.max_at string? a port with it\n"
		 "touched integer cables to touch\n"
		 "reusable integer of these: taken out, so that they can be put in elsewhere\n"
		 "order string(safe/none/unknown) safe: no step parts the fabric; none: some step does in "
		 "any order; unknown: not all were tried\n"
		 "parting_step integer(1..)? the first step that does\n"
		 "cut integer switches and hosts' ports that the plan itself parts from the rest\n"
		 "first_cut port? one of them; port 0: a switch\n"
		 "left integer differences that no cable mends\n"
		 "effects integer steps whose effect ibscope computed\n",
	 .needs = NEEDS_FABRIC,
	 .run = cmd_plan},
	{.name = NULL},
};
