/* Layers of DFSSSP: dependencies, their cycles, pairs that move up, lanes that are left. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "engines/dfsssp/dfsssp.h"

/* The search for cycles in the dependencies of one layer (engines/doc/dfsssp.md 6.5, 6.6). The first cycle
 * found depends on every detail of OpenSM's search, including leftovers of earlier searches. So all details
 * are as in OpenSM. */

enum colour { WHITE, GREY, BLACK };

struct ds_cycles {
	struct ds_cdg *c;
	uint8_t *colour; /* [n_edges] */
	uint32_t *back;	 /* [n_edges] channel to return to, or NO_ID; may be stale */
	/* channels in preorder of OpenSM's search tree; those before cursor are not WHITE */
	uint32_t *preorder;
	uint32_t cursor;
	uint32_t start; /* where the next search begins; NO_ID = at the first WHITE channel */
};

/* --- the tree in which OpenSM keeps channels ------------------------------------------------- */

struct dfsssp_cycles_keyed {
	uint32_t key;  /* LID of the switch, then port: the order in the tree */
	uint32_t time; /* time of insertion */
};

COMPARATOR(by_key, struct dfsssp_cycles_keyed, UP(key))

/*
 * Lists the channels in preorder (node, left, right) of the binary tree that OpenSM builds by inserting
 * without balancing. It is sorted by key from left to right, and earlier channels are above later ones.
 */
static uint32_t *tree_preorder(const struct ds_cdg *c, const uint16_t *lids)
{
	uint32_t n = c->n_channels, *order = NEW_ARRAY(n, uint32_t);
	struct dfsssp_cycles_keyed *k = NEW_ARRAY(n, struct dfsssp_cycles_keyed);
	uint32_t *left = NEW_ARRAY(n, uint32_t),
		 *right = NEW_ARRAY(n, uint32_t); /* by place among the sorted keys */
	uint32_t *stack = NEW_ARRAY(n + 1u, uint32_t), depth = 0, m = 0;

	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct dfsssp_cycles_keyed){
			(uint32_t)lids[c->g->from[c->channel[i]]] << 8 | c->g->port[c->channel[i]], i};
	qsort(k, n, sizeof(*k), by_key);
	for (uint32_t i = 0; i < n; i++) { /* the stack is the right-most path from the root */
		left[i] = right[i] = NO_ID;
		while (depth && k[stack[depth - 1]].time > k[i].time)
			left[i] = stack[--depth];
		if (depth)
			right[stack[depth - 1]] = i;
		stack[depth++] = i;
	}
	for (depth = n > 0; depth;) { /* it starts with the root */
		uint32_t i = stack[--depth];

		order[m++] = c->channel[k[i].time];
		if (right[i] != NO_ID)
			stack[depth++] = right[i];
		if (left[i] != NO_ID)
			stack[depth++] = left[i];
	}
	FREE_EACH(left, right, stack, k);
	return order;
}

/* Begins a search in a layer that does not grow any more. lids: LIDs of the vertices' port 0. */
static struct ds_cycles *ds_cycles_new(struct ds_cdg *c, const uint16_t *lids)
{
	struct ds_cycles *k = NEW(struct ds_cycles);

	k->c = c;
	k->colour = NEW_ARRAY(c->g->n_edges, uint8_t);
	k->back = NEW_ARRAY(c->g->n_edges, uint32_t);
	for (uint32_t e = 0; e < c->g->n_edges; e++)
		k->back[e] = NO_ID;
	k->preorder = tree_preorder(c, lids);
	k->start = NO_ID; /* the root comes first in preorder */
	return k;
}

static void ds_cycles_free(struct ds_cycles *k)
{
	if (!k)
		return;
	FREE_EACH(k->colour, k->back, k->preorder, k);
}

/* --- the search ---------------------------------------------------------------------------------- */

static uint32_t first_white(struct ds_cycles *k)
{
	while (k->cursor < k->c->n_channels && k->colour[k->preorder[k->cursor]] != WHITE)
		k->cursor++;
	return k->cursor < k->c->n_channels ? k->preorder[k->cursor] : NO_ID;
}

