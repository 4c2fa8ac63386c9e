/* Links and switches that part hosts from each other when they fail in pairs. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/survey/parted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"

/* Pairs of links and of switches that part hosts, by connectivity. */

/* A depth-first forest.  Switches stand by their number in preorder from here on: `at`. */
struct forest {
	uint32_t n;
	uint32_t *order;  /* [n] switch at a place */
	uint32_t *at;	  /* [n] place of a switch; NO_ID: not visited */
	uint32_t *parent; /* [n] place; NO_ID: a root */
	uint32_t *edge;	  /* [n] link to the parent */
	uint32_t *last;	  /* [n] last place of the subtree */
	uint32_t *low;	  /* [n] first place that the subtree touches but by the link to its parent */
	uint32_t *hosts;  /* [n] in the subtree */
	uint32_t *root;	  /* [n] place */
	uint32_t *next;	  /* [n] the next arc to visit */
};

static void forest_init(void *arena, struct forest *t, uint32_t n)
{
	uint32_t **all[] = {&t->order, &t->at,	  &t->parent, &t->edge, &t->last,
			    &t->low,   &t->hosts, &t->root,   &t->next};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		*all[i] = ARENA_ARRAY(arena, (size_t)n + 1, uint32_t);
}

static uint32_t visit(struct forest *t, const struct parted_net *g, uint32_t sw, uint32_t parent,
		      uint32_t edge)
{
	uint32_t v = t->n++;

	t->order[v] = sw;
	t->at[sw] = v;
	t->parent[v] = parent;
	t->edge[v] = edge;
	t->low[v] = v;
	t->hosts[v] = g->hosts[sw];
	t->root[v] = parent == NO_ID ? v : t->root[parent];
	t->next[v] = g->off[sw];
	return v;
}

/* One tree from a switch; a switch `gone` is not there. */
static void parted_links_grow(struct forest *t, const struct parted_net *g, uint32_t from, uint32_t gone)
{
	uint32_t v = visit(t, g, from, NO_ID, NO_ID);

	while (v != NO_ID) {
		uint32_t up = t->parent[v];

		if (t->next[v] < g->off[t->order[v] + 1]) {
			const struct net_arc *c = &g->arc[t->next[v]++];

			if (c->to == gone || c->edge == t->edge[v])
				continue;
			if (t->at[c->to] == NO_ID)
				v = visit(t, g, c->to, v, c->edge);
			else if (t->at[c->to] < t->low[v])
				t->low[v] = t->at[c->to];
			continue;
		}
		t->last[v] = t->n - 1;
		if (up != NO_ID) {
			t->hosts[up] += t->hosts[v];
			t->low[up] = MIN(t->low[v], t->low[up]);
		}
		v = up;
	}
}

static void grow_all(struct forest *t, const struct parted_net *g, uint32_t gone)
{
	t->n = 0;
	memset(t->at, 0xff, g->n * sizeof(*t->at));
	for (uint32_t s = 0; s < g->n; s++)
		if (s != gone && t->at[s] == NO_ID)
			parted_links_grow(t, g, s, gone);
}

/* --- links ---------------------------------------------------------------------------------------------- */

/* The cover of the link from a place to its parent. */
struct cover {
	uint32_t place, size, high; /* high: the lowest place but last at which a covering link ends above */
	uint32_t one;		    /* links in it, added by exclusive or: the only one of a cover of 1 */
};

COMPARATOR(by_cover, struct cover, UP(high) UP(size) UP(place))

/* Tree links get `high` from the deepest upper ends first; a link that has one is passed over. */
static void set_high(struct cover *c, const struct parted_net *g, const struct forest *t)
{
	AUTO_FREE uint32_t *open = NEW_ARRAY((size_t)t->n + 1, uint32_t);

	for (uint32_t v = 0; v < t->n; v++)
		open[v] = v;
	for (uint32_t w = t->n; w-- > 0;)
		for (uint32_t i = g->off[t->order[w]]; i < g->off[t->order[w] + 1]; i++) {
			uint32_t u = t->at[g->arc[i].to];

			if (u <= w || t->edge[u] == g->arc[i].edge)
				continue;
			c[u].size++;
			c[w].size--;
			c[u].one ^= g->arc[i].edge;
			c[w].one ^= g->arc[i].edge;
			for (u = disjoint_root(open, u); u > w; u = disjoint_root(open, u)) {
				c[u].high = w;
				open[u] = t->parent[u];
			}
		}
}

