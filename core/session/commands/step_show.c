/* `step show`: one step in full. */
#include <string.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"
#include "core/session/step_about.h"
#include "core/trace/walk.h"

#define CHANGES_SHOWN 20

/* The candidates of the choice, in lines and as a list. */
static json_t *step_show_command_tell_candidates(const struct step_about *a, const struct sweep *s,
						 struct out *o)
{
	json_t *list = json_array();

	if (a->n_candidates) {
		out_text(o, "       %s:\n" ROW_BEGIN "         %-4s", a->asked, "port");
		tell_quantities(a->quantity, a->n_quantities, 13, o);
	}
	for (size_t i = 0; i < a->n_candidates; i++) {
		const struct about_candidate *c = &a->candidate[i];
		json_t *obj = json_make("{s:i, s:b}", "port", (int)c->port, "taken", c->taken);

		if (c->peer != NO_ID && c->chip == NO_ID)
			json_put_label(obj, "port", s->fabric, s->fabric->port_peer[c->peer]);
		if (c->peer != NO_ID)
			json_put_port(obj, "peer", s->fabric, s->lids, c->peer);
		if (c->chip != NO_ID)
			json_put_node(obj, "chip", s->fabric, s->lids, s->fabric->port_node[c->chip]);
		if (c->from)
			out_text(o, ROW_BEGIN "         %-4s", "-");
		else
			out_text(o, ROW_BEGIN "       %c %-4u", c->taken ? '>' : ' ', c->port);
		tell_quantity_values(a->quantity, c->q, a->n_quantities, obj, o);
		if (c->from)
			out_text(o, "  " ROW_CUT("%s") " ->", c->from);
		out_text(o, "  " ROW_CUT("%s") "\n", c->to);
		json_array_append_new(list, obj);
	}
	return list;
}

int step_show(struct session *s, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	const struct recording *r = walk_recording(w);
	struct step_about *a = step_about(r, walk_step(w), s->engines, o->run->progress, e);
	json_t *candidates;

	if (!a)
		return -1;
	out_text(o, "Step %zu of %zu of %s: %s\n", a->step, a->of, a->engine, a->phase);
	step_line(w, o);
	for (size_t i = 0; i < a->n_changes && i < CHANGES_SHOWN; i++)
		out_text(o, "       " ROW_PROSE "%s of %s: %s, was %s\n", rec_tables[a->change[i].table].name,
			 a->change[i].where, a->change[i].now_text, a->change[i].was_text);
	if (a->all_changes > CHANGES_SHOWN)
		out_text(o, "       and %s\n", PLURAL(a->all_changes - CHANGES_SHOWN, "more change"));
	if (*a->rule)
		out_text(o, "       rule: " ROW_PROSE "%s\n", a->rule);
	candidates = step_show_command_tell_candidates(a, recording_sweep(r), o);
	if (*a->told && !a->n_candidates && a->asked)
		out_text(o, "       %s:\n", a->asked);
	for (const char *line = a->told; *line;) {
		int n = (int)strcspn(line, "\n");

		out_text(o, "       " ROW_PROSE "%.*s\n", n, line);
		line += n + (line[n] == '\n');
	}
	if (*a->source)
		out_text(o, "       source: " ROW_PROSE "%s\n", a->source);
	if (*a->part)
		out_text(o, "       Recorded: %s.\n", a->part);
	step_json(w, o);
	if (a->asked)
		out_json(o, "asked", json_text(a->asked));
	out_json(o, "told", json_text(a->told));
	out_json(o, "candidates", candidates);
	step_about_free(a);
	return 0;
}
