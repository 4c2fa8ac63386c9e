#include "core/session/step_about.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"

/* --- changes ------------------------------------------------------------------------------------- */

static char *text_taken(struct text *t)
{
	return t->s ? t->s : str_dup("");
}

static void add_change(const struct recording *r, struct step_about *a, size_t *cap,
		       const struct rec_delta *d)
{
	struct text where = {0}, was = {0}, now = {0};

	if (a->all_changes++ >= ABOUT_CHANGES)
		return;
	recording_cell(r, d->table, d->at, &where);
	recording_value(r, d->table, d->at, d->was, &was);
	recording_value(r, d->table, d->at, d->now, &now);
	GROW(a->change, a->n_changes, *cap);
	a->change[a->n_changes++] = (struct about_change){.table = d->table,
							  .at = d->at,
							  .was = d->was,
							  .now = d->now,
							  .where = text_taken(&where),
							  .was_text = text_taken(&was),
							  .now_text = text_taken(&now)};
}

/* --- what it was chosen from --------------------------------------------------------------------- */

struct asking {
	const struct recording *r;
	const struct rec_event *ev;
	struct step_about *a;
};

static void copy_candidate(const struct fabric *f, const struct rec_choice *c, const struct rec_offer *o,
			   struct about_candidate *to)
{
	uint32_t from = rec_elsewhere(f, c, o);

	to->port = o->port;
	to->peer = o->peer;
	to->chip = from;
	to->taken = o->port == c->port && from == NO_ID;
	to->to = str_dup(o->peer == NO_ID ? "" : PORT_LABEL(f, o->peer));
	to->from = from == NO_ID ? NULL : str_dup(PORT_LABEL(f, from));
	memcpy(to->q, o->q, sizeof(to->q));
}

static void clear_candidates(struct step_about *a)
{
	for (size_t i = 0; i < a->n_candidates; i++) {
		free(a->candidate[i].to);
		free(a->candidate[i].from);
	}
	free(a->candidate);
	free(a->told);
}

/* Is the entry decided again after the step? */
static bool decided_again(const struct recording *r, size_t step)
{
	const struct rec_event *me = recording_event(r, step);

	for (size_t i = step + 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (rec_decides(ev) && ev->a == me->a && ev->b == me->b)
			return true;
	}
	return false;
}

/* The last decision about an entry, in the words of `why`. */
static int step_about_ask_entry(struct asking *x, const struct engine *const *engines, struct progress *p,
				struct err *e)
{
	const struct fabric *f = recording_sweep(x->r)->fabric;
	struct rec_choice *c;

	x->a->asked = str_printf("candidates for LID %u on %s%s", x->ev->b, switch_name(f, x->ev->a),
				 decided_again(x->r, x->a->step) ? ", which is decided again later" : "");
	if (recording_choice(x->r, x->a->step, engines, &c, p, e))
		return -1;
	if (c) {
		/* Take over what an engine tells about a choice. */
		x->a->n_quantities = c->n_quantities;
		for (unsigned q = 0; q < c->n_quantities; q++)
			x->a->quantity[q] = c->quantity[q];
		x->a->candidate = NEW_ARRAY(c->n_offers + 1u, struct about_candidate);
		for (unsigned i = 0; i < c->n_offers; i++)
			copy_candidate(f, c, &c->offer[i], &x->a->candidate[x->a->n_candidates++]);
		if (c->decided.rule)
			x->a->told = str_printf("%s: %s", why_rule_name(c->decided.rule),
						text_str(&c->decided.text));
		else
			x->a->told = str_dup(text_str(&c->text));
	}
	rec_choice_free(c);
	return 0;
}

