/* The choice of ports in a recording: events, and the sentences that are made of them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "engines/counted/internal.h"
#include "engines/record.h"

/* --- the rule, as `why` decides it (assign_sentences.c)
 * ------------------------------------------------------ */

/* Parts of the fabric that no cables join: one number for the switches of each. */
static void number_parts(struct assign *a)
{
	uint32_t n = a->f->n_switches, end;
	uint32_t *queue = NEW_ARRAY(n + 1, uint32_t);

	a->part = NEW_ARRAY(n + 1, uint32_t);
	for (uint32_t first = 0; first < n; first++) {
		if (a->part[first])
			continue;
		end = 0;
		queue[end++] = first;
		a->part[first] = first + 1;
		for (uint32_t i = 0; i < end; i++)
			for (unsigned p = 1; p <= a->f->switch_nports[queue[i]]; p++) {
				uint32_t r = a->t->peer_switch[switch_port_id(a->f, queue[i], p)];

				if (r == NO_ID || a->part[r])
					continue;
				a->part[r] = first + 1;
				queue[end++] = r;
			}
	}
	free(queue);
}

static enum why_rule no_entry(struct assign *a, const struct dest *d)
{
	if (d->target == NO_ID)
		return WHY_NOT_ATTACHED;
	if (!a->part)
		number_parts(a);
	if (a->part[a->sw] != a->part[d->target])
		return WHY_CUT_OFF;
	if (hops_least(a->h, a->sw, d->target) != NO_PATH)
		return a->in->left && a->in->left->hops ? WHY_LEFT_COUNTER : WHY_NOT_IN_FILE;
	if (!strcmp(a->out->engine, "file") && options_file(a->in->options, "lid_matrix_dump_file"))
		return WHY_NOT_IN_FILE;
	return WHY_COST;
}

/* Does DOR drop a port of least hops? */
static bool drops(const struct assign *a, const uint64_t *mask, unsigned n)
{
	unsigned all = 0;

	for (unsigned p = 1; p < a->num_ports; p++)
		all += mask_has(mask, p);
	return a->dor && all > n;
}

/* Of n candidates by counts. */
static enum why_rule by_count(const struct assign *a, unsigned n, unsigned port)
{
	uint32_t least = UINT32_MAX;
	unsigned equal = 0, first = 0;

	if (assign_but_for_left(a, n, port, 0))
		return WHY_LEFT_COUNTER;
	for (unsigned i = 0; i < n; i++) {
		if (a->cand[i].count < least) {
			least = a->cand[i].count;
			first = a->cand[i].port;
			equal = 0;
		}
		equal += a->cand[i].count == least;
	}
	if (equal == 1)
		return WHY_LEAST_COUNT;
	if (a->shifting)
		return WHY_SHIFTED;
	return first == port ? WHY_FIRST_OF_EQUALS : WHY_LEAST_FORWARDED;
}

static enum why_rule rule_of(struct assign *a, const struct dest *d, const uint64_t *mask,
			     const struct choice *c)
{
	unsigned n = c->n;

	if (d->target == a->sw && d->target != NO_ID)
		return c->port ? WHY_ATTACHED : WHY_OWN_LID;
	if (c->port == NO_PATH)
		return no_entry(a, d);
	if (c->rule == assign_kept)
		return WHY_KEPT;
	if (!n)
		n = assign_list_candidates(a, mask, 1);
	if (drops(a, mask, n))
		return WHY_FIRST_NEIGHBOUR;
	if (c->rule == assign_random)
		return WHY_RANDOM;
	if (n == 1)
		return WHY_ONLY_CANDIDATE;
	if (c->rule && !strcmp(c->rule, why_rule_name(WHY_NEW_SYSTEM)))
		return WHY_NEW_SYSTEM;
	if (c->rule && !strcmp(c->rule, why_rule_name(WHY_NEW_NODE)))
		return WHY_NEW_NODE;
	return by_count(a, n, c->port);
}

static const char *choice_source(enum why_rule rule)
{
	switch (rule) {
	case WHY_SHIFTED:
		return "minhop.md 6; opensm(8), port_shifting";
	case WHY_KEPT:
		return "minhop.md 8; Mellanox OFED manual 8.5.1";
	case WHY_RANDOM:
		return "minhop.md 6.2; opensm(8), scatter_ports";
	case WHY_LEFT_COUNTER:
		return "minhop.md 10.1; OpenSM 3.3.23";
	case WHY_LINE:
	case WHY_AS_READ:
	case WHY_NOT_IN_FILE:
		return "opensm(8), lfts_file";
	default:
		return "minhop.md 6.1; OpenSM 3.3.23";
	}
}

const char *assign_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_LEARN:
		return "minhop.md 4.2; Bellman 1958, Ford 1956";
	case REC_CHOICE:
		return choice_source(ev->rule);
	case REC_TABLE:
		return "minhop.md 6; OpenSM 3.3.23";
	default:
		return NULL;
	}
}

/* --- events ---------------------------------------------------------------------------------------- */

void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  const struct choice *c)
{
	struct recorder *r = a->in->record;
	bool counted = c->port != NO_PATH && !(d->is_switch && !a->profile_switches) &&
		       !(a->ignore && a->ignore[c->port]);

	rec_event(r, REC_CHOICE, rule_of(a, d, mask, c), c->port, a->sw, lid);
	if (counted)
		rec_flag(r, REC_COUNTED);
	rec_delta(r, T_ENTRY, a->sw * (a->in->lids->max_lid + 1u) + lid, NO_PATH, c->port);
}