/* Links in a circle, in order: without any two of them it falls apart.  Hosts lie behind each one. */
static void mark_circle(struct parted_net *g, const uint32_t *edge, const uint32_t *behind, uint32_t n)
{
	uint32_t *group = NEW_ARRAY((size_t)n + 1, uint32_t), most = 0;

	for (uint32_t i = 1; i < n; i++)
		group[i] = most += behind[i - 1] != 0;
	for (uint32_t i = 0; i < n; i++)
		group[i] = group[i] == most && !behind[n - 1] ? 0 : group[i];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (group[i] != group[k])
				pair_mark(g->bad, pair_bit(g, edge[i], edge[k]));
	free(group);
}

/* Covers c[0 .. n - 1] are equal, the upper link first. */
static void mark_chain(struct parted_net *g, const struct forest *t, const struct cover *c, uint32_t n)
{
	AUTO_FREE uint32_t *edge = NEW_ARRAY((size_t)n + 1, uint32_t),
			   *behind = NEW_ARRAY((size_t)n + 1, uint32_t);
	uint32_t outside = t->hosts[t->root[c->place]] - t->hosts[c->place];

	for (uint32_t i = 0; i < n; i++) {
		edge[i] = t->edge[c[i].place];
		behind[i] = t->hosts[c[i].place] - (i + 1 < n ? t->hosts[c[i + 1].place] : 0);
	}
	uint32_t last = n;
	if (c->size == 1) {
		edge[last++] = c->one;
		behind[n] = outside;
	} else {
		behind[n - 1] += outside;
	}
	mark_circle(g, edge, behind, last);
}

