/* Up/Down and Down/Up in a recording: events, sentences, and the tables of a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"
#include "engines/record.h"
#include "engines/updown/updown.h"

/* Rules of verdicts on roots, by enum root_verdict; those of choices are enum why_rule. */
static const char *const verdict_rules[] = {"root: counted", "root: spread", "root: second",
					    "root: no hosts"};

/* --- events ---------------------------------------------------------------------------------------- */

void updown_record_verdict(const struct engine_input *in, uint32_t sw, enum root_verdict v)
{
	struct recorder *r = in->record;

	rec_cells(r, T_ROOT, in->topo->fabric->n_switches);
	rec_event(r, REC_VERDICT, v, 0, sw, 0);
	rec_delta(r, T_ROOT, sw, 0, v + 1u);
}

void updown_record_roots(const struct engine_input *in, const uint32_t *sw, uint32_t n)
{
	rec_cells(in->record, T_RANK, in->topo->fabric->n_switches);
	for (uint32_t i = 0; i < n; i++) {
		rec_event(in->record, REC_RANK, 0, 0, sw[i], NO_ID);
		rec_delta(in->record, T_RANK, sw[i], NO_RANK, 0);
	}
}

void updown_record_rank(const struct engine_input *in, uint32_t sw, uint32_t from, uint32_t rank)
{
	rec_event(in->record, REC_RANK, 0, 0, sw, from);
	rec_delta(in->record, T_RANK, sw, NO_RANK, rank);
}

/* --- what no step changes ---------------------------------------------------------------------------- */

static struct root_search *search_copy(const struct root_search *s)
{
	struct root_search *c = mem_dup(s, sizeof(*s));

	topo_ref(c->topo);
	c->bar = mem_dup(s->bar, (size_t)s->topo->fabric->n_switches * ROOT_BARS * sizeof(*s->bar));
	return c;
}

/* A struct updown without ranks and matrix. */
static struct updown *frame_copy(const struct updown *u, uint32_t n)
{
	struct updown *c = NEW(struct updown);

	c->rank = NEW_ARRAY(n, uint32_t);
	memset(c->rank, 0xff, n * sizeof(*c->rank));
	c->id = u->id ? mem_dup(u->id, n * sizeof(*u->id)) : NULL;
	c->search = u->search ? search_copy(u->search) : NULL;
	return c;
}

static void frame_free(void *kept)
{
	updown_free(kept);
}

void updown_record_keep(const struct engine_input *in, const struct updown *u)
{
	rec_keep(in->record, frame_copy(u, in->topo->fabric->n_switches), frame_free);
}

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* The matrix to look at: that of Min Hop which finds the roots, or the first pass of dnup, until the next
 * begins. */
static enum rec_table matrix_at(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	struct rec_delta d;

	for (size_t i = walk_step(w); i && recording_cells(r, T_PLAIN); i--) {
		uint32_t cursor = 0;

		if (recording_next_delta(r, i, &cursor, &d) && (d.table == T_HOPS || d.table == T_PLAIN))
			return d.table;
		if (recording_event(r, i)->kind == REC_CHOICE)
			return T_HOPS;
	}
	return recording_cells(r, T_PLAIN) ? T_PLAIN : T_HOPS;
}

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t n = s->fabric->n_switches;
	const struct updown *kept = recording_kept(walk_recording(w)), *run = end ? updown_of(end) : NULL;
	const uint32_t *rank = walk_words(w, T_RANK);
	struct updown *u;

	if (!kept) /* refused before there was anything to rank from */
		return NULL;
	u = frame_copy(kept, n);
	for (uint32_t i = 0; i < n && rank; i++) {
		u->rank[i] = rank[i];
		u->n_roots += !rank[i];
		u->max_rank = rank[i] != NO_RANK && rank[i] > u->max_rank ? rank[i] : u->max_rank;
	}
	if (run) { /* figures that are not told by steps */
		u->n_level = run->n_level;
		u->n_root_links = run->n_root_links;
		u->connect = run->connect;
		u->weight = run->weight;
		u->n_priced = run->n_priced;
		u->n_erased = run->n_erased;
	}
	u->hops = hops_at(w, matrix_at(w));
	return u;
}

