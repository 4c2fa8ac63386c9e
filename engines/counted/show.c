/* Tables and schemes of recordings, for engines that choose ports by a hop matrix. */
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "engines/record.h"

struct hops *hops_at(const struct walk *w, enum rec_table t)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	struct hops *h = hops_new(f, true);
	const uint8_t *cell = walk_bytes(w, t);
	uint32_t n = f->n_switches;

	if (!cell)
		return h;
	memcpy(h->by_port, cell, (size_t)n * f->n_ports);
	for (uint32_t d = 0; d < n; d++)
		for (uint32_t s = 0; s < n; s++) {
			uint8_t *least = h->by_port + (size_t)d * f->n_ports + f->switch_port[s];

			h->least[(size_t)s * n + d] = *least;
			*least = NO_PATH;
		}
	return h;
}

static void *counted_show_priv_at(struct walk *w, const struct routing *end)
{
	(void)end;
	return hops_at(w, T_HOPS);
}

static const char *counted_show_rule(const struct rec_event *ev)
{
	return why_rule_name(ev->rule);
}

const struct rec_scheme hops_scheme = {
	.rule = counted_show_rule,
	.source = assign_source,
	.sentence = assign_sentence,
	.ops = &hops_routing_ops,
	.priv_at = counted_show_priv_at,
};

static const char *dor_source(const struct rec_event *ev)
{
	static const char own[] = "dor.md 4; Dally, Seitz 1987";

	if (ev->kind == REC_TABLE)
		return own;
	return ev->kind == REC_CHOICE && strstr(assign_source(ev), "minhop.md 6.1") ? own : assign_source(ev);
}

const struct rec_scheme dor_scheme = {
	.rule = counted_show_rule,
	.source = dor_source,
	.sentence = assign_sentence,
	.ops = &hops_routing_ops,
	.priv_at = counted_show_priv_at,
};

static void *nothing_at(struct walk *w, const struct routing *end)
{
	(void)w;
	(void)end;
	return NULL;
}

const struct rec_scheme read_scheme = {
	.rule = counted_show_rule,
	.source = assign_source,
	.sentence = assign_sentence,
	.ops = &hops_routing_ops,
	.priv_at = nothing_at,
};
