/* The choice of ports in a recording: events, and the sentences that are made of them. */
#include <string.h>

#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "engines/assign_parts.h"
#include "engines/record.h"

enum { RULE_ONLY, RULE_LEAST, RULE_FIRST, RULE_FORWARDED, RULE_SHIFTED, RULE_NAMED };

/* From RULE_NAMED on as struct choice names them. */
const char *const assign_rules[] = {"only candidate",
				    "least count",
				    "first of equals",
				    "least forwarded",
				    "shifted",
				    "own LID",
				    "attached here",
				    "not attached to a switch",
				    "unreachable",
				    "kept",
				    "random",
				    "no candidate",
				    "new system",
				    "new node",
				    "from the file",
				    "as read",
				    NULL};

const char *assign_source(const struct rec_event *ev)
{
	static const char choose[] = "minhop.md 6.1; OpenSM 3.3.23", file[] = "opensm(8), lfts_file";
	static const char *const choice[] = {
		[RULE_ONLY] = choose,
		[RULE_LEAST] = choose,
		[RULE_FIRST] = choose,
		[RULE_FORWARDED] = choose,
		[RULE_SHIFTED] = "minhop.md 6; opensm(8), port_shifting",
		[RULE_NAMED] = choose, /* own LID, attached, not attached, unreachable */
		choose,
		choose,
		choose,
		"minhop.md 8; Mellanox OFED manual 8.5.1", /* kept */
		"minhop.md 6.2; opensm(8), scatter_ports", /* random */
		choose,
		choose,
		choose,
		file,
		file,
	};

	_Static_assert(ARRAY_LEN(choice) + 1 == ARRAY_LEN(assign_rules), "a source for each rule");
	switch (ev->kind) {
	case REC_LEARN:
		return "minhop.md 4.2; Bellman 1958, Ford 1956";
	case REC_CHOICE:
		return choice[ev->rule];
	case REC_TABLE:
		return "minhop.md 6; OpenSM 3.3.23";
	default:
		return NULL;
	}
}

static unsigned named_rule(const char *rule)
{
	for (unsigned i = RULE_NAMED; assign_rules[i]; i++)
		if (!strcmp(assign_rules[i], rule))
			return i;
	return RULE_ONLY;
}

/* The rule of a choice by counts among n candidates. */
static unsigned count_rule(const struct assign *a, unsigned n, unsigned port)
{
	uint32_t least = UINT32_MAX;
	unsigned equal = 0, first = 0;

	for (unsigned i = 0; i < n; i++) {
		if (a->cand[i].count < least) {
			least = a->cand[i].count;
			first = a->cand[i].port;
			equal = 0;
		}
		equal += a->cand[i].count == least;
	}
	if (n == 1)
		return RULE_ONLY;
	if (equal == 1)
		return RULE_LEAST;
	if (a->shifting)
		return RULE_SHIFTED;
	return first == port ? RULE_FIRST : RULE_FORWARDED;
}

void assign_record_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  const struct choice *c)
{
	struct recorder *r = a->in->record;
	unsigned n = c->n, rule;
	bool counted = c->port != NO_PATH && !(d->is_switch && !a->profile_switches) &&
		       !(a->ignore && a->ignore[c->port]);

	if (mask && !n && !c->rule)
		n = assign_list_candidates(a, mask, 1);
	if (c->rule)
		rule = n == 1 && c->rule != assign_kept ? RULE_ONLY : named_rule(c->rule);
	else
		rule = count_rule(a, n, c->port);
	rec_event(r, REC_CHOICE, rule, c->port, a->sw, lid);
	if (counted)
		rec_flag(r, REC_COUNTED);
	rec_delta(r, T_ENTRY, a->sw * (a->in->lids->max_lid + 1u) + lid, NO_PATH, c->port);
}

void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			const char *rule)
{
	rec_event(in->record, REC_CHOICE, named_rule(rule), port, sw, lid);
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
