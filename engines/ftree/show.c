/* Results of ftree for a routing and for a step of a recording: ranks, hops, the order of nodes. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/ftree/internal.h"
#include "engines/record.h"

uint32_t *ftree_order(const struct ftree *t, uint32_t *n)
{
	uint32_t *order = NEW_ARRAY((size_t)t->n_leaves * t->max_cn + t->n_ca + 1, uint32_t);

	*n = 0;
	for (uint32_t i = 0; i < t->n_leaves; i++) {
		uint32_t s = t->leaf[i], cn = 0;

		for (uint32_t j = 0; j < t->sw[s].n[FT_DOWN]; j++) {
			const struct ft_group *g = ftree_group(t, s, FT_DOWN, j);

			if (g->peer != NO_ID || !t->ca[g->ca].is_cn)
				continue;
			order[(*n)++] = t->ca[g->ca].endport;
			cn++;
		}
		for (; cn < t->max_cn; cn++)
			order[(*n)++] = NO_ID;
	}
	return order;
}

void ftree_order_text(const struct ftree *t, struct text *out)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t n, *order = ftree_order(t, &n);

	for (uint32_t i = 0; i < n; i++)
		if (order[i] == NO_ID)
			text_add(out, "0xFFFF\tDUMMY\n");
		else
			text_add(out, "0x%04x\t%s\n", t->lids->base[order[i]],
				 f->node_desc[endport_node(f, order[i])]);
	free(order);
}

/* The cost from switch s to d through a port (0: the least), as OpenSM dumps it. NO_PATH = none. */
static unsigned op_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	const struct ftree *t = r->priv;
	uint32_t id = switch_port_id(t->topo->fabric, s, port);
	size_t lo = 0, hi = t->n_costs;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct ft_cost *c = &t->cost[mid];

		if (c->d == d && c->port == id)
			return c->value;
		if (c->d < d || (c->d == d && c->port < id))
			lo = mid + 1;
		else
			hi = mid;
	}
	return hops_value(t->hops, t->topo, s, d, port);
}

static uint32_t op_rank(const struct routing *r, uint32_t sw)
{
	const struct ftree *t = r->priv;

	return t->sw[sw].in ? t->sw[sw].rank : NO_RANK;
}

static bool op_is_root(const struct routing *r, uint32_t sw)
{
	return op_rank(r, sw) == 0;
}

static char op_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	uint32_t x = r->topo->peer_switch[switch_port_id(r->topo->fabric, sw, port)], a, b;

	if (!port || x == NO_ID)
		return ' ';
	a = op_rank(r, sw);
	b = op_rank(r, x);
	if (a == NO_RANK || b == NO_RANK)
		return ' ';
	return a > b ? 'U' : a < b ? 'D' : '=';
}

static uint32_t *op_order(const struct routing *r, uint32_t *n)
{
	return ftree_order(r->priv, n);
}

static int op_write_extra(const struct routing *r, const char *what, FILE *f)
{
	struct text text = {0};

	if (strcmp(what, "ca-order"))
		return -1;
	ftree_order_text(r->priv, &text);
	fputs(text_str(&text), f);
	text_free(&text);
	return ferror(f) ? -1 : 0;
}

/* Marks entries that exist only because of reverse hops. */
static uint32_t op_entry_notes(const struct routing *r, uint32_t sw, const struct entry_note **note)
{
	static const struct entry_note reverse = {"reverse", "by reverse hops"};
	const struct ftree *t = r->priv;
	uint32_t n = 0;

	for (size_t i = 0; i < t->n_reverse; i++) {
		if (t->reverse[i].sw != sw)
			continue;
		n += !note[t->reverse[i].lid];
		note[t->reverse[i].lid] = &reverse;
	}
	return n;
}