/* The channel at which the next cycle closes, or NO_ID when no cycle is left. */
static uint32_t ds_cycles_next(struct ds_cycles *k)
{
	const struct ds_cdg *c = k->c;
	uint32_t cur = k->start != NO_ID ? k->start : first_white(k);

	while (cur != NO_ID) {
		const uint8_t *list = c->list + c->at[cur];
		uint32_t out = c->g->first[c->g->to[cur]],
			 next = NO_ID; /* first channel that it leads to and that is not BLACK */

		k->colour[cur] = GREY;
		for (unsigned i = 0; next == NO_ID && i < c->n_list[cur]; i++)
			if (k->colour[out + list[i]] != BLACK)
				next = out + list[i];
		if (next != NO_ID && k->colour[next] == GREY)
			return k->start = next;
		if (next != NO_ID) {
			k->back[next] = cur;
			cur = next;
			continue;
		}
		k->colour[cur] = BLACK;
		next = k->back[cur];
		k->back[cur] = NO_ID;
		cur = next != NO_ID ? next : first_white(k);
	}
	return NO_ID;
}

/*
 * Lists the channels of that cycle, starting with this channel, and in left[] the pairs left on each one's
 * dependency on the next. Both have room for n_channels. Returns their number. *weakest: index of the channel
 * whose dependency must be cut.
 */
static uint32_t ds_cycles_walk(struct ds_cycles *k, uint32_t channel, uint32_t *cycle, uint32_t *left,
			       uint32_t *weakest)
{
	const struct ds_cdg *c = k->c;
	uint32_t n = 0, cur = channel;

	*weakest = 0;
	do {
		const uint8_t *list = c->list + c->at[cur]; /* a GREY channel in it continues the cycle */
		uint32_t next = c->g->first[c->g->to[cur]];

		while (k->colour[next + *list] != GREY)
			list++;
		next += *list;
		if (n)
			k->colour[cur] = WHITE;
		cycle[n] = cur;
		left[n] = c->left[ds_dependency(c, cur, next)];
		if (left[n] < left[*weakest])
			*weakest = n;
		n++;
		cur = next;
	} while (cur != channel);
	k->colour[channel] = WHITE;
	return n;
}

/* Channel dependency graph of one layer (engines/doc/dfsssp.md 6.4). */

uint32_t *ds_cdg_places(const struct ds_graph *g)
{
	uint32_t *at = NEW_ARRAY(g->n_edges + 1u, uint32_t), n = 0;

	for (uint32_t c = 0; c < g->n_edges; c++) {
		at[c] = n;
		n += g->first[g->to[c] + 1] - g->first[g->to[c]];
	}
	at[g->n_edges] = n;
	return at;
}

struct ds_cdg *ds_cdg_new(const struct ds_graph *g, const uint32_t *at)
{
	struct ds_cdg *c = NEW(struct ds_cdg);
	uint32_t deps = at[g->n_edges];

	c->g = g;
	c->at = at;
	c->channel = NEW_ARRAY(g->n_edges, uint32_t);
	c->known = NEW_ARRAY(g->n_edges, uint8_t);
	c->n_list = NEW_ARRAY(g->n_edges, uint8_t);
	c->listed = NEW_ARRAY(deps, uint8_t);
	c->list = NEW_ARRAY(deps, uint8_t);
	return c;
}

void ds_cdg_free(struct ds_cdg *c)
{
	if (!c)
		return;
	FREE_EACH(c->channel, c->known, c->n_list, c->left, c->listed, c->list, c);
}

void ds_cdg_learn_channel(struct ds_cdg *c, uint32_t channel)
{
	if (c->known[channel])
		return;
	c->known[channel] = 1;
	c->channel[c->n_channels++] = channel;
}

void ds_cdg_learn(struct ds_cdg *c, uint32_t channel, uint32_t next)
{
	uint32_t dep = ds_dependency(c, channel, next);

	ds_cdg_learn_channel(c, channel);
	ds_cdg_learn_channel(c, next);
	if (c->listed[dep])
		return;
	c->listed[dep] = 1;
	c->list[c->at[channel] + c->n_list[channel]++] = (uint8_t)(dep - c->at[channel]);
}