void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			enum why_rule rule)
{
	rec_event(in->record, REC_CHOICE, rule, port, sw, lid);
	rec_delta(in->record, T_ENTRY, sw * (in->lids->max_lid + 1u) + lid, was, port);
}

void assign_record_start(const struct assign *a)
{
	struct recorder *r = a->in->record;
	const struct leftovers *l = a->in->left;

	rec_cells(r, T_COUNT, a->f->n_ports);
	if (!l || !l->count)
		return;
	rec_text(r, REC_NOTE, "routes counted by an engine that refused stay counted");
	for (uint32_t p = 0; p < a->f->n_ports; p++)
		rec_delta(r, T_COUNT, p, 0, l->count[p]);
}

void assign_record_switch(const struct assign *a)
{
	rec_event(a->in->record, REC_TABLE, 0, 0, a->sw, 0);
}

/* --- sentences ----------------------------------------------------------------------------------- */

/* Candidates of a choice as the matrix has them: port and routes before it. */
static void say_candidates(const struct walk *w, const struct rec_event *ev, uint32_t target, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	const struct fabric *f = s->fabric;
	uint32_t p0 = f->switch_port[ev->a], column = target * f->n_ports;
	unsigned least = walk_value(w, T_HOPS, column + p0), n = 0;
	struct text list = {0};

	for (unsigned p = 1; least != NO_PATH && p <= f->switch_nports[ev->a]; p++) {
		if (s->topo->peer[p0 + p] == NO_ID || walk_value(w, T_HOPS, column + p0 + p) != least)
			continue;
		n++;
		text_add(&list, " %s%u:%u", p == ev->port ? ">" : "", p,
			 walk_value(w, T_COUNT, p0 + p) - (p == ev->port && (ev->flags & REC_COUNTED)));
	}
	if (n > 1)
		text_add(t, " of %s", PLURAL(n, "candidate"));
	if (n)
		text_add(t, " at %s", PLURAL(least, "hop"));
	text_add(t, ev->flags & REC_COUNTED ? "; counted"
		    : ev->port == NO_PATH   ? "; no entry"
					    : "; not counted");
	if (n)
		text_add(t, "  [port:routes%s]", text_str(&list));
	text_free(&list);
}

static void say_choice(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	uint32_t owner = lid_owner(s->lids, ev->b),
		 target = owner == NO_ID ? NO_ID : s->topo->endport_switch[owner];
	char name[300] = "nobody";

	if (owner != NO_ID)
		endport_label(s->fabric, owner, name, sizeof(name));
	text_add(t, "%s LID %u (%s) -> ", switch_name(s->fabric, ev->a), ev->b, name);
	if (ev->port == NO_PATH)
		text_add(t, "no port: ");
	else
		text_add(t, "port %u: ", ev->port);
	text_add(t, "%s", recording_rule(r, ev));
	if (target != NO_ID && target != ev->a)
		say_candidates(w, ev, target, t);
}

static void say_table(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t p0 = s->fabric->switch_port[ev->a];
	unsigned entries = 0;

	for (unsigned lid = 1; lid <= s->lids->max_lid; lid++)
		entries += walk_value(w, T_ENTRY, ev->a * (s->lids->max_lid + 1u) + lid) != NO_PATH;
	text_add(t, "%s: table finished: %s; routes counted per port:", switch_name(s->fabric, ev->a),
		 PLURAL(entries, "entry"));
	for (unsigned p = 0; p <= s->fabric->switch_nports[ev->a]; p++)
		if (walk_value(w, T_COUNT, p0 + p))
			text_add(t, " %u:%u", p, walk_value(w, T_COUNT, p0 + p));
}

/* The targets a switch learned: one by name, or how many. */
static void say_learn(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	const struct fabric *f = s->fabric;
	uint32_t id = switch_port_id(f, ev->a, ev->port), peer = s->topo->peer_switch[id], cursor = 0, n = 0,
		 target = NO_ID;
	unsigned value = 0;
	struct rec_delta d;

	while (recording_next_delta(r, walk_step(w), &cursor, &d))
		if (d.at % f->n_ports == id) {
			n++;
			target = d.at / f->n_ports;
			value = d.now;
		}
	if (!n) /* a cable of the greatest weight */
		text_add(t, "round %u: %s learns nothing from %s by port %u", ev->b, switch_name(f, ev->a),
			 switch_name(f, peer), ev->port);
	else if (n == 1)
		text_add(t, "round %u: %s reaches %s by port %u: %s", ev->b, switch_name(f, ev->a),
			 switch_name(f, target), ev->port, PLURAL(value, "hop"));
	else
		text_add(t,
			 "round %u: %s takes %s from %s by port %u, the hops from there and those of the "
			 "cable",
			 ev->b, switch_name(f, ev->a), PLURAL(n, "target"), switch_name(f, peer), ev->port);
}

void assign_sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);

	if (ev->kind == REC_CHOICE)
		say_choice(w, ev, t);
	else if (ev->kind == REC_TABLE)
		say_table(w, ev, t);
	else if (ev->kind == REC_LEARN)
		say_learn(w, ev, t);
}
