/* LASH in a recording: events, sentences, and the tables of a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/lash/lash.h"
#include "engines/lash/mesh_work.h"

static const char *const turn_rules[] = {"moved", "stayed"};

/* Which pair holds each dependency in each layer. */
struct lash_record {
	const struct engine_input *in;
	const struct lash_plan *p;
	uint32_t *at;	  /* [n_channels + 1] where the dependencies of a channel begin */
	uint32_t *holder; /* [layers * at[n_channels]] as T_DEP */
	uint32_t *cycle;  /* [n_channels] */
	/* while layers are balanced: the pairs s * n + d (LASH ids, s < d) that have a dependency, whatever
	 * their layer */
	uint32_t *begin; /* [at[n_channels] + 1] */
	uint32_t *pair;
};

/* --- events ---------------------------------------------------------------------------------------- */

static uint32_t pair_of(const struct lash_record *r, size_t s, size_t d)
{
	return rec_pair(r->in, r->p->graph->sw[s], r->p->graph->sw[d]);
}

/* Number of a dependency. */
static uint32_t number_of(const struct lash_record *r, struct dependency d)
{
	const struct lash_graph *g = r->p->graph;

	return r->at[d.from] + (d.to - g->base[g->to[d.from]]);
}

static size_t place(const struct lash_record *r, unsigned layer, struct dependency d)
{
	return (size_t)layer * r->at[r->p->graph->n_channels] + number_of(r, d);
}

static void release_plan(void *kept)
{
	lash_plan_unref(kept);
}

struct lash_record *lash_record_new(struct lash_plan *p, const struct engine_input *in, unsigned avail)
{
	const struct lash_graph *g = p->graph;
	struct lash_record *r = NEW(struct lash_record);
	size_t n = g->n, cells;

	r->in = in;
	r->p = p;
	r->at = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	for (uint32_t c = 0; c < g->n_channels; c++)
		r->at[c + 1] = r->at[c] + lash_degree(g, g->to[c]);
	r->cycle = NEW_ARRAY(g->n_channels, uint32_t);
	cells = (size_t)avail * r->at[g->n_channels];
	r->holder = NEW_ARRAY(cells + 1, uint32_t);
	memset(r->holder, 0xff, cells * sizeof(*r->holder));
	rec_cells(in->record, T_FIRST, n * n);
	rec_cells(in->record, T_LAYER, n * n);
	rec_cells(in->record, T_DEP, cells);
	rec_keep(in->record, lash_plan_ref(p), release_plan);
	return r;
}

void lash_record_free(struct lash_record *r)
{
	if (!r)
		return;
	free(r->at);
	free(r->holder);
	free(r->cycle);
	free(r->begin);
	free(r->pair);
	free(r);
}

void lash_record_tree(const struct lash_plan *p, const struct engine_input *in, uint32_t root,
		      const uint8_t *before)
{
	size_t n = p->graph->n;

	rec_cells(in->record, T_OUT, n * n);
	rec_event(in->record, REC_TREE, 0, 0, p->graph->sw[root], 0);
	for (size_t i = 0; i < n * n; i++)
		if (before[i] != p->out[i])
			rec_delta(in->record, T_OUT, (uint32_t)i, before[i], p->out[i]);
}

void lash_record_try(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer,
		     const struct dependency *deps, unsigned n)
{
	uint32_t pair = pair_of(r, s, d), fresh = 0;

	if (!rec_wants_pair(r->in->record, REC_TRY, pair, layer))
		return;
	for (unsigned i = 0; i < n; i++)
		fresh += r->holder[place(r, layer, deps[i])] == NO_ID;
	rec_event(r->in->record, REC_TRY, 0, 0, pair, layer);
	rec_extra(r->in->record, n);
	rec_extra(r->in->record, fresh);
}

/* Dependencies that a layer lacked, with the pair that brings them. */
static void add_dependencies(struct lash_record *r, uint32_t pair, unsigned layer,
			     const struct dependency *deps, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t at = place(r, layer, deps[i]);

		if (r->holder[at] != NO_ID)
			continue;
		rec_delta(r->in->record, T_DEP, (uint32_t)at, NO_ID, pair);
		r->holder[at] = pair;
	}
}

