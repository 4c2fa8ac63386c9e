/* Command why at a step of a walk through a run: what is decided there, and what is still open. */
#include <string.h>

#include "core/base/err.h"
#include "core/session/commands/why.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"

/* The step that decides an entry: up to the walk's step, or after it (later). 0: none. */
static size_t deciding_step(const struct walk *w, uint32_t sw, unsigned lid, bool later)
{
	const struct recording *r = walk_recording(w);
	size_t from = later ? walk_step(w) + 1 : 1, to = later ? recording_steps(r) : walk_step(w), found = 0;

	for (size_t i = from; i <= to && !(later && found); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (rec_decides(ev) && ev->a == sw && ev->b == lid)
			found = i;
	}
	return found;
}

static uint32_t why_step_command_cell(const struct walk *w, uint32_t sw, unsigned lid)
{
	return sw * (recording_sweep(walk_recording(w))->lids->max_lid + 1u) + lid;
}

bool why_open(const struct why *y, uint32_t sw, unsigned lid, struct text *t, size_t *when)
{
	const struct recording *r = y->walk ? walk_recording(y->walk) : NULL;

	*when = 0;
	if (!r || walk_decided(y->walk, sw, lid) ||
	    walk_value(y->walk, T_ENTRY, why_step_command_cell(y->walk, sw, lid)) !=
		    NO_PATH) /* kept from the start */
		return false;
	*when = deciding_step(y->walk, sw, lid, true);
	if (!recording_keeps(r, T_ENTRY, why_step_command_cell(y->walk, sw, lid))) {
		text_add(t, "not in the part of the run that is recorded");
	} else if (*when) {
		text_add(t, "not decided yet at step %zu; it is decided at step %zu", walk_step(y->walk),
			 *when);
	} else if (recording_refusal(r)) {
		text_add(t, "not decided at step %zu, nor before %s refuses", walk_step(y->walk),
			 recording_engine(r));
	} else {
		text_add(t, "no step of the run decides it");
		return routing_port(recording_sweep(r)->routing, sw, lid) != NO_PATH ||
		       walk_step(y->walk) < recording_steps(r);
	}
	return true;
}

int why_repeat(const struct why *y, const struct rec_ask *ask, struct err *e)
{
	const struct recording *r = y->walk ? walk_recording(y->walk) : NULL;
	struct sweep_repeat q = {.engines = y->s->engines, .ask = ask, .progress = y->o->run->progress};
	const struct routing *made = r ? recording_sweep(r)->routing : NULL;

	if (!r)
		return rec_ask_again(y->w, &q, e);
	if (!made || strcmp(made->engine, recording_engine(r)) != 0)
		q.engine = recording_engine(r);
	/* an engine that refused still reports everything up to its refusal */
	if (sweep_repeat(recording_sweep(r), &q, NULL, e) &&
	    (!recording_refusal(r) || err_is_memory(e) || progress_cancelled(y->o->run->progress)))
		return -1;
	return 0;
}

bool why_entry_open(struct why *y)
{
	struct text t = {0};
	size_t when;
	bool open = why_open(y, y->sw, y->lid, &t, &when);

	if (open) {
		out_text(y->o, "The entry of %s for LID %u: %s.\n", switch_name(y->w->fabric, y->sw), y->lid,
			 text_str(&t));
		if (routing_port(y->w->routing, y->sw, y->lid) != NO_PATH)
			out_text(y->o, "Its route is found: by port %u.\n",
				 routing_port(y->w->routing, y->sw, y->lid));
		if (when)
			out_json(y->o, "decided_at", json_integer((json_int_t)when));
	}
	text_free(&t);
	return open;
}

bool why_entry_early(struct why *y)
{
	size_t when = y->walk ? deciding_step(y->walk, y->sw, y->lid, false) : 0,
	       again = when ? deciding_step(y->walk, y->sw, y->lid, true) : 0;
	const struct recording *r = again ? walk_recording(y->walk) : NULL;
	struct walk *w;
	struct text t = {0};

	if (!again)
		return false;
	w = walk_new(r);
	walk_to(w, when, NULL);
	walk_sentence(w, &t);
	out_text(y->o, "%s.\nIt is decided again at step %zu.\n", text_str(&t), again);
	out_text(y->o, "Decided: %s: %s.\n", recording_rule(r, walk_event(w)), text_str(&t));
	out_fields(y->o, json_make("{s:s, s:s, s:I}", "rule", recording_rule(r, walk_event(w)), "decided",
				   text_str(&t), "decided_at", (json_int_t)again));
	text_free(&t);
	walk_free(w);
	return true;
}