static void ds_cdg_cut(struct ds_cdg *c, uint32_t channel, uint32_t next)
{
	uint32_t dep = ds_dependency(c, channel, next), place = dep - c->at[channel], i = 0;
	uint8_t *list = c->list + c->at[channel];

	assert(c->listed[dep]);
	while (list[i] != place)
		i++;
	memmove(list + i, list + i + 1, --c->n_list[channel] - i);
	c->listed[dep] = 0;
}

/* Unused lanes go to the layers with most pairs per lane (engines/doc/dfsssp.md 6.8). */

static double pairs_a_lane(const struct ds_layers *l, unsigned t)
{
	return (double)l->count[t] / l->width[t];
}

void ds_balance(struct ds_layers *l, const struct engine_input *in)
{
	unsigned base = 0;

	assert(l->need && l->need <= l->vls && l->vls <= DS_MAX_LAYERS);
	for (unsigned t = 0; t < l->need; t++)
		l->width[t] = 1;
	rec_phase(in, "%u of %u VLs are needed", l->need, l->vls);
	for (unsigned i = l->need; i < l->vls; i++) {
		unsigned most = 0;

		for (unsigned t = 1; t < l->need; t++)
			if (pairs_a_lane(l, t) > pairs_a_lane(l, most))
				most = t;
		l->width[most]++;
		if (RECORDED(in))
			ds_record_split(in, l, most);
	}
	for (unsigned t = 0; t < l->need; t++) {
		unsigned width = l->width[t];

		l->base[t] = base;
		base += width;
		/* OpenSM writes the entry of a layer that keeps its place, and then clears it */
		if (t && l->base[t] == t && l->need < l->vls) {
			l->idle += width - 1;
			l->width[t] = 1;
		}
	}
	assert(base == l->vls);
	/* OpenSM moves the highest layer first */
	for (unsigned t = l->need; RECORDED(in) && l->need < l->vls && t-- > 0;)
		ds_record_shift(in, l, t);
}

/* Pairs move up until no layer has a cycle (engines/doc/dfsssp.md 6.5 to 6.7). */

/* A class that the cut of a dependency moves. */
struct dfsssp_layers_member {
	uint64_t key; /* orders the members */
	uint32_t lid, source;
};

/* Data needed from the first cut on. */
struct mover {
	const struct ds_graph *g;
	const struct engine_input *in;
	const struct routing *r;
	struct ds_layers *l;
	const uint32_t *at;
	struct ds_cdg *cdg, *up; /* the current layer and the next one, NULL = still empty */
	unsigned t;		 /* the current layer */
	uint32_t top;		 /* largest LID */
	uint8_t *out;		 /* [(top + 1) * n] the tables, by LID */
	uint32_t *port0;	 /* [n] port id of port 0 */
	uint32_t *place;	 /* [top + 1] place of a LID's port among the destinations */
	uint32_t *seq;		 /* [(top + 1) * n_sources] when a class entered its layer; not for layer 0 */
	uint32_t arrivals;	 /* classes that entered the next layer */
	uint32_t *stack;	 /* [n] */
	struct dfsssp_layers_member *member;
	size_t n_members, cap_members;
	struct err *e;
};

/* The channel by which a vertex sends to a LID, or NO_ID at the end of the path. */
static uint32_t dfsssp_layers_channel_to(const struct mover *m, uint32_t v, uint32_t lid)
{
	return m->g->of_port[m->port0[v] + m->out[(size_t)lid * m->g->n + v]];
}