static int parted_links(struct parted_net *g, struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct forest t = {0};
	AUTO_FREE struct cover *c = NEW_ARRAY((size_t)g->n + 1, struct cover);

	forest_init(arena, &t, g->n);
	grow_all(&t, g, NO_ID);
	for (uint32_t v = 0; v < t.n; v++)
		c[v].place = v;
	set_high(c, g, &t);
	for (uint32_t v = t.n; v-- > 0;)
		if (t.parent[v] != NO_ID) {
			c[t.parent[v]].size += c[v].size;
			c[t.parent[v]].one ^= c[v].one;
		}
	for (uint32_t v = 0; v < t.n; v++)
		if (t.parent[v] != NO_ID && !c[v].size)
			g->alone[t.edge[v]] = t.hosts[v] && t.hosts[v] < t.hosts[t.root[v]];
	qsort(c, t.n, sizeof(*c), by_cover);
	for (uint32_t i = 0, next; i < t.n && !progress_cancelled(p); i = next) {
		for (next = i + 1; next < t.n && c[next].high == c[i].high && c[next].size == c[i].size &&
				   c[next].place <= t.last[c[next - 1].place];
		     next++)
			;
		if (c[i].size && t.parent[c[i].place] != NO_ID)
			mark_chain(g, &t, c + i, next - i);
	}
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

/* --- switches ------------------------------------------------------------------------------------------- */

/* pieces[v]: parts with hosts that are left without place v, as if nothing else were gone. */
static void count_pieces(const struct parted_net *g, const struct forest *t, uint32_t *pieces, uint32_t *rest)
{
	uint32_t trees = 0;

	for (uint32_t v = 0; v < t->n; v++) {
		trees += t->root[v] == v && t->hosts[v];
		pieces[v] = 0;
		rest[v] = t->hosts[t->root[v]] - g->hosts[t->order[v]];
	}
	for (uint32_t v = 0; v < t->n; v++) {
		uint32_t up = t->parent[v];

		if (up == NO_ID || t->low[v] < up)
			continue;
		pieces[up] += t->hosts[v] != 0;
		rest[up] -= t->hosts[v];
	}
	for (uint32_t v = 0; v < t->n; v++)
		pieces[v] += trees - (t->hosts[t->root[v]] != 0) + (rest[v] != 0);
}

/* Fills in alone[] and bad of one switch by connectivity; i n_parts: of all alone. */
static int try_switch(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct parted_net *g = ctx;
	AUTO_FREE uint32_t *pieces = NEW_ARRAY((size_t)g->n + 1, uint32_t),
			   *rest = NEW_ARRAY((size_t)g->n + 1, uint32_t);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct forest t = {0};

	(void)worker, (void)p, (void)e;
	forest_init(arena, &t, g->n);
	grow_all(&t, g, i < g->n_parts ? g->sw_of[i] : NO_ID);
	count_pieces(g, &t, pieces, rest);
	for (uint32_t v = 0; v < t.n; v++) {
		uint32_t b = g->part_of[t.order[v]];

		if (b == NO_ID || pieces[v] < 2)
			continue;
		if (i == g->n_parts)
			g->alone[b] = 1;
		else if (b > i)
			pair_mark(g->bad, pair_bit(g, i, b));
	}
	return 0;
}

/* --- the graph ------------------------------------------------------------------------------------------ */

static void parted_number_parts(struct parted_net *g, const struct parts *parts, uint32_t *part_of_link)
{
	const struct fabric *f = parts->fabric;

	for (uint32_t i = 0; i < parts->n; i++) {
		uint32_t id = parts->id[parts->first[i]];

		if (g->switches) {
			g->sw_of[i] = f->node_switch[id];
			g->part_of[g->sw_of[i]] = i;
			continue;
		}
		part_of_link[id] = i;
		for (int k = 0; k < 2; k++)
			g->end[i][k] = f->node_switch[f->port_node[f->link_port[2 * (size_t)id + k]]];
	}
}

/* Several cables to one switch are one arc where switches fail. */
static void add_arcs(struct parted_net *g, const struct topo *t, const uint32_t *part_of_link)
{
	uint32_t *seen = NEW_ARRAY((size_t)g->n + 1, uint32_t), at = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		g->off[s] = at;
		if (!switch_up(t, s))
			continue;
		FOR_CABLES(t, s, port, to) {
			if (g->switches && seen[to] == s + 1)
				continue;
			seen[to] = s + 1;
			g->arc[at] = (struct net_arc){
				.to = to,
				.edge = g->switches ? NO_ID - 1 - at
						    : part_of_link[t->fabric->port_link[port]],
			};
			at++;
		}
	}
	g->off[g->n] = at;
	free(seen);
}

static int parted_net_init(void *arena, struct parted_net *g, const struct sweep *w,
			   const struct parts *parts, struct err *e)
{
	const struct fabric *f = w->fabric;
	uint64_t pairs = (uint64_t)parts->n * (parts->n - 1) / 2;

	if (mem_room(e, pairs / 4, "bits of all pairs of %u", parts->n))
		return -1;
	*g = (struct parted_net){
		.sweep = w, .switches = parts->kind == PART_SWITCH, .n = f->n_switches, .n_parts = parts->n};
	AUTO_FREE uint32_t *part_of_link = NEW_ARRAY((size_t)f->n_links + 1, uint32_t);
	g->off = ARENA_ARRAY(arena, (size_t)g->n + 1, uint32_t);
	g->arc = ARENA_ARRAY(arena, (size_t)f->n_ports + 1, struct net_arc);
	g->part_of = ARENA_ARRAY(arena, (size_t)g->n + 1, uint32_t);
	memset(g->part_of, 0xff, g->n * sizeof(*g->part_of));
	g->hosts = routing_hosts(arena, w->routing);
	g->alone = ARENA_ARRAY(arena, (size_t)parts->n + 1, uint8_t);
	g->bad = ARENA_ARRAY(arena, (size_t)(pairs / 64 + 1), _Atomic uint64_t);
	if (g->switches)
		g->sw_of = ARENA_ARRAY(arena, (size_t)parts->n + 1, uint32_t);
	else
		g->end = arena_array(arena, (size_t)parts->n + 1, sizeof(*g->end));
	parted_number_parts(g, parts, part_of_link);
	add_arcs(g, w->topo, part_of_link);
	return 0;
}

/* --- witnesses ------------------------------------------------------------------------------------------ */