void lash_record_accept(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer,
			const struct dependency *deps, unsigned n)
{
	uint32_t size = r->p->graph->n, pair = pair_of(r, s, d);
	static const enum rec_table both[] = {T_FIRST, T_LAYER};

	rec_event(r->in->record, REC_ACCEPT, 0, 0, pair, layer);
	for (int i = 0; i < 2; i++) {
		rec_delta(r->in->record, both[i], s * size + d, LASH_NO_LAYER, layer);
		rec_delta(r->in->record, both[i], d * size + s, LASH_NO_LAYER, layer);
	}
	add_dependencies(r, pair, layer, deps, n);
	rec_extra(r->in->record, n);
}

void lash_record_open(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer)
{
	rec_event(r->in->record, REC_OPEN, 0, 0, pair_of(r, s, d), layer);
}

/* Who holds a dependency; the pair itself, where it would bring it; NO_ID: one that moved away left it. */
static uint32_t holder_of(const struct lash_record *r, unsigned layer, struct dependency d, uint32_t pair,
			  const struct dependency *deps, unsigned n)
{
	uint32_t h = r->holder[place(r, layer, d)];

	for (unsigned i = 0; h == NO_ID && i < n; i++)
		if (deps[i].from == d.from && deps[i].to == d.to)
			h = pair;
	return h;
}

/* The cycle that a pair would close in a layer. */
static void add_cycle(struct lash_record *r, uint32_t pair, unsigned layer, struct acyclic *a,
		      const struct dependency *deps, unsigned n)
{
	uint32_t len = acyclic_cycle(a, deps, n, r->cycle);

	for (uint32_t i = 0; i < len; i++) {
		struct dependency edge = {r->cycle[i], r->cycle[i + 1 < len ? i + 1 : 0]};

		rec_extra(r->in->record, lash_channel_port(r->p->graph, r->in->topo->fabric, r->cycle[i]));
		rec_extra(r->in->record, holder_of(r, layer, edge, pair, deps, n));
	}
}

void lash_record_refuse(struct lash_record *r, uint32_t s, uint32_t d, unsigned layer, struct acyclic *a,
			const struct dependency *deps, unsigned n)
{
	uint32_t pair = pair_of(r, s, d);

	rec_event(r->in->record, REC_REFUSE, 0, 0, pair, layer);
	add_cycle(r, pair, layer, a, deps, n);
}

/* --- while layers are balanced ------------------------------------------------------------------- */

/* Go through the dependencies of all pairs; take(): one of them. */
static void each_dependency(struct lash_record *r, void (*take)(struct lash_record *, uint32_t, uint32_t))
{
	uint32_t n = r->p->graph->n;
	struct dependency *deps = NEW_ARRAY(2 * (size_t)n, struct dependency);

	for (uint32_t s = 0; s < n; s++)
		for (uint32_t d = s + 1; d < n; d++)
			for (unsigned i = lash_pair_dependencies(r->p, s, d, deps); i--;)
				take(r, number_of(r, deps[i]), s * n + d);
	free(deps);
}

static void count_one(struct lash_record *r, uint32_t number, uint32_t pair)
{
	(void)pair;
	r->begin[number + 1]++;
}

/* begin[] is moved on to the end of each list. */
static void list_one(struct lash_record *r, uint32_t number, uint32_t pair)
{
	r->pair[r->begin[number]++] = pair;
}

int lash_record_balance(struct lash_record *r, struct err *e)
{
	uint32_t n = r->at[r->p->graph->n_channels];

	r->begin = NEW_ARRAY(n + 1u, uint32_t);
	each_dependency(r, count_one);
	for (uint32_t i = 0; i < n; i++)
		r->begin[i + 1] += r->begin[i];
	if (mem_room(e, (size_t)r->begin[n] * sizeof(*r->pair), "dependencies of all pairs"))
		return -1;
	r->pair = NEW_ARRAY(r->begin[n] + 1u, uint32_t);
	each_dependency(r, list_one);
	memmove(r->begin + 1, r->begin, n * sizeof(*r->begin));
	r->begin[0] = 0;
	return 0;
}

/* A pair that left a layer: what it held there passes to the first of those that have it as well. */
static void pass_on(struct lash_record *r, uint32_t pair, const struct lash_turn *t, struct dependency dep)
{
	uint32_t n = r->p->graph->n, number = number_of(r, dep), next = NO_ID;
	size_t at = place(r, t->from, dep);

	if (r->holder[at] != pair)
		return;
	for (uint32_t i = r->begin[number]; i < r->begin[number + 1] && next == NO_ID; i++)
		if (t->layer[r->pair[i]] == t->from)
			next = pair_of(r, r->pair[i] / n, r->pair[i] % n);
	rec_delta(r->in->record, T_DEP, (uint32_t)at, pair, next);
	r->holder[at] = next;
}