/* Counts the pairs on each dependency of layer 0, in which all pairs are: the farthest switches first. */
static void dfsssp_layers_count_pairs(struct mover *m)
{
	const struct ds_graph *g = m->g;
	AUTO_FREE uint32_t *flow = NEW_ARRAY(g->n, uint32_t), *next = NEW_ARRAY(g->n, uint32_t),
			   *before = NEW_ARRAY(g->n, uint32_t);

	m->cdg->left = NEW_ARRAY(m->at[g->n_edges], uint32_t);
	for (uint32_t lid = 1; lid <= m->top; lid++) {
		const uint8_t *out = m->out + (size_t)lid * g->n;
		uint32_t depth = 0;

		for (uint32_t v = 0; v < g->n; v++) {
			uint32_t source = m->l->source_of[v];

			flow[v] = source == NO_ID ? 0 : m->l->ca_lids[source];
			next[v] = out[v] == NO_PATH ? NO_ID : dfsssp_layers_channel_to(m, v, lid);
			if (next[v] != NO_ID)
				before[g->to[next[v]]]++;
		}
		for (uint32_t v = 0; v < g->n; v++)
			if (!before[v])
				m->stack[depth++] = v;
		while (depth) {
			uint32_t v = m->stack[--depth], u = next[v] == NO_ID ? NO_ID : g->to[next[v]];

			if (u == NO_ID)
				continue;
			if (next[u] != NO_ID)
				m->cdg->left[ds_dependency(m->cdg, next[v], next[u])] += flow[v];
			flow[u] += flow[v];
			if (!--before[u])
				m->stack[depth++] = u;
		}
	}
}

/* Makes what the first cycle needs. */
static void mover_start(struct mover *m, const struct ds_order *o)
{
	const struct lids *lids = m->in->lids;
	size_t rows = m->top + 1u;

	m->out = NEW_ARRAY(rows * m->g->n, uint8_t);
	m->seq = NEW_ARRAY(rows * m->l->n_sources, uint32_t);
	m->l->layer = NEW_ARRAY(rows * m->l->n_sources, uint8_t);
	m->stack = NEW_ARRAY(m->g->n, uint32_t);
	m->port0 = NEW_ARRAY(m->g->n, uint32_t);
	m->place = NEW_ARRAY(rows, uint32_t);
	for (uint32_t v = 0; v < m->g->n; v++)
		m->port0[v] = m->in->topo->fabric->switch_port[m->g->sw[v]];
	for (uint32_t i = 0; i < o->n; i++)
		for (unsigned k = 0; k < lids->count[o->endport[i]]; k++)
			m->place[lids->base[o->endport[i]] + k] = i;
	for (uint32_t v = 0; v < m->g->n; v++) {
		const uint8_t *port = m->r->row[m->g->sw[v]]->port;

		for (uint32_t lid = 0; lid <= m->top; lid++)
			m->out[(size_t)lid * m->g->n + v] = port[lid];
	}
	dfsssp_layers_count_pairs(m);
}

/* Finds all classes that pass vertex v on their way to a LID. */
static void gather_tree(struct mover *m, uint32_t lid, uint32_t v, struct ds_cut *cut)
{
	const struct ds_graph *g = m->g;
	const uint8_t *out = m->out + (size_t)lid * g->n;
	uint32_t depth = 0, n_sources = m->l->n_sources;

	m->stack[depth++] = v;
	while (depth) {
		uint32_t source = m->l->source_of[m->stack[--depth]];
		unsigned layer = source == NO_ID ? 0 : ds_layer_of(m->l, source, lid);

		v = m->stack[depth];
		if (source != NO_ID && layer > m->t)
			cut->skipped += m->l->ca_lids[source];
		if (source != NO_ID && layer == m->t) {
			uint64_t key;

			if (m->t)
				key = m->seq[(size_t)lid * n_sources + source];
			else /* it was filled by destination, then source, then LID */
				key = ((uint64_t)m->place[lid] * n_sources + source) << 7 |
				      (lid - m->in->lids->base[lid_owner(m->in->lids, lid)]);
			GROW(m->member, m->n_members, m->cap_members);
			m->member[m->n_members++] = (struct dfsssp_layers_member){key, lid, source};
		}
		for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++)
			if (out[g->to[c]] == g->to_port[c])
				m->stack[depth++] = g->to[c];
	}
}

COMPARATOR(layers_by_key, struct dfsssp_layers_member, UP(key))