/* --- sentences ------------------------------------------------------------------------------------------ */

static void say_verdict(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct updown *u = recording_kept(walk_recording(w));
	const uint32_t *bar = root_bars(u->search, ev->a);

	text_add(t, "%s: %s; ports at distance",
		 switch_name(recording_sweep(walk_recording(w))->fabric, ev->a), root_verdict_text(ev->rule));
	for (unsigned k = 0; k < ROOT_BARS; k++)
		if (bar[k])
			text_add(t, " %u: %u", k, bar[k]);
}

static void say_rank(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	uint32_t rank = walk_value(w, T_RANK, ev->a);

	text_add(t, "%s: rank %u", switch_name(f, ev->a), rank);
	if (ev->b != NO_ID)
		text_add(t, ", one more than %s", switch_name(f, ev->b));
}

static void say_visit(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	static const char *const way[] = {"down", "up", "level"};
	const struct recording *r = walk_recording(w);
	const struct fabric *f = recording_sweep(r)->fabric;
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	text_add(t, "target %s, at %s (%s; packets go %s from here)", switch_name(f, ev->b),
		 switch_name(f, ev->a), PLURAL(ev->port, "hop"), way[ev->flags & 3]);
	while (recording_next_delta(r, walk_step(w), &cursor, &d)) {
		uint32_t port = d.at % f->n_ports;

		if (!f->port_num[port]) /* the least of a switch */
			continue;
		text_add(t, "%s %s by port %u: ", n++ ? "," : ": teaches", f->node_name[f->port_node[port]],
			 f->port_num[port]);
		if (d.now == NO_PATH)
			text_add(t, "erased");
		else
			text_add(t, "%s", PLURAL(d.now, "hop"));
	}
	if (!n)
		text_add(t, ": teaches nobody");
}

static void say_turn(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;

	text_add(t, "target %s: %s by port %u: %s", switch_name(f, ev->b), switch_name(f, ev->a), ev->port,
		 ev->kind == REC_FORBID ? "forbidden: down and then up"
					: "allowed at a price: down and then up");
}

static void sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;

	switch (ev->kind) {
	case REC_VERDICT:
		say_verdict(w, ev, t);
		break;
	case REC_RANK:
		say_rank(w, ev, t);
		break;
	case REC_VISIT:
		say_visit(w, ev, t);
		break;
	case REC_COPY:
		text_add(t, "target %s is a root: all ways of fewest hops to it are allowed (connect_roots)",
			 switch_name(f, ev->b));
		break;
	case REC_FORBID:
	case REC_PRICE:
		say_turn(w, ev, t);
		break;
	default:
		assign_sentence(w, t);
	}
}

static const char *rule(const struct rec_event *ev)
{
	return ev->kind == REC_VERDICT ? verdict_rules[ev->rule] : why_rule_name(ev->rule);
}

static const char *updn_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_VERDICT:
		return "updn.md 3.3; OpenSM 3.3.23";
	case REC_RANK:
		return "updn.md 4; Schroeder et al. 1991";
	case REC_VISIT:
	case REC_FORBID:
		return "updn.md 5.2; Schroeder et al. 1991";
	case REC_COPY:
		return "updn.md 5.3; opensm(8), connect_roots";
	default:
		return assign_source(ev);
	}
}

static const char *dnup_source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_RANK:
		return "updn.md 6.1; OpenSM 3.3.23";
	case REC_VISIT:
	case REC_FORBID:
		return "updn.md 6.3; OpenSM 3.3.23, after Schroeder et al. 1991";
	case REC_COPY:
	case REC_PRICE:
	case REC_ERASE:
		return "updn.md 6.4; opensm(8), connect_roots";
	default:
		return assign_source(ev);
	}
}

const struct rec_scheme updn_scheme = {
	.rule = rule,
	.source = updn_source,
	.sentence = sentence,
	.ops = &updn_step_ops,
	.priv_at = priv_at,
};

const struct rec_scheme dnup_scheme = {
	.rule = rule,
	.source = dnup_source,
	.sentence = sentence,
	.ops = &dnup_step_ops,
	.priv_at = priv_at,
};
