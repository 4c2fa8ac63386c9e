/* What is told of a transition. */
#include "core/analysis/compare/transition.h"
#include "core/base/defs.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"

#include <inttypes.h>

struct transition *transition_of(const struct sweep *from, const struct sweep *to,
				 const struct routing *counted, struct progress *p, struct err *e)
{
	return transition_new(from->routing, counted, (struct transition_sent){to->flapped, !to->number}, p,
			      e);
}

void mix_way_text(const struct transition *t, const struct mix_way *w, struct text *to)
{
	const struct fabric *f = t->b->topo->fabric;
	const char *arrow = w->loop && w->n == 2 ? " <-> " : " -> ";
	uint32_t shown = MIN(w->n, 8);

	for (uint32_t i = 0; i < shown; i++)
		text_add(to, "%s%s", i ? arrow : "", switch_name(f, w->hop[i].sw));
	if (shown < w->n)
		text_add(to, " -> ... %u more", w->n - shown);
	if (!w->loop)
		text_add(to, " -> nowhere");
	else if (w->n != 2)
		text_add(to, " -> %s", switch_name(f, w->hop[0].sw));
	text_add(to, " for LID %u", w->lid);
}

static void transition_text_example(const struct transition *t, const struct mix_way *w, struct text *to)
{
	if (!w->lid)
		return;
	text_add(to, ": ");
	mix_way_text(t, w, to);
}

/* "310 pairs loop and 20 are cut" */
static void harm(uint64_t looping, uint64_t cut, struct text *to)
{
	if (looping)
		text_add(to, "%s %s", PLURAL(looping, "pair"), looping == 1 ? "loops" : "loop");
	if (cut && looping)
		text_add(to, " and %" PRIu64 " %s cut", cut, cut == 1 ? "is" : "are");
	else if (cut)
		text_add(to, "%s %s cut", PLURAL(cut, "pair"), cut == 1 ? "is" : "are");
}

void transition_sentence(const struct transition *t, struct text *to)
{
	const struct mix_pairs *w = t->worst == NO_ID ? NULL : &t->write[t->worst].after;

	if (!t->pairs) {
		text_add(to, "No pair of hosts: there is nothing to judge.");
	} else if (!t->entries) {
		text_add(to, "Nothing to write: no entry changes.");
	} else if (w) {
		if (t->bad_from == t->bad_to)
			text_add(to, "After write %u, ", t->bad_from + 1);
		else
			text_add(to, "Between writes %u and %u up to ", t->bad_from + 1, t->bad_to + 1);
		harm(w->looping, w->cut, to);
		transition_text_example(t, &t->at_worst, to);
		text_add(to, ".");
	} else if (t->b->topo->fabric->warnings.missing) {
		text_add(to, "No harm found in the part of the fabric that is known.");
	} else if (t->before.looping) {
		text_add(to, "The old tables loop %s; the order of writes adds nothing to it.",
			 PLURAL(t->before.looping, "pair"));
	} else if (t->wire_lids) {
		text_add(to,
			 "Safe in OpenSM's order only one write after the other: with %d under way pairs to "
			 "%s ",
			 WRITES_ON_WIRE, PLURAL(t->wire_lids, "LID"));
		text_add(to, "can loop or be cut");
		transition_text_example(t, &t->on_wire, to);
		text_add(to, ".");
	} else if (!transition_safe(t)) {
		text_add(to, "Safe in OpenSM's order, though not in any.");
	} else {
		text_add(to, "Safe in any order: no pair loops, and none is cut that was not.");
	}
}

/* "leaf-01[3] -> spine-02[4] -> leaf-01[3], VL 0" */
static void circle_text(const struct fabric *f, const struct mix_credit *c, struct text *to)
{
	uint32_t shown = MIN(c->n, 8);
	bool one_vl = true;

	for (uint32_t i = 0; i < c->n; i++)
		one_vl &= c->circle[i].vl == c->circle[0].vl;
	for (uint32_t i = 0; i <= shown; i++) {
		const struct mix_channel *ch = &c->circle[i == shown ? 0 : i];

		if (i == shown && shown < c->n)
			text_add(to, " -> ... %u more", c->n - shown);
		text_add(to, "%s%s", i ? " -> " : "", PORT_LABEL(f, ch->port));
		if (!one_vl)
			text_add(to, " VL %u", ch->vl);
	}
	if (one_vl)
		text_add(to, ", VL %u", c->circle[0].vl);
}

void credit_sentence(const struct transition *t, struct text *to)
{
	const struct mix_credit *c = &t->credit;
	const struct fabric *f = t->b->topo->fabric;
	const char *mixed = routing_has_sls(t->a) || routing_has_sls(t->b) ? "old and new routes and SLs"
									   : "old and new routes";

	if (!t->pairs || !t->entries)
		return;
	if (c->found == CREDIT_MADE)
		text_add(to, "A mix of %s makes a credit loop: ", mixed);
	else if (c->found == CREDIT_UNKNOWN)
		text_add(to, "It was not decided whether a mix of %s makes this credit loop: ", mixed);
	else if (c->found == CREDIT_NOT_MADE)
		text_add(to, "No single mix makes a new credit loop; all %s together do: ", mixed);
	else if (c->old || c->now)
		text_add(to, "Credit loops as before: ");
	else
		text_add(to, "No credit loop in any mix of %s%s.", mixed,
			 f->warnings.missing ? " that are known" : "");
	if (c->found != CREDIT_NONE) {
		circle_text(f, c, to);
		text_add(to, ".");
	}
	if (c->old || c->now)
		text_add(to, "%sthe %s tables have some of their own.",
			 c->found == CREDIT_NONE ? "" : "  Beside it, ",
			 c->old && c->now ? "old and the new"
			 : c->old	  ? "old"
					  : "new");
}

const struct mix_way *transition_shown(const struct transition *t, struct text *when)
{
	if (t->at_worst.lid) {
		text_add(when, "after write %u", t->worst + 1);
		return &t->at_worst;
	}
	if (t->on_wire.lid) {
		text_add(when, "while writes up to %u are under way", t->wire_write + 1);
		return &t->on_wire;
	}
	if (t->any.lid)
		text_add(when, "in some order of the writes");
	return t->any.lid ? &t->any : NULL;
}