void lash_record_turn(struct lash_record *r, const struct lash_turn *t, const struct dependency *deps,
		      unsigned n)
{
	struct recorder *rec = r->in->record;
	uint32_t size = r->p->graph->n, pair = pair_of(r, t->s, t->d);
	uint32_t held = t->s < t->d ? pair : pair_of(r, t->d, t->s); /* as it was put there */

	rec_event(rec, REC_TURN, !t->moved, t->from, pair, t->to);
	if (t->moved) {
		rec_delta(rec, T_LAYER, (uint32_t)(t->s * size + t->d), t->from, t->to);
		rec_delta(rec, T_LAYER, (uint32_t)(t->d * size + t->s), t->from, t->to);
		for (unsigned i = 0; i < n; i++)
			pass_on(r, held, t, deps[i]);
		add_dependencies(r, held, t->to, deps, n);
	}
	rec_extra(rec, t->drawn[0]);
	rec_extra(rec, t->drawn[1]);
	rec_extra(rec, (uint32_t)t->count[0]);
	rec_extra(rec, (uint32_t)t->count[1]);
	rec_extra(rec, (uint32_t)(t->trials / 2));
	if (!t->moved)
		add_cycle(r, pair, t->to, t->target, deps, n);
}

/* --- tables -------------------------------------------------------------------------------------- */

void lash_record_choice(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port,
			enum why_rule rule)
{
	rec_event(in->record, REC_CHOICE, rule, port, sw, lid);
	rec_delta(in->record, T_ENTRY, sw * (in->lids->max_lid + 1u) + lid, NO_PATH, port);
}

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* Routes and layers so far; everything else is the run's. */
static struct lash_plan *plan_at(const struct walk *w, const struct lash_plan *whole)
{
	struct lash_plan *p = NEW(struct lash_plan);
	size_t n = whole->graph->n;

	p->refs = 1;
	p->whole = lash_plan_ref(whole);
	p->collapsed = whole->collapsed;
	p->graph = whole->graph;
	p->before = whole->before;
	p->mesh = whole->mesh ? mesh_at(w, whole->graph, whole->mesh) : NULL;
	memcpy(p->memory, whole->memory, sizeof(p->memory));
	p->searches = whole->searches;
	p->deps = whole->deps;
	p->out = mem_dup(walk_bytes(w, T_OUT), n * n);
	p->first = mem_dup(walk_bytes(w, T_FIRST), n * n);
	p->need = 1;
	for (size_t i = 0; i < n * n; i++) {
		if (p->first[i] == LASH_NO_LAYER)
			continue;
		p->count[p->first[i]]++;
		p->need = p->first[i] >= p->need ? p->first[i] + 1u : p->need;
	}
	return p;
}

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct lash_plan *whole = recording_kept(r);
	struct lash *l;
	size_t n;

	if (!whole) /* refused before there were routes */
		return NULL;
	l = NEW(struct lash);
	if (end)
		l->vls = lash_of(end)->vls;
	l->plan = plan_at(w, whole);
	n = l->plan->graph->n;
	l->layer = mem_dup(walk_bytes(w, T_LAYER), n * n);
	for (size_t i = 0; i < n * n; i++)
		if (l->layer[i] != LASH_NO_LAYER)
			l->count[l->layer[i]]++;
	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		l->moved += ev->kind == REC_TURN && !ev->rule;
		l->refused += ev->kind == REC_TURN && ev->rule;
	}
	l->draws = 2 * (l->moved + l->refused);
	l->unwritten = strcmp(walk_phase(w), LASH_TABLES) != 0;
	return l;
}

/* Tables are written last: until then they are what the trees say, by the first of parallel cables. */
static bool row_at(struct walk *w, const void *priv, uint32_t sw, uint8_t *port)
{
	const struct lash *l = priv;
	const struct lash_graph *g = l->plan->graph;
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t u = g->id[sw];

	if (u == NO_ID || !l->unwritten)
		return false;
	for (unsigned lid = 1; lid <= s->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(s->lids, lid), d = ep == NO_ID ? NO_ID : s->topo->endport_switch[ep];
		unsigned link;

		if (d == NO_ID)
			continue;
		if (d == sw) {
			port[lid] = s->topo->endport_swport[ep];
			continue;
		}
		link = l->plan->out[(size_t)g->id[d] * g->n + u];
		if (link != LASH_NO_LINK)
			port[lid] = g->port[g->port_at[g->base[u] + link]];
	}
	return true;
}