/* Finds the classes of the current layer that make the dependency, in order. */
static void dfsssp_layers_gather(struct mover *m, struct ds_cut *cut)
{
	const struct ds_graph *g = m->g;
	const uint8_t *a = m->r->row[g->sw[g->from[cut->from]]]->port,
		      *b = m->r->row[g->sw[g->from[cut->to]]]->port;
	uint8_t p = g->port[cut->from], q = g->port[cut->to];

	m->n_members = 0;
	for (uint32_t lid = 1; lid <= m->top; lid++)
		if (a[lid] == p && b[lid] == q)
			gather_tree(m, lid, g->from[cut->from], cut);
	if (m->n_members)
		qsort(m->member, m->n_members, sizeof(*m->member), layers_by_key);
}

static void move_up(struct mover *m, const struct dfsssp_layers_member *k)
{
	size_t cell = (size_t)k->lid * m->l->n_sources + k->source;
	uint32_t pairs = m->l->ca_lids[k->source],
		 c = dfsssp_layers_channel_to(m, m->l->source[k->source], k->lid), next;

	for (; (next = dfsssp_layers_channel_to(m, m->g->to[c], k->lid)) != NO_ID; c = next) {
		uint32_t dep = ds_dependency(m->cdg, c, next);

		m->cdg->left[dep] -= pairs;
		m->up->left[dep] += pairs;
		ds_cdg_learn(m->up, c, next);
	}
	if (RECORDED(m->in))
		ds_record_move(m->in, m->g->sw[m->l->source[k->source]], k->lid, m->t, !m->arrivals);
	m->l->layer[cell]++;
	m->seq[cell] = m->arrivals++;
	assert(m->l->count[m->t] >= pairs);
	m->l->count[m->t] -= pairs;
	m->l->count[m->t + 1] += pairs;
}

/* --- cuts ----------------------------------------------------------------------------------- */

/* Makes room for the channels of one more cycle. False and *m->e when memory is short. */
static bool room_for_cycle(struct mover *m)
{
	struct ds_layers *l = m->l;
	size_t cap = l->cap_cycle ? l->cap_cycle : 4096;

	while (l->n_cycle + m->cdg->n_channels > cap)
		cap *= 2;
	if (cap == l->cap_cycle)
		return true;
	if (mem_room(m->e, cap * (sizeof(*l->cycle_channel) + sizeof(*l->cycle_left)),
		     "a record of %zu cycles", (size_t)l->n_cuts + 1))
		return false;
	l->cap_cycle = cap;
	l->cycle_channel = mem_resize(l->cycle_channel, cap, sizeof(*l->cycle_channel));
	l->cycle_left = mem_resize(l->cycle_left, cap, sizeof(*l->cycle_left));
	return true;
}

static void cut_cycle(struct mover *m, struct ds_cycles *k, uint32_t channel)
{
	struct ds_layers *l = m->l;
	struct ds_cut cut = {.layer = m->t, .first = l->n_cycle};
	uint32_t *cycle = l->cycle_channel + cut.first, *left = l->cycle_left + cut.first;
	uint64_t before = l->count[m->t];

	cut.length = ds_cycles_walk(k, channel, cycle, left, &cut.at);
	cut.from = cycle[cut.at];
	cut.to = cycle[(cut.at + 1) % cut.length];
	l->n_cycle += cut.length;
	ds_cdg_cut(m->cdg, cut.from, cut.to);
	if (!m->up) {
		m->up = ds_cdg_new(m->g, m->at);
		m->up->left = NEW_ARRAY(m->at[m->g->n_edges], uint32_t);
	}
	dfsssp_layers_gather(m, &cut);
	if (RECORDED(m->in))
		ds_record_cycle(m->in, m->g, &(struct ds_cycle){l->n_cuts, m->t, cut.length, cycle, left});
	for (size_t i = 0; i < m->n_members; i++)
		move_up(m, &m->member[i]);
	cut.moved = before - l->count[m->t];
	assert(m->t + 1 < l->vls);
	GROW(l->cut, l->n_cuts, l->cap_cuts);
	l->cut[l->n_cuts++] = cut;
}