/* LIDs for a pair of switches. If layers depend on LIDs: a LID of a host on a, and the changed LID. */
static void pair_lids(const struct asking *x, uint32_t a, uint32_t b, unsigned *from, unsigned *to)
{
	const struct sweep *s = recording_sweep(x->r);
	const struct fabric *f = s->fabric;

	*from = s->lids->base[f->port_endport[f->switch_port[a]]];
	*to = s->lids->base[f->port_endport[f->switch_port[b]]];
	if (!s->routing->ops->sl_by_source)
		return;
	for (uint32_t ep = f->n_endports; ep-- > 0;)
		if (s->topo->endport_switch[ep] == a && !endport_is_switch(f, ep) && s->lids->base[ep])
			*from = s->lids->base[ep];
	if (x->a->n_changes && x->a->change[0].table == T_LAYER)
		*to = x->a->change[0].at % (s->lids->max_lid + 1u);
}

/* A pair of switches: the engine's final word on its layer. */
static void ask_pair(const struct asking *x, struct progress *p)
{
	const struct sweep *s = recording_sweep(x->r);
	const struct fabric *f = s->fabric;
	uint32_t a = x->ev->a / f->n_switches, b = x->ev->a % f->n_switches;
	unsigned from, to;
	struct text t = {0};

	if (!s->routing || strcmp(s->routing->engine, recording_engine(x->r)) != 0 ||
	    !s->routing->ops->explain_pair)
		return;
	pair_lids(x, a, b, &from, &to);
	if (!from || !to)
		return;
	x->a->asked = str_printf("the layer of %s, %s in the end", switch_name(f, a), switch_name(f, b));
	s->routing->ops->explain_pair(s->routing, from, to, &t, p);
	free(x->a->told);
	x->a->told = text_taken(&t);
}

static int step_about_ask(const struct recording *r, struct walk *w, struct step_about *a,
			  const struct engine *const *engines, struct progress *p, struct err *e)
{
	const struct rec_event *ev = walk_event(w);
	struct asking x = {.r = r, .ev = ev, .a = a};

	if (rec_decides(ev))
		return step_about_ask_entry(&x, engines, p, e);
	if (rec_kinds[ev->kind].a == FIELD_PAIR)
		ask_pair(&x, p);
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

/* --- all of it -------------------------------------------------------------------------------------- */

struct step_about *step_about(const struct recording *r, size_t step, const struct engine *const *engines,
			      struct progress *p, struct err *e)
{
	struct step_about *a;
	struct walk *w;
	int rc;

	if (mem_room(e, walk_room(r), "tables of a walk"))
		return NULL;
	w = walk_new(r);
	a = NEW(struct step_about);
	a->step = step;
	rc = walk_to(w, step, p) ? err_set(e, CANCELLED) : 0;
	if (!rc) {
		const struct rec_event *ev = walk_event(w);
		struct text t = {0};
		uint32_t cursor = 0;
		size_t cap = 0;
		struct rec_delta d;

		a->of = recording_steps(r);
		a->engine = recording_engine(r);
		a->phase = str_dup(walk_phase(w));
		a->part = str_dup(recording_part(r));
		a->kind = ev ? rec_kinds[ev->kind].name : "";
		a->rule = ev ? recording_rule(r, ev) : "";
		a->source = ev ? recording_source(r, ev) : "";
		walk_sentence(w, &t);
		a->sentence = text_taken(&t);
		while (walk_next_delta(w, &cursor, &d))
			add_change(walk_recording(w), a, &cap, &d);
	}
	if (!rc && step && engines)
		rc = step_about_ask(r, w, a, engines, p, e);
	walk_free(w);
	if (!rc && !a->told)
		a->told = str_dup("");
	if (!rc)
		return a;
	step_about_free(a);
	return NULL;
}

void step_about_free(struct step_about *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n_changes; i++) {
		free(a->change[i].where);
		free(a->change[i].was_text);
		free(a->change[i].now_text);
	}
	free(a->change);
	clear_candidates(a);
	free(a->phase);
	free(a->sentence);
	free(a->part);
	free(a->asked);
	free(a);
}
