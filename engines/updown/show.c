/* Tables of Up/Down and Down/Up at a step, and how their recordings are shown. */
#include "core/sm/sweep.h"
#include "engines/record.h"
#include "engines/updown/internal.h"

/* Names of the verdicts on roots, by enum root_verdict. Choices use enum why_rule. */
static const char *const verdict_rules[] = {"root: counted", "root: spread", "root: second",
					    "root: no hosts"};

/*
 * The matrix that a step is about: the one of Min Hop that finds the roots or the first pass of dnup
 * (T_PLAIN), until the second matrix begins.
 */
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

static void *updown_show_priv_at(struct walk *w, const struct routing *end)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t n = s->fabric->n_switches;
	const struct updown *kept = recording_kept(walk_recording(w)), *run = end ? updown_of(end) : NULL;
	const uint32_t *rank = walk_words(w, T_RANK);
	struct updown *u;

	if (!kept) /* refused before there was anything to rank from */
		return NULL;
	u = updown_frame(kept, n);
	for (uint32_t i = 0; i < n && rank; i++) {
		u->rank[i] = rank[i];
		u->n_roots += !rank[i];
		u->max_rank = rank[i] != NO_RANK && rank[i] > u->max_rank ? rank[i] : u->max_rank;
	}
	if (run) { /* figures that the steps do not tell */
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

static const char *updown_show_rule(const struct rec_event *ev)
{
	return ev->kind == REC_VERDICT ? verdict_rules[ev->rule] : why_rule_name(ev->rule);
}

const struct rec_scheme updn_scheme = {
	.rule = updown_show_rule,
	.source = updn_source,
	.sentence = updown_sentence,
	.ops = &updn_step_ops,
	.priv_at = updown_show_priv_at,
};

const struct rec_scheme dnup_scheme = {
	.rule = updown_show_rule,
	.source = dnup_source,
	.sentence = updown_sentence,
	.ops = &dnup_step_ops,
	.priv_at = updown_show_priv_at,
};
