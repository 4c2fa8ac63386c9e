/*
 * The search for cycles in the dependencies of one layer (engines/doc/dfsssp.md 6.5, 6.6). The first cycle
 * found depends on every detail of OpenSM's search, including leftovers of earlier searches. So all details
 * are as in OpenSM.
 */
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"
#include "core/base/order.h"

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

struct ds_cycles *ds_cycles_new(struct ds_cdg *c, const uint16_t *lids)
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

void ds_cycles_free(struct ds_cycles *k)
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

uint32_t ds_cycles_next(struct ds_cycles *k)
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

uint32_t ds_cycles_walk(struct ds_cycles *k, uint32_t channel, uint32_t *cycle, uint32_t *left,
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