static void op_decide_rank(const struct routing *r, uint32_t sw, struct decided *d)
{
	const struct ftree *t = ftree_of(r);
	const struct fabric *f = r->topo->fabric;
	const char *name = switch_name(f, sw);
	uint32_t next = NO_ID;

	if (!t->sw[sw].rank && t->named) {
		decide(d, WHY_ROOT_NAMED, "root_guid_file names %s.", name);
	} else if (!t->sw[sw].rank) {
		decide(d, WHY_ROOT_FARTHEST, "No switch is farther from its nearest host than %s.", name);
	} else {
		for (unsigned p = 1; p <= f->switch_nports[sw] && next == NO_ID; p++) {
			next = r->topo->peer_switch[switch_port_id(f, sw, p)];
			if (next != NO_ID && t->sw[next].rank != t->sw[sw].rank - 1)
				next = NO_ID;
		}
		decide(d, WHY_RANK, "%s has rank %u, no neighbour of %s less.",
		       next == NO_ID ? "a neighbour" : switch_name(f, next), t->sw[sw].rank - 1, name);
	}
}

static void op_rank_clues(const struct routing *r, uint32_t sw, struct text *t)
{
	(void)sw;
	if (ftree_of(r)->named)
		text_add(t, "Rank 0: the switches that root_guid_file names.\n");
	else
		text_add(t, "Rank 0: the switches farthest from any host.\n");
}

static uint32_t op_next_by_chance(const struct routing *r, uint32_t *at)
{
	const struct ftree *t = r->priv;

	while (*at < t->n_ca && !t->ca[*at].by_chance)
		++*at;
	return *at < t->n_ca ? t->ca[(*at)++].endport : NO_ID;
}

const struct routing_ops ftree_ops = {
	.hops = op_hops,
	.rank = op_rank,
	.is_root = op_is_root,
	.decide_rank = op_decide_rank,
	.rank_clues = op_rank_clues,
	.turn_option = "max_reverse_hops",
	.direction = op_direction,
	.level_stays_down = true,
	.entry_notes = op_entry_notes,
	.order = op_order,
	.next_by_chance = op_next_by_chance,
	.extras = "ca-order",
	.write_extra = op_write_extra,
	.free_priv = ftree_free,
};

const struct ftree *ftree_of(const struct routing *r)
{
	return r && r->ops == &ftree_ops ? r->priv : NULL;
}

/* --- a step of a recording ------------------------------------------------------------------- */

/* Finds the entries that reverse hops made and nothing replaced. */
static void put_reverse(const struct walk *w, struct ftree *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	size_t row = s->lids->max_lid + 1u;
	uint8_t *hops = mem_array(s->fabric->n_switches, row);

	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (ev->kind == REC_CHOICE)
			hops[ev->a * row + ev->b] = (ev->flags & BY_REVERSE) != 0;
	}
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 1; lid < row; lid++) {
			if (!hops[sw * row + lid])
				continue;
			GROW(t->reverse, t->n_reverse, t->cap_reverse);
			t->reverse[t->n_reverse++] = (struct ft_reverse){
				sw, lid, walk_value(w, T_ENTRY, (uint32_t)(sw * row + lid)), 0};
		}
	free(hops);
}

void *ft_priv_at(struct walk *w, const struct routing *end)
{
	const struct ftree *kept = recording_kept(walk_recording(w));
	struct ftree *t = ft_copy(kept);
	struct ft_slot *of = NEW_ARRAY(t->n_groups + 1u, struct ft_slot); /* by group */

	(void)end;
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		t->sw[s].rank = walk_value(w, T_RANK, s);
		t->sw[s].tuple =
			(uint64_t)walk_value(w, T_TUPLE, 2 * s) << 32 | walk_value(w, T_TUPLE, 2 * s + 1);
	}
	for (uint32_t i = 0; i < t->n_links; i++) {
		t->link[i].cu = walk_value(w, T_UP, i);
		t->link[i].cd = walk_value(w, T_DOWN, i);
	}
	for (uint32_t i = 0; i < t->n_groups; i++) {
		t->group[i].cu = walk_value(w, T_UP, t->n_links + i);
		t->group[i].cd = walk_value(w, T_DOWN, t->n_links + i);
	}
	for (uint32_t i = 0; i < t->n_groups; i++)
		of[t->slot[i].group] = t->slot[i];
	for (uint32_t i = 0; i < t->n_groups; i++) /* each slot keeps the data of its peer */
		if (walk_value(w, T_SLOT, i) != NO_ID)
			t->slot[i] = of[walk_value(w, T_SLOT, i)];
	free(of);
	if (t->max_reverse)
		put_reverse(w, t);
	t->hops = hops_at(w, T_HOPS);
	return t;
}
