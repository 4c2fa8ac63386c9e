/*
 * Search for cycles in the dependencies of one layer (engines/doc/dfsssp.md 6.5,
 * 6.6).  Which cycle comes first depends on every turn of OpenSM's search, its
 * leftovers of earlier searches included, so these are kept literally.
 */
#include <stdlib.h>

#include "core/base/memory.h"
#include "engines/dfsssp/internal.h"
#include "core/base/order.h"

enum colour { WHITE, GREY, BLACK };

struct ds_cycles {
	struct ds_cdg *c;
	uint8_t *colour; /* [n_edges] */
	uint32_t *back;	 /* [n_edges] channel to go back to, NO_ID; may be stale */
	/* channels in preorder of OpenSM's search tree; those before cursor are not WHITE */
	uint32_t *preorder;
	uint32_t cursor;
	uint32_t start; /* where the next search begins, NO_ID = at the first WHITE one */
};

/* --- the tree that OpenSM keeps channels in -------------------------------------------------- */

struct keyed {
	uint32_t key;  /* LID of the switch, port: order in the tree */
	uint32_t time; /* when it came into the tree */
};

COMPARATOR(by_key, struct keyed, UP(key))

struct tree {
	uint32_t *left, *right; /* [n] by index in order of keys, NO_ID */
	uint32_t root;
};

/*
 * The tree that comes of inserting without balancing: sorted by key from left to
 * right, earlier ones above later ones.
 */
static void build_tree(const struct keyed *k, uint32_t n, struct tree *t)
{
	uint32_t *path = NEW_ARRAY(n + 1u, uint32_t), depth = 0; /* right-most path from the root */

	t->left = NEW_ARRAY(n, uint32_t);
	t->right = NEW_ARRAY(n, uint32_t);
	for (uint32_t i = 0; i < n; i++) {
		t->left[i] = t->right[i] = NO_ID;
		while (depth && k[path[depth - 1]].time > k[i].time)
			t->left[i] = path[--depth];
		if (depth)
			t->right[path[depth - 1]] = i;
		path[depth++] = i;
	}
	t->root = n ? path[0] : NO_ID;
	free(path);
}

/* Node, left, right; indexes of k into order. */
static void walk_tree(const struct tree *t, uint32_t n, uint32_t *order)
{
	uint32_t *stack = NEW_ARRAY(n + 1u, uint32_t), depth = 0, m = 0;

	if (n)
		stack[depth++] = t->root;
	while (depth) {
		uint32_t i = stack[--depth];

		order[m++] = i;
		if (t->right[i] != NO_ID)
			stack[depth++] = t->right[i];
		if (t->left[i] != NO_ID)
			stack[depth++] = t->left[i];
	}
	free(stack);
}

static uint32_t *tree_preorder(const struct ds_cdg *c, const uint16_t *lids)
{
	uint32_t n = c->n_channels, *order = NEW_ARRAY(n, uint32_t);
	struct keyed *k = NEW_ARRAY(n, struct keyed);
	struct tree t;

	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct keyed){
			(uint32_t)lids[c->g->from[c->channel[i]]] << 8 | c->g->port[c->channel[i]], i};
	qsort(k, n, sizeof(*k), by_key);
	build_tree(k, n, &t);
	walk_tree(&t, n, order);
	for (uint32_t i = 0; i < n; i++)
		order[i] = c->channel[k[order[i]].time];
	free(t.left);
	free(t.right);
	free(k);
	return order;
}

struct ds_cycles *ds_cycles_new(struct ds_cdg *c, const uint16_t *lids)
{
	struct ds_cycles *k = NEW(struct ds_cycles);

	k->c = c;
	k->colour = NEW_ARRAY(c->g->n_edges, uint8_t);
	k->back = NEW_ARRAY(c->g->n_edges, uint32_t);
	for (uint32_t e = 0; e < c->g->n_edges; e++)
		k->back[e] = NO_ID;
	k->preorder = tree_preorder(c, lids);
	k->start = NO_ID; /* the first in preorder is the root */
	return k;
}

void ds_cycles_free(struct ds_cycles *k)
{
	if (!k)
		return;
	free(k->colour);
	free(k->back);
	free(k->preorder);
	free(k);
}

/* --- the search ---------------------------------------------------------------------------------- */

static uint32_t first_white(struct ds_cycles *k)
{
	while (k->cursor < k->c->n_channels && k->colour[k->preorder[k->cursor]] != WHITE)
		k->cursor++;
	return k->cursor < k->c->n_channels ? k->preorder[k->cursor] : NO_ID;
}

/* The first channel that depends on `cur`'s list and is not BLACK; NO_ID. */
static uint32_t first_open(const struct ds_cycles *k, uint32_t cur)
{
	const struct ds_cdg *c = k->c;
	const uint8_t *list = c->list + c->at[cur];
	uint32_t out = c->g->first[c->g->to[cur]];

	for (unsigned i = 0; i < c->n_list[cur]; i++)
		if (k->colour[out + list[i]] != BLACK)
			return out + list[i];
	return NO_ID;
}

uint32_t ds_cycles_next(struct ds_cycles *k)
{
	uint32_t cur = k->start != NO_ID ? k->start : first_white(k), next;

	while (cur != NO_ID) {
		k->colour[cur] = GREY;
		next = first_open(k, cur);
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

/* The channel that the first dependency of `cur` on a GREY one leads to. */
static uint32_t next_grey(const struct ds_cycles *k, uint32_t cur)
{
	const struct ds_cdg *c = k->c;
	const uint8_t *list = c->list + c->at[cur];
	uint32_t out = c->g->first[c->g->to[cur]], i = 0;

	while (k->colour[out + list[i]] != GREY)
		i++;
	return out + list[i];
}

uint32_t ds_cycles_walk(struct ds_cycles *k, uint32_t channel, uint32_t *cycle, uint32_t *left,
			uint32_t *weakest)
{
	uint32_t n = 0, cur = channel;

	*weakest = 0;
	do {
		uint32_t next = next_grey(k, cur);

		if (n)
			k->colour[cur] = WHITE;
		cycle[n] = cur;
		left[n] = k->c->left[ds_dependency(k->c, cur, next)];
		if (left[n] < left[*weakest])
			*weakest = n;
		n++;
		cur = next;
	} while (cur != channel);
	k->colour[channel] = WHITE;
	return n;
}