/* --- sentences ------------------------------------------------------------------------------------------ */

static const char *name_of(const struct walk *w, uint32_t sw)
{
	return switch_name(recording_sweep(walk_recording(w))->fabric, sw);
}

static void say_pair(const struct walk *w, uint32_t pair, struct text *t)
{
	uint32_t n = recording_sweep(walk_recording(w))->fabric->n_switches;

	text_add(t, "%s - %s", name_of(w, pair / n), name_of(w, pair % n));
}

static void say_tree(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d))
		n++;
	text_add(t, "tree of %s: fills %s that nobody had", name_of(w, ev->a), PLURAL(n, "route"));
}

static void say_try(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;

	if (recording_extra(walk_recording(w), walk_step(w), &extra) < 2)
		return;
	say_pair(w, ev->a, t);
	text_add(t, " at layer %u: ", ev->b);
	if (extra[0])
		text_add(t, "brings %s, %u of them new", PLURAL(extra[0], "dependency"), extra[1]);
	else
		text_add(t, "one cable each way, so no dependency");
}

/* "ring0-ring1-ring2", of a cell of T_DEP. */
static void say_dependency(const struct walk *w, uint32_t at, struct text *t)
{
	const struct lash_plan *p = recording_kept(walk_recording(w));
	const struct lash_graph *g = p->graph;
	uint32_t c = 0;

	while (at >= lash_degree(g, g->to[c])) { /* layer after layer */
		at -= lash_degree(g, g->to[c]);
		c = c + 1 < g->n_channels ? c + 1 : 0;
	}
	text_add(t, "%s-%s-", name_of(w, g->sw[g->from[c]]), name_of(w, g->sw[g->to[c]]));
	text_add(t, "%s", name_of(w, g->sw[g->to[g->base[g->to[c]] + at]]));
}

/* What a pair adds, by name. */
static void say_new(const struct walk *w, uint32_t fresh, struct text *t)
{
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d)) {
		if (d.table != T_DEP)
			continue;
		text_add(t, "%s", !n ? "" : n + 1 < fresh ? ", " : " and ");
		say_dependency(w, d.at, t);
		n++;
	}
}

static void say_accept(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	enum { FEW = 4 };
	uint32_t cursor = 0, fresh = 0, n;
	const uint32_t *extra;
	struct rec_delta d;

	while (recording_next_delta(walk_recording(w), walk_step(w), &cursor, &d))
		fresh += d.table == T_DEP;
	n = recording_extra(walk_recording(w), walk_step(w), &extra) ? extra[0] : 0;
	say_pair(w, ev->a, t);
	text_add(t, ": put in layer %u: ", ev->b);
	if (!n) {
		text_add(t, "one cable each way, so no dependency");
	} else if (!fresh) {
		text_add(t, "brings %s, %s there already", PLURAL(n, "dependency"), n == 1 ? "it is" : "all");
	} else if (fresh <= FEW) {
		text_add(t, "adds ");
		say_new(w, fresh, t);
		if (n > fresh)
			text_add(t, "; %s there already", n - fresh == 1 ? "one more is" : "the others are");
	} else {
		text_add(t, "brings %s, %u of them new", PLURAL(n, "dependency"), fresh);
	}
}

/* The cycle, then who holds each of its edges; pair: the event's own. */
static void say_cycle(const struct walk *w, uint32_t pair, struct text *t)
{
	enum { FEW = 12 };
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	const uint32_t *word;
	uint32_t n = recording_cycle(walk_recording(w), walk_step(w), &word);
	bool held = false;

	text_add(t, "it would close the cycle ");
	for (uint32_t i = 0; i < n; i++)
		text_add(t, "%s -> ", f->node_name[f->port_node[word[2 * i]]]);
	text_add(t, "%s", n ? f->node_name[f->port_node[word[0]]] : "that was told before");
	for (uint32_t i = 0; i < n && i < FEW; i++) {
		uint32_t holder = word[2 * i + 1];

		text_add(t, "%s", i ? ", " : "; ");
		for (uint32_t k = 0; k < 3; k++)
			text_add(t, "%s%s", k ? "-" : "",
				 f->node_name[f->port_node[word[2 * ((i + k) % n)]]]);
		if (holder == pair) {
			text_add(t, " is new");
		} else if (holder == NO_ID) {
			text_add(t, " left there by a pair that moved away");
		} else {
			text_add(t, held ? " by " : " held by ");
			say_pair(w, holder, t);
			held = true;
		}
	}
	if (n > FEW)
		text_add(t, " and %u more", n - FEW);
}