/* Cuts until the current layer has no cycle. False when cancelled or memory is short. */
static bool clean_layer(struct mover *m, const struct ds_order *o, const uint16_t *lids)
{
	struct ds_cycles *k = ds_cycles_new(m->cdg, lids);
	uint32_t channel;
	bool go_on = true;

	m->arrivals = 0;
	while ((channel = ds_cycles_next(k)) != NO_ID &&
	       (go_on = progress_step(m->in->progress, m->t) && room_for_cycle(m))) {
		if (!m->out)
			mover_start(m, o);
		cut_cycle(m, k, channel);
		m->l->need = m->t + 2;
	}
	ds_cycles_free(k);
	return go_on;
}

/* Checks the last layer: it must have no cycle, since nothing can move up. */
static void check_last(struct mover *m, const struct ds_order *o, const uint16_t *lids)
{
	struct ds_cycles *k = ds_cycles_new(m->cdg, lids);
	uint32_t channel = ds_cycles_next(k);

	if (channel != NO_ID)
		m->l->need = m->l->vls + 1;
	if (RECORDED(m->in) && channel != NO_ID) { /* no VL is left for it */
		uint32_t *cycle = NEW_ARRAY(m->cdg->n_channels, uint32_t), weakest;
		uint32_t *left = NEW_ARRAY(m->cdg->n_channels, uint32_t);

		if (!m->out)
			mover_start(m, o);
		uint32_t length = ds_cycles_walk(k, channel, cycle, left, &weakest);
		ds_record_cycle(m->in, m->g, &(struct ds_cycle){NO_ID, m->t, length, cycle, left});
		FREE_EACH(cycle, left);
	} else if (RECORDED(m->in)) {
		ds_record_clean(m->in, m->l, m->t);
	}
	ds_cycles_free(k);
}

/* Finds all layers. False when cancelled or memory is short. */
static bool find_layers(struct mover *m, const struct ds_order *o, struct ds_cdg **cdg)
{
	const struct fabric *f = m->in->topo->fabric;
	uint16_t *lids = NEW_ARRAY(m->g->n, uint16_t); /* of the vertices' port 0 */
	bool go_on = true;

	for (uint32_t v = 0; v < m->g->n; v++)
		lids[v] = m->in->lids->base[f->port_endport[f->switch_port[m->g->sw[v]]]];
	progress_start(m->in->progress, "layers without cycles", m->l->vls);
	for (m->t = 0; m->cdg && m->t + 1 < m->l->vls && go_on; m->t++) {
		go_on = clean_layer(m, o, lids);
		if (RECORDED(m->in) && go_on)
			ds_record_clean(m->in, m->l, m->t);
		ds_cdg_free(m->cdg);
		m->cdg = *cdg = m->up;
		m->up = NULL;
	}
	if (m->cdg && go_on)
		check_last(m, o, lids);
	free(lids);
	return go_on;
}

struct ds_layers *ds_builder_finish(struct ds_builder *b, const struct routing *r, struct err *e)
{
	struct ds_layers *l = b->l;
	struct mover m = {.g = b->g,
			  .in = b->in,
			  .r = r,
			  .l = l,
			  .at = b->at,
			  .cdg = b->cdg,
			  .top = b->in->lids->max_lid,
			  .e = e};
	char at[300] = "no switch has a cable";

	l->need = 1;
	l->count[0] = b->pairs;
	l->channels = b->cdg->n_channels;
	for (uint32_t c = 0; c < b->g->n_edges; c++)
		l->deps += b->cdg->n_list[c];
	if (RECORDED(b->in))
		ds_record_paths(b->in, b->g, b->o, l);
	bool done = find_layers(&m, b->o, &b->cdg);
	ds_cdg_free(m.up);
	FREE_EACH(m.out, m.seq, m.stack, m.port0, m.place, m.member);
	if (!done) {
		if (progress_cancelled(b->in->progress))
			err_set(e, CANCELLED);
		return NULL;
	}
	if (l->need > l->vls) {
		if (l->vls_port != NO_ID)
			port_label(b->in->topo->fabric, l->vls_port, at, sizeof(at));
		err_set_kind(e, REFUSED_LIMIT, "the routes need more than %s, but %s has only %s (AD25)",
			     PLURAL(l->vls, "layer"), at, PLURAL(l->vls, "VL"));
		return NULL;
	}
	ds_balance(l, b->in);
	b->l = NULL;
	return l;
}
