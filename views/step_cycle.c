/* Cycles in events: a row a kind that has one. */
#include "views/step_cycle.h"

#include "core/base/memory.h"
#include "core/sm/sweep.h"

/* What stands behind each channel. */
enum holder { HOLDER_PAIR };

static const struct kind {
	enum rec_kind kind;
	unsigned skip; /* words before the cycle */
	enum holder holder;
} kinds[] = {
	{REC_REFUSE, 0, HOLDER_PAIR},
	{REC_TURN, 5, HOLDER_PAIR},
};

static const struct kind *kind_of(const struct rec_event *ev)
{
	for (size_t i = 0; ev && i < ARRAY_LEN(kinds); i++)
		if (kinds[i].kind == ev->kind)
			return &kinds[i];
	return NULL;
}

static struct witness_edge edge_of(const struct moment *m, const uint32_t *word)
{
	uint32_t n = recording_sweep(m->rec)->fabric->n_switches, pair = word[1];
	struct witness_edge e = {.port = word[0], .routes = pair != NO_ID, .sw = NO_ID, .sw2 = NO_ID};

	if (pair == NO_ID)
		return e;
	e.own = pair == moment_event(m)->a;
	e.routes = !e.own;
	e.sw = pair / n;
	e.sw2 = pair % n;
	return e;
}

struct witness *step_cycle(const struct moment *m)
{
	const struct kind *k = kind_of(moment_event(m));
	const uint32_t *word;
	struct witness *w;
	uint32_t n = k ? recording_extra(m->rec, m->step, &word) : 0;

	if (!k || n < k->skip + 2)
		return NULL;
	w = NEW(struct witness);
	w->cut = NO_ID;
	w->edge = NEW_ARRAY((n - k->skip) / 2, struct witness_edge);
	for (uint32_t i = k->skip; i + 1 < n; i += 2)
		w->edge[w->n++] = edge_of(m, word + i);
	return w;
}

int step_layer(const struct moment *m)
{
	const struct rec_event *ev = moment_event(m);

	return ev && rec_kinds[ev->kind].b == FIELD_LAYER ? (int)ev->b : -1;
}

bool step_refused(const struct moment *m)
{
	const struct rec_event *ev = moment_event(m);

	return ev && (ev->kind == REC_REFUSE || (ev->kind == REC_TURN && ev->rule));
}