static void say_turn(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct lash_plan *p = recording_kept(walk_recording(w));
	const uint32_t *extra;

	if (recording_extra(walk_recording(w), walk_step(w), &extra) < REC_TURN_WORDS)
		return;
	text_add(t, "random %s, %s: first movable pair ", name_of(w, p->graph->sw[extra[0]]),
		 name_of(w, p->graph->sw[extra[1]]));
	say_pair(w, ev->a, t);
	if (!ev->rule) {
		text_add(t, ": moved from layer %u to layer %u: %u and %u pairs now ", ev->port, ev->b,
			 extra[2], extra[3]);
		text_add(t, "(ends when they differ by less than 6)");
		return;
	}
	text_add(t, ": stays in layer %u, as in layer %u ", ev->port, ev->b);
	say_cycle(w, ev->a, t);
	text_add(t, ": %u and %u pairs still (ends when they differ by less than 6, or after %s)", extra[2],
		 extra[3], PLURAL(extra[4], "more refusal"));
}

static void say_choice(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	char name[300];

	endport_label(s->fabric, lid_owner(s->lids, ev->b), name, sizeof(name));
	text_add(t, "%s LID %u (%s) -> ", name_of(w, ev->a), ev->b, name);
	if (ev->port == NO_PATH)
		text_add(t, "no port: %s", why_rule_name(ev->rule));
	else
		text_add(t, "port %u: %s%s", ev->port, ev->rule == WHY_TREE ? "breadth-first " : "",
			 why_rule_name(ev->rule));
}

static void sentence(struct walk *w, struct text *t)
{
	const struct rec_event *ev = walk_event(w);

	if (mesh_sentence(w, ev, t))
		return;
	switch (ev->kind) {
	case REC_TREE:
		say_tree(w, ev, t);
		break;
	case REC_TRY:
		say_try(w, ev, t);
		break;
	case REC_ACCEPT:
		say_accept(w, ev, t);
		break;
	case REC_REFUSE:
		say_pair(w, ev->a, t);
		text_add(t, ": not in layer %u: ", ev->b);
		say_cycle(w, ev->a, t);
		break;
	case REC_OPEN:
		say_pair(w, ev->a, t);
		text_add(t, ": layer %u is opened for it", ev->b);
		break;
	case REC_TURN:
		say_turn(w, ev, t);
		break;
	case REC_CHOICE:
		say_choice(w, ev, t);
		break;
	default:
		text_add(t, "%s: table finished", name_of(w, ev->a));
	}
}

static const char *rule(const struct rec_event *ev)
{
	if (ev->kind == REC_AXIS)
		return mesh_axis_rule(ev->rule);
	return ev->kind == REC_TURN ? turn_rules[ev->rule] : why_rule_name(ev->rule);
}

static const char *source(const struct rec_event *ev)
{
	static const char *const of[REC_KINDS] = {
		[REC_MEASURE] = "lash.md 6.1 to 6.3; OpenSM 3.3.23",
		[REC_CLASS] = "lash.md 6.3; OpenSM 3.3.23",
		[REC_AXIS] = "lash.md 6.5; OpenSM 3.3.23",
		[REC_COORD] = "lash.md 6.6; OpenSM 3.3.23",
		[REC_NUMBER] = "lash.md 6.7, 6.8; OpenSM 3.3.23",
		[REC_TREE] = "lash.md 7; Skeie, Lysne, Theiss, CAC 2002",
		[REC_TRY] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_ACCEPT] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_REFUSE] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_OPEN] = "lash.md 8; Skeie, Lysne, Theiss, CAC 2002",
		[REC_TURN] = "lash.md 9.1; OpenSM 3.3.23",
		[REC_CHOICE] = "lash.md 10; OpenSM 3.3.23",
		[REC_TABLE] = "lash.md 10; OpenSM 3.3.23",
	};

	return ev->kind == REC_AXIS && ev->rule <= MESH_FACING ? "lash.md 6.4; OpenSM 3.3.23" : of[ev->kind];
}

const struct rec_scheme lash_scheme = {
	.rule = rule,
	.source = source,
	.sentence = sentence,
	.ops = &lash_ops,
	.priv_at = priv_at,
	.row_at = row_at,
	.cell = lash_cell,
	.value = lash_value,
	.dependencies = lash_dependencies,
};
