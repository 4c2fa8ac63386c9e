/* Cycles in events. Each kind of event with a cycle has a row. */
#include "core/trace/step_cycle.h"

#include "core/base/memory.h"
#include "core/sm/sweep.h"

/* The word after each channel. */
enum holder {
	HOLDER_PAIR,  /* the pair that brought the dependency on the next channel */
	HOLDER_COUNT, /* the number of such pairs */
	HOLDER_LID    /* the LID whose tree has the dependency */
};

static const struct kind {
	enum rec_kind kind;
	unsigned skip; /* words before the cycle */
	enum holder holder;
	const char *title; /* title of the layer, if the event names one */
} kinds[] = {
	{REC_REFUSE, 0, HOLDER_PAIR, "not in layer"},
	{REC_TURN, REC_TURN_WORDS, HOLDER_PAIR, "not to layer"},
	{REC_BREAK, 0, HOLDER_COUNT, "cut in layer"},
	{REC_CYCLE, 0, HOLDER_COUNT, "no VL is left for a cut of layer"},
	{REC_BLOCK, 0, HOLDER_LID, "blocked"},
	{REC_BACKTRACK, 4, HOLDER_LID, "not that way"},
};

static const struct kind *step_cycle_kind_of(const struct rec_event *ev)
{
	for (size_t i = 0; ev && i < ARRAY_LEN(kinds); i++)
		if (kinds[i].kind == ev->kind)
			return &kinds[i];
	return NULL;
}

/* Finds the words of the cycle, two per channel. Returns their number. */
static uint32_t step_cycle_words_of(const struct moment *m, const struct kind *k, const uint32_t **word)
{
	uint32_t n = k ? recording_extra(m->rec, m->step, word) : 0;

	if (!k || n < k->skip + 2)
		return 0;
	*word += k->skip;
	return (n - k->skip) & ~1u;
}

static struct witness_edge edge_of(const struct moment *m, enum holder holder, const uint32_t *word)
{
	uint32_t n = recording_sweep(m->rec)->fabric->n_switches, pair = word[1];
	struct witness_edge e = {.port = word[0], .routes = 1, .sw = NO_ID, .sw2 = NO_ID};

	if (holder == HOLDER_COUNT)
		e.routes = word[1];
	if (holder == HOLDER_LID)
		e.own = word[1] == moment_event(m)->b;
	if (holder != HOLDER_PAIR)
		return e;
	e.own = pair == moment_event(m)->a;
	e.routes = pair != NO_ID && !e.own;
	if (pair != NO_ID) {
		e.sw = pair / n;
		e.sw2 = pair % n;
	}
	return e;
}

/* The first edge with the fewest pairs. */
static uint32_t step_cycle_cut_of(const struct witness *w)
{
	uint32_t cut = 0;

	for (uint32_t i = 1; i < w->n; i++)
		if (w->edge[i].routes < w->edge[cut].routes)
			cut = i;
	return cut;
}

struct witness *step_cycle(const struct moment *m)
{
	const struct kind *k = step_cycle_kind_of(moment_event(m));
	const uint32_t *word;
	struct witness *w;
	uint32_t n = step_cycle_words_of(m, k, &word);

	if (!n)
		return NULL;
	w = NEW(struct witness);
	w->edge = NEW_ARRAY(n / 2, struct witness_edge);
	for (uint32_t i = 0; i < n; i += 2)
		w->edge[w->n++] = edge_of(m, k->holder, word + i);
	w->cut = k->kind == REC_BREAK ? step_cycle_cut_of(w) : NO_ID;
	return w;
}

int step_holder(const struct moment *m, uint32_t i)
{
	const struct kind *k = step_cycle_kind_of(moment_event(m));
	const uint32_t *word;

	if (!k || k->holder != HOLDER_LID || 2 * i >= step_cycle_words_of(m, k, &word))
		return -1;
	return (int)word[2 * i + 1];
}

void step_cycle_title(const struct moment *m, struct text *t)
{
	const struct kind *k = step_cycle_kind_of(moment_event(m));

	if (k && step_layer(m) >= 0)
		text_add(t, "%s %d", k->title, step_layer(m));
	else if (k)
		text_add(t, "%s", k->title);
}

int step_layer(const struct moment *m)
{
	const struct rec_event *ev = moment_event(m);

	return ev && rec_kinds[ev->kind].b == FIELD_LAYER ? (int)ev->b : -1;
}

bool step_refused(const struct moment *m)
{
	const struct rec_event *ev = moment_event(m);

	return ev && (ev->kind == REC_REFUSE || ev->kind == REC_CYCLE || (ev->kind == REC_TURN && ev->rule));
}