static bool cable_witness(const struct parted_net *g, uint32_t a, uint32_t b, uint32_t sw[2])
{
	uint32_t end = 0;
	AUTO_FREE uint32_t *queue = NEW_ARRAY((size_t)g->n + 1, uint32_t);
	AUTO_FREE uint8_t *seen = NEW_ARRAY((size_t)g->n + 1, uint8_t);

	sw[0] = sw[1] = NO_ID;
	for (uint32_t s = 0; s < g->n && sw[0] == NO_ID; s++)
		sw[0] = g->hosts[s] && !net_down(g, s, a, b) ? s : NO_ID;
	if (sw[0] != NO_ID) {
		queue[end++] = sw[0];
		seen[sw[0]] = 1;
	}
	for (uint32_t i = 0; i < end; i++)
		for (uint32_t k = g->off[queue[i]]; k < g->off[queue[i] + 1]; k++)
			if (arc_up(g, &g->arc[k], a, b) && !seen[g->arc[k].to]) {
				seen[g->arc[k].to] = 1;
				queue[end++] = g->arc[k].to;
			}
	for (uint32_t s = 0; s < g->n && sw[1] == NO_ID; s++)
		sw[1] = g->hosts[s] && !seen[s] && !net_down(g, s, a, b) ? s : NO_ID;
	return sw[1] != NO_ID;
}

static uint32_t host_on(const struct sweep *w, uint32_t sw)
{
	uint32_t ep = 0;

	while (ep < w->fabric->n_endports &&
	       !(routing_has_host(w->routing, ep) && w->topo->endport_switch[ep] == sw))
		ep++;
	return ep;
}

static void parted_add_row(struct parted *r, const struct parted_net *g, struct legal *l, uint32_t a,
			   uint32_t b)
{
	uint32_t sw[2];

	if (r->n == PARTED_MOST_ROWS || !(l ? legal_witness(l, a, b, sw) : cable_witness(g, a, b, sw)))
		return;
	r->row[r->n++] = (struct parted_row){
		.part = {a, b},
		.host = {host_on(g->sweep, sw[0]), host_on(g->sweep, sw[1])},
	};
}

/* Counts and rows from the bits.  A link that is bad alone is bad with any other. -1 and *e. */
static int parted_list_rows(struct parted *r, const struct parted_net *g, struct legal *l, struct progress *p,
			    struct err *e)
{
	uint32_t n = g->n_parts;

	progress_start(p, "counting pairs", n);
	r->row = ARENA_ARRAY(r, PARTED_MOST_ROWS, struct parted_row);
	for (uint32_t a = 0; a < n; a++)
		if (g->alone[a]) {
			r->alone++;
			parted_add_row(r, g, l, a, NO_ID);
		}
	for (uint32_t a = 0; a < n; a++) {
		uint64_t at = a + 1 < n ? pair_bit(g, a, a + 1) : 0;

		for (uint32_t b = a + 1; b < n; b++, at++) {
			bool sure = !l && !g->switches && (g->alone[a] || g->alone[b]);

			if (!sure && !pair_is(g->bad, at))
				continue;
			r->bad++;
			if (g->alone[a] || g->alone[b])
				continue;
			r->together++;
			parted_add_row(r, g, l, a, b);
		}
		if (!progress_step(p, a))
			return err_set(e, CANCELLED);
	}
	return 0;
}

/* --- cables of hosts ------------------------------------------------------------------------------------ */

/* Hosts that count, on all switches that cables join with a switch: [n]; the caller frees. */
static uint32_t *hosts_joined(const struct parted_net *g)
{
	uint32_t *set = NEW_ARRAY((size_t)g->n + 1, uint32_t), *hosts = NEW_ARRAY((size_t)g->n + 1, uint32_t);

	for (uint32_t s = 0; s < g->n; s++)
		set[s] = s;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t k = g->off[s]; k < g->off[s + 1]; k++)
			set[disjoint_root(set, s)] = disjoint_root(set, g->arc[k].to);
	for (uint32_t s = 0; s < g->n; s++)
		hosts[disjoint_root(set, s)] += g->hosts[s];
	for (uint32_t s = 0; s < g->n; s++)
		hosts[s] = hosts[disjoint_root(set, s)];
	free(set);
	return hosts;
}

