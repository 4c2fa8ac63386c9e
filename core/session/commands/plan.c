/* `plan`: is it cabled as it was planned? */
#include "core/analysis/compare/plan.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

#include <string.h>

#define LINES 20 /* of one kind, without `all` */

struct told {
	const struct session *s;
	const struct cabling *plan;
	const struct plan_report *r;
	struct out *o;
	size_t limit;
};

static const char *port_text(const struct told *t, uint32_t port, char *buf, size_t size)
{
	return port_label(t->s->fabric, port, buf, size);
}

/* One end of a row, in the plan's own words. */
static const char *end_text(const struct planned_end *end, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", end->device, end->port ? " " : "", end->port ? end->port : "");
	return buf;
}

static void tell_rate(const struct told *t, const struct plan_difference *d)
{
	const struct fabric *f = t->s->fabric;
	const struct planned_cable *want = &t->plan->row[d->row];

	out_text(t->o, " is %s%s, planned: %s%s", link_width_name(f->port_width[d->at]),
		 link_speed_name(f->port_speed[d->at]), want->width ? link_width_name(want->width) : "",
		 want->speed ? link_speed_name(want->speed) : "");
}

static void tell_text(const struct told *t, const struct plan_difference *d)
{
	const struct fabric *f = t->s->fabric;
	const struct planned_cable *want = d->row == NO_ID ? NULL : &t->plan->row[d->row];
	char at[300], planned[300], found[300], other[300];

	port_text(t, d->at, at, sizeof(at));
	port_text(t, d->found, found, sizeof(found));
	port_text(t, d->other, other, sizeof(other));
	if (want && d->change != PLAN_LEAF && d->planned == NO_ID)
		end_text(&want->end[1], planned, sizeof(planned));
	else
		port_text(t, d->planned, planned, sizeof(planned));
	if (want && d->at == NO_ID)
		end_text(&want->end[0], at, sizeof(at));
	out_text(t->o, "%-10s ", plan_change_word[d->change]);
	if (want)
		out_text(t->o, "line %u: ", want->line);
	if (d->change == PLAN_MISSING)
		out_text(t->o, "%s - %s", at, planned);
	else if (d->change == PLAN_EXTRA)
		out_text(t->o, "%s - %s", at, found);
	else if (d->change == PLAN_WRONG_PORT)
		out_text(t->o, "%s leads to %s, planned: %s", at, found, planned);
	else if (want && d->change == PLAN_SWAPPED)
		out_text(t->o, "%s leads to %s, and %s to %s; planned the other way round (line %u)", at,
			 found, other, planned, t->plan->row[d->other_row].line);
	else if (want && d->change == PLAN_TWICE)
		out_text(t->o, "%s - %s, but line %u has %s too", at, planned,
			 t->plan->row[d->other_row].line, at);
	else if (want && d->change == PLAN_LEAF)
		out_text(t->o, "%s hangs on %s, planned: %s", want->end[0].device,
			 d->found == NO_ID ? "nothing" : found, want->end[1].device);
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

static void put_port(const struct told *t, json_t *x, const char *key, uint32_t port)
{
	if (port != NO_ID)
		json_put_port(x, key, t->s->fabric, session_lids(t->s), port);
}

static json_t *difference_json(const struct told *t, const struct plan_difference *d)
{
	json_t *x = json_make("{s:s}", "change", plan_change_word[d->change]);
	char end[300];

	if (d->row != NO_ID) {
		const struct planned_cable *want = &t->plan->row[d->row];

		json_object_set_new(x, "line", json_integer(want->line));
		json_object_set_new(x, "a", json_text(end_text(&want->end[0], end, sizeof(end))));
		json_object_set_new(x, "b", json_text(end_text(&want->end[1], end, sizeof(end))));
	}
	if (d->other_row != NO_ID)
		json_object_set_new(x, "other_line", json_integer(t->plan->row[d->other_row].line));
	put_port(t, x, "at", d->at);
	put_port(t, x, "planned", d->planned);
	put_port(t, x, "found", d->found);
	put_port(t, x, "other", d->other);
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

static void tell_more(const struct told *t, size_t n, const char *what)
{
	if (n > t->limit)
		out_text(t->o, "  ... %zu more %s; `plan FILE all` prints them\n", n - t->limit, what);
}

static void tell_unknown(const struct told *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->r->n_unknown; i++) {
		const struct plan_unknown *u = &t->r->unknown[i];
		unsigned line = t->plan->row[u->row].line;

		if (i < t->limit)
			out_text(t->o, "not found  %s%s%s: %s (line %u%s)\n", u->device, *u->port ? " " : "",
				 u->port, u->why, line, u->rows > 1 ? " and more" : "");
		json_array_append_new(list, json_make("{s:s, s:s, s:s, s:i, s:i}", "device", u->device,
						      "port", u->port, "why", u->why, "line", (int)line,
						      "rows", (int)u->rows));
	}
	tell_more(t, t->r->n_unknown, "not found");
	out_json(t->o, "unknown", list);
}

static void tell(const struct told *t, const char *path)
{
	const char *row = t->plan->kind == CABLING_LIST ? "cable" : "host";
	size_t count[PLAN_CHANGES] = {0};
	bool same = !t->r->n && !t->plan->odd.n, complete = !t->s->fabric->warnings.missing;
	json_t *list = json_array();

	for (size_t i = 0; i < t->plan->odd.n && i < t->limit; i++)
		out_text(t->o, "left out   %s:%u: %s\n", path, t->plan->odd.w[i].line,
			 t->plan->odd.w[i].text);
	tell_more(t, t->plan->odd.n, "left out");
	out_json(t->o, "left_out", json_integer((json_int_t)t->plan->odd.n));
	tell_unknown(t);
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
	out_text(t->o, "%s (%s): %s compared, %u as planned", path, t->plan->format,
		 PLURAL(t->r->cables, row), t->r->there);
	for (int kind = 0; kind < PLAN_CHANGES; kind++)
		if (count[kind])
			out_text(t->o, ", %zu %s", count[kind], plan_change_word[kind]);
	out_text(t->o, ".\n");
	if (t->r->unplanned)
		out_text(t->o, "The plan does not name %s of the fabric.\n",
			 PLURAL(t->r->unplanned, "host adapter"));
	if (same && complete)
		out_text(t->o, "Cabled as planned.\n");
	if (!complete)
		out_text(t->o, "The fabric is incomplete: what is not known of it may be missing above, or "
			       "too much.\n");
	out_fields(t->o, json_make("{s:s, s:I, s:I, s:I, s:b}", "format", t->plan->format, "cables",
				   (json_int_t)t->r->cables, "there", (json_int_t)t->r->there, "unplanned",
				   (json_int_t)t->r->unplanned, "complete", complete));
	t->o->run->found_fault |= !same || !complete;
}

static int cmd_plan(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args_word(args, "FILE", "");
	struct cabling plan;
	struct plan_report r = {0};
	int rc = cabling_load(path, &plan, o->run->progress, e);

	if (!rc)
		rc = plan_compare(s->fabric, &plan, &r, o->run->progress, e);
	if (!rc) {
		struct told t = {s, &plan, &r, o, args_has(args, "all") ? SIZE_MAX : LINES};

		tell(&t, path);
	}
	plan_free(&r);
	cabling_free(&plan);
	return rc;
}

const struct command plan_commands[] = {
	{.name = "plan",
	 .syntax = "plan FILE [all]",
	 .help = "is it cabled as it was planned?",
	 .finds = "the fabric is cabled otherwise, or incomplete",
	 .details = "  FILE: a table of cables (StartDevice, StartPort, EndDevice, EndPort as UFM has it, or "
		    "node,port,node,port),\n  .topo, .cables, ibfabricconf.xml; or Slurm's topology.conf or "
		    "`scontrol show topology`: then hosts under another\n  switch than Slurm believes are "
		    "named.  Cables count, up or not.  Wires within a director count only if the plan\n  has "
		    "them; extra cables are those of its devices, of hosts if it has cables of hosts.  A "
		    "kind with many lines is cut;\n  all prints all.\n",
	 .json = "format string(cabling list/ibfabricconf/topo/cables/topology) what FILE is\n"
		 "cables integer cables of the plan whose ends are in the fabric; of Slurm's hosts\n"
		 "there integer of these: as planned, but for the rate\n"
		 "complete boolean false: a part of the fabric is not in its source\n"
		 "left_out integer lines of FILE that are not understood\n"
		 "unplanned integer Slurm's: host adapters that it does not name\n"
		 "unknown[] object devices and ports of the plan that are not found\n"
		 "unknown[].device string as the plan has it\n"
		 "unknown[].port string the same; empty: the device itself is not found\n"
		 "unknown[].why string why not\n"
		 "unknown[].line integer(1..) line of FILE where it is first\n"
		 "unknown[].rows integer(1..) how many times\n"
		 "differences[] object one cable, or host\n"
		 "differences[].change string(missing/extra/wrong-port/swapped/rate/not-found/twice/leaf) "
		 "what: twice, the plan has a port twice; leaf, a host hangs elsewhere\n"
		 "differences[].line integer(1..)? line of FILE\n"
		 "differences[].a string? one end as FILE has it\n"
		 "differences[].b string? the other\n"
		 "differences[].other_line integer(1..)? swapped, twice: the other line\n"
		 "differences[].at port? a planned port\n"
		 "differences[].planned port? where it should lead; leaf: port 0 of the switch\n"
		 "differences[].found port? where it leads\n"
		 "differences[].other port? swapped: the other line's port, which leads to `planned`\n"
		 "differences[].why string? not-found: why\n"
		 "differences[].planned_width width? rate\n"
		 "differences[].planned_speed speed? rate\n"
		 "differences[].width width? rate: what it is\n"
		 "differences[].speed speed? rate: what it is\n",
	 .needs = NEEDS_FABRIC,
	 .run = cmd_plan},
	{.name = NULL},
};