static void add_host_links(struct parted *r, const struct parted_net *g, const struct legal *l)
{
	const struct sweep *w = g->sweep;
	bool only_alone = l && !w->routing->ops->is_root;
	AUTO_FREE uint32_t *joined = hosts_joined(g);

	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++) {
		uint32_t s = w->topo->endport_switch[ep];

		if (s == NO_ID || !w->topo->endport_up[ep] || endport_is_switch(w->fabric, ep))
			continue;
		bool cuts = routing_has_host(w->routing, ep) &&
			    (l ? g->hosts[s] > 1 || legal_meets(l, s) : joined[s] > 1);
		r->host_alone += cuts;
		r->host_links += cuts || !only_alone;
		r->host_left_out += !cuts && only_alone;
	}
	uint64_t n = (uint64_t)r->parts->n + r->host_links;
	r->pairs = n * (n - 1) / 2;
	r->bad += r->host_alone * (n - r->host_alone) + (uint64_t)r->host_alone * (r->host_alone - 1) / 2 +
		  (uint64_t)r->alone * (r->host_links - r->host_alone);
}

/* --- the whole ------------------------------------------------------------------------------------------ */

struct parted *parted_run(const struct sweep *w, enum part_kind kind, struct progress *p, struct err *e)
{
	assert(w->routing && (kind == PART_LINK || kind == PART_SWITCH));
	const struct routing_ops *ops = w->routing->ops;
	struct parted *r = ARENA_NEW(NULL, struct parted);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct parts *parts = parts_new(w->fabric, kind, NULL);
	struct legal *l = NULL;
	struct parted_net g = {0};

	r->parts = parts;
	arena_end(r, parts_free, parts);
	parts_keep_up(parts, w->topo);
	r->legal = ops->direction && ops->rank && !ops->level_stays_down;
	r->pairs = (uint64_t)parts->n * (parts->n ? parts->n - 1 : 0) / 2;
	int rc = parts->n < 2 ? err_set(e, "found %u %s that are up, expected at least 2 for a pair",
					parts->n, part_words[kind])
			      : parted_net_init(arena, &g, w, parts, e);
	if (!rc && r->legal) {
		l = legal_new(arena, &g, e);
		rc = l ? parted_legal(l, &r->reranked, p, e) : -1;
	} else if (!rc && g.switches) {
		struct parallel par = {.n = g.n_parts + 1, .work = try_switch, .ctx = &g};

		rc = parallel_run(&par, "pairs of switches", p, e);
	} else if (!rc) {
		rc = parted_links(&g, p, e);
	}
	if (!rc)
		rc = parted_list_rows(r, &g, l, p, e);
	if (!rc && !g.switches)
		add_host_links(r, &g, l);
	assert(rc || (r->together <= r->bad && r->bad <= r->pairs));
	if (!rc)
		return r;
	arena_free(r);
	return NULL;
}

void parted_tell(const struct parted *r, const struct sweep *w, char end, struct text *t)
{
	text_add(t, "Proved for all %" PRIu64 " pairs of %u %s: %" PRIu64 " part hosts, ", r->pairs,
		 r->parts->n + r->host_links, part_words[r->parts->kind], r->bad);
	text_add(t, "%" PRIu64 " of them by both together; %u part hosts alone.%c", r->together,
		 r->alone + r->host_alone, end);
	if (r->host_links)
		text_add(t,
			 "%s of hosts %s among them, of which %u cut their host alone; rows tell of the "
			 "others.%c",
			 PLURAL(r->host_links, "cable"), r->host_links == 1 ? "is" : "are", r->host_alone,
			 end);
	if (r->host_left_out)
		text_add(t, "Not proved: %s of hosts that do not count, which may change ranks.%c",
			 PLURAL(r->host_left_out, "cable"), end);
	if (r->legal)
		text_add(t,
			 "By legal ways of %s, from the %s as now; %" PRIu64
			 " pairs with ranks that change.%c",
			 w->routing->engine, w->routing->ops->is_root ? "roots" : "switches with hosts",
			 r->reranked, end);
	else
		text_add(t,
			 "By cables: for engines that route whatever is connected (minhop, lash, sssp, "
			 "dfsssp, nue); others may lose more.%c",
			 end);
}
